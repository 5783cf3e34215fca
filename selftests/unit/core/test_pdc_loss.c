// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_loss.c: samples of the round trip, time-outs
 * and their back-off, and inference of losses beside reordering.
 * Spec: UE 1.0.1 3.5.12.2, 3.5.15, Table 3-28.  Level: test of core L4.
 */
#include "pdctest.h"

#define RTO	(uet_pdc_cfg_default.rto_init_ns)

static struct uet_pds_hdr ack_retx(u32 cack, u32 psn)
{
	struct uet_pds_hdr hdr = pt_ack(cack, psn);

	hdr.flags = UET_F_RETX;
	return hdr;
}

TEST(pdc_loss_rtt__first_sample_sets_srtt_and_rttvar)
{
	struct pdctest t;

	pt_established(&t, 0);
	EXPECT_EQ(pt_info(&t).srtt_ns, 100 * US);
	EXPECT_EQ(t.pdc->tx.rtt.rttvar_ns, 50 * US);
	EXPECT_EQ(pt_info(&t).rto_ns, RTO);
	pt_close(&t);
}

TEST(pdc_loss_rtt__later_samples_are_smoothed)
{
	struct pdctest t;

	pt_established(&t, 1);
	t.now += 180 * US;
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(pt_info(&t).srtt_ns, 110 * US);
	EXPECT_EQ(t.pdc->tx.rtt.rttvar_ns, 57500);
	pt_send(&t, 1);
	t.now += 30 * US;
	pt_rx_ack(&t, pt_ack(START + 2, START + 2));
	EXPECT_EQ(pt_info(&t).srtt_ns, 100 * US);
	pt_close(&t);
}

/* A slow network: the time-out follows the round trip. */
TEST(pdc_loss_rtt__rto_follows)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	t.now += 15 * MS;
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(pt_info(&t).rto_ns, (15 + 4 * 15 / 2) * MS);
	pt_close(&t);
}

/* UE 1.0.1 3.5.12.2: sent twice, and the ACK answers the first: no sample. */
TEST(pdc_loss_rtt__ambiguous_answers_give_no_sample)
{
	struct pdctest t;

	pt_established(&t, 2);
	t.now += 100 * US;
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 1));
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 2));
	t.now += 900 * US;
	pt_rx_ack(&t, pt_ack(START, START + 1));
	EXPECT_EQ(pt_info(&t).srtt_ns, 100 * US);
	pt_rx_ack(&t, ack_retx(START, START + 2));
	EXPECT_EQ(pt_info(&t).srtt_ns, 200 * US);
	pt_close(&t);
}

TEST(pdc_loss_rtt__zero_is_a_sample)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(pt_info(&t).srtt_ns, 1);
	pt_close(&t);
}

/* So that the shell can choose another rail. */
TEST(pdc_loss_rto__retransmission_names_the_path_of_the_lost_packet)
{
	struct pdctest t;
	u16 ev;
	u32 i;

	pt_established(&t, 0);
	pt_send(&t, 1);
	EXPECT_EQ(t.tx[0].lost_lane, 0);
	for (i = 0; i < 3; i++) {
		ev = t.tx[0].ev;
		pt_expire(&t);
		ASSERT_EQ(t.nr_tx, 1);
		EXPECT_EQ(t.tx[0].lost_lane, uet_ev_lane(ev));
		EXPECT_NE(uet_ev_lane(ev), 0);
	}
	pt_close(&t);
}

TEST(pdc_loss_rto__repeats_the_oldest_only)
{
	struct pdctest t;

	pt_established(&t, 5);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + RTO);
	pt_expire(&t);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX | UET_F_AR);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 1);
	pt_close(&t);
}

TEST(pdc_loss_rto__ends_after_the_time_of_the_peer)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u64 end;

	cfg.peer_timeout_ns = 60 * 1000 * MS + 7;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	end = t.now + cfg.peer_timeout_ns;
	while (uet_pdc_deadline(t.pdc) < end) {
		pt_expire(&t);
		EXPECT_EQ(t.nr_up, 0);
		EXPECT_EQ(t.nr_tx, 1);
	}
	EXPECT_EQ(uet_pdc_deadline(t.pdc), end);
	EXPECT_GT(uet_pdc_stats(t.pdc)->rto_fired, cfg.max_rto_retx);
	pt_expire(&t);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	ASSERT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_TIMEOUT);
	pt_close(&t);
}

