// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_ack.c: what an ACK proves, what it does not,
 * and that a hostile one changes nothing.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.11.4, 3.5.12.  Level: test of core L4.
 */
#include "pdctest.h"

static struct uet_pds_hdr ack_sack(u32 cack, u32 psn, s16 sack_off, u64 sack)
{
	struct uet_pds_hdr hdr = pt_ack(cack, psn);

	hdr.u.ack.sack_off = sack_off;
	hdr.u.ack.sack_bitmap = sack;
	return hdr;
}

/* Everything that an ACK could have changed. */
struct snapshot {
	struct uet_pdc_info info;
	u64 deadline;
};

static struct snapshot snap(const struct pdctest *t)
{
	struct snapshot s;

	memset(&s, 0, sizeof(s));
	uet_pdc_get_info(t->pdc, &s.info);
	s.deadline = uet_pdc_deadline(t->pdc);
	return s;
}

/* The ACK is dropped for the reason given and nothing is different. */
static void expect_no_change(struct pdctest *t, struct uet_pds_hdr hdr,
			     enum uet_drop why)
{
	struct snapshot before = snap(t), after;

	EXPECT_EQ(pt_rx_ack(t, hdr), why);
	after = snap(t);
	EXPECT_MEMEQ(&before, &after, sizeof(before));
	EXPECT_EQ(t->nr_tx, 0);
	EXPECT_EQ(t->nr_up, 0);
}

TEST(pdc_ack__first_ack_establishes_the_pdcid)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 2);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_SYN | UET_F_AR);
	EXPECT_EQ(t.tx[1].hdr.u.req.psn_offset, 1);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NONE);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(pt_info(&t).peer_pdcid, PEER_ID);
	pt_send(&t, 1);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_SYN, 0);
	EXPECT_EQ(t.tx[0].hdr.u.req.dpdcid, PEER_ID);
	pt_close(&t);
}

/* A sender that cannot name a PSN we sent is not our peer. */
TEST(pdc_ack__ack_of_unsent_psn_is_unsolicited)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	expect_no_change(&t, pt_ack(START - 1, START - 1),
			 UET_DROP_UNSOLICITED_ACK);
	pt_send(&t, 1);
	expect_no_change(&t, pt_ack(START - 1, START - 1),
			 UET_DROP_UNSOLICITED_ACK);
	EXPECT_EQ(pt_info(&t).peer_pdcid, 0);
	pt_close(&t);
}

TEST(pdc_ack__first_ack_needs_a_pdcid)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	hdr.u.ack.spdcid = 0;
	expect_no_change(&t, hdr, UET_DROP_UNSOLICITED_ACK);
	pt_close(&t);
}

/* A first ACK that only names the packet it answers will do. */
/* The field of ACK_PSN is the opaque of a Probe, which the peer may have guessed. */
TEST(pdc_ack__answer_to_a_probe_opens_no_pdc)
{
	struct uet_pds_hdr hdr = pt_ack(START - 1, START);
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 2);
	hdr.flags = UET_F_P;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_UNSOLICITED_ACK);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	pt_close(&t);
}

TEST(pdc_ack__first_ack_may_name_only_its_packet)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_ack_rsp(&t, pt_ack(START - 1, START), UET_RSP_RESPONSE,
				UET_RC_BAD_JOB_ID), UET_DROP_NONE);

	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].kind, UET_UP_ACKED);
	EXPECT_EQ(t.up[0].rsp_opcode, UET_RSP_RESPONSE);
	EXPECT_EQ(t.up[0].rc, UET_RC_BAD_JOB_ID);
	pt_close(&t);
}

/* The greatest length of a message differs from the value that means "not reported". */
TEST(pdc_ack__default_response_to_the_longest_message_is_reported)
{
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK,
		.modified_length = U32_MAX,
	};
	struct uet_pds_hdr ack = pt_ack(START + 1, START + 1);
	struct pdctest t;

	pt_established(&t, 1);
	EXPECT_EQ(uet_pdc_rx_ack(t.pdc, &ack, &rsp, &pt_in, t.now),
		  UET_DROP_NONE);
	pt_run(&t);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].modified_length, U32_MAX - 1);
	pt_close(&t);
}

