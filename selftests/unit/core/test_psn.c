// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/wire/psn.c: comparisons around the wrap, the circular
 * bitmap against a plain array, SACK words out and in.
 * Spec: UE 1.0.1 3.5.11, Table 3-36.  Level: test of core L2.
 */
#include "utest.h"
#include "core/wire/psn.h"

TEST(psn_compare__comparison_wraps_at_zero)
{
	EXPECT_TRUE(uet_psn_before(0xffffffff, 0));
	EXPECT_FALSE(uet_psn_before(0, 0xffffffff));
	EXPECT_FALSE(uet_psn_before(5, 5));
	EXPECT_TRUE(uet_psn_after(3, 0xfffffffe));
	EXPECT_FALSE(uet_psn_after(3, 3));
	EXPECT_EQ(uet_psn_diff(2, 0xfffffffe), 4);
	EXPECT_EQ(uet_psn_diff(0xfffffffe, 2), -4);
}

TEST(psn_compare__half_the_space_is_ahead)
{
	EXPECT_TRUE(uet_psn_before(0, 0x7fffffff));
	EXPECT_TRUE(uet_psn_after(0, 0x80000001));
}

TEST(psn_later__later_and_earlier_wrap)
{
	EXPECT_EQ(uet_psn_later(0xfffffff0, 3), 3);
	EXPECT_EQ(uet_psn_later(3, 0xfffffff0), 3);
	EXPECT_EQ(uet_psn_earlier(0xfffffff0, 3), 0xfffffff0);
	EXPECT_EQ(uet_psn_earlier(3, 0xfffffff0), 0xfffffff0);
}

TEST(psn_within__range_is_half_open)
{
	EXPECT_TRUE(uet_psn_within(0xffffffff, 0xffffffff, 2));
	EXPECT_TRUE(uet_psn_within(1, 0xffffffff, 2));
	EXPECT_FALSE(uet_psn_within(2, 0xffffffff, 2));
	EXPECT_FALSE(uet_psn_within(0xfffffffe, 0xffffffff, 2));
	EXPECT_FALSE(uet_psn_within(7, 7, 7));
}

TEST(psn_map__set_and_clear_return_the_old_bit)
{
	unsigned long bits[2];
	struct uet_psn_map map;

	uet_psn_map_init(&map, bits, 128);

	EXPECT_TRUE(uet_psn_map_set(&map, 0xffffffff));
	EXPECT_FALSE(uet_psn_map_set(&map, 0xffffffff));
	EXPECT_TRUE(uet_psn_map_test(&map, 0xffffffff));
	EXPECT_FALSE(uet_psn_map_test(&map, 0));
	EXPECT_TRUE(uet_psn_map_clear(&map, 0xffffffff));
	EXPECT_FALSE(uet_psn_map_clear(&map, 0xffffffff));
}

/* Every search agrees with a loop over single bits. */
TEST(psn_map__searches_agree_with_a_plain_loop)
{
	unsigned long bits[2];
	struct uet_psn_map map;
	u32 i, round;

	for (round = 0; round < 500; round++) {
		u32 from = (u32)utest_rand() % 300 - 150;
		u32 end = from + (u32)utest_rand() % 129;
		u32 set, clear, count = 0;

		uet_psn_map_init(&map, bits, 128);
		for (i = 0; i < 40; i++)
			uet_psn_map_set(&map, (u32)utest_rand());
		for (set = from; set != end; set++)
			if (uet_psn_map_test(&map, set))
				break;
		for (clear = from; clear != end; clear++)
			if (!uet_psn_map_test(&map, clear))
				break;
		for (i = from; i != end; i++)
			count += uet_psn_map_test(&map, i);

		EXPECT_EQ(uet_psn_map_next_set(&map, from, end), set);
		EXPECT_EQ(uet_psn_map_next_clear(&map, from, end), clear);
		EXPECT_EQ(uet_psn_map_count(&map, from, end), count);
	}
}

TEST(psn_map__full_window_has_no_clear_bit)
{
	unsigned long bits[2];
	struct uet_psn_map map;
	u32 i;

	uet_psn_map_init(&map, bits, 128);
	for (i = 0; i < 128; i++)
		uet_psn_map_set(&map, 0xffffffc0 + i);

	EXPECT_EQ(uet_psn_map_next_clear(&map, 0xffffffc0, 0x40), 0x40);
	EXPECT_EQ(uet_psn_map_count(&map, 0xffffffc0, 0x40), 128);
}

TEST(psn_sack_pack__bit_0_is_the_base)
{
	unsigned long bits[2];
	struct uet_psn_map map;

	uet_psn_map_init(&map, bits, 128);
	uet_psn_map_set(&map, 0xffffffff);
	uet_psn_map_set(&map, 1);
	uet_psn_map_set(&map, 0x3e);

	EXPECT_EQ(uet_psn_sack_pack(&map, 0xffffffff, 0x40),
		  0x8000000000000005ULL);
}

TEST(psn_sack_pack__bits_at_or_behind_the_end_are_clear)
{
	unsigned long bits[2];
	struct uet_psn_map map;

	uet_psn_map_init(&map, bits, 128);
	uet_psn_map_set(&map, 10);
	uet_psn_map_set(&map, 11);

	EXPECT_EQ(uet_psn_sack_pack(&map, 10, 11), 1);
	EXPECT_EQ(uet_psn_sack_pack(&map, 10, 10), 0);
}

TEST(psn_sack_take__takes_lowest_psn_first)
{
	u64 sack = 0x8000000000000005ULL;
	u32 psn = 99;

	EXPECT_TRUE(uet_psn_sack_take(&sack, 0xffffffff, &psn));
	EXPECT_EQ(psn, 0xffffffff);
	EXPECT_TRUE(uet_psn_sack_take(&sack, 0xffffffff, &psn));
	EXPECT_EQ(psn, 1);
	EXPECT_TRUE(uet_psn_sack_take(&sack, 0xffffffff, &psn));
	EXPECT_EQ(psn, 0x3e);
	EXPECT_FALSE(uet_psn_sack_take(&sack, 0xffffffff, &psn));
	EXPECT_EQ(psn, 0x3e);
}

TEST(psn_sack__pack_and_take_are_inverse)
{
	unsigned long bits[2], back_bits[2];
	struct uet_psn_map map, back;
	u32 round, i, psn;

	for (round = 0; round < 200; round++) {
		u32 base = (u32)utest_rand();
		u64 sack;

		uet_psn_map_init(&map, bits, 128);
		uet_psn_map_init(&back, back_bits, 128);
		for (i = 0; i < 64; i++)
			if (utest_rand() & 1)
				uet_psn_map_set(&map, base + i);
		sack = uet_psn_sack_pack(&map, base, base + 64);
		while (uet_psn_sack_take(&sack, base, &psn))
			uet_psn_map_set(&back, psn);

		EXPECT_MEMEQ(bits, back_bits, sizeof(bits));
	}
}
