#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make" on a bare machine, one without a compiler, libraries or kernel headers: one line
# that says what is missing and what installs it; and what that installs.  Packages are
# built from a tree without tests.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export MAKEFLAGS=''

# says TEXT REGEX COMMAND...: it fails, and the first line matches
says()
{
	local text=$1 regex=$2 status
	shift 2

	"$@" > "$tmp/out" 2>&1
	status=$?
	if [ $status -ne 0 ] && [[ $(head -n 1 "$tmp/out") =~ $regex ]]; then
		ok "$text: make says what to do"
	else
		not_ok "$text: make says what to do"
		note "status $status, the first line should match: $regex"
		diag < "$tmp/out"
	fi
}

# lists TEXT WORD...: --missing has each of them
lists()
{
	local text=$1 word
	shift

	for word; do
		[[ " $missing " = *" $word "* ]] && continue
		not_ok "$text"
		note "no $word in: $missing"
		return
	done
	ok "$text"
}

says "no headers of the running kernel" \
	"^make: no headers of the running kernel $(uname -r): \"make deps-build\" installs them \(linux-headers-" \
	make -s module KDIR=
says "KDIR without headers" \
	"^make: KDIR=$tmp holds no headers of a kernel that was configured$" \
	make -s module KDIR="$tmp"
says "no compiler" '^make: needed, and not here: [a-z]' \
	make -s needs CC=no-such-compiler

# What distributions call: flags of the caller replace no flag that the sources need.
object=build/obj/tools/ueadm/change/syncconf.o
if make -s -W tools/ueadm/change/syncconf.c $object CFLAGS="-O2 -DNO_SUCH_MACRO" > "$tmp/out" 2>&1; then
	ok "an object that needs headers of the daemon builds with CFLAGS of the caller"
else
	not_ok "an object that needs headers of the daemon builds with CFLAGS of the caller"
	diag < "$tmp/out"
fi

# A machine on which no package is installed.
mkdir "$tmp/bin"
printf '#!/bin/sh\nexit 1\n' > "$tmp/bin/dpkg-query"
printf '#!/bin/sh\nexit 0\n' > "$tmp/bin/apt-cache"
chmod +x "$tmp/bin"/*
missing=$(PATH=$tmp/bin:$PATH tools/check/deps --missing)
lists "deps-build installs compiler and libraries" gcc make libmnl-dev \
	libjson-c-dev libnl-genl-3-dev libsystemd-dev libinih-dev
if [ -e "/lib/modules/$(uname -r)/build/Makefile" ]; then
	ok "deps-build installs no headers that are there"
else
	lists "deps-build installs headers of the running kernel" "linux-headers-$(uname -r)"
fi
if [[ $missing =~ qemu|clang|tshark ]]; then
	not_ok "deps-build installs nothing that only tests need"
	note "$missing"
else
	ok "deps-build installs nothing that only tests need"
fi

# What tools/debian/build copies.
mkdir "$tmp/tree"
cp -r Makefile Kbuild README.md kernel daemon uapi tools Documentation "$tmp/tree"
if make -C "$tmp/tree" -n tools python libfabric > "$tmp/out" 2>&1; then
	ok "packages are built without tests"
else
	not_ok "packages are built without tests"
	tail -n 3 "$tmp/out" | diag
fi
tap_end
