/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PDCs and RUDI with their locks, timers and run loops; deferrable and rendezvous
 * messages; building and sending packets.
 */
#ifndef UET_PDC_H
#define UET_PDC_H

#include "admission.h"
#include "deferrable.h"
#include "history.h"
#include "pdc_entry.h"
#include "pdc_peer.h"
#include "pdc_table.h"
#include "pdc_traffic.h"
#include "pool.h"
#include "rendezvous.h"
#include "rudi_entry.h"
#include "tx.h"

#endif
