#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RCCC, or with CC another algorithm that has it: eight senders to one reader behind a slow
# port, which hands out credit at a pace that this port can keep.  While all send,
#
#  - nothing is dropped, though without control the same senders overrun the port,
#  - the queue never holds more than the first windows of all, which go unasked, with
#    the packet that each may overdraw, and two turns of the reader, and half of
#    that when those are through,
#  - Jain's index of what they have sent is at least 85 %, and none has sent less than
#    half of the mean.
#
#	node1 .. node8 (senders) ===== bridge ==tbf== node9 (reader, 8 ms)
#
# clock: virtual; size: check; takes: 10 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/congest.sh"

READER=9

# The slow port, kbit/s, and what is made of it, Mb/s: an emulated port is not always
# as fast as it should be.  A first window, 1.5 times what goes in a base round trip,
# bytes; a full packet; a turn is four of them.
RATE=4000
PACE=3
BASE_MS=10
WINDOW=$((3 * PACE * 1000 * BASE_MS / 16))
PACKET=1160
MOST=$((8 * (WINDOW + PACKET) + 2 * 4 * PACKET))
port=p0-n$READER
senders=({1..8})
settings=(cc-rate "$PACE" cc-base-rtt "${BASE_MS}ms" idle 600s
	rto-init 500ms rto-max 2s)

remake_all()
{
	local n

	for n in {1..9}; do remake "$n" "$@"; done
}

# incast CC: eight senders, from nothing, and then in the long run
incast()
{
	local cc=$1 drops heard told

	# PDCs of those who are gone would send what they still have.
	remake_all cc "$cc"
	drops=$(port_drops $port) heard=$(counters_sum rx-credit "${senders[@]}")
	told=$(counter $READER tx-credit) longest=0
	flows_begin 6 8192 "${senders[@]}"
	flows_watch 32 see_queue $port
	note "$cc: longest queue $longest of $MOST bytes"
	assert_le "$cc: the queue of all first windows is bounded" "$longest" $MOST
	longest=0
	flows_watch 128 see_queue $port
	note "$cc: longest queue then $longest bytes; sent: ${sent[*]}"
	assert_eq "$cc: nothing is dropped" $(($(port_drops $port) - drops)) 0
	assert_le "$cc: in the long run the queue has no windows" "$longest" \
		$((MOST / 2))
	assert_ge "$cc: fair shares, Jain's index" "$(jain "${sent[@]}")" 85
	assert_ge "$cc: the last sender has its share" "$(least "${sent[@]}")" 8
	context 1 $READER | diag
	assert_match "$cc: the senders are paced by the reader" "$(context 1 $READER)" \
		"\"cc\":\"$cc\".*\"unpaced\":false"
	assert_ge "$cc: grants tell something new" \
		"$(ccc_sum credits "${senders[@]}")" 40
	flows_end "$cc"
	heard=$(($(counters_sum rx-credit "${senders[@]}") - heard))
	assert_ge "$cc: the senders hear of credit" "$heard" 40
	assert_ge "$cc: the reader reports it" \
		$(($(counter $READER tx-credit) - told)) "$heard"
	flows_kill
}

setup_fabric --nodes 9 --rails 1 --mtu 1024
know_neighbours
must tc -n "${NS[fabric]}" qdisc replace dev $port root \
	tbf rate ${RATE}kbit burst 3000 limit $((2 * MOST))
must tc -n "${NS[$READER]}" qdisc replace dev r0 root \
	netem limit 5000 delay $((BASE_MS - 2))ms

flows_begin 5 65536 "${senders[@]}"
check "without control the queue is overrun" busywait 60 has_dropped $port 20
flows_kill
incast "${CC:-rccc}"
finish_tests
