#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every pattern of uetperf, with every operation, between ranks on nodes of their
# own: all bytes are compared, on links that lose and shuffle, too; TCP comes along;
# what is printed can be read by programs; and what is wrong is noticed.
#
#	node1 (rank 0)  node2 (rank 1)  node3 (rank 2)  node4 (rank 3)
#	      |               |               |               |
#	      +=============== planes 0 and 1 =+===============+
#
#	one (ranks 0 and 1): fep1 10.0.1.1 --- lo --- fep2 10.0.1.2
#
# clock: virtual; size: all; takes: 70 s; limit: 480 s

. "$(dirname "$0")/../lib.sh"

few=$((40 / SCALE + 4))

# peers N: the addresses of so many ranks
peers()
{
	local n list=''

	for ((n = 1; n <= $1; n++)); do list+=,$(fa "$n"); done
	echo "${list#,}"
}

# start_ranks N ARGS...: as many, of one pattern, with EXTRA for the last
start_ranks()
{
	local n=$1 rank extra=()
	shift

	for ((rank = n - 1; rank >= 0; rank--)); do
		extra=()
		[ $rank -lt $((n - 1)) ] || extra=("${EXTRA[@]}")
		start "rank$rank" $((rank + 1)) uetperf --rank $rank \
			--peers "$(peers "$n")" --timeout $((20 * SCALE)) \
			--json "$@" "${extra[@]}"
	done
}
EXTRA=()

# finish_ranks N: their exit statuses in $statuses, what they said in $TMP/why
finish_ranks()
{
	local rank

	statuses=''
	: > "$TMP/why"
	for ((rank = 0; rank < $1; rank++)); do
		finish "rank$rank" >> "$TMP/why"
		statuses+=" $?"
	done
	statuses=${statuses# }
}

# measure TEXT N FILTER ARGS...: N ranks do that, and FILTER is true of what rank 0 prints
measure()
{
	local text="$1: all ranks end well, and rank 0 prints the right results" n=$2 filter=$3
	shift 3

	start_ranks "$n" "$@"
	finish_ranks "$n"
	if [[ ! $statuses =~ ^0( 0)*$ ]]; then
		not_ok "$text"
		note "exit statuses: $statuses"
		diag < "$TMP/why"
	else
		assert_json "$text" "$TMP/rank0.out" "$filter"
	fi
}

# The filters.
compared='([.results[] | .bytes > 0 and .verified_bytes == .bytes] | all)'
# In sums each value is compared once, however many operands there were.
summed='([.results[] | .bytes > 0 and .verified_bytes > 0] | all)'
both='(.results | length == 4 and ([.[].transport] == ["uet", "tcp", "uet", "tcp"])
	and ([.[].ratio] | all(. > 0)))'
timed='([.results[].latency_ns | .min > 0 and .min <= .p50 and .p50 <= .p90 and
	.p90 <= .p99 and .p99 <= ."p99.9" and ."p99.9" <= .max] | all)'

# verify TEXT N FILTER ARGS...: the same, with a few messages of which each byte is
# compared
verify()
{
	measure "$@" --verify --iterations $few
}

# every_pattern: all of them, with messages, every byte compared
every_pattern()
{
	local pattern

	verify "lat" 2 "$compared and $timed" lat --size 64,20000
	for pattern in bw rate bidir incast alltoall; do
		verify "$pattern" 4 "$compared" $pattern --size 16,20000
	done
	for pattern in allreduce allgather reducescatter; do
		measure "$pattern" 3 "$timed" \
			$pattern --iterations $((few / 8)) --size 24,20000
	done
}

# every_return: memory of others is read, and added to for what was there
every_return()
{
	verify "read, bw" 2 "$compared" bw --op read --size 1,50000
	verify "read, incast" 4 "$compared" incast --op read --size 20000
	measure "read, lat" 2 "$compared and $timed" \
		lat --op read --verify --iterations $((few / 4)) --size 64
	verify "fetch, incast" 4 "$summed" incast --op fetch
}

# every_tag: messages have the match bits that they were sent with
every_tag()
{
	verify "tagged, bw" 2 "$compared" bw --op tagged --size 8,20000
	measure "tagged, lat" 2 "$compared and $timed" \
		lat --op tagged --verify --iterations $((few / 4)) --size 64
}

# every_length: deferrable messages, of which some find no space in the receive buffer
every_length()
{
	verify "deferrable, bw" 2 "$compared" bw --op deferrable --size 16,20000
	verify "deferrable, incast" 4 "$compared" incast --op deferrable --size 200000
	measure "deferrable, lat" 2 "$compared and $timed" \
		lat --op deferrable --verify --iterations $((few / 4)) --size 64
}

# every_target: memory of others is written and added to
every_target()
{
	verify "write, bw" 2 "$compared" bw --op write --size 1,50000
	verify "write, incast" 4 "$compared" incast --op write --size 20000
	measure "write, lat" 2 "$timed" \
		lat --op write --verify --iterations $((few / 4)) --size 64
	verify "atomic, incast" 4 "$summed" incast --op atomic --size 4096
}

# fails TEXT N STATUSES REGEX ARGS...: N ranks end like that, and say why
fails()
{
	local text=$1 n=$2 wanted=$3 regex=$4
	shift 4

	start_ranks "$n" "$@"
	finish_ranks "$n"
	assert_eq "$text: the ranks end with the statuses $wanted" "$statuses" "$wanted"
	assert_match "$text: it is said why" "$(< "$TMP/why")" "$regex"
}

