// SPDX-License-Identifier: GPL-2.0
/*
 * The events that a PDC reports to its congestion control context, and its obedience:
 * one PDC that is fed by hand, with a window of so many packets.  Whole transfers are
 * in test_pdc_cc_pair.c.  Spec: UE 1.0.1 3.6.12, 3.6.13.  Level: test of core L4.
 */
#include "cctest.h"
#include "pdctest.h"

/* Nominal bytes of a packet of pt_send(), as test() is told. */
#define SIZE		1124U
#define WINDOW		8U

/* One PDC on a context. */
struct cc1 {
	struct cctest cc;
	struct uet_ev_sel sel;
	struct pdctest t;
};

static struct uet_pdc_open cc_open_how(struct cc1 *c, enum uet_pdc_role role,
				       enum uet_pdc_mode mode)
{
	struct uet_pdc_open open = pt_open_how(role, mode);

	open.ccc = &c->cc.ccc;
	open.overhead = SIZE - 1024 - UET_REQ_LEN - UET_SES_STD_LEN -
			UET_CC_NOMINAL_ADD;
	return open;
}

static void cc_context(struct cc1 *c, u8 window)
{
	memset(c, 0, sizeof(*c));
	uet_cc_cfg_init(&c->cc.cfg);
	c->cc.cfg.window = window;
	c->cc.cfg.mtu = SIZE;
	c->cc.cfg.cwnd = WINDOW * SIZE;
	cctest_start(&c->cc);
	if (window == UET_WINDOW_NSCC)
		c->cc.ccc.cwnd = WINDOW * SIZE;
}

static void cc_join(struct cc1 *c, const struct uet_pdc_open *open)
{
	struct uet_pdc_cfg cfg = pt_cfg();

	cfg.has_cc = true;
	pt_open_as(&c->t, open, &cfg);
}

static void cc_open(struct cc1 *c, u8 window)
{
	struct uet_pdc_open open;

	cc_context(c, window);
	open = cc_open_how(c, UET_PDC_INITIATOR, UET_PDC_RUD);
	cc_join(c, &open);
}

/* An ACK of all PSNs up to START + n - 1, which the peer counts as @bytes. */
static struct uet_pds_hdr cc_ack(u32 n, u32 bytes)
{
	struct uet_pds_hdr hdr = pt_ack(START + n - 1, START + n - 1);

	hdr.u.ack.cc_type = UET_CC_NSCC;
	hdr.u.ack.state.nscc.service_time = 1;
	hdr.u.ack.state.nscc.rcvd_bytes = uet_cc_rcvd_units(bytes);
	return hdr;
}

static void cc_expect_nothing_left(const struct uet_ccc *ccc)
{
	EXPECT_EQ(ccc->inflight_pkts, 0);
	EXPECT_EQ(ccc->inflight, 0);
	EXPECT_EQ(ccc->backlog, 0);
	EXPECT_EQ(ccc->waiting_rtx, 0);
	EXPECT_EQ(ccc->rtx_backlog, 0);
	EXPECT_EQ(ccc->state, UET_CCC_IDLE);
}

static void cc_end(struct cc1 *c)
{
	uet_pdc_abort(c->t.pdc, c->t.now);
	pt_run(&c->t);
	cc_expect_nothing_left(&c->cc.ccc);
	pt_close(&c->t);
}

TEST(pdc_cc_send__sends_at_most_one_window)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, 20);

	EXPECT_EQ(c.t.nr_tx, WINDOW);
	EXPECT_EQ(c.cc.ccc.inflight, WINDOW * SIZE);
	EXPECT_EQ(c.cc.ccc.backlog, (20 - WINDOW) * SIZE);
	EXPECT_TRUE(uet_pdc_cc_waits(c.t.pdc));
	/* Nothing else would open it again. */
	EXPECT_TRUE(c.t.tx[WINDOW - 1].hdr.flags & UET_F_AR);
	cc_end(&c);
}

