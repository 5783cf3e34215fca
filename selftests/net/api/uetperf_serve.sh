#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uetperf as an operator uses it: servers that stay and start ranks for clients, which
# wait for their turn, parallel streams, so many seconds, a line at intervals, and
# retransmissions in the result.
#
#	node1 (clients)  node2 (server)  node3 (server, then a client)
#	      |               |               |
#	      +======= planes 0 and 1 ========+
#
# clock: virtual; size: all; takes: 40 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

few=$((40 / SCALE + 4))

# client_start NAME NODE ADDRESSES ARGS...
client_start()
{
	start "$1" "$2" uetperf "$4" --client --peers "$3" --timeout $((20 * SCALE)) --json \
		"${@:5}"
}

# judge NAME TEXT FILTER: its end, and whether FILTER is true of what it printed
judge()
{
	if ! finish "$1" > "$TMP/why"; then
		not_ok "$2: the client prints the right results"
		diag < "$TMP/why"
	else
		assert_json "$2: the client prints the right results" "$TMP/$1.out" "$3"
	fi
}

# client TEXT FILTER NODE ADDRESSES ARGS...: the same at once
client()
{
	client_start client "$3" "$4" "${@:5}"
	judge client "$1" "$2"
}

# refused TEXT REGEX ARGS...: a client on node 1 that fails, and says why
refused()
{
	assert_match "$1: the client says why it fails" "$(on 1 uetperf "${@:3}" 2>&1 > "$TMP/out" | tr '\n' ';')" "$2"
}

# server N: on that node
server()
{
	start "server$1" "$1" uetperf serve --peers "$(fa "$1")"
	wait_for "the server of node $1 is ready" 30 grep -qs serving "$TMP/server$1.out"
}

# served N: clients that its server has served and those that failed, as numbers
served()
{
	echo "$(grep -c ': served$' "$TMP/server$1.out") $(grep -c ': failed$' \
		"$TMP/server$1.out")"
}

one=$(fa 1) two=$(fa 1),$(fa 2) three=$(fa 1),$(fa 2),$(fa 3)
moved='[.results[] | .bytes > 0] | all'
compared='([.results[] | .bytes > 0 and .verified_bytes == .bytes] | all)'
# The clock is that of the VM, so this is about the program.
exact='(.results[0].ns | . > 1.98e9 and . < 2.02e9)'

servers()
{
	server 2
	assert_match "a server says where it is" "$(< "$TMP/server2.out")" \
		"^serving at $(fa 2), job 1, PIDonFEP 0, Resource Index 3\$"
	client "a client" "$compared" 1 "$two" bw --verify --iterations $few
	client "a client with another pattern" "$compared" 1 "$two" \
		lat --op write --verify --iterations $few
	client "a client beside TCP" ".results | length == 2" 1 "$two" \
		bidir --peer tcp --iterations $few
	server 3
	client "two servers for one client" "$compared" 1 "$three" \
		incast --verify --iterations $few
	client "two ranks of each server and of the client" "$compared" 1 "$three" \
		alltoall --ranks 6 --verify --iterations $few
	stop server3
	assert_eq "the server stays" "$(served 2)" "5 0"
}

# busy NAME: the client knows that it waits
busy()
{
	grep -qs "the server at $(fa 2) is busy with the client at $(fa 1); waiting" \
		"$TMP/$1.err"
}

# turns: clients that come while another one is served
turns()
{
	local before client

	before=$(served 2)
	client_start first 1 "$two" bw --seconds $((4 * SCALE)) --size 64K
	wait_for "the first client has its ranks" 30 nr_eps_are 2 -ge 3
	for client in second again; do
		stop second
		client_start "$client" 3 "$(fa 3),$(fa 2)" bw --op read --verify \
			--timeout "$SCALE" --iterations $few
		check "a second client is told for whom it waits" busywait 30 busy "$client"
	done
	judge first "the first client is served" "$moved"
	assert_eq "the first client was not told to wait" "$(< "$TMP/first.err")" ''
	judge again "the second client, later than its time-out" "$compared"
	assert_eq "one that was started again is served once" "$(served 2)" \
		"$((${before% *} + 2)) ${before#* }"
}

