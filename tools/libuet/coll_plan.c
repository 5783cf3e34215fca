// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Which messages a rank sends and receives in a collective operation.  Short data go along
 * a binomial tree, with log2(size) messages one after the other.  Long data are cut into
 * pieces and go along a chain or a ring of all ranks, so that each rank sends and receives
 * them about once, and all ranks at the same time.
 *
 * A receive is posted up to AHEAD receives early.  This is safe although its memory may
 * still be in use, because its message depends on the last send from this memory.
 */
#include <stdlib.h>
#include <string.h>

#include "collective.h"

/* The number of messages of the meeting: no others have it before 2^24 pieces. */
#define MEETING		TAG_NUMBER_MAX

static uint64_t tag_of(const struct schedule *s, uint32_t rank, uint64_t number)
{
	return s->sequence | (uint64_t)rank << TAG_RANK_SHIFT | (number & TAG_NUMBER_MAX);
}

/* Space for one more element of an array that doubles.  Return: the array, or NULL. */
static void *more(struct schedule *s, void *array, size_t count, size_t size)
{
	void *longer = array;

	if (!(count & (count - 1)))
		longer = realloc(array, (count ? 2 * count : 1) * size);
	if (!longer)
		s->is_short = true;
	return longer;
}

static void add_step(struct schedule *s, const struct step *step)
{
	struct step *steps = more(s, s->steps, s->nr_steps, sizeof(*steps));

	if (!steps)
		return;
	s->steps = steps;
	steps[s->nr_steps++] = *step;
}

static void add_send(struct schedule *s, uint32_t rank, uint64_t number, const char *from,
		     size_t length)
{
	const struct step step = {
		.tag = tag_of(s, s->rank, number), .from = from, .length = length,
		.rank = rank,
	};

	add_step(s, &step);
}

/* Where the next receive gets a message that is to be combined. */
static char *next_slot(struct schedule *s)
{
	if (!s->slots)
		s->slots = malloc(AHEAD * PIECE);
	if (!s->slots)
		s->is_short = true;
	return s->slots ? s->slots + s->nr_posts % AHEAD * PIECE : NULL;
}

/* Post a receive into @to.  Return: the step that waits for it. */
static struct step add_post(struct schedule *s, uint32_t rank, uint64_t number, char *to,
			    size_t length)
{
	struct post *posts = more(s, s->posts, s->nr_posts, sizeof(*posts));

	if (posts) {
		s->posts = posts;
		posts[s->nr_posts++] = (struct post){ tag_of(s, rank, number), to, length,
						      rank };
	}
	return (struct step){ .length = length, .rank = rank, .is_take = true };
}

static void add_take(struct schedule *s, uint32_t rank, uint64_t number, char *to,
		     size_t length)
{
	const struct step step = add_post(s, rank, number, to, length);

	add_step(s, &step);
}

/* The step that receives values and combines them with those at @to. */
static struct step combine_into(struct schedule *s, uint32_t rank, uint64_t number,
				char *to, size_t length)
{
	char *slot = next_slot(s);
	struct step step = add_post(s, rank, number, slot, length);

	step.from = slot;
	step.to = to;
	return step;
}

static size_t piece(size_t length, size_t at)
{
	return length - at < PIECE ? length - at : PIECE;
}

/* Add the oldest steps that were put off, until @left of them are left. */
static void add_late(struct schedule *s, size_t left)
{
	while (s->nr_late > left) {
		add_step(s, &s->late[0]);
		memmove(s->late, s->late + 1, --s->nr_late * sizeof(*s->late));
	}
}

/**
 * struct lane - the way of blocks that are sent to one rank and received from another
 * @to: rank to which blocks go
 * @from: rank from which blocks come
 * @sent: messages sent
 * @come: messages received
 */
struct lane {
	uint32_t to, from;
	uint64_t sent, come;
};

/*
 * Send one block and receive another.  Each receive comes up to LAG messages after the
 * send beside it: the messages of one rank fit into its send buffer, so that a rank waits
 * for space only if another one is behind it, and the one that is last never does.
 */
