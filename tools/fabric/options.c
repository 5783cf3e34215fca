// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of uetfabric: options, limits, error messages, and the network and
 * flows that follow from the options.  Level: test.
 */
#include <getopt.h>
#include <stdlib.h>

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
	OPT_PACKET,
	OPT_QUEUE,
	OPT_ECN_LOW,
	OPT_ECN_HIGH,
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
	OPT_SETTLE,
	OPT_SEED,
	OPT_SEEDS,
	OPT_END,
	OPT_SIZE,
	OPT_INCAST,
	OPT_ALL_TO_ALL,
	OPT_RING,
	OPT_NUMBERS,
	OPT_SHAPE = OPT_NUMBERS,
	OPT_PATH,
	OPT_CC,
	OPT_FAULT,
	OPT_TM,
	OPT_PERMUTATION,
	OPT_NO_TRIM,
	OPT_COLD,
	OPT_WHOLE_START,
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
	[OPT_WIRE]	= { 0, 1000000 },
	[OPT_PACKET]	= { 128, 9064 },
	[OPT_QUEUE]	= { 1, 100000 },
	[OPT_ECN_LOW]	= { 1, 100000 },
	[OPT_ECN_HIGH]	= { 1, 100000 },
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
	[OPT_SETTLE]	= { 0, 1000000000 },
	[OPT_SEED]	= { 0, U64_MAX },
	[OPT_SEEDS]	= { 1, 1000000 },
	[OPT_END]	= { 1, 1000000000 },
	[OPT_SIZE]	= { 1, 1ULL << 32, true },
	[OPT_INCAST]	= { 1, FAB_HOSTS_MAX - 1 },
	[OPT_ALL_TO_ALL] = { 2, FAB_HOSTS_MAX },
	[OPT_RING]	= { 2, FAB_HOSTS_MAX },
};

static const struct option opt_words[] = {
	{ "nodes", 1, NULL, OPT_NODES },
	{ "tiers", 1, NULL, OPT_TIERS },
	{ "oversub", 1, NULL, OPT_OVERSUB },
	{ "shape", 1, NULL, OPT_SHAPE },
	{ "rails", 1, NULL, OPT_RAILS },
	{ "mbps", 1, NULL, OPT_MBPS },
	{ "wire-ns", 1, NULL, OPT_WIRE },
	{ "packet", 1, NULL, OPT_PACKET },
	{ "queue", 1, NULL, OPT_QUEUE },
	{ "ecn-low", 1, NULL, OPT_ECN_LOW },
	{ "ecn-high", 1, NULL, OPT_ECN_HIGH },
	{ "no-trim", 0, NULL, OPT_NO_TRIM },
	{ "fault", 1, NULL, OPT_FAULT },
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
	{ "cold", 0, NULL, OPT_COLD },
	{ "whole-start", 0, NULL, OPT_WHOLE_START },
	{ "tm", 1, NULL, OPT_TM },
	{ "permutation", 0, NULL, OPT_PERMUTATION },
	{ "incast", 1, NULL, OPT_INCAST },
	{ "all-to-all", 1, NULL, OPT_ALL_TO_ALL },
	{ "ring", 1, NULL, OPT_RING },
	{ "size", 1, NULL, OPT_SIZE },
	{ "settle-us", 1, NULL, OPT_SETTLE },
	{ "seed", 1, NULL, OPT_SEED },
	{ "seeds", 1, NULL, OPT_SEEDS },
	{ "end-us", 1, NULL, OPT_END },
	{ "json", 0, NULL, OPT_JSON },
	{ "csv", 0, NULL, OPT_CSV },
	{ "flows", 1, NULL, OPT_FLOWS },
	{ "gates", 0, NULL, OPT_GATES },
	{ "quick", 0, NULL, OPT_QUICK },
	{ "help", 0, NULL, OPT_HELP },
	{ 0 }
};

/**
 * fab_usage() - print the usage text
 * @out: output stream
 */
