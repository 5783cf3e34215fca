#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What each FEP, each job and each peer has sent and received: with the counters of the
# namespace as witness, while PDCs are open and after they are gone, with losses, with a
# peer that does not answer, for users, and with more peers than are remembered.
#
#	node1 ==(2 rails)== node2		job 1, job 2: fep0
#
# clock: virtual; size: check; takes: 10 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

fep()
{
	ue "$1" -s -j fep show fep0 | gojq ".[0].counters[\"$2\"]"
}

# job NODE JOB COUNTER
job()
{
	ue "$1" -s -j job show "$2" | gojq ".[0].counters[\"$3\"]"
}

# peer NODE KEY: of the other node
peer()
{
	ue "$1" -j peer show fep fep0 addr "$(fa $((3 - $1)))" | gojq ".[0][\"$2\"]"
}

# all_say TEXT NODE COUNTER VALUE: FEP, job 1 and peer count the same
all_say()
{
	assert_eq "$1: the FEP of node $2 has the right $3" "$(fep "$2" "$3")" "$4"
	assert_eq "$1: job 1 of node $2 has the right $3" "$(job "$2" 1 "$3")" "$4"
	assert_eq "$1: node $2 counts the right $3 for its peer" "$(peer "$2" "$3")" "$4"
}

# witness TEXT: all of node 1's and node 2's agree with the namespace
witness()
{
	all_say "$1" 1 tx-packets "$(counter 1 tx-req)"
	all_say "$1" 1 tx-retx "$(counter 1 tx-retx)"
	all_say "$1" 1 tx-messages "$(counter 1 msg-sent)"
	all_say "$1" 1 timeouts "$(counter 1 rto)"
	all_say "$1" 2 rx-packets "$(counter 2 rx-req)"
	all_say "$1" 2 rx-dups "$(counter 2 rx-dup)"
	all_say "$1" 2 rx-messages "$(counter 2 msg-received)"
}

no_pdcs()
{
	nr_pdcs_are 1 -eq 0 && nr_pdcs_are 2 -eq 0
}

exact()
{
	transfer "messages of job 1" 1 2 7 -n 8 -s 1,70000
	all_say "open" 1 pdcs 1
	all_say "open" 1 tx-bytes 280004
	all_say "open" 2 rx-bytes 280004
	all_say "open" 2 pdcs 1
	witness "open"
	assert_ge "the peer was heard" "$(peer 1 silent-ns)" 0
	assert_ge "the peer has a round-trip time" "$(peer 1 srtt-ns)" 1
	check "the PDCs end" busywait 90 no_pdcs
	witness "closed"
	all_say "closed" 1 tx-bytes 280004
	all_say "closed" 1 failed-pdcs 0
	assert_eq "the peer is remembered" "$(peer 1 open-pdcs)" 0
	assert_ge "the last contact with the peer was a second ago or more" \
		"$(peer 1 silent-ns)" 1000000000
}

losses()
{
	impair loss 5%
	transfer "messages with losses" 1 2 7 -n 40 -s 70000
	impair loss 0%
	witness "losses"
	assert_ge "losses: packets were sent again" "$(fep 1 tx-retx)" 1
}

# Another job, another mode: datagrams have no PDC, so no peer.
jobs()
{
	local before n

	before=$(job 1 1 tx-messages)
	for n in 1 2; do must ue $n job add 2 feps fep0; done
	start rx 2 msgs recv -t $((60 * SCALE)) -j 2 -p 8 -n 3 -a 10.0.0.2
	check "job 2 is bound" busywait 30 nr_eps_are 2 -eq 1
	check "the sender of job 2 ends without an error" \
		on 1 msgs send -j 2 -p 8 -n 3 -s 100 10.0.0.2
	check "the receiver of job 2 gets all messages" finish rx
	assert_eq "job 2 has sent" "$(job 1 2 tx-bytes)" 300
	assert_eq "job 2 has received" "$(job 2 2 rx-messages)" 3
	assert_eq "job 1 sends nothing for job 2" "$(job 1 1 tx-messages)" "$before"
	before=$(fep 2 rx-messages)
	MODE=uud transfer "datagrams" 1 2 9 -n 5 -s 64
	assert_eq "datagrams: the FEP counts each of them" \
		"$(fep 2 rx-messages)" $((before + 5))
	assert_match "job show -s shows the counters of job 2" \
		"$(ue 1 job show -s | tr -s ' ')" \
		'^ *2 - 1 0 3 0 300 3 '
}

failures()
{
	local before

	before=$(fep 2 drops)
	must on 1 hostile -n 20 noise 10.0.0.2
	check "the FEP counts its drops" busywait 10 drops_grew "$before"
	must ue 1 fep set fep0 rto-init 5ms rto-max 10ms max-rto-retx 2
	must ip -n "${NS[1]}" route add 10.0.0.9 via 10.64.0.9 dev r0
	must ip -n "${NS[1]}" neigh add 10.64.0.9 dev r0 lladdr 02:00:00:00:00:09
	on 1 msgs send -t 20 10.0.0.9 > /dev/null 2>&1
	assert_eq "the peer has a failed PDC of the FEP" "$(fep 1 failed-pdcs)" 1
	assert_eq "the job has a failed PDC" "$(job 1 1 failed-pdcs)" 1
	assert_match "peer show addr shows the counters of the peer" \
		"$(ue 1 peer show addr 10.0.0.9 | tr -s ' ')" \
		'^fep0 10\.0\.0\.9 0 - - 1 1 0 [1-9]'
	assert_eq "peer show fep shows both peers of the FEP" \
		"$(ue 1 -j peer show fep fep0 | gojq length)" 2
	must ue 1 fep set fep0 rto-max 2s rto-init 20ms max-rto-retx 8
}

