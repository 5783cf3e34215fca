#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many packets for a member of a secure domain that are not for it: of all kinds in
# clear, of other domains, and floods with wrong ICVs, from a member's address and
# from those of nobody.  Each is counted, none is accepted or answered, memory stays
# in its limits, and good traffic goes on meanwhile.  UET_SEED repeats a run.
#
# clock: virtual; size: all; takes: 13 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/secure.sh"

seed=${UET_SEED:-$RANDOM}
note "seed $seed (UET_SEED=$seed)"
many=$((4000 / SCALE + 500))
# A counter at random may be one that was seen.
forged='tss-auth|tss-replay'

# domain NODE NAME SDI KEY [WORD...]
domain()
{
	must ue "$1" sd add "$2" sdi "$3" "${@:5}"
	must ue "$1" sd key "$2" an 0 file "$TMP/$4"
	must ue "$1" sd use "$2" an 0
}

# secure NODE: rail, domain s, FEP and job
secure()
{
	must ue "$1" rail add r0 plane 0
	domain "$1" s 7 one
	must ue "$1" fep add fep0 addr "$(fa "$1")" rails r0 sd s
	must ue "$1" fep set fep0 max-rto-retx 15
	must ue "$1" job add 1 feps fep0
}

# in_clear KIND: what hostile can do, from a member's address and with a right CRC
in_clear()
{
	local out sent

	old=$(stats 2) taken=$(opened 2)
	out=$(on 3 hostile -S "$seed" -a "$(fa 1)" -c -n 200 -w 100 "$1" \
		"$(fa 2)" 2>&1) || { not_ok "in clear, $1: the attacker sends its packets" \
			; note "$out"; return; }
	sent=$(result "$out" sent)
	check "in clear, $1: all packets of the attacker arrive" busywait 30 counter_is 2 \
		rx-packets -ge $(($(counter_in "$old" rx-packets) + sent))
	new=$(stats 2)
	note "in clear, $1: sent=$sent $(reasons_in "$new" | tr '\n' ' ')"
	# Noise may look like a security header.
	assert_eq "in clear, $1: each packet is refused" \
		$(($(drops_in "$new" "$refusals") -
		   $(drops_in "$old" "$refusals"))) "$sent"
	assert_eq "in clear, $1: no packet is accepted" $(($(opened 2) - taken)) 0
	assert_eq "in clear, $1: nothing is delivered" "$(grown msg-received)" 0
	assert_eq "in clear, $1: nothing is answered" "$(grown tx-packets)" 0
}

# elsewhere TEXT REASONS SD: what node 1 has sealed for fep0 comes to a FEP in SD
elsewhere()
{
	must ue 2 fep add other addr 10.0.0.22 rails r0 sd "$3"
	attack "$1" "$2" held.pcap -d 10.0.0.22 redirect
	must ue 2 fep del other
}

# cross_domain: packets of one domain for another
cross_domain()
{
	must ip -n "${NS[2]}" addr add 10.0.0.22/32 dev fa0
	domain 2 t 8 two
	domain 2 u 7 three
	sink rx 2 5 -E
	source_to tx 1 2 5 -E -n 1000000 -s 64,700 -g 10 -P "$TMP/tx.sent"
	wait_for "traffic flows between the nodes" 30 progress_is tx -ge 3
	hold 1
	capture_start 1 held.pcap
	wait_for "packets are held back" 30 is_long held.pcap 300
	capture_stop "held back"
	elsewhere "from another domain" tss-no-sd t
	elsewhere "from another domain with the same SDI" 'tss-auth|tss-key-wait' u
	elsewhere "for another FEP of the domain" tss-auth s
	let_go 1
}

# auth_fails SD: as the domain has counted them
auth_fails()
{
	[[ $(ue 2 -j sd show) =~ \"name\":\"$1\"[^\}]*\}[^\}]*\"auth-fails\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# flood TEXT REASONS ARGS...: while messages flow
flood()
{
	local text=$1 reasons=$2 progress slab
	shift 2
	progress=$(progress tx) slab=$(slab_mb)
	attack "$text" "$reasons" "$@"
	check "$text: traffic goes on" busywait 60 progress_is tx -gt "$progress"
	assert_le "$text: memory stays in its limits" "$(slab_mb)" $((slab + 32))
}

# floods: while node 1 sends, then while nobody does
floods()
{
	local fails

	accepted=any
	fails=$(auth_fails s)
	flood "flood of wrong ICVs" "$forged" held.pcap -f 1 -n "$many" forge
	assert_eq "flood of wrong ICVs: the domain has counted them" \
		"$(auth_fails s)" $((fails + $(refused tss-auth)))
	flood "flood of unknown peers" 'tss-auth|tss-key-wait' held.pcap -f 1 \
		-n "$many" unknown-peers
	kill -TERM "${PID[tx]}"
	check "messages were all answered" finish tx
	check "messages arrived whole and once" finish rx
	wait_for "all PDCs of node 1 close" 60 nr_pdcs_are 1 -eq 0
	check "PDCs are gone" busywait 60 nr_pdcs_are 2 -eq 0
	accepted=none
	attack "quiet flood" "$forged" held.pcap -f 1 -n 500 forge
	assert_eq "quiet flood: nothing is answered" "$(grown tx-packets)" 0
}

# shut: who wants it so
shut()
{
	must ue 2 job del 1
	must ue 2 fep del fep0
	must ue 2 sd del s
	domain 2 s 7 one fail-limit 100
	must ue 2 fep add fep0 addr "$(fa 2)" rails r0 sd s
	must ue 2 job add 1 feps fep0
	transfer "before it is shut" 1 2 6 -n 2 -s 64
	wait_for "all PDCs of node 1 close" 60 nr_pdcs_are 1 -eq 0
	attack "a limit of wrong ICVs" "$forged|tss-shut|tss-key-wait" \
		held.pcap -f 1 -n 300 forge
	assert_eq "a limit of wrong ICVs: 100 packets were tried" "$(auth_fails s)" 100
	assert_match "the domain is shut" "$(ue 2 -j sd show)" '"shut":true'
	attack "when it is shut" tss-shut held.pcap -f 1 -n 20 forge
}

genkey one
genkey two
genkey three
setup_fabric --nodes 3 --rails 1 --bare
secure 1
secure 2
for kind in syn ses rma rudi stray noise; do in_clear $kind; done
cross_domain
floods
shut
finish_tests
