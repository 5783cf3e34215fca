#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libuet against the module: its functions between two FEPs, by libuet_calls, with and
# without losses, and with AddressSanitizer; threads with handles, by libuet_threads, with
# ThreadSanitizer, too; and ranks of "ueadm job run" that start at different times,
# without a privilege, by libuet_ranks.
#
#	node1
#	+--------------------------------------------------+   job 1: root
#	|                                                  |   job 3: user 1002
#	|   fep1 10.0.1.1  fep2 10.0.1.2  fep3 10.0.1.3    |
#	|       |              |              |            |
#	|       +- lo, plane 0 +--------------+            |
#	+--------------------------------------------------+
#
# clock: virtual; size: check; takes: 5 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

add_node 1
add_loopback 1 1
must ip -n "${NS[1]}" addr add 10.0.1.3/32 dev lo
must ue 1 fep add fep3 addr 10.0.1.3 rails lo mtu 4096
must ue 1 job del 1
must ue 1 job add 1 feps fep1,fep2,fep3
must ue 1 job add 3 feps fep1 uid 1002
export UET_SILENT=10.0.1.3 UET_JOB_NOBODY=3
export UET_CUT='tc qdisc replace dev lo root netem loss 100%'
export UET_MEND='tc qdisc del dev lo root'
before=$(ue 1 -j job show)
nobody=(setpriv --reuid 1002 --regid 1002 --clear-groups --inh-caps=-all
	--bounding-set=-all)

# sums RANKS EXPECTED
sums()
{
	local out

	out=$(unset UET_JOB; ue 1 job run -n "$1" -- "${nobody[@]}" libuet_ranks 2>&1)
	assert_eq "$1 ranks meet, exchange and add up" "$? $out" "0 $1 ranks: $2"
}

relay -t libuet_calls on 1 libuet_calls
relay -t "libuet_calls, AddressSanitizer" on 1 libuet_calls_asan
relay -t libuet_threads on 1 libuet_threads
relay -t "libuet_threads, ThreadSanitizer" on 1 libuet_threads_tsan
for ranks in 1 2 5 8; do
	sums $ranks $((ranks * (ranks + 1) / 2))
done
assert_eq "the jobs are as before" "$(ue 1 -j job show)" "$before"

UET_MEND='tc qdisc replace dev lo root netem limit 5000 loss 5%'
# shellcheck disable=SC2086 # words
must on 1 $UET_MEND
retx=$(counter 1 tx-retx)
relay -t "libuet_calls, loss 5 %" on 1 libuet_calls post__ rma__ barrier__ wait_peer__
sums 5 15
assert_ge "loss 5 %: packets were lost" "$(counter 1 tx-retx)" $((retx + 1))
must tc -n "${NS[1]}" qdisc del dev lo root
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
