#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The systemd units of uetd: how much they leave to an attacker, and that the one
# for namespaces does not fall behind the other.  Nothing is started.

set -u

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
if ! systemd-analyze --version > /dev/null 2>&1; then
	echo "1..0 # SKIP no systemd-analyze"
	exit 0
fi

. selftests/lib/tap.sh

# settings UNIT: those that both units should have
settings()
{
	sed -n '/^\[Service\]/,$p' "daemon/systemd/$1" |
		grep -v -e '^#' -e '^Exec' -e '^NetworkNamespacePath='
}

tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

for unit in uetd.service uetd@.service; do
	sed 's,@SBINDIR@,/usr/sbin,' "daemon/systemd/$unit" > "$tmp/$unit"
	if systemd-analyze security --offline=true --no-pager --threshold=20 \
		"$tmp/$unit" > "$tmp/out" 2>&1; then
		ok "$unit: exposure is 2.0 or less"
	else
		not_ok "$unit: exposure is 2.0 or less"
		grep -e '^✗' -e 'Overall' "$tmp/out" | diag
	fi
	note "$(tail -n 1 "$tmp/out")"
done

if diff <(settings uetd.service) <(settings uetd@.service) > "$tmp/out"; then
	ok "both units are as strict"
else
	not_ok "both units are as strict"
	diag < "$tmp/out"
fi
tap_end
