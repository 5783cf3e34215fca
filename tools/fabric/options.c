// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of uetfabric: options, limits, error messages, and the network and
 * flows that follow from the options.  Level: test.
 */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/number.h"
#include "report.h"

/* Long options; options with a number come first. */
enum {
	OPT_NODES,
	OPT_TIERS,
	OPT_OVERSUB,
	OPT_RAILS,
	OPT_MBPS,
	OPT_WIRE,
	OPT_SWITCH,
	OPT_GPUS,
	OPT_PACKET,
	OPT_QUEUE,
	OPT_ECN_LOW,
	OPT_ECN_HIGH,
	OPT_ECN_MAX,
	OPT_PATHS,
	OPT_WINDOW,
	OPT_ACK_BYTES,
	OPT_RTO,
	OPT_CREDIT_RUN,
	OPT_CREDIT_RATE,
	OPT_FREEZE,
	OPT_REORDER,
	OPT_TAIL,
	OPT_TRACK,
	OPT_SHORT,
	OPT_PRIO,
	OPT_HOST_BUFFER,
	OPT_LOSS,
	OPT_LINK_LOSS,
	OPT_JITTER,
	OPT_TRACE_US,
	OPT_JOBS,
	OPT_WALL,
	OPT_SETTLE,
	OPT_SEED,
	OPT_SEEDS,
	OPT_END,
	OPT_SIZE,
	OPT_INCAST,
	OPT_ALL_TO_ALL,
	OPT_RING,
	OPT_RINGS,
	OPT_SLICE,
	OPT_NUMBERS,

	/* Behind all characters: getopt_long() returns such, too. */
	OPT_SHAPE = 128,
	OPT_TOPO,
	OPT_TREES,
	OPT_SLOW_HOST,
	OPT_REBOOT,
	OPT_PFC,
	OPT_SET,
	OPT_PROGRESS,
	OPT_QUEUES,
	OPT_WINDOWS,
	OPT_LINKS,
	OPT_PATH,
	OPT_CC,
	OPT_FAULT,
	OPT_TM,
	OPT_PERMUTATION,
	OPT_NO_TRIM,
	OPT_COLD,
	OPT_WHOLE_START,
	OPT_OWN_PDCS,
	OPT_JSON,
	OPT_CSV,
	OPT_FLOWS,
	OPT_GATES,
	OPT_QUICK,
	OPT_HELP,
};

/**
 * struct opt_number - limits of a numeric option
 * @min: minimum
 * @max: maximum
 * @is_bytes: the suffixes K, M and G are accepted
 */
struct opt_number {
	u64 min;
	u64 max;
	bool is_bytes;
};

static const struct opt_number opt_numbers[OPT_NUMBERS] = {
	[OPT_NODES]	= { 2, FAB_HOSTS_MAX },
	[OPT_TIERS]	= { 2, 3 },
	[OPT_OVERSUB]	= { 1, 64 },
	[OPT_RAILS]	= { 1, FAB_RAILS_MAX },
	[OPT_MBPS]	= { 1000, 8000000 },
	[OPT_WIRE]	= { 0, 10000000 },
	[OPT_SWITCH]	= { 0, 10000000 },
	[OPT_GPUS]	= { 1, 64 },
	[OPT_PACKET]	= { 128, 9064 },
	[OPT_QUEUE]	= { 1, 100000 },
	[OPT_ECN_LOW]	= { 1, 100000 },
	[OPT_ECN_HIGH]	= { 1, 100000 },
	[OPT_ECN_MAX]	= { 0, 100 },
	[OPT_PATHS]	= { 1, FAB_PATHS_MAX },
	[OPT_WINDOW]	= { 1, 10000 },
	[OPT_ACK_BYTES]	= { 0, 1 << 20, true },
	[OPT_RTO]	= { 1, 1000000 },
	[OPT_CREDIT_RUN] = { 0, 1 << 30, true },
	[OPT_CREDIT_RATE] = { 500, 1000 },
	[OPT_FREEZE]	= { 0, 1000000 },
	[OPT_REORDER]	= { 0, 1000000 },
	[OPT_TAIL]	= { 0, 1000000 },
	[OPT_TRACK]	= { UET_PDC_WINDOW_MIN, UET_PDC_WINDOW_MAX },
	[OPT_SHORT]	= { 0, 1ULL << 32, true },
	[OPT_PRIO]	= { 0, U32_MAX },
	[OPT_HOST_BUFFER] = { 9064, 1 << 30, true },
	[OPT_LOSS]	= { 0, 1000000 },
	[OPT_LINK_LOSS]	= { 0, 1000000 },
	[OPT_JITTER]	= { 0, 1000000 },
	[OPT_TRACE_US]	= { 1, 1000000 },
	[OPT_JOBS]	= { 1, 256 },
	[OPT_WALL]	= { 1, 1000000 },
	[OPT_SETTLE]	= { 0, 1000000000 },
	[OPT_SEED]	= { 0, U64_MAX },
	[OPT_SEEDS]	= { 1, 1000000 },
	[OPT_END]	= { 1, 1000000000 },
	[OPT_SIZE]	= { 1, 1ULL << 32, true },
	[OPT_INCAST]	= { 1, FAB_HOSTS_MAX - 1 },
	[OPT_ALL_TO_ALL] = { 2, FAB_HOSTS_MAX },
	[OPT_RING]	= { 2, FAB_HOSTS_MAX },
	[OPT_RINGS]	= { 1, 100000 },
	[OPT_SLICE]	= { 1, FAB_HOSTS_MAX - 1 },
};

