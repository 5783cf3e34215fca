// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the fabric simulator itself, required before its results on congestion
 * control can be trusted: round trips and single flows that can be computed by hand,
 * results of htsim for constant windows and NSCC (table in
 * Documentation/fabric.rst), and a test of each part.  Results are means over seeds,
 * because the random numbers differ from htsim.
 * Level: test.
 */
#include <math.h>

#include "report.h"

/* Results of a gate, by index. */
enum {
	GATE_MIN,
	GATE_MEAN,
	GATE_P99,
	GATE_MAX,
	GATE_ACKS,
	GATE_TRIMS,
	GATE_FIGURES,
};

static const char *const gate_names[GATE_FIGURES] = {
	"min", "mean", "p99", "max", "acks", "trims",
};

/**
 * struct gate - a run, or one run per seed, and its required results
 * @name: name of the gate
 * @shape: network
 * @mbps: rate of a link, Mb/s; 0: 100 Gb/s
 * @wire_ns: delay of a link, ns; 0: 1 us
 * @path: policy to choose entropy values; NULL: oblivious
 * @cc: congestion control; NULL: constant window
 * @paths: number of entropy values; 0: 64
 * @dst: destination of host 0; 0: the flows are a pattern
 * @incast: number of senders to host 0; 0: permutation
 * @bytes: size of a flow, bytes
 * @seeds: number of runs
 * @want: required results; 0: any
 * @percent: permitted deviation
 */
struct gate {
	const char *name;
	struct fab_shape shape;
	u32 mbps;
	u32 wire_ns;
	const char *path;
	const char *cc;
	u32 paths;
	u32 dst;
	u32 incast;
	u64 bytes;
	u32 seeds;
	double want[GATE_FIGURES];
	double percent[GATE_FIGURES];
};

#define GATE_T2		{ 2, 1, 2, 1, 1, 0, 1, 1, 1 }
#define GATE_T16	{ 3, 4, 2, 2, 2, 2, 1, 1, 1 }
#define GATE_T128	{ 3, 8, 4, 4, 4, 4, 1, 1, 1 }

/* A single flow; its time must match to a thousandth. */
#define GATE_SINGLE(what, net, rate, wire, to, size, us, nr)		\
	{ .name = what, .shape = net, .mbps = rate, .wire_ns = wire,	\
	  .dst = to, .bytes = size, .seeds = 1,				\
	  .want = { [GATE_MAX] = us, [GATE_ACKS] = nr },		\
	  .percent = { [GATE_MAX] = 0.1 } }

static const struct gate gates_quick[] = {
	GATE_SINGLE("round trip, 2 tiers, 100G", GATE_T2, 0, 0, 1, 4086,
		    9.348, 1),
	GATE_SINGLE("round trip, 2 tiers, 400G", GATE_T2, 400000, 0, 1, 4086,
		    8.337, 1),
	GATE_SINGLE("round trip, 3 tiers, 100G", GATE_T128, 0, 0, 127, 4086,
		    14.023, 1),
	GATE_SINGLE("round trip, 3 tiers, 400G", GATE_T128, 400000, 0, 127,
		    4086, 12.506, 1),
	GATE_SINGLE("round trip, 3 tiers, 25G, 5 us", GATE_T128, 25000, 5000,
		    127, 4086, 68.091, 1),
	GATE_SINGLE("100G, 64 KiB", GATE_T2, 0, 0, 1, 65536, 14.346, 5),
	GATE_SINGLE("100G, 1 MB", GATE_T2, 0, 0, 1, 1000000, 90.271, 62),
	GATE_SINGLE("100G, 2 MB", GATE_T2, 0, 0, 1, 2000000, 171.525, 124),
	GATE_SINGLE("400G, 64 KiB", GATE_T2, 400000, 0, 1, 65536, 9.587, 5),
	GATE_SINGLE("400G, 1 MB", GATE_T2, 400000, 0, 1, 1000000, 28.568, 62),
	GATE_SINGLE("400G, 2 MB", GATE_T2, 400000, 0, 1, 2000000, 48.881, 124),
	GATE_SINGLE("100G, 2 MB, 3 tiers", GATE_T16, 0, 0, 13, 2000000,
		    176.2, 124),
};

