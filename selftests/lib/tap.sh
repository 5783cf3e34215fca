# SPDX-License-Identifier: GPL-2.0
#
# Facts in the Test Anything Protocol, for scripts that source this file: it
# numbers and counts them.  A program that prints TAP of its own is joined to
# the facts of the script.  Level: test.
# shellcheck shell=bash

# In other locales bash looks for characters of several bytes in each text that it matches:
# 42 % of the instructions of one test.
export LC_ALL=C

tap_count=0
tap_failed=0
tap_skipped=0

# tap_needs PROGRAM TARGET: go to the root of the repository; without the program, which
# "make TARGET" makes, nothing is tested
tap_needs()
{
	cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1
	[ -x "$1" ] && return
	echo "1..0 # SKIP no $1: make $2"
	exit 0
}

# tap_fact ok|"not ok" TEXT
tap_fact()
{
	tap_count=$((tap_count + 1))
	echo "$1 $tap_count - $2"
}

ok()
{
	tap_fact ok "$*"
}

# not_ok TEXT...: notes that explain it follow
not_ok()
{
	tap_failed=$((tap_failed + 1))
	tap_fact "not ok" "$*"
}

# skip TEXT REASON
skip()
{
	tap_skipped=$((tap_skipped + 1))
	tap_fact ok "$1 # SKIP $2"
}

diag()
{
	sed 's/^/# /'
}

note()
{
	echo "# $*"
}

# tap_bail TEXT...: nothing of this can be tested
tap_bail()
{
	echo "Bail out! $*"
	exit 1
}

# tap_line FRONT LINE: a line of a program
tap_line()
{
	local text=$1${2#* - }

	case $2 in
	"ok "*" - "*"# SKIP "*)	skip "${text%%[ ]# SKIP*}" "${text#*# SKIP }" ;;
	"ok "*" - "*)		ok "$text" ;;
	"not ok "*" - "*)	not_ok "$text" ;;
	*)			note "${2#\# }"; return 1 ;;
	esac
}

# tap_join NAME FRONT COMMAND...: its facts are ours, with FRONT before them.
# One that ends before its plan is fulfilled, or with an exit status that its
# facts do not explain, adds a failed one, which speaks of NAME.
tap_join()
{
	local name=$1 front=$2 plan='' seen=0 before=$tap_failed status line fd
	shift 2

	exec {fd}< <("$@" 2>&1)
	while IFS= read -r line <&"$fd"; do
		case $line in
		1..0*'# SKIP '*)	plan=0; skip "$name" "${line#*# SKIP }" ;;
		1..[0-9]*)	plan=${line#1..} ;;
		'TAP version'*)	;;
		*)		tap_line "$front" "$line" && seen=$((seen + 1)) ;;
		esac
	done
	wait $!
	status=$?
	exec {fd}<&-
	if [ "${plan:-none}" != $seen ]; then
		not_ok "$name: the program states $seen of ${plan:-unknown} facts, exit status $status"
	elif [ $status -ne 0 ] && [ "$tap_failed" -eq "$before" ]; then
		not_ok "$name: the program fails with exit status $status"
	fi
	return $status
}

# tap_end: the plan; whether all is well as status.  A test that checks nothing fails.
tap_end()
{
	[ "$tap_count" -gt 0 ] || not_ok "the test checks something"
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
