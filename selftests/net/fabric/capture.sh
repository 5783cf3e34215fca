#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Headers on the wire: a whole PDC, from SYN to CLOSE, is captured on a rail and read by
# pcapcheck, a decoder of its own.
#
#	node1 r0 (tcpdump) ------- r0 node2
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

setup_fabric --rails 1 --burst 0
keep_order
captured "IPv4" 'udp port 4793'
reconfigure 6 crc 1024
captured "IPv6" 'udp port 4793' -m 1024
reconfigure 4 none 4096
captured "without CRC" 'udp port 4793' -n
finish_tests
