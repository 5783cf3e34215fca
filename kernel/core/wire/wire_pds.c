// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes and encodes struct uet_pds_hdr for every packet type.  The codec rejects
 * contradictions inside one header.  Checks that need a PDC (PSN ranges, PDCID look-up,
 * states) belong to PDS.
 *
 * Spec: UE 1.0.1 3.5.10, 3.5.16, 3.6.9.  Level: core L1.
 */
#include "wire.h"

/* Prologue, UE 1.0.1 3.5.10.2: type, next_hdr or ctl_type, flags. */
#define PDS_TYPE	0xf800
#define PDS_NEXT_HDR	0x0780
#define PDS_FLAGS	0x007f

/* Word that carries dpdcid or, with SYN, pdc_info and psn_offset. */
#define PDS_SYN_INFO	0xf000
#define PDS_SYN_OFFSET	0x0fff

/* ack_cc_state of CC_NSCC, byte 2. */
#define PDS_NSCC_RC	0x80
#define PDS_NSCC_PEND	0x7f

/* Bytes of ack_cc_state in an ACK_CC, and of ack_ccx_state in an ACK_CCX. */
#define PDS_CC_STATE	8
#define PDS_CCX_STATE	16

static enum uet_drop pds_get_req(const u8 *buf, struct uet_pds_hdr *hdr)
{
	struct uet_req *req = &hdr->u.req;
	u16 dst = get_unaligned_be16(buf + 10);

	req->clear_off = (s16)get_unaligned_be16(buf + 2);
	req->psn = get_unaligned_be32(buf + 4);
	req->spdcid = get_unaligned_be16(buf + 8);
	if (hdr->flags & UET_F_SYN) {
		req->pdc_info = FIELD_GET(PDS_SYN_INFO, dst);
		req->psn_offset = FIELD_GET(PDS_SYN_OFFSET, dst);
	} else {
		req->dpdcid = dst;
	}
	if (uet_wire_ty(hdr->type)->has_cc) {
		req->ccc_id = buf[12];
		req->credit_target = get_unaligned_be24(buf + 13);
	}
	return req->spdcid ? UET_DROP_NONE : UET_DROP_PDCID_ZERO;
}

static size_t pds_put_req(const struct uet_pds_hdr *hdr, u8 *buf)
{
	const struct uet_req *req = &hdr->u.req;
	bool has_cc = uet_wire_ty(hdr->type)->has_cc;
	bool syn = hdr->flags & UET_F_SYN;

	if (!req->spdcid || (has_cc && req->credit_target > UET_CREDIT_MAX))
		return 0;
	if (syn && (req->pdc_info > UET_PDC_INFO_MAX || req->psn_offset > UET_PSN_OFFSET_MAX))
		return 0;

	put_unaligned_be16((u16)req->clear_off, buf + 2);
	put_unaligned_be32(req->psn, buf + 4);
	put_unaligned_be16(req->spdcid, buf + 8);
	put_unaligned_be16(syn ? req->pdc_info << 12 | req->psn_offset : req->dpdcid, buf + 10);
	if (!has_cc)
		return UET_REQ_LEN;
	buf[12] = req->ccc_id;
	put_unaligned_be24(req->credit_target, buf + 13);
	return UET_REQ_CC_LEN;
}

/* UE 1.0.1 Tables 3-74 and 3-75; @p is the 64-bit state of an ACK_CC. */
static void pds_get_cc_state(const u8 *p, struct uet_ack *ack)
{
	switch (ack->cc_type) {
	case UET_CC_NSCC:
		ack->state.nscc.service_time = get_unaligned_be16(p);
		ack->state.nscc.restore_cwnd = p[2] & PDS_NSCC_RC;
		ack->state.nscc.rcv_cwnd_pend = p[2] & PDS_NSCC_PEND;
		ack->state.nscc.rcvd_bytes = get_unaligned_be24(p + 3);
		ack->state.nscc.ooo_count = get_unaligned_be16(p + 6);
		break;
	case UET_CC_CREDIT:
		ack->state.credit.credit = get_unaligned_be24(p);
		ack->state.credit.ooo_count = get_unaligned_be16(p + 6);
		break;
	default:
		memcpy(ack->state.raw, p, PDS_CC_STATE);
		break;
	}
}

