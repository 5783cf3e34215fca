#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that arrive one by one, as from a wire, are joined to bursts by a netdev with
# GRO: in both IP versions, over UDP and as native IP, with and without the CRC, with entropy
# values that differ, through IP and through the ingress hook, beside corruption, losses,
# frames for another station and a capture.  What must not be joined is not: FEPs with
# burst 0, netdevs without GRO or with a program.
#
#	node1 ==(2 rails, packets)== node2 (GRO)
#
# clock: virtual; size: all; takes: 12 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"

long=$(((1 << 20) / SCALE))

# A device that does not know bursts cuts them.  Only without TSO a veth has GRO for what
# comes from a socket.
wires()
{
	local n p

	for n in 1 2; do
		for p in 0 1; do
			must on "$n" ethtool -K "r$p" tx-sctp-segmentation off \
				tso off gro "$1"
		done
	done
}

# counts: of node 2: packets joined, packets of bursts, bursts
counts()
{
	local rx

	rx=$(stats 2)
	echo "$(counter_in "$rx" rx-joined) $(counter_in "$rx" rx-burst-packets)" \
		"$(counter_in "$rx" rx-bursts)"
}

# joins TEXT ARGS...: packets of a transfer are joined, and go on as bursts
joins()
{
	local text=$1 old new i

	shift
	[ $# -gt 0 ] || set -- -n 2 -s "$long"
	read -ra old <<< "$(counts)"
	transfer "$text" 1 2 5 "$@"
	read -ra new <<< "$(counts)"
	for i in {0..2}; do new[i]=$((new[i] - old[i])); done
	assert_ge "$text: packets are joined" "${new[0]}" 40
	assert_eq "$text: all joined packets arrive as bursts" "${new[1]}" "${new[0]}"
	assert_ge "$text: bursts have several packets each" "${new[0]}" $((2 * new[2]))
}

# alone TEXT: no packet of a transfer is joined
alone()
{
	local old

	old=$(counts)
	transfer "$1" 1 2 5 -n 2 -s "$long"
	assert_eq "$1: no packet is joined" "$(counts)" "$old"
}

# all_right TEXT: node 2 has found no packet wrong, but those that were counted in $wrong
all_right()
{
	assert_eq "$1: no packet was found wrong" "$(wrong_drops 2)" "$wrong"
}

# ingress on|off
ingress()
{
	must ue 2 rail set r0 ingress "$1"
	must ue 2 rail set r1 ingress "$1"
}

# shown TEXT: tshark shows the packets that were joined
shown()
{
	has_tshark "$1: tshark shows what was joined" || return 0
	tshark_read joined.pcap -o uet.protocol:253 -Y uet.burst.count -T fields \
		-e uet.drop -e uet.burst.count > "$TMP/bursts"
	assert_ge "$1: tshark shows what was joined" "$(wc -l < "$TMP/bursts")" 4
	assert_eq "$1: tshark finds nothing wrong" \
		"$(grep -cvP '^\t\d+$' "$TMP/bursts")" 0
}

# strays TEXT: each fifth packet is for the MAC address of another station
strays()
{
	local p

	for p in 0 1; do
		must tc -n "${NS[1]}" qdisc add dev "r$p" clsact
		must tc -n "${NS[1]}" filter add dev "r$p" egress matchall \
			action gact ok random determ pipe 5 \
			action pedit ex munge eth dst set 02:00:00:00:00:99
	done
	joins "$1, strays"
	for p in 0 1; do must tc -n "${NS[1]}" qdisc del dev "r$p" clsact; done
}

# all_ways TEXT: with the encapsulation in ENCAP
all_ways()
{
	local before p wrong

	wrong=$(wrong_drops 2)
	reconfigure 4 crc 1024
	joins "$1, IPv4"
	joins "$1, IPv4, short messages" -n 64 -s 4000
	all_right "$1, IPv4"
	reconfigure 6 crc 1024
	joins "$1, IPv6"
	reconfigure 4 none 1024
	joins "$1, without CRC"
	all_right "$1, IPv6, without CRC"
	reconfigure 4 crc 1024
	must ue 1 fep set fep0 idle 0
	start dump 2 tcpdump -U -i any -s 0 -w "$TMP/joined.pcap" \
		"udp dst port 4793 or ip proto 253"
	wait_for "tcpdump listens on the netdev" 30 grep -q listening "$TMP/dump.err"
	# tshark takes long.
	joins "$1, beside a capture" -n 1 -s 500000
	stop dump TERM
	all_right "$1, beside a capture"
	shown "$1"

	reconfigure 4 crc 1024
	before=$(drops 2 crc)
	impair corrupt 5%
	joins "$1, corruption"
	assert_ge "$1, corruption: packets with a wrong CRC were dropped" \
		"$(drops 2 crc)" $((before + 2))
	impair loss 2% reorder 5% delay 1ms
	transfer "$1, losses and reordering" 1 2 5 -n 2 -s "$long"
	impair delay 0ms
	strays "$1"

	per_node burst 0
	alone "$1, burst 0"
	per_node burst 65000
	wires off
	alone "$1, without GRO"
	wires on
	for p in 0 1; do
		start "xdp$p" 2 xdp_pass "r$p"
		wait_for "r$p: a program sees each packet" 30 grep -q attached \
			"$TMP/xdp$p.out"
	done
	alone "$1, a program at the netdev"
	for p in 0 1; do stop "xdp$p"; done
}

setup_fabric --mtu 1024
wires on
ingress on
joins "ingress hook"
wrong=0 all_right "ingress hook"
ingress off
for encap in udp native; do
	ENCAP=(encap "$encap")
	all_ways "$encap"
done
finish_tests
