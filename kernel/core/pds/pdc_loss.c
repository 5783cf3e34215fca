// SPDX-License-Identifier: GPL-2.0
/*
 * When is a packet lost?  The retransmission time-out, and inference from
 * packets sent later that arrived earlier.  Marks packets LOST; when and whether
 * they are sent again is decided by pdc_tx.c.
 *
 * Inference goes by time, not by counting: packets of one PDC take several
 * paths, so a packet that was overtaken is given a round trip and a reordering
 * allowance since it was sent.  Retransmissions that prove needless raise the
 * allowance, to the lateness seen or, where that is not known, by doubling; it
 * fades from then on, so that a path that got faster is noticed.
 *
 * Implements UE 1.0.1 3.5.15, RTO_Init_Time and Max_RTO_Retx_Cnt of Table 3-28,
 * and the sampling rule of 3.5.12.2.  Level: core L4.
 */
#include "pdc.h"

/* Reordering below this is a matter of scheduling, not of loss. */
#define LOSS_REORDER_MIN_NS	100000ULL

/* What was learnt from late packets halves in 355 samples. */
#define LOSS_LATE_FADE		512

/* Doubling ends at this or some round trips, whichever is more. */
#define LOSS_LATE_MAX_NS	1000000ULL
#define LOSS_LATE_MAX_RTTS	8

/* Time-out before any back-off. */
static u64 loss_base_rto(const struct uet_pdc *pdc)
{
	return uet_rtt_rto(&pdc->tx.rtt, 0, pdc->cfg.rto_init_ns,
			   pdc->cfg.rto_max_ns);
}

/**
 * uet_pdc_rto() - retransmission time-out in force
 * @pdc: PDC
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: ns; doubled for each time-out in a row, bounded by rto_max_ns.
 * Spec: UE 1.0.1 3.5.15: RTO_Init_Time x 2^retry.
 */
u64 uet_pdc_rto(const struct uet_pdc *pdc)
{
	return uet_rtt_rto(&pdc->tx.rtt, pdc->tx.rto_cnt,
			   pdc->cfg.rto_init_ns, pdc->cfg.rto_max_ns);
}

/**
 * uet_pdc_rto_restart() - the peer showed that it is alive
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * The clock of the oldest unanswered packet starts anew, after a pause that
 * may be in force, or stops if there is none.
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_rto_restart(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u64 from = tx->pause.until ? tx->pause.until : now;

	tx->rto_cnt = 0;
	tx->rto_at = tx->una == tx->nxt ? UET_NEVER : from + uet_pdc_rto(pdc);
	tx->tail.cnt = 0;
	uet_pdc_tail_arm(pdc, from);
}

/**
 * uet_pdc_loss_ask() - ask for responses that should have come
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * What is known to be received needs an answer, not the data.  Done at each
 * time-out, and after each pause, because a peer that goes on refusing other
 * packets keeps the time-out away.
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.15.
 */
void uet_pdc_loss_ask(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 psn;

	for (psn = tx->una; psn != tx->nxt; psn++) {
		slot = uet_pdc_slot(pdc, psn);
		if (slot->state != UET_SLOT_SACKED ||
		    slot->sent_ns + loss_base_rto(pdc) > now)
			continue;
		slot->sent_ns = now;
		uet_pdc_slot_ask(pdc, slot);
	}
}

/*
 * The oldest packet is late, and the path may have been overrun: begin with one
 * packet.  Younger ones that are lost are found by inference from its answer.
 */
static void loss_oldest(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, pdc->tx.una);

	if (slot->state == UET_SLOT_SENT)
		uet_pdc_slot_lost(pdc, slot, UET_CC_LOSS_RTO, now);
	/* Refused before, it waits for a window that may never open. */
	slot->bypass_cc = slot->state == UET_SLOT_LOST;
	uet_pdc_throttle(pdc, 1);
	uet_pdc_loss_ask(pdc, now);
}

/**
 * uet_pdc_rto_fire() - uet_pdc_txh.rto_at passed
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.15; after Max_RTO_Retx_Cnt in a row the PDC fails.
 */
void uet_pdc_rto_fire(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	const struct uet_pdc_slot *oldest = uet_pdc_slot(pdc, tx->una);
	bool stalled = uet_pdc_tx_is_stalled(pdc);

	tx->rto_at = UET_NEVER;
	if (tx->una == tx->nxt && !stalled)
		return;
	if (!stalled && oldest->state == UET_SLOT_SENT &&
	    oldest->sent_ns + uet_pdc_rto(pdc) > now) {
		tx->rto_at = oldest->sent_ns + uet_pdc_rto(pdc);
		return;
	}
	pdc->stats.rto_fired++;
	if (++tx->rto_cnt > pdc->cfg.max_rto_retx) {
		uet_pdc_fail(pdc, UET_PDC_ERR_TIMEOUT, 0, now);
		return;
	}
	if (stalled)
		tx->stall = UET_STALL_NEW;
	else
		loss_oldest(pdc, now);
	/* An ordered flow leaves a path that may be dead. */
	uet_ev_reroute(&pdc->ev);
	tx->rto_at = now + uet_pdc_rto(pdc);
}

