#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Changes by "ueadm fep set" are shown, announced and obeyed: parameters by PDCs opened
# from then on and by none that is there, DSCPs by the next packet.  A refused change
# changes nothing.
#
#	node1 ==(1 rail)== node2
#
# clock: virtual; size: check; takes: 7 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# fep_value NODE KEY: of fep0, as JSON has it
fep_value()
{
	[[ $(ue "$1" -j fep show fep0) =~ \"$2\":([^,}]*) ]]
	echo "${BASH_REMATCH[1]-}"
}

# refused TEXT ARGS...: with this text, and nothing is changed
refused()
{
	local text=$1 was out
	shift
	was=$(configuration 2)
	out=$(ue 2 fep set "$@" 2>&1) && not_ok "fep set refuses $*"
	assert_match "fep set refuses $*" "$out" "$text"
	assert_eq "refused: $*: nothing is changed" "$(configuration 2)" "$was"
}

# mprs: the windows that node 1 was granted
mprs()
{
	ue 1 -j pdc show | grep -o '"peer-mpr":[0-9]*' | sed 's/.*://' | sort -n |
		tr '\n' ' '
}

mprs_are()
{
	[ "$(mprs)" = "$1" ]
}

# acks TEXT: what it takes to acknowledge 256 packets, in $acks; no PDC is left.
# Few are under way at a time: those before the first answer carry SYN, and each
# SYN is acknowledged.
acks()
{
	local before

	before=$(counter 2 tx-ack)
	transfer "$1" 1 2 5 -n 16 -s 16384 -b 16384
	check "$1: the PDC closes" busywait 60 nr_pdcs_are 1 -eq 0
	acks=$(($(counter 2 tx-ack) - before))
	note "$acks ACKs"
}

has_ended()
{
	! running "$1"
}

# dscp_on_wire TEXT DSCP NODE: node 2 sees such a packet of the node in a transfer
dscp_on_wire()
{
	start dump 2 tcpdump -U -i r0 -c 1 -w /dev/null \
		"udp dst port 4793 and src host $(fa "$3") and ip[1] & 0xfc = $(($2 << 2))"
	wait_for "$1: tcpdump listens on the netdev" 30 grep -q listening "$TMP/dump.err"
	transfer "$1" 1 2 5 -n 1 -s 3000
	check "$1: packets have it" busywait 30 has_ended dump
	stop dump
}

setup_fabric --mtu 1024 --rails 1
relay fep_settings

# Shown as given, in numbers and for people.
assert_match "defaults are shown" "$(ue 2 -j fep show)" \
	'"window":256,"default-mpr":1,"mpr-zero":0,"ack-gen-trigger":16384,.*"rto-init-ns":20000000,.*"ack-on-ecn":true,"ack-per-pkt":false'
start monitor 2 ueadm monitor
busywait 5 running monitor
must ue 2 fep set fep0 rto-init 1500us rto-max 8s idle 0 max-nack-retx 5 \
	ack-on-ecn no
assert_eq "settings are shown" "$(fep_value 2 rto-init-ns) $(
	fep_value 2 rto-max-ns) $(fep_value 2 idle-ns) $(
	fep_value 2 max-nack-retx) $(fep_value 2 ack-on-ecn)" \
	"1500000 8000000000 0 5 false"
assert_eq "the rest stays" "$(fep_value 2 window) $(fep_value 2 dscp-trimmed)" \
	"256 null"
out=$(ue 2 -d fep show)
for line in 'rto-init: 1500us' 'rto-max: 8s' 'idle: 0' 'window: 256 packets' \
	'ack-gen-trigger: 16384 bytes' 'dscp-trimmed: -' 'ack-on-ecn: no'; do
	assert_match "details of the FEP have a line: the line is $line" "$out" "^$line\$"
done

# Refused: each alone, and all for one.
refused 'no such fep' nosuch window 128
refused 'nothing to set' fep0
refused 'rto-init must not be above rto-max' fep0 rto-init 9s
refused 'nack-retx must not be above nack-retx-max' fep0 window 512 \
	nack-retx-max 100us
refused 'dscp-trimmed must differ from dscp-request' fep0 dscp-trimmed 0
refused 'dscp-trimmed-lasthop must differ from dscp-request' fep0 window 512 \
	dscp-control 7 dscp-trimmed-lasthop 7
refused 'dscp-trimmed and dscp-trimmed-lasthop must differ' fep0 \
	dscp-trimmed 9 dscp-trimmed-lasthop 9
refused 'mtu is fixed' fep0 mtu 2048
must ue 2 fep set fep0 idle 30s

# Longer headers need space: once needed, it is until the FEP goes.
need=$(fep_value 2 need-mtu)
rail_mtu=$(ip netns exec "${NS[2]}" cat /sys/class/net/r0/mtu)
must ip -n "${NS[2]}" link set r0 mtu "$need"
refused "^ueadm: fep fep0: cc with rccc adds 4 bytes to packets: rail r0 has MTU $need, they need $((need + 4)): ip link set dev r0 mtu $((need + 4))\$" \
	fep0 cc rccc
must ip -n "${NS[2]}" link set r0 mtu $((need + 4))
must ue 2 fep set fep0 cc rccc
must ue 2 fep set fep0 cc none
assert_eq "longer headers need space" "$(fep_value 2 need-mtu)" $((need + 4))
must ip -n "${NS[2]}" link set r0 mtu "$rail_mtu"

# Obeyed.
acks "ACKs by volume"
by_volume=$acks
must ue 2 fep set fep0 ack-per-pkt yes
acks "an ACK for each packet"
assert_ge "ack-per-pkt: node 2 sends as many ACKs as there are packets" $acks 240
assert_le "ACKs by volume are fewer" "$by_volume" $((acks - 64))
must ue 2 fep set fep0 ack-per-pkt no

sink old 2 5 -E
source_to tx_old 1 2 5 -E -n 1000000 -s 4096 -g 10 -P "$TMP/tx_old.sent"
wait_for "traffic flows between the nodes" 30 progress_is tx_old -ge 3
check "the window of a PDC is that of the peer's FEP" \
	busywait 30 mprs_are "256 "
must ue 2 fep set fep0 window 1024
sink new 2 6 -E
source_to tx_new 1 2 6 -E -n 1000000 -s 4096 -g 10 -P "$TMP/tx_new.sent"
wait_for "traffic flows again" 30 progress_is tx_new -ge 3
check "window: a new PDC has the new one, an old one stays" \
	busywait 30 mprs_are "256 1024 "
for window in 128 512; do
	must ue 2 fep set fep0 window $window
	must ue 1 fep set fep0 window $window
done
progress=$(progress tx_old)
check "traffic goes on" busywait 30 progress_is tx_old -gt "$progress"
for name in tx_old tx_new; do kill -TERM "${PID[$name]}"; done
for name in tx_old tx_new old new; do
	check "$name ends well" finish $name
done
check "all PDCs close" busywait 60 nr_pdcs_are 1 -eq 0

must ue 1 fep set fep0 dscp-request 10 dscp-retx 12
must ue 2 fep set fep0 dscp-control 46
dscp_on_wire "dscp-request" 10 1
dscp_on_wire "dscp-control" 46 2
kill -TERM "${PID[monitor]}"
finish monitor
assert_ge "each change is told" "$(grep -c '^fep fep0 changed: ' "$TMP/monitor.out")" 6

# A FEP can be made with them, too.
must ue 2 job del 1
must ue 2 fep del fep0
must ue 2 fep add fep0 addr "$(fa 2)" rails r0 mtu 1024 window 512 \
	dscp-trimmed 20 rto-init 5ms
must ue 2 job add 1 feps fep0
assert_eq "fep add takes settings" "$(fep_value 2 window) $(
	fep_value 2 dscp-trimmed) $(fep_value 2 rto-init-ns)" "512 20 5000000"
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
finish_tests
