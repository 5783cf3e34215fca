// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_hdr.c: which header a message gets, over all that decides it,
 * what is in it, and how what comes back finds a message without an id.  The PDC
 * is a double.  Level: test.
 */
#include "sesdouble.h"
#include "utest.h"

#define MTU	4096
#define SMALL	(UET_KEY_OPTIMIZED | 0x123)

/* ---------------------------------------------------------------- which form */

/*
 * The rule once more, as a table: what each opcode may be.  "memory": its key
 * decides, too.
 */
static const struct { u8 opcode; bool has_short, is_memory; } ops[] = {
	{ UET_OP_NO_OP, false, false },
	{ UET_OP_WRITE, true, true },
	{ UET_OP_READ, true, true },
	{ UET_OP_ATOMIC, false, false },
	{ UET_OP_FETCHING_ATOMIC, false, false },
	{ UET_OP_SEND, true, false },
	{ UET_OP_RENDEZVOUS_SEND, false, false },
	{ UET_OP_DATAGRAM_SEND, true, false },
	{ UET_OP_DEFERRABLE_SEND, false, false },
	{ UET_OP_TAGGED_SEND, true, false },
	{ UET_OP_RENDEZVOUS_TSEND, false, false },
	{ UET_OP_DEFERRABLE_TSEND, false, false },
	{ UET_OP_DEFERRABLE_RTR, false, false },
	{ UET_OP_TSEND_ATOMIC, false, false },
	{ UET_OP_TSEND_FETCH_ATOMIC, false, false },
	{ UET_OP_MSG_ERROR, false, false },
};

static const struct { u32 length; u16 mtu; bool is_short; } sizes[] = {
	{ 0, 1024, true }, { 1, 1024, true }, { 1024, 1024, true },
	{ 1025, 1024, false }, { 8192, 8192, true }, { 8193, 8192, false },
	{ U32_MAX, 8192, false },
	/* No such MTU, but 14 bits are no more. */
	{ 16383, 16384, true }, { 16384, 16384, false },
};

static const struct { u64 key; bool is_small; } keys[] = {
	{ 0, false }, { 0x123, false }, { U64_MAX, false },
	{ UET_KEY_OPTIMIZED, true }, { UET_KEY_OPTIMIZED | 0xfff, true },
	{ UET_KEY_OPTIMIZED | UET_KEY_IDEMPOTENT_SAFE | 1, true },
	{ UET_KEY_IDEMPOTENT_SAFE | 1, false },
	/* Reserved and vendor's bits. */
	{ UET_KEY_OPTIMIZED | 0x1000, false },
	{ UET_KEY_OPTIMIZED | 1ULL << 47, false },
	{ UET_KEY_OPTIMIZED | 1ULL << 48, false },
	{ UET_KEY_OPTIMIZED | 1ULL << 61, false },
};

static u8 expected(u32 op, u32 size, u32 key, bool has_hdata, u64 offset)
{
	if (!ops[op].has_short || !sizes[size].is_short)
		return UET_SES_STD;
	if (has_hdata)
		return offset ? UET_SES_STD : UET_SES_MEDIUM;
	return ops[op].is_memory && keys[key].is_small ? UET_SES_SMALL :
							 UET_SES_MEDIUM;
}

/* The header of a form can be written and says the same when it is read. */
static void expect_same_on_wire(const struct uet_ses_tx *tx)
{
	const struct uet_pds_pkt pkt = {
		.len = tx->length, .flags = UET_PKT_SOM | UET_PKT_EOM,
	};
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req req, back;
	size_t len, used = 0;

	uet_ses_tx_request(tx, &pkt, &req);
	len = uet_wire_ses_req_encode(&req, buf, sizeof(buf));
	ASSERT_TRUE(len);
	EXPECT_EQ(uet_wire_ses_req_nh(&req), tx->form == UET_SES_SMALL ?
		  UET_NH_REQ_SMALL : UET_NH_REQ_MEDIUM);
	EXPECT_EQ(uet_wire_ses_req_decode(uet_wire_ses_req_nh(&req), buf, len,
					  &back, &used), UET_DROP_NONE);
	EXPECT_EQ(used, len);
	EXPECT_EQ(back.opcode, tx->opcode);
	EXPECT_EQ(back.job, tx->to.job);
	EXPECT_EQ(back.pid, tx->to.pid);
	EXPECT_EQ(back.request_length, tx->length);
	EXPECT_EQ(back.offset, tx->offset);
	EXPECT_EQ(back.hd, tx->has_hdata);
	EXPECT_EQ(back.header_data, tx->has_hdata ? tx->header_data : 0);
	EXPECT_EQ(back.msg_id, 0);
	if (tx->form == UET_SES_SMALL) {
		EXPECT_EQ(len, UET_SES_SMALL_LEN);
		EXPECT_EQ(back.ri, tx->match & 0xfff);
		return;
	}
	EXPECT_EQ(len, UET_SES_MEDIUM_LEN);
	EXPECT_EQ(back.ri, tx->to.ri);
	EXPECT_EQ(back.match, tx->match);
	EXPECT_EQ(back.initiator, tx->to.initiator);
}

