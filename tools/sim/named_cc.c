// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of congestion control: PDCs that share a window, small
 * windows, and queues that mark or trim.  The run verifies that messages arrive
 * once, that contexts stay within their bounds, and that quanta are given
 * round-robin.  This file verifies the counters, with bounds that follow from
 * the scenario.  Level: test.
 */
#include "named.h"

/* A context with the round trip and the rate of the default network. */
static void cc_setup(struct sim_params *par, enum uet_cc_window window)
{
	par->pdc.has_cc = true;
	par->cc.window = window;
	par->cc.has_trim = false;
	par->cc.mtu = par->mtu + 200;
	par->cc.base_rtt_ns = 2 * par->delay_ns[0] + 2 * SIM_US;
	par->cc.rate_mbps = par->rails * par->rate_bps / 1000000;
	par->paths.policy = UET_EV_MIXED;
	par->paths.values = 64;
	par->paths.bad_max = UET_EV_BAD_MAX(64);
	par->paths.freeze_ns = 100 * SIM_US;
}

/* Four PDCs, one per endpoint, and four more in the other direction. */
static void share_setup(struct sim_params *par)
{
	par->flows = 16;
	par->msgs = 8;
	par->depth = 4;
	par->size_min = 100000;
	par->size_max = 100000;
	cc_setup(par, UET_WINDOW_NSCC);
}

static const char *share_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->contexts != 2)
		return "all PDCs of a node with another have one context";
	if (c->opened < 4)
		return "there are some PDCs to share it";
	if (!c->cc_waits)
		return "the window is full at times";
	if (c->pdc.tx_retx || c->cc_losses || c->pdc.rto_fired)
		return "nothing is lost";
	return NULL;
}

/* A window of one packet for all PDCs together. */
static void small_setup(struct sim_params *par)
{
	share_setup(par);
	cc_setup(par, UET_WINDOW_CONST);
	par->cc.cwnd = par->cc.mtu;
}

static const char *small_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	u64 rtt = 2 * sim->par.delay_ns[0];

	/* Each node sends about half of the packets; one of them at least half. */
	if (sim->finish_ns - SIM_S < c->pdc.tx_req / 2 * rtt)
		return "a packet takes a round trip";
	return share_verify(sim);
}

static void rod_setup(struct sim_params *par)
{
	share_setup(par);
	par->mode = UET_PDC_ROD;
}

static const char *rod_verify(const struct sim *sim)
{
	if (sim->count.contexts != sim->count.opened + sim->count.accepted)
		return "a ROD PDC has a context of its own";
	return sim->count.pdc.tx_retx ? "nothing is lost" : NULL;
}

/* 15 senders to one receiver; the queue has space for all initial windows. */
static void incast_setup(struct sim_params *par, enum uet_cc_window window)
{
	par->nodes = 16;
	par->flows = 15;
	par->incast = true;
	par->msgs = 4;
	par->size_min = 400000;
	par->size_max = 400000;
	par->queue_bytes = 8 << 20;
	par->ecn_bytes = 128 << 10;
	cc_setup(par, window);
}

static void marks_setup(struct sim_params *par)
{
	incast_setup(par, UET_WINDOW_NSCC);
}

static const char *marks_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->tail_dropped || c->lost)
		return "the queue does not overflow";
	if (!c->cc_marked || !c->cc_decreases)
		return "marks are seen, and windows are cut";
	if (c->cc_losses || c->pdc.tx_retx)
		return "nothing is taken for lost";
	return NULL;
}

static void trims_setup(struct sim_params *par)
{
	incast_setup(par, UET_WINDOW_NSCC);
	par->queue_bytes = 1 << 19;
	par->trims = true;
	par->cc.has_trim = true;
}

static const char *trims_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (!c->trimmed || !c->cc_trims)
		return "the queue trims, and contexts hear of it";
	if (c->trimmed * 5 > c->pdc.tx_req)
		return "most packets are not trimmed";
	return NULL;
}

static void rail_setup(struct sim_params *par)
{
	par->pdc.max_rto_retx = 15;
	par->rails = 2;
	par->msgs = 200;
	par->depth = 4;
	par->size_min = 100000;
	par->size_max = 100000;
	par->blackout.start_ns = 100 * SIM_US;
	par->blackout.len_ns = UET_NEVER;
	par->blackout.rails = 1;
	cc_setup(par, UET_WINDOW_NSCC);
}

/* Packets spread evenly over both rails would lose half of them each time. */
static const char *rail_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->failed)
		return "one dead rail of two loses no message";
	return c->lost_req * 4 < c->pdc.tx_req ? NULL :
	       "paths that lose packets are left";
}

const struct sim_named sim_named_cc[] = {
	{ "cc-share", "PDCs that share a window take turns", share_setup,
	  share_verify },
	{ "cc-small", "the same, and the window is that of one packet",
	  small_setup, small_verify },
	{ "cc-rod", "ordered PDCs have a window and a path each", rod_setup,
	  rod_verify },
	{ "cc-marks", "15 to one: marks keep the queue short", marks_setup,
	  marks_verify },
	{ "cc-trims", "the same with a short queue that trims", trims_setup,
	  trims_verify },
	{ "cc-dead-rail", "one of two rails dies, and is left", rail_setup,
	  rail_verify },
	{ .name = NULL },
};
