#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Messages that are under way when the state of a QP changes.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

states() { timeout $((60 * SCALE)) "$REPO/build/rdma/states" "$@"; }

setup_rdma --rails 1
impair rate $((20000 / SCALE))kbit
check "a peer does not write on when a QP has failed" \
	states write uet2 "$(gid 2)" uet1 "$(gid 1)"
check "no data arrives for a QP that was destroyed while it reads" \
	states read uet2 "$(gid 2)" uet1 "$(gid 1)"
check "a QP receives nothing from the peer it was connected to before" \
	states reconnect uet2 "$(gid 2)" uet1 "$(gid 1)"
teardown_rdma
finish_tests
