# SPDX-License-Identifier: GPL-2.0
#
# The two NICs that selftests/vm/run --cable joins, as the rails of two nodes.  For scripts
# to source after selftests/net/lib.sh.
# shellcheck shell=bash

# nic END: the NIC at an end of the cable; nothing without a cable
nic()
{
	local file

	for file in /sys/class/net/*/address; do
		[ "$(< "$file")" != "52:54:00:ca:b1:e$1" ] || basename "${file%/*}"
	done
}

# has_cable: load the drivers; is there a cable?
has_cable()
{
	modprobe -q -a virtio_net e1000e
	[ -n "$(nic 1)" ]
}

# use_cable: setup_fabric takes the NICs in the place of veths
use_cable()
{
	# shellcheck disable=SC2317 # called by setup_fabric
	add_links()
	{
		local n

		for n in 1 2; do
			must ip link set "$(nic "$n")" netns "${NS[$n]}" name r0
		done
	}
}

has_carrier()
{
	on "$1" ip link show dev r0 up | grep -q LOWER_UP
}

links_have_carrier()
{
	has_carrier 1 && has_carrier 2
}

# set_link_mtu MTU: a NIC may take its link down for it
set_link_mtu()
{
	local n

	for n in 1 2; do
		must ip -n "${NS[$n]}" link set r0 mtu "$1"
	done
	busywait 60 links_have_carrier || die "r0 has no carrier"
}
