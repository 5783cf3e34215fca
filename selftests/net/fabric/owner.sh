#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rules of a host see who sends a packet.  Each packet with a part of a message has the
# socket of the message: its user, its cgroup, SO_MARK and SO_PRIORITY.  So has each
# retransmission, and the answer to a READ.  Without SO_PRIORITY the priority follows from
# the DSCP of the FEP, and a VLAN carries it.
#
#	node1 (user 1234) === node2		counters of nftables at the output of node1
#
# clock: virtual; size: all; takes: 8 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

USER_ID=1234
CGROUP=/sys/fs/cgroup/uet-owner
CLASS=$TMP/net_cls/owner

# as COMMAND...: the user, in the cgroups
as()
{
	# shellcheck disable=SC2016 # for the inner shell
	on 1 sh -c '
		echo $$ > '"$CGROUP"'/cgroup.procs
		[ ! -d '"$CLASS"' ] || echo $$ > '"$CLASS"'/cgroup.procs
		exec "$@"' - setpriv --reuid $USER_ID --regid $USER_ID --clear-groups \
		--inh-caps=-all --bounding-set=-all "$@"
}

mount_cgroups()
{
	mountpoint -q /sys/fs/cgroup || must mount -t cgroup2 none /sys/fs/cgroup
	must mkdir -p "$CGROUP"
	trap 'unmount_cgroups; cleanup' EXIT
	must mkdir "$TMP/net_cls"
	if mount -t cgroup -o net_cls none "$TMP/net_cls" 2> /dev/null; then
		must mkdir "$CLASS"
		echo 0x10001 > "$CLASS/net_cls.classid"
	else
		note "no net_cls"
	fi
}

unmount_cgroups()
{
	teardown_fabric
	rmdir "$CGROUP"
	[ ! -d "$CLASS" ] || { rmdir "$CLASS"; umount "$TMP/net_cls"; }
}

# nft_on NODE < RULES
nft_on()
{
	on "$1" nft -f - || die "nft"
}

# rules: of node 1, with counters that are 0.  The last one counts data without an owner.
rules()
{
	local family=ip classid=''

	[ "$FAMILY" = 4 ] || family=ip6
	[ ! -d "$CLASS" ] || classid='meta cgroup 0x10001 counter name by_classid'
	nft_on 1 <<-X
		table inet owner
		delete table inet owner
		table inet owner {
			counter by_user { }
			counter by_group { }
			counter by_classid { }
			counter by_cgroup { }
			counter by_mark { }
			counter by_so_priority { }
			counter by_class { }
			counter by_nobody { }
			chain output {
				type filter hook output priority 0
				$family daddr != $(fa 2) return
				meta mark 0x51 counter name by_mark
				meta priority 0:3 counter name by_so_priority
				meta priority 0:5 counter name by_class
				$classid
				socket cgroupv2 level 1 "uet-owner" counter name by_cgroup
				meta skgid $USER_ID counter name by_group
				meta skuid 0 return
				meta skuid $USER_ID counter name by_user return
				meta length > 500 counter name by_nobody
			}
		}
	X
}

