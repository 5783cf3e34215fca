// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/ccc.c: states, what each event does to the counters, in
 * which order algorithms and selector get it, and PDCs that share a context.
 * Spec: UE 1.0.1 3.6.12.  Level: test of core L3.
 */
#include "cctest.h"

TEST(ccc_state__states_follow_backlog_and_inflight)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	cctest_send(&t, 1);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	cctest_send(&t, 1);
	EXPECT_EQ(t.ccc.state, UET_CCC_PENDING);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	cctest_send(&t, 1);
	cctest_ack(&t, 4096, 0, false);
	cctest_ack(&t, 4096, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_PENDING);
	cctest_ack(&t, 4096, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
}

TEST(ccc_state__full_window_makes_it_active)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.cwnd = 4 * 4096;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	EXPECT_EQ(cctest_burst(&t), 4);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	/* Not a whole packet yet. */
	cctest_ack(&t, 4095, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	cctest_ack(&t, 1, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
}

TEST(ccc_state__needs_both_algorithms)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_RCCC);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	t.ccc.rccc.credit = 0;
	uet_ccc_new_data(&t.ccc, 1, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	t.ccc.rccc.credit = 1;
	t.ccc.inflight = t.ccc.cwnd;
	uet_ccc_new_data(&t.ccc, 1, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
}

TEST(ccc_state__no_algorithm_sets_no_limit)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 10000000, t.now);
	EXPECT_EQ(cctest_burst(&t), CC_PKTS);
	EXPECT_FALSE(t.send.wants_ack);
}

TEST(ccc_quantum__is_a_part_of_window_and_line)
{
	struct cctest t;
	u32 on_line;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.burst = 1048576;
	t.cfg.rate_mbps = 10000;
	cctest_start(&t);
	on_line = uet_cc_bytes(t.cfg.rate_mbps, 60000);
	/* As many bytes as one ACK covers leave at once anyway. */
	t.ccc.cwnd = 4 * 4096;
	EXPECT_EQ(uet_ccc_quantum(&t.ccc), t.param.cfg.ack_gen_trigger);
	t.ccc.cwnd = 4 * t.param.cfg.ack_gen_trigger;
	EXPECT_EQ(uet_ccc_quantum(&t.ccc), 2 * t.param.cfg.ack_gen_trigger);
	t.ccc.cwnd = 16ull * on_line;
	EXPECT_EQ(uet_ccc_quantum(&t.ccc), on_line);

	t.cfg.window = UET_WINDOW_NONE;
	cctest_start(&t);
	EXPECT_EQ(uet_ccc_quantum(&t.ccc), on_line);

	/* The sender gives less to the network at once. */
	t.cfg.burst = 30000;
	cctest_start(&t);
	EXPECT_EQ(uet_ccc_quantum(&t.ccc), 30000);
}

TEST(ccc_run__continues_until_the_window_or_the_credit_ends)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.cwnd = 10 * 4096;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 100 * 4096, t.now);
	cctest_send(&t, 1);
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 5), 5);
	/* The last packet of the window asks for an ACK, so it is none of the run. */
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 100), 8);
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 2048, 100), 16);
	uet_ccc_run_sent(&t.ccc, 4096, 8, t.now);
	EXPECT_EQ(t.ccc.inflight, 9 * 4096);
	EXPECT_EQ(t.ccc.inflight_pkts, 9);
	EXPECT_EQ(t.ccc.backlog, 91 * 4096);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 100), 0);
	cctest_send(&t, 1);
	EXPECT_TRUE(t.send.wants_ack);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 256, 1), 0);

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_RCCC);
	uet_ccc_new_data(&t.ccc, 100 * 4096, t.now);
	t.ccc.rccc.credit = 6 * 4096;
	cctest_send(&t, 1);
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 100), 4);
	uet_ccc_run_sent(&t.ccc, 4096, 4, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 4096);
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 100), 0);
	cctest_send(&t, 1);
	EXPECT_TRUE(t.send.wants_ack);
}

TEST(ccc_send__a_full_window_of_bursts_asks_for_two_acks)
{
	struct cctest t;
	u32 i, asked = 0;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.cwnd = 16 * 4096;
	t.cfg.burst = 65000;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 1000 * 4096, t.now);
	cctest_send(&t, 16);
	EXPECT_TRUE(t.send.wants_ack);
	for (i = 0; i < 32; i++) {
		cctest_ack(&t, 4096, 0, false);
		cctest_send(&t, 1);
		asked += t.send.wants_ack;
	}
	EXPECT_EQ(asked, 4);

	/* Packets leave one by one. */
	t.cfg.burst = 0;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 1000 * 4096, t.now);
	cctest_send(&t, 16);
	for (i = asked = 0; i < 32; i++) {
		cctest_ack(&t, 4096, 0, false);
		cctest_send(&t, 1);
		asked += t.send.wants_ack;
	}
	EXPECT_EQ(asked, 32);
}

