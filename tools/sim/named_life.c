// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of receivers that are slow, absent or without space, of PDCs
 * that open and close, and of links that fail.  The bounds are derived from the
 * parameters of the protocol.  Level: test.
 */
#include "named.h"

/* ----------------------------------------------------------------- receivers */

static void slow_setup(struct sim_params *par)
{
	par->size_min = 16384;
	par->size_max = 16384;
	par->msgs = 64;
	par->depth = 64;
	par->rcvbuf = 65536;
	par->stall_ns = 500 * SIM_MS;
}

static const char *slow_verify(const struct sim *sim)
{
	const struct uet_pdc_cfg *cfg = &sim->par.pdc;
	/* The packets in flight when the buffer fills, then one per pause. */
	u64 bound = cfg->window + 16 +
		    sim->par.stall_ns / cfg->nack_retx_max_ns;

	if (!sim->count.refused)
		return "the reader is too slow";
	if (sim->count.refused > bound)
		return "one probe for each pause";
	if (sim->count.pdc.rto_fired)
		return "no time-out while the receiver answers";
	return NULL;
}

static void larger_setup(struct sim_params *par)
{
	par->size_min = 4 << 20;
	par->size_max = 4 << 20;
	par->rcvbuf = 65536;
	par->read_bps = 1000000000;
	par->loss_ppm = 2000;
}

static void wrong_setup(struct sim_params *par)
{
	par->nodes = 4;
	par->flows = 12;
	par->msgs = 5;
	par->depth = 2;
	par->size_max = 100000;
	par->wrong_pct = 100;
	par->loss_ppm = 10000;
}

static const char *wrong_verify(const struct sim *sim)
{
	if (sim->count.ok || sim->count.failed != 60)
		return "every message is answered with an error";
	return NULL;
}

static void unbind_setup(struct sim_params *par)
{
	par->flows = 8;
	par->msgs = 20;
	par->depth = 4;
	par->incast = true;
	par->size_max = 200000;
	par->unbind_ns = 200 * SIM_US;
}

static const char *unbind_verify(const struct sim *sim)
{
	if (!sim->count.ok || !sim->count.failed)
		return "some messages came before the end, some after";
	return NULL;
}

static void abort_setup(struct sim_params *par)
{
	par->msgs = 100;
	par->depth = 3;
	par->size_max = 100000;
	par->stream_pct = 100;
	par->stream_ns = 30 * SIM_US;
	par->abort_pct = 60;
	par->loss_ppm = 10000;
}

static const char *abort_verify(const struct sim *sim)
{
	if (!sim->count.ok || !sim->count.failed)
		return "some messages are given up, some are not";
	return NULL;
}

/* ------------------------------------------------------------- life of a PDC */

static void pause_setup(struct sim_params *par)
{
	par->size_min = 50000;
	par->size_max = 50000;
	par->stream_pct = 100;
	par->stream_ns = 200 * SIM_MS;
	par->pdc.idle_ns = 20 * SIM_MS;
	par->pdc.target_idle_ns = 90 * SIM_MS;
}

static const char *pause_verify(const struct sim *sim)
{
	return sim->count.opened == 1 ? NULL :
	       "a message in progress keeps its PDC open";
}

/*
 * Both ends close during messages of the other end, so that some PDCs end in
 * errors.  Packets that they have received may arrive again over the slow rail.
 */
static void cross_setup(struct sim_params *par)
{
	par->rails = 2;
	par->delay_ns[1] = 600 * SIM_US;
	par->flows = 6;
	par->msgs = 400;
	par->depth = 10;
	par->size_max = 64;
	par->close_pct = 40;
	par->read_pct = 60;
	par->loss_ppm = 20000;
	par->pdc.rto_init_ns = 3 * SIM_MS;
}

static const char *cross_verify(const struct sim *sim)
{
	return sim->count.protocol ? NULL : "some PDCs end in errors";
}

static void reopen_setup(struct sim_params *par)
{
	par->flows = 20;
	par->incast = true;
	par->share_pdc = true;
	par->size_max = 20000;
	par->start_ns = 4 * SIM_S;
	par->pdc.idle_ns = 50 * SIM_MS;
}

