// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the run functions of kernel/core/pds/pdc_tx.c: one run leaves the PDC,
 * byte for byte, as so many single steps do, and gives the same packets and outcomes;
 * anything special ends a run.  Bytes are compared when each packet has a slot of its own;
 * test_pdc_slot.c does so after any event.
 * Spec: none; UE 1.0.1 3.5.11 and 3.5.12.2 for each packet.  Level: test of core L4.
 */
#include "cctest.h"
#include "pdcimage.h"
#include "pdctest.h"

#define MAX_RUN	64

static struct uet_pds_pkt run_pkt(void)
{
	static int message;

	return (struct uet_pds_pkt) {
		.msg = &message, .len = 1024, .offset = 1024,
		.next_hdr = UET_NH_REQ_STD,
	};
}

/* An open PDC with @n packets of a message queued, and nothing else. */
static void run_open(struct pdctest *t, u32 n)
{
	struct uet_pds_pkt pkt = run_pkt();

	pt_established(t, 0);
	EXPECT_EQ(uet_pdc_tx_reqs(t->pdc, &pkt, n, t->now), n);
}

/* ------------------------------------------------------------------- accepting */

TEST(pdc_tx_reqs__a_run_equals_single_packets)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct image before, single;
	struct pdctest t;
	u32 i;

	pt_established(&t, 3);
	t.now += US;
	before = image_of(&t);
	for (i = 0; i < 40; i++, pkt.offset += pkt.len)
		uet_pdc_tx_req(t.pdc, &pkt, t.now);
	single = image_swap(&t, &before);
	pkt = run_pkt();
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 40, t.now), 40);
	EXPECT_TRUE(image_is(&single, &t));
	free(before.bytes);
	free(single.bytes);
	pt_close(&t);
}

TEST(pdc_tx_reqs__a_run_ends_with_the_window)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;

	run_open(&t, 10);
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 10000, t.now),
		  UET_PDC_WINDOW_DEFAULT - 10);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 1, t.now), 0);
	pt_close(&t);
}

/* A slot has 255 packets at most. */
TEST(pdc_tx_reqs__a_run_of_several_slots_has_all_bytes)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;
	u32 i;

	cfg.window = 1024;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	hdr.u.ack.mpr = 8;
	pt_rx_ack(&t, hdr);
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 600, t.now), 600);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 600);
	for (i = 0; i < 600; i++)
		EXPECT_EQ(t.tx[i].pkt.offset, (1 + i) * 1024);
	pt_close(&t);
}

TEST(pdc_tx_reqs__new_packets_are_activity)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;

	pt_established(&t, 0);
	t.now += MS;
	uet_pdc_tx_reqs(t.pdc, &pkt, 2, t.now);
	EXPECT_EQ(t.pdc->active_ns, t.now);
	pt_close(&t);
}

TEST(pdc_tx_reqs__a_closed_pdc_accepts_none)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;

	run_open(&t, 1);
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 5, t.now), 0);
	pt_close(&t);
}

/* --------------------------------------------------------------------- sending */

/* Send one packet, then the run behind it.  Return: packets of the run. */
static u32 run_send(struct pdctest *t, u32 max, u16 *ev)
{
	EXPECT_TRUE(uet_pdc_poll_tx(t->pdc, &t->tx[0], t->now));
	return uet_pdc_poll_tx_run(t->pdc, &t->tx[0], ev, max, t->now);
}

static void run_expect_packet(const struct uet_pdc_tx *a,
			      const struct uet_pdc_tx *b)
{
	EXPECT_EQ(a->hdr.u.req.psn, b->hdr.u.req.psn);
	EXPECT_EQ(a->ev, b->ev);
	EXPECT_TRUE(!memcmp(a, b, sizeof(*a)));
}

/* @n packets by one run, and by single steps, from the same state. */
static void run_compare(struct pdctest *t, u32 n)
{
	struct image before = image_of(t), single;
	u16 ev[MAX_RUN];
	u32 i;

	for (i = 1; i <= n + 1; i++)
		EXPECT_TRUE(uet_pdc_poll_tx(t->pdc, &t->tx[i], t->now));
	single = image_swap(t, &before);
	EXPECT_EQ(run_send(t, n, ev), n);
	pt_check(t);
	EXPECT_TRUE(image_is(&single, t));
	run_expect_packet(&t->tx[0], &t->tx[1]);
	for (i = 0; i < n; i++) {
		uet_pdc_tx_step(&t->tx[0], ev[i]);
		run_expect_packet(&t->tx[0], &t->tx[i + 2]);
	}
	free(before.bytes);
	free(single.bytes);
}