TEST(pdc_cc_send__nothing_waits_without_a_context)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.has_cc = true;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 128);

	EXPECT_EQ(t.nr_tx, 128);
	EXPECT_TRUE(!uet_pdc_cc_waits(t.pdc));
	pt_close(&t);
}

TEST(pdc_cc_send__control_packets_do_not_wait)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, WINDOW);
	EXPECT_TRUE(uet_pdc_tx_noop(c.t.pdc, NULL, c.t.now));
	pt_run(&c.t);

	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(c.t.tx[0].hdr.next_hdr, UET_CP_NOOP);
	EXPECT_EQ(c.cc.ccc.inflight_pkts, WINDOW);
	cc_end(&c);
}

/* Both ends count alike: what SES adds, and a read, which has no payload. */
TEST(pdc_cc_send__each_form_counts_its_nominal_size)
{
	static const struct {
		u8 next_hdr, flags;
		u32 bytes;
	} forms[] = {
		{ UET_NH_REQ_STD, 0, SIZE },
		{ UET_NH_REQ_MEDIUM, 0, SIZE - 12 },
		{ UET_NH_REQ_SMALL, 0, SIZE - 24 },
		{ UET_NH_RSP_DATA, 0, SIZE - 24 },
		{ UET_NH_REQ_STD, UET_PKT_BARE, SIZE - 1024 },
		{ UET_NH_REQ_STD, UET_PKT_EXT(UET_EXT_RDV_LEN), SIZE + 24 },
		{ UET_NH_REQ_STD, UET_PKT_EXT(UET_EXT_AMO_LEN), SIZE + 4 },
		{ UET_NH_REQ_STD, UET_PKT_EXT(UET_EXT_CSWAP_LEN), SIZE + 36 },
	};
	struct uet_pds_pkt pkt = { .len = 1024 };
	struct cc1 c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		cc_open(&c, UET_WINDOW_CONST);
		pkt.next_hdr = forms[i].next_hdr;
		pkt.flags = forms[i].flags;
		uet_pdc_tx_req(c.t.pdc, &pkt, c.t.now);
		pt_run(&c.t);
		EXPECT_EQ(c.cc.ccc.inflight, forms[i].bytes);
		cc_end(&c);
	}
}

TEST(pdc_cc_ack__makes_space)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, 20);
	c.t.now += 100 * US;
	EXPECT_EQ(pt_rx_ack(&c.t, cc_ack(4, 4 * SIZE)), UET_DROP_NONE);

	EXPECT_EQ(c.t.nr_tx, 4);
	EXPECT_EQ(c.cc.ccc.inflight_pkts, WINDOW);
	EXPECT_EQ(c.cc.ccc.stats.acks, 1);
	cc_end(&c);
}

/* Other PDCs wait for what its ACKs make free, so the run loop looks at it each time. */
TEST(pdc_cc_ack__initiator_is_never_at_rest)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	EXPECT_TRUE(!uet_pdc_is_at_rest(c.t.pdc));
	pt_send(&c.t, 1);
	EXPECT_EQ(pt_rx_ack(&c.t, cc_ack(1, SIZE)), UET_DROP_NONE);
	EXPECT_EQ(c.cc.ccc.inflight_pkts, 0);
	EXPECT_TRUE(!uet_pdc_is_at_rest(c.t.pdc));
	cc_end(&c);
}

TEST(pdc_cc_ack__reports_the_round_trip_and_the_mark)
{
	struct uet_pds_hdr hdr = cc_ack(1, SIZE);
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 2);
	c.t.now += 20 * US;
	hdr.flags = UET_F_M;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.cc.ccc.stats.samples, 1);
	EXPECT_EQ(c.cc.ccc.stats.marked, 1);

	/* The peer says no time: there is no sample. */
	hdr = cc_ack(2, 2 * SIZE);
	hdr.u.ack.state.nscc.service_time = UET_SERVICE_TIME_NONE;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.cc.ccc.stats.samples, 1);
	EXPECT_EQ(c.cc.ccc.stats.acks, 2);
	cc_end(&c);
}

