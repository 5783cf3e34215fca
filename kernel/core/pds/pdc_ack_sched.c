// SPDX-License-Identifier: GPL-2.0
/*
 * Pending answers: ACKs of single packets, one coalesced ACK, NACKs, and the answer to a Probe.
 * The contents of an ACK are read from the receive half when the ACK is built, so a delayed ACK
 * is never out of date.
 *
 * Implements UE 1.0.1 3.5.10.6 and 3.5.10.10 (contents), 3.5.11.4 (CACK_PSN), 3.5.12.2
 * (coalescing), 3.5.12.5 (answers to duplicates), 3.5.16 (Probe), 3.5.17 (responses generated
 * by PDS) and PDS_Clear_Time of Table 3-28.  Level: core L4.
 */
#include "pdc.h"

/*
 * PSNs beyond the latest one to report that a SACK also covers.  The other 48 of its 64
 * bits cover this PSN and older ones: the next SACK repeats PSNs that a lost ACK reported.
 */
#define ANSWER_SACK_AHEAD	16

static const struct uet_pdc_rsp answer_default_rsp = {
	.form = UET_RSP_FORM_PLAIN,
	.opcode = UET_RSP_DEFAULT,
	.rc = UET_RC_OK,
};

/* The next coalesced ACK has to report this PSN, unless CACK_PSN covers it. */
static void answer_note_sack(struct uet_pdc_rxh *rx, u32 psn)
{
	if (!uet_psn_after(psn, rx->cack))
		return;
	rx->sack_first = rx->sack_pending ? uet_psn_earlier(rx->sack_first, psn) : psn;
	rx->sack_last = rx->sack_pending ? uet_psn_later(rx->sack_last, psn) : psn;
	rx->sack_pending = true;
}

/* The coalesced ACK reports a response that CACK_PSN alone does not. */
static bool answer_is_told_once(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return rx->ack_now && !rx->answers->trigger.is_cp &&
	       uet_pdc_rsp_is_told_once(pdc, &rx->answers->trigger_rsp);
}

/*
 * The coalesced ACK answers the latest packet.  But if it is due now and answers a packet
 * marked CE, or one with a response that is told once, a packet without the mark does not
 * replace that packet.
 */
static void answer_set_trigger(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
			       const struct uet_pdc_rsp *rsp)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	answer_note_sack(rx, echo->psn);
	if (!echo->ce && ((rx->ack_now && rx->answers->trigger.ce) || answer_is_told_once(pdc)))
		return;
	rx->answers->trigger = *echo;
	rx->answers->trigger_rsp = *rsp;
}

static void answer_due_now(struct uet_pdc_rxh *rx)
{
	rx->ack_now = true;
	rx->ack_at = UET_NEVER;
	rx->ack_gen = 0;
}

static void answer_due_later(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	if (!rx->ack_now && rx->ack_at == UET_NEVER)
		rx->ack_at = now + pdc->cfg->ack_delay_ns;
}

void uet_pdc_pend_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
		      const struct uet_pdc_rsp *rsp)
{
	answer_set_trigger(pdc, echo, rsp);
	answer_due_now(&pdc->rx);
}

void uet_pdc_pend_ack_delayed(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
			      const struct uet_pdc_rsp *rsp, u64 now)
{
	answer_set_trigger(pdc, echo, rsp);
	answer_due_later(pdc, now);
}

/* Make the ACK that is due later, if any, pending now. */
void uet_pdc_pend_delayed(struct uet_pdc *pdc)
{
	if (pdc->rx.ack_at != UET_NEVER)
		answer_due_now(&pdc->rx);
}

/*
 * CACK_PSN stays before a PSN whose response is told once until its ACK is sent, because
 * CACK_PSN reports the default response.
 */
static bool answer_is_untold(const struct uet_pdc *pdc, u32 psn)
{
	return pdc->rx.nr_own && uet_psn_map_test(&pdc->rx.own, psn) &&
	       uet_pdc_rsp_is_told_once(pdc, &uet_pdc_rxslot(pdc, psn)->rsp);
}

/*
 * UE 1.0.1 3.5.11.4: CACK_PSN stops before the first PSN that is missing, untold, or has an
 * uncleared response.
 */
void uet_pdc_rx_raise_cack(struct uet_pdc *pdc)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 stop = uet_psn_map_next_set(&rx->gtd, rx->cack + 1, rx->base);
	struct uet_pdc_rxslot *slot;

	while (rx->cack + 1 != stop && !answer_is_untold(pdc, rx->cack + 1)) {
		rx->cack++;
		uet_psn_map_clear(&rx->rcvd, rx->cack);
		if (!uet_psn_map_clear(&rx->own, rx->cack))
			continue;
		rx->nr_own--;
		slot = uet_pdc_rxslot(pdc, rx->cack);
		uet_pdc_pend_ack(pdc, &slot->echo, &slot->rsp);
	}
}

