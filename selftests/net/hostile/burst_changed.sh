#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Administrators of namespaces change, copy and keep bursts on their way: tc writes to them
# at any offset, and mirrors them to a device that keeps them while the original is changed
# and goes on.  What is damaged is dropped, what is not arrives, whole and as packets of a
# device that does not know bursts, and the module can be removed afterwards.  So it is in a
# secure domain, and over native IP.
#
#	node1 ==(1 rail)== node2
#	  d0 (keeps what r0 sends for 20 ms)
#
# clock: virtual; size: all; takes: 45 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

long=$(((1 << 20) / SCALE))

# on_way ACTION...: to each packet that node 1 sends
on_way()
{
	tc -n "${NS[1]}" filter del dev r0 egress 2> "$TMP/why"
	[ $# -eq 0 ] || must tc -n "${NS[1]}" filter add dev r0 egress matchall "$@"
}

# segments on|off: do devices of node 1 pass bursts whole?
segments()
{
	must on 1 ethtool -K r0 tx-sctp-segmentation "$1"
	must on 1 ethtool -K d0 tx-sctp-segmentation "$1"
}

# arrives TEXT: a transfer by bursts
arrives()
{
	local before

	before=$(counter 1 tx-bursts)
	transfer "$1" 1 2 5 -n 2 -s "$long"
	assert_ge "$1: at least four bursts leave" "$(counter 1 tx-bursts)" $((before + 4))
}

# damaged OFFSET PREFIX: four bytes at the offset from the IP header are changed
damaged()
{
	local text="${2}bytes $1 are changed" before

	before=$(($(counter 2 rx-drops) + $(counter 1 tx-bursts)))
	on_way action pedit munge offset "$1" u32 set 0xffffffff
	source_to tx 1 2 5 -n 2 -s "$long"
	pause 200
	stop tx
	on_way
	check "$text: it was dropped, or went on" \
		test $(($(counter 2 rx-drops) + $(counter 1 tx-bursts))) -gt "$before"
}

# kept PREFIX HOW: a copy of each burst is kept, while the burst itself gets another header
kept()
{
	on_way action mirred egress mirror dev d0 pipe \
		action pedit ex munge ip ttl set 9 pipe action csum ip
	arrives "${1}a copy is kept, $2"
	on_way
}

# all_ways PREFIX
all_ways()
{
	local how offset

	for how in on off; do
		segments $how
		kept "$1" "segments $how"
		# From the IP header on; 24 and 28 are places of the list.
		for offset in 24 28 32 36 60 92 256 1300 2600 9000 30000; do
			damaged $offset "$1"
		done
		arrives "${1}afterwards, segments $how"
	done
	segments on
}

if ! modprobe -q -a act_pedit act_mirred act_csum cls_matchall sch_netem dummy; then
	skip "bursts are changed on their way" "no tc actions in this kernel"
	finish_tests
fi
setup_fabric --rails 1 --mtu 1024
must ip -n "${NS[1]}" link add d0 type dummy
must ip -n "${NS[1]}" link set d0 mtu $LINK_MTU up
must tc -n "${NS[1]}" qdisc add dev d0 root netem limit 10000 delay 20ms
must tc -n "${NS[1]}" qdisc add dev r0 clsact
per_node max-rto-retx 3 peer-timeout 0 idle 1s
all_ways ''
assert_ge "bursts that were damaged were dropped" "$(drops 2 bad-burst)" 1
before=$(drops 2 bad-burst)
ENCAP=(encap native)
reconfigure 4 crc 1024
per_node max-rto-retx 3 peer-timeout 0 idle 1s
all_ways 'native, '
assert_ge "native bursts that were damaged were dropped" "$(drops 2 bad-burst)" \
	$((before + 1))

genkey key
for n in 1 2; do
	must ue $n sd add s sdi 1
	must ue $n sd key s an 0 file "$TMP/key"
	must ue $n sd use s an 0
done
for encap in udp native; do
	before=$(drops 2 tss-auth)
	ENCAP=(sd s encap "$encap")
	reconfigure 4 tss 1024
	per_node max-rto-retx 3 peer-timeout 0 idle 1s
	all_ways "sealed, $encap, "
	assert_ge "sealed, $encap: packets that were damaged were refused" \
		"$(drops 2 tss-auth)" $((before + 1))
done
check "no PDC is left" busywait 60 nr_pdcs_are 1 -eq 0
# Actions use the module of CRC-32C, which "modprobe -r uet" wants to remove.
teardown_fabric
modprobe -q -r act_pedit act_mirred act_csum
finish_tests
