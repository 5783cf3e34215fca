// SPDX-License-Identifier: GPL-2.0
/*
 * Received ACKs: check an ACK against the packets sent, then apply the response
 * to one packet, the cumulative and the selective acknowledgment, the peer's
 * window and the peer's requests (clear, close).  An ACK that names a PSN never
 * sent changes no state at all.
 *
 * Implements UE 1.0.1 3.5.11.4 (CACK_PSN, REQ_CLEAR), 3.5.12 (ACK processing)
 * and 3.5.8.2 (learning the peer's PDCID).  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"

/*
 * An ACK whose CACK_PSN is more than this many PSNs behind the send window is
 * dropped as stale.  The value is 64 times the largest window, so no live ACK
 * is that old.
 */
#define ACK_STALE	0x10000

/*
 * Do the PDCIDs of an ACK or NACK fit?
 * Return: UET_DROP_NONE or UET_DROP_PDCID_MISMATCH.
 * Spec: UE 1.0.1 3.5.8.2.
 */
enum uet_drop uet_pdc_answer_ids(const struct uet_pdc *pdc, u16 spdcid,
				 u16 dpdcid)
{
	if (dpdcid != pdc->local_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	if (pdc->peer_pdcid && spdcid != pdc->peer_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	return UET_DROP_NONE;
}

/*
 * Take the peer's PDCID from the first answer of the target.
 * @pdc: PDC; nothing happens if the peer's PDCID is known
 *
 * Spec: UE 1.0.1 3.5.8.2: from here on SYN is cleared, also in retransmissions.
 */
void uet_pdc_learn(struct uet_pdc *pdc, u16 spdcid, u64 now)
{
	if (!uet_pdc_event(pdc, UET_PDC_EV_LEARN, now))
		return;
	pdc->peer_pdcid = spdcid;
	pdc->tx.pause.opens = 0;
	if (pdc->close_wanted)
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE, now);
}

static bool ack_has_sack(const struct uet_pds_hdr *hdr)
{
	return hdr->type != UET_TY_ACK;
}

static bool ack_has_psn(const struct uet_pds_hdr *hdr)
{
	return !(hdr->flags & UET_F_P);
}

static u32 ack_psn(const struct uet_ack *ack)
{
	return ack->cack_psn + (u32)ack->ack_off;
}

static u32 ack_sack_base(const struct uet_ack *ack)
{
	return ack->cack_psn + (u32)ack->sack_off;
}

/* All PSNs that an ACK names must have been sent. */
static enum uet_drop ack_check_psns(const struct uet_pdc *pdc,
				    const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;
	u32 fresh = pdc->tx.nxt;
	u32 last;

	if (!uet_psn_before(ack->cack_psn, fresh))
		return UET_DROP_BAD_ACK_PSN;
	if (ack_has_psn(hdr) && !uet_psn_before(ack_psn(ack), fresh))
		return UET_DROP_BAD_ACK_PSN;
	if (ack_has_sack(hdr) && ack->sack_bitmap) {
		last = ack_sack_base(ack) + fls64(ack->sack_bitmap) - 1;
		if (!uet_psn_before(last, fresh))
			return UET_DROP_BAD_ACK_PSN;
	}
	if (uet_psn_diff(fresh, ack->cack_psn) > ACK_STALE)
		return UET_DROP_STALE_ACK;
	return UET_DROP_NONE;
}

/*
 * An ACK that opens the PDC must cover a packet in flight.  A sender that does
 * not know our PSNs thus cannot open the PDC.
 */
static bool ack_is_solicited(const struct uet_pdc *pdc,
			     const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;

	if (pdc->state != UET_PDC_ST_SYN_SENT)
		return true;
	return ack->spdcid &&
	       (uet_pdc_slot_is_out(pdc, ack->cack_psn) ||
		(ack_has_psn(hdr) && uet_pdc_slot_is_out(pdc, ack_psn(ack))));
}

static bool ack_is_new(const struct uet_pdc_slot *slot)
{
	return slot->state == UET_SLOT_SENT || slot->state == UET_SLOT_LOST;
}

/**
 * uet_pdc_answered() - the packet that an ACK answers for the first time
 * @pdc: PDC, found by the header's dpdcid
 * @hdr: decoded header of the ACK
 *
 * Call this before uet_pdc_rx_ack(); the result counts only if uet_pdc_rx_ack()
 * accepts the ACK.
 *
 * Return: the packet, as handed to uet_pdc_tx_req(), valid until the next call;
 *	NULL if the packet was answered before, or is no request.
 */
const struct uet_pds_pkt *uet_pdc_answered(const struct uet_pdc *pdc,
					   const struct uet_pds_hdr *hdr)
{
	u32 psn = ack_psn(&hdr->u.ack);
	const struct uet_pdc_slot *slot = uet_pdc_slot(pdc, psn);

	if (!ack_has_psn(hdr) || !uet_pdc_slot_is_out(pdc, psn) ||
	    slot->kind != UET_PDC_KIND_REQ)
		return NULL;
	return &slot->pkt;
}

/* The length in a default response has no meaning, and U32_MAX means "not reported". */
static void ack_keep_rsp(struct uet_pdc_slot *slot,
			 const struct uet_ses_rsp *rsp)
{
	slot->modified_length = rsp->modified_length;
	if (rsp->opcode == UET_RSP_DEFAULT)
		slot->modified_length = min(rsp->modified_length, U32_MAX - 1);
	slot->ri_gen = rsp->ri_gen;
	slot->list = rsp->list;
}

/*
 * Does a response follow the NO_RESPONSE that a packet has got?  PDS answers a
 * duplicate with a default response by itself.
 */
static bool ack_is_more(const struct uet_pdc_slot *slot,
			const struct uet_ses_rsp *rsp, bool retx)
{
	return slot->rsp_opcode == UET_RSP_NO_RESPONSE &&
	       rsp->opcode != UET_RSP_NO_RESPONSE &&
	       !(rsp->opcode == UET_RSP_DEFAULT && retx);
}

/*
 * A packet was answered before, and SES has not taken the answer.  The response
 * that follows NO_RESPONSE replaces it.
 */
static void ack_take_late(struct uet_pdc *pdc, u32 psn,
			  const struct uet_ses_rsp *rsp, bool retx)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, psn);

	if (!rsp || !uet_psn_within(psn, pdc->tx.una_reported, pdc->tx.nxt) ||
	    slot->state != UET_SLOT_DONE || slot->kind != UET_PDC_KIND_REQ ||
	    !ack_is_more(slot, rsp, retx))
		return;
	slot->rsp_opcode = rsp->opcode;
	slot->rc = rsp->rc;
	slot->answer = (u32)pdc->stats.rx_ack;
	ack_keep_rsp(slot, rsp);
	/* Of a packet at or above @una, uet_pdc_tx_advance() does this. */
	if (uet_pdc_rsp_is_gtd(rsp->opcode) && uet_psn_before(psn, pdc->tx.una))
		pdc->tx.clear_wanted = true;
}

