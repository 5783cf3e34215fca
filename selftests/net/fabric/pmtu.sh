#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Paths with an MTU below the packets of a FEP: the other rail is used; without one the
# message fails, soon, and the error says why; with the old MTU, they work again.  ICMP
# errors are hints: when one is wrong traffic goes on.  The MTU of the rails themselves
# falls and rises under traffic.
#
#	node1 r0 --- m0 router0 n0 --- r0 node2
#	      r1 --- m1 router1 n1 --- r1
#
# clock: virtual; size: check; takes: 15 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

NARROW=1500
WIDE=$((4096 + 404))

# add_router P: a namespace that joins the rails of plane P
add_router()
{
	local p=$1 n side ns=router$1

	NS[$ns]=router$p-$$
	must ip netns add "${NS[$ns]}"
	for n in 1 2; do
		side=$([ $n = 1 ] && echo m || echo n)$p
		must ip link add "r$p" netns "${NS[$n]}" type veth \
			peer name "$side" netns "${NS[$ns]}"
		ip -n "${NS[$ns]}" -batch - <<-X || die "cannot address $ns"
			link set $side mtu $WIDE up
			addr add 10.$((64 + p)).$n.254/24 dev $side
			addr add fd00:$((64 + p)):$n::fe/64 dev $side nodad
			route add 10.0.0.$n via 10.$((64 + p)).$n.$n
			route add fd00::$n via fd00:$((64 + p)):$n::$n
		X
		ip -n "${NS[$n]}" -batch - <<-X || die "cannot address node$n"
			link set r$p mtu $WIDE up
			addr add 10.$((64 + p)).$n.$n/24 dev r$p
			addr add fd00:$((64 + p)):$n::$n/64 dev r$p nodad
		X
	done
	# An ICMP error for each packet, not one a second.
	on "$ns" sh -c 'cd /proc/sys/net
		echo 1 > ipv4/ip_forward
		echo 1 > ipv6/conf/all/forwarding
		echo 0 > ipv4/icmp_ratelimit
		echo 0 > ipv6/icmp/ratelimit' || die "cannot set sysctls"
}

# route_node N TO: over both routers
route_node()
{
	ip -n "${NS[$1]}" -batch - <<-X || die "cannot route"
		route add 10.0.0.$2 nexthop via 10.64.$1.254 dev r0 nexthop via 10.65.$1.254 dev r1
		route add fd00::$2 nexthop via fd00:64:$1::fe dev r0 nexthop via fd00:65:$1::fe dev r1
	X
}

# path P MTU: the second link of a plane, towards node 2
path()
{
	must ip -n "${NS[router$1]}" link set "n$1" mtu "$2"
}

# paths MTU
paths()
{
	path 0 "$1"
	path 1 "$1"
}

# rails_are, rails_of NODE STATE: both rails of fep0 are in it; or soon will be
rails_are()
{
	[ "$(occurrences "$(ue "$1" -j fep show)" "\"$2\"")" = 2 ]
}

rails_of()
{
	wait_for "rails of node$1 are $2" 30 rails_are "$1" "$2"
}

# rail NODE DEV MTU
rail()
{
	must ip -n "${NS[$1]}" link set "$2" mtu "$3"
}

# told: ICMP errors that meant something, on node 1
told()
{
	counter 1 pmtu-exceeded
}

# fails_for_size TEXT MODE NEED: a message that no path takes fails, and is told of
fails_for_size()
{
	local text=$1 mode=$2 need=$3 failed out
	failed=$(counter 1 msg-failed)
	out=$(on 1 msgs send -m "$mode" -t $((60 * SCALE)) -p 5 -s 4096 \
		"$(fa 2)" 2>&1) && not_ok "$text: the message is refused"
	assert_match "$text: it fails for its size, FEP and path are named" \
		"$out" "Message too long: .*FEP fep0 needs MTU $need, the path has $NARROW"
	assert_eq "$text: it is counted" "$(counter 1 msg-failed)" $((failed + 1))
}

# routers TEXT NEED: everything that a router can do to a path
routers()
{
	local text=$1 need=$2 before mode too_big
	too_big=$(drops 1 tx-too-big)

	transfer "$text: both paths wide" 1 2 5 -n 4 -s 100000
	before=$(told)
	path 1 $NARROW
	for mode in rud rod; do
		MODE=$mode transfer "$text: one path narrow, $mode" 1 2 5 -n 8 -s 100000
	done
	assert_ge "$text: ICMP tells of the narrow path" "$(told)" $((before + 1))

	path 0 $NARROW
	must ue 1 fep set fep0 max-rto-retx 3
	for mode in rud rod; do
		fails_for_size "$text: no path wide, $mode" $mode "$need"
	done
	assert_eq "$text: the rails of node1 are wide" "$(drops 1 tx-too-big)" \
		"$too_big"
	transfer "$text: small messages pass" 1 2 5 -n 4 -s 64
	must ue 1 fep set fep0 max-rto-retx 15

	# Both paths are reported with a small MTU, which they no longer have.
	before=$(told)
	sink rx 2 5 -n 2
	source_to tx 1 2 5 -n 2 -s 4096
	check "$text: told that no path is wide" \
		busywait 30 has_told $((before + 2))
	paths $WIDE
	check "$text: wide again while the message waits: the message is answered" finish tx
	check "$text: wide again while the message waits: the message arrives" finish rx
	transfer "$text: the next messages" 1 2 5 -n 4 -s 100000
	must ue 1 fep set fep0 max-rto-retx 8
}