TEST(pdc_cc_ack__reports_the_decrease_that_the_receiver_wants)
{
	struct uet_pds_hdr hdr = cc_ack(1, SIZE);
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 2);
	hdr.u.ack.state.nscc.rcv_cwnd_pend = 64;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.cc.ccc.pend, 64);
	EXPECT_EQ(c.cc.ccc.stats.pends, 1);
	cc_end(&c);
}

/* An ACK without that state, or with that of another algorithm. */
TEST(pdc_cc_ack__ack_without_byte_count_opens_the_window)
{
	struct uet_pds_hdr hdr;
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, 20);
	hdr = pt_ack(START + 2, START + 2);
	hdr.type = UET_TY_ACK;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.t.nr_tx, 3);

	hdr = pt_ack(START + 4, START + 4);
	hdr.u.ack.cc_type = UET_CC_CREDIT;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.t.nr_tx, 2);
	cc_end(&c);
}

/* It counts nothing at all: once nothing is in flight the window is open. */
TEST(pdc_cc_ack__wrong_byte_count_does_not_block_the_window)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, 20);
	pt_rx_ack(&c.t, cc_ack(4, 0));
	EXPECT_EQ(c.t.nr_tx, 0);
	pt_rx_ack(&c.t, cc_ack(WINDOW, 0));
	EXPECT_EQ(c.t.nr_tx, WINDOW);
	cc_end(&c);
}

TEST(pdc_cc_nack__trimmed_waits_for_space)
{
	struct uet_pds_hdr hdr = cc_ack(4, 3 * SIZE);
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 20);
	EXPECT_EQ(c.t.nr_tx, WINDOW);
	c.t.now += 20 * US;
	pt_rx_nack(&c.t, pt_nack(UET_NACK_TRIMMED, START));
	EXPECT_EQ(c.t.nr_tx, 0);
	EXPECT_EQ(c.cc.ccc.stats.trims, 1);
	EXPECT_EQ(c.cc.ccc.waiting_rtx, 1);
	EXPECT_EQ(c.cc.ccc.inflight_pkts, WINDOW - 1);
	EXPECT_TRUE(uet_pdc_cc_waits(c.t.pdc));

	/* The next three arrived: it goes, and before what is new. */
	hdr.u.ack.cack_psn = START - 1;
	hdr.u.ack.ack_off = 4;
	hdr.u.ack.sack_off = 2;
	hdr.u.ack.sack_bitmap = 7;
	c.t.now += 20 * US;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.t.tx[0].hdr.u.req.psn, START);
	EXPECT_TRUE(c.t.tx[0].is_retx);
	EXPECT_EQ(c.cc.ccc.waiting_rtx, 0);
	cc_end(&c);
}

/* All in flight is lost, and each loss makes the window as much smaller. */
TEST(pdc_cc_lost__retransmission_bypasses_the_window)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 20);
	pt_expire(&c.t);

	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_TRUE(c.t.tx[0].is_retx);
	EXPECT_EQ(c.cc.ccc.stats.losses, 1);
	EXPECT_LE(c.cc.ccc.cwnd, (WINDOW - 1) * SIZE);
	cc_end(&c);
}

/* A packet that was refused and then finds no space is not forgotten. */
TEST(pdc_cc_lost__time_out_retransmits_refused_packets)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 20);
	pt_rx_nack(&c.t, pt_nack(UET_NACK_TRIMMED, START));
	EXPECT_EQ(c.t.nr_tx, 0);
	pt_expire(&c.t);

	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(c.t.tx[0].hdr.u.req.psn, START);
	cc_end(&c);
}

