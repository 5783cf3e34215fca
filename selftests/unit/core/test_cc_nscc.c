// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_nscc.c: each row of its rules, golden vectors of a
 * floating point model of the text, flow control, and what differs in the ways of
 * the public simulator.  Random sequences are compared in test_cc_nscc_model.c.
 * Spec: UE 1.0.1 3.6.13.  Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/ccc.h"

#define AVG(us)	((s64)((us) * 1000) << 6)

static void begin(struct cctest *t)
{
	cctest_init(t, UET_WINDOW_NSCC, UET_GRANT_NONE);
}

/* As begin(), with a window of @cwnd bytes. */
static void begin_cwnd(struct cctest *t, u64 cwnd)
{
	begin(t);
	t->ccc.cwnd = cwnd;
}

/* As begin(), with these variants of htsim: UET_HTSIM_... */
static void begin_htsim(struct cctest *t, u32 htsim)
{
	begin(t);
	t->cfg.htsim = htsim;
	cctest_start(t);
}

/* As begin(), with an idle time of 500 us. */
static void begin_idle(struct cctest *t)
{
	begin(t);
	t->cfg.idle_ns = 500 * CC_US;
	cctest_start(t);
}

/* One ACK of a full packet, half a microsecond after the one before. */
static void tick(struct cctest *t, double rtt_us, bool is_marked)
{
	t->now += 500;
	cctest_ack(t, 4096, (u64)(rtt_us * 1000), is_marked);
}

static void ticks(struct cctest *t, u32 n, double rtt_us)
{
	while (n--)
		tick(t, rtt_us, false);
}

/* A destination answers so many bytes with one ACK. */
TEST(nscc_wants_ack__a_window_of_what_an_ack_covers_needs_none_at_once)
{
	struct cctest t;

	begin_cwnd(&t, 16384);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_send(&t, 1);
	EXPECT_FALSE(t.send.wants_ack);
	t.ccc.cwnd = 16383;
	cctest_send(&t, 1);
	EXPECT_TRUE(t.send.wants_ack);
}

TEST(nscc_golden__v1_increase_is_proportional)
{
	struct cctest t;

	begin_cwnd(&t, 100000);
	ticks(&t, 8, 15);
	EXPECT_EQ(t.ccc.cwnd, 100000);
	ticks(&t, 1, 15);
	EXPECT_NEAR(t.ccc.cwnd, 103019.9);
	ticks(&t, 9, 15);
	EXPECT_NEAR(t.ccc.cwnd, 105951.3);
	ticks(&t, 6, 15);
	EXPECT_NEAR(t.ccc.cwnd, 108465.9);
	ticks(&t, 3, 15);
	EXPECT_NEAR(t.ccc.cwnd, 108465.9);
	ticks(&t, 9, 15);
	EXPECT_NEAR(t.ccc.cwnd, 111250.0);
	ticks(&t, 12, 15);
	EXPECT_NEAR(t.ccc.cwnd, 116345.5);
}

TEST(nscc_golden__v2_increase_is_fair)
{
	struct cctest t;

	begin_cwnd(&t, 100000);
	ticks(&t, 9, 22);
	EXPECT_NEAR(t.ccc.cwnd, 107549.7);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 0);
	EXPECT_EQ(t.ccc.nscc.received_bytes, 0);
	ticks(&t, 9, 22);
	EXPECT_NEAR(t.ccc.cwnd, 114569.5);
	ticks(&t, 6, 22);
	EXPECT_NEAR(t.ccc.cwnd, 119577.0);
	ticks(&t, 3, 22);
	EXPECT_NEAR(t.ccc.cwnd, 119577.0);
	ticks(&t, 9, 22);
	EXPECT_NEAR(t.ccc.cwnd, 125890.7);
	ticks(&t, 12, 22);
	EXPECT_NEAR(t.ccc.cwnd, 136318.5);
}

static u64 decreased(double delay_us)
{
	struct cctest t;

	begin_cwnd(&t, 200000);
	t.now += 12001;
	t.ccc.nscc.avg_ns = AVG(delay_us);
	t.ccc.nscc.last_adjust = t.now;
	cctest_ack(&t, 4096, (u64)(12000 + delay_us * 1000), true);
	return t.ccc.cwnd;
}

