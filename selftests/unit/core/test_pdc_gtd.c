// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_ack_sched.c: a clear that does not come is asked for,
 * within bounds; and a bound on stored responses refuses requests without ever
 * refusing the one that all others wait for.
 * Spec: UE 1.0.1 3.5.11.4, 3.5.12.7, 3.5.16.3.  Level: test of core L4.
 */
#include "pdcpair.h"

#define CLEAR_NS	uet_pdc_cfg_default.clear_ns

/* A request that SES answers with an error; it clears up to @clear. */
static enum uet_drop rx_error(struct pdctest *t, u32 psn, u32 clear)
{
	struct uet_pds_hdr hdr = pt_req(psn, 0);

	hdr.u.req.clear_off = (s16)(clear - psn);
	return pt_rx_req_rsp(t, hdr, UET_RSP_RESPONSE, UET_RC_NO_MATCH);
}

static void expect_clear_request(const struct pdctest *t, u32 psn)
{
	ASSERT_EQ(t->nr_tx, 1);
	EXPECT_EQ(t->tx[0].kind, UET_TX_CP);
	EXPECT_EQ(t->tx[0].hdr.next_hdr, UET_CP_CLEAR_REQUEST);
	EXPECT_EQ(t->tx[0].hdr.flags, 0);
	EXPECT_EQ(t->tx[0].hdr.u.cp.psn, 0);
	EXPECT_EQ(t->tx[0].hdr.u.cp.payload, psn);
}

TEST(pdc_gtd_clear__is_asked_for_after_pds_clear_time)
{
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	pt_tick_to(&t, t.now + CLEAR_NS - 1);
	EXPECT_EQ(t.nr_tx, 0);
	pt_tick_to(&t, t.now + 1);

	expect_clear_request(&t, START + 1);
	pt_close(&t);
}

/* UE 1.0.1 Table 3-38, byte by byte. */
TEST(pdc_gtd_clear__request_has_the_bytes_of_table_3_38)
{
	static const u8 golden[UET_CP_LEN] = {
		0x59, 0x80, 0x00, 0x00,		/* CP, CLEAR_REQUEST */
		0x00, 0x00, 0x00, 0x00,		/* psn */
		0x0a, 0x01, 0x0b, 0x02,		/* spdcid, dpdcid */
		0xff, 0xff, 0xff, 0xf1,		/* PSN to be cleared */
	};
	u8 buf[UET_CP_LEN];
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	pt_tick_to(&t, t.now + CLEAR_NS);
	EXPECT_EQ(uet_wire_pds_encode(&t.tx[0].hdr, buf, sizeof(buf)),
		  UET_CP_LEN);

	EXPECT_MEMEQ(buf, golden, sizeof(golden));
	pt_close(&t);
}

TEST(pdc_gtd_clear__clear_stops_the_timer)
{
	struct uet_pds_hdr clear = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	t.now += CLEAR_NS - 1;
	clear.u.cp.payload = START + 1;
	pt_rx_cp(&t, clear);
	EXPECT_EQ(t.pdc->rx.gtd_at, UET_NEVER);
	pt_tick_to(&t, t.now + 2 * CLEAR_NS);

	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* It comes when a request is due and was not sent yet. */
TEST(pdc_gtd_clear__clear_makes_a_request_needless)
{
	struct uet_pds_hdr clear = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	t.now += CLEAR_NS;
	uet_pdc_tick(t.pdc, t.now);
	clear.u.cp.payload = START + 1;
	pt_rx_cp(&t, clear);

	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* Each one cleared starts the time anew for the next. */
TEST(pdc_gtd_clear__the_next_one_has_its_own_time)
{
	struct uet_pds_hdr clear = pt_cp(UET_CP_CLEAR_COMMAND, 0, 0);
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	rx_error(&t, START + 2, START);
	t.now += CLEAR_NS - 1;
	clear.u.cp.payload = START + 1;
	pt_rx_cp(&t, clear);
	pt_tick_to(&t, t.now + CLEAR_NS - 1);
	EXPECT_EQ(t.nr_tx, 0);
	pt_tick_to(&t, t.now + 1);

	expect_clear_request(&t, START + 2);
	pt_close(&t);
}

/* A response stored behind a hole cannot be cleared yet. */
TEST(pdc_gtd_clear__response_behind_a_gap_is_not_requested)
{
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 2, START);
	pt_tick_to(&t, t.now + 2 * CLEAR_NS);
	EXPECT_EQ(t.nr_tx, 0);
	rx_error(&t, START + 1, START);
	pt_tick_to(&t, t.now + CLEAR_NS);

	expect_clear_request(&t, START + 1);
	pt_close(&t);
}

TEST(pdc_gtd_clear__is_asked_for_at_doubling_times_and_not_for_ever)
{
	u32 max = uet_pdc_cfg_default.max_rto_retx, i;
	u64 wait = CLEAR_NS;
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	for (i = 0; i < max; i++, wait *= 2) {
		EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + wait);
		pt_expire(&t);
		expect_clear_request(&t, START + 1);
	}
	EXPECT_EQ(t.pdc->rx.gtd_at, UET_NEVER);
	pt_close(&t);
}

