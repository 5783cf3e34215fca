# SPDX-License-Identifier: GPL-2.0
#
# Access of the kernel scripts to Debian's archive: a private apt configuration for
# the suites that carry a kernel series, and packages unpacked instead of installed.
# The system's apt is not changed, root is not needed, and arch chooses the architecture.  fetch-kernel and
# build-kernel source this file, after setting me to their name in messages.

# shellcheck shell=bash
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/uet
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# shellcheck disable=SC2154 # me
say() { echo "$me: $*" >&2; }
die() { say "$*"; exit 1; }

# Debian's name of this machine, and of the machine that kernels are for: arch.
case $(uname -m) in
aarch64) host_arch=arm64 ;;
*)	 host_arch=amd64 ;;
esac
arch=$host_arch

# Suites of the archive that carry a series.
series_suites()
{
	case $1 in
	5.10|5.10.*)	echo bullseye bullseye-security ;;
	6.1|6.1.*)	echo bookworm bookworm-security ;;
	6.12|6.12.*)	echo bookworm-backports ;;
	7.*)		echo trixie-backports ;;
	*)		die "no suite is known for kernel '$1' (5.10, 6.1, 6.12 and 7.x are)" ;;
	esac
}

# Base address of the mirror that this machine already uses for a suite.  Suites that
# the machine does not use come from its bookworm mirrors.
mirror_of()
{
	local want=bookworm

	[[ $1 != *-security ]] || want=bookworm-security
	apt-get indextargets --format "\$(REPO_URI) \$(RELEASE)" 2> /dev/null |
		awk -v want="$want" '$2 == want && !n++ { print $1 }'
}

# Point APT_CONFIG at private lists that hold only the suites of a series.  The
# system's sources and lists are not changed, and root is not needed.
apt_view()
{
	local suites dir suite mirror

	suites=$(series_suites "$1")
	dir=$cache/apt/${suites%% *}
	[ "$arch" = "$host_arch" ] || dir+=-$arch
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	if ! [ -s "$dir/suites.sources" ]; then
		for suite in $suites; do
			mirror=$(mirror_of "$suite")
			if [ -z "$mirror" ]; then
				[[ $suite != *-security ]] || continue
				die "apt has no source for $suite"
			fi
			printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n\n' \
				"$mirror" "$suite" "$keyring"
		done > "$dir/suites.new"
		mv "$dir/suites.new" "$dir/suites.sources"
	fi
	cat > "$dir/apt.conf" <<-X
	Dir::Etc::sourcelist "$dir/suites.sources";
	Dir::Etc::sourceparts "/dev/null";
	Dir::State::lists "$dir/lists";
	Dir::Cache "$dir/cache";
	APT::Sandbox::User "$(id -un)";
	APT::Architecture "$arch";
	APT::Architectures { "$arch"; };
	Acquire::Languages "none";
	X
	# Refresh lists at most once an hour: several callers may run at once.
	if [ -z "$(find "$dir/updated" -mmin -60 2>/dev/null)" ]; then
		say "reading the package lists of $suites"
		APT_CONFIG=$dir/apt.conf apt-get -qq update >&2
		touch "$dir/updated"
	fi
	export APT_CONFIG=$dir/apt.conf
}

# Download packages and unpack them below a directory.
unpack()
{
	local dir=$1 deb tmp; shift

	tmp=$(mktemp -d)
	say "fetching $*"
	(cd "$tmp" && apt-get -qq download "$@" >&2) ||
		{ rm -rf "$tmp"; die "cannot download $*"; }
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$tmp"
}
