#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two rails carry one transfer; when one goes down, or is removed altogether,
# the transfer ends well on the other; when it comes back it is used again.
#
#	node1 r0 --- plane 0 --- r0 node2
#	      r1 --- plane 1 --- r1
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

count=$((16 / SCALE + 8))

# Links slow enough that a transfer is still under way when we act.
slow_links()
{
	local n dev
	for n in 1 2; do
		for dev in "$@"; do
			must tc -n "${NS[$n]}" qdisc replace dev "$dev" root \
				netem limit 5000 rate $((20000 / SCALE))kbit
		done
	done
}

# lose_rail TEXT COMMAND...: run the command in the middle of a transfer
lose_rail()
{
	local text=$1
	shift
	sink rx 2 5 -n $count
	source_to tx 1 2 5 -n $count -s 524288 -b 262144 -P "$TMP/tx.sent"
	wait_for "$text: messages flow before it" 30 progress_is tx -ge 1 || return
	must "$@"
	check "$text: the transfer is in the middle" running tx
	check "$text: the sender gets all answers" finish tx
	check "$text: all messages arrive whole" finish rx
	assert_eq "$text: no message has failed" "$(counter 1 msg-failed)" 0
}

setup_fabric
transfer "two rails up" 1 2 5 -n 4 -s 500000
for p in 0 1; do
	for n in 1 2; do
		# The reader sends only ACKs, one for many packets.
		assert_ge "node$n sends on r$p" "$(rail_packets $n r$p tx)" 8
		assert_ge "node$n receives on r$p" "$(rail_packets $n r$p rx)" 8
	done
done

slow_links r0 r1
lose_rail "rail down" ip -n "${NS[1]}" link set r0 down
assert_match "the rail is shown as down" \
	"$(ue 1 -j rail show)" '"dev":"r0"[^}]*"usable":false'
before=$(rail_packets 1 r0 tx)
transfer "on one rail" 1 2 5 -n 2 -s 300000
assert_eq "nothing goes to the rail that is down" "$(rail_packets 1 r0 tx)" \
	"$before"

must ip -n "${NS[1]}" link set r0 up
transfer "the rail is back" 1 2 5 -n 4 -s 500000
assert_ge "the rail that is back carries packets" "$(rail_packets 1 r0 tx)" $((before + 10))

lose_rail "rail removed" ip -n "${NS[1]}" link del r1
assert_eq "the rail is gone from the list" \
	"$(ue 1 -j rail show | grep -o '"dev":"[^"]*"')" '"dev":"r0"'
transfer "after the removal" 1 2 5 -n 2 -s 300000

must ip -n "${NS[1]}" link set r0 down
sink rx 2 5 -n 1
source_to tx 1 2 5 -n 1 -s 64
check "without a rail packets are dropped for that reason" \
	busywait 30 drops_are 1 tx-no-rail -ge 1
must ip -n "${NS[1]}" link set r0 up
check "a rail that is back in time saves the message" finish tx
check "the saved message arrives" finish rx
finish_tests
