// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_rx.c: identity of a packet, the expected window
 * at its edges, duplicates, order in ROD, CACK_PSN with and without stored
 * responses.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.11.4, 3.5.12.2, 3.5.12.5, 3.5.21.
 * Level: test of core L4.
 */
#include "pdctest.h"

#define WINDOW	UET_PDC_WINDOW_DEFAULT

/* A request whose clear_psn_offset says CLEAR_PSN is @clear. */
static struct uet_pds_hdr req_clear(u32 psn, u32 clear)
{
	struct uet_pds_hdr hdr = pt_req(psn, 0);

	hdr.u.req.clear_off = (s16)(clear - psn);
	return hdr;
}

static u32 cack(const struct pdctest *t)
{
	return pt_info(t).rx_cack_psn;
}

TEST(pdc_rx__syn_opens_and_is_acked_at_once)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[0].hdr.type, UET_TY_ACK_CC);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_EQ(t.tx[0].hdr.u.ack.ack_off, 0);
	EXPECT_EQ(t.tx[0].hdr.u.ack.spdcid, OUR_ID);
	EXPECT_EQ(t.tx[0].hdr.u.ack.dpdcid, PEER_ID);
	EXPECT_EQ(t.tx[0].hdr.u.ack.mpr, WINDOW / 128);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_RSP);
	EXPECT_EQ(t.tx[0].rsp.msg_id, 0x77);
	EXPECT_EQ(t.tx[0].rsp.job, 0x123456);
	EXPECT_EQ(t.tx[0].ev, pt_in.ev);
	pt_close(&t);
}

TEST(pdc_rx_is_next__knows_the_packet_behind_cack)
{
	struct uet_pds_hdr hdr = pt_req(START, 0);
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	EXPECT_EQ(uet_pdc_rx_is_next(t.pdc, &hdr), true);
	pt_rx_req(&t, pt_req(START + 1, UET_F_SYN));
	EXPECT_EQ(uet_pdc_rx_is_next(t.pdc, &hdr), true);
	hdr = pt_req(START + 2, 0);
	EXPECT_EQ(uet_pdc_rx_is_next(t.pdc, &hdr), false);
	pt_rx_req(&t, pt_req(START, UET_F_SYN));
	EXPECT_EQ(uet_pdc_rx_is_next(t.pdc, &hdr), true);
	pt_close(&t);
}

/* The SYN that creates the PDC need not be the first one sent. */
TEST(pdc_rx__syns_may_arrive_out_of_order)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 2, UET_F_SYN)), UET_DROP_NONE);
	EXPECT_EQ(cack(&t), START - 1);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 2);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 4);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_SYN)), UET_DROP_NONE);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);

	EXPECT_EQ(cack(&t), START + 2);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_rx__first_packet_without_syn_establishes)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, 0)), UET_DROP_NONE);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_rx__late_syn_on_an_established_pdc_is_accepted)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 2, 0));
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_SYN)), UET_DROP_NONE);

	EXPECT_EQ(cack(&t), START + 2);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_rx__syn_with_another_start_psn_is_refused)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, UET_F_SYN);
	struct pdctest t;

	pt_accepted(&t);
	hdr.u.req.psn_offset = 0;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_BAD_SYN);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_INVALID_SYN);
	EXPECT_EQ(cack(&t), START);
	pt_close(&t);
}

TEST(pdc_rx__initiator_drops_syns)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_SYN)), UET_DROP_BAD_SYN);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_rx__foreign_pdcids_are_dropped)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct pdctest t;

	pt_accepted(&t);
	hdr.u.req.spdcid ^= 1;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_PDCID_MISMATCH);
	hdr.u.req.spdcid ^= 1;
	hdr.u.req.dpdcid ^= 1;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_PDCID_MISMATCH);

	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_rx__requests_before_the_first_ack_are_dropped)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, 0)), UET_DROP_BAD_STATE);
	pt_close(&t);
}

TEST(pdc_rx__return_direction_works)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_AR)), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, 0);
	pt_close(&t);
}

/* UE 1.0.1 Table 3-44: an initiator asks for nothing in its ACKs. */
TEST(pdc_rx__an_initiator_never_asks_for_a_clear)
{
	struct pdctest t;

	pt_established(&t, 0);
	pt_rx_req_rsp(&t, pt_req(START, 0), UET_RSP_RESPONSE, UET_RC_BAD_PID);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_BAD_PID);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, 0);
	pt_close(&t);
}

