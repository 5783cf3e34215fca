#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An attacker captures the packets of an honest transfer and sends them again: while its
# PDC is alive, when that has closed, when another one serves the same endpoints, and
# when its target has failed.  Nothing is delivered twice.  Later SYNs are left out: one
# that is older than uet_pdc_entry_time_wait() allows opens a PDC, for without security
# nothing tells it from a new one.  (Damaged copies, and what a PDC alive makes of them,
# are fuzz_packet's.)
#
#	node1 r0 ----- r0 node2
#
# clock: virtual; size: check; takes: 7 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# capture_start: begin a capture of the packets that node 1 sends
capture_start()
{
	start dump 1 tcpdump --immediate-mode -B 16384 -U -s 10000 -i r0 \
		-w "$TMP/r0.pcap" 'udp port 4793 and src host 10.0.0.1'
	wait_for "tcpdump listens on the netdev" 30 listening
}

# capture_stop MODE: end the capture; $TMP/late.pcap is the same without SYNs
capture_stop()
{
	must kill -TERM "${PID[dump]}"
	check "$1: the capture ends" finish dump
	must tcpdump -r "$TMP/r0.pcap" -w "$TMP/late.pcap" 'udp[9] & 4 = 0'
}

# again TEXT FILE: the captured packets are sent once more and deliver nothing
again()
{
	local text=$1 old new out

	old=$(stats 2)
	out=$(on 1 replay "$TMP/$2" r0 2>&1) ||
		{ not_ok "$text: the packets are sent again"; note "$out"; return; }
	assert_ge "$text: there is something to send" "$(result "$out" sent)" 4
	check "$text: each frame arrived" busywait 30 counter_is 2 rx-packets \
		-ge $(($(counter_in "$old" rx-packets) + $(result "$out" sent)))
	new=$(stats 2)
	assert_eq "$text: nothing is delivered twice" \
		"$(counter_in "$new" msg-received)" \
		"$(counter_in "$old" msg-received)"
	assert_eq "$text: no PDC is opened" "$(counter_in "$new" pdc-accepted)" \
		"$(counter_in "$old" pdc-accepted)"
	note "$text: $out $(reasons_in "$new" | tr '\n' ' ')"
}

# replays MODE
replays()
{
	local mode=$1

	MODE=$mode sink rx 2 5 -U
	capture_start
	MODE=$mode source_to tx 1 2 5 -n 12 -s 64,20000,4096 -b 20000 -H
	wait_for "$mode: the source has its answers" 60 test -s "$TMP/tx.out"
	capture_stop "$mode"
	again "$mode: the PDC is alive" r0.pcap
	check "$mode: the PDC survives the copies of its packets" nr_pdcs_are 1 -eq 1
	stop tx
	check "$mode: the PDC closes" busywait 30 nr_pdcs_are 1 -eq 0
	again "$mode: the PDC has closed" late.pcap
	MODE=$mode source_to tx 1 2 5 -n 4 -k 2 -s 64,20000 -H
	wait_for "$mode: another source has its answers" 60 \
		test -s "$TMP/tx.out"
	again "$mode: another PDC has taken over" late.pcap
	stop tx
	kill -TERM "${PID[rx]}"
	check "$mode: all messages were received whole and once" finish rx
	assert_eq "$mode: the reader gets as many messages as were sent" \
		"$(result "$(< "$TMP/rx.out")" received)" 16
	wait_for "$mode: no PDC is left" 60 nr_pdcs_are 2 -eq 0
}

# fails MODE: the target gives its PDC up while the links lose everything, and the
# initiator learns of it when it asks for something again
fails()
{
	local mode=$1 failed1 failed2

	failed1=$(counter 1 pdc-failed) failed2=$(counter 2 pdc-failed)
	MODE=$mode sink rx 2 5 -U
	capture_start
	MODE=$mode source_to tx 1 2 5 -n 4 -s 64,20000 -H
	wait_for "$mode: a source has its answers" 60 test -s "$TMP/tx.out"
	capture_stop "$mode"
	impair loss 100%
	check "$mode: the target gives up" busywait 60 \
		counter_is 2 pdc-failed -eq $((failed2 + 1))
	impair delay 0ms
	again "$mode: the PDC has failed" r0.pcap
	stop tx
	check "$mode: the peer that still has it is told" busywait 60 \
		counter_is 1 pdc-failed -eq $((failed1 + 1))
	kill -TERM "${PID[rx]}"
	check "$mode: all messages were received whole and once" finish rx
	assert_eq "$mode: the reader gets as many messages as were sent" \
		"$(result "$(< "$TMP/rx.out")" received)" 4
}

setup_fabric --rails 1 --burst 0
for mode in rud rod; do replays $mode; done
# A PDC that nobody answers fails soon, and stays for as long as time-outs may be.
must ue 2 fep set fep0 target-idle 15s close-req 200ms rto-max 60s
fails rud
transfer "afterwards all is well" 1 2 6 -n 4 -s 70000
finish_tests
