// SPDX-License-Identifier: GPL-2.0
/*
 * The receive half: checks whether a request or control packet belongs to the PDC, is in the
 * window and is new.  Keeps the received PSNs and the responses stored until cleared.  SES
 * decides about a request through accept and refuse; pdc_ack_sched.c schedules the answers.
 *
 * Implements UE 1.0.1 3.5.8.2 (SYN), 3.5.11.4 (CLEAR_PSN, guaranteed delivery), 3.5.12.2
 * (expected window, when to ACK), 3.5.12.5 (duplicates), 3.5.16 and 3.6.14 (control packets),
 * 3.5.21 (order in ROD), the target's part of 3.5.8.3, and the endpoint's part of 3.6.4.4 and
 * 4.1 (trimmed packets).  Level: core L4.
 */
#include "pdc.h"

/* Most bytes that a sender of bursts waits for an ACK of. */
#define RX_BURST_ACK_BYTES	262144u

/* UE 1.0.1 Table 3-28: the largest ACK_Gen_Trigger that all senders expect. */
#define RX_JOINED_ACK_BYTES	32768u

/* The addressing of a request or control packet; @psn_offset with SYN, @dpdcid without. */
struct rx_from {
	u32 psn;
	u16 spdcid, dpdcid, psn_offset;
	u8 flags;
	bool is_cp;
};

bool uet_pdc_rx_has(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return uet_psn_before(psn, rx->base) ||
	       (uet_psn_before(psn, rx->end) && uet_psn_map_test(&rx->rcvd, psn));
}

/*
 * UE 1.0.1 3.5.11.4: clear the stored responses up to a PSN; CLEAR_PSN never moves back.
 * BAD_CLEAR_PSN: that PSN was never received.
 */
static enum uet_drop rx_clear(struct uet_pdc *pdc, u32 clear_psn)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 psn;

	if (!uet_psn_before(clear_psn, rx->base))
		return UET_DROP_BAD_CLEAR_PSN;
	if (!uet_psn_after(clear_psn, rx->clear))
		return UET_DROP_NONE;
	rx->clear = clear_psn;
	for (psn = rx->cack + 1; !uet_psn_after(psn, clear_psn); psn++) {
		if (!uet_psn_map_clear(&rx->gtd, psn))
			continue;
		rx->nr_gtd--;
		if (uet_psn_map_clear(&rx->own, psn))
			rx->nr_own--;
	}
	uet_pdc_rx_raise_cack(pdc);
	return UET_DROP_NONE;
}

/*
 * An initiator that has not learnt our PDCID sends dpdcid 0 in the control packets that
 * cannot carry SYN.
 */
static bool rx_is_of_opener(const struct uet_pdc *pdc, const struct rx_from *from)
{
	return from->is_cp && !from->dpdcid && pdc->role == UET_PDC_TARGET;
}

/*
 * UE 1.0.1 3.5.8.2: check the PDCIDs of a request or control packet.  SYN may arrive late
 * and repeatedly, but only at the target, and with the Start_PSN of the PDC.
 */
