// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx.c: what is sent again after it was refused for its
 * generation, in which order, when, and with what.  The PDC is a double; a target
 * that uses generations stands behind it in the tests at random.  Level: test.
 */
#include "core/ses/ses.h"
#include "sesdouble.h"
#include "utest.h"

#define MTU	1024
#define MSGS	8

struct bench {
	struct uet_pdc pdc;
	struct uet_ses ses;
	struct list_head done;
	struct uet_ses_tx tx[MSGS];
	unsigned int answered;
	u64 now;
};

static void bench_run(struct bench *b)
{
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, b->now);
}

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, ARRAY_SIZE(b->pdc.pkt));
	b->now = 1000;
}

static void bench_send(struct bench *b, unsigned int i, u32 length)
{
	double_msg(&b->tx[i], UET_OP_SEND, length, MTU);
	uet_ses_tx_queue(&b->ses, &b->tx[i]);
	uet_ses_pump(&b->ses, &b->pdc, b->now);
}

/* A bench on which the first message is sent. */
static void bench_start(struct bench *b, u32 length)
{
	bench_init(b);
	bench_send(b, 0, length);
}

/* The next packet handed down is answered so. */
static void bench_answer(struct bench *b, u8 rc, u8 ri_gen)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b->pdc.pkt[b->answered++],
		.rsp_opcode = rc == UET_RC_OK ? UET_RSP_DEFAULT :
						UET_RSP_RESPONSE,
		.rc = rc, .ri_gen = ri_gen,
	};
	bench_run(b);
}

/* The message and the generation of a packet that was handed down. */
static bool bench_is(const struct bench *b, unsigned int pkt, unsigned int msg,
		     u8 ri_gen)
{
	struct uet_ses_req req;

	if (pkt >= b->pdc.nr || b->pdc.pkt[pkt].msg != &b->tx[msg])
		return false;
	uet_ses_tx_request(&b->tx[msg], &b->pdc.pkt[pkt], &req);
	return req.ri_gen == ri_gen;
}

static bool is_done(const struct bench *b, unsigned int msg)
{
	const struct uet_ses_tx *tx;

	list_for_each_entry(tx, &b->done, link)
		if (tx == &b->tx[msg])
			return true;
	return false;
}

static void expect_idle(const struct bench *b)
{
	EXPECT_EQ(b->ses.nr_tx, 0);
	EXPECT_EQ(b->ses.nr_packets, 0);
	EXPECT_EQ(b->ses.gen.nr, 0);
	EXPECT_TRUE(list_empty(&b->ses.gen.refused));
	EXPECT_FALSE(b->pdc.is_held);
}

/* --------------------------------------------------------------- disabled */

TEST(ses_gen__refused_messages_are_sent_again_in_order)
{
	struct bench b;

	bench_init(&b);
	for (unsigned int i = 0; i < 3; i++)
		bench_send(&b, i, 100);
	ASSERT_EQ(b.pdc.nr, 3);
	EXPECT_TRUE(bench_is(&b, 0, 0, 0));
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 0));
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	/* Not before all is answered. */
	EXPECT_EQ(uet_ses_gen_deadline(&b.ses), UET_NEVER);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	EXPECT_FALSE(is_done(&b, 1));
	EXPECT_TRUE(b.pdc.is_held);
	EXPECT_EQ(b.pdc.nr, 3);
	EXPECT_EQ(uet_ses_gen_deadline(&b.ses), b.now + DOUBLE_PAUSE);
	/* New messages wait behind them. */
	bench_send(&b, 3, 100);
	EXPECT_EQ(b.pdc.nr, 3);

	b.now += DOUBLE_PAUSE;
	bench_run(&b);
	ASSERT_EQ(b.pdc.nr, 4);
	EXPECT_TRUE(bench_is(&b, 3, 1, 1));
	EXPECT_EQ(b.pdc.pkt[3].flags,
		  UET_PKT_SOM | UET_PKT_EOM | UET_PKT_TAIL);
	bench_answer(&b, UET_RC_OK, 0);
	ASSERT_EQ(b.pdc.nr, 6);
	EXPECT_TRUE(bench_is(&b, 4, 2, 1));
	EXPECT_TRUE(bench_is(&b, 5, 3, 1));
	bench_answer(&b, UET_RC_OK, 0);
	bench_answer(&b, UET_RC_OK, 0);
	for (unsigned int i = 0; i < 4; i++) {
		EXPECT_TRUE(is_done(&b, i));
		EXPECT_EQ(uet_ses_errno(&b.tx[i]), 0);
		EXPECT_EQ(uet_ses_executed(&b.tx[i]), 100);
	}
	EXPECT_EQ(b.ses.gen.resent, 2);
	expect_idle(&b);
}

