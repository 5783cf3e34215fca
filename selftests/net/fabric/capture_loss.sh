#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that are sent again, on the wire: the dissector says of each which one it repeats,
# and why.
#
#	node1 r0 (tcpdump) ------- r0 node2 (drops each 25th packet; the capture has it)
#
# clock: virtual; size: all; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

setup_fabric --rails 1 --burst 0
keep_order
must tc -n "${NS[2]}" qdisc add dev r0 clsact
must tc -n "${NS[2]}" filter add dev r0 ingress matchall \
	action pass random determ drop 25
capture "with losses" 'udp port 4793'
again=$(counter 1 tx-retx)
assert_ge "packets were sent again" "$again" 4
if has_tshark "tshark explains them"; then
	tshark_read r0.pcap -Y 'ip.src == 10.0.0.1 && uet.pds.flags.retx == 1' \
		-T fields -e uet.retx.cause -e uet.retx.frame > "$TMP/again"
	assert_eq "tshark has each of them" "$(wc -l < "$TMP/again")" "$again"
	assert_eq "tshark has the cause and the packet before of each" \
		"$(grep -cE '^[123][[:space:]]+[0-9]+$' "$TMP/again")" "$again" ||
		diag < "$TMP/again"
fi
finish_tests
