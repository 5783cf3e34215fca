#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Devices: what "rdma link add" refuses, what ibv_devinfo reads, sizes of completion queues, who reads
# counters, and the end of a device with its netdev.

. "$(dirname "$(readlink -f "$0")")/lib.sh"

# refused TEXT REGEX: no device is made, and the kernel says why
refused()
{
	dmesg -C
	check "$1" fails on 1 rdma link add uet1 type uet netdev r0
	assert_match "the kernel says why: $1" "$(dmesg)" "$2"
}

fails() { ! "$@"; }

setup_fabric --bare --rails 1
refused "a netdev that is no rail gets no device" "no FEP has the netdev"
configure_nodes
refused "without a job there is no device" "default_job is 0"
link_add
ibv_devinfo -v > "$TMP/devinfo" 2>&1
assert_eq "ibv_devinfo finds two devices" "$(grep -c '^hca_id:.*uet' "$TMP/devinfo")" 2
assert_eq "both ports are active" "$(grep -c 'state:.*PORT_ACTIVE' "$TMP/devinfo")" 2
assert_eq "the GIDs have the fabric addresses" \
	"$(grep -cE 'GID.*::ffff:10.64.0.[12]' "$TMP/devinfo")" 2
resize=$REPO/build/rdma/resize
check "completions stay in order when a queue grows" on 1 "$resize" grow uet1
check "a queue shrinks, but not below its completions" on 1 "$resize" shrink uet1
check "a queue keeps its size when another one is refused" on 1 "$resize" refuse uet1
must on 1 sysctl -q -w net.uet.private_traffic=1
assert_eq "a user does not see the private counters that root has just read" \
	"$(on 1 "$REPO/build/rdma/private" /sys/class/infiniband/uet1/ports/1/hw_counters/tx_packets)" \
	"0 EPERM"
on 1 ip link del r0
busywait 30 fails test -e /sys/class/infiniband/uet1
check "a device goes with its netdev" fails test -e /sys/class/infiniband/uet1
check "the other device goes, too: its netdev was the peer" busywait 30 fails \
	test -e /sys/class/infiniband/uet2
finish_tests
