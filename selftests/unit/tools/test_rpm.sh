#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make rpm": packages, which rpm installs below a directory; the programs run from there, and
# the source for DKMS is that of this tree.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

if ! command -v rpmbuild > /dev/null; then
	echo "1..0 # SKIP no rpmbuild: apt install rpm"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
version=$(sed -n 's/^#define UET_VERSION[[:space:]]*"\(.*\)"$/\1/p' kernel/config/config.h)
export MAKEFLAGS=''

# does TEXT COMMAND...: the command succeeds
does()
{
	local text=$1
	shift

	if "$@" > "$tmp/log" 2>&1; then
		ok "$text"
	else
		not_ok "$text"
		tail -n 20 "$tmp/log" | diag
	fi
}

# says TEXT REGEX COMMAND...: it succeeds, and its output matches
says()
{
	local text=$1 regex=$2 out
	shift 2

	if out=$("$@" 2>&1) && [[ $out =~ $regex ]]; then
		ok "$text"
	else
		not_ok "$text"
		echo "$out" | diag
	fi
}

rpm_do()
{
	rpm --root "$root" "$@"
}

mkdir -p "$root"
does "make rpm builds the packages" make -s rpm
for package in dkms tools libs devel; do
	does "rpm installs uet-$package" rpm_do -i --nodeps --noscripts \
		build/rpm/uet-$package-"$version"-*.rpm
	does "rpm finds the files of uet-$package whole" rpm_do -V --nodeps uet-$package
done
says "the ueadm that is installed has the version" "$version" "$root/usr/sbin/ueadm" --version
does "the uetd that is installed reads the configuration that is installed" \
	"$root/usr/sbin/uetd" --check --config "$root/etc/uet/uetd.conf"
does "the source for DKMS is that of this tree" \
	diff -r kernel "$root/usr/src/uet-$version/kernel"
says "dkms.conf names the version" "PACKAGE_VERSION=\"$version\"" \
	cat "$root/usr/src/uet-$version/dkms.conf"
tap_end