TEST(nscc_golden__v3_one_decrease_is_exact)
{
	EXPECT_NEAR(decreased(9.5), 191578.9);
	EXPECT_NEAR(decreased(12), 160000.0);
	EXPECT_NEAR(decreased(18), 120000.0);
	EXPECT_NEAR(decreased(24), 100000.0);
	EXPECT_NEAR(decreased(100), 100000.0);
}

TEST(nscc_golden__v4_decreases_once_per_round_trip)
{
	static const struct {
		u32 ack;
		double cwnd;
	} want[] = {
		{ 1, 120000 }, { 24, 120614.4 }, { 26, 72368.6 },
		{ 49, 72983.0 }, { 51, 43789.8 },
	};
	struct cctest t;
	u32 i, n = 0;

	begin_cwnd(&t, 200000);
	t.ccc.nscc.avg_ns = AVG(18);
	/* Long ago, but t0 is when increases were applied. */
	t.ccc.nscc.last_dec = t.now - 100000;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		for (; n < want[i].ack; n++)
			tick(&t, 30, true);
		EXPECT_NEAR(t.ccc.cwnd, want[i].cwnd);
	}
	EXPECT_EQ(t.ccc.stats.decreases, 3);
}

/* A CPU whose time is older than that of the decrease makes no second one. */
TEST(nscc_decrease__does_not_come_before_the_last_one)
{
	struct cctest t;

	begin_cwnd(&t, 200000);
	t.ccc.nscc.avg_ns = AVG(18);
	t.ccc.nscc.last_dec = t.now + 1000;
	tick(&t, 30, true);
	EXPECT_EQ(t.ccc.stats.decreases, 0);
	EXPECT_EQ(t.ccc.cwnd, 200000);
}

TEST(nscc_golden__v5_fast_increase_is_exact)
{
	struct cctest t;

	begin_cwnd(&t, 50000);
	ticks(&t, 9, 12);
	EXPECT_NEAR(t.ccc.cwnd, 59059.7);
	ticks(&t, 5, 12);
	EXPECT_NEAR(t.ccc.cwnd, 59059.7);
	EXPECT_EQ(t.ccc.nscc.fi_count, 57344);
	EXPECT_FALSE(t.ccc.nscc.is_fast);
	ticks(&t, 6, 12);
	EXPECT_NEAR(t.ccc.cwnd, 69188.4);
	EXPECT_TRUE(t.ccc.nscc.is_fast);
	ticks(&t, 10, 12);
	EXPECT_NEAR(t.ccc.cwnd, 80042.8);
	ticks(&t, 10, 12);
	EXPECT_NEAR(t.ccc.cwnd, 90282.8);
}

/* The network is said to be a thousand times faster than the path is. */
TEST(nscc_on_ack__window_grows_by_at_most_twice_what_arrived)
{
	struct cctest t;
	u64 before;
	u32 rtts, i;

	begin(&t);
	t.cfg.base_rtt_ns = 3000 * CC_US;
	t.cfg.target_ns = 0;
	t.cfg.near_zero_ns = 0;
	t.cfg.adapts = true;
	cctest_start(&t);
	t.ccc.cwnd = 4 * 4096;
	for (rtts = 0; rtts < 6; rtts++) {
		before = t.ccc.cwnd;
		t.now += 3000 * CC_US;
		for (i = 0; i < before / 4096; i++)
			cctest_ack(&t, 4096, 3000 * CC_US, false);
		EXPECT_GT(t.ccc.cwnd, before);
		EXPECT_LE(t.ccc.cwnd, 3 * before + 4096);
	}
}

/* 225,000 bytes in flight; one ACK arms the meter, then @acks marked ones. */
static void quick_adapt_until_trim(struct cctest *t, u32 acks)
{
	begin(t);
	cctest_send(t, 55);
	t->ccc.inflight = 225000;
	t->now += 12000;
	cctest_ack(t, 4096, 12000, false);
	EXPECT_EQ(t->ccc.nscc.qa_end, t->now + 21000);
	while (acks--) {
		t->now += 100;
		cctest_ack(t, 4096, 12000, true);
	}
}

