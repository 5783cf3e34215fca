// SPDX-License-Identifier: GPL-2.0
/*
 * Credit between two PDCs: what requests and Credit Requests say of demand reaches
 * the owner's pacer, what the pacer says reaches the source's context, and nobody
 * waits for ever when any of it gets lost.
 * Spec: UE 1.0.1 3.6.14, 3.5.16.
 * Level: test of core L4.
 */
#include "core/cms/cc_pacer.h"
#include "cctest.h"
#include "pdcpair.h"

/* A packet of pair_transfer() that says what is wanted, and is 4 bytes longer. */
#define SIZE		(1024 + PAIR_HEADERS)
#define UNITS(bytes)	(((bytes) + UET_CC_UNIT - 1) / UET_CC_UNIT)

/* One PDC, its context, and the other one's if there is one. */
struct credit {
	struct cctest cc;
	struct pdctest t;
};

static void credit_context(struct cctest *t, u8 window)
{
	memset(t, 0, sizeof(*t));
	uet_cc_cfg_init(&t->cfg);
	t->cfg.window = window;
	t->cfg.grant = UET_GRANT_RCCC;
	t->cfg.mtu = SIZE;
	t->cfg.rate_mbps = 1000;
	t->cfg.base_rtt_ns = 2 * PAIR_DELAY;
	cctest_start(t);
}

static void credit_open(struct credit *c, enum uet_pdc_role role,
			enum uet_pdc_mode mode)
{
	struct uet_pdc_open open = pt_open_how(role, mode);
	struct uet_pdc_cfg cfg = pt_cfg();

	credit_context(&c->cc, UET_WINDOW_NONE);
	c->cc.ccc.id = 77;
	cfg.has_cc = true;
	open.ccc = &c->cc.ccc;
	open.overhead = PAIR_OVERHEAD;
	open.paces_credit = true;
	pt_open_as(&c->t, &open, &cfg);
}

/* The peer has answered: nothing goes unasked any more. */
static void credit_established(struct credit *c)
{
	credit_open(c, UET_PDC_INITIATOR, UET_PDC_RUD);
	pt_send(&c->t, 1);
	EXPECT_EQ(pt_rx_ack(&c->t, pt_ack(START, START)), UET_DROP_NONE);
	c->t.nr_tx = 0;
}

static struct uet_pds_hdr credit_cp(u32 credit)
{
	struct uet_pds_hdr hdr = pt_cp(UET_CP_CREDIT, 0, 0);

	hdr.u.cp.payload = FIELD_PREP(UET_CP_PL_CREDIT, credit);
	return hdr;
}

TEST(pdc_credit__requests_carry_the_credit_target)
{
	static const u8 types[] = { UET_TY_RUD_CC_REQ, UET_TY_ROD_CC_REQ };
	static const enum uet_pdc_mode modes[] = { UET_PDC_RUD, UET_PDC_ROD };
	const struct uet_pds_hdr *hdr;
	struct credit c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		credit_open(&c, UET_PDC_INITIATOR, modes[i]);
		pt_send(&c.t, 3);

		EXPECT_EQ(c.t.nr_tx, 3);
		hdr = &c.t.tx[0].hdr;
		EXPECT_EQ(hdr->type, types[i]);
		EXPECT_EQ(hdr->u.req.ccc_id, 77);
		/* The first of them goes when nothing is behind it. */
		EXPECT_GE(c.cc.ccc.inflight, 3 * SIZE);
		EXPECT_EQ(c.cc.ccc.inflight % 3, 0);
		EXPECT_EQ(c.cc.ccc.inflight / 3, SIZE + 4);
		pt_close(&c.t);
	}
}

TEST(pdc_credit__credit_lets_packets_out)
{
	struct credit c;

	credit_established(&c);
	pt_send(&c.t, 20);
	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(c.t.tx[0].kind, UET_TX_CP);

	EXPECT_EQ(pt_rx_cp(&c.t, credit_cp(UNITS(2 * (SIZE + 4)))),
		  UET_DROP_NONE);
	EXPECT_EQ(c.t.nr_tx, 3);
	EXPECT_TRUE(uet_pdc_cc_waits(c.t.pdc));
	/* It says the same again, late: nothing new. */
	EXPECT_EQ(pt_rx_cp(&c.t, credit_cp(UNITS(2 * (SIZE + 4)))),
		  UET_DROP_NONE);
	EXPECT_EQ(c.t.nr_tx, 0);
	EXPECT_EQ(uet_pdc_stats(c.t.pdc)->rx_credit, 2);
	pt_close(&c.t);
}

