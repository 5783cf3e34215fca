# SPDX-License-Identifier: GPL-2.0
#
# Soft-RoCE (rxe) at both ends of a link: 10.9.0.1 at v0 is rxe0, 10.9.0.2 at v1 is rxe1.
# rxe's UDP sockets are in the initial namespace only.
# For scripts to source, beside selftests/net/lib.sh.
# shellcheck shell=bash

. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../rdma/pair.sh"

# rxe_loads: load the modules, or fail
rxe_loads()
{
	modprobe -q -a rdma_rxe ib_uverbs rdma_ucm
}

# rxe_links MTU: make the link and its devices
rxe_links()
{
	pair_links "$1"
	must rdma link add rxe0 type rxe netdev v0
	must rdma link add rxe1 type rxe netdev v1
}

rxe_links_end()
{
	rdma link del rxe0
	rdma link del rxe1
	pair_links_end
}
