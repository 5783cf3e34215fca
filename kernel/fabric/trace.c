// SPDX-License-Identifier: GPL-2.0
/*
 * Where the tracepoints of trace.h are made, and what they need to know about
 * packets and addresses.  Level: shell.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"

/**
 * uet_trace_ids() - the numbers by which a packet is known
 * @hdr: its PDS header
 *
 * Context: Any.
 * Return: the numbers, 0 where the type of packet has none.
 */
struct uet_trace_ids uet_trace_ids(const struct uet_pds_hdr *hdr)
{
	struct uet_trace_ids ids = {};

	switch (uet_wire_ty(hdr->type)->kind) {
	case UET_TK_REQ:
		ids.psn = hdr->u.req.psn;
		ids.spdcid = hdr->u.req.spdcid;
		ids.dpdcid = hdr->u.req.dpdcid;
		break;
	case UET_TK_ACK:
		ids.psn = hdr->u.ack.cack_psn;
		ids.spdcid = hdr->u.ack.spdcid;
		ids.dpdcid = hdr->u.ack.dpdcid;
		break;
	case UET_TK_NACK:
		ids.psn = hdr->u.nack.psn;
		ids.spdcid = hdr->u.nack.spdcid;
		ids.dpdcid = hdr->u.nack.dpdcid;
		break;
	case UET_TK_CP:
		ids.psn = hdr->u.cp.psn;
		ids.spdcid = hdr->u.cp.spdcid;
		ids.dpdcid = hdr->u.cp.dpdcid;
		break;
	case UET_TK_RUDI:
		ids.psn = hdr->u.rudi.pkt_id;
		break;
	default:
		break;
	}
	return ids;
}

/**
 * uet_trace_addr() - a fabric address, for people
 * @fa: address
 * @addr: result: 16 bytes, IPv4 mapped into IPv6
 *
 * Context: Any.
 */
void uet_trace_addr(const struct uet_fa *fa, u8 *addr)
{
	struct in6_addr v6 = fa->v6;

	if (fa->family == AF_INET)
		ipv6_addr_set_v4mapped(fa->v4, &v6);
	memcpy(addr, &v6, sizeof(v6));
}