static const struct gate gates_full[] = {
	GATE_SINGLE("100G, 8 MB", GATE_T2, 0, 0, 1, 8000000, 659.041, 491),
	GATE_SINGLE("100G, 100 MB", GATE_T2, 0, 0, 1, 100000000, 8134.3, 6120),
	GATE_SINGLE("400G, 8 MB", GATE_T2, 400000, 0, 1, 8000000, 170.8, 491),
	GATE_SINGLE("400G, 100 MB", GATE_T2, 400000, 0, 1, 100000000, 2039.6,
		    6120),
	GATE_SINGLE("100G, 100 MB, 3 tiers", GATE_T16, 0, 0, 13, 100000000,
		    8139.0, 6120),
	{
		.name = "constant window, incast 8:1", .shape = GATE_T128,
		.incast = 8, .bytes = 2000000, .seeds = 5,
		.want = { 1411.8, 1418.2, 1421.3, 1421.3, 3919, 20995 },
		.percent = { 15, 2, 2, 2, 1, 15 },
	}, {
		.name = "constant window, incast 32:1", .shape = GATE_T128,
		.incast = 32, .bytes = 2000000, .seeds = 3,
		.want = { 7961.5, 7997.0, 8007.4, 8007.4, 15680, 545590 },
		.percent = { 15, 2, 2, 2, 1, 15 },
	}, {
		.name = "constant window, permutation, oblivious",
		.shape = GATE_T128, .paths = 128, .bytes = 2000000, .seeds = 5,
		.want = { 167.7, 194.4, 211.2, 211.6, 22382, 90 },
		.percent = { 2, 2, 4, 6, 20, 100 },
	}, {
		.name = "constant window, permutation, REPS",
		.shape = GATE_T128, .paths = 128, .path = "reps",
		.bytes = 2000000, .seeds = 5,
		.want = { 169.2, 186.6, 196.8, 198.0, 62720, 0 },
		.percent = { 2, 2, 4, 6, 0, 0 },
	}, {
		.name = "NSCC as of htsim, incast 8:1", .shape = GATE_T128,
		.cc = "nscc-htsim", .path = "mixed",
		.incast = 8, .bytes = 2000000, .seeds = 5,
		.want = { 1004.9, 1209.3, 1328.0, 1328.0, 3758, 420 },
		.percent = { 15, 5, 2, 2, 5, 15 },
	}, {
		.name = "NSCC as of htsim, incast 32:1", .shape = GATE_T128,
		.cc = "nscc-htsim", .path = "mixed",
		.incast = 32, .bytes = 2000000, .seeds = 5,
		.want = { 3758.5, 4807.3, 5243.6, 5243.6, 15425, 2236 },
		.percent = { 15, 5, 2, 2, 5, 15 },
	}, {
		.name = "NSCC as of htsim, permutation, map",
		.shape = GATE_T128, .paths = 128, .cc = "nscc-htsim",
		.path = "map", .bytes = 2000000, .seeds = 5,
		.want = { 167.6, 189.1, 202.5, 204.1, 20657, 0 },
		.percent = { 2, 2, 4, 6, 20, 0 },
	}, {
		.name = "NSCC as of htsim, permutation, mixed",
		.shape = GATE_T128, .paths = 128, .cc = "nscc-htsim",
		.path = "mixed", .bytes = 2000000, .seeds = 5,
		.want = { 167.6, 189.5, 202.6, 203.0, 20617, 0 },
		.percent = { 2, 2, 4, 6, 20, 0 },
	}, {
		.name = "NSCC as of htsim, permutation, one path each",
		.shape = GATE_T128, .paths = 128, .cc = "nscc-htsim",
		.path = "single", .bytes = 2000000, .seeds = 20,
		.want = { 167.8, 376.0, 738.4, 755.3, 47252, 2916 },
		.percent = { 2, 4, 10, 10, 20, 20 },
	}, {
		.name = "NSCC, incast 32:1, short", .shape = GATE_T128,
		.cc = "nscc", .path = "mixed",
		.incast = 32, .bytes = 65536, .seeds = 10,
		.want = { 108.9, 166.8, 212.0, 212.0, 544, 915 },
		.percent = { 15, 5, 5, 5, 5, 15 },
	}, {
		.name = "RCCC, incast 8:1", .shape = GATE_T128,
		.cc = "rccc", .path = "mixed",
		.incast = 8, .bytes = 2000000, .seeds = 5,
		.want = { 1303.3, 1310.5, 1315.3, 1315.3, 1245, 300 },
		.percent = { 1, 1, 1, 1, 5, 15 },
	}, {
		.name = "RCCC, incast 32:1", .shape = GATE_T128,
		.cc = "rccc", .path = "mixed",
		.incast = 32, .bytes = 2000000, .seeds = 5,
		.want = { 5211.3, 5246.9, 5262.8, 5262.8, 5328, 1684 },
		.percent = { 1, 1, 1, 1, 5, 15 },
	}, {
		.name = "RCCC and NSCC, incast 32:1", .shape = GATE_T128,
		.cc = "rccc+nscc", .path = "mixed",
		.incast = 32, .bytes = 2000000, .seeds = 5,
		.want = { 5209.9, 5246.8, 5263.3, 5263.3, 5328, 1684 },
		.percent = { 1, 1, 1, 1, 5, 15 },
	}, {
		.name = "RCCC, permutation, mixed",
		.shape = GATE_T128, .paths = 128, .cc = "rccc",
		.path = "mixed", .bytes = 2000000, .seeds = 5,
		.want = { 168.7, 190.3, 200.0, 200.4, 23455, 0 },
		.percent = { 2, 2, 4, 6, 25, 0 },
	},
};

