#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Routes that encapsulate: packets to the peer get MPLS labels, or a segment routing
# header of IPv6.  The headers of the route replace the notes by which the stack finds the
# packets of a burst, so bursts become packets in front of such a route, and all of them
# arrive.
#
#	node1 --- plane 0: label 100, or segment fc00::2 ---> node2
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

long=$(((1 << 20) / SCALE))

# arrives TEXT: a transfer, whose bursts become packets on their way
arrives()
{
	local bursts packets whole

	bursts=$(counter 1 tx-bursts) whole=$(counter 2 rx-bursts)
	packets=$(rail_packets 1 r0 tx)
	transfer "$1" 1 2 5 -n 2 -s "$long"
	assert_ge "$1: at least four bursts leave" $(($(counter 1 tx-bursts) - bursts)) 4
	assert_eq "$1: no burst arrives, only packets" "$(counter 2 rx-bursts)" "$whole"
	assert_ge "$1: the rail counts each packet" \
		$(($(rail_packets 1 r0 tx) - packets)) $((2 * long / 4096))
	assert_eq "$1: no packet is sent again" "$(counter 1 tx-retx)" 0
	assert_eq "$1: no packet was found wrong" \
		"$(wrong_drops 1) $(wrong_drops 2)" "0 0"
}

if ! modprobe -a mpls_router mpls_iptunnel; then
	skip "bursts become packets in front of the route" "a kernel without MPLS"
	finish_tests
fi

# Both encapsulations over both kinds of route.
setup_fabric --rails 1 --mtu 4096
know_neighbours
must on 2 sysctl -qw net.mpls.platform_labels=1000 net.mpls.conf.r0.input=1
must ip -n "${NS[2]}" -f mpls route add 100 dev lo
must ip -n "${NS[1]}" route replace "$(fa 2)" encap mpls 100 via 10.64.0.2 dev r0
arrives "MPLS"
ENCAP=(encap native)
reconfigure 4 crc 4096
arrives "native, MPLS"
teardown_fabric

setup_fabric --v6 --rails 1 --mtu 4096
know_neighbours
must on 2 sysctl -qw net.ipv6.conf.all.seg6_enabled=1 net.ipv6.conf.r0.seg6_enabled=1
must ip -n "${NS[2]}" -6 route add fc00::2 encap seg6local action End.DT6 table 255 dev r0
must ip -n "${NS[1]}" -6 route add fc00::2 via fd00:64::2 dev r0
must ip -n "${NS[1]}" -6 route replace "$(fa 2)" encap seg6 mode encap segs fc00::2 dev r0
arrives "segment routing"
ENCAP=(encap native)
reconfigure 6 crc 4096
arrives "native, segment routing"
finish_tests
