#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# MPI's own test suite, test/mpi of the sources of MPICH 4.0.2, with Debian's Open MPI on two
# nodes.  It is not part of Debian: "make check-fabric" copies it to build/mpitests from
# the directory UET_MPITESTS, where it is configured for Open MPI and built.  Each directory
# of the suite has a file "testlist" with its programs, their ranks and arguments.
#
# UET_MPITESTS_DIRS=DIR... limits the test to these directories of the suite,
# UET_MPITESTS_ONLY=REGEX to the lines "DIR/NAME ARGUMENT..." that match all of it,
# UET_MPITESTS_SECONDS=N each program to that time.  UET_MPITESTS_OVER=tcp runs all over
# Open MPI's own TCP, to compare, and UET_MPITESTS_OVER=net over libfabric's.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
SUITE=$REPO/build/mpitests
needs_suite "$SUITE/pt2pt/testlist" UET_MPITESTS

# Seconds of virtual time for one program: most take less than one.  PROGRAM_LIMIT is for all
# of a directory.
SECONDS_MAX=${UET_MPITESTS_SECONDS:-$((120 * SCALE))}
PROGRAM_LIMIT=14400
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
	[coll/allgatherv4]="takes minutes"
	[coll/allredmany]="takes minutes"
	[coll/nonblocking2]="Open MPI crashes in MPI_Ialltoallw"
	[coll/nonblocking3]="Open MPI crashes in MPI_Ialltoallw"
	[comm/cmfree]="does not end"
	[comm/comm_idup_isend]="does not always end"
	[comm/comm_idup_nb]="does not end"
	[comm/ctxalloc]="takes minutes"
	[comm/ctxsplit]="takes minutes"
	[comm/ic2]="wants 33 ranks"
	[pt2pt/cancelrecv]="Open MPI cancels no send"
	[pt2pt/issendselfcancel]="mtl ofi crashes in MPI_Cancel of a send"
	[pt2pt/mprobe]="MPI_Mrecv of mtl ofi does not acknowledge MPI_Ssend"
	[pt2pt/pscancel]="Open MPI cancels no send"
	[pt2pt/rqstatus]="wants a field that Open MPI does not write"
	[pt2pt/scancel2]="mtl ofi crashes in MPI_Cancel of a send"
	[pt2pt/scancel]="Open MPI cancels no send"
	[pt2pt/scancel_unmatch]="Open MPI cancels no send"
	[pt2pt/sendflood]="takes minutes"
	[threads/comm/dup_leak_test]="takes minutes"
	[threads/comm/idup_comm_gen]="does not end"
	[threads/comm/idup_deadlock]="does not end"
	[threads/comm/idup_nb]="does not end"
	[threads/pt2pt/alltoall]="takes minutes"
	[threads/pt2pt/mt_bsendrecv_pers_huge]="Open MPI crashes in mca_pml_cm_start"
	[threads/pt2pt/multisend2]="takes minutes"
	[threads/pt2pt/multisend3]="takes minutes"
	[threads/pt2pt/multisend4]="takes minutes"
	[threads/pt2pt/threads]="takes minutes"
	["threads/pt2pt/mt_iprobe_sendrecv -iter=1024 -count=1"]="MPI_Recv fails with threads that probe"
	["threads/pt2pt/mt_improbe_isendrecv -iter=1024 -count=1"]="receives wrong data"
	[threads/pt2pt/mt_improbe_sendrecv]="receives wrong data"
	[threads/pt2pt/mt_improbe_sendrecv_huge]="receives wrong data"
)

# list_directory DIR: write its programs to $TMP/programs.RANKS, and skip others
list_directory()
{
	local name ranks options option arguments line reason

	rm -f "$TMP"/programs.*
	while read -r name ranks options; do
		arguments=()
		for option in $options; do
			case $option in
			arg=*)	arguments+=("${option#arg=}") ;;
			esac
		done
		line="$name${arguments[*]:+ ${arguments[*]}}"
		[[ "$1/$line" =~ ^(${UET_MPITESTS_ONLY-.*})$ ]] || continue
		reason=${fails_elsewhere["$1/$name"]-${fails_elsewhere["$1/$line"]-}}
		if [ -n "$reason" ]; then
			skip "$1: $line finds no error" "$reason"
		elif [ -x "$SUITE/$1/$name" ]; then
			echo "$line" >> "$TMP/programs.$ranks"
		else
			skip "$1: $name finds no error" "not built: Open MPI 4.1 lacks a function"
		fi
	done < <(programs "$1")
}

# verdict TEXT OUTPUT: of a program that has ended
verdict()
{
	if grep -qE '^ *No [Ee]rrors *$' <<< "$2" && ! grep -q '^# status' <<< "$2"; then
		ok "$1"
		return
	fi
	not_ok "$1"
	tail -n 30 <<< "$2" | diag
}

# run_from FIRST DIR RANKS: the programs of that many ranks from the line FIRST on, until one
# takes the ranks with it.  Sets next to the line behind the last one that began.
run_from()
{
	local first=$1 dir=$2 ranks=$3 line name='' output='' level=single

	case $dir in
	threads/*)	level=multiple ;;
	esac
	next=$first
	while IFS= read -r line; do
		case $line in
		"# begins $next")
			next=$((next + 1))
			name=$(sed -n "${next}p" "$TMP/programs.$ranks")
			output=''
			;;
		"# ends $((next - 1))")
			verdict "$dir: $name finds no error with $ranks ranks" "$output"
			name=''
			;;
		*)	output+=$line$'\n' ;;
		esac
	done < <(mpi_ranks "$ranks" "$REPO/build/libfabric/mpi_suite" "$SUITE/$dir" \
		"$TMP/programs.$ranks" "$first" "$SECONDS_MAX" $level 2>&1 < /dev/null)
	if [ -n "$name" ]; then
		not_ok "$dir: $name finds no error with $ranks ranks"
		tail -n 30 <<< "$output" | diag
	fi
}

# directory DIR: all of its programs
directory()
{
	local file ranks next lines begun

	list_directory "$1"
	for file in "$TMP"/programs.*; do
		[ -e "$file" ] || continue
		ranks=${file##*.} next=0 lines=$(wc -l < "$file")
		while [ "$next" -lt "$lines" ]; do
			begun=$next
			run_from "$next" "$1" "$ranks"
			[ "$next" -gt "$begun" ] || break
		done
		assert_eq "$1, $ranks ranks: all programs have begun" "$next" "$lines"
	done
}

# Other providers take time to start.
export FI_PROVIDER=uet
setup_fabric --nodes 2
mpi_set_up
case ${UET_MPITESTS_OVER-uet} in
tcp)	mpi_options=("${over_tcp[@]}") ;;
net)	FI_PROVIDER=net mpi_options[-1]=net ;;
uet)	;;
*)	die "UET_MPITESTS_OVER is uet, tcp or net" ;;
esac
for dir in ${UET_MPITESTS_DIRS:-$SUITE_DIRS}; do
	start=$SECONDS
	directory "$dir"
	note "$dir took $((SECONDS - start)) s"
done
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
