// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets: processing those received and building those sent.  NOOP,
 * NEGOTIATION, CLOSE_COMMAND and CLOSE_REQUEST take PSNs and go through the
 * windows like requests; the other types do not.  A type that only the other
 * end may send is refused.  Credit and Credit Requests go to congestion
 * control, or to the owner's pacer.
 *
 * Implements UE 1.0.1 3.5.16 and the target's part of 3.5.8.3.
 * Level: core L4.
 */
#include "pdc.h"
#include "pdc_credit.h"
#include "pdc_early.h"
#include "pdc_cc.h"

/*
 * Build a control packet.
 * @psn: PSN of the control packet, or the PSN it asks about, or 0
 *
 * Spec: UE 1.0.1 Table 3-38.
 */
void uet_pdc_cp_build(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u8 ctl_type,
		      u32 psn)
{
	struct uet_cp *cp = &tx->hdr.u.cp;

	tx->kind = UET_TX_CP;
	tx->ev = pdc->ev.last;
	tx->hdr.type = UET_TY_CP;
	tx->hdr.next_hdr = ctl_type;
	cp->psn = psn;
	cp->spdcid = pdc->local_pdcid;
	cp->dpdcid = pdc->peer_pdcid;
}

static void cp_build_ask(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u32 psn)
{
	uet_pdc_cp_build(pdc, tx, UET_CP_ACK_REQUEST, psn);
	tx->hdr.flags = UET_F_AR;
	pdc->stats.tx_cp++;
}

/*
 * Build the next pending ACK_REQUEST.
 * Return: false if none is pending; @tx is unchanged then.
 * Spec: UE 1.0.1 3.5.15.
 */
bool uet_pdc_cp_poll_ask(struct uet_pdc *pdc, struct uet_pdc_tx *tx)
{
	struct uet_pdc_slot *slot;
	u32 psn;

	if (!pdc->tx.nr_ack_requests)
		return false;
	for (psn = pdc->tx.una; psn != pdc->tx.nxt; psn++) {
		slot = uet_pdc_slot(pdc, psn);
		if (slot->asks)
			break;
	}
	slot = uet_pdc_slot(pdc, psn);
	slot->asks = false;
	pdc->tx.nr_ack_requests--;
	cp_build_ask(pdc, tx, psn);
	return true;
}

/* Note that a packet with CLEAR_PSN was built. */
void uet_pdc_cp_clear_sent(struct uet_pdc *pdc)
{
	pdc->tx.clear_sent = pdc->tx.una - 1;
	pdc->tx.clear_wanted = false;
}

/*
 * Build a CLEAR_COMMAND if one is pending.
 * @pdc: PDC, not over, with no request to send
 *
 * If the window stays closed, CLEAR_PSN is repeated first.  An ACK_REQUEST
 * follows, and its answer brings the CACK_PSN that opens the window.
 *
 * Return: false if nothing is pending; @tx is unchanged then.
 * Spec: UE 1.0.1 3.5.11.4, 3.5.16.3.
 */
bool uet_pdc_cp_poll_clear(struct uet_pdc *pdc, struct uet_pdc_tx *tx, u64 now)
{
	struct uet_pdc_txh *txh = &pdc->tx;
	bool stalled = uet_pdc_tx_is_stalled(pdc);

	if (stalled && txh->stall == UET_STALL_NEW) {
		txh->stall = UET_STALL_CLEARED;
		txh->clear_wanted = true;
	}
	if (txh->clear_wanted) {
		uet_pdc_cp_build(pdc, tx, UET_CP_CLEAR_COMMAND, 0);
		tx->hdr.u.cp.payload = txh->una - 1;
		pdc->stats.tx_cp++;
		uet_pdc_cp_clear_sent(pdc);
		return true;
	}
	if (!stalled || txh->stall == UET_STALL_ACK_REQUESTED)
		return false;
	txh->stall = UET_STALL_ACK_REQUESTED;
	cp_build_ask(pdc, tx, txh->una - 1);
	uet_pdc_rto_start(pdc, now);
	return true;
}

/* A control packet has no response, but its PSN is tracked as any other. */
static enum uet_drop cp_take(struct uet_pdc *pdc,
			     const struct uet_pdc_echo *echo, bool syn)
{
	static const struct uet_pdc_rsp none = { .rc = UET_RC_OK, .is_cp = true };
	enum uet_drop why = uet_pdc_rx_admit(pdc, echo, syn);

	if (!why) {
		uet_pdc_rx_take(pdc, echo, &none);
		uet_pdc_pend_own_ack(pdc, echo, NULL);
	}
	return why;
}

