#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What uetfabric is as a tool: networks from files, faults that come and go, slow hosts,
# classes, traces, progress, partial results, and runs side by side.
# Each fact is about counters or lines of a small run.  The figures of congestion control
# are those of "uetfabric --gates".
#
# usage: fabric_tool.sh		UETFABRIC is the program

set -u

. "$(dirname "$(readlink -f "$0")")/../lib/tap.sh"

uetfabric=${UETFABRIC:-build/sim/uetfabric}
tap_needs "$uetfabric" fabric

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run STATUS WORDS...: its results are in got, by name; what it says is in said
run()
{
	local status=$1 rc heads values i
	shift

	"$uetfabric" --csv "$@" > "$tmp/out" 2> "$tmp/err"
	rc=$?
	said=$(cat "$tmp/err")
	IFS=, read -ra heads < <(sed -n 1p "$tmp/out")
	IFS=, read -ra values < <(sed -n 2p "$tmp/out")
	got=()
	for i in "${!heads[@]}"; do
		got[${heads[$i]}]=${values[$i]-}
	done
	[ "$rc" = "$status" ] && return
	note "status $rc, should be $status: uetfabric $*: $said"
	return 1
}

# fact TEXT COMMAND...: COMMAND succeeds
fact()
{
	local text=$1
	shift

	if "$@"; then
		ok "$text"
	else
		not_ok "$text"
		note "results: $(sed -n 2p "$tmp/out")"
		note "said: $said"
	fi
}

# is EXPRESSION: an arithmetic one with the names of results, true
is()
{
	local vars=() name

	for name in "${!got[@]}"; do
		vars+=(-v "$name=${got[$name]}")
	done
	awk "${vars[@]}" "BEGIN { exit !($1) }"
}

# has FILE REGEX N: at least N lines of FILE match
has()
{
	[ "$(grep -cE "$2" "$1")" -ge "$3" ]
}

declare -A got
said=''
perm="--nodes 16 --permutation --size 200000 --cc nscc"
crowd="--nodes 16 --permutation --size 2000000 --cc none"

# --- networks

cat > "$tmp/tree.topo" <<- X
	# that of --nodes 16
	nodes 16
	tiers 3
	podsize 4
	Tier 0
	Downlink_speed_Gbps 100
	Radix_Down 2
	Radix_Up 2
	Downlink_Latency_ns 1000
	Oversubscribed 1
	Tier 1
	Downlink_speed_Gbps 100
	Radix_Down 2
	Radix_Up 2
	Downlink_Latency_ns 1000
	Switch_Latency_ns 0
	Tier 2
	Downlink_speed_Gbps 100
	Radix_Down 4
	Downlink_Latency_ns 1000
	Bundle 1
X
# shellcheck disable=SC2086 # words
run 0 $perm
grep -v '^path' "$tmp/out" | cut -d, -f1-25 > "$tmp/nodes"
run 0 --permutation --size 200000 --cc nscc --topo "$tmp/tree.topo"
grep -v '^path' "$tmp/out" | cut -d, -f1-25 > "$tmp/topo"
fact "a .topo file of the network of --nodes 16 gives the same run" \
	cmp "$tmp/nodes" "$tmp/topo"

# topo REGEX SED: the file, changed by SED, is refused
topo()
{
	sed "$2" "$tmp/tree.topo" > "$tmp/bad.topo"
	"$uetfabric" --permutation --topo "$tmp/bad.topo" > "$tmp/out" 2> "$tmp/err"
	if [ $? = 2 ] && grep -qE "bad.topo:.*$1" "$tmp/err"; then
		ok "topo: uetfabric says \"$1\""
	else
		not_ok "topo: uetfabric says \"$1\""
		diag < "$tmp/err"
	fi
}

topo '2: nodes 1: not a number in 2..131072' 's/nodes 16/nodes 1/'
topo 'no Podsize in front of the first Tier' '/podsize/d'
topo '4: unknown word: pods; one of Tier, Nodes, Tiers, Podsize' 's/podsize/pods/'
topo '6: unknown word: speed; one of Tier, Downlink_speed_Gbps' \
	'6s/Downlink_speed_Gbps/speed/'
topo '6: the speed does not divide 8000: 300' '6s/100/300/'
topo 'tier 1 has no Radix_Up' '14d'
topo 'Nodes by Podsize: 16 is not a multiple of 5' 's/podsize 4/podsize 5/'
topo 'tier 1: Radix_Down 4: the links of the switches below need 2' '13s/2/4/'
topo 'tier 2: Radix_Down 8: the links of the switches below need 4' '19s/4/8/'
topo 'tier 0: Oversubscribed 2: links downwards have 200 Gb/s, upwards 200' \
	's/Oversubscribed 1/Oversubscribed 2/'
