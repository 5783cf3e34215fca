// SPDX-License-Identifier: GPL-2.0
/*
 * Named scenarios of links: ideal links, and the cost of losses, duplicates and
 * full queues.  The bounds are derived from the parameters of the protocol, not
 * from the output of a run.  Level: test.
 */
#include "named.h"

/* --------------------------------------------------------------- clean links */

static void clean_setup(struct sim_params *par)
{
	par->size_min = 1 << 20;
	par->size_max = 1 << 20;
}

static const char *clean_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	u32 data = (1 << 20) / sim->par.mtu;
	/* All packets of the first window carry SYN and are answered at once. */
	u32 at_once = sim->par.pdc.default_mpr * UET_MPR_UNIT;
	u32 per_ack = sim->par.pdc.ack_gen_trigger / sim->par.mtu;

	if (c->pdc.tx_req != data)
		return "one packet per MTU";
	if (c->pdc.tx_retx || c->pdc.rx_dup || c->pdc.tx_nack ||
	    c->pdc.rto_fired)
		return "nothing to repair";
	/* The other ACKs are due to the trigger, a few to AR, and one to the close. */
	if (c->pdc.tx_ack > at_once + (data - at_once) / per_ack + 16)
		return "ACKs are coalesced";
	if (c->pdc.tx_ack < data / per_ack)
		return "every ACK_Gen_Trigger bytes make an ACK";
	if (c->pdc.tx_cp != 1 || c->opened != 1 || c->accepted != 1)
		return "one PDC, one CLOSE_COMMAND";
	return NULL;
}

static void steady_setup(struct sim_params *par)
{
	par->size_min = 32 << 20;
	par->size_max = 32 << 20;
	par->rcvbuf = 64 << 20;
	par->rails = 2;
}

static const char *steady_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	u64 data = (32 << 20) / sim->par.mtu;
	u64 per_ack = sim->par.pdc.ack_gen_trigger / sim->par.mtu;

	if (c->pdc.tx_retx || c->pdc.rto_fired || c->pdc.tx_nack)
		return "two equal rails reorder nothing that matters";
	/* Half as many again: AR on the packet that fills the window. */
	if (c->pdc.tx_ack > sim->par.pdc.window + data * 3 / 2 / per_ack)
		return "ACKs are coalesced";
	return NULL;
}

static void empty_setup(struct sim_params *par)
{
	par->msgs = 2000;
	par->depth = 32;
}

static const char *empty_verify(const struct sim *sim)
{
	if (sim->count.pdc.tx_req != 2000 || sim->count.pdc.tx_retx)
		return "one packet for each message without bytes";
	return NULL;
}

static void wrap_setup(struct sim_params *par)
{
	clean_setup(par);
	par->start_psn = 0xffffff80;
	par->loss_ppm = 20000;
	par->msgs = 8;
}

/* -------------------------------------------------------------------- repair */

static void loss_setup(struct sim_params *par)
{
	par->size_min = 32 << 20;
	par->size_max = 32 << 20;
	par->rcvbuf = 64 << 20;
	par->loss_ppm = 10000;
}

static const char *loss_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->pdc.tx_retx < c->lost_req)
		return "every lost request is sent again";
	if (c->pdc.tx_retx > 3 * c->lost_req)
		return "not much more than what was lost is sent again";
	return NULL;
}

static void rails_setup(struct sim_params *par)
{
	loss_setup(par);
	par->rails = 2;
	par->delay_ns[1] = 40 * SIM_US;
}

/* Each message is a tail, and is finished before the next one starts. */
static void tail_setup(struct sim_params *par)
{
	par->msgs = 500;
	par->size_min = 65536;
	par->size_max = 65536;
	par->loss_ppm = 30000;
}

static const char *tail_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->opened != 1)
		return "one PDC";
	/* An RTO fires only if the tail is lost and its Probe or the answer, too. */
	if (c->pdc.rto_fired > 5)
		return "lost tails are found by Probes, not by time-outs";
	if (c->pdc.tx_cp < 10)
		return "there are lost tails";
	return loss_verify(sim);
}

