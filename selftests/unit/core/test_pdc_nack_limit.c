// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_ack.c: a peer that refuses a packet again and again.
 * Each NACK counts, the packet backs off, the rest of the PDC goes on, and the RTO runs.
 * Spec: UE 1.0.1 3.5.12.7, 3.5.15, Table 3-28.  Level: test of core L4.
 */
#include "pdctest.h"

static struct uet_pds_hdr nack_flags(u8 code, u32 psn, u8 flags)
{
	struct uet_pds_hdr hdr = pt_nack(code, psn);

	hdr.flags = flags;
	return hdr;
}

/* An initiator in ROD mode with @n packets outstanding. */
static void rod_established(struct pdctest *t, u32 n)
{
	pt_open_cfg(t, UET_PDC_INITIATOR, UET_PDC_ROD, &uet_pdc_cfg_default);
	pt_send(t, 1);
	t->now += 100 * US;
	pt_rx_ack(t, pt_ack(START, START));
	pt_send(t, n);
}

/* A peer that refuses every transmission of one packet, 50 us after it. */
static u32 refuse_all(struct pdctest *t, u8 code, u64 until)
{
	struct uet_pds_hdr hdr = pt_nack(code, START + 1);
	u32 sent = 0;

	hdr.u.nack.payload = START + 1;
	while (t->now < until && !uet_pdc_is_dead(t->pdc)) {
		if (!t->nr_tx) {
			t->now = max(t->now,
				     min(uet_pdc_deadline(t->pdc), until));
			uet_pdc_tick(t->pdc, t->now);
			pt_run(t);
			continue;
		}
		hdr.flags = t->tx[t->nr_tx - 1].hdr.flags & UET_F_RETX;
		sent += t->nr_tx;
		t->now += 50 * US;
		pt_rx_nack(t, hdr);
	}
	return sent;
}

TEST(pdc_nack__no_code_makes_a_sender_retransmit_without_pause)
{
	struct pdctest t;
	u32 code;

	for (code = 0; code < 256; code++) {
		pt_established(&t, 1);
		UTEST_CHECK(refuse_all(&t, code, t.now + 500 * MS) <= 64,
			    "code 0x%02x", code);
		pt_close(&t);
	}
}

TEST(pdc_nack__ordered_sender_does_not_go_back_without_pause)
{
	struct pdctest t;

	rod_established(&t, 1);
	EXPECT_LE(refuse_all(&t, UET_NACK_ROD_OOO, t.now + 500 * MS), 64);
	pt_close(&t);
}

static const u8 loss_codes[] = {
	UET_NACK_TRIMMED, UET_NACK_TRIMMED_LASTHOP, UET_NACK_PKT_NOT_RCVD,
	UET_NACK_ACK_WITH_DATA, UET_NACK_RCVR_INFER_LOSS, UET_NACK_ROD_OOO,
	UET_NACK_EXP_NACK_NORMAL, UET_NACK_EXP_NACK_ERR,
};

/* No limit is set on NACKs: the RTO ends the PDC. */
TEST(pdc_nack__rto_runs_while_a_packet_is_refused_again_and_again)
{
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loss_codes); i++) {
		pt_established(&t, 1);
		refuse_all(&t, loss_codes[i], t.now + 60000 * MS);
		EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_TIMEOUT);
		EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired,
			  uet_pdc_cfg_default.max_rto_retx + 1);
		pt_close(&t);
	}
}

TEST(pdc_nack__every_nack_that_costs_a_transmission_counts)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u32 i;

	cfg.max_nack_retx = 5;
	for (i = 0; i < ARRAY_SIZE(loss_codes); i++) {
		pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
		pt_send(&t, 1);
		pt_rx_ack(&t, pt_ack(START, START));
		pt_send(&t, 1);
		EXPECT_EQ(refuse_all(&t, loss_codes[i], t.now + 500 * MS), 6);
		EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
		pt_close(&t);
	}
}

TEST(pdc_nack__every_go_back_counts)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.max_nack_retx = 5;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_ROD, &cfg);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	pt_send(&t, 1);
	EXPECT_EQ(refuse_all(&t, UET_NACK_ROD_OOO, t.now + 500 * MS), 6);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
	pt_close(&t);
}

/* A receiver that lost a request which it had kept expects only that one again. */
TEST(pdc_nack__a_kept_request_that_is_missing_is_sent_alone)
{
	struct uet_pds_hdr sack = pt_ack(START, START), nack = pt_nack(UET_NACK_ROD_OOO, START + 3);
	struct pdctest t;

	rod_established(&t, 4);
	sack.u.ack.sack_bitmap = 1;
	pt_rx_ack(&t, sack);
	nack.u.nack.payload = START + 1;
	pt_rx_nack(&t, nack);
	EXPECT_EQ(t.nr_tx, 1);
	EXPECT_FALSE(t.pdc->tx.pause.on);
	pt_close(&t);
}

