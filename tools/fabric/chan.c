// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit side of the channels of the fabric simulator.  A channel is one PDC, the
 * initiator at one host and the target at another, both built from the code of uet.ko.
 * The initiator gets packets as long as it has space, and is polled for a packet when
 * a NIC is idle.  The PDC and its context decide about congestion control and path.
 * There is no SES: the simulator carries the flow number beside the packet.
 *
 * Spec: the rules of pds.h for a user of the core.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"
#include "pdc_block.h"

/* PDCIDs; no code looks up a PDC by these values. */
#define CHAN_ID_INITIATOR	1
#define CHAN_ID_TARGET		2

/*
 * Smallest SES header: FAB_HEADER is 40 nominal bytes, 12 bytes of PDS and 12 bytes of
 * SES, and leaves none for a carrier header.
 */
#define CHAN_NEXT_HDR		UET_NH_RSP_DATA_SMALL

/**
 * fab_ns() - current time of the PDC clock
 * @fab: run
 *
 * Return: ns.
 */
u64 fab_ns(const struct fab *fab)
{
	return fab->clock.now / FAB_NS;
}

static struct uet_pdc *chan_pdc(struct fab *fab,
				const struct uet_pdc_open *open, u64 now)
{
	struct uet_pdc *pdc = fab_arena_get(&fab->pdc_mem);

	pdc_block_init(pdc, &fab->cfg, open, now);
	return pdc;
}

/**
 * fab_chan_target() - get the target of a channel, creating it if needed
 * @fab: run
 * @chan: number of the channel
 * @hdr: header of an arriving packet
 * @now: ns
 *
 * Return: the PDC; NULL if there is none and the packet cannot open one.
 */
struct uet_pdc *fab_chan_target(struct fab *fab, u32 chan,
				const struct uet_pds_hdr *hdr, u64 now)
{
	struct fab_chan *ch = &fab->chan[chan];
	struct uet_pdc_open open = {
		.role = UET_PDC_TARGET,
		.local_pdcid = CHAN_ID_TARGET,
		.seed = ~chan,
		.ccc = &fab->idle_ccc,
		.paces_credit = fab->pacer,
	};

	if (!ch->pdc[UET_PDC_TARGET] &&
	    uet_pds_opens_pdc(hdr, &open.mode, &open.peer_pdcid,
			      &open.start_psn)) {
		ch->pdc[UET_PDC_TARGET] = chan_pdc(fab, &open, now);
		uet_pacer_flow_init(&ch->source);
	}
	return ch->pdc[UET_PDC_TARGET];
}

/* Open the PDC at @now by a NOOP and its answer, exchanged outside the network. */
static void chan_shake_hands(struct fab *fab, u32 chan, u64 now)
{
	struct fab_chan *ch = &fab->chan[chan];
	struct uet_pdc *initiator = ch->pdc[UET_PDC_INITIATOR], *target;
	u64 before = now - fab->base_rtt / FAB_NS;
	struct uet_rx_info in = { .ev = 1 };
	struct uet_pdc_up up;
	struct uet_pdc_tx tx;

	uet_pdc_tx_noop(initiator, NULL, before);
	uet_pdc_poll_tx(initiator, &tx, before);
	target = fab_chan_target(fab, chan, &tx.hdr, now);
	uet_pdc_rx_cp(target, &tx.hdr, &in, now);
	uet_pdc_poll_tx(target, &tx, now);
	uet_pdc_rx_ack(initiator, &tx.hdr, NULL, &in, now);
	while (uet_pdc_poll_up(initiator, &up))
		;
}

/**
 * fab_chan_open() - create the initiator of a channel and open the PDC
 * @fab: run
 * @chan: number of the channel; no effect if it is open
 */