TEST(ccc_state__idle_forgets_rounding)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	cctest_send(&t, 1);
	cctest_ack(&t, 4096 + 256, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
	EXPECT_EQ(t.ccc.inflight, 0);
}

TEST(ccc_send__first_transmission_moves_backlog_to_inflight)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	cctest_send(&t, 1);

	EXPECT_EQ(t.ccc.backlog, 4096);
	EXPECT_EQ(t.ccc.inflight, 4096);
	EXPECT_EQ(t.ccc.inflight_pkts, 1);
	EXPECT_EQ(t.pkt[0].sends, 1);
	EXPECT_EQ(t.pkt[0].size, 4096);
	EXPECT_EQ(t.pkt[0].sent_ns, t.now);
	EXPECT_FALSE(t.send.wants_ack);
}

TEST(ccc_send__retransmission_moves_rtx_backlog_to_inflight)
{
	struct cctest t;
	int i;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	cctest_send(&t, 1);
	for (i = 0; i < 4; i++) {
		cctest_nack(&t, 0, UET_NACK_TRIMMED);
		EXPECT_EQ(t.ccc.waiting_rtx, 1);
		EXPECT_EQ(t.ccc.rtx_backlog, 4096);
		EXPECT_EQ(t.ccc.inflight, 0);
		t.next = 0;
		t.now += 1000;
		cctest_send(&t, 1);
		EXPECT_TRUE(t.send.wants_ack);
		EXPECT_EQ(t.pkt[0].sent_ns, t.now);
	}
	EXPECT_EQ(t.pkt[0].sends, UET_CC_SENDS_MAX);
	EXPECT_EQ(t.ccc.waiting_rtx, 0);
	EXPECT_EQ(t.ccc.rtx_backlog, 0);
	EXPECT_EQ(t.ccc.backlog, 4096);
	EXPECT_EQ(t.ccc.inflight_pkts, 1);
}

TEST(ccc_send__asks_for_an_ack_when_the_window_is_full)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	t.cfg.cwnd = 6 * 4096;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	cctest_send(&t, 5);
	EXPECT_FALSE(t.send.wants_ack);
	cctest_send(&t, 1);
	EXPECT_TRUE(t.send.wants_ack);

	/* Less than the destination coalesces. */
	t.cfg.cwnd = 16383;
	cctest_start(&t);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	cctest_send(&t, 1);
	EXPECT_TRUE(t.send.wants_ack);
}

TEST(ccc_ack__late_ack_of_a_lost_packet_counts_as_found)
{
	struct uet_cc_ack ack = { .new_bytes = 3 * 4096 };
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 4 * 4096, t.now);
	cctest_send(&t, 4);
	uet_ccc_loss(&t.ccc, &t.pkt[1], UET_CC_LOSS_RTO, t.now);
	EXPECT_EQ(t.ccc.inflight, 3 * 4096);
	uet_cc_ack_pkt(&ack, &t.pkt[0]);
	uet_cc_ack_pkt(&ack, &t.pkt[1]);
	uet_cc_ack_pkt(&ack, &t.pkt[2]);
	EXPECT_EQ(ack.acked_pkts, 2);
	EXPECT_EQ(ack.found_pkts, 1);

	uet_ccc_ack(&t.ccc, &ack, t.now);

	/* Subtracted once, though lost and received. */
	EXPECT_EQ(t.ccc.inflight, 4096);
	EXPECT_EQ(t.ccc.inflight_pkts, 1);
	EXPECT_EQ(t.ccc.waiting_rtx, 0);
	EXPECT_EQ(t.ccc.rtx_backlog, 0);
	EXPECT_EQ(t.pkt[1].state, UET_CC_PKT_NONE);
	EXPECT_EQ(t.ccc.stats.found, 1);
}

TEST(ccc_ack__lies_gain_one_window)
{
	struct cctest t;
	u32 i;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 1 << 30, t.now);
	cctest_send(&t, 101);
	for (i = 0; i < 100; i++)
		cctest_ack(&t, U32_MAX, 0, false);
	EXPECT_EQ(t.ccc.inflight, -225000);
	EXPECT_EQ(t.ccc.inflight_pkts, 1);

	/* And nothing once nothing is in flight. */
	cctest_ack(&t, U32_MAX, 0, false);
	EXPECT_EQ(t.ccc.inflight, 0);
	EXPECT_EQ(t.ccc.inflight_pkts, 0);
}

