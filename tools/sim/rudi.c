// SPDX-License-Identifier: GPL-2.0
/*
 * RUDI in the simulator: senders of idempotent operations, the run loop and
 * timer of their requests, and the target, which executes every request and
 * keeps no state.  Writes are answered without data, reads with data in one of
 * two forms.
 * Each request must be reported once, must have been executed at least once if
 * it succeeded, and may fail only for a reason in the scenario.  Level: test.
 */
#include "rudi_check.h"
#include "sim.h"

/* Kinds of requests; the number of a request determines its kind. */
enum rudi_kind {
	RUDI_WRITE,
	RUDI_READ,
	RUDI_READ_SMALL,
	RUDI_KINDS,
};

static enum rudi_kind rudi_kind_of(u32 nr)
{
	return nr % RUDI_KINDS;
}

/* Number of its payload for sim_payload_fill(); messages have small numbers. */
static u32 rudi_key(const struct sim_rudi *r, u32 nr)
{
	return 0x80000000U + (u32)(r - r->sim->rudi) * SIM_RUDI_REQS_MAX + nr;
}

static u32 rudi_size(const struct sim_rudi *r, u32 nr)
{
	return sim_mix(rudi_key(r, nr)) % (r->sim->par.mtu + 1);
}

/* The flow between two nodes; NULL for a forged frame without a flow. */
static struct sim_rudi *rudi_flow(struct sim *sim, u8 node, u8 to)
{
	u32 i;

	for (i = 0; i < sim->par.rudi_flows; i++)
		if (sim->rudi[i].node == node && sim->rudi[i].to == to)
			return &sim->rudi[i];
	return NULL;
}

/* Without an attacker that changes packets, all packets must be valid. */
static void rudi_nonsense(struct sim *sim, const char *what)
{
	if (!sim->par.forge_ppm)
		sim_fail(sim, "RUDI: %s", what);
}

/* ---------------------------------------------------------------- sending */

static size_t rudi_put_req(const struct sim_rudi *r, u32 nr, u8 *buf,
			   size_t space)
{
	u32 len = rudi_size(r, nr);
	struct uet_ses_req req = {
		.form = UET_SES_STD, .som = true, .eom = true, .rel = true,
		.opcode = rudi_kind_of(nr) == RUDI_WRITE ? UET_OP_WRITE :
							   UET_OP_READ,
		.msg_id = (u16)(nr + 1), .job = SIM_JOB, .ri = SIM_RI,
		.request_length = len,
	};
	size_t n = uet_wire_ses_req_encode(&req, buf, space);

	if (!n || req.opcode == UET_OP_READ)
		return n;
	sim_payload_fill(rudi_key(r, nr), 0, buf + n, len);
	return n + len;
}

static size_t rudi_put_rsp(const struct sim_rudi *r,
			   const struct uet_ses_rsp *rsp, u32 nr, u8 *buf,
			   size_t space)
{
	size_t n = uet_wire_ses_rsp_encode(rsp, buf, space);

	if (!n || rsp->form == UET_RSP_FORM_PLAIN)
		return n;
	sim_payload_fill(rudi_key(r, nr), 0, buf + n, rsp->payload_length);
	return n + rsp->payload_length;
}

/* @r is the flow of the request that is sent or answered, @nr its number. */
static void rudi_send(struct sim_rudi *r, u8 from, u8 to,
		      const struct uet_pdc_tx *tx, u32 nr)
{
	struct sim *sim = r->sim;
	size_t space = UET_PDS_MAX_LEN + UET_SES_REQ_MAX_LEN + sim->par.mtu;
	struct sim_frame *frame = sim_frame_new(sim, space);
	size_t n, rest = 0;

	frame->from = from;
	frame->to = to;
	frame->ev = tx->ev;
	n = uet_wire_pds_encode(&tx->hdr, frame->data, space);
	if (n && tx->kind == UET_TX_REQ)
		rest = rudi_put_req(r, nr, frame->data + n, space - n);
	else if (n && tx->kind == UET_TX_ACK)
		rest = rudi_put_rsp(r, &tx->rsp, nr, frame->data + n,
				    space - n);
	if (!n || (!rest && tx->kind != UET_TX_NACK)) {
		sim_fail(sim, "RUDI: type %u cannot be encoded", tx->hdr.type);
		return;
	}
	frame->len = n + rest;
	sim_note(sim, "%u->%u RUDI type %u/%u flags %02x request %u len %u ev %u",
		 from, to, tx->hdr.type, tx->hdr.next_hdr, tx->hdr.flags, nr,
		 frame->len, frame->ev);
	sim_net_send(sim, frame);
}

