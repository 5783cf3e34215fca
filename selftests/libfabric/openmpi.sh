#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Debian's Open MPI, unmodified, over two nodes: NetPIPE with its integrity check, mpi4py,
# and messages that nobody receives yet, of any length and number (mpi_waits.c).

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
needs NPopenmpi netpipe-openmpi
/usr/bin/python3 -c 'import mpi4py' 2> "$TMP/where" || needs mpi4py python3-mpi4py

setup_fabric --nodes 2
mpi_set_up

# The provider is the one that carries the messages.
chosen=$(mpi 1 --mca opal_common_ofi_verbose 100 hostname 2>&1)
assert_eq "ranks run on both nodes" \
	"$(grep -cx -e "${NS[1]}" -e "${NS[2]}" <<< "$chosen")" 2

# A program that uses libuet and no MPI has its rank from mpirun, too.
assert_eq "libuet takes rank and size from mpirun" "$(mpi 1 -x UET_JOB=1 \
	-x UET_PEERS="$(fa 1)/20,$(fa 2)/20" "$REPO/build/net/libuet_ranks" 2>&1)" "2 ranks: 3"

# netpipe TEXT OPTION...
netpipe()
{
	local text=$1 out before
	shift
	before=$(counter 1 msg-sent)
	out=$(cd "$TMP" && mpi 1 NPopenmpi "$@" 2>&1)
	assert_match "$text: its data are right" "$out" "Integrity check passed|passed integrity check"
	assert_ge "$text: the messages are those of the FEP" "$(counter 1 msg-sent)" \
		$((before + 100))
}

netpipe "NetPIPE, up to 1 MiB" -i -n 5 -u 1048576
netpipe "NetPIPE, from any source" -i -z -n 5 -u 70000
reads=$(counter 2 rx-rendezvous)
FI_UET_RENDEZVOUS=65536 netpipe "NetPIPE, more than 64 KiB are read" -i -n 5 -u 1048576
assert_ge "more than 64 KiB are read by the receiver" "$(counter 2 rx-rendezvous)" \
	$((reads + 20))
impair loss 1%
netpipe "NetPIPE, loss 1 %" -i -n 5 -u 200000
impair delay 0

check "mpi4py: a ring of 8 ranks ends well" mpi 4 /usr/bin/python3 -m mpi4py.bench ringtest -n 200 -l 3
check "mpi4py: messages, probes, order, collectives" mpi 2 /usr/bin/python3 "$LF_DIR/mpi_ops.py" 1

# Deferred messages fill a part of the send buffer; the others are offered for reading.
reads=$(counter 2 rx-rendezvous)
out=$(mpi 1 /usr/bin/python3 "$LF_DIR/mpi_unexpected.py" 2>&1)
assert_match "a short message overtakes 12 MiB that nobody receives" "$out" \
	"the short message is there"
assert_match "the long messages arrive then" "$out" "the long messages are right" ||
	tail -n 20 <<< "$out" | diag
assert_ge "messages above a part of the send buffer are read" "$(counter 2 rx-rendezvous)" \
	$((reads + 1))

out=$(mpi 1 "$REPO/build/libfabric/mpi_waits" 2>&1)
for step in "20000 receives before the first send" \
	"20000 sends of both ranks before the first receive" \
	"150 messages of 60000 bytes from the last to the first"; do
	assert_eq "$step: each message arrives" "$(grep -cx "$step: ok" <<< "$out")" 1
done || tail -n 20 <<< "$out" | diag
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
