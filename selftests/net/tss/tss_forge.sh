#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Forged packets for a member of a secure domain, in each form and mode: packets
# that the switch has held back, so that none of them has arrived, are sent with
# each bit of their headers and ICV turned, cut to each length, in the name of
# others, with other counters, under other keys, with lies in their header; NACK,
# CLOSE and CREDIT of the attacker's own; and a member's packets turned round to
# him.  None is accepted.  As they were, they are, once; and the transfer that was
# under way ends well.  UET_SEED repeats a run; UET_FORMS="N..." are the forms to be
# tried, of 7 (all).
#
# clock: virtual; size: all; takes: 60 s; limit: 1200 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/secure.sh"

seed=${UET_SEED:-$RANDOM}
note "seed $seed (UET_SEED=$seed)"

# The form under test: family, words for sd add (all, node 1, node 2) and fep add, and
# for tss_attack.
words=() words1=() words2=() how=()
forms=0

# key_file NODE: what the node is given
key_file()
{
	local id

	[[ " ${words1[*]} " == *" client "* && $1 = 1 ]] || { echo one; return; }
	id=$(fa 1)
	[[ " ${words1[*]} " == *" ssi "* ]] && id=1
	(umask 077; tss_attack -k "$(key one)" -M client client-key "$id" \
		> "$TMP/client")
	echo client
}

# secure NODE WORD...: domain s, FEP and job; PDCs have time
secure()
{
	local node=$1
	shift
	must ue "$node" sd add s sdi 7 "${words[@]}" "$@"
	must ue "$node" sd key s an 0 file "$TMP/$(key_file "$node")"
	must ue "$node" sd use s an 0
	must ue "$node" fep add fep0 addr "$(fa "$node")" rails r0 sd s \
		"${ENCAP[@]}"
	must ue "$node" fep set fep0 max-rto-retx 15 rto-init 2s rto-max 20s
	must ue "$node" job add 1 feps fep0
}

insecure()
{
	must ue "$1" job del 1
	must ue "$1" fep del fep0
	must ue "$1" sd del s
}

# under_way: messages from node 1, of which some are held back, in held.pcap;
# answers that node 2 got are in back.pcap
under_way()
{
	local limit_s=$((400 * SCALE))

	sink rx 2 5 -E -t "$limit_s"
	source_to tx 1 2 5 -E -t "$limit_s" -n 1000000 -s 64,700 -g 10 -P "$TMP/tx.sent"
	wait_for "traffic flows between the nodes" 30 progress_is tx -ge 3
	capture_start 2 back.pcap
	wait_for "answers are captured" 30 is_long back.pcap 300
	capture_stop "$1"
	hold 1
	capture_start 1 held.pcap
	wait_for "packets are held back" 30 is_long held.pcap 300
	capture_stop "$1"
}

# lies TEXT: a member seals what he must not
lies()
{
	local reseal=(held.pcap -k "$(key one)" -c 5000 "${how[@]}" -f 3)

	attack "$1: under another key" tss-auth "${reseal[@]}" \
		-K "$(key two)" reseal
	attack "$1: another domain" tss-no-sd "${reseal[@]}" -D 8 reseal
	attack "$1: under a key that nobody set" tss-no-key "${reseal[@]}" \
		-a 1 reseal
	attack "$1: an old epoch" tss-epoch "${reseal[@]}" -e 60000 reseal
	case " ${words1[*]} " in
	*' client ssi '*)
		attack "$1: a client in the name of another" tss-bad-ssi \
			"${reseal[@]}" -S 3 reseal ;;
	*' ssi '*) ;;
	*)
		attack "$1: with an SSI where there are none" tss-bad-ssi \
			"${reseal[@]}" -S 3 reseal ;;
	esac
}

# controls TEXT FILE: NACK, CLOSE and CREDIT for the victim's PDCs
controls()
{
	local ids

	read -ra ids <<< "$(pdc_words $victim | tr '\n' ' ')"
	attack "$1: control packets under another key" 'tss-auth|tss-key-wait' \
		"$2" -f 1 -c 100000 -K "$(key two)" "${how[@]}" "${ids[@]}" control
	attack "$1: control packets in clear" tss-clear "$2" -f 1 \
		"${ids[@]}" clear
}

# untouched TEXT: what all this was made of is accepted, and only once
untouched()
{
	assault "$1: as they were" held.pcap replay
	assert_eq "$1: as they were: all packets are accepted" "$taken" "$arrived"
	attack "$1: once more" tss-replay held.pcap replay
}

# everywhere TEXT: what is the same in all forms and modes
everywhere()
{
	attack "$1: each bit of the source" 'tss-auth|tss-key-wait' \
		held.pcap -f 1 source
	attack "$1: each length" "$refusals" held.pcap -f 1 lengths
	attack "$1: other counters" "$refusals" held.pcap -f 2 -n 100 forge
	controls "$1" held.pcap
}

# form TEXT [all]: the attacks on it
form()
{
	local text=$1 progress

	forms=$((forms + 1))
	[[ " ${UET_FORMS:-$forms} " = *" $forms "* ]] || return
	secure 1 "${words1[@]}"
	secure 2 "${words2[@]}"
	under_way "$text"
	attack "$text: each bit" "$refusals" held.pcap -f 1 bits
	[ "${2-}" != all ] || everywhere "$text"
	lies "$text"
	untouched "$text"
	progress=$(progress tx)
	let_go 1
	check "$text: traffic goes on" busywait 60 progress_is tx -gt "$progress"
	# Packets accepted from now on are good.
	victim=1 accepted=any
	controls "$text, to the initiator" back.pcap
	attack "$text: reflected" "$refusals" held.pcap reflect
	victim=2 accepted=none
	kill -TERM "${PID[tx]}"
	check "$text: the messages were all answered" finish tx
	check "$text: they arrived whole and once" finish rx
	insecure 1
	insecure 2
}

genkey one
genkey two
setup_fabric --nodes 3 --rails 1 --bare
for n in 1 2; do must ue $n rail add r0 plane 0; done
form "IPv4, cluster" all
FAMILY=6 words=(ipv6)
form "IPv6, cluster"
FAMILY=4 words=(mode direct) how=(-M direct)
form "IPv4, direct"
ENCAP=(encap native) FAMILY=6 words=(mode direct ipv6)
words1=(ssi 1) words2=(ssi 2)
form "native, IPv6, direct, SSI" all
FAMILY=4 words=() how=()
form "native, IPv4, cluster, SSI"
ENCAP=() words=(mode server) words1=(client) words2=() how=(-M client)
form "IPv4, server"
FAMILY=6 words=(mode server ipv6) words1=(client ssi 1) words2=(ssi 0)
form "IPv6, server, SSI"
finish_tests
