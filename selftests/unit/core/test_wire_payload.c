// SPDX-License-Identifier: GPL-2.0
/*
 * The length of the data behind a SES header: uet_wire_ses_payload() against
 * packets that tell the truth and against each way to contradict themselves.
 * One test, one rule; the struct is filled by hand as a decoder would.
 * Spec: UE 1.0.1 3.4.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

#define UNTOUCHED	((size_t)12345)

/* A SEND of @total bytes in one packet. */
static struct uet_ses_req payload_single(u32 total)
{
	return (struct uet_ses_req) {
		.form = UET_SES_STD, .opcode = UET_OP_SEND, .som = true,
		.eom = true, .request_length = total,
	};
}

/* The packet of a SEND of @total bytes that carries @n from @offset on. */
static struct uet_ses_req payload_segment(u32 total, u32 offset, u16 n)
{
	return (struct uet_ses_req) {
		.form = UET_SES_STD_NOSOM, .opcode = UET_OP_SEND,
		.eom = (u64)offset + n == total, .message_offset = offset,
		.payload_length = n, .request_length = total,
	};
}

static void payload_takes(const struct uet_ses_req *r, size_t remaining,
			  size_t want)
{
	size_t len = UNTOUCHED;

	EXPECT_EQ(uet_wire_ses_payload(r, remaining, &len), UET_DROP_NONE);
	EXPECT_EQ(len, want);
}

static void payload_refuses(const struct uet_ses_req *r, size_t remaining,
			    enum uet_drop want)
{
	size_t len = UNTOUCHED;

	EXPECT_EQ(uet_wire_ses_payload(r, remaining, &len), want);
	EXPECT_EQ(len, UNTOUCHED);
}

/* Their 14 bits of length are the whole message: the packet holds all of it. */
TEST(payload__short_forms_are_whole_messages)
{
	static const u8 forms[] = { UET_SES_MEDIUM, UET_SES_SMALL };
	struct uet_ses_req r = payload_single(100);
	u32 i;

	r.opcode = UET_OP_WRITE;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		r.form = forms[i];
		r.request_length = 100;
		payload_takes(&r, 100, 100);
		payload_refuses(&r, 99, UET_DROP_SES_EOM_EARLY);
		payload_refuses(&r, 101, UET_DROP_SES_DATA_BEYOND);
		payload_refuses(&r, 0, UET_DROP_SES_EOM_EARLY);
		r.request_length = UET_LEN14_MAX;
		payload_refuses(&r, UET_LEN14_MAX, UET_DROP_SES_DATA_OVERSIZED);
		r.request_length = 0;
		payload_takes(&r, 0, 0);
	}
	/* A READ has nothing behind it, whatever it asks for. */
	r.opcode = UET_OP_READ;
	r.request_length = UET_LEN14_MAX;
	payload_takes(&r, 0, 0);
	payload_refuses(&r, 1, UET_DROP_SES_DATA_UNEXPECTED);
}

TEST(payload__first_packet_holds_the_remaining_bytes)
{
	struct uet_ses_req r = payload_single(8);

	payload_takes(&r, 8, 8);
	r.eom = false;
	r.request_length = 100000;
	payload_takes(&r, 4096, 4096);
	r = payload_single(0);
	payload_takes(&r, 0, 0);
}

TEST(payload__later_packet_holds_the_stated_bytes)
{
	struct uet_ses_req r = payload_segment(10000, 4096, 4096);

	payload_takes(&r, 4096, 4096);
	payload_refuses(&r, 4095, UET_DROP_SES_DATA_MISMATCH);
	payload_refuses(&r, 4097, UET_DROP_SES_DATA_MISMATCH);
	r = payload_segment(10000, 8192, 1808);
	payload_takes(&r, 1808, 1808);
}

