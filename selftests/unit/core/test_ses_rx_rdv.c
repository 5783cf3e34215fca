// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_rx.c: a rendezvous is as long as what is pushed of it, its packets
 * must tell the same, what is read of it, and the two answers to it.  Level: test.
 */
#include "core/ses/ses.h"
#include "utest.h"

#define MTU	1024

/* A packet of a message of @total bytes, of which @eager are pushed. */
static struct uet_ses_req piece(u32 eager, u32 total, u32 offset, u32 len)
{
	return (struct uet_ses_req){
		.form = offset ? UET_SES_STD_NOSOM : UET_SES_STD,
		.opcode = UET_OP_RENDEZVOUS_SEND, .ext = UET_EXT_RDV,
		.rel = true, .msg_id = 5, .som = !offset,
		.eom = offset + len == eager, .job = 7, .pid = 3, .ri = 2,
		.initiator = 9, .message_offset = offset,
		.payload_length = offset ? len : 0, .request_length = total,
		.x.rdv = { .eager_length = eager, .ri_gen = 1, .pid = 5,
			   .ri = 6, .offset = 100, .key = 0xabc },
	};
}

TEST(ses_rx_supported__a_rendezvous_needs_a_message_id)
{
	struct uet_ses_req req = piece(10, 100, 0, 10);

	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
	req.opcode = UET_OP_RENDEZVOUS_TSEND;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
	req.msg_id = 0;
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_UNCOR);
}

TEST(ses_rx_is_rdv__rendezvous_needs_bytes_to_read)
{
	struct uet_ses_req req = piece(99, 100, 0, 99);

	EXPECT_TRUE(uet_ses_rx_is_rdv(&req));
	req = piece(100, 100, 0, 100);
	EXPECT_FALSE(uet_ses_rx_is_rdv(&req));
	req = piece(0, 0, 0, 0);
	EXPECT_FALSE(uet_ses_rx_is_rdv(&req));
	req.ext = UET_EXT_NONE;
	req.request_length = 5;
	EXPECT_FALSE(uet_ses_rx_is_rdv(&req));
}

TEST(ses_rx_rdv_check__offset_does_not_wrap)
{
	struct uet_ses_req req = piece(0, 100, 0, 0);
	u8 rc;

	req.x.rdv.offset = U64_MAX - 100;
	EXPECT_EQ(uet_ses_rx_rdv_check(&req, 0, &rc), UET_DROP_NONE);
	req.x.rdv.offset++;
	EXPECT_EQ(uet_ses_rx_rdv_check(&req, 0, &rc), UET_DROP_SES_BAD_RANGE);
	EXPECT_EQ(rc, UET_RC_BAD_ADDR);
}

/* The end of what is pushed is the end, wherever that of the message is. */
TEST(ses_rx_rdv_check__the_eager_part_is_whole)
{
	struct uet_ses_req req = piece(10, 100, 0, 10);
	u8 rc;

	EXPECT_EQ(uet_ses_rx_rdv_check(&req, 10, &rc), UET_DROP_NONE);
	EXPECT_EQ(uet_ses_rx_rdv_check(&req, 9, &rc), UET_DROP_SES_EOM_WRONG);
	EXPECT_EQ(rc, UET_RC_UNCOR);
	EXPECT_EQ(uet_ses_rx_rdv_check(&req, 11, &rc),
		  UET_DROP_SES_BEYOND_LENGTH);
	/* Bytes are counted, so the end is found without eom. */
	req.eom = false;
	uet_ses_rx_mark_end(&req, 10, MTU);
	EXPECT_TRUE(req.eom);
	EXPECT_EQ(uet_ses_rx_rdv_check(&req, 10, &rc), UET_DROP_NONE);
}

TEST(ses_rx_rma__a_rendezvous_is_there_when_its_eager_part_is)
{
	struct uet_ses_req req = piece(2 * MTU, 100000, 0, MTU);
	enum uet_drop why;
	struct uet_ses_rx rx;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rx, &req);
	EXPECT_EQ(rx.length, 2u * MTU);
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_MORE);
	req = piece(2 * MTU, 100000, MTU, MTU);
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_DONE);
	EXPECT_EQ(rx.req.request_length, 100000u);
	EXPECT_EQ(rx.req.x.rdv.key, 0xabcull);
}