TEST(pdc_poll_tx_run__a_run_equals_single_steps)
{
	struct pdctest t;

	run_open(&t, 100);
	run_compare(&t, 60);
	t.now += MS;
	run_compare(&t, 30);
	pt_close(&t);
}

TEST(pdc_poll_tx_run__a_run_of_read_data_equals_single_steps)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;

	pkt.next_hdr = UET_NH_RSP_DATA;
	pt_established(&t, 0);
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 100, t.now), 100);
	run_compare(&t, 60);
	pt_close(&t);
}

TEST(pdc_poll_tx_run__a_run_of_a_ROD_PDC_keeps_its_path)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_ROD, &cfg);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	uet_pdc_tx_reqs(t.pdc, &pkt, 30, t.now);
	run_compare(&t, 20);
	EXPECT_EQ(t.tx[1].ev, t.tx[20].ev);
	pt_close(&t);
}

/* A window of as many packets as it says, in front of an open PDC with 100 queued. */
static void run_open_cc(struct pdctest *t, struct cctest *cc, u32 window)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_INITIATOR, UET_PDC_RUD);
	struct uet_pds_pkt pkt = run_pkt();
	struct uet_pdc_cfg cfg = pt_cfg();

	memset(cc, 0, sizeof(*cc));
	uet_cc_cfg_init(&cc->cfg);
	cc->cfg.window = UET_WINDOW_CONST;
	cc->cfg.mtu = 1200;
	cc->cfg.cwnd = window * cc->cfg.mtu;
	cctest_start(cc);
	open.ccc = &cc->ccc;
	open.overhead = 1200 - 1024 - UET_REQ_LEN - UET_SES_STD_LEN - UET_CC_NOMINAL_ADD;
	cfg.has_cc = true;
	pt_open_as(t, &open, &cfg);
	pt_send(t, 1);
	pt_rx_ack(t, pt_ack(START, START));
	EXPECT_EQ(uet_pdc_tx_reqs(t->pdc, &pkt, 100, t->now), 100);
}

TEST(pdc_poll_tx_run__a_run_ends_in_front_of_the_packet_that_fills_the_window_of_a_context)
{
	struct image before, single;
	struct uet_ccc ccc, ccc_single;
	struct cctest cc;
	struct pdctest t;
	u16 ev[MAX_RUN];
	u32 n = 0, i;

	run_open_cc(&t, &cc, 40);
	before = image_of(&t);
	ccc = cc.ccc;
	while (uet_pdc_poll_tx(t.pdc, &t.tx[n + 1], t.now))
		n++;
	EXPECT_GE(n, 35);
	EXPECT_TRUE(t.tx[n].hdr.flags & UET_F_AR);
	single = image_swap(&t, &before);
	ccc_single = cc.ccc;
	cc.ccc = ccc;

	EXPECT_EQ(run_send(&t, MAX_RUN, ev), n - 2);
	for (i = 0; i < n - 2; i++) {
		uet_pdc_tx_step(&t.tx[0], ev[i]);
		run_expect_packet(&t.tx[0], &t.tx[i + 2]);
	}
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	run_expect_packet(&t.tx[0], &t.tx[n]);
	EXPECT_FALSE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	EXPECT_TRUE(image_is(&single, &t));
	EXPECT_TRUE(!memcmp(&cc.ccc, &ccc_single, sizeof(ccc)));
	free(before.bytes);
	free(single.bytes);
	pt_close(&t);
}

TEST(pdc_cc_set_ev__a_run_leaves_in_another_order)
{
	struct cctest cc;
	struct pdctest t;
	u16 ev[MAX_RUN];
	u32 n, psn;

	run_open_cc(&t, &cc, 40);
	n = run_send(&t, 2, ev);
	EXPECT_EQ(n, 2);
	psn = t.tx[0].hdr.u.req.psn + 1;
	ev[0] = 7;
	ev[1] = 9;
	uet_pdc_cc_set_ev(t.pdc, psn, ev, n);
	EXPECT_EQ(t.pdc->cc.pkts[uet_pdc_slot(t.pdc, psn) - t.pdc->tx.slots].ev, 7);
	EXPECT_EQ(t.pdc->cc.pkts[uet_pdc_slot(t.pdc, psn + 1) - t.pdc->tx.slots].ev, 9);
	pt_close(&t);
}

TEST(pdc_poll_tx_run__a_run_ends_with_what_is_queued)
{
	struct pdctest t;
	u16 ev[MAX_RUN];

	run_open(&t, 10);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 9);
	EXPECT_FALSE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	pt_close(&t);
}