static enum uet_drop rx_check_ids(struct uet_pdc *pdc, const struct rx_from *from,
				  const struct uet_pdc_echo *echo, u64 now)
{
	if (from->spdcid != pdc->peer_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	if (from->flags & UET_F_SYN) {
		if (pdc->role != UET_PDC_TARGET ||
		    !uet_pdc_start_rx_syn(pdc, from->psn - from->psn_offset, echo, now))
			return UET_DROP_BAD_SYN;
		if (from->psn - from->psn_offset != pdc->start_psn) {
			/* UE 1.0.1 3.5.10.10: a NACK for a packet that has no PDC names none. */
			struct uet_pdc_echo foreign = *echo;

			foreign.is_foreign = true;
			uet_pdc_pend_nack(pdc, &foreign, UET_NACK_INVALID_SYN, 0);
			return UET_DROP_BAD_SYN;
		}
	} else if (rx_is_of_opener(pdc, from)) {
		if (pdc->state == UET_PDC_ST_PENDING)
			return UET_DROP_BAD_STATE;
	} else {
		if (from->dpdcid != pdc->local_pdcid)
			return UET_DROP_PDCID_MISMATCH;
		if (!uet_pdc_event(pdc, UET_PDC_EV_RX_NOSYN, now) && pdc->role == UET_PDC_TARGET)
			return UET_DROP_BAD_STATE;
	}
	uet_pdc_heard(pdc, now);
	uet_pdc_close_later(pdc, now);
	return UET_DROP_NONE;
}

/*
 * Requests of a ROD PDC that arrive before an earlier one are early.  A NACK reports the gap,
 * once.  If the owner keeps an early request until those before it have arrived, its PSN is
 * reported as received, and the sender retransmits what is missing only.  A request that is not
 * kept is lost, and the sender goes back to it.
 */
static bool early_has(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return pdc->mode == UET_PDC_ROD && !uet_psn_before(psn, rx->base) &&
	       uet_pdc_rx_has(pdc, psn);
}

/*
 * One NACK for each gap, and another one when a retransmission behind it shows that the
 * sender has gone back, and that the expected packet was lost again.  If the NACK is lost,
 * the sender has the SACK, and its RTO.
 */
static void early_report_gap(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	bool is_known = rx->ooo_base == rx->base &&
			(!echo->retx || uet_psn_after(echo->psn, rx->ooo_psn));

	rx->ooo_psn = !is_known || echo->retx ? echo->psn : uet_psn_later(rx->ooo_psn, echo->psn);
	rx->ooo_base = rx->base;
	if (!is_known)
		uet_pdc_pend_nack(pdc, echo, UET_NACK_ROD_OOO, rx->base);
}

/* UE 1.0.1 3.5.12.5: only a retransmission is answered again. */
static enum uet_drop rx_duplicate(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	pdc->stats.rx_dup++;
	if (echo->retx && early_has(pdc, echo->psn)) {
		uet_pdc_pend_sack(pdc, echo);
		early_report_gap(pdc, echo);
	} else if (echo->retx) {
		uet_pdc_pend_own_ack(pdc, echo, NULL);
	}
	return UET_DROP_DUPLICATE;
}

/* UE 1.0.1 3.5.12.2: the expected window is CACK_PSN + 1 .. + MP_RANGE.  Any order will do. */
static enum uet_drop rx_admit_any(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, bool syn)
{
	s32 ahead = uet_psn_diff(echo->psn, pdc->rx.cack);
	s32 window = pdc->cfg->window;

	if (ahead <= -window) {
		if (syn)
			uet_pdc_pend_nack(pdc, echo, UET_NACK_INVALID_SYN, 0);
		return UET_DROP_FAR_BELOW_WINDOW;
	}
	if (ahead > window) {
		uet_pdc_pend_nack(pdc, echo, syn ? UET_NACK_INVALID_SYN :
						  UET_NACK_PSN_OOR_WINDOW, 0);
		return UET_DROP_OUT_OF_WINDOW;
	}
	if (uet_pdc_rx_has(pdc, echo->psn))
		return rx_duplicate(pdc, echo);
	return UET_DROP_NONE;
}

/*
 * Is a PSN in the window, new and in order?  A packet that is not gets an ACK (duplicate)
 * or a NACK, where the protocol calls for an answer.
 */
static enum uet_drop rx_admit(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, bool syn)
{
	enum uet_drop why = rx_admit_any(pdc, echo, syn);

	if (!why && pdc->mode == UET_PDC_ROD && echo->psn != pdc->rx.base) {
		pdc->stats.rx_ooo++;
		early_report_gap(pdc, echo);
		return UET_DROP_ROD_OOO;
	}
	return why;
}

/*
 * Record a PSN that was admitted as received, and store its response if delivery is
 * guaranteed.  The ACK of a response that is told once becomes pending.
 */
static void rx_take(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
		    const struct uet_pdc_rsp *rsp)
{
	struct uet_pdc_rxslot *slot = uet_pdc_rxslot(pdc, echo->psn);
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 old = rx->base, psn = echo->psn;

	uet_psn_map_set(&rx->rcvd, psn);
	slot->rsp = *rsp;
	if (uet_pdc_rsp_is_told_once(pdc, rsp)) {
		slot->echo = *echo;
		uet_psn_map_set(&rx->own, psn);
		rx->nr_own++;
		rx->none_psn = uet_psn_later(rx->none_psn, psn);
	} else if (uet_pdc_rsp_is_gtd(rsp->opcode)) {
		uet_psn_map_set(&rx->gtd, psn);
		rx->nr_gtd++;
	}
	rx->end = uet_psn_later(rx->end, psn + 1);
	/* A ROD PDC takes its requests in order; those behind @base are kept, not taken. */
	if (psn != old) {
		rx->nr_ooo++;
		return;
	}
	rx->base = pdc->mode == UET_PDC_ROD ? psn + 1 :
		   uet_psn_map_next_clear(&rx->rcvd, old, rx->end);
	rx->nr_ooo -= rx->base - old - 1;
	uet_pdc_rx_raise_cack(pdc);
}

static struct uet_pdc_echo rx_echo_of(const struct uet_pds_hdr *hdr, const struct uet_rx_info *in,
				      u64 now)
{
	return (struct uet_pdc_echo) {
		.psn = hdr->u.req.psn,
		.at = uet_pdc_echo_at(now),
		.ev = in->ev,
		.ce = in->ce,
		.retx = hdr->flags & UET_F_RETX,
	};
}

/*
 * UE 1.0.1 3.5.11.4: CLEAR_PSN is never above the PSN.  Some senders write the PSN itself,
 * before they can have the response: they have all responses before it.
 */
static u32 rx_clear_psn(const struct uet_pdc *pdc, const struct uet_req *req)
{
	if (req->clear_off)
		return req->psn + (u32)req->clear_off;
	return uet_psn_earlier(req->psn, pdc->rx.base) - 1;
}

/* Checks of a request before its PSN is examined. */
static enum uet_drop rx_check_req(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
				  const struct uet_pdc_echo *echo, u64 now)
{
	const struct uet_req *req = &hdr->u.req;
	struct rx_from from = {
		.psn = req->psn,
		.spdcid = req->spdcid,
		.dpdcid = req->dpdcid,
		.psn_offset = req->psn_offset,
		.flags = hdr->flags,
	};
	bool wants_rod = pdc->mode == UET_PDC_ROD;
	enum uet_drop why;

	if (!uet_pdc_has_window(pdc))
		return UET_DROP_NO_MEMORY;
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_PSN))
		return UET_DROP_BAD_STATE;
	why = rx_check_ids(pdc, &from, echo, now);
	if (why)
		return why;
	if (uet_wire_ty(hdr->type)->is_rod != wants_rod) {
		uet_pdc_pend_nack(pdc, echo, UET_NACK_PDC_MODE_MISMATCH, 0);
		return UET_DROP_MODE_MISMATCH;
	}
	return rx_clear(pdc, rx_clear_psn(pdc, req));
}