/* A target that has received a SYN and sends a packet, with a long time of the peer. */
static u64 return_data(struct pdctest *t)
{
	struct uet_pdc_cfg cfg = pt_cfg();

	cfg.peer_timeout_ns = 60 * 1000 * MS;
	pt_open_cfg(t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	EXPECT_EQ(pt_rx_req(t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);
	pt_send(t, 2);
	EXPECT_EQ(t->nr_tx, 2);
	return t->now + cfg.peer_timeout_ns;
}

static void expire_until_over(struct pdctest *t)
{
	while (pt_state(t) != UET_PDC_ST_ERROR)
		pt_expire(t);
}

/* The SYN may be forged: nobody at that address may want these packets. */
TEST(pdc_loss_rto__target_of_a_silent_peer_sends_few_packets)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u64 end;

	end = return_data(&t);
	expire_until_over(&t);
	EXPECT_LT(t.now, end);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, cfg.max_rto_retx + 1);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_retx, cfg.max_rto_retx);
	pt_close(&t);

	end = return_data(&t);
	pt_rx_req(&t, pt_req(START, UET_F_SYN | UET_F_RETX));
	expire_until_over(&t);
	EXPECT_LT(t.now, end);
	pt_close(&t);
}

/* The packet that it answers may be forged. */
TEST(pdc_loss_rto__initiator_that_answers_sends_few_packets)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_INITIATOR, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u64 end;

	open.is_answer = true;
	pt_open_as(&t, &open, &cfg);
	end = t.now + cfg.peer_timeout_ns;
	pt_send(&t, 1);
	expire_until_over(&t);
	EXPECT_LT(t.now, end);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_retx, cfg.max_rto_retx);
	pt_close(&t);
}

/* Any packet with our PDCID shows that the peer receives packets. */
TEST(pdc_loss_rto__target_of_a_peer_that_answered_waits_for_it)
{
	struct pdctest t;
	u64 end;

	end = return_data(&t);
	pt_rx_ack(&t, pt_ack(START, START));
	expire_until_over(&t);
	EXPECT_EQ(t.now, end);
	pt_close(&t);

	end = return_data(&t);
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START));
	expire_until_over(&t);
	EXPECT_GE(t.now, end);
	pt_close(&t);

	end = return_data(&t);
	pt_rx_req(&t, pt_req(START + 1, 0));
	expire_until_over(&t);
	EXPECT_EQ(t.now, end);
	pt_close(&t);
}

TEST(pdc_loss_rto__an_answer_begins_the_time_again)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.peer_timeout_ns = 100 * MS;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 2);
	t.now += 90 * MS;
	pt_rx_ack(&t, pt_ack(START, START));
	t.now += 90 * MS;
	uet_pdc_tick(t.pdc, t.now);
	EXPECT_NE(pt_state(&t), UET_PDC_ST_ERROR);
	pt_close(&t);
}

TEST(pdc_loss_rto__doubles_until_the_pdc_fails)
{
	const struct uet_pdc_cfg *cfg = &uet_pdc_cfg_default;
	struct pdctest t;
	u64 want = RTO;
	u32 i;

	pt_established(&t, 2);
	for (i = 0; i < cfg->max_rto_retx; i++) {
		EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + want);
		pt_expire(&t);
		EXPECT_EQ(t.nr_tx, 1);
		want = min(2 * want, cfg->rto_max_ns);
	}
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	pt_expire(&t);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	EXPECT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_TIMEOUT);
	EXPECT_EQ(t.up[0].nack_code, 0);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_loss_rto__progress_starts_anew)
{
	struct pdctest t;

	pt_established(&t, 3);
	pt_expire(&t);
	pt_expire(&t);
	EXPECT_EQ(pt_info(&t).rto_ns, 4 * RTO);
	pt_rx_ack(&t, ack_retx(START + 1, START + 1));

	EXPECT_EQ(pt_info(&t).rto_ns, RTO);
	pt_close(&t);
}