void fab_chan_open(struct fab *fab, u32 chan)
{
	struct fab_chan *ch = &fab->chan[chan];
	struct uet_pdc_open open = {
		.role = UET_PDC_INITIATOR,
		.mode = UET_PDC_RUD,
		.local_pdcid = CHAN_ID_INITIATOR,
		.start_psn = fab_rand(&fab->rng),
		.seed = chan,
	};
	u64 now = fab_ns(fab);

	if (ch->pdc[UET_PDC_INITIATOR])
		return;
	ch->sent_ns = fab_arena_get(&fab->sent_mem);
	memset(ch->sent_ns, 0, fab->cfg.window * sizeof(*ch->sent_ns));
	ch->cms = fab_cms_new(fab);
	open.ccc = &ch->cms->ccc;
	ch->pdc[UET_PDC_INITIATOR] =
		chan_pdc(fab, &open, now - fab->base_rtt / FAB_NS);
	ch->is_fresh = true;
	if (!fab->par.is_cold)
		chan_shake_hands(fab, chan, now);
}

/**
 * fab_chan_count() - count what the PDCs of a channel have found lost, and received again
 * @fab: run
 * @ch: channel
 */
void fab_chan_count(struct fab *fab, const struct fab_chan *ch)
{
	const struct uet_pdc_stats *stats;

	if (!ch->pdc[UET_PDC_INITIATOR] || !ch->pdc[UET_PDC_TARGET])
		return;
	stats = uet_pdc_stats(ch->pdc[UET_PDC_INITIATOR]);
	fab->count.losses += stats->sack_lost + stats->rto_fired;
	stats = uet_pdc_stats(ch->pdc[UET_PDC_TARGET]);
	fab->count.needless += stats->rx_dup;
}

/* All flows are complete: end both PDCs.  Packets on their way are ignored. */
static void chan_close(struct fab *fab, struct fab_chan *ch)
{
	fab_chan_count(fab, ch);
	if (fab->pacer && ch->pdc[UET_PDC_TARGET])
		uet_pacer_leave(&fab->pacer[ch->dst].pacer, &ch->source);
	fab_arena_put(&fab->pdc_mem, ch->pdc[UET_PDC_INITIATOR]);
	fab_arena_put(&fab->pdc_mem, ch->pdc[UET_PDC_TARGET]);
	fab_arena_put(&fab->sent_mem, ch->sent_ns);
	fab_arena_put(&fab->cms_mem, ch->cms);
	ch->pdc[UET_PDC_INITIATOR] = NULL;
	ch->pdc[UET_PDC_TARGET] = NULL;
	ch->timer[UET_PDC_INITIATOR] = UET_NEVER;
	ch->timer[UET_PDC_TARGET] = UET_NEVER;
	ch->sent_ns = NULL;
	ch->cms = NULL;
	ch->is_ripe = false;
	ch->is_closed = true;
}

/**
 * fab_chan_add() - append a flow to a channel
 * @fab: run
 * @chan: number of the channel
 * @flow: flow with bytes to send
 */
void fab_chan_add(struct fab *fab, u32 chan, u32 flow)
{
	struct fab_chan *ch = &fab->chan[chan];

	fab_chan_open(fab, chan);
	fab->flow[flow].behind = FAB_NONE;
	if (ch->head == FAB_NONE)
		ch->head = flow;
	else
		fab->flow[ch->tail].behind = flow;
	ch->tail = flow;
	fab_chan_work(fab, chan);
}

/* Pass the next packet of a flow to the PDC. */
static void chan_hand_down(struct fab *fab, struct fab_chan *ch, u64 now)
{
	struct fab_flow *flow = &fab->flow[ch->head];
	u32 most = fab->par.packet - FAB_HEADER;
	struct uet_pds_pkt pkt = {
		.msg = (void *)(uintptr_t)ch->head,
		.offset = flow->handed,
		.len = min_t(u64, most, flow->bytes - flow->handed),
		.next_hdr = CHAN_NEXT_HDR,
	};

	flow->handed += pkt.len;
	if (flow->handed == flow->bytes)
		ch->head = flow->behind;
	/* UE 1.0.1 3.5.12.2: the first packet gets an immediate ACK, too. */
	if (flow->handed == flow->bytes || ch->is_fresh)
		pkt.flags = UET_PKT_TAIL;
	ch->is_fresh = false;
	uet_pdc_tx_req(ch->pdc[UET_PDC_INITIATOR], &pkt, now);
}