/* The packet that fills the window requests an ACK, so it is built singly. */
TEST(pdc_poll_tx_run__the_packet_that_fills_a_window_is_in_no_run)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u16 ev[256];

	pt_open(&t, UET_PDC_INITIATOR);
	pt_send(&t, 1);
	hdr = pt_ack(START, START);
	hdr.u.ack.mpr = 1;
	pt_rx_ack(&t, hdr);
	uet_pdc_tx_reqs(t.pdc, &pkt, 200, t.now);
	EXPECT_EQ(run_send(&t, 200, ev), 126);
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_AR);
	EXPECT_EQ(uet_pdc_poll_tx_run(t.pdc, &t.tx[0], ev, 200, t.now), 0);
	EXPECT_FALSE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	pt_close(&t);
}

TEST(pdc_poll_tx_run__packets_with_SYN_are_in_no_run)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;
	u16 ev[MAX_RUN];

	pt_open(&t, UET_PDC_INITIATOR);
	uet_pdc_tx_reqs(t.pdc, &pkt, 10, t.now);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 0);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_SYN | UET_F_AR);
	pt_close(&t);
}

/* A run ends before a packet that differs in @at, the fourth behind the first. */
static void run_expect_end(const struct uet_pds_pkt *at)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;
	u16 ev[MAX_RUN];

	run_open(&t, 4);
	uet_pdc_tx_req(t.pdc, at, t.now);
	uet_pdc_tx_reqs(t.pdc, &pkt, 4, t.now);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 3);
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	EXPECT_EQ(t.tx[0].pkt.len, at->len);
	EXPECT_EQ(t.tx[0].pkt.flags, at->flags);
	pt_close(&t);
}

TEST(pdc_poll_tx_run__a_packet_that_differs_ends_a_run)
{
	static const u8 marks[] = { UET_PKT_SOM, UET_PKT_EOM, UET_PKT_TAIL };
	struct uet_pds_pkt pkt = run_pkt();
	int other;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		pkt.flags = marks[i];
		run_expect_end(&pkt);
	}
	pkt = run_pkt();
	pkt.len--;
	run_expect_end(&pkt);
	pkt = run_pkt();
	pkt.msg = &other;
	run_expect_end(&pkt);
	pkt = run_pkt();
	pkt.next_hdr = UET_NH_REQ_MEDIUM;
	run_expect_end(&pkt);
}

TEST(pdc_poll_tx_run__messages_of_a_packet_are_in_no_run)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;
	u16 ev[MAX_RUN];

	run_open(&t, 0);
	pkt.flags = UET_PKT_SOM | UET_PKT_EOM;
	uet_pdc_tx_req(t.pdc, &pkt, t.now);
	uet_pdc_tx_req(t.pdc, &pkt, t.now);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 0);
	pt_close(&t);
}

TEST(pdc_poll_tx_run__a_control_packet_ends_a_run)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct pdctest t;
	u16 ev[MAX_RUN];

	run_open(&t, 4);
	EXPECT_TRUE(uet_pdc_tx_noop(t.pdc, NULL, t.now));
	uet_pdc_tx_reqs(t.pdc, &pkt, 4, t.now);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 3);
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	EXPECT_EQ(t.tx[0].kind, UET_TX_CP);
	EXPECT_EQ(uet_pdc_poll_tx_run(t.pdc, &t.tx[0], ev, MAX_RUN, t.now), 0);
	pt_close(&t);
}

/* What uet_pdc_poll_tx() would send before new packets stops a run. */
TEST(pdc_poll_tx_run__a_lost_packet_goes_before_a_run)
{
	struct uet_pds_pkt pkt = run_pkt();
	struct uet_pds_hdr nack;
	struct pdctest t;
	u16 ev[MAX_RUN];

	run_open(&t, 10);
	pt_run(&t);
	uet_pdc_tx_reqs(t.pdc, &pkt, 10, t.now);
	nack = pt_nack(UET_NACK_TRIMMED, t.tx[3].hdr.u.req.psn);
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	uet_pdc_rx_nack(t.pdc, &nack, &pt_in, t.now);
	EXPECT_EQ(uet_pdc_poll_tx_run(t.pdc, &t.tx[0], ev, MAX_RUN, t.now), 0);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 0);
	EXPECT_TRUE(t.tx[0].is_retx);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 8);
	pt_close(&t);
}

