// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns of flows: each rank sends as many operations to some others as these
 * send to it, with a window of operations in flight to each, and receives in
 * between.  With --verify, operations are grouped into rounds; after each round
 * all ranks check the received data.  Level: tool.
 */
#include <stdlib.h>
#include <string.h>

#include "uetperf.h"

/* Messages of a round: one bit per message of every sender records the arrival. */
#define ROUND_MESSAGES	65536u
/* Messages received before the next attempt to send. */
#define TAKE_AT_ONCE	64

/**
 * struct flow - to one other rank
 * @to: which
 * @posted: operations begun in this round
 */
struct flow {
	int to;
	uint64_t posted;
};

/**
 * struct round - a part of the operations
 * @b: measurement
 * @first: number of its first operation
 * @count: operations of each flow
 * @flows: those of this rank
 * @nr_flows: how many
 * @nr_senders: ranks that send messages to this one
 * @received: messages of all of them
 * @seen: with --verify, ROUND_MESSAGES bits for each rank, those that came
 */
struct round {
	struct bench *b;
	uint64_t first, count;
	struct flow flows[RANKS_MAX];
	int nr_flows, nr_senders;
	uint64_t received;
	uint8_t *seen;
};

/** is_paired() - are the two ranks an even one and the next? */
bool is_paired(int from, int to)
{
	return (from ^ 1) == to;
}

/** is_forth() - is @from the first of a pair and @to the second? */
bool is_forth(int from, int to)
{
	return is_paired(from, to) && from < to;
}

/** is_to_zero() - is it from any other rank to rank 0? */
bool is_to_zero(int from, int to)
{
	return from && !to;
}

/** is_to_all() - is it to somebody else at all? */
bool is_to_all(int from, int to)
{
	return from != to;
}

/* ----------------------------------------------------------------- sending */

/* Check whether the window permits another operation. */
static bool flow_takes(const struct round *r, const struct flow *f,
		       uint64_t posted)
{
	const struct bench *b = r->b;

	return posted < r->count && posted - b->net->done[f->to] < b->window;
}

static int flow_post(struct round *r, struct flow *f)
{
	struct bench *b = r->b;
	uint64_t seq = r->first + f->posted;
	struct post post = { .to = f->to, .op = b->op, .tag = seq };
	char head[PAYLOAD_HEAD];

	post.has_more = b->o->is_more && flow_takes(r, f, f->posted + 1);
	payload_fill(b, &post, head, seq);
	if (b->op->is_memory)
		region_place(b, &post, seq);
	return b->net->ops->post(b->net, &post);
}

/* Post as many operations as the window permits.  Return: number posted, or -1. */
static int flow_push(struct round *r, struct flow *f)
{
	struct bench *b = r->b;
	int ret, pushed = 0;

	while (flow_takes(r, f, f->posted)) {
		ret = flow_post(r, f);
		if (ret < 0)
			return -1;
		if (ret)
			break;
		f->posted++;
		pushed++;
		b->mine.messages++;
		b->mine.bytes += b->size;
	}
	return pushed;
}

static int round_push(struct round *r)
{
	int i, ret, pushed = 0;

	for (i = 0; i < r->nr_flows; i++) {
		ret = flow_push(r, &r->flows[i]);
		if (ret < 0)
			return -1;
		pushed += ret;
	}
	return pushed;
}

/* Operations of the round that are not complete, whether posted or not. */
static uint64_t round_pending(const struct round *r)
{
	uint64_t pending = 0;
	int i;

	for (i = 0; i < r->nr_flows; i++)
		pending += r->count - r->b->net->done[r->flows[i].to];
	return pending;
}

/* --------------------------------------------------------------- receiving */

/* Check that a message is new and belongs to this round. */
static bool is_new(struct round *r, int from, uint64_t seq)
{
	uint64_t nr = seq - r->first;
	uint8_t *byte, bit;

	if (nr >= r->count)
		return false;
	byte = &r->seen[(from * ROUND_MESSAGES + nr) / 8];
	bit = 1u << nr % 8;
	if (*byte & bit)
		return false;
	*byte |= bit;
	return true;
}

static int message_check(struct round *r, const struct arrival *a)
{
	struct bench *b = r->b;
	uint64_t seq = 0;
	int has_seq;

	if (a->len != b->size) {
		warn_user("a message of %zu bytes from rank %d instead of %u",
			  a->len, a->from, b->size);
		return -1;
	}
	if (!b->o->is_verified)
		return 0;
	has_seq = payload_seq(b, a->data, a->from, &seq);
	if (has_seq > 0 && a->has_tag && a->tag != seq) {
		warn_user("message %ju from rank %d has the tag of message %ju",
			  (uintmax_t)seq, a->from, (uintmax_t)a->tag);
		return -1;
	}
	if (!has_seq && a->has_tag) {
		seq = a->tag;
		has_seq = 1;
	}
	if (has_seq < 0 || !payload_is_right(b, a->data, a->from, seq)) {
		warn_user("a message of %u bytes from rank %d has wrong bytes",
			  b->size, a->from);
		return -1;
	}
	if (has_seq && !is_new(r, a->from, seq)) {
		warn_user("message %ju from rank %d has come twice, or is not expected",
			  (uintmax_t)seq, a->from);
		return -1;
	}
	b->mine.verified += b->size;
	return 0;
}

