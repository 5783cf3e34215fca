// SPDX-License-Identifier: GPL-2.0
/*
 * The collective operations of libuet without sockets: all ranks of a job execute their
 * schedules in one process, in random order.  A message is in memory as soon as its receive
 * is posted, and a rank that has sent too many others waits.  Each result is compared with
 * one that is calculated locally.  Level: test.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "utest.h"

#define RANKS	17
#define SPACE	LAG	/* messages of a rank that have not arrived, at most */

/**
 * struct message - a message on its way
 * @next: later one
 * @step: that has sent it
 * @from: rank that has sent it
 * @bytes: payload
 */
struct message {
	struct message *next;
	const struct step *step;
	uint32_t from;
	char *bytes;
};

static struct schedule ranks[RANKS];
static char *from[RANKS], *to[RANKS];
static uint32_t nr_sent[RANKS];
static struct message *messages;
static uint32_t size;

static bool arrives(struct schedule *s, const struct message *m)
{
	size_t i;

	for (i = s->taken; i < s->posted; i++) {
		if (s->has_come[i % AHEAD] || s->posts[i].tag != m->step->tag)
			continue;
		EXPECT_EQ(s->posts[i].length, m->step->length);
		EXPECT_EQ(s->posts[i].rank, m->from);
		if (m->step->length)
			memcpy(s->posts[i].to, m->bytes, m->step->length);
		s->has_come[i % AHEAD] = true;
		return true;
	}
	return false;
}

/* Move messages to the receives that are posted. */
static void deliver(void)
{
	struct message **at = &messages, *m;

	while ((m = *at)) {
		if (!arrives(&ranks[m->step->rank], m)) {
			at = &m->next;
			continue;
		}
		nr_sent[m->from]--;
		*at = m->next;
		free(m->bytes);
		free(m);
	}
}

static void transmit(struct schedule *s, const struct step *step)
{
	struct message **at = &messages, *m = calloc(1, sizeof(*m));

	m->step = step;
	m->from = s->rank;
	m->bytes = malloc(step->length + 1);
	if (step->length)
		memcpy(m->bytes, step->from, step->length);
	while (*at)
		at = &(*at)->next;
	*at = m;
	nr_sent[s->rank]++;
}

/* One step of a rank.  Return: whether it has gone on. */
static bool advance(struct schedule *s)
{
	const struct step *step = &s->steps[s->at];

	for (; s->posted < s->nr_posts && s->posted < s->taken + AHEAD; s->posted++)
		s->has_come[s->posted % AHEAD] = false;
	deliver();
	if (s->at == s->nr_steps)
		return false;
	if (!step->is_take && nr_sent[s->rank] == SPACE)
		return false;
	if (!step->is_take) {
		transmit(s, step);
	} else {
		if (!s->has_come[s->taken % AHEAD])
			return false;
		if (step->to)
			libuet_combine(s->call.type, s->call.op, step->to, step->from,
				       step->length);
		s->taken++;
	}
	s->at++;
	return true;
}

static void execute(void)
{
	uint32_t i, idle = 0, random = size;

	while (idle < size) {
		random = random * 1664525 + 1013904223;
		i = (random >> 16) % size;
		if (advance(&ranks[i])) {
			idle = 0;
			continue;
		}
		for (idle = 0; idle < size && !advance(&ranks[idle]); idle++)
			;
	}
	for (i = 0; i < size; i++) {
		EXPECT_EQ(ranks[i].at, ranks[i].nr_steps);
		EXPECT_EQ(ranks[i].taken, ranks[i].nr_posts);
		EXPECT_FALSE(ranks[i].is_short);
		libuet_plan_free(&ranks[i]);
	}
	EXPECT_NULL(messages);
}

/* Plan the call for a rank; @call has no memory yet. */
static void plan(uint32_t rank, struct call call)
{
	struct schedule *s = &ranks[rank];

	*s = (struct schedule){ .call = call, .rank = rank, .size = size };
	s->call.from = from[rank];
	s->call.to = to[rank];
	libuet_plan_meeting(s);
	call.plan(s);
}

