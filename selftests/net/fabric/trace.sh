#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tracepoints report the actual events: each packet that the counters know with its
# peer, rail and PSN, also a packet that is sent again, each message with its length and
# outcome, the states of both ends of a PDC in their order, drops with their reason, peer,
# rail and PSN, and of which namespace.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing

# tracing_on, tracing_off: forget what was; keep what came in $TMP/trace
tracing_on()
{
	echo > "$tracing/trace"
	echo 1 > "$tracing/events/uet/enable"
}

tracing_off()
{
	echo 0 > "$tracing/events/uet/enable"
	sed -n 's/.*: \(uet_[a-z_]*: .*\)/\1/p' $tracing/trace > "$TMP/trace"
}

# traced EVENT [REGEX]: what its lines that match say
traced()
{
	sed -n "s/^$1: //p" "$TMP/trace" | grep -E -- "${2-}"
}

# nr_traced EVENT [REGEX]
nr_traced()
{
	traced "$@" | wc -l
}

# values KEY: of the lines on stdin, in one line
values()
{
	sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" | tr '\n' ' '
}

# states NET ROLE: the states that the PDCs of a role went through
states()
{
	local lines

	lines=$(traced uet_pdc_state "net=$1 .*role=$2 ")
	echo "$(head -n 1 <<< "$lines" | values old)$(values new <<< "$lines")"
}

cleanup_trace()
{
	echo 0 > "$tracing/events/uet/enable"
	cleanup
}
trap cleanup_trace EXIT

[ -d $tracing/events/uet ] || die "no uet events in $tracing"
setup_fabric

tracing_on
transfer "messages under trace" 1 2 5 -n 3 -s 1,5000,70000
wait_for "the PDCs are closed" 30 nr_pdcs_are 1 -eq 0
wait_for "the PDCs are closed on both sides" 30 nr_pdcs_are 2 -eq 0
tracing_off
net1=$(traced uet_msg_tx_done | head -n 1 | values net)
net2=$(traced uet_msg_rx_done | head -n 1 | values net)
net1=${net1% } net2=${net2% }
assert_eq "the trace has each message sent" \
	"$(traced uet_msg_tx_done "^net=$net1 " | values length)" \
	"1 5000 70000 "
assert_eq "the trace tells how messages ended" \
	"$(traced uet_msg_tx_done "job=1 pid=5 ri=1 .*rc=ok error=0$" | wc -l)" 3
assert_eq "the trace has each message received" \
	"$(traced uet_msg_rx_done "^net=$net2 fep=fep0 .*job=1 pid=5 ri=1 " |
		values length)" "1 5000 70000 "
check "the nodes are told apart" [ "$net1" != "$net2" ]
for n in 1 2; do
	[ $n = 1 ] && net=$net1 || net=$net2
	assert_eq "node$n: the trace has each packet sent" \
		"$(nr_traced uet_pkt_tx "^net=$net ")" \
		"$(counter $n tx-packets)"
	assert_eq "node$n: the trace has each packet received" \
		"$(nr_traced uet_pkt_rx "^net=$net ")" "$(counter $n rx-packets)"
done
# each_rail NODE NET EVENT DIRECTION: as many on each rail as the rail counts
each_rail()
{
	local dev

	for dev in r0 r1; do
		assert_eq "node$1: the trace has each $3 of $dev" \
			"$(nr_traced "$3" "^net=$2 .* rail=$dev ")" \
			"$(rail_packets "$1" $dev "$4")"
	done
}

each_rail 1 "$net1" uet_pkt_tx tx
each_rail 2 "$net2" uet_pkt_rx rx
assert_eq "node1: each packet is to the peer" \
	"$(traced uet_pkt_tx "^net=$net1 " | values peer | tr ' ' '\n' | sort -u)" \
	"::ffff:$(fa 2)"
assert_eq "node2: each packet is from the peer" \
	"$(traced uet_pkt_rx "^net=$net2 " | values peer | tr ' ' '\n' | sort -u)" \
	"::ffff:$(fa 1)"
assert_eq "requests leave and arrive with the same PSNs" \
	"$(traced uet_pkt_tx "^net=$net1 .*type=RUD_REQ " | values psn |
		tr ' ' '\n' | sort -n)" \
	"$(traced uet_pkt_rx "^net=$net2 .*type=RUD_REQ " | values psn |
		tr ' ' '\n' | sort -n)"
