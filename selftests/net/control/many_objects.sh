#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A configuration file with thousands of objects: ueadm syncconf, with the parser and
# planner of uetd, makes the jobs of the file, keeps them, and removes them.  Its work
# grows with the number of objects, not with the square.  The clock of the VM counts
# instructions, so the work of a run is its CPU time.
#
#	node1: one FEP on lo
#
# clock: virtual; size: all; takes: 5 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

NR=$((10000 / SCALE))

# jobs NR [KEY]: a file with one FEP and this many jobs, the last first
jobs()
{
	printf '[rail lo]\nplane = 0\n[fep f]\naddr = %s\nrails = lo\n' "$(fa 1)"
	seq "$1" -1 1 | sed "s/.*/[job &]\nfeps = f\n${2-}/"
}

# hosts NR: a file with this many domains, each with a FEP and a job, and peers.  The
# node has no address of these FEPs, so the FEPs and jobs wait.
hosts()
{
	printf '[rail lo]\nplane = 0\n'
	seq "$1" | awk '{ addr = "10.9." int($1 / 250) "." $1 % 250
		printf "[sd s%d]\nsdi = %d\nmode = direct\n", $1, $1
		printf "[fep f%d]\naddr = %s\nrails = lo\nsd = s%d\n", $1, addr, $1
		printf "[job %d]\nfeps = f%d\n", $1, $1
		printf "[peer p%d]\naddr = 10.8.%d.%d\nvia = lo 10.7.0.1\n", $1,
			int($1 / 250), $1 % 250 }'
}

# work COMMAND...: the CPU time of a command, ms of virtual time
work()
{
	local TIMEFORMAT='%U %S'

	{ time "$@" > /dev/null 2> "$TMP/complaints"; } 2>&1 |
		awk '{ print int(1000 * ($1 + $2)) }'
}

# assert_linear TEXT MAKE ARGS...: four times the objects take about four times the
# work; the square would be 16 times
assert_linear()
{
	local text=$1 make=$2 few many
	shift 2

	"$make" $((NR / 4)) > "$TMP/few"
	"$make" "$NR" > "$TMP/many"
	few=$(work ue 1 syncconf "$TMP/few" dry-run)
	many=$(work ue 1 syncconf "$TMP/many" dry-run)
	note "$text: $few ms, $many ms"
	assert_le "$text" "$many" $((6 * few))
}

# changes TEXT NR VERB ARGS...: syncconf or reset makes so many changes of this verb
changes()
{
	local text=$1 nr=$2 verb=$3
	shift 3

	check "$text" ue 1 "$@"
	assert_eq "$text: syncconf prints $nr changes" "$(grep -c ": $verb" "$TMP/check")" "$nr"
}

add_node 1
assert_linear "the work for jobs grows with their number" jobs
assert_linear "the work for FEPs, domains and peers grows with their number" hosts

jobs "$NR" > "$TMP/conf"
changes "all objects are made" $((NR + 2)) add syncconf "$TMP/conf"
assert_eq "all objects are there" "$(ue 1 -o job show | grep -c '^job id')" "$NR"
assert_eq "another run of syncconf changes nothing" "$(ue 1 syncconf "$TMP/conf" 2>&1)" ''
jobs "$NR" 'name = x' > "$TMP/conf"
changes "all objects are made anew" "$NR" delete syncconf "$TMP/conf"
changes "all objects are removed" $((NR + 2)) delete reset
assert_eq "no object is there" "$(ue 1 -o job show)" ''
finish_tests
