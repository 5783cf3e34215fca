// SPDX-License-Identifier: GPL-2.0
/*
 * Answers owed to the peer: ACKs of single packets, one coalesced ACK, NACKs,
 * and the answer to a Probe.  Debts are noted by the receive half and turned
 * into packets one by one when the caller polls; what an ACK says is read from
 * the receive half at that time, so a late one is never out of date.
 *
 * Implements UE 1.0.1 3.5.10.6 and 3.5.10.10 (contents), 3.5.12.2 (coalescing),
 * 3.5.12.5 (answers to duplicates), 3.5.16 (Probe) and 3.5.17 (responses PDS
 * makes itself).  Level: core L4.
 */
#include "pdc.h"
#include "pdc_cc.h"

/* PSNs behind the latest one to tell of that a SACK still covers, of 64. */
#define ANSWER_SACK_AHEAD	16

static const struct uet_pdc_rsp answer_default_rsp = {
	.form = UET_RSP_FORM_PLAIN,
	.opcode = UET_RSP_DEFAULT,
	.rc = UET_RC_OK,
};

/* A coalesced ACK will have to tell of this packet, if CACK_PSN does not. */
static void answer_note_sack(struct uet_pdc_rxh *rx, u32 psn)
{
	if (!uet_psn_after(psn, rx->cack))
		return;
	rx->sack_first =
		rx->sack_pending ? uet_psn_earlier(rx->sack_first, psn) : psn;
	rx->sack_last =
		rx->sack_pending ? uet_psn_later(rx->sack_last, psn) : psn;
	rx->sack_pending = true;
}

/*
 * The one coalesced ACK answers the latest packet, but a congestion mark that
 * was to be reported at once is not lost to one that came after it.
 */
static void answer_set_trigger(struct uet_pdc_rxh *rx,
			       const struct uet_pdc_echo *echo,
			       const struct uet_pdc_rsp *rsp)
{
	answer_note_sack(rx, echo->psn);
	if (rx->ack_now && rx->trigger.ce && !echo->ce)
		return;
	rx->trigger = *echo;
	rx->trigger_rsp = *rsp;
}

/**
 * uet_pdc_pend_ack() - owe a coalesced ACK now
 * @pdc: PDC
 * @echo: the packet it answers
 * @rsp: its response
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.2.
 */
void uet_pdc_pend_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
		      const struct uet_pdc_rsp *rsp)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	answer_set_trigger(rx, echo, rsp);
	rx->ack_now = true;
	rx->ack_at = UET_NEVER;
	rx->ack_gen = 0;
}

/**
 * uet_pdc_pend_ack_delayed() - owe a coalesced ACK when more came or time ran out
 * @pdc: PDC
 * @echo: the packet it answers
 * @rsp: its response
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.2.
 */
void uet_pdc_pend_ack_delayed(struct uet_pdc *pdc,
			      const struct uet_pdc_echo *echo,
			      const struct uet_pdc_rsp *rsp, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	answer_set_trigger(rx, echo, rsp);
	if (!rx->ack_now && rx->ack_at == UET_NEVER)
		rx->ack_at = now + pdc->cfg.ack_delay_ns;
}

/**
 * uet_pdc_pend_own_ack() - owe a received packet an ACK of its own
 * @pdc: PDC
 * @echo: the packet, not beyond the receive window
 * @rsp: its response if it is no longer kept, that is up to CACK_PSN; NULL for
 *	a default one
 *
 * Up to CACK_PSN any ACK answers it, so the coalesced one will do.
 * One that is owed already answers the latest copy of the packet, but a
 * congestion mark is not lost to a copy without one.
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.2, 3.5.12.5, 3.5.17.
 */
void uet_pdc_pend_own_ack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
			  const struct uet_pdc_rsp *rsp)
{
	struct uet_pdc_rxslot *slot = uet_pdc_rxslot(pdc, echo->psn);
	struct uet_pdc_rxh *rx = &pdc->rx;

	if (!uet_psn_after(echo->psn, rx->cack)) {
		uet_pdc_pend_ack(pdc, echo, rsp ? rsp : &answer_default_rsp);
		return;
	}
	if (uet_psn_map_set(&rx->own, echo->psn))
		rx->nr_own++;
	else if (slot->echo.ce && !echo->ce)
		return;
	slot->echo = *echo;
}

/**
 * uet_pdc_pend_nack() - owe a NACK
 * @pdc: PDC
 * @echo: the packet refused
 * @code: enum uet_nack_code
 * @payload: by @code, else 0
 *
 * One that finds no space is counted and forgotten: the peer's time-out covers
 * a NACK that is not sent just as one that is lost.
 *
 * Context: Any; the caller serialises per @pdc.
 * Spec: UE 1.0.1 3.5.12.7.
 */
