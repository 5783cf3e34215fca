// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_life.c: a SYN with another Start_PSN replaces a PDC
 * whose peer is silent, and no other.
 * Spec: UE 1.0.1 3.5.8.2.  Level: test of core L4.
 */
#include "pdctest.h"

static enum uet_rival rival(struct pdctest *t)
{
	enum uet_rival verdict = uet_pdc_rx_rival(t->pdc, t->now);

	pt_check(t);
	pt_run(t);
	return verdict;
}

/* The NOOP that the first such SYN causes. */
static u32 expect_noop(const struct pdctest *t)
{
	EXPECT_EQ(t->nr_tx, 1);
	EXPECT_EQ(t->tx[0].kind, UET_TX_CP);
	EXPECT_EQ(t->tx[0].hdr.next_hdr, UET_CP_NOOP);
	EXPECT_EQ(t->tx[0].hdr.u.cp.dpdcid, PEER_ID);
	return t->tx[0].hdr.u.cp.psn;
}

TEST(pdc_rx_rival__silent_peer_is_replaced_after_several_probes)
{
	struct pdctest t;
	u32 noops = 1;
	u64 end;

	pt_accepted(&t);
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	expect_noop(&t);
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	EXPECT_EQ(t.nr_tx, 0);
	end = t.pdc->rival.until;
	EXPECT_TRUE(end < t.now + 1000 * MS);
	while (uet_pdc_deadline(t.pdc) < end) {
		pt_expire(&t);
		noops += t.nr_tx;
		EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	}
	EXPECT_TRUE(noops >= 3);
	pt_tick_to(&t, end);
	EXPECT_EQ(rival(&t), UET_RIVAL_REPLACE);
	pt_close(&t);
}

TEST(pdc_rx_rival__answer_of_the_peer_keeps_the_pdc)
{
	struct pdctest t;
	u32 psn;

	pt_accepted(&t);
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	psn = expect_noop(&t);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(psn, psn)), UET_DROP_NONE);
	pt_tick_to(&t, t.now + 1000 * MS);
	EXPECT_EQ(rival(&t), UET_RIVAL_REFUSE);
	/* The next SYN is probed anew: the peer may have restarted meanwhile. */
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	expect_noop(&t);
	pt_close(&t);
}

TEST(pdc_rx_rival__any_packet_of_the_peer_keeps_the_pdc)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, 0)), UET_DROP_NONE);
	pt_tick_to(&t, t.pdc->rival.until + 1);
	EXPECT_EQ(rival(&t), UET_RIVAL_REFUSE);
	pt_close(&t);
}

TEST(pdc_rx_rival__refused_syn_is_no_sign_of_life)
{
	struct uet_pds_hdr syn = pt_req(START + 0x1000000, UET_F_SYN);
	struct pdctest t;

	syn.u.req.psn_offset = 0;
	pt_accepted(&t);
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	EXPECT_EQ(pt_rx_req(&t, syn), UET_DROP_BAD_SYN);
	pt_tick_to(&t, t.pdc->rival.until);
	EXPECT_EQ(rival(&t), UET_RIVAL_REPLACE);
	pt_close(&t);
}

/* The NACK of an end that does not have this PDC, for the NOOP that asks. */
TEST(pdc_rx_rival__nack_without_this_pdc_is_no_sign_of_life)
{
	static const struct {
		u8 code;
		u16 spdcid;
		enum uet_rival then;
	} rows[] = {
		{ UET_NACK_PSN_OOR_WINDOW, PEER_ID, UET_RIVAL_REPLACE },
		{ UET_NACK_PKT_NOT_RCVD, PEER_ID, UET_RIVAL_REPLACE },
		{ UET_NACK_NO_RESOURCE, 0, UET_RIVAL_REPLACE },
		{ UET_NACK_NO_RESOURCE, PEER_ID, UET_RIVAL_REFUSE },
	};
	struct uet_pds_hdr nack;
	struct pdctest t;
	u64 until;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		pt_accepted(&t);
		EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
		nack = pt_nack(rows[i].code, expect_noop(&t));
		nack.u.nack.spdcid = rows[i].spdcid;
		until = t.pdc->rival.until;
		EXPECT_EQ(pt_rx_nack(&t, nack), UET_DROP_NONE);
		pt_tick_to(&t, until);
		EXPECT_EQ(rival(&t), rows[i].then);
		pt_close(&t);
	}
}

/* The sender of the SYN would take the PDCID for that of its own PDC. */
TEST(pdc_rx_rival__refusal_names_no_pdc)
{
	struct uet_pds_hdr syn = pt_req(START + 0x1000000, UET_F_SYN);
	struct pdctest t;

	syn.u.req.psn_offset = 0;
	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, syn), UET_DROP_BAD_SYN);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_INVALID_SYN);
	EXPECT_EQ(t.tx[0].hdr.u.nack.spdcid, 0);
	EXPECT_EQ(t.tx[0].hdr.u.nack.dpdcid, PEER_ID);
	/* Of this PDC, but beyond its window. */
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 4000, UET_F_SYN)),
		  UET_DROP_OUT_OF_WINDOW);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_INVALID_SYN);
	EXPECT_EQ(t.tx[0].hdr.u.nack.spdcid, OUR_ID);
	pt_close(&t);
}

/* Packets of the return direction that wait for an answer are probes enough. */
TEST(pdc_rx_rival__packets_in_flight_need_no_noop)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_send(&t, 1);
	EXPECT_EQ(rival(&t), UET_RIVAL_WAIT);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}