/* The modified length is unknown for a packet that only CACK_PSN acknowledges. */
TEST(pdc_ack__response_reports_the_modified_length)
{
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_RESPONSE, .rc = UET_RC_OK,
		.modified_length = 77, .ri_gen = 9,
	};
	struct uet_pds_hdr hdr = pt_ack(START + 2, START + 2);
	struct pdctest t;

	pt_established(&t, 2);
	t.nr_up = 0;
	EXPECT_EQ(uet_pdc_rx_ack(t.pdc, &hdr, &rsp, &pt_in, t.now),
		  UET_DROP_NONE);
	pt_run(&t);
	ASSERT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[0].modified_length, U32_MAX);
	EXPECT_EQ(t.up[1].modified_length, 77u);
	EXPECT_EQ(t.up[0].ri_gen, 0);
	EXPECT_EQ(t.up[1].ri_gen, 9);
	pt_close(&t);
}

TEST(pdc_ack__foreign_pdcids_are_dropped)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;

	pt_established(&t, 5);
	hdr = pt_ack(START + 1, START + 1);
	hdr.u.ack.spdcid ^= 1;
	expect_no_change(&t, hdr, UET_DROP_PDCID_MISMATCH);
	hdr.u.ack.spdcid ^= 1;
	hdr.u.ack.dpdcid ^= 1;
	expect_no_change(&t, hdr, UET_DROP_PDCID_MISMATCH);
	pt_close(&t);
}

TEST(pdc_ack_hostile__cack_beyond_next_psn_is_dropped)
{
	struct pdctest t;

	pt_established(&t, 5);
	expect_no_change(&t, pt_ack(START + 6, START + 6),
			 UET_DROP_BAD_ACK_PSN);
	expect_no_change(&t, pt_ack(START + 0x7fffffff, START),
			 UET_DROP_BAD_ACK_PSN);
	pt_close(&t);
}

TEST(pdc_ack_hostile__ack_psn_beyond_next_psn_is_dropped)
{
	struct pdctest t;

	pt_established(&t, 5);
	expect_no_change(&t, pt_ack(START + 1, START + 6),
			 UET_DROP_BAD_ACK_PSN);
	pt_close(&t);
}

TEST(pdc_ack_hostile__sack_beyond_next_psn_is_dropped)
{
	struct pdctest t;

	pt_established(&t, 5);
	expect_no_change(&t, ack_sack(START, START + 2, 6, 1),
			 UET_DROP_BAD_ACK_PSN);
	expect_no_change(&t, ack_sack(START, START + 2, 1, 1ULL << 63),
			 UET_DROP_BAD_ACK_PSN);
	EXPECT_EQ(pt_rx_ack(&t, ack_sack(START, START + 2, 1, 0x10)),
		  UET_DROP_NONE);
	pt_close(&t);
}

TEST(pdc_ack__far_old_ack_is_dropped)
{
	struct pdctest t;

	pt_established(&t, 5);
	expect_no_change(&t, pt_ack(START - 0x20000, START - 0x20000),
			 UET_DROP_STALE_ACK);
	pt_close(&t);
}

TEST(pdc_ack__end_states_drop_acks)
{
	struct pdctest t;

	pt_established(&t, 5);
	uet_pdc_abort(t.pdc, t.now);
	pt_run(&t);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 2, START + 2)),
		  UET_DROP_BAD_STATE);
	pt_close(&t);
}

TEST(pdc_ack__cack_acknowledges_all_packets_below)
{
	struct pdctest t;
	u32 i;

	pt_established(&t, 5);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 3, START + 3)), UET_DROP_NONE);

	ASSERT_EQ(t.nr_up, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(t.up[i].kind, UET_UP_ACKED);
		EXPECT_EQ(t.up[i].pkt.offset, i * 1024);
		EXPECT_EQ(t.up[i].rc, UET_RC_OK);
		EXPECT_EQ(t.up[i].rsp_opcode, UET_RSP_DEFAULT);
	}
	EXPECT_EQ(pt_info(&t).inflight_pkts, 2);
	pt_close(&t);
}

