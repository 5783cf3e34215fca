// SPDX-License-Identifier: GPL-2.0
/*
 * A fabric endpoint of the simulator: finds the PDC of a packet by the rules of
 * UE 1.0.1 3.5.8.2, creates target PDCs for SYNs and initiator PDCs for
 * messages, and encodes and decodes all packets.  No struct crosses the
 * network.  Level: test.
 */
#include "sim.h"

static struct sim_pdc *node_by_id(struct sim_node *node, u16 id)
{
	struct sim_pdc *p;

	list_for_each_entry(p, &node->pdcs, link)
		if (p->id == id)
			return p;
	return NULL;
}

static struct sim_pdc *node_by_syn(struct sim_node *node, u8 peer, u16 peer_id)
{
	struct sim_pdc *p;

	list_for_each_entry(p, &node->pdcs, link)
		if (p->role == UET_PDC_TARGET && p->peer == peer &&
		    p->peer_id == peer_id)
			return p;
	return NULL;
}

/* PDCIDs are assigned in ascending order, so that a late packet finds no new PDC. */
static u16 node_new_id(struct sim_node *node)
{
	do {
		node->next_id++;
	} while (!node->next_id || node_by_id(node, node->next_id));
	return node->next_id;
}

/**
 * sim_node_initiator() - find or open the PDC for a new message
 * @sim: the run
 * @node: sending node
 * @peer: receiving node
 * @pid: endpoint of the receiver
 *
 * Return: a PDC that accepts messages.
 */
struct sim_pdc *sim_node_initiator(struct sim *sim, u8 node, u8 peer, u16 pid)
{
	struct uet_pdc_open open = {
		.role = UET_PDC_INITIATOR,
		.mode = sim->par.mode,
	};
	struct sim_pdc *p;

	if (sim->par.share_pdc)
		pid = SIM_EPS;
	list_for_each_entry(p, &sim->node[node].pdcs, link)
		if (p->role == UET_PDC_INITIATOR && p->peer == peer &&
		    p->pid == pid && uet_pdc_takes_messages(p->pdc))
			return p;
	open.local_pdcid = node_new_id(&sim->node[node]);
	open.seed = (u32)sim_rand(&sim->rng);
	open.start_psn = sim->par.start_psn ?: (u32)sim_rand(&sim->rng);
	if (sim->secure)
		open.start = UET_PDC_START_EXPECTED;
	p = sim_pdc_new(sim, node, peer, &open);
	p->pid = pid;
	return p;
}

/* ------------------------------------------------------------------ sending */

static const char *node_kind(const struct uet_pdc_tx *tx)
{
	switch (tx->kind) {
	case UET_TX_REQ:
		return tx->is_retx ? "req-again" : "req";
	case UET_TX_ACK:
		return "ack";
	case UET_TX_NACK:
		return "nack";
	case UET_TX_CP:
		return "cp";
	}
	return "?";
}

static u32 node_psn(const struct uet_pds_hdr *hdr)
{
	switch (uet_wire_ty(hdr->type)->kind) {
	case UET_TK_REQ:
		return hdr->u.req.psn;
	case UET_TK_ACK:
		return hdr->u.ack.cack_psn;
	case UET_TK_NACK:
		return hdr->u.nack.psn;
	case UET_TK_CP:
		return hdr->u.cp.psn;
	}
	return 0;
}

/*
 * SES header and payload of a request; the bytes that PDS requests must be
 * available.
 */
static size_t node_put_req(struct sim *sim, const struct uet_pds_pkt *pkt,
			   u8 *buf, size_t space)
{
	struct sim_msg *msg;
	struct uet_ses_req req;
	size_t n;

	if (uet_ses_is_read_rsp(pkt))
		return sim_read_put(pkt, buf, space);
	msg = container_of(pkt->msg, struct sim_msg, tx);
	if (msg->finished || pkt->offset < msg->tx.acked ||
	    (u64)pkt->offset + pkt->len > msg->tx.avail) {
		sim_fail(sim, "message %u: PDS wants bytes %u+%u of %u..%u",
			 msg->nr, pkt->offset, pkt->len, msg->tx.acked,
			 msg->tx.avail);
		return 0;
	}
	uet_ses_tx_request(&msg->tx, pkt, &req);
	n = uet_wire_ses_req_encode(&req, buf, space);
	if (!n || n + pkt->len > space)
		return 0;
	if (req.opcode == UET_OP_READ)
		return n;
	sim_payload_fill(msg->nr, pkt->offset, buf + n, pkt->len);
	return n + pkt->len;
}

