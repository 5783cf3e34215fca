// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/wire/wire_run.c: which packet begins a run, which one
 * continues it, and that a full decode agrees.
 * Spec: UE 1.0.1 3.4, Tables 3-12 and 3-13, 3.5.10.3.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

#define HEAD_MAX	(UET_REQ_CC_LEN + UET_SES_STD_LEN)
#define LEN		1024
#define TOTAL		(100 * LEN)

/* A packet in the middle of a message: decoded, and its bytes. */
struct sample {
	struct uet_pds_hdr hdr;
	struct uet_ses_req req;
	u8 head[HEAD_MAX];
	size_t pds_len;
};

static void sample_encode(struct sample *s)
{
	s->pds_len = uet_wire_pds_encode(&s->hdr, s->head, sizeof(s->head));
	EXPECT_GT(s->pds_len, 0);
	ASSERT_EQ(uet_wire_ses_req_encode(&s->req, s->head + s->pds_len,
					  sizeof(s->head) - s->pds_len),
		  UET_SES_STD_LEN);
}

static struct uet_pds_hdr header(u8 type, u8 next_hdr, u32 psn)
{
	struct uet_pds_hdr hdr = {
		.type = type, .next_hdr = next_hdr,
		.u.req = { .psn = psn, .clear_off = -3, .spdcid = 7,
			   .dpdcid = 8 },
	};

	if (uet_wire_ty(type)->has_cc)
		hdr.u.req.credit_target = 77;
	return hdr;
}

/* Change the header into that of the packet behind. */
static void header_step(struct uet_pds_hdr *hdr)
{
	hdr->flags = 0;
	hdr->u.req.psn++;
	hdr->u.req.clear_off--;
}

static struct sample sample(u8 type, u32 psn, u32 offset)
{
	struct sample s = {
		.hdr = header(type, UET_NH_REQ_STD, psn),
		.req = {
			.form = UET_SES_STD_NOSOM, .opcode = UET_OP_WRITE,
			.rel = true, .msg_id = 5, .ri_gen = 3, .job = 0x123456,
			.pid = 9, .ri = 2, .offset = 0x1122334455667788,
			.initiator = 0x99aabbcc, .match = 0xfeed,
			.payload_length = LEN, .message_offset = offset,
			.request_length = TOTAL,
		},
	};

	sample_encode(&s);
	return s;
}

/* The packet behind @s. */
static struct sample sample_next(struct sample s)
{
	header_step(&s.hdr);
	s.req.message_offset += LEN;
	sample_encode(&s);
	return s;
}

static bool begins(struct uet_wire_run *run, const struct sample *s)
{
	return uet_wire_run_begin(run, &s->hdr, &s->req, LEN, s->head);
}

TEST(wire_run__packets_that_follow_each_other_are_a_run)
{
	static const u8 types[] = { UET_TY_RUD_REQ, UET_TY_ROD_REQ,
				    UET_TY_RUD_CC_REQ, UET_TY_ROD_CC_REQ };
	struct uet_wire_run run;
	struct sample s;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		s = sample(types[i], 0xfffffff0, LEN);
		ASSERT_EQ(begins(&run, &s), true);
		for (n = 1; n < 97; n++) {
			s = sample_next(s);
			EXPECT_EQ(uet_wire_run_next(&run, s.head, 1), true);
			EXPECT_EQ(run.psn, 0xfffffff0 + n);
			EXPECT_EQ(run.offset, (1 + n) * LEN);
		}
	}
}

TEST(wire_run__packets_at_once_are_as_packets_one_by_one)
{
	struct uet_wire_run one, all;
	struct sample s, first;
	u32 n, i;

	for (n = 1; n < 100; n++) {
		s = sample(UET_TY_RUD_REQ, 0xfffffff0, LEN);
		ASSERT_EQ(begins(&one, &s), true);
		all = one;
		first = sample_next(s);
		for (i = 0; i < n; i++) {
			s = sample_next(s);
			if (!uet_wire_run_next(&one, s.head, 1))
				break;
		}
		EXPECT_EQ(uet_wire_run_next(&all, first.head, n), i == n);
		EXPECT_EQ(i == n, n < 98);
		if (i < n)
			continue;
		EXPECT_EQ(all.psn, one.psn);
		EXPECT_EQ(all.offset, one.offset);
		EXPECT_EQ(all.clear_psn, one.clear_psn);
	}
}

