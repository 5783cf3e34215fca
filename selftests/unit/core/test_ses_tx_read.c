// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx_read.c: what is asked for, what is taken of what comes back, in
 * whatever order and way, what is a contradiction, and when a read has ended.
 * The PDC is a double.  Level: test.
 */
#include "sesdouble.h"
#include "utest.h"

#define MTU	1024

struct bench {
	struct uet_pdc pdc;
	struct uet_ses ses;
	struct list_head done;
	struct uet_ses_tx tx;
	u64 now;
};

static void bench_run(struct bench *b)
{
	uet_ses_read_tick(&b->ses, &b->pdc, b->now);
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, b->now);
}

static void read_init(struct uet_ses_tx *tx, u32 length)
{
	double_msg(tx, UET_OP_READ, length, MTU);
	tx->offset = 5;
	tx->match = 0xabc;
}

/* A PDC with a read of @length bytes, all of it asked for as far as can be. */
static void bench_read(struct bench *b, u32 length)
{
	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, ARRAY_SIZE(b->pdc.pkt));
	b->now = 1000;
	read_init(&b->tx, length);
	uet_ses_tx_queue(&b->ses, &b->tx);
	bench_run(b);
}

static void bench_ack_as(struct bench *b, u32 i, u8 opcode, u8 rc)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b->pdc.pkt[i],
		.rsp_opcode = opcode, .rc = rc,
	};
}

static void bench_ack(struct bench *b, u32 first, u32 n)
{
	while (n--)
		bench_ack_as(b, first++, UET_RSP_DEFAULT, UET_RC_OK);
	bench_run(b);
}

static struct uet_ses_rsp data_at(const struct bench *b, u32 offset)
{
	return (struct uet_ses_rsp){
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		.rc = UET_RC_OK, .read_msg_id = b->tx.msg_id,
		.message_offset = offset,
	};
}

/* As the shell does with data in the return direction. */
static enum uet_drop bench_data(struct bench *b, u32 offset, u32 len)
{
	struct uet_ses_rsp rsp = data_at(b, offset);
	struct uet_ses_tx *tx = uet_ses_read_find(&b->ses, &rsp);
	enum uet_drop why = UET_DROP_READ_UNKNOWN;

	if (tx) {
		why = uet_ses_read_check(&b->ses, tx, &rsp, offset, len);
		if (why)
			uet_ses_read_fail(&b->ses, tx, UET_PDC_ERR_PROTOCOL,
					  UET_RC_OK);
		else
			uet_ses_read_take(&b->ses, tx, offset, len, 1);
	}
	bench_run(b);
	return why;
}

static bool bench_is_done(const struct bench *b)
{
	return !list_empty(&b->done);
}

static void expect_done(const struct bench *b, int error)
{
	EXPECT_TRUE(bench_is_done(b));
	EXPECT_EQ(uet_ses_errno(&b->tx), error);
	EXPECT_EQ(b->ses.nr_tx, 0);
	EXPECT_EQ(b->ses.nr_wait, 0);
	EXPECT_EQ(b->ses.nr_reads, 0);
	EXPECT_EQ(b->ses.nr_requested, 0);
	EXPECT_TRUE(list_empty(&b->ses.reads));
	EXPECT_FALSE(b->pdc.is_held);
}

/* ------------------------------------------------------------------- asking */

TEST(ses_read__asks_for_an_mtu_with_each_packet)
{
	struct uet_ses_req req;
	struct bench b;
	size_t len;

	bench_read(&b, 2 * MTU + 10);
	ASSERT_EQ(b.pdc.nr, 3);
	uet_ses_tx_request(&b.tx, &b.pdc.pkt[0], &req);
	EXPECT_EQ(req.opcode, UET_OP_READ);
	EXPECT_TRUE(req.som && !req.eom);
	EXPECT_EQ(req.request_length, 2 * MTU + 10);
	EXPECT_EQ(req.offset, 5);
	EXPECT_EQ(req.match, 0xabc);
	uet_ses_tx_request(&b.tx, &b.pdc.pkt[2], &req);
	EXPECT_TRUE(!req.som && req.eom);
	EXPECT_EQ(req.message_offset, 2 * MTU);
	EXPECT_EQ(req.payload_length, 10);
	EXPECT_EQ(uet_wire_ses_payload(&req, 0, &len), UET_DROP_NONE);
	EXPECT_EQ(len, 0);
}

