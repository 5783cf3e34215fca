#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the C tests of what stops messages and lets them go on (sock_gen) or ends
# them (sock_cancel), of atomic operations that need a receive (sock_tagged_atomic), of
# messages that their receiver reads (sock_rndv), of looking for unexpected messages
# (sock_peek), of receives that take several messages (sock_multi), of peers that have
# numbers (sock_peer), and of messages that wait for their endpoint
# (sock_endpoint_wait), in one namespace with two FEPs that reach each other over the
# loopback device, and passes their facts on.  Its own are the counters, that max-ack-data
# (Max_ACK_Data_Size) is obeyed, and that no endpoint is left.
#
#	node1   fep1 10.0.1.1 --- lo, plane 0 --- fep2 10.0.1.2   job 1
#
# clock: virtual; size: check; takes: 10 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

add_node 1
add_loopback 1 1

# reads_send LIMIT: sends so many requests, in either direction, for reads of all
# lengths, when answers of that length go into the ACK; a number in $reads
reads_send()
{
	local before

	must ue 1 fep set fep1 max-ack-data "$1"
	must ue 1 fep set fep2 max-ack-data "$1"
	before=$(counter 1 tx-req)
	relay -t "sock_read, $1 bytes in the ACK" on 1 sock_read read__gets
	reads=$(($(counter 1 tx-req) - before))
}

reads_send 16
most=$reads
reads_send 0
assert_ge "without data in the ACK it follows" "$reads" $((most + 1))
must ue 1 fep set fep1 max-ack-data 16
must ue 1 fep set fep2 max-ack-data 16
relay -t "sock_gen" on 1 sock_gen
assert_ge "endpoints were disabled for want of space" \
	"$(counter 1 gen-disabled)" 10
assert_ge "messages were refused for their generation" \
	"$(drops 1 ses-bad-generation)" 1
assert_ge "refused messages are sent again" "$(counter 1 msg-resent)" 20
relay -t "sock_tagged_atomic" on 1 sock_tagged_atomic
relay -t "sock_cancel" on 1 sock_cancel
relay -t "sock_peek" on 1 sock_peek
relay -t "sock_multi" on 1 sock_multi
relay -t "sock_peer" on 1 sock_peer
relay -t "sock_endpoint_wait" on 1 sock_endpoint_wait
# A message takes three ways to be read: 3 ms.
must tc -n "${NS[1]}" qdisc add dev lo root netem limit 5000 delay 1ms
relay -t "sock_rndv" on 1 sock_rndv
must tc -n "${NS[1]}" qdisc del dev lo root
# A slow kernel is spared the tests with most messages.
read=200
[ "$SCALE" -eq 1 ] || read=50
assert_ge "sock_rndv: messages were read" "$(counter 1 rx-rendezvous)" $read
assert_ge "sock_rndv: others waited for a receive" \
	"$(counter 1 rx-rendezvous-waited)" 50
assert_ge "sock_rndv: messages longer than a buffer were refused" \
	"$(drops 1 ses-rendezvous-long)" 2
check "no endpoint is left" \
	busywait 30 nr_eps_are 1 -eq 0
finish_tests