static const struct option opt_words[] = {
	{ "nodes", 1, NULL, OPT_NODES },
	{ "tiers", 1, NULL, OPT_TIERS },
	{ "oversub", 1, NULL, OPT_OVERSUB },
	{ "shape", 1, NULL, OPT_SHAPE },
	{ "topo", 1, NULL, OPT_TOPO },
	{ "gpus", 1, NULL, OPT_GPUS },
	{ "rails", 1, NULL, OPT_RAILS },
	{ "mbps", 1, NULL, OPT_MBPS },
	{ "wire-ns", 1, NULL, OPT_WIRE },
	{ "switch-ns", 1, NULL, OPT_SWITCH },
	{ "packet", 1, NULL, OPT_PACKET },
	{ "queue", 1, NULL, OPT_QUEUE },
	{ "ecn-low", 1, NULL, OPT_ECN_LOW },
	{ "ecn-high", 1, NULL, OPT_ECN_HIGH },
	{ "ecn-max", 1, NULL, OPT_ECN_MAX },
	{ "no-trim", 0, NULL, OPT_NO_TRIM },
	{ "fault", 1, NULL, OPT_FAULT },
	{ "slow-host", 1, NULL, OPT_SLOW_HOST },
	{ "host-buffer", 1, NULL, OPT_HOST_BUFFER },
	{ "pfc", 1, NULL, OPT_PFC },
	{ "reboot", 1, NULL, OPT_REBOOT },
	{ "loss", 1, NULL, OPT_LOSS },
	{ "link-loss", 1, NULL, OPT_LINK_LOSS },
	{ "jitter", 1, NULL, OPT_JITTER },
	{ "path", 1, NULL, OPT_PATH },
	{ "paths", 1, NULL, OPT_PATHS },
	{ "cc", 1, NULL, OPT_CC },
	{ "window", 1, NULL, OPT_WINDOW },
	{ "ack-bytes", 1, NULL, OPT_ACK_BYTES },
	{ "rto-us", 1, NULL, OPT_RTO },
	{ "credit-run", 1, NULL, OPT_CREDIT_RUN },
	{ "credit-rate", 1, NULL, OPT_CREDIT_RATE },
	{ "freeze-us", 1, NULL, OPT_FREEZE },
	{ "reorder-us", 1, NULL, OPT_REORDER },
	{ "tail-us", 1, NULL, OPT_TAIL },
	{ "track", 1, NULL, OPT_TRACK },
	{ "set", 1, NULL, OPT_SET },
	{ "cold", 0, NULL, OPT_COLD },
	{ "own-pdcs", 0, NULL, OPT_OWN_PDCS },
	{ "whole-start", 0, NULL, OPT_WHOLE_START },
	{ "tm", 1, NULL, OPT_TM },
	{ "permutation", 0, NULL, OPT_PERMUTATION },
	{ "incast", 1, NULL, OPT_INCAST },
	{ "all-to-all", 1, NULL, OPT_ALL_TO_ALL },
	{ "ring", 1, NULL, OPT_RING },
	{ "rings", 1, NULL, OPT_RINGS },
	{ "trees", 0, NULL, OPT_TREES },
	{ "slice", 1, NULL, OPT_SLICE },
	{ "short", 1, NULL, OPT_SHORT },
	{ "prio", 1, NULL, OPT_PRIO },
	{ "size", 1, NULL, OPT_SIZE },
	{ "settle-us", 1, NULL, OPT_SETTLE },
	{ "seed", 1, NULL, OPT_SEED },
	{ "seeds", 1, NULL, OPT_SEEDS },
	{ "end-us", 1, NULL, OPT_END },
	{ "jobs", 1, NULL, OPT_JOBS },
	{ "wall-s", 1, NULL, OPT_WALL },
	{ "progress", 0, NULL, OPT_PROGRESS },
	{ "json", 0, NULL, OPT_JSON },
	{ "csv", 0, NULL, OPT_CSV },
	{ "flows", 1, NULL, OPT_FLOWS },
	{ "queues", 1, NULL, OPT_QUEUES },
	{ "windows", 1, NULL, OPT_WINDOWS },
	{ "links", 1, NULL, OPT_LINKS },
	{ "trace-us", 1, NULL, OPT_TRACE_US },
	{ "gates", 0, NULL, OPT_GATES },
	{ "quick", 0, NULL, OPT_QUICK },
	{ "help", 0, NULL, OPT_HELP },
	{ 0 }
};

