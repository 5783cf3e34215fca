#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The forms of the SES header: which a FEP uses, as a capture shows, with "headers
# standard" and with "headers optimized"; that everything works with the short ones
# as with the long ones, on a device that loses packets, too; and optimized keys,
# with users that have no business with them.
#
#	node1
#	+----------------------------------+   job  1: root
#	|            sock_hdr              |   job 11: user 1001, group 2000
#	|   fep1 10.0.1.1  fep2 10.0.1.2   |   job 12: user 1002
#	|       |              |           |   job 13: user 1001, PIDs 100-139
#	|       +- lo, plane 0 +           |   each on both FEPs
#	+----------------------------------+
#
# clock: virtual; size: check; takes: 15 s; limit: 480 s

. "$(dirname "$0")/../lib.sh"

# Types of PDS headers, and what their next_hdr is.
rud=2 rod=3 rudi=4 rudi_resp=5 uud=6 ack_cc=8 ack=7
small=1 medium=2 std=3 data=5 data_small=6

# read_capture: PDS prologue and UDP length of each packet, in hexadecimal
read_capture()
{
	tcpdump -nxr "$TMP/lo.pcap" 2> /dev/null |
		awk '/0x0010:/ { print $8, $6 }' > "$TMP/packets"
}

# packets TYPE NEXT_HDR [LENGTH]: of the last capture, with so many bytes behind UDP
packets()
{
	local bits=$(($1 << 4 | $2)) last=('[0-7]' '[89a-f]') length='....'

	[ $# -lt 3 ] || length=$(printf %04x $((8 + $3 + 4)))
	grep -c "^$(printf %02x $((bits >> 1)))${last[bits & 1]}. $length\$" \
		"$TMP/packets"
}

# has TEXT TYPE NEXT_HDR LENGTH
has()
{
	assert_ge "$headers: the capture has $1" "$(packets "$2" "$3" "$4")" 1
}

# has_none TEXT TYPE NEXT_HDR [LENGTH]
has_none()
{
	assert_eq "$headers: the capture has $1" "$(packets "${@:2}")" 0
}

# capture: what the operations of sock_hdr put on the wire
capture()
{
	headers=$1
	must ue 1 fep set fep1 headers "$headers"
	must ue 1 fep set fep2 headers "$headers"
	assert_match "$headers: the FEP shows its form of headers" "$(ue 1 -j fep show fep1)" \
		"\"headers\":\"$headers\""
	start dump 1 tcpdump -U -i lo -w "$TMP/lo.pcap" udp port 4793
	wait_for "$headers: tcpdump listens on the netdev" 30 listening
	relay -t "sock_hdr, $headers" on 1 sock_hdr form__of form__without_a_pdc
	# Once the last packet is in the file, all captured packets are.
	wait_for "$headers: the capture has the last packets" 30 has_last
	stop dump
	read_capture
}

# has_last: a read by RUDI of 3 * 4096 bytes is answered by three packets of data
has_last()
{
	read_capture
	[ "$(packets "$rudi_resp" "$data" $((8 + 20 + 4096)))" -ge 3 ]
}

# PDS headers have 12 bytes, 8 with RUDI and 4 with UUD; SES headers of requests
# 20, 32 and 44, of responses with data 12 and 20.
look_standard()
{
	local type

	for type in "$rud" "$rod" "$rudi" "$uud"; do
		has_none "no medium requests of type $type" "$type" "$medium"
		has_none "no small requests of type $type" "$type" "$small"
	done
	has "SEND" "$rud" "$std" $((12 + 44 + 101))
	has "WRITE with an optimized key" "$rud" "$std" $((12 + 44 + 107))
	has "READ" "$rud" "$std" $((12 + 44))
	has "an answer to READ with a message id" "$rud" "$data" $((12 + 20 + 4000))
	has "datagram" "$uud" "$std" $((4 + 44 + 109))
	has "WRITE by RUDI" "$rudi" "$std" $((8 + 44 + 110))
	has_none "no small responses" "$rud" "$data_small"
}

look_optimized()
{
	local type

	for type in "$rud" "$rod"; do
		has "SEND: medium" "$type" "$medium" $((12 + 32 + 101))
		has "SEND with completion data: medium" "$type" "$medium" $((12 + 32 + 102))
		has "TAGGED_SEND: medium" "$type" "$medium" $((12 + 32 + 103))
		has "SEND of a Payload MTU: medium" "$type" "$medium" $((12 + 32 + 4096))
		has "SEND of two packets: standard" "$type" "$std" $((12 + 44 + 4096))
		has "WRITE: medium" "$type" "$medium" $((12 + 32 + 104))
		has "WRITE with completion data: medium" "$type" "$medium" \
			$((12 + 32 + 105))
		has "WRITE with an offset: standard" "$type" "$std" $((12 + 44 + 106))
		has "WRITE, optimized key: small" "$type" "$small" $((12 + 20 + 107))
		has "WRITE, optimized key, with completion data: medium" "$type" "$medium" \
			$((12 + 32 + 108))
		has "READ: medium" "$type" "$medium" $((12 + 32))
		has "READ, optimized key: small" "$type" "$small" $((12 + 20))
		has "an answer to READ by PSN" "$type" "$data_small" $((12 + 12 + 4000))
		has "READ of two packets: by message id" "$type" "$data" \
			$((12 + 20 + 4096))
		has_none "no SEND in standard form" "$type" "$std" $((12 + 44 + 101))
		has_none "no WRITE in standard form" "$type" "$std" $((12 + 44 + 104))
		has_none "no WRITE with an optimized key in standard form" "$type" "$std" $((12 + 44 + 107))
		has_none "no WRITE with an optimized key in medium form" "$type" "$medium" $((12 + 32 + 107))
	done
	assert_ge "$headers: the data of a READ of 10 bytes are in the ACK" \
		$(($(packets "$ack" "$data_small") + $(packets "$ack_cc" "$data_small"))) 2
	has "datagram: medium" "$uud" "$medium" $((4 + 32 + 109))
	has "WRITE by RUDI, optimized key: small" "$rudi" "$small" $((8 + 20 + 110))
	has "WRITE by RUDI: medium" "$rudi" "$medium" $((8 + 32 + 111))
	has "READ by RUDI, optimized key: small" "$rudi" "$small" $((8 + 20))
}

add_node 1
add_loopback 1 1
must ue 1 fep set fep2 headers standard
must ue 1 job add 11 feps fep1,fep2 name ann uid 1001 gid 2000
must ue 1 job add 12 feps fep1,fep2 name bob uid 1002
must ue 1 job add 13 feps fep1,fep2 name few uid 1001 pids 100-139
export UET_JOB_ANN=11 UET_JOB_BOB=12 UET_JOB_FEW=13

assert_match "a FEP has standard headers" "$(ue 1 -j fep show fep1)" \
	'"headers":"standard"'
ue_refuses 'headers must be standard|optimized' fep set fep1 headers short
capture standard
look_standard
relay -t "sock_hdr, standard" on 1 sock_hdr key__ other__
capture optimized
look_optimized
dissected "$headers" lo.pcap
before=$(drops 1 ses-bad-job)
relay -t "sock_hdr, optimized" on 1 sock_hdr form__many key__ other__
# Eight of either type of socket.
assert_ge "small requests of other jobs were counted" \
	$(($(drops 1 ses-bad-job) - before)) 16
relay -t "sock_rma, optimized" on 1 sock_rma write__is_independent
relay -t "sock_iso, optimized" on 1 sock_iso
relay -t "sock_tag, optimized" on 1 sock_tag match__
must tc -n "${NS[1]}" qdisc add dev lo root netem limit 5000 loss 5%
before=$(counter 1 tx-retx)
# All but datagrams: a lost one does not come again.
relay -t "sock_hdr, loss 5 %" on 1 sock_hdr form__of_each form__without form__many
relay -t "sock_read, loss 5 %" on 1 sock_read read__gets read__both
assert_ge "loss 5 %: packets were lost" "$(counter 1 tx-retx)" $((before + 1))
must tc -n "${NS[1]}" qdisc del dev lo root
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0

# In a secure domain the target demands another Start_PSN, which is what names a READ.
genkey secret
for job in 1 11 12 13; do must ue 1 job del "$job"; done
must ue 1 sd add s sdi 7 mode direct
must ue 1 sd key s an 0 file "$TMP/secret"
must ue 1 sd use s an 0
for fep in fep1 fep2; do
	must ue 1 fep del "$fep"
	must ue 1 fep add "$fep" addr "10.0.1.${fep#fep}" rails lo mtu 4096 sd s \
		headers optimized
done
must ue 1 job add 1 feps fep1,fep2
before=$(counter 1 rx-nack)
relay -t "sock_hdr, sealed" on 1 sock_hdr form__of_each form__many
relay -t "sock_read, sealed" on 1 sock_read read__gets read__both
assert_ge "sealed: Start_PSNs were refused" "$(counter 1 rx-nack)" $((before + 1))
finish_tests
