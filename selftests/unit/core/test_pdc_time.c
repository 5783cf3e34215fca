// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_time.c and tools/lib/pdc_check.h: deadlines, idleness,
 * early ticks, and that the invariants notice a PDC that was tampered with.
 * Spec: UE 1.0.1 3.5.8.3, 3.5.9.  Level: test of core L4.
 */
#include "pdctest.h"

TEST(pdc_tick__early_does_nothing)
{
	struct uet_pdc_info before, after;
	struct pdctest t;

	pt_established(&t, 5);
	before = pt_info(&t);
	pt_tick_to(&t, t.now + MS);
	after = pt_info(&t);
	EXPECT_MEMEQ(&before, &after, sizeof(before));
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_deadline__never_without_idle_times)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;

	cfg.idle_ns = 0;
	cfg.target_idle_ns = 0;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), UET_NEVER);
	pt_close(&t);
	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), UET_NEVER);
	pt_close(&t);
}

TEST(pdc_idle__initiator_closes)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + uet_pdc_cfg_default.idle_ns);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
	pt_close(&t);
}

TEST(pdc_idle__unused_initiator_ends)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_expire(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSED);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* SES has a message but no byte of it: nothing to keep alive, nor to close. */
TEST(pdc_idle__held_unused_initiator_stays_open)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	uet_pdc_hold(t.pdc, true, t.now);
	pt_expire(&t);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_idle__target_asks)
{
	struct pdctest t;

	pt_accepted(&t);
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.target_idle_ns);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_CLOSE_REQUEST);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSE_WAIT);
	pt_close(&t);
}

TEST(pdc_idle__a_message_under_way_is_kept_alive)
{
	struct pdctest t;

	pt_established(&t, 1);
	uet_pdc_hold(t.pdc, true, t.now);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	pt_expire(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_NOOP);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, START + 2);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 2, START + 2)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(pt_info(&t).tx_base_psn, START + 3);
	pt_close(&t);
}

/* A message waits for a late response, and the peer is gone: it must fail. */
TEST(pdc_idle__held_closing_pdc_probes_its_peer)
{
	struct uet_pds_hdr nack = pt_nack(UET_NACK_INV_DPDCID, START + 1);
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_hold(t.pdc, true, t.now);
	uet_pdc_close(t.pdc, t.now);
	pt_run(&t);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.next_hdr, UET_CP_NOOP);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_QUIESCE);
	nack.u.nack.spdcid = 0;
	EXPECT_EQ(pt_rx_nack(&t, nack), UET_DROP_NONE);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK);
	pt_close(&t);
}

TEST(pdc_idle__keep_alive_of_an_ordered_pdc_says_so)
{
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_ROD, &uet_pdc_cfg_default);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	uet_pdc_hold(t.pdc, true, t.now);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_AR | UET_F_ISROD);
	pt_close(&t);
}

/* Not idle: something is still unanswered, and its time-out runs first. */
TEST(pdc_idle__outstanding_packets_stop_the_idle_timer)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;

	cfg.idle_ns = MS;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + cfg.rto_init_ns);
	pt_close(&t);
}

/* --- invariants --- */

static void expect_bad(struct pdctest *t, const char *text)
{
	const char *what = NULL;

	EXPECT_FALSE(uet_pdc_check(t->pdc, &what));
	EXPECT_STREQ(what, text);
	pt_close(t);
}

TEST(pdc_check__consistent_pdc_sets_no_complaint)
{
	const char *what = "untouched";
	struct pdctest t;

	pt_established(&t, 5);
	EXPECT_TRUE(uet_pdc_check(t.pdc, &what));
	EXPECT_STREQ(what, "untouched");
	pt_close(&t);
}

/* An initiator with three packets out, spoilt in one respect. */
#define SPOILT_TX(text, how) do {					\
	struct pdctest t;						\
	struct uet_pdc *p;						\
									\
	pt_established(&t, 3);						\
	p = t.pdc;							\
	how;								\
	expect_bad(&t, text);						\
} while (0)