TEST(pdc_credit__ack_without_other_news_carries_credit)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct credit c;

	credit_established(&c);
	hdr.u.ack.cc_type = UET_CC_CREDIT;
	hdr.u.ack.state.credit.credit = UNITS(2 * (SIZE + 4));
	EXPECT_EQ(pt_rx_ack(&c.t, hdr), UET_DROP_NONE);
	EXPECT_EQ(c.cc.ccc.rccc.pull, UNITS(2 * (SIZE + 4)));
	pt_close(&c.t);
}

/* Credit that others wait for does not stop the time-out of a packet that was sent. */
TEST(pdc_credit__packet_in_flight_times_out_while_others_await_credit)
{
	struct credit c;
	int i;

	credit_established(&c);
	pt_send(&c.t, 20);
	EXPECT_EQ(pt_rx_cp(&c.t, credit_cp(UNITS(SIZE + 4))), UET_DROP_NONE);
	EXPECT_TRUE(uet_pdc_cc_waits(c.t.pdc));
	for (i = 0; i < 3 && !uet_pdc_stats(c.t.pdc)->rto_fired; i++)
		pt_tick_to(&c.t, c.t.pdc->tx.rto_at);
	EXPECT_EQ(uet_pdc_stats(c.t.pdc)->rto_fired, 1);
	pt_close(&c.t);
}

TEST(pdc_credit__acks_carry_credit)
{
	struct uet_pds_hdr hdr = pt_ack(START, START);
	struct credit c;

	credit_open(&c, UET_PDC_INITIATOR, UET_PDC_RUD);
	pt_send(&c.t, 1);
	hdr.type = UET_TY_ACK_CC;
	hdr.u.ack.cc_type = UET_CC_CREDIT;
	hdr.u.ack.state.credit.credit = UNITS(2 * (SIZE + 4));
	EXPECT_EQ(pt_rx_ack(&c.t, hdr), UET_DROP_NONE);
	EXPECT_EQ(c.cc.ccc.rccc.pull, UNITS(2 * (SIZE + 4)));
	c.t.nr_tx = 0;
	pt_send(&c.t, 20);
	/* The grant ends within the third. */
	EXPECT_EQ(c.t.nr_tx, 3);
	pt_close(&c.t);
}

/* Only its first packet makes a PDC known to who is to grant it something. */
TEST(pdc_credit__new_pdc_sends_one_packet_without_credit)
{
	static const enum uet_pdc_mode modes[] = { UET_PDC_RUD, UET_PDC_ROD };
	struct credit c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		credit_open(&c, UET_PDC_INITIATOR, modes[i]);
		uet_ccc_credit(&c.cc.ccc, 0, c.t.now);
		pt_send(&c.t, 3);
		EXPECT_EQ(c.t.nr_tx, 1);
		EXPECT_EQ(c.t.tx[0].kind, UET_TX_REQ);
		EXPECT_TRUE(uet_pdc_cc_waits(c.t.pdc));
		pt_close(&c.t);
	}
}

TEST(pdc_credit__timer_sends_credit_requests)
{
	const struct uet_pdc_tx *tx;
	struct credit c;

	credit_established(&c);
	uet_ccc_credit(&c.cc.ccc, 0, c.t.now);
	pt_send(&c.t, 20);
	tx = &c.t.tx[0];
	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(tx->hdr.next_hdr, UET_CP_CREDIT_REQUEST);
	EXPECT_EQ(tx->hdr.u.cp.psn, 0);
	EXPECT_EQ(tx->hdr.flags, 0);
	EXPECT_EQ(FIELD_GET(UET_CP_PL_CCC_ID, tx->hdr.u.cp.payload), 77);
	EXPECT_GE(FIELD_GET(UET_CP_PL_TARGET, tx->hdr.u.cp.payload), 1);

	/* Nobody answers. */
	EXPECT_LE(uet_pdc_deadline(c.t.pdc), c.t.now + 4 * 2 * PAIR_DELAY);
	pt_expire(&c.t);
	EXPECT_EQ(c.t.nr_tx, 1);
	EXPECT_EQ(c.t.tx[0].hdr.next_hdr, UET_CP_CREDIT_REQUEST);
	pt_close(&c.t);
}

