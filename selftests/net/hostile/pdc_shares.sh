#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shares of the PDCs that a FEP can open: one user of a job takes what it gets, and
# other users of the job, and other jobs, still open PDCs. Its subordinate user ids count
# as the user. The limit is made small by a parameter of the module: 60 PDCs, and 4
# reserved ones. The addresses that a FEP asks by RUDI have the same shares.
#
#	node1 (users) ==(1 rail)== node2 (refuses all messages, so that PDCs stay)
#
# clock: virtual; size: all; takes: 3 s; limit: 200 s

. "$(dirname "$0")/../lib.sh"

# opens NAME PDCS ARGS...: a user opens as many as it gets, and keeps them
opens()
{
	local name=$1 pdcs=$2
	shift 2
	start "$name" 1 user -w -d 60 "$@" "$(fa 2)"
	must busywait 30 grep -q sent= "$TMP/$name.out"
	assert_eq "$name: the user gets $pdcs PDCs" "$(< "$TMP/$name.out")" \
		"sent=$pdcs bytes=$((8 * pdcs)) errno=ENOSPC"
}

# asks NAME ADDRESSES ARGS...: a user asks as many by RUDI as it may
asks()
{
	local name=$1 addresses=$2
	shift 2
	start "$name" 1 user -w -d 1024 -R "$@" 10.9.0.1
	must busywait 30 grep -q sent= "$TMP/$name.out"
	assert_eq "$name: $addresses addresses by RUDI" "$(< "$TMP/$name.out")" \
		"sent=$addresses bytes=$((8 * addresses)) errno=ENOSPC"
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
opens greedy_by_another_id 0 -u 1001 -s 100001
opens colleague 8 -u 1002
opens root_of_another_job 9 -j 2
opens greedy_in_another_job 0 -j 2 -u 1001
stop greedy
check "the PDCs of a user that ends are free for others" \
	busywait 30 nr_pdcs_are 1 -eq 17
opens newcomer 27 -j 2 -u 1003

# Of 1,024 addresses likewise. The addresses of others cost nothing.
asks asker 656 -u 1001
start other 1 user -w -d 656 -R -u 1002 -j 2 10.9.0.1
must busywait 30 grep -q sent= "$TMP/other.out"
assert_eq "another job asks the same addresses" "$(< "$TMP/other.out")" \
	"sent=656 bytes=5248 errno=0"
assert_match "the administrator's ping has an address" \
	"$(ue 1 ping fep0 10.9.9.9 count 1 2>&1)" "1 sent"
finish_tests
