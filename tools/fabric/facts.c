// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control without a configuration of the network: paths that are longer than the
 * default, switches that mark nothing, links that lose packets.  The bounds are counts and simulated
 * times of runs that are the same on every machine.
 * Level: test.
 */
#include "report.h"

/* A row of congestion control: @cc on the path policy mixed, without trimming. */
static void fact_params(struct fab_params *par, const char *cc)
{
	fab_params_default(par);
	par->cc = fab_cc_find(cc);
	par->path = fab_path_find("mixed");
	par->paths = 64;
	par->track = UET_PDC_WINDOW_MAX;
	par->trims = false;
	par->shape = (struct fab_shape) { 3, 8, 4, 4, 4, 4, 1, 1, 1 };
}

static void fact_set(struct fab_params *par, const char *setting)
{
	char why[160];

	if (fab_setting_read(par, setting, why))
		printf("# %s: %s\n", setting, why);
}

/* Time of a flow of 20 MB to the other host of a ToR, us; 0: it is not complete. */
static double fact_alone(const char *cc, u64 wire_ns)
{
	struct fab_params par;
	double time = 0;
	struct fab fab;

	fact_params(&par, cc);
	par.shape = (struct fab_shape) { 2, 1, 2, 1, 1, 0, 1, 1, 1 };
	fab_tiers_set(&par, 100000, wire_ns * FAB_NS);
	par.rto_ns = 100000000;
	fact_set(&par, "cc-base-rtt=100us");
	fab_init(&fab, &par);
	fab_flow_new(&fab, 0, 1, 20000000);
	if (fab_run(&fab))
		time = (double)(fab.clock.now - FAB_EPOCH) / FAB_US;
	fab_fini(&fab);
	return time;
}

/* The first round trip has a window for 100 us. */
static bool fact_far(u64 wire_ns)
{
	double none = fact_alone("none", wire_ns), nscc = fact_alone("nscc", wire_ns);
	double rtt = 8.0 * wire_ns / 1000;

	printf("# a round trip of %.0f us: none %.0f us, nscc %.0f us\n", rtt, none, nscc);
	return none && nscc && nscc < none + 1.1 * rtt;
}

static bool fact_far_2ms(void)
{
	return fact_far(250000);
}

static bool fact_far_20ms(void)
{
	return fact_far(2500000);
}

/* Result of an incast: fairness, and the part of the packets that was dropped. */
struct fact_incast {
	double jain;
	double dropped;
};

/*
 * @n senders to one host for @us, without end, behind queues of a BDP that mark nothing:
 * full packets, so 43 of them.
 */
static void fact_incast(u32 n, u64 us, struct fact_incast *res)
{
	double sum = 0, squares = 0, acked;
	struct fab_params par;
	struct fab fab;
	u32 i;

	fact_params(&par, "nscc");
	par.queue_pkts = 43;
	par.ecn_low = 100000;
	par.ecn_high = 100000;
	par.rto_ns = 2000000;
	par.end_us = us;
	fab_init(&fab, &par);
	fab_incast(&fab, n, 100000000000);
	fab_run(&fab);
	for (i = 0; i < fab.nr_flows; i++) {
		acked = fab.flow[i].acked;
		sum += acked;
		squares += acked * acked;
	}
	res->jain = sum * sum / (fab.nr_flows * squares);
	res->dropped = (double)fab.count.drops / fab.count.packets;
	printf("# %u senders, %llu us: Jain %.3f, %llu of %llu packets dropped\n", n,
	       (unsigned long long)us, res->jain, (unsigned long long)fab.count.drops,
	       (unsigned long long)fab.count.packets);
	fab_fini(&fab);
}

static bool fact_shallow_8(void)
{
	struct fact_incast res;

	fact_incast(8, 50000, &res);
	return res.jain >= 0.95 && res.dropped < 0.01;
}

static bool fact_shallow_32(void)
{
	struct fact_incast res;

	fact_incast(32, 50000, &res);
	return res.jain >= 0.95 && res.dropped < 0.01;
}

/* Four round trips. */
static bool fact_start(void)
{
	struct fact_incast res;

	fact_incast(8, 60, &res);
	return !res.dropped;
}

/* 20 MB to the other host of a ToR at 10 Gb/s, mean of eight seeds, us; 0: not complete. */
static double fact_noisy(const char *cc, u32 loss_ppm, u32 jitter_us)
{
	struct fab_params par;
	double sum = 0;
	struct fab fab;
	bool ok = true;
	u32 i;

	fact_params(&par, cc);
	par.shape = (struct fab_shape) { 2, 1, 2, 1, 1, 0, 1, 1, 1 };
	fab_tiers_set(&par, 10000, 2000 * FAB_NS);
	par.track = 256;
	par.rto_ns = 5000000;
	par.reorder_ns = 1000000;
	par.loss_ppm = loss_ppm;
	par.jitter_us = jitter_us;
	par.ecn_low = 100000;
	par.ecn_high = 100000;
	fact_set(&par, "cc-base-rtt=100us");
	for (i = 0; i < 8; i++) {
		par.seed = i + 1;
		fab_init(&fab, &par);
		fab_flow_new(&fab, 0, 1, 20000000);
		ok = fab_run(&fab) && ok;
		sum += (double)(fab.clock.now - FAB_EPOCH) / FAB_US;
		fab_fini(&fab);
	}
	return ok ? sum / 8 : 0;
}

static bool fact_noise(u32 loss_ppm, u32 jitter_us, double most)
{
	double none = fact_noisy("none", loss_ppm, jitter_us);
	double nscc = fact_noisy("nscc", loss_ppm, jitter_us);

	printf("# %u lost of a million, jitter of %u us: none %.0f us, nscc %.0f us\n",
	       loss_ppm, jitter_us, none, nscc);
	return none && nscc && nscc < most * none;
}

static bool fact_loss(void)
{
	return fact_noise(10000, 0, 1.1);
}

static bool fact_jitter(void)
{
	return fact_noise(0, 300, 1.3);
}

static bool fact_jitter_and_loss(void)
{
	return fact_noise(10000, 300, 1.2);
}

const struct fab_fact fab_cc_facts[] = {
	{ "a path of 2 ms costs NSCC with a base RTT of 100 us one round trip", fact_far_2ms },
	{ "a path of 20 ms costs NSCC with a base RTT of 100 us one round trip", fact_far_20ms },
	{ "8 senders are fair at a port of a BDP that does not mark", fact_shallow_8 },
	{ "32 senders are fair at a port of a BDP that does not mark", fact_shallow_32 },
	{ "the first windows of 8 senders fit the queue of a BDP", fact_start },
	{ "1 % of lost packets are not taken for congestion", fact_loss },
	{ "jitter of three times the base RTT is not taken for congestion", fact_jitter },
	{ "jitter and lost packets are not taken for congestion", fact_jitter_and_loss },
};

const u32 fab_nr_cc_facts = ARRAY_SIZE(fab_cc_facts);
