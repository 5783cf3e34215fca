// SPDX-License-Identifier: GPL-2.0
/*
 * The return direction: requests of a target to its initiator, alone and against
 * traffic the other way, under loss, in both modes, and when the PDC closes
 * around them.
 * Spec: UE 1.0.1 3.5.8.3, 3.5.11, 3.5.20.  Level: test of core L4.
 */
#include "pdcpair.h"

/* The packets that each end has sent, and their outcomes. */
struct both {
	struct pair p;
	u32 left[2];
	u32 told[2];
	u32 failed[2];
	u32 got[2][1024];
	u32 nr_got[2];
	u32 out_of_order;
};

static void both_open(struct both *b, enum uet_pdc_mode mode,
		      const struct uet_pdc_cfg *cfg)
{
	memset(b, 0, sizeof(*b));
	pair_open(&b->p, mode, cfg);
}

static void both_hand_down(struct both *b, int end)
{
	struct uet_pds_pkt pkt = { .len = 1024, .next_hdr = UET_NH_REQ_STD };

	while (b->left[end] && uet_pdc_tx_space(b->p.end[end])) {
		pkt.offset = --b->left[end];
		pkt.flags = b->left[end] ? 0 : UET_PKT_EOM | UET_PKT_TAIL;
		uet_pdc_tx_req(b->p.end[end], &pkt, b->p.now);
	}
}

static void both_run(struct both *b)
{
	struct uet_pdc_tx tx;
	struct uet_pdc_up up;
	int i;

	for (i = 0; i < 2; i++) {
		while (uet_pdc_poll_up(b->p.end[i], &up)) {
			b->told[i]++;
			b->failed[i] += up.kind != UET_UP_ACKED;
		}
		both_hand_down(b, i);
		while (uet_pdc_poll_tx(b->p.end[i], &tx, b->p.now))
			pair_put_on_wire(&b->p, i, &tx);
	}
	pair_check(&b->p);
}

static void both_rx_req(struct both *b, int to, const struct uet_pdc_tx *tx)
{
	struct uet_rx_info in = { .ev = tx->ev, .bytes = 1100 };
	struct uet_ses_rsp rsp = { .rc = UET_RC_OK };
	u32 nr = tx->pkt.offset;
	bool deliver;

	uet_pdc_rx_req(b->p.end[to], &tx->hdr, &in, b->p.now, &deliver);
	if (!deliver)
		return;
	/* Packets are counted down as they are handed down. */
	b->out_of_order += b->nr_got[to] && b->got[to][1023] < nr;
	b->got[to][1023] = nr;
	b->got[to][nr]++;
	b->nr_got[to]++;
	uet_pdc_rx_accept(b->p.end[to], &tx->hdr, &in, &rsp, b->p.now);
}

/* Until both ends were told of all they sent, or @until. */
static void both_finish(struct both *b, u32 forward, u32 back, u64 until)
{
	struct uet_pdc_tx tx;
	u32 which;
	u64 at;
	int to;

	b->left[INI] = forward;
	b->left[TGT] = back;
	for (;;) {
		both_run(b);
		at = pair_next_at(&b->p, &which);
		if ((b->told[INI] >= forward && b->told[TGT] >= back) ||
		    at > until)
			return;
		b->p.now = max(b->p.now, at);
		if (which == PAIR_WIRE) {
			uet_pdc_tick(b->p.end[INI], b->p.now);
			uet_pdc_tick(b->p.end[TGT], b->p.now);
			continue;
		}
		tx = b->p.wire[which].tx;
		to = b->p.wire[which].to;
		b->p.wire[which] = b->p.wire[--b->p.nr_wire];
		if (tx.kind == UET_TX_REQ && !uet_pdc_is_dead(b->p.end[to]))
			both_rx_req(b, to, &tx);
		else
			pair_arrive(&b->p, to, &tx);
	}
}

static void expect_all_once(const struct both *b, int to, u32 n)
{
	u32 i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += b->got[to][i] != 1;
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(b->nr_got[to], n);
	EXPECT_EQ(b->told[!to], n);
	EXPECT_EQ(b->failed[!to], 0);
}

static void try_both_ways(enum uet_pdc_mode mode, u32 forward, u32 back,
			  bool is_bad)
{
	static struct both b;

	both_open(&b, mode, &uet_pdc_cfg_default);
	both_finish(&b, 1, 0, b.p.now + 1000 * MS);
	if (is_bad)
		b.p.fate = pair_bad_wire;
	memset(b.told, 0, sizeof(b.told));
	memset(b.got, 0, sizeof(b.got));
	memset(b.nr_got, 0, sizeof(b.nr_got));
	both_finish(&b, forward, back, b.p.now + 60000 * MS);

	expect_all_once(&b, TGT, forward);
	expect_all_once(&b, INI, back);
	if (mode == UET_PDC_ROD)
		EXPECT_EQ(b.out_of_order, 0);
	pair_close(&b.p);
}

