// SPDX-License-Identifier: GPL-2.0
/*
 * Control of one rank through all sizes and transports: meets the other ranks,
 * warms up, determines the number of iterations, has it measured, and has rank 0
 * add up the results of all ranks.  Level: tool.
 */
#include <stdlib.h>
#include <string.h>

#include "uetperf.h"

/* Default bytes of each flow, and limits of the iterations derived from them. */
#define BYTES_DEFAULT		(64ull << 20)
#define ITERATIONS_LEAST	20
#define ITERATIONS_MOST		10000
#define WARMUP_MOST		100
/* Default bytes in flight to one rank: at most its receive buffer. */
#define WINDOW_BYTES		(2u << 20)

/**
 * ctl_expect() - wait for a control message of some kind
 * @net: transport
 * @from: rank
 * @kind: CTL_*
 * @ctl: returns it
 *
 * A greeting may come twice, if its answer was lost.
 *
 * Return: 0, or -1 after printing the reason.
 */
int ctl_expect(struct net *net, int from, uint32_t kind, struct ctl *ctl)
{
	do {
		if (net->ops->ctl_recv(net, from, ctl))
			return -1;
	} while (ctl->kind == CTL_HELLO && kind != CTL_HELLO);
	if (ctl->kind == kind)
		return 0;
	warn_user("%s: rank %d is somewhere else: control message %u instead of %u",
		  net->ops->name, from, ctl->kind, kind);
	return -1;
}

/**
 * barrier() - wait until all ranks have come here
 * @net: transport
 * @value: returns what rank 0 has there, NULL: nothing
 *
 * Return: 0, or -1 after printing the reason.
 */
int barrier(struct net *net, uint64_t *value)
{
	struct ctl ctl = { .kind = CTL_READY }, go = { .kind = CTL_GO };
	int rank;

	if (net->o->rank) {
		if (net->ops->ctl_send(net, 0, &ctl) ||
		    ctl_expect(net, 0, CTL_GO, &ctl))
			return -1;
		if (value)
			*value = ctl.value[0];
		return 0;
	}
	for (rank = 1; rank < net->o->ranks; rank++)
		if (ctl_expect(net, rank, CTL_READY, &ctl))
			return -1;
	if (value)
		go.value[0] = *value;
	for (rank = 1; rank < net->o->ranks; rank++)
		if (net->ops->ctl_send(net, rank, &go))
			return -1;
	return 0;
}

/* Several ranks may share a counter of retransmissions, which then counts once. */
static bool is_counted(const struct tally *tallies, int rank)
{
	for (int i = 0; tallies[rank].whose && i < rank; i++)
		if (tallies[i].whose == tallies[rank].whose)
			return true;
	return false;
}

/* The totals of all ranks; the longest time counts. */
static void tallies_add(const struct tally *tallies, int ranks, struct tally *total)
{
	for (int i = 0; i < ranks; i++) {
		if (tallies[i].ns > total->ns)
			total->ns = tallies[i].ns;
		total->bytes += tallies[i].bytes;
		total->messages += tallies[i].messages;
		total->verified += tallies[i].verified;
		if (!is_counted(tallies, i))
			total->retransmissions += tallies[i].retransmissions;
	}
}

static int gather_tallies(struct bench *b, struct row *row)
{
	struct ctl ctl = {
		.kind = CTL_RESULT,
		.value = { b->mine.ns, b->mine.bytes, b->mine.messages,
			   b->mine.verified, b->mine.retransmissions,
			   b->mine.whose },
	};
	int rank;

	if (b->o->rank)
		return b->net->ops->ctl_send(b->net, 0, &ctl);
	row->tallies = calloc(b->o->ranks, sizeof(*row->tallies));
	if (!row->tallies) {
		warn_user("no memory for the results of %d ranks", b->o->ranks);
		return -1;
	}
	row->tallies[0] = b->mine;
	for (rank = 1; rank < b->o->ranks; rank++) {
		if (ctl_expect(b->net, rank, CTL_RESULT, &ctl))
			return -1;
		row->tallies[rank] = (struct tally){
			.ns = ctl.value[0], .bytes = ctl.value[1],
			.messages = ctl.value[2], .verified = ctl.value[3],
			.retransmissions = ctl.value[4], .whose = ctl.value[5],
		};
	}
	tallies_add(row->tallies, b->o->ranks, &row->total);
	return 0;
}

/* -------------------------------------------------------------- iterations */

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static uint64_t iterations_of(const struct options *o, uint32_t size)
{
	uint64_t nr = o->iterations;

	if (nr)
		return nr;
	if (o->bytes)
		nr = (o->bytes + size - 1) / size;
	else if (o->pattern->iterations)
		nr = o->pattern->iterations;
	else
		nr = between(ITERATIONS_LEAST, BYTES_DEFAULT / size,
			     ITERATIONS_MOST);
	if (o->pattern->is_sampled && nr > SAMPLES_MAX)
		nr = SAMPLES_MAX;
	return nr;
}