const char *const fab_file_options[FAB_FILE_NR] = {
	[FAB_FILE_QUEUES] = "queues",
	[FAB_FILE_WINDOWS] = "windows",
	[FAB_FILE_LINKS] = "links",
	[FAB_FILE_FLOWS] = "flows",
};

static bool opt_wrong(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "uetfabric: --%s %s: %s\n", option, value, why);
	return false;
}

static bool opt_unknown(const char *option, const char *value,
			void (*print_names)(FILE *))
{
	fprintf(stderr, "uetfabric: --%s %s: unknown; one of ", option, value);
	print_names(stderr);
	fprintf(stderr, "\n");
	return false;
}

static bool opt_number(int opt, const char *name, const char *text, u64 *value)
{
	const struct opt_number *limits = &opt_numbers[opt];

	if (number_read(text, limits->is_bytes, limits->min, limits->max,
			value))
		return true;
	fprintf(stderr, "uetfabric: --%s %s: not a number in %llu..%llu\n",
		name, text, (unsigned long long)limits->min,
		(unsigned long long)limits->max);
	return false;
}

/* Parse a shape such as "8,4,4,4,4". */
static bool opt_shape(struct fab_options *opts, const char *text)
{
	struct fab_shape *s = &opts->par.shape;
	u32 *value[] = { &s->pods, &s->tors, &s->hosts, &s->aggs, &s->ups,
			 &s->tor_bundle, &s->agg_bundle };
	const char *at = text;
	int used;
	u32 i;

	s->tor_bundle = 1;
	s->agg_bundle = 1;
	s->gpus = 1;
	for (i = 0; i < ARRAY_SIZE(value); i++, at += used) {
		if (i >= 5 && !*at)
			break;
		used = -1;
		if ((i && *at++ != ',') || *at < '0' || *at > '9' ||
		    sscanf(at, "%4u%n", value[i], &used) != 1)
			break;
	}
	if (*at || i < 5)
		return opt_wrong("shape", text, "not PODS,TORS,HOSTS,AGGS,UPS[,TOR-LINKS[,AGG-LINKS]]");
	s->tiers = s->ups ? 3 : 2;
	if (!s->tor_bundle || s->tor_bundle > FAB_BUNDLE_MAX || !s->agg_bundle ||
	    s->agg_bundle > FAB_BUNDLE_MAX)
		return opt_wrong("shape", text, "not 1..64 parallel links");
	if (!s->pods || !s->tors || !s->hosts || !s->aggs)
		return opt_wrong("shape", text, "only UPS may be 0");
	if (s->tiers == 2 && s->pods > 1)
		return opt_wrong("shape", text, "pods need cores between them");
	if ((u64)s->pods * s->tors * s->hosts > FAB_HOSTS_MAX ||
	    (u64)s->pods * s->tors * s->hosts < 2)
		return opt_wrong("shape", text, "not 2..131072 hosts");
	opts->has_shape = true;
	return true;
}