assert_eq "node1: the trace has each request" \
	"$(nr_traced uet_pkt_tx "^net=$net1 .*type=RUD_REQ")" \
	"$(($(counter 1 tx-req) + $(counter 1 tx-retx)))"
# A host that stands still for a moment makes a time-out, and so a duplicate.
assert_eq "nothing else was dropped" \
	"$(traced uet_drop | grep -cvE ' why=(duplicate|no-pdc) ')" 0 ||
	traced uet_drop | diag
# Told when a run of the PDC is over: of several changes in one run the last.
assert_match "the trace has the states of the initiator" "$(states "$net1" initiator)" \
	'^CLOSED SYN_SENT ESTABLISHED (QUIESCE |ACK_WAIT )*CLOSE_ACK_WAIT CLOSED $'
assert_match "the trace has the states of the target" "$(states "$net2" target)" \
	'^CLOSED NEW_ESTABLISHED (ESTABLISHED )?CLOSED $'

tracing_on
must on 1 hostile -n 20 crc "$(fa 2)"
tracing_off
assert_eq "the trace has each drop with its reason" \
	"$(nr_traced uet_drop "^net=$net2 fep=fep0 dir=rx why=crc len=[1-9]")" \
	"$(drops 2 crc)"

assert_eq "the trace has each drop with peer and rail" \
	"$(nr_traced uet_drop "^net=$net2 .*why=crc .* peer=::ffff:10\.6[45]\.0\.1 rail=r[01] type=- psn=0 ")" \
	"$(drops 2 crc)"

# What is lost is sent again, and told with its PSN.
before=$(counter 1 tx-retx)
impair loss 20%
tracing_on
transfer "messages with losses" 1 2 5 -n 20 -s 30000
tracing_off
impair loss 0%
assert_ge "packets are sent again" $(($(counter 1 tx-retx) - before)) 1
assert_eq "the trace has each retransmission with peer, rail and PSN" "$(nr_traced uet_pkt_tx \
	"^net=$net1 fep=fep0 peer=::ffff:$(fa 2) rail=r[01] type=RUD_REQ psn=[1-9][0-9]* .* retx=1 ")" \
	"$(($(counter 1 tx-retx) - before))"
duplicates=$(traced uet_drop "^net=$net2 .*why=duplicate ")
assert_eq "a duplicate that is dropped has its PSN" "$(grep -cE \
	" peer=::ffff:$(fa 1) rail=r[01] type=RUD_REQ psn=[1-9]" <<< "$duplicates")" \
	"$(grep -c 'why=' <<< "$duplicates")"

# Nobody is bound there.
tracing_on
on 1 msgs send -p 77 "$(fa 2)" > "$TMP/why" 2>&1
wait_for "the PDC of the failed message is closed" 30 nr_pdcs_are 1 -eq 0
tracing_off
assert_eq "the trace has a message that fails, and why" \
	"$(traced uet_msg_tx_done "^net=$net1 .*pid=77 " |
		sed -n 's/.* rc=\([^ ]*\) error=-[1-9].*/\1/p')" bad-pid

# Packet types that no honest peer of ours sends.
tracing_on
must on 1 hostile -c -n 500 prologue "$(fa 2)"
must on 1 hostile -c -n 100 window "$(fa 2)"
tracing_off
for type in RUDI_REQ RUDI_RESP UUD_REQ NACK CP ACK; do
	assert_ge "the trace has packets of type $type" \
		"$(nr_traced uet_pkt_rx "^net=$net2 .*type=$type ")" 1
done
assert_ge "the trace has NACKs of refused packets" \
	"$(nr_traced uet_pkt_tx "^net=$net2 .*type=NACK ")" 1

# No way to the other node.
must ip -n "${NS[1]}" link set r0 down
must ip -n "${NS[1]}" link set r1 down
tracing_on
source_to lost 1 2 5 -n 1 -s 64
check "the trace has the drops of unsendable packets" busywait 30 \
	grep -qE "net=$net1 fep=fep0 dir=tx why=tx-no-rail .* peer=::ffff:$(fa 2) rail=- type=RUD_REQ psn=[1-9]" \
	$tracing/trace
stop lost
tracing_off
finish_tests
