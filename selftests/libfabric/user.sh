#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ranks of a plain user, whose RLIMIT_MEMLOCK is the default of 8 MiB, on one node: long
# messages in memory that nobody has registered.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
/usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where" || needs mpi4py python3-mpi4py

setup_fabric --nodes 2
mpi_set_up
must ue 1 job add 2 feps fep0 uid 1000
export FI_UET_JOB=2
must chmod 777 "$TMP"

# as_user COMMAND...
as_user()
{
	"$TMP/rsh" "${NS[1]}" setpriv --reuid 1000 --regid 1000 --clear-groups \
		prlimit --memlock=8388608 "$@"
}

check "messages, probes, order, collectives" \
	as_user timeout "$PROGRAM_LIMIT" mpirun -np 4 --oversubscribe --bind-to none \
	--mca plm_rsh_agent "$TMP/rsh" --mca mpi_yield_when_idle 1 "${mpi_options[@]}" /usr/bin/python3 "$LF_DIR/mpi_ops.py" 1
finish_tests