topo 'twice in this tier: Radix_Up' '8a Radix_Up 2'
topo 'more than one value: 3' '8s/$/ 3/'

# Twice the links between aggs and cores at half the speed, and slower switches.
sed -e '14s/2/4/' -e '18s/100/50/' -e '19s/4/8/' -e 's/Bundle 1/Bundle 2/' \
	-e 's/Switch_Latency_ns 0/Switch_Latency_ns 500/' \
	"$tmp/tree.topo" > "$tmp/bundle.topo"
run 0 --permutation --size 200000 --cc nscc --topo "$tmp/bundle.topo" \
	--links "$tmp/links"
fact "bundles: every flow is complete" is "done == 16 && drops == 0"
fact "the first link of a bundle carries packets" \
	has "$tmp/links" ':agg0>core0\.0,' 1
fact "the second link of a bundle carries packets" has "$tmp/links" ':agg0>core0\.1,' 1
run 0 --topo "$tmp/bundle.topo" --slice 1 --size 100
first=${got[max_us]}
sed 's/Switch_Latency_ns 500/Switch_Latency_ns 0/' "$tmp/bundle.topo" > "$tmp/b0.topo"
run 0 --topo "$tmp/b0.topo" --slice 1 --size 100
fact "a round trip is delayed by four aggs" is "$first - max_us > 1.9 && $first - max_us < 2.1"

run 0 --shape 2,8,4,4,4 --gpus 4 --rings 3 --size 8000 --links "$tmp/links"
fact "rings on rails: steps times hosts" is "hosts == 64 && flows == 192 && done == 192"
fact "the first ring of a rail does not leave its ToR" \
	has "$tmp/links" ':host0>tor0,' 1
run 0 --shape 2,8,4,4,4 --gpus 4 --trees --size 8000
fact "trees on rails: all but the roots send up and down" is "done == 2 * (64 - 4)"
run 0 --nodes 16 --slice 3 --size 8000
fact "a slice of an all-to-all is complete" is "done == 48 && packets == 96"

# --- matrices

# matrix STATUS LINE...: run a matrix, further words are in more
more=''
matrix()
{
	local status=$1
	shift
	printf '%s\n' 'Nodes 16' "$@" > "$tmp/matrix"
	# shellcheck disable=SC2086 # words
	run "$status" --nodes 16 --tm "$tmp/matrix" $more
}

flow='0->15 id 1 start 2.5 size 400000'
more='--path reps'
matrix 0 'Failures 2' "$flow" 'failure switch_type TOR switch_id 4 link_id 0' \
	'failure switch_type CORE switch_id 3 link_id 3'
fact "a failure of a matrix is a dead link" is "dead > 0 && done == 1"
matrix 0 "$flow" '0->15 id 1 msg 2 start 0 size 4000 addon prio 3'
fact "both messages of a connection are complete" is "done == 2"
more='--end-us 50'
matrix 0 '0->15 id 1 start 0 size 0' '1->14 id 2 start 0 size 4000'
fact "a flow of size 0 sends until the end" \
	is "done == 1 && total_us == 50 && gbps > 50"

# --- faults

# shellcheck disable=SC2086 # words
run 0 $perm --fault tor:0:0:0:0,up --end-us 100000
both=${got[dead]}
fact "a fault upwards loses packets, and all flows complete" is "dead > 0 && done == 16"
# shellcheck disable=SC2086 # words
run 0 $perm --fault tor:0:0:0:0 --end-us 100000
fact "a fault both ways loses more" is "dead > $both"
# shellcheck disable=SC2086 # words
run 0 $perm --fault tor:0:0:0:0,from=9000
fact "a fault that begins later loses nothing" is "dead == 0"
# shellcheck disable=SC2086 # words
run 0 $perm --fault tor:0:0:0:0,from=5,until=8 --path reps
fact "a fault that is repaired loses few packets" is "dead > 0 && dead < 40 && done == 16"
# shellcheck disable=SC2086 # words
run 0 $crowd --fault agg:0:0:0:25,down --queues "$tmp/queues"
full=$(grep ':core0>agg0' "$tmp/queues" | cut -d, -f6 | sort -n | tail -1)
# shellcheck disable=SC2086 # words
run 0 $crowd --fault agg:0:0:0:25,down,scaled --queues "$tmp/queues"
scaled=$(grep ':core0>agg0' "$tmp/queues" | cut -d, -f6 | sort -n | tail -1)
fact "a scaled queue is shorter" [ "$scaled" -lt "$full" ]

