#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Netlink requests made from a grammar and then damaged: each gets its answers,
# refusals say why, and what succeeded is what is there; fuzz_genl.c has the
# details.  A transfer works afterwards.  UET_SEED repeats a run, UET_FUZZ_N is
# the number of iterations (10000; 0: until killed).
#
#	node1 (fuzzed) ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 8 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

export UET_SEED=${UET_SEED:-$RANDOM}
note "seed $UET_SEED"

setup_fabric --bare
check "each request is answered as it must be" on 1 fuzz_genl
out=$(cat "$TMP/check")
note "${out##*$'\n'}"
for what in refused rails feps jobs sds pings; do
	assert_ge "requests: some of the $what are answered" "$(result "$out" $what)" 1
done
assert_eq "nothing is configured now" "$(configuration 1)" \
	$'[]\n[]\n[]'
for n in 1 2; do configure_node $n crc; done
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
check "no PDC is left" busywait 30 nr_pdcs_are 1 -eq 0
finish_tests
