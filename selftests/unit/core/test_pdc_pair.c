// SPDX-License-Identifier: GPL-2.0
/*
 * Two PDCs and a scripted wire: opening, transfers over a wrap of the PSNs,
 * loss, duplication, reordering, slow receivers, guaranteed delivery, both
 * modes.  How they close is in test_pdc_close.c.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.11, 3.5.12, 3.5.15, 3.5.21.
 * Level: test of core L4.
 */
#include "pdcpair.h"

/* A pair on a wire that treats packets as @fate says. */
static void open_wire(struct pair *p, enum uet_pdc_mode mode,
		      struct pair_fate (*fate)(struct pair *p, int from,
					       const struct uet_pdc_tx *tx))
{
	pair_open(p, mode, &uet_pdc_cfg_default);
	p->fate = fate;
}

/* The initiator queues @n packets. */
static void queue(struct pair *p, u32 n)
{
	struct uet_pds_pkt pkt = { .len = 1024, .next_hdr = UET_NH_REQ_STD };

	while (n--)
		uet_pdc_tx_req(p->end[INI], &pkt, p->now);
}

TEST(pair__one_packet_takes_one_ack)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 1, MS);

	pair_expect_once(&p, 1);
	EXPECT_EQ(p.acked, 1);
	EXPECT_EQ(p.sent[INI], 1);
	EXPECT_EQ(p.sent[TGT], 1);
	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_NEW_ESTABLISHED);
	pair_close(&p);
}

TEST(pair__a_clean_wire_needs_no_retransmission)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 1000, 100 * MS);

	pair_expect_once(&p, 1000);
	EXPECT_EQ(pair_stats(&p, INI)->tx_req, 1000);
	EXPECT_EQ(pair_stats(&p, INI)->tx_retx, 0);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 0);
	EXPECT_EQ(pair_stats(&p, TGT)->rx_dup, 0);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_ESTABLISHED);
	pair_close(&p);
}

/* 16384 bytes of 1124 make 15 packets per ACK, once SYNs are past. */
TEST(pair__acks_are_coalesced)
{
	struct pair p;
	u64 before;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 1, MS);
	before = pair_stats(&p, TGT)->tx_ack;
	pair_transfer(&p, 600, 100 * MS);

	EXPECT_LE(pair_stats(&p, TGT)->tx_ack - before, 600 / 15 + 8);
	EXPECT_GE(pair_stats(&p, TGT)->tx_ack - before, 600 / 16);
	pair_close(&p);
}

TEST(pair__ack_per_pkt_acks_each_packet)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pair p;

	cfg.ack_per_pkt = true;
	pair_open(&p, UET_PDC_RUD, &cfg);
	pair_transfer(&p, 50, 100 * MS);

	EXPECT_EQ(pair_stats(&p, TGT)->tx_ack, 50);
	pair_close(&p);
}

TEST(pair__losses_are_found_without_a_timeout)
{
	struct pair p;

	open_wire(&p, UET_PDC_RUD, pair_lose_every_10th);
	pair_transfer(&p, 1000, 1000 * MS);

	pair_expect_once(&p, 1000);
	EXPECT_EQ(pair_stats(&p, INI)->tx_retx, 100);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 0);
	EXPECT_EQ(pair_stats(&p, TGT)->rx_dup, 0);
	pair_close(&p);
}

static struct pair_fate lose_first_request(struct pair *p, int from,
					   const struct uet_pdc_tx *tx)
{
	if (from == INI && !tx->is_retx)
		return pair_lost();
	return pair_intact();
}

TEST(pair__lost_syn_is_repeated_with_syn)
{
	struct pair p;

	open_wire(&p, UET_PDC_RUD, lose_first_request);
	pair_transfer(&p, 1, 100 * MS);

	pair_expect_once(&p, 1);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 1);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_NEW_ESTABLISHED);
	pair_close(&p);
}

static struct pair_fate lose_tail_once(struct pair *p, int from,
				       const struct uet_pdc_tx *tx)
{
	if (from == INI && !tx->is_retx && tx->hdr.u.req.psn - START >= 90)
		return pair_lost();
	return pair_intact();
}

/* Without probing: one time-out, then packet 90 acknowledged tells of the rest. */
TEST(pair__a_lost_tail_costs_one_timeout)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &cfg);
	p.fate = lose_tail_once;
	pair_transfer(&p, 100, 1000 * MS);

	pair_expect_once(&p, 100);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 1);
	EXPECT_EQ(pair_stats(&p, INI)->tx_retx, 10);
	pair_close(&p);
}

static struct pair_fate lose_half_the_acks(struct pair *p, int from,
					   const struct uet_pdc_tx *tx)
{
	if (from == TGT && (p->sent[TGT] & 1))
		return pair_lost();
	return pair_intact();
}

