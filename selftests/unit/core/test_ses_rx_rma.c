// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/ses/ses_rx.c: the place of each packet, contradictions,
 * and when a message of RMA is complete; and of what ses_tx.c puts into the
 * requests that get there.
 * Spec: uet-wire 3.14.  Level: test of core L5.
 */
#include "core/ses/ses.h"
#include "utest.h"

#define MTU	1024

static struct uet_ses_req write_at(u32 total, u32 offset, u32 len)
{
	return (struct uet_ses_req){
		.form = offset ? UET_SES_STD_NOSOM : UET_SES_STD,
		.opcode = UET_OP_WRITE, .msg_id = 5,
		.som = !offset, .eom = (u64)offset + len == total,
		.offset = 100, .match = 0xabc, .hd = !offset,
		.header_data = offset ? 0 : 4711,
		.message_offset = offset, .payload_length = offset ? len : 0,
		.request_length = total,
	};
}

static enum uet_drop place(struct uet_ses_req req, u32 len)
{
	u64 offset;

	uet_ses_rx_mark_end(&req, len, MTU);
	return uet_ses_rma_place(&req, len, &offset);
}

TEST(ses_is_rma__writes_and_atomics_are_rma)
{
	u32 opcode;

	for (opcode = 0; opcode <= U8_MAX; opcode++)
		EXPECT_EQ(uet_ses_is_rma(opcode), opcode == UET_OP_WRITE ||
			  opcode == UET_OP_ATOMIC ||
			  opcode == UET_OP_FETCHING_ATOMIC);
}

TEST(ses_rma_place__offset_is_added_and_does_not_wrap)
{
	struct uet_ses_req req = write_at(3 * MTU, 0, MTU);
	u64 offset;

	EXPECT_EQ(uet_ses_rma_place(&req, MTU, &offset), UET_DROP_NONE);
	EXPECT_EQ(offset, 100);
	req = write_at(3 * MTU, 2 * MTU, MTU);
	EXPECT_EQ(uet_ses_rma_place(&req, MTU, &offset), UET_DROP_NONE);
	EXPECT_EQ(offset, 2 * MTU + 100);
	req.offset = U64_MAX - 2 * MTU;
	EXPECT_EQ(uet_ses_rma_place(&req, MTU, &offset), UET_DROP_NONE);
	EXPECT_EQ(offset, U64_MAX);
	req.offset++;
	EXPECT_EQ(uet_ses_rma_place(&req, MTU, &offset), UET_DROP_NONE);
	EXPECT_EQ(offset, U64_MAX);
}

TEST(ses_rma_place__contradictions_are_refused)
{
	struct uet_ses_req req;

	EXPECT_EQ(place(write_at(0, 0, 0), 0), UET_DROP_NONE);
	EXPECT_EQ(place(write_at(U32_MAX, U32_MAX - 1, 1), 1), UET_DROP_NONE);
	EXPECT_EQ(place(write_at(MTU, 0, MTU), MTU + 1),
		  UET_DROP_SES_BEYOND_LENGTH);
	EXPECT_EQ(place(write_at(MTU, U32_MAX, 1), 1),
		  UET_DROP_SES_BEYOND_LENGTH);
	EXPECT_EQ(place(write_at(MTU, 0, 0), 0), UET_DROP_SES_SHORT_SEGMENT);
	req = write_at(2 * MTU, 0, MTU);
	req.eom = true;
	EXPECT_EQ(place(req, MTU), UET_DROP_SES_EOM_WRONG);
	req = write_at(2 * MTU, MTU, MTU);
	req.eom = false;
	EXPECT_EQ(place(req, MTU), UET_DROP_NONE);
	req = write_at(2 * MTU, MTU, MTU);
	req.message_offset = 0;
	EXPECT_EQ(place(req, MTU), UET_DROP_SES_SOM_WRONG);
}

/*
 * The operands of a swap are in its extension.  Peers differ in whether its
 * request_length counts them; no byte follows either way.
 */
TEST(ses_rma_place__request_length_of_a_swap_is_any)
{
	static const u32 length[] = { 0, 8, 32 };
	struct uet_ses_req req;
	struct uet_ses_rsp rsp;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(length); i++) {
		req = write_at(length[i], 0, length[i]);
		req.opcode = UET_OP_FETCHING_ATOMIC;
		req.ext = UET_EXT_CSWAP;
		req.x.amo.opcode = UET_AMO_CSWAP;
		req.eom = true;
		EXPECT_EQ(place(req, 0), UET_DROP_NONE);
		req.eom = false;
		EXPECT_EQ(place(req, 0), UET_DROP_NONE);
		uet_ses_rsp_default(&rsp, &req);
		EXPECT_EQ(rsp.modified_length, length[i]);
	}
	/* An operand in the payload is counted. */
	req = write_at(8, 0, 8);
	req.opcode = UET_OP_ATOMIC;
	req.ext = UET_EXT_AMO;
	EXPECT_EQ(place(req, 8), UET_DROP_NONE);
	EXPECT_EQ(place(req, 0), UET_DROP_SES_EOM_WRONG);
}

