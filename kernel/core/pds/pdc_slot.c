// SPDX-License-Identifier: GPL-2.0
/*
 * The slots of the send half: every change of the state of a packet (queued, lost, received,
 * answered), the lists and counters that follow from it, and the throttle that refusals and
 * time-outs impose on the whole half.  pdc_ack.c and pdc_loss.c decide whether a packet is
 * lost or received.
 *
 * Implements UE 1.0.1 3.5.12 (outcome of a PSN).  Level: core L4.
 */
#include "pdc.h"

/*
 * Queue a control packet that takes a PSN.
 * Return: false if the window is full, or there is none.
 */
bool uet_pdc_tx_add_cp(struct uet_pdc *pdc, u8 ctl_type, u64 now)
{
	struct uet_pdc_slot *slot;

	if (!uet_pdc_has_window(pdc) ||
	    pdc->tx.write_seq - pdc->tx.una_reported >= pdc->cfg->window)
		return false;
	slot = uet_pdc_new_slot(pdc, ctl_type);
	memset(&slot->pkt, 0, sizeof(slot->pkt));
	pdc->active_ns = now;
	return true;
}

/* Sent but not answered. */
bool uet_pdc_slot_is_out(const struct uet_pdc *pdc, u32 psn)
{
	return uet_psn_within(psn, pdc->tx.una, pdc->tx.nxt) &&
	       uet_pdc_slot(pdc, psn)->state != UET_SLOT_DONE;
}

/* Remove a slot from the list that its state implies. */
static void slot_unlink(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->state == UET_SLOT_SENT)
		pdc->tx.nr_sent--;
	else if (slot->state == UET_SLOT_LOST)
		pdc->tx.nr_lost--;
	else
		return;
	slot->backoff_until = 0;
	list_del_init(&slot->link);
}

static void slot_stop_asking(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->asks) {
		slot->asks = false;
		pdc->tx.nr_ack_requests--;
	}
}

/* A packet that counted against the throttle is no longer in flight. */
static void slot_end_probe(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->is_probe) {
		slot->is_probe = false;
		pdc->tx.pause.inflight--;
	}
}

/*
 * Each packet accepted while throttled raises the throttle by one packet, so that a
 * receiver with space for one packet does not get a full window.
 */
static void slot_note_accepted(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	struct uet_pdc_pause *pause = &pdc->tx.pause;

	pause->opens = 0;
	if (!slot->is_probe)
		return;
	slot_end_probe(pdc, slot);
	pause->ns = 0;
	if (pause->space < pdc->cfg->window)
		pause->space++;
}

/* An ACK being applied newly covers the packet, whose state is not changed yet. */
static void slot_cc_acked(struct uet_pdc *pdc, const struct uet_pdc_slot *slot)
{
	struct uet_cc_pkt *pkt;

	if (!pdc->cc.ccc)
		return;
	pkt = uet_pdc_cc_pkt(pdc, slot);
	if (pkt->state == UET_CC_PKT_NONE) {
		uet_pdc_cc_unqueue(pdc, slot);
		return;
	}
	pdc->cc.ack_bytes += pkt->size;
	uet_cc_ack_pkt(pdc->cc.ack, pkt);
}

static bool slot_is_behind(const struct list_head *at, u32 psn)
{
	return uet_psn_after(list_entry(at, struct uet_pdc_slot, link)->psn, psn);
}

/*
 * Lost packets are kept in PSN order.  Losses are mostly detected in order: search from the
 * end.
 */
static void slot_resend(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	struct list_head *at = pdc->tx.lost.prev;

	slot_unlink(pdc, slot);
	slot_stop_asking(pdc, slot);
	slot_end_probe(pdc, slot);
	slot->state = UET_SLOT_LOST;
	pdc->tx.nr_lost++;
	while (at != &pdc->tx.lost && slot_is_behind(at, slot->psn))
		at = at->prev;
	list_add(&slot->link, at);
}

void uet_pdc_slot_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot, enum uet_cc_loss why,
		       u64 now)
{
	if (slot->state == UET_SLOT_LOST)
		return;
	uet_pdc_cc_lost(pdc, slot, why, now);
	slot_resend(pdc, slot);
}

void uet_pdc_slot_refused(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
			  const struct uet_cc_nack *nack, u64 now)
{
	if (slot->state == UET_SLOT_LOST)
		return;
	uet_pdc_cc_nacked(pdc, slot, nack, now);
	slot_resend(pdc, slot);
}

/*
 * Received, without its response: that comes with its own ACK or with CACK_PSN, UE 1.0.1
 * 3.5.11.4.
 */
void uet_pdc_slot_sacked(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	slot_unlink(pdc, slot);
	slot_note_accepted(pdc, slot);
	slot_cc_acked(pdc, slot);
	slot->state = UET_SLOT_SACKED;
}

/*
 * A caller that has the response sets modified_length, ri_gen and list, which report none
 * here.
 */
void uet_pdc_slot_done(struct uet_pdc *pdc, struct uet_pdc_slot *slot, u8 rsp_opcode, u8 rc)
{
	slot_unlink(pdc, slot);
	slot_stop_asking(pdc, slot);
	slot_note_accepted(pdc, slot);
	slot_cc_acked(pdc, slot);
	slot->state = UET_SLOT_DONE;
	slot->answer = (u32)pdc->stats.rx_ack;
	slot->rsp_opcode = rsp_opcode;
	slot->rc = rc;
	slot->modified_length = U32_MAX;
	slot->ri_gen = 0;
	slot->list = UET_LIST_EXPECTED;
}

void uet_pdc_slot_free(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	slot_unlink(pdc, slot);
	slot_stop_asking(pdc, slot);
	slot_end_probe(pdc, slot);
	if (pdc->cc.ccc && slot->state != UET_SLOT_DONE)
		uet_pdc_cc_forget(pdc, slot);
	slot->state = UET_SLOT_FREE;
}

/* End the back-offs that are due. */
void uet_pdc_backoff_step(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;

	if (tx->backoff_at > now)
		return;
	tx->backoff_at = UET_NEVER;
	list_for_each_entry(slot, &tx->lost, link) {
		if (slot->backoff_until <= now)
			slot->backoff_until = 0;
		else
			tx->backoff_at = min(tx->backoff_at, slot->backoff_until);
	}
}

/*
 * Restart with @space packets in flight, at least 1; each accepted packet allows one more.
 * Packets already in flight do not count: they were refused, or are late.
 */
void uet_pdc_throttle(struct uet_pdc *pdc, u16 space)
{
	struct uet_pdc_pause *pause = &pdc->tx.pause;
	struct uet_pdc_slot *slot;

	if (pause->inflight)
		list_for_each_entry(slot, &pdc->tx.sent, link)
			slot->is_probe = false;
	pause->inflight = 0;
	pause->on = true;
	pause->space = space;
}
