// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/rudi_req.c: pkt_ids, what a request looks like,
 * time-outs and their end, the report of outcomes, abort.
 * Spec: UE 1.0.1 3.5.10.9, 3.5.15, Table 3-28.  Level: test of core L4.
 */
#include "ruditest.h"

/* ------------------------------------------------------------- parameters */

TEST(rudi_cfg_check__default_is_good)
{
	EXPECT_EQ(uet_rudi_cfg_check(&uet_rudi_cfg_default), 0);
}

TEST(rudi_cfg_check__each_range_is_enforced)
{
	const struct uet_rudi_cfg good = uet_rudi_cfg_default;
	const u64 day = 86400ULL * 1000 * MS;
	struct uet_rudi_cfg c;

#define REFUSED(field, value) do {					\
	c = good;							\
	c.field = (value);						\
	EXPECT_EQ(uet_rudi_cfg_check(&c), -EINVAL); } while (0)
#define TAKEN(field, value) do {					\
	c = good;							\
	c.field = (value);						\
	EXPECT_EQ(uet_rudi_cfg_check(&c), 0); } while (0)

	REFUSED(window, 0);
	REFUSED(window, 3);
	REFUSED(window, 2 * UET_RUDI_WINDOW_MAX);
	TAKEN(window, UET_RUDI_WINDOW_MIN);
	TAKEN(window, UET_RUDI_WINDOW_MAX);
	REFUSED(max_rto_retx, 0);
	REFUSED(max_rto_retx, 16);
	TAKEN(max_rto_retx, 15);
	REFUSED(max_nack_retx, 32);
	TAKEN(max_nack_retx, 31);
	TAKEN(max_nack_retx, 0);
	REFUSED(rto_init_ns, 0);
	REFUSED(rto_init_ns, good.rto_max_ns + 1);
	TAKEN(rto_init_ns, good.rto_max_ns);
	REFUSED(rto_max_ns, day + 1);
	TAKEN(rto_max_ns, day);
	REFUSED(nack_retx_ns, 0);
	REFUSED(nack_retx_ns, good.nack_retx_max_ns + 1);
	TAKEN(nack_retx_ns, good.nack_retx_max_ns);
	REFUSED(nack_retx_max_ns, day + 1);
	TAKEN(nack_retx_max_ns, day);
}

/* The longest times there may be do not wrap a clock. */
TEST(rudi_cfg_check__largest_times_are_no_overflow)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	const u64 day = 86400ULL * 1000 * MS;
	struct ruditest t;

	cfg.rto_init_ns = day;
	cfg.rto_max_ns = day;
	cfg.max_rto_retx = 15;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 1);
	while (!t.nr_up) {
		EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + day);
		rt_expire(&t);
	}
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_TIMEOUT);
	EXPECT_EQ(rt_info(&t).stats.tx_retx, 15);
	rt_close(&t);
}

/* ---------------------------------------------------------------- pkt_ids */

TEST(rudi_tx_req__ids_begin_at_the_given_id_and_wrap)
{
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 5);
	ASSERT_EQ(t.nr_tx, 5);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(t.tx[i].hdr.u.rudi.pkt_id, FIRST_ID + i);
	rt_close(&t);
}

TEST(rudi_tx_req__space_is_one_window)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, UET_RUDI_WINDOW_DEFAULT);
	EXPECT_FALSE(uet_rudi_tx_space(t.rudi));
	EXPECT_EQ(rt_info(&t).nr_open, UET_RUDI_WINDOW_DEFAULT);
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID + 9, 0), UET_DROP_NONE);
	EXPECT_TRUE(uet_rudi_tx_space(t.rudi));
	/* The request that waits longest for its answer does not block the others. */
	EXPECT_EQ(uet_rudi_tx_req(t.rudi, &pkt),
		  FIRST_ID + 9 + UET_RUDI_WINDOW_DEFAULT);
	EXPECT_FALSE(uet_rudi_tx_space(t.rudi));
	rt_close(&t);
}

