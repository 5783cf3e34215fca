/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet sequence numbers: serial comparison, and the circular bitmap in which
 * a receiver records arrivals and a sender reads a SACK.  All PSN comparisons in
 * this project go through these functions.  The functions depend on no packet,
 * PDC or policy.
 *
 * Spec: UE 1.0.1 3.5.11 (PSN arithmetic), Table 3-36 (SACK bitmap).
 * Level: core L2.
 */
#ifndef UET_CORE_PSN_H
#define UET_CORE_PSN_H

#include "core/shim.h"

/* PSNs covered by one SACK bitmap. */
#define UET_SACK_BITS	64

/**
 * uet_psn_diff() - signed distance between two PSNs
 * @a: PSN
 * @b: PSN, less than 2^31 away from @a
 *
 * Return: @a - @b; negative if @a comes before @b.
 * Spec: UE 1.0.1 3.5.11: 32-bit serial arithmetic.
 */
static inline s32 uet_psn_diff(u32 a, u32 b)
{
	return (s32)(a - b);
}

/**
 * uet_psn_before() - does one PSN come before another?
 * @a: PSN
 * @b: PSN, less than 2^31 away from @a
 *
 * Return: true if @a is strictly before @b.
 */
static inline bool uet_psn_before(u32 a, u32 b)
{
	return uet_psn_diff(a, b) < 0;
}

/**
 * uet_psn_after() - does one PSN come after another?
 * @a: PSN
 * @b: PSN, less than 2^31 away from @a
 *
 * Return: true if @a is strictly after @b.
 */
static inline bool uet_psn_after(u32 a, u32 b)
{
	return uet_psn_diff(a, b) > 0;
}

/**
 * uet_psn_within() - is a PSN in a half-open range?
 * @psn: PSN
 * @from: first PSN of the range
 * @end: first PSN behind it, less than 2^31 after @from
 *
 * Return: true if @psn is one of @from .. @end - 1.
 */
static inline bool uet_psn_within(u32 psn, u32 from, u32 end)
{
	return psn - from < end - from;
}

/**
 * uet_psn_later() - the later of two PSNs
 * @a: PSN
 * @b: PSN, less than 2^31 away from @a
 *
 * Return: @a or @b.
 */
static inline u32 uet_psn_later(u32 a, u32 b)
{
	return uet_psn_after(a, b) ? a : b;
}

/**
 * uet_psn_earlier() - the earlier of two PSNs
 * @a: PSN
 * @b: PSN, less than 2^31 away from @a
 *
 * Return: @a or @b.
 */
static inline u32 uet_psn_earlier(u32 a, u32 b)
{
	return uet_psn_before(a, b) ? a : b;
}

/**
 * struct uet_psn_map - one bit per PSN of a sliding window
 * @bits: storage of the owner, BITS_TO_LONGS(@size) words
 * @size: PSNs in the window, a power of two, at least BITS_PER_LONG
 *
 * The bit of a PSN is @psn modulo @size.  The code that slides the window clears
 * the bits that leave the window, so a bit never refers to two PSNs.
 */
struct uet_psn_map {
	unsigned long *bits;
	u32 size;
};

void uet_psn_map_init(struct uet_psn_map *map, unsigned long *bits, u32 size);

/**
 * uet_psn_map_test() - is the bit of a PSN set?
 * @map: bitmap
 * @psn: PSN inside the window
 *
 * Return: the bit.
 */
static inline bool uet_psn_map_test(const struct uet_psn_map *map, u32 psn)
{
	return test_bit(psn & (map->size - 1), map->bits);
}

/**
 * uet_psn_map_set() - set the bit of a PSN
 * @map: bitmap
 * @psn: PSN inside the window
 *
 * Return: true if the bit was clear.
 */
static inline bool uet_psn_map_set(struct uet_psn_map *map, u32 psn)
{
	return !__test_and_set_bit(psn & (map->size - 1), map->bits);
}

/**
 * uet_psn_map_clear() - clear the bit of a PSN
 * @map: bitmap
 * @psn: PSN inside the window
 *
 * Return: true if the bit was set.
 */
static inline bool uet_psn_map_clear(struct uet_psn_map *map, u32 psn)
{
	return __test_and_clear_bit(psn & (map->size - 1), map->bits);
}

u32 uet_psn_map_next_set(const struct uet_psn_map *map, u32 from, u32 end);
u32 uet_psn_map_next_clear(const struct uet_psn_map *map, u32 from, u32 end);
u32 uet_psn_map_count(const struct uet_psn_map *map, u32 from, u32 end);

/* Conversion between the bitmap and the SACK format on the wire. */
u64 uet_psn_sack_pack(const struct uet_psn_map *map, u32 base, u32 end);
bool uet_psn_sack_take(u64 *sack, u32 base, u32 *psn);

#endif /* UET_CORE_PSN_H */
