#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The life of the objects of libfabric, see object_calls.c.

. "$(dirname "$0")/lib.sh"

PATH=$REPO/build/libfabric:$PATH

setup_fabric --nodes 2
check "no object closes before those that use it" on 1 timeout "$PROGRAM_LIMIT" object_calls pairs
check "an operation of other length than its remote memory is refused" \
	on 1 timeout "$PROGRAM_LIMIT" object_calls lengths
check "a child that lives on keeps no endpoint alive" \
	on 1 timeout "$PROGRAM_LIMIT" object_calls child
check "a failure names the address of the peer and the reason" \
	on 1 timeout "$PROGRAM_LIMIT" object_calls failures
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
