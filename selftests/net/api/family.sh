#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module parameter "family": a number that is none or belongs to somebody
# else is refused and leaves nothing behind, another free one works, and
# programs find it.
#
#	node1 ==(2 rails)== node2
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

fails()
{
	! "$@" > "$TMP/why" 2>&1
}

# refused FAMILY
refused()
{
	check "family $1 is refused" fails modprobe uet "family=$1"
	assert_eq "family $1 leaves nothing behind" \
		"$(grep -ic '^uet' /proc/net/protocols) $(grep -c '^uet ' /proc/modules)" \
		"0 0"
}

# The next test gets the usual family, however this test ends.
reload()
{
	cleanup
	modprobe -q -r uet
	modprobe -q uet
}
trap reload EXIT

default=$(sed -n 's/^family: *//p' /proc/net/uet/features)
must modprobe -r uet
refused 0
refused 9999
# AF_INET, which no kernel is without.
refused 2

# One whose protocol has no socket on this machine.
check "another family is taken" modprobe uet family=5
assert_match "/proc/net/uet/features tells the family" \
	"$(cat /proc/net/uet/features)" '^family: *5$'
setup_fabric
file_transfer "and used by uetcat" 1 2 70000
teardown_fabric
must busywait 30 modprobe -r uet
must modprobe uet
assert_eq "the family is the default again" \
	"$(sed -n 's/^family: *//p' /proc/net/uet/features)" "$default"
finish_tests