/* SES response of an ACK, and its data. */
static size_t node_put_rsp(const struct uet_ses_rsp *rsp, u8 *buf, size_t space)
{
	size_t n = uet_wire_ses_rsp_encode(rsp, buf, space);

	if (!n || !rsp->data)
		return n;
	memcpy(buf + n, rsp->data, rsp->payload_length);
	return n + rsp->payload_length;
}

/* Bytes behind the PDS header; 0 is an error for packets that need some. */
static size_t node_put_rest(struct sim *sim, const struct uet_pdc_tx *tx,
			    u8 *buf, size_t space)
{
	if (tx->kind == UET_TX_REQ)
		return node_put_req(sim, &tx->pkt, buf, space);
	if (tx->kind == UET_TX_ACK && tx->hdr.next_hdr != UET_NH_NONE)
		return node_put_rsp(&tx->rsp, buf, space);
	return 0;
}

/**
 * sim_node_answer() - send a packet that the core built
 * @sim: the run
 * @from: sending node
 * @to: receiving node
 * @tx: from uet_pdc_poll_tx() or uet_pds_reply_no_pdc()
 */
void sim_node_answer(struct sim *sim, u8 from, u8 to,
		     const struct uet_pdc_tx *tx)
{
	size_t space = UET_PDS_MAX_LEN + UET_SES_REQ_MAX_LEN + sim->par.mtu;
	struct sim_frame *frame = sim_frame_new(sim, space);
	bool has_rest = tx->kind == UET_TX_REQ ||
			(tx->kind == UET_TX_ACK &&
			 tx->hdr.next_hdr != UET_NH_NONE);
	size_t n, rest;

	frame->from = from;
	frame->to = to;
	frame->ev = tx->ev;
	n = uet_wire_pds_encode(&tx->hdr, frame->data, space);
	rest = n ? node_put_rest(sim, tx, frame->data + n, space - n) : 0;
	if (!n || (has_rest && !rest)) {
		sim_fail(sim, "node %u: a %s of type %u cannot be encoded",
			 from, node_kind(tx), tx->hdr.type);
		return;
	}
	frame->len = n + rest;
	sim_note(sim, "%u->%u %s type %u/%u flags %02x psn %08x len %u ev %u",
		 from, to, node_kind(tx), tx->hdr.type, tx->hdr.next_hdr,
		 tx->hdr.flags, node_psn(&tx->hdr), frame->len, frame->ev);
	sim_net_send(sim, frame);
}

/* ---------------------------------------------------------------- receiving */

/* A received packet during its processing. */
struct node_pkt {
	struct uet_pds_hdr hdr;
	struct uet_rx_info in;
	struct uet_ses_req req;
	struct uet_ses_rsp rsp;
	bool is_rsp;
	const u8 *data;
	u32 len;
};

static void node_refuse(struct sim *sim, const struct sim_frame *frame,
			const struct node_pkt *pkt, u8 nack_code)
{
	struct uet_pdc_tx tx;

	sim->count.no_pdc++;
	if (uet_pds_reply_no_pdc(&pkt->hdr, &pkt->in, nack_code, &tx))
		sim_node_answer(sim, frame->to, frame->from, &tx);
}

/* The PDC is an ended target that frames of this kind may still find. */
static bool node_time_waits(const struct sim *sim, const struct sim_pdc *p,
			    const struct sim_frame *frame)
{
	return p->node == frame->to && p->peer == frame->from &&
	       p->role == UET_PDC_TARGET && sim->now < p->time_wait_ns;
}

/*
 * A late copy of the SYN of a PDC that has ended.  Its message may have been
 * delivered, and must not be delivered again.
 */
static bool node_is_late_syn(struct sim *sim, const struct sim_frame *frame,
			     const struct node_pkt *pkt,
			     const struct uet_pdc_open *open)
{
	struct sim_pdc *p;

	list_for_each_entry(p, &sim->dead, link) {
		if (!node_time_waits(sim, p, frame) ||
		    p->peer_id != open->peer_pdcid ||
		    (p->start_psn != open->start_psn &&
		     p->syn_psn != open->start_psn))
			continue;
		if (p->has_failed) {
			sim_pdc_time_wait(p);
			node_refuse(sim, frame, pkt, UET_NACK_CLOSING_IN_ERR);
		}
		return true;
	}
	return false;
}

