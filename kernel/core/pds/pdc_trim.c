// SPDX-License-Identifier: GPL-2.0
/*
 * Trimmed packets: a switch that had no space for a request let the first bytes
 * through instead of nothing.  They tell which packet was lost, and the NACK
 * that says so has it sent again a time-out earlier.  No trailer came with them
 * that could be checked, so they move nothing but the clock of idleness, and no
 * answer to them ends a PDC.
 *
 * Implements UE 1.0.1 3.6.4.4 and 4.1, the endpoint's part.  Level: core L4.
 */
#include "pdc.h"

/* Why a packet that is no request is not used. */
static enum uet_drop trim_kind(u8 type)
{
	switch (uet_wire_ty(type)->kind) {
	case UET_TK_ACK:
		return UET_DROP_TRIMMED_ACK;
	case UET_TK_NACK:
		return UET_DROP_TRIMMED_NACK;
	case UET_TK_CP:
		return UET_DROP_TRIMMED_CP;
	case UET_TK_ILLEGAL:
	case UET_TK_REQ:
		return UET_DROP_NONE;
	default:
		return UET_DROP_TRIMMED_OTHER;
	}
}

/**
 * uet_pds_trimmed() - what is to be believed of a trimmed packet
 * @buf: PDS header and whatever follows
 * @len: bytes there are
 * @hdr: result: the header of a request without SYN
 *
 * Switches leave UET_TRIM_LEN bytes; what is behind them may be anything.
 *
 * Context: Any.
 * Return: UET_DROP_NONE if uet_pdc_rx_trimmed() shall see it.  TRIMMED_SYN: it
 *	must not open a PDC.  TRIMMED_ACK, TRIMMED_NACK, TRIMMED_CP,
 *	TRIMMED_OTHER: nobody answers these.  Or what uet_wire_pds_decode()
 *	says of the header.
 * Spec: UE 1.0.1 3.6.4.4, 4.1.
 */
enum uet_drop uet_pds_trimmed(const u8 *buf, size_t len,
			      struct uet_pds_hdr *hdr)
{
	enum uet_drop why = UET_DROP_NONE;
	size_t used;

	if (len)
		why = trim_kind(uet_wire_type(buf));
	if (!why)
		why = uet_wire_pds_decode(buf, min_t(size_t, len, UET_TRIM_LEN),
					  hdr, &used);
	if (!why && hdr->flags & UET_F_SYN)
		why = UET_DROP_TRIMMED_SYN;
	return why;
}

/**
 * uet_pdc_rx_trimmed() - a request arrived trimmed
 * @pdc: PDC, found by the header's dpdcid
 * @hdr: from uet_pds_trimmed()
 * @in: how it arrived
 * @nack_code: UET_NACK_TRIMMED or UET_NACK_TRIMMED_LASTHOP
 * @now: monotonic time, ns
 *
 * A packet that would be taken is answered by @nack_code; one that was received
 * before, is out of the window or out of order as if it were whole: that is
 * what the sender needs to know.  To be followed by the run loop.
 *
 * Context: Any; the caller serialises per @pdc.
 * Return: TRIMMED, and a NACK is owed; or BAD_STATE, PDCID_MISMATCH,
 *	MODE_MISMATCH, FAR_BELOW_WINDOW, OUT_OF_WINDOW, DUPLICATE, ROD_OOO.
 * Spec: UE 1.0.1 3.6.4.4, 3.5.12.7.
 */
enum uet_drop uet_pdc_rx_trimmed(struct uet_pdc *pdc,
				 const struct uet_pds_hdr *hdr,
				 const struct uet_rx_info *in, u8 nack_code,
				 u64 now)
{
	const struct uet_req *req = &hdr->u.req;
	struct uet_pdc_echo echo = {
		.psn = req->psn,
		.at = uet_pdc_echo_at(now),
		.ev = in->ev,
		.ce = in->ce,
		.retx = hdr->flags & UET_F_RETX,
	};
	bool wants_rod = pdc->mode == UET_PDC_ROD;
	enum uet_drop why;

	/* PENDING, only a SYN says anything: an answer would tell our PDCID. */
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_PSN) ||
	    uet_pdc_allows(pdc, UET_PDC_EV_STARTED))
		return UET_DROP_BAD_STATE;
	if (req->spdcid != pdc->peer_pdcid || req->dpdcid != pdc->local_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	if (uet_wire_ty(hdr->type)->is_rod != wants_rod)
		return UET_DROP_MODE_MISMATCH;
	pdc->active_ns = now;
	uet_pdc_credit_rx_target(pdc, hdr, true);
	why = uet_pdc_rx_admit(pdc, &echo, false);
	if (why)
		return why;
	uet_pdc_pend_nack(pdc, &echo, nack_code, 0);
	return UET_DROP_TRIMMED;
}
