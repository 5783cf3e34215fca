#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Messages of every kind of length arrive as they were sent: none, one byte,
# around one Payload MTU, many packets, many windows; over IPv4 and IPv6, with
# and without the CRC trailer, with several Payload MTUs.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 8 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# 16 MiB on a stock kernel, less where each byte costs more.
large=$(((16 << 20) / SCALE))

# combination FAMILY PROTECT MTU [LENGTH]: with a long message of that length
combination()
{
	local name="IPv$1, protect $2, MTU $3" long=${4:-$((large / 8))}

	reconfigure "$1" "$2" "$3"
	transfer "$name: empty and 1 byte" 1 2 5 -n 4 -s 0,1
	transfer "$name: MTU-1, MTU, MTU+1, 64 KiB" 1 2 5 -n 8 \
		-s $((MTU - 1)),"$MTU",$((MTU + 1)),65536
	transfer "$name: $long bytes" 1 2 5 -n 1 -s "$long"
}

setup_fabric --mtu 8192
combination 4 crc 4096 $large
combination 4 none 1024
combination 4 crc 1024
combination 6 crc 4096
combination 6 none 4096
combination 6 crc 1024 $large
combination 6 none 8192

reconfigure 4 crc 2048
file_transfer "uetcat: a file of $((large / 4)) bytes" 1 2 $((large / 4))
file_transfer "uetcat: an empty file" 1 2 0

# Packets that came too early or twice are nobody's fault on a busy machine.
wrong='crc|bad-type|(truncated|reserved|illegal)-.*|pdcid-mismatch|tx-.*'
wrong+='|ses-(not|bad|data|response|som|nosom|eom|beyond|length|short)-.*'
assert_eq "no packet was found wrong" "$(drops 1 "$wrong") $(drops 2 "$wrong")" \
	"0 0"
finish_tests