/* The NACK code for a packet without SYN and without PDC. */
static u8 node_why_gone(const struct sim *sim, const struct sim_frame *frame,
			u16 dpdcid)
{
	const struct sim_pdc *p;

	list_for_each_entry(p, &sim->dead, link)
		if (node_time_waits(sim, p, frame) && p->has_failed &&
		    p->id == dpdcid)
			return UET_NACK_CLOSING_IN_ERR;
	return UET_NACK_INV_DPDCID;
}

/* Open a PDC for a packet without one, if possible. */
static struct sim_pdc *node_accept(struct sim *sim,
				   const struct sim_frame *frame,
				   const struct node_pkt *pkt)
{
	struct uet_pdc_open open = { .role = UET_PDC_TARGET };
	struct sim_node *node = &sim->node[frame->to];

	if (!uet_pds_opens_pdc(&pkt->hdr, &open.mode, &open.peer_pdcid,
			       &open.start_psn)) {
		node_refuse(sim, frame, pkt, UET_NACK_INV_DPDCID);
		return NULL;
	}
	if (node_is_late_syn(sim, frame, pkt, &open))
		return NULL;
	if (node->targets >= sim->par.pdc_max) {
		node_refuse(sim, frame, pkt, UET_NACK_NO_PDC_AVAIL);
		return NULL;
	}
	open.local_pdcid = node_new_id(node);
	open.seed = (u32)sim_rand(&sim->rng);
	sim_secure_open_pdc(sim, frame, &open);
	return sim_pdc_new(sim, frame->to, frame->from, &open);
}

/*
 * Find the PDC of a request or control packet, or send a NACK if there is none.
 * The core compares the peer's PDCID.
 */
static struct sim_pdc *node_find(struct sim *sim, const struct sim_frame *frame,
				 const struct node_pkt *pkt)
{
	struct sim_node *node = &sim->node[frame->to];
	bool is_cp = pkt->hdr.type == UET_TY_CP;
	struct sim_pdc *p;
	u16 dpdcid;

	if (pkt->hdr.flags & UET_F_SYN) {
		p = node_by_syn(node, frame->from, is_cp ?
				pkt->hdr.u.cp.spdcid : pkt->hdr.u.req.spdcid);
		return p ? p : node_accept(sim, frame, pkt);
	}
	dpdcid = is_cp ? pkt->hdr.u.cp.dpdcid : pkt->hdr.u.req.dpdcid;
	p = node_by_id(node, dpdcid);
	if (!p) {
		node_refuse(sim, frame, pkt, node_why_gone(sim, frame, dpdcid));
		return NULL;
	}
	if (p->peer != frame->from) {
		sim->count.mismatch++;
		node_refuse(sim, frame, pkt, UET_NACK_PDC_HDR_MISMATCH);
		return NULL;
	}
	return p;
}

/* Find the PDC of an ACK or NACK; a wrong one is not answered. */
static struct sim_pdc *node_find_own(struct sim *sim,
				     const struct sim_frame *frame, u16 dpdcid)
{
	struct sim_pdc *p = node_by_id(&sim->node[frame->to], dpdcid);

	if (!p)
		sim->count.no_pdc++;
	else if (p->peer != frame->from)
		sim->count.mismatch++;
	else
		return p;
	return NULL;
}

/*
 * Print the drop reason of a packet; the core leaves the answer to one of them
 * to the shell.
 */
static void node_note(struct sim *sim, const struct sim_frame *frame,
		      const struct node_pkt *pkt, const struct sim_pdc *p,
		      enum uet_drop why)
{
	if (!why)
		return;
	sim_note(sim, "node %u PDC %04x psn %08x: %s", p->node, p->id,
		 node_psn(&pkt->hdr), uet_drop_name(why));
	if (why != UET_DROP_PDCID_MISMATCH)
		return;
	sim->count.mismatch++;
	node_refuse(sim, frame, pkt, UET_NACK_PDC_HDR_MISMATCH);
}

