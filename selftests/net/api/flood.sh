#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unexpected messages of 0 bytes to 1 MiB from 16 senders, all sent before the first is
# received, and received in the worst order: none fails, and none holds up another
# (sock_flood.c).  UET_FLOOD is their number.
#
#	node1   fep1 10.0.1.1 --- lo, plane 0 --- fep2 10.0.1.2   job 1
#
# clock: virtual; size: all; takes: 30 s; limit: 3600 s

. "$(dirname "$0")/../lib.sh"

export UET_FLOOD=${UET_FLOOD:-4000}
add_node 1
add_loopback 1 1

note "$UET_FLOOD messages"
relay -t "sock_flood" on 1 sock_flood
most=$((UET_FLOOD / SCALE))
assert_ge "rendezvous messages waited for a receive" \
	"$(counter 1 rx-rendezvous-waited)" $((most / 10))
assert_ge "messages waited at their senders when there was no more space" \
	"$(counter 1 rx-deferred)" $((most / 4))
check "no endpoint is left" \
	busywait 30 nr_eps_are 1 -eq 0
finish_tests
