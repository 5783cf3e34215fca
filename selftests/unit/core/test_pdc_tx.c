// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_tx.c and pdc_slot.c: admission, SYN, AR, the
 * windows, the order in which packets are sent, and outcomes in PSN order.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.11, 3.5.12.2, 3.5.15.  Level: test of core L4.
 */
#include "pdctest.h"

TEST(pdc_tx__psns_are_given_in_order)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct pdctest t;
	u32 i;

	pt_open(&t, UET_PDC_INITIATOR);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(uet_pdc_tx_req(t.pdc, &pkt, t.now), START + i);
	EXPECT_EQ(pt_info(&t).next_psn, START + 20);
	pt_close(&t);
}

/* UE 1.0.1 3.5.8.2: all packets before the first answer carry SYN. */
TEST(pdc_tx__packets_carry_syn_until_the_first_ack)
{
	struct pdctest t;
	u32 i;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 20);
	ASSERT_EQ(t.nr_tx, 20);
	for (i = 0; i < 20; i++) {
		const struct uet_pds_hdr *hdr = &t.tx[i].hdr;

		EXPECT_EQ(hdr->type, UET_TY_RUD_REQ);
		EXPECT_EQ(hdr->next_hdr, UET_NH_REQ_STD);
		EXPECT_EQ(hdr->flags, UET_F_SYN | UET_F_AR);
		EXPECT_EQ(hdr->u.req.psn, START + i);
		EXPECT_EQ(hdr->u.req.psn_offset, i);
		EXPECT_EQ(hdr->u.req.spdcid, OUR_ID);
		EXPECT_EQ(hdr->u.req.pdc_info, 0);
		EXPECT_EQ(hdr->u.req.clear_off, -1 - (s32)i);
		EXPECT_EQ(t.tx[i].pkt.offset, i * 1024);
		EXPECT_FALSE(t.tx[i].is_retx);
	}
	pt_close(&t);
}

/* A SYN repeated after the answer came to another one has none. */
TEST(pdc_tx__retransmission_drops_the_syn)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 3);
	t.now += 100 * US;
	pt_rx_ack(&t, pt_ack(START - 1, START + 1));
	pt_expire(&t);

	ASSERT_NE(t.nr_tx, 0);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_RETX | UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.req.dpdcid, PEER_ID);
	pt_close(&t);
}

static void open_reserved(struct pdctest *t)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_INITIATOR, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();

	open.is_reserved = true;
	pt_open_as(t, &open, &cfg);
}

/* Table 3-33: the highest bit of the word that else is dpdcid. */
static u16 syn_word(const struct uet_pdc_tx *tx)
{
	u8 buf[UET_PDS_MAX_LEN];

	EXPECT_GE(uet_wire_pds_encode(&tx->hdr, buf, sizeof(buf)), 12);
	return buf[10] << 8 | buf[11];
}

/* The first SYN that arrives opens the PDC, so each of them asks. */
TEST(pdc_tx_reserved__every_packet_with_syn_asks)
{
	struct pdctest t;
	u32 i;

	open_reserved(&t);
	EXPECT_TRUE(pt_info(&t).is_reserved);
	pt_send(&t, 3);
	ASSERT_EQ(t.nr_tx, 3);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(syn_word(&t.tx[i]), 0x8000 | i);
	uet_pdc_tx_noop(t.pdc, NULL, t.now);
	uet_pdc_tx_negotiate(t.pdc, t.now);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(syn_word(&t.tx[0]), 0x8003);
	EXPECT_EQ(syn_word(&t.tx[1]), 0x8004);
	pt_expire(&t);
	ASSERT_NE(t.nr_tx, 0);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_RETX, UET_F_RETX);
	EXPECT_EQ(syn_word(&t.tx[0]), 0x8000);
	pt_close(&t);
}

TEST(pdc_tx_reserved__nothing_is_asked_once_it_is_open)
{
	struct pdctest t;

	open_reserved(&t);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	pt_send(&t, 1);

	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(syn_word(&t.tx[0]), PEER_ID);
	pt_close(&t);
}