TEST(ses_gen__pauses_double_until_one_is_accepted)
{
	struct bench b;

	bench_start(&b, 100);
	for (unsigned int i = 0; i < 4; i++) {
		bench_answer(&b, UET_RC_DISABLED_GEN, 1);
		EXPECT_EQ(uet_ses_gen_deadline(&b.ses),
			  b.now + (DOUBLE_PAUSE << i));
		b.now = uet_ses_gen_deadline(&b.ses) - 1;
		bench_run(&b);
		EXPECT_EQ(b.pdc.nr, i + 1);
		b.now++;
		bench_run(&b);
		ASSERT_EQ(b.pdc.nr, i + 2);
	}
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_gen_deadline(&b.ses), UET_NEVER);
	bench_send(&b, 1, 100);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	EXPECT_EQ(uet_ses_gen_deadline(&b.ses), b.now + DOUBLE_PAUSE);
}

TEST(ses_gen__a_long_message_begins_anew)
{
	struct uet_ses_req req;
	struct bench b;
	u16 id;

	bench_init(&b);
	b.pdc.space = 2;
	bench_send(&b, 0, 4 * MTU);
	ASSERT_EQ(b.pdc.nr, 2);
	id = b.tx[0].msg_id;
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	/* No more of it is sent. */
	b.pdc.space = ARRAY_SIZE(b.pdc.pkt);
	bench_run(&b);
	EXPECT_EQ(b.pdc.nr, 2);
	EXPECT_EQ(b.tx[0].acked, 0);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	b.now += DOUBLE_PAUSE;
	bench_run(&b);
	/* One packet finds out, */
	ASSERT_EQ(b.pdc.nr, 3);
	EXPECT_TRUE(bench_is(&b, 2, 0, 1));
	EXPECT_EQ(b.pdc.pkt[2].offset, 0);
	EXPECT_NE(b.tx[0].msg_id, id);
	bench_answer(&b, UET_RC_OK, 0);
	/* the others follow, and all say the same. */
	ASSERT_EQ(b.pdc.nr, 6);
	uet_ses_tx_request(&b.tx[0], &b.pdc.pkt[5], &req);
	EXPECT_EQ(req.ri_gen, 1);
	EXPECT_EQ(req.message_offset, 3 * MTU);
	for (unsigned int i = 0; i < 3; i++)
		bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_executed(&b.tx[0]), 4 * MTU);
	expect_idle(&b);
}

/* A target that takes the next message all the same gets all of that one. */
TEST(ses_gen__a_message_that_was_taken_goes_on)
{
	struct bench b;

	bench_init(&b);
	b.pdc.space = 2;
	bench_send(&b, 0, 100);
	bench_send(&b, 1, 2 * MTU);
	ASSERT_EQ(b.pdc.nr, 2);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	bench_answer(&b, UET_RC_OK, 0);
	b.pdc.space = ARRAY_SIZE(b.pdc.pkt);
	bench_run(&b);
	ASSERT_EQ(b.pdc.nr, 3);
	EXPECT_TRUE(bench_is(&b, 2, 1, 0));
	EXPECT_EQ(b.pdc.pkt[2].flags & UET_PKT_EOM, UET_PKT_EOM);
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 1));
	b.now += DOUBLE_PAUSE;
	bench_run(&b);
	ASSERT_EQ(b.pdc.nr, 4);
	EXPECT_TRUE(bench_is(&b, 3, 0, 1));
}

