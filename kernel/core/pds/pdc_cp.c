// SPDX-License-Identifier: GPL-2.0
/*
 * Received control packets.  NOOP, NEGOTIATION, CLOSE_COMMAND and CLOSE_REQUEST take PSNs and go
 * through the windows like requests; the other types do not.  A type that only the other end may
 * send is refused.
 *
 * Implements UE 1.0.1 3.5.16, 3.6.14 and the target's part of 3.5.8.3.  Level: core L4.
 */
#include "pdc.h"

/* A control packet has no response, but its PSN is tracked as any other. */
static enum uet_drop cp_take(struct uet_pdc *pdc, const struct uet_pdc_echo *echo, bool syn)
{
	static const struct uet_pdc_rsp none = { .rc = UET_RC_OK, .is_cp = true };
	enum uet_drop why = uet_pdc_rx_admit(pdc, echo, syn);

	if (!why) {
		uet_pdc_rx_take(pdc, echo, &none);
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
	if (uet_pdc_early_has(pdc, echo->psn))
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

	for (psn = pdc->tx.una; psn != pdc->tx.write_seq; psn++)
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
	uet_pdc_rx_clear(pdc, echo->psn);
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
		return uet_pdc_rx_clear(pdc, cp->payload);
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

/**
 * uet_pdc_rx_cp() - a control packet arrived
 * @pdc: found as for a request, or with dpdcid 0 as by a SYN
 */
enum uet_drop uet_pdc_rx_cp(struct uet_pdc *pdc, const struct uet_pds_hdr *hdr,
			    const struct uet_rx_info *in, u64 now)
{
	const struct uet_cp *cp = &hdr->u.cp;
	struct uet_pdc_from from = {
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
	why = uet_pdc_rx_ids(pdc, &from, &echo, now);
	if (why)
		return why;
	pdc->stats.rx_cp++;
	why = cp_dispatch(pdc, hdr, &echo, now);
	if (!uet_pdc_is_over(pdc))
		uet_pdc_gtd_watch(pdc, now);
	return why;
}

/**
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

/**
 * uet_pdc_grant_credit() - make a Credit of 24 bits to the source pending
 */
void uet_pdc_grant_credit(struct uet_pdc *pdc, u32 value)
{
	pdc->credit.value = value & UET_CREDIT_MAX;
	pdc->credit.is_pending = true;
}
