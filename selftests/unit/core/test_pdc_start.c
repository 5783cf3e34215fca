// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_life.c: both ways in which a secure target
 * says where PSNs begin, the initiator that obeys within bounds, and a plain
 * PDC that does not.
 * Spec: UE 1.0.1 3.5.8.2, 3.5.12.7, Table 3-28.  Level: test of core L4.
 */
#include "pdctest.h"

#define EXPECTED	(START + 1000)

static void open_target(struct pdctest *t, enum uet_pdc_start start)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_TARGET, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();

	open.start = start;
	open.expected_psn = EXPECTED;
	pt_open_as(t, &open, &cfg);
}

static void open_initiator(struct pdctest *t, enum uet_pdc_start start)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_INITIATOR, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();

	open.start = start;
	pt_open_as(t, &open, &cfg);
}

/* A SYN that is packet @offset of a PDC that starts at @start. */
static struct uet_pds_hdr syn(u32 start, u16 offset)
{
	struct uet_pds_hdr hdr = pt_req(start + offset, UET_F_SYN);

	hdr.u.req.psn_offset = offset;
	hdr.u.req.clear_off = -1 - offset;
	return hdr;
}

static struct uet_pds_hdr new_start(u32 psn, u32 start)
{
	struct uet_pds_hdr hdr = pt_nack(UET_NACK_NEW_START_PSN, psn);

	hdr.u.nack.spdcid = 0;
	hdr.u.nack.payload = start;
	return hdr;
}

static void expect_sent_back(const struct pdctest *t, u32 psn)
{
	ASSERT_EQ(t->nr_tx, 1);
	EXPECT_EQ(t->tx[0].kind, UET_TX_NACK);
	EXPECT_EQ(t->tx[0].hdr.u.nack.code, UET_NACK_NEW_START_PSN);
	EXPECT_EQ(t->tx[0].hdr.u.nack.psn, psn);
	EXPECT_EQ(t->tx[0].hdr.u.nack.payload, EXPECTED);
	EXPECT_EQ(t->tx[0].hdr.u.nack.spdcid, 0);
	EXPECT_EQ(t->tx[0].hdr.u.nack.dpdcid, PEER_ID);
	EXPECT_EQ(pt_state(t), UET_PDC_ST_PENDING);
}

TEST(pdc_start_random__sends_every_first_syn_back)
{
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_PENDING);
	EXPECT_EQ(pt_rx_req(&t, syn(START, 0)), UET_DROP_BAD_SYN);
	expect_sent_back(&t, START);
	EXPECT_EQ(pt_rx_req(&t, syn(EXPECTED + 1, 0)), UET_DROP_BAD_SYN);
	expect_sent_back(&t, EXPECTED + 1);
	pt_close(&t);
}

/* An answer with our PDCID would have the initiator drop the SYN. */
TEST(pdc_start_random__trimmed_syn_is_not_answered)
{
	struct uet_pds_hdr hdr = pt_req(START, 0);
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	EXPECT_EQ(uet_pdc_rx_trimmed(t.pdc, &hdr, &pt_in, UET_NACK_TRIMMED,
				     t.now), UET_DROP_BAD_STATE);
	pt_run(&t);
	EXPECT_EQ(t.nr_tx, 0);
	pt_close(&t);
}

/* A PENDING target has no Start_PSN, so it knows nothing to answer. */
TEST(pdc_start_random__control_packets_without_syn_are_dropped)
{
	struct uet_pds_hdr hdr;
	struct pdctest t;
	u8 ctl;

	open_target(&t, UET_PDC_START_RANDOM);
	for (ctl = 0; ctl < UET_CP_NR; ctl++) {
		hdr = pt_cp(ctl, START, 0);
		hdr.u.cp.dpdcid = 0;
		EXPECT_EQ(pt_rx_cp(&t, hdr), UET_DROP_BAD_STATE);
		EXPECT_EQ(t.nr_tx, 0);
	}
	pt_close(&t);
}

