#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cluster of Documentation/examples/cluster, by its files alone: 24 FEPs on 4
# rails, and a ring all-reduce of the GPUs on each.
#
#	 node1 ... node6, each with gpu0 10.100.0.N ... gpu3 10.103.0.N
#	r0 r1 r2 r3
#	|  |  |  |
#	planes 0 to 3
#
# clock: virtual; size: check; takes: 5 s; limit: 480 s

. "$(dirname "$0")/../lib.sh"

gpus=4
# On a slow kernel a part of it.
nodes=6
[ "$SCALE" -lt 10 ] || nodes=2

# address_gpus NODE: the fabric addresses of its GPUs; the routes to the others' are
# those of the files
address_gpus()
{
	local node=$1 gpu
	for ((gpu = 0; gpu < gpus; gpu++)); do
		echo "addr add 10.$((100 + gpu)).0.$node/32 dev fa0"
	done | ip -n "${NS[$node]}" -batch - || die "cannot address the GPUs"
}

# write_files NODE: what an administrator would copy there
write_files()
{
	local example=$REPO/Documentation/examples/cluster to=$TMP/node$1

	mkdir -p "$to/uetd.conf.d"
	cp "$example/uetd.conf" "$to"
	cp "$example/peers.conf" "$to/uetd.conf.d"
	sed "s/^\\(addr = .*\\)\\.1\$/\\1.$1/" "$example/node1.conf" \
		> "$to/uetd.conf.d/node.conf"
}

# has_feps NODE: one for each GPU, and the job
has_feps()
{
	compare "$(occurrences "$(ue "$1" -j fep show)" '"state":"usable"')" \
		-eq "$gpus" && ue "$1" job show 1 > /dev/null 2>&1
}

# routes NODE [ADDR]: those that uetd made, a line for each
routes()
{
	local family=-4

	[[ ${2-} != *:* ]] || family=-6
	ip -n "${NS[$1]}" $family -o route show proto 93 ${2+exact "$2"}
}

# route_is ADDR REGEX: on node 1
route_is()
{
	[[ $(routes 1 "$1") =~ ^$2$ ]]
}

# two_ways: a peer over two rails, one of which goes down and comes back; and what
# somebody else has routed
two_ways()
{
	local both='10.9.0.1 .*via 10.64.0.2 dev r0 .*via 10.65.0.2 dev r1 .*'
	local conf=$TMP/node1/uetd.conf.d

	printf '[peer %s]\naddr = %s\nvia = r0 10.64.0.2, r1 10.65.0.2\n' \
		two 10.9.0.1 other 10.9.0.2 > "$conf/two.conf"
	printf '[peer six]\naddr = fd00:9::1\nvia = r0 fd00:64::2, r1 fd00:65::2\n' \
		>> "$conf/two.conf"
	must ip -n "${NS[1]}" route add 10.9.0.2 via 10.66.0.2 dev r2
	kill -HUP "${PID[uetd1]}"
	check "the route to a peer has two rails" busywait 30 route_is 10.9.0.1 "$both"
	check "the route to a peer by IPv6 has two rails" busywait 30 route_is fd00:9::1 \
		'fd00:9::1 .*via fd00:64::2 dev r0 .*via fd00:65::2 dev r1 .*'
	check "a route that is not ours is left alone, and told" busywait 30 \
		grep -q 'route 10.9.0.2: there is one that is not ours' \
		"$TMP/uetd1.err"
	must ip -n "${NS[1]}" route del 10.9.0.1
	check "a route that is deleted comes back" busywait 30 \
		route_is 10.9.0.1 "$both"
	must ip -n "${NS[1]}" route replace 10.9.0.1 via 10.64.0.2 dev r0 proto 93
	check "a route that is changed is as before" busywait 30 \
		route_is 10.9.0.1 "$both"
	must ip -n "${NS[1]}" -6 route del fd00:9::1
	check "by IPv6, too: a route that is deleted comes back" busywait 30 \
		route_is fd00:9::1 \
		'fd00:9::1 .*via fd00:64::2 dev r0 .*via fd00:65::2 dev r1 .*'
	must ip -n "${NS[1]}" link set r1 down
	check "one goes down: the other is left" busywait 30 \
		route_is 10.9.0.1 '10.9.0.1 via 10.64.0.2 dev r0 [^\\]*'
	must ip -n "${NS[1]}" link set r1 up
	check "the deleted route comes back" busywait 60 route_is 10.9.0.1 "$both"
	rm "$conf/two.conf"
	kill -HUP "${PID[uetd1]}"
	check "a peer that no file names has no route" busywait 30 \
		route_is 10.9.0.1 ''
	assert_match "the route of somebody else is as it was" \
		"$(ip -n "${NS[1]}" route show 10.9.0.2)" 'via 10.66.0.2 dev r2'
}

# peers GPU: its fabric address on each node
peers()
{
	local n list=''
	for ((n = 1; n <= NODES; n++)); do list+=,10.$((100 + $1)).0.$n; done
	echo "${list#,}"
}

# start_ring GPU: a rank on each node
start_ring()
{
	local n
	for ((n = 1; n <= NODES; n++)); do
		start "gpu$1-$n" "$n" uetperf allreduce --rank $((n - 1)) \
			--peers "$(peers "$1")" --pid $((16 * $1)) \
			--iterations 1 --warmup 0 --size 24000 --json \
			--timeout $((30 * SCALE))
	done
}

# finish_ring GPU
finish_ring()
{
	local n status=0
	for ((n = 1; n <= NODES; n++)); do
		finish "gpu$1-$n" || status=1
	done
	[ "$status" -eq 0 ]
}

setup_fabric --bare --nodes $nodes --rails $gpus
for ((n = 1; n <= NODES; n++)); do
	address_gpus $n
	write_files $n
	start "uetd$n" $n uetd -c "$TMP/node$n/uetd.conf"
done
feps=0
for ((n = 1; n <= NODES; n++)); do
	check "node $n has $gpus feps and the job" busywait 60 has_feps $n
	feps=$((feps + $(occurrences "$(ue $n -j fep show)" '"addr":')))
done
assert_eq "node 1 has $((nodes * gpus)) FEPs" $feps $((nodes * gpus))

assert_eq "node 1 has routes to all peers of the files but its own" \
	"$(routes 1 | wc -l)" $((5 * gpus))

for ((gpu = 0; gpu < gpus; gpu++)); do start_ring $gpu; done
for ((gpu = 0; gpu < gpus; gpu++)); do
	check "the all-reduce of gpu$gpu on $nodes nodes succeeds" finish_ring $gpu
	assert_ge "the rail of gpu$gpu carries its all-reduce" "$(rail_packets 1 r$gpu tx)" 20
done
two_ways
for ((n = 1; n <= NODES; n++)); do
	kill -TERM "${PID[uetd$n]}"
	check "node $n: uetd ends well" finish "uetd$n"
done
finish_tests