/*
 * A guaranteed response finds space.  The last place is reserved for the first missing PSN:
 * until it is received, no response behind it can be cleared.
 */
static bool rx_has_gtd_space(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;
	u16 max = pdc->cfg->max_gtd;

	if (!max || max == pdc->cfg->window)
		return true;
	return rx->nr_gtd + (psn != rx->base) < max;
}

/* Checks of a new request before SES processes it. */
static enum uet_drop rx_check_new(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_NEW)) {
		uet_pdc_pend_nack(pdc, echo, UET_NACK_CLOSING, 0);
		return UET_DROP_CLOSING;
	}
	if (!rx_has_gtd_space(pdc, echo->psn)) {
		uet_pdc_pend_nack(pdc, echo, UET_NACK_NO_GTD_DEL_AVAIL, 0);
		return UET_DROP_GTD_FULL;
	}
	return UET_DROP_NONE;
}

/*
 * UE 1.0.1 3.6.14.  A request that was trimmed, or found no space, carries a demand for
 * credit as well.
 */
static void rx_take_demand(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr, bool was_trimmed)
{
	struct uet_pdc_credit *credit = &pdc->credit;

	if (!credit->paces || !uet_wire_ty(hdr->type)->has_cc)
		return;
	credit->demand.target = hdr->u.req.credit_target;
	credit->demand.ccc_id = hdr->u.req.ccc_id;
	credit->demand.was_trimmed |= was_trimmed;
	credit->has_demand = true;
}

/*
 * uet_pdc_rx_req() - a RUD or ROD request arrived
 * @deliver: result, true exactly if UET_DROP_NONE is returned: SES must process the packet,
 *	see pds.h
 */
enum uet_drop uet_pdc_rx_req(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_rx_info *in, u64 now, bool *deliver)
{
	struct uet_pdc_echo echo = rx_echo_of(hdr, in, now);
	enum uet_drop why = rx_check_req(pdc, hdr, &echo, now);

	if (!why) {
		rx_take_demand(pdc, hdr, false);
		why = rx_admit(pdc, &echo, hdr->flags & UET_F_SYN);
	}
	if (!why)
		why = rx_check_new(pdc, &echo);
	uet_pdc_gtd_watch(pdc, now);
	*deliver = !why;
	return why;
}

static struct uet_pdc_rsp rx_compact_rsp(const struct uet_ses_rsp *rsp)
{
	struct uet_pdc_rsp compact = {
		.modified_length = rsp->modified_length,
		.job = rsp->job,
		.msg_id = rsp->msg_id,
		.list = rsp->list,
		.opcode = rsp->opcode,
		.rc = rsp->rc,
		.ri_gen = rsp->ri_gen,
		.form = rsp->form,
	};

	if (rsp->form == UET_RSP_FORM_PLAIN)
		return compact;
	compact.msg_id = rsp->read_msg_id;
	compact.len = min_t(u32, rsp->payload_length, UET_PDC_ACK_DATA_MAX);
	if (compact.len)
		memcpy(compact.data, rsp->data, compact.len);
	return compact;
}

