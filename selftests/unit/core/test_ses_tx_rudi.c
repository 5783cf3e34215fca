// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of what kernel/core/ses/ses_tx.c makes of messages that go by RUDI: each
 * packet a request, each answer final, in whatever order they come.
 * Spec: UE 1.0.1 3.5.10.9, uet-wire 3.14.  Level: test of core L5.
 */
#include "core/ses/ses.h"
#include "ruditest.h"

#define MTU	1024

struct bench {
	struct ruditest rudi;
	struct uet_ses ses;
	struct uet_ses_tx tx;
	struct list_head done;
};

static struct bench bench;

static struct bench *bench_send(u32 length)
{
	struct bench *b = &bench;

	memset(b, 0, sizeof(*b));
	rt_open(&b->rudi);
	uet_ses_init(&b->ses);
	INIT_LIST_HEAD(&b->done);
	b->tx.opcode = UET_OP_WRITE;
	b->tx.length = length;
	b->tx.avail = length;
	b->tx.mtu = MTU;
	uet_ses_tx_queue(&b->ses, &b->tx);
	uet_ses_pump_rudi(&b->ses, b->rudi.rudi);
	rt_run(&b->rudi);
	return b;
}

/* The outcome of request @i of those that were sent. */
static struct uet_rudi_up outcome(const struct bench *b, u32 i)
{
	return (struct uet_rudi_up){
		.kind = UET_UP_ACKED, .pkt = b->rudi.tx[i].pkt,
		.rsp = { .opcode = UET_RSP_DEFAULT, .rc = UET_RC_OK },
	};
}

static bool note(struct bench *b, const struct uet_rudi_up *up)
{
	uet_ses_note_rudi(&b->ses, up);
	uet_ses_take_done(&b->ses, &b->done);
	return !list_empty(&b->done);
}

TEST(ses_rudi__each_packet_is_a_request)
{
	static const u32 order[] = { 2, 0, 1 };
	struct bench *b = bench_send(2 * MTU + 1);
	struct uet_rudi_up up;
	u32 i;

	EXPECT_EQ(b->rudi.nr_tx, 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(b->rudi.tx[i].pkt.offset, i * MTU);
		EXPECT_EQ(!!(b->rudi.tx[i].pkt.flags & UET_PKT_SOM), !i);
		EXPECT_EQ(!!(b->rudi.tx[i].pkt.flags & UET_PKT_EOM), i == 2);
	}
	EXPECT_FALSE(uet_ses_is_idle(&b->ses));
	for (i = 0; i < 3; i++) {
		up = outcome(b, order[i]);
		EXPECT_EQ(note(b, &up), i == 2);
	}
	EXPECT_TRUE(uet_ses_is_idle(&b->ses));
	EXPECT_EQ(uet_ses_errno(&b->tx), 0);
	EXPECT_EQ(uet_ses_executed(&b->tx), 2 * MTU + 1);
	rt_close(&b->rudi);
}

/* A RUDI_RESP is the only one there will be. */
TEST(ses_rudi__no_response_is_an_answer)
{
	struct bench *b = bench_send(1);
	struct uet_rudi_up up = outcome(b, 0);

	up.rsp.opcode = UET_RSP_NO_RESPONSE;
	up.rsp.rc = UET_RC_NULL;
	EXPECT_TRUE(note(b, &up));
	EXPECT_EQ(uet_ses_errno(&b->tx), 0);
	rt_close(&b->rudi);
}

TEST(ses_rudi__an_error_stops_the_rest)
{
	const u32 window = UET_RUDI_WINDOW_DEFAULT;
	struct bench *b = bench_send(2 * window * MTU);
	struct uet_rudi_up up = outcome(b, 1);
	u32 i;

	EXPECT_EQ(b->rudi.nr_tx, window);
	up.rsp.opcode = UET_RSP_RESPONSE;
	up.rsp.rc = UET_RC_BAD_ADDR;
	EXPECT_FALSE(note(b, &up));
	EXPECT_TRUE(b->tx.is_cut);
	for (i = 0; i < window; i++) {
		up = outcome(b, i);
		if (i != 1)
			EXPECT_EQ(note(b, &up), i == window - 1);
	}
	EXPECT_EQ(uet_ses_errno(&b->tx), -EFAULT);
	EXPECT_EQ(uet_ses_reported_rc(&b->tx), UET_RC_BAD_ADDR);
	EXPECT_EQ(uet_ses_executed(&b->tx), 0);
	rt_close(&b->rudi);
}

TEST(ses_rudi__no_answer_is_an_error)
{
	struct bench *b = bench_send(2 * MTU);
	struct uet_rudi_up up = outcome(b, 0);

	EXPECT_FALSE(note(b, &up));
	up = outcome(b, 1);
	up.kind = UET_UP_FAILED;
	up.error = UET_PDC_ERR_TIMEOUT;
	EXPECT_TRUE(note(b, &up));
	EXPECT_EQ(uet_ses_errno(&b->tx), -ETIMEDOUT);
	rt_close(&b->rudi);
}
