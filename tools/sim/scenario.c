// SPDX-License-Identifier: GPL-2.0
/*
 * Scenarios of the simulator as parameters: a simple one as the base, random
 * ones from a seed, and their description as text.  A random scenario is as
 * adverse to the protocol as its guarantees permit: unless its parameters
 * exclude this, every message can be delivered.  Level: test.
 */
#include <inttypes.h>

#include "sim.h"

/*
 * Approximate number of packets with data in a random scenario; such a run
 * takes about 20 ms.
 */
#define SCENARIO_PACKETS	4000

/**
 * sim_params_default() - two nodes, one rail, one message, an ideal network
 * @par: result
 */
void sim_params_default(struct sim_params *par)
{
	int i;

	memset(par, 0, sizeof(*par));
	par->seed = 1;
	par->nodes = 2;
	par->rails = 1;
	par->mode = UET_PDC_RUD;
	par->mtu = 4096;
	par->rate_bps = 100000000000ULL;
	for (i = 0; i < SIM_RAILS_MAX; i++)
		par->delay_ns[i] = 10 * SIM_US;
	par->queue_bytes = 16 << 20;
	par->pdc = uet_pdc_cfg_default;
	par->pdc.peer_timeout_ns = 0;
	par->pdc_max = 1000;
	par->early_ppm = 1000000;
	par->flows = 1;
	par->msgs = 1;
	par->depth = 1;
	par->stream_ns = SIM_MS;
	par->rcvbuf = 16 << 20;
	par->rudi = uet_rudi_cfg_default;
	uet_cc_cfg_init(&par->cc);
	uet_ev_cfg_init(&par->paths);
}

/* A random number whose logarithm is evenly distributed. */
static u64 scn_log(struct sim_rng *rng, u64 lo, u64 hi)
{
	u64 top = lo;

	while (top < hi && sim_chance(rng, 850000))
		top = min(2 * top, hi);
	return sim_between(rng, lo, top);
}

static void scn_network(struct sim_params *par, struct sim_rng *rng)
{
	par->rate_bps = 100000000ULL << sim_below(rng, 11);
	par->delay_ns[0] = scn_log(rng, SIM_US, 5 * SIM_MS);
	par->delay_ns[1] = sim_chance(rng, 500000) ? par->delay_ns[0] :
			   scn_log(rng, SIM_US, 5 * SIM_MS);
	if (sim_chance(rng, 600000))
		par->jitter_ns = scn_log(rng, 100, 2 * SIM_MS);
	par->queue_bytes = scn_log(rng, 8 * par->mtu, 4 << 20);
	if (par->mode == UET_PDC_ROD) {
		/* A single path keeps the order except for one or two places. */
		par->jitter_ns = min(par->jitter_ns, 2 * par->mtu * 8 *
				     SIM_S / par->rate_bps);
		par->queue_bytes = max(par->queue_bytes, 64 * par->mtu);
	}
	if (sim_chance(rng, 300000))
		par->ecn_bytes = par->queue_bytes / 4;
	if (sim_chance(rng, 600000))
		par->loss_ppm = scn_log(rng, 100, 100000);
	if (sim_chance(rng, 400000))
		par->dup_ppm = scn_log(rng, 100, 100000);
	if (sim_chance(rng, 300000))
		par->corrupt_ppm = scn_log(rng, 100, 20000);
	par->trims = sim_chance(rng, 300000);
}