# hits COUNTER [NODE TABLE]
hits()
{
	# shellcheck disable=SC2086 # family and name
	[[ $(on "${2-1}" nft list counter ${3-inet owner} "by_$1") =~ packets\ ([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# seen TEXT COUNTER...: each has counted packets, and no data was without an owner
seen()
{
	local text=$1 counter
	shift
	for counter; do
		assert_ge "$text: packets have $counter" "$(hits "$counter")" 1
	done
	assert_eq "$text: no data is without an owner" "$(hits nobody)" 0
}

# passes TEXT OPTIONS...: messages of the user to node 2
passes()
{
	local text=$1 port=$((++PORT)) size=5000
	shift
	[ "$MODE" != uud ] || size=3000
	sink rx 2 $port -j 2 -n 10
	check "$text: the messages pass" "${SENDER[@]}" msgs send -m "$MODE" -j 2 -p $port \
		-n 10 -s $size "$@" "$(fa 2)"
	check "$text: the messages arrive" finish rx
}

# sees TEXT: what rules see of the messages of MODE
sees()
{
	local text="$1, $MODE"

	rules
	SENDER=(as)
	passes "$text: a user"
	if [ -d "$CLASS" ]; then
		seen "$text: a user" user group cgroup class classid
	else
		seen "$text: a user" user group cgroup class
	fi
	assert_eq "$text: packets of a user without SO_MARK have no mark" "$(hits mark)" 0
	rules
	passes "$text: a user with SO_PRIORITY" -O 3
	seen "$text: SO_PRIORITY" so_priority
	rules
	SENDER=(on 1)
	passes "$text: root with SO_MARK" -X 0x51
	seen "$text: SO_MARK" mark
}

# sees_modes TEXT
sees_modes()
{
	local node

	for node in 1 2; do
		must ue $node job add 2 feps fep0 uid $USER_ID
		must ue $node fep set fep0 dscp-request 40 dscp-retx 40 max-rto-retx 15
	done
	for MODE in rud rod uud; do
		sees "$1"
	done
}

PORT=10
mount_cgroups
setup_fabric --rails 1
sees_modes IPv4

# A lost packet is sent again by a timer.
MODE=rud
must tc -n "${NS[1]}" qdisc replace dev r0 root netem loss 50%
rules
retx=$(counter 1 tx-retx)
SENDER=(as)
passes "with loss" -g 2
assert_ge "with loss: packets were sent again" "$(counter 1 tx-retx)" $((retx + 1))
seen "with loss" user cgroup
must tc -n "${NS[1]}" qdisc del dev r0 root

# One packet each: what a device cuts out of a burst was seen with the burst.
cut_bursts 1
rules
passes "cut bursts"
seen "cut bursts" user cgroup class

# Packets of a stream have its socket, not that of the endpoint that all streams share.
bulk=$(readlink -f "$(dirname "$0")/../api/stream_bulk.py")
rules
start rx 2 uetize -r -j 2 "$bulk" serve "$(fa 2)" 7000 1
busywait 30 grep -qs ready "$TMP/rx.out"
check "a stream: the sums are right" as uetize -r -j 2 "$bulk" send "$(fa 2)" 7000 1 100000
check "a stream: the server ends well" finish rx
seen "a stream" user cgroup

# A policy refuses the packets of the user, and of nobody else.
rules
nft_on 1 <<< "insert rule inet owner output meta skuid $USER_ID drop"
out=$(as msgs send -m uud -j 2 -p 9 "$(fa 2)" 2>&1)
assert_match "a refused datagram fails with EPERM" "$out" 'Operation not permitted|refused the packet'
SENDER=(on 1)
passes "root is not refused"
rules

# A mark selects a route.
must ip -n "${NS[1]}" route add "$(fa 2)" dev r0 mtu 1300 table 100
must ip -n "${NS[1]}" rule add pref 10 fwmark 0x51 lookup 100
out=$(on 1 msgs send -m uud -j 2 -p 9 -s 3000 -X 0x51 "$(fa 2)" 2>&1)
assert_match "a mark selects a route" "$out" 'needs MTU'
passes "and no others"
must ip -n "${NS[1]}" rule del pref 10
teardown_fabric

for options in --v6 --native '--v6 --protect none'; do
	# shellcheck disable=SC2086 # words
	setup_fabric --rails 1 $options
	sees_modes "$options"
	teardown_fabric
done

#------------------------------------------------------------------- congestion

UET_CC=nscc setup_fabric --rails 1
sees_modes nscc
teardown_fabric

#------------------------------------------------------------------------- VLAN

# vlan NODE OTHER: a rail on a VLAN with a map of priorities
vlan()
{
	ip -n "${NS[$1]}" -batch - <<-X || die "no VLAN"
		link add link r0 name v0 type vlan id 7 egress-qos-map 3:6 5:2
		link set v0 up
		addr add 10.70.0.$1/24 dev v0
		route replace 10.0.0.$2 via 10.70.0.$2 dev v0
	X
	must ue "$1" rail add v0 plane 0
	must ue "$1" fep add fep0 addr "$(fa "$1")" rails v0 mtu 4096 dscp-request 40
	must ue "$1" job add 2 feps fep0
}

setup_fabric --bare --rails 1
vlan 1 2
vlan 2 1
nft_on 2 <<-X
	table netdev owner {
		counter by_pcp2 { }
		counter by_pcp6 { }
		chain ingress {
			type filter hook ingress device r0 priority 0
			vlan pcp 2 counter name by_pcp2
			vlan pcp 6 counter name by_pcp6
		}
	}
X
SENDER=(on 1)
for MODE in rud uud; do
	old=$(hits pcp2 2 "netdev owner")
	passes "a VLAN, $MODE"
	assert_ge "a VLAN, $MODE: its priority is that of the DSCP" \
		"$(hits pcp2 2 "netdev owner")" $((old + 1))
	old=$(hits pcp6 2 "netdev owner")
	passes "a VLAN, $MODE, with SO_PRIORITY" -O 3
	assert_ge "a VLAN, $MODE: its priority is SO_PRIORITY" \
		"$(hits pcp6 2 "netdev owner")" $((old + 1))
done
finish_tests