TEST(pdc_tx__tail_requests_an_ack)
{
	struct pdctest t;
	u32 i;

	pt_established(&t, 10);
	for (i = 0; i < 10; i++)
		EXPECT_EQ(t.tx[i].hdr.flags, i == 9 ? UET_F_AR : 0);
	pt_close(&t);
}

TEST(pdc_tx__last_packet_of_the_peer_window_requests_an_ack)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;
	u32 i;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	hdr.u.ack.mpr = 1;
	pt_rx_ack(&t, hdr);
	pt_send(&t, 200);
	ASSERT_EQ(t.nr_tx, 128);
	for (i = 0; i < 128; i++)
		EXPECT_EQ(t.tx[i].hdr.flags, i == 127 ? UET_F_AR : 0);
	pt_close(&t);
}

TEST(pdc_tx__last_packet_of_the_send_window_requests_an_ack)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct pdctest t;
	u32 i;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	hdr.u.ack.mpr = 8;
	pt_rx_ack(&t, hdr);
	for (i = 0; uet_pdc_tx_space(t.pdc); i++)
		uet_pdc_tx_req(t.pdc, &pkt, t.now);
	EXPECT_EQ(i, UET_PDC_WINDOW_DEFAULT);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, UET_PDC_WINDOW_DEFAULT);
	EXPECT_EQ(t.tx[254].hdr.flags, 0);
	EXPECT_EQ(t.tx[255].hdr.flags, UET_F_AR);
	pt_close(&t);
}

/* When the window is the limit, not every packet that closes it asks. */
TEST(pdc_tx__full_window_requests_two_acks)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 i, asked = 0;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	hdr = pt_ack(START, START);
	hdr.u.ack.mpr = 1;
	pt_rx_ack(&t, hdr);
	pt_send(&t, 128);
	for (i = 1; i <= 128; i++) {
		struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };

		uet_pdc_tx_req(t.pdc, &pkt, t.now);
		hdr = pt_ack(START + i, START + i);
		hdr.u.ack.mpr = 1;
		pt_rx_ack(&t, hdr);
		ASSERT_EQ(t.nr_tx, 1);
		asked += !!(t.tx[0].hdr.flags & UET_F_AR);
	}
	EXPECT_EQ(asked, 2);
	pt_close(&t);
}

TEST(pdc_tx_space__space_ends_with_the_slots)
{
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, UET_PDC_WINDOW_DEFAULT);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	pt_rx_ack(&t, pt_ack(START, START));
	EXPECT_EQ(t.nr_up, 1);
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	pt_close(&t);
}

/* A slot is in use until SES has taken the outcome. */
TEST(pdc_tx_space__slot_is_used_until_the_outcome_is_taken)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct uet_pdc_up up;
	struct pdctest t;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, UET_PDC_WINDOW_DEFAULT);
	uet_pdc_rx_ack(t.pdc, &hdr, NULL, &pt_in, t.now);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &up));
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	pt_close(&t);
}

TEST(pdc_tx_space__aborted_pdc_has_no_space)
{
	struct pdctest t;

	pt_established(&t, 0);
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));
	pt_close(&t);
}

TEST(pdc_tx__every_packet_takes_another_path)
{
	struct pdctest t;
	u32 i, same = 0;

	pt_established(&t, 50);
	for (i = 1; i < 50; i++)
		same += t.tx[i].ev == t.tx[i - 1].ev;
	EXPECT_LE(same, 1);
	pt_close(&t);
}

TEST(pdc_tx__lost_packets_go_before_new_ones_lowest_first)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u32 psn;

	pt_established(&t, 6);
	uet_pdc_tx_req(t.pdc, &pkt, t.now);
	for (psn = START + 5; psn != START + 2; psn--) {
		hdr = pt_nack(UET_NACK_TRIMMED, psn);
		uet_pdc_rx_nack(t.pdc, &hdr, &pt_in, t.now);
	}
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 4);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 3);
	EXPECT_EQ(t.tx[1].hdr.u.req.psn, START + 4);
	EXPECT_EQ(t.tx[2].hdr.u.req.psn, START + 5);
	EXPECT_EQ(t.tx[3].hdr.u.req.psn, START + 7);
	EXPECT_FALSE(t.tx[3].is_retx);
	pt_close(&t);
}

