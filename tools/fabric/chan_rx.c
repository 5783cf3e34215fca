// SPDX-License-Identifier: GPL-2.0
/*
 * What arrives at a host of the fabric simulator: requests and what is left of
 * trimmed ones at the target of a channel, answers at its initiator.  What they
 * mean is for the PDC to say; congestion control and the path hear of it.
 *
 * Spec: the rules a shell has to keep towards the core, pds.h; UE 1.0.1 3.6.12
 * (order of what an ACK and a NACK cause).  Level: test.
 */
#include "fabric.h"

/* Every request succeeds, and its response need not be kept. */
static const struct uet_ses_rsp rx_default_rsp = {
	.form = UET_RSP_FORM_PLAIN,
	.opcode = UET_RSP_DEFAULT,
	.rc = UET_RC_OK,
};

static struct uet_rx_info rx_info(const struct fab_packet *p)
{
	return (struct uet_rx_info) {
		.ev = p->ev, .ce = p->flags & FAB_P_CE, .bytes = p->bytes,
	};
}

static void rx_trimmed(struct fab *fab, const struct fab_packet *p, u64 now)
{
	struct uet_pdc *pdc = fab->chan[p->chan].pdc[UET_PDC_TARGET];
	struct uet_rx_info in = rx_info(p);
	struct uet_pds_hdr hdr;
	u8 code = p->flags & FAB_P_LASTHOP ? UET_NACK_TRIMMED_LASTHOP :
					     UET_NACK_TRIMMED;

	if (!pdc || uet_pds_trimmed(p->pds, sizeof(p->pds), &hdr)) {
		fab->count.syn_trims++;
		return;
	}
	uet_pdc_rx_trimmed(pdc, &hdr, &in, code, now);
	fab_chan_answer(fab, p->chan, now);
}

static void rx_request(struct fab *fab, const struct fab_packet *p,
		       const struct uet_pds_hdr *hdr, u64 now)
{
	struct uet_pdc *pdc = fab_chan_target(fab, p->chan, hdr, now);
	struct uet_rx_info in = rx_info(p);
	bool deliver = false;

	if (!pdc)
		return;
	if (uet_wire_ty(hdr->type)->kind == UET_TK_CP)
		uet_pdc_rx_cp(pdc, hdr, &in, now);
	else
		uet_pdc_rx_req(pdc, hdr, &in, now, &deliver);
	if (deliver) {
		uet_pdc_rx_accept(pdc, hdr, &in, &rx_default_rsp, now);
		fab_flow_arrived(fab, p->flow, p->payload);
	}
	fab_chan_answer(fab, p->chan, now);
}

/* UE 1.0.1 3.6.12: the increase of a 24-bit counter; older ACKs add nothing. */
static u32 rx_newly(struct fab_chan *ch, u32 rcvd)
{
	u32 n = (rcvd - ch->rcvd) & 0xffffff;

	if (n >= 0x800000)
		return 0;
	ch->rcvd = rcvd;
	return n * 256;
}

/*
 * UE 1.0.1 3.6.13: of a packet sent once, or twice and the ACK answers the
 * second time.
 */
static u64 rx_sample(struct fab *fab, const struct fab_chan *ch,
		     const struct uet_pds_hdr *hdr, u64 now)
{
	u32 psn = hdr->u.ack.cack_psn + (u32)hdr->u.ack.ack_off;
	const struct fab_sent *sent = &ch->sent[psn & (fab->cfg.window - 1)];
	u32 rtt = (u32)now - sent->ns;

	if (hdr->flags & UET_F_P || sent->psn != psn ||
	    sent->sends != (hdr->flags & UET_F_RETX ? 2 : 1))
		return 0;
	fab->count.rtts++;
	fab->count.delay_ns += rtt - min_t(u64, fab->base_rtt / FAB_NS, rtt);
	return rtt;
}