static bool opt_set_word(struct fab_options *opts, const char *text)
{
	char buf[160];
	const char *why = fab_setting_read(&opts->par, text, buf);

	if (!why)
		return true;
	return *why ? opt_wrong("set", text, why) :
		      opt_unknown("set", text, fab_setting_names);
}

static bool opt_fault(struct fab_options *opts, const char *option, const char *text,
		      const char *(*read)(struct fab_fault *fault, const char *text))
{
	struct fab_params *par = &opts->par;
	const char *why;

	if (par->nr_faults == FAB_FAULTS_MAX)
		return opt_wrong(option, text, "more than 64 faults");
	why = read(&par->faults[par->nr_faults++], text);
	return !why || opt_wrong(option, text, why);
}

static void opt_set_params(struct fab_params *par, int opt, u64 v)
{
	switch (opt) {
	case OPT_RAILS:		par->rails = v; break;
	case OPT_PACKET:	par->packet = v; break;
	case OPT_QUEUE:		par->queue_pkts = v; break;
	case OPT_ECN_LOW:	par->ecn_low = v; break;
	case OPT_ECN_HIGH:	par->ecn_high = v; break;
	case OPT_ECN_MAX:	par->ecn_max = v; break;
	case OPT_PATHS:		par->paths = v; break;
	case OPT_WINDOW:	par->window_pct = v; break;
	case OPT_ACK_BYTES:	par->ack_bytes = v; break;
	case OPT_RTO:		par->rto_ns = v * 1000; break;
	case OPT_CREDIT_RUN:	par->credit_run = v; break;
	case OPT_CREDIT_RATE:	par->credit_rate = v; break;
	case OPT_FREEZE:	par->freeze_ns = v * 1000; break;
	case OPT_REORDER:	par->reorder_ns = v * 1000; break;
	case OPT_TAIL:		par->tail_ns = v * 1000; break;
	case OPT_TRACK:		par->track = v; break;
	case OPT_SHORT:		par->short_bytes = v; break;
	case OPT_PRIO:		par->urgent_prio = v; break;
	case OPT_HOST_BUFFER:	par->host_buffer = v; break;
	case OPT_LOSS:		par->loss_ppm = v; break;
	case OPT_LINK_LOSS:	par->link_loss_ppm = v; break;
	case OPT_JITTER:	par->jitter_us = v; break;
	case OPT_SETTLE:	par->settle_us = v; break;
	case OPT_SEED:		par->seed = v; break;
	case OPT_END:		par->end_us = v; break;
	}
}

static bool opt_set_pattern(struct fab_options *opts, enum fab_pattern pattern,
			    u64 n)
{
	if (opts->pattern != FAB_PAT_NONE) {
		fprintf(stderr, "uetfabric: more than one pattern of flows\n");
		return false;
	}
	opts->pattern = pattern;
	opts->n = n;
	return true;
}

static bool opt_set_number(struct fab_options *opts, int opt, u64 v)
{
	switch (opt) {
	case OPT_NODES:
		opts->nodes = v;
		break;
	case OPT_TIERS:
		opts->tiers = v;
		break;
	case OPT_OVERSUB:
		opts->oversub = v;
		break;
	case OPT_SEEDS:
		opts->seeds = v;
		break;
	case OPT_JOBS:
		opts->jobs = v;
		break;
	case OPT_WALL:
		opts->wall_s = v;
		break;
	case OPT_TRACE_US:
		opts->trace_us = v;
		break;
	case OPT_MBPS:
		opts->mbps = v;
		break;
	case OPT_WIRE:
		opts->wire_ns = v;
		break;
	case OPT_SWITCH:
		opts->switch_ns = v;
		break;
	case OPT_GPUS:
		opts->gpus = v;
		break;
	case OPT_SIZE:
		opts->bytes = v;
		break;
	case OPT_INCAST:
		return opt_set_pattern(opts, FAB_PAT_INCAST, v);
	case OPT_ALL_TO_ALL:
		return opt_set_pattern(opts, FAB_PAT_ALL_TO_ALL, v);
	case OPT_RING:
		return opt_set_pattern(opts, FAB_PAT_RING, v);
	case OPT_RINGS:
		return opt_set_pattern(opts, FAB_PAT_RINGS, v);
	case OPT_SLICE:
		return opt_set_pattern(opts, FAB_PAT_SLICE, v);
	default:
		opt_set_params(&opts->par, opt, v);
	}
	return true;
}

