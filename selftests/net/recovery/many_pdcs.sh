#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two thousand PDCs open at once between ten nodes: every byte arrives once and
# whole, memory stays in its limit, and in the end all of them are closed.  A PDC
# in use takes 32 KiB at each end, 128 MiB for all, and an idle one 2 KiB; the
# machine needs half a gigabyte.
#
#	node1 ... node10 == planes 0, 1: each sends to each other one, from 23
#	sockets at a time
#
# clock: virtual; size: all; takes: 20 s; limit: 480 s

. "$(dirname "$0")/../lib.sh"

nodes=10
sockets=$((22 / SCALE + 1))
pdcs=$((nodes * (nodes - 1) * sockets))
each=2

# initiators: PDCs open, each counted at the end that opened it
initiators()
{
	local n sum=0

	for ((n = 1; n <= nodes; n++)); do
		sum=$((sum + $(occurrences "$(ue $n -j pdc show)" \
			'"role":"initiator"')))
	done
	echo $sum
}

# ends TEXT COMMAND NAME...: of each program NAME the command says yes
ends()
{
	local text=$1 command=$2 name bad=''
	shift 2

	for name; do $command "$name" || bad+=" $name"; done
	assert_eq "$text" "$bad" ''
}

# has_sent NAME: a source has all its answers
has_sent()
{
	busywait 60 test -s "$TMP/$1.out"
}

ended_well()
{
	finish "$1" > "$TMP/why"
}

setup_fabric --nodes $nodes --mtu 1024
for ((n = 1; n <= nodes; n++)); do
	must ue $n fep set fep0 idle 0
	sink rx$n $n 5 -n $(((nodes - 1) * sockets * each))
done
slab=$(slab_mb)
sinks=() sources=()
for ((n = 1; n <= nodes; n++)); do
	sinks+=("rx$n")
	for ((to = 1; to <= nodes; to++)); do
		[ $n -ne $to ] || continue
		sources+=("tx$n-$to")
		source_to "tx$n-$to" $n $to 5 -M $sockets -n $each -H \
			-k $((n * 1000)) -s 64,5000
	done
done
ends "each source has all its answers" has_sent "${sources[@]}"
ends "each sink has got all messages, whole and once" ended_well "${sinks[@]}"
assert_eq "each pair of endpoints has a PDC" \
	"$(initiators)" $pdcs
all_sleep()
{
	local n sum=0

	for ((n = 1; n <= nodes; n++)); do
		sum=$((sum + $(asleep "$n")))
	done
	compare "$sum" -eq $((2 * pdcs))
}

used=$(($(slab_mb) - slab))
note "$pdcs PDCs, $used MB of slabs"
# Twice 32 KiB each, and as much again for sockets, processes and namespaces.
assert_le "memory stays in its limit" $used $((pdcs / 8 + 64))
wait_for "all PDCs give their windows back" 60 all_sleep
used=$(($(slab_mb) - slab))
note "idle $used MB of slabs"
# Twice 2 KiB each, and sockets, processes and namespaces.
assert_le "idle PDCs take little memory" $used $((pdcs / 128 + 32))
failed=0 closed=0
for name in "${sources[@]}"; do stop "$name"; done
for ((n = 1; n <= nodes; n++)); do
	wait_for "node$n: all PDCs close" 60 nr_pdcs_are $n -eq 0
	failed=$((failed + $(counter $n pdc-failed)))
	closed=$((closed + $(counter $n pdc-closed)))
done
assert_eq "no PDC has failed" $failed 0
assert_eq "all PDCs have closed in order at both ends" $closed $((2 * pdcs))
teardown_fabric
check "nothing holds the module" busywait 60 module_users_is -eq 0
finish_tests
