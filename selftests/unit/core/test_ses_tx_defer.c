// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx.c: a message that its target defers is stopped, ended and
 * given back to be sent again; what is deferred when nothing may be ends it.  The PDC
 * is a double.  Level: test.
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

static void bench_init(struct bench *b, unsigned int space)
{
	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, space);
}

static void bench_send(struct bench *b, u32 length, u32 tgt_token)
{
	b->tx = (struct uet_ses_tx){
		.to = { .job = 7, .pid = 3, .ri = 2, .rel = true,
			.initiator = 99 },
		.length = length, .avail = length, .mtu = MTU,
		.match = 0x77, .opcode = UET_OP_DEFERRABLE_TSEND,
		.has_hdata = true, .header_data = 4711,
		.tokens = { .init = 0x11, .tgt = tgt_token },
	};
	uet_ses_tx_queue(&b->ses, &b->tx);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

/* A bench for @space packets on which a message is sent. */
static void bench_start(struct bench *b, unsigned int space, u32 length,
			u32 tgt_token)
{
	bench_init(b, space);
	bench_send(b, length, tgt_token);
}

static void bench_answer(struct bench *b, unsigned int i, u8 opcode, u8 rc,
			 u8 list)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b->pdc.pkt[i],
		.rsp_opcode = opcode, .rc = rc, .list = list,
	};
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

static void bench_defer(struct bench *b, unsigned int i)
{
	bench_answer(b, i, UET_RSP_RESPONSE, UET_RC_OK, UET_LIST_OVERFLOW);
}

static struct uet_ses_req bench_request(const struct bench *b, unsigned int i)
{
	struct uet_ses_req req;

	uet_ses_tx_request(&b->tx, &b->pdc.pkt[i], &req);
	return req;
}

TEST(ses_is_deferrable__two_opcodes_are_deferrable)
{
	unsigned int op;

	for (op = 0; op < UET_OP_NR; op++)
		EXPECT_EQ(uet_ses_is_deferrable(op),
			  op == UET_OP_DEFERRABLE_SEND ||
			  op == UET_OP_DEFERRABLE_TSEND);
}

TEST(ses_defer_request__has_the_tokens_in_all_packets)
{
	struct uet_ses_req req;
	struct bench b;
	u8 buf[UET_SES_REQ_MAX_LEN];

	bench_start(&b, 8, 2 * MTU, 0x22);
	ASSERT_EQ(b.pdc.nr, 2);
	req = bench_request(&b, 0);
	EXPECT_EQ(req.form, UET_SES_DEFER);
	EXPECT_EQ(req.init_token, 0x11u);
	EXPECT_EQ(req.tgt_token, 0x22u);
	EXPECT_EQ(req.header_data, 4711ull);
	EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)), 44u);
	req = bench_request(&b, 1);
	EXPECT_EQ(req.tgt_token, 0x22u);
	EXPECT_EQ(req.message_offset, (u32)MTU);
	EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)), 44u);
}

TEST(ses_defer_request__restart_request_carries_the_tokens)
{
	struct uet_ses_tx rtr = {
		.opcode = UET_OP_DEFERRABLE_RTR, .mtu = MTU,
		.tokens = { 0x11, 0x22, 5000 },
	};
	struct uet_ses_req req;
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct bench b;

	bench_init(&b, 8);
	uet_ses_tx_queue(&b.ses, &rtr);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 1);
	uet_ses_tx_request(&rtr, &b.pdc.pkt[0], &req);
	EXPECT_EQ(req.form, UET_SES_RTR);
	EXPECT_TRUE(req.som && req.eom);
	/* The sender of the restart request puts its own token first. */
	EXPECT_EQ(req.init_token, 0x22u);
	EXPECT_EQ(req.tgt_token, 0x11u);
	EXPECT_EQ(req.request_length, 5000u);
	EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)), 44u);
}

/* The unsent part becomes an empty last packet; then the message comes back. */
/* Public implementations differ in the order of the tokens. */
TEST(ses_defer_is_requested__holds_for_either_order_of_the_tokens)
{
	const struct uet_ses_tx tx = {
		.opcode = UET_OP_DEFERRABLE_SEND, .length = 5000,
		.tokens = { .init = 0x11 },
	};
	struct uet_ses_req rtr = {
		.form = UET_SES_RTR, .opcode = UET_OP_DEFERRABLE_RTR,
		.init_token = 0x22, .tgt_token = 0x11, .request_length = 5000,
	};
	u32 token = 0;

	EXPECT_TRUE(uet_ses_defer_is_requested(&tx, &rtr, &token));
	EXPECT_EQ(token, 0x22);
	swap(rtr.init_token, rtr.tgt_token);
	EXPECT_TRUE(uet_ses_defer_is_requested(&tx, &rtr, &token));
	EXPECT_EQ(token, 0x22);
	/* A target may count its tokens from 0, and may not state the length. */
	rtr.tgt_token = 0;
	EXPECT_TRUE(uet_ses_defer_is_requested(&tx, &rtr, &token));
	EXPECT_EQ(token, 0);
	rtr.init_token = 0;
	rtr.tgt_token = 0x11;
	rtr.request_length = 0;
	EXPECT_TRUE(uet_ses_defer_is_requested(&tx, &rtr, &token));
	EXPECT_EQ(token, 0);
}

TEST(ses_defer_is_requested__does_not_hold_for_another_token_or_length)
{
	const struct uet_ses_tx tx = {
		.opcode = UET_OP_DEFERRABLE_SEND, .length = 5000,
		.tokens = { .init = 0x11 },
	};
	struct uet_ses_req rtr = {
		.form = UET_SES_RTR, .opcode = UET_OP_DEFERRABLE_RTR,
		.init_token = 0x12, .tgt_token = 0x22, .request_length = 5000,
	};
	u32 token;

	EXPECT_FALSE(uet_ses_defer_is_requested(&tx, &rtr, &token));
	rtr.init_token = 0x11;
	rtr.request_length = 4999;
	EXPECT_FALSE(uet_ses_defer_is_requested(&tx, &rtr, &token));
}

