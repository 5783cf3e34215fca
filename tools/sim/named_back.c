// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of the return direction: messages of a target on the PDC of
 * its initiator, alone and with traffic in both directions, on good and bad
 * links, and with a close at the same time.  The run verifies that each message
 * arrives once and intact.  This file verifies the counters, with bounds that
 * follow from the events in the network.  Level: test.
 */
#include "named.h"

#define MSGS	200

/* Small requests and long answers, as with reads. */
static void back_setup(struct sim_params *par)
{
	par->msgs = MSGS;
	par->depth = 8;
	par->size_max = 64;
	par->back_pct = 100;
	par->back_min = 65536;
	par->back_max = 65536;
}

static const char *back_all_ok(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != MSGS || c->back_ok != MSGS)
		return "every message and every answer to it succeeds";
	if (c->opened != 1 || c->accepted != 1)
		return "both directions share one PDC";
	if (c->protocol || c->told)
		return "the PDC closes in order";
	return NULL;
}

static u64 back_packets(const struct sim *sim)
{
	return MSGS + (u64)MSGS * sim->par.back_max / sim->par.mtu;
}

static const char *clean_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->pdc.tx_retx || c->pdc.rto_fired || c->pdc.tx_nack ||
	    c->pdc.rx_dup)
		return "nothing to repair";
	if (c->pdc.tx_req != back_packets(sim))
		return "one packet per MTU in the return direction, too";
	return back_all_ok(sim);
}

static void loss1_setup(struct sim_params *par)
{
	back_setup(par);
	par->loss_ppm = 10000;
}

static void loss10_setup(struct sim_params *par)
{
	back_setup(par);
	par->loss_ppm = 100000;
}

static const char *loss_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	u64 expect = back_packets(sim) * sim->par.loss_ppm / 1000000;

	if (c->lost_req < expect / 2)
		return "requests are lost";
	if (c->pdc.tx_retx < c->lost_req)
		return "every lost request is sent again";
	if (c->pdc.tx_retx > 3 * c->lost_req)
		return "not much more than what was lost is sent again";
	return back_all_ok(sim);
}

static void reorder_setup(struct sim_params *par)
{
	back_setup(par);
	par->rails = 2;
	par->reorder_ppm = 100000;
	par->reorder_ns = 30 * SIM_US;
}

static const char *reorder_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->pdc.rx_ooo < back_packets(sim) / 20)
		return "packets overtake each other";
	if (c->pdc.rto_fired || c->pdc.tx_nack)
		return "being late is not being lost";
	return back_all_ok(sim);
}

static void dup_setup(struct sim_params *par)
{
	back_setup(par);
	par->dup_ppm = 1000000;
	par->jitter_ns = 50 * SIM_US;
}

static const char *dup_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->pdc.rx_req != back_packets(sim))
		return "what arrives twice is delivered once";
	/* The copy of the last packets may arrive after the PDC has closed. */
	if (c->pdc.rx_dup + c->no_pdc < back_packets(sim))
		return "the second copy is known as such";
	return back_all_ok(sim);
}

static void rod_setup(struct sim_params *par)
{
	loss1_setup(par);
	par->mode = UET_PDC_ROD;
}

/* As many bytes in either direction as the link can carry. */
static void both_setup(struct sim_params *par)
{
	back_setup(par);
	par->depth = 16;
	par->size_min = 1 << 20;
	par->size_max = 1 << 20;
	par->back_min = 1 << 20;
	par->back_max = 1 << 20;
	par->rcvbuf = 64 << 20;
}

static const char *both_verify(const struct sim *sim)
{
	u64 bits = 8ULL * MSGS * (sim->par.size_max + sim->par.back_max);
	u64 alone_ns = bits / 2 * SIM_S / sim->par.rate_bps;

	if (sim->count.bytes != bits / 8)
		return "all bytes of both directions are read";
	/* Directions that wait for each other would take twice the time of one. */
	if (sim->finish_ns - SIM_S > alone_ns * 3 / 2)
		return "neither direction waits for the other";
	return back_all_ok(sim);
}

static void both_loss_setup(struct sim_params *par)
{
	both_setup(par);
	par->msgs = MSGS / 4;
	par->loss_ppm = 10000;
	par->dup_ppm = 10000;
	par->reorder_ppm = 10000;
	par->reorder_ns = 30 * SIM_US;
}

static const char *both_loss_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != MSGS / 4 || c->back_ok != MSGS / 4 || c->opened != 1)
		return "every message and every answer to it succeeds on one PDC";
	if (c->pdc.tx_retx < c->lost_req)
		return "every lost request is sent again";
	return NULL;
}

/* Closes are requested all the time, and are delayed while data is pending. */
static void held_setup(struct sim_params *par)
{
	loss1_setup(par);
	par->close_pct = 20;
}

static const char *held_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != MSGS || c->back_failed)
		return "no message fails for a close";
	if (c->opened < MSGS / 50)
		return "PDCs are closed";
	if (c->back_ok < c->back_sent / 2)
		return "most answers succeed";
	if (c->back_crossed && !c->protocol)
		return "an ACK that is overtaken by a close ends the target in error";
	return NULL;
}

/* The same without the delay: the close overtakes return packets in flight. */
static void crossed_setup(struct sim_params *par)
{
	held_setup(par);
	par->loss_ppm = 0;
	par->back_free = true;
}

static const char *crossed_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->ok != MSGS)
		return "no message fails for a close";
	if (!c->back_failed || !c->protocol)
		return "a close ends return packets that are outstanding";
	if (c->protocol != c->told)
		return "CLOSING_IN_ERR tells the initiator";
	if (c->back_ok + c->back_failed + c->back_crossed != c->back_sent)
		return "each answer has a verdict";
	return NULL;
}

const struct sim_named sim_named_read_rsp[] = {
	{ "back", "200 answers of 64 kB on the PDC of the questions",
	  back_setup, clean_verify },
	{ "back-loss", "the same at 1 % loss", loss1_setup, loss_verify },
	{ "back-loss-10", "and at 10 %", loss10_setup, loss_verify },
	{ "back-reorder", "a tenth of the frames is overtaken",
	  reorder_setup, reorder_verify },
	{ "back-duplication", "every frame arrives twice, in any order",
	  dup_setup, dup_verify },
	{ "back-rod", "ordered in both directions, at 1 % loss",
	  rod_setup, back_all_ok },
	{ "back-both-ways", "both directions saturated", both_setup,
	  both_verify },
	{ "back-both-ways-loss", "the same with loss, doubles and reordering",
	  both_loss_setup, both_loss_verify },
	{ "back-held", "PDCs are to close, and wait for the answers",
	  held_setup, held_verify },
	{ "back-crossed", "PDCs close under the answers",
	  crossed_setup, crossed_verify },
	{ .name = NULL },
};
