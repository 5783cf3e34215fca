#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links that lose, double, shuffle, damage and delay: messages arrive whole and
# once all the same, and the counters tell what happened.
#
#	node1 r0 ---netem--- r0 node2
#	      r1 ---netem--- r1
#
# clock: virtual; size: check; takes: 6 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

count=$((40 / SCALE + 4))

# rough TEXT NETEM...: one transfer each way over links like that
rough()
{
	local text=$1 before
	shift
	impair "$@"
	before=$(counter 2 msg-received)
	transfer "$text: there" 1 2 5 -n $count -s 64,4096,70000,300000
	transfer "$text: back" 2 1 5 -n $((count / 4)) -s 64,4096,70000,300000
	assert_eq "$text: each message is counted once" \
		"$(($(counter 2 msg-received) - before))" $count
}

# more TEXT NODE COUNTER BEFORE
more()
{
	assert_ge "$1" "$(counter "$2" "$3")" $(($4 + 1))
}

setup_fabric

retx=$(counter 1 tx-retx)
rough "loss 1 %" loss 1%
rough "loss 10 %" loss 10%
more "retransmissions are counted" 1 tx-retx "$retx"

dup=$(counter 2 rx-dup)
rough "duplication 10 %" duplicate 10%
more "duplicates are counted" 2 rx-dup "$dup"

ooo=$(counter 2 rx-ooo)
rough "reordering 25 %" delay 2ms reorder 25% 50%
more "reordering is counted" 2 rx-ooo "$ooo"

# netem damages one packet of a burst.
for n in 1 2; do must ue $n fep set fep0 burst 0; done
rough "corruption 2 %" corrupt 2%
assert_ge "damaged packets are dropped for their CRC" "$(drops 2 crc)" 1
for n in 1 2; do must ue $n fep set fep0 burst 65000; done

impair delay 0ms
must tc -n "${NS[1]}" qdisc replace dev r0 root netem delay 5ms 3ms
transfer "one slow rail with jitter" 1 2 5 -n $count -s 64,4096,70000,300000

rough "all together" delay 1ms 1ms loss 2% duplicate 2% corrupt 1% reorder 10%
impair loss 3% delay 1ms 1ms
file_transfer "uetcat over such links" 1 2 $(((1 << 20) / SCALE))

assert_eq "no message failed" "$(counter 1 msg-failed) $(counter 2 msg-failed)" \
	"0 0"
assert_eq "no PDC failed" "$(counter 1 pdc-failed) $(counter 2 pdc-failed)" "0 0"
finish_tests
