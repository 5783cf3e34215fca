#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Four senders to one reader behind a switch that has space for less than their largest
# windows, and trims what it has no space for.  With NSCC there is no collapse:
#
#  - of what passes the switch at most a tenth as much is trimmed,
#  - every trimmed packet is counted by the switch, by the reader, and by the context
#    of its sender unless that took it for lost before,
#  - nothing is found by a time-out, and no more taken for lost than a tenth of what is
#    trimmed, and the first window of each sender: its round trips were short until
#    then, so a Probe comes early and goes ahead of what waits in the switch,
#  - all bytes are right.
#
#	node1 .. node4 ===== bridge -- trimswitch (slow port, marks) -- node5 (8 ms)
#
# clock: virtual; size: check; takes: 9 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/congest.sh"

READER=5
senders=({1..4})

# The slow port, kbit/s; the largest windows, 1.5 times what it carries in a base
# round trip, bytes; its queue, bytes, which has space for half of them.
RATE=8000
BASE_MS=10
WINDOWS=$((4 * 3 * RATE * BASE_MS / 16))
ROOM=$((WINDOWS / 2))
MESSAGES=48

# Between the bridge and the reader.
add_switch()
{
	must ip -n "${NS[fabric]}" link add trunk mtu "$LINK_MTU" type veth \
		peer name cable mtu "$LINK_MTU"
	must ip -n "${NS[fabric]}" link set trunk master plane0 up
	must ip -n "${NS[fabric]}" link set cable up
	must ip -n "${NS[fabric]}" link set p0-n$READER nomaster
}

switch_on()
{
	start switch fabric trimswitch -r $RATE -q $ROOM -M $((ROOM / 4)) \
		cable p0-n$READER
	wait_for "the switch runs" 30 grep -q ready "$TMP/switch.out"
}

# switch_off: what it counted is in $trimmed and $passed
switch_off()
{
	local line

	kill -TERM "${PID[switch]}"
	check "the switch ends well" finish switch
	line=$(tail -n 1 "$TMP/switch.out")
	trimmed=$(result "$line" trimmed) passed=$(result "$line" passed)
	note "switch: $line"
}

# settle WORDS...: FEPs without PDCs, which time out later than this test ends
settle()
{
	reconfigure "$FAMILY" crc "$MTU"
	set_cc dscp-trimmed 20 idle 600s rto-max 60s "$@"
	set_cc rto-init 60s
}

# flood TEXT PID: flows through the switch.  Packets with SYN carry no data, so PDCs are
# open before there is much.
flood()
{
	local text=$1 n seen

	switch_on
	for n in "${senders[@]}"; do
		transfer "$text: node$n has a PDC" "$n" $READER "$2" -n 1 -s 64
	done
	seen=$(counter $READER rx-trimmed)
	flows_begin "$2" 16384 "${senders[@]}"
	flows_watch $MESSAGES
	flows_end "$text"
	switch_off
	assert_eq "$text: the reader sees each trimmed packet" \
		$(($(counter $READER rx-trimmed) - seen)) "$trimmed"
}

setup_fabric --nodes 5 --rails 1 --mtu 1024 --burst 0
know_neighbours
add_switch
must tc -n "${NS[$READER]}" qdisc replace dev r0 root \
	netem limit 5000 delay $((BASE_MS - 2))ms

settle cc nscc cc-rate $((RATE / 1000)) cc-base-rtt ${BASE_MS}ms paths mixed \
	ev-count 64
timeouts=$(counters_sum rto "${senders[@]}")
resent=$(counters_sum tx-retx "${senders[@]}")
flood "nscc" 6
ue 1 ccc show | diag
when_fast assert_ge "nscc: some packets are trimmed" "$trimmed" 1
when_fast assert_le "nscc: little is trimmed" "$((10 * trimmed))" "$passed"
trims=$(ccc_sum trims "${senders[@]}")
losses=$(ccc_sum losses "${senders[@]}")
assert_le "nscc: contexts hear of no other" "$trims" "$trimmed"
assert_ge "nscc: they hear of each, or took it for lost" $((trims + losses)) "$trimmed"
assert_le "nscc: next to nothing is taken for lost" "$losses" \
	$((trimmed / 10 + WINDOWS / (MTU + 64)))
assert_eq "nscc: no time-out fires" "$(counters_sum rto "${senders[@]}")" "$timeouts"
resent=$(($(counters_sum tx-retx "${senders[@]}") - resent))
assert_ge "nscc: trimmed packets were sent again" $resent "$trimmed"
# A packet presumed lost may be found before it is sent again.
assert_le "nscc: only trimmed or lost packets were sent again" $resent $((trimmed + losses))
assert_eq "nscc: nothing is in flight in the end" \
	"$(ccc_sum inflight "${senders[@]}")" 0
flows_kill
finish_tests
