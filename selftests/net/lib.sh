#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The common parts of the net tests: fabrics of network namespaces, commands on a node,
# background programs, waiting by polling, and facts beyond those of tap.sh.  A test
# sources it, calls setup_fabric, states facts with check and its kin, and ends with
# finish_tests.  Everything made here is unmade by the EXIT trap.  It knows no test; run
# starts the tests and judges the kernel log.  Counters and messages are in traffic.sh,
# which it sources.
#
# setup_fabric, two nodes: a pair of veths for each plane
#
#	node1 (FA 10.0.0.1 on fa0)          node2 (FA 10.0.0.2 on fa0)
#	  r0  10.64.0.1 ----- plane 0 ----- 10.64.0.2  r0
#	  r1  10.65.0.1 ----- plane 1 ----- 10.65.0.2  r1
#
# setup_fabric, more nodes: a bridge for each plane, in a namespace of its own
#
#	 node1      node2      node3 ...
#	r0   r1    r0   r1    r0   r1
#	|    |     |    |     |    |
#	+----|-----+----|-----+----|----  plane0 \  bridges in the
#	     +----------+----------+----  plane1 /  namespace "fabric"
#
# With --v6 the FAs are fd00::N and the links fd00:64::N, fd00:65::N.  The FA of
# another node is reached by one multipath route: a look-up bound to a rail gets
# the next hop on that rail, and a rail that goes down and comes back loses and
# regains its next hop without help.

set -u

NET_DIR=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
REPO=$(readlink -f "$NET_DIR/../..")
PATH=$REPO/build:$REPO/build/net:$PATH
# How many times slower than a stock kernel this one is: 10 or so for KASAN.
SCALE=${UET_TEST_SCALE:-1}
TMP=$(mktemp -d "${TMPDIR:-/tmp}/uet-net.XXXXXX")
. "$NET_DIR/../lib/tap.sh"

declare -A NS=() PID=()
NODES=0
RAILS=2
MTU=4096
FAMILY=4
ENCAP=()
PEER_TIMEOUT=0
BACKLOG=/proc/sys/net/core/netdev_max_backlog
backlog=''

#---------------------------------------------------------------------- facts

# compare A -ge|-le|-eq|-gt|-lt B: of numbers; false if A is none
compare()
{
	[[ $1 =~ ^-?[0-9]+$ ]] || return 1
	case $2 in
	-eq) (($1 == $3)) ;;
	-ge) (($1 >= $3)) ;;
	-gt) (($1 > $3)) ;;
	-le) (($1 <= $3)) ;;
	-lt) (($1 < $3)) ;;
	esac
}

# check TEXT COMMAND...: a fact; what the command prints explains a failure
check()
{
	local text=$1 status
	shift
	# In this shell: what the command forgets or waits for is ours.
	"$@" > "$TMP/check" 2>&1
	status=$?
	if [ $status -eq 0 ]; then
		ok "$text"
		return 0
	fi
	not_ok "$text"
	head -n 40 "$TMP/check" | diag
	note "status $status of: $*"
	return 1
}

# assert_eq, assert_ge, assert_le: TEXT ACTUAL EXPECTED
assert_eq()
{
	if [ "$2" = "$3" ]; then ok "$1"; return 0; fi
	not_ok "$1"
	note "is '$2', should be '$3'"
	return 1
}

assert_ge()
{
	if compare "$2" -ge "$3"; then ok "$1"; return 0; fi
	not_ok "$1"
	note "is '$2', should be at least $3"
	return 1
}

assert_le()
{
	if compare "$2" -le "$3"; then ok "$1"; return 0; fi
	not_ok "$1"
	note "is '$2', should be at most $3"
	return 1
}

# assert_match TEXT ACTUAL REGEX
assert_match()
{
	if grep -qE -- "$3" <<< "$2"; then ok "$1"; return 0; fi
	not_ok "$1"
	note "does not match $3:"
	head -n 20 <<< "$2" | diag
	return 1
}

# assert_json TEXT FILE FILTER: FILTER, in the language of jq, is true of the file
assert_json()
{
	if gojq -e "$3" "$2" > "$TMP/jq" 2>&1; then ok "$1"; return 0; fi
	not_ok "$1"
	note "not so: $3"
	cat "$TMP/jq" "$2" | diag
	return 1
}

