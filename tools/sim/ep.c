// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving endpoints of the simulator: answer each request as a shell must,
 * keep a receive buffer that is bounded and cannot deadlock, and read at the
 * rate of the scenario, comparing every byte.
 *
 * The buffer: a message is admitted if it fits completely, or if nothing is
 * reserved for another message.  Packets of an admitted message are then
 * accepted on arrival.  A message larger than the whole buffer is read while it
 * arrives, and may be one buffer ahead of its reader.
 *
 * A sender whose packet was refused holds back all packets that follow on the
 * PDC.  Therefore, the message of the oldest missing packet is admitted in any
 * case when a message behind it is already admitted; otherwise the two could
 * wait for each other.  The window bounds the excess.  A message with a gap
 * that can no longer be filled, as only a faulty sender creates, is failed when
 * it would block the others. Level: test.
 */
#include "sim.h"

static void ep_free_segs(struct sim_rx *rx, struct list_head *segs)
{
	struct uet_ses_seg *seg, *next;

	list_for_each_entry_safe(seg, next, segs, link) {
		list_del(&seg->link);
		rx->held -= seg->len;
		rx->ep->held -= seg->len;
		free(container_of(seg, struct sim_seg, seg));
	}
}

/* Release the bytes and the reservation of a message. */
static void ep_release(struct sim_rx *rx)
{
	uet_ses_rx_take_all(&rx->rx, &rx->readable);
	ep_free_segs(rx, &rx->readable);
	rx->ep->reserved -= rx->reserved;
	rx->reserved = 0;
	list_del_init(&rx->ready);
}

/* Read one segment, or remove a message without any from the ready list. */
static u32 ep_read_piece(struct sim_ep *ep, struct sim_rx *rx)
{
	struct uet_ses_seg *seg;
	struct sim_seg *piece;
	u32 len;

	seg = list_first_entry_or_null(&rx->readable, struct uet_ses_seg, link);
	if (!seg) {
		list_del_init(&rx->ready);
		if (rx->complete) {
			if (rx->read != rx->rx.length)
				sim_fail(ep->sim, "only %u of %u bytes to read",
					 rx->read, rx->rx.length);
			ep_release(rx);
			free(rx);
		}
		return 0;
	}
	piece = container_of(seg, struct sim_seg, seg);
	if (seg->offset != rx->read ||
	    (!ep->sim->par.forge_ppm &&
	     !sim_payload_equal((u32)rx->rx.req.header_data, seg->offset,
				piece->data, seg->len)))
		sim_fail(ep->sim, "message %u has wrong bytes at %u",
			 (u32)rx->rx.req.header_data, seg->offset);
	len = seg->len;
	rx->read += len;
	rx->held -= len;
	ep->held -= len;
	ep->sim->count.bytes += len;
	list_del(&seg->link);
	free(piece);
	return len;
}

static void ep_read(struct sim *sim, void *arg)
{
	struct sim_ep *ep = arg;
	struct sim_rx *rx;
	u32 len;

	ep->reading = false;
	while (!sim->failed && !list_empty(&ep->ready)) {
		rx = list_first_entry(&ep->ready, struct sim_rx, ready);
		len = ep_read_piece(ep, rx);
		if (!sim->par.read_bps || !len)
			continue;
		ep->reading = true;
		sim_at(sim, sim->now + len * 8 * SIM_S / sim->par.read_bps,
		       ep_read, ep);
		return;
	}
}

static void ep_kick(struct sim_ep *ep)
{
	if (ep->reading || list_empty(&ep->ready))
		return;
	ep->reading = true;
	sim_at(ep->sim, ep->sim->par.stall_ns, ep_read, ep);
}

/* ------------------------------------------------------------------- answers */

/* One received request and the parts of its packet. */
struct ep_req {
	struct sim_pdc *p;
	const struct uet_pds_hdr *hdr;
	const struct uet_ses_req *req;
	const struct uet_rx_info *in;
	const u8 *data;
	u32 len;
};

static void ep_accept(const struct ep_req *r, u8 rc)
{
	struct uet_ses_rsp rsp;

	if (rc == UET_RC_OK)
		uet_ses_rsp_default(&rsp, r->req);
	else
		uet_ses_rsp_error(&rsp, r->req, rc);
	uet_pdc_rx_accept(r->p->pdc, r->hdr, r->in, &rsp, r->p->sim->now);
}

static void ep_refuse(const struct ep_req *r, u8 nack_code)
{
	struct sim *sim = r->p->sim;

	sim->count.refused++;
	sim_note(sim, "node %u PDC %04x psn %08x refused with %s", r->p->node,
		 r->p->id, r->hdr->u.req.psn, uet_wire_nack(nack_code)->name);
	uet_pdc_rx_refuse(r->p->pdc, r->hdr, r->in, nack_code, sim->now);
}

static struct sim_ep *ep_find(const struct ep_req *r, u8 *rc)
{
	const struct uet_ses_req *req = r->req;
	struct sim_ep *ep;

