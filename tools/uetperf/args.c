// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of uetperf: patterns and operations as tables, options, and
 * error messages for wrong arguments.  Level: tool.
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "uetperf.h"
#include "version.h"

/* A transport without memory operations uses the first row. */
const struct op_kind op_kinds[] = {
	{ .name = "send", .opcode = UET_OP_SEND, .unit = 1 },
	{ .name = "write", .opcode = UET_OP_WRITE, .is_memory = true,
	  .access = UET_MR_WRITE, .unit = 1 },
	{ .name = "atomic", .opcode = UET_OP_ATOMIC, .is_memory = true,
	  .access = UET_MR_ATOMIC, .unit = 8, .is_one_packet = true,
	  .is_sum = true },
	{ .name = "read", .opcode = UET_OP_READ, .is_memory = true,
	  .access = UET_MR_READ, .unit = 1, .has_result = true },
	{ .name = "fetch", .opcode = UET_OP_FETCHING_ATOMIC, .is_memory = true,
	  .access = UET_MR_ATOMIC, .unit = 8, .only = 8, .is_sum = true,
	  .has_result = true },
	{ .name = "tagged", .opcode = UET_OP_TAGGED_SEND, .unit = 1,
	  .has_tag = true },
	{ .name = "deferrable", .opcode = UET_OP_DEFERRABLE_SEND, .unit = 1 },
	{ .name = NULL },
};

const struct pattern patterns[] = {
	{ .name = "bw", .text = "bandwidth, even ranks to the next ones",
	  .sends = is_forth, .run = run_flows, .ranks_min = 2,
	  .ranks_max = RANKS_MAX, .is_paired = true, .size = 65536,
	  .window = 64 },
	{ .name = "lat", .text = "round trips of rank 0 to rank 1",
	  .run = run_latency, .sends = is_forth, .ranks_min = 2,
	  .ranks_max = 2, .is_sampled = true, .size = 64, .window = 1,
	  .iterations = 1000 },
	{ .name = "rate", .text = "as bw, of short messages",
	  .sends = is_forth, .run = run_flows, .ranks_min = 2,
	  .ranks_max = RANKS_MAX, .is_paired = true, .size = 8,
	  .window = 256 },
	{ .name = "bidir", .text = "as bw, both ways",
	  .sends = is_paired, .run = run_flows, .ranks_min = 2,
	  .ranks_max = RANKS_MAX, .is_paired = true, .size = 65536,
	  .window = 64 },
	{ .name = "incast", .text = "all others to rank 0",
	  .sends = is_to_zero, .run = run_flows, .ranks_min = 2,
	  .ranks_max = RANKS_MAX, .size = 65536, .window = 16 },
	{ .name = "alltoall", .text = "each rank to each other rank",
	  .sends = is_to_all, .run = run_flows, .ranks_min = 2,
	  .ranks_max = RANKS_MAX, .size = 65536, .window = 16 },
	{ .name = "allreduce", .text = "ring all-reduce",
	  .run = run_allreduce, .ranks_min = 2, .ranks_max = RANKS_MAX,
	  .is_sampled = true, .is_ring = true, .size = 65536, .window = 1,
	  .iterations = 100 },
	{ .name = "allgather", .text = "ring all-gather",
	  .run = run_allgather, .ranks_min = 2, .ranks_max = RANKS_MAX,
	  .is_sampled = true, .is_ring = true, .size = 65536, .window = 1,
	  .iterations = 100 },
	{ .name = "reducescatter", .text = "ring reduce-scatter",
	  .run = run_reducescatter, .ranks_min = 2, .ranks_max = RANKS_MAX,
	  .is_sampled = true, .is_ring = true, .size = 65536, .window = 1,
	  .iterations = 100 },
	{ .name = NULL },
};