/* UE 1.0.1 3.5.12.2: packets that are answered at once, with an ACK of their own. */
static bool rx_wants_own_ack(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			     const struct uet_rx_info *in, const struct uet_ses_rsp *rsp)
{
	return rsp->opcode != UET_RSP_DEFAULT ||
	       (hdr->flags & (UET_F_AR | UET_F_SYN)) ||
	       (in->ce && pdc->cfg->ack_on_ecn) || pdc->cfg->ack_per_pkt;
}

/*
 * ACK_Gen_Trigger of a packet.  A sender of bursts can track UET_PDC_WINDOW_MIN packets at
 * least, so an ACK for half of them does not hold it up; a smaller window asks for its
 * ACKs.  The congestion control of another sender, whose packets were joined here, needs
 * more.
 */
static u32 rx_ack_trigger(const struct uet_pdc *pdc, const struct uet_rx_info *in)
{
	u32 most = in->is_joined ? RX_JOINED_ACK_BYTES : RX_BURST_ACK_BYTES;
	u32 trigger = pdc->cfg->ack_gen_trigger;

	if (!in->in_burst)
		return trigger;
	return max(trigger, min(UET_PDC_WINDOW_MIN / 2 * in->bytes, most));
}

/*
 * Enough bytes arrived, or the gap before a packet with AR was filled: the ACK of the AR
 * packet did not cover the packets of that gap.
 */
static bool rx_wants_ack(const struct uet_pdc *pdc, const struct uet_rx_info *in, u32 old_base)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return rx->ack_gen >= rx_ack_trigger(pdc, in) ||
	       uet_psn_within(rx->ar_psn, old_base, rx->base);
}

/* UE 1.0.1 3.5.12.2.  Without bytes the packet was counted when it was kept. */
static void rx_count_bytes(struct uet_pdc *pdc, const struct uet_rx_info *in)
{
	if (!in->bytes)
		return;
	pdc->rx.bytes += in->bytes;
	pdc->rx.ack_gen += max(in->bytes, pdc->cfg->ack_gen_min_add);
}

/*
 * uet_pdc_rx_is_next() - were all packets sent before this one received?
 */
