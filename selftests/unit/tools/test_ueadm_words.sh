#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How ueadm reads a command line, without a kernel: options, words that are
# shortened, help on each level, files of commands, and what it offers to the shell
# for completion.  The words of each object are in test_ueadm_cli.sh.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

tap_needs "${UEADM:-build/ueadm}" tools
ueadm=$(readlink -f "${UEADM:-build/ueadm}")

tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

# says STATUS REGEX WORDS...: exit status, and all that it prints in one
says()
{
	local status=$1 regex=$2 got
	shift 2

	"$ueadm" "$@" > "$tmp/out" 2>&1 < "$tmp/in"
	got=$?
	if [[ $got = "$status" && $(< "$tmp/out") =~ $regex ]]; then
		ok "\"ueadm $*\" says what it should"
	else
		not_ok "\"ueadm $*\" says what it should"
		note "status $got, should be $status; text should match: $regex"
		diag < "$tmp/out"
	fi
}

# batch TEXT STATUS EXPECTED LINE... [-- OPTION...]: the lines are a batch; of
# what it prints, the first line of each message is EXPECTED
batch()
{
	local text=$1 status=$2 expected=$3 lines=() got out
	shift 3

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	printf '%s\n' "${lines[@]}" > "$tmp/batch"
	out=$(cd "$tmp" && "$ueadm" "$@" -batch batch 2>&1)
	got=$?
	if [ "$got" = "$status" ] && [ "$out" = "$expected" ]; then
		ok "batch: ueadm takes $text"
	else
		not_ok "batch: ueadm takes $text"
		note "status $got, should be $status; text should be:"
		diag <<< "$expected"
		note "and is:"
		diag <<< "$out"
	fi
}

# offers EXPECTED WORDS...: completion of the last word
offers()
{
	local expected=$1 out
	shift

	out=$("$ueadm" -complete -- "$@" 2>&1 | tr '\n' ' ')
	if [ "${out% }" = "$expected" ]; then
		ok "completion offers what may follow: $*_"
	else
		not_ok "completion offers what may follow: $*_"
		note "is '$out', should be '$expected'"
	fi
}

