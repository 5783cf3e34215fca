#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test flood with 100,000 messages.
#
# clock: virtual; size: all; takes: 300 s; limit: 3600 s

UET_FLOOD=100000 exec "$(dirname "$0")/flood.sh"
