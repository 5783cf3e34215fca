// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of NOOP and NEGOTIATION from the side that sends them: they open a
 * PDC, look as they should, are repeated, and the outcome of a NOOP is told.
 * Spec: UE 1.0.1 3.5.16, UE 1.0.3 3.5.16.7.1.  Level: test of core L4.
 */
#include "pdctest.h"

static int cookie;

static void expect_bytes(const struct uet_pdc_tx *tx, const u8 *golden,
			 size_t len)
{
	u8 buf[UET_CP_NEG_LEN];

	EXPECT_EQ(uet_wire_pds_encode(&tx->hdr, buf, sizeof(buf)), len);
	EXPECT_MEMEQ(buf, golden, len);
}

TEST(pdc_tx_noop__opens_a_pdc)
{
	static const u8 golden[UET_CP_LEN] = {
		0x58, 0x0c, 0x00, 0x00,		/* CP, NOOP, AR, SYN */
		0xff, 0xff, 0xff, 0xf0,		/* psn */
		0x0a, 0x01, 0x00, 0x00,		/* spdcid, psn_offset 0 */
		0x00, 0x00, 0x00, 0x00,
	};
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	EXPECT_TRUE(uet_pdc_tx_noop(t.pdc, &cookie, t.now));
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	expect_bytes(&t.tx[0], golden, sizeof(golden));
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NONE);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].kind, UET_UP_NOOP_ACKED);
	EXPECT_TRUE(t.up[0].pkt.msg == &cookie);
	pt_close(&t);
}

TEST(pdc_tx_noop__second_of_the_first_window_has_its_offset)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 3);
	uet_pdc_tx_noop(t.pdc, NULL, t.now);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_SYN | UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, START + 3);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn_offset, 3);
	pt_close(&t);
}

TEST(pdc_tx_noop__says_the_mode)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_ROD, &cfg);
	uet_pdc_tx_noop(t.pdc, NULL, t.now);
	pt_run(&t);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_SYN | UET_F_AR | UET_F_ISROD);
	pt_close(&t);
}

TEST(pdc_tx_noop__is_repeated_and_drops_the_syn)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	uet_pdc_tx_noop(t.pdc, NULL, t.now);
	pt_run(&t);
	pt_rx_ack(&t, pt_ack(START, START));
	pt_expire(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_NOOP);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX | UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.cp.dpdcid, PEER_ID);
	pt_close(&t);
}

TEST(pdc_tx_noop__failure_is_reported)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_tx_noop(t.pdc, &cookie, t.now);
	uet_pdc_abort(t.pdc, t.now);
	pt_run(&t);

	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].kind, UET_UP_NOOP_FAILED);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_ABORT);
	EXPECT_TRUE(t.up[0].pkt.msg == &cookie);
	pt_close(&t);
}

/* That of a silent PDC is its own affair; and a slot has no memory. */
TEST(pdc_tx_noop__only_requested_noops_are_reported)
{
	u32 window = uet_pdc_cfg_default.window, i;
	struct pdctest t;

	pt_established(&t, 0);
	for (i = 1; i <= window; i++) {
		uet_pdc_tx_noop(t.pdc, &cookie, t.now);
		pt_run(&t);
		pt_rx_ack(&t, pt_ack(START + i, START + i));
		EXPECT_EQ(t.nr_up, 1);
	}
	uet_pdc_hold(t.pdc, true, t.now);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_NOOP);
	pt_rx_ack(&t, pt_ack(START + i, START + i));
	EXPECT_EQ(t.nr_up, 0);
	pt_close(&t);
}

TEST(pdc_tx_noop__noop_needs_window_space_and_an_open_pdc)
{
	struct pdctest t;
	u32 i;

	pt_established(&t, 0);
	for (i = 0; i < uet_pdc_cfg_default.window; i++)
		EXPECT_TRUE(uet_pdc_tx_noop(t.pdc, NULL, t.now));
	EXPECT_FALSE(uet_pdc_tx_noop(t.pdc, NULL, t.now));
	EXPECT_FALSE(uet_pdc_tx_negotiate(t.pdc, t.now));
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_FALSE(uet_pdc_tx_noop(t.pdc, NULL, t.now));
	pt_close(&t);
}

TEST(pdc_tx_negotiate__offers_nothing)
{
	static const u8 golden[UET_CP_NEG_LEN] = {
		0x5c, 0x8c, 0x00, 0x00,		/* CP, NEGOTIATION, AR, SYN */
		0xff, 0xff, 0xff, 0xf0,		/* psn */
		0x0a, 0x01, 0x00, 0x00,		/* spdcid, psn_offset 0 */
		0x01, 0x02, 0x00, 0x00,		/* PDS_NEG_ON_OFF */
		0x00, 0x00, 0x00, 0x00,		/* no feature */
	};
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	EXPECT_TRUE(uet_pdc_tx_negotiate(t.pdc, t.now));
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	expect_bytes(&t.tx[0], golden, sizeof(golden));
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

/* Unknown features are noted and stay off; the ACK is all the answer. */
TEST(pdc_rx_negotiate__is_acked_and_noted)
{
	struct uet_pds_hdr hdr = pt_cp(UET_CP_NEGOTIATION, START + 1, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	hdr.u.cp.payload = UET_CP_NEG_ON_OFF | 0xffff;
	hdr.u.cp.neg_mask = 0xdeadbeef;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(pt_info(&t).peer_features, 0xdeadbeef);
	/* A copy, and a payload of another kind, change nothing. */
	hdr.u.cp.neg_mask = 1;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_DUPLICATE);
	hdr.u.cp.psn++;
	hdr.u.cp.payload = 0x02020000;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_info(&t).peer_features, 0xdeadbeef);
	pt_close(&t);
}
