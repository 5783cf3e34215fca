// SPDX-License-Identifier: GPL-2.0
/*
 * Floating-point numbers: unpack, add, multiply, compare and pack.  An unpacked
 * number is a significand with its leading one in bit 62 and the exponent of
 * this bit.  Bits shifted out are or'ed into the lowest bit, where they affect
 * rounding only.
 * Level: core L1.
 */
#include "ieee.h"

const struct uet_ieee uet_ieee_half = { 5, 10 };
const struct uet_ieee uet_ieee_bfloat16 = { 8, 7 };
const struct uet_ieee uet_ieee_single = { 8, 23 };
const struct uet_ieee uet_ieee_double = { 11, 52 };

/*
 * Bit of the leading one of a significand.  Bit 63 is free for the carry of an
 * addition.
 */
#define IEEE_TOP	62

/* A finite number other than zero; @sig has bit IEEE_TOP set, @exp is the exponent of this bit. */
struct ieee_num {
	bool negative;
	s32 exp;
	u64 sig;
};

static s32 ieee_bias(const struct uet_ieee *f)
{
	return (1 << (f->exp_bits - 1)) - 1;
}

static u64 ieee_sign(const struct uet_ieee *f)
{
	return 1ULL << (f->exp_bits + f->frac_bits);
}

static u64 ieee_abs(const struct uet_ieee *f, u64 a)
{
	return a & (ieee_sign(f) - 1);
}

/* The bits of positive infinity; a NaN compares above. */
static u64 ieee_inf(const struct uet_ieee *f)
{
	return ((1ULL << f->exp_bits) - 1) << f->frac_bits;
}

static bool ieee_is_nan(const struct uet_ieee *f, u64 a)
{
	return ieee_abs(f, a) > ieee_inf(f);
}

static u64 ieee_quiet(const struct uet_ieee *f)
{
	return 1ULL << (f->frac_bits - 1);
}

/* The result of an operation with a NaN as operand. */
static u64 ieee_pass_nan(const struct uet_ieee *f, u64 a, u64 b)
{
	return (ieee_is_nan(f, a) ? a : b) | ieee_quiet(f);
}

static u64 ieee_no_result(const struct uet_ieee *f)
{
	return ieee_inf(f) | ieee_quiet(f);
}

/* Shift right; bits shifted out are or'ed into the lowest bit. */
static u64 ieee_shift(u64 sig, u32 by)
{
	if (!by)
		return sig;
	if (by > 63)
		return sig ? 1 : 0;
	return sig >> by | (sig << (64 - by) ? 1 : 0);
}

/* Move the leading one of @num->sig, which is not 0, to bit IEEE_TOP. */
static void ieee_normalise(struct ieee_num *num)
{
	u32 top = fls64(num->sig) - 1;

	if (top > IEEE_TOP) {
		num->sig = ieee_shift(num->sig, 1);
		num->exp++;
	} else {
		num->sig <<= IEEE_TOP - top;
		num->exp -= IEEE_TOP - top;
	}
}

/* @a is finite and not zero. */
static struct ieee_num ieee_unpack(const struct uet_ieee *f, u64 a)
{
	u64 frac = a & ((1ULL << f->frac_bits) - 1);
	s32 exp = ieee_abs(f, a) >> f->frac_bits;
	struct ieee_num num = { .negative = a & ieee_sign(f) };

	if (exp)
		frac |= 1ULL << f->frac_bits;
	num.sig = frac << (IEEE_TOP - f->frac_bits);
	num.exp = (exp ?: 1) - ieee_bias(f);
	ieee_normalise(&num);
	return num;
}

static u64 ieee_pack(const struct uet_ieee *f, const struct ieee_num *num)
{
	const u64 sign = num->negative ? ieee_sign(f) : 0;
	const u32 drop = IEEE_TOP - f->frac_bits;
	const u64 half = 1ULL << (drop - 1);
	s32 exp = num->exp + ieee_bias(f);
	u64 sig = num->sig, rest;

	if (exp >= (1 << f->exp_bits) - 1)
		return sign | ieee_inf(f);
	if (exp < 1) {
		sig = ieee_shift(sig, 1 - exp);
		exp = 1;
	}
	rest = sig & (2 * half - 1);
	sig >>= drop;
	if (rest > half || (rest == half && sig & 1))
		sig++;
	/*
	 * The leading one adds one to the exponent.  A subnormal number has no
	 * leading one, so its exponent stays 0.  A carry raises the exponent,
	 * up to infinity.
	 */
	return sign | (((u64)(exp - 1) << f->frac_bits) + sig);
}

