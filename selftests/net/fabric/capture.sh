#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Headers on the wire: a whole PDC, from SYN to CLOSE, is captured on a rail and read by
# pcapcheck, a decoder of its own.  With losses, the dissector says of each packet that is
# sent again which one it repeats, and why.
#
#	node1 r0 (tcpdump) ------- r0 node2
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# Node 2 drops each 25th packet that arrives; the capture has it.
lossy()
{
	local text="with losses" again

	must tc -n "${NS[2]}" qdisc add dev r0 clsact
	must tc -n "${NS[2]}" filter add dev r0 ingress matchall \
		action pass random determ drop 25
	again=$(counter 1 tx-retx)
	capture "$text" 'udp port 4793'
	again=$(($(counter 1 tx-retx) - again))
	assert_ge "$text: packets were sent again" "$again" 4
	has_tshark "$text: tshark explains them" || return 0
	tshark_read r0.pcap -Y 'ip.src == 10.0.0.1 && uet.pds.flags.retx == 1' \
		-T fields -e uet.retx.cause -e uet.retx.frame > "$TMP/again"
	assert_eq "$text: tshark has each of them" "$(wc -l < "$TMP/again")" "$again"
	assert_eq "$text: with its cause and the packet before" \
		"$(grep -cE '^[123][[:space:]]+[0-9]+$' "$TMP/again")" "$again" ||
		diag < "$TMP/again"
}

setup_fabric --rails 1 --burst 0
keep_order
captured "IPv4" 'udp port 4793'
reconfigure 6 crc 1024
captured "IPv6" 'udp port 4793' -m 1024
reconfigure 4 none 4096
captured "without CRC" 'udp port 4793' -n
reconfigure 4 crc 4096
lossy
finish_tests