/* A read of 1000 packets, as far as it goes without data. */
static void bench_long_read(struct bench *b)
{
	bench_read(b, 1000 * MTU);
	while (b->pdc.nr) {
		bench_ack(b, 0, b->pdc.nr);
		b->pdc.nr = 0;
		b->pdc.up_nr = 0;
		b->pdc.up_next = 0;
		bench_run(b);
	}
}

/* No more than a peer has space for, however long the message is. */
TEST(ses_read__requests_are_bounded_by_read_ahead)
{
	static struct bench b;
	u32 i;

	bench_long_read(&b);
	EXPECT_EQ(b.tx.read.asked, UET_SES_READ_AHEAD);
	EXPECT_EQ(b.ses.nr_requested, UET_SES_READ_AHEAD);
	/* Data behind a gap make no space: the gap is remembered. */
	EXPECT_EQ(bench_data(&b, MTU, MTU), UET_DROP_NONE);
	EXPECT_EQ(b.tx.read.asked, UET_SES_READ_AHEAD);
	EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_NONE);
	EXPECT_EQ(b.tx.read.base, 2);
	EXPECT_EQ(b.tx.read.asked, UET_SES_READ_AHEAD);
	/* No request goes alone: a batch of them does. */
	for (i = 2; i < UET_SES_READ_BATCH; i++) {
		EXPECT_EQ(b.tx.read.asked, UET_SES_READ_AHEAD);
		bench_data(&b, i * MTU, MTU);
	}
	EXPECT_EQ(b.tx.read.asked, UET_SES_READ_AHEAD + UET_SES_READ_BATCH);
	EXPECT_EQ(b.ses.nr_requested, UET_SES_READ_AHEAD);
}

/* All messages together: those behind wait for data to come. */
TEST(ses_read__reads_of_several_messages_are_bounded)
{
	static struct uet_ses_tx tx[UET_SES_READ_AHEAD + 10];
	static struct bench b;
	u32 i;

	bench_read(&b, 0);
	bench_ack(&b, 0, 1);
	for (i = 0; i < ARRAY_SIZE(tx); i++) {
		read_init(&tx[i], 8 * MTU);
		uet_ses_tx_queue(&b.ses, &tx[i]);
	}
	for (i = 0; i < UET_SES_READ_AHEAD; i += 8) {
		b.pdc.nr = 0;
		b.pdc.up_nr = 0;
		b.pdc.up_next = 0;
		b.pdc.space = 8;
		bench_run(&b);
		EXPECT_EQ(b.pdc.nr, 8);
		bench_ack(&b, 0, 8);
	}
	EXPECT_EQ(b.ses.nr_requested, UET_SES_READ_AHEAD);
	b.pdc.nr = 0;
	bench_run(&b);
	EXPECT_EQ(b.pdc.nr, 0);
	EXPECT_EQ(uet_ses_read_deadline(&b.ses), b.now + DOUBLE_TIMEOUT);
}

/* Expect the same packets in both PDCs; messages differ by their addresses only. */
static void expect_same_requests(struct bench *a, struct bench *b)
{
	unsigned int i;

	ASSERT_EQ(a->pdc.nr, b->pdc.nr);
	for (i = 0; i < a->pdc.nr; i++) {
		EXPECT_EQ(a->pdc.pkt[i].offset, b->pdc.pkt[i].offset);
		EXPECT_EQ(a->pdc.pkt[i].len, b->pdc.pkt[i].len);
		EXPECT_EQ(a->pdc.pkt[i].flags, b->pdc.pkt[i].flags);
		EXPECT_EQ(a->pdc.pkt[i].next_hdr, b->pdc.pkt[i].next_hdr);
	}
	EXPECT_EQ(a->tx.next, b->tx.next);
	EXPECT_EQ(a->tx.packets, b->tx.packets);
	EXPECT_EQ(a->tx.number, b->tx.number);
	EXPECT_EQ(a->tx.read.asked, b->tx.read.asked);
	EXPECT_EQ(a->ses.nr_packets, b->ses.nr_packets);
	EXPECT_EQ(a->ses.nr_requested, b->ses.nr_requested);
	EXPECT_EQ(a->ses.reads_are_full, b->ses.reads_are_full);
}

