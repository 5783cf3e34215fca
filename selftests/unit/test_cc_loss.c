// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_loss.c: disorder, order on a path, Probes and the
 * first time-out.  Spec: UE 1.0.1 3.5.15.  Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/cc_loss.h"

static void begin(struct cctest *t)
{
	cctest_init(t, UET_WINDOW_NSCC, UET_GRANT_NONE);
}

TEST(cc_ooo_limit__limit_is_one_and_a_half_windows)
{
	struct cctest t;

	begin(&t);
	t.ccc.cwnd = 40960;
	EXPECT_EQ(uet_cc_ooo_limit(&t.ccc), 15);
	t.ccc.cwnd = 4096;
	EXPECT_EQ(uet_cc_ooo_limit(&t.ccc), 5);
	t.ccc.cwnd = 225000;
	EXPECT_EQ(uet_cc_ooo_limit(&t.ccc), 54);
}

TEST(cc_ooo_ack__begins_above_the_limit)
{
	struct uet_cc_ooo ooo = { 0 };
	struct cctest t;
	u32 from = 1, to = 2;

	begin(&t);
	t.ccc.cwnd = 40960;
	EXPECT_FALSE(uet_cc_ooo_ack(&ooo, &t.ccc, 100, 140, 14, &from, &to));
	EXPECT_EQ(from, 1);
	EXPECT_TRUE(uet_cc_ooo_ack(&ooo, &t.ccc, 100, 140, 15, &from, &to));
	EXPECT_EQ(from, 100);
	/* One window at a time. */
	EXPECT_EQ(to, 110);
	/* And each PSN once. */
	EXPECT_FALSE(uet_cc_ooo_ack(&ooo, &t.ccc, 100, 141, 20, &from, &to));
	EXPECT_TRUE(uet_cc_ooo_ack(&ooo, &t.ccc, 103, 150, 20, &from, &to));
	EXPECT_EQ(from, 110);
	EXPECT_EQ(to, 113);
}

TEST(cc_ooo_ack__covers_packets_sent_before)
{
	struct uet_cc_ooo ooo = { 0 };
	struct cctest t;
	u32 from, to;

	begin(&t);
	t.ccc.cwnd = 40960;
	uet_cc_ooo_ack(&ooo, &t.ccc, 100, 105, 15, &from, &to);
	EXPECT_EQ(to, 105);
	EXPECT_TRUE(ooo.recovers);
	EXPECT_FALSE(uet_cc_ooo_ack(&ooo, &t.ccc, 104, 120, 3, &from, &to));
	EXPECT_TRUE(ooo.recovers);
	EXPECT_FALSE(uet_cc_ooo_ack(&ooo, &t.ccc, 105, 120, 3, &from, &to));
	EXPECT_FALSE(ooo.recovers);
}

TEST(cc_ooo_ack__nothing_is_lost_while_retransmissions_wait)
{
	struct uet_cc_ooo ooo = { 0 };
	struct cctest t;
	u32 from, to;

	begin(&t);
	t.ccc.waiting_rtx = 1;
	EXPECT_FALSE(uet_cc_ooo_ack(&ooo, &t.ccc, 100, 300, 99, &from, &to));
}

TEST(cc_ooo_ack__psns_wrap)
{
	struct uet_cc_ooo ooo = { 0 };
	struct cctest t;
	u32 from, to;

	begin(&t);
	t.ccc.cwnd = 40960;
	EXPECT_TRUE(uet_cc_ooo_ack(&ooo, &t.ccc, 0xfffffffc, 0x20, 15, &from,
				   &to));
	EXPECT_EQ(from, 0xfffffffc);
	EXPECT_EQ(to, 6);
}

TEST(cc_ooo_force__a_probe_reports_losses_below_the_limit)
{
	struct uet_cc_ooo ooo = { 0 };
	struct cctest t;
	u32 from, to;

	begin(&t);
	uet_cc_ooo_force(&ooo, 7, 9);
	EXPECT_TRUE(uet_cc_ooo_ack(&ooo, &t.ccc, 7, 12, 0, &from, &to));
	EXPECT_EQ(from, 7);
	EXPECT_EQ(to, 9);
}

static struct uet_cc_pkt packet(u64 sent_ns)
{
	return (struct uet_cc_pkt) { .sent_ns = sent_ns, .sends = 1,
				     .state = UET_CC_PKT_OUT };
}

TEST(ev_order__two_later_packets_prove_a_loss)
{
	struct uet_cc_pkt lost = packet(1000), a = packet(5000),
			  b = packet(6000);
	struct uet_ev_order order = { 0 };

	uet_ev_order_arrived(&order, &a);
	EXPECT_FALSE(uet_ev_order_is_lost(&order, &lost, 3000));
	uet_ev_order_arrived(&order, &b);
	EXPECT_TRUE(uet_ev_order_is_lost(&order, &lost, 3000));
	/* Too close together to tell. */
	EXPECT_FALSE(uet_ev_order_is_lost(&order, &lost, 4000));
	lost.state = UET_CC_PKT_WAITS;
	EXPECT_FALSE(uet_ev_order_is_lost(&order, &lost, 3000));
}

TEST(ev_order__order_of_acknowledgements_does_not_matter)
{
	struct uet_cc_pkt lost = packet(1000), a = packet(5000),
			  b = packet(6000), c = packet(500);
	struct uet_ev_order order = { 0 };

	uet_ev_order_arrived(&order, &b);
	uet_ev_order_arrived(&order, &a);
	uet_ev_order_arrived(&order, &c);
	EXPECT_EQ(order.newer, 6000);
	EXPECT_EQ(order.older, 5000);
	EXPECT_TRUE(uet_ev_order_is_lost(&order, &lost, 3000));
}

TEST(ev_order__retransmitted_packets_are_ignored)
{
	struct uet_cc_pkt a = packet(5000);
	struct uet_ev_order order = { 0 };

	a.sends = 2;
	uet_ev_order_arrived(&order, &a);
	EXPECT_EQ(order.newer, 0);
	a = (struct uet_cc_pkt) { .sent_ns = 5000, .sends = 1 };
	uet_ev_order_arrived(&order, &a);
	EXPECT_EQ(order.newer, 0);
}

TEST(cc_probe_at__probe_time_depends_on_remaining_backlog)
{
	struct cctest t;

	begin(&t);
	EXPECT_EQ(uet_cc_probe_at(&t.ccc, false, 1000), U64_MAX);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	cctest_send(&t, 1);
	EXPECT_EQ(uet_cc_probe_at(&t.ccc, false, 1000), 1000 + 36000);
	cctest_send(&t, 1);
	EXPECT_EQ(uet_cc_probe_at(&t.ccc, false, 1000), 1000 + 21000);
	EXPECT_EQ(uet_cc_probe_at(&t.ccc, true, 1000), 1000 + 60000);
	t.ccc.nscc.base_ns = 10000;
	EXPECT_EQ(uet_cc_probe_at(&t.ccc, true, 1000), 1000 + 50000);
}

TEST(cc_rto__rto_depends_on_base_rtt_and_trimming)
{
	struct cctest t;

	begin(&t);
	EXPECT_EQ(uet_cc_rto_ns(&t.param), 200000);
	t.cfg.base_rtt_ns = 50000;
	cctest_start(&t);
	EXPECT_EQ(uet_cc_rto_ns(&t.param), 500000);
	t.cfg.has_trim = false;
	cctest_start(&t);
	EXPECT_EQ(uet_cc_rto_ns(&t.param), 34 * 50000);
}
