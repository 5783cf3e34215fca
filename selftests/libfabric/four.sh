#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Four nodes with two rails each, with a loss of 1 %: Open MPI's collectives and messages
# between eight ranks, and, if fabtests is there, its patterns between four.

. "$(dirname "$0")/lib.sh"

PATH=$REPO/build/fabtests/bin:$PATH
needs mpirun openmpi-bin
/usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where" || needs mpi4py python3-mpi4py

setup_fabric --nodes 4
mpi_set_up
impair loss 1%

retx=$(counters_sum tx-retx {1..4})
check "Open MPI: messages, probes, order, collectives of eight ranks" \
	mpi 2 /usr/bin/python3 "$LF_DIR/mpi_ops.py" 1
assert_ge "packets were lost" "$(counters_sum tx-retx {1..4})" $((retx + 1))
for ((node = 1; node <= NODES; node++)); do
	for rail in r0 r1; do
		assert_ge "node $node has sent on $rail" "$(rail_packets $node $rail tx)" 100
	done
done
if command -v fi_multinode > "$TMP/where"; then
	multinode msg
	multinode rma
else
	skip "fi_multinode runs with four ranks" "no fabtests: UET_FABTESTS=DIR"
fi
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
