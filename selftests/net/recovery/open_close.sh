#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The life of a PDC and of the module: features are told, a PDC appears with
# the first message and goes with the socket, the module can be unloaded and
# loaded again, and then all works as before.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

pdc_of()
{
	[[ $(ue "$1" -j pdc show) =~ \"role\":\"([a-z]+)\".*\"state\":\"([A-Z_]+)\" ]]
	echo "${BASH_REMATCH[1]-} ${BASH_REMATCH[2]-}"
}

setup_fabric

check "the module tells its family" grep -qE '^family: *[0-9]+$' \
	/proc/net/uet/features
check "the protocol is registered" grep -q '^UET' /proc/net/protocols
assert_match "ueadm shows features" "$(ue 1 features)" 'family'

assert_eq "there is no PDC before the first message" "$(nr_pdcs 1) $(nr_pdcs 2)" "0 0"
sink rx 2 5 -n 3
source_to tx 1 2 5 -n 3 -s 1,5000,70000 -H
check "three messages arrive" finish rx
wait_for "the PDC is up" 30 nr_pdcs_are 1 -eq 1 ESTABLISHED &&
	assert_eq "the initiator is established" "$(pdc_of 1)" \
		"initiator ESTABLISHED"
assert_match "the other end is its target" "$(pdc_of 2)" \
	'^target (NEW_)?ESTABLISHED$'
assert_eq "one PDC has carried all three messages" \
	"$(counter 1 pdc-opened) $(counter 2 pdc-accepted)" "1 1"
assert_eq "the sender counts them" "$(counter 1 msg-sent)" 3
assert_eq "the receiver counts them" "$(counter 2 msg-received)" 3

# Idle for longer than two sweeps, twice.
sink rx 2 5 -n 3
source_to later 1 2 5 -n 3 -s 1,5000,70000 -g 3000 -H
check "messages with pauses arrive" finish rx
assert_eq "one PDC carries them" "$(counter 1 pdc-opened)" 2
assert_ge "an idle PDC gives its memory back" "$(counter 1 pdc-slept)" 2
assert_ge "the target of an idle PDC gives its memory back" "$(counter 2 pdc-slept)" 2
assert_eq "a PDC that wakes gets memory again" "$(counter 1 pdc-woken)" 2
assert_eq "the target of a PDC that wakes gets memory again" "$(counter 2 pdc-woken)" 2
check "both PDCs give their memory back in the end" \
	busywait 30 counter_is 1 pdc-slept -eq 4
stop later

stop tx
check "the PDC goes with its socket" \
	busywait 30 nr_pdcs_are 1 -eq 0
check "the target goes, too" \
	busywait 30 nr_pdcs_are 2 -eq 0
assert_eq "closed in order, none failed" \
	"$(counter 1 pdc-closed) $(counter 1 pdc-failed)" "2 0"
assert_eq "no endpoint is left" "$(nr_eps 1) $(nr_eps 2)" "0 0"

teardown_fabric
check "the module unloads" busywait 30 modprobe -q -r uet
assert_eq "the protocol is gone" "$(grep -c '^UET' /proc/net/protocols)" 0
check "the module loads again" modprobe uet
setup_fabric
transfer "messages after a reload" 1 2 5 -n 3 -s 1,5000,70000
finish_tests
