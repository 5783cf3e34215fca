#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long a lock is held with softirqs off, however many messages, receives and peers
# a user and his peers have piled up: 200,000 instructions at most.  The clock counts
# instructions; the kernel's tracing measures from the beginning of each spin_lock_bh() of
# the module to its spin_unlock_bh().  A softirq that runs before the lock is taken counts,
# too, so the programs leave little to softirqs.
#
#	node1: two FEPs on lo
#
# clock: virtual; size: all; takes: 30 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
MOST=200000
# Functions of modules only: their addresses are above.
mine='ret > 0xffffffffc0000000'

# add_probes: the time between two probes, per lock, the longest with its place
add_probes()
{
	echo "p:uet_held _raw_spin_lock_bh lock=%di:x64 ret=+0(%sp):x64" &&
		echo "p:uet_free _raw_spin_unlock_bh lock=%di:x64 ret=+0(%sp):x64"
}

# trigger EVENT TEXT: one of its histograms, of what the module calls; "!" takes it away
trigger()
{
	echo "$2:size=16384 if $mine" > "$tracing/events/kprobes/$1/trigger"
}

# measure ["!"]: begin to measure, or end and forget
measure()
{
	local begin="${1-}hist:keys=lock:begin=common_timestamp"

	[ -n "${1-}" ] || must trigger uet_held "$begin"
	must trigger uet_free \
		"${1-}hist:keys=lock:hold=common_timestamp-\$begin:onmax(\$hold).save(ret)"
	[ -z "${1-}" ] || must trigger uet_held "$begin"
}

# longest: "NANOSECONDS ADDRESS" of the longest hold; the address is of a module, 2^64 less
# some digits, which awk cannot hold at once
longest()
{
	awk '$1 == "max:" && $2 > most { most = $2; at = $4 }
		END { printf "%d ffffffff%x\n", most, 2^32 - (73709551616 - substr(at, 9)) }' \
		$tracing/events/kprobes/uet_free/hist
}

# name_of HEX: the function at the address
name_of()
{
	sort /proc/kallsyms | awk -v at="$1" '
		length($1) == length(at) && $1 <= at { name = $3 }
		END { print name }'
}

# holds TEXT TEST
holds()
{
	local most at

	measure
	relay -t "$1" on 1 holds "$2"
	read -r most at < <(longest)
	measure !
	note "$1: the longest hold, until $(name_of "$at"): $most"
	assert_ge "$1: holds of locks were measured" "$most" 1
	assert_le "$1: no lock is held for long" "$most" $MOST
}

add_node 1
add_loopback 1 1
add_probes > $tracing/kprobe_events || die "the kernel has no events of probes"
must sysctl -q net.core.rmem_max=$((512 << 20)) net.core.wmem_max=$((512 << 20))

holds "the first receive" hold__of_the_first_receive
holds "ignore bits" hold__with_ignore_bits
holds "peers" hold__of_peers
holds "many receives" hold__receives_wait
holds "order" hold__order_while_messages_arrive
must ue 1 fep set fep1 peer-timeout 2s
holds "a dead peer" hold__of_a_dead_peer_is_short
holds "a cancelled queue" hold__of_a_cancelled_queue_is_short
holds "a closed sender of rendezvous" hold__of_a_closed_offerer_is_short

echo > $tracing/kprobe_events
finish_tests