/* Report acknowledged packets to their flows. */
static void chan_reap(struct fab *fab, struct fab_chan *ch)
{
	struct uet_pdc_up up;

	while (uet_pdc_poll_up(ch->pdc[UET_PDC_INITIATOR], &up)) {
		if (up.kind == UET_UP_ACKED)
			fab_flow_acked(fab, (uintptr_t)up.pkt.msg, up.pkt.len);
		else
			fab->why = uet_pdc_error_name(up.error);
	}
}

/*
 * Arm the timer of one end of a channel for its deadline.  The timer only moves to an
 * earlier time and evaluates the deadline again when it fires, like an hrtimer.
 */
static void chan_arm(struct fab *fab, u32 chan, enum uet_pdc_role role)
{
	struct fab_chan *ch = &fab->chan[chan];
	u64 at = uet_pdc_deadline(ch->pdc[role]);

	if (at == UET_NEVER || at * FAB_NS >= ch->timer[role])
		return;
	ch->timer[role] = max(at * FAB_NS, fab->clock.now);
	fab_at(&fab->clock, ch->timer[role], FAB_EV_TIMER, 2 * chan + role);
}

/* Count the channels of a host that have data to send, as cms/ccc_entry.c does. */
static void chan_count(struct fab *fab, struct fab_chan *ch)
{
	struct uet_ccc *ccc = &ch->cms->ccc;
	bool is_busy = ch->head != FAB_NONE || ccc->backlog || ccc->waiting_rtx;

	if (is_busy != ch->is_busy)
		fab->host[ch->src].busy += is_busy ? 1 : -1;
	ch->is_busy = is_busy;
	/* Without credit: the gates of RCCC are those of htsim with undivided demand. */
	if (!fab->pacer)
		ccc->sharers = fab->host[ch->src].busy;
}

/**
 * fab_chan_work() - process an event at the initiator of a channel
 * @fab: run
 * @chan: number of the channel
 *
 * Does the work of the run loop except sending, which waits for a NIC.
 */
void fab_chan_work(struct fab *fab, u32 chan)
{
	struct fab_chan *ch = &fab->chan[chan];

	chan_reap(fab, ch);
	chan_count(fab, ch);
	if (!ch->left) {
		chan_close(fab, ch);
		return;
	}
	while (ch->head != FAB_NONE &&
	       uet_pdc_tx_space(ch->pdc[UET_PDC_INITIATOR]))
		chan_hand_down(fab, ch, fab_ns(fab));
	ch->is_ripe = true;
	fab_host_ready(fab, chan);
	/* While the channel waits for a NIC, its deadline stays due: arm no timer. */
	if (!ch->is_ready)
		chan_arm(fab, chan, UET_PDC_INITIATOR);
}

/* Allocate a packet of @bytes with the PDS header of @tx. */
static u32 chan_packet(struct fab *fab, const struct uet_pdc_tx *tx, u32 bytes,
		       u8 rail)
{
	u32 pkt = fab_packet_new(fab);
	struct fab_packet *p = &fab->pkt[pkt];

	p->bytes = bytes;
	p->ev = tx->ev;
	p->rail = rail;
	p->flags = 0;
	if (!uet_wire_pds_encode(&tx->hdr, p->pds, sizeof(p->pds)))
		fab->why = "a packet cannot be encoded";
	return pkt;
}

/* Send a packet without payload on the rail of its entropy value. */
static void chan_control(struct fab *fab, u32 chan, enum uet_pdc_role role,
			 const struct uet_pdc_tx *tx)
{
	struct fab_chan *ch = &fab->chan[chan];
	u8 rail = uet_ev_sel_port(&ch->cms->sel, tx->ev);
	u32 pkt = chan_packet(fab, tx, FAB_CONTROL, rail);

	if (tx->kind == UET_TX_ACK)
		fab->count.acks++;
	else if (tx->kind == UET_TX_NACK)
		fab->count.nacks++;
	else if (tx->hdr.next_hdr == UET_CP_CREDIT)
		fab->count.credits++;
	else
		fab->count.controls++;
	fab->pkt[pkt].chan = chan;
	fab->pkt[pkt].flow = FAB_NONE;
	fab->pkt[pkt].dst = role == UET_PDC_INITIATOR ? ch->dst : ch->src;
	fab_host_control(fab, role == UET_PDC_INITIATOR ? ch->src : ch->dst,
			 pkt);
}

