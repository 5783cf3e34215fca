// SPDX-License-Identifier: GPL-2.0
/*
 * TFC at the source and the buffer at the destination, as counters of cells modulo
 * 2^24.  The advertised counter is cumulative and repeated in every ACK, so the loss
 * of one advertisement is harmless.
 *
 * Implements UE 1.0.1 3.6.15, as interpreted in choices.rst.  Level: core L3.
 */
#include "cc_tfc.h"
#include "ccc.h"

/*
 * Number of cells that a packet occupies.
 * @size: nominal size, bytes, at most 65535
 * @overhead: bytes charged in addition to @size, at most 65536
 *
 * Return: cells.
 */
u32 uet_tfc_cost(u32 size, u32 cell, u32 overhead)
{
	return DIV_ROUND_UP(size + overhead, cell);
}

/*
 * Initialise an empty buffer and advertise all of it.
 * @cells: cells of the buffer, at most 2^23 - 1
 * @overhead: bytes charged per packet in addition to its size, at most 65536
 */
void uet_tfc_pool_init(struct uet_tfc_pool *pool, u32 cells, u32 cell,
		       u32 overhead)
{
	*pool = (struct uet_tfc_pool) {
		.cell = cell,
		.overhead = overhead,
		.cells = cells,
		.advertised = cells,
	};
}

/* Charge an arrived packet to the buffer. */
void uet_tfc_pool_take(struct uet_tfc_pool *pool, u32 size)
{
	pool->used += uet_tfc_cost(size, pool->cell, pool->overhead);
}

/*
 * Release the cells of a packet.
 * Return: the value to advertise, 24 bits.
 */
u32 uet_tfc_pool_free(struct uet_tfc_pool *pool, u32 size)
{
	u32 cost = min(uet_tfc_cost(size, pool->cell, pool->overhead),
		       pool->used);

	pool->used -= cost;
	pool->advertised = (pool->advertised + cost) & UET_CREDIT_MAX;
	return pool->advertised;
}

static u32 tfc_cost(const struct uet_ccc *ccc, u32 size)
{
	const struct uet_cc_cfg *cfg = &ccc->param->cfg;

	return uet_tfc_cost(size, cfg->tfc_cell, cfg->tfc_overhead);
}

/* One full packet may be sent unsolicited; its ACK carries the first real value. */
static void tfc_init(struct uet_ccc *ccc, u64 now)
{
	ccc->tfc.advertised = tfc_cost(ccc, ccc->param->cfg.mtu);
}

static void tfc_on_credit(struct uet_ccc *ccc, u32 credit, u64 now)
{
	if (uet_cc_diff24(credit, ccc->tfc.advertised) <= 0)
		return;
	ccc->tfc.advertised = credit;
	ccc->stats.credits++;
}

static void tfc_on_ack(struct uet_ccc *ccc, const struct uet_cc_ack *ack,
		       u64 now)
{
	if (ack->has_credit)
		tfc_on_credit(ccc, ack->credit & UET_CREDIT_MAX, now);
}

static void tfc_on_send(struct uet_ccc *ccc, u32 size, u64 now)
{
	ccc->tfc.consumed = (ccc->tfc.consumed + tfc_cost(ccc, size)) &
			    UET_CREDIT_MAX;
}

static s32 tfc_left(const struct uet_ccc *ccc)
{
	return uet_cc_diff24(ccc->tfc.advertised, ccc->tfc.consumed);
}

static bool tfc_can_send(const struct uet_ccc *ccc)
{
	return (s32)tfc_cost(ccc, ccc->param->cfg.mtu) <= tfc_left(ccc);
}

/* No space for another full packet: the next ACK must advertise more. */
static bool tfc_wants_ack(const struct uet_ccc *ccc)
{
	return (s32)tfc_cost(ccc, ccc->param->cfg.mtu) > tfc_left(ccc);
}

const struct uet_cc_ops uet_cc_tfc_ops = {
	.name = "tfc",
	.init = tfc_init,
	.on_ack = tfc_on_ack,
	.on_send = tfc_on_send,
	.on_credit = tfc_on_credit,
	.can_send = tfc_can_send,
	.wants_ack = tfc_wants_ack,
};
