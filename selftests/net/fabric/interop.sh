#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that is no module of ours: tools/interop/uetpeer plays what a public
# implementation does differently, as initiator and as target, and an application at
# this end (interop_ep) does its part.  Both say what came of it.
#
#	node1 (module, interop_ep) ==== plane 0 ==== node2 (uetpeer)
#
# UET_INTEROP="SCRIPT..." plays these scripts only; facts about counters fail then.
#
# clock: virtual; size: check; takes: 30 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

peer=$REPO/tools/interop/uetpeer
number=0
secret=()

# has_spoken: the peer has written its first line
has_spoken()
{
	[ -s "$TMP/peer.out" ]
}

# pdcids: PDCIDs of node 1
pdcids()
{
	ue 1 -o pdc show | sed -n 's/.* pdcid \([0-9]*\) .*/\1/p'
}

# forget_pdcs: end the PDCs to the peer of the last script, which is gone
forget_pdcs()
{
	local id

	for id in $(pdcids); do
		must ue 1 pdc del fep fep0 id "$id"
	done
}

# play SCRIPT TEST FACT...: SCRIPT on node 2 against TEST of interop_ep on node 1;
# FACTs are key=value of its last line
play()
{
	local script=$1 test=$2 key out word
	shift 2

	[[ " ${UET_INTEROP-$script} " == *" $script "* ]] || return 0
	forget_pdcs
	key=$TMP/key$((++number))
	start peer 2 "$peer" --key "$key" --pdcid "$number" "${secret[@]}" \
		"$(fa 2)" "$(fa 1)" "$script"
	if [[ $test == asked__* ]]; then
		wait_for "$script: the peer listens" 60 has_spoken
	fi
	UET_LOCAL=$(fa 1) UET_REMOTE=$(fa 2) UET_JOB=1 UET_KEYFILE=$key \
		relay -t "$script" on 1 interop_ep "$test"
	check "$script: the script ends" finish peer
	out=$(tail -n 1 "$TMP/peer.out")
	note "$script: $out"
	while [ $# -gt 0 ]; do
		word=" $out "
		word=${word##* "${1%=*}"=}
		assert_eq "$script: the peer has ${1%=*} ${1#*=}" "${word%% *}" \
			"${1#*=}"
		shift
	done
}

# veth passes a burst whole, to a program as well.
setup_fabric --rails 1 --burst 0
# The peer that answers there is a program.
must ue 2 job del 1
must ue 2 fep del fep0

# The last byte ends a message, with eom or without.
play no-eom served__message_and_write_without_eom_arrive \
	send=1 write=1 read=1 data=1 in_ack=1
# A packet that must not be executed ends its message: those behind it are refused too.
play bad-packet served__reads ie=35 behind_ie=35 short=32 behind_short=32
# The data of a READ has its message id where the peer looks.
play read-id served__reads returned=1 in_ack=1
# The answer to returned data tells the length of the READ.
play read-ack asked__read_of_several_packets_is_whole packets=3 right=1
# Atomics are in network order; a swap states 32 bytes of operands, or none.
play atomic served__counter_is_a_number_of_this_machine \
	sum=100 plain=1 swap=106 swap0=7
play atomic-target asked__counter_of_the_peer_is_a_number_of_this_machine \
	value=258 swap_length=32
# Restart requests: each end accepts the other's.
play defer-initiator served__deferred_message_is_restarted_under_its_old_id \
	deferred=1 order=1 restarted=1
play defer-target asked__deferred_message_is_sent_when_the_peer_requests_it \
	rtr=1 restarted=3 token=1
# A peer that refuses a gap once is believed.
play rod-drop asked__ordered_message_arrives_after_one_refusal \
	dropped=1 complete=1
# Who waits in silence is told why: the socket by UET_LAST_ERROR, the administrator
# by ueadm check.
play refuse-rtr served__refused_restart_request_has_a_reason refused=1
play foreign-data asked__read_that_waits_for_its_data_has_a_reason given=3
play bad-rtr asked__deferred_message_with_a_wrong_request_has_a_reason rtr=5
assert_eq "refused restart requests are counted" "$(counter 1 rtr-refused)" 1
hints=$(ue 1 -o check)
assert_match "check: it tells that a peer refused a restart request" "$hints" \
	'1 restart requests were refused by peers'
assert_match "check: it tells that a restart request named no message" "$hints" \
	'1 restart requests or restarts of peers named no deferred'
assert_match "check: it tells that data came for no READ" "$hints" \
	'3 packets with data of peers were for no READ'
# A target that has lost its PDC: what is safe to repeat goes on another.
play forgotten-pdc asked__message_to_a_forgotten_pdc_is_repeated whole=012346
assert_eq "repeated messages are counted" "$(counter 1 msg-repeated)" 4
play rod-gap served__reads nacks=1 code=13 complete=1
# CLEAR_PSN is the PSN of the packet itself.  25: the second message has no endpoint; the
# third clears this response.
play clear-zero served__reads codes=1/25/1 cacks=0/0/2
assert_eq "requests with clear_psn_offset 0 are counted" "$(counter 1 rx-clear-zero)" 4
# The first packet of a PDC is lost, and the peer asks before it has learnt the PDCID.
# 18: the packet was not received.  14: no such PDC, in answer to a CLOSE_COMMAND alone.
play late-learner served__ordered_messages_arrive late=1 asked=1 probe=1 codes=18 \
	unknown=14 learnt=1
# A closed target knows its SYN for Syn_Retx_Safety_Time: copies come after 1, 3, 5 s.
play late-copy served__reads answered=0/1
must ue 1 fep set fep0 syn-retx-safety 4s
play late-copy served__reads answered=0/0/1
must ue 1 fep set fep0 syn-retx-safety 2s
# A peer that has restarted opens a PDC under a PDCID in use; a forged SYN does not.
play restart-pdcid served__reads opened=1
play forged-syn served__reads kept=1 invalid=1

# An administrator ends PDCs.
id=$(pdcids | head -n 1)
check "pdc del: it ends a PDC" ue 1 pdc del fep fep0 id "$id"
assert_match "pdc del: it is gone" "$(ue 1 pdc del fep fep0 id "$id" 2>&1)" \
	'^ueadm: pdc fep fep0 id [0-9]+: no such pdc$'
assert_match "pdc del: it says that there is no such FEP" "$(ue 1 pdc del fep fep7 id 1 2>&1)" \
	'^ueadm: pdc fep fep7 id 1: no such fep$'

# A secure domain with a member that is a program.
genkey secret
must ue 1 job del 1
must ue 1 fep del fep0
must ue 1 sd add s sdi 7 mode direct
must ue 1 sd key s an 0 file "$TMP/secret"
must ue 1 sd use s an 0
must ue 1 fep add fep0 addr "$(fa 1)" rails r0 sd s burst 0
must ue 1 job add 1 feps fep0
secret=(--secret "$TMP/secret")
play read-ack asked__read_of_several_packets_is_whole packets=3 right=1
play clear-nack asked__message_refused_in_clear_has_a_reason refused=1
assert_ge "NACKs in clear are counted" "$(counter 1 rx-clear-nack)" 3
assert_match "check: a peer answers in clear" "$(ue 1 -o check)" \
	'NACKs in clear came to FEPs with security'
# A SYN that is refused in clear is sent once more, from a PSN of our own choice.
play secure-syn asked__message_is_answered low=1 opened=1
play secure-refused asked__message_is_answered starts=2 opened=1
# A peer as the documents of SUET describe it.
forget_pdcs
must ue 1 job del 1
must ue 1 fep del fep0
must ue 1 fep add fep0 addr "$(fa 1)" rails r0 profile suet job-zero 1 burst 0
must ue 1 job add 1 feps fep0
secret=(--plain)
play suet-initiator served__message_and_counter_in_host_order_arrive \
	sent=1/1/1/1 added=1 refused=25 passes=1
play suet-target asked__message_and_counter_in_host_order_are_answered \
	sizes=1416/1416/1416/752 final=1 value=107
# A profile has defaults; settings that are given have precedence.
forget_pdcs
must ue 1 job del 1
must ue 1 fep del fep0
must ue 1 fep add fep0 addr "$(fa 1)" rails r0 profile reference mtu 2048 burst 0
out=$(ue 1 -o fep show)
assert_match "profile: the FEP has its settings" "$out" ' encap native '
assert_match "profile: a setting that is given has precedence" "$out" ' mtu 2048 '
finish_tests
