#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# PDCs of the reserved pool: when a flood of SYNs has taken all others, who asks
# for one gets it and who does not waits, until there is space again.  The pools
# are made small by the parameters of the module: of 4 PDCs that others open with a
# node 1 is reserved, and so is 1 of the 2 that it opens itself.  UET_SEED repeats a run.
#
#	node1 (sender) ---+
#	node2 (target) ---+== planes 0, 1
#	node3 (attacker) -+
#
# clock: virtual; size: check; takes: 4 s; limit: 400 s

. "$(dirname "$0")/../lib.sh"

seed=${UET_SEED:-$RANDOM}
parameters=/sys/module/uet/parameters

# set_limits TARGETS INITIATORS: of FEPs made from now on
set_limits()
{
	echo "$1" > $parameters/max_targets
	echo "$2" > $parameters/max_initiators
}

# refused_limit NAME VALUE: the parameter stays what it is
refused_limit()
{
	local before
	before=$(< "$parameters/$1")
	if echo "$2" 2> /dev/null > "$parameters/$1"; then
		not_ok "$1: $2 is refused"
	else
		assert_eq "$1: $2 is refused" "$(< "$parameters/$1")" "$before"
	fi
}

# flood UNKNOWN ARGS...: SYNs of each of these, who alone gets half of what is
# left, or the last one
flood()
{
	local peer unknown_peers=$1
	shift
	for peer in $unknown_peers; do
		must on 3 hostile -S "$seed$peer" -c -a "10.9.0.$peer" -n 10 \
			-p 99 "$@" syn "$(fa 2)"
	done
}

# end_flood UNKNOWN: their PDCs are closed
end_flood()
{
	local peer pdcs
	pdcs=$(ue 2 -j pdc show | tr '{' '\n')
	for peer in $1; do
		# shellcheck disable=SC2046 # words on purpose
		must on 3 hostile -c -a "10.9.0.$peer" $(sed -n "/\"10.9.0.$peer\"/\
			s/.*\"pdcid\":\([0-9]*\).*\"peer-pdcid\":\([0-9]*\).*\"start-psn\":\([0-9]*\).*/-e \1:\2:\3/p" \
			<<< "$pdcs") close "$(fa 2)"
	done
}

# nr_reserved NODE: PDCs that are shown as such
nr_reserved()
{
	occurrences "$(ue "$1" -j pdc show)" '"reserved":true'
}

note "seed $seed"
trap 'set_limits 0 0; cleanup' EXIT
set_limits 4 2
for value in 1 16385 -1 many; do refused_limit max_targets $value; done
for value in 1 49152 -1 many; do refused_limit max_initiators $value; done
setup_fabric --nodes 3
must ue 1 fep set fep0 max-rto-retx 15 rto-max 30s
must ue 2 fep set fep0 target-idle 0

# Targets.
sink plain_rx 2 5 -n 1 -t $((250 * SCALE))
sink rx 2 6 -n 4
flood "1 2 3"
check "a flood of SYNs takes all unreserved PDCs" \
	busywait 30 nr_pdcs_are 2 -eq 3
source_to plain 1 2 5 -s 5000 -t $((200 * SCALE))
check "an ordinary PDC is refused" busywait 30 counter_is 1 rx-nack -ge 1
source_to tx 1 2 6 -n 4 -s 70000 -R -H
check "a reserved one opens and carries messages" finish rx
assert_eq "the initiator shows the reserved PDC" "$(nr_reserved 1)" 1
assert_eq "the target shows the reserved PDC" "$(nr_reserved 2)" 1
assert_match "the table for people shows the reserved PDC" "$(ue 2 pdc show)" \
	'[[:space:]]yes[[:space:]]'
check "the ordinary one waits" running plain
assert_ge "refusals are counted" "$(drops 2 no-pdc-space)" 1
assert_eq "no request for the reserved pool is refused" \
	"$(drops 2 no-reserved-pdc-space)" 0
stop tx TERM
check "a reserved PDC that closes makes space" busywait 30 nr_pdcs_are 2 -eq 3
must busywait 30 nr_pdcs_are 1 -eq 1
flood 4 -R 3
check "a flood that asks for the reserved pool gets no more than that" \
	busywait 30 drops_are 2 no-reserved-pdc-space -ge 1
refused=$(drops 2 no-reserved-pdc-space)
flood 5 -R 0
check "by whichever bit it asks" \
	busywait 30 drops_are 2 no-reserved-pdc-space -gt "$refused"
assert_eq "all places are taken" "$(nr_pdcs 2)" 4
sink rx 2 6 -n 1 -t $((250 * SCALE))
refused=$(counter 1 rx-nack)
source_to tx 1 2 6 -s 5000 -R -t $((200 * SCALE))
check "a reserved PDC is refused when all are in use" busywait 30 nr_pdcs_are 1 -eq 2
check "a NACK tells of the refused PDC" busywait 30 counter_is 1 rx-nack -gt "$refused"
check "the sender of an ordinary PDC waits, too" running plain
end_flood 4
check "until there is space: the reserved one opens" finish tx
check "the message of the reserved PDC arrives" finish rx
check "the ordinary one still waits" running plain
end_flood "1 2 3"
check "the ordinary PDC opens when one is free" finish plain
check "the message of the ordinary PDC arrives" finish plain_rx
check "no PDC is left" busywait 60 nr_pdcs_are 2 -eq 0

# Initiators.
sink rx 2 5 -n 2
source_to hold 1 2 5 -H
check "a socket has the only PDC that is not reserved" \
	busywait 30 nr_pdcs_are 1 -eq 1 ESTABLISHED
if out=$(on 1 msgs send -p 5 "$(fa 2)" 2>&1); then
	not_ok "a second socket gets no PDC"
else
	assert_match "a second socket gets no PDC" "$out" \
		'No space left.*no PDC can be opened on FEP fep0'
fi
check "a socket that asks for the reserved pool gets a PDC" \
	on 1 msgs send -k 2 -R -p 5 "$(fa 2)"
check "both messages arrive" finish rx
stop hold TERM
check "the PDCs close" busywait 30 nr_pdcs_are 1 -eq 0
transfer "then there is one for everybody" 1 2 5 -n 4 -s 70000
finish_tests