/* Losses as htsim finds them: Probes and early retransmissions are not compared. */
static void gate_losses(struct fab_params *par)
{
	par->reorder_ns = 100000;
	par->tail_ns = 1000000;
}

static void gate_params(const struct gate *gate, struct fab_params *par)
{
	fab_params_default(par);
	par->shape = gate->shape;
	par->paths = gate->paths ? gate->paths : 64;
	par->path = fab_path_find(gate->path ? gate->path : "oblivious");
	par->cc = fab_cc_find(gate->cc ? gate->cc : "constant");
	gate_losses(par);
	/* htsim does not limit the PSNs in flight: track as many as possible. */
	par->track = UET_PDC_WINDOW_MAX;
	fab_tiers_set(par, gate->mbps ? gate->mbps : 100000,
		      (gate->wire_ns ? gate->wire_ns : 1000) * FAB_NS);
}

/* Execute one run and add its results to @sum. */
static bool gate_run(const struct gate *gate, u64 seed, double *sum)
{
	struct fab_result res;
	struct fab_params par;
	struct fab fab;
	bool ok;

	gate_params(gate, &par);
	par.seed = seed;
	fab_init(&fab, &par);
	if (gate->dst)
		fab_flow_new(&fab, 0, gate->dst, gate->bytes);
	else if (gate->incast)
		fab_incast(&fab, gate->incast, gate->bytes);
	else
		fab_permutation(&fab, gate->bytes);
	ok = fab_run(&fab);
	if (!ok)
		printf("# seed %llu: %s\n", (unsigned long long)seed, fab.why);
	fab_result(&fab, 1, &res);
	sum[GATE_MIN] += res.min_us;
	sum[GATE_MEAN] += res.mean_us;
	sum[GATE_P99] += res.p99_us;
	sum[GATE_MAX] += res.max_us;
	sum[GATE_ACKS] += res.count.acks;
	sum[GATE_TRIMS] += res.count.trims;
	fab_fini(&fab);
	return ok;
}

static bool gate_judge(const struct gate *gate, const double *mean)
{
	bool ok = true, fits;
	double off;
	u32 i;

	for (i = 0; i < GATE_FIGURES; i++) {
		if (!gate->want[i])
			continue;
		off = 100 * (mean[i] / gate->want[i] - 1);
		fits = fabs(off) <= gate->percent[i] + 1e-9;
		printf("# %-5s %12.3f, should be %12.3f: %+.2f %%, limit %g%s\n",
		       gate_names[i], mean[i], gate->want[i], off,
		       gate->percent[i], fits ? "" : ": TOO FAR");
		ok = ok && fits;
	}
	return ok;
}

static bool gate_pass(const struct gate *gate)
{
	double mean[GATE_FIGURES] = { 0 };
	bool ok = true;
	u32 i;

	for (i = 0; i < gate->seeds; i++)
		ok = gate_run(gate, i + 1, mean) && ok;
	for (i = 0; i < GATE_FIGURES; i++)
		mean[i] /= gate->seeds;
	return gate_judge(gate, mean) && ok;
}

/* Run; return the completion time of all flows, ps, or 0 if not complete. */
static u64 gate_count(const struct fab_params *par,
		      void (*flows)(struct fab *fab), struct fab_count *count)
{
	struct fab fab;
	u64 time = 0;

	fab_init(&fab, par);
	flows(&fab);
	if (fab_run(&fab))
		time = fab.clock.now - FAB_EPOCH;
	else
		printf("# %s\n", fab.why);
	*count = fab.count;
	fab_fini(&fab);
	return time;
}

