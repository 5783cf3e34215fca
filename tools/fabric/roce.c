// SPDX-License-Identifier: GPL-2.0
/*
 * Connections of RoCEv2 in the fabric simulator: a reliable connection on one path that
 * takes packets in order only, so that after a loss all packets from the lost one on are
 * sent again (go-back-N), at a rate that DCQCN determines.  The receiver acknowledges as
 * many bytes at a time as targets of PDCs do, answers the first packet out of order with
 * a NAK, and marked packets with a CNP.
 *
 * Spec: InfiniBand Architecture 1.4, 9.7 (reliable service); see dcqcn.h.  Level: test.
 */
#include <stdlib.h>

#include "dcqcn.h"
#include "fabric.h"
#include "roce.h"

/* Kinds of packets. */
enum roce_kind {
	ROCE_DATA,
	ROCE_ACK,	/* all packets before @psn have arrived */
	ROCE_NAK,	/* as an ACK, and @psn is missing */
	ROCE_CNP,
};

/**
 * struct roce_hdr - what the ends tell each other, in place of a PDS header
 * @kind: enum roce_kind
 * @psn: packet number
 * @is_last: last packet of a message, which is acknowledged at once
 */
struct roce_hdr {
	u32 kind;
	u32 psn;
	bool is_last;
};

static_assert(sizeof(struct roce_hdr) <= FAB_PDS_MAX);

/**
 * struct roce_at - a position in what a connection sends
 * @flow: its flow, FAB_NONE behind the last one
 * @offset: bytes of the flow in front of it
 * @psn: packet number
 */
struct roce_at {
	u32 flow;
	u64 offset;
	u32 psn;
};

/**
 * struct fab_roce - both ends of a connection
 * @rate: rate of the sender
 * @oldest: first packet that is not acknowledged
 * @next: packet that is sent next
 * @top: number of the first packet that was never sent
 * @send_at: time from which the rate allows the next packet, ps
 * @rto_at: time of the time-out if no ACK comes, ps
 * @expected: receiver: number of the packet that comes next
 * @bytes: receiver: bytes that are not acknowledged
 * @has_nak: receiver: the gap in front of later packets was reported
 * @cnp_at: receiver: time from which another CNP may be sent, ns
 */
struct fab_roce {
	struct dcqcn rate;
	struct roce_at oldest;
	struct roce_at next;
	u32 top;
	u64 send_at;
	u64 rto_at;
	u32 expected;
	u32 bytes;
	bool has_nak;
	u64 cnp_at;
};

/**
 * fab_roce_init() - make the connections of all channels, if the run has such
 * @fab: run whose channels are known
 */
void fab_roce_init(struct fab *fab)
{
	u32 i;

	if (!fab->par.cc->is_roce)
		return;
	fab->roce = calloc(fab->nr_chans, sizeof(*fab->roce));
	if (!fab->roce)
		abort();
	for (i = 0; i < fab->nr_chans; i++) {
		fab->roce[i].oldest.flow = FAB_NONE;
		fab->roce[i].next.flow = FAB_NONE;
		dcqcn_init(&fab->roce[i].rate, fab->par.tier[0].mbps * 1000ULL, fab_ns(fab));
	}
}

/* The timer only moves to an earlier time; when it fires, deadlines are looked at anew. */
static void roce_arm(struct fab *fab, u32 chan, u64 at)
{
	u64 *timer = &fab->chan[chan].timer[0];

	if (at >= *timer)
		return;
	*timer = max(at, fab->clock.now);
	fab_at(&fab->clock, *timer, FAB_EV_ROCE, chan);
}

static void roce_progress(struct fab *fab, u32 chan)
{
	fab->roce[chan].rto_at = fab->clock.now + fab->cfg.rto_init_ns * FAB_NS;
	roce_arm(fab, chan, fab->roce[chan].rto_at);
}

static void roce_work(struct fab *fab, u32 chan)
{
	fab->chan[chan].is_ripe = true;
	fab_host_ready(fab, chan);
}

/**
 * fab_roce_add() - append a flow to a connection
 * @fab: run
 * @chan: number of the channel
 * @nr: flow with bytes to send
 */
void fab_roce_add(struct fab *fab, u32 chan, u32 nr)
{
	struct fab_roce *r = &fab->roce[chan];

	fab->flow[nr].behind = FAB_NONE;
	if (r->oldest.flow == FAB_NONE)
		r->oldest.flow = nr;
	else
		fab->flow[fab->chan[chan].tail].behind = nr;
	if (r->next.flow == FAB_NONE)
		r->next.flow = nr;
	fab->chan[chan].tail = nr;
	roce_work(fab, chan);
}

/* Move a position by a packet. Return: bytes of the packet. */
static u32 roce_step(const struct fab *fab, struct roce_at *at)
{
	const struct fab_flow *flow = &fab->flow[at->flow];
	u32 len = min_t(u64, fab->par.packet - FAB_HEADER, flow->bytes - at->offset);

	at->offset += len;
	at->psn++;
	if (at->offset == flow->bytes) {
		at->flow = flow->behind;
		at->offset = 0;
	}
	return len;
}

static u32 roce_packet(struct fab *fab, u32 chan, const struct roce_hdr *hdr, u32 dst,
		       u32 payload)
{
	u32 pkt = fab_packet_new(fab);
	struct fab_packet *p = &fab->pkt[pkt];

	*p = (struct fab_packet) {
		.chan = chan, .flow = FAB_NONE, .dst = dst, .payload = payload,
		.bytes = payload ? payload + FAB_HEADER : FAB_CONTROL,
		.ev = fab_mix(chan),
	};
	memcpy(p->pds, hdr, sizeof(*hdr));
	return pkt;
}

