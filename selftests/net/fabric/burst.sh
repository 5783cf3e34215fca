#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bursts: packets that cross the stack as one socket buffer.  Whole from veth to veth, in
# both IP versions, over UDP and as native IP, over two rails, with and without the CRC,
# sealed, through IP and through the ingress hook; as packets with their CRC where a device
# does not know them; beside a capture, losses and corruption; off; and queued while the
# module goes.  READs, whose data are bursts of the other direction, with all of these.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: all; takes: 30 s; limit: 500 s

. "$(dirname "$0")/../lib.sh"

long=$(((1 << 20) / SCALE))

# segments on|off: do the devices pass bursts whole?
segments()
{
	local n p

	for n in 1 2; do
		for p in 0 1; do
			must on "$n" ethtool -K "r$p" tx-sctp-segmentation "$1"
		done
	done
}

# counts: of node 1 sent and of node 2 received, bursts and their packets; all packets
# that node 2 received, and those of runs
counts()
{
	local tx rx

	tx=$(stats 1) rx=$(stats 2)
	echo "$(counter_in "$tx" tx-bursts) $(counter_in "$tx" tx-burst-packets)" \
		"$(counter_in "$rx" rx-bursts) $(counter_in "$rx" rx-burst-packets)" \
		"$(counter_in "$rx" rx-packets) $(counter_in "$rx" rx-run-packets)"
}

# carried TEXT whole|cut|single [ARGS...]: a transfer, and how its packets went
carried()
{
	local text=$1 how=$2 old new i

	shift 2
	read -ra old <<< "$(counts)"
	transfer "$text" 1 2 5 "${@:--n 2 -s $long}"
	read -ra new <<< "$(counts)"
	for i in {0..5}; do new[i]=$((new[i] - old[i])); done
	case $how in
	whole)
		assert_ge "$text: at least four bursts leave" "${new[0]}" 4
		assert_ge "$text: bursts have several packets each" "${new[1]}" \
			$((2 * new[0]))
		assert_eq "$text: all bursts arrive whole" "${new[*]:2:2}" "${new[*]:0:2}" ;;
	cut)
		assert_ge "$text: at least four bursts leave" "${new[0]}" 4
		assert_eq "$text: no burst arrives, only packets" "${new[2]}" 0 ;;
	single)
		assert_eq "$text: packets go one by one" "${new[0]} ${new[2]}" \
			"0 0" ;;
	esac
	[[ $text != "one rail"* ]] ||
		assert_ge "$text: a quarter of the packets continue a run" \
			$((4 * new[5])) "${new[4]}"
}

# read_counts: of node 1, data of READs and packets that came in bursts; of both nodes,
# packets of runs, on one of which the requests arrive and on the other one the data
read_counts()
{
	local rx

	rx=$(stats 1)
	echo "$(counter_in "$rx" rx-data) $(counter_in "$rx" rx-burst-packets)" \
		"$(counter_in "$rx" rx-run-packets) $(counter 2 rx-run-packets)"
}

# reads TEXT runs|any: READs of node 1, whose bytes are compared; do most of their packets
# continue a run?
reads()
{
	local args old new i count=1 nr

	[ "$2" = any ] || count=8
	nr=$((count * long / 1024))
	args=(uetperf bw --op read --verify --peers "$(fa 1),$(fa 2)" --size "$long"
		--iterations "$count")
	read -ra old <<< "$(read_counts)"
	start rank1 2 "${args[@]}" --rank 1
	check "$1: READs return the right bytes" on 1 "${args[@]}" --rank 0
	finish rank1
	read -ra new <<< "$(read_counts)"
	for i in {0..3}; do new[i]=$((new[i] - old[i])); done
	assert_ge "$1: at least $nr packets of data come" "${new[0]}" $nr
	[ "$2" = runs ] || return 0
	assert_ge "$1: nine of ten packets of data come in bursts" $((10 * new[1])) $((9 * nr))
	assert_ge "$1: three of four packets of data continue a run" $((4 * new[2])) $((3 * nr))
	assert_ge "$1: three of four requests continue a run" $((4 * new[3])) $((3 * nr))
}

