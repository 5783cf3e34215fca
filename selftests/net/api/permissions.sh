#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rights of users and groups: only an administrator configures; a job is for its owner,
# its group and administrators.  Everybody may look at the configuration and the counters;
# PDCs, contexts and secure domains are for administrators, an endpoint also for its user
# and for the user of its job.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# as UID GID COMMAND...: on node 1 without any privilege
as()
{
	on 1 setpriv --reuid "$1" --regid "$2" --clear-groups \
		--inh-caps=-all --bounding-set=-all "${@:3}"
}

# denied TEXT COMMAND...: EPERM or EACCES, and nothing else
denied()
{
	local text=$1 out
	shift
	if out=$("$@" 2>&1); then
		not_ok "$text"
		note "it was permitted"
		return
	fi
	assert_match "$text" "$out" \
		'[Oo]peration not permitted|[Pp]ermission denied'
}

# may_bind TEXT UID GID JOB: shown by a message that arrives
may_bind()
{
	chmod 755 "$TMP"
	start rx 1 setpriv --reuid "$2" --regid "$3" --clear-groups \
		--inh-caps=-all --bounding-set=-all \
		msgs recv -t $((20 * SCALE)) -j "$4" -p 5
	if ! busywait 30 has_ep 1 5; then
		not_ok "$1"
		diag < "$TMP/rx.err"
		stop rx
		return
	fi
	must on 2 msgs send -j "$4" -p 5 "$(fa 1)"
	check "$1" finish rx
}

setup_fabric
before=$(configuration 1)
must ue 2 job add 2 feps fep0
must ue 2 job add 3 feps fep0

denied "a user cannot add a rail" as 1000 1000 ueadm rail add fa0 plane 2
denied "a user cannot remove a rail" as 1000 1000 ueadm rail del r0
denied "a user cannot add a FEP" as 1000 1000 ueadm fep add f addr 10.64.0.1 \
	rails r0
denied "a user cannot remove a FEP" as 1000 1000 ueadm fep del fep0
denied "a user cannot add a job" as 1000 1000 ueadm job add 7 feps fep0
denied "a user cannot remove a job" as 1000 1000 ueadm job del 1
denied "a user cannot end a PDC" as 1000 1000 ueadm pdc del fep fep0 id 1
assert_eq "the configuration is as before" "$(configuration 1)" "$before"
for what in rail fep job ep stats features; do
	check "a user may look: $what" as 1000 1000 ueadm $what show
done
for what in pdc ccc sd peer; do
	denied "a user may not look: $what" as 1000 1000 ueadm $what show
done
denied "root without CAP_NET_ADMIN cannot see PDCs" as 0 0 ueadm pdc show
denied "a user sees no one PDC" as 1000 1000 ueadm pdc show fep fep0 id 1
assert_match "a user cannot see the events of PDCs" "$(as 1000 1000 ueadm monitor 2>&1)" \
	'monitor: events of group pdc need CAP_NET_ADMIN'
for words in check 'stats --openmetrics'; do
	# shellcheck disable=SC2086 # words on purpose
	out=$(as 1000 1000 ueadm $words 2>&1)
	assert_eq "a user may: $words" "$(grep -c CAP_NET_ADMIN <<< "$out")" 0
done

# counters UID: FEPs and jobs whose counters the user sees
counters()
{
	local what

	for what in fep job; do
		as "$1" "$1" ueadm -s -j $what show | gojq -r '.[] | select(.counters) |
			.name // .id'
	done | tr '\n' ' '
}

must ue 1 job add 4 feps fep0 uid 1000
assert_eq "everybody sees the counters of all" "$(counters 1001)" "fep0 1 4 "
must on 1 sh -c 'echo 1 > /proc/sys/net/uet/private_traffic'
assert_eq "private_traffic: a user sees none of others" "$(counters 1001)" ""
assert_eq "private_traffic: the owner sees those of his job" "$(counters 1000)" "4 "
assert_eq "private_traffic: root without CAP_NET_ADMIN sees those of its job" \
	"$(counters 0)" "1 "
assert_match "private_traffic: root with it sees all" "$(ue 1 -s -j fep show)" counters
must on 1 sh -c 'echo 0 > /proc/sys/net/uet/private_traffic'
must ue 1 job del 4

must ue 1 job add 2 feps fep0 uid 1000
must ue 1 job add 3 feps fep0 uid 1000 gid 2000
denied "another user cannot bind" as 1001 1001 msgs recv -j 2 -p 5
denied "a group does not bind if the job has none" as 1001 1000 \
	msgs recv -j 2 -p 5
denied "another group cannot bind" as 1001 1001 msgs recv -j 3 -p 5
denied "root's job is not for users" as 1000 1000 msgs recv -j 1 -p 5
denied "a user without the right to bind cannot send" as 1001 1001 \
	msgs send -j 2 -p 5 "$(fa 2)"
may_bind "the owner binds" 1000 1000 2
may_bind "the group binds" 1001 2000 3
denied "root without CAP_NET_ADMIN is a user like others" as 0 0 \
	msgs recv -j 2 -p 5
sink rx 1 5 -j 2 -n 1
must on 2 msgs send -j 2 -p 5 "$(fa 1)"
check "root with it binds" finish rx
check "a refused bind leaves nothing" nr_eps_are 1 -eq 0

# Of user 1000; in a job of user 1000; of root.
start own 1 setpriv --reuid 1000 --clear-groups --inh-caps=-all --bounding-set=-all \
	msgs recv -t $((20 * SCALE)) -j 2 -p 5
sink in_job 1 6 -j 2
sink other 1 7 -j 1
wait_for "three endpoints are bound" 30 nr_eps_are 1 -eq 3
assert_eq "a user sees his endpoints and those of his job" \
	"$(occurrences "$(as 1000 1000 ueadm -j ep show)" '"ri":')" 2
assert_eq "another user sees none of them" "$(as 1001 1001 ueadm -j ep show)" '[]'
assert_eq "root without CAP_NET_ADMIN sees only his own endpoints" \
	"$(occurrences "$(as 0 0 ueadm -j ep show)" '"ri":')" 2
assert_match "a user may not look at one of another" \
	"$(as 1000 1000 ueadm ep show fep fep0 job 1 pid 7 ri 1 2>&1)" \
	'no such endpoint, or without CAP_NET_ADMIN one of another user'
check "a user may look at his own endpoint" as 1000 1000 ueadm ep show fep fep0 job 2 pid 5 ri 1
for name in own in_job other; do stop $name; done
sink rx 2 5 -j 2 -n 2
denied "the owner gets no PDC of the reserved pool" \
	as 1000 1000 msgs send -j 2 -R -p 5 "$(fa 2)"
check "a user may send from an endpoint of his own" as 1000 1000 msgs send -j 2 -p 5 "$(fa 2)"
check "root gets reserved PDCs, too" on 1 msgs send -j 2 -k 2 -R -p 5 "$(fa 2)"
check "both messages arrive" finish rx
finish_tests
