#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Counters of operations of peers on memory (FI_RMA_EVENT), see event_calls.c.

. "$(dirname "$0")/lib.sh"

PATH=$REPO/build/libfabric:$PATH

setup_fabric --nodes 2
check "writes, reads and atomic operations are counted" \
	on 1 timeout "$PROGRAM_LIMIT" event_calls
must tc -n "${NS[1]}" qdisc replace dev lo root netem limit 5000 loss 2% delay 1ms 1ms
check "each event comes once, with loss and reordering" on 1 timeout "$PROGRAM_LIMIT" event_calls
assert_ge "packets were lost" "$(counter 1 tx-retx)" 1
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
