// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_ack_sched.c: when an ACK is sent and what it says,
 * which pending ACKs survive others, how many NACKs are kept.
 * Spec: UE 1.0.1 3.5.12.2, 3.5.12.5, 3.5.16, 3.5.17.  Level: test of core L4.
 */
#include "pdctest.h"

static const struct uet_ses_rsp ok = { .rc = UET_RC_OK };

/* Accept a request without running the loop. */
static void take(struct pdctest *t, u32 psn, u8 flags,
		 const struct uet_rx_info *in)
{
	struct uet_pds_hdr hdr = pt_req(psn, flags);
	bool deliver;

	uet_pdc_rx_req(t->pdc, &hdr, in, t->now, &deliver);
	EXPECT_TRUE(deliver);
	if (deliver)
		uet_pdc_rx_accept(t->pdc, &hdr, in, &ok, t->now);
}

TEST(pdc_ack_sched__coalesced_ack_waits_for_the_delay)
{
	struct pdctest t;
	u64 came;

	pt_accepted(&t);
	came = t.now;
	pt_rx_req(&t, pt_req(START + 1, 0));
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  came + uet_pdc_cfg_default.ack_delay_ns);
	t.now += 100 * US;
	pt_rx_req(&t, pt_req(START + 2, 0));
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  came + uet_pdc_cfg_default.ack_delay_ns);
	pt_expire(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 2);
	EXPECT_EQ(t.tx[0].hdr.flags, 0);
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_CP);
	pt_close(&t);
}

/* 1100 bytes a packet: the 15th makes more than 16384. */
TEST(pdc_ack_sched__ack_gen_trigger_bytes_send_an_ack)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 1; i < 15; i++) {
		pt_rx_req(&t, pt_req(START + i, 0));
		EXPECT_EQ(t.nr_tx, 0);
	}
	pt_rx_req(&t, pt_req(START + 15, 0));
	EXPECT_EQ(t.nr_tx, 1);
	pt_rx_req(&t, pt_req(START + 16, 0));
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* A packet counts at least ack_gen_min_add bytes: 16 small ones. */
TEST(pdc_ack_sched__a_packet_counts_at_least_ack_gen_min_add)
{
	struct uet_rx_info tiny = { .ev = 1, .bytes = 60 };
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 1; i < 16; i++)
		take(&t, START + i, 0, &tiny);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	take(&t, START + 16, 0, &tiny);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 1);
	pt_close(&t);
}

TEST(pdc_ack_sched__congestion_mark_is_answered_at_once)
{
	struct uet_rx_info ce = { .ev = 77, .ce = true, .bytes = 1100 };
	struct pdctest t;

	pt_accepted(&t);
	take(&t, START + 1, 0, &ce);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_M);
	EXPECT_EQ(t.tx[0].ev, 77);
	pt_close(&t);
}

TEST(pdc_ack_sched__congestion_mark_may_wait_if_configured)
{
	struct uet_rx_info ce = { .ev = 77, .ce = true, .bytes = 1100 };
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;

	cfg.ack_on_ecn = false;
	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	pt_rx_req(&t, pt_req(START, UET_F_SYN));
	take(&t, START + 1, 0, &ce);
	pt_run(&t);

	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* In one batch a marked packet, then an unmarked one: the mark is reported. */
TEST(pdc_ack_sched__mark_is_not_overwritten)
{
	struct uet_rx_info ce = { .ev = 77, .ce = true, .bytes = 1100 };
	struct pdctest t;

	pt_accepted(&t);
	take(&t, START + 1, 0, &ce);
	take(&t, START + 2, UET_F_AR, &pt_in);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_M);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 2);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 1);
	pt_close(&t);
}

/* The same for a packet's own ACK, when a copy or a question comes behind it. */
TEST(pdc_ack_sched_own__mark_outlives_a_duplicate)
{
	struct uet_rx_info ce = { .ev = 77, .ce = true, .bytes = 1100 };
	struct uet_pds_hdr copy = pt_req(START + 2, UET_F_RETX);
	struct uet_pds_hdr ask = pt_cp(UET_CP_ACK_REQUEST, START + 2, UET_F_AR);
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	take(&t, START + 2, 0, &ce);
	uet_pdc_rx_req(t.pdc, &copy, &pt_in, t.now, &deliver);
	uet_pdc_rx_cp(t.pdc, &ask, &pt_in, t.now);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_M);
	EXPECT_EQ(t.tx[0].ev, 77);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 2);
	pt_close(&t);
}

