#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Documentation/uapi-errors.rst lists every SES return code with the name and the errno
# that kernel/core/result.def gives it, and says "never" exactly of those that
# nothing in kernel/ sends.

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

# The codes in the source: 0xNN name errno, one a line.
code_rows()
{
	sed -nE 's/^UET_RESULT_RC\(\w+,\s*(0x[0-9a-f]+), "([a-z-]+)", (\w+),.*/\1 \2 \3/p' \
		kernel/core/result.def
}

# The codes in the documentation.
table()
{
	sed -n '/^Return codes$/,/^errno$/p' Documentation/uapi-errors.rst
}

doc_rows()
{
	# shellcheck disable=SC2016 # these are not for the shell
	table | sed -nE 's/^``(0x..)``  ([a-z-]+) +(``(E[A-Z]+)`` )?.*/\1 \2 \4/p' |
		while read -r number name errno; do
			echo "$number $name ${errno:-0}"
		done
}

# Names of the codes that something sends: all who mention one but the table of
# names and errnos, and who asks whether there was an answer.
sent()
{
	grep -rhoE 'UET_RC_[A-Z_]+' kernel --include='*.c' \
		--exclude=ses_hdr.c --exclude='wire_*' | sort -u |
		sed 's/^UET_RC_//' | tr 'A-Z_' 'a-z-' | grep -v '^null$'
}

never()
{
	# shellcheck disable=SC2016 # these are not for the shell
	table | sed -nE 's/^``0x..``  ([a-z-]+) .*  never(: .*)?$/\1/p'
}

rows=$(code_rows | wc -l)
if [ "$rows" -ge 30 ]; then ok "there are 30 codes or more"; else not_ok "there are 30 codes or more: $rows"; fi

if out=$(diff <(code_rows) <(doc_rows)); then
	ok "each return code is documented as it is"
else
	not_ok "each return code is documented as it is"
	diag <<< "$out"
fi

if out=$(diff <(code_rows | cut -d' ' -f2 | sort) \
	<(sort <(sent) <(never))); then
	ok "each return code is sent, or said to be never sent"
else
	not_ok "each return code is sent, or said to be never sent"
	diag <<< "$out"
fi
echo "1..$tap_count"
[ $tap_failed -eq 0 ]