TEST(pdc_poll_tx_run__an_ack_goes_before_a_run)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_AR);
	struct uet_ses_rsp ok = { .rc = UET_RC_OK };
	struct pdctest t;
	u16 ev[MAX_RUN];
	bool deliver;

	run_open(&t, 10);
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	uet_pdc_rx_req(t.pdc, &hdr, &pt_in, t.now, &deliver);
	uet_pdc_rx_accept(t.pdc, &hdr, &pt_in, &ok, t.now);
	EXPECT_EQ(uet_pdc_poll_tx_run(t.pdc, &t.tx[0], ev, MAX_RUN, t.now), 0);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 0);
	EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
	EXPECT_EQ(run_send(&t, MAX_RUN, ev), 8);
	pt_close(&t);
}

/* -------------------------------------------------------------------- outcomes */

/* @n packets were sent from START + 1 on, and an ACK covers all of them. */
static void run_open_acked(struct pdctest *t, u32 n)
{
	struct uet_pds_hdr hdr = pt_ack(START + n, START + n);

	run_open(t, n);
	pt_run(t);
	EXPECT_EQ(uet_pdc_rx_ack(t->pdc, &hdr, NULL, &pt_in, t->now),
		  UET_DROP_NONE);
}

static bool run_is_same_up(const struct uet_pdc_up *a, struct uet_pdc_up b)
{
	b.pkt.offset = a->pkt.offset;
	b.xmit = a->xmit;
	b.answer = a->answer;
	return !memcmp(a, &b, sizeof(b));
}

TEST(pdc_poll_up_run__a_run_equals_single_steps)
{
	struct image before, single;
	struct pdctest t;
	u32 i;

	run_open_acked(&t, 50);
	before = image_of(&t);
	for (i = 0; i < 50; i++) {
		EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[i]));
		EXPECT_TRUE(run_is_same_up(&t.up[0], t.up[i]));
	}
	single = image_swap(&t, &before);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 49);
	pt_check(&t);
	EXPECT_TRUE(image_is(&single, &t));
	free(before.bytes);
	free(single.bytes);
	pt_close(&t);
}

TEST(pdc_poll_up_run__a_run_ends_with_the_acknowledged_packets)
{
	struct uet_pds_hdr hdr = pt_ack(START + 7, START + 7);
	struct pdctest t;

	run_open(&t, 20);
	pt_run(&t);
	uet_pdc_rx_ack(t.pdc, &hdr, NULL, &pt_in, t.now);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 6);
	EXPECT_FALSE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	pt_close(&t);
}

/* An answer of its own is told by itself. */
TEST(pdc_poll_up_run__an_error_response_is_in_no_run)
{
	struct uet_pds_hdr hdr = pt_ack(START, START + 5);
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_RESPONSE, .rc = UET_RC_PERM_VIOLATION,
	};
	struct pdctest t;

	run_open(&t, 10);
	pt_run(&t);
	uet_pdc_rx_ack(t.pdc, &hdr, &rsp, &pt_in, t.now);
	hdr = pt_ack(START + 10, START + 10);
	uet_pdc_rx_ack(t.pdc, &hdr, NULL, &pt_in, t.now);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 3);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(t.up[0].rc, UET_RC_PERM_VIOLATION);
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 0);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 4);
	pt_close(&t);
}

/* Even if it looks like the default response but for its code. */
TEST(pdc_poll_up_run__an_explicit_response_is_in_no_run)
{
	struct uet_pds_hdr hdr = pt_ack(START, START + 5);
	struct uet_ses_rsp rsp = {
		.opcode = UET_RSP_RESPONSE, .rc = UET_RC_OK,
		.list = UET_LIST_EXPECTED, .modified_length = U32_MAX,
	};
	struct pdctest t;

	run_open(&t, 10);
	pt_run(&t);
	uet_pdc_rx_ack(t.pdc, &hdr, &rsp, &pt_in, t.now);
	hdr = pt_ack(START + 10, START + 10);
	uet_pdc_rx_ack(t.pdc, &hdr, NULL, &pt_in, t.now);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 3);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	EXPECT_EQ(t.up[0].rsp_opcode, UET_RSP_RESPONSE);
	pt_close(&t);
}

TEST(pdc_poll_up_run__a_failed_pdc_reports_packets_singly)
{
	struct pdctest t;

	run_open_acked(&t, 10);
	EXPECT_TRUE(uet_pdc_poll_up(t.pdc, &t.up[0]));
	uet_pdc_abort(t.pdc, t.now);
	EXPECT_EQ(uet_pdc_poll_up_run(t.pdc, &t.up[0]), 0);
	pt_close(&t);
}
