// SPDX-License-Identifier: GPL-2.0
/*
 * Whole transfers of two PDCs with congestion control, on good and on bad wires:
 * everything arrives once, no more is in flight than the window allows, and at the
 * end nothing is.
 * Spec: UE 1.0.1 3.6.12, 3.6.13.
 * Level: test of core L4.
 */
#include "cctest.h"
#include "pdcpair.h"

#define SIZE		(1024 + PAIR_HEADERS)

struct ccpair {
	struct cctest cc[2];
	struct pair p;
};

/* 2 * PAIR_DELAY and 1 Gb/s: six packets at most. */
static void ccp_context(struct cctest *t, u8 window)
{
	memset(t, 0, sizeof(*t));
	uet_cc_cfg_init(&t->cfg);
	t->cfg.window = window;
	t->cfg.mtu = SIZE;
	t->cfg.rate_mbps = 1000;
	t->cfg.base_rtt_ns = 2 * PAIR_DELAY;
	cctest_start(t);
}

static void ccp_open(struct ccpair *c, enum uet_pdc_mode mode, u8 window)
{
	struct uet_ccc *ccc[2] = { &c->cc[INI].ccc, &c->cc[TGT].ccc };
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	ccp_context(&c->cc[INI], window);
	ccp_context(&c->cc[TGT], window);
	cfg.has_cc = true;
	pair_open_cc(&c->p, mode, &cfg, ccc);
}

static void ccp_close(struct ccpair *c)
{
	const struct uet_ccc *ccc = &c->cc[INI].ccc;

	EXPECT_EQ(ccc->inflight_pkts, 0);
	EXPECT_EQ(ccc->inflight, 0);
	EXPECT_EQ(ccc->backlog, 0);
	EXPECT_EQ(ccc->waiting_rtx, 0);
	EXPECT_EQ(ccc->state, UET_CCC_IDLE);
	pair_close(&c->p);
}

static u32 ccp_most;

/* The most requests that are on the wire at a time. */
static struct pair_fate ccp_count(struct pair *p, int from,
				  const struct uet_pdc_tx *tx)
{
	u32 i, n = 1;

	for (i = 0; i < p->nr_wire; i++)
		n += p->wire[i].tx.kind == UET_TX_REQ;
	if (tx->kind == UET_TX_REQ)
		ccp_most = max(ccp_most, n);
	return pair_intact();
}

TEST(ccpair__inflight_never_exceeds_the_window)
{
	static const u8 windows[] = { UET_WINDOW_CONST, UET_WINDOW_NSCC };
	struct ccpair c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		ccp_open(&c, UET_PDC_RUD, windows[i]);
		ccp_most = 0;
		c.p.fate = ccp_count;
		pair_transfer(&c.p, 1000, 1000 * MS);

		pair_expect_once(&c.p, 1000);
		EXPECT_LE(ccp_most * SIZE, c.cc[INI].param.max_wnd);
		EXPECT_GE(ccp_most, 4);
		EXPECT_EQ(pair_stats(&c.p, INI)->tx_retx, 0);
		EXPECT_EQ(pair_stats(&c.p, INI)->rto_fired, 0);
		ccp_close(&c);
	}
}

/* On a wire without a queue: the round trip is that of the wire, and known. */
TEST(ccpair__nscc_measures_the_wire)
{
	const struct uet_ccc *ccc;
	struct ccpair c;

	ccp_open(&c, UET_PDC_RUD, UET_WINDOW_NSCC);
	ccc = &c.cc[INI].ccc;
	pair_transfer(&c.p, 1000, 1000 * MS);

	EXPECT_GE(ccc->stats.samples, 50);
	EXPECT_LE(ccc->nscc.base_ns, 2 * PAIR_DELAY);
	EXPECT_GE(ccc->nscc.base_ns, 2 * PAIR_DELAY - 2 * UET_SERVICE_TIME_NS);
	EXPECT_EQ(ccc->stats.losses, 0);
	EXPECT_EQ(ccc->stats.decreases, 0);
	ccp_close(&c);
}

TEST(ccpair__losses_are_reported_and_repaired)
{
	struct ccpair c;

	ccp_open(&c, UET_PDC_RUD, UET_WINDOW_NSCC);
	c.p.fate = pair_lose_every_10th;
	pair_transfer(&c.p, 1000, 10000 * MS);

	pair_expect_once(&c.p, 1000);
	EXPECT_GE(c.cc[INI].ccc.stats.losses, 100);
	EXPECT_EQ(pair_stats(&c.p, INI)->tx_retx, c.cc[INI].ccc.stats.losses);
	ccp_close(&c);
}

TEST(ccpair__transfer_completes_on_random_wires)
{
	static const enum uet_pdc_mode modes[] = { UET_PDC_RUD, UET_PDC_ROD };
	struct ccpair c;
	u32 i;

	for (i = 0; i < 20; i++) {
		ccp_open(&c, modes[i & 1], UET_WINDOW_NSCC);
		c.p.fate = pair_bad_wire;
		pair_transfer(&c.p, 300, 100000 * MS);

		pair_expect_once(&c.p, 300);
		ccp_close(&c);
	}
}

/* The peer goes away: the PDC fails, and takes all that was its own with it. */
TEST(ccpair__dead_wire_fails_all_and_returns_all_bytes)
{
	struct ccpair c;

	ccp_open(&c, UET_PDC_RUD, UET_WINDOW_NSCC);
	c.p.fate = pair_dead_wire;
	pair_transfer(&c.p, 200, 100000 * MS);

	EXPECT_EQ(c.p.failed, 200);
	ccp_close(&c);
}

/* A slow receiver refuses, which is no congestion: the window stays. */
static u8 ccp_busy(struct pair *p, const struct uet_pds_hdr *hdr,
		   struct uet_ses_rsp *rsp)
{
	return utest_rand() % 4 ? 0 : UET_NACK_NO_PKT_BUFFER;
}

TEST(ccpair__transfer_to_a_slow_receiver_completes)
{
	struct ccpair c;

	ccp_open(&c, UET_PDC_RUD, UET_WINDOW_CONST);
	c.p.answer = ccp_busy;
	pair_transfer(&c.p, 300, 100000 * MS);

	pair_expect_once(&c.p, 300);
	EXPECT_GE(c.cc[INI].ccc.stats.nacks, 1);
	ccp_close(&c);
}

