#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# FEPs with a link-local IPv6 address: on the rail it belongs to they work like
# any other, with another netdev they are somebody else's, and what cannot work
# is refused with a reason.  The other thing that is near: messages to an
# endpoint of the same FEP, which go over loopback.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 2 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

# local_address NODE DEV: its link-local address, without the netdev
local_address()
{
	[[ $(ip -n "${NS[$1]}" -o -6 addr show dev "$2" scope link) =~ (fe80:[0-9a-f:]*) ]]
	echo "${BASH_REMATCH[1]-}"
}

has_local_address()
{
	[ -n "$(local_address "$1" "$2")" ]
}

setup_fabric --mtu 2048
for n in 1 2; do
	wait_for "node$n has link-local addresses" 30 has_local_address $n r0
done
here=$(local_address 1 r0) there=$(local_address 2 r0)

ue_refuses 'addr6|scope|link-local' fep add f addr "$here" rails r0
ue_refuses 'link-local' fep add f addr "$here%r0" rails r1 mtu 2048
ue_refuses 'link-local' fep add f addr "$here%r0" rails r0,r1 mtu 2048
ue_refuses 'scope|link-local' fep add f addr fd00:64::1%r0 rails r0
ue_refuses 'addr' fep add f addr "$there%r0" rails r0

for n in 1 2; do
	must ue $n fep add local addr "$(local_address $n r0)%r0" rails r0 \
		mtu 2048
	must ue $n job add 2 feps local
done
head -c 300000 /dev/urandom > "$TMP/in"
start cat 2 uetcat -l -j 2 -p 9 -r 1 -o "$TMP/out"
wait_for "the receiver is bound" 30 has_ep 2 9
check "a file to a link-local address is sent" \
	on 1 uetcat -j 2 -p 9 -r 1 -i "$TMP/in" "$there%r0"
check "a file to a link-local address is received" finish cat
assert_eq "a file to a link-local address arrives whole" \
	"$(sha256sum < "$TMP/out")" "$(sha256sum < "$TMP/in")"
assert_eq "the PDC was closed in order" \
	"$(counter 1 pdc-closed) $(counter 1 pdc-failed)" "1 0"

# The same address on another rail is another node.
for to in "$there%r1" "$there"; do
	out=$(on 1 uetcat -j 2 -p 9 -r 1 -i "$TMP/in" "$to" 2>&1)
	assert_match "uetcat refuses a file to $to" "$out" 'suet_scope_id'
done

sink rx 1 5 -n 3
source_to tx 1 1 5 -n 3 -s 64,5000,70000
check "messages to an endpoint of the same FEP are answered" finish tx
check "messages to an endpoint of the same FEP arrive" finish rx
finish_tests
