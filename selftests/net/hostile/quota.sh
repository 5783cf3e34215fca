#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a user creates in user namespaces: FEPs, rails, jobs, secure domains, and memory
# that peers fill by PDCs with these FEPs.  The sysctls net.uet.user_max_* limit each of
# them, for all user namespaces of a user together.  A user namespace that root has
# created has limits of its own, with those in it.  Root of the host has no such limit.
# Nor do user namespaces set timers that keep a CPU busy.
#
#	node1 (the host)
#	node2, node3 (user namespaces of user 1000)
#	node4 (of root), node5 (in it)
#
# clock: virtual; size: check; takes: 2 s; limit: 200 s

. "$(dirname "$0")/../lib.sh"

SYSCTL=/proc/sys/net/uet
declare -A BOX=()

# limits FEPS RAILS JOBS SDS PAGES: the sysctls of the host
limits()
{
	local name

	for name in feps rails jobs sds pdc_pages; do
		echo "$1" > "$SYSCTL/user_max_$name" || die "no sysctl user_max_$name"
		shift
	done
}

# has_begun PID: the process has its namespaces
has_begun()
{
	[ "$(< "/proc/$1/comm")" = sleep ]
}

# add_box NODE COMMAND...: a node in a user namespace, created by the COMMAND
add_box()
{
	local node=$1
	shift
	"$@" unshare -Urn sleep 1000 > /dev/null 2>&1 &
	BOX[$node]=$!
	busywait 30 has_begun "${BOX[$node]}" || die "no user namespace"
	NS[$node]=node$node-$$
	must ip netns attach "${NS[$node]}" "${BOX[$node]}"
	must inside "$node" ip link set lo up
	must inside "$node" ip addr add "10.0.0.$node/32" dev lo
	must inside "$node" ip addr add "10.0.1.$node/32" dev lo
	must inside "$node" ip addr add "10.0.2.$node/32" dev lo
	must inside "$node" ip link add r0 type veth peer name r1
}

# inside NODE COMMAND...: as root of the user namespace
inside()
{
	local node=$1
	shift
	nsenter -t "${BOX[$node]}" -U -n -- "$@"
}

# end_box NODE: its namespaces end
end_box()
{
	must ip netns del "${NS[$1]}"
	unset "NS[$1]"
	kill "${BOX[$1]}"
	wait "${BOX[$1]}"
}

# refuses TEXT NODE SYSCTL ARGS...: ueadm fails and names the sysctl
refuses()
{
	local text=$1 node=$2 name=$3
	shift 3
	assert_match "$text is refused by its sysctl" "$(inside "$node" ueadm "$@" 2>&1)" \
		"${name%s}.*net\.uet\.user_max_${name}s* "
}

# may TEXT NODE ARGS...: ueadm succeeds
may()
{
	local text=$1 node=$2
	shift 2
	check "$text is accepted" inside "$node" ueadm "$@"
}

# fep NODE N: arguments of a FEP
fep()
{
	echo "fep add f$2 addr 10.0.$(($2 - 1)).$1 rails lo mtu 4096"
}

# refuses_all TEXT NODE: one more of each
refuses_all()
{
	refuses "$1: a rail more" "$2" rails rail add r1 plane 2
	# shellcheck disable=SC2046 # words
	refuses "$1: a fep more" "$2" feps $(fep "$2" 3)
	refuses "$1: a job more" "$2" jobs job add 4 feps f1
	refuses "$1: an sd more" "$2" sds sd add t sdi 2
}

# fill NODE: as much as is allowed
# shellcheck disable=SC2046 # words
fill()
{
	may "node$1: a rail" "$1" rail add lo plane 0
	may "node$1: another rail" "$1" rail add r0 plane 1
	may "node$1: a fep" "$1" $(fep "$1" 1)
	may "node$1: another fep" "$1" $(fep "$1" 2)
	may "node$1: a job" "$1" job add 1 feps f1
	may "node$1: another job" "$1" job add 2 feps f1
	may "node$1: an sd" "$1" sd add s sdi 1
}

has_ended()
{
	inside 2 ueadm rail add r1 plane 2 2> /dev/null
}

