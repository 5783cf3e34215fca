// SPDX-License-Identifier: GPL-2.0
/*
 * Received ACKs and NACKs.  An ACK that names a PSN never sent, or a NACK for a packet that is
 * not outstanding, changes no state at all.  nack.def maps the code of a NACK to a reaction of
 * the packet or of the whole PDC.
 *
 * Implements UE 1.0.1 3.5.11.4 (CACK_PSN, REQ_CLEAR), 3.5.12 (ACK and NACK processing),
 * Tables 3-58 and 3-59, and 3.5.8.2 (learning the peer's PDCID).  Level: core L4.
 */
#include "pdc.h"

/*
 * An ACK whose CACK_PSN is this far behind the send window is stale: 64 times the largest
 * window, so no live ACK is that old.
 */
#define ACK_STALE	0x10000

/* UE 1.0.1 3.5.8.2 */
static enum uet_drop ack_check_ids(const struct uet_pdc *pdc, u16 spdcid, u16 dpdcid)
{
	return dpdcid != pdc->local_pdcid || (pdc->peer_pdcid && spdcid != pdc->peer_pdcid) ?
	       UET_DROP_PDCID_MISMATCH : UET_DROP_NONE;
}

/*
 * UE 1.0.1 3.5.8.2: the first answer of the target has its PDCID.  From here on SYN is
 * cleared, also in retransmissions.
 */
