#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line of ueadm, without a kernel: a table of commands with the exit status
# and the text each must give.  All of them are wrong before the kernel is asked, or
# only print text, so none needs the module or changes anything.  The kernel's answers to
# well-formed words are tested in selftests/net; options, abbreviations, help, batches
# and completion are in test_ueadm_words.sh.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

ueadm=${UEADM:-build/ueadm}
tap_needs "$ueadm" tools

# prints STATUS REGEX WORDS...: the command ends with STATUS; REGEX is in what
# it prints, on stdout for status 0, else on stderr, and the other is empty
prints()
{
	local status=$1 regex=$2 text=err empty=out got
	shift 2
	[ "$status" != 0 ] || { text=out; empty=err; }
	rows+=" $* "$'\n'

	"$ueadm" "$@" > "$tmp/out" 2> "$tmp/err"
	got=$?
	if [[ $got = "$status" && $(< "$tmp/$text") =~ $regex ]] &&
		! [ -s "$tmp/$empty" ]; then
		ok "\"ueadm $*\" says what it should"
	else
		not_ok "\"ueadm $*\" says what it should"
		note "status $got, should be $status; text should match: $regex"
		diag < <(cat "$tmp/out" "$tmp/err")
	fi
}

# has_rows WORDS...: each word that completion offers behind these is in a row of the
# same command
has_rows()
{
	local word of missing=''

	of=$(grep -E "^ $1 (${2-} )?" <<< "$rows")
	for word in $("$ueadm" -complete -- "$@" '' | grep -vx -e help -e show); do
		[[ $of = *" $word "* ]] || missing+=" $word"
	done
	if [ -z "$missing" ]; then
		ok "ueadm $*: each word has a row"
	else
		not_ok "ueadm $*: each word has a row"
		note "none for:$missing"
	fi
}

# wrong REGEX WORDS...: a usage error: status 2, and one line: what is wrong, and where
# to read on
wrong()
{
	local regex=$1 nl=$'\n'
	shift
	prints 2 "^ueadm: [^$nl]*${regex}[^$nl]*\(see ueadm help[^$nl]*\)\$" "$@"
}

rows=''
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

# Text on demand.
version=$(sed -n 's/^#define UET_VERSION[[:space:]]*"\(.*\)"$/\1/p' kernel/config/config.h)
prints 0 "^ueadm ${version//./\\.}\$" version
prints 0 '^ueadm [0-9]' -V
prints 0 '^Usage: ueadm .*rail add NETDEV plane N' help
prints 0 '^Usage: ueadm .*monitor' --help

# Options, objects, verbs.
prints 2 'see ueadm help' -x
prints 2 'see ueadm help' --nonsense
prints 2 'see ueadm help' -n
wrong 'object is missing'
wrong 'object is missing' -j
wrong 'unknown object: "nonsense"' nonsense
wrong 'unknown object: ""' ''
wrong 'unknown object: "rial", did you mean "rail"[?]' rial show
wrong 'unknown object: "jbo", did you mean "job"[?]' jbo
wrong 'unknown verb: "showx", did you mean "show"[?]' rail showx
wrong 'unknown word: "adr", did you mean "addr"[?]' fep add f adr 10.0.0.1
wrong 'rail: unknown verb: "nonsense"' rail nonsense
wrong 'rail: unknown verb: "addx"' rail addx
wrong 'fep: unknown verb: "tune"' fep tune f mtu 1024
wrong 'unknown word: "plane"' rail set lo plane 1
wrong 'ingress is missing' rail set lo
wrong 'ingress must be off' rail set lo ingress yes
wrong 'NETDEV is missing' rail set
wrong 'pdc: unknown verb: "add"' pdc add
wrong 'stats: unknown word: "nonsense"' stats nonsense
wrong 'stats: unknown word: "nonsense"' stats show nonsense
wrong 'monitor: unknown word: "nonsense"' monitor nonsense
wrong 'features: has needs a value' features has
wrong 'rail: NETDEV is missing' ra a

