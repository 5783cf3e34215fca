#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ends without manners: namespaces deleted under open sockets and traffic,
# processes killed, the module asked to go while in use, sockets closed with
# data in flight.
#
#	node1 ==(2 rails)== node2
#
# Real time: sockets are closed on one CPU while packets for them arrive on another.
#
# clock: real; size: all; takes: 17 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

fails()
{
	! "$@" > "$TMP/why" 2>&1
}

has_ended()
{
	! running "$1"
}

# traffic: endless for our purposes, until somebody is killed
traffic()
{
	sink rx 2 5 -n 1000000
	source_to tx 1 2 5 -n 1000000 -s 64,300000,4096 -P "$TMP/tx.sent"
	wait_for "traffic flows between the nodes" 30 progress_is tx -ge 10
}

setup_fabric

# Data in flight when the sender closes and is gone.
for p in 0 1; do
	must tc -n "${NS[1]}" qdisc replace dev "r$p" root netem delay 20ms
done
sink rx 2 5 -n 20
source_to tx 1 2 5 -n 20 -s 64,70000,4096 -Q
check "a sender that does not wait for answers" finish tx
check "the messages of a sender that does not wait arrive" finish rx
for p in 0 1; do
	must tc -n "${NS[1]}" qdisc del dev "r$p" root
done

traffic
check "the module says no while it is used" \
	fails modprobe -r uet
assert_match "modprobe says that the module is in use" "$(cat "$TMP/why")" 'in use'
check "traffic goes on" progress_is tx -ge "$(progress tx)"

must kill -KILL "${PID[tx]}"
check "a killed sender leaves no PDC" \
	busywait 30 nr_pdcs_are 1 -eq 0
check "a killed sender leaves no endpoint" nr_eps_are 1 -eq 0
stop tx
stop rx
transfer "and the next one works" 1 2 6 -n 3 -s 70000

traffic
stop rx
wait_for "the sender ends" 30 has_ended tx
finish tx > "$TMP/why"
assert_eq "the sender learns that its reader is dead" $? 1
assert_match "the error names the call" "$(cat "$TMP/why")" "send|shutdown"
wait_for "no PDC is left" 30 nr_pdcs_are 1 -eq 0

traffic
must ip -n "${NS[2]}" link del r0
must ip -n "${NS[2]}" link del r1
stop tx
stop rx
teardown_fabric
check "rails deleted under traffic: nothing holds the module" \
	busywait 30 module_users_is -eq 0

setup_fabric
traffic
# Both namespaces lose their name first, then their last process.
for n in 1 2; do
	must ip netns del "${NS[$n]}"
done
before=$(progress tx)
check "traffic goes on in nameless namespaces" \
	busywait 30 \
	progress_is tx -gt "$before"
kill -KILL "${PID[tx]}" "${PID[rx]}"
stop tx
stop rx
NS=()
check "nameless namespaces go with their last process" busywait 30 module_users_is -eq 0

setup_fabric
traffic
kill -KILL "${PID[tx]}" "${PID[rx]}"
teardown_fabric
check "namespaces deleted in one blow hold no module" busywait 30 module_users_is -eq 0
# On most machines another module, like that of ext4, has CRC-32C in use.
modprobe -q libcrc32c
check "the module unloads" modprobe -r uet
check "the module loads again" modprobe uet
setup_fabric
transfer "and works" 1 2 5 -n 3 -s 70000
finish_tests
