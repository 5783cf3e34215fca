#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ueadm with a kernel: files of commands, words that are shortened, what options make of
# what is shown, events, counters as OpenMetrics text, and completion by names that are
# there.  Wrong words alone are tested in selftests/unit.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

setup_fabric

#-------------------------------------------------------------------- commands

# batches: changes from a file, and where one fails
batches()
{
	local out before

	cat > "$TMP/batch" <<-X
		# another FEP and two jobs
		fep add fep1 addr 10.64.0.1 rails r0 mtu 1024 \\
			rto-init 5ms
		job add 2 feps fep1 name 'two'
		j a 3 feps fep0,fep1
	X
	check "a batch is done" ue 1 -batch "$TMP/batch"
	assert_match "a batch: the job of its last line exists" "$(ue 1 -o job show)" \
		'^job id 2 name two .* feps fep1 '
	assert_match "a batch: words may be shortened in it" \
		"$(ue 1 -o job show)" '^job id 3 .* feps fep0,fep1 '
	before=$(configuration 1)
	out=$(printf '%s\n' 'job del 3' 'job del 77' 'job del 2' |
		ue 1 -batch - 2>&1)
	assert_eq "a batch that fails: ueadm has status 1" $? 1
	assert_match "a batch that fails: ueadm names the line and the reason" "$out" \
		'^ueadm: -:2: job 77: no such job$'
	assert_match "a batch that fails ends there" "$(ue 1 -o job show 2)" \
		'^job id 2 '
	out=$(printf '%s\n' 'job del 77' 'job del 2' 'fep del fep1' |
		ue 1 -force -batch - 2>&1)
	assert_eq "-force: ueadm has status 1" $? 1
	assert_eq "-force: the rest is done" "$(ue 1 -o fep show | wc -l)" 1
	[ "$before" != "$(configuration 1)" ]
}

# options: one state, in every form
options()
{
	assert_eq "-o: each rail has a line" "$(ue 1 -o rail show | wc -l)" 2
	assert_match "-o: keys of nested values are joined by dots" "$(ue 1 -o pdc show)" \
		'^pdc fep fep0 .* counters.tx-req [0-9]+ '
	assert_match "-d: times that were measured have three decimals" \
		"$(ue 1 -d pdc show)" '^srtt: [0-9]+(\.[0-9]{3})?[mu]s$'
	assert_match "-s: pdc show has the counters of PDCs" "$(ue 1 -s pdc show | head -n 1)" \
		'TX-REQ .*LOSS-SACK .*NACK-OVERFLOW'
	assert_match "-s: stats shows counters at 0" "$(ue 1 -s stats)" '^tx-drops +0$'
	assert_eq "without -s: stats shows no counters at 0" "$(ue 1 stats | grep -c ' 0$')" 0
	assert_eq "a file gets no colours" "$(ue 1 rail show | grep -c $'\033')" 0
	assert_match "-color forces colours into a file" \
		"$(ue 1 -color rail show)" $'\033\\[32myes'
	assert_eq "colours change no character" \
		"$(ue 1 -color=always rail show | sed 's/\x1b\[[0-9;]*m//g')" \
		"$(ue 1 rail show)"
	assert_match "a terminal gets colours" "$(terminal TERM=xterm)" $'\033\\['
	assert_eq "NO_COLOR switches colours off" \
		"$(terminal TERM=xterm NO_COLOR=1 | grep -c $'\033')" 0
	assert_eq "a dumb terminal gets no colours" "$(terminal TERM=dumb | grep -c $'\033')" 0
	assert_eq "the completion offers names of FEPs" "$(ue 1 -complete -- fep show '')" fep0
	assert_eq "the completion offers names of rails in a list" \
		"$(ue 1 -complete -- fep add f addr 10.64.0.1 rails r0,)" \
		$'r0,r0\nr0,r1'
	assert_eq "the completion offers numbers of jobs" "$(ue 1 -complete -- job del '')" 1
}

