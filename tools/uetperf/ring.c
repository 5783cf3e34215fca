// SPDX-License-Identifier: GPL-2.0
/*
 * Ring collectives: all-reduce, all-gather and reduce-scatter of vectors of 64
 * bit integers.  Rank r sends to r + 1 only; a vector of N chunks takes N - 1
 * steps for the reduction and N - 1 steps for the gathering.  Every rank knows
 * the expected result and checks it.  Level: tool.
 */
#include <stdlib.h>
#include <string.h>

#include "uetperf.h"

/* A message that arrived before earlier messages. */
struct early {
	struct early *next;
	uint64_t tag;
	size_t len;
	char data[];
};

/**
 * struct ring - a rank's part of it
 * @b: measurement
 * @v: the vector
 * @n: integers in it
 * @right: rank that is sent to
 * @left: rank that sends
 * @iteration: number of the present one
 * @early: messages that arrived early
 */
struct ring {
	struct bench *b;
	uint64_t *v;
	size_t n;
	int right, left;
	uint64_t iteration;
	struct early *early;
};

/* ----------------------------------------------------------------- vectors */

static size_t chunk_start(const struct ring *r, int chunk)
{
	return r->n * chunk / r->b->o->ranks;
}

static int chunk_of(const struct ring *r, int nr)
{
	int ranks = r->b->o->ranks;

	return ((nr % ranks) + ranks) % ranks;
}

/* The input of a rank at a place of the vector. */
static uint64_t value_of(const struct ring *r, int rank, size_t at)
{
	return (at + 1) * (rank + 1) + r->iteration + r->b->o->seed;
}

/* The sum of the inputs of all ranks. */
static uint64_t sum_of(const struct ring *r, size_t at)
{
	uint64_t n = r->b->o->ranks;

	return (at + 1) * (n * (n + 1) / 2) +
	       n * (r->iteration + r->b->o->seed);
}

static void vector_fill(struct ring *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->v[i] = value_of(r, r->b->o->rank, i);
}

/* Compare a chunk with the sums, or with the input of its rank. */
static int chunk_check(struct ring *r, int chunk, bool is_sum)
{
	size_t at, end = chunk_start(r, chunk + 1);
	uint64_t right;

	for (at = chunk_start(r, chunk); at < end; at++) {
		right = is_sum ? sum_of(r, at) : value_of(r, chunk, at);
		if (r->v[at] != right) {
			warn_user("%s: value %zu of %zu is %ju, should be %ju",
				  r->b->o->pattern->name, at, r->n,
				  (uintmax_t)r->v[at], (uintmax_t)right);
			return -1;
		}
	}
	r->b->mine.verified += (end - chunk_start(r, chunk)) * sizeof(*r->v);
	return 0;
}

/* ---------------------------------------------------------------- messages */

static void early_drop(struct ring *r)
{
	struct early *e;

	while ((e = r->early)) {
		r->early = e->next;
		free(e);
	}
}

static int early_keep(struct ring *r, const struct arrival *a)
{
	struct early *e = malloc(sizeof(*e) + a->len);

	if (!e) {
		warn_user("no memory for a message of %zu bytes", a->len);
		return -1;
	}
	e->tag = a->tag;
	e->len = a->len;
	memcpy(e->data, a->data, a->len);
	e->next = r->early;
	r->early = e;
	return 0;
}

/* Add to the chunk, or put in its place. */
static int chunk_take(struct ring *r, int chunk, bool is_sum, const void *data,
		      size_t len)
{
	size_t at = chunk_start(r, chunk), n = chunk_start(r, chunk + 1) - at;
	const uint64_t *in = data;
	size_t i;

	if (len != n * sizeof(*in)) {
		warn_user("%zu bytes from rank %d instead of %zu", len, r->left,
			  n * sizeof(*in));
		return -1;
	}
	if (!is_sum)
		memcpy(&r->v[at], in, len);
	for (i = 0; is_sum && i < n; i++)
		r->v[at + i] += in[i];
	r->b->mine.received += len;
	return 0;
}

/*
 * Look for the expected message among early ones.  Return: 1 taken, 0 no, -1
 * wrong.
 */
static int chunk_take_early(struct ring *r, int chunk, bool is_sum,
			    uint64_t tag)
{
	struct early **at, *e;
	int ret;

	for (at = &r->early; (e = *at); at = &e->next) {
		if (e->tag != tag)
			continue;
		*at = e->next;
		ret = chunk_take(r, chunk, is_sum, e->data, e->len);
		free(e);
		return ret ? ret : 1;
	}
	return 0;
}

/* Return: 1 taken, 0 not there yet, -1 failed. */
static int chunk_recv(struct ring *r, int chunk, bool is_sum, uint64_t tag,
		      bool may_wait)
{
	size_t n = chunk_start(r, chunk + 1) - chunk_start(r, chunk);
	struct arrival a = { .from = r->left, .want = n * sizeof(*r->v) };
	int ret;

	ret = chunk_take_early(r, chunk, is_sum, tag);
	if (ret)
		return ret;
	ret = r->b->net->ops->recv(r->b->net, &a, may_wait);
	if (ret <= 0)
		return ret;
	if (a.has_tag && a.tag != tag)
		return early_keep(r, &a);
	return chunk_take(r, chunk, is_sum, a.data, a.len) ? -1 : 1;
}

