#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A night on call: faults of host, peer and fabric, each made, named by the first line of
# "ueadm check", and mended.  A host is named only if there is evidence from it.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: all; takes: 125 s; limit: 500 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../findings.sh"

# none_says TEXT REGEX: no other line of the last findings matches
none_says()
{
	if grep -qE -- "$2" <<< "$LAST"; then
		not_ok "$1"
		diag <<< "$LAST"
	else
		ok "$1"
	fi
}

# netem NODE RAIL WORDS...; without words no more
netem()
{
	local node=$1 rail=$2
	shift 2

	if [ $# -gt 0 ]; then
		must tc -n "${NS[$node]}" qdisc replace dev "$rail" root "$@"
	else
		must tc -n "${NS[$node]}" qdisc del dev "$rail" root
	fi
}

rules()
{
	on "$1" nft -f - || die "no rules"
}

no_rules()
{
	must on "$1" nft flush ruleset
}

healthy()
{
	local out

	out=$(ue 1 -o check peer 10.0.0.2 2>&1)
	assert_eq "a healthy host has one line" "$(wc -l <<< "$out")" 1
	assert_match "which says that nothing is wrong" "$out" '^nothing is wrong'
}

own_firewall()
{
	rules 1 <<-X
		table inet f { chain in {
			type filter hook input priority 0
			ip saddr 10.0.0.2 counter drop
		}
		}
	X
	first "the own firewall drops the answers" \
		'^error: rail r0: 10.0.0.2 answers, and this host drops the answers: [0-9]+ came in, none reached fep fep0: firewall rule "ip saddr 10.0.0.2 counter .*drop"'
	no_rules 1
	rules 1 <<-X
		table inet f { chain out {
			type filter hook output priority 0
			ip daddr 10.0.0.2 drop
		}
		}
	X
	first "the own firewall drops the requests" \
		'^error: rail r0: this host drops what it sends to 10.0.0.2: none of 4 packets left the rail: firewall rule "ip daddr 10.0.0.2 drop"'
	no_rules 1
	rules 2 <<-X
		table inet f { chain in {
			type filter hook input priority 0
			udp dport 4793 drop
		}
		}
	X
	first "the firewall of the peer drops" \
		'^error: peer 10.0.0.2: it answers ICMP over rail r0, but none of 4 UET packets that left: its firewall drops them'
	no_rules 2
	rules 2 <<-X
		table inet f { chain in {
			type filter hook input priority 0
			udp dport 4793 reject with icmpx admin-prohibited
		}
		}
	X
	first "the firewall of the peer rejects" \
		'^error: peer 10.0.0.2: a firewall there rejects our packets'
	no_rules 2
	fine "no rules again"
}

delay()
{
	netem 2 r1 netem delay 40ms
	first "a delay of 40 ms on a rail" \
		'^warning: rail r1: nothing is lost, but answers of 10.0.0.2 come late: the RTT is 40\.[0-9] ms, above rto-init of [0-9.]+ ms'
	none_says "nothing is called lost" '(packets to .* are|all packets .*) lost'
	none_says "the other rail has no finding" 'rail r0'
	netem 2 r1
	fine "no delay"
}

jobs()
{
	must ue 2 job del 1
	must ue 2 job add 7 feps fep0
	first "the peer has another job" \
		'^warning: peer 10.0.0.2: its FEP has no job of fep fep0: here is 1, there is 7'
	must ue 2 job del 7
	first "the peer has no job" \
		'^warning: peer 10.0.0.2: its FEP has no job of fep fep0: here is 1, and of 1 to 32 none is there'
	must ue 2 job add 1 feps fep0
	fine "the same job"
}

mtus()
{
	fep 2 mtu 1024
	first "a smaller Payload MTU at the peer" \
		'^error: fep fep0: its Payload MTU is 4096, but that of the peer 10.0.0.2 is 1024: .*: ueadm fep del and add with mtu 4096, at the peer$'
	fep 2
	must ip -n "${NS[2]}" link set r0 mtu 1500
	must ip -n "${NS[2]}" link set r1 mtu 1500
	first "the MTUs of the peer are below what its FEP needs" \
		'^error: rail r0: the MTU at 10.0.0.2 or on the path to it is below 4184'
	none_says "no alternatives are named" 'encap|firewall'
	first "the peer itself says it" \
		'^error: fep fep0: rail r0 has MTU 1500, but packets with mtu 4096 take 4184: ip link set dev r0 mtu 4184$' 2
	must ip -n "${NS[2]}" link set r0 mtu "$LINK_MTU"
	must ip -n "${NS[2]}" link set r1 mtu "$LINK_MTU"
	must tc -n "${NS[2]}" qdisc add dev r0 ingress
	must tc -n "${NS[2]}" filter add dev r0 ingress matchall action police \
		rate 1gbit burst 1m mtu 2000 conform-exceed drop
	first "an MTU hole on one rail" \
		'^error: rail r0: the MTU at 10.0.0.2 or on the path to it is below 4184'
	none_says "the healthy rail is not blamed" 'rail r1'
	must tc -n "${NS[2]}" qdisc del dev r0 ingress
	fine "MTUs are equal"
}

dead_rail()
{
	netem 2 r0 netem loss 100%
	must tc -n "${NS[2]}" qdisc add dev r0 ingress
	must tc -n "${NS[2]}" filter add dev r0 ingress matchall action drop
	first "a dead rail" '^error: rail r0: (all packets to 10.0.0.2 are lost|the next hop 10.64.0.2 does not answer ARP)'
	none_says "the rail beside it is not blamed" 'rail r1'
	must tc -n "${NS[2]}" qdisc del dev r0 ingress
	netem 2 r0
	must ip -n "${NS[1]}" neigh flush dev r0
	fine "no dead rail"
}

one_way()
{
	netem 2 r0 netem loss 100%
	first "a rail carries nothing back" \
		'^error: rail r0: (packets to 10.0.0.2 get there, but what it answers over this rail is lost|the next hop 10.64.0.2 does not answer ARP)'
	none_says "the rail that carries answers is not blamed" 'rail r1'
	netem 2 r0
	must ip -n "${NS[1]}" neigh flush dev r0
	fine "the rail carries answers again"
}

corrupted()
{
	# IP only: a corrupted ARP packet is another fault, a wrong neighbour entry.
	netem 2 r0 handle 1: prio priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
	must tc -n "${NS[2]}" qdisc add dev r0 parent 1:3 netem corrupt 30%
	must tc -n "${NS[2]}" filter add dev r0 parent 1: protocol ip matchall classid 1:3
	first "30 % of the answers are corrupted" \
		'^warning: rail r0: packets from 10.0.0.2 come in corrupted: [0-9]+ had a wrong CRC here'
	none_says "corrupted is not lost" '% of the packets'
	netem 2 r0
	fine "nothing is corrupted"
}

neighbours()
{
	must ip -n "${NS[2]}" addr del 10.64.0.2/24 dev r0
	must ip -n "${NS[1]}" neigh flush dev r0
	must on 2 sh -c 'echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore'
	first "nobody answers ARP" \
		'^error: rail r0: the next hop 10.64.0.2 does not answer ARP, its neighbour entry is FAILED: wrong VLAN or cable'
	must ip -n "${NS[2]}" addr add 10.64.0.2/24 dev r0
	must on 2 sh -c 'echo 0 > /proc/sys/net/ipv4/conf/all/arp_ignore'
	must ip -n "${NS[2]}" route replace 10.0.0.1 nexthop via 10.64.0.1 dev r0 \
		nexthop via 10.65.0.1 dev r1
	must ip -n "${NS[1]}" neigh replace 10.64.0.2 lladdr 02:00:00:00:77:77 dev r0 \
		nud permanent
	first "a stale neighbour entry" \
		'^error: rail r0: the neighbour entry of 10.64.0.2 is stale: packets go to 02:00:00:00:77:77, but 02:00:00:00:00:02 answers ARP for it'
	must ip -n "${NS[1]}" neigh del 10.64.0.2 dev r0
	fine "neighbours are found"
}

elsewhere()
{
	fep 2 port 4800
	first "another port" \
		'^error: fep fep0: it has port 4793, but the peer 10.0.0.2 has port 4800'
	fep 2 encap native
	first "another encapsulation" \
		'^error: fep fep0: it has encap udp, but the peer 10.0.0.2 has encap native'
	must ue 2 job del 1
	must ue 2 fep del fep0
	first "no FEP at all" \
		'^error: peer 10.0.0.2: no FEP has this address with encap udp, port 4793 there'
	must ue 2 fep add fep0 addr 10.0.0.2 rails r0,r1 peer-timeout 0
	must ue 2 job add 1 feps fep0
	fine "the same port"
}

values()
{
	rules 2 <<-X
		table inet f { chain in {
			type filter hook prerouting priority -300
			iifname r1 udp sport & 1024 == 1024 udp dport 4793 drop
		}
		}
	X
	first "half of the entropy values are lost on a rail" \
		'^warning: rail r1: [0-9]+ of 24 entropy values lose every packet to 10.0.0.2, the others do not: one of several equal paths is dead'
	none_says "the healthy rail is not blamed" 'rail r0'
	no_rules 2
	fine "all values arrive"
}

queues()
{
	netem 1 r0 tbf rate 100mbit burst 2000 limit 100000
	first "a burst below a packet in the own queue" \
		'^error: rail r0: the queue tbf of this host drops packets of 4184 bytes to 10.0.0.2'
	netem 1 r0
	fine "no queue"
}

connections()
{
	local max

	rules 1 <<-X
		table inet f { chain in {
			type filter hook input priority 0
			ct state established accept
		}
		}
	X
	first "a firewall that tracks connections is told how to leave UET out" \
		'^hint: firewall: the firewall tracks connections.*udp dport 4793 notrack$' 1 0
	# The kernel says "table full" itself, which is no complaint about UET.
	max=$(< /proc/sys/net/netfilter/nf_conntrack_max)
	echo 4 > /proc/sys/net/netfilter/nf_conntrack_max
	first "a full connection table" \
		'^(error|warning): rail r[01]: .*its connection table is full, [0-9]+ of 4'
	echo "$max" > /proc/sys/net/netfilter/nf_conntrack_max
	no_rules 1
	fine "no connections"
}

moved()
{
	must ip netns add "away-$$"
	must ip -n "${NS[1]}" link set r1 netns "away-$$"
	first "a netdev that went to another namespace" \
		"^error: fep fep0: the netdev r1 of one of its rails is gone, and there is one of this name in the namespace away-$$"
	must ip netns del "away-$$"
}

setup_fabric
healthy
own_firewall
delay
jobs
mtus
dead_rail
one_way
corrupted
neighbours
elsewhere
values
queues
connections
moved
finish_tests
