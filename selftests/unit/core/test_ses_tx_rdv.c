// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx_read.c: what the packets of a rendezvous tell, which answers end
 * it, whichever way they come, and that one that waits keeps its PDC, but not for
 * ever if that is to close.  The PDC is a double.  Level: test.
 */
#include "sesdouble.h"
#include "utest.h"

#define MTU	1024

struct bench {
	struct uet_pdc pdc;
	struct uet_ses ses;
	struct uet_ses_tx tx;
	struct list_head done;
};

/* Queue a message of @length bytes, of which @eager are pushed. */
static void bench_queue(struct bench *b, u32 eager, u32 length)
{
	b->tx = (struct uet_ses_tx){
		.to = { .job = 7, .pid = 3, .ri = 2, .rel = true,
			.initiator = 99 },
		.length = eager, .avail = eager, .mtu = MTU,
		.match = 0x77, .opcode = UET_OP_RENDEZVOUS_TSEND,
		.has_hdata = true, .header_data = 4711,
		.rdv = {
			.length = length,
			.at = { .ri_gen = 8, .pid = 5, .ri = 6,
				.offset = 0x1000, .key = 0xabc },
		},
	};
	uet_ses_tx_queue(&b->ses, &b->tx);
}

static void bench_init(struct bench *b, u32 eager, u32 length)
{
	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, 8);
	bench_queue(b, eager, length);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

static void bench_answer(struct bench *b, unsigned int i, u8 opcode, u8 rc,
			 u8 list)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b->pdc.pkt[i],
		.rsp_opcode = opcode, .rc = rc, .list = list,
		.modified_length = b->tx.rdv.length,
	};
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

static void bench_none(struct bench *b, unsigned int i)
{
	bench_answer(b, i, UET_RSP_NO_RESPONSE, UET_RC_OK, UET_LIST_EXPECTED);
}

/* The final response comes as a packet of its own. */
static enum uet_drop bench_final(struct bench *b, u16 msg_id, u8 rc, u32 bytes)
{
	const struct uet_ses_req req = { .msg_id = msg_id, .job = 7 };
	struct uet_ses_rsp rsp;
	enum uet_drop why;

	uet_ses_rsp_final(&rsp, &req, rc, bytes);
	why = uet_ses_rdv_answer(&b->ses, &rsp);
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, 0);
	return why;
}

static bool bench_is_done(const struct bench *b)
{
	return double_returned(&b->done, &b->tx);
}

TEST(ses_is_rendezvous__two_opcodes_are_rendezvous)
{
	unsigned int op;

	for (op = 0; op < UET_OP_NR; op++)
		EXPECT_EQ(uet_ses_is_rendezvous(op),
			  op == UET_OP_RENDEZVOUS_SEND ||
			  op == UET_OP_RENDEZVOUS_TSEND);
}

TEST(ses_rdv_request__says_in_all_packets_where_to_read)
{
	struct uet_ses_req req, back;
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct bench b;
	size_t used;
	u32 i;

	bench_init(&b, 2 * MTU + 1, 100000);
	ASSERT_EQ(b.pdc.nr, 3);
	for (i = 0; i < 3; i++) {
		uet_ses_tx_request(&b.tx, &b.pdc.pkt[i], &req);
		EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)), 68u);
		EXPECT_EQ(uet_wire_ses_req_decode(UET_NH_REQ_STD, buf, 68, &back,
						  &used), UET_DROP_NONE);
		EXPECT_EQ(back.opcode, UET_OP_RENDEZVOUS_TSEND);
		EXPECT_EQ(back.som, !i);
		EXPECT_EQ(back.eom, i == 2);
		EXPECT_EQ(back.hd, !i);
		EXPECT_EQ(back.match, 0x77ull);
		EXPECT_EQ(back.request_length, 100000u);
		EXPECT_EQ(back.x.rdv.eager_length, 2u * MTU + 1);
		EXPECT_EQ(back.x.rdv.ri_gen, 8);
		EXPECT_EQ(back.x.rdv.pid, 5);
		EXPECT_EQ(back.x.rdv.ri, 6);
		EXPECT_EQ(back.x.rdv.offset, 0x1000ull);
		EXPECT_EQ(back.x.rdv.key, 0xabcull);
	}
}

