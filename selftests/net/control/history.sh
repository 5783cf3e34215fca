#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What an engineer on call asks afterwards and meanwhile: PDCs that failed, with peer and
# reason; who has an endpoint open; rates of PDCs, peers and rails; and messages that
# survive a switch that is away for minutes.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 12 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

# columns ARGS...: of ueadm on node 1, one blank between
columns()
{
	ue 1 "$@" | tr -s ' '
}

history()
{
	local out status

	assert_eq "no PDC has failed" "$(ue 1 pdc history)" ""
	assert_eq "pdc history -j prints an empty list at first" "$(ue 1 -j pdc history)" "[]"
	must ue 1 fep set fep0 rto-init 5ms rto-max 10ms max-rto-retx 2
	must ip -n "${NS[1]}" route add 10.0.0.9 via 10.64.0.9 dev r0
	must ip -n "${NS[1]}" neigh add 10.64.0.9 dev r0 lladdr 02:00:00:00:00:09
	out=$(on 1 uetcat 10.0.0.9 2>&1 <<< nobody)
	status=$?
	assert_eq "a sender to nobody ends with an error" \
		"$((status != 0))" 1 || diag <<< "$out"
	check "the failure is in the history" busywait 10 is_failed
	assert_match "pdc history shows peer, reason and lost messages" \
		"$(columns pdc history)" \
		' fep0 [0-9]+ 10\.0\.0\.9 initiator timeout 2 .* - 2 [0-9]+ 0$'
	assert_eq "pdc history has as many rows as pdc-failed counts" \
		"$(ue 1 -j pdc history | gojq length)" \
		"$(ue 1 -j stats | gojq '.mib["pdc-failed"]')"
	assert_eq "pdc history shows the PDC of a peer" \
		"$(ue 1 -j pdc history peer 10.0.0.9 | gojq length)" 1
	assert_eq "pdc history shows no PDC of another peer" \
		"$(ue 1 -j pdc history peer 10.0.0.2 | gojq length)" 0
	assert_match "the kernel log has it" "$(dmesg)" \
		'uet: fep0: PDC [0-9]+ to 10\.0\.0\.9 failed: timeout; messages lost 2, packets sent 2, again [0-9]+, received 0'
	assert_match "a user may not look" \
		"$(on 1 setpriv --reuid 1000 --regid 1000 --clear-groups \
		ueadm pdc history 2>&1)" 'CAP_NET_ADMIN'
	must ue 1 fep set fep0 rto-max 2s rto-init 20ms max-rto-retx 8
}

is_failed()
{
	[ "$(ue 1 -j pdc history | gojq length)" = 1 ]
}

is_bound()
{
	[ "$(ue "$1" -j ep show | gojq length)" = 1 ]
}

endpoint()
{
	local pid

	start reader 1 uetcat -l
	check "a reader is bound" busywait 10 is_bound 1
	pid=$(ue 1 -j ep show | gojq '.[0].process')
	assert_eq "ep show: the process is uetcat" "$(cat "/proc/$pid/comm")" uetcat
	assert_match "ep show: the row has type and process" "$(columns ep show job 1)" \
		" (rdm|seqpacket) .* $pid/uetcat "
	assert_eq "ep show: no receives, no regions" \
		"$(ue 1 -j ep show | gojq -c '.[0] | [.posted, .regions]')" '[0,0]'
	assert_eq "ep show: it shows no endpoint of another job" "$(ue 1 ep show job 2)" ""
	assert_match "a job in use names the process" "$(ue 1 job del 1 2>&1)" \
		"in use by process $pid \(uetcat\)"
	assert_match "a FEP in use names the job" "$(ue 1 fep del fep0 2>&1)" \
		'in use by job 1'
	must kill -STOP "${PID[reader]}"
	on 2 uetcat 10.0.0.1 <<< waiting > /dev/null 2>&1
	assert_ge "ep show: bytes that it has not read" \
		"$(ue 1 -j ep show | gojq '.[0].unread')" 8
	must kill -CONT "${PID[reader]}"
	check "the reader has it" finish reader
	resources
}

# An endpoint with two regions and three posted receives.
resources()
{
	local -x PYTHONPATH=$REPO/build/python LD_LIBRARY_PATH=$REPO/build/libuet
	local -x PYTHONDONTWRITEBYTECODE=1

	start holder 1 python3 -c 'import time, uet
endpoint = uet.Endpoint(peers=["10.0.0.1/20"], job=1)
regions = [endpoint.register(bytearray(4096)) for _ in range(2)]
for n in range(3): endpoint.post(regions[0], cookie=n)
print("ready", flush=True); time.sleep(600)'
	wait_for "an endpoint has receives and regions" 60 grep -q ready \
		"$TMP/holder.out"
	assert_eq "ep show: it counts posted receives and regions" \
		"$(ue 1 -j ep show | gojq -c '.[0] | [.posted, .regions]')" '[3,2]'
	stop holder
}

top()
{
	local out

	out=$(ue 1 top -b -n 2)
	assert_eq "top: it prints two tables" "$(grep -c ' PDCs, 2 rails; by tx' <<< "$out")" 2
	out=$(ue 1 -j top rail sort rx -n 1)
	assert_eq "top: it has both rails" "$(gojq -c 'map(.dev) | sort' <<< "$out")" \
		'["r0","r1"]'
	assert_match "top: it refuses a wrong key" "$(ue 1 top sort tz 2>&1)" \
		'sort must be tx\|rx\|loss\|rtt\|queue'
	start busy 2 uetcat -l
	check "top: the reader at the peer is bound" busywait 10 is_bound 2
	start sender 1 bash -c 'exec uetcat 10.0.0.2 < \
		<(while head -c 100000 /dev/zero; do sleep 0.1; done 2> /dev/null)'
	out=$(ue 1 top peer -b -n 3)
	assert_match "top: it has a row for the peer" "$(tr -s ' ' <<< "$out")" \
		'^fep0 10\.0\.0\.2 1 [0-9.]+[kMG]? [0-9.]+[kMG]? [0-9.]+ '
	assert_eq "top: fits 80 columns" "$(grep -cE '.{81}' <<< "$out")" 0
	stop sender TERM
	stop busy TERM
	# Without the peer, what the sender has not delivered would hold its namespace for a minute.
	check "top: nothing is under way" busywait 30 nr_pdcs_are 1 -eq 0
}

# A switch that reboots for three minutes: both rails are dark, and the message arrives.
survive()
{
	local n

	for n in 1 2; do must ue $n fep set fep0 peer-timeout 300s; done
	start sink 2 uetcat -l
	check "survival: the reader is bound" busywait 10 is_bound 2
	for n in 0 1; do
		must tc -n "${NS[1]}" qdisc add dev r$n root netem loss 100%
	done
	start late 1 sh -c 'echo survived | uetcat 10.0.0.2'
	pause 180000
	check "survival: the sender waits" running late
	for n in 0 1; do must tc -n "${NS[1]}" qdisc del dev r$n root; done
	finish late
	check "survival: the message arrives" busywait 30 \
		grep -q survived "$TMP/sink.out"
	assert_eq "survival: no PDC has failed" \
		"$(ue 1 -j pdc history | gojq length)" 1
	stop sink TERM
}

setup_fabric
history
endpoint
survive
top
finish_tests