# typed EXPECTED LINE: what bash makes of a line
typed()
{
	local expected=$1 out

	out=$(PATH=$(dirname "$ueadm"):$PATH
		. tools/ueadm/ueadm.bash-completion
		# shellcheck disable=SC2034 # what bash gives to _ueadm
		COMP_LINE=$2 COMP_POINT=${#2} COMPREPLY=()
		_ueadm
		echo "${COMPREPLY[*]}")
	if [ "$out" = "$expected" ]; then
		ok "bash completes what is typed: $2_"
	else
		not_ok "bash completes what is typed: $2_"
		note "offers '$out', should be '$expected'"
	fi
}

: > "$tmp/in"

says 2 'pdc: unknown verb: "delete", did you mean "del"\?' pdc delete
# Options, as ip has them: one dash or two, letters, beginnings.
says 0 '^ueadm [0-9.]+$' -V
says 0 '^ueadm [0-9.]+$' -version
says 0 '^ueadm [0-9.]+$' --vers
says 0 '^Usage: ueadm \[OPTIONS\] .*-netns NETNS' -h
says 2 "(unrecognized|invalid) option.*see ueadm help" -x
says 2 "option.*see ueadm help" --nonsense
says 2 "requires an argument.*see ueadm help" -netns
says 2 "requires an argument.*see ueadm help" -b
says 2 'color must be auto, always or never, not "red" .see ueadm help.$' -color=red help
says 0 '"version": "[0-9]' -j -p -d -o -s -t -f -c version
says 0 '"version": "[0-9]' -json -pretty -details -oneline -statistics \
	-timestamp -force -color=never version
says 2 'words on the command line are none of -batch: "rail"' \
	-batch /dev/null rail show
says 1 'network namespace "no-such-netns" \(No such file' \
	-netns no-such-netns version
says 1 'network namespace "/dev/null" \(Invalid argument' \
	-n /dev/null version

# Words that are shortened: what they mean, and what they could mean.
says 0 '^ueadm [0-9]' v
says 0 '^Usage: ' h
says 2 'rail: NETDEV is missing' ra a
says 2 'fep: NAME is missing' fep a
says 2 'fep: rails is missing' fep a f ad 10.0.0.1
says 2 'fep: mtu must be 1024.2048.4096.8192.N, not "many"' fep a f mt many
says 2 'fep: word "rto" is ambiguous: rto-init, rto-max' fep set f rto 1ms
says 2 'fep: word "p" is ambiguous: port, protect, proto' fep add f p 1
says 2 'fep: word "dscp-r" is ambiguous: dscp-request, dscp-retx' \
	fep set f dscp-r 1
says 2 'dscp-trimmed must be a number' fep set f dscp-trimmed 64
says 2 'mtu is there twice' fep a f mt 1024 mtu 1024
says 2 'unknown word: "mtux"' fep add f mtux 1
says 2 'unknown word: ""' fep add f ''
says 0 '^Usage:.*ueadm fep add' fe help
says 0 '^Usage:.*ueadm features' fea help
says 0 '^Usage:.*ueadm pdc show' p help
says 0 '^Usage:.*ueadm fep show' fep s help
says 0 '^Usage:.*ueadm fep show' fep ls help
says 0 '^Usage:.*ueadm fep show' fep list help

# Options may stand behind the object, but not behind "--".
says 2 'rail: unknown verb: "nonsense"' rail -j nonsense -details
says 2 'rail: unknown verb: "-x"' rail -x
says 2 'rail: unknown verb: "--"' rail -- -j
says 2 'color must be auto, always or never, not "red"' -c=red rail
says 2 'rail: unknown verb: "nonsense"' -c=always rail nonsense
says 0 $'^\e|^Usage' rail help -c=always
says 0 '^Usage' rail help -color=never
says 2 'color must be auto, always or never, not "red"' rail show -c=red
says 2 'rail: unknown verb: "-j=x"' rail -j=x
# Values stand in full.
says 2 'protect must be none.crc.tss, not "n"' \
	fep add f addr 10.0.0.1 rails lo protect n

# Help on each level; a name that is "help" stands behind --.
says 0 '^Usage:.*ueadm rail add.*ueadm rail del.*ueadm rail show' rail help
says 0 '^Usage:.*ueadm fep set NAME' help fep
says 0 '^Usage:.       ueadm fep del NAME$' fep del help
says 0 '^Usage:.       ueadm fep del NAME$' help fep d
says 0 '^Usage:.       ueadm ping FEP FA' ping help
says 0 '^Usage:.*ueadm stats' stats help
says 0 '^Usage:.*ueadm help \[OBJECT \[VERB\]\]$' help help
says 2 'fep: unknown word: "more"' fep del help more
says 2 'rail: unknown verb: "help"' rail help more
says 2 'unknown object: "nonsense"' help nonsense
says 2 'rail: unknown verb: "nonsense"' help rail nonsense
says 2 'rail: unknown word: "more"' help rail add more
says 1 'rail: netdev "help"' rail del -- help
says 1 'rail: netdev "help"' rail add -- help plane 0
says 2 'version: unknown word: "more"' version more

# Files of commands.
version=$("$ueadm" version)
batch "a command in each line" 0 "$version
$version" version 'version '
batch "comments and empty lines" 0 "$version" '# version' '' '   ' \
	'	version # and more'
batch "words in quotes" 2 \
	'ueadm: batch:1: unknown object: "two words"' "'two words' x"
batch "words in other quotes, and in part" 2 \
	"ueadm: batch:1: unknown object: \"it's one\"" "\"it's\"' 'one"
batch "an empty word" 2 'ueadm: batch:1: unknown object: ""' "''"
batch "a line that goes on" 0 "$version" "\\" "version\\"
batch "the number of a line that goes on" 2 \
	'ueadm: batch:3: unknown object: "x"' '#' "x\\" 'y'
batch "a quote that is not closed" 2 \
	'ueadm: batch:2: a quote is not closed' '' 'rail "add'
batch "more words than there can be" 2 \
	'ueadm: batch:1: more than 128 words' "$(printf 'x %.0s' {1..129})"
batch "the first failure ends it" 2 \
	"$version
ueadm: batch:2: rail: unknown verb: \"nonsense\"" \
	version 'rail nonsense' 'rail worse' version
batch "-force goes on; the status is that of the first failure" 2 \
	"ueadm: batch:1: rail: unknown verb: \"nonsense\"
ueadm: batch:2: rail: netdev \"no-such-dev\" (No such device)
$version" 'rail nonsense' 'rail del no-such-dev' version -- -force
batch "-force with another option first" 1 \
	"ueadm: batch:1: rail: netdev \"no-such-dev\" (No such device)
ueadm: batch:2: rail: unknown verb: \"nonsense\"" \
	'rail del no-such-dev' 'rail nonsense' -- -f
batch "options are no commands" 2 'ueadm: batch:1: unknown object: "-j"' \
	'-j rail show'
says 1 'batch "/nonexistent" \(No such file' -batch /nonexistent
says 1 'reading "/tmp" \(Is a directory\)' -batch /tmp
printf 'version' > "$tmp/in"
says 0 '^ueadm [0-9.]+$' -batch -
: > "$tmp/in"
says 0 '^$' -b -

# The words that may stand at the end of a line.
offers 'rail fep job ep pdc stats features monitor ping check showconf syncconf reset config help version sd ccc top peer' ''
offers 'fep features' fe
offers 'dry-run' syncconf file ''
offers '' nonsense
offers 'add del show set help' rail ''
offers 'add' rail a
offers 'plane' rail add lo ''
offers '' rail add lo plane ''
offers 'lo' rail add l
offers '-n job --bus --hosts --hostfile --ssh id feps name uid gid pids' job run ''
offers 'addr ack-gen-trigger ack-gen-min-add ack-delay ack-clears amo-host ack-on-ecn ack-per-pkt' \
	fep add f a
offers '1024 2048 4096 8192' fep add f mtu ''
offers '1024' fep add f addr 10.0.0.1 mt 1
offers 'native' fep add f encap n
offers 'none' fep set f dscp-trimmed ''
offers 'no yes' fep set f ack-on-ecn ''
offers 'rto-init rto-max' fep set f window 256 rto
offers 'rto-max' fep set f rto-init 1ms rto
offers '' fep set f mt
offers 'add del show genkey key use forget revoke epoch rotate help' sd ''
offers 'number' sd genkey ''
offers '' sd revoke s ''
offers 'count interval job rail each-rail' ping f 10.0.0.1 ''
offers 'has' features show ''
offers 'show help has' features ''
offers 'fep features' help fe
offers 'add del show set help' help fep ''
offers '' nonsense rail ''
typed 'rail' 'ueadm ra'
typed 'plane' 'ueadm -j -d rail add lo '
typed '-json' 'ueadm -d -j'
typed '8192' 'ueadm fep add f addr fd00::1 mtu 8'
typed 'lo' 'ueadm -n /proc/self/ns/net rail add l'
typed '/dev/null' 'ueadm -batch /dev/nul'

tap_end