TEST(payload__largest_message_does_not_overflow)
{
	struct uet_ses_req r = payload_segment(U32_MAX, U32_MAX - 8191, 8191);

	payload_takes(&r, 8191, 8191);
	r = payload_segment(U32_MAX, U32_MAX - 8191, 8192);
	payload_refuses(&r, 8192, UET_DROP_SES_DATA_BEYOND);
	r = payload_segment(U32_MAX, U32_MAX, 1);
	payload_refuses(&r, 1, UET_DROP_SES_DATA_BEYOND);
}

TEST(payload__bytes_beyond_the_message_are_refused)
{
	struct uet_ses_req r = payload_single(8);

	payload_refuses(&r, 9, UET_DROP_SES_DATA_BEYOND);
	r = payload_segment(5000, 4096, 905);
	payload_refuses(&r, 905, UET_DROP_SES_DATA_BEYOND);
	r = payload_segment(5000, 6000, 0);
	payload_refuses(&r, 0, UET_DROP_SES_DATA_BEYOND);
}

TEST(payload__early_eom_is_refused)
{
	struct uet_ses_req r = payload_single(8);

	payload_refuses(&r, 7, UET_DROP_SES_EOM_EARLY);
	r = payload_segment(10000, 4096, 4096);
	r.eom = true;
	payload_refuses(&r, 4096, UET_DROP_SES_EOM_EARLY);
}

TEST(payload__last_bytes_need_no_eom)
{
	struct uet_ses_req r = payload_segment(5000, 4096, 904);

	r.eom = false;
	payload_takes(&r, 904, 904);
}

TEST(payload__som_and_offset_exclude_each_other)
{
	struct uet_ses_req r = payload_single(8);

	r.message_offset = 4;
	payload_refuses(&r, 4, UET_DROP_SES_SOM_OFFSET);
	r = payload_segment(8192, 0, 4096);
	payload_refuses(&r, 4096, UET_DROP_SES_NOSOM_ZERO);
}

TEST(payload__more_than_the_largest_mtu_is_refused)
{
	struct uet_ses_req r = payload_single(100000);

	r.eom = false;
	payload_takes(&r, 8192, 8192);
	payload_refuses(&r, 8193, UET_DROP_SES_DATA_OVERSIZED);
	payload_refuses(&r, SIZE_MAX, UET_DROP_SES_DATA_OVERSIZED);
}

TEST(payload__short_forms_hold_the_whole_message)
{
	struct uet_ses_req r = payload_single(1000);

	r.form = UET_SES_MEDIUM;
	payload_takes(&r, 1000, 1000);
	payload_refuses(&r, 999, UET_DROP_SES_EOM_EARLY);
	payload_refuses(&r, 1001, UET_DROP_SES_DATA_BEYOND);
	r.form = UET_SES_SMALL;
	r.opcode = UET_OP_WRITE;
	payload_takes(&r, 1000, 1000);
}

TEST(payload__read_asks_and_carries_nothing)
{
	struct uet_ses_req r = payload_single(100000);

	r.opcode = UET_OP_READ;
	payload_takes(&r, 0, 0);
	payload_refuses(&r, 1, UET_DROP_SES_DATA_UNEXPECTED);
	r = payload_segment(10000, 4096, 4096);
	r.opcode = UET_OP_READ;
	payload_takes(&r, 0, 0);
	payload_refuses(&r, 4096, UET_DROP_SES_DATA_UNEXPECTED);
	r.message_offset = 8192;
	payload_refuses(&r, 0, UET_DROP_SES_DATA_BEYOND);
	r = payload_segment(10000, 4096, UET_LEN14_MAX);
	r.opcode = UET_OP_READ;
	payload_refuses(&r, 0, UET_DROP_SES_DATA_OVERSIZED);
}

TEST(payload__rtr_and_noop_carry_nothing)
{
	struct uet_ses_req r = {
		.form = UET_SES_RTR, .opcode = UET_OP_DEFERRABLE_RTR,
		.eom = true, .request_length = 1 << 20,
	};

	payload_takes(&r, 0, 0);
	payload_refuses(&r, 1, UET_DROP_SES_DATA_UNEXPECTED);
	r = payload_single(0);
	r.opcode = UET_OP_NO_OP;
	payload_takes(&r, 0, 0);
	payload_refuses(&r, 4, UET_DROP_SES_DATA_UNEXPECTED);
}