void fab_usage(FILE *out)
{
	fprintf(out,
		"usage: uetfabric NETWORK FLOWS [OPTION]...   a line of figures for each run\n"
		"       uetfabric --gates [--quick]           figures it has to meet, as TAP\n"
		"network\n"
		"  --nodes N        so many hosts (those of the matrix, else 128)\n"
		"  --tiers 2|3      (3)    --oversub N   hosts for each uplink of a ToR (1)\n"
		"  --shape PODS,TORS,HOSTS,AGGS,UPS      instead of these; UPS 0: two tiers\n"
		"  --rails N        planes, a NIC in each (1)\n"
		"  --mbps N         of a link (100000)   --wire-ns N    delay of a link (1000)\n"
		"  --packet N       bytes of a full packet on the wire (4150)\n"
		"  --queue N        full packets in a queue (1 BDP, without trimming 5)\n"
		"  --ecn-low N, --ecn-high N             the same, for marks (0.2, 0.8 BDP)\n"
		"  --no-trim        full queues drop\n"
		"  --fault host|tor|agg:RAIL:NODE:UP:PERCENT[,up|,down][,from=US][,until=US]\n"
		"                   rate left of a link, 0 dead\n"
		"flows\n"
		"  --tm FILE        connection matrix of htsim, - is stdin\n"
		"  --permutation, --incast N, --all-to-all N, --ring N\n"
		"  --size BYTES     of each flow (2000000)\n"
		"end points\n"
		"  --path single|oblivious|reps|map|mixed (oblivious)   --paths N (128)\n"
		"  --cc none|constant|nscc|nscc-spec|nscc-htsim (constant)\n"
		"       rccc|rccc-spec|rccc+nscc|rccc+nscc-htsim\n"
		"  --window N       percent of a BDP, of the constant one (150)\n"
		"  --ack-bytes N    received bytes that make an ACK, 0 each packet (16384)\n"
		"  --rto-us N (1000)   --track N  PSNs of a PDC\n"
		"  --reorder-us N   an overtaken packet is lost after a round trip and this\n"
		"                   (0: the least round trip)\n"
		"  --credit-run N   bytes of credit for a source before the next one (0: four packets)\n"
		"  --credit-rate N  granted part of the rate, thousandths (990)\n"
		"  --whole-start    first windows do not depend on the number of destinations\n"
		"  --freeze-us N    time after a loss without new values, REPS (400)\n"
		"  --tail-us N      silence before a Probe (0: three base RTTs)\n"
		"  --cold           PDCs are opened by the first packets\n"
		"run\n"
		"  --seed N (1)     --seeds N  runs with seeds from that on (1)\n"
		"  --settle-us N    measure delays and queues from then on (0)\n"
		"  --end-us N       give up then (1000000)\n"
		"  --json, --csv    form of the figures\n"
		"  --flows FILE     a line of CSV for each flow\n");
}

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
	int used = -1;

	if (sscanf(text, "%4u,%4u,%4u,%4u,%4u%n", &s->pods, &s->tors, &s->hosts,
		   &s->aggs, &s->ups, &used) != 5 ||
	    used != (int)strlen(text))
		return opt_wrong("shape", text, "not PODS,TORS,HOSTS,AGGS,UPS");
	s->tiers = s->ups ? 3 : 2;
	if (!s->pods || !s->tors || !s->hosts || !s->aggs)
		return opt_wrong("shape", text, "only UPS may be 0");
	if (s->tiers == 2 && s->pods > 1)
		return opt_wrong("shape", text, "pods need cores between them");
	if ((u64)s->pods * s->tors * s->hosts > FAB_HOSTS_MAX ||
	    (u64)s->pods * s->tors * s->hosts < 2)
		return opt_wrong("shape", text, "not 2..65536 hosts");
	opts->has_shape = true;
	return true;
}

static bool opt_fault(struct fab_options *opts, const char *text)
{
	struct fab_params *par = &opts->par;
	const char *why;

	if (par->nr_faults == FAB_FAULTS_MAX)
		return opt_wrong("fault", text, "more than 64 of them");
	why = fab_fault_read(&par->faults[par->nr_faults++], text);
	return !why || opt_wrong("fault", text, why);
}

static void opt_set_params(struct fab_params *par, int opt, u64 v)
{
	switch (opt) {
	case OPT_RAILS:		par->rails = v; break;
	case OPT_MBPS:		par->mbps = v; break;
	case OPT_WIRE:		par->wire_ps = v * FAB_NS; break;
	case OPT_PACKET:	par->packet = v; break;
	case OPT_QUEUE:		par->queue_pkts = v; break;
	case OPT_ECN_LOW:	par->ecn_low = v; break;
	case OPT_ECN_HIGH:	par->ecn_high = v; break;
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
	case OPT_SIZE:
		opts->bytes = v;
		break;
	case OPT_INCAST:
		return opt_set_pattern(opts, FAB_PAT_INCAST, v);
	case OPT_ALL_TO_ALL:
		return opt_set_pattern(opts, FAB_PAT_ALL_TO_ALL, v);
	case OPT_RING:
		return opt_set_pattern(opts, FAB_PAT_RING, v);
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
		opts->flows = text;
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
	switch (opt) {
	case OPT_SHAPE:
		return opt_shape(opts, text);
	case OPT_FAULT:
		return opt_fault(opts, text);
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
	case OPT_NO_TRIM:
		opts->par.trims = false;
		return true;
	case OPT_COLD:
		opts->par.is_cold = true;
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

static bool opt_check_network(struct fab_options *opts)
{
	struct fab_params *par = &opts->par;
	u32 nodes = opts->nodes, i;

	if (!nodes && opts->matrix)
		nodes = opt_matrix_nodes(opts->matrix);
	if (!opts->has_shape &&
	    !fab_shape_fat_tree(&par->shape, opts->tiers, nodes ? nodes : 128,
				opts->oversub)) {
		fprintf(stderr, "uetfabric: no regular network has %u hosts\n",
			nodes);
		return false;
	}
	for (i = 0; i < par->nr_faults; i++) {
		if (!fab_fault_exists(par, &par->faults[i])) {
			fprintf(stderr, "uetfabric: --fault number %u: there is no such link\n",
				i + 1);
			return false;
		}
	}
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
	if (8000000 % par->mbps) {
		fprintf(stderr, "uetfabric: --mbps %u: does not divide 8000000\n",
			par->mbps);
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
	if (!opt_check_network(opts))
		return false;
	if (par->ecn_low && par->ecn_high && par->ecn_low > par->ecn_high) {
		fprintf(stderr, "uetfabric: --ecn-low is above --ecn-high\n");
		return false;
	}
	return true;
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
		.tiers = 3, .oversub = 1, .bytes = 2000000, .seeds = 1,
	};
	fab_params_default(&opts->par);
	while ((opt = getopt_long(argc, argv, "h", opt_words, &index)) >= 0) {
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

	/* The network may be larger: the other hosts are idle. */
	if (opts->nodes && !opts->has_shape)
		fab->nr_hosts = opts->nodes;
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
