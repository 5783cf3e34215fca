#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One-sided communication of Debian's Open MPI: its component osc rdma uses remote memory
# and atomics of the provider by btl ofi.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
/usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where" || needs mpi4py python3-mpi4py

setup_fabric --nodes 2
mpi_set_up
mpi_options=(--mca pml ob1 --mca btl "self,ofi" --mca btl_ofi_mode 2 --mca osc rdma
	--mca opal_common_ofi_provider_include uet)
for ranks in 1 2; do
	before=$(counter 1 msg-sent)
	check "puts, gets, atomics, locks: $ranks ranks on each node" \
		mpi $ranks /usr/bin/python3 "$LF_DIR/mpi_rma.py"
	assert_ge "the operations are those of the FEP" "$(counter 1 msg-sent)" $((before + 50))
done
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
