#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A target that answers as no honest one would: whatever it says of windows,
# acknowledgments and refusals, the sender stays within the window it was granted, each
# of its messages ends, and what it sends to others goes on.  A target that wants ROD
# PDCs closed in the middle gets all messages in order.  Its answers to reads, or their
# absence, end the reads and harm no other peer (crooked_read); so does a target that
# defers what it must not, or forges its way to it (crooked_defer). UET_SEED repeats a
# run.
#
#	node1 (sender) ----+
#	node2 (honest) ----+== plane 0
#	node3 (crooked) ---+
#
# clock: virtual; size: all; takes: 60 s; limit: 600 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}

has_ended()
{
	! running "$1"
}

# pdcs_with FA: of node 1
pdcs_with()
{
	occurrences "$(ue 1 -j pdc show)" "\"$1\""
}

no_pdc_with()
{
	[ "$(pdcs_with "$1")" = 0 ]
}

# crook_on HOW ARGS...: node 3 answers like that
crook_on()
{
	local how=$1
	shift
	start crook 3 crooked -S "$seed" "$@" "$how" "$(fa 3)" "$(fa 1)"
	wait_for "$how: the target listens" 30 grep -q ready "$TMP/crook.out"
}

# crook_off HOW: what came of it is in $out
crook_off()
{
	kill -TERM "${PID[crook]}"
	check "$1: the target ends well" finish crook
	out=$(tail -n 1 "$TMP/crook.out")
	note "$1: $out"
}

# retries N LONGEST: N time-outs in a row end a PDC of node 1.  Few and short
# ones for a target that does not answer, or one packet at a time; many for one that
# does, but is a program that may have to wait for a CPU.
retries()
{
	must ue 1 fep set fep0 max-rto-retx "$1" rto-max "$2"
}

# crook HOW MOST REASONS ARGS...: messages to a target that answers some hundred
# packets HOW, then no more.  MOST packets at most are out.  With REASONS, a regex,
# answers are dropped for these.
crook()
{
	local how=$1 most=$2 reasons=$3 old new progress out
	shift 3
	old=$(stats 1)
	progress=$(progress tx)
	crook_on "$how" -n 300 "$@"
	source_to victim 1 3 5 -n 24 -s 64,70000,4096
	check "$how: the messages end" busywait 180 has_ended victim ||
		whereabouts victim
	finish victim > "$TMP/why"
	note "$how: $(tail -n 1 "$TMP/why")"
	check "$how: the PDCs end, too" busywait 60 no_pdc_with "$(fa 3)"
	crook_off "$how"
	new=$(stats 1)
	assert_ge "$how: there was something to answer" \
		"$(result "$out" requests)" 1
	assert_eq "$how: no packet was beyond the window" "$(result "$out" beyond)" 0
	assert_le "$how: few enough were out" "$(result "$out" most)" "$most"
	[ -z "$reasons" ] || assert_ge "$how: answers were dropped as $reasons" \
		$(($(drops_in "$new" "$reasons") -
		   $(drops_in "$old" "$reasons"))) 1
	check "$how: other traffic goes on" \
		busywait 30 progress_is tx -gt "$progress"
}

# unread: the response to a message cannot be read; its ACK counts, and it fails
unread()
{
	local out old

	old=$(drops 1 ses-response-opcode)
	crook_on unread
	source_to victim 1 3 5 -n 1 -s 64
	check "unread: the message ends" busywait 30 has_ended victim
	finish victim > "$TMP/why"
	assert_match "unread: the message fails with an error response" \
		"$(tail -n 1 "$TMP/why")" \
		'\(uncor\)'
	check "unread: the PDC ends, too" busywait 60 no_pdc_with "$(fa 3)"
	crook_off unread
	assert_eq "unread: nothing was sent again" "$(result "$out" requests)" 2
	assert_ge "unread: the response was dropped" \
		$(($(drops 1 ses-response-opcode) - old)) 1
}

# in_order MESSAGES: all are answered although the target asks for a close again
# and again, and were begun in their turn
in_order()
{
	local out

	retries 15 2s
	crook_on close_request -n 1000000
	# Few at a time, so that those behind them find the PDC closing.
	MODE=rod source_to victim 1 3 5 -n "$1" -s 64,9000,4096 -b 32768
	check "ROD, closed in the middle: all messages are answered" finish victim
	check "ROD, closed in the middle: the PDCs close" \
		busywait 60 no_pdc_with "$(fa 3)"
	crook_off "ROD, closed in the middle"
	assert_ge "ROD, closed in the middle: at least four PDCs were closed" \
		"$(result "$out" pdcs)" 4
	assert_eq "ROD, closed in the middle: all messages came" \
		"$(result "$out" messages)" "$1"
	assert_eq "ROD, closed in the middle: all messages came in order" \
		"$(result "$out" disorder)" 0
}

