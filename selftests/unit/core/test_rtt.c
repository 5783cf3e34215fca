// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/rtt.c: how samples are smoothed, and bounds of the
 * time-out.  Spec: UE 1.0.1 3.5.15.  Level: test of core L3.
 */
#include "utest.h"
#include "core/cms/rtt.h"

#define MS	1000000ULL
#define DAY	(86400 * 1000 * MS)

TEST(rtt_sample__first_is_taken_as_it_is)
{
	struct uet_rtt rtt = { 0 };

	uet_rtt_sample(&rtt, 80);

	EXPECT_EQ(rtt.srtt_ns, 80);
	EXPECT_EQ(rtt.rttvar_ns, 40);
}

/* An eighth of the difference, and a quarter of the deviation. */
TEST(rtt_sample__later_ones_are_smoothed)
{
	struct uet_rtt up = { .srtt_ns = 800, .rttvar_ns = 400 };
	struct uet_rtt down = { .srtt_ns = 800, .rttvar_ns = 400 };

	uet_rtt_sample(&up, 1600);
	uet_rtt_sample(&down, 0);

	EXPECT_EQ(up.srtt_ns, 900);
	EXPECT_EQ(up.rttvar_ns, 500);
	EXPECT_EQ(down.srtt_ns, 700);
	EXPECT_EQ(down.rttvar_ns, 500);
}

/* The least is forgotten slowly: a path may have become longer. */
TEST(rtt_sample__least_rises_by_a_thousandth_of_the_distance)
{
	struct uet_rtt rtt = { 0 };

	uet_rtt_sample(&rtt, 5000);
	EXPECT_EQ(rtt.least_ns, 5000);
	uet_rtt_sample(&rtt, 1000);
	EXPECT_EQ(rtt.least_ns, 1000);
	uet_rtt_sample(&rtt, 1000 + 3 * 1024);
	EXPECT_EQ(rtt.least_ns, 1003);
	uet_rtt_sample(&rtt, 1003 + 1023);
	EXPECT_EQ(rtt.least_ns, 1003);
}

/* 0 means "none yet". */
TEST(rtt_sample__is_never_smoothed_to_zero)
{
	struct uet_rtt rtt = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		uet_rtt_sample(&rtt, 0);
		EXPECT_GE(rtt.srtt_ns, 1);
	}
}

TEST(rtt_sample__settles_on_a_steady_path)
{
	struct uet_rtt rtt = { 0 };
	int i;

	uet_rtt_sample(&rtt, 100 * MS);
	for (i = 0; i < 300; i++)
		uet_rtt_sample(&rtt, MS);

	EXPECT_LT(rtt.srtt_ns, MS + 10);
	EXPECT_LT(rtt.rttvar_ns, 10);
}

TEST(rtt_rto__bounds_apply_before_any_sample)
{
	struct uet_rtt rtt = { 0 };

	EXPECT_EQ(uet_rtt_rto(&rtt, 0, 20 * MS, 50 * MS), 20 * MS);
	EXPECT_EQ(uet_rtt_rto(&rtt, 1, 20 * MS, 50 * MS), 40 * MS);
	EXPECT_EQ(uet_rtt_rto(&rtt, 2, 20 * MS, 50 * MS), 50 * MS);
}

TEST(rtt_rto__follows_round_trips_within_bounds)
{
	struct uet_rtt rtt = { .srtt_ns = 30 * MS, .rttvar_ns = 5 * MS };

	EXPECT_EQ(uet_rtt_rto(&rtt, 0, 20 * MS, 500 * MS), 50 * MS);
	EXPECT_EQ(uet_rtt_rto(&rtt, 0, 20 * MS, 40 * MS), 40 * MS);
	EXPECT_EQ(uet_rtt_rto(&rtt, 3, 20 * MS, 500 * MS), 400 * MS);
}

/* The longest time there can be, and more levels than a word has bits. */
TEST(rtt_rto__no_level_overflows)
{
	struct uet_rtt rtt = { .srtt_ns = DAY, .rttvar_ns = DAY };
	u32 level;

	for (level = 0; level < 200; level++)
		EXPECT_EQ(uet_rtt_rto(&rtt, level, DAY, DAY), DAY);
	rtt = (struct uet_rtt){ 0 };
	EXPECT_EQ(uet_rtt_rto(&rtt, U32_MAX, 1, DAY), 65536);
}
