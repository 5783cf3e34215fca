#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fi_pingpong of libfabric, between two nodes: messages and tagged messages of all sizes,
# without and with losses.

. "$(dirname "$0")/lib.sh"

needs fi_pingpong libfabric-bin

setup_fabric --nodes 2
reads=$(counter 1 rx-rendezvous)
for size in 1 64 4096 65536 1048576; do
	pair "fi_pingpong, $size bytes" fi_pingpong -p uet -e rdm -c -I 10 -S $size
done
assert_eq "up to 1 MiB the sender sends, nobody reads" "$(counter 1 rx-rendezvous)" "$reads"
data=$(counter 1 rx-data) packets=$(counter 1 rx-burst-packets)
pair "fi_pingpong, 4 MiB" fi_pingpong -p uet -e rdm -c -I 10 -S 4194304
assert_ge "4 MiB: the receiver reads" "$(counter 1 rx-rendezvous)" $((reads + 10))
data=$(($(counter 1 rx-data) - data)) packets=$(($(counter 1 rx-burst-packets) - packets))
assert_ge "4 MiB: nine of ten packets of data come in bursts" $((10 * packets)) $((9 * data))
# As in containers whose RLIMIT_MEMLOCK is 0: rings need none of it, and the kernel copies
# messages into memory that it cannot lock.
for size in 64 4096 1048576 4194304; do
	pair "fi_pingpong, $size bytes, no locked memory" setpriv --bounding-set -ipc_lock \
		prlimit --memlock=0 fi_pingpong -p uet -e rdm -c -I 10 -S $size
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