# No JSON.
wrong 'showconf: it has no JSON form' -j showconf
wrong 'config: it has no JSON form' config save -j
prints 0 '^\{"version":"[0-9.]+"\}$' version -j

# The file of uetd.
wrong 'config: a verb is missing' config
wrong 'config: unknown word: "now"' config save now
wrong 'file needs a value' config save file
prints 1 '^ueadm: /proc/1/fd: ' config save file /proc/1/fd

# Rails.
wrong 'NETDEV is missing' rail add
wrong 'plane is missing' rail add lo
wrong 'plane needs a value' rail add lo plane
wrong 'plane must be a number from 0 to 4294967295, not "x"' \
	rail add lo plane x
wrong 'plane must be a number' rail add lo plane -1
wrong 'plane must be a number' rail add lo plane ''
wrong 'plane must be a number' rail add lo plane 4294967296
wrong 'plane must be a number' rail add lo plane 1x
wrong 'plane must be a number' rail add lo plane ' 1'
wrong 'plane is there twice' rail add lo plane 1 plane 2
wrong 'unknown word: "more"' rail add lo plane 1 more
wrong 'NETDEV is missing' rail del
prints 1 'rail: netdev "no-such-dev" \(No such device\)' \
	rail del no-such-dev

# FEPs.
fep=(fep add f addr 10.0.0.1 rails lo)
wrong 'NAME is missing' fep add
wrong 'addr is missing' fep add f
wrong 'rails is missing' fep add f addr 10.0.0.1
wrong 'rails needs a value' fep add f addr 10.0.0.1 rails
wrong 'NAME must be a name of 1 to 15 characters, not ""' fep add ''
wrong 'NAME must be a name of 1 to 15' fep add sixteen-letters-
wrong 'addr must be an IPv4 or IPv6 address, not "10.0.0"' \
	fep add f addr 10.0.0 rails lo
wrong 'addr must be an IPv4 or IPv6 address' fep add f addr 1:2:3 rails lo
wrong 'addr must be an IPv4 or IPv6 address' fep add f addr '' rails lo
wrong 'addr must be an IPv4 or IPv6 address' \
	fep add f addr "$(printf '1%.0s' {1..300})" rails lo
prints 1 'netdev "nope" of addr' fep add f addr fe80::1%nope rails lo
prints 1 'netdev "no-such-dev"' fep add f addr 10.0.0.1 rails lo,no-such-dev
wrong 'rails has an empty name in "lo,"' fep add f addr 10.0.0.1 rails lo,
wrong 'rails has an empty name' fep add f addr 10.0.0.1 rails ''
wrong 'rails takes 16 names at most' fep add f addr 10.0.0.1 \
	rails lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo,lo
wrong 'mtu must be a number from 1024 to 8192, not "1000"' "${fep[@]}" mtu 1000
wrong 'mtu must be 1024.2048.4096.8192.N, not "many"' "${fep[@]}" mtu many
wrong 'port must be a number from 1 to 65535, not "0"' "${fep[@]}" port 0
wrong 'port must be a number' "${fep[@]}" port 65536
wrong 'protect must be none.crc.tss, not "maybe"' "${fep[@]}" protect maybe
wrong 'sdi is missing' sd add s
wrong 'sdi must be a number from 0 to 16777215, not "16777216"' sd add s sdi 16777216
wrong 'mode must be direct.cluster.server, not "open"' sd add s sdi 1 mode open
wrong 'rekey-mask must be a number from 0 to [0-9]*, not "x"' \
	sd add s sdi 1 rekey-mask x
wrong 'seal-limit must be a number from 1 to 281474976710656, not "0"' \
	sd add s sdi 1 seal-limit 0
