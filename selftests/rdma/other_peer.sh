#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An endpoint of the same job, with the number of the QP that a QP is connected to and with the
# key of its memory, on another address: it may not write.  An endpoint that sends datagrams to QP 1:
# connections are made as before.
#
#	node 1: uet1, a QP connected to 10.64.0.2	node 2: 10.64.0.2, 10.64.0.9

. "$(dirname "$(readlink -f "$0")")/lib.sh"

other_peer=$REPO/build/rdma/other_peer

# written OWN-FA AT VALUE: what becomes of a byte for the memory of the QP
written()
{
	on 2 "$other_peer" write "$1" 10.64.0.1 "$qpn" "$key" $((address + $2)) "$3"
}

# datagrams LENGTH HEADER-DATA: to QP 1 of uet1
datagrams()
{
	on 2 "$other_peer" datagrams 10.64.0.2 10.64.0.1 $((qpn & 0xfff000 | 0xffd)) "$@"
}

setup_rdma --rails 1
start qp 1 "$other_peer" qp uet1 10.64.0.2 "$(gid 1)"
wait_for "a QP is made" 20 grep -qs . "$TMP/qp.out"
read -r qpn key address < "$TMP/qp.out"
# Bit 35: the receiver invalidates a key.
for what in "300 0" "256 $((1 << 35 | 7))"; do
	# shellcheck disable=SC2086 # two words
	check "QP 1 gets datagrams with length and header data $what" datagrams $what
	between "connections are made behind datagrams with length and header data $what" \
		rping -s -a 10.64.0.1 -C 5 -V -- rping -c -a 10.64.0.1 -I 10.64.0.2 -C 5 -V
done
check "no QP gets the address of streams" on 1 "$other_peer" all uet1 10.64.0.1
must rdma link delete uet2
must ue 2 job del 1
must ip -n "${NS[2]}" addr add 10.64.0.9/24 dev r0
must ue 2 fep add fep9 addr 10.64.0.9 rails r0 mtu "$MTU" protect crc
must ue 2 job add 1 feps fep0,fep9
assert_eq "the number of the peer on another address does not let an endpoint write" \
	"$(written 10.64.0.9 0 1)" EOPNOTSUPP
assert_eq "the peer of a QP writes" "$(written 10.64.0.2 1 2)" 0
kill -USR1 "${PID[qp]}"
check "the QP ends" finish qp
assert_eq "only the byte of the peer was written" "$(tail -n 1 "$TMP/qp.out")" "0 2"
must rdma link delete uet1
finish_tests