/* -------------------------------------------------------- wrong generation */

TEST(ses_gen__a_new_generation_is_used_at_once)
{
	struct bench b;

	bench_start(&b, 100);
	bench_send(&b, 1, 100);
	bench_answer(&b, UET_RC_BAD_GENERATION, 9);
	bench_answer(&b, UET_RC_BAD_GENERATION, 9);
	ASSERT_EQ(b.pdc.nr, 4);
	EXPECT_TRUE(bench_is(&b, 2, 0, 9));
	EXPECT_TRUE(bench_is(&b, 3, 1, 9));
	bench_answer(&b, UET_RC_OK, 0);
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 0) && is_done(&b, 1));
	/* And stays in use. */
	bench_send(&b, 2, 0);
	EXPECT_TRUE(bench_is(&b, 4, 2, 9));
}

TEST(ses_gen__changing_generations_pause_the_sender)
{
	struct bench b;

	bench_start(&b, 100);
	bench_answer(&b, UET_RC_BAD_GENERATION, 9);
	ASSERT_EQ(b.pdc.nr, 2);
	bench_answer(&b, UET_RC_BAD_GENERATION, 10);
	EXPECT_EQ(b.pdc.nr, 2);
	EXPECT_EQ(uet_ses_gen_deadline(&b.ses), b.now + DOUBLE_PAUSE);
}

/* A message that was accepted in between ends the row. */
TEST(ses_gen__two_wrong_generations_in_a_row_pause_the_sender)
{
	struct bench b;

	bench_start(&b, 100);
	bench_answer(&b, UET_RC_BAD_GENERATION, 9);
	ASSERT_EQ(b.pdc.nr, 2);
	bench_answer(&b, UET_RC_OK, 0);
	bench_send(&b, 1, 100);
	ASSERT_EQ(b.pdc.nr, 3);
	bench_answer(&b, UET_RC_BAD_GENERATION, 10);
	EXPECT_EQ(b.pdc.nr, 4);
	EXPECT_TRUE(bench_is(&b, 3, 1, 10));
}

TEST(ses_gen__one_that_makes_no_sense_is_an_error)
{
	static const u8 gens[] = { 0, 9 };
	struct bench b;

	for (unsigned int i = 0; i < ARRAY_SIZE(gens); i++) {
		bench_init(&b);
		b.ses.gen.value = 9;
		bench_send(&b, 0, 100);
		bench_answer(&b, UET_RC_BAD_GENERATION, gens[i]);
		EXPECT_TRUE(is_done(&b, 0));
		EXPECT_EQ(uet_ses_errno(&b.tx[0]), -ESTALE);
		expect_idle(&b);
	}
}

/* The bytes may be gone: what was refused in its middle cannot begin anew. */
TEST(ses_gen__refusal_in_mid_message_is_an_error)
{
	struct bench b;

	bench_start(&b, 2 * MTU);
	bench_answer(&b, UET_RC_OK, 0);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_errno(&b.tx[0]), -ENOBUFS);
	expect_idle(&b);
}

/* A read has none. */
TEST(ses_gen__a_read_is_asked_for_anew)
{
	struct uet_ses_rsp rsp = { .form = UET_RSP_FORM_DATA,
				   .opcode = UET_RSP_W_DATA, .rc = UET_RC_OK };
	struct bench b;

	bench_init(&b);
	double_msg(&b.tx[0], UET_OP_SEND, 2 * MTU, MTU);
	b.tx[0].opcode = UET_OP_READ;
	b.tx[0].read.want = 2 * MTU;
	uet_ses_tx_queue(&b.ses, &b.tx[0]);
	bench_run(&b);
	ASSERT_EQ(b.pdc.nr, 2);
	rsp.read_msg_id = b.tx[0].msg_id;
	uet_ses_read_take(&b.ses, &b.tx[0], 0, MTU, 1);
	bench_answer(&b, UET_RC_OK, 0);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	EXPECT_EQ(b.ses.nr_requested, 0);
	/* Data for the first attempt match no request. */
	EXPECT_TRUE(!uet_ses_read_find(&b.ses, &rsp));
	b.now += DOUBLE_PAUSE;
	bench_run(&b);
	bench_answer(&b, UET_RC_OK, 0);
	ASSERT_EQ(b.pdc.nr, 4);
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(!uet_ses_read_find(&b.ses, &rsp));
	uet_ses_read_take(&b.ses, &b.tx[0], 0, MTU, 1);
	uet_ses_read_take(&b.ses, &b.tx[0], MTU, MTU, 1);
	bench_run(&b);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_executed(&b.tx[0]), 2 * MTU);
	EXPECT_EQ(b.ses.nr_requested, 0);
	expect_idle(&b);
}

