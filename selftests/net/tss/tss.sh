#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A secure domain between two nodes: files over lossy rails, sealed, as somebody
# else opens them with the key; what was heard is sent again, damaged, cut or in
# clear, and all of it is refused and counted; keys change under way; and a
# wrong key is no key.  UET_SEED repeats a run.
#
#	node1 r0 ----- r0 node2
#
# clock: virtual; size: check; takes: 9 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}
note "seed $seed (UET_SEED=$seed)"

# refusals: what cannot be is said
refusals()
{
	local sd=(sd add t sdi 1)

	cp "$TMP/one" "$TMP/open" && chmod 644 "$TMP/open"
	ue_refuses 'users other than its owner' sd key s an 1 file "$TMP/open"
	echo AAAA > "$TMP/short" && chmod 600 "$TMP/short"
	ue_refuses 'no key of this length' sd key s an 1 file "$TMP/short"
	ue_refuses 'the sd has this key' sd key s an 1 file "$TMP/one"
	ue_refuses 'an is in use' sd key s an 0 file "$TMP/two"
	ue_refuses 'no key is set' sd use s an 1
	ue_refuses 'no such sd' sd use t an 1
	ue_refuses 'in use by fep fep0' sd del s
	ue_refuses 'name is taken' sd add s sdi 1
	ue_refuses 'need an ssi' "${sd[@]}" mode direct ipv6
	ue_refuses 'rekey-mask is for mode cluster' "${sd[@]}" mode direct \
		rekey-mask 255
	ue_refuses 'protect tss and sd need each other' fep add f \
		addr 10.64.0.1 rails r0 protect tss
	ue_refuses 'no such sd' fep add f addr 10.64.0.1 rails r0 sd none
}

# keys_hidden: nothing that is shown has a piece of a key in it
keys_hidden()
{
	local text key

	key=$(< "$TMP/one")
	text=$(ue 1 -j sd show; ue 1 -d sd show; ue 1 -j fep show; dmesg)
	assert_eq "no key is shown" "$(occurrences "$text" "${key:0:12}")" 0
}

# early_key: a key that was set before any peer was known is ready in its turn
early_key()
{
	local n waits

	for n in 1 2; do must ue $n sd key s an 1 file "$TMP/two"; done
	transfer "early key: its turn is later" 1 2 6 -n 4 -s 70000
	waits=$(($(drops 1 tss-key-wait) + $(drops 2 tss-key-wait)))
	for n in 2 1; do must ue $n sd use s an 1; done
	transfer "early key: it has its turn" 1 2 6 -n 4 -s 70000
	assert_eq "early key: no packet waits for it" \
		$(($(drops 1 tss-key-wait) + $(drops 2 tss-key-wait))) "$waits"
	for n in 1 2; do
		must ue $n sd use s an 0
		must ue $n sd forget s an 1
	done
}

# slow_start: packets that the target refuses need longer than New_PDC_Time to get there,
# and the packets at the PSN that it names are behind them
slow_start()
{
	impair rate 4mbit
	transfer "slow start: a message of two hundred packets" 1 2 6 -n 1 -s 300000
	impair
}

# plain_file TEXT: a file of one word, sealed; the capture stays in $TMP/r0.pcap
plain_file()
{
	cut_bursts 1
	start dump 1 tcpdump --immediate-mode -B 16384 -U -s 10000 -i r0 \
		-w "$TMP/r0.pcap" "udp port 4793 and src host $(fa 1)"
	wait_for "tcpdump listens on the netdev" 30 listening
	yes UETPLAINTEXT | head -c 400000 > "$TMP/in"
	start cat 2 uetcat -l -j 1 -p 9 -r 1 -o "$TMP/out"
	busywait 30 has_ep 2 9 || die "uetcat -l: $(cat "$TMP/cat.err")"
	check "$1: uetcat sends the file" on 1 uetcat -j 1 -p 9 -r 1 -i "$TMP/in" "$(fa 2)"
	check "$1: uetcat receives the file" finish cat
	assert_eq "$1: the file arrives whole" "$(sha256sum < "$TMP/out")" \
		"$(sha256sum < "$TMP/in")"
	wait_for "all PDCs of node 1 close" 60 nr_pdcs_are 1 -eq 0
	must kill -TERM "${PID[dump]}"
	check "$1: tcpdump ends without an error" finish dump
}