TEST(pdc_rx__wrong_mode_is_refused)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct pdctest t;

	pt_accepted(&t);
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_MODE_MISMATCH);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_PDC_MODE_MISMATCH);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 1);
	pt_close(&t);
}

TEST(pdc_rx__cc_request_is_a_request)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct pdctest t;

	pt_accepted(&t);
	hdr.type = UET_TY_RUD_CC_REQ;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(cack(&t), START + 1);
	pt_close(&t);
}

TEST(pdc_rx_window__window_edges_are_exact)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + WINDOW, 0)), UET_DROP_NONE);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + WINDOW + 1, 0)),
		  UET_DROP_OUT_OF_WINDOW);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_PSN_OOR_WINDOW);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + WINDOW + 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.spdcid, OUR_ID);
	EXPECT_EQ(t.tx[0].hdr.u.nack.dpdcid, PEER_ID);
	pt_close(&t);
}

TEST(pdc_rx_window__syn_beyond_the_window_is_invalid)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + WINDOW + 1, UET_F_SYN)),
		  UET_DROP_OUT_OF_WINDOW);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_INVALID_SYN);
	pt_close(&t);
}

static void receive_in_order(struct pdctest *t, u32 n)
{
	u32 psn;

	for (psn = cack(t) + 1; n--; psn++)
		EXPECT_EQ(pt_rx_req(t, pt_req(psn, 0)), UET_DROP_NONE);
}

TEST(pdc_rx_window__packet_below_the_window_is_dropped)
{
	struct pdctest t;
	u32 top;

	pt_accepted(&t);
	receive_in_order(&t, 300);
	top = cack(&t);
	EXPECT_EQ(top, START + 300);

	EXPECT_EQ(pt_rx_req(&t, pt_req(top - WINDOW + 1, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_rx_req(&t, pt_req(top - WINDOW, UET_F_RETX)),
		  UET_DROP_FAR_BELOW_WINDOW);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_rx_req(&t, pt_req(top - WINDOW, UET_F_SYN)),
		  UET_DROP_FAR_BELOW_WINDOW);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_INVALID_SYN);
	pt_close(&t);
}

TEST(pdc_rx_dup__network_duplicate_is_silent)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 3, 0)), UET_DROP_NONE);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 3, 0)), UET_DROP_DUPLICATE);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_SYN)), UET_DROP_DUPLICATE);

	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_dup, 2);
	pt_close(&t);
}

TEST(pdc_rx_dup__retransmission_gets_its_own_ack)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 3, 0));
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 3, UET_F_RETX)),
		  UET_DROP_DUPLICATE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 3);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_RETX);
	EXPECT_EQ(t.tx[0].rsp.opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_OK);
	pt_close(&t);
}

TEST(pdc_rx_dup__duplicate_below_cack_is_acked_again)
{
	struct pdctest t;

	pt_accepted(&t);
	receive_in_order(&t, 5);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 2, UET_F_RETX)),
		  UET_DROP_DUPLICATE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 2);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 5);
	EXPECT_EQ(t.tx[0].rsp.opcode, UET_RSP_DEFAULT);
	pt_close(&t);
}

/* UE 1.0.1 3.5.12.5: the stored response is sent again, not a default one. */
TEST(pdc_rx_dup__stored_response_is_repeated)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE,
		      UET_RC_NO_MATCH);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_RETX)),
		  UET_DROP_DUPLICATE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 1);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_NO_MATCH);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, UET_F_REQ_CLEAR);
	pt_close(&t);
}

TEST(pdc_rx_accept__out_of_order_is_counted_and_sacked)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 2, 0));
	pt_rx_req(&t, pt_req(START + 5, UET_F_AR));

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 5);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 0x12);
	EXPECT_EQ(t.tx[0].hdr.u.ack.state.nscc.ooo_count, 2);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_ooo, 2);
	pt_close(&t);
}

/* rcvd_bytes: nominal bytes of new packets, rounded up to 256. */
TEST(pdc_rx_accept__received_bytes_count_new_packets_only)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(t.tx[0].hdr.u.ack.state.nscc.rcvd_bytes, (1100 + 255) / 256);
	pt_rx_req(&t, pt_req(START + 1, UET_F_AR));
	EXPECT_EQ(t.tx[0].hdr.u.ack.state.nscc.rcvd_bytes, (2200 + 255) / 256);
	pt_rx_req(&t, pt_req(START + 1, UET_F_RETX));
	EXPECT_EQ(t.tx[0].hdr.u.ack.state.nscc.rcvd_bytes, (2200 + 255) / 256);
	pt_close(&t);
}

