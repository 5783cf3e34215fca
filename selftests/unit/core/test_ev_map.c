// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/ev.c: what a penalty is, how it is worked off, what
 * saturation does, and what mixed makes of both.  Spec: UE 1.0.1 3.6.16.
 * Level: test of core L3.
 */
#include "evtest.h"

static u32 uses_of(struct evtest *t, u16 index, u32 packets)
{
	u32 n = 0;

	while (packets--)
		n += evtest_next(t) == evtest_value(t, index);
	return n;
}

TEST(ev_map__penalty_depends_on_the_feedback)
{
	struct evtest t;

	evtest_init(&t, UET_EV_MAP, 64, 1);
	evtest_feedback(&t, evtest_value(&t, 1), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 2), UET_EV_ECN);
	evtest_feedback(&t, evtest_value(&t, 3), UET_EV_NACK);
	evtest_feedback(&t, evtest_value(&t, 4), UET_EV_TIMEOUT);
	evtest_feedback(&t, evtest_value(&t, 4), UET_EV_TIMEOUT);
	EXPECT_EQ(t.penalty[1], 0x80);
	EXPECT_EQ(t.penalty[2], 0x81);
	EXPECT_EQ(t.penalty[3], 0x84);
	EXPECT_EQ(t.penalty[4], 15);
	EXPECT_EQ(t.sel.nr_bad, 3);
}

TEST(ev_map__penalised_values_are_skipped)
{
	struct evtest t;

	evtest_init(&t, UET_EV_MAP, 64, 1);
	evtest_feedback(&t, evtest_value(&t, 9), UET_EV_NACK);
	/* One is worked off each time it would have been its turn. */
	EXPECT_EQ(uses_of(&t, 9, 63 * 4), 0);
	EXPECT_EQ(t.sel.nr_bad, 0);
	EXPECT_EQ(uses_of(&t, 9, 64 * 4), 4);
}

TEST(ev_map__forgives_only_the_first_it_meets)
{
	struct evtest t;
	u32 i, sum = 0;

	evtest_init(&t, UET_EV_MAP, 64, 1);
	for (i = 0; i < 63; i++)
		evtest_feedback(&t, evtest_value(&t, (u16)i), UET_EV_NACK);
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 63));
	for (i = 0; i < 64; i++)
		sum += t.penalty[i] & 0x7f;
	EXPECT_EQ(sum, 63 * 4 - 1);
}

TEST(ev_map__all_bad_takes_one_anyway)
{
	struct evtest t;
	u32 i, sum = 0;

	evtest_init(&t, UET_EV_MAP, 64, 1);
	for (i = 0; i < 64; i++)
		evtest_feedback(&t, evtest_value(&t, (u16)i), UET_EV_TIMEOUT);
	for (i = 0; i < 1000; i++)
		EXPECT_NE(evtest_next(&t), 0);
	for (i = 0; i < 64; i++)
		sum += t.penalty[i];
	EXPECT_LT(sum, 64 * 15);
}

TEST(ev_map__saturated_signal_says_nothing)
{
	struct evtest t;
	u32 i, bad = 0;

	evtest_init(&t, UET_EV_MAP, 64, 1);
	t.sel.cfg.bad_max = 32;
	for (i = 0; i < 33; i++)
		evtest_feedback(&t, evtest_value(&t, (u16)i), UET_EV_TIMEOUT);
	for (i = 0; i < 64; i++)
		bad += (evtest_next(&t) & 63) < 33;
	/* Used as often as the others. */
	EXPECT_EQ(bad, 33);
}

/* The lanes give it half of the values, but for a few. */
TEST(ev_map__a_dead_rail_of_two_is_left)
{
	u32 seed, i, values;
	struct evtest t;

	for (seed = 0; seed < 200; seed++) {
		values = 32 << seed % 4;
		evtest_init(&t, UET_EV_MAP, values, 1);
		t.cfg.bad_max = UET_EV_BAD_MAX(values);
		uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, seed, t.now);
		for (i = 0; i < values; i++)
			evtest_feedback(&t, evtest_value(&t, (u16)i),
					uet_ev_lane(evtest_value(&t, (u16)i)) < UET_EV_LANES / 2 ?
					UET_EV_TIMEOUT : UET_EV_GOOD);
		for (i = 0; i < values / 4; i++)
			EXPECT_GE(uet_ev_lane(evtest_next(&t)), UET_EV_LANES / 2);
	}
}

TEST(ev_map__count_of_bad_values_stays_true)
{
	struct evtest t;
	u32 i, bad;

	printf("# seed %" PRIu64 "\n", utest.seed);
	evtest_init(&t, UET_EV_MIXED, 32, 1);
	for (i = 0; i < 5000; i++) {
		evtest_feedback(&t, evtest_value(&t, utest_rand() % 32),
				utest_rand() % UET_EV_FEEDBACK_NR);
		evtest_next(&t);
		evtest_next(&t);
	}
	for (i = 0, bad = 0; i < 32; i++)
		bad += (t.penalty[i] & 0x7f) != 0;
	EXPECT_EQ(t.sel.nr_bad, bad);
}

TEST(ev_mixed__good_values_are_used_before_the_map)
{
	struct evtest t;

	evtest_init(&t, UET_EV_MIXED, 64, 1);
	evtest_feedback(&t, evtest_value(&t, 5), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 6), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 7), UET_EV_TIMEOUT);
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 5));
	EXPECT_EQ(evtest_next(&t), evtest_value(&t, 6));
	EXPECT_EQ(uses_of(&t, 7, 63), 0);
}

TEST(ev_mixed__lost_path_is_not_recycled)
{
	struct evtest t;

	evtest_init(&t, UET_EV_MIXED, 64, 1);
	t.sel.cfg.freeze_ns = 1000000;
	evtest_feedback(&t, evtest_value(&t, 5), UET_EV_GOOD);
	evtest_feedback(&t, evtest_value(&t, 5), UET_EV_TIMEOUT);
	EXPECT_TRUE(t.sel.reps.is_frozen);
	EXPECT_EQ(uses_of(&t, 5, 63), 0);
}

/* A path that loses everything gets hardly any packet. */
TEST(ev_mixed__learns_a_dead_path)
{
	struct evtest t;
	u32 i, dead = 0;
	u16 ev;

	evtest_init(&t, UET_EV_MIXED, 64, 1);
	for (i = 0; i < 64 * 100; i++) {
		ev = evtest_next(&t);
		if ((ev & 63) < 4) {
			dead++;
			evtest_feedback(&t, ev, UET_EV_TIMEOUT);
		} else {
			evtest_feedback(&t, ev,
					i % 4 ? UET_EV_GOOD : UET_EV_ECN);
		}
	}
	/* 400 if it learned nothing. */
	EXPECT_LT(dead, 30);
}