TEST(pdc_start_psn__keeps_its_distance_from_the_former_pdc)
{
	static const u32 former[] = { 0, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
				      0xffffffff, 0x40000000, 0x12345678 };
	enum uet_pdc_start start;
	s32 ahead;
	u32 i, at, psn;

	for (start = UET_PDC_START_PLAIN; start <= UET_PDC_START_EXPECTED; start++) {
		for (i = 0; i < ARRAY_SIZE(former) * 2048; i++) {
			at = former[i % ARRAY_SIZE(former)];
			psn = uet_pdc_start_psn(start, at + 128 * (i - 8192), at);
			ahead = (s32)(psn - at);
			EXPECT_TRUE(ahead >= 0x10000 || ahead <= -0x10000);
			if (start != UET_PDC_START_PLAIN)
				EXPECT_TRUE(psn < 0x80000000);
		}
	}
}

TEST(pdc_start_psn__least_distance_is_enough)
{
	static const s32 ahead[] = { 0x10000, -0x10000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ahead); i++)
		EXPECT_EQ(uet_pdc_start_psn(UET_PDC_START_PLAIN, 0x12345678 + ahead[i], 0x12345678),
			  0x12345678 + ahead[i]);
}

TEST(pdc_start_retry__one_nack_in_clear_moves_the_psns)
{
	struct uet_pds_hdr nack;
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_EXPECTED);
	pt_send(&t, 3);
	nack = new_start(START + 3, 0);
	EXPECT_FALSE(uet_pdc_start_retry(t.pdc, &nack, 5000, t.now));
	nack = pt_nack(UET_NACK_INV_DPDCID, START);
	EXPECT_FALSE(uet_pdc_start_retry(t.pdc, &nack, 5000, t.now));
	nack = new_start(START + 1, 77);
	EXPECT_TRUE(uet_pdc_start_retry(t.pdc, &nack, 5000, t.now));
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 3);
	EXPECT_EQ(t.tx[0].hdr.u.req.psn, 5000);
	EXPECT_EQ(t.tx[2].hdr.u.req.psn, 5002);
	EXPECT_EQ(t.tx[2].hdr.u.req.psn_offset, 2);
	EXPECT_EQ(t.tx[0].hdr.flags & UET_F_SYN, UET_F_SYN);
	/* The second one, and those for another PDC state, change nothing. */
	nack = new_start(5001, 77);
	EXPECT_FALSE(uet_pdc_start_retry(t.pdc, &nack, 9000, t.now));
	EXPECT_EQ(pt_info(&t).start_psn, 5000);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	pt_close(&t);
}

TEST(pdc_start_retry__plain_or_open_pdc_keeps_its_psns)
{
	struct uet_pds_hdr nack = new_start(START, 0);
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_PLAIN);
	pt_send(&t, 1);
	EXPECT_FALSE(uet_pdc_start_retry(t.pdc, &nack, 5000, t.now));
	pt_close(&t);

	open_initiator(&t, UET_PDC_START_EXPECTED);
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START, START)), UET_DROP_NONE);
	pt_send(&t, 1);
	nack = new_start(START + 1, 0);
	EXPECT_FALSE(uet_pdc_start_retry(t.pdc, &nack, 5000, t.now));
	pt_close(&t);
}

/* UE 1.0.1 Table 3-40, byte by byte. */
TEST(pdc_start_random__nack_has_the_bytes_of_table_3_40)
{
	static const u8 golden[UET_NACK_LEN] = {
		0x50, 0x00, 0x17, 0x00,		/* NACK, NEW_START_PSN */
		0xff, 0xff, 0xff, 0xf0,		/* nack_psn */
		0x00, 0x00, 0x0b, 0x02,		/* spdcid, dpdcid */
		0x00, 0x00, 0x03, 0xd8,		/* Start_PSN to use */
	};
	u8 buf[UET_NACK_LEN];
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	pt_rx_req(&t, syn(START, 0));
	EXPECT_EQ(uet_wire_pds_encode(&t.tx[0].hdr, buf, sizeof(buf)),
		  UET_NACK_LEN);
	EXPECT_MEMEQ(buf, golden, sizeof(golden));
	pt_close(&t);
}