wrong 'client is there twice' sd add s sdi 1 client client
wrong 'ipv6 is there twice' sd add s sdi 1 ipv6 ipv6
wrong 'ssi must be a number from 0 to 4294967295, not "4294967296"' \
	sd add s sdi 1 ssi 4294967296
wrong 'rekey-shift must be a number from 0 to 47, not "48"' \
	sd add s sdi 1 rekey-shift 48
wrong 'epoch-age must be a number from 0 to 32767, not "32768"' \
	sd add s sdi 1 epoch-age 32768
wrong 'fail-limit must be a number from 1 to 18446744073709551615, not "0"' \
	sd add s sdi 1 fail-limit 0
wrong 'NAME is missing' sd del
wrong 'unknown word: "b"' sd show a b
wrong 'file is missing' sd key s an 0
wrong 'file needs a value' sd key s an 0 file
wrong 'epoch must be a number from 0 to 65535, not "65536"' \
	sd key s an 0 file f epoch 65536
wrong 'tsc must be a number from 0 to 281474976710655, not "281474976710656"' \
	sd key s an 0 file f tsc 281474976710656
wrong 'to is missing' sd epoch s
wrong 'to must be a number from 0 to 65535, not "x"' sd epoch s to x
wrong 'file needs a value' sd rotate s file
wrong 'an must be 0.1, not "x"' sd use s an x
wrong 'an must be a number from 0 to 1, not "2"' sd forget s an 2
wrong 'file is missing' sd rotate s
wrong 'unknown word: "now"' sd genkey now
wrong 'sd: it has no JSON form' -j sd genkey
wrong 'number must be a number from 0 to 4294967295, not "4294967296"' \
	sd genkey number 4294967296
wrong 'NAME is missing' sd revoke
wrong 'unknown word: "an"' sd revoke s an 0
wrong 'dscp-request must be a number from 0 to 63' \
	"${fep[@]}" dscp-request 64
wrong 'dscp-retx must be a number' "${fep[@]}" dscp-retx -1
wrong 'dscp-control must be a number' "${fep[@]}" dscp-control x
wrong 'unknown word: "nonsense"' "${fep[@]}" nonsense 1
wrong 'mtu is there twice' "${fep[@]}" mtu 1024 mtu 2048
wrong 'encap must be udp.native, not "gre"' "${fep[@]}" encap gre
wrong 'encap needs a value: udp.native' "${fep[@]}" encap
wrong 'proto must be a number from 1 to 255, not "0"' \
	"${fep[@]}" encap native proto 0
wrong 'proto must be a number from 1 to 255, not "256"' \
	"${fep[@]}" encap native proto 256
wrong 'proto must be a number' "${fep[@]}" encap native proto native
wrong 'headers must be standard.optimized, not "small"' \
	"${fep[@]}" headers small
wrong 'encap is there twice' "${fep[@]}" encap udp encap native
wrong 'profile must be reference|suet, not "gre"' "${fep[@]}" profile gre
wrong 'profile needs a value: reference|suet' "${fep[@]}" profile
wrong 'profile is there twice' "${fep[@]}" profile reference profile reference
wrong 'sd must be a name of 1 to 15 characters, not ""' "${fep[@]}" sd ''
wrong 'NAME is missing' fep del
wrong 'unknown word: "g"' fep show f g