/* A NACK that ends a PDC comes from no end of it that could be named. */
TEST(pdc_nack__a_fatal_nack_names_no_peer)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	pt_rx_nack(&t, pt_nack(UET_NACK_CLOSING_IN_ERR, START));
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK);
	EXPECT_EQ(t.pdc->peer_pdcid, 0);
	pt_close(&t);
}

/* Its place in the window has had an answer, whose generation is in the same bytes. */
TEST(pdc_nack__nacks_of_a_packet_begin_with_none)
{
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_RESPONSE, .ri_gen = 6 };
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 i;

	cfg.max_nack_retx = 5;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	for (i = 0; i < cfg.window; i++) {
		hdr = pt_ack(START + i, START + i);
		EXPECT_EQ(uet_pdc_rx_ack(t.pdc, &hdr, &rsp, &pt_in, t.now), UET_DROP_NONE);
		pt_run(&t);
		EXPECT_EQ(t.up[0].ri_gen, 6);
		pt_send(&t, 1);
	}
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + cfg.window));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	EXPECT_EQ(t.nr_tx, 1);
	pt_close(&t);
}

/* Refuse @psn until it is not retransmitted at once. */
static void trim_until_backoff(struct pdctest *t, u32 psn)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_TRIMMED, psn);
	u32 i;

	for (i = 0; i < UET_PDC_NACKS_AT_ONCE; i++) {
		t->now += 50 * US;
		pt_rx_nack(t, hdr);
		EXPECT_EQ(t->nr_tx, 1);
		hdr.flags = UET_F_RETX;
	}
	t->now += 50 * US;
	pt_rx_nack(t, hdr);
	EXPECT_EQ(t->nr_tx, 0);
}

TEST(pdc_nack_backoff__waits_a_round_trip_after_three_nacks)
{
	struct pdctest t;

	pt_established(&t, 1);
	trim_until_backoff(&t, START + 1);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + pt_info(&t).srtt_ns);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->held, 0);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	pt_close(&t);
}

TEST(pdc_nack_backoff__doubles_up_to_the_longest_pause)
{
	u64 most = uet_pdc_cfg_default.nack_retx_max_ns, want;
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 i;

	pt_established(&t, 1);
	trim_until_backoff(&t, START + 1);
	want = pt_info(&t).srtt_ns;
	hdr = nack_flags(UET_NACK_TRIMMED, START + 1, UET_F_RETX);
	/* An answer now and then restarts the RTO, which ends the PDC otherwise. */
	for (i = 0; i < 12; i++) {
		EXPECT_EQ(t.pdc->tx.backoff_at, t.now + want);
		uet_pdc_rto_restart(t.pdc, t.now);
		t.now += want;
		uet_pdc_tick(t.pdc, t.now);
		pt_run(&t);
		ASSERT_EQ(t.nr_tx, 1);
		pt_rx_nack(&t, hdr);
		EXPECT_EQ(t.nr_tx, 0);
		want = min(2 * want, most);
	}
	EXPECT_EQ(want, most);
	pt_close(&t);
}

TEST(pdc_nack_backoff__rest_of_the_pdc_goes_on)
{
	struct pdctest t;

	pt_established(&t, 3);
	trim_until_backoff(&t, START + 1);
	pt_send(&t, 2);
	EXPECT_EQ(t.nr_tx, 2);
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 2));
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 2);
	pt_close(&t);
}

/* A fabric that trims a packet often while it carries others is congested, not broken. */
TEST(pdc_nack_backoff__progress_of_the_pdc_begins_the_count_again)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;
	u32 i;

	pt_established(&t, 9);
	for (i = 0; i < 8; i++) {
		t.now += 50 * US;
		pt_rx_nack(&t, nack_flags(UET_NACK_TRIMMED, START + 1,
					  i ? UET_F_RETX : 0));
		EXPECT_EQ(t.nr_tx, 1);
		hdr.u.ack.sack_bitmap |= 2ULL << i;
		pt_rx_ack(&t, hdr);
	}
	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_lost, 8);
	pt_close(&t);
}

TEST(pdc_nack_backoff__ordered_pdc_keeps_the_order)
{
	struct pdctest t;

	rod_established(&t, 2);
	trim_until_backoff(&t, START + 1);
	pt_send(&t, 1);
	EXPECT_EQ(t.nr_tx, 0);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(t.tx[1].hdr.u.req.psn, START + 3);
	pt_close(&t);
}

TEST(pdc_nack_backoff__late_answer_ends_it)
{
	struct pdctest t;

	pt_established(&t, 1);
	trim_until_backoff(&t, START + 1);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 0);
	pt_close(&t);
}
