#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The netlink family without ueadm in between: what is wrong with a request is
# refused with a text, whatever is wrong.  The program makes its own namespaces.
#
# limit: 240 s

exec "$(dirname "$0")/../../build/selftests/net/netlink"
