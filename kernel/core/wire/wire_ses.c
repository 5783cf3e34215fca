// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes and encodes struct uet_ses_req with its extension headers and struct uet_ses_rsp in
 * its three forms, and computes how many bytes of a message or of data a packet holds.  The
 * lengths are validated against header and packet together, so reassembly can add offsets
 * without checking for overflow again.  SES checks whether message, endpoint and key exist,
 * interprets return codes, and finds the request that belongs to a response.
 *
 * Spec: UE 1.0.1 3.4, Figures 3-9 to 3-20.  Level: core L1.
 */
#include "wire.h"

/* First two bytes of a request. */
#define SES_OPCODE	0x3f
#define SES_VERSION	0xc0
#define SES_DC		0x20
#define SES_IE		0x10
#define SES_REL		0x08
#define SES_HD		0x04
#define SES_EOM		0x02
#define SES_SOM		0x01

/* First two bytes of a response; opcode and version as in a request. */
#define RSP_LIST	0xc0
#define RSP_RC		0x3f

/* Low part of a 16-bit word that has reserved bits on top. */
#define SES_LEN14	0x3fff
#define SES_ID12	0x0fff

static bool ses_is_short(u8 form)
{
	return form == UET_SES_MEDIUM || form == UET_SES_SMALL;
}

/* No field holds the form; it follows from next_hdr, opcode and som. */
static u8 ses_form(u8 next_hdr, u8 opcode, bool som)
{
	u8 forms = uet_wire_op(opcode)->forms;

	if (next_hdr != UET_NH_REQ_STD)
		return uet_wire_nh(next_hdr)->form;
	if (forms & BIT(UET_SES_DEFER))
		return UET_SES_DEFER;
	if (forms & BIT(UET_SES_RTR))
		return UET_SES_RTR;
	return som ? UET_SES_STD : UET_SES_STD_NOSOM;
}

/* Does the header have payload_length and message_offset instead of header_data? */
static bool ses_has_segment(const struct uet_ses_req *req)
{
	return req->form == UET_SES_STD_NOSOM || (req->form == UET_SES_DEFER && !req->som);
}

/* Rules common to decode and encode; only @req->form is known to be valid. */
static enum uet_drop ses_req_check(const struct uet_ses_req *req)
{
	const struct uet_op_prop *op = uet_wire_op(req->opcode);

	if (req->version)
		return UET_DROP_SES_BAD_VERSION;
	if (!op->forms)
		return UET_DROP_SES_RESERVED_OPCODE;
	if (!(op->forms & BIT(req->form)))
		return UET_DROP_SES_OPCODE_FORM;
	if ((ses_is_short(req->form) || op->flags & UET_OPF_SINGLE) && !(req->som && req->eom))
		return UET_DROP_SES_NOT_SINGLE;
	return UET_DROP_NONE;
}

/* UE 1.0.1 3.4: the first 12 bytes are the same in every form. */
static void ses_get_common(u8 next_hdr, const u8 *buf, struct uet_ses_req *req)
{
	req->opcode = FIELD_GET(SES_OPCODE, buf[0]);
	req->version = FIELD_GET(SES_VERSION, buf[1]);
	req->dc = buf[1] & SES_DC;
	req->ie = buf[1] & SES_IE;
	req->rel = buf[1] & SES_REL;
	req->hd = buf[1] & SES_HD && next_hdr != UET_NH_REQ_SMALL;
	req->eom = buf[1] & SES_EOM;
	req->som = buf[1] & SES_SOM;
	if (next_hdr == UET_NH_REQ_STD)
		req->msg_id = get_unaligned_be16(buf + 2);
	else
		req->request_length = get_unaligned_be16(buf + 2) & SES_LEN14;
	req->ri_gen = buf[4];
	req->job = get_unaligned_be24(buf + 5);
	req->pid = get_unaligned_be16(buf + 8) & SES_ID12;
	req->ri = get_unaligned_be16(buf + 10) & SES_ID12;
	req->form = ses_form(next_hdr, req->opcode, req->som);
	/* Some senders set eom only in a packet without som. */
	if (req->form == UET_SES_STD && uet_wire_op(req->opcode)->flags & UET_OPF_SINGLE)
		req->eom = true;
}

