# SPDX-License-Identifier: GPL-2.0
#
# Two ends of a link in the initial namespace, for modules that know no other one: 10.9.0.1
# at v0, 10.9.0.2 at v1.  Policy routes send packets over the link instead of the loopback.
# For scripts to source, beside selftests/net/lib.sh.
# shellcheck shell=bash

# pair_links MTU
pair_links()
{
	local n

	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'cd /proc/sys/net/ipv4/conf
		echo 1 > all/accept_local; echo 1 > default/accept_local
		echo 0 > all/rp_filter; echo 0 > default/rp_filter
		echo 1 > all/arp_ignore; echo 2 > all/arp_announce'
	must ip link add v0 mtu "$1" type veth peer name v1 mtu "$1"
	for n in 0 1; do
		must ip addr add 10.9.0.$((n + 1))/24 dev v$n
		must ip link set v$n up
		must ip route add 10.9.0.$((2 - n)) dev v$n \
			src 10.9.0.$((n + 1)) table $((101 + n))
	done
	ip -batch - <<-X || die "cannot route"
		rule add pref 10 iif v0 lookup local
		rule add pref 10 iif v1 lookup local
		rule add pref 20 from 10.9.0.1 to 10.9.0.2 lookup 101
		rule add pref 21 from 10.9.0.2 to 10.9.0.1 lookup 102
		rule add pref 30 lookup local
		rule del pref 0
	X
}

pair_links_end()
{
	ip link del v0
	ip -batch - <<-X
		rule add pref 0 lookup local
		rule del pref 30
		rule del pref 21
		rule del pref 20
		rule del pref 10
		rule del pref 10
	X
}
