#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The netlink family without ueadm in between: what is wrong with a request is
# refused with a text, whatever is wrong.  The program makes its own namespaces.
#
# clock: virtual; size: check; takes: 1 s; limit: 240 s

exec "$(dirname "$0")/../../../build/net/netlink"