static void rx_ack(struct fab *fab, const struct fab_packet *p,
		   const struct uet_pds_hdr *hdr, u64 now)
{
	struct fab_chan *ch = &fab->chan[p->chan];
	struct uet_pdc *pdc = ch->pdc[UET_PDC_INITIATOR];
	struct fab_ack ack = { .hdr = hdr, .ce = hdr->flags & UET_F_M };
	struct uet_rx_info in = rx_info(p);

	if (uet_pdc_rx_ack(pdc, hdr, NULL, &in, now))
		return;
	fab_path_feedback(fab, ch->path, p->ev / fab->par.rails,
			  ack.ce ? UET_EV_ECN : UET_EV_GOOD);
	ack.bytes = rx_newly(ch, hdr->u.ack.state.nscc.rcvd_bytes);
	ack.rtt_ns = rx_sample(fab, ch, hdr, now);
	fab_cc_acked(ch->cc, &ack, now);
}

static void rx_nack(struct fab *fab, const struct fab_packet *p,
		    const struct uet_pds_hdr *hdr, u64 now)
{
	const struct uet_nack *nack = &hdr->u.nack;
	struct fab_chan *ch = &fab->chan[p->chan];
	struct uet_pdc *pdc = ch->pdc[UET_PDC_INITIATOR];
	u64 before = uet_pdc_stats(pdc)->nack_lost;
	struct fab_sent *sent = &ch->sent[nack->psn & (fab->cfg.window - 1)];
	bool at_last_hop = nack->code == UET_NACK_TRIMMED_LASTHOP;
	struct uet_rx_info in = rx_info(p);

	if (uet_pdc_rx_nack(pdc, hdr, &in, now) ||
	    uet_pdc_stats(pdc)->nack_lost == before)
		return;
	fab_path_feedback(fab, ch->path, p->ev / fab->par.rails,
			  at_last_hop ? UET_EV_GOOD : UET_EV_NACK);
	fab_cc_nacked(ch->cc, hdr, now);
	sent->nacked = true;
	ch->resends = true;
}

/* Tell flows what has become of their packets. */
static void rx_reap(struct fab *fab, struct fab_chan *ch)
{
	struct uet_pdc_up up;

	while (uet_pdc_poll_up(ch->pdc[UET_PDC_INITIATOR], &up)) {
		if (up.kind == UET_UP_ACKED)
			fab_flow_acked(fab, (uintptr_t)up.pkt.msg, up.pkt.len);
		else
			fab->why = uet_pdc_error_name(up.error);
	}
}

static void rx_answer(struct fab *fab, const struct fab_packet *p,
		      const struct uet_pds_hdr *hdr, u64 now)
{
	struct fab_chan *ch = &fab->chan[p->chan];
	struct uet_rx_info in = rx_info(p);

	switch (uet_wire_ty(hdr->type)->kind) {
	case UET_TK_ACK:
		rx_ack(fab, p, hdr, now);
		break;
	case UET_TK_NACK:
		rx_nack(fab, p, hdr, now);
		break;
	default:
		uet_pdc_rx_cp(ch->pdc[UET_PDC_INITIATOR], hdr, &in, now);
	}
	fab_chan_losses(fab, ch);
	/* The PDC may have held back what it could not or would not send. */
	ch->resends |= ch->stuck || ch->owed;
	rx_reap(fab, ch);
	fab_host_ready(fab, p->chan);
	fab_chan_arm(fab, p->chan, UET_PDC_INITIATOR);
}

/**
 * fab_chan_rx() - a packet has arrived at the host it is for
 * @fab: run
 * @pkt: packet
 */
void fab_chan_rx(struct fab *fab, u32 pkt)
{
	const struct fab_packet *p = &fab->pkt[pkt];
	u64 now = fab_ns(fab);
	struct uet_pds_hdr hdr;
	size_t used;

	if (p->flags & FAB_P_TRIMMED)
		rx_trimmed(fab, p, now);
	else if (uet_wire_pds_decode(p->pds, sizeof(p->pds), &hdr, &used))
		fab->why = "a packet cannot be decoded";
	else if (p->dst == fab->chan[p->chan].dst)
		rx_request(fab, p, &hdr, now);
	else
		rx_answer(fab, p, &hdr, now);
	fab_packet_free(fab, pkt);
}