TEST(pdc_cc_lost__late_ack_of_a_lost_packet_counts_as_found)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, 4);
	pt_rx_nack(&c.t, pt_nack(UET_NACK_NO_PKT_BUFFER, START));
	EXPECT_EQ(c.cc.ccc.waiting_rtx, 1);
	pt_rx_ack(&c.t, cc_ack(4, 4 * SIZE));

	EXPECT_EQ(c.cc.ccc.stats.found, 1);
	cc_expect_nothing_left(&c.cc.ccc);
	cc_end(&c);
}

/* The peer said that it has it, and then that it has not. */
TEST(pdc_cc_nack__nack_after_sack_retransmits)
{
	struct uet_pds_hdr hdr = cc_ack(1, 2 * SIZE);
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	pt_send(&c.t, 3);
	/* SACK: START + 2, without its response. */
	hdr.u.ack.sack_off = 2;
	hdr.u.ack.sack_bitmap = 1;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.cc.ccc.inflight_pkts, 1);
	pt_rx_nack(&c.t, pt_nack(UET_NACK_PKT_NOT_RCVD, START + 2));

	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(c.cc.ccc.inflight_pkts, 2);
	EXPECT_EQ(c.cc.ccc.backlog, 0);
	cc_end(&c);
}

/* Queued, in flight, known to be received, refused, lost: none is left behind. */
TEST(pdc_cc_forget__closed_pdc_returns_all_its_bytes)
{
	struct uet_pds_hdr hdr = cc_ack(1, 2 * SIZE);
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 20);
	c.t.now += 20 * US;
	hdr.u.ack.sack_off = 3;
	hdr.u.ack.sack_bitmap = 1;
	pt_rx_ack(&c.t, hdr);
	pt_rx_nack(&c.t, pt_nack(UET_NACK_TRIMMED, START + 4));
	pt_tick_to(&c.t, c.t.now + 25 * MS);
	EXPECT_NE(c.cc.ccc.inflight_pkts, 0);
	EXPECT_NE(c.cc.ccc.backlog, 0);
	cc_end(&c);
}

TEST(pdc_cc_queue__new_psns_are_no_new_data)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_NEW_START_PSN, START);
	struct uet_pdc_open open;
	struct cc1 c;

	cc_context(&c, UET_WINDOW_CONST);
	open = cc_open_how(&c, UET_PDC_INITIATOR, UET_PDC_RUD);
	open.start = UET_PDC_START_EXPECTED;
	cc_join(&c, &open);
	pt_send(&c.t, 20);
	hdr.u.nack.spdcid = 0;
	hdr.u.nack.payload = START + 4711;
	pt_rx_nack(&c.t, hdr);

	EXPECT_EQ(c.t.nr_tx, WINDOW);
	EXPECT_EQ(c.cc.ccc.inflight, WINDOW * SIZE);
	EXPECT_EQ(c.cc.ccc.backlog, (20 - WINDOW) * SIZE);
	cc_end(&c);
}

static void cc_use_selector(struct cc1 *c, enum uet_ev_policy way)
{
	struct uet_ev_cfg cfg;

	uet_ev_cfg_init(&cfg);
	cfg.policy = way;
	cfg.values = 64;
	uet_ev_sel_init(&c->sel, &cfg, NULL, 5, 0);
	c->cc.ccc.ev = &c->sel;
}