	if (!req->rel || req->job != SIM_JOB) {
		*rc = UET_RC_BAD_JOB_ID;
		return NULL;
	}
	ep = &r->p->sim->node[r->p->node].ep[req->pid % SIM_EPS];
	if (req->pid >= SIM_EPS || !ep->bound) {
		*rc = UET_RC_BAD_PID;
		return NULL;
	}
	if (req->ri != SIM_RI) {
		*rc = UET_RC_BAD_INDEX;
		return NULL;
	}
	return ep;
}

/* Free the slot of a failed message without endpoint for a new message. */
static bool ep_make_space(struct sim_pdc *p)
{
	struct uet_ses_rx *rx;

	if (uet_ses_rx_has_space(&p->ses))
		return true;
	rx = uet_ses_rx_evict(&p->ses);
	if (!rx)
		return false;
	free(container_of(rx, struct sim_rx, rx));
	return true;
}

/* The message fits, or must be admitted in any case. */
static bool ep_has_space(const struct ep_req *r, const struct sim_ep *ep,
			 u32 need)
{
	u64 sum = (u64)ep->reserved + need;
	struct uet_ses_rx *rx;

	if (!ep->reserved || sum <= r->p->sim->par.rcvbuf)
		return true;
	if (!uet_pdc_rx_is_next(r->p->pdc, r->hdr))
		return false;
	list_for_each_entry(rx, &r->p->ses.rxq, link)
		if (!rx->failed)
			return true;
	return false;
}

/* Admit the first packet of a message, or refuse it. */
static struct sim_rx *ep_admit(const struct ep_req *r)
{
	struct sim *sim = r->p->sim;
	u8 rc = UET_RC_OK;
	struct sim_ep *ep = ep_find(r, &rc);
	struct sim_rx *rx;
	u32 need;

	if (!ep) {
		ep_accept(r, rc);
		return NULL;
	}
	need = min(r->req->request_length, sim->par.rcvbuf);
	if (sim_chance(&sim->rng, sim->par.refuse_ppm)) {
		ep_refuse(r, UET_NACK_NO_RESOURCE);
		return NULL;
	}
	if (!ep_has_space(r, ep, need)) {
		ep_refuse(r, UET_NACK_NO_PKT_BUFFER);
		return NULL;
	}
	if (!ep_make_space(r->p)) {
		ep_refuse(r, UET_NACK_NO_SES_MSG_AVAIL);
		return NULL;
	}
	rx = calloc(1, sizeof(*rx));
	if (!rx)
		abort();
	rx->ep = ep;
	rx->reserved = need;
	ep->reserved += need;
	INIT_LIST_HEAD(&rx->ready);
	INIT_LIST_HEAD(&rx->readable);
	uet_ses_rx_start(&r->p->ses, &rx->rx, r->req);
	return rx;
}

/* The packet fits; SES rejects bytes beyond the end of the message. */
static bool ep_fits(const struct ep_req *r, const struct sim_rx *rx)
{
	u64 end = (u64)uet_ses_req_offset(r->req) + r->len;

	return rx->rx.failed || end > rx->rx.length ||
	       end <= (u64)rx->read + rx->reserved;
}

/*
 * A packet that does not fit can never fit: its reader waits for a segment,
 * which must be in an older packet, but all older packets have arrived.
 */
static bool ep_is_hopeless(const struct ep_req *r, const struct sim_rx *rx)
{
	return list_empty(&rx->readable) &&
	       uet_pdc_rx_is_next(r->p->pdc, r->hdr);
}

/* The packet was kept: wake up the reader. */
static void ep_kept(struct sim_rx *rx, u32 len, bool is_done)
{
	struct sim_ep *ep = rx->ep;

	rx->held += len;
	ep->held += len;
	if (ep->held > ep->sim->par.rcvbuf +
		       SIM_NODES_MAX * ep->sim->par.pdc.window * ep->sim->par.mtu)
		sim_fail(ep->sim, "receive buffer holds %u bytes", ep->held);
	rx->complete = is_done;
	if (is_done)
		sim_app_delivered(ep->sim, &rx->rx);
	else if (rx->rx.length <= ep->sim->par.rcvbuf)
		return;
	uet_ses_rx_take(&rx->rx, &rx->readable);
	if (list_empty(&rx->ready) && (is_done || !list_empty(&rx->readable)))
		list_add_tail(&rx->ready, &ep->ready);
	ep_kick(ep);
}

/* The target may close its PDC, too. */
static void ep_may_close(struct sim_pdc *p)
{
	struct sim *sim = p->sim;

	if (sim_chance(&sim->rng, sim->par.close_pct * 10000))
		uet_pdc_close(p->pdc, sim->now);
}

