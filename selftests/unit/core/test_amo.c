// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/ses/amo.c: which operations are executed on which types
 * and sizes, and what each makes of values of each kind.
 * Spec: UE 1.0.1 Tables 3-19, 3-21 and 3-22.
 * Level: test of core L5.
 */
#include "core/ses/amo.h"
#include "utest.h"

/* The form of the specification, and those of peers. */
static const struct uet_amo_form net, host = { .is_host = true },
	xor = { .is_xor = true };

static u8 prepare(u8 opcode, u8 datatype, bool is_fetching, u32 len)
{
	const struct uet_ses_amo amo = {
		.opcode = opcode, .datatype = datatype,
	};
	struct uet_amo_op op;

	return uet_amo_prepare(&op, &amo, net, is_fetching, len);
}

/* @opcode with one element. */
static u64 exec(u8 opcode, u8 datatype, u64 target, u64 operand)
{
	const struct uet_amo_op op = {
		.opcode = opcode, .datatype = datatype, .count = 1,
	};

	return uet_amo_exec(&op, target, operand);
}

static u64 swapped(u8 opcode, u8 datatype, u64 target, u64 compare)
{
	const struct uet_amo_op op = {
		.opcode = opcode, .datatype = datatype, .count = 1,
		.has_operand = true, .compare = compare, .swap = 77,
	};

	return uet_amo_exec(&op, target, 0);
}

static u64 of_double(double value)
{
	u64 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

TEST(amo_prepare__reserved_operations_are_refused)
{
	u32 opcode;

	for (opcode = 0; opcode <= U8_MAX; opcode++) {
		bool swaps = opcode >= UET_AMO_CSWAP && opcode <= UET_AMO_MSWAP;
		u8 want = opcode < UET_AMO_INVAL ? UET_RC_OK :
						   UET_RC_AMO_UNSUPPORTED_OP;

		EXPECT_EQ(prepare(opcode, UET_DT_UINT32, true, swaps ? 0 : 4),
			  want);
	}
	EXPECT_EQ(prepare(UET_AMO_READ, UET_DT_UINT32, false, 4),
		  UET_RC_AMO_UNSUPPORTED_OP);
	EXPECT_EQ(prepare(UET_AMO_READ, UET_DT_UINT32, true, 0), UET_RC_OK);
}

TEST(amo_prepare__reserved_types_are_refused)
{
	static const u8 sizes[UET_DT_NR] = {
		[UET_DT_INT8] = 1, [UET_DT_UINT8] = 1,
		[UET_DT_INT16] = 2, [UET_DT_UINT16] = 2,
		[UET_DT_INT32] = 4, [UET_DT_UINT32] = 4,
		[UET_DT_INT64] = 8, [UET_DT_UINT64] = 8,
		[UET_DT_FLOAT] = 4, [UET_DT_DOUBLE] = 8,
		[UET_DT_BF16] = 2, [UET_DT_FP16] = 2,
	};
	u32 type;

	for (type = 0; type <= U8_MAX; type++) {
		struct uet_ses_amo amo = {
			.opcode = UET_AMO_SUM, .datatype = type,
		};
		u8 size = type < UET_DT_NR ? sizes[type] : 0;
		struct uet_amo_op op = { 0 };

		EXPECT_EQ(uet_amo_prepare(&op, &amo, net, false, 48),
			  size ? UET_RC_OK : UET_RC_AMO_UNSUPPORTED_DT);
		EXPECT_EQ(op.size, size);
		EXPECT_EQ(op.count, size ? 48 / size : 0);
	}
}

TEST(amo_prepare__bitwise_operations_on_reals_are_refused)
{
	static const u8 bitwise[] = {
		UET_AMO_BOR, UET_AMO_BAND, UET_AMO_BXOR, UET_AMO_MSWAP,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bitwise); i++)
		EXPECT_EQ(prepare(bitwise[i], UET_DT_DOUBLE, false, 8),
			  UET_RC_AMO_UNSUPPORTED_OP);
}

TEST(amo_prepare__payload_is_a_multiple_of_the_type)
{
	EXPECT_EQ(prepare(UET_AMO_SUM, UET_DT_UINT32, false, 8), UET_RC_OK);
	EXPECT_EQ(prepare(UET_AMO_SUM, UET_DT_UINT32, false, 6),
		  UET_RC_AMO_UNSUPPORTED_SIZE);
	EXPECT_EQ(prepare(UET_AMO_SUM, UET_DT_UINT32, false, 0),
		  UET_RC_AMO_UNSUPPORTED_SIZE);
	EXPECT_EQ(prepare(UET_AMO_SUM, UET_DT_UINT32, true, 8),
		  UET_RC_AMO_UNSUPPORTED_SIZE);
	EXPECT_EQ(prepare(UET_AMO_CSWAP, UET_DT_UINT32, false, 4),
		  UET_RC_AMO_UNSUPPORTED_SIZE);
	EXPECT_EQ(prepare(UET_AMO_CSWAP, UET_DT_UINT32, false, 0), UET_RC_OK);
}

