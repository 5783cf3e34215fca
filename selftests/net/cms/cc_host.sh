#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Congestion control and the hosts at its ends: a reader that is slow slows its sender
# down and gives it its window back, windows follow the rails that there are, and
# no more than half a window waits in the host's own queues.
#
# clock: virtual; size: check; takes: 12 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# This test sets its congestion control itself.
unset UET_CC

# ccc KEY: of the context that node 1 has with node 2
ccc()
{
	ccc_value 1 2 "$1"
}

# ccc_is KEY OP VALUE
ccc_is()
{
	compare "$(ccc "$1")" "$2" "$3"
}

# set_cc WORDS...: at both nodes, for PDCs that do not exist yet
set_cc()
{
	must ue 1 fep set fep0 cc nscc idle 600s "$@"
	must ue 2 fep set fep0 cc nscc idle 600s "$@"
}

# busy NAME PID MESSAGES: to a reader that has them all; the context stays until stop
busy()
{
	sink rx 2 "$2" -n "$3"
	source_to "$1" 1 2 "$2" -n "$3" -s $size -H
}

setup_fabric
for n in 1 2; do must ue $n fep set fep0 cc none; done
# A round trip that is long enough for a window of some packets.
for rail in r0 r1; do
	must tc -n "${NS[2]}" qdisc replace dev $rail root netem limit 5000 		delay 8ms
done

#---------------------------------------------------------------- a slow reader

size=65536
buffer=262144
sink slow 2 5 -n 60 -b $buffer
source_to tx 1 2 5 -n 60 -s $size -b $buffer -g 20
check "without control it all comes" finish slow
stop tx
assert_eq "without control nobody is asked for less" "$(counter 2 tx-pend)" 0

reconfigure 4 crc 4096
set_cc cc-rate 400 cc-base-rtt 10ms
sink slow 2 5 -n 120 -b $buffer
must kill -STOP "${PID[slow]}"
must busywait 30 is_stopped slow
source_to tx 1 2 5 -n 120 -s $size -b $buffer -g 20
check "the sender of a reader that stands still is asked for less" \
	busywait 30 counter_is 2 tx-pend -ge 1
check "messages are refused when nothing more fits" busywait 30 counter_is 2 msg-deferred -ge 1
ue 1 ccc show | diag
assert_ge "the sender has heard that it is to send less" "$(ccc pends)" 1
assert_ge "the sender has heard lately that it is to send less" "$(ccc pend)" 1
low=$(ccc cwnd)
assert_le "the window of the sender is far from the largest" "$low" $(($(ccc max-cwnd) / 4))

must kill -CONT "${PID[slow]}"
check "when the reader goes on nobody is asked any more" \
	busywait 30 ccc_is pend -eq 0
check "the window of the sender is back" busywait 30 ccc_is cwnd -ge $((2 * low))
check "everything arrives whole" finish slow
stop tx

#------------------------------------------------------------ rails come and go

reconfigure 4 crc 4096
set_cc cc-rate 0 cc-base-rtt 1ms
busy tx 5 8
check "on two rails everything arrives" finish rx
# A veth has no speed: what is assumed, Mb/s.
assert_eq "the rate is that of both" "$(ccc rate)" 200000
most=$(ccc max-cwnd)
must ip -n "${NS[1]}" link set r1 down
check "the rate is that of one rail when the other is down" \
	busywait 30 ccc_is rate -eq 100000
# Two bursts are part of it, with one rail as with two.
assert_le "the largest window is halved" "$(ccc max-cwnd)" \
	$((most / 2 + 65000 + 1))
assert_le "the window is within it" "$(ccc cwnd)" "$(ccc max-cwnd)"
busy tx2 6 8
check "messages go on" finish rx
must ip -n "${NS[1]}" link set r1 up
check "the rate is that of both rails again" busywait 30 ccc_is rate -eq 200000
must ue 1 fep set fep0 cc-rate 5000
assert_eq "later settings change no context" "$(ccc rate)" 200000
stop tx
stop tx2

#------------------------------------------------------------- the host's queues

reconfigure 4 crc 4096
# A window that does not mind delay, and half of 40 Mb/s and 10 ms.
must ue 1 fep set fep0 cc const cwnd 60000 cc-rate 40 cc-base-rtt 10ms
limit=$((50000 / 2))
# One rail: packets of two queues overtake each other, and are sent again needlessly.
must ip -n "${NS[1]}" link set r1 down
must tc -n "${NS[1]}" qdisc replace dev r0 root tbf rate 4mbit burst 10000 limit 1000000

# backlog: bytes in the queue
backlog()
{
	[[ $(tc -n "${NS[1]}" -s -j qdisc show dev r0) =~ \"backlog\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-0}"
}

busy tx 5 40
most=0
while running rx; do
	now=$(backlog)
	[ "$now" -le "$most" ] || most=$now
	pause 100
done
check "through a slow queue of the sender's own everything arrives" finish rx
ue 1 ccc show | diag
note "at most $most bytes were seen in the queue"
assert_ge "the queue was seen in use" "$most" 4096
assert_le "never with more than may be there" "$most" $((limit + 4096))
assert_ge "the context was held" "$(ccc throttled)" 1
assert_ge "throttled packets are counted" "$(counter 1 tx-throttled)" 1
check "nothing is there in the end" busywait 30 ccc_is queued -eq 0
stop tx
finish_tests
