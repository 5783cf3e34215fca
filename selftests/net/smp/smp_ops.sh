#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All operations of all modes at once on four CPUs: RUD, ROD, UUD and RUDI, with CRC and
# sealed, by calls and by rings, from copies and from the pages of the sender, through links
# that lose, shuffle and double packets.  Meanwhile congestion control and other settings of
# the FEPs change, rails go down and up, ends replace their sockets in the midst of
# operations, and a FEP comes and goes.  Each byte is checked, each operation is accounted
# for once (smpboard.h), and nothing is left behind.
#
#	node1                                      node2
#	  job 1 fep0 10.0.0.1, CRC                   job 1 fep0 10.0.0.2
#	  job 2 fep1 10.0.1.1, sealed                job 2 fep1 10.0.1.2
#	  job 3 fep2 10.0.2.1, comes and goes        job 3 fep2 10.0.2.2
#	    r0 --------------- plane 0 --------------- r0
#	    r1 --------------- plane 1 --------------- r1
#
# UET_SMP_OPS is how many operations end with each congestion control (1000); UET_SEED
# repeats what is chosen.
#
# Real time: threads and softirqs contend on four CPUs.
#
# clock: real; size: all; takes: 240 s; limit: 900 s

. "$(dirname "$0")/../lib.sh"

ops=${UET_SMP_OPS:-$((1000 / SCALE))}
seed=${UET_SEED:-$RANDOM}
RANDOM=$seed
board=/dev/shm/smp-$$
controls=(none nscc rccc)
settings=('window 128' 'window 256' 'burst 0' 'burst 60000' 'paths reps' 'paths single'
	'ack-per-pkt yes' 'ack-per-pkt no' 'reorder-min 1ms' 'reorder-min 0')
# FROM TO JOB WORDS
flows=('1 2 1 rud' '2 1 1 rod,ring' '1 2 2 rud,ring,poll' '2 1 2 rod'
	'1 2 1 rud,churn' '2 1 1 rod,churn,ring,poll' '1 2 2 rod,churn' '2 1 2 rud,churn,ring'
	'1 2 1 uud' '2 1 2 uud' '1 2 3 rud,wild' '2 1 3 rod,wild,ring')
# Pages that a CPU may hold back before it adds them to the sum.
changes=0 downs=0 goings=0

# job_fa JOB NODE
job_fa()
{
	echo "10.0.$(($1 - 1)).$2"
}

# fep NODE JOB: add FEP and job.  A slow machine holds up answers, and RUDI has no
# peer-timeout.  A target whose initiator has dropped its messages ends soon.
fep()
{
	local words=(protect crc peer-timeout 30s)

	case $2 in
	2) words=(sd s peer-timeout 30s) ;;
	3) words=(protect crc peer-timeout 5s) ;;
	esac
	cat <<-X
		fep add fep$(($2 - 1)) addr $(job_fa "$2" "$1") rails r0,r1 mtu 4096 ${words[*]}
		fep set fep$(($2 - 1)) max-rto-retx 15 orphan 10s target-idle 20s
		job add $2 feps fep$(($2 - 1))
	X
}

make_node()
{
	local n=$1 peer=$((3 - $1)) job

	must ue "$n" -batch - <<-X
		rail add r0 plane 0
		rail add r1 plane 1
		sd add s sdi 7
		sd key s an 0 file $TMP/key
		sd use s an 0
	X
	for job in 1 2 3; do
		[ "$job" -eq 1 ] || must ip -n "${NS[$n]}" -batch - <<-X
			addr add $(job_fa $job "$n")/32 dev fa0
			route add $(job_fa $job $peer) nexthop via 10.64.0.$peer dev r0 nexthop via 10.65.0.$peer dev r1
		X
		fep "$n" $job > "$TMP/fep"
		must ue "$n" -batch - < "$TMP/fep"
	done
}

start_flows()
{
	local i from to job words specs=()

	for i in "${!flows[@]}"; do
		read -r from to job words <<< "${flows[i]}"
		specs+=("$(job_fa "$job" "$from"),$(job_fa "$job" "$to"),$job,$((10 + i)),$words")
	done
	must smp_ops make "$board" "$seed" "${specs[@]}"
	for i in "${!flows[@]}"; do
		read -r from to job words <<< "${flows[i]}"
		start "recv$i" "$to" smp_ops recv "$board" "$i"
	done
	for i in "${!flows[@]}"; do
		busywait 60 has_said "recv$i" ready || die "no receiver: $(< "$TMP/recv$i.err")"
	done
	for i in "${!flows[@]}"; do
		read -r from to job words <<< "${flows[i]}"
		start "send$i" "$from" smp_ops send "$board" "$i"
	done
}

# verdict KEY: of all flows: ended, flushed, left
verdict()
{
	result "$(smp_ops judge "$board")" "$1"
}

verdict_is()
{
	compare "$(verdict "$1")" "$2" "$3"
}

all_run()
{
	local i

	for i in "${!flows[@]}"; do
		running "send$i" && running "recv$i" || return 1
	done
}

# move_on OPERATIONS: wait until so many more have ended; false if none do any more
move_on()
{
	all_run && busywait 120 verdict_is ended -ge $(($(verdict ended) + $1))
}

job_goes()
{
	ue "$1" job del 3
}

