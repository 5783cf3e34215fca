// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_loss.c: when a Probe is sent and what it looks
 * like, what its answer proves and what it does not, and that nobody probes for
 * ever.
 * Spec: UE 1.0.1 3.5.15, 3.5.16, Table 3-28.  Level: test of core L4.
 */
#include "pdcpair.h"

#define TAIL	uet_pdc_cfg_default.tail_loss_ns

/* An initiator that knows its peer and a round trip of 100 us. */
static void open_known(struct pdctest *t, u32 n)
{
	pt_open_cfg(t, UET_PDC_INITIATOR, UET_PDC_RUD, &uet_pdc_cfg_default);
	pt_send(t, 1);
	t->now += 100 * US;
	EXPECT_EQ(pt_rx_ack(t, pt_ack(START, START)), UET_DROP_NONE);
	pt_send(t, n);
}

/* Let Tail_Loss_Time pass; the Probe that is sent is t->tx[0]. */
static void expire_to_probe(struct pdctest *t)
{
	pt_expire(t);
	ASSERT_EQ(t->nr_tx, 1);
	EXPECT_EQ(t->tx[0].kind, UET_TX_CP);
	EXPECT_EQ(t->tx[0].hdr.next_hdr, UET_CP_PROBE);
}

/* The answer to the Probe just sent: CACK_PSN, and bits from @base on. */
static struct uet_pds_hdr answer(const struct pdctest *t, u32 cack, u32 base,
				 u64 bits)
{
	struct uet_pds_hdr hdr = pt_ack(cack, cack);

	hdr.next_hdr = UET_NH_NONE;
	hdr.flags = UET_F_P;
	hdr.u.ack.ack_off = 0;
	hdr.u.ack.probe_opaque = t->tx[0].hdr.u.cp.probe_opaque;
	hdr.u.ack.sack_off = (s16)(base - cack);
	hdr.u.ack.sack_bitmap = bits;
	return hdr;
}

static u16 opaque_of(const struct pdctest *t)
{
	return t->tx[0].hdr.u.cp.probe_opaque;
}

TEST(pdc_tail__probe_goes_after_tail_loss_time)
{
	struct pdctest t;
	u64 sent;

	open_known(&t, 3);
	sent = t.now;
	expire_to_probe(&t);

	EXPECT_EQ(t.now, sent + TAIL);
	EXPECT_EQ(t.tx[0].hdr.flags, UET_F_AR);
	EXPECT_EQ(t.tx[0].hdr.u.cp.psn, 0);
	EXPECT_EQ(t.tx[0].hdr.u.cp.payload, START + 1);
	EXPECT_EQ(t.tx[0].hdr.u.cp.dpdcid, PEER_ID);
	EXPECT_EQ(pt_info(&t).stats.rto_fired, 0);
	pt_close(&t);
}

TEST(pdc_tail__no_probe_is_due_with_the_time_out)
{
	struct pdctest t;
	u64 at;

	open_known(&t, 1);
	at = t.pdc->tx.tail.at;
	t.pdc->tx.rto_at = at + 1;
	uet_pdc_tail_arm(t.pdc, t.now);
	EXPECT_EQ(t.pdc->tx.tail.at, at);
	t.pdc->tx.rto_at = at;
	uet_pdc_tail_arm(t.pdc, t.now);
	EXPECT_EQ(t.pdc->tx.tail.at, UET_NEVER);
	pt_close(&t);
}

/* UE 1.0.1 Table 3-38, byte by byte. */
TEST(pdc_tail__probe_has_the_bytes_of_table_3_38)
{
	static const u8 golden[UET_CP_LEN] = {
		0x5b, 0x08, 0x00, 0x01,		/* CP, PROBE, AR; opaque */
		0x00, 0x00, 0x00, 0x00,		/* psn */
		0x0a, 0x01, 0x0b, 0x02,		/* spdcid, dpdcid */
		0xff, 0xff, 0xff, 0xf1,		/* wanted SACK base */
	};
	u8 buf[UET_CP_LEN];
	struct pdctest t;

	open_known(&t, 1);
	expire_to_probe(&t);

	EXPECT_EQ(uet_wire_pds_encode(&t.tx[0].hdr, buf, sizeof(buf)),
		  UET_CP_LEN);
	EXPECT_MEMEQ(buf, golden, sizeof(golden));
	pt_close(&t);
}