TEST(pdc_cc_path__selector_chooses_and_gets_feedback)
{
	struct uet_rx_info in = { .bytes = 100 };
	struct uet_ses_rsp rsp = { 0 };
	struct uet_pds_hdr hdr;
	u32 i, alien = 0;
	struct cc1 c;

	cc_open(&c, UET_WINDOW_CONST);
	cc_use_selector(&c, UET_EV_OBLIVIOUS);
	pt_send(&c.t, WINDOW);
	for (i = 0; i < WINDOW; i++)
		alien += uet_ev_sel_index(&c.sel, c.t.tx[i].ev) >= 64;
	EXPECT_EQ(alien, 0);

	in.ev = c.t.tx[0].ev;
	hdr = cc_ack(1, SIZE);
	uet_pdc_rx_ack(c.t.pdc, &hdr, &rsp, &in, c.t.now);
	in.ev = c.t.tx[1].ev;
	hdr = cc_ack(2, 2 * SIZE);
	hdr.flags = UET_F_M;
	uet_pdc_rx_ack(c.t.pdc, &hdr, &rsp, &in, c.t.now);
	in.ev = c.t.tx[2].ev;
	hdr = pt_nack(UET_NACK_TRIMMED, START + 2);
	uet_pdc_rx_nack(c.t.pdc, &hdr, &in, c.t.now);
	EXPECT_EQ(c.sel.feedbacks[UET_EV_GOOD], 1);
	EXPECT_EQ(c.sel.feedbacks[UET_EV_ECN], 1);
	EXPECT_EQ(c.sel.feedbacks[UET_EV_NACK], 1);
	cc_end(&c);
}

/* UE 1.0.1 3.5.21: whatever the context does. */
TEST(pdc_cc_path__rod_keeps_its_own)
{
	struct uet_pdc_open open;
	struct cc1 c;
	u32 i, other = 0;

	cc_context(&c, UET_WINDOW_CONST);
	cc_use_selector(&c, UET_EV_OBLIVIOUS);
	open = cc_open_how(&c, UET_PDC_INITIATOR, UET_PDC_ROD);
	cc_join(&c, &open);
	pt_send(&c.t, WINDOW);
	for (i = 1; i < WINDOW; i++)
		other += c.t.tx[i].ev != c.t.tx[0].ev;
	EXPECT_EQ(other, 0);
	pt_rx_ack(&c.t, cc_ack(1, SIZE));
	EXPECT_EQ(c.sel.feedbacks[UET_EV_GOOD], 0);
	cc_end(&c);
}

/* A target without a context reports the time, too: its peer may have one. */
TEST(pdc_cc_service_time__service_time_is_arrival_to_departure)
{
	struct uet_pds_hdr hdr = pt_req(START, UET_F_SYN);
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT };
	struct uet_pdc_open open;
	struct uet_pdc_tx tx;
	struct cc1 c;
	bool deliver;

	cc_context(&c, UET_WINDOW_NSCC);
	open = cc_open_how(&c, UET_PDC_TARGET, UET_PDC_RUD);
	cc_join(&c, &open);
	uet_pdc_rx_req(c.t.pdc, &hdr, &pt_in, c.t.now, &deliver);
	uet_pdc_rx_accept(c.t.pdc, &hdr, &pt_in, &rsp, c.t.now);
	EXPECT_TRUE(uet_pdc_poll_tx(c.t.pdc, &tx, c.t.now + 10 * 128));
	EXPECT_EQ(tx.hdr.u.ack.state.nscc.service_time, 10);
	pt_close(&c.t);

	pt_accepted(&c.t);
	EXPECT_NE(c.t.tx[0].hdr.u.ack.state.nscc.service_time,
		  UET_SERVICE_TIME_NONE);
	pt_close(&c.t);
}

/* Take one packet, of which the space for messages was as full as that. */
static struct uet_ack_nscc cc_take(struct cc1 *c, u32 psn, u32 used, u32 size)
{
	struct uet_pds_hdr hdr = pt_req(psn, UET_F_SYN | UET_F_AR);
	struct uet_ses_rsp rsp = { .opcode = UET_RSP_DEFAULT };
	struct uet_pdc_tx tx;
	bool deliver = false;

	uet_pdc_rx_req(c->t.pdc, &hdr, &pt_in, c->t.now, &deliver);
	EXPECT_TRUE(deliver);
	uet_pdc_cc_space(c->t.pdc, used, size);
	uet_pdc_rx_accept(c->t.pdc, &hdr, &pt_in, &rsp, c->t.now);
	EXPECT_TRUE(uet_pdc_poll_tx(c->t.pdc, &tx, c->t.now));
	EXPECT_EQ(tx.kind, UET_TX_ACK);
	return tx.hdr.u.ack.state.nscc;
}

