#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A reader that stops reading: its senders stop, too, memory stays within the
# socket buffers, nothing is lost, and other readers are not held up.
#
#	node1 (senders) ==(2 rails)== node2 (stopped reader, busy reader)
#
# limit: 240 s

. "$(dirname "$0")/lib.sh"

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
check "and goes on" \
	busywait 30 deferred_again "$(counter 2 msg-deferred)"
check "the sender waits" running tx
# The kernel doubles what SO_SNDBUF and SO_RCVBUF ask for.
assert_le "no more was taken than both buffers hold" "$(progress tx)" \
	$((4 * buffer / size + 2))
assert_le "the sender made no progress since" $(($(progress tx) - before)) 2
assert_le "receive memory is bounded" "$(ep_value 2 5 rmem)" \
	"$(ep_value 2 5 rcvbuf)"

sink busy 2 6 -n 40
source_to tx2 1 2 6 -n 40 -s $size
check "another reader is served meanwhile" finish busy
check "and its sender" finish tx2
check "the first is still stopped" is_stopped slow

must kill -CONT "${PID[slow]}"
check "reading on, all messages come, whole and once" finish slow
check "and the sender gets its answers" finish tx
assert_eq "none failed" "$(counter 1 msg-failed) $(counter 1 pdc-failed)" "0 0"

# Longer than the receive buffer: read in pieces while it arrives.
sink slow 2 5 -n 2 -b $buffer
must kill -STOP "${PID[slow]}"
must busywait 30 is_stopped slow
source_to tx 1 2 5 -n 2 -s $((16 * buffer)) -b $buffer
check "a message longer than the buffer waits" \
	busywait 30 \
	counter_is 1 held -ge 1
# What a message costs beside its bytes comes on top.
assert_le "in bounded memory" "$(ep_value 2 5 rmem)" \
	$(($(ep_value 2 5 rcvbuf) + 8192))
must kill -CONT "${PID[slow]}"
check "and arrives whole" finish slow
check "as its sender learns" finish tx

# Of two small messages that come when the buffer is full, one waits its turn.
# The other is what its PDC must have before it can finish the one in the buffer.
sink slow 2 5 -n 3 -b $buffer
must kill -STOP "${PID[slow]}"
must busywait 30 is_stopped slow
deferred=$(counter 2 msg-deferred)
received=$(counter 2 msg-received)
must on 1 hostile -c -p 5 overtaken "$(fa 2)"
check "a message that a later one overtook gets past a full buffer" \
	busywait 30 counter_is 2 msg-received -eq $((received + 1))
assert_eq "only that" "$(counter 2 msg-deferred)" $((deferred + 1))
finish_tests