static void dup_setup(struct sim_params *par)
{
	par->dup_ppm = 1000000;
	par->jitter_ns = 50 * SIM_US;
	par->msgs = 50;
	par->depth = 8;
	par->size_max = 65536;
}

static const char *dup_verify(const struct sim *sim)
{
	return sim->count.pdc.rx_dup ? NULL : "duplicates are noticed";
}

static void rod_setup(struct sim_params *par)
{
	par->mode = UET_PDC_ROD;
	par->rails = 2;
	par->delay_ns[1] = 30 * SIM_US;
	par->loss_ppm = 5000;
	par->msgs = 40;
	par->depth = 10;
	par->size_max = 200000;
}

/* Ordered, with loss and a fifth of the frames overtaken. */
static void ordered_setup(struct sim_params *par)
{
	loss_setup(par);
	par->mode = UET_PDC_ROD;
	par->reorder_ppm = 200000;
	par->reorder_ns = 30 * SIM_US;
}

/* The packets of the message, for each packet that was sent. */
static const char *ordered_verify(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;

	if (c->pdc.tx_retx < c->lost_req)
		return "every lost request is sent again";
	if (4 * c->pdc.tx_retx > c->pdc.tx_req / 4)
		return "of seventeen packets sent, sixteen are new";
	return c->pdc.tx_nack ? NULL : "gaps are reported";
}

/* The receiver is one of go-back-N, or has no memory now and then. */
static void go_back_setup(struct sim_params *par)
{
	ordered_setup(par);
	par->size_min = 1 << 20;
	par->size_max = 1 << 20;
	par->early_ppm = 0;
}

static void short_memory_setup(struct sim_params *par)
{
	ordered_setup(par);
	par->early_ppm = 900000;
}

static void incast_setup(struct sim_params *par)
{
	par->nodes = 16;
	par->flows = 15;
	par->incast = true;
	par->queue_bytes = 256 << 10;
	par->msgs = 4;
	par->size_min = 200000;
	par->size_max = 400000;
}

static const char *incast_verify(const struct sim *sim)
{
	return sim->count.tail_dropped ? NULL : "the queue overflows";
}

static void trim_setup(struct sim_params *par)
{
	incast_setup(par);
	par->trims = true;
}

static const char *trim_verify(const struct sim *sim)
{
	if (!sim->count.trimmed)
		return "the queue trims";
	if (!sim->count.pdc.nack_lost)
		return "what was trimmed is sent again because of a NACK";
	return sim->count.pdc.nack_lost > 10 * sim->count.pdc.rto_fired ? NULL :
	       "time-outs are for trimmed SYNs";
}

const struct sim_named sim_named_link[] = {
	{ "clean", "1 MiB over an ideal link: no repair, few ACKs",
	  clean_setup, clean_verify },
	{ "steady", "32 MiB over two ideal rails: ACKs are coalesced",
	  steady_setup, steady_verify },
	{ "empty", "2000 messages of no bytes", empty_setup, empty_verify },
	{ "wrap", "PSNs wrap, with loss", wrap_setup, NULL },
	{ "loss", "32 MiB at 1 % loss: what was lost is repeated",
	  loss_setup, loss_verify },
	{ "rails", "the same over two rails of unlike delay",
	  rails_setup, loss_verify },
	{ "tail-loss", "messages of 64 kB one by one at 3 % loss: no time-outs",
	  tail_setup, tail_verify },
	{ "duplication", "every frame arrives twice, in any order",
	  dup_setup, dup_verify },
	{ "rod", "ordered delivery over two rails with loss", rod_setup, NULL },
	{ "rod-loss", "ordered, 1 % loss, a fifth overtaken: what was lost is repeated",
	  ordered_setup, ordered_verify },
	{ "rod-go-back", "the same to a receiver that keeps nothing out of order",
	  go_back_setup, NULL },
	{ "rod-short-memory", "the same to a receiver that keeps most of it",
	  short_memory_setup, NULL },
	{ "incast", "15 to one through a small queue",
	  incast_setup, incast_verify },
	{ "trim", "the same, and the queue trims instead of dropping",
	  trim_setup, trim_verify },
	{ .name = NULL },
};
