#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The system has booted with the packages installed: the module is loaded, and uetd
# is ready and has created every object whose rails exist.  The missing rail appears
# later.  Prints the time of each step.

. "$(dirname "$0")/lib.sh"

# since_start MICROSECONDS: milliseconds from this boot to that time, without the
# time that prepare spent on installing the packages
since_start()
{
	awk -v us="$1" '{ print int(us / 1000 - ($2 - $1) * 1000) }' "$PREPARED"
}

# stamp_of FIELD=VALUE: time of uetd's first such journal entry
stamp_of()
{
	journalctl -q -b -o json -u $UNIT "$1" | head -n 1 |
		sed -E 's/.*"__MONOTONIC_TIMESTAMP" ?: ?"([0-9]+)".*/\1/'
}

wait_for "the boot is over" 120 property_is ActiveState active multi-user.target

# The installed files.
version=$(dpkg-query -W -f '${Version}' uet-tools)
for package in uet-dkms uet-tools uet-exporter uet-wireshark libuet0 libuet-dev \
	python3-uet libfabric-uet; do
	assert_eq "$package is installed" \
		"$(dpkg-query -W -f '${db:Status-Status} ${Version}' $package)" \
		"installed $version"
done
assert_match "DKMS has installed the module" "$(dkms status uet 2> /dev/null)" \
	"^uet/$version, $(uname -r), x86_64: installed"
assert_eq "versions are that of the package" \
	"$(ueadm -V), $(uetd -V), $(modinfo -F version uet)" \
	"ueadm $version, uetd $version, $version"
if sed '/^#/d; /^$/d' "$AS_INSTALLED" | grep -q .; then
	not_ok "the configuration that is installed configures nothing"
else
	ok "the configuration that is installed configures nothing"
fi
assert_eq "uetd.conf is a conffile of its package" \
	"$(dpkg-query -W -f '${Conffiles}' uet-tools | awk 'NF { print $1 }')" \
	/etc/uet/uetd.conf
check "a program finds the headers" grep -q AF_UET /usr/include/linux/uet.h
check "Python finds the module" python3 -c 'import uet; uet.rc_name(1)'
check "the manual is there" test -e /usr/share/man/man8/uetd.8.gz
for page in man7/uet-counters.7 man7/uet.7 man3/uet_cq.3 man8/uet-exporter.8; do
	check "the page ${page#*/} is installed" test -e "/usr/share/man/$page.gz"
done
for file in bash-completion/completions/ueadm uet/grafana/uet.json \
	uet/prometheus/uet.rules.yml; do
	check "${file##*/} is packaged" test -s "/usr/share/$file"
done
check "the dissector is where Wireshark looks" test -s \
	"/usr/lib/$(uname -m)-linux-gnu/wireshark/plugins/uet/uet.lua"
assert_match "the module's package recommends headers" \
	"$(dpkg-query -W -f '${Recommends}' uet-dkms)" 'linux-headers-amd64'

# Events during boot.
assert_match "the kernel log names version, family and port" "$(dmesg)" \
	"uet: Ultra Ethernet Transport $version, socket family 25, UDP port 4793"
check "modules-load has loaded it" \
	journalctl -q -b -t systemd-modules-load -g "Inserted module 'uet'"
check "the module is DKMS's" grep -qx "$(modinfo -F srcversion uet)" \
	/sys/module/uet/srcversion
assert_match "the loaded module is where DKMS puts modules" "$(modinfo -n uet)" '/updates/dkms/'
assert_eq "uetd is enabled and active" \
	"$(property UnitFileState) $(property ActiveState)/$(property SubState)" \
	"enabled active/running"
assert_eq "the unit tells readiness by notification" \
	"$(property Type) $(property NotifyAccess)" \
	"notify main"
check "the fep on the rail that is there is usable" busywait 60 has_fep fep0 '"usable"'
check "the state names the rail that is missing" busywait 60 \
	status_is '^rails 2, feps 2, jobs 1; problems [0-9]+: .*there is no netdev named r1'
check "the fep on it waits" busywait 60 journalctl -q -b -u $UNIT \
	UET_OBJECT="fep late"

note "from the start of the kernel: process 1 is systemd after" \
	"$(since_start "$(systemctl show -P UserspaceTimestampMonotonic)") ms," \
	"fep0 is there after $(since_start "$(stamp_of UET_OBJECT="fep fep0")") ms," \
	"uetd is ready after $(since_start \
		"$(property ActiveEnterTimestampMonotonic)") ms"

# The missing rail appears.
journal_mark
must ip link add r1 type veth peer name r1 netns peer
must ip link set r1 mtu 4500 up
must ip -n peer link set r1 mtu 4500 up
must ip addr add 10.65.0.1/24 dev r1
check "the rail that comes is taken" busywait 60 has_fep late '"dev":"r1"'
check "nothing waits any more" busywait 60 status_is '^rails 2, feps 2, jobs 1$'
check "the journal says what was made" \
	busywait 60 journal_has '"UET_VERB":"add"' UET_OBJECT="fep late"

# The other node, by the template unit.
must systemctl start uetd@peer
assert_eq "uetd of a namespace is active" "$(property ActiveState uetd@peer)" active
check "makes what its file says" \
	compare "$(ue 2 -j fep show fep0 | grep -c '"10.0.0.2"')" -eq 1
transfer "a transfer between the two" 1 2 5 -n 4 -s 100000
finish_tests
