# SPDX-License-Identifier: GPL-2.0
#
# The common parts of the tests of the libfabric provider: the environment in which
# libfabric finds it, programs in pairs on two nodes, and mpirun over nodes that are
# namespaces.  The fabric is that of selftests/net/lib.sh, which it sources.  For scripts
# to source.
# shellcheck shell=bash

LF_DIR=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$LF_DIR/../net/lib.sh"

export FI_PROVIDER_PATH=$REPO/build/libfabric
# UET_FI_LOG=warn, info or debug shows what all providers say.
[ -z "${UET_FI_LOG-}" ] || export FI_LOG_LEVEL=$UET_FI_LOG
# Seconds for one program.  The host may be busy.
PROGRAM_LIMIT=$((600 * SCALE))

# needs COMMAND FROM: skip all of the test without the command
needs()
{
	command -v "$1" > "$TMP/where" && return 0
	echo "1..0 # SKIP no $1 of $2"
	exit 0
}

# pair TEXT COMMAND...: the command as server on node 1, and with the address of node 1
# behind it as client on node 2; both succeed
pair()
{
	local text=$1 status
	shift
	start server 1 timeout "$PROGRAM_LIMIT" "$@"
	busywait 60 is_ready server 1 || note "the server is not ready"
	on 2 timeout "$PROGRAM_LIMIT" "$@" "$(fa 1)" > "$TMP/client.out" 2>&1
	status=$?
	finish server > "$TMP/server.log" 2>&1
	status="$? $status"
	if [ "$status" = "0 0" ]; then
		ok "$text"
		return 0
	fi
	not_ok "$text"
	note "status of server and client: $status"
	tail -n 15 "$TMP/server.out" "$TMP/server.log" "$TMP/client.out" | diag
	return 1
}

# is_ready NAME NODE: a server has opened its endpoint, or waits for the address of a
# client, or has ended
is_ready()
{
	! running "$1" || on "$2" ss -Hltn | grep -q . || nr_eps_are "$2" -ge 1
}

# mpi_set_up: what mpirun needs to start processes on other nodes, which are namespaces
# with names of their own
mpi_set_up()
{
	local node

	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export HOME=$TMP TMPDIR=$TMP
	cat > "$TMP/rsh" <<-'X'
		#!/bin/sh
		host=$1
		shift
		exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
	X
	chmod +x "$TMP/rsh"
	for ((node = 1; node <= NODES; node++)); do
		echo "${NS[$node]} slots=64"
	done > "$TMP/hosts"
	mpi_options=(--mca pml cm --mca mtl ofi
		--mca opal_common_ofi_provider_include uet)
}

# mpi RANKS-PER-NODE COMMAND...: over all nodes
mpi()
{
	local per_node=$1
	shift
	"$TMP/rsh" "${NS[1]}" timeout "$PROGRAM_LIMIT" mpirun \
		--hostfile "$TMP/hosts" --map-by "ppr:$per_node:node" --oversubscribe \
		--bind-to none --mca plm_rsh_agent "$TMP/rsh" \
		--mca mpi_yield_when_idle 1 --mca oob_tcp_if_include r0 \
		-x FI_PROVIDER_PATH -x HOME ${UET_FI_LOG:+-x FI_LOG_LEVEL} \
		"${mpi_options[@]}" "$@"
}