TEST(nscc_golden__v6_quick_adapt_is_exact)
{
	struct cctest t;

	quick_adapt_until_trim(&t, 5);
	t.now = CC_T0 + 32000;
	cctest_nack(&t, 40, UET_NACK_TRIMMED);
	EXPECT_EQ(t.ccc.cwnd, 225000 - 4096);

	t.now = CC_T0 + 33500;
	cctest_nack(&t, 41, UET_NACK_TRIMMED);
	EXPECT_EQ(t.ccc.cwnd, 20480);
	EXPECT_EQ(t.ccc.nscc.bytes_to_ignore, 192232);
	EXPECT_EQ(t.ccc.nscc.qa_end, CC_T0 + 54500);
	EXPECT_EQ(t.ccc.stats.quick_adapts, 1);

	cctest_ack(&t, 4096, 32000, true);
	EXPECT_EQ(t.ccc.cwnd, 20480);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 0);
	/* Unmarked: not ignored; not applied yet either. */
	t.ccc.nscc.last_adjust = t.now;
	cctest_ack(&t, 4096, 32000, false);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 83886080);
}

TEST(nscc_golden__v7_quick_adapt_is_gated)
{
	struct cctest t;

	quick_adapt_until_trim(&t, 10);
	t.now = CC_T0 + 33500;
	cctest_nack(&t, 40, UET_NACK_TRIMMED);

	EXPECT_EQ(t.ccc.cwnd, 220904);
	EXPECT_EQ(t.ccc.stats.quick_adapts, 0);
}

TEST(nscc_golden__v8_smaller_base_rtt_lowers_the_limit_only)
{
	struct cctest t;

	begin(&t);
	t.now += 8000;
	cctest_ack(&t, 4096, 8000, false);

	EXPECT_EQ(t.ccc.nscc.base_ns, 8000);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 150000);
	EXPECT_EQ(t.ccc.cwnd, 225000);
}

TEST(nscc_on_ack__marked_below_target_changes_nothing)
{
	struct cctest t;

	begin_cwnd(&t, 100000);
	t.now += 500;
	cctest_ack(&t, 4096, 15000, true);

	EXPECT_EQ(t.ccc.cwnd, 100000);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 0);
}

TEST(nscc_on_ack__without_sample_only_counts)
{
	struct cctest t;

	begin(&t);
	cctest_send(&t, 20);
	t.ccc.cwnd = 100000;
	t.now += 50000;
	cctest_ack(&t, 65536, 0, false);

	EXPECT_EQ(t.ccc.cwnd, 100000);
	EXPECT_EQ(t.ccc.inflight, 20 * 4096 - 65536);
	EXPECT_EQ(t.ccc.nscc.received_bytes, 65536);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 0);
}

TEST(nscc_on_ack__without_sample_htsim_uses_the_average)
{
	struct cctest t;

	begin_htsim(&t, UET_HTSIM_NO_SAMPLE);
	t.ccc.cwnd = 100000;
	t.ccc.nscc.avg_ns = AVG(18);
	t.now += 500;
	cctest_ack(&t, 4096, 0, false);

	EXPECT_EQ(t.ccc.nscc.inc_bytes, 83886080);
}

TEST(nscc_on_ack__window_stays_below_most)
{
	struct cctest t;

	begin(&t);
	ticks(&t, 200, 12);

	EXPECT_EQ(t.ccc.cwnd, 225000);
}

TEST(nscc_on_ack__window_stays_above_one_packet)
{
	struct cctest t;
	u32 i;

	begin(&t);
	for (i = 0; i < 2000; i++)
		tick(&t, 200, true);

	EXPECT_GE(t.ccc.cwnd, 4096);
	EXPECT_LT(t.ccc.cwnd, 2 * 4096);
}

TEST(nscc_flow_control__pending_decrease_shrinks_the_window)
{
	struct uet_cc_ack ack = { .new_bytes = 16384, .cwnd_pend = 64 };
	struct cctest t;

	begin_cwnd(&t, 150000);
	t.ccc.inflight = 136384;
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(t.ccc.cwnd, 111808);
	EXPECT_EQ(t.ccc.nscc.saved_cwnd, 150000);

	begin_cwnd(&t, 150000);
	t.ccc.inflight = 136384;
	ack.cwnd_pend = 127;
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(t.ccc.cwnd, 103744);
}

TEST(nscc_flow_control__decrease_stops_increases)
{
	struct uet_cc_ack ack = { .new_bytes = 4096, .cwnd_pend = 1,
				  .rtt_ns = 22000 };
	struct cctest t;

	begin(&t);
	t.now += 500;
	t.ccc.inflight_pkts = 1;
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(t.ccc.nscc.inc_bytes, 0);
}