static void check_one(u32 op, u32 size, u32 key, bool has_hdata, u64 offset)
{
	struct uet_ses_tx tx = {
		.to = { .job = 0xabcdef, .pid = 0x456, .ri = 0x789,
			.rel = true, .initiator = 0x12345678 },
		.opcode = ops[op].opcode,
		.length = sizes[size].length, .mtu = sizes[size].mtu,
		.match = keys[key].key, .offset = offset,
		.has_hdata = has_hdata, .header_data = 0x1122334455667788ULL,
	};

	tx.form = uet_ses_form(&tx);
	EXPECT_EQ(tx.form, expected(op, size, key, has_hdata, offset));
	EXPECT_EQ(uet_ses_is_short(&tx), tx.form != UET_SES_STD);
	if (uet_ses_is_short(&tx)) {
		EXPECT_TRUE(uet_wire_op(tx.opcode)->forms & BIT(tx.form));
		expect_same_on_wire(&tx);
	}
}

TEST(ses_form__every_message_has_its_smallest_form)
{
	static const u64 offsets[] = { 0, 1, U64_MAX };
	u32 op, size, key, at;

	for (op = 0; op < ARRAY_SIZE(ops); op++)
		for (size = 0; size < ARRAY_SIZE(sizes); size++)
			for (key = 0; key < ARRAY_SIZE(keys); key++)
				for (at = 0; at < ARRAY_SIZE(offsets); at++) {
					check_one(op, size, key, false,
						  offsets[at]);
					check_one(op, size, key, true,
						  offsets[at]);
				}
}

TEST(ses_form__small_keys_are_recognised)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		EXPECT_EQ(uet_ses_key_is_small(keys[i].key), keys[i].is_small);
}

/* ------------------------------------------------------------------ the bench */

struct bench {
	struct uet_pdc pdc;
	struct uet_ses ses;
	struct list_head done;
	struct uet_ses_tx tx[3];
};

static void msg_init(struct uet_ses_tx *tx, u8 opcode, u32 length, u64 key)
{
	double_msg(tx, opcode, length, MTU);
	tx->match = key;
	tx->form = uet_ses_form(tx);
}

static void bench_run(struct bench *b)
{
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_pump(&b->ses, &b->pdc, 0);
}

/* Three messages alike; their PSNs are 0, 1 and 2. */
static void bench_send(struct bench *b, u8 opcode, u32 length, u64 key)
{
	u32 i;

	memset(b, 0, sizeof(*b));
	double_open(&b->pdc, &b->ses, &b->done, ARRAY_SIZE(b->pdc.pkt));
	for (i = 0; i < ARRAY_SIZE(b->tx); i++) {
		msg_init(&b->tx[i], opcode, length, key);
		uet_ses_tx_queue(&b->ses, &b->tx[i]);
	}
	bench_run(b);
}

static void bench_answer(struct bench *b, u32 i, u8 opcode)
{
	b->pdc.up[b->pdc.up_nr++] = (struct uet_pdc_up){
		.kind = UET_UP_ACKED, .pkt = b->pdc.pkt[i],
		.rsp_opcode = opcode, .rc = UET_RC_OK,
	};
}

static bool bench_is_done(const struct bench *b, const struct uet_ses_tx *tx)
{
	return double_returned(&b->done, tx);
}

/* ------------------------------------------------------------------- packets */