drops_grew()
{
	compare "$(fep 2 drops)" -gt "$1"
}

users()
{
	as_user fep show -s > "$TMP/user"
	assert_match "a user sees a FEP" "$(tr -s ' ' < "$TMP/user")" '^fep0 [1-9]'
	assert_match "a user sees no peers" "$(as_user peer show 2>&1)" \
		'CAP_NET_ADMIN'
	assert_match "peer show says that there is no such peer" \
		"$(ue 1 peer show fep fep0 addr 10.0.0.7 2>&1)" \
		'the fep has no such peer, and had none lately'
	assert_match "peer show says that there is no such FEP" \
		"$(ue 1 peer show fep fep7 addr 10.0.0.7 2>&1)" 'no such fep'
	as_monitor stats --openmetrics > "$TMP/metrics"
	assert_eq "CAP_PERFMON shows the packets that were sent to a peer again" \
		"$(grep -oP "uet_peer_tx_retx_total\{.*\"$(fa 2)\".*\} \K.*" "$TMP/metrics")" \
		"$(peer 1 tx-retx)"
	assert_eq "CAP_PERFMON shows no PDCs" "$(grep -c uet_pdcs "$TMP/metrics")" 0
	assert_match "CAP_PERFMON changes nothing" "$(as_monitor job del 2 2>&1)" \
		'CAP_NET_ADMIN'
	assert_eq "a user sees no peers in OpenMetrics" \
		"$(as_user stats --openmetrics | grep -c uet_peer)" 0
	ue 1 stats --openmetrics > "$TMP/metrics"
	assert_eq "OpenMetrics has the FEP" \
		"$(grep -oP 'uet_fep_tx_messages_total\{fep="fep0"\} \K.*' \
		"$TMP/metrics")" "$(fep 1 tx-messages)"
	assert_eq "OpenMetrics has the job" \
		"$(grep -oP 'uet_job_tx_message_bytes_total\{job="2"\} \K.*' \
		"$TMP/metrics")" "$(job 1 2 tx-bytes)"
}

# as_monitor WORD...: a user with one capability
as_monitor()
{
	on 1 setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all,+perfmon \
		--ambient-caps=-all,+perfmon --bounding-set=-all,+perfmon ueadm "$@"
}

as_user()
{
	on 1 setpriv --reuid 1000 --regid 1000 --clear-groups ueadm "$@"
}

# log_lines: of the kernel log, about PDCs that failed
log_lines()
{
	dmesg | grep -c ' failed: timeout; messages lost '
}

uptime_s()
{
	cut -d . -f 1 /proc/uptime
}

# 300 that do not answer, called from here; 400 that only send a SYN.
many_peers()
{
	local lines from

	lines=$(log_lines)
	from=$(uptime_s)
	must ue 1 fep set fep0 rto-init 5ms rto-max 5ms max-rto-retx 1
	must ip -n "${NS[1]}" route add 10.9.0.0/16 via 10.64.0.9 dev r0
	must on 1 sh -c 'echo 1 > /proc/sys/net/uet/default_job'
	check "300 peers are called" on 1 python3 -c '
import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_RDM, 260)
for i in range(300):
    while True:
        try:
            sock.sendto(b"?", ("10.9.%d.%d" % (i // 250, 1 + i % 250), 7))
            break
        except TimeoutError:
            pass  # of one before
'
	check "all 301 PDCs fail" busywait 30 counter_is 1 pdc-failed -ge 301
	assert_le "ten of them at most are logged in five seconds" \
		$(($(log_lines) - lines)) $(((($(uptime_s) - from) / 5 + 2) * 10))
	assert_eq "256 are remembered" "$(ue 1 -j peer show | gojq length)" 256
	assert_eq "the peer that failed last is remembered" \
		"$(ue 1 -j peer show addr 10.9.1.50 | gojq '.[0].pdcs')" 1
	assert_eq "the peer that failed first is forgotten" \
		"$(ue 1 -j peer show addr 10.0.0.2 | gojq length)" 0
	must ue 2 fep set fep0 target-idle 1s
	must on 1 hostile -c -n 150 -A 150 -a 10.77.0.1 syn 10.0.0.2
	assert_ge "SYNs make PDCs" "$(counter 2 pdc-accepted)" 100
	check "all PDCs of node 2 end" busywait 60 nr_pdcs_are 2 -eq 0
	assert_eq "node 2 forgets the senders beyond its limit" \
		"$(ue 2 -j peer show | gojq -c 'map(.addr)')" '["10.0.0.1"]'
}

setup_fabric
exact
losses
jobs
failures
users
many_peers
finish_tests
