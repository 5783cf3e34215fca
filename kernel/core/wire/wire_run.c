// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of one PDC that continue a message, or the data that a READ has requested: a run.
 * Their headers differ in PSN, CLEAR_PSN and offset only.  A sender writes these three; a
 * receiver decodes the first packet, and compares the bytes of those that follow.  The result
 * is that of a full encode or decode.
 *
 * Spec: UE 1.0.1 3.4, Tables 3-12 and 3-13, 3.5.10.3, Figures 3-10 and 3-19.  Level: core L1.
 */
#include "wire.h"

/* Prologue without its flags. */
#define RUN_PROLOGUE	0xff80
#define RUN_NEXT_HDR	0x0780

/* Places in the PDS header of a request. */
#define RUN_CLEAR_OFF	2
#define RUN_PSN		4
#define RUN_PDCIDS	8
#define RUN_DPDCID	10
#define RUN_CC		12

/*
 * Packets of one PDC that continue a message, or the data that a READ has requested: a run.
 * Their headers differ in PSN, CLEAR_PSN and offset only.  A sender writes these three; a
 * receiver decodes the first packet, and compares the bytes of those that follow.  The result
 * is that of a full encode or decode.
 *
 * Spec: UE 1.0.1 3.4, Tables 3-12 and 3-13, 3.5.10.3, Figures 3-10 and 3-19.  Level: core L1.
 */
#define RUN_SES_FLAGS	1u
#define RUN_ENDS	0x03
#define RUN_NOT_MIDDLE	0x07

/*
 * Places in the SES header of a request: payload_length behind 18 bits of 0, which the
 * first packet has not, and request_length.
 */
#define RUN_PAYLOAD	32
#define RUN_LENGTH	40

static const struct uet_run_form next_req_form = {
	.len = UET_SES_STD_LEN, .length = 34, .offset = 36,
};

static const struct uet_run_form next_rsp_form = {
	.len = UET_SES_RSP_DATA_LEN, .length = 10, .offset = 16,
};

/*
 * uet_wire_run_form() - places in the SES header of packets that may be a run; NULL: they may not
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
	return uet_wire_run_form(FIELD_GET(RUN_NEXT_HDR, get_unaligned_be16(buf)));
}

/**
 * uet_wire_req_next() - change the headers of a request into those of a later one
 * @buf: PDS header of a RUD or ROD request, followed by a standard SES header without som or
 *	the header of a response with data; from the encoders
 * @req: PDS header of the later one; the other fields are those at @buf
 * @message_offset: of its first byte in the message
 */
void uet_wire_req_next(u8 *buf, const struct uet_req *req, u32 message_offset)
{
	const struct uet_run_form *form = next_form(buf);

	put_unaligned_be16((u16)req->clear_off, buf + RUN_CLEAR_OFF);
	put_unaligned_be32(req->psn, buf + RUN_PSN);
	if (form)
		put_unaligned_be32(message_offset, buf + next_pds_len(buf) + form->offset);
}

/*
 * uet_wire_may_skip() - has uet_wire_req_skip() all bytes that it needs in these @len?
 */
bool uet_wire_may_skip(const u8 *buf, u32 len)
{
	const struct uet_run_form *form = len < UET_REQ_LEN ? NULL : next_form(buf);

	return form && len >= next_pds_len(buf) + form->len;
}

/*
 * uet_wire_req_skip() - change the headers of a request into those of one @n packets behind it
 * @buf: as for uet_wire_req_next(), and uet_wire_may_skip(); each packet has, or requests, as
 *	many bytes of the message as this one
 */
