#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian's Open MPI, unmodified, over two nodes: NetPIPE with its integrity check, and
# mpi4py.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin

setup_fabric --nodes 2
mpi_set_up

# The provider is the one that carries the messages.
chosen=$(mpi 1 --mca opal_common_ofi_verbose 100 hostname 2>&1)
assert_eq "ranks run on both nodes" \
	"$(grep -cx -e "${NS[1]}" -e "${NS[2]}" <<< "$chosen")" 2

# netpipe TEXT OPTION...
netpipe()
{
	local text=$1 out before
	shift
	before=$(counter 1 msg-sent)
	out=$(cd "$TMP" && mpi 1 NPopenmpi "$@" 2>&1)
	assert_match "$text" "$out" "Integrity check passed|passed integrity check"
	assert_ge "$text: the messages are those of the FEP" "$(counter 1 msg-sent)" \
		$((before + 100))
}

if command -v NPopenmpi > "$TMP/where"; then
	netpipe "NetPIPE, up to 1 MiB" -i -n 5 -u 1048576
	netpipe "NetPIPE, from any source" -i -z -n 5 -u 70000
	impair loss 1%
	netpipe "NetPIPE, loss 1 %" -i -n 5 -u 200000
	impair delay 0
else
	skip "NetPIPE" "no NPopenmpi: package netpipe-openmpi"
fi

if /usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where"; then
	check "mpi4py: ring of 8 ranks" mpi 4 /usr/bin/python3 -m mpi4py.bench ringtest -n 200 -l 3
	check "mpi4py: messages, probes, order, collectives" mpi 2 /usr/bin/python3 "$LF_DIR/mpi_ops.py" 1
else
	skip "mpi4py" "no module mpi4py: package python3-mpi4py"
fi
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
