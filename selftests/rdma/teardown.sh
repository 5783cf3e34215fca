#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The end of all with operations in flight: killed programs, deleted devices, the module, a
# namespace.  The FEP and its job stay.  uet.ko is unloaded afterwards (run), and the kernel must
# not complain.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

setup_rdma --rails 1

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

unload()
{
	stop client
	stop server
}

# left: what the devices and the nodes have
left()
{
	rdma resource show | sed 's/^[0-9]*: //'
	nr_eps 1
	nr_eps 2
}

nothing_is_left() { [ "$(left)" = "$before" ]; }

gone() { ! [ -e "/sys/class/infiniband/$1" ]; }

ended() { ! running "$1"; }

refuses() { ! "$@"; }

again()
{
	pingpong "a new pair succeeds after $1" ibv_rc_pingpong -e -c -n 50
}

before=$(left)
load
check "writes are in flight" moves
unload
check "nothing is left of killed programs" busywait 60 nothing_is_left || left | diag
again "killed programs"

load
check "a device with operations in flight can be deleted" rdma link delete uet1
check "the program on a deleted device ends" busywait 60 ended server
unload
check "the device at the other end can be deleted" rdma link delete uet2
link_add

load
check "the job of a device with operations in flight cannot be deleted" refuses ue 1 job del 1
check "the FEP of a device with operations in flight cannot be deleted" refuses ue 1 fep del fep0
sent=$(counter 1 tx-req)
check "writes go on after these refusals" busywait 60 moves
unload

load
check "the module with operations in flight can be unloaded" rmmod uet_rdma
check "the devices go with the module" gone uet1
check "the program on a device of the module ends" busywait 60 ended server
unload
must modprobe uet_rdma
link_add
again "the module was loaded again"

load
ip netns del "${NS[1]}"
unload
check "the device goes with its namespace" busywait 60 gone uet1
finish_tests