/* An ACK that needs no space reports nothing, and restores nothing. */
TEST(pdc_cc_space__acks_report_buffer_space)
{
	struct uet_ack_nscc nscc;
	struct uet_pdc_open open;
	struct cc1 c;
	u32 i;

	cc_context(&c, UET_WINDOW_NSCC);
	open = cc_open_how(&c, UET_PDC_TARGET, UET_PDC_RUD);
	cc_join(&c, &open);
	nscc = cc_take(&c, START, 500, 1000);
	EXPECT_EQ(nscc.rcv_cwnd_pend, 0);
	nscc = cc_take(&c, START + 1, 725, 1000);
	EXPECT_EQ(nscc.rcv_cwnd_pend, 64);
	EXPECT_FALSE(nscc.restore_cwnd);
	nscc = cc_take(&c, START + 2, 0, 0);
	EXPECT_EQ(nscc.rcv_cwnd_pend, 0);
	EXPECT_FALSE(nscc.restore_cwnd);
	nscc = cc_take(&c, START + 3, 5000, 1000);
	EXPECT_EQ(nscc.rcv_cwnd_pend, 127);
	for (i = 4; i < 8; i++) {
		nscc = cc_take(&c, START + i, 100, 1000);
		EXPECT_EQ(nscc.rcv_cwnd_pend, 0);
		EXPECT_TRUE(nscc.restore_cwnd);
	}
	nscc = cc_take(&c, START + 8, 100, 1000);
	EXPECT_FALSE(nscc.restore_cwnd);
	EXPECT_EQ(uet_pdc_stats(c.t.pdc)->tx_pend, 2);
	pt_close(&c.t);
}

TEST(pdc_cc_probe__probe_goes_after_the_first_answer)
{
	const struct uet_pdc_tx *last;
	struct uet_pds_hdr hdr;
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 200);
	EXPECT_EQ(c.t.nr_tx, WINDOW);
	c.t.now += 50 * US;
	pt_rx_ack(&c.t, cc_ack(1, SIZE));
	last = &c.t.tx[c.t.nr_tx - 1];
	EXPECT_EQ(last->kind, UET_TX_CP);
	EXPECT_EQ(last->hdr.next_hdr, UET_CP_PROBE);

	hdr = cc_ack(1, SIZE);
	hdr.next_hdr = UET_NH_NONE;
	hdr.flags = UET_F_P;
	hdr.u.ack.ack_off = 0;
	hdr.u.ack.probe_opaque = last->hdr.u.cp.probe_opaque;
	c.t.now += 9 * US;
	pt_rx_ack(&c.t, hdr);
	EXPECT_EQ(c.cc.ccc.nscc.base_ns, 9 * US - UET_SERVICE_TIME_NS);
	/* Once. */
	EXPECT_EQ(c.t.nr_tx, 0);
	cc_end(&c);
}

TEST(pdc_cc_probe__one_for_the_tail_leaves_it_pending)
{
	struct cc1 c;
	unsigned int i;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 1);
	c.t.pdc->tx.tail.wanted = true;
	c.t.pdc->cc.wants_probe = true;
	pt_run(&c.t);
	EXPECT_EQ(c.t.nr_tx, 2);
	for (i = 0; i < c.t.nr_tx; i++) {
		EXPECT_EQ(c.t.tx[i].kind, UET_TX_CP);
		EXPECT_EQ(c.t.tx[i].hdr.next_hdr, UET_CP_PROBE);
	}
	cc_end(&c);
}

/* All packets are sent, and no timer is due. */
TEST(pdc_cc_probe__leaves_though_nothing_else_is_to_be_sent)
{
	struct cc1 c;

	cc_open(&c, UET_WINDOW_NSCC);
	pt_send(&c.t, 1);
	c.t.pdc->cc.wants_probe = true;
	pt_run(&c.t);
	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(c.t.tx[0].hdr.next_hdr, UET_CP_PROBE);
	cc_end(&c);
}

