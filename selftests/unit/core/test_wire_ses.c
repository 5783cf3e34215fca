// SPDX-License-Identifier: GPL-2.0
/*
 * SES requests: what the decoder reads from every form and extension, which
 * combinations of opcode, form and flags it refuses, and which packets
 * uet_wire_ses_payload() finds to contradict their own header.
 * Spec: UE 1.0.1 3.4, Figures 3-9 to 3-17.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

#define SES_COMMON_HEX	"77abcdef067809ab"

/* Decode a copy of @n bytes that ends where the heap block ends. */
static enum uet_drop ses_decode_exact(u8 nh, const u8 *p, size_t n,
				      struct uet_ses_req *req, size_t *used)
{
	u8 *copy = malloc(n ? n : 1);
	enum uet_drop why;

	memcpy(copy, p, n);
	why = uet_wire_ses_req_decode(nh, n ? copy : copy + 1, n, req, used);
	free(copy);
	return why;
}

static enum uet_drop ses_decode_hex(u8 nh, const char *hex,
				    struct uet_ses_req *req)
{
	u8 buf[UET_SES_REQ_MAX_LEN];
	size_t n = utest_unhex(hex, buf, sizeof(buf)), used = 0;
	enum uet_drop why = ses_decode_exact(nh, buf, n, req, &used);

	if (!why)
		EXPECT_EQ(used, n);
	return why;
}

TEST(ses_decode__standard_write_is_read)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "012f0102123456780abc0def0102030405060708"
				 "112233441020304050607080a1a2a3a4a5a6a7a8"
				 "00000008", &r), UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_SES_STD);
	EXPECT_EQ(r.opcode, UET_OP_WRITE);
	EXPECT_EQ(r.version, 0);
	EXPECT_TRUE(r.dc);
	EXPECT_FALSE(r.ie);
	EXPECT_TRUE(r.rel);
	EXPECT_TRUE(r.hd);
	EXPECT_TRUE(r.eom);
	EXPECT_TRUE(r.som);
	EXPECT_EQ(r.ext, UET_EXT_NONE);
	EXPECT_EQ(r.msg_id, 0x0102);
	EXPECT_EQ(r.ri_gen, 0x12);
	EXPECT_EQ(r.job, 0x345678);
	EXPECT_EQ(r.pid, 0xabc);
	EXPECT_EQ(r.ri, 0xdef);
	EXPECT_EQ(r.offset, 0x0102030405060708ULL);
	EXPECT_EQ(r.initiator, 0x11223344);
	EXPECT_EQ(r.match, 0x1020304050607080ULL);
	EXPECT_EQ(r.header_data, 0xa1a2a3a4a5a6a7a8ULL);
	EXPECT_EQ(r.request_length, 8);
}

TEST(ses_decode__later_packet_has_an_offset)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "012a1234" SES_COMMON_HEX
				 "fedcba9876543210fedcba981122334455667788"
				 "000003457766554499887766", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_SES_STD_NOSOM);
	EXPECT_FALSE(r.som);
	EXPECT_TRUE(r.eom);
	EXPECT_EQ(r.payload_length, 0x345);
	EXPECT_EQ(r.message_offset, 0x77665544);
	EXPECT_EQ(r.header_data, 0);
	EXPECT_EQ(r.request_length, 0x99887766);
}

TEST(ses_decode__deferrable_send_is_read)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "082b1234" SES_COMMON_HEX
				 "8765432112345678fedcba981122334455667788"
				 "fedcba987654321099887766", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_SES_DEFER);
	EXPECT_EQ(r.init_token, 0x87654321);
	EXPECT_EQ(r.tgt_token, 0x12345678);
	EXPECT_EQ(r.offset, 0);
	EXPECT_EQ(r.match, 0x1122334455667788ULL);
	EXPECT_EQ(r.header_data, 0xfedcba9876543210ULL);
	EXPECT_EQ(r.request_length, 0x99887766);
}

TEST(ses_decode__deferrable_send_without_som_states_its_share)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "082a1234" SES_COMMON_HEX
				 "8765432112345678fedcba981122334455667788"
				 "fedcba987654321099887766", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.payload_length, 0x3a98);
	EXPECT_EQ(r.message_offset, 0x76543210);
	EXPECT_EQ(r.header_data, 0);
}