TEST(pair__lost_acks_cost_nothing_but_the_last)
{
	struct pair p;

	open_wire(&p, UET_PDC_RUD, lose_half_the_acks);
	pair_transfer(&p, 1000, 1000 * MS);

	pair_expect_once(&p, 1000);
	EXPECT_LE(pair_stats(&p, INI)->rto_fired, 3);
	EXPECT_LE(pair_stats(&p, TGT)->rx_dup, 12);
	pair_close(&p);
}

static struct pair_fate all_twice(struct pair *p, int from,
				  const struct uet_pdc_tx *tx)
{
	return (struct pair_fate) { 2, PAIR_DELAY };
}

TEST(pair__duplicates_are_not_delivered)
{
	struct pair p;

	open_wire(&p, UET_PDC_RUD, all_twice);
	pair_transfer(&p, 500, 1000 * MS);
	pair_run_until(&p, p.now + MS);

	pair_expect_once(&p, 500);
	EXPECT_EQ(pair_stats(&p, TGT)->rx_dup, 500);
	EXPECT_EQ(p.acked, 500);
	pair_close(&p);
}

static struct pair_fate two_rails(struct pair *p, int from,
				  const struct uet_pdc_tx *tx)
{
	return (struct pair_fate) { 1, tx->ev & 1 ? 20 * US : 180 * US };
}

/*
 * Two paths, one nine times slower: reordering all the time, no loss.  It takes
 * some needless retransmissions to learn how slow the slower one is.
 */
TEST(pair__reordering_is_not_loss)
{
	struct pair p;
	u64 before;

	open_wire(&p, UET_PDC_RUD, two_rails);
	pair_transfer(&p, 1500, 1000 * MS);
	before = pair_stats(&p, INI)->tx_retx;
	EXPECT_LE(before, 500);
	pair_transfer(&p, 3000, 1000 * MS);

	pair_expect_once(&p, 4500);
	EXPECT_LE(pair_stats(&p, INI)->tx_retx - before, 3000 / 20);
	EXPECT_GT(pair_stats(&p, TGT)->rx_ooo, 1000);
	pair_close(&p);
}

TEST(pair__transfer_survives_ten_per_cent_loss)
{
	struct pair p;
	int round;

	for (round = 0; round < 20; round++) {
		open_wire(&p, UET_PDC_RUD, pair_bad_wire);
		pair_transfer(&p, 700, 60000 * MS);
		pair_expect_once(&p, 700);
		EXPECT_EQ(p.acked, 700);
		pair_close(&p);
	}
}

TEST(pair__largest_and_smallest_window_work)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pair p;

	cfg.window = UET_PDC_WINDOW_MAX;
	pair_open(&p, UET_PDC_RUD, &cfg);
	p.fate = pair_bad_wire;
	pair_transfer(&p, 3000, 60000 * MS);
	pair_expect_once(&p, 3000);
	pair_close(&p);

	cfg.window = UET_PDC_WINDOW_MIN;
	pair_open(&p, UET_PDC_RUD, &cfg);
	p.fate = pair_bad_wire;
	pair_transfer(&p, 1000, 60000 * MS);
	pair_expect_once(&p, 1000);
	pair_close(&p);
}

TEST(pair__a_silent_peer_fails_everything)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 3, MS);
	p.fate = pair_dead_wire;
	pair_transfer(&p, 20, 60000 * MS);

	EXPECT_EQ(p.failed, 20);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired,
		  1 + uet_pdc_cfg_default.max_rto_retx);
	EXPECT_TRUE(uet_pdc_is_dead(p.end[INI]));
	EXPECT_EQ(uet_pdc_deadline(p.end[INI]), UET_NEVER);
	pair_close(&p);
}

static struct pair_fate blackout(struct pair *p, int from,
				 const struct uet_pdc_tx *tx)
{
	return p->now < 500 * MS ? pair_lost() : pair_intact();
}

TEST(pair__a_blackout_is_survived)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 3, MS);
	p.fate = blackout;
	pair_transfer(&p, 300, 10000 * MS);

	pair_expect_once(&p, 303);
	EXPECT_EQ(p.failed, 0);
	pair_close(&p);
}

/* --- slow receivers --- */

static u32 answer_space;
static u32 answer_refused;

static u8 answer_while_space(struct pair *p, const struct uet_pds_hdr *hdr,
			     struct uet_ses_rsp *rsp)
{
	if (!answer_space) {
		answer_refused++;
		return UET_NACK_NO_SES_MSG_AVAIL;
	}
	answer_space--;
	return 0;
}

/* A pair whose receiver has space for @space packets. */
static void open_slow(struct pair *p, enum uet_pdc_mode mode, u32 space)
{
	answer_space = space;
	answer_refused = 0;
	pair_open(p, mode, &uet_pdc_cfg_default);
	p->answer = answer_while_space;
}

