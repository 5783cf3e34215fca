// SPDX-License-Identifier: GPL-2.0
/*
 * Receive side of the channels of the fabric simulator: requests and trimmed requests
 * arrive at the target, answers arrive at the initiator.  The PDC processes them.
 *
 * Spec: the rules of pds.h for a user of the core.  Level: test.
 */
#include "fabric.h"

/* Every request succeeds with a default response, which is not stored. */
static const struct uet_ses_rsp rx_default_rsp = {
	.form = UET_RSP_FORM_PLAIN,
	.opcode = UET_RSP_DEFAULT,
	.rc = UET_RC_OK,
};

/* With credit, each request is charged with its 4 bytes of CC state. */
static struct uet_rx_info rx_info(const struct fab *fab,
				  const struct fab_packet *p)
{
	u32 longer = fab->pacer ? UET_REQ_CC_LEN - UET_REQ_LEN : 0;

	return (struct uet_rx_info) {
		.ev = p->ev,
		.ce = p->flags & FAB_P_CE,
		.bytes = p->bytes + longer,
	};
}

static void rx_trimmed(struct fab *fab, const struct fab_packet *p, u64 now)
{
	struct uet_pdc *pdc = fab->chan[p->chan].pdc[UET_PDC_TARGET];
	struct uet_rx_info in = rx_info(fab, p);
	struct uet_pds_hdr hdr;
	u8 code = p->flags & FAB_P_LASTHOP ? UET_NACK_TRIMMED_LASTHOP :
					     UET_NACK_TRIMMED;

	if (!pdc || uet_pds_trimmed(p->pds, sizeof(p->pds), &hdr)) {
		fab->count.syn_trims++;
		return;
	}
	uet_pdc_rx_trimmed(pdc, &hdr, &in, code, now);
	fab_pacer_demand(fab, p->chan);
	fab_chan_answer(fab, p->chan, now);
}

static void rx_request(struct fab *fab, const struct fab_packet *p,
		       const struct uet_pds_hdr *hdr, u64 now)
{
	struct uet_pdc *pdc = fab_chan_target(fab, p->chan, hdr, now);
	struct uet_rx_info in = rx_info(fab, p);
	bool deliver = false;

	if (!pdc)
		return;
	if (uet_wire_ty(hdr->type)->kind == UET_TK_CP)
		uet_pdc_rx_cp(pdc, hdr, &in, now);
	else
		uet_pdc_rx_req(pdc, hdr, &in, now, &deliver);
	if (deliver) {
		if (fab->receiver)
			uet_pdc_cc_space(pdc, fab->receiver[p->dst].bytes,
					 fab->par.host_buffer);
		uet_pdc_rx_accept(pdc, hdr, &in, &rx_default_rsp, now);
		fab_flow_arrived(fab, p->flow, p->payload);
	}
	fab_pacer_demand(fab, p->chan);
	fab_chan_answer(fab, p->chan, now);
}

/* Measure the delay of a packet sent once, if this ACK is the first answer to it. */
static void rx_measure(struct fab *fab, const struct fab_chan *ch,
		       const struct uet_pds_hdr *hdr, u64 now)
{
	u32 psn = hdr->u.ack.cack_psn + (u32)hdr->u.ack.ack_off;
	u32 sent = ch->sent_ns[psn & (fab->cfg.window - 1)];
	u32 rtt = (u32)now - sent;

	if (!sent || fab->clock.now < fab->settled ||
	    !uet_pdc_answered(ch->pdc[UET_PDC_INITIATOR], hdr))
		return;
	fab->count.rtts++;
	fab->count.delay_ns += rtt - min_t(u64, fab->base_rtt / FAB_NS, rtt);
}

static void rx_answer(struct fab *fab, const struct fab_packet *p,
		      const struct uet_pds_hdr *hdr, u64 now)
{
	struct fab_chan *ch = &fab->chan[p->chan];
	struct uet_pdc *pdc = ch->pdc[UET_PDC_INITIATOR];
	struct uet_rx_info in = rx_info(fab, p);

	switch (uet_wire_ty(hdr->type)->kind) {
	case UET_TK_ACK:
		rx_measure(fab, ch, hdr, now);
		uet_pdc_rx_ack(pdc, hdr, NULL, &in, now);
		break;
	case UET_TK_NACK:
		uet_pdc_rx_nack(pdc, hdr, &in, now);
		break;
	default:
		uet_pdc_rx_cp(pdc, hdr, &in, now);
	}
	fab_chan_work(fab, p->chan);
}

/**
 * fab_chan_rx() - deliver a packet to its destination host
 * @fab: run
 * @pkt: packet
 */
void fab_chan_rx(struct fab *fab, u32 pkt)
{
	const struct fab_packet *p = &fab->pkt[pkt];
	u64 now = fab_ns(fab);
	struct uet_pds_hdr hdr;
	size_t used;

	if (fab->chan[p->chan].is_closed)
		fab->count.needless += p->flags & FAB_P_DATA ? 1 : 0;
	else if (p->flags & FAB_P_TRIMMED)
		rx_trimmed(fab, p, now);
	else if (uet_wire_pds_decode(p->pds, sizeof(p->pds), &hdr, &used))
		fab->why = "a packet cannot be decoded";
	else if (p->dst == fab->chan[p->chan].dst)
		rx_request(fab, p, &hdr, now);
	else
		rx_answer(fab, p, &hdr, now);
	fab_packet_free(fab, pkt);
}
