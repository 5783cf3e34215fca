// SPDX-License-Identifier: GPL-2.0
/*
 * A fabric endpoint of the explorer: finds the PDC of a packet by the rules of UE 1.0.1
 * 3.5.8.2 as rx/rx.c of the module does, and encodes and decodes all packets.  No
 * struct crosses the network, except for the tag that stands for a payload.
 * Level: test.
 */
#include "explore.h"

static struct ex_pdc *node_by_id(u8 node, u16 id)
{
	struct ex_pdc *p;

	for (p = ex.pdc[node]; p != ex.pdc[node] + EX_PDCS; p++)
		if (p->is_used && p->id == id)
			return p;
	return NULL;
}

/* The target of a SYN, ended or not. */
static struct ex_pdc *node_by_syn(u8 node, u16 peer_id)
{
	struct ex_pdc *p;

	for (p = ex.pdc[node]; p != ex.pdc[node] + EX_PDCS; p++)
		if (p->is_used && p->role == UET_PDC_TARGET && p->peer_id == peer_id)
			return p;
	return NULL;
}

/* ------------------------------------------------------------------------ sending */

static size_t node_put_rest(const struct uet_pdc_tx *tx, struct ex_frame *frame,
			    size_t at)
{
	u8 *buf = frame->data + at;
	size_t n;

	if (tx->kind == UET_TX_REQ)
		return ex_app_put(&tx->pkt, frame, at);
	n = uet_wire_ses_rsp_encode(&tx->rsp, buf, sizeof(frame->data) - at);
	if (!n || !tx->rsp.data)
		return n;
	memcpy(buf + n, tx->rsp.data, tx->rsp.payload_length);
	return n + tx->rsp.payload_length;
}

/**
 * ex_send() - send a packet that the core built
 * @from: sending node
 * @tx: from uet_pdc_poll_tx() or uet_pds_reply_no_pdc()
 */
void ex_send(u8 from, const struct uet_pdc_tx *tx)
{
	bool has_rest = tx->kind == UET_TX_REQ ||
			(tx->kind == UET_TX_ACK && tx->hdr.next_hdr != UET_NH_NONE);
	struct ex_frame *frame = &ex.frame[ex.nr_frames];
	size_t at, n, rest = 0;

	if (ex.nr_frames == EX_FRAMES) {
		ex_run.overflows = true;
		return;
	}
	memset(frame, 0, sizeof(*frame));
	frame->from = from;
	frame->born_ns = ex.now;
	at = ex_run.world->is_secure ? ex_secure_seal(frame) : 0;
	n = uet_wire_pds_encode(&tx->hdr, frame->data + at, sizeof(frame->data) - at);
	if (n && has_rest)
		rest = node_put_rest(tx, frame, at + n);
	if (!n || (has_rest && !rest)) {
		ex_fail("node %u cannot encode a packet of type %u", from, tx->hdr.type);
		return;
	}
	frame->len = at + n + rest;
	ex.nr_frames++;
}

/**
 * ex_frame_drop() - remove a packet from those in flight
 * @i: its index
 */
void ex_frame_drop(u32 i)
{
	ex.frame[i] = ex.frame[--ex.nr_frames];
}

/* ---------------------------------------------------------------------- receiving */

/* A received packet during its processing. */
struct node_pkt {
	struct uet_pds_hdr hdr;
	struct uet_rx_info in;
	struct uet_ses_req req;
	struct uet_ses_rsp rsp;
	bool is_rsp;
	struct uet_tss_op op;
	u32 len, tag;
};

static void node_refuse(u8 node, const struct node_pkt *pkt, u8 nack_code)
{
	struct uet_pdc_tx tx;

	if (uet_pds_reply_no_pdc(&pkt->hdr, &pkt->in, nack_code, &tx))
		ex_send(node, &tx);
}

/*
 * A SYN with the key of a PDC that has ended.  A late copy of its SYN must not be executed
 * again.  Return: a new PDC may be opened.
 */
