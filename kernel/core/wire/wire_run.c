// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: requests of one PDC that continue a message, packet by packet.  Their headers
 * differ in a few fields only.  A receiver decodes the first one, and compares the bytes
 * of those that follow.  The result is that of a full decode.
 *
 * Spec: UE 1.0.1 3.4, 3.5.10.3.  Level: core L1.
 */
#include "wire.h"

/* Prologue without its flags. */
#define RUN_PROLOGUE	0xff80

/* Places in the PDS header of a request. */
#define RUN_CLEAR_OFF	2
#define RUN_PSN		4
#define RUN_PDCIDS	8
#define RUN_DPDCID	10
#define RUN_CC		12

/* Place and bits of the SES flags that mark both ends of a message. */
#define RUN_SES_FLAGS	1u
#define RUN_ENDS	0x03

/* Places in the SES header: the bytes before the offset, the offset, the length. */
#define RUN_OFFSET	36
#define RUN_LENGTH	40

/* A packet with length and offset of its payload, which is not the last one. */
static bool run_is_middle(const struct uet_ses_req *req)
{
	u8 flags = uet_wire_op(req->opcode)->flags;

	if (req->som || req->eom || !(flags & UET_OPF_DATA))
		return false;
	return req->form == UET_SES_DEFER ||
	       (req->form == UET_SES_STD_NOSOM && !(flags & UET_OPF_PARTIAL));
}

/**
 * uet_wire_run_begin() - begin a run with a request that was accepted
 * @run: result
 * @hdr: its PDS header
 * @req: its SES header, after uet_wire_ses_payload()
 * @head: its first byte; both headers are behind each other
 *
 * A packet that is the first or the last one of its message begins no run, and neither
 * does a packet with SYN or with an extension header.
 *
 * Context: Any.
 * Return: true if uet_wire_run_next() may look at the packet behind it.
 */
bool uet_wire_run_begin(struct uet_wire_run *run, const struct uet_pds_hdr *hdr,
			const struct uet_ses_req *req, const u8 *head)
{
	const struct uet_ty_prop *ty = uet_wire_ty(hdr->type);

	if (ty->kind != UET_TK_REQ || hdr->flags & UET_F_SYN ||
	    hdr->next_hdr != UET_NH_REQ_STD || !run_is_middle(req) ||
	    req->ext != UET_EXT_NONE || !req->payload_length)
		return false;
	run->pds_len = ty->len;
	run->len = req->payload_length;
	run->msg_id = req->msg_id;
	run->psn = hdr->u.req.psn;
	run->clear_psn = run->psn + (u32)hdr->u.req.clear_off;
	run->offset = req->message_offset;
	run->request_length = req->request_length;
	run->tgt_token = req->tgt_token;
	memcpy(run->head, head, run->pds_len + UET_SES_STD_LEN);
	return true;
}

/**
 * uet_wire_run_pdcid() - the PDC of a packet that may continue a run
 * @head: first byte of the packet
 * @len: number of bytes at @head
 * @dpdcid: result
 *
 * Context: Any.
 * Return: true for a request without flags, from the middle of a message.
 */
bool uet_wire_run_pdcid(const u8 *head, u32 len, u16 *dpdcid)
{
	const struct uet_ty_prop *ty;

	if (len < UET_REQ_LEN)
		return false;
	ty = uet_wire_ty(uet_wire_type(head));
	if (ty->kind != UET_TK_REQ || get_unaligned_be16(head) & ~RUN_PROLOGUE ||
	    len <= ty->len + RUN_SES_FLAGS ||
	    head[ty->len + RUN_SES_FLAGS] & RUN_ENDS)
		return false;
	*dpdcid = get_unaligned_be16(head + RUN_DPDCID);
	return true;
}

static bool run_is_same_pdc(const struct uet_wire_run *run, const u8 *head)
{
	const u8 *last = run->head;
	u16 prologue = get_unaligned_be16(last) & RUN_PROLOGUE;

	if (get_unaligned_be16(head) != prologue ||
	    get_unaligned_be32(head + RUN_PDCIDS) !=
	    get_unaligned_be32(last + RUN_PDCIDS))
		return false;
	return run->pds_len == UET_REQ_LEN ||
	       get_unaligned_be32(head + RUN_CC) ==
	       get_unaligned_be32(last + RUN_CC);
}

static bool run_is_same_message(const u8 *ses, const u8 *last)
{
	return get_unaligned_be64(ses) == get_unaligned_be64(last) &&
	       get_unaligned_be64(ses + 8) == get_unaligned_be64(last + 8) &&
	       get_unaligned_be64(ses + 16) == get_unaligned_be64(last + 16) &&
	       get_unaligned_be64(ses + 24) == get_unaligned_be64(last + 24) &&
	       get_unaligned_be32(ses + 32) == get_unaligned_be32(last + 32) &&
	       get_unaligned_be32(ses + RUN_LENGTH) ==
	       get_unaligned_be32(last + RUN_LENGTH);
}

/**
 * uet_wire_run_next() - do requests continue a run?
 * @run: the run; ends with these packets if they continue
 * @head: first byte of a packet with at least @run->pds_len + UET_SES_STD_LEN bytes of
 *	headers, and @run->len bytes behind them
 * @n: number of packets, at least 1; the headers of the others are those at @head after
 *	uet_wire_req_skip()
 *
 * The packet has the next PSN, no flags, and the bytes of the message that follow.  Its
 * CLEAR_PSN is that of a packet before it, and no older than that of the run.  No packet
 * reaches the end of the message.  All else is as in the packet before.
 *
 * Context: Any; reads the headers only.
 * Return: true if they do; decoded, the headers are valid then.
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
	    get_unaligned_be32(ses + RUN_OFFSET) != offset ||
	    offset + (u64)n * run->len >= run->request_length ||
	    !run_is_same_pdc(run, head) ||
	    !run_is_same_message(ses, run->head + run->pds_len))
		return false;
	run->clear_psn = clear_psn;
	run->psn += n;
	run->offset += n * run->len;
	return true;
}