static void ses_put_common(const struct uet_ses_req *req, u8 *buf)
{
	buf[0] = req->opcode;
	buf[1] = (req->dc ? SES_DC : 0) | (req->ie ? SES_IE : 0) |
		 (req->rel ? SES_REL : 0) | (req->hd ? SES_HD : 0) |
		 (req->eom ? SES_EOM : 0) | (req->som ? SES_SOM : 0);
	put_unaligned_be16(ses_is_short(req->form) ? req->request_length : req->msg_id, buf + 2);
	buf[4] = req->ri_gen;
	put_unaligned_be24(req->job, buf + 5);
	put_unaligned_be16(req->pid, buf + 8);
	put_unaligned_be16(req->ri, buf + 10);
}

/* Bytes 12 to 43 of the four forms behind next_hdr UET_NH_REQ_STD. */
static void ses_get_std(const u8 *buf, struct uet_ses_req *req)
{
	const u8 *tokens = NULL;

	if (req->form == UET_SES_DEFER)
		tokens = buf + 12;
	else
		req->offset = get_unaligned_be64(buf + 12);
	req->initiator = get_unaligned_be32(buf + 20);
	if (req->form == UET_SES_RTR)
		tokens = buf + 24;
	else
		req->match = get_unaligned_be64(buf + 24);
	if (tokens) {
		req->init_token = get_unaligned_be32(tokens);
		req->tgt_token = get_unaligned_be32(tokens + 4);
	}
	if (ses_has_segment(req)) {
		req->payload_length = get_unaligned_be16(buf + 34) & SES_LEN14;
		req->message_offset = get_unaligned_be32(buf + 36);
	} else {
		req->header_data = get_unaligned_be64(buf + 32);
	}
	req->request_length = get_unaligned_be32(buf + 40);
}

static void ses_put_std(const struct uet_ses_req *req, u8 *buf)
{
	u8 *tokens = NULL;

	if (req->form == UET_SES_DEFER)
		tokens = buf + 12;
	else
		put_unaligned_be64(req->offset, buf + 12);
	put_unaligned_be32(req->initiator, buf + 20);
	if (req->form == UET_SES_RTR)
		tokens = buf + 24;
	else
		put_unaligned_be64(req->match, buf + 24);
	if (tokens) {
		put_unaligned_be32(req->init_token, tokens);
		put_unaligned_be32(req->tgt_token, tokens + 4);
	}
	if (ses_has_segment(req)) {
		put_unaligned_be32(req->payload_length, buf + 32);
		put_unaligned_be32(req->message_offset, buf + 36);
	} else {
		put_unaligned_be64(req->header_data, buf + 32);
	}
	put_unaligned_be32(req->request_length, buf + 40);
}

/* UE 1.0.1 Figure 3-14: hd selects which of two fields the 64-bit slot holds. */
static void ses_get_medium(const u8 *buf, struct uet_ses_req *req)
{
	u64 slot = get_unaligned_be64(buf + 12);

	if (req->hd)
		req->header_data = slot;
	else
		req->offset = slot;
	req->initiator = get_unaligned_be32(buf + 20);
	req->match = get_unaligned_be64(buf + 24);
}

static void ses_put_medium(const struct uet_ses_req *req, u8 *buf)
{
	put_unaligned_be64(req->hd ? req->header_data : req->offset, buf + 12);
	put_unaligned_be32(req->initiator, buf + 20);
	put_unaligned_be64(req->match, buf + 24);
}

/*
 * uet_wire_amo_ext() - extension of an atomic (UE 1.0.1 Figures 3-16, 3-17); NONE: undefined opcode
 */
u8 uet_wire_amo_ext(u8 opcode)
{
	if (opcode >= UET_AMO_NR)
		return UET_EXT_NONE;
	return opcode >= UET_AMO_CSWAP && opcode <= UET_AMO_MSWAP ? UET_EXT_CSWAP : UET_EXT_AMO;
}

/* Decode the extension that the opcode implies; @len bytes are left at @p. */
static enum uet_drop ses_get_ext(const u8 *p, size_t len,
				 struct uet_ses_req *req, size_t *ext_len)
{
	struct uet_ses_amo *amo = &req->x.amo;
	struct uet_ses_rdv *rdv = &req->x.rdv;