static void ep_place(const struct ep_req *r, struct sim_rx *rx)
{
	struct sim_seg *seg = malloc(sizeof(*seg) + r->len);
	enum uet_ses_step step;
	enum uet_drop why;

	if (!seg)
		abort();
	memcpy(seg->data, r->data, r->len);
	seg->seg.len = r->len;
	step = uet_ses_rx_seg(&r->p->ses, &rx->rx, r->req, &seg->seg, &why);
	switch (step) {
	case UET_SES_MORE:
	case UET_SES_DONE:
		ep_accept(r, UET_RC_OK);
		ep_kept(rx, r->len, step == UET_SES_DONE);
		if (step == UET_SES_DONE) {
			sim_read_rsp_delivered(r->p,
					       (u32)rx->rx.req.header_data);
			ep_may_close(r->p);
		}
		return;
	case UET_SES_ERROR:
		sim_note(r->p->sim, "node %u PDC %04x: %s", r->p->node,
			 r->p->id, uet_drop_name(why));
		if (why != UET_DROP_SES_MSG_FAILED && !r->p->sim->par.forge_ppm)
			sim_fail(r->p->sim, "SES objects to a packet: %s",
				 uet_drop_name(why));
		ep_accept(r, rx->rx.rc);
		break;
	case UET_SES_IGNORE:
		ep_accept(r, UET_RC_OK);
		break;
	}
	free(seg);
	ep_release(rx);
	if (!uet_ses_rx_is_linked(&rx->rx))
		free(rx);
}

/**
 * sim_ep_rx() - process a request for SES
 * @p: PDC of the request, which expects accept or refuse
 * @hdr: PDS header of the request
 * @req: SES header of the request
 * @in: reception attributes
 * @data: payload
 * @len: length of the payload, bytes
 */
void sim_ep_rx(struct sim_pdc *p, const struct uet_pds_hdr *hdr,
	       const struct uet_ses_req *req, const struct uet_rx_info *in,
	       const u8 *data, u32 len)
{
	const struct ep_req r = { p, hdr, req, in, data, len };
	u8 rc = uet_ses_rx_supported(req, UET_DROP_NONE);
	struct uet_ses_rx *found;
	struct sim_rx *rx;

	if (rc != UET_RC_OK || req->opcode == UET_OP_NO_OP) {
		ep_accept(&r, rc);
		return;
	}
	if (uet_wire_op(req->opcode)->flags & UET_OPF_RETURNS) {
		sim_read_rx(&(struct sim_answer){ p, hdr, req, in });
		return;
	}
	found = uet_ses_rx_find(&p->ses, req, hdr->u.req.psn);
	rx = found ? container_of(found, struct sim_rx, rx) : ep_admit(&r);
	if (!rx)
		return;
	if (found && !ep_fits(&r, rx)) {
		if (!ep_is_hopeless(&r, rx)) {
			ep_refuse(&r, UET_NACK_NO_PKT_BUFFER);
			return;
		}
		if (!p->sim->par.forge_ppm)
			sim_fail(p->sim, "a piece of a message never came");
		uet_ses_rx_fail(found, UET_RC_UNCOR);
	}
	ep_place(&r, rx);
}

/**
 * sim_ep_forget() - free the incomplete messages of a PDC that ends
 * @p: the PDC
 */
void sim_ep_forget(struct sim_pdc *p)
{
	struct uet_ses_rx *rx, *next;
	struct sim_rx *srx;

	list_for_each_entry_safe(rx, next, &p->ses.rxq, link) {
		srx = container_of(rx, struct sim_rx, rx);
		uet_ses_rx_drop(&p->ses, rx);
		ep_release(srx);
		free(srx);
	}
}

/**
 * sim_ep_unbind() - close an endpoint
 * @sim: the run
 * @arg: struct sim_ep; complete messages are still read
 */
void sim_ep_unbind(struct sim *sim, void *arg)
{
	struct sim_ep *ep = arg;
	struct uet_ses_rx *rx;
	struct sim_rx *srx;
	struct sim_pdc *p;

	sim_note(sim, "an endpoint of node %u goes away", ep->node);
	ep->bound = false;
	list_for_each_entry(p, &sim->node[ep->node].pdcs, link) {
		list_for_each_entry(rx, &p->ses.rxq, link) {
			srx = container_of(rx, struct sim_rx, rx);
			if (srx->ep != ep)
				continue;
			uet_ses_rx_fail(rx, UET_RC_BAD_PID);
			ep_release(srx);
		}
	}
}

/**
 * sim_ep_init() - initialise the endpoints of a node
 * @sim: the run
 * @node: number of the node
 */
void sim_ep_init(struct sim *sim, u8 node)
{
	struct sim_ep *ep;
	u32 i;

	for (i = 0; i < SIM_EPS; i++) {
		ep = &sim->node[node].ep[i];
		ep->sim = sim;
		ep->node = node;
		ep->bound = true;
		INIT_LIST_HEAD(&ep->ready);
	}
}

/**
 * sim_ep_verdict() - verify that nothing is left at an endpoint
 * @ep: endpoint
 */
void sim_ep_verdict(struct sim_ep *ep)
{
	if (ep->held || ep->reserved || !list_empty(&ep->ready))
		sim_fail(ep->sim, "an endpoint of node %u holds %u bytes, promised %u",
			 ep->node, ep->held, ep->reserved);
}

/**
 * sim_ep_fini() - free the complete messages that were not read
 * @ep: endpoint; all PDCs have ended
 */
void sim_ep_fini(struct sim_ep *ep)
{
	struct sim_rx *rx, *next;

	list_for_each_entry_safe(rx, next, &ep->ready, ready) {
		ep_release(rx);
		free(rx);
	}
}