/* ----------------------------------------------------------------- verdicts */

static bool rudi_may_fail(const struct sim *sim, enum uet_pdc_error error)
{
	if (sim->par.may_fail)
		return true;
	return error == UET_PDC_ERR_TIMEOUT &&
	       sim->par.blackout.len_ns == UET_NEVER;
}

static void rudi_report(struct sim_rudi *r, const struct uet_rudi_up *up)
{
	struct sim *sim = r->sim;
	struct sim_rudi_req *req = &r->req[up->pkt.offset];

	if (up->pkt.offset >= r->started || req->reported++) {
		sim_fail(sim, "RUDI: request %u is reported again",
			 up->pkt.offset);
		return;
	}
	sim_note(sim, "%u->%u RUDI request %u done: %s", r->node, r->to,
		 up->pkt.offset, uet_pdc_error_name(up->error));
	sim->unfinished--;
	sim->finish_ns = sim->now;
	r->active--;
	if (up->kind == UET_UP_FAILED)
		sim->count.rudi_failed++;
	else
		sim->count.rudi_ok++;
	if (sim->par.forge_ppm)
		return;
	if (up->kind == UET_UP_FAILED && !rudi_may_fail(sim, up->error))
		sim_fail(sim, "RUDI: request %u failed: %s", up->pkt.offset,
			 uet_pdc_error_name(up->error));
	if (up->kind == UET_UP_ACKED && !req->executed)
		sim_fail(sim, "RUDI: request %u was never executed",
			 up->pkt.offset);
}

/* --------------------------------------------------------- the run loop */

static void rudi_timer(struct sim *sim, void *arg);

static void rudi_arm(struct sim_rudi *r)
{
	u64 at = uet_rudi_deadline(r->rudi);

	if (at == UET_NEVER || at >= r->timer_ns)
		return;
	r->timer_ns = max(at, r->sim->now);
	sim_at(r->sim, r->timer_ns, rudi_timer, r);
}

static void rudi_feed(struct sim_rudi *r)
{
	const struct sim_params *par = &r->sim->par;
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };

	while (r->started < par->rudi_reqs && r->active < par->rudi_depth &&
	       uet_rudi_tx_space(r->rudi)) {
		pkt.offset = r->started++;
		pkt.len = rudi_size(r, pkt.offset);
		r->active++;
		uet_rudi_tx_req(r->rudi, &pkt);
	}
}

static void rudi_run(struct sim_rudi *r)
{
	struct sim *sim = r->sim;
	const char *what = "";
	struct uet_rudi_up up;
	struct uet_pdc_tx tx;

	while (uet_rudi_poll_up(r->rudi, &up))
		rudi_report(r, &up);
	rudi_feed(r);
	while (!sim->failed && uet_rudi_poll_tx(r->rudi, &tx, sim->now))
		rudi_send(r, r->node, r->to, &tx, tx.pkt.offset);
	if (!uet_rudi_check(r->rudi, &what))
		sim_fail(sim, "RUDI %u->%u: %s", r->node, r->to, what);
	rudi_arm(r);
}

static void rudi_timer(struct sim *sim, void *arg)
{
	struct sim_rudi *r = arg;

	/* The timer was armed for an earlier time: another event is valid. */
	if (sim->now != r->timer_ns)
		return;
	r->timer_ns = UET_NEVER;
	uet_rudi_tick(r->rudi, sim->now);
	rudi_run(r);
}

static void rudi_start(struct sim *sim, void *arg)
{
	(void)sim;
	rudi_run(arg);
}

/* ----------------------------------------------------------------- target */

/* SES of the target: the response to an operation that is executed. */
static void rudi_execute(struct sim_rudi *r, u32 nr,
			 const struct uet_ses_req *req, u32 id,
			 struct uet_ses_rsp *rsp)
{
	struct sim_rudi_req *done = &r->req[nr];