	req->ext = uet_wire_op(req->opcode)->ext;
	*ext_len = 0;
	if (req->ext == UET_EXT_NONE)
		return UET_DROP_NONE;

	if (req->ext == UET_EXT_RDV) {
		if (len < UET_EXT_RDV_LEN)
			return UET_DROP_TRUNC_SES_RDV;
		rdv->eager_length = get_unaligned_be32(p);
		rdv->ri_gen = p[4];
		rdv->pid = get_unaligned_be16(p + 5) >> 4;
		rdv->ri = get_unaligned_be16(p + 6) & SES_ID12;
		rdv->offset = get_unaligned_be64(p + 8);
		rdv->key = get_unaligned_be64(p + 16);
		*ext_len = UET_EXT_RDV_LEN;
		return rdv->eager_length > req->request_length ?
		       UET_DROP_SES_RDV_EAGER : UET_DROP_NONE;
	}

	if (len < UET_EXT_AMO_LEN)
		return UET_DROP_TRUNC_SES_AMO;
	amo->opcode = p[0];
	amo->datatype = p[1];
	amo->control = p[2];
	req->ext = uet_wire_amo_ext(amo->opcode);
	*ext_len = UET_EXT_AMO_LEN;
	if (req->ext == UET_EXT_AMO)
		return UET_DROP_NONE;
	if (req->ext == UET_EXT_NONE)
		return UET_DROP_SES_RESERVED_AMO;
	if (len < UET_EXT_CSWAP_LEN)
		return UET_DROP_TRUNC_SES_CSWAP;
	memcpy(amo->compare, p + 4, sizeof(amo->compare));
	memcpy(amo->swap, p + 20, sizeof(amo->swap));
	*ext_len = UET_EXT_CSWAP_LEN;
	return UET_DROP_NONE;
}

/*
 * uet_wire_ext_len() - length of an extension header, bytes, a multiple of 4
 */
size_t uet_wire_ext_len(u8 ext)
{
	switch (ext) {
	case UET_EXT_RDV:
		return UET_EXT_RDV_LEN;
	case UET_EXT_AMO:
		return UET_EXT_AMO_LEN;
	case UET_EXT_CSWAP:
		return UET_EXT_CSWAP_LEN;
	}
	return 0;
}

static bool ses_ext_fits(const struct uet_ses_req *req)
{
	const struct uet_ses_rdv *rdv = &req->x.rdv;

	switch (uet_wire_op(req->opcode)->ext) {
	case UET_EXT_RDV:
		return req->ext == UET_EXT_RDV && rdv->pid <= UET_PID_MAX &&
		       rdv->ri <= UET_RI_MAX && rdv->eager_length <= req->request_length;
	case UET_EXT_AMO:
		return req->ext != UET_EXT_NONE &&
		       req->ext == uet_wire_amo_ext(req->x.amo.opcode);
	}
	return req->ext == UET_EXT_NONE;
}

static void ses_put_ext(const struct uet_ses_req *req, u8 *p)
{
	const struct uet_ses_amo *amo = &req->x.amo;
	const struct uet_ses_rdv *rdv = &req->x.rdv;

	switch (req->ext) {
	case UET_EXT_RDV:
		put_unaligned_be32(rdv->eager_length, p);
		p[4] = rdv->ri_gen;
		put_unaligned_be24((u32)rdv->pid << 12 | rdv->ri, p + 5);
		put_unaligned_be64(rdv->offset, p + 8);
		put_unaligned_be64(rdv->key, p + 16);
		break;
	case UET_EXT_CSWAP:
		memcpy(p + 4, amo->compare, sizeof(amo->compare));
		memcpy(p + 20, amo->swap, sizeof(amo->swap));
		fallthrough;
	case UET_EXT_AMO:
		p[0] = amo->opcode;
		p[1] = amo->datatype;
		p[2] = amo->control;
		p[3] = 0;
		break;
	}
}

