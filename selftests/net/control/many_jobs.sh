#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Thousands of jobs: each is listed once, in the order of the JobIDs, by dumps of many
# messages, and each is deleted, in any order.  A dump message resumes at a JobID.
#
#	node1: one FEP on lo
#
# clock: virtual; size: all; takes: 2 s; limit: 200 s

. "$(dirname "$0")/../lib.sh"

NR=$((10000 / SCALE))

# batch TEXT FIRST STEP LAST COMMAND ARGS...: a batch of "job COMMAND ID ARGS"
batch()
{
	local text=$1 first=$2 step=$3 last=$4 command=$5
	shift 5
	seq "$first" "$step" "$last" | sed "s/.*/job $command & $*/" > "$TMP/batch"
	check "$text" ue 1 -batch "$TMP/batch"
}

# list: the JobIDs that are listed, as they come
list()
{
	ue 1 -o job show > "$TMP/show"
	sed -nE 's/^job id ([0-9]+) .*/\1/p' "$TMP/show" > "$TMP/ids"
}

# listed TEXT FIRST STEP: exactly these are, up to the last
listed()
{
	list
	seq "$2" "$3" "$NR" > "$TMP/wanted"
	check "$1" cmp "$TMP/ids" "$TMP/wanted"
}

add_node 1
must ue 1 rail add lo plane 0
must ue 1 fep add f addr "$(fa 1)" rails lo mtu 4096

batch "$NR jobs are made, the last first" "$NR" -1 1 add feps f
listed "each job is listed once, in order" 1 1
assert_match "the last is found" "$(ue 1 -o job show "$NR")" "^job id $NR "
assert_match "a taken id is refused" "$(ue 1 job add "$NR" feps f 2>&1)" 'id is taken'
assert_match "a fep in use is not deleted" "$(ue 1 fep del f 2>&1)" 'in use by job 1, job 2'

batch "every other is deleted, the last first" "$NR" -2 1 del
listed "the others are listed" 1 2
assert_match "a deleted one is not found" "$(ue 1 job show "$NR" 2>&1)" \
	'no such job'
batch "a batch deletes all jobs" 1 2 "$NR" del
list
check "no job is left" cmp "$TMP/ids" /dev/null
check "the fep is free" ue 1 fep del f
finish_tests
