#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 64 ranks on two nodes.  They have no capabilities, and all of them together may lock what
# one user may by default, 8 MiB.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin

# Emulated, 64 ranks take minutes to start.
PROGRAM_LIMIT=$((3600 * SCALE))
# Other providers take time to start.
export FI_PROVIDER=uet
setup_fabric --nodes 2
mpi_set_up
for node in 1 2; do
	must ue $node job add 2 feps fep0 uid 0
done
export FI_UET_JOB=2
sent=$(counter 1 msg-sent)
out=$(mpi 32 setpriv --bounding-set=-all --inh-caps=-all \
	prlimit --memlock=8388608 "$REPO/build/libfabric/mpi_many" 2>&1)
assert_eq "64 ranks end without an error" $? 0 || tail -n 30 <<< "$out" | diag
for step in ring alltoall blocks allreduce; do
	assert_eq "$step: all results are right" \
		"$(grep -cx "$step, 64 ranks: ok" <<< "$out")" 1
done
# Each of the 32 ranks of a node sends to each of the 64 in an exchange of 4096 bytes.
assert_ge "the messages are those of the FEP" "$(counter 1 msg-sent)" $((sent + 3 * 32 * 63))
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
