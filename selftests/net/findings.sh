# SPDX-License-Identifier: GPL-2.0
#
# What "ueadm check" says of faults that a test makes and mends.  For scripts to source
# after lib.sh.
# shellcheck shell=bash

# first TEXT REGEX [NODE [STATUS [PEER]]]: the first line of what a node finds about a peer,
# of two nodes about the other one; sets $LAST to all of it
first()
{
	local node=${3-1} status

	LAST=$(ue "$node" -o check peer "$(fa "${5-$((3 - node))}")" 2>&1)
	status=$?
	assert_match "$1: the first line of the check tells it" "$(head -n 1 <<< "$LAST")" "$2" ||
		diag <<< "$LAST"
	assert_eq "$1: the status of the check is ${4-1}" $status "${4-1}"
}

# fine TEXT: node 1 finds nothing wrong
fine()
{
	assert_match "$1: the check finds nothing wrong" "$(ue 1 check peer 10.0.0.2 2>&1)" \
		'^nothing (else )?is wrong with 2 rails, 1 feps, 1 jobs$'
}

# fep NODE WORDS...: fep0 is made again
fep()
{
	local node=$1
	shift

	must ue "$node" job del 1
	must ue "$node" fep del fep0
	must ue "$node" fep add fep0 addr "$(fa "$node")" rails r0,r1 peer-timeout 0 "$@"
	must ue "$node" job add 1 feps fep0
}
