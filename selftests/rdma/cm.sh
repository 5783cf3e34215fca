#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Connections by the connection manager: its datagrams go between the QPs with the number 1.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

setup_rdma --rails 1
for size in 64 65000; do
	between "rping validates $size bytes" rping -s -a "$(fa 1)" -C 50 -S $size -V -- \
		rping -c -a "$(fa 1)" -I "$(fa 2)" -C 50 -S $size -V
done
between "ucmatose connects 10 times" ucmatose -c 10 -C 20 -S 1000 -b "$(fa 1)" -- \
	ucmatose -c 10 -C 20 -S 1000 -s "$(fa 1)" -b "$(fa 2)"
between "udaddy sends datagrams" udaddy -c 2 -C 20 -S 1000 -b "$(fa 1)" -- \
	udaddy -c 2 -C 20 -S 1000 -s "$(fa 1)" -b "$(fa 2)"
teardown_rdma
finish_tests