static const char usage_options[] =
	"ranks:\n"
	"  --peers FA[,FA...]  fabric addresses; rank i has the i-th, then again\n"
	"                      from the first\n"
	"  --ranks N           number of ranks, 2..256 (as many as addresses)\n"
	"  --rank I            number of this rank; or\n"
	"  --client            rank 0; the servers at the other addresses start theirs; or\n"
	"  --fork              start all ranks here\n"
	"  -P, --parallel N    streams from each rank, 1..128 (1); bw, rate, bidir\n"
	"  --job J             JobID, 1..16777215 (1)\n"
	"  --pid P             PIDonFEP of rank 0; rank i has P + i (0)\n"
	"  --ri R              Resource Indices R and R + 1, of servers R + 2, 1..4093 (1)\n"
	"load:\n"
	"  --op OP             operation (send)\n"
	"  --rod               in order\n"
	"  --more              announce that another operation follows (UET)\n"
	"  --size S[,S...]     bytes; S..T: doubled up to T; K, M allowed\n"
	"  --window N          operations in flight to a rank, 1..8192\n"
	"  --iterations N, --bytes B, --seconds T\n"
	"                      how many, how much, how long\n"
	"  --warmup N          iterations before (a tenth, at most 100)\n"
	"  --verify            compare every byte\n"
	"  --seed N            of the bytes (1)\n"
	"  --timeout T         seconds without progress (30)\n"
	"comparison:\n"
	"  --peer tcp          the same over TCP\n"
	"  --no-uet            over TCP only\n"
	"  --port P            TCP port of rank 0; rank i has P + i (20000)\n"
	"output:\n"
	"  --json, --csv       instead of a table\n"
	"  -i, --interval T    a line each T seconds, 1..3600\n"
	"  --histogram         of the latencies\n"
	"  -h, --help          this text\n"
	"  -V, --version       the version\n";

/* All of them, with a blank before each. */
static void op_names(char *buf, size_t size)
{
	const struct op_kind *op;
	size_t used = 0;

	for (op = op_kinds; op->name && used < size; op++)
		used += snprintf(buf + used, size - used, " %s", op->name);
}

static void usage_print(FILE *f)
{
	const struct pattern *p;
	char names[256];

	fputs("usage: uetperf PATTERN --peers FA[,FA...] --rank I|--client|--fork [OPTIONS]\n"
	      "       uetperf serve --peers FA [--job J] [--pid P] [--ri R] [--timeout T]\n"
	      "patterns:\n", f);
	for (p = patterns; p->name; p++)
		fprintf(f, "  %-14s %s\n", p->name, p->text);
	op_names(names, sizeof(names));
	fprintf(f, "operations:%s\n%s", names, usage_options);
}

static void usage_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("uetperf: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("\n", stderr);
	va_end(args);
	usage_print(stderr);
	exit(EXIT_USAGE);
}

/* ----------------------------------------------------------------- options */

enum {
	OPT_PEERS = 256, OPT_RANKS, OPT_RANK, OPT_FORK, OPT_JOB, OPT_PID,
	OPT_RI, OPT_OP, OPT_ROD, OPT_SIZE, OPT_WINDOW, OPT_ITERATIONS,
	OPT_BYTES, OPT_SECONDS, OPT_WARMUP, OPT_VERIFY, OPT_SEED, OPT_TIMEOUT,
	OPT_PEER, OPT_NO_UET, OPT_PORT, OPT_JSON, OPT_CSV, OPT_HISTOGRAM,
	OPT_MORE, OPT_CLIENT,
	OPT_INTERVAL = 'i', OPT_PARALLEL = 'P', OPT_HELP = 'h', OPT_VERSION = 'V',
};

