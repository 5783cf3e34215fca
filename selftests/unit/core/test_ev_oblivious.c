// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/ev.c: every value once per round, in another
 * order each time, whatever is reported.  Spec: UE 1.0.1 3.6.16.
 * Level: test of core L3.
 */
#include "evtest.h"

TEST(ev_oblivious__takes_every_value_once_per_round)
{
	struct evtest t;
	u32 hits[128], round, i;

	evtest_init(&t, UET_EV_OBLIVIOUS, 128, 1);
	for (round = 0; round < 10; round++) {
		memset(hits, 0, sizeof(hits));
		for (i = 0; i < 128; i++)
			hits[evtest_next(&t) % 128]++;
		for (i = 0; i < 128; i++)
			EXPECT_EQ(hits[i], 1);
	}
}

TEST(ev_oblivious__orders_differ)
{
	struct evtest t;
	u16 first[64];
	u32 i, same = 0;

	evtest_init(&t, UET_EV_OBLIVIOUS, 64, 1);
	for (i = 0; i < 64; i++)
		first[i] = evtest_next(&t);
	for (i = 0; i < 64; i++)
		same += first[i] == evtest_next(&t);
	EXPECT_LT(same, 64);
}

TEST(ev_oblivious__feedback_changes_nothing)
{
	struct evtest a, b;
	u32 i;

	evtest_init(&a, UET_EV_OBLIVIOUS, 64, 1);
	evtest_init(&b, UET_EV_OBLIVIOUS, 64, 1);
	for (i = 0; i < 300; i++) {
		u16 ev = evtest_next(&a);

		EXPECT_EQ(ev, evtest_next(&b));
		evtest_feedback(&a, ev, i % UET_EV_FEEDBACK_NR);
	}
}

TEST(ev_oblivious__a_single_value_repeats)
{
	struct evtest t;

	evtest_init(&t, UET_EV_OBLIVIOUS, 1, 1);
	EXPECT_EQ(evtest_next(&t), evtest_next(&t));
}
