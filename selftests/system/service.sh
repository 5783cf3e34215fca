#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uetd as a service, under traffic: a reload changes only the differences.  A bad
# file changes nothing, and the journal reports file and line.  After a crash or a
# hang, systemd starts a new uetd.  A stop leaves the configuration in place.  uetd
# has only the capability that it needs.

. "$(dirname "$0")/lib.sh"
. "$REPO/selftests/lib/readme.sh"

conf_d=/etc/uet/uetd.conf.d
# Time that the watchdog may need to detect a hang of uetd.
HANG=60

# field_of PID NAME: a field of /proc/PID/status
field_of()
{
	awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"
}

traffic_begins

# The privileges.
pid=$(property MainPID)
assert_eq "uetd is a process of its own user" "$(field_of "$pid" Uid)" \
	"$(id -u uetd)"
assert_eq "uetd has CAP_NET_ADMIN alone" "$(field_of "$pid" CapEff)" \
	0000000000001000
assert_eq "uetd can get no other capability" "$(field_of "$pid" CapBnd)" 0000000000001000

# Reload.
mkdir $conf_d
printf '[fep fep0]\nwindow = 512\n' > $conf_d/x.conf
journal_mark
check "systemctl reloads uetd" systemctl reload uetd
check "differing settings are set" busywait 60 has_fep fep0 '"window":512'
check "the same process reloads its files" property_is MainPID "$pid"
check "the journal says what was set" busywait 30 \
	journal_has '"UET_VERB":"set' UET_OBJECT="fep fep0"
assert_eq "the reload touches nothing else" "$(made_or_deleted)" 0
traffic_goes_on "a reload"

# A bad file.
before=$(configuration 1)
printf '[fep fep0]\nwindow = 100\n' > $conf_d/x.conf
journal_mark
if systemctl reload uetd > "$TMP/reload" 2>&1; then
	not_ok "a bad file makes the reload fail"
else
	ok "a bad file makes the reload fail"
fi
check "the journal names file, line, section and key" busywait 30 \
	journal_has 'must be a power of two' UET_FILE=$conf_d/x.conf UET_LINE=2 \
	UET_SECTION="fep fep0" UET_KEY=window
check "uetd goes on" property_is ActiveState active
check "uetd is the same process after a bad file" property_is MainPID "$pid"
assert_eq "nothing has changed" "$(configuration 1)" "$before"
traffic_goes_on "a bad file"
rm -r $conf_d
must systemctl reload uetd
check "the setting of a removed file is taken back" busywait 60 has_fep fep0 '"window":256'

# A crash.
before=$(configuration 1)
must kill -KILL "$pid"
check "after a crash there is another" busywait 60 new_main "$pid"
assert_eq "systemd has restarted uetd once" "$(property NRestarts)" 1
assert_eq "uetd finds nothing to do after a crash" "$(configuration 1)" "$before"
traffic_goes_on "a crash"

# A hang.
pid=$(property MainPID)
journal_mark
must kill -STOP "$pid"
check "after a hang there is another" busywait $HANG new_main "$pid"
check "the watchdog has ended the hanging uetd" journal_has 'watchdog' _PID=1 UNIT=$UNIT
assert_eq "systemd has restarted uetd twice" "$(property NRestarts)" 2
assert_eq "nothing has changed by that" "$(configuration 1)" "$before"
traffic_goes_on "a hang"

# The stop.
journal_mark
must systemctl stop uetd
assert_eq "systemctl stops uetd without an error" \
	"$(property ActiveState)/$(property Result)" inactive/success
assert_eq "a stopped uetd leaves all objects" "$(configuration 1)" "$before"
traffic_goes_on "a stop"
must systemctl disable uetd
readme_lines system/service > "$TMP/lines"
while read -r line; do
	check "README's \"$line\" works" bash -ec "$line" < /dev/null
done < "$TMP/lines"
assert_eq "uetd is enabled by README's lines" "$(property UnitFileState)" enabled
check "start finds it as it should be" busywait 60 status_is '^rails 2, feps 2, jobs 1$'
assert_eq "a started uetd makes nothing" "$(made_or_deleted)" 0
traffic_ends

# Other users.
assert_match "an unprivileged user cannot configure" \
	"$(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all ueadm fep del fep0 2>&1)" \
	'[Oo]peration not permitted'
check "an unprivileged user can look at a FEP" \
	setpriv --reuid 65534 --regid 65534 --clear-groups \
	--inh-caps=-all --bounding-set=-all ueadm fep show fep0
assert_eq "ueadm check finds the fep without a job, and nothing else" \
	"$(ueadm -o check 2>&1 | grep -E '^(error|warning): ')" \
	"warning: fep late: no job has it: nobody can bind an endpoint: ueadm job add ID feps late"
finish_tests
