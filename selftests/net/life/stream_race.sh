#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Threads use one stream, or one socket that listens, at the same time (stream_race.c).
#
# Real time: on one CPU nothing changes between a look at a queue and the lock of the queue.
#
#	node1: fep1 10.0.1.1, fep2 10.0.1.2 over lo	job 1
#
# clock: real; size: all; takes: 20 s; limit: 240 s

. "$(dirname "$0")/../lib.sh"

add_node 1
add_loopback 1 1
must on 1 sh -c 'echo 1 > /proc/sys/net/uet/default_job'
relay on 1 stream_race
check "no endpoint is left" busywait 60 nr_eps_are 1 -eq 0
finish_tests