static bool pds_put_cc_state(const struct uet_ack *ack, u8 *p)
{
	const struct uet_ack_nscc *nscc = &ack->state.nscc;

	switch (ack->cc_type) {
	case UET_CC_NSCC:
		if (nscc->rcv_cwnd_pend > UET_CWND_PEND_MAX ||
		    nscc->rcvd_bytes > UET_RCVD_BYTES_MAX)
			return false;
		put_unaligned_be16(nscc->service_time, p);
		p[2] = (nscc->restore_cwnd ? PDS_NSCC_RC : 0) | nscc->rcv_cwnd_pend;
		put_unaligned_be24(nscc->rcvd_bytes, p + 3);
		put_unaligned_be16(nscc->ooo_count, p + 6);
		return true;
	case UET_CC_CREDIT:
		if (ack->state.credit.credit > UET_CREDIT_MAX)
			return false;
		put_unaligned_be24(ack->state.credit.credit, p);
		put_unaligned_be16(ack->state.credit.ooo_count, p + 6);
		return true;
	default:
		memcpy(p, ack->state.raw, PDS_CC_STATE);
		return true;
	}
}

static enum uet_drop pds_get_ack(const u8 *buf, struct uet_pds_hdr *hdr)
{
	struct uet_ack *ack = &hdr->u.ack;

	if (hdr->flags & UET_F_P)
		ack->probe_opaque = get_unaligned_be16(buf + 2);
	else
		ack->ack_off = (s16)get_unaligned_be16(buf + 2);
	ack->cack_psn = get_unaligned_be32(buf + 4);
	ack->spdcid = get_unaligned_be16(buf + 8);
	ack->dpdcid = get_unaligned_be16(buf + 10);
	if (uet_wire_ty(hdr->type)->has_cc) {
		ack->cc_type = buf[12] >> 4;
		ack->cc_flags = buf[12] & 0x0f;
		ack->mpr = buf[13];
		ack->sack_off = (s16)get_unaligned_be16(buf + 14);
		ack->sack_bitmap = get_unaligned_be64(buf + 16);
	}
	if (hdr->type == UET_TY_ACK_CC)
		pds_get_cc_state(buf + 24, ack);
	else if (hdr->type == UET_TY_ACK_CCX)
		memcpy(ack->state.raw, buf + 24, PDS_CCX_STATE);
	return ack->spdcid ? UET_DROP_NONE : UET_DROP_PDCID_ZERO;
}

static size_t pds_put_ack(const struct uet_pds_hdr *hdr, u8 *buf)
{
	const struct uet_ack *ack = &hdr->u.ack;

	if (!ack->spdcid)
		return 0;
	put_unaligned_be16(hdr->flags & UET_F_P ? ack->probe_opaque : (u16)ack->ack_off, buf + 2);
	put_unaligned_be32(ack->cack_psn, buf + 4);
	put_unaligned_be16(ack->spdcid, buf + 8);
	put_unaligned_be16(ack->dpdcid, buf + 10);
	if (hdr->type == UET_TY_ACK)
		return UET_ACK_LEN;

	if (ack->cc_type > UET_CC_TYPE_MAX || ack->cc_flags > 0x0f)
		return 0;
	buf[12] = ack->cc_type << 4 | ack->cc_flags;
	buf[13] = ack->mpr;
	put_unaligned_be16((u16)ack->sack_off, buf + 14);
	put_unaligned_be64(ack->sack_bitmap, buf + 16);
	if (hdr->type == UET_TY_ACK_CC)
		return pds_put_cc_state(ack, buf + 24) ? UET_ACK_CC_LEN : 0;
	memcpy(buf + 24, ack->state.raw, PDS_CCX_STATE);
	return UET_ACK_CCX_LEN;
}

static enum uet_drop pds_get_nack(const u8 *buf, struct uet_pds_hdr *hdr)
{
	struct uet_nack *nack = &hdr->u.nack;

	nack->code = buf[2];
	nack->vendor = buf[3];
	nack->psn = get_unaligned_be32(buf + 4);
	nack->spdcid = get_unaligned_be16(buf + 8);
	nack->dpdcid = get_unaligned_be16(buf + 10);
	nack->payload = get_unaligned_be32(buf + 12);
	if (hdr->type == UET_TY_NACK_CCX)
		memcpy(nack->ccx, buf + 16, sizeof(nack->ccx));
	return UET_DROP_NONE;
}