void uet_pdc_pend_nack(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
		       u8 code, u32 payload)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	struct uet_pdc_pending_nack *nack;

	if (rx->nr_nacks == UET_PDC_NACKS) {
		pdc->stats.nack_overflow++;
		return;
	}
	nack = &rx->nacks[(rx->nack_first + rx->nr_nacks) % UET_PDC_NACKS];
	nack->echo = *echo;
	nack->code = code;
	nack->payload = payload;
	rx->nr_nacks++;
}

/**
 * uet_pdc_cancel_answers() - forget all answers owed
 * @pdc: PDC
 *
 * Context: Any; the caller serialises per @pdc.
 */
void uet_pdc_cancel_answers(struct uet_pdc *pdc)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	bitmap_zero(rx->own.bits, rx->own.size);
	rx->nr_own = 0;
	rx->nr_nacks = 0;
	rx->ack_now = false;
	rx->ack_at = UET_NEVER;
	rx->probed = false;
}

/**
 * uet_pdc_has_answer() - is an ACK or NACK owed now?
 * @pdc: PDC
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: true if uet_pdc_poll_answer() would yield one.
 */
bool uet_pdc_has_answer(const struct uet_pdc *pdc)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return rx->nr_own || rx->nr_nacks || rx->ack_now || rx->probed;
}

/**
 * uet_pdc_is_at_rest() - would the run loop find nothing to do now?
 * @pdc: PDC
 *
 * So it is with a target that receives and does not send, between two ACKs.  An
 * initiator has its end to think of.
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: true if no packet is owed and no outcome is to be told, and nothing is
 *	to happen before uet_pdc_deadline() unless SES or a packet brings it.
 */
bool uet_pdc_is_at_rest(const struct uet_pdc *pdc)
{
	return pdc->role == UET_PDC_TARGET && !uet_pdc_is_over(pdc) &&
	       pdc->tx.una_reported == pdc->tx.write_seq &&
	       !uet_pdc_has_answer(pdc) && !pdc->tx.clear_wanted &&
	       !pdc->rx.gtd_request_pending && !pdc->credit.is_pending;
}

/*
 * 64 of up to UET_PDC_WINDOW_MAX PSNs fit into a SACK: those before @last and a
 * few behind it.  SACKs of successive ACKs overlap: what one lost ACK hides,
 * the next one tells.
 */
static u32 answer_sack_base(const struct uet_pdc_rxh *rx, u32 last)
{
	u32 first = rx->cack + 1;
	u32 top = uet_psn_earlier(rx->end, last + ANSWER_SACK_AHEAD);

	if (rx->end - first <= UET_SACK_BITS)
		return first;
	return uet_psn_later(first, top - UET_SACK_BITS);
}

/* The SACK of a coalesced ACK; what it has no space for makes another one. */
static u32 answer_pending_sack_base(struct uet_pdc_rxh *rx)
{
	u32 first = uet_psn_later(rx->sack_first, rx->cack + 1);
	u32 base = uet_psn_earlier(first, answer_sack_base(rx, rx->sack_last));

	rx->sack_pending =
		uet_psn_after(rx->sack_last, base + UET_SACK_BITS - 1);
	rx->sack_first = base + UET_SACK_BITS;
	return base;
}

/* UE 1.0.1 Table 3-44: a target asks in its ACKs, an initiator never does. */
static u8 answer_req_flags(const struct uet_pdc *pdc)
{
	if (pdc->role != UET_PDC_TARGET)
		return 0;
	if (pdc->rx.nr_gtd)
		return UET_F_REQ_CLEAR;
	return pdc->state == UET_PDC_ST_CLOSE_WAIT ? UET_F_REQ_CLOSE : 0;
}

static void answer_build_ack(struct uet_pdc *pdc,
			     const struct uet_pdc_echo *echo, u32 sack_base,
			     struct uet_pdc_tx *out, u64 now)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	struct uet_ack *ack = &out->hdr.u.ack;

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
	ack->mpr = pdc->cfg.window / UET_MPR_UNIT;
	ack->sack_off = (s16)uet_psn_diff(sack_base, rx->cack);
	ack->sack_bitmap = uet_psn_sack_pack(&rx->rcvd, sack_base, rx->end);
	ack->state.nscc.service_time =
		uet_pdc_cc_service_time(pdc, echo->at, now);
	ack->state.nscc.rcvd_bytes = uet_cc_rcvd_units(rx->bytes);
	ack->state.nscc.ooo_count = rx->nr_ooo;
	uet_pdc_cc_advertise_space(pdc, &ack->state.nscc);
	pdc->stats.tx_ack++;
}

