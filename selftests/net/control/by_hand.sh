#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Objects made by hand beside uetd: uetd keeps them, ueadm says when uetd will undo a
# change, "ueadm config save" writes the kernel's configuration to the file of uetd, and
# objects that leave the file go, even if uetd did not run then.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 4 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/uetd_run.sh"

conf=$TMP/uetd1.conf

# names: the objects of node 1
names()
{
	ue 1 showconf | sed -n 's/^\[\(.*\)\]$/\1/p' | paste -sd,
}

# sections: of the file
sections()
{
	sed -n 's/^\[\(.*\)\]$/\1/p' "$conf" | paste -sd,
}

# says TEXT REGEX ARGS...: ueadm succeeds, and says this on standard error alone
says()
{
	local text=$1 regex=$2 err status
	shift 2

	err=$(ue 1 "$@" 2>&1 > "$TMP/stdout")
	status=$?
	assert_eq "$text: ueadm succeeds and prints nothing" \
		"$status $(wc -c < "$TMP/stdout")" "0 0"
	if [ -n "$regex" ]; then
		assert_match "$text" "$err" "$regex"
	else
		assert_eq "$text" "$err" ""
	fi
}

# Three objects made by hand, and then the service.
readme()
{
	must ue 1 rail add r0 plane 0
	must ue 1 fep add fep0 addr 10.0.0.1 rails r0
	must ue 1 job add 1 feps fep0
	printf '# nothing but a comment\n' > "$conf"
	start_uetd 1
	check "uetd begins with a file without sections" busywait 30 \
		was_reported 'notify READY=1' 1
	assert_eq "objects made by hand stay" "$(names)" "rail r0,fep fep0,job 1"
	must ip -n "${NS[1]}" addr add 10.0.9.1/32 dev fa0
	reload 1 "an address and a reload"
	assert_eq "objects made by hand stay after a reload" "$(names)" "rail r0,fep fep0,job 1"
	says "a change beside the file needs no word" '' job add 2 feps fep0
	assert_eq "save: ueadm names each object that it adds" \
		"$(ue 1 config save | sed "s,$conf: ,,")" \
		"[rail r0] added
[fep fep0] added
[job 1] added
[job 2] added"
	assert_eq "save: the file has all objects and keeps its comment" \
		"$(cat "$conf")" "# nothing but a comment

[rail r0]
plane = 0

[fep fep0]
addr = 10.0.0.1
rails = r0

[job 1]
feps = fep0
owner = root

[job 2]
feps = fep0
owner = root"
	check "save: uetd reads it again" busywait 30 told \
		'notify STATUS=rails 1, feps 1, jobs 2'
	assert_eq "save: nothing is left to save" "$(ue 1 config save)" ""
}

undo()
{
	local before

	says "a setting of the file is changed: ueadm warns that uetd will undo this" \
		"^ueadm: fep fep0: uetd will undo this, because \[fep fep0\] of $conf says otherwise; \"ueadm config save\" makes it permanent\$" \
		fep set fep0 window 512
	says "a job of the file is deleted: ueadm warns that uetd will undo this" \
		'^ueadm: job 2: uetd will undo this' \
		job del 2
	reload 1 "uetd undoes both"
	assert_eq "uetd makes the deleted job of the file again" \
		"$(names)" "rail r0,fep fep0,job 1,job 2"
	assert_match "uetd sets the old window of the file again" \
		"$(ue 1 -j fep show fep0)" '"window":256'
	before=$(cat "$conf")
	assert_eq "-dry-run: ueadm changes nothing" "$(ue 1 fep set fep0 window 512 2> /dev/null
		ue 1 config save dry-run)" "$conf: [fep fep0] changed"
	assert_eq "dry-run writes nothing" "$(cat "$conf")" "$before"
	assert_eq "-save: ueadm saves that object alone" "$(ue 1 job del 2 2> /dev/null
		ue 1 -save fep set fep0 rto-init 5ms)" "$conf: [fep fep0] changed"
	assert_eq "-save: the job stays in the file" "$(sections)" \
		"rail r0,fep fep0,job 1,job 2"
	check "-save: uetd makes the job again" busywait 30 job_is_there 2
	assert_match "-save: the file keeps the settings of other objects" "$(ue 1 showconf)" \
		'^window = 512$'
	assert_eq "a job that is deleted leaves the file" "$(
		ue 1 -save job del 2; sections)" \
		"$conf: [job 2] removed
rail r0,fep fep0,job 1"
	reload 1 "and stays away"
	assert_eq "the job is gone" "$(names)" "rail r0,fep fep0,job 1"
}

job_is_there()
{
	ue 1 job show "$1" > /dev/null 2>&1
}

