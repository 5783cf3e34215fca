#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Delivery modes over links that lose, double, shuffle and damage: ROD brings every
# message once and in order, UUD what the network leaves, but nothing that is damaged.
# RUD is netem.sh's.
#
#	node1 r0 ---netem--- r0 node2
#	      r1 ---netem--- r1
#
# clock: virtual; size: check; takes: 5 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

count=$((40 / SCALE + 4))

# ordered TEXT NETEM...: messages in ROD over links like that
ordered()
{
	local text="rod: $1"
	shift
	impair "$@"
	MODE=rod transfer "$text" 1 2 5 -n $count -s 64,4096,70000,200000
}

# cost MODE: requests sent for 1,000 new ones at 1 % loss, a fifth overtaken: $cost
cost()
{
	local req retx
	impair delay 1ms loss 1% reorder 20% 50%
	req=$(counter 1 tx-req)
	retx=$(counter 1 tx-retx)
	MODE=$1 transfer "$1: loss 1 %, reordering 20 %" 1 2 5 -n $((4 * count)) \
		-s 70000,200000
	req=$(($(counter 1 tx-req) - req))
	cost=$((1000 + 1000 * ($(counter 1 tx-retx) - retx) / req))
	note "$1: $cost packets sent for 1,000"
}

# unordered TEXT all|some NETEM...: datagrams over links that lose none, or some;
# $out is what came of them.  Messages behind them that are answered tell that no
# more will come.
unordered()
{
	local text="uud: $1" what=$2 sent=$((count * 10)) before
	shift 2
	impair "$@"
	before=$(counter 2 rx-uud)
	MODE=uud sink dgrams 2 6 -U
	MODE=uud source_to tx 1 2 6 -n $sent -s 64,1000,4096
	check "$text: all datagrams are sent" finish tx
	[ "$what" = some ] || wait_for "$text: all datagrams arrive" 30 \
		counter_is 2 rx-uud -ge $((before + sent))
	transfer "$text: messages behind them" 1 2 5 -n 16 -s 4096
	kill -TERM "${PID[dgrams]}"
	check "$text: no datagram is damaged" finish dgrams
	out=$(< "$TMP/dgrams.out")
	note "$out"
	assert_le "$text: no datagram is made up" "$(result "$out" received)" \
		$((sent + $(result "$out" doubled)))
	assert_ge "$text: at least half of the datagrams arrive" \
		"$(result "$out" received)" $((sent / 2))
}

# none, some: WHAT TEXT: of the datagrams of the last unordered()
none()
{
	assert_eq "uud: $2" "$(result "$out" "$1")" 0
}

some()
{
	assert_ge "uud: $2" "$(result "$out" "$1")" 1
}

# sends_nothing: a datagram cannot leave, and the caller is told why
sends_nothing()
{
	! on 1 msgs send -m uud -a "$(fa 1)" -p 6 "$(fa 2)" \
		2> "$TMP/told" && grep -q 'no rail of FEP fep0' "$TMP/told"
}

setup_fabric

ordered "lossless" delay 0ms
ordered "loss 1 %" loss 1%
ordered "loss 10 %" loss 10%
ordered "duplication 10 %" duplicate 10%
ordered "reordering 25 %" delay 2ms reorder 25% 50%
ordered "corruption 2 %" corrupt 2%
ordered "all together" \
	delay 1ms 1ms loss 2% duplicate 2% corrupt 1% reorder 10%
assert_ge "ROD reported gaps" "$(counter 1 rx-nack)" 1

# netem loses and delays whole bursts.
for n in 1 2; do must ue $n fep set fep0 burst 0; done
cost rud
unordered_cost=$cost
cost rod
assert_le "order costs a quarter more packets at most" $((4 * cost)) \
	$((5 * unordered_cost))
assert_ge "rod: requests were kept for their turn" "$(counter 2 rx-early)" 1
for n in 1 2; do must ue $n fep set fep0 burst 65000; done

unordered "lossless" all delay 0ms
none missing "lossless: no datagram is lost"
none doubled "lossless: no datagram is doubled"
unordered "loss 10 %" some loss 10%
some missing "loss 10 %: lost packets stay lost"
unordered "duplication 10 %" all duplicate 10%
some doubled "duplication 10 %: doubled packets stay doubled"
unordered "corruption 5 %" some corrupt 5%
some missing "corruption 5 %: damaged packets are lost"
assert_ge "damaged packets are dropped for their CRC" "$(drops 2 crc)" 1

must ip -n "${NS[1]}" link set r0 down
must ip -n "${NS[1]}" link set r1 down
check "uud: without a rail sending fails" sends_nothing
assert_eq "no message failed" "$(counter 1 msg-failed) $(counter 2 msg-failed)" \
	"0 0"
assert_eq "no PDC failed" "$(counter 1 pdc-failed) $(counter 2 pdc-failed)" "0 0"
finish_tests
