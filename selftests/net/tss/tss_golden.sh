#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The sealed packets of uet-wire 6.4, bit for bit, come to a node that has their key:
# the module opens each of them once, and none that differs by a bit.  That it makes
# of keys what uet-wire 6.2 says is seen by those of mode cluster.
#
#	node1 r0 (sends as 192.168.42.1) ----- r0 node2 192.168.42.2
#
# clock: virtual; size: check; takes: 7 s; limit: 90 s

. "$(dirname "$0")/../lib.sh"

key=34448a064292601b11a0978f56a2d34cf3fc35ede1a6bc04f8db3e5243a2b0ca
direct=3bc212542a4a5588d3a992680ee8055c3920be29d58b7ac565b3f24bf994caf9
direct+=7df9b391bf0f88b36ce896ce89c410768f01d4b71aae56e7604e8b2f5f5dddb0
cluster=45a0024c9804241ecfd67b4557392f53320746ac151c99704735342dea71f314
cluster+=6d60a4f5f217a0cff0780764904a218172906f120ef6797908ecedaac4cb7b70
cluster_ssi=e4c506d4dc833a9ca68344de91e9ce960488221fc23b2d1d5a3e76416d61b9c7
cluster_ssi+=48925d5756a4a3f4112bf709635302c5969be06100e380df65f3e9d879b62d7b
counter=1dc074e500000023
no_rekey=(rekey-mask 0 rekey-shift 0)

# make_node ENCAP WORDS...: the domain of these, with the key, and a FEP in it
make_node()
{
	must ue 2 sd add s sdi 1 "${@:2}"
	must ue 2 sd key s an 0 file "$TMP/key" epoch $((0x${counter:0:4}))
	must ue 2 sd use s an 0
	must ue 2 fep add fep0 addr 192.168.42.2 rails r0 encap "$1" sd s
	must ue 2 job add 1 feps fep0
}

unmake_node()
{
	must ue 2 job del 1
	must ue 2 fep del fep0
	must ue 2 sd del s
}

# inject PROTOCOL FLIP HEX: what follows the IP header, the last byte ^ FLIP
inject()
{
	on 1 python3 - "$mac" "$@" <<-'X' || die "python3 cannot send"
		import socket, struct, sys
		mac, proto, flip = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		data = bytearray.fromhex(sys.argv[4])
		data[-1] ^= flip
		ends = [socket.inet_aton("192.168.42.%d" % n) for n in (1, 2)]
		head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(data), 0,
				   0x4000, 64, proto, 0, *ends)
		total = sum(struct.unpack("!10H", head))
		total = ~((total & 0xffff) + (total >> 16)) & 0xffff
		head = head[:10] + struct.pack("!H", total) + head[12:]
		sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
		sock.bind(("r0", 0))
		sock.send(bytes.fromhex(mac.replace(":", "")) + b"\2\0\0\0\0\x66" +
			  b"\x08\0" + head + data)
	X
}

# opened: packets that the key has opened
opened()
{
	[[ $(ue 2 -j sd show s) =~ \"opened\":([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# is_opened PROTOCOL HEX: before its sender's key is made, a packet is dropped
is_opened()
{
	inject "$1" 0 "$2"
	[ "$(opened)" = 1 ]
}

# golden TEXT PROTOCOL HEX
golden()
{
	local before

	before=$(drops 2 tss-auth)
	check "$1: the module opens it" busywait 20 is_opened "$2" "$3"
	assert_eq "$1: the module refuses no other packet" "$(drops 2 tss-auth)" "$before"
	before=$(drops 2 tss-replay)
	inject "$2" 0 "$3"
	check "$1: the module refuses the packet the second time" \
		busywait 10 drops_are 2 tss-replay -eq $((before + 1))
	assert_eq "$1: it was opened once" "$(opened)" 1
	unmake_node
}

# forged TEXT PROTOCOL HEX: without a counter that was seen, it is judged by its ICV
forged()
{
	local before

	before=$(drops 2 'tss-auth|tss-key-wait')
	inject "$2" 1 "$3"
	check "$1: the module refuses the packet with a bit turned" \
		busywait 10 drops_are 2 'tss-auth|tss-key-wait' -eq $((before + 1))
	assert_eq "$1: nothing was opened" "$(opened)" 0
}

drops_are()
{
	compare "$(drops "$1" "$2")" "$3" "$4"
}

setup_fabric --rails 1 --bare
# shellcheck disable=SC2001,SC2059 # bytes
(umask 077; printf "$(sed 's/../\\x&/g' <<< "$key")" | base64 -w 0 > "$TMP/key")
must ip -n "${NS[2]}" addr add 192.168.42.2/24 dev r0
must ue 2 rail add r0 plane 0
[[ $(ip -n "${NS[2]}" link show r0) =~ link/ether\ ([0-9a-f:]+) ]]
mac=${BASH_REMATCH[1]}

make_node native mode direct "${no_rekey[@]}"
packet=4242000008000001$counter${direct}73097d201266feafb623a0f046ca0023
forged "direct, native" 253 "$packet"
unmake_node
make_node native mode direct "${no_rekey[@]}"
golden "direct, native" 253 "$packet"

make_node udp mode direct "${no_rekey[@]}"
golden "direct, UDP" 17 \
	"424212b90064000008000001$counter${direct}3e373b499cd39226368e20f08574d4c9"

make_node udp mode cluster
packet=424212b90064000008000001$counter${cluster}7e0c674db93566610eacef193f9cd7b7
forged "cluster, UDP" 17 "$packet"
unmake_node
make_node udp mode cluster
golden "cluster, UDP" 17 "$packet"

make_node udp mode cluster ssi 3
packet=424212b9006800000c00000100000002$counter${cluster_ssi}
golden "cluster, UDP, SSI" 17 "${packet}a005819e1ae37a89f7b8c570efbb0298"
teardown_fabric
finish_tests
