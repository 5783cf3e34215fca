// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_nscc.c: queues that stand, and losses, in a network that
 * does not mark.
 * Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/ccc.h"

#define BASE	(12 * CC_US)
#define LOST	64		/* packets in flight that can be lost */

/* A context that adapts, without trimming: target delay and base RTT are 12 us. */
static void begin(struct cctest *t)
{
	cctest_init(t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	t->cfg.adapts = true;
	t->cfg.has_trim = false;
	t->cfg.htsim = UET_HTSIM_DEFAULT;
	cctest_start(t);
	t->ccc.cwnd = 150000;
	cctest_send(t, LOST);
}

/* @n delays of @us, 2 us apart. */
static void delays(struct cctest *t, u32 n, u32 us)
{
	while (n--) {
		t->now += 2 * CC_US;
		uet_cc_blind_sample(&t->ccc, us * CC_US, false, t->now);
	}
}

static void lose(struct cctest *t, u32 slot)
{
	uet_ccc_loss(&t->ccc, &t->pkt[slot], UET_CC_LOSS_SACK, t->now);
}

TEST(cc_blind_sample__least_of_eight_stands)
{
	struct cctest t;

	begin(&t);
	delays(&t, 7, 9);
	EXPECT_EQ(t.ccc.nscc.blind.standing, 0);
	delays(&t, 1, 8);
	EXPECT_EQ(t.ccc.nscc.blind.standing, 8 * CC_US);
	/* The next round forgets it. */
	delays(&t, 8, 10);
	EXPECT_EQ(t.ccc.nscc.blind.standing, 10 * CC_US);
	/* One packet that found no queue: jitter, or a queue that drains. */
	delays(&t, 7, 300);
	delays(&t, 1, 1);
	EXPECT_EQ(t.ccc.nscc.blind.standing, CC_US);
}

/* Samples count from blind.from on, when they show the effect of a cut. */
TEST(cc_blind_sample__first_instant_after_a_cut_counts)
{
	struct cctest t;

	begin(&t);
	t.ccc.nscc.blind.from = t.now + 4 * CC_US;
	delays(&t, 1, 9);
	EXPECT_EQ(t.ccc.nscc.blind.samples, 0);
	delays(&t, 1, 9);
	EXPECT_EQ(t.ccc.nscc.blind.samples, 1);
}

TEST(cc_blind_target__larger_windows_may_cause_less)
{
	struct cctest t;
	u64 bdp;

	begin(&t);
	EXPECT_EQ(uet_cc_blind_target(&t.ccc), BASE * 46 / 256);
	t.ccc.cwnd = 75000;
	bdp = uet_cc_blind_target(&t.ccc);
	EXPECT_EQ(bdp, BASE * (46 + 24) / 256);
	t.ccc.cwnd = 4096;
	EXPECT_EQ(uet_cc_blind_target(&t.ccc), BASE * (46 + 5 * 24) / 256);
	t.ccc.cwnd = 1 << 30;
	EXPECT_EQ(uet_cc_blind_target(&t.ccc), BASE * (46 - 24) / 256);
}

TEST(cc_blind_loss__loss_in_a_queue_cuts_once_in_a_round_trip)
{
	struct cctest t;

	begin(&t);
	delays(&t, 8, 10);
	lose(&t, 0);
	EXPECT_EQ(t.ccc.cwnd, 100000);
	lose(&t, 1);
	EXPECT_EQ(t.ccc.cwnd, 100000);
	EXPECT_TRUE(uet_cc_is_blind(&t.ccc, t.now));
	/* A base RTT and the queue later the next one counts. */
	t.now += 22 * CC_US;
	lose(&t, 2);
	EXPECT_LT(t.ccc.cwnd, 67000);
	EXPECT_EQ(t.ccc.stats.decreases, 2);
}

TEST(cc_blind_loss__loss_without_a_queue_is_no_congestion)
{
	struct cctest t;

	begin(&t);
	delays(&t, 8, 5);
	lose(&t, 0);
	EXPECT_EQ(t.ccc.cwnd, 150000);
	EXPECT_FALSE(uet_cc_is_blind(&t.ccc, t.now));
}

TEST(cc_blind_loss__a_network_that_marks_says_more)
{
	struct cctest t;

	begin(&t);
	delays(&t, 7, 10);
	uet_cc_blind_sample(&t.ccc, 10 * CC_US, true, t.now);
	lose(&t, 0);
	EXPECT_EQ(t.ccc.cwnd, 150000);
	t.now += 64 * BASE;
	lose(&t, 1);
	EXPECT_EQ(t.ccc.cwnd, 150000);
	t.now++;
	lose(&t, 2);
	EXPECT_EQ(t.ccc.cwnd, 100000);
}

TEST(cc_blind_loss__trimming_and_strict_contexts_are_not_blind)
{
	struct cctest t;
	u32 i;

	for (i = 0; i < 2; i++) {
		begin(&t);
		t.param.cfg.has_trim = i;
		t.param.cfg.adapts = i;
		delays(&t, 8, 10);
		lose(&t, 0);
		EXPECT_EQ(t.ccc.cwnd, 150000);
	}
}

TEST(cc_is_blind__lasts_until_no_loss_was_seen_for_long)
{
	struct cctest t;

	begin(&t);
	delays(&t, 8, 10);
	lose(&t, 0);
	EXPECT_TRUE(uet_cc_is_blind(&t.ccc, t.now + 16384 * BASE));
	EXPECT_FALSE(uet_cc_is_blind(&t.ccc, t.now + 16384 * BASE + 1));
}

/* A blind context with a window of 100,000 bytes, which may cause a delay of 2.8 us. */
static void begin_blind(struct cctest *t)
{
	begin(t);
	delays(t, 8, 10);
	lose(t, 0);
	t->now += 22 * CC_US;
	t->ccc.nscc.last_adjust = U64_MAX;	/* no eta */
}

TEST(nscc_blind__a_queue_that_stands_cuts_once_in_a_round)
{
	u64 target, want;
	struct cctest t;
	u32 i;

	begin_blind(&t);
	target = uet_cc_blind_target(&t.ccc);
	want = 100000 - 100000 * (6000 - target) * 4 / 5 / 6000;
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(t.ccc.cwnd, 100000);
		t.now += 2 * CC_US;
		cctest_ack(&t, 4096, BASE + 6 * CC_US, false);
	}
	EXPECT_NEAR(t.ccc.cwnd, (double)want);
	/* What was sent before the cut says nothing of it. */
	for (i = 0; i < 9; i++) {
		t.now += 2 * CC_US;
		cctest_ack(&t, 4096, BASE + 6 * CC_US, false);
	}
	EXPECT_EQ(t.ccc.stats.decreases, 2);
}