/* ---------------------------------------------------- endpoints to come */

/* Send message @i, which waits for its endpoint for @ns. */
static void bench_send_waiting(struct bench *b, unsigned int i, u32 length, u64 ns)
{
	double_msg(&b->tx[i], UET_OP_SEND, length, MTU);
	b->tx[i].wait_until = b->now + ns;
	uet_ses_tx_queue(&b->ses, &b->tx[i]);
	uet_ses_pump(&b->ses, &b->pdc, b->now);
}

TEST(ses_gen__a_message_waits_for_its_endpoint)
{
	static const u8 absent[] = { UET_RC_BAD_JOB_ID, UET_RC_BAD_PID,
				     UET_RC_BAD_INDEX };
	struct bench b;

	bench_init(&b);
	bench_send_waiting(&b, 0, 2 * MTU, 100 * DOUBLE_PAUSE);
	bench_send_waiting(&b, 1, 100, 100 * DOUBLE_PAUSE);
	for (unsigned int i = 0; i < ARRAY_SIZE(absent); i++) {
		/* One packet finds out. */
		ASSERT_EQ(b.pdc.nr, i + 1);
		bench_answer(&b, absent[i], 0);
		EXPECT_EQ(uet_ses_gen_deadline(&b.ses),
			  b.now + (DOUBLE_PAUSE << i));
		b.now = uet_ses_gen_deadline(&b.ses);
		bench_run(&b);
	}
	EXPECT_TRUE(bench_is(&b, 3, 0, 0));
	bench_answer(&b, UET_RC_OK, 0);
	ASSERT_EQ(b.pdc.nr, 6);
	EXPECT_TRUE(bench_is(&b, 4, 0, 0));
	EXPECT_TRUE(bench_is(&b, 5, 1, 0));
	bench_answer(&b, UET_RC_OK, 0);
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 0) && is_done(&b, 1));
	EXPECT_EQ(uet_ses_errno(&b.tx[0]), 0);
	EXPECT_EQ(uet_ses_executed(&b.tx[0]), 2 * MTU);
	EXPECT_EQ(b.ses.gen.resent, 3);
	expect_idle(&b);
}

TEST(ses_gen__an_endpoint_that_does_not_come_is_an_error)
{
	struct bench b;

	bench_init(&b);
	bench_send_waiting(&b, 0, 100, DOUBLE_PAUSE / 2);
	bench_send_waiting(&b, 1, 100, 10 * DOUBLE_PAUSE);
	bench_answer(&b, UET_RC_BAD_PID, 0);
	EXPECT_FALSE(is_done(&b, 0));
	b.now += DOUBLE_PAUSE;
	bench_run(&b);
	ASSERT_EQ(b.pdc.nr, 2);
	bench_answer(&b, UET_RC_BAD_PID, 0);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_errno(&b.tx[0]), -ECONNREFUSED);
	/* The other one has more time, and goes alone. */
	ASSERT_EQ(b.pdc.nr, 3);
	EXPECT_TRUE(bench_is(&b, 2, 1, 0));
	bench_answer(&b, UET_RC_BAD_PID, 0);
	EXPECT_FALSE(is_done(&b, 1));
	b.now = uet_ses_gen_deadline(&b.ses);
	bench_run(&b);
	bench_answer(&b, UET_RC_OK, 0);
	EXPECT_TRUE(is_done(&b, 1));
	EXPECT_EQ(uet_ses_errno(&b.tx[1]), 0);
	expect_idle(&b);
}

