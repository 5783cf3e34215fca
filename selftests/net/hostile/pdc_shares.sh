#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shares of the PDCs that a FEP can open: one user of a job takes what it gets, and
# other users of the job, and other jobs, still open PDCs. The limit is made small by a
# parameter of the module: 60 PDCs, and 4 reserved ones.
#
#	node1 (users) ==(1 rail)== node2 (refuses all messages, so that PDCs stay)
#
# clock: virtual; size: check; takes: 3 s; limit: 200 s

. "$(dirname "$0")/../lib.sh"

# opens NAME PDCS ARGS...: a user opens as many as it gets, and keeps them
opens()
{
	local name=$1 pdcs=$2
	shift 2
	start "$name" 1 user -w -d 60 "$@" "$(fa 2)"
	must busywait 30 grep -q sent= "$TMP/$name.out"
	assert_eq "$name: $pdcs PDCs" "$(< "$TMP/$name.out")" \
		"sent=$pdcs bytes=$((8 * pdcs)) errno=ENOSPC"
}

trap 'echo 0 > /sys/module/uet/parameters/max_initiators; cleanup' EXIT
echo 64 > /sys/module/uet/parameters/max_initiators
setup_fabric --rails 1
must ue 1 job add 2 feps fep0
must ue 1 fep set fep0 orphan 0
must ue 2 job del 1
must ue 2 fep del fep0
start crook 2 crooked -n 100000000 full "$(fa 2)" "$(fa 1)"
must busywait 30 grep -q ready "$TMP/crook.out"

# Of 60, four fifths are the share of a job, and four fifths of that of a user in it.
opens greedy 39 -u 1001
opens colleague 8 -u 1002
opens root_of_another_job 9 -j 2
opens greedy_in_another_job 0 -j 2 -u 1001
stop greedy
check "the PDCs of a user that ends are free for others" \
	busywait 30 nr_pdcs_are 1 -eq 17
opens newcomer 27 -j 2 -u 1003
finish_tests