TEST(nscc_blind__jitter_does_not_cut)
{
	struct cctest t;
	u32 i;

	begin_blind(&t);
	for (i = 0; i < 400; i++) {
		t.now += 2 * CC_US;
		cctest_ack(&t, 4096, BASE + (i % 8 ? 600 : 1) * CC_US, false);
	}
	EXPECT_GE(t.ccc.cwnd, 100000);
	EXPECT_EQ(t.ccc.stats.decreases, 1);
}

/* A window of packets without delay adds a quarter of a packet. */
TEST(nscc_blind__the_increase_is_small)
{
	struct cctest t;
	u32 i;

	begin_blind(&t);
	for (i = 0; i < 27; i++)
		cctest_ack(&t, 4096, BASE + 2 * CC_US, false);
	EXPECT_GT(t.ccc.cwnd, 100000 + 1024 - 200);
	EXPECT_LT(t.ccc.cwnd, 100000 + 1024 + 200);
}

TEST(nscc_blind__delay_of_the_target_adds_nothing)
{
	struct cctest t;
	u64 target;

	begin_blind(&t);
	target = uet_cc_blind_target(&t.ccc);
	cctest_ack(&t, 256, BASE + target, false);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 0);
	cctest_ack(&t, 256, BASE + target - 1, false);
	EXPECT_GT(t.ccc.nscc.inc_bytes, 0);
}

