#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets no honest peer sends change nothing but counters: a transfer that
# runs meanwhile goes on and ends well, the configuration stays, memory stays
# within limits, the kernel does not complain.  The attacker is a node of the
# fabric, and sometimes pretends to be the sender's.  UET_SEED repeats a run.
#
#	node1 (sender) ---+
#	node2 (victim) ---+== planes 0, 1
#	node3 (attacker) -+
#
# clock: virtual; size: check; takes: 20 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}
many=$((20000 / SCALE + 1000))

# The attacks aim at an endpoint that is bound and never read, while messages
# flow to another one.
begin()
{
	sink victim 2 7 -n 1000000 -b 65536
	must kill -STOP "${PID[victim]}"
	sink rx 2 5 -E
	# Not so much that it takes the time of who is tested.
	source_to tx 1 2 5 -E -n 1000000 -s 64,70000,4096 -g 10 \
		-P "$TMP/tx.sent"
	wait_for "traffic flows between the nodes" 30 progress_is tx -ge 3
	before=$(configuration 1; configuration 2)
}

# end TEXT: judge what the attacks since begin have done
end()
{
	local rmem

	kill -TERM "${PID[tx]}"
	check "$1: the sender's messages were all answered" finish tx
	check "$1: they arrived whole and once" finish rx
	assert_eq "$1: the configuration is as before" \
		"$(configuration 1; configuration 2)" "$before"
	rmem=$(ep_value 2 7 rmem)
	# Once the buffer, and once for messages that later ones depend on.
	assert_le "$1: the victim's memory stays in its limit" "$rmem" \
		$((2 * ($(ep_value 2 7 rcvbuf) + 8192)))
	stop victim
}

# attack TEXT REASONS ARGS...: every packet arrives; with REASONS, a regex, some
# are dropped for these; the traffic goes on
attack()
{
	local text=$1 reasons=$2 old new out progress
	shift 2
	old=$(stats 2)
	out=$(on 3 hostile -S "$seed" "$@" "$(fa 2)" 2>&1) ||
		{ not_ok "$text: the attacker sends its packets"; note "$out"; return; }
	new=$(stats 2)
	progress=$(progress tx)
	assert_ge "$text: every packet was looked at" \
		$(($(counter_in "$new" rx-packets) -
		   $(counter_in "$old" rx-packets))) "$(result "$out" sent)"
	[ -z "$reasons" ] || assert_ge "$text: some packets are dropped as $reasons" \
		$(($(drops_in "$new" "$reasons") -
		   $(drops_in "$old" "$reasons"))) 1
	check "$text: traffic goes on" busywait 30 progress_is tx -gt "$progress"
}

# pdcs_with NODE PEER: the PDCs of node 2 that belong to it, for hostile
pdcs_with()
{
	ue "$1" -j pdc show | tr '{' '\n' | grep -F "\"$2\"" |
		grep -o '"pdcid":[0-9]*' | head -n 16 | sed 's/.*:/-i /'
}

# all_attacks ARGS...: the ARGS make packets that get past the CRC check
all_attacks()
{
	# First, while the victim still has space for the messages behind the gaps.
	attack "messages that fill gaps" '' "$@" -p 7 -n $((many / 10)) \
		-l "$(ep_value 2 7 rcvbuf)" overbook
	attack "packets cut short" 'truncated-.*' "$@" cut
	attack "any prologue" 'bad-type' "$@" -n $((many / 4)) prologue
	attack "any prologue, spoofed" 'bad-type' -a "$(fa 1)" "$@" -n $((many / 4)) \
		prologue
	attack "contradictory requests" 'ses-.*' "$@" -p 7 ses
	attack "overlapping segments" 'ses-.*' "$@" -p 7 overlap
	attack "memory nobody has" 'ses-.*' "$@" -p 7 -n $((many / 10)) rma
	attack "short headers" 'ses-.*' "$@" -p 7 -n $((many / 10)) short
	attack "restarts nobody asked for" 'ses-bad-token' "$@" -p 7 \
		-n $((many / 10)) restart
	attack "messages to be read from anywhere" \
		'ses-rendezvous-.*|ses-bad-range' "$@" -p 7 -n $((many / 10)) \
		rendezvous
	attack "messages without an end" '' "$@" -p 7 -n $((many / 10)) \
		-l $(((1 << 32) - 1)) huge
	attack "PSNs anywhere" 'out-of-window|far-below-window|bad-syn' "$@" \
		-p 7 -n $((many / 10)) window
	# shellcheck disable=SC2046 # words on purpose
	attack "answers for others' PDCs" 'pdcid-mismatch' "$@" \
		-n $((many / 100)) $(pdcs_with 2 "$(fa 1)") stray
	attack "PDCs for nothing" '' "$@" -p 99 -n $((many / 5)) syn
}