static const struct option long_options[] = {
	{ "peers", required_argument, NULL, OPT_PEERS },
	{ "ranks", required_argument, NULL, OPT_RANKS },
	{ "rank", required_argument, NULL, OPT_RANK },
	{ "fork", no_argument, NULL, OPT_FORK },
	{ "job", required_argument, NULL, OPT_JOB },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "ri", required_argument, NULL, OPT_RI },
	{ "op", required_argument, NULL, OPT_OP },
	{ "rod", no_argument, NULL, OPT_ROD },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "bytes", required_argument, NULL, OPT_BYTES },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "warmup", required_argument, NULL, OPT_WARMUP },
	{ "verify", no_argument, NULL, OPT_VERIFY },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "peer", required_argument, NULL, OPT_PEER },
	{ "no-uet", no_argument, NULL, OPT_NO_UET },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "histogram", no_argument, NULL, OPT_HISTOGRAM },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "more", no_argument, NULL, OPT_MORE },
	{ "client", no_argument, NULL, OPT_CLIENT },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "parallel", required_argument, NULL, OPT_PARALLEL },
	{ NULL, 0, NULL, 0 },
};

static const struct option *option_of(int opt)
{
	const struct option *o;

	for (o = long_options; o->name && o->val != opt; o++)
		;
	return o;
}

static uint64_t option_bit(int opt)
{
	return 1ull << (option_of(opt) - long_options);
}

/* A number within min..max; with a unit if the option is about bytes. */
static uint64_t number(int opt, const char *text, uint64_t min, uint64_t max)
{
	bool is_bytes = opt == OPT_SIZE || opt == OPT_BYTES;
	uint64_t value;

	if (!number_read(text, is_bytes, min, max, &value))
		usage_error("--%s %s: not a number in %" PRIu64 "..%" PRIu64,
			    option_of(opt)->name, text, min, max);
	return value;
}

static void parse_peers(struct options *o, char *list)
{
	struct in6_addr any;
	char *fa, host[128];

	o->nr_fas = 0;
	while ((fa = strsep(&list, ","))) {
		if (o->nr_fas == RANKS_MAX)
			usage_error("--peers: more than %d addresses",
				    RANKS_MAX);
		snprintf(host, sizeof(host), "%.*s", (int)strcspn(fa, "%"), fa);
		if (inet_pton(AF_INET, fa, &any) != 1 &&
		    inet_pton(AF_INET6, host, &any) != 1)
			usage_error("--peers %s: not an IPv4 or IPv6 address",
				    fa);
		o->fas[o->nr_fas++] = fa;
	}
}

static void add_size(struct options *o, uint64_t size)
{
	if (o->nr_sizes == SIZES_MAX)
		usage_error("--size: more than %d sizes", SIZES_MAX);
	o->sizes[o->nr_sizes++] = size;
}

/* "64", "64,4K", "64..1M" */
static void parse_sizes(struct options *o, char *list)
{
	uint64_t from, to;
	char *word, *end;

	o->nr_sizes = 0;
	while ((word = strsep(&list, ","))) {
		end = strstr(word, "..");
		if (end) {
			*end = '\0';
			end += 2;
		}
		from = number(OPT_SIZE, word, 1, SIZE_MAX_BYTES);
		to = end ? number(OPT_SIZE, end, from, SIZE_MAX_BYTES) : from;
		for (; from <= to; from *= 2)
			add_size(o, from);
	}
}

static const struct op_kind *op_named(const char *name)
{
	const struct op_kind *op;
	char names[256];

	for (op = op_kinds; op->name; op++)
		if (!strcmp(op->name, name))
			return op;
	op_names(names, sizeof(names));
	usage_error("--op %s: not one of%s", name, names);
}

