/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TFC: flow control by the buffer cells of the destination.  The text of the
 * specification was not available.  This implementation is a self-consistent reading
 * of its few public names; interoperability with others is unknown.  The destination
 * side is declared here, the source side is the operations table of cc_tfc.c.
 *
 * Implements UE 1.0.1 3.6.15, as interpreted in choices.rst.
 * Level: core L3.
 *
 * Locking: the caller serialises per struct uet_tfc_pool.
 */
#ifndef UET_CORE_CC_TFC_H
#define UET_CORE_CC_TFC_H

#include "core/shim.h"

/**
 * struct uet_tfc_pool - receive buffer of a destination for one source
 * @cell: bytes per cell
 * @overhead: bytes charged per packet in addition to its size
 * @cells: cells of the buffer
 * @advertised: cells granted since the start, 24 bits
 * @used: cells that hold packets
 *
 * The owner advertises @advertised in every ACK, and periodically while no packet
 * arrives; otherwise a lost advertisement would stall the source.
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
