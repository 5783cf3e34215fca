/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints: the object behind a socket, its completions and its memory regions.
 */
#ifndef UET_ENDPOINT_H
#define UET_ENDPOINT_H

#include "cq.h"
#include "cq_ring.h"
#include "domain.h"
#include "ep.h"
#include "ep_table.h"
#include "mem.h"
#include "mr.h"
#include "mr_key.h"

#endif