mapfile -t before < <(cat "$SYSCTL"/user_max_{feps,rails,jobs,sds,pdc_pages})
trap 'limits "${before[@]}"; cleanup' EXIT
user=(setpriv --reuid 1000 --regid 1000 --clear-groups)
if [ -e /proc/sys/kernel/unprivileged_userns_clone ]; then
	echo 1 > /proc/sys/kernel/unprivileged_userns_clone
fi
limits 2 2 2 1 0
add_box 2 "${user[@]}"
add_box 3 "${user[@]}"
add_box 4 env
add_box 5 nsenter -t "${BOX[4]}" -U --

#--------------------------------------------------------------------- objects

fill 2
refuses_all "at the limit" 2
refuses "a second user namespace of the user has no more" 3 rails \
	rail add lo plane 0
fill 4
refuses_all "of root" 4
refuses "a rail of a user namespace in another" 5 rails rail add lo plane 0

may "a deleted job" 2 job del 1
may "a job instead of a deleted one" 2 job add 3 feps f1
refuses "a second job more" 2 jobs job add 4 feps f1
may "a deleted sd" 2 sd del s
may "an sd instead of a deleted one" 2 sd add t sdi 2
may "a deleted fep" 2 fep del f2
# shellcheck disable=SC2046 # words
may "a fep instead of a deleted one" 2 $(fep 2 3)
must inside 2 ip link del r0
may "a rail instead of one that went with its netdev" 3 rail add lo plane 0
must inside 3 ueadm rail del lo

refuses_timer()
{
	local text=$1
	shift
	assert_match "$text is refused without CAP_NET_ADMIN" "$(inside 2 ueadm "$@" 2>&1)" \
		'below 100000 needs CAP_NET_ADMIN on the host'
}

refuses_timer "a timer of a microsecond" fep set f1 rto-init 1us
refuses_timer "another timer below 100 us" fep set f1 nack-retx 99999ns
# shellcheck disable=SC2046 # words
refuses_timer "a timer of a microsecond of a new fep" $(fep 2 2) tail-loss 50us
may "a timer of 100 us" 2 fep set f1 rto-init 100us nack-retx 100us
may "no timer" 2 fep set f1 tail-loss 0 ack-delay 0
may "a round trip, which is no timer" 2 fep set f1 cc-base-rtt 10us

add_node 1
must ip -n "${NS[1]}" addr add 10.0.1.1/32 dev lo
must ip -n "${NS[1]}" addr add 10.0.2.1/32 dev lo
must ue 1 rail add lo plane 0
for i in 1 2 3; do
	# shellcheck disable=SC2046 # words
	must ue 1 $(fep 1 $i)
done
for i in 1 2 3; do
	check "the host has no limit: job $i" ue 1 job add $i feps f1
done

check "the host may set any timer" ue 1 fep set f1 rto-init 1us nack-retx 1us
must ue 1 fep set f1 rto-init 20ms nack-retx 1ms

#-------------------------------------------------------------- memory of PDCs

for pid in 5 6 7 8; do
	sink "box$pid" 4 "$pid" -n 1
	sink "host$pid" 1 "$pid" -n 1
done
start full 4 user -w -d 4 -p 5 "$(fa 4)"
check "without pages peers open no PDC with the FEP of a user namespace" \
	busywait 30 drops_are 4 no-pdc-space -ge 4
assert_eq "no PDC of a user namespace without pages is open" "$(counter 4 pdc-accepted)" 0
start host 1 user -w -d 4 -p 5 "$(fa 1)"
check "without pages peers open PDCs with a FEP of the host" busywait 30 counter_is 1 pdc-accepted -ge 4
# A PDC with the default window has 40 KiB, in whole pages.
echo $((2 * ((40960 + PAGE - 1) / PAGE))) > $SYSCTL/user_max_pdc_pages
check "with the pages of two PDCs, two are opened" busywait 60 counter_is 4 pdc-accepted -ge 2
assert_eq "no more than two PDCs are open at a time" "$(counter 4 pdc-accepted)" 2
for name in full host {box,host}{5,6,7,8}; do
	stop "$name"
done

#------------------------------------------------------------------------ the end

for node in 2 3 4 5; do
	end_box "$node"
done
add_box 2 "${user[@]}"
must inside 2 ip link set r1 up
must inside 2 ueadm rail add lo plane 0
check "user namespaces that have ended count no more" busywait 30 has_ended
end_box 2
finish_tests
