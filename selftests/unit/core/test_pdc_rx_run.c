// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of runs in kernel/core/pds/pdc_rx.c: a run of n packets leaves the PDC as n
 * single packets do, byte by byte; and when no run is possible.
 * Spec: UE 1.0.1 3.5.11.4, 3.5.12.2.  Level: test of core L4.
 */
#include "pdctest.h"

static const struct uet_ses_rsp rsp_ok = {
	.opcode = UET_RSP_DEFAULT, .msg_id = 0x77, .job = 0x123456,
};

/* A packet that SES accepts; the run loop does not follow. */
static enum uet_drop take_clear(struct pdctest *t, u32 psn, u32 clear_psn, u8 flags,
				const struct uet_rx_info *in)
{
	struct uet_pds_hdr hdr = pt_req(psn, flags);
	bool deliver = false;
	enum uet_drop why;

	hdr.u.req.clear_off = (s16)(clear_psn - psn);
	why = uet_pdc_rx_req(t->pdc, &hdr, in, t->now, &deliver);
	if (deliver)
		uet_pdc_rx_accept(t->pdc, &hdr, in, &rsp_ok, t->now);
	return why;
}

static enum uet_drop take(struct pdctest *t, u32 psn, u8 flags,
			  const struct uet_rx_info *in)
{
	return take_clear(t, psn, t->pdc->rx.clear, flags, in);
}

/* A target that is ESTABLISHED: it has two packets. */
static void open_established(struct pdctest *t, const struct uet_pdc_cfg *cfg)
{
	pt_open_cfg(t, UET_PDC_TARGET, UET_PDC_RUD, cfg);
	EXPECT_EQ(take(t, START, UET_F_SYN, &pt_in), UET_DROP_NONE);
	EXPECT_EQ(take(t, START + 1, 0, &pt_in), UET_DROP_NONE);
	pt_run(t);
}

/* A byte image of a PDC without what nobody reads: padding, and slots up to CACK_PSN. */
static u8 *image(struct pdctest *t, const struct uet_pdc_cfg *cfg, u32 from)
{
	struct uet_pdc_rxh *rx = &t->pdc->rx;
	u8 *bytes = malloc(pdc_block_size(cfg));
	u32 psn;

	for (psn = from; psn != rx->cack; psn++)
		memset(uet_pdc_rxslot(t->pdc, psn), 0,
		       sizeof(struct uet_pdc_rxslot));
	memset(&rx->answers->trigger, 0, sizeof(rx->answers->trigger));
	memcpy(bytes, t->pdc, pdc_block_size(cfg));
	return bytes;
}

static void expect_same_trigger(const struct uet_pdc_echo *a,
				const struct uet_pdc_echo *b)
{
	EXPECT_EQ(a->psn, b->psn);
	EXPECT_EQ(a->at, b->at);
	EXPECT_EQ(a->ev, b->ev);
	EXPECT_EQ(a->ce, b->ce);
	EXPECT_EQ(a->retx, b->retx);
	EXPECT_EQ(a->is_cp, b->is_cp);
}

static u32 some(u32 max)
{
	return utest_rand() % max;
}

/* @n packets, one by one and as a run, from the same state. */
static void compare(struct pdctest *t, const struct uet_pdc_cfg *cfg, u32 n,
		    u32 bytes)
{
	size_t size = pdc_block_size(cfg);
	u32 i, psn = pt_info(t).rx_cack_psn + 1;
	struct uet_rx_info in = { .bytes = bytes, .in_burst = some(2) };
	u8 *before = malloc(size), *single, *run;
	struct uet_pdc_echo trigger;
	u32 clear = psn - 2;

	ASSERT_EQ(uet_pdc_rx_may_run(t->pdc, psn), true);
	memcpy(before, t->pdc, size);
	for (i = 0; i < n; i++) {
		in.ev = 100 + i;
		clear = uet_psn_later(clear, psn + i - 1 - some(8));
		EXPECT_EQ(take_clear(t, psn + i, clear, 0, &in), UET_DROP_NONE);
	}
	trigger = t->pdc->rx.answers->trigger;
	single = image(t, cfg, psn - 1);

	memcpy(t->pdc, before, size);
	EXPECT_EQ(uet_pdc_rx_run(t->pdc, n, clear, &in, t->now), psn + n - 1);
	expect_same_trigger(&t->pdc->rx.answers->trigger, &trigger);
	run = image(t, cfg, psn - 1);
	EXPECT_EQ(memcmp(single, run, size), 0);
	/* The PDC goes on with what image() has cleared. */
	t->pdc->rx.answers->trigger = trigger;
	pt_check(t);
	free(before);
	free(single);
	free(run);
}

static void random_packets(struct pdctest *t, u32 n)
{
	struct uet_rx_info in = pt_in;

	while (n--) {
		in.ce = !some(4);
		EXPECT_EQ(take(t, pt_info(t).rx_cack_psn + 1,
			       some(3) ? 0 : UET_F_AR, &in), UET_DROP_NONE);
		if (!some(3))
			pt_run(t);
	}
}

