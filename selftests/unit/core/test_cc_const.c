// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_nscc.c: the window is what was configured, and
 * nothing that happens changes it.  Level: test of core L3.
 */
#include "cctest.h"

TEST(cc_const__default_window_is_one_and_a_half_bdp)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	EXPECT_EQ(t.ccc.cwnd, 225000);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	EXPECT_EQ(cctest_burst(&t), 225000 / 4096);
}

TEST(cc_const__marks_and_losses_leave_the_window)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.cwnd = 50000;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	EXPECT_EQ(cctest_burst(&t), 12);
	t.now += 100000;
	cctest_ack(&t, 4096, 100000, true);
	cctest_nack(&t, 1, UET_NACK_TRIMMED);
	uet_ccc_loss(&t.ccc, &t.pkt[2], UET_CC_LOSS_RTO, t.now);
	EXPECT_EQ(t.ccc.cwnd, 50000);
	/* Three packets are out of flight. */
	EXPECT_EQ(t.ccc.inflight, 9 * 4096);
	EXPECT_STREQ(t.ccc.window->name, "const");
}

TEST(cc_const__follows_the_rate_unless_it_was_configured)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.rate_mbps /= 4;
	EXPECT_TRUE(!uet_cc_derive(&t.param, &t.cfg));
	uet_ccc_retune(&t.ccc, t.now);
	EXPECT_EQ(t.ccc.cwnd, 225000 / 4);

	t.cfg.cwnd = 50000;
	cctest_start(&t);
	t.cfg.rate_mbps *= 2;
	EXPECT_TRUE(!uet_cc_derive(&t.param, &t.cfg));
	uet_ccc_retune(&t.ccc, t.now);
	EXPECT_EQ(t.ccc.cwnd, 50000);
}
