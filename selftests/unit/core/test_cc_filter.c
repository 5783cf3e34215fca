// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_nscc.c: the least round trip of two windows of
 * time, and both averages of delay.  Spec: UE 1.0.1 3.6.13.
 * Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/ccc.h"

static void begin(struct cctest *t, u64 window_ns, u32 htsim)
{
	cctest_init(t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	t->cfg.base_window_ns = window_ns;
	t->cfg.htsim = htsim;
	cctest_start(t);
}

TEST(cc_base__configured_value_is_the_most)
{
	struct cctest t;

	begin(&t, 0, 0);
	EXPECT_EQ(t.ccc.nscc.base_ns, 12000);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 15000, t.now), 3000);
	EXPECT_EQ(t.ccc.nscc.base_ns, 12000);
}

TEST(cc_base__smaller_sample_lowers_it)
{
	struct cctest t;

	begin(&t, 0, 0);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 10000, t.now), 0);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 11000, t.now), 1000);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 187500);
}

TEST(cc_base__without_window_the_minimum_is_kept_for_life)
{
	struct cctest t;

	begin(&t, 0, 0);
	uet_cc_base_sample(&t.ccc, 8000, t.now);
	t.now += 3600ULL * 1000000 * CC_US;
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 10000, t.now), 2000);
}

TEST(cc_base__minimum_expires_after_two_windows)
{
	struct cctest t;

	begin(&t, 1000 * CC_US, 0);
	uet_cc_base_sample(&t.ccc, 8000, t.now);
	/* Next window: the one before still counts. */
	t.now += 1000 * CC_US;
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 10000, t.now), 2000);
	/* The one after it: forgotten, and the largest window is back. */
	t.now += 1000 * CC_US;
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 11000, t.now), 1000);
	EXPECT_EQ(t.ccc.nscc.base_ns, 10000);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 187500);
	/* Silence for two of them forgets all. */
	t.now += 2000 * CC_US;
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 12500, t.now), 500);
	EXPECT_EQ(t.ccc.nscc.base_ns, 12000);
}

TEST(cc_base__extreme_samples_are_clamped)
{
	struct cctest t;

	begin(&t, 0, 0);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, U64_MAX, t.now),
		  (1U << 31) - 12000);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 1, t.now), 0);
	EXPECT_EQ(t.ccc.nscc.base_ns, 1);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 4096);
}

/* As begin(), a context that adapts, with the default base RTT and the same BDP. */
static void begin_adapting(struct cctest *t, u64 window_ns)
{
	cctest_init(t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	t->cfg.base_window_ns = window_ns;
	t->cfg.base_rtt_ns = UET_CC_BASE_RTT_GUESS;
	t->cfg.rate_mbps = 12000;
	t->cfg.adapts = true;
	cctest_start(t);
}

TEST(cc_base__longer_path_is_learnt_from_its_first_answer)
{
	struct cctest t;

	begin_adapting(&t, 0);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 1000 * CC_US, t.now), 0);
	EXPECT_EQ(t.ccc.nscc.base_ns, 1000 * CC_US);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 10 * t.param.max_wnd);
	EXPECT_EQ(t.ccc.param->cfg.target_ns, 750 * CC_US);
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 1050 * CC_US, t.now), 50 * CC_US);
	/* A shorter one was a path, the longer ones had a queue. */
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 100 * CC_US, t.now), 0);
	EXPECT_TRUE(t.ccc.param == &t.param);
	EXPECT_EQ(t.ccc.nscc.max_wnd, t.param.max_wnd);
}

TEST(cc_base__a_path_of_a_second_has_constants)
{
	struct cctest t;

	begin_adapting(&t, 0);
	uet_cc_base_sample(&t.ccc, 1000000000, t.now);
	EXPECT_EQ(t.ccc.nscc.base_ns, 1000000000);
	EXPECT_EQ(t.ccc.param->bdp, UET_CC_BDP_MAX);
	uet_cc_avg_sample(&t.ccc, 0, true, t.now);
	t.now += 2000000000;
	uet_cc_avg_sample(&t.ccc, 8000000, true, t.now);
	EXPECT_NEAR(uet_cc_avg_ns(&t.ccc), 4000000);
}

/* A new rate counts on a longer path, too. */
TEST(cc_base__longer_path_follows_the_rate)
{
	struct cctest t;

	begin_adapting(&t, 0);
	uet_cc_base_sample(&t.ccc, 1000 * CC_US, t.now);
	EXPECT_NULL(uet_cc_set_rate(&t.param, 6000));
	uet_ccc_retune(&t.ccc, t.now);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 10 * t.param.max_wnd);
	EXPECT_EQ(t.ccc.param->bdp, 5 * 150000);
}

TEST(cc_base__a_queue_is_no_path_until_two_windows_have_ended)
{
	struct cctest t;
	u32 i;

	begin_adapting(&t, 1000 * CC_US);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(uet_cc_base_sample(&t.ccc, 400 * CC_US, t.now), 300 * CC_US);
		t.now += 1000 * CC_US;
	}
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 400 * CC_US, t.now), 0);
	EXPECT_EQ(t.ccc.nscc.base_ns, 400 * CC_US);

	/* Without trimming one queue has a BDP or more. */
	for (i = 0; i < 2; i++) {
		begin_adapting(&t, 0);
		t.cfg.has_trim = false;
		cctest_start(&t);
		EXPECT_EQ(uet_cc_base_sample(&t.ccc, 200 * CC_US + i, t.now),
			  i ? 0 : 100 * CC_US);
	}
}

