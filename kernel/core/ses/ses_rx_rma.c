// SPDX-License-Identifier: GPL-2.0
/*
 * SES, requests that change memory identified by a key: the place of each
 * packet, and the completion of a message.  A packet is executed on arrival and
 * not kept.  The same holds for packets of a message that a posted receive
 * takes.
 *
 * Implements UE 1.0.1 3.4.1 and uet-wire 3.14 for UET_WRITE, UET_ATOMIC and
 * UET_FETCHING_ATOMIC.
 * Level: core L5.
 */
#include "ses_rx.h"

static struct uet_ses_seg ses_rma_seg(const struct uet_ses_req *req, u32 len)
{
	return (struct uet_ses_seg){
		.offset = uet_ses_req_offset(req),
		.len = len,
	};
}

/**
 * uet_ses_is_rma() - does the operation change memory identified by a key?
 * @opcode: enum uet_op, supported
 *
 * Its packets are executed in any order of arrival, and are not delivered to a
 * reader: use uet_ses_rx_rma() instead of uet_ses_rx_seg().
 *
 * Return: true for UET_WRITE, UET_ATOMIC and UET_FETCHING_ATOMIC.
 */
bool uet_ses_is_rma(u8 opcode)
{
	return uet_wire_op(opcode)->flags & UET_OPF_RMA;
}

/**
 * uet_ses_rma_place() - the place of an RMA packet in its memory region
 * @req: request header of the packet, supported
 * @len: payload of the packet, bytes
 * @offset: result: offset in the memory region of the first byte; U64_MAX if
 *	the sum overflows
 *
 * Return: UET_DROP_NONE, or the contradiction within the packet.
 * Spec: uet-wire 3.14 (address of a packet).
 */
enum uet_drop uet_ses_rma_place(const struct uet_ses_req *req, u32 len,
				u64 *offset)
{
	const struct uet_ses_seg seg = ses_rma_seg(req, len);

	if (check_add_overflow(req->offset, (u64)seg.offset, offset))
		*offset = U64_MAX;
	return uet_ses_req_check(req, &seg);
}

/**
 * uet_ses_rx_rma() - account a packet of RMA, or for a posted receive
 * @ses: SES
 * @rx: message of the packet, from uet_ses_rx_find() or uet_ses_rx_start()
 * @req: request header of the packet, supported, checked by uet_ses_rma_place()
 * @len: payload of the packet, bytes
 * @why: with UET_SES_ERROR, the contradiction; else UET_DROP_NONE
 *
 * The message is complete when the bytes received reach its length.
 *
 * Return: enum uet_ses_step, not UET_SES_IGNORE.
 */
enum uet_ses_step uet_ses_rx_rma(struct uet_ses *ses, struct uet_ses_rx *rx,
				 const struct uet_ses_req *req, u32 len,
				 enum uet_drop *why)
{
	const struct uet_ses_seg seg = ses_rma_seg(req, len);

	*why = uet_ses_rx_check(rx, req, &seg);
	if (*why) {
		uet_ses_rx_fail(rx, UET_RC_UNCOR);
		return uet_ses_rx_pass(ses, rx, req, len);
	}
	uet_ses_rx_note_som(rx, req);
	rx->received += min(len, rx->length - rx->received);
	if (rx->received < rx->length)
		return UET_SES_MORE;
	uet_ses_rx_drop(ses, rx);
	return UET_SES_DONE;
}
