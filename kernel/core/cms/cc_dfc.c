// SPDX-License-Identifier: GPL-2.0
/*
 * Nothing is asked for up to half of the space, everything from 95 per cent on, in
 * between in proportion.  Below a quarter the window may be restored: far enough
 * below to be the end of it, said several times, for an ACK can get lost.
 *
 * Implements UE 1.0.1 3.6.13; the law is ours, see Documentation/congestion.rst.
 * Level: core L3.
 */
#include "cc_dfc.h"

#define DFC_PEND_MAX	127
#define DFC_RESTORES	4

/* Per mille of the space. */
#define DFC_LOW		250
#define DFC_BEGIN	500
#define DFC_END		950

/**
 * uet_dfc_ack() - what the next ACK tells its source
 * @dfc: what the ones before told
 * @used: of the space, in use
 * @size: space of a buffer or queue; 0: unlimited; below 2^54
 * @restore: result: rc
 *
 * Context: Any; the caller serialises per @dfc.
 * Return: rcv_cwnd_pend, 0..127.
 * Spec: UE 1.0.1 3.6.13: how a receiver computes it is its choice.
 */
u8 uet_dfc_ack(struct uet_dfc *dfc, u64 used, u64 size, bool *restore)
{
	u32 fill = size ? (u32)div64_u64(min(used, size) * 1000, size) : 0;

	*restore = false;
	if (fill > DFC_BEGIN) {
		dfc->is_pending = true;
		dfc->restores = 0;
		fill = min_t(u32, fill, DFC_END) - DFC_BEGIN;
		return (u8)DIV_ROUND_UP(fill * DFC_PEND_MAX,
					DFC_END - DFC_BEGIN);
	}
	if (dfc->is_pending && fill < DFC_LOW) {
		dfc->is_pending = false;
		dfc->restores = DFC_RESTORES;
	}
	if (dfc->restores) {
		dfc->restores--;
		*restore = true;
	}
	return 0;
}