/* All packets so far are acknowledged, and the next ones leave. */
static void bench_go_on(struct bench *b, unsigned int space)
{
	bench_ack(b, 0, b->pdc.nr);
	b->pdc.nr = 0;
	b->pdc.up_nr = 0;
	b->pdc.up_next = 0;
	b->pdc.space = space;
	bench_run(b);
}

/* A PDC without space, and a read of @length bytes. */
static void bench_queue(struct bench *b, u32 length, bool takes_no_runs)
{
	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, 0);
	b->pdc.takes_no_runs = takes_no_runs;
	b->now = 1000;
	read_init(&b->tx, length);
	uet_ses_tx_queue(&b->ses, &b->tx);
}

TEST(ses_read__a_run_of_requests_equals_single_ones)
{
	static const u32 lengths[] = { MTU, 2 * MTU, 3 * MTU + 1, 40 * MTU,
				       255 * MTU, 256 * MTU, 257 * MTU, 600 * MTU };
	static struct bench a, b;
	u32 i, round, come;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		bench_queue(&a, lengths[i], false);
		bench_queue(&b, lengths[i], true);
		for (round = 1, come = 0; round < 40; round++) {
			bench_go_on(&a, 7 * round % 64);
			bench_go_on(&b, 7 * round % 64);
			expect_same_requests(&a, &b);
			for (; round % 3 == 0 && come + 1 < a.tx.read.asked &&
			       come < round * 30; come++) {
				bench_data(&a, come * MTU, MTU);
				bench_data(&b, come * MTU, MTU);
				expect_same_requests(&a, &b);
			}
		}
	}
}

TEST(ses_read__empty_read_needs_no_data)
{
	struct bench b;

	bench_read(&b, 0);
	ASSERT_EQ(b.pdc.nr, 1);
	EXPECT_EQ(b.pdc.pkt[0].flags & (UET_PKT_SOM | UET_PKT_EOM),
		  UET_PKT_SOM | UET_PKT_EOM);
	bench_ack(&b, 0, 1);
	expect_done(&b, 0);
}

/* -------------------------------------------------------------- coming back */

TEST(ses_read__ends_when_all_is_answered_and_here)
{
	struct bench b;

	bench_read(&b, 2 * MTU + 10);
	bench_ack(&b, 0, 3);
	EXPECT_FALSE(bench_is_done(&b));
	EXPECT_TRUE(b.pdc.is_held);
	EXPECT_EQ(bench_data(&b, 2 * MTU, 10), UET_DROP_NONE);
	EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_NONE);
	EXPECT_FALSE(bench_is_done(&b));
	EXPECT_EQ(bench_data(&b, MTU, MTU), UET_DROP_NONE);
	expect_done(&b, 0);
	EXPECT_EQ(uet_ses_executed(&b.tx), 2 * MTU + 10);
}

TEST(ses_read__data_may_overtake_its_ack)
{
	struct bench b;

	bench_read(&b, 2 * MTU);
	EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_NONE);
	EXPECT_EQ(bench_data(&b, MTU, MTU), UET_DROP_NONE);
	EXPECT_FALSE(bench_is_done(&b));
	bench_ack(&b, 0, 1);
	EXPECT_FALSE(bench_is_done(&b));
	bench_ack(&b, 1, 1);
	expect_done(&b, 0);
}

