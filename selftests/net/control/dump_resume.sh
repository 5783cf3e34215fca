#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Dumps of rails, FEPs, domains, jobs and endpoints, from which objects are deleted
# between two messages: no other is missing or told twice.  The program makes its own
# namespaces.
#
# clock: virtual; size: check; takes: 3 s; limit: 240 s

exec "$(dirname "$0")/../../../build/net/dump_resume"
