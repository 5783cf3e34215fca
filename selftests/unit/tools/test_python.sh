#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Python module uet without a kernel that knows UET: python_calls.py, with the
# installed files, and with each Python of this machine that has the back end of cffi.

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

if ! [ -e build/python/uet/_uet.abi3.so ]; then
	echo "1..0 # SKIP no build/python: make python"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset "${!UET_@}"
export LD_LIBRARY_PATH=$PWD/build/libuet PYTHONDONTWRITEBYTECODE=1

if MAKEFLAGS='' make -s install-python DESTDIR="$tmp" pythondir=/py > "$tmp/log" 2>&1; then
	ok "the module is installed"
else
	not_ok "the module is installed"
	diag < "$tmp/log"
fi
export PYTHONPATH=$tmp/py:$PWD/selftests/lib
for python in $(type -ap python3 | xargs -n 1 "readlink" -f | sort -u); do
	"$python" -c 'import _cffi_backend' 2> /dev/null || continue
	tap_join "$python" "$python: " "$python" selftests/unit/tools/python_calls.py
done
tap_end
