#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames heard on a rail, damaged and sent again while traffic flows; the details
# are in fuzz_packet.c.  All that are still UDP reach the victim and are counted.
# As long as their CRC is wrong they do no harm at all; with a right one they may
# end what node1 and node2 have with each other, for nothing is secret there, but
# not what node2 has with node3.  Configuration and memory stay in their limits,
# afterwards no PDC is left and a transfer works.  UET_SEED repeats a run (but not
# what is heard), UET_FUZZ_N is the number of frames (10000; 0: until killed).
#
#	node1 (damaged, both ways) ---+
#	node2 (victim) ---------------+== planes 0, 1
#	node3 (reads from node2) -----+
#
# clock: virtual; size: all; takes: 40 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

export UET_SEED=${UET_SEED:-$RANDOM}
frames=${UET_FUZZ_N:-10000}

# other_traffic: node2 sends to node3, which is to stay whole
begin_other()
{
	sink other_rx 3 5 -E
	source_to other_tx 2 3 5 -E -n 1000000 -s 64,70000,4096 -g 10 \
		-P "$TMP/other_tx.sent"
	wait_for "other traffic flows" 30 progress_is other_tx -ge 3
}

# end_other TEXT PROGRESS: it went on since there were PROGRESS messages
end_other()
{
	check "$1: other traffic goes on" \
		busywait 30 progress_is other_tx -gt "$2"
	kill -TERM "${PID[other_tx]}"
	check "$1: its messages were all answered" finish other_tx
	check "$1: they arrived whole and once" finish other_rx
}

# fuzz TEXT FRAMES ARGS...: damage that many frames of node1; $wrong is how many
# of those that arrived had a wrong CRC
fuzz()
{
	local text=$1 ce out clean before progress
	before=$(configuration 1; configuration 2)
	ce=$(counter 2 rx-ce)
	progress=$(progress other_tx)
	check "$text: frames are sent" on 1 env UET_FUZZ_N="$2" fuzz_packet \
		-k "$(fa 3)" "${@:3}" r0
	out=$(< "$TMP/check")
	note "${out##*$'\n'}"
	clean=$(result "$out" clean) wrong=$(result "$out" wrong)
	# The last ones may still be in a queue of the network stack.
	check "$text: each frame arrived" busywait 30 \
		counter_is 2 rx-ce -ge $((ce + clean)) ||
		note "$(counter 2 rx-ce) of $((ce + clean))"
	assert_le "$text: no frame arrived twice" "$(counter 2 rx-ce)" \
		$((ce + clean + $(result "$out" dirty)))
	assert_eq "$text: the configuration is as before" \
		"$(configuration 1; configuration 2)" "$before"
	end_other "$text" "$progress"
}

# harmless TEXT FRAMES: damage without a right CRC leaves all traffic whole.  Packets of
# a closed endpoint of forged() may still come, so these are others.
harmless()
{
	local n dropped
	begin_other
	for n in 1 2; do
		sink rx$n $((3 - n)) 8 -E
		source_to tx$n $n $((3 - n)) 8 -E -n 1000000 \
			-s 64,70000,4096,9000 -P "$TMP/tx$n.sent"
	done
	# A packet that looks secure is dropped before its CRC is checked.
	dropped=$(drops 2 'crc|tss-unsupported')
	fuzz "$1" "$2"
	assert_ge "$1: they were dropped for that" \
		$(($(drops 2 'crc|tss-unsupported') - dropped)) "$wrong"
	for n in 1 2; do
		kill -TERM "${PID[tx$n]}"
		check "$1: node$n: messages were all answered" finish tx$n
		check "$1: they arrived whole and once" finish rx$n ||
			diag < "$TMP/rx$n.out"
	done
}

# forged TEXT FRAMES ARGS...: damage that gets past the CRC
forged()
{
	local n
	begin_other
	for n in 1 2; do
		start talk$n $n fuzz_packet talk "$(fa $n)" 6 "$(fa $((3 - n)))" 6
		busywait 30 has_ep $n 6 || die "talk does not bind"
	done
	fuzz "$@"
	for n in 1 2; do
		check "$1: node$n still talks" running talk$n
		stop talk$n
	done
}

note "seed $UET_SEED"
deep_backlog
setup_fabric --nodes 3 --mtu 4096
if [ "$frames" -eq 0 ]; then
	forged "endless" 0 -c
	finish_tests
fi

slab=$(slab_mb)
harmless "IPv4, wrong CRCs" $((frames / 5))
forged "IPv4, right CRCs" $((frames * 2 / 5)) -c
reconfigure 4 none 4096
forged "without CRC" $((frames / 10))
reconfigure 6 crc 4096
forged "IPv6, right CRCs" $((frames / 5)) -c
harmless "IPv6, wrong CRCs" $((frames / 10))

# The limit of the module is a sixteenth of the memory.
assert_le "memory stays in its limit" $(($(slab_mb) - slab)) \
	$(($(ram_mb) / 16 + 64))
transfer "afterwards all is well" 1 2 7 -n 4 -s 70000
# A target waits for 90 s for an initiator that never was.
for n in 1 2 3; do
	check "node$n: no PDC is left" busywait 150 nr_pdcs_are $n -eq 0 ||
		ue $n pdc show | diag
done
finish_tests