/* A repeated ACK is not an error, and no news. */
TEST(pdc_ack__repeated_ack_changes_nothing)
{
	struct pdctest t;

	pt_established(&t, 5);
	pt_rx_ack(&t, pt_ack(START + 3, START + 3));
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 3, START + 3)), UET_DROP_NONE);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 1, START + 1)), UET_DROP_NONE);

	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(pt_info(&t).tx_base_psn, START + 4);
	pt_close(&t);
}

/* SACK says received; the response comes with CACK or with the own ACK. */
TEST(pdc_ack__sacked_is_not_answered)
{
	struct pdctest t;

	pt_established(&t, 5);
	EXPECT_EQ(pt_rx_ack(&t, ack_sack(START, START, 1, 0x1f)),
		  UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(pt_info(&t).inflight_pkts, 0);
	EXPECT_EQ(pt_info(&t).tx_base_psn, START + 1);

	EXPECT_EQ(pt_rx_ack_rsp(&t, pt_ack(START, START + 1), UET_RSP_RESPONSE,
				UET_RC_NO_MATCH), UET_DROP_NONE);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].rc, UET_RC_NO_MATCH);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 5, START + 5)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 4);
	pt_close(&t);
}

/* A SACK base far behind, with bits for packets long done, is legal. */
TEST(pdc_ack__sack_base_may_be_below_cack)
{
	struct pdctest t;

	pt_established(&t, 5);
	EXPECT_EQ(pt_rx_ack(&t, ack_sack(START + 1, START + 1, -8, 0xfff)),
		  UET_DROP_NONE);

	EXPECT_EQ(pt_info(&t).tx_base_psn, START + 2);
	EXPECT_EQ(pt_info(&t).inflight_pkts, 1);
	pt_close(&t);
}

TEST(pdc_ack__plain_ack_has_no_sack)
{
	struct uet_pds_hdr hdr = ack_sack(START + 1, START + 1, 1, 0xff);
	struct pdctest t;

	pt_established(&t, 5);
	hdr.type = UET_TY_ACK;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);

	EXPECT_EQ(pt_info(&t).inflight_pkts, 4);
	pt_close(&t);
}

TEST(pdc_ack__missing_response_is_the_default_response)
{
	struct uet_pds_hdr hdr = pt_ack(START + 1, START + 1);
	struct pdctest t;

	pt_established(&t, 1);
	hdr.next_hdr = UET_NH_NONE;
	EXPECT_EQ(uet_pdc_rx_ack(t.pdc, &hdr, NULL, &pt_in, t.now),
		  UET_DROP_NONE);
	pt_run(&t);

	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].rsp_opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(t.up[0].rc, UET_RC_OK);
	pt_close(&t);
}

/* P: the field ack_psn_offset is probe_opaque, whatever it looks like. */
/* The packet before is missing, so SES has not taken the answers yet. */
/* The oldest packet in flight was answered by itself before, so this says nothing new. */
TEST(pdc_ack__cack_over_answered_packets_leaves_the_time_out)
{
	struct pdctest t;
	u64 at;

	pt_established(&t, 3);
	t.now += 10 * US;
	pt_rx_ack(&t, pt_ack(START, START + 1));
	at = uet_pdc_deadline(t.pdc);
	t.now += 10 * US;
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(uet_pdc_deadline(t.pdc), at);
	pt_close(&t);
}

TEST(pdc_ack__response_after_no_response_replaces_it)
{
	struct uet_pds_hdr dup = pt_ack(START, START + 2);
	struct pdctest t;

	pt_established(&t, 2);
	dup.flags = UET_F_RETX;
	pt_rx_ack_rsp(&t, pt_ack(START, START + 2), UET_RSP_NO_RESPONSE, UET_RC_OK);
	pt_rx_ack_rsp(&t, pt_ack(START, START + 2), UET_RSP_RESPONSE,
		      UET_RC_TOO_LONG);
	pt_rx_ack_rsp(&t, dup, UET_RSP_DEFAULT, UET_RC_OK);
	EXPECT_EQ(t.nr_up, 0);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));

	ASSERT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[1].rsp_opcode, UET_RSP_RESPONSE);
	EXPECT_EQ(t.up[1].rc, UET_RC_TOO_LONG);
	EXPECT_TRUE(uet_psn_after(t.up[1].xmit, t.up[0].xmit));
	EXPECT_TRUE(uet_psn_after(t.up[0].answer, t.up[1].answer));
	pt_close(&t);
}

