#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "ueadm job run" over several hosts: what the processes are told, that they talk, exit
# statuses, signals, hosts of a list, a file and Slurm, and that the job is gone on both
# hosts afterwards, whatever happened; made by ueadm itself, and by uetd over D-Bus.  The
# remote shell is a script that enters the namespace of a host.
#
#	node1 (fep0 10.0.0.1)                node2 (fep0 10.0.0.2)
#	  r0  10.64.0.1 ----- plane 0 ----- 10.64.0.2  r0
#	  r1  10.65.0.1 ----- plane 1 ----- 10.65.0.2  r1
#	  bus --- uetd                       bus --- uetd
#
# clock: virtual; size: check; takes: 10 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

dir=$REPO/daemon/systemd
setup_fabric
remote_shell
export UET_SSH=$TMP/shell
printf '%s\n' '# two hosts' 'node1 slots=3' '' 'node2	slots=2	# the other' > "$TMP/hosts"

# jobs: of both hosts
jobs()
{
	ue 1 -j job show
	ue 2 -j job show
}
before=$(jobs)

are_as_before()
{
	[ "$(jobs)" = "$before" ]
}

# ends TEXT STATUS REGEX ARGS...
ends()
{
	local text=$1 expected=$2 regex=$3 out status
	shift 3

	out=$(on 1 ueadm job run "$@" 2>&1 < /dev/null)
	status=$?
	assert_eq "$text: the launcher ends with status $expected" \
		"$status" "$expected" || diag <<< "$out"
	assert_match "$text" "$out" "$regex"
	assert_eq "$text: the jobs are as before" "$(jobs)" "$before"
}

# shellcheck disable=SC2016 # for the shells of the processes
told()
{
	local out

	out=$(cd "$TMP" && WORD=here on 1 ueadm job run --hosts node1:2,node2:2 -n 3 \
		id 77 pids 20-29 -- sh -c 'echo "$UET_RANK/$UET_SIZE $UET_JOB $UET_ADDR" \
			"$UET_PID $UET_PEERS $WORD $(pwd)"' | sort)
	assert_eq "each process gets its rank" "$out" \
		"0/3 77 10.0.0.1 20 10.0.0.1/20,10.0.0.1/21,10.0.0.2/20 here $TMP
1/3 77 10.0.0.1 21 10.0.0.1/20,10.0.0.1/21,10.0.0.2/20 here $TMP
2/3 77 10.0.0.2 20 10.0.0.1/20,10.0.0.1/21,10.0.0.2/20 here $TMP"
	out=$(on 1 ueadm job run --hostfile "$TMP/hosts" -- sh -c 'echo $UET_JOB')
	assert_eq "the number of the job is the same everywhere" "$(uniq -c <<< "$out" |
		sed 's/^ *\(.*\) ........*$/\1/')" 5
	out=$(on 1 ueadm job run --hostfile "$TMP/hosts" -- libuet_ranks 2>&1)
	assert_eq "processes of all hosts meet, exchange and add up" "$out" "5 ranks: 15"
	out=$(on 1 ueadm job run --hostfile "$TMP/hosts" -n 4 -- uetperf alltoall --verify \
		--iterations 10 --json 2>&1)
	assert_match "uetperf gets its ranks from the file of hosts" "$out" \
		'"ranks":4,.*"messages":120,"verified_bytes":7864320,'
	out=$(SLURM_JOB_NODELIST='node[1-2]' SLURM_TASKS_PER_NODE='2(x2)' \
		on 1 ueadm job run -- libuet_ranks 2>&1)
	assert_eq "the launcher takes the nodes and tasks of Slurm" "$out" "4 ranks: 10"
	out=$(SLURM_JOB_NODELIST='node[1-2]' SLURM_STEP_NUM_TASKS=8 \
		on 1 ueadm job run -- true 2>&1)
	assert_match "the launcher refuses to run as each task of a step" "$?$out" \
		'^1ueadm: job: this is one of 8 tasks of srun, .*salloc -n 8'
}

