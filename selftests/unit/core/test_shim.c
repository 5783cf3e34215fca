// SPDX-License-Identifier: GPL-2.0
/*
 * The userspace half of the seam against the plain meaning of the kernel names
 * it stands for: what passes here and fails in the kernel would be a fault of
 * the seam, so its loops are held against slower ones.
 * Level: test of core L0.
 */
#include "core/shim.h"
#include "utest.h"

#define SHIM_BITS 150

static unsigned long shim_find_slowly(const unsigned long *map,
				      unsigned long size, unsigned long from,
				      bool want)
{
	for (; from < size; from++)
		if (test_bit(from, map) == want)
			return from;
	return size;
}

TEST(time__does_not_run_backwards)
{
	EXPECT_EQ(uet_ns_since(7, 5), 2ull);
	EXPECT_EQ(uet_ns_since(5, 5), 0ull);
	EXPECT_EQ(uet_ns_since(5, 7), 0ull);
	EXPECT_EQ(uet_ns_since(0, U64_MAX), 0ull);
	EXPECT_EQ(uet_ns_before(7, 5), 2ull);
	EXPECT_EQ(uet_ns_before(5, 7), 0ull);
	EXPECT_EQ(uet_ns_before(0, U64_MAX), 0ull);
}

TEST(time__under_a_lock_does_not_decrease)
{
	u64 latest = 0;

	EXPECT_EQ(uet_ns_latest(&latest, 7), 7ull);
	EXPECT_EQ(uet_ns_latest(&latest, 5), 7ull);
	EXPECT_EQ(uet_ns_latest(&latest, 8), 8ull);
}

TEST(bitmap__find_next_bit_matches_a_plain_loop)
{
	DECLARE_BITMAP(map, SHIM_BITS);
	unsigned long from, size;
	int i, n;

	for (i = 0; i < 200; i++) {
		bitmap_zero(map, SHIM_BITS);
		for (n = i % 7; n > 0; n--)
			__set_bit(utest_rand() % SHIM_BITS, map);
		size = 1 + utest_rand() % SHIM_BITS;
		for (from = 0; from <= size + 1; from++) {
			ASSERT_EQ(find_next_bit(map, size, from),
				  shim_find_slowly(map, size, from, true));
			ASSERT_EQ(find_next_zero_bit(map, size, from),
				  shim_find_slowly(map, size, from, false));
		}
	}
}

TEST(bitmap__find_last_bit_respects_the_size)
{
	DECLARE_BITMAP(map, SHIM_BITS) = { 0 };

	EXPECT_EQ(find_last_bit(map, SHIM_BITS), SHIM_BITS);
	__set_bit(0, map);
	EXPECT_EQ(find_last_bit(map, SHIM_BITS), 0);
	__set_bit(149, map);
	EXPECT_EQ(find_last_bit(map, SHIM_BITS), 149);
	EXPECT_EQ(find_last_bit(map, 149), 0);
}

TEST(bitmap__set_and_clear_work_on_ranges)
{
	DECLARE_BITMAP(map, SHIM_BITS) = { 0 };

	bitmap_set(map, 60, 10);
	EXPECT_EQ(bitmap_weight(map, SHIM_BITS), 10);
	EXPECT_EQ(find_first_bit(map, SHIM_BITS), 60);
	EXPECT_FALSE(test_bit(70, map));
	bitmap_clear(map, 61, 8);
	EXPECT_EQ(bitmap_weight(map, SHIM_BITS), 2);
	EXPECT_TRUE(__test_and_clear_bit(60, map));
	EXPECT_FALSE(__test_and_set_bit(60, map));
	EXPECT_FALSE(bitmap_empty(map, SHIM_BITS));
	EXPECT_TRUE(bitmap_empty(map, 60));
	bitmap_fill(map, SHIM_BITS);
	EXPECT_TRUE(bitmap_full(map, SHIM_BITS));
}

TEST(byteorder__unaligned_access_is_big_endian)
{
	u8 buf[10] = { 0 };

	put_unaligned_be16(0x1234, buf + 1);
	EXPECT_EQ(get_unaligned_be16(buf + 1), 0x1234);
	EXPECT_EQ(buf[1], 0x12);
	put_unaligned_be24(0x123456, buf + 1);
	EXPECT_EQ(get_unaligned_be24(buf + 1), 0x123456);
	put_unaligned_be32(0x89abcdef, buf + 1);
	EXPECT_EQ(get_unaligned_be32(buf + 1), 0x89abcdef);
	put_unaligned_be48(0x123456789abcULL, buf + 1);
	EXPECT_EQ(get_unaligned_be48(buf + 1), 0x123456789abcULL);
	put_unaligned_be64(0x8123456789abcdefULL, buf + 1);
	EXPECT_EQ(get_unaligned_be64(buf + 1), 0x8123456789abcdefULL);
	EXPECT_EQ(buf[0] | buf[9], 0);
	EXPECT_EQ(be32_to_cpu(cpu_to_be32(0x01020304)), 0x01020304);
}

