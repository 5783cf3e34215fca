#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Keys of secure domains over netlink without ueadm in between: none comes back in
# an answer, and what is revoked is refused.  The program makes its own namespaces.
#
# clock: virtual; size: check; takes: 10 s; limit: 120 s

exec "$(dirname "$0")/../../../build/net/sd_keys"
