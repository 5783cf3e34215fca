// SPDX-License-Identifier: GPL-2.0
/*
 * Destination flow control at the destination.  The demanded reduction is 0 up to 50
 * per cent of the space, 127 of 128 from 95 per cent on, and linear in between.  Below
 * 25 per cent the source may restore its window.  The restore flag is repeated in
 * several ACKs, because an ACK can get lost.
 *
 * Implements UE 1.0.1 3.6.13; the control law is specific to this project, see
 * Documentation/congestion.rst.  Level: core L3.
 */
#include "cc_dfc.h"

/* Largest rcv_cwnd_pend, 7 bits; and ACKs that repeat rc, because an ACK can get lost. */
#define DFC_PEND_MAX	127
#define DFC_RESTORES	4

/* Fill levels in per mille of the space; see Documentation/congestion.rst. */
#define DFC_LOW		250
#define DFC_BEGIN	500
#define DFC_END		950

/**
 * uet_dfc_ack() - flow control fields of the next ACK
 * @dfc: state of the previous ACKs
 * @used: used part of @size, in the same unit
 * @size: size of the buffer or queue; 0: unlimited; below 2^54
 * @restore: result: rc
 *
 * Return: rcv_cwnd_pend, 0..127.
 * Spec: UE 1.0.1 3.6.13: the computation is left to the receiver.
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
