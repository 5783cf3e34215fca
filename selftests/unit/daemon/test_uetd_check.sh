#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uetd --check, without a kernel: a table of files, each with the exit status and
# the text it must give; and of command lines.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

tap_needs "${UETD:-build/uetd}" tools
uetd=$PWD/${UETD:-build/uetd}

# judge TEXT STATUS REGEX COMMAND...: it ends with STATUS; REGEX is in what it
# prints, on stdout for status 0, else on stderr, and the other is empty
judge()
{
	local text=$1 status=$2 regex=$3 full=err empty=out got
	shift 3
	[ "$status" != 0 ] || { full=out; empty=err; }

	"$@" > "$tmp/out" 2> "$tmp/err"
	got=$?
	if [[ $got = "$status" && $(< "$tmp/$full") =~ $regex ]] &&
		! [ -s "$tmp/$empty" ]; then
		ok "$text: uetd says what it should"
	else
		not_ok "$text: uetd says what it should"
		note "status $got, should be $status; text should match: $regex"
		diag < <(cat "$tmp/out" "$tmp/err")
	fi
}

# good LINES: a file of these lines, with \n between, is
good()
{
	printf '%b\n' "$1" > "$tmp/conf"
	judge "good: $1" 0 '^$' "$uetd" --check "$tmp/conf"
}

# bad LINE REGEX LINES: it is not, because of this line, of which REGEX is said
bad()
{
	printf '%b\n' "$3" > "$tmp/conf"
	judge "bad: $3" 1 "(^|"$'\n'")uetd: $tmp/conf:$1: $2" \
		"$uetd" --check "$tmp/conf"
}