/* What a response has that comes with data; the message id is not ours to give. */
static void answer_add_data(const struct uet_pdc_rsp *rsp, u32 psn,
			    struct uet_ses_rsp *out)
{
	out->msg_id = 0;
	out->read_msg_id = rsp->msg_id;
	out->orig_psn = psn;
	out->payload_length = rsp->len;
	out->data = rsp->data;
}

static void answer_add_rsp(const struct uet_pdc_rsp *rsp, u32 psn,
			   struct uet_pdc_tx *out)
{
	out->rsp.form = rsp->form;
	out->rsp.list = rsp->list;
	out->rsp.opcode = rsp->opcode;
	out->rsp.rc = rsp->rc;
	out->rsp.msg_id = rsp->msg_id;
	out->rsp.ri_gen = rsp->ri_gen;
	out->rsp.job = rsp->job;
	out->rsp.modified_length = rsp->modified_length;
	if (rsp->form != UET_RSP_FORM_PLAIN)
		answer_add_data(rsp, psn, &out->rsp);
	out->hdr.next_hdr = uet_wire_ses_rsp_nh(&out->rsp);
}

static void answer_poll_own(struct uet_pdc *pdc, struct uet_pdc_tx *out,
			    u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 psn = uet_psn_map_next_set(&rx->own, rx->cack + 1, rx->end);
	const struct uet_pdc_rxslot *slot = uet_pdc_rxslot(pdc, psn);

	uet_psn_map_clear(&rx->own, psn);
	rx->nr_own--;
	answer_build_ack(pdc, &slot->echo, answer_sack_base(rx, psn), out, now);
	if (!slot->echo.is_cp)
		answer_add_rsp(&slot->rsp, slot->echo.psn, out);
}

static void answer_poll_nack(struct uet_pdc *pdc, struct uet_pdc_tx *out)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	const struct uet_pdc_pending_nack *owed = &rx->nacks[rx->nack_first];
	struct uet_nack *nack = &out->hdr.u.nack;

	rx->nack_first = (rx->nack_first + 1) % UET_PDC_NACKS;
	rx->nr_nacks--;
	out->kind = UET_TX_NACK;
	out->ev = owed->echo.ev;
	out->hdr.type = UET_TY_NACK;
	out->hdr.next_hdr = UET_NH_NONE;
	out->hdr.flags = (owed->echo.ce ? UET_F_M : 0) |
			 (owed->echo.retx ? UET_F_RETX : 0);
	nack->code = owed->code;
	nack->psn = owed->echo.psn;
	/* Nobody shall learn our PDCID and drop SYN before we are opened. */
	nack->spdcid = owed->code == UET_NACK_NEW_START_PSN ? 0 :
							      pdc->local_pdcid;
	nack->dpdcid = pdc->peer_pdcid;
	nack->payload = owed->payload;
	pdc->stats.tx_nack++;
}

/* UE 1.0.1 3.5.16: the Probe may say where the SACK shall begin. */
static void answer_poll_probed(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 base = rx->probe.psn;

	if (!uet_psn_within(base, rx->cack + 1, rx->end))
		base = answer_sack_base(rx, rx->end);
	rx->probed = false;
	answer_build_ack(pdc, &rx->probe, base, out, now);
	out->hdr.flags |= UET_F_P;
	out->hdr.u.ack.ack_off = 0;
	out->hdr.u.ack.probe_opaque = rx->probe_opaque;
}

static void answer_poll_coalesced(struct uet_pdc *pdc, struct uet_pdc_tx *out, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 base;

	base = rx->sack_pending ? answer_pending_sack_base(rx) :
			  answer_sack_base(rx, rx->trigger.psn);
	answer_build_ack(pdc, &rx->trigger, base, out, now);
	if (!rx->trigger.is_cp)
		answer_add_rsp(&rx->trigger_rsp, rx->trigger.psn, out);
	rx->ack_now = rx->sack_pending;
	rx->trigger.ce = false;
}

/**
 * uet_pdc_poll_answer() - build the next ACK or NACK that is owed
 * @pdc: PDC
 * @tx: result, zeroed by the caller
 * @now: monotonic time, ns
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: false if none is owed; @tx is unchanged then.
 */
bool uet_pdc_poll_answer(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	if (pdc->rx.nr_own)
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