/* AR came early; the packet that fills the last gap before it is its answer. */
TEST(pdc_ack_sched__filling_the_gap_before_a_tail_sends_an_ack)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 3, UET_F_AR));
	EXPECT_EQ(t.nr_tx, 1);
	pt_rx_req(&t, pt_req(START + 1, 0));
	EXPECT_EQ(t.nr_tx, 0);
	pt_rx_req(&t, pt_req(START + 2, 0));
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 3);
	pt_rx_req(&t, pt_req(START + 4, 0));
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_ack_sched__in_order_batch_needs_one_ack)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 1; i <= 20; i++)
		take(&t, START + i, UET_F_AR, &pt_in);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 20);
	pt_close(&t);
}

TEST(pdc_ack_sched__each_error_response_has_its_own_ack)
{
	struct uet_ses_rsp bad = {
		.list = UET_LIST_OVERFLOW,
		.opcode = UET_RSP_RESPONSE,
		.modified_length = 0x12345678,
		.ri_gen = 9,
		.job = 0xabcdef,
	};
	struct uet_pds_hdr hdr;
	struct pdctest t;
	bool deliver;
	u32 i;

	pt_accepted(&t);
	for (i = 1; i <= 3; i++) {
		hdr = pt_req(START + i, 0);
		bad.rc = UET_RC_NO_MATCH + i;
		bad.msg_id = i;
		uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
		uet_pdc_rx_accept(t.pdc, &hdr, &pt_in, &bad, t.now);
	}
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(pt_ack_psn(&t.tx[i]), START + 1 + i);
		EXPECT_EQ(t.tx[i].hdr.u.ack.cack_psn, START);
		EXPECT_EQ(t.tx[i].rsp.rc, UET_RC_NO_MATCH + 1 + i);
		EXPECT_EQ(t.tx[i].rsp.msg_id, i + 1);
		EXPECT_EQ(t.tx[i].rsp.list, UET_LIST_OVERFLOW);
		EXPECT_EQ(t.tx[i].rsp.modified_length, 0x12345678);
		EXPECT_EQ(t.tx[i].rsp.ri_gen, 9);
		EXPECT_EQ(t.tx[i].rsp.job, 0xabcdef);
	}
	pt_close(&t);
}

/* A packet whose ACK is coalesced, then one in error, in one round of the loop or two. */
static void error_after_coalesced(struct pdctest *t, enum uet_pdc_mode mode)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN);

	pt_open_cfg(t, UET_PDC_TARGET, mode, &uet_pdc_cfg_default);
	if (mode == UET_PDC_ROD)
		hdr.type = UET_TY_ROD_REQ;
	pt_rx_req(t, hdr);
	hdr.flags = 0;
	hdr.u.req.dpdcid = t->pdc->local_pdcid;
	hdr.u.req.psn = START + 1;
	pt_rx_req(t, hdr);
	EXPECT_EQ(t->nr_tx, 0);
	hdr.u.req.psn = START + 2;
	pt_rx_req_rsp(t, hdr, UET_RSP_RESPONSE, UET_RC_NO_MATCH);
}

TEST(pdc_ack_sched_rod__acks_leave_in_order)
{
	struct pdctest t;
	u32 i, acks = 0;

	error_after_coalesced(&t, UET_PDC_ROD);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 1);
	EXPECT_EQ(t.tx[0].rsp.opcode, UET_RSP_DEFAULT);
	EXPECT_EQ(pt_ack_psn(&t.tx[1]), START + 2);
	EXPECT_EQ(t.tx[1].rsp.rc, UET_RC_NO_MATCH);
	/* Neither is repeated. */
	pt_expire(&t);
	for (i = 0; i < t.nr_tx; i++)
		acks += t.tx[i].kind == UET_TX_ACK;
	EXPECT_EQ(acks, 0);
	pt_close(&t);
}

TEST(pdc_ack_sched__error_response_does_not_wait_for_a_coalesced_ack)
{
	struct pdctest t;

	error_after_coalesced(&t, UET_PDC_RUD);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 2);
	pt_close(&t);
}

