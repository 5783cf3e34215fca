// SPDX-License-Identifier: GPL-2.0
/*
 * The slots of the send half: every change of what is known about a packet that
 * was sent (lost, received, answered), the lists and counts that follow from
 * it, and the throttle that refusals and time-outs put upon the whole half.
 * Why a packet is thought lost or received is decided by pdc_ack.c, pdc_nack.c
 * and pdc_loss.c.
 *
 * Implements UE 1.0.1 3.5.12 (outcome of a PSN) and the NACK_Retx_Time pause of
 * 3.5.12.7.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"

/**
 * uet_pdc_slot_is_out() - is a packet sent and not yet answered?
 * @pdc: PDC
 * @psn: any PSN
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: true if @psn is SENT, SACKED or LOST.
 */
bool uet_pdc_slot_is_out(const struct uet_pdc *pdc, u32 psn)
{
	return uet_psn_within(psn, pdc->tx.una, pdc->tx.nxt) &&
	       uet_pdc_slot(pdc, psn)->state != UET_SLOT_DONE;
}

/* Take a slot off the list its state puts it on. */
static void slot_unlink(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->state == UET_SLOT_SENT)
		pdc->tx.nr_sent--;
	else if (slot->state == UET_SLOT_LOST)
		pdc->tx.nr_lost--;
	else
		return;
	list_del_init(&slot->link);
}

static void slot_stop_asking(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->asks) {
		slot->asks = false;
		pdc->tx.nr_ack_requests--;
	}
}

/* A packet that counted while throttled came to its end. */
static void slot_end_probe(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->is_probe) {
		slot->is_probe = false;
		pdc->tx.pause.inflight--;
	}
}

/*
 * Each packet accepted while throttled lets one more be in flight, so that a
 * receiver with space for one is not hit by a window full.
 */
static void slot_note_accepted(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	struct uet_pdc_pause *pause = &pdc->tx.pause;

	pause->opens = 0;
	if (!slot->is_probe)
		return;
	slot_end_probe(pdc, slot);
	pause->ns = 0;
	if (pause->space < pdc->cfg.window)
		pause->space++;
}

static bool slot_is_behind(const struct list_head *at, u32 psn)
{
	return uet_psn_after(list_entry(at, struct uet_pdc_slot, link)->psn,
			     psn);
}

/*
 * A packet has to be sent again.  Those wait in PSN order, found from the end
 * because losses are mostly detected in order.
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

/**
 * uet_pdc_slot_lost() - a packet is taken for lost
 * @pdc: PDC
 * @slot: its slot, SENT, SACKED or LOST
 * @why: how that was found out
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_slot_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
		       enum uet_cc_loss why, u64 now)
{
	if (slot->state == UET_SLOT_LOST)
		return;
	uet_pdc_cc_lost(pdc, slot, why, now);
	slot_resend(pdc, slot);
}

/**
 * uet_pdc_slot_refused() - a packet was refused and has to be sent again
 * @pdc: PDC
 * @slot: its slot, SENT, SACKED or LOST
 * @nack: what the NACK tells congestion control
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_slot_refused(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
			  const struct uet_cc_nack *nack, u64 now)
{
	if (slot->state == UET_SLOT_LOST)
		return;
	uet_pdc_cc_nacked(pdc, slot, nack, now);
	slot_resend(pdc, slot);
}

/**
 * uet_pdc_slot_sacked() - a packet arrived, its response is still missing
 * @pdc: PDC
 * @slot: its slot, SENT or LOST
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.11.4: the response of a PSN comes in its own ACK, or is
 *	the default one once CACK_PSN covers it.
 */
void uet_pdc_slot_sacked(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	slot_unlink(pdc, slot);
	slot_note_accepted(pdc, slot);
	uet_pdc_cc_acked(pdc, slot);
	slot->state = UET_SLOT_SACKED;
}

/**
 * uet_pdc_slot_done() - a packet has its response
 * @pdc: PDC
 * @slot: its slot, SENT, SACKED or LOST
 * @rsp_opcode: enum uet_rsp
 * @rc: enum uet_rc
 *
 * What it has modified, the generation, and from which list, is not told: who
 * knows sets modified_length, ri_gen and list afterwards.
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_slot_done(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
		       u8 rsp_opcode, u8 rc)
{
	slot_unlink(pdc, slot);
	slot_stop_asking(pdc, slot);
	slot_note_accepted(pdc, slot);
	uet_pdc_cc_acked(pdc, slot);
	slot->state = UET_SLOT_DONE;
	slot->rsp_opcode = rsp_opcode;
	slot->rc = rc;
	slot->modified_length = U32_MAX;
	slot->ri_gen = 0;
	slot->list = UET_LIST_EXPECTED;
}

/**
 * uet_pdc_slot_ask() - ask the peer for the response of a packet it has
 * @pdc: PDC
 * @slot: its slot, SACKED
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.15: at a time-out, ACK_REQUEST instead of the data.
 */
void uet_pdc_slot_ask(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (!slot->asks) {
		slot->asks = true;
		pdc->tx.nr_ack_requests++;
	}
}

/**
 * uet_pdc_slot_free() - forget a packet
 * @pdc: PDC
 * @slot: its slot, in any state
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_slot_free(struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	slot_unlink(pdc, slot);
	slot_stop_asking(pdc, slot);
	slot_end_probe(pdc, slot);
	uet_pdc_cc_forget(pdc, slot);
	slot->state = UET_SLOT_FREE;
}

/**
 * uet_pdc_throttle() - begin anew with few packets in flight
 * @pdc: PDC
 * @space: how many, at least 1; each one accepted allows one more
 *
 * What is in flight already does not count: it was refused, or is late.
 *
 * Context: Any; the caller serialises per @pdc.
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

/**
 * uet_pdc_pause() - the peer has no space: send nothing for a while
 * @pdc: PDC
 * @until: when to try again, with one packet
 * @now: monotonic time, ns
 *
 * The peer is alive, so time-outs start from scratch.
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.7 (NACK_Retx_Time).
 */
void uet_pdc_pause(struct uet_pdc *pdc, u64 until, u64 now)
{
	uet_pdc_throttle(pdc, 1);
	pdc->tx.pause.until = until;
	uet_pdc_rto_restart(pdc, now);
}

/**
 * uet_pdc_pause_step() - bring pause and throttle up to date
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * The time of a pause may have run out; and the throttle is lifted when a whole
 * window was accepted or nothing is outstanding any more.
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_pause_step(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (!tx->pause.on)
		return;
	if (tx->pause.until && tx->pause.until <= now) {
		tx->pause.until = 0;
		uet_pdc_rto_restart(pdc, now);
		uet_pdc_loss_ask(pdc, now);
	}
	if (tx->una != tx->nxt && tx->pause.space < pdc->cfg.window)
		return;
	uet_pdc_throttle(pdc, 1);
	tx->pause.on = false;
	tx->pause.until = 0;
	tx->pause.ns = 0;
}
