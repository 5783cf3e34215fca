/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The invariants of a PDC, those of core/pds/pdc.h, which tests and simulators check after
 * every event, and of its parameters.
 */
#ifndef PDC_CHECK_H
#define PDC_CHECK_H

#include "core/pds/pdc.h"
#include "core/pds/pdc_param.h"

/* Sums over all slots, compared with the counters of the send half. */
struct pdc_sums {
	u32 used;
	u32 sent;
	u32 lost;
	u32 asks;
	u32 probes;
};

/* A PSN limits the states that its packet may be in. */
static inline bool pdc_slot_fits(const struct uet_pdc_txh *tx, u32 psn, u8 state)
{
	if (uet_psn_before(psn, tx->una))
		return state == UET_SLOT_DONE;
	if (!uet_psn_before(psn, tx->nxt))
		return state == UET_SLOT_READY;
	if (psn == tx->una && state == UET_SLOT_DONE)
		return false;
	return state != UET_SLOT_FREE && state != UET_SLOT_READY;
}

/* Return: NULL, or a contradiction between PDC and context. */
static inline const char *pdc_fault_cc(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	u8 state;

	if (!pdc->cc.ccc || slot->kind != UET_PDC_KIND_REQ)
		return NULL;
	state = uet_pdc_cc_pkt(pdc, slot)->state;
	if ((slot->state == UET_SLOT_SENT) != (state == UET_CC_PKT_OUT))
		return "a packet is in flight for PDC or context only";
	if (slot->state != UET_SLOT_LOST && state == UET_CC_PKT_WAITS)
		return "a packet waits for retransmission for the context only";
	return NULL;
}

/* All packets of a run are alike. */
static inline const char *pdc_fault_run(const struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	bool is_alike = slot->kind == UET_PDC_KIND_REQ && slot->sends <= 1 && !slot->nacks &&
			!(slot->pkt.flags & UET_PKT_MARKS) &&
			(slot->state == UET_SLOT_READY || slot->state == UET_SLOT_SENT ||
			 (slot->state == UET_SLOT_DONE && slot->rsp_opcode == UET_RSP_DEFAULT));
	u32 i;

	if (!slot->n)
		return "a used slot has no packet";
	if (slot->n > 1 && !is_alike)
		return "the packets of a run differ";
	for (i = 1; i < slot->n; i++) {
		if (uet_pdc_slot(pdc, slot->psn + i)->state != UET_SLOT_FREE)
			return "a packet of a run has a slot of its own";
	}
	return pdc_fault_cc(pdc, slot);
}

static inline const char *pdc_sum_slots(const struct uet_pdc *pdc, struct pdc_sums *sums)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	const struct uet_pdc_slot *slot;
	const char *what;
	u32 i, nr = uet_pdc_has_window(pdc) ? pdc->cfg->window : 0;

	for (i = 0; i < nr; i++) {
		slot = &tx->slots[i];
		if (slot->state == UET_SLOT_FREE)
			continue;
		sums->used += slot->n;
		if (!uet_psn_within(slot->psn, tx->una_reported,
				    tx->write_seq) ||
		    uet_pdc_slot(pdc, slot->psn) != slot)
			return "a used slot is outside una_reported..write_seq";
		if (!uet_pdc_is_over(pdc) &&
		    !pdc_slot_fits(tx, slot->psn, slot->state))
			return "slot state does not fit its PSN";
		sums->sent += slot->state == UET_SLOT_SENT ? slot->n : 0;
		sums->lost += slot->state == UET_SLOT_LOST;
		sums->asks += slot->asks;
		sums->probes += slot->is_probe;
		if (slot->asks && slot->state != UET_SLOT_SACKED)
			return "an ACK_REQUEST is pending for a packet not SACKED";
		if (slot->is_probe && slot->state != UET_SLOT_SENT)
			return "a probe is not in flight";
		what = pdc_fault_run(pdc, slot);
		if (what)
			return what;
	}
	return NULL;
}

static inline const char *pdc_fault_lists(const struct uet_pdc_txh *tx)
{
	const struct uet_pdc_slot *slot, *prev = NULL;
	u32 n = 0;

	list_for_each_entry(slot, &tx->sent, link) {
		n += slot->n;
		if (slot->state != UET_SLOT_SENT || n > tx->nr_sent)
			return "the list of sent packets is wrong";
		if (prev && !uet_psn_before(prev->xmit, slot->xmit))
			return "sent packets are not in order of sending";
		prev = slot;
	}
	if (n != tx->nr_sent)
		return "nr_sent is wrong";
	prev = NULL;
	n = 0;
	list_for_each_entry(slot, &tx->lost, link) {
		if (slot->state != UET_SLOT_LOST || n++ == tx->nr_lost)
			return "the list of lost packets is wrong";
		if (prev && !uet_psn_before(prev->psn, slot->psn))
			return "lost packets are not in PSN order";
		prev = slot;
	}
	return n == tx->nr_lost ? NULL : "nr_lost is wrong";
}

