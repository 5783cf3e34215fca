#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each packet that the module sends is decoded twice: by the codec of the core
# (wire_core.c) and by a decoder that is typed from the specification alone
# (wire_spec.py).  All fields are equal and no packet is malformed.  The packets are of each
# type and have each opcode that the module sends; NACK codes and control types that did
# not appear are listed.
#
#	node1: lo, fep1 10.0.1.1, fep2 10.0.1.2
#
#	node1 r0 --- p0-n1 trimswitch p0-n2 --- r0 node2
#	node3 (attacker) --- plane 0, which node 2 joins
#
# clock: virtual; size: all; takes: 60 s; limit: 900 s

. "$(dirname "$0")/../lib.sh"

spec=$NET_DIR/lib/wire_spec.py
seed=${UET_SEED:-7}

# capture NODE DEV FILTER: until captured
capture()
{
	start dump "$1" tcpdump --immediate-mode -B 65536 -U -s 16000 -i "$2" \
		-w "$TMP/dump.pcap" "$3"
	must busywait 30 listening
}

# compared TEXT [off]: both decoders read the capture; off: packets have no CRC
compared()
{
	local crc=${2:-on} options=()

	[ "$crc" = on ] || options=(-n)
	must wire_core "${options[@]}" "$TMP/dump.pcap"
	wire_core "${options[@]}" "$TMP/dump.pcap" | sort > "$TMP/core"
	must python3 "$spec" --crc "$crc" "$TMP/dump.pcap" "$TMP/spec" "$TMP/seen"
	sort -o "$TMP/spec" "$TMP/spec"
	note "$1: $(cut -d ' ' -f 1 "$TMP/spec" | uniq | wc -l) packets," \
		"$(wc -l < "$TMP/spec") fields"
	assert_eq "$1: no packet is malformed" \
		"$(grep -h ' malformed ' "$TMP/spec" "$TMP/core" | head -n 5)" ''
	check "$1: both decoders read the same fields" diff "$TMP/core" "$TMP/spec"
	assert_ge "$1: packets were captured" "$(wc -l < "$TMP/spec")" 100
}

# captured_all TEXT: the capture ends here and is compared
captured_all()
{
	must kill -TERM "${PID[dump]}"
	check "$1: tcpdump ends without an error" finish dump
	compared "$1"
}

# names KIND: those that were seen
names()
{
	sed -n "s/^$1 //p" "$TMP/seen" | sort -u
}

# appear KIND NAMES OTHERS: all NAMES were seen; the OTHERS that were not are listed
appear()
{
	local kind=$1

	names "$kind" > "$TMP/names"
	note "$kind: not seen:" \
		"$(tr ' ' '\n' <<< "$3" | sort | comm -23 - "$TMP/names" | xargs)"
	assert_eq "$kind: all that are sent appear" \
		"$(tr ' ' '\n' <<< "$2" | sort | comm -23 - "$TMP/names" | xargs)" ''
}

# appeared: what the module sends was seen
appeared()
{
	local types cps nacks others opcodes
	types='RUD_REQ ROD_REQ RUDI_REQ RUDI_RESP UUD_REQ ACK_CC NACK CP RUD_CC_REQ '
	types+=ROD_CC_REQ
	cps='ACK_REQUEST CLEAR_COMMAND CLEAR_REQUEST CLOSE_COMMAND PROBE '
	cps+='CREDIT CREDIT_REQUEST'
	nacks='TRIMMED TRIMMED_LASTHOP NO_PKT_BUFFER ROD_OOO INV_DPDCID INVALID_SYN'
	others='NO_PDC_AVAIL NO_CCC_AVAIL NO_BITMAP NO_GTD_DEL_AVAIL NO_SES_MSG_AVAIL '
	others+='NO_RESOURCE PSN_OOR_WINDOW PDC_HDR_MISMATCH CLOSING CLOSING_IN_ERR '
	others+='PKT_NOT_RCVD GTD_RESP_UNAVAIL ACK_WITH_DATA PDC_MODE_MISMATCH '
	others+='NEW_START_PSN RCVD_SES_PROCG UNEXP_EVENT RCVR_INFER_LOSS TRIMMED_ACK'
	opcodes='NO_OP WRITE READ ATOMIC FETCHING_ATOMIC SEND RENDEZVOUS_SEND '
	opcodes+='DATAGRAM_SEND DEFERRABLE_SEND TAGGED_SEND RENDEZVOUS_TSEND '
	opcodes+='DEFERRABLE_TSEND DEFERRABLE_RTR TSEND_ATOMIC TSEND_FETCH_ATOMIC '
	opcodes+=MSG_ERROR

	appear type "$types" 'TSS ACK ACK_CCX NACK_CCX'
	appear cp "$cps" 'NOOP CLOSE_REQUEST NEGOTIATION'
	appear nack "$nacks" "$others"
	appear opcode "$opcodes" ''
	appear response 'DEFAULT RESPONSE RESPONSE_W_DATA NO_RESPONSE' ''
	note "return codes: $(names rc | xargs)"
	note "headers: $(names next_hdr | xargs)"
}

