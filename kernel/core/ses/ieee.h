/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic on binary floating-point numbers, as bit patterns.  An atomic
 * operation is executed where the packet arrives, and there the kernel's FPU is
 * not to be had: integers do it in any context, on every machine alike.
 * Level: core L1.
 *
 * As IEEE 754 says by default: round to nearest, ties to even, gradual underflow,
 * overflow to infinity, and no exception stops anything.  An operation on a NaN
 * gives that NaN, made quiet, the first if both are; one without a result gives
 * the positive quiet NaN.
 */
#ifndef UET_CORE_IEEE_H
#define UET_CORE_IEEE_H

#include "core/shim.h"

/**
 * struct uet_ieee - an interchange format
 * @exp_bits: width of the exponent, 5..11
 * @frac_bits: width of the stored fraction, 7..52
 */
struct uet_ieee {
	u8 exp_bits;
	u8 frac_bits;
};

extern const struct uet_ieee uet_ieee_half, uet_ieee_bfloat16;
extern const struct uet_ieee uet_ieee_single, uet_ieee_double;

/* What uet_ieee_cmp() says of two numbers; values of their own, to be or'ed. */
enum uet_ieee_order {
	UET_IEEE_LESS		= 0x1,
	UET_IEEE_EQUAL		= 0x2,
	UET_IEEE_GREATER	= 0x4,
	UET_IEEE_UNORDERED	= 0x8,
};

u64 uet_ieee_neg(const struct uet_ieee *f, u64 a);
u64 uet_ieee_add(const struct uet_ieee *f, u64 a, u64 b);
u64 uet_ieee_mul(const struct uet_ieee *f, u64 a, u64 b);
u64 uet_ieee_bool(const struct uet_ieee *f, bool value);
enum uet_ieee_order uet_ieee_cmp(const struct uet_ieee *f, u64 a, u64 b);

#endif /* UET_CORE_IEEE_H */