/*
 * UE 1.0.1 3.5.16: a packet that was received is answered with its ACK, any
 * other with a NACK.
 */
static enum uet_drop cp_rx_ack_request(struct uet_pdc *pdc,
				       const struct uet_pdc_echo *echo)
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
 * Requests of the return direction are outstanding.  The target's own
 * CLOSE_REQUEST does not count: it may stay unanswered.
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
 * UE 1.0.1 3.5.16.4: only the other end may send this type.  The NACK is fatal
 * for a peer that did.
 */
static enum uet_drop cp_refuse(struct uet_pdc *pdc,
			       const struct uet_pdc_echo *echo)
{
	uet_pdc_pend_nack(pdc, echo, UET_NACK_UNEXP_EVENT, 0);
	return UET_DROP_UNEXPECTED_CP;
}

/*
 * UE 1.0.1 3.5.8.3: the initiator has all its answers, which clears all stored
 * responses.  The initiator sends CLOSE_COMMAND only after everything before it
 * was acknowledged.  With return packets outstanding CLOSE_COMMAND is refused,
 * and not recorded as received: a NACK has to name a packet that is unanswered
 * at its sender.
 */
static enum uet_drop cp_rx_close_command(struct uet_pdc *pdc,
					 const struct uet_pdc_echo *echo,
					 u64 now)
{
	enum uet_drop why;

	if (!uet_pdc_allows(pdc, UET_PDC_EV_CLOSE_CMD))
		return cp_refuse(pdc, echo);
	if (uet_psn_after(echo->psn, pdc->rx.base))
		return UET_DROP_BAD_STATE;
	if (echo->psn == pdc->rx.base && cp_is_busy(pdc)) {
		uet_pdc_end_in(pdc, UET_PDC_ERR_PROTOCOL, 0);
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
static enum uet_drop cp_rx_close_request(struct uet_pdc *pdc,
					 const struct uet_pdc_echo *echo,
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
static enum uet_drop cp_rx_probe(struct uet_pdc *pdc,
				 const struct uet_pdc_echo *echo,
				 const struct uet_cp *cp)
{
	pdc->rx.probed = true;
	pdc->rx.answers->probe = *echo;
	pdc->rx.answers->probe.psn = cp->payload;
	pdc->rx.answers->probe_opaque = cp->probe_opaque;
	return UET_DROP_NONE;
}

/*
 * UE 1.0.3 3.5.16.7.1: a feature is on when both ends offer it.  The ACK is the
 * only answer: a NEGOTIATION in return would start an endless exchange.
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

/*
 * UE 1.0.1 3.5.10.2: ISROD is the mode of the PDC that the packet may open.  Without SYN
 * the packet opens no PDC, and the flag has no meaning.
 */
static bool cp_fits_mode(const struct uet_pdc *pdc, u8 flags)
{
	enum uet_pdc_mode mode = flags & UET_F_ISROD ? UET_PDC_ROD : UET_PDC_RUD;

	return !(flags & UET_F_SYN) || mode == pdc->mode;
}

static enum uet_drop cp_dispatch(struct uet_pdc *pdc,
				 const struct uet_pds_hdr *hdr,
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
		return uet_pdc_credit_rx_request(pdc, cp->payload);
	default:
		return UET_DROP_UNSUPPORTED;
	}
}

/*
 * RX_PSN is the event of types that take a PSN of their own; ACK_REQUEST names
 * an older PSN.
 */
static enum uet_pdc_event cp_event(u8 ctl_type)
{
	return uet_wire_ctl(ctl_type)->takes_psn ? UET_PDC_EV_RX_PSN :
						   UET_PDC_EV_RX_CP;
}

/**
 * uet_pdc_rx_cp() - a control packet arrived
 * @pdc: PDC, found as for a request, or with dpdcid 0 as by a SYN
 * @hdr: its decoded header
 * @in: reception attributes
 * @now: monotonic time, ns
 *
 * The caller runs the run loop next.
 *
 * Return: UET_DROP_NONE, or the reason why the packet was dropped: BAD_STATE,
 *	PDCID_MISMATCH, BAD_SYN, MODE_MISMATCH, BAD_CLEAR_PSN, UNSUPPORTED (a
 *	credit packet without credit in use here), UNEXPECTED_CP (only the other
 *	end may send it), and for types that take a PSN the values of
 *	uet_pdc_rx_req().
 * Spec: UE 1.0.1 3.5.16.
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