static void loss_sample_rtt(struct uet_pdc_txh *tx, u64 rtt_ns)
{
	if (tx->rtt.srtt_ns)
		tx->reorder_window_ns -= tx->reorder_window_ns / LOSS_LATE_FADE;
	uet_rtt_sample(&tx->rtt, rtt_ns);
}

/* The latest transmission of @slot arrived: earlier ones are overdue. */
static void loss_note_arrival(struct uet_pdc_txh *tx,
			      const struct uet_pdc_slot *slot)
{
	tx->rack = uet_psn_later(tx->rack, slot->xmit);
}

/* The first transmission of @slot arrived after all, so late. */
static void loss_note_late(struct uet_pdc_txh *tx,
			   const struct uet_pdc_slot *slot, u64 now)
{
	u64 rtt_ns = now - slot->first_ns;

	if (rtt_ns > tx->rtt.srtt_ns)
		tx->reorder_window_ns =
			max(tx->reorder_window_ns, rtt_ns - tx->rtt.srtt_ns);
}

/**
 * uet_pdc_loss_received() - a CACK or SACK says for the first time: received
 * @pdc: PDC
 * @slot: the slot, still SENT or LOST
 * @now: monotonic time, ns
 *
 * Of a packet sent twice it is not known which one arrived; sooner than a round
 * trip after the second it must have been the first.
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_loss_received(struct uet_pdc *pdc,
			   const struct uet_pdc_slot *slot, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (slot->sends > 1 && slot->state == UET_SLOT_SENT &&
	    now - slot->sent_ns < tx->rtt.srtt_ns)
		loss_note_late(tx, slot, now);
	else
		loss_note_arrival(tx, slot);
}

/**
 * uet_pdc_loss_own_ack() - a packet's own ACK or NACK says: it arrived
 * @pdc: PDC
 * @slot: the slot, still SENT or LOST
 * @retx: the answer is to a retransmission
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.2: a round trip is known if the packet was sent once
 *	and the ACK says so, or twice and the ACK answers the second.
 */
void uet_pdc_loss_own_ack(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			  bool retx, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (slot->sends == 1 + retx)
		loss_sample_rtt(tx, now - slot->sent_ns);
	if (slot->sends > 1 && !retx)
		loss_note_late(tx, slot, now);
	else
		loss_note_arrival(tx, slot);
}

/**
 * uet_pdc_loss_trimmed() - a NACK says: what a switch has left of a packet arrived
 * @pdc: PDC
 * @slot: the slot, still SENT
 * @retx: the NACK is for a retransmission
 * @now: monotonic time, ns
 *
 * It may have overtaken others that were sent before, and they are not late.
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_loss_trimmed(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			  bool retx, u64 now)
{
	if (slot->sends == 1 + retx)
		loss_sample_rtt(&pdc->tx, now - slot->sent_ns);
}

static u64 loss_allowance(const struct uet_pdc_txh *tx)
{
	return max(max3(tx->rtt.srtt_ns / 4, tx->rtt.rttvar_ns,
			tx->reorder_window_ns),
		   LOSS_REORDER_MIN_NS);
}

/**
 * uet_pdc_loss_doubtful() - a retransmission was answered that nobody missed
 * @pdc: PDC
 * @psn: PSN of a packet known to be received before this ACK
 *
 * Either the retransmission was needless, or its ACK was overtaken by another;
 * so the allowance grows once per window of packets, and not without bound.
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_loss_doubtful(struct uet_pdc *pdc, u32 psn)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u64 most = max(LOSS_LATE_MAX_RTTS * tx->rtt.srtt_ns, LOSS_LATE_MAX_NS);

	if (uet_psn_before(psn, tx->reorder_window_psn))
		return;
	tx->reorder_window_psn = tx->write_seq;
	tx->reorder_window_ns =
		max(tx->reorder_window_ns, min(2 * loss_allowance(tx), most));
}

/**
 * uet_pdc_loss_reorder_window() - how old may a packet get that was overtaken?
 * @pdc: PDC
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: ns since it was sent; older than that it counts as lost.
 */
u64 uet_pdc_loss_reorder_window(const struct uet_pdc *pdc)
{
	return min(pdc->tx.rtt.srtt_ns + loss_allowance(&pdc->tx),
		   loss_base_rto(pdc));
}

/**
 * uet_pdc_loss_detect() - find packets that were overtaken for too long
 * @pdc: PDC
 * @now: monotonic time, ns
 *
 * Without a round trip the time-out says how long that is.  A peer may go on
 * refusing the oldest packet before one is known; what it never heard of must not
 * fill a window meanwhile that other PDCs share.
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.15: inferring loss from SACK is the sender's choice.
 */
void uet_pdc_loss_detect(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u64 peer_timeout;

	tx->reorder_at = UET_NEVER;
	peer_timeout = tx->rtt.srtt_ns ? uet_pdc_loss_reorder_window(pdc) :
				     loss_base_rto(pdc);
	for (;;) {
		slot = list_first_entry_or_null(&tx->sent, struct uet_pdc_slot,
						link);
		if (!slot || !uet_psn_before(slot->xmit, tx->rack))
			return;
		if (slot->sent_ns + peer_timeout > now) {
			tx->reorder_at = slot->sent_ns + peer_timeout;
			return;
		}
		pdc->stats.sack_lost++;
		uet_pdc_slot_lost(pdc, slot, UET_CC_LOSS_SACK, now);
	}
}
