// SPDX-License-Identifier: GPL-2.0
/*
 * Loss detection: the RTO, inference from later packets that arrived earlier, Probes, and the
 * pause of the send half.  This file marks packets LOST; pdc_tx.c decides when and whether to
 * retransmit them.
 *
 * Inference uses time, not packet counts: packets of one PDC take several paths.  An overtaken
 * packet is lost when it is older than a round trip plus the reordering window.  A needless
 * retransmission raises the reordering window: to the lateness measured, or to twice the window
 * if the lateness is unknown.  The learnt part decays with each sample, so that the window
 * adapts to a path that became faster.
 *
 * Implements UE 1.0.1 3.5.15, 3.5.16 (Probe), the times and counts of both in Table 3-28,
 * NACK_Retx_Time of 3.5.12.7, and the sampling rule of 3.5.12.2.  Level: core L4.
 */
#include "pdc.h"

/* Mean deviations of the round trip by which an overtaken packet may be late. */
#define LOSS_VARS		3

/* The most for that, in least round trips: a long queue varies, and delays all packets. */
#define LOSS_VAR_RTTS		2

/*
 * The least allowance is this part more than the least round trip.  Without it packets in
 * full queues of a healthy fabric count as lost, see Documentation/congestion.rst.
 */
#define LOSS_LEAST_PART		8

/* The learnt lateness loses 1/512 per sample, and halves in 512 * ln 2 = 355 samples. */
#define LOSS_LATE_FADE		512

/* Doubling stops at the longer of LOSS_LATE_MAX_NS and LOSS_LATE_MAX_RTTS round trips. */
#define LOSS_LATE_MAX_NS	1000000ULL
#define LOSS_LATE_MAX_RTTS	8

/* RTO before back-off. */
static u64 loss_base_rto(const struct uet_pdc *pdc)
{
	return uet_rtt_rto(&pdc->tx.rtt, 0, pdc->cfg->rto_init_ns, pdc->cfg->rto_max_ns);
}

/* UE 1.0.1 3.5.15: RTO_Init_Time x 2^retry, here up to rto_max_ns. */
u64 uet_pdc_rto(const struct uet_pdc *pdc)
{
	return uet_rtt_rto(&pdc->tx.rtt, pdc->tx.rto_cnt,
			   pdc->cfg->rto_init_ns, pdc->cfg->rto_max_ns);
}

/* Paths of a fabric differ by about a round trip, and hosts may delay packets longer. */
static u64 loss_allowance(const struct uet_pdc *pdc)
{
	const struct uet_pdc_txh *tx = &pdc->tx;
	u64 least = pdc->cfg->reorder_min_ns ? pdc->cfg->reorder_min_ns :
		    tx->rtt.least_ns + tx->rtt.least_ns / LOSS_LEAST_PART;
	u64 var_ns = min(LOSS_VARS * tx->rtt.rttvar_ns, LOSS_VAR_RTTS * tx->rtt.least_ns);

	return max(max3(tx->rtt.srtt_ns / 4, var_ns, tx->reorder_window_ns), least);
}

/* The age at which an overtaken packet counts as lost, ns. */
static u64 loss_reorder_window(const struct uet_pdc *pdc)
{
	return min(pdc->tx.rtt.srtt_ns + loss_allowance(pdc), loss_base_rto(pdc));
}

/* Restart Tail_Loss_Time.  A Probe cannot carry SYN, so the peer's PDCID must be known. */
void uet_pdc_tail_arm(struct uet_pdc *pdc, u64 from)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	/* Long enough for the answer to be conclusive on arrival. */
	u64 at = from + max3(pdc->cfg->tail_loss_ns, 2 * tx->rtt.srtt_ns, loss_reorder_window(pdc));

	tx->tail.wanted = false;
	tx->tail.at = UET_NEVER;
	if (pdc->cfg->tail_loss_ns && pdc->peer_pdcid && tx->rtt.srtt_ns &&
	    tx->nr_sent && tx->tail.cnt < pdc->cfg->max_tail_loss_retx &&
	    at < tx->rto_at)
		tx->tail.at = at;
}

/*
 * A sign of life: the RTO of the oldest unanswered packet restarts, at the end of a pause
 * if one is in force.
 */