/* Memory of each rank: numbers that tell rank and place; @is_in_place: one for both */
static void prepare(size_t length, size_t length_to, bool is_in_place)
{
	uint32_t i, k;

	for (i = 0; i < size; i++) {
		from[i] = malloc(length + 1);
		to[i] = is_in_place ? from[i] : calloc(1, length_to + 1);
		for (k = 0; k < length / sizeof(k); k++)
			memcpy(from[i] + k * sizeof(k), &(uint32_t){ k * 31 + i * 7 + 1 },
			       sizeof(k));
	}
}

static void clean(void)
{
	uint32_t i;

	for (i = 0; i < size; i++) {
		if (to[i] != from[i])
			free(to[i]);
		free(from[i]);
	}
}

/* The value at place @k of what a rank contributes. */
static uint32_t value(uint32_t rank, size_t k)
{
	return k * 31 + rank * 7 + 1;
}

static uint32_t at(const char *memory, size_t k)
{
	uint32_t v;

	memcpy(&v, memory + k * sizeof(v), sizeof(v));
	return v;
}

/* Values in a block: none, few, a tree, a ring whose blocks differ, many pieces. */
static const size_t counts[] = {
	1, 3, 1000, TREE_MAX / 4, TREE_MAX / 4 + 1, PIECE / 4 + 5, 12 * PIECE / 4 + 7,
};

#define FOR_COUNTS(n)	for (n = counts; n < counts + sizeof(counts) / sizeof(*counts); n++)
#define FOR_SIZES(last)	for (size = 1; size <= (last); size++)
/* Many pieces with few ranks only. */
#define SIZES(count)	((count) > PIECE ? 3 : (count) > TREE_MAX ? 5 : RANKS)

static void broadcast(size_t count, uint32_t root)
{
	const struct call call = {
		.plan = libuet_plan_broadcast, .length = 4 * count, .root = root,
	};
	uint32_t i, wrong = 0;
	size_t k;

	prepare(4 * count, 0, true);
	for (i = 0; i < size; i++)
		plan(i, call);
	execute();
	for (i = 0; i < size; i++)
		for (k = 0; k < count; k++)
			wrong += at(to[i], k) != value(root, k);
	EXPECT_EQ(wrong, 0);
	clean();
}

TEST(broadcast__all_have_the_bytes_of_the_root)
{
	const size_t *n;

	FOR_COUNTS(n) {
		FOR_SIZES(SIZES(*n)) {
			broadcast(*n, 0);
			broadcast(*n, size - 1);
			broadcast(*n, size / 2);
		}
	}
}

static uint32_t sum(size_t k)
{
	uint32_t i, total = 0;

	for (i = 0; i < size; i++)
		total += value(i, k);
	return total;
}

/* @root: rank with the result; @size: all */
static void reduce(size_t count, uint32_t root, bool is_in_place)
{
	const struct call call = {
		.plan = root == size ? libuet_plan_allreduce : libuet_plan_reduce,
		.length = 4 * count, .type = UET_DT_UINT32, .op = UET_AMO_SUM,
		.root = root == size ? 0 : root,
	};
	uint32_t i, wrong = 0;
	size_t k;

	prepare(4 * count, 4 * count, is_in_place);
	for (i = 0; i < size; i++)
		plan(i, call);
	execute();
	for (i = 0; i < size; i++)
		for (k = 0; k < count; k++)
			wrong += root == size || root == i ? at(to[i], k) != sum(k) :
				 at(from[i], k) != value(i, k);
	EXPECT_EQ(wrong, 0);
	clean();
}

TEST(reduce__the_root_has_the_sums)
{
	const size_t *n;

	FOR_COUNTS(n) {
		FOR_SIZES(SIZES(*n)) {
			reduce(*n, 0, false);
			reduce(*n, size - 1, true);
			reduce(*n, size / 2, false);
		}
	}
}

TEST(allreduce__all_have_the_sums)
{
	const size_t *n;

	FOR_COUNTS(n) {
		FOR_SIZES(SIZES(*n)) {
			reduce(*n, size, false);
			reduce(*n, size, true);
		}
	}
}