TEST(ses_form__next_hdr_names_the_form)
{
	struct bench b;

	bench_send(&b, UET_OP_WRITE, 10, SMALL);
	EXPECT_EQ(b.pdc.nr, 3u);
	EXPECT_EQ(b.pdc.pkt[0].next_hdr, UET_NH_REQ_SMALL);
	bench_send(&b, UET_OP_SEND, MTU, 0);
	EXPECT_EQ(b.pdc.nr, 3u);
	EXPECT_EQ(b.pdc.pkt[2].next_hdr, UET_NH_REQ_MEDIUM);
	EXPECT_EQ(b.pdc.pkt[2].flags & (UET_PKT_SOM | UET_PKT_EOM),
		  UET_PKT_SOM | UET_PKT_EOM);
	bench_send(&b, UET_OP_SEND, MTU + 1, 0);
	EXPECT_EQ(b.pdc.nr, 6u);
	EXPECT_EQ(b.pdc.pkt[5].next_hdr, UET_NH_REQ_STD);
}

/* Ids are for who needs one. */
TEST(ses_form__takes_no_message_id)
{
	struct uet_ses_tx std;
	struct bench b;

	bench_send(&b, UET_OP_SEND, 10, 0);
	EXPECT_EQ(b.tx[0].msg_id, 0);
	msg_init(&std, UET_OP_NO_OP, 0, 0);
	uet_ses_tx_queue(&b.ses, &std);
	bench_run(&b);
	EXPECT_EQ(std.msg_id, 1);
}

/* ------------------------------------------------------------- late responses */

static const struct uet_pds_hdr *ack_of(struct uet_pds_hdr *hdr, u32 psn)
{
	memset(hdr, 0, sizeof(*hdr));
	hdr->type = UET_TY_ACK;
	hdr->u.ack.cack_psn = psn - 7;
	hdr->u.ack.ack_off = 7;
	return hdr;
}

TEST(ses_form__late_response_is_found_by_psn)
{
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_NO_RESPONSE };
	struct uet_pds_hdr hdr;
	struct bench b;
	u32 i;

	bench_send(&b, UET_OP_SEND, 10, 0);
	for (i = 0; i < 3; i++)
		bench_answer(&b, i, UET_RSP_NO_RESPONSE);
	bench_run(&b);
	EXPECT_EQ(b.ses.nr_wait, 3u);

	/* Neither by id 0, nor what is not final, of another, or of a Probe. */
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 1));
	rsp.opcode = UET_RSP_RESPONSE;
	rsp.rc = UET_RC_NO_MATCH;
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 3));
	ack_of(&hdr, 1);
	hdr.flags = UET_F_P;
	uet_ses_tx_response(&b.ses, &rsp, &hdr);
	rsp.msg_id = 1;
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 1));
	rsp.msg_id = 0;
	rsp.form = UET_RSP_FORM_SMALL;
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 1));
	EXPECT_EQ(b.ses.nr_wait, 3u);

	rsp.form = UET_RSP_FORM_PLAIN;
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 1));
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 1));
	bench_run(&b);
	EXPECT_EQ(b.ses.nr_wait, 2u);
	EXPECT_TRUE(bench_is_done(&b, &b.tx[1]));
	EXPECT_EQ(uet_ses_errno(&b.tx[1]), -ENOMSG);
}

/* By its PDS the target answers the retransmission of the packet. */
TEST(ses_form__answer_to_a_duplicate_is_not_the_final_response)
{
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK };
	struct uet_pds_hdr hdr;
	struct bench b;

	bench_send(&b, UET_OP_SEND, 10, 0);
	bench_answer(&b, 1, UET_RSP_NO_RESPONSE);
	bench_run(&b);
	ack_of(&hdr, 1);
	hdr.flags = UET_F_RETX;
	uet_ses_tx_response(&b.ses, &rsp, &hdr);
	bench_run(&b);
	EXPECT_FALSE(bench_is_done(&b, &b.tx[1]));

	rsp.opcode = UET_RSP_RESPONSE;
	rsp.rc = UET_RC_NO_MATCH;
	uet_ses_tx_response(&b.ses, &rsp, &hdr);
	bench_run(&b);
	EXPECT_TRUE(bench_is_done(&b, &b.tx[1]));
	EXPECT_EQ(uet_ses_errno(&b.tx[1]), -ENOMSG);
}

/* A message with an id is not found by its PSN. */
TEST(ses_form__standard_message_is_not_found_by_psn)
{
	const struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK,
	};
	struct uet_pds_hdr hdr;
	struct uet_ses_tx std;
	struct bench b;

	bench_send(&b, UET_OP_SEND, 10, 0);
	msg_init(&std, UET_OP_NO_OP, 0, 0);
	uet_ses_tx_queue(&b.ses, &std);
	bench_run(&b);
	bench_answer(&b, 3, UET_RSP_NO_RESPONSE);
	bench_run(&b);
	EXPECT_EQ(std.number, 3u);
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 3));
	EXPECT_EQ(b.ses.nr_wait, 1u);
}

