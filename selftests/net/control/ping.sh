#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Netlink's ping, and so RUDI requests of the module: answered over IPv4, IPv6
# and native IP, whatever links do to packets; each reported once, also when
# nobody is there, when nobody listens any more, and when FEP, namespace or
# module go; and answers that nobody has asked for.  UET_SEED repeats a run.
#
#	node1 (asks) -----+
#	node2 (answers) --+== planes 0, 1
#	node3 (attacker) -+
#
# clock: virtual; size: check; takes: 14 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}
count=$((200 / SCALE + 20))
wait=$((60 * SCALE))

# pings_to NODE ARGS...: from node 1, what pings prints
pings_to()
{
	local to=$1
	shift
	on 1 pings -t $wait "$@" fep0 "$(fa "$to")" 2>&1
}

# all_answered TEXT OUT COUNT: each request, and each reported once
all_answered()
{
	assert_match "$1: each of $3 requests has one answer" "$2" \
		"^sent=$3 answered=$3 failed=0 refused=0 .* twice=0 strange=0 "
}

# counted TEXT OLD ANSWERED FAILED [RETX]: what the counters of node 1 say since
# then of requests with an outcome; there are no others
counted()
{
	local new name values=''

	new=$(stats 1)
	for name in rudi-req rudi-answered rudi-failed ${5+rudi-retx}; do
		values+=" $(($(counter_in "$new" "$name") -
			$(counter_in "$2" "$name")))"
	done
	assert_eq "$1" "${values# }" "$(($3 + $4)) $3 $4${5+ $5}"
}

#---------------------------------------------------------------- the command

# spoken TEXT: ueadm asks, five times
spoken()
{
	local old out

	old=$(stats 1)
	out=$(ue 1 ping fep0 "$(fa 2)" count 5 interval 0 2>&1)
	assert_eq "$1: ping has status 0" $? 0
	assert_match "$1: five requests have five answers" "$out" \
		'^5 sent, 5 answered, 0 lost, [0-9]+ sent again$'
	assert_match "$1: the summary has round-trip times" "$out" \
		'^rtt min/avg/max = [0-9.]+/[0-9.]+/[0-9.]+ ms$'
	assert_eq "$1: each answer has a line" \
		"$(grep -o '^answer from .* seq=[0-9]*' <<< "$out" | sort |
			tr '\n' ' ')" \
		"$(printf "answer from $(fa 2): seq=%d " 1 2 3 4 5)"
	counted "$1: requests and answers are counted" "$old" 5 0
	out=$(ue 1 -j ping fep0 "$(fa 2)" count 2 interval 1ms job 7)
	assert_eq "$1: ping -j has status 0" $? 0
	assert_match "$1: ping -j prints all counts" "$out" \
		"^\{\"fep\":\"fep0\",\"addr\":\"$(fa 2)\",\"sent\":2,\"answered\":2,\"lost\":0,\"refused\":0,\"retx\":[0-9]+,\"rtt-min-ns\":[0-9]+,\"rtt-avg-ns\":[0-9]+,\"rtt-max-ns\":[0-9]+,\"answers\":\[.*\"ce\":false.*\"rc\":\"ok\".*\]\}\$"
	out=$(ue 1 ping fep0 "$(fa 2)" count 4 interval 0 each-rail 2>&1)
	assert_eq "$1: the requests take each rail in turn" \
		"$(sed -n 's/^answer.* seq=\([0-9]\).*\( rail=r[01]\).*/\1\2/p' \
			<<< "$out" | tr '\n' ' ')" \
		"1 rail=r0 2 rail=r1 3 rail=r0 4 rail=r1 "
	assert_match "$1: the summary has the times of each rail" "$out" \
		'^rail r1: 2 answered, rtt min/avg/max = [0-9.]+/[0-9.]+/[0-9.]+ ms$'
	on_one_rail "$1"
	check "$1: the FEP itself answers" \
		ue 1 ping fep0 "$(fa 1)" count 1
}