# Users of ip type the same words.
habits()
{
	local all

	all=$(ue 1 rail show)
	for words in rail 'rail ls' 'rail list' 'r s' 'ra sh'; do
		# shellcheck disable=SC2086 # words
		assert_eq "ueadm $words is the same as its long form" \
			"$(ue 1 $words | cut -c 1-25)" \
			"$(cut -c 1-25 <<< "$all")"
	done
	assert_match "options may stand behind the object" \
		"$(ue 1 rail show -j)" '^\[\{"dev":"r0"'
	assert_match "-c=always forces colours into a file" \
		"$(ue 1 -c=always rail)" $'\033\\[32myes'
	assert_eq "ep show job prints the endpoints of that job" \
		"$(ue 1 -o ep show job 1 | wc -l)" 1
	assert_eq "ep show job prints no endpoints of another job" \
		"$(ue 1 -o ep show job 2 | wc -l)" 0
	assert_eq "pdc show peer prints the PDCs of that peer" \
		"$(ue 1 -j pdc show peer 10.0.0.2 |
		gojq -r '.[].peer' | sort -u)" 10.0.0.2
	assert_eq "pdc show prints no PDCs of another peer" \
		"$(ue 1 -o pdc show fep fep0 peer 10.0.0.9 | wc -l)" 0
	assert_eq "ueadm says which FEP uses a rail" "$(ue 1 rail del r0 2>&1)" \
		"ueadm: rail r0: in use by fep fep0"
	assert_match "ueadm says which job uses a FEP" "$(ue 1 fep del fep0 2>&1)" \
		'^ueadm: fep fep0: in use by job 1$'
	assert_match "ueadm says which process uses a job" "$(ue 1 job del 1 2>&1)" \
		'^ueadm: job 1: in use by process [0-9]+ \(msgs\)$'
	assert_match "DSCPs are called so" "$(ue 1 fep)" ' DSCP  DSCP-RETX  DSCP-CONTROL '
}

# missing TEXT WORD...: refused, with this text alone
missing()
{
	local text=$1
	shift

	assert_eq "ueadm says that \"$*\" names no object" "$(ue 1 "$@" 2>&1)" "ueadm: $text"
}

# What is not there is named, as it was typed.
nothing_there()
{
	local gone='none of this fep and id failed lately'
	local never='the fep has no such peer, and had none lately'

	missing 'rail lo: netdev is not a rail' rail del lo
	missing 'rail lo: netdev is not a rail' rail show lo
	missing 'rail lo: netdev is not a rail' rail set lo ingress on
	missing 'fep f7: no such fep' fep del f7
	missing 'fep f7: no such fep' fep show f7
	missing 'fep f7: no such fep' fep set f7 window 128
	missing 'fep: rails lo: netdev is not a rail, see rail add' \
		fep add f7 addr 10.64.0.1 rails r0,lo mtu 1024
	missing 'fep: sd s7: no such sd' \
		fep add f7 addr 10.64.0.1 rails r0 mtu 1024 sd s7
	missing 'job 77: no such job' job del 77
	missing 'job 77: no such job' job show 77
	missing 'job: feps f7: no such fep' job add 77 feps fep0,f7
	missing 'sd s7: no such sd' sd del s7
	missing 'sd s7: no such sd' sd show s7
	missing 'pdc fep fep0 id 65000: no such pdc' pdc show fep fep0 id 65000
	missing 'pdc fep fep0 id 65000: no such pdc' pdc del fep fep0 id 65000
	missing "pdc fep fep0 id 65000: $gone" pdc history fep fep0 id 65000
	missing "peer fep fep0 addr 10.0.0.7: $never" \
		peer show fep fep0 addr 10.0.0.7
	missing 'ccc fep fep0 fa 10.0.0.7: no such peer' \
		ccc show fep fep0 fa 10.0.0.7
	missing 'ep fep fep0 job 1 pid 9 ri 7: no such endpoint, or without CAP_NET_ADMIN one of another user' \
		ep show fep fep0 job 1 pid 9 ri 7
	missing 'ping f7 10.0.0.2: no such fep' ping f7 10.0.0.2
	missing 'ping: rail lo: the fep has no such rail' \
		ping fep0 10.0.0.2 rail lo
}

# An address whose duplicate address detection takes longer than the test.
tentative()
{
	on 1 sysctl -q net.ipv6.conf.r0.accept_dad=1 \
		net.ipv6.conf.r0.dad_transmits=1000 &&
		ip -n "${NS[1]}" address add fd00::9/128 dev r0
}

