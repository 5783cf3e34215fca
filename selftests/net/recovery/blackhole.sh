#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links that lose in one direction, or everything for a while, or for ever: lost
# answers cost time and no message; what returns in time costs nothing; what does
# not return fails, soon, with an errno that says so, and the next message opens
# another PDC.
#
#	node1 r0 ---netem--- r0 node2
#	      r1 ---netem--- r1
#
# clock: virtual; size: all; takes: 20 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

count=$((40 / SCALE + 8))

# lose NODE PERCENT: of what the node sends
lose()
{
	local p

	for p in 0 1; do
		echo "qdisc replace dev r$p root netem limit 5000 loss $2%"
	done | tc -n "${NS[$1]}" -batch - || die "cannot lose"
}

# lose_all PERCENT: in both directions
lose_all()
{
	lose 1 "$1"
	lose 2 "$1"
}

# asked: how often node 1 has asked for an answer again, by control packets or by
# what it had sent
asked()
{
	echo $(($(counter 1 tx-cp) + $(counter 1 tx-retx)))
}

# answers_lost PERCENT: from node 2 nothing but answers comes
answers_lost()
{
	local mode asked

	lose 2 "$1"
	for mode in rud rod; do
		asked=$(asked)
		MODE=$mode transfer "$mode: $1 % of the ACKs are lost" 1 2 5 \
			-n $count -s 64,4096,70000
		note "asked again $(($(asked) - asked)) times"
	done
	lose 2 0
}

# begin MODE: messages flow
begin()
{
	MODE=$1 sink rx 2 5 -E
	MODE=$1 source_to tx 1 2 5 -E -n 1000000 -s 64,70000,4096 \
		-P "$TMP/tx.sent"
	wait_for "$1: traffic flows between the nodes" 30 progress_is tx -ge 3
}

# returns MODE: everything is lost for some time-outs, then nothing
returns()
{
	local mode=$1 rto failed
	rto=$(counter 1 rto) failed=$(counter 1 pdc-failed)
	begin "$mode"
	lose_all 100
	check "$mode: at least three time-outs fire" \
		busywait 30 counter_is 1 rto -ge $((rto + 3))
	lose_all 0
	kill -TERM "${PID[tx]}"
	check "$mode: it returns: all messages were answered" finish tx
	check "$mode: they arrived whole and once" finish rx
	assert_eq "$mode: no PDC failed" "$(counter 1 pdc-failed)" "$failed"
}

has_ended()
{
	! running "$1"
}

# for_ever MODE: it does not return
for_ever()
{
	local mode=$1 old new
	old=$(stats 1)
	begin "$mode"
	lose_all 100
	check "$mode: lost for ever: the sender ends" busywait 60 has_ended tx
	finish tx > "$TMP/why"
	assert_match "$mode: it is told why" "$(< "$TMP/why")" \
		'Connection timed out: .* to 10\.0\.0\.[0-9]+/[0-9]+/[0-9]+: no answer for as long as peer-timeout \(timeout\)'
	new=$(stats 1)
	assert_eq "$mode: the PDC failed" $(($(counter_in "$new" pdc-failed) -
		$(counter_in "$old" pdc-failed))) 1
	assert_ge "$mode: messages failed with the PDC" $(($(counter_in "$new" msg-failed) -
		$(counter_in "$old" msg-failed))) 1
	check "$mode: messages that were not sent fail, too" busywait 30 nr_pdcs_are 1 -eq 0
	stop rx

	# Not even the first packet arrives.
	on 1 msgs send -m "$mode" -p 5 -s 64 "$(fa 2)" 2> "$TMP/why"
	assert_match "$mode: a message that opens no PDC fails as well" \
		"$(< "$TMP/why")" 'Connection timed out: .* to 10\.0\.0\.[0-9]+/[0-9]+/[0-9]+: no answer for as long as peer-timeout \(timeout\)'
	lose_all 0
	old=$(counter 1 pdc-opened)
	MODE=$mode transfer "$mode: afterwards messages arrive" 1 2 6 -n 4 -s 70000
	assert_eq "$mode: another PDC carries them" "$(counter 1 pdc-opened)" $((old + 1))
	check "$mode: the target forgets the old ones" \
		busywait 60 nr_pdcs_are 2 -eq 0
}

setup_fabric
failed()
{
	echo "$(counter 1 msg-failed) $(counter 1 pdc-failed)"
}

for percent in 10 50; do answers_lost $percent; done
assert_ge "answers that are lost are asked for again" "$(asked)" 1
must ue 1 fep set fep0 max-rto-retx 15
for mode in rud rod; do returns $mode; done
assert_eq "no message failed so far, no PDC" "$(failed)" "0 0"
must ue 1 fep set fep0 max-rto-retx 4
must ue 2 fep set fep0 target-idle 2s
for mode in rud rod; do for_ever $mode; done
finish_tests
