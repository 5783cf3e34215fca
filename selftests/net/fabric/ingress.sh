#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With the ingress hook of its rails a node receives what is for its FEP without
# IP seeing any of it, over IPv4 and IPv6; whatever is odd about a packet still
# takes the long way, and is dropped there for the reason it always was.  The
# hook can be switched under traffic and goes with its netdev; who captures
# packets loses none.
#
#	node1 ---+
#	node2 ---+== planes 0, 1
#	node3 ---+	sends what no peer sends
#
# clock: virtual; size: check; takes: 6 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}

# ingress STATE NODE...: of both rails
ingress()
{
	local state=$1 n p
	shift
	for n in "$@"; do
		for p in 0 1; do
			must ue "$n" rail set "r$p" ingress "$state"
		done
	done
}

# ip_packets NODE: what its IP has received, of both versions
ip_packets()
{
	on "$1" awk '
		$1 == "Ip:" && $4 ~ /^[0-9]/ { sum += $4 }
		$1 == "Ip6InReceives" { sum += $2 }
		END { print sum }' /proc/net/snmp /proc/net/snmp6
}

# carried_by ip|hook TEXT ARGS...: by whom the packets of a transfer to node 2 get
# there.  IP gets a few others anyhow, such as those that look for a neighbour.
carried_by()
{
	local who=$1 text=$2 ip uet
	shift 2
	ip=$(ip_packets 2) uet=$(counter 2 rx-packets)
	transfer "$text" 1 2 5 "$@"
	ip=$(($(ip_packets 2) - ip)) uet=$(($(counter 2 rx-packets) - uet))
	assert_ge "$text: at least 100 packets come" "$uet" 100
	if [ "$who" = ip ]; then
		assert_ge "$text: all packets pass IP" "$ip" "$uet"
	else
		assert_le "$text: packets do not pass IP" "$ip" 20
	fi
}

# attack TEXT REASONS ARGS...: node 2 looks at each packet, IP at none
attack()
{
	local text=$1 reasons=$2 old new out ip
	shift 2
	old=$(stats 2) ip=$(ip_packets 2)
	out=$(on 3 hostile -S "$seed" "$@" "$(fa 2)" 2>&1) ||
		{ not_ok "$text: the attacker sends its packets"; note "$out"; return; }
	new=$(stats 2)
	assert_ge "$text: every packet was looked at" \
		$(($(counter_in "$new" rx-packets) -
		   $(counter_in "$old" rx-packets))) "$(result "$out" sent)"
	assert_ge "$text: some packets are dropped as $reasons" \
		$(($(drops_in "$new" "$reasons") -
		   $(drops_in "$old" "$reasons"))) 1
	assert_le "$text: packets do not pass IP" $(($(ip_packets 2) - ip)) 20
}

# datagram BYTES: from node 3 to the FEP of node 2, by UDP with its checksum
datagram()
{
	# shellcheck disable=SC2016 # for the inner shell
	on 3 bash -c 'dd if=/dev/zero bs="$1" count=1 status=none \
		> "/dev/udp/$2/4793"' - "$1" "$(fa 2)"
}

# the_long_way TEXT REASON BYTES: a datagram is IP's, and dropped for a reason
the_long_way()
{
	local text=$1 reason=$2 ip
	ip=$(ip_packets 2)
	must datagram "$3"
	check "$text: the datagram is dropped as $reason" \
		busywait 30 drops_are 2 "$reason" -ge 1
	assert_ge "$text: IP saw it" "$(ip_packets 2)" $((ip + 1))
}

note "seed $seed"
setup_fabric --nodes 3 --burst 0
ue_refuses 'ingress is missing' rail set r0
ue_refuses 'ingress must be off' rail set r0 ingress yes
ue_refuses 'not a rail' rail set lo ingress on
assert_match "the hook is off by default" "$(ue 2 -j rail show r0)" \
	'"ingress":"off"'

carried_by ip "hook off" -n 24 -s 64,5000,70000
ingress on 1 2
assert_match "the hook is shown" "$(ue 2 -j rail show r0)" '"ingress":"on"'
carried_by hook "hook on" -n 24 -s 64,5000,70000
check "an ingress hook may be switched on twice" ue 2 rail set r0 ingress on

attack "packets cut short" 'truncated-.*' -c cut
attack "noise" 'crc' -n 1000 noise
the_long_way "with a UDP checksum" crc 64
the_long_way "in fragments" fragment 6000

start dump 2 tcpdump --immediate-mode -B 16384 -U -s 10000 -i r0 -w "$TMP/pcap" udp
must busywait 30 grep -q listening "$TMP/dump.err"
carried_by hook "captured meanwhile" -n 24 -s 64,5000,70000
must kill -TERM "${PID[dump]}"
check "captured meanwhile: the capture ends well" finish dump

sink rx 2 5 -E
source_to tx 1 2 5 -E -n 1000000 -s 64,70000,4096 -P "$TMP/tx.sent"
wait_for "traffic flows between the nodes" 30 progress_is tx -ge 3
for state in off on; do
	before=$(progress tx)
	ingress $state 2
	check "switched $state under traffic: it goes on" \
		busywait 30 progress_is tx -gt "$((before + 3))"
done
for n in 1 2; do
	must ip -n "${NS[$n]}" link del r1
done
before=$(progress tx)
check "a netdev with a hook goes: traffic goes on" \
	busywait 30 progress_is tx -gt "$((before + 3))"
kill -TERM "${PID[tx]}"
check "the sender's messages were all answered" finish tx
check "messages arrived whole and once" finish rx

# The routes of node 3 on plane 1 lead nowhere now.
must ip -n "${NS[3]}" link set r1 down
RAILS=1
reconfigure 6 crc 4096
carried_by hook "IPv6" -n 24 -s 64,5000,70000
attack "IPv6: noise" 'crc' -n 1000 noise
must ue 2 rail set r0 ingress off
carried_by ip "hook off again" -n 24 -s 64,5000,70000
finish_tests
