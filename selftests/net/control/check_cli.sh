#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "ueadm check": each thing that it looks for is made wrong, found, told with the
# command that mends it, and mended; and where nothing is wrong it says so.
#
#	node1 ==(2 rails)== node2	node3: nothing
#
# clock: virtual; size: check; takes: 35 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# finds TEXT REGEX [ARGS...]: node 1 has something wrong; a line of object, fault,
# and cure
finds()
{
	local text=$1 regex=$2 out status
	shift 2

	out=$(ue 1 -o check "$@" 2>&1)
	status=$?
	assert_match "the check finds $text" "$out" "$regex"
	assert_eq "the check that finds $text has status 1" $status 1
}

# fine TEXT [ARGS...]: nothing is wrong with node 1, which is no fact but of TEXT
fine()
{
	local text=$1 out
	shift

	out=$(ue 1 check "$@" 2>&1) || {
		not_ok "$text: the check finds nothing wrong"
		diag <<< "$out"
		return
	}
	assert_match "$text: the check finds nothing wrong" "$out" \
		'^nothing (else )?is wrong with 2 rails, 1 feps, 1 jobs$'
}

node1()
{
	must ip -n "${NS[1]}" "$@"
}

# with_rules: a firewall, as nft shows it, is what stdin says
with_rules()
{
	mkdir -p "$TMP/bin"
	cat > "$TMP/rules"
	printf '#!/bin/sh\ncat %s\n' "$TMP/rules" > "$TMP/bin/nft"
	chmod +x "$TMP/bin/nft"
}

links()
{
	node1 link set r1 down
	finds "a rail that is down" \
		'^error: rail r1: the netdev is down: ip link set dev r1 up$'
	node1 link set r0 down
	finds "no rail that is up" \
		'^error: fep fep0: none of its rails is usable'
	node1 link set r0 up
	node1 link set r1 up
	# It went with its last next hop.
	node1 route replace 10.0.0.2 nexthop via 10.64.0.2 dev r0 \
		nexthop via 10.65.0.2 dev r1
	must ip -n "${NS[2]}" link set r1 down
	wait_for "rail r1 loses its carrier" 30 usable_are 1
	finds "a rail without carrier" \
		'^error: rail r1: the netdev has no carrier.*: ip link show dev r1$'
	must ip -n "${NS[2]}" link set r1 up
	wait_for "rail r1 has a carrier again" 30 usable_are 2
	node1 link set r1 mtu 1500
	finds "an MTU that is too small" \
		'^error: fep fep0: rail r1 has MTU 1500, but packets with mtu 4096 take 4184: ip link set dev r1 mtu 4184$'
	finds "rails that are not alike" \
		'^warning: fep fep0: .*r0 has MTU 4500, r1 1500: ip link set dev r1 mtu 4500$'
	node1 link set r1 mtu 4500
	fine "links are mended"
}

# usable_are COUNT: rails of node 1
usable_are()
{
	[ "$(occurrences "$(ue 1 -j rail show)" '"usable":true')" -eq "$1" ]
}

addresses()
{
	node1 addr del 10.0.0.1/32 dev fa0
	finds "an address that is gone" \
		'^error: fep fep0: its address 10.0.0.1 is none of this host any more: ip address add 10.0.0.1/32 dev lo$'
	node1 addr add 10.0.0.1/32 dev fa0
	node1 route replace 10.0.0.2 via 10.64.0.2 dev r0
	finds "a rail without a route to a peer it has had" \
		'^error: rail r1: there is no route to 10.0.0.2 over it, a peer of fep fep0: ip route append 10.0.0.2 dev r1 '
	# As it says.
	node1 route append 10.0.0.2 via 10.65.0.2 dev r1
	fine "a route for each"
	finds "no route to a peer that is named" \
		'^error: rail r0: there is no route to 10.9.9.9 over it' \
		peer 10.0.0.2,10.9.9.9
	fine "a peer of the other family is none" peer fd00::2
	must on 1 sh -c 'echo 1 > /proc/sys/net/ipv4/conf/r1/rp_filter'
	finds "a strict rp_filter" \
		'^warning: rail r1: rp_filter is strict.*: sysctl net.ipv4.conf.r1.rp_filter=2$'
	must on 1 sh -c 'echo 2 > /proc/sys/net/ipv4/conf/r1/rp_filter'
	must on 1 sh -c 'echo 1 > /proc/sys/net/ipv4/conf/all/rp_filter'
	finds "a strict rp_filter, for all but one" '^warning: rail r0: rp_filter'
	must on 1 sh -c 'echo 0 > /proc/sys/net/ipv4/conf/all/rp_filter'
	fine "addresses and routes are mended"
}

unused()
{
	must ue 1 job del 1
	finds "a FEP without a job" \
		'^warning: fep fep0: no job has it.*: ueadm job add ID feps fep0$'
	must ue 1 job add 1 feps fep0
	must ue 1 rail add fa0 plane 2
	finds "a rail without a FEP" \
		'^warning: rail fa0: no FEP uses it: ueadm fep add NAME addr FA rails fa0$'
	must ue 1 rail del fa0
}

