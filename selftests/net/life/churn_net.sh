#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Namespaces and the module come and go while messages fly; a pair of nodes that
# stays is not disturbed, and at the end nothing is left of all those that went.
# The program makes its own namespaces.
#
#	node 0 ==(2 rails)== node 1
#
# UET_CHURN_LOOPS such pairs (6) live and die, and half as many with the module,
# but 6: that costs twice the time
#
# Real time: namespaces end on one CPU while packets of theirs are on another.
#
# clock: real; size: all; takes: 18 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

users=$(module_users)
UET_KO=$(modinfo -n uet)
export UET_KO
objects=$(socket_objects)
relay churn_net
check_nothing_left "$users" "$objects"
check "the module unloads" modprobe -r uet
assert_eq "the unloaded module leaves nothing" "$(module_traces)" ""
check "the module loads again" modprobe uet
setup_fabric
transfer "and works" 1 2 5 -n 3 -s 70000
finish_tests
