#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Policy routing sees the packets of a FEP as those of any UDP program: rules select
# them by protocol, destination port, user and DSCP.  The rules lead to a route with a
# small MTU, so a message that they select fails with EMSGSIZE.  The broadcast address of
# a subnet is no destination.
#
#	node1 === plane 0 === node2, by IPv4 and by IPv6
#
# clock: virtual; size: all; takes: 6 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# send_fails: a message to node 2 is too big for the route
send_fails()
{
	local out

	out=$(on 1 uetcat -j 1 -p 9 -r 1 -i "$TMP/in" "$(fa 2)" 2>&1) && return 1
	[[ $out = *"needs MTU"* ]]
}

# rule FAMILY EXPECT WORDS...: is a message selected by the rule
rule()
{
	local family=$1 expect=$2 old
	shift 2

	must ip -n "${NS[1]}" "-$family" rule add pref 10 "$@" lookup 100
	old=$(drops 1 tx-too-big)
	if [ "$expect" = selected ]; then
		check "IPv$family: $* selects the packets" send_fails
		assert_ge "IPv$family: $*: packets are too big" \
			"$(drops 1 tx-too-big)" $((old + 1))
	else
		file_transfer "IPv$family: $* does not" 1 2 5000
		assert_eq "IPv$family: $*: no packet is too big" \
			"$(drops 1 tx-too-big)" "$old"
	fi
	must ip -n "${NS[1]}" "-$family" rule del pref 10
}

# rules FAMILY
rules()
{
	local to
	to=$(fa 2)

	must ip -n "${NS[1]}" "-$1" route add "$to" dev r0 mtu 1300 table 100
	head -c 5000 /dev/urandom > "$TMP/in"
	must ue 1 fep set fep0 dscp-request 4 max-rto-retx 1
	rule "$1" selected ipproto 17 dport 4793
	rule "$1" other ipproto 17 dport 4794
	rule "$1" selected uidrange 0-0
	rule "$1" other uidrange 1000-1000
	rule "$1" selected tos 0x10
	rule "$1" other tos 0x08
}

setup_fabric --rails 1 --mtu 4096
rules 4
must ip -n "${NS[1]}" addr add 10.99.0.1/24 dev r0
ue_refuses 'addr is the broadcast address of a subnet' \
	ping fep0 10.99.0.255 count 1
out=$(on 1 uetcat -j 1 -p 9 -r 1 -i "$TMP/in" 10.99.0.255 2>&1)
assert_match "uetcat refuses the broadcast address of a subnet" "$out" \
	'broadcast address of a subnet'
teardown_fabric
setup_fabric --v6 --rails 1 --mtu 4096
rules 6
finish_tests
