#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The codec of the core against a decoder that is typed from the specification alone
# (selftests/net/lib/wire_spec.py): packets of all kinds with random values, and each
# NACK code, are encoded by the core (dissector_packets.c); the decoder must read each
# field as it was encoded, no more and no less.
#
# UTEST_SEED=N repeats the random values of a run (1).
# UTEST_ROUNDS=N packets of each kind in each encapsulation (4)

set -u

here=$(cd "$(dirname "$0")" && pwd)
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
packets=$here/dissector_packets
decoder=selftests/net/lib/wire_spec.py
seed=${UTEST_SEED:-1}
if ! [ -x "$packets" ]; then
	echo "1..0 # SKIP no $packets: make unit-tests"
	exit 0
fi

. selftests/lib/tap.sh

# What surrounds the headers, and names of packets.
other=' (label|uet\.(entropy|crc|crc\.status|payload|payload_length|ignored|drop)|'
other+='uet\.tss\.(encrypted|icv)) '

# equal NAME: the fields of a capture; a fact
equal()
{
	local name=$1

	grep -vE "$other" "$tmp/$name.want" | sort > "$tmp/want"
	python3 "$decoder" --crc auto --fields-only "$tmp/$name.pcap" \
		"$tmp/fields" "$tmp/seen" > "$tmp/diff" 2>&1 &&
		sort "$tmp/fields" | diff "$tmp/want" - > "$tmp/diff" &&
		[ -s "$tmp/want" ] && {
		ok "$name: $(wc -l < "$tmp/want") fields are equal in" \
			"$(grep -c ' label ' "$tmp/$name.want") packets"
		return
	}
	not_ok "$name: packets have equal fields"
	head -n 20 "$tmp/diff" | diag
}

tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
[ -n "${UTEST_SEED-}" ] || note "UTEST_SEED=$seed"
"$packets" "$tmp" "$seed" "${UTEST_ROUNDS:-4}" || exit 1

for name in random nacks; do
	equal "$name"
done
types=$(sed -n 's/^type //p' "$tmp/seen" | sort -u | wc -l)
if [ "$types" -eq 14 ]; then
	ok "all 14 packet types were read"
else
	not_ok "all 14 packet types were read"
	note "is $types: $(sed -n 's/^type //p' "$tmp/seen" | sort -u | xargs)"
fi

tap_end
