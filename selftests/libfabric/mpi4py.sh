#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tests of mpi4py, the Python interface of MPI, by ranks on two nodes.  They are not part
# of Debian: "make check-fabric" copies them to build/mpi4py from the directory UET_MPI4PY,
# which is test/ of the sources of version 3.1.4.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
/usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where" || needs mpi4py python3-mpi4py
needs_suite "$REPO/build/mpi4py/runtests.py" UET_MPI4PY

# Emulated, the longest takes minutes.
PROGRAM_LIMIT=3600
setup_fabric --nodes 2
mpi_set_up

# suite NAME OPTION...: the tests of test_NAME.py
suite()
{
	local out status count

	out=$(mpi 1 "${@:2}" /usr/bin/python3 "$REPO/build/mpi4py/runtests.py" -v --no-builddir \
		-i "test_$1\$" 2>&1)
	status=$?
	# Each rank prints its own count, perhaps behind a line of the other.
	count=$(grep -oE 'Ran [0-9]+ tests?' <<< "$out")
	if [ $status -eq 0 ] && [ "$(wc -l <<< "$count")" -eq 2 ]; then
		ok "test_$1 passes on both ranks: $(head -n 1 <<< "$count")"
	else
		not_ok "test_$1 passes on both ranks"
		note "status $status"
		grep -E '^(FAIL|ERROR|Ran|OK|FAILED)|[Ee]rror|signal' <<< "$out" |
			tail -n 40 | diag
		note "the last test: $(grep ' \.\.\. *' <<< "$out" | tail -n 1)"
	fi
}

# Not run: programs that start further ranks; p2p_obj, whose testCancel cancels a send, at
# which Open MPI 4.1 crashes over any provider; cco_vec, in whose testAlltoallwBottom Open MPI
# hands over NULL for a message with bytes; util_pkl5, which takes more than ten minutes.
for file in "$REPO"/build/mpi4py/test_*.py; do
	name=${file##*/test_} name=${name%.py}
	case $name in
	dynproc | spawn | p2p_obj | cco_vec | util_pkl5) ;;
	# Debian switches this component of one-sided operations off.
	rma* | win) suite "$name" --mca osc pt2pt ;;
	*) suite "$name" ;;
	esac
done
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
