#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The exporter as a service: systemd listens, the first request starts it, and it answers
# with the counters of the kernel, with the one capability that shows peers.  It stays
# enabled, for the tests of upgrade and purge.

. "$(dirname "$0")/lib.sh"

PORT=14793
EXPORTER=uet-exporter.service

# metrics: what a client gets
metrics()
{
	python3 - <<- P
		import urllib.request
		request = urllib.request.Request("http://127.0.0.1:$PORT/metrics",
			headers={"Accept": "application/openmetrics-text"})
		with urllib.request.urlopen(request, timeout=120) as reply:
		    print(reply.read().decode(), end="")
	P
}

# names: those of samples, with their labels, in an order
names()
{
	python3 -c 'import re, sys
names = [line.rsplit(" ", 1)[0] for line in sys.stdin if line[0] != "#"]
for name in sorted(re.sub("{.*}", "", name) + " " +
		   ",".join(sorted(re.findall("\w+=\"[^\"]*\"", name))) for name in names):
	print(name)'
}

assert_eq "the package does not enable the exporter" \
	"$(property UnitFileState uet-exporter.socket)" \
	disabled
check "systemctl enables the exporter" systemctl -q enable --now uet-exporter.socket
assert_eq "systemd listens, and nothing runs yet" "$(property ActiveState \
	uet-exporter.socket) $(property ActiveState $EXPORTER)" "active inactive"
metrics > "$TMP/metrics" 2> "$TMP/why" || diag < "$TMP/why"
assert_eq "the first request starts it" "$(property ActiveState $EXPORTER)" active
assert_match "the answer is whole" "$(tail -n 1 "$TMP/metrics")" '^# EOF$'
assert_match "the exporter reports a successful scrape" \
	"$(cat "$TMP/metrics")" $'\nuet_scrape_success 1'
assert_match "the exporter reports the module" "$(cat "$TMP/metrics")" \
	"uet_module_info\{.*version=\"$(modinfo -F version uet)\""
assert_match "the exporter reports the rail" \
	"$(cat "$TMP/metrics")" 'uet_rail_usable\{dev="r0",plane="0"\} 1'
assert_eq "the exporter reports what ueadm prints with its capability, and its own sample" \
	"$(names < "$TMP/metrics")" "$({ setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=-all,+perfmon --ambient-caps=-all,+perfmon \
		--bounding-set=-all,+perfmon ueadm stats --openmetrics
		echo uet_scrape_success 1; } | names)"

pid=$(property MainPID $EXPORTER)
assert_eq "the exporter has CAP_PERFMON and no other capability" \
	"$(awk '/^Cap(Eff|Prm|Bnd|Amb)/ { print $2 }' "/proc/$pid/status" | sort -u)" \
	0000004000000000
check "the exporter is not root" test "$(awk '/^Uid/ { print $2 }' "/proc/$pid/status")" -ne 0
before=$(awk '/^uet_msg_received_total/ { print int($2) }' "$TMP/metrics")
transfer "a transfer to the system" 2 1 5 -n 4 -s 1000
metrics > "$TMP/metrics"
check "counters are read anew" test \
	"$(awk '/^uet_msg_received_total/ { print int($2) }' "$TMP/metrics")" -ge \
	$((before + 4))

must tc qdisc replace dev r0 root netem limit 5000 loss 20%
transfer "a transfer from the system with losses" 1 2 6 -n 40 -s 70000
must tc qdisc del dev r0 root
metrics > "$TMP/metrics"
assert_match "the exporter reports what was sent to a peer again" "$(cat "$TMP/metrics")" \
	"uet_peer_tx_retx_total\{[^}]*addr=\"$(fa 2)\"[^}]*\} [1-9]"

# Section of the manual page that lets the service look into other namespaces.
dropin=/etc/systemd/system/$EXPORTER.d/netns.conf
must mkdir -p "${dropin%/*}"
sed -n '/^\[Service\]$/,/^\.fi$/ { /^\.fi$/d; s/\\-/-/g; p }' \
	"$REPO/Documentation/man/uet-exporter.8" > "$dropin"
must systemctl daemon-reload
must systemctl stop $EXPORTER
metrics > "$TMP/metrics"
assert_match "with --netns the exporter reports the FEP of another namespace" \
	"$(cat "$TMP/metrics")" "uet_fep_[a-z_]*\{[^}]*netns=\"peer\"[^}]*\}"
assert_match "with --netns it reports the success there" "$(cat "$TMP/metrics")" \
	$'\nuet_scrape_success\{netns="peer"\} 1'
assert_match "samples of its own namespace have no label netns" "$(cat "$TMP/metrics")" \
	'uet_rail_usable\{dev="r0",plane="0"\} 1'
must rm -r "${dropin%/*}"
must systemctl daemon-reload
must systemctl stop $EXPORTER
finish_tests