TEST(pdc_rx_refuse__is_a_nack_and_not_received)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, UET_F_RETX);
	struct uet_rx_info in = { .ev = 9, .ce = true, .bytes = 100 };
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	uet_pdc_rx_req(t.pdc, &hdr, &in, t.now, &deliver);
	ASSERT_TRUE(deliver);
	uet_pdc_rx_refuse(t.pdc, &hdr, &in, UET_NACK_NO_PKT_BUFFER, t.now);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_NO_PKT_BUFFER);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 1);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX | UET_F_M);
	EXPECT_EQ(t.tx[0].ev, 9);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_RETX)), UET_DROP_NONE);
	pt_close(&t);
}

/* The worked example of UE 1.0.1 figure 3-76, with START for PSN 333. */
TEST(pdc_rx_gtd__worked_example_of_figure_3_76_holds)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	pt_rx_req_rsp(&t, pt_req(START, UET_F_SYN), UET_RSP_RESPONSE,
		      UET_RC_NO_MATCH);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START - 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.ack_off, 1);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, UET_F_REQ_CLEAR);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_NO_MATCH);

	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 1, START)), UET_DROP_NONE);
	EXPECT_EQ(cack(&t), START + 1);
	pt_close(&t);
}

/* A peer whose CLEAR_PSN is the CACK_PSN clears nothing above it. */
TEST(pdc_rx_gtd__where_acks_clear_cack_passes_with_the_ack)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.ack_clears = true;
	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	pt_rx_req(&t, pt_req(START, UET_F_SYN));
	pt_rx_req_rsp(&t, req_clear(START + 1, START), UET_RSP_RESPONSE,
		      UET_RC_BAD_PID);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 1);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_BAD_PID);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, 0);
	pt_close(&t);
}

TEST(pdc_rx_gtd__where_acks_clear_a_retransmission_gets_its_response_again)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u32 i;

	cfg.ack_clears = true;
	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	pt_rx_req(&t, pt_req(START, UET_F_SYN));
	pt_rx_req_rsp(&t, req_clear(START + 1, START), UET_RSP_RESPONSE,
		      UET_RC_BAD_PID);
	pt_rx_req(&t, req_clear(START + 2, START));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_RETX)),
			  UET_DROP_DUPLICATE);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_BAD_PID);
	}
	pt_close(&t);
}

TEST(pdc_rx_gtd__clear_command_advances_cack)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE, UET_RC_BAD_PID);
	pt_rx_req(&t, pt_req(START + 2, 0));
	EXPECT_EQ(cack(&t), START);
	cp.u.cp.payload = START + 1;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_NONE);

	EXPECT_EQ(cack(&t), START + 2);
	pt_close(&t);
}

TEST(pdc_rx_gtd__stops_at_each_stored_response)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE, UET_RC_BAD_PID);
	pt_rx_req_rsp(&t, pt_req(START + 3, 0), UET_RSP_RESPONSE, UET_RC_BAD_PID);
	pt_rx_req(&t, pt_req(START + 2, 0));
	EXPECT_EQ(cack(&t), START);
	pt_rx_req(&t, req_clear(START + 4, START + 2));
	EXPECT_EQ(cack(&t), START + 2);
	pt_rx_req(&t, req_clear(START + 5, START + 3));
	EXPECT_EQ(cack(&t), START + 5);
	pt_close(&t);
}

/* A clear cancels a pending ACK: the peer has that answer. */
TEST(pdc_rx_gtd__clear_cancels_the_pending_ack)
{
	struct uet_ses_rsp bad = { .opcode = UET_RSP_RESPONSE };
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	uet_pdc_rx_accept(t.pdc, &hdr, &pt_in, &bad, t.now);
	hdr = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	hdr.u.cp.payload = START + 1;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_NONE);

	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(cack(&t), START + 1);
	pt_close(&t);
}

TEST(pdc_rx_clear__clear_beyond_cack_is_dropped)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 1, START + 2)),
		  UET_DROP_BAD_CLEAR_PSN);
	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 1, START + 1000)),
		  UET_DROP_BAD_CLEAR_PSN);
	cp.u.cp.payload = START + 1;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_BAD_CLEAR_PSN);

	EXPECT_EQ(cack(&t), START);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* A traffic generator writes 0 into every packet. */
