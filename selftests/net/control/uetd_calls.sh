# SPDX-License-Identifier: GPL-2.0
#
# Calls of uetd over a system bus, by users without privilege: for uetd_bus.sh, whose
# bus is its own, and for the system ring.  The caller sets CALL_SECONDS, how long an
# answer may take.
# shellcheck shell=bash

# as USER COMMAND...: words to run it on node 1 without any privilege
as()
{
	on 1 setpriv --reuid "$1" --regid "$1" --clear-groups --inh-caps=-all \
		--bounding-set=-all "${@:2}"
}

# call USER METHOD ARGS...: of uetd, by a program that leaves the bus at once
call()
{
	as "$1" busctl --timeout=$((CALL_SECONDS * SCALE)) \
		call org.ultraethernet.Uetd1 \
		/org/ultraethernet/Uetd1 org.ultraethernet.Uetd1.Manager \
		"${@:2}" 2>&1
}

# refused TEXT REGEX USER METHOD ARGS...
refused()
{
	local text=$1 regex=$2 out
	shift 2

	if out=$(call "$@"); then
		not_ok "uetd refuses $text"
		note "it was done: $out"
	else
		assert_match "uetd refuses $text" "$out" "$regex"
	fi
}