/* A place is taken again, an id is not. */
TEST(rudi_tx_req__ids_are_unique_while_outstanding)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	u32 ids[8], i, k, n = 0;
	struct ruditest t;

	cfg.window = 8;
	rt_open_cfg(&t, &cfg);
	for (i = 0; i < 8; i++)
		ids[i] = uet_rudi_tx_req(t.rudi, &pkt);
	rt_run(&t);
	for (n = 0; n < 10000; n++) {
		i = utest_rand() % 8;
		ASSERT_EQ(rt_rx_resp(&t, ids[i], 0), UET_DROP_NONE);
		ASSERT_EQ(t.nr_up, 1);
		ids[i] = uet_rudi_tx_req(t.rudi, &pkt);
		rt_run(&t);
		for (k = 0; k < 8; k++)
			ASSERT_TRUE(k == i || ids[k] != ids[i]);
	}
	rt_close(&t);
}

TEST(rudi_tx_req__window_of_one_works)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	struct ruditest t;

	cfg.window = 1;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 1);
	EXPECT_FALSE(uet_rudi_tx_space(t.rudi));
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID, 0), UET_DROP_NONE);
	rt_send(&t, 1);
	EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID + 1);
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID, 0), UET_DROP_BAD_RUDI_ID);
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID + 1, 0), UET_DROP_NONE);
	rt_close(&t);
}

/* ---------------------------------------------------------------- sending */

TEST(rudi_poll_tx__request_bytes_are_exact)
{
	struct uet_pds_pkt pkt = {
		.msg = &pkt, .offset = 3, .len = 77,
		.next_hdr = UET_NH_REQ_MEDIUM,
	};
	u8 want[UET_RUDI_LEN], got[UET_PDS_MAX_LEN];
	struct uet_pdc_tx tx;
	struct ruditest t;

	rt_open(&t);
	uet_rudi_tx_req(t.rudi, &pkt);
	ASSERT_TRUE(uet_rudi_poll_tx(t.rudi, &tx, t.now));
	EXPECT_EQ(tx.kind, UET_TX_REQ);
	EXPECT_FALSE(tx.is_retx);
	EXPECT_PTR_EQ(tx.pkt.msg, &pkt);
	EXPECT_EQ(tx.pkt.offset, 3);
	EXPECT_EQ(tx.pkt.len, 77);
	EXPECT_EQ(uet_wire_pds_encode(&tx.hdr, got, sizeof(got)), UET_RUDI_LEN);
	utest_unhex("21000000 fffffffe", want, sizeof(want));
	EXPECT_MEMEQ(got, want, UET_RUDI_LEN);
	EXPECT_FALSE(uet_rudi_poll_tx(t.rudi, &tx, t.now));

	t.now = uet_rudi_deadline(t.rudi);
	uet_rudi_tick(t.rudi, t.now);
	ASSERT_TRUE(uet_rudi_poll_tx(t.rudi, &tx, t.now));
	EXPECT_TRUE(tx.is_retx);
	EXPECT_EQ(tx.pkt.len, 77);
	EXPECT_EQ(uet_wire_pds_encode(&tx.hdr, got, sizeof(got)), UET_RUDI_LEN);
	utest_unhex("21100000 fffffffe", want, sizeof(want));
	EXPECT_MEMEQ(got, want, UET_RUDI_LEN);
	rt_close(&t);
}

TEST(rudi_poll_tx__every_transmission_takes_its_own_path)
{
	struct ruditest t;
	u32 i, same = 0;
	u16 ev;

	rt_open(&t);
	rt_send(&t, 100);
	for (i = 1; i < 100; i++)
		same += t.tx[i].ev == t.tx[i - 1].ev;
	EXPECT_LE(same, 1);
	ev = t.tx[0].ev;
	rt_expire(&t);
	ASSERT_EQ(t.nr_tx, 100);
	EXPECT_NE(t.tx[0].ev, ev);
	for (i = 0; i < 100; i++)
		EXPECT_NE(t.tx[i].ev, 0);
	rt_close(&t);
}