/* Options for the output. Return: false for an option that getopt rejected. */
static bool opt_set_output(struct fab_options *opts, int opt, const char *text)
{
	switch (opt) {
	case OPT_JSON:
		opts->form = FAB_JSON;
		return true;
	case OPT_CSV:
		opts->form = FAB_CSV;
		return true;
	case OPT_FLOWS:
		opts->file[FAB_FILE_FLOWS] = text;
		return true;
	case OPT_QUEUES:
		opts->file[FAB_FILE_QUEUES] = text;
		return true;
	case OPT_WINDOWS:
		opts->file[FAB_FILE_WINDOWS] = text;
		return true;
	case OPT_LINKS:
		opts->file[FAB_FILE_LINKS] = text;
		return true;
	case OPT_PROGRESS:
		opts->has_progress = true;
		return true;
	case OPT_GATES:
		opts->has_gates = true;
		return true;
	case OPT_QUICK:
		opts->is_quick = true;
		return true;
	case OPT_HELP:
		fab_usage(stdout);
		exit(0);
	default:
		return false;
	}
}

static bool opt_set(struct fab_options *opts, int opt, const char *text)
{
	const char *why;

	switch (opt) {
	case OPT_SHAPE:
		return opt_shape(opts, text);
	case OPT_TOPO:
		opts->topo = text;
		return true;
	case OPT_FAULT:
		return opt_fault(opts, "fault", text, fab_fault_read);
	case OPT_SLOW_HOST:
		return opt_fault(opts, "slow-host", text, fab_slow_host_read);
	case OPT_PFC:
		why = fab_pfc_read(&opts->par, text);
		return !why || opt_wrong("pfc", text, why);
	case OPT_REBOOT:
		return opt_fault(opts, "reboot", text, fab_reboot_read);
	case OPT_SET:
		return opt_set_word(opts, text);
	case OPT_PATH:
		opts->par.path = fab_path_find(text);
		return opts->par.path ||
		       opt_unknown("path", text, fab_path_names);
	case OPT_CC:
		opts->par.cc = fab_cc_find(text);
		return opts->par.cc || opt_unknown("cc", text, fab_cc_names);
	case OPT_TM:
		opts->matrix = text;
		return opt_set_pattern(opts, FAB_PAT_MATRIX, 0);
	case OPT_PERMUTATION:
		return opt_set_pattern(opts, FAB_PAT_PERMUTATION, 0);
	case OPT_TREES:
		return opt_set_pattern(opts, FAB_PAT_TREES, 0);
	case OPT_NO_TRIM:
		opts->par.trims = false;
		return true;
	case OPT_COLD:
		opts->par.is_cold = true;
		return true;
	case OPT_OWN_PDCS:
		opts->par.has_own_pdcs = true;
		return true;
	case OPT_WHOLE_START:
		opts->par.keeps_start = true;
		return true;
	default:
		return opt_set_output(opts, opt, text);
	}
}

/* Return: the number of hosts in the first line of a matrix, if stated there. */
static u32 opt_matrix_nodes(const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "r") : NULL;
	u32 nodes = 0;

	if (!file)
		return 0;
	if (fscanf(file, "Nodes %6u", &nodes) != 1)
		nodes = 0;
	fclose(file);
	return nodes;
}