TEST(ses_gen__a_message_that_does_not_wait_fails_at_once)
{
	struct bench b;

	bench_start(&b, 100);
	bench_answer(&b, UET_RC_BAD_PID, 0);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_errno(&b.tx[0]), -ECONNREFUSED);
	/* Nor does one wait for what is there but has no such memory. */
	bench_send_waiting(&b, 1, 100, 10 * DOUBLE_PAUSE);
	bench_answer(&b, UET_RC_BAD_MKEY, 0);
	EXPECT_TRUE(is_done(&b, 1));
	expect_idle(&b);
}

/* A later message could overtake one that waits for an endpoint that comes again. */
TEST(ses_gen__an_ordered_message_waits_for_the_first_endpoint_only)
{
	struct bench b;

	for (unsigned int ordered = 0; ordered < 2; ordered++) {
		bench_init(&b);
		b.ses.gen.is_ordered = ordered;
		bench_send_waiting(&b, 0, 100, 10 * DOUBLE_PAUSE);
		bench_answer(&b, UET_RC_BAD_INDEX, 0);
		EXPECT_FALSE(is_done(&b, 0));
		b.now += DOUBLE_PAUSE;
		bench_run(&b);
		bench_answer(&b, UET_RC_OK, 0);
		EXPECT_TRUE(is_done(&b, 0));
		bench_send_waiting(&b, 1, 100, 10 * DOUBLE_PAUSE);
		bench_send_waiting(&b, 2, 100, 10 * DOUBLE_PAUSE);
		/* Both are in flight: the endpoint was there. */
		ASSERT_EQ(b.pdc.nr, 4);
		bench_answer(&b, UET_RC_BAD_PID, 0);
		EXPECT_EQ(is_done(&b, 1), ordered);
		bench_answer(&b, UET_RC_OK, 0);
		EXPECT_TRUE(is_done(&b, 2));
	}
}

/* ------------------------------------------------------------------ the end */

TEST(ses_gen__refused_message_can_be_aborted)
{
	struct bench b;

	bench_start(&b, 100);
	bench_send(&b, 1, 100);
	bench_send(&b, 2, 100);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	/* While packets behind it are in flight, */
	uet_ses_tx_abort(&b.ses, &b.tx[0]);
	bench_run(&b);
	EXPECT_TRUE(is_done(&b, 0));
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	/* during the pause, */
	uet_ses_tx_abort(&b.ses, &b.tx[1]);
	bench_run(&b);
	EXPECT_TRUE(is_done(&b, 1));
	b.now += DOUBLE_PAUSE;
	bench_run(&b);
	ASSERT_EQ(b.pdc.nr, 4);
	/* and on its way again. */
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	uet_ses_tx_abort(&b.ses, &b.tx[2]);
	bench_run(&b);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_TRUE(is_done(&b, i));
		EXPECT_EQ(uet_ses_errno(&b.tx[i]), -ECANCELED);
	}
	expect_idle(&b);
}

TEST(ses_gen__aborted_message_waits_for_its_packets)
{
	struct bench b;

	bench_start(&b, 2 * MTU);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	uet_ses_tx_abort(&b.ses, &b.tx[0]);
	bench_run(&b);
	EXPECT_FALSE(is_done(&b, 0));
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	EXPECT_TRUE(is_done(&b, 0));
	EXPECT_EQ(uet_ses_errno(&b.tx[0]), -ECANCELED);
	expect_idle(&b);
}

TEST(ses_gen__a_failed_pdc_ends_them)
{
	struct bench b;

	bench_start(&b, 100);
	bench_send(&b, 1, 100);
	bench_answer(&b, UET_RC_DISABLED_GEN, 1);
	uet_ses_fail(&b.ses, UET_PDC_ERR_TIMEOUT, &b.done);
	EXPECT_TRUE(is_done(&b, 0));
	b.pdc.up[b.pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_FAILED, .pkt = b.pdc.pkt[1],
		.error = UET_PDC_ERR_TIMEOUT,
	};
	bench_run(&b);
	EXPECT_TRUE(is_done(&b, 1));
	EXPECT_EQ(uet_ses_errno(&b.tx[0]), -ETIMEDOUT);
	EXPECT_EQ(uet_ses_errno(&b.tx[1]), -ETIMEDOUT);
	expect_idle(&b);
}