#------------------------------------------------------------- operations on lo

# ops PROGRAM TEST...: a program of the group api
ops()
{
	relay -t "$1" on 1 "$@"
}

# operations: each operation in each mode, and refusals
operations()
{
	ops sock_hdr form__of form__without_a_pdc
	ops sock_op no_op__is_answered
	ops sock_rma write__with_completion write__beyond write__needs
	ops sock_amo atomic__each atomic__swaps fetch__each_size
	ops sock_read read__gets read__needs
	ops sock_tag match__ignore
	ops sock_post long__ cancel__ end__by_close
	ops sock_defer defer__waits defer__untagged end__the_receiver_closes
	ops sock_rndv meet__waits meet__untagged read__plain
	ops sock_tagged_atomic adds_up fetches without_a_receive
	ops sock_gen gen__no_message gen__all_operations pause__refuses
	ops sock_cancel partly
}

on_loopback()
{
	add_loopback 1 11

	capture 1 lo 'udp port 4793'
	operations
	captured_all "standard headers"
	must ue 1 fep set fep1 headers optimized
	must ue 1 fep set fep2 headers optimized
	must tc -n "${NS[1]}" qdisc add dev lo root netem limit 5000 loss 3%
	capture 1 lo 'udp port 4793'
	ops sock_hdr form__of_each form__many
	captured_all "optimized headers, loss"
	must tc -n "${NS[1]}" qdisc del dev lo root
}

#------------------------------------------------------------ links and attacks

# set_both ARGS...: settings of both FEPs
set_both()
{
	must ue 1 fep set fep0 "$@"
	must ue 2 fep set fep0 "$@"
}

# slow_reader: a receiver without space refuses packets
slow_reader()
{
	sink slow 2 9 -n 60 -b 65536
	must kill -STOP "${PID[slow]}"
	source_to tx 1 2 9 -n 60 -s 4096
	busywait 30 counter_is 2 tx-nack -ge 1
	must kill -CONT "${PID[slow]}"
	check "slow reader: all messages are sent" finish tx
	check "slow reader: all messages arrive" finish slow
}

# over_links: loss, trimmed packets, credit
over_links()
{
	capture 1 r0 'udp port 4793'
	set_both dscp-trimmed 20 dscp-trimmed-lasthop 21
	start switch fabric trimswitch -e 5 p0-n1 p0-n2
	wait_for "the switch runs" 30 grep -q ready "$TMP/switch.out"
	transfer "trimmed" 1 2 5 -n 8 -s 40000 -b 40000
	stop switch TERM
	start switch fabric trimswitch -e 5 -d 21 p0-n1 p0-n2
	wait_for "the switch runs" 30 grep -q ready "$TMP/switch.out"
	transfer "trimmed at the last hop" 1 2 5 -n 8 -s 40000 -b 40000
	stop switch TERM
	for n in 1 2; do
		must ip -n "${NS[fabric]}" link set p0-n$n master plane0
	done
	impair delay 1ms 1ms loss 5% reorder 10%
	MODE=rod transfer "ROD with loss" 1 2 5 -n 12 -s 64,4096,70000
	transfer "RUD with loss" 1 2 5 -n 12 -s 64,4096,70000
	impair delay 0ms
	slow_reader
	check "all PDCs of node 1 close" busywait 60 nr_pdcs_are 1 -eq 0
	set_both cc rccc
	transfer "RCCC" 1 2 5 -n 12 -s 64,4096,70000
	MODE=rod transfer "RCCC, ROD" 1 2 5 -n 12 -s 64,4096,70000
	check "all PDCs of node 1 close" busywait 60 nr_pdcs_are 1 -eq 0
	must ue 1 ping fep0 "$(fa 2)" count 3 interval 10ms
	captured_all "links"
}

# under_attack: the answers of the module to packets that no honest peer sends
under_attack()
{
	local attack

	capture 2 r0 "udp port 4793 and src host $(fa 2)"
	sink victim 2 7 -n 1000000 -b 65536
	for attack in "-n 300 prologue" ses overlap "-n 300 rma" "-n 300 short" \
		"-n 100 restart" "-n 100 rendezvous" "-n 300 window" "-n 640 rudi" \
		"-n 50 stray" "-n 100 syn"; do
		# shellcheck disable=SC2086 # words
		must on 3 hostile -S "$seed" -c -p 7 $attack "$(fa 2)"
	done
	stop victim
	captured_all "attacks"
}

add_node 9
NS[1]=${NS[9]}
on_loopback
unset "NS[1]"
setup_fabric --nodes 3 --rails 1 --burst 0
for n in 1 2; do must ip -n "${NS[fabric]}" link set p0-n$n nomaster; done
over_links
under_attack
appeared
finish_tests