TEST(pdc_loss_rto__is_silent_when_all_is_answered)
{
	struct pdctest t;

	pt_established(&t, 1);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	EXPECT_EQ(uet_pdc_deadline(t.pdc),
		  t.now + uet_pdc_cfg_default.idle_ns);
	pt_close(&t);
}

/* The clock of the PDC is the oldest packet's, not an older one's. */
TEST(pdc_loss_rto__counts_from_the_latest_transmission)
{
	struct pdctest t;
	u64 sent_again;

	pt_established(&t, 2);
	t.now += RTO - MS;
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 1));
	EXPECT_EQ(t.nr_tx, 1);
	sent_again = t.now;
	pt_expire(&t);
	EXPECT_EQ(t.now, sent_again + MS);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 0);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), sent_again + pt_info(&t).rto_ns);
	pt_close(&t);
}

/* UE 1.0.1 3.5.15: what is known to be there is asked about. */
TEST(pdc_loss_rto__asks_about_sacked_packets)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;
	u32 i;

	pt_established(&t, 3);
	hdr.u.ack.sack_bitmap = 7;
	pt_rx_ack(&t, hdr);
	pt_expire(&t);

	ASSERT_EQ(t.nr_tx, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(t.tx[i].kind, UET_TX_CP);
		EXPECT_EQ(t.tx[i].hdr.next_hdr, UET_CP_ACK_REQUEST);
		EXPECT_EQ(t.tx[i].hdr.flags, UET_F_AR);
		EXPECT_EQ(t.tx[i].hdr.u.cp.psn, START + 1 + i);
	}
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 3, START + 1)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 3);
	pt_close(&t);
}

/* A peer that refuses all the time is not asked less. */
TEST(pdc_loss_rto__asks_about_sacked_packets_after_a_pause)
{
	struct uet_pds_hdr hdr = pt_ack(START, START), again;
	struct pdctest t;
	u32 i, asked = 0;

	pt_established(&t, 2);
	hdr.u.ack.sack_bitmap = 1;
	pt_rx_ack(&t, hdr);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_PKT_BUFFER, START + 2));
	again = pt_nack(UET_NACK_NO_PKT_BUFFER, START + 2);
	again.flags = UET_F_RETX;
	for (i = 0; i < 10; i++) {
		pt_expire(&t);
		ASSERT_NE(t.nr_tx, 0);
		asked += t.tx[0].hdr.type == UET_TY_CP;
		pt_rx_nack(&t, again);
	}
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 0);
	EXPECT_GE(asked, 3);
	EXPECT_LE(asked, 6);
	pt_close(&t);
}

/* A question that became moot is not asked. */
TEST(pdc_loss_rto__moot_ack_request_is_not_sent)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_established(&t, 3);
	hdr.u.ack.sack_bitmap = 7;
	pt_rx_ack(&t, hdr);
	t.now = uet_pdc_deadline(t.pdc);
	uet_pdc_tick(t.pdc, t.now);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 3, START + 3)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_loss_rto__an_ordered_flow_changes_its_path)
{
	struct pdctest t;
	u16 ev;

	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_ROD, &uet_pdc_cfg_default);
	pt_send(&t, 2);
	ev = t.tx[0].ev;
	EXPECT_EQ(t.tx[1].ev, ev);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_NE(t.tx[0].ev, ev);
	pt_close(&t);
}

/* 100 us of round trip, and at least 100 us of reordering, after it was sent. */
TEST(pdc_loss_detect__overtaken_packet_is_lost_after_the_reorder_window)
{
	struct uet_pds_hdr hdr = pt_ack(START, START + 3);
	struct pdctest t;
	u64 sent;

	pt_established(&t, 3);
	sent = t.now;
	t.now += 120 * US;
	hdr.u.ack.sack_bitmap = 4;
	pt_rx_ack(&t, hdr);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_GE(uet_pdc_deadline(t.pdc), sent + 200 * US);
	EXPECT_LE(uet_pdc_deadline(t.pdc), sent + 260 * US);
	pt_expire(&t);

	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(t.tx[1].hdr.u.req.psn, START + 2);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 2);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 0);
	pt_close(&t);
}