TEST(pdc_start_random__the_right_start_opens)
{
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	pt_rx_req(&t, syn(START, 0));
	/* The third of the packets sent anew comes first. */
	EXPECT_EQ(pt_rx_req(&t, syn(EXPECTED, 2)), UET_DROP_NONE);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	EXPECT_EQ(pt_info(&t).start_psn, EXPECTED);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, EXPECTED - 1);
	EXPECT_EQ(pt_info(&t).next_psn, EXPECTED);
	EXPECT_EQ(pt_rx_req(&t, syn(EXPECTED, 0)), UET_DROP_NONE);
	EXPECT_EQ(t.tx[0].hdr.u.ack.spdcid, OUR_ID);
	EXPECT_EQ(t.pdc->new_at, UET_NEVER);
	/* A late copy of the first SYN does no harm. */
	EXPECT_EQ(pt_rx_req(&t, syn(START, 0)), UET_DROP_BAD_SYN);
	EXPECT_EQ(t.tx[0].hdr.u.nack.code, UET_NACK_INVALID_SYN);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	pt_close(&t);
}

TEST(pdc_start_expected__start_psns_compare_serially)
{
	static const struct {
		u32 start;
		bool fits;
	} tab[] = {
		{ EXPECTED, true }, { EXPECTED + 1, true },
		{ EXPECTED + 0x7fffffff, true },
		{ EXPECTED - 1, false }, { EXPECTED - 0x7fffffff, false },
	};
	struct pdctest t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tab); i++) {
		open_target(&t, UET_PDC_START_EXPECTED);
		EXPECT_EQ(pt_rx_req(&t, syn(tab[i].start, 0)),
			  tab[i].fits ? UET_DROP_NONE : UET_DROP_BAD_SYN);
		EXPECT_EQ(pt_state(&t), tab[i].fits ?
			  UET_PDC_ST_NEW_ESTABLISHED : UET_PDC_ST_PENDING);
		pt_close(&t);
	}
}

/* The caller knew the SYN when it opened: no PENDING at all. */
TEST(pdc_start_expected__costs_no_round_trip)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_TARGET, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	open.start = UET_PDC_START_EXPECTED;
	open.expected_psn = START;
	pt_open_as(&t, &open, &cfg);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	EXPECT_EQ(t.pdc->new_at, UET_NEVER);
	EXPECT_EQ(pt_rx_req(&t, syn(START, 0)), UET_DROP_NONE);
	pt_close(&t);
}

TEST(pdc_start_pending__pending_target_accepts_only_syns)
{
	struct uet_pds_hdr req = pt_req(EXPECTED, 0);
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	EXPECT_EQ(pt_rx_req(&t, req), UET_DROP_BAD_STATE);
	EXPECT_EQ(pt_rx_cp(&t, pt_cp(UET_CP_PROBE, 0, 0)), UET_DROP_BAD_STATE);
	EXPECT_EQ(pt_rx_ack(&t, pt_ack(START - 1, START - 1)),
		  UET_DROP_BAD_STATE);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));
	pt_close(&t);
}

TEST(pdc_start_pending__ends_new_pdc_time_after_the_last_refused_syn)
{
	u64 time = uet_pdc_cfg_default.new_pdc_ns;
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + time);
	t.now += time - 1;
	pt_rx_req(&t, syn(START, 0));
	EXPECT_EQ(uet_pdc_deadline(t.pdc), t.now + time);
	pt_expire(&t);

	EXPECT_TRUE(uet_pdc_is_dead(t.pdc));
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_CLOSED);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_OK);
	EXPECT_EQ(pt_info(&t).stats.start_expired, 1);
	pt_close(&t);
}

TEST(pdc_start_obey__shifts_and_sends_all_again_with_syn)
{
	struct pdctest t;
	u32 i;

	open_initiator(&t, UET_PDC_START_RANDOM);
	pt_send(&t, 5);
	EXPECT_EQ(pt_rx_nack(&t, new_start(START + 1, EXPECTED)),
		  UET_DROP_NONE);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	ASSERT_EQ(t.nr_tx, 5);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(t.tx[i].hdr.u.req.psn, EXPECTED + i);
		EXPECT_EQ(t.tx[i].hdr.u.req.psn_offset, i);
		EXPECT_EQ(t.tx[i].hdr.flags, UET_F_SYN | UET_F_AR);
		EXPECT_EQ(t.tx[i].pkt.offset, i * 1024);
	}
	/* The other four NACKs of the first burst say nothing new. */
	EXPECT_EQ(pt_rx_nack(&t, new_start(START, EXPECTED)),
		  UET_DROP_BAD_NACK_PSN);
	EXPECT_EQ(pt_rx_nack(&t, new_start(EXPECTED, EXPECTED)),
		  UET_DROP_NONE);
	EXPECT_EQ(t.nr_tx, 0);

	pt_rx_ack(&t, pt_ack(EXPECTED + 4, EXPECTED + 4));
	EXPECT_EQ(t.nr_up, 5);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ESTABLISHED);
	/* The return direction begins at the new Start_PSN, too. */
	EXPECT_EQ(pt_info(&t).rx_cack_psn, EXPECTED - 1);
	pt_close(&t);
}

