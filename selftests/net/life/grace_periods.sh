#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No namespace delays another by a grace period: the mutexes that the netdev notifier
# takes under rtnl are never held over a grace period, nor are rtnl and the mutex of
# generic netlink.  Probes on the mutexes and on the functions that wait record who holds
# what; no time is measured.  Namespaces that end wait once at most, and not at all
# without a FEP.
#
#	node1: FEPs of both encapsulations and with a secure domain on lo
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events/uetlocks

# symbol NAME...: the first that the kernel has
symbol()
{
	local name

	for name in "$@"; do
		grep -qE " $name(\s|$)" /proc/kallsyms && echo "$name" && return
	done
	return 1
}

# address NAME: of a variable of the kernel
address()
{
	awk -v name="$1" '$3 == name { print "0x" $1; exit }' /proc/kallsyms
}

# probe LINE: a probe, or none where the kernel has no such function
probe()
{
	echo "$1" >> "$TRACING/kprobe_events" 2> /dev/null || note "no $1"
}

probes()
{
	local wait

	echo > "$TRACING/kprobe_events"
	probe "p:uetlocks/lock $(symbol mutex_lock_nested mutex_lock) addr=\$arg1:x64"
	probe "p:uetlocks/unlock mutex_unlock addr=\$arg1:x64"
	# synchronize_net() calls one of the first two.
	for wait in synchronize_rcu synchronize_rcu_expedited rcu_barrier; do
		probe "p:uetlocks/wait_$wait $wait by=\$stack0:symbol"
	done
	probe "p:uetlocks/notifier_in uet:rail_netdev_event"
	probe "r:uetlocks/notifier_out uet:rail_netdev_event"
	probe "p:uetlocks/ended uet:uet_quota_close"
	echo 16384 > "$TRACING/buffer_size_kb"
	echo > "$TRACING/trace"
}

# record on|off
record()
{
	[ "$1" = off ] || echo > "$TRACING/trace"
	case $1 in
	on)	echo 1 > "$EVENTS/enable" ;;
	off)	echo 0 > "$EVENTS/enable"
		cp "$TRACING/trace" "$TMP/trace" ;;
	esac
}

no_probes()
{
	echo 0 > "$EVENTS/enable"
	echo > "$TRACING/kprobe_events"
}

# facts: of the record, lines "NAME VALUE...":
#	notifier N		mutexes that the notifier takes
#	held ADDRESS...		mutexes held over a grace period
#	both ADDRESS...		mutexes that are both
#	mine N			waits that uet.ko begins
#	mine_held ADDRESS...	mutexes held over these
#	inside N		waits inside the notifier
facts()
{
	awk '
	function value(name,   at) {
		at = match($0, name "=[^ )]*")
		return substr($0, at + length(name) + 1, RLENGTH - length(name) - 1)
	}
	/^#/ { next }
	{
		match($0, /^ *.*-[0-9]+ +\[/)
		task = substr($0, 1, RLENGTH - 1)
		sub(/ +$/, "", task); sub(/^.*-/, "", task)
	}
	/ notifier_in:/ { inside[task] = 1; next }
	/ notifier_out:/ { inside[task] = 0; next }
	/ lock:/ {
		held[task, value("addr")] = 1
		if (inside[task])
			taken[value("addr")] = 1
		next
	}
	/ unlock:/ { delete held[task, value("addr")]; next }
	/ wait_[a-z_]*:/ {
		mine = /\[uet\]/
		all_mine += mine
		slow += inside[task] != 0
		for (key in held) {
			split(key, part, SUBSEP)
			if (part[1] != task)
				continue
			over[part[2]] = 1
			if (mine)
				mine_over[part[2]] = 1
		}
	}
	END {
		for (addr in taken)
			nr++
		printf "notifier %d\ninside %d\nmine %d\nheld", nr, slow, all_mine
		for (addr in over)
			printf " %s", addr
		printf "\nmine_held"
		for (addr in mine_over)
			printf " %s", addr
		printf "\nboth"
		for (addr in over)
			if (addr in taken)
				printf " %s", addr
		print ""
	}' "$TMP/trace" > "$TMP/facts"
}

# fact NAME: its value
fact()
{
	sed -nE "s/^$1( |$)//p" "$TMP/facts"
}

# nr_ended: namespaces that have ended since the probes are there; to read the record
# would add to it
nr_ended()
{
	awk '$1 == "ended" { print $2 }' "$TRACING/kprobe_profile"
}

# ended N: so many
ended()
{
	compare "$(nr_ended)" -ge "$1"
}

# feps NS: FEPs of all kinds
feps()
{
	local i

	must ip -n "$1" link set lo up
	for i in 1 2 3; do
		must ip -n "$1" addr add "10.0.1.$i/32" dev lo
	done
	must ip netns exec "$1" ueadm rail add lo plane 0
	must ip netns exec "$1" ueadm fep add f1 addr 10.0.1.1 rails lo
	must ip netns exec "$1" ueadm fep add f2 addr 10.0.1.2 rails lo \
		encap native
	must ip netns exec "$1" ueadm fep add f3 addr 10.0.1.3 rails lo port 4794
	must ip netns exec "$1" ueadm job add 1 feps f1
}

#----------------------------------------------------------------- one namespace

if [ ! -e "$TRACING/kprobe_events" ]; then
	skip "no namespace delays another" "a kernel without CONFIG_KPROBE_EVENTS"
	finish_tests
fi
probes
add_node 1
ns=${NS[1]}
record on
feps "$ns"
must ue 1 sd add s1 sdi 7
must ue 1 fep set f1 ack-delay 1ms
must ip -n "$ns" link set lo mtu 60000
must ip -n "$ns" link set lo down
must ip -n "$ns" link set lo up
must ue 1 job del 1
for fep in f1 f2 f3; do
	must ue 1 fep del $fep
done
must ue 1 sd del s1
must ip -n "$ns" link set lo mtu 61000
must ue 1 rail del lo
record off
facts
assert_ge "the notifier takes a mutex" "$(fact notifier)" 1
assert_ge "FEPs end over grace periods" "$(fact mine)" 2
assert_eq "the notifier waits for no grace period" "$(fact inside)" 0
assert_eq "the mutex of the notifier is held over no grace period" "$(fact both)" ""
for lock in genl_mutex rtnl_mutex; do
	addr=$(address $lock)
	assert_match "the address of $lock is known" "$addr" '^0xf[0-9a-f]{15}$'
	check "$lock is held over no grace period of uet.ko" \
		eval '! [[ " $(fact mine_held) " = *" $addr "* ]]'
done

#---------------------------------------------------------- ends of namespaces

before=$(nr_ended)
record on
for i in 1 2 3 4; do
	must ip netns add "unused$i"
	must ip netns del "unused$i"
done
check "unused namespaces end" busywait 30 ended $((before + 4))
record off
facts
assert_eq "the ends of unused namespaces wait for no grace period of uet.ko" "$(fact mine)" 0

must ip netns add used
feps used
record on
must ip netns del used
check "a namespace with FEPs of three kinds ends" busywait 30 \
	ended $((before + 5))
check "nothing is left of a namespace with FEPs" busywait 30 module_users_is -eq 0
record off
facts
assert_eq "the end of a namespace with FEPs waits for one grace period of uet.ko" \
	"$(fact mine)" 1

no_probes
finish_tests
