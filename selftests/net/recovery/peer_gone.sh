#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The peer goes away in the middle of a message: who has posted a receive for it,
# and who waits in sendmsg() for it to go on, learn ECONNRESET.  The links lose
# everything meanwhile, so that nobody can say goodbye.
#
#	node1 r0 ---netem--- r0 node2
#	      r1 ---netem--- r1
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# gone NODE: what is configured there goes, and comes back without its past
gone()
{
	must ue "$1" job del 1
	must ue "$1" fep del fep0
	add_fep "$1" crc
}

# has_ended NAME
has_ended()
{
	! running "$1"
}

setup_fabric
must ue 1 fep set fep0 target-idle 500ms close-req 200ms
must ue 2 fep set fep0 target-idle 500ms close-req 200ms
for n in 1 2; do must ue $n fep set fep0 max-rto-retx 15; done

impair rate 100mbit
start post 1 peer_gone post "$(fa 1)" 5
wait_for "a receive is posted" 30 has_said post ready
start tx 2 peer_gone send "$(fa 2)" "$(fa 1)" 5
wait_for "a message goes there" 30 counter_is 1 rx-posted -ge 50
impair loss 100%
stop tx
gone 2
check "the receive ends" busywait 60 has_ended post
assert_eq "the receive ends with ECONNRESET" "$(tail -n 1 "$TMP/post.out")" \
	"cookie 7 length 0: ECONNRESET"
assert_ge "the message of the receive was lost with the PDC" "$(counter 1 msg-lost)" 1

impair delay 0ms
start sit 1 peer_gone sit "$(fa 1)" 5
wait_for "an endpoint that reads nothing is ready" 30 has_said sit ready
start tx 2 peer_gone send "$(fa 2)" "$(fa 1)" 5
wait_for "a sender waits" 30 counter_is 1 msg-deferred -ge 2
impair loss 100%
stop sit
gone 1
impair delay 0ms
check "the sender waits no more" busywait 60 has_ended tx
assert_match "the sender is told ECONNRESET" "$(tail -n 1 "$TMP/tx.out")" \
	"^ECONNRESET: .*fatal-nack"
for n in 1 2; do
	check "node$n: no endpoint is left" busywait 30 nr_eps_are $n -eq 0
done
transfer "afterwards all is well" 1 2 5 -n 4 -s 70000
finish_tests
