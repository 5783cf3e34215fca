#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line of uetfabric and its connection matrices: wrong ones end with status
# 2 and say why, triggers do what they say, and the figures come in each form.  The
# figures are tested by selftests/sim.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

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
		ok "\"uetfabric $*\" prints: ${regex//$'\n'/ }"
	else
		not_ok "\"uetfabric $*\" prints what it should"
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
	ends "$status" "$regex" --nodes 16 --tm - < <(printf '%s\n' "$@")
}

ends 0 '^usage: uetfabric NETWORK FLOWS' --help < /dev/null

wrong 'what flows there are is missing'
wrong 'x: not an option' --permutation x
wrong '--speed: no option, or without its value; one of --nodes, .*--help' --speed 9
wrong '--size: no option, or without its value; one of' --permutation --size
wrong '--nodes 1: not a number in 2\.\.131072' --permutation --nodes 1
wrong '--nodes 100: no regular network of 3 tiers has so many hosts; 54 and 128' \
	--permutation --nodes 100
wrong '--nodes 100: no regular network of 2 tiers has so many hosts; 98 and 128' \
	--permutation --nodes 100 --tiers 2
wrong '--shape: not with --nodes' --permutation --shape 2,2,2,2,2 --nodes 16
wrong '--topo /nowhere: No such file' --permutation --topo /nowhere
wrong '--topo /nowhere: not with --nodes' --permutation --topo /nowhere --nodes 16
wrong '--gpus 3: does not divide the 2 ToRs' --permutation --nodes 16 --gpus 3
wrong '--set cc-some=1: unknown; one of window, .*cc-target.*ev-freeze' --permutation \
	--set cc-some=1
wrong '--set rto-init=9: rto-init is a time .* in 1000\.\.86400000000000' --permutation \
	--set rto-init=9
wrong '--set ev-count=3: ev-count is a power of two in 1\.\.32768' --permutation \
	--set ev-count=3
wrong '--set cc-strict=1: cc-strict is yes or no' --permutation --set cc-strict=1
wrong '--set cc-htsim=all: cc-htsim is none, or with . between: no-sample qa-after' \
	--permutation --set cc-htsim=all
wrong '--set burst=9: unknown' --permutation --set burst=9
wrong 'congestion control: rate x base RTT' --permutation --set cc-rate=12800000 \
	--set cc-base-rtt=1ms
wrong '--loss 1000001: not a number in 0' --permutation --loss 1000001
wrong '--slow-host 3: not HOST:PERCENT' --permutation --slow-host 3
wrong '--slow-host 3:0: 0 percent' --permutation --slow-host 3:0
wrong '--slow-host 3:50,down: behind the numbers: from=US' --permutation \
	--slow-host 3:50,down
wrong 'number 1 of .*: there is no such host' --permutation --nodes 16 --slow-host 16:50
wrong '--jobs 2: a matrix from stdin is read once' --tm - --jobs 2 --seeds 2
wrong '--jobs 0: not a number in 1\.\.256' --permutation --jobs 0
wrong '--wall-s 0: not a number in 1' --permutation --wall-s 0
wrong '--trace-us 0: not a number in 1' --permutation --trace-us 0
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
wrong '--shape 4,4,4,4,4,1,1,1: not PODS' --permutation --shape 4,4,4,4,4,1,1,1
wrong '--shape 4,4,4,4,4,65: not 1\.\.64 parallel links' --permutation \
	--shape 4,4,4,4,4,65
wrong '--shape 2,2,0,1,1: only UPS may be 0' --permutation --shape 2,2,0,1,1
wrong '--shape 2,2,2,2,0: pods need cores' --permutation --shape 2,2,2,2,0
wrong '--fault tor:0:0: not host.tor.agg:RAIL:NODE:UP:PERCENT' --permutation \
	--fault tor:0:0
wrong 'behind the numbers: up, down' --permutation --fault tor:0:0:0:0,left
wrong 'ends before it begins' --permutation \
	--fault tor:0:0:0:0,from=9,until=9
wrong '--fault tor:0:0:0:101: more than 100' --permutation \
	--fault tor:0:0:0:101
wrong 'number 1 of .*: there is no such link' --permutation --nodes 16 \
	--fault tor:0:8:0:50
wrong 'number 2 of .*: there is no such link' --permutation --nodes 16 \
	--fault tor:0:7:0:50 --fault agg:1:0:0:0
wrong '--link-loss 1000001: not a number in 0\.\.1000000' --permutation --link-loss 1000001
wrong 'behind the numbers: .*loss=PPM .1\.\.1000000.' --permutation --fault tor:0:0:0:100,loss=0
wrong 'mtbf=US and outage=US: one without the other' --permutation \
	--fault tor:0:0:0:0,mtbf=9
wrong '--reboot tor:0: not tor.agg.core:RAIL:NODE' --permutation --reboot tor:0
wrong '--reboot host:0:1: not tor.agg.core:RAIL:NODE' --permutation --reboot host:0:1
wrong '--reboot tor:0:1,down: behind the numbers: from=US' --permutation --reboot tor:0:1,down
wrong 'number 1 of .*: there is no such switch' --permutation --nodes 16 --reboot core:0:4
wrong '--pfc 200K: not auto or XOFF,XON,HEADROOM, bytes up to 1G' --permutation --pfc 200K
wrong '--pfc 9K,2G,0: not auto or XOFF' --permutation --pfc 9K,2G,0
wrong '--pfc 9K,8K,0,1: more than XOFF' --permutation --pfc 9K,8K,0,1
wrong '--pfc 9K,10K,0: XON is above XOFF' --permutation --pfc 9K,10K,0
wrong '--rails 2: --cc dcqcn has one' --permutation --cc dcqcn --rails 2
wrong '--ecn-max 101: not a number in 0\.\.100' --permutation --ecn-max 101
wrong 'ecn-low is above' --permutation --ecn-low 9 --ecn-high 8
wrong 'there are not 17 hosts' --incast 16 --nodes 16
wrong 'there are not 17 hosts' --ring 17 --nodes 16
ends 0 'hosts 54  flows 54 ' --nodes 54 --permutation --size 9K < /dev/null
wrong '/nowhere: No such file' --tm /nowhere