TEST(nscc_flow_control__previous_window_is_restored)
{
	struct uet_cc_ack less = { .new_bytes = 4096, .cwnd_pend = 127 };
	struct uet_cc_ack again = { .restore_cwnd = true };
	struct cctest t;

	begin_cwnd(&t, 150000);
	t.ccc.inflight_pkts = 10;
	t.ccc.inflight = 100000;
	uet_ccc_ack(&t.ccc, &less, t.now);
	uet_ccc_ack(&t.ccc, &less, t.now);
	EXPECT_LT(t.ccc.cwnd, 100000);
	EXPECT_EQ(t.ccc.nscc.saved_cwnd, 150000);

	uet_ccc_ack(&t.ccc, &again, t.now);

	EXPECT_EQ(t.ccc.cwnd, 150000);
	EXPECT_EQ(t.ccc.nscc.saved_cwnd, 0);
	/* Once: nothing is saved any more. */
	t.ccc.cwnd = 50000;
	uet_ccc_ack(&t.ccc, &again, t.now);
	EXPECT_EQ(t.ccc.cwnd, 50000);
}

TEST(nscc_flow_control__negative_inflight_leaves_a_packet)
{
	struct uet_cc_ack ack = { .new_bytes = 16384, .cwnd_pend = 127 };
	struct cctest t;

	begin(&t);
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(t.ccc.cwnd, 4096);
}

/* State above the new rate is cut, learnt values are kept. */
TEST(nscc_retune__window_is_cut_to_the_new_limits)
{
	struct uet_cc_ack less = { .new_bytes = 4096, .cwnd_pend = 127 };
	struct cctest t;

	begin(&t);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_burst(&t);
	t.now += 10000;
	cctest_ack(&t, 4096, 8000, false);
	EXPECT_EQ(t.ccc.nscc.base_ns, 8000);
	uet_ccc_ack(&t.ccc, &less, t.now);
	t.ccc.cwnd = 150000;
	EXPECT_GT(t.ccc.nscc.saved_cwnd, 150000);

	t.cfg.rate_mbps = 25000;
	EXPECT_TRUE(!uet_cc_derive(&t.param, &t.cfg));
	uet_ccc_retune(&t.ccc, t.now);

	/* 25 Gb/s, 8 us, and half as much again. */
	EXPECT_EQ(t.ccc.nscc.max_wnd, 37500);
	EXPECT_EQ(t.ccc.cwnd, 37500);
	EXPECT_EQ(t.ccc.nscc.saved_cwnd, 37500);
	EXPECT_EQ(t.ccc.nscc.base_ns, 8000);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);

	t.cfg.rate_mbps = 100000;
	EXPECT_TRUE(!uet_cc_derive(&t.param, &t.cfg));
	uet_ccc_retune(&t.ccc, t.now);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 150000);
	EXPECT_EQ(t.ccc.cwnd, 37500);
}

TEST(nscc_on_nack__other_codes_leave_the_window)
{
	struct cctest t;

	begin(&t);
	cctest_send(&t, 1);
	cctest_nack(&t, 0, UET_NACK_NO_PKT_BUFFER);

	EXPECT_EQ(t.ccc.cwnd, 225000);
	EXPECT_EQ(t.ccc.inflight, 0);
	EXPECT_EQ(t.ccc.waiting_rtx, 1);
}

TEST(nscc_on_nack__trim_feeds_the_average)
{
	struct cctest t;

	begin(&t);
	cctest_send(&t, 1);
	cctest_nack(&t, 0, UET_NACK_TRIMMED);

	EXPECT_EQ(t.ccc.nscc.avg_ns, AVG(12));
	EXPECT_TRUE(t.ccc.nscc.trigger_qa);
}

TEST(nscc_on_nack__sample_lowers_the_base)
{
	struct uet_cc_nack nack = { .code = UET_NACK_TRIMMED, .rtt_ns = 9000 };
	struct cctest t;

	begin(&t);
	cctest_send(&t, 1);
	uet_ccc_nack(&t.ccc, &t.pkt[0], &nack, t.now);

	EXPECT_EQ(t.ccc.nscc.base_ns, 9000);
	EXPECT_EQ(t.ccc.stats.samples, 1);
}

TEST(nscc_on_nack__last_hop_is_congestion_without_rccc)
{
	struct cctest t;

	begin(&t);
	cctest_send(&t, 1);
	cctest_nack(&t, 0, UET_NACK_TRIMMED_LASTHOP);
	EXPECT_EQ(t.ccc.cwnd, 225000 - 4096);
}

