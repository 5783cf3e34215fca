/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet sequence numbers: serial comparison, and the circular bitmap in which a receiver
 * records arrivals and a sender reads a SACK.  All PSN comparisons in this project go through
 * these functions.  Two PSNs are less than 2^31 apart; a range is [from, end).
 *
 * Spec: UE 1.0.1 3.5.11 (32-bit serial arithmetic), Table 3-36 (SACK bitmap).  Level: core L2.
 */
#ifndef UET_CORE_PSN_H
#define UET_CORE_PSN_H

#include "core/shim.h"

/* PSNs covered by one SACK bitmap. */
#define UET_SACK_BITS	64

/* Negative if @a comes before @b. */
static inline s32 uet_psn_diff(u32 a, u32 b)
{
	return (s32)(a - b);
}

static inline bool uet_psn_before(u32 a, u32 b)
{
	return uet_psn_diff(a, b) < 0;
}

static inline bool uet_psn_after(u32 a, u32 b)
{
	return uet_psn_diff(a, b) > 0;
}

static inline bool uet_psn_within(u32 psn, u32 from, u32 end)
{
	return psn - from < end - from;
}

static inline u32 uet_psn_later(u32 a, u32 b)
{
	return uet_psn_after(a, b) ? a : b;
}

static inline u32 uet_psn_earlier(u32 a, u32 b)
{
	return uet_psn_before(a, b) ? a : b;
}

/**
 * struct uet_psn_map - one bit per PSN of a sliding window: that of @psn modulo @size
 * @bits: storage of the owner, BITS_TO_LONGS(@size) words
 * @size: PSNs in the window, a power of two, at least BITS_PER_LONG
 *
 * The code that slides the window clears the bits that leave it, so no bit is for two PSNs.
 */
struct uet_psn_map {
	unsigned long *bits;
	u32 size;
};

void uet_psn_map_init(struct uet_psn_map *map, unsigned long *bits, u32 size);

static inline bool uet_psn_map_test(const struct uet_psn_map *map, u32 psn)
{
	return test_bit(psn & (map->size - 1), map->bits);
}

/* Returns true if the bit was clear. */
static inline bool uet_psn_map_set(struct uet_psn_map *map, u32 psn)
{
	return !__test_and_set_bit(psn & (map->size - 1), map->bits);
}

/* Returns true if the bit was set. */
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
