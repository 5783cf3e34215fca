#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A switch may choose a link by any bits of the entropy value, the UDP source port.  On
# every rail each of its bits is sometimes 0 and sometimes 1, with and without congestion
# control.  If one of four links is dead, policies that learn avoid it, also without
# congestion control.
#
#	node1 r0 --- plane 0 --- r0 node2: counts packets by the bits of their source port
#	      r1 --- plane 1 --- r1
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# bit_rules: counters RAIL_all and RAIL_BIT; each is in a rule, which all kernels have
bit_rules()
{
	local rail bit

	echo "table inet ports"
	echo "delete table inet ports"
	echo "table inet ports {"
	echo "chain in {"
	echo "type filter hook prerouting priority -300"
	for rail in r0 r1; do
		echo "iifname $rail udp dport 4793 counter comment \"${rail}_all\""
		for bit in {0..15}; do
			echo "iifname $rail udp dport 4793 udp sport & $((1 << bit)) != 0 counter comment \"${rail}_$bit\""
		done
	done
	printf "}\n}\n"
}

# hits WHICH: packets that a counter has seen
hits()
{
	on 2 nft list table inet ports |
		sed -n "s/.*counter packets \([0-9]*\) .*comment \"$1\".*/\1/p"
}

# bits_vary TEXT
bits_vary()
{
	local rail bit all ones constant

	must on 2 nft -f - < <(bit_rules)
	transfer "$1" 1 2 5 -n 4 -s 500000
	for rail in r0 r1; do
		all=$(hits "${rail}_all")
		constant=''
		for bit in {0..15}; do
			ones=$(hits "${rail}_$bit")
			((5 * ones > all && 5 * ones < 4 * all)) || constant+=" bit $bit: $ones"
		done
		assert_ge "$1: packets arrive on $rail" "$all" 100
		assert_eq "$1: no bit of the entropy values of $rail is constant ($all)" "$constant" ''
	done
}

# lost_with SETTINGS...: packets of a transfer that one of four links loses
lost_with()
{
	must on 2 nft -f - <<-X
		table inet ports
		delete table inet ports
		table inet ports {
			chain in {
				type filter hook prerouting priority -300
				udp sport & 1536 == 1536 udp dport 4793 counter drop comment "lost"
			}
		}
	X
	# PDCs keep the settings that they began with.  Each of 32 values is tried.
	must ue 1 job del 1
	must ue 1 fep set fep0 ev-count 32 "$@"
	must ue 1 job add 1 feps fep0
	transfer "one link is dead, $*" 1 2 5 -n 12 -s 500000
	lost=$(hits lost)
}

setup_fabric
# Of a burst the rules would see the first packet only.
must ue 1 fep set fep0 burst 0
for cc in nscc none; do
	must ue 1 fep set fep0 cc $cc
	bits_vary "cc $cc"
done
for paths in reps oblivious; do
	must ue 1 fep set fep0 cc nscc paths $paths
	bits_vary "paths $paths"
done

lost_with cc none paths auto
random=$lost
assert_ge "random values lose packets on the dead link" "$random" 150
for paths in reps map mixed; do
	lost_with cc none paths $paths
	assert_le "cc none, paths $paths: the dead link is avoided" "$lost" $((random / 4))
done
lost_with cc nscc paths auto
assert_le "the default avoids the dead link" "$lost" $((random / 4))
finish_tests