# What is in the way is named.
conflicts()
{
	local fep=(fep add f7 addr 10.64.0.1 rails r0 mtu 1024)

	missing 'fep fep0: name is taken' \
		fep add fep0 addr 10.64.0.1 rails r0 mtu 1024
	missing 'job 1: id is taken' job add 1 feps fep0
	missing 'rail r0: netdev is a rail already' rail add r0 plane 3
	missing 'fep f7: fep fep0 has addr 10.0.0.1' \
		fep add f7 addr 10.0.0.1 rails r0 mtu 1024
	must ip -n "${NS[1]}" link add n0 mtu 9000 type dummy
	must ue 1 rail add n0 plane 1
	missing 'fep f7: rails r1 and n0 are both on plane 1, they must be on different planes' \
		fep add f7 addr 10.64.0.1 rails n0,r1 mtu 1024
	must ue 1 rail del n0
	start port 1 /usr/bin/python3 -S -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.64.0.1", 4794)); print("bound", flush=True); time.sleep(600)'
	wait_for "a program has the port" 60 grep -q bound "$TMP/port.out"
	missing 'fep f7: another socket has UDP port 4794 of 10.64.0.1: ss -ulnp sport = 4794' \
		"${fep[@]}" port 4794
	stop port
	missing 'fep f7: addr 10.9.9.9 is no address of this namespace: ip address add 10.9.9.9/32 dev lo' \
		fep add f7 addr 10.9.9.9 rails r0 mtu 1024
	missing 'fep f7: addr fe80::9 is no address of this namespace: ip address add fe80::9/64 dev r0' \
		fep add f7 addr fe80::9%r0 rails r0 mtu 1024
	must tentative
	missing 'fep f7: addr fd00::9 is tentative, or another host has it: ip address show to fd00::9' \
		fep add f7 addr fd00::9 rails r0 mtu 1024
	must ip -n "${NS[1]}" address del fd00::9/128 dev r0
	assert_eq "nothing is left of them" "$(ue 1 -o fep show | wc -l)" 1
}

# terminal VARIABLE...: a table as it is printed there
terminal()
{
	on 1 script -qec "env -u NO_COLOR $* ueadm rail show" /dev/null < /dev/null
}

#-------------------------------------------------------------------- MTUs

# narrow NETDEV MTU
narrow()
{
	must ip -n "${NS[3]}" link set "$1" mtu "$2"
}

# mtu_of FEP: of node 3
mtu_of()
{
	ue 3 -j fep show "$1" | gojq -r '.[0].mtu'
}

# On a node of its own with the MTUs that people have.
mtus()
{
	local fep=(fep add f addr 127.0.0.1 rails)

	add_node 3
	for dev in n0 n1; do
		must ip -n "${NS[3]}" link add name $dev mtu 1500 type dummy
		must ip -n "${NS[3]}" link set $dev up
	done
	must ip -n "${NS[3]}" link set lo up
	must ue 3 rail add n0 plane 0
	must ue 3 rail add n1 plane 1
	assert_eq "MTU 1500: ueadm takes the largest mtu that fits, and says so" \
		"$(ue 3 "${fep[@]}" n0 2>&1) $(mtu_of f)" \
		"ueadm: fep f: mtu 1024 is the largest that fits rail n0 (MTU 1500); peers need the same 1024"
	must ue 3 fep del f
	narrow n1 9000
	assert_match "two rails: the smaller one decides" \
		"$(ue 3 "${fep[@]}" n1,n0 2>&1; mtu_of f)" '^1024$'
	must ue 3 fep del f
	assert_eq "an mtu that does not fit is refused with what fits" \
		"$(ue 3 "${fep[@]}" n1 2>&1; mtu_of f)" 4096
	must ue 3 fep del f
	assert_eq "an mtu that does not fit: rail, its MTU, need, what fits" \
		"$(ue 3 "${fep[@]}" n1,n0 mtu 4096 2>&1)" \
		"ueadm: fep f: rail n0 has MTU 1500, mtu 4096 needs 4184; the largest mtu that fits is 1024, or: ip link set dev n0 mtu 4184"
	narrow n0 1111
	assert_eq "ueadm says that no mtu fits" "$(ue 3 "${fep[@]}" n0 2>&1)" \
		"ueadm: fep f: rail n0 has MTU 1111, the smallest mtu, 1024, needs 1112: ip link set dev n0 mtu 1112"
	narrow n0 1112
	assert_match "headers that just fit are accepted" \
		"$(ue 3 "${fep[@]}" n0 2>&1; mtu_of f)" '^1024$'
	must ue 3 fep del f
	narrow n0 1115
	assert_match "cc with credit needs 4 bytes more" \
		"$(ue 3 "${fep[@]}" n0 cc rccc 2>&1)" 'needs 1116: '
	must ue 3 reset
}

