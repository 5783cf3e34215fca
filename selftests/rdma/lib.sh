# SPDX-License-Identifier: GPL-2.0
#
# Two nodes with a device each: uet1 on r0 of node 1, uet2 on r0 of node 2.  The fabric
# addresses are those of r0, 10.64.0.1 and 10.64.0.2, or fd00:64::1 and fd00:64::2.  For
# scripts to source.
# shellcheck shell=bash

. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../net/lib.sh"

# libibverbs looks for the provider here, and not in the directories of the distribution.
export IBV_DRIVERS=$REPO/build/rdma/libuet

fa()
{
	if [ "$FAMILY" -eq 6 ]; then echo "fd00:64::$1"; else echo "10.64.0.$1"; fi
}

# setup_rdma [OPTION]...: options of setup_fabric
setup_rdma()
{
	setup_fabric --bare "$@"
	configure_nodes
	link_add
}

# configure_nodes: a FEP and a job on each node
configure_nodes()
{
	local n

	for n in 1 2; do
		[ "$RAILS" -eq 1 ] || route_rails $n $((3 - n))
		configure_node $n crc
	done
}

# route_rails NODE PEER: by both rails to the fabric address of the peer
route_rails()
{
	local peer=10.65.0.$2

	[ "$FAMILY" -eq 4 ] || peer=fd00:65::$2
	must on "$1" ip route add "$(fa "$2")" nexthop via "$(fa "$2")" dev r0 \
		nexthop via "$peer" dev r1
}

link_add()
{
	local n

	for n in 1 2; do
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
	local gid=0000:0000:0000:0000:0000:ffff:0a40:000$1

	[ "$FAMILY" -eq 4 ] || gid=fd00:0064:0000:0000:0000:0000:0000:000$1
	for file in "$dir"/*; do
		if grep -qs "^$gid$" "$file"; then
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

# pingpong TEXT PROGRAM ARG...: one of the examples of libibverbs.  Its own connection is by TCP,
# over IPv4.
pingpong()
{
	local text=$1 program=$2
	shift 2

	between "$text" "$program" -d uet1 -g "$(gid 1)" "$@" -- \
		"$program" -d uet2 -g "$(gid 2)" "$@" 10.64.0.1
}
