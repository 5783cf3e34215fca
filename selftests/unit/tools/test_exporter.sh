#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The exporter, its alerts and its dashboard without a kernel that knows UET: ueadm is a
# double that prints each counter of the tables.  Prometheus itself checks the alerts,
# scrapes the exporter, and evaluates each expression of the dashboard.  Its package is
# unpacked in the user's cache, not installed.

set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh

if ! /usr/bin/python3 -c 'import prometheus_client' 2> /dev/null ||
	! command -v systemd-socket-activate > /dev/null; then
	echo "1..0 # SKIP no python3-prometheus-client or no systemd: make deps"
	exit 0
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/uet/prometheus

# fact TEXT COMMAND...: the output of the command explains a failure
fact()
{
	local text=$1
	shift

	if "$@" > "$tmp/out" 2>&1; then
		ok "$text"
	else
		not_ok "$text"
		diag < "$tmp/out"
	fi
}

# fetch: Prometheus to the cache
fetch()
{
	[ ! -x "$cache/usr/bin/prometheus" ] || return 0
	mkdir -p "$tmp/deb"
	(cd "$tmp/deb" && apt-get -qq download prometheus > /dev/null 2>&1 &&
		dpkg-deb -x prometheus_*.deb unpacked) || return
	mkdir -p "${cache%/*}"
	mv -T "$tmp/deb/unpacked" "$cache" 2> /dev/null || [ -d "$cache" ]
}

# double_of_ueadm: prints what the real one prints, and fails if there is a file "fail"
double_of_ueadm()
{
	mkdir "$tmp/bin"
	gcc -E -P -x c - <<- 'C' | sed 's/" "//g' > "$tmp/families"
		#define UET_MIB(name, text, doc) text
		#include "kernel/core/mib.def"
	C
	{
		tr -s ' \n' '\n' < "$tmp/families" | tr -d '"' | tr - _ | grep . |
			while read -r name; do
				echo "# TYPE uet_$name counter"
				echo "uet_${name}_total $((${#name} + 100))"
			done
		cat <<- 'M'
			# TYPE uet_dropped_packets counter
			uet_dropped_packets_total{reason="crc"} 3
			# TYPE uet_rail_usable gauge
			uet_rail_usable{dev="eth0",plane="0"} 1
			# TYPE uet_rail_rx_bytes counter
			uet_rail_rx_bytes_total{dev="eth0",plane="0"} 5
			# TYPE uet_rail_tx_bytes counter
			uet_rail_tx_bytes_total{dev="eth0",plane="0"} 6
			# TYPE uet_rail_tx_packets counter
			uet_rail_tx_packets_total{dev="eth0",plane="0"} 7
			# TYPE uet_rail_tx_retx counter
			uet_rail_tx_retx_total{dev="eth0",plane="0"} 1
			# TYPE uet_peer_tx_requests counter
			uet_peer_tx_requests_total{addr="10.0.0.2",fep="fep0"} 4
			# TYPE uet_peer_tx_retx counter
			uet_peer_tx_retx_total{addr="10.0.0.2",fep="fep0"} 1
			# TYPE uet_fep_rail_usable gauge
			uet_fep_rail_usable{dev="eth0",fep="fep0",plane="0",state="usable"} 1
			# TYPE uet_job_endpoints gauge
			uet_job_endpoints{job="1",job_name="a\"b"} 2
			# EOF
		M
	} > "$tmp/text"
	cat > "$tmp/bin/ueadm" <<- S
		#!/bin/sh
		[ "\$*" = "stats --openmetrics" ] || exit 2
		[ ! -e $tmp/fail ] || { echo "no module" >&2; exit 1; }
		cat $tmp/text
	S
	chmod +x "$tmp/bin/ueadm"
}

double_of_ueadm
cp tools/exporter/uet.rules.yml selftests/unit/tools/uet.rules.test.yml "$tmp"
fact "the dashboard is printed" tools/exporter/dashboard
cp "$tmp/out" "$tmp/uet.json"
if fetch; then
	fact "promtool reads the alerts" "$cache/usr/bin/promtool" check rules \
		"$tmp/uet.rules.yml"
	fact "no alert fires on a healthy host, and each alert for its cause" \
		"$cache/usr/bin/promtool" test rules "$tmp/uet.rules.test.yml"
	export UTEST_PROMETHEUS=$cache/usr/bin/prometheus
else
	skip "Prometheus accepts alerts and dashboard" "apt cannot fetch prometheus"
fi
fact "each alert has a test" diff \
	<(sed -n 's/^ *- alert: //p' tools/exporter/uet.rules.yml | sort) \
	<(sed -n 's/^ *- name: \(Uet.*\)/\1/p' selftests/unit/tools/uet.rules.test.yml | sort)
PYTHONPATH=$PWD/selftests/lib PYTHONDONTWRITEBYTECODE=1 UTEST_TMP=$tmp \
	tap_join exporter_http "" /usr/bin/python3 selftests/unit/tools/exporter_http.py
tap_end
