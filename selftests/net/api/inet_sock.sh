#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sockets of AF_INET and AF_INET6 with IPPROTO_UET: two Python programs without any
# library echo messages between nodes; sock_inet has the calls, among them those that
# a BPF program of a cgroup refuses or changes.  The endpoints are seen from outside.
#
#	node1 ==(2 rails)== node2		job 1: fep0, fep6
#	node3: fep1 10.0.1.1, fep2 10.0.1.2, fep6 fd01::1 over lo
#
# clock: virtual; size: check; takes: 4 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

echo=$REPO/Documentation/examples/inet_echo.py

# default_job NODE JOB: of its namespace
default_job()
{
	on "$1" sh -c "echo $2 > /proc/sys/net/uet/default_job"
}

# serves PORT: the endpoint of the server
serves()
{
	[[ $(ue 2 -j ep show) =~ \"job\":1,\"pid\":0,\"ri\":$1, ]]
}

# echoes TYPE FA PORT
echoes()
{
	start server 2 "$echo" serve "$1" "$2" "$3" 40
	wait_for "the server binds" 30 serves "$3" ||
		diag < "$TMP/server.err"
	check "$1 $2: Python gets its echo" \
		on 1 "$echo" ask "$1" "$2" "$3" 40
	check "$1 $2: the server ends without an error" finish server
}

setup_fabric
for n in 1 2; do
	must ue $n fep add fep6 addr "fd00::$n" rails r0,r1 mtu 4096
	must ue $n job del 1
	must ue $n job add 1 feps fep0,fep6
done
assert_eq "a namespace has no default job" \
	"$(on 1 cat /proc/sys/net/uet/default_job)" 0
assert_match "Python is refused without a job" \
	"$(on 1 "$echo" serve rdm 10.0.0.1 7 1 2>&1)" \
	'FileNotFoundError|ENOENT|No such file'
for n in 1 2; do
	check "node$n gets a default job" default_job $n 1
done
for type in rdm seqpacket dgram; do
	echoes $type 10.0.0.2 7
done
for type in rdm dgram; do
	echoes $type fd00::2 7
done
check "the module names the capability" grep -qw inet /proc/net/uet/features
teardown_fabric

#------------------------------------------------------------------- the calls

add_node 3
add_loopback 3 1
add_loopback_jobs 3
if grep -qw cgroup2 /proc/filesystems; then
	export UET_CGROUP=$TMP/cgroup
	must mkdir "$UET_CGROUP"
	must mount -t cgroup2 none "$UET_CGROUP"
	trap 'rmdir "$UET_CGROUP"/hook-*; umount "$UET_CGROUP"; cleanup' EXIT
fi
relay -t sock_inet on 3 sock_inet
check "no endpoint is left" busywait 30 nr_eps_are 3 -eq 0
assert_eq "no socket is left" \
	"$(awk '$1 ~ /^UETv[46]$/ { sum += $3 } END { print sum + 0 }' \
		/proc/net/protocols)" 0
finish_tests