TEST(nscc_on_nack__with_rccc_last_hop_trims_leave_the_window)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NSCC, UET_GRANT_RCCC);
	cctest_send(&t, 1);
	cctest_nack(&t, 0, UET_NACK_TRIMMED_LASTHOP);
	EXPECT_EQ(t.ccc.cwnd, 225000);
	EXPECT_FALSE(t.ccc.nscc.trigger_qa);
	EXPECT_EQ(t.ccc.nscc.bytes_ignored, 4096);

	/* In htsim, only the cut of one packet is left out. */
	t.cfg.htsim = UET_HTSIM_LASTHOP_QA;
	cctest_start(&t);
	cctest_send(&t, 1);
	cctest_nack(&t, 0, UET_NACK_TRIMMED_LASTHOP);
	EXPECT_EQ(t.ccc.cwnd, 225000);
	EXPECT_TRUE(t.ccc.nscc.trigger_qa);
}

/* Quick adapt by a trim, with 10 packets in flight before it. */
static s64 ignored_after_trim(u32 htsim)
{
	struct cctest t;

	begin_htsim(&t, htsim);
	cctest_send(&t, 10);
	t.ccc.nscc.qa_end = t.now - 1;
	cctest_nack(&t, 0, UET_NACK_TRIMMED);
	EXPECT_EQ(t.ccc.inflight, 9 * 4096);
	return t.ccc.nscc.bytes_to_ignore;
}

TEST(nscc_on_nack__inflight_falls_before_quick_adapt_except_in_htsim)
{
	EXPECT_EQ(ignored_after_trim(0), 9 * 4096);
	EXPECT_EQ(ignored_after_trim(UET_HTSIM_NACK_LATE), 10 * 4096);
}

static u32 adapts_at_the_end_of_its_time(u32 htsim)
{
	struct cctest t;

	begin_htsim(&t, htsim);
	cctest_send(&t, 10);
	t.ccc.nscc.qa_end = t.now;
	cctest_nack(&t, 0, UET_NACK_TRIMMED);
	return t.ccc.stats.quick_adapts;
}

TEST(nscc_quick_adapt__last_instant_of_the_period_counts_except_in_htsim)
{
	EXPECT_EQ(adapts_at_the_end_of_its_time(0), 1);
	EXPECT_EQ(adapts_at_the_end_of_its_time(UET_HTSIM_QA_AFTER), 0);
}

TEST(nscc_quick_adapt__delay_triggers_it_without_trimming)
{
	struct cctest t;

	begin(&t);
	t.cfg.has_trim = false;
	cctest_start(&t);
	t.ccc.inflight_pkts = 10;
	cctest_ack(&t, 4096, 12000, false);
	t.now += 30000;
	/* 48 us is four times the target; above that it is too late. */
	cctest_ack(&t, 4096, 12000 + 48001, false);
	EXPECT_EQ(t.ccc.stats.quick_adapts, 1);
	EXPECT_EQ(t.ccc.cwnd, 4096);

	cctest_start(&t);
	t.ccc.inflight_pkts = 10;
	cctest_ack(&t, 4096, 12000, false);
	t.now += 30000;
	cctest_ack(&t, 4096, 12000 + 48000, false);
	EXPECT_EQ(t.ccc.stats.quick_adapts, 0);
}

TEST(nscc_quick_adapt__can_be_switched_off)
{
	struct cctest t;

	begin(&t);
	t.cfg.has_quick_adapt = false;
	cctest_start(&t);
	cctest_send(&t, 10);
	t.ccc.nscc.qa_end = t.now - 1;
	cctest_nack(&t, 0, UET_NACK_TRIMMED);

	EXPECT_EQ(t.ccc.stats.quick_adapts, 0);
	EXPECT_EQ(t.ccc.cwnd, 225000 - 4096);
}

static u64 cwnd_after_loss(enum uet_cc_loss why, u32 htsim)
{
	struct cctest t;

	begin_htsim(&t, htsim);
	cctest_send(&t, 1);
	uet_ccc_loss(&t.ccc, &t.pkt[0], why, t.now);
	return t.ccc.cwnd;
}

