// SPDX-License-Identifier: GPL-2.0
/*
 * Facts on which the two ends of a PDC must agree in each state.  The explorer sees both: a sender
 * counts as received only what its peer has received.
 * Level: test.
 */
#include "explore.h"

/* The other end of a PDC, or NULL if there is none, or none with the same PSNs. */
static struct ex_pdc *check_peer(const struct ex_pdc *p)
{
	const struct uet_pdc *core = (const struct uet_pdc *)p->block;
	struct ex_pdc *peer;

	for (peer = ex.pdc[!p->node]; peer != ex.pdc[!p->node] + EX_PDCS; peer++)
		if (peer->is_used && !peer->is_dead && core->peer_pdcid == peer->id &&
		    ex_core(peer)->peer_pdcid == p->id &&
		    ex_core(peer)->start_psn == core->start_psn &&
		    uet_pdc_state(ex_core(peer)) != UET_PDC_ST_PENDING)
			return peer;
	return NULL;
}

/* A ROD receiver may report a request, and refuse it at its turn. */
static bool check_is_received(const struct uet_pdc *from, u32 psn, const struct uet_pdc *to)
{
	const struct uet_pdc_slot *slot = uet_pdc_slot_run(from, psn);

	if (slot->state == UET_SLOT_SACKED && from->mode == UET_PDC_ROD)
		return true;
	return (slot->state != UET_SLOT_SACKED && slot->state != UET_SLOT_DONE) ||
	       uet_pdc_rx_has(to, psn);
}

static void check_direction(struct ex_pdc *p)
{
	const struct uet_pdc *from = ex_core(p), *to;
	struct ex_pdc *peer = check_peer(p);
	u32 psn;

	if (!peer)
		return;
	to = ex_core(peer);
	if (uet_psn_after(from->tx.cack, to->rx.cack))
		ex_fail("node %u PDC %x has CACK_PSN %x, and its peer %x", p->node, p->id,
			from->tx.cack, to->rx.cack);
	for (psn = from->tx.una_reported; psn != from->tx.nxt; psn++)
		if (!check_is_received(from, psn, to))
			ex_fail("node %u PDC %x counts PSN %x as received", p->node,
				p->id, psn);
	if (uet_psn_after(from->tx.una, to->rx.base))
		ex_fail("node %u PDC %x counts all before PSN %x as received", p->node,
			p->id, from->tx.una);
}

/**
 * ex_check() - compare both ends of all PDCs
 */
void ex_check(void)
{
	struct ex_pdc *p;
	u32 n;

	for (n = 0; n < EX_NODES; n++)
		for (p = ex.pdc[n]; p != ex.pdc[n] + EX_PDCS; p++)
			if (p->is_used && !p->is_dead)
				check_direction(p);
}