/*
 * uet_wire_ses_req_decode() - read one SES request with its extension; message data follows
 * @next_hdr: enum uet_nh from the PDS header
 * @req: on error with at least 12 bytes the common part (opcode to ri, msg_id) is valid, so
 *	that a refused opcode or version can still be answered with a return code
 */
enum uet_drop uet_wire_ses_req_decode(u8 next_hdr, const u8 *buf, size_t len,
				      struct uet_ses_req *req, size_t *consumed)
{
	const struct uet_nh_prop *nh = uet_wire_nh(next_hdr);
	enum uet_drop why;
	size_t ext_len;

	memset(req, 0, sizeof(*req));
	if (nh->kind != UET_NK_REQ)
		return UET_DROP_SES_NOT_REQUEST;
	if (len < UET_SES_COMMON_LEN)
		return UET_DROP_TRUNC_SES_COMMON;
	ses_get_common(next_hdr, buf, req);
	why = ses_req_check(req);
	if (why)
		return why;
	if (len < nh->len)
		return nh->truncated;

	if (req->form == UET_SES_SMALL)
		req->offset = get_unaligned_be64(buf + 12);
	else if (req->form == UET_SES_MEDIUM)
		ses_get_medium(buf, req);
	else
		ses_get_std(buf, req);
	why = ses_get_ext(buf + nh->len, len - nh->len, req, &ext_len);
	if (!why)
		*consumed = nh->len + ext_len;
	return why;
}

/*
 * uet_wire_ses_req_nh() - next_hdr of a request form (UE 1.0.1 Table 3-16); NH_NONE: unknown
 */
u8 uet_wire_ses_req_nh(const struct uet_ses_req *req)
{
	if (req->form >= UET_SES_FORM_NR)
		return UET_NH_NONE;
	if (req->form == UET_SES_SMALL)
		return UET_NH_REQ_SMALL;
	return req->form == UET_SES_MEDIUM ? UET_NH_REQ_MEDIUM : UET_NH_REQ_STD;
}

/* Does every field fit the width that the form provides? */
static bool ses_req_fits(const struct uet_ses_req *req)
{
	u8 nh = uet_wire_ses_req_nh(req);

	if (nh == UET_NH_NONE || ses_req_check(req) ||
	    req->form != ses_form(nh, req->opcode, req->som))
		return false;
	if (req->job > UET_JOB_MAX || req->pid > UET_PID_MAX || req->ri > UET_RI_MAX)
		return false;
	if (ses_is_short(req->form) && req->request_length > UET_LEN14_MAX)
		return false;
	if (ses_has_segment(req) && req->payload_length > UET_LEN14_MAX)
		return false;
	if (req->form == UET_SES_SMALL && req->hd)
		return false;
	return ses_ext_fits(req);
}

/*
 * uet_wire_ses_req_encode() - write one SES request with its extension
 */
size_t uet_wire_ses_req_encode(const struct uet_ses_req *req, u8 *buf, size_t space)
{
	size_t base, len;

	if (!ses_req_fits(req))
		return 0;
	base = uet_wire_nh(uet_wire_ses_req_nh(req))->len;
	len = base + uet_wire_ext_len(req->ext);
	if (space < len)
		return 0;

	ses_put_common(req, buf);
	if (req->form == UET_SES_SMALL)
		put_unaligned_be64(req->offset, buf + 12);
	else if (req->form == UET_SES_MEDIUM)
		ses_put_medium(req, buf);
	else
		ses_put_std(req, buf);
	ses_put_ext(req, buf + base);
	return len;
}

/* Does the segment of this packet lie inside the message? */
static enum uet_drop ses_check_segment(const struct uet_ses_req *req, u32 segment)
{
	bool partial = uet_wire_op(req->opcode)->flags & UET_OPF_PARTIAL;
	u64 end = (u64)req->message_offset + segment;
	u32 total = req->ext == UET_EXT_RDV ? req->x.rdv.eager_length : req->request_length;

	if (req->som && req->message_offset)
		return UET_DROP_SES_SOM_OFFSET;
	if (!req->som && !req->message_offset && !partial)
		return UET_DROP_SES_NOSOM_ZERO;
	if (end > total)
		return UET_DROP_SES_DATA_BEYOND;
	if (req->eom && end != total && !partial)
		return UET_DROP_SES_EOM_EARLY;
	return UET_DROP_NONE;
}

