/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination flow control at the destination: computes from the fill level of the
 * receive buffer how much a source must reduce its data in flight, and when the source
 * may restore its window.  The source side is in cc_nscc.c.
 *
 * Implements UE 1.0.1 3.6.13 (rcv_cwnd_pend, rc), as interpreted in choices.rst.
 * Level: core L3.
 */
#ifndef UET_CORE_CC_DFC_H
#define UET_CORE_CC_DFC_H

#include "core/shim.h"

/**
 * struct uet_dfc - flow control state towards one source; all zero initially
 * @is_pending: a reduction was demanded and not yet withdrawn
 * @restores: further ACKs that carry the permission to restore the window
 */
struct uet_dfc {
	bool is_pending;
	u8 restores;
};

u8 uet_dfc_ack(struct uet_dfc *dfc, u64 used, u64 size, bool *restore);

#endif /* UET_CORE_CC_DFC_H */