/* The offset is that of the packet that was answered. */
TEST(ses_read__ack_may_carry_the_data)
{
	const struct uet_ses_rsp small = {
		.form = UET_RSP_FORM_SMALL, .opcode = UET_RSP_W_DATA,
		.rc = UET_RC_OK, .orig_psn = 5,
	};
	struct bench b;

	bench_read(&b, 10);
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx, &small, 0, 10), UET_DROP_NONE);
	uet_ses_read_take(&b.ses, &b.tx, 0, 10, 1);
	bench_ack_as(&b, 0, UET_RSP_W_DATA, UET_RC_OK);
	bench_run(&b);
	expect_done(&b, 0);
	EXPECT_EQ(uet_ses_executed(&b.tx), 10);
}

TEST(ses_read__fetching_atomic_gets_its_operand_back)
{
	static const struct uet_ses_amo amo = {
		.opcode = UET_AMO_CSWAP, .datatype = UET_DT_UINT64,
	};
	struct bench b;

	bench_read(&b, 0);
	bench_ack(&b, 0, 1);
	list_del_init(&b.tx.link);
	read_init(&b.tx, 0);
	b.tx.opcode = UET_OP_FETCHING_ATOMIC;
	b.tx.amo = &amo;
	b.tx.read.want = 8;
	uet_ses_tx_queue(&b.ses, &b.tx);
	bench_run(&b);
	EXPECT_EQ(bench_data(&b, 0, 8), UET_DROP_NONE);
	EXPECT_FALSE(bench_is_done(&b));
	bench_ack_as(&b, 1, UET_RSP_W_DATA, UET_RC_OK);
	bench_run(&b);
	expect_done(&b, 0);
}

TEST(ses_read__finds_the_message)
{
	struct uet_ses_rsp rsp;
	struct bench b;

	bench_read(&b, MTU);
	rsp = data_at(&b, 0);
	EXPECT_PTR_EQ(uet_ses_read_find(&b.ses, &rsp), &b.tx);
	rsp.read_msg_id++;
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
	rsp = data_at(&b, 0);
	rsp.form = UET_RSP_FORM_SMALL;
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
}

/* ------------------------------------------------------------ contradictions */

TEST(ses_read__unrequested_data_ends_the_read)
{
	static const struct { u32 offset, len; } bad[] = {
		{ 0, MTU - 1 }, { 0, MTU + 1 }, { 1, MTU }, { 2 * MTU, MTU },
		{ 2 * MTU, 9 }, { 3 * MTU, 0 }, { 3 * MTU, MTU },
		{ 0x80000000, MTU }, { 0xfffffc00, MTU }, { 0, 0 },
	};
	struct bench b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bench_read(&b, 2 * MTU + 10);
		EXPECT_EQ(bench_data(&b, bad[i].offset, bad[i].len),
			  UET_DROP_READ_WRONG);
		EXPECT_FALSE(bench_is_done(&b));
		bench_ack(&b, 0, 3);
		expect_done(&b, -EPROTO);
		EXPECT_EQ(uet_ses_reported_rc(&b.tx), UET_RC_NULL);
		EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_READ_UNKNOWN);
	}
}

TEST(ses_read__data_before_its_request_is_wrong)
{
	struct bench b;

	bench_read(&b, 100 * MTU);
	ASSERT_EQ(b.pdc.nr, 64);
	EXPECT_EQ(bench_data(&b, 64 * MTU, MTU), UET_DROP_READ_WRONG);
	/* The rest is not asked for any more. */
	bench_ack(&b, 0, 64);
	EXPECT_EQ(b.tx.read.asked, 64);
	expect_done(&b, -EPROTO);
}

TEST(ses_read__duplicate_data_is_an_error)
{
	struct bench b;

	bench_read(&b, 3 * MTU);
	EXPECT_EQ(bench_data(&b, MTU, MTU), UET_DROP_NONE);
	EXPECT_EQ(bench_data(&b, MTU, MTU), UET_DROP_SES_OVERLAP);
	bench_ack(&b, 0, 3);
	expect_done(&b, -EPROTO);
	bench_read(&b, 3 * MTU);
	bench_ack(&b, 0, 3);
	EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_NONE);
	EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_SES_OVERLAP);
	expect_done(&b, -EPROTO);
}