TEST(wire_run__no_packet_has_a_clear_psn_too_far_behind)
{
	struct sample s = sample(UET_TY_RUD_REQ, 100, LEN), next;
	struct uet_wire_run run;

	s.hdr.u.req.clear_off = S16_MIN + 4;
	sample_encode(&s);
	next = sample_next(s);
	ASSERT_EQ(begins(&run, &s), true);
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 5), false);
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 4), true);
	EXPECT_EQ(run.psn, 104);
}

/* Flags of the packet before the run are its own. */
TEST(wire_run__packet_with_ar_or_retx_begins_a_run)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, LEN);
	struct uet_wire_run run;

	s.hdr.flags = UET_F_AR | UET_F_RETX;
	sample_encode(&s);
	EXPECT_EQ(begins(&run, &s), true);
	s = sample_next(s);
	EXPECT_EQ(uet_wire_run_next(&run, s.head, 1), true);
}

TEST(wire_run__packet_that_ends_its_message_is_not_in_a_run)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, TOTAL - 2 * LEN);
	struct uet_wire_run run;

	EXPECT_EQ(begins(&run, &s), true);
	s = sample_next(s);
	EXPECT_EQ(uet_wire_run_next(&run, s.head, 1), false);
	EXPECT_EQ(run.psn, 1);
	EXPECT_EQ(run.offset, TOTAL - 2 * LEN);
}

TEST(wire_run__offset_does_not_wrap)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, U32_MAX - LEN);
	struct uet_wire_run run;

	s.req.request_length = U32_MAX;
	sample_encode(&s);
	EXPECT_EQ(begins(&run, &s), true);
	s = sample_next(s);
	EXPECT_EQ(uet_wire_run_next(&run, s.head, 1), false);
	s.req.message_offset = 0;
	s.req.request_length = U32_MAX;
	sample_encode(&s);
	EXPECT_EQ(uet_wire_run_next(&run, s.head, 1), false);
}

/* CLEAR_PSN has tests of its own. */
TEST(wire_run__each_changed_bit_ends_a_run)
{
	static const u8 types[] = { UET_TY_RUD_REQ, UET_TY_ROD_CC_REQ };
	struct uet_wire_run run;
	struct sample s, next;
	u32 i, bit;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		s = sample(types[i], 100, 4 * LEN);
		next = sample_next(s);
		for (bit = 0; bit < 8 * (s.pds_len + UET_SES_STD_LEN); bit++) {
			if (bit / 16 == 1)
				continue;
			ASSERT_EQ(begins(&run, &s), true);
			next.head[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), false);
			next.head[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), true);
		}
	}
}

static bool continues_with_clear(const struct sample *s, s16 clear_off,
				 struct uet_wire_run *run)
{
	struct sample next = sample_next(*s);

	next.hdr.u.req.clear_off = clear_off;
	sample_encode(&next);
	EXPECT_EQ(begins(run, s), true);
	return uet_wire_run_next(run, next.head, 1);
}

/* CLEAR_PSN is relative on the wire: here that of the packet before is 97, for PSN 101. */
TEST(wire_run__clear_psn_moves_on_but_not_back)
{
	struct sample s = sample(UET_TY_RUD_REQ, 100, LEN);
	struct uet_wire_run run;

	ASSERT_EQ(begins(&run, &s), true);
	EXPECT_EQ(run.clear_psn, 97);
	EXPECT_EQ(continues_with_clear(&s, -5, &run), false);
	EXPECT_EQ(run.clear_psn, 97);
	EXPECT_EQ(continues_with_clear(&s, -4, &run), true);
	EXPECT_EQ(run.clear_psn, 97);
	EXPECT_EQ(continues_with_clear(&s, -1, &run), true);
	EXPECT_EQ(run.clear_psn, 100);
}