/*
 * With reorder-min 0 an overtaken packet has an eighth more than the least round trip.
 * Round trips of 100 us without variation.
 */
TEST(pdc_loss_detect__least_reorder_window_is_more_than_a_round_trip)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	const u32 rounds = 40;
	struct pdctest t;
	u64 sent;
	u32 i;

	cfg.reorder_min_ns = 0;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	for (i = 0; i < rounds; i++) {
		pt_send(&t, 1);
		t.now += 100 * US;
		pt_rx_ack(&t, pt_ack(START + i, START + i));
	}
	sent = t.now;
	pt_send(&t, 2);
	t.now += 100 * US;
	pt_rx_ack(&t, pt_ack(START + rounds - 1, START + rounds + 1));

	EXPECT_EQ(uet_pdc_deadline(t.pdc), sent + 212500);
	pt_expire(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + rounds);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 1);
	pt_close(&t);
}

TEST(pdc_loss_detect__late_packet_within_the_reorder_window_is_not_lost)
{
	struct uet_pds_hdr hdr = pt_ack(START, START + 3);
	struct pdctest t;

	pt_established(&t, 3);
	t.now += 120 * US;
	pt_rx_ack(&t, hdr);
	t.now += 30 * US;
	pt_rx_ack(&t, pt_ack(START + 3, START + 1));
	pt_tick_to(&t, t.now + MS);

	EXPECT_EQ(uet_pdc_stats(t.pdc)->tx_retx, 0);
	EXPECT_EQ(t.nr_up, 0);
	EXPECT_EQ(pt_info(&t).tx_base_psn, START + 4);
	pt_close(&t);
}

/* The path became faster: the answer comes before a usual round trip has passed. */
TEST(pdc_loss_detect__a_quick_answer_reveals_losses_too)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;

	pt_established(&t, 3);
	t.now += 20 * US;
	hdr.u.ack.sack_bitmap = 4;
	pt_rx_ack(&t, hdr);
	EXPECT_EQ(t.nr_tx, 0);
	pt_expire(&t);

	EXPECT_EQ(t.nr_tx, 2);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 2);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->rto_fired, 0);
	pt_close(&t);
}

/* Packets sent after the one that arrived are not overtaken. */
TEST(pdc_loss_detect__later_packets_are_not_lost)
{
	struct pdctest t;

	pt_established(&t, 3);
	pt_rx_ack(&t, pt_ack(START + 1, START + 1));
	pt_tick_to(&t, t.now + 10 * MS);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 0);
	pt_close(&t);
}

/*
 * After a time-out the repeated packet's ACK uncovers all older losses, which
 * go again two at first, then four.
 */
TEST(pdc_loss_detect__ack_of_a_retransmission_reveals_older_losses)
{
	struct pdctest t;

	pt_established(&t, 4);
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	t.now += 100 * US;
	pt_rx_ack(&t, ack_retx(START + 1, START + 1));
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 3);
	EXPECT_EQ(t.nr_tx, 2);
	pt_rx_ack(&t, ack_retx(START + 2, START + 2));
	EXPECT_EQ(t.nr_tx, 1);
	pt_close(&t);
}

/* The first copy of a packet sent twice arrived: be more patient. */
TEST(pdc_loss_detect__learns_from_a_needless_retransmission)
{
	struct pdctest t;
	u64 before;

	pt_established(&t, 2);
	before = t.now;
	t.now += 120 * US;
	pt_rx_ack(&t, pt_ack(START, START + 2));
	pt_expire(&t);
	EXPECT_EQ(t.nr_tx, 1);
	t.now = before + 700 * US;
	pt_rx_ack(&t, pt_ack(START + 2, START + 1));

	EXPECT_GE(t.pdc->tx.reorder_window_ns, 590 * US);
	EXPECT_LE(t.pdc->tx.reorder_window_ns, 600 * US);
	pt_close(&t);
}