refusals()
{
	refused "no server" "no server at $(fa 3), job 1, PIDonFEP 0, Resource Index 3: Connection refused" \
		bw --client --peers "$one,$(fa 3)"
	start occupant 2 uetperf bw --rank 1 --peers "$(fa 3),$(fa 2)" --timeout 600
	wait_for "somebody has the address of rank 1" 30 nr_eps_are 2 -eq 3
	refused "a server that cannot" "the server at $(fa 2) has failed, and has printed" \
		bw --client --peers "$two"
	stop occupant
	assert_match "the server has the reason" "$(< "$TMP/server2.err")" \
		'rank 1: uet: bind: .*in use'
	refused "PIDonFEPs of somebody else" "no server at $(fa 2), job 1, PIDonFEP 8" \
		bw --client --peers "$two" --pid 8
}

# broken: the client ends in the middle, and the server serves the next one
broken()
{
	client_start client 1 "$two" bw --seconds 1000 --timeout 3
	busywait 30 nr_eps_are 2 -ge 3
	stop client
	busywait 60 nr_eps_are 2 -eq 1
	assert_match "a client that is gone is a failure" "$(served 2)" '^[0-9]+ 2$'
	echo hello | on 1 uetcat -R -p 0 -r 3 "$(fa 2)"
	client "a client after one that was killed, and after other messages" "$compared" 1 \
		"$two" bw --verify --iterations $few
	assert_match "what is no request is ignored" "$(< "$TMP/server2.err")" \
		"a message of 6 bytes that is not uetperf's was ignored"
}

streams()
{
	local filter='.parallel == 4 and .ranks == 8 and (.results[0].ranks | length == 8 and
		([.[] | select(.bytes > 0) | .rank] == [0, 2, 4, 6]))'

	client "four streams to a server" "$compared and $filter" 1 "$two" \
		bw -P 4 --verify --iterations $few
	start rank1 2 uetperf bw -P 4 --rank 1 --peers "$two" --iterations $few
	on 1 uetperf bw -P 4 --rank 0 --peers "$two" --iterations $few > "$TMP/text"
	check "four streams of two ranks end well" finish rank1
	assert_eq "each stream has a line" "$(grep -c '^  rank [0246] ' "$TMP/text")" 4
}

intervals()
{
	local sums='(.results[0] | .bytes == ([.intervals[].sent_bytes] | add) and
		.messages == ([.intervals[].messages] | add) and
		.retransmissions == ([.intervals[].retransmissions] | add))'
	local whole='([.results[0].intervals[:-1][] | .to_ns - .from_ns] |
		length >= 1 and all(. >= 1e9 and . < 1.05e9))'

	client "two seconds, with intervals" "$exact and $sums and $whole and
		.results[0].retransmissions == 0" 1 "$two" \
		bw --seconds 2 -i 1 --size 64K
	client "two seconds of round trips" "$exact and (.results[0] | .iterations == \
		(.ranks[0].messages))" 1 "$two" lat --seconds 2
	client "two seconds, every byte compared" "$exact and $compared" 1 "$two" \
		bw --op write --verify --seconds 2 --size 64K
	client "a client to which data come" \
		'[.results[0].intervals[] | .received_bytes] | add > 0' 1 "$three" \
		incast --seconds 1 -i 1
	client "the sum of several streams" "$sums" 1 "$two" \
		rate -P 2 --seconds 1 -i 1
	assert_ge "-i as text prints a line at each interval" \
		"$(on 1 uetperf bw --client --peers "$two" \
		--seconds 2 -i 1 --size 64K | grep -c '^uet .* s: sent .* retransmissions$')" 2
}

# again N...: retransmissions of these nodes so far
again()
{
	local n sum=0

	for n in "$@"; do sum=$((sum + $(counter "$n" tx-retx))); done
	echo "$sum"
}

retransmissions()
{
	local before after

	before=$(again 1 2)
	client_start client 1 "$two" bidir --peer tcp --iterations 400 --size 64K
	judge client "with losses" '[.results[] | .retransmissions > 0] | all'
	after=$(again 1 2)
	assert_json "the client reports only retransmissions that FEPs have counted" "$TMP/client.out" \
		".results[0].retransmissions <= $((after - before))"
	before=$(again 1)
	on 1 uetperf alltoall --fork --peers "$one" --ranks 4 --json --iterations 40 \
		> "$TMP/out"
	assert_eq "ranks of one node count them once" \
		"$(gojq .results[0].retransmissions "$TMP/out")" $(($(again 1) - before))
}

setup_fabric --nodes 3
servers
turns
impair delay 2ms
server 3
intervals
stop server3
streams
impair delay 1ms loss 2%
retransmissions
impair delay 0ms
refusals
broken
stop server2 TERM
check "no endpoint is left" busywait 30 nr_eps_are 2 -eq 0
finish_tests
