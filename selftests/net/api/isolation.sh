#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Separation of users and jobs, and the ways to let one user into the job of another:
# runs sock_job and sock_iso in one namespace with two FEPs that reach each other over
# the loopback device, and passes their facts on.
#
#	node1
#	+----------------------------------+   job  1: root
#	|      sock_job, sock_iso          |   job 11: user 1001, group 2000
#	|   fep1 10.0.1.1  fep2 10.0.1.2   |   job 12: user 1002
#	|       |              |           |   job 13: user 1001, PIDs 100-139
#	|       +- lo, plane 0 +           |   each on both FEPs
#	+----------------------------------+
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

add_node 1
add_loopback 1 1
must ip -n "${NS[1]}" addr add 10.0.1.3/32 dev lo
must ue 1 job add 11 feps fep1,fep2 name ann uid 1001 gid 2000
must ue 1 job add 12 feps fep1,fep2 name bob uid 1002
must ue 1 job add 13 feps fep1,fep2 name few uid 1001 pids 100-139
export UET_JOB_ANN=11 UET_JOB_BOB=12 UET_JOB_FEW=13

before=$(configuration 1)
refused=$(drops 1 ses-bad-job)
for program in sock_job sock_iso; do
	relay -t "$program" on 1 "$program"
done
# Two senders with seven packets at least, and a datagram.
assert_ge "messages to an endpoint of another job are counted" \
	$(($(drops 1 ses-bad-job) - refused)) 15
assert_eq "the configuration is as before" "$(configuration 1)" "$before"
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