/* --------------------------------------------------------------- at random */

/**
 * struct target - an index with space for so many messages, and its PDC
 * @gen: its generation
 * @is_strict: of the PDC
 * @space: messages it has space for
 * @next: message it must get next
 * @begun: message whose packets it takes, or NULL
 */
struct target {
	struct uet_ri_gen gen;
	bool is_strict;
	unsigned int space;
	unsigned int next;
	const struct uet_ses_tx *begun;
};

/* As rx_request.c does: what was begun is finished, what begins is looked at. */
static u8 target_take(struct target *t, struct bench *b, unsigned int i)
{
	const struct uet_pds_pkt *pkt = &b->pdc.pkt[i];
	const struct uet_ses_tx *tx = pkt->msg;
	struct uet_ses_req req;
	u8 rc;

	uet_ses_tx_request(tx, pkt, &req);
	if (t->begun != tx) {
		rc = uet_ri_gen_check(&t->gen, req.ri_gen, &t->is_strict);
		if (rc != UET_RC_OK)
			return rc;
		EXPECT_TRUE(req.som);
		if (!t->space) {
			uet_ri_gen_disable(&t->gen);
			return uet_ri_gen_check(&t->gen, req.ri_gen,
						&t->is_strict);
		}
		t->space--;
		EXPECT_TRUE(tx == &b->tx[t->next]);
		t->begun = tx;
	}
	if (req.eom) {
		t->begun = NULL;
		t->next++;
	}
	return UET_RC_OK;
}

/* The double only records: begin anew when nothing is under way. */
static void bench_forget(struct bench *b)
{
	if (b->answered != b->pdc.nr)
		return;
	b->answered = 0;
	b->pdc.nr = 0;
	b->pdc.up_nr = 0;
	b->pdc.up_next = 0;
}

/* The target is ahead of its answers: what it has said of each packet. */
static void random_run(struct target *t)
{
	unsigned int sent = 0, steps = 0, seen = 0;
	u8 rc[ARRAY_SIZE(((struct uet_pdc *)0)->pkt)];
	u8 ri_gen[ARRAY_SIZE(rc)];
	struct bench b;

	bench_init(&b);
	memset(t, 0, sizeof(*t));
	uet_ri_gen_init(&t->gen, true);
	while (b.ses.nr_tx || sent < MSGS) {
		ASSERT_TRUE(++steps < 100000);
		switch (utest_rand() % 8) {
		case 0:
			if (sent < MSGS)
				bench_send(&b, sent++,
					   utest_rand() % (5 * MTU));
			break;
		case 1:
			t->space = 1 + utest_rand() % 2;
			uet_ri_gen_enable(&t->gen);
			break;
		case 2:
			b.now += DOUBLE_PAUSE;
			bench_run(&b);
			break;
		case 3:
		case 4:
			if (seen == b.answered)
				break;
			bench_answer(&b, rc[b.answered], ri_gen[b.answered]);
			if (b.answered == b.pdc.nr)
				seen = 0;
			bench_forget(&b);
			break;
		default:
			if (seen == b.pdc.nr)
				break;
			rc[seen] = target_take(t, &b, seen);
			ri_gen[seen] = rc[seen] == UET_RC_OK ? 0 : t->gen.value;
			seen++;
		}
	}
	EXPECT_EQ(t->next, MSGS);
	for (unsigned int i = 0; i < MSGS; i++) {
		EXPECT_TRUE(is_done(&b, i));
		EXPECT_EQ(uet_ses_errno(&b.tx[i]), 0);
	}
	expect_idle(&b);
}

TEST(ses_gen__random_refusals_keep_the_order)
{
	unsigned int enabled = 0;
	struct target t;

	for (unsigned int i = 0; i < 300; i++) {
		random_run(&t);
		enabled += t.gen.value - 1;
	}
	EXPECT_GT(enabled, 300);
}