static void exchange(struct schedule *s, struct lane *lane, const char *from, size_t length,
		     char *to, size_t length_to, bool is_combined)
{
	size_t at;

	for (at = 0; at < length || at < length_to; at += PIECE) {
		if (at < length)
			add_send(s, lane->to, lane->sent++, from + at, piece(length, at));
		if (at >= length_to)
			continue;
		add_late(s, LAG - 1);
		s->late[s->nr_late++] = is_combined ?
			combine_into(s, lane->from, lane->come++, to + at,
				     piece(length_to, at)) :
			add_post(s, lane->from, lane->come++, to + at, piece(length_to, at));
	}
}

/* The neighbours in the ring of all ranks. */
static struct lane ring_of(const struct schedule *s)
{
	return (struct lane){ .to = (s->rank + 1) % s->size,
			      .from = (s->rank + s->size - 1) % s->size };
}

/* The rank @steps behind the root. */
static uint32_t behind(const struct schedule *s, uint32_t steps)
{
	return (s->call.root + steps) % s->size;
}

/* How many steps this rank is behind the root. */
static uint32_t distance(const struct schedule *s)
{
	return (s->rank + s->size - s->call.root) % s->size;
}

/*
 * In round k each rank sends to the rank 2^k behind it, and waits for that of the rank 2^k
 * before it: after log2(size) rounds each rank knows that all have come.
 */
static void plan_rounds(struct schedule *s, uint64_t number)
{
	uint64_t step;

	for (step = 1; step < s->size; step *= 2) {
		add_send(s, (s->rank + step) % s->size, number, NULL, 0);
		add_take(s, (s->rank + s->size - step) % s->size, number, NULL, 0);
	}
}

void libuet_plan_meeting(struct schedule *s)
{
	plan_rounds(s, MEETING);
	s->meeting = s->nr_steps;
}

void libuet_plan_barrier(struct schedule *s)
{
	if (!s->meeting)
		plan_rounds(s, 0);
}

static void tree_broadcast(struct schedule *s, char *buf, size_t length)
{
	uint32_t me = distance(s);
	uint64_t bit = 1;

	while (bit < s->size && !(me & bit))
		bit *= 2;
	if (me)
		add_take(s, behind(s, me - bit), 1, buf, length);
	for (bit /= 2; bit; bit /= 2)
		if (me + bit < s->size)
			add_send(s, behind(s, me + bit), 1, buf, length);
}

static void chain_broadcast(struct schedule *s, char *buf, size_t length)
{
	uint32_t me = distance(s);
	size_t at;

	for (at = 0; at < length; at += PIECE) {
		if (me)
			add_take(s, behind(s, me - 1), at / PIECE, buf + at,
				 piece(length, at));
		if (me + 1 < s->size)
			add_send(s, behind(s, me + 1), at / PIECE, buf + at,
				 piece(length, at));
	}
}

void libuet_plan_broadcast(struct schedule *s)
{
	if (s->call.length > TREE_MAX)
		chain_broadcast(s, s->call.to, s->call.length);
	else
		tree_broadcast(s, s->call.to, s->call.length);
}

/* @values: those of this rank; at the root they become the result */
static void tree_reduce(struct schedule *s, char *values, size_t length)
{
	uint32_t me = distance(s);
	struct step step;
	uint64_t bit;

	for (bit = 1; bit < s->size && !(me & bit); bit *= 2) {
		if (me + bit >= s->size)
			continue;
		step = combine_into(s, behind(s, me + bit), 0, values, length);
		add_step(s, &step);
	}
	if (me)
		add_send(s, behind(s, me - bit), 0, values, length);
}

/* Each rank combines the piece of the rank behind the root, or before it, with its own. */
static void chain_reduce(struct schedule *s)
{
	uint32_t me = distance(s), before = behind(s, (me ? me : s->size) - 1);
	const char *from = s->call.from, *values;
	struct step step;
	size_t at, length;

	for (at = 0; at < s->call.length; at += PIECE) {
		length = piece(s->call.length, at);
		values = from + at;
		if (me != 1) {
			step = combine_into(s, before, at / PIECE, NULL, length);
			values = step.from;
			step.to = me ? (char *)values : s->call.to + at;
			step.from = me ? from + at : values;
			add_step(s, &step);
		}
		if (me)
			add_send(s, behind(s, me + 1), at / PIECE, values, length);
	}
}

static void copy(char *to, const char *from, size_t length)
{
	if (to != from)
		memmove(to, from, length);
}

