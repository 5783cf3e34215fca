#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory that peers and users fill: it is charged to its owner's memory cgroup and to
# net.uet.uet_mem, both limits hold, and all of it is uncharged when its sockets are
# closed.  What finds no memory is refused temporarily and counted.  The memory for
# requests before earlier ones is shared by PDCs.
#
#	node1 (senders) ==(2 rails)== node2 (endpoints that read nothing)
#
# clock: virtual; size: check; takes: 6 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../cgroup.sh"

MIB=$((1 << 20))
# Bytes of each message, all of which arrive before the first is read.
size=65536

# settles COMMAND...: prints the same number several times in a row
settles()
{
	local now before='' same=0

	while [ $same -lt 8 ]; do
		now=$("$@")
		same=$((now == before ? same + 1 : 0))
		before=$now
		pause 100
	done
}

# fill COUNT PREFIX...: endpoints on node2, started by the prefix, and what fills them
fill()
{
	local count=$1

	shift
	start rx 2 "$@" memory receive "$(fa 2)" 100 "$count"
	wait_for "$count endpoints are there" 30 has_said rx ready
	start tx 1 memory send "$(fa 1)" "$(fa 2)" 100 "$count" $size
	wait_for "the senders are there, too" 30 has_said tx ready
}

# drain: all of them go
drain()
{
	stop rx
	stop tx
	wait_for "the endpoints are gone" 30 nr_eps_are 2 -eq 0
}

setup_fabric
make_cgroup $((64 * MIB))

#---------------------------------------------------------------------- a cgroup

# 32 sockets take 4 MiB each, twice what the cgroup may have.
fill 32 "$TMP/enter"
check "messages that find no memory are refused and counted" \
	busywait 60 counter_is 2 rx-no-mem -ge 32
settles cgroup_stat sock
assert_ge "what was received is charged to the cgroup of its receiver" \
	"$(cgroup_stat sock)" $((40 * MIB))
assert_le "the cgroup stays below memory.max" "$(cgroup_file current)" \
	$((64 * MIB))
assert_ge "what was received is charged to the protocol, too" "$(charged)" $((40 * MIB / PAGE))
assert_eq "no message is lost" "$(counter 1 msg-failed)" 0
drain
check "closed sockets leave nothing in the cgroup" busywait 30 cgroup_stat_is sock -eq 0
check "closed sockets leave nothing in the protocol" busywait 30 charged_is -le $SLACK

#--------------------------------------------------------------------- net.uet

mem=/proc/sys/net/uet/uet_mem
before=$(< $mem)
assert_match "net.uet.uet_mem has the form of tcp_mem" "$before" \
	'^[0-9]+	[0-9]+	[0-9]+$'
echo "$((16 * MIB / PAGE)) $((24 * MIB / PAGE)) $((32 * MIB / PAGE))" > $mem || die "cannot set uet_mem"
refused=$(counter 2 rx-no-mem)
# The receivers are of another user than the senders, whose messages count as well.
for node in 1 2; do must ue $node job add 2 feps fep0 uid 1000; done
export UET_TEST_JOB=2
fill 32 setpriv --reuid 1000
check "messages above uet_mem are refused and counted" \
	busywait 60 counter_is 2 rx-no-mem -ge $((refused + 32))
settles charged
assert_le "a flood holds no more than uet_mem" "$(charged)" $((32 * MIB / PAGE))
assert_ge "a flood holds no less than the pressure" "$(charged)" $((16 * MIB / PAGE - SLACK))
drain
unset UET_TEST_JOB
check "nothing is left of it" busywait 30 charged_is -le $SLACK
echo "$before" > $mem

transfer "afterwards all is well" 1 2 5 -n 4 -s 70000

#------------------------------------------------------------------ idle senders

# The sender keeps the memory of its message for the next one, for a second or two.
start tx 2 memory keep "$(fa 2)" 100 $((8 * MIB))
wait_for "a message of 8 MiB is sent and read" 30 has_said tx ready
assert_ge "a sender keeps the memory of its messages, and is charged" "$(charged)" \
	$((7 * MIB / PAGE))
check "a sender that goes on living gives it up" busywait 30 charged_is -le $SLACK
stop tx
start tx 2 memory keep "$(fa 2)" 100 $((8 * MIB))
wait_for "another message of 8 MiB is sent and read" 30 has_said tx ready
stop tx
check "a sender that is closed gives its memory up" busywait 30 charged_is -le $SLACK

#---------------------------------------------------------------------- defaults

rmem=$(< /proc/sys/net/uet/uet_rmem) wmem=$(< /proc/sys/net/uet/uet_wmem)
echo "65536 131072 1048576" > /proc/sys/net/uet/uet_rmem
echo "65536 262144 1048576" > /proc/sys/net/uet/uet_wmem
start rx 2 memory receive "$(fa 2)" 100 1
wait_for "an endpoint is there" 30 has_said rx ready
assert_eq "new sockets have the buffers of uet_rmem and uet_wmem" \
	"$(ep_value 2 100 rcvbuf) $(ep_value 2 100 sndbuf)" "131072 262144"
stop rx
echo "$rmem" > /proc/sys/net/uet/uet_rmem
echo "$wmem" > /proc/sys/net/uet/uet_wmem

#------------------------------------------------------------------------ leaks

# 40 times 4 MiB: a page that each socket forgets would show.
for round in 1 2 3 4 5; do
	fill 8 setpriv --reuid 0
	busywait 30 charged_is -ge $((16 * MIB / PAGE)) ||
		not_ok "round $round: 8 endpoints fill"
	stop rx
	stop tx
	busywait 30 nr_eps_are 2 -eq 0
done
check "all that was charged in many sockets was uncharged" \
	busywait 30 charged_is -le $SLACK

#------------------------------------------------- requests before earlier ones

# The 4 PDCs would take all of the memory of the FEP for that.
kept=$(counter 2 rx-early)
must on 1 hostile -c -S 1 -n 4 hoard "$(fa 2)"
check "beyond the memory for requests behind a gap they are dropped" \
	busywait 30 drops_are 2 rod-out-of-order -ge 1
assert_ge "before it they are kept" $(($(counter 2 rx-early) - kept)) 64
kept=$(counter 2 rx-early)
must on 1 hostile -c -S 2 -n 1 hoard "$(fa 2)"
check "PDCs whose gaps stay leave memory for others" \
	busywait 30 counter_is 2 rx-early -ge $((kept + 8))
finish_tests
