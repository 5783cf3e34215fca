// SPDX-License-Identifier: GPL-2.0
/*
 * The circular PSN bitmap of psn.h: search, count, and the SACK bitmap of an ACK.  The results
 * depend neither on the machine's byte order nor on where the window wraps.  Ranges are at
 * most as long as the bitmap.  Level: core L2.
 */
#include "psn.h"

/*
 * uet_psn_map_init() - make an empty bitmap; @bits are zeroed
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

/*
 * uet_psn_map_next_set() - first PSN of a range whose bit is set, or @end
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

/*
 * uet_psn_map_next_clear() - first PSN of a range whose bit is clear, or @end
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

/*
 * uet_psn_map_count() - number of set bits of a range
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

/*
 * uet_psn_sack_pack() - the SACK bitmap of a range of at least one PSN: @base is bit 0
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

/*
 * uet_psn_sack_take() - remove the lowest PSN from a SACK; false if it is empty
 * Each call clears one bit, so a loop over a received SACK always terminates.  A clear bit
 * carries no information (UE 1.0.1 Table 3-36).
 */
bool uet_psn_sack_take(u64 *sack, u32 base, u32 *psn)
{
	if (!*sack)
		return false;
	*psn = base + (u32)__ffs64(*sack);
	*sack &= *sack - 1;
	return true;
}