static bool node_late_syn(u8 node, struct ex_pdc *p, const struct node_pkt *pkt,
			  u32 start_psn)
{
	if (ex.now >= p->gone_ns)
		return true;
	if (start_psn != p->start_psn && start_psn != p->syn_psn) {
		p->is_used = false;
		return true;
	}
	if (p->has_failed) {
		ex_pdc_time_wait(p);
		node_refuse(node, pkt, UET_NACK_CLOSING_IN_ERR);
	}
	return false;
}

/* A SYN with the key of a PDC that lives.  Return: the packet is of this PDC. */
static bool node_rival(struct ex_pdc *p, u32 start_psn)
{
	enum uet_rival rival;

	if (start_psn == p->start_psn || start_psn == p->syn_psn ||
	    uet_pdc_state(ex_core(p)) == UET_PDC_ST_PENDING)
		return true;
	rival = uet_pdc_rx_rival(ex_core(p), ex.now);
	if (rival == UET_RIVAL_REFUSE)
		return true;
	if (rival == UET_RIVAL_REPLACE)
		uet_pdc_abort(ex_core(p), ex.now);
	ex_pdc_run(p);
	return false;
}

/* Find the PDC of a packet with SYN, or open one. */
static struct ex_pdc *node_find_syn(u8 node, const struct node_pkt *pkt)
{
	struct uet_pdc_open open = { .role = UET_PDC_TARGET };
	bool is_cp = pkt->hdr.type == UET_TY_CP;
	struct ex_pdc *p;

	p = node_by_syn(node, is_cp ? pkt->hdr.u.cp.spdcid : pkt->hdr.u.req.spdcid);
	if (!uet_pds_opens_pdc(&pkt->hdr, &open.mode, &open.peer_pdcid,
			       &open.start_psn)) {
		if (p && !p->is_dead)
			return p;
		node_refuse(node, pkt, UET_NACK_INV_DPDCID);
		return NULL;
	}
	if (p && !p->is_dead)
		return node_rival(p, open.start_psn) ? p : NULL;
	if (p && !node_late_syn(node, p, pkt, open.start_psn))
		return NULL;
	if (ex_run.world->is_secure)
		ex_secure_start(node, &pkt->op, &open);
	return ex_pdc_new(node, &open);
}

/* Find the PDC of a request or control packet, or send a NACK if there is none. */
static struct ex_pdc *node_find(u8 node, const struct node_pkt *pkt)
{
	bool is_cp = pkt->hdr.type == UET_TY_CP;
	struct ex_pdc *p;

	if (pkt->hdr.flags & UET_F_SYN)
		return node_find_syn(node, pkt);
	p = node_by_id(node, is_cp ? pkt->hdr.u.cp.dpdcid : pkt->hdr.u.req.dpdcid);
	if (p && !p->is_dead)
		return p;
	node_refuse(node, pkt, p && p->has_failed && ex.now < p->gone_ns ?
			       UET_NACK_CLOSING_IN_ERR : UET_NACK_INV_DPDCID);
	return NULL;
}

/* Keep a copy of a request until those before it arrive. */
static void node_keep(const struct ex_frame *frame, const struct node_pkt *pkt,
		      struct ex_pdc *p)
{
	u32 at = p->nr_early, psn = pkt->hdr.u.req.psn;
	struct uet_pds_hdr hdr;
	size_t used;

	if (ex_run.world->drops_early || p->nr_early == EX_WINDOW_MAX)
		return;
	while (at && !uet_wire_pds_decode(p->early[at - 1].data, p->early[at - 1].len,
					  &hdr, &used) &&
	       uet_psn_after(hdr.u.req.psn, psn)) {
		p->early[at] = p->early[at - 1];
		at--;
	}
	p->early[at] = *frame;
	p->nr_early++;
	uet_pdc_early_keep(ex_core(p), &pkt->hdr, &pkt->in, ex.now);
}