/*
 * After a packet or a clear: PDS_Clear_Time runs while a response waits for its clear, and
 * restarts with each response that is cleared.  CACK_PSN stays below such a response, so a lost
 * CLEAR_PSN would keep the peer's window small, on an idle PDC for ever.
 */
void uet_pdc_gtd_watch(struct uet_pdc *pdc, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	/* A response can be cleared only if no PSN below it is missing. */
	bool waits = rx->base != rx->cack + 1 && uet_psn_map_test(&rx->gtd, rx->cack + 1);

	if (rx->gtd_waits == waits && (!waits || rx->gtd_psn == rx->cack + 1))
		return;
	rx->gtd_waits = waits;
	rx->gtd_psn = rx->cack + 1;
	rx->gtd_requests = 0;
	rx->gtd_request_pending = false;
	rx->gtd_at = waits && pdc->cfg->clear_ns ? now + pdc->cfg->clear_ns : UET_NEVER;
}

/*
 * Until a kept request is accepted it has no response: the ACK that reports it by SACK
 * answers the packet of CACK_PSN, without one.  An ACK that is pending serves as well.
 */
static void answer_set_sack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	bool is_pending = rx->ack_now || rx->ack_at != UET_NEVER;

	answer_note_sack(rx, echo->psn);
	if (is_pending && (rx->answers->trigger.ce || !echo->ce))
		return;
	rx->answers->trigger = *echo;
	rx->answers->trigger.psn = rx->cack;
	rx->answers->trigger.retx = false;
	rx->answers->trigger.is_cp = true;
}

/* UE 1.0.1 3.5.21: an ACK that reports a request that is kept. */
void uet_pdc_pend_sack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	answer_set_sack(pdc, echo);
	answer_due_now(&pdc->rx);
}

void uet_pdc_pend_sack_delayed(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, u64 now)
{
	answer_set_sack(pdc, echo);
	answer_due_later(pdc, now);
}

/* UE 1.0.1 Table 3-43: the response to a packet up to CACK_PSN, without SES. */
static const struct uet_pdc_rsp *answer_known_rsp(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxslot *slot = uet_pdc_rxslot(pdc, psn);

	if (slot->echo.psn == psn && uet_pdc_rsp_is_told_once(pdc, &slot->rsp) &&
	    uet_psn_after(psn, pdc->rx.clear))
		return &slot->rsp;
	return &answer_default_rsp;
}

/*
 * UE 1.0.1 3.5.12.5, 3.5.17: an ACK of a single packet.  Without @rsp the packet was
 * received before, or is a control packet.  The coalesced ACK serves for a packet up to
 * CACK_PSN.  A response that is told once is repeated until it is cleared or its slot is
 * used again.
 *
 * An ACK that is pending for the packet answers the latest copy, but a copy marked CE is
 * not replaced by a copy without the mark.
 */
void uet_pdc_pend_own_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
			  const struct uet_pdc_rsp *rsp)
{
	struct uet_pdc_rxslot *slot = uet_pdc_rxslot(pdc, echo->psn);
	struct uet_pdc_rxh *rx = &pdc->rx;

	if (!uet_psn_after(echo->psn, rx->cack)) {
		uet_pdc_pend_ack(pdc, echo, rsp ? rsp : answer_known_rsp(pdc, echo->psn));
		return;
	}
	if (uet_psn_map_set(&rx->own, echo->psn))
		rx->nr_own++;
	else if (slot->echo.ce && !echo->ce)
		return;
	slot->echo = *echo;
}

/* The peer's RTO covers a NACK for which the ring has no space. */
void uet_pdc_pend_nack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, u8 code, u32 payload)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	struct uet_pdc_pending_nack *nack;

	if (rx->nr_nacks == UET_PDC_NACKS) {
		pdc->stats.nack_overflow++;
		return;
	}
	nack = &rx->answers->nacks[(rx->nack_first + rx->nr_nacks) % UET_PDC_NACKS];
	nack->echo = *echo;
	nack->code = code;
	nack->payload = payload;
	rx->nr_nacks++;
}

void uet_pdc_cancel_answers(struct uet_pdc *pdc)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	/* Without a window none is pending. */
	if (!uet_pdc_has_window(pdc))
		return;
	bitmap_zero(rx->own.bits, rx->own.size);
	rx->nr_own = 0;
	rx->nr_nacks = 0;
	rx->ack_now = false;
	rx->ack_at = UET_NEVER;
	rx->probed = false;
	uet_pdc_rx_raise_cack(pdc);
}

