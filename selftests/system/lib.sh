# SPDX-License-Identifier: GPL-2.0
#
# What the tests of the system ring share beyond lib.sh of the net ring: the two
# nodes are there and stay, node 1 is the system itself, the programs are those of
# the packages, and uetd is asked through systemd and the journal.
# shellcheck shell=bash

SYSTEM_DIR=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$SYSTEM_DIR/paths.sh"
. "$SYSTEM_DIR/../net/lib.sh"
# Not what was built, but what was installed; msgs is for tests alone.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$REPO/build/net
NS=([1]=host [2]=peer)
NODES=2 RAILS=1
UNIT=uetd.service

# As that of the net ring, but the namespaces stay for the next test.
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

# new_main OLD: another process is the service, and ready
new_main()
{
	property_is ActiveState active && [ "$(property MainPID)" != "$1" ]
}

# status_is REGEX: what uetd says about itself
status_is()
{
	[[ $(property StatusText) =~ $1 ]]
}

# journal_mark: what journal and journal_has see begins here
journal_mark()
{
	journalctl --sync
	cursor=$(journalctl -q -n 1 -o cat --show-cursor |
		sed -n 's/^-- cursor: //p')
}

# journal FIELD=VALUE...: lines of JSON since the mark that have all of these.  Asked
# for them itself, journalctl would leave out the first one after the mark.
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

# made_or_deleted: how many objects, by uetd since the mark
made_or_deleted()
{
	journal | grep -cE '"UET_VERB":"(add|delete)"'
}

#-------------------------------------------------------------------- objects

# has_fep NAME [REGEX]: of node 1
has_fep()
{
	[[ $(ue 1 -j fep show "$1" 2> /dev/null) =~ ${2-.} ]]
}

# traffic_begins: from the peer to the system, until traffic_ends
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