TEST(ses_rdv__nothing_pushed_is_one_empty_packet)
{
	struct uet_ses_req req;
	struct bench b;

	bench_init(&b, 0, 5000);
	ASSERT_EQ(b.pdc.nr, 1);
	uet_ses_tx_request(&b.tx, &b.pdc.pkt[0], &req);
	EXPECT_EQ(req.opcode, UET_OP_RENDEZVOUS_TSEND);
	EXPECT_TRUE(req.som && req.eom);
	EXPECT_EQ(req.request_length, 5000u);
	EXPECT_EQ(uet_ses_tx_length(&b.tx), 5000u);
}

/* Neither silence, nor acceptance, nor that no receive waits is the end. */
TEST(ses_rdv__waits_for_its_final_response)
{
	struct bench b;

	bench_init(&b, 2 * MTU + 1, 100000);
	bench_none(&b, 0);
	bench_answer(&b, 1, UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_EXPECTED);
	bench_answer(&b, 2, UET_RSP_RESPONSE, UET_RC_OK, UET_LIST_OVERFLOW);
	EXPECT_FALSE(bench_is_done(&b));
	EXPECT_TRUE(b.pdc.is_held);
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_OK, 100000),
		  UET_DROP_NONE);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), 0);
	EXPECT_EQ(uet_ses_executed(&b.tx), 100000u);
	EXPECT_FALSE(b.pdc.is_held);
	EXPECT_TRUE(uet_ses_is_idle(&b.ses));
	/* Another one is for no message. */
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_OK, 1),
		  UET_DROP_READ_UNKNOWN);
}

TEST(ses_rdv__the_final_response_may_overtake_the_others)
{
	struct bench b;

	bench_init(&b, MTU + 1, 5000);
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_OK, 4000), UET_DROP_NONE);
	EXPECT_FALSE(bench_is_done(&b));
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_OK, 1),
		  UET_DROP_READ_UNKNOWN);
	bench_none(&b, 0);
	bench_none(&b, 1);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_executed(&b.tx), 4000u);
}

/* Before all was pushed: what is unsent stays so. */
TEST(ses_rdv__a_refusal_ends_it_at_any_time)
{
	struct bench b;
	u32 i;

	bench_init(&b, 20 * MTU, 100000);
	ASSERT_EQ(b.pdc.nr, 8);
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_BAD_MKEY, 0),
		  UET_DROP_NONE);
	for (i = 0; i < 8; i++)
		bench_none(&b, i);
	EXPECT_EQ(b.pdc.nr, 8);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -EFAULT);
	EXPECT_EQ(uet_ses_reported_rc(&b.tx), UET_RC_BAD_MKEY);
	EXPECT_EQ(uet_ses_executed(&b.tx), 0u);

	/* Nothing is in flight: nobody else would settle it. */
	bench_init(&b, 20 * MTU, 100000);
	for (i = 0; i < 8; i++)
		b.pdc.up[b.pdc.up_nr++] = (struct uet_pdc_up){
			.kind = UET_UP_ACKED, .pkt = b.pdc.pkt[i],
			.rsp_opcode = UET_RSP_NO_RESPONSE, .rc = UET_RC_OK,
		};
	uet_ses_reap(&b.ses, &b.pdc, &b.done);
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_CANCELLED, 0),
		  UET_DROP_NONE);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ECANCELED);
}

TEST(ses_rdv__a_refused_packet_ends_it)
{
	struct bench b;

	bench_init(&b, 0, 5000);
	bench_answer(&b, 0, UET_RSP_RESPONSE, UET_RC_NO_MATCH,
		     UET_LIST_EXPECTED);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ENOMSG);
}

