#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Trimmed packets are retransmitted because of a NACK, without a time-out: the receiver
# takes a packet with a DSCP for trimmed ones for what it is, before UDP finds it
# damaged.  Trimmed SYNs, ACKs and control packets are counted and change nothing, as do
# forged ones of all kinds.
#
#	node1 r0 --- p0-n1 trimswitch p0-n2 --- r0 node2
#	node3 (attacker) --- plane 0, node2 joins it at the end
#
# clock: virtual; size: all; takes: 16 s; limit: 480 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}

# switch_on ARGS...: the cable between the nodes trims
switch_on()
{
	start switch fabric trimswitch "$@" p0-n1 p0-n2
	wait_for "the switch runs" 30 grep -q ready "$TMP/switch.out"
}

# switch_off: no more; how many packets it trimmed is in $nr
switch_off()
{
	kill -TERM "${PID[switch]}"
	check "the switch ends well" finish switch
	nr=$(result "$(tail -n 1 "$TMP/switch.out")" trimmed)
}

# damaged NODE: packets that its UDP over IPv4 found damaged
damaged()
{
	on "$1" awk '$1 == "Udp:" && $2 ~ /[0-9]/ { print $4 }' /proc/net/snmp
}

# set_both ARGS...: settings of both FEPs
set_both()
{
	must ue 1 fep set fep0 "$@"
	must ue 2 fep set fep0 "$@"
}

# since NAME: how much a counter has grown from $old to $new
since()
{
	echo $(($(counter_in "$new" "$1") - $(counter_in "$old" "$1")))
}

# lost REGEX: packets dropped for these reasons from $old to $new
lost()
{
	echo $(($(drops_in "$new" "$1") - $(drops_in "$old" "$1")))
}

# sends TEXT: messages arrive whole, and afterwards nothing is on its way.  Few
# are under way at a time: packets before the first answer carry SYN.
sends()
{
	transfer "$1: all arrives whole" 1 2 5 -n 8 -s 40000 -b 40000
	check "$1: the PDC closes" busywait 60 nr_pdcs_are 1 -eq 0
}

# trims TEXT MARKED ARGS...: requests are trimmed, 1 MARKED with CE; there is no
# time-out that could have helped
trims()
{
	local text=$1 marked=$2 old new nr told
	shift 2
	set_both rto-max 60s
	set_both rto-init 60s
	told=$(counter 1 rx-nack)
	old=$(stats 2)
	switch_on "$@"
	sends "$text"
	switch_off
	new=$(stats 2)
	note "$nr trimmed; dropped before: $(reasons_in "$old" | xargs)," \
		"after: $(reasons_in "$new" | xargs)"
	assert_ge "$text: some packets were trimmed" "$nr" 8
	assert_eq "$text: each trimmed packet was seen as such" "$(since rx-trimmed)" "$nr"
	assert_eq "$text: nothing else was dropped" "$(lost '.*')" \
		"$(lost 'trimmed(-syn)?|duplicate|no-pdc')"
	assert_eq "$text: each packet missing was told of" "$(since tx-nack)" \
		$(($(lost trimmed) - $(since nack-overflow)))
	assert_eq "$text: the sender gets each NACK" $(($(counter 1 rx-nack) - told)) \
		"$(since tx-nack)"
	assert_eq "$text: marks were seen" "$(since rx-ce)" $((nr * marked))
	assert_eq "$text: no message failed" "$(counter 1 msg-failed)" 0
	assert_eq "$text: no time-out fires" "$(counter 1 rto)" "$rto"
	set_both rto-init 20ms
}

# ordered TEXT ARGS...: ROD, where whatever followed a trimmed packet is refused
ordered()
{
	local text=$1 trimmed nr
	shift
	set_both rto-max 60s
	trimmed=$(counter 2 rx-trimmed)
	switch_on "$@"
	MODE=rod sends "ROD, $text"
	switch_off
	note "$nr trimmed"
	assert_ge "ROD, $text: some packets were trimmed" "$nr" 8
	assert_eq "ROD, $text: each trimmed packet was seen as such" \
		$(($(counter 2 rx-trimmed) - trimmed)) "$nr"
	assert_eq "ROD, $text: no message failed" "$(counter 1 msg-failed)" 0
}

has_ended()
{
	! running "$1"
}

# ignored KIND NODE: packets of a kind that are trimmed are lost, no more
ignored()
{
	local kind=$1 node=$2 nr was
	was=$(drops "$node" "trimmed-$kind")
	switch_on -k "$kind" -m 3
	sends "trimmed $kind"
	switch_off
	assert_ge "trimmed $kind: there were some" "$nr" 1
	assert_eq "trimmed $kind: each packet is counted by name" \
		$(($(drops "$node" "trimmed-$kind") - was)) "$nr"
}