/* A caller that polls late is not asked to send two in a row. */
TEST(pdc_gtd_clear__the_next_interval_begins_when_it_is_sent)
{
	struct pdctest t;

	pt_accepted(&t);
	rx_error(&t, START + 1, START);
	uet_pdc_tick(t.pdc, t.now + CLEAR_NS);
	pt_tick_to(&t, t.now + 3 * CLEAR_NS);

	expect_clear_request(&t, START + 1);
	EXPECT_EQ(t.pdc->rx.gtd_at, t.now + 2 * CLEAR_NS);
	pt_close(&t);
}

TEST(pdc_gtd_clear__zero_clear_time_disables_requests)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.clear_ns = 0;
	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	pt_rx_req_rsp(&t, pt_req(START, UET_F_SYN), UET_RSP_RESPONSE,
		      UET_RC_NO_MATCH);
	EXPECT_EQ(t.pdc->rx.gtd_at, UET_NEVER);
	pt_close(&t);
}

static u8 answer_error(struct pair *p, const struct uet_pds_hdr *hdr,
		       struct uet_ses_rsp *rsp)
{
	rsp->opcode = UET_RSP_RESPONSE;
	rsp->rc = UET_RC_NO_MATCH;
	return 0;
}

/* Clears are lost until the second CLEAR_REQUEST. */
static struct pair_fate lose_clears(struct pair *p, int from,
				    const struct uet_pdc_tx *tx)
{
	if (tx->kind == UET_TX_CP &&
	    tx->hdr.next_hdr == UET_CP_CLEAR_COMMAND &&
	    pair_stats(p, TGT)->tx_cp < 2)
		return pair_lost();
	return pair_intact();
}

TEST(pair_gtd__a_lost_clear_is_asked_for)
{
	struct pair p;

	pair_open(&p, UET_PDC_RUD, &uet_pdc_cfg_default);
	p.fate = lose_clears;
	p.answer = answer_error;
	pair_transfer(&p, 3, 1000 * MS);
	pair_run_until(&p, p.now + 4 * CLEAR_NS);

	EXPECT_EQ(p.last_rc, UET_RC_NO_MATCH);
	EXPECT_EQ(p.end[TGT]->rx.nr_gtd, 0);
	EXPECT_EQ(p.end[TGT]->rx.cack, START + 2);
	EXPECT_EQ(pair_stats(&p, TGT)->tx_cp, 2);
	pair_close(&p);
}

/* --- the bound --- */

