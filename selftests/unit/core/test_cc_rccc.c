// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_rccc.c: the first window, grants and their wraps,
 * what is asked for, and Credit Requests.  Spec: UE 1.0.1 3.6.14.
 * Level: test of core L3.
 */
#include "cctest.h"

static void begin(struct cctest *t, u8 window)
{
	cctest_init(t, window, UET_GRANT_RCCC);
}

static u32 units(u64 bytes)
{
	return (u32)((bytes + 255) / 256);
}

TEST(rccc_start__first_window_needs_no_credit)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	/* 54 full packets leave some, and the last may overdraw. */
	EXPECT_EQ(cctest_burst(&t), 55);
	EXPECT_EQ(t.ccc.rccc.credit, 225000 - 55 * 4096);
	EXPECT_TRUE(t.ccc.rccc.speculates);
	EXPECT_TRUE(t.send.wants_ack);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
}

TEST(rccc_start__first_answer_ends_it)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_send(&t, 2);
	cctest_ack(&t, 4096, 0, false);
	EXPECT_EQ(t.ccc.rccc.credit, 0);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_send(&t, 2);
	cctest_nack(&t, 0, UET_NACK_TRIMMED_LASTHOP);
	EXPECT_EQ(t.ccc.rccc.credit, 0);

	/* Overdrawn credit stays overdrawn. */
	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_burst(&t);
	uet_ccc_credit(&t.ccc, 0, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 225000 - 55 * 4096);
}

TEST(rccc_credit__is_cumulative)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	cctest_send(&t, 1);
	uet_ccc_credit(&t.ccc, 64, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 16384);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	/* One was lost, one comes late, one twice. */
	uet_ccc_credit(&t.ccc, 192, t.now);
	uet_ccc_credit(&t.ccc, 128, t.now);
	uet_ccc_credit(&t.ccc, 192, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 192 * 256);
	EXPECT_EQ(t.ccc.stats.credits, 2);
}

TEST(rccc_credit__wraps_at_24_bits)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 0, t.now);
	t.ccc.rccc.pull = 0xffffc0;
	t.ccc.rccc.credit = 0;
	uet_ccc_credit(&t.ccc, 0x000040, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 128 * 256);
	EXPECT_EQ(t.ccc.rccc.pull, 0x40);
}

TEST(rccc_credit__credit_is_capped_at_one_window)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 0x7fffff, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 225000);
}

TEST(rccc_credit__acks_carry_credit)
{
	struct uet_cc_ack ack = { .has_credit = true, .credit = 0xff000040 };
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(t.ccc.rccc.credit, 64 * 256);
	EXPECT_FALSE(t.ccc.rccc.speculates);
}

/* A source that was granted @units has @bytes to send, and sends a packet. */
static void begin_granted(struct cctest *t, u32 units, u64 bytes)
{
	begin(t, UET_WINDOW_NONE);
	uet_ccc_credit(&t->ccc, units, t->now);
	uet_ccc_new_data(&t->ccc, bytes, t->now);
	cctest_send(t, 1);
}

TEST(rccc_target__target_is_credit_plus_unmet_demand)
{
	struct cctest t;

	begin_granted(&t, 64, 100000);
	EXPECT_TRUE(t.send.has_target);
	EXPECT_FALSE(t.ccc.rccc.speculates);
	/* 95,904 left, 12,288 of that may go already. */
	EXPECT_EQ(t.send.credit_target, 64 + units(95904 - 12288));
}

TEST(rccc_target__credit_that_is_left_is_no_demand)
{
	struct cctest t;
	u32 i;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 100, t.now);
	for (i = 1; i <= 4; i++) {
		uet_ccc_new_data(&t.ccc, 4096, t.now);
		cctest_send(&t, 1);
		EXPECT_EQ(t.send.credit_target, 16 * i);
	}
	EXPECT_EQ(t.ccc.rccc.credit, 36 * 256);
}

TEST(rccc_target__is_capped_by_bdp)
{
	struct cctest t;

	begin_granted(&t, 16, 10000000);
	EXPECT_EQ(t.send.credit_target, 16 + units(225000));
}

TEST(rccc_target__target_is_one_packet_while_speculating)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 20000, t.now);
	cctest_send(&t, 1);
	EXPECT_EQ(t.send.credit_target, 16);
	uet_ccc_unqueue(&t.ccc, 20000, t.now);
	cctest_send(&t, 1);
	EXPECT_EQ(t.send.credit_target, 0);
}

TEST(rccc_target__is_shared_with_other_contexts)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 16, t.now);
	uet_ccc_new_data(&t.ccc, 10000000, t.now);
	t.ccc.sharers = 9;
	cctest_send(&t, 1);
	EXPECT_EQ(t.send.credit_target, 16 + units(25000));
}

/* RCCC and NSCC: who is throttled in the core does not hoard. */
TEST(rccc_target__target_is_capped_by_the_window)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NSCC);
	uet_ccc_credit(&t.ccc, 16, t.now);
	t.ccc.cwnd = 30000;
	uet_ccc_new_data(&t.ccc, 10000000, t.now);
	cctest_send(&t, 1);
	EXPECT_EQ(t.send.credit_target, 16 + units(34096));
}

