// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_slot.c: the send half holds packets as runs.  The model is
 * the same PDC with a slot for each packet: from any state, each event gives both the same
 * packets, the same outcomes and, byte for byte, the same next state.
 * Spec: none; UE 1.0.1 3.5.11, 3.5.12 and 3.5.15 for each packet.  Level: test of core L4.
 */
#include "cctest.h"
#include "pdcimage.h"
#include "pdctest.h"

#define MAX_RUN		64
#define NR_EVENTS	3000

/* What an event gives: a hash of packets, of outcomes, and of reasons. */
struct given {
	u64 hash;
	u32 longest;
};

static void given_add(struct given *given, const void *bytes, size_t len)
{
	const u8 *b = bytes;

	while (len--)
		given->hash = (given->hash ^ *b++) * 0x100000001b3ULL;
}

static void given_value(struct given *given, u32 value)
{
	given_add(given, &value, sizeof(value));
}

/* An event, chosen before it is known to which form of the PDC it happens. */
struct event {
	u32 what, n, a, b;
	u64 bits;
};

static struct event event_any(void)
{
	return (struct event) {
		.what = utest_rand() % 16,
		.n = 1 + utest_rand() % MAX_RUN,
		.a = utest_rand(),
		.b = utest_rand(),
		.bits = utest_rand() & utest_rand(),
	};
}

static void event_queue(struct pdctest *t, const struct event *e, struct given *given)
{
	struct uet_pds_pkt pkt = {
		.msg = t, .len = 1024, .offset = t->pdc->tx.write_seq * 1024,
		.next_hdr = UET_NH_REQ_STD,
	};

	if (e->a % 8 == 0)
		pkt.flags = UET_PKT_EOM | (e->b % 2 ? UET_PKT_TAIL : 0);
	given_value(given, uet_pdc_tx_reqs(t->pdc, &pkt, pkt.flags ? 1 : e->n, t->now));
	if (e->a % 32 == 1)
		given_value(given, uet_pdc_tx_noop(t->pdc, NULL, t->now));
}

static void event_send(struct pdctest *t, const struct event *e, struct given *given)
{
	struct uet_pdc_tx tx;
	u16 ev[MAX_RUN];
	u32 i, n, left = 1 + e->a % 8;

	while (left-- && uet_pdc_poll_tx(t->pdc, &tx, t->now)) {
		given_add(given, &tx, sizeof(tx));
		n = uet_pdc_poll_tx_run(t->pdc, &tx, ev, e->n, t->now);
		for (i = 0; i < n; i++) {
			uet_pdc_tx_step(&tx, ev[i]);
			given_add(given, &tx, sizeof(tx));
		}
		given->longest = max(given->longest, n);
	}
}

/* A PSN near those in flight, mostly of one of them. */
static u32 event_psn(const struct pdctest *t, u32 any)
{
	const struct uet_pdc_txh *tx = &t->pdc->tx;

	return tx->una - 2 + any % (tx->nxt - tx->una + 3);
}

static void event_ack(struct pdctest *t, const struct event *e, struct given *given)
{
	const struct uet_pdc_txh *tx = &t->pdc->tx;
	u32 first = uet_psn_earlier(event_psn(t, e->a), tx->nxt - 1);
	struct uet_pds_hdr hdr = pt_ack(first, event_psn(t, e->b));
	struct uet_ses_rsp rsp = {
		.opcode = e->n % 16 ? UET_RSP_DEFAULT : UET_RSP_RESPONSE,
	};

	if (e->n % 4 == 1)
		hdr = pt_ack(tx->una - 1, event_psn(t, e->b));
	if (e->n % 4 == 2)
		hdr.u.ack.sack_bitmap = e->bits;
	if (e->n % 32 == 3)
		hdr.flags |= UET_F_RETX;
	if (uet_pdc_answered(t->pdc, &hdr))
		given_value(given, uet_pdc_answered(t->pdc, &hdr)->offset);
	given_value(given, uet_pdc_rx_ack(t->pdc, &hdr, e->n % 8 ? &rsp : NULL, &pt_in, t->now));
}

static void event_nack(struct pdctest *t, const struct event *e, struct given *given)
{
	static const u8 codes[] = { UET_NACK_TRIMMED, UET_NACK_NO_RESOURCE, UET_NACK_ROD_OOO };
	struct uet_pds_hdr nack = pt_nack(codes[e->n % ARRAY_SIZE(codes)], event_psn(t, e->a));

	nack.u.nack.payload = event_psn(t, e->b);
	if (uet_pdc_pkt_of_nack(t->pdc, &nack))
		given_value(given, uet_pdc_pkt_of_nack(t->pdc, &nack)->offset);
	given_value(given, uet_pdc_rx_nack(t->pdc, &nack, &pt_in, t->now));
}

static void event_time(struct pdctest *t, const struct event *e)
{
	u64 at = uet_pdc_deadline(t->pdc);

	t->now += e->a % (100 * US);
	if (e->n % 8 == 0 && at != UET_NEVER && at > t->now)
		t->now = at;
	uet_pdc_tick(t->pdc, t->now);
}