static void open_bounded(struct pdctest *t, u16 max)
{
	struct uet_pdc_cfg cfg = pt_cfg();

	cfg.max_gtd = max;
	pt_open_cfg(t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	EXPECT_EQ(pt_rx_req(t, pt_req(START, UET_F_SYN)), UET_DROP_NONE);
}

static void expect_refused(const struct pdctest *t, u32 psn)
{
	ASSERT_EQ(t->nr_tx, 1);
	EXPECT_EQ(t->tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t->tx[0].hdr.u.nack.code, UET_NACK_NO_GTD_DEL_AVAIL);
	EXPECT_EQ(t->tx[0].hdr.u.nack.psn, psn);
}

TEST(pdc_gtd_room__full_refuses_until_cleared)
{
	struct pdctest t;

	open_bounded(&t, 2);
	EXPECT_EQ(rx_error(&t, START + 1, START), UET_DROP_NONE);
	EXPECT_EQ(rx_error(&t, START + 2, START), UET_DROP_NONE);
	EXPECT_EQ(rx_error(&t, START + 3, START), UET_DROP_GTD_FULL);
	expect_refused(&t, START + 3);
	/* A request brings its own clear. */
	EXPECT_EQ(rx_error(&t, START + 3, START + 1), UET_DROP_NONE);
	EXPECT_EQ(t.pdc->rx.nr_gtd, 2);
	pt_close(&t);
}

TEST(pdc_gtd_room__the_last_place_is_for_the_missing_packet)
{
	struct pdctest t;

	open_bounded(&t, 3);
	EXPECT_EQ(rx_error(&t, START + 2, START), UET_DROP_NONE);
	EXPECT_EQ(rx_error(&t, START + 3, START), UET_DROP_NONE);
	EXPECT_EQ(rx_error(&t, START + 5, START), UET_DROP_GTD_FULL);
	EXPECT_EQ(rx_error(&t, START + 1, START), UET_DROP_NONE);
	EXPECT_EQ(t.pdc->rx.nr_gtd, 3);
	EXPECT_EQ(rx_error(&t, START + 4, START), UET_DROP_GTD_FULL);
	EXPECT_EQ(rx_error(&t, START + 4, START + 3), UET_DROP_NONE);
	pt_close(&t);
}

/* A duplicate needs no place: it has one. */
TEST(pdc_gtd_room__duplicates_are_answered_all_the_same)
{
	struct pdctest t;

	open_bounded(&t, 1);
	rx_error(&t, START + 1, START);
	EXPECT_EQ(pt_rx_req(&t, pt_req(START + 1, UET_F_RETX)),
		  UET_DROP_DUPLICATE);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].rsp.rc, UET_RC_NO_MATCH);
	pt_close(&t);
}

TEST(pdc_gtd_room__default_is_the_window)
{
	struct pdctest t;
	u32 i, window = uet_pdc_cfg_default.window;

	open_bounded(&t, 0);
	for (i = 2; i <= window; i++)
		EXPECT_EQ(rx_error(&t, START + i, START), UET_DROP_NONE);
	EXPECT_EQ(t.pdc->rx.nr_gtd, window - 1);
	EXPECT_EQ(rx_error(&t, START + 1, START), UET_DROP_NONE);
	pt_close(&t);
}

TEST(pdc_cfg_check__max_gtd_is_at_most_the_window)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	cfg.max_gtd = cfg.window;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), 0);
	cfg.max_gtd++;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), -EINVAL);
	cfg = uet_pdc_cfg_default;
	cfg.clear_ns = 86400000 * MS + 1;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), -EINVAL);
}

static void try_bounded(enum uet_pdc_mode mode, u16 max)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pair p;

	cfg.max_gtd = max;
	pair_open(&p, mode, &cfg);
	p.fate = pair_bad_wire;
	p.answer = answer_error;
	pair_transfer(&p, 200, 20000 * MS);

	pair_expect_once(&p, 200);
	pair_close(&p);
}

TEST(pair_gtd__each_bound_lets_everything_through)
{
	try_bounded(UET_PDC_RUD, 1);
	try_bounded(UET_PDC_RUD, 2);
	try_bounded(UET_PDC_RUD, 7);
	try_bounded(UET_PDC_ROD, 1);
	try_bounded(UET_PDC_ROD, 7);
}