flow='0->1 id 1 start 0 size 4086'
matrix 2 '-:2: not Nodes, Connections, Triggers, Failures, .*: word' 'Nodes 4' 'word'
matrix 2 '-:1: a flow in front of Nodes' "$flow"
matrix 2 '-:1: Nodes 1: not a number in 2' 'Nodes 1'
matrix 2 '-:1: more Nodes than' 'Nodes 400'
matrix 2 '-:2: no such node: 0->4' 'Nodes 4' '0->4 start 0 size 1'
matrix 2 '-:2: a flow from a node to itself' 'Nodes 4' '1->1 start 0 size 1'
matrix 2 '-:2: size 2000000000000: not a number in 0\.\.1099511627776' 'Nodes 4' \
	'0->1 start 0 size 2000000000000'
matrix 2 '-:2: start x: not a time in 0\.\.1000000000 us' 'Nodes 4' '0->1 start x size 1'
matrix 2 '-:2: msg 0: not a number in 1' 'Nodes 4' '0->1 msg 0 start 0 size 1'
matrix 2 'not as many lines of triggers' 'Nodes 4' 'Triggers 2' "$flow" \
	'trigger id 1 oneshot'
matrix 2 'not as many lines of failures' 'Nodes 4' 'Failures 1' "$flow"
matrix 2 'switch_type is not TOR, AGG or CORE: HUB' 'Nodes 4' 'failure switch_type HUB'
matrix 2 'not switch_type, switch_id or link_id: port' 'Nodes 4' 'failure port 3'
matrix 2 'a failure needs switch_type' 'Nodes 4' 'failure switch_type TOR switch_id 0'
matrix 2 'there is no such link' 'Nodes 4' \
	'failure switch_type CORE switch_id 4 link_id 0'
matrix 2 '-:2: a flow without size' 'Nodes 4' '0->1 start 0'
matrix 2 '-:2: .*either start or trigger' 'Nodes 4' '0->1 size 1'
matrix 2 '-:2: not id, start, size, trigger, .*: speed' 'Nodes 4' "$flow speed 9"
matrix 2 'a number is missing behind: size' 'Nodes 4' '0->1 start 0 size'
matrix 2 'not as many flows as Connections' 'Nodes 4' 'Connections 2' "$flow"
matrix 2 'no flow' 'Nodes 4'
matrix 2 'a trigger nobody sets off' 'Nodes 4' "$flow" '2->3 trigger 1 size 1'
matrix 2 'not oneshot, multishot or barrier count N: never' 'Nodes 4' \
	'trigger id 1 never'

# Both hosts have the same ToR: the round trip is that of two links.
matrix 0 'flows 1  done 1  min_us 4\.674' 'Nodes 4' 'Connections 1' '' '# text' "$flow"
matrix 0 'flows 2  done 2 .*max_us 4\.674.*ideal_us 0\.000' 'Nodes 4' 'Triggers 1' \
	"$flow send_done_trigger 7" '2->3 id 2 trigger 7 size 4086' \
	'trigger id 7 oneshot'
# Each arrival begins one flow, or the second one begins both.
matrix 0 'flows 4 .*packets 4 ' 'Nodes 4' "$flow recv_done_trigger 7" \
	'1->2 start 50 size 4086 recv_done_trigger 7' \
	'2->3 trigger 7 size 9' '3->0 trigger 7 size 9' 'trigger id 7 multishot'
matrix 0 'flows 4 .*packets 4 ' 'Nodes 4' "$flow recv_done_trigger 7" \
	'1->2 start 50 size 4086 recv_done_trigger 7' \
	'2->3 trigger 7 size 9' '3->0 trigger 7 size 9' 'trigger id 7 barrier count 2'
matrix 1 'nothing happens any more; 1 of 2 flows' 'Nodes 4' \
	"$flow recv_done_trigger 7" '2->3 trigger 7 size 9' \
	'trigger id 7 barrier 2'

ends 0 '^\{"path": "oblivious", "cc": "none", "seed": 1, .*\}$' \
	--nodes 16 --permutation --size 9K --json < /dev/null
ends 0 $'^path,cc,seed,.*\nreps,none,7,.*\nreps,none,8,[^\n]*$' \
	--nodes 16 --permutation --size 9K --csv --seed 7 --seeds 2 \
	--path reps --cc none < /dev/null
ends 0 'path,cc,seed,src,dst,bytes,begin_us,time_us.*,9,0,9000,0\.000,1[45]\.' \
	--nodes 16 --incast 2 --size 9000 --json --flows /dev/stdout < /dev/null
wrong '--flows /nowhere/x: No such file' --permutation --flows /nowhere/x
ends 1 '--end-us is reached; 1 of 1 flows are not complete after' \
	--nodes 16 --incast 1 --end-us 100 < /dev/null

tap_end
