// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a ROD PDC that arrive before an earlier one: what the target reports and
 * delivers when it keeps them, and what the source sends again.  Level: test of core L4.
 */
#include "pdcpair.h"

static struct uet_pds_hdr rod_req(u32 psn, u8 flags)
{
	struct uet_pds_hdr hdr = pt_req(psn, flags);

	hdr.type = UET_TY_ROD_REQ;
	return hdr;
}

/* A target that has received START. */
static void open_target(struct pdctest *t)
{
	pt_open_cfg(t, UET_PDC_TARGET, UET_PDC_ROD, &uet_pdc_cfg_default);
	EXPECT_EQ(pt_rx_req(t, rod_req(START, UET_F_SYN)), UET_DROP_NONE);
}

/* A request arrives before an earlier one, and is kept. */
static void keep(struct pdctest *t, u32 psn, u8 flags)
{
	struct uet_pds_hdr hdr = rod_req(psn, flags);
	bool deliver;

	EXPECT_EQ(uet_pdc_rx_req(t->pdc, &hdr, &pt_in, t->now, &deliver),
		  UET_DROP_ROD_OOO);
	uet_pdc_early_keep(t->pdc, &hdr, &pt_in, t->now);
	pt_run(t);
}

static void accept(struct pdctest *t, u32 psn, u8 flags,
		   const struct uet_rx_info *in)
{
	struct uet_ses_rsp ok = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = rod_req(psn, flags);
	bool deliver;

	EXPECT_EQ(uet_pdc_rx_req(t->pdc, &hdr, in, t->now, &deliver),
		  UET_DROP_NONE);
	uet_pdc_rx_accept(t->pdc, &hdr, in, &ok, t->now);
}

/* A request arrives in its turn; those that are kept are taken before the run loop. */
static void arrive(struct pdctest *t, u32 psn, u8 flags)
{
	accept(t, psn, flags, &pt_in);
}

static void take(struct pdctest *t, u32 psn, u8 flags)
{
	struct uet_rx_info in = pt_in;

	EXPECT_EQ(uet_pdc_early_is_due(t->pdc), true);
	uet_pdc_early_take(t->pdc, &in);
	accept(t, psn, flags, &in);
}

TEST(pdc_early__gap_is_reported_once_and_by_sack_first)
{
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 2, 0);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_EQ(t.tx[0].hdr.u.ack.ack_off, 0);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_off, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 2);
	EXPECT_EQ(t.tx[1].hdr.u.nack.code, UET_NACK_ROD_OOO);
	EXPECT_EQ(t.tx[1].hdr.u.nack.psn, START + 2);
	EXPECT_EQ(t.tx[1].hdr.u.nack.payload, START + 1);
	keep(&t, START + 4, 0);
	keep(&t, START + 3, 0);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_nack, 1);
	pt_close(&t);
}

TEST(pdc_early__is_received_when_the_gap_is_filled)
{
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 3, 0);
	keep(&t, START + 2, UET_F_AR);
	EXPECT_EQ(uet_pdc_early_is_due(t.pdc), false);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_req, 1);
	arrive(&t, START + 1, UET_F_RETX);
	take(&t, START + 2, UET_F_AR);
	take(&t, START + 3, 0);
	EXPECT_EQ(uet_pdc_early_is_due(t.pdc), false);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 3);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START + 3);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rx_req, 4);
	pt_close(&t);
}