TEST(amo_prepare__operands_are_the_last_bytes)
{
	struct uet_ses_amo amo = {
		.opcode = UET_AMO_CSWAP, .datatype = UET_DT_UINT16,
	};
	struct uet_amo_op op;
	u8 i;

	for (i = 0; i < 16; i++) {
		amo.compare[i] = 0x10 + i;
		amo.swap[i] = 0x20 + i;
	}
	EXPECT_EQ(uet_amo_prepare(&op, &amo, net, true, 0), UET_RC_OK);
	EXPECT_TRUE(op.has_operand);
	EXPECT_EQ(op.compare, 0x1e1f);
	EXPECT_EQ(op.swap, 0x2e2f);
	amo.datatype = UET_DT_INT64;
	EXPECT_EQ(uet_amo_prepare(&op, &amo, net, true, 0), UET_RC_OK);
	EXPECT_EQ(op.compare, 0x18191a1b1c1d1e1f);
	EXPECT_EQ(op.swap, 0x28292a2b2c2d2e2f);
}

/* The 5 that a peer adds to a counter is 00 00 00 00 00 00 00 05 on the wire. */
TEST(amo_get__operands_are_big_endian)
{
	static const u8 five[8] = { [7] = 5 };
	static const u8 bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	EXPECT_EQ(uet_amo_get(five, 8, net), 5);
	EXPECT_EQ(exec(UET_AMO_SUM, UET_DT_UINT64, 100, uet_amo_get(five, 8, net)),
		  105);
	EXPECT_EQ(uet_amo_get(bytes, 1, net), 0x01);
	EXPECT_EQ(uet_amo_get(bytes, 2, net), 0x0102);
	EXPECT_EQ(uet_amo_get(bytes, 4, net), 0x01020304);
	EXPECT_EQ(uet_amo_get(bytes, 8, net), 0x0102030405060708);
}