TEST(pdc_rx_run__equals_single_packets_in_each_field)
{
	static const u32 triggers[] = { 0, 1, 1100, 5000, 16384, 65536, U32_MAX };
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;
	u32 i;

	for (i = 0; i < 2000; i++) {
		cfg.ack_gen_trigger = triggers[some(ARRAY_SIZE(triggers))];
		cfg.ack_gen_min_add = some(2) ? 1024 : some(9000);
		cfg.ack_on_ecn = some(2);
		cfg.clear_ns = some(2) * MS;
		open_established(&t, &cfg);
		random_packets(&t, some(6));
		t.now += some(1000);
		compare(&t, &cfg, 1 + some(120), 100 + some(9000));
		compare(&t, &cfg, 1 + some(120), 100 + some(9000));
		pt_close(&t);
	}
}

TEST(pdc_rx_run__answers_with_one_ack_of_the_last_packet)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_rx_info in = { .ev = 9, .bytes = 1100 };
	struct pdctest t;

	open_established(&t, &cfg);
	EXPECT_EQ(uet_pdc_rx_run(t.pdc, 60, START, &in, t.now), START + 61);
	pt_run(&t);
	ASSERT_EQ(t.nr_tx, 1);
	EXPECT_EQ(t.tx[0].hdr.u.ack.cack_psn, START + 61);
	EXPECT_EQ(t.tx[0].hdr.u.ack.ack_off, 0);
	EXPECT_EQ(t.tx[0].ev, 9);
	EXPECT_EQ(t.tx[0].rsp.msg_id, 0x77);
	/* A packet that follows is accepted, one of the run is a duplicate. */
	EXPECT_EQ(take(&t, START + 62, 0, &pt_in), UET_DROP_NONE);
	EXPECT_EQ(take(&t, START + 30, 0, &pt_in), UET_DROP_DUPLICATE);
	pt_close(&t);
}

/* Take packets of @in until one makes an ACK pending. Return: their number. */
static u32 take_until_ack(struct pdctest *t, const struct uet_rx_info *in)
{
	u32 n = 0;

	do {
		EXPECT_EQ(take(t, pt_info(t).rx_cack_psn + 1, 0, in), UET_DROP_NONE);
		n++;
	} while (!t->pdc->rx.ack_now && n < 1000);
	pt_run(t);
	return n;
}

TEST(pdc_rx_burst__is_acked_for_64_packets_or_256_kib)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_rx_info in = { .bytes = 1100 };
	struct pdctest t;

	cfg.ack_gen_trigger = 16384;
	open_established(&t, &cfg);
	take_until_ack(&t, &in);
	EXPECT_EQ(take_until_ack(&t, &in), 15);
	in.in_burst = true;
	EXPECT_EQ(take_until_ack(&t, &in), 64);
	in.bytes = 8300;
	EXPECT_EQ(take_until_ack(&t, &in), 32);
	/* A packet that comes singly asks for its ACK at the trigger of the FEP. */
	in.bytes = 1100;
	EXPECT_EQ(take(&t, pt_info(&t).rx_cack_psn + 1, 0, &in), UET_DROP_NONE);
	in.in_burst = false;
	EXPECT_EQ(take_until_ack(&t, &in), 14);
	pt_close(&t);
}

/* Their sender may be any, and expects the triggers that the specification allows. */
TEST(pdc_rx_burst__joined_packets_have_an_ack_for_32_kib)
{
	struct uet_rx_info in = { .bytes = 1100, .in_burst = true, .is_joined = true };
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.ack_gen_trigger = 16384;
	open_established(&t, &cfg);
	take_until_ack(&t, &in);
	EXPECT_EQ(take_until_ack(&t, &in), 30);
	in.bytes = 8300;
	EXPECT_EQ(take_until_ack(&t, &in), 4);
	pt_close(&t);
}

TEST(pdc_rx_burst__larger_trigger_of_the_fep_holds)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct uet_rx_info in = { .bytes = 1100, .in_burst = true };
	struct pdctest t;

	cfg.ack_gen_trigger = 100 * 1100;
	open_established(&t, &cfg);
	take_until_ack(&t, &in);
	EXPECT_EQ(take_until_ack(&t, &in), 100);
	pt_close(&t);
}

TEST(pdc_rx_may_run__needs_the_next_psn_and_no_gap)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	open_established(&t, &cfg);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 1), false);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 2), true);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 3), false);
	take(&t, START + 3, 0, &pt_in);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 2), false);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 4), false);
	take(&t, START + 2, 0, &pt_in);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 4), true);
	pt_close(&t);
}

TEST(pdc_rx_may_run__does_not_hold_behind_a_stored_response)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	open_established(&t, &cfg);
	pt_rx_req_rsp(&t, pt_req(START + 2, 0), UET_RSP_RESPONSE, UET_RC_UNCOR);
	EXPECT_EQ(pt_info(&t).rx_cack_psn, START + 1);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 3), false);
	pt_close(&t);
}

TEST(pdc_rx_may_run__not_before_the_pdc_is_established)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
	take(&t, START, UET_F_SYN, &pt_in);
	EXPECT_EQ(pt_state(&t), UET_PDC_ST_NEW_ESTABLISHED);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 1), false);
	pt_close(&t);
}

TEST(pdc_rx_may_run__does_not_hold_where_each_packet_has_an_ack)
{
	struct uet_pdc_cfg cfg = pt_cfg();
	struct pdctest t;

	cfg.ack_per_pkt = true;
	open_established(&t, &cfg);
	EXPECT_EQ(uet_pdc_rx_may_run(t.pdc, START + 2), false);
	pt_close(&t);
}