TEST(pdc_tx__a_late_ack_saves_the_retransmission)
{
	struct uet_pds_hdr nack = pt_nack(UET_NACK_TRIMMED, START + 2);
	struct pdctest t;

	pt_established(&t, 3);
	uet_pdc_rx_nack(t.pdc, &nack, &pt_in, t.now);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 2, START + 2)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_poll_tx__answers_go_first)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_ses_rsp ok = { .rc = UET_RC_OK };
	struct uet_pds_hdr hdr = pt_req(START, UET_F_AR);
	struct pdctest t;
	bool deliver;

	pt_established(&t, 0);
	uet_pdc_tx_req(t.pdc, &pkt, t.now);
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	uet_pdc_rx_accept(t.pdc, &hdr, &pt_in, &ok, t.now);
	hdr = pt_req(START + 1000, 0);
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	pt_run(&t);

	ASSERT_EQ(t.nr_tx, 3);
	EXPECT_EQ(t.tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t.tx[1].kind, UET_TX_ACK);
	EXPECT_EQ(t.tx[2].kind, UET_TX_REQ);
	pt_close(&t);
}

/* A caller may stop polling at any point and go on later. */
TEST(pdc_poll_tx__packets_stay_queued_between_polls)
{
	struct uet_pds_pkt pkt = { .next_hdr = UET_NH_REQ_STD };
	struct uet_pdc_tx tx;
	struct pdctest t;
	u32 i;

	pt_established(&t, 0);
	for (i = 0; i < 5; i++)
		uet_pdc_tx_req(t.pdc, &pkt, t.now);
	for (i = 0; i < 5; i++) {
		EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &tx, t.now));
		EXPECT_EQ(tx.hdr.u.req.psn, START + 1 + i);
		t.now += MS;
	}
	EXPECT_FALSE(uet_pdc_poll_tx(t.pdc, &tx, t.now));
	pt_close(&t);
}

TEST(pdc_poll_up__outcomes_come_in_psn_order)
{
	struct pdctest t;
	u32 i;

	pt_established(&t, 4);
	pt_rx_ack(&t, pt_ack(START, START + 3));
	EXPECT_EQ(t.nr_up, 0);
	pt_rx_ack(&t, pt_ack(START, START + 2));
	EXPECT_EQ(t.nr_up, 0);
	pt_rx_ack(&t, pt_ack(START, START + 1));
	ASSERT_EQ(t.nr_up, 3);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(t.up[i].pkt.offset, i * 1024);
	pt_close(&t);
}

TEST(pdc_poll_up__failed_ones_were_never_sent)
{
	struct pdctest t;
	u32 i;

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 200);
	EXPECT_EQ(t.nr_tx, 128);
	uet_pdc_abort(t.pdc, t.now);
	pt_run(&t);

	ASSERT_EQ(t.nr_up, 200);
	for (i = 0; i < 200; i++) {
		EXPECT_EQ(t.up[i].kind, UET_UP_FAILED);
		EXPECT_EQ(t.up[i].error, UET_PDC_ERR_ABORT);
		EXPECT_EQ(t.up[i].nack_code, 0);
		EXPECT_EQ(t.up[i].pkt.offset, i * 1024);
	}
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_tx__a_target_sends_in_its_own_direction)
{
	struct pdctest t;

	pt_accepted(&t);
	pt_send(&t, 2);
	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START);
	EXPECT_EQ(t.tx[0].hdr.flags, 0);
	EXPECT_EQ(t.tx[0].hdr.u.req.dpdcid, PEER_ID);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 1, START + 1)), UET_DROP_NONE);
	EXPECT_EQ(t.nr_up, 2);
	pt_close(&t);
}

TEST(pdc_tx__counters_match_events)
{
	const struct uet_pdc_stats *s;
	struct pdctest t;

	pt_established(&t, 5);
	s = uet_pdc_stats(t.pdc);
	EXPECT_EQ(s->tx_req, 6);
	EXPECT_EQ(s->rx_ack, 1);
	pt_rx_nack(&t, pt_nack(UET_NACK_TRIMMED, START + 1));
	EXPECT_EQ(s->tx_retx, 1);
	EXPECT_EQ(s->rx_nack, 1);
	EXPECT_EQ(pt_info(&t).stats.tx_req, 6);
	pt_close(&t);
}
