// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_tfc.c: cells spent, advertised and freed, and that
 * the two ends never fill a buffer twice.  Spec: UE 1.0.1 3.6.15 as read here.
 * Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/cc_tfc.h"

TEST(tfc_cost__cost_rounds_up_to_cells)
{
	EXPECT_EQ(uet_tfc_cost(4096, 256, 0), 16);
	EXPECT_EQ(uet_tfc_cost(4096, 256, 1), 17);
	EXPECT_EQ(uet_tfc_cost(1, 256, 0), 1);
}

TEST(tfc_source__first_packet_needs_no_credit)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_TFC);
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	EXPECT_EQ(cctest_burst(&t), 1);
	EXPECT_TRUE(t.send.wants_ack);
	uet_ccc_credit(&t.ccc, 16 + 32, t.now);
	EXPECT_EQ(cctest_burst(&t), 2);
	/* Older credit is ignored. */
	uet_ccc_credit(&t.ccc, 16, t.now);
	EXPECT_EQ(t.ccc.tfc.advertised, 48);
	EXPECT_EQ(cctest_burst(&t), 0);
}

TEST(tfc_source__acks_carry_credit)
{
	struct uet_cc_ack ack = { .has_credit = true, .credit = 0xff000030 };
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_TFC);
	cctest_ack(&t, 4096, 0, false);
	EXPECT_EQ(t.ccc.tfc.advertised, 16);
	uet_ccc_ack(&t.ccc, &ack, t.now);
	EXPECT_EQ(t.ccc.tfc.advertised, 48);
}

TEST(tfc_source__wraps_at_24_bits)
{
	struct cctest t;

	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_TFC);
	t.ccc.tfc.advertised = 0xfffff8;
	t.ccc.tfc.consumed = 0xfffff8;
	uet_ccc_new_data(&t.ccc, 100000, t.now);
	EXPECT_EQ(t.ccc.state, UET_CCC_ACTIVE);
	uet_ccc_credit(&t.ccc, 8, t.now);
	EXPECT_EQ(cctest_burst(&t), 1);
	EXPECT_EQ(t.ccc.tfc.consumed, 8);
}

/* Packets of any size, consumed at random: the buffer never holds too much. */
TEST(tfc__buffer_never_overflows)
{
	struct uet_tfc_pool pool;
	u32 sizes[64], head = 0, tail = 0, i, sent = 0, freed;
	struct cctest t;

	printf("# seed %" PRIu64 "\n", utest.seed);
	cctest_init(&t, UET_WINDOW_NONE, UET_GRANT_TFC);
	t.cfg.tfc_overhead = 64;
	cctest_start(&t);
	uet_tfc_pool_init(&pool, 100, 256, 64);
	uet_ccc_new_data(&t.ccc, 1 << 30, t.now);
	uet_ccc_credit(&t.ccc, pool.advertised, t.now);
	for (i = 0; i < 100000; i++) {
		u32 size = 64 + utest_rand() % 4033;

		uet_ccc_unqueue(&t.ccc, 0, t.now);
		if (t.ccc.state == UET_CCC_READY && head - tail < 64) {
			t.pkt[0].state = UET_CC_PKT_NONE;
			uet_ccc_send(&t.ccc, &t.pkt[0], size, t.now, &t.send);
			uet_tfc_pool_take(&pool, size);
			sizes[head++ % 64] = size;
			sent++;
		}
		if (pool.used > pool.cells)
			break;
		/* Nothing to free: what is advertised is said again. */
		if (head == tail)
			uet_ccc_credit(&t.ccc, pool.advertised, t.now);
		if (head == tail || utest_rand() & 1)
			continue;
		freed = uet_tfc_pool_free(&pool, sizes[tail++ % 64]);
		/* Half of what is advertised gets lost. */
		if (utest_rand() & 1)
			uet_ccc_credit(&t.ccc, freed, t.now);
	}
	EXPECT_EQ(i, 100000);
	EXPECT_GT(sent, 5000);
}