/* Processed by SES, before the run loop sends any answer. */
static void take_rsp(struct pdctest *t, struct uet_pds_hdr hdr, u8 opcode)
{
	struct uet_ses_rsp rsp = { .opcode = opcode, .rc = UET_RC_OK };
	bool deliver;

	EXPECT_EQ(uet_pdc_rx_req(t->pdc, &hdr, &pt_in, t->now, &deliver),
		  UET_DROP_NONE);
	rsp.msg_id = hdr.u.req.psn - START;
	uet_pdc_rx_accept(t->pdc, &hdr, &pt_in, &rsp, t->now);
	pt_check(t);
}

static bool is_no_response(const struct uet_pdc_tx *tx, u32 psn)
{
	return tx->kind == UET_TX_ACK && pt_ack_psn(tx) == psn &&
	       tx->hdr.next_hdr == UET_NH_RSP &&
	       tx->rsp.opcode == UET_RSP_NO_RESPONSE;
}

/* NO_RESPONSE is no default response, but no reason for a guaranteed delivery. */
TEST(pdc_ack_sched__no_response_is_told_at_once)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_NO_RESPONSE, UET_RC_OK);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(is_no_response(&t.tx[0], START + 1));
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 1);
	EXPECT_EQ(t.tx[0].hdr.flags, 0);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START + 1);
	EXPECT_EQ(t.pdc->rx.gtd_at, UET_NEVER);
	pt_close(&t);
}

/* A CACK_PSN without it would say that the default response is. */
TEST(pdc_ack_sched__each_no_response_is_told)
{
	static const enum uet_pdc_mode modes[] = { UET_PDC_RUD, UET_PDC_ROD };
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 i, m;

	for (m = 0; m < ARRAY_SIZE(modes); m++) {
		pt_open_cfg(&t, UET_PDC_TARGET, modes[m], &uet_pdc_cfg_default);
		for (i = 0; i < 5; i++) {
			hdr = pt_req(START + i, i ? 0 : UET_F_SYN);
			hdr.type = m ? UET_TY_ROD_REQ : UET_TY_RUD_REQ;
			take_rsp(&t, hdr, i == 1 || i == 3 ?
				 UET_RSP_NO_RESPONSE : UET_RSP_DEFAULT);
		}
		EXPECT_FALSE(uet_pdc_answers_can_wait(t.pdc));
		pt_run(&t);
		for (i = 0; i < t.nr_tx && !is_no_response(&t.tx[i], START + 1);
		     i++)
			EXPECT_TRUE(uet_psn_before(t.tx[i].hdr.u.ack.cack_psn,
						   START + 1));
		for (; i < t.nr_tx && !is_no_response(&t.tx[i], START + 3); i++)
			EXPECT_TRUE(uet_psn_before(t.tx[i].hdr.u.ack.cack_psn,
						   START + 3));
		ASSERT_TRUE(i < t.nr_tx);
		EXPECT_EQ(t.tx[t.nr_tx - 1].hdr.u.ack.cack_psn, START + 4);
		EXPECT_EQ(pt_info(&t).rx_cack_psn, START + 4);
		EXPECT_EQ(t.pdc->rx.gtd_at, UET_NEVER);
		pt_close(&t);
	}
}

/* Nor may PDS by itself answer a duplicate with OK, or an ACK_REQUEST. */
TEST(pdc_ack_sched__no_response_is_repeated_to_a_duplicate)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_NO_RESPONSE, UET_RC_OK);
	pt_rx_req(&t, pt_req(START + 2, UET_F_AR));
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START + 2);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(is_no_response(&t.tx[0], START + 1));
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX);
	EXPECT_EQ(t.tx[0].rsp.msg_id, 0x77);
	pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 1, UET_F_AR));
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(is_no_response(&t.tx[0], START + 1));
	/* The slot of a PSN serves for the PSN one window later, too. */
	for (i = 3; i < UET_PDC_WINDOW_DEFAULT + 2; i++)
		pt_rx_req(&t, pt_req(START + i, 0));
	pt_rx_req(&t, pt_req(START + i, UET_F_RETX));
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + i, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].rsp.opcode, UET_RSP_DEFAULT);
	pt_close(&t);
}

