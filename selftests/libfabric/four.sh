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

# sum COUNTER: of all nodes
sum()
{
	local node total=0

	for ((node = 1; node <= NODES; node++)); do
		total=$((total + $(counter "$node" "$1")))
	done
	echo $total
}

# shares: "all" if each rail of each node has sent at least a tenth of the packets of its node
shares()
{
	local node first second

	for ((node = 1; node <= NODES; node++)); do
		first=$(on "$node" cat /sys/class/net/r0/statistics/tx_packets)
		second=$(on "$node" cat /sys/class/net/r1/statistics/tx_packets)
		[ $((10 * first)) -ge $((first + second)) ] &&
			[ $((10 * second)) -ge $((first + second)) ] || {
			echo "node $node: $first and $second"
			return
		}
	done
	echo all
}

retx=$(sum tx-retx)
check "Open MPI: messages, probes, order, collectives of eight ranks" \
	mpi 2 /usr/bin/python3 "$LF_DIR/mpi_ops.py" 1
assert_ge "packets were lost" "$(sum tx-retx)" $((retx + 1))
assert_eq "both rails of each node have sent" "$(shares)" all
if command -v fi_multinode > "$TMP/where"; then
	multinode msg
	multinode rma
else
	skip "fi_multinode" "no fabtests: UET_FABTESTS=DIR"
fi
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