static void ack_learn(struct uet_pdc *pdc, u16 spdcid, u64 now)
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
static enum uet_drop ack_check_psns(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
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
 * An ACK that opens the PDC must cover a packet in flight, so a sender that does not know
 * our PSNs cannot open the PDC.
 */
static bool ack_is_solicited(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
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

/* The request in flight that an ACK names, or NULL. */
static const struct uet_pdc_slot *ack_named(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
{
	u32 psn = ack_psn(&hdr->u.ack);
	const struct uet_pdc_slot *slot;

	if (!ack_has_psn(hdr) || !uet_pdc_slot_is_out(pdc, psn))
		return NULL;
	slot = uet_pdc_slot_single(pdc, psn);
	return slot->kind == UET_PDC_KIND_REQ ? slot : NULL;
}

/*
 * uet_pdc_answered() - the packet that an ACK answers for the first time
 *
 * Called before uet_pdc_rx_ack(); the result counts only if that accepts the ACK.  Return:
 * the packet, valid until the next call; NULL if it was answered before, or is no request.
 */
const struct uet_pds_pkt *uet_pdc_answered(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
{
	const struct uet_pdc_slot *slot = ack_named(pdc, hdr);

	return slot ? &slot->pkt : NULL;
}

/* The length in a default response has no meaning, and U32_MAX means "not reported". */
static void ack_keep_rsp(struct uet_pdc_slot *slot, const struct uet_ses_rsp *rsp)
{
	slot->modified_length = rsp->modified_length;
	if (rsp->opcode == UET_RSP_DEFAULT)
		slot->modified_length = min(rsp->modified_length, U32_MAX - 1);
	slot->ri_gen = rsp->ri_gen;
	slot->list = rsp->list;
}

/*
 * A response follows the NO_RESPONSE that a packet has got.  PDS answers a duplicate with a
 * default response by itself.
 */
static bool ack_is_more(const struct uet_pdc_slot *slot, const struct uet_ses_rsp *rsp, bool retx)
{
	return slot->rsp_opcode == UET_RSP_NO_RESPONSE &&
	       rsp->opcode != UET_RSP_NO_RESPONSE && !(rsp->opcode == UET_RSP_DEFAULT && retx);
}

/*
 * A packet was answered before, and SES has not taken the answer.  The response that
 * follows NO_RESPONSE replaces it.
 */
static void ack_take_late(struct uet_pdc *pdc, u32 psn, const struct uet_ses_rsp *rsp, bool retx)
{
	struct uet_pdc_slot *slot;

	if (!rsp || !uet_psn_within(psn, pdc->tx.una_reported, pdc->tx.nxt))
		return;
	slot = uet_pdc_slot_single(pdc, psn);
	if (slot->state != UET_SLOT_DONE || slot->kind != UET_PDC_KIND_REQ ||
	    !ack_is_more(slot, rsp, retx))
		return;
	slot->rsp_opcode = rsp->opcode;
	slot->rc = rsp->rc;
	slot->answer = (u32)pdc->stats.rx_ack;
	ack_keep_rsp(slot, rsp);
	/* Of a packet at or above @una, ack_advance() does this. */
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
	bool is_out, is_new;

	if (!ack_has_psn(hdr))
		return false;
	is_out = uet_pdc_slot_is_out(pdc, psn);
	slot = is_out ? uet_pdc_slot_single(pdc, psn) : NULL;
	is_new = slot && ack_is_new(slot);
	if (is_new)
		uet_pdc_loss_own_ack(pdc, slot, retx, now);
	else if (retx)
		uet_pdc_loss_doubtful(pdc, psn);
	if (!is_out) {
		ack_take_late(pdc, psn, rsp, retx);
		return false;
	}
	uet_pdc_slot_done(pdc, slot, rsp ? rsp->opcode : UET_RSP_DEFAULT,
			  rsp ? rsp->rc : UET_RC_OK);
	if (rsp)
		ack_keep_rsp(slot, rsp);
	return is_new;
}

/* UE 1.0.1 3.5.11.4: all packets up to CACK_PSN were received and have a default response. */
static bool ack_apply_cack(struct uet_pdc *pdc, u32 cack, u64 now)
{
	struct uet_pdc_slot *slot;
	bool any_new = false;
	u32 psn;

	for (psn = pdc->tx.una; !uet_psn_after(psn, cack); psn += slot->n) {
		slot = uet_pdc_slot(pdc, psn);
		if (slot->state == UET_SLOT_DONE)
			continue;
		if (slot->n > cack - psn + 1)
			uet_pdc_slot_cut(pdc, slot, cack - psn + 1);
		if (ack_is_new(slot)) {
			uet_pdc_loss_received(pdc, slot, now);
			any_new = true;
		}
		uet_pdc_slot_done(pdc, slot, UET_RSP_DEFAULT, UET_RC_OK);
	}
	return any_new;
}

/* UE 1.0.1 Table 3-36: a set bit means received; a clear bit has no meaning. */
static bool ack_apply_sack(struct uet_pdc *pdc, const struct uet_ack *ack, u64 now)
{
	u64 sack = ack->sack_bitmap;
	struct uet_pdc_slot *slot;
	bool any_new = false;
	u32 psn;

	while (uet_psn_sack_take(&sack, ack_sack_base(ack), &psn)) {
		if (!uet_pdc_slot_is_out(pdc, psn))
			continue;
		slot = uet_pdc_slot_single(pdc, psn);
		if (!ack_is_new(slot))
			continue;
		uet_pdc_loss_received(pdc, slot, now);
		uet_pdc_slot_sacked(pdc, slot);
		any_new = true;
	}
	return any_new;
}

/* Move the base of the send window over answered packets. */
static bool ack_advance(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_txh *tx = &pdc->tx;
	u32 old = tx->una;

	while (tx->una != tx->nxt && uet_pdc_slot(pdc, tx->una)->state == UET_SLOT_DONE) {
		if (uet_pdc_rsp_is_gtd(uet_pdc_slot(pdc, tx->una)->rsp_opcode))
			tx->clear_wanted = true;
		tx->una += uet_pdc_slot(pdc, tx->una)->n;
	}
	if (pdc->state == UET_PDC_ST_CLOSE_ACK_WAIT && tx->una == tx->write_seq)
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE_ACKED, now);
	return tx->una != old;
}

/*
 * UE 1.0.1 3.5.12.2: the MPR of an ACK older than the highest CACK_PSN is not valid.
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

/*
 * uet_pdc_rx_ack() - an ACK, ACK_CC or ACK_CCX arrived
 * @rsp: the SES response behind it, or NULL if next_hdr says there is none
 *
 * Return: UET_DROP_NONE, or the reason why the ACK was dropped.
 */
enum uet_drop uet_pdc_rx_ack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_ses_rsp *rsp, const struct uet_rx_info *in, u64 now)
{
	const struct uet_ack *ack = &hdr->u.ack;
	enum uet_drop why;
	bool progress, opens;

	if (!uet_pdc_has_window(pdc))
		return UET_DROP_NO_MEMORY;
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_ANSWER))
		return UET_DROP_BAD_STATE;
	why = ack_check_ids(pdc, ack->spdcid, ack->dpdcid);
	if (!why)
		why = ack_check_psns(pdc, hdr);
	if (why)
		return why;
	if (!ack_is_solicited(pdc, hdr))
		return UET_DROP_UNSOLICITED_ACK;

	pdc->stats.rx_ack++;
	uet_pdc_heard(pdc, now);
	ack_learn(pdc, ack->spdcid, now);
	if (pdc->cc.ccc)
		uet_pdc_cc_ack_begin(pdc, hdr, ack_named(pdc, hdr), in, now);
	progress = ack_apply_own(pdc, hdr, rsp, now);
	progress |= ack_apply_cack(pdc, ack->cack_psn, now);
	if (ack_has_sack(hdr))
		progress |= ack_apply_sack(pdc, ack, now);
	if (pdc->cc.ccc)
		uet_pdc_cc_ack_end(pdc, hdr, now);
	opens = ack_take_window(pdc, hdr);
	progress |= ack_advance(pdc, now);
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

/* Refusals to open a PDC that are counted: the pause does not grow any more. */
#define NACK_OPENS_MAX	15

/* Least back-off of a packet; the round trip may be unknown, or forged by the peer. */
#define NACK_BACKOFF_MIN_NS	10000ULL

/* nack.def has the reaction, with two exceptions for PAUSE and RESTART. */
static enum uet_nack_action nack_judge(const struct uet_pdc *pdc, const struct uet_nack *nack)
{
	const struct uet_nack_prop *prop = uet_wire_nack(nack->code);
	bool is_opening = pdc->state == UET_PDC_ST_SYN_SENT;
	enum uet_nack_action action = is_opening ? prop->syn_sent : prop->open;

	if (pdc->mode == UET_PDC_ROD && prop->rod != UET_NA_AS_RUD)
		action = prop->rod;
	/* A NACK without the PDCID of a target reports that the target cannot open a PDC. */
	if (action == UET_NA_PAUSE && !nack->spdcid)
		return is_opening ? UET_NA_REOPEN : UET_NA_IGNORE;
	if (action == UET_NA_RESTART && pdc->start == UET_PDC_START_PLAIN)
		return UET_NA_UNKNOWN;
	return action;
}

/*
 * The NACK comes from the target's end of this PDC, so its spdcid is the PDCID to use.  A
 * target that cannot open a PDC, or has one with another Start_PSN, has no such end: UE
 * 1.0.1 3.5.10.10 and 3.5.8.2 have 0 there, and another value names nothing.
 */
static bool nack_names_peer(const struct uet_pdc *pdc, const struct uet_nack *nack)
{
	enum uet_nack_action action = nack_judge(pdc, nack);

	return nack->spdcid && action != UET_NA_REOPEN &&
	       action != UET_NA_RESTART && action != UET_NA_RETRY && action != UET_NA_FATAL;
}

/* A NACK in processing; @cc is the report to congestion control. */
struct nack_rx {
	const struct uet_pds_hdr *hdr;
	struct uet_cc_nack cc;
	u64 now;
};

/*
 * Count a NACK that costs a transmission.  False: the PDC failed, because the packet has
 * had more than Max_NACK_Retx_Cnt of them.
 */
static bool nack_count(struct uet_pdc *pdc, struct uet_pdc_slot *slot, const struct nack_rx *rx)
{
	if (slot->nacks < U8_MAX)
		slot->nacks++;
	if (pdc->cfg->max_nack_retx == UET_PDC_NACK_RETX_FOREVER ||
	    slot->nacks <= pdc->cfg->max_nack_retx)
		return true;
	uet_pdc_fail(pdc, UET_PDC_ERR_NACK_RETX, rx->cc.code, rx->now);
	return false;
}

/* Count a NACK that reports a loss, from the latest progress of the PDC on. */
static void nack_count_row(const struct uet_pdc *pdc, struct uet_pdc_slot *slot)
{
	if (slot->nacks_progress != pdc->tx.progress)
		slot->nacks_in_row = 0;
	slot->nacks_progress = pdc->tx.progress;
	if (slot->nacks_in_row < U8_MAX)
		slot->nacks_in_row++;
}

/*
 * Delay the retransmission of @slot if @counted had too many NACKs in a row: by a round
 * trip, doubled for each further NACK.  Other packets of a RUD PDC go on; a ROD PDC keeps
 * the order, so it waits.
 */
static void nack_back_off(struct uet_pdc *pdc, struct uet_pdc_slot *slot,
			  const struct uet_pdc_slot *counted, u64 now)
{
	u64 most = pdc->cfg->nack_retx_max_ns;
	u64 rtt_ns = max(pdc->tx.rtt.srtt_ns, NACK_BACKOFF_MIN_NS);
	int more = counted->nacks_in_row - UET_PDC_NACKS_AT_ONCE;

	if (more <= 0 || slot->state != UET_SLOT_LOST)
		return;
	rtt_ns = min(min(rtt_ns, most) << min(more - 1, 20), most);
	slot->backoff_until = now + rtt_ns;
	pdc->tx.backoff_at = min(pdc->tx.backoff_at, slot->backoff_until);
}

static void nack_resend(struct uet_pdc *pdc, struct uet_pdc_slot *slot, const struct nack_rx *rx)
{
	if (slot->state == UET_SLOT_LOST)
		return;
	pdc->stats.nack_lost++;
	uet_pdc_slot_refused(pdc, slot, &rx->cc, rx->now);
}

/*
 * A packet was lost: retransmit it at once, but after several losses only after a back-off.
 * The RTO runs on, because nothing shows that the peer makes progress.
 */
static void nack_lost(struct uet_pdc *pdc, struct uet_pdc_slot *slot, const struct nack_rx *rx)
{
	if (slot->state == UET_SLOT_LOST || !nack_count(pdc, slot, rx))
		return;
	nack_count_row(pdc, slot);
	nack_resend(pdc, slot, rx);
	nack_back_off(pdc, slot, slot, rx->now);
}

/*
 * The NACK is for the latest transmission of its packet.  A NACK for a SACKed packet
 * answers an ACK_REQUEST and not a transmission.
 */
static bool nack_is_current(const struct uet_pdc_slot *slot, u8 flags)
{
	return slot->state == UET_SLOT_SACKED || (slot->sends > 1) == !!(flags & UET_F_RETX);
}

/*
 * A refused or trimmed packet has arrived, so the NACK is a sample of the round trip.
 * Earlier packets without a report are suspected lost if the packet was refused.  A trimmed
 * packet proves nothing about them: a switch forwards the rest of it ahead of its queue, UE
 * 1.0.1 4.1.
 */
static void nack_note_arrival(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, u64 now)
{
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, hdr->u.nack.psn);
	bool is_retx = hdr->flags & UET_F_RETX;
	u8 code = hdr->u.nack.code;

	if (slot->state != UET_SLOT_SENT || !nack_is_current(slot, hdr->flags))
		return;
	if (code == UET_NACK_TRIMMED || code == UET_NACK_TRIMMED_LASTHOP)
		uet_pdc_loss_trimmed(pdc, slot, is_retx, now);
	else
		uet_pdc_loss_own_ack(pdc, slot, is_retx, now);
}

