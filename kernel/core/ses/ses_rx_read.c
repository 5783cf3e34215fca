// SPDX-License-Identifier: GPL-2.0
/*
 * SES, being read: which bytes a packet of a READ asks for, and whether they go
 * into its ACK.  Those that do not are queued by ses_tx_read_rsp.c.
 *
 * Implements uet-wire 2.32 (UE 1.0.1 3.5.12.1, 3.5.20), the target.
 * Level: core L5.
 */
#include "ses_rx.h"

/**
 * uet_ses_read_share() - which bytes does a packet of a READ ask for?
 * @req: its request header, supported
 * @mtu: Payload MTU of the endpoint it came to, bytes
 * @offset: result: offset in the memory region of the first byte; U64_MAX if
 *	there is no such offset
 * @len: result: bytes
 * @rc: the return code to answer if that is none
 *
 * The first packet of several does not say how many bytes it asks for, so it is
 * one Payload MTU, and that of both ends has to be the same.
 *
 * Context: Any.
 * Return: UET_DROP_NONE, or how the packet contradicts itself or us.
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
 * uet_ses_read_in_ack() - do the bytes go into the ACK?
 * @req: request header of a READ that asks for some
 * @max: uet_pdc_max_ack_data() of its PDC
 *
 * All packets of a message are answered in the same way.
 *
 * Context: Any.
 * Return: true if the whole message is short enough.
 * Spec: uet-wire 2.32 (Max_ACK_Data_Size).
 */
bool uet_ses_read_in_ack(const struct uet_ses_req *req, u32 max)
{
	return req->som && req->eom && req->request_length <= max;
}