bool uet_pdc_rx_is_next(const struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
{
	return hdr->u.req.psn == pdc->rx.cack + 1;
}

/*
 * uet_pdc_rx_accept() - SES accepted the packet
 * @rsp: plain, or with up to UET_PDC_ACK_DATA_MAX bytes that answer a request of one packet
 */
void uet_pdc_rx_accept(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       const struct uet_rx_info *in, const struct uet_ses_rsp *rsp, u64 now)
{
	struct uet_pdc_echo echo = rx_echo_of(hdr, in, now);
	struct uet_pdc_rsp compact = rx_compact_rsp(rsp);
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 old_base = rx->base;
	bool fits = uet_psn_within(echo.psn, rx->base,
				   rx->cack + 1 + pdc->cfg->window) &&
		    !uet_pdc_rx_has(pdc, echo.psn);

	UET_ASSERT(fits);
	if (!fits)
		return;
	pdc->stats.rx_req++;
	if (echo.psn != rx->base)
		pdc->stats.rx_ooo++;
	if (hdr->flags & UET_F_AR)
		rx->ar_psn = uet_psn_later(rx->ar_psn, echo.psn);
	rx_count_bytes(pdc, in);
	rx_take(pdc, &echo, &compact);
	if (rx_wants_own_ack(pdc, hdr, in, rsp))
		uet_pdc_pend_own_ack(pdc, &echo, &compact);
	else if (rx_wants_ack(pdc, in, old_base))
		uet_pdc_pend_ack(pdc, &echo, &compact);
	else
		uet_pdc_pend_ack_delayed(pdc, &echo, &compact, now);
	uet_pdc_gtd_watch(pdc, now);
}

/*
 * uet_pdc_rx_refuse() - SES refused the packet, which counts as not received
 *
 * The peer retransmits it or fails the PDC, depending on @nack_code.
 */
void uet_pdc_rx_refuse(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
		       const struct uet_rx_info *in, u8 nack_code, u64 now)
{
	struct uet_pdc_echo echo = rx_echo_of(hdr, in, now);

	uet_pdc_heard(pdc, now);
	uet_pdc_pend_nack(pdc, &echo, nack_code, 0);
}

/*
 * uet_pdc_early_keep() - the owner keeps a request that uet_pdc_rx_req() dropped as ROD_OOO
 *
 * The owner keeps it until uet_pdc_early_is_due(), or until the PDC is over, at most one packet
 * for each PSN of the window.  UE 1.0.1 3.5.21: the SACK reports it as received.
 */
void uet_pdc_early_keep(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			const struct uet_rx_info *in, u64 now)
{
	struct uet_pdc_echo echo = rx_echo_of(hdr, in, now);
	struct uet_pdc_rxh *rx = &pdc->rx;
	bool is_first = !rx->nr_ooo;

	UET_ASSERT(pdc->mode == UET_PDC_ROD &&
		   uet_psn_within(echo.psn, rx->base + 1,
				  rx->cack + 1 + pdc->cfg->window));
	if (!uet_psn_map_set(&rx->rcvd, echo.psn))
		return;
	rx->nr_ooo++;
	rx->end = uet_psn_later(rx->end, echo.psn + 1);
	rx_count_bytes(pdc, in);
	if (is_first || (in->ce && pdc->cfg->ack_on_ecn) ||
	    pdc->cfg->ack_per_pkt || rx->ack_gen >= pdc->cfg->ack_gen_trigger)
		uet_pdc_pend_sack(pdc, &echo);
	else
		uet_pdc_pend_sack_delayed(pdc, &echo, now);
}

/*
 * uet_pdc_early_is_due() - is the request that is expected next kept?
 *
 * The owner asks after each packet that it passed to the PDC, and before the run loop.  If
 * so it passes the request with the lowest PSN to uet_pdc_early_take(), and then to
 * uet_pdc_rx_req().
 */
bool uet_pdc_early_is_due(const struct uet_pdc *pdc)
{
	return pdc->rx.nr_ooo && early_has(pdc, pdc->rx.base) && !uet_pdc_is_over(pdc);
}

/*
 * uet_pdc_early_take() - a kept request is passed to uet_pdc_rx_req() now
 * @in: as for uet_pdc_early_keep(); changed, because bytes and CE are reported already
 *
 * If the request is refused, its sender is told by a NACK as ever, and sends it again.
 */
void uet_pdc_early_take(struct uet_pdc *pdc, struct uet_rx_info *in)
{
	struct uet_pdc_rxh *rx = &pdc->rx;

	UET_ASSERT(uet_pdc_early_is_due(pdc));
	uet_psn_map_clear(&rx->rcvd, rx->base);
	rx->nr_ooo--;
	in->bytes = 0;
	in->ce = false;
}

/*
 * uet_pdc_rx_trimmed() - a switch without buffer space forwarded the first bytes of a request
 * @hdr: header from uet_pds_trimmed()
 * @code: UET_NACK_TRIMMED or UET_NACK_TRIMMED_LASTHOP
 *
 * The NACK makes the sender retransmit without waiting for the RTO, in ROD also for a packet
 * before its turn: the rest of a trimmed packet overtakes others.  A duplicate, or a packet out
 * of the window, gets the answer of a complete packet, because the sender needs that
 * information.  A trimmed packet has no trailer to verify, so it changes only the idle time and
 * the credit demand, and no answer to it closes a PDC.
 * Return: TRIMMED, with a NACK pending, or another reason.
 */
enum uet_drop uet_pdc_rx_trimmed(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
				 const struct uet_rx_info *in, u8 code, u64 now)
{
	const struct uet_req *req = &hdr->u.req;
	struct uet_pdc_echo echo = rx_echo_of(hdr, in, now);
	bool wants_rod = pdc->mode == UET_PDC_ROD;
	enum uet_drop why;

	if (!uet_pdc_has_window(pdc))
		return UET_DROP_NO_MEMORY;
	/* A PENDING target answers only SYNs: any other answer would disclose our PDCID. */
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_PSN) || uet_pdc_allows(pdc, UET_PDC_EV_STARTED))
		return UET_DROP_BAD_STATE;
	if (req->spdcid != pdc->peer_pdcid || req->dpdcid != pdc->local_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	if (uet_wire_ty(hdr->type)->is_rod != wants_rod)
		return UET_DROP_MODE_MISMATCH;
	uet_pdc_heard(pdc, now);
	rx_take_demand(pdc, hdr, true);
	why = rx_admit_any(pdc, &echo, false);
	if (why)
		return why;
	uet_pdc_pend_nack(pdc, &echo, code, 0);
	return UET_DROP_TRIMMED;
}

/*
 * uet_pdc_rx_may_run() - may packets that follow each other be accepted as a run?
 * @psn: PSN of the first of them
 *
 * Nothing is missing before this PSN, nothing is stored behind it, no response waits to be
 * cleared, and the window has the packet before.  A PDC that answers each packet takes no
 * runs.
 */
bool uet_pdc_rx_may_run(const struct uet_pdc *pdc, u32 psn)
{
	const struct uet_pdc_rxh *rx = &pdc->rx;

	return pdc->state == UET_PDC_ST_ESTABLISHED && !pdc->cfg->ack_per_pkt &&
	       psn == rx->base && rx->base == rx->end &&
	       rx->base == rx->cack + 1 && rx->base != rx->lent_psn;
}

