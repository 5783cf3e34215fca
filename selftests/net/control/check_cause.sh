#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "ueadm check" names the cause in its first line: each thing that goes wrong at night is
# made wrong, and mended.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: all; takes: 39 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../findings.sh"

crc()
{
	fep 2 protect none
	first "CRC here, none there" \
		'^error: fep fep0: it has protect crc, but the peer 10.0.0.2 has protect none: none of 4 packets was answered, and those with protect none were: give fep0 '
	first "none here, CRC there" \
		'^error: fep fep0: it has protect none, but the peer 10.0.0.1 has protect crc: ' 2
	fep 2
	fine "the same protect"
}

key()
{
	local n

	for n in 1 2; do
		genkey "key$n"
		must ue $n sd add blue sdi 7
		must ue $n sd key blue an 0 file "$TMP/key$n"
		must ue $n sd use blue an 0
		fep $n sd blue
	done
	first "a wrong key at the sender" \
		'^error: sd blue: the peer 10.0.0.2 opens none of our packets: it has another key'
	for n in 1 2; do
		fep $n
		must ue $n sd del blue
	done
	fine "no key"
}

loss()
{
	must tc -n "${NS[1]}" qdisc add dev r0 root netem loss 100%
	first "100 % loss on a rail" \
		'^error: rail r0: all packets to 10.0.0.2 are lost: none of 4 UET packets and none of 3 ICMP packets was answered: '
	must tc -n "${NS[1]}" qdisc change dev r0 root netem loss 20%
	first "20 % loss on a rail" \
		'^warning: rail r0: about [123][0-9] % of the packets to 10.0.0.2 are lost: [0-9]+ of 2[0-9]+: '
	must tc -n "${NS[1]}" qdisc del dev r0 root
	fine "no loss"
}

mtu()
{
	must ip -n "${NS[2]}" link set r0 mtu 1500
	first "a smaller MTU at the peer" \
		'^error: rail r0: the MTU at 10.0.0.2 or on the path to it is below 4184: 3 of 3 short packets were answered, none of 4184 bytes: ip link set dev NETDEV mtu 4184 '
	must ip -n "${NS[2]}" link set r0 mtu $LINK_MTU
	fine "the MTU is back"
}

bridge()
{
	must ip -n "${NS[1]}" link add br0 type bridge
	must ip -n "${NS[1]}" link set br0 up
	must ip -n "${NS[1]}" link set r0 master br0
	first "a rail in a bridge" \
		'^error: rail r0: the netdev is a port of br0, which takes its packets: .*: ip link set dev r0 nomaster$'
	must ip -n "${NS[1]}" link set r0 nomaster
	must ip -n "${NS[1]}" link del br0
	fine "no bridge"
}

slow()
{
	sink slow 2 5 -n 40 -b 262144
	must kill -STOP "${PID[slow]}"
	source_to tx 1 2 5 -n 40 -s 65536 -b 262144
	wait_for "the receiver pushes back" 30 counter_is 2 msg-deferred -ge 3
	first "a slow reader, at its node" \
		'^warning: ep fep0 job 1 pid 5: its program reads too slowly: [0-9]+ of [0-9]+ bytes of receive memory are full' 2
	first "a slow reader, at its sender" \
		'^warning: peer 10.0.0.2: its program reads too slowly: it refused [0-9]+ packets of PDC [0-9]+ of fep fep0 in the last second for lack of space'
	must kill -CONT "${PID[slow]}"
	check "the slow reader reads on to the end" finish slow
	check "the sender ends" finish tx
	fine "nobody is slow"
}

failed()
{
	local n

	must ue 1 fep set fep0 rto-init 5ms rto-max 10ms max-rto-retx 2
	must ip -n "${NS[1]}" route add 10.0.0.9 via 10.64.0.9 dev r0
	must ip -n "${NS[1]}" neigh add 10.64.0.9 dev r0 lladdr 02:00:00:00:00:09
	for n in 1 2 3; do
		on 1 uetcat 10.0.0.9 <<< nobody > "$TMP/nobody" 2>&1
	done
	first "failed PDCs: the check tells how many PDCs have failed" \
		'^hint: pdcs: 3 PDCs have failed since the module was loaded, none in the last seconds; [0-9]+ messages .*; the last one, of fep fep0 to 10\.0\.0\.9: timeout: ueadm pdc history$' 1 0
}

setup_fabric
fine "nothing is wrong"
crc
key
loss
mtu
bridge
slow
failed
finish_tests
