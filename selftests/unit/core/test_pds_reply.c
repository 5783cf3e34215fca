// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pds_reply.c: which packets open a PDC, which
 * unknown peers are answered, and that no answer is answered.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.12.7.  Level: test of core L4.
 */
#include "pdctest.h"

static bool opens(struct uet_pds_hdr hdr, enum uet_pdc_mode want_mode)
{
	enum uet_pdc_mode mode = 99;
	u16 pdcid = 0;
	u32 start = 0;

	if (!uet_pds_opens_pdc(&hdr, &mode, &pdcid, &start)) {
		EXPECT_EQ(pdcid, 0);
		return false;
	}
	EXPECT_EQ(mode, want_mode);
	EXPECT_EQ(pdcid, PEER_ID);
	EXPECT_EQ(start, START);
	return true;
}

TEST(pds_opens_pdc__requests_with_syn_open)
{
	struct uet_pds_hdr hdr = pt_req(START + 20, UET_F_SYN);

	EXPECT_TRUE(opens(hdr, UET_PDC_RUD));
	hdr.type = UET_TY_RUD_CC_REQ;
	EXPECT_TRUE(opens(hdr, UET_PDC_RUD));
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_TRUE(opens(hdr, UET_PDC_ROD));
	hdr.type = UET_TY_ROD_CC_REQ;
	EXPECT_TRUE(opens(hdr, UET_PDC_ROD));
	hdr.flags = 0;
	EXPECT_FALSE(opens(hdr, UET_PDC_ROD));
}

TEST(pds_opens_pdc__noop_and_negotiation_with_syn_open)
{
	EXPECT_TRUE(opens(pt_cp(UET_CP_NOOP, START + 5, UET_F_SYN),
			  UET_PDC_RUD));
	EXPECT_TRUE(opens(pt_cp(UET_CP_NEGOTIATION, START,
				UET_F_SYN | UET_F_ISROD), UET_PDC_ROD));
	EXPECT_FALSE(opens(pt_cp(UET_CP_CLOSE_COMMAND, START, UET_F_SYN), 0));
	EXPECT_FALSE(opens(pt_cp(UET_CP_NOOP, START, 0), 0));
}

/* REQ_CLOSE has the value of SYN: the flag means something else in an ACK. */
TEST(pds_opens_pdc__an_ack_opens_no_pdc)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);

	hdr.flags = UET_F_REQ_CLOSE;
	EXPECT_FALSE(opens(hdr, 0));
}

/* Any bit of pdc_info, because implementations disagree on which. */
TEST(pds_wants_reserved__any_bit_of_pdc_info_requests_it)
{
	struct uet_pds_hdr req = pt_req(START, UET_F_SYN);
	struct uet_pds_hdr cp = pt_cp(UET_CP_NOOP, START, UET_F_SYN);
	u8 info;

	for (info = 0; info <= UET_PDC_INFO_MAX; info++) {
		req.u.req.pdc_info = info;
		cp.u.cp.pdc_info = info;
		EXPECT_EQ(uet_pds_wants_reserved(&req), info != 0);
		EXPECT_EQ(uet_pds_wants_reserved(&cp), info != 0);
	}
}

static bool answered(struct uet_pds_hdr hdr)
{
	struct uet_pdc_tx tx;

	return uet_pds_reply_no_pdc(&hdr, &pt_in, UET_NACK_INV_DPDCID, &tx);
}

TEST(pds_reply__nack_names_the_psn_without_a_pdc)
{
	struct uet_rx_info in = { .ev = 5, .ce = true };
	struct uet_pds_hdr hdr = pt_req(START + 3, UET_F_RETX);
	struct uet_pdc_tx tx;

	EXPECT_TRUE(uet_pds_reply_no_pdc(&hdr, &in, UET_NACK_NO_PDC_AVAIL,
					 &tx));
	EXPECT_EQ(tx.kind, UET_TX_NACK);
	EXPECT_EQ(tx.ev, 5);
	EXPECT_EQ(tx.hdr.type, UET_TY_NACK);
	EXPECT_EQ(tx.hdr.flags, UET_F_M | UET_F_RETX);
	EXPECT_EQ(tx.hdr.u.nack.code, UET_NACK_NO_PDC_AVAIL);
	EXPECT_EQ(tx.hdr.u.nack.psn, START + 3);
	EXPECT_EQ(tx.hdr.u.nack.spdcid, 0);
	EXPECT_EQ(tx.hdr.u.nack.dpdcid, PEER_ID);
}

TEST(pds_reply__only_packets_with_a_psn_are_answered)
{
	EXPECT_TRUE(answered(pt_cp(UET_CP_NOOP, START, 0)));
	EXPECT_TRUE(answered(pt_cp(UET_CP_CLOSE_COMMAND, START, 0)));
	EXPECT_TRUE(answered(pt_cp(UET_CP_CLOSE_REQUEST, START, 0)));
	EXPECT_TRUE(answered(pt_cp(UET_CP_ACK_REQUEST, START, 0)));
	EXPECT_FALSE(answered(pt_cp(UET_CP_CLEAR_COMMAND, 0, 0)));
	EXPECT_FALSE(answered(pt_cp(UET_CP_PROBE, 0, 0)));
	EXPECT_FALSE(answered(pt_cp(UET_CP_CREDIT, 0, 0)));
}

TEST(pds_reply__acks_and_nacks_are_not_answered)
{
	struct uet_pds_hdr rudi = { .type = UET_TY_RUDI_REQ };
	struct uet_pds_hdr uud = { .type = UET_TY_UUD_REQ };

	EXPECT_FALSE(answered(pt_ack(START, START)));
	EXPECT_FALSE(answered(pt_nack(UET_NACK_INV_DPDCID, START)));
	EXPECT_FALSE(answered(rudi));
	EXPECT_FALSE(answered(uud));
}