/* Return: a coalesced ACK became due. */
static bool rx_count_run(struct uet_pdc *pdc, u32 n, const struct uet_rx_info *in)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	u32 add = max3(in->bytes, pdc->cfg->ack_gen_min_add, 1U);
	u32 trigger = rx_ack_trigger(pdc, in);
	u32 first;

	pdc->stats.rx_req += n;
	rx->bytes += (u64)n * in->bytes;
	if (rx->ack_gen + n * add < trigger) {
		rx->ack_gen += n * add;
		return false;
	}
	/* Each packet that reaches the trigger lets the count begin again. */
	first = trigger > rx->ack_gen ? DIV_ROUND_UP(trigger - rx->ack_gen, add) : 1;
	rx->ack_gen = (n - first) % max(DIV_ROUND_UP(trigger, add), 1U) * add;
	return true;
}

/*
 * uet_pdc_rx_run() - a run of requests with consecutive PSNs arrived, and SES accepted them
 * @clear_psn: CLEAR_PSN of the last one, before its PSN; none before had a later one
 * @in: of the last one; those before it have as many bytes, and none is marked CE
 *
 * uet_pdc_rx_may_run() is true.  Each packet has the PDCIDs and the type of the packet
 * before the run, and its response, which is not stored.  None has a flag.  The result is
 * that of uet_pdc_rx_req() and uet_pdc_rx_accept() for each packet.  Return: PSN of the
 * last packet.
 */
u32 uet_pdc_rx_run(struct uet_pdc *pdc, u32 n, u32 clear_psn, const struct uet_rx_info *in, u64 now)
{
	struct uet_pdc_rxh *rx = &pdc->rx;
	const struct uet_pdc_rsp rsp = uet_pdc_rxslot(pdc, rx->cack)->rsp;
	const struct uet_pdc_echo echo = {
		.psn = rx->cack + n,
		.at = uet_pdc_echo_at(now),
		.ev = in->ev,
	};
	u32 ack_gen;

	UET_ASSERT(n && uet_pdc_rx_may_run(pdc, rx->base) &&
		   uet_psn_before(clear_psn, rx->base + n));
	uet_pdc_heard(pdc, now);
	uet_pdc_close_later(pdc, now);
	rx->cack += n;
	rx->base += n;
	rx->end += n;
	rx->clear = uet_psn_later(rx->clear, clear_psn);
	uet_pdc_rxslot(pdc, rx->cack)->rsp = rsp;
	if (rx_count_run(pdc, n, in)) {
		ack_gen = rx->ack_gen;
		uet_pdc_pend_ack(pdc, &echo, &rsp);
		rx->ack_gen = ack_gen;
	} else {
		uet_pdc_pend_ack_delayed(pdc, &echo, &rsp, now);
	}
	uet_pdc_gtd_watch(pdc, now);
	return rx->cack;
}

/*
 * NOOP, NEGOTIATION, CLOSE_COMMAND and CLOSE_REQUEST take PSNs and go through the windows like
 * requests; the other control packets do not.  None has a response.
 */
static enum uet_drop cp_take(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, bool syn)
{
	static const struct uet_pdc_rsp none = { .rc = UET_RC_OK, .is_cp = true };
	enum uet_drop why = rx_admit(pdc, echo, syn);

	if (!why) {
		rx_take(pdc, echo, &none);
		uet_pdc_pend_own_ack(pdc, echo, NULL);
	}
	return why;
}

/* UE 1.0.1 3.5.16: a packet that was received is answered with its ACK, any other with a NACK. */
static enum uet_drop cp_rx_ack_request(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	s32 window = pdc->cfg->window;

	if (uet_psn_diff(echo->psn, pdc->rx.cack) <= -window)
		return UET_DROP_FAR_BELOW_WINDOW;
	if (early_has(pdc, echo->psn))
		uet_pdc_pend_sack(pdc, echo);
	else if (uet_pdc_rx_has(pdc, echo->psn))
		uet_pdc_pend_own_ack(pdc, echo, NULL);
	else
		uet_pdc_pend_nack(pdc, echo, UET_NACK_PKT_NOT_RCVD, 0);
	return UET_DROP_NONE;
}

/* UE 1.0.1 3.5.16.3: the peer seems to have missed our CLEAR_PSN. */
static enum uet_drop cp_rx_clear_request(struct uet_pdc *pdc, u32 psn)
{
	if (!uet_psn_before(psn, pdc->tx.nxt))
		return UET_DROP_BAD_CLEAR_PSN;
	if (uet_psn_before(psn, pdc->tx.una))
		pdc->tx.clear_wanted = true;
	return UET_DROP_NONE;
}

