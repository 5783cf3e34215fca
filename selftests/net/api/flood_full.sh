#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Floods of 100,000 unexpected messages, ordered and unordered: the test flood with that
# number, too many for each run of "make check".
#
# clock: virtual; size: all; takes: 300 s; limit: 3600 s

UET_FLOOD=100000 exec "$(dirname "$0")/flood.sh"
