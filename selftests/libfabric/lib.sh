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
# The default of a FEP: many ranks that spin delay the answers of their node for seconds.
PEER_TIMEOUT=300s
# Seconds for one program.  The host may be busy.
PROGRAM_LIMIT=$((600 * SCALE))

# needs COMMAND PACKAGE: the test fails without the command of this Debian package, which
# "make check-fabric" installs
needs()
{
	command -v "$1" > "$TMP/where" && return 0
	not_ok "$1 is there: apt install $2"
	finish_tests
}

# needs_suite FILE VARIABLE: skip all of the test without the file of an external suite
needs_suite()
{
	[ ! -e "$1" ] || return 0
	echo "1..0 # SKIP no ${1#"$REPO/"}: $2=DIR names the directory of the suite"
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
		ok "$text: both sides end well"
		return 0
	fi
	not_ok "$text: both sides end well"
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

# multinode CAPABILITY: fi_multinode of fabtests, all patterns of four ranks on all nodes; the
# first rank listens, and the others connect to it
multinode()
{
	local rank status=''
	local program=(timeout "$PROGRAM_LIMIT" fi_multinode -n 4 -s "$(fa 1)" -p uet
		-C "$1" -I 2 -S 4096)

	start rank0 1 "${program[@]}"
	busywait 60 is_ready rank0 1 || note "rank 0 is not ready"
	for rank in 1 2 3; do
		start "rank$rank" $((rank % NODES + 1)) "${program[@]}"
	done
	for rank in 0 1 2 3; do
		finish "rank$rank" > "$TMP/rank$rank.log" 2>&1
		status+="$? "
	done
	assert_eq "fi_multinode, $1: all four ranks end well" "$status" "0 0 0 0 " ||
		tail -n 5 "$TMP"/rank?.{out,log} | diag
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
	# Open MPI's own TCP, to compare.
	# shellcheck disable=SC2034 # for the tests
	over_tcp=(--mca pml ob1 --mca btl "self,tcp" --mca btl_tcp_if_include r0)
}

# mpirun_over OPTION... COMMAND...: mpirun with the nodes as its hosts; ranks know the
# variables of libfabric
mpirun_over()
{
	local name variables=(-x HOME)

	for name in $(compgen -e FI_); do
		variables+=(-x "$name")
	done
	"$TMP/rsh" "${NS[1]}" timeout "$PROGRAM_LIMIT" mpirun \
		--hostfile "$TMP/hosts" --oversubscribe \
		--bind-to none --mca plm_rsh_agent "$TMP/rsh" \
		--mca mpi_yield_when_idle 1 --mca oob_tcp_if_include r0 \
		"${variables[@]}" "${mpi_options[@]}" "$@"
}

# mpi RANKS-PER-NODE COMMAND...: over all nodes
mpi()
{
	mpirun_over --map-by "ppr:$1:node" "${@:2}"
}

# mpi_ranks RANKS COMMAND...: one rank on each node in turn
mpi_ranks()
{
	mpirun_over --map-by node -np "$1" "${@:2}"
}
