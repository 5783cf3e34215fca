// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes and encodes struct uet_ses_rsp in its three forms, and derives the
 * length of the data behind a response.  The semantic layer interprets return
 * codes and finds the request that belongs to a response.
 *
 * Spec: UE 1.0.1 3.4, Figures 3-18 to 3-20.  Level: core L1.
 */
#include "wire.h"

/* First two bytes of a response. */
#define RSP_LIST	0xc0
#define RSP_OPCODE	0x3f
#define RSP_VERSION	0xc0
#define RSP_RC		0x3f

/* payload_length, under two reserved bits. */
#define RSP_LEN14	0x3fff

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
		rsp->payload_length = get_unaligned_be16(buf + 10) & RSP_LEN14;
		rsp->modified_length = get_unaligned_be32(buf + 12);
		rsp->message_offset = get_unaligned_be32(buf + 16);
		break;
	case UET_RSP_FORM_SMALL:
		rsp->payload_length = get_unaligned_be16(buf + 2) & RSP_LEN14;
		rsp->orig_psn = get_unaligned_be32(buf + 8);
		break;
	}
}

/**
 * uet_wire_ses_rsp_decode() - read one SES response
 * @next_hdr: enum uet_nh from the PDS header
 * @buf: first byte of the SES header
 * @len: bytes from @buf to the end of the packet, trailer removed
 * @rsp: filled in; zeroed first, and unspecified on error
 * @consumed: header bytes; data follows. Untouched on error
 *
 * Reserved and vendor return codes and lists are passed on unchanged.
 *
 * Context: Any; reads @buf only.
 * Return: UET_DROP_NONE, or the reason for refusing the header.
 * Spec: UE 1.0.1 Tables 3-11 to 3-13.
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
	rsp->opcode = FIELD_GET(RSP_OPCODE, buf[0]);
	rsp->version = FIELD_GET(RSP_VERSION, buf[1]);
	rsp->rc = FIELD_GET(RSP_RC, buf[1]);
	if (rsp->version)
		return UET_DROP_SES_RSP_VERSION;
	if (!rsp_opcode_is_legal(rsp->form, rsp->opcode))
		return UET_DROP_SES_RSP_OPCODE;
	rsp_get_tail(buf, rsp);
	*consumed = nh->len;
	return UET_DROP_NONE;
}

/**
 * uet_wire_ses_rsp_nh() - next_hdr of a response
 * @rsp: the response; @rsp->form selects the result
 *
 * Return: enum uet_nh of a response, or UET_NH_NONE for an unknown form.
 * Spec: UE 1.0.1 Table 3-16.
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
	    rsp->job > UET_JOB_MAX ||
	    !rsp_opcode_is_legal(rsp->form, rsp->opcode))
		return false;
	return rsp->form == UET_RSP_FORM_PLAIN ||
	       rsp->payload_length <= UET_LEN14_MAX;
}

/**
 * uet_wire_ses_rsp_encode() - write one SES response
 * @rsp: response to write
 * @buf: output buffer
 * @space: bytes at @buf; UET_SES_RSP_MAX_LEN always suffices
 *
 * Return: bytes written, or 0 when @space is too small, a field does not fit
 *	its width, or the form does not permit the opcode.
 * Spec: UE 1.0.1 Tables 3-11 to 3-13.
 */
size_t uet_wire_ses_rsp_encode(const struct uet_ses_rsp *rsp, u8 *buf,
			       size_t space)
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

/**
 * uet_wire_ses_rsp_payload() - number of data bytes in a response packet
 * @rsp: the decoded response
 * @remaining: bytes behind the header, trailer removed
 * @len: data bytes behind the header, 0..UET_MTU_MAX. Untouched on error
 *
 * A plain response carries no data.  Some senders pad the packet, so bytes behind
 * a plain response are ignored.
 *
 * Return: UET_DROP_NONE, or the contradiction between header and packet. After
 *	success message_offset + @len does not overflow 32 bits.
 * Spec: UE 1.0.1 Tables 3-12 and 3-13.
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