/* An administrator knows the network, or thinks so for two windows. */
TEST(cc_base__what_was_configured_is_exceeded_later)
{
	struct cctest t;
	u32 i;

	begin_adapting(&t, 1000 * CC_US);
	t.cfg.base_rtt_ns = 99 * CC_US;
	cctest_start(&t);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(uet_cc_base_sample(&t.ccc, 999 * CC_US, t.now), 900 * CC_US);
		t.now += 1000 * CC_US;
	}
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 999 * CC_US, t.now), 0);
}

/* The minimum is old: the window shrinks for two round trips, which shows a queue. */
TEST(cc_base__a_longer_path_is_measured_without_a_queue)
{
	struct cctest t;

	begin_adapting(&t, 1000 * CC_US);
	cctest_ack(&t, 4096, 1000 * CC_US, false);
	t.ccc.cwnd = 1000000;
	t.now += 1000 * CC_US;
	cctest_ack(&t, 4096, 1000 * CC_US, false);
	EXPECT_GT(t.ccc.cwnd, 1000000);
	/* A window has 32 round trips at least, and began with the latest least one. */
	t.now += 32 * 1000 * CC_US;
	cctest_ack(&t, 4096, 1250 * CC_US, false);
	EXPECT_EQ(t.ccc.cwnd, t.ccc.nscc.drained / 8);
	t.now += 1250 * CC_US;
	cctest_ack(&t, 4096, 800 * CC_US, false);
	EXPECT_EQ(t.ccc.nscc.base_ns, 800 * CC_US);
	EXPECT_EQ(t.ccc.cwnd, t.ccc.nscc.drained / 8);
	t.now += 1250 * CC_US;
	cctest_ack(&t, 4096, 800 * CC_US, false);
	EXPECT_GT(t.ccc.cwnd, 1000000);
}

TEST(cc_avg__first_sample_counts_whole)
{
	struct cctest t;

	begin(&t, 0, 0);
	uet_cc_avg_sample(&t.ccc, 5000, true, t.now);
	EXPECT_EQ(uet_cc_avg_ns(&t.ccc), 5000);

	/* Also by a clock that has just begun. */
	begin(&t, 0, 0);
	uet_cc_avg_sample(&t.ccc, 5000, true, 100);
	EXPECT_EQ(uet_cc_avg_ns(&t.ccc), 5000);
}

TEST(cc_avg__weighs_by_time)
{
	struct cctest t;

	begin(&t, 0, 0);
	uet_cc_avg_sample(&t.ccc, 8000, true, t.now);
	t.now += 3000;
	uet_cc_avg_sample(&t.ccc, 0, true, t.now);
	EXPECT_NEAR(uet_cc_avg_ns(&t.ccc), 7500);
	/* Several at once: only the first one moves it. */
	uet_cc_avg_sample(&t.ccc, 100000, true, t.now);
	EXPECT_NEAR(uet_cc_avg_ns(&t.ccc), 7500);
	/* One from before the last: it neither moves it nor its time. */
	uet_cc_avg_sample(&t.ccc, 100000, true, t.now - 1000);
	uet_cc_avg_sample(&t.ccc, 100000, true, t.now);
	EXPECT_NEAR(uet_cc_avg_ns(&t.ccc), 7500);
	t.now += 48000;
	uet_cc_avg_sample(&t.ccc, 1000, true, t.now);
	EXPECT_EQ(uet_cc_avg_ns(&t.ccc), 1000);
}

TEST(cc_avg__does_not_depend_on_coalescing)
{
	struct cctest dense, sparse;
	u32 i;

	begin(&dense, 0, 0);
	begin(&sparse, 0, 0);
	uet_cc_avg_sample(&dense.ccc, 0, true, dense.now);
	uet_cc_avg_sample(&sparse.ccc, 0, true, sparse.now);
	for (i = 1; i <= 192; i++) {
		dense.now += 250;
		uet_cc_avg_sample(&dense.ccc, 10000, true, dense.now);
		if (i % 4)
			continue;
		sparse.now += 1000;
		uet_cc_avg_sample(&sparse.ccc, 10000, true, sparse.now);
	}
	/* 1 - 1/e of the way after four base RTTs, nearly. */
	EXPECT_GT(uet_cc_avg_ns(&dense.ccc), 6300);
	EXPECT_LT(uet_cc_avg_ns(&dense.ccc), 6500);
	EXPECT_GT(uet_cc_avg_ns(&sparse.ccc), 6300);
	EXPECT_LT(uet_cc_avg_ns(&sparse.ccc), 6600);
}

TEST(cc_avg__htsim_counts_acks)
{
	struct cctest t;
	u32 i;

	begin(&t, 0, UET_HTSIM_FILTER);
	for (i = 0; i < 80; i++)
		uet_cc_avg_sample(&t.ccc, 10000, true, t.now);
	EXPECT_NEAR(uet_cc_avg_ns(&t.ccc), 6343);
}

TEST(cc_avg__htsim_expects_unmarked_queues_to_drain)
{
	struct cctest t;
	u32 i;

	begin(&t, 0, UET_HTSIM_FILTER);
	for (i = 0; i < 2000; i++)
		uet_cc_avg_sample(&t.ccc, 10000, false, t.now);
	EXPECT_NEAR(uet_cc_avg_ns(&t.ccc), 2999);
}

/* The first window of time begins with the context, not with the first sample. */
TEST(cc_base__first_window_begins_with_the_context)
{
	struct cctest t;

	begin(&t, 1000 * CC_US, 0);
	t.now += 500 * CC_US;
	uet_cc_base_sample(&t.ccc, 8000, t.now);
	t.now += 500 * CC_US;
	uet_cc_base_sample(&t.ccc, 10000, t.now);
	t.now += 1000 * CC_US;
	EXPECT_EQ(uet_cc_base_sample(&t.ccc, 11000, t.now), 1000);
}
