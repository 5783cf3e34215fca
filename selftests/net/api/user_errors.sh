#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Wrong input by users: each refused request has an exit status, a message that
# names the object and the limit, and no effect.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# refused STATUS REGEX COMMAND...
refused()
{
	local status=$1 regex=$2 out got
	shift 2
	out=$(on 1 "$@" 2>&1)
	got=$?
	if ! [[ $got =~ ^$status$ ]]; then
		not_ok "\"$*\" is refused with a reason"
		note "status $got, should be $status"
		diag <<< "$out"
		return
	fi
	assert_match "\"$*\" is refused with a reason" "$out" "$regex"
}

setup_fabric
# One of each that is in use, for the requests that would take it away.
sink rx 1 5 -n 1 -t 600
before=$(configuration 1)

# Unknown words: status 2, and one line that names the word.
refused 2 'unknown object: "nonsense"' ueadm nonsense
refused 2 'rail: unknown verb: "nonsense"' ueadm rail nonsense
refused 2 'rail: plane needs a value' ueadm rail add r0 plane
refused 2 'fep: unknown word: "nonsense"' ueadm fep add f addr 10.0.0.1 rails r0 nonsense 1
refused 2 'mtu' ueadm fep add f addr 10.0.0.1 rails r0 mtu many
refused 2 'addr' ueadm fep add f addr ten.0.0.1 rails r0
refused 2 'protect' ueadm fep add f addr 10.0.0.1 rails r0 protect maybe
refused 2 'usage|Usage|job' ueadm job add x feps fep0

# Rails.
refused 1 'nosuch' ueadm rail add nosuch plane 0
refused 1 'rail.*(r0|exists|already)' ueadm rail add r0 plane 0
refused 1 '(rail|nosuch)' ueadm rail del nosuch
refused 1 'rail' ueadm rail del fa0

# FEPs: every field, alone wrong.
refused 1 'fep.*(name|exists)' ueadm fep add fep0 addr 10.0.0.1 rails r0
refused 1 'fep.*(addr|fabric)' ueadm fep add f addr 10.9.9.9 rails r0
refused 1 'fep.*(addr|fabric)' ueadm fep add f addr 10.0.0.1 rails r0
refused 2 'mtu' ueadm fep add f addr 10.64.0.1 rails r0 mtu 1000
refused 1 'mtu.*8192|8192.*mtu' ueadm fep add f addr 10.64.0.1 rails r0 mtu 8192
refused 1 'rail' ueadm fep add f addr 10.64.0.1 rails fa0
refused '[12]' 'rail' ueadm fep add f addr 10.64.0.1 rails r0,r0
refused '[12]' 'port' ueadm fep add f addr 10.64.0.1 rails r0 port 0
refused '[12]' 'port' ueadm fep add f addr 10.64.0.1 rails r0 port 65536
refused '[12]' 'dscp' ueadm fep add f addr 10.64.0.1 rails r0 dscp-request 64
refused '[12]' 'name' ueadm fep add a-name-that-is-much-too-long addr \
	10.64.0.1 rails r0
refused 1 'fep.*(nosuch|no )' ueadm fep del nosuch
refused 1 'fep.*(job|use)' ueadm fep del fep0

# Jobs.
refused 1 'job.*(1|exists)' ueadm job add 1 feps fep0
refused '[12]' 'job' ueadm job add 0 feps fep0
refused '[12]' 'job' ueadm job add 16777216 feps fep0
refused 1 'fep' ueadm job add 2 feps nosuch
refused '[12]' 'pid' ueadm job add 2 feps fep0 pids 0-4096
refused '[12]' 'pid' ueadm job add 2 feps fep0 pids 9-3
refused 1 'job' ueadm job del 99
refused 1 'job.*(endpoint|use)' ueadm job del 1

# Sockets, through the programs that use them.
refused 1 'job' msgs recv -j 99 -p 1
refused 1 'use|ri' msgs recv -p 5
refused 1 'pid' msgs recv -p 5000
refused 1 'fep|address|fabric' msgs recv -a 10.9.9.9 -p 1
refused 1 'job' msgs send -j 99 10.0.0.2
refused 1 'pid|index|refused|unreach' msgs send -p 77 10.0.0.2
refused 2 'usage|Usage' uetcat
refused 2 'usage|Usage|port|PID|pid|job' uetcat -j many -l
refused 1 '.' uetcat -j 99 -l

assert_eq "the configuration is as before" "$(configuration 1)" "$before"
finish_tests