/* A regular network has exactly as many hosts, or is refused. */
static bool opt_regular(struct fab_options *opts)
{
	struct fab_shape *shape = &opts->par.shape, less;
	u32 tiers = opts->tiers ? opts->tiers : 3;
	u32 oversub = opts->oversub ? opts->oversub : 1;
	u32 nodes = opts->nodes, below = 0, half;
	bool has_more;

	if (!nodes && opts->matrix)
		nodes = opt_matrix_nodes(opts->matrix);
	if (!nodes)
		nodes = 128;
	has_more = fab_shape_fat_tree(shape, tiers, nodes, oversub);
	if (has_more && fab_shape_hosts(shape) == nodes)
		return true;
	half = has_more ? shape->aggs : 129;
	if (half > 1 && fab_shape_fat_tree(&less, tiers, 1, oversub)) {
		less.pods = tiers == 3 ? 2 * (half - 1) : 1;
		less.tors = tiers == 3 ? half - 1 : 2 * (half - 1);
		less.hosts = (half - 1) * oversub;
		below = fab_shape_hosts(&less);
	}
	fprintf(stderr, "uetfabric: --nodes %u: no regular network of %u tiers has so many hosts;",
		nodes, tiers);
	if (below)
		fprintf(stderr, " %u", below);
	if (has_more)
		fprintf(stderr, "%s %u", below ? " and" : "",
			fab_shape_hosts(shape));
	fprintf(stderr, " would be; --shape and --topo have others\n");
	return false;
}

/* The rate and delay that options give to all links. */
static void opt_tiers(struct fab_options *opts)
{
	struct fab_tier_cfg *tier = opts->par.tier;
	u32 i;

	for (i = 0; i < FAB_TIERS_MAX; i++) {
		if (opts->mbps)
			tier[i].mbps = opts->mbps;
		if (opts->wire_ns != FAB_NONE)
			tier[i].wire_ps = opts->wire_ns * FAB_NS;
		if (opts->switch_ns != FAB_NONE)
			tier[i].switch_ps = opts->switch_ns * FAB_NS;
	}
}

/* Options that say what a file of the network says, too. */
static bool opt_check_topo(const struct fab_options *opts)
{
	const char *other = opts->has_shape ? "shape" : opts->nodes ? "nodes" :
			    opts->tiers ? "tiers" : opts->oversub ? "oversub" :
			    NULL;

	if (!other)
		return true;
	fprintf(stderr, "uetfabric: --topo %s: not with --%s\n", opts->topo,
		other);
	return false;
}

static bool opt_check_shape(struct fab_options *opts)
{
	struct fab_shape *s = &opts->par.shape;

	if (opts->has_shape && (opts->nodes || opts->tiers || opts->oversub)) {
		fprintf(stderr, "uetfabric: --shape: not with --nodes, --tiers or --oversub\n");
		return false;
	}
	if (opts->topo && (!opt_check_topo(opts) ||
			   !fab_topo_read(&opts->par, opts->topo)))
		return false;
	if (!opts->topo && !opts->has_shape && !opt_regular(opts))
		return false;
	s->gpus = opts->gpus;
	if (s->tors % s->gpus) {
		fprintf(stderr, "uetfabric: --gpus %u: does not divide the %u ToRs of a pod\n",
			s->gpus, s->tors);
		return false;
	}
	return true;
}

static bool opt_check_network(struct fab_options *opts)
{
	struct fab_params *par = &opts->par;
	u32 i;

	if (!opt_check_shape(opts))
		return false;
	opt_tiers(opts);
	for (i = 0; i < par->nr_faults; i++) {
		if (!fab_fault_exists(par, &par->faults[i])) {
			fprintf(stderr, "uetfabric: number %u of --fault, --slow-host and --reboot: there is no such %s\n",
				i + 1, fab_fault_object(&par->faults[i]));
			return false;
		}
	}
	return true;
}

static bool opt_check_jobs(struct fab_options *opts)
{
	if (opts->jobs > 1 && opts->matrix && !strcmp(opts->matrix, "-")) {
		fprintf(stderr, "uetfabric: --jobs %u: a matrix from stdin is read once\n",
			opts->jobs);
		return false;
	}
	opts->jobs = min(opts->jobs, opts->seeds);
	return true;
}

