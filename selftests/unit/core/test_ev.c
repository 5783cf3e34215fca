// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/ev.c: repeatable, never 0, spread or steady.
 * Spec: UE 1.0.1 3.6.16.  Level: test of core L3.
 */
#include "utest.h"
#include "core/cms/ev.h"

TEST(ev_init__zero_seed_works)
{
	struct uet_ev ev;

	uet_ev_init(&ev, 0, true);

	EXPECT_NE(uet_ev_next(&ev), uet_ev_next(&ev));
}

TEST(ev_next__same_seed_gives_same_values)
{
	struct uet_ev a, b;
	int i;

	uet_ev_init(&a, 1234, true);
	uet_ev_init(&b, 1234, true);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(uet_ev_next(&a), uet_ev_next(&b));
}

TEST(ev_next__is_never_zero)
{
	struct uet_ev ev;
	u32 i, zeros = 0;

	uet_ev_init(&ev, 42, true);
	for (i = 0; i < 200000; i++)
		zeros += !uet_ev_next(&ev);

	EXPECT_EQ(zeros, 0);
}

/* Every one of 16 paths gets its share, within a third. */
TEST(ev_next__spreads_over_paths)
{
	u32 hits[16] = { 0 };
	struct uet_ev ev;
	u32 i;

	uet_ev_init(&ev, 99, true);
	for (i = 0; i < 16000; i++)
		hits[uet_ev_next(&ev) % 16]++;

	for (i = 0; i < 16; i++) {
		EXPECT_GT(hits[i], 667);
		EXPECT_LT(hits[i], 1333);
	}
}

TEST(ev_next__is_steady_until_rerouted)
{
	struct uet_ev ev;
	u16 first;

	uet_ev_init(&ev, 5, false);
	first = uet_ev_next(&ev);
	EXPECT_EQ(uet_ev_next(&ev), first);

	uet_ev_reroute(&ev);

	EXPECT_NE(uet_ev_next(&ev), first);
	EXPECT_EQ(uet_ev_next(&ev), ev.last);
}

TEST(ev_lane__all_lanes_have_the_same_number_of_values)
{
	u32 nr[UET_EV_LANES] = { 0 }, i;

	for (i = 0; i < 65536; i++)
		nr[uet_ev_lane(i)]++;
	for (i = 0; i < UET_EV_LANES; i++)
		EXPECT_EQ(nr[i], 256);
}

TEST(ev_lane__steps_visit_each_part_of_the_lanes)
{
	u32 first, lanes, i;
	u16 ev;

	for (first = 0; first < 65536; first += 111) {
		ev = first;
		for (lanes = i = 0; i < UET_EV_LANE_STEPS; i++, ev += UET_EV_LANE_STEP)
			lanes |= 1 << uet_ev_lane(ev) * UET_EV_LANE_STEPS / UET_EV_LANES;
		EXPECT_EQ(lanes, 0xffff);
	}
}
