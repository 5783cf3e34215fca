#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What tests are made of: tap.sh for scripts and harness.h for programs.  A test that
# checks nothing fails; one that checks something does not.

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ends STATUS TEXT COMMAND...: it ends with this status, and not with facts of ours
ends()
{
	local want=$1 text=$2 status=0
	shift 2

	"$@" > "$tmp/out" 2>&1 || status=$?
	if [ $status -eq "$want" ]; then
		ok "$text"
	else
		not_ok "$text"
		note "status $status"
		diag < "$tmp/out"
	fi
}

script()
{
	bash -c ". selftests/lib/tap.sh; $1 tap_end"
}

# A program with three tests: nothing, a check, a check of a child process.
cat > "$tmp/prog.c" <<'END'
#include "harness.h"

TEST(nothing__is_checked)
{
	usleep(0);
}

TEST(something__is_checked)
{
	EXPECT_EQ(1, 1);
}

TEST(child__is_checked)
{
	harness_join(CHILD(EXPECT_EQ(1, 1)));
}

TEST(child__alone_is_nothing)
{
	CHILD(EXPECT_EQ(1, 1));
}
HARNESS_MAIN()
END

ends 1 "a script without a fact fails" script ''
ends 0 "a script with a fact passes" script 'ok fact;'
ends 1 "a script with a failed fact fails" script 'not_ok fact;'
ends 0 "a program with the harness compiles" "${CC:-cc}" -Iselftests/lib \
	-o "$tmp/prog" "$tmp/prog.c"
ends 1 "a test of the harness without a check fails" "$tmp/prog" nothing__
ends 0 "a test of the harness with a check passes" "$tmp/prog" something__
ends 0 "a test of the harness whose child checks passes" "$tmp/prog" child__is_checked
ends 1 "a child that nobody waits for is no check" "$tmp/prog" child__alone

tap_end