# whole: bursts are sealed and opened as such, and no packet of them is refused
whole()
{
	local before bursts runs

	before=$(reasons_in "$(stats 2)" 'tss-.*') bursts=$(counter 2 rx-bursts)
	runs=$(counter 2 rx-run-packets)
	transfer "bursts" 1 2 6 -n 4 -s 300000
	assert_ge "bursts: they arrive whole" $(($(counter 2 rx-bursts) - bursts)) 4
	assert_ge "bursts: their packets are runs" $(($(counter 2 rx-run-packets) - runs)) 100
	assert_eq "bursts: no packet of them is refused" \
		"$(reasons_in "$(stats 2)" 'tss-.*')" "$before"
}

# sealed: each frame of the capture is sealed, and another implementation opens it
sealed()
{
	local out

	out=$(tss_frames open "$TMP/r0.pcap" "$(< "$TMP/one")")
	note "$out"
	assert_ge "there are frames" "$(result "$out" frames)" 90
	assert_eq "the key opens all frames" "$(result "$out" opened)" \
		"$(result "$out" frames)"
	assert_eq "no frame is in clear" "$(result "$out" clear)" 0
	assert_eq "no plaintext is in the capture" \
		"$(grep -c UETPLAINTEXT "$TMP/r0.pcap")" 0
}

# attack HOW REASONS: the capture is sent once more by an attacker; all is refused
# for REASONS and nothing else happens
attack()
{
	local how=$1 reasons=$2 old new out sent

	old=$(stats 2)
	out=$(on 1 tss_frames "$how" "$TMP/r0.pcap" r0 "$seed" 2>&1) ||
		{ not_ok "$how: the attacker sends its packets"; note "$out"; return; }
	sent=$(result "$out" sent)
	assert_ge "$how: something is sent" "$sent" 90
	check "$how: all packets of the attacker arrive" busywait 30 counter_is 2 rx-packets \
		-ge $(($(counter_in "$old" rx-packets) + sent))
	new=$(stats 2)
	note "$how: $(reasons_in "$new" | tr '\n' ' ')"
	assert_eq "$how: each packet is refused, for the right reasons" \
		$(($(drops_in "$new" "$reasons") - $(drops_in "$old" "$reasons"))) \
		"$sent"
	assert_eq "$how: nothing is delivered" \
		"$(counter_in "$new" msg-received)" \
		"$(counter_in "$old" msg-received)"
	assert_eq "$how: no PDC is opened" "$(counter_in "$new" pdc-accepted)" \
		"$(counter_in "$old" pdc-accepted)"
	assert_eq "$how: nothing is answered" "$(counter_in "$new" tx-packets)" \
		"$(counter_in "$old" tx-packets)"
}

# rotation: keys change while messages are under way
rotation()
{
	sink rx 2 5 -n 40
	source_to tx 1 2 5 -n 40 -s 100000
	must ue 2 sd key s an 1 file "$TMP/two"
	must ue 1 sd rotate s file "$TMP/two"
	must ue 2 sd use s an 1
	check "rotation: all messages are sent" finish tx
	check "rotation: all messages are received" finish rx
	must ue 1 sd forget s an 0
	must ue 2 sd forget s an 0
	transfer "rotation: under the new key" 1 2 6 -n 4 -s 70000
	attack replay 'tss-no-key'
}

# wrong_key: a node with another key is an unknown peer
wrong_key()
{
	local old

	old=$(drops 2 tss-auth)
	genkey three
	must ue 1 sd rotate s file "$TMP/three"
	genkey four
	must ue 2 sd key s an 0 file "$TMP/four"
	on 1 ueadm ping fep0 "$(fa 2)" count 3 > "$TMP/why" 2>&1
	check "wrong key: packets are refused" busywait 30 drops_are 2 tss-auth -gt "$old" ||
		diag < "$TMP/why"
}

genkey one
genkey two
setup_fabric --rails 1 --bare
secure_node 1
secure_node 2
refusals
keys_hidden
slow_start
early_key
whole
plain_file "quiet"
sealed
attack replay tss-replay
attack flip 'tss-.*|truncated-tss.*'
# A later counter may be of a key that has to be derived first.
attack forge 'tss-auth|tss-key-wait'
attack cut 'tss-.*|truncated-tss.*'
attack clear tss-clear
impair loss 2%
plain_file "lossy"
sealed
impair
rotation
wrong_key
finish_tests
