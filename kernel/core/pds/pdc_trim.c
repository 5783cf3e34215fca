// SPDX-License-Identifier: GPL-2.0
/*
 * Trimmed packets: a switch without buffer space for a request forwarded its
 * first bytes instead of dropping the packet.  The header identifies the lost
 * packet, and a NACK makes the sender retransmit without waiting for the RTO. A
 * trimmed packet has no trailer to verify.  It therefore changes only the idle
 * time and the credit demand, and no answer to it closes a PDC.
 *
 * Implements UE 1.0.1 3.6.4.4 and 4.1, the endpoint's part.  Level: core L4.
 */
#include "pdc.h"
#include "pdc_credit.h"
#include "pdc_early.h"

/* The drop reason of a trimmed packet that is not a request. */
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
 * uet_pds_trimmed() - decode the header of a trimmed packet
 * @buf: PDS header and the bytes behind it
 * @len: number of bytes
 * @hdr: result: the header of a request without SYN
 *
 * Switches forward UET_TRIM_LEN bytes; the bytes behind them are undefined.
 *
 * Return: UET_DROP_NONE if the caller is to pass @hdr to uet_pdc_rx_trimmed().
 *	TRIMMED_SYN: a trimmed packet must not open a PDC.  TRIMMED_ACK,
 *	TRIMMED_NACK, TRIMMED_CP, TRIMMED_OTHER: these are never answered.
 *	Otherwise the result of uet_wire_pds_decode().
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
 * @hdr: header from uet_pds_trimmed()
 * @in: reception attributes
 * @nack_code: UET_NACK_TRIMMED or UET_NACK_TRIMMED_LASTHOP
 * @now: monotonic time, ns
 *
 * A packet that would be accepted is answered with @nack_code, in ROD also one before
 * its turn: the rest of a trimmed packet overtakes others.  A duplicate, or a packet out
 * of the window, gets the answer of a complete packet: this is the information that the
 * sender needs.  The caller runs the run loop next.
 *
 * Return: TRIMMED, with a NACK pending; or BAD_STATE, PDCID_MISMATCH,
 *	MODE_MISMATCH, FAR_BELOW_WINDOW, OUT_OF_WINDOW, DUPLICATE.
 * Spec: UE 1.0.1 3.6.4.4, 3.5.12.7.
 */
enum uet_drop uet_pdc_rx_trimmed(struct uet_pdc *pdc,
				 const struct uet_pds_hdr *hdr,
				 const struct uet_rx_info *in, u8 nack_code,
				 u64 now)
{
	const struct uet_req *req = &hdr->u.req;
	struct uet_pdc_echo echo = uet_pdc_echo_of(hdr, in, now);
	bool wants_rod = pdc->mode == UET_PDC_ROD;
	enum uet_drop why;

	if (!uet_pdc_has_window(pdc))
		return UET_DROP_NO_MEMORY;
	/*
	 * A PENDING target answers only SYNs: any other answer would disclose
	 * our PDCID.
	 */
	if (!uet_pdc_allows(pdc, UET_PDC_EV_RX_PSN) ||
	    uet_pdc_allows(pdc, UET_PDC_EV_STARTED))
		return UET_DROP_BAD_STATE;
	if (req->spdcid != pdc->peer_pdcid || req->dpdcid != pdc->local_pdcid)
		return UET_DROP_PDCID_MISMATCH;
	if (uet_wire_ty(hdr->type)->is_rod != wants_rod)
		return UET_DROP_MODE_MISMATCH;
	uet_pdc_heard(pdc, now);
	uet_pdc_credit_rx_target(pdc, hdr, true);
	why = uet_pdc_rx_admit_any(pdc, &echo, false);
	if (why)
		return why;
	uet_pdc_pend_nack(pdc, &echo, nack_code, 0);
	return UET_DROP_TRIMMED;
}