/* A service time that is missing, or longer than the field can tell. */
TEST(pdc_cc_probe__answer_without_service_time_is_no_sample)
{
	static const u16 times[] = { UET_SERVICE_TIME_NONE, UET_SERVICE_TIME_OVER };
	struct uet_pds_hdr hdr;
	struct cc1 c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		cc_open(&c, UET_WINDOW_NSCC);
		hdr = cc_ack(1, SIZE);
		hdr.u.ack.state.nscc.service_time = times[i];
		uet_pdc_cc_probed(c.t.pdc, &hdr, 10 * MS, c.t.now);
		EXPECT_FALSE(c.cc.ccc.nscc.has_probed);
		hdr.u.ack.state.nscc.service_time = 1;
		uet_pdc_cc_probed(c.t.pdc, &hdr, 10 * MS, c.t.now);
		EXPECT_TRUE(c.cc.ccc.nscc.has_probed);
		cc_end(&c);
	}
}

/* Two on one context: who waits gets its turn, and who has not waits then. */
TEST(pdc_cc_turn__two_pdcs_share_a_window)
{
	struct uet_pdc_open open;
	struct uet_ccc *ccc;
	struct cc1 a, b;

	cc_open(&a, UET_WINDOW_CONST);
	ccc = &a.cc.ccc;
	cc_context(&b, UET_WINDOW_CONST);
	open = cc_open_how(&a, UET_PDC_INITIATOR, UET_PDC_RUD);
	cc_join(&b, &open);
	pt_send(&a.t, 20);
	pt_send(&b.t, 20);
	EXPECT_EQ(a.t.nr_tx, WINDOW);
	EXPECT_EQ(b.t.nr_tx, 0);
	EXPECT_TRUE(uet_pdc_cc_waits(b.t.pdc));

	/* Its owner has a list with @b in it. */
	ccc->nr_waiting = 1;
	pt_rx_ack(&a.t, cc_ack(4, 4 * SIZE));
	EXPECT_EQ(a.t.nr_tx, 0);
	EXPECT_TRUE(uet_pdc_cc_waits(a.t.pdc));
	uet_pdc_cc_give_quantum(b.t.pdc, 3);
	pt_run(&b.t);
	EXPECT_EQ(b.t.nr_tx, 3);
	EXPECT_TRUE(uet_pdc_cc_waits(b.t.pdc));
	ccc->nr_waiting = 0;
	pt_run(&a.t);
	EXPECT_EQ(a.t.nr_tx, 1);

	/* The share of one does not go with the other. */
	uet_pdc_abort(a.t.pdc, a.t.now);
	pt_run(&a.t);
	pt_close(&a.t);
	EXPECT_EQ(ccc->inflight_pkts, 3);
	EXPECT_EQ(ccc->backlog, 17 * SIZE);
	EXPECT_EQ(ccc->state, UET_CCC_READY);
	uet_pdc_abort(b.t.pdc, b.t.now);
	pt_run(&b.t);
	pt_close(&b.t);
	cc_expect_nothing_left(ccc);
}

/* Two on one context, of which one has WINDOW / 2 packets under way. */
static struct uet_ccc *cc_open_two(struct cc1 *a, struct cc1 *b)
{
	struct uet_pdc_open open;

	cc_open(a, UET_WINDOW_CONST);
	cc_context(b, UET_WINDOW_CONST);
	open = cc_open_how(a, UET_PDC_INITIATOR, UET_PDC_RUD);
	cc_join(b, &open);
	pt_send(&b->t, WINDOW / 2);
	return &a->cc.ccc;
}

static void cc_end_two(struct cc1 *a, struct cc1 *b)
{
	uet_pdc_abort(b->t.pdc, b->t.now);
	pt_run(&b->t);
	pt_close(&b->t);
	cc_end(a);
}

