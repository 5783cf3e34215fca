#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A user of a host does not speak for its kernel: no packet of his reaches the UDP port of
# a FEP, here or on another host, so he claims no job, replaces no message and ends no PDC
# of others.  Nor does he learn their PDCIDs and PSNs.  Root may still forge packets, which
# shows that the attacks would work.
#
#	node1 (user 1000) ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 5 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# as NODE COMMAND...: user 1000 without any privilege
as()
{
	local node=$1
	shift
	on "$node" setpriv --reuid 1000 --regid 1000 --clear-groups \
		--inh-caps=-all --bounding-set=-all "$@"
}

# forge TEXT NODE ARGS...: the user's packets to node 2 are dropped where he sends them,
# and counted there; the FEP sees none
forge()
{
	local text=$1 node=$2 dropped arrived out
	shift 2
	dropped=$(drops "$node" unprivileged-socket) arrived=$(counter 2 rx-packets)
	out=$(as "$node" hostile -c -n 1 -p 5 "$@" "$(fa 2)" 2>&1)
	assert_match "$text: the user gets EPERM" "$out" 'Operation not permitted'
	assert_eq "$text: the packet is counted" \
		$(($(drops "$node" unprivileged-socket) - dropped)) 1
	assert_eq "$text: the FEP did not get it" "$(counter 2 rx-packets)" "$arrived"
}

# port_is RULE TEXT TEST...: what user and root can send from node 1, while the port is
# "guarded" or "free"
port_is()
{
	local text=$2
	export UET_RULE=$1
	shift 2
	relay -t "$text" on 1 local_user "$@"
}

setup_fabric
deliveries=$(counter 2 msg-received)
sink rx 2 5 -n 1000
for node in 1 2; do
	forge "a message of job 1, from node $node" $node syn
	forge "an answer, from node $node" $node stray
done
assert_eq "no message came of it" "$(counter 2 msg-received)" "$deliveries"
must on 1 hostile -c -n 1 -p 5 syn "$(fa 2)"
check "root's packet is a message" busywait 30 counter_is 2 msg-received -eq \
	$((deliveries + 1))
stop rx

UET_TARGETS="$(fa 2) $(fa 1) 10.64.0.2 fd00::2 fd00::1 fd00:64::2"
export UET_TARGETS
port_is guarded "a FEP"

transfer "messages pass" 1 2 5 -n 4 -s 70000
MODE=uud transfer "datagrams pass" 1 2 5 -n 4 -s 1000

# The guard lets the packets pass that a FEP sends for the socket of a user.
for node in 1 2; do must ue $node job add 2 feps fep0 uid 1000; done
sink rx 2 6 -j 2 -n 1
check "a user sends datagrams by AF_UET" as 1 msgs send -m uud -j 2 -p 6 "$(fa 2)"
check "the datagrams of the user arrive" finish rx
must ue 1 job del 2

# A queue that takes no packet.
for rail in r0 r1; do
	must tc -n "${NS[1]}" qdisc replace dev $rail root bfifo limit 1
done
dropped=$(drops 1 tx-queue)
out=$(on 1 msgs send -m uud -j 1 -p 6 "$(fa 2)" 2>&1)
assert_match "a datagram that a queue drops fails with ENOBUFS" "$out" \
	'No buffer space|queue of a rail'
assert_eq "a datagram that a queue drops is counted" $(($(drops 1 tx-queue) - dropped)) 1
for rail in r0 r1; do must tc -n "${NS[1]}" qdisc del dev $rail root; done

# The port of each FEP, until the last FEP with that port goes.
must ip -n "${NS[1]}" addr add 10.0.0.9/32 dev fa0
must ue 1 fep add fep9 addr 10.0.0.9 rails r0 mtu 4096 port 4793
must ue 1 job del 1
must ue 1 fep del fep0
port_is guarded "another FEP" __sends
must ue 1 fep del fep9
port_is free "no FEP" __sends
must ue 1 fep add fep9 addr 10.0.0.9 rails r0 mtu 4096 port 4800
port_is free "a FEP with another port" __sends
must ue 1 fep del fep9
must ue 1 fep add fep9 addr 10.0.0.9 rails r0 mtu 4096 encap native
port_is free "a FEP without UDP" __sends
finish_tests