static void scn_pdc(struct sim_params *par, struct sim_rng *rng)
{
	struct uet_pdc_cfg *cfg = &par->pdc;
	u64 lifetime;

	cfg->window = UET_PDC_WINDOW_MIN << sim_below(rng, 4);
	cfg->default_mpr = sim_chance(rng, 700000) ? 1 : sim_between(rng, 1, 8);
	cfg->ack_gen_trigger = scn_log(rng, 1024, 32768);
	cfg->ack_gen_min_add = scn_log(rng, 64, 2048);
	cfg->ack_delay_ns = scn_log(rng, 10 * SIM_US, 2 * SIM_MS);
	cfg->ack_per_pkt = sim_chance(rng, 150000);
	cfg->ack_on_ecn = sim_chance(rng, 500000);
	cfg->rto_init_ns = scn_log(rng, 2 * SIM_MS, 50 * SIM_MS);
	cfg->nack_retx_ns = scn_log(rng, 100 * SIM_US, 5 * SIM_MS);
	/*
	 * A PDC must not close and open again while its packets may be in
	 * flight.  Idle times therefore exceed the longest life of a packet.
	 */
	lifetime = max(par->delay_ns[0], par->delay_ns[1]) + par->jitter_ns +
		   2 * 8 * SIM_S * par->queue_bytes / par->rate_bps;
	cfg->idle_ns = 10 * SIM_MS + 2 * lifetime +
		       scn_log(rng, SIM_MS, 2 * SIM_S);
	cfg->target_idle_ns = cfg->idle_ns + 90 * SIM_S;
	/* Or the target closes first, but not during the back-off of its peer. */
	if (sim_chance(rng, 200000)) {
		cfg->target_idle_ns = 8 * cfg->rto_max_ns + cfg->idle_ns;
		cfg->idle_ns *= 10;
		cfg->idle_ns += 30 * SIM_S;
	}
	if (sim_chance(rng, 100000))
		cfg->idle_ns = 0;
	if (sim_chance(rng, 300000))
		par->start_psn = 0 - (u32)sim_between(rng, 1, 400);
	par->share_pdc = sim_chance(rng, 500000);
	if (sim_chance(rng, 150000))
		par->close_pct = scn_log(rng, 1, 50);
	if (sim_chance(rng, 200000))
		par->budget = scn_log(rng, 1, 64);
}

static void scn_traffic(struct sim_params *par, struct sim_rng *rng)
{
	static const u32 top[] = { 64, 4096, 20000, 65536, 300000, 2000000 };
	u32 mean, total;
	u64 slowest;

	par->size_max = top[sim_below(rng, ARRAY_SIZE(top))];
	if (sim_chance(rng, 300000))
		par->size_min = par->size_max / 2;
	mean = (par->size_max + par->size_min) / 3 + par->mtu;
	total = clamp_t(u32, SCENARIO_PACKETS * par->mtu / mean, 1, 600);
	par->flows = sim_between(rng, 1, min(total, 3 * par->nodes));
	par->msgs = DIV_ROUND_UP(total, par->flows);
	par->depth = scn_log(rng, 1, 64);
	par->start_ns = scn_log(rng, 1, 300 * SIM_MS);
	par->incast = sim_chance(rng, 200000);
	/* Without congestion control a sender can starve at a short queue. */
	par->queue_bytes = max(par->queue_bytes, 16 * par->flows * par->mtu);
	if (sim_chance(rng, 300000)) {
		par->stream_pct = sim_between(rng, 1, 100);
		/* Ten pieces per message, all of them within 30 s. */
		slowest = min(200 * SIM_MS, 3 * SIM_S / par->msgs);
		par->stream_ns = scn_log(rng, SIM_US, slowest);
		if (sim_chance(rng, 400000))
			par->abort_pct = sim_between(rng, 1, 100);
	}
	if (sim_chance(rng, 150000))
		par->wrong_pct = sim_between(rng, 1, 100);
}

static void scn_receivers(struct sim_params *par, struct sim_rng *rng)
{
	u64 bits = 8ULL * par->flows * par->msgs * par->size_max;

	par->rcvbuf = scn_log(rng, 4 * par->mtu, 16 << 20);
	if (sim_chance(rng, 300000))
		par->read_bps = bits / 10 + 1000000;
	if (sim_chance(rng, 200000))
		par->stall_ns = scn_log(rng, SIM_MS, SIM_S);
	if (sim_chance(rng, 200000))
		par->refuse_ppm = scn_log(rng, 1000, 300000);
	if (sim_chance(rng, 100000))
		par->unbind_ns = scn_log(rng, 10 * SIM_US, 100 * SIM_MS);
}