	done->executed++;
	r->sim->count.rudi_executed++;
	if (nr < r->newest)
		r->sim->count.rudi_ooo++;
	r->newest = max(r->newest, nr);
	uet_ses_rsp_default(rsp, req);
	if (rudi_kind_of(nr) == RUDI_WRITE)
		return;
	rsp->opcode = UET_RSP_W_DATA;
	rsp->payload_length = rudi_size(r, nr);
	if (rudi_kind_of(nr) == RUDI_READ) {
		rsp->form = UET_RSP_FORM_DATA;
		rsp->read_msg_id = req->msg_id;
	} else {
		rsp->form = UET_RSP_FORM_SMALL;
		rsp->orig_psn = id;
	}
}

static u8 rudi_refusal(struct sim *sim)
{
	static const u8 codes[] = {
		UET_NACK_NO_PKT_BUFFER, UET_NACK_NO_RESOURCE,
		UET_NACK_TRIMMED, UET_NACK_RCVD_SES_PROCG,
	};

	if (!sim_chance(&sim->rng, sim->par.refuse_ppm))
		return 0;
	sim->count.refused++;
	return codes[sim_below(&sim->rng, ARRAY_SIZE(codes))];
}

static void rudi_rx_req(struct sim *sim, const struct sim_frame *frame,
			const struct uet_pds_hdr *hdr,
			const struct uet_rx_info *in, const u8 *data,
			size_t len)
{
	struct sim_rudi *r = rudi_flow(sim, frame->from, frame->to);
	u8 nack = rudi_refusal(sim);
	struct uet_ses_rsp rsp;
	struct uet_ses_req req;
	struct uet_pdc_tx tx;
	size_t used;
	u32 nr;

	if (uet_wire_ses_req_decode(hdr->next_hdr, data, len, &req, &used) ||
	    uet_wire_ses_payload(&req, len - used, &len)) {
		rudi_nonsense(sim, "a request cannot be decoded");
		return;
	}
	nr = req.msg_id - 1U;
	if (!r || nr >= r->started) {
		rudi_nonsense(sim, "a request came that nobody sent");
		return;
	}
	if (!sim_payload_equal(rudi_key(r, nr), 0, data + used, len) ||
	    (rudi_kind_of(nr) == RUDI_WRITE && len != rudi_size(r, nr)))
		rudi_nonsense(sim, "a request came with other bytes");
	if (!nack)
		rudi_execute(r, nr, &req, hdr->u.rudi.pkt_id, &rsp);
	if (uet_rudi_reply(hdr, in, &rsp, nack, &tx))
		rudi_send(r, frame->to, frame->from, &tx, nr);
}

/* ---------------------------------------------------------------- initiator */

/* The data of a response must be that of the request it answers. */
static void rudi_check_data(const struct sim_rudi *r, u32 nr,
			    const struct uet_ses_rsp *rsp, const u8 *data,
			    size_t len)
{
	size_t want = rudi_kind_of(nr) == RUDI_WRITE ? 0 : rudi_size(r, nr);

	if (len != want ||
	    !sim_payload_equal(rudi_key(r, nr), 0, data, len) ||
	    (rsp->form == UET_RSP_FORM_PLAIN && rsp->msg_id != (u16)(nr + 1)))
		rudi_nonsense(r->sim, "a response is another request's");
}

static void rudi_rx_resp(struct sim *sim, const struct sim_frame *frame,
			 const struct uet_pds_hdr *hdr, const u8 *data,
			 size_t len)
{
	struct sim_rudi *r = rudi_flow(sim, frame->to, frame->from);
	struct uet_ses_rsp rsp;
	struct uet_pds_pkt pkt;
	size_t used;

	if (!r || uet_wire_ses_rsp_decode(hdr->next_hdr, data, len, &rsp,
					  &used) ||
	    uet_wire_ses_rsp_payload(&rsp, len - used, &len)) {
		rudi_nonsense(sim, "a response cannot be decoded");
		return;
	}
	if (uet_rudi_rx_resp(r->rudi, hdr, &rsp, sim->now, &pkt))
		sim->count.rudi_stale++;
	else
		rudi_check_data(r, pkt.offset, &rsp, data + used, len);
	rudi_run(r);
}

