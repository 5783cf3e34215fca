#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The examples of libibverbs, which connect QPs by hand, with their check of the data.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

setup_rdma --rails 1

pingpong "RC echoes 4 KiB" ibv_rc_pingpong -n 200 -c
pingpong "RC echoes with events" ibv_rc_pingpong -n 200 -c -e
pingpong "RC echoes 1 MiB" ibv_rc_pingpong -n 20 -c -s 1048576
pingpong "RC echoes 64 MiB" ibv_rc_pingpong -n 3 -c -e -s 67108864
pingpong "UD echoes 2 KiB" ibv_ud_pingpong -n 200 -c -s 2048
pingpong "UD echoes with events" ibv_ud_pingpong -n 200 -c -e -s 1024
pingpong "SRQ echoes over 16 QPs" ibv_srq_pingpong -n 400 -c -q 16 -s 1024
assert_eq "no region is left on node 1" "$(rdma resource show mr dev uet1 2> /dev/null |
	grep -c ibv_)" 0
teardown_rdma
finish_tests
