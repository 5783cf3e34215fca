// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_rx.c: every control packet type, to either end.
 * Spec: UE 1.0.1 3.5.8.3, 3.5.16.  Level: test of core L4.
 */
#include "pdctest.h"

TEST(pdc_cp_noop__takes_a_psn_and_is_acked)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 1, UET_F_AR)),
		  UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_cp, 1);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_cp_noop__opens_a_pdc)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_TARGET);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START, UET_F_AR | UET_F_SYN)),
		  UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_cp_noop__out_of_order_has_its_own_ack)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 3, UET_F_AR));

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 3);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	pt_close(&t);
}

TEST(pdc_cp_noop__duplicates_and_windows_are_checked_as_for_requests)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 1, UET_F_AR));
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 1, UET_F_AR)),
		  UET_DROP_DUPLICATE);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 1,
				     UET_F_AR | UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 2000, UET_F_AR)),
		  UET_DROP_OUT_OF_WINDOW);
	pt_close(&t);
}

/* Only a packet that may open a PDC has a mode. */
TEST(pdc_cp_noop__wrong_mode_with_syn_is_dropped)
{
	struct uet_pds_hdr hdr = pt_cp(UET_CP_NOOP, START + 1,
				       UET_F_AR | UET_F_ISROD | UET_F_SYN);
	struct pdctest t;

	pt_accepted(&t);
	hdr.u.cp.psn_offset = 1;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_MODE_MISMATCH);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_cp_noop__mode_without_syn_has_no_meaning)
{
	static const u8 types[] = { UET_CP_NOOP, UET_CP_NEGOTIATION };
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		pt_accepted(&t);
		EXPECT_EQ(pt_rx_cp(&t, pt_cp(types[i], START + 1,
					     UET_F_AR | UET_F_ISROD)),
			  UET_DROP_NONE);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 1);
		pt_close(&t);
	}
}

TEST(pdc_cp_negotiation__is_acked)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_NEGOTIATION, START + 1, UET_F_AR)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	pt_close(&t);
}

TEST(pdc_cp_ack_request__received_psn_is_acked)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 3, 0));
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 3, UET_F_AR)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 3);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_RSP);
	EXPECT_EQ(t.tx[0].rsp.msg_id, 0x77);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START, UET_F_AR)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START);
	pt_close(&t);
}

TEST(pdc_cp_ack_request__ack_of_a_control_packet_has_no_response)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_cp(&t, pt_cp(UET_CP_NOOP, START + 3, 0));
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 3, UET_F_AR)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 3);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	pt_close(&t);
}

TEST(pdc_cp_ack_request__stored_response_is_repeated)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE,
		      UET_RC_NO_MATCH);
	pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 1, UET_F_AR));
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_NO_MATCH);
	pt_close(&t);
}

TEST(pdc_cp_ack_request__missing_psn_is_nacked)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 3, UET_F_AR)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_PKT_NOT_RCVD);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 3);
	pt_close(&t);
}

TEST(pdc_cp_ack_request__psn_far_below_the_window_is_dropped)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START - 256, UET_F_AR)),
		  UET_DROP_FAR_BELOW_WINDOW);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 99999,
				     UET_F_AR)), UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_PKT_NOT_RCVD);
	pt_close(&t);
}

TEST(pdc_cp_clear_request__is_answered_again)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_CLEAR_REQUEST, 0, 0);
	struct pdctest t;

	pt_established(&t, 0);
	cp.u.cp.payload = START;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLEAR_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.u.cp.payload, START);
	pt_close(&t);
}

TEST(pdc_cp_clear_request__unanswered_psn_is_not_cleared)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_CLEAR_REQUEST, 0, 0);
	struct pdctest t;

	pt_established(&t, 2);
	cp.u.cp.payload = START + 2;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);
	cp.u.cp.payload = START + 3;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_BAD_CLEAR_PSN);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_cp_close_command__ends_the_target)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE,
		      UET_RC_NO_MATCH);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_COMMAND, START + 2,
				     UET_F_AR)), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 2);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_REQ_MASK, 0);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSED);
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	EXPECT_EQ(uet_pdc_deadline(t.pdc), UET_NEVER);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 3, 0)), UET_DROP_BAD_STATE);
	pt_close(&t);
}

TEST(pdc_cp_close_command__is_not_dead_before_its_ack_went_out)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_CLOSE_COMMAND, START + 1, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	uet_pdc_rx_cp(t.pdc, &cp, &pt_in, t.now);
	EXPECT_FALSE(uet_pdc_is_dead(t.pdc));
	pt_run(&t);
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	pt_close(&t);
}

TEST(pdc_cp_close_command__close_command_with_missing_packets_is_dropped)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_COMMAND, START + 2,
				     UET_F_AR)), UET_DROP_BAD_STATE);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* A PSN that was a request once is not a CLOSE_COMMAND later. */
TEST(pdc_cp_close_command__used_psn_is_a_duplicate)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_COMMAND, START, UET_F_AR)),
		  UET_DROP_DUPLICATE);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_cp_close_command__packets_of_the_target_in_flight_fail)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_send(&t, 2);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_COMMAND, START + 1,
				     UET_F_AR)), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_CLOSING_IN_ERR);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	ASSERT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_PROTOCOL);
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	pt_close(&t);
}

