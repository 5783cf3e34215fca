#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make install", "make install-python" and "make uninstall" below a DESTDIR that has files
# of others: what is installed, that each page of the manual refers to pages and documents
# that are installed with it, and that nothing but the files of others is left.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

if ! [ -e build/ueadm ] || ! [ -e build/uetd ]; then
	echo "1..0 # SKIP no build/ueadm: make tools"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
export MAKEFLAGS=''

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

# installs TARGET...: "make TARGET" is a fact
installs()
{
	if make -s "$@" DESTDIR="$root" > "$tmp/log" 2>&1; then
		ok "make $* succeeds"
	else
		not_ok "make $* succeeds"
		diag < "$tmp/log"
	fi
}

# files: all files below the root, with their contents
files()
{
	(cd "$root" && find . -type f -exec md5sum {} + | sort -k 2 &&
		find . -type l | sort)
}

# page NAME SECTION: its file
page()
{
	echo "$root/usr/local/share/man/man$2/$1.$2"
}

# dead_references: what pages name by .BR NAME (N), with a name of this project, and is not
# installed; and documents
dead_references()
{
	local man=$root/usr/local/share/man name section document

	sed 's/\\-/-/g' "$man"/man*/* |
		sed -nE 's/^\.B[RI] +(ue[a-z_.-]+|libuet) +\(([1-8])\).*/\1 \2/p' |
		sort -u | while read -r name section; do
		[ -e "$(page "$name" "$section")" ] || echo "$name($section)"
	done
	grep -ohE '\b[a-z/]+\.(rst|yaml)\b' "$man"/man*/* | sed 's,.*/,,' | sort -u |
		while read -r document; do
		[ -e "$root/usr/local/share/doc/uet/$document" ] || echo "$document"
	done
}

# pages_with_warnings: what man has to say about the pages
pages_with_warnings()
{
	local file

	for file in "$root"/usr/local/share/man/man*/*; do
		MANPATH=$root/usr/local/share/man man --warnings -E UTF-8 -l -P cat -Tutf8 \
			"$file" 2>&1 > /dev/null | sed "s,^,${file##*/}: ,"
	done
}

# names_of TABLE MACRO: the second column
names_of()
{
	sed -nE "s/^$2\([A-Z_0-9]+,[[:space:]]*\"([^\"]*)\".*/\1/p" "kernel/core/$1" |
		grep -v '^not-dropped$' | sort
}

# Files of others, in the same folders.
for file in usr/local/bin/uet usr/local/share/man/man8/ueadm-more.8 etc/uet/uetd.conf \
	usr/local/lib/libother.so usr/local/share/doc/uet/NOTES \
	usr/local/lib/systemd/system/other.service usr/local/include/linux/other.h; do
	install -d "$root/$(dirname $file)"
	echo "$file" > "$root/$file"
done
before=$(files)

installs install-tools install-libuet install-exporter install-wireshark
[ ! -e build/python/uet/_uet.abi3.so ] || installs install-python
[ ! -e build/sim/uetfabric ] || installs install-fabric
[ ! -e build/libfabric/libuet-fi.so ] || installs install-libfabric
for file in sbin/ueadm sbin/uetd sbin/uet-exporter bin/uetcat bin/uetperf include/uet.h \
	lib/libuet.so share/bash-completion/completions/ueadm share/zsh/site-functions/_ueadm \
	share/fish/vendor_completions.d/ueadm.fish share/uet/grafana/uet.json \
	share/uet/prometheus/uet.rules.yml share/uet/wireshark/uet.lua \
	lib/systemd/system/uet-exporter.socket lib/modules-load.d/uet.conf; do
	[ -e "$root/usr/local/$file" ] || echo "$file"
done > "$tmp/missing"
same "all files are installed" "$(cat "$tmp/missing")" ""
same "the page uet-counters has each counter and each reason" \
	"$(sed -n '/^.SH COUNTERS/,$ { s/\\-/-/g; s/^\.B //p }' "$(page uet-counters 7)" | grep -v ' ' | sort)" \
	"$({ names_of mib.def UET_MIB; names_of drop.def UET_DROP; } | sort)"
same "pages refer to pages and documents that are installed" "$(dead_references)" ""
if command -v man > /dev/null; then
	same "man shows each page without a warning" "$(pages_with_warnings)" ""
else
	skip "man shows each page without a warning" "no man"
fi
installs uninstall
same "only the files of others are left" "$(files)" "$before"
same "no folder of UET is left without files" "$(cd "$root" &&
	find . -type d -empty -regex '.*/uet\(/.*\)?')" ""

root=$tmp/plain
installs install-tools install-libuet install-exporter SYSTEMD=no
same "without systemd nothing is installed for systemd, its bus and polkit" "$(cd "$root" &&
	find . -path '*systemd*' -o -path '*dbus*' -o -path '*polkit*' -o -path '*sysusers*')" ""
same "without systemd there are the daemon and an example for it" "$(cd "$root/usr/local" &&
	find . -name uetd -o -name uetd.conf.example | sort)" "$(printf '%s\n' ./sbin/uetd ./share/doc/uet/uetd.conf.example)"
tap_end
