// SPDX-License-Identifier: GPL-2.0
/* Instances of the tracepoints of trace.h, and their helpers for packets and addresses. */
#define CREATE_TRACE_POINTS
#include "trace.h"

struct uet_trace_ids uet_trace_ids(const struct uet_pds_hdr *hdr)
{
	struct uet_trace_ids ids = {};

	ids.is_retx = hdr->flags & UET_F_RETX;
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

/* Convert a fabric address for %pI6c: 16 bytes, IPv4 mapped into IPv6. */
void uet_trace_addr(const struct uet_fa *fa, u8 *addr)
{
	struct in6_addr v6 = fa->v6;

	if (fa->family == AF_INET)
		ipv6_addr_set_v4mapped(fa->v4, &v6);
	memcpy(addr, &v6, sizeof(v6));
}
