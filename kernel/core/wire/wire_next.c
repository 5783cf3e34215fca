// SPDX-License-Identifier: GPL-2.0
/*
 * The headers of a packet that continues a message: they are those of the packet
 * before it, except for PSN, CLEAR_PSN and offset.  Writing these three costs a small
 * part of encoding all fields.
 *
 * Spec: UE 1.0.1 3.5.10, Figure 3-10.  Level: core L1.
 */
#include "wire.h"

/* Offset of message_offset in a standard header without som. */
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
	put_unaligned_be16((u16)req->clear_off, buf + 2);
	put_unaligned_be32(req->psn, buf + 4);
	put_unaligned_be32(message_offset, buf + UET_REQ_LEN + NEXT_OFFSET);
}