TEST(nscc_on_loss__cuts_one_packet)
{
	EXPECT_EQ(cwnd_after_loss(UET_CC_LOSS_RTO, 0), 220904);
	EXPECT_EQ(cwnd_after_loss(UET_CC_LOSS_SACK, 0), 220904);
	EXPECT_EQ(cwnd_after_loss(UET_CC_LOSS_RTO, UET_HTSIM_SACK_LOSS),
		  220904);
	EXPECT_EQ(cwnd_after_loss(UET_CC_LOSS_SACK, UET_HTSIM_SACK_LOSS),
		  225000);
}

TEST(nscc_on_loss__counts_as_ignored)
{
	struct cctest t;

	begin(&t);
	cctest_send(&t, 1);
	uet_ccc_loss(&t.ccc, &t.pkt[0], UET_CC_LOSS_RTO, t.now);
	EXPECT_EQ(t.ccc.nscc.bytes_ignored, 4096);
	EXPECT_EQ(t.ccc.inflight, 0);
}

TEST(nscc_htsim__clamp_limits_the_window)
{
	struct cctest t;

	begin_htsim(&t, UET_HTSIM_CLAMP);
	t.ccc.backlog = 100;
	t.ccc.inflight_pkts = 1;
	t.ccc.inflight = 225000 - 100;
	EXPECT_FALSE(t.ccc.window->can_send(&t.ccc));

	/* A smaller base RTT bites at once. */
	t.now += 100;
	cctest_ack(&t, 4096, 8000, true);
	EXPECT_EQ(t.ccc.cwnd, 150000);
}

TEST(nscc_poll_cp__sends_one_probe_after_the_first_answer)
{
	struct cctest t;
	u32 target;

	begin(&t);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_NONE);
	cctest_burst(&t);
	cctest_ack(&t, 4096, 12000, false);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_PROBE);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_NONE);

	/* Not for what is less than a BDP. */
	begin(&t);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	cctest_burst(&t);
	cctest_ack(&t, 4096, 12000, false);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_NONE);
}

TEST(nscc_poll_cp__sends_none_when_the_base_is_known)
{
	struct cctest t;
	u32 target;

	begin(&t);
	uet_ccc_probed(&t.ccc, 11000, t.now);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_burst(&t);
	cctest_ack(&t, 4096, 12000, false);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_NONE);
	EXPECT_EQ(t.ccc.nscc.base_ns, 11000);
}

TEST(nscc_on_probe__probe_rtt_shows_whether_queues_are_empty)
{
	struct cctest t;

	begin(&t);
	EXPECT_TRUE(uet_ccc_probed(&t.ccc, 10000, t.now));
	EXPECT_EQ(t.ccc.nscc.base_ns, 10000);
	EXPECT_TRUE(uet_ccc_probed(&t.ccc, 10000 + 8999, t.now));
	EXPECT_EQ(t.ccc.nscc.avg_ns, 0);
	EXPECT_FALSE(uet_ccc_probed(&t.ccc, 10000 + 9000, t.now));
	EXPECT_EQ(t.ccc.nscc.avg_ns, AVG(9));
}

TEST(nscc_on_probe__largest_window_is_that_of_full_packets)
{
	struct cctest t;

	begin(&t);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 225000);
	uet_ccc_probed(&t.ccc, 10000, t.now);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 225000);
	uet_ccc_probed(&t.ccc, 8000, t.now);
	EXPECT_EQ(t.ccc.nscc.max_wnd, 187500);
}

/* Even with the filter of htsim, which doubts late samples of unmarked packets. */
TEST(nscc_on_probe__late_probe_counts_in_full)
{
	struct cctest a, b;

	begin(&a);
	a.cfg.htsim = UET_HTSIM_FILTER;
	cctest_start(&a);
	b = a;
	uet_ccc_probed(&a.ccc, 12000 + 50000, a.now);
	uet_cc_avg_sample(&b.ccc, 50000, true, b.now);
	EXPECT_EQ(a.ccc.nscc.avg_ns, b.ccc.nscc.avg_ns);
	EXPECT_GT(a.ccc.nscc.avg_ns, 0);
}