static void parse_number(struct options *o, int opt)
{
	switch (opt) {
	case OPT_RANKS: o->ranks = number(opt, optarg, 2, RANKS_MAX); break;
	case OPT_RANK: o->rank = number(opt, optarg, 0, RANKS_MAX - 1); break;
	case OPT_JOB: o->job = number(opt, optarg, 1, UET_JOBID_MAX); break;
	case OPT_PID: o->pid = number(opt, optarg, 0, UET_PIDONFEP_MAX); break;
	case OPT_RI: o->ri = number(opt, optarg, 1, UET_RINDEX_MAX - 2); break;
	case OPT_WINDOW: o->window = number(opt, optarg, 1, WINDOW_MAX); break;
	case OPT_ITERATIONS:
		o->iterations = number(opt, optarg, 1, ITERATIONS_MAX);
		break;
	case OPT_BYTES:
		o->bytes = number(opt, optarg, 1, ITERATIONS_MAX);
		break;
	case OPT_SECONDS: o->seconds = number(opt, optarg, 1, 86400); break;
	case OPT_WARMUP:
		o->warmup = number(opt, optarg, 0, ITERATIONS_MAX);
		break;
	case OPT_SEED: o->seed = number(opt, optarg, 0, UINT64_MAX); break;
	case OPT_TIMEOUT: o->timeout = number(opt, optarg, 1, 86400); break;
	case OPT_PORT: o->port = number(opt, optarg, 1, UINT16_MAX); break;
	case OPT_INTERVAL:
		o->interval = number(opt, optarg, 1, INTERVAL_MAX);
		break;
	case OPT_PARALLEL:
		o->parallel = number(opt, optarg, 1, PARALLEL_MAX);
		break;
	}
}

static void parse_option(struct options *o, int opt, char *word)
{
	switch (opt) {
	case OPT_PEERS: parse_peers(o, optarg); break;
	case OPT_SIZE: parse_sizes(o, optarg); break;
	case OPT_OP: o->op = op_named(optarg); break;
	case OPT_ROD: o->is_rod = true; break;
	case OPT_MORE: o->is_more = true; break;
	case OPT_VERIFY: o->is_verified = true; break;
	case OPT_NO_UET: o->has_uet = false; break;
	case OPT_JSON: o->format = FORMAT_JSON; break;
	case OPT_CSV: o->format = FORMAT_CSV; break;
	case OPT_HISTOGRAM: o->has_histogram = true; break;
	case OPT_FORK: break;
	case OPT_CLIENT: o->is_client = true; break;
	case OPT_PEER:
		if (strcmp(optarg, "tcp"))
			usage_error("--peer %s: not tcp", optarg);
		o->has_tcp = true;
		break;
	case OPT_HELP:
		usage_print(stdout);
		exit(EXIT_SUCCESS);
	case OPT_VERSION:
		puts("uetperf " UET_TOOLS_VERSION);
		exit(EXIT_SUCCESS);
	case ':': usage_error("%s needs a value", word);
	case '?': usage_error("%s is not an option", word);
	default: parse_number(o, opt);
	}
}

static const struct pattern *pattern_named(const char *name)
{
	const struct pattern *p;

	for (p = patterns; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	usage_error("'%s' is not a pattern", name);
}

/* --------------------------------------------------------- "ueadm job run" */

/* A variable of the launcher: a number. */
static uint64_t variable(const char *name, uint64_t max)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text)
		usage_error("UET_PEERS without %s", name);
	if (!number_read(text, false, 0, max, &value))
		usage_error("%s=%s: not a number in 0..%" PRIu64, name, text, max);
	return value;
}

/*
 * The ranks of "ueadm job run".  PIDonFEPs are those of uetperf, from the first one of
 * the job on, unless @has_pid; those of the launcher are unique on one address only.
 */
static void take_launcher(struct options *o, char *list, bool has_pid)
{
	uint64_t pid;
	char *peer, *slash;

	while ((peer = strsep(&list, ","))) {
		slash = strchr(peer, '/');
		if (!slash || !number_read(slash + 1, false, 0, UET_PIDONFEP_MAX, &pid))
			usage_error("UET_PEERS: %s: not FA/PID", peer);
		*slash = '\0';
		if (o->nr_fas == RANKS_MAX)
			usage_error("UET_PEERS: more than %d ranks", RANKS_MAX);
		if (!o->nr_fas && !has_pid)
			o->pid = pid;
		o->fas[o->nr_fas++] = peer;
	}
	o->ranks = variable("UET_SIZE", RANKS_MAX);
	if (o->ranks != o->nr_fas)
		usage_error("UET_PEERS has %d addresses, UET_SIZE is %d", o->nr_fas,
			    o->ranks);
	o->rank = variable("UET_RANK", RANKS_MAX - 1);
	o->job = variable("UET_JOB", UET_JOBID_MAX);
	o->job_fd = variable("UET_JOB_FD", INT_MAX);
}