# on_one_rail TEXT: it leaves on that rail, says the kernel, and so does the rail
on_one_rail()
{
	local before out

	before=$(rail_packets 1 r1 tx)
	out=$(ue 1 -j ping fep0 "$(fa 2)" count 3 interval 0 rail r1)
	assert_match "$1: all answers came by one rail" "$out" \
		'"rails":\[\{"dev":"r0","answered":0\},\{"dev":"r1","answered":3,"rtt-min-ns":'
	assert_ge "$1: rail r1 carries the requests" "$(rail_packets 1 r1 tx)" $((before + 3))
}

# forms: everything that carries packets
forms()
{
	spoken "IPv4"
	reconfigure_two 6
	spoken "IPv6"
	# An IPv4 address without a route is taken to be on the link of a rail.
	ue_refuses 'no route to addr over a usable rail' \
		ping fep0 2001:db8::1 count 1
	ue_refuses 'a link-local addr must be on the netdev' \
		ping fep0 fe80::1 count 1
	ENCAP=(encap native)
	reconfigure_two 6
	spoken "native IPv6"
	reconfigure_two 4
	spoken "native IPv4"
	ENCAP=()
	reconfigure_two 4
	patient
}

# reconfigure_two FAMILY: nodes 1 and 2, not the attacker
reconfigure_two()
{
	NODES=2
	reconfigure "$1" crc 4096
	NODES=3
}

# patient: for minutes, however slow the machine
patient()
{
	must ue 1 fep set fep0 rto-init 20ms rto-max 60s max-rto-retx 15
}

# refusals: what cannot be is said at once
refusals()
{
	local out old

	old=$(stats 1)
	ue_refuses '^ueadm: ping nosuch 10.0.0.2: no such fep$' ping nosuch 10.0.0.2 count 1
	ue_refuses 'addr is not of the family of the fep' \
		ping fep0 fd00::2 count 1
	ue_refuses 'addr must be a unicast address' ping fep0 224.0.0.1 count 1
	ue_refuses 'addr must be a unicast address' ping fep0 0.0.0.0 count 1
	out=$(on 1 setpriv --reuid 1000 --regid 1000 --clear-groups \
		--inh-caps=-all --bounding-set=-all \
		ueadm ping fep0 10.0.0.2 count 1 2>&1)
	assert_eq "a user cannot ping: the status is 1" $? 1
	assert_match "a user who cannot ping reads why" "$out" 'ping: it needs CAP_NET_ADMIN'
	for p in 0 1; do must ip -n "${NS[1]}" link set "r$p" down; done
	ue_refuses 'no rail of the fep is usable' ping fep0 10.0.0.2 count 1
	must ip -n "${NS[1]}" link set r1 up
	ue_refuses 'this rail of the fep is not usable' \
		ping fep0 10.0.0.2 count 1 rail r0
	ue_refuses 'the fep has no such rail' ping fep0 10.0.0.2 count 1 rail lo
	assert_match "each-rail asks only over the usable rail" \
		"$(ue 1 ping fep0 10.0.0.2 count 2 interval 0 each-rail 2>&1)" \
		'^rail r1: 2 answered'
	check "ping has answers over the one rail that is left" \
		ue 1 ping fep0 10.0.0.2 count 4 interval 0
	must ip -n "${NS[1]}" link set r0 up
	counted "refused requests were not sent" "$old" 6 0
}

# nobody: an address without a FEP
nobody()
{
	local out old

	must ue 1 fep set fep0 rto-init 1ms rto-max 4ms max-rto-retx 3
	old=$(stats 1)
	out=$(ue 1 ping fep0 10.64.0.2 count 2 interval 1ms 2>&1)
	assert_eq "nobody answers: the status is 1" $? 1
	assert_match "nobody answers: a line tells that the request timed out" "$out" \
		'^no answer from 10.64.0.2: seq=1 retx=3 rail=r[01] timeout \(Connection timed out\)$'
	assert_match "nobody answers: the summary counts lost requests" "$out" \
		'^2 sent, 0 answered, 2 lost, 6 sent again$'
	assert_match "nobody answers: a hint asks whether the peer has a FEP" "$out" \
		'^ueadm: ping: no answer from 10.64.0.2: does it have a fep'
	assert_match "nobody answers: ping -j has errno and reason" \
		"$(ue 1 -j ping fep0 10.64.0.2 count 1 2> /dev/null)" \
		'"answered":0,"lost":1,.*"errno":110,"reason":"timeout"'
	counted "nobody answers: failures are counted" "$old" 0 3 9
	patient
}