TEST(payload__deferrable_may_stop_with_an_empty_eom)
{
	struct uet_ses_req r = payload_segment(10000, 4096, 0);

	r.form = UET_SES_DEFER;
	r.opcode = UET_OP_DEFERRABLE_SEND;
	r.eom = true;
	payload_takes(&r, 0, 0);
	payload_refuses(&r, 1, UET_DROP_SES_DATA_MISMATCH);
	r.opcode = UET_OP_SEND;
	r.form = UET_SES_STD_NOSOM;
	payload_refuses(&r, 0, UET_DROP_SES_EOM_EARLY);
}

TEST(payload__msg_error_reports_the_valid_bytes)
{
	struct uet_ses_req r = payload_segment(10000, 4096, 0);

	r.opcode = UET_OP_MSG_ERROR;
	r.eom = true;
	payload_takes(&r, 0, 0);
	r.message_offset = 0;
	payload_takes(&r, 0, 0);
	r.message_offset = 10001;
	payload_refuses(&r, 0, UET_DROP_SES_DATA_BEYOND);
}

TEST(payload__rendezvous_ends_at_the_eager_part)
{
	struct uet_ses_req r = payload_single(1 << 20);

	r.opcode = UET_OP_RENDEZVOUS_SEND;
	r.ext = UET_EXT_RDV;
	r.x.rdv.eager_length = 1000;
	payload_takes(&r, 1000, 1000);
	payload_refuses(&r, 1001, UET_DROP_SES_DATA_BEYOND);
	payload_refuses(&r, 999, UET_DROP_SES_EOM_EARLY);
}

TEST(payload__atomics_carry_their_operand)
{
	struct uet_ses_req r = payload_single(8);

	r.opcode = UET_OP_ATOMIC;
	r.ext = UET_EXT_AMO;
	payload_takes(&r, 8, 8);
	payload_refuses(&r, 9, UET_DROP_SES_DATA_BEYOND);
	r.x.amo.opcode = UET_AMO_READ;
	payload_takes(&r, 0, 0);
	r.ext = UET_EXT_CSWAP;
	r.x.amo.opcode = UET_AMO_CSWAP;
	payload_takes(&r, 0, 0);
	payload_refuses(&r, 8, UET_DROP_SES_DATA_UNEXPECTED);
}

TEST(rsp_payload__holds_the_stated_bytes)
{
	struct uet_ses_rsp r = {
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		.payload_length = 4096,
	};
	size_t len = UNTOUCHED;

	EXPECT_EQ(uet_wire_ses_rsp_payload(&r, 4095, &len),
		  UET_DROP_SES_RSP_MISMATCH);
	EXPECT_EQ(uet_wire_ses_rsp_payload(&r, 4097, &len),
		  UET_DROP_SES_RSP_MISMATCH);
	r.message_offset = U32_MAX - 4095;
	EXPECT_EQ(uet_wire_ses_rsp_payload(&r, 4096, &len),
		  UET_DROP_SES_RSP_BEYOND);
	EXPECT_EQ(len, UNTOUCHED);

	r.message_offset = U32_MAX - 4096;
	EXPECT_EQ(uet_wire_ses_rsp_payload(&r, 4096, &len), UET_DROP_NONE);
	EXPECT_EQ(len, 4096);
	r.form = UET_RSP_FORM_SMALL;
	r.payload_length = 8193;
	EXPECT_EQ(uet_wire_ses_rsp_payload(&r, 8193, &len),
		  UET_DROP_SES_RSP_OVERSIZED);
}

TEST(rsp_payload__plain_ignores_padding)
{
	struct uet_ses_rsp r = { .form = UET_RSP_FORM_PLAIN };
	size_t len = UNTOUCHED;

	EXPECT_EQ(uet_wire_ses_rsp_payload(&r, 4, &len), UET_DROP_NONE);
	EXPECT_EQ(len, 0);
}
