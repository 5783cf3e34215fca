// SPDX-License-Identifier: GPL-2.0
/*
 * The window of counters against a plain list of what has come, and where PDCs
 * begin before and after a sender has shown that it is there.
 * Spec: UE 1.0.1 3.7, 3.5.8.2.  Level: test of core L2.
 */
#include "core/tss/tss.h"
#include "utest.h"

static struct uet_tss_op src_op(u32 serial, u8 an, u16 epoch, u64 tsc)
{
	return (struct uet_tss_op) {
		.hdr = { .an = an, .epoch = epoch, .tsc = tsc },
		.kid = { .serial = serial, .an = an },
	};
}

static bool src_takes(struct uet_tss_src *src, u32 serial, u16 epoch, u64 tsc)
{
	struct uet_tss_op op = src_op(serial, 0, epoch, tsc);
	bool is_new = uet_tss_src_is_new(src, &op);

	EXPECT_EQ(uet_tss_src_take(src, &op), is_new);
	EXPECT_FALSE(uet_tss_src_is_new(src, &op));
	return is_new;
}

TEST(tss_src__takes_each_counter_once)
{
	struct uet_tss_src src = { 0 };
	u64 tsc;

	for (tsc = 0; tsc < 5000; tsc++)
		EXPECT_TRUE(src_takes(&src, 1, 0, tsc));
	for (tsc = 0; tsc < 5000; tsc++)
		EXPECT_FALSE(src_takes(&src, 1, 0, tsc));
}

/* Too late for the window is refused, though it never came. */
TEST(tss_src__counters_below_the_window_are_refused)
{
	struct uet_tss_src src = { 0 };

	EXPECT_TRUE(src_takes(&src, 1, 0, 1 << 20));
	EXPECT_FALSE(src_takes(&src, 1, 0, (1 << 20) - UET_TSS_WINDOW));
	EXPECT_TRUE(src_takes(&src, 1, 0, (1 << 20) - UET_TSS_WINDOW + 1));
	EXPECT_TRUE(src_takes(&src, 1, 0, (1 << 20) + 1));
	EXPECT_FALSE(src_takes(&src, 1, 0, (1 << 20) - UET_TSS_WINDOW + 1));
	EXPECT_TRUE(src_takes(&src, 1, 0, (1 << 20) - UET_TSS_WINDOW + 2));
}

TEST(tss_src__counter_limits_are_exact)
{
	struct uet_tss_src src = { 0 };

	EXPECT_TRUE(src_takes(&src, 1, 0, 0));
	EXPECT_FALSE(src_takes(&src, 1, 0, 0));
	EXPECT_TRUE(src_takes(&src, 1, 0, UET_TSS_TSC_END - 1));
	EXPECT_FALSE(src_takes(&src, 1, 0, 0));
	EXPECT_FALSE(src_takes(&src, 1, 0, 1));
	EXPECT_TRUE(src_takes(&src, 1, 0, UET_TSS_TSC_END - 2));
}

/* Against a list, with counters that jump back and forth. */
TEST(tss_src__random_counters_agree_with_a_list)
{
	static bool came[200000];
	struct uet_tss_src src = { 0 };
	u64 base = 0, top = 0, tsc;
	bool want, any = false;
	int i;

	memset(came, 0, sizeof(came));
	for (i = 0; i < 100000; i++) {
		if (!(utest_rand() % 50))
			base += utest_rand() % (utest_rand() % 8 ? 100 : 3000);
		tsc = base + utest_rand() % 3000;
		if (tsc >= ARRAY_SIZE(came))
			break;
		want = !any || tsc > top ||
		       (top - tsc < UET_TSS_WINDOW && !came[tsc]);
		ASSERT_EQ(src_takes(&src, 1, 0, tsc), want);
		if (!want)
			continue;
		came[tsc] = true;
		top = any ? max(top, tsc) : tsc;
		any = true;
	}
	EXPECT_GT(i, 10000);
}

TEST(tss_src__epochs_only_go_forward)
{
	struct uet_tss_src src = { 0 };

	EXPECT_TRUE(src_takes(&src, 1, 0xffff, 500));
	EXPECT_TRUE(src_takes(&src, 1, 0, 3));
	EXPECT_FALSE(src_takes(&src, 1, 0, 3));
	EXPECT_FALSE(src_takes(&src, 1, 0xffff, 501));
	EXPECT_TRUE(src_takes(&src, 1, 1, 2));
	EXPECT_FALSE(src_takes(&src, 1, 0, 4));
}

/* Each key has its own counters, and so has each association number. */
TEST(tss_src__each_key_and_number_has_its_own_counters)
{
	struct uet_tss_op other = src_op(2, 1, 0, 10);
	struct uet_tss_src src = { 0 };

	EXPECT_TRUE(src_takes(&src, 1, 5, 10));
	EXPECT_TRUE(uet_tss_src_take(&src, &other));
	EXPECT_FALSE(uet_tss_src_take(&src, &other));
	EXPECT_FALSE(src_takes(&src, 1, 5, 10));
	EXPECT_TRUE(src_takes(&src, 3, 0, 10));
	EXPECT_FALSE(src_takes(&src, 3, 0, 10));
}