# shellcheck disable=SC2086 # words
run 0 $perm --fault tor:0:0:0:100,loss=300000,up --end-us 100000
fact "a link that loses packets at random loses some" is "dead > 4 && dead < 40 && done == 16"
# shellcheck disable=SC2086 # words
run 0 $perm --link-loss 2000 --end-us 100000
dead=${got[dead]} end=${got[total_us]}
fact "all links lose packets, and all flows complete" is "dead > 2 && done == 16"
# shellcheck disable=SC2086 # words
run 0 $perm --link-loss 2000 --end-us 100000
fact "the seed determines which packets are lost" is "dead == $dead && total_us == $end"
# shellcheck disable=SC2086 # words
run 1 $perm --link-loss 1000000 --end-us 3000
fact "links that lose all packets carry none" is "dead > 100 && done == 0 && acks == 0"
run 0 --nodes 16 --incast 2 --size 500000 --cc nscc --fault host:0:8:0:100,bleach
marks=${got[marks]}
fact "a switch marks packets of a host beside those that are bleached" is "marks > 0"
run 0 --nodes 16 --incast 2 --size 500000 --cc nscc --fault host:0:8:0:100,bleach \
	--fault host:0:9:0:100,bleach
fact "bleached packets of both hosts are not marked" is "marks == 0 && $marks > 0 && done == 2"
flap="--nodes 16 --incast 1 --size 20000000 --cc none --path single --end-us 1000000"
# shellcheck disable=SC2086 # words
run 0 $flap --fault host:0:8:0:0,up,mtbf=200,outage=20
dead=${got[dead]} end=${got[total_us]}
fact "a link that flaps loses packets again and again" is "dead > 100 && done == 1"
# shellcheck disable=SC2086 # words
run 0 $flap --fault host:0:8:0:0,up,mtbf=200,outage=20,until=210
fact "a link stops to flap" is "dead < $dead && total_us < $end"
# shellcheck disable=SC2086 # words
run 0 $flap --fault host:0:8:0:0,up,mtbf=200,outage=20 --seed 2
fact "another seed has other outages" is "dead != $dead && total_us != $end"
# shellcheck disable=SC2086 # words
run 1 $perm --reboot tor:0:0 --end-us 20000
fact "a ToR that is off cuts off its two hosts" is "dead > 0 && done == 13"
# shellcheck disable=SC2086 # words
run 0 $crowd --reboot core:0:0,from=40,until=60 --path reps --queues "$tmp/queues" --end-us 100000
fact "a core that reboots loses packets, and all flows complete" is "dead > 0 && done == 16"
fact "a core that reboots had a queue" has "$tmp/queues" ',(39|40)\.000,0:core0>' 1
fact "a core that is off has no queue" [ "$(grep -cE ',(42|50|59)\.000,0:core0>' "$tmp/queues")" = 0 ]
fact "a core that is back has a queue" has "$tmp/queues" ',[6-9][1-9]\.000,0:core0>' 1

# --- slow hosts

slow="--nodes 16 --incast 2 --size 500000 --cc nscc --path reps"
# shellcheck disable=SC2086 # words
run 0 $slow
fast=${got[total_us]}
# shellcheck disable=SC2086 # words
run 0 $slow --slow-host 0:25
fact "a slow host takes longer, and drops nothing" \
	is "total_us > 3 * $fast && host_drops == 0"
# shellcheck disable=SC2086 # words
run 0 $slow --slow-host 0:25,until=20
fact "a slow host that recovers takes less long" is "total_us < 2 * $fast"
# shellcheck disable=SC2086 # words
run 0 $slow --slow-host 0:25 --host-buffer 100000
fact "a small buffer drops packets" is "host_drops > 0 && done == 2"

# --- PFC

pfc="--nodes 16 --incast 8 --size 1M --cc none --path single"
# shellcheck disable=SC2086 # words
run 0 $pfc --no-trim
fact "an incast without PFC drops packets" is "drops > 100 && pauses == 0"
# shellcheck disable=SC2086 # words
run 0 $pfc --pfc auto --queues "$tmp/queues"
fact "an incast with PFC loses nothing" \
	is "drops == 0 && trims == 0 && rtx == 0 && done == 8"