static void event_reap(struct pdctest *t, const struct event *e, struct given *given)
{
	struct uet_pdc_up up;
	u32 left = 1 + e->a % 8;

	while (left-- && uet_pdc_poll_up(t->pdc, &up)) {
		given_add(given, &up, sizeof(up));
		given_value(given, up.pkt.flags ? 0 : uet_pdc_poll_up_run(t->pdc, &up));
	}
}

static struct given event_happens(struct pdctest *t, const struct event *e)
{
	struct given given = { 0 };

	if (e->what < 3)
		event_queue(t, e, &given);
	else if (e->what < 7)
		event_send(t, e, &given);
	else if (e->what < 10)
		event_ack(t, e, &given);
	else if (e->what < 11 && e->b % 4 == 0)
		event_nack(t, e, &given);
	else if (e->what < 13)
		event_time(t, e);
	else
		event_reap(t, e, &given);
	return given;
}

/* Return: the longest run that was sent; 0: the PDC is over. */
static u32 slot_compare_event(struct pdctest *t, const struct event *e, struct cctest *cc)
{
	struct image before = image_of(t), after, model;
	struct uet_ccc ccc = cc->ccc, ccc_after;
	struct given runs, single;
	u64 now = t->now;

	runs = event_happens(t, e);
	pt_check(t);
	after = image_of(t);
	ccc_after = cc->ccc;
	image_expand(t);
	model = image_swap(t, &before);
	t->now = now;
	cc->ccc = ccc;
	image_expand(t);
	single = event_happens(t, e);
	EXPECT_EQ(runs.hash, single.hash);
	EXPECT_TRUE(image_is(&model, t));
	EXPECT_TRUE(!memcmp(&cc->ccc, &ccc_after, sizeof(ccc)));
	memcpy(t->pdc, after.bytes, after.len);
	free(before.bytes);
	free(after.bytes);
	free(model.bytes);
	return uet_pdc_is_over(t->pdc) ? 0 : 1 + runs.longest;
}

static void slot_open(struct pdctest *t, struct cctest *cc, enum uet_pdc_mode mode, bool has_cc)
{
	struct uet_pdc_open open = pt_open_how(UET_PDC_INITIATOR, mode);
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;

	memset(cc, 0, sizeof(*cc));
	cfg.has_cc = has_cc;
	if (has_cc) {
		uet_cc_cfg_init(&cc->cfg);
		cc->cfg.window = UET_WINDOW_CONST;
		cc->cfg.mtu = 1200;
		cc->cfg.cwnd = 100 * cc->cfg.mtu;
		cctest_start(cc);
		open.ccc = &cc->ccc;
		open.overhead = 60;
	}
	pt_open_as(t, &open, &cfg);
	pt_send(t, 1);
	pt_rx_ack(t, pt_ack(START, START));
}

static void slot_compare(enum uet_pdc_mode mode, bool has_cc)
{
	u32 i, longest = 0, best = 0;
	struct event e;
	struct cctest cc;
	struct pdctest t;

	slot_open(&t, &cc, mode, has_cc);
	for (i = 0; i < NR_EVENTS; i++) {
		e = event_any();
		longest = slot_compare_event(&t, &e, &cc);
		best = max(best, longest);
		if (longest)
			continue;
		pt_close(&t);
		slot_open(&t, &cc, mode, has_cc);
	}
	EXPECT_GE(best, 40);
	pt_close(&t);
}

TEST(pdc_slot__any_event_equals_that_of_single_packets)
{
	slot_compare(UET_PDC_RUD, false);
}

TEST(pdc_slot__any_event_of_a_ROD_PDC_equals_that_of_single_packets)
{
	slot_compare(UET_PDC_ROD, false);
}

TEST(pdc_slot__any_event_with_congestion_control_equals_that_of_single_packets)
{
	slot_compare(UET_PDC_RUD, true);
}

/* A window that is full of runs, with one hole in each. */
TEST(pdc_slot__a_window_has_as_few_slots_as_it_has_runs)
{
	struct uet_pds_pkt pkt = {
		.len = 1024, .next_hdr = UET_NH_REQ_STD,
	};
	struct pdctest t;
	u16 ev[MAX_RUN];
	u32 i, used = 0;

	pt_established(&t, 0);
	EXPECT_EQ(uet_pdc_tx_reqs(t.pdc, &pkt, 61, t.now), 61);
	EXPECT_TRUE(uet_pdc_poll_tx(t.pdc, &t.tx[0], t.now));
	EXPECT_EQ(uet_pdc_poll_tx_run(t.pdc, &t.tx[0], ev, 60, t.now), 60);
	for (i = 0; i < t.cfg.window; i++)
		used += t.pdc->tx.slots[i].state != UET_SLOT_FREE;
	EXPECT_EQ(used, 2);
	pt_check(&t);
	pt_close(&t);
}
