#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uetd makes the kernel what files say: from nothing, again without a change, and by
# what differs alone while traffic runs.  Objects in use delay their changes, a bad file
# and a death change nothing, a rail that comes later is taken in.  It tells the service
# manager and the journal.
#
#	node1 r0 --- plane 0 --- r0 node2
#	      r1 --- plane 1 --- r1
#
# clock: virtual; size: check; takes: 11 s; limit: 480 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/uetd_run.sh"

# conf NODE: what the node begins with; node 2 knows its rails by other means
conf()
{
	local mac

	if [ "$1" = 1 ]; then
		write_conf 1 '[rail r0]\nplane = 0\n[rail r1]\nplane = 1' \
			"[fep fep0]\\naddr = $(fa 1)\\nrails = r0, r1" \
			'[job 1]\nfeps = fep0' "${@:2}"
		return
	fi
	mac=$(on 2 ip -br link show r0 | awk '{ print $3 }')
	write_conf 2 "[rail a]\\nmac = $mac\\nplane = 0" \
		'[rail b]\naddress = 10.65.0.0/16\nplane = 1' \
		"[fep fep0]\\naddr = $(fa 2)\\nrails = a, b" \
		'[job 1]\nfeps = fep0' "${@:2}"
}

# watch: events of node 1 from now on
watch()
{
	stop monitor
	start monitor 1 ueadm -j monitor
	busywait 30 marked
}

# marked: an event that is not uetd's has come through
marked()
{
	ue 1 rail add fa0 plane 99 && ue 1 rail del fa0 2> /dev/null
	grep -q '"deleted":true.*"dev":"fa0"' "$TMP/monitor.out"
}

# events: what has happened since watch, one word each, in order
events()
{
	local before

	before=$(grep -c '"dev":"fa0"' "$TMP/monitor.out")
	must ue 1 rail add fa0 plane 99
	# A round of uetd that comes between deletes it as well.
	ue 1 rail del fa0 2> /dev/null
	busywait 30 more_marks "$before"
	grep -v '"dev":"fa0"' "$TMP/monitor.out" |
		sed -E 's/.*"deleted":(true|false),"([a-z]*)":\{"[a-z]*":"?([^",]*).*/\2:\3:\1/' |
		sed 's/:false$//; s/:true$/:gone/' | tr '\n' ' '
}

more_marks()
{
	compare "$(grep -c '"dev":"fa0"' "$TMP/monitor.out")" -ge $(($1 + 2))
}

# has_fep NODE REGEX: fep0 is like this
has_fep()
{
	[[ $(ue "$1" -j fep show fep0 2> /dev/null) =~ $2 ]]
}

# has_job NODE: job 1 is there
has_job()
{
	ue "$1" job show 1 > /dev/null 2>&1
}

setup_fabric --bare
start_manager

# From nothing.
for n in 1 2; do
	conf $n
	start_uetd $n
done
check "uetd of both nodes says when it is ready" busywait 30 was_reported 'notify READY=1' 2
assert_match "uetd finds rails by name" "$(ue 1 -j rail show)" \
	'"dev":"r0".*"plane":0.*"dev":"r1".*"plane":1'
assert_match "uetd finds rails by hardware address and by address" "$(ue 2 -j rail show)" \
	'"dev":"r0".*"plane":0.*"dev":"r1".*"plane":1'
check "the FEP of node 2 has both rails" has_fep 2 '"dev":"r0".*"state":"usable".*"dev":"r1"'
assert_match "a job without an owner is root's" "$(ue 1 -j job show)" \
	'"id":1,"uid":0,.*"feps":\["fep0"\]'
check "the state is told" was_reported 'notify STATUS=rails 2, feps 1, jobs 1' 2
check "the watchdog is fed" busywait 30 was_reported 'notify WATCHDOG=1' 3
check "the journal has fields" was_reported 'journal UET_OBJECT=fep fep0' 2
transfer "a transfer" 1 2 5 -n 4 -s 100000

# Again: nothing is to be done, and no other process does it.
watch
assert_match "a second uetd is refused, with --once too" \
	"$(on 1 uetd -c "$TMP/uetd1.conf" --once 2>&1)" \
	'^uetd: process [0-9]+ is the uetd of this network namespace$'
reload 1 "an unchanged file"
assert_eq "a reload without changes makes no event" "$(events)" ""

# Differences are applied while traffic runs.
sink rx 2 6 -E
source_to tx 1 2 6 -E -n 1000000 -s 4096 -g 10 -P "$TMP/tx.sent"
wait_for "traffic flows between the nodes" 30 progress_is tx -ge 3
must ip -n "${NS[1]}" addr add 10.0.9.1/32 dev fa0
watch
conf 1 '[fep g]\naddr = 10.0.9.1\nrails = r1\n[job 7]\nfeps = g\nname = new' \
	'[defaults]\nwindow = 512'
reload 1 "a fep and a job more"
assert_eq "a reload makes exactly the events of its changes" "$(events)" "fep:fep0 fep:g job:7 "
check "the FEP has the new setting" has_fep 1 '"window":512'
traffic_goes_on "a fep and a job more"

watch
mkdir "$TMP/uetd1.conf.d"
printf '[rail r0]\ningress = on\n[fep fep0]\nprotect = none\nidle = 5s\nheaders = optimized\n' \
	> "$TMP/uetd1.conf.d/x.conf"