/*
 * UE 1.0.1 3.5.21: retransmit all packets from Expected_PSN on.  The receiver refuses each
 * packet after a lost packet, so most of these NACKs repeat an earlier NACK: nothing is to
 * be done if the expected packet was retransmitted after the refused packet was sent.  The
 * burst is throttled to half, because a full burst would overrun the same queue again.  The
 * NACK counts for the oldest packet, whatever Expected_PSN it has: only an answer to that
 * packet is progress.
 *
 * A receiver that reports the refused packet as received keeps what is out of order.  Then
 * the packets that it does not report are lost, or late: pdc_loss.c decides.  If it expects
 * a packet that it has reported, it could not take this packet when it was its turn, and
 * the NACK that says so was lost.
 */
static void nack_go_back(struct uet_pdc *pdc, const struct uet_pdc_slot *slot,
			 const struct nack_rx *rx)
{
	/* The congestion report of @rx covers one packet only. */
	struct nack_rx each = { .cc.code = UET_NACK_ROD_OOO, .now = rx->now };
	u32 expected = rx->hdr->u.nack.payload;
	struct uet_pdc_txh *tx = &pdc->tx;
	struct uet_pdc_slot *oldest = uet_pdc_slot_single(pdc, tx->una);
	struct uet_pdc_slot *first;
	u32 psn;

	if (!uet_psn_within(expected, tx->una, slot->psn))
		expected = tx->una;
	first = uet_pdc_slot_single(pdc, expected);
	if (slot->state == UET_SLOT_SACKED)
		tx->peer_keeps = true;
	if (first->state == UET_SLOT_LOST || uet_psn_after(first->xmit, slot->xmit))
		return;
	if (first->state == UET_SLOT_SACKED)
		nack_resend(pdc, first, &each);
	if (tx->peer_keeps || first->state == UET_SLOT_LOST || !nack_count(pdc, oldest, rx))
		return;
	nack_count_row(pdc, oldest);
	uet_pdc_throttle(pdc, max(tx->nr_sent / 2, 1));
	uet_pdc_slot_expand(pdc, expected, tx->nxt);
	for (psn = expected; psn != tx->nxt; psn++)
		if (uet_pdc_slot(pdc, psn)->state == UET_SLOT_SENT)
			nack_resend(pdc, uet_pdc_slot(pdc, psn), &each);
	nack_back_off(pdc, first, oldest, rx->now);
}

