#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The end of all with operations in flight: killed programs, deleted devices, a namespace that
# ends.  The module is unloaded afterwards (run), and the kernel must not complain.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

setup_rdma

# load: writes in both directions that do not end by themselves
load()
{
	start server 1 ib_write_bw -d uet1 -x "$(gid 1)" -F -D 600 -s 65536 -b -q 4
	busywait 60 is_listening
	start client 2 ib_write_bw -d uet2 -x "$(gid 2)" -F -D 600 -s 65536 -b -q 4 "$(fa 1)"
	sent=$(counter 1 tx-req)
	busywait 60 moves
}

moves() { compare "$(counter 1 tx-req)" -gt $((sent + 500)); }

load
check "writes are in flight" moves
stop client
stop server
between "a new pair succeeds after killed programs" ibv_rc_pingpong -d uet1 -g "$(gid 1)" -c -n 50 -- \
	ibv_rc_pingpong -d uet2 -g "$(gid 2)" -c -n 50 "$(fa 1)"
load
check "a device with operations in flight can be deleted" rdma link delete uet1
stop client
stop server
check "the device at the other end can be deleted" rdma link delete uet2
for n in 1 2; do
	must on $n rdma link add uet$n type uet netdev r0
	busywait 30 has_gid $n
done
load
ip netns del "${NS[1]}"
stop client
stop server
gone() { ! [ -e /sys/class/infiniband/uet1 ]; }
check "the device goes with its namespace" busywait 60 gone
finish_tests