# relay [-t TEXT] COMMAND...: the facts of a program that prints TAP are ours,
# with TEXT in front
relay()
{
	local front=''

	if [ "$1" = -t ]; then
		front="$2: "
		shift 2
	fi
	tap_join "$front$1" "$front" "$@"
}

# die TEXT: the test cannot go on
die()
{
	not_ok "the set-up of the test succeeds"
	note "$*"
	exit 1
}

# must COMMAND...: part of the set-up, not a fact
must()
{
	local out

	out=$("$@" 2>&1) || die "failed: $*: $out"
}

finish_tests()
{
	tap_end
	exit
}

#-------------------------------------------------------------------- waiting

# pause MS: without a process for it
mkfifo "$TMP/pause"
exec {pause_fd}<> "$TMP/pause"
pause()
{
	local seconds

	printf -v seconds '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
	read -rt "$seconds" -u "$pause_fd"
	:
}

# busywait SECONDS COMMAND...: until the command succeeds; 1 if it never does.  Slow
# conditions are polled less often.
busywait()
{
	local end=$((SECONDS + $1 * SCALE + 1)) ms=20
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		pause $ms
		ms=$((ms < 500 ? ms * 5 / 4 : ms))
	done
}

# wait_for TEXT SECONDS COMMAND...: the same as a fact, silent if it holds
wait_for()
{
	local text=$1
	shift
	busywait "$@" && return 0
	not_ok "$text"
	note "waited in vain for: ${*:2}"
	return 1
}

#---------------------------------------------------------------------- nodes

# on NODE COMMAND...: run it in the node's namespace
on()
{
	local node=$1
	shift
	nsenter --net="/run/netns/${NS[$node]}" -- "$@"
}

# ue NODE ARGS...: ueadm in the namespace of the node
ue()
{
	local node=$1
	shift
	ueadm -n "${NS[$node]}" "$@"
}

# fa NODE: its fabric address
fa()
{
	if [ "$FAMILY" = 6 ]; then echo "fd00::$1"; else echo "10.0.0.$1"; fi
}

# remote_shell: make $TMP/shell HOST COMMAND..., in the place of ssh; the hosts are node1,
# node2, ..., each with the system bus $TMP/bus-HOST
remote_shell()
{
	local node

	# shellcheck disable=SC2016 # for the script
	{
		echo '#!/bin/bash'
		echo 'case $1 in'
		for node in "${!NS[@]}"; do
			echo "node$node) ns=${NS[$node]} ;;"
		done
		echo '*) echo "shell: no host $1" >&2; exit 255 ;;'
		echo 'esac'
		echo "export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$TMP/bus-\$1"
		echo 'exec nsenter --net=/run/netns/$ns -- "${@:2}"'
	} > "$TMP/shell"
	chmod +x "$TMP/shell"
}

# add_node NODE: a namespace with nothing but loopback and the FA
add_node()
{
	local node=$1
	NS[$node]=node$node-$$
	must ip netns add "${NS[$node]}"
	# shellcheck disable=SC2016 # for the inner shell
	on "$node" sh -c '
		cd /proc/sys/net
		for c in all default; do
			echo 0 > ipv4/conf/$c/rp_filter
			echo 0 > ipv6/conf/$c/accept_dad
			echo 1 > ipv6/conf/$c/keep_addr_on_down
		done' || die "cannot set sysctls"
	ip -n "${NS[$node]}" -batch - <<-X || die "cannot make fa0"
		link set lo up
		link add fa0 type dummy
		link set fa0 up
		addr add 10.0.0.$node/32 dev fa0
		addr add fd00::$node/128 dev fa0
	X
}

# mac PLANE NODE: the hardware address of its rail
mac()
{
	printf '02:00:00:00:%02x:%02x' "$1" "$2"
}

# add_links: the rails of two nodes, back to back
add_links()
{
	local p
	for ((p = 0; p < RAILS; p++)); do
		must ip link add "r$p" address "$(mac "$p" 1)" \
			netns "${NS[1]}" type veth \
			peer name "r$p" address "$(mac "$p" 2)" netns "${NS[2]}"
	done
}

