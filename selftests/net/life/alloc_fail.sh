#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory that is not there.  First each allocation that a call reaches fails
# once, by number: alloc_fail_genl, _sock, _message, _inet and _life go through the
# interfaces of the module.  Then, where nobody is there to be told,
# in softirqs and timers, allocations fail by the function that asks for them:
# packets are lost, messages are not.
#
#	node1, the calls:  fep1 10.0.1.1, fep2 10.0.1.2 on lo;  fa0, no rail
#	node1 ==(2 rails)== node2, the packets
#
# Needs a kernel with fault injection for slabs, pages and user copies, and its
# stack trace filter.  UET_FAIL_ALL=1 tries every site of the long sweeps too,
# UET_FAIL_EVERY=N about one of N, by UET_SEED; UET_FAIL_DRY=1 lets nothing fail, on
# any kernel; UET_FAIL_PARTS names parts: calls, softirqs, ends, streams, which are the
# default, and module, which takes minutes.
#
# clock: virtual; size: all; takes: 60 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

here=$(dirname "$0")

FAULTS=(failslab fail_page_alloc fail_usercopy)
# Up to the last address there is, the filter of stack traces lets all pass.
ANYWHERE=18446744073709551615
# Functions that allocate: for each packet, and for the first one of a PDC.
PACKET_SITES=(uet_tx_build uet_tx_build_run uet_burst_next uet_carrier_xmit)
PACKET_SITES+=(uet_rx_message_admit uet_rx_input)
OPENING_SITES=(uet_pools_take_target pe_alloc uet_pdc_table_new_id)
dry=${UET_FAIL_DRY-}

# fault_knob FAULT KNOB VALUE: of the kernel's fault injection
fault_knob()
{
	[ -n "$dry" ] || echo "$3" > "/sys/kernel/debug/$1/$2"
}

has_fault_injection()
{
	local fault

	[ -w /proc/self/fail-nth ] || return 1
	[ -e /sys/kernel/debug/failslab/require-start ] || return 1
	for fault in "${FAULTS[@]}"; do
		[ -d "/sys/kernel/debug/$fault" ] || return 1
	done
}

# only_between START END: what code there asks for, itself or through others
only_between()
{
	local fault

	for fault in failslab fail_page_alloc; do
		fault_knob "$fault" require-start "$1"
		fault_knob "$fault" require-end "$2"
	done
}

# no_faults: none by chance, and never a word about them
no_faults()
{
	local fault

	for fault in "${FAULTS[@]}"; do
		fault_knob "$fault" probability 0
		fault_knob "$fault" verbose 0
	done
	fault_knob fail_page_alloc min-order 0
	only_between 0 "$ANYWHERE"
}

# faults_by_number: none by chance, and all that a program asks for by number
faults_by_number()
{
	local fault

	for fault in "${FAULTS[@]}"; do
		fault_knob "$fault" times 1000000000
	done
	for fault in failslab fail_page_alloc; do
		fault_knob "$fault" ignore-gfp-wait N
	done
	fault_knob fail_page_alloc ignore-gfp-highmem N
}

# setup_calls: one node for the programs, as sock_api.sh has it
setup_calls()
{
	add_node 1
	add_loopback 1 1
	must ue 1 job add 2 feps fep1
	export UET_JOB_ONE=2
}

# calls: each allocation that a call reaches, one after the other
calls()
{
	local before

	faults_by_number
	setup_calls
	before=$(configuration 1)
	relay on 1 alloc_fail_genl
	relay on 1 alloc_fail_sock
	relay on 1 alloc_fail_message
	relay on 1 alloc_fail_inet
	relay on 1 alloc_fail_life netns__ proc__
	assert_eq "the configuration is as before" \
		"$(configuration 1)" "$before"
	check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
	check "no PDC is left" busywait 30 nr_pdcs_are 1 -eq 0
	teardown_fabric
}

# module: it starts with allocations failing
module()
{
	local path

	path=$(modinfo -n uet) || die "there is no module file"
	check "nothing holds the module" busywait 30 module_users_is -eq 0
	must rmmod uet
	faults_by_number
	add_node 1
	UET_MODULE=$path relay on 1 alloc_fail_life module__
	teardown_fabric
	must modprobe uet
}

# learn_code: where the functions of the module are, in order
learn_code()
{
	awk '$4 == "[uet]" && $2 ~ /[tT]/ { print $1, $3 }' /proc/kallsyms |
		sort > "$TMP/code"
}