static void allgather(size_t count, bool is_in_place)
{
	const struct call call = { .plan = libuet_plan_allgather, .length = 4 * count };
	uint32_t i, rank, wrong = 0;
	size_t k;

	prepare(4 * count, 4 * count * size, false);
	for (i = 0; i < size; i++) {
		if (is_in_place) {
			memcpy(to[i] + i * 4 * count, from[i], 4 * count);
			free(from[i]);
			from[i] = to[i] + i * 4 * count;
		}
		plan(i, call);
	}
	execute();
	for (i = 0; i < size; i++)
		for (rank = 0; rank < size; rank++)
			for (k = 0; k < count; k++)
				wrong += at(to[i], rank * count + k) != value(rank, k);
	EXPECT_EQ(wrong, 0);
	for (i = 0; is_in_place && i < size; i++)
		from[i] = NULL;
	clean();
}

TEST(allgather__all_have_the_blocks_of_all)
{
	const size_t *n;

	FOR_COUNTS(n) {
		FOR_SIZES(SIZES(*n)) {
			allgather(*n, false);
			allgather(*n, true);
		}
	}
}

static void alltoall(size_t count, bool is_in_place)
{
	const struct call call = { .plan = libuet_plan_alltoall, .length = 4 * count };
	uint32_t i, rank, wrong = 0;
	size_t k;

	prepare(4 * count * size, 4 * count * size, is_in_place);
	for (i = 0; i < size; i++)
		plan(i, call);
	execute();
	for (i = 0; i < size; i++)
		for (rank = 0; rank < size; rank++)
			for (k = 0; k < count; k++)
				wrong += at(to[i], rank * count + k) !=
					 value(rank, i * count + k);
	EXPECT_EQ(wrong, 0);
	clean();
}

TEST(alltoall__each_has_its_blocks_of_all)
{
	const size_t *n;

	FOR_COUNTS(n) {
		FOR_SIZES(SIZES(*n)) {
			alltoall(*n, false);
			alltoall(*n, true);
		}
	}
}

/* No rank leaves a barrier before the last one has come. */
TEST(barrier__waits_for_each_rank)
{
	const struct call call = { .plan = libuet_plan_barrier };
	uint32_t last, i, left;

	FOR_SIZES(RANKS) {
		for (last = 0; last < size && size > 1; last++) {
			for (i = 0; i < size; i++)
				plan(i, call);
			for (left = 1; left;)
				for (i = left = 0; i < size; i++)
					left += i != last && advance(&ranks[i]);
			for (i = 0; i < size; i++)
				EXPECT_NE(ranks[i].at, ranks[i].nr_steps);
			execute();
		}
	}
}

#define COMBINES(type, dt, op, a, b, result)	do {				\
	type _a = (a), _b = (b);						\
										\
	EXPECT_TRUE(libuet_op_fits(dt, op));					\
	EXPECT_EQ(libuet_type_size(dt), sizeof(type));				\
	libuet_combine(dt, op, &_a, &_b, sizeof(_a));				\
	EXPECT_TRUE(_a == (type)(result));					\
} while (0)

#define COMBINES_INTEGERS(type, dt)	do {					\
	COMBINES(type, dt, UET_AMO_MIN, 5, 3, 3);				\
	COMBINES(type, dt, UET_AMO_MAX, 5, 3, 5);				\
	COMBINES(type, dt, UET_AMO_MIN, -1, 1, (type)-1 > 1 ? 1 : -1);		\
	COMBINES(type, dt, UET_AMO_SUM, -2, 1, -1);				\
	COMBINES(type, dt, UET_AMO_PROD, -3, 7, -21);				\
	COMBINES(type, dt, UET_AMO_LOR, 0, 4, 1);				\
	COMBINES(type, dt, UET_AMO_LAND, 0, 4, 0);				\
	COMBINES(type, dt, UET_AMO_LXOR, 2, 4, 0);				\
	COMBINES(type, dt, UET_AMO_BOR, 3, 6, 7);				\
	COMBINES(type, dt, UET_AMO_BAND, 3, 6, 2);				\
	COMBINES(type, dt, UET_AMO_BXOR, 3, 6, 5);				\
} while (0)

