// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/wire/wire_run.c: the headers that it changes are, byte for
 * byte, those that the encoders write for the later packet.
 * Spec: UE 1.0.1 3.5.10, Figures 3-10 and 3-19.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

#define HEADERS	(UET_PDS_MAX_LEN + UET_SES_REQ_MAX_LEN)

static size_t next_encode(u8 type, const struct uet_req *req,
			  const struct uet_ses_req *ses, u8 *buf)
{
	struct uet_pds_hdr hdr = {
		.type = type, .next_hdr = UET_NH_REQ_STD, .u.req = *req,
	};
	size_t pds = uet_wire_pds_encode(&hdr, buf, UET_PDS_MAX_LEN);
	size_t len = uet_wire_ses_req_encode(ses, buf + pds, UET_SES_REQ_MAX_LEN);

	EXPECT_EQ(pds, UET_REQ_LEN);
	EXPECT_NE(len, 0);
	return pds + len;
}

static void next_expect(u8 type, u8 opcode, u8 ext)
{
	struct uet_req req = {
		.psn = 0xfffffffe, .clear_off = -3, .spdcid = 0x1234,
		.dpdcid = 0x5678,
	};
	struct uet_ses_req ses = {
		.form = UET_SES_STD_NOSOM, .opcode = opcode, .ext = ext,
		.msg_id = 7, .job = 0x123456, .pid = 0xabc, .ri = 0xdef,
		.initiator = 9, .offset = 0x1122334455667788ULL,
		.match = 0x99aabbccddeeff00ULL, .payload_length = 1024,
		.message_offset = 1024, .request_length = 1 << 30,
	};
	const struct uet_ses_req first_ses = ses;
	const struct uet_req first = req;
	u8 buf[HEADERS], want[HEADERS];
	size_t len;
	u32 i;

	len = next_encode(type, &req, &ses, buf);
	for (i = 0; i < 1000; i++) {
		req.psn++;
		req.clear_off--;
		ses.message_offset += 1024;
		uet_wire_req_next(buf, &req, ses.message_offset);
		ASSERT_EQ(next_encode(type, &req, &ses, want), len);
		EXPECT_TRUE(!memcmp(buf, want, len));
	}
	next_encode(type, &first, &first_ses, buf);
	EXPECT_TRUE(uet_wire_may_skip(buf, UET_REQ_LEN + UET_SES_STD_LEN));
	uet_wire_req_skip(buf, 1000);
	EXPECT_TRUE(!memcmp(buf, want, len));
}

TEST(wire_next__headers_are_those_of_the_encoders)
{
	next_expect(UET_TY_RUD_REQ, UET_OP_SEND, UET_EXT_NONE);
	next_expect(UET_TY_ROD_REQ, UET_OP_WRITE, UET_EXT_NONE);
	next_expect(UET_TY_RUD_REQ, UET_OP_READ, UET_EXT_NONE);
	next_expect(UET_TY_RUD_REQ, UET_OP_RENDEZVOUS_SEND, UET_EXT_RDV);
}

static size_t next_encode_data(const struct uet_req *req, const struct uet_ses_rsp *rsp,
			       u8 *buf)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_RUD_REQ, .next_hdr = UET_NH_RSP_DATA, .u.req = *req,
	};
	size_t pds = uet_wire_pds_encode(&hdr, buf, UET_PDS_MAX_LEN);

	EXPECT_EQ(pds, UET_REQ_LEN);
	return pds + uet_wire_ses_rsp_encode(rsp, buf + pds, UET_SES_RSP_MAX_LEN);
}

TEST(wire_next__headers_of_read_data_are_those_of_the_encoders)
{
	struct uet_req req = {
		.psn = 0xfffffffe, .clear_off = -3, .spdcid = 0x1234,
		.dpdcid = 0x5678,
	};
	struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		.rc = UET_RC_OK, .msg_id = 7, .read_msg_id = 7, .job = 0x123456,
		.payload_length = 1024, .modified_length = 1 << 30,
		.message_offset = 1024,
	};
	u8 buf[HEADERS], skipped[HEADERS], want[HEADERS];
	size_t len = next_encode_data(&req, &rsp, buf);
	u32 i;

	EXPECT_EQ(len, UET_REQ_LEN + UET_SES_RSP_DATA_LEN);
	memcpy(skipped, buf, len);
	for (i = 0; i < 1000; i++) {
		req.psn++;
		req.clear_off--;
		rsp.message_offset += 1024;
		uet_wire_req_next(buf, &req, rsp.message_offset);
		ASSERT_EQ(next_encode_data(&req, &rsp, want), len);
		EXPECT_TRUE(!memcmp(buf, want, len));
	}
	EXPECT_TRUE(uet_wire_may_skip(skipped, len));
	uet_wire_req_skip(skipped, 1000);
	EXPECT_TRUE(!memcmp(skipped, want, len));
}

/* Somebody may have changed a burst on its way. */
TEST(wire_next__other_headers_are_left_alone)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_RUD_REQ,
		.u.req = { .psn = 7, .clear_off = -3, .spdcid = 1, .dpdcid = 2 },
	};
	u8 buf[HEADERS] = {}, same[HEADERS];
	u32 nh;

	for (nh = 0; nh < 16; nh++) {
		hdr.next_hdr = nh;
		if (!uet_wire_pds_encode(&hdr, buf, sizeof(buf)))
			continue;
		EXPECT_FALSE(uet_wire_may_skip(buf, UET_REQ_LEN - 1));
		if (uet_wire_run_form(nh)) {
			EXPECT_FALSE(uet_wire_may_skip(buf, UET_REQ_LEN +
						       uet_wire_run_form(nh)->len - 1));
			continue;
		}
		EXPECT_FALSE(uet_wire_may_skip(buf, sizeof(buf)));
		memcpy(same, buf, sizeof(buf));
		uet_wire_req_skip(buf, 3);
		EXPECT_TRUE(!memcmp(same, buf, sizeof(buf)));
	}
}