TEST(pair_return__target_may_send_alone)
{
	try_both_ways(UET_PDC_RUD, 0, 600, false);
	try_both_ways(UET_PDC_ROD, 0, 600, false);
}

TEST(pair_return__rud_delivers_both_ways_under_loss)
{
	try_both_ways(UET_PDC_RUD, 0, 600, true);
	try_both_ways(UET_PDC_RUD, 600, 600, true);
}

TEST(pair_return__rod_delivers_both_ways_under_loss)
{
	try_both_ways(UET_PDC_ROD, 0, 200, true);
	try_both_ways(UET_PDC_ROD, 200, 200, true);
}

/* The initiator knows that data will come, and holds the PDC. */
TEST(pair_return__held_pdc_stays_open_for_return_data)
{
	static struct both b;

	both_open(&b, UET_PDC_RUD, &uet_pdc_cfg_default);
	uet_pdc_hold(b.p.end[INI], true, b.p.now);
	both_finish(&b, 1, 0, b.p.now + 1000 * MS);
	uet_pdc_close(b.p.end[INI], b.p.now);
	b.told[INI] = 0;
	memset(b.nr_got, 0, sizeof(b.nr_got));
	b.p.fate = pair_bad_wire;
	both_finish(&b, 0, 300, b.p.now + 60000 * MS);

	expect_all_once(&b, INI, 300);
	EXPECT_EQ(pair_state(&b.p, INI), UET_PDC_ST_QUIESCE);
	uet_pdc_hold(b.p.end[INI], false, b.p.now);
	b.p.fate = NULL;
	pair_run_until(&b.p, b.p.now + 1000 * MS);
	EXPECT_EQ(pair_state(&b.p, INI), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pair_state(&b.p, TGT), UET_PDC_ST_CLOSED);
	pair_close(&b.p);
}

/* Nobody holds it, and the close crosses return data: an error at both ends. */
TEST(pair_return__crossing_close_fails_return_data)
{
	static struct both b;

	both_open(&b, UET_PDC_RUD, &uet_pdc_cfg_default);
	both_finish(&b, 1, 0, b.p.now + 1000 * MS);
	uet_pdc_close(b.p.end[INI], b.p.now);
	memset(b.told, 0, sizeof(b.told));
	memset(b.nr_got, 0, sizeof(b.nr_got));
	both_finish(&b, 0, 5, b.p.now + 10000 * MS);

	EXPECT_EQ(b.nr_got[INI], 0);
	EXPECT_EQ(b.told[TGT], 5);
	EXPECT_EQ(b.failed[TGT], 5);
	EXPECT_EQ(pair_state(&b.p, TGT), UET_PDC_ST_ERROR);
	pair_run_until(&b.p, b.p.now + 1 * MS);
	EXPECT_EQ(pair_state(&b.p, INI), UET_PDC_ST_ERROR);
	EXPECT_EQ(b.p.end[INI]->nack_code, UET_NACK_CLOSING_IN_ERR);
	pair_close(&b.p);
}

/*
 * Return data without AR was received, its ACK waits, and the close is due.  A target that
 * gets CLOSE_COMMAND with return data outstanding ends the PDC in error.
 */
static void close_with_delayed_ack(struct pdctest *t, enum uet_pdc_mode mode)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_pds_hdr hdr = pt_req(START, 0);

	pt_open_cfg(t, UET_PDC_INITIATOR, mode, &cfg);
	pt_send(t, 1);
	t->now += 100 * US;
	EXPECT_EQ(pt_rx_ack(t, pt_ack(START, START)), UET_DROP_NONE);
	if (mode == UET_PDC_ROD)
		hdr.type = UET_TY_ROD_REQ;
	EXPECT_EQ(pt_rx_req(t, hdr), UET_DROP_NONE);
	EXPECT_EQ(t->nr_tx, 0);
	uet_pdc_close(t->pdc, t->now);
	pt_run(t);
}

TEST(pdc_return__delayed_ack_leaves_before_the_close)
{
	static const enum uet_pdc_mode modes[] = { UET_PDC_RUD, UET_PDC_ROD };
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		close_with_delayed_ack(&t, modes[i]);
		ASSERT_EQ(t.nr_tx, 2);
		EXPECT_EQ(t.tx[0].kind, UET_TX_ACK);
		EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START);
		EXPECT_EQ(t.tx[1].kind, UET_TX_CP);
		EXPECT_EQ(t.tx[1].hdr.next_hdr, UET_CP_CLOSE_COMMAND);
		EXPECT_EQ(t.pdc->rx.ack_at, UET_NEVER);
		pt_close(&t);
	}
}