/* UE 1.0.1 3.5.11.4: the response in an ACK belongs to ACK_PSN. */
static bool ack_apply_own(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			  const struct uet_ses_rsp *rsp, u64 now)
{
	bool retx = hdr->flags & UET_F_RETX;
	u32 psn = ack_psn(&hdr->u.ack);
	struct uet_pdc_slot *slot;
	bool is_new;

	if (!ack_has_psn(hdr))
		return false;
	slot = uet_pdc_slot(pdc, psn);
	is_new = uet_pdc_slot_is_out(pdc, psn) && ack_is_new(slot);
	if (is_new)
		uet_pdc_loss_own_ack(pdc, slot, retx, now);
	else if (retx)
		uet_pdc_loss_doubtful(pdc, psn);
	if (!uet_pdc_slot_is_out(pdc, psn)) {
		ack_take_late(pdc, psn, rsp, retx);
		return is_new;
	}
	uet_pdc_slot_done(pdc, slot, rsp ? rsp->opcode : UET_RSP_DEFAULT,
			  rsp ? rsp->rc : UET_RC_OK);
	if (rsp)
		ack_keep_rsp(slot, rsp);
	return is_new;
}

/*
 * UE 1.0.1 3.5.11.4: all packets up to CACK_PSN were received and have a
 * default response.
 */
static bool ack_apply_cack(struct uet_pdc *pdc, u32 cack, u64 now)
{
	struct uet_pdc_slot *slot;
	bool any_new = false;
	u32 psn;

	for (psn = pdc->tx.una; !uet_psn_after(psn, cack); psn++) {
		slot = uet_pdc_slot(pdc, psn);
		if (slot->state == UET_SLOT_DONE)
			continue;
		if (ack_is_new(slot)) {
			uet_pdc_loss_received(pdc, slot, now);
			any_new = true;
		}
		uet_pdc_slot_done(pdc, slot, UET_RSP_DEFAULT, UET_RC_OK);
	}
	return any_new;
}

/* UE 1.0.1 Table 3-36: a set bit means received; a clear bit has no meaning. */
static bool ack_apply_sack(struct uet_pdc *pdc, const struct uet_ack *ack,
			   u64 now)
{
	u64 sack = ack->sack_bitmap;
	struct uet_pdc_slot *slot;
	bool any_new = false;
	u32 psn;

	while (uet_psn_sack_take(&sack, ack_sack_base(ack), &psn)) {
		if (!uet_pdc_slot_is_out(pdc, psn))
			continue;
		slot = uet_pdc_slot(pdc, psn);
		if (!ack_is_new(slot))
			continue;
		uet_pdc_loss_received(pdc, slot, now);
		uet_pdc_slot_sacked(pdc, slot);
		any_new = true;
	}
	return any_new;
}

