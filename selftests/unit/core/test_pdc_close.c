// SPDX-License-Identifier: GPL-2.0
/*
 * Two PDCs and a scripted wire, and every way to the end: asked by either side
 * or both, before the first answer, in idleness, over a wire that loses, and
 * not at all while a message is under way.
 * Spec: UE 1.0.1 3.5.8.3, 3.5.9.  Level: test of core L4.
 */
#include "pdcpair.h"

TEST(pdc_close__initiator_closes_both_ends)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 10, MS);
	uet_pdc_close(p.end[INI], p.now);
	pair_run_until(&p, p.now + MS);

	EXPECT_TRUE(uet_pdc_is_dead(p.end[INI]));
	EXPECT_TRUE(uet_pdc_is_dead(p.end[TGT]));
	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	EXPECT_EQ(p.acked, 10);
	pair_close(&p);
}

TEST(pdc_close__waits_for_packets_in_flight)
{
	struct uet_pds_pkt pkt = {
		.len = 1024,
		.next_hdr = UET_NH_REQ_STD,
		.flags = UET_PKT_SOM | UET_PKT_EOM,
	};
	struct pair p;
	u32 i;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 1, MS);
	p.fate = pair_lose_every_10th;
	for (i = 0; i < 50; i++)
		uet_pdc_tx_req(p.end[INI], &pkt, p.now);
	uet_pdc_close(p.end[INI], p.now);
	EXPECT_FALSE(uet_pdc_takes_messages(p.end[INI]));
	pair_run_until(&p, p.now + 100 * MS);

	pair_expect_once(&p, 51);
	EXPECT_EQ(p.acked, 51);
	EXPECT_TRUE(uet_pdc_is_dead(p.end[INI]));
	EXPECT_TRUE(uet_pdc_is_dead(p.end[TGT]));
	pair_close(&p);
}

TEST(pdc_close__close_before_the_first_ack_delivers_the_packet)
{
	struct pair p;
	struct uet_pds_pkt pkt = {
		.next_hdr = UET_NH_REQ_STD,
		.flags = UET_PKT_SOM | UET_PKT_EOM | UET_PKT_TAIL,
	};

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	uet_pdc_tx_req(p.end[INI], &pkt, p.now);
	uet_pdc_close(p.end[INI], p.now);
	pair_run_until(&p, p.now + MS);

	EXPECT_EQ(p.acked, 1);
	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&p);
}

TEST(pdc_close__target_asks)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 10, MS);
	uet_pdc_close(p.end[TGT], p.now);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSE_WAIT);
	pair_run_until(&p, p.now + MS);

	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&p);
}

TEST(pdc_close__simultaneous_closes_complete)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 10, MS);
	uet_pdc_close(p.end[TGT], p.now);
	uet_pdc_close(p.end[INI], p.now);
	pair_run_until(&p, p.now + 500 * MS);

	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&p);
}

static struct pair_fate lose_close_ack(struct pair *p, int from,
				       const struct uet_pdc_tx *tx)
{
	static u32 n;

	return from == TGT && tx->kind == UET_TX_ACK && !n++ ? pair_lost() :
							       pair_intact();
}

/* The target is gone; INV_DPDCID says so, and that is closed enough. */
TEST(pdc_close__lost_close_ack_still_closes)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 10, MS);
	p.fate = lose_close_ack;
	uet_pdc_close(p.end[INI], p.now);
	pair_run_until(&p, p.now + 100 * MS);

	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&p);
}

TEST(pdc_close__close_completes_on_a_lossy_wire)
{
	struct pair p;
	int round;

	for (round = 0; round < 50; round++) {
		pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
		p.fate = pair_bad_wire;
		pair_transfer(&p, 20, 60000 * MS);
		uet_pdc_close(p.end[INI], p.now);
		pair_run_until(&p, p.now + 20000 * MS);
		EXPECT_TRUE(uet_pdc_is_dead(p.end[INI]));
		EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
		EXPECT_EQ(p.acked, 20);
		pair_close(&p);
	}
}

TEST(pdc_close__idle_time_closes_both_ends)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 10, MS);
	pair_run_until(&p, p.now + uet_pdc_cfg_default.idle_ns - MS);
	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_ESTABLISHED);
	pair_run_until(&p, p.now + 2 * MS);

	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&p);
}

/* A message without end keeps both ends open: NOOPs show that we are alive. */
TEST(pdc_close__held_pdc_is_not_idle)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	uet_pdc_hold(p.end[INI], true, p.now);
	pair_transfer(&p, 1, MS);
	pair_run_until(&p, p.now + 10 * uet_pdc_cfg_default.target_idle_ns);
	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_ESTABLISHED);
	EXPECT_GE(pair_stats(&p, TGT)->rx_cp, 29);
	uet_pdc_hold(p.end[INI], false, p.now);
	pair_run_until(&p, p.now + 100000 * MS);

	EXPECT_EQ(pair_state(&p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&p);
}

TEST(pdc_close__target_gives_an_idle_peer_up)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	pair_transfer(&p, 10, MS);
	p.fate = pair_dead_wire;
	pair_run_until(&p, p.now + uet_pdc_cfg_default.target_idle_ns + 1000 * MS);

	EXPECT_EQ(pair_state(&p, TGT), UET_PDC_ST_ERROR);
	EXPECT_TRUE(uet_pdc_is_dead(p.end[TGT]));
	EXPECT_TRUE(uet_pdc_is_dead(p.end[INI]));
	pair_close(&p);
}