static const char *reopen_verify(const struct sim *sim)
{
	if (sim->count.opened < 5 || sim->count.opened > 20)
		return "idle PDCs close and new ones open";
	return sim->count.pdc.rto_fired ? "and nothing is lost" : NULL;
}

static void full_setup(struct sim_params *par)
{
	par->nodes = 8;
	par->flows = 16;
	par->msgs = 3;
	par->incast = true;
	par->size_max = 50000;
	par->pdc_max = 4;
	par->pdc.idle_ns = 10 * SIM_MS;
	par->may_fail = true;
}

static const char *full_verify(const struct sim *sim)
{
	if (!sim->count.no_pdc)
		return "some SYNs find no space";
	return sim->count.ok > sim->count.failed ? NULL :
	       "most messages get their turn";
}

/* ------------------------------------------------------------------ disasters */

static void dark_setup(struct sim_params *par)
{
	par->msgs = 100;
	par->depth = 4;
	par->size_max = 500000;
	par->blackout.start_ns = 100 * SIM_US;
	par->blackout.len_ns = SIM_S;
	par->blackout.rails = 1;
}

static const char *dark_verify(const struct sim *sim)
{
	if (sim->count.opened != 1)
		return "a blackout of one second is survived";
	return sim->count.pdc.rto_fired ? NULL : "by time-outs";
}

static void dead_setup(struct sim_params *par)
{
	dark_setup(par);
	par->msgs = 10;
	par->blackout.len_ns = UET_NEVER;
	par->pdc.target_idle_ns = SIM_S;
}

static const char *dead_verify(const struct sim *sim)
{
	const struct uet_pdc_cfg *cfg = &sim->par.pdc;
	u64 rto = cfg->rto_init_ns, sum = 0;
	u32 i;

	for (i = 0; i <= cfg->max_rto_retx; i++) {
		sum += rto;
		rto = min(2 * rto, cfg->rto_max_ns);
	}
	if (!sim->count.failed)
		return "messages fail when the peer is gone";
	/* Messages are sent one after the other, at worst each on a new PDC. */
	if (sim->finish_ns - SIM_S > (sim->count.opened + 1) * 2 * sum)
		return "after Max_RTO_Retx_Cnt time-outs";
	return NULL;
}

static void half_setup(struct sim_params *par)
{
	/*
	 * Half of each attempt uses the dead rail; no path selection avoids the
	 * rail yet.
	 */
	par->pdc.max_rto_retx = 15;
	par->rails = 2;
	par->msgs = 20;
	par->depth = 4;
	par->size_max = 500000;
	par->blackout.start_ns = 100 * SIM_US;
	par->blackout.len_ns = UET_NEVER;
	par->blackout.rails = 1;
}

static const char *half_verify(const struct sim *sim)
{
	return sim->count.failed ? "one dead rail of two loses no message" :
	       NULL;
}

const struct sim_named sim_named_life[] = {
	{ "slow-reader", "a receiver that does not read for half a second",
	  slow_setup, slow_verify },
	{ "larger", "a message 64 times as large as the receive buffer",
	  larger_setup, NULL },
	{ "wrong-address", "messages to jobs, PIDs and RIs that do not exist",
	  wrong_setup, wrong_verify },
	{ "unbind", "an endpoint goes away amid traffic",
	  unbind_setup, unbind_verify },
	{ "abort", "senders give messages up half way",
	  abort_setup, abort_verify },
	{ "pause", "a sender pauses longer than the idle time",
	  pause_setup, pause_verify },
	{ "crossing-close", "targets that end in errors deliver nothing again",
	  cross_setup, cross_verify },
	{ "reopen", "PDCs close for idleness and open again",
	  reopen_setup, reopen_verify },
	{ "full", "more initiators than a target has PDCs",
	  full_setup, full_verify },
	{ "blackout", "a second of silence is survived",
	  dark_setup, dark_verify },
	{ "dead-peer", "silence for ever ends in errors",
	  dead_setup, dead_verify },
	{ "dead-rail", "one of two rails dies", half_setup, half_verify },
	{ .name = NULL },
};
