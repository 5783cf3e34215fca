// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx.c: messages that end early, by their sender or with their PDC, and how
 * many of their bytes were executed.
 */
#include "sestx.h"

/* -------------------------------------------------------------------- abortion */

TEST(ses_tx__abort_before_the_first_packet_ends_the_message)
{
	struct uet_ses_tx a, c;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 1;
	bench_send(&b, &a, MTU + 1);
	bench_send(&b, &c, 1);
	uet_ses_tx_abort(&b.ses, &c);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &c));
	EXPECT_FALSE(bench_is_done(&b, &a));
	EXPECT_EQ(uet_ses_errno(&c), -ECANCELED);
	EXPECT_EQ(b.ses.nr_tx, 1u);
}

TEST(ses_tx__abort_half_way_sends_msg_error)
{
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req req, back;
	struct uet_ses_tx tx;
	size_t used, len;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 1;
	bench_send(&b, &tx, 9 * MTU);
	uet_ses_tx_abort(&b.ses, &tx);
	uet_ses_tx_abort(&b.ses, &tx);
	b.pdc.space = 9;
	uet_ses_pump(&b.ses, &b.pdc, 0);

	ASSERT_EQ(b.pdc.nr, 2u);
	EXPECT_EQ(b.pdc.pkt[1].len, 0);
	EXPECT_EQ(b.pdc.pkt[1].flags, UET_PKT_EOM | UET_PKT_TAIL);
	uet_ses_tx_request(&tx, &b.pdc.pkt[1], &req);
	EXPECT_EQ(req.opcode, UET_OP_MSG_ERROR);
	EXPECT_EQ(req.message_offset, (u32)MTU);
	EXPECT_EQ(req.payload_length, 0);
	EXPECT_TRUE(req.eom && !req.som);
	ASSERT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)),
		  (size_t)UET_SES_STD_LEN);
	ASSERT_EQ(uet_wire_ses_req_decode(UET_NH_REQ_STD, buf, UET_SES_STD_LEN,
					  &back, &used), UET_DROP_NONE);
	EXPECT_EQ(uet_wire_ses_payload(&back, 0, &len), UET_DROP_NONE);

	/* A retransmission of the first packet is still a SEND. */
	uet_ses_tx_request(&tx, &b.pdc.pkt[0], &req);
	EXPECT_EQ(req.opcode, UET_OP_SEND);

	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_answer(&b, 1, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -ECANCELED);
}

TEST(ses_tx__abort_of_a_message_that_is_out_changes_nothing)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 1);
	uet_ses_tx_abort(&b.ses, &tx);
	bench_answer(&b, 0, UET_RSP_DEFAULT, UET_RC_OK);
	bench_reap(&b);

	EXPECT_EQ(b.pdc.nr, 1u);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), 0);
}

/* ------------------------------------------------------- what was executed */

static void bench_answer_part(struct bench *b, unsigned int i, u8 opcode,
			      u8 rc, u32 modified_length)
{
	bench_answer(b, i, opcode, rc);
	b->pdc.up[b->pdc.up_nr - 1].modified_length = modified_length;
}

TEST(ses_tx__default_response_executes_all)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	/* One was answered for itself, by the length of its packet. */
	bench_answer_part(&b, 0, UET_RSP_DEFAULT, UET_RC_OK, MTU);
	bench_answer_part(&b, 1, UET_RSP_DEFAULT, UET_RC_OK, U32_MAX);
	bench_reap(&b);

	ASSERT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_executed(&tx), (u32)MTU + 1);
	EXPECT_EQ(uet_ses_reported_rc(&tx), UET_RC_OK);
}

TEST(ses_tx__response_reports_executed_bytes)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer_part(&b, 0, UET_RSP_RESPONSE, UET_RC_OK, 100);
	bench_answer_part(&b, 1, UET_RSP_RESPONSE, UET_RC_OK, MTU + 2);
	bench_reap(&b);

	ASSERT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_executed(&tx), 100u);
	EXPECT_EQ(uet_ses_errno(&tx), 0);
}

/* Only a default response may stand for a CACK_PSN. */
TEST(ses_tx__response_to_the_longest_message_is_final)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer_part(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL, 0);
	bench_answer_part(&b, 1, UET_RSP_RESPONSE, UET_RC_OK, U32_MAX);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
}

TEST(ses_tx__late_response_reports_executed_bytes)
{
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_RESPONSE, .rc = UET_RC_OK,
		.modified_length = 7,
	};
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 9);
	bench_answer_part(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL, 0);
	bench_reap(&b);
	rsp.msg_id = tx.msg_id;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_reap(&b);

	ASSERT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_executed(&tx), 7u);
}

TEST(ses_tx__no_op_is_one_packet_without_payload)
{
	struct uet_ses_req req;
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	msg_init(&tx, 0);
	tx.opcode = UET_OP_NO_OP;
	tx.has_hdata = false;
	uet_ses_tx_queue(&b.ses, &tx);
	uet_ses_pump(&b.ses, &b.pdc, 0);

	ASSERT_EQ(b.pdc.nr, 1u);
	EXPECT_EQ(b.pdc.pkt[0].len, 0);
	uet_ses_tx_request(&tx, &b.pdc.pkt[0], &req);
	EXPECT_EQ(req.opcode, UET_OP_NO_OP);
	EXPECT_EQ(req.form, UET_SES_STD);
	EXPECT_TRUE(req.som);
	EXPECT_TRUE(req.eom);
	EXPECT_EQ(req.request_length, 0u);

	bench_answer(&b, 0, UET_RSP_DEFAULT, UET_RC_OK);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_reported_rc(&tx), UET_RC_OK);
}

