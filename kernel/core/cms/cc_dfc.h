/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Destination flow control, where it is asked for: how much less a source should
 * have in flight, by how full what it sends to is, and when it may have its window
 * back.  The source obeys in cc_nscc.c.
 *
 * Implements UE 1.0.1 3.6.13 (rcv_cwnd_pend, rc), as choices.rst reads it.
 * Level: core L3.
 */
#ifndef UET_CORE_CC_DFC_H
#define UET_CORE_CC_DFC_H

#include "core/shim.h"

/**
 * struct uet_dfc - what a destination told one source; all zero: nothing
 * @is_pending: it asked for less, and has not given back yet
 * @restores: ACKs that still say that the window may be restored
 */
struct uet_dfc {
	bool is_pending;
	u8 restores;
};

u8 uet_dfc_ack(struct uet_dfc *dfc, u64 used, u64 size, bool *restore);

#endif /* UET_CORE_CC_DFC_H */