#------------------------------------------------------------------- the links

# rough TEXT NETEM...: every request is answered over links like that
rough()
{
	local text=$1 out old
	shift

	impair "$@"
	old=$(stats 1)
	out=$(pings_to 2 -n "$count" -w 32)
	all_answered "$text" "$out" "$count"
	retx=$(result "$out" retx)
	counted "$text: each request is counted once" "$old" "$count" 0 "$retx"
}

links()
{
	local retx before

	rough "no loss" delay 0ms
	rough "loss 1 %" loss 1%
	rough "loss 10 %" loss 10%
	assert_ge "loss 10 %: some requests were sent again" "$retx" 1
	before=$(drops 1 bad-rudi-id)
	rough "duplication 10 %" duplicate 10%
	assert_ge "duplication: second answers are dropped" \
		"$(drops 1 bad-rudi-id)" $((before + 1))
	rough "reordering 25 %" delay 2ms reorder 25% 50%
	before=$(drops 2 crc)
	rough "corruption 10 %" corrupt 10%
	# On slow kernels there are too few to count on that.
	[ "$SCALE" -gt 1 ] ||
		assert_ge "corruption: damaged requests are dropped for their CRC" \
			"$(drops 2 crc)" $((before + 1))
	impair loss 0%
}

# marked: a link marks instead of losing; the answer says so
marked()
{
	local p

	for p in 0 1; do
		must tc -n "${NS[1]}" qdisc replace dev "r$p" root \
			netem loss 100% ecn
	done
	assert_match "congestion: JSON has the mark of an answer" \
		"$(ue 1 -j ping fep0 10.0.0.2 count 1)" '"ce":true'
	assert_match "congestion: the line of an answer has the mark" \
		"$(ue 1 ping fep0 10.0.0.2 count 1)" \
		'^answer from 10.0.0.2: seq=1 time=[0-9.]+ms.* ce$'
	impair loss 0%
}

# pending NAME OLD COUNT ARGS...: pings without an answer, until links are mended
pending()
{
	local name=$1 old=$2 nr=$3
	shift 3

	start "$name" 1 pings -t $wait -n "$nr" -w "$nr" "$@" fep0 "$(fa 2)"
	wait_for "requests are under way" 30 counter_is 1 rudi-req -ge \
		$(($(counter_in "$old" rudi-req) + nr))
}

# finished TEXT REGEX: pings has ended; what it said
finished()
{
	finish tx > "$TMP/why"
	assert_match "$1" "$(cat "$TMP/tx.out" "$TMP/why")" "$2"
}

# hole: everything is lost, and comes back
hole()
{
	local old

	impair loss 100%
	old=$(stats 1)
	pending tx "$old" 16
	wait_for "requests without an answer are sent again" 30 counter_is 1 rudi-retx -ge \
		$(($(counter_in "$old" rudi-retx) + 32))
	assert_match "a hole: one request too many is refused" \
		"$(on 1 pings -n 120 -w 120 -q fep0 10.0.0.2; on 1 pings \
			-t $wait -n 1 fep0 10.0.0.2 2>&1)" \
		'refused=1 .* error=16$'
	impair loss 0%
	finished "a hole: all requests are answered when it closes" \
		'^sent=16 answered=16 failed=0 .* twice=0 strange=0 '
	check "a hole: requests of a closed port are answered, too" busywait 120 all_settled
}

# all_settled: no request of node 1 waits for its outcome
all_settled()
{
	local now

	now=$(stats 1)
	[ "$(counter_in "$now" rudi-req)" -eq \
		$(($(counter_in "$now" rudi-answered) +
		   $(counter_in "$now" rudi-failed))) ]
}

flood()
{
	local nr=$((4000 / SCALE)) out old

	old=$(stats 1)
	out=$(pings_to 2 -n $nr -w 48)
	all_answered "a flood of $nr" "$out" $nr
	counted "a flood is counted" "$old" $nr 0
	old=$(stats 1)
	must on 1 pings -n 100 -q fep0 10.0.0.2
	check "whose port is gone is answered all the same" busywait 30 \
		counter_is 1 rudi-answered -eq \
		$(($(counter_in "$old" rudi-answered) + 100))
}