/*
 * A refused probe at the end of a pause doubles the next pause.  NACKs for packets that
 * were sent before the pause do not change it.  A packet that a ROD receiver kept out of
 * order, and reported as received, may find no space when it is its turn.
 */
static void nack_pause(struct uet_pdc *pdc, struct uet_pdc_slot *slot, const struct nack_rx *rx)
{
	struct uet_pdc_pause *pause = &pdc->tx.pause;
	bool is_probe = slot->is_probe;

	if ((slot->state == UET_SLOT_SACKED && pdc->mode == UET_PDC_RUD) ||
	    !nack_count(pdc, slot, rx))
		return;
	nack_resend(pdc, slot, rx);
	if (pause->until || (pause->ns && !is_probe))
		return;
	if (!pause->ns) {
		pdc->stats.held++;
		pause->since = rx->now;
	}
	pause->ns = uet_pdc_longer_pause(pdc, pause->ns, uet_ns_since(rx->now, pause->since));
	uet_pdc_pause(pdc, rx->now + pause->ns, rx->now);
}

/* The target has refused to open a PDC for too long, though it is alive. */
static bool nack_gives_up_opening(const struct uet_pdc *pdc, u64 now)
{
	if (pdc->cfg->peer_timeout_ns)
		return pdc->tx.pause.opens &&
		       uet_ns_since(now, pdc->tx.pause.refused_ns) >= pdc->cfg->peer_timeout_ns;
	return pdc->tx.pause.opens >= pdc->cfg->max_rto_retx;
}

