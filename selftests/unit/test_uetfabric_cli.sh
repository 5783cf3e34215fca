#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line of uetfabric and its connection matrices: wrong ones end with status
# 2 and say why, triggers do what they say, and the figures come in each form.  The
# figures are tested by selftests/sim.

set -u

. "$(dirname "$(readlink -f "$0")")/../lib/tap.sh"

uetfabric=${UETFABRIC:-build/sim/uetfabric}
tap_needs "$uetfabric" fabric

# ends STATUS REGEX WORDS...: what uetfabric prints, on stdout with status 0, else
# on stderr, matches REGEX.  Its stdin is ours.
ends()
{
	local status=$1 regex=$2 text got
	shift 2

	if [ "$status" -eq 0 ]; then
		text=$("$uetfabric" "$@" 2>&1)
	else
		text=$("$uetfabric" "$@" 2>&1 > /dev/null)
	fi
	got=$?
	if [[ $got = "$status" && $text =~ $regex ]]; then
		ok "uetfabric $*: ${regex//$'\n'/ }"
	else
		not_ok "uetfabric $*"
		note "status $got, should be $status; text should match: $regex"
		diag <<< "$text"
	fi
}

# wrong REGEX WORDS...: status 2, and what is wrong
wrong()
{
	local regex=$1
	shift
	ends 2 "^uetfabric: .*$regex" "$@" < /dev/null
}

# matrix STATUS REGEX LINE...: of a matrix with these lines
matrix()
{
	local status=$1 regex=$2
	shift 2
	ends "$status" "$regex" --nodes 4 --tm - < <(printf '%s\n' "$@")
}

ends 0 '^usage: uetfabric NETWORK FLOWS' --help < /dev/null

wrong 'what flows there are is missing'
wrong 'x: not an option' --permutation x
wrong '--nodes 1: not a number in 2\.\.65536' --permutation --nodes 1
wrong '--tiers 4: not a number in 2\.\.3' --permutation --tiers 4
wrong '--mbps 300000: does not divide 8000000' --permutation --mbps 300000
wrong '--paths 100: not a power of two' --permutation --paths 100
wrong '--track 200: not a power of two' --permutation --track 200
wrong '--path some: unknown; one of single, oblivious, reps, map, mixed' \
	--permutation --path some
wrong '--cc some: unknown; one of none, constant, nscc, .*rccc' --permutation \
	--cc some
wrong 'more than one pattern' --permutation --ring 4
wrong '--shape 4,4: not PODS' --permutation --shape 4,4
wrong '--shape 2,2,0,1,1: only UPS may be 0' --permutation --shape 2,2,0,1,1
wrong '--shape 2,2,2,2,0: pods need cores' --permutation --shape 2,2,2,2,0
wrong '--fault tor:0:0: not host.tor.agg:RAIL:NODE:UP:PERCENT' --permutation \
	--fault tor:0:0
wrong 'behind the numbers: up, down' --permutation --fault tor:0:0:0:0,left
wrong 'ends before it begins' --permutation \
	--fault tor:0:0:0:0,from=9,until=9
wrong '--fault tor:0:0:0:101: more than 100' --permutation \
	--fault tor:0:0:0:101
wrong 'fault number 1: there is no such link' --permutation --nodes 16 \
	--fault tor:0:8:0:50
wrong 'fault number 2: there is no such link' --permutation --nodes 16 \
	--fault tor:0:7:0:50 --fault agg:1:0:0:0
wrong 'ecn-low is above' --permutation --ecn-low 9 --ecn-high 8
wrong 'there are not 17 hosts' --incast 16 --nodes 16
wrong 'there are not 17 hosts' --ring 17 --nodes 16
ends 0 'hosts 100  flows 100 ' --nodes 100 --permutation --size 9K < /dev/null
wrong '/nowhere: No such file' --tm /nowhere

flow='0->1 id 1 start 0 size 4086'
matrix 2 '-:2: unknown word: word' 'Nodes 4' 'word'
matrix 2 '-:1: a flow in front of Nodes' "$flow"
matrix 2 '-:1: Nodes 1: not a number in 2' 'Nodes 1'
matrix 2 '-:1: more Nodes than' 'Nodes 400'
matrix 2 '-:2: no such node: 0->4' 'Nodes 4' '0->4 start 0 size 1'
matrix 2 '-:2: a flow from a node to itself' 'Nodes 4' '1->1 start 0 size 1'
matrix 2 '-:2: size 0: not a number in 1' 'Nodes 4' '0->1 start 0 size 0'
matrix 2 '-:2: a flow without size' 'Nodes 4' '0->1 start 0'
matrix 2 '-:2: .*either start or trigger' 'Nodes 4' '0->1 size 1'
matrix 2 '-:2: unknown word: speed' 'Nodes 4' "$flow speed 9"
matrix 2 'a number is missing behind: size' 'Nodes 4' '0->1 start 0 size'
matrix 2 'not as many flows as Connections' 'Nodes 4' 'Connections 2' "$flow"
matrix 2 'no flow' 'Nodes 4'
matrix 2 'a trigger nobody sets off' 'Nodes 4' "$flow" '2->3 trigger 1 size 1'
matrix 2 'not oneshot, multishot or barrier N: never' 'Nodes 4' \
	'trigger id 1 never'

# Both hosts have the same ToR: the round trip is that of two links.
matrix 0 'flows 1  min_us 4\.674' 'Nodes 4' 'Connections 1' '' '# text' "$flow"
matrix 0 'flows 2  .*max_us 4\.674.*ideal_us 0\.000' 'Nodes 4' 'Triggers 1' \
	"$flow send_done_trigger 7" '2->3 id 2 trigger 7 size 4086' \
	'trigger id 7 oneshot'
# Each arrival begins one flow, or the second one begins both.
matrix 0 'flows 4 .*packets 4 ' 'Nodes 4' "$flow recv_done_trigger 7" \
	'1->2 start 50 size 4086 recv_done_trigger 7' \
	'2->3 trigger 7 size 9' '3->0 trigger 7 size 9' 'trigger id 7 multishot'
matrix 0 'flows 4 .*packets 4 ' 'Nodes 4' "$flow recv_done_trigger 7" \
	'1->2 start 50 size 4086 recv_done_trigger 7' \
	'2->3 trigger 7 size 9' '3->0 trigger 7 size 9' 'trigger id 7 barrier 2'
matrix 1 'nothing happens any more; 1 of 2 flows' 'Nodes 4' \
	"$flow recv_done_trigger 7" '2->3 trigger 7 size 9' \
	'trigger id 7 barrier 2'

ends 0 '^\{"path": "oblivious", "cc": "constant", "seed": 1, .*\}$' \
	--nodes 16 --permutation --size 9K --json < /dev/null
ends 0 $'^path,cc,seed,.*\nreps,none,7,.*\nreps,none,8,[^\n]*$' \
	--nodes 16 --permutation --size 9K --csv --seed 7 --seeds 2 \
	--path reps --cc none < /dev/null
ends 0 'path,cc,seed,src,dst,bytes,begin_us,time_us.*,9,0,9000,0\.000,1[45]\.' \
	--nodes 16 --incast 2 --size 9000 --json --flows /dev/stdout < /dev/null
wrong '--flows /nowhere/x: No such file' --permutation --flows /nowhere/x
ends 1 'it takes too long; 1 of 1 flows are not complete after' \
	--nodes 16 --incast 1 --end-us 100 < /dev/null

tap_end
