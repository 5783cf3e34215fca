#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# close() and UET_IOC_SEND_CANCEL take as many steps as the socket has PDCs and
# messages, whatever the other sockets of the FEP have, and bind() tries no address that
# is in use.  Probes count the PDCs that the task locks, and the addresses that it tries;
# no time is measured.
#
#	node1   fep1 10.0.1.1 --- lo, plane 0 --- fep2 10.0.1.2   job 1
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events/uetclose
others=200

# steps NAME: hits of the probe while the task has the name that the filter wants
steps()
{
	grep -c " $1: " "$TMP/trace"
}

# has_probes: the kernel can count
has_probes()
{
	[ -e "$TRACING/kprobe_events" ]
}

# record COMM ARGS...: run close_steps, and record what it does itself, not a softirq that
# interrupts it (TRACE_FLAG_SOFTIRQ), under a name
record()
{
	local comm=$1
	shift

	if ! has_probes; then relay -t "close_steps" on 1 close_steps "$@"; return; fi
	echo "comm == \"$comm\" && !(common_flags & 16)" > "$EVENTS/filter"
	echo > "$TRACING/trace"
	echo 1 > "$EVENTS/enable"
	relay -t "close_steps" on 1 close_steps "$@"
	echo 0 > "$EVENTS/enable"
	cp "$TRACING/trace" "$TMP/trace"
}

add_node 1
add_loopback 1 1
must ue 1 fep set fep1 idle 0
must ue 1 fep set fep2 idle 0
export UET_OTHERS=$others

if has_probes; then
	echo "p:uetclose/pdc uet:uet_pdc_entry_lock" > "$TRACING/kprobe_events"
	echo "p:uetclose/try uet:uet_ep_table_add" >> "$TRACING/kprobe_events"
fi

record closer close__
if has_probes; then
	note "$(steps pdc) times a PDC is locked"
	assert_ge "PDCs of the socket are closed" "$(steps pdc)" 1
	assert_le "close() locks fewer PDCs than half of those of other sockets" "$(steps pdc)" $((others / 2))
fi

record binder bind__
if has_probes; then
	note "$(steps try) addresses are tried"
	assert_eq "bind() tries one address when one is left" \
		"$(steps try)" 1
	echo > "$TRACING/kprobe_events"
fi
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