TEST(amo_put__results_are_big_endian)
{
	static const u8 want[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	u8 buf[8];
	u8 size;

	for (size = 1; size <= 8; size *= 2) {
		memset(buf, 0xee, sizeof(buf));
		uet_amo_put(buf, 0x0102030405060708, size, net);
		EXPECT_MEMEQ(buf, want + 8 - size, size);
		EXPECT_EQ(buf[size % 8], size == 8 ? 1 : 0xee);
		EXPECT_EQ(uet_amo_get(buf, size, net),
			  0x0102030405060708 & U64_MAX >> (64 - 8 * size));
	}
}

/* What a process supplies in its byte order is sent in network order. */
TEST(amo_to_wire__each_operand_is_turned)
{
	static const u8 wire16[4] = { 0x12, 0x34, 0x56, 0x78 };
	static const u8 wire64[16] = { [7] = 5, [14] = 1 };
	u64 quads[2] = { 5, 256 };
	u16 words[2] = { 0x1234, 0x5678 };
	u32 longs[2] = { 7, 0x01020304 };
	double real = -1.5;
	u8 octet = 9;

	uet_amo_to_wire(words, sizeof(words), 2, net);
	EXPECT_MEMEQ(words, wire16, sizeof(wire16));
	uet_amo_to_wire(quads, sizeof(quads), 8, net);
	EXPECT_MEMEQ(quads, wire64, sizeof(wire64));
	uet_amo_to_wire(longs, sizeof(longs), 4, net);
	EXPECT_EQ(uet_amo_get((u8 *)&longs[1], 4, net), 0x01020304);
	uet_amo_to_wire(&octet, 1, 1, net);
	EXPECT_EQ(octet, 9);
	uet_amo_to_wire(&real, sizeof(real), 8, net);
	EXPECT_EQ(uet_amo_get((u8 *)&real, 8, net), of_double(-1.5));
	uet_amo_to_wire(NULL, 0, 8, net);
}

TEST(amo_host__operands_and_results_stay_as_they_are)
{
	u64 quad = 0x0102030405060708;
	u8 buf[8];
	u8 size;

	for (size = 1; size <= 8; size *= 2) {
		memset(buf, 0xee, sizeof(buf));
		uet_amo_put(buf, quad, size, host);
		EXPECT_EQ(uet_amo_get(buf, size, host),
			  quad & U64_MAX >> (64 - 8 * size));
		EXPECT_EQ(buf[size % 8], size == 8 ? buf[0] : 0xee);
	}
	EXPECT_MEMEQ(buf, &quad, sizeof(quad));
	uet_amo_to_wire(buf, sizeof(buf), 8, host);
	EXPECT_MEMEQ(buf, &quad, sizeof(quad));
}

/*
 * fi_atomic(3): FI_MSWAP stores (operand & mask) | (memory & ~mask).  Both readings of the
 * operation do so, if their sender writes its form.
 */
TEST(amo_mswap__both_readings_store_the_bits_of_the_mask)
{
	static const u8 types[] = { UET_DT_UINT8, UET_DT_INT16, UET_DT_UINT32,
				    UET_DT_INT64 };
	const u64 mask = 0xf0f00ff0aa5533ccULL, operand = 0x123456789abcdef0ULL;
	const u64 memory = 0xfedcba9876543210ULL;
	struct uet_amo_form form = xor;
	struct uet_amo_op op;
	size_t i;
	u64 bits;

	for (i = 0; i < 2 * ARRAY_SIZE(types); i++) {
		struct uet_ses_amo amo = {
			.opcode = UET_AMO_MSWAP, .datatype = types[i / 2],
		};

		form.is_xor = i % 2;
		put_unaligned_be64(mask, &amo.compare[8]);
		put_unaligned_be64(operand, &amo.swap[8]);
		EXPECT_EQ(uet_amo_prepare(&op, &amo, form, false, 0), UET_RC_OK);
		bits = U64_MAX >> (64 - 8 * op.size);
		uet_amo_set_mask(&amo, &op);
		EXPECT_EQ(uet_amo_prepare(&op, &amo, form, false, 0), UET_RC_OK);
		EXPECT_EQ(uet_amo_exec(&op, memory & bits, 0),
			  ((operand & mask) | (memory & ~mask)) & bits);
	}
}

TEST(amo_mswap__xor_toggles_the_bits_that_the_mask_keeps)
{
	struct uet_ses_amo amo = {
		.opcode = UET_AMO_MSWAP, .datatype = UET_DT_UINT8,
		.compare = { [15] = 0xf0 }, .swap = { [15] = 0x33 },
	};
	struct uet_amo_op op;

	EXPECT_EQ(uet_amo_prepare(&op, &amo, xor, false, 0), UET_RC_OK);
	EXPECT_EQ(uet_amo_exec(&op, 0xac, 0), 0xa0 ^ 0x33);
}

TEST(amo_exec__integers_wrap_and_compare_by_sign)
{
	EXPECT_EQ(exec(UET_AMO_MIN, UET_DT_INT8, 0xff, 1), 0xff);
	EXPECT_EQ(exec(UET_AMO_MIN, UET_DT_UINT8, 0xff, 1), 1);
	EXPECT_EQ(exec(UET_AMO_MAX, UET_DT_INT64, U64_MAX, 1), 1);
	EXPECT_EQ(exec(UET_AMO_MAX, UET_DT_UINT64, U64_MAX, 1), U64_MAX);
	EXPECT_EQ(exec(UET_AMO_SUM, UET_DT_UINT8, 0xff, 2), 1);
	EXPECT_EQ(exec(UET_AMO_SUM, UET_DT_UINT64, U64_MAX, 2), 1);
	EXPECT_EQ(exec(UET_AMO_DIFF, UET_DT_UINT16, 1, 2), 0xffff);
	EXPECT_EQ(exec(UET_AMO_PROD, UET_DT_INT32, 0xffffffff, 3), 0xfffffffd);
	EXPECT_EQ(exec(UET_AMO_BOR, UET_DT_UINT32, 0xf0, 0x1f), 0xff);
	EXPECT_EQ(exec(UET_AMO_BAND, UET_DT_UINT32, 0xf0, 0x1f), 0x10);
	EXPECT_EQ(exec(UET_AMO_BXOR, UET_DT_UINT32, 0xf0, 0x1f), 0xef);
	EXPECT_EQ(exec(UET_AMO_READ, UET_DT_UINT32, 5, 6), 5);
	EXPECT_EQ(exec(UET_AMO_WRITE, UET_DT_UINT32, 5, 6), 6);
}

TEST(amo_exec__logic_returns_one_or_zero)
{
	static const struct { u8 opcode; u8 want[4]; } rows[] = {
		{ UET_AMO_LOR, { 0, 1, 1, 1 } },
		{ UET_AMO_LAND, { 0, 0, 0, 1 } },
		{ UET_AMO_LXOR, { 0, 1, 1, 0 } },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < 4; j++) {
			u64 x = j & 2 ? 6 : 0, y = j & 1 ? 9 : 0;
			double want = rows[i].want[j];

			EXPECT_EQ(exec(rows[i].opcode, UET_DT_INT16, x, y),
				  rows[i].want[j]);
			EXPECT_EQ(exec(rows[i].opcode, UET_DT_DOUBLE,
				       of_double(x), of_double(y)),
				  of_double(want));
		}
	}
}

