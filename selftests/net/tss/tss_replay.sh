#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All that a member of a secure domain has sent, from the first packet of its PDCs
# to the last, is recorded and sent again: later, after a rotation, when the old key
# is gone, when the receiver was given the same key again, and when its module was
# loaded again.  Nothing is accepted by who remembers, and who does not remember
# delivers nothing and opens no PDC.  Counters that end do not begin again.
# UET_SEED repeats a run.
#
# clock: virtual; size: all; takes: 15 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/secure.sh"

seed=${UET_SEED:-$RANDOM}
note "seed $seed (UET_SEED=$seed)"

# fabric: as it was, its hardware addresses too
fabric()
{
	local n

	setup_fabric --nodes 3 --rails 1 --bare
	for n in 1 2; do
		must ip -n "${NS[$n]}" link set r0 address 02:00:00:00:00:0$n
		must ue $n rail add r0 plane 0
	done
}

# secure NODE WORD...: domain s, FEP and job; WORDs for its key
secure()
{
	local node=$1
	shift
	must ue "$node" sd add s sdi 7 epoch-age 0
	must ue "$node" sd key s an 0 file "$TMP/one" "$@"
	must ue "$node" sd use s an 0
	must ue "$node" fep add fep0 addr "$(fa "$node")" rails r0 sd s
	must ue "$node" job add 1 feps fep0
}

# record: PDCs of node 1 from SYN to CLOSE, and datagrams, which have none
record()
{
	local mode

	capture_start 1 all.pcap
	for mode in rud rod; do
		MODE=$mode transfer "recorded: $mode" 1 2 5 -n 12 \
			-s 64,20000,4096
	done
	MODE=rud
	wait_for "all PDCs of node 1 close" 60 nr_pdcs_are 1 -eq 0
	capture_stop "recorded"
	check "PDCs are gone" busywait 30 nr_pdcs_are 2 -eq 0
	capture_start 1 datagrams.pcap
	MODE=uud transfer "recorded: uud" 1 2 5 -n 5 -s 64
	capture_stop "recorded: uud"
	MODE=rud
}

# silent TEXT REASONS: of all that was recorded nothing is even answered
silent()
{
	local file

	for file in all datagrams; do
		attack "$1, $file" "$2" $file.pcap replay
		assert_eq "$1, $file: nothing is answered" \
			"$(grown tx-packets)" 0
	done
}

# knows_key BEFORE: the first packet, sent again and again until its key is there,
# is authentic
knows_key()
{
	on 3 tss_attack -f 1 replay "$TMP/all.pcap" r0 > "$TMP/why" 2>&1 &&
		compare "$(opened 2)" -gt "$1"
}

# forgetful TEXT: to a receiver that has forgotten the sender packets are authentic,
# and of no use
forgetful()
{
	check "$1: the first one is authentic" busywait 30 \
		knows_key "$(opened 2)"
	assault "$1" all.pcap replay || return
	assert_eq "$1: the other packets are authentic, too" "$taken" $((arrived - 1))
	assert_eq "$1: nothing is delivered" "$(grown msg-received)" 0
	assert_le "$1: answers are no more than packets" "$(grown tx-packets)" \
		"$arrived"
	assert_eq "$1: no PDC has begun" "$(nr_pdcs 2 ESTABLISHED)" 0
	check "$1: no PDC is left" busywait 60 nr_pdcs_are 2 -eq 0
	silent_now "$1, once more"
}

# silent_now TEXT: all is known by now
silent_now()
{
	attack "$1" tss-replay all.pcap replay
}

# rotations: the old key goes, comes, and is not what it was to the receiver
rotations()
{
	silent "later" tss-replay
	must ue 2 sd key s an 1 file "$TMP/two"
	must ue 1 sd rotate s file "$TMP/two"
	must ue 2 sd use s an 1
	transfer "under another key" 1 2 6 -n 4 -s 70000
	silent "after a rotation" tss-replay
	must ue 2 sd forget s an 0
	silent "when the key is gone" tss-no-key
	must ue 2 sd key s an 0 file "$TMP/one"
	must ue 2 sd use s an 0
	forgetful "the same key again"
}

# reloaded: the module forgets all
reloaded()
{
	teardown_fabric
	check "nothing holds the module" busywait 30 module_users_is -eq 0
	must modprobe -r uet
	must modprobe uet
	fabric
	secure 1 tsc 900000000
	secure 2 epoch 0
	forgetful "after a reload"
	transfer "after a reload: the sender speaks" 1 2 6 -n 4 -s 70000
	silent "after a reload, when it has spoken" tss-replay
}

# another_epoch: what a receiver that was away should begin
another_epoch()
{
	must ue 2 job del 1
	must ue 2 fep del fep0
	must ue 2 sd del s
	secure 2 epoch 1
	silent "in another epoch" tss-epoch
}

# spent: counters end, and another key goes on
spent()
{
	local left=60 show

	must ue 1 job del 1
	must ue 1 fep del fep0
	must ue 1 sd del s
	genkey three
	genkey four
	must ue 2 sd key s an 1 file "$TMP/three"
	must ue 2 sd use s an 1
	must ue 1 sd add s sdi 7
	must ue 1 sd key s an 1 file "$TMP/three" \
		tsc $(((1 << 48) - left))
	must ue 1 sd use s an 1
	must ue 1 fep add fep0 addr "$(fa 1)" rails r0 sd s
	must ue 1 fep set fep0 max-rto-retx 15
	must ue 1 job add 1 feps fep0
	sink rx 2 7 -n 60
	source_to tx 1 2 7 -n 60 -s 20000
	check "counters end: packets wait for a new key" busywait 30 \
		drops_are 1 tss-tx-spent -ge 1
	show=$(ue 1 -j sd show)
	assert_match "counters end: the key has no counter left" "$show" '"left":0,'
	assert_match "counters end: the key has used all its counters" \
		"$show" "\"sealed\":$left,"
	must ue 2 sd key s an 0 file "$TMP/four"
	must ue 1 sd key s an 0 file "$TMP/four"
	must ue 1 sd use s an 0
	check "counters end: another key goes on" finish tx
	check "counters end: all messages arrive whole and once" finish rx
}

genkey one
genkey two
fabric
secure 1 tsc 1000
secure 2
record
rotations
reloaded
another_epoch
spent
finish_tests
