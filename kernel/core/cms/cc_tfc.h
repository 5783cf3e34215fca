/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TFC, flow control by the cells of the destination's buffer.  Its text was not
 * available; this is a reading of its few public names that is consistent in
 * itself, and not known to work with anybody else's.  The source is cc_tfc.c's
 * table of operations, the destination is here.
 *
 * Implements UE 1.0.1 3.6.15, as choices.rst reads it.
 * Level: core L3.
 *
 * Locking: the caller serialises per struct uet_tfc_pool.
 */
#ifndef UET_CORE_CC_TFC_H
#define UET_CORE_CC_TFC_H

#include "core/shim.h"

/**
 * struct uet_tfc_pool - the buffer a destination keeps for one source
 * @cell: bytes per cell
 * @overhead: bytes that a packet takes besides its own
 * @cells: cells of the buffer
 * @advertised: cells granted since the beginning, 24 bits
 * @used: cells that hold packets
 *
 * Whoever owns it tells @advertised with every ACK, and again now and then while
 * nothing arrives, or one that got lost would stop the source.
 */
struct uet_tfc_pool {
	u32 cell;
	u32 overhead;
	u32 cells;
	u32 advertised;
	u32 used;
};

u32 uet_tfc_cost(u32 size, u32 cell, u32 overhead);
void uet_tfc_pool_init(struct uet_tfc_pool *pool, u32 cells, u32 cell,
		       u32 overhead);
void uet_tfc_pool_take(struct uet_tfc_pool *pool, u32 size);
u32 uet_tfc_pool_free(struct uet_tfc_pool *pool, u32 size);

#endif /* UET_CORE_CC_TFC_H */