# go_and_come NODE: the FEP of job 3, with messages of closed sockets in flight
go_and_come()
{
	smp_ops leave "$board"
	busywait 60 job_goes "$1" || die "endpoints of job 3 stay"
	must ue "$1" fep del fep2
	fep "$1" 3 > "$TMP/fep"
	must ue "$1" -batch - < "$TMP/fep"
	smp_ops return "$board"
	goings=$((goings + 1))
}

# flap NODE: one of its rails goes down, and comes back after some operations
flap()
{
	local rail=r$((RANDOM % 2))

	must ip -n "${NS[$1]}" link set "$rail" down
	move_on 100
	must ip -n "${NS[$1]}" link set "$rail" up
	downs=$((downs + 1))
}

change()
{
	# shellcheck disable=SC2086 # words
	must ue "$1" fep set fep$((RANDOM % 2)) ${settings[RANDOM % ${#settings[@]}]}
	changes=$((changes + 1))
}

# disturb OPERATIONS: by turns, once each at least, until so many have ended
disturb()
{
	local goal=$(($(verdict ended) + $1)) rounds=0 node

	until [ "$rounds" -ge 4 ] && verdict_is ended -ge "$goal"; do
		node=$((1 + RANDOM % 2))
		case $((rounds % 4)) in
		0) flap "$node" ;;
		1) go_and_come "$node" ;;
		*) change "$node" ;;
		esac
		rounds=$((rounds + 1))
		move_on 50 || return 1
	done
}

set_control()
{
	local n

	for n in 1 2; do
		must ue $n fep set fep0 cc "$1"
		must ue $n fep set fep1 cc "$1"
	done
}

# end_flows: senders first; what they have sent can then be read
end_flows()
{
	local i

	smp_ops stop "$board"
	check "each sender ends with all operations answered" busywait 120 \
		verdict_is flushed -eq ${#flows[@]}
	smp_ops quit "$board"
	check "each receiver ends" busywait 60 verdict_is left -eq ${#flows[@]}
	for i in "${!flows[@]}"; do
		cat "$TMP/send$i.err" "$TMP/recv$i.err" | diag
		stop "send$i"
		stop "recv$i"
	done
	smp_ops judge "$board" > "$TMP/judge"
	diag < "$TMP/judge"
	out=$(< "$TMP/judge")
}

# facts: about the operations of all flows
facts()
{
	local class kind

	for class in calm churn wild; do
		assert_eq "$class flows: no message came twice" "$(result "$out" ${class}_twice)" 0
		assert_eq "$class flows: no operation ended with an unexplained errno" \
			"$(result "$out" ${class}_wrong)" 0
		assert_eq "$class flows: ordered messages came in order" \
			"$(result "$out" ${class}_late)" 0
	done
	for class in calm churn wild uud; do
		assert_eq "$class flows: all bytes are those that were sent" \
			"$(result "$out" ${class}_changed)" 0
	done
	for class in calm churn; do
		assert_eq "$class flows: no message with a successful completion is lost" \
			"$(result "$out" ${class}_lost)" 0
		assert_eq "$class flows: regions and counters saw each memory operation once" \
			"$(result "$out" ${class}_unfit)" 0
		for kind in send notify tagged multi deferrable rendezvous write rudi add fetch \
			no-op; do
			assert_ge "$class flows: operations $kind succeeded" \
				"$(result "$out" "${class}_$kind")" 10
		done
	done
	assert_eq "calm flows: the outcome of each operation is known" \
		"$(($(result "$out" calm_unknown) + $(result "$out" calm_straddled)))" 0
	assert_ge "sockets were replaced with operations under way" \
		"$(result "$out" churn_closed)" 10
	assert_ge "datagrams came through the links" "$(result "$out" uud_came)" 10
	assert_ge "packets were lost" "$(counters_sum tx-retx 1 2)" 10
	assert_ge "packets came twice" "$(counters_sum rx-dup 1 2)" 10
	assert_ge "bytes were sent from the pages of their owner" \
		"$(counters_sum tx-zerocopy 1 2)" 10
	assert_ge "the settings of FEPs change under traffic" $changes 3
	assert_ge "rails went down under traffic" $downs 1
	assert_ge "a FEP went and came under traffic" $goings 1
}

objects=$(socket_objects)
pins=$(pinned_pages)
note "seed $seed"
setup_fabric --bare
genkey key
for n in 1 2; do make_node $n; done
impair delay 1ms 1ms loss 1% reorder 25% duplicate 1%
start_flows
for cc in "${controls[@]}"; do
	set_control "$cc"
	check "cc $cc: operations go on while all is disturbed" disturb "$ops" || break
done
end_flows
facts
for n in 1 2; do
	check "node$n: no endpoint is left" busywait 60 nr_eps_are $n -eq 0
	check "node$n: no PDC is left" busywait 120 nr_pdcs_are $n -eq 0 ||
		ue $n pdc show | diag
done
check "no page is pinned any more" busywait 60 pinned_pages_are -eq "$pins"
check "closed sockets leave nothing in the protocol" busywait 60 charged_is -le $SLACK
teardown_fabric
check "no socket is left in memory" busywait 60 socket_objects_are -eq "$objects"
rm -f "$board"
finish_tests
