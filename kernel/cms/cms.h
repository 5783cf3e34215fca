/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion management: contexts, the limit on the queues of this host, and the pacer of
 * credit.
 */
#ifndef UET_CMS_H
#define UET_CMS_H

#include "cc_waiter.h"
#include "ccc_entry.h"
#include "fep_cms.h"
#include "fep_pacer.h"

#endif