void uet_pdc_rto_restart(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u64 from = tx->pause.until ? tx->pause.until : now;

	tx->rto_cnt = 0;
	tx->silent_ns = from;
	tx->rto_at = tx->una == tx->nxt ? UET_NEVER : from + uet_pdc_rto(pdc);
	tx->tail.cnt = 0;
	uet_pdc_tail_arm(pdc, from);
}

void uet_pdc_rto_start(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (tx->rto_at != UET_NEVER)
		return;
	tx->silent_ns = now;
	tx->rto_at = now + uet_pdc_rto(pdc);
}

/*
 * UE 1.0.1 3.5.15: a SACKed packet needs its answer, not a retransmission.  Overdue answers
 * are requested at each time-out, and after each pause: a peer that keeps refusing other
 * packets keeps restarting the RTO.
 */
static void loss_ask(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u32 psn;

	for (psn = tx->una; psn != tx->nxt; psn += slot->n) {
		slot = uet_pdc_slot(pdc, psn);
		if (slot->state != UET_SLOT_SACKED || slot->sent_ns + loss_base_rto(pdc) > now)
			continue;
		slot->sent_ns = now;
		tx->nr_ack_requests += !slot->asks;
		slot->asks = true;
	}
}

/*
 * uet_pdc_longer_pause() - next pause for a peer without resources, ns
 * @last_ns: length of the previous pause; 0: none
 * @refused_ns: time for which the peer has refused all
 *
 * Twice @last_ns, from NACK_Retx_Time to the longest pause.  A peer that has no space for
 * long is asked less and less: up to an eighth of @refused_ns, and no longer than an RTO.
 */
u64 uet_pdc_longer_pause(const struct uet_pdc *pdc, u64 last_ns, u64 refused_ns)
{
	const struct uet_pdc_cfg *cfg = pdc->cfg;
	u64 most = max(cfg->nack_retx_max_ns, min(refused_ns / 8, cfg->rto_max_ns));

	return clamp(2 * last_ns, cfg->nack_retx_ns, most);
}

/*
 * UE 1.0.1 3.5.12.7 (NACK_Retx_Time).  After the pause the send half restarts with one
 * packet.  The peer is alive, so the back-off of the RTO restarts.
 */
void uet_pdc_pause(struct uet_pdc *pdc, u64 until, u64 now)
{
	uet_pdc_throttle(pdc, 1);
	pdc->tx.pause.until = until;
	uet_pdc_rto_restart(pdc, now);
}

/* The throttle ends when a whole window was accepted, or nothing is outstanding. */
void uet_pdc_pause_step(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (!tx->pause.on)
		return;
	if (tx->pause.until && tx->pause.until <= now) {
		tx->pause.until = 0;
		uet_pdc_rto_restart(pdc, now);
		loss_ask(pdc, now);
	}
	if (tx->una != tx->nxt && tx->pause.space < pdc->cfg->window)
		return;
	uet_pdc_throttle(pdc, 1);
	tx->pause.on = false;
	tx->pause.until = 0;
	tx->pause.ns = 0;
}

/*
 * The oldest packet timed out, and the path may be overloaded: restart with one packet,
 * whose answer reveals losses of younger packets.  A packet that waits for congestion
 * control says nothing about the path.
 */
static void loss_oldest(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_slot *slot = uet_pdc_slot_single(pdc, pdc->tx.una);
	bool waits = slot->state == UET_SLOT_LOST && pdc->cc.waits;

	if (slot->state == UET_SLOT_SENT)
		uet_pdc_slot_lost(pdc, slot, UET_CC_LOSS_RTO, now);
	/* A refused packet waits for a window that may never open. */
	slot->bypass_cc = slot->state == UET_SLOT_LOST;
	if (slot->bypass_cc)
		slot->backoff_until = 0;
	if (!waits)
		uet_pdc_throttle(pdc, 1);
	loss_ask(pdc, now);
}

/*
 * If the oldest packet was retransmitted since the RTO began, because its loss was
 * detected, the RTO counts from then.  A packet that is refused again and again has a round
 * trip only: the peer would otherwise decide when the RTO fires.
 */
static u64 loss_overdue_at(const struct uet_pdc *pdc, const struct uet_pdc_slot *oldest)
{
	if (oldest->state != UET_SLOT_SENT)
		return 0;
	if (oldest->nacks_in_row > UET_PDC_NACKS_AT_ONCE)
		return oldest->sent_ns + loss_reorder_window(pdc);
	return oldest->sent_ns + uet_pdc_rto(pdc);
}

