#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is on the wire: a whole PDC, from SYN to CLOSE, is captured on a rail and
# read by pcapcheck, a decoder of its own.
#
#	node1 r0 (tcpdump) ------- r0 node2
#
# limit: 240 s

. "$(dirname "$0")/lib.sh"

listening()
{
	grep -q 'listening on' "$TMP/dump.err"
}

# know_neighbour NODE PEER: by its hardware address, without asking, because a
# packet that waits for the answer to such a question is overtaken by the next
know_neighbour()
{
	local mac to

	mac=$(ip netns exec "${NS[$2]}" cat /sys/class/net/r0/address)
	for to in "10.64.0.$2" "fd00:64::$2"; do
		must ip -n "${NS[$1]}" neigh replace "$to" lladdr "$mac" \
			dev r0 nud permanent
	done
}

# captured TEXT CHECK-ARGS...: a transfer to PID 5 of job 1, checked
captured()
{
	local text=$1
	shift
	start dump 1 tcpdump --immediate-mode -B 16384 -U -s 0 -i r0 \
		-w "$TMP/r0.pcap" udp port 4793
	must busywait 30 listening
	transfer "$text: messages" 1 2 5 -n 24 -s 0,1,1000,4096,5000,100000
	wait_for "$text: PDCs close" 30 nr_pdcs_are 1 -eq 0
	must kill -TERM "${PID[dump]}"
	check "$text: captured" finish dump
	assert_match "$text: no packet missed" "$(cat "$TMP/dump.err")" \
		'^0 packets dropped by kernel'
	relay -t "$text" pcapcheck -p 5 "$@" "$TMP/r0.pcap"
}

setup_fabric --rails 1
# One CPU takes all that arrives, in the order in which it was sent: two would
# show ACKs in another.
must ip netns exec "${NS[1]}" \
	sh -c 'echo 1 > /sys/class/net/r0/queues/rx-0/rps_cpus'
know_neighbour 1 2
know_neighbour 2 1
captured "IPv4"
reconfigure 6 crc 1024
captured "IPv6" -m 1024
reconfigure 4 none 4096
captured "without CRC" -n
finish_tests
