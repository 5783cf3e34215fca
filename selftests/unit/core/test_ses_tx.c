// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx.c: segmentation, the order of messages, what the outcome of
 * packets means for their message.  The PDC is a double that records what it is
 * given and says what a test has told it to, so each case is one fact of SES.
 * Level: test.
 */
#include "sestx.h"

/* --------------------------------------------------------------- segmentation */

TEST(ses_tx__empty_message_is_one_packet)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 0);

	ASSERT_EQ(b.pdc.nr, 1u);
	EXPECT_EQ(b.pdc.pkt[0].len, 0);
	EXPECT_EQ(b.pdc.pkt[0].flags,
		  UET_PKT_SOM | UET_PKT_EOM | UET_PKT_TAIL);
	EXPECT_EQ(b.pdc.pkt[0].next_hdr, UET_NH_REQ_STD);
	EXPECT_TRUE(tx.is_cut);
}

TEST(ses_tx__all_packets_but_the_last_are_full)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 2 * MTU + 1);

	ASSERT_EQ(b.pdc.nr, 3u);
	EXPECT_EQ(b.pdc.pkt[0].len, MTU);
	EXPECT_EQ(b.pdc.pkt[0].offset, 0u);
	EXPECT_EQ(b.pdc.pkt[0].flags, UET_PKT_SOM);
	EXPECT_EQ(b.pdc.pkt[1].len, MTU);
	EXPECT_EQ(b.pdc.pkt[1].offset, (u32)MTU);
	EXPECT_EQ(b.pdc.pkt[1].flags, 0);
	EXPECT_EQ(b.pdc.pkt[2].len, 1);
	EXPECT_EQ(b.pdc.pkt[2].offset, 2u * MTU);
	EXPECT_EQ(b.pdc.pkt[2].flags, UET_PKT_EOM | UET_PKT_TAIL);
	EXPECT_EQ(b.ses.nr_requested, 0);
}

TEST(ses_tx__exact_multiple_has_no_empty_packet)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 2 * MTU);

	ASSERT_EQ(b.pdc.nr, 2u);
	EXPECT_EQ(b.pdc.pkt[1].len, MTU);
	EXPECT_EQ(b.pdc.pkt[1].flags, UET_PKT_EOM | UET_PKT_TAIL);
}

TEST(ses_tx__largest_message_does_not_overflow)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 2;
	msg_init(&tx, U32_MAX);
	uet_ses_tx_queue(&b.ses, &tx);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 2u);
	EXPECT_EQ(tx.next, 2u * MTU);
	EXPECT_FALSE(tx.is_cut);

	tx.next = U32_MAX - MTU + 1;
	b.pdc.space = 3;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	EXPECT_EQ(b.pdc.pkt[2].len, MTU - 1);
	EXPECT_EQ(b.pdc.pkt[2].flags, UET_PKT_EOM | UET_PKT_TAIL);
	EXPECT_EQ(tx.next, U32_MAX);
}

TEST(ses_tx__window_stops_and_resumes)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 2;
	bench_send(&b, &tx, 4 * MTU);
	EXPECT_EQ(b.pdc.nr, 2u);
	EXPECT_EQ(b.pdc.pkt[1].flags & UET_PKT_TAIL, 0);

	b.pdc.space = 9;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	EXPECT_EQ(b.pdc.nr, 4u);
	EXPECT_EQ(tx.packets, 4u);
}

TEST(ses_tx__a_message_that_others_follow_asks_for_no_ack)
{
	struct uet_ses_tx a, c;
	struct bench b;

	bench_init(&b);
	msg_init(&a, MTU + 1);
	a.has_more = true;
	a.avail = MTU;
	uet_ses_tx_queue(&b.ses, &a);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 1u);
	EXPECT_EQ(b.pdc.pkt[0].flags, UET_PKT_SOM | UET_PKT_TAIL);

	a.avail = a.length;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 2u);
	EXPECT_EQ(b.pdc.pkt[1].flags, UET_PKT_EOM);

	bench_send(&b, &c, 1);
	ASSERT_EQ(b.pdc.nr, 3u);
	EXPECT_EQ(b.pdc.pkt[2].flags,
		  UET_PKT_SOM | UET_PKT_EOM | UET_PKT_TAIL);
}

