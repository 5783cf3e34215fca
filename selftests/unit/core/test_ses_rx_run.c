// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/ses/ses_rx.c: a run leaves a message as its packets do
 * one by one; and which message a run continues.
 * Spec: uet-wire 3.14.  Level: test of core L5.
 */
#include "sesrx.h"

#define NR	20
#define TOTAL	(NR * MTU)
#define PSN	0xfffffff8U

/* A message with its packets up to @packets - 1. */
struct message {
	struct uet_ses ses;
	struct uet_ses_rx rx;
	struct uet_ses_seg segs[NR];
	bool is_write;
};

static struct uet_ses_req piece(const struct message *m, u32 i)
{
	struct uet_ses_req req = req_piece(TOTAL, i * MTU, MTU);

	if (m->is_write)
		req.opcode = UET_OP_WRITE;
	return req;
}

static enum uet_ses_step single(struct message *m, u32 i)
{
	struct uet_ses_req req = piece(m, i);
	struct uet_ses_rx *rx;
	enum uet_drop why;

	rx = uet_ses_rx_find(&m->ses, &req, PSN + i);
	if (!rx)
		uet_ses_rx_start(&m->ses, &m->rx, &req);
	if (m->is_write)
		return uet_ses_rx_rma(&m->ses, &m->rx, &req, MTU, &why);
	m->segs[i].len = MTU;
	return uet_ses_rx_seg(&m->ses, &m->rx, &req, &m->segs[i], &why);
}

static void begin(struct message *m, bool is_write, u32 packets)
{
	u32 i;

	memset(m, 0, sizeof(*m));
	INIT_LIST_HEAD(&m->ses.rxq);
	m->is_write = is_write;
	for (i = 0; i < packets; i++)
		EXPECT_EQ(single(m, i), UET_SES_MORE);
}

/* Packets @from to @from + @n - 1 as a run. */
static void run(struct message *m, u32 from, u32 n)
{
	struct uet_ses_rx *rx;
	u32 i;

	rx = uet_ses_rx_run_begin(&m->ses, 5, 0, from * MTU);
	ASSERT_TRUE(rx == &m->rx);
	EXPECT_LE(n, uet_ses_rx_run_space(rx, MTU));
	for (i = from; i < from + n && !m->is_write; i++)
		uet_ses_rx_run_seg(rx, &m->segs[i], i * MTU, MTU);
	uet_ses_rx_run_end(&m->ses, rx, n, MTU, PSN + from + n - 1);
}

static void expect_same(const struct message *a, const struct message *b)
{
	const struct list_head *x = &a->rx.segs, *y = &b->rx.segs;
	const struct uet_ses_seg *sx, *sy;

	EXPECT_EQ(a->ses.rx_psn, b->ses.rx_psn);
	EXPECT_EQ(a->ses.nr_rx, b->ses.nr_rx);
	EXPECT_EQ(a->rx.length, b->rx.length);
	EXPECT_EQ(a->rx.received, b->rx.received);
	EXPECT_EQ(a->rx.taken, b->rx.taken);
	EXPECT_EQ(a->rx.mtu, b->rx.mtu);
	EXPECT_EQ(a->rx.psn, b->rx.psn);
	EXPECT_EQ(a->rx.failed, b->rx.failed);
	EXPECT_EQ(a->rx.has_som, b->rx.has_som);
	EXPECT_EQ(memcmp(&a->rx.req, &b->rx.req, sizeof(a->rx.req)), 0);
	for (x = x->next, y = y->next; x != &a->rx.segs && y != &b->rx.segs;
	     x = x->next, y = y->next) {
		sx = list_entry(x, struct uet_ses_seg, link);
		sy = list_entry(y, struct uet_ses_seg, link);
		EXPECT_EQ(sx->offset, sy->offset);
		EXPECT_EQ(sx->len, sy->len);
	}
	EXPECT_TRUE(x == &a->rx.segs && y == &b->rx.segs);
}

TEST(ses_rx_run__equals_single_packets)
{
	static struct message a, b;
	u32 is_write, from, n, i;

	for (is_write = 0; is_write < 2; is_write++) {
		for (from = 2; from < NR; from++) {
			for (n = 1; from + n < NR; n++) {
				begin(&a, is_write, from);
				begin(&b, is_write, from);
				for (i = from; i < from + n; i++)
					EXPECT_EQ(single(&a, i), UET_SES_MORE);
				run(&b, from, n);
				expect_same(&a, &b);
			}
		}
	}
}

TEST(ses_rx_run__packet_that_completes_is_taken_singly)
{
	static struct message m;
	u32 is_write;

	for (is_write = 0; is_write < 2; is_write++) {
		begin(&m, is_write, 2);
		EXPECT_EQ(uet_ses_rx_run_space(&m.rx, MTU), NR - 3);
		run(&m, 2, NR - 3);
		EXPECT_EQ(uet_ses_rx_run_space(&m.rx, MTU), 0);
		EXPECT_EQ(single(&m, NR - 1), UET_SES_DONE);
	}
}

/* The reader takes segments away; the message does not list them any more. */
TEST(ses_rx_run__goes_on_behind_a_prefix_that_was_taken)
{
	static struct message m;
	LIST_HEAD(taken);

	begin(&m, false, 3);
	uet_ses_rx_take(&m.rx, &taken);
	run(&m, 3, 4);
	uet_ses_rx_take(&m.rx, &taken);
	EXPECT_EQ(m.rx.taken, 7 * MTU);
}

TEST(ses_rx_run__needs_the_latest_message_and_no_segment_behind)
{
	static struct message m;

	memset(&m, 0, sizeof(m));
	INIT_LIST_HEAD(&m.ses.rxq);
	EXPECT_TRUE(!uet_ses_rx_run_begin(&m.ses, 5, 0, MTU));
	begin(&m, false, 2);
	EXPECT_TRUE(!uet_ses_rx_run_begin(&m.ses, 6, 0, 2 * MTU));
	EXPECT_TRUE(!uet_ses_rx_run_begin(&m.ses, 5, 0, 3 * MTU));
	EXPECT_TRUE(uet_ses_rx_run_begin(&m.ses, 5, 0, 2 * MTU));
	EXPECT_EQ(single(&m, 4), UET_SES_MORE);
	EXPECT_TRUE(!uet_ses_rx_run_begin(&m.ses, 5, 0, 2 * MTU));
	uet_ses_rx_fail(&m.rx, UET_RC_UNCOR);
	EXPECT_TRUE(!uet_ses_rx_run_begin(&m.ses, 5, 0, 5 * MTU));
}

/* A deferred message and its restart may have the same message id. */
TEST(ses_rx_run__packets_before_a_restart_do_not_continue_it)
{
	static struct message m;

	begin(&m, false, 2);
	m.rx.req.tgt_token = 77;
	EXPECT_TRUE(!uet_ses_rx_run_begin(&m.ses, 5, 0, 2 * MTU));
	EXPECT_TRUE(uet_ses_rx_run_begin(&m.ses, 5, 77, 2 * MTU));
}
