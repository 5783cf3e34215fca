#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Credit between two nodes: together with NSCC, with only one end that deals in it, with
# loss, and with FEPs that go while it is under way.  cc_rccc.sh has an incast.
#
#	node1 ==(1 rail)== node2
#
# clock: virtual; size: all; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/congest.sh"

settings=(cc-rate 20 cc-base-rtt 5ms idle 600s)

# transfer TEXT NODE NODE: some messages; the sender stays, with its context
transfer()
{
	sink rx "$3" 5 -n 24
	source_to tx "$2" "$3" 5 -n 24 -s 8192 -H
	check "$1: everything arrives whole" finish rx
	check "$1: the messages are answered" busywait 30 test -s "$TMP/tx.out"
}

setup_fabric --rails 1 --mtu 1024
know_neighbours
for n in 1 2; do remake $n cc nscc-rccc; done
transfer "a window and credit" 1 2
context 1 2 | diag
assert_match "a window and credit: ccc show has both" "$(context 1 2)" \
	'"cc":"nscc-rccc".*"cwnd":[0-9]+.*"granted":[0-9]+,"unpaced":false'
assert_ge "a window and credit: grants were told" "$(counter 2 tx-credit)" 5
assert_ge "a window and credit: the sender hears of grants" "$(counter 1 rx-credit)" 5
stop tx

remake 1 cc rccc
remake 2 cc none
transfer "a reader that does not pace" 1 2
context 1 2 | diag
assert_match "a sender without credit asks, and then sends without" "$(context 1 2)" \
	'"unpaced":true,"credits":0,"credit-requests":1'
stop tx

told=$(counter 1 tx-credit)
remake 1 cc rccc
remake 2 cc none
transfer "a sender that does not ask" 2 1
assert_eq "the reader has no context" "$(ue 2 -j ccc show)" '[]'
assert_eq "a sender that does not ask is granted nothing" "$(counter 1 tx-credit)" "$told"
stop tx

for n in 1 2; do
	remake $n cc rccc
	must tc -n "${NS[$n]}" qdisc replace dev r0 root netem limit 5000 loss 5%
done
transfer "with loss" 1 2
context 1 2 | diag
assert_match "with loss: the sender is paced by the reader" "$(context 1 2)" '"unpaced":false'
stop tx

for n in 1 2; do must tc -n "${NS[$n]}" qdisc del dev r0 root; done
heard=$(counter 1 rx-credit)
sink rx 2 5 -n 1000
source_to tx 1 2 5 -n 1000 -s 65536 -b 131072
wait_for "the sender sends on credit" 60 counter_is 1 rx-credit -gt $((heard + 10))
# The reader's FEP goes while credit is under way, the sender's while it waits for more.
stop rx
remake 2 cc rccc
stop tx
remake 1 cc rccc
transfer "new FEPs" 1 2
assert_match "new FEPs: the sender is paced by the reader" "$(context 1 2)" '"unpaced":false'
stop tx
finish_tests
