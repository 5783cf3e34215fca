#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Eight rails carry one transfer evenly.  They go down one after the other while it runs, and it
# ends well on the last one; when they come back, all carry packets again.  A FEP can have 16
# rails.
#
#	node1 r0 --- plane 0 --- r0 node2
#	...
#	      r7 --- plane 7 --- r7
#
# clock: virtual; size: check; takes: 6 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

count=$((32 / SCALE + 16))

# rails_carry TEXT: a transfer of node1 uses all rails, each for 1/16 of its packets at least
rails_carry()
{
	local -a before
	local p all=0

	for ((p = 0; p < RAILS; p++)); do before[p]=$(rail_packets 1 r$p tx); done
	transfer "$1" 1 2 5 -n 8 -s 500000
	for ((p = 0; p < RAILS; p++)); do
		before[p]=$(($(rail_packets 1 r$p tx) - before[p]))
		all=$((all + before[p]))
	done
	for ((p = 0; p < RAILS; p++)); do
		assert_ge "$1: r$p carries its share" $((before[p] * 2 * RAILS)) $all
	done
}

# down_from NODE P: rails P to the last but one go down, each in the middle of the transfer
down_from()
{
	local p

	for ((p = $2; p < RAILS - 1; p++)); do
		wait_for "messages flow before r$p goes down" 60 progress_is tx -ge $((2 * p + 1)) ||
			return
		must ip -n "${NS[$1]}" link set "r$p" down
		check "the transfer is in the middle when r$p goes down" running tx
	done
}

# fep_of NR: a FEP of node1 on as many rails that lead nowhere
fep_of()
{
	local p list=''

	for ((p = 0; p < $1; p++)); do list+=,d$p; done
	ue 1 fep add wide addr 10.0.7.1 rails "${list#,}" mtu 1024
}

setup_fabric --rails 8
per_node paths oblivious cc none
rails_carry "eight rails with a random value for each packet"
per_node cc nscc paths auto
rails_carry "eight rails with congestion control"

for p in 0 1 2 3 4 5 6 7; do
	for n in 1 2; do
		must tc -n "${NS[$n]}" qdisc replace dev r$p root \
			netem limit 5000 rate $((8000 / SCALE))kbit
	done
done
sink rx 2 5 -n $count
source_to tx 1 2 5 -n $count -s 262144 -b 131072 -P "$TMP/tx.sent"
down_from 1 0
check "the sender gets all answers" finish tx
check "all messages arrive whole over the last rail" finish rx
assert_eq "no message has failed" "$(counter 1 msg-failed)" 0
assert_eq "seven rails are shown as down" \
	"$(ue 1 -j rail show | grep -o '"usable":false' | wc -l)" 7

for p in 0 1 2 3 4 5 6; do must ip -n "${NS[1]}" link set r$p up; done
rails_carry "rails that are back"

for ((p = 0; p < 17; p++)); do
	must ip -n "${NS[1]}" link add d$p type dummy
	must ip -n "${NS[1]}" link set d$p up
	must ue 1 rail add d$p plane $((100 + p))
done
must ip -n "${NS[1]}" addr add 10.0.7.1/32 dev d0
assert_match "a FEP with 17 rails is refused" "$(fep_of 17 2>&1)" \
	'fep: rails takes 16 names at most'
check "a FEP has 16 rails" fep_of 16
assert_eq "a FEP shows its 16 rails" \
	"$(ue 1 -j fep show wide | grep -o '"ifname":"d[0-9]*"\|"dev":"d[0-9]*"' | sort -u | wc -l)" 16
finish_tests