/* ------------------------------------------------------ what goes together */

static void check_places(struct options *o, bool is_forked)
{
	const struct pattern *p = o->pattern;

	if (!o->nr_fas)
		usage_error("--peers is missing: whose addresses?");
	if (!o->ranks)
		o->ranks = o->nr_fas;
	if (o->ranks < p->ranks_min || o->ranks > p->ranks_max)
		usage_error("--ranks %d: %s takes %d..%d", o->ranks, p->name,
			    p->ranks_min, p->ranks_max);
	if (p->is_paired && o->ranks % 2)
		usage_error("--ranks %d: %s takes an even number", o->ranks,
			    p->name);
	if (is_forked + o->is_client + (o->rank >= 0) > 1)
		usage_error("--rank, --client and --fork do not go together");
	if (!is_forked && !o->is_client && o->rank < 0)
		usage_error("--rank is missing: which is this?  Or --client, or --fork");
	if (o->rank >= o->ranks)
		usage_error("--rank %d: not in 0..%d", o->rank, o->ranks - 1);
}

/* Streams are ranks of their own, at the same places. */
static void check_streams(struct options *o)
{
	const struct pattern *p = o->pattern;

	o->places = o->ranks;
	if (o->parallel > 1 && !p->is_paired)
		usage_error("--parallel %d: only bw, rate and bidir have streams, %s has not",
			    o->parallel, p->name);
	if (o->parallel * o->places > RANKS_MAX)
		usage_error("--parallel %d: with %d ranks beyond %d",
			    o->parallel, o->places, RANKS_MAX);
	o->ranks *= o->parallel;
	if (o->pid + o->ranks - 1 > UET_PIDONFEP_MAX)
		usage_error("--pid %u: with %d ranks beyond %u", o->pid,
			    o->ranks, UET_PIDONFEP_MAX);
	if (o->port + o->ranks - 1 > UINT16_MAX)
		usage_error("--port %u: with %d ranks beyond %u", o->port,
			    o->ranks, UINT16_MAX);
}

/* The ranks that are started here; a process for one of them alone is that rank. */
static void choose_here(struct options *o, bool is_forked)
{
	int rank, nr = 0, place = o->is_client ? 0 : o->rank;

	for (rank = 0; rank < o->ranks; rank++) {
		o->is_here[rank] = is_forked || rank % o->places == place ||
				   (o->is_client && !strcmp(fa_of(o, rank), fa_of(o, 0)));
		nr += o->is_here[rank];
	}
	o->rank = nr == 1 ? place : -1;
}

static void check_size(const struct options *o, uint32_t size)
{
	const struct pattern *p = o->pattern;

	if (p->is_ring && size < 8u * o->ranks)
		usage_error("--size %u: %s takes 8 bytes for each rank, %d",
			    size, p->name, 8 * o->ranks);
	if (p->is_ring && size % 8)
		usage_error("--size %u: %s takes a multiple of 8", size,
			    p->name);
	if (size % o->op->unit)
		usage_error("--size %u: --op %s takes a multiple of %u", size,
			    o->op->name, o->op->unit);
	if (o->op->only && size != o->op->only)
		usage_error("--size %u: --op %s takes %u only", size,
			    o->op->name, o->op->only);
}

