#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NVMe over Fabrics of the kernel, which knows nothing of this project: a RAM disk is the
# namespace of a target at uet1, and a host at uet2 writes and reads it.  Data comes by sends and
# by READs of the target to memory without a region; data goes by WRITEs to regions that the host
# registers by operations, and that the target invalidates by its answers.
#
#	target 10.9.0.1  uet1  v0 ---- v1  uet2  10.9.0.2 host
#
# Both modules know the initial namespace only.  The connection manager must find the link, or it
# would choose uet1 for the host, too.  FEPs of one host reach each other over the loopback.

. "$(dirname "$(readlink -f "$0")")/lib.sh"
. "$(dirname "$(readlink -f "$0")")/pair.sh"

CONFIG=/sys/kernel/config/nvmet
DISK=/dev/ram0
DISK_KIB=16384
# The names of "rdma resource show" for what a controller has.
OBJECTS='qp|cm_id|mr|pd'

if ! modprobe -q -a nvmet-rdma nvme-rdma || ! modprobe -q brd rd_nr=1 rd_size=$DISK_KIB; then
	echo "1..0 # SKIP this kernel has no nvmet-rdma, nvme-rdma and brd"
	exit 0
fi

# devices_add: a FEP and a device at each end, in one job
devices_add()
{
	local n

	for n in 1 2; do
		must ueadm rail add v$((n - 1)) plane 0
		must ueadm fep add fep$n addr 10.9.0.$n rails v$((n - 1)) mtu 4096 protect crc
	done
	must ueadm job add 1 feps fep1,fep2
	must sysctl -q -w net.uet.default_job=1
	for n in 1 2; do device_add $n; done
}

device_add()
{
	must rdma link add "uet$1" type uet netdev v$(($1 - 1))
	busywait 30 has_address "$1" || die "no GID for 10.9.0.$1"
}

has_address() { grep -qs "ffff:0a09:000$1" /sys/class/infiniband/"uet$1"/ports/1/gids/*; }

# policy_add: connection managers look up the way back with the netdev that a request came to,
# and the packets of a FEP to another one of this host use no link
policy_add()
{
	must ip rule add pref 5 iif v0 from 10.9.0.1 to 10.9.0.2 lookup 101
	must ip rule add pref 5 iif v1 from 10.9.0.2 to 10.9.0.1 lookup 102
	must ip rule add pref 15 ipproto 17 dport 4793 lookup local
}

policy_del()
{
	local pref

	for pref in 5 5 15; do ip rule del pref $pref; done
}

target_add()
{
	mountpoint -q /sys/kernel/config || must mount -t configfs config /sys/kernel/config
	must mkdir "$CONFIG/subsystems/disk" "$CONFIG/subsystems/disk/namespaces/1" \
		"$CONFIG/ports/1"
	echo 1 > "$CONFIG/subsystems/disk/attr_allow_any_host"
	echo $DISK > "$CONFIG/subsystems/disk/namespaces/1/device_path"
	echo 1 > "$CONFIG/subsystems/disk/namespaces/1/enable"
	echo ipv4 > "$CONFIG/ports/1/addr_adrfam"
	echo rdma > "$CONFIG/ports/1/addr_trtype"
	echo 10.9.0.1 > "$CONFIG/ports/1/addr_traddr"
	echo 4420 > "$CONFIG/ports/1/addr_trsvcid"
	target_listen
}

target_listen() { ln -s "$CONFIG/subsystems/disk" "$CONFIG/ports/1/subsystems/disk"; }

target_del()
{
	rm -f "$CONFIG/ports/1/subsystems/disk"
	rmdir "$CONFIG/ports/1" "$CONFIG/subsystems/disk/namespaces/1" "$CONFIG/subsystems/disk"
}

# host_connect: the kernel makes a controller and its disk, $host
host_connect()
{
	echo "transport=rdma,nqn=disk,traddr=10.9.0.1,trsvcid=4420,host_traddr=10.9.0.2,nr_io_queues=2" \
		> /dev/nvme-fabrics || return
	busywait 30 has_host
}

has_host()
{
	host=$(ls -d /dev/nvme*n1 2> /dev/null)
}

host_disconnect()
{
	local file

	for file in /sys/class/nvme/nvme*/delete_controller; do echo 1 > "$file"; done
}

no_host() { ! has_host; }

# objects DEVICE: what a device has, but for completion queues, which the core keeps
objects()
{
	rdma resource show "$1" | grep -oE "($OBJECTS) [0-9]+" | tr '\n' ' '
}

objects_are() { [ "$(objects "$1")" = "$2" ]; }

hash_of() { dd if="$1" bs=1M iflag=direct status=none | sha256sum; }

# written FILE BS: to the disk of the host, and read by both ends
written()
{
	local want

	head -c $((DISK_KIB * 1024)) /dev/urandom > "$1"
	want=$(sha256sum < "$1")
	check "the host writes its disk in pieces of $2" \
		dd if="$1" of="$host" bs="$2" oflag=direct status=none
	assert_eq "the disk of the target has the bytes, written in pieces of $2" \
		"$(hash_of $DISK)" "$want"
	assert_eq "the host reads the bytes, written in pieces of $2" "$(hash_of "$host")" "$want"
	rm "$1"
}

# load: writes that do not end by themselves
load()
{
	while dd if=/dev/zero of="$host" bs=256K count=$((DISK_KIB / 256)) oflag=direct conv=nocreat
	do :; done &> "$TMP/load" &
	loader=$!
	sent=$(counter_in "$(ueadm -j stats)" tx-req)
	busywait 60 moves
}

moves() { compare "$(counter_in "$(ueadm -j stats)" tx-req)" -gt $((sent + 200)); }

pair_links 4500
policy_add
devices_add
target_add
before1=$(objects uet1)
before2=$(objects uet2)
check "the host is connected to the target" host_connect || finish_tests
written "$TMP/data" 1M
written "$TMP/data" 4K
host_disconnect
check "the disk goes with the controller" busywait 30 no_host
check "nothing is left of a controller at the host" busywait 30 objects_are uet2 "$before2" ||
	note "$(objects uet2), before $before2"
check "nothing is left of a controller at the target" busywait 30 objects_are uet1 "$before1" ||
	note "$(objects uet1), before $before1"

check "the host is connected again" host_connect
load
check "the device of the host can be deleted with writes in flight" rdma link delete uet2
check "the controller goes with the device" busywait 60 no_host
wait $loader
check "nothing is left at the target of a host whose device is deleted" \
	busywait 60 objects_are uet1 "$before1" || note "$(objects uet1), before $before1"
device_add 2
check "the host is connected by a new device" busywait 30 host_connect
load
check "the device of the target can be deleted with writes in flight" rdma link delete uet1
host_disconnect
check "a controller without a target can be deleted" busywait 60 no_host
wait $loader
target_del
rdma link delete uet2
ueadm job del 1
for n in 1 2; do
	ueadm fep del fep$n
	ueadm rail del v$((n - 1))
done
policy_del
pair_links_end
modprobe -r nvme-rdma nvmet-rdma brd
finish_tests