/* The end of the peer's time, ns; UET_NEVER: time-outs are counted instead. */
static u64 loss_peer_end(const struct uet_pdc *pdc)
{
	return pdc->cfg->peer_timeout_ns ?
	       pdc->tx.silent_ns + pdc->cfg->peer_timeout_ns : UET_NEVER;
}

/*
 * Only a packet that may be forged has arrived, the SYN or the one that this PDC answers: no
 * packet with our PDCID shows that the peer receives what is sent to it.
 */
static bool loss_peer_is_unproven(const struct uet_pdc *pdc)
{
	return (pdc->state == UET_PDC_ST_NEW_ESTABLISHED ||
		(pdc->state == UET_PDC_ST_SYN_SENT && pdc->is_answer)) &&
	       !pdc->stats.rx_ack && !pdc->stats.rx_nack;
}

static bool loss_gives_up(const struct uet_pdc *pdc, u64 now)
{
	if (loss_peer_end(pdc) <= now)
		return true;
	return (!pdc->cfg->peer_timeout_ns || loss_peer_is_unproven(pdc)) &&
	       pdc->tx.rto_cnt > pdc->cfg->max_rto_retx;
}

/*
 * UE 1.0.1 3.5.15: after Max_RTO_Retx_Cnt consecutive time-outs, or after peer_timeout_ns,
 * the PDC fails.  While the oldest packet waits for credit, the destination decides when it
 * is sent, and Credit Requests find out whether the destination is alive.
 */
void uet_pdc_rto_fire(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	const struct uet_pdc_slot *oldest = uet_pdc_slot(pdc, tx->una);
	bool stalled = uet_pdc_is_stalled(tx);

	tx->rto_at = UET_NEVER;
	if (tx->una == tx->nxt && !stalled)
		return;
	if (!stalled && oldest->state == UET_SLOT_LOST && uet_pdc_cc_awaits_credit(pdc)) {
		tx->rto_at = now + uet_pdc_rto(pdc);
		return;
	}
	if (!stalled && loss_overdue_at(pdc, oldest) > now && loss_peer_end(pdc) > now) {
		tx->rto_at = min(loss_overdue_at(pdc, oldest), loss_peer_end(pdc));
		return;
	}
	pdc->stats.rto_fired++;
	if (tx->rto_cnt < U8_MAX)
		tx->rto_cnt++;
	if (loss_gives_up(pdc, now)) {
		uet_pdc_fail(pdc, UET_PDC_ERR_TIMEOUT, 0, now);
		return;
	}
	if (stalled)
		tx->stall = UET_STALL_NEW;
	else
		loss_oldest(pdc, now);
	/* An ordered flow leaves a path that may have failed. */
	uet_ev_reroute(&pdc->ev);
	tx->rto_at = min(now + uet_pdc_rto(pdc), loss_peer_end(pdc));
}

static void loss_sample_rtt(struct uet_pdc_txh *tx, u64 rtt_ns)
{
	if (tx->rtt.srtt_ns)
		tx->reorder_window_ns -= tx->reorder_window_ns / LOSS_LATE_FADE;
	uet_rtt_sample(&tx->rtt, rtt_ns);
}

/* The latest transmission of @slot arrived: earlier transmissions are overtaken. */
static void loss_note_arrival(struct uet_pdc_txh *tx, const struct uet_pdc_slot *slot)
{
	tx->rack = uet_psn_later(tx->rack, slot->xmit + slot->n - 1);
}

/* The first transmission of @slot arrived after all, this late. */
static void loss_note_late(struct uet_pdc_txh *tx, const struct uet_pdc_slot *slot, u64 now)
{
	u64 rtt_ns = uet_ns_since(now, slot->first_ns);

	if (rtt_ns > tx->rtt.srtt_ns)
		tx->reorder_window_ns = max(tx->reorder_window_ns, rtt_ns - tx->rtt.srtt_ns);
}

/*
 * The first CACK or SACK that covers a packet or a run.  If the packet was sent twice, the
 * ACK does not identify the copy that arrived.  An ACK less than a round trip after the
 * second transmission must be due to the first.
 */
