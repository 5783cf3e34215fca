#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Scripts that start VMs are killed, and no VM is left: a program in the place of QEMU has
# their end.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
cat > "$tmp/bin/qemu-system-x86_64" <<-Q
	#!/bin/sh
	case "\$*" in *probe*) exit 1 ;; esac
	echo \$\$ > $tmp/qemu.new
	mv $tmp/qemu.new $tmp/qemu
	exec sleep 600
Q
chmod +x "$tmp/bin/qemu-system-x86_64"
# "repeat" has no load, and one run.
printf '#!/bin/sh\n' > "$tmp/bin/stress-ng"
chmod +x "$tmp/bin/stress-ng"
export PATH=$tmp/bin:$PATH REPEAT_REAL=1 UET_NET_TESTS=chaos TMPDIR=$tmp

# within SECONDS COMMAND...: it succeeds at last
within()
{
	local end=$((SECONDS + $1))
	shift

	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

is_gone()
{
	! kill -0 "$1" 2> /dev/null
}

# ends_with SIGNAL COMMAND...: no VM survives the command
ends_with()
{
	local signal=$1 text="no VM survives $2 that gets SIG$1" script vm
	shift

	rm -f "$tmp/qemu"
	# What a shell starts in the background ignores SIGINT.
	env --default-signal=INT "$@" > "$tmp/out" 2>&1 < /dev/null &
	script=$!
	if ! within 120 test -e "$tmp/qemu"; then
		not_ok "$1 starts a VM for SIG$signal to end"
		diag < "$tmp/out"
		kill "$script"
		wait "$script"
		return
	fi
	vm=$(< "$tmp/qemu")
	kill "-$signal" "$script"
	wait "$script" 2> /dev/null
	if within 20 is_gone "$vm"; then
		ok "$text"
	else
		not_ok "$text"
		kill "$vm"
	fi
}

[ -n "$(selftests/vm/fetch-kernel 6.1 2> /dev/null)" ] || tap_bail "no kernel for a VM"
for signal in TERM INT KILL; do
	ends_with $signal selftests/vm/run -- true
	ends_with $signal selftests/run net:6.1
	ends_with $signal selftests/repeat chaos
	# "machines" begins only where the provider is built.
	[ ! -e build/libfabric/libuet-fi.so ] ||
		ends_with $signal selftests/libfabric/machines
done
tap_end
