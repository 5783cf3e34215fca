#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The probes of a kernel's headers: which messages of a compiler make which macros, and which
# end the build.

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

def=kernel/base/probes.def
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# in_probe NAME: what gcc says about a probe that does not compile
in_probe()
{
	echo "$def: In function 'probe_$1':"
	echo "include/linux/some.h:12:3: error: incompatible type"
}

# features: the macros for the messages on stdin; messages for people are in $tmp/err
features()
{
	awk -f kernel/base/probes.awk $def - 2> "$tmp/err" | sed -n 's/^#define UET_HAS_//p'
	return "${PIPESTATUS[0]}"
}

# line_of NAME: its line in the file
line_of()
{
	grep -n "^PROBE($1," $def | cut -d: -f1
}

# check TEXT COMMAND...: the fact holds if the command succeeds
check()
{
	local text=$1
	shift

	if "$@"; then
		ok "$text"
	else
		not_ok "$text"
		diag < "$tmp/err"
	fi
}

fails()
{
	! "$@" > /dev/null
}

all=$(sed -n 's/^PROBE(\([A-Z0-9_]*\),.*/\1/p' $def | grep -v '^NOTHING$')
check "all probes that compile are macros" test "$(in_probe NOTHING | features)" = "$all"
check "a message about a header belongs to the probe before it" \
	test "$({ in_probe NOTHING; in_probe UBUF_OPS; } | features)" = "$(grep -v UBUF_OPS <<< "$all")"
check "a message about a line belongs to the probe of the line" \
	test "$({ in_probe NOTHING; echo "$def:$(line_of VM_FLAGS_SET):5: error: no"; } | features)" = \
		"$(grep -v VM_FLAGS_SET <<< "$all")"
check "a compiler that says nothing ends the build" fails features < /dev/null
check "the message names a compiler that says nothing" grep -q 'says nothing' "$tmp/err"
check "an error outside of a probe ends the build" \
	fails features <<< "include/linux/a.h:1:2: error: #error \"no\""
in_probe GENL_OP_POLICY > "$tmp/old"
check "the build for an old kernel ends" fails features < <(in_probe NOTHING; cat "$tmp/old")
check "the message for an old kernel is one line" test "$(grep -c . "$tmp/err")" -eq 1
tap_end