static size_t pds_put_nack(const struct uet_pds_hdr *hdr, u8 *buf)
{
	const struct uet_nack *nack = &hdr->u.nack;

	buf[2] = nack->code;
	buf[3] = nack->vendor;
	put_unaligned_be32(nack->psn, buf + 4);
	put_unaligned_be16(nack->spdcid, buf + 8);
	put_unaligned_be16(nack->dpdcid, buf + 10);
	put_unaligned_be32(nack->payload, buf + 12);
	if (hdr->type == UET_TY_NACK)
		return UET_NACK_LEN;
	memcpy(buf + 16, nack->ccx, sizeof(nack->ccx));
	return UET_NACK_CCX_LEN;
}

/* UE 1.0.3 defines a feature mask for Negotiation; earlier, payload was reserved. */
static bool pds_cp_has_mask(const struct uet_pds_hdr *hdr)
{
	return hdr->next_hdr == UET_CP_NEGOTIATION &&
	       (hdr->u.cp.payload & UET_CP_PL_NEG_TLV) == UET_CP_NEG_ON_OFF;
}

static bool pds_cp_syn_is_legal(const struct uet_pds_hdr *hdr)
{
	return !(hdr->flags & UET_F_SYN) || uet_wire_ctl(hdr->next_hdr)->may_syn;
}

static enum uet_drop pds_get_cp(const u8 *buf, struct uet_pds_hdr *hdr)
{
	struct uet_cp *cp = &hdr->u.cp;
	u16 dst = get_unaligned_be16(buf + 10);

	if (!pds_cp_syn_is_legal(hdr))
		return UET_DROP_CP_SYN_ILLEGAL;
	cp->probe_opaque = get_unaligned_be16(buf + 2);
	cp->psn = get_unaligned_be32(buf + 4);
	cp->spdcid = get_unaligned_be16(buf + 8);
	if (hdr->flags & UET_F_SYN) {
		cp->pdc_info = FIELD_GET(PDS_SYN_INFO, dst);
		cp->psn_offset = FIELD_GET(PDS_SYN_OFFSET, dst);
	} else {
		cp->dpdcid = dst;
	}
	return cp->spdcid ? UET_DROP_NONE : UET_DROP_PDCID_ZERO;
}

/* Some senders omit the part behind the first 12 bytes: it reads as 0. */
static enum uet_drop pds_get_cp_payload(const u8 *buf, size_t len, struct uet_pds_hdr *hdr,
					size_t *consumed)
{
	struct uet_cp *cp = &hdr->u.cp;

	if (len == UET_CP_SHORT_LEN) {
		*consumed = UET_CP_SHORT_LEN;
		return UET_DROP_NONE;
	}
	cp->payload = get_unaligned_be32(buf + 12);
	if (!pds_cp_has_mask(hdr)) {
		*consumed = UET_CP_LEN;
		return UET_DROP_NONE;
	}
	if (len < UET_CP_NEG_LEN)
		return UET_DROP_TRUNC_CP_NEG;
	cp->neg_mask = get_unaligned_be32(buf + 16);
	*consumed = UET_CP_NEG_LEN;
	return UET_DROP_NONE;
}

static size_t pds_put_cp(const struct uet_pds_hdr *hdr, u8 *buf, size_t space)
{
	const struct uet_cp *cp = &hdr->u.cp;
	bool syn = hdr->flags & UET_F_SYN;

	if (!cp->spdcid || !pds_cp_syn_is_legal(hdr))
		return 0;
	if (syn && (cp->pdc_info > UET_PDC_INFO_MAX || cp->psn_offset > UET_PSN_OFFSET_MAX))
		return 0;
	if (pds_cp_has_mask(hdr) && space < UET_CP_NEG_LEN)
		return 0;

	put_unaligned_be16(cp->probe_opaque, buf + 2);
	put_unaligned_be32(cp->psn, buf + 4);
	put_unaligned_be16(cp->spdcid, buf + 8);
	put_unaligned_be16(syn ? cp->pdc_info << 12 | cp->psn_offset : cp->dpdcid, buf + 10);
	put_unaligned_be32(cp->payload, buf + 12);
	if (!pds_cp_has_mask(hdr))
		return UET_CP_LEN;
	put_unaligned_be32(cp->neg_mask, buf + 16);
	return UET_CP_NEG_LEN;
}