/*
 * The receiver takes ten packets, then none for a second: a probe every 16 ms first, and
 * later one in an eighth of the time that it took none.
 */
TEST(pair__a_slow_reader_is_probed_less_and_less)
{
	u32 first_burst;
	struct pair p;

	open_slow(&p, UET_PDC_RUD, 10);
	queue(&p, 100);
	pair_run_until(&p, p.now + MS / 2);
	first_burst = answer_refused;
	EXPECT_EQ(first_burst, 90);

	pair_run_until(&p, p.now + 1000 * MS);
	EXPECT_LE(answer_refused - first_burst, 1000 / 32);
	EXPECT_GE(answer_refused - first_burst, 1000 / 48);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 0);
	EXPECT_EQ(pair_stats(&p, INI)->held, 1);

	answer_space = 1000;
	pair_run_until(&p, p.now + 1000 * MS / 8 + 10 * MS);
	pair_expect_once(&p, 100);
	EXPECT_EQ(p.acked, 100);
	EXPECT_EQ(p.failed, 0);
	pair_close(&p);
}

/* The reader frees space for five packets every 10 ms. */
TEST(pair__a_trickling_reader_is_not_flooded)
{
	struct pair p;
	u32 i;

	open_slow(&p, UET_PDC_RUD, 5);
	queue(&p, 100);
	for (i = 0; i < 100 && p.acked < 100; i++) {
		pair_run_until(&p, p.now + 10 * MS);
		answer_space = 5;
	}

	pair_expect_once(&p, 100);
	EXPECT_EQ(p.failed, 0);
	EXPECT_LE(answer_refused, 95 + 30 * 15);
	pair_close(&p);
}

static u32 answer_front;

/* A streaming reader: takes what is next, refuses the rest. */
static u8 answer_front_only(struct pair *p, const struct uet_pds_hdr *hdr,
			    struct uet_ses_rsp *rsp)
{
	if (hdr->u.req.psn != START + answer_front)
		return UET_NACK_NO_PKT_BUFFER;
	answer_front++;
	return 0;
}

/*
 * The front is lost and never answered, everything behind it is refused: the
 * refusals tell that the front is missing.
 */
TEST(pair__refusals_reveal_a_lost_first_packet)
{
	struct pair p;

	answer_front = 0;
	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	p.answer = answer_front_only;
	p.fate = pair_lose_every_10th;
	queue(&p, 40);
	pair_run_until(&p, p.now + 1000 * MS);

	pair_expect_once(&p, 40);
	EXPECT_EQ(p.acked, 40);
	pair_close(&p);
}

static struct pair_fate lossy_pause(struct pair *p, int from,
				    const struct uet_pdc_tx *tx)
{
	return utest_rand() % 4 ? pair_intact() : pair_lost();
}

/* Probes and NACKs get lost as well; the peer stays alive all the time. */
TEST(pair__slow_reader_behind_a_lossy_wire_gets_all)
{
	struct pair p;

	open_slow(&p, UET_PDC_RUD, 10);
	p.fate = lossy_pause;
	queue(&p, 60);
	pair_run_until(&p, p.now + 20000 * MS);
	EXPECT_EQ(p.failed, 0);
	answer_space = 1000;
	pair_run_until(&p, p.now + 10000 * MS);

	pair_expect_once(&p, 60);
	EXPECT_EQ(p.acked, 60);
	pair_close(&p);
}

/* --- guaranteed delivery --- */

static u8 answer_all_bad(struct pair *p, const struct uet_pds_hdr *hdr,
			 struct uet_ses_rsp *rsp)
{
	rsp->opcode = UET_RSP_RESPONSE;
	rsp->rc = UET_RC_BAD_JOB_ID;
	return 0;
}

TEST(pair__error_responses_all_arrive)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	p.answer = answer_all_bad;
	p.fate = pair_bad_wire;
	pair_transfer(&p, 600, 60000 * MS);

	pair_expect_once(&p, 600);
	EXPECT_EQ(p.acked, 600);
	EXPECT_EQ(p.last_rc, UET_RC_BAD_JOB_ID);
	pair_close(&p);
}

static struct pair_fate lose_clear_commands(struct pair *p, int from,
					    const struct uet_pdc_tx *tx)
{
	static u32 commands;

	if (from == INI && tx->kind == UET_TX_CP &&
	    tx->hdr.next_hdr == UET_CP_CLEAR_COMMAND && commands++ < 4)
		return pair_lost();
	return pair_intact();
}