TEST(pdc_ack__answer_to_a_duplicate_does_not_replace_no_response)
{
	struct uet_pds_hdr dup = pt_ack(START, START + 2);
	struct pdctest t;

	pt_established(&t, 2);
	dup.flags = UET_F_RETX;
	pt_rx_ack_rsp(&t, pt_ack(START, START + 2), UET_RSP_NO_RESPONSE, UET_RC_OK);
	pt_rx_ack_rsp(&t, dup, UET_RSP_DEFAULT, UET_RC_OK);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));

	ASSERT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[1].rsp_opcode, UET_RSP_NO_RESPONSE);
	pt_close(&t);
}

TEST(pdc_ack__probe_opaque_is_not_an_offset)
{
	struct uet_pds_hdr hdr = pt_ack(START + 2, START + 2);
	struct pdctest t;

	pt_established(&t, 5);
	hdr.flags = UET_F_P;
	hdr.u.ack.ack_off = 3000;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);

	EXPECT_EQ(t.nr_up, 2);
	pt_close(&t);
}

TEST(pdc_ack__answer_to_a_probe_without_news_is_no_progress)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;
	u64 at;

	pt_established(&t, 5);
	at = uet_pdc_deadline(t.pdc);
	t.now += 10 * US;
	hdr.flags = UET_F_P;
	hdr.u.ack.ack_off = 0;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), at);
	pt_close(&t);
}

TEST(pdc_ack_mpr__opens_the_window)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, UET_PDC_WINDOW_DEFAULT);
	EXPECT_EQ(t.nr_tx, 128);
	EXPECT_TRUE(t.tx[127].hdr.flags & UET_F_AR);
	hdr.u.ack.mpr = 4;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);

	EXPECT_EQ(t.nr_tx, 128);
	EXPECT_EQ(pt_info(&t).peer_mpr_pkts, 512);
	pt_close(&t);
}

TEST(pdc_ack_mpr__old_news_and_zero_are_ignored)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_established(&t, 5);
	pt_rx_ack(&t, pt_ack(START + 2, START + 2));
	hdr.u.ack.mpr = 1;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_info(&t).peer_mpr_pkts, 256);
	hdr = pt_ack(START + 3, START + 3);
	hdr.u.ack.mpr = 0;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_info(&t).peer_mpr_pkts, 256);
	hdr = pt_ack(START + 4, START + 4);
	hdr.u.ack.mpr = 1;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_info(&t).peer_mpr_pkts, 128);
	pt_close(&t);
}

/* Override_MPR_Zero_Value: a peer that tracks fewer PSNs than an MPR of 1 can say. */
TEST(pdc_ack_mpr__zero_may_mean_a_small_window)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	cfg.mpr_zero = 5;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	hdr.u.ack.mpr = 0;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_info(&t).peer_mpr_pkts, 5);
	pt_send(&t, 20);
	EXPECT_EQ(t.nr_tx, 5);
	EXPECT_TRUE(t.tx[4].hdr.flags & UET_F_AR);
	hdr = pt_ack(START + 5, START + 5);
	hdr.u.ack.mpr = 1;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 15);
	pt_close(&t);
}

TEST(pdc_ack_clear__error_response_is_cleared_by_a_command)
{
	struct pdctest t;

	pt_established(&t, 1);
	EXPECT_EQ(pt_rx_ack_rsp(&t, pt_ack(START, START + 1), UET_RSP_RESPONSE,
				UET_RC_NO_MATCH), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_CP);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLEAR_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.u.cp.payload, START + 1);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, 0);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_ack_clear__a_request_carries_it)
{
	struct uet_pds_hdr hdr = pt_ack(START, START + 1);
	struct uet_ses_rsp bad = { .opcode = UET_RSP_RESPONSE, .rc = 5 };
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct pdctest t;

	pt_established(&t, 1);
	uet_pdc_rx_ack(t.pdc, &hdr, &bad, &pt_in, t.now);
	uet_pdc_tx_req(t.pdc, &pkt, t.now);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_REQ);
	EXPECT_EQ(t.tx[0].hdr.u.req.clear_off, -1);
	pt_close(&t);
}