TEST(rudi_poll_tx__retransmissions_go_first)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 2);
	uet_rudi_tx_req(t.rudi, &pkt);
	t.now = uet_rudi_deadline(t.rudi);
	uet_rudi_tick(t.rudi, t.now);
	rt_run(&t);
	ASSERT_EQ(t.nr_tx, 3);
	EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID);
	EXPECT_EQ(t.tx[1].hdr.u.rudi.pkt_id, FIRST_ID + 1);
	EXPECT_FALSE(t.tx[2].is_retx);
	rt_close(&t);
}

/* -------------------------------------------------------------- time-outs */

TEST(rudi_deadline__deadline_is_never_without_work)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct ruditest t;

	rt_open(&t);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), UET_NEVER);
	/* An unsent request cannot be late. */
	uet_rudi_tx_req(t.rudi, &pkt);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), UET_NEVER);
	rt_run(&t);
	EXPECT_EQ(uet_rudi_deadline(t.rudi),
		  t.now + uet_rudi_cfg_default.rto_init_ns);
	rt_rx_resp(&t, FIRST_ID, 0);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), UET_NEVER);
	rt_close(&t);
}

TEST(rudi_tick__early_tick_does_nothing)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	rt_tick_to(&t, uet_rudi_deadline(t.rudi) - 1);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(rt_info(&t).stats.rto_fired, 0);
	rt_tick_to(&t, uet_rudi_deadline(t.rudi));
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(rt_info(&t).stats.rto_fired, 1);
	rt_close(&t);
}

/* RTO_Init_Time x 2^retry, bounded, and an end. */
TEST(rudi_tick__backs_off_and_gives_up)
{
	const struct uet_rudi_cfg *cfg = &uet_rudi_cfg_default;
	u64 rto = cfg->rto_init_ns;
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 1);
	for (i = 0; i < cfg->max_rto_retx; i++) {
		EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + rto);
		rt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX);
		EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID);
		EXPECT_EQ(t.nr_up, 0);
		rto = min(2 * rto, cfg->rto_max_ns);
	}
	EXPECT_EQ(rto, cfg->rto_max_ns);
	rt_expire(&t);
	EXPECT_EQ(t.nr_tx, 0);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].kind, UET_UP_FAILED);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_TIMEOUT);
	EXPECT_EQ(t.up[0].nack_code, 0);
	EXPECT_TRUE(uet_rudi_is_idle(t.rudi));
	EXPECT_EQ(uet_rudi_deadline(t.rudi), UET_NEVER);
	rt_close(&t);
}

/* One that is often lost does not slow the others down. */
TEST(rudi_tick__each_request_backs_off_by_itself)
{
	const u64 rto = uet_rudi_cfg_default.rto_init_ns;
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	rt_expire(&t);
	rt_expire(&t);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + 4 * rto);
	rt_send(&t, 1);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + rto);
	rt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID + 1);
	EXPECT_EQ(uet_rudi_deadline(t.rudi), t.now + 2 * rto);
	rt_close(&t);
}

TEST(rudi_tick__only_late_requests_are_repeated)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	t.now += MS;
	rt_send(&t, 1);
	rt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID);
	rt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.rudi.pkt_id, FIRST_ID + 1);
	rt_close(&t);
}

/* --------------------------------------------------------------- outcomes */

TEST(rudi_poll_up__outcome_comes_once_with_its_packet)
{
	struct uet_pds_pkt pkt = {
		.msg = &pkt, .offset = 4096, .len = 100,
		.next_hdr = UET_NH_REQ_STD, .flags = UET_PKT_EOM,
	};
	struct ruditest t;

	rt_open(&t);
	uet_rudi_tx_req(t.rudi, &pkt);
	rt_run(&t);
	EXPECT_EQ(t.nr_up, 0);
	rt_rx_resp(&t, FIRST_ID, 0);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].kind, UET_UP_ACKED);
	EXPECT_PTR_EQ(t.up[0].pkt.msg, &pkt);
	EXPECT_EQ(t.up[0].pkt.offset, 4096);
	EXPECT_EQ(t.up[0].pkt.len, 100);
	EXPECT_EQ(t.up[0].pkt.flags, UET_PKT_EOM);
	EXPECT_EQ(t.up[0].error, UET_PDC_OK);
	rt_run(&t);
	EXPECT_EQ(t.nr_up, 0);
	rt_close(&t);
}