TEST(bits__fields_and_logs_are_as_in_the_kernel)
{
	EXPECT_EQ(FIELD_GET(0xf800, 0x5cac), 11);
	EXPECT_EQ(FIELD_PREP(0xc0, 3), 0xc0);
	EXPECT_EQ(GENMASK(11, 4), 0xff0);
	EXPECT_EQ(GENMASK_ULL(63, 32), 0xffffffff00000000ULL);
	EXPECT_EQ(fls(0), 0);
	EXPECT_EQ(fls64(1ULL << 40), 41);
	EXPECT_EQ(ilog2(4096), 12);
	EXPECT_EQ(roundup_pow_of_two(4097), 8192);
	EXPECT_EQ(roundup_pow_of_two(4096), 4096);
	EXPECT_EQ(hweight64(0xf0f0000000000001ULL), 9);
	EXPECT_EQ(sign_extend32(0xfff, 11), -1);
	EXPECT_EQ(rol32(0x80000001, 4), 0x18);
}

TEST(arithmetic__bounds_are_as_in_the_kernel)
{
	u32 sum;

	EXPECT_EQ(min(3, 4), 3);
	EXPECT_EQ(max3(3, 5, 4), 5);
	EXPECT_EQ(clamp(9, 1, 4), 4);
	EXPECT_EQ(clamp(0, 1, 4), 1);
	EXPECT_EQ(min_not_zero(0U, 7U), 7);
	EXPECT_EQ(min_not_zero(5U, 7U), 5);
	EXPECT_EQ(min_t(u8, 0x101, 2), 1);
	EXPECT_EQ(DIV_ROUND_UP(4097, 4096), 2);
	EXPECT_EQ(round_up(4097U, 4096U), 8192);
	EXPECT_EQ(round_down(8191U, 4096U), 4096);
	EXPECT_EQ(size_add(SIZE_MAX, 1), SIZE_MAX);
	EXPECT_EQ(size_mul(SIZE_MAX, 2), SIZE_MAX);
	EXPECT_TRUE(check_add_overflow(U32_MAX, 1U, &sum));
	EXPECT_EQ(mul_u64_u32_shr(U64_MAX, 2, 1), U64_MAX);
}

struct shim_item {
	int value;
	struct list_head link;
};

/* Values in order as decimal digits, so that a wrong order shows. */
static int shim_digits(struct list_head *head)
{
	struct shim_item *it;
	int n = 0;

	list_for_each_entry(it, head, link)
		n = n * 10 + it->value;
	return n;
}

TEST(list__lists_keep_their_order)
{
	struct shim_item item[4] = { { .value = 1 }, { .value = 2 },
				     { .value = 3 }, { .value = 4 } };
	struct shim_item *it, *next;
	LIST_HEAD(head);
	LIST_HEAD(other);

	EXPECT_NULL(list_first_entry_or_null(&head, struct shim_item, link));
	list_add_tail(&item[0].link, &head);
	list_add_tail(&item[1].link, &head);
	list_add(&item[2].link, &head);
	EXPECT_EQ(shim_digits(&head), 312);

	list_add_tail(&item[3].link, &other);
	list_splice_tail_init(&head, &other);
	EXPECT_EQ(shim_digits(&other), 4312);
	EXPECT_TRUE(list_empty(&head));

	list_move_tail(&item[3].link, &other);
	EXPECT_EQ(shim_digits(&other), 3124);
	list_splice_init(&other, &head);
	EXPECT_EQ(shim_digits(&head), 3124);
	EXPECT_EQ(list_last_entry(&head, struct shim_item, link)->value, 4);

	list_for_each_entry_safe(it, next, &head, link)
		if (it->value & 1)
			list_del_init(&it->link);
	EXPECT_EQ(shim_digits(&head), 24);
	EXPECT_TRUE(list_empty(&item[0].link));
	EXPECT_FALSE(list_is_singular(&head));
	list_del(&item[1].link);
	EXPECT_TRUE(list_is_singular(&head));
}
