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

/* The run, or the packet, with a PSN of una_reported .. write_seq - 1. */
struct uet_pdc_slot *uet_pdc_slot_run(const struct uet_pdc *pdc, u32 psn)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, psn);
	u32 first = pdc->tx.una_reported;

	if (slot->state != UET_SLOT_FREE)
		return slot;
	for (slot = uet_pdc_slot(pdc, first); psn - first >= slot->n;
	     slot = uet_pdc_slot(pdc, first))
		first += slot->n;
	return slot;
}

/* The record and the lane of the packet that is the first of a run now, behind @slot. */
static void slot_cut_ev(struct uet_pdc *pdc, struct uet_pdc_slot *rest,
			const struct uet_pdc_slot *slot)
{
	struct uet_cc_pkt *pkt = uet_pdc_cc_pkt(pdc, rest);
	u16 ev = pkt->ev;

	*pkt = *uet_pdc_cc_pkt(pdc, slot);
	pkt->ev = ev;
	rest->lane = uet_ev_lane(ev);
}

/* Cut a run behind its first @n packets, which are not all.  Return: the others. */
struct uet_pdc_slot *uet_pdc_slot_cut(struct uet_pdc *pdc, struct uet_pdc_slot *slot, u32 n)
{
	struct uet_pdc_slot *rest = uet_pdc_slot(pdc, slot->psn + n);
	u8 lane = rest->lane;

	UET_ASSERT(n && n < slot->n && rest->state == UET_SLOT_FREE);
	*rest = *slot;
	if (slot->state == UET_SLOT_SENT)
		list_add(&rest->link, &slot->link);
	else
		INIT_LIST_HEAD(&rest->link);
	rest->pkt.offset += n * slot->pkt.len;
	rest->psn += n;
	rest->xmit += n;
	rest->n -= n;
	rest->lane = lane;
	if (pdc->cc.ccc && slot->state == UET_SLOT_SENT)
		slot_cut_ev(pdc, rest, slot);
	slot->n = n;
	return rest;
}

/* The packet with a PSN of una_reported .. write_seq - 1, no longer within a run. */
struct uet_pdc_slot *uet_pdc_slot_single(struct uet_pdc *pdc, u32 psn)
{
	struct uet_pdc_slot *slot = uet_pdc_slot_run(pdc, psn);

	if (slot->psn != psn)
		slot = uet_pdc_slot_cut(pdc, slot, psn - slot->psn);
	if (slot->n > 1)
		uet_pdc_slot_cut(pdc, slot, 1);
	return slot;
}

/* Let no run be left from @psn, the PSN behind a run, to @end - 1. */
void uet_pdc_slot_expand(struct uet_pdc *pdc, u32 psn, u32 end)
{
	for (; psn != end; psn++)
		uet_pdc_slot_single(pdc, psn);
}

/* Sent but not answered. */
bool uet_pdc_slot_is_out(const struct uet_pdc *pdc, u32 psn)
{
	return uet_psn_within(psn, pdc->tx.una, pdc->tx.nxt) &&
	       uet_pdc_slot_run(pdc, psn)->state != UET_SLOT_DONE;
}

/* Remove a slot from the list that its state implies. */
static void slot_unlink(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->state == UET_SLOT_SENT)
		pdc->tx.nr_sent -= slot->n;
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

/* An ACK being applied newly covers the packets, whose state is not changed yet. */
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
	pdc->cc.ack_bytes += slot->n * pkt->size;
	pdc->cc.ack->acked_pkts += slot->n - 1;
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
	if (slot->state != UET_SLOT_DONE)
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
