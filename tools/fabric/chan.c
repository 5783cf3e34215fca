// SPDX-License-Identifier: GPL-2.0
/*
 * Channels of the fabric simulator: one PDC, the initiator at one host and the
 * target at another, both the very objects of uet.ko.  Here the initiator
 * sends. It is given a packet when a NIC is ready for it, congestion control
 * agrees, and nothing is to be sent again; the packet gets the entropy value
 * that the path chooses.  There is no SES: the flow of a packet travels beside
 * it.
 *
 * Spec: the rules a shell has to keep towards the core, pds.h.  Level: test.
 */
#include <stdlib.h>

#include "fabric.h"

/* PDCIDs; nobody looks for a PDC by them. */
#define CHAN_ID_INITIATOR	1
#define CHAN_ID_TARGET		2

/**
 * fab_ns() - the clock of all PDCs
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
	struct uet_pdc *pdc = malloc(uet_pdc_size(&fab->cfg));

	if (!pdc)
		abort();
	uet_pdc_init(pdc, &fab->cfg, open, now);
	return pdc;
}

/**
 * fab_chan_target() - the target of a channel, if need be a new one
 * @fab: run
 * @chan: its number
 * @hdr: header of a packet that came for it
 * @now: ns
 *
 * Return: the PDC; NULL if there is none and the packet opens none.
 */
struct uet_pdc *fab_chan_target(struct fab *fab, u32 chan,
				const struct uet_pds_hdr *hdr, u64 now)
{
	struct fab_chan *ch = &fab->chan[chan];
	struct uet_pdc_open open = {
		.role = UET_PDC_TARGET,
		.local_pdcid = CHAN_ID_TARGET,
		.seed = ~chan,
	};

	if (!ch->pdc[UET_PDC_TARGET] &&
	    uet_pds_opens_pdc(hdr, &open.mode, &open.peer_pdcid,
			      &open.start_psn))
		ch->pdc[UET_PDC_TARGET] = chan_pdc(fab, &open, now);
	return ch->pdc[UET_PDC_TARGET];
}

/* A NOOP and its answer, outside the network, have the PDC open at @now. */
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
 * fab_chan_open() - make the initiator of a channel, and open the PDC
 * @fab: run
 * @chan: its number; nothing happens if it is open
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
	ch->sent = calloc(fab->cfg.window, sizeof(*ch->sent));
	if (!ch->sent)
		abort();
	ch->pdc[UET_PDC_INITIATOR] =
		chan_pdc(fab, &open, now - fab->base_rtt / FAB_NS);
	ch->is_fresh = true;
	ch->path = fab_path_init(fab);
	if (!fab->par.is_cold)
		chan_shake_hands(fab, chan, now);
	ch->cc = fab_cc_init(fab, open.start_psn + !fab->par.is_cold, now);
}

/**
 * fab_chan_fini() - return its memory
 * @ch: channel
 */
void fab_chan_fini(struct fab_chan *ch)
{
	free(ch->pdc[UET_PDC_INITIATOR]);
	free(ch->pdc[UET_PDC_TARGET]);
	free(ch->sent);
	free(ch->cc);
	free(ch->path);
}

/**
 * fab_chan_add() - a flow begins on a channel
 * @fab: run
 * @chan: its number
 * @flow: flow that has bytes to send
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
	fab_cc_new_data(ch->cc, fab_wire_bytes(fab, fab->flow[flow].bytes),
			fab_ns(fab));
	fab_host_ready(fab, chan);
}

/**
 * fab_chan_wants() - may a channel have a packet to send, and may it send it?
 * @fab: run
 * @ch: open channel
 *
 * UE 1.0.1 3.5.15: what was found lost need not wait for the window, which what
 * is lost may fill.
 *
 * Return: true if so; there may be none nevertheless.
 */
bool fab_chan_wants(const struct fab *fab, const struct fab_chan *ch)
{
	if (ch->resends && ch->owed)
		return true;
	if (!ch->resends &&
	    (ch->head == FAB_NONE || ch->stuck ||
	     !uet_pdc_tx_room(ch->pdc[UET_PDC_INITIATOR])))
		return false;
	return fab_cc_may_send(ch->cc);
}

