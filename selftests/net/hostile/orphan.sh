#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Messages of programs that have ended, to a peer that refuses them for ever: they live
# as long as the FEP or SO_LINGER says, and take no more memory than the share of their
# user. What is over is given back: PDCs, sockets, memory.
#
#	node1 (users) -------+
#	node2 -------------- +== plane 0
#	node3 (refuses all) -+
#
# clock: virtual; size: all; takes: 6 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

# sockets: each has a reference to the module
sockets()
{
	cat /sys/module/uet/refcnt
}

sockets_are()
{
	compare "$(sockets)" "$1" "$2"
}

# available: KB of memory
available()
{
	local name value

	while read -r name value _; do
		[ "$name" = MemAvailable: ] && echo "$value"
	done < /proc/meminfo
}

available_is()
{
	compare "$(available)" "$1" "$2"
}

# leave ARGS...: user on node 1 sends messages to node 3 and ends; what it says in $said
leave()
{
	said=$(on 1 user -p 5 "$@" "$(fa 3)" 2>&1) || die "user: $said"
}

setup_fabric --nodes 3 --rails 1
must ue 3 job del 1
must ue 3 fep del fep0
start crook 3 crooked -n 100000000 full "$(fa 3)" "$(fa 1)"
must busywait 30 grep -q ready "$TMP/crook.out"

old=$(sockets)
must ue 1 fep set fep0 orphan 20s
leave -n 20 -m 4 -b 65536
assert_eq "each of 20 programs has sent its messages" \
	"$(occurrences "$said" 'sent=4 ')" 20
assert_eq "the messages of each program wait on a PDC" "$(nr_pdcs 1)" 20
assert_ge "the sockets of the programs are still there" "$(sockets)" $((old + 20))
refused=$(counter 1 rx-nack)
check "the peer refuses them again and again" \
	busywait 10 counter_is 1 rx-nack -ge $((refused + 100))
check "the PDCs end with the time of the FEP" \
	busywait 60 nr_pdcs_are 1 -eq 0
check "the sockets end with the time of the FEP, too" busywait 30 sockets_are -eq "$old"
assert_eq "each message is counted" "$(counter 1 msg-orphaned)" 80

must ue 1 fep set fep0 orphan 1000s
leave -l 0
assert_eq "a time of 0 in SO_LINGER drops the messages" "$(nr_pdcs 1)" 0
assert_eq "dropped messages are counted" "$(counter 1 msg-orphaned)" 81
leave -n 1 -l 5
assert_eq "a time of 5 s in SO_LINGER keeps the messages" "$(nr_pdcs 1)" 1
check "a time of 5 s ends the messages before the time of the FEP" \
	busywait 60 nr_pdcs_are 1 -eq 0
assert_eq "no limit was reached" "$(counter 1 orphan-limit)" 0

# The limit is 64 MiB at least, of which one user gets four fifths.
must ue 1 fep set fep0 orphan 100s
share=$(($(ram_mb) / 32))
[ $share -ge 64 ] || share=64
before=$(available)
leave -n $((share / 2)) -m 100 -b 65536 -u 1001
assert_ge "a user reaches its limit" "$(counter 1 orphan-limit)" 1
assert_le "the messages of a user have no more than its share" \
	$((before - $(available))) $((share * 1024))
pdcs=$(nr_pdcs 1)
leave -m 1 -b 65536 -u 1002
assert_eq "another user has a share of its own" "$(nr_pdcs 1)" $((pdcs + 1))
check "all PDCs end" busywait 300 nr_pdcs_are 1 -eq 0
check "no socket is left" busywait 30 sockets_are -eq "$old"
check "the memory of the messages is free" busywait 30 available_is -ge $((before - 8192))
stop crook TERM
transfer "afterwards all is well" 1 2 6 -n 4 -s 70000
finish_tests
