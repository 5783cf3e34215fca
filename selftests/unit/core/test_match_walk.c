// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/ses/match.c: walks through the messages, the length of their
 * steps, what comes and goes meanwhile, and the growth of the hash table.
 * Spec: uet-wire 3.14.  Level: test of core L5.
 */
#include "matchtest.h"

/* A walk that messages join and leave, also those that it has just passed. */
static void walk_among(struct uet_match *m, struct uet_match_msg *msg, u32 nr)
{
	u32 i, next = nr / 2;

	uet_match_init(m, utest_rand());
	for (i = 0; i < next; i++)
		arrive(m, &msg[i], i % 3, 10);
	uet_match_index_begin(m, 0);
	for (i = 0; i < nr / 2; i += 2 * UET_MATCH_BATCH) {
		grow(m);
		EXPECT_TRUE(!uet_match_index(m));
		EXPECT_EQ(m->nr_indexed, 0);
		uet_match_del_msg(m, list_entry(m->walk, struct uet_match_msg, link));
		uet_match_del_msg(m, list_entry(m->walk->next, struct uet_match_msg, link));
		arrive(m, &msg[next], next % 3, 10);
		next++;
	}
	do
		grow(m);
	while (!uet_match_index(m));
	for (; next < nr; next++)
		arrive(m, &msg[next], next % 3, 10);
}

TEST(match_index__order_of_arrival_is_kept_while_messages_come_and_go)
{
	struct uet_match_msg *msg = calloc(MANY, sizeof(*msg)), *found;
	struct uet_match_recv r;
	struct uet_match m;
	u32 i, nr_found = 0, nr_left = 0;

	if (!msg)
		abort();
	walk_among(&m, msg, MANY);
	EXPECT_EQ(m.nr_indexed, 1);
	for (i = 0; i < MANY; i++) {
		if (list_empty(&msg[i].link))
			continue;
		nr_left++;
		r = tagged(i % 3, i % 2 ? 0 : 1ULL << 40, 10, i % 5 == 0);
		found = seek(&m, &r);
		EXPECT_TRUE(found == &msg[i]);
		nr_found += !!found;
		uet_match_del_msg(&m, &msg[i]);
	}
	EXPECT_EQ(nr_found, nr_left);
	EXPECT_TRUE(nr_left > MANY / 2 && nr_left < MANY);
	EXPECT_EQ(m.nr_nodes + m.nr_keys, 0);
	fini(&m);
	free(msg);
}

/* The most steps of one call. */
static u64 longest_index(struct uet_match *m, u64 ignore)
{
	u64 most = 0, before;

	EXPECT_TRUE(uet_match_must_index(m, ignore));
	while (uet_match_must_index(m, ignore)) {
		uet_match_index_begin(m, ignore);
		do {
			grow(m);
			before = m->steps;
			if (uet_match_index(m))
				break;
			most = max(most, m->steps - before);
		} while (true);
	}
	return most;
}

TEST(match_index__no_call_takes_long)
{
	struct uet_match_msg *msg = calloc(MANY, sizeof(*msg)), *found;
	struct uet_match_recv wild = tagged(77, 0x100000, 10, true);
	struct uet_match m;
	u64 ignore, before;
	u32 i, nr = 1;

	if (!msg)
		abort();
	uet_match_init(&m, utest_rand());
	for (i = 0; i < MANY; i++)
		arrive(&m, &msg[i], i << 20, 10);
	EXPECT_EQ(m.steps, 0);
	for (ignore = 0; ignore < UET_MATCH_INDEXES; ignore++)
		EXPECT_LE(longest_index(&m, ignore), 12 * UET_MATCH_BATCH);
	EXPECT_LE(m.nr_keys, m.nr_buckets / 2 + UET_MATCH_BUCKETS);

	/* Other ignore bits compare a batch at a time. */
	EXPECT_TRUE(uet_match_is_scan(&m, wild.ignore));
	EXPECT_TRUE(!uet_match_must_index(&m, wild.ignore));
	uet_match_walk(&m);
	for (before = m.steps; !uet_match_find_msg(&m, &wild, &found); nr++) {
		EXPECT_LE(m.steps - before, UET_MATCH_BATCH);
		before = m.steps;
	}
	EXPECT_EQ(nr, MANY / UET_MATCH_BATCH + 1);
	EXPECT_TRUE(!found);
	for (i = 0; i < MANY; i++)
		uet_match_del_msg(&m, &msg[i]);
	EXPECT_EQ(m.nr_nodes + m.nr_keys, 0);
	fini(&m);
	free(msg);
}

/* A message that a reader holds, and returns behind the back of the comparison. */
TEST(match_release_msg__comparing_receive_finds_what_it_had_passed)
{
	struct uet_match_recv wild = tagged(0, 0x100, 10, true);
	struct uet_match_msg msg[UET_MATCH_BATCH + 1], *found;
	struct uet_match m;
	u64 ignore;
	u32 i;

	init(&m);
	for (ignore = 0; ignore < UET_MATCH_INDEXES; ignore++)
		prepare(&m, ignore);
	for (i = 0; i <= UET_MATCH_BATCH; i++)
		arrive(&m, &msg[i], i << 16, 10);
	msg[0].is_held = true;
	uet_match_walk(&m);
	EXPECT_TRUE(!uet_match_find_msg(&m, &wild, &found));
	uet_match_release_msg(&m, &msg[0]);
	EXPECT_TRUE(uet_match_find_msg(&m, &wild, &found));
	EXPECT_TRUE(found == &msg[0]);
	for (i = 0; i <= UET_MATCH_BATCH; i++)
		uet_match_del_msg(&m, &msg[i]);
	fini(&m);
}

/* Even far more keys than buckets need no more blocks than there can be. */
TEST(match_wants_block__table_grows_up_to_its_maximum)
{
	struct uet_match m;

	uet_match_init(&m, 1);
	EXPECT_TRUE(uet_match_wants_block(&m));
	EXPECT_TRUE(!m.blocks);
	grow(&m);
	EXPECT_EQ(m.nr_buckets, UET_MATCH_BUCKETS);
	m.nr_keys = m.nr_buckets;
	EXPECT_TRUE(uet_match_wants_block(&m));
	m.nr_keys = U32_MAX / 2;
	grow(&m);
	EXPECT_EQ(m.nr_blocks, UET_MATCH_BLOCKS);
	EXPECT_TRUE(!m.blocks[UET_MATCH_BLOCKS]);
	m.nr_keys = 0;
	fini(&m);
}