/*
 * uet_wire_ses_payload() - number of message bytes in a request packet
 * @remaining: bytes behind header and extension, trailer removed
 * @len: 0..UET_MTU_MAX. Untouched on error
 *
 * The first packet of a message does not state the length of its segment, which is the rest of
 * the packet.  Later packets state it and must hold exactly so many bytes.  For a READ the
 * segment is the requested part, checked in the same way, and @len is 0.  Only opcodes marked
 * UET_OPF_PARTIAL may set eom before the end.  After success message_offset + @len does not
 * exceed request_length, or eager_length of a rendezvous (UE 1.0.1 3.4).
 */
enum uet_drop uet_wire_ses_payload(const struct uet_ses_req *req, size_t remaining, size_t *len)
{
	bool has_data = uet_wire_op(req->opcode)->flags & UET_OPF_DATA &&
			req->ext != UET_EXT_CSWAP;
	size_t segment = has_data ? remaining : 0;
	enum uet_drop why;

	if (!has_data && remaining)
		return UET_DROP_SES_DATA_UNEXPECTED;
	if (ses_has_segment(req)) {
		if (has_data && req->payload_length != remaining)
			return UET_DROP_SES_DATA_MISMATCH;
		segment = req->payload_length;
	}
	if (segment > UET_MTU_MAX)
		return UET_DROP_SES_DATA_OVERSIZED;
	/* Without data only a stated segment length can contradict request_length. */
	if (has_data || ses_has_segment(req)) {
		why = ses_check_segment(req, segment);
		if (why)
			return why;
	}
	*len = has_data ? segment : 0;
	return UET_DROP_NONE;
}

/* Response opcodes that a form may carry, UE 1.0.1 Tables 3-11 to 3-13. */
static bool rsp_opcode_is_legal(u8 form, u8 opcode)
{
	switch (opcode) {
	case UET_RSP_DEFAULT:
	case UET_RSP_RESPONSE:
	case UET_RSP_NO_RESPONSE:
		return form == UET_RSP_FORM_PLAIN;
	case UET_RSP_W_DATA:
		return form == UET_RSP_FORM_DATA || form == UET_RSP_FORM_SMALL;
	}
	return false;
}

static void rsp_get_tail(const u8 *buf, struct uet_ses_rsp *rsp)
{
	rsp->job = get_unaligned_be24(buf + 5);
	switch (rsp->form) {
	case UET_RSP_FORM_PLAIN:
		rsp->msg_id = get_unaligned_be16(buf + 2);
		rsp->ri_gen = buf[4];
		rsp->modified_length = get_unaligned_be32(buf + 8);
		break;
	case UET_RSP_FORM_DATA:
		rsp->msg_id = get_unaligned_be16(buf + 2);
		rsp->read_msg_id = get_unaligned_be16(buf + 8);
		rsp->payload_length = get_unaligned_be16(buf + 10) & SES_LEN14;
		rsp->modified_length = get_unaligned_be32(buf + 12);
		rsp->message_offset = get_unaligned_be32(buf + 16);
		break;
	case UET_RSP_FORM_SMALL:
		rsp->payload_length = get_unaligned_be16(buf + 2) & SES_LEN14;
		rsp->orig_psn = get_unaligned_be32(buf + 8);
		break;
	}
}

/*
 * uet_wire_ses_rsp_decode() - read one SES response; data follows
 * @next_hdr: enum uet_nh from the PDS header
 * @rsp: unspecified on error; reserved and vendor return codes and lists are passed on
 */
enum uet_drop uet_wire_ses_rsp_decode(u8 next_hdr, const u8 *buf, size_t len,
				      struct uet_ses_rsp *rsp, size_t *consumed)
{
	const struct uet_nh_prop *nh = uet_wire_nh(next_hdr);