fact "an incast with PFC pauses ports" is "pauses > 10 && paused_us > 100"
fact "pauses spread back to the cores" has "$tmp/queues" ',0:core[0-9]+>agg0' 1
# shellcheck disable=SC2086 # words
run 0 $pfc --pfc 40K,20K,4150 --end-us 100000
fact "a headroom that is too small loses packets" is "drops > 0 && pauses > 10"
# shellcheck disable=SC2086 # words
run 0 $pfc --pfc 100M,50M,0
fact "a threshold that is not reached pauses no port" is "drops == 0 && pauses == 0"
printf '%s\n' 'Nodes 16' '8->0 start 0 size 2000000' '9->0 start 0 size 2000000' \
	'10->0 start 0 size 2000000' '11->0 start 0 size 2000000' \
	'12->1 start 60 size 400000' > "$tmp/matrix"
run 0 --nodes 16 --tm "$tmp/matrix" --cc none --no-trim
victim=${got[min_us]}
run 0 --nodes 16 --tm "$tmp/matrix" --cc none --pfc auto
fact "a flow to another host waits behind paused ports" is "min_us > 1.5 * $victim && drops == 0"
pauses=${got[pauses]}
run 0 --nodes 16 --tm "$tmp/matrix" --cc nscc --pfc auto
fact "NSCC keeps ports from pausing" is "min_us < $victim && pauses < $pauses / 10"
run 0 --nodes 16 --incast 2 --size 500000 --cc none --slow-host 0:25 --host-buffer 200000
fact "a slow host without PFC loses data" is "host_drops > 0"
run 0 --nodes 16 --incast 2 --size 500000 --cc none --slow-host 0:25 --pfc auto
fact "a slow host with PFC pauses its ToR and loses nothing" \
	is "host_drops == 0 && drops == 0 && pauses > 0 && done == 2"
# shellcheck disable=SC2086 # words
run 0 $pfc --pfc auto --reboot core:0:0,from=60,until=90 --end-us 100000
fact "ports go on when a core with PFC has rebooted" is "dead > 0 && drops == 0 && done == 8"

# --- RoCE

roce="--nodes 16 --cc dcqcn"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 1 --size 2000000 --pfc auto
fact "a DCQCN connection alone has the whole link" \
	is "eff > 99 && packets == 490 && rtx == 0 && controls == 0"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 8 --size 2M --pfc auto
fact "DCQCN on PFC loses nothing, and pauses ports" \
	is "drops == 0 && rtx == 0 && nacks == 0 && pauses > 0 && done == 8"
controls=${got[controls]} marks=${got[marks]} end=${got[total_us]}
fact "marks make CNPs, one per connection in 50 us at most" \
	is "controls > 8 && controls < marks / 4 && controls <= 8 * (total_us / 50 + 1)"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 8 --size 2M --pfc auto
fact "the seed determines a run of DCQCN" is "controls == $controls && total_us == $end"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 8 --size 2M --pfc auto --cc none --path single
pauses=${got[pauses]}
# shellcheck disable=SC2086 # words
run 0 $roce --incast 8 --size 8M --pfc auto
fact "DCQCN pauses ports less than no control does, with four times the data" is "pauses < $pauses"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 2 --size 20M --pfc auto
fact "two DCQCN flows have the same share of their link, and most of it" \
	is "eff > 85 && min_us > 0.95 * max_us && pauses == 0"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 8 --size 2M --no-trim
fact "without PFC, go-back-N sends more packets again than were lost" \
	is "drops > 100 && rtx > 1.5 * drops && nacks > 0 && done == 8"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 1 --size 2M --fault host:0:8:0:100,loss=10000,up --end-us 100000
fact "a lost packet is reported once, or found by a time-out" \
	is "nacks + losses > 0 && nacks <= dead && rtx > 10 * dead && done == 1"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 1 --size 2M --fault host:0:8:0:0,from=50,until=60
fact "go-back-N goes on after an outage" is "dead > 0 && needless == 0 && done == 1"
# shellcheck disable=SC2086 # words
run 0 $roce --incast 8 --size 2M --pfc auto --ecn-low 9 --ecn-high 100000 --ecn-max 0
fact "without marks there are no CNPs" is "marks == 0 && controls == 0 && done == 8"
printf '%s\n' 'Nodes 4' '0->1 start 0 size 9000' '0->1 start 0 size 4086' \
	'0->1 start 100 size 1 send_done_trigger 7' '1->0 trigger 7 size 50000' \
	'trigger id 7 oneshot' > "$tmp/matrix"