walls()
{
	local PATH=$TMP/bin:$PATH

	with_rules <<-X
		table inet filter {
			chain in {
				type filter hook input priority 0; policy accept;
				tcp dport 4793 drop
				udp dport 47930 drop
				meta skuid 0-4294967295 udp dport 4793 drop
			}
		}
	X
	fine "a firewall that means others"
	with_rules <<-X
		table inet filter {
			chain out {
				type filter hook output priority 0; policy accept;
				meta skuid 1000 udp dport 4793 drop
			}
		}
	X
	finds "a rule that drops what a user sends" \
		'^warning: firewall: a rule .*: meta skuid 1000 udp dport 4793 drop: nft -a list'
	with_rules <<-X
		table inet filter {
			chain in {
				type filter hook input priority 0; policy accept;
				udp dport { 53, 4793 } counter packets 0 bytes 0 drop
			}
		}
	X
	finds "a rule that drops" \
		'^warning: firewall: a rule .*: udp dport . 53, 4793 .*: nft -a list'
	with_rules <<-X
		table inet filter {
			chain in {
				type filter hook input priority 0; policy drop;
				tcp dport 22 accept
			}
		}
	X
	finds "a chain that drops the rest" \
		'^warning: firewall: .* no rule names UDP port 4793: type filter hook'
	sed -i 's/tcp dport 22/udp dport 4793/' "$TMP/rules"
	fine "a chain that drops others"
}

# A node without any configuration.
nothing()
{
	local out

	out=$(ue 3 -o check 2>&1)
	assert_eq "nothing is configured: the check has status 1" $? 1
	assert_match "nothing is configured" "$out" \
		'^error: rails: there are none.*: ueadm rail add NETDEV plane 0$'
	start port 3 /usr/bin/python3 -S -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4793)); print("bound", flush=True); time.sleep(600)'
	wait_for "the port is taken" 60 grep -q bound "$TMP/port.out"
	assert_match "the port is taken" "$(ue 3 -o check)" \
		'^error: host: a program has UDP port 4793: .*: ss -ulnp sport = 4793$'
	stop port
	assert_eq "the check as JSON has the advice for people" \
		"$(ue 3 -j check | gojq -r '.[] | select(.object == "rails") |
			.severity, (.wrong | length > 0), .do')" \
		$'error\ntrue\nueadm rail add NETDEV plane 0'
	assert_eq "a clock that nobody looks after is none" \
		"$(ue 3 -o check | grep -c 'the clock')" 0
	must ue 3 sd add red sdi 9
	genkey red
	must ue 3 sd key red an 0 file "$TMP/red"
	assert_eq "a clock that nobody looks after is nothing to keys that are set by hand" \
		"$(ue 3 -o check | grep -c 'the clock')" 0
	must ue 3 sd del red
}

# A secure domain whose peer has another key.
secrets()
{
	local n

	for n in 1 2; do
		genkey "key$n"
		must ue $n sd add s sdi 7
		must ue $n fep add safe addr 10.64.0.$n rails r0 sd s \
			rto-init 5ms rto-max 10ms max-rto-retx 2 \
			peer-timeout 0
		must ue $n job add 2 feps safe
	done
	finds "a secure domain without a key" \
		'^error: sd s: no key is in use: .*: ueadm sd key s an 0 file FILE && ueadm sd use s an 0$'
	for n in 1 2; do
		must ue $n sd key s an 0 file "$TMP/key$n"
		must ue $n sd use s an 0
	done
	assert_eq "a key in use is enough" "$(ue 1 -o check | grep -c '^error: sd')" 0
	on 2 uetcat -j 2 10.64.0.1 <<< secret > "$TMP/cat" 2>&1
	finds "a key that differs from that of the peer" \
		'^error: sd s: none of [1-9][0-9]* packets could be opened: .*: ueadm sd show s,'
	for n in 1 2; do
		must ue $n job del 2
		must ue $n fep del safe
		must ue $n sd del s
	done
}

# The netdev of a rail goes for good.
gone()
{
	node1 link del r1
	finds "a rail that is gone" \
		'^warning: fep fep0: the netdev r1 of one of its rails is gone'
}

module()
{
	teardown_fabric
	must busywait 30 modprobe -q -r uet
	assert_eq "the check finds that the module is not loaded" "$(ueadm -o check)" \
		"error: module: the uet module is not loaded: modprobe uet"
	must modprobe uet family=5
	assert_match "the check tells that the family has another number" "$(ueadm -o check)" \
		'^hint: module: AF_UET is 5 here, not 25: '
	must modprobe -r uet
	must modprobe uet
}

# The next test gets the module, however this test ends.
reload()
{
	cleanup
	modprobe -q -r uet
	modprobe -q uet
}
trap reload EXIT

setup_fabric
add_node 3
must ue 1 fep set fep0 idle 0
sink rx 2 5 -n 3
source_to tx 1 2 5 -n 3 -H
check "the receiver ends without an error" finish rx
fine "nothing is wrong"
links
addresses
stop tx
wait_for "the endpoint goes" 30 nr_eps_are 1 -eq 0
unused
fine "existing objects are used"
walls
secrets
fine "secrets are gone"
nothing
gone
module
finish_tests
