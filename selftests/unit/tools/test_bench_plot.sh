#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# selftests/bench/plot: the table of performance.rst becomes an SVG, the same each time, and
# so do the tables of congested ports; a text without a table is refused.
#
# size: all

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
plot=(/usr/bin/python3 selftests/bench/plot)
if ! /usr/bin/python3 -c 'import matplotlib' 2> /dev/null; then
	echo "1..0 # SKIP no matplotlib: package python3-matplotlib"
	exit 0
fi

. selftests/lib/tap.sh

# expect TEXT COMMAND...
expect()
{
	local text=$1
	shift

	if "$@"; then ok "$text"; else not_ok "$text"; fi
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

expect "the table becomes an SVG" "${plot[@]}" "$tmp/a.svg" Documentation/performance.rst
expect "the plot has a panel for each MTU" grep -q 'MTU 9000' "$tmp/a.svg"
expect "the plot has a line for TCP" grep -q '>tcp [0-9.]*<' "$tmp/a.svg"
"${plot[@]}" "$tmp/b.svg" Documentation/performance.rst
expect "the plot is the same each time" cmp "$tmp/a.svg" "$tmp/b.svg"
cat > "$tmp/congestion.log" <<-X
	mice                 p50 us     p99 us     max us  bulk Mb/s
	uet-rccc              14798      17877      20254       93.5
	tcp-bbr               12294      16219      16981       93.5

	shares of 16         Jain % least Mb/s   all Mb/s    dropped sent again
	uet-rccc              100.0        5.9       95.3         12          0
	tcp-bbr                67.5        2.2       97.2         68         88
X
expect "the tables of congested ports become an SVG" \
	"${plot[@]}" "$tmp/d.svg" "$tmp/congestion.log"
shown=$(grep -o '> [0-9.]*<' "$tmp/d.svg" | tr -d '<>\n')
expect "the plot has each transport's value in each panel" \
	[ "$shown" = " 16219 17877 67.5 100 68 12" ]
error=$("${plot[@]}" "$tmp/c.svg" README.md 2>&1)
expect "a text without a table is refused" [ $? -eq 1 ]
expect "the error names the file" grep -q 'README.md: no table' <<< "$error"
tap_end