/* Rounding of one does not add up while another keeps the context busy. */
TEST(pdc_cc_settle__rounding_is_settled_with_the_last_packet)
{
	struct uet_ccc *ccc;
	struct cc1 a, b;
	u32 n;

	ccc = cc_open_two(&a, &b);
	for (n = 1; n <= 20; n++) {
		pt_send(&a.t, 1);
		pt_rx_ack(&a.t, cc_ack(n, n * SIZE));
		EXPECT_EQ(ccc->inflight, WINDOW / 2 * SIZE);
	}
	cc_end_two(&a, &b);
}

/* Nor while packets wait, of which none is in flight. */
TEST(pdc_cc_settle__waiting_packets_do_not_delay_settling)
{
	struct cc1 c;
	u32 n;

	cc_open(&c, UET_WINDOW_CONST);
	c.cc.ccc.cwnd = SIZE;
	pt_send(&c.t, 20);
	for (n = 1; n < 20; n++) {
		EXPECT_EQ(c.t.nr_tx, 1);
		EXPECT_EQ(c.cc.ccc.inflight, SIZE);
		pt_rx_ack(&c.t, cc_ack(n, n * SIZE));
	}
	cc_end(&c);
}

/* The same of a destination that counts too little, or much too much. */
TEST(pdc_cc_settle__wrong_byte_counts_are_settled)
{
	struct uet_ccc *ccc;
	struct cc1 a, b;

	ccc = cc_open_two(&a, &b);
	pt_send(&a.t, 1);
	pt_rx_ack(&a.t, cc_ack(1, 0));
	EXPECT_EQ(ccc->inflight, WINDOW / 2 * SIZE);

	pt_send(&a.t, 1);
	pt_rx_ack(&a.t, cc_ack(2, 1000 * SIZE));
	EXPECT_TRUE(ccc->inflight >= -(s64)ccc->param->max_wnd);
	EXPECT_TRUE(ccc->inflight <= WINDOW / 2 * SIZE);
	cc_end_two(&a, &b);
}

/* One ends that was told of bytes, but not of the packets that they are. */
TEST(pdc_cc_settle__a_pdc_that_ends_takes_its_bytes_once)
{
	struct uet_ccc *ccc;
	struct cc1 a, b;

	ccc = cc_open_two(&a, &b);
	pt_send(&a.t, 4);
	pt_rx_ack(&a.t, cc_ack(1, 3 * SIZE));
	uet_pdc_abort(a.t.pdc, a.t.now);
	pt_run(&a.t);
	EXPECT_EQ(ccc->inflight, WINDOW / 2 * SIZE);
	EXPECT_EQ(ccc->inflight_pkts, WINDOW / 2);
	cc_end_two(&a, &b);
}

/*
 * When nothing is in flight the context forgets what ACKs said too little of; a PDC
 * that learns of it later must not take that off what others have in flight.
 */
TEST(pdc_cc_settle__settled_bytes_are_not_subtracted_twice)
{
	struct uet_ccc *ccc;
	struct cc1 a, b;

	ccc = cc_open_two(&a, &b);
	pt_rx_ack(&b.t, cc_ack(WINDOW / 2, WINDOW / 2 * SIZE));
	pt_send(&a.t, 2);
	pt_rx_ack(&a.t, cc_ack(1, 0));
	uet_ccc_hold(ccc, true, a.t.now);
	pt_rx_nack(&a.t, pt_nack(UET_NACK_NO_PKT_BUFFER, START + 1));
	EXPECT_EQ(ccc->inflight_pkts, 0);
	EXPECT_EQ(ccc->inflight, 0);

	uet_ccc_hold(ccc, false, a.t.now);
	pt_send(&b.t, 4);
	EXPECT_EQ(ccc->inflight, 4 * SIZE);
	pt_rx_ack(&a.t, cc_ack(2, SIZE));
	EXPECT_EQ(ccc->inflight, 4 * SIZE);
	cc_end_two(&a, &b);
}
