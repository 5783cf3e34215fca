#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sixteen senders, each a FEP with a context of its own, to one reader behind a slow
# port that marks.  NSCC keeps the queue short and shares the port.  While all send,
#
#  - nothing is dropped and nothing taken for lost, though without control the same
#    senders overrun the port,
#  - the queue never holds more than half of what their largest windows hold,
#  - Jain's index of what they have sent is at least 85 %, and none has sent less than
#    half of the mean.
#
#	node1: fep1 .. fep8 \
#	                     ==== bridge ==tbf, red ecn==- node3 (reader, 8 ms)
#	node2: fep1 .. fep8 /
#
# clock: virtual; size: all; takes: 12 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/congest.sh"

READER=3
FEPS=8
SENDERS=$((2 * FEPS))
senders=({1,2}:{1..8})

# The slow port, kbit/s; the largest windows, 1.5 times what it carries in a base
# round trip, bytes; its queue holds them all.
RATE=8000
BASE_MS=10
WINDOWS=$((SENDERS * 3 * RATE * BASE_MS / 16))
LIMIT=$((WINDOWS + WINDOWS / 8))
port=p0-n$READER

slow_down()
{
	marking_port $port $RATE $LIMIT 8000 40000
}

# feps WORDS...: of the senders and the reader
feps()
{
	local n

	for n in 1 2; do add_feps $n $FEPS "$@"; done
	must ue $READER fep set fep0 "$@"
}

setup_fabric --nodes 3 --rails 1 --mtu 1024
know_neighbours
slow_down
must tc -n "${NS[$READER]}" qdisc replace dev r0 root \
	netem limit 5000 delay $((BASE_MS - 2))ms

feps cc none rto-init 500ms rto-max 2s idle 600s
flows_begin 5 65536 "${senders[@]}"
check "without control the queue is overrun" busywait 60 has_dropped $port 50
flows_kill

# The first time-outs are not measured ones: if they are shorter than what the queue of
# all first windows takes, what waits there is taken for lost.
slow_down
feps cc nscc cc-rate $((RATE / 1000)) cc-base-rtt ${BASE_MS}ms paths mixed \
	ev-count 64 rto-init 5s rto-max 10s idle 600s
drops=$(port_drops "$port") timeouts=$(counters_sum rto 1 2)
flows_begin 6 8192 "${senders[@]}"
longest=0
flows_watch $((SENDERS * 24)) see_queue $port
note "longest queue $longest of $LIMIT bytes, largest windows $WINDOWS;" \
	"messages sent: ${sent[*]}"
when_fast assert_ge "the queue is used" "$longest" 1000
when_fast assert_le "the longest queue is half of all windows at most" \
	"$longest" $((WINDOWS / 2))
when_fast assert_ge "fair shares, Jain's index" "$(jain "${sent[@]}")" 85
when_fast assert_ge "the last sender has its share" "$(least "${sent[@]}")" 12
flows_end "nscc"
when_fast assert_eq "nothing is dropped" $(($(port_drops "$port") - drops)) 0
assert_eq "there is a context for each" \
	"$(occurrences "$(ue 1 -j ccc show)$(ue 2 -j ccc show)" '"cwnd"')" $SENDERS
when_fast assert_ge "windows are cut" "$(ccc_sum decreases 1 2)" $SENDERS
# On a busy machine packets overtake each other between its CPUs.
when_fast assert_le "hardly anything is taken for lost" "$(ccc_sum losses 1 2)" $SENDERS
when_fast assert_eq "nothing is taken for lost too late" "$(counters_sum rto 1 2)" "$timeouts"
assert_eq "in the end nothing is in flight" "$(ccc_sum inflight 1 2)" 0
assert_eq "in the end nothing waits" "$(ccc_sum backlog 1 2)" 0
finish_tests
