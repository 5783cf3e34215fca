// SPDX-License-Identifier: GPL-2.0
/*
 * SES, reading, target: the bytes that a packet of a READ requests, and whether
 * the ACK carries them.  ses_tx_read_rsp.c queues the others.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the target.
 * Level: core L5.
 */
#include "ses_rx.h"

/**
 * uet_ses_read_share() - the bytes that a packet of a READ requests
 * @req: request header of the packet, supported
 * @mtu: Payload MTU of the endpoint that received the packet, bytes
 * @offset: result: offset in the memory region of the first byte; U64_MAX if
 *	the sum overflows
 * @len: result: bytes
 * @rc: result: return code of the error response, if the packet is dropped
 *
 * The first of several packets does not contain the number of bytes it
 * requests.  It requests one Payload MTU, so both ends must use the same
 * Payload MTU.
 *
 * Return: UET_DROP_NONE, or the contradiction within the packet or with our
 *	MTU.
 * Spec: uet-wire 2.32, 3.2.
 */
enum uet_drop uet_ses_read_share(const struct uet_ses_req *req, u16 mtu,
				 u64 *offset, u32 *len, u8 *rc)
{
	struct uet_ses_seg seg = { .len = req->request_length };

	if (!req->som) {
		seg.offset = req->message_offset;
		seg.len = req->payload_length;
	} else if (!req->eom) {
		seg.len = min_t(u32, mtu, req->request_length);
	}
	if (check_add_overflow(req->offset, (u64)seg.offset, offset))
		*offset = U64_MAX;
	*len = seg.len;
	*rc = seg.len > mtu ? UET_RC_UNSUPPORTED_SIZE : UET_RC_UNCOR;
	if (seg.len > mtu)
		return UET_DROP_SES_DATA_OVERSIZED;
	return uet_ses_req_check(req, &seg);
}

/**
 * uet_ses_read_in_ack() - does the ACK carry the data?
 * @req: request header of a READ with a length other than 0
 * @max: uet_pdc_max_ack_data() of the PDC, bytes
 *
 * All packets of a message are answered in the same manner.
 *
 * Return: true if the whole message is short enough.
 * Spec: uet-wire 2.32 (Max_ACK_Data_Size).
 */
bool uet_ses_read_in_ack(const struct uet_ses_req *req, u32 max)
{
	return req->som && req->eom && req->request_length <= max;
}
