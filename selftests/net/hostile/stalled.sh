#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A message that fills the receive buffer of an endpoint and does not go on keeps the
# messages of other senders out for some time-outs, and not for the life of its PDC.
#
#	node1 (sender) ---+
#	node2 (victim) ---+== plane 0
#	node3 (attacker) -+
#
# clock: virtual; size: check; takes: 4 s; limit: 200 s

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
check "and read" finish rx
assert_eq "one message failed" "$(counter 2 msg-stalled)" 1
finish_tests
