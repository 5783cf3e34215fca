#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabtests, the tests of libfabric 1.17, between two nodes.  They are not part of Debian:
# "make check-fabric" copies them to build/fabtests from the directory UET_FABTESTS, where
# they are installed.

. "$(dirname "$0")/lib.sh"

PATH=$REPO/build/fabtests/bin:$PATH
needs_suite "$REPO/build/fabtests/bin/fi_rdm" UET_FABTESTS

# alone TEXT COMMAND...: on node 1
alone()
{
	local text=$1
	shift
	check "$text succeeds on node 1" on 1 timeout "$PROGRAM_LIMIT" "$@"
}

setup_fabric --nodes 2

# Objects
alone "fi_getinfo_test" fi_getinfo_test -p uet -s "$(fa 1)" "$(fa 2)"
alone "fi_dom_test" fi_dom_test -p uet -n 2
alone "fi_eq_test" fi_eq_test -p uet
alone "fi_cq_test" fi_cq_test -p uet
alone "fi_mr_test" fi_mr_test -p uet
alone "fi_cntr_test" fi_cntr_test -p uet
alone "fi_av_test" fi_av_test -p uet -g 10.0.0.7 -n 1 -s "$(fa 1)"
# A library of the provider psm, which libfabric loads, has a handler of its own.
alone "sighandler_test" env --default-signal=INT IPATH_NO_BACKTRACE=1 \
	sighandler_test -p uet

# Without -S a program that takes one allocates for its longest message, hundreds of MiB.
# With -c sread it sleeps: two programs that spin on one CPU take turns of milliseconds.

# Messages
pair "fi_rdm" fi_rdm -p uet
pair "fi_rdm -U" fi_rdm -p uet -U
pair "fi_av_xfer" fi_av_xfer -p uet -e rdm
pair "fi_cq_data" fi_cq_data -p uet -e rdm
pair "fi_poll" fi_poll -p uet -e rdm -S 64
pair "fi_poll, counters" fi_poll -p uet -e rdm -S 64 -t counter
pair "fi_rdm_tagged_peek" fi_rdm_tagged_peek -p uet -S 64
pair "fi_recv_cancel" fi_recv_cancel -p uet -e rdm -V
pair "fi_unexpected_msg" fi_unexpected_msg -p uet -e rdm -I 10 -S 64
pair "fi_unexpected_msg, 512 messages" fi_unexpected_msg -p uet -e rdm -I 2 -S 1024 -M 512
pair "fi_msg_inject" fi_msg_inject -p uet -e rdm -N -A inject -v
pair "fi_bw" fi_bw -p uet -e rdm -v -T 1 -I 20 -S 4096
pair "fi_multi_ep" fi_multi_ep -p uet -e rdm -v
pair "fi_rdm_multi_client" fi_rdm_multi_client -p uet -C 4 -I 5
pair "fi_multi_recv" fi_multi_recv -p uet -e rdm -v -I 200 -S 1024
for wait in spin sread fd; do
	pair "fi_rdm_pingpong, $wait" fi_rdm_pingpong -p uet -I 20 -S 64 -c $wait -v
	pair "fi_rdm_tagged_pingpong, $wait" \
		fi_rdm_tagged_pingpong -p uet -I 20 -S 64 -c $wait -v
done
for size in 65536 1048576; do
	pair "fi_rdm_tagged_pingpong, $size bytes" \
		fi_rdm_tagged_pingpong -p uet -I 5 -S $size -c sread -v
	pair "fi_rdm_tagged_bw, $size bytes" \
		fi_rdm_tagged_bw -p uet -I 10 -S $size -c sread -v
done
pair "fi_rdm_cntr_pingpong" fi_rdm_cntr_pingpong -p uet -I 20 -S 64 -v
# Without -b its client inserts no address, but NULL.
for size in 64 65536 1048576; do
	pair "fi_unmap_mem, $size bytes" \
		fi_unmap_mem -p uet -e rdm -b -I 20 -S $size -c sread
done

# Remote memory
for op in write read writedata; do
	for size in 64 65536 1048576; do
		pair "fi_rma_bw $op, $size bytes" \
			fi_rma_bw -p uet -e rdm -o $op -I 5 -w 1 -S $size -c sread -v
	done
done
pair "fi_rdm_atomic" fi_rdm_atomic -p uet -o all -I 2 -S 1024 -c sread
# Its status says nothing of its counters.
pair "fi_rdm_multi_domain" fi_rdm_multi_domain -p uet -c 3 -V
for side in server client; do
	check "fi_rdm_multi_domain: the $side has counted all writes" \
		grep -q "GOOD, multi domain test complete" "$TMP/$side.out"
done

# Several ranks
multinode msg
multinode rma
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