/* The window, some of it never sent, some of it lost, by any distance. */
TEST(pdc_start_obey__shift_works_for_any_distance_and_slot_state)
{
	static const u32 shifts[] = { 1, 255, 256, 257, 0x80000000, -5 };
	struct pdctest t;
	u32 i, k, bad;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		open_initiator(&t, UET_PDC_START_EXPECTED);
		pt_send(&t, 200);
		EXPECT_EQ(t.nr_tx, 128);
		uet_pdc_slot_lost(t.pdc, uet_pdc_slot(t.pdc, START + 3),
				  UET_CC_LOSS_RTO, t.now);
		pt_rx_nack(&t, new_start(START + 127, START + shifts[i]));
		ASSERT_EQ(t.nr_tx, 128);
		for (k = 0, bad = 0; k < 128; k++)
			bad += t.tx[k].hdr.u.req.psn != START + shifts[i] + k ||
			       t.tx[k].pkt.offset != k * 1024;
		EXPECT_EQ(bad, 0);
		pt_close(&t);
	}
}

TEST(pdc_start_obey__number_of_shifts_is_bounded)
{
	struct pdctest t;
	u32 start = START, i;

	open_initiator(&t, UET_PDC_START_RANDOM);
	pt_send(&t, 2);
	for (i = 0; i < 4; i++, start += 100) {
		pt_rx_nack(&t, new_start(start, start + 100));
		EXPECT_EQ(t.nr_tx, 2);
	}
	pt_rx_nack(&t, new_start(start, start + 100));

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_ERROR);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
	ASSERT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[0].nack_code, UET_NACK_NEW_START_PSN);
	pt_close(&t);
}

/* A target that names a Start_PSN has found space: its peer_timeout starts anew. */
TEST(pdc_start_obey__forgets_refusals)
{
	u64 wait = uet_pdc_cfg_default.rto_init_ns;
	struct uet_pds_hdr refusal;
	struct pdctest t;
	u32 n;

	open_initiator(&t, UET_PDC_START_RANDOM);
	pt_send(&t, 2);
	refusal = pt_nack(UET_NACK_NO_PDC_AVAIL, START);
	refusal.u.nack.spdcid = 0;
	pt_rx_nack(&t, refusal);
	pt_rx_nack(&t, new_start(START + 1, EXPECTED));

	refusal.u.nack.psn = EXPECTED;
	for (n = 0; n < uet_pdc_cfg_default.max_rto_retx; n++) {
		pt_rx_nack(&t, refusal);
		ASSERT_EQ(uet_pdc_deadline(t.pdc), t.now + wait);
		pt_expire(&t);
		wait = min(2 * wait, uet_pdc_cfg_default.rto_max_ns);
	}
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	pt_rx_nack(&t, refusal);
	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK_RETX);
	pt_close(&t);
}

/* A PDCID in that NACK teaches nothing: the target is not open. */
TEST(pdc_start_obey__does_not_learn)
{
	struct uet_pds_hdr hdr = new_start(START, EXPECTED);
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_RANDOM);
	pt_send(&t, 1);
	hdr.u.nack.spdcid = PEER_ID;
	pt_rx_nack(&t, hdr);

	EXPECT_EQ(pt_state(&t), UET_PDC_ST_SYN_SENT);
	EXPECT_TRUE(t.tx[0].hdr.flags & UET_F_SYN);
	pt_close(&t);
}

TEST(pdc_start_obey__open_pdc_ignores_a_new_start)
{
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_RANDOM);
	pt_send(&t, 1);
	pt_rx_ack(&t, pt_ack(START, START));
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_nack(&t, new_start(START + 1, EXPECTED)),
		  UET_DROP_UNSUPPORTED);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_info(&t).start_psn, START);
	pt_close(&t);
}