# Settings: the same words for a FEP that is made and one that is there.
for fep_verb in "${fep[*]}" "fep set f"; do
	# shellcheck disable=SC2206 # words
	set=($fep_verb)
	wrong 'window must be a power of two from 128 to 1024, not "300"' \
		"${set[@]}" window 300
	wrong 'window must be a power of two' "${set[@]}" window 64
	wrong 'window must be a power of two' "${set[@]}" window 2048
	wrong 'window must be a power of two' "${set[@]}" window x
	wrong 'cc must be none.const.nscc.rccc.nscc-rccc, not "x"' "${set[@]}" cc x
	wrong 'paths must be auto.single.oblivious.reps.map.mixed, not "x"' \
		"${set[@]}" paths x
	wrong 'cc-rate must be a number from 0 to 12800000, not "12800001"' \
		"${set[@]}" cc-rate 12800001
	wrong 'cc-base-rtt must be a time .* from 128ns to 1s, not "1"' \
		"${set[@]}" cc-base-rtt 1
	wrong 'cc-target must be a time .* from 0 to 1s, not "2s"' \
		"${set[@]}" cc-target 2s
	wrong 'cwnd must be a number from 0 to 57600000, not "57600001"' \
		"${set[@]}" cwnd 57600001
	wrong 'ev-count must be a power of two from 1 to 32768, not "3"' \
		"${set[@]}" ev-count 3
	wrong 'ev-burst must be a number from 1 to 256, not "0"' \
		"${set[@]}" ev-burst 0
	wrong 'default-mpr must be a number from 1 to 255, not "0"' \
		"${set[@]}" default-mpr 0
	wrong 'mpr-zero must be a number from 0 to 127, not "128"' \
		"${set[@]}" mpr-zero 128
	wrong 'burst must be a number from 0 to 65000, not "65001"' \
		"${set[@]}" burst 65001
	wrong 'peer-timeout must be a time .* from 0 to 86400s, not "2d"' \
		"${set[@]}" peer-timeout 2d
	wrong 'reorder-min must be a time .* from 0 to 86400s, not "1"' \
		"${set[@]}" reorder-min 1
	wrong 'cc-strict must be no.yes, not "maybe"' "${set[@]}" cc-strict maybe
	wrong 'credit-run must be a number from 0 to 1073741824' \
		"${set[@]}" credit-run 1073741825
	wrong 'credit-rate must be a number from 500 to 1000, not "499"' \
		"${set[@]}" credit-rate 499
	wrong 'ack-gen-trigger must be a number from 1 to 1048576, not "1048577"' \
		"${set[@]}" ack-gen-trigger 1048577
	wrong 'ack-gen-min-add must be a number from 0 to 65536' \
		"${set[@]}" ack-gen-min-add 65537
	wrong 'max-rto-retx must be a number from 1 to 15, not "16"' \
		"${set[@]}" max-rto-retx 16
	wrong 'max-nack-retx must be a number from 0 to 31, not "32"' \
		"${set[@]}" max-nack-retx 32
	wrong 'ack-delay must be a time .* from 0 to 86400s, not "500"' \
		"${set[@]}" ack-delay 500
	wrong 'rto-init must be a time with its unit, ns, us, ms or s, from 1us to 86400s, not "0"' \
		"${set[@]}" rto-init 0
	wrong 'rto-init must be a time .* not "999ns"' "${set[@]}" rto-init 999ns
	wrong 'rto-max must be a time .* not "86401s"' "${set[@]}" rto-max 86401s
	wrong 'nack-retx must be a time .* not "1 ms"' "${set[@]}" nack-retx '1 ms'
	wrong 'nack-retx-max must be a time .* not "-1ms"' \
		"${set[@]}" nack-retx-max -1ms
	wrong 'close-req must be a time .* not "1.5s"' "${set[@]}" close-req 1.5s
	wrong 'idle must be a time .* not "1h"' "${set[@]}" idle 1h
	wrong 'idle must be a time .* not "s"' "${set[@]}" idle s
	wrong 'target-idle must be a time .* not "18446744073709551615s"' \
		"${set[@]}" target-idle 18446744073709551615s
	wrong 'target-idle must be a time .* not "18446744073709551616ns"' \
		"${set[@]}" target-idle 18446744073709551616ns
	wrong 'orphan must be a time .* not "-1s"' "${set[@]}" orphan -1s
	wrong 'syn-retx-safety must be a time .* not "0"' \
		"${set[@]}" syn-retx-safety 0
	wrong 'ack-clears must be no.yes, not "on"' "${set[@]}" ack-clears on
	wrong 'amo-host must be no.yes, not "little"' "${set[@]}" amo-host little
	wrong 'mswap-xor must be no.yes, not "1"' "${set[@]}" mswap-xor 1
	wrong 'fixed-port must be no.yes, not "4793"' "${set[@]}" fixed-port 4793
	wrong 'job-zero must be a number from 0 to 16777215' \
		"${set[@]}" job-zero 16777216
	wrong 'ack-on-ecn must be no.yes, not "2"' "${set[@]}" ack-on-ecn 2
	wrong 'ack-per-pkt needs a value' "${set[@]}" ack-per-pkt
	wrong 'dscp-trimmed must be a number from 0 to 63, not "64"' \
		"${set[@]}" dscp-trimmed 64
	wrong 'dscp-trimmed must be N.none, not "off"' "${set[@]}" dscp-trimmed off
	wrong 'dscp-trimmed-lasthop must be a number from 0 to 63, not "255"' \
		"${set[@]}" dscp-trimmed-lasthop 255
	wrong 'tail-loss must be a time .* from 0 to 86400s, not "5"' \
		"${set[@]}" tail-loss 5
	wrong 'max-tail-loss-retx must be a number from 0 to 15, not "16"' \
		"${set[@]}" max-tail-loss-retx 16
	wrong 'clear-time must be a time .* from 0 to 86400s, not "86401s"' \
		"${set[@]}" clear-time 86401s
	wrong 'max-gtd must be a number from 0 to 1024, not "1025"' \
		"${set[@]}" max-gtd 1025
	wrong 'new-pdc must be a time .* from 1us to 86400s, not "0"' \
		"${set[@]}" new-pdc 0
	wrong 'max-ack-data must be a number from 0 to 16, not "17"' \
		"${set[@]}" max-ack-data 17
	wrong 'window is there twice' "${set[@]}" window 128 window 256