static void scn_disaster(struct sim_params *par, struct sim_rng *rng)
{
	struct sim_blackout *dark = &par->blackout;
	u64 longest;

	if (sim_chance(rng, 50000)) {
		/* PDCs open and close; some sender may never get a PDC. */
		par->pdc_max = sim_between(rng, 1, 4);
		par->may_fail = true;
		par->depth = par->msgs;
		par->pdc.idle_ns = par->pdc.idle_ns ?: 2 * SIM_S;
	}
	if (sim_chance(rng, 80000)) {
		/* PDCs left by a forged packet must close by their idle time. */
		par->forge_ppm = scn_log(rng, 100, 50000);
		par->may_fail = true;
		par->pdc.idle_ns = SIM_S;
		par->pdc.target_idle_ns = 3 * SIM_S;
	}
	if (!sim_chance(rng, 150000))
		return;
	dark->start_ns = scn_log(rng, 10 * SIM_US, 100 * SIM_MS);
	/*
	 * Without end, or short enough that the last five of all attempts come
	 * after the blackout.
	 */
	longest = (par->pdc.rto_init_ns << par->pdc.max_rto_retx) / 32;
	dark->len_ns = sim_chance(rng, 300000) ? UET_NEVER :
		       scn_log(rng, SIM_MS, min(longest, SIM_S));
	if (dark->len_ns == UET_NEVER) {
		/* All messages fail together, and the PDCs left close soon. */
		par->depth = par->msgs;
		par->pdc.target_idle_ns = min(par->pdc.target_idle_ns,
					      par->pdc.idle_ns + 20 * SIM_S);
	}
	dark->node = sim_below(rng, par->nodes);
	dark->rails = sim_between(rng, 1, (1 << par->rails) - 1);
}

/*
 * Few enough requests that no message starves, and time-outs long enough for
 * any network.
 */
static void scn_rudi(struct sim_params *par, struct sim_rng *rng)
{
	par->rudi_flows = sim_between(rng, 1, par->nodes);
	par->rudi_reqs = scn_log(rng, 1, 300);
	par->rudi_depth = min(par->rudi_reqs / 4 + 1, 16U);
	par->rudi.window = 1 << sim_below(rng, 9);
	par->rudi.rto_init_ns = par->pdc.rto_init_ns;
	par->rudi.max_rto_retx = 15;
	par->rudi.nack_retx_ns = par->pdc.nack_retx_ns;
	if (par->blackout.len_ns == UET_NEVER) {
		/* All requests fail together. */
		par->rudi_depth = par->rudi_reqs;
		par->rudi.window = UET_RUDI_WINDOW_DEFAULT;
	}
	if (sim_chance(rng, 300000)) {
		par->reorder_ppm = scn_log(rng, 1000, 250000);
		par->reorder_ns = scn_log(rng, SIM_US, SIM_MS);
	}
}

/*
 * As many bytes in total as in the forward direction, and often of other sizes.
 * With forged packets the number of pending answers is unknown.
 */
static void scn_read_rsp(struct sim_params *par, struct sim_rng *rng)
{
	u32 total = par->flows * par->msgs;

	if (par->forge_ppm)
		return;
	par->back_pct = sim_between(rng, 1, 100);
	par->back_max = scn_log(rng, 64, SCENARIO_PACKETS / total * par->mtu +
				2 * par->mtu);
	par->back_min = sim_chance(rng, 300000) ? par->back_max / 2 : 0;
	par->back_free = sim_chance(rng, 300000);
}

static void scn_secure(struct sim_params *par, struct sim_rng *rng)
{
	par->is_secure = true;
	/*
	 * Short headers contain a PSN, which changes when a target demands
	 * another Start_PSN.
	 */
	par->short_headers = false;
	/*
	 * A window of packets may take long, and each packet demands another
	 * Start_PSN.
	 */
	par->pdc.new_pdc_ns = SIM_S;
	if (sim_chance(rng, 700000))
		par->attack_ppm = scn_log(rng, 100, 30000);
}