/*
 * uet_pdc_answers_can_wait() - may more requests arrive before the next answer is built?
 *
 * A coalesced ACK serves for any number of requests, unless it reports that a packet has no
 * response yet.  Such an ACK, one of a single packet, a NACK, and the answer to a Probe are
 * built before more can become pending.  Return: false also if the PDC is over.
 */
bool uet_pdc_answers_can_wait(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return !uet_pdc_is_over(pdc) && !rx->nr_own && !rx->nr_nacks &&
	       !rx->probed && !(rx->ack_now && pdc->cfg->ack_per_pkt) && !answer_is_told_once(pdc);
}

/* A SACK holds 64 of up to UET_PDC_WINDOW_MAX PSNs. */
static u32 answer_sack_base(const struct uet_pdc_rxh *rx, u32 last)
{
	u32 first = rx->cack + 1;
	u32 top = uet_psn_earlier(rx->end, last + ANSWER_SACK_AHEAD);

	if (rx->end - first <= UET_SACK_BITS)
		return first;
	return uet_psn_later(first, top - UET_SACK_BITS);
}

/* PSNs that do not fit make another ACK pending. */
static u32 answer_pending_sack_base(struct uet_pdc_rxh *rx)
{
	u32 first = uet_psn_later(rx->sack_first, rx->cack + 1);
	u32 base = uet_psn_earlier(first, answer_sack_base(rx, rx->sack_last));

	rx->sack_pending = uet_psn_after(rx->sack_last, base + UET_SACK_BITS - 1);
	rx->sack_first = base + UET_SACK_BITS;
	return base;
}

/* UE 1.0.1 Table 3-44: only a target sets the request bits. */
static u8 answer_req_flags(const struct uet_pdc *pdc)
{
	if (pdc->role != UET_PDC_TARGET)
		return 0;
	if (pdc->rx.nr_gtd)
		return UET_F_REQ_CLEAR;
	return pdc->state == UET_PDC_ST_CLOSE_WAIT ? UET_F_REQ_CLOSE : 0;
}

static void answer_build_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, u32 sack_base,
			     struct uet_pdc_tx *out, u64 now)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	struct uet_ack *ack = &out->hdr.u.ack;
	/* In units of service time.  The source may have a context although this end has none. */
	u32 waited = uet_pdc_echo_at(now) - echo->at;

	out->kind = UET_TX_ACK;
	out->ev = echo->ev;
	out->hdr.type = UET_TY_ACK_CC;
	out->hdr.next_hdr = UET_NH_NONE;
	out->hdr.flags = answer_req_flags(pdc) | (echo->ce ? UET_F_M : 0) |
			 (echo->retx ? UET_F_RETX : 0);
	ack->cack_psn = rx->cack;
	ack->ack_off = (s16)uet_psn_diff(echo->psn, rx->cack);
	ack->spdcid = pdc->local_pdcid;
	ack->dpdcid = pdc->peer_pdcid;
	ack->cc_type = UET_CC_NSCC;
	ack->mpr = pdc->cfg->window / UET_MPR_UNIT;
	ack->sack_off = (s16)uet_psn_diff(sack_base, rx->cack);
	ack->sack_bitmap = uet_psn_sack_pack(&rx->rcvd, sack_base, rx->end);
	ack->state.nscc.service_time = uet_cc_service_time((u64)waited * UET_SERVICE_TIME_NS);
	ack->state.nscc.rcvd_bytes = uet_cc_rcvd_units(rx->bytes);
	ack->state.nscc.ooo_count = rx->nr_ooo;
	if (pdc->cc.space_size)
		uet_pdc_cc_advertise_space(pdc, &ack->state.nscc);
	pdc->stats.tx_ack++;
}

static void answer_add_rsp(const struct uet_pdc_rsp *rsp, u32 psn, struct uet_pdc_tx *out)
{
	out->rsp.form = rsp->form;
	out->rsp.list = rsp->list;
	out->rsp.opcode = rsp->opcode;
	out->rsp.rc = rsp->rc;
	out->rsp.msg_id = rsp->msg_id;
	out->rsp.ri_gen = rsp->ri_gen;
	out->rsp.job = rsp->job;
	out->rsp.modified_length = rsp->modified_length;
	if (rsp->form != UET_RSP_FORM_PLAIN) {
		out->rsp.read_msg_id = rsp->msg_id;
		out->rsp.orig_psn = psn;
		out->rsp.payload_length = rsp->len;
		out->rsp.data = rsp->data;
	}
	out->hdr.next_hdr = uet_wire_ses_rsp_nh(&out->rsp);
}