/* Until the outcome is taken, the request keeps its place. */
TEST(rudi_poll_up__taken_outcome_frees_the_slot)
{
	struct uet_rudi_cfg cfg = uet_rudi_cfg_default;
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = rt_resp(FIRST_ID, 0);
	struct uet_rudi_up up;
	struct uet_pds_pkt pkt;
	struct ruditest t;

	cfg.window = 1;
	rt_open_cfg(&t, &cfg);
	rt_send(&t, 1);
	EXPECT_EQ(uet_rudi_rx_resp(t.rudi, &hdr, &rsp, t.now, &pkt),
		  UET_DROP_NONE);
	EXPECT_FALSE(uet_rudi_tx_space(t.rudi));
	EXPECT_FALSE(uet_rudi_is_idle(t.rudi));
	EXPECT_EQ(rt_info(&t).nr_open, 0);
	EXPECT_EQ(rt_info(&t).nr_done, 1);
	EXPECT_TRUE(uet_rudi_poll_up(t.rudi, &up));
	EXPECT_TRUE(uet_rudi_tx_space(t.rudi));
	EXPECT_TRUE(uet_rudi_is_idle(t.rudi));
	EXPECT_FALSE(uet_rudi_poll_up(t.rudi, &up));
	rt_close(&t);
}

TEST(rudi_poll_up__outcomes_follow_the_order_of_answers)
{
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	static const u32 order[] = { 2, 0, 1 };
	struct uet_pds_hdr hdr;
	struct uet_pds_pkt pkt;
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 3);
	for (i = 0; i < 3; i++) {
		hdr = rt_resp(FIRST_ID + order[i], 0);
		uet_rudi_rx_resp(t.rudi, &hdr, &rsp, t.now, &pkt);
	}
	rt_run(&t);
	ASSERT_EQ(t.nr_up, 3);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(t.up[i].pkt.offset, order[i]);
	rt_close(&t);
}

/* ------------------------------------------------------------------ abort */

TEST(rudi_abort__fails_all_that_have_no_outcome)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = rt_resp(FIRST_ID, 0);
	struct ruditest t;
	u32 i;

	rt_open(&t);
	rt_send(&t, 4);
	rt_rx_nack(&t, UET_NACK_NO_RESOURCE, FIRST_ID + 1, 0);	/* held */
	hdr = rt_nack(UET_NACK_TRIMMED, FIRST_ID + 2, 0);	/* again */
	uet_rudi_rx_nack(t.rudi, &hdr, t.now);
	hdr = rt_resp(FIRST_ID, 0);				/* answered */
	uet_rudi_rx_resp(t.rudi, &hdr, &rsp, t.now, &pkt);
	uet_rudi_tx_req(t.rudi, &pkt);				/* never sent */

	uet_rudi_abort(t.rudi);
	rt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	ASSERT_EQ(t.nr_up, 5);
	EXPECT_EQ(t.up[0].kind, UET_UP_ACKED);
	for (i = 1; i < 5; i++) {
		EXPECT_EQ(t.up[i].kind, UET_UP_FAILED);
		EXPECT_EQ(t.up[i].error, UET_PDC_ERR_ABORT);
	}
	EXPECT_TRUE(uet_rudi_is_idle(t.rudi));
	EXPECT_EQ(uet_rudi_deadline(t.rudi), UET_NEVER);
	/* Late answers find nobody. */
	EXPECT_EQ(rt_rx_resp(&t, FIRST_ID + 1, 0), UET_DROP_BAD_RUDI_ID);
	rt_close(&t);
}

TEST(rudi_abort__new_requests_may_follow)
{
	struct ruditest t;

	rt_open(&t);
	rt_send(&t, 1);
	uet_rudi_abort(t.rudi);
	rt_run(&t);
	rt_send(&t, 1);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(rt_rx_resp(&t, t.tx[0].hdr.u.rudi.pkt_id, 0), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 1);
	rt_close(&t);
}
