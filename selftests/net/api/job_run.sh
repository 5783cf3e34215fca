#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "ueadm job run": what processes are told, that they can talk with nothing but a
# descriptor, exit statuses, signals, and that the job is gone afterwards, whatever
# happened.
#
#	node1
#	+----------------------------------+   job 5: user 1001, PIDs 10-11
#	|   fep1 10.0.1.1  fep2 10.0.1.2   |
#	|       |              |           |
#	|       +- lo, plane 0 +           |
#	+----------------------------------+
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

add_node 1
for n in 1 2; do
	must ip -n "${NS[1]}" addr add "10.0.1.$n/32" dev lo
done
must ue 1 rail add lo plane 0
must ue 1 fep add fep1 addr 10.0.1.1 rails lo mtu 4096
must ue 1 fep add fep2 addr 10.0.1.2 rails lo mtu 4096
must ue 1 job add 5 feps fep1 uid 1001 pids 10-11
before=$(ue 1 -j job show)

# Nobody in particular: no capability, no user of a job unless it is 1001.
nobody=(setpriv --reuid 1002 --regid 1002 --clear-groups --inh-caps=-all
	--bounding-set=-all)

# job_run ARGS...: status and output in $status and $out
job_run()
{
	out=$(ue 1 job run "$@" 2>&1 < /dev/null)
	status=$?
}

# ends TEXT STATUS REGEX ARGS...
ends()
{
	local text=$1 expected=$2 regex=$3
	shift 3

	job_run "$@"
	assert_eq "$text: the launcher ends with status $expected" \
		"$status" "$expected" || diag <<< "$out"
	assert_match "$text" "$out" "$regex"
	assert_eq "$text: the jobs are as before" "$(ue 1 -j job show)" "$before"
}

#----------------------------------------------------------------- what is told

# shellcheck disable=SC2016 # for the shells of the processes
told()
{
	job_run -n 3 id 77 pids 20-29 -- sh -c \
		'echo "$UET_RANK/$UET_SIZE $UET_JOB $UET_FEP $UET_ADDR $UET_PID $UET_PEERS"'
	assert_eq "each process gets its rank" "$(sort <<< "$out")" \
		"0/3 77 fep1 10.0.1.1 20 10.0.1.1/20,10.0.1.2/20,10.0.1.1/21
1/3 77 fep2 10.0.1.2 20 10.0.1.1/20,10.0.1.2/20,10.0.1.1/21
2/3 77 fep1 10.0.1.1 21 10.0.1.1/20,10.0.1.2/20,10.0.1.1/21"
	job_run -- sh -c 'cat "/proc/self/fdinfo/$UET_JOB_FD"; echo "$UET_JOB"'
	assert_match "the descriptor is one of the job" "$out" \
		"^job:[[:space:]]*$(tail -n 1 <<< "$out")$"
	assert_ge "the number of a new job is none that people choose" \
		"$(tail -n 1 <<< "$out")" 8388608
	assert_eq "only the first process reads piped input" \
		"$(echo once | ue 1 job run -n 3 -- cat)" once
}

# talk TEXT WORD...: processes of nobody's send to each other
talk()
{
	local text=$1
	shift

	rm -rf "$TMP/ranks"
	mkdir -m 777 "$TMP/ranks"
	chmod 711 "$TMP"
	export RANK_DIR=$TMP/ranks
	ends "$text" 0 '^$' "$@" -- "${nobody[@]}" rank
}

#----------------------------------------------------------------------- statuses