static void gate_small(struct fab_params *par)
{
	fab_params_default(par);
	gate_losses(par);
	par->cc = fab_cc_find("constant");
	par->shape = (struct fab_shape)GATE_T16;
}

static void gate_flows_perm(struct fab *fab)
{
	fab_permutation(fab, 200000);
}

static void gate_flows_incast(struct fab *fab)
{
	fab_incast(fab, 12, 200000);
}

static void gate_flows_ring(struct fab *fab)
{
	fab_ring(fab, 8, 200000);
}

static void gate_flows_all(struct fab *fab)
{
	fab_all_to_all(fab, 8, 50000);
}

static void gate_flows_many(struct fab *fab)
{
	fab_all_to_all(fab, 16, 500000);
}

static bool gate_same_seed(void)
{
	struct fab_count a, b, c;
	struct fab_params par;

	gate_small(&par);
	if (!gate_count(&par, gate_flows_incast, &a) ||
	    !gate_count(&par, gate_flows_incast, &b))
		return false;
	par.seed++;
	return gate_count(&par, gate_flows_incast, &c) &&
	       !memcmp(&a, &b, sizeof(a)) && memcmp(&a, &c, sizeof(a));
}

static bool gate_no_trim(void)
{
	struct fab_count count;
	struct fab_params par;

	gate_small(&par);
	par.trims = false;
	par.queue_pkts = 20;
	return gate_count(&par, gate_flows_incast, &count) && count.drops &&
	       !count.trims && !count.nacks && count.losses >= count.drops / 2;
}

/* Every trimmed packet gets a NACK and is retransmitted. */
static bool gate_trim(void)
{
	struct fab_count count;
	struct fab_params par;

	gate_small(&par);
	return gate_count(&par, gate_flows_incast, &count) && count.trims &&
	       count.trims == count.nacks && count.trims == count.resent &&
	       !count.losses;
}

/* UE 1.0.1 3.6.4.4: a trimmed packet that opens a PDC is not answered. */
static bool gate_cold(void)
{
	struct fab_count count;
	struct fab_params par;

	gate_small(&par);
	par.is_cold = true;
	return gate_count(&par, gate_flows_incast, &count) && count.syn_trims &&
	       count.trims == count.nacks + count.syn_trims &&
	       count.losses >= count.syn_trims;
}

static bool gate_dead_link(void)
{
	struct fab_count count;
	struct fab_params par;

	gate_small(&par);
	fab_fault_read(&par.faults[0], "tor:0:1:1:0");
	par.nr_faults = 1;
	return gate_count(&par, gate_flows_perm, &count) && count.dead &&
	       count.losses;
}

static bool gate_slow_link(void)
{
	struct fab_count good, slow;
	struct fab_params par;

	gate_small(&par);
	if (!gate_count(&par, gate_flows_perm, &good))
		return false;
	fab_fault_read(&par.faults[0], "agg:0:2:1:10");
	par.nr_faults = 1;
	return gate_count(&par, gate_flows_perm, &slow) &&
	       slow.delay_ns / slow.rtts > good.delay_ns / good.rtts;
}

/* Three rails triple the links of a host and leave the base RTT unchanged. */
static bool gate_rails(void)
{
	struct fab_count count;
	struct fab_params par;
	u64 one, three;

	gate_small(&par);
	one = gate_count(&par, gate_flows_perm, &count);
	par.rails = 3;
	three = gate_count(&par, gate_flows_perm, &count);
	return three && !count.losses && 4 * three < 3 * one;
}

static bool gate_oversub(void)
{
	struct fab_count count;
	struct fab_params par;

	gate_small(&par);
	par.shape = (struct fab_shape) { 3, 4, 2, 8, 2, 2, 1, 1, 1 };
	return gate_count(&par, gate_flows_perm, &count) && count.trims;
}

/* 14 steps of seven packets each, one after the other. */
static bool gate_ring(void)
{
	struct fab_count count;
	struct fab_params par;
	u64 time;

	gate_small(&par);
	time = gate_count(&par, gate_flows_ring, &count);
	return count.packets == 8 * 14 * 7 && time > 14 * 4 * FAB_US;
}

static void gate_flows_long(struct fab *fab)
{
	fab_incast(fab, 12, 2000000);
}

/*
 * After the first window, a queue holds only the quanta of the sources, plus packets
 * that coincide because some sources are closer than others.
 */
