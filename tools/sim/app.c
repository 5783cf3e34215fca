// SPDX-License-Identifier: GPL-2.0
/*
 * Senders of the simulator: start messages, supply their bytes at once or in
 * pieces, abort some of them, and compare each verdict with the deliveries.  A
 * message that succeeded must have been delivered exactly once; a message that
 * failed must have a reason in the scenario.  Level: test.
 */
#include "sim.h"

static void app_supply(struct sim *sim, void *arg)
{
	struct sim_msg *msg = arg;
	struct uet_ses_tx *tx = &msg->tx;

	if (msg->finished || msg->aborted)
		return;
	tx->avail += min(msg->piece, tx->length - tx->avail);
	if (tx->avail >= msg->abort_at && tx->avail < tx->length) {
		sim_note(sim, "message %u given up", msg->nr);
		msg->aborted = true;
		uet_ses_tx_abort(&msg->pdc->ses, tx);
	} else if (tx->avail < tx->length) {
		sim_at(sim, sim->now + sim->par.stream_ns, app_supply, msg);
	}
	sim_pdc_run(msg->pdc);
}

/* Half of the messages are at most two packets long, as most real ones are. */
static u32 app_size(struct sim *sim)
{
	const struct sim_params *par = &sim->par;
	u32 top = par->size_max;

	if (sim_chance(&sim->rng, 500000))
		top = min(top, max(par->size_min, 2 * par->mtu));
	return sim_between(&sim->rng, par->size_min, top);
}

static void app_compose(struct sim *sim, struct sim_flow *flow,
			struct sim_msg *msg)
{
	msg->flow = flow;
	msg->nr = ++sim->nr_msgs;
	msg->abort_at = U32_MAX;
	msg->start_ns = sim->now;
	msg->tx.to = flow->addr;
	msg->tx.length = app_size(sim);
	msg->tx.avail = msg->tx.length;
	msg->tx.mtu = sim->par.mtu;
	msg->tx.opcode = UET_OP_SEND;
	msg->tx.has_hdata = true;
	msg->tx.header_data = msg->nr;
	sim_read_compose(sim, msg);
	if (msg->data || !sim_chance(&sim->rng, sim->par.stream_pct * 10000))
		return;
	msg->piece = msg->tx.length / sim_between(&sim->rng, 1, 10) + 1;
	msg->tx.avail = 0;
	if (sim_chance(&sim->rng, sim->par.abort_pct * 10000))
		msg->abort_at = sim_below(&sim->rng, msg->tx.length + 1);
}

/* Start messages of a flow, up to the number allowed in progress. */
static void app_start(struct sim *sim, void *arg)
{
	struct sim_flow *flow = arg;
	struct sim_msg *msg;

	while (flow->active < sim->par.depth && flow->started < sim->par.msgs &&
	       !sim->failed) {
		msg = &sim->msg[sim->nr_msgs];
		app_compose(sim, flow, msg);
		flow->started++;
		flow->active++;
		msg->pdc = sim_node_initiator(sim, flow->node, flow->to,
					      flow->addr.pid);
		sim_note(sim, "message %u: %u bytes, %u->%u.%u on PDC %04x",
			 msg->nr, msg->tx.length, flow->node, flow->to,
			 flow->addr.pid, msg->pdc->id);
		if (!msg->data)
			sim_read_rsp_expect(sim, msg);
		if (sim->par.short_headers)
			msg->tx.form = uet_ses_form(&msg->tx);
		uet_ses_tx_queue(&msg->pdc->ses, &msg->tx);
		if (sim_chance(&sim->rng, sim->par.close_pct * 10000))
			uet_pdc_close(msg->pdc->pdc, sim->now);
		if (msg->piece)
			sim_at(sim, sim->now + sim->par.stream_ns, app_supply,
			       msg);
		sim_pdc_run(msg->pdc);
	}
}

static void app_flow_init(struct sim *sim, struct sim_flow *flow, u32 nr)
{
	const struct sim_params *par = &sim->par;
	struct uet_ses_addr *addr = &flow->addr;

	flow->to = par->incast ? 0 : nr % par->nodes;
	flow->node = (flow->to + 1 + sim_below(&sim->rng, par->nodes - 1)) %
		     par->nodes;
	addr->job = SIM_JOB;
	addr->pid = sim_below(&sim->rng, SIM_EPS);
	addr->ri = SIM_RI;
	addr->rel = true;
	addr->initiator = nr + 1;
	if (sim_chance(&sim->rng, par->wrong_pct * 10000))
		flow->wrong = sim_between(&sim->rng, SIM_WRONG_JOB,
					  SIM_WRONG_RI);
	addr->job += flow->wrong == SIM_WRONG_JOB;
	addr->pid += flow->wrong == SIM_WRONG_PID ? SIM_EPS : 0;
	addr->ri += flow->wrong == SIM_WRONG_RI;
}

/**
 * sim_app_init() - create the senders and schedule their start
 * @sim: the run
 */