TEST(pdc_credit__demand_reaches_the_owner)
{
	struct uet_pdc_demand demand;
	struct uet_pds_hdr hdr;
	struct credit c;

	credit_open(&c, UET_PDC_TARGET, UET_PDC_RUD);
	EXPECT_TRUE(!uet_pdc_poll_demand(c.t.pdc, &demand));
	hdr = pt_req(START, UET_F_SYN);
	hdr.type = UET_TY_RUD_CC_REQ;
	hdr.u.req.credit_target = 99;
	hdr.u.req.ccc_id = 200;
	EXPECT_EQ(pt_rx_req(&c.t, hdr), UET_DROP_NONE);
	EXPECT_TRUE(uet_pdc_poll_demand(c.t.pdc, &demand));
	EXPECT_EQ(demand.target, 99);
	EXPECT_EQ(demand.ccc_id, 200);
	EXPECT_TRUE(!demand.was_trimmed && !demand.was_requested);
	EXPECT_TRUE(!uet_pdc_poll_demand(c.t.pdc, &demand));

	hdr = pt_cp(UET_CP_CREDIT_REQUEST, 0, 0);
	hdr.u.cp.payload = FIELD_PREP(UET_CP_PL_TARGET, 123) |
			   FIELD_PREP(UET_CP_PL_CCC_ID, 201);
	EXPECT_EQ(pt_rx_cp(&c.t, hdr), UET_DROP_NONE);
	EXPECT_TRUE(uet_pdc_poll_demand(c.t.pdc, &demand));
	EXPECT_EQ(demand.target, 123);
	EXPECT_EQ(demand.ccc_id, 201);
	EXPECT_TRUE(demand.was_requested);

	/* A plain request says nothing of it. */
	EXPECT_EQ(pt_rx_req(&c.t, pt_req(START + 1, 0)), UET_DROP_NONE);
	EXPECT_TRUE(!uet_pdc_poll_demand(c.t.pdc, &demand));
	pt_close(&c.t);
}