/* --------------------------------------------------------------- a failed PDC */

TEST(ses_tx__dead_pdc_fails_all_in_either_order)
{
	struct uet_ses_tx out, part, queued, waits;
	unsigned int order;
	struct bench b;

	for (order = 0; order < 2; order++) {
		bench_init(&b);
		bench_send(&b, &waits, 1);
		bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
		bench_reap(&b);
		bench_send(&b, &out, 1);
		b.pdc.space = 3;
		bench_send(&b, &part, 2 * MTU);
		bench_send(&b, &queued, 1);
		ASSERT_EQ(b.pdc.nr, 3u);
		bench_lose(&b, 1, UET_PDC_ERR_NACK, UET_NACK_CLOSING);
		bench_lose(&b, 2, UET_PDC_ERR_NACK, UET_NACK_CLOSING);

		if (order)
			uet_ses_fail(&b.ses, UET_PDC_ERR_NACK, &b.done);
		uet_ses_reap(&b.ses, &b.pdc, &b.done);
		if (!order)
			uet_ses_fail(&b.ses, UET_PDC_ERR_NACK, &b.done);

		EXPECT_TRUE(bench_is_done(&b, &out));
		EXPECT_TRUE(bench_is_done(&b, &part));
		EXPECT_TRUE(bench_is_done(&b, &queued));
		EXPECT_TRUE(bench_is_done(&b, &waits));
		EXPECT_EQ(out.nack_code, UET_NACK_CLOSING);
		EXPECT_EQ(uet_ses_errno(&out), -ECONNRESET);
		EXPECT_EQ(uet_ses_errno(&part), -ECONNRESET);
		EXPECT_EQ(uet_ses_errno(&queued), -ECONNRESET);
		EXPECT_EQ(uet_ses_errno(&waits), -ECONNRESET);
		EXPECT_TRUE(uet_ses_is_idle(&b.ses));
		EXPECT_TRUE(list_empty(&b.ses.txq));
	}
}

/* The caller holds a lock. */
TEST(ses_tx__one_call_fails_a_limited_number_of_messages)
{
	static struct uet_ses_tx tx[2 * UET_SES_FAIL_MAX];
	unsigned int i;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 0;
	for (i = 0; i < ARRAY_SIZE(tx); i++)
		bench_send(&b, &tx[i], 1);
	EXPECT_FALSE(uet_ses_fail(&b.ses, UET_PDC_ERR_TIMEOUT, &b.done));
	EXPECT_EQ(b.ses.nr_tx, (u32)UET_SES_FAIL_MAX);
	EXPECT_FALSE(uet_ses_fail(&b.ses, UET_PDC_ERR_TIMEOUT, &b.done));
	EXPECT_EQ(b.ses.nr_tx, 0u);
	EXPECT_TRUE(uet_ses_fail(&b.ses, UET_PDC_ERR_TIMEOUT, &b.done));
	for (i = 0; i < ARRAY_SIZE(tx); i++)
		EXPECT_TRUE(bench_is_done(&b, &tx[i]));
}

TEST(ses_tx__message_of_a_closed_pdc_is_no_success)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 0;
	bench_send(&b, &tx, 1);
	uet_ses_fail(&b.ses, UET_PDC_OK, &b.done);

	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -ECONNABORTED);
}

TEST(ses_tx__final_response_that_never_comes_is_a_timeout)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_reap(&b);
	EXPECT_FALSE(b.pdc.is_held);
	uet_ses_fail(&b.ses, UET_PDC_OK, &b.done);

	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -ETIMEDOUT);
	EXPECT_EQ(b.ses.nr_wait, 0u);
}

TEST(ses_tx__abort_of_a_failed_message_is_harmless)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_reap(&b);
	uet_ses_tx_abort(&b.ses, &tx);
	uet_ses_tx_abort(&b.ses, &tx);
	bench_reap(&b);

	EXPECT_EQ(b.ses.nr_wait, 0u);
	EXPECT_EQ(b.ses.nr_tx, 0u);
	EXPECT_EQ(uet_ses_errno(&tx), -ECANCELED);
}

TEST(ses_tx__failed_packet_ends_the_sending_of_its_message)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 2;
	bench_send(&b, &tx, 5 * MTU);
	b.pdc.space = 5;
	bench_lose(&b, 0, UET_PDC_ERR_NACK, UET_NACK_NO_RESOURCE);
	bench_reap(&b);
	EXPECT_EQ(b.pdc.nr, 2u);
	EXPECT_FALSE(bench_is_done(&b, &tx));
	bench_answer(&b, 1, UET_RSP_DEFAULT, UET_RC_OK);
	bench_reap(&b);
	EXPECT_EQ(b.pdc.nr, 2u);
	EXPECT_TRUE(bench_is_done(&b, &tx));
}
