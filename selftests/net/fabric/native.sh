#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Native IP encapsulation: what is on the wire, as pcapcheck and tshark read it;
# transfers over two rails with loss; FEPs of both forms side by side; packets
# no honest peer sends, or that are for nobody; and packets that keep coming
# while FEPs, namespaces and the module go.  UET_SEED repeats a run.
#
#	node1 ==(1 or 2 rails)== node2
#
#	node1 ---+
#	node2 ---+== planes 0, 1
#	node3 ---+  (attacker)
#
# clock: virtual; size: all; takes: 35 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}
rounds=$((6 / SCALE + 3))

#------------------------------------------------------------------- captures

# proto_of NUMBER: a filter for tcpdump
proto_of()
{
	echo "ip proto $1 or ip6 proto $1"
}

# refusals: what cannot be is said, and changes nothing
refusals()
{
	local before proto fep=(fep add f addr 10.64.0.1 rails r0)

	before=$(configuration 1)
	ue_refuses 'proto is for encap native only' "${fep[@]}" proto 253
	ue_refuses 'proto is for encap native only' "${fep[@]}" encap udp proto 253
	ue_refuses 'port is for encap udp only' "${fep[@]}" encap native port 4793
	for proto in $(own_numbers); do
		ue_refuses 'proto is the number of another protocol' "${fep[@]}" \
			encap native proto "$proto"
	done
	assert_eq "nothing has changed" "$(configuration 1)" "$before"
}

# own_numbers: protocols that IP, the kernel or a daemon may speak
own_numbers()
{
	echo 1 2 4 6 17 41 43 44 47 50 51 58 59 60 89 103 108 112 115 132 135 \
		136 137 143
}

wire()
{
	# A capture with bursts is in burst.sh.
	setup_fabric --rails 1 --native --burst 0
	refusals
	keep_order
	assert_match "the FEP shows its encapsulation and protocol" "$(ue 1 -j fep show)" \
		'"need-mtu":4180,.*"encap":"native","proto":253'
	assert_match "the FEP shows no port" "$(ue 1 fep show)" \
		'^fep0 .* 4096 +- .* native +253$'
	captured "IPv4" "$(proto_of 253)" -N 253
	dissected "IPv4" r0.pcap -o uet.protocol:253
	ENCAP=(encap native proto 200)
	reconfigure 6 crc 1024
	captured "IPv6" "$(proto_of 200)" -N 200 -m 1024
	dissected "IPv6" r0.pcap -o uet.protocol:200
	ENCAP=(encap native)
	reconfigure 4 none 4096
	captured "without CRC" "$(proto_of 253)" -N 253 -n

	reconfigure 4 crc 4096
	for n in 1 2; do must ip -n "${NS[$n]}" link set r0 mtu 4180; done
	transfer "just as wide as it must be" 1 2 5 -n 4 -s 70000
	assert_eq "nothing was too big" "$(drops 1 tx-too-big)" 0
	assert_match "UDP needs more" "$(
		ue 1 fep add wider addr 10.64.0.1 rails r0 2>&1)" \
		'mtu 2048 is the largest that fits rail r0 \(MTU 4180\)'
	teardown_fabric
}

#------------------------------------------------------------------ transfers

# lose PERCENT: on all links, both directions
lose()
{
	local n p

	for n in 1 2; do
		for p in 0 1; do
			must tc -n "${NS[$n]}" qdisc replace dev "r$p" root \
				netem limit 5000 loss "$1%"
		done
	done
}

# beside TEXT: messages between the FEPs of both forms at the same time
beside()
{
	local n other

	for n in 1 2; do
		other=$((3 - n))
		must ip -n "${NS[$n]}" addr add "10.0.1.$n/32" dev fa0
		must ip -n "${NS[$n]}" route add "10.0.1.$other" \
			nexthop via "10.64.0.$other" dev r0 \
			nexthop via "10.65.0.$other" dev r1
		must ue $n fep add other addr "10.0.1.$n" rails r0,r1
		must ue $n job add 2 feps other
	done
	start urx 2 msgs recv -t $((60 * SCALE)) -j 2 -a 10.0.1.2 -p 6 -n $rounds
	wait_for "$1: the UDP sink is bound" 30 has_ep 2 6
	start utx 1 msgs send -t $((60 * SCALE)) -j 2 -p 6 -n $rounds \
		-s 64,300000 10.0.1.2
	transfer "$1: native" 1 2 5 -n $rounds -s 64,300000
	check "$1: UDP: the sender ends well" finish utx
	check "$1: UDP: the receiver has all messages" finish urx
}

# marked: what the network marks with Congestion Experienced is answered with M
marked()
{
	local ce

	ce=$(counter 2 rx-ce)
	must tc -n "${NS[1]}" qdisc replace dev r0 root netem limit 5000 \
		loss 40% ecn
	start dump 1 tcpdump -U -i r0 -c 1 -w /dev/null \
		"ip proto 253 and src host 10.0.0.2 and ip[24] >> 3 >= 7 and ip[24] >> 3 <= 9 and ip[25] & 0x20 != 0"
	wait_for "tcpdump listens on the netdev" 30 listening
	transfer "marks" 1 2 5 -n $rounds -s 70000
	assert_ge "marks are counted" "$(counter 2 rx-ce)" $((ce + 1))
	check "ACKs tell of them" busywait 30 fails running dump
	stop dump
	must tc -n "${NS[1]}" qdisc del dev r0 root
}

