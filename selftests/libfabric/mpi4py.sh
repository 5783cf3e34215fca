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

# Emulated, "messages" alone takes more than ten minutes.
PROGRAM_LIMIT=3600
setup_fabric --nodes 2
mpi_set_up

# suite TEXT NAME...: the tests test_NAME*
suite()
{
	local text=$1 name out status options=(-v --no-builddir)

	shift
	for name; do
		options+=(-i "test_$name")
	done
	out=$(mpi 1 /usr/bin/python3 "$REPO/build/mpi4py/runtests.py" "${options[@]}" 2>&1)
	status=$?
	# Each rank prints its own count.
	if [ $status -eq 0 ] && [ "$(grep -c "^OK" <<< "$out")" -eq 2 ]; then
		ok "$text: $(sed -n 's/^Ran \([0-9]* tests\).*/\1/p' <<< "$out" | head -n 1)"
	else
		not_ok "$text"
		note "status $status"
		grep -E '^(FAIL|ERROR|Ran|OK|FAILED)|[Ee]rror|signal' <<< "$out" |
			tail -n 40 | diag
		note "the last test: $(grep ' \.\.\. *' <<< "$out" | tail -n 1)"
	fi
}

suite "messages" p2p msg pack request status pickle util
suite "collectives" cco
suite "communicators" comm group attr err exc info dat op thr env
suite "one-sided" rma win
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