TEST(ses_decode__ready_to_restart_is_read)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "0c2a1234" SES_COMMON_HEX
				 "8899aabbccddeefffedcba988765432112345678"
				 "fedcba987654321099887766", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_SES_RTR);
	EXPECT_EQ(r.offset, 0x8899aabbccddeeffULL);
	EXPECT_EQ(r.init_token, 0x87654321);
	EXPECT_EQ(r.tgt_token, 0x12345678);
	EXPECT_EQ(r.match, 0);
	EXPECT_EQ(r.header_data, 0xfedcba9876543210ULL);
}

TEST(ses_decode__medium_slot_is_offset_or_header_data)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_MEDIUM,
				 "012b1234" SES_COMMON_HEX
				 "987654329876543287654321ccbbddeeff009988",
				 &r), UET_DROP_NONE);
	EXPECT_EQ(r.form, UET_SES_MEDIUM);
	EXPECT_EQ(r.request_length, 0x1234);
	EXPECT_EQ(r.msg_id, 0);
	EXPECT_EQ(r.offset, 0x9876543298765432ULL);
	EXPECT_EQ(r.header_data, 0);
	EXPECT_EQ(r.initiator, 0x87654321);
	EXPECT_EQ(r.match, 0xccbbddeeff009988ULL);

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_MEDIUM,
				 "012fd234" SES_COMMON_HEX
				 "987654329876543287654321ccbbddeeff009988",
				 &r), UET_DROP_NONE);
	EXPECT_EQ(r.request_length, 0x1234);
	EXPECT_EQ(r.offset, 0);
	EXPECT_EQ(r.header_data, 0x9876543298765432ULL);
}

TEST(ses_decode__small_ignores_hd)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_SMALL,
				 "022f1234" SES_COMMON_HEX
				 "9876543298765432", &r), UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_SES_SMALL);
	EXPECT_FALSE(r.hd);
	EXPECT_EQ(r.ri, 0x9ab);
	EXPECT_EQ(r.offset, 0x9876543298765432ULL);
	EXPECT_EQ(r.request_length, 0x1234);
}

TEST(ses_decode__reserved_bits_are_ignored)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "c12a1234" "77abcdeff678f9ab"
				 "fedcba9876543210fedcba981122334455667788"
				 "ffffc3457766554499887766", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.opcode, UET_OP_WRITE);
	EXPECT_EQ(r.pid, 0x678);
	EXPECT_EQ(r.ri, 0x9ab);
	EXPECT_EQ(r.payload_length, 0x345);
}

TEST(ses_decode__rendezvous_is_read)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "060b1234" SES_COMMON_HEX
				 "0000000000000000fedcba981122334455667788"
				 "000000000000000099887766"
				 "01020304776789ab0a0b0c0d0e0f1011"
				 "8081828384858687", &r), UET_DROP_NONE);

	EXPECT_EQ(r.ext, UET_EXT_RDV);
	EXPECT_EQ(r.x.rdv.eager_length, 0x01020304);
	EXPECT_EQ(r.x.rdv.ri_gen, 0x77);
	EXPECT_EQ(r.x.rdv.pid, 0x678);
	EXPECT_EQ(r.x.rdv.ri, 0x9ab);
	EXPECT_EQ(r.x.rdv.offset, 0x0a0b0c0d0e0f1011ULL);
	EXPECT_EQ(r.x.rdv.key, 0x8081828384858687ULL);
}

TEST(ses_decode__eager_part_beyond_the_message_is_refused)
{
	struct uet_ses_req r;

	EXPECT_EQ(ses_decode_hex(UET_NH_REQ_STD,
				 "060b1234" SES_COMMON_HEX
				 "0000000000000000fedcba981122334455667788"
				 "000000000000000000000004"
				 "00000005776789ab0a0b0c0d0e0f1011"
				 "8081828384858687", &r),
		  UET_DROP_SES_RDV_EAGER);
}

