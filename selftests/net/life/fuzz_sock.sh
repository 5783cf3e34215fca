#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random socket calls of several threads on descriptors they share, of all three
# families, on two nodes that send to each other: no call hangs or fails with an errno it must not, and
# nothing is received that was not sent; fuzz_sock.c has the details.  Afterwards
# nothing is left and a transfer works.  UET_SEED repeats the calls, UET_FUZZ_N is
# the number of iterations on each node (10000; 0: until killed).
#
#	node1 (3 threads) ==(2 rails)== node2 (3 threads)
#	job 1, the default job; job 2 comes and goes; job 3 has IPv6 FEPs
#
# Real time: threads make calls on one socket at the same time, on two CPUs.
#
# clock: real; size: all; takes: 26 s; limit: 420 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}
note "seed $seed"

# come_and_go: job 2, on both nodes, as long as it is let; endpoints hold it up
come_and_go()
{
	while :; do
		for n in 1 2; do
			ue $n job add 2 feps fep0
			pause 20
			ue $n job del 2
		done
	done > "$TMP/jobs.out" 2>&1
}

setup_fabric
# One sends short headers, the other does not.
must ue 1 fep set fep0 headers optimized
must ue 1 job add 2 feps fep0
must ue 2 job add 2 feps fep0
for n in 1 2; do
	must ue $n fep add fep6 addr "fd00::$n" rails "$(rail_names)" mtu 4096 \
		peer-timeout "$PEER_TIMEOUT"
	for fep in fep0 fep6; do
		must ue $n fep set $fep orphan 10s target-idle 20s
	done
	must ue $n job add 3 feps fep6
	must on $n sh -c 'echo 1 > /proc/sys/net/uet/default_job'
done
come_and_go &
PID[jobs]=$!
# One can pin little: memory by its address is copied there.
limit=()
for n in 1 2; do
	start "fuzz$n" $n env UET_SEED=$((seed + n - 1)) "${limit[@]}" fuzz_sock \
		"$(fa $n)" "$(fa $((3 - n)))"
	limit=(prlimit --memlock=400000 setpriv --bounding-set -ipc_lock)
done
checked=0 completed=0
for n in 1 2; do
	finish "fuzz$n"
	assert_eq "node$n: the calls do what they may" $? 0
	diag < "$TMP/fuzz$n.out"
	out=$(< "$TMP/fuzz$n.out")
	assert_ge "node$n: some calls succeed" "$(result "$out" succeeded)" 1
	checked=$((checked + $(result "$out" checked)))
	completed=$((completed + $(result "$out" completed)))
done
# Out of 10,000 calls about 150 read a message and 40 a completion; a short run may
# read none.
if [ "${UET_FUZZ_N:-10000}" -ge 10000 ]; then
	assert_ge "messages are checked" $checked 1
	assert_ge "completions are read" $completed 1
fi
stop jobs
# A message that is never taken ends after "orphan"; the target of its PDC waits for
# "target-idle" after that.
for n in 1 2; do
	check "node$n: no endpoint is left" busywait 30 nr_eps_are $n -eq 0
	check "node$n: no PDC is left" busywait 150 nr_pdcs_are $n -eq 0 ||
		ue $n pdc show | diag
done
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
finish_tests
