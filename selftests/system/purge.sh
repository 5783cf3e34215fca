#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Removed packages leave the configuration; purged packages leave nothing: no
# process, unit, file or module.  Files that the administrator or the tests added are
# removed first.

. "$(dirname "$0")/lib.sh"

packages=(uet-dkms uet-tools uet-exporter uet-wireshark libuet0 libuet-dev python3-uet
	libfabric-uet)

dpkg_do()
{
	dpkg --force-unsafe-io --no-triggers "$@" < /dev/null
}

# files_left: files of the packages that still exist; directories may belong to
# others
files_left()
{
	local file

	while read -r file; do
		[ -d "$file" ] || [ ! -e "$file" ] || echo "$file"
	done < "$TMP/files"
	find /etc /lib/systemd /usr/lib/systemd /var/lib /run/systemd/units \
		-iname '*uet*' -not -path '/var/lib/dpkg/info/*' \
		-not -name 'bluetooth*' 2> /dev/null
	find /lib/modules -name 'uet.ko*'
}

is_unknown()
{
	! modprobe uet
}

dpkg -L "${packages[@]}" | sort -u > "$TMP/files"
rm -rf "$ARCHIVE_DIR"/*.dkms.tar.gz /etc/uet/netns "$DROP_IN"

check "dpkg removes the packages" dpkg_do -r "${packages[@]}"
assert_eq "no uetd runs" "$(pgrep -x uetd | wc -l)" 0
assert_eq "no exporter runs" "$(pgrep -f sbin/uet-exporter | wc -l)" 0
assert_eq "the unit of uetd is gone" "$(property LoadState)" not-found
assert_match "the configuration is kept" "$(cat /etc/uet/uetd.conf)" '\[rail r0\]'
check "the module stays in the kernel as well" test -d /sys/module/uet
check "dpkg purges the packages" dpkg_do -P "${packages[@]}"
assert_eq "no file is left" "$(files_left | sort -u | tr '\n' ' ')" ""
assert_match "the user of uetd is left and cannot log in" \
	"$(getent passwd uetd)" ':/usr/sbin/nologin$'
assert_eq "DKMS knows nothing of it" "$(dkms status uet 2> /dev/null)" ""
check "the module can go" busywait 30 rmmod uet
check "the module cannot come back" is_unknown
finish_tests
