// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/ses/ieee.c: every pair of small numbers, random and
 * awkward ones of the wider formats, against the processor's own arithmetic.
 * The narrow formats are computed exactly in double and rounded once.
 * Level: test of core L1.
 */
#include <math.h>

#include "core/ses/ieee.h"
#include "utest.h"

#define ROUNDS	200000

static double to_double(u64 bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static u64 of_double(double value)
{
	u64 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float to_float(u64 bits)
{
	u32 low = (u32)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

static u64 of_float(float value)
{
	u32 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A number of a narrow format, exactly. */
static double widen(const struct uet_ieee *f, u64 a)
{
	int bias = (1 << (f->exp_bits - 1)) - 1, top = (1 << f->exp_bits) - 1;
	int exp = (a >> f->frac_bits) & top;
	u64 frac = a & ((1ULL << f->frac_bits) - 1);
	double value;

	if (exp == top)
		value = frac ? NAN : INFINITY;
	else
		value = ldexp(frac + (exp ? 1ULL << f->frac_bits : 0),
			      (exp ?: 1) - bias - f->frac_bits);
	return a >> (f->exp_bits + f->frac_bits) & 1 ? -value : value;
}

/* The number of a narrow format that is nearest to @value, ties to even. */
static u64 narrow(const struct uet_ieee *f, double value)
{
	u64 low = 0, inf = ((1ULL << f->exp_bits) - 1) << f->frac_bits;
	u64 sign = signbit(value) ? 1ULL << (f->exp_bits + f->frac_bits) : 0;
	double x = fabs(value), a, b;
	u64 high = inf, mid;

	if (isnan(value))
		return inf | 1ULL << (f->frac_bits - 1);
	/* The largest pattern of a number that is not above x. */
	while (high - low > 1) {
		mid = (low + high) / 2;
		if (widen(f, mid) <= x)
			low = mid;
		else
			high = mid;
	}
	if (isinf(x))
		return sign | inf;
	a = widen(f, low);
	/* The next number behind the largest one, were there no infinity. */
	b = high == inf ? 2 * widen(f, inf - 1) - widen(f, inf - 2) :
			  widen(f, high);
	if (x - a > b - x || (x - a == b - x && low & 1))
		return sign | high;
	return sign | low;
}

static bool is_nan(const struct uet_ieee *f, u64 a)
{
	u64 inf = ((1ULL << f->exp_bits) - 1) << f->frac_bits;

	return (a & ((1ULL << (f->exp_bits + f->frac_bits)) - 1)) > inf;
}

/* The same number; of NaNs nothing is said here. */
static bool same(const struct uet_ieee *f, u64 got, u64 want)
{
	return got == want || (is_nan(f, got) && is_nan(f, want));
}

static enum uet_ieee_order order(double a, double b)
{
	if (a < b)
		return UET_IEEE_LESS;
	if (a > b)
		return UET_IEEE_GREATER;
	return a == b ? UET_IEEE_EQUAL : UET_IEEE_UNORDERED;
}

/* A number of up to @bits bits: likely a special one, or near one. */
static u64 awkward(const struct uet_ieee *f)
{
	u64 all = U64_MAX >> (63 - f->exp_bits - f->frac_bits);
	u64 r = utest_rand(), near = utest_rand() % 5 - 2;
	u64 exp = (r >> 8) % (1ULL << f->exp_bits);

	switch (r % 8) {
	case 0:
		return near & all;
	case 1:
		return ((exp << f->frac_bits) + near) & all;
	case 2:		/* around 1, where sums cancel */
		exp = (1ULL << (f->exp_bits - 1)) - 1 + utest_rand() % 3;
		return ((exp << f->frac_bits) | utest_rand() >> 12) & all;
	case 3:
		return (((1ULL << f->exp_bits) - 1) << f->frac_bits) + near;
	default:
		return utest_rand() & all;
	}
}

/* Sixteen bits are few enough for every number against some. */
static void try_narrow(const struct uet_ieee *f)
{
	u32 a, i, wrong = 0;
	double x, y;
	u64 b;

	for (a = 0; a <= U16_MAX; a++) {
		for (i = 0; i < 4; i++) {
			b = awkward(f);
			x = widen(f, a);
			y = widen(f, b);
			wrong += !same(f, uet_ieee_add(f, a, b),
				       narrow(f, x + y));
			wrong += !same(f, uet_ieee_mul(f, a, b),
				       narrow(f, x * y));
			wrong += uet_ieee_cmp(f, a, b) != order(x, y);
		}
	}
	EXPECT_EQ(wrong, 0);
}

/* In double, sums and products of these are exact. */
TEST(ieee__half_matches_double)
{
	try_narrow(&uet_ieee_half);
}

/*
 * Sums of bfloat16 are not always exact in double, but then the smaller number
 * is far below half of the last place, and rounding twice does no harm.
 */
TEST(ieee__bfloat16_matches_double)
{
	try_narrow(&uet_ieee_bfloat16);
}

/* The result of the processor for the same numbers, in a type that the processor has. */
#define TRY(f, type, to, of, sign) do {					\
	u32 i_, wrong_ = 0;						\
									\
	for (i_ = 0; i_ < ROUNDS; i_++) {				\
		u64 a_ = awkward(f), b_ = awkward(f);			\
		type x_ = to(a_), y_ = to(b_);				\
									\
		wrong_ += !same(f, uet_ieee_add(f, a_, b_), of(x_ + y_)); \
		wrong_ += !same(f, uet_ieee_mul(f, a_, b_), of(x_ * y_)); \
		wrong_ += uet_ieee_cmp(f, a_, b_) != order(x_, y_);	\
		wrong_ += uet_ieee_neg(f, a_) != (a_ ^ (sign));		\
	}								\
	EXPECT_EQ(wrong_, 0);						\
} while (0)

TEST(ieee__single_matches_the_processor)
{
	TRY(&uet_ieee_single, float, to_float, of_float, 1ULL << 31);
}

TEST(ieee__double_matches_the_processor)
{
	TRY(&uet_ieee_double, double, to_double, of_double, 1ULL << 63);
}

/* The processor may say otherwise: this is ours on every machine. */
TEST(ieee_nan__first_nan_wins_and_becomes_quiet)
{
	const struct uet_ieee *f = &uet_ieee_single;
	const u64 quiet = 0x7fc00123, signalling = 0xff800001;
	const u64 inf = 0x7f800000, one = 0x3f800000;

	EXPECT_EQ(uet_ieee_add(f, quiet, signalling), quiet);
	EXPECT_EQ(uet_ieee_add(f, one, signalling), 0xffc00001);
	EXPECT_EQ(uet_ieee_mul(f, signalling, quiet), 0xffc00001);
	EXPECT_EQ(uet_ieee_add(f, inf, uet_ieee_neg(f, inf)), 0x7fc00000);
	EXPECT_EQ(uet_ieee_mul(f, inf, 0x80000000), 0x7fc00000);
}

TEST(ieee_zero__signs_of_zero_follow_ieee_754)
{
	const struct uet_ieee *f = &uet_ieee_double;
	const u64 minus = 1ULL << 63, one = of_double(1);

	EXPECT_EQ(uet_ieee_add(f, minus, minus), minus);
	EXPECT_EQ(uet_ieee_add(f, 0, minus), 0);
	EXPECT_EQ(uet_ieee_add(f, one, uet_ieee_neg(f, one)), 0);
	EXPECT_EQ(uet_ieee_mul(f, one, minus), minus);
	EXPECT_EQ(uet_ieee_cmp(f, 0, minus), UET_IEEE_EQUAL);
}

TEST(ieee_bool__true_is_one_and_false_is_zero)
{
	EXPECT_EQ(uet_ieee_bool(&uet_ieee_half, true), 0x3c00);
	EXPECT_EQ(uet_ieee_bool(&uet_ieee_bfloat16, true), 0x3f80);
	EXPECT_EQ(uet_ieee_bool(&uet_ieee_single, true), of_float(1));
	EXPECT_EQ(uet_ieee_bool(&uet_ieee_double, true), of_double(1));
	EXPECT_EQ(uet_ieee_bool(&uet_ieee_double, false), 0);
}