/* The repeated answer is not replaced by that of a packet behind it. */
TEST(pdc_ack_sched__repeated_no_response_is_not_replaced)
{
	struct uet_pds_hdr again = pt_req(START + 1, UET_F_RETX);
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_NO_RESPONSE, UET_RC_OK);
	EXPECT_EQ(uet_pdc_rx_req(t.pdc, &again, &pt_in, t.now, &deliver),
		  UET_DROP_DUPLICATE);
	EXPECT_FALSE(uet_pdc_answers_can_wait(t.pdc));
	take_rsp(&t, pt_req(START + 2, UET_F_AR), UET_RSP_DEFAULT);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(is_no_response(&t.tx[0], START + 1));
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 2);
	pt_close(&t);
}

TEST(pdc_ack_sched_nack__nack_does_not_wait_for_a_burst_to_end)
{
	struct uet_pds_hdr hdr = pt_req(START + 1, 0);
	struct pdctest t;
	bool deliver;

	pt_accepted(&t);
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	EXPECT_TRUE(uet_pdc_answers_can_wait(t.pdc));
	uet_pdc_rx_refuse(t.pdc, &hdr, &pt_in, UET_NACK_NO_RESOURCE, t.now);
	EXPECT_FALSE(uet_pdc_answers_can_wait(t.pdc));
	pt_close(&t);
}

/* Only the SACK of requests that are kept goes before it. */
TEST(pdc_ack_sched_nack__nack_goes_before_an_ack_of_requests_in_order)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN);
	struct pdctest t;
	bool deliver;

	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_ROD, &uet_pdc_cfg_default);
	hdr.type = UET_TY_ROD_REQ;
	pt_rx_req(&t, hdr);
	hdr = pt_req(START + 1, UET_F_AR);
	hdr.type = UET_TY_ROD_REQ;
	take_rsp(&t, hdr, UET_RSP_DEFAULT);
	hdr = pt_req(START + 2, 0);
	hdr.type = UET_TY_ROD_REQ;
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	uet_pdc_rx_refuse(t.pdc, &hdr, &pt_in, UET_NACK_NO_RESOURCE, t.now);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t.tx[1].kind, UET_TX_ACK);
	pt_close(&t);
}

TEST(pdc_ack_sched_nack__pending_nacks_are_bounded)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 0; i < UET_PDC_NACKS + 3; i++) {
		struct uet_pds_hdr hdr = pt_req(START + 1 + i, 0);
		bool deliver;

		uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
		uet_pdc_rx_refuse(t.pdc, &hdr, &pt_in, UET_NACK_NO_RESOURCE,
				  t.now);
	}
	pt_run(&t);

	EXPECT_EQ(t.nr_tx, UET_PDC_NACKS);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_overflow, 3);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_nack, UET_PDC_NACKS);
	pt_close(&t);
}

TEST(pdc_ack_sched_nack__the_ring_wraps)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 0; i < 3 * UET_PDC_NACKS; i++) {
		EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1000 + i, 0)),
			  UET_DROP_OUT_OF_WINDOW);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 1000 + i);
	}
	pt_close(&t);
}

/* More than 64 PSNs behind the gap: the SACK is about those near the last. */
TEST(pdc_ack_sched_sack__follows_the_packet_answered)
{
	u64 all = 0;
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 2; i <= 200; i++)
		pt_rx_req(&t, pt_req(START + i, 0));
	pt_rx_req(&t, pt_req(START + 201, UET_F_AR));

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 202 - 64);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, ~all);
	EXPECT_EQ(t.tx[0].hdr.u.ack.state.nscc.ooo_count, 200);

	pt_rx_req(&t, pt_req(START + 3, UET_F_RETX));
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, ~all - 1);
	pt_close(&t);
}

/* Late packets far apart, one ACK due: it takes as many as tell of them all. */
TEST(pdc_ack_sched_sack__acks_cover_all_sacked_packets)
{
	u64 told[4] = { 0 };
	struct pdctest t;
	u32 i, psn;

	pt_accepted(&t);
	for (i = 2; i <= 200; i++)
		take(&t, START + i, 0, &pt_in);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 4);
	for (i = 0; i < 4; i++) {
		u64 sack = t.tx[i].hdr.u.ack.sack_bitmap;
		u32 base = t.tx[i].hdr.u.ack.cack_psn +
			   (u32)t.tx[i].hdr.u.ack.sack_off;

		while (uet_psn_sack_take(&sack, base, &psn))
			told[(psn - START) / 64] |= 1ULL << (psn - START) % 64;
	}
	for (i = 2; i <= 200; i++)
		EXPECT_TRUE(told[i / 64] >> i % 64 & 1);
	pt_close(&t);
}

