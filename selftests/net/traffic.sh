#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The queries of the net tests to ueadm (counters, PDCs, endpoints, configuration), and
# the functions that carry messages and files from node to node and capture them.  Part
# of lib.sh, which sources it.

#------------------------------------------------------------------- counters
#
# Picked out of ueadm's JSON by the shell: in an emulated machine each process
# costs a noticeable time, and these are asked again and again.

# stats NODE: all counters, as JSON, for the next two
stats()
{
	ue "$1" -j stats
}

# counter_in JSON NAME: a MIB counter, by its name in mib.def
counter_in()
{
	[[ $1 =~ \"$2\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# reasons_in JSON [REGEX]: drop reasons that happened and match, name:count
reasons_in()
{
	local pair name json=${1#*\"drops\":\{}

	json=${json%%\}*}
	for pair in ${json//,/ }; do
		name=${pair%%:*}
		name=${name//\"/}
		[ "${pair##*:}" = 0 ] || ! [[ $name =~ ^(${2-.*})$ ]] ||
			echo "$name:${pair##*:}"
	done
}

# drops_in JSON REGEX: packets dropped for reasons whose text matches
drops_in()
{
	local reason sum=0

	for reason in $(reasons_in "$1" "$2"); do
		sum=$((sum + ${reason#*:}))
	done
	echo $sum
}

# counter NODE NAME
counter()
{
	counter_in "$(stats "$1")" "$2"
}

# counters_sum NAME NODE...
counters_sum()
{
	local name=$1 node sum=0
	shift
	for node; do sum=$((sum + $(counter "$node" "$name"))); done
	echo $sum
}

# asleep NODE: PDCs that gave their window back, also those that ended without one
asleep()
{
	local now

	now=$(stats "$1")
	echo $(($(counter_in "$now" pdc-slept) - $(counter_in "$now" pdc-woken)))
}

# drops NODE REGEX
drops()
{
	drops_in "$(stats "$1")" "$2"
}

# rail_packets NODE DEV rx|tx
rail_packets()
{
	[[ $(ue "$1" -j rail show) =~ \"dev\":\"$2\"[^\}]*\"$3-packets\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# ep_value NODE PID KEY: a number of the endpoint
ep_value()
{
	[[ $(ue "$1" -j ep show) =~ \"pid\":$2,[^\}]*\"$3\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# ccc_value NODE PEER KEY: a number of the context that node has with the other
ccc_value()
{
	[[ $(ue "$1" -j ccc show fep fep0 fa "$(fa "$2")" 2> /dev/null) =~ \"$3\":([0-9]+) ]]
	echo "${BASH_REMATCH[1]-}"
}

# occurrences TEXT STRING: how often the string is in the text
occurrences()
{
	local without=${1//"$2"/}

	echo $(((${#1} - ${#without}) / ${#2}))
}

# nr_pdcs NODE [STATE]
nr_pdcs()
{
	local pattern='"role":'

	[ -z "${2-}" ] || pattern="\"state\":\"$2\""
	occurrences "$(ue "$1" -j pdc show)" "$pattern"
}

# nr_eps NODE: bound endpoints
nr_eps()
{
	occurrences "$(ue "$1" -j ep show)" '"ri":'
}

# For busywait: NODE WHAT OP VALUE.

counter_is()
{
	compare "$(counter "$1" "$2")" "$3" "$4"
}

drops_are()
{
	compare "$(drops "$1" "$2")" "$3" "$4"
}

# nr_pdcs_are NODE OP VALUE [STATE]
nr_pdcs_are()
{
	compare "$(nr_pdcs "$1" "${4-}")" "$2" "$3"
}

# nr_eps_are NODE OP VALUE
nr_eps_are()
{
	compare "$(nr_eps "$1")" "$2" "$3"
}

# has_ep NODE PID: bound, with ri 1
has_ep()
{
	[[ $(ue "$1" -j ep show) =~ \"pid\":$2,\"ri\":1, ]]
}

# configuration NODE: what people configured, without what traffic changes
configuration()
{
	local what

	for what in rail fep job; do ue "$1" -j $what show; done |
		sed -E 's/,"([rt]x-(packets|bytes|retx)|endpoints|descriptors)":[0-9]+//g'
}

# ue_refuses REGEX ARGS...: ueadm on node 1 does, with a reason
ue_refuses()
{
	local regex=$1 out
	shift
	if out=$(ue 1 "$@" 2>&1); then
		not_ok "ueadm refuses $*"
		return
	fi
	assert_match "ueadm refuses $*" "$out" "$regex"
}

# module_users: what holds the module; nothing if it is not there
module_users()
{
	awk '$1 == "uet" { print $3 }' /proc/modules
}

# module_users_is OP VALUE
module_users_is()
{
	compare "$(module_users)" "$1" "$2"
}

# module_traces: what a module that is gone must not have left
module_traces()
{
	grep -i uet /proc/net/protocols /proc/modules /proc/slabinfo
}

# no_namespaces: with a number, by which also those without a name are known
no_namespaces()
{
	[ -z "$(ip netns list-id)" ]
}

# socket_objects: sockets of the family in memory, whoever has them; the slab
# counts exactly once the CPUs have given back what they keep
socket_objects()
{
	local slab

	for slab in /sys/kernel/slab/UET{,v4,v6,STREAMv4,STREAMv6}; do
		[ ! -e "$slab" ] || echo 1 > "$slab/shrink"
	done
	awk '$1 ~ /^UET(STREAM)?(v[46])?$/ { n += $2 } END { print n + 0 }' /proc/slabinfo
}

# socket_objects_are OP VALUE
socket_objects_are()
{
	compare "$(socket_objects)" "$1" "$2"
}

# no_leaked_references: what the trackers of a debug kernel found
no_leaked_references()
{
	! dmesg | grep 'leaked reference'
}

# check_nothing_left USERS OBJECTS: of a program that made its own namespaces,
# when USERS held the module and there were OBJECTS sockets before
check_nothing_left()
{
	check "no namespace is left" busywait 30 no_namespaces
	check "nothing holds the module" busywait 30 module_users_is -eq "$1"
	check "no socket is left in memory" \
		busywait 30 socket_objects_are -eq "$2"
	check "no reference is leaked" no_leaked_references
}

#--------------------------------------------------------------------- memory

# ram_mb: of the machine
ram_mb()
{
	awk '$1 == "MemTotal:" { print int($2 / 1024) }' /proc/meminfo
}

# slab_mb: what the kernel's slabs hold
slab_mb()
{
	awk '$1 == "Slab:" { print int($2 / 1024) }' /proc/meminfo
}

# pinned_pages: by whomever, for a long time or for a moment
pinned_pages()
{
	local name count sum=0

	echo 1 > /proc/sys/vm/stat_refresh
	while read -r name count; do
		case $name in
		nr_foll_pin_acquired) sum=$((sum + count)) ;;
		nr_foll_pin_released) sum=$((sum - count)) ;;
		esac
	done < /proc/vmstat
	echo $sum
}

# pinned_pages_are OP VALUE
pinned_pages_are()
{
	compare "$(pinned_pages)" "$1" "$2"
}

#------------------------------------------------------------------- messages

# The delivery mode of these: rud, rod or uud.
MODE=rud

# sink NAME NODE PID ARGS...: start a msgs recv bound to {job 1, PID, ri 1} and
# wait until it is bound
sink()
{
	local name=$1 node=$2 pid=$3
	shift 3
	start "$name" "$node" msgs recv -m "$MODE" -t $((60 * SCALE)) \
		-a "$(fa "$node")" -p "$pid" "$@"
	busywait 30 has_ep "$node" "$pid" ||
		die "sink $name does not bind: $(cat "$TMP/$name.err")"
}

# source_to NAME NODE TO PID ARGS...: start a msgs send from NODE to {FA of TO, PID}
source_to()
{
	local name=$1 node=$2 to=$3 pid=$4
	shift 4
	start "$name" "$node" msgs send -m "$MODE" -t $((60 * SCALE)) \
		-p "$pid" "$@" \
		"$(fa "$to")"
}

# result TEXT KEY: a value of the line that msgs and hostile print at their end
result()
{
	[[ $1 =~ (^|[[:space:]])$2=([0-9]+) ]]
	echo "${BASH_REMATCH[2]-}"
}

# transfer CASE FROM TO PID -n COUNT (first) -s SIZES ...: messages from node to node
# arrive whole, each once; a fact
transfer()
{
	local text="$1: all messages of node $2 arrive at node $3" from=$2 to=$3 pid=$4 status=0
	shift 4
	sink rx "$to" "$pid" "${@:1:2}"
	source_to tx "$from" "$to" "$pid" "$@"
	finish tx > "$TMP/why" || status=$?
	if [ $status -eq 0 ]; then
		finish rx >> "$TMP/why" || status=$?
	else
		stop rx
	fi
	if [ $status -eq 0 ]; then ok "$text"; return 0; fi
	not_ok "$text"
	cat "$TMP"/why "$TMP"/tx.out "$TMP"/rx.out | diag
	return 1
}

# file_transfer CASE FROM TO BYTES: uetcat carries a file, SHA-256 compared
file_transfer()
{
	local text="$1: uetcat carries a file of $4 bytes to node $3" from=$2 to=$3 bytes=$4 status=0
	head -c "$bytes" /dev/urandom > "$TMP/in"
	: > "$TMP/out"
	start cat "$to" uetcat -l -j 1 -p 9 -r 1 -o "$TMP/out"
	busywait 30 has_ep "$to" 9 || die "uetcat -l: $(cat "$TMP/cat.err")"
	on "$from" uetcat -j 1 -p 9 -r 1 -i "$TMP/in" "$(fa "$to")" \
		> "$TMP/why" 2>&1 || status=$?
	if [ $status -eq 0 ]; then
		finish cat >> "$TMP/why" || status=$?
	else
		stop cat
	fi
	if [ $status -ne 0 ]; then
		not_ok "$text"
		diag < "$TMP/why"
		return 1
	fi
	assert_eq "$text" "$(sha256sum < "$TMP/out")" "$(sha256sum < "$TMP/in")"
}

#------------------------------------------------------------------- captures

listening()
{
	grep -qs 'listening on' "$TMP/dump.err"
}

# keep_order: a capture on r0 of node 1 shows what was sent in that order
keep_order()
{
	# One CPU takes all that arrives: two would show ACKs in another order.
	must ip netns exec "${NS[1]}" \
		sh -c 'echo 1 > /sys/class/net/r0/queues/rx-0/rps_cpus'
	know_neighbours
}

# tshark_read CAPTURE OPTION...: a capture in $TMP, with the dissector; as nobody, since
# newer versions run no scripts as root.  The destination port decides what is UET: the
# source port is entropy, and may be the port of another protocol.
tshark_read()
{
	local capture=$TMP/$1
	shift

	cp "$REPO"/tools/wireshark/*.lua "$TMP"
	chmod 755 "$TMP"
	chmod 644 "$TMP"/*.lua "$capture"
	setpriv --reuid=nobody --regid=nogroup --clear-groups \
		env HOME="$TMP" WIRESHARK_CONFIG_DIR="$TMP" \
		tshark -n -r "$capture" -X lua_script:"$TMP/uet.lua" \
		-o udp.try_heuristic_first:TRUE "$@" \
		2> "$TMP/tshark.err"
}

# has_tshark TEXT: if not, the fact is skipped
has_tshark()
{
	command -v tshark > /dev/null && return
	skip "$1" "no tshark"
	return 1
}

# dissected TEXT CAPTURE OPTION...: each frame of a capture in $TMP is UET with a good
# CRC and nothing to object to
dissected()
{
	local text=$1 capture=$2
	shift 2

	has_tshark "$text: tshark reads it" || return 0
	tshark_read "$capture" "$@" -o uet.crc:on -T fields -e uet.crc.status \
		-e uet.drop > "$TMP/frames"
	assert_eq "$text: tshark reads each frame" \
		"$(grep -vcE '^(1|True)[[:space:]]*$' "$TMP/frames")" 0 ||
		head -n 5 "$TMP/tshark.err" | diag
	assert_ge "$text: the capture has 40 frames or more" "$(wc -l < "$TMP/frames")" 40
}

# wrong_drops NODE: packets that it has dropped because they are wrong
wrong_drops()
{
	local wrong='crc|bad-.*|(truncated|reserved|illegal)-.*|pdcid-mismatch|tx-.*'

	wrong+='|ses-(not|bad|data|response|som|nosom|eom|beyond|length|short)-.*'
	drops "$1" "$wrong"
}

# capture TEXT FILTER: a transfer to PID 5 of job 1, until its PDCs are closed; the capture
# is $TMP/r0.pcap
capture()
{
	start dump 1 tcpdump --immediate-mode -B 16384 -U -s 10000 -i r0 \
		-w "$TMP/r0.pcap" "$2"
	must busywait 30 listening
	transfer "$1" 1 2 5 -n 24 -s 0,1,1000,4096,5000,100000
	wait_for "$1: all PDCs of node 1 close" 30 nr_pdcs_are 1 -eq 0
	must kill -TERM "${PID[dump]}"
	check "$1: tcpdump ends without an error" finish dump
	assert_match "$1: the capture misses no packet" "$(cat "$TMP/dump.err")" \
		'^0 packets dropped by kernel'
}

# captured TEXT FILTER CHECK-ARGS...: capture(), checked
captured()
{
	local text=$1 filter=$2
	shift 2

	capture "$text" "$filter"
	relay -t "$text" pcapcheck -p 5 "$@" "$TMP/r0.pcap"
}
