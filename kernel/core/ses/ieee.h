/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic on binary floating-point numbers as bit patterns.  An atomic is executed in the
 * context in which its packet arrives, where the kernel's FPU cannot be used.  Integer
 * arithmetic works there, with the same results on every machine.
 *
 * The defaults of IEEE 754: round to nearest, ties to even, gradual underflow, overflow to
 * infinity, no traps.  An operation on a NaN returns this NaN, the first of two, made quiet.
 * One without a result returns the positive quiet NaN.  Bits of a result above its format are
 * 0.  Level: core L1.
 */
#ifndef UET_CORE_IEEE_H
#define UET_CORE_IEEE_H

#include "core/shim.h"

/*
 * struct uet_ieee - an interchange format: 5..11 bits of exponent, 7..52 of fraction as stored
 */
struct uet_ieee {
	u8 exp_bits;
	u8 frac_bits;
};

extern const struct uet_ieee uet_ieee_half, uet_ieee_bfloat16;
extern const struct uet_ieee uet_ieee_single, uet_ieee_double;

/* Results of uet_ieee_cmp(); distinct bits, so that they can form a set. */
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