static inline const char *pdc_fault_tx(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	struct pdc_sums sums = { 0 };
	const char *what;

	if (tx->write_seq - tx->una_reported > pdc->cfg->window)
		return "more packets than slots";
	if (tx->una - tx->una_reported > tx->write_seq - tx->una_reported ||
	    tx->nxt - tx->una > tx->write_seq - tx->una)
		return "una_reported, una, nxt, write_seq are not in order";
	if (!uet_pdc_is_over(pdc) && !uet_psn_before(tx->cack, tx->una))
		return "CACK_PSN received is beyond una";
	if (!uet_psn_before(tx->clear_sent, tx->una))
		return "CLEAR_PSN sent is beyond una";
	what = pdc_sum_slots(pdc, &sums);
	if (what)
		return what;
	if (sums.used != tx->write_seq - tx->una_reported)
		return "a packet has no slot";
	if (sums.sent != tx->nr_sent || sums.lost != tx->nr_lost ||
	    sums.asks != tx->nr_ack_requests ||
	    sums.probes != tx->pause.inflight)
		return "counts of the send half are wrong";
	if (sums.sent && tx->rto_at == UET_NEVER && !uet_pdc_is_over(pdc))
		return "packets in flight without a time-out";
	return pdc_fault_lists(tx);
}

static inline const char *pdc_fault_maps(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u32 first = rx->cack + 1, all = first + pdc->cfg->window;

	if (uet_psn_map_next_clear(&rx->rcvd, first, rx->base) != rx->base)
		return "a PSN below base is missing";
	if (rx->base != rx->end && uet_psn_map_test(&rx->rcvd, rx->base) &&
	    !uet_pdc_is_over(pdc))
		return "base was received";
	if (uet_psn_map_next_set(&rx->rcvd, rx->end, all) != all)
		return "a PSN beyond end was received";
	if (uet_psn_map_count(&rx->rcvd, rx->base, rx->end) != rx->nr_ooo)
		return "nr_ooo is wrong";
	if (uet_psn_map_count(&rx->gtd, first, rx->end) != rx->nr_gtd ||
	    bitmap_weight(rx->gtd.bits, rx->gtd.size) != rx->nr_gtd)
		return "nr_gtd is wrong";
	if (uet_psn_map_count(&rx->own, first, rx->end) != rx->nr_own ||
	    bitmap_weight(rx->own.bits, rx->own.size) != rx->nr_own)
		return "nr_own is wrong";
	if (rx->base != first && !uet_psn_map_test(&rx->gtd, first) &&
	    !(uet_psn_map_test(&rx->own, first) &&
	      uet_pdc_rsp_is_told_once(pdc, &uet_pdc_rxslot(pdc, first)->rsp)))
		return "CACK_PSN lags behind without a reason";
	return NULL;
}

static inline const char *pdc_fault_rx(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u32 first = rx->cack + 1;

	if (rx->base - first > rx->end - first ||
	    rx->end - first > pdc->cfg->window)
		return "cack, base, end are not in order";
	if (!uet_psn_before(rx->clear, rx->base))
		return "CLEAR_PSN received is beyond base";
	if (uet_pdc_has_window(pdc))
		return pdc_fault_maps(pdc);
	if (rx->end != first || rx->nr_ooo || rx->nr_gtd || rx->nr_own ||
	    rx->nr_nacks)
		return "packets or answers are pending without a window";
	return NULL;
}

/*
 * Walk all slots; false: @what names an invariant that does not hold.
 */
static inline bool uet_pdc_check(const struct uet_pdc *pdc, const char **what)
{
	const char *wrong = pdc_fault_tx(pdc);
	bool is_error = pdc->state == UET_PDC_ST_ERROR;
	bool has_error = pdc->error != UET_PDC_OK;

	if (!wrong)
		wrong = pdc_fault_rx(pdc);
	if (!wrong && is_error != has_error)
		wrong = "error and state do not fit";
	if (wrong)
		*what = wrong;
	return !wrong;
}

/*
 * Return: 0, or -EINVAL if a parameter is outside its limits, or above another that is its
 * maximum.
 */
static inline int uet_pdc_cfg_check(const struct uet_pdc_cfg *cfg)
{
	struct uet_pdc_cfg copy = *cfg;
	enum uet_pdc_param param;

	for (param = 0; param < UET_PDC_P_NR; param++) {
		if (uet_pdc_param_set(&copy, param, uet_pdc_param_get(cfg, param)))
			return -EINVAL;
	}
	return uet_pdc_param_order(cfg) ? -EINVAL : 0;
}

#endif /* PDC_CHECK_H */