# reads HOW TEST...: of a target that answers them HOW; each ends
reads()
{
	local how=$1 out
	shift
	crook_on "$how" -n 1000000
	UET_LOCAL=$(fa 1) UET_REMOTE=$(fa 3) UET_JOB=1 \
		relay -t "$how" on 1 crooked_read "$@"
	check "$how: the PDCs end" busywait 60 no_pdc_with "$(fa 3)"
	crook_off "$how"
	assert_ge "$how: there was something to answer" \
		"$(result "$out" requests)" 1
}

# defers HOW COUNT TEST: of a target that answers COUNT deferrable sends HOW; what came of
# it is in $out
defers()
{
	local old
	old=$(stats 1)
	crook_on "$1" -n "$2"
	UET_LOCAL=$(fa 1) UET_REMOTE=$(fa 3) UET_JOB=1 \
		relay -t "$1" on 1 crooked_defer "$3"
	crook_off "$1"
	assert_ge "$1: it was deferred" \
		$(($(counter 1 tx-deferred) - $(counter_in "$old" tx-deferred))) 1
}

note "seed $seed"
setup_fabric --nodes 3 --rails 1
# The peer that answers there is no FEP of ours.
must ue 3 job del 1
must ue 3 fep del fep0
# Soon enough a PDC ends that is refused or not answered, but not before an honest
# reader without space has had time to read; idle ones close.
must ue 1 fep set fep0 nack-retx 10ms nack-retx-max 5s max-nack-retx 8 \
	idle 500ms
retries 15 2s

sink rx 2 5 -E
# Not so much that it takes the time of who is tested.
source_to tx 1 2 5 -E -n 1000000 -s 64,70000,4096 -g 10 \
	-P "$TMP/tx.sent"
wait_for "traffic flows between the nodes" 30 progress_is tx -ge 3

crook_on honest
source_to victim 1 3 5 -n 24 -s 64,70000,4096
check "honest: the messages are answered" finish victim
check "honest: the PDC closes" busywait 60 no_pdc_with "$(fa 3)"
crook_off honest
assert_eq "honest: all messages came" "$(result "$out" messages)" 24

retries 4 250ms
crook mpr_0 128 ''
crook mpr_255 256 ''
crook cack_ahead 128 bad-ack-psn
crook cack_behind 128 'stale-ack|unsolicited-ack'
crook sack_never 128 bad-ack-psn
crook sack_base 128 bad-ack-psn
crook others 128 'pdcid-mismatch|no-pdc'
crook req_clear 128 'bad-clear-psn|bad-state'
crook req_close 128 ''
crook credit 256 unsupported
# A code that ends the PDC keeps the codes behind it from being tried.
for code in 0 15 19 21 24 252; do crook nack 128 '' -c $code; done
crook response 128 ''
crook again 128 ''
unread
for MODE in rod rud; do crook mixed 256 ''; done
in_order $((90 / SCALE + 60))
# Data that never comes is waited for as long as time-outs may take.
retries 15 100ms
reads data_any read__of_a_peer_that_lies
reads data_twice read__of_a_peer_that_repeats_itself
reads honest read__of_a_peer_that_never_answers
defers put_off 3 defer__by_a_peer_that_goes_away
bad=$(drops 1 ses-bad-token)
defers restart 1000000 defer__by_a_peer_that_does_it_twice
assert_ge "restart: forged requests are counted" \
	$(($(drops 1 ses-bad-token) - bad)) 4
assert_eq "restart: one of five is believed" "$(counter 1 rx-rtr)" 1

# The message behind waits for the PDC: all of it is before the last retransmission.
retries 15 100ms
defers defer_late 1000000 defer__while_the_pdc_closes_wakes_the_message_behind
assert_eq "defer_late: the message behind has a PDC of its own" \
	"$(result "$out" pdcs)" 2

kill -TERM "${PID[tx]}"
check "the other messages were all answered" finish tx
check "the other messages arrived whole and once" finish rx
transfer "afterwards all is well" 1 2 6 -n 4 -s 70000
finish_tests