/* ------------------------------------------------------------ data that returns */

static struct uet_ses_rsp data_of(u32 psn, u32 len)
{
	return (struct uet_ses_rsp){
		.form = UET_RSP_FORM_SMALL, .opcode = UET_RSP_W_DATA,
		.rc = UET_RC_OK, .orig_psn = psn, .payload_length = len,
	};
}

TEST(ses_form__data_is_found_by_psn)
{
	struct uet_ses_rsp rsp;
	struct bench b;

	bench_send(&b, UET_OP_READ, 100, SMALL);
	EXPECT_EQ(b.pdc.pkt[1].next_hdr, UET_NH_REQ_SMALL);
	rsp = data_of(1, 100);
	EXPECT_PTR_EQ(uet_ses_read_find(&b.ses, &rsp), &b.tx[1]);
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 100), UET_DROP_NONE);
	uet_ses_read_take(&b.ses, &b.tx[1], 0, 100, 1);
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 100),
		  UET_DROP_SES_OVERLAP);
	bench_answer(&b, 0, UET_RSP_DEFAULT);
	bench_answer(&b, 1, UET_RSP_DEFAULT);
	bench_run(&b);
	EXPECT_TRUE(bench_is_done(&b, &b.tx[1]));
	EXPECT_FALSE(bench_is_done(&b, &b.tx[0]));
	/* It may come when all is acknowledged. */
	rsp = data_of(0, 100);
	EXPECT_PTR_EQ(uet_ses_read_find(&b.ses, &rsp), &b.tx[0]);
	uet_ses_read_take(&b.ses, &b.tx[0], 0, 100, 1);
	bench_run(&b);
	EXPECT_TRUE(bench_is_done(&b, &b.tx[0]));
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
}

/* The data have another PSN, an id that was never announced, or another length. */
TEST(ses_form__data_of_another_request_is_wrong)
{
	struct uet_ses_rsp rsp = data_of(3, 100);
	struct bench b;

	bench_send(&b, UET_OP_READ, 100, 0);
	EXPECT_EQ(b.pdc.pkt[1].next_hdr, UET_NH_REQ_MEDIUM);
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 100),
		  UET_DROP_READ_WRONG);
	rsp = data_of(1, 100);
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 99),
		  UET_DROP_READ_WRONG);
	rsp.form = UET_RSP_FORM_DATA;
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
	rsp.read_msg_id = 1;
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 100),
		  UET_DROP_READ_WRONG);
	rsp.form = UET_RSP_FORM_PLAIN;
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
}

/* A secure target demands another Start_PSN after the requests were handed to PDS. */
TEST(ses_form__data_is_found_after_a_change_of_start_psn)
{
	struct uet_ses_rsp rsp = data_of(1, 100);
	struct uet_pds_hdr hdr;
	struct bench b;

	bench_send(&b, UET_OP_READ, 100, 0);
	b.pdc.first_psn += 1000;
	bench_run(&b);
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 100),
		  UET_DROP_READ_WRONG);
	rsp = data_of(1001, 100);
	EXPECT_PTR_EQ(uet_ses_read_find(&b.ses, &rsp), &b.tx[1]);
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[1], &rsp, 0, 100),
		  UET_DROP_NONE);

	bench_send(&b, UET_OP_SEND, 100, 0);
	b.pdc.first_psn += 1000;
	bench_answer(&b, 0, UET_RSP_NO_RESPONSE);
	bench_run(&b);
	EXPECT_FALSE(bench_is_done(&b, &b.tx[0]));
	rsp = (struct uet_ses_rsp){ .opcode = UET_RSP_RESPONSE, .rc = UET_RC_OK };
	uet_ses_tx_response(&b.ses, &rsp, ack_of(&hdr, 1000));
	bench_run(&b);
	EXPECT_TRUE(bench_is_done(&b, &b.tx[0]));
}

/* By RUDI there is no PSN: the request is known by its pkt_id. */
TEST(ses_form__rudi_data_needs_no_psn)
{
	const struct uet_ses_rsp rsp = data_of(0, 100);
	struct bench b;

	bench_send(&b, UET_OP_READ, 100, 0);
	b.tx[0].has_psn = false;
	EXPECT_NULL(uet_ses_read_find(&b.ses, &rsp));
	EXPECT_EQ(uet_ses_read_check(&b.ses, &b.tx[0], &rsp, 0, 100), UET_DROP_NONE);
}
