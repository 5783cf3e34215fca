#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The systemd units of uetd: how much they leave to an attacker, and that the one
# for namespaces does not fall behind the other; and what the system bus and polkit
# are told of uetd.  Nothing is started.

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
if ! systemd-analyze --version > /dev/null 2>&1; then
	echo "1..0 # SKIP no systemd-analyze"
	exit 0
fi

. selftests/lib/tap.sh

# settings UNIT: those that both units should have
settings()
{
	sed -n '/^\[Service\]/,$p' "daemon/systemd/$1" |
		grep -v -e '^#' -e '^Exec' -e '^NetworkNamespacePath=' \
			-e '^BusName=' -e '^Alias=' -e '^RuntimeDirectory'
}

# has TEXT FILE LINE...: it has these lines, but for what is in front and behind
has()
{
	local text=$1 file=$2 line
	shift 2

	for line; do
		grep -qF -- "$line" "$file" && continue
		not_ok "$text"
		note "$file has no $line"
		return
	done
	ok "$text"
}

# is_xml FILE: well-formed, as far as that can be said here
is_xml()
{
	if ! command -v xmllint > /dev/null; then
		skip "$1 is well-formed" "no xmllint"
	elif xmllint --nonet --noout "$1" > "$tmp/out" 2>&1; then
		ok "$1 is well-formed"
	else
		not_ok "$1 is well-formed"
		diag < "$tmp/out"
	fi
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

# One name and one user, in all files that have to agree about them.
dir=daemon/systemd
name=$(sed -n 's/^#define UETD_BUS_NAME\t"\(.*\)"/\1/p' daemon/bus/bus.h)
user=$(sed -n 's/^u \([a-z]*\) .*/\1/p' $dir/uet.sysusers.conf)
has "the unit has the name, and the user of sysusers.d" $dir/uetd.service \
	"BusName=$name" "User=$user"
has "the bus lets that user have the name" "$dir/$name.conf" \
	"<policy user=\"$user\">" "<allow own=\"$name\"/>" \
	"<allow send_destination=\"$name\"/>"
has "the bus has the unit started" "$dir/$name.service" "Name=$name" \
	"SystemdService=dbus-$name.service"
has "which it can only once it is enabled" $dir/uetd.service \
	"Alias=dbus-$name.service"
policy=$dir/org.ultraethernet.uetd1.policy
sed -n 's/^#define UETD_ACTION_[A-Z]*\t"\(.*\)"/\1/p' daemon/bus/bus_job.h > "$tmp/ids"
while read -r action; do
	has "polkit knows $action" $policy "<action id=\"$action\">"
done < "$tmp/ids"
if [ "$(grep -c '<action id=' $policy)" -eq \
	"$(grep -c "policykit.owner\">unix-user:$user<" $policy)" ]; then
	ok "polkit lets the user of uetd ask about each action"
else
	not_ok "polkit lets the user of uetd ask about each action"
fi
is_xml "$dir/$name.conf"
is_xml $policy
tap_end