static u32 chan_data(struct fab *fab, u32 chan, const struct uet_pdc_tx *tx,
		     u8 rail, u64 now)
{
	u32 pkt = chan_packet(fab, tx, tx->pkt.len + FAB_HEADER, rail);
	struct fab_packet *p = &fab->pkt[pkt];
	struct fab_chan *ch = &fab->chan[chan];

	p->chan = chan;
	p->flow = (uintptr_t)tx->pkt.msg;
	p->dst = ch->dst;
	p->payload = tx->pkt.len;
	p->flags = FAB_P_DATA | (ch->class == FAB_URGENT ? FAB_P_URGENT : 0);
	if (tx->is_retx)
		fab->count.resent++;
	else
		fab->count.packets++;
	ch->sent_ns[tx->hdr.u.req.psn & (fab->cfg.window - 1)] =
		tx->is_retx ? 0 : (u32)now;
	return pkt;
}

/**
 * fab_chan_pull() - get a packet for an idle NIC
 * @fab: run
 * @chan: number of a channel that is ripe
 * @rail: rail of the NIC
 *
 * Return: a packet, or FAB_NONE.
 */
u32 fab_chan_pull(struct fab *fab, u32 chan, u8 rail)
{
	struct fab_chan *ch = &fab->chan[chan];
	u64 now = fab_ns(fab);
	struct uet_pdc_tx tx;
	u32 pkt = FAB_NONE;

	if (ch->is_closed)
		return FAB_NONE;
	ch->cms->ccc.free_ports = BIT(rail);
	chan_count(fab, ch);
	while (pkt == FAB_NONE &&
	       uet_pdc_poll_tx(ch->pdc[UET_PDC_INITIATOR], &tx, now)) {
		if (tx.kind == UET_TX_REQ)
			pkt = chan_data(fab, chan, &tx, rail, now);
		else
			chan_control(fab, chan, UET_PDC_INITIATOR, &tx);
	}
	ch->is_ripe = pkt != FAB_NONE;
	chan_arm(fab, chan, UET_PDC_INITIATOR);
	return pkt;
}

/**
 * fab_chan_answer() - send the pending answers of a target
 * @fab: run
 * @chan: number of the channel
 * @now: ns
 */
void fab_chan_answer(struct fab *fab, u32 chan, u64 now)
{
	struct uet_pdc *pdc = fab->chan[chan].pdc[UET_PDC_TARGET];
	struct uet_pdc_tx tx;

	if (!uet_pdc_is_at_rest(pdc))
		while (uet_pdc_poll_tx(pdc, &tx, now))
			chan_control(fab, chan, UET_PDC_TARGET, &tx);
	chan_arm(fab, chan, UET_PDC_TARGET);
}

/**
 * fab_chan_timer() - handle the timer of one end of a channel
 * @fab: run
 * @arg: twice the channel number, plus the role
 */
void fab_chan_timer(struct fab *fab, u32 arg)
{
	enum uet_pdc_role role = arg & 1;
	struct fab_chan *ch = &fab->chan[arg / 2];
	u64 now = fab_ns(fab);
	bool is_due;

	if (fab->clock.now != ch->timer[role])
		return;
	ch->timer[role] = UET_NEVER;
	is_due = uet_pdc_deadline(ch->pdc[role]) <= now;
	if (is_due)
		uet_pdc_tick(ch->pdc[role], now);
	if (is_due && role == UET_PDC_INITIATOR)
		fab_chan_work(fab, arg / 2);
	else if (is_due)
		fab_chan_answer(fab, arg / 2, now);
	else
		chan_arm(fab, arg / 2, role);
}
