#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One thread registers memory while another replaces the mapping by one of a file on a
# disk.
#
# Real time: on one CPU no thread runs between the check of the mapping and the pinning of
# its pages.
#
#	node1
#	+-------------------------------------+
#	| sock_map                            |   job 1: fep1, fep2
#	| fep1 10.0.1.1   fep2 10.0.1.2       |
#	|       +--- lo, plane 0 ---+         |
#	+-------------------------------------+
#
# clock: real; size: all; takes: 5 s; limit: 120 s

. "$(dirname "$0")/../lib.sh"

add_node 1
add_loopback 1 1
mount_disk
export UET_JOB_ONE=1

relay -t sock_map on 1 sock_map map__that_is_replaced_while_it_is_registered
unmount_disk
finish_tests