TEST(ses_read__answer_must_name_the_message)
{
	struct uet_ses_rsp rsp;
	struct bench b;

	bench_read(&b, MTU);
	rsp = data_at(&b, 0);
	rsp.read_msg_id++;
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx, &rsp, 0, MTU),
		  UET_DROP_READ_WRONG);
	rsp = data_at(&b, MTU);
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx, &rsp, 0, MTU),
		  UET_DROP_READ_WRONG);
}

TEST(ses_read__first_reason_stays)
{
	struct bench b;

	bench_read(&b, 2 * MTU);
	uet_ses_read_fail(&b.ses, &b.tx, UET_PDC_ERR_LOCAL, UET_RC_OK);
	uet_ses_read_fail(&b.ses, &b.tx, UET_PDC_ERR_PROTOCOL, UET_RC_OK);
	bench_ack_as(&b, 0, UET_RSP_RESPONSE, UET_RC_BAD_ADDR);
	bench_ack(&b, 1, 1);
	expect_done(&b, -EFAULT);
}

/* A message of which nothing is in flight ends at once. */
TEST(ses_read__fails_between_two_packets)
{
	struct bench b;

	memset(&b, 0, sizeof(b));
	b.pdc.space = 1;
	uet_ses_init(&b.ses);
	INIT_LIST_HEAD(&b.done);
	read_init(&b.tx, 3 * MTU);
	uet_ses_tx_queue(&b.ses, &b.tx);
	bench_run(&b);
	bench_ack(&b, 0, 1);
	EXPECT_EQ(b.pdc.nr, 1);
	EXPECT_EQ(bench_data(&b, 0, MTU - 1), UET_DROP_READ_WRONG);
	expect_done(&b, -EPROTO);
}

TEST(ses_read__is_refused_by_a_response_with_data)
{
	struct bench b;

	bench_read(&b, MTU);
	bench_ack(&b, 0, 1);
	uet_ses_read_fail(&b.ses, &b.tx, UET_PDC_OK, UET_RC_HOST_POISONED);
	bench_run(&b);
	expect_done(&b, -EIO);
	EXPECT_EQ(uet_ses_reported_rc(&b.tx), UET_RC_HOST_POISONED);
}

/* ------------------------------------------------------------------ the end */

TEST(ses_read__error_response_ends_it)
{
	struct bench b;

	bench_read(&b, 3 * MTU);
	bench_ack_as(&b, 0, UET_RSP_DEFAULT, UET_RC_OK);
	bench_ack_as(&b, 1, UET_RSP_RESPONSE, UET_RC_BAD_MKEY);
	bench_ack_as(&b, 2, UET_RSP_DEFAULT, UET_RC_OK);
	bench_run(&b);
	expect_done(&b, -EFAULT);
	EXPECT_EQ(uet_ses_reported_rc(&b.tx), UET_RC_BAD_MKEY);
	EXPECT_EQ(uet_ses_executed(&b.tx), 0);
}

/* Another default response is not the data. */
TEST(ses_read__late_response_does_not_end_it)
{
	struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_PLAIN, .opcode = UET_RSP_DEFAULT,
		.rc = UET_RC_OK,
	};
	struct bench b;

	bench_read(&b, MTU);
	bench_ack(&b, 0, 1);
	rsp.msg_id = b.tx.msg_id;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_run(&b);
	EXPECT_FALSE(bench_is_done(&b));
	rsp.opcode = UET_RSP_RESPONSE;
	rsp.rc = UET_RC_UNCOR;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_run(&b);
	expect_done(&b, -EREMOTEIO);
}

