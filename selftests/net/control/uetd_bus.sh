#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Jobs over D-Bus: on a system bus of its own, with a double of polkit, users have
# jobs made by uetd and run their processes; what they may not do they are told; who
# goes takes its jobs along, uetd itself does not, and neither does the bus.
#
#	node1
#	+----------------------------------------------+
#	|  fep1 10.0.1.1 on lo, plane 0                |
#	|  bus --- uetd --- polkit     alice 1001      |
#	|      \-- ueadm job run       bob   1002      |
#	+----------------------------------------------+
#
# clock: virtual; size: check; takes: 6 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/uetd_calls.sh"
CALL_SECONDS=20

dir=$REPO/daemon/systemd
create=org.ultraethernet.uetd1.create-job
destroy=org.ultraethernet.uetd1.destroy-job
wish='suasa{sv}'
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$TMP/bus

# property NAME: of uetd
property()
{
	as 1002 busctl get-property org.ultraethernet.Uetd1 \
		/org/ultraethernet/Uetd1 org.ultraethernet.Uetd1.Manager "$1"
}

# policy LINE...: what polkit says from now on
policy()
{
	printf '%s\n' "$@" > "$TMP/policy"
}

start_bus()
{
	start bus 1 dbus-daemon --config-file="$TMP/bus.conf" --nofork
	wait_for "the bus is there" 30 test -S "$TMP/bus"
}

# start_uetd: as the unit does, as the user of sysusers.d
start_uetd()
{
	start uetd 1 env RUNTIME_DIRECTORY="$TMP/run" \
		setpriv --reuid uetd --regid uetd --clear-groups \
		--inh-caps=-all,+net_admin --ambient-caps=-all,+net_admin \
		--bounding-set=-all,+net_admin --no-new-privs \
		uetd --bus -c "$TMP/uetd.conf"
}

# is_on_bus [COUNT]: for the first time since it was started, or the COUNTth
is_on_bus()
{
	compare "$(grep -c 'bus: known as' "$TMP/uetd.err")" -ge "${1-1}"
}

# said REGEX: by uetd, since it was started
said()
{
	grep -qE -- "$1" "$TMP/uetd.err"
}

