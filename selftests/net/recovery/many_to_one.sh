#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Six senders on three nodes to one reader: every message of each arrives, once
# and whole, and the reader's node keeps one PDC for each sender.
#
#	node1 (2 senders) --+
#	node2 (2 senders) --+== planes 0, 1 ==-- node4 (reader)
#	node3 (2 senders) --+
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

each=$((60 / SCALE + 4))

setup_fabric --nodes 4
sink rx 4 5 -n $((6 * each))
for n in 1 2 3; do
	for s in 1 2; do
		source_to "tx$n$s" $n 4 5 -n $each -k $n$s -s 16,4096,20000,65537 -H
	done
done

check "the reader gets all of them whole" finish rx
assert_eq "six senders have arrived" "$(result "$(cat "$TMP/rx.out")" keys)" 6
assert_eq "the reader gets as many messages as were sent" \
	"$(result "$(cat "$TMP/rx.out")" received)" $((6 * each))
for n in 1 2 3; do
	for s in 1 2; do
		wait_for "sender $n$s ends" 30 test -s "$TMP/tx$n$s.out" &&
			assert_eq "sender $n$s has all its answers" \
				"$(result "$(cat "$TMP/tx$n$s.out")" sent)" $each
	done
done
assert_eq "each sender has one PDC" "$(counter 4 pdc-accepted)" 6
assert_eq "messages are counted once" "$(counter 4 msg-received)" $((6 * each))
finish_tests