TEST(ses_read__missing_data_times_out)
{
	struct bench b;

	bench_read(&b, 2 * MTU);
	bench_ack(&b, 0, 2);
	EXPECT_EQ(uet_ses_read_deadline(&b.ses), b.now + DOUBLE_TIMEOUT);
	b.now += DOUBLE_TIMEOUT - 1;
	EXPECT_EQ(bench_data(&b, 0, MTU), UET_DROP_NONE);
	EXPECT_EQ(uet_ses_read_deadline(&b.ses), b.now + DOUBLE_TIMEOUT);
	b.now += DOUBLE_TIMEOUT - 1;
	bench_run(&b);
	EXPECT_FALSE(bench_is_done(&b));
	b.now++;
	bench_run(&b);
	expect_done(&b, -ETIMEDOUT);
	EXPECT_TRUE(b.pdc.is_closing);
	EXPECT_EQ(bench_data(&b, MTU, MTU), UET_DROP_READ_UNKNOWN);
}

/* The first data never come, and no further request may leave without them. */
TEST(ses_read__gap_that_stays_times_out)
{
	static struct bench b;
	u32 i;

	bench_long_read(&b);
	for (i = 1; i < UET_SES_READ_AHEAD; i++)
		EXPECT_EQ(bench_data(&b, i * MTU, MTU), UET_DROP_NONE);
	EXPECT_EQ(b.tx.read.asked, UET_SES_READ_AHEAD);
	EXPECT_EQ(b.ses.nr_requested, 1);
	EXPECT_EQ(uet_ses_read_deadline(&b.ses), b.now + DOUBLE_TIMEOUT);
	b.now += DOUBLE_TIMEOUT;
	bench_run(&b);
	expect_done(&b, -ETIMEDOUT);
	EXPECT_TRUE(b.pdc.is_closing);
}

/* As long as requests are not acknowledged, the PDC decides. */
TEST(ses_read__requests_under_way_do_not_time_out)
{
	struct bench b;

	bench_read(&b, 2 * MTU);
	b.now += DOUBLE_TIMEOUT;
	bench_run(&b);
	EXPECT_FALSE(bench_is_done(&b));
	EXPECT_FALSE(b.pdc.is_closing);
	EXPECT_EQ(uet_ses_read_deadline(&b.ses), b.now + DOUBLE_TIMEOUT);
}

TEST(ses_read__fails_with_its_pdc)
{
	struct bench b;

	bench_read(&b, 3 * MTU);
	bench_ack(&b, 0, 3);
	uet_ses_fail(&b.ses, UET_PDC_ERR_TIMEOUT, &b.done);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ETIMEDOUT);
	EXPECT_TRUE(uet_ses_is_idle(&b.ses));
	EXPECT_EQ(b.ses.nr_requested, 0);
}

/* Any order of answers and data, each once, ends it exactly then. */
TEST(ses_read__random_order_completes_exactly_once)
{
	enum { PACKETS = 40 };
	u32 round, left, acked, came, i;
	bool has[PACKETS];
	struct bench b;

	for (round = 0; round < 500; round++) {
		u32 length = PACKETS * MTU - utest_rand() % MTU;

		bench_read(&b, length);
		memset(has, 0, sizeof(has));
		acked = 0;
		came = 0;
		for (left = 2 * PACKETS; left; left--) {
			EXPECT_FALSE(bench_is_done(&b));
			i = utest_rand() % PACKETS;
			if (acked < PACKETS &&
			    (came == PACKETS || utest_rand() % 2)) {
				bench_ack(&b, acked++, 1);
				continue;
			}
			while (has[i])
				i = (i + 1) % PACKETS;
			has[i] = true;
			came++;
			EXPECT_EQ(bench_data(&b, i * MTU,
					     min_t(u32, MTU, length - i * MTU)),
				  UET_DROP_NONE);
		}
		expect_done(&b, 0);
	}
}

/* ------------------------------------------------------------------ runs of data */

/* Expect the same state of the data of both reads. */
static void expect_same_data(const struct bench *a, const struct bench *b)
{
	const struct uet_ses_read *x = &a->tx.read, *y = &b->tx.read;

	EXPECT_EQ(x->got, y->got);
	EXPECT_EQ(x->asked, y->asked);
	EXPECT_EQ(x->come, y->come);
	EXPECT_EQ(x->base, y->base);
	EXPECT_TRUE(!memcmp(x->bits, y->bits, sizeof(x->bits)));
	EXPECT_EQ(a->ses.nr_requested, b->ses.nr_requested);
	EXPECT_EQ(a->ses.reads_are_full, b->ses.reads_are_full);
	EXPECT_EQ(a->ses.nr_reads, b->ses.nr_reads);
	EXPECT_EQ(bench_is_done(a), bench_is_done(b));
}