# no_open: a PDC that is opened by trimmed packets only is not opened
no_open()
{
	local old new
	# A target that closed stands in the tables a little longer.
	wait_for "older PDCs are gone" 30 nr_pdcs_are 2 -eq 0
	set_both max-rto-retx 15
	old=$(stats 2)
	switch_on -k syn
	sink rx 2 5 -n 1
	source_to tx 1 2 5 -n 1 -s 3000
	wait_for "a trimmed SYN arrives" 30 drops_are 2 trimmed-syn -gt \
		"$(drops_in "$old" trimmed-syn)"
	new=$(stats 2)
	assert_eq "trimmed SYN: opens no PDC" \
		"$(nr_pdcs 2) $(since pdc-accepted)" "0 0"
	assert_eq "trimmed SYN: is not answered" "$(since tx-packets)" 0
	switch_off
	switch_on -m 0
	check "trimmed SYN: the message is answered in the end" finish tx
	check "trimmed SYN: the message arrives" finish rx
	check "trimmed SYN: the PDC closes" busywait 60 nr_pdcs_are 1 -eq 0
	switch_off
}

# forge DSCP ARGS...: packets of another node that say they are trimmed
forge()
{
	local text="forged: ${*: -1}" old new out
	old=$(stats 2)
	out=$(on 3 hostile -S "$seed" -d "$@" "$(fa 2)" 2>&1) ||
		{ not_ok "$text: the attacker sends its packets"; note "$out"; return; }
	new=$(stats 2)
	assert_eq "$text: each packet was seen as trimmed" "$(since rx-trimmed)" \
		"$(result "$out" sent)"
	assert_eq "$text: each packet was dropped" "$(since rx-drops)" \
		"$(result "$out" sent)"
	assert_eq "$text: no packet opens a PDC" "$(since pdc-accepted)" 0
	assert_eq "$text: no packet was answered" "$(since tx-packets)" 0
}

note "seed $seed"
setup_fabric --nodes 3 --rails 1 --burst 0
for n in 1 2; do must ip -n "${NS[fabric]}" link set p0-n$n nomaster; done

# Without a DSCP for them nothing can be done: UDP is first.
before=$(damaged 2)
switch_on -e 10 -m 3
sends "no DSCP for trimmed packets"
switch_off
assert_eq "no DSCP: UDP drops them all" $(($(damaged 2) - before)) "$nr"
assert_eq "no DSCP: no trimmed packet reaches UET" "$(counter 2 rx-trimmed)" 0

set_both dscp-trimmed 20 dscp-trimmed-lasthop 21
before=$(damaged 2)
rto=$(counter 1 rto)
trims "IPv4" 0 -e 4
trims "IPv4, last hop, CE" 1 -e 3 -d 21 -c
assert_eq "UDP drops none any more" "$(damaged 2)" "$before"
ignored syn 2
ignored ack 1
ignored cp 2
no_open

set_both dscp-trimmed none dscp-trimmed-lasthop none
before=$(damaged 2)
switch_on -e 10 -m 3
sends "no DSCP any more"
switch_off
assert_eq "no DSCP any more: UDP drops them all" \
	$(($(damaged 2) - before)) "$nr"

reconfigure 6 none 4096
set_both dscp-trimmed 20
rto=$(counter 1 rto)
trims "IPv6, no CRC" 1 -e 5 -c

# The native form, which no UDP stands in front of; and what the last switch trims
# is called by its own name.
ENCAP=(encap native)
reconfigure 4 crc 4096
set_both dscp-trimmed 20 dscp-trimmed-lasthop 21
rto=$(counter 1 rto)
trims "native" 0 -N 253 -e 4
start dump 1 tcpdump -U -i r0 -c 1 -w /dev/null \
	'ip proto 253 and ip[24] >> 3 = 10 and ip[26] = 2'
wait_for "tcpdump listens on the netdev" 30 grep -q listening "$TMP/dump.err"
trims "native, last hop, CE" 1 -N 253 -e 3 -d 21 -c
check "native, last hop: NACKs say so" busywait 30 has_ended dump
stop dump
ordered "native" -N 253 -e 3
ENCAP=()
reconfigure 4 crc 4096
set_both dscp-trimmed 20
ordered "UDP" -e 3

must ip -n "${NS[fabric]}" link set p0-n2 master plane0
for attack in "20 cut" "20 -n $((4096 / SCALE)) prologue" \
	"20 -n $((2000 / SCALE)) noise" "20 -n 100 syn"; do
	# shellcheck disable=SC2086 # words
	forge $attack
done
must ip -n "${NS[fabric]}" link set p0-n1 master plane0
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
finish_tests
