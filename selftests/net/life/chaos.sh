#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything at random: system calls, options, ioctls, rings, streams, memory, processes,
# netlink and namespaces, by users, by roots of user namespaces and by root (chaos.c), while
# rails flap and FEPs and jobs come and go.  The kernel does not complain, all processes can
# be killed, two that have a FEP and a job of their own are not disturbed, and nothing is left.
#
#	node1 (chaos: 4 processes) ==(2 rails)== node2 (chaos: 4 processes)
#	fep0, fep6, jobs 1, 2 and 3 of user 1000: come and go
#	"calm", job 9: stays, messages between the nodes
#
# UET_CHAOS_S is how long (60 s): 600 or more without run and its limit.  UET_SEED repeats
# the calls of each process, not their order.
#
# Real time: all that happens at once on four CPUs.
#
# clock: real; size: all; takes: 130 s; limit: 900 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../cgroup.sh"

CALM_PID=3077
MAX_NETS=/proc/sys/user/max_net_namespaces
seconds=${UET_CHAOS_S:-60}
seed=${UET_SEED:-$RANDOM}
RANDOM=$seed
note "seed $seed"

# calm_fa NODE
calm_fa()
{
	echo "10.0.1.$1"
}

# add_calm NODE: FEP, address and job of the pair that is not to be disturbed
add_calm()
{
	local n=$1 peer=$((3 - $1))

	must ip -n "${NS[$n]}" addr add "$(calm_fa "$n")/32" dev fa0
	must ip -n "${NS[$n]}" route add "$(calm_fa $peer)" nexthop via 10.64.0.$peer dev r0 \
		nexthop via 10.65.0.$peer dev r1
	must ue "$n" fep add calm addr "$(calm_fa "$n")" rails "$(rail_names)" mtu "$MTU"
	must ue "$n" job add 9 feps calm
}

# add_wild NODE: what the users have, until it goes
add_wild()
{
	cat <<-X
		fep add fep0 addr $(fa "$1") rails $(rail_names) mtu 4096 peer-timeout 2s
		fep add fep6 addr fd00::$1 rails r0 mtu 1024 peer-timeout 2s
		fep set fep0 orphan 10s target-idle 20s
		fep set fep6 orphan 10s target-idle 20s
		job add 1 feps fep0 uid 1000
		job add 2 feps fep0 uid 1000
		job add 3 feps fep6 uid 1000
	X
}

# del_wild: in a random extent
del_wild()
{
	printf 'job del %d\n' $((1 + RANDOM % 3))
	((RANDOM % 3)) || printf 'job del %d\n' 1 2 3
	printf 'fep del fep%d\n' 0 6
}

settings=('cc nscc' 'cc none' 'headers optimized' 'headers standard' 'burst 0' 'burst 60000'
	'protect crc' 'paths reps' 'paths single' 'window 128' 'max-rto-retx 3' 'peer-timeout 1s')

# disturb NODE: a few changes at random; many of them are refused
disturb()
{
	local n=$1 rail=r$((RANDOM % RAILS))

	case $((RANDOM % 6)) in
	0)	ip -n "${NS[$n]}" link set "$rail" down
		pause $((RANDOM % 300))
		ip -n "${NS[$n]}" link set "$rail" up
		;;
	1)	del_wild | ue "$n" -force -batch -
		;;
	2)	# shellcheck disable=SC2086 # words
		ue "$n" fep set fep0 ${settings[RANDOM % ${#settings[@]}]}
		;;
	3)	ue "$n" rail set "$rail" ingress "$( ((RANDOM % 2)) && echo on || echo off)"
		;;
	4)	on "$n" sh -c "echo $((RANDOM % 4)) > /proc/sys/net/uet/default_job"
		;;
	5)	ue "$n" pdc show
		ue "$n" ep show
		ue "$n" stats
		;;
	esac
	add_wild "$n" | ue "$n" -force -batch -
}

