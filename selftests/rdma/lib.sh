# SPDX-License-Identifier: GPL-2.0
#
# Two nodes with a device each: uet1 on r0 of node 1, uet2 on r0 of node 2.  The fabric
# addresses are those of the rails, 10.64.0.1 and 10.64.0.2.  For scripts to source.
# shellcheck shell=bash

. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../net/lib.sh"

# libibverbs looks for the provider here, and not in the directories of the distribution.
export IBV_DRIVERS=$REPO/build/rdma/libuet

fa() { echo "10.64.0.$1"; }

setup_rdma()
{
	local n

	setup_fabric --bare --rails 1
	for n in 1 2; do
		configure_node $n crc
		on $n sysctl -q -w net.uet.default_job=1
		must on $n rdma link add uet$n type uet netdev r0
		busywait 30 has_gid $n || die "no GID for $(fa $n)"
	done
}

teardown_rdma()
{
	local n

	for n in 1 2; do rdma link delete uet$n; done
}

# gid NODE: the index of the GID that stands for its fabric address
gid()
{
	local file dir=/sys/class/infiniband/uet$1/ports/1/gids

	for file in "$dir"/*; do
		if grep -qs "^0000:0000:0000:0000:0000:ffff:0a40:000$1$" "$file"; then
			echo "${file##*/}"
			return 0
		fi
	done
	return 1
}

has_gid() { gid "$1" > /dev/null; }

# between TEXT SERVER... -- CLIENT...: a program on node 1 and one on node 2 succeed
between()
{
	local text=$1 server=()

	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	start server 1 "${server[@]}"
	busywait 20 is_listening || note "nothing listens on node 1"
	check "$text" on 2 "$@"
	check "$text: the server ends well" finish server
}

# A program listens on a TCP port, or by its connection manager.
is_listening()
{
	on 1 ss -Hltn | grep -q . || on 1 rdma resource show cm_id 2> /dev/null | grep -q LISTEN
}