# few_acks: of messages that others follow one in 16 is acknowledged, and the last one
# of a window
few_acks()
{
	local before acks

	must ue 2 fep set fep0 ack-delay 100ms
	before=$(counter 2 tx-ack)
	measure "--more: bw" 2 "$compared" \
		bw --more --verify --iterations 1024 --size 64 --window 64
	acks=$(($(counter 2 tx-ack) - before))
	assert_le "--more: 1024 messages take few ACKs" "$acks" 256
}

# no_one_waits: messages without a completion have no ACK of their own either, unless the
# send buffer is full: a few of them fill 16384 bytes, and an ACK may be late by 10 s
no_one_waits()
{
	local before acks wmem=/proc/sys/net/uet/uet_wmem old

	must ue 2 fep set fep0 ack-delay 10s
	before=$(counter 2 tx-ack)
	transfer "no completions" 1 2 5 -n 512 -s 64
	acks=$(($(counter 2 tx-ack) - before))
	assert_le "no completions: 512 messages take few ACKs" "$acks" 64
	old=$(< "$wmem")
	check "a small send buffer is set" eval 'echo "16384 16384 1048576" > $wmem'
	transfer "no completions, a small send buffer" 1 2 5 -n 512 -s 64
	echo "$old" > "$wmem"
	must ue 2 fep set fep0 ack-delay 500us
}

setup_fabric --nodes 4
every_pattern
every_target
every_return
every_tag
every_length
verify "in order: bw" 2 "$compared and .results[0].delivery == \"rod\"" \
	bw --rod --size 20000
verify "in order: alltoall" 4 "$compared" alltoall --rod --size 20000
measure "in order: allreduce" 3 "$timed" \
	allreduce --rod --iterations $((few / 8)) --size 20000
few_acks
no_one_waits
for pattern in bw alltoall; do
	verify "beside TCP: $pattern" 4 "$both and $compared" $pattern \
		--peer tcp --size 64,20000
done
measure "beside TCP: lat" 2 "$both and $timed" \
	lat --peer tcp --iterations $few --size 64,20000
measure "beside TCP: allreduce" 3 "$both and $timed" \
	allreduce --peer tcp --iterations $((few / 8)) --size 24,200000
measure "a histogram has all of them" 2 \
	"[.results[0].histogram[].count] | add == $few" \
	lat --histogram --iterations $few
measure "for a second" 2 '.results[0].iterations > 1' bw --seconds 1 --size 4096
for rail in r0 r1; do
	assert_ge "rail $rail was used" "$(rail_packets 1 $rail tx)" 1
done

impair delay 1ms 1ms loss 2% reorder 25%
before=$(counter 1 tx-retx)
bad="loss and reordering"
verify "$bad: lat" 2 "$compared and $timed" lat --size 20000
verify "$bad: incast" 4 "$compared" incast --size 64,20000
verify "$bad: alltoall" 4 "$compared" alltoall --size 20000
for pattern in allreduce allgather reducescatter; do
	measure "$bad: $pattern" 3 "$timed" \
		$pattern --iterations $((few / 8)) --size 20000
done
verify "$bad: write, alltoall" 4 "$compared" alltoall --op write --size 20000
verify "$bad: atomic, alltoall" 4 "$summed" alltoall --op atomic --size 64
verify "$bad: read, alltoall" 4 "$compared" alltoall --op read --size 20000
verify "$bad, in order: alltoall" 4 "$compared" alltoall --rod --size 4096
assert_ge "packets were lost" "$(counter 1 tx-retx)" $((before + 1))
impair delay 0ms

EXTRA=(--seed 2)
fails "other bytes than expected" 2 "1 1" 'wrong bytes' \
	bw --verify --iterations $few --size 4096 --timeout $((5 * SCALE))
fails "other bytes than expected are read" 2 "1 1" 'read: wrong bytes' \
	bw --op read --verify --iterations $few --size 4096 \
	--timeout $((5 * SCALE))
fails "other sums than expected" 3 "1 1 1" 'should be' \
	allreduce --iterations $few --size 4096 --timeout $((5 * SCALE))
EXTRA=(--window 3)
fails "other options than the others" 2 "1 1" 'started with other options' bw
EXTRA=()
on 2 uetperf bw --rank 1 --timeout 1 --peers "$(peers 2)" 2> "$TMP/why"
assert_match "without rank 0 it is said so" "$? $(< "$TMP/why")" \
	'^1 .*rank 0 is not there'
on 1 uetperf bw --rank 0 --timeout 1 --peers "$(peers 2)" 2> "$TMP/why"
assert_match "a rank that is missing is named" "$? $(< "$TMP/why")" \
	'^1 .*rank 1 is not there'
fails "sums of more than a packet" 2 "1 1" 'with --op atomic a packet at most' \
	bw --op atomic --size 8192
assert_eq "no endpoint is left" \
	"$(nr_eps 1) $(nr_eps 2) $(nr_eps 3) $(nr_eps 4)" "0 0 0 0"

teardown_fabric
add_node 1
add_loopback 1 1
here=(--fork --peers '10.0.1.1,10.0.1.2' --iterations "$few")
check "ranks of one machine are started by the first" \
	on 1 uetperf bidir "${here[@]}" --verify
check "several ranks share a FEP" \
	on 1 uetperf alltoall "${here[@]}" --ranks 4 --verify
assert_match "a table has both transports and their ratio" \
	"$(on 1 uetperf bw "${here[@]}" --peer tcp --size 4K | tr '\n' ';')" \
	'ratio;uet +send +4096 +[0-9]+ .*;tcp +send +4096 .* 1\.000;$'
assert_match "CSV has a line for each size and transport" \
	"$(on 1 uetperf lat "${here[@]}" --csv --size 64..256 | cut -d, -f1-3,7 |
		tr '\n' ';')" \
	'^pattern,transport,op,size;lat,uet,send,64;lat,uet,send,128;lat,uet,send,256;$'
finish_tests
