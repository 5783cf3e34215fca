#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uetcat says which end failed and why, and no end waits for ever: a sender that cannot
# read, one that is killed, one whose input pauses, and a listener that is killed or was
# never there.
#
#	node1 (sender) ==(2 rails)== node2 (listener)
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# listen: a listener on node2
listen()
{
	start rx 2 uetcat -l -j 1 -p 9 -o "$TMP/copy"
	busywait 30 has_ep 2 9 || die "uetcat -l: $(cat "$TMP/rx.err")"
}

# send ARG...: the other end on node1
send()
{
	start tx 1 uetcat -j 1 -p 9 "$@" "$(fa 2)"
}

has_copied()
{
	[ "$(stat -c %s "$TMP/copy")" -ge "$1" ]
}

# fails_with NAME REGEX: the program ends with 1 and this reason
fails_with()
{
	local status=0

	finish "$1" > /dev/null || status=$?
	assert_eq "$1: uetcat fails with status 1" $status 1
	check "$1: uetcat says why: it prints $2" grep -Eq "^uetcat: $2" "$TMP/$1.err"
}

# refused REASON ARG...: the sender fails, and names the address and the reason
refused()
{
	local reason=$1
	shift

	send -i "$TMP/data" "$@"
	fails_with tx "message of 1016 bytes in job [17] to $(fa 2)/$reason"
}

setup_fabric
mkfifo "$TMP/pipe"
head -c 1000 /dev/zero > "$TMP/data"

refused '9/1: no endpoint with that PIDonFEP'
must ue 1 job add 7 feps fep0
refused '9/1: no job with that JobID' -j 7
listen
refused '9/77: no endpoint with that Resource Index' -r 77
stop rx

listen
send -i "$TMP"
fails_with tx "reading $TMP: Is a directory"
fails_with rx "the sender failed, 0 bytes of its stream came: reading $TMP: Is a directory"

# The pause is longer than a listener waits for a sender that says nothing.
listen
exec 7<> "$TMP/pipe"
send -s 1000 -i "$TMP/pipe"
head -c 1000 /dev/zero >&7
check "the first message is there" busywait 30 has_copied 1000
pause 100000
check "the listener waits for a sender whose input pauses" running rx
head -c 1000 /dev/zero >&7
check "the second message has arrived, too" busywait 30 has_copied 2000
stop tx
fails_with rx 'the sender has been silent for 60 s, 2000 bytes of its stream came'

listen
send -s 1000 -i "$TMP/pipe"
head -c 1000 /dev/zero >&7
check "a message is there" busywait 30 has_copied 1000
stop rx
head -c 1000 /dev/zero >&7
fails_with tx '(send|message|waiting).*'
exec 7>&-

finish_tests
