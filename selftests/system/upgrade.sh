#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Upgrading the packages on a system in use: uetd is restarted, traffic continues,
# and the administrator's configuration stays.  The module is exchanged after
# applications have ended, as README.md describes, and uetd configures it again.

. "$(dirname "$0")/lib.sh"

install_package()
{
	dpkg --force-unsafe-io --no-triggers -i "$1" < /dev/null
}

# has_all: all configured objects exist
has_all()
{
	has_fep fep0 && has_fep late && ue 1 job show 1 > /dev/null 2>&1 &&
		[[ $(ue 2 -j fep show fep0 2> /dev/null) =~ 10.0.0.2 ]] &&
		ue 2 job show 1 > /dev/null 2>&1
}

before=$(configuration 1)
pid=$(property MainPID)
file=$(cat /etc/uet/uetd.conf)
traffic_begins
check "newer tools are installed" install_package "$WORK/uet-tools-newer.deb"
assert_match "the installed tools are newer" "$(dpkg-query -W -f '${Version}' uet-tools)" '\+1$'
check "another uetd runs" busywait 60 new_main "$pid"
check "the new uetd is ready" busywait 60 status_is '^rails 2, feps 2, jobs 1$'
assert_eq "the configuration is the same" "$(configuration 1)" "$before"
assert_eq "the configuration file is the same" "$(cat /etc/uet/uetd.conf)" "$file"
traffic_goes_on "an upgrade of the tools"

check "the module is installed once more" \
	install_package "$(echo "$REPO"/build/deb/uet-dkms_*_all.deb)"
assert_match "DKMS has it" "$(dkms status uet 2> /dev/null)" ': installed'
traffic_goes_on "an upgrade of the module's package"
if modprobe -r uet 2> "$TMP/busy"; then
	not_ok "a module that is in use stays"
else
	assert_match "a module that is in use stays" "$(cat "$TMP/busy")" 'in use'
fi
traffic_ends

# The documented upgrade procedure.
check "without applications it goes" busywait 30 modprobe -r uet
check "uetd says that it is missed" busywait 60 status_is \
	'module: the uet module is not loaded'
if setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
	--bounding-set=-all uetcat 10.0.0.2 < /dev/null > "$TMP/cat" 2>&1; then
	not_ok "a socket does not load it"
else
	check "a socket does not load it" test ! -e /sys/module/uet
fi
must modprobe uet
check "uetd makes all of it again" busywait 60 has_all
check "uetd is ready with the new module" busywait 60 status_is '^rails 2, feps 2, jobs 1$'
transfer "a transfer with the new module" 1 2 5 -n 4 -s 100000
finish_tests
