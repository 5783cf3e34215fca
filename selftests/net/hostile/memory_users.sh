#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Users share net.uet.uet_mem: what one user takes of it, by copies of memory that may not be
# locked or by endpoints that read nothing, leaves others a part with which they go on.
#
#	node1 (user 1000, root) ==(2 rails)== node2 (user 1000, root)
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

user=(setpriv --reuid 1000 --regid 1000 --clear-groups prlimit --memlock=0
	env UET_TEST_JOB=2)
mem=/proc/sys/net/uet/uet_mem
# Pages: 24, 32 and 48 MiB.  A user who is alone may have four fifths of the second number.
pages=$(((32 << 20) / PAGE)) most=$(((32 << 20) * 4 / 5 / PAGE))

# refusals: for lack of memory, of senders and of receivers
refusals()
{
	echo $(($(counter 1 tx-no-mem) + $(counter 2 rx-no-mem)))
}

refusals_are()
{
	compare "$(refusals)" "$1" "$2"
}

# others_pass TEXT: messages of root, longer than what a socket has under pressure
others_pass()
{
	assert_le "$1: one user has taken its share only" "$(charged)" $((most + SLACK))
	assert_ge "$1: the share of one user is most of the limit" "$(charged)" $((most / 2))
	transfer "$1: 60 of 60 messages of another user arrive" 1 2 5 -n 60 -s 100000
}

# ends NAME...: stop these programs
ends()
{
	local name
	for name; do
		stop "$name"
	done
	check "nothing is left" busywait 30 charged_is -le $SLACK
}

setup_fabric
for node in 1 2; do must ue $node job add 2 feps fep0 uid 1000; done
before=$(< $mem)
trap 'echo "$before" > $mem; cleanup' EXIT
echo "$((pages * 3 / 4)) $pages $((pages * 3 / 2))" > $mem || die "cannot set uet_mem"

start copy 1 "${user[@]}" memory copy "$(fa 1)" 262144
wait_for "copies find no memory in the end" 60 has_said copy 'ready [0-9]+: ENOMEM'
others_pass "receives by address"
ends copy

start idle 2 "${user[@]}" memory receive "$(fa 2)" 100 32
wait_for "endpoints are there" 30 has_said idle ready
refused=$(refusals)
start flood 1 "${user[@]}" memory send "$(fa 1)" "$(fa 2)" 100 32 65536
check "messages to endpoints that read nothing are refused memory" \
	busywait 60 refusals_are -ge $((refused + 32))
others_pass "unread messages"
ends idle flood

# The users of the user namespaces of a user are this user.
start copy 1 "${user[@]}" unshare -Ur memory copy "$(fa 1)" 262144
wait_for "copies in a user namespace find no memory in the end" \
	60 has_said copy 'ready [0-9]+: ENOMEM'
taken=$(charged)
start more 1 "${user[@]}" memory copy "$(fa 1)" 262144
wait_for "copies out of the user namespace find no memory in the end" \
	60 has_said more 'ready [0-9]+: ENOMEM'
assert_le "copies in and out of the user namespace have one share" \
	"$(charged)" $((taken + SLACK))
ends copy more
finish_tests