disturb_all()
{
	while :; do
		disturb $((1 + RANDOM % 2))
		pause $((RANDOM % 100))
	done > "$TMP/disturb.out" 2>&1
}
# calm_round: messages of many sizes from node to node; false if one is lost or changed
calm_round()
{
	local from=$((1 + RANDOM % 2)) status=0

	sink calm_rx $((3 - from)) $CALM_PID -j 9 -n 12
	source_to calm_tx "$from" $((3 - from)) $CALM_PID -j 9 -n 12 -s 1,5000,70000
	finish calm_tx > "$TMP/why" || status=1
	[ $status -eq 0 ] || stop calm_rx
	[ $status -ne 0 ] || finish calm_rx >> "$TMP/why" || status=1
	return $status
}

# calm_rounds: as long as there is chaos; prints how many were right
calm_rounds()
{
	local good=0

	while running chaos1 || running chaos2; do
		if ! calm_round; then
			not_ok "messages of others arrive unchanged"
			cat "$TMP"/why "$TMP"/calm_*.out | diag
			break
		fi
		good=$((good + 1))
		pause 100
	done
	note "$good rounds of messages between others"
	assert_ge "messages of others arrived unchanged meanwhile" $good 1
}

# bound_memory: $TMP/enter, where there are memory cgroups
bound_memory()
{
	enter=()
	grep -qsw memory /proc/cgroups || return 0
	make_cgroup $((600 << 20))
	enter=("$TMP/enter")
}

objects=$(socket_objects)
pins=$(pinned_pages)
nets=$(< $MAX_NETS)
setup_fabric
bound_memory
echo 24 > $MAX_NETS
for n in 1 2; do
	must ue $n job del 1
	must ue $n fep del fep0
	add_calm $n
	add_wild $n | ue $n -force -batch - || die "cannot add what the users have"
done
for n in 1 2; do
	start chaos$n $n env UET_SEED=$((seed + 1000 * n)) "${enter[@]}" chaos \
		"$seconds" "$(fa $n)" "$(fa $((3 - n)))"
done
disturb_all &
PID[disturb]=$!
# From here on the nodes are those of the calm pair, but for the process above.
fa() { calm_fa "$1"; }
calm_rounds
for n in 1 2; do
	finish chaos$n > "$TMP/why"
	assert_eq "node$n: all processes can be killed" $? 0
	out=$(< "$TMP/chaos$n.out")
	cat "$TMP/why" - <<< "$out" | diag
	assert_ge "node$n: each process made calls" "$(result "$out" least)" $((100 / SCALE))
	assert_ge "node$n: connections of streams were accepted" "$(result "$out" accepted)" \
		$((1 / SCALE))
done
stop disturb
# The stacks of threads that could not be interrupted for two minutes.
dmesg | grep -A 40 'blocked for more than' | diag
for n in 1 2; do
	assert_ge "node$n: messages were received" "$(counter $n msg-received)" 10
	note "node$n: $(counter $n msg-received) messages, $(counter $n rx-packets) packets," \
		"$(counter $n msg-failed) failed"
done
echo "$nets" > $MAX_NETS
for n in 1 2; do
	must ip -n "${NS[$n]}" -batch - <<< $'link set r0 up\nlink set r1 up'
	# A closed stream whose peer takes nothing is given up after 60 s.
	check "node$n: no endpoint is left" busywait 150 nr_eps_are $n -eq 0
	check "node$n: no PDC is left" busywait 150 nr_pdcs_are $n -eq 0 ||
		ue $n pdc show | diag
done
check "no page is pinned any more" busywait 60 pinned_pages_are -eq "$pins"
check "afterwards all is well" calm_round
teardown_fabric
# A message to a peer that does not answer keeps its stream for as long as the default of
# peer-timeout, 300 s, and some more.
check "no socket is left in memory" busywait 400 socket_objects_are -eq "$objects"
finish_tests
