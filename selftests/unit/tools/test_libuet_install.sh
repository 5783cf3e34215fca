#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# libuet as users find it: installed below DESTDIR, found by pkg-config, linked by
# programs in C and C++, shared and static; symbols, versions and soname.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

if ! [ -e build/libuet/libuet.so ]; then
	echo "1..0 # SKIP no build/libuet: make tools"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
lib=$tmp/root/opt/lib/any
header=tools/libuet/uet.h

# fact TEXT COMMAND...: the output of the command explains a failure
fact()
{
	local text=$1 out
	shift

	if out=$("$@" 2>&1); then
		ok "$text"
	else
		not_ok "$text"
		diag <<< "$out"
	fi
}

# same TEXT A B
same()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		diff <(echo "$2") <(echo "$3") | diag
	fi
}

declared()
{
	gcc -E -P -Itools/libuet -Iuapi $header | tr '\n' ' ' | tr ';' '\n' |
		sed -nE 's/.*visibility\("default"\).*\b(uet_\w+)\(.*/\1/p' | sort
}

exported()
{
	nm -D --defined-only "$lib/libuet.so" | awk '$2 == "T" { print $3 }' | sort
}

# mapped: what the list of symbols exports, with versions
mapped()
{
	awk '/^UET_.*[{]/ { version = $1 } /^\t/ && !/\*/ { print $1 "@@" version }' \
		tools/libuet/libuet.map | tr -d ';' | sort
}

# prototypes_of_pages: declarations in the synopses of section 3, each on one line
prototypes_of_pages()
{
	sed -n '/^.BI "/{s///; s/"$//; s/" //g; s/ "//g; p}' Documentation/man/*.3 |
		tr '\n' ' ' | sed 's/; */;\n/g; s/ \+/ /g' | tr -s ' ' | sort
}

# Functions of the library, and the inline functions of the rings.
prototypes_of_header()
{
	{
		gcc -E -P -Itools/libuet -Iuapi $header | tr '\n' ' ' | tr ';' '\n' |
			sed -nE 's/.*visibility\("default"\)\)\) //p'
		sed -n 's/^static inline //p' tools/lib/uet_[cs]q.h
	} | tr -s ' \t' ' ' | sed 's/$/;/' | sort
}

# structures FILE...: each on one line, without comments
structures()
{
	cat "$@" | sed 's,/\*.*\*/,,' | tr -s ' \t\n' ' ' |
		grep -oE 'struct (sockaddr_uet|uet_\w+) \{([^{}]|\{[^}]*\})*\};' | sort -u
}

# structures_of_pages: those that pages of section 3 print, as the headers have them
structures_of_pages()
{
	structures $header uapi/linux/uet.h | grep -Fxf <(structures Documentation/man/*.3)
}

# names_missing: operations, types and flags that no page of section 3 names
names_missing()
{
	grep -hoE '\bUET_(OP|AMO|DT)_\w+ =|^#define UET_(F|OPEN)_\w+' $header uapi/linux/uet.h |
		grep -oE 'UET_\w+' | grep -vxf <(grep -ohE '\bUET_\w+' \
			Documentation/man/uet_{open,request,atomic}.3)
}

# pages_missing: functions without a page in the manual
pages_missing()
{
	local name page=$tmp/root/opt/share/man/man3

	for name in $(declared); do
		grep -qsE "^.so man3/|^.BI .*$name\\(" "$page/$name.3" &&
			grep -q "\b$name\b" "$page/../$(sed -n 's/^.so //p' \
				"$page/$name.3" | grep . || echo "man3/$name.3")" ||
			echo "$name"
	done
}

cat > "$tmp/user.c" <<-C
	#include <stdio.h>
	#include <uet.h>
	#include <uet_cq.h>

	int main(void)
	{
		char why[UET_ERROR_SIZE];
		struct sockaddr_uet addr;

		return !(uet_addr_parse(&addr, "10.0.0.1/1", why) == 0 &&
			 addr.suet_pid == 1 && !uet_open(NULL, why) &&
			 puts(why) > 0);
	}
C
cp "$tmp/user.c" "$tmp/user.cc"

MAKEFLAGS='' make -s install-libuet DESTDIR="$tmp/root" PREFIX=/opt \
	libdir=/opt/lib/any > "$tmp/log" 2>&1 || not_ok "libuet installs into another folder"
install -D -m 644 -t "$tmp/root/opt/include/linux" uapi/linux/uet.h
install -m 644 -t "$tmp/root/opt/include" \
	tools/lib/uet_cq.h tools/lib/uet_ioctl.h

same "the library has its soname" "$(objdump -p "$lib/libuet.so" | awk '/SONAME/ { print $2 }')" libuet.so.0
same "the library needs the C library only" \
	"$(objdump -p "$lib/libuet.so" | awk '/NEEDED/ { print $2 }')" libc.so.6
same "the symbols of the library are the declared functions" \
	"$(exported | sed 's/@@.*//')" "$(declared)"
same "each exported symbol has the version that is listed" "$(exported)" "$(mapped)"
same "each function has a page in the manual" "$(pages_missing)" ""
same "the manual declares the functions as the header does" "$(prototypes_of_pages)" \
	"$(prototypes_of_header)"
same "the manual prints structures as the headers have them" "$(structures_of_pages)" \
	"$(structures Documentation/man/*.3)"
fact "the manual prints the structures" \
	test "$(structures Documentation/man/*.3 | wc -l)" -ge 10
same "the manual names all operations, types and flags" "$(names_missing)" \
	"UET_OP_DATAGRAM_SEND
UET_OP_DEFERRABLE_RTR
UET_OP_MSG_ERROR"
fact "there are functions" test "$(exported | wc -l)" -ge 25
fact "the stack is not executable" grep -q 'RW  0x' \
	<(readelf -lW "$lib/libuet.so" | grep GNU_STACK)

export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/root
same "pkg-config has the version of the module" "$(pkg-config --modversion uet)" \
	"$(sed -n 's/^#define UET_VERSION[[:space:]]*"\(.*\)"$/\1/p' kernel/config/config.h)"
read -ra cflags < <(pkg-config --cflags uet)
read -ra libs < <(pkg-config --libs uet)
fact "a C program is linked" gcc -std=c11 -pedantic -Wall -Wextra -Werror -o "$tmp/c" \
	"${cflags[@]}" "$tmp/user.c" "${libs[@]}"
for std in c++11 c++20; do
	fact "a $std program is linked" g++ -std=$std -pedantic -Wall -Wextra -Werror \
		-Wno-vla -o "$tmp/$std" "${cflags[@]}" "$tmp/user.cc" "${libs[@]}"
done
fact "a static program is linked" gcc -o "$tmp/static" "${cflags[@]}" "$tmp/user.c" \
	"$lib/libuet.a"
for program in c c++11 c++20 static; do
	same "$program runs with the library" "$(unset "${!UET_@}"; LD_LIBRARY_PATH=$lib "$tmp/$program")" \
		'no job: neither uet_attr.job, UET_JOB nor UET_JOB_FD; start with "ueadm job run"'
done
echo "1..$tap_count"
[ $tap_failed -eq 0 ]