TEST(pdc_ack_clear__is_asked_for_by_req_clear)
{
	struct uet_pds_hdr hdr = pt_ack(START + 1, START + 1);
	struct pdctest t;

	pt_established(&t, 2);
	hdr.flags = UET_F_REQ_CLEAR;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLEAR_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.u.cp.payload, START + 1);

	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_ack_close__is_asked_for_by_req_close)
{
	struct uet_pds_hdr hdr = pt_ack(START + 1, START + 1);
	struct pdctest t;

	pt_established(&t, 2);
	hdr.flags = UET_F_REQ_CLOSE;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_QUIESCE);
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));
	hdr = pt_ack(START + 2, START + 2);
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, START + 3);
	pt_close(&t);
}

/* An initiator has nothing to ask of a target. */
TEST(pdc_ack_close__a_target_is_not_asked)
{
	struct uet_pds_hdr hdr = pt_ack(START - 1, START - 1);
	struct pdctest t;

	pt_accepted(&t);
	hdr.flags = UET_F_REQ_CLOSE;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	pt_close(&t);
}

/* Everything is answered, but CACK_PSN waits for a clear that was lost. */
TEST(pdc_ack_stall__clear_is_sent_then_an_ack_request)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 i;

	cfg.default_mpr = 1;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 200);
	for (i = 0; i < 128; i++) {
		hdr = pt_ack(START - 1, START + i);
		hdr.u.ack.mpr = 1;
		if (i == 127)
			t.now += 100 * US;
		EXPECT_EQ(pt_rx_ack_rsp(&t, hdr, UET_RSP_RESPONSE,
					UET_RC_NO_MATCH), UET_DROP_NONE);
	}
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLEAR_COMMAND);
	EXPECT_EQ(t.tx[0].hdr.u.cp.payload, START + 127);
	EXPECT_EQ(t.tx[1].hdr.next_hdr, UET_CP_ACK_REQUEST);
	EXPECT_EQ(t.tx[1].hdr.u.cp.psn, START + 127);

	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLEAR_COMMAND);
	EXPECT_EQ(t.tx[1].hdr.next_hdr, UET_CP_ACK_REQUEST);

	hdr = pt_ack(START + 127, START + 127);
	hdr.u.ack.mpr = 1;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 72);
	pt_close(&t);
}

/* An initiator with two packets behind a window that a lost clear keeps closed. */
static void open_stalled(struct pdctest *t)
{
	struct uet_pds_hdr hdr;
	u32 i;

	pt_open(t, UET_PDC_INITIATOR);
	pt_send(t, 130);
	for (i = 0; i < 128; i++) {
		hdr = pt_ack(START - 1, START + i);
		hdr.u.ack.mpr = 1;
		pt_rx_ack_rsp(t, hdr, UET_RSP_RESPONSE, UET_RC_NO_MATCH);
	}
}

/* The packets behind a window that opens have time-outs of their own. */
TEST(pdc_ack_stall__its_end_restarts_the_time_out)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u64 rto_ns;

	open_stalled(&t);
	rto_ns = pt_info(&t).rto_ns;
	pt_expire(&t);
	pt_expire(&t);
	EXPECT_EQ(pt_info(&t).rto_ns, 4 * rto_ns);
	t.now += rto_ns;

	hdr = pt_ack(START + 127, START + 127);
	hdr.u.ack.mpr = 1;
	EXPECT_EQ(pt_rx_ack(&t, hdr), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 2);
	EXPECT_EQ(pt_info(&t).rto_ns, rto_ns);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + rto_ns);
	pt_close(&t);
}

/* A peer that never answers the question is given up as any other. */
TEST(pdc_ack_stall__unanswered_requests_fail_the_pdc)
{
	struct pdctest t;
	u32 i;

	open_stalled(&t);
	for (i = 0; i < 20 && !uet_pdc_is_dead(t.pdc); i++)
		pt_expire(&t);

	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_TIMEOUT);
	EXPECT_EQ(t.nr_up, 2);
	pt_close(&t);
}
