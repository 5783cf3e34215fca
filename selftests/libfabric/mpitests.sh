#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# MPI's own test suite, test/mpi of the sources of MPICH 4.0.2, with Debian's Open MPI on two
# nodes.  It is not part of Debian: "make check-fabric" copies it to build/mpitests from
# the directory UET_MPITESTS, where it is configured for Open MPI and built.  Each directory
# of the suite has a file "testlist" with its programs, their ranks and arguments.
#
# UET_MPITESTS_DIRS=DIR... limits the test to these directories of the suite.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
SUITE=$REPO/build/mpitests
needs_suite "$SUITE/pt2pt/testlist" UET_MPITESTS

SUITE_DIRS="pt2pt coll comm datatype threads/pt2pt threads/coll threads/comm threads/init"

# programs DIR: the lines of its list that are run, as "NAME RANKS OPTION...": each program
# with each list of arguments once, by as many ranks as its first line with two to five
# of them says, or by four.  Left out are programs of one rank, unless they send to
# themselves, programs that use more memory than the VM has, and messages of 16 MiB by
# many threads, which take minutes when emulated.
programs()
{
	sed -e 's/ env=[^ ]*//g' -e '/^ *#/d' -e '/^ *$/d' -e '/arg=-count=4194304/d' -e '/ mem=/d' \
		"$SUITE/$1/testlist" |
	awk -v dir="$1" '
		{
			ranks = $2
			$2 = ""
			if (ranks == 1 && dir !~ /pt2pt/)
				next
			if (!($0 in wanted)) {
				order[count++] = $0
				wanted[$0] = 4
			}
			if (ranks <= 5 && !seen[$0]++)
				wanted[$0] = ranks
		}
		END {
			for (i = 0; i < count; i++) {
				$0 = order[i]
				$2 = wanted[order[i]] " " $2
				print
			}
		}'
}

# Programs, or programs with arguments, that fail over TCP, too, by pml ob1 and btl tcp, or by
# mtl ofi and another provider
declare -A fails_elsewhere=(
	["coll/allred -count=100"]="wrong sums of MPI_UNSIGNED_CHAR"
	[coll/nonblocking2]="Open MPI crashes in MPI_Ialltoallw"
	[coll/nonblocking3]="Open MPI crashes in MPI_Ialltoallw"
	[comm/ctxalloc]="takes minutes"
	[comm/ctxsplit]="takes minutes"
	[comm/ic2]="wants 33 ranks"
	[pt2pt/cancelrecv]="Open MPI cancels no send"
	[pt2pt/issendselfcancel]="mtl ofi crashes in MPI_Cancel of a send"
	[pt2pt/mprobe]="MPI_Mrecv of mtl ofi does not acknowledge MPI_Ssend"
	[pt2pt/pscancel]="Open MPI cancels no send"
	[pt2pt/scancel2]="mtl ofi crashes in MPI_Cancel of a send"
	[pt2pt/scancel]="Open MPI cancels no send"
	[pt2pt/scancel_unmatch]="Open MPI cancels no send"
	[pt2pt/sendflood]="takes minutes"
	["threads/comm/dup_leak_test -iter=12345"]="takes minutes"
	[threads/pt2pt/alltoall]="takes minutes"
	["threads/pt2pt/mt_iprobe_sendrecv -iter=1024 -count=1"]="MPI_Recv fails with threads that probe"
	["threads/pt2pt/mt_improbe_isendrecv -iter=1024 -count=1"]="receives wrong data"
)

# says_no_errors OUTPUT STATUS: of mpirun
says_no_errors()
{
	[ "$2" -eq 0 ] && grep -qE '^ *No [Ee]rrors *$' <<< "$1"
}

# program DIR NAME RANKS ARGUMENT...
program()
{
	local text out status

	text="$1: $2, $3 ranks${4:+, ${*:4}}"
	out=$(mpi_ranks "$3" --wdir "$SUITE/$1" "./$2" "${@:4}" 2>&1 < /dev/null)
	status=$?
	if says_no_errors "$out" $status; then
		ok "$text"
		return
	fi
	not_ok "$text"
	note "status $status"
	tail -n 30 <<< "$out" | diag
}

# directory DIR: all of its programs
directory()
{
	local name ranks options option arguments reason run=0

	while read -r name ranks options; do
		arguments=()
		for option in $options; do
			case $option in
			arg=*)	arguments+=("${option#arg=}") ;;
			esac
		done
		reason=${fails_elsewhere["$1/$name"]-}
		: "${reason:=${fails_elsewhere["$1/$name ${arguments[*]}"]-}}"
		if [ -n "$reason" ]; then
			skip "$1: $name${arguments[*]:+, ${arguments[*]}}" "$reason"
		elif [ -x "$SUITE/$1/$name" ]; then
			program "$1" "$name" "$ranks" "${arguments[@]}"
			run=$((run + 1))
		else
			skip "$1: $name" "not built: Open MPI 4.1 lacks a function"
		fi
	done < <(programs "$1")
	assert_ge "$1: programs were run" $run 1
}

# Other providers take time to start.
export FI_PROVIDER=uet
setup_fabric --nodes 2
mpi_set_up
for dir in ${UET_MPITESTS_DIRS:-$SUITE_DIRS}; do
	begun=$SECONDS
	directory "$dir"
	note "$dir took $((SECONDS - begun)) s"
done
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
