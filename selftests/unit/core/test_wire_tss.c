// SPDX-License-Identifier: GPL-2.0
/*
 * The security header with and without SSI, and the entropy header.
 * Spec: UE 1.0.1 3.7.11, Table 3-31.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

/* Decode a copy of @n bytes that ends where the heap block ends. */
static enum uet_drop tss_decode_exact(const u8 *p, size_t n,
				      struct uet_tss_hdr *tss, size_t *used)
{
	u8 *copy = malloc(n ? n : 1);
	enum uet_drop why;

	memcpy(copy, p, n);
	why = uet_wire_tss_decode(n ? copy : copy + 1, n, tss, used);
	free(copy);
	return why;
}

TEST(tss_decode__header_without_ssi_is_read)
{
	struct uet_tss_hdr t;
	size_t used = 0;
	u8 buf[12];

	utest_unhex("080000011dc074e500000023", buf, sizeof(buf));
	ASSERT_EQ(tss_decode_exact(buf, 12, &t, &used), UET_DROP_NONE);

	EXPECT_EQ(used, 12);
	EXPECT_FALSE(t.has_ssi);
	EXPECT_EQ(t.an, 0);
	EXPECT_EQ(t.sdi, 1);
	EXPECT_EQ(t.ssi, 0);
	EXPECT_EQ(t.epoch, 0x1dc0);
	EXPECT_EQ(t.tsc, 0x74e500000023ULL);
}

TEST(tss_decode__header_with_ssi_and_reserved_bit_is_read)
{
	struct uet_tss_hdr t;
	size_t used = 0;
	u8 buf[16];

	utest_unhex("0fabcdef800000021dc0f4e500000023", buf, sizeof(buf));
	ASSERT_EQ(tss_decode_exact(buf, 16, &t, &used), UET_DROP_NONE);

	EXPECT_EQ(used, 16);
	EXPECT_TRUE(t.has_ssi);
	EXPECT_EQ(t.an, 1);
	EXPECT_EQ(t.sdi, 0xabcdef);
	EXPECT_EQ(t.ssi, 0x80000002);
	EXPECT_EQ(t.epoch, 0x1dc0);
	EXPECT_EQ(t.tsc, 0xf4e500000023ULL);
}

TEST(tss_decode__every_truncation_is_named)
{
	u8 buf[16] = { 0x08 };
	struct uet_tss_hdr t;
	size_t n, used;

	for (n = 0; n < 12; n++)
		EXPECT_EQ(tss_decode_exact(buf, n, &t, &used),
			  UET_DROP_TRUNC_TSS);
	buf[0] = 0x0c;
	for (; n < 16; n++)
		EXPECT_EQ(tss_decode_exact(buf, n, &t, &used),
			  UET_DROP_TRUNC_TSS_SSI);
	EXPECT_EQ(tss_decode_exact(buf, n, &t, &used), UET_DROP_NONE);
}

TEST(tss_decode__other_types_are_not_tss)
{
	struct uet_tss_hdr t;
	u8 buf[16] = { 0 };
	size_t used;
	u8 type;

	for (type = 0; type < UET_TY_NR; type++) {
		buf[0] = type << 3;
		EXPECT_EQ(uet_wire_type(buf), type);
		EXPECT_EQ(tss_decode_exact(buf, sizeof(buf), &t, &used),
			  type == UET_TY_TSS ? UET_DROP_NONE :
					       UET_DROP_NOT_TSS);
	}
}

TEST(tss_encode__decodes_to_the_same_header)
{
	struct uet_tss_hdr t, back;
	u8 buf[UET_TSS_SSI_LEN];
	size_t n, used, space;
	int i;

	for (i = 0; i < 20000; i++) {
		memset(&t, 0, sizeof(t));
		t.has_ssi = utest_rand() & 1;
		t.an = utest_rand() & 1;
		t.sdi = utest_rand() & UET_SDI_MAX;
		t.ssi = t.has_ssi ? (u32)utest_rand() : 0;
		t.epoch = (u16)utest_rand();
		t.tsc = utest_rand() >> 16;
		memset(buf, 0xff, sizeof(buf));
		n = uet_wire_tss_encode(&t, buf, sizeof(buf));
		ASSERT_EQ(n, t.has_ssi ? 16 : 12);
		for (space = 0; space < n; space++)
			ASSERT_EQ(uet_wire_tss_encode(&t, buf, space), 0);
		ASSERT_EQ(tss_decode_exact(buf, n, &back, &used),
			  UET_DROP_NONE);
		ASSERT_EQ(used, n);
		ASSERT_TRUE(!memcmp(&t, &back, sizeof(t)));
	}
}

TEST(tss_encode__refuses_values_that_do_not_fit)
{
	struct uet_tss_hdr t = { .an = 2 };
	u8 buf[UET_TSS_SSI_LEN];

	EXPECT_EQ(uet_wire_tss_encode(&t, buf, sizeof(buf)), 0);
	t = (struct uet_tss_hdr) { .sdi = UET_SDI_MAX + 1 };
	EXPECT_EQ(uet_wire_tss_encode(&t, buf, sizeof(buf)), 0);
	t = (struct uet_tss_hdr) { .tsc = 1ULL << 48 };
	EXPECT_EQ(uet_wire_tss_encode(&t, buf, sizeof(buf)), 0);
}

TEST(entropy__decodes_to_the_same_value)
{
	u8 buf[UET_ENTROPY_LEN] = { 0x42, 0x43, 0xff, 0xff };
	size_t n, used = 0;
	u16 ev = 0;

	EXPECT_EQ(uet_wire_entropy_decode(buf, 4, &ev, &used), UET_DROP_NONE);
	EXPECT_EQ(used, 4);
	EXPECT_EQ(ev, 0x4243);

	EXPECT_EQ(uet_wire_entropy_encode(ev, buf, sizeof(buf)), 4);
	EXPECT_EQ(get_unaligned_be32(buf), 0x42430000);

	for (n = 0; n < 4; n++) {
		EXPECT_EQ(uet_wire_entropy_decode(buf, n, &ev, &used),
			  UET_DROP_TRUNC_ENTROPY);
		EXPECT_EQ(uet_wire_entropy_encode(ev, buf, n), 0);
	}
}