/* Each thing that must not change between packets. */
TEST(ses_rx_rma__a_rendezvous_that_changes_fails)
{
	struct uet_ses_req first = piece(2 * MTU, 100000, 0, MTU), bad[7];
	enum uet_drop why;
	struct uet_ses_rx rx;
	struct uet_ses ses;
	u32 i;

	for (i = 0; i < 7; i++)
		bad[i] = piece(2 * MTU, 100000, MTU, MTU);
	bad[0].x.rdv.eager_length++;
	bad[1].request_length++;
	bad[2].x.rdv.pid++;
	bad[3].x.rdv.ri++;
	bad[4].x.rdv.ri_gen++;
	bad[5].x.rdv.offset++;
	bad[6].x.rdv.key++;
	for (i = 0; i < 7; i++) {
		uet_ses_init(&ses);
		uet_ses_rx_start(&ses, &rx, &first);
		EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &first, MTU, &why),
			  UET_SES_MORE);
		EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &bad[i], MTU, &why),
			  UET_SES_ERROR);
		EXPECT_EQ(why, i ? UET_DROP_SES_HDR_CHANGED :
				   UET_DROP_SES_LENGTH_CHANGED);
	}
}

TEST(ses_rdv_read__reads_part_of_the_message)
{
	struct uet_ses_req req = piece(10, 100, 0, 10);
	struct uet_ses_tx tx = { .to = { .job = 7, .initiator = 1 } };

	uet_ses_rdv_read(&tx, &req, 10, 80);
	EXPECT_EQ(tx.opcode, UET_OP_READ);
	EXPECT_EQ(tx.to.pid, 5);
	EXPECT_EQ(tx.to.ri, 6);
	EXPECT_TRUE(tx.to.rel);
	EXPECT_EQ(tx.to.job, 7u);
	EXPECT_EQ(tx.to.initiator, 1u);
	EXPECT_EQ(tx.match, 0xabcull);
	EXPECT_EQ(tx.offset, 110ull);
	EXPECT_EQ(tx.length, 70u);
	EXPECT_EQ(tx.avail, 70u);
	EXPECT_EQ(tx.read.want, 70u);
}

TEST(ses_rsp_none__says_nothing)
{
	struct uet_ses_req req = piece(10, 100, 0, 10);
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp rsp;

	uet_ses_rsp_none(&rsp, &req);
	EXPECT_EQ(rsp.opcode, UET_RSP_NO_RESPONSE);
	EXPECT_EQ(rsp.msg_id, 5);
	EXPECT_EQ(rsp.modified_length, 0u);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&rsp, buf, sizeof(buf)), 12u);
}

TEST(ses_rsp_final__is_a_response_without_data)
{
	struct uet_ses_req req = piece(10, 100, 0, 10);
	struct uet_ses_rsp rsp, back;
	u8 buf[UET_SES_RSP_MAX_LEN];
	size_t used, len;

	memset(&rsp, 0xa5, sizeof(rsp));
	uet_ses_rsp_final(&rsp, &req, UET_RC_BAD_MKEY, 77);
	EXPECT_EQ(rsp.ri_gen, 0);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&rsp, buf, sizeof(buf)), 20u);
	EXPECT_EQ(uet_wire_ses_rsp_decode(UET_NH_RSP_DATA, buf, 20, &back,
					  &used), UET_DROP_NONE);
	EXPECT_EQ(uet_wire_ses_rsp_payload(&back, 0, &len), UET_DROP_NONE);
	EXPECT_EQ(len, 0u);
	EXPECT_EQ(back.read_msg_id, 5);
	EXPECT_EQ(back.msg_id, 5);
	EXPECT_EQ(back.rc, UET_RC_BAD_MKEY);
	EXPECT_EQ(back.modified_length, 77u);
	EXPECT_EQ(back.job, 7u);
}