TEST(ses_tx__messages_are_not_interleaved)
{
	struct uet_ses_tx a, c;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 0;
	bench_send(&b, &a, 2 * MTU);
	bench_send(&b, &c, MTU);
	b.pdc.space = 9;
	uet_ses_pump(&b.ses, &b.pdc, 0);

	ASSERT_EQ(b.pdc.nr, 3u);
	EXPECT_TRUE(b.pdc.pkt[0].msg == &a);
	EXPECT_TRUE(b.pdc.pkt[1].msg == &a);
	EXPECT_TRUE(b.pdc.pkt[2].msg == &c);
	EXPECT_EQ(b.pdc.pkt[1].flags, UET_PKT_EOM);
	EXPECT_EQ(b.pdc.pkt[2].flags,
		  UET_PKT_SOM | UET_PKT_EOM | UET_PKT_TAIL);
}

TEST(ses_tx__streaming_waits_for_a_full_packet)
{
	struct uet_ses_tx a, c;
	struct bench b;

	bench_init(&b);
	msg_init(&a, 2 * MTU + 5);
	a.avail = MTU - 1;
	uet_ses_tx_queue(&b.ses, &a);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	EXPECT_EQ(b.pdc.nr, 0u);

	bench_send(&b, &c, 1);
	EXPECT_EQ(b.pdc.nr, 0u);

	a.avail = MTU + 3;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 1u);
	EXPECT_EQ(b.pdc.pkt[0].len, MTU);
	EXPECT_EQ(b.pdc.pkt[0].flags, UET_PKT_SOM | UET_PKT_TAIL);

	a.avail = a.length;
	uet_ses_pump(&b.ses, &b.pdc, 0);
	ASSERT_EQ(b.pdc.nr, 4u);
	EXPECT_EQ(b.pdc.pkt[2].len, 5);
	EXPECT_TRUE(b.pdc.pkt[3].msg == &c);
}

TEST(ses_tx__message_ids_skip_zero_and_differ)
{
	struct uet_ses_tx a, c, d;
	struct bench b;

	bench_init(&b);
	b.ses.next_msg_id = 0xffff;
	bench_send(&b, &a, 1);
	bench_send(&b, &c, 1);
	bench_send(&b, &d, 1);

	EXPECT_EQ(a.msg_id, 0xffff);
	EXPECT_EQ(c.msg_id, 1);
	EXPECT_EQ(d.msg_id, 2);
}

/* -------------------------------------------------------------------- headers */

TEST(ses_tx__first_packet_has_the_full_header)
{
	struct uet_ses_req req;
	struct uet_ses_tx tx;
	struct bench b;
	u8 buf[UET_SES_REQ_MAX_LEN];

	bench_start(&b, &tx, MTU + 1);
	uet_ses_tx_request(&tx, &b.pdc.pkt[0], &req);

	EXPECT_EQ(req.form, UET_SES_STD);
	EXPECT_EQ(req.opcode, UET_OP_SEND);
	EXPECT_TRUE(req.som && !req.eom && req.rel && req.hd);
	EXPECT_FALSE(req.dc || req.ie || req.version);
	EXPECT_EQ(req.msg_id, tx.msg_id);
	EXPECT_EQ(req.job, 7u);
	EXPECT_EQ(req.pid, 3);
	EXPECT_EQ(req.ri, 2);
	EXPECT_EQ(req.initiator, 99u);
	EXPECT_EQ(req.header_data, 0x1122334455667788ULL);
	EXPECT_EQ(req.request_length, (u32)MTU + 1);
	EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)),
		  (size_t)UET_SES_STD_LEN);
}