done
wrong 'NAME is missing' fep set
wrong 'addr is fixed, it takes fep del and fep add' fep set f addr 10.0.0.1
wrong 'rails is fixed' fep set f rails lo
wrong 'mtu is fixed' fep set f window 256 mtu 1024
wrong 'port is fixed' fep set f port 4793
wrong 'protect is fixed' fep set f protect crc
wrong 'unknown word: "plane"' fep set f plane 1

# Jobs.
wrong 'ID is missing' job add
wrong 'feps is missing' job add 1
wrong 'ID must be a number from 1 to 16777215, not "0"' job add 0 feps f
wrong 'ID must be a number' job add 16777216 feps f
wrong 'ID must be a number' job add x feps f
wrong 'feps must be a name' job add 1 feps a-name-that-is-much-too-long
wrong 'feps has an empty name' job add 1 feps f,,g
wrong 'feps is too long' job add 1 feps "$(printf 'x%.0s' {1..600})"
wrong 'pids must be a number from 0 to 4095, not "4096"' \
	job add 1 feps f pids 0-4096
wrong 'pids must not begin above its end' job add 1 feps f pids 9-3
wrong 'pids must be a number' job add 1 feps f pids -3
wrong 'pids must be a number' job add 1 feps f pids 3-
wrong 'pids must be a number' job add 1 feps f pids 1-2-3
wrong 'name must be a name of 1 to 15' job add 1 feps f name ''
prints 1 'no user is called "no-such-user"' job add 1 feps f uid no-such-user
prints 1 'no group is called "no-such-group"' \
	job add 1 feps f gid no-such-group
wrong 'ID must be a number' job show x
wrong 'ID is missing' job del
wrong 'unknown word: "2"' job del 1 2
wrong 'job: -- CMD is missing' job run
wrong 'job: -- CMD is missing' job run -n 2
wrong 'job: -- CMD is missing' job run -n 2 --
wrong 'job: unknown word: "true"' job run true -- true
wrong 'job: -n must be a number from 1 to 1024, not "0"' job run -n 0 -- true
wrong 'job: -n must be a number from 1 to 1024, not "1025"' \
	job run -n 1025 -- true