/* The target cannot open a PDC: retry the same PDC. */
static void nack_reopen(struct uet_pdc *pdc, struct uet_pdc_slot *slot, const struct nack_rx *rx)
{
	struct uet_pdc_pause *pause = &pdc->tx.pause;
	u64 wait;

	nack_resend(pdc, slot, rx);
	if (pause->until)
		return;
	if (nack_gives_up_opening(pdc, rx->now)) {
		uet_pdc_fail(pdc, UET_PDC_ERR_NACK_RETX, rx->cc.code, rx->now);
		return;
	}
	wait = min(pdc->cfg->rto_init_ns << pause->opens, pdc->cfg->rto_max_ns);
	if (!pause->opens)
		pause->refused_ns = rx->now;
	pause->opens = min(pause->opens + 1, NACK_OPENS_MAX);
	uet_pdc_pause(pdc, rx->now + wait, rx->now);
}

/* UE 1.0.1 3.5.8.3: an unknown PDCID in answer to a CLOSE_COMMAND completes the close. */
static void nack_fatal(struct uet_pdc *pdc, struct uet_pdc_slot *slot, u8 code, u64 now)
{
	if (slot->kind == UET_CP_CLOSE_COMMAND && code == UET_NACK_INV_DPDCID) {
		uet_pdc_slot_done(pdc, slot, UET_RSP_DEFAULT, UET_RC_OK);
		ack_advance(pdc, now);
		return;
	}
	uet_pdc_fail(pdc, UET_PDC_ERR_NACK, code, now);
}

/*
 * Such a NACK may come from an end without this PDC, one that has restarted, and uses the
 * PDCID of the peer again.  It does not decide about a rival of this PDC.
 */
static bool nack_is_of_any(const struct uet_nack *nack)
{
	return !nack->spdcid || nack->code == UET_NACK_PSN_OOR_WINDOW ||
	       nack->code == UET_NACK_PKT_NOT_RCVD;
}