TEST(ses_tx__later_packet_has_its_offset)
{
	struct uet_ses_req req;
	struct uet_ses_tx tx;
	struct bench b;
	u8 buf[UET_SES_REQ_MAX_LEN];

	bench_start(&b, &tx, MTU + 1);
	uet_ses_tx_request(&tx, &b.pdc.pkt[1], &req);

	EXPECT_EQ(req.form, UET_SES_STD_NOSOM);
	EXPECT_TRUE(!req.som && req.eom && !req.hd);
	EXPECT_EQ(req.message_offset, (u32)MTU);
	EXPECT_EQ(req.payload_length, 1);
	EXPECT_EQ(req.request_length, (u32)MTU + 1);
	EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)),
		  (size_t)UET_SES_STD_LEN);
}

TEST(ses_tx__header_data_is_sent_on_request_only)
{
	struct uet_ses_req req;
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	msg_init(&tx, 1);
	tx.has_hdata = false;
	uet_ses_tx_queue(&b.ses, &tx);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	uet_ses_tx_request(&tx, &b.pdc.pkt[0], &req);

	EXPECT_FALSE(req.hd);
	EXPECT_EQ(req.header_data, 0ULL);
}

/* ------------------------------------------------------------------- verdicts */

TEST(ses_tx__is_done_when_all_packets_are_answered)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	EXPECT_TRUE(b.pdc.is_held);
	bench_answer(&b, 0, UET_RSP_DEFAULT, UET_RC_OK);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));
	EXPECT_EQ(tx.acked, (u32)MTU);
	EXPECT_FALSE(uet_ses_is_idle(&b.ses));

	bench_answer(&b, 1, UET_RSP_DEFAULT, UET_RC_NULL);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(tx.acked, (u32)MTU + 1);
	EXPECT_EQ(uet_ses_errno(&tx), 0);
	EXPECT_TRUE(uet_ses_is_idle(&b.ses));
	EXPECT_FALSE(b.pdc.is_held);
}

TEST(ses_tx__partly_sent_message_is_not_done)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 1;
	bench_send(&b, &tx, 2 * MTU);
	bench_answer(&b, 0, UET_RSP_DEFAULT, UET_RC_OK);
	bench_reap(&b);

	EXPECT_TRUE(list_empty(&b.done));
	EXPECT_EQ(tx.packets, 0u);
}

TEST(ses_tx__error_response_stops_the_rest)
{
	struct uet_ses_tx a, c;
	struct bench b;

	bench_init(&b);
	b.pdc.space = 2;
	bench_send(&b, &a, 9 * MTU);
	bench_send(&b, &c, 1);
	bench_answer(&b, 0, UET_RSP_RESPONSE, UET_RC_BAD_PID);
	b.pdc.space = 9;
	bench_reap(&b);

	/* One packet of it is still out; the next message may go. */
	EXPECT_FALSE(bench_is_done(&b, &a));
	ASSERT_EQ(b.pdc.nr, 3u);
	EXPECT_TRUE(b.pdc.pkt[2].msg == &c);

	bench_answer(&b, 1, UET_RSP_RESPONSE, UET_RC_NO_MATCH);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &a));
	EXPECT_EQ(a.rc, UET_RC_BAD_PID);
	EXPECT_EQ(uet_ses_errno(&a), -ECONNREFUSED);
}

TEST(ses_tx__error_response_to_the_last_packet_counts)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer(&b, 0, UET_RSP_DEFAULT, UET_RC_OK);
	bench_answer(&b, 1, UET_RSP_RESPONSE, UET_RC_TOO_LONG);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -EMSGSIZE);
}

TEST(ses_tx__waits_for_a_final_response)
{
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK };
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_answer(&b, 1, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));
	EXPECT_FALSE(b.pdc.is_held);

	rsp.msg_id = tx.msg_id + 1;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	rsp.msg_id = tx.msg_id;
	rsp.opcode = UET_RSP_NO_RESPONSE;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));

	rsp.opcode = UET_RSP_DEFAULT;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), 0);
	EXPECT_EQ(b.ses.nr_wait, 0u);
	EXPECT_TRUE(uet_ses_is_idle(&b.ses));
}

/* By its PDS a target answers the retransmission of a packet that it answered before. */
TEST(ses_tx__answer_to_a_duplicate_is_not_the_final_response)
{
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = double_ack;
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_reap(&b);
	rsp.msg_id = tx.msg_id;
	hdr.flags = UET_F_RETX;
	uet_ses_tx_response(&b.ses, &rsp, &hdr);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));

	rsp.opcode = UET_RSP_RESPONSE;
	rsp.rc = UET_RC_NO_MATCH;
	uet_ses_tx_response(&b.ses, &rsp, &hdr);
	bench_reap(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -ENOMSG);
}

