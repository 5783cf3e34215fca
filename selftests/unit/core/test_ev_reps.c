// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/ev.c: what is used again, in which order, and what
 * freezing does and for how long.  Spec: UE 1.0.1 3.6.16.  Level: test of core L3.
 */
#include "evtest.h"

static void begin(struct evtest *t, u8 ring, u64 freeze_ns)
{
	evtest_init(t, UET_EV_REPS, 1024, 1);
	t->sel.cfg.ring = ring;
	t->sel.cfg.freeze_ns = freeze_ns;
}

TEST(ev_reps__good_values_are_recycled_oldest_first)
{
	struct evtest t;

	begin(&t, 8, 0);
	evtest_feedback(&t, evtest_value(&t, 11), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 12), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 13), UET_EV_GOOD);
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 11));
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 12));
	evtest_feedback(&t, evtest_value(&t, 14), UET_EV_GOOD);
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 13));
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 14));
	EXPECT_EQ(t.sel.reps.valid, 0);
}

TEST(ev_reps__bad_values_are_not_recycled)
{
	struct evtest t;

	begin(&t, 8, 0);
	evtest_feedback(&t, evtest_value(&t, 11), UET_EV_ECN);
	evtest_feedback(&t, evtest_value(&t, 12), UET_EV_NACK);
	evtest_feedback(&t, evtest_value(&t, 13), UET_EV_TIMEOUT);
	EXPECT_EQ(t.sel.reps.valid, 0);
}

TEST(ev_reps__full_ring_forgets_the_oldest)
{
	struct evtest t;
	u16 i;

	for (t.cfg.ring = 1; t.cfg.ring <= UET_EV_RING_MAX; t.cfg.ring *= 2) {
		u8 ring = t.cfg.ring;

		begin(&t, ring, 0);
		for (i = 0; i < ring + 5; i++)
			evtest_feedback(&t, evtest_value(&t, 100 + i), UET_EV_GOOD);
		for (i = 5; i < ring + 5; i++)
			EXPECT_EQ(evtest_next(&t), evtest_value(&t, 100 + i));
		EXPECT_EQ(t.sel.reps.valid, 0);
		t.cfg.ring = ring;
	}
}

TEST(ev_reps__is_random_when_nothing_is_known)
{
	struct evtest t;
	u32 i, same = 0;
	u16 last = 0, ev;

	begin(&t, 8, 0);
	for (i = 0; i < 100; i++) {
		ev = evtest_next(&t);
		same += ev == last;
		last = ev;
	}
	EXPECT_LT(same, 5);
}

static void freeze(struct evtest *t)
{
	u16 i;

	begin(t, 8, 5000);
	for (i = 1; i <= 3; i++)
		evtest_feedback(t, evtest_value(t, i), UET_EV_GOOD);
	evtest_feedback(t, evtest_value(t, 900), UET_EV_TIMEOUT);
}

/* Answered values are used again before those that may have a dead path. */
TEST(ev_reps__frozen_uses_answered_values)
{
	struct evtest t;
	u32 i;
	u16 ev;

	evtest_init(&t, UET_EV_REPS, 64, 1);
	for (i = 1; i <= 3; i++)
		evtest_feedback(&t, evtest_value(&t, i), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 9), UET_EV_TIMEOUT);
	EXPECT_TRUE(t.sel.reps.is_frozen);
	for (i = 0; i < 200; i++) {
		ev = uet_ev_sel_index(&t.sel, evtest_next(&t));
		EXPECT_GE(ev, 1);
		EXPECT_LE(ev, 3);
	}
}

/* New values come in the order of the walk, each once, and lost ones do not. */
TEST(ev_reps__draws_without_replacement)
{
	struct evtest t;
	u32 i, values;
	bool seen[1024] = { 0 };

	begin(&t, 8, 0);
	values = t.sel.cfg.values;
	EXPECT_LE(values, 1024);
	evtest_feedback(&t, evtest_value(&t, 9), UET_EV_TIMEOUT);
	for (i = 0; i < values - 1; i++) {
		u16 index = uet_ev_sel_index(&t.sel, evtest_next(&t));

		EXPECT_FALSE(seen[index]);
		EXPECT_NE(index, 9);
		seen[index] = true;
	}
}

TEST(ev_reps__frozen_ring_drops_lost_values)
{
	struct evtest t;
	u32 i;

	freeze(&t);
	evtest_feedback(&t, evtest_value(&t, 2), UET_EV_TIMEOUT);
	for (i = 0; i < 9; i++)
		EXPECT_NE(evtest_next(&t), evtest_value(&t, 2));
}

TEST(ev_reps__thaws_after_its_time)
{
	struct evtest t;
	u32 i;

	freeze(&t);
	t.now += 4999;
	evtest_feedback(&t, evtest_value(&t, 1), UET_EV_GOOD);
	EXPECT_TRUE(t.sel.reps.is_frozen);
	t.now += 1;
	evtest_feedback(&t, evtest_value(&t, 77), UET_EV_GOOD);
	EXPECT_FALSE(t.sel.reps.is_frozen);
	/* And forgets nothing: what it had, what it learnt, then new ones. */
	for (i = 1; i <= 3; i++)
		EXPECT_EQ(evtest_next(&t), evtest_value(&t, i));
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 1));
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 77));
	EXPECT_NE(evtest_next(&t), evtest_next(&t));
	EXPECT_EQ(t.sel.reps.count, 5);
	evtest_feedback(&t, evtest_value(&t, 900), UET_EV_TIMEOUT);
	EXPECT_TRUE(t.sel.reps.is_frozen);
}

TEST(ev_reps__never_freezes_unless_configured)
{
	struct evtest t;

	begin(&t, 8, 0);
	evtest_feedback(&t, evtest_value(&t, 1), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 9), UET_EV_TIMEOUT);
	EXPECT_FALSE(t.sel.reps.is_frozen);
}

TEST(ev_reps__frozen_empty_ring_is_random)
{
	struct evtest t;

	begin(&t, 8, 5000);
	evtest_feedback(&t, evtest_value(&t, 9), UET_EV_TIMEOUT);
	EXPECT_TRUE(t.sel.reps.is_frozen);
	EXPECT_NE(evtest_next(&t), evtest_next(&t));
}