/**
 * fab_roce_pull() - get a packet for an idle NIC
 * @fab: run
 * @chan: number of a channel that is ripe
 *
 * Return: a packet, or FAB_NONE.
 */
u32 fab_roce_pull(struct fab *fab, u32 chan)
{
	struct roce_hdr hdr = { .kind = ROCE_DATA };
	struct fab_chan *ch = &fab->chan[chan];
	struct fab_roce *r = &fab->roce[chan];
	u32 pkt, flow = r->next.flow, len;

	ch->is_ripe = flow != FAB_NONE && fab->clock.now >= r->send_at;
	if (flow != FAB_NONE && !ch->is_ripe)
		roce_arm(fab, chan, r->send_at);
	if (!ch->is_ripe)
		return FAB_NONE;
	hdr.psn = r->next.psn;
	len = roce_step(fab, &r->next);
	hdr.is_last = r->next.flow != flow;
	pkt = roce_packet(fab, chan, &hdr, ch->dst, len);
	fab->pkt[pkt].flow = flow;
	fab->pkt[pkt].flags = FAB_P_DATA | (ch->class == FAB_URGENT ? FAB_P_URGENT : 0);
	if (r->top == r->oldest.psn)
		roce_progress(fab, chan);
	if (hdr.psn == r->top) {
		r->top++;
		fab->count.packets++;
	} else {
		fab->count.resent++;
	}
	dcqcn_sent(&r->rate, len + FAB_HEADER, fab_ns(fab));
	r->send_at = fab->clock.now + (len + FAB_HEADER) * 8000000000ULL / r->rate.rate;
	return pkt;
}

static void roce_answer(struct fab *fab, u32 chan, enum roce_kind kind)
{
	const struct fab_chan *ch = &fab->chan[chan];
	struct roce_hdr hdr = { .kind = kind, .psn = fab->roce[chan].expected };

	if (kind == ROCE_ACK)
		fab->count.acks++;
	else if (kind == ROCE_NAK)
		fab->count.nacks++;
	else
		fab->count.controls++;
	fab_host_control(fab, ch->dst, roce_packet(fab, chan, &hdr, ch->src, 0));
}

static void roce_rx_data(struct fab *fab, const struct fab_packet *p, const struct roce_hdr *hdr)
{
	struct fab_roce *r = &fab->roce[p->chan];

	if (p->flags & FAB_P_CE && fab_ns(fab) >= r->cnp_at) {
		r->cnp_at = fab_ns(fab) + DCQCN_CNP_NS;
		roce_answer(fab, p->chan, ROCE_CNP);
	}
	if (hdr->psn > r->expected || p->flags & FAB_P_TRIMMED) {
		if (!r->has_nak)
			roce_answer(fab, p->chan, ROCE_NAK);
		r->has_nak = true;
		return;
	}
	if (hdr->psn < r->expected) {
		fab->count.needless++;
		roce_answer(fab, p->chan, ROCE_ACK);
		return;
	}
	r->expected++;
	r->has_nak = false;
	r->bytes += p->bytes;
	fab_flow_arrived(fab, p->flow, p->payload);
	if (hdr->is_last || r->bytes >= fab->par.ack_bytes) {
		r->bytes = 0;
		roce_answer(fab, p->chan, ROCE_ACK);
	}
}

static void roce_go_back(struct fab *fab, u32 chan)
{
	fab->roce[chan].next = fab->roce[chan].oldest;
	roce_progress(fab, chan);
}

static void roce_rx_answer(struct fab *fab, u32 chan, const struct roce_hdr *hdr)
{
	struct fab_roce *r = &fab->roce[chan];
	u32 flow;

	if (hdr->kind == ROCE_CNP) {
		dcqcn_cnp(&r->rate, fab_ns(fab));
		return;
	}
	if (hdr->psn > r->oldest.psn)
		roce_progress(fab, chan);
	while (r->oldest.psn < hdr->psn) {
		flow = r->oldest.flow;
		fab_flow_acked(fab, flow, roce_step(fab, &r->oldest));
	}
	/* An ACK of packets from before a go-back. */
	if (r->next.psn < r->oldest.psn)
		r->next = r->oldest;
	if (hdr->kind == ROCE_NAK && hdr->psn == r->oldest.psn)
		roce_go_back(fab, chan);
	roce_work(fab, chan);
}

/**
 * fab_roce_rx() - deliver a packet to its destination host
 * @fab: run
 * @pkt: packet
 */
void fab_roce_rx(struct fab *fab, u32 pkt)
{
	const struct fab_packet *p = &fab->pkt[pkt];
	struct roce_hdr hdr;

	memcpy(&hdr, p->pds, sizeof(hdr));
	if (hdr.kind == ROCE_DATA)
		roce_rx_data(fab, p, &hdr);
	else
		roce_rx_answer(fab, p->chan, &hdr);
	fab_packet_free(fab, pkt);
}

/**
 * fab_roce_timer() - the rate allows another packet, or no ACK has come
 * @fab: run
 * @chan: number of the channel
 */
void fab_roce_timer(struct fab *fab, u32 chan)
{
	struct fab_roce *r = &fab->roce[chan];

	if (fab->clock.now != fab->chan[chan].timer[0])
		return;
	fab->chan[chan].timer[0] = UET_NEVER;
	if (r->oldest.psn != r->top) {
		if (fab->clock.now >= r->rto_at) {
			fab->count.losses++;
			roce_go_back(fab, chan);
		}
		roce_arm(fab, chan, r->rto_at);
	}
	roce_work(fab, chan);
}
