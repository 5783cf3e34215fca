#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Shared parts of the tests of congestion control: slow ports of the fabric whose queues
# mark, what became of packets there, what the contexts of nodes say, and how alike
# shares are.  They source it behind lib.sh.

# These tests set their congestion control themselves.
unset UET_CC

# The settings of FEPs that remake sets.
settings=()

# when_fast ASSERTION TEXT ARGS...: a fact of senders that can fill the ports, and of
# windows that follow in time
when_fast()
{
	if [ "$SCALE" -gt 1 ]; then
		skip "$2" "a slow machine"
	else
		"$@"
	fi
}

# slow_port PORT KBIT LIMIT QDISC...: what marks, behind what slows a port down and
# has space for LIMIT bytes
slow_port()
{
	local port=$1 kbit=$2 limit=$3
	shift 3
	tc -n "${NS[fabric]}" -batch - <<-X
		qdisc replace dev $port root handle 1: tbf rate ${kbit}kbit burst 3000 limit $limit
		qdisc replace dev $port parent 1:1 handle 10: $*
	X
}

# marking_port PORT KBIT LIMIT MIN MAX: a queue that marks from MIN bytes on, and all
# from MAX on, or where there is none, one that marks at random.  The old queue is
# dropped with its packets.
marking_port()
{
	local port=$1 kbit=$2 limit=$3 min=$4 max=$5

	tc -n "${NS[fabric]}" qdisc del dev "$port" root 2> /dev/null
	{
		slow_port "$port" "$kbit" "$limit" red limit "$limit" min "$min" \
			max "$max" avpkt 1100 burst $((min / 1100 + 2)) \
			bandwidth "${kbit}kbit" probability 0.2 ecn ||
		slow_port "$port" "$kbit" "$limit" netem limit \
			$((limit / 1100)) loss 5% ecn
	} 2> "$TMP/why" || die "this kernel has no tbf with red or netem"
}

# port_value PORT WORD: a number behind a word of what tc says of the port's queue
port_value()
{
	[[ $(tc -n "${NS[fabric]}" -s qdisc show dev "$1") =~ $2\ ([0-9]+)([KM]?) ]]
	case ${BASH_REMATCH[2]-} in
	K) echo $((BASH_REMATCH[1] * 1024)) ;;
	M) echo $((BASH_REMATCH[1] * 1048576)) ;;
	*) echo "${BASH_REMATCH[1]-}" ;;
	esac
}

# see_queue PORT: how long its queue is, to $longest if it was never longer
see_queue()
{
	local queue

	queue=$(port_value "$1" backlog)
	[ "${queue:-0}" -le "$longest" ] || longest=$queue
}

# port_drops PORT: packets that the queue had no space for.  RED drops as well what it
# cannot mark; that is ARP and its like, for all UET packets are ECT.
port_drops()
{
	local early

	early=$(port_value "$1" early)
	echo $(($(port_value "$1" dropped) - ${early:-0}))
}

has_dropped()
{
	[ "$(port_drops "$1")" -ge "$2" ]
}

# set_cc WORDS...: at all nodes, for PDCs that do not exist yet
set_cc()
{
	local n

	for ((n = 1; n <= NODES; n++)); do
		must ue "$n" fep set fep0 "$@"
	done
}

# context NODE PEER: that of its FEP with the peer's, all of it, as JSON
context()
{
	ue "$1" -j ccc show fep fep0 fa "$(fa "$2")"
}

# remake NODE WORDS...: its FEP anew, with $settings and these
remake()
{
	local node=$1
	shift
	must busywait 30 ue "$node" job del 1
	must ue "$node" fep del fep0
	add_fep "$node" crc
	must ue "$node" fep set fep0 "${settings[@]}" "$@"
}