/**
 * sim_rudi_rx() - process a RUDI packet
 * @sim: the run
 * @frame: the frame
 * @hdr: PDS header of the packet
 * @in: reception attributes
 * @rest: bytes behind the header; they end with the frame
 */
void sim_rudi_rx(struct sim *sim, const struct sim_frame *frame,
		 const struct uet_pds_hdr *hdr, const struct uet_rx_info *in,
		 const u8 *rest)
{
	size_t len = frame->data + frame->len - rest;

	if (hdr->type == UET_TY_RUDI_REQ)
		rudi_rx_req(sim, frame, hdr, in, rest, len);
	else
		rudi_rx_resp(sim, frame, hdr, rest, len);
}

/**
 * sim_rudi_rx_nack() - process a NACK with NT
 * @sim: the run
 * @frame: the frame
 * @hdr: PDS header of the NACK
 */
void sim_rudi_rx_nack(struct sim *sim, const struct sim_frame *frame,
		      const struct uet_pds_hdr *hdr)
{
	struct sim_rudi *r = rudi_flow(sim, frame->to, frame->from);

	if (!r) {
		rudi_nonsense(sim, "a NACK came to who sent nothing");
		return;
	}
	if (uet_rudi_rx_nack(r->rudi, hdr, sim->now))
		sim->count.rudi_stale++;
	rudi_run(r);
}

/* --------------------------------------------------------- begin and end */

static void rudi_init(struct sim *sim, struct sim_rudi *r, u32 i)
{
	const struct sim_params *par = &sim->par;

	r->sim = sim;
	r->node = i % par->nodes;
	r->to = (i + 1) % par->nodes;
	r->timer_ns = UET_NEVER;
	r->rudi = malloc(uet_rudi_size(&par->rudi));
	r->req = calloc(par->rudi_reqs, sizeof(*r->req));
	if (!r->rudi || !r->req)
		abort();
	uet_rudi_init(r->rudi, &par->rudi, (u32)sim_rand(&sim->rng),
		      (u32)sim_rand(&sim->rng));
	sim_at(sim, sim->now, rudi_start, r);
}

/**
 * sim_rudi_init() - create the senders of RUDI requests and schedule their start
 * @sim: the run
 */
void sim_rudi_init(struct sim *sim)
{
	const struct sim_params *par = &sim->par;
	u32 i;

	for (i = 0; i < par->rudi_flows; i++)
		rudi_init(sim, &sim->rudi[i], i);
	sim->unfinished += par->rudi_flows * par->rudi_reqs;
}

/**
 * sim_rudi_verdict() - verify RUDI at the end of the run
 * @sim: the run
 */
void sim_rudi_verdict(struct sim *sim)
{
	const struct uet_rudi_stats *from;
	struct uet_rudi_info info;
	struct sim_rudi *r;
	u32 i, nr;

	for (i = 0; i < sim->par.rudi_flows && !sim->failed; i++) {
		r = &sim->rudi[i];
		uet_rudi_get_info(r->rudi, &info);
		from = &info.stats;
		sim->count.rudi.tx_req += from->tx_req;
		sim->count.rudi.tx_retx += from->tx_retx;
		sim->count.rudi.rx_resp += from->rx_resp;
		sim->count.rudi.rx_nack += from->rx_nack;
		sim->count.rudi.rto_fired += from->rto_fired;
		sim->count.rudi.nack_lost += from->nack_lost;
		sim->count.rudi.held += from->held;
		if (!uet_rudi_is_idle(r->rudi) ||
		    uet_rudi_deadline(r->rudi) != UET_NEVER)
			sim_fail(sim, "RUDI %u->%u: %u requests outstanding",
				 r->node, r->to, info.nr_open);
		for (nr = 0; nr < sim->par.rudi_reqs; nr++)
			if (r->req[nr].reported != 1)
				sim_fail(sim, "RUDI: request %u was reported %u times",
					 nr, r->req[nr].reported);
	}
}

/**
 * sim_rudi_fini() - free all memory of RUDI
 * @sim: the run
 */
void sim_rudi_fini(struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->par.rudi_flows; i++) {
		free(sim->rudi[i].rudi);
		free(sim->rudi[i].req);
	}
}