wrong 'job: -n needs a value' job run -n -- true
wrong 'job: inet-only must be off\|on, not "x"' job add 1 inet-only x
wrong 'job: ID must be a number' job add 2x feps f
wrong 'job: id must be a number from 1 to 16777215' job run id 0 -- true
wrong 'job: job must be a number from 1 to 16777215' job run job 0 -- true
wrong 'job: job 7 is to be taken as it is' job run job 7 pids 1-2 -- true
wrong 'job: --bus is for a new job' job run --bus job 7 -- true
wrong 'job: --hosts needs a value' job run --hosts -- true
wrong 'job: --hosts and --hostfile exclude each other' \
	job run --hosts a --hostfile b -- true
wrong 'job: --agent has no arguments' job run --agent -- true
prints 1 'job: --hostfile /nonexistent \(No such file' \
	job run --hostfile /nonexistent -- true
prints 1 'job: --ssh " " has not 1 to 32 words' job run --hosts a --ssh ' ' -- true
wrong 'job: job 7 is to be taken as it is' job run id 7 job 7 -- true
wrong 'job: pids must not begin above its end' job run pids 9-3 -- true
prints 1 'job: no user is called "no-such-user"' \
	job run uid no-such-user -- true
prints 0 'ueadm job run .* -- CMD' job run help
prints 0 'ueadm pdc history \[fep NAME\] \[id PDCID\] \[peer FA\]' pdc help

# Commands that make traffic.
wrong 'ri must be a number from 0 to 4095' ep show fep f job 1 pid 0 ri 4096
wrong 'absolute is there twice' \
	ep show fep f job 1 pid 0 ri 1 absolute absolute
wrong 'peer needs a value' pdc show peer
wrong 'peer must be an IPv4 or IPv6 address, not "x"' pdc show fep f peer x
wrong 'id must be a number from 1 to 65535' pdc show fep f id 65536
wrong 'id is missing' pdc del fep f
wrong 'id must be a number from 1 to 65535' pdc del fep f id 0
wrong 'addr needs a value: FA' peer show fep f addr
wrong 'addr must be an IPv4 or IPv6 address, not "x"' peer show addr x
wrong 'peer: unknown word: "id"' peer show id 1
wrong 'fa must be an IPv4 or IPv6 address, not "x"' ccc show fep f fa x
wrong 'unknown word: "id"' ccc show id 1

# Asking who is there: the word is object and verb in one.
wrong 'ping: FEP is missing' ping
wrong 'ping: FEP is missing' pi
wrong 'ping: FA is missing' ping ping
wrong 'FEP must be a name of 1 to 15 characters, not ""' ping '' 10.0.0.1
wrong 'FA must be an IPv4 or IPv6 address, not "10.0.0"' ping f 10.0.0
wrong 'FA must be an IPv4 or IPv6 address, not "count"' ping f count 3
prints 1 'ping: netdev "nope" of FA' ping f fe80::1%nope
wrong 'count must be a number from 1 to 4294967295, not "0"' \
	ping f 10.0.0.1 count 0
wrong 'count needs a value: N' ping f 10.0.0.1 count
wrong 'count is there twice' ping f 10.0.0.1 count 1 count 2
wrong 'interval must be a time .* from 0 to 86400s, not "1"' \
	ping f 10.0.0.1 interval 1
wrong 'interval must be a time .* not "86401s"' ping f 10.0.0.1 interval 86401s
wrong 'job must be a number from 0 to 16777215, not "16777216"' \
	ping f 10.0.0.1 job 16777216
wrong 'unknown word: "10.0.0.2"' ping f 10.0.0.1 10.0.0.2
prints 1 'ping: netdev "nope"' ping f 10.0.0.1 rail nope
wrong 'rail needs a value: NETDEV' ping f 10.0.0.1 rail
wrong 'rail and each-rail exclude each other' ping f 10.0.0.1 rail lo each-rail
wrong 'each-rail is there twice' ping f 10.0.0.1 each-rail each-rail
prints 0 'Usage:.*  ueadm ping FEP FA \[count N\] \[interval TIME\] \[job ID\]' \
	ping help
