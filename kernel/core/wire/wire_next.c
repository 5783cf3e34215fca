// SPDX-License-Identifier: GPL-2.0
/*
 * The headers of a packet that continues a message: they are those of the packet
 * before it, except for PSN, CLEAR_PSN and offset.  Writing these three costs a small
 * part of encoding all fields.
 *
 * Spec: UE 1.0.1 3.5.10, Figure 3-10.  Level: core L1.
 */
#include "wire.h"

/* Places in the PDS header. */
#define NEXT_CLEAR_OFF	2
#define NEXT_PSN	4

/* Place of message_offset in a standard header without som. */
#define NEXT_OFFSET	36

/**
 * uet_wire_req_next() - change the headers of a request into those of a later one
 * @buf: PDS header of a RUD or ROD request without congestion control, followed by a
 *	standard SES header without som; from the encoders
 * @req: PDS header of the later one; the other fields are those at @buf
 * @message_offset: offset of its first byte in the message
 *
 * Context: Any.
 * Spec: UE 1.0.1 3.5.10, Figure 3-10.
 */
void uet_wire_req_next(u8 *buf, const struct uet_req *req, u32 message_offset)
{
	put_unaligned_be16((u16)req->clear_off, buf + NEXT_CLEAR_OFF);
	put_unaligned_be32(req->psn, buf + NEXT_PSN);
	put_unaligned_be32(message_offset, buf + UET_REQ_LEN + NEXT_OFFSET);
}

/**
 * uet_wire_req_skip() - change the headers of a request into those of one behind it
 * @buf: as for uet_wire_req_next()
 * @n: how many packets later
 * @len: payload of each packet, bytes
 *
 * Context: Any.
 * Spec: UE 1.0.1 3.5.10, Figure 3-10.
 */
void uet_wire_req_skip(u8 *buf, u32 n, u32 len)
{
	const struct uet_req req = {
		.psn = get_unaligned_be32(buf + NEXT_PSN) + n,
		.clear_off = (s16)(get_unaligned_be16(buf + NEXT_CLEAR_OFF) - n),
	};

	uet_wire_req_next(buf, &req, n * len +
			  get_unaligned_be32(buf + UET_REQ_LEN + NEXT_OFFSET));
}