TEST(ses_rdv__the_final_response_may_be_in_an_ack)
{
	struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_PLAIN, .opcode = UET_RSP_RESPONSE,
		.rc = UET_RC_OK, .modified_length = 5000,
	};
	struct bench b;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	rsp.msg_id = b.tx.msg_id;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	uet_ses_reap(&b.ses, &b.pdc, &b.done);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_executed(&b.tx), 5000u);
}

/* There is nothing to wait for: a send as any. */
TEST(ses_rdv__all_pushed_needs_no_final_response)
{
	struct bench b;

	bench_init(&b, 500, 500);
	bench_answer(&b, 0, UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_EXPECTED);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_executed(&b.tx), 500u);
}

TEST(ses_rdv_answer__answer_without_a_rendezvous_is_unknown)
{
	struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_SMALL, .opcode = UET_RSP_W_DATA,
	};
	struct uet_ses_tx send = {
		.opcode = UET_OP_SEND, .length = 5, .avail = 5, .mtu = MTU,
	};
	struct bench b;

	bench_init(&b, 0, 5000);
	uet_ses_tx_queue(&b.ses, &send);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	EXPECT_EQ(bench_final(&b, send.msg_id, UET_RC_OK, 5),
		  UET_DROP_READ_UNKNOWN);
	EXPECT_EQ(bench_final(&b, 0, UET_RC_OK, 5), UET_DROP_READ_UNKNOWN);
	/* In this form the field means nothing. */
	rsp.read_msg_id = b.tx.msg_id;
	EXPECT_EQ(uet_ses_rdv_answer(&b.ses, &rsp), UET_DROP_READ_UNKNOWN);
	EXPECT_TRUE(list_empty(&b.done));
}

static void bench_shut(struct bench *b)
{
	struct uet_ses_tx *tx;

	uet_ses_rdv_shut(&b->ses);
	uet_ses_tx_walk(&b->ses);
	while ((tx = uet_ses_tx_walk_next(&b->ses)))
		if (uet_ses_is_rendezvous(tx->opcode))
			uet_ses_tx_abort(&b->ses, tx);
}

/* Waiting, active and new messages: none is left. */
TEST(ses_rdv_shut__leaves_none_waiting)
{
	struct uet_ses_tx more[2], send = {
		.opcode = UET_OP_SEND, .length = 5, .avail = 5, .mtu = MTU,
	};
	struct bench b;
	u32 i;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	b.pdc.space = 2;
	for (i = 0; i < 2; i++) {
		more[i] = b.tx;
		uet_ses_tx_queue(&b.ses, &more[i]);
	}
	uet_ses_tx_queue(&b.ses, &send);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 2);
	bench_shut(&b);
	uet_ses_reap(&b.ses, &b.pdc, &b.done);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_TRUE(double_returned(&b.done, &more[1]));
	EXPECT_FALSE(double_returned(&b.done, &more[0]));
	b.pdc.space = 3;
	bench_none(&b, 1);
	EXPECT_TRUE(double_returned(&b.done, &more[0]));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(uet_ses_errno(&more[i]), -ECANCELED);
	EXPECT_EQ(uet_ses_errno(&b.tx), -ECANCELED);
	/* Other messages still go. */
	ASSERT_EQ(b.pdc.nr, 3);
	EXPECT_PTR_EQ(b.pdc.pkt[2].msg, &send);
}

