// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups by key: what they find, and how many comparisons thousands of objects take.
 */
#include "utest.h"

#include "model/index.h"

#define NR	10000
/* A balanced tree of NR objects has less than twice this many levels. */
#define LEVELS	14

static unsigned int comparisons;

static int count_numbers(const void *a, const void *b)
{
	comparisons++;
	return uetd_index_number(a, b);
}

TEST(index__finds_what_was_added)
{
	struct uetd_job jobs[] = { { .id = 7 }, { .id = 9 }, { .id = 7 } };
	struct uetd_index index = UETD_INDEX(struct uetd_job, id,
					     uetd_index_number);

	EXPECT_NULL(uetd_index_find(&index, &jobs[0].id));
	EXPECT_PTR_EQ(uetd_index_add(&index, &jobs[0]), &jobs[0]);
	EXPECT_PTR_EQ(uetd_index_add(&index, &jobs[1]), &jobs[1]);
	EXPECT_PTR_EQ(uetd_index_find(&index, &jobs[1].id), &jobs[1]);
	uetd_index_free(&index);
	EXPECT_NULL(uetd_index_find(&index, &jobs[0].id));
}

TEST(index__the_first_of_a_key_stays)
{
	struct uetd_fep feps[] = { { .name = "f" }, { .name = "f" } };
	struct uetd_index index = UETD_INDEX(struct uetd_fep, name,
					     uetd_index_text);

	uetd_index_add(&index, &feps[0]);
	EXPECT_PTR_EQ(uetd_index_add(&index, &feps[1]), &feps[0]);
	EXPECT_PTR_EQ(uetd_index_find(&index, "f"), &feps[0]);
	uetd_index_free(&index);
}

TEST(index__addresses_of_two_families_differ)
{
	struct uetd_peer peers[] = {
		{ .addr = { .family = 2, .bytes = { 10 } } },
		{ .addr = { .family = 10, .bytes = { 10 } } },
	};
	struct uetd_index index = UETD_INDEX(struct uetd_peer, addr,
					     uetd_index_addr);

	EXPECT_PTR_EQ(uetd_index_add(&index, &peers[0]), &peers[0]);
	EXPECT_PTR_EQ(uetd_index_add(&index, &peers[1]), &peers[1]);
	uetd_index_free(&index);
}

TEST(lookup__finds_link_local_feps_by_their_netdev)
{
	const struct uetd_addr addr = {
		.family = 10, .bytes = { 0xfe, 0x80, 1 },
	};
	struct uetd_fep feps[] = {
		{ .name = "f", .addr = addr, .scope_id = 1 },
		{ .name = "g", .addr = addr, .scope_id = 2 },
	};
	struct uetd_model model = { .feps = feps, .nr_feps = 2 };
	struct uetd_fep key = { .addr = addr, .scope_id = 2 };
	struct uetd_lookup lookup;

	uetd_lookup_make(&lookup, &model);
	EXPECT_PTR_EQ(uetd_index_find(&lookup.fep_addrs, &key), &feps[1]);
	key.scope_id = 3;
	EXPECT_NULL(uetd_index_find(&lookup.fep_addrs, &key));
	uetd_lookup_free(&lookup);
}

TEST(index__takes_few_comparisons_in_any_order)
{
	static uint32_t ids[NR];
	struct uetd_index index = { .order = count_numbers };
	unsigned int i;

	comparisons = 0;
	for (i = 0; i < NR; i++) {
		ids[i] = NR - i;
		uetd_index_add(&index, &ids[i]);
	}
	EXPECT_LE(comparisons, 2 * LEVELS * NR);
	comparisons = 0;
	for (i = 0; i < NR; i++)
		EXPECT_PTR_EQ(uetd_index_find(&index, &ids[i]), &ids[i]);
	EXPECT_LE(comparisons, 2 * LEVELS * NR);
	uetd_index_free(&index);
}

TEST(grow__moves_a_growing_array_rarely)
{
	uint32_t *array = NULL, *before;
	unsigned int moves = 0, i;

	for (i = 0; i < NR; i++) {
		before = array;
		array = uetd_grow(array, i, sizeof(*array));
		moves += array != before;
		EXPECT_EQ(array[i], 0);
		array[i] = i;
	}
	EXPECT_LE(moves, LEVELS + 1);
	for (i = 0; i < NR; i++)
		EXPECT_EQ(array[i], i);
	free(array);
}
