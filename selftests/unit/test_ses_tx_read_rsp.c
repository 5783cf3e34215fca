// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx_read_rsp.c: the queue of packets of data for a peer that reads.  The
 * PDC is a double.  Level: test.
 */
#include "../lib/sesdouble.h"
#include "../lib/utest.h"

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
		uet_ses_read_rsp_queue(&ses, &read_rsp[i]);
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
		EXPECT_TRUE(uet_ses_read_rsp_has_space(&ses));
		uet_ses_read_rsp_queue(&ses, &read_rsp[i]);
	}
	EXPECT_FALSE(uet_ses_read_rsp_has_space(&ses));
	/* A failed PDC returns its unsent responses. */
	uet_ses_fail(&ses, UET_PDC_ERR_ABORT, &done);
	uet_ses_take_read_rsp(&ses, &read_rsps);
	EXPECT_EQ(count(&read_rsps), UET_SES_READ_RSP_MAX);
	EXPECT_TRUE(uet_ses_read_rsp_has_space(&ses));
}
