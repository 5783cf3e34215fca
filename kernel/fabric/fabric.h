/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fabric as an administrator made it: namespaces, rails, FEPs, jobs; the paths to a
 * peer; counters and events.  trace.h is included by the files that trace.
 */
#ifndef UET_FABRIC_H
#define UET_FABRIC_H

#include "event.h"
#include "fep.h"
#include "job.h"
#include "net.h"
#include "path.h"
#include "rail.h"
#include "stats.h"

#endif
