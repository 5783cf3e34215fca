#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What bash, zsh and fish offer for words of ueadm: the same, which is what ueadm says.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

tap_needs "${UEADM:-build/ueadm}" tools
PATH=$(dirname "$(readlink -f "${UEADM:-build/ueadm}")"):$PATH
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
cp tools/ueadm/ueadm.fish-completion "$tmp/ueadm.fish"
cp tools/ueadm/ueadm.bash-completion "$tmp/ueadm.bash"
export HOME=$tmp

by_bash()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	bash -c '. "$0"; COMP_LINE=$1 COMP_POINT=${#1}; _ueadm; printf "%s\n" "${COMPREPLY[@]}"' \
		"$tmp/ueadm.bash" "$1"
}

# The shell's own filter by the part of a word is not there.
by_zsh()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	zsh -fc 'words=("${(@s: :)1}") CURRENT=${#words}
		compadd() { shift; print -l -- "${(@M)@:#${words[CURRENT]}*}" }
		. ./tools/ueadm/ueadm.zsh-completion' zsh "$1"
}

by_fish()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$tmp/ueadm.fish" "$1" |
		cut -f 1
}

for line in 'ueadm ' 'ueadm ra' 'ueadm rail ' 'ueadm -j fep add x a' 'ueadm job '; do
	said=$(by_bash "$line" | sort)
	if [ -n "$said" ]; then
		ok "bash offers words for \"$line\""
	else
		not_ok "bash offers words for \"$line\""
	fi
	for shell in zsh fish; do
		text="$shell offers for \"$line\" what bash offers"
		if ! command -v $shell > /dev/null; then
			skip "$text" "no $shell"
		elif [ "$("by_$shell" "$line" | sort)" = "$said" ]; then
			ok "$text"
		else
			not_ok "$text"
			diff <(echo "$said") <("by_$shell" "$line" 2>&1 | sort) | diag
		fi
	done
done
tap_end
