// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_tx.c: which messages of a PDC that its peer has refused are sent
 * on another PDC.
 */
#include "sestx.h"

#define KEY		0x1234
#define SAFE_KEY	(KEY | UET_KEY_IDEMPOTENT_SAFE)

static void lose(struct bench *b, unsigned int i, bool is_unexecuted)
{
	bench_lose(b, i, UET_PDC_ERR_NACK, UET_NACK_INV_DPDCID);
	b->pdc.up[b->pdc.up_nr - 1].is_unexecuted = is_unexecuted;
}

static void end(struct bench *b)
{
	uet_ses_reap(&b->ses, &b->pdc, &b->done);
	uet_ses_fail(&b->ses, UET_PDC_ERR_NACK, &b->done);
}

/*
 * A message of two packets with a memory key, whose PDC fails; the first packet was refused
 * or lost.
 */
static bool repeats_to(u64 key, u8 opcode, bool has_hdata, bool is_unexecuted,
		       bool is_acked)
{
	struct uet_ses_tx tx;
	struct bench b;

	bench_init(&b);
	msg_init(&tx, 2 * MTU);
	tx.opcode = opcode;
	tx.match = key;
	tx.has_hdata = has_hdata;
	tx.read.want = opcode == UET_OP_READ ? tx.length : 0;
	uet_ses_tx_queue(&b.ses, &tx);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	EXPECT_EQ(b.pdc.nr, 2u);
	lose(&b, 0, is_unexecuted);
	if (is_acked)
		bench_answer(&b, 1, UET_RSP_DEFAULT, UET_RC_OK);
	else
		lose(&b, 1, false);
	end(&b);
	EXPECT_TRUE(bench_is_done(&b, &tx));
	EXPECT_EQ(uet_ses_errno(&tx), -ECONNRESET);
	return uet_ses_tx_may_repeat(&tx);
}

static bool repeats(u8 opcode, bool has_hdata, bool is_unexecuted, bool is_acked)
{
	return repeats_to(KEY, opcode, has_hdata, is_unexecuted, is_acked);
}

TEST(ses_tx_repeat__message_without_its_first_packet_is_repeated)
{
	EXPECT_TRUE(repeats(UET_OP_SEND, true, true, false));
	EXPECT_TRUE(repeats(UET_OP_TAGGED_SEND, false, true, false));
}

/* Each packet of a WRITE is executed on its own, whether the first one arrives or not. */
TEST(ses_tx_repeat__write_is_repeated_if_no_packet_of_it_was_executed)
{
	struct uet_ses_tx tx;
	struct bench b;

	EXPECT_FALSE(repeats(UET_OP_WRITE, true, true, false));
	bench_init(&b);
	msg_init(&tx, 2 * MTU);
	tx.opcode = UET_OP_WRITE;
	tx.match = KEY;
	uet_ses_tx_queue(&b.ses, &tx);
	uet_ses_pump(&b.ses, &b.pdc, 0);
	lose(&b, 0, true);
	lose(&b, 1, true);
	end(&b);
	EXPECT_TRUE(uet_ses_tx_may_repeat(&tx));
}

TEST(ses_tx_repeat__message_that_may_have_been_executed_is_not_repeated)
{
	EXPECT_FALSE(repeats(UET_OP_SEND, false, false, false));
	EXPECT_FALSE(repeats(UET_OP_TAGGED_SEND, false, false, false));
	EXPECT_FALSE(repeats(UET_OP_WRITE, true, false, false));
	EXPECT_FALSE(repeats(UET_OP_SEND, false, true, true));
}

/* Its ACK was lost: a second execution would overwrite what came after the first. */
TEST(ses_tx_repeat__write_that_may_have_been_executed_is_not_repeated)
{
	EXPECT_FALSE(repeats(UET_OP_WRITE, false, false, false));
	EXPECT_FALSE(repeats_to(SAFE_KEY, UET_OP_WRITE, true, false, false));
}

TEST(ses_tx_repeat__read_and_write_to_a_safe_region_are_the_same_twice)
{
	EXPECT_TRUE(repeats(UET_OP_READ, false, false, false));
	EXPECT_TRUE(repeats(UET_OP_READ, false, false, true));
	EXPECT_TRUE(repeats_to(SAFE_KEY, UET_OP_WRITE, false, false, false));
	/* Acknowledged bytes of a WRITE are freed. */
	EXPECT_FALSE(repeats_to(SAFE_KEY, UET_OP_WRITE, false, false, true));
}

TEST(ses_tx_repeat__message_without_a_packet_is_repeated_once)
{
	struct uet_ses_tx first, tx;
	struct bench b;

	bench_start(&b, &first, 1);
	b.pdc.space = 1;
	bench_send(&b, &tx, 1);
	lose(&b, 0, false);
	end(&b);
	EXPECT_FALSE(uet_ses_tx_may_repeat(&first));
	EXPECT_TRUE(uet_ses_tx_may_repeat(&tx));
	EXPECT_FALSE(uet_ses_tx_may_repeat(&tx));

	/* The other PDC fails as well. */
	bench_init(&b);
	uet_ses_tx_queue(&b.ses, &tx);
	EXPECT_EQ(tx.error, UET_PDC_OK);
	end(&b);
	EXPECT_FALSE(uet_ses_tx_may_repeat(&tx));
}

TEST(ses_tx_repeat__other_ends_are_final)
{
	struct uet_ses_tx out, part, aborted;
	struct bench b;

	bench_start(&b, &out, 1);
	bench_lose(&b, 0, UET_PDC_ERR_TIMEOUT, 0);
	b.pdc.up[0].is_unexecuted = true;
	bench_reap(&b);
	EXPECT_FALSE(uet_ses_tx_may_repeat(&out));

	bench_start(&b, &out, 1);
	bench_answer(&b, 0, UET_RSP_RESPONSE, UET_RC_NO_MATCH);
	bench_reap(&b);
	EXPECT_FALSE(uet_ses_tx_may_repeat(&out));

	bench_init(&b);
	b.pdc.space = 0;
	bench_send(&b, &part, 2 * MTU);
	part.avail = MTU;
	bench_send(&b, &aborted, 1);
	uet_ses_tx_abort(&b.ses, &aborted);
	end(&b);
	EXPECT_FALSE(uet_ses_tx_may_repeat(&part));
	EXPECT_FALSE(uet_ses_tx_may_repeat(&aborted));
}
