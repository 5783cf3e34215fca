// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/rudi_req.c and tools/lib/rudi_check.h: the snapshot, and
 * that each invariant notices what it is there for.
 * Spec: none of its own.  Level: test of core L4.
 */
#include "ruditest.h"

TEST(rudi_info__reports_the_state)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_rudi_info info;
	struct ruditest t;

	rt_open(&t);
	info = rt_info(&t);
	EXPECT_EQ(info.nr_open, 0);
	EXPECT_EQ(info.srtt_ns, 0);
	EXPECT_EQ(info.rto_ns, uet_rudi_cfg_default.rto_init_ns);

	rt_send(&t, 3);
	uet_rudi_tx_req(t.rudi, &pkt);
	rt_run(&t);
	rt_expire(&t);
	rt_rx_nack(&t, UET_NACK_TRIMMED, FIRST_ID, UET_F_RETX);
	rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID + 1, UET_F_RETX);
	t.now += 7 * US;
	rt_rx_resp(&t, FIRST_ID + 2, UET_F_RETX);
	info = rt_info(&t);
	EXPECT_EQ(info.nr_open, 3);
	EXPECT_EQ(info.nr_done, 0);
	EXPECT_EQ(info.srtt_ns, 7 * US);
	EXPECT_EQ(info.stats.tx_req, 4);
	EXPECT_EQ(info.stats.tx_retx, 5);
	EXPECT_EQ(info.stats.rto_fired, 4);
	EXPECT_EQ(info.stats.rx_resp, 1);
	EXPECT_EQ(info.stats.rx_nack, 2);
	EXPECT_EQ(info.stats.nack_lost, 1);
	EXPECT_EQ(info.stats.held, 1);
	rt_close(&t);
}

/* The text of the invariant that does not hold, "" if all do. */
static const char *broken(const struct ruditest *t)
{
	const char *what = "";

	EXPECT_EQ(uet_rudi_check(t->rudi, &what), !*what);
	return what;
}

/* Two requests sent, one refused, one answered, so that lists are in use. */
static void open_busy(struct ruditest *t)
{
	rt_open(t);
	rt_send(t, 4);
	t->now += US;
	rt_rx_nack(t, UET_NACK_NO_RESOURCE, FIRST_ID + 3, 0);
	rt_rx_resp(t, FIRST_ID + 2, 0);
	EXPECT_STREQ(broken(t), "");
}

TEST(rudi_check__wrong_slot_state_is_named)
{
	struct ruditest t;

	open_busy(&t);
	uet_rudi_slot(t.rudi, FIRST_ID)->state = UET_RUDI_HELD;
	EXPECT_STREQ(broken(&t), "a list has what does not belong there");
	rt_close(&t);
}

TEST(rudi_check__wrong_list_level_is_named)
{
	struct ruditest t;

	open_busy(&t);
	uet_rudi_slot(t.rudi, FIRST_ID)->rtos++;
	EXPECT_STREQ(broken(&t),
		     "a request is on the list of another time-out");
	uet_rudi_slot(t.rudi, FIRST_ID)->rtos--;
	uet_rudi_slot(t.rudi, FIRST_ID + 3)->nacks++;
	EXPECT_STREQ(broken(&t), "a request is on the list of another pause");
	rt_close(&t);
}

TEST(rudi_check__disorder_is_named)
{
	struct ruditest t;

	open_busy(&t);
	uet_rudi_slot(t.rudi, FIRST_ID)->since_ns++;
	EXPECT_STREQ(broken(&t), "requests do not wait in order");
	rt_close(&t);
}

TEST(rudi_check__wrong_counts_are_named)
{
	struct ruditest t;

	open_busy(&t);
	t.rudi->nr[UET_RUDI_SENT]++;
	EXPECT_STREQ(broken(&t),
		     "the number of requests in a state is wrong");
	rt_close(&t);
}

TEST(rudi_check__unlisted_slot_is_named)
{
	struct ruditest t;

	open_busy(&t);
	list_del_init(&uet_rudi_slot(t.rudi, FIRST_ID)->link);
	t.rudi->nr[UET_RUDI_SENT]--;
	EXPECT_STREQ(broken(&t), "a slot is on no list");
	rt_close(&t);
}

TEST(rudi_check__unused_list_in_use_is_named)
{
	struct ruditest t;

	open_busy(&t);
	list_move_tail(&uet_rudi_slot(t.rudi, FIRST_ID)->link,
		       &t.rudi->list[UET_RUDI_SENT]);
	EXPECT_STREQ(broken(&t), "a list is used that has no meaning");
	rt_close(&t);
}

TEST(rudi_check__misplaced_id_is_named)
{
	struct ruditest t;

	open_busy(&t);
	uet_rudi_slot(t.rudi, FIRST_ID)->id++;
	EXPECT_STREQ(broken(&t), "a pkt_id is not where it is looked for");
	rt_close(&t);
}