#---------------------------------------------------------------------- events

# watch NAME OPTION... -- WORD...
watch()
{
	local name=$1 options=()
	shift

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	start "$name" 1 ueadm "${options[@]}" monitor "$@"
}

# sees NAME REGEX: in what it has printed so far
sees()
{
	grep -qE -- "$2" "$TMP/$1.out"
}

# An event tells that they listen.
listen()
{
	ue 1 fep set fep0 window 256
	sees all . && sees json . && sees feps . && sees pdcs .
}

events()
{
	local stamp='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}[-+][0-9]{4}'

	watch all -t --
	watch json -j -t --
	watch feps -- fep
	watch pdcs -- fep pdc
	wait_for "all monitors listen" 30 listen
	must ue 1 job add 9 feps fep0
	must ue 1 job del 9
	must ip -n "${NS[1]}" link set r1 down
	must ue 1 fep set fep0 window 128
	must ip -n "${NS[1]}" link set r1 up
	check "events: a monitor prints a new job" busywait 10 \
		sees all "^$stamp job 9 added: feps fep0, uid 0$"
	check "events: a monitor prints a deleted job" busywait 10 \
		sees all "^$stamp job 9 deleted$"
	check "events: a monitor prints that a rail is down" busywait 10 \
		sees all "^$stamp rail r1 changed: usable yes -> no$"
	check "events: -j prints each event as one line of JSON" busywait 10 sees json \
		"^\{\"timestamp\":\"$stamp\",\"object\":\"job\",\"deleted\":true,\"job\":\{\"id\":9"
	check "events: a monitor of FEPs prints their changes" busywait 10 sees feps \
		'^fep fep0 changed: window 256 -> 128$'
	pdc_events
	must ue 1 fep set fep0 rto-init 6ms rto-max 20ms nack-retx 70us \
		nack-retx-max 900us max-nack-retx 5 max-rto-retx 3 idle 70s \
		ack-on-ecn no
	check "events: a change of times has units" busywait 10 sees feps \
		'^fep fep0 changed: .*rto-init 20ms -> 5ms.*rto-max 2s -> 10ms'
	check "events: more changes than fit are cut" busywait 10 sees feps \
		'^fep fep0 changed: .*rto-init 5ms -> 6ms.{50,}\.\.\.$'
	for name in all json feps pdcs; do stop "$name" TERM; done
	assert_json "events: each line is JSON" "$TMP/json.out" \
		'.object and (.deleted | type == "boolean")'
	assert_eq "events: no line has 120 characters" \
		"$(cat "$TMP"/{all,feps,pdcs}.out | grep -cE '.{120}')" 0
	assert_eq "events: a monitor of FEPs prints no other objects" \
		"$(grep -cv '^fep ' "$TMP/feps.out")" 0
	assert_eq "events: a monitor of FEPs and PDCs prints no other objects" \
		"$(grep -cvE '^(fep|pdc) ' "$TMP/pdcs.out")" 0
}

# pdc_events: one that is opened and closed, and one that nobody answers
pdc_events()
{
	local change

	stop tx
	transfer "events: messages on a PDC of their own" 1 2 6 -n 1 -s 100000
	for change in 'opened: state SYN_SENT' \
		'changed: state SYN_SENT -> ESTABLISHED' closed; do
		check "events: a monitor prints that a PDC is $change" busywait 30 sees pdcs \
			"^pdc fep0 [0-9]+ to 10.0.0.2 $change$"
	done
	check "events: the closed PDC has its counters" busywait 30 sees json \
		'"state":"CLOSED".*"tx-req":[1-9]'
	must ue 1 fep set fep0 rto-init 5ms rto-max 10ms max-rto-retx 2
	must ip -n "${NS[1]}" route add 10.0.0.9 via 10.64.0.9 dev r0
	must ip -n "${NS[1]}" neigh add 10.64.0.9 dev r0 lladdr 02:00:00:00:00:09
	if on 1 uetcat 10.0.0.9 <<< nobody > "$TMP/nobody" 2>&1; then
		not_ok "events: a sender to nobody fails"
	else
		ok "events: a sender to nobody fails"
	fi
	check "events: a monitor prints that a PDC fails, and why" busywait 30 sees pdcs \
		'^pdc fep0 [0-9]+ to 10.0.0.9 failed: timeout$'
	check "events: -j prints the error of a PDC" busywait 30 sees json \
		'"object":"pdc","deleted":false,"pdc":\{.*"state":"ERROR","error":"timeout"'
}