# add_switches: a bridge for each plane and the rails of all nodes on it
add_switches()
{
	local p n
	NS[fabric]=fabric-$$
	must ip netns add "${NS[fabric]}"
	for ((p = 0; p < RAILS; p++)); do
		must ip -n "${NS[fabric]}" link add "plane$p" type bridge
		must ip -n "${NS[fabric]}" link set "plane$p" mtu "$LINK_MTU" up
		for ((n = 1; n <= NODES; n++)); do
			must ip link add "r$p" address "$(mac "$p" "$n")" \
				netns "${NS[$n]}" type veth \
				peer name "p$p-n$n" netns "${NS[fabric]}"
			must ip -n "${NS[fabric]}" link set "p$p-n$n" \
				master "plane$p" mtu "$LINK_MTU" up
		done
	done
}

# address_rails NODE: addresses of its rails and routes to the other FAs
address_rails()
{
	local node=$1 p n hops4 hops6
	for ((p = 0; p < RAILS; p++)); do
		cat <<-X
			link set r$p mtu $LINK_MTU up
			addr add 10.$((64 + p)).0.$node/24 dev r$p
			addr add fd00:$((64 + p))::$node/64 dev r$p nodad
		X
	done | ip -n "${NS[$node]}" -batch - || die "cannot address the rails"
	for ((n = 1; n <= NODES; n++)); do
		[ "$n" -ne "$node" ] || continue
		hops4='' hops6=''
		for ((p = 0; p < RAILS; p++)); do
			hops4+=" nexthop via 10.$((64 + p)).0.$n dev r$p"
			hops6+=" nexthop via fd00:$((64 + p))::$n dev r$p"
		done
		echo "route add 10.0.0.$n $hops4"
		echo "route add fd00::$n $hops6"
	done | ip -n "${NS[$node]}" -batch - || die "cannot route"
}

# know_neighbours: hardware addresses for good.  A packet that waits for the answer to a
# question is overtaken by the next, and a full queue may drop the question.
know_neighbours()
{
	local node p n

	for ((node = 1; node <= NODES; node++)); do
		for ((n = 1; n <= NODES; n++)); do
			[ "$n" -ne "$node" ] || continue
			for ((p = 0; p < RAILS; p++)); do
				echo "neigh replace 10.$((64 + p)).0.$n" \
					"lladdr $(mac $p $n) dev r$p nud permanent"
				echo "neigh replace fd00:$((64 + p))::$n" \
					"lladdr $(mac $p $n) dev r$p nud permanent"
			done
		done | ip -n "${NS[$node]}" -batch - || die "cannot set neighbours"
	done
}

# add_loopback NODE JOB: two FEPs that reach each other over the loopback device of the
# node, for C programs, which find the addresses and the job in their environment
#
#	fep1 10.0.1.1 --- lo, plane 0 --- fep2 10.0.1.2   job JOB
add_loopback()
{
	local n

	must ue "$1" rail add lo plane 0
	for n in 1 2; do
		must ip -n "${NS[$1]}" addr add "10.0.1.$n/32" dev lo
		must ue "$1" fep add "fep$n" addr "10.0.1.$n" rails lo mtu 4096
		# A slow machine holds up answers, and RUDI has no peer-timeout.
		[ "$SCALE" -eq 1 ] || must ue "$1" fep set "fep$n" max-rto-retx 15
	done
	must ue "$1" job add "$2" feps fep1,fep2
	export UET_LOCAL=10.0.1.1 UET_REMOTE=10.0.1.2 UET_JOB=$2
}

# add_loopback_jobs NODE: behind add_loopback, what C programs ask for besides: a job of few
# PIDs, a job over IPv6, and one for sockets of IP
#
#	fep1 10.0.1.1, PIDs 5-6   job 2
#	fep6 fd01::1 --- lo       job 6
#	fep1 10.0.1.1, sockets of AF_INET only   job 7
add_loopback_jobs()
{
	must ip -n "${NS[$1]}" addr add fd01::1/128 dev lo
	must ue "$1" fep add fep6 addr fd01::1 rails lo mtu 8192
	must ue "$1" job add 2 feps fep1 pids 5-6
	must ue "$1" job add 6 feps fep6
	must ue "$1" job add 7 feps fep1 inet-only on
	export UET_JOB_ONE=2 UET_SIX=fd01::1 UET_JOB_SIX=6 UET_JOB_INET=7
}

