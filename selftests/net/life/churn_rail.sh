#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rails, addresses, routes and processes go and come back while messages fly:
# what is left carries them, what was in use stays, and at the end nothing holds
# the module.  The program makes its own namespaces.
#
#	node 0 ==(2 rails)== node 1
#
# UET_CHURN_LOOPS makes the loops of each test more than four: a fifth of it, a
# tenth where rails are made again.  UET_SEED repeats the random one.
#
# Real time: rails go on one CPU while another sends over them.
#
# clock: real; size: all; takes: 39 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

users=$(module_users)
objects=$(socket_objects)
relay churn_rail
check_nothing_left "$users" "$objects"
setup_fabric
transfer "afterwards all is well" 1 2 5 -n 3 -s 70000
finish_tests
