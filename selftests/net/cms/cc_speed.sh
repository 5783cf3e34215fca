#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Congestion control follows the speed of a rail: the rail is a bond of two links, which
# loses one of them.  The context that exists learns the speed when the rail goes up again;
# one whose FEP has a cc-rate keeps that.
#
#	node1 ==(bond b0 of 2 links of 10 Gb/s)== node2
#
# clock: virtual; size: all; takes: 1 s; limit: 120 s

. "$(dirname "$0")/../lib.sh"

# bond NODE: over both links, with what node needs to reach the other
bond()
{
	local other=$((3 - $1))

	must ip -n "${NS[$1]}" -batch - <<-X
		link add b0 type bond mode balance-xor miimon 100
		link set r0 down
		link set r1 down
		link set r0 master b0
		link set r1 master b0
		link set b0 mtu $LINK_MTU up
		addr add 10.66.0.$1/24 dev b0
		route replace 10.0.0.$other via 10.66.0.$other dev b0
	X
}

# lose_link NODE: the second of the bond, whose speed is read when it goes up again
lose_link()
{
	local other=$((3 - $1))

	must ip -n "${NS[$1]}" -batch - <<-X
		link set r1 nomaster
		link set b0 down
		link set b0 up
		route replace 10.0.0.$other via 10.66.0.$other dev b0
	X
}

# links_are NODE COUNT: links of its bond that are up
links_are()
{
	compare "$(on "$1" grep -c '^MII Status: up' /proc/net/bonding/b0)" -eq $(($2 + 1))
}

# rate_is NODE MBPS
rate_is()
{
	compare "$(ccc_value "$1" $((3 - $1)) rate)" -eq "$2"
}

setup_fabric --bare
for n in 1 2; do bond $n; done
for n in 1 2; do
	wait_for "node$n: the bond has both links" 10 links_are $n 2
	must ue $n rail add b0 plane 0
	must ue $n fep add fep0 addr "$(fa $n)" rails b0 mtu "$MTU" cc nscc \
		cc-base-rtt 100us idle 600s
	must ue $n job add 1 feps fep0
done
must ue 2 fep set fep0 cc-rate 5000
transfer "there" 1 2 7 -n 2 -s 70000
transfer "back" 2 1 7 -n 2 -s 70000
assert_eq "the rate is the speed of both links" "$(ccc_value 1 2 rate)" 20000
assert_eq "the rate of a FEP is that" "$(ccc_value 2 1 rate)" 5000
lose_link 2
lose_link 1
check "the rate is the speed of one link" busywait 10 rate_is 1 10000
assert_eq "the rate of a FEP stays" "$(ccc_value 2 1 rate)" 5000
transfer "one link carries messages" 1 2 8 -n 2 -s 70000
assert_eq "the context stays the same on one link" "$(ue 1 -j ccc show | gojq length)" 1
finish_tests