/* A packet for SES must be new on its PDC, inside the window, and in order with ROD. */
static void node_check_delivery(struct ex_pdc *p, u32 psn)
{
	const struct uet_pdc *core = ex_core(p);
	u32 n = psn - core->start_psn;

	if (psn - core->rx.cack - 1 >= ex_run.cfg.window)
		ex_fail("node %u PDC %x takes PSN %x outside the window", p->node,
			p->id, psn);
	if (n >= 32)
		return;
	if (p->taken & BIT(n))
		ex_fail("node %u PDC %x takes PSN %x twice", p->node, p->id, psn);
	if (core->mode == UET_PDC_ROD && p->taken && !uet_psn_after(psn, p->last_psn))
		ex_fail("node %u PDC %x takes PSN %x after %x", p->node, p->id, psn,
			p->last_psn);
	p->taken |= BIT(n);
	p->last_psn = psn;
}

static void node_take_req(const struct ex_frame *frame, struct node_pkt *pkt,
			  struct ex_pdc *p, bool is_kept)
{
	const struct ex_req r = {
		p, &pkt->hdr, &pkt->req, &pkt->rsp, &pkt->in, pkt->len, pkt->tag,
	};
	enum uet_drop why;
	bool deliver;

	why = uet_pdc_rx_req(ex_core(p), &pkt->hdr, &pkt->in, ex.now, &deliver);
	if (why)
		ex_note("node %u PDC %x drops PSN %x: %s", p->node, p->id,
			pkt->hdr.u.req.psn, uet_drop_name(why));
	if (why == UET_DROP_PDCID_MISMATCH)
		node_refuse(p->node, pkt, UET_NACK_PDC_HDR_MISMATCH);
	if (ex_run.world->is_secure)
		ex_secure_note(p, &pkt->op);
	if (why == UET_DROP_ROD_OOO)
		node_keep(frame, pkt, p);
	if (!deliver)
		return;
	if (ex_run.refuse && ex_run.refuses_kept == is_kept) {
		uet_pdc_rx_refuse(ex_core(p), &pkt->hdr, &pkt->in, ex_run.refuse,
				  ex.now);
		ex_run.refuse = 0;
		return;
	}
	node_check_delivery(p, pkt->hdr.u.req.psn);
	if (pkt->is_rsp)
		ex_app_rx_data(&r);
	else
		ex_app_rx(&r);
}

static enum uet_drop node_decode_rsp(struct node_pkt *pkt, const u8 *data, size_t len)
{
	size_t used, rest;
	enum uet_drop why;

	why = uet_wire_ses_rsp_decode(pkt->hdr.next_hdr, data, len, &pkt->rsp, &used);
	if (why)
		return why;
	pkt->rsp.data = data + used;
	why = uet_wire_ses_rsp_payload(&pkt->rsp, len - used, &rest);
	pkt->len = rest;
	return why;
}

/* Decode the whole packet before any part of it is processed. */
static enum uet_drop node_decode(const struct ex_frame *frame, struct node_pkt *pkt)
{
	size_t used, len, rest;
	enum uet_drop why;
	u8 kind;

	pkt->in.bytes = frame->len + frame->payload + 48;
	pkt->in.ce = frame->is_marked;
	pkt->tag = frame->tag;
	why = uet_wire_pds_decode(frame->data, frame->len, &pkt->hdr, &used);
	if (why)
		return why;
	len = frame->len - used + frame->payload;
	kind = uet_wire_ty(pkt->hdr.type)->kind;
	pkt->is_rsp = uet_wire_nh(pkt->hdr.next_hdr)->kind == UET_NK_RSP;
	if ((kind == UET_TK_ACK || kind == UET_TK_REQ) && pkt->is_rsp)
		return node_decode_rsp(pkt, frame->data + used, len);
	if (kind != UET_TK_REQ)
		return UET_DROP_NONE;
	why = uet_wire_ses_req_decode(pkt->hdr.next_hdr, frame->data + used, len,
				      &pkt->req, &rest);
	if (why)
		return why;
	why = uet_wire_ses_payload(&pkt->req, len - rest, &len);
	pkt->len = len;
	return why;
}