static void bench_data_run(struct bench *b, u32 first, u32 n)
{
	struct uet_ses_tx *tx = uet_ses_read_run_begin(&b->ses, b->tx.msg_id, MTU);

	ASSERT_TRUE(tx == &b->tx);
	EXPECT_TRUE(uet_ses_read_run_fits(tx, first * MTU, n));
	uet_ses_read_take(&b->ses, tx, first * MTU, MTU, n);
	bench_run(b);
	EXPECT_FALSE(uet_ses_read_run_fits(tx, first * MTU, n));
}

/* @hole: a packet that arrived before; the run ends in front of it, or goes on behind it. */
TEST(ses_read__a_run_of_data_equals_single_packets)
{
	static struct bench a, b;
	u32 hole, first, n, i;

	for (hole = 0; hole < 20; hole++) {
		for (first = 0; first < 20; first++) {
			for (n = 1; first + n <= 20; n++) {
				if (hole >= first && hole < first + n)
					continue;
				bench_read(&a, 20 * MTU);
				bench_read(&b, 20 * MTU);
				bench_ack(&a, 0, 20);
				bench_ack(&b, 0, 20);
				bench_data(&a, hole * MTU, MTU);
				bench_data(&b, hole * MTU, MTU);
				for (i = first; i < first + n; i++)
					EXPECT_EQ(bench_data(&a, i * MTU, MTU),
						  UET_DROP_NONE);
				bench_data_run(&b, first, n);
				expect_same_data(&a, &b);
			}
		}
	}
}

TEST(ses_read__a_run_of_data_ends_the_message)
{
	static struct bench b;

	bench_read(&b, 20 * MTU);
	bench_ack(&b, 0, 20);
	bench_data_run(&b, 0, 20);
	expect_done(&b, 0);
}

/* A run fits exactly if each of its packets does. */
TEST(ses_read__a_run_fits_if_its_packets_do)
{
	static struct bench b;
	bool fits;
	u32 first, n, i;

	bench_read(&b, 20 * MTU - 1);
	bench_ack(&b, 0, 20);
	bench_data(&b, 0, MTU);
	bench_data(&b, 7 * MTU, MTU);
	for (first = 0; first < 22; first++) {
		for (n = 1; n < 22; n++) {
			fits = true;
			for (i = first; i < first + n; i++) {
				struct uet_ses_rsp rsp = data_at(&b, i * MTU);

				fits &= uet_ses_read_check(&b.ses, &b.tx, &rsp,
							   i * MTU, MTU) ==
					UET_DROP_NONE;
			}
			EXPECT_EQ(uet_ses_read_run_fits(&b.tx, first * MTU, n),
				  fits);
		}
	}
	EXPECT_FALSE(uet_ses_read_run_fits(&b.tx, MTU + 1, 1));
	EXPECT_FALSE(uet_ses_read_run_fits(&b.tx, U32_MAX - MTU + 1, 1));
}

TEST(ses_read__has_no_run_for_another_or_a_failed_message)
{
	static struct bench b;
	u16 id;

	bench_read(&b, 20 * MTU);
	id = b.tx.msg_id;
	EXPECT_TRUE(uet_ses_read_run_begin(&b.ses, id, MTU));
	EXPECT_FALSE(uet_ses_read_run_begin(&b.ses, id + 1, MTU));
	EXPECT_FALSE(uet_ses_read_run_begin(&b.ses, id, MTU - 1));
	uet_ses_read_fail(&b.ses, &b.tx, UET_PDC_ERR_PROTOCOL, UET_RC_OK);
	EXPECT_FALSE(uet_ses_read_run_begin(&b.ses, id, MTU));
}