TEST(ccc_nack__only_packets_in_flight_count)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	cctest_nack(&t, 0, UET_NACK_TRIMMED);
	EXPECT_EQ(t.ccc.stats.trims, 0);
	cctest_send(&t, 1);
	cctest_nack(&t, 0, UET_NACK_TRIMMED);
	cctest_nack(&t, 0, UET_NACK_TRIMMED);
	uet_ccc_loss(&t.ccc, &t.pkt[0], UET_CC_LOSS_RTO, t.now);
	EXPECT_EQ(t.ccc.stats.trims, 1);
	EXPECT_EQ(t.ccc.stats.losses, 0);
	EXPECT_EQ(t.ccc.inflight, 0);
}

TEST(ccc_nack__counts_by_code)
{
	static const u8 codes[] = { UET_NACK_TRIMMED, UET_NACK_TRIMMED_LASTHOP,
				    UET_NACK_NO_RESOURCE };
	struct cctest t;
	u32 i;

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	cctest_send(&t, 3);
	for (i = 0; i < 3; i++)
		cctest_nack(&t, i, codes[i]);
	EXPECT_EQ(t.ccc.stats.trims, 1);
	EXPECT_EQ(t.ccc.stats.trims_lasthop, 1);
	EXPECT_EQ(t.ccc.stats.nacks, 1);
	EXPECT_EQ(t.ccc.waiting_rtx, 3);
}

/* One context, a selector, one packet out on each value. */
static void start_with_ev(struct cctest *t, struct uet_ev_sel *sel)
{
	struct uet_ev_cfg cfg;

	uet_ev_cfg_init(&cfg);
	cfg.policy = UET_EV_OBLIVIOUS;
	uet_ev_sel_init(sel, &cfg, NULL, 7, 0);
	cctest_init(t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_init(&t->ccc, &t->param, sel, t->now);
	uet_ccc_new_data(&t->ccc, 100000, t->now);
	cctest_send(t, 4);
}

TEST(ccc_feedback__selector_gets_the_outcome_of_each_value)
{
	struct uet_cc_nack nack = { .code = UET_NACK_TRIMMED, .has_ev = true };
	struct uet_cc_ack ack = { .has_ev = true };
	struct uet_ev_sel sel;
	struct cctest t;

	start_with_ev(&t, &sel);
	EXPECT_NE(t.pkt[0].ev, t.pkt[1].ev);
	EXPECT_EQ(t.send.ev, t.pkt[3].ev);
	ack.ev = t.pkt[0].ev;
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(sel.feedbacks[UET_EV_GOOD], 1);
	ack.is_marked = true;
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(sel.feedbacks[UET_EV_ECN], 1);
	nack.ev = t.pkt[1].ev;
	uet_ccc_nack(&t.ccc, &t.pkt[1], &nack, t.now);
	EXPECT_EQ(sel.feedbacks[UET_EV_NACK], 1);
	/* The last hop is the same on all paths. */
	nack.code = UET_NACK_TRIMMED_LASTHOP;
	nack.is_marked = true;
	uet_ccc_nack(&t.ccc, &t.pkt[2], &nack, t.now);
	EXPECT_EQ(sel.feedbacks[UET_EV_NACK], 1);
	EXPECT_EQ(sel.feedbacks[UET_EV_ECN], 2);
	/* A loss is feedback for the packet itself, not for an ACK. */
	uet_ccc_loss(&t.ccc, &t.pkt[3], UET_CC_LOSS_RTO, t.now);
	EXPECT_EQ(sel.feedbacks[UET_EV_TIMEOUT], 1);
}

TEST(ccc_forget__a_pdc_takes_its_share_with_it)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_CONST, UET_GRANT_NONE);
	uet_ccc_new_data(&t.ccc, 10 * 4096, t.now);
	uet_ccc_new_data(&t.ccc, 5 * 4096, t.now);
	cctest_send(&t, 4);
	cctest_nack(&t, 1, UET_NACK_TRIMMED);
	uet_ccc_forget(&t.ccc, &t.pkt[0], t.now);
	uet_ccc_forget(&t.ccc, &t.pkt[1], t.now);
	uet_ccc_forget(&t.ccc, &t.pkt[9], t.now);
	EXPECT_EQ(t.ccc.inflight, 2 * 4096);
	EXPECT_EQ(t.ccc.inflight_pkts, 2);
	EXPECT_EQ(t.ccc.waiting_rtx, 0);
	uet_ccc_unqueue(&t.ccc, 8 * 4096, t.now);
	EXPECT_EQ(t.ccc.backlog, 3 * 4096);
	uet_ccc_unqueue(&t.ccc, 100 * 4096, t.now);
	EXPECT_EQ(t.ccc.backlog, 0);
	EXPECT_EQ(t.ccc.state, UET_CCC_PENDING);
}