TEST(pdc_check__send_errors_are_named)
{
	SPOILT_TX("more packets than slots", p->tx.write_seq += 300);
	SPOILT_TX("una_reported, una, nxt, write_seq are not in order",
		  p->tx.nxt = p->tx.una - 1);
	SPOILT_TX("CACK_PSN received is beyond una", p->tx.cack += 5);
	SPOILT_TX("CLEAR_PSN sent is beyond una", p->tx.clear_sent += 5);
	SPOILT_TX("a used slot is outside una_reported..write_seq",
		  uet_pdc_slot(p, START + 1)->psn += 256);
	SPOILT_TX("slot state does not fit its PSN",
		  uet_pdc_slot(p, START + 1)->state = UET_SLOT_READY);
	SPOILT_TX("slot state does not fit its PSN",
		  uet_pdc_slot(p, START + 1)->state = UET_SLOT_DONE);
	SPOILT_TX("slot state does not fit its PSN", p->tx.una++);
	SPOILT_TX("slot state does not fit its PSN", p->tx.nxt--);
	SPOILT_TX("a packet has no slot",
		  uet_pdc_slot(p, START + 2)->state = UET_SLOT_FREE);
	SPOILT_TX("an ACK_REQUEST is pending for a packet not SACKED",
		  uet_pdc_slot(p, START + 2)->asks = true);
	SPOILT_TX("a probe is not in flight",
		  uet_pdc_slot(p, START + 2)->state = UET_SLOT_LOST;
		  uet_pdc_slot(p, START + 2)->is_probe = true);
	SPOILT_TX("counts of the send half are wrong", p->tx.nr_sent++);
	SPOILT_TX("counts of the send half are wrong",
		  p->tx.pause.inflight++);
	SPOILT_TX("packets in flight without a time-out",
		  p->tx.rto_at = UET_NEVER);
	SPOILT_TX("sent packets are not in order of sending",
		  uet_pdc_slot(p, START + 1)->xmit += 9);
	SPOILT_TX("nr_sent is wrong",
		  list_del(&uet_pdc_slot(p, START + 1)->link));
	SPOILT_TX("the list of sent packets is wrong",
		  uet_pdc_slot(p, START + 1)->state = UET_SLOT_SACKED;
		  p->tx.nr_sent--);
	SPOILT_TX("error and state do not fit", p->error = UET_PDC_ERR_ABORT);
}

TEST(pdc_check__errors_of_runs_are_named)
{
	SPOILT_TX("a used slot has no packet", uet_pdc_slot(p, START + 2)->n = 0);
	SPOILT_TX("the packets of a run differ", uet_pdc_slot(p, START + 1)->n = 2);
	SPOILT_TX("a packet of a run has a slot of its own",
		  uet_pdc_slot(p, START + 2)->n = 2);
}

TEST(pdc_check__disorder_of_lost_packets_is_named)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_NO_RESOURCE, START + 2);
	struct pdctest t;

	pt_established(&t, 3);
	pt_rx_nack(&t, hdr);
	hdr.u.nack.psn++;
	pt_rx_nack(&t, hdr);
	list_move_tail(&uet_pdc_slot(t.pdc, START + 2)->link, &t.pdc->tx.lost);
	expect_bad(&t, "lost packets are not in PSN order");

	pt_established(&t, 3);
	pt_rx_nack(&t, hdr);
	list_del(&uet_pdc_slot(t.pdc, START + 3)->link);
	expect_bad(&t, "nr_lost is wrong");

	pt_established(&t, 3);
	pt_rx_nack(&t, hdr);
	uet_pdc_slot(t.pdc, START + 3)->state = UET_SLOT_SACKED;
	t.pdc->tx.nr_lost--;
	expect_bad(&t, "the list of lost packets is wrong");
}

/* A target with START, 1, 3 (stored) and 5 received, spoilt in one respect. */
#define SPOILT_RX(text, how) do {					\
	struct pdctest t;						\
	struct uet_pdc_rxh *r;						\
									\
	pt_accepted(&t);						\
	pt_rx_req_rsp(&t, pt_req(START + 1, 0), UET_RSP_RESPONSE, 5);	\
	pt_rx_req(&t, pt_req(START + 3, 0));				\
	pt_rx_req(&t, pt_req(START + 5, 0));				\
	r = &t.pdc->rx;							\
	how;								\
	expect_bad(&t, text);						\
} while (0)

TEST(pdc_check__receive_errors_are_named)
{
	SPOILT_RX("cack, base, end are not in order", r->base = r->cack);
	SPOILT_RX("cack, base, end are not in order", r->end += 300);
	SPOILT_RX("CLEAR_PSN received is beyond base", r->clear += 9);
	SPOILT_RX("a PSN below base is missing",
		  uet_psn_map_clear(&r->rcvd, START + 1));
	SPOILT_RX("base was received",
		  uet_psn_map_set(&r->rcvd, START + 2));
	SPOILT_RX("a PSN beyond end was received",
		  uet_psn_map_set(&r->rcvd, START + 9));
	SPOILT_RX("nr_ooo is wrong", r->nr_ooo++);
	SPOILT_RX("nr_gtd is wrong", r->nr_gtd++);
	SPOILT_RX("nr_own is wrong", r->nr_own++);
	SPOILT_RX("CACK_PSN lags behind without a reason",
		  uet_psn_map_clear(&r->gtd, START + 1); r->nr_gtd--);
}