# shellcheck disable=SC2016 # for the shells of the processes
statuses()
{
	ends "a job on both hosts ends well" 0 '^$' --hosts node1,node2 -- true
	ends "a process that fails gives its status" 3 '^$' --hosts node1,node2 -- \
		sh -c '[ $UET_RANK != 1 ] || exit 3; sleep 600'
	ends "a missing program is named" \
		127 '"no-such" \(No such file' --hosts node1,node2 -- no-such
	ends "a missing host is named" \
		1 'job: host node9: .* has ended before the job was there' \
		--hosts node9 -- true
	ends "a name that is an option is refused" 1 '"-oX" is not the name of a host' \
		--hosts node1,-oX -- true
	ends "too many processes are refused" \
		1 '-n 3 is more than the 2 processes that the hosts' \
		--hosts node1,node2 -n 3 -- true
	ends "a job that one of the hosts has is refused" 1 'job 1: id is taken' \
		--hosts node1,node2 id 1 -- true
	ends "more processes than PIDs are refused" 1 \
		'host node1: 3 processes need PIDs up to 2, but job 9 has them to 1' \
		--hosts node1:3 id 9 pids 0-1 -- true
}

are_up()
{
	compare "$(grep -cs up "$TMP/run.out")" -eq 4
}

have_no_processes()
{
	[ -z "$(ip netns pids "${NS[1]}"; ip netns pids "${NS[2]}")" ]
}

# start_four ARGS...: four processes that live until a signal comes
start_four()
{
	start run 1 ueadm job run --hosts node1:2,node2:2 "$@" -- sh -c \
		"trap 'echo got; exit 0' USR1; echo up; while :; do sleep 0.05; done"
	wait_for "the processes of both hosts run" 30 are_up
}

signals()
{
	local status

	start_four
	kill -USR1 "${PID[run]}"
	finish run > "$TMP/why"
	status=$?
	assert_eq "a signal: the launcher ends with status 0" $status 0
	assert_eq "a signal: each process had it" "$(grep -c got "$TMP/run.out")" 4
	start_four
	stop run KILL
	check "the launcher is killed: the processes are gone" busywait 30 have_no_processes
	check "the launcher is killed: the job is gone on both hosts" busywait 30 are_as_before
}

# start_bus HOST NODE: a bus, and uetd on it
start_bus()
{
	local bus=$TMP/bus-$1

	cat > "$bus.conf" <<-X
		<busconfig>
			<type>system</type>
			<listen>unix:path=$bus</listen>
			<auth>EXTERNAL</auth>
			<policy context="default">
				<allow user="*"/>
				<allow own="*"/>
				<allow send_type="*"/>
				<allow receive_type="*"/>
			</policy>
			<include>$dir/org.ultraethernet.Uetd1.conf</include>
		</busconfig>
	X
	start "$1-bus" "$2" dbus-daemon --config-file="$bus.conf" --nofork
	wait_for "$1: the bus is there" 30 test -S "$bus"
	mkdir "$TMP/run-$1"
	printf '%s\n' '[uetd]' 'foreign = keep' > "$bus.uetd"
	start "$1-uetd" "$2" env RUNTIME_DIRECTORY="$TMP/run-$1" \
		DBUS_SYSTEM_BUS_ADDRESS="unix:path=$bus" uetd --bus -c "$bus.uetd"
	wait_for "$1: uetd is on the bus" 30 grep -q 'bus: known as' "$TMP/$1-uetd.err"
}

# said HOST REGEX: by its uetd
said()
{
	grep -qE -- "$2" "$TMP/$1-uetd.err"
}

by_uetd()
{
	local out

	must systemd-sysusers "$dir/uet.sysusers.conf"
	chmod 755 "$TMP"
	start_bus node1 1
	start_bus node2 2
	out=$(on 1 ueadm job run --bus --hostfile "$TMP/hosts" id 4711 -- libuet_ranks 2>&1)
	assert_eq "jobs of uetd: processes of all hosts add up" "$out" "5 ranks: 15"
	check "uetd of node1 made the job" said node1 'job 4711: add.*, for user 0'
	check "uetd of node2 made the job" said node2 'job 4711: add.*, for user 0'
	assert_eq "the jobs of uetd are gone on both hosts" "$(jobs)" "$before"
	start_four --bus
	stop run KILL
	check "the launcher is killed: the jobs of uetd go on both hosts" \
		busywait 30 are_as_before
}

told
statuses
signals
by_uetd
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