# code_of FUNCTION: its addresses, START END
code_of()
{
	awk -v name="$1" '
		start && $1 != start { print "0x" start, "0x" $1; exit }
		$2 == name { start = $1 }' "$TMP/code"
}

# code_of_all: the same for the module
code_of_all()
{
	awk 'NR == 1 { printf "0x%s ", $1 } END { print "0x" $1 }' "$TMP/code"
}

# fail_by_chance FAULT PERCENT TIMES: until so many have failed; who asks for
# memory and can wait gets it
fail_by_chance()
{
	fault_knob "$1" ignore-gfp-wait Y
	fault_knob "$1" times "$3"
	fault_knob "$1" probability "$2"
}

# fail_in FUNCTION TIMES [FAULT]: the next slabs it asks for, or what FAULT is about
fail_in()
{
	local code

	read -ra code < <(code_of "$1")
	[ ${#code[@]} = 2 ] || die "there is no function $1"
	only_between "${code[@]}"
	fail_by_chance "${3-failslab}" 100 "$2"
}

# fail_anywhere PERCENT TIMES: of what the module asks for
fail_anywhere()
{
	local code fault

	read -ra code < <(code_of_all)
	only_between "${code[@]}"
	for fault in failslab fail_page_alloc; do
		fail_by_chance "$fault" "$@"
	done
}

# have_failed FAULT: as many as were to fail
have_failed()
{
	[ -n "$dry" ] || [ "$(< "/sys/kernel/debug/$1/times")" = 0 ]
}

slabs_failed()
{
	have_failed failslab
}

# lost_packets: that the nodes had no memory for
lost_packets()
{
	local n sum=0

	for n in 1 2; do sum=$((sum + $(drops "$n" no-memory))); done
	echo "$sum"
}

# begin_traffic: both ways, and somebody who looks at the packets: they are
# cloned then, and headers cannot be moved without memory
begin_traffic()
{
	local n

	for n in 1 2; do
		start "dump$n" "$n" tcpdump -i r0 -w /dev/null udp port 4793
		sink "rx$n" "$n" 5 -E
	done
	source_to tx1 1 2 5 -E -n 1000000 -s 64,70000,4096 -P "$TMP/tx1.sent"
	source_to tx2 2 1 5 -E -n 1000000 -s 64,70000,4096 -k 2 \
		-P "$TMP/tx2.sent"
	wait_for "traffic flows between the nodes" 30 progress_is tx1 -ge 3
	wait_for "traffic flows back" 30 progress_is tx2 -ge 3
}

# end_traffic TEXT: both ways it ends well
end_traffic()
{
	local n

	for n in 1 2; do
		kill -TERM "${PID[tx$n]}"
	done
	for n in 1 2; do
		check "$1: messages of node $n were all answered" finish "tx$n"
		check "$1: all that node $n received is whole" finish "rx$n"
		stop "dump$n"
	done
}

# hurt TEXT COMMAND...: which lets allocations fail; traffic goes on
hurt()
{
	local text=$1 one two
	shift
	one=$(progress tx1) two=$(progress tx2)
	"$@"
	check "$text: some allocations fail" busywait 60 slabs_failed
	no_faults
	wait_for "$text: traffic goes on" 60 progress_is tx1 -gt "$one"
	wait_for "$text: traffic goes on back" 60 progress_is tx2 -gt "$two"
}

# packets TEXT: never so many in a row that a PDC, which has one packet lost nine
# times, takes it for the end
packets()
{
	local site lost

	begin_traffic
	lost=$(lost_packets)
	for site in "${PACKET_SITES[@]}"; do
		hurt "$1: $site" fail_in "$site" 5
	done
	hurt "$1: any" fail_anywhere 10 200
	lost=$(($(lost_packets) - lost))
	[ -n "$dry" ] || assert_ge "$1: some packets find no memory" "$lost" 1
	end_traffic "$1"
}

# openings TEXT: PDCs are opened, in tables that are new
openings()
{
	local site

	for site in "${OPENING_SITES[@]}"; do
		reconfigure "$FAMILY" crc 4096
		fail_in "$site" 5
		transfer "$1: $site: a PDC opens all the same" 1 2 5 -n 3 \
			-s 64,9000
		check "$1: $site: some allocations fail" slabs_failed
		no_faults
	done
}

# both_sleep: the PDC and its target have no window
both_sleep()
{
	compare "$(asleep 1)" -gt "$before" && compare "$(asleep 2)" -gt "$target_before"
}

# sleepers TEXT: a window does not come back at once, for a packet and for a deadline
sleepers()
{
	local before target_before lost

	must ue 1 fep set fep0 idle 20s
	before=$(asleep 1)
	target_before=$(asleep 2)
	lost=$(drops 2 no-memory)
	sink sleeps 2 5 -n 2
	source_to seldom 1 2 5 -n 2 -s 9000 -g 10000 -H
	wait_for "$1: the PDC sleeps" 60 both_sleep
	fail_in uet_pdc_entry_awake 3 fail_page_alloc
	check "$1: it wakes all the same" finish sleeps
	check "$1: some allocations fail" have_failed fail_page_alloc
	no_faults
	[ -n "$dry" ] || assert_ge "$1: some packets find no memory" \
		$(($(drops 2 no-memory) - lost)) 1
	wait_for "$1: the PDC sleeps again" 60 both_sleep
	fail_in uet_pdc_entry_awake 3 fail_page_alloc
	check "$1: it closes all the same" busywait 60 nr_pdcs_are 1 -eq 0
	check "$1: allocations fail again" have_failed fail_page_alloc
	no_faults
	stop seldom
}

# buffers_are_empty NODE PID: no message holds receive buffer there
buffers_are_empty()
{
	compare "$(ep_value "$1" "$2" rmem)" -eq 0
}

# give_up ROUND: a reader goes and so does a sender, in the middle of messages
give_up()
{
	sink goes 2 5 -n 1000000 -b 65536
	source_to tx 1 2 5 -n 1000 -s 3000000
	source_to ty 1 2 6 -n 1000 -s 3000000 -b 65536 -k $((2 + $1))
	busywait 30 nr_pdcs_are 2 -ge 2
	fail_in uet_pdc_entry_mark_failed 1
	stop goes
	stop ty
	finish tx > "$TMP/why" &&
		not_ok "round $1: a sender learns that its reader is gone"
	slabs_failed && marked_failed=$((marked_failed + 1))
	no_faults
}

# ends: messages are given up on their way; they fit into the receive buffer, so
# that nobody has to be told of those whose sender went
ends()
{
	local round marked_failed=0

	learn_code
	setup_fabric
	sink stays 2 6 -n 1000000
	for ((round = 0; round < 4; round++)); do give_up "$round"; done
	assert_ge "messages given up: some allocations fail" "$marked_failed" 1
	note "messages given up: in $marked_failed rounds"
	check "messages given up hold no buffer" \
		busywait 60 buffers_are_empty 2 6
	stop stays
	check "messages given up: no PDC is left" \
		busywait 60 nr_pdcs_are 1 -eq 0
	check "messages given up: no PDC is left at their target" \
		busywait 60 nr_pdcs_are 2 -eq 0
	teardown_fabric
}

# softirqs: where packets arrive and timers fire
softirqs()
{
	learn_code
	setup_fabric
	packets IPv4
	openings IPv4
	sleepers IPv4
	reconfigure 6 crc 4096
	packets IPv6
	openings IPv6
	transfer "afterwards all is well" 1 2 6 -n 4 -s 70000
	check "no endpoint is left on node 2" busywait 30 nr_eps_are 2 -eq 0
	teardown_fabric
}

# streams: a server has no memory for the first message of a client, nor for a connection
streams()
{
	local bulk=$here/../api/stream_bulk.py node site

	learn_code
	setup_fabric
	for node in 1 2; do
		must on "$node" sh -c 'echo 1 > /proc/sys/net/uet/default_job'
	done
	start server 2 uetize -r "$bulk" serve 10.0.0.2 7000 4
	wait_for "the server of streams listens" 60 grep -q ready "$TMP/server.out"
	for site in uet_stream_take uet_stream_work; do
		fail_in "$site" 1
		check "streams: $site: a client gets its sum all the same" \
			on 1 uetize -r "$bulk" send 10.0.0.2 7000 1 100000
		check "streams: $site: an allocation fails" slabs_failed
		no_faults
		check "streams: $site: the next client gets its sum" \
			on 1 uetize -r "$bulk" send 10.0.0.2 7000 1 100000
	done
	check "streams: the server ends without an error" finish server
	check "streams: no endpoint is left" busywait 30 nr_eps_are 2 -eq 0
	teardown_fabric
}

if [ -z "$dry" ] && ! has_fault_injection; then
	skip "each allocation fails once" \
		"this kernel has no fault injection with a stack filter"
	finish_tests
fi
export UET_SEED=${UET_SEED:-$RANDOM}
note "seed $UET_SEED"
trap 'no_faults; cleanup' EXIT
no_faults
for part in ${UET_FAIL_PARTS:-calls softirqs ends streams}; do
	"$part"
	note "$part: until $SECONDS s"
done
finish_tests
