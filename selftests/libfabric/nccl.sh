#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The calls of plugins for collective libraries, see nccl_calls.c, in both directions
# between two nodes.

. "$(dirname "$0")/lib.sh"

PATH=$REPO/build/libfabric:$PATH

setup_fabric --nodes 2
start first 1 timeout "$PROGRAM_LIMIT" nccl_calls "$TMP/first" "$TMP/second"
check "eight requests under way, writes with data: the second side ends well" \
	on 2 timeout "$PROGRAM_LIMIT" nccl_calls "$TMP/second" "$TMP/first"
check "eight requests under way, writes with data: the first side ends well" finish first
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