/* Take the requests that were kept and are due. */
static void node_take_early(struct ex_pdc *p)
{
	struct ex_frame frame;
	struct node_pkt pkt;

	while (!ex_run.failed && p->nr_early && uet_pdc_early_is_due(ex_core(p))) {
		frame = p->early[0];
		p->nr_early--;
		memmove(p->early, p->early + 1, p->nr_early * sizeof(p->early[0]));
		memset(&pkt, 0, sizeof(pkt));
		node_decode(&frame, &pkt);
		uet_pdc_early_take(ex_core(p), &pkt.in);
		node_take_req(&frame, &pkt, p, true);
	}
}

static void node_rx_ack(u8 node, struct node_pkt *pkt)
{
	struct ex_pdc *p = node_by_id(node, pkt->hdr.u.ack.dpdcid);
	const struct ex_req r = {
		p, &pkt->hdr, NULL, &pkt->rsp, &pkt->in, pkt->len, pkt->tag,
	};

	if (!p || p->is_dead)
		return;
	ex_app_rx_ack(&r);
	uet_ses_tx_response(&p->ses, &pkt->rsp, &pkt->hdr);
	ex_pdc_run(p);
}

static void node_dispatch(u8 node, const struct ex_frame *frame, struct node_pkt *pkt)
{
	u8 kind = uet_wire_ty(pkt->hdr.type)->kind;
	struct ex_pdc *p;

	switch (kind) {
	case UET_TK_REQ:
	case UET_TK_CP:
		p = node_find(node, pkt);
		if (!p)
			return;
		p->marks += frame->is_marked;
		if (kind == UET_TK_REQ)
			node_take_req(frame, pkt, p, false);
		else if (uet_pdc_rx_cp(ex_core(p), &pkt->hdr, &pkt->in, ex.now) ==
			 UET_DROP_PDCID_MISMATCH)
			node_refuse(node, pkt, UET_NACK_PDC_HDR_MISMATCH);
		node_take_early(p);
		ex_pdc_run(p);
		return;
	case UET_TK_ACK:
		node_rx_ack(node, pkt);
		return;
	case UET_TK_NACK:
		p = node_by_id(node, pkt->hdr.u.nack.dpdcid);
		if (!p || p->is_dead)
			return;
		uet_pdc_rx_nack(ex_core(p), &pkt->hdr, &pkt->in, ex.now);
		ex_pdc_run(p);
		return;
	default:
		ex_fail("node %u got a packet of type %u", node, pkt->hdr.type);
	}
}

/**
 * ex_receive() - receive a packet
 * @frame: the packet, no longer among those in flight
 */
void ex_receive(const struct ex_frame *frame)
{
	struct ex_frame plain = *frame;
	struct node_pkt pkt = {};
	enum uet_drop why;

	if (ex_run.world->is_secure && !ex_secure_open(&plain, &pkt.op))
		return;
	why = node_decode(&plain, &pkt);
	if (why)
		ex_fail("node %u cannot decode what node %u sent: %s", !frame->from,
			frame->from, uet_drop_name(why));
	else
		node_dispatch(!frame->from, &plain, &pkt);
}

/**
 * ex_receive_trimmed() - receive a request of which only the first bytes are left
 * @frame: the packet, no longer among those in flight
 */
void ex_receive_trimmed(const struct ex_frame *frame)
{
	struct node_pkt pkt = {};
	struct ex_pdc *p;

	if (uet_pds_trimmed(frame->data, min(frame->len, (u16)UET_TRIM_LEN), &pkt.hdr))
		return;
	p = node_by_id(!frame->from, pkt.hdr.u.req.dpdcid);
	if (!p || p->is_dead)
		return;
	uet_pdc_rx_trimmed(ex_core(p), &pkt.hdr, &pkt.in, UET_NACK_TRIMMED, ex.now);
	ex_pdc_run(p);
}