TEST(nscc_wake__meter_starts_anew)
{
	struct cctest t;

	begin(&t);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	cctest_burst(&t);
	cctest_ack(&t, 4096, 12000, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
	EXPECT_NE(t.ccc.nscc.qa_end, 0);
	t.ccc.cwnd = 50000;
	t.now += 1000 * CC_US;

	uet_ccc_new_data(&t.ccc, 4096, t.now);

	EXPECT_EQ(t.ccc.nscc.qa_end, 0);
	EXPECT_EQ(t.ccc.cwnd, 50000);
}

TEST(nscc_wake__state_is_reset_after_the_idle_time)
{
	struct cctest t;

	begin_idle(&t);
	t.ccc.cwnd = 50000;
	t.ccc.nscc.base_ns = 10000;
	t.now += 500 * CC_US - 1;
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	EXPECT_EQ(t.ccc.cwnd, 50000);

	cctest_start(&t);
	t.ccc.cwnd = 50000;
	t.now += 500 * CC_US;
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	EXPECT_EQ(t.ccc.cwnd, 225000);
}

TEST(nscc_wake__work_is_not_idleness)
{
	struct cctest t;

	begin_idle(&t);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	cctest_burst(&t);
	t.now += 800 * CC_US;
	cctest_ack(&t, 4096, 12000, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
	t.ccc.cwnd = 50000;
	t.now += 100 * CC_US;
	uet_ccc_new_data(&t.ccc, 4096, t.now);

	EXPECT_EQ(t.ccc.cwnd, 50000);
}

/* Nothing overflows (UBSan) and the window stays sane, whatever the peer reports. */
TEST(nscc_on_ack__random_acks_keep_the_window_within_limits)
{
	struct cctest t;
	u32 i;

	begin(&t);
	t.cfg.rate_mbps = 800000;
	t.cfg.base_rtt_ns = 384000;
	t.cfg.mtu = 16384;
	cctest_start(&t);
	for (i = 0; i < 20000; i++) {
		struct uet_cc_ack ack = {
			.new_bytes = (u32)utest_rand() >> utest_rand() % 32,
			.rtt_ns = utest_rand() >> utest_rand() % 64,
			.is_marked = utest_rand() & 1,
			.restore_cwnd = utest_rand() & 1,
			.cwnd_pend = utest_rand() % 8 ? 0 : utest_rand() & 127,
			.acked_pkts = (u32)utest_rand(),
			.found_pkts = utest_rand() & 1,
			.found_bytes = utest_rand() & 0xffff,
		};

		t.now += utest_rand() >> utest_rand() % 64 >> 16;
		uet_ccc_ack(&t.ccc, &ack, t.now);
		if (t.ccc.cwnd < 16384 || t.ccc.cwnd > t.param.max_wnd)
			break;
	}
	EXPECT_EQ(i, 20000);
}

/* A context that adapts, without trimming, with 100 packets to send. */
static void begin_starting(struct cctest *t)
{
	begin(t);
	t->cfg.adapts = true;
	t->cfg.has_trim = false;
	cctest_start(t);
	uet_ccc_new_data(&t->ccc, 100 * 4096, t->now);
}

TEST(nscc_start__first_window_is_an_eighth_of_a_bdp)
{
	struct cctest t;

	begin_starting(&t);
	EXPECT_EQ(t.ccc.cwnd, 18750);
	EXPECT_EQ(cctest_burst(&t), 4);

	/* A packet at least; and all of it where switches trim. */
	begin_starting(&t);
	t.cfg.rate_mbps = 1000;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	EXPECT_EQ(t.ccc.cwnd, 4096);
	t.cfg.rate_mbps = 100000;
	t.cfg.has_trim = true;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	EXPECT_EQ(t.ccc.cwnd, 225000);
}

TEST(nscc_start__a_window_without_delay_opens_the_path)
{
	struct cctest t;

	begin_starting(&t);
	cctest_burst(&t);
	ticks(&t, 3, 12);
	EXPECT_EQ(t.ccc.cwnd, 18750);
	ticks(&t, 1, 12);
	EXPECT_EQ(t.ccc.cwnd, 18750 + 6 * 4 * 4096);
	EXPECT_TRUE(t.ccc.nscc.is_starting);
}

TEST(nscc_start__delays_end_it)
{
	struct cctest t;

	begin_starting(&t);
	cctest_burst(&t);
	ticks(&t, 1, 12);
	ticks(&t, 3, 16);
	EXPECT_FALSE(t.ccc.nscc.is_starting);
	EXPECT_EQ(t.ccc.cwnd, 18750);
	/* From now on it grows by the rules of NSCC. */
	ticks(&t, 8, 12);
	EXPECT_GT(t.ccc.cwnd, 18750);
	EXPECT_LT(t.ccc.cwnd, 18750 + 8 * 4096);
}