TEST(ses_defer__ends_the_message_and_gives_it_back)
{
	struct uet_ses_req req;
	struct bench b;
	u8 buf[UET_SES_REQ_MAX_LEN];

	bench_start(&b, 2, 5 * MTU, 0);
	ASSERT_EQ(b.pdc.nr, 2);
	EXPECT_TRUE(uet_ses_may_defer(&b.tx));
	b.pdc.space = 8;
	bench_defer(&b, 0);
	ASSERT_EQ(b.pdc.nr, 3);
	EXPECT_EQ(b.pdc.pkt[2].len, 0);
	EXPECT_EQ(b.pdc.pkt[2].flags, UET_PKT_EOM | UET_PKT_TAIL);
	req = bench_request(&b, 2);
	EXPECT_EQ(req.opcode, UET_OP_DEFERRABLE_TSEND);
	EXPECT_EQ(req.message_offset, 2u * MTU);
	EXPECT_EQ(req.request_length, 5u * MTU);
	EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)), 44u);
	EXPECT_TRUE(list_empty(&b.done));
	bench_defer(&b, 1);
	bench_defer(&b, 2);
	ASSERT_FALSE(list_empty(&b.done));
	EXPECT_TRUE(uet_ses_tx_is_deferred(&b.tx));
	EXPECT_EQ(uet_ses_errno(&b.tx), 0);
	EXPECT_TRUE(uet_ses_is_idle(&b.ses));
	EXPECT_EQ(b.pdc.nr, 3);
}

TEST(ses_defer__sent_message_can_be_deferred)
{
	struct bench b;

	bench_start(&b, 8, 0, 0);
	bench_defer(&b, 0);
	EXPECT_TRUE(uet_ses_tx_is_deferred(&b.tx));
	EXPECT_FALSE(list_empty(&b.done));
	EXPECT_EQ(b.pdc.nr, 1);
	/* But not one whose PDC failed. */
	b.tx.error = UET_PDC_ERR_TIMEOUT;
	EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
}

TEST(ses_defer__is_forgotten_when_it_is_sent_again)
{
	struct bench b;

	bench_start(&b, 8, 10, 0);
	bench_defer(&b, 0);
	ASSERT_TRUE(uet_ses_tx_is_deferred(&b.tx));
	list_del_init(&b.tx.link);
	b.tx.tokens.tgt = 0x22;
	uet_ses_tx_queue(&b.ses, &b.tx);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	EXPECT_FALSE(uet_ses_may_defer(&b.tx));
	ASSERT_EQ(b.pdc.nr, 2);
	EXPECT_EQ(b.pdc.pkt[1].flags & UET_PKT_SOM, UET_PKT_SOM);
	EXPECT_EQ(bench_request(&b, 1).msg_id, 2);
	bench_answer(&b, 1, UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_EXPECTED);
	EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
	EXPECT_EQ(uet_ses_errno(&b.tx), 0);
	EXPECT_EQ(uet_ses_executed(&b.tx), 10u);
}

TEST(ses_defer__only_an_overflow_response_defers)
{
	static const struct { u8 opcode, rc, list; } no[] = {
		{ UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_OVERFLOW },
		{ UET_RSP_RESPONSE, UET_RC_OK, UET_LIST_EXPECTED },
		{ UET_RSP_RESPONSE, UET_RC_NO_MATCH, UET_LIST_OVERFLOW },
	};
	struct bench b;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(no); i++) {
		bench_start(&b, 8, 1, 0);
		bench_answer(&b, 0, no[i].opcode, no[i].rc, no[i].list);
		EXPECT_FALSE(list_empty(&b.done));
		EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
	}
}

/* Else it would count as delivered. */
TEST(ses_defer__second_deferral_is_an_error)
{
	struct bench b;

	bench_start(&b, 1, 3 * MTU, 0x22);
	b.pdc.space = 8;
	bench_defer(&b, 0);
	EXPECT_EQ(b.pdc.nr, 1);
	EXPECT_FALSE(list_empty(&b.done));
	EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
	EXPECT_EQ(uet_ses_errno(&b.tx), -EPROTO);
}

TEST(ses_defer__other_sends_ignore_the_overflow_list)
{
	struct bench b;

	bench_start(&b, 8, 1, 0);
	b.tx.opcode = UET_OP_TAGGED_SEND;
	bench_defer(&b, 0);
	EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
	EXPECT_EQ(uet_ses_errno(&b.tx), 0);
}

TEST(ses_defer__then_an_error_is_an_error)
{
	struct bench b;

	bench_start(&b, 2, 2 * MTU, 0);
	bench_defer(&b, 0);
	bench_answer(&b, 1, UET_RSP_RESPONSE, UET_RC_BAD_INDEX,
		     UET_LIST_EXPECTED);
	EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
	EXPECT_EQ(uet_ses_errno(&b.tx), -ECONNREFUSED);
}

TEST(ses_defer__aborted_deferred_message_sends_msg_error)
{
	struct bench b;

	bench_start(&b, 1, 3 * MTU, 0);
	bench_defer(&b, 0);
	uet_ses_tx_abort(&b.ses, &b.tx);
	b.pdc.space = 8;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 2);
	EXPECT_EQ(bench_request(&b, 1).opcode, UET_OP_MSG_ERROR);
	EXPECT_FALSE(uet_ses_tx_is_deferred(&b.tx));
}