/* A blind context measures its base RTT, too: with a small window for a while. */
TEST(nscc_blind__window_is_small_during_a_drain)
{
	struct cctest t;

	begin_blind(&t);
	t.ccc.nscc.drained = 100000;
	t.ccc.nscc.drain_end = t.now + BASE;
	cctest_ack(&t, 256, BASE + CC_US, false);
	EXPECT_EQ(t.ccc.cwnd, 100000 / 8);
	t.now += BASE;
	cctest_ack(&t, 256, BASE + CC_US, false);
	EXPECT_EQ(t.ccc.cwnd, 100000);
}

/* @n ACKs of @bytes, one every @gap_us; each @part-th is without delay, the others have @us. */
static void acks(struct cctest *t, u32 n, u32 bytes, u32 gap_us, u32 part, u32 us)
{
	u32 i;

	for (i = 0; i < n; i++) {
		t->now += gap_us * CC_US;
		cctest_ack(t, bytes, BASE + (i % part ? us * CC_US : 0), false);
	}
}

static void jitter(struct cctest *t, u32 n, u32 us)
{
	acks(t, n, 4096, 4, 4, us);
}

TEST(nscc_jitter__largest_window_fills_the_path_with_its_jitter)
{
	struct cctest t;
	u32 kept;

	begin(&t);
	jitter(&t, 8, 40);
	EXPECT_EQ(t.ccc.nscc.jitter_ns, 30 * CC_US);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 225000 + 30 * 12500 * 3 / 2);
	/* A queue instead of it: the window is that of the base RTT after a while. */
	kept = t.ccc.nscc.max_wnd;
	jitter(&t, 8, 0);
	EXPECT_LT(t.ccc.nscc.max_wnd, kept);
	jitter(&t, 800, 0);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 225000);
}

/* Half of the packets take a link that is slow, and marks them. */
TEST(nscc_jitter__a_slow_link_among_others_is_no_jitter)
{
	struct cctest t;
	u32 i;

	begin(&t);
	for (i = 0; i < 8; i++) {
		t.now += 4 * CC_US;
		cctest_ack(&t, 4096, BASE + (i % 2 ? 40 * CC_US : 0), i % 2);
	}
	EXPECT_EQ(t.ccc.nscc.jitter_ns, 0);
}

/* A quarter of the target delay. */
TEST(nscc_jitter__a_queue_that_stands_below_late_packets_is_no_jitter)
{
	struct cctest t;
	u32 i;

	begin(&t);
	for (i = 0; i < 8; i++) {
		t.now += 4 * CC_US;
		cctest_ack(&t, 4096, BASE + (i % 4 ? 40 : 3) * CC_US, false);
	}
	EXPECT_EQ(t.ccc.nscc.blind.standing, 3 * CC_US);
	EXPECT_EQ(t.ccc.nscc.jitter_ns, 0);
}

TEST(nscc_jitter__a_loss_in_jitter_is_no_congestion)
{
	struct cctest t;

	begin(&t);
	jitter(&t, 8, 40);
	t.ccc.cwnd = 150000;
	t.ccc.nscc.blind.standing = 12 * CC_US;
	lose(&t, 0);
	EXPECT_EQ(t.ccc.cwnd, 150000);
}

/* Without trimming, quick adapt runs for a delay of four base RTTs: one that stands. */
TEST(nscc_quick_adapt__late_packets_among_others_do_not_run_it)
{
	struct cctest t;
	u32 i;

	begin(&t);
	acks(&t, 64, 256, 10, 8, 60);
	EXPECT_EQ(t.ccc.stats.quick_adapts, 0);
	for (i = 0; i < 64; i++) {
		t.now += 10 * CC_US;
		cctest_ack(&t, 256, BASE + 60 * CC_US, false);
	}
	EXPECT_GT(t.ccc.stats.quick_adapts, 0);
}