run 0 --nodes 16 --tm "$tmp/matrix" --cc dcqcn
fact "a connection carries its messages in order" is "done == 4 && packets == 3 + 1 + 1 + 13"

# --- classes

printf '%s\n' 'Nodes 16' '1->0 start 0 size 900000 prio 7' '2->0 start 0 size 900000' \
	'3->0 start 60 size 4000 prio 2' > "$tmp/matrix"
run 0 --nodes 16 --tm "$tmp/matrix" --cc constant
slow=${got[min_us]}
run 0 --nodes 16 --tm "$tmp/matrix" --cc constant --prio 3 --queues "$tmp/queues"
fact "an urgent flow of a matrix overtakes" is "min_us < 20 && $slow > 30"
run 0 --nodes 16 --tm "$tmp/matrix" --cc constant --short 4000
fact "a short flow overtakes" is "min_us < 20"

# --- parameters

# shellcheck disable=SC2086 # words
run 0 $perm --set rto-init=5ms --set ev-count=1 --set cc-target=1us
marks=${got[marks]}
# shellcheck disable=SC2086 # words
run 0 $perm
fact "parameters change a run" is "marks != $marks"
# shellcheck disable=SC2086 # words
run 0 $perm --set ack-gen-trigger=4086
acks=${got[acks]}
# shellcheck disable=SC2086 # words
run 0 $perm --ack-bytes 4086
fact "parameters do what their options do" is "acks == $acks"

# --- traces and plots

# shellcheck disable=SC2086 # words
run 0 $perm --queues "$tmp/queues" --windows "$tmp/windows" --links "$tmp/links" \
	--flows "$tmp/flows" --trace-us 5
fact "--queues writes a trace of queues" has "$tmp/queues" '^oblivious,nscc,1,[0-9]+\.000,0:' 10
fact "--windows writes a trace of windows" \
	has "$tmp/windows" '^oblivious,nscc,1,5\.000,[0-9]+,[0-9]+,normal,[1-9]' 14
fact "--links writes a trace of links" has "$tmp/links" ':host0>tor0,[0-9]+,(0|1)\.[0-9]+,' 3
sum=$(grep 'tor[0-9]*>host' "$tmp/links" | awk -F, '{ sum += $6 } END { print sum }')
fact "links carried each byte" is "$sum > 16 * 200000 && $sum < 17 * 210000"

# --- runs

# shellcheck disable=SC2086 # words
"$uetfabric" $perm --csv --seeds 4 --flows "$tmp/f1" | cut -d, -f1-30 > "$tmp/one"
# shellcheck disable=SC2086 # words
"$uetfabric" $perm --csv --seeds 4 --jobs 3 --flows "$tmp/f3" | cut -d, -f1-30 > "$tmp/three"
fact "three runs at a time print what one at a time does" cmp "$tmp/one" "$tmp/three"
fact "three runs at a time write what one at a time does" cmp "$tmp/f1" "$tmp/f3"
run 1 --nodes 16 --incast 4 --size 500000 --cc nscc --end-us 160
fact "a run that --end-us ends has partial results" is "flows == 4 && done < 4 && packets > 100 && total_us == 160"
fact "a run that --end-us ends says what is missing" grep -q 'end-us is reached; [1-4] of 4 flows' <<< "$said"
run 1 --nodes 16 --all-to-all 16 --cc nscc --size 4G --wall-s 2 --progress \
	--end-us 1000000000
fact "a run that --wall-s ends has partial results" is "flows == 240 && done == 0 && packets > 100"
fact "a run that --wall-s ends says why" grep -q 'wall-s is reached; 240 of 240 flows' <<< "$said"
fact "progress says how much is done, and the time left" \
	grep -qE '[0-9.]+ % of the bytes, 0 of 1 runs, [0-9]+ us simulated, about [0-9]+ s left' \
	<<< "$said"
"$uetfabric" --csv --nodes 16 --all-to-all 16 --cc nscc --size 4G --end-us 1000000000 \
	> "$tmp/out" 2> "$tmp/err" &
child=$!
sleep 1
kill -INT "$child"
wait "$child"
said=$(cat "$tmp/err")
fact "an interrupted run has partial results" has "$tmp/out" '^oblivious,nscc,1,16,240,0,' 1
fact "an interrupted run says that it was interrupted" grep -q 'interrupted; ' <<< "$said"

tap_end