# bad_key REGEX KEY VALUE FRONT: in the line behind FRONT
bad_key()
{
	local lines=${4//[^\\]/}

	keys+=" $2 "
	bad $((${#lines} + 2)) "\[.*\] $2: $1" "$4\\n$2 = $3"
}

# in a rail, a FEP, a job, as good as can be without the key
bad_rail() { bad_key "$1" "$2" "$3" '[rail r0]'; }
bad_fep() { bad_key "$1" "$2" "$3" '[fep f]'; }
bad_job() { bad_key "$1" "$2" "$3" '[job 1]'; }
bad_sd() { bad_key "$1" "$2" "$3" '[sd s]'; }

keys=''
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

rail='[rail r0]\nplane=0\n[rail r1]\nplane=1\n'
fep='[fep f]\naddr=10.0.0.1\nrails=r0\n'

# Command lines.
judge "--help" 0 '^Usage: uetd' "$uetd" --help
judge "--version" 0 '^uetd [0-9]+\.[0-9]+\.[0-9]+$' "$uetd" --version
judge "unknown option" 2 'unknown option: "--x".*Usage:' "$uetd" --x
judge "missing value" 2 'a value is missing.*Usage:' "$uetd" -c
judge "a word too many" 2 'unknown word: "x".*Usage:' "$uetd" x
judge "-c and files" 2 'exclude each other' "$uetd" -c a --check b
judge "--check and --once" 2 'exclude each other' "$uetd" --check --once
judge "--check and --bus" 2 'exclude each other' "$uetd" --check --bus
judge "no such file" 1 "^uetd: $tmp/none: No such file" \
	"$uetd" --check "$tmp/none"
judge "a directory" 1 "^uetd: $tmp: Is a directory" "$uetd" --check "$tmp"
judge "no such -c" 1 "^uetd: $tmp/none: No such file" \
	"$uetd" -c "$tmp/none" --check

# Good ones.
good ''
good "$rail${fep}[job 1]\\nfeps=f"
good '[uetd]\njobs-per-user = 0'
good '[user 1001]\njob-ids = 1000-1999\n[user 1002]\njob-ids = 2000 - 2000'
good '[uetd]\nforeign = keep-jobs\n[defaults]\nmtu=1024\nwindow=512'
good "${rail}ingress=on\\n${fep}headers=optimized"
good '[rail r0]\nplane=0\ningress=off\n[defaults]\nheaders=standard'
good "$rail"'[fep f]\naddr=fe80::1\nrails=r1\n[fep g]\naddr=fe80::1\nrails=r0'

# Text that is no configuration.
bad 1 'x: stands in front of the first section' 'x = 1'
bad 1 'a section is \[NAME\] and nothing else' '[rail r0'
bad 1 'a section is \[NAME\] and nothing else' '[rail r0] plane=0'
bad 2 '\[uetd\] neither \[SECTION\] nor KEY = VALUE' '[uetd]\nforeign'
bad 2 '\[uetd\] there is no key in front of the "="' '[uetd]\n= keep'
bad 3 '\[uetd\] foreign: is there twice, first in line 2' \
	'[uetd]\nforeign=keep\nforeign=keep'
bad 3 '\[rail r0\] the section is there twice, first in line 1' \
	'[rail r0]\nplane=0\n[rail  r0]'
bad 2 '\[uetd\] there is a zero byte in the line' '[uetd]\nforeign=ke\0ep'
bad 2 '\[uetd\] the line must be 1[0-9]+ characters at most' \
	"[uetd]\\nforeign=$(printf '%300s' keep)"

# Sections.
known='a section is \[uetd\], \[defaults\], \[rail NAME\], \[sd NAME\], \[fep NAME\], \[job ID\], \[peer NAME\] or \[user NAME\]'
bad 1 "\\[\\] $known" '[]'
bad 1 "\\[nonsense\\] $known" '[nonsense]'
bad 1 "\\[rail\\] $known" '[rail]'
bad 1 "\\[uetd x\\] $known" '[uetd x]'
bad 1 '\[rail a b\] a rail must have a name of 1 to 15 letters' '[rail a b]'
bad 1 '\[rail 1234567890123456\] a rail must have a name of 1 to 15' \
	'[rail 1234567890123456]'
bad 1 '\[fep f/g\] a FEP must have a name of 1 to 15 letters' '[fep f/g]'
bad 1 '\[job 0\] a JobID must be a number from 1 to 16777215' '[job 0]'
bad 1 '\[job 16777216\] a JobID must be a number from 1 to' '[job 16777216]'
bad 1 '\[job x\] a JobID must be a number' '[job x]'
bad 1 '\[user no-such-user\] a user must be the name or number of a user, not "no-such-user"' \
	'[user no-such-user]\njob-ids=1-2'
bad 1 '\[user 1001\] job-ids is missing' '[user 1001]'
for ids in 1000 0-9 2-1 1-16777216 '1-2 3' x-y; do
	bad_key "must be FIRST-LAST, numbers from 1 to 16777215, not \"$ids\"" \
		job-ids "$ids" '[user 1001]'
done
bad 2 '\[user 1001\] id: unknown key' '[user 1001]\nid = 1\njob-ids = 1-2'
bad 4 '\[user 1002\] job-ids: JobIDs 10 to 20 are those of user 1001' \
	'[user 1001]\njob-ids = 10-20\n[user 1002]\njob-ids = 20-30'

# Keys and values.
bad_key 'unknown key' nonsense 1 '[uetd]'
bad_key 'unknown key' addr 10.0.0.1 '[defaults]'
bad_key 'unknown key' rails r0 '[defaults]'
bad_key 'unknown key' ingress on '[defaults]'
bad_key 'must be standard or optimized, not "on"' headers on '[defaults]'
bad_key 'must be delete, keep-jobs or keep, not "drop"' foreign drop '[uetd]'
bad_key 'must be a number from 0 to 4096, not "4097"' jobs-per-user 4097 '[uetd]'
bad_key 'must be a number from 0 to 4096, not "-1"' jobs-per-user -1 '[uetd]'
bad_key 'must be a number from 1024 to 8192, not "1"' mtu 1 '[defaults]'

bad_rail 'unknown key' mtu 1500
bad_rail 'must be a number from 0 to 4294967295, not "x"' plane x
bad_rail 'must be a number from 0 to 4294967295, not "4294967296"' \
	plane 4294967296
bad_rail 'must be the name of a netdev, 1 to 15 characters, not "a/b"' \
	interface a/b
bad_rail 'must be the name of a netdev.*not ""' interface ''
bad_rail 'must be off or on, not "yes"' ingress yes
bad_rail 'must be off or on, not ""' ingress ''
bad_rail 'unknown key' headers standard
bad_rail 'must be a hardware address such as' mac 02:00:00:00:00
bad_rail 'must be a hardware address such as' mac 02:00:00:00:00:0g
bad_rail 'must be a hardware address such as' mac 02:00:00:00:00:01:02
bad_rail 'must be an IP address, with or without /BITS' address 10.0.0.0/33
bad_rail 'must be an IP address, with or without /BITS' address 10.0.0.0/
bad_rail 'must be an IP address, with or without /BITS' address fd00::/0
bad 1 '\[rail r0\] plane is missing' '[rail r0]'
bad 1 '\[rail r0\] there must be one of interface, mac and address' \
	'[rail r0]\nplane=0\ninterface=a\nmac=02:00:00:00:00:01'
bad 4 '\[rail s\] interface: is that of \[rail r0\]' \
	'[rail r0]\nplane=0\n[rail s]\ninterface=r0\nplane=1'

bad_fep 'unknown key' nonsense 1
bad_fep 'must be an IPv4 or IPv6 address, not "10.0.0"' addr 10.0.0
bad_fep 'must be an IPv4 or IPv6 address, not "fe80::1%eth0"' addr fe80::1%eth0
bad_fep 'must be 1 to 16 names, not "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"' \
	rails a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q
bad_fep 'must be 1 to 16 names, not ","' rails ,
bad_fep 'must be a name of 1 to 15 letters' rails a/b
bad_fep 'must be any or all, not "some"' rails-needed some
bad_fep 'must be a number from 1024 to 8192, not "300"' mtu 300
bad_fep 'must be none or crc, not "yes"' protect yes
bad_fep 'must be udp or native, not "tcp"' encap tcp
bad_fep 'must be reference or suet, not "other"' profile other
bad_fep 'must be a number from 1 to 65535, not "0"' port 0
bad_fep 'must be a number from 1 to 255, not "256"' proto 256
bad_fep 'must be standard or optimized, not "short"' headers short
bad_fep 'must be standard or optimized, not ""' headers ''
bad_fep 'unknown key' ingress on
bad_fep 'must be a number from 0 to 63, not "64"' dscp-request 64
bad_fep 'must be a number from 0 to 63, not "none"' dscp-retx none
bad_fep 'must be a number from 0 to 63, or none, not "64"' dscp-trimmed 64
bad_fep 'must be a power of two from 128 to 1024, not "300"' window 300
bad_fep 'must be a number from 1 to 255, not "0"' default-mpr 0
bad_fep 'must be a number from 0 to 127, not "128"' mpr-zero 128
bad_fep 'must be a time with its unit, ns, us, ms or s, from 1us to 86400s, not "5"' \
	rto-init 5
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "1h"' idle 1h
bad_fep 'must be a time with its unit' rto-max 99999999999999999999s
bad_fep 'must be a time with its unit' rto-max 86401s
bad_fep 'must be no or yes, not "1"' ack-on-ecn 1
bad_fep 'must be no or yes, not ""' ack-per-pkt ''
bad_fep 'must be no or yes, not "on"' ack-clears on
bad_fep 'must be no or yes, not "host"' amo-host host
bad_fep 'must be no or yes, not "1"' mswap-xor 1
bad_fep 'must be no or yes, not "4793"' fixed-port 4793
bad_fep 'must be a number from 0 to 16777215, not "-1"' job-zero -1
bad_fep 'must be a time with its unit, .* from 1us to 86400s, not "0"' syn-retx-safety 0
bad_fep 'must be none, const, nscc, rccc or nscc-rccc, not "dctcp"' cc dctcp
bad_fep 'must be single, oblivious, reps, map, mixed or auto, not "all"' paths all
bad_fep 'must be a number from 0 to 12800000, not "12800001"' cc-rate 12800001
bad_fep 'must be a time with its unit, .* from 128 to 1s, not "1001ms"' \
	cc-base-rtt 1001ms
bad_fep 'must be a time with its unit, .* from 0 to 1s, not "1"' cc-target 1
bad_fep 'must be a number from 0 to 57600000, not "57600001"' cwnd 57600001
bad_fep 'must be a power of two from 1 to 32768, not "3"' ev-count 3
bad_fep 'must be a number from 1 to 256, not "257"' ev-burst 257
bad_fep 'must be a number from 0 to 63, not "64"' dscp-control 64
bad_fep 'must be a number from 0 to 63, or none, not "x"' dscp-trimmed-lasthop x
bad_fep 'must be a number from 1 to 1048576, not "0"' ack-gen-trigger 0
bad_fep 'must be a number from 0 to 65536, not "65537"' ack-gen-min-add 65537
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "1"' ack-delay 1
bad_fep 'must be a number from 1 to 15, not "16"' max-rto-retx 16
bad_fep 'must be a time with its unit, .* from 1us to 86400s, not "0"' nack-retx 0
bad_fep 'must be a time with its unit, .* from 1us to 86400s, not "1m"' \
	nack-retx-max 1m
bad_fep 'must be a number from 0 to 31, not "32"' max-nack-retx 32
bad_fep 'must be a time with its unit, .* from 1us to 86400s, not "999ns"' \
	close-req 999ns
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "s"' target-idle s
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "2d"' orphan 2d
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "-1ms"' \
	tail-loss -1ms
bad_fep 'must be a number from 0 to 15, not "16"' max-tail-loss-retx 16
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "1.5s"' \
	clear-time 1.5s
bad_fep 'must be a number from 0 to 1024, not "1025"' max-gtd 1025
bad_fep 'must be a time with its unit, .* from 1us to 86400s, not "0"' new-pdc 0
bad_fep 'must be a number from 0 to 16, not "17"' max-ack-data 17
bad_fep 'must be a number from 0 to 65000, not "65001"' burst 65001
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "2d"' peer-timeout 2d
bad_fep 'must be a time with its unit, .* from 0 to 86400s, not "x"' reorder-min x
bad_fep 'must be no or yes, not "maybe"' cc-strict maybe
bad_fep 'must be a number from 0 to 1073741824, not "1073741825"' credit-run 1073741825
bad_fep 'must be a number from 500 to 1000, not "1001"' credit-rate 1001
bad 1 '\[fep f\] addr is missing' '[fep f]\nrails=r0'
bad 1 '\[fep f\] rails is missing' '[fep f]\naddr=10.0.0.1'
bad 7 '\[fep f\] rails: there is no \[rail r9\]' "$rail"'[fep f]\naddr=10.0.0.1\nrails=r9'
bad 7 '\[fep f\] rails: r0 is there twice' "$rail"'[fep f]\naddr=10.0.0.1\nrails=r0,r0'
bad 9 '\[fep f\] rails: must be on different planes, r0 and s are on plane 0' \
	"$rail"'[rail s]\nplane=0\n[fep f]\naddr=10.0.0.1\nrails=r0,s'
bad 9 '\[fep g\] addr: is that of \[fep f\]' "$rail$fep"'[fep g]\naddr=10.0.0.1\nrails=r1'
bad 6 '\[fep f\] addr: is link-local: there can be one rail only' \
	"$rail"'[fep f]\naddr=fe80::1\nrails=r0,r1'
bad 8 '\[fep f\] proto: is for encap = native only' "$rail${fep}proto=200"
bad 9 '\[fep f\] port: is for encap = udp only' "$rail${fep}encap=native\\nport=200"
bad 9 '\[fep f\] proto: 17 is the number of another protocol' \
	"$rail${fep}encap=native\\nproto=17"
bad 5 '\[fep f\] rto-init must not be above rto-max' "$rail${fep}rto-init=9s"
bad 5 '\[fep f\] max-gtd must not be above window' "$rail${fep}max-gtd=300"
bad 8 '\[fep f\] dscp-trimmed: must differ from dscp-request.*0 does not' \
	"$rail${fep}dscp-trimmed=0"
bad 9 '\[fep f\] dscp-trimmed-lasthop: must differ from dscp-trimmed' \
	"$rail${fep}dscp-trimmed=9\\ndscp-trimmed-lasthop=9"

bad_job 'unknown key' uid 0
bad_job 'must be a name of 1 to 15 letters' name 'a b'
bad_job 'must be 1 to 16 names' feps "$(echo f{1..17})"
bad_job 'must be the name or number of a user, not "no-such-user"' \
	owner no-such-user
bad_job 'must be the name or number of a user' owner 4294967295
bad_job 'must be the name or number of a group, not "no-such-group"' \
	group no-such-group
bad_job 'must be N or MIN-MAX within 0-4095, not "9-8"' pids 9-8
bad_job 'must be N or MIN-MAX within 0-4095, not "1-4096"' pids 1-4096
bad_job 'must be N or MIN-MAX within 0-4095, not "1-"' pids 1-

peer='[peer p]\naddr=10.0.0.2\n'
good "$rail${peer}via = r0 10.64.0.2 ,r1  10.65.0.2"
good "$rail"'[peer p]\naddr=fd00::2\nvia=r0 fd00:64::2'
bad 1 '\[peer a b\] a peer must have a name of 1 to 15 letters' '[peer a b]'
bad 1 '\[peer p\] via is missing' "$peer"
bad 1 '\[peer p\] addr is missing' '[peer p]\nvia=r0 10.64.0.2'
bad_key 'unknown key' rails r0 "$peer"
bad_key 'must be RAIL ADDRESS' via r0 "$peer"
bad_key 'must be RAIL ADDRESS' via '' "$peer"
bad_key 'must be RAIL ADDRESS' via 'r0 10.64.0.2,' "$peer"
bad_key 'must be RAIL ADDRESS' via 'r0 10.64.0.2 r1 10.65.0.2' "$peer"
bad_key 'must be a name of 1 to 15' via 'r/0 10.64.0.2' "$peer"
bad_key 'must be an IPv4 or IPv6 address.*not "r0 x"' via 'r0 x' "$peer"
bad_key 'must be 8 ways at most' via \
	"$(printf 'r%d 10.0.0.9,' 0 1 2 3 4 5 6 7)r8 10.0.0.9" "$peer"
bad_key 'there is no \[rail r7\]' via 'r7 10.64.0.2' "$peer"
bad_key 'r0 is there twice' via 'r0 10.64.0.2, r0 10.64.0.3' "$rail$peer"
bad_key 'the address of rail r0 must be of the family of addr' via \
	'r0 fd00::1' "$rail$peer"
bad 6 '\[peer p\] addr: is link-local' "$rail"'[peer p]\naddr=fe80::2\nvia=r0 fe80::3'
bad 9 '\[peer q\] addr: is that of \[peer p\]' \
	"$rail${peer}via=r0 10.64.0.2\n[peer q]\naddr=10.0.0.2\nvia=r0 10.64.0.2"
bad 1 '\[job 1\] feps is missing' '[job 1]'
bad 9 '\[job 1\] feps: there is no \[fep g\]' "$rail$fep"'[job 1]\nfeps=g'
bad 9 '\[job 1\] feps: f is there twice' "$rail$fep"'[job 1]\nfeps=f f'
bad 10 '\[job 01\] another section has this JobID' \
	"$rail$fep"'[job 1]\nfeps=f\n[job 01]\nfeps=f'

# Secure domains.
sd='[sd s]\nsdi=7\n'
number='must be a number from'
good "$sd"
good "$rail$sd${fep}sd=s"
good "$rail${sd}[defaults]\\nsd=s\\n${fep}protect=crc"
good "${sd}mode=direct\\nssi=5"
bad 1 '\[sd\] a section is' '[sd]'
bad 1 '\[sd a b\] an sd must have a name of 1 to 15 letters' '[sd a b]'
bad 1 '\[sd s\] sdi is missing' '[sd s]\nmode=direct'
bad_sd 'unknown key' key x
bad_sd 'unknown key' an 0
bad_sd "$number 0 to 16777215, not \"16777216\"" sdi 16777216
bad_sd "$number 0 to 16777215, not \"0x7\"" sdi 0x7
bad_sd 'must be direct, cluster or server, not "mesh"' mode mesh
bad_sd 'must be no or yes, not "1"' client 1
bad_sd 'must be no or yes, not ""' ipv6 ''
bad_sd "$number 0 to 4294967295, not \"4294967296\"" ssi 4294967296
bad_sd "$number 0 to 281474976710655, not \"281474976710656\"" \
	rekey-mask 281474976710656
bad_sd "$number 0 to 47, not \"48\"" rekey-shift 48
bad_sd "$number 0 to 32767, not \"32768\"" epoch-age 32768
bad_sd "$number 1 to 281474976710656, not \"0\"" seal-limit 0
bad_sd "$number 1 to 18446744073709551615, not \"0\"" fail-limit 0
bad_sd "$number 0 to 65535, not \"65536\"" epoch 65536
bad_sd 'must be the name of a file from / on, not "key"' key-file key
bad_sd 'must be the name of a file from / on, not "/etc/"' key-file /etc/
bad_sd 'must be the name of a file from / on, not ""' key-file ''
bad_sd 'must be the name of a credential, not "a/b"' credential a/b
bad_sd 'must be the name of a credential, not "\.\."' credential ..
bad_sd 'must be the name of a credential, not ""' credential ''
whole='must be a time with its unit in whole seconds, from'
bad_sd "$whole 2s to 31622400s, not \"1s\"" rotation 1s
bad_sd "$whole 2s to 31622400s, not \"0\"" rotation 0
bad_sd "$whole 2s to 31622400s, not \"31622401s\"" rotation 31622401s
bad_sd "$whole 2s to 31622400s, not \"2500ms\"" rotation 2500ms
bad_sd "$whole 2s to 31622400s, not \"daily\"" rotation daily
bad_sd "$whole 1s to 15811200s, not \"0\"" overlap 0
for key in rotation overlap; do
	bad_key 'needs key-file or credential' $key 300s "${sd}[uetd]\\n[sd t]\\nsdi=8"
done
bad_key 'needs key-file or credential' epoch 1 "[sd s]"
bad 1 '\[sd s\] rekey-mask is for mode cluster' \
	"${sd}mode=direct\\nrekey-mask=255"
bad 1 '\[sd s\] over IPv6, modes direct and server need an ssi' \
	"${sd}mode=direct\\nipv6=yes"
bad 1 '\[sd s\] clients are of mode server' "${sd}client=yes"
bad 1 '\[sd s\] rekey-mask has bits below rekey-shift' "${sd}rekey-mask=1"
bad_key 'there is no \[sd t\]' sd t "$rail${fep%\\n}"
bad 10 '\[fep f\] protect: and sd exclude each other' \
	"$rail$sd${fep}protect=crc\\nsd=s"
bad 11 '\[fep f\] sd: \[sd s\] is for IPv6 addresses' \
	"$rail${sd}ipv6=yes\\n${fep}sd=s"

# Their keys.
base64=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
key="key-file=$tmp/key\\n"
(umask 077; echo $base64 > "$tmp/key")
good "$sd$key"
good "$sd${key}rotation=86400s"
good "$sd${key}rotation=2s\\noverlap=1s"
good "$sd${key}epoch=65535\\noverlap=5s"
bad 4 '\[sd s\] rotation: must be at least twice the overlap, which is 60s' \
	"$sd${key}rotation=119s"
bad 4 '\[sd s\] rotation: is not for mode server' \
	"$sd${key}rotation=600s\\nmode=server"
bad 5 '\[sd s\] epoch: is by the clock with rotation' \
	"$sd${key}rotation=600s\\nepoch=1"
bad 1 '\[sd s\] there must be one of key-file and credential' \
	"$sd${key}credential=key"
bad 6 '\[sd t\] key-file: its key is that of \[sd s\]' \
	"$sd${key}[sd t]\\nsdi=8\\n$key"
bad 3 "\\[sd s\\] key-file: $tmp/none: No such file" "${sd}key-file=$tmp/none"
# A process that is not the service cannot know the key, but must do nothing without it.
good "${sd}credential=key"
judge "a credential that is not there" 1 \
	"^uetd: $tmp/conf:3: \\[sd s\\] credential: the service manager has given none" \
	"$uetd" -c "$tmp/conf" --once
# Two uetds would undo each other's changes.
: > "$tmp/conf"
RUNTIME_DIRECTORY=$tmp "$uetd" -c "$tmp/conf" 2> /dev/null &
first=$!
for ((i = 0; i < 600; i++)); do
	[ ! -s "$(echo "$tmp"/netns-*.uetd)" ] || break
	sleep 0.1
done
for once in "" --once; do
	RUNTIME_DIRECTORY=$tmp judge "a second uetd${once:+ with }$once" 1 \
		"^uetd: process $first is the uetd of this network namespace$" \
		"$uetd" -c "$tmp/conf" $once
done
kill $first
wait $first
CREDENTIALS_DIRECTORY=$tmp good "${sd}credential=key"
CREDENTIALS_DIRECTORY=$tmp bad 3 \
	"\\[sd s\\] credential: $tmp/none: No such file" "${sd}credential=none"
chmod 640 "$tmp/key"
bad 3 "\\[sd s\\] key-file: $tmp/key: users other than its owner have access, mode 0640" \
	"$sd$key"
assert_hidden()
{
	if "$uetd" --check "$tmp/conf" 2>&1 | grep -q "${base64:4:12}"; then
		not_ok "no key is told"
	else
		ok "no key is told"
	fi
}
assert_hidden
chmod 600 "$tmp/key"
echo "3 $base64" > "$tmp/key"
good "$sd$key"
bad 3 '\[sd s\] key-file: .*has a number, which are those of the periods' \
	"$sd${key}rotation=600s"
echo "$base64$base64" > "$tmp/key"
bad 3 '\[sd s\] key-file: .*: more than 73 bytes are no key' "$sd$key"
assert_hidden
echo "${base64}x" > "$tmp/key"
bad 3 '\[sd s\] key-file: .*: no key of this length in base64, of 32 bytes' \
	"$sd$key"
assert_hidden
bad 3 '\[sd s\] key-file: .*: no key of this length in base64, of 44 bytes' \
	"$sd${key}mode=server\\nclient=yes"

# Several files are one configuration.
printf '%b' "$rail" > "$tmp/one"
printf '%b' "$fep" > "$tmp/two"
judge "two files" 0 '^$' "$uetd" --check "$tmp/one" "$tmp/two"
judge "one of two files" 1 "^uetd: $tmp/two:3: \\[fep f\\] rails: there is no \\[rail r0\\]" \
	"$uetd" --check "$tmp/two"
mkdir "$tmp/one.d"
printf '[rail r0]\nplane=x\n' > "$tmp/one.d/a.conf"
judge "a bad drop-in" 1 "^uetd: $tmp/one.d/a.conf:2: \\[rail r0\\] plane: must be" \
	"$uetd" -c "$tmp/one" --check
rm -r "$tmp/one.d"
: > "$tmp/one.d"
judge "a file instead of a directory" 1 "^uetd: $tmp/one.d: Not a directory" \
	"$uetd" -c "$tmp/one" --check

# Nothing is left out: the keys of the manual, and what ueadm sets of a FEP.
key_of_manual='s/^\.B[IR] \([a-z\-]*\) " = .*/\1/p'
for key in $(sed 's/\\-/-/g' Documentation/man/uetd.conf.5 | sed -n "$key_of_manual") \
	$(build/ueadm -complete -- fep set f ''); do
	[[ $keys = *" $key "* ]] || missing+=" $key"
done
if [ -z "${missing-}" ]; then
	ok "each key has a row"
else
	not_ok "each key has a row"
	note "none for:$missing"
fi
tap_end
