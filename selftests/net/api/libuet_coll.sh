#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The collective operations of libuet, by libuet_coll: five ranks on five nodes, and other
# numbers of ranks, compare all results with local ones, with and without losses, and with
# little locked memory; ranks that end, and ranks whose arguments differ, are noticed by all.
#
#	node1 ... node5, rank 0-4
#	  r0  10.64.0.1-5 --- plane 0
#	  r1  10.65.0.1-5 --- plane 1
#
# clock: virtual; size: check; takes: 30 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"

shopt -s extglob
setup_fabric --nodes 5
remote_shell
hosts=node1,node2,node3,node4,node5

# ranks N ARGS...: output of libuet_coll, in order
ranks()
{
	local n=$1
	shift

	(unset UET_JOB; on 1 ueadm job run --hosts "$hosts" --ssh "$TMP/shell" -n "$n" -- \
		libuet_coll "$@" 2>&1; echo "status $?") | sort
}

# right N OUTPUT TEXT
right()
{
	assert_eq "$3: all results of $1 ranks are right" \
		"${2/: +([0-9]) results/: all results}" "$1 ranks: all results are right
status 0"
}

for n in 1 2 3 5; do
	right $n "$(ranks $n all)" "a healthy fabric"
done
hosts=node1:2,node2:2,node3:2,node4:1,node5:1
right 8 "$(ranks 8 all 4097)" "several ranks on a node"
hosts=node1,node2,node3,node4,node5
right 5 "$(ulimit -l 64; ranks 5 all)" "64 KiB of locked memory"

for what in dead silent; do
	out=$(ranks 5 $what)
	diag <<< "$out"
	assert_eq "$what: all other ranks learn that rank 2 has ended" \
		"$(grep -c '^rank [0134]: ECONNREFUSED: .*rank 2 ' <<< "$out")" 4
	assert_eq "$what: no rank says anything else" "$(wc -l <<< "$out")" 5
done
out=$(ranks 5 uneven)
diag <<< "$out"
assert_eq "all ranks learn that the arguments of one differ" \
	"$(grep -c '^rank [0-4]: EPROTO: .*rank [01] ' <<< "$out")" 5
assert_match "the rank that notices it names the lengths" "$out" \
	'rank 0: EPROTO: uet_allreduce: rank 1 has sent 16 bytes, not 8: its arguments are others'

impair loss 2%
retx=$(counter 1 tx-retx)
right 5 "$(ranks 5 all 70001)" "loss 2 %"
assert_ge "loss 2 %: packets were lost" "$(counter 1 tx-retx)" $((retx + 1))
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