static enum uet_drop nack_execute(struct uet_pdc *pdc, const struct nack_rx *rx)
{
	const struct uet_nack *nack = &rx->hdr->u.nack;
	struct uet_pdc_slot *slot = uet_pdc_slot(pdc, nack->psn);

	switch (nack_judge(pdc, nack)) {
	case UET_NA_UNKNOWN:
	case UET_NA_AS_RUD:
		return UET_DROP_UNSUPPORTED;
	case UET_NA_IGNORE:
		break;
	case UET_NA_ALIVE:
		uet_pdc_rto_restart(pdc, rx->now);
		break;
	case UET_NA_RESEND:
		if (nack_is_current(slot, rx->hdr->flags))
			nack_lost(pdc, slot, rx);
		break;
	case UET_NA_GO_BACK:
		if (nack_is_current(slot, rx->hdr->flags))
			nack_go_back(pdc, slot, rx);
		break;
	case UET_NA_PAUSE:
		nack_pause(pdc, slot, rx);
		break;
	case UET_NA_REOPEN:
		nack_reopen(pdc, slot, rx);
		break;
	case UET_NA_RESTART:
		uet_pdc_start_obey(pdc, nack->payload, rx->now);
		break;
	case UET_NA_RETRY:
		/* The target has no state for this PDC, so it executed nothing. */
		pdc->may_repeat = true;
		pdc->refused_psn = slot->psn;
		nack_fatal(pdc, slot, nack->code, rx->now);
		break;
	case UET_NA_FATAL:
		nack_fatal(pdc, slot, nack->code, rx->now);
		break;
	}
	return UET_DROP_NONE;
}

/*
 * uet_pdc_rx_nack() - a NACK or NACK_CCX arrived
 *
 * Return: UET_DROP_NONE, or the reason.  After UNSUPPORTED (a reserved code, or
 * NEW_START_PSN on an open or plain PDC) the NACK still proves that the peer is alive and
 * reports its PDCID.
 */
enum uet_drop uet_pdc_rx_nack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			      const struct uet_rx_info *in, u64 now)
{
	const struct uet_nack *nack = &hdr->u.nack;
	struct nack_rx rx = {
		.hdr = hdr, .cc.code = nack->code, .now = now,
	};
	enum uet_drop why;

	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_ANSWER))
		return UET_DROP_BAD_STATE;
	if (hdr->flags & UET_F_NT || !uet_pdc_slot_is_out(pdc, nack->psn))
		return UET_DROP_BAD_NACK_PSN;
	why = ack_check_ids(pdc, nack->spdcid ? nack->spdcid : pdc->peer_pdcid, nack->dpdcid);
	if (why)
		return why;

	uet_pdc_slot_single(pdc, nack->psn);
	pdc->stats.rx_nack++;
	pdc->nack_code = nack->code;
	pdc->rival.heard += nack_is_of_any(nack);
	uet_pdc_heard(pdc, now);
	if (nack_names_peer(pdc, nack))
		ack_learn(pdc, nack->spdcid, now);
	uet_pdc_cc_read_nack(pdc, hdr, in, &rx.cc, now);
	nack_note_arrival(pdc, hdr, now);
	why = nack_execute(pdc, &rx);
	if (!uet_pdc_is_over(pdc))
		uet_pdc_loss_detect(pdc, now);
	return why;
}

/*
 * uet_pdc_may_repeat() - may requests of a failed PDC be sent on another?
 *
 * If a RUD PDC failed by a NACK with the action RETRY.  On a ROD PDC the requests that are
 * not repeated would come before others that are.
 */
bool uet_pdc_may_repeat(const struct uet_pdc *pdc)
{
	return pdc->error == UET_PDC_ERR_NACK && pdc->may_repeat && pdc->mode == UET_PDC_RUD;
}

/*
 * uet_pdc_pkt_of_nack() - the unanswered packet that a NACK names, or NULL
 *
 * The NACK may be forged.  The packet is valid until the next call.
 */
const struct uet_pds_pkt *uet_pdc_pkt_of_nack(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
{
	u32 psn = hdr->u.nack.psn;
	const struct uet_pdc_slot *slot;

	if (!uet_pdc_slot_is_out(pdc, psn))
		return NULL;
	slot = uet_pdc_slot_single(pdc, psn);
	return slot->kind == UET_PDC_KIND_REQ ? &slot->pkt : NULL;
}