# mount_disk: UET_DISK is a small file system on a block device, if there can be one
mount_disk()
{
	if (modprobe -q -a loop ext4; truncate -s 8M "$TMP/disk" && mkfs.ext4 -q "$TMP/disk" &&
		mkdir "$TMP/mnt" && mount -o loop "$TMP/disk" "$TMP/mnt") > "$TMP/mount" 2>&1
	then
		export UET_DISK=$TMP/mnt
	else
		note "no disk: $(< "$TMP/mount")"
	fi
}

unmount_disk()
{
	[ -z "${UET_DISK-}" ] || must umount "$UET_DISK"
}

# rail_names: r0,r1,... as ueadm wants them
rail_names()
{
	local p names=''
	for ((p = 0; p < RAILS; p++)); do names+=,r$p; done
	echo "${names#,}"
}

# add_fep NODE PROTECT: fep0 and job 1.  With UET_CC=nscc any test runs with congestion
# control, with UET_ENCAP=native over native IP.
add_fep()
{
	local encap=${UET_ENCAP-}

	[[ " ${ENCAP[*]} " != *" encap "* ]] || encap=''
	# A peer that is gone is noticed after some seconds, as the specification has it.
	must ue "$1" fep add fep0 addr "$(fa "$1")" peer-timeout "$PEER_TIMEOUT" \
		rails "$(rail_names)" mtu "$MTU" protect "$2" "${ENCAP[@]}" \
		${encap:+encap "$encap"} ${BURST:+burst "$BURST"} ${UET_CC:+cc "$UET_CC"}
	must ue "$1" job add 1 feps fep0
}

# configure_node NODE PROTECT: rails, one FEP, job 1.  With UET_INGRESS=on any test
# runs with the ingress hook of the rails.
configure_node()
{
	local node=$1 p
	for ((p = 0; p < RAILS; p++)); do
		must ue "$node" rail add "r$p" plane "$p"
		[ -z "${UET_INGRESS-}" ] ||
			must ue "$node" rail set "r$p" ingress "$UET_INGRESS"
	done
	add_fep "$node" "$2"
}

# genkey NAME: $TMP/NAME is the file of a key
genkey()
{
	(umask 077; ueadm sd genkey > "$TMP/$1") || die "genkey"
}

# secure_node NODE: rail r0, domain s with the key in $TMP/one, FEP and job 1
secure_node()
{
	must ue "$1" rail add r0 plane 0
	must ue "$1" sd add s sdi 7
	must ue "$1" sd key s an 0 file "$TMP/one"
	must ue "$1" sd use s an 0
	must ue "$1" fep add fep0 addr "$(fa "$1")" rails r0 sd s
	must ue "$1" job add 1 feps fep0
}

# setup_fabric [--v6] [--mtu N] [--rails N] [--nodes N] [--protect crc|none]
# [--bare] [--native] [--burst BYTES]: nodes 1..N, with rails, FEP fep0 and job 1 unless --bare
setup_fabric()
{
	local protect=crc bare='' n
	NODES=2 RAILS=2 MTU=4096 FAMILY=4 ENCAP=() BURST=${UET_BURST-}
	while [ $# -gt 0 ]; do
		case $1 in
		--v6) FAMILY=6 ;;
		--bare) bare=y ;;
		--native) ENCAP=(encap native) ;;
		--burst) BURST=$2; shift ;;
		--mtu) MTU=$2; shift ;;
		--rails) RAILS=$2; shift ;;
		--nodes) NODES=$2; shift ;;
		--protect) protect=$2; shift ;;
		*) die "setup_fabric: unknown word $1" ;;
		esac
		shift
	done
	# Jumbo frames as a fabric has them: headers and trailer take < 160.
	LINK_MTU=$((MTU + 404))
	for ((n = 1; n <= NODES; n++)); do add_node "$n"; done
	if [ "$NODES" -eq 2 ]; then add_links; else add_switches; fi
	for ((n = 1; n <= NODES; n++)); do
		address_rails "$n"
		[ -n "$bare" ] || configure_node "$n" "$protect"
	done
}

# reconfigure FAMILY PROTECT MTU: other FEPs on the fabric that is there, whose
# links were made for the largest MTU wanted; ENCAP has more words for fep add
reconfigure()
{
	local n

	FAMILY=$1 MTU=$3
	for ((n = 1; n <= NODES; n++)); do
		must ue "$n" job del 1
		must ue "$n" fep del fep0
		add_fep "$n" "$2"
	done
}

# per_node WORDS...: "fep set" on nodes 1 and 2
per_node()
{
	must ue 1 fep set fep0 "$@"
	must ue 2 fep set fep0 "$@"
}