conf 1
reload 1 "a fixed setting"
check "changes of used objects wait" told \
	'journal MESSAGE=fep fep0: waiting: job 1 has it, which is in use'
assert_eq "unused objects go" "$(events)" \
	"job:7:gone fep:g:gone rail:r0 fep:fep0 "
check "only changeable settings have changed" \
	has_fep 1 '"protect":"crc".*"window":256.*"idle-ns":5000000000'
check "headers of a FEP can be changed" has_fep 1 '"headers":"optimized"'
assert_match "ingress of a rail can be changed" "$(ue 1 -j rail show r0)" '"ingress":"on"'
traffic_goes_on "a fixed setting"

# A bad file.
watch
before=$(configuration 1)
printf '[fep fep0]\nprotect = none\nwindow = 100\n' > "$TMP/uetd1.conf.d/x.conf"
reload 1 "a bad file"
assert_eq "a bad file makes no event" "$(events)" ""
assert_eq "a bad file changes nothing" "$(configuration 1)" "$before"
for line in "UET_FILE=$TMP/uetd1.conf.d/x.conf" UET_LINE=3 \
	'UET_SECTION=fep fep0' UET_KEY=window \
	'MESSAGE=.*must be a power of two from 128 to 1024, not "100"'; do
	check "the journal has $line" told "journal $line"
done
check "the state says so" told 'notify STATUS=reload refused.*: 1'
traffic_goes_on "a bad file"
if out=$(on 1 uetd -c "$TMP/uetd1.conf" --once 2>&1); then
	not_ok "uetd refuses a bad file at its start"
else
	assert_match "uetd names the error of a bad file at its start" \
		"$out" 'x.conf:3: \[fep fep0\] window'
fi

# Its death.
rm -r "$TMP/uetd1.conf.d"
stop uetd1 KILL
assert_eq "the death of uetd makes no event" "$(events)" ""
traffic_goes_on "its death"
listen
start_uetd 1
check "uetd comes back after its death" busywait 30 told 'notify READY=1'
assert_eq "the new uetd applies the changes of the file" "$(events)" "rail:r0 fep:fep0 "
traffic_goes_on "its return"
kill -TERM "${PID[tx]}"
check "the sender ends well" finish tx
check "no message is lost" finish rx
assert_eq "no message has failed" "$(counter 1 msg-failed)" 0

# Delayed changes are made as soon as nothing is in their way.
for n in 1 2; do
	conf $n '[defaults]\nprotect = none'
	kill -HUP "${PID[uetd$n]}"
	check "node $n: the delayed FEP is made again" \
		busywait 60 has_fep $n '"protect":"none"'
done
check "nothing waits any more" busywait 30 told \
	'notify STATUS=rails 2, feps 1, jobs 1'
for n in 1 2; do
	wait_for "node $n has job 1" 30 has_job $n
done
transfer "a transfer afterwards" 1 2 5 -n 4 -s 100000

# A rail goes, and comes.
must ip -n "${NS[1]}" link del r1
check "a rail that is gone is missed" \
	busywait 30 told 'journal MESSAGE=rail r1: waiting: there is no netdev named r1'
transfer "on the other rail" 1 2 5 -n 2 -s 100000
listen
must ip link add r1 netns "${NS[1]}" type veth peer name r1 netns "${NS[2]}"
check "uetd reports that the MTU of the new netdev is too small" busywait 30 told \
	'journal MESSAGE=fep fep0: waiting: rail r1, netdev r1, has an MTU of 1500, it takes 4180'
for n in 1 2; do
	ip -n "${NS[$n]}" -batch - <<-X || die "cannot address r1"
		link set r1 mtu $LINK_MTU up
		addr add 10.65.0.$n/24 dev r1
		route replace 10.0.0.$((3 - n)) nexthop via 10.64.0.$((3 - n)) dev r0 nexthop via 10.65.0.$((3 - n)) dev r1
	X
done
for n in 1 2; do
	check "node $n: the fep is on both rails" busywait 60 \
		has_fep $n '"dev":"r0".*"dev":"r1".*"state":"usable"'
	wait_for "node $n has job 1 again" 30 has_job $n
done
before=$(rail_packets 1 r1 tx)
transfer "on both rails" 1 2 5 -n 4 -s 200000
assert_ge "the rail that came is used" "$(rail_packets 1 r1 tx)" $((before + 10))

# The module goes, and comes.
listen
check "the module can go while uetd runs" modprobe -r uet
check "uetd reports that the module is missing" \
	busywait 60 told 'journal MESSAGE=module: the uet module is not loaded.*'
must modprobe uet
for n in 1 2; do
	check "node $n has all of it again" busywait 60 has_job $n
	check "node $n: the FEP is as it was" \
		has_fep $n '"protect":"none".*"dev":"r0".*"dev":"r1"'
done

# The end.
for n in 1 2; do
	kill -TERM "${PID[uetd$n]}"
	check "node $n: uetd ends without an error" finish "uetd$n"
done
check "node $n: uetd tells systemd that it stops" was_reported 'notify STOPPING=1' 2
check "all it made stays" has_fep 1 '"dev":"r1".*"state":"usable"'
watch
check "another uetd with --once finds nothing wrong" on 1 uetd -c "$TMP/uetd1.conf" --once
assert_eq "another uetd with --once makes no event" "$(events)" ""
finish_tests