TEST(pdc_cp_close_command__initiator_nacks_it_as_unexpected)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_COMMAND, START, UET_F_AR)),
		  UET_DROP_UNEXPECTED_CP);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_UNEXP_EVENT);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_cp_close_request__makes_the_initiator_close)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_REQUEST, START, UET_F_AR)),
		  UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	EXPECT_EQ(t.tx[1].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_ACK_WAIT);

	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_REQUEST, START,
				     UET_F_AR | UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	EXPECT_EQ(t.nr_tx, 1);
	pt_close(&t);
}

TEST(pdc_cp_close_request__target_nacks_it_as_unexpected)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CLOSE_REQUEST, START + 1,
				     UET_F_AR)), UET_DROP_UNEXPECTED_CP);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_UNEXP_EVENT);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START);
	pt_close(&t);
}

TEST(pdc_cp_close_request__unanswered_request_times_out)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_REQUEST);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, START);
	for (i = 0; i < 10 && !uet_pdc_is_dead(t.pdc); i++)
		pt_expire(&t);

	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_TIMEOUT);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_CLOSING_IN_ERR);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 1);
	pt_close(&t);
}

/* One that acknowledged the request is given the time of an idle PDC. */
TEST(pdc_cp_close_request__acknowledged_request_waits_for_the_idle_time)
{
	struct pdctest t;

	pt_accepted(&t);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.target_idle_ns);
	pt_expire(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	pt_close(&t);
}

/* An initiator that still works is waited for. */
TEST(pdc_cp_close_request__a_busy_initiator_has_time)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	pt_rx_ack(&t, pt_ack(START, START));
	for (i = 1; i < 20; i++) {
		t.now += uet_pdc_cfg_default.close_req_ns / 2;
		pt_tick_to(&t, t.now);
		EXPECT_EQ(pt_rx_req(&t, pt_req(START + i, 0)), UET_DROP_NONE);
	}
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_WAIT);
	pt_close(&t);
}

TEST(pdc_cp__credit_without_an_owner_is_unsupported)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CREDIT, 0, 0)),
		  UET_DROP_UNSUPPORTED);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_CREDIT_REQUEST, 0, 0)),
		  UET_DROP_UNSUPPORTED);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_cp__reserved_types_and_foreign_pdcids_are_dropped)
{
	struct uet_pds_hdr hdr = pt_cp(UET_CP_NOOP, START + 1, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(12, START + 1, 0)), UET_DROP_UNSUPPORTED);
	hdr.u.cp.spdcid ^= 1;
	EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_PDCID_MISMATCH);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START);
	pt_close(&t);
}

TEST(pdc_cp__packets_before_the_first_ack_are_dropped)
{
	struct pdctest t;
	u8 ctl;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	for (ctl = 0; ctl < UET_CP_NR; ctl++)
		EXPECT_EQ(pt_rx_cp(&t, pt_cp(ctl, START, 0)),
			  UET_DROP_BAD_STATE);
	pt_close(&t);
}

/* A control packet of an initiator that has not learnt our PDCID. */
static struct uet_pds_hdr cp_unlearnt(u8 ctl, u32 psn)
{
	struct uet_pds_hdr hdr = pt_cp(ctl, psn, 0);

	hdr.u.cp.dpdcid = 0;
	return hdr;
}

TEST(pdc_cp_unlearnt__each_type_is_taken_as_with_our_pdcid)
{
	struct pdctest named, t;
	u32 psn;
	u8 ctl;

	for (ctl = 0; ctl < UET_CP_NR; ctl++) {
		psn = ctl == UET_CP_ACK_REQUEST ? START : START + 1;
		pt_accepted(&named);
		pt_accepted(&t);
		EXPECT_EQ(pt_rx_cp(&t, cp_unlearnt(ctl, psn)),
			  pt_rx_cp(&named, pt_cp(ctl, psn, 0)));
		EXPECT_EQ(t.nr_tx, named.nr_tx);
		EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_cp, 1);
		if (ctl != UET_CP_CLOSE_COMMAND)
			EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
		pt_close(&named);
		pt_close(&t);
	}
}

/* The first packet of a ROD PDC is lost, and no SACK has taught our PDCID. */
TEST(pdc_cp_unlearnt__ack_request_for_a_kept_packet_is_answered_with_our_pdcid)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_pds_hdr late = pt_req(START + 1, UET_F_SYN);
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_ROD, &cfg);
	late.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(&t, late), UET_DROP_ROD_OOO);
	uet_pdc_early_keep(t.pdc, &late, &pt_in, t.now);
	pt_run(&t);
	EXPECT_EQ(pt_rx_cp(&t, cp_unlearnt(UET_CP_ACK_REQUEST, START + 1)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[0].hdr.u.ack.spdcid, OUR_ID);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START - 1);
	EXPECT_EQ(pt_rx_cp(&t, cp_unlearnt(UET_CP_ACK_REQUEST, START)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_PKT_NOT_RCVD);
	EXPECT_EQ(t.tx[0].hdr.u.nack.spdcid, OUR_ID);
	pt_close(&t);
}

TEST(pdc_cp_unlearnt__only_a_target_has_such_a_peer)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(pt_rx_cp(&t, cp_unlearnt(UET_CP_ACK_REQUEST, START)),
		  UET_DROP_PDCID_MISMATCH);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_cp_unlearnt__request_without_syn_must_have_our_pdcid)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct pdctest t;

	pt_accepted(&t);
	hdr.u.req.dpdcid = 0;
	EXPECT_EQ(pt_rx_req(&t, hdr), UET_DROP_PDCID_MISMATCH);
	pt_close(&t);
}