# rudi_answered OLD2 OLD3 COUNT: of so many RUDI requests of node 3, so many were
# answered, to which node 3 has no request, or not for fear of a flood
rudi_answered()
{
	local new2 new3
	new2=$(stats 2) new3=$(stats 3)
	[ $(($(drops_in "$new3" bad-rudi-id) - $(drops_in "$2" bad-rudi-id) +
		$(drops_in "$new2" rate-limit) -
		$(drops_in "$1" rate-limit))) -eq "$3" ]
}

# rudi ARGS: requests that need no PDC.  One opcode of 64 is a NO_OP, which is no error;
# errors of the others are counted, whether answered or not.
rudi()
{
	local old2 old3 count=640
	# Few answers are kept while they wait for a hardware address.
	must ue 2 ping fep0 "$(fa 3)" count 16 interval 10ms
	old2=$(stats 2) old3=$(stats 3)
	attack "operations without a PDC" 'ses-bad-op' -a "$(fa 3)" "$@" \
		-n $count rudi
	check "each RUDI request is answered or limited" \
		busywait 30 rudi_answered "$old2" "$old3" $count
	assert_ge "some of the RUDI requests are answered" \
		$(($(drops 3 bad-rudi-id) - $(drops_in "$old3" bad-rudi-id))) 1
	assert_eq "no RUDI request is unsupported" \
		$(($(drops 2 unsupported) - $(drops_in "$old2" unsupported))) 0
	old2=$(stats 2)
	attack "answers to no operation" '' -a "$(fa 1)" "$@" -n 100 rudi_stray
	assert_eq "no response of these has a request" \
		$(($(drops 2 bad-rudi-id) - $(drops_in "$old2" bad-rudi-id))) 100
	assert_eq "no NACK of these has a request" \
		$(($(drops 2 bad-nack-id) - $(drops_in "$old2" bad-nack-id))) 100
}

# foreign ARGS: control packets of node 3 to PDCs of node 1, which are refused.  A NACK
# for each arrives at node 3, and it has no PDC for it.
foreign()
{
	local old2 old3 refused
	old2=$(stats 2) old3=$(stats 3)
	# shellcheck disable=SC2046 # words on purpose
	attack "requests to others' PDCs" 'pdcid-mismatch' -a "$(fa 3)" "$@" \
		-n 20 $(pdcs_with 2 "$(fa 1)") foreign
	must ue 2 ping fep0 "$(fa 3)" count 1
	refused=$(($(drops 2 pdcid-mismatch) - $(drops_in "$old2" pdcid-mismatch)))
	assert_ge "some requests to others' PDCs are refused" "$refused" 1
	assert_eq "each refused request to others' PDCs gets one NACK" \
		$(($(drops 3 no-pdc) - $(drops_in "$old3" no-pdc))) "$refused"
}

note "seed $seed"
setup_fabric --nodes 3

slab=$(slab_mb)
begin
attack "noise" 'crc' -n "$many" noise
attack "wrong CRCs" 'crc' crc
all_attacks -c
rudi -c
foreign -c
end "with CRC"
# The limit of the module is a sixteenth of the memory.
assert_le "PDCs for nothing are limited" $(($(slab_mb) - slab)) \
	$(($(ram_mb) / 16 + 64))

reconfigure 4 none 4096
begin
attack "noise" '.*' -n "$many" noise
all_attacks
end "without CRC"

reconfigure 6 crc 4096
begin
attack "packets cut short" 'truncated-.*' -c cut
attack "contradictory requests" 'ses-.*' -c -p 7 ses
end "IPv6"

transfer "afterwards all is well" 1 2 6 -n 4 -s 70000
finish_tests