/* A sender that does not look at the SACK repeats everything. */
TEST(pdc_early__sender_that_goes_back_is_answered)
{
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 2, 0);
	keep(&t, START + 3, 0);
	/* The expected packet is lost again. */
	EXPECT_EQ(pt_rx_req(&t, rod_req(START + 2, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 6);
	EXPECT_EQ(t.tx[1].hdr.u.nack.code, UET_NACK_ROD_OOO);
	EXPECT_EQ(t.tx[1].hdr.u.nack.payload, START + 1);
	EXPECT_EQ(pt_rx_req(&t, rod_req(START + 3, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_nack, 2);

	arrive(&t, START + 1, UET_F_RETX);
	take(&t, START + 2, 0);
	take(&t, START + 3, 0);
	pt_run(&t);
	EXPECT_EQ(pt_rx_req(&t, rod_req(START + 3, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 3);
	pt_close(&t);
}

TEST(pdc_early__ack_request_is_answered_by_sack)
{
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 2, 0);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_ACK_REQUEST, START + 2, UET_F_AR)),
		  UET_DROP_NONE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
	EXPECT_EQ(t.tx[0].hdr.u.ack.sack_bitmap, 2);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_NH_NONE);
	pt_close(&t);
}

/* The kept request @psn is due, and SES has no space for it. */
static void refuse_kept(struct pdctest *t, u32 psn)
{
	struct uet_pds_hdr hdr = rod_req(psn, 0);
	struct uet_rx_info in = pt_in;
	bool deliver;

	uet_pdc_early_take(t->pdc, &in);
	EXPECT_EQ(uet_pdc_rx_req(t->pdc, &hdr, &in, t->now, &deliver),
		  UET_DROP_NONE);
	uet_pdc_rx_refuse(t->pdc, &hdr, &in, UET_NACK_NO_PKT_BUFFER, t->now);
	pt_run(t);
}

/* Its turn has come, and SES has no space: its sender repeats it. */
TEST(pdc_early__may_be_refused_when_it_is_due)
{
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 2, 0);
	arrive(&t, START + 1, UET_F_RETX);
	refuse_kept(&t, START + 2);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_NO_PKT_BUFFER);
	EXPECT_EQ(t.tx[0].hdr.u.nack.psn, START + 2);
	EXPECT_EQ(uet_pdc_early_is_due(t.pdc), false);
	EXPECT_EQ(pt_rx_req(&t, rod_req(START + 2, UET_F_RETX)),
		  UET_DROP_NONE);
	pt_close(&t);
}

/* Whatever becomes of a kept request, what was reported as received stays so. */
TEST(pdc_early__reported_bytes_never_decrease)
{
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 2, 0);
	ASSERT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[0].hdr.u.ack.state.nscc.rcvd_bytes,
		  uet_cc_rcvd_units(2 * pt_in.bytes));
	arrive(&t, START + 1, UET_F_RETX | UET_F_AR);
	refuse_kept(&t, START + 2);
	ASSERT_EQ(t.nr_tx, 2);
	ASSERT_EQ(t.tx[1].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[1].hdr.u.ack.state.nscc.rcvd_bytes,
		  uet_cc_rcvd_units(3 * pt_in.bytes));
	pt_close(&t);
}

/* A kept request was counted when it arrived. */
TEST(pdc_early__counts_once_for_the_next_ack)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;

	cfg.ack_gen_trigger = 3 * pt_in.bytes;
	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_ROD, &cfg);
	EXPECT_EQ(pt_rx_req(&t, rod_req(START, UET_F_SYN)), UET_DROP_NONE);
	keep(&t, START + 2, 0);
	keep(&t, START + 3, 0);
	EXPECT_EQ(t.nr_tx, 0);
	arrive(&t, START + 1, UET_F_RETX);
	take(&t, START + 2, 0);
	take(&t, START + 3, 0);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* A mark of congestion is reported once, when the packet arrived. */
TEST(pdc_early__mark_is_not_reported_again)
{
	struct uet_rx_info in = pt_in;
	struct pdctest t;

	open_target(&t);
	keep(&t, START + 2, 0);
	arrive(&t, START + 1, UET_F_RETX);
	in.ce = true;
	EXPECT_EQ(uet_pdc_early_is_due(t.pdc), true);
	uet_pdc_early_take(t.pdc, &in);
	EXPECT_FALSE(in.ce);
	EXPECT_EQ(in.bytes, 0);
	accept(&t, START + 2, 0, &in);
	EXPECT_EQ(uet_pdc_early_is_due(t.pdc), false);
	pt_close(&t);
}

/* --- the source --- */

static void open_source(struct pdctest *t, u32 n)
{
	pt_open_cfg(t, UET_PDC_INITIATOR, UET_PDC_ROD, &uet_pdc_cfg_default);
	pt_send(t, 1);
	pt_rx_ack(t, pt_ack(START, START));
	pt_send(t, n);
}

