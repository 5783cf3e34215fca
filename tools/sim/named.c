// SPDX-License-Identifier: GPL-2.0
/*
 * Hand-made scenarios of the simulator, each with what its counters must be,
 * and the performance figures of the documentation.  The bounds are derived
 * from the protocol's parameters, not from what a run happened to print.
 * Level: test.
 */
#include <inttypes.h>

#include "sim.h"

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
	/* The rest by trigger, some by AR, one for the close. */
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

/* Each message is a tail, and is finished before the next one begins. */
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
	/* Of a tail, its Probe and the answer both have to be lost, or more. */
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

/* ----------------------------------------------------------------- receivers */

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
	/* What is under way when the buffer fills, then one at each pause. */
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
		return "some SYNs find no room";
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
	/* Messages come one after the other, each on a new PDC at worst. */
	if (sim->finish_ns - SIM_S > (sim->count.opened + 1) * 2 * sum)
		return "after Max_RTO_Retx_Cnt time-outs";
	return NULL;
}

static void half_setup(struct sim_params *par)
{
	/* Each try meets the dead rail with one half; nothing avoids it yet. */
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

static const struct sim_named named_tab[] = {
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
	{ "incast", "15 to one through a small queue",
	  incast_setup, incast_verify },
	{ "trim", "the same, and the queue trims instead of dropping",
	  trim_setup, trim_verify },
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

/* Each table ends with one without a name, and so do all of them together. */
static const struct sim_named *named_at(u32 i)
{
	static const struct sim_named *const tables[] = {
		named_tab, sim_named_rudi, sim_named_back,
		sim_named_read, sim_named_secure,
	};
	const struct sim_named *named = NULL;
	size_t t;

	for (t = 0; t < ARRAY_SIZE(tables); t++)
		for (named = tables[t]; named->name; named++)
			if (!i--)
				return named;
	return named;
}

/**
 * sim_named_count() - how many named scenarios there are
 *
 * Return: their number.
 */
u32 sim_named_count(void)
{
	u32 n = 0;

	while (named_at(n)->name)
		n++;
	return n;
}

/**
 * sim_named_name() - name of a scenario
 * @i: which
 *
 * Return: its name.
 */
const char *sim_named_name(u32 i)
{
	return named_at(i)->name;
}

/**
 * sim_named_doc() - what a scenario shows
 * @i: which
 *
 * Return: a line.
 */
const char *sim_named_doc(u32 i)
{
	return named_at(i)->doc;
}

static void named_print(const struct sim *sim)
{
	const struct sim_count *c = &sim->count;
	const struct uet_pdc_stats *p = &c->pdc;

	printf("#  messages ok %" PRIu64 ", failed %" PRIu64 ", %" PRIu64
	       " bytes; last verdict at %.3f ms\n", c->ok, c->failed, c->bytes,
	       (double)(sim->finish_ns - SIM_S) / SIM_MS);
	printf("#  frames %" PRIu64 ", lost %" PRIu64 " (requests %" PRIu64
	       "), tail drops %" PRIu64 ", doubled %" PRIu64 "\n", c->sent,
	       c->lost, c->lost_req, c->tail_dropped, c->dup);
	printf("#  tx: req %" PRIu64 ", retx %" PRIu64 ", ack %" PRIu64
	       ", nack %" PRIu64 ", cp %" PRIu64 "\n", p->tx_req, p->tx_retx,
	       p->tx_ack, p->tx_nack, p->tx_cp);
	printf("#  rx: req %" PRIu64 ", dup %" PRIu64 ", ooo %" PRIu64
	       "; lost by sack %" PRIu64 ", nack %" PRIu64 ", rto %" PRIu64
	       "; held %" PRIu64 "\n", p->rx_req, p->rx_dup, p->rx_ooo,
	       p->sack_lost, p->nack_lost, p->rto_fired, p->held);
	printf("#  PDCs opened %" PRIu64 ", accepted %" PRIu64
	       "; refused %" PRIu64 ", no PDC %" PRIu64 ", mismatch %" PRIu64
	       "\n", c->opened, c->accepted, c->refused, c->no_pdc,
	       c->mismatch);
	printf("#  RUDI: ok %" PRIu64 ", failed %" PRIu64 ", executed %" PRIu64
	       ", late %" PRIu64 ", stale answers %" PRIu64 "\n", c->rudi_ok,
	       c->rudi_failed, c->rudi_executed, c->rudi_ooo, c->rudi_stale);
	printf("#  RUDI: req %" PRIu64 ", retx %" PRIu64 ", rto %" PRIu64
	       ", nack %" PRIu64 ", held %" PRIu64 "\n", c->rudi.tx_req,
	       c->rudi.tx_retx, c->rudi.rto_fired, c->rudi.rx_nack,
	       c->rudi.held);
	printf("#  back: sent %" PRIu64 ", ok %" PRIu64 ", failed %" PRIu64
	       ", crossed %" PRIu64 ", refused %" PRIu64 "; PDCs in error %"
	       PRIu64 "/%" PRIu64 "\n", c->back_sent, c->back_ok,
	       c->back_failed, c->back_crossed, c->back_refused, c->protocol,
	       c->told);
	printf("#  sealed: opened %" PRIu64 ", refused %" PRIu64
	       ", frames of an enemy %" PRIu64 "\n", c->tss_opened,
	       c->tss_refused, c->attacks);
}

/**
 * sim_named_run() - run a named scenario and verify its counters
 * @i: which
 * @trace: what to print of it
 *
 * Return: true if it passed; else why not was printed.
 */
bool sim_named_run(u32 i, const struct sim_trace *trace)
{
	const struct sim_named *named = named_at(i);
	const char *what = NULL;
	struct sim_params par;
	struct sim sim;
	bool ok;

	sim_params_default(&par);
	named->setup(&par);
	if (trace->lines)
		sim_params_print(&par, stdout);
	ok = sim_run(&sim, &par, trace);
	if (ok && named->verify)
		what = named->verify(&sim);
	if (!ok)
		printf("# %s: %s\n", named->name, sim.why);
	if (what)
		printf("# %s: it is not true that: %s\n", named->name, what);
	if (!ok || what || trace->lines)
		named_print(&sim);
	sim_fini(&sim);
	return ok && !what;
}

/* ------------------------------------------------------------------- figures */

static void figure_row(u32 mtu, u16 window, u32 loss_ppm)
{
	static const struct sim_trace quiet;
	struct sim_params par;
	struct sim sim;
	double ns;

	sim_params_default(&par);
	par.rails = 2;
	par.mtu = mtu;
	par.pdc.window = window;
	par.loss_ppm = loss_ppm;
	par.size_min = 256 << 20;
	par.size_max = 256 << 20;
	par.rcvbuf = 512 << 20;
	if (sim_run(&sim, &par, &quiet)) {
		ns = (double)(sim.finish_ns - SIM_S);
		printf("%6u %8u %7.2f %% %10.1f %10" PRIu64 " %10" PRIu64 "\n",
		       mtu, window, loss_ppm / 1e4,
		       8.0 * par.size_max / ns, sim.count.pdc.tx_ack,
		       sim.count.pdc.tx_retx);
	} else {
		printf("%6u %8u failed: %s\n", mtu, window, sim.why);
	}
	sim_fini(&sim);
}

/**
 * sim_figures() - goodput of one message on two rails of 100 Gb/s and 10 us
 *
 * There is no congestion control yet: the window alone limits a sender.
 */
void sim_figures(void)
{
	static const u32 loss[] = { 0, 1000, 10000 };
	static const u16 window[] = { 128, 256, 1024 };
	static const u32 mtu[] = { 4096, 8192 };
	u32 i, k, n;

	printf("   mtu   window      loss       Gb/s       ACKs       retx\n");
	for (i = 0; i < ARRAY_SIZE(mtu); i++)
		for (k = 0; k < ARRAY_SIZE(window); k++)
			for (n = 0; n < ARRAY_SIZE(loss); n++)
				figure_row(mtu[i], window[k], loss[n]);
}