/* An ACK at once, for a packet that fills a gap, covers older pending ACKs, too. */
TEST(pdc_ack_sched_sack__urgent_ack_keeps_older_acks_pending)
{
	struct pdctest t;
	u32 i;

	pt_accepted(&t);
	for (i = 3; i <= 100; i++)
		pt_rx_req(&t, pt_req(START + i, 0));
	take(&t, START + 101, 0, &pt_in);
	take(&t, START + 1, UET_F_RETX | UET_F_AR, &pt_in);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(pt_ack_psn(&t.tx[0]), START + 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 101 - 64);
	EXPECT_TRUE(t.tx[0].hdr.u.ack.sack_bitmap >> 63);
	pt_close(&t);
}

TEST(pdc_ack_sched_sack__sack_is_empty_without_a_gap)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 0);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 1);
	pt_close(&t);
}

TEST(pdc_ack_sched_rest__target_is_at_rest_between_two_acks)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_TRUE(uet_pdc_is_at_rest(t.pdc));
	take(&t, START + 1, 0, &pt_in);
	EXPECT_TRUE(uet_pdc_is_at_rest(t.pdc));
	take(&t, START + 2, UET_F_AR, &pt_in);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_run(&t);

	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_TRUE(uet_pdc_is_at_rest(t.pdc));
	pt_close(&t);
}

TEST(pdc_ack_sched_rest__own_packets_end_the_rest)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_send(&t, 1);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_close(&t);
}

TEST(pdc_ack_sched_rest__initiator_is_at_rest_without_messages)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_TRUE(uet_pdc_is_at_rest(t.pdc));
	pt_send(&t, 1);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_run(&t);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_close(&t);
}

TEST(pdc_ack_sched_rest__closing_initiator_is_not_at_rest)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_close(t.pdc, t.now);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_close(&t);
}

TEST(pdc_ack_sched_rest__initiator_that_waits_for_its_peer_is_not_at_rest)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_close(&t);
}

/* All its packets are answered, but the peer has requested CLEAR_PSN. */
TEST(pdc_ack_sched_rest__pending_clear_ends_the_rest)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_CLEAR_REQUEST, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NONE);
	EXPECT_TRUE(uet_pdc_is_at_rest(t.pdc));
	cp.u.cp.payload = START;
	EXPECT_EQ(uet_pdc_rx_cp(t.pdc, &cp, &pt_in, t.now), UET_DROP_NONE);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLEAR_COMMAND);
	pt_close(&t);
}

TEST(pdc_ack_sched_rest__aborted_pdc_is_not_at_rest)
{
	struct pdctest t;

	pt_accepted(&t);
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_TRUE(!uet_pdc_is_at_rest(t.pdc));
	pt_close(&t);
}

TEST(pdc_ack_sched_probe__is_answered_with_its_opaque)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_PROBE, 0, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 9, 0));
	cp.u.cp.probe_opaque = 0xbeef;
	cp.u.cp.payload = START + 8;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.type, UET_TY_ACK_CC);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_P);
	EXPECT_EQ(t.tx[0].hdr.u.ack.probe_opaque, 0xbeef);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 8);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 2);
	pt_close(&t);
}

TEST(pdc_ack_sched_probe__aborted_pdc_does_not_answer)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_PROBE, 0, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(uet_pdc_rx_cp(t.pdc, &cp, &pt_in, t.now), UET_DROP_NONE);
	EXPECT_TRUE(uet_pdc_has_answer(t.pdc));
	EXPECT_FALSE(uet_pdc_answers_can_wait(t.pdc));
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_FALSE(uet_pdc_has_answer(t.pdc));
	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	pt_close(&t);
}

TEST(pdc_ack_sched_probe__invalid_sack_base_is_replaced)
{
	struct uet_pds_hdr cp = pt_cp(UET_CP_PROBE, 0, UET_F_AR);
	struct pdctest t;

	pt_accepted(&t);
	pt_rx_req(&t, pt_req(START + 9, 0));
	cp.u.cp.payload = START + 100000;
	EXPECT_EQ(pt_rx_cp(&t, cp), UET_DROP_NONE);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 0x100);
	pt_close(&t);
}