/*
 * Move the base of the send window over answered packets.
 * Return: true if the base moved.
 */
bool uet_pdc_tx_advance(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u32 old = tx->una;

	while (tx->una != tx->nxt &&
	       uet_pdc_slot(pdc, tx->una)->state == UET_SLOT_DONE) {
		if (uet_pdc_rsp_is_gtd(uet_pdc_slot(pdc, tx->una)->rsp_opcode))
			tx->clear_wanted = true;
		tx->una++;
	}
	if (pdc->state == UET_PDC_ST_CLOSE_ACK_WAIT && tx->una == tx->write_seq)
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE_ACKED, now);
	return tx->una != old;
}

/*
 * UE 1.0.1 3.5.12.2: the MPR is valid only if the CACK_PSN is not older than
 * the highest one received.
 * Return: the window moved while no packet was in flight.
 */
static bool ack_take_window(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
{
	const struct uet_ack *ack = &hdr->u.ack;
	struct uet_pdc_txh *tx = &pdc->tx;
	bool moves = uet_psn_after(ack->cack_psn, tx->cack);

	if (uet_psn_before(ack->cack_psn, tx->cack))
		return false;
	if (moves)
		tx->stall = UET_STALL_NEW;
	tx->cack = ack->cack_psn;
	if (ack_has_sack(hdr) && ack->mpr)
		tx->mpr_pkts = ack->mpr * UET_MPR_UNIT;
	else if (ack_has_sack(hdr) && pdc->cfg->mpr_zero)
		tx->mpr_pkts = pdc->cfg->mpr_zero;
	return moves && tx->una == tx->nxt;
}

/* UE 1.0.1 Table 3-44: only a target may set the request bits. */
static void ack_take_requests(struct uet_pdc *pdc, u8 req, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;

	if (pdc->role != UET_PDC_INITIATOR)
		return;
	if (req == UET_F_REQ_CLEAR && tx->clear_sent != tx->una - 1)
		tx->clear_wanted = true;
	else if (req == UET_F_REQ_CLOSE)
		uet_pdc_event(pdc, UET_PDC_EV_PEER_CLOSE, now);
}

/**
 * uet_pdc_rx_ack() - an ACK, ACK_CC or ACK_CCX arrived
 * @pdc: PDC, found by the header's dpdcid
 * @hdr: its decoded header
 * @rsp: the SES response behind it, or NULL if next_hdr says there is none
 * @in: reception attributes
 * @now: monotonic time, ns
 *
 * The caller runs the run loop next.  Outcomes are queued for
 * uet_pdc_poll_up().
 *
 * Return: UET_DROP_NONE, or the reason why the ACK was dropped: BAD_STATE,
 *	PDCID_MISMATCH, BAD_ACK_PSN, STALE_ACK, UNSOLICITED_ACK; NO_MEMORY without a
 *	window.
 * Spec: UE 1.0.1 3.5.12.
 */
enum uet_drop uet_pdc_rx_ack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_ses_rsp *rsp,
			     const struct uet_rx_info *in,
			     u64 now)
{
	const struct uet_ack *ack = &hdr->u.ack;
	enum uet_drop why;
	bool progress, opens;

	if (!uet_pdc_has_window(pdc))
		return UET_DROP_NO_MEMORY;
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_ANSWER))
		return UET_DROP_BAD_STATE;
	why = uet_pdc_answer_ids(pdc, ack->spdcid, ack->dpdcid);
	if (!why)
		why = ack_check_psns(pdc, hdr);
	if (why)
		return why;
	if (!ack_is_solicited(pdc, hdr))
		return UET_DROP_UNSOLICITED_ACK;

	pdc->stats.rx_ack++;
	uet_pdc_heard(pdc, now);
	uet_pdc_learn(pdc, ack->spdcid, now);
	uet_pdc_cc_ack_begin(pdc, hdr, in, now);
	progress = ack_apply_own(pdc, hdr, rsp, now);
	progress |= ack_apply_cack(pdc, ack->cack_psn, now);
	if (ack_has_sack(hdr))
		progress |= ack_apply_sack(pdc, ack, now);
	uet_pdc_cc_ack_end(pdc, hdr, now);
	opens = ack_take_window(pdc, hdr);
	progress |= uet_pdc_tx_advance(pdc, now);
	if (uet_pdc_is_over(pdc))
		return UET_DROP_NONE;
	ack_take_requests(pdc, hdr->flags & UET_F_REQ_MASK, now);
	uet_pdc_close_later(pdc, now);
	pdc->tx.progress += progress;
	if (progress || opens)
		uet_pdc_rto_restart(pdc, now);
	uet_pdc_pause_step(pdc, now);
	if (!ack_has_psn(hdr))
		uet_pdc_tail_answered(pdc, hdr, now);
	uet_pdc_loss_detect(pdc, now);
	return UET_DROP_NONE;
}