void uet_pdc_loss_received(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (slot->sends > 1 && slot->state == UET_SLOT_SENT &&
	    uet_ns_since(now, slot->sent_ns) < tx->rtt.srtt_ns)
		loss_note_late(tx, slot, now);
	else
		loss_note_arrival(tx, slot);
}

/*
 * The own ACK or NACK of a packet.  UE 1.0.1 3.5.12.2: the round trip is known if the
 * packet was sent once and the ACK is to an original, or twice and the ACK is to a
 * retransmission.
 */
void uet_pdc_loss_own_ack(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, bool retx, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (slot->sends == 1 + retx)
		loss_sample_rtt(tx, uet_ns_since(now, slot->sent_ns));
	if (slot->sends > 1 && !retx)
		loss_note_late(tx, slot, now);
	else
		loss_note_arrival(tx, slot);
}

/* A trimmed packet may have overtaken packets sent before it; those packets are not late. */
void uet_pdc_loss_trimmed(struct uet_pdc *pdc, const struct uet_pdc_slot *slot, bool retx, u64 now)
{
	if (slot->sends == 1 + retx)
		loss_sample_rtt(&pdc->tx, uet_ns_since(now, slot->sent_ns));
}

/*
 * The answer to a retransmission of a packet known as received: the retransmission was
 * needless, or another ACK overtook this one.  So the reordering window grows at most once
 * per window of packets, and up to a bound.
 */
void uet_pdc_loss_doubtful(struct uet_pdc *pdc, u32 psn)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u64 most = max(LOSS_LATE_MAX_RTTS * tx->rtt.srtt_ns, LOSS_LATE_MAX_NS);

	if (uet_psn_before(psn, tx->reorder_window_psn))
		return;
	tx->reorder_window_psn = tx->write_seq;
	tx->reorder_window_ns = max(tx->reorder_window_ns, min(2 * loss_allowance(pdc), most));
}

/*
 * Before the first round trip sample the age limit is the RTO.  A peer may keep refusing
 * the oldest packet before the first sample; packets that never arrived must not occupy a
 * window shared with other PDCs meanwhile.
 */
void uet_pdc_loss_detect(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *slot;
	u64 age_ns;

	tx->reorder_at = UET_NEVER;
	age_ns = tx->rtt.srtt_ns ? loss_reorder_window(pdc) : loss_base_rto(pdc);
	for (;;) {
		slot = list_first_entry_or_null(&tx->sent, struct uet_pdc_slot, link);
		if (!slot || !uet_psn_before(slot->xmit, tx->rack))
			return;
		if (slot->sent_ns + age_ns > now) {
			tx->reorder_at = slot->sent_ns + age_ns;
			return;
		}
		pdc->stats.sack_lost++;
		uet_pdc_slot_lost(pdc, uet_pdc_slot_single(pdc, slot->psn),
				  UET_CC_LOSS_SACK, now);
	}
}

/*
 * No later packet follows the last packets of a burst, so no ACK reveals their loss before the
 * RTO.  The answer to the latest Probe does, once, for the PSNs that its SACK covers: the Probe
 * chose the base of the SACK.  The receiver built the answer after the Probe arrived.  A packet
 * sent before the Probe is therefore lost, unless it takes a slower path: it gets the same time
 * as a packet overtaken by data.
 */
void uet_pdc_tail_answered(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 now)
{
	const struct uet_ack *ack = &hdr->u.ack;
	struct uet_pdc_tail *tail = &pdc->tx.tail;
	u32 base = ack->cack_psn + (u32)ack->sack_off;
	u64 age_ns = loss_reorder_window(pdc);
	struct uet_pdc_slot *slot, *next;

	if (!tail->is_out || ack->probe_opaque != tail->opaque || hdr->type == UET_TY_ACK)
		return;
	tail->is_out = false;
	uet_pdc_cc_probed(pdc, hdr, uet_ns_since(now, tail->sent_ns), now);
	uet_pdc_slot_expand(pdc, pdc->tx.una, pdc->tx.nxt);
	list_for_each_entry_safe(slot, next, &pdc->tx.sent, link) {
		if (!uet_psn_before(slot->xmit, tail->xmit) || slot->sent_ns + age_ns > now)
			return;
		if (!uet_psn_within(slot->psn, base, base + UET_SACK_BITS))
			continue;
		pdc->stats.sack_lost++;
		uet_pdc_slot_lost(pdc, slot, UET_CC_LOSS_PROBE, now);
	}
}