/*
 * Requests of the return direction are outstanding.  The target's own CLOSE_REQUEST does
 * not count: it may stay unanswered.
 */
static bool cp_is_busy(const struct uet_pdc *pdc)
{
	u32 psn;

	for (psn = pdc->tx.una; psn != pdc->tx.write_seq; psn += uet_pdc_slot(pdc, psn)->n)
		if (uet_pdc_slot(pdc, psn)->kind == UET_PDC_KIND_REQ)
			return true;
	return false;
}

/*
 * UE 1.0.1 3.5.16.4: only the other end may send this type.  The NACK is fatal for a peer
 * that did.
 */
static enum uet_drop cp_refuse(struct uet_pdc *pdc, const struct uet_pdc_echo *echo)
{
	uet_pdc_pend_nack(pdc, echo, UET_NACK_UNEXP_EVENT, 0);
	return UET_DROP_UNEXPECTED_CP;
}

/*
 * UE 1.0.1 3.5.8.3: the initiator sends CLOSE_COMMAND only after everything before it was
 * acknowledged.  It has all its answers, which clears all stored responses.  With return
 * packets outstanding CLOSE_COMMAND is refused, and not recorded as received: a NACK has to
 * name a packet that is unanswered at its sender.
 */
static enum uet_drop cp_rx_close_command(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
					 u64 now)
{
	enum uet_drop why;

	if (!uet_pdc_allows(pdc, UET_PDC_EV_CLOSE_CMD))
		return cp_refuse(pdc, echo);
	if (uet_psn_after(echo->psn, pdc->rx.base))
		return UET_DROP_BAD_STATE;
	if (echo->psn == pdc->rx.base && cp_is_busy(pdc)) {
		pdc->error = UET_PDC_ERR_PROTOCOL;
		pdc->nack_code = 0;
		uet_pdc_event(pdc, UET_PDC_EV_CLOSE_BUSY, now);
		return UET_DROP_NONE;
	}
	why = cp_take(pdc, echo, false);
	if (why)
		return why;
	rx_clear(pdc, echo->psn);
	uet_pdc_event(pdc, UET_PDC_EV_CLOSE_CMD, now);
	return UET_DROP_NONE;
}

/* UE 1.0.1 3.5.8.3 */
static enum uet_drop cp_rx_close_request(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
					 u64 now)
{
	enum uet_drop why;

	if (!uet_pdc_allows(pdc, UET_PDC_EV_PEER_CLOSE))
		return cp_refuse(pdc, echo);
	why = cp_take(pdc, echo, false);
	if (!why)
		uet_pdc_event(pdc, UET_PDC_EV_PEER_CLOSE, now);
	return why;
}

/* UE 1.0.1 3.5.16: only the latest of several Probes is answered. */
static enum uet_drop cp_rx_probe(struct uet_pdc *pdc, const struct uet_pdc_echo *echo,
				 const struct uet_cp *cp)
{
	pdc->rx.probed = true;
	pdc->rx.answers->probe = *echo;
	pdc->rx.answers->probe.psn = cp->payload;
	pdc->rx.answers->probe_opaque = cp->probe_opaque;
	return UET_DROP_NONE;
}

/*
 * UE 1.0.3 3.5.16.7.1: a feature is on when both ends offer it.  The ACK is the only
 * answer: a NEGOTIATION in return would start an endless exchange.
 */
static void cp_note_features(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr)
{
	const struct uet_cp *cp = &hdr->u.cp;

	if (hdr->next_hdr == UET_CP_NEGOTIATION &&
	    (cp->payload & UET_CP_PL_NEG_TLV) == UET_CP_NEG_ON_OFF)
		pdc->peer_features = cp->neg_mask;
}

/* UE 1.0.1 3.6.14 */
static enum uet_drop cp_rx_credit(struct uet_pdc *pdc, u32 payload, u64 now)
{
	if (!uet_ccc_advertises(pdc->cc.ccc))
		return UET_DROP_UNSUPPORTED;
	pdc->stats.rx_credit++;
	uet_pdc_cc_credit(pdc, FIELD_GET(UET_CP_PL_CREDIT, payload), now);
	return UET_DROP_NONE;
}

static enum uet_drop cp_rx_credit_request(struct uet_pdc *pdc, u32 payload)
{
	struct uet_pdc_credit *credit = &pdc->credit;

	if (!credit->paces)
		return UET_DROP_UNSUPPORTED;
	pdc->stats.rx_credit_req++;
	credit->demand.target = FIELD_GET(UET_CP_PL_TARGET, payload);
	credit->demand.ccc_id = (u8)FIELD_GET(UET_CP_PL_CCC_ID, payload);
	credit->demand.was_requested = true;
	credit->has_demand = true;
	return UET_DROP_NONE;
}

