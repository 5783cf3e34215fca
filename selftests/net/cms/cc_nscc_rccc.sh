#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NSCC and RCCC together are as good as RCCC alone: cc_rccc with both.
#
# clock: virtual; size: all; takes: 10 s; limit: 400 s

CC=nscc-rccc
. "$(dirname "$0")/cc_rccc.sh"