/* CACK_PSN cannot rise without the clears: the window must not stay shut. */
TEST(pair__a_window_shut_by_lost_clears_opens_again)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pair p;

	cfg.window = UET_PDC_WINDOW_MIN;
	pair_open(&p, UET_PDC_RUD, &cfg);
	p.answer = answer_all_bad;
	p.fate = lose_clear_commands;
	pair_transfer(&p, 1000, 60000 * MS);

	pair_expect_once(&p, 1000);
	EXPECT_EQ(p.acked, 1000);
	pair_close(&p);
}

/* --- ROD --- */

static void expect_in_order(const struct pair *p, u32 n)
{
	u32 i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += p->order[i] != START + i;
	EXPECT_EQ(wrong, 0);
}

TEST(pair_rod__delivers_in_order)
{
	struct pair p;

	pair_open(&p, UET_PDC_ROD, &uet_pdc_cfg_default);
	pair_transfer(&p, 1000, 1000 * MS);

	pair_expect_once(&p, 1000);
	expect_in_order(&p, 1000);
	EXPECT_EQ(pair_stats(&p, INI)->tx_retx, 0);
	pair_close(&p);
}

TEST(pair_rod__loss_goes_back_n)
{
	struct pair p;

	open_wire(&p, UET_PDC_ROD, pair_lose_every_10th);
	pair_transfer(&p, 500, 10000 * MS);

	pair_expect_once(&p, 500);
	expect_in_order(&p, 500);
	EXPECT_EQ(p.acked, 500);
	EXPECT_GT(pair_stats(&p, TGT)->tx_nack, 0);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 0);
	pair_close(&p);
}

static struct pair_fate lose_nacks_too(struct pair *p, int from,
				       const struct uet_pdc_tx *tx)
{
	return tx->kind == UET_TX_NACK ? pair_lost() :
					 pair_lose_every_10th(p, from, tx);
}

TEST(pair_rod__lost_nacks_stall_nothing)
{
	struct pair p;

	open_wire(&p, UET_PDC_ROD, lose_nacks_too);
	pair_transfer(&p, 500, 10000 * MS);

	pair_expect_once(&p, 500);
	expect_in_order(&p, 500);
	EXPECT_EQ(p.acked, 500);
	pair_close(&p);
}

/* The first two retransmissions of each lost packet are lost as well. */
static struct pair_fate lose_three_times(struct pair *p, int from,
					 const struct uet_pdc_tx *tx)
{
	u32 nr = tx->hdr.u.req.psn - START;

	if (from == INI && tx->kind == UET_TX_REQ && nr % 100 == 4 &&
	    uet_pdc_slot(p->end[INI], tx->hdr.u.req.psn)->sends <= 3)
		return pair_lost();
	return pair_intact();
}

TEST(pair_rod__retransmission_that_is_lost_is_refused_again)
{
	struct pair p;

	open_wire(&p, UET_PDC_ROD, lose_three_times);
	pair_transfer(&p, 500, 10000 * MS);

	pair_expect_once(&p, 500);
	expect_in_order(&p, 500);
	/* One NACK for each loss that a later packet reveals, not for each packet. */
	EXPECT_GT(pair_stats(&p, TGT)->tx_nack, 4);
	EXPECT_TRUE(pair_stats(&p, TGT)->tx_nack <= 3 * 5);
	EXPECT_GT(pair_stats(&p, TGT)->rx_ooo, 2 * pair_stats(&p, TGT)->tx_nack);
	pair_close(&p);
}

/* One path: little is overtaken, but some is. */
static struct pair_fate bad_path(struct pair *p, int from,
				 const struct uet_pdc_tx *tx)
{
	struct pair_fate fate = pair_intact();

	if (utest_rand() % 20 == 0)
		return pair_lost();
	if (utest_rand() % 20 == 0)
		fate.copies = 2;
	if (utest_rand() % 20 == 0)
		fate.delay_ns += utest_rand() % (30 * US);
	return fate;
}

TEST(pair_rod__loss_and_reordering_keep_the_order)
{
	struct pair p;
	int round;

	for (round = 0; round < 5; round++) {
		open_wire(&p, UET_PDC_ROD, bad_path);
		pair_transfer(&p, 200, 120000 * MS);
		pair_expect_once(&p, 200);
		expect_in_order(&p, 200);
		EXPECT_EQ(p.acked, 200);
		pair_close(&p);
	}
}

TEST(pair_rod__slow_reader_keeps_the_order)
{
	struct pair p;

	open_slow(&p, UET_PDC_ROD, 10);
	queue(&p, 60);
	pair_run_until(&p, p.now + 500 * MS);
	EXPECT_EQ(p.nr_delivered, 10);
	answer_space = 1000;
	pair_run_until(&p, p.now + 500 * MS);

	pair_expect_once(&p, 60);
	expect_in_order(&p, 60);
	EXPECT_EQ(p.failed, 0);
	pair_close(&p);
}