/* Keep a copy of a request until those before it arrive, or lose it. */
static void node_keep(struct sim *sim, const struct sim_frame *frame,
		      const struct node_pkt *pkt, struct sim_pdc *p)
{
	struct sim_frame *copy;
	struct list_head *at;

	if (!sim_chance(&sim->rng, sim->par.early_ppm))
		return;
	copy = sim_frame_new(sim, frame->len);
	memcpy(copy->data, frame->data, frame->len);
	copy->len = frame->len;
	copy->from = frame->from;
	copy->to = frame->to;
	copy->ev = frame->ev;
	copy->ce = frame->ce;
	copy->psn = pkt->hdr.u.req.psn;
	for (at = p->early.prev; at != &p->early; at = at->prev)
		if (uet_psn_before(list_entry(at, struct sim_frame, link)->psn,
				   copy->psn))
			break;
	list_move(&copy->link, at);
	uet_pdc_early_keep(p->pdc, &pkt->hdr, &pkt->in, sim->now);
}

static void node_take_req(struct sim *sim, const struct sim_frame *frame,
			  struct node_pkt *pkt, struct sim_pdc *p)
{
	enum uet_drop why;
	bool deliver;

	why = uet_pdc_rx_req(p->pdc, &pkt->hdr, &pkt->in, sim->now, &deliver);
	node_note(sim, frame, pkt, p, why);
	sim_secure_note_start(p, frame);
	if (why == UET_DROP_ROD_OOO)
		node_keep(sim, frame, pkt, p);
	if (deliver && pkt->is_rsp)
		sim_read_rx_data(p, &pkt->hdr, &pkt->in, &pkt->rsp, pkt->data,
				 pkt->len);
	else if (deliver)
		sim_ep_rx(p, &pkt->hdr, &pkt->req, &pkt->in, pkt->data,
			  pkt->len);
}

static enum uet_drop node_decode(const struct sim_frame *frame,
				 struct node_pkt *pkt);

/* Take the requests that were kept and are due. */
static void node_take_early(struct sim *sim, struct sim_pdc *p)
{
	struct sim_frame *frame;
	struct node_pkt pkt;

	while (!sim->failed && uet_pdc_early_is_due(p->pdc)) {
		frame = list_first_entry(&p->early, struct sim_frame, link);
		node_decode(frame, &pkt);
		uet_pdc_early_take(p->pdc, &pkt.in);
		node_take_req(sim, frame, &pkt, p);
		sim_frame_free(frame);
	}
}

static void node_rx_req(struct sim *sim, const struct sim_frame *frame,
			struct node_pkt *pkt)
{
	struct sim_pdc *p = node_find(sim, frame, pkt);

	if (!p)
		return;
	node_take_req(sim, frame, pkt, p);
	node_take_early(sim, p);
	sim_pdc_run(p);
}

static void node_rx_ack(struct sim *sim, const struct sim_frame *frame,
			struct node_pkt *pkt)
{
	struct sim_pdc *p = node_find_own(sim, frame, pkt->hdr.u.ack.dpdcid);

	if (!p)
		return;
	sim_read_rx_ack(p, &pkt->hdr, &pkt->in, &pkt->rsp, pkt->data, pkt->len);
	uet_ses_tx_response(&p->ses, &pkt->rsp, &pkt->hdr);
	sim_pdc_run(p);
}

static void node_rx_nack(struct sim *sim, const struct sim_frame *frame,
			 struct node_pkt *pkt)
{
	struct sim_pdc *p = node_find_own(sim, frame, pkt->hdr.u.nack.dpdcid);

	if (!p)
		return;
	uet_pdc_rx_nack(p->pdc, &pkt->hdr, &pkt->in, sim->now);
	sim_pdc_run(p);
}

static void node_rx_cp(struct sim *sim, const struct sim_frame *frame,
		       struct node_pkt *pkt)
{
	struct sim_pdc *p = node_find(sim, frame, pkt);

	if (!p)
		return;
	node_note(sim, frame, pkt, p,
		  uet_pdc_rx_cp(p->pdc, &pkt->hdr, &pkt->in, sim->now));
	node_take_early(sim, p);
	sim_pdc_run(p);
}

static enum uet_drop node_decode_rsp(struct node_pkt *pkt, size_t len)
{
	enum uet_drop why;
	size_t used;