static bool gate_rccc_queue(void)
{
	const u32 turns = 12 * 4 * 4150;
	struct fab_count count;
	struct fab_params par;
	u64 time, ideal;

	gate_small(&par);
	par.cc = fab_cc_find("rccc");
	par.path = fab_path_find("mixed");
	par.settle_us = 500;
	time = gate_count(&par, gate_flows_long, &count);
	ideal = 12ULL * 490 * 4150 * 80 * 1000 / 990;
	printf("# delay %llu ns, queue %u of %u, %llu of %llu us\n",
	       (unsigned long long)(count.delay_ns / max(count.rtts, 1ULL)),
	       count.queue_max, turns, (unsigned long long)(time / FAB_US),
	       (unsigned long long)(ideal / FAB_US));
	return count.rtts && count.delay_ns / count.rtts < 3 * FAB_US / FAB_NS &&
	       count.queue_max < turns && time && time < ideal * 103 / 100;
}

/* All to all: every flow completes, and the hosts are busy. */
static bool gate_rccc_all(void)
{
	struct fab_count count;
	struct fab_params par;
	u64 time, ideal;

	gate_small(&par);
	par.cc = fab_cc_find("rccc");
	par.path = fab_path_find("mixed");
	time = gate_count(&par, gate_flows_many, &count);
	ideal = 15ULL * 123 * 4150 * 80;
	printf("# %llu of %llu us, %llu Credit Requests\n",
	       (unsigned long long)(time / FAB_US),
	       (unsigned long long)(ideal / FAB_US),
	       (unsigned long long)count.controls);
	return time && time < ideal * 112 / 100 && !count.losses &&
	       count.credits;
}

/* A context has one credit for all its rails. */
static bool gate_rccc_rails(void)
{
	struct fab_count count;
	struct fab_params par;
	u64 one, three;

	gate_small(&par);
	par.cc = fab_cc_find("rccc");
	one = gate_count(&par, gate_flows_perm, &count);
	par.rails = 3;
	three = gate_count(&par, gate_flows_perm, &count);
	return three && 4 * three < 3 * one;
}

static bool gate_all_to_all(void)
{
	struct fab_count count;
	struct fab_params par;

	gate_small(&par);
	return gate_count(&par, gate_flows_all, &count) &&
	       count.packets == 8 * 7 * 13;
}

static const struct fab_fact gate_facts[] = {
	{ "the same seed, the same run; another, another", gate_same_seed },
	{ "a trimmed packet has a NACK and is sent again", gate_trim },
	{ "without trimming packets are dropped and found lost", gate_no_trim },
	{ "a trimmed packet with SYN is not answered", gate_cold },
	{ "a dead link, and all flows complete", gate_dead_link },
	{ "a slow link costs time", gate_slow_link },
	{ "three rails", gate_rails },
	{ "four hosts for each uplink", gate_oversub },
	{ "ring all-reduce", gate_ring },
	{ "all to all", gate_all_to_all },
	{ "RCCC: no queue, and a link in use", gate_rccc_queue },
	{ "RCCC: all to all", gate_rccc_all },
	{ "RCCC: three rails", gate_rccc_rails },
};

static u32 gate_told;
static bool gate_all_passed = true;

static void gate_tell(const char *name, bool ok)
{
	printf("%sok %u - the gate \"%s\" is met\n", ok ? "" : "not ", ++gate_told, name);
	gate_all_passed = gate_all_passed && ok;
}

/**
 * fab_gates() - run the gates and print the results in TAP format
 * @is_quick: run only the gates that take little time
 *
 * Return: exit status.
 */
int fab_gates(bool is_quick)
{
	u32 full = is_quick ? 0 : ARRAY_SIZE(gates_full), i;

	printf("TAP version 13\n1..%u\n",
	       (u32)(ARRAY_SIZE(gates_quick) + ARRAY_SIZE(gate_facts) + full) + fab_nr_cc_facts);
	for (i = 0; i < ARRAY_SIZE(gates_quick); i++)
		gate_tell(gates_quick[i].name, gate_pass(&gates_quick[i]));
	for (i = 0; i < ARRAY_SIZE(gate_facts); i++)
		gate_tell(gate_facts[i].name, gate_facts[i].passes());
	for (i = 0; i < fab_nr_cc_facts; i++)
		gate_tell(fab_cc_facts[i].name, fab_cc_facts[i].passes());
	for (i = 0; i < full; i++)
		gate_tell(gates_full[i].name, gate_pass(&gates_full[i]));
	return !gate_all_passed;
}
