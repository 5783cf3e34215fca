#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Those tests of the socket interface that a lost packet may change (sock_*.c, see
# sock_api.sh and sock_flow.sh), on a device that loses some, and then reorders, too.
#
#	node1
#	fep1 10.0.1.1  fep2 10.0.1.2  fep6 fd01::1	jobs 1, 2 and 6 of sock_api.sh
#	     |              |             |
#	     +------- lo, loss 5 % -------+
#
# clock: virtual; size: all; takes: 15 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

netem=(loss 5%)
export UET_NETEM="${netem[*]}"
add_node 1
add_loopback 1 1
add_loopback_jobs 1
must tc -n "${NS[1]}" qdisc add dev lo root netem limit 5000 "${netem[@]}"

UET_OPS=$((5000 / SCALE)) relay -t sock_cq on 1 sock_cq many__
assert_ge "sock_cq: packets were lost" "$(counter 1 tx-retx)" 1
relay -t sock_mode on 1 sock_mode mixed__ seqpacket__keeps
relay -t sock_rma on 1 sock_rma write__ region__ rudi__ refused_writes__
relay -t sock_tag on 1 sock_tag order__ match__random
UET_OPS=$((2000 / SCALE)) relay -t sock_post on 1 sock_post many__ place__
relay -t sock_amo on 1 sock_amo atomic__none fetch__each_is_reported_once
relay -t sock_read on 1 sock_read read__ rudi__ gone__
relay -t sock_defer on 1 sock_defer defer__ space__ end__
relay -t sock_count on 1 sock_count count__each count__is many__
UET_OPS=$((100 / SCALE)) relay -t sock_gen on 1 sock_gen slow_reader batches many_
UET_OPS=$((100 / SCALE)) relay -t sock_tagged_atomic on 1 sock_tagged_atomic adds_up many_

before=$(counter 1 tx-retx)
netem+=(delay 1ms 1ms)
UET_NETEM="${netem[*]}"
must tc -n "${NS[1]}" qdisc replace dev lo root netem limit 5000 "${netem[@]}"
relay -t sock_rndv on 1 sock_rndv meet__keeps meet__many meet__a_shorter read__ gone__ \
	end__the end__either
relay -t sock_peek on 1 sock_peek
relay -t sock_multi on 1 sock_multi
relay -t sock_endpoint_wait on 1 sock_endpoint_wait
relay -t sock_peer on 1 sock_peer peer__receives peer__unexpected peer__the_first
assert_ge "reordering: packets were lost" "$(counter 1 tx-retx)" $((before + 1))
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
