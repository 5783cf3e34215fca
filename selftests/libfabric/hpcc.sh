#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hpcc of Debian, unmodified, on two nodes: it solves, transposes, updates and transforms,
# and checks its own results.  One rank on each node, so that each has a CPU to spin on.

. "$(dirname "$0")/lib.sh"

needs mpirun openmpi-bin
needs hpcc hpcc

setup_fabric --nodes 2
mpi_set_up
mkdir "$TMP/hpcc"
# 200 unknowns, on a grid of 1 by 2 ranks
sed -e '6s/^[0-9]*/200/' -e '11s/^[0-9]*/1/' \
	/usr/share/doc/hpcc/examples/_hpccinf.txt > "$TMP/hpcc/hpccinf.txt"
check "hpcc ends without an error" mpi 1 --wdir "$TMP/hpcc" hpcc
assert_match "hpcc: it reports success" "$(tail -n 300 "$TMP/hpcc/hpccoutf.txt")" "^Success=1"
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
