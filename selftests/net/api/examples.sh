#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs of Documentation/examples do what their heads say, as users would
# start them.
#
#	node1      node2      node3
#	  |          |          |
#	  +== planes 0 and 1 ===+
#
# clock: virtual; size: check; takes: 5 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

PATH=$REPO/build/examples:$PATH

# pair NAME PID ARGS...: the one that waits on node 2, the other on node 1, which
# must both end well; what they print is in $told
pair()
{
	local name=$1 pid=$2
	shift 2

	start waiter 2 "$name"
	busywait 30 has_ep 2 "$pid" ||
		die "$name does not bind: $(cat "$TMP/waiter.err")"
	check "$name: the one that begins" on 1 "$name" "$(fa 2)" "$@"
	told=$(< "$TMP/check")
	check "$name: the one that waits" finish waiter
	told+=" $(< "$TMP/waiter.out")"
}

setup_fabric --nodes 3

pair pingpong 21
assert_match "pingpong: all come back" "$told" \
	'^100 round trips of 1000 bytes, .* 100 messages echoed$'

pair completions 22
assert_match "completions: all are told of" "$told" \
	'^1000 messages completed 1000 messages received$'

pair rma_put 23 'from afar'
assert_match "rma_put: the bytes are there when it is told" "$told" \
	'^written 9 bytes, completion data 2026: from afar$'

pair rma_get 27
assert_match "rma_get: the bytes are there when the read is complete" "$told" \
	'^13 bytes read: kept far away it was read$'

pair tagged 28
assert_match "tagged: each message goes where its tag says" "$told" \
	$'^sent receive 0, tag 0x100: an apple\nreceive 1, tag 0x2aa: pears$'

all=("$(fa 1)" "$(fa 2)" "$(fa 3)")
for rank in 2 1; do
	start "rank$rank" $((rank + 1)) ring $rank "${all[@]}"
	busywait 30 has_ep $((rank + 1)) $((24 + rank)) ||
		die "ring does not bind: $(cat "$TMP/rank$rank.err")"
done
check "ring: rank 0 gets the expected sum" on 1 ring 0 "${all[@]}"
assert_eq "ring: that is" "$(< "$TMP/check")" "10 rounds through 3 ranks: 30"
check "ring: rank 1 ends well" finish rank1
check "ring: rank 2 ends well" finish rank2
finish_tests