static bool opt_check(struct fab_options *opts)
{
	const struct fab_params *par = &opts->par;

	if (opts->has_gates)
		return true;
	if (opts->pattern == FAB_PAT_NONE) {
		fprintf(stderr, "uetfabric: what flows there are is missing\n");
		fab_usage(stderr);
		return false;
	}
	if (opts->mbps && 8000000 % opts->mbps) {
		fprintf(stderr, "uetfabric: --mbps %u: does not divide 8000000\n",
			opts->mbps);
		return false;
	}
	if (!is_power_of_2(par->paths)) {
		fprintf(stderr, "uetfabric: --paths %u: not a power of two\n",
			par->paths);
		return false;
	}
	if (par->track && !is_power_of_2(par->track)) {
		fprintf(stderr, "uetfabric: --track %u: not a power of two\n",
			par->track);
		return false;
	}
	if (par->cc->is_roce && par->rails > 1) {
		fprintf(stderr, "uetfabric: --rails %u: --cc dcqcn has one\n", par->rails);
		return false;
	}
	if (!opt_check_network(opts))
		return false;
	if (par->ecn_low && par->ecn_high && par->ecn_low > par->ecn_high) {
		fprintf(stderr, "uetfabric: --ecn-low is above --ecn-high\n");
		return false;
	}
	return opt_check_jobs(opts);
}

/* An option that getopt rejects: say which there are. */
static bool opt_unknown_option(const char *word)
{
	u32 i;

	fprintf(stderr, "uetfabric: %s: no option, or without its value; one of",
		word);
	for (i = 0; opt_words[i].name; i++)
		fprintf(stderr, "%s --%s", i ? "," : "", opt_words[i].name);
	fprintf(stderr, "\n");
	return false;
}

/**
 * fab_options_read() - parse the command line
 * @opts: result
 * @argc: from main()
 * @argv: from main()
 *
 * Return: false on an error; a message on stderr gives the reason.
 */
bool fab_options_read(struct fab_options *opts, int argc, char **argv)
{
	int opt, index = 0;
	u64 value;

	*opts = (struct fab_options) {
		.gpus = 1, .wire_ns = FAB_NONE, .switch_ns = FAB_NONE,
		.bytes = 2000000, .seeds = 1, .jobs = 1, .trace_us = 1,
		.has_progress = isatty(STDERR_FILENO),
	};
	fab_params_default(&opts->par);
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "h", opt_words, &index)) >= 0) {
		if (opt == '?')
			return opt_unknown_option(argv[optind - 1]);
		if (opt == 'h')
			opt = OPT_HELP;
		if (opt >= OPT_NUMBERS) {
			if (!opt_set(opts, opt, optarg))
				return false;
		} else if (!opt_number(opt, opt_words[index].name, optarg,
				       &value) ||
			   !opt_set_number(opts, opt, value)) {
			return false;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "uetfabric: %s: not an option\n", argv[optind]);
		return false;
	}
	return opt_check(opts);
}

static bool opt_few(u32 n, bool ok)
{
	if (!ok)
		fprintf(stderr, "uetfabric: there are not %u hosts for that\n",
			n);
	return ok;
}

/**
 * fab_options_flows() - create the flows that the command line requests
 * @opts: command line
 * @fab: run without flows
 *
 * Return: false on an error; a message on stderr gives the reason.
 */
bool fab_options_flows(const struct fab_options *opts, struct fab *fab)
{
	bool is_stdin, ok;
	FILE *file;

	switch (opts->pattern) {
	case FAB_PAT_PERMUTATION:
		fab_permutation(fab, opts->bytes);
		return true;
	case FAB_PAT_INCAST:
		return opt_few(opts->n + 1,
			       fab_incast(fab, opts->n, opts->bytes));
	case FAB_PAT_ALL_TO_ALL:
		return opt_few(opts->n,
			       fab_all_to_all(fab, opts->n, opts->bytes));
	case FAB_PAT_RING:
		return opt_few(opts->n, fab_ring(fab, opts->n, opts->bytes));
	case FAB_PAT_RINGS:
		return opt_few(2 * opts->gpus,
			       fab_rings(fab, opts->n, opts->bytes));
	case FAB_PAT_TREES:
		return opt_few(2 * opts->gpus, fab_trees(fab, opts->bytes));
	case FAB_PAT_SLICE:
		return opt_few(opts->n + 1,
			       fab_slice(fab, opts->n, opts->bytes));
	default:
		break;
	}
	is_stdin = !strcmp(opts->matrix, "-");
	file = is_stdin ? stdin : fopen(opts->matrix, "r");
	if (!file) {
		fprintf(stderr, "uetfabric: %s: %s\n", opts->matrix,
			strerror(errno));
		return false;
	}
	ok = fab_matrix_read(fab, opts->matrix, file);
	if (!is_stdin)
		fclose(file);
	return ok;
}