static void answer_poll_own(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 psn = uet_psn_map_next_set(&rx->own, rx->cack + 1, rx->end);
	const struct uet_pdc_rxslot *slot = uet_pdc_rxslot(pdc, psn);

	uet_psn_map_clear(&rx->own, psn);
	rx->nr_own--;
	if (uet_pdc_rsp_is_told_once(pdc, &slot->rsp)) {
		uet_pdc_rx_raise_cack(pdc);
		uet_pdc_gtd_watch(pdc, now);
	}
	answer_build_ack(pdc, &slot->echo, answer_sack_base(rx, psn), out, now);
	if (!slot->rsp.is_cp)
		answer_add_rsp(&slot->rsp, slot->echo.psn, out);
}

static void answer_poll_nack(struct uet_pdc *pdc, struct uet_pdc_tx *out)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	const struct uet_pdc_pending_nack *pending = &rx->answers->nacks[rx->nack_first];
	struct uet_nack *nack = &out->hdr.u.nack;

	rx->nack_first = (rx->nack_first + 1) % UET_PDC_NACKS;
	rx->nr_nacks--;
	out->kind = UET_TX_NACK;
	out->ev = pending->echo.ev;
	out->hdr.type = UET_TY_NACK;
	out->hdr.next_hdr = UET_NH_NONE;
	out->hdr.flags = (pending->echo.ce ? UET_F_M : 0) | (pending->echo.retx ? UET_F_RETX : 0);
	nack->code = pending->code;
	nack->psn = pending->echo.psn;
	/* A PDCID would let the peer drop SYN before its PDC is open. */
	nack->spdcid = pending->code == UET_NACK_NEW_START_PSN ||
		       pending->echo.is_foreign ? 0 : pdc->local_pdcid;
	nack->dpdcid = pdc->peer_pdcid;
	nack->payload = pending->payload;
	pdc->stats.tx_nack++;
}

/* UE 1.0.1 3.5.16: a Probe may request where the SACK starts. */
static void answer_poll_probed(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 base = rx->answers->probe.psn;

	if (!uet_psn_within(base, rx->cack + 1, rx->end))
		base = answer_sack_base(rx, rx->end);
	rx->probed = false;
	answer_build_ack(pdc, &rx->answers->probe, base, out, now);
	out->hdr.flags |= UET_F_P;
	out->hdr.u.ack.ack_off = 0;
	out->hdr.u.ack.probe_opaque = rx->answers->probe_opaque;
}

static void answer_poll_coalesced(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 base;

	base = rx->sack_pending ? answer_pending_sack_base(rx) :
			  answer_sack_base(rx, rx->answers->trigger.psn);
	answer_build_ack(pdc, &rx->answers->trigger, base, out, now);
	if (!rx->answers->trigger.is_cp)
		answer_add_rsp(&rx->answers->trigger_rsp, rx->answers->trigger.psn, out);
	rx->ack_now = rx->sack_pending;
	rx->ack_at = UET_NEVER;
	rx->ack_gen = 0;
	rx->answers->trigger.ce = false;
}

/*
 * UE 1.0.1 3.5.21: the ACKs of a ROD PDC leave in the order of their PSNs, so an ACK of a
 * single packet does not overtake the coalesced ACK of earlier packets, due or not.
 */
static bool answer_has_earlier(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u32 own = uet_psn_map_next_set(&rx->own, rx->cack + 1, rx->end);

	return pdc->mode == UET_PDC_ROD && uet_psn_before(rx->answers->trigger.psn, own) &&
	       (rx->ack_now || rx->ack_at != UET_NEVER);
}

/*
 * The SACK of requests behind a gap goes before the NACK that reports the gap: the sender
 * then knows that they are kept.
 */
static bool answer_has_gap(const struct uet_pdc *pdc)
{
	return pdc->mode == UET_PDC_ROD && pdc->rx.nr_ooo && pdc->rx.ack_now;
}

bool uet_pdc_poll_answer(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	if (pdc->rx.nr_own ? answer_has_earlier(pdc) : answer_has_gap(pdc))
		answer_poll_coalesced(pdc, tx, now);
	else if (pdc->rx.nr_own)
		answer_poll_own(pdc, tx, now);
	else if (pdc->rx.nr_nacks)
		answer_poll_nack(pdc, tx);
	else if (pdc->rx.probed)
		answer_poll_probed(pdc, tx, now);
	else if (pdc->rx.ack_now)
		answer_poll_coalesced(pdc, tx, now);
	else
		return false;
	return true;
}