/* A copy of what this rank contributes, which does not change. */
static char *own_copy(struct schedule *s, size_t length)
{
	s->own = malloc(length);
	if (!s->own)
		s->is_short = true;
	else
		copy(s->own, s->call.from, length);
	return s->own;
}

void libuet_plan_reduce(struct schedule *s)
{
	size_t length = s->call.length;
	char *values = s->call.to;

	if (s->rank == s->call.root)
		copy(values, s->call.from, length);
	if (s->size == 1)
		return;
	if (length > TREE_MAX) {
		chain_reduce(s);
		return;
	}
	if (s->rank != s->call.root)
		values = own_copy(s, length);
	if (values)
		tree_reduce(s, values, length);
}

/* The first byte of the block of a rank, if all values are divided among the ranks. */
static size_t share(const struct schedule *s, uint32_t rank)
{
	size_t value = libuet_type_size(s->call.type), n = s->call.length / value;

	return value * (n / s->size * rank + (rank < n % s->size ? rank : n % s->size));
}

/*
 * In size - 1 steps each block goes round and is combined with that of each rank; in
 * further size - 1 steps the results go round.
 */
static void ring_allreduce(struct schedule *s)
{
	struct lane ring = ring_of(s);
	uint32_t step, out, in;
	char *to = s->call.to;

	for (step = 0; step < 2 * (s->size - 1); step++) {
		out = (s->rank + 2 * s->size - step) % s->size;
		in = (out + s->size - 1) % s->size;
		exchange(s, &ring, to + share(s, out), share(s, out + 1) - share(s, out),
			 to + share(s, in), share(s, in + 1) - share(s, in),
			 step < s->size - 1);
		add_late(s, 0);
	}
}

void libuet_plan_allreduce(struct schedule *s)
{
	copy(s->call.to, s->call.from, s->call.length);
	if (s->call.length > TREE_MAX) {
		ring_allreduce(s);
		return;
	}
	tree_reduce(s, s->call.to, s->call.length);
	tree_broadcast(s, s->call.to, s->call.length);
}

/* Each rank gathers the blocks of the ranks below it, which are neighbours. */
static void tree_gather(struct schedule *s)
{
	uint32_t me = s->rank, left = s->size - me;
	size_t length = s->call.length;
	uint64_t bit, count;

	for (bit = 1; bit < s->size && !(me & bit); bit *= 2) {
		if (me + bit >= s->size)
			continue;
		count = left - bit < bit ? left - bit : bit;
		add_take(s, me + bit, 0, s->call.to + (me + bit) * length, count * length);
	}
	if (me)
		add_send(s, me - bit, 0, s->call.to + me * length,
			 (left < bit ? left : bit) * length);
}

void libuet_plan_allgather(struct schedule *s)
{
	size_t length = s->call.length;
	struct lane ring = ring_of(s);
	uint32_t step, out, in;
	char *to = s->call.to;

	copy(to + s->rank * length, s->call.from, length);
	if (length * s->size <= TREE_MAX) {
		tree_gather(s);
		tree_broadcast(s, to, length * s->size);
		return;
	}
	for (step = 0; step < s->size - 1; step++) {
		out = (s->rank + s->size - step) % s->size;
		in = (out + s->size - 1) % s->size;
		exchange(s, &ring, to + out * length, length, to + in * length, length,
			 false);
		add_late(s, 0);
	}
}

void libuet_plan_alltoall(struct schedule *s)
{
	size_t length = s->call.length;
	const char *from = s->call.from;
	char *to = s->call.to;
	struct lane lane;
	uint32_t step;

	if (from == to && s->size > 1)
		from = own_copy(s, length * s->size);
	if (!from)
		return;
	copy(to + s->rank * length, from + s->rank * length, length);
	for (step = 1; step < s->size; step++) {
		lane = (struct lane){ .to = (s->rank + step) % s->size,
				      .from = (s->rank + s->size - step) % s->size };
		exchange(s, &lane, from + lane.to * length, length,
			 to + lane.from * length, length, false);
	}
	add_late(s, 0);
}

void libuet_plan_free(struct schedule *s)
{
	free(s->posts);
	free(s->steps);
	free(s->own);
	free(s->slots);
}