u64 uet_ieee_neg(const struct uet_ieee *f, u64 a)
{
	return a ^ ieee_sign(f);
}

/* The number with the larger magnitude is @a. */
static u64 ieee_add_finite(const struct uet_ieee *f, const struct ieee_num *a,
			   const struct ieee_num *b)
{
	struct ieee_num sum = *a;
	u64 sig = ieee_shift(b->sig, a->exp - b->exp);

	if (a->negative == b->negative)
		sum.sig += sig;
	else
		sum.sig -= sig;
	if (!sum.sig)
		return 0;
	ieee_normalise(&sum);
	return ieee_pack(f, &sum);
}

u64 uet_ieee_add(const struct uet_ieee *f, u64 a, u64 b)
{
	const u64 inf = ieee_inf(f);
	struct ieee_num x, y;

	if (ieee_is_nan(f, a) || ieee_is_nan(f, b))
		return ieee_pass_nan(f, a, b);
	if (ieee_abs(f, a) < ieee_abs(f, b))
		swap(a, b);
	if (ieee_abs(f, a) == inf)
		return ieee_abs(f, b) == inf && a != b ? ieee_no_result(f) : a;
	if (!ieee_abs(f, b))
		return ieee_abs(f, a) ? a : a & b;
	x = ieee_unpack(f, a);
	y = ieee_unpack(f, b);
	return ieee_add_finite(f, &x, &y);
}

/*
 * The product of two significands.  Its leading one is in bit 60 or 61 of the
 * upper half, so the result is taken two bits further down.
 */
static u64 ieee_mul_sig(u64 a, u64 b)
{
	const u64 low = U32_MAX;
	u64 ll = (a & low) * (b & low), lh = (a & low) * (b >> 32);
	u64 hl = (a >> 32) * (b & low), hh = (a >> 32) * (b >> 32);
	u64 mid = (ll >> 32) + (lh & low) + (hl & low);
	u64 upper = hh + (lh >> 32) + (hl >> 32) + (mid >> 32);
	u64 lower = mid << 32 | (ll & low);

	return upper << 2 | lower >> 62 | (lower << 2 ? 1 : 0);
}

u64 uet_ieee_mul(const struct uet_ieee *f, u64 a, u64 b)
{
	const u64 sign = (a ^ b) & ieee_sign(f), inf = ieee_inf(f);
	const u64 x = ieee_abs(f, a), y = ieee_abs(f, b);
	struct ieee_num m, n;

	if (ieee_is_nan(f, a) || ieee_is_nan(f, b))
		return ieee_pass_nan(f, a, b);
	if (x == inf || y == inf)
		return x && y ? sign | inf : ieee_no_result(f);
	if (!x || !y)
		return sign;
	m = ieee_unpack(f, a);
	n = ieee_unpack(f, b);
	m.negative = sign;
	m.exp += n.exp;
	m.sig = ieee_mul_sig(m.sig, n.sig);
	ieee_normalise(&m);
	return ieee_pack(f, &m);
}

/* 1.0 or 0.0. */
u64 uet_ieee_bool(const struct uet_ieee *f, bool value)
{
	return value ? (u64)ieee_bias(f) << f->frac_bits : 0;
}

/* Zeroes are equal whatever their sign.  A NaN is unordered. */
enum uet_ieee_order uet_ieee_cmp(const struct uet_ieee *f, u64 a, u64 b)
{
	const u64 x = ieee_abs(f, a), y = ieee_abs(f, b);
	bool less;

	if (ieee_is_nan(f, a) || ieee_is_nan(f, b))
		return UET_IEEE_UNORDERED;
	if (a == b || (!x && !y))
		return UET_IEEE_EQUAL;
	if ((a ^ b) & ieee_sign(f))
		less = a & ieee_sign(f);
	else
		less = a & ieee_sign(f) ? x > y : x < y;
	return less ? UET_IEEE_LESS : UET_IEEE_GREATER;
}
