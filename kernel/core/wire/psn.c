// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the circular PSN bitmap of psn.h: search, count, pack 64 PSNs
 * into the SACK bitmap of an ACK, and read a received SACK bitmap.  The results
 * depend neither on the machine's byte order nor on where the window wraps.
 * Spec: UE 1.0.1 Table 3-36 (sack_bitmap).  Level: core L2.
 */
#include "psn.h"

/**
 * uet_psn_map_init() - make an empty bitmap
 * @map: bitmap
 * @bits: storage, BITS_TO_LONGS(@size) words; zeroed here
 * @size: PSNs in the window, a power of two, at least BITS_PER_LONG
 */
void uet_psn_map_init(struct uet_psn_map *map, unsigned long *bits, u32 size)
{
	map->bits = bits;
	map->size = size;
	bitmap_zero(bits, size);
}

/* Number of PSNs in [@from, @end) before the storage wraps. */
static u32 psn_piece(const struct uet_psn_map *map, u32 from, u32 end)
{
	return min(map->size - (from & (map->size - 1)), end - from);
}

/**
 * uet_psn_map_next_set() - find the first set bit of a range
 * @map: bitmap
 * @from: first PSN of the range
 * @end: first PSN behind it, at most the size of @map after @from
 *
 * Return: the PSN of that bit, or @end if there is none.
 */
u32 uet_psn_map_next_set(const struct uet_psn_map *map, u32 from, u32 end)
{
	while (from != end) {
		u32 bit = from & (map->size - 1);
		u32 n = psn_piece(map, from, end);
		u32 hit = find_next_bit(map->bits, bit + n, bit);

		if (hit < bit + n)
			return from + (hit - bit);
		from += n;
	}
	return end;
}

/**
 * uet_psn_map_next_clear() - find the first clear bit of a range
 * @map: bitmap
 * @from: first PSN of the range
 * @end: first PSN behind it, at most the size of @map after @from
 *
 * Return: the PSN of that bit, or @end if there is none.
 */
u32 uet_psn_map_next_clear(const struct uet_psn_map *map, u32 from, u32 end)
{
	while (from != end) {
		u32 bit = from & (map->size - 1);
		u32 n = psn_piece(map, from, end);
		u32 hit = find_next_zero_bit(map->bits, bit + n, bit);

		if (hit < bit + n)
			return from + (hit - bit);
		from += n;
	}
	return end;
}

/**
 * uet_psn_map_count() - count the set bits of a range
 * @map: bitmap
 * @from: first PSN of the range
 * @end: first PSN behind it, at most the size of @map after @from
 *
 * Return: number of set bits.
 */
u32 uet_psn_map_count(const struct uet_psn_map *map, u32 from, u32 end)
{
	u32 psn = uet_psn_map_next_set(map, from, end);
	u32 n = 0;

	while (psn != end) {
		n++;
		psn = uet_psn_map_next_set(map, psn + 1, end);
	}
	return n;
}

/**
 * uet_psn_sack_pack() - build the SACK bitmap of a range
 * @map: bitmap
 * @base: PSN of bit 0
 * @end: first PSN behind the range, at most the size of @map after @base
 *
 * Return: bit i is set if @base + i is before @end and set in @map.
 * Spec: UE 1.0.1 Table 3-36.
 */
u64 uet_psn_sack_pack(const struct uet_psn_map *map, u32 base, u32 end)
{
	u64 sack = 0;
	u32 psn;

	end = base + min_t(u32, end - base, UET_SACK_BITS);
	psn = uet_psn_map_next_set(map, base, end);
	while (psn != end) {
		sack |= 1ULL << (psn - base);
		psn = uet_psn_map_next_set(map, psn + 1, end);
	}
	return sack;
}

/**
 * uet_psn_sack_take() - remove the lowest PSN from a SACK
 * @sack: SACK bitmap of an ACK; the bit of the removed PSN is cleared
 * @base: PSN of bit 0
 * @psn: result
 *
 * Each call clears one bit, so a loop over a received SACK always terminates.
 *
 * Return: false if @sack is empty; @psn is then unchanged.
 * Spec: UE 1.0.1 Table 3-36: a clear bit carries no information.
 */
bool uet_psn_sack_take(u64 *sack, u32 base, u32 *psn)
{
	if (!*sack)
		return false;
	*psn = base + (u32)__ffs64(*sack);
	*sack &= *sack - 1;
	return true;
}