# ccc NODE KEY: of its first context
ccc()
{
	[[ $(ue "$1" -j ccc show) =~ \"$2\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# ccc_sum KEY NODE...: of all their contexts
ccc_sum()
{
	local key=$1 node json sum=0
	shift
	for node; do
		json=$(ue "$node" -j ccc show)
		while [[ $json =~ \"$key\":([0-9]+)(.*) ]]; do
			sum=$((sum + BASH_REMATCH[1]))
			json=${BASH_REMATCH[2]}
		done
	done
	echo $sum
}

# flows_begin PID SIZE FLOW...: flows NODE:FEP, or NODE for its only FEP, to that PID of
# node READER; they send messages of SIZE until flows_end, and have to be ended by flows_kill
flows_begin()
{
	local pid=$1 size=$2 flow nr=0
	shift 2
	sink rx "$READER" "$pid" -E -n $#
	for flow in "$@"; do
		nr=$((nr + 1))
		source_to "tx$nr" "${flow%:*}" "$READER" "$pid" -E -n 1000000 \
			-a "$(flow_fa "$flow")" -k $nr -s "$size" \
			-b $((2 * size)) -H -P "$TMP/tx$nr.sent"
	done
	flows=$nr
}

# flow_fa NODE[:FEP]: the fabric address that add_feps gave it
flow_fa()
{
	if [[ $1 = *:* ]]; then
		echo "10.$((100 + ${1%:*})).0.${1#*:}"
	else
		fa "$1"
	fi
}

# add_feps NODE COUNT WORDS...: so many new FEPs instead of those it has, each of which
# has its own context with any other
add_feps()
{
	local node=$1 count=$2 i fep all=''
	shift 2
	must ue "$node" job del 1
	for fep in $(ue "$node" -j fep show | grep -oE '"name":"fep[0-9]+'); do
		must ue "$node" fep del "${fep##*\"}"
	done
	for ((i = 1; i <= count; i++)); do
		must ip -n "${NS[$node]}" addr replace \
			"$(flow_fa "$node:$i")/32" dev fa0
		must ue "$node" fep add "fep$i" addr "$(flow_fa "$node:$i")" \
			rails "$(rail_names)" mtu "$MTU" protect crc "$@"
		all+=,fep$i
	done
	must ue "$node" job add 1 feps "${all#,}"
	must ip -n "${NS[$READER]}" route replace "10.$((100 + node)).0.0/24" \
		via "10.64.0.$node" dev r0
}

# flows_look: how many messages each has sent, in $sent, and all, in $total
flows_look()
{
	local n x

	sent=() total=0
	for ((n = 1; n <= flows; n++)); do
		x=0
		[ ! -s "$TMP/tx$n.sent" ] || read -r x < "$TMP/tx$n.sent"
		sent+=("$x")
		total=$((total + x))
	done
}

flows_are_on()
{
	flows_look
	[[ " ${sent[*]} " != *" 0 "* ]]
}

# flows_watch MESSAGES [COMMAND...]: from when all send until so many more are sent; how
# many by each is in $sent then; the command runs at each look
flows_watch()
{
	local more=$1 before begin n
	shift
	wait_for "all flows send" 120 flows_are_on
	before=("${sent[@]}") begin=$total
	until [ $((total - begin)) -ge "$more" ] || ! running rx; do
		pause 20
		"$@"
		flows_look
	done
	for ((n = 0; n < flows; n++)); do
		sent[n]=$((sent[n] - before[n]))
	done
}

# flows_end TEXT: all that was sent arrives, and whole.  PDCs and their contexts stay
# until flows_kill.
flows_end()
{
	local n

	for ((n = 1; n <= flows; n++)); do kill -TERM "${PID[tx$n]}"; done
	check "$1: everything arrives whole" finish rx
	check "$1: each flow gets answers" busywait 60 flows_are_answered
}

flows_are_answered()
{
	local n

	for ((n = 1; n <= flows; n++)); do
		[ -s "$TMP/tx$n.out" ] || return 1
	done
}

# flows_kill: what is not answered is lost
flows_kill()
{
	local n

	for ((n = 1; n <= flows; n++)); do stop "tx$n"; done
	stop rx
}

# least N...
least()
{
	local x min=$1

	for x in "$@"; do [ "$x" -ge "$min" ] || min=$x; done
	echo "$min"
}

# jain N...: how alike the shares are, per cent: 100 if all are the same, 100 / n if
# one has everything (Jain's index)
jain()
{
	local x sum=0 squares=0

	for x in "$@"; do
		sum=$((sum + x))
		squares=$((squares + x * x))
	done
	echo $((squares ? 100 * sum * sum / ($# * squares) : 0))
}
