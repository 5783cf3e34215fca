#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# perftest: writes, sends, reads and atomics, by QPs that are connected by hand and by the
# connection manager.  Its numbers are not looked at.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

setup_rdma --rails 1

# perf TEXT PROGRAM ARG...
perf()
{
	local text=$1 program=$2
	shift 2

	between "$text" "$program" -d uet1 -x "$(gid 1)" -F "$@" -- \
		"$program" -d uet2 -x "$(gid 2)" -F "$@" "$(fa 1)"
}

perf "writes of 64 KiB succeed" ib_write_bw -n 100 -s 65536
perf "writes of 8 MiB succeed" ib_write_bw -n 5 -s 8388608
perf "writes of all sizes succeed" ib_write_bw -n 5 -a
perf "sends of all sizes succeed" ib_send_bw -n 5 -a
perf "reads of all sizes succeed" ib_read_bw -n 5 -a
perf "writes of 64 MiB succeed" ib_write_bw -n 5 -s 67108864
perf "single writes succeed" ib_write_lat -n 100
perf "sends of 64 KiB succeed" ib_send_bw -n 100 -s 65536
perf "sends of 1 MiB succeed" ib_send_bw -n 20 -s 1048576
perf "sends in both directions succeed" ib_send_lat -n 100
perf "datagrams arrive in both directions" ib_send_lat -n 100 -c UD -s 1024
perf "reads of 64 KiB succeed" ib_read_bw -n 100 -s 65536
perf "single reads succeed" ib_read_lat -n 100
perf "fetch and add operations succeed" ib_atomic_bw -n 100 -A FETCH_AND_ADD
perf "compare and swap operations succeed" ib_atomic_lat -n 100 -A CMP_AND_SWAP
perf "writes over a managed connection succeed" ib_write_bw -n 100 -R
teardown_rdma
finish_tests