TEST(pdc_rx_clear__offset_0_clears_all_before_the_packet)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, req_clear(START + 1, START + 1), UET_RSP_RESPONSE,
		      UET_RC_BAD_PID);
	EXPECT_EQ(cack(&t), START);
	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 2, START + 2)),
		  UET_DROP_NONE);
	EXPECT_EQ(cack(&t), START + 2);
	pt_close(&t);
}

/* Packets that are missing have no response that the sender could have. */
TEST(pdc_rx_clear__offset_0_behind_a_gap_clears_up_to_the_gap)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE,
		      UET_RC_BAD_PID);
	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 5, START + 5)),
		  UET_DROP_NONE);
	EXPECT_EQ(cack(&t), START + 1);
	EXPECT_TRUE(uet_pdc_rx_has(t.pdc, START + 5));
	pt_close(&t);
}

/* The sender would not send a packet again whose response it has. */
TEST(pdc_rx_clear__offset_0_of_a_retransmission_keeps_its_response)
{
	struct uet_pds_hdr again = req_clear(START + 1, START + 1);
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE,
		      UET_RC_BAD_PID);
	again.flags = UET_F_RETX;
	EXPECT_EQ(pt_rx_req(&t, again), UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_BAD_PID);
	pt_close(&t);
}

TEST(pdc_rx_clear__never_goes_back)
{
	struct pdctest t;

	pt_accepted(&t);
	receive_in_order(&t, 10);
	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 11, START + 9)),
		  UET_DROP_NONE);
	pt_rx_req_rsp(&t, pt_req(START + 12, 0), UET_RSP_RESPONSE,
		      UET_RC_BAD_PID);
	EXPECT_EQ(pt_rx_req(&t, req_clear(START + 13, START + 2)),
		  UET_DROP_NONE);
	EXPECT_EQ(cack(&t), START + 11);
	pt_close(&t);
}

/* A pending ACK that a rising CACK_PSN covers is still sent. */
TEST(pdc_rx__pending_ack_below_a_new_cack_is_sent)
{
	struct uet_ses_rsp ok = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = pt_req(START + 2, UET_F_AR);
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	uet_pdc_rx_accept(t.pdc, &hdr, &pt_in, &ok, t.now);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, 0)), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 2);
	pt_close(&t);
}

TEST(pdc_rx_rod__only_the_expected_packet_is_accepted)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN);
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_ROD, &uet_pdc_cfg_default);
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_NONE);
	hdr = pt_req(START + 2, 0);
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_ROD_OOO);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_ROD_OOO);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 2);
	EXPECT_EQ(t.tx[0].hdr.u.nack.payload, START + 1);
	pt_close(&t);
}

static void expect_ooo(struct pdctest *t, u32 psn, u8 flags, u32 nacks)
{
	struct uet_pds_hdr hdr = pt_req(psn, flags);

	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(t, hdr), UET_DROP_ROD_OOO);
	EXPECT_EQ(t->nr_tx, nacks);
}

TEST(pdc_rx_rod__gap_is_refused_once_for_each_round)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN);
	struct pdctest t;
	u32 i;

	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_ROD, &uet_pdc_cfg_default);
	hdr.type = UET_TY_ROD_REQ;
	pt_rx_req(&t, hdr);
	for (i = 2; i < 60; i++)
		expect_ooo(&t, START + i, 0, i == 2);
	/* One that was overtaken. */
	expect_ooo(&t, START + 5, 0, 0);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_nack, 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_ooo, 59);
	/* The sender goes back, and the expected packet is lost again. */
	for (i = 2; i < 60; i++)
		expect_ooo(&t, START + i, UET_F_RETX, i == 2);
	/* A packet that is repeated alone. */
	expect_ooo(&t, START + 59, UET_F_RETX, 1);
	/* The gap is filled, and the packet behind it is lost. */
	hdr = pt_req(START + 1, 0);
	hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_NONE);
	expect_ooo(&t, START + 60, 0, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.payload, START + 2);
	pt_close(&t);
}

/* The whole sequence space, window by window, with gaps filled from behind. */
TEST(pdc_rx__gaps_fill_backwards_across_the_wrap)
{
	struct pdctest t;
	u32 round, i;

	pt_accepted(&t);
	for (round = 0; round < 4; round++) {
		u32 base = cack(&t) + 1;

		for (i = WINDOW; i-- > 0;)
			EXPECT_EQ(pt_rx_req(&t, pt_req(base + i, 0)),
				  UET_DROP_NONE);
		EXPECT_EQ(cack(&t), base + WINDOW - 1);
	}
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_req, 4 * WINDOW + 1);
	pt_close(&t);
}
