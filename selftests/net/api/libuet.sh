#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libuet against the module: its functions between two FEPs, by libuet_calls, with and
# without losses, and with AddressSanitizer; threads with handles, by libuet_threads, with
# ThreadSanitizer, too; and ranks of "ueadm job run" that start at different times,
# without a privilege, by libuet_ranks.
#
#	node1
#	+----------------------------------+   job 1: root
#	|   fep1 10.0.1.1  fep2 10.0.1.2   |
#	|       |              |           |
#	|       +- lo, plane 0 +           |
#	+----------------------------------+
#
# clock: virtual; size: check; takes: 5 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

add_node 1
for n in 1 2; do
	must ip -n "${NS[1]}" addr add "10.0.1.$n/32" dev lo
done
must ue 1 rail add lo plane 0
must ue 1 fep add fep1 addr 10.0.1.1 rails lo mtu 4096
must ue 1 fep add fep2 addr 10.0.1.2 rails lo mtu 4096
must ue 1 job add 1 feps fep1,fep2
export UET_LOCAL=10.0.1.1 UET_REMOTE=10.0.1.2 UET_JOB=1
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

must tc -n "${NS[1]}" qdisc add dev lo root netem limit 5000 loss 5%
retx=$(counter 1 tx-retx)
relay -t "libuet_calls, loss 5 %" on 1 libuet_calls post__ rma__ barrier__ wait_peer__
sums 5 15
assert_ge "loss 5 %: packets were lost" "$(counter 1 tx-retx)" $((retx + 1))
must tc -n "${NS[1]}" qdisc del dev lo root
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
