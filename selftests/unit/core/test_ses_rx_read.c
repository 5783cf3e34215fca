// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_rx.c: which bytes a request asks for, what it must not ask for,
 * and which of them go into the ACK.  Level: test.
 */
#include "core/ses/ses.h"
#include "utest.h"

#define MTU	1024

/* A packet of a READ of @length bytes that asks for @len at @offset. */
static struct uet_ses_req ask(u32 length, u32 offset, u32 len)
{
	return (struct uet_ses_req){
		.form = offset ? UET_SES_STD_NOSOM : UET_SES_STD,
		.opcode = UET_OP_READ, .msg_id = 9, .offset = 1000,
		.som = !offset, .eom = offset + len == length,
		.message_offset = offset, .payload_length = offset ? len : 0,
		.request_length = length,
	};
}

static enum uet_drop share(struct uet_ses_req req, u64 *at, u32 *len)
{
	u8 rc;

	uet_ses_rx_mark_end(&req, 0, MTU);
	return uet_ses_read_share(&req, MTU, at, len, &rc);
}

TEST(ses_read_share__each_packet_asks_for_its_share)
{
	u64 at;
	u32 len;

	EXPECT_EQ(share(ask(0, 0, 0), &at, &len), UET_DROP_NONE);
	EXPECT_EQ(len, 0);
	EXPECT_EQ(share(ask(10, 0, 10), &at, &len), UET_DROP_NONE);
	EXPECT_EQ(at, 1000);
	EXPECT_EQ(len, 10);
	EXPECT_EQ(share(ask(MTU, 0, MTU), &at, &len), UET_DROP_NONE);
	EXPECT_EQ(len, MTU);
	/* The first of several does not say how much. */
	EXPECT_EQ(share(ask(MTU + 1, 0, MTU), &at, &len), UET_DROP_NONE);
	EXPECT_EQ(len, MTU);
	EXPECT_EQ(share(ask(MTU + 1, MTU, 1), &at, &len), UET_DROP_NONE);
	EXPECT_EQ(at, 1000 + MTU);
	EXPECT_EQ(len, 1);
	EXPECT_EQ(share(ask(5 * MTU, 3 * MTU, MTU), &at, &len), UET_DROP_NONE);
	EXPECT_EQ(at, 1000 + 3 * MTU);
	EXPECT_EQ(len, MTU);
}

TEST(ses_read_share__contradictions_are_refused)
{
	struct uet_ses_req req = ask(2 * MTU, 0, MTU);
	u64 at;
	u32 len;

	req.eom = true;
	EXPECT_EQ(share(req, &at, &len), UET_DROP_SES_DATA_OVERSIZED);
	req = ask(2 * MTU, MTU, MTU);
	req.message_offset = 2 * MTU;
	EXPECT_EQ(share(req, &at, &len), UET_DROP_SES_BEYOND_LENGTH);
	req = ask(5 * MTU, MTU, MTU);
	req.payload_length = 0;
	EXPECT_EQ(share(req, &at, &len), UET_DROP_SES_SHORT_SEGMENT);
}

/* A peer that sets eom in no packet with som. */
TEST(ses_read_share__last_byte_without_eom_is_the_end)
{
	struct uet_ses_req req = ask(10, 0, 10);
	u64 at;
	u32 len;

	req.eom = false;
	EXPECT_EQ(share(req, &at, &len), UET_DROP_NONE);
	EXPECT_EQ(len, 10);
	uet_ses_rx_mark_end(&req, 0, MTU);
	EXPECT_TRUE(req.eom);
	EXPECT_TRUE(uet_ses_read_in_ack(&req, UET_PDC_ACK_DATA_MAX));

	req = ask(2 * MTU, MTU, MTU);
	req.eom = false;
	EXPECT_EQ(share(req, &at, &len), UET_DROP_NONE);
	EXPECT_EQ(at, 1000 + MTU);
	EXPECT_EQ(len, MTU);
	/* The first of two requests is not the last. */
	req = ask(2 * MTU, 0, MTU);
	uet_ses_rx_mark_end(&req, 0, MTU);
	EXPECT_FALSE(req.eom);
}

/* An MTU above ours cannot be served; an offset does not wrap around. */
TEST(ses_read_share__oversized_and_wrapping_shares_are_refused)
{
	struct uet_ses_req req = ask(8 * MTU, 2 * MTU, MTU + 1);
	u64 at;
	u32 len;
	u8 rc;

	EXPECT_EQ(uet_ses_read_share(&req, MTU, &at, &len, &rc),
		  UET_DROP_SES_DATA_OVERSIZED);
	EXPECT_EQ(rc, UET_RC_UNSUPPORTED_SIZE);
	req = ask(2 * MTU, MTU, MTU);
	req.offset = U64_MAX - 10;
	EXPECT_EQ(uet_ses_read_share(&req, MTU, &at, &len, &rc),
		  UET_DROP_NONE);
	EXPECT_EQ(at, U64_MAX);
}

TEST(ses_read_in_ack__data_up_to_max_ack_data_size_goes_in_the_ack)
{
	struct uet_ses_req req = ask(UET_PDC_ACK_DATA_MAX, 0,
				     UET_PDC_ACK_DATA_MAX);

	EXPECT_TRUE(uet_ses_read_in_ack(&req, UET_PDC_ACK_DATA_MAX));
	/* Which is a parameter, */
	EXPECT_FALSE(uet_ses_read_in_ack(&req, UET_PDC_ACK_DATA_MAX - 1));
	EXPECT_FALSE(uet_ses_read_in_ack(&req, 0));
	req = ask(UET_PDC_ACK_DATA_MAX + 1, 0, UET_PDC_ACK_DATA_MAX + 1);
	EXPECT_FALSE(uet_ses_read_in_ack(&req, UET_PDC_ACK_DATA_MAX));
	/* Nor is what comes in several packets, whoever would do that. */
	req = ask(UET_PDC_ACK_DATA_MAX, 8, 8);
	EXPECT_FALSE(uet_ses_read_in_ack(&req, UET_PDC_ACK_DATA_MAX));
	req = ask(UET_PDC_ACK_DATA_MAX, 0, 8);
	EXPECT_FALSE(uet_ses_read_in_ack(&req, UET_PDC_ACK_DATA_MAX));
}
