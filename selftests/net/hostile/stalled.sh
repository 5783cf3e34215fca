#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A message that fills the receive buffer of an endpoint and does not go on, or goes on at a
# packet now and then, keeps the messages of other senders out for some time-outs, and not
# for the life of its PDC.  Messages that do not go on hold the memory of what has come, and
# lose it, at whatever endpoint, when others need it.
#
#	node1 (sender) ---+
#	node2 (victim) ---+== plane 0
#	node3 (attacker) -+
#
# clock: virtual; size: check; takes: 12 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

setup_fabric --nodes 3 --rails 1
must ue 1 fep set fep0 nack-retx 10ms nack-retx-max 200ms
# The host is younger than 16 of the longest time-outs.
must ue 2 fep set fep0 rto-max 3600s
sink rx 2 7 -n 2 -b 65536
must on 3 hostile -c -n 1 -p 7 -l "$(ep_value 2 7 rcvbuf)" huge "$(fa 2)" > "$TMP/attack"
source_to tx 1 2 7 -n 2 -s 20000
check "the message of another sender is refused" \
	busywait 10 counter_is 2 msg-deferred -ge 5
assert_eq "no message has stalled for longer than the host has been up" \
	"$(counter 2 msg-stalled)" 0
must ue 2 fep set fep0 rto-max 100ms
check "after some time-outs it is answered" finish tx
check "after some time-outs the message of another sender is read" finish rx
assert_eq "one message failed" "$(counter 2 msg-stalled)" 1

# As much as before comes in each time-out, and never enough.
must ue 2 fep set fep0 rto-max 100ms
sink rx 2 8 -n 2 -b 262144
start trickle 3 hostile -c -n 60 -w 1000000 -p 8 -l "$(ep_value 2 8 rcvbuf)" trickle "$(fa 2)"
check "a packet each second has come for some seconds" \
	busywait 30 counter_is 2 rx-packets -ge $(($(counter 2 rx-packets) + 4))
source_to tx 1 2 8 -n 2 -s 20000
check "the message of another sender is answered" finish tx
check "the message of another sender is read by then" finish rx
assert_eq "the slow one failed" "$(counter 2 msg-stalled)" 2
stop trickle

#---------------------------------------------------------------------- memory

# attack ARGS...: on each of the idle endpoints of user 1000, each from another address
attack()
{
	local pid

	for ((pid = 100; pid < 140; pid++)); do
		must on 3 hostile -c -a "10.0.9.$pid" -j 2 -p $pid "$@" "$(fa 2)"
	done
}

# idle: endpoints of user 1000 that read nothing
idle()
{
	start idle 2 "${user[@]}" memory receive "$(fa 2)" 100 40
	busywait 30 nr_eps_are 2 -ge 40 || die "no endpoints"
}

user=(setpriv --reuid 1000 --regid 1000 --clear-groups env UET_TEST_JOB=2)
for node in 1 2; do must ue $node job add 2 feps fep0 uid 1000; done
idle
attack -n 1 -l 4194304 huge
check "a packet of 4 MiB to each of 40 endpoints came" busywait 30 counter_is 2 pdc-accepted -ge 40
assert_le "endpoints hold what comes next instead of all that was announced" "$(charged)" \
	$((40 * ((20 * 4096 + PAGE - 1) / PAGE) + SLACK))
stop idle
busywait 30 nr_eps_are 2 -eq 0

mem=/proc/sys/net/uet/uet_mem
before=$(< $mem)
trap 'echo "$before" > $mem; cleanup' EXIT
echo "$(((8 << 20) / PAGE)) $(((12 << 20) / PAGE)) $(((16 << 20) / PAGE))" > $mem || die "cannot set uet_mem"
refused=$(counter 2 rx-no-mem) stalled=$(counter 2 msg-stalled)
idle
attack -n 60 -l 300000 trickle
assert_ge "begun messages have all the memory of the user" "$(counter 2 rx-no-mem)" \
	$((refused + 1))
start rx 2 "${user[@]}" msgs recv -m "$MODE" -t 60 -a "$(fa 2)" -j 2 -p 7 -n 1
busywait 30 has_ep 2 7 || die "no endpoint"
check "a message to another endpoint gets some of it" \
	on 1 msgs send -m "$MODE" -t 60 -j 2 -p 7 -n 1 -s 500000 "$(fa 2)"
check "a message to another endpoint is read" finish rx
assert_ge "some of the begun messages failed for it" "$(counter 2 msg-stalled)" \
	$((stalled + 1))
stop idle
finish_tests
