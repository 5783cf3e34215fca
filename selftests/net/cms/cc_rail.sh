#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One of two rails has a quarter of the rate of the other, and both mark.  Packets that
# are spread evenly are held up by the slow rail: the fast one carries at most 5/4 of
# what it does.  By paths that heed marks it carries at least 3/2, so that more than
# the double of the slow rail arrives; and nothing is dropped.
#
#	node1 \r0 ===== plane 0 ==tbf, red ecn=====- r0\ node2
#	node3 /r1 ===== plane 1 ==tbf/4, red ecn===- r1/ (reader, 8 ms)
#
# clock: virtual; size: check; takes: 7 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/congest.sh"

READER=2

# Both rails, kbit/s, and the slow one; the largest windows of both senders, bytes, which
# either queue holds.
RATE=10000
SLOW=2000
BASE_MS=10
WINDOWS=$((2 * 3 * RATE * BASE_MS / 16))
LIMIT=$((WINDOWS + WINDOWS / 8))
MESSAGES=96

drops()
{
	echo $(($(port_drops p0-n$READER) + $(port_drops p1-n$READER)))
}

# shares TEXT PATHS PID: packets of two flows on the rails, in $fast and $slow; those
# that were marked in $marked
shares()
{
	local text=$1 n dropped fast0 slow0

	reconfigure "$FAMILY" crc "$MTU"
	set_cc cc nscc cc-rate $((RATE / 1000)) cc-base-rtt ${BASE_MS}ms \
		paths "$2" ev-count 64 ack-per-pkt yes rto-init 5s rto-max 10s idle 600s
	dropped=$(drops)
	flows_begin "$3" 16384 1 3
	wait_for "$text: all flows send" 120 flows_are_on
	fast0=$(rail_packets $READER r0 rx) slow0=$(rail_packets $READER r1 rx)
	flows_watch $MESSAGES
	fast=$(($(rail_packets $READER r0 rx) - fast0))
	slow=$(($(rail_packets $READER r1 rx) - slow0))
	note "$text: $fast packets by the fast rail, $slow by the slow one"
	flows_end "$text"
	when_fast assert_eq "$text: nothing is dropped" $(($(drops) - dropped)) 0
	# Flows that avoid the slow rail in time get no marks.
	marked=$(ccc_sum marked 1 3)
	note "$text: $marked packets were marked"
	assert_eq "$text: nothing is in flight in the end" \
		"$(ccc_sum inflight 1 3)" 0
	flows_kill
}

setup_fabric --nodes 3 --rails 2 --mtu 1024
know_neighbours
marking_port p0-n$READER $((RATE - SLOW)) $LIMIT 5000 20000
marking_port p1-n$READER $SLOW $LIMIT 5000 20000
for r in r0 r1; do
	must tc -n "${NS[$READER]}" qdisc replace dev $r root \
		netem limit 5000 delay $((BASE_MS - 2))ms
done

shares "spread evenly" oblivious 5
when_fast assert_ge "spread evenly: marks are seen" "$marked" 1
when_fast assert_le "spread evenly: the slow rail holds the other up" "$fast" \
	$((slow * 5 / 4))
shares "by REPS" reps 6
when_fast assert_ge "by REPS: the fast rail is not held up" "$fast" \
	$((slow * 3 / 2))
shares "mixed" mixed 7
when_fast assert_ge "mixed: the fast rail is not held up" "$fast" \
	$((slow * 3 / 2))
finish_tests