/* Rendezvous messages that wait hold up no other message, up to their limit. */
TEST(ses_rdv__many_that_wait_hold_up_no_other)
{
	enum { MANY = UET_SES_RDV_MAX };
	static struct uet_ses_tx tx[MANY + 2], send;
	struct bench b;
	u32 i;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	for (i = 1; i < MANY + 2; i++) {
		memset(&b.pdc, 0, sizeof(b.pdc));
		b.pdc.space = 1;
		tx[i] = b.tx;
		uet_ses_tx_queue(&b.ses, &tx[i]);
		uet_ses_pump(&b.ses, &b.pdc, 0);
		if (b.pdc.nr)
			bench_none(&b, 0);
	}
	EXPECT_EQ(b.ses.nr_rdv_wait, MANY);
	EXPECT_FALSE(tx[MANY].next || tx[MANY].is_cut);
	send = (struct uet_ses_tx){ .mtu = MTU, .opcode = UET_OP_SEND };
	uet_ses_tx_abort(&b.ses, &tx[MANY]);
	uet_ses_tx_abort(&b.ses, &tx[MANY + 1]);
	uet_ses_tx_queue(&b.ses, &send);
	memset(&b.pdc, 0, sizeof(b.pdc));
	b.pdc.space = 1;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 1);
	EXPECT_PTR_EQ(b.pdc.pkt[0].msg, &send);
	/* Each is found by its id. */
	for (i = 1; i <= 100; i++) {
		EXPECT_EQ(bench_final(&b, tx[i * 99].msg_id, UET_RC_OK, 5000),
			  UET_DROP_NONE);
		EXPECT_TRUE(double_returned(&b.done, &tx[i * 99]));
	}
	EXPECT_EQ(b.ses.nr_rdv_wait, MANY - 100);
	/* Also those whose neighbours in the tree are gone. */
	for (i = 1; i < MANY; i++)
		EXPECT_EQ(bench_final(&b, tx[i].msg_id, UET_RC_OK, 5000),
			  i % 99 || i > 9900 ? UET_DROP_NONE : UET_DROP_READ_UNKNOWN);
	EXPECT_EQ(b.ses.nr_rdv_wait, 1);
}

/* Ids that come again pass those that wait, some in each call. */
TEST(ses_rdv__ids_of_those_that_wait_are_not_used_again)
{
	enum { MANY = 3 * UET_SES_ID_STEPS };
	struct uet_ses_tx tx[MANY + 1], send = { .mtu = MTU, .opcode = UET_OP_SEND };
	struct bench b;
	u32 i, calls;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	for (i = 1; i <= MANY; i++) {
		memset(&b.pdc, 0, sizeof(b.pdc));
		b.pdc.space = 1;
		tx[i] = b.tx;
		uet_ses_tx_queue(&b.ses, &tx[i]);
		uet_ses_pump(&b.ses, &b.pdc, 0);
		bench_none(&b, 0);
	}
	EXPECT_EQ(tx[MANY].msg_id, b.tx.msg_id + MANY);
	b.ses.next_msg_id = 0;
	memset(&b.pdc, 0, sizeof(b.pdc));
	b.pdc.space = 1;
	send.length = send.avail = 5;
	uet_ses_tx_queue(&b.ses, &send);
	for (calls = 1; !uet_ses_pump(&b.ses, &b.pdc, 0); calls++)
		EXPECT_EQ(b.pdc.nr, 0);
	EXPECT_EQ(calls, 4);
	ASSERT_EQ(b.pdc.nr, 1);
	EXPECT_EQ(send.msg_id, tx[MANY].msg_id + 1);
}

/* The search does not go on for a message that is gone. */
TEST(ses_pump__has_nothing_to_search_for_without_messages)
{
	struct uet_ses_tx send = { .mtu = MTU, .opcode = UET_OP_SEND, .length = 5, .avail = 5 };
	struct bench b;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	b.pdc.space = 1;
	b.ses.seeks_id = true;
	uet_ses_tx_queue(&b.ses, &send);
	uet_ses_tx_abort(&b.ses, &send);
	EXPECT_TRUE(uet_ses_pump(&b.ses, &b.pdc, 0));
}

