#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Jobs over the system bus, with the system's polkit.  Users without permission are
# refused until a rule of the administrator permits them.  A user cannot use jobs of
# another user.  A launcher needs no privilege.  A call starts uetd.  A crash of uetd
# deletes no job.  uetd reports a socket family that its unit does not permit.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../net/control/uetd_calls.sh"
CALL_SECONDS=60

rules=/etc/polkit-1/rules.d/50-uetd.rules
denied='polkit (needs an authentication for|does not authorize) '
wish=('suasa{sv}' test 0 0 1 persistent b true)

# owner_of JOB: the uid of the job's owner; empty if there is no such job
owner_of()
{
	ue 1 -j job show | gojq -r ".. | objects | select(.id == $1) | .uid"
}

job_is_gone()
{
	[ -z "$(owner_of "$1")" ]
}

jobs_are()
{
	[ "$(ue 1 -o job show | wc -l)" -eq "$1" ]
}

# made USER: create a persistent job; its number is in $job
made()
{
	local out
	out=$(call "$1" CreateJob "${wish[@]}")
	job=$(awk '$1 == "uh" { print $2 }' <<< "$out")
	[ -n "$job" ] || { echo "$out"; return 1; }
}

# load ARGS...: reload the module
load()
{
	must busywait 30 modprobe -r uet
	must modprobe uet "$@"
	must busywait 60 has_fep fep0
}

must useradd -M alice
must useradd -M bob

# A call starts it.
must systemctl stop uetd
check "a call starts uetd" call bob ListJobs
check "the uetd that a call starts is systemd's" property_is ActiveState active
check "the uetd that a call starts is ready" busywait 60 status_is '^rails 2, feps 2, jobs 1$'

refused "an unprivileged user without a rule" "$denied" \
	alice CreateJob "${wish[@]}"
cat > $rules <<-R
	polkit.addRule(function(action, subject) {
		if (action.id == "org.ultraethernet.uetd1.create-job" &&
		    subject.user == "alice")
			return polkit.Result.YES;
	});
R
check "a rule lets a user have jobs" busywait 60 made alice
assert_eq "the job is that user's" "$(owner_of "$job")" "$(id -u alice)"
refused "the user to whom the job does not belong" "$denied" \
	bob DestroyJob u "$job"
refused "a user without a rule, still" "$denied" \
	bob CreateJob "${wish[@]}"

pid=$(property MainPID)
must kill -KILL "$pid"
check "after a crash there is another" busywait 60 new_main "$pid"
assert_eq "the job is there" "$(owner_of "$job")" "$(id -u alice)"
check "the owner of a job may have it destroyed" busywait 60 call alice DestroyJob u "$job"
check "the destroyed job is gone" job_is_gone "$job"

# shellcheck disable=SC2016 # the rank's
check "a launcher without privilege starts ranks" \
	as alice ueadm job run -n 2 -- /bin/sh -c 'test -n "$UET_JOB_FD"'
check "the launcher leaves no job" busywait 60 jobs_are 1
assert_match "another user may not start ranks" \
	"$(as bob ueadm job run -n 2 -- true 2>&1)" "$denied"
rm $rules

# The unit permits one family, AF_WANPIPE, whose number AF_UET has by default.
load family=5
refused "a job with another family, and says what to change" \
	'no socket of family 5: .*RestrictAddressFamilies= of the service' \
	root CreateJob "${wish[@]}"
check "a refused request leaves no job" jobs_are 1
printf '[Service]\nRestrictAddressFamilies=AF_APPLETALK\n' > "$DROP_IN/family.conf"
must systemctl daemon-reload
must systemctl restart uetd
check "a drop-in lets it" busywait 60 made root
must call root DestroyJob u "$job"
rm "$DROP_IN/family.conf"
must systemctl daemon-reload
must systemctl restart uetd
load
check "uetd is content again" busywait 60 status_is '^rails 2, feps 2, jobs 1$'
finish_tests