TEST(rccc_wants_ack__last_credit_requests_an_ack)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 64, t.now);
	uet_ccc_new_data(&t.ccc, 3 * 4096, t.now);
	cctest_send(&t, 1);
	EXPECT_FALSE(t.send.wants_ack);
	cctest_send(&t, 2);
	EXPECT_FALSE(t.send.wants_ack);

	uet_ccc_new_data(&t.ccc, 100000, t.now);
	cctest_send(&t, 1);
	EXPECT_TRUE(t.send.wants_ack);
	EXPECT_EQ(t.ccc.rccc.credit, 0);
}

/* The packet that takes the last byte of credit is not in a run: it requests an ACK. */
TEST(rccc_room__a_run_leaves_a_byte_of_credit)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1000000, t.now);
	uet_ccc_credit(&t.ccc, 64, t.now);
	t.ccc.rccc.credit = 2 * 4096 + 1;
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 5), 2);
	t.ccc.rccc.credit = 2 * 4096;
	EXPECT_EQ(uet_ccc_run_room(&t.ccc, 4096, 5), 1);
}

TEST(rccc_poll_cp__asks_at_once_for_new_demand)
{
	struct cctest t;
	u32 target;

	begin_granted(&t, 16, 4096);
	cctest_ack(&t, 4096, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_IDLE);
	EXPECT_EQ(uet_ccc_deadline(&t.ccc), U64_MAX);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_NONE);

	uet_ccc_new_data(&t.ccc, 8192, t.now);

	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	EXPECT_LE(uet_ccc_deadline(&t.ccc), t.now);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target),
		  UET_CC_CP_CREDIT_REQUEST);
	EXPECT_EQ(target, 16 + 32);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target), UET_CC_CP_NONE);
}

TEST(rccc_poll_cp__repeats_ever_more_rarely)
{
	struct cctest t;
	u32 target, i;
	u64 last;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 0, t.now);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target),
		  UET_CC_CP_CREDIT_REQUEST);
	for (i = 2; i < 10; i++) {
		last = t.now;
		/* It is answered: nothing new. */
		uet_ccc_credit(&t.ccc, 0, t.now);
		t.now = uet_ccc_deadline(&t.ccc);
		EXPECT_EQ(t.now - last, 12000ULL << (i < 7 ? i : 7));
		EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now - 1, &target),
			  UET_CC_CP_NONE);
		EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target),
			  UET_CC_CP_CREDIT_REQUEST);
	}
	/* Something came: peer_timeout is back, but there is nothing to wait for. */
	uet_ccc_credit(&t.ccc, 1, t.now);
	EXPECT_EQ(uet_ccc_deadline(&t.ccc), U64_MAX);
	EXPECT_EQ(t.ccc.rccc.tries, 0);
}

/* @nr Credit Requests, and the source no longer waits for credit. */
static void give_up_after(struct cctest *t, u32 nr)
{
	u32 target, i;

	EXPECT_EQ(t->ccc.state, UET_CCC_ACTIVE);
	for (i = 0; i < nr; i++) {
		t->now = uet_ccc_deadline(&t->ccc);
		EXPECT_EQ(uet_ccc_poll_cp(&t->ccc, t->now, &target),
			  UET_CC_CP_CREDIT_REQUEST);
		EXPECT_EQ(t->ccc.state, UET_CCC_ACTIVE);
	}
	t->now = uet_ccc_deadline(&t->ccc);
	EXPECT_EQ(uet_ccc_poll_cp(&t->ccc, t->now, &target), UET_CC_CP_NONE);
	EXPECT_EQ(t->ccc.state, UET_CCC_READY);
	EXPECT_EQ(uet_ccc_deadline(&t->ccc), U64_MAX);
	EXPECT_EQ(t->ccc.stats.credit_requests, nr);
}

TEST(rccc_unpaced__destination_that_paced_before_is_asked_four_times)
{
	struct cctest t;

	begin_granted(&t, 16, 10000000);
	give_up_after(&t, 4);
}

/* A destination that does not pace sends no credit. */
TEST(rccc_unpaced__unanswered_request_allows_a_window_at_a_time)
{
	struct cctest t;
	u64 began;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 10000000, t.now);
	cctest_send(&t, 1);
	cctest_ack(&t, 4096, 0, false);
	began = t.now;
	give_up_after(&t, 1);
	EXPECT_LE(t.now - began, 4 * t.cfg.base_rtt_ns);

	/* 54 full packets, and one more for each that arrives. */
	EXPECT_EQ(cctest_burst(&t), 54);
	EXPECT_TRUE(t.send.wants_ack);
	EXPECT_TRUE(t.send.has_target);
	cctest_ack(&t, 4096, 0, false);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	EXPECT_EQ(cctest_burst(&t), 1);
}

