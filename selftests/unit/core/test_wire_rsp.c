// SPDX-License-Identifier: GPL-2.0
/*
 * SES responses in their three forms: fields read, opcodes refused, and the
 * round trip of every value the form can hold.
 * Spec: UE 1.0.1 Tables 3-11 to 3-13.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

/* Decode a copy of @n bytes that ends where the heap block ends. */
static enum uet_drop rsp_decode_exact(u8 nh, const u8 *p, size_t n,
				      struct uet_ses_rsp *rsp, size_t *used)
{
	u8 *copy = malloc(n ? n : 1);
	enum uet_drop why;

	memcpy(copy, p, n);
	why = uet_wire_ses_rsp_decode(nh, n ? copy : copy + 1, n, rsp, used);
	free(copy);
	return why;
}

static enum uet_drop rsp_decode_hex(u8 nh, const char *hex,
				    struct uet_ses_rsp *rsp)
{
	u8 buf[UET_SES_RSP_MAX_LEN];
	size_t n = utest_unhex(hex, buf, sizeof(buf)), used = 0;
	enum uet_drop why = rsp_decode_exact(nh, buf, n, rsp, &used);

	if (!why)
		EXPECT_EQ(used, n);
	return why;
}

TEST(rsp_decode__plain_fields_are_read)
{
	struct uet_ses_rsp r;

	ASSERT_EQ(rsp_decode_hex(UET_NH_RSP, "c10912349965432109abcdef", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_RSP_FORM_PLAIN);
	EXPECT_EQ(r.list, 3);
	EXPECT_EQ(r.opcode, UET_RSP_RESPONSE);
	EXPECT_EQ(r.version, 0);
	EXPECT_EQ(r.rc, UET_RC_AT_PERM);
	EXPECT_EQ(r.msg_id, 0x1234);
	EXPECT_EQ(r.ri_gen, 0x99);
	EXPECT_EQ(r.job, 0x654321);
	EXPECT_EQ(r.modified_length, 0x09abcdef);
}

TEST(rsp_decode__response_with_data_is_read)
{
	struct uet_ses_rsp r;

	ASSERT_EQ(rsp_decode_hex(UET_NH_RSP_DATA, "c2091234ff6543215678"
				 "c3218765432109abcdef", &r), UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_RSP_FORM_DATA);
	EXPECT_EQ(r.opcode, UET_RSP_W_DATA);
	EXPECT_EQ(r.msg_id, 0x1234);
	EXPECT_EQ(r.ri_gen, 0);
	EXPECT_EQ(r.job, 0x654321);
	EXPECT_EQ(r.read_msg_id, 0x5678);
	EXPECT_EQ(r.payload_length, 0x321);
	EXPECT_EQ(r.modified_length, 0x87654321);
	EXPECT_EQ(r.message_offset, 0x09abcdef);
}

TEST(rsp_decode__small_response_with_data_is_read)
{
	struct uet_ses_rsp r;

	ASSERT_EQ(rsp_decode_hex(UET_NH_RSP_DATA_SMALL,
				 "c209f456ff03687000001234", &r),
		  UET_DROP_NONE);

	EXPECT_EQ(r.form, UET_RSP_FORM_SMALL);
	EXPECT_EQ(r.payload_length, 0x3456);
	EXPECT_EQ(r.job, 0x036870);
	EXPECT_EQ(r.orig_psn, 0x1234);
	EXPECT_EQ(r.msg_id, 0);
}

TEST(rsp_decode__opcode_must_fit_the_form)
{
	u8 buf[UET_SES_RSP_MAX_LEN] = { 0 }, nh, op;
	struct uet_ses_rsp r;
	size_t used;

	for (nh = UET_NH_RSP; nh <= UET_NH_RSP_DATA_SMALL; nh++) {
		for (op = 0; op <= UET_RSP_MAX; op++) {
			bool has_data = nh != UET_NH_RSP;
			bool legal = op <= UET_RSP_NO_RESPONSE &&
				     has_data == (op == UET_RSP_W_DATA);

			buf[0] = op;
			EXPECT_EQ(rsp_decode_exact(nh, buf, sizeof(buf), &r,
						   &used),
				  legal ? UET_DROP_NONE :
					  UET_DROP_SES_RSP_OPCODE);
		}
	}
}

TEST(rsp_decode__unknown_version_is_refused)
{
	struct uet_ses_rsp r;

	EXPECT_EQ(rsp_decode_hex(UET_NH_RSP, "014112349965432109abcdef", &r),
		  UET_DROP_SES_RSP_VERSION);
}

TEST(rsp_decode__every_truncation_is_named)
{
	static const struct {
		u8 nh, full, opcode;
		enum uet_drop why;
	} tab[] = {
		{ UET_NH_RSP, 12, UET_RSP_DEFAULT, UET_DROP_TRUNC_SES_RSP },
		{ UET_NH_RSP_DATA, 20, UET_RSP_W_DATA,
		  UET_DROP_TRUNC_SES_RSP_DATA },
		{ UET_NH_RSP_DATA_SMALL, 12, UET_RSP_W_DATA,
		  UET_DROP_TRUNC_SES_RSP_SMALL },
	};
	u8 buf[UET_SES_RSP_MAX_LEN] = { 0 };
	struct uet_ses_rsp r;
	size_t i, n, used;

	for (i = 0; i < ARRAY_SIZE(tab); i++) {
		buf[0] = tab[i].opcode;
		for (n = 0; n < tab[i].full; n++)
			EXPECT_EQ(rsp_decode_exact(tab[i].nh, buf, n, &r,
						   &used), tab[i].why);
		EXPECT_EQ(rsp_decode_exact(tab[i].nh, buf, n, &r, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(used, tab[i].full);
	}
}

TEST(rsp_decode__needs_a_response_next_hdr)
{
	u8 buf[UET_SES_RSP_MAX_LEN] = { 0 };
	struct uet_ses_rsp r;
	size_t used;
	int nh;

	for (nh = 0; nh < 256; nh++) {
		enum uet_drop why;

		buf[0] = nh == UET_NH_RSP ? UET_RSP_DEFAULT : UET_RSP_W_DATA;
		why = rsp_decode_exact((u8)nh, buf, sizeof(buf), &r, &used);
		EXPECT_EQ(why, nh >= UET_NH_RSP && nh <= UET_NH_RSP_DATA_SMALL ?
				UET_DROP_NONE : UET_DROP_SES_NOT_RESPONSE);
	}
}

/* A response with random values in exactly the fields its form has. */
static void rsp_rand(struct uet_ses_rsp *r)
{
	static const u8 plain[] = { UET_RSP_DEFAULT, UET_RSP_RESPONSE,
				    UET_RSP_NO_RESPONSE };

	memset(r, 0, sizeof(*r));
	r->form = utest_rand() % UET_RSP_FORM_NR;
	r->list = utest_rand() & 3;
	r->opcode = UET_RSP_W_DATA;
	r->rc = utest_rand() & 63;
	r->job = utest_rand() & UET_JOB_MAX;
	if (r->form == UET_RSP_FORM_PLAIN) {
		r->opcode = plain[utest_rand() % 3];
		r->msg_id = (u16)utest_rand();
		r->ri_gen = (u8)utest_rand();
		r->modified_length = (u32)utest_rand();
		return;
	}
	r->payload_length = utest_rand() & UET_LEN14_MAX;
	if (r->form == UET_RSP_FORM_DATA) {
		r->msg_id = (u16)utest_rand();
		r->read_msg_id = (u16)utest_rand();
		r->modified_length = (u32)utest_rand();
		r->message_offset = (u32)utest_rand();
	} else {
		r->orig_psn = (u32)utest_rand();
	}
}

TEST(rsp_encode__decodes_to_the_same_response)
{
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp r, back;
	size_t n, used, space;
	int i;

	for (i = 0; i < 20000; i++) {
		rsp_rand(&r);
		memset(buf, 0xff, sizeof(buf));
		n = uet_wire_ses_rsp_encode(&r, buf, sizeof(buf));
		ASSERT_TRUE(n > 0);
		for (space = 0; space < n; space++)
			ASSERT_EQ(uet_wire_ses_rsp_encode(&r, buf, space), 0);
		ASSERT_EQ(rsp_decode_exact(uet_wire_ses_rsp_nh(&r), buf, n,
					   &back, &used), UET_DROP_NONE);
		ASSERT_EQ(used, n);
		ASSERT_TRUE(!memcmp(&r, &back, sizeof(r)));
	}
}

TEST(rsp_encode__refuses_values_that_do_not_fit)
{
	const struct uet_ses_rsp plain = { .form = UET_RSP_FORM_PLAIN };
	const struct uet_ses_rsp data = {
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
	};
	u8 buf[UET_SES_RSP_MAX_LEN];
	struct uet_ses_rsp r;

#define REFUSED(base, field, value) \
	(r = (base), r.field = (value), \
	 EXPECT_EQ(uet_wire_ses_rsp_encode(&r, buf, sizeof(buf)), 0))
	EXPECT_EQ(uet_wire_ses_rsp_encode(&plain, buf, sizeof(buf)), 12);
	REFUSED(plain, form, UET_RSP_FORM_NR);
	REFUSED(plain, list, 4);
	REFUSED(plain, opcode, UET_RSP_W_DATA);
	REFUSED(plain, opcode, 4);
	REFUSED(plain, version, 1);
	REFUSED(plain, rc, 0x40);
	REFUSED(plain, job, UET_JOB_MAX + 1);
	EXPECT_EQ(uet_wire_ses_rsp_encode(&data, buf, sizeof(buf)), 20);
	REFUSED(data, opcode, UET_RSP_RESPONSE);
	REFUSED(data, payload_length, UET_LEN14_MAX + 1);
	REFUSED(data, form, UET_RSP_FORM_PLAIN);
#undef REFUSED
}