TEST(wire_run__clear_psn_is_before_the_packet)
{
	struct sample s = sample(UET_TY_RUD_REQ, 100, LEN);
	struct uet_wire_run run;

	EXPECT_EQ(continues_with_clear(&s, 0, &run), false);
	EXPECT_EQ(continues_with_clear(&s, S16_MAX, &run), false);
	s.hdr.u.req.clear_off = S16_MIN;
	sample_encode(&s);
	EXPECT_EQ(continues_with_clear(&s, S16_MAX, &run), false);
}

TEST(wire_run__knows_the_pdc_of_a_request_without_flags)
{
	struct sample s = sample(UET_TY_ROD_CC_REQ, 100, LEN);
	u16 pdcid = 0;

	EXPECT_EQ(uet_wire_run_pdcid(s.head, HEAD_MAX, &pdcid), true);
	EXPECT_EQ(pdcid, 8);
	EXPECT_EQ(uet_wire_run_pdcid(s.head, UET_REQ_LEN - 1, &pdcid), false);
	EXPECT_EQ(uet_wire_run_pdcid(s.head, s.pds_len + 1, &pdcid), false);
	s.hdr.flags = UET_F_SYN;
	sample_encode(&s);
	EXPECT_EQ(uet_wire_run_pdcid(s.head, HEAD_MAX, &pdcid), false);
	s = sample(UET_TY_RUD_REQ, 100, LEN);
	s.req.eom = true;
	sample_encode(&s);
	EXPECT_EQ(uet_wire_run_pdcid(s.head, HEAD_MAX, &pdcid), false);
	s = sample(UET_TY_RUD_REQ, 100, LEN);
	s.head[0] = UET_TY_ACK << 3;
	EXPECT_EQ(uet_wire_run_pdcid(s.head, HEAD_MAX, &pdcid), false);
}

static void begins_not(struct sample s)
{
	struct uet_wire_run run;

	EXPECT_EQ(begins(&run, &s), false);
}

TEST(wire_run__begins_with_a_deferrable_message_and_its_token)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, LEN), next;
	struct uet_wire_run run;

	s.req.form = UET_SES_DEFER;
	s.req.opcode = UET_OP_DEFERRABLE_SEND;
	s.req.offset = 0;
	s.req.init_token = 0x01020304;
	s.req.tgt_token = 0x05060708;
	sample_encode(&s);
	ASSERT_EQ(begins(&run, &s), true);
	EXPECT_EQ(run.tgt_token, 0x05060708);
	next = sample_next(s);
	next.req.tgt_token = 0;
	sample_encode(&next);
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), false);
	next.req.tgt_token = 0x05060708;
	sample_encode(&next);
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), true);
}

/* The first packet of the message of sample(), with completion data. */
static struct sample sample_first(u8 opcode)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, LEN);

	s.req.form = UET_SES_STD;
	s.req.opcode = opcode;
	s.req.som = true;
	s.req.hd = true;
	s.req.header_data = 0x0123456789abcdef;
	s.req.payload_length = 0;
	s.req.message_offset = 0;
	sample_encode(&s);
	return s;
}

TEST(wire_run__begins_with_the_first_packet)
{
	struct sample first = sample_first(UET_OP_WRITE);
	struct sample next = sample(UET_TY_RUD_REQ, 2, LEN);
	struct uet_wire_run run;

	ASSERT_EQ(begins(&run, &first), true);
	EXPECT_EQ(run.len, LEN);
	EXPECT_EQ(run.offset, 0);
	next.hdr.u.req.clear_off = -4;
	sample_encode(&next);
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), true);
	EXPECT_EQ(run.offset, LEN);
	next = sample_next(next);
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 97), true);
	EXPECT_EQ(run.offset, 98 * LEN);
}