static uint32_t window_of(const struct options *o, uint32_t size)
{
	uint32_t fits = WINDOW_BYTES / size;

	if (o->window)
		return o->window;
	if (fits > o->pattern->window)
		fits = o->pattern->window;
	return fits ? fits : 1;
}

static uint64_t warmup_of(const struct options *o, uint64_t iterations)
{
	uint64_t nr = iterations / 10 + 1;

	if (o->warmup != UINT64_MAX)
		return o->warmup;
	return nr > WARMUP_MOST ? WARMUP_MOST : nr;
}

/* -------------------------------------------------------------------- rows */

static void row_fill(struct row *row, struct bench *b)
{
	double seconds = (row->total.ns ? row->total.ns : 1) / 1e9;

	row->transport = b->net->ops->name;
	row->op = b->op->name;
	row->size = b->size;
	row->window = b->window;
	row->iterations = b->iterations;
	row->rate = row->total.bytes * 8 / seconds;
	row->mps = row->total.messages / seconds;
	row->idle_ns = b->idle_ns;
	row->samples = b->samples;
	row->nr_samples = b->nr_samples;
	row->intervals = b->intervals;
	if (row->nr_samples)
		latency_of(row);
}

/* Only the kernel knows the length of a packet. */
static int size_fits(const struct bench *b)
{
	if (!b->op->is_one_packet || b->size <= b->net->packet)
		return 0;
	warn_user("--size %u: with --op %s a packet at most, %u bytes here",
		  b->size, b->op->name, b->net->packet);
	return -1;
}

static int bench_run(struct bench *b, struct row *row)
{
	uint64_t warmup;

	if (size_fits(b) || payload_make(b) || region_open(b))
		return -1;
	b->iterations = iterations_of(b->o, b->size);
	if (b->o->seconds && calibrate(b))
		return -1;
	warmup = warmup_of(b->o, b->iterations);
	if (warmup && b->o->pattern->run(b, warmup))
		return -1;
	if (measure(b) || gather_tallies(b, row))
		return -1;
	row_fill(row, b);
	/* No rank frees memory that another rank still writes to. */
	return barrier(b->net, NULL) || region_close(b) ? -1 : 0;
}

static int run_one(const struct options *o, struct net *net, uint32_t size,
		   struct row *row)
{
	struct bench b = {
		.o = o, .net = net, .op = o->op, .size = size,
		.window = window_of(o, size),
	};
	int ret;

	if (!net->ops->has_memory)
		b.op = &op_kinds[0];
	ret = bench_run(&b, row);
	free(b.payload);
	if (ret) {
		free(b.samples);
		free(b.intervals.list);
	}
	return ret;
}

/* The figure of a row; for times, less is better. */
static double figure_of(const struct row *row)
{
	return row->nr_samples ? row->latency.p50 : row->rate;
}

static int run_size(const struct options *o, struct net **nets, uint32_t size)
{
	struct row rows[2] = { 0 };
	int i, nr = 0, ret = 0;

	for (i = 0; i < 2 && !ret; i++)
		if (nets[i])
			ret = run_one(o, nets[i], size, &rows[nr++]);
	if (!ret && nr == 2 && !o->rank && figure_of(&rows[1]) > 0)
		for (i = 0; i < 2; i++)
			rows[i].ratio = figure_of(&rows[i]) /
					figure_of(&rows[1]);
	if (!ret && !o->rank)
		output_rows(o, rows, nr);
	for (i = 0; i < nr; i++) {
		free(rows[i].tallies);
		/* Of one that failed, run_one() has them. */
		if (ret && i == nr - 1)
			break;
		free(rows[i].samples);
		free(rows[i].intervals.list);
	}
	return ret;
}

static int run_sizes(const struct options *o, struct net **nets)
{
	int i;

	if (!o->rank)
		output_begin(o);
	for (i = 0; i < o->nr_sizes; i++)
		if (run_size(o, nets, o->sizes[i]))
			return -1;
	if (!o->rank)
		output_end(o);
	return 0;
}

/**
 * run_rank() - run all measurements of a rank
 * @o: command line
 *
 * Return: 0 when everything was moved and was right, or -1 after printing the reason.
 */
int run_rank(const struct options *o)
{
	const struct net_ops *ops[2] = {
		o->has_uet ? &net_uet : NULL, o->has_tcp ? &net_tcp : NULL,
	};
	struct net *nets[2] = { NULL, NULL };
	size_t space = 0;
	int i, ret = 0;

	warn_as(o->rank);
	for (i = 0; i < o->nr_sizes; i++)
		if (o->sizes[i] > space)
			space = o->sizes[i];
	for (i = 0; i < 2 && !ret; i++) {
		if (!ops[i])
			continue;
		nets[i] = ops[i]->open(o, space);
		if (!nets[i])
			ret = -1;
	}
	if (!ret)
		ret = run_sizes(o, nets);
	for (i = 0; i < 2; i++)
		if (nets[i])
			nets[i]->ops->close(nets[i]);
	return ret;
}