/* The network parameters of the context are right, or much too small. */
static void scn_cc(struct sim_params *par, struct sim_rng *rng)
{
	struct uet_cc_cfg *cc = &par->cc;
	u64 rtt = 2 * max(par->delay_ns[0], par->delay_ns[1]) + 2 * SIM_US;
	u64 rate = par->rails * par->rate_bps / 1000000;

	par->pdc.has_cc = true;
	cc->window = sim_chance(rng, 300000) ? UET_WINDOW_CONST :
					       UET_WINDOW_NSCC;
	cc->has_trim = par->trims;
	cc->mtu = par->mtu + 200;
	cc->base_rtt_ns = clamp_t(u64, rtt, SIM_US, 10 * SIM_MS);
	if (sim_chance(rng, 300000))
		rate = scn_log(rng, 1, rate);
	cc->rate_mbps = min_t(u64, rate, 300000000000ULL / cc->base_rtt_ns);
	cc->ack_gen_trigger = par->pdc.ack_gen_trigger;
	cc->htsim = sim_chance(rng, 500000) ? UET_HTSIM_DEFAULT : 0;
	if (cc->window == UET_WINDOW_CONST)
		cc->cwnd = scn_log(rng, cc->mtu, 64 * cc->mtu);
	if (sim_chance(rng, 300000))
		cc->idle_ns = scn_log(rng, SIM_MS, SIM_S);
	par->paths.policy = sim_below(rng, UET_EV_POLICY_NR);
	par->paths.values = 1 << sim_between(rng, 1, 8);
	par->paths.bad_max = UET_EV_BAD_MAX(par->paths.values);
	if (sim_chance(rng, 500000))
		par->paths.freeze_ns = 100 * SIM_US;
	par->paths.reroute_ns = SIM_MS;
}

/* More rails than two, none of which is slower than the slowest of these. */
static void scn_rails(struct sim_params *par, struct sim_rng *rng)
{
	u64 longest = max(par->delay_ns[0], par->delay_ns[1]);
	u32 i;

	par->rails = sim_between(rng, 3, SIM_RAILS_MAX);
	for (i = 2; i < par->rails; i++)
		par->delay_ns[i] = scn_log(rng, SIM_US, longest);
	par->blackout.rails |= sim_below(rng, 1 << par->rails);
}

/**
 * sim_params_random() - make a random scenario
 * @par: result
 * @seed: determines all parameters
 */
void sim_params_random(struct sim_params *par, u64 seed)
{
	struct sim_rng rng = { .state = seed };

	sim_params_default(par);
	par->seed = seed;
	par->nodes = sim_chance(&rng, 400000) ? 2 :
		     sim_between(&rng, 2, SIM_NODES_MAX);
	par->rails = sim_between(&rng, 1, 2);
	par->mode = sim_chance(&rng, 200000) ? UET_PDC_ROD : UET_PDC_RUD;
	par->mtu = UET_MTU_MIN << sim_below(&rng, 4);
	scn_network(par, &rng);
	scn_traffic(par, &rng);
	scn_pdc(par, &rng);
	scn_receivers(par, &rng);
	scn_disaster(par, &rng);
	/* Last, so that scenarios without these features do not change. */
	if (sim_chance(&rng, 250000))
		scn_rudi(par, &rng);
	if (sim_chance(&rng, 250000))
		scn_read_rsp(par, &rng);
	if (sim_chance(&rng, 250000)) {
		par->read_pct = sim_between(&rng, 1, 100);
		par->fetch_pct = sim_between(&rng, 0, 100);
	}
	par->short_headers = sim_chance(&rng, 400000);
	if (sim_chance(&rng, 200000))
		scn_secure(par, &rng);
	if (sim_chance(&rng, 300000))
		scn_cc(par, &rng);
	if (sim_chance(&rng, 400000))
		par->early_ppm = sim_chance(&rng, 500000) ? 0 : 700000;
	if (sim_chance(&rng, 150000))
		scn_rails(par, &rng);
}

/**
 * sim_params_print() - print a scenario as TAP comments
 * @par: scenario
 * @out: output file
 */