TEST(wire_run__behind_the_first_packet_all_else_is_the_same)
{
	struct sample first = sample_first(UET_OP_WRITE);
	struct sample next = sample(UET_TY_RUD_REQ, 2, LEN), bad;
	struct uet_wire_run run;
	u32 i;

	next.hdr.u.req.clear_off = -4;
	sample_encode(&next);
	ASSERT_EQ(begins(&run, &first), true);
	for (i = 0; i < HEAD_MAX - 4; i++) {
		bad = next;
		/* CLEAR_PSN may advance. */
		if (i == 2 || i == 3)
			continue;
		bad.head[i] ^= 0x40;
		EXPECT_EQ(uet_wire_run_next(&run, bad.head, 1), false);
	}
	EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), true);
}

TEST(wire_run__begins_before_the_end_of_a_plain_message_only)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, LEN);
	struct sample bad = s;

	begins_not(sample_first(UET_OP_READ));
	bad = sample_first(UET_OP_WRITE);
	bad.req.eom = true;
	begins_not(bad);
	bad = sample_first(UET_OP_WRITE);
	bad.req.opcode = UET_OP_DEFERRABLE_SEND;
	bad.req.form = UET_SES_DEFER;
	begins_not(bad);
	bad = s;
	bad.req.eom = true;
	begins_not(bad);
	bad = s;
	bad.req.payload_length = 0;
	begins_not(bad);
	bad = s;
	bad.req.ext = UET_EXT_RDV;
	begins_not(bad);
	bad = s;
	bad.req.opcode = UET_OP_MSG_ERROR;
	begins_not(bad);
	bad = s;
	bad.hdr.flags = UET_F_SYN;
	begins_not(bad);
	bad = s;
	bad.hdr.next_hdr = UET_NH_RSP_DATA;
	begins_not(bad);
	bad = s;
	bad.hdr.type = UET_TY_RUDI_REQ;
	begins_not(bad);
	bad.hdr.type = UET_TY_UUD_REQ;
	begins_not(bad);
}

/* ------------------------------------------------------------------------ reads */

TEST(wire_run__requests_of_a_read_have_no_payload)
{
	struct sample s = sample(UET_TY_RUD_REQ, 1, LEN);
	struct uet_wire_run run;

	EXPECT_EQ(begins(&run, &s), true);
	EXPECT_EQ(run.payload, LEN);
	s.req.opcode = UET_OP_READ;
	sample_encode(&s);
	ASSERT_EQ(begins(&run, &s), true);
	EXPECT_EQ(run.payload, 0);
	EXPECT_EQ(run.len, LEN);
	EXPECT_EQ(run.head_len, UET_REQ_LEN + UET_SES_STD_LEN);
	s = sample_next(s);
	EXPECT_EQ(uet_wire_run_next(&run, s.head, 50), true);
	EXPECT_EQ(run.psn, 51);
	EXPECT_EQ(run.offset, 51 * LEN);
}

/* A packet of the data of a READ. */
struct data_sample {
	struct uet_pds_hdr hdr;
	struct uet_ses_rsp rsp;
	u8 head[UET_REQ_CC_LEN + UET_SES_RSP_DATA_LEN];
	size_t pds_len;
};

static void data_encode(struct data_sample *s)
{
	s->pds_len = uet_wire_pds_encode(&s->hdr, s->head, sizeof(s->head));
	EXPECT_GT(s->pds_len, 0);
	ASSERT_EQ(uet_wire_ses_rsp_encode(&s->rsp, s->head + s->pds_len,
					  sizeof(s->head) - s->pds_len),
		  UET_SES_RSP_DATA_LEN);
}

static struct data_sample data_sample(u8 type, u32 psn, u32 offset)
{
	struct data_sample s = {
		.hdr = header(type, UET_NH_RSP_DATA, psn),
		.rsp = {
			.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
			.rc = UET_RC_OK, .msg_id = 5, .read_msg_id = 6,
			.job = 0x123456, .payload_length = LEN,
			.modified_length = TOTAL, .message_offset = offset,
		},
	};

	data_encode(&s);
	return s;
}

static struct data_sample data_next(struct data_sample s)
{
	header_step(&s.hdr);
	s.rsp.message_offset += LEN;
	data_encode(&s);
	return s;
}

static bool data_begins(struct uet_wire_run *run, const struct data_sample *s)
{
	return uet_wire_run_begin_data(run, &s->hdr, &s->rsp, TOTAL, s->head);
}

