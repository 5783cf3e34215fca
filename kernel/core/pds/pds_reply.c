// SPDX-License-Identifier: GPL-2.0
/*
 * Packets without a PDC, as pure functions of the packet.  The owner decides whether to create a
 * PDC or to execute a RUDI request, and how often to answer unknown peers.  The target of RUDI
 * keeps no state, so the answer to a copy of a request is built like the first answer.
 *
 * Implements UE 1.0.1 3.5.8.2 (target, before allocation), the NACKs with spdcid 0 and with NT of
 * 3.5.12.7, 3.5.10.9 (RUDI response), 3.6.4.4 and 4.1.  Level: core L4.
 */
#include "rudi.h"

/* A NACK names a PSN, so only a packet with a PSN is answered. */
static bool reply_has_psn(const struct uet_pds_hdr *hdr, u32 *psn, u16 *spdcid)
{
	switch (uet_wire_ty(hdr->type)->kind) {
	case UET_TK_REQ:
		*psn = hdr->u.req.psn;
		*spdcid = hdr->u.req.spdcid;
		return true;
	case UET_TK_CP:
		*psn = hdr->u.cp.psn;
		*spdcid = hdr->u.cp.spdcid;
		return uet_wire_ctl(hdr->next_hdr)->takes_psn ||
		       hdr->next_hdr == UET_CP_ACK_REQUEST;
	default:
		return false;
	}
}

/*
 * uet_pds_reply_no_pdc() - refuse a packet for which there is no PDC
 * @nack_code: UET_NACK_INV_DPDCID for a dpdcid not in use, UET_NACK_PDC_HDR_MISMATCH for a
 *	dpdcid of another peer, UET_NACK_NO_PDC_AVAIL and similar codes for a SYN
 *
 * ACKs and NACKs are never answered, so two endpoints cannot enter an endless exchange.
 * Return: false if the packet gets no answer, and @tx is undefined.
 */
bool uet_pds_reply_no_pdc(const struct uet_pds_hdr *hdr, const struct uet_rx_info *in, u8 nack_code,
			  struct uet_pdc_tx *tx)
{
	struct uet_nack *nack = &tx->hdr.u.nack;
	u16 spdcid;
	u32 psn;

	memset(tx, 0, sizeof(*tx));
	if (!reply_has_psn(hdr, &psn, &spdcid))
		return false;
	tx->kind = UET_TX_NACK;
	tx->ev = in->ev;
	tx->hdr.type = UET_TY_NACK;
	tx->hdr.next_hdr = UET_NH_NONE;
	tx->hdr.flags = (in->ce ? UET_F_M : 0) | (hdr->flags & UET_F_RETX);
	nack->code = nack_code;
	nack->psn = psn;
	nack->dpdcid = spdcid;
	return true;
}

/*
 * uet_pds_opens_pdc() - would this packet open a PDC?  The results are unchanged if not
 *
 * UE 1.0.1 3.5.8.2: a request, NOOP or NEGOTIATION with SYN; Start_PSN = psn - psn_offset.
 */
bool uet_pds_opens_pdc(const struct uet_pds_hdr *hdr, enum uet_pdc_mode *mode, u16 *peer_pdcid,
		       u32 *start_psn)
{
	const struct uet_ty_prop *ty = uet_wire_ty(hdr->type);

	if (!(hdr->flags & UET_F_SYN))
		return false;
	if (ty->kind == UET_TK_REQ) {
		*mode = ty->is_rod ? UET_PDC_ROD : UET_PDC_RUD;
		*peer_pdcid = hdr->u.req.spdcid;
		*start_psn = hdr->u.req.psn - hdr->u.req.psn_offset;
		return true;
	}
	if (ty->kind == UET_TK_CP && uet_wire_ctl(hdr->next_hdr)->may_syn) {
		*mode = hdr->flags & UET_F_ISROD ? UET_PDC_ROD : UET_PDC_RUD;
		*peer_pdcid = hdr->u.cp.spdcid;
		*start_psn = hdr->u.cp.psn - hdr->u.cp.psn_offset;
		return true;
	}
	return false;
}

/*
 * uet_pds_wants_reserved() - does a packet that opens a PDC ask for the reserved pool?
 *
 * UE 1.0.1 Table 3-33 (use_rsv_pdc).  Implementations disagree on the bit of pdc_info that
 * has this meaning, and use no other bit, so any set bit counts.
 */
bool uet_pds_wants_reserved(const struct uet_pds_hdr *hdr)
{
	return uet_wire_ty(hdr->type)->kind == UET_TK_CP ? hdr->u.cp.pdc_info : hdr->u.req.pdc_info;
}

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

/*
 * uet_pds_trimmed() - decode the header of a trimmed packet
 * @hdr: result: the header of a request without SYN, for uet_pdc_rx_trimmed()
 *
 * Switches forward UET_TRIM_LEN bytes; the bytes behind them are undefined.  A trimmed
 * packet must not open a PDC, and only a request is answered.
 */
enum uet_drop uet_pds_trimmed(const u8 *buf, size_t len, struct uet_pds_hdr *hdr)
{
	enum uet_drop why = UET_DROP_NONE;
	size_t used;

	if (len)
		why = trim_kind(uet_wire_type(buf));
	if (!why)
		why = uet_wire_pds_decode(buf, min_t(size_t, len, UET_TRIM_LEN), hdr, &used);
	if (!why && hdr->flags & UET_F_SYN)
		why = UET_DROP_TRIMMED_SYN;
	return why;
}

/*
 * uet_rudi_reply() - build the answer to a RUDI request
 * @rsp: in any form; ignored with a @nack_code
 * @nack_code: not executed for lack of resources; 0: executed, or refused by SES
 * @tx: result; the caller appends the data that a response in a form with data announces
 *
 * UE 1.0.1 3.5.10.9: the same pkt_id; M reports CE, RETX is copied.  Answers are never
 * answered, so two endpoints cannot enter an endless exchange.
 * Return: false if @hdr is no RUDI request, and @tx is undefined.
 */
bool uet_rudi_reply(const struct uet_pds_hdr *hdr, const struct uet_rx_info *in,
		    const struct uet_ses_rsp *rsp, u8 nack_code, struct uet_pdc_tx *tx)
{
	memset(tx, 0, sizeof(*tx));
	if (hdr->type != UET_TY_RUDI_REQ)
		return false;
	if (nack_code) {
		/* UE 1.0.1 Table 3-40: with NT the PDCIDs are 0. */
		tx->kind = UET_TX_NACK;
		tx->hdr.type = UET_TY_NACK;
		tx->hdr.next_hdr = UET_NH_NONE;
		tx->hdr.flags = UET_F_NT;
		tx->hdr.u.nack.code = nack_code;
		tx->hdr.u.nack.psn = hdr->u.rudi.pkt_id;
	} else {
		tx->kind = UET_TX_ACK;
		tx->rsp = *rsp;
		tx->hdr.type = UET_TY_RUDI_RESP;
		tx->hdr.next_hdr = uet_wire_ses_rsp_nh(rsp);
		tx->hdr.u.rudi.pkt_id = hdr->u.rudi.pkt_id;
	}
	tx->ev = in->ev;
	tx->hdr.flags |= (in->ce ? UET_F_M : 0) | (hdr->flags & UET_F_RETX);
	return true;
}
