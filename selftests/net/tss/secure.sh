#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shared parts of the tests that attack secure domains: nodes in a domain, a capture of
# what a node sends, packets held back on their way, and the facts about an attack.  They
# source it after lib.sh.  The attacker is node 3, who has the cable of the fabric and
# no key; the victim is $victim.
#
#	node1 (member) ----+
#	node2 (member) ----+== plane 0
#	node3 (attacker) --+

deep_backlog
victim=2
# none, or any: while there are good packets for the victim, too.
accepted=none
# The drop reasons of a receiver for packets that are not as they were sealed.
refusals='tss-.*|truncated-tss.*|truncated-entropy|not-tss'

# key NAME: as text, for who attacks with it
key()
{
	cat "$TMP/$1"
}

# opened NODE: packets that it has opened, under all keys that it has
opened()
{
	local rest sum=0

	rest=$(ue "$1" -j sd show)
	while [[ $rest =~ \"opened\":([0-9]+)(.*) ]]; do
		sum=$((sum + BASH_REMATCH[1]))
		rest=${BASH_REMATCH[2]}
	done
	echo $sum
}

# capture_start NODE FILE: begin a capture of what the node sends, sealed
capture_start()
{
	cut_bursts "$1"
	start dump "$1" tcpdump --immediate-mode -B 16384 -U -s 10000 -i r0 \
		-w "$TMP/$2" \
		"src host $(fa "$1") and (udp port 4793 or proto 253)"
	wait_for "tcpdump listens on the netdev" 30 listening
}

# capture_stop TEXT: end the capture
capture_stop()
{
	must kill -TERM "${PID[dump]}"
	check "$1: the capture ends" finish dump
}

# is_long FILE BYTES
is_long()
{
	[ "$(stat -c %s "$TMP/$1")" -ge "$2" ]
}

# hold NODE, let_go NODE: what it sends is lost in the switch
hold()
{
	must ip -n "${NS[fabric]}" link set "p0-n$1" nomaster
}

let_go()
{
	must ip -n "${NS[fabric]}" link set "p0-n$1" master plane0
}

# assault TEXT FILE ARGS...: frames of the capture are sent by the attacker, and
# arrive; leaves $old, $new: counters before and after, $arrived, $taken
assault()
{
	local text=$1 file=$2 out
	shift 2
	old=$(stats $victim) taken=$(opened $victim)
	arrived=0
	out=$(on 3 tss_attack -s "${seed:-1}" "$@" "$TMP/$file" r0 2>&1) ||
		{ not_ok "$text: the attacker sends its packets"; note "$out"; return 1; }
	arrived=$(result "$out" sent)
	assert_ge "$text: something is sent" "$arrived" 1
	check "$text: all packets of the attacker arrive" busywait 30 counter_is $victim \
		rx-packets -ge $(($(counter_in "$old" rx-packets) + arrived))
	new=$(stats $victim)
	taken=$(($(opened $victim) - taken))
	note "$text: sent=$arrived accepted=$taken" \
		"$(reasons_in "$new" "$refusals" | tr '\n' ' ')"
}

# grown NAME: by how much a counter has
grown()
{
	echo $(($(counter_in "$new" "$1") - $(counter_in "$old" "$1")))
}

# refused REASONS: how many packets were, since $old
refused()
{
	echo $(($(drops_in "$new" "$1") - $(drops_in "$old" "$1")))
}

# all_refused REASONS: among good packets rx-packets does not say it
all_refused()
{
	new=$(stats $victim)
	compare "$(refused "$1")" -ge "$arrived"
}

# attack TEXT REASONS FILE ARGS...: all that the attacker sends is refused for
# REASONS, and changes nothing
attack()
{
	local text=$1 reasons=$2
	shift 2
	assault "$text" "$@" || return
	busywait 30 all_refused "$reasons"
	assert_eq "$text: each packet is refused, for the right reasons" \
		"$(refused "$reasons")" "$arrived"
	[ $accepted = none ] || return
	assert_eq "$text: the victim opens no packet" "$taken" 0
	assert_eq "$text: nothing is delivered" "$(grown msg-received)" 0
	assert_eq "$text: no PDC is opened" "$(grown pdc-accepted)" 0
}

# pdc_words NODE...: the PDCs of nodes, for tss_attack
pdc_words()
{
	local n

	for n; do ue "$n" -j pdc show; done |
		grep -o '"pdcid":[0-9]*' | head -n 16 | sed 's/.*:/-i /'
}
