#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line of uetcat, without a kernel that knows UET: a table of exit status,
# text and words.  Wrong words end with status 2 and the usage before anything is
# opened; right ones with status 1, for want of the module or of a file.  Transfers are
# tested in selftests/net.

set -u

. "$(dirname "$(readlink -f "$0")")/../../lib/tap.sh"

uetcat=${UETCAT:-build/uetcat}
tap_needs "$uetcat" tools

# ends STATUS REGEX WORDS...: what uetcat prints, on stdout with status 0, else
# on stderr, matches REGEX
ends()
{
	local status=$1 regex=$2 out err got
	shift 2

	err=$("$uetcat" "$@" 2>&1 > /dev/null < /dev/null)
	got=$?
	out=$("$uetcat" "$@" 2> /dev/null < /dev/null)
	[ "$status" -eq 0 ] && [ -z "$err" ] && err=$out out=''
	if [[ $got = "$status" && $err =~ $regex && -z $out ]]; then
		ok "\"uetcat $*\" says what it should"
	else
		not_ok "\"uetcat $*\" says what it should"
		note "status $got, should be $status; text should match: $regex"
		diag <<< "$err$out"
	fi
}

# wrong REGEX WORDS...: status 2, what is wrong, and the usage
wrong()
{
	local regex=$1
	shift
	ends 2 "^uetcat: .*$regex.*usage: uetcat" "$@"
}

ends 0 '^usage: uetcat -l' -h
ends 0 '^usage: uetcat -l' --help
ends 0 '^uetcat [0-9]+\.[0-9]+\.[0-9]+$' -V
ends 0 '^uetcat [0-9]+\.[0-9]+\.[0-9]+$' --version

wrong 'the destination address is missing'
wrong '-x is not an option' -x
wrong '-x is not an option' -lx
wrong '--listen is not an option' --listen
wrong '-j needs a value' -l -j
wrong '-j many: not a number in 1\.\.16777215' -l -j many
wrong '-j 0: not a number in 1' -l -j 0
wrong '-j 16777216: not a number' -l -j 16777216
wrong '-j -1: not a number' -l -j -1
wrong '-p 4096: not a number in 0\.\.4095' -l -p 4096
wrong '-r 0: not a number in 1\.\.4095' -l -r 0
wrong '-s 0: not a number' -s 0 10.0.0.1
wrong '-s 2G: not a number' -s 2G 10.0.0.1
wrong '-s 1KK: not a number' -s 1KK 10.0.0.1
wrong '-s 99999999999999999999: not a number' -s 99999999999999999999 10.0.0.1
wrong '-n 3K: not a number' -l -n 3K
wrong '-w : not a number' -l -w ''
wrong '-s does not go with -l' -l -s 1K
wrong '-i does not go with -l' -l -i /dev/null
wrong '-o does not go without -l' -o /dev/null 10.0.0.1
wrong '-k does not go without -l' -k 10.0.0.1
wrong "'10.0.0.1': -l takes no address" -l 10.0.0.1
wrong "'10.0.0.2' is one word too many" 10.0.0.1 10.0.0.2

ends 1 '^uetcat: /nonexistent: No such file' -i /nonexistent 10.0.0.1
ends 1 '^uetcat: /nonexistent/o: No such file' -l -o /nonexistent/o
if ! [ -e /proc/net/uet/features ]; then
	ends 1 '^uetcat: the uet module is not loaded' -l
	ends 1 '^uetcat: the uet module is not loaded' -s 64K -j 0x10 10.0.0.1
fi

tap_end
