#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything at once: messages, tagged ones into posted receives, deferrable and
# rendezvous ones for receives that are posted late, writes, reads, atomic
# operations, with and without PDCs, of up to a megabyte, in order and not, from
# copies and from the pages of the sender, between four pairs of endpoints.  The
# links lose, shuffle and double packets, and one rail after the other goes down and
# comes back.  Every byte is checked at the far end, and nothing is left behind.
#
#	node1                              node2
#	drive 10, 11, 12, 13               serve 10, 11, 12, 13
#	   r0 ----------- plane 0 ----------- r0
#	   r1 ----------- plane 1 ----------- r1
#
# UET_MIXED_OPS is the number of operations of each pair (150); without run and its
# limit it may be any.  UET_SEED repeats what is done.
#
# Real time: senders and receivers run at the same time, on two CPUs.
#
# clock: real; size: all; takes: 26 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

ops=${UET_MIXED_OPS:-$((150 / SCALE + 20))}
seed=${UET_SEED:-$RANDOM}
pids=(10 11 12 13)

# ordered PID: what makes it a SOCK_SEQPACKET, of every other pair
ordered()
{
	(($1 % 2)) && echo -o
}

is_ready()
{
	grep -q ready "$TMP/serve$1.out"
}

start_pairs()
{
	local pid

	for pid in "${pids[@]}"; do
		# shellcheck disable=SC2046 # or nothing
		start "serve$pid" 2 mixed serve $(ordered "$pid") "$(fa 2)" \
			"$pid" "$(fa 1)"
	done
	for pid in "${pids[@]}"; do
		busywait 60 is_ready "$pid" ||
			die "no server: $(cat "$TMP/serve$pid.err")"
	done
	for pid in "${pids[@]}"; do
		# shellcheck disable=SC2046 # or nothing
		start "drive$pid" 1 mixed drive $(ordered "$pid") \
			-P "$TMP/drive$pid.sent" "$(fa 1)" "$pid" "$(fa 2)" \
			"$ops" $((seed + pid))
	done
}

anyone_runs()
{
	local pid

	for pid in "${pids[@]}"; do
		! running "drive$pid" || return 0
	done
	return 1
}

# all_progress: operations of all pairs that have ended
all_progress()
{
	local pid sum=0

	for pid in "${pids[@]}"; do
		sum=$((sum + $(progress "drive$pid")))
	done
	echo $sum
}

# have_moved_on BEFORE: by a few operations, or they have ended
have_moved_on()
{
	! anyone_runs || compare "$(all_progress)" -gt $(($1 + 20))
}

# disturb: take the rails away in turn until all have ended
disturb()
{
	local rail=0

	while anyone_runs; do
		note "r$rail goes down after $(all_progress) operations"
		must ip -n "${NS[1]}" link set r$rail down
		busywait 60 have_moved_on "$(all_progress)"
		must ip -n "${NS[1]}" link set r$rail up
		busywait 60 have_moved_on "$(all_progress)"
		rail=$((1 - rail))
		downs=$((downs + 1))
	done
}

finish_pairs()
{
	local pid

	for pid in "${pids[@]}"; do
		check "pair $pid: every operation ends as it should" \
			finish "drive$pid" || stop "serve$pid"
		diag < "$TMP/drive$pid.out"
		[ -z "${PID[serve$pid]-}" ] ||
			check "pair $pid: the other end has counted the same" \
				finish "serve$pid"
	done
}

objects=$(socket_objects)
pins=$(pinned_pages)
note "seed $seed"
setup_fabric
impair delay 1ms 1ms loss 1% reorder 25% duplicate 2%
downs=0
start_pairs
disturb
finish_pairs
assert_ge "rails went down meanwhile" "$downs" 1
assert_ge "packets were lost" "$(counter 1 tx-retx)" 10
assert_ge "packets came twice" "$(counter 2 rx-dup)" 10
assert_ge "bytes were sent from the pages of their owner" \
	"$(counter 1 tx-zerocopy)" 10
assert_ge "the rest of rendezvous messages was read" \
	"$(counter 2 rx-rendezvous)" 5
for n in 1 2; do
	check "node$n: no endpoint is left" busywait 30 nr_eps_are $n -eq 0
	check "node$n: no PDC is left" busywait 60 nr_pdcs_are $n -eq 0
done
check "no page is pinned any more" busywait 30 pinned_pages_are -eq "$pins"
teardown_fabric
check "no socket is left in memory" \
	busywait 30 socket_objects_are -eq "$objects"
finish_tests