# ids: of the jobs that the kernel has, but for that of the configuration
ids()
{
	local json found=()

	json=$(ue 1 -j job show)
	while [[ $json =~ \"id\":([0-9]+)(.*) ]]; do
		[ "${BASH_REMATCH[1]}" = 1 ] || found+=("${BASH_REMATCH[1]}")
		json=${BASH_REMATCH[2]}
	done
	echo "${found[*]}"
}

# nr_ids_are COUNT
nr_ids_are()
{
	local found

	read -ra found <<< "$(ids)"
	[ ${#found[@]} -eq "$1" ]
}

# start_job NAME UID: two ranks, of which one sends to the other without end, when
# nobody else has anything to do
start_job()
{
	# shellcheck disable=SC2016 # for the ranks
	start "$1" 1 env "SENT=$TMP/ranks/$1.sent" setpriv --reuid "$2" \
		--regid "$2" --clear-groups --inh-caps=-all --bounding-set=-all \
		nice -n 19 ueadm job run -n 2 name "$1" -- sh -c '
			[ $UET_RANK = 1 ] || exec msgs recv -j $UET_JOB \
				-a $UET_ADDR -p $UET_PID -E -t 600
			until ueadm -o ep show | grep -q " job $UET_JOB "; do :; done
			exec msgs send -j $UET_JOB -p 0 -n 1000000 -s 4096 \
				-t 600 -P "$SENT" $UET_ADDR'
	wait_for "the job of $1 runs" 30 sends "$1" 3 || diag < "$TMP/$1.err"
}

# sends NAME COUNT: messages so far, or more
sends()
{
	[ -e "$TMP/ranks/$1.sent" ] &&
		compare "$(< "$TMP/ranks/$1.sent")" -ge "$2"
}

# traffic_goes_on NAME TEXT
traffic_goes_on()
{
	check "$2: traffic goes on" busywait 30 sends "$1" \
		$(($(< "$TMP/ranks/$1.sent") + 3))
}

# listed ID REGEX: ListJobs says that of the job; in the order of keys in uetd
listed()
{
	call 1002 ListJobs --json=short |
		grep -qE "\\[$1,[^]]*.*$2"
}

setup()
{
	# The bus lets in only whom it can look up.
	printf 'u %s %s\n' alice 1001 bob 1002 > "$TMP/users.conf"
	must systemd-sysusers "$dir/uet.sysusers.conf" "$TMP/users.conf"
	chmod 755 "$TMP"
	mkdir -m 777 "$TMP/ranks"
	mkdir "$TMP/run"
	must chown uetd:uetd "$TMP/run"
	cat > "$TMP/bus.conf" <<-X
		<busconfig>
			<type>system</type>
			<listen>$DBUS_SYSTEM_BUS_ADDRESS</listen>
			<auth>EXTERNAL</auth>
			<policy context="default">
				<allow user="*"/>
				<deny own="*"/>
				<deny send_type="method_call"/>
				<allow send_type="signal"/>
				<allow send_type="method_return"/>
				<allow send_type="error"/>
				<allow receive_type="method_call"/>
				<allow receive_type="method_return"/>
				<allow receive_type="error"/>
				<allow receive_type="signal"/>
				<allow send_destination="org.freedesktop.DBus"/>
				<allow send_destination="org.freedesktop.PolicyKit1"/>
			</policy>
			<policy user="root">
				<allow own="org.freedesktop.PolicyKit1"/>
			</policy>
			<include>$dir/org.ultraethernet.Uetd1.conf</include>
		</busconfig>
	X
	write_conf
	add_node 1
	must ip -n "${NS[1]}" addr add 10.0.1.1/32 dev lo
}

# write_conf LINE...: in [uetd]
write_conf()
{
	printf '%s\n' '[rail lo]' 'plane = 0' '[fep fep1]' 'addr = 10.0.1.1' \
		'rails = lo' '[job 1]' 'feps = fep1' '[uetd]' "$@" \
		> "$TMP/uetd.conf"
}

# Without polkit only root may act.
without_polkit()
{
	local out

	out=$(as 1001 ueadm job run -- true 2>&1)
	assert_match "no bus: ueadm tells the way out" "$?$out" \
		'^1ueadm: job: there is no system bus to ask uetd over; without it, only CAP_NET_ADMIN makes jobs'
	start_bus
	out=$(as 1001 ueadm job run -- true 2>&1)
	assert_match "no uetd: ueadm tells the way out" "$?$out" \
		'^1ueadm: job: uetd is not on the system bus, start it: systemctl start uetd'
	start_uetd
	wait_for "uetd is on the bus" 30 is_on_bus
	check "uetd says how long its start took" busywait 30 said \
		'configured: rails 1, feps 1, jobs 1, [0-9]+ ms after the start of uetd, [0-9]+ ms after that of the kernel'
	out=$(as 1001 ueadm job run -- true 2>&1)
	assert_match "no polkit: users are refused" "$?$out" \
		'^1ueadm: job: uetd says: polkit cannot be asked about .*create-job, so only root may do that.*polkit rule, see uetd\(8\)'
	assert_eq "root runs a job over the bus without polkit" \
		"$(ue 1 job run --bus -- true 2>&1)" ""
	assert_eq "the job of root is gone afterwards" "$(ids)" ""
	start polkit 1 polkit_double "$TMP/policy" "$(id -u uetd)"
	wait_for "polkit is there" 30 grep -q ready "$TMP/polkit.out"
}

with_polkit()
{
	local out

	policy
	out=$(as 1001 ueadm job run -- true 2>&1)
	assert_match "polkit says no" "$?$out" \
		"^1ueadm: job: uetd says: polkit does not authorize $create; ask"
	policy "$create 1001 challenge"
	out=$(as 1001 ueadm job run -- true 2>&1)
	assert_match "polkit wants a password" "$?$out" \
		"polkit needs an authentication for $create"
	policy "$create 1001 yes" "$create 1002 yes"
	out=$(RANK_DIR=$TMP/ranks as 1001 ueadm job run -n 2 -- rank 2>&1)
	assert_eq "polkit says yes: the processes of a user talk" "$?$out" 0
	assert_eq "the question to polkit names action and user" \
		"$(sort -u "$TMP/polkit.out")" "$create 1001"$'\n'ready
	assert_eq "the job of the user is gone afterwards" "$(ids)" ""
	out=$(as 1001 ueadm job run uid 0 -- true 2>&1)
	assert_match "a job belongs to the user who asks" "$?$out" \
		'^1ueadm: job: a job that uetd makes belongs to the user who asks'
	out=$(as 1001 ueadm job run feps nosuch -- true 2>&1)
	assert_match "ueadm prints the reason of a refusal by uetd" "$?$out" \
		'^1ueadm: job: uetd says: there is no FEP "nosuch" on this node'
}

# Bad input, said by what is wrong and its limit: what is in a message.  The content of
# a well-formed request is checked in its unit test.
bad_input()
{
	local long=a123456789012345

	refused "a name of a job that is too long" \
		'name must be .*15' 1001 CreateJob "$wish" $long 0 0 0
	refused "a JobID of the configuration" 'job 1 is one of the config' \
		1001 CreateJob "$wish" x 1 0 0
	refused "more than 16 FEPs" 'feps: a job can have 16 at most' 1001 \
		CreateJob "$wish" x 0 17 a b c d e f g h i j k l m n o p q 0
	refused "a FEP with a long name" 'the name of a FEP must be of 1 to 15' \
		1001 CreateJob "$wish" x 0 1 $long 0
	refused "an unknown option" 'option "color" is unknown' \
		1001 CreateJob "$wish" x 0 0 1 color s red
	refused "an option of the wrong type" '"group" must be of type u' \
		1001 CreateJob "$wish" x 0 0 1 group s red
	refused "to destroy a job that is not there" 'there is no job 99' 1001 DestroyJob u 99
	refused "to destroy a job of the configuration" \
		'job 1 is one of the configuration' 0 DestroyJob u 1
	assert_eq "requests that are refused make no job" "$(ids)" ""
}

# alice's job is none of bob's business.
two_users()
{
	local out

	start_job alice 1001
	id=$(ids)
	check "the job is listed, with its maker" listed "$id" \
		'"alice",1001,.*"persistent".*false.*"maker".*":1\.'
	out=$(as 1002 ueadm job run job "$id" -- true 2>&1)
	assert_match "bob cannot open it" "$?$out" \
		"^1ueadm: job: no descriptor of job $id \\(Permission denied\\)"
	refused "another user the destruction of a job" 'Access denied' 1002 DestroyJob u "$id"
	check "polkit was asked about it" \
		grep -qx "$destroy 1002" "$TMP/polkit.out"
	refused "alice the destruction of a job in use" 'endpoints are bound' \
		1001 DestroyJob u "$id"
	kill -HUP "${PID[uetd]}"
	wait_for "the configuration is read again" 30 said 'was read again'
	traffic_goes_on alice "reload"
}

# uetd is killed: all else goes on.
death()
{
	stop uetd KILL
	traffic_goes_on alice "the death of uetd"
	start_uetd
	wait_for "uetd is on the bus again" 30 is_on_bus
	check "uetd knows the job after its restart" \
		listed "$id" '"alice",1001,.*"maker".*":1\.'
	traffic_goes_on alice "its return"
	stop alice KILL
	check "its maker leaves: the job goes" busywait 60 nr_ids_are 0
	check "uetd logs that the job is deleted" said "job $id: delete"
}

# persistent UID NAME: its answer
persistent()
{
	call "$1" CreateJob "$wish" "$2" 0 0 2 persistent b true \
		pids '(qq)' 10 20
}

stays()
{
	local out count

	write_conf 'jobs-per-user = 2'
	kill -HUP "${PID[uetd]}"
	wait_for "the limit is read" 30 \
		eval '[ "$(property JobsPerUser)" = "u 2" ]'
	start signals 1 busctl monitor --json=short \
		--match="type=signal,interface=org.ultraethernet.Uetd1.Manager"
	for count in 1 2; do
		out=$(persistent 1001 keep$count)
		assert_match "uetd makes the persistent job $count" "$out" '^uh [0-9]+ '
	done
	refused "a third persistent job of a user" \
		'user 1001 has 2 jobs, jobs-per-user of uetd.conf is 2' \
		1001 CreateJob "$wish" keep3 0 0 0
	assert_match "persistent jobs stay without their maker" "$(ids)" '^[0-9]+ [0-9]+$'
	id=${out#uh }
	id=${id%% *}
	start again 1 setpriv --reuid 1002 --regid 1002 --clear-groups \
		--inh-caps=-all --bounding-set=-all \
		ueadm job run -- sh -c 'echo up; exec sleep 600'
	wait_for "another job runs while uetd is down" 30 grep -q up "$TMP/again.out"
	stop uetd KILL
	stop again KILL
	assert_match "the job of a maker that leaves meanwhile stays for now" \
		"$(ids)" '^[0-9]+ [0-9]+ [0-9]+$'
	start_uetd
	check "the job goes when uetd is back" busywait 60 nr_ids_are 2
	wait_for "uetd is on the bus" 30 is_on_bus
	check "the others are known to it" listed "$id" \
		'"keep2",1001,.*"persistent".*true'
	check "the persistent job is as it was" listed "$id" '"pids".*\[10,20\]'
	policy "$destroy 1002 yes"
	assert_eq "an authorized user destroys another's job" \
		"$(call 1002 DestroyJob u "$id")" ""
	id=$(ids)
	assert_eq "alice destroys her own job without a question" \
		"$(call 1001 DestroyJob u "$id")" ""
	assert_eq "no job is left" "$(ids)" ""
	check "signals tell of both" busywait 30 signalled JobAdded 2
	must ue 1 job add 7 feps fep1
	check "a signal tells of jobs of others" busywait 30 \
		grep -q 'JobAdded.*\[7,"",0\]' "$TMP/signals.out"
	must ue 1 job del 7
	check "a signal tells that a job of others is gone" busywait 30 \
		grep -q 'JobRemoved.*\[7\]' "$TMP/signals.out"
}

# signalled NAME COUNT
signalled()
{
	compare "$(grep -c "\"member\":\"$1\"" "$TMP/signals.out")" -ge "$2"
}

# The bus goes, and another one comes.
bus_goes()
{
	policy "$create 1001 yes"
	assert_match "a job is made before the bus goes" "$(persistent 1001 keep)" '^uh '
	stop signals
	stop bus KILL
	rm "$TMP/bus"
	check "uetd misses the bus" busywait 30 said 'bus: the connection to the system bus'
	stop polkit KILL
	start_bus
	# Which is tried at once, and else after a while.
	kill -HUP "${PID[uetd]}"
	check "uetd is on the new one" busywait 60 is_on_bus 2
	assert_match "uetd knows the job after the bus is back" \
		"$(call 1002 ListJobs)" '"keep" 1001'
	assert_eq "root destroys it" "$(call 0 DestroyJob u "$(ids)")" ""
	assert_match "the properties have rails, FEPs and version" \
		"$(property Rails)$(property Feps)$(property Version)" \
		'^a\(su\) 1 "lo" 0a\(ss\) 1 "fep1" "10.0.1.1"s "[0-9.]+"$'
}

setup
without_polkit
with_polkit
bad_input
two_users
death
stays
bus_goes
kill -TERM "${PID[uetd]}"
check "uetd ends well" finish uetd
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
