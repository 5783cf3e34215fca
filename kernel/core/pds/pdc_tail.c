// SPDX-License-Identifier: GPL-2.0
/*
 * Tail loss.  No later packet follows the last packets of a burst, so no ACK
 * reveals their loss before the RTO, which is long.  If the latest packets stay
 * unanswered for Tail_Loss_Time, a Probe is sent, and its answer reveals losses
 * of packets sent before the Probe.
 *
 * The answer is authoritative for the PSNs its SACK covers, and for these only;
 * the Probe chose the base of the SACK.  The receiver built the answer after
 * the Probe arrived.  A packet sent before the Probe is therefore lost, unless
 * it takes a slower path: it gets the same time as a packet overtaken by data,
 * see pdc_loss.c.
 *
 * Implements UE 1.0.1 3.5.15 and 3.5.16 (Probe, requesting side),
 * Tail_Loss_Time and Max_Tail_Loss_Retx of Table 3-28.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"

/* Time before a Probe: long enough for the answer to be conclusive on arrival. */
static u64 tail_wait(const struct uet_pdc *pdc)
{
	return max3(pdc->cfg->tail_loss_ns, 2 * pdc->tx.rtt.srtt_ns,
		    uet_pdc_loss_reorder_window(pdc));
}

/*
 * Restart Tail_Loss_Time after a transmission or an answer.
 *
 * A Probe cannot carry SYN, so the peer's PDCID must be known.
 */
void uet_pdc_tail_arm(struct uet_pdc *pdc, u64 from)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u64 at = from + tail_wait(pdc);

	tx->tail.wanted = false;
	tx->tail.at = UET_NEVER;
	if (pdc->cfg->tail_loss_ns && pdc->peer_pdcid && tx->rtt.srtt_ns &&
	    tx->nr_sent && tx->tail.cnt < pdc->cfg->max_tail_loss_retx &&
	    at < tx->rto_at)
		tx->tail.at = at;
}

/*
 * Tail_Loss_Time ran out: make a Probe pending.
 * Spec: UE 1.0.1 3.5.15; at most Max_Tail_Loss_Retx Probes without progress of
 *	the peer.
 */
void uet_pdc_tail_fire(struct uet_pdc *pdc)
{
	struct uet_pdc_tail *tail = &pdc->tx.tail;

	tail->at = UET_NEVER;
	if (!pdc->tx.nr_sent)
		return;
	tail->wanted = true;
	tail->cnt++;
}

/* The lowest PSN in flight whose reception is unknown. */
static u32 tail_base(const struct uet_pdc *pdc)
{
	u32 psn = pdc->tx.una;

	while (psn != pdc->tx.nxt &&
	       uet_pdc_slot(pdc, psn)->state != UET_SLOT_SENT)
		psn++;
	return psn;
}

/*
 * Build the pending Probe.
 * @pdc: PDC, not over, with nothing else to send
 *
 * Return: false if none is pending; @out is unchanged then.
 * Spec: UE 1.0.1 Table 3-38: opaque value, PSN requested as SACK base.
 */
bool uet_pdc_tail_poll(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_tail *tail = &pdc->tx.tail;

	if (!(tail->wanted && pdc->tx.nr_sent) &&
	    !uet_pdc_cc_wants_probe(pdc))
		return false;
	tail->opaque++;
	tail->is_out = true;
	tail->xmit = pdc->tx.xmit++;
	tail->sent_ns = now;
	uet_pdc_cp_build(pdc, out, UET_CP_PROBE, 0);
	out->hdr.flags = UET_F_AR;
	out->hdr.u.cp.probe_opaque = tail->opaque;
	out->hdr.u.cp.payload = tail_base(pdc);
	out->ev = uet_ev_next(&pdc->ev);
	pdc->stats.tx_cp++;
	uet_pdc_tail_arm(pdc, now);
	return true;
}

/*
 * Process the answer to a Probe.
 *
 * Only the answer to the latest Probe reveals losses, and only once.
 *
 * Spec: UE 1.0.1 3.5.15.
 */
void uet_pdc_tail_answered(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			   u64 now)
{
	const struct uet_ack *ack = &hdr->u.ack;
	struct uet_pdc_tail *tail = &pdc->tx.tail;
	u32 base = ack->cack_psn + (u32)ack->sack_off;
	u64 age_ns = uet_pdc_loss_reorder_window(pdc);
	struct uet_pdc_slot *slot, *next;

	if (!tail->is_out || ack->probe_opaque != tail->opaque ||
	    hdr->type == UET_TY_ACK)
		return;
	tail->is_out = false;
	uet_pdc_cc_probed(pdc, hdr, uet_ns_since(now, tail->sent_ns), now);
	list_for_each_entry_safe(slot, next, &pdc->tx.sent, link) {
		if (!uet_psn_before(slot->xmit, tail->xmit) ||
		    slot->sent_ns + age_ns > now)
			return;
		if (!uet_psn_within(slot->psn, base, base + UET_SACK_BITS))
			continue;
		pdc->stats.sack_lost++;
		uet_pdc_slot_lost(pdc, slot, UET_CC_LOSS_PROBE, now);
	}
}
