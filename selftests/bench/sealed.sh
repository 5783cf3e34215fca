# SPDX-License-Identifier: GPL-2.0
#
# FEPs in a secure domain, for the programs of the bench.  For scripts to source after
# selftests/net/lib.sh.
# shellcheck shell=bash

# fast_ciphers: load the CPU's ciphers (normally udev's job) and their dependencies
# in advance, because the clock may jump while the kernel waits for a module
fast_ciphers()
{
	modprobe -q -a aesni_intel ghash_clmulni_intel gcm ctr cmac
}

# domain: create the secure domain on both nodes, once
domain()
{
	local n

	[ ! -e "$TMP/key" ] || return
	genkey key
	for n in 1 2; do
		busywait 60 ue "$n" sd add s sdi 1 2> "$TMP/why"
		must ue "$n" sd key s an 0 file "$TMP/key"
		must ue "$n" sd use s an 0
	done
}

# seal PAYLOAD: the FEPs get the domain, and packets with at most so much payload
seal()
{
	fast_ciphers
	domain
	# shellcheck disable=SC2034 # of net/lib.sh
	ENCAP=(sd s)
	reconfigure 4 tss "$1"
}
