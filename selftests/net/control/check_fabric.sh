#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Faults of a fabric that "ueadm check" names in its first line: a slow rail, crossed cables,
# an address on two nodes, a peer without PDCs, VRFs, queues without ECN, or with too early a
# mark; and the rate of retransmissions in
# "top", in "stats" and in the counters of the exporter.
#
#	node1, node2, node3: a bridge for each plane
#
# clock: virtual; size: all; takes: 41 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../findings.sh"

# retx RAIL OP N: packets of a rail of node 1 that were sent again
retx()
{
	compare "$(ue 1 -j rail show | gojq ".[] | select(.dev == \"$1\")[\"tx-retx\"]")" "$2" "$3"
}

slow_rail()
{
	local out

	must tc -n "${NS[fabric]}" qdisc add dev p1-n2 root tbf rate 20mbit burst 10k limit 20k
	# Congestion control would lose too few.
	must ue 1 fep set fep0 cc none
	sink slow 2 5 -n 80
	source_to tx 1 2 5 -n 80 -s 262144
	wait_for "a slow rail loses packets" 60 retx r1 -ge 400
	first "a slow rail under load" \
		'^warning: rail r1: [0-9]+ % of its packets are sent again, [0-9]+ of [0-9]+ in the last seconds; rail r0: [0-9]+ of [0-9]+ in all'
	out=$(ue 1 top rail -b -n 1 -i 1)
	assert_match "top has a column for it" "$out" '^RAIL .*RETX%'
	out=$(ue 1 stats show fep0)
	assert_match "stats show has the counters of a FEP" "$out" '^FEP .*RETX'
	stop tx
	stop slow
	must tc -n "${NS[fabric]}" qdisc del dev p1-n2 root
	first "a rail that was slow" \
		'^hint: rail r1: [0-9]+ % of its packets are sent again, [0-9]+ of [0-9]+ in all; rail r0: 0 of ' 1 0
	out=$(ue 1 stats --openmetrics)
	assert_match "the exporter has it for each rail" "$out" \
		'^uet_rail_tx_retx_total\{dev="r1",plane="1"\} [1-9]'
	assert_match "the exporter has it for each peer" "$out" \
		'^uet_peer_tx_retx_total\{fep="fep0",addr="10.0.0.2"\} [1-9]'
	must ue 1 job del 1
	must ue 1 fep del fep0
	must ue 1 rail del r1
	must ue 1 rail add r1 plane 1
	add_fep 1 crc
}

