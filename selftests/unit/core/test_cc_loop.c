// SPDX-License-Identifier: GPL-2.0
/*
 * Algorithms of kernel/core/ in a closed loop: sources that always have something to
 * send share one queue that marks and trims (selftests/lib/ccloop.h).  The queue must
 * stay near the target and the link full, nobody may starve.  The behaviour of a whole
 * fabric is tested by a simulator of fabrics.  Spec: UE 1.0.1 3.6.13, 3.6.14.  Level:
 * test of core L3.
 */
#include "ccloop.h"

static struct ccloop loop;

static void incast(u32 sources, u8 window, u8 grant, u32 htsim)
{
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.window = window;
	cfg.grant = grant;
	cfg.htsim = htsim;
	cfg.base_rtt_ns = 14020;
	/* 320 ns: no rounding. */
	cfg.mtu = 4000;
	ccloop_init(&loop, sources, &cfg);
	ccloop_run(&loop, 1000 * CC_US);
	ccloop_measure(&loop);
	ccloop_run(&loop, 10000 * CC_US);
	printf("# %u sources: delay %.2f us, used %.4f, fair %.2f, cwnd %.0f, marked %.2f, trims %" PRIu64 " of %" PRIu64 "\n",
	       sources, loop.delay_sum / 1000.0 / loop.packets,
	       ccloop_used(&loop), ccloop_fair(&loop),
	       (double)loop.cwnd_sum / loop.packets,
	       (double)loop.marked / loop.packets, loop.trims, loop.packets);
}

static u64 delay_ns(void)
{
	return loop.delay_sum / loop.packets;
}

TEST(cc_loop_nscc__queue_stays_near_the_target)
{
	incast(8, UET_WINDOW_NSCC, UET_GRANT_NONE, 0);
	EXPECT_GT(ccloop_used(&loop) * 1000, 995);
	EXPECT_GT(delay_ns(), 8000);
	EXPECT_LT(delay_ns(), 13000);
	EXPECT_GT(ccloop_fair(&loop) * 100, 50);
}

TEST(cc_loop_nscc__thirty_two_sources_share_the_link)
{
	incast(32, UET_WINDOW_NSCC, UET_GRANT_NONE, 0);
	EXPECT_GT(ccloop_used(&loop) * 1000, 990);
	EXPECT_LT(delay_ns(), 15000);
	EXPECT_GT(ccloop_fair(&loop) * 100, 30);
}

TEST(cc_loop_nscc__htsim_variants_hold_the_same_target)
{
	incast(8, UET_WINDOW_NSCC, UET_GRANT_NONE, UET_HTSIM_ALL);
	EXPECT_GT(ccloop_used(&loop) * 1000, 995);
	EXPECT_GT(delay_ns(), 9000);
	EXPECT_LT(delay_ns(), 13000);
}

TEST(cc_loop_nscc__one_source_fills_the_link)
{
	incast(1, UET_WINDOW_NSCC, UET_GRANT_NONE, 0);
	EXPECT_GT(ccloop_used(&loop) * 1000, 995);
	EXPECT_EQ(loop.trims, 0);
}

TEST(cc_loop_rccc__queue_is_short_and_shares_are_fair)
{
	incast(8, UET_WINDOW_NONE, UET_GRANT_RCCC, 0);
	EXPECT_GT(ccloop_used(&loop) * 1000, 980);
	EXPECT_LE(ccloop_used(&loop) * 1000, 991);
	EXPECT_LT(delay_ns(), 3000);
	EXPECT_GT(ccloop_fair(&loop) * 100, 97);
	EXPECT_EQ(loop.trims, 0);
}

TEST(cc_loop_both__queue_is_short_and_shares_are_fair)
{
	incast(32, UET_WINDOW_NSCC, UET_GRANT_RCCC, 0);
	EXPECT_GT(ccloop_used(&loop) * 1000, 980);
	EXPECT_LT(delay_ns(), 5000);
	EXPECT_GT(ccloop_fair(&loop) * 100, 95);
}

/* Every third credit and request gets lost: the next one makes up for it. */
TEST(cc_loop_rccc__lost_credit_heals)
{
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.window = UET_WINDOW_NONE;
	cfg.grant = UET_GRANT_RCCC;
	cfg.mtu = 4000;
	ccloop_init(&loop, 8, &cfg);
	loop.lose_pct = 33;
	ccloop_run(&loop, 10000 * CC_US);
	EXPECT_GT(ccloop_used(&loop) * 1000, 950);
	EXPECT_GT(ccloop_fair(&loop) * 100, 95);
	/* None comes: sources ask, ever more rarely, then do without. */
	loop.lose_pct = 100;
	ccloop_measure(&loop);
	ccloop_run(&loop, 20000 * CC_US);
	EXPECT_GT(loop.asked, 8);
	EXPECT_LE(loop.asked, 8 * 5);
	ccloop_measure(&loop);
	ccloop_run(&loop, 1000 * CC_US);
	EXPECT_EQ(loop.asked, 0);
	EXPECT_GT(loop.packets, 1000);
	/* Until one gets through. */
	loop.lose_pct = 33;
	ccloop_run(&loop, 3000 * CC_US);
	ccloop_measure(&loop);
	ccloop_run(&loop, 5000 * CC_US);
	EXPECT_GT(ccloop_used(&loop) * 1000, 950);
}

/* Without control, the queue is full all the time, and much is sent in vain. */
TEST(cc_loop_const__is_worse)
{
	incast(8, UET_WINDOW_CONST, UET_GRANT_NONE, 0);
	EXPECT_GT(delay_ns(), 13000);
	EXPECT_GT(loop.trims, loop.packets / 2);
}
