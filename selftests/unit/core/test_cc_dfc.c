// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_pkt.c: how much less is asked for, when the window is
 * given back, and what a source makes of both.  Spec: UE 1.0.1 3.6.13.
 * Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/cc_pkt.h"

static u8 pend(u64 used, u64 size)
{
	struct uet_dfc dfc = { 0 };
	bool restore;

	return uet_dfc_ack(&dfc, used, size, &restore);
}

TEST(dfc_ack__pend_grows_with_the_fill_level)
{
	EXPECT_EQ(pend(0, 1000), 0);
	EXPECT_EQ(pend(500, 1000), 0);
	EXPECT_EQ(pend(501, 1000), 1);
	EXPECT_EQ(pend(725, 1000), 64);
	EXPECT_EQ(pend(949, 1000), 127);
	EXPECT_EQ(pend(950, 1000), 127);
	EXPECT_EQ(pend(5000, 1000), 127);
	EXPECT_EQ(pend(U64_MAX, 0), 0);
	EXPECT_EQ(pend(U64_MAX, 1ULL << 53), 127);
}

TEST(dfc_ack__gives_back_below_a_quarter)
{
	struct uet_dfc dfc = { 0 };
	bool restore;
	u32 i;

	uet_dfc_ack(&dfc, 100, 1000, &restore);
	EXPECT_FALSE(restore);
	uet_dfc_ack(&dfc, 800, 1000, &restore);
	EXPECT_FALSE(restore);
	EXPECT_EQ(uet_dfc_ack(&dfc, 250, 1000, &restore), 0);
	EXPECT_FALSE(restore);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(uet_dfc_ack(&dfc, 249, 1000, &restore), 0);
		EXPECT_TRUE(restore);
	}
	uet_dfc_ack(&dfc, 0, 1000, &restore);
	EXPECT_FALSE(restore);
}

TEST(dfc_ack__asks_again_meanwhile)
{
	struct uet_dfc dfc = { 0 };
	bool restore;

	uet_dfc_ack(&dfc, 800, 1000, &restore);
	uet_dfc_ack(&dfc, 0, 1000, &restore);
	EXPECT_TRUE(restore);
	EXPECT_GT(uet_dfc_ack(&dfc, 600, 1000, &restore), 0);
	EXPECT_FALSE(restore);
	uet_dfc_ack(&dfc, 400, 1000, &restore);
	EXPECT_FALSE(restore);
}

/*
 * A reader of a tenth of the link: the source slows down to it, no round trip
 * tells of that, and when the reader is fast again the window is back.
 */
TEST(dfc_ack__source_slows_to_the_reader)
{
	struct uet_dfc dfc = { 0 };
	u64 used = 0, size = 400000, most = 0;
	struct cctest t;
	u32 i, slow;

	cctest_init(&t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 1ULL << 40, t.now);
	for (i = 0; i < 2000; i++) {
		struct uet_cc_ack ack = { .rtt_ns = 12000 };
		u32 sent = 0;

		slow = i < 1000;
		t.now += 12000;
		/* One window per round trip, all of which arrives. */
		while (t.ccc.state == UET_CCC_READY && sent < 36) {
			t.pkt[sent].state = UET_CC_PKT_NONE;
			uet_ccc_send(&t.ccc, &t.pkt[sent], 4096, t.now,
				     &t.send);
			sent++;
		}
		used += 4096 * sent;
		used -= min_t(u64, used, slow ? 15000 : 150000);
		most = max(most, used);
		for (; sent; sent--) {
			ack.cwnd_pend = uet_dfc_ack(&dfc, used, size,
						    &ack.restore_cwnd);
			ack.new_bytes = 4096;
			ack.acked_pkts = 1;
			uet_ccc_ack(&t.ccc, &ack, t.now);
		}
		if (i == 999) {
			EXPECT_LT(t.ccc.cwnd, 60000);
			EXPECT_GT(used, size / 4);
		}
	}
	EXPECT_LT(most, size + 150000);
	EXPECT_GT(t.ccc.cwnd, 150000);
	EXPECT_EQ(t.ccc.nscc.saved_cwnd, 0);
}

TEST(dfc_ack__fill_level_is_cut_to_whole_per_milles)
{
	struct uet_dfc dfc = { 0 };
	bool restore;

	EXPECT_EQ(uet_dfc_ack(&dfc, 500999, 1000000, &restore), 0);
	EXPECT_GT(uet_dfc_ack(&dfc, 501000, 1000000, &restore), 0);
}