TEST(pdc_start_obey__plain_pdc_ignores_a_new_start)
{
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_PLAIN);
	pt_send(&t, 1);
	EXPECT_EQ(pt_rx_nack(&t, new_start(START, EXPECTED)),
		  UET_DROP_UNSUPPORTED);
	EXPECT_EQ(t.nr_tx, 0);
	EXPECT_EQ(pt_info(&t).start_psn, START);
	pt_close(&t);
}

TEST(pdc_start__next_expected_refuses_a_replay)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_TARGET, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	open_target(&t, UET_PDC_START_RANDOM);
	pt_rx_req(&t, syn(EXPECTED, 0));
	open.start = UET_PDC_START_EXPECTED;
	open.start_psn = EXPECTED;
	open.expected_psn = uet_pdc_next_expected_psn(t.pdc);
	pt_close(&t);

	pt_open_as(&t, &open, &cfg);
	EXPECT_EQ(pt_rx_req(&t, syn(EXPECTED, 7)), UET_DROP_BAD_SYN);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_PENDING);
	pt_close(&t);
}

/* Both together: a round trip, and everything arrives. */
TEST(pdc_start__both_ends_open_after_one_round_trip)
{
	struct pdctest ini, tgt;
	struct uet_pdc_tx sent[4];
	u32 i;

	open_initiator(&ini, UET_PDC_START_RANDOM);
	open_target(&tgt, UET_PDC_START_RANDOM);
	tgt.pdc->peer_pdcid = OUR_ID;
	pt_send(&ini, 4);
	memcpy(sent, ini.tx, sizeof(sent));
	for (i = 0; i < 4; i++) {
		pt_rx_req(&tgt, sent[i].hdr);
		pt_rx_nack(&ini, tgt.tx[0].hdr);
		EXPECT_EQ(ini.nr_tx, i ? 0 : 4);
	}
	EXPECT_EQ(pt_info(&ini).stats.tx_req, 8);
	EXPECT_EQ(pt_info(&ini).stats.tx_retx, 0);
	pt_close(&ini);
	pt_close(&tgt);
}

/* No packet of a closed PDC may fit the next one. */
TEST(pdc_next_expected_psn__is_behind_every_packet)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_TARGET, UET_PDC_RUD);
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	open.start = UET_PDC_START_EXPECTED;
	open.expected_psn = START;
	pt_open_as(&t, &open, &cfg);
	EXPECT_EQ(uet_pdc_next_expected_psn(t.pdc), START + cfg.window);
	EXPECT_EQ(pt_rx_req(&t, syn(START, 0)), UET_DROP_NONE);
	EXPECT_EQ(pt_rx_req(&t, syn(START, 50)), UET_DROP_NONE);
	EXPECT_EQ(uet_pdc_next_expected_psn(t.pdc), START + 51 + cfg.window);
	pt_close(&t);
}

/* As if so many packets had been sent and answered. */
static void use_psns(struct pdctest *t, u32 used)
{
	t->pdc->start_psn = t->pdc->tx.write_seq - used;
}

/* First new messages are sent elsewhere, then nothing is sent but the close. */
TEST(pdc_psn_left__secure_ones_end)
{
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_EXPECTED);
	EXPECT_EQ(uet_pdc_psn_left(t.pdc), 1U << 31);
	use_psns(&t, (1U << 30) - 1);
	EXPECT_TRUE(uet_pdc_takes_messages(t.pdc));
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	use_psns(&t, 1U << 30);
	EXPECT_FALSE(uet_pdc_takes_messages(t.pdc));
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	use_psns(&t, (1U << 31) - UET_PDC_WINDOW_MAX - 1);
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	use_psns(&t, (1U << 31) - UET_PDC_WINDOW_MAX);
	EXPECT_FALSE(uet_pdc_tx_space(t.pdc));
	use_psns(&t, 0);
	pt_close(&t);
}

TEST(pdc_psn_left__of_a_plain_pdc_stays_the_same)
{
	struct pdctest t;

	open_initiator(&t, UET_PDC_START_PLAIN);
	use_psns(&t, (1U << 31) + 5);
	EXPECT_EQ(uet_pdc_psn_left(t.pdc), U32_MAX);
	EXPECT_TRUE(uet_pdc_takes_messages(t.pdc));
	EXPECT_TRUE(uet_pdc_tx_space(t.pdc));
	use_psns(&t, 0);
	pt_close(&t);
}