/* START + 1 is missing, and START + 2 and START + 3 are kept. */
static void report_gap(struct pdctest *t)
{
	struct uet_pds_hdr ack = pt_ack(START, START);
	struct uet_pds_hdr nack = pt_nack(UET_NACK_ROD_OOO, START + 2);

	t->now += 40 * US;
	ack.u.ack.sack_bitmap = 6;
	pt_rx_ack(t, ack);
	nack.u.nack.payload = START + 1;
	pt_rx_nack(t, nack);
}

TEST(pdc_early_source__sends_again_what_is_missing)
{
	struct pdctest t;

	open_source(&t, 3);
	report_gap(&t);
	/* It may be late. */
	EXPECT_EQ(t.nr_tx, 0);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->nack_lost, 0);
	pt_rx_ack(&t, pt_ack(START + 3, START + 3));
	EXPECT_EQ(t.nr_up, 3);
	pt_close(&t);
}

TEST(pdc_early_source__sends_a_kept_packet_again_when_it_is_refused)
{
	struct pdctest t;

	open_source(&t, 3);
	report_gap(&t);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_PKT_BUFFER, START + 2));
	EXPECT_EQ(t.nr_tx, 0);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 2);
	pt_close(&t);
}

/* The NACK that refused it is lost; the next one for the gap says that it is missing. */
TEST(pdc_early_source__sends_a_kept_packet_again_when_it_is_expected)
{
	struct uet_pds_hdr nack = pt_nack(UET_NACK_ROD_OOO, START + 4);
	struct pdctest t;

	open_source(&t, 4);
	report_gap(&t);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	nack.u.nack.payload = START + 2;
	pt_rx_nack(&t, nack);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 2);
	/* It is under way now: the same news changes nothing. */
	pt_rx_nack(&t, nack);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* --- both --- */

static struct pair_fate lose_every_10th(struct pair *p, int from,
					const struct uet_pdc_tx *tx)
{
	struct pair_fate fate = { 1, PAIR_DELAY };

	if (tx->kind == UET_TX_REQ && p->sent[from] % 10 == 0)
		fate.copies = 0;
	/* A fifth is overtaken. */
	if (tx->kind == UET_TX_REQ && p->sent[from] % 5 == 1)
		fate.delay_ns += 30 * US;
	return fate;
}

static u32 retransmissions(enum uet_pdc_mode mode, bool keeps)
{
	struct pair p;
	u32 retx, i;

	pair_open(&p, mode, &uet_pdc_cfg_default);
	p.fate = lose_every_10th;
	p.keeps = keeps;
	pair_transfer(&p, 1000, 10000 * MS);
	pair_expect_once(&p, 1000);
	for (i = 0; mode == UET_PDC_ROD && i < 1000; i++)
		EXPECT_EQ(p.order[i], START + i);
	retx = pair_stats(&p, INI)->tx_retx;
	pair_close(&p);
	return retx;
}

TEST(pdc_early_pair__order_costs_no_more_packets_than_disorder)
{
	u32 rud = retransmissions(UET_PDC_RUD, false);
	u32 rod = retransmissions(UET_PDC_ROD, true);

	EXPECT_LE(4 * (1000 + rod), 5 * (1000 + rud));
	EXPECT_GT(retransmissions(UET_PDC_ROD, false), 2 * rod);
}

/* The SACK of a kept request says nothing of a response, whatever the ACK before it said. */
TEST(pdc_early__sack_after_no_response_can_wait_for_a_burst_to_end)
{
	struct uet_pds_hdr hdr = rod_req(START + 3, 0);
	struct pdctest t;
	bool deliver;

	open_target(&t);
	EXPECT_EQ(pt_rx_req_rsp(&t, rod_req(START + 1, 0), UET_RSP_NO_RESPONSE,
				UET_RC_OK), UET_DROP_NONE);
	EXPECT_EQ(pt_rx_req(&t, rod_req(START + 1, UET_F_RETX)), UET_DROP_DUPLICATE);
	EXPECT_EQ(uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver),
		  UET_DROP_ROD_OOO);
	uet_pdc_early_keep(t.pdc, &hdr, &pt_in, t.now);
	t.pdc->rx.nr_nacks = 0;
	EXPECT_TRUE(uet_pdc_has_answer(t.pdc));
	EXPECT_TRUE(uet_pdc_answers_can_wait(t.pdc));
	pt_close(&t);
}
