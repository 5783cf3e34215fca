// SPDX-License-Identifier: GPL-2.0
/*
 * Headers that other implementations produced, decoded and encoded again by
 * ours, and whole packets down to the CRC trailer.  Field by field readings of
 * the same bytes are in the tests of each codec file.
 * Spec: UE 1.0.1 3.4, 3.5.10, 3.5.25, 3.7.11.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "../lib/crc32c.h"
#include "utest.h"

/* Decode @in of @n bytes as @kind says, encode into @out; 0 when refused. */
static size_t golden_turn(const char *kind, const u8 *in, size_t n, u8 *out)
{
	struct uet_pds_hdr pds;
	struct uet_ses_req req;
	struct uet_ses_rsp rsp;
	struct uet_tss_hdr tss;
	size_t used = 0;
	u16 ev;
	u8 nh;

	if (!strcmp(kind, "pds")) {
		EXPECT_EQ(uet_wire_pds_decode(in, n, &pds, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(used, n);
		return uet_wire_pds_encode(&pds, out, UET_PDS_MAX_LEN);
	}
	if (!strcmp(kind, "tss")) {
		EXPECT_EQ(uet_wire_tss_decode(in, n, &tss, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(used, n);
		return uet_wire_tss_encode(&tss, out, UET_TSS_SSI_LEN);
	}
	if (!strcmp(kind, "entropy")) {
		EXPECT_EQ(uet_wire_entropy_decode(in, n, &ev, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(used, n);
		return uet_wire_entropy_encode(ev, out, UET_ENTROPY_LEN);
	}
	nh = (u8)atoi(kind);
	if (uet_wire_nh(nh)->kind == UET_NK_REQ) {
		EXPECT_EQ(uet_wire_ses_req_decode(nh, in, n, &req, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(used, n);
		EXPECT_EQ(uet_wire_ses_req_nh(&req), nh);
		return uet_wire_ses_req_encode(&req, out, UET_SES_REQ_MAX_LEN);
	}
	EXPECT_EQ(uet_wire_ses_rsp_decode(nh, in, n, &rsp, &used),
		  UET_DROP_NONE);
	EXPECT_EQ(used, n);
	EXPECT_EQ(uet_wire_ses_rsp_nh(&rsp), nh);
	return uet_wire_ses_rsp_encode(&rsp, out, UET_SES_RSP_MAX_LEN);
}

static void golden_check(const char *kind, const char *hex, const char *canon)
{
	u8 in[UET_SES_REQ_MAX_LEN], want[UET_SES_REQ_MAX_LEN];
	u8 out[UET_SES_REQ_MAX_LEN];
	size_t n, want_n, out_n;

	n = utest_unhex(hex, in, sizeof(in));
	want_n = utest_unhex(*canon ? canon : hex, want, sizeof(want));

	memset(out, 0xaa, sizeof(out));
	out_n = golden_turn(kind, in, n, out);
	ASSERT_EQ(out_n, want_n);
	EXPECT_MEMEQ(out, want, want_n);
}

#define GOLDEN(name, kind, hex, canon) \
	TEST(golden__##name) { golden_check(#kind, hex, canon); }
#include "wire_golden.def"
#undef GOLDEN

/* The headers of the whole packets, built from values. */
static size_t packet_build(u8 *out, size_t space)
{
	struct uet_pds_hdr pds = {
		.type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_STD,
		.flags = UET_F_AR | UET_F_SYN,
		.u.req = { .clear_off = -1, .psn = 0x12000, .spdcid = 0x101 },
	};
	struct uet_ses_req req = {
		.form = UET_SES_STD, .opcode = UET_OP_SEND, .rel = true,
		.eom = true, .som = true, .msg_id = 1, .job = 1, .ri = 15,
		.initiator = 16, .request_length = 8,
	};
	size_t n;

	n = uet_wire_pds_encode(&pds, out, space);
	n += uet_wire_ses_req_encode(&req, out + n, space - n);
	memcpy(out + n, "UETuetKA", 8);
	return n + 8;
}

static void packet_check(const char *addrs, const char *l4, const char *crc)
{
	u8 covered[160], trailer[UET_CRC_LEN], want[UET_CRC_LEN];
	u8 body[80];
	size_t n, body_n;
	u32 sum;

	n = utest_unhex(addrs, covered, sizeof(covered));
	n += utest_unhex(l4, covered + n, sizeof(covered) - n);
	body_n = packet_build(covered + n, sizeof(covered) - n);
	ASSERT_EQ(utest_unhex("118cffff0001200001010000"
			      "050b0001000000010000000f000000000000000000000010"
			      "0000000000000000000000000000000000000008"
			      "5545547565744b41", body, sizeof(body)), body_n);
	EXPECT_MEMEQ(covered + n, body, body_n);
	n += body_n;

	sum = crc32c_final(crc32c_update(CRC32C_INIT, covered, n));
	uet_wire_crc_put(sum, trailer);
	utest_unhex(crc, want, sizeof(want));
	EXPECT_MEMEQ(trailer, want, sizeof(want));
	EXPECT_EQ(uet_wire_crc_get(want), sum);
}

TEST(packet__native_ipv4_bytes_are_exact)
{
	u8 ev[UET_ENTROPY_LEN], want[UET_ENTROPY_LEN];

	EXPECT_EQ(uet_wire_entropy_encode(0x4242, ev, sizeof(ev)), sizeof(ev));
	utest_unhex("42420000", want, sizeof(want));
	EXPECT_MEMEQ(ev, want, sizeof(want));

	packet_check("c0a82a01c0a82a02", "42420000", "6eb91d15");
}

TEST(packet__udp_ipv4_bytes_are_exact)
{
	packet_check("c0a82a01c0a82a02", "424212b9004c0000", "6438b8a8");
}

TEST(packet__udp_ipv6_bytes_are_exact)
{
	packet_check("20010cb0000000000fc0000000000abc"
		     "20010cb0000000000fc0000000000def",
		     "424212b9004c0000", "86320b62");
}

static void crc_check(const void *p, size_t n, const char *hex)
{
	u8 trailer[UET_CRC_LEN], want[UET_CRC_LEN];

	uet_wire_crc_put(crc32c_final(crc32c_update(CRC32C_INIT, p, n)),
			 trailer);
	utest_unhex(hex, want, sizeof(want));
	EXPECT_MEMEQ(trailer, want, sizeof(want));
}

TEST(crc__rfc3720_vectors_are_exact)
{
	u8 zeroes[32] = { 0 }, ones[32], up[32], down[32];

	memset(ones, 0xff, sizeof(ones));
	for (u8 i = 0; i < 32; i++) {
		up[i] = i;
		down[i] = 31 - i;
	}

	crc_check(zeroes, sizeof(zeroes), "8a9136aa");
	crc_check(ones, sizeof(ones), "62a8ab43");
	crc_check(up, sizeof(up), "46dd794e");
	crc_check(down, sizeof(down), "113fdb5c");
	crc_check("123456789", 9, "e3069283");
}
