#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A reader that stops reading: its senders stop, too, memory stays within the
# socket buffers, nothing is lost, and other readers are not held up.
#
#	node1 (senders) ==(2 rails)== node2 (stopped reader, busy reader)
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

count=$((200 / SCALE + 20))
size=65536
buffer=262144

deferred_again()
{
	counter_is 2 msg-deferred -gt "$1"
}

setup_fabric
sink slow 2 5 -n $count -b $buffer
must kill -STOP "${PID[slow]}"
must busywait 30 is_stopped slow
source_to tx 1 2 5 -n $count -s $size -b $buffer -P "$TMP/tx.sent"

check "the receiver pushes back" \
	busywait 30 counter_is 2 msg-deferred -ge 3
before=$(progress tx)
check "the receiver goes on pushing back" \
	busywait 30 deferred_again "$(counter 2 msg-deferred)"
check "the sender waits" running tx
# The longer it takes, the less it is asked: a pause is up to an eighth of the time.
pause 20000
before=$(counter 2 msg-deferred)
pause 10000
assert_le "after 20 s a packet comes every two seconds or so" \
	$(($(counter 2 msg-deferred) - before)) 8
before=$(progress tx)
pause 1000
# The kernel doubles what SO_SNDBUF and SO_RCVBUF ask for.
assert_le "no more was taken than both buffers hold" "$(progress tx)" \
	$((4 * buffer / size + 2))
assert_le "the sender made no progress since" $(($(progress tx) - before)) 2
assert_le "receive memory is bounded" "$(ep_value 2 5 rmem)" \
	"$(ep_value 2 5 rcvbuf)"

sink busy 2 6 -n 40
source_to tx2 1 2 6 -n 40 -s $size
check "another reader is served meanwhile" finish busy
check "the sender to another reader ends well meanwhile" finish tx2
check "the first is still stopped" is_stopped slow

must kill -CONT "${PID[slow]}"
check "reading on, all messages come, whole and once" finish slow
check "the sender to a reader that goes on gets its answers" finish tx
assert_eq "no message and no PDC has failed" \
	"$(counter 1 msg-failed) $(counter 1 pdc-failed)" "0 0"

# Longer than the receive buffer: read in pieces while it arrives.
sink slow 2 5 -n 2 -b $buffer
must kill -STOP "${PID[slow]}"
must busywait 30 is_stopped slow
source_to tx 1 2 5 -n 2 -s $((16 * buffer)) -b $buffer
check "a message longer than the buffer waits" \
	busywait 30 \
	counter_is 1 held -ge 1
space=$(ep_value 2 5 rcvbuf)
# The overhead of a message comes on top of its bytes.
assert_le "a message longer than the buffer waits in bounded memory" \
	"$(ep_value 2 5 rmem)" $((space + 8192))
must kill -CONT "${PID[slow]}"
check "a message longer than the buffer arrives whole" finish slow
check "the sender of a message longer than the buffer gets its answer" finish tx

# overtaken TEXT LENGTH RECEIVED DEFERRED: a long message comes first and a short
# one of another PDC next; then a short one that the long one overtook
overtaken()
{
	local received deferred

	sink slow 2 5 -n 3 -b $buffer
	must kill -STOP "${PID[slow]}"
	must busywait 30 is_stopped slow
	received=$(counter 2 msg-received) deferred=$(counter 2 msg-deferred)
	# Other PDCs each time.
	must on 1 hostile -S "$2" -c -p 5 -l "$2" overtaken "$(fa 2)"
	check "$1" busywait 30 counter_is 2 msg-received -eq $((received + $3))
	assert_eq "$1: $4 messages are deferred" "$(counter 2 msg-deferred)" $((deferred + $4))
	stop slow
	wait_for "the endpoint is gone" 30 nr_eps_are 2 -eq 0
}

# The PDC cannot finish the message in the buffer without what comes before it.
overtaken "a message that a later one overtook gets past a full buffer" \
	"$space" 1 1
# A reader waits for the end of the message, which must not depend on other messages.
overtaken "a message is not streamed before all that precedes it is there" \
	$((space + 1)) 2 1
finish_tests