#define COMBINES_FLOATS(type, dt)	do {					\
	COMBINES(type, dt, UET_AMO_MIN, -1.5, 1, -1.5);				\
	COMBINES(type, dt, UET_AMO_MAX, -1.5, 1, 1);				\
	COMBINES(type, dt, UET_AMO_SUM, 0.25, 0.5, 0.75);			\
	COMBINES(type, dt, UET_AMO_PROD, 0.25, 0.5, 0.125);			\
	COMBINES(type, dt, UET_AMO_LOR, 0, 0, 0);				\
	COMBINES(type, dt, UET_AMO_LAND, 0.5, 2, 1);				\
	COMBINES(type, dt, UET_AMO_LXOR, 0, 0.5, 1);				\
	EXPECT_FALSE(libuet_op_fits(dt, UET_AMO_BOR));				\
	EXPECT_FALSE(libuet_op_fits(dt, UET_AMO_BAND));				\
	EXPECT_FALSE(libuet_op_fits(dt, UET_AMO_BXOR));				\
} while (0)

TEST(combine__has_all_types_and_operations)
{
	COMBINES_INTEGERS(int8_t, UET_DT_INT8);
	COMBINES_INTEGERS(uint8_t, UET_DT_UINT8);
	COMBINES_INTEGERS(int16_t, UET_DT_INT16);
	COMBINES_INTEGERS(uint16_t, UET_DT_UINT16);
	COMBINES_INTEGERS(int32_t, UET_DT_INT32);
	COMBINES_INTEGERS(uint32_t, UET_DT_UINT32);
	COMBINES_INTEGERS(int64_t, UET_DT_INT64);
	COMBINES_INTEGERS(uint64_t, UET_DT_UINT64);
	COMBINES_FLOATS(float, UET_DT_FLOAT);
	COMBINES_FLOATS(double, UET_DT_DOUBLE);
	EXPECT_EQ(libuet_type_size(UET_DT_BF16), 0);
	EXPECT_EQ(libuet_type_size(9), 0);
	EXPECT_FALSE(libuet_op_fits(UET_DT_INT32, UET_AMO_DIFF));
}

/* A call with an argument that is refused. */
#define REFUSES(call, reason)	do {						\
	errno = 0;								\
	EXPECT_EQ(call, -1);							\
	EXPECT_EQ(errno, EINVAL);						\
	EXPECT_STREQ(uet_strerror(&u), reason);					\
} while (0)

TEST(calls__refuse_arguments_by_name)
{
	struct uet u = { .fd = -1, .control = -1, .size = 1 };
	uint32_t value[2] = { 7, 8 }, result[2];

	REFUSES(uet_broadcast(&u, value, 8, 1, 0),
		"uet_broadcast: root 1 is not below the size 1");
	REFUSES(uet_broadcast(&u, NULL, 8, 0, 0), "uet_broadcast: 'from' is NULL");
	REFUSES(uet_allgather(&u, value, NULL, 8, 0), "uet_allgather: 'to' is NULL");
	REFUSES(uet_alltoall(&u, value, result, SIZE_MAX, 0),
		"uet_alltoall: a length of 18446744073709551615 bytes is too large");
	REFUSES(uet_reduce(&u, value, result, 2, UET_DT_FP16, UET_AMO_SUM, 0, 0),
		"uet_reduce: type 17 is not an integer, float or double");
	REFUSES(uet_allreduce(&u, value, result, 2, UET_DT_FLOAT, UET_AMO_BOR, 0),
		"uet_allreduce: type 10 has no op 7");
	REFUSES(uet_allreduce(&u, value, (char *)result + 1, 1, UET_DT_FLOAT, UET_AMO_SUM, 0),
		"uet_allreduce: values of 4 bytes are not aligned");
	REFUSES(uet_allreduce(&u, value, result, SIZE_MAX, UET_DT_FLOAT, UET_AMO_SUM, 0),
		"uet_allreduce: a count of 18446744073709551615 is too large");
	EXPECT_EQ(uet_allreduce(&u, value, result, 2, UET_DT_UINT32, UET_AMO_SUM, 0), 0);
	EXPECT_EQ(result[1], 8);
	EXPECT_EQ(uet_allreduce(&u, (char *)value + 1, (char *)value + 1, 0, UET_DT_UINT32,
				UET_AMO_SUM, 0), 0);
	EXPECT_EQ(uet_broadcast(&u, NULL, 0, 0, 0), 0);
	EXPECT_EQ(uet_alltoall(&u, NULL, NULL, 0, 0), 0);
}