#-------------------------------------------------------------------- counters

# A netdev may have almost any name.
openmetrics()
{
	local odd='o"d\d' json status

	must ip -n "${NS[1]}" link add "$odd" type dummy
	must ip -n "${NS[1]}" link set "$odd" mtu 9000
	must ue 1 rail add "$odd" plane 4294967295
	ue 1 stats --openmetrics > "$TMP/metrics"
	assert_eq "OpenMetrics: ueadm has status 0" $? 0
	json=$(stats 1)
	"$NET_DIR/control/openmetrics" "$TMP/metrics" > "$TMP/parsed" 2> "$TMP/why"
	status=$?
	if [ $status -eq 77 ]; then
		skip "OpenMetrics: the parser of Prometheus accepts it" "$(cat "$TMP/why")"
		return
	fi
	assert_eq "OpenMetrics: the parser of Prometheus accepts it" \
		$status 0 || diag < "$TMP/why"
	metric "a counter" "uet_tx_req_total{} $(counter_in "$json" tx-req)"
	metric "a counter with a unit" \
		"uet_tx_bytes_total{} $(counter_in "$json" tx-bytes)"
	metric "a reason" 'uet_dropped_packets_total{reason=bad-type} 0'
	metric "a rail" 'uet_rail_usable{dev=r0,plane=0} 1'
	metric "a rail's packets" "uet_rail_tx_packets_total{dev=r0,plane=0} $(
		rail_packets 1 r0 tx)"
	metric "a rail of an odd name" \
		"uet_rail_usable{dev=$odd,plane=4294967295} 0"
	metric "a rail of a FEP" \
		'uet_fep_rail_usable{dev=r1,fep=fep0,plane=1,state=usable} 1'
	metric "a FEP" \
		'uet_fep_info{addr=10.0.0.1,encap=udp,fep=fep0,protect=crc} 1'
	metric "a job" 'uet_job_endpoints{job=1} 1'
	assert_match "OpenMetrics: PDCs are counted by state" "$(cat "$TMP/parsed")" \
		'^uet_pdcs\{fep=fep0,mode=rud,role=initiator,state=[^,}]+\} [1-9]'
	assert_match "OpenMetrics: the module has its version" "$(cat "$TMP/parsed")" \
		'^uet_module_info\{version=.*\} 1$'
	must ue 1 rail del "$odd"
}

# Intervals: what has changed, and nothing else.
intervals()
{
	local job

	assert_match "stats -i: a title stands without any change" \
		"$(ue 1 stats -i 1 count 1)" \
		'^COUNTER +CHANGE +PER-SECOND$'
	start watch 1 ueadm -j stats -i 1 count 3
	ue 1 ping fep0 10.0.0.2 count 5 interval 0 > /dev/null
	check "stats -i: ueadm ends after its count" finish watch
	assert_eq "stats -i: each interval has an object" \
		"$(gojq -c '.changes | type' "$TMP/watch.out" | sort | uniq -c | xargs)" \
		'3 object'
	job=$(gojq -s '[.[].changes["rudi-req"] // 0] | add' "$TMP/watch.out")
	assert_le "stats -i: it prints changes instead of values" "$job" 5
	for dev in r0 r1; do
		assert_eq "stats -i: it prints no counter of $dev at 0" "$(
			gojq ".changes[\"$dev tx-packets\"] == 0" "$TMP/watch.out" |
				grep -c true)" 0
	done
}

# metric TEXT LINE
metric()
{
	check "OpenMetrics: $1 has its sample" grep -qxF -- "$2" "$TMP/parsed"
}

mtus
batches
# A PDC that stays, however slow the machine.
must ue 1 fep set fep0 idle 0
must ue 2 fep set fep0 target-idle 0
sink rx 2 5 -n 20
source_to tx 1 2 5 -n 20 -s 0,1,5000,100000 -H
check "the receiver ends without an error" finish rx
options
habits
nothing_there
conflicts
intervals
openmetrics
events
finish_tests