TEST(ses_decode__atomic_may_follow_a_small_header)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_SMALL,
				 "030b0008" SES_COMMON_HEX
				 "0000000000000010" "020703ff", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.ext, UET_EXT_AMO);
	EXPECT_EQ(r.x.amo.opcode, UET_AMO_SUM);
	EXPECT_EQ(r.x.amo.datatype, UET_DT_UINT64);
	EXPECT_EQ(r.x.amo.control,
		  UET_AMO_CTL_CACHEABLE | UET_AMO_CTL_COHERENT);
}

TEST(ses_decode__cswap_operands_are_read)
{
	struct uet_ses_req r;

	ASSERT_EQ(ses_decode_hex(UET_NH_REQ_SMALL,
				 "040b0008" SES_COMMON_HEX
				 "0000000000000010" "0d070000"
				 "000102030405060708090a0b0c0d0e0f"
				 "101112131415161718191a1b1c1d1e1f", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.ext, UET_EXT_CSWAP);
	EXPECT_EQ(r.x.amo.compare[0], 0);
	EXPECT_EQ(r.x.amo.compare[15], 0x0f);
	EXPECT_EQ(r.x.amo.swap[0], 0x10);
	EXPECT_EQ(r.x.amo.swap[15], 0x1f);
}

/* The extension's length follows from the atomic opcode: all 256 of them. */
TEST(ses_decode__atomic_opcode_decides_the_extension_length)
{
	u8 buf[UET_SES_SMALL_LEN + UET_EXT_CSWAP_LEN];
	struct uet_ses_req r;
	size_t n, used;
	int amo;

	n = utest_unhex("030b0008" SES_COMMON_HEX "0000000000000010", buf, 20);
	memset(buf + n, 0, UET_EXT_CSWAP_LEN);
	for (amo = 0; amo < 256; amo++) {
		enum uet_drop why;

		buf[20] = (u8)amo;
		why = ses_decode_exact(UET_NH_REQ_SMALL, buf, sizeof(buf), &r,
				       &used);
		if (amo > UET_AMO_INVAL) {
			EXPECT_EQ(why, UET_DROP_SES_RESERVED_AMO);
			continue;
		}
		EXPECT_EQ(why, UET_DROP_NONE);
		EXPECT_EQ(used, amo >= UET_AMO_CSWAP && amo <= UET_AMO_MSWAP ?
				56 : 24);
	}
}

/* UE 1.0.1 Table 3-17, spelled out: forms bit per STD, MEDIUM, SMALL. */
TEST(ses_decode__opcode_must_fit_the_form)
{
	static const u8 legal[UET_OP_NR] = {
		[UET_OP_NO_OP] = 1, [UET_OP_WRITE] = 7, [UET_OP_READ] = 7,
		[UET_OP_ATOMIC] = 7, [UET_OP_FETCHING_ATOMIC] = 7,
		[UET_OP_SEND] = 3, [UET_OP_RENDEZVOUS_SEND] = 1,
		[UET_OP_DATAGRAM_SEND] = 3, [UET_OP_DEFERRABLE_SEND] = 1,
		[UET_OP_TAGGED_SEND] = 3, [UET_OP_RENDEZVOUS_TSEND] = 1,
		[UET_OP_DEFERRABLE_TSEND] = 1, [UET_OP_DEFERRABLE_RTR] = 1,
		[UET_OP_TSEND_ATOMIC] = 3, [UET_OP_TSEND_FETCH_ATOMIC] = 3,
		[UET_OP_MSG_ERROR] = 1,
	};
	static const u8 nhs[] = { UET_NH_REQ_STD, UET_NH_REQ_MEDIUM,
				  UET_NH_REQ_SMALL };
	u8 buf[UET_SES_REQ_MAX_LEN] = { 0 };
	enum uet_drop want, why;
	struct uet_ses_req r;
	size_t used;
	int op, form;

	buf[1] = 0x03;
	buf[5] = 0x42;
	for (op = 0; op < UET_OP_NR; op++) {
		for (form = 0; form < 3; form++) {
			buf[0] = (u8)op;
			why = ses_decode_exact(nhs[form], buf, sizeof(buf), &r,
					       &used);
			want = UET_DROP_SES_OPCODE_FORM;
			if (legal[op] >> form & 1)
				want = UET_DROP_NONE;
			else if (op > UET_OP_MSG_ERROR)
				want = UET_DROP_SES_RESERVED_OPCODE;
			EXPECT_EQ(why, want);
		}
	}
}

TEST(ses_decode__refused_header_still_names_the_sender)
{
	u8 buf[UET_SES_COMMON_LEN];
	struct uet_ses_req r;
	size_t used = 99;

	utest_unhex("100b1234" SES_COMMON_HEX, buf, sizeof(buf));
	EXPECT_EQ(ses_decode_exact(UET_NH_REQ_STD, buf, 12, &r, &used),
		  UET_DROP_SES_RESERVED_OPCODE);
	EXPECT_EQ(r.msg_id, 0x1234);
	EXPECT_EQ(r.job, 0xabcdef);
	EXPECT_EQ(r.pid, 0x678);
	EXPECT_EQ(used, 99);

	utest_unhex("054b1234" SES_COMMON_HEX, buf, sizeof(buf));
	EXPECT_EQ(ses_decode_exact(UET_NH_REQ_STD, buf, 12, &r, &used),
		  UET_DROP_SES_BAD_VERSION);
	EXPECT_EQ(r.version, 1);
	EXPECT_EQ(r.msg_id, 0x1234);
}

TEST(ses_decode__one_packet_forms_need_som_and_eom)
{
	u8 buf[UET_SES_REQ_MAX_LEN] = { UET_OP_WRITE };
	struct uet_ses_req r;
	size_t used;
	u8 flags;

	for (flags = 0; flags < 4; flags++) {
		enum uet_drop want = flags == 3 ? UET_DROP_NONE :
						  UET_DROP_SES_NOT_SINGLE;

		buf[0] = UET_OP_WRITE;
		buf[1] = flags;
		EXPECT_EQ(ses_decode_exact(UET_NH_REQ_SMALL, buf, sizeof(buf),
					   &r, &used), want);
		EXPECT_EQ(ses_decode_exact(UET_NH_REQ_MEDIUM, buf, sizeof(buf),
					   &r, &used), want);
		EXPECT_EQ(ses_decode_exact(UET_NH_REQ_STD, buf, sizeof(buf),
					   &r, &used), UET_DROP_NONE);
	}
}

/* Some senders set eom only in a packet without som, see uet_ses_rx_mark_end(). */
TEST(ses_decode__one_packet_operations_need_som)
{
	static const u8 ops[] = { UET_OP_DATAGRAM_SEND, UET_OP_NO_OP };
	u8 buf[UET_SES_REQ_MAX_LEN] = { 0 };
	struct uet_ses_req r;
	size_t used;
	u32 i;

	for (i = 0; i < 4 * ARRAY_SIZE(ops); i++) {
		buf[0] = ops[i / 4];
		buf[1] = i % 4;
		EXPECT_EQ(ses_decode_exact(UET_NH_REQ_STD, buf, sizeof(buf),
					   &r, &used),
			  i & 1 ? UET_DROP_NONE : UET_DROP_SES_NOT_SINGLE);
		EXPECT_EQ(r.som && r.eom, i & 1);
	}
}

TEST(ses_decode__needs_a_request_next_hdr)
{
	u8 buf[UET_SES_REQ_MAX_LEN] = { UET_OP_WRITE, 3 };
	struct uet_ses_req r;
	size_t used;
	int nh;

	for (nh = 0; nh < 256; nh++) {
		enum uet_drop want = UET_DROP_SES_NOT_REQUEST;

		if (nh >= UET_NH_REQ_SMALL && nh <= UET_NH_REQ_STD)
			want = UET_DROP_NONE;
		EXPECT_EQ(ses_decode_exact((u8)nh, buf, sizeof(buf), &r, &used),
			  want);
	}
}

/* One header of every length there is, and the reason below that length. */
TEST(ses_decode__every_truncation_is_named)
{
	static const struct {
		u8 nh, opcode, amo, full, base;
		enum uet_drop header, ext;
	} tab[] = {
		{ 1, UET_OP_WRITE, 0, 20, 20, UET_DROP_TRUNC_SES_SMALL, 0 },
		{ 2, UET_OP_SEND, 0, 32, 32, UET_DROP_TRUNC_SES_MEDIUM, 0 },
		{ 3, UET_OP_SEND, 0, 44, 44, UET_DROP_TRUNC_SES_STD, 0 },
		{ 3, UET_OP_DEFERRABLE_SEND, 0, 44, 44,
		  UET_DROP_TRUNC_SES_STD, 0 },
		{ 3, UET_OP_DEFERRABLE_RTR, 0, 44, 44,
		  UET_DROP_TRUNC_SES_STD, 0 },
		{ 3, UET_OP_RENDEZVOUS_SEND, 0, 68, 44,
		  UET_DROP_TRUNC_SES_STD, UET_DROP_TRUNC_SES_RDV },
		{ 3, UET_OP_ATOMIC, UET_AMO_SUM, 48, 44,
		  UET_DROP_TRUNC_SES_STD, UET_DROP_TRUNC_SES_AMO },
		{ 2, UET_OP_ATOMIC, UET_AMO_CSWAP, 68, 32,
		  UET_DROP_TRUNC_SES_MEDIUM, UET_DROP_TRUNC_SES_CSWAP },
		{ 3, UET_OP_TSEND_ATOMIC, UET_AMO_MSWAP, 80, 44,
		  UET_DROP_TRUNC_SES_STD, UET_DROP_TRUNC_SES_CSWAP },
	};
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req r;
	size_t i, n, used;

	for (i = 0; i < ARRAY_SIZE(tab); i++) {
		memset(buf, 0, sizeof(buf));
		buf[0] = tab[i].opcode;
		buf[1] = 3;
		buf[tab[i].base] = tab[i].amo;
		for (n = 0; n < tab[i].full; n++) {
			enum uet_drop want = tab[i].ext;

			if (n < UET_SES_COMMON_LEN)
				want = UET_DROP_TRUNC_SES_COMMON;
			else if (n < tab[i].base)
				want = tab[i].header;
			else if (tab[i].ext == UET_DROP_TRUNC_SES_CSWAP &&
				 n < tab[i].base + 4U)
				want = UET_DROP_TRUNC_SES_AMO;
			EXPECT_EQ(ses_decode_exact(tab[i].nh, buf, n, &r,
						   &used), want);
		}
		EXPECT_EQ(ses_decode_exact(tab[i].nh, buf, n, &r, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(used, tab[i].full);
	}
}

static void ses_rand_ext(struct uet_ses_req *r)
{
	switch (uet_wire_op(r->opcode)->ext) {
	case UET_EXT_RDV:
		r->ext = UET_EXT_RDV;
		r->x.rdv.eager_length = (u32)(utest_rand() %
					      (r->request_length + 1ULL));
		r->x.rdv.ri_gen = (u8)utest_rand();
		r->x.rdv.pid = utest_rand() & UET_PID_MAX;
		r->x.rdv.ri = utest_rand() & UET_RI_MAX;
		r->x.rdv.offset = utest_rand();
		r->x.rdv.key = utest_rand();
		break;
	case UET_EXT_AMO:
		r->ext = UET_EXT_AMO;
		r->x.amo.opcode = utest_rand() % UET_AMO_NR;
		r->x.amo.datatype = (u8)utest_rand();
		r->x.amo.control = (u8)utest_rand();
		if (r->x.amo.opcode < UET_AMO_CSWAP ||
		    r->x.amo.opcode > UET_AMO_MSWAP)
			break;
		r->ext = UET_EXT_CSWAP;
		utest_rand_fill(r->x.amo.compare, 16);
		utest_rand_fill(r->x.amo.swap, 16);
		break;
	}
}

/* Fields of the four 44-byte forms. */
static void ses_rand_std(struct uet_ses_req *r)
{
	r->msg_id = (u16)utest_rand();
	r->request_length = (u32)utest_rand();
	r->initiator = (u32)utest_rand();
	if (r->form == UET_SES_DEFER || r->form == UET_SES_RTR) {
		r->init_token = (u32)utest_rand();
		r->tgt_token = (u32)utest_rand();
	}
	if (r->form != UET_SES_DEFER)
		r->offset = utest_rand();
	if (r->form != UET_SES_RTR)
		r->match = utest_rand();
	if (r->som || r->form == UET_SES_RTR) {
		r->header_data = utest_rand();
	} else {
		r->payload_length = utest_rand() & UET_LEN14_MAX;
		r->message_offset = (u32)utest_rand();
	}
}

/* A request with random values in exactly the fields its form has. */
static void ses_rand(struct uet_ses_req *r)
{
	u8 forms;

	memset(r, 0, sizeof(*r));
	r->opcode = utest_rand() % (UET_OP_MSG_ERROR + 1);
	forms = uet_wire_op(r->opcode)->forms;
	do {
		r->form = utest_rand() % UET_SES_FORM_NR;
	} while (!(forms >> r->form & 1));
	r->som = r->form != UET_SES_STD_NOSOM;
	if (r->form == UET_SES_DEFER || r->form == UET_SES_RTR)
		r->som = utest_rand() & 1;
	if (uet_wire_op(r->opcode)->flags & UET_OPF_SINGLE &&
	    r->form == UET_SES_STD_NOSOM)
		r->form = UET_SES_STD, r->som = true;
	r->eom = utest_rand() & 1;
	if (uet_wire_op(r->opcode)->flags & UET_OPF_SINGLE ||
	    r->form == UET_SES_MEDIUM || r->form == UET_SES_SMALL)
		r->eom = true;
	r->dc = utest_rand() & 1;
	r->ie = utest_rand() & 1;
	r->rel = utest_rand() & 1;
	r->hd = utest_rand() & 1 && r->form != UET_SES_SMALL;
	r->ri_gen = (u8)utest_rand();
	r->job = utest_rand() & UET_JOB_MAX;
	r->pid = utest_rand() & UET_PID_MAX;
	r->ri = utest_rand() & UET_RI_MAX;
	if (r->form == UET_SES_MEDIUM || r->form == UET_SES_SMALL) {
		r->request_length = utest_rand() & UET_LEN14_MAX;
		if (r->hd)
			r->header_data = utest_rand();
		else
			r->offset = utest_rand();
		if (r->form == UET_SES_MEDIUM) {
			r->initiator = (u32)utest_rand();
			r->match = utest_rand();
		}
	} else {
		ses_rand_std(r);
	}
	ses_rand_ext(r);
}

TEST(ses_encode__decodes_to_the_same_request)
{
	struct uet_ses_req r, back;
	u8 buf[UET_SES_REQ_MAX_LEN];
	size_t n, used;
	int i;

	for (i = 0; i < 50000; i++) {
		ses_rand(&r);
		memset(buf, 0xff, sizeof(buf));
		n = uet_wire_ses_req_encode(&r, buf, sizeof(buf));
		ASSERT_TRUE(n > 0);
		ASSERT_EQ(ses_decode_exact(uet_wire_ses_req_nh(&r), buf, n,
					   &back, &used), UET_DROP_NONE);
		ASSERT_EQ(used, n);
		ASSERT_TRUE(!memcmp(&r, &back, sizeof(r)));
	}
}

TEST(ses_encode__needs_space)
{
	u8 buf[UET_SES_REQ_MAX_LEN], *tight;
	struct uet_ses_req r;
	size_t n, space;
	int i;

	for (i = 0; i < 200; i++) {
		ses_rand(&r);
		n = uet_wire_ses_req_encode(&r, buf, sizeof(buf));
		for (space = 0; space <= n; space++) {
			tight = malloc(space ? space : 1);
			ASSERT_EQ(uet_wire_ses_req_encode(&r, tight, space),
				  space == n ? n : 0);
			free(tight);
		}
	}
}

TEST(ses_encode__refuses_values_that_do_not_fit)
{
	const struct uet_ses_req std = {
		.form = UET_SES_STD, .opcode = UET_OP_SEND, .som = true,
	};
	const struct uet_ses_req nosom = {
		.form = UET_SES_STD_NOSOM, .opcode = UET_OP_SEND,
	};
	const struct uet_ses_req small = {
		.form = UET_SES_SMALL, .opcode = UET_OP_WRITE, .som = true,
		.eom = true,
	};
	const struct uet_ses_req rdv = {
		.form = UET_SES_STD, .opcode = UET_OP_RENDEZVOUS_SEND,
		.som = true, .ext = UET_EXT_RDV,
	};
	const struct uet_ses_req amo = {
		.form = UET_SES_STD, .opcode = UET_OP_ATOMIC, .som = true,
		.ext = UET_EXT_AMO,
	};
	u8 buf[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req r;

#define REFUSED(base, field, value) \
	(r = (base), r.field = (value), \
	 EXPECT_EQ(uet_wire_ses_req_encode(&r, buf, sizeof(buf)), 0))
	EXPECT_EQ(uet_wire_ses_req_encode(&std, buf, sizeof(buf)), 44);
	REFUSED(std, form, UET_SES_STD_NOSOM);
	REFUSED(std, form, UET_SES_DEFER);
	REFUSED(std, form, UET_SES_FORM_NR);
	REFUSED(std, opcode, UET_OP_DEFERRABLE_SEND);
	REFUSED(std, opcode, UET_OP_MSG_ERROR + 1);
	REFUSED(std, opcode, 64);
	REFUSED(std, version, 1);
	REFUSED(std, som, false);
	REFUSED(std, ext, UET_EXT_AMO);
	REFUSED(std, job, UET_JOB_MAX + 1);
	REFUSED(std, pid, UET_PID_MAX + 1);
	REFUSED(std, ri, UET_RI_MAX + 1);
	EXPECT_EQ(uet_wire_ses_req_encode(&nosom, buf, sizeof(buf)), 44);
	REFUSED(nosom, payload_length, UET_LEN14_MAX + 1);
	EXPECT_EQ(uet_wire_ses_req_encode(&small, buf, sizeof(buf)), 20);
	REFUSED(small, request_length, UET_LEN14_MAX + 1);
	REFUSED(small, hd, true);
	REFUSED(small, eom, false);
	REFUSED(small, opcode, UET_OP_SEND);
	EXPECT_EQ(uet_wire_ses_req_encode(&rdv, buf, sizeof(buf)), 68);
	REFUSED(rdv, ext, UET_EXT_NONE);
	REFUSED(rdv, x.rdv.pid, UET_PID_MAX + 1);
	REFUSED(rdv, x.rdv.ri, UET_RI_MAX + 1);
	REFUSED(rdv, x.rdv.eager_length, 1);
	EXPECT_EQ(uet_wire_ses_req_encode(&amo, buf, sizeof(buf)), 48);
	REFUSED(amo, ext, UET_EXT_NONE);
	REFUSED(amo, ext, UET_EXT_RDV);
	REFUSED(amo, ext, UET_EXT_CSWAP);
	REFUSED(amo, x.amo.opcode, UET_AMO_CSWAP);
	REFUSED(amo, x.amo.opcode, UET_AMO_NR);
#undef REFUSED
}

TEST(ses_encode__largest_values_fit)
{
	struct uet_ses_req r = {
		.form = UET_SES_STD, .opcode = UET_OP_RENDEZVOUS_SEND, .som = true,
		.ext = UET_EXT_RDV, .job = UET_JOB_MAX, .pid = UET_PID_MAX, .ri = UET_RI_MAX,
		.request_length = U32_MAX,
		.x.rdv = { .pid = UET_PID_MAX, .ri = UET_RI_MAX, .eager_length = U32_MAX },
	};
	u8 buf[UET_SES_REQ_MAX_LEN];

	EXPECT_EQ(uet_wire_ses_req_encode(&r, buf, sizeof(buf)), 68);
}

TEST(ses_decode__random_bytes_turn_stable)
{
	u8 in[UET_SES_REQ_MAX_LEN + 4], out[UET_SES_REQ_MAX_LEN];
	struct uet_ses_req a, b;
	unsigned int taken = 0;
	size_t n, used;
	int i;

	for (i = 0; i < 50000; i++) {
		u8 nh = 1 + utest_rand() % 3;

		n = utest_rand() % sizeof(in);
		utest_rand_fill(in, sizeof(in));
		in[0] &= 0x0f;
		in[1] &= 0x3f;
		if (ses_decode_exact(nh, in, n, &a, &used))
			continue;
		taken++;
		ASSERT_TRUE(used <= n);
		n = uet_wire_ses_req_encode(&a, out, sizeof(out));
		ASSERT_EQ(n, used);
		ASSERT_EQ(ses_decode_exact(nh, out, n, &b, &used),
			  UET_DROP_NONE);
		ASSERT_TRUE(!memcmp(&a, &b, sizeof(a)));
	}
	EXPECT_GT(taken, 1000);
}
