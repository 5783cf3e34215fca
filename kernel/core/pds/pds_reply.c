// SPDX-License-Identifier: GPL-2.0
/*
 * Packets without a PDC: whether a packet may open one, and the NACK to its
 * sender otherwise.  The functions depend on the packet only.  The owner
 * decides whether to create a PDC, and how often to answer unknown peers.
 *
 * Implements UE 1.0.1 3.5.8.2 (target, before allocation) and the NACKs with
 * spdcid 0 of 3.5.12.7.  Level: core L4.
 */
#include "pds.h"

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

/**
 * uet_pds_reply_no_pdc() - refuse a packet for which there is no PDC
 * @hdr: its decoded header
 * @in: reception attributes
 * @nack_code: the reason: UET_NACK_INV_DPDCID for a dpdcid not in use,
 *	UET_NACK_PDC_HDR_MISMATCH for a dpdcid of another peer,
 *	UET_NACK_NO_PDC_AVAIL and similar codes for a SYN
 * @tx: result
 *
 * ACKs and NACKs are never answered, so two endpoints cannot enter an endless
 * exchange.
 *
 * Return: true if @tx is to be sent to the source of the packet; false if the
 *	packet gets no answer, and the contents of @tx are undefined.
 * Spec: UE 1.0.1 3.5.12.7: spdcid is 0, dpdcid the packet's spdcid.
 */
bool uet_pds_reply_no_pdc(const struct uet_pds_hdr *hdr,
			  const struct uet_rx_info *in, u8 nack_code,
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

/**
 * uet_pds_opens_pdc() - would this packet open a PDC?
 * @hdr: its decoded header
 * @mode: result: mode of the PDC
 * @peer_pdcid: result: PDCID of the initiator
 * @start_psn: result: first PSN of both directions
 *
 * Return: true for a request, NOOP or NEGOTIATION with SYN; the results are
 *	unchanged otherwise.
 * Spec: UE 1.0.1 3.5.8.2: Start_PSN = psn - psn_offset.
 */
bool uet_pds_opens_pdc(const struct uet_pds_hdr *hdr, enum uet_pdc_mode *mode,
		       u16 *peer_pdcid, u32 *start_psn)
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

/**
 * uet_pds_wants_reserved() - does a SYN request a PDC of the reserved pool?
 * @hdr: decoded header of a packet for which uet_pds_opens_pdc() is true
 *
 * Implementations disagree on the bit of pdc_info that has this meaning, and
 * use no other bit.  Any set bit therefore counts.
 *
 * Return: true if the packet requests a reserved PDC.
 * Spec: UE 1.0.1 Table 3-33 (use_rsv_pdc).
 */
bool uet_pds_wants_reserved(const struct uet_pds_hdr *hdr)
{
	return uet_wire_ty(hdr->type)->kind == UET_TK_CP ? hdr->u.cp.pdc_info :
							   hdr->u.req.pdc_info;
}