has_told()
{
	compare "$(told)" -ge "$1"
}

# believes: IP on node 1 has a small MTU for the path
believes()
{
	ip -n "${NS[1]}" route get "$(fa 2)" | grep -q "mtu $NARROW"
}

# learn: let it, by a datagram of somebody else
learn()
{
	on 1 bash -c "head -c 3000 /dev/zero > /dev/udp/$(fa 2)/9"
	believes
}

# misled TEXT: what ICMP made IP believe of a path does not stop UET, and is what
# a forged ICMP error can do; node 1 has one rail, so that IP has one path
misled()
{
	must ip -n "${NS[1]}" link set r1 down
	path 0 $NARROW
	check "$1: IP has learnt that the path is narrow" busywait 30 learn
	path 0 $WIDE
	check "$1: IP goes on to believe it" believes
	for mode in rud rod; do
		MODE=$mode transfer "$1: UET goes on, $mode" 1 2 5 -n 4 -s 100000
	done
	MODE=uud sink dgrams 2 6 -n 1
	check "$1: a datagram can be sent" on 1 msgs send -m uud -p 6 -s 4096 "$(fa 2)"
	check "$1: all datagrams arrive" finish dgrams
	check "$1: IP still believes it" believes
	must ip -n "${NS[1]}" link set r1 up
	ip -n "${NS[1]}" route flush cache
	ip -n "${NS[1]}" -6 route flush cache
	ip -n "${NS[1]}" -batch - <<-X || die "cannot route"
		route replace 10.0.0.2 nexthop via 10.64.1.254 dev r0 nexthop via 10.65.1.254 dev r1
		route replace fd00::2 nexthop via fd00:64:1::fe dev r0 nexthop via fd00:65:1::fe dev r1
	X
	rails_of 1 usable
}

# rails NEED: the MTU of those of node 1 falls one after the other, under traffic
rails()
{
	local before

	sink rx 2 5 -E
	source_to tx 1 2 5 -E -n 1000000 -s 64,70000,4096 -P "$TMP/tx.sent"
	for dev in r0 r1; do
		wait_for "traffic flows between the nodes" 30 progress_is tx -gt "$(progress tx)"
		rail 1 $dev $NARROW
		before=$(progress tx)
		check "$dev narrow: traffic goes on" \
			busywait 30 progress_is tx -gt $((before + 2))
		rail 1 $dev $WIDE
	done
	kill -TERM "${PID[tx]}"
	check "rails: all messages were answered" finish tx
	check "rails: they arrived whole and once" finish rx

	rail 1 r0 $NARROW
	rail 1 r1 1400
	must ue 1 fep set fep0 max-rto-retx 3
	fails_for_size "no rail wide" rud "$1"
	assert_ge "no rail wide: packets are dropped for that reason" \
		"$(drops 1 tx-too-big)" 4
	out=$(on 1 msgs send -m uud -p 5 -s 64 "$(fa 2)" 2>&1)
	assert_match "no rail wide: a datagram fails at once" "$out" \
		"sendmsg: Message too long: .*FEP fep0 needs MTU $1"
	must ue 1 fep set fep0 max-rto-retx 8
	sink rx 2 5 -n 2
	source_to tx 1 2 5 -n 2 -s 70000
	before=$(drops 1 tx-too-big)
	wait_for "packets are dropped" 30 drops_are 1 tx-too-big -gt "$before"
	rail 1 r1 $WIDE
	check "a rail is wide again: the message is answered" finish tx
	check "a rail is wide again: the message arrives" finish rx
	rail 1 r0 $WIDE
}

# configured NEED: an administrator sets the MTU of a path
configured()
{
	must ip -n "${NS[1]}" route replace 10.0.0.2 mtu $NARROW \
		nexthop via 10.64.1.254 dev r0 nexthop via 10.65.1.254 dev r1
	must ue 1 fep set fep0 max-rto-retx 3
	fails_for_size "a route with an MTU" rud "$1"
	must ue 1 fep set fep0 max-rto-retx 8
	must ip -n "${NS[1]}" route replace 10.0.0.2 \
		nexthop via 10.64.1.254 dev r0 nexthop via 10.65.1.254 dev r1
	transfer "and without one" 1 2 5 -n 4 -s 70000
}

NODES=2
for n in 1 2; do add_node $n; done
for p in 0 1; do add_router $p; done
route_node 1 2
route_node 2 1
for n in 1 2; do configure_node $n crc; done

routers "IPv4" 4184
misled "IPv4"
rails 4184
configured 4184
reconfigure 6 crc 4096
routers "IPv6" 4204
misled "IPv6"
ENCAP=(encap native)
reconfigure 4 crc 4096
routers "native IPv4" 4180
misled "native IPv4"
rails 4180
reconfigure 6 crc 4096
routers "native IPv6" 4200
misled "native IPv6"
finish_tests
