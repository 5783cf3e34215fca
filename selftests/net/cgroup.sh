# SPDX-License-Identifier: GPL-2.0
#
# A memory cgroup for tests of what is charged to it.  For scripts to source after lib.sh.
# shellcheck shell=bash

cgroup=$TMP/cgroup/uet

# make_cgroup BYTES: memory.max; $TMP/enter COMMAND... runs a command in it, and only the
# command itself decides about its end: the kernel kills nothing for the cgroup.  Ends the
# test on a kernel without memory cgroups.
make_cgroup()
{
	if ! grep -qw cgroup2 /proc/filesystems; then
		skip "the kernel has memory cgroups" "the kernel has none"
		finish_tests
	fi
	must mkdir "$TMP/cgroup"
	must mount -t cgroup2 none "$TMP/cgroup"
	trap 'cleanup_cgroup; cleanup' EXIT
	echo +memory > "$TMP/cgroup/cgroup.subtree_control" ||
		die "no memory controller"
	must mkdir "$cgroup"
	echo "$1" > "$cgroup/memory.max"
	cat > "$TMP/enter" <<-X
		#!/bin/sh
		echo -1000 > /proc/self/oom_score_adj
		echo \$\$ > $cgroup/cgroup.procs
		exec "\$@"
	X
	chmod +x "$TMP/enter"
}

cleanup_cgroup()
{
	teardown_fabric
	rmdir "$cgroup"
	umount "$TMP/cgroup"
}

# cgroup_file NAME: a number
cgroup_file()
{
	echo "$(< "$cgroup/memory.$1")"
}

# cgroup_stat NAME: bytes of a kind that the cgroup is charged for: sock, kernel, ...
cgroup_stat()
{
	awk -v name="$1" '$1 == name { print $2 }' "$cgroup/memory.stat"
}

# cgroup_stat_is NAME -le|-ge|-eq BYTES
cgroup_stat_is()
{
	compare "$(cgroup_stat "$1")" "$2" "$3"
}