TEST(pdc_tail__answer_reveals_lost_packets)
{
	struct pdctest t;

	open_known(&t, 3);
	expire_to_probe(&t);
	t.now += 100 * US;
	/* START + 2 has arrived, its neighbours have not. */
	pt_rx_ack(&t, answer(&t, START, START + 1, 2));

	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(t.tx[1].hdr.u.req.psn, START + 3);
	EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_RETX);
	EXPECT_EQ(pt_info(&t).stats.sack_lost, 2);
	pt_close(&t);
}

TEST(pdc_tail__answer_may_acknowledge_all_packets)
{
	struct pdctest t;

	open_known(&t, 3);
	expire_to_probe(&t);
	t.now += 100 * US;
	pt_rx_ack(&t, answer(&t, START + 3, START + 4, 0));

	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(t.nr_up, 3);
	EXPECT_EQ(pt_info(&t).stats.sack_lost, 0);
	EXPECT_EQ(t.pdc->tx.tail.at, UET_NEVER);
	pt_close(&t);
}

TEST(pdc_tail__only_the_latest_answer_counts_once)
{
	struct uet_pds_hdr old;
	struct pdctest t;

	open_known(&t, 2);
	expire_to_probe(&t);
	old = answer(&t, START, START + 1, 0);
	expire_to_probe(&t);
	EXPECT_NE(opaque_of(&t), old.u.ack.probe_opaque);
	EXPECT_EQ(pt_rx_ack(&t, old), UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);

	old.u.ack.probe_opaque++;
	pt_rx_ack(&t, old);
	EXPECT_EQ(t.nr_tx, 2);
	pt_rx_ack(&t, old);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_info(&t).stats.sack_lost, 2);
	pt_close(&t);
}

/* The true parts of an old answer are taken all the same. */
TEST(pdc_tail__old_answer_still_acknowledges)
{
	struct uet_pds_hdr old;
	struct pdctest t;

	open_known(&t, 2);
	expire_to_probe(&t);
	old = answer(&t, START + 1, START + 2, 0);
	expire_to_probe(&t);
	pt_rx_ack(&t, old);

	EXPECT_EQ(t.nr_up, 1);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_tail__packets_after_the_probe_are_not_lost)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;

	open_known(&t, 1);
	expire_to_probe(&t);
	hdr = answer(&t, START + 1, START + 2, 0);
	pt_send(&t, 2);
	t.now += 500 * US;
	pt_rx_ack(&t, hdr);

	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_info(&t).stats.sack_lost, 0);
	pt_close(&t);
}

/* 64 PSNs fit into a SACK; of those behind them nothing is known. */
TEST(pdc_tail__packets_beyond_the_sack_are_not_lost)
{
	struct pdctest t;

	open_known(&t, 100);
	expire_to_probe(&t);
	t.now += 100 * US;
	pt_rx_ack(&t, answer(&t, START, START + 1, ~0ULL << 2));

	ASSERT_EQ(t.nr_tx, 2);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, START + 1);
	EXPECT_EQ(t.tx[1].hdr.u.req.psn, START + 2);
	EXPECT_EQ(pt_info(&t).stats.sack_lost, 2);
	pt_close(&t);
}

/* The next Probe asks about them. */
TEST(pdc_tail__next_probe_asks_further)
{
	struct pdctest t;

	open_known(&t, 100);
	expire_to_probe(&t);
	t.now += 100 * US;
	pt_rx_ack(&t, answer(&t, START, START + 1, ~0ULL));
	EXPECT_EQ(t.nr_tx, 0);

	expire_to_probe(&t);
	EXPECT_EQ(t.tx[0].hdr.u.cp.payload, START + 65);
	pt_close(&t);
}

/* A path may be slow by as much as was learnt: no longer lost than others. */
TEST(pdc_tail__waits_out_a_slow_path)
{
	struct pdctest t;
	u64 sent;

	open_known(&t, 1);
	t.pdc->tx.reorder_window_ns = 5 * MS;
	t.now += 10 * US;
	pt_send(&t, 1);
	sent = t.now;
	expire_to_probe(&t);

	EXPECT_EQ(t.now, sent + 5 * MS + t.pdc->tx.rtt.srtt_ns);
	pt_close(&t);
}

