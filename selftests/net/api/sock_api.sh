#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the C tests of the socket interface (sock_*.c) in one namespace with
# FEPs that reach each other over the loopback device, and passes their facts
# on.  Its own are that each program came to its end and left no endpoint, and what
# is seen from outside only: counters, and answers on the wire.
#
#	node1
#	+---------------------------------------------+
#	| sock_addr, sock_msg, sock_wait, sock_mode,  |   job 1: fep1, fep2
#	| sock_op, sock_cq, sock_ring, sock_submit,   |
#	| sock_uring,                                 |
#	| sock_rma, sock_amo, sock_read, sock_tag,    |
#	| sock_post, sock_map, sock_life, sock_zc,    |
#	| sock_defer, sock_place, sock_share,         |
#	| sock_count, sock_rights, sock_waits,        |
#	| sock_abi                                    |
#	| fep1 10.0.1.1  fep2 10.0.1.2  fep6 fd01::1  |   job 2: fep1, PIDs 5-6
#	|       |              |             |        |   job 6: fep6
#	|       +------- lo, plane 0 --------+        |
#	+---------------------------------------------+
#
# What a lost packet may change runs in sock_loss.sh, too.
#
# clock: virtual; size: check; takes: 25 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

# An ACK or ACK_CC with a response that says OVERFLOW.
overflow='udp port 4793 and udp[9] & 0x80 = 0 and
	((udp[8] = 0x3a and udp[20] & 0xc0 = 0x40) or
	(udp[8] = 0x42 and udp[40] & 0xc0 = 0x40))'

# was_captured: tcpdump has got what it was waiting for
was_captured()
{
	! running dump
}

# tells_unexpected: who posts receives tells senders what came without one
tells_unexpected()
{
	start dump 1 tcpdump -U -i lo -c 1 -w /dev/null "$overflow"
	wait_for "tcpdump listens on the netdev" 30 listening
	relay -t "sock_tag, only read" on 1 sock_tag tag__
	check "a plain reader expects every message" running dump
	relay -t "sock_tag, unexpected" on 1 sock_tag match__ignore_bits
	check "unexpected messages are answered with OVERFLOW" \
		busywait 30 was_captured
	stop dump
}

# without_copy: messages are sent from the pages of the sender, or not, and those of
# receivers here are copied
without_copy()
{
	local before

	relay -t "sock_zc, hints" on 1 sock_zc hint__
	assert_eq "data that cannot be sent from their pages are copied" \
		"$(counter 1 tx-zerocopy)" 0
	relay -t sock_zc on 1 sock_zc send__ write__ pages__
	before=$(counter 1 tx-zerocopy)
	assert_ge "packets were sent from the pages of the sender" "$before" 1000
	assert_ge "messages to receivers on this host are copied" \
		"$(counter 1 tx-zerocopy-copied)" 1000
	export UET_NETEM="loss 3% duplicate 5% delay 1ms 1ms"
	# shellcheck disable=SC2086 # words
	must tc -n "${NS[1]}" qdisc replace dev lo root netem $UET_NETEM
	relay -t "sock_zc, loss and duplicates" on 1 sock_zc many__ pages__
	assert_ge "sock_zc, loss and duplicates: packets were lost" \
		"$(counter 1 tx-retx)" 1
	must tc -n "${NS[1]}" qdisc del dev lo root
}

# forms_of_atomics: applications find the same on either reading of the wire
forms_of_atomics()
{
	local fep

	for fep in fep1 fep2; do
		must ue 1 fep set "$fep" amo-host yes mswap-xor yes
	done
	relay -t "sock_amo, host order and xor" on 1 sock_amo
	for fep in fep1 fep2; do
		must ue 1 fep set "$fep" amo-host no mswap-xor no
	done
}

add_node 1
add_loopback 1 1
add_loopback_jobs 1
mount_disk

for program in sock_addr sock_msg sock_wait sock_mode sock_op sock_cq \
	sock_ring sock_submit sock_uring sock_rma sock_amo sock_read sock_tag \
	sock_post sock_place sock_share sock_map sock_life sock_defer \
	sock_count sock_rights sock_waits sock_abi; do
	relay -t "$program" on 1 "$program"
done
assert_ge "sock_post: messages went to their receives without a buffer" \
	"$(counter 1 rx-posted)" 1000
assert_ge "sock_defer: messages were deferred" "$(counter 1 tx-deferred)" 100
assert_ge "sock_defer: deferred messages are asked for" "$(counter 1 rx-rtr)" 100
forms_of_atomics
tells_unexpected
without_copy
unmount_disk
check "no endpoint is left" \
	busywait 30 nr_eps_are 1 -eq 0
finish_tests