TEST(rccc_unpaced__ends_with_the_first_credit)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 16, t.now);
	t.ccc.rccc.credit = 0;
	t.ccc.rccc.silent = 4;
	t.ccc.rccc.is_unpaced = true;
	uet_ccc_new_data(&t.ccc, 10000000, t.now);
	cctest_send(&t, 2);
	EXPECT_EQ(t.ccc.rccc.credit, 0);
	/* It tells nothing new, but somebody is there. */
	uet_ccc_credit(&t.ccc, 16, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	EXPECT_EQ(t.ccc.rccc.silent, 0);
	EXPECT_LT(uet_ccc_deadline(&t.ccc), U64_MAX);
}

TEST(rccc_unsolicited__unsolicited_packets_need_window_but_no_credit)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_credit(&t.ccc, 0, t.now);
	uet_ccc_new_data(&t.ccc, 10000, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	EXPECT_TRUE(uet_ccc_may_send_unsolicited(&t.ccc));

	begin(&t, UET_WINDOW_NSCC);
	uet_ccc_credit(&t.ccc, 0, t.now);
	EXPECT_TRUE(uet_ccc_may_send_unsolicited(&t.ccc));
	t.ccc.cwnd = 4096;
	t.ccc.inflight = 1;
	EXPECT_FALSE(uet_ccc_may_send_unsolicited(&t.ccc));

	cctest_init(&t, UET_WINDOW_NSCC, UET_GRANT_NONE);
	EXPECT_FALSE(uet_ccc_may_send_unsolicited(&t.ccc));
}

/* The packet says what is wanted; only then does peer_timeout begin. */
TEST(rccc_poll_cp__demand_in_a_packet_delays_the_request)
{
	struct cctest t;
	u32 target;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	uet_ccc_credit(&t.ccc, 16, t.now);
	t.now += 20000;
	cctest_send(&t, 1);
	EXPECT_EQ(uet_ccc_deadline(&t.ccc), t.now + 24000);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now + 23999, &target),
		  UET_CC_CP_NONE);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now + 24000, &target),
		  UET_CC_CP_CREDIT_REQUEST);
}

/*
 * A source that waits long for each grant has peer_timeout for the next, but not
 * without end.
 */
TEST(rccc_poll_cp__waits_longer_with_many_sources)
{
	struct cctest t;
	u32 i;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 1 << 20, t.now);
	uet_ccc_credit(&t.ccc, 16, t.now);
	for (i = 2; i < 5; i++) {
		cctest_send(&t, 1);
		t.now += 20000;
		uet_ccc_credit(&t.ccc, 16 * i, t.now);
	}
	cctest_send(&t, 1);
	EXPECT_EQ(uet_ccc_deadline(&t.ccc), t.now + 2 * (12000 + 20000));
	t.now += 10000000;
	uet_ccc_credit(&t.ccc, 16 * i, t.now);
	cctest_send(&t, 1);
	EXPECT_EQ(uet_ccc_deadline(&t.ccc), t.now + 2 * 17 * 12000);
}

TEST(rccc_poll_cp__lost_packet_requests_credit_at_once)
{
	struct cctest t;
	u32 target;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	cctest_send(&t, 1);
	uet_ccc_credit(&t.ccc, 0, t.now);
	t.now += 1000 * CC_US;
	uet_ccc_loss(&t.ccc, &t.pkt[0], UET_CC_LOSS_RTO, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	EXPECT_EQ(uet_ccc_poll_cp(&t.ccc, t.now, &target),
		  UET_CC_CP_CREDIT_REQUEST);
	EXPECT_EQ(target, 16);
}

TEST(rccc_on_loss__time_out_requests_credit_only_if_none_is_left)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	uet_ccc_new_data(&t.ccc, 8192, t.now);
	cctest_send(&t, 1);
	t.ccc.rccc.wants_request = false;
	t.ccc.rccc.credit = 1;
	uet_ccc_loss(&t.ccc, &t.pkt[0], UET_CC_LOSS_RTO, t.now);
	EXPECT_FALSE(t.ccc.rccc.wants_request);
	cctest_send(&t, 1);
	t.ccc.rccc.credit = 0;
	t.ccc.rccc.wants_request = false;
	uet_ccc_loss(&t.ccc, &t.pkt[1], UET_CC_LOSS_RTO, t.now);
	EXPECT_TRUE(t.ccc.rccc.wants_request);
}

TEST(rccc_wake__source_speculates_again_after_the_idle_time)
{
	struct cctest t;

	begin(&t, UET_WINDOW_NONE);
	t.cfg.idle_ns = 1000 * CC_US;
	cctest_start(&t);
	uet_ccc_credit(&t.ccc, 77, t.now);
	t.ccc.rccc.credit = 0;
	t.now += 1000 * CC_US;
	uet_ccc_new_data(&t.ccc, 4096, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_READY);
	EXPECT_TRUE(t.ccc.rccc.speculates);
	EXPECT_EQ(t.ccc.rccc.pull, 77);
	/* It woke before it looked for credit. */
	EXPECT_FALSE(t.ccc.rccc.wants_request);
}
