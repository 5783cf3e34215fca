// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/base/pages.h with pages of 4, 16 and 64 KiB: the size of a page is a
 * variable here.  Level: test of the shell.
 */
#include "utest.h"

static unsigned int page_shift;
#define PAGE_SHIFT	page_shift
#define PAGE_SIZE	(1ul << PAGE_SHIFT)

#include "base/pages.h"

#define for_each_page_size() \
	for (page_shift = 12; page_shift <= 16; page_shift += 2)

/* What MAX_SKB_FRAGS is at least in a kernel that can be configured. */
#define FRAGS_MIN	17

TEST(piece__is_whole_pages_and_at_least_32768_bytes)
{
	for_each_page_size() {
		EXPECT_EQ(UET_PIECE % PAGE_SIZE, 0);
		EXPECT_TRUE(UET_PIECE >= 32768);
		EXPECT_TRUE(UET_PIECE == 32768 || UET_PIECE == PAGE_SIZE);
	}
}

TEST(piece__smallest_one_fits_in_any_page)
{
	for_each_page_size() {
		EXPECT_EQ(PAGE_SIZE % UET_PIECE_MIN, 0);
		EXPECT_TRUE(UET_PIECE_MIN <= UET_PIECE);
	}
}

TEST(packet__longest_one_fits_in_the_fragments_of_a_socket_buffer)
{
	EXPECT_TRUE(UET_PIECES_PER_PACKET <= FRAGS_MIN);
	/* The first and the last piece have a byte each, at worst. */
	EXPECT_TRUE((UET_PIECES_PER_PACKET - 2) * UET_PIECE_MIN + 2 > UET_MTU_MAX);
}

TEST(pdc__is_charged_all_the_pages_that_it_takes)
{
	for_each_page_size() {
		EXPECT_TRUE(UET_PDC_MEM_PAGES > 0);
		EXPECT_TRUE(UET_PDC_MEM_PAGES * PAGE_SIZE >= UET_PDC_MEM_UNIT);
		EXPECT_TRUE((UET_PDC_MEM_PAGES - 1) * PAGE_SIZE < UET_PDC_MEM_UNIT);
	}
}