TEST(wire_run__data_that_follow_each_other_are_a_run)
{
	static const u8 types[] = { UET_TY_RUD_REQ, UET_TY_ROD_CC_REQ };
	struct uet_wire_run one, all;
	struct data_sample s, first;
	u32 t, n, i;

	for (t = 0; t < ARRAY_SIZE(types); t++) {
		for (n = 1; n < 101; n++) {
			s = data_sample(types[t], 0xfffffff0, 0);
			ASSERT_EQ(data_begins(&one, &s), true);
			EXPECT_EQ(one.msg_id, 6);
			EXPECT_EQ(one.head_len, s.pds_len + UET_SES_RSP_DATA_LEN);
			all = one;
			first = data_next(s);
			for (i = 0; i < n; i++) {
				s = data_next(s);
				if (!uet_wire_run_next(&one, s.head, 1))
					break;
			}
			/* The one that ends the message is single. */
			EXPECT_EQ(i == n, n < 99);
			EXPECT_EQ(uet_wire_run_next(&all, first.head, n), i == n);
			if (i < n)
				continue;
			EXPECT_EQ(all.psn, one.psn);
			EXPECT_EQ(all.offset, one.offset);
			EXPECT_EQ(all.clear_psn, one.clear_psn);
		}
	}
}

TEST(wire_run__each_changed_bit_ends_a_run_of_data)
{
	static const u8 types[] = { UET_TY_RUD_REQ, UET_TY_ROD_CC_REQ };
	struct data_sample s, next;
	struct uet_wire_run run;
	u32 i, bit;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		s = data_sample(types[i], 100, 4 * LEN);
		next = data_next(s);
		for (bit = 0; bit < 8 * (s.pds_len + UET_SES_RSP_DATA_LEN); bit++) {
			if (bit / 16 == 1)
				continue;
			ASSERT_EQ(data_begins(&run, &s), true);
			next.head[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), false);
			next.head[bit / 8] ^= 1 << bit % 8;
			EXPECT_EQ(uet_wire_run_next(&run, next.head, 1), true);
		}
	}
}

TEST(wire_run__knows_the_pdc_of_read_data)
{
	struct data_sample s = data_sample(UET_TY_RUD_REQ, 100, LEN);
	u16 pdcid = 0;

	EXPECT_EQ(uet_wire_run_pdcid(s.head, sizeof(s.head), &pdcid), true);
	EXPECT_EQ(pdcid, 8);
	s.hdr.flags = UET_F_AR;
	data_encode(&s);
	EXPECT_EQ(uet_wire_run_pdcid(s.head, sizeof(s.head), &pdcid), false);
	s = data_sample(UET_TY_RUD_REQ, 100, LEN);
	s.hdr.next_hdr = UET_NH_REQ_MEDIUM;
	data_encode(&s);
	EXPECT_EQ(uet_wire_run_pdcid(s.head, sizeof(s.head), &pdcid), false);
}

static void data_begins_not(struct data_sample s)
{
	struct uet_wire_run run;

	EXPECT_EQ(data_begins(&run, &s), false);
}

TEST(wire_run__only_data_begin_a_run_of_data)
{
	struct data_sample s = data_sample(UET_TY_RUD_REQ, 1, LEN);
	struct data_sample bad = s;

	bad.rsp.rc = UET_RC_BAD_ADDR;
	data_begins_not(bad);
	bad = s;
	bad.rsp.payload_length = 0;
	data_begins_not(bad);
	bad = s;
	bad.rsp.read_msg_id = 0;
	data_begins_not(bad);
	bad = s;
	bad.hdr.next_hdr = UET_NH_RSP_DATA_SMALL;
	data_begins_not(bad);
	bad.hdr.next_hdr = UET_NH_RSP;
	data_begins_not(bad);
	bad = s;
	bad.hdr.flags = UET_F_SYN;
	data_begins_not(bad);
	bad = s;
	bad.hdr.type = UET_TY_ACK;
	data_begins_not(bad);
}