# cut_bursts NODE: what a node sends leaves as packets, each as on a wire, and is captured so
cut_bursts()
{
	local p

	for ((p = 0; p < RAILS; p++)); do
		must on "$1" ethtool -K "r$p" tx-sctp-segmentation off
	done
}

# impair NETEM...: all rails of all nodes.  A netem that is only changed keeps the
# corruption and reordering it had.
impair()
{
	local n p

	for ((n = 1; n <= NODES; n++)); do
		for ((p = 0; p < RAILS; p++)); do
			echo "qdisc replace dev r$p root pfifo"
			echo "qdisc replace dev r$p root netem limit 5000 $*"
		done | tc -n "${NS[$n]}" -batch - || die "cannot impair: $*"
	done
}

# teardown_fabric: end what was started, delete the namespaces
teardown_fabric()
{
	local name
	for name in "${!PID[@]}"; do
		kill -KILL "${PID[$name]}" 2>/dev/null
		wait "${PID[$name]}" 2>/dev/null
	done
	PID=()
	for name in "${!NS[@]}"; do
		ip netns del "${NS[$name]}" 2>/dev/null
	done
	NS=()
}

# deep_backlog: until the test ends no packet is lost to a full queue of a CPU
deep_backlog()
{
	[ -n "$backlog" ] || backlog=$(< $BACKLOG)
	echo 100000 > $BACKLOG || die "cannot set $BACKLOG"
}

cleanup()
{
	teardown_fabric
	[ -z "$backlog" ] || echo "$backlog" > $BACKLOG
	rm -rf "$TMP"
}

trap cleanup EXIT
trap 'exit 130' INT TERM

#--------------------------------------------------------- background programs

# start NAME NODE COMMAND...: in the background, output in $TMP/NAME.{out,err}
start()
{
	local name=$1 node=$2
	shift 2
	# A waiter for its output must not find the output of an earlier program.
	rm -f "$TMP/$name".{sent,out,err}
	# No function in between: the process is the program, for signals.
	nsenter --net="/run/netns/${NS[$node]}" -- "$@" < /dev/null \
		> "$TMP/$name.out" 2> "$TMP/$name.err" &
	PID[$name]=$!
}

running()
{
	kill -0 "${PID[$1]}" 2>/dev/null
}

# whereabouts NAME: of a program that should have ended
whereabouts()
{
	{ grep State "/proc/${PID[$1]}/status"; cat "/proc/${PID[$1]}/stack"; } \
		2>&1 | diag
}

# progress NAME: messages a source started with -P "$TMP/NAME.sent" has sent; none as
# long as the file is not there, or empty
progress()
{
	local count=''

	{ read -r count < "$TMP/$1.sent"; } 2> /dev/null
	echo "${count:-0}"
}

progress_is()
{
	compare "$(progress "$1")" "$2" "$3"
}

# finish NAME: wait for its end, return its status, show what it complained of
finish()
{
	local status
	wait "${PID[$1]}"
	status=$?
	unset "PID[$1]"
	cat "$TMP/$1.err"
	return $status
}

# stop NAME [SIGNAL]: end it, whatever it says about that
stop()
{
	[ -n "${PID[$1]-}" ] || return 0
	kill "-${2:-KILL}" "${PID[$1]}" 2>/dev/null
	wait "${PID[$1]}" 2>/dev/null
	unset "PID[$1]"
}

# has_said NAME REGEX: its output has a line that matches
has_said()
{
	grep -qsE "$2" "$TMP/$1.out"
}

# Bytes of a page of this kernel.
PAGE=$(getconf PAGESIZE)
# Pages that CPUs may hold back before they add them to the sum: 1 MiB each.
# shellcheck disable=SC2034	# tests use it
SLACK=$(($(nproc) * (1 << 20) / PAGE))

# charged: pages of all UET sockets, as /proc/net/protocols shows them
charged()
{
	awk '$1 == "UET-MEM" { print $4 }' /proc/net/protocols
}

# charged_is OP NUMBER
charged_is()
{
	compare "$(charged)" "$1" "$2"
}

# is_stopped NAME: all of it is in state T
is_stopped()
{
	grep -q '^State:[[:space:]]*T' "/proc/${PID[$1]}/status"
}

. "$NET_DIR/traffic.sh"