void uet_wire_req_skip(u8 *buf, u32 n)
{
	const struct uet_req req = {
		.psn = get_unaligned_be32(buf + RUN_PSN) + n,
		.clear_off = (s16)(get_unaligned_be16(buf + RUN_CLEAR_OFF) - n),
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

/* Is this a request of a PDC, which may be followed by a run? */
static bool run_may_follow(const struct uet_pds_hdr *hdr, u8 next_hdr)
{
	return uet_wire_ty(hdr->type)->kind == UET_TK_REQ &&
	       !(hdr->flags & UET_F_SYN) && hdr->next_hdr == next_hdr;
}

/* Fields from the PDS header, and a copy of both headers. */
static void run_keep(struct uet_wire_run *run, const struct uet_pds_hdr *hdr, const u8 *head)
{
	run->next_hdr = hdr->next_hdr;
	run->pds_len = uet_wire_ty(hdr->type)->len;
	run->head_len = run->pds_len + uet_wire_run_form(hdr->next_hdr)->len;
	run->psn = hdr->u.req.psn;
	run->clear_psn = run->psn + (u32)hdr->u.req.clear_off;
	run->tgt_token = 0;
	memcpy(run->head, head, run->head_len);
}

/* Does the message go on behind the packet? A READ has no data, and requests some. */
static bool run_goes_on(const struct uet_ses_req *req)
{
	u8 flags = uet_wire_op(req->opcode)->flags;

	if (req->eom || req->ext != UET_EXT_NONE)
		return false;
	if (req->form == UET_SES_DEFER || req->opcode == UET_OP_READ)
		return !req->som;
	return (req->form == UET_SES_STD || req->form == UET_SES_STD_NOSOM) &&
	       flags & UET_OPF_DATA && !(flags & UET_OPF_PARTIAL);
}

/*
 * uet_wire_run_begin() - begin a run with an accepted request, if uet_wire_run_next() may follow
 * @payload: message bytes behind it, from uet_wire_ses_payload()
 * @head: its first byte; both headers are behind each other
 *
 * The last packet of a message begins no run, and neither does one with SYN or an extension
 * header, nor the first one of a READ or of a deferrable message.
 */
bool uet_wire_run_begin(struct uet_wire_run *run, const struct uet_pds_hdr *hdr,
			const struct uet_ses_req *req, u32 payload, const u8 *head)
{
	u32 len = req->som ? payload : req->payload_length;

	if (!len || !run_may_follow(hdr, UET_NH_REQ_STD) || !run_goes_on(req))
		return false;
	run_keep(run, hdr, head);
	run->len = (u16)len;
	run->payload = req->opcode == UET_OP_READ ? 0 : run->len;
	run->msg_id = req->msg_id;
	run->offset = req->message_offset;
	run->request_length = req->request_length;
	run->tgt_token = req->tgt_token;
	if (req->som) {
		/* The packets behind the first one have the header of the middle. */
		run->head[run->pds_len + RUN_SES_FLAGS] &= ~RUN_NOT_MIDDLE;
		put_unaligned_be32(run->len, run->head + run->pds_len + RUN_PAYLOAD);
	}
	return true;
}

/*
 * uet_wire_run_begin_data() - the same with a packet of read data
 * @rsp: its SES header, after uet_wire_ses_rsp_payload()
 * @total: bytes that the message has requested
 */
bool uet_wire_run_begin_data(struct uet_wire_run *run, const struct uet_pds_hdr *hdr,
			     const struct uet_ses_rsp *rsp, u32 total, const u8 *head)
{
	if (!run_may_follow(hdr, UET_NH_RSP_DATA) || !rsp->read_msg_id ||
	    (rsp->rc != UET_RC_OK && rsp->rc != UET_RC_NULL) || !rsp->payload_length)
		return false;
	run_keep(run, hdr, head);
	run->len = rsp->payload_length;
	run->payload = run->len;
	run->msg_id = rsp->read_msg_id;
	run->offset = rsp->message_offset;
	run->request_length = total;
	return true;
}

/* Is a SES header that of read data, or of a packet inside a message? */
static bool run_is_middle(u16 prologue, const u8 *ses)
{
	u8 next_hdr = FIELD_GET(RUN_NEXT_HDR, prologue);

	return next_hdr == UET_NH_RSP_DATA ||
	       (next_hdr == UET_NH_REQ_STD && !(ses[RUN_SES_FLAGS] & RUN_ENDS));
}

/*
 * uet_wire_run_pdcid() - PDC of a packet that may continue a run: without flags, not first or last
 */
bool uet_wire_run_pdcid(const u8 *head, u32 len, u16 *dpdcid)
{
	const struct uet_ty_prop *ty;
	u16 prologue;

	if (len < UET_REQ_LEN)
		return false;
	ty = uet_wire_ty(uet_wire_type(head));
	prologue = get_unaligned_be16(head);
	if (ty->kind != UET_TK_REQ || prologue & ~RUN_PROLOGUE ||
	    len <= ty->len + RUN_SES_FLAGS || !run_is_middle(prologue, head + ty->len))
		return false;
	*dpdcid = get_unaligned_be16(head + RUN_DPDCID);
	return true;
}

static bool run_is_same_pdc(const struct uet_wire_run *run, const u8 *head)
{
	const u8 *last = run->head;
	u16 prologue = get_unaligned_be16(last) & RUN_PROLOGUE;

	if (get_unaligned_be16(head) != prologue ||
	    get_unaligned_be32(head + RUN_PDCIDS) != get_unaligned_be32(last + RUN_PDCIDS))
		return false;
	return run->pds_len == UET_REQ_LEN ||
	       get_unaligned_be32(head + RUN_CC) == get_unaligned_be32(last + RUN_CC);
}

/* All fields but the offset; that of a response is its last one. */
static bool run_is_same_message(const struct uet_wire_run *run, const u8 *ses)
{
	const u8 *last = run->head + run->pds_len;

	if (get_unaligned_be64(ses) != get_unaligned_be64(last) ||
	    get_unaligned_be64(ses + 8) != get_unaligned_be64(last + 8))
		return false;
	if (run->next_hdr == UET_NH_RSP_DATA)
		return true;
	return get_unaligned_be64(ses + 16) == get_unaligned_be64(last + 16) &&
	       get_unaligned_be64(ses + 24) == get_unaligned_be64(last + 24) &&
	       get_unaligned_be32(ses + RUN_PAYLOAD) ==
	       get_unaligned_be32(last + RUN_PAYLOAD) &&
	       get_unaligned_be32(ses + RUN_LENGTH) == get_unaligned_be32(last + RUN_LENGTH);
}

/*
 * uet_wire_run_next() - do @n requests continue a run, which ends with them then?
 * @head: first byte of a packet with at least @run->head_len bytes of headers and @run->payload
 *	bytes behind them; the headers of the others are as after uet_wire_req_skip()
 *
 * The packet has the next PSN, no flags, and the bytes of the message that follow.  Its CLEAR_PSN
 * is that of a packet before it, and no older than that of the run.  No packet reaches the end
 * of the message.  All else is as in the packet before.
 */
bool uet_wire_run_next(struct uet_wire_run *run, const u8 *head, u32 n)
{
	const u8 *ses = head + run->pds_len;
	u32 offset = run->offset + run->len;
	u32 psn = run->psn + 1;
	s16 clear_off = (s16)get_unaligned_be16(head + RUN_CLEAR_OFF);
	u32 clear_psn = psn + (u32)clear_off;

	if (get_unaligned_be32(head + RUN_PSN) != psn || clear_off >= 0 ||
	    (s32)(clear_psn - run->clear_psn) < 0 ||
	    clear_off < S16_MIN + (s32)(n - 1) ||
	    get_unaligned_be32(ses + uet_wire_run_form(run->next_hdr)->offset) !=
	    offset ||
	    offset + (u64)n * run->len >= run->request_length ||
	    !run_is_same_pdc(run, head) || !run_is_same_message(run, ses))
		return false;
	run->clear_psn = clear_psn;
	run->psn += n;
	run->offset += n * run->len;
	return true;
}
