#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Documentation/examples/train: eight ranks on two nodes train a network, over UET and over
# TCP, with the same losses to the last digit.  Over UET a rail dies in the middle, and the
# training goes on.  The logs stay in $VM_OUT/train, for the plot of "make train".
#
#	node1, ranks 0-3                     node2, ranks 4-7
#	  r0  10.64.0.1 ----- plane 0 ----- 10.64.0.2  r0
#	  r1  10.65.0.1 ----- plane 1 ----- 10.65.0.2  r1, dies
#
# clock: virtual; size: all; takes: 200 s; limit: 900 s

. "$(dirname "$0")/../lib.sh"

export PYTHONPATH=$REPO/build/python PYTHONDONTWRITEBYTECODE=1
export LD_LIBRARY_PATH=$REPO/build/libuet OMP_NUM_THREADS=1
# QEMU 7.2 emulates some instructions of AVX2 in numpy wrongly: tanh() becomes NaN.
export NPY_DISABLE_CPU_FEATURES=AVX2
train=$REPO/Documentation/examples/train/train.py
steps=80
setup_fabric
remote_shell

# train LINK ARGS...: its log is $TMP/LINK.csv
train()
{
	local link=$1
	shift

	check "training over $link ends well" on 1 ueadm job run \
		--hosts node1:4,node2:4 --ssh "$TMP/shell" -- "$train" "$link" \
		"$TMP/$link.csv" --steps $steps --rails r0,r1 "$@"
	assert_eq "$link: rank 0 has logged all steps" \
		"$(grep -c '^[0-9]' "$TMP/$link.csv")" $steps
}

# column LINK NUMBER STEP: a value of the log
column()
{
	sed -n "s/^$3,//p" "$TMP/$1.csv" | cut -d, -f$(($2 - 1))
}

# grown NUMBER FROM TO: bytes of a rail between two steps over UET
grown()
{
	echo $(($(column uet "$1" "$3") - $(column uet "$1" "$2")))
}

train uet --at $((steps / 2)) "ip link set r1 down"
must ip -n "${NS[1]}" link set r1 up
train tcp
check "the losses are the same to the last digit" \
	cmp <(cut -d, -f3 "$TMP/uet.csv") <(cut -d, -f3 "$TMP/tcp.csv")
check "the network has learnt" awk -v first="$(column uet 3 0)" \
	-v last="$(column uet 3 $((steps - 1)))" 'BEGIN { exit !(last < first / 2) }'
for rail in 4 5; do
	assert_ge "rail r$((rail - 4)) carried bytes" \
		"$(grown $rail 0 $((steps / 2 - 1)))" 500000
done
assert_eq "the dead rail carries none" "$(grown 5 $((steps / 2)) $((steps - 1)))" 0
assert_ge "the other rail carries all" "$(grown 4 $((steps / 2)) $((steps - 1)))" \
	"$(grown 4 0 $((steps / 2 - 1)))"
if [ -n "${VM_OUT-}" ]; then
	mkdir -p "$VM_OUT/train"
	cp "$TMP/uet.csv" "$TMP/tcp.csv" "$VM_OUT/train"
fi
check "no endpoint is left" busywait 30 nr_eps_are 1 -eq 0
finish_tests