/* Hand the next packet of a flow down. */
static void chan_hand_down(struct fab *fab, struct fab_chan *ch, u64 now)
{
	struct fab_flow *flow = &fab->flow[ch->head];
	u32 most = fab->par.packet - FAB_HEADER;
	struct uet_pds_pkt pkt = {
		.msg = (void *)(uintptr_t)ch->head,
		.offset = flow->handed,
		.len = min_t(u64, most, flow->bytes - flow->handed),
		.next_hdr = UET_NH_REQ_STD,
	};

	flow->handed += pkt.len;
	if (flow->handed == flow->bytes)
		ch->head = flow->behind;
	/* UE 1.0.1 3.5.12.2: the first packet has its ACK, too. */
	if (flow->handed == flow->bytes || ch->is_fresh)
		pkt.flags = UET_PKT_TAIL;
	ch->is_fresh = false;
	uet_pdc_tx_req(ch->pdc[UET_PDC_INITIATOR], &pkt, now);
}

/* A packet that no NACK has told of was lost, by the path that it took. */
static void chan_note_resent(struct fab *fab, struct fab_chan *ch,
			     const struct fab_sent *sent, u64 now)
{
	fab->count.resent++;
	if (sent->nacked)
		return;
	ch->owed -= min(ch->owed, 1U);
	fab_cc_lost(ch->cc, sent->psn, now);
	fab_path_feedback(fab, ch->path, sent->ev / fab->par.rails,
			  UET_EV_TIMEOUT);
}

/* Write down what is sent, and with which entropy value. */
static u16 chan_note_sent(struct fab *fab, struct fab_chan *ch,
			  struct uet_pdc_tx *tx, u8 rail, u64 now)
{
	u32 psn = tx->hdr.u.req.psn;
	struct fab_sent *sent = &ch->sent[psn & (fab->cfg.window - 1)];

	if (tx->is_retx)
		chan_note_resent(fab, ch, sent, now);
	else
		fab->count.packets++;
	*sent = (struct fab_sent) {
		.psn = psn,
		.ns = now,
		.ev = fab_path_next(fab, ch->path) * fab->par.rails + rail,
		.bytes = tx->pkt.len + FAB_HEADER,
		.sends = tx->is_retx ? min(sent->sends + 1, 255) : 1,
	};
	if (fab_cc_sent(ch->cc, psn, sent->bytes, now))
		tx->hdr.flags |= UET_F_AR;
	return sent->ev;
}

/* A packet of @bytes with the header of @tx. */
static u32 chan_packet(struct fab *fab, const struct uet_pdc_tx *tx, u32 bytes,
		       u16 ev)
{
	u32 pkt = fab_packet_new(fab);
	struct fab_packet *p = &fab->pkt[pkt];

	p->bytes = bytes;
	p->ev = ev;
	p->rail = ev % fab->par.rails;
	p->flags = 0;
	uet_wire_pds_encode(&tx->hdr, p->pds, sizeof(p->pds));
	return pkt;
}

/**
 * fab_chan_control() - send a packet without payload
 * @fab: run
 * @chan: number of the channel
 * @role: from which end
 * @tx: what the PDC wants sent
 */
void fab_chan_control(struct fab *fab, u32 chan, enum uet_pdc_role role,
		      const struct uet_pdc_tx *tx)
{
	struct fab_chan *ch = &fab->chan[chan];
	u32 pkt = chan_packet(fab, tx, FAB_CONTROL, tx->ev);

	if (tx->kind == UET_TX_ACK)
		fab->count.acks++;
	else if (tx->kind == UET_TX_NACK)
		fab->count.nacks++;
	else
		fab->count.controls++;
	fab->pkt[pkt].chan = chan;
	fab->pkt[pkt].flow = FAB_NONE;
	fab->pkt[pkt].dst = role == UET_PDC_INITIATOR ? ch->dst : ch->src;
	fab_host_control(fab, role == UET_PDC_INITIATOR ? ch->src : ch->dst,
			 pkt);
}

static u32 chan_data(struct fab *fab, u32 chan, struct uet_pdc_tx *tx, u8 rail,
		     u64 now)
{
	struct fab_chan *ch = &fab->chan[chan];
	u16 ev = chan_note_sent(fab, ch, tx, rail, now);
	u32 pkt = chan_packet(fab, tx, tx->pkt.len + FAB_HEADER, ev);
	struct fab_packet *p = &fab->pkt[pkt];

	p->chan = chan;
	p->flow = (uintptr_t)tx->pkt.msg;
	p->dst = ch->dst;
	p->payload = tx->pkt.len;
	p->flags = FAB_P_DATA;
	if (!tx->is_retx)
		ch->stuck = false;
	return pkt;
}