TEST(tss_src_start__start_psn_is_random_until_it_was_answered)
{
	struct uet_tss_op syn = src_op(1, 0, 0, 100);
	struct uet_tss_src src = { 0 };
	u32 psn;

	ASSERT_TRUE(uet_tss_src_take(&src, &syn));
	EXPECT_TRUE(uet_tss_src_start(&src, &syn, 0xabcdef01, &psn));
	EXPECT_EQ(psn, 0xabcdef01);

	syn.hdr.tsc = 200;
	ASSERT_TRUE(uet_tss_src_take(&src, &syn));
	uet_tss_src_live(&src, &syn, 0xabcdef01);
	EXPECT_FALSE(uet_tss_src_start(&src, &syn, 5, &psn));
	EXPECT_EQ(psn, 0xabcdef02);
	/* Packets sealed earlier are refused, whether they arrived or not. */
	EXPECT_FALSE(src_takes(&src, 1, 0, 199));
	EXPECT_FALSE(src_takes(&src, 1, 0, 150));
	EXPECT_TRUE(src_takes(&src, 1, 0, 201));

	uet_tss_src_used(&src, 0xabcdf000);
	EXPECT_FALSE(uet_tss_src_start(&src, &syn, 5, &psn));
	EXPECT_EQ(psn, 0xabcdf000);
	uet_tss_src_used(&src, 0xabcdef10);
	EXPECT_FALSE(uet_tss_src_start(&src, &syn, 5, &psn));
	EXPECT_EQ(psn, 0xabcdf000);
	/* Twice is once. */
	uet_tss_src_live(&src, &syn, 1);
	EXPECT_FALSE(uet_tss_src_start(&src, &syn, 5, &psn));
	EXPECT_EQ(psn, 0xabcdf000);
}

/* There may be recordings under a key that is new to this receiver only. */
TEST(tss_src_start__each_key_is_answered_for_itself)
{
	struct uet_tss_op old = src_op(1, 0, 0, 100);
	struct uet_tss_op new = src_op(2, 1, 0, 100);
	struct uet_tss_src src = { 0 };
	u32 psn;

	ASSERT_TRUE(uet_tss_src_take(&src, &old));
	uet_tss_src_live(&src, &old, 1000);
	EXPECT_TRUE(uet_tss_src_start(&src, &new, 5, &psn));
	ASSERT_TRUE(uet_tss_src_take(&src, &new));
	EXPECT_TRUE(uet_tss_src_start(&src, &new, 5, &psn));
	EXPECT_FALSE(uet_tss_src_start(&src, &old, 5, &psn));
	/* Nothing is learnt from a deleted key. */
	old.kid.serial = 9;
	uet_tss_src_live(&src, &old, 7777);
	EXPECT_TRUE(uet_tss_src_start(&src, &old, 5, &psn));
	EXPECT_EQ(src.expected_psn, 1001);
	/* Nor is the number of a key a key: another one may have it later. */
	src = (struct uet_tss_src) { 0 };
	old = src_op(1, 0, 0, 100);
	new = src_op(2, 0, 0, 100);
	ASSERT_TRUE(uet_tss_src_take(&src, &old));
	uet_tss_src_live(&src, &old, 1000);
	ASSERT_TRUE(uet_tss_src_take(&src, &new));
	EXPECT_TRUE(uet_tss_src_start(&src, &new, 5, &psn));
	EXPECT_EQ(psn, 5);
	/* An epoch is no key. */
	src = (struct uet_tss_src) { 0 };
	old = src_op(1, 0, 0, 100);
	ASSERT_TRUE(uet_tss_src_take(&src, &old));
	uet_tss_src_live(&src, &old, 1000);
	old = src_op(1, 0, 1, 5);
	ASSERT_TRUE(uet_tss_src_take(&src, &old));
	EXPECT_FALSE(uet_tss_src_start(&src, &old, 5, &psn));
}

TEST(tss_psn_left__psns_left_follow_the_distance)
{
	EXPECT_EQ(uet_tss_psn_left(100, 100), 1U << 31);
	EXPECT_EQ(uet_tss_psn_left(100, 101), (1U << 31) - 1);
	EXPECT_EQ(uet_tss_psn_left(0xffffffff, 0), (1U << 31) - 1);
	EXPECT_EQ(uet_tss_psn_left(5, 5 + (1U << 31) - 1), 1);
	EXPECT_EQ(uet_tss_psn_left(5, 5 + (1U << 31)), 0);
	EXPECT_EQ(uet_tss_psn_left(5, 4), 0);
}