void sim_params_print(const struct sim_params *par, FILE *out)
{
	const struct uet_pdc_cfg *cfg = &par->pdc;

	fprintf(out, "#  %u nodes, %u rails, %s, mtu %u, seed %" PRIu64 "\n",
		par->nodes, par->rails,
		par->mode == UET_PDC_ROD ? "ROD" : "RUD", par->mtu, par->seed);
	fprintf(out, "#  links: %" PRIu64 " Mb/s, delay %" PRIu64 "/%" PRIu64
		" ns, jitter %" PRIu64 " ns, queue %u bytes, ECN at %u\n",
		par->rate_bps / 1000000, par->delay_ns[0], par->delay_ns[1],
		par->jitter_ns, par->queue_bytes, par->ecn_bytes);
	fprintf(out, "#  ppm: loss %u, duplication %u, corruption %u, forgery %u, refusal %u, kept early %u\n",
		par->loss_ppm, par->dup_ppm, par->corrupt_ppm, par->forge_ppm,
		par->refuse_ppm, par->early_ppm);
	if (par->blackout.len_ns)
		fprintf(out, "#  blackout: node %u, rails %x, at %" PRIu64
			" ns for %" PRId64 " ns\n", par->blackout.node,
			par->blackout.rails, par->blackout.start_ns,
			(int64_t)par->blackout.len_ns);
	fprintf(out, "#  PDC: window %u, default MPR %u, ACK %u/%u/%" PRIu64
		" ns%s%s, RTO %" PRIu64 " ns, NACK pause %" PRIu64 " ns\n",
		cfg->window, cfg->default_mpr, cfg->ack_gen_trigger,
		cfg->ack_gen_min_add, cfg->ack_delay_ns,
		cfg->ack_per_pkt ? " per packet" : "",
		cfg->ack_on_ecn ? " on ECN" : "", cfg->rto_init_ns,
		cfg->nack_retx_ns);
	fprintf(out, "#  PDC: idle %" PRIu64 "/%" PRIu64 " ns, start PSN %08x, at most %u, %s\n",
		cfg->idle_ns, cfg->target_idle_ns,
		par->start_psn, par->pdc_max,
		par->share_pdc ? "per peer" : "per endpoint");
	fprintf(out, "#  PDC: closed under %u %% of messages, budget %u packets\n",
		par->close_pct, par->budget);
	fprintf(out, "#  %u flows of %u messages of %u..%u bytes, %u at a time\n",
		par->flows, par->msgs, par->size_min, par->size_max,
		par->depth);
	fprintf(out, "#  flows start within %" PRIu64 " ns%s; wrong address %u %%\n",
		par->start_ns, par->incast ? ", all go to node 0" : "",
		par->wrong_pct);
	fprintf(out, "#  streamed %u %% every %" PRIu64 " ns, given up %u %%\n",
		par->stream_pct, par->stream_ns, par->abort_pct);
	fprintf(out, "#  receivers: %u bytes, %" PRIu64 " b/s, start at %" PRIu64
		" ns, one ends at %" PRIu64 " ns\n", par->rcvbuf, par->read_bps,
		par->stall_ns, par->unbind_ns);
	fprintf(out, "#  answered %u %% by %u..%u bytes, %s\n", par->back_pct,
		par->back_min, par->back_max,
		par->back_free ? "which nobody waits for" : "waited for");
	fprintf(out, "#  reads %u %%, of the rest fetching atomics %u %%; %s headers\n",
		par->read_pct, par->fetch_pct,
		par->short_headers ? "short" : "standard");
	if (cfg->has_cc)
		fprintf(out, "#  congestion control: %s, %u Mb/s, %u ns, window %u bytes, mtu %u; paths %u of %u\n",
			par->cc.window == UET_WINDOW_CONST ? "constant" : "NSCC",
			par->cc.rate_mbps, par->cc.base_rtt_ns, par->cc.cwnd,
			par->cc.mtu, par->paths.policy, par->paths.values);
	if (par->is_secure)
		fprintf(out, "#  sealed, ppm that an enemy touches: %u\n",
			par->attack_ppm);
	fprintf(out, "#  RUDI: %u flows of %u requests, %u at a time, window %u; ppm held back %u for %" PRIu64 " ns\n",
		par->rudi_flows, par->rudi_reqs, par->rudi_depth,
		par->rudi.window, par->reorder_ppm, par->reorder_ns);
}
