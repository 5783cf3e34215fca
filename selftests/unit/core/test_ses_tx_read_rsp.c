// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx_read.c: the queue of packets of data for a peer that reads.  The
 * PDC is a double.  Level: test.
 */
#include "sesdouble.h"
#include "utest.h"

#define MTU	1024

static void read_rsp_init(struct uet_ses_read_rsp *read_rsp, u32 offset)
{
	const struct uet_ses_req req = {
		.form = offset ? UET_SES_STD_NOSOM : UET_SES_STD,
		.opcode = UET_OP_READ, .msg_id = 9, .som = !offset,
		.message_offset = offset, .request_length = 10 * MTU,
	};

	uet_ses_rsp_data(&read_rsp->rsp, &req, 1, MTU);
}

static u32 count(const struct list_head *list)
{
	const struct uet_ses_read_rsp *read_rsp;
	u32 n = 0;

	list_for_each_entry(read_rsp, list, link)
		n++;
	return n;
}

TEST(ses_read_rsp__goes_out_in_order_and_comes_back)
{
	struct uet_pdc pdc = { .space = 2 };
	struct uet_ses_read_rsp read_rsp[3];
	struct uet_ses ses;
	LIST_HEAD(read_rsps);
	LIST_HEAD(done);
	u32 i;

	uet_ses_init(&ses);
	for (i = 0; i < 3; i++) {
		read_rsp_init(&read_rsp[i], i * MTU);
		uet_ses_read_rsp_queue(&ses, &read_rsp[i], 1);
	}
	EXPECT_FALSE(uet_ses_is_idle(&ses));
	uet_ses_pump(&ses, &pdc, 0);
	EXPECT_TRUE(pdc.is_held);
	ASSERT_EQ(pdc.nr, 2);
	EXPECT_PTR_EQ(pdc.pkt[0].msg, &read_rsp[0]);
	EXPECT_EQ(pdc.pkt[1].offset, MTU);
	EXPECT_EQ(pdc.pkt[1].len, MTU);
	EXPECT_EQ(pdc.pkt[1].next_hdr, UET_NH_RSP_DATA);
	EXPECT_TRUE(uet_ses_is_read_rsp(&pdc.pkt[1]));
	EXPECT_EQ(pdc.pkt[1].flags, 0);
	pdc.space = 3;
	uet_ses_pump(&ses, &pdc, 0);
	/* Only behind the last one an ACK is asked for. */
	EXPECT_EQ(pdc.pkt[2].flags, UET_PKT_TAIL);

	for (i = 0; i < 3; i++)
		pdc.up[pdc.up_nr++] = (struct uet_pdc_up){
			.kind = i ? UET_UP_ACKED : UET_UP_FAILED,
			.pkt = pdc.pkt[i],
		};
	uet_ses_reap(&ses, &pdc, &done);
	EXPECT_TRUE(list_empty(&done));
	uet_ses_take_read_rsp(&ses, &read_rsps);
	EXPECT_EQ(count(&read_rsps), 3);
	EXPECT_TRUE(uet_ses_is_idle(&ses));
	uet_ses_pump(&ses, &pdc, 0);
	EXPECT_FALSE(pdc.is_held);
}

TEST(ses_read_rsp__is_bounded)
{
	static struct uet_ses_read_rsp read_rsp[UET_SES_READ_RSP_MAX];
	struct uet_ses ses;
	LIST_HEAD(read_rsps);
	LIST_HEAD(done);
	u32 i;

	uet_ses_init(&ses);
	for (i = 0; i < UET_SES_READ_RSP_MAX; i++) {
		EXPECT_GT(uet_ses_read_rsp_space(&ses), 0);
		uet_ses_read_rsp_queue(&ses, &read_rsp[i], 1);
	}
	EXPECT_EQ(uet_ses_read_rsp_space(&ses), 0);
	/* A failed PDC returns its unsent responses, some in each call. */
	EXPECT_FALSE(uet_ses_fail(&ses, UET_PDC_ERR_ABORT, &done));
	uet_ses_take_read_rsp(&ses, &read_rsps);
	EXPECT_EQ(count(&read_rsps), UET_SES_FAIL_MAX);
	for (i = 1; !uet_ses_fail(&ses, UET_PDC_ERR_ABORT, &done); i++)
		uet_ses_take_read_rsp(&ses, &read_rsps);
	uet_ses_take_read_rsp(&ses, &read_rsps);
	EXPECT_EQ(i, UET_SES_READ_RSP_MAX / UET_SES_FAIL_MAX - 1);
	EXPECT_EQ(count(&read_rsps), UET_SES_READ_RSP_MAX);
	EXPECT_GT(uet_ses_read_rsp_space(&ses), 0);
}

/* ------------------------------------------------------------------------- runs */

/* The packets of a double, and the outcomes of the first @n, in order. */
static void note(struct uet_pdc *pdc, struct uet_ses *ses, u32 first, u32 n,
		 struct list_head *read_rsps)
{
	LIST_HEAD(done);

	for (pdc->up_nr = 0, pdc->up_next = 0; n; n--)
		pdc->up[pdc->up_nr++] = (struct uet_pdc_up){
			.kind = UET_UP_ACKED, .pkt = pdc->pkt[first++],
		};
	uet_ses_reap(ses, pdc, &done);
	uet_ses_take_read_rsp(ses, read_rsps);
}