# The rest of the file is kept: comments, drop-ins, ways to find a netdev, defaults.
careful()
{
	local mac

	mac=$(on 1 ip -br link show r1 | awk '{ print $3 }')
	cat > "$conf" <<-X
		# front
		[defaults]
		window = 512
		[ rail  r0 ]   # first
		plane = 0
		# about b
		[rail b]
		mac = $mac
		plane = 1
		[fep fep0]
		addr = 10.0.0.1
		rails = r0
		rto-init = 5ms
		# about the job
		[job 1]
		feps = fep0
	X
	mkdir "$conf.d"
	printf '[job 7]\nfeps = fep0\n' > "$conf.d/seven.conf"
	reload 1 "a file with comments"
	ue 1 fep set fep0 window 256 2> /dev/null
	ue 1 rail set r1 ingress on 2> /dev/null
	must ue 1 fep add fep1 addr 10.0.9.1 rails r1 window 512
	assert_eq "save: ueadm names each object that differs" \
		"$(ue 1 config save | sed "s,$conf: ,,")" \
		"[rail b] changed
[fep fep1] added
[fep fep0] changed"
	assert_eq "save: the rest stays" "$(cat "$conf")" "# front
[defaults]
window = 512
[ rail  r0 ]   # first
plane = 0
# about b
[rail b]
mac = $mac
plane = 1
ingress = on
[fep fep0]
addr = 10.0.0.1
rails = r0
window = 256
rto-init = 5ms
# about the job
[job 1]
feps = fep0

[fep fep1]
addr = 10.0.9.1
rails = b"
	ue 1 job del 7 2> /dev/null
	assert_match "save: ueadm refuses to change a section of another file" \
		"$(ue 1 config save 2>&1)" \
		"^ueadm: $conf: \[job 7\] is in $conf.d/seven.conf:1; change it there$"
	printf 'x\n' >> "$conf"
	assert_match "save: ueadm names the line of an error in the file" \
		"$(ue 1 config save 2>&1)" \
		"^ueadm: $conf:[0-9]+: "
	says "a change beside a file with an error: ueadm warns that uetd may undo this" \
		'uetd may undo this: .* cannot be read, or has an error$' \
		job add 9 feps fep0
	sed -i '$d' "$conf"
	rm -r "$conf.d"
}

# An object of the file that leaves it while uetd is away.
away()
{
	reload 1 "without job 7"
	stop uetd1 TERM
	says "without uetd nothing is said" '' fep set fep0 window 128
	sed -i '/^# about the job/,/^$/d' "$conf"
	listen
	start_uetd 1
	check "uetd is back" busywait 30 told 'notify READY=1'
	assert_eq "an object that left the file goes, others stay" "$(names)" \
		"rail r0,rail r1,fep fep0,fep fep1,job 9"
	assert_match "a second uetd is refused" \
		"$(on 1 timeout 20 uetd -c "$conf" 2>&1)" \
		'^uetd: process [0-9]+ is the uetd of this network namespace$'
	sed -i '1i [uetd]\nforeign = delete' "$conf"
	reload 1 "foreign = delete"
	assert_eq "objects made by hand go" "$(names)" \
		"rail r0,rail r1,fep fep0,fep fep1"
	says "a job that uetd will delete" \
		"^ueadm: job 3: uetd will delete it, because $conf does not name it" \
		job add 3 feps fep0
}

# Rails whose netdevs are gone, and the FEPs that have them: in the file by their last names.
gone()
{
	local file=$TMP/gone.conf dev

	add_node 3
	for dev in n0 n1; do
		must ip -n "${NS[3]}" link add name $dev mtu 9000 type dummy
		must ip -n "${NS[3]}" link set $dev up
	done
	must ip -n "${NS[3]}" addr add 10.0.3.1/32 dev n0
	must ip -n "${NS[3]}" addr add 10.0.3.2/32 dev n0
	must ue 3 rail add n0 plane 0
	must ue 3 rail add n1 plane 7
	must ue 3 fep add only addr 10.0.3.1 rails n1 mtu 8192
	must ue 3 fep add both addr 10.0.3.2 rails n0,n1 mtu 8192
	must ip -n "${NS[3]}" link del n1
	assert_match "the rails are gone" "$(ue 3 fep show)" ' n1\(gone\) '
	assert_eq "gone: ueadm saves objects of a netdev that is gone" "$(
		ue 3 config save file "$file" 2>&1 | sed "s,$file: ,,")" \
		"[rail n0] added
[rail n1] added
[fep only] added
[fep both] added"
	assert_eq "gone: the file keeps the objects of a netdev that is gone" \
		"$(cat "$file")" "[rail n0]
plane = 0

[rail n1]
plane = 7

[fep only]
addr = 10.0.3.1
rails = n1
mtu = 8192

[fep both]
addr = 10.0.3.2
rails = n0, n1
mtu = 8192"
	assert_eq "gone: showconf prints the same" "$(ue 3 showconf)" \
		"$(cat "$file")"
	assert_eq "gone: nothing is left to save" \
		"$(ue 3 config save file "$file" 2>&1)" ""
	# The file finds the netdev otherwise, and settings change.
	sed -i 's/^\[rail n1\]/[rail b]\nmac = 02:00:00:00:07:07/; s/n1$/b/' "$file"
	must chown 7:8 "$file"
	must chmod 640 "$file"
	must ue 3 fep set both window 512
	assert_eq "gone: a setting of a FEP is saved without its netdev" "$(
		ue 3 config save file "$file" 2>&1 | sed "s,$file: ,,")" \
		"[fep both] changed"
	assert_match "gone: a rail keeps the name that the file has for it" "$(cat "$file")" \
		'^rails = n0, b$'
	assert_eq "the file keeps its owner and mode, and nothing is left beside it" \
		"$(stat -c '%u %g %a' "$file") $(cd "$TMP" && echo gone.conf*)" \
		"7 8 640 gone.conf"
	must ue 3 reset
}

setup_fabric --bare
start_manager
readme
undo
careful
away
gone
finish_tests
