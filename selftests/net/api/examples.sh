#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The programs of Documentation/examples do what their heads say.  They are started
# as a user would start them.
#
#	node1      node2      node3
#	  |          |          |
#	  +== planes 0 and 1 ===+
#
# clock: virtual; size: check; takes: 5 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

PATH=$REPO/build/examples:$PATH

# pair NAME PID ARGS...: start the end that waits on node 2 and the other end, with
# ARGS, on node 1.  Both must succeed; $told is the output of the two.
pair()
{
	local name=$1 pid=$2
	shift 2

	start waiter 2 "$name"
	busywait 30 has_ep 2 "$pid" ||
		die "$name does not bind: $(cat "$TMP/waiter.err")"
	check "$name: the end that begins ends well" on 1 "$name" "$(fa 2)" "$@"
	told=$(< "$TMP/check")
	check "$name: the end that waits ends well" finish waiter
	told+=" $(< "$TMP/waiter.out")"
}

setup_fabric --nodes 3

pair pingpong 21
assert_match "pingpong: all messages come back" "$told" \
	'^100 round trips of 1000 bytes, .* 100 messages echoed$'

pair completions 22
assert_match "completions: all operations are reported" "$told" \
	'^1000 messages completed 1000 messages received$'

pair rma_put 23 'from afar'
assert_match "rma_put: the bytes are there when the data reports it" "$told" \
	'^written 9 bytes, completion data 2026: from afar$'

pair rma_get 27
assert_match "rma_get: the bytes are there when the read is complete" "$told" \
	'^13 bytes read: kept far away it was read$'

pair tagged 28
assert_match "tagged: each message goes where its tag says" "$told" \
	$'^sent receive 0, tag 0x100: an apple\nreceive 1, tag 0x2aa: pears$'

pair peek 41
assert_match "peek: the claimed message is received" "$told" \
	'^sent tag 0x2aa, 19 bytes: pears of any number, and an apple$'

pair multi_recv 42
assert_match "multi_recv: each message lies behind the one before it" "$told" \
	$'^sent 512 bytes of a at 0\n511 bytes of b at 512\n.*505 bytes of h at 3563$'

pair peers 43
assert_match "peers: the sender is known by its number" "$told" \
	'^answer: welcome known peer: more$'

pair header_data 29
assert_eq "header_data: each message has its completion data, in order" \
	"$told" "3 messages sent 5 bytes, completion data 0, ordered
5 bytes, completion data 1, ordered
5 bytes, completion data 2, ordered"

pair raw 30
assert_match "raw: the ring has all completions" "$told" \
	'^1000 messages completed 1000 messages received$'

pair cancel 31
assert_match "cancel: the completion reports it" "$told" \
	'^completion: Operation canceled nothing came$'

pair zerocopy 32
assert_match "zerocopy: no message was changed" "$told" \
	'^4 messages of 1048576 bytes sent 4 messages received$'

pair atomic 33
assert_match "atomic: each value is drawn once" "$told" \
	'^the last ticket is 9 the counter is 10$'

pair rma_rudi 34 'from afar'
assert_match "rma_rudi: the bytes are there when the write is complete" "$told" \
	'^[0-9]+ bytes written there is: from afar$'

pair deferrable 35
assert_eq "deferrable: the message comes when its receive is posted" "$told" \
	"both are delivered tag 1: wanted first
tag 2: wanted later"

pair rendezvous 36
assert_match "rendezvous: the whole message was read" "$told" \
	'^[0-9]+ bytes were read 100000 bytes received, 100000 are right$'

pair datagram 37
assert_match "datagram: a full packet was answered" "$told" \
	"^a datagram of $MTU bytes was answered answered\$"

pair epoll 38
assert_match "epoll: all messages come" "$told" \
	'^1000 messages sent 1000 messages received$'

if grep -q io_uring_setup /proc/kallsyms; then
	pair io_uring 40
	assert_match "io_uring: the message comes" "$told" \
		'^5 bytes sent 5 bytes received: hello$'
fi

check "late_error: the example ends well" on 1 late_error "$(fa 2)"
assert_match "late_error: there is no such endpoint" "$(< "$TMP/check")" \
	'^late error: Connection refused$'

check "job_fd: the example ends well" on 1 job_fd
assert_eq "job_fd: the descriptor is the authority" "$(< "$TMP/check")" \
	"user 65534 is an endpoint of job 1"

check "kvs: the example ends well" ue 1 job run -n 3 -- kvs
assert_eq "kvs: each entry is found, and no other" "$(< "$TMP/check")" \
	"name0: rank 0
name1: rank 1
name2: rank 2
name3: not found"

check "request: the example ends well" ue 1 job run -n 4 -- request
assert_eq "request: each request is answered" "$(< "$TMP/check")" "9 requests answered"

check "allreduce: the example ends well" ue 1 job run -n 8 -- allreduce
assert_eq "allreduce: each rank has the sums" "$(< "$TMP/check")" \
	"8 ranks: 8000 sums are right"

check "options: the example ends well" on 1 options
assert_match "options: the example prints the Payload MTU" "$(< "$TMP/check")" \
	"^Payload MTU $MTU bytes\$"
assert_match "options: a refused call is explained" "$(< "$TMP/check")" \
	'^refused: setsockopt: UET_GENERATION cannot change once the socket is bound$'

all=("$(fa 1)" "$(fa 2)" "$(fa 3)")
for rank in 1 2; do
	start "rank$rank" $((rank + 1)) ring $rank "${all[@]}"
done
check "ring: rank 0 gets the expected sum" on 1 ring 0 "${all[@]}"
assert_eq "ring: the token passes each rank ten times" \
	"$(< "$TMP/check")" "10 rounds through 3 ranks: 30"
check "ring: rank 1 ends well" finish rank1
check "ring: rank 2 ends well" finish rank2
finish_tests
