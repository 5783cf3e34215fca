// SPDX-License-Identifier: GPL-2.0
/*
 * The headers of a packet that continues a message: they are those of the packet
 * before it, except for PSN, CLEAR_PSN and offset.  Writing these three costs a small
 * part of encoding all fields.
 *
 * Spec: UE 1.0.1 3.5.10, Figures 3-10 and 3-19.  Level: core L1.
 */
#include "wire.h"

/* Places in the PDS header, and the next_hdr in its first two bytes. */
#define NEXT_CLEAR_OFF	2
#define NEXT_PSN	4
#define NEXT_HDR	0x0780

static const struct uet_run_form next_req_form = {
	.len = UET_SES_STD_LEN, .length = 34, .offset = 36,
};

static const struct uet_run_form next_rsp_form = {
	.len = UET_SES_RSP_DATA_LEN, .length = 10, .offset = 16,
};

/**
 * uet_wire_run_form() - places in the SES header of packets that may be a run
 * @next_hdr: enum uet_nh
 *
 * Return: the places; NULL if packets with this header are no run.
 */
const struct uet_run_form *uet_wire_run_form(u8 next_hdr)
{
	if (next_hdr == UET_NH_REQ_STD)
		return &next_req_form;
	return next_hdr == UET_NH_RSP_DATA ? &next_rsp_form : NULL;
}

static u32 next_pds_len(const u8 *buf)
{
	return uet_wire_ty(uet_wire_type(buf))->len;
}

static const struct uet_run_form *next_form(const u8 *buf)
{
	return uet_wire_run_form(FIELD_GET(NEXT_HDR, get_unaligned_be16(buf)));
}

/**
 * uet_wire_req_next() - change the headers of a request into those of a later one
 * @buf: PDS header of a RUD or ROD request, followed by a standard SES header without som or
 *	the header of a response with data; from the encoders
 * @req: PDS header of the later one; the other fields are those at @buf
 * @message_offset: offset of its first byte in the message
 *
 * Spec: UE 1.0.1 3.5.10, Figures 3-10 and 3-19.
 */
void uet_wire_req_next(u8 *buf, const struct uet_req *req, u32 message_offset)
{
	const struct uet_run_form *form = next_form(buf);

	put_unaligned_be16((u16)req->clear_off, buf + NEXT_CLEAR_OFF);
	put_unaligned_be32(req->psn, buf + NEXT_PSN);
	if (form)
		put_unaligned_be32(message_offset,
				   buf + next_pds_len(buf) + form->offset);
}

/**
 * uet_wire_may_skip() - are these the headers of a packet that others may follow in a run?
 * @buf: PDS header
 * @len: number of bytes at @buf
 *
 * Return: true if uet_wire_req_skip() has all the bytes that it needs.
 */
bool uet_wire_may_skip(const u8 *buf, u32 len)
{
	const struct uet_run_form *form = len < UET_REQ_LEN ? NULL : next_form(buf);

	return form && len >= next_pds_len(buf) + form->len;
}

/**
 * uet_wire_req_skip() - change the headers of a request into those of one behind it
 * @buf: as for uet_wire_req_next(), and uet_wire_may_skip(); each packet has, or requests, as
 *	many bytes of the message as this one
 * @n: how many packets later
 *
 * Spec: UE 1.0.1 3.5.10, Figures 3-10 and 3-19.
 */
void uet_wire_req_skip(u8 *buf, u32 n)
{
	const struct uet_req req = {
		.psn = get_unaligned_be32(buf + NEXT_PSN) + n,
		.clear_off = (s16)(get_unaligned_be16(buf + NEXT_CLEAR_OFF) - n),
	};
	const struct uet_run_form *form = next_form(buf);
	const u8 *ses = buf + next_pds_len(buf);
	u32 len, offset;

	if (!form)
		return;
	len = get_unaligned_be16(ses + form->length) & UET_LEN14_MAX;
	offset = get_unaligned_be32(ses + form->offset);
	uet_wire_req_next(buf, &req, offset + n * len);
}
