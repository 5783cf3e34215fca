// SPDX-License-Identifier: GPL-2.0
/*
 * The window: the memory of a PDC for packets in flight, that is the slots of both halves,
 * the bitmaps, the congestion control records and the contents of pending answers.  It is
 * fifteen times the rest.  The owner lends it to a PDC that is used, and takes it back from
 * an idle one.
 *
 * A PDC without a window knows its PSNs, its timers and its counters.  What a packet was
 * answered with is lost: a duplicate up to CACK_PSN gets the default response.  So a window
 * stays while a packet that got UET_NO_RESPONSE may be asked about.
 *
 * Implements UE 1.0.1 3.5.11 (state of a PDC).  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"

static size_t window_bitmap_size(const struct uet_pdc_cfg *cfg)
{
	return BITS_TO_LONGS(cfg->window) * sizeof(unsigned long);
}

/**
 * uet_pdc_window_size() - memory of the window of a PDC
 * @cfg: parameters that passed uet_pdc_cfg_check()
 *
 * Return: bytes; the block needs the alignment of a pointer or u64.
 */
size_t uet_pdc_window_size(const struct uet_pdc_cfg *cfg)
{
	return cfg->window * (sizeof(struct uet_pdc_slot) +
			      sizeof(struct uet_pdc_rxslot)) +
	       3 * window_bitmap_size(cfg) +
	       (cfg->has_cc ? cfg->window * sizeof(struct uet_cc_pkt) +
			      sizeof(struct uet_cc_ack) : 0) +
	       sizeof(struct uet_pdc_answers);
}

/* Take @size bytes from the front of a block. */
static void *window_cut(void **block, size_t size)
{
	void *part = *block;

	*block += size;
	return part;
}

static void window_cut_map(struct uet_psn_map *map, void **block,
			   const struct uet_pdc_cfg *cfg)
{
	uet_psn_map_init(map, window_cut(block, window_bitmap_size(cfg)),
			 cfg->window);
}

/**
 * uet_pdc_window_lend() - give a PDC its window
 * @pdc: PDC without a window
 * @window: uet_pdc_window_size() bytes, any contents; the PDC uses them until
 *	uet_pdc_window_reclaim() or its end
 */
void uet_pdc_window_lend(struct uet_pdc *pdc, void *window)
{
	const struct uet_pdc_cfg *cfg = pdc->cfg;
	u32 nr = cfg->window, i;

	UET_ASSERT(!uet_pdc_has_window(pdc));
	memset(window, 0, uet_pdc_window_size(cfg));
	pdc->tx.slots = window_cut(&window, nr * sizeof(*pdc->tx.slots));
	if (cfg->has_cc) {
		pdc->cc.pkts = window_cut(&window, nr * sizeof(*pdc->cc.pkts));
		pdc->cc.ack = window_cut(&window, sizeof(*pdc->cc.ack));
	}
	window_cut_map(&pdc->rx.rcvd, &window, cfg);
	window_cut_map(&pdc->rx.gtd, &window, cfg);
	window_cut_map(&pdc->rx.own, &window, cfg);
	pdc->rx.slots = window_cut(&window, nr * sizeof(*pdc->rx.slots));
	pdc->rx.answers = window_cut(&window, sizeof(*pdc->rx.answers));
	pdc->rx.lent_psn = pdc->rx.base;
	for (i = 0; i < nr; i++)
		INIT_LIST_HEAD(&pdc->tx.slots[i].link);
}

/*
 * Has a PDC its window?
 * Return: true if it can handle packets, messages and deadlines.
 */
bool uet_pdc_has_window(const struct uet_pdc *pdc)
{
	return pdc->tx.slots;
}

/* May the sender ask again for the UET_NO_RESPONSE of a packet? */
static bool window_keeps_none(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return uet_psn_after(rx->none_psn, rx->clear) &&
	       !uet_psn_before(rx->none_psn, rx->base - pdc->cfg->window);
}

static bool window_is_idle(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return tx->una_reported == tx->write_seq && rx->base == rx->end &&
	       rx->base == rx->cack + 1 && rx->ack_at == UET_NEVER &&
	       !rx->sack_pending && !uet_pdc_has_answer(pdc) &&
	       !window_keeps_none(pdc);
}

/**
 * uet_pdc_window_idle_since() - since when has a PDC not needed its window?
 * @pdc: PDC
 *
 * Return: monotonic time, ns; UET_NEVER: it has none, or needs it.
 */
u64 uet_pdc_window_idle_since(const struct uet_pdc *pdc)
{
	if (!uet_pdc_has_window(pdc) || !window_is_idle(pdc))
		return UET_NEVER;
	return pdc->active_ns;
}

/**
 * uet_pdc_window_reclaim() - take the window of an idle PDC back
 * @pdc: PDC whose uet_pdc_window_idle_since() is not UET_NEVER
 *
 * Until the owner lends the PDC a window again, the PDC drops packets for lack of memory,
 * and has no space for messages.  The owner lends one before uet_pdc_tick().
 *
 * Return: the block of uet_pdc_window_lend().
 */
void *uet_pdc_window_reclaim(struct uet_pdc *pdc)
{
	void *window = pdc->tx.slots;

	UET_ASSERT(uet_pdc_window_idle_since(pdc) != UET_NEVER);
	pdc->tx.slots = NULL;
	pdc->cc.pkts = NULL;
	pdc->cc.ack = NULL;
	pdc->rx.rcvd.bits = NULL;
	pdc->rx.gtd.bits = NULL;
	pdc->rx.own.bits = NULL;
	pdc->rx.slots = NULL;
	pdc->rx.answers = NULL;
	pdc->rx.lent_psn = pdc->rx.base;
	return window;
}
