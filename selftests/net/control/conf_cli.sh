#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Configuration as text: what showconf prints makes the same configuration again,
# syncconf changes what differs and nothing else, a bad file changes nothing, and
# reset takes away what is not in use.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# sync STATUS EXPECTED [WORD...]: syncconf of what stdin says ends and prints so
sync()
{
	local expected=$2 status=$1 out got
	shift 2

	out=$(ue 1 syncconf - "$@" 2>&1)
	got=$?
	assert_eq "syncconf: its status is $status" $got "$status"
	assert_eq "syncconf: it prints \"$(head -n 1 <<< "${expected:-nothing to do}")\"" \
		"$out" "$expected"
}

# Everything that is no default, once.
conf()
{
	cat <<-X
		[rail r0]
		plane = 0

		[rail r1]
		plane = 7
		ingress = on

		[fep fep0]
		addr = 10.0.0.1
		rails = r0, r1

		[fep fep1]
		addr = fd00::1
		rails = r1
		mtu = 1024
		protect = none
		encap = native
		proto = 251
		dscp-request = 8
		dscp-control = 48
		dscp-trimmed = 20
		headers = optimized
		window = 512
		rto-init = 5ms
		ack-on-ecn = no

		[job 1]
		name = one
		feps = fep0, fep1
		owner = root
		group = 2000
		pids = 3-9

		[job 2]
		feps = fep1
		owner = 1001
		inet-only = on
	X
}

setup_fabric --bare
assert_eq "nothing is no text" "$(ue 1 showconf)" ""
conf > "$TMP/conf"

sync 0 "rail r0: add
rail r1: add
rail r1: set ingress
fep fep0: add
fep fep1: add
job 1: add
job 2: add" dry-run < "$TMP/conf"
assert_eq "dry-run does nothing" "$(ue 1 showconf)" ""
sync 0 "rail r0: add
rail r1: add
rail r1: set ingress
fep fep0: add
fep fep1: add
job 1: add
job 2: add" < "$TMP/conf"
assert_eq "showconf prints the same text" "$(ue 1 showconf)" "$(conf)"
before=$(configuration 1)
ue 1 showconf > "$TMP/shown"
sync 0 "" < "$TMP/shown"
assert_eq "showconf and syncconf give the same configuration" "$(configuration 1)" "$before"

# Differences are changed in place where that is possible.
sed 's/window = 512/window = 128/; s/idle = .*//' "$TMP/conf" > "$TMP/other"
sync 0 "fep fep1: set window" < "$TMP/other"
sed -i 's/ingress = on/ingress = off/; s/headers = .*/headers = standard/' \
	"$TMP/other"
sync 0 "rail r1: set ingress
fep fep1: set headers" < "$TMP/other"
sed -i '/^\[job 2\]/,$d' "$TMP/other"
assert_eq "syncconf -j prints the changes as JSON" "$(ue 1 -j syncconf "$TMP/other")" \
	'[{"object":"job 2","change":"delete"}]'

# Mistakes: all are told, and nothing is changed.
before=$(configuration 1)
sync 1 "ueadm: /dev/stdin:2: [rail r0]: plane: must be a number from 0 to 4294967295, not \"x\"
ueadm: /dev/stdin:3: [rail r0]: speed: unknown key" <<-X
	[rail r0]
	plane = x
	speed = 400
X
sync 1 "ueadm: /dev/stdin:1: [sd 1]: sdi is missing" <<< "[sd 1]"
assert_eq "a bad file changes nothing" "$(configuration 1)" "$before"
out=$(on 1 setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all \
	--bounding-set=-all ueadm syncconf - 2>&1 < "$TMP/conf")
assert_eq "a user cannot change the configuration" "$?$(grep -c CAP_NET_ADMIN <<< "$out")" 11 ||
	diag <<< "$out"
assert_eq "a refused user changes nothing" "$(configuration 1)" "$before"

# Objects in use stay, with the objects they depend on; the rest is deleted.
start rx 1 msgs recv -a 10.0.0.1 -p 5 -t $((60 * SCALE))
busywait 30 has_ep 1 5 || die "msgs does not bind"
must ue 1 fep add fep9 addr 10.64.0.1 rails r0 mtu 1024
out=$(ue 1 reset 2>&1)
assert_eq "reset beside an endpoint: ueadm fails with status 1" $? 1
assert_match "reset beside an endpoint: ueadm names the job in use" "$out" '^ueadm: job 1: .*'
assert_eq "reset beside an endpoint: used objects stay" \
	"$(ue 1 showconf | grep '^\[' | tr '\n' ' ')" \
	"[rail r0] [rail r1] [fep fep0] [fep fep1] [job 1] "
stop rx
busywait 30 nr_eps_are 1 -eq 0
assert_eq "reset: ueadm names each object that it deletes" "$(ue 1 reset)" "job 1: delete
fep fep0: delete
fep fep1: delete
rail r0: delete
rail r1: delete"
assert_eq "a second reset deletes nothing" "$(ue 1 reset)$(ue 1 showconf)" ""

# A netdev that is not there: the rest is made.
sed 's/rail r1/rail r9/; s/r0, r1/r0/; /^rails = r1/s/r1/r9/' "$TMP/conf" |
	sed '/^\[job 1\]/,$d' > "$TMP/waits"
out=$(ue 1 syncconf "$TMP/waits" 2>&1)
assert_eq "a rail is missing: ueadm fails with status 1" $? 1
assert_match "a rail is missing: ueadm names the rail" "$out" '^ueadm: rail r9: '
assert_eq "a rail is missing: the rest is made" \
	"$(ue 1 showconf | grep '^\[' | tr '\n' ' ')" "[rail r0] [fep fep0] "
finish_tests