# shellcheck disable=SC2016 # for the shells of the processes
statuses()
{
	ends "a job of two processes ends well" 0 '^$' -n 2 -- true
	ends "a process that fails gives its status" 3 '^$' -n 3 -- \
		sh -c '[ $UET_RANK != 1 ] || exit 3'
	ends "a process that fails ends the others" 3 '^$' -n 3 -- \
		sh -c '[ $UET_RANK != 1 ] || exit 3; sleep 600'
	ends "a process that fails ends others that ignore SIGTERM" 3 '^$' -n 2 -- sh -c \
		'trap "" TERM; [ $UET_RANK != 1 ] || exit 3
		while :; do sleep 0.1; done'
	ends "processes left behind end with them" 0 '^$' -n 2 -- \
		sh -c 'sleep 600 & exit 0'
	ends "a killed process gives the status 137" 137 '^$' -- sh -c 'kill -KILL $$'
	ends "a missing program is named" 127 'job: "no-such-program" \(No such file' \
		-- no-such-program
	ends "a directory instead of a program is refused" \
		126 'job: "/" \(Permission denied' -- /
	ends "more processes than PIDs are refused" 1 \
		'job: -n 9 needs PIDs up to 4, but job 9 has them to 3' \
		-n 9 id 9 pids 0-3 -- true
	ends "a new job with the number of another is refused" \
		1 'job 5: id is taken$' id 5 -- true
	ends "a FEP that does not exist is named" \
		1 'job: feps nosuch: no such fep$' feps nosuch -- true
	ends "a job that does not exist is named" 1 'job 6: no such job$' job 6 -- true
	ends "more processes than PIDs of a job are refused" 1 \
		'-n 3 needs PIDs up to 12, but job 5 has them to 11' \
		-n 3 job 5 -- true
	ends "words that change an existing job are refused" 2 'job 5 is to be taken as it is' \
		job 5 name x -- true
}

#------------------------------------------------------------------------ signals

is_up()
{
	[ "$(grep -c up "$TMP/run.out")" -eq 3 ]
}

# A signal to the launcher is one to each.  A rank that failed because of it would end
# the others before they have reported.
signals()
{
	local name status

	# SIGINT and SIGQUIT are ignored by what a script has in the background.
	for name in TERM USR1; do
		start run 1 ueadm job run -n 3 -- sh -c \
			"trap 'echo got; exit 0' $name; echo up
			while :; do sleep 0.05; done"
		wait_for "the process runs beside its launcher" 30 is_up
		kill "-$name" "${PID[run]}"
		finish run > "$TMP/why"
		status=$?
		assert_eq "SIG$name: the launcher ends with status 0" $status 0
		assert_eq "SIG$name: each process had it" \
			"$(grep -c got "$TMP/run.out")" 3
	done
	start run 1 ueadm job run -n 3 -- sh -c \
		'echo up; while :; do sleep 0.05; done'
	wait_for "the process runs beside its launcher" 30 is_up
	stop run KILL
	check "the launcher is killed: its processes are gone" busywait 30 are_gone
	# That is all it can do: the job is there.
	assert_eq "a job of others stays when the launcher is killed" \
		"$(ue 1 -o job show | wc -l)" 2
	must ue 1 job del "$(ue 1 -o job show |
		sed -n 's/^job id \([0-9]\{7,\}\) .*/\1/p')"
	assert_eq "the jobs are as before" "$(ue 1 -j job show)" "$before"
}

are_gone()
{
	[ -z "$(ip netns pids "${NS[1]}")" ]
}

told
talk "processes of another user talk" -n 4
# Their user may take the job; they need not be the same.
out=$(on 1 setpriv --reuid 1001 --regid 1001 --clear-groups --inh-caps=-all \
	--bounding-set=-all ueadm job run -n 2 job 5 -- true 2>&1)
assert_eq "users of a job need no privilege" "$?$out" 0
out=$(on 1 "${nobody[@]}" ueadm job run -n 2 job 5 -- true 2>&1)
assert_match "other users get no descriptor of a job" "$?$out" \
	'^1ueadm: job: no descriptor of job 5 \(Permission denied\)'
out=$(on 1 "${nobody[@]}" ueadm job run -- true 2>&1)
assert_match "other users make no job without uetd" "$?$out" \
	'^1ueadm: job: there is no system bus .*only CAP_NET_ADMIN makes jobs'
statuses
signals
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