/*
 * @runs read responses of @n packets each, and the same as single ones, are the same packets
 * for the PDC, however little space it has.
 */
static void expect_same(u32 runs, u32 n, unsigned int space)
{
	struct uet_pdc a = { .space = 0 }, b = { .space = 0 };
	struct uet_ses_read_rsp run[4], single[64];
	struct uet_ses_rsp rsp_a, rsp_b;
	struct uet_ses ses_a, ses_b;
	u32 i;

	uet_ses_init(&ses_a);
	uet_ses_init(&ses_b);
	for (i = 0; i < runs; i++) {
		read_rsp_init(&run[i], i * n * MTU);
		uet_ses_read_rsp_queue(&ses_a, &run[i], n);
	}
	for (i = 0; i < runs * n; i++) {
		read_rsp_init(&single[i], i * MTU);
		uet_ses_read_rsp_queue(&ses_b, &single[i], 1);
	}
	EXPECT_EQ(ses_a.nr_read_rsps, ses_b.nr_read_rsps);
	EXPECT_EQ(uet_ses_read_rsp_space(&ses_a), UET_SES_READ_RSP_MAX - runs * n);
	while (b.nr < runs * n) {
		a.space += space;
		b.space += space;
		uet_ses_pump(&ses_a, &a, 0);
		uet_ses_pump(&ses_b, &b, 0);
		ASSERT_EQ(a.nr, b.nr);
	}
	for (i = 0; i < runs * n; i++) {
		uet_ses_read_rsp_header(&a.pkt[i], &rsp_a);
		uet_ses_read_rsp_header(&b.pkt[i], &rsp_b);
		EXPECT_TRUE(!memcmp(&rsp_a, &rsp_b, sizeof(rsp_a)));
		EXPECT_PTR_EQ(a.pkt[i].msg, &run[i / n]);
		EXPECT_EQ(a.pkt[i].offset, b.pkt[i].offset);
		EXPECT_EQ(a.pkt[i].len, b.pkt[i].len);
		EXPECT_EQ(a.pkt[i].flags, b.pkt[i].flags);
		EXPECT_EQ(a.pkt[i].next_hdr, b.pkt[i].next_hdr);
	}
}

TEST(ses_read_rsp__a_run_equals_single_responses)
{
	static const unsigned int spaces[] = { 1, 2, 7, 64 };
	u32 runs, n, i;

	for (runs = 1; runs <= 4; runs++)
		for (n = 1; n <= 16; n++)
			for (i = 0; i < ARRAY_SIZE(spaces); i++)
				expect_same(runs, n, spaces[i]);
}

/* Packets count for the limit until they are answered, each by itself. */
TEST(ses_read_rsp__a_run_comes_back_with_its_last_packet)
{
	struct uet_pdc pdc = { .space = 3 };
	struct uet_ses_read_rsp read_rsp;
	struct uet_ses ses;
	LIST_HEAD(read_rsps);

	uet_ses_init(&ses);
	read_rsp_init(&read_rsp, 0);
	uet_ses_read_rsp_queue(&ses, &read_rsp, 5);
	uet_ses_pump(&ses, &pdc, 0);
	ASSERT_EQ(pdc.nr, 3);
	note(&pdc, &ses, 0, 3, &read_rsps);
	EXPECT_EQ(count(&read_rsps), 0);
	EXPECT_EQ(ses.nr_read_rsps, 2);
	pdc.space = 5;
	uet_ses_pump(&ses, &pdc, 0);
	ASSERT_EQ(pdc.nr, 5);
	note(&pdc, &ses, 3, 1, &read_rsps);
	EXPECT_EQ(count(&read_rsps), 0);
	EXPECT_FALSE(uet_ses_is_idle(&ses));
	note(&pdc, &ses, 4, 1, &read_rsps);
	EXPECT_EQ(count(&read_rsps), 1);
	EXPECT_EQ(ses.nr_read_rsps, 0);
	EXPECT_TRUE(uet_ses_is_idle(&ses));
}

/* A PDC that fails reports the packets that it has; the others are dropped. */
TEST(ses_read_rsp__a_run_that_was_partly_sent_fails)
{
	static const bool reaped_first[] = { false, true };
	struct uet_ses_read_rsp read_rsp;
	struct uet_ses ses;
	LIST_HEAD(done);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reaped_first); i++) {
		struct uet_pdc pdc = { .space = 3 };
		LIST_HEAD(read_rsps);

		uet_ses_init(&ses);
		read_rsp_init(&read_rsp, 0);
		uet_ses_read_rsp_queue(&ses, &read_rsp, 5);
		uet_ses_pump(&ses, &pdc, 0);
		if (reaped_first[i])
			note(&pdc, &ses, 0, 3, &read_rsps);
		EXPECT_EQ(count(&read_rsps), 0);
		uet_ses_fail(&ses, UET_PDC_ERR_ABORT, &done);
		EXPECT_EQ(ses.nr_read_rsps, reaped_first[i] ? 0 : 3);
		if (!reaped_first[i])
			note(&pdc, &ses, 0, 3, &read_rsps);
		uet_ses_take_read_rsp(&ses, &read_rsps);
		EXPECT_EQ(count(&read_rsps), 1);
		EXPECT_TRUE(uet_ses_is_idle(&ses));
	}
}
