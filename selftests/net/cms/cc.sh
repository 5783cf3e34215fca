#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Congestion control: eight senders to one reader behind a slow port that marks.
# Without it they overrun the port's queue; with it nothing is dropped, marks are
# seen, windows shrink, and flows share the port.
#
#	node1 .. node8 (senders) ===== bridge ==tbf, red ecn==- node9 (reader, 8 ms)
#
# clock: virtual; size: all; takes: 25 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/congest.sh"

# The slow port, kbit/s, half of what senders are told; its queue holds the largest
# windows of all of them, bytes.
RATE=2000
LIMIT=90000
port=p0-n9

slow_down()
{
	marking_port $port $RATE $LIMIT 10000 30000
}

# incast PID: eight at a time begin
incast()
{
	local n

	sink rx 9 "$1" -n $((8 * each))
	for n in {1..8}; do
		source_to "tx$n" "$n" 9 "$1" -n $each -k "$n" -s 65536 -H
	done
}

# are_through: all have got all their answers
are_through()
{
	local n

	for n in {1..8}; do
		[ -s "$TMP/tx$n.out" ] || return 1
	done
}

# stop_senders: which keep their contexts until then
stop_senders()
{
	local n

	for n in {1..8}; do stop "tx$n"; done
}

each=4
setup_fabric --nodes 9 --rails 1 --mtu 1024
know_neighbours
slow_down
# A round trip that is long enough for a window of some packets.
must tc -n "${NS[9]}" qdisc replace dev r0 root netem limit 5000 delay 8ms

for n in {1..9}; do must ue "$n" fep set fep0 cc none; done
incast 5
check "without control the queue is overrun" busywait 60 has_dropped $port 50
assert_eq "without control there is no context" "$(ue 1 -j ccc show)" '[]'
stop_senders
stop rx
# PDCs of those who are gone would send what they still have.
reconfigure "$FAMILY" crc "$MTU"

#-------------------------------------------------------------------- a window

slow_down
set_cc cc nscc cc-rate 4 cc-base-rtt 10ms paths mixed ev-count 64 \
	idle 600s
drops=$(port_drops $port)
incast 6
check "nscc: everything arrives whole" finish rx
check "nscc: the senders get all answers" busywait 30 are_through
ue 1 ccc show | diag
assert_eq "ccc show fep: it shows all contexts of the FEP" "$(ue 1 -j ccc show fep fep0 |
	gojq 'length')" "$(ue 1 -j ccc show | gojq length)"
assert_eq "ccc show fep: it shows no context of another FEP" "$(ue 1 -j ccc show fep f7)" '[]'
assert_eq "ccc show fa: it shows contexts of that peer only" "$(ue 1 -j ccc show fa "$(fa 9)" |
	gojq -r '.[].peer' | sort -u)" "$(fa 9)"
when_fast assert_eq "nscc: nothing is dropped" $(($(port_drops $port) - drops)) 0
when_fast assert_ge "nscc: the senders see marks" "$(ccc_sum marked {1..8})" 10
assert_ge "nscc: the senders measure round trips" "$(ccc_sum samples {1..8})" 50
when_fast assert_ge "nscc: windows were cut" "$(ccc_sum decreases {1..8})" 4
when_fast assert_ge "nscc: paths hear of marks" "$(ccc_sum ev-ecn {1..8})" 10
assert_eq "nscc: nothing is in flight in the end" "$(ccc_sum inflight {1..8})" 0
assert_eq "nscc: nothing waits in the end" "$(ccc_sum backlog {1..8})" 0
stop_senders

#------------------------------------------------------------ those who share it

# fair TEXT A B: neither has more than three times as much as the other
fair()
{
	when_fast assert_ge "$1" "$((3 * ($2 < $3 ? $2 : $3)))" "$(($2 > $3 ? $2 : $3))"
}

# both_sent N: the two have sent so much
both_sent()
{
	[ $(($(progress tx1) + $(progress tx2))) -ge "$1" ]
}

# share TEXT NODE NODE PID: two flows, when a good part of them is through
share()
{
	local a b

	sink rx 9 "$4" -n $((8 * each))
	source_to tx1 "$2" 9 "$4" -n $((4 * each)) -k 1 -s 65536 -H \
		-b 131072 -P "$TMP/tx1.sent"
	source_to tx2 "$3" 9 "$4" -n $((4 * each)) -k 2 -s 65536 -H \
		-b 131072 -P "$TMP/tx2.sent"
	wait_for "$1: both senders send" 60 both_sent $((4 * each))
	a=$(progress tx1) b=$(progress tx2)
	[ "$2" != "$3" ] ||
		assert_ge "$1: both PDCs share one context" "$(ccc "$2" pdcs)" 2
	check "$1: everything arrives whole" finish rx
	stop tx1
	stop tx2
	fair "$1: fair shares, $a and $b" "$a" "$b"
}

share "two nodes" 1 2 7
share "two endpoints of a node" 3 3 8

#---------------------------------------------------------- a window that is fixed

set_cc cc const cwnd 20000 paths single
must ue 4 job del 1
must ue 4 fep del fep0
add_fep 4 crc
must ue 4 fep set fep0 cc const cwnd 20000 paths single
sink rx 9 9 -n $each
source_to tx1 4 9 9 -n $each -s 65536 -H
check "const: everything arrives whole" finish rx
check "const: the sender gets all answers" busywait 30 test -s "$TMP/tx1.out"
assert_eq "const: the window stays" "$(ccc 4 cwnd)" 20000
assert_match "const: the algorithm is shown" "$(ue 4 ccc show)" 'const +single'
stop tx1
finish_tests