/* Three packets of which the first two were just sent again. */
static void begin_resent(struct pdctest *t)
{
	pt_established(t, 3);
	t->now += 120 * US;
	pt_rx_ack(t, pt_ack(START, START + 3));
	pt_expire(t);
	EXPECT_EQ(t->nr_tx, 2);
}

/* The same, seen only from a CACK too soon after the retransmission. */
TEST(pdc_loss_detect__learns_from_a_cack)
{
	struct pdctest t;

	begin_resent(&t);
	t.now += 10 * US;
	pt_rx_ack(&t, pt_ack(START + 3, START + 3));
	EXPECT_GT(t.pdc->tx.reorder_window_ns, 100 * US);
	pt_close(&t);
}

/* A CACK that another CPU read before the retransmission is not its answer. */
TEST(pdc_loss_detect__an_ack_before_the_retransmission_is_of_the_original)
{
	struct pdctest t;

	begin_resent(&t);
	t.now -= 10 * US;
	pt_rx_ack(&t, pt_ack(START + 3, START + 3));
	EXPECT_GT(t.pdc->tx.reorder_window_ns, 100 * US);
	EXPECT_LE(t.pdc->tx.reorder_window_ns, MS);
	pt_close(&t);
}

/* An ACK of a retransmission nobody missed: doubled once per window. */
TEST(pdc_loss_detect__learns_from_a_duplicate_ack)
{
	struct pdctest t;
	u64 once;

	pt_established(&t, 4);
	pt_rx_ack(&t, pt_ack(START + 4, START + 4));
	pt_rx_ack(&t, ack_retx(START + 4, START + 1));
	once = t.pdc->tx.reorder_window_ns;
	EXPECT_GE(once, 200 * US);
	EXPECT_LE(once, 400 * US);
	pt_rx_ack(&t, ack_retx(START + 4, START + 2));
	EXPECT_EQ(t.pdc->tx.reorder_window_ns, once);
	/* The last packet of the window, and then the first one of the next. */
	pt_rx_ack(&t, ack_retx(START + 4, START + 4));
	EXPECT_EQ(t.pdc->tx.reorder_window_ns, once);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START + 5, START + 5));
	pt_rx_ack(&t, ack_retx(START + 5, START + 5));
	EXPECT_GT(t.pdc->tx.reorder_window_ns, once);
	EXPECT_LE(t.pdc->tx.reorder_window_ns, MS);
	pt_close(&t);
}

TEST(pdc_loss_detect__needs_a_sample)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 3);
	pt_rx_nack(&t, pt_nack(UET_NACK_RCVD_SES_PROCG, START));
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + RTO);
	pt_close(&t);
}

/*
 * Sent three times, so that it is not known what the answer says of a round trip:
 * those that were overtaken have had the time of a time-out instead.
 */
TEST(pdc_loss_detect__without_sample_the_rto_decides)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_NO_PKT_BUFFER, START);
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 3);
	pt_expire(&t);
	pt_expire(&t);
	hdr.flags |= UET_F_RETX;
	pt_rx_nack(&t, hdr);

	EXPECT_EQ(pt_info(&t).srtt_ns, 0);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 2);
	pt_close(&t);
}

/* Trimmed packets overtake whole packets in the queue of a switch. */
TEST(pdc_loss_detect__trimmed_packet_reveals_no_loss)
{
	struct pdctest t;

	pt_established(&t, 3);
	t.now += 3 * MS;
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 3));
	EXPECT_EQ(t.nr_tx, 1);
	pt_tick_to(&t, t.now + 10 * MS);
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 0);
	pt_close(&t);

	/* Refused for want of space it was in its place. */
	pt_established(&t, 3);
	t.now += 3 * MS;
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_PKT_BUFFER, START + 3));
	EXPECT_EQ(uet_pdc_stats(t.pdc)->sack_lost, 2);
	pt_close(&t);
}
