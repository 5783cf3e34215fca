#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random socket calls of several threads on descriptors they share, on two nodes
# that send to each other: no call hangs or fails with an errno it must not, and
# nothing is received that was not sent; fuzz_sock.c has the details.  Afterwards
# nothing is left and a transfer works.  UET_SEED repeats the calls, UET_FUZZ_N is
# the number of iterations on each node (10000; 0: until killed).
#
#	node1 (3 threads) ==(2 rails)== node2 (3 threads)
#
# limit: 420 s

. "$(dirname "$0")/lib.sh"

seed=${UET_SEED:-$RANDOM}
note "seed $seed"

setup_fabric
for n in 1 2; do
	start "fuzz$n" $n env UET_SEED=$((seed + n - 1)) fuzz_sock \
		"$(fa $n)" "$(fa $((3 - n)))"
done
for n in 1 2; do
	finish "fuzz$n"
	assert_eq "node$n: the calls do what they may" $? 0
	diag < "$TMP/fuzz$n.out"
	out=$(< "$TMP/fuzz$n.out")
	assert_ge "node$n: calls succeed" "$(result "$out" succeeded)" 1
	assert_ge "node$n: messages are checked" "$(result "$out" checked)" 1
	assert_ge "node$n: completions are read" "$(result "$out" completed)" 1
done
# A PDC that timed out, which in all this turmoil may be, leaves its target, that
# waits for it for 90 s.
for n in 1 2; do
	check "node$n: no endpoint is left" busywait 30 nr_eps_are $n -eq 0
	check "node$n: no PDC is left" busywait 150 nr_pdcs_are $n -eq 0 ||
		ue $n pdc show | diag
done
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
finish_tests