TEST(pdc_tail__plain_ack_proves_no_loss)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;

	open_known(&t, 2);
	expire_to_probe(&t);
	hdr = answer(&t, START, START + 1, 0);
	hdr.type = UET_TY_ACK;
	pt_rx_ack(&t, hdr);

	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_tail__probes_are_limited_to_max_tail_loss_retx)
{
	u32 max = uet_pdc_cfg_default.max_tail_loss_retx, i;
	struct uet_pds_hdr ack = pt_ack(START + 1, START + 1);
	struct pdctest t;

	open_known(&t, 1);
	for (i = 0; i < max; i++)
		expire_to_probe(&t);
	pt_expire(&t);

	EXPECT_EQ(pt_info(&t).stats.rto_fired, 1);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].kind, UET_TX_REQ);
	/* Nor after that, until a packet of the peer arrives. */
	pt_expire(&t);
	EXPECT_EQ(pt_info(&t).stats.rto_fired, 2);
	EXPECT_EQ(pt_info(&t).stats.tx_cp, max);
	ack.flags = UET_F_RETX;
	pt_rx_ack(&t, ack);
	pt_send(&t, 1);
	expire_to_probe(&t);
	pt_close(&t);
}

TEST(pdc_tail__needs_a_peer)
{
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &uet_pdc_cfg_default);
	pt_send(&t, 4);
	pt_expire(&t);

	EXPECT_EQ(pt_info(&t).stats.rto_fired, 1);
	EXPECT_EQ(pt_info(&t).stats.tx_cp, 0);
	pt_close(&t);
}

TEST(pdc_tail__either_parameter_disables_probes)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;
	int i;

	for (i = 0; i < 2; i++) {
		cfg.tail_loss_ns = i ? MS : 0;
		cfg.max_tail_loss_retx = i ? 0 : 5;
		pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
		pt_send(&t, 1);
		t.now += 100 * US;
		pt_rx_ack(&t, pt_ack(START, START));
		pt_send(&t, 1);
		pt_expire(&t);
		EXPECT_EQ(pt_info(&t).stats.rto_fired, 1);
		pt_close(&t);
	}
}

TEST(pdc_tail__acks_postpone_the_probe)
{
	struct pdctest t;
	u32 i;

	open_known(&t, 20);
	for (i = 1; i <= 20; i++) {
		t.now += TAIL - 1;
		uet_pdc_tick(t.pdc, t.now);
		pt_run(&t);
		EXPECT_EQ(t.nr_tx, 0);
		pt_rx_ack(&t, pt_ack(START + i, START + i));
	}
	EXPECT_EQ(pt_info(&t).stats.tx_cp, 0);
	pt_close(&t);
}

TEST(pdc_tail__pause_suspends_probes)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	struct pdctest t;

	cfg.nack_retx_ns = 10 * MS;
	pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
	pt_send(&t, 1);
	t.now += 100 * US;
	pt_rx_ack(&t, pt_ack(START, START));
	pt_send(&t, 2);
	pt_rx_nack(&t, pt_nack(UET_NACK_NO_RESOURCE, START + 1));
	pt_tick_to(&t, t.now + 9 * MS);

	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

TEST(pdc_cfg_check__tail_loss_retx_has_a_limit)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	cfg.max_tail_loss_retx = 15;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), 0);
	cfg.max_tail_loss_retx = 16;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), -EINVAL);
	cfg = uet_pdc_cfg_default;
	cfg.tail_loss_ns = 86400000 * MS + 1;
	EXPECT_EQ(uet_pdc_cfg_check(&cfg), -EINVAL);
}

/* The last 3 of 20 packets, and the first Probe, are lost. */
static struct pair_fate lose_tail(struct pair *p, int from,
				  const struct uet_pdc_tx *tx)
{
	if (tx->kind == UET_TX_REQ && !tx->is_retx &&
	    tx->hdr.u.req.psn - START >= 18)
		return pair_lost();
	if (tx->kind == UET_TX_CP && tx->hdr.u.cp.probe_opaque == 1)
		return pair_lost();
	return pair_intact();
}

static void try_lost_tail(enum uet_pdc_mode mode)
{
	struct pair p;

	pair_open(&p, mode, &uet_pdc_cfg_default);
	p.fate = lose_tail;
	pair_transfer(&p, 1, 1000 * MS);
	pair_transfer(&p, 20, 1000 * MS);

	pair_expect_once(&p, 21);
	EXPECT_EQ(pair_stats(&p, INI)->rto_fired, 0);
	EXPECT_EQ(pair_stats(&p, INI)->tx_cp, 2);
	EXPECT_EQ(pair_stats(&p, INI)->tx_retx, 3);
	pair_close(&p);
}

TEST(pair_tail__lost_tail_of_rud_needs_no_timeout)
{
	try_lost_tail(UET_PDC_RUD);
}

TEST(pair_tail__lost_tail_of_rod_needs_no_timeout)
{
	try_lost_tail(UET_PDC_ROD);
}