/* Its request_length may be 0 or the size of the result, and its payload a dummy. */
TEST(ses_rma_place__atomic_read_needs_no_payload)
{
	struct uet_ses_req req = write_at(8, 0, 8);

	req.opcode = UET_OP_FETCHING_ATOMIC;
	req.ext = UET_EXT_AMO;
	req.x.amo.opcode = UET_AMO_READ;
	req.eom = false;
	uet_ses_rx_mark_end(&req, 0, MTU);
	EXPECT_TRUE(req.eom);
	EXPECT_EQ(place(req, 0), UET_DROP_NONE);
	EXPECT_EQ(place(req, 8), UET_DROP_NONE);
	EXPECT_EQ(place(req, 4), UET_DROP_SES_EOM_WRONG);
	req.request_length = 0;
	EXPECT_EQ(place(req, 0), UET_DROP_NONE);
	EXPECT_EQ(place(req, 8), UET_DROP_SES_BEYOND_LENGTH);
	req.request_length = 8;
	req.x.amo.opcode = UET_AMO_SUM;
	EXPECT_EQ(place(req, 0), UET_DROP_SES_EOM_WRONG);
}

TEST(ses_rx_rma__packets_complete_in_any_order)
{
	static const u32 order[] = { 2, 0, 1 };
	struct uet_ses_req req;
	struct uet_ses_rx rx;
	enum uet_drop why;
	struct uet_ses ses;
	size_t i;

	uet_ses_init(&ses);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		req = write_at(3 * MTU, order[i] * MTU, MTU);
		EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
		if (!i)
			uet_ses_rx_start(&ses, &rx, &req);
		EXPECT_TRUE(uet_ses_rx_find(&ses, &req, 0) == &rx);
		EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why),
			  i < 2 ? UET_SES_MORE : UET_SES_DONE);
		EXPECT_EQ(why, UET_DROP_NONE);
	}
	EXPECT_FALSE(uet_ses_rx_is_linked(&rx));
	EXPECT_TRUE(uet_ses_is_idle(&ses));
	EXPECT_TRUE(rx.req.hd);
	EXPECT_EQ(rx.req.header_data, 4711);
}

/* For a posted receive: a send that is placed as it comes, and given up. */
TEST(ses_rx_rma__placed_send_can_be_given_up)
{
	struct uet_ses_req req = write_at(3 * MTU, 2 * MTU, MTU);
	struct uet_ses_seg seg = { .len = 0 };
	struct uet_ses_rx rx;
	enum uet_drop why;
	struct uet_ses ses;

	uet_ses_init(&ses);
	req.opcode = UET_OP_TAGGED_SEND;
	uet_ses_rx_start(&ses, &rx, &req);
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_MORE);
	req = write_at(3 * MTU, 0, MTU);
	req.opcode = UET_OP_TAGGED_SEND;
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_MORE);
	EXPECT_EQ(rx.req.header_data, 4711);
	req = write_at(3 * MTU, MTU, 0);
	req.opcode = UET_OP_MSG_ERROR;
	req.eom = true;
	EXPECT_EQ(uet_ses_rx_seg(&ses, &rx, &req, &seg, &why), UET_SES_IGNORE);
	EXPECT_FALSE(uet_ses_rx_is_linked(&rx));
	EXPECT_TRUE(uet_ses_is_idle(&ses));
}

/* A message that says another key is another message. */
TEST(ses_rx_rma__changed_key_fails_the_message)
{
	struct uet_ses_req req = write_at(4 * MTU, 0, MTU);
	struct uet_ses_rx rx;
	enum uet_drop why;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rx, &req);
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_MORE);
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_ERROR);
	EXPECT_EQ(why, UET_DROP_SES_SOM_WRONG);
	EXPECT_EQ(rx.rc, UET_RC_UNCOR);
	EXPECT_TRUE(uet_ses_rx_is_linked(&rx));

	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rx, &req);
	req = write_at(4 * MTU, MTU, MTU);
	req.match++;
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_ERROR);
	EXPECT_EQ(why, UET_DROP_SES_HDR_CHANGED);

	uet_ses_init(&ses);
	req = write_at(4 * MTU, MTU, MTU);
	uet_ses_rx_start(&ses, &rx, &req);
	req.request_length++;
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_ERROR);
	EXPECT_EQ(why, UET_DROP_SES_LENGTH_CHANGED);
}

/* Bytes counted twice complete it early, and never overflow. */
TEST(ses_rx_rma__overlap_never_overflows)
{
	struct uet_ses_req req = write_at(U32_MAX, 0, MTU);
	struct uet_ses_rx rx;
	enum uet_drop why;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rx, &req);
	rx.received = U32_MAX - 1;
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_DONE);
	EXPECT_EQ(rx.received, U32_MAX);
}