/* A walk meets each message that stays, in whatever order others come and go. */
TEST(ses_tx_walk__passes_each_message)
{
	enum { MANY = 6 };
	struct uet_ses_tx tx[MANY];
	struct bench b;
	u32 i;

	bench_init(&b, 0, 5000);
	/* The first waits for its end, the others for space. */
	bench_none(&b, 0);
	b.pdc.space = 0;
	for (i = 0; i < MANY; i++) {
		tx[i] = b.tx;
		uet_ses_tx_queue(&b.ses, &tx[i]);
	}
	uet_ses_tx_walk(&b.ses);
	EXPECT_PTR_EQ(uet_ses_tx_walk_next(&b.ses), &tx[0]);
	uet_ses_tx_abort(&b.ses, &tx[0]);
	uet_ses_tx_abort(&b.ses, &tx[2]);
	EXPECT_PTR_EQ(uet_ses_tx_walk_next(&b.ses), &tx[1]);
	uet_ses_tx_abort(&b.ses, &tx[0]);
	uet_ses_tx_abort(&b.ses, &tx[1]);
	EXPECT_PTR_EQ(uet_ses_tx_walk_next(&b.ses), &tx[3]);
	EXPECT_PTR_EQ(uet_ses_tx_walk_next(&b.ses), &tx[4]);
	EXPECT_PTR_EQ(uet_ses_tx_walk_next(&b.ses), &tx[5]);
	uet_ses_tx_abort(&b.ses, &tx[4]);
	EXPECT_PTR_EQ(uet_ses_tx_walk_next(&b.ses), &b.tx);
	EXPECT_NULL(uet_ses_tx_walk_next(&b.ses));
}

TEST(ses_rdv__waits_for_ever_but_not_on_a_pdc_that_closes)
{
	struct bench b;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	EXPECT_EQ(uet_ses_rdv_deadline(&b.ses), UET_NEVER);
	EXPECT_EQ(uet_ses_read_deadline(&b.ses), UET_NEVER);
	b.pdc.is_closing = true;
	uet_ses_pump(&b.ses, &b.pdc, 50);
	EXPECT_TRUE(b.pdc.is_held);
	EXPECT_EQ(uet_ses_rdv_deadline(&b.ses), 50ull + DOUBLE_TIMEOUT);
	uet_ses_pump(&b.ses, &b.pdc, 70);
	uet_ses_rdv_tick(&b.ses, 50 + DOUBLE_TIMEOUT - 1);
	EXPECT_EQ(b.ses.nr_rdv_wait, 1u);
	uet_ses_rdv_tick(&b.ses, 50 + DOUBLE_TIMEOUT);
	uet_ses_reap(&b.ses, &b.pdc, &b.done);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ETIMEDOUT);
	uet_ses_pump(&b.ses, &b.pdc, 2000);
	EXPECT_EQ(uet_ses_rdv_deadline(&b.ses), UET_NEVER);
	EXPECT_FALSE(b.pdc.is_held);
}

TEST(ses_rdv__fails_with_its_pdc_and_can_be_taken_back)
{
	struct bench b;

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	uet_ses_tx_abort(&b.ses, &b.tx);
	uet_ses_reap(&b.ses, &b.pdc, &b.done);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ECANCELED);
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_OK, 5000),
		  UET_DROP_READ_UNKNOWN);

	bench_init(&b, 0, 5000);
	bench_none(&b, 0);
	uet_ses_fail(&b.ses, UET_PDC_ERR_TIMEOUT, &b.done);
	EXPECT_TRUE(bench_is_done(&b));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ETIMEDOUT);
	EXPECT_TRUE(list_empty(&b.ses.rdvs));
}

/* Refused for its generation it is sent again, and found again. */
TEST(ses_rdv__is_sent_again_with_another_generation)
{
	struct bench b;
	u16 was;

	bench_init(&b, 0, 5000);
	was = b.tx.msg_id;
	b.pdc.up[b.pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b.pdc.pkt[0],
		.rsp_opcode = UET_RSP_RESPONSE, .rc = UET_RC_BAD_GENERATION,
		.ri_gen = 9,
	};
	uet_ses_reap(&b.ses, &b.pdc, &b.done);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 2);
	EXPECT_NE(b.tx.msg_id, was);
	EXPECT_EQ(bench_final(&b, was, UET_RC_OK, 0), UET_DROP_READ_UNKNOWN);
	bench_none(&b, 1);
	EXPECT_EQ(bench_final(&b, b.tx.msg_id, UET_RC_OK, 5000), UET_DROP_NONE);
	EXPECT_TRUE(bench_is_done(&b));
}
