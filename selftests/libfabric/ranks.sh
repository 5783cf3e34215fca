#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 256 ranks of a plain user on one node, with the limit of Debian: all of them together may
# lock 8 MiB.  UET_RANKS is another number of ranks.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin

ranks=${UET_RANKS:-256}
# Emulated, so many ranks take minutes to start.  Those that wait poll, and let mpirun go first.
PROGRAM_LIMIT=$((3600 * SCALE))
# Other providers take time to start.
export FI_PROVIDER=uet
setup_fabric --nodes 2
mpi_set_up
must ue 1 job add 2 feps fep0 uid 1000
export FI_UET_JOB=2
must chmod 777 "$TMP"
sent=$(counter 1 msg-sent)
# mpirun has some descriptors for each rank; Debian lets users have a million.
out=$("$TMP/rsh" "${NS[1]}" prlimit --memlock=8388608 --nofile=8192 \
	setpriv --reuid 1000 --regid 1000 --clear-groups timeout "$PROGRAM_LIMIT" \
	mpirun -np "$ranks" --oversubscribe --bind-to none --mca plm_rsh_agent "$TMP/rsh" \
	--mca mpi_yield_when_idle 1 "${mpi_options[@]}" \
	nice -n 19 "$REPO/build/libfabric/mpi_many" ring alltoall allreduce 2>&1)
assert_eq "$ranks ranks of a plain user on one node end without an error" $? 0 ||
	tail -n 30 <<< "$out" | diag
for step in ring alltoall allreduce; do
	assert_eq "$step: all results are right" \
		"$(grep -cx "$step, $ranks ranks: ok" <<< "$out")" 1
done
# Each rank sends five messages of the ring, and takes part in three exchanges and sums.
assert_ge "the messages are those of the FEP" "$(counter 1 msg-sent)" \
	$((sent + ranks * (5 + 3 + 3)))
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
