#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A user in the kernel registers and invalidates a region by operations (region.c).  An endpoint,
# which is the peer of its QP, has the key.
#
#	node 1: uet1, region.ko				node 2: 10.64.0.2

. "$(dirname "$(readlink -f "$0")")/lib.sh"

region=$REPO/build/rdma/region-$(uname -r).ko
parameters=/sys/module/region/parameters
# The number of the QP of other_peer.
PEER_QPN=$((1 << 12 | 77))

# tell WORD: what the module does; sets key and byte, of the region
tell()
{
	echo "$1" > "$parameters/command" || return
	read -r qpn key address byte < "$parameters/shown"
}

# written KEY VALUE: what becomes of a byte for the region
written() { on 2 "$REPO/build/rdma/other_peer" write 10.64.0.2 10.64.0.1 "$qpn" "$1" "$address" "$2"; }

# byte: the first one of the region
byte()
{
	read -r _ _ _ byte < $parameters/shown
	echo "$byte"
}

if ! [ -e "$region" ]; then
	echo "1..0 # SKIP make rdma-tests has not built region.ko for this kernel"
	exit 0
fi
setup_rdma --rails 1
must rdma link delete uet2
must insmod "$region" device=uet1 peer=10.64.0.2 gid="$(gid 1)" qpn=$PEER_QPN
check "a region is registered" tell register
assert_eq "a peer writes a region" "$(written "$key" 1)" 0
assert_eq "the region has the byte" "$(byte)" 1
old=$key
check "the region is invalidated" tell invalidate
assert_eq "a peer cannot write a region that was invalidated" "$(written "$old" 2)" EFAULT
assert_eq "the region has the byte from before" "$(byte)" 1
assert_eq "the write that was refused is counted" "$(drops 1 ses-bad-key)" 1
check "the region is registered by its next key" tell register
check "the next key is another one" [ "$key" -ne "$old" ]
assert_eq "a peer cannot write by the former key" "$(written "$old" 3)" EFAULT
assert_eq "a peer writes by the next key" "$(written "$key" 4)" 0
assert_eq "the region has the byte by the next key" "$(byte)" 4
old=$key
check "the region is registered once more, without invalidation" tell register
assert_eq "a peer cannot write by a key that was replaced" "$(written "$old" 5)" EFAULT
assert_eq "a peer writes by the last key" "$(written "$key" 6)" 0
check "a region that is registered ends with its user" rmmod region
must rdma link delete uet1
finish_tests