/* Checks that need only the prologue and the length. */
static enum uet_drop pds_check(const struct uet_pds_hdr *hdr, size_t len)
{
	const struct uet_ty_prop *ty = uet_wire_ty(hdr->type);

	if (ty->kind == UET_TK_ILLEGAL)
		return hdr->type == UET_TY_TSS ? UET_DROP_TSS_INSIDE : UET_DROP_BAD_TYPE;
	if (!(ty->nh_mask & BIT(hdr->next_hdr))) {
		if (ty->kind == UET_TK_CP)
			return UET_DROP_RESERVED_CTL_TYPE;
		if (uet_wire_nh(hdr->next_hdr)->kind == UET_NK_ILLEGAL)
			return UET_DROP_RESERVED_NEXT_HDR;
		return UET_DROP_ILLEGAL_NEXT_HDR;
	}
	if (len < ty->len && !(ty->kind == UET_TK_CP && len == UET_CP_SHORT_LEN))
		return ty->truncated;
	return UET_DROP_NONE;
}

/*
 * uet_wire_pds_decode() - read one PDS header (UE 1.0.1 3.5.10)
 * The caller ignores bytes behind a header with next_hdr 0, because some implementations append
 * state to closing ACKs.  On error @hdr is unspecified.
 */
enum uet_drop uet_wire_pds_decode(const u8 *buf, size_t len,
				  struct uet_pds_hdr *hdr, size_t *consumed)
{
	const struct uet_ty_prop *ty;
	enum uet_drop why;
	u16 word;

	memset(hdr, 0, sizeof(*hdr));
	if (len < UET_PROLOGUE_LEN)
		return UET_DROP_TRUNC_PROLOGUE;
	word = get_unaligned_be16(buf);
	hdr->type = FIELD_GET(PDS_TYPE, word);
	hdr->next_hdr = FIELD_GET(PDS_NEXT_HDR, word);
	ty = uet_wire_ty(hdr->type);
	hdr->flags = FIELD_GET(PDS_FLAGS, word) & ty->flags;

	why = pds_check(hdr, len);
	if (why)
		return why;
	switch (ty->kind) {
	case UET_TK_REQ:
		why = pds_get_req(buf, hdr);
		break;
	case UET_TK_ACK:
		why = pds_get_ack(buf, hdr);
		break;
	case UET_TK_NACK:
		why = pds_get_nack(buf, hdr);
		break;
	case UET_TK_CP:
		why = pds_get_cp(buf, hdr);
		return why ? why : pds_get_cp_payload(buf, len, hdr, consumed);
	case UET_TK_RUDI:
		hdr->u.rudi.pkt_id = get_unaligned_be32(buf + 4);
		break;
	}
	if (!why)
		*consumed = ty->len;
	return why;
}

/*
 * uet_wire_pds_encode() - write one PDS header (UE 1.0.1 3.5.10); on error @buf is unspecified
 */
size_t uet_wire_pds_encode(const struct uet_pds_hdr *hdr, u8 *buf, size_t space)
{
	const struct uet_ty_prop *ty = uet_wire_ty(hdr->type);

	if (ty->kind == UET_TK_ILLEGAL || space < ty->len ||
	    hdr->next_hdr >= UET_NH_NR ||
	    !(ty->nh_mask & BIT(hdr->next_hdr)) || hdr->flags & ~ty->flags)
		return 0;
	memset(buf, 0, ty->len);
	put_unaligned_be16(hdr->type << 11 | hdr->next_hdr << 7 | hdr->flags, buf);
	switch (ty->kind) {
	case UET_TK_REQ:
		return pds_put_req(hdr, buf);
	case UET_TK_ACK:
		return pds_put_ack(hdr, buf);
	case UET_TK_NACK:
		return pds_put_nack(hdr, buf);
	case UET_TK_CP:
		return pds_put_cp(hdr, buf, space);
	case UET_TK_RUDI:
		put_unaligned_be32(hdr->u.rudi.pkt_id, buf + 4);
		return UET_RUDI_LEN;
	}
	return UET_UUD_LEN;
}
