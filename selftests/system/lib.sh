# SPDX-License-Identifier: GPL-2.0
#
# Functions that the tests of the system ring share beyond lib.sh of the net ring.
# The two nodes persist between tests, node 1 is the system itself, the programs come
# from the packages, and the state of uetd is read through systemd and the journal.
# shellcheck shell=bash

SYSTEM_DIR=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$SYSTEM_DIR/paths.sh"
. "$SYSTEM_DIR/../net/lib.sh"
# Use the installed files instead of the build directory; msgs is for tests only.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$REPO/build/net
NS=([1]=host [2]=peer)
NODES=2 RAILS=1
UNIT=uetd.service

# Like the function of the net ring, but the namespaces stay for the next test.
cleanup()
{
	local name

	for name in "${!PID[@]}"; do stop "$name"; done
	rm -rf "$TMP"
}

#-------------------------------------------------------------------- systemd

# property NAME [UNIT]
property()
{
	systemctl show -P "$1" "${2-$UNIT}"
}

# property_is NAME VALUE [UNIT]
property_is()
{
	[ "$(property "$1" "${3-$UNIT}")" = "$2" ]
}

# new_main OLD: another process is the main process of the service, and ready
new_main()
{
	property_is ActiveState active && [ "$(property MainPID)" != "$1" ]
}

# status_is REGEX: uetd's status text matches
status_is()
{
	[[ $(property StatusText) =~ $1 ]]
}

# journal_mark: journal and journal_has start reading at this point
journal_mark()
{
	journalctl --sync
	cursor=$(journalctl -q -n 1 -o cat --show-cursor |
		sed -n 's/^-- cursor: //p')
}

# journal FIELD=VALUE...: JSON lines since the mark that have all of these fields.
# The filter is not journalctl's, because journalctl would skip the first match after
# the mark.
journal()
{
	local field text

	journalctl --sync
	text=$(journalctl -q --after-cursor="$cursor" -o json)
	for field; do
		text=$(grep -F "\"${field%%=*}\":\"${field#*=}\"" <<< "$text")
	done
	echo "$text"
}

# journal_has REGEX FIELD=VALUE...: for busywait
journal_has()
{
	local regex=$1
	shift
	journal "$@" | grep -qE -- "$regex"
}

# made_or_deleted: number of objects that uetd created or deleted since the mark
made_or_deleted()
{
	journal | grep -cE '"UET_VERB":"(add|delete)"'
}

#-------------------------------------------------------------------- objects

# has_fep NAME [REGEX]: node 1 has the FEP
has_fep()
{
	[[ $(ue 1 -j fep show "$1" 2> /dev/null) =~ ${2-.} ]]
}

# traffic_begins: start traffic from the peer to the system, until traffic_ends
traffic_begins()
{
	sink rx 1 7 -E
	source_to tx 2 1 7 -E -n 1000000 -s 8000 -P "$TMP/tx.sent"
	busywait 60 progress_is tx -ge 3 ||
		die "no traffic flows: $(cat "$TMP/tx.err")"
}

traffic_goes_on()
{
	local progress

	progress=$(progress tx)
	check "$1: traffic goes on" \
		busywait 60 progress_is tx -gt $((progress + 1))
}

traffic_ends()
{
	kill -TERM "${PID[tx]}"
	check "the sender ends well" finish tx
	check "no message is lost" finish rx
}
