// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of RUDI.  rudi.c verifies the invariants of a run: each
 * request is reported once and executed at least once, and none is outstanding
 * at the end.  This file verifies the counters, with bounds that follow from
 * the events in the network.  Level: test.
 */
#include "named.h"

#define REQS	6000

/* RUDI only: all frames that the network counts are frames of RUDI. */
static void rudi_setup(struct sim_params *par)
{
	par->flows = 0;
	par->rudi_flows = 1;
	par->rudi_reqs = REQS;
	par->rudi_depth = 64;
}

static const char *rudi_all_ok(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	u64 all = (u64)sim->par.rudi_flows * sim->par.rudi_reqs;

	if (c->rudi_ok != all || c->rudi_failed)
		return "every request is answered";
	if (c->rudi.tx_req != all)
		return "every request is sent for the first time once";
	if (c->rudi_executed < all)
		return "every request is executed";
	return NULL;
}

static const char *clean_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->rudi.tx_retx || c->rudi.rto_fired || c->rudi.rx_nack)
		return "nothing to repair";
	if (c->rudi_executed != REQS || c->sent != 2 * REQS)
		return "one request, one execution, one response";
	return rudi_all_ok(sim);
}

static void loss1_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->loss_ppm = 10000;
}

static void loss10_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->loss_ppm = 100000;
}

static const char *loss_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	u64 expect = 2 * REQS * (u64)sim->par.loss_ppm / 1000000;

	if (c->lost < expect / 2)
		return "frames are lost";
	/*
	 * Either a request or its response was lost; both cause a
	 * retransmission.
	 */
	if (c->rudi.tx_retx != c->lost)
		return "a transmission for each frame that was lost";
	if (c->rudi_executed != REQS + c->rudi.tx_retx - c->rudi_lost)
		return "every request that arrives is executed";
	return rudi_all_ok(sim);
}

static void dup_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->dup_ppm = 1000000;
	par->jitter_ns = 50 * SIM_US;
}

static const char *dup_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->rudi_executed != 2 * REQS)
		return "what arrives twice is executed twice";
	if (c->rudi_stale != 3 * REQS)
		return "three of four responses change nothing";
	if (c->rudi.tx_retx)
		return "nothing to repair";
	return rudi_all_ok(sim);
}

static void reorder_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->rails = 2;
	par->reorder_ppm = 250000;
	par->reorder_ns = 200 * SIM_US;
}

static const char *reorder_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->rudi_ooo < REQS / 10)
		return "requests overtake each other";
	if (c->rudi.tx_retx || c->rudi_executed != REQS)
		return "being late is not being lost";
	return rudi_all_ok(sim);
}

static void both_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->rudi_flows = 2;
	par->loss_ppm = 20000;
	par->dup_ppm = 20000;
	par->refuse_ppm = 50000;
	par->reorder_ppm = 250000;
	par->reorder_ns = 200 * SIM_US;
	/* In addition, messages of a PDC between the same nodes. */
	par->flows = 2;
	par->msgs = 20;
	par->size_max = 200000;
}

static const char *both_verify(const struct sim *sim)
{
	if (sim->count.ok != 40)
		return "messages are none the worse for it";
	return rudi_all_ok(sim);
}

static void refuse_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->refuse_ppm = 300000;
}

static const char *refuse_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (!c->rudi.held || !c->rudi.nack_lost)
		return "some are refused, some are lost";
	if (c->rudi.rx_nack != c->refused)
		return "every refusal is believed";
	/*
	 * RCVD_SES_PROCG asks the initiator to wait; the other codes cause a
	 * retransmission.
	 */
	if (c->rudi.tx_retx != c->rudi.held + c->rudi.nack_lost +
			       c->rudi.rto_fired)
		return "no transmission without a reason";
	if (c->rudi_executed != REQS)
		return "what is refused is not executed";
	return rudi_all_ok(sim);
}

static void dark_setup(struct sim_params *par)
{
	rudi_setup(par);
	par->blackout.start_ns = 100 * SIM_US;
	par->blackout.len_ns = SIM_S;
	par->blackout.rails = 1;
}

static const char *dark_verify(const struct sim *sim)
{
	if (!sim->count.rudi.rto_fired)
		return "a blackout of one second is met";
	return rudi_all_ok(sim);
}

static void dead_setup(struct sim_params *par)
{
	dark_setup(par);
	par->rudi_reqs = 640;
	par->blackout.len_ns = UET_NEVER;
}

static const char *dead_verify(const struct sim *sim)
{
	const struct uet_rudi_cfg *cfg = &sim->par.rudi;
	const struct sim_count *c = &sim->count;
	u64 rto = cfg->rto_init_ns, sum = 0;
	u32 i;

	for (i = 0; i <= cfg->max_rto_retx; i++) {
		sum += rto;
		rto = min(2 * rto, cfg->rto_max_ns);
	}
	if (!c->rudi_ok || c->rudi_ok + c->rudi_failed != 640)
		return "some are answered before the end, the others fail";
	if (c->rudi.rto_fired != c->rudi_failed * (cfg->max_rto_retx + 1))
		return "each after Max_RTO_Retx_Cnt time-outs of its own";
	/*
	 * Requests fail in groups of rudi_depth; the requests of a group time
	 * out at the same time.
	 */
	if (sim->finish_ns - SIM_S >
	    (c->rudi_failed / sim->par.rudi_depth + 1) * sum + SIM_MS)
		return "in the time this takes";
	return NULL;
}

const struct sim_named sim_named_rudi[] = {
	{ "rudi-clean", "idempotent operations over an ideal link",
	  rudi_setup, clean_verify },
	{ "rudi-loss-1", "the same at 1 % loss", loss1_setup, loss_verify },
	{ "rudi-loss-10", "the same at 10 % loss", loss10_setup, loss_verify },
	{ "rudi-dup", "every frame arrives twice", dup_setup, dup_verify },
	{ "rudi-reorder", "a quarter of the frames is overtaken",
	  reorder_setup, reorder_verify },
	{ "rudi-both-ways", "all of this in both directions, beside messages",
	  both_setup, both_verify },
	{ "rudi-refused", "a target that refuses 30 % of the requests",
	  refuse_setup, refuse_verify },
	{ "rudi-blackout", "a second of silence is survived",
	  dark_setup, dark_verify },
	{ "rudi-dead-peer", "silence for ever ends in errors",
	  dead_setup, dead_verify },
	{ .name = NULL },
};