prints 0 'ueadm ping FEP FA' help

# Configuration files; what may be in them is uetd's affair.
conf=$tmp/conf
wrong 'showconf: unknown word: "file"' showconf file
wrong 'syncconf: FILE is missing' syncconf
wrong 'syncconf: FILE must be a name of 1 to 255 characters, not ""' syncconf ''
wrong 'syncconf: unknown word: "more"' syncconf file more
wrong 'syncconf: dry-run is there twice' syncconf file dry-run dry-run
wrong 'reset: unknown word: "all"' reset all
wrong 'reset: dry-run is there twice' reset dry-run dry-run
prints 1 '^ueadm: /nonexistent: No such file' syncconf /nonexistent
printf '[rail r0]\nplane = x\n[fep f]\nspeed = 1\n' > "$conf"
prints 1 'conf:2: \[rail r0\]: plane: must be a number' syncconf "$conf"
prints 1 'conf:4: \[fep f\]: speed: unknown key' syncconf "$conf"
prints 1 'conf:3: \[fep f\]: addr is missing' syncconf "$conf"
: > "$conf"

# Counters, events, and what is wrong.
wrong 'stats: unknown word: "--prometheus"' stats --prometheus
wrong 'stats: --openmetrics is there twice' stats --openmetrics --openmetrics
wrong 'stats: -i needs a value: SECONDS' stats -i
wrong 'stats: -i must be a number from 1 to 86400, not "0"' stats -i 0
wrong 'stats: count needs -i' stats count 3
wrong 'stats: --openmetrics and -i exclude each other' stats --openmetrics -i 1
wrong 'top: unknown word: "ep"' top ep
wrong 'top: sort must be tx.rx.loss.rtt.queue, not "x"' top pdc sort x
wrong 'top: -i must be a number from 1 to 86400, not "0"' top -i 0
wrong 'pdc: fep needs a value: NAME' pdc history fep
wrong 'pdc: unknown word: "x"' pdc history x
wrong 'monitor: unknown word: "ep"' monitor ep
wrong 'monitor: rail is there twice' monitor rail rail
wrong 'monitor: pdc is there twice' monitor fep job pdc pdc
wrong 'check: unknown word: "10.0.0.1"' check 10.0.0.1
wrong 'check: peer needs a value: FA' check peer
wrong 'check: peer has an empty name' check peer 10.0.0.1,
wrong 'check: peer must be an IPv4 or IPv6 address, not "10.0.0"' \
	check peer fd00::1,10.0.0

prints 1 'network namespace "no-such-netns"' -n no-such-netns rail show

# Nothing is left out.
for object in $("$ueadm" -complete -- ''); do
	[[ $rows = *" $object "* ]] || missing+=" $object"
done
for object in rail fep job ep pdc peer sd stats; do
	for verb in $("$ueadm" -complete -- $object '' | grep -v -e '^-' -e '^help$'); do
		[[ $rows = *" $object $verb "* ]] || missing+=" $object-$verb"
	done
done
if [ -z "${missing-}" ]; then
	ok "each command has a row"
else
	not_ok "each command has a row"
	note "none for:$missing"
fi
has_rows rail add lo
has_rows rail set lo
has_rows fep add f
has_rows fep set f
has_rows job add 1
has_rows job run
has_rows sd add s
has_rows sd key s
has_rows sd use s
has_rows sd forget s
has_rows sd epoch s
has_rows sd rotate s
has_rows ep show
has_rows pdc show
has_rows stats
has_rows features
has_rows monitor
has_rows ping f 10.0.0.1
has_rows check
has_rows syncconf file
has_rows reset
tap_end
