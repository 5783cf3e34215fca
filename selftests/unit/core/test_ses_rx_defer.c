// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_rx.c: what can be deferred, the answer that says so, and how
 * packets of a deferred message are passed by, in whatever order they come.
 * Level: test.
 */
#include "core/ses/ses.h"
#include "utest.h"

#define MTU	1024

TEST(ses_rx_supported__a_restart_request_is_one_packet_whatever_its_flags)
{
	struct uet_ses_req req = {
		.opcode = UET_OP_DEFERRABLE_RTR, .som = true, .msg_id = 1,
	};

	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
	req.eom = true;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
	req.som = false;
	req.msg_id = 0;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
}

static struct uet_ses_req piece(u32 total, u32 offset, u32 len, bool eom)
{
	return (struct uet_ses_req){
		.form = UET_SES_DEFER, .opcode = UET_OP_DEFERRABLE_SEND,
		.rel = true, .msg_id = 5, .som = !offset, .eom = eom,
		.job = 7, .pid = 3, .ri = 2, .initiator = 9,
		.message_offset = offset, .payload_length = offset ? len : 0,
		.request_length = total, .init_token = 0x11,
	};
}

/* Some initiators restart a message under its old message id. */
TEST(ses_rx_is_restarted__target_token_starts_the_message_anew)
{
	struct uet_ses_req req = {
		.form = UET_SES_DEFER, .opcode = UET_OP_DEFERRABLE_SEND,
		.msg_id = 5, .som = true, .init_token = 0x11,
		.request_length = 3000,
	};
	struct uet_ses_rx rx;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_defer(&ses, &rx, &req);
	uet_ses_rx_put_off(&ses, &rx, &req, 1024);
	EXPECT_TRUE(uet_ses_rx_find(&ses, &req, 0) == &rx);
	/* A packet of the deferred message is none of the new one. */
	EXPECT_FALSE(uet_ses_rx_is_restarted(&rx, &req));
	req.tgt_token = 0x22;
	EXPECT_TRUE(uet_ses_rx_is_restarted(&rx, &req));
	req.som = false;
	req.message_offset = 1024;
	EXPECT_TRUE(uet_ses_rx_is_restarted(&rx, &req));
	/* Another message of the same id is not a restart. */
	req.init_token = 0x12;
	EXPECT_FALSE(uet_ses_rx_is_restarted(&rx, &req));
	req.init_token = 0x11;
	req.opcode = UET_OP_SEND;
	EXPECT_FALSE(uet_ses_rx_is_restarted(&rx, &req));
	uet_ses_rx_drop(&ses, &rx);
}

TEST(ses_rx_is_before_restart__late_packets_do_not_harm_the_new_message)
{
	struct uet_ses_req req = {
		.form = UET_SES_DEFER, .opcode = UET_OP_DEFERRABLE_SEND,
		.msg_id = 5, .som = true, .init_token = 0x11,
		.tgt_token = 0x22, .request_length = 3000,
	};
	struct uet_ses_rx rx;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rx, &req);
	EXPECT_FALSE(uet_ses_rx_is_before_restart(&rx, &req));
	req.som = false;
	req.message_offset = 1024;
	req.tgt_token = 0;
	EXPECT_TRUE(uet_ses_rx_is_before_restart(&rx, &req));
	req.opcode = UET_OP_MSG_ERROR;
	EXPECT_FALSE(uet_ses_rx_is_before_restart(&rx, &req));
	uet_ses_rx_drop(&ses, &rx);
}

TEST(ses_rx_is_deferrable__deferrable_send_needs_a_token)
{
	struct uet_ses_req req = piece(1, 0, 1, true);

	EXPECT_TRUE(uet_ses_rx_is_deferrable(&req));
	req.init_token = 0;
	EXPECT_FALSE(uet_ses_rx_is_deferrable(&req));
	req.tgt_token = 5;
	EXPECT_TRUE(uet_ses_rx_is_deferrable(&req));
	req.opcode = UET_OP_SEND;
	EXPECT_FALSE(uet_ses_rx_is_deferrable(&req));
}

TEST(ses_rx_may_begin__empty_end_cannot_begin_a_message)
{
	struct uet_ses_req req = piece(3 * MTU, MTU, 0, true);

	EXPECT_EQ(uet_ses_rx_may_begin(&req, 0), UET_DROP_SES_EOM_WRONG);
	req = piece(3 * MTU, MTU, MTU, false);
	EXPECT_EQ(uet_ses_rx_may_begin(&req, MTU), UET_DROP_NONE);
	req = piece(0, 0, 0, true);
	EXPECT_EQ(uet_ses_rx_may_begin(&req, 0), UET_DROP_NONE);
}

/* All orders of three packets, of which the last is empty. */
TEST(ses_rx_put_off__message_is_deferred_after_its_last_packet)
{
	static const u8 orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	const struct uet_ses_req reqs[3] = {
		piece(9 * MTU, 0, MTU, false), piece(9 * MTU, MTU, MTU, false),
		piece(9 * MTU, 2 * MTU, 0, true),
	};
	struct uet_ses_rx rx;
	struct uet_ses ses;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		uet_ses_init(&ses);
		uet_ses_rx_defer(&ses, &rx, &reqs[orders[i][0]]);
		EXPECT_TRUE(rx.failed && rx.deferred);
		for (j = 0; j < 3; j++) {
			EXPECT_TRUE(uet_ses_rx_is_linked(&rx));
			uet_ses_rx_put_off(&ses, &rx, &reqs[orders[i][j]],
					   orders[i][j] == 2 ? 0 : MTU);
		}
		EXPECT_FALSE(uet_ses_rx_is_linked(&rx));
		EXPECT_TRUE(uet_ses_is_idle(&ses));
	}
}

/* Its packets would look like the first ones of a message. */
TEST(ses_rx_evict__keeps_deferred_messages)
{
	const struct uet_ses_req req = piece(9 * MTU, 0, MTU, false);
	struct uet_ses_rx rx;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_defer(&ses, &rx, &req);
	uet_ses_rx_put_off(&ses, &rx, &req, MTU);
	EXPECT_PTR_EQ(uet_ses_rx_evict(&ses), NULL);
	EXPECT_TRUE(uet_ses_rx_is_linked(&rx));
}

TEST(ses_rsp_deferred__says_overflow_and_nothing_kept)
{
	const struct uet_ses_req req = piece(9 * MTU, 0, MTU, false);
	struct uet_ses_rsp rsp;

	uet_ses_rsp_deferred(&rsp, &req);
	EXPECT_EQ(rsp.opcode, UET_RSP_RESPONSE);
	EXPECT_EQ(rsp.rc, UET_RC_OK);
	EXPECT_EQ(rsp.list, UET_LIST_OVERFLOW);
	EXPECT_EQ(rsp.modified_length, 0u);
	EXPECT_EQ(rsp.msg_id, 5);
}