# ports QDISC...: of the switches in front of node 2; nothing: as they were.  A context of
# node 1 then has 1,000 ACKs
ports()
{
	local p

	for p in 0 1; do
		tc -n "${NS[fabric]}" qdisc del dev p$p-n2 root 2> /dev/null
		[ $# -eq 0 ] || must tc -n "${NS[fabric]}" qdisc add dev p$p-n2 root "$@"
	done
	[ $# -gt 0 ] || return
	must ue 1 job del 1
	must ue 1 fep del fep0
	add_fep 1 crc
	# So few that they do not wait for the CPU.
	must ue 1 fep set fep0 window 128
	sink rx 2 5 -n 200
	source_to tx 1 2 5 -n 200 -s 262144 -H
	check "$*: all messages arrive" finish rx
}

# among TEXT PATTERN: a line of the check of node 1 matches
among()
{
	assert_match "$1: the check tells it" "$(ue 1 -o check peer 10.0.0.2 2>&1)" "$2" ||
		ue 1 -j ccc show | diag
}

signs()
{
	ports tbf rate 200mbit burst 10k limit 60k
	among "queues that drop and do not mark" \
		'hint: peer 10.0.0.2: [0-9]+ packets were lost, and none of [0-9]+ ACKs is marked: queues of the path drop and do not mark'
	stop tx
	ports netem delay 10ms loss 99% ecn
	among "marks without a queue" \
		'warning: peer 10.0.0.2: [0-9]+ of [0-9]+ ACKs are marked, but packets wait in no queue: a switch marks too early'
	stop tx
	ports
}

# cross NODE A B: the cables of a node are in the switches of planes A and B
cross()
{
	must ip -n "${NS[fabric]}" link set "p0-n$1" master "plane$2"
	must ip -n "${NS[fabric]}" link set "p1-n$1" master "plane$3"
	must ip -n "${NS[$1]}" neigh flush all
	must ip -n "${NS[2]}" neigh flush all
}

crossed()
{
	cross 1 1 0
	first "cables that were crossed" \
		'^error: rail r0: this rail of plane 0 reaches plane 1: what it sends to 10\.64\.0\.2 is answered over rail r1'
	cross 1 0 1
	fine "cables are straight"
}

twins()
{
	must ip -n "${NS[3]}" addr add 10.0.0.2/32 dev fa0
	first "a fabric address on two nodes" \
		'^error: peer 10\.0\.0\.2: several nodes answer for 10\.0\.0\.2 on rail r0: 02:00:00:00:00:0[23], 02:00:00:00:00:0[23]'
	must ip -n "${NS[3]}" addr del 10.0.0.2/32 dev fa0
	must ip -n "${NS[3]}" addr add 10.64.0.2/24 dev r0
	first "a rail address on two nodes" \
		'^error: peer 10\.0\.0\.2: several nodes answer for 10\.64\.0\.2 on rail r0: '
	must ip -n "${NS[3]}" addr del 10.64.0.2/24 dev r0
	must ip -n "${NS[1]}" neigh flush all
	fine "one node for each address"
}

vrf()
{
	local out

	must ip -n "${NS[3]}" link add red type vrf table 10
	must ip -n "${NS[3]}" link set red up
	must ue 3 job del 1
	must ue 3 fep del fep0
	must ip -n "${NS[3]}" link set fa0 master red
	out=$(ue 3 fep add fep0 addr 10.0.0.3 rails r0,r1 2>&1)
	assert_match "an address in a VRF is refused with the reason" "$out" \
		'addr 10.0.0.3 is in the VRF red, and FEPs are outside of VRFs only: ip link set dev fa0 nomaster$'
	must ip -n "${NS[3]}" link set fa0 nomaster
	must ue 3 rail del r0
	must ip -n "${NS[3]}" link set r0 master red
	assert_match "a rail in a VRF is taken with a note" "$(ue 3 rail add r0 plane 0 2>&1)" \
		'rail r0: it is in the VRF red, and FEPs use rails and addresses outside of VRFs only'
	must ue 3 fep add fep0 addr 10.0.0.3 rails r0,r1
	must ue 3 job add 1 feps fep0
	first "a rail in a VRF" \
		'^error: rail r0: the netdev is in the VRF red: FEPs use rails and addresses outside of VRFs only: ip link set dev r0 nomaster$' \
		3 1 1
	must ip -n "${NS[3]}" link set r0 nomaster
	must ip -n "${NS[3]}" link del red
}

# quota: others have all PDCs of node 2
quota()
{
	local limit=/sys/module/uet/parameters/max_targets peer out

	echo 4 > $limit
	must ue 2 job del 1
	must ue 2 fep del fep0
	add_fep 2 crc
	echo 0 > $limit
	must ue 2 fep set fep0 target-idle 0
	must ue 1 fep set fep0 max-rto-retx 15 rto-max 30s orphan 1s
	sink rx 2 5 -n 1
	for peer in 1 2 3; do
		must on 3 hostile -S $peer -c -a "10.9.0.$peer" -n 10 -p 99 syn 10.0.0.2
	done
	source_to tx 1 2 5 -s 5000
	wait_for "a PDC is refused" 30 counter_is 1 rx-nack -ge 1
	first "a peer without PDCs, at the sender" \
		'^error: peer 10\.0\.0\.2: it has no PDC left for fep fep0, its quota is used up: it refused PDC [0-9]+ [0-9]+ times'
	out=$(ue 2 -o check peer 10.0.0.1 2>&1)
	assert_match "a peer without PDCs, there: the check tells that PDCs were refused" \
		"$out" \
		'^hint: no-pdc-space: [0-9]+ PDCs of peers were refused, because peers open more PDCs than this host gives them: the quota'
	assert_match "a peer without PDCs, there: the check names who has most of them" \
		"$out" \
		'the quota .*; 10\.9\.0\.1 at fep fep0 has [1-4](, 10\.9\.0\.[23] at fep fep0 has 1)*: ueadm'
	stop tx
	stop rx
}

setup_fabric --nodes 3
crossed
twins
vrf
slow_rail
signs
quota
finish_tests