/* The sender gives it up: as any message. */
TEST(ses_rx_rma__msg_error_ends_the_message)
{
	struct uet_ses_req req = write_at(4 * MTU, 0, MTU);
	struct uet_ses_seg seg = { .len = 0 };
	struct uet_ses_rx rx;
	enum uet_drop why;
	struct uet_ses ses;

	uet_ses_init(&ses);
	uet_ses_rx_start(&ses, &rx, &req);
	EXPECT_EQ(uet_ses_rx_rma(&ses, &rx, &req, MTU, &why), UET_SES_MORE);
	req = write_at(4 * MTU, MTU, 0);
	req.opcode = UET_OP_MSG_ERROR;
	req.eom = true;
	EXPECT_EQ(uet_ses_rx_seg(&ses, &rx, &req, &seg, &why), UET_SES_IGNORE);
	EXPECT_FALSE(uet_ses_rx_is_linked(&rx));
}

/* ----------------------------------------------------------- what is sent */

/* Every packet of a WRITE names the memory, so that each can be executed. */
TEST(ses_tx_rma__each_packet_of_a_write_names_the_memory)
{
	const struct uet_ses_tx tx = {
		.opcode = UET_OP_WRITE, .length = MTU + 1, .match = 0xabcdef,
		.offset = 0x123456789,
	};
	const struct uet_pds_pkt pkts[] = {
		{ .flags = UET_PKT_SOM, .len = MTU },
		{ .flags = UET_PKT_EOM, .offset = MTU, .len = 1 },
	};
	struct uet_ses_req req;
	u64 offset;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pkts); i++) {
		uet_ses_tx_request(&tx, &pkts[i], &req);
		EXPECT_EQ(req.opcode, UET_OP_WRITE);
		EXPECT_EQ(req.match, 0xabcdefULL);
		EXPECT_EQ(req.offset, 0x123456789ULL);
		EXPECT_EQ(req.ext, UET_EXT_NONE);
		EXPECT_EQ(uet_ses_rma_place(&req, pkts[i].len, &offset),
			  UET_DROP_NONE);
		EXPECT_EQ(offset, 0x123456789ULL + i * MTU);
	}
}

TEST(ses_tx_rma__atomics_carry_their_extension)
{
	static const struct { u8 opcode, ext; u32 length, bytes; } rows[] = {
		{ UET_AMO_SUM, UET_EXT_AMO, 8,
		  UET_SES_STD_LEN + UET_EXT_AMO_LEN },
		{ UET_AMO_CSWAP, UET_EXT_CSWAP, 0,
		  UET_SES_STD_LEN + UET_EXT_CSWAP_LEN },
	};
	struct uet_ses_amo amo = { .datatype = UET_DT_UINT64 };
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req req;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct uet_ses_tx tx = {
			.opcode = UET_OP_ATOMIC, .length = rows[i].length,
			.amo = &amo,
		};
		const struct uet_pds_pkt pkt = {
			.flags = UET_PKT_SOM | UET_PKT_EOM,
			.len = rows[i].length,
		};

		amo.opcode = rows[i].opcode;
		uet_ses_tx_request(&tx, &pkt, &req);
		EXPECT_EQ(req.opcode, UET_OP_ATOMIC);
		EXPECT_EQ(req.ext, rows[i].ext);
		EXPECT_EQ(req.x.amo.opcode, rows[i].opcode);
		EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)),
			  rows[i].bytes);
	}
}

TEST(ses_tx_tag__match_bits_are_in_each_packet)
{
	const struct uet_ses_tx tx = {
		.opcode = UET_OP_TAGGED_SEND, .length = 1500, .mtu = 1024,
		.match = 0x8765432112345678ULL, .msg_id = 3,
		.to = { .initiator = 0xabcd },
	};
	const struct uet_pds_pkt pkts[] = {
		{ .flags = UET_PKT_SOM, .len = 1024 },
		{ .flags = UET_PKT_EOM, .offset = 1024, .len = 476 },
	};
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req req, got;
	size_t i, used;

	for (i = 0; i < ARRAY_SIZE(pkts); i++) {
		uet_ses_tx_request(&tx, &pkts[i], &req);
		EXPECT_EQ(uet_wire_ses_req_encode(&req, buf, sizeof(buf)),
			  UET_SES_STD_LEN);
		EXPECT_EQ(uet_wire_ses_req_decode(UET_NH_REQ_STD, buf,
						  UET_SES_STD_LEN, &got, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(got.opcode, UET_OP_TAGGED_SEND);
		EXPECT_EQ(got.match, tx.match);
		EXPECT_EQ(got.initiator, 0xabcd);
		EXPECT_EQ(got.offset, 0);
		EXPECT_EQ(uet_ses_rx_supported(&got, UET_DROP_NONE), UET_RC_OK);
	}
}