TEST(amo_exec__reals_follow_ieee_754)
{
	const u64 nan = 0x7ff8000000000000, minus_zero = 1ULL << 63;
	const u64 a = of_double(-1.5), b = of_double(2.25);

	EXPECT_EQ(exec(UET_AMO_MIN, UET_DT_DOUBLE, a, b), a);
	EXPECT_EQ(exec(UET_AMO_MAX, UET_DT_DOUBLE, a, b), b);
	EXPECT_EQ(exec(UET_AMO_SUM, UET_DT_DOUBLE, a, b), of_double(0.75));
	EXPECT_EQ(exec(UET_AMO_DIFF, UET_DT_DOUBLE, a, b), of_double(-3.75));
	EXPECT_EQ(exec(UET_AMO_PROD, UET_DT_DOUBLE, a, b), of_double(-3.375));
	EXPECT_EQ(exec(UET_AMO_MIN, UET_DT_DOUBLE, a, nan), a);
	EXPECT_EQ(exec(UET_AMO_MAX, UET_DT_DOUBLE, nan, a), nan);
	EXPECT_EQ(exec(UET_AMO_LOR, UET_DT_DOUBLE, minus_zero, 0), 0);
	EXPECT_EQ(exec(UET_AMO_SUM, UET_DT_FLOAT, 0x3f800000, 0x40000000),
		  0x40400000);
	EXPECT_EQ(exec(UET_AMO_PROD, UET_DT_FP16, 0x4000, 0x4200), 0x4600);
	EXPECT_EQ(exec(UET_AMO_DIFF, UET_DT_BF16, 0x4040, 0x3f80), 0x4000);
}

TEST(amo_exec__swap_condition_compares_stored_value)
{
	/* Is it swapped when what is compared is less, equal, greater? */
	static const struct { u8 opcode; bool want[3]; } rows[] = {
		{ UET_AMO_CSWAP, { false, true, false } },
		{ UET_AMO_CSWAP_NE, { true, false, true } },
		{ UET_AMO_CSWAP_LE, { true, true, false } },
		{ UET_AMO_CSWAP_LT, { true, false, false } },
		{ UET_AMO_CSWAP_GE, { false, true, true } },
		{ UET_AMO_CSWAP_GT, { false, false, true } },
	};
	const u64 nan = 0x7fc00000, one = 0x3f800000, minus_one = 0xbf800000;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < 3; j++) {
			bool want = rows[i].want[j];

			EXPECT_EQ(swapped(rows[i].opcode, UET_DT_INT8, 0xff,
					  (0xfe + j) & 0xff), want ? 77 : 0xff);
			EXPECT_EQ(swapped(rows[i].opcode, UET_DT_UINT64, 50,
					  49 + j), want ? 77 : 50);
		}
		/* -1 is less than 1, whatever their bits look like. */
		EXPECT_EQ(swapped(rows[i].opcode, UET_DT_FLOAT, one, minus_one),
			  rows[i].want[0] ? 77 : one);
		EXPECT_EQ(swapped(rows[i].opcode, UET_DT_FLOAT, one, nan),
			  rows[i].opcode == UET_AMO_CSWAP_NE ? 77 : one);
	}
	EXPECT_EQ(swapped(UET_AMO_MSWAP, UET_DT_UINT8, 0xff, 0x0f), 0xfd);
}

TEST(amo_prepare__unknown_operation_is_told_before_an_unknown_type)
{
	struct uet_ses_amo amo = { .datatype = UET_DT_NR };
	struct uet_amo_op op;
	u32 i, unknown = 0;

	for (i = 0; i < 256; i++) {
		amo.opcode = (u8)i;
		unknown += uet_amo_prepare(&op, &amo, net, true, 8) ==
			   UET_RC_AMO_UNSUPPORTED_OP;
	}
	/* Twenty are known. */
	EXPECT_EQ(unknown, 256 - 20);
}