TEST(pdc_credit__trimmed_packet_carries_demand)
{
	struct uet_rx_info in = { .ev = 5 };
	struct uet_pdc_demand demand;
	struct uet_pds_hdr hdr;
	struct credit c;

	credit_open(&c, UET_PDC_TARGET, UET_PDC_RUD);
	EXPECT_EQ(pt_rx_req(&c.t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);
	hdr = pt_req(START + 1, 0);
	hdr.type = UET_TY_RUD_CC_REQ;
	hdr.u.req.credit_target = 7;
	EXPECT_EQ(uet_pdc_rx_trimmed(c.t.pdc, &hdr, &in, UET_NACK_TRIMMED,
				     c.t.now), UET_DROP_TRIMMED);
	EXPECT_TRUE(uet_pdc_poll_demand(c.t.pdc, &demand));
	EXPECT_EQ(demand.target, 7);
	EXPECT_TRUE(demand.was_trimmed);
	pt_close(&c.t);
}

TEST(pdc_credit__owner_sends_credit)
{
	const struct uet_pdc_tx *tx;
	struct credit c;

	credit_open(&c, UET_PDC_TARGET, UET_PDC_RUD);
	EXPECT_EQ(pt_rx_req(&c.t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);
	c.t.nr_tx = 0;
	uet_pdc_grant_credit(c.t.pdc, 5);
	EXPECT_TRUE(!uet_pdc_is_at_rest(c.t.pdc));
	uet_pdc_grant_credit(c.t.pdc, UET_CREDIT_MAX);
	pt_run(&c.t);

	/* The latest is enough. */
	EXPECT_EQ(c.t.nr_tx, 1);
	tx = &c.t.tx[0];
	EXPECT_EQ(tx->kind, UET_TX_CP);
	EXPECT_EQ(tx->hdr.next_hdr, UET_CP_CREDIT);
	EXPECT_EQ(tx->hdr.u.cp.psn, 0);
	EXPECT_EQ(tx->hdr.flags, 0);
	EXPECT_EQ(tx->hdr.u.cp.payload, 0xffffff00);
	pt_close(&c.t);
}

/* Two PDCs, and a pacer at the target. */
struct paced {
	struct cctest cc[2];
	struct uet_pacer pacer;
	struct uet_pacer_flow flow;
	struct pair p;
};

static void paced_open(struct paced *c, enum uet_pdc_mode mode, u8 window)
{
	struct uet_ccc *ccc[2] = { &c->cc[INI].ccc, &c->cc[TGT].ccc };
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	credit_context(&c->cc[INI], window);
	credit_context(&c->cc[TGT], window);
	cfg.has_cc = true;
	pair_open_cc(&c->p, mode, &cfg, ccc);
	uet_pacer_init(&c->pacer, 1000, 2 * PAIR_DELAY, SIZE + 4, c->p.now);
	uet_pacer_flow_init(&c->flow);
}

/* The work of the owner of a target after each packet, and by the clock. */
static void paced_run(struct paced *c)
{
	struct uet_pdc_demand demand;
	u32 credit;

	if (uet_pdc_poll_demand(c->p.end[TGT], &demand)) {
		if (demand.was_requested)
			uet_pacer_request(&c->pacer, &c->flow, demand.target,
					  c->p.now);
		else
			uet_pacer_demand(&c->pacer, &c->flow, demand.target,
					 demand.was_trimmed, c->p.now);
	}
	uet_pacer_run(&c->pacer, c->p.now);
	if (uet_pacer_poll(&c->pacer, &credit))
		uet_pdc_grant_credit(c->p.end[TGT], credit);
}

static void paced_transfer(struct paced *c, u32 n, bool is_paced)
{
	struct uet_pds_pkt pkt = { .len = 1024, .next_hdr = UET_NH_REQ_STD };
	struct pair *p = &c->p;
	u32 left = n, steps = 0;
	u64 until;

	while (p->acked + p->failed < n && steps++ < 1000 * n) {
		while (left && uet_pdc_tx_space(p->end[INI])) {
			pkt.flags = left == 1 ? UET_PKT_EOM | UET_PKT_TAIL : 0;
			uet_pdc_tx_req(p->end[INI], &pkt, p->now);
			left--;
		}
		if (is_paced)
			paced_run(c);
		pair_run(p);
		until = max(uet_pacer_deadline(&c->pacer), p->now);
		if (pair_step(p, until))
			continue;
		/* Nothing will happen any more, or the pacer is due. */
		if (until == UET_NEVER)
			break;
		p->now = until;
	}
	EXPECT_EQ(p->acked, n);
}

static void paced_close(struct paced *c)
{
	const struct uet_ccc *ccc = &c->cc[INI].ccc;

	EXPECT_EQ(ccc->inflight_pkts, 0);
	EXPECT_EQ(ccc->backlog, 0);
	EXPECT_EQ(ccc->state, UET_CCC_IDLE);
	pair_close(&c->p);
}

TEST(pdc_credit__transfer_takes_the_time_of_the_link)
{
	struct paced c;
	u64 began, ideal;

	paced_open(&c, UET_PDC_RUD, UET_WINDOW_NONE);
	began = c.p.now;
	paced_transfer(&c, 1000, true);

	pair_expect_once(&c.p, 1000);
	EXPECT_EQ(pair_stats(&c.p, INI)->tx_retx, 0);
	/* 1.5 BDP go unasked, and the last packet has its way and its ACK. */
	ideal = 1000ULL * (SIZE + 4) * 8 * 1000 / 990;
	EXPECT_GE(c.p.now - began, ideal * 97 / 100);
	EXPECT_LE(c.p.now - began, ideal * 103 / 100);
	EXPECT_GE(c.cc[INI].ccc.stats.credits, 1000 / 4 - 10);
	paced_close(&c);
}

/* A target that ignores demand: the source stops requesting credit. */
TEST(pdc_credit__unpaced_source_stops_requesting_credit)
{
	static const u8 windows[] = { UET_WINDOW_NONE, UET_WINDOW_NSCC };
	struct paced c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		paced_open(&c, UET_PDC_RUD, windows[i]);
		paced_transfer(&c, 1000, false);
		pair_expect_once(&c.p, 1000);
		EXPECT_TRUE(c.cc[INI].ccc.rccc.is_unpaced);
		EXPECT_EQ(pair_stats(&c.p, INI)->tx_credit_req, 1);
		EXPECT_EQ(pair_stats(&c.p, INI)->rto_fired, 0);
		paced_close(&c);
	}
}

/* Each third control packet about credit is lost. */
static struct pair_fate paced_lossy(struct pair *p, int from,
				    const struct uet_pdc_tx *tx)
{
	if (tx->kind == UET_TX_CP && utest_rand() % 3 == 0)
		return pair_lost();
	return pair_intact();
}

TEST(pdc_credit__lost_credit_is_repaired)
{
	struct paced c;

	paced_open(&c, UET_PDC_RUD, UET_WINDOW_NONE);
	c.p.fate = paced_lossy;
	paced_transfer(&c, 500, true);
	pair_expect_once(&c.p, 500);
	paced_close(&c);
}

TEST(pdc_credit__transfer_completes_on_random_wires)
{
	static const enum uet_pdc_mode modes[] = { UET_PDC_RUD, UET_PDC_ROD };
	static const u8 windows[] = { UET_WINDOW_NONE, UET_WINDOW_NSCC };
	struct paced c;
	u32 i;

	for (i = 0; i < 12; i++) {
		paced_open(&c, modes[i & 1], windows[i >> 1 & 1]);
		c.p.fate = pair_bad_wire;
		paced_transfer(&c, 200, true);
		pair_expect_once(&c.p, 200);
		paced_close(&c);
	}
}