/*
 * UE 1.0.1 3.5.10.2: ISROD is the mode of the PDC that the packet may open.  Without SYN
 * the flag has no meaning.
 */
static bool cp_fits_mode(const struct uet_pdc *pdc, u8 flags)
{
	enum uet_pdc_mode mode = flags & UET_F_ISROD ? UET_PDC_ROD : UET_PDC_RUD;

	return !(flags & UET_F_SYN) || mode == pdc->mode;
}

static enum uet_drop cp_dispatch(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
				 const struct uet_pdc_echo *echo, u64 now)
{
	const struct uet_cp *cp = &hdr->u.cp;
	enum uet_drop why;

	switch (hdr->next_hdr) {
	case UET_CP_NOOP:
	case UET_CP_NEGOTIATION:
		if (!cp_fits_mode(pdc, hdr->flags))
			return UET_DROP_MODE_MISMATCH;
		why = cp_take(pdc, echo, hdr->flags & UET_F_SYN);
		if (!why)
			cp_note_features(pdc, hdr);
		return why;
	case UET_CP_ACK_REQUEST:
		return cp_rx_ack_request(pdc, echo);
	case UET_CP_CLEAR_COMMAND:
		return rx_clear(pdc, cp->payload);
	case UET_CP_CLEAR_REQUEST:
		return cp_rx_clear_request(pdc, cp->payload);
	case UET_CP_CLOSE_COMMAND:
		return cp_rx_close_command(pdc, echo, now);
	case UET_CP_CLOSE_REQUEST:
		return cp_rx_close_request(pdc, echo, now);
	case UET_CP_PROBE:
		return cp_rx_probe(pdc, echo, cp);
	case UET_CP_CREDIT:
		return cp_rx_credit(pdc, cp->payload, now);
	case UET_CP_CREDIT_REQUEST:
		return cp_rx_credit_request(pdc, cp->payload);
	default:
		return UET_DROP_UNSUPPORTED;
	}
}

/* ACK_REQUEST names an older PSN, so it takes none of its own. */
static enum uet_pdc_event cp_event(u8 ctl_type)
{
	return uet_wire_ctl(ctl_type)->takes_psn ? UET_PDC_EV_RX_PSN : UET_PDC_EV_RX_CP;
}

/*
 * uet_pdc_rx_cp() - a control packet arrived
 * @pdc: found as for a request, or with dpdcid 0 as by a SYN
 */
enum uet_drop uet_pdc_rx_cp(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			    const struct uet_rx_info *in, u64 now)
{
	const struct uet_cp *cp = &hdr->u.cp;
	struct rx_from from = {
		.psn = cp->psn,
		.spdcid = cp->spdcid,
		.dpdcid = cp->dpdcid,
		.psn_offset = cp->psn_offset,
		.flags = hdr->flags,
		.is_cp = true,
	};
	struct uet_pdc_echo echo = {
		.psn = cp->psn,
		.at = uet_pdc_echo_at(now),
		.ev = in->ev,
		.ce = in->ce,
		.retx = hdr->flags & UET_F_RETX,
		.is_cp = hdr->next_hdr != UET_CP_ACK_REQUEST,
	};
	enum uet_drop why;

	if (!uet_pdc_has_window(pdc))
		return UET_DROP_NO_MEMORY;
	if (!uet_pdc_allows(pdc, cp_event(hdr->next_hdr)))
		return UET_DROP_BAD_STATE;
	why = rx_check_ids(pdc, &from, &echo, now);
	if (why)
		return why;
	pdc->stats.rx_cp++;
	why = cp_dispatch(pdc, hdr, &echo, now);
	if (!uet_pdc_is_over(pdc))
		uet_pdc_gtd_watch(pdc, now);
	return why;
}

/*
 * uet_pdc_poll_demand() - take the pending credit demand of the source, for the pacer
 *
 * Credit is cumulative: the latest of several values is sufficient, and a lost value costs time
 * only.  Return: false if no demand arrived since the last call.
 */
bool uet_pdc_poll_demand(struct uet_pdc *pdc, struct uet_pdc_demand *demand)
{
	struct uet_pdc_credit *credit = &pdc->credit;

	if (!credit->has_demand)
		return false;
	*demand = credit->demand;
	memset(&credit->demand, 0, sizeof(credit->demand));
	credit->has_demand = false;
	return true;
}

/*
 * uet_pdc_grant_credit() - make a Credit of 24 bits to the source pending
 */
void uet_pdc_grant_credit(struct uet_pdc *pdc, u32 value)
{
	pdc->credit.value = value & UET_CREDIT_MAX;
	pdc->credit.is_pending = true;
}