# stray: answers that node 3 invents in the name of node 2
stray()
{
	local old out status

	start tx 1 pings -t $wait -n $((1000 / SCALE + 50)) -w 8 fep0 10.0.0.2
	old=$(stats 1)
	out=$(on 3 hostile -S "$seed" -c -a 10.0.0.2 -n 100 rudi_stray \
		10.0.0.1 2>&1)
	status=$?
	assert_eq "answers to nothing are sent" $status 0 || diag <<< "$out"
	check "answers to nothing: no response has a request" busywait 30 \
		strays_are "$old" 'bad-rudi-id|ses-.*' 100
	check "answers to nothing: no NACK has a request" busywait 30 \
		strays_are "$old" bad-nack-id 100
	finished "answers to nothing: requests get theirs" \
		"^sent=([0-9]+) answered=\\1 failed=0 refused=0 .* twice=0 strange=0 "
}

# strays_are OLD REGEX COUNT
strays_are()
{
	[ $(($(drops 1 "$2") - $(drops_in "$1" "$2"))) -ge "$3" ]
}

# peers: so many addresses and no more, until those asked first are forgotten.  A user may
# have four fifths of 1,024.
peers()
{
	local out

	must ip -n "${NS[1]}" route add 10.77.0.0/16 dev r0
	must ue 1 fep set fep0 rto-init 1ms rto-max 1ms max-rto-retx 1
	out=$(on 1 pings -t $wait -n 900 -w 32 -a 900 fep0 10.77.0.1 2>&1)
	assert_match "addresses: requests behind the limit are refused" "$out" \
		'^sent=900 answered=0 failed=8[12][0-9] refused=[78][0-9] .* error=(28|110)$'
	assert_match "addresses: ping tells why it is refused" \
		"$(ue 1 ping fep0 10.78.0.1 count 1 2>&1;
			ue 1 ping fep0 10.77.9.200 count 1 2>&1)" \
		'the share of the 1024 addrs that the fep asks within 10 s is used up'
	check "addresses: ping passes to the new address" busywait 60 takes_another
	patient
	# Was it forgotten, too?
	wait_for "there is a place for node 2" 60 node2_answers
}

takes_another()
{
	[[ $(ue 1 ping fep0 10.77.9.200 count 1 2>&1) = *timeout* ]]
}

node2_answers()
{
	ue 1 ping fep0 10.0.0.2 count 1 > /dev/null 2>&1
}

#------------------------------------------------------------------------ ends

# aborted TEXT NR
aborted()
{
	finished "$1" "^sent=$2 answered=0 failed=$2 .* twice=0 strange=0 error=103$"
}

ends()
{
	local n old

	impair loss 100%
	pending tx "$(stats 1)" 100
	must ue 1 job del 1
	must ue 1 fep del fep0
	aborted "the FEP goes: each request is reported" 100

	add_fep 1 crc
	patient
	pending tx "$(stats 1)" 100
	old=$(counter 1 rudi-req)
	start say 1 ueadm ping fep0 10.0.0.2 count 1
	wait_for "ueadm has asked" 30 counter_is 1 rudi-req -gt "$old"
	must modprobe -r uet
	aborted "the module goes: each request is reported" 100
	finish say > "$TMP/why"
	assert_eq "the module goes: ueadm ends with status 1" $? 1
	assert_match "the module goes: ueadm says that the request is aborted" \
		"$(cat "$TMP/say.out")" \
		'seq=1 .* abort'
	must modprobe uet
	for n in 1 2; do configure_node $n crc; done
	patient

	pending tx "$(stats 1)" 100
	pending ty "$(stats 1)" 20
	stop ty
	for n in 1 2 3; do must ip netns del "${NS[$n]}"; done
	check "namespaces go: a process may wait for outcomes" running tx
	stop tx
	teardown_fabric
	check "namespaces go, with their last process" \
		busywait 30 no_namespaces
	check "nothing holds the module" busywait 30 module_users_is -eq 0
	check "the module unloads beside a waiting ping" modprobe -r uet
	must modprobe uet
}

note "seed $seed"
relay netlink_ping
setup_fabric --nodes 3
forms
refusals
nobody
links
marked
hole
flood
stray
peers
ends
finish_tests
