#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# LAMMPS of Debian, unmodified, on two nodes: the results are those over TCP to the last
# digit.

. "$(dirname "$0")/lib.sh"

example=/usr/share/lammps/examples/COUPLE/simple/in.lj
needs mpirun openmpi-bin
needs lmp lammps
[ -e "$example" ] || needs "$example" lammps-examples

setup_fabric --nodes 2
mpi_set_up
over_uet=("${mpi_options[@]}")

# melt NAME OPTION...: the results of 4 ranks, one line a step, to the file NAME
melt()
{
	local name=$1 mpi_options=("${@:2}")

	mpi 2 --wdir "$TMP" lmp -in melt.in -log "$name.log" -screen none &&
		sed -n '/^ *Step /,/^Loop /{/^Loop /!p}' "$TMP/$name.log" > "$TMP/$name"
}

# Results of each step, not of the first and the last one.
sed 's/^run.*/thermo 1\nrun 50/' "$example" > "$TMP/melt.in"
before=$(counter 1 msg-sent)
check "LAMMPS over UET ends" melt uet "${over_uet[@]}"
assert_ge "the messages are those of the FEP" "$(counter 1 msg-sent)" $((before + 100))
check "LAMMPS over TCP ends" melt tcp "${over_tcp[@]}"
assert_eq "there are 51 results" "$(grep -c '^ *[0-9]' "$TMP/uet")" 51
check "the results are those over TCP" cmp "$TMP/uet" "$TMP/tcp"
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
