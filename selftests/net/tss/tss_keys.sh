#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A flood of forged sources makes more keys than a domain keeps.  The peer that has sent
# authentic packets keeps its key: its next packets wait for no key.  A probe counts the
# keys that are made.
#
#	node1 (member) === plane 0 === node2 (member), node3 (forges)
#
# clock: virtual; size: all; takes: 20 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/secure.sh"

TRACING=/sys/kernel/tracing
if [ ! -e "$TRACING/kprobe_events" ]; then
	skip "keys are counted" "the kernel has no kprobes"
	finish_tests
fi
accepted=any
# Keys that a domain keeps, UET_SD_KEYS_MAX.
keys=4096

# nr_made: keys that were made
nr_made()
{
	awk '$1 == "made" { print $2 }' "$TRACING/kprobe_profile"
}

genkey one
setup_fabric --nodes 3 --rails 1 --bare
secure_node 1
secure_node 2
echo "p:uetkeys/made uet:uet_sd_key_make" > "$TRACING/kprobe_events"
echo 1 > "$TRACING/events/uetkeys/enable"
capture_start 1 held.pcap
transfer "before the flood" 1 2 5 -n 20 -s 700
capture_stop "captured"
wait_for "all PDCs of node 1 close" 60 nr_pdcs_are 1 -eq 0
wait_for "PDCs are gone" 60 nr_pdcs_are 2 -eq 0

begin=$(nr_made)
for ((i = 0; i < 10 && $(nr_made) - begin <= keys; i++)); do
	# Other sources each time.
	seed=$i
	assault "flood" held.pcap -f 1 -n 2000 unknown-peers
done
note "$(($(nr_made) - begin)) keys were made in $i floods"
assert_ge "more keys were made than are kept" $(($(nr_made) - begin)) $((keys + 1))
waited=$(drops 2 tss-key-wait)
transfer "after the flood" 1 2 6 -n 20 -s 700
assert_eq "no packet of the member waits for a key" \
	"$(drops 2 tss-key-wait)" "$waited"
echo 0 > "$TRACING/events/uetkeys/enable"
echo > "$TRACING/kprobe_events"
finish_tests