	memset(rsp, 0, sizeof(*rsp));
	if (nh->kind != UET_NK_RSP)
		return UET_DROP_SES_NOT_RESPONSE;
	if (len < nh->len)
		return nh->truncated;
	rsp->form = nh->form;
	rsp->list = FIELD_GET(RSP_LIST, buf[0]);
	rsp->opcode = FIELD_GET(SES_OPCODE, buf[0]);
	rsp->version = FIELD_GET(SES_VERSION, buf[1]);
	rsp->rc = FIELD_GET(RSP_RC, buf[1]);
	if (rsp->version)
		return UET_DROP_SES_RSP_VERSION;
	if (!rsp_opcode_is_legal(rsp->form, rsp->opcode))
		return UET_DROP_SES_RSP_OPCODE;
	rsp_get_tail(buf, rsp);
	*consumed = nh->len;
	return UET_DROP_NONE;
}

/*
 * uet_wire_ses_rsp_nh() - next_hdr of a response form (UE 1.0.1 Table 3-16); NH_NONE: unknown
 */
u8 uet_wire_ses_rsp_nh(const struct uet_ses_rsp *rsp)
{
	switch (rsp->form) {
	case UET_RSP_FORM_PLAIN:
		return UET_NH_RSP;
	case UET_RSP_FORM_DATA:
		return UET_NH_RSP_DATA;
	case UET_RSP_FORM_SMALL:
		return UET_NH_RSP_DATA_SMALL;
	}
	return UET_NH_NONE;
}

static bool rsp_fits(const struct uet_ses_rsp *rsp)
{
	if (rsp->version || rsp->list > UET_LIST_MAX || rsp->rc > UET_RC_MAX ||
	    rsp->job > UET_JOB_MAX || !rsp_opcode_is_legal(rsp->form, rsp->opcode))
		return false;
	return rsp->form == UET_RSP_FORM_PLAIN || rsp->payload_length <= UET_LEN14_MAX;
}

/*
 * uet_wire_ses_rsp_encode() - write one SES response
 */
size_t uet_wire_ses_rsp_encode(const struct uet_ses_rsp *rsp, u8 *buf, size_t space)
{
	size_t len = uet_wire_nh(uet_wire_ses_rsp_nh(rsp))->len;

	if (!rsp_fits(rsp) || space < len)
		return 0;
	memset(buf, 0, len);
	buf[0] = FIELD_PREP(RSP_LIST, rsp->list) | rsp->opcode;
	buf[1] = rsp->rc;
	put_unaligned_be24(rsp->job, buf + 5);
	switch (rsp->form) {
	case UET_RSP_FORM_PLAIN:
		put_unaligned_be16(rsp->msg_id, buf + 2);
		buf[4] = rsp->ri_gen;
		put_unaligned_be32(rsp->modified_length, buf + 8);
		break;
	case UET_RSP_FORM_DATA:
		put_unaligned_be16(rsp->msg_id, buf + 2);
		put_unaligned_be16(rsp->read_msg_id, buf + 8);
		put_unaligned_be16(rsp->payload_length, buf + 10);
		put_unaligned_be32(rsp->modified_length, buf + 12);
		put_unaligned_be32(rsp->message_offset, buf + 16);
		break;
	case UET_RSP_FORM_SMALL:
		put_unaligned_be16(rsp->payload_length, buf + 2);
		put_unaligned_be32(rsp->orig_psn, buf + 8);
		break;
	}
	return len;
}

/*
 * uet_wire_ses_rsp_payload() - number of data bytes in a response packet
 * @remaining: bytes behind the header, trailer removed
 * @len: 0..UET_MTU_MAX. Untouched on error
 *
 * Some senders pad a packet with a plain response, so bytes behind it are ignored.  After
 * success message_offset + @len does not overflow (UE 1.0.1 Tables 3-12 and 3-13).
 */
enum uet_drop uet_wire_ses_rsp_payload(const struct uet_ses_rsp *rsp,
				       size_t remaining, size_t *len)
{
	if (rsp->form == UET_RSP_FORM_PLAIN) {
		*len = 0;
		return UET_DROP_NONE;
	}
	if (rsp->payload_length != remaining)
		return UET_DROP_SES_RSP_MISMATCH;
	if (remaining > UET_MTU_MAX)
		return UET_DROP_SES_RSP_OVERSIZED;
	if ((u64)rsp->message_offset + remaining > U32_MAX)
		return UET_DROP_SES_RSP_BEYOND;
	*len = remaining;
	return UET_DROP_NONE;
}