/* Return: number of messages received, or -1. */
static int round_take(struct round *r, bool may_wait)
{
	struct bench *b = r->b;
	struct arrival a;
	int ret, taken = 0;

	while (taken < TAKE_AT_ONCE && r->received < r->count * r->nr_senders) {
		a = (struct arrival){ .from = -1, .want = b->size };
		ret = b->net->ops->recv(b->net, &a, may_wait);
		if (ret < 0 || (ret && message_check(r, &a)))
			return -1;
		if (!ret)
			break;
		r->received++;
		b->mine.received += a.len;
		taken++;
	}
	return taken;
}

/* ------------------------------------------------------------------ rounds */

static void round_init(struct round *r)
{
	struct bench *b = r->b;
	const struct pattern *p = b->o->pattern;
	int rank, me = b->o->rank;

	for (rank = 0; rank < b->o->ranks; rank++) {
		if (rank == me)
			continue;
		if (p->sends(me, rank))
			r->flows[r->nr_flows++].to = rank;
		if (p->sends(rank, me) && !b->op->is_memory)
			r->nr_senders++;
	}
}

/* Poll everything once.  Return: whether there was progress, or -1. */
static int round_step(struct round *r, bool *is_done)
{
	struct bench *b = r->b;
	uint64_t pending = round_pending(r);
	int pushed = 0, taken, reaped = 0;

	*is_done = !pending && r->received == r->count * r->nr_senders;
	if (*is_done)
		return 0;
	if (pending)
		pushed = round_push(r);
	if (pushed < 0)
		return -1;
	taken = round_take(r, !pending);
	if (taken < 0)
		return -1;
	if (pending)
		reaped = b->net->ops->reap(b->net);
	if (reaped < 0)
		return -1;
	return pushed || taken || reaped;
}

/* Approximate number of completed iterations. */
static uint64_t round_done(const struct round *r)
{
	if (r->nr_flows)
		return r->first + r->flows[0].posted;
	return r->first + (r->nr_senders ? r->received / r->nr_senders : 0);
}

static int round_run(struct round *r)
{
	struct bench *b = r->b;
	const struct phase phase = {
		.is_counted = true,
		.is_matched = b->op->has_tag,
		.window = b->window,
		.expected = r->count,
	};
	bool is_done = false;
	int ret;

	if (b->net->ops->begin(b->net, &phase))
		return -1;
	while (!is_done) {
		ret = round_step(r, &is_done);
		if (ret < 0)
			return -1;
		if (!ret && !is_done && b->net->ops->wait(b->net))
			return -1;
		progress(b, round_done(r));
	}
	return 0;
}

static uint64_t round_length(const struct bench *b)
{
	if (!b->o->is_verified)
		return UINT64_MAX;
	if (b->op->is_memory && b->region.slots < ROUND_MESSAGES)
		return b->region.slots;
	return ROUND_MESSAGES;
}

/*
 * Wait until all ranks have ended the round; check memory before it changes
 * again.
 */
static int round_end(struct round *r)
{
	struct bench *b = r->b;

	if (!b->o->is_verified)
		return 0;
	if (barrier(b->net, NULL))
		return -1;
	if (!b->op->is_memory)
		return 0;
	if (region_check(b, r->first, r->count))
		return -1;
	return barrier(b->net, NULL);
}

/**
 * run_flows() - move so many operations along each flow
 * @b: measurement
 * @iterations: of each flow
 *
 * Return: 0, or -1 after printing the reason.
 */
int run_flows(struct bench *b, uint64_t iterations)
{
	const size_t seen = (size_t)b->o->ranks * ROUND_MESSAGES / 8;
	struct round r = { .b = b };
	uint64_t length = round_length(b);
	int ret = 0;

	r.seen = malloc(seen);
	if (!r.seen) {
		warn_user("no memory for %d ranks", b->o->ranks);
		return -1;
	}
	round_init(&r);
	for (; !ret && r.first < iterations; r.first += r.count) {
		r.count = iterations - r.first;
		if (r.count > length)
			r.count = length;
		r.received = 0;
		for (int i = 0; i < r.nr_flows; i++)
			r.flows[i].posted = 0;
		if (b->o->is_verified)
			memset(r.seen, 0, seen);
		ret = round_run(&r);
		if (!ret)
			ret = round_end(&r);
	}
	free(r.seen);
	return ret;
}