/* Send a chunk to the right and take the one before it from the left. */
static int ring_step(struct ring *r, int chunk, bool is_sum, uint64_t tag)
{
	int out = chunk_of(r, chunk), in = chunk_of(r, chunk - 1);
	size_t at = chunk_start(r, out), n = chunk_start(r, out + 1) - at;
	struct post post = {
		.to = r->right, .op = r->b->op, .tag = tag,
		.data = &r->v[at], .len = n * sizeof(*r->v),
	};
	const struct net_ops *ops = r->b->net->ops;
	int refused = 1, taken = 0;

	while (refused || !taken) {
		if (refused)
			refused = ops->post(r->b->net, &post);
		if (refused >= 0 && !taken)
			taken = chunk_recv(r, in, is_sum, tag, !refused);
		if (refused < 0 || taken < 0)
			return -1;
		if (refused && ops->wait(r->b->net))
			return -1;
	}
	r->b->mine.messages++;
	r->b->mine.bytes += post.len;
	return 0;
}

/* ------------------------------------------------------------- collectives */

/* Rank r has the sums of chunk r + 1 at the end. */
static int reduce(struct ring *r)
{
	int step, ranks = r->b->o->ranks;

	for (step = 0; step < ranks - 1; step++)
		if (ring_step(r, r->b->o->rank - step, true, step))
			return -1;
	return 0;
}

/* A rank that has chunk @own has all of them at the end. */
static int gather(struct ring *r, int own)
{
	int step, ranks = r->b->o->ranks;

	for (step = 0; step < ranks - 1; step++)
		if (ring_step(r, own - step, false, ranks + step))
			return -1;
	return 0;
}

static int allreduce(struct ring *r)
{
	return reduce(r) ? -1 : gather(r, r->b->o->rank + 1);
}

static int allgather(struct ring *r)
{
	return gather(r, r->b->o->rank);
}

static int allreduce_check(struct ring *r)
{
	for (int chunk = 0; chunk < r->b->o->ranks; chunk++)
		if (chunk_check(r, chunk, true))
			return -1;
	return 0;
}

static int allgather_check(struct ring *r)
{
	for (int chunk = 0; chunk < r->b->o->ranks; chunk++)
		if (chunk_check(r, chunk, false))
			return -1;
	return 0;
}

static int reducescatter_check(struct ring *r)
{
	return chunk_check(r, chunk_of(r, r->b->o->rank + 1), true);
}

/*
 * All ranks begin together, so that no rank is an iteration ahead.  Filling and
 * checking the vector is not measured.
 */
static int ring_iterate(struct ring *r, int (*collective)(struct ring *),
			int (*check)(struct ring *))
{
	uint64_t start;

	vector_fill(r);
	if (barrier(r->b->net, NULL))
		return -1;
	start = now_ns();
	if (collective(r))
		return -1;
	sample(r->b, now_ns() - start);
	progress(r->b, r->iteration);
	return check(r);
}

static int ring_run(struct bench *b, uint64_t iterations,
		    int (*collective)(struct ring *),
		    int (*check)(struct ring *))
{
	int rank = b->o->rank, ranks = b->o->ranks;
	const struct phase phase = { .is_tagged = true };
	struct ring r = {
		.b = b,
		.n = b->size / sizeof(*r.v),
		.right = (rank + 1) % ranks,
		.left = (rank + ranks - 1) % ranks,
	};
	int ret;

	r.v = malloc(r.n * sizeof(*r.v));
	if (!r.v) {
		warn_user("no memory for a vector of %u bytes", b->size);
		return -1;
	}
	ret = b->net->ops->begin(b->net, &phase);
	for (; !ret && r.iteration < iterations; r.iteration++)
		ret = ring_iterate(&r, collective, check);
	early_drop(&r);
	free(r.v);
	return ret;
}

/**
 * run_allreduce() - sums of all ranks' vectors, on all ranks
 * @b: measurement
 * @iterations: how often
 *
 * Return: 0, or -1 after printing the reason.
 */
int run_allreduce(struct bench *b, uint64_t iterations)
{
	return ring_run(b, iterations, allreduce, allreduce_check);
}

/**
 * run_allgather() - a chunk of each rank, on all ranks
 * @b: measurement
 * @iterations: how often
 *
 * Return: 0, or -1 after printing the reason.
 */
int run_allgather(struct bench *b, uint64_t iterations)
{
	return ring_run(b, iterations, allgather, allgather_check);
}

/**
 * run_reducescatter() - sums of all ranks' vectors, a chunk of them on each
 * @b: measurement
 * @iterations: how often
 *
 * Return: 0, or -1 after printing the reason.
 */
int run_reducescatter(struct bench *b, uint64_t iterations)
{
	return ring_run(b, iterations, reduce, reducescatter_check);
}
