#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/fabric/plot: plots of the traces of a small run of uetfabric.
#
# usage: fabric_plot.sh

set -u

. "$(dirname "$(readlink -f "$0")")/../lib/tap.sh"

tap_needs build/sim/uetfabric fabric
python=/usr/bin/python3
if ! $python -c 'import matplotlib' 2> /dev/null; then
	echo "1..0 # SKIP no matplotlib: package python3-matplotlib"
	exit 0
fi

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# plot WORD: a plot of a file of the run
plot()
{
	if $python tools/fabric/plot "$tmp/$1.svg" "$tmp/$1" > "$tmp/said" 2>&1 &&
			grep -q '<svg' "$tmp/$1.svg"; then
		ok "plot draws a plot of $1"
	else
		not_ok "plot draws a plot of $1"
		diag < "$tmp/said"
	fi
}

build/sim/uetfabric --nodes 16 --permutation --size 200000 --cc nscc --trace-us 5 \
	--queues "$tmp/queues" --windows "$tmp/windows" --links "$tmp/links" \
	--flows "$tmp/flows" > "$tmp/said" || tap_bail "uetfabric has failed"
for word in queues windows links flows; do
	plot "$word"
done
echo 'a,b' > "$tmp/other"
if ! $python tools/fabric/plot "$tmp/x.svg" "$tmp/other" > "$tmp/said" 2>&1 &&
		grep -q 'not from --flows, --queues' "$tmp/said"; then
	ok "another file is not plotted"
else
	not_ok "another file is not plotted"
fi
tap_end