# wrong NODE: packets that it found wrong.  A target in a secure domain chooses the PSNs of a
# PDC, and refuses packets that were on their way to it.
wrong()
{
	echo $(($(wrong_drops "$1") - $(drops "$1" 'bad-syn|bad-nack-psn')))
}

# all_right TEXT: no end has found a packet wrong
all_right()
{
	assert_eq "$1: no packet was found wrong" "$(wrong 1) $(wrong 2)" "0 0"
}

# shown TEXT: tshark shows each packet of the bursts in $TMP/burst.pcap, and none that a
# receiver would drop
shown()
{
	local objections

	has_tshark "$1: tshark shows the packets of bursts" || return 0
	tshark_read burst.pcap -o uet.protocol:253 -Y uet.burst.count -T fields \
		-e uet.burst.count -e uet.pds.type -e uet.drop > "$TMP/bursts"
	assert_ge "$1: tshark shows bursts" "$(wc -l < "$TMP/bursts")" 4 ||
		head -n 5 "$TMP/tshark.err" | diag
	objections=$(awk -F '\t' '
		split($2, types, ",") != $1 || $3 != "" { print "line " NR ": " $0 }
		' "$TMP/bursts")
	assert_eq "$1: tshark shows each packet of a burst" "$objections" ""
}

# forms TEXT FAMILY PROTECT
forms()
{
	reconfigure "$2" "$3" 1024
	carried "$1" whole -n 2 -s "$long"
	carried "$1, short messages" whole -n 64 -s 4000
	segments off
	carried "$1, a device without bursts" cut -n 2 -s "$long"
	segments on
	reads "$1, READ" any
	per_node burst 0
	carried "$1, burst 0" single -n 2 -s "$long"
	all_right "$1"
}

# beside_capture TEXT FILE: a capture shares the packets of a burst, so the FEP takes copies
beside_capture()
{
	must ue 1 fep set fep0 idle 0
	start dump 2 tcpdump -U -i any -s 0 -w "$TMP/$2" \
		"udp dst port 4793 or ip proto 253"
	wait_for "tcpdump listens on the netdev" 30 grep -q listening "$TMP/dump.err"
	carried "$1" whole -n 2 -s "$long"
	stop dump TERM
}

# one_piece TEXT: a program on the way makes one piece of each burst
one_piece()
{
	local p before

	for p in 0 1; do
		start "xdp$p" 2 xdp_pass "r$p"
		wait_for "r$p: a program sees each packet" 30 grep -q attached \
			"$TMP/xdp$p.out"
	done
	before=$(wrong 2)
	carried "$1" whole -n 2 -s "$long"
	reads "READ, $1" any
	for p in 0 1; do stop "xdp$p"; done
	assert_eq "$1: no packet was found wrong" "$(wrong 2)" "$before"
}

setup_fabric --mtu 8192
forms "IPv4" 4 crc
forms "IPv6" 6 crc
forms "IPv4 without CRC" 4 none
ENCAP=(encap native)
forms "native IPv4" 4 crc
# The stack learns a number with the first FEP that has it.
ENCAP=(encap native proto 200)
forms "native IPv6" 6 crc
ENCAP=()

# Sealed, each packet by itself.
genkey key
for n in 1 2; do
	for family in 4 6; do
		words=()
		[ "$family" -eq 4 ] || words=(ipv6)
		must ue "$n" sd add "s$family" sdi "$family" "${words[@]}"
		must ue "$n" sd key "s$family" an 0 file "$TMP/key"
		must ue "$n" sd use "s$family" an 0
	done
done
for family in 4 6; do
	for encap in udp native; do
		ENCAP=(sd "s$family" encap "$encap")
		forms "$encap, IPv$family sealed" "$family" tss
	done
done
for encap in udp native; do
	ENCAP=(sd s4 encap "$encap")
	reconfigure 4 tss 1024
	one_piece "$encap, sealed bursts in one piece"
	beside_capture "$encap, sealed, beside a capture" sealed.pcap
done
ENCAP=()

reconfigure 4 crc 1024
for n in 1 2; do
	for p in 0 1; do must ue $n rail set "r$p" ingress on; done
done
carried "ingress hook" whole -n 2 -s "$long"
for n in 1 2; do
	for p in 0 1; do must ue $n rail set "r$p" ingress off; done
done

for encap in udp native; do
	ENCAP=(encap "$encap")
	reconfigure 4 crc 1024
	beside_capture "$encap, beside a capture" burst.pcap
	all_right "$encap, hook and capture"
	shown "$encap"
done
ENCAP=()
reconfigure 4 crc 1024

# One side without the CRC is as wrong for bursts as for packets.
must ue 1 job del 1
must ue 1 fep del fep0
add_fep 1 none
must ue 1 fep set fep0 max-rto-retx 1
source_to tx 1 2 5 -n 1 -s "$long"
finish tx > "$TMP/why" && status=0 || status=1
assert_eq "a burst without CRC: its sender fails" "$status" 1
assert_ge "a burst without CRC: each packet was dropped" "$(drops 2 crc)" 1

for encap in udp native; do
	ENCAP=(encap "$encap")
	reconfigure 4 crc 1024
	before=$(drops 2 crc)
	impair corrupt 10%
	transfer "$encap, corruption" 1 2 5 -n 2 -s "$long"
	reads "READ, $encap and corruption" any
	assert_ge "$encap, corruption: packets with a wrong CRC were dropped" \
		"$(drops 2 crc)" $((before + 2))
	impair loss 5%
	transfer "$encap, loss of whole bursts" 1 2 5 -n 2 -s "$long"
	reads "READ, $encap and loss of whole bursts" any
	impair delay 1ms
	one_piece "$encap, bursts in one piece"
done
ENCAP=()
reconfigure 4 crc 1024

# Over one rail all packets arrive in order.
for n in 1 2; do must ip -n "${NS[$n]}" link set r1 down; done
carried "one rail" whole -n 2 -s "$long"
carried "one rail, deferrable" whole -n 2 -s "$long" -D

# A long READ: its requests wait for data, but do not go one by one from then on.
reads "READ" runs

# short_messages TEXT ARGS...: messages of 64 bytes from node 1 to node 2; sets the number of
# bursts that leave node 1, and of their packets
short_messages()
{
	local text=$1
	local args=(uetperf "${@:2}" --peers "$(fa 1),$(fa 2)" --size 64)

	bursts=$(counter 1 tx-bursts) packets=$(counter 1 tx-burst-packets)
	start rank1 2 "${args[@]}" --rank 1
	check "$text: all messages are answered" on 1 "${args[@]}" --rank 0
	finish rank1
	bursts=$(($(counter 1 tx-bursts) - bursts))
	packets=$(($(counter 1 tx-burst-packets) - packets))
}

# Short messages wait for others that their sender announces, and leave as a burst.  A kernel
# with checks needs longer for a system call than they wait.
if [ "$SCALE" -eq 1 ]; then
	short_messages "MSG_MORE" bw --op write --more --iterations 4000
	assert_ge "MSG_MORE: nine of ten messages leave in bursts" $((10 * packets)) 36000
	assert_ge "MSG_MORE: bursts have eight packets and more" "$packets" \
		$((8 * bursts))

	# So do many of a stream, that their sender does not announce, but none of a sender that
	# waits for an answer to each message.
	short_messages "stream" bw --op send --iterations 4000
	assert_ge "stream: nine of ten messages leave in bursts" $((10 * packets)) 36000
	assert_ge "stream: bursts have eight packets and more" "$packets" $((8 * bursts))
	short_messages "question and answer" lat --op send --iterations 1000
	assert_eq "question and answer: no message leaves in a burst" "$bursts" 0
	per_node burst 0
	short_messages "stream, burst 0" bw --op send --iterations 4000
	assert_eq "stream, burst 0: no message leaves in a burst" "$bursts" 0
	per_node burst 65000
else
	skip "messages of streams and with MSG_MORE leave in bursts" "a slow machine"
fi
segments off
carried "one rail, a device without bursts" cut -n 2 -s "$long"
reads "READ, a device without bursts" any
segments on
per_node burst 0
carried "one rail, burst 0" single -n 2 -s "$long"
finish_tests