TEST(ses_tx__late_response_may_be_an_error)
{
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_RESPONSE, .rc = UET_RC_OP_VIOLATION,
	};
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_reap(&b);
	rsp.msg_id = tx.msg_id;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -EACCES);
}

/* The target says TOO_LONG after it has accepted the packets. */
static void bench_late_too_long(struct bench *b, const struct uet_ses_tx *tx)
{
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_RESPONSE, .rc = UET_RC_TOO_LONG,
		.msg_id = tx->msg_id,
	};

	uet_ses_tx_response(&b->ses, &rsp, &double_ack);
	bench_reap(b);
}

TEST(ses_tx__no_response_to_the_last_packet_is_no_success)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer_both(&b, 0, UET_RSP_DEFAULT, 1, UET_RSP_NO_RESPONSE);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));

	bench_late_too_long(&b, &tx);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -EMSGSIZE);
}

TEST(ses_tx__cack_over_no_response_is_no_success)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_cover(&b, 1);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));

	bench_late_too_long(&b, &tx);
	EXPECT_EQ(uet_ses_errno(&tx), -EMSGSIZE);
}

TEST(ses_tx__cack_alone_is_success)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_cover(&b, 0);
	bench_cover(&b, 1);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), 0);
}

TEST(ses_tx__answer_to_the_last_packet_is_final)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, 2 * MTU + 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_answer(&b, 1, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_answer(&b, 2, UET_RSP_DEFAULT, UET_RC_OK);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &tx));
}

/* The first packet arrived last and completed the message. */
TEST(ses_tx__answer_that_came_last_is_final)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer_both(&b, 1, UET_RSP_NO_RESPONSE, 0, UET_RSP_DEFAULT);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &tx));
}

/* ACKs change places as well: the answer to the last packet overtook another. */
TEST(ses_tx__overtaken_no_response_does_not_delay_the_message)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer_both(&b, 1, UET_RSP_DEFAULT, 0, UET_RSP_NO_RESPONSE);
	bench_reap(&b);

	EXPECT_TRUE(bench_is_done(&b, &tx));
}

TEST(ses_tx__unknown_status_is_no_final_response)
{
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT, .rc = UET_RC_NULL };
	struct uet_ses_tx tx;
	struct bench b;

	bench_start(&b, &tx, MTU + 1);
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
	bench_answer(&b, 1, UET_RSP_DEFAULT, UET_RC_NULL);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));
	rsp.msg_id = tx.msg_id;
	uet_ses_tx_response(&b.ses, &rsp, &double_ack);
	bench_reap(&b);
	EXPECT_FALSE(bench_is_done(&b, &tx));
}

TEST(ses_tx__too_many_unanswered_messages_stop_new_ones)
{
	static struct uet_ses_tx tx[UET_SES_WAIT_MAX + 1];
	unsigned int i;
	struct bench b;

	bench_init(&b);
	for (i = 0; i < UET_SES_WAIT_MAX; i++) {
		memset(&b.pdc, 0, sizeof(b.pdc));
		b.pdc.space = 1;
		bench_send(&b, &tx[i], 1);
		bench_answer(&b, 0, UET_RSP_NO_RESPONSE, UET_RC_NULL);
		bench_reap(&b);
	}
	memset(&b.pdc, 0, sizeof(b.pdc));
	b.pdc.space = 1;
	/* The next id would be one that waits. */
	b.ses.next_msg_id = 0;
	bench_send(&b, &tx[i], 1);
	EXPECT_EQ(b.pdc.nr, 0u);

	uet_ses_tx_abort(&b.ses, &tx[1]);
	bench_reap(&b);
	ASSERT_EQ(b.pdc.nr, 1u);
	EXPECT_TRUE(b.pdc.pkt[0].msg == &tx[i]);
	EXPECT_EQ(tx[i].msg_id, tx[1].msg_id);
}
