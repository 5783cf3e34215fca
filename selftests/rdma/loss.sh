#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Loss, two rails of which one dies, and fabric addresses of IPv6.  The programs check the data.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

# statistic NODE NAME: a counter of the device
statistic()
{
	[[ $(rdma -j statistic show link "uet$1/1") =~ \"$2\":\ *([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# lossy FAMILY: RC and UD with one lost packet of a hundred
lossy()
{
	impair loss 1%
	pingpong "RC echoes 64 KiB with loss, $1" ibv_rc_pingpong -e -n 200 -c -s 65536
	pingpong "UD echoes 2 KiB with loss, $1" ibv_ud_pingpong -e -n 200 -c -s 2048
	pingpong "SRQ echoes over 16 QPs with loss, $1" ibv_srq_pingpong -e -n 400 -c -q 16 -s 4096
	between "rping validates 64 KiB with loss, $1" \
		rping -s -a "$(fa 1)" -C 50 -S 65000 -V -- \
		rping -c -a "$(fa 1)" -I "$(fa 2)" -C 50 -S 65000 -V
	assert_ge "packets were lost and sent again, $1" "$(counter 1 tx-retx)" 1
}

setup_rdma --rails 1
lossy "IPv4"
assert_eq "rdma statistic has the packets that were sent again" "$(statistic 1 tx_retx)" \
	"$(counter 1 tx-retx)"
assert_ge "rdma statistic has the messages" "$(statistic 1 tx_messages)" 600
teardown_rdma
teardown_fabric

setup_rdma --v6 --rails 1
lossy "IPv6"
teardown_rdma
teardown_fabric

# dying RAIL: it loses everything from some message on
dying()
{
	start server 1 ibv_rc_pingpong -d uet1 -g "$(gid 1)" -e -n 2000 -c -s 16384
	busywait 20 is_listening
	start client 2 ibv_rc_pingpong -d uet2 -g "$(gid 2)" -e -n 2000 -c -s 16384 10.64.0.1
	busywait 60 counter_is 1 tx-req -ge $(($(counter 1 tx-req) + 300))
	must on 1 tc qdisc add dev "$1" root netem loss 100%
	check "RC echoes go on when the rail $1 dies" finish client
	check "the other end echoes, too, when the rail $1 dies" finish server
	must on 1 tc qdisc del dev "$1" root
}

setup_rdma --rails 2
pingpong "RC echoes over two rails" ibv_rc_pingpong -e -n 200 -c -s 65536
dying r1
dying r0
for dev in r0 r1; do
	assert_ge "packets were sent on $dev" "$(rail_packets 1 $dev tx)" 100
done
teardown_rdma
finish_tests
