#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The Python module uet against the module: its calls between two FEPs, by
# python_calls.py; collective operations, by python_coll.py, and the examples in Python, as
# ranks of "ueadm job run".
#
#	node1
#	+----------------------------------+   job 1: root
#	|   fep1 10.0.1.1  fep2 10.0.1.2   |
#	|       |              |           |
#	|       +- lo, plane 0 +           |
#	+----------------------------------+
#
# clock: virtual; size: check; takes: 30 s; limit: 300 s

. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$REPO/build/python:$REPO/selftests/lib PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$REPO/build/libuet
examples=$REPO/Documentation/examples

add_node 1
add_loopback 1 1

# ranks N PROGRAM: its output
ranks()
{
	(unset UET_JOB; ue 1 job run -n "$1" -- "$2" 2>&1)
}

relay -t python_calls on 1 python3 "$NET_DIR/api/python_calls.py"
for n in 1 4 5; do
	assert_eq "python_coll.py: all results of $n ranks are right" \
		"$(ranks $n "$NET_DIR/api/python_coll.py"; echo $?)" \
		"$n ranks: all results are right
0"
done
assert_eq "request.py: a server answers three clients" "$(ranks 4 "$examples/request.py"; echo $?)" \
	"9 requests answered
0"
assert_eq "allreduce.py: four ranks have the sum" "$(ranks 4 "$examples/allreduce.py"; echo $?)" \
	"4 ranks: 2000 sums are right
0"
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
