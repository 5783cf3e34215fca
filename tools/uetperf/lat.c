// SPDX-License-Identifier: GPL-2.0
/*
 * The latency pattern: a message goes from rank 0 to rank 1, and a message of
 * the same length returns; a memory operation goes to rank 1, and its
 * completion returns.  Rank 0 records the time of each round trip.  Level:
 * tool.
 */
#include "uetperf.h"

static int post_now(struct bench *b, const struct post *post)
{
	int ret;

	while ((ret = b->net->ops->post(b->net, post)) > 0)
		if (b->net->ops->wait(b->net))
			return -1;
	return ret;
}

static int send_one(struct bench *b, uint64_t seq)
{
	struct post post = { .to = !b->o->rank, .op = b->op, .tag = seq };
	char head[PAYLOAD_HEAD];

	payload_fill(b, &post, head, seq);
	if (b->op->is_memory)
		region_place(b, &post, seq);
	b->mine.messages++;
	b->mine.bytes += b->size;
	return post_now(b, &post);
}

static int await_message(struct bench *b, uint64_t seq)
{
	struct arrival a = { .from = !b->o->rank, .want = b->size };

	if (b->net->ops->recv(b->net, &a, true) < 0)
		return -1;
	if (a.len != b->size || (a.has_tag && a.tag != seq) ||
	    (b->o->is_verified && !payload_is_right(b, a.data, a.from, seq))) {
		warn_user("message %ju of %zu bytes from rank %d is not as it was sent",
			  (uintmax_t)seq, a.len, a.from);
		return -1;
	}
	b->mine.received += a.len;
	if (b->o->is_verified)
		b->mine.verified += b->size;
	return 0;
}

static int await_completion(struct bench *b, uint64_t seq)
{
	const struct net_ops *ops = b->net->ops;

	while (b->net->done[1] <= seq) {
		int ret = ops->reap(b->net);

		if (ret < 0 || (!ret && ops->wait(b->net)))
			return -1;
	}
	return 0;
}

static int ping(struct bench *b, uint64_t seq)
{
	uint64_t start = now_ns();
	int ret;

	if (send_one(b, seq))
		return -1;
	ret = b->op->is_memory ? await_completion(b, seq) :
				 await_message(b, seq);
	sample(b, now_ns() - start);
	progress(b, seq);
	return ret;
}

/* With --verify, each memory operation is checked before the next. */
static int pong_memory(struct bench *b, uint64_t seq)
{
	if (!b->o->is_verified)
		return 0;
	if (barrier(b->net, NULL))
		return -1;
	if (region_check(b, seq, 1))
		return -1;
	return barrier(b->net, NULL);
}

static int pong(struct bench *b, uint64_t seq)
{
	if (b->op->is_memory)
		return 0;
	return await_message(b, seq) ? -1 : send_one(b, seq);
}

/**
 * run_latency() - so many round trips
 * @b: measurement
 * @iterations: of them
 *
 * Return: 0, or -1 after printing the reason.
 */
int run_latency(struct bench *b, uint64_t iterations)
{
	const struct phase phase = {
		.is_counted = b->op->is_memory,
		.is_matched = b->op->has_tag,
		.window = 1,
		.expected = iterations,
	};
	uint64_t i;

	if (b->net->ops->begin(b->net, &phase))
		return -1;
	for (i = 0; i < iterations; i++) {
		if (b->o->rank ? pong(b, i) : ping(b, i))
			return -1;
		if (b->op->is_memory && pong_memory(b, i))
			return -1;
	}
	return 0;
}
