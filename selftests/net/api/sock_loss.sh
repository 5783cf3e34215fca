#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Those tests of the socket interface that a lost packet may change (sock_*.c, see
# sock_api.sh), on a device that loses some.
#
#	node1
#	fep1 10.0.1.1  fep2 10.0.1.2  fep6 fd01::1	jobs 1, 2 and 6 of sock_api.sh
#	     |              |             |
#	     +------- lo, loss 5 % -------+
#
# clock: virtual; size: all; takes: 10 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

export UET_NETEM="loss 5%"
add_node 1
add_loopback 1 1
add_loopback_jobs 1
# shellcheck disable=SC2086 # words
must tc -n "${NS[1]}" qdisc add dev lo root netem limit 5000 $UET_NETEM

UET_OPS=$((5000 / SCALE)) relay -t sock_cq on 1 sock_cq many__
assert_ge "sock_cq: packets were lost" "$(counter 1 tx-retx)" 1
relay -t sock_mode on 1 sock_mode mixed__ seqpacket__keeps
relay -t sock_rma on 1 sock_rma write__ region__ rudi__ refused_writes__
relay -t sock_tag on 1 sock_tag order__ match__random
UET_OPS=$((2000 / SCALE)) relay -t sock_post on 1 sock_post many__ place__
relay -t sock_amo on 1 sock_amo atomic__none fetch__each_is_reported_once
relay -t sock_read on 1 sock_read read__ rudi__ gone__
relay -t sock_defer on 1 sock_defer defer__ space__ end__
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
