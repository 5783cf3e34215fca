/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fabric configuration: namespaces, rails, FEPs, jobs, paths to peers, counters and
 * events.  Only files with tracepoints include trace.h.
 */
#ifndef UET_FABRIC_FABRIC_H
#define UET_FABRIC_FABRIC_H

#include "fep.h"
#include "job.h"
#include "net.h"
#include "path.h"
#include "rail.h"

#endif
