#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The objects that a process makes are charged to its memory cgroup: rails, FEPs, secure
# domains, jobs, PDCs, rings, regions and posted receives.  At memory.max the request fails, with ENOMEM or the ENFILE of a
# socket that finds no memory, and the rest of the machine keeps its memory.
#
#	node1 ==(2 rails)== node2 (endpoints for the PDCs)
#
# clock: virtual; size: all; takes: 10 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../cgroup.sh"

KIB=1024
MIB=$((1 << 20))
# Memory that CPUs charge ahead.
slack=$((32 * KIB * $(nproc)))
max=$((8 * MIB))

# make KIND COUNT: in the cgroup; its last line
make()
{
	on 1 "$TMP/enter" charge "$@" 2>&1 | tail -n 1
}

# The object of each kind for ueadm, and the name and number of the first.
declare -A object=([rails]='rail dummy 0' [feps]='fep x 0' [sds]='sd x 0' [jobs]='job  2')

# unmake KIND COUNT: outside
unmake()
{
	local name=${object[$1]% *} first=${object[$1]##* }

	seq "$first" $((first + $2 - 1)) | sed "s/^/${name/ / del }/" > "$TMP/unmake"
	must ue 1 -batch "$TMP/unmake"
}

# charges KIND COUNT BYTES: so many take at least so much each
charges()
{
	local kind=$1 count=$2 bytes=$3 before

	before=$(cgroup_stat kernel)
	assert_eq "$kind are made" "$(make "$kind" "$count")" "made $count: all"
	note "$kind: $((($(cgroup_stat kernel) - before) / count)) bytes each"
	assert_ge "$kind are charged to the cgroup of their maker" \
		"$(cgroup_stat kernel)" $((before + count * bytes))
	unmake "$kind" "$count"
	check "$kind that end are uncharged" \
		busywait 30 cgroup_stat_is kernel -le $((before + slack))
}

# holds KIND COUNT BYTES [TO]: so many that a program has take at least so much each
holds()
{
	local kind=$1 count=$2 bytes=$3 before

	before=$(cgroup_stat kernel)
	start holder 1 "$TMP/enter" charge "$kind" "$count" "$(fa 1)" "${@:4}"
	wait_for "$kind are there" 30 grep -qs "^made $count: all" "$TMP/holder.out"
	note "$kind: $((($(cgroup_stat kernel) - before) / count)) bytes each"
	assert_ge "$kind are charged to the cgroup of their program" \
		"$(cgroup_stat kernel)" $((before + count * bytes))
	stop holder
	check "$kind are uncharged with their program" \
		busywait 30 cgroup_stat_is kernel -le $((before + slack))
}

# available: memory of the machine, KiB
available()
{
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

# fills KIND COUNT: more than memory.max has space for
fills()
{
	local kind=$1 made before

	before=$(available)
	made=$(make "$kind" "$2")
	note "$kind: $made"
	assert_match "$kind beyond memory.max fail for want of memory" "$made" \
		'^made [0-9]+: (ENOMEM|ENFILE)$'
	assert_le "$kind stay below memory.max" "$(cgroup_file current)" $max
	assert_ge "processes outside the cgroup lose no memory to $kind" "$(available)" \
		$((before - (max + 16 * MIB) / KIB))
	[[ $made =~ ^made\ ([0-9]+): ]] || die "$kind: nothing is known of them"
	unmake "$kind" "${BASH_REMATCH[1]}"
	check "$kind that end are uncharged from a full cgroup" \
		busywait 30 cgroup_stat_is kernel -le $MIB
}

setup_fabric
make_cgroup $max
export UET_CGROUP=$TMP/cgroup/cgroup.procs
must ue 1 rail add lo plane 9

for i in {0..399}; do
	echo "link add dummy$i index $((1000 + i)) type dummy"
done | ip -n "${NS[1]}" -batch - || die "no dummies"
charges rails 400 160
charges feps 8 20000
charges sds 100 1500
charges jobs 1000 400

start rx 2 memory receive "$(fa 2)" 100 100
busywait 30 grep -qs ready "$TMP/rx.out" || die "no endpoints"
holds pdcs 100 $((8 * 4096)) "$(fa 2)"
stop rx
holds rings 4 $((KIB * KIB))
holds regions 200 4096
holds receives 5000 150

fills jobs 30000
fills feps 600
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
finish_tests