void sim_app_init(struct sim *sim)
{
	const struct sim_params *par = &sim->par;
	u32 i;

	sim->flow = calloc(par->flows, sizeof(*sim->flow));
	/* Each message may be answered by another message. */
	sim->msg = calloc(2 * (size_t)par->flows * par->msgs,
			  sizeof(*sim->msg));
	if (!sim->flow || !sim->msg)
		abort();
	sim->unfinished = par->flows * par->msgs;
	for (i = 0; i < par->flows; i++) {
		app_flow_init(sim, &sim->flow[i], i);
		sim_at(sim, sim->now + sim_below(&sim->rng, par->start_ns + 1),
		       app_start, &sim->flow[i]);
	}
}

/* The scenario explains why this message failed with this error. */
static bool app_may_fail(struct sim *sim, const struct sim_msg *msg)
{
	const struct sim_flow *flow = msg->flow;

	if (msg->for_nr)
		return sim_read_rsp_may_fail(sim, msg);
	switch (msg->error) {
	case -ECANCELED:
		return msg->aborted;
	case -ECONNREFUSED:
		return flow->wrong || (sim->par.unbind_ns && !flow->to &&
				       !flow->addr.pid);
	case -ECONNRESET:
		/*
		 * A closing target does not wait for the end of a blackout.
		 * Neither does a target that has cut off messages of its own.
		 */
		return sim->par.may_fail ||
		       ((sim->par.close_pct || sim->par.back_pct) &&
			sim->par.blackout.len_ns);
	case -ETIMEDOUT:
		return sim->par.may_fail ||
		       sim->par.blackout.len_ns == UET_NEVER;
	}
	return sim->par.may_fail;
}

static void app_judge(struct sim *sim, const struct sim_msg *msg)
{
	const char *what = NULL;

	if (sim->par.forge_ppm)
		return;
	if (!msg->error && msg->delivered != 1)
		what = "succeeded";
	else if (msg->error && !app_may_fail(sim, msg))
		what = "failed";
	else if (msg->delivered > 1)
		what = "multiplied";
	if (what)
		sim_fail(sim, "message %u %s: error %d, rc %s, PDC %s, delivered %u times",
			 msg->nr, what, msg->error, uet_ses_rc_name(msg->tx.rc),
			 uet_pdc_error_name(msg->tx.error), msg->delivered);
}

static void app_flow_done(struct sim *sim, struct sim_msg *msg)
{
	if (msg->error) {
		sim->count.failed++;
		sim_read_rsp_settle(sim, msg);
	} else {
		sim->count.ok++;
	}
	msg->flow->active--;
	sim_at(sim, sim->now, app_start, msg->flow);
}

/**
 * sim_app_done() - process messages that have a verdict
 * @sim: the run
 * @done: messages from uet_ses_reap() and uet_ses_fail(); emptied
 */
void sim_app_done(struct sim *sim, struct list_head *done)
{
	struct uet_ses_tx *tx, *next;
	struct sim_msg *msg;

	list_for_each_entry_safe(tx, next, done, link) {
		list_del_init(&tx->link);
		msg = container_of(tx, struct sim_msg, tx);
		msg->finished = true;
		msg->done_ns = sim->now;
		msg->error = uet_ses_errno(tx);
		sim_note(sim, "message %u done: %d", msg->nr, msg->error);
		sim_read_done(sim, msg);
		app_judge(sim, msg);
		sim->finish_ns = sim->now;
		sim->unfinished--;
		if (msg->for_nr)
			sim_read_rsp_done(sim, msg);
		else
			app_flow_done(sim, msg);
	}
}

/**
 * sim_app_delivered() - process a message that is complete at its receiver
 * @sim: the run
 * @rx: the message at the receiver
 */
void sim_app_delivered(struct sim *sim, const struct uet_ses_rx *rx)
{
	u64 nr = rx->req.header_data;
	struct sim_flow *flow;
	struct sim_msg *msg;
	bool is_back;

	if (sim->par.forge_ppm)
		return;
	if (!rx->has_som || !rx->req.hd || !nr || nr > sim->nr_msgs) {
		sim_fail(sim, "a message was delivered that nobody sent");
		return;
	}
	msg = &sim->msg[nr - 1];
	flow = msg->flow;
	sim_note(sim, "message %u delivered", msg->nr);
	msg->delivered++;
	if (msg->tx.length != rx->length ||
	    flow->addr.initiator != rx->req.initiator)
		sim_fail(sim, "message %u arrived with length %u of %u",
			 msg->nr, rx->length, msg->tx.length);
	is_back = msg->for_nr;
	if (sim->par.mode == UET_PDC_ROD &&
	    flow->last_pdc[is_back] == msg->pdc &&
	    flow->last_nr[is_back] >= msg->nr)
		sim_fail(sim, "message %u arrived after %u", msg->nr,
			 flow->last_nr[is_back]);
	flow->last_pdc[is_back] = msg->pdc;
	flow->last_nr[is_back] = msg->nr;
}

/**
 * sim_app_verdict() - verify all messages again at the end of the run
 * @sim: the run
 *
 * A message could be delivered a second time long after its verdict.
 */
void sim_app_verdict(struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->nr_msgs && !sim->failed; i++)
		app_judge(sim, &sim->msg[i]);
}
