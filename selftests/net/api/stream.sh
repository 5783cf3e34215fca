#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sockets of streams: the calls (stream_calls.py) on one node; then bytes between two nodes over
# two rails, with losses and reordering, and while a rail dies. The sums of what arrives tell
# whether it is what was sent.
#
#	node3: fep1 10.0.1.1, fep2 10.0.1.2, fep6 fd01::1 over lo
#	node1 ==(2 rails)== node2		job 1: fep0
#
# clock: virtual; size: check; takes: 30 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

here=$(dirname "$(readlink -f "$0")")

# default_job NODE JOB: of its namespace
default_job()
{
	on "$1" sh -c "echo $2 > /proc/sys/net/uet/default_job"
}

add_node 3
add_loopback 3 1
add_loopback_jobs 3
must ue 3 job del 1
must ue 3 job add 1 feps fep1,fep2,fep6
assert_match "a stream without a job is refused" \
	"$(on 3 "$here/stream_calls.py" echoes 2>&1)" 'No such file'
must default_job 3 1
relay on 3 "$here/stream_calls.py"
check "no endpoint is left" busywait 30 nr_eps_are 3 -eq 0

#------------------------------------------------- an unmodified program on two nodes

# serve STREAMS: the server, which is ready
serve()
{
	start server 2 uetize -r "$here/stream_bulk.py" serve 10.0.0.2 7000 "$1"
	wait_for "the server listens" 30 grep -q ready "$TMP/server.out" ||
		diag < "$TMP/server.err"
}

# bulk TEXT STREAMS BYTES
bulk()
{
	serve "$2"
	check "$1: the sums of what arrives are those of what was sent" \
		on 1 uetize -r "$here/stream_bulk.py" send 10.0.0.2 7000 "$2" "$3"
	check "$1: the server ends without an error" finish server
}

setup_fabric
for n in 1 2; do
	must default_job $n 1
done
before=$(counter 1 msg-sent)
bulk "one stream" 1 1000000
assert_le "a write of 128 KiB is one message" $(($(counter 1 msg-sent) - before)) 12
bulk "eight streams" 8 1000000
for p in 0 1; do
	assert_ge "node1 sends on r$p" "$(rail_packets 1 r$p tx)" 100
done
start echo 2 uetize -r python3 -c 'import socket
server = socket.create_server(("10.0.0.2", 7003))
print("ready", flush=True)
s = server.accept()[0]
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while part := s.recv(64):
    s.sendall(part)'
wait_for "the server of echoes listens" 30 grep -q ready "$TMP/echo.out"
before=$(counter 2 tx-ack)
check "a hundred echoes of short writes come" on 1 uetize -r python3 -c 'import socket
s = socket.create_connection(("10.0.0.2", 7003))
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(100):
    s.sendall(bytes(64))
    assert len(s.recv(64, socket.MSG_WAITALL)) == 64'
check "the server of echoes ends" finish echo
# A kernel that checks itself answers later than a delayed ACK.
[ "$SCALE" -gt 1 ] ||
	assert_le "short messages with TCP_NODELAY are not acknowledged one by one" \
		$(($(counter 2 tx-ack) - before)) 60

impair delay 2ms 1ms loss 2%
bulk "losses and reordering" 4 1000000
assert_ge "packets were sent again" "$(counter 1 tx-retx)" 1
assert_eq "no message has failed" "$(counter 1 msg-failed)" 0

impair rate $((20000 / SCALE))kbit
serve 2
before=$(rail_packets 1 r0 tx)
start client 1 uetize -r "$here/stream_bulk.py" send 10.0.0.2 7000 2 4000000
sends() { [ "$(rail_packets 1 r0 tx)" -ge $((before + 100)) ]; }
wait_for "bytes flow before a rail dies" 30 sends
must ip -n "${NS[1]}" link set r0 down
check "a rail dies: the transfer is in the middle" running client
check "a rail dies: the sums are right" finish client
check "a rail dies: the server ends without an error" finish server
assert_eq "a rail dies: no message has failed" "$(counter 1 msg-failed)" 0

# The answer to an OPEN does not get back to the client.
must ip -n "${NS[1]}" link set r0 up
impair delay 1ms
for p in 0 1; do
	must tc -n "${NS[2]}" qdisc replace dev r$p root netem loss 100%
done
start half 2 uetize -r python3 -c 'import socket, struct, time
server = socket.create_server(("10.0.0.2", 7002))
for expected in 1, 0:
    while struct.unpack_from("I", server.getsockopt(6, 11, 32), 24)[0] != expected:
        time.sleep(0.1)
    print(expected, flush=True)'
wait_for "the server of the half open connection listens" 30 nr_eps_are 2 -ge 1
start client 1 uetize -r python3 -c \
	'import socket; socket.create_connection(("10.0.0.2", 7002), 300)'
check "a connection is half open without the answer" busywait 30 grep -q 1 "$TMP/half.out"
check "a half open connection leaves the backlog by itself" finish half
stop client

#------------------------------------------------------------------- uetize

assert_match "without a FEP that knows the address uetize reports that TCP is used" \
	"$(on 1 uetize "$here/stream_bulk.py" send 127.0.0.1 7000 0 0 2>&1;
		on 1 uetize python3 -c 'import socket; socket.create_server(("127.0.0.1", 0))' 2>&1)" \
	'uetize: bind 127.0.0.1: .*; TCP is used'
check "with --require it does not fall back" \
	test "$(on 1 uetize -r python3 -c 'import socket
try: socket.create_server(("127.0.0.1", 0))
except OSError as e: print(e.errno)' 2> /dev/null)" = 99
check "an address outside of the rules is TCP's without a report" \
	test -z "$(on 1 uetize -t 10.0.0.0/8 python3 -c \
		'import socket; socket.create_server(("127.0.0.1", 0))' 2>&1)"
check "a port outside of the rules is TCP's" \
	on 1 uetize -p 1-100 python3 -c 'import socket
s = socket.create_server(("10.0.0.1", 7001))
assert s.getsockopt(socket.SOL_SOCKET, socket.SO_PROTOCOL) == socket.IPPROTO_TCP'
finish_tests