	why = uet_wire_ses_rsp_decode(pkt->hdr.next_hdr, pkt->data, len,
				      &pkt->rsp, &used);
	if (why)
		return why;
	pkt->data += used;
	why = uet_wire_ses_rsp_payload(&pkt->rsp, len - used, &len);
	pkt->len = len;
	return why;
}

/* Decode the whole packet before any part of it is processed. */
static enum uet_drop node_decode(const struct sim_frame *frame,
				 struct node_pkt *pkt)
{
	enum uet_drop why;
	size_t used, len;
	u8 kind;

	memset(pkt, 0, sizeof(*pkt));
	pkt->in.ev = frame->ev;
	pkt->in.ce = frame->ce;
	pkt->in.bytes = sim_nominal_bytes(frame->len);
	why = uet_wire_pds_decode(frame->data, frame->len, &pkt->hdr, &used);
	if (why)
		return why;
	pkt->data = frame->data + used;
	len = frame->len - used;
	kind = uet_wire_ty(pkt->hdr.type)->kind;
	pkt->is_rsp = uet_wire_nh(pkt->hdr.next_hdr)->kind == UET_NK_RSP;
	if ((kind == UET_TK_ACK || kind == UET_TK_REQ) && pkt->is_rsp)
		return node_decode_rsp(pkt, len);
	if (kind != UET_TK_REQ)
		return UET_DROP_NONE;
	why = uet_wire_ses_req_decode(pkt->hdr.next_hdr, pkt->data, len,
				      &pkt->req, &used);
	if (why)
		return why;
	pkt->data += used;
	why = uet_wire_ses_payload(&pkt->req, len - used, &len);
	pkt->len = len;
	return why;
}

static void node_dispatch(struct sim *sim, const struct sim_frame *frame,
			  struct node_pkt *pkt)
{
	switch (uet_wire_ty(pkt->hdr.type)->kind) {
	case UET_TK_REQ:
		node_rx_req(sim, frame, pkt);
		break;
	case UET_TK_ACK:
		node_rx_ack(sim, frame, pkt);
		break;
	case UET_TK_NACK:
		if (pkt->hdr.flags & UET_F_NT)
			sim_rudi_rx_nack(sim, frame, &pkt->hdr);
		else
			node_rx_nack(sim, frame, pkt);
		break;
	case UET_TK_CP:
		node_rx_cp(sim, frame, pkt);
		break;
	case UET_TK_RUDI:
		sim_rudi_rx(sim, frame, &pkt->hdr, &pkt->in, pkt->data);
		break;
	default:
		if (!sim->par.forge_ppm)
			sim_fail(sim, "node %u got a packet of type %u",
				 frame->to, pkt->hdr.type);
	}
}

/* A trimmed frame has only its first bytes, whatever its headers contain. */
static void node_rx_trimmed(struct sim *sim, const struct sim_frame *frame)
{
	struct node_pkt pkt = {
		.in = { .ev = frame->ev, .ce = frame->ce },
	};
	struct sim_pdc *p;

	if (uet_pds_trimmed(frame->data, frame->len, &pkt.hdr))
		return;
	p = node_find_own(sim, frame, pkt.hdr.u.req.dpdcid);
	if (!p)
		return;
	uet_pdc_rx_trimmed(p->pdc, &pkt.hdr, &pkt.in, UET_NACK_TRIMMED,
			   sim->now);
	sim_pdc_run(p);
}

/**
 * sim_node_rx() - receive a frame
 * @sim: the run
 * @arg: struct sim_frame
 *
 * A corrupted frame is decoded, which must be harmless, and then dropped
 * because of its CRC.
 */
void sim_node_rx(struct sim *sim, void *arg)
{
	struct sim_frame *frame = arg;
	struct node_pkt pkt;
	enum uet_drop why;

	if (frame->trimmed) {
		node_rx_trimmed(sim, frame);
		sim_frame_free(frame);
		return;
	}
	if (!sim_secure_open(sim, frame)) {
		sim_frame_free(frame);
		return;
	}
	why = node_decode(frame, &pkt);
	if (why && !frame->corrupt && !sim->par.forge_ppm)
		sim_fail(sim, "node %u cannot decode what node %u sent: %s",
			 frame->to, frame->from, uet_drop_name(why));
	else if (!why && !frame->corrupt)
		node_dispatch(sim, frame, &pkt);
	sim_frame_free(frame);
}
