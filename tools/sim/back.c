// SPDX-License-Identifier: GPL-2.0
/*
 * The return direction in the simulator: a receiver answers messages with
 * messages of its own, on the PDC of the request, as read responses are sent.
 * The sender has the number of pending answers, and keeps the PDC open until
 * they have arrived, unless the scenario closes the PDC before.  Each answer
 * must arrive exactly once.  Its sender may nevertheless see an error, if the
 * close overtook the last ACK.  Level: test.
 *
 * Spec: UE 1.0.1 3.5.8.3 (a close while return packets are outstanding),
 * 3.5.20.
 */
#include "sim.h"

static struct sim_msg *back_asked_by(struct sim *sim, const struct sim_msg *msg)
{
	return &sim->msg[msg->for_nr - 1];
}

static void back_run(struct sim *sim, void *arg)
{
	struct sim_pdc *p = arg;

	(void)sim;
	if (p->pdc)
		sim_pdc_run(p);
}

/**
 * sim_read_rsp_settle() - expect no more answer to a message
 * @sim: the run
 * @msg: message that may have requested an answer
 */
void sim_read_rsp_settle(struct sim *sim, struct sim_msg *msg)
{
	if (!msg->awaits_read_rsp)
		return;
	msg->awaits_read_rsp = false;
	msg->pdc->pending--;
	/* The answer may have been the last reason to keep the PDC open. */
	sim_at(sim, sim->now, back_run, msg->pdc);
}

/**
 * sim_read_rsp_expect() - decide whether a message requests an answer
 * @sim: the run
 * @msg: message of a flow, about to be queued on its PDC
 */
void sim_read_rsp_expect(struct sim *sim, struct sim_msg *msg)
{
	if (!sim->par.back_pct ||
	    !sim_chance(&sim->rng, sim->par.back_pct * 10000))
		return;
	msg->awaits_read_rsp = true;
	msg->pdc->pending++;
}

static struct sim_msg *back_compose(struct sim *sim, struct sim_msg *asked)
{
	const struct sim_params *par = &sim->par;
	struct sim_msg *msg = &sim->msg[sim->nr_msgs];

	msg->flow = asked->flow;
	msg->nr = ++sim->nr_msgs;
	msg->for_nr = asked->nr;
	msg->abort_at = U32_MAX;
	msg->start_ns = sim->now;
	msg->tx.to = asked->tx.to;
	msg->tx.length = sim_between(&sim->rng, par->back_min, par->back_max);
	msg->tx.avail = msg->tx.length;
	msg->tx.mtu = par->mtu;
	msg->tx.opcode = UET_OP_SEND;
	msg->tx.has_hdata = true;
	msg->tx.header_data = msg->nr;
	if (par->short_headers)
		msg->tx.form = uet_ses_form(&msg->tx);
	return msg;
}

/**
 * sim_read_rsp_delivered() - answer a message that is complete at its receiver
 * @p: PDC of the message
 * @nr: number of the message
 *
 * A closing PDC accepts no answer; the answer is then not sent.
 */
void sim_read_rsp_delivered(struct sim_pdc *p, u32 nr)
{
	struct sim *sim = p->sim;
	struct sim_msg *msg, *back;

	if (sim->par.forge_ppm || sim->failed)
		return;
	msg = &sim->msg[nr - 1];
	if (msg->for_nr) {
		sim_read_rsp_settle(sim, back_asked_by(sim, msg));
		return;
	}
	if (!msg->awaits_read_rsp || msg->is_answered)
		return;
	if (!uet_pdc_takes_messages(p->pdc)) {
		sim->count.back_refused++;
		sim_read_rsp_settle(sim, msg);
		return;
	}
	msg->is_answered = true;
	back = back_compose(sim, msg);
	back->pdc = p;
	sim->unfinished++;
	sim->count.back_sent++;
	sim_note(sim, "message %u: %u bytes, back from node %u on PDC %04x for %u",
		 back->nr, back->tx.length, p->node, p->id, msg->nr);
	uet_ses_tx_queue(&p->ses, &back->tx);
}

/**
 * sim_read_rsp_hold() - keep a PDC open while answers are pending
 * @p: a PDC that has not ended, after uet_ses_pump()
 */
void sim_read_rsp_hold(struct sim_pdc *p)
{
	if (p->pending && !p->sim->par.back_free)
		uet_pdc_hold(p->pdc, true, p->sim->now);
}

/**
 * sim_read_rsp_done() - process the verdict on a message of the return direction
 * @sim: the run
 * @msg: the message
 */
void sim_read_rsp_done(struct sim *sim, struct sim_msg *msg)
{
	if (!msg->error)
		sim->count.back_ok++;
	else if (msg->delivered)
		sim->count.back_crossed++;
	else
		sim->count.back_failed++;
	if (msg->error)
		sim_read_rsp_settle(sim, back_asked_by(sim, msg));
}

/**
 * sim_read_rsp_may_fail() - does the scenario explain the failure of an answer?
 * @sim: the run
 * @msg: message of the return direction
 *
 * A close ends an answer with an error in two cases: the PDC does not wait for
 * answers, or the answer arrived and the close overtook its ACK.  The error
 * results from the target refusing the close, or from the refusal of an answer
 * sent after the close.  An answer also fails with the message that requested
 * it, and as any message in a blackout.
 *
 * Return: true if the failure is explained.
 */
bool sim_read_rsp_may_fail(struct sim *sim, const struct sim_msg *msg)
{
	const struct sim_params *par = &sim->par;

	switch (msg->error) {
	case -EPROTO:
	case -ECONNRESET:
		if (msg->delivered || par->back_free)
			return true;
		break;
	case -ECONNREFUSED:
		if (par->unbind_ns && !msg->flow->node && !msg->tx.to.pid)
			return true;
		break;
	}
	return par->may_fail || par->blackout.len_ns ||
	       back_asked_by(sim, msg)->error;
}
