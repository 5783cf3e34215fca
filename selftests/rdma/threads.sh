#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Threads of one process that use the same objects, and a queue that is too short.
#
# Real time: on one CPU hardly a thread runs while another one is within a call.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

threads() { timeout $((240 * SCALE)) "$REPO/build/rdma/threads" "$@"; }

setup_rdma --rails 1
check "what threads post to one QP and one SRQ completes once and arrives once" \
	threads post uet1 "$(gid 1)" uet2 "$(gid 2)"
check "threads reset QPs in which messages wait" \
	threads reset uet1 "$(gid 1)" uet2 "$(gid 2)"
check "completions that find no space are one event" threads overrun uet1
check "threads may poll while others destroy QPs" threads destroy uet1
teardown_rdma
finish_tests
