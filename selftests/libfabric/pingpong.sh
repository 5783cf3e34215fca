#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fi_pingpong of libfabric, between two nodes: messages and tagged messages of all sizes,
# without and with losses.

. "$(dirname "$0")/lib.sh"

needs fi_pingpong libfabric-bin

setup_fabric --nodes 2
for size in 1 64 4096 65536 1048576; do
	pair "fi_pingpong, $size bytes" fi_pingpong -p uet -e rdm -c -I 10 -S $size
done
impair loss 2%
retx=$(counter 1 tx-retx)
for size in 64 65537; do
	pair "fi_pingpong, $size bytes, loss 2 %" \
		fi_pingpong -p uet -e rdm -c -I 100 -S $size
done
assert_ge "packets were lost" "$(counter 1 tx-retx)" $((retx + 1))
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