/* Send what the initiator owes, up to a packet with payload. */
static u32 chan_poll(struct fab *fab, u32 chan, u8 rail, u64 now)
{
	struct uet_pdc *pdc = fab->chan[chan].pdc[UET_PDC_INITIATOR];
	struct uet_pdc_tx tx;

	while (uet_pdc_poll_tx(pdc, &tx, now)) {
		if (tx.kind == UET_TX_REQ)
			return chan_data(fab, chan, &tx, rail, now);
		fab_chan_control(fab, chan, UET_PDC_INITIATOR, &tx);
	}
	return FAB_NONE;
}

/**
 * fab_chan_pull() - a NIC is ready for a packet
 * @fab: run
 * @chan: number of a channel that wants to send
 * @rail: of the NIC
 *
 * Return: a packet, or FAB_NONE.
 */
u32 fab_chan_pull(struct fab *fab, u32 chan, u8 rail)
{
	struct fab_chan *ch = &fab->chan[chan];
	u64 now = fab_ns(fab);
	u32 pkt = FAB_NONE;

	if (ch->resends) {
		pkt = chan_poll(fab, chan, rail, now);
		ch->resends = pkt != FAB_NONE;
	}
	if (pkt == FAB_NONE && ch->head != FAB_NONE && !ch->stuck &&
	    uet_pdc_tx_room(ch->pdc[UET_PDC_INITIATOR]) &&
	    fab_cc_may_send(ch->cc)) {
		chan_hand_down(fab, ch, now);
		ch->stuck = true;
		pkt = chan_poll(fab, chan, rail, now);
	}
	fab_chan_arm(fab, chan, UET_PDC_INITIATOR);
	return pkt;
}

/**
 * fab_chan_losses() - look for losses that the initiator has found by itself
 * @fab: run
 * @ch: open channel
 *
 * A time-out loses one packet, the oldest.
 */
void fab_chan_losses(struct fab *fab, struct fab_chan *ch)
{
	const struct uet_pdc_stats *stats =
		uet_pdc_stats(ch->pdc[UET_PDC_INITIATOR]);
	u64 lost = stats->sack_lost + stats->rto_fired;

	if (lost == ch->lost)
		return;
	fab->count.losses += lost - ch->lost;
	ch->owed += lost - ch->lost;
	ch->lost = lost;
	ch->resends = true;
}

/**
 * fab_chan_arm() - have an end of a channel look at the clock when it wants to
 * @fab: run
 * @chan: number of the channel
 * @role: the end
 *
 * Like an hrtimer that is only ever moved forward, and looks when it fires.
 */
void fab_chan_arm(struct fab *fab, u32 chan, enum uet_pdc_role role)
{
	struct fab_chan *ch = &fab->chan[chan];
	u64 at = uet_pdc_deadline(ch->pdc[role]);

	if (at == UET_NEVER || at * FAB_NS >= ch->timer[role])
		return;
	ch->timer[role] = max(at * FAB_NS, fab->clock.now);
	fab_at(&fab->clock, ch->timer[role], FAB_EV_TIMER, 2 * chan + role);
}

/**
 * fab_chan_answer() - send the answers that a target owes
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
			fab_chan_control(fab, chan, UET_PDC_TARGET, &tx);
	fab_chan_arm(fab, chan, UET_PDC_TARGET);
}

static void chan_tick(struct fab *fab, u32 chan, u64 now)
{
	struct fab_chan *ch = &fab->chan[chan];
	struct uet_pdc *pdc = ch->pdc[UET_PDC_INITIATOR];
	struct uet_pdc_info info;

	uet_pdc_tick(pdc, now);
	fab_chan_losses(fab, ch);
	uet_pdc_get_info(pdc, &info);
	if (info.tx_base_psn == info.next_psn)
		ch->owed = 0;
	if (info.error != UET_PDC_OK)
		fab->why = uet_pdc_error_name(info.error);
	ch->resends = true;
	fab_host_ready(fab, chan);
}

/**
 * fab_chan_timer() - an end of a channel looks at the clock
 * @fab: run
 * @arg: twice the number of the channel, and the role
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
	if (is_due && role == UET_PDC_INITIATOR)
		chan_tick(fab, arg / 2, now);
	if (is_due && role == UET_PDC_TARGET) {
		uet_pdc_tick(ch->pdc[role], now);
		fab_chan_answer(fab, arg / 2, now);
	}
	fab_chan_arm(fab, arg / 2, role);
}