transfers()
{
	local p

	setup_fabric --native
	transfer "two rails" 1 2 5 -n 4 -s 500000
	for p in 0 1; do
		assert_ge "node1 sends on r$p" "$(rail_packets 1 r$p tx)" 20
		assert_ge "node2 receives on r$p" "$(rail_packets 2 r$p rx)" 20
	done
	sink rx 1 5 -n 3
	source_to tx 1 1 5 -n 3 -s 64,5000,70000
	check "messages to the same host are answered" finish tx
	check "messages to the same host arrive" finish rx

	marked
	lose 8
	transfer "loss" 1 2 5 -n $rounds -s 300000,70000,4096,64
	MODE=rod transfer "loss, ROD" 1 2 5 -n $rounds -s 300000,70000,4096,64
	file_transfer "loss: uetcat" 1 2 $(((1 << 20) / SCALE))
	assert_ge "packets were sent again" "$(counter 1 tx-retx)" 1
	beside "side by side"
	reconfigure 6 none 4096
	transfer "loss, IPv6, no CRC" 1 2 5 -n $rounds -s 300000,70000,4096,64
	assert_eq "no message failed" \
		"$(counter 1 msg-failed) $(counter 2 msg-failed)" "0 0"
	teardown_fabric
}

#------------------------------------------------------------------- hostility

# dropped TEXT NODE REASON ARGS...: node 3 sends what hostile makes of ARGS;
# each packet is dropped by the node, for this reason
dropped()
{
	local text=$1 node=$2 reason=$3 before out
	shift 3

	before=$(drops "$node" "$reason")
	out=$(on 3 hostile -S "$seed" "$@" 2>&1) ||
		{ not_ok "$text: the attacker sends its packets"; note "$out"; return; }
	check "$text: all packets are dropped as $reason" busywait 30 \
		drops_are "$node" "$reason" -eq $((before + $(result "$out" sent)))
}

# hostility FAMILY
hostility()
{
	local to

	to=$(fa 2)
	dropped "IPv$1: entropy header cut short" 2 truncated-entropy \
		-N 253 entropy "$to"
	dropped "IPv$1: wrong CRC" 2 crc -N 253 crc "$to"
	dropped "IPv$1: noise" 2 'crc|tss-unsupported' -N 253 -n 200 noise "$to"
	dropped "IPv$1: fragments" 2 fragment -N 253 -c -n 4 fragment "$to"
	if [ "$1" = 4 ]; then
		dropped "IPv4: options" 2 ip-options -N 253 -x -c -n 4 syn "$to"
	else
		# IP has stepped over it: the packet is looked at.
		dropped "IPv6: extension header" 2 crc -N 253 -x crc "$to"
	fi
	check "IPv$1: IP answers for the number of nobody here" \
		busywait 30 unreachable "$to" 200
}

unknown_peers()
{
	local before

	setup_fabric --nodes 3 --native
	# FEPs with the number, in the namespace that sends.
	must ue 3 job del 1
	must ue 3 fep del fep0
	for to in 10.64.0.3 fd00:64::3; do
		must ue 3 fep add "p${to:0:1}" addr $to rails r0 encap native \
			proto 200
	done
	hostility 4
	check "IP answers in a namespace without such a FEP" \
		busywait 30 unreachable 10.0.0.3 253 1
	check "IP answers for an address without a FEP" \
		busywait 30 unreachable 10.64.0.2 253
	before=$(counter 2 rx-packets)
	on 3 hostile -n 20 syn "$(fa 2)" > /dev/null
	assert_eq "UDP for a native FEP is not received" \
		"$(counter 2 rx-packets)" "$before"
	reconfigure_two 6
	hostility 6
	transfer "afterwards all is well" 1 2 6 -n 4 -s 70000
}

# reconfigure_two FAMILY: nodes 1 and 2, not the attacker
reconfigure_two()
{
	NODES=2
	reconfigure "$1" crc 4096
	NODES=3
}

# unreachable FA PROTO [NODE]: IP says that nobody there knows the protocol; to a node
# other than the sender, which has a raw socket for it.  IP limits the rate of its
# answers, so the caller tries again
unreachable()
{
	compare "$(result "$(on "${3-3}" hostile -N "$2" -n 50 syn "$1" 2>&1)" \
		refused)" -ge 1
}

#------------------------------------------------------------------------ ends

# flood NODE: packets for a FEP, until stopped
flood()
{
	start flood 3 hostile -S "$seed" -N 253 -n 4000000000 -w 300 \
		noise "$(fa "$1")"
}

# flooded NODE: they arrive
flooded()
{
	local before

	before=$(drops "$1" crc)
	busywait 30 drops_are "$1" crc -gt $((before + 20))
}

namespace_is_gone()
{
	! ip -n "${NS[fabric]}" link show p0-n2 > /dev/null 2>&1
}

ends()
{
	local i

	reconfigure_two 4
	flood 2
	check "packets keep coming" flooded 2
	for ((i = 0; i < 4; i++)); do reconfigure_two 4; done
	check "FEPs come and go under them" flooded 2
	busywait 30 module_users_is -eq 0
	for ((i = 0; i < 2; i++)); do
		check "the module goes under them" modprobe -r uet
		must modprobe uet
		for n in 1 2; do configure_node $n crc; done
		check "the module comes back under them" flooded 2
	done
	must ip netns del "${NS[2]}"
	unset "NS[2]"
	check "the namespace goes under them" busywait 30 namespace_is_gone
	stop flood

	check "a FEP takes the packets of its number" \
		fails unreachable 10.0.0.1 253
	must ue 1 job del 1
	must ue 1 fep del fep0
	check "IP answers for it after the end of the FEP" \
		busywait 30 unreachable 10.0.0.1 253
	teardown_fabric
}

fails()
{
	! "$@"
}

note "seed $seed"
wire
transfers
unknown_peers
ends
finish_tests