static void check_measurement(struct options *o)
{
	const struct pattern *p = o->pattern;
	int i;

	if (!o->has_uet && !o->has_tcp)
		usage_error("--no-uet: without --peer tcp there is nothing left");
	if (p->is_ring && o->op->opcode != UET_OP_SEND)
		usage_error("--op %s: %s is made of messages", o->op->name,
			    p->name);
	if (!!o->iterations + !!o->bytes + !!o->seconds > 1)
		usage_error("--iterations, --bytes and --seconds do not go together");
	if (p->is_sampled && o->iterations > SAMPLES_MAX)
		usage_error("--iterations %" PRIu64 ": %s keeps the time of each, at most %u",
			    o->iterations, p->name, SAMPLES_MAX);
	if (o->window > 1 && p->window == 1)
		usage_error("--window %u: %s has a window of 1", o->window,
			    p->name);
	if (o->interval && o->format == FORMAT_CSV)
		usage_error("--interval: not with --csv");
	if (o->is_client && !o->words_len)
		usage_error("--client: the command line is longer than %d bytes", WORDS_MAX);
	if (o->is_client && !o->has_uet)
		usage_error("--client: servers are asked over UET, not with --no-uet");
	if (o->has_histogram && !p->is_sampled)
		usage_error("--histogram: %s has no latencies", p->name);
	if (!o->nr_sizes)
		add_size(o, o->op->only ? o->op->only : p->size);
	for (i = 0; i < o->nr_sizes; i++)
		check_size(o, o->sizes[i]);
}

/**
 * fa_of() - the fabric address of a rank
 * @o: command line
 * @rank: its number
 *
 * Return: text.
 */
const char *fa_of(const struct options *o, int rank)
{
	return o->fas[rank % o->places % o->nr_fas];
}

/* What a server needs to know; the rest it has from its clients. */
static void check_server(struct options *o, uint64_t given)
{
	static const int own[] = {
		OPT_PEERS, OPT_JOB, OPT_PID, OPT_RI, OPT_TIMEOUT,
	};
	size_t i;
	int opt;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		given &= ~option_bit(own[i]);
	for (opt = 0; given && !(given >> opt & 1); opt++)
		;
	if (given)
		usage_error("--%s: a server has it from its clients",
			    long_options[opt].name);
	if (!o->nr_fas)
		usage_error("--peers is missing: which is the address of the server?");
	if (o->nr_fas > 1 && o->rank < 0)
		usage_error("--peers: a server has one address, not %d", o->nr_fas);
	if (o->rank < 0)
		o->rank = 0;
	o->places = o->nr_fas;
}

/* For servers: the words as they are.  Without space there are none. */
static void keep_words(struct options *o, int argc, char **argv)
{
	size_t len;

	for (int i = 1; i < argc; i++) {
		len = strlen(argv[i]) + 1;
		if (len > sizeof(o->words) - o->words_len) {
			o->words_len = 0;
			return;
		}
		memcpy(o->words + o->words_len, argv[i], len);
		o->words_len += len;
	}
}

/**
 * parse_arguments() - understand the command line, or end with a usage
 * @o: returns it
 * @argc: of main()
 * @argv: of main(); lists in it are split in place
 */
void parse_arguments(struct options *o, int argc, char **argv)
{
	bool is_forked = false;
	uint64_t given = 0;
	int opt;

	*o = (struct options){
		.op = op_kinds, .rank = -1, .job = 1, .job_fd = -1, .ri = 1, .port = 20000,
		.parallel = 1, .has_uet = true, .warmup = UINT64_MAX, .timeout = 30, .seed = 1,
	};
	keep_words(o, argc, argv);
	opterr = 0;
	optind = 0;
	while ((opt = getopt_long(argc, argv, ":i:P:hV", long_options, NULL)) != -1) {
		parse_option(o, opt, argv[optind - 1]);
		is_forked |= opt == OPT_FORK;
		given |= option_bit(opt);
	}
	if (optind == argc)
		usage_error("which pattern?");
	o->is_server = !strcmp(argv[optind], "serve");
	if (!o->is_server)
		o->pattern = pattern_named(argv[optind]);
	if (++optind < argc)
		usage_error("'%s' is one word too many", argv[optind]);
	if (!o->nr_fas && o->rank < 0 && !is_forked && !o->is_client &&
	    getenv("UET_PEERS"))
		take_launcher(o, strdup(getenv("UET_PEERS")),
			      given & option_bit(OPT_PID));
	if (o->is_server) {
		check_server(o, given);
		return;
	}
	check_places(o, is_forked);
	check_streams(o);
	choose_here(o, is_forked);
	check_measurement(o);
}