/* Counters match the records of all packets after any events. */
static void check(const struct cctest *t)
{
	u32 out = 0, waits = 0, i;
	u64 rtx = 0;

	for (i = 0; i < CC_PKTS; i++) {
		out += t->pkt[i].state == UET_CC_PKT_OUT;
		if (t->pkt[i].state != UET_CC_PKT_WAITS)
			continue;
		waits++;
		rtx += t->pkt[i].size;
	}
	EXPECT_EQ(t->ccc.inflight_pkts, out);
	EXPECT_EQ(t->ccc.waiting_rtx, waits);
	EXPECT_EQ(t->ccc.rtx_backlog, rtx);
	if (!t->ccc.backlog && !waits)
		EXPECT_EQ(t->ccc.state, out ? UET_CCC_PENDING : UET_CCC_IDLE);
}

static void random_event(struct cctest *t, struct uet_cc_pkt *pkt)
{
	struct uet_cc_nack nack = { .code = 1 + utest_rand() % 6,
				    .ev = pkt->ev, .has_ev = true };
	struct uet_cc_ack ack = { .rtt_ns = utest_rand() % 60000,
				  .ev = pkt->ev, .has_ev = true,
				  .is_marked = utest_rand() & 1 };

	t->now += utest_rand() % 2000;
	switch (utest_rand() % 8) {
	case 0:
		uet_ccc_new_data(&t->ccc, 4096, t->now);
		break;
	case 1:
		ack.new_bytes = pkt->size;
		uet_cc_ack_pkt(&ack, pkt);
		uet_ccc_ack(&t->ccc, &ack, t->now);
		break;
	case 2:
		uet_ccc_nack(&t->ccc, pkt, &nack, t->now);
		break;
	case 3:
		uet_ccc_loss(&t->ccc, pkt, UET_CC_LOSS_RTO, t->now);
		break;
	case 4:
		uet_ccc_forget(&t->ccc, pkt, t->now);
		break;
	default:
		if (t->ccc.state == UET_CCC_READY &&
		    pkt->state != UET_CC_PKT_OUT)
			uet_ccc_send(&t->ccc, pkt, 4096, t->now, &t->send);
	}
}

static void random_events(struct cctest *t, u32 events)
{
	u32 i, target;

	for (i = 0; i < events; i++) {
		random_event(t, &t->pkt[utest_rand() % CC_PKTS]);
		if (i % 3 == 0)
			uet_ccc_credit(&t->ccc, (u32)utest_rand(), t->now);
		if (uet_ccc_deadline(&t->ccc) <= t->now)
			uet_ccc_poll_cp(&t->ccc, t->now, &target);
		if (i % 50 == 0)
			check(t);
	}
	EXPECT_GT(t->ccc.stats.acks, events / 20);
}

/* Each window with each grant and each way to choose values. */
TEST(ccc_events__counters_match_packets)
{
	struct uet_ev_cfg cfg;
	struct uet_ev_sel sel;
	struct cctest t;
	u8 penalty[128];
	u32 i;

	printf("# seed %" PRIu64 "\n", utest.seed);
	for (i = 0; i < UET_WINDOW_NR * UET_GRANT_NR * UET_EV_POLICY_NR; i++) {
		u8 window = i % UET_WINDOW_NR;
		u8 grant = i / UET_WINDOW_NR % UET_GRANT_NR;

		cctest_init(&t, window, grant);
		uet_ev_cfg_init(&cfg);
		cfg.policy = i / UET_WINDOW_NR / UET_GRANT_NR;
		uet_ev_sel_init(&sel, &cfg, penalty, i, t.now);
		uet_ccc_init(&t.ccc, &t.param, &sel, t.now);
		random_events(&t, 4000);
	}
}

TEST(ccc_hold__nothing_is_ready_meanwhile)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_NONE);
	uet_ccc_hold(&t.ccc, true, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	uet_ccc_hold(&t.ccc, true, t.now);
	EXPECT_EQ(t.ccc.stats.throttled, 1);
	uet_ccc_hold(&t.ccc, false, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	cctest_send(&t, 2);
	uet_ccc_hold(&t.ccc, true, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_PENDING);
	EXPECT_EQ(t.ccc.stats.throttled, 2);
}

/* Another CPU had the lock first, and had read its time later. */
TEST(ccc_take__an_event_is_no_earlier_than_the_one_before)
{
	struct cctest t;
	u64 now;

	cctest_init(&t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	now = uet_ccc_take(&t.ccc, t.now);
	EXPECT_EQ(now, t.now);
	uet_lock_drop(&t.ccc.lock);
	EXPECT_EQ(uet_ccc_take(&t.ccc, t.now - 1), t.now);
	uet_lock_drop(&t.ccc.lock);
}
