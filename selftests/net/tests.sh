# SPDX-License-Identifier: GPL-2.0
#
# The tables of the net tests.  The test NAME of a group is GROUP/NAME.sh: its folder is
# its group, and the tests of a group share a VM.  A line in the head of each test has
# the rest:
#
#	# clock: CLOCK; size: SIZE; takes: N s; limit: N s
#
#   CLOCK  virtual: the VM has one CPU whose clock counts instructions, so that the
#          load of the host changes nothing and each run is the same
#          real: the VM has two CPUs, with chaos and smp_ops four, and the host's time; the head says
#          what for, and no fact depends on time or load
#   SIZE   check: part of "make check"; all: of "make check-all" only
#   takes  seconds of an idle machine, to guess how long is left
#   limit  seconds in the VM after which the test is stopped
#
# For scripts to source. UET_NET_TESTS="TEST..." has these tests run only, whatever their
# size; UET_NET_BUT="TEST..." has all others run.
# shellcheck shell=bash disable=SC2034 # for others

tests_dir=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
test_groups=(smp life api control recovery cms hostile tss fabric)
# The groups of each VM of "make check": a boot costs as much as a dozen short tests.
check_vms=(api control fabric hostile 'life recovery cms tss smp')
# The tests that run on a debug kernel, which has little time; a stock kernel shows
# least about them.
debug_tests=" alloc_fail chaos churn_net fuzz_sock teardown netlink "
# The tests in which two CPUs contend, for the race kernel.
race_tests=" chaos churn_net churn_rail fuzz_genl fuzz_sock sock_api sock_loss mixed
	many_to_one slow_reader two_rails peer_gone teardown ingress trimmed fep_set crooked
	uetperf sd_keys tss tss_replay cc_credit cc "
declare -A test_group=() test_clock=() test_size=() test_takes=() test_limit=()

# read_tests: fill the tables
read_tests()
{
	local line name
	local form='/([a-z]+)/([a-z_]+)\.sh:# clock: (virtual|real); '
	form+='size: (check|all); takes: ([0-9]+) s; limit: ([0-9]+) s$'

	while IFS= read -r line; do
		[[ $line =~ $form ]] || continue
		name=${BASH_REMATCH[2]}
		test_group[$name]=${BASH_REMATCH[1]}
		test_clock[$name]=${BASH_REMATCH[3]}
		test_size[$name]=${BASH_REMATCH[4]}
		test_takes[$name]=${BASH_REMATCH[5]}
		test_limit[$name]=${BASH_REMATCH[6]}
	done < <(grep -H '^# clock: ' "$tests_dir"/*/*.sh)
}

# clock_options GROUPS CLOCK: options of selftests/vm/run for tests of these groups, in the
# array clock_options.  A group with a VM of its own may have programs of its own,
# GROUP/memory.list.
clock_options()
{
	local list=$tests_dir/$1/memory.list

	clock_options=()
	[ "$2" = virtual ] || return 0
	clock_options=(--icount)
	[ ! -e "$list" ] || clock_options+=(--list "$list")
}

# is_wanted NAME: by the variables
is_wanted()
{
	[[ -z ${UET_NET_TESTS-} || " ${UET_NET_TESTS-} " = *[[:space:]]$1[[:space:]]* ]] &&
		[[ " ${UET_NET_BUT-} " != *[[:space:]]$1[[:space:]]* ]]
}

# is_part NAME PART: check, rest, all, debug, race or a group
is_part()
{
	case $2 in
	all)	;;
	debug)	[[ $debug_tests = *" $1 "* ]] ;;
	race)	[[ $race_tests = *[[:space:]]$1[[:space:]]* ]] ;;
	check)	[ "${test_size[$1]}" = check ] || [ -n "${UET_NET_TESTS-}" ] ;;
	rest)	[ "${test_size[$1]}" = all ] && [ -z "${UET_NET_TESTS-}" ] ;;
	*)	[ "${test_group[$1]}" = "$2" ] ;;
	esac
}

# wanted_tests PART [GROUPS CLOCK]: their names, of all groups and clocks or of these
wanted_tests()
{
	local name

	while read -r name; do
		is_wanted "$name" && is_part "$name" "$1" &&
			[[ " ${2-${test_group[$name]}} " = *" ${test_group[$name]} "* ]] &&
			[[ ${test_clock[$name]} = "${3-${test_clock[$name]}}" ]] &&
			echo "$name"
	done < <(printf '%s\n' "${!test_group[@]}" | sort)
	:
}

# tests_table: a row for each, as Documentation/testing.rst has them
tests_table()
{
	local name

	for name in $(printf '%s\n' "${!test_group[@]}" | sort); do
		printf '%-13s  %-8s  %-7s  %-5s  %4s s\n' "$name" \
			"${test_group[$name]}" "${test_clock[$name]}" \
			"${test_size[$name]}" "${test_takes[$name]}"
	done
}

read_tests
