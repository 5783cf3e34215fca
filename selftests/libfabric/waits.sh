#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Thousands of operations that wait for the peer, see waits_calls.c.

. "$(dirname "$0")/lib.sh"

PATH=$REPO/build/libfabric:$PATH

# calls TEXT WHAT: a part of the program ends, and without an error
calls()
{
	check "$1" on 1 timeout $((120 * SCALE)) waits_calls "$2"
}

setup_fabric --nodes 2
calls "20,000 receives wait, and messages in the opposite order fill each of them" receives
calls "20,000 messages of 4 bytes in each direction are received from the last on" short
calls "4,000 messages of 2,000 bytes in each direction are received from the last on" middle
calls "150 messages of 60,000 bytes in each direction are received from the last on" long
calls "150 injected messages of 60,000 bytes are received from the last on" injected
assert_ge "messages waited at their senders" "$(counter 1 rx-deferred)" 100
calls "receives wait with 127 values of ignored bits, and one more value is an error" masks
calls "131,072 receives wait, and one more is an error" limit
for node in 1 2; do
	must ue $node job add 2 feps fep0 uid 0
done
export FI_UET_JOB=2
check "256 endpoints of a user who may lock 8 MiB exchange messages" \
	on 1 timeout $((120 * SCALE)) setpriv --bounding-set=-all --inh-caps=-all \
	prlimit --memlock=8388608 "$REPO/build/libfabric/waits_calls" endpoints
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
