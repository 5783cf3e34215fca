#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Streams against those who mean no good: users without a right to the job, a process of the
# job that sends forged messages, floods and resets (stream_abuse.py), and a user who fills the
# memory of streams (stream_hog.py).
#
#	node1: fep1 10.0.1.1, fep2 10.0.1.2 over lo	job 1
#
# clock: virtual; size: all; takes: 2 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

here=$(dirname "$(readlink -f "$0")")
calls=$here/../api/stream_calls.py

# bind_as PORT OPTION...: bind a stream to the port with these options of setpriv
bind_as()
{
	on 1 setpriv "${@:2}" --inh-caps=-all --bounding-set=-all python3 -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 260)
s.bind(('10.0.1.1', $1))" 2>&1
}

add_node 1
add_loopback 1 1
must on 1 sh -c 'echo 1 > /proc/sys/net/uet/default_job'
export UET_SIX=::
assert_match "a user without a right to the job has no stream of it" \
	"$(bind_as 8000 --reuid 1000 --clear-groups)" 'Permission denied'
must ue 1 job del 1
must ue 1 job add 1 feps fep1,fep2 uid 1000
assert_eq "the user of the job has streams" \
	"$(bind_as 8000 --reuid 1000 --clear-groups)" ''
assert_match "a port below 1024 needs a capability" \
	"$(bind_as 80 --reuid 1000 --clear-groups)" 'Permission denied'
relay on 1 "$here/stream_abuse.py" $((2000 / SCALE))
check "the calls of streams still work" on 1 "$calls" echoes names refused half_close

# A user alone has four fifths of the second number at most; each CPU may hold back 1 MiB.
limits=$(< /proc/sys/net/uet/stream_mem)
echo "3072 4096 6144" > /proc/sys/net/uet/stream_mem
start hog 1 setpriv --reuid 1000 --clear-groups --inh-caps=-all --bounding-set=-all \
	"$here/stream_hog.py"
wait_for "the user has filled what it may" 60 grep -q . "$TMP/hog.out"
assert_ge "a user fills its share of the memory of streams" "$(< "$TMP/hog.out")" 1024
assert_le "a user leaves memory of streams to others" "$(< "$TMP/hog.out")" \
	$((4096 * 4 / 5 + SLACK))
check "streams of another user work beside it" on 1 "$calls" echoes names half_close
stop hog
echo "$limits" > /proc/sys/net/uet/stream_mem
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
