// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_rx.c: reassembly in every order, each contradiction a sender can
 * put into a message, and how long a failed message is remembered.  A test
 * speaks in pieces {offset, length} and looks at what became of them.
 * Level: test.
 */
#include "sesrx.h"

/**
 * struct bench - a receiver of one message at a time
 * @ses: under test
 * @rx: the message
 * @seg: its pieces, used once each
 * @nr: how many were used
 * @why: drop reason of the last piece
 * @psn: PSN of the next piece
 */
struct bench {
	struct uet_ses ses;
	struct uet_ses_rx rx;
	struct uet_ses_seg seg[UET_PDC_WINDOW_MAX + 2];
	unsigned int nr;
	enum uet_drop why;
	u32 psn;
};

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	uet_ses_init(&b->ses);
}

/* The work of a shell with a request. */
static enum uet_ses_step bench_take(struct bench *b,
				    const struct uet_ses_req *packet, u32 len)
{
	struct uet_ses_rx *rx = uet_ses_rx_find(&b->ses, packet, b->psn++);
	struct uet_ses_seg *seg = &b->seg[b->nr++];
	struct uet_ses_req req = *packet;

	uet_ses_rx_mark_end(&req, len, MTU);
	if (!rx) {
		rx = &b->rx;
		uet_ses_rx_start(&b->ses, rx, &req);
	}
	seg->offset = 0xdead;
	seg->len = len;
	return uet_ses_rx_seg(&b->ses, rx, &req, seg, &b->why);
}

static enum uet_ses_step bench_piece(struct bench *b, u32 total, u32 offset,
				     u32 len)
{
	struct uet_ses_req req = req_piece(total, offset, len);

	return bench_take(b, &req, len);
}

/* Are the pieces from @from on all there, in order and without gap? */
static bool bench_is_whole(struct bench *b, u32 total)
{
	struct uet_ses_seg *seg;
	LIST_HEAD(segs);
	u32 at = b->rx.taken;

	uet_ses_rx_take(&b->rx, &segs);
	list_for_each_entry(seg, &segs, link) {
		if (seg->offset != at)
			return false;
		at += seg->len;
	}
	return at == total && b->rx.taken == total && list_empty(&b->rx.segs);
}

/* ------------------------------------------------------- a packet not processed */

TEST(ses_rx_begun__names_the_message_in_progress)
{
	struct uet_ses_req req = req_piece(3 * MTU, MTU, MTU);
	struct bench b;

	bench_init(&b);
	EXPECT_NULL(uet_ses_rx_begun(&b.ses, &req, 1));
	bench_piece(&b, 3 * MTU, 0, MTU);
	EXPECT_TRUE(uet_ses_rx_begun(&b.ses, &req, 1) == &b.rx);
	uet_ses_rx_fail(&b.rx, UET_RC_UNCOR);
	EXPECT_NULL(uet_ses_rx_begun(&b.ses, &req, 2));
}

TEST(ses_rx_begun__id_of_another_direction_names_none)
{
	static const u8 opcodes[] = { UET_OP_NO_OP, UET_OP_DEFERRABLE_RTR };
	struct uet_ses_req req = req_piece(3 * MTU, MTU, MTU);
	struct bench b;
	u32 i;

	bench_init(&b);
	bench_piece(&b, 3 * MTU, 0, MTU);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		req.opcode = opcodes[i];
		EXPECT_NULL(uet_ses_rx_begun(&b.ses, &req, 1));
	}
}

/* ----------------------------------------------------------------- the good case */

TEST(ses_rx__empty_message_completes)
{
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 0, 0, 0), UET_SES_DONE);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
	EXPECT_TRUE(b.rx.has_som);
	EXPECT_TRUE(uet_ses_is_idle(&b.ses));
	EXPECT_TRUE(bench_is_whole(&b, 0));
}

TEST(ses_rx__one_short_packet_completes)
{
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 1, 0, 1), UET_SES_DONE);
	EXPECT_EQ(b.rx.req.header_data, 4711ULL);
	EXPECT_TRUE(bench_is_whole(&b, 1));
}

TEST(ses_rx__pieces_in_order_complete)
{
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 2 * MTU + 7, 0, MTU), UET_SES_MORE);
	EXPECT_FALSE(uet_ses_is_idle(&b.ses));
	EXPECT_EQ(bench_piece(&b, 2 * MTU + 7, MTU, MTU), UET_SES_MORE);
	EXPECT_EQ(bench_piece(&b, 2 * MTU + 7, 2 * MTU, 7), UET_SES_DONE);
	EXPECT_EQ(b.why, UET_DROP_NONE);
	EXPECT_EQ(b.rx.received, 2u * MTU + 7);
	EXPECT_TRUE(bench_is_whole(&b, 2 * MTU + 7));
}

TEST(ses_rx__every_order_of_four_pieces_completes)
{
	static const u32 len[4] = { MTU, MTU, MTU, 9 };
	const u32 total = 3 * MTU + 9;
	unsigned int code, i, k;
	struct bench b;

	for (code = 0; code < 256; code++) {
		unsigned int order[4] = { code & 3, code >> 2 & 3,
					  code >> 4 & 3, code >> 6 };
		bool is_permutation = true;

		for (i = 0; i < 4; i++)
			for (k = 0; k < i; k++)
				is_permutation &= order[i] != order[k];
		if (!is_permutation)
			continue;
		bench_init(&b);
		for (i = 0; i < 4; i++)
			EXPECT_EQ(bench_piece(&b, total, order[i] * MTU,
					      len[order[i]]),
				  i < 3 ? UET_SES_MORE : UET_SES_DONE);
		EXPECT_EQ(b.rx.req.header_data, 4711ULL);
		EXPECT_TRUE(b.rx.req.hd);
		EXPECT_TRUE(bench_is_whole(&b, total));
	}
}

/* A sender that sets eom nowhere, or not in a message of one packet. */
TEST(ses_rx__last_byte_without_eom_completes)
{
	static const u32 order[] = { 2, 0, 1 };
	const u32 total = 2 * MTU + 7;
	struct uet_ses_req req;
	struct bench b;
	u32 i, offset;

	bench_init(&b);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		offset = order[i] * MTU;
		req = req_piece(total, offset, min(total - offset, (u32)MTU));
		req.eom = false;
		EXPECT_EQ(bench_take(&b, &req, min(total - offset, (u32)MTU)),
			  i < 2 ? UET_SES_MORE : UET_SES_DONE);
	}
	EXPECT_TRUE(bench_is_whole(&b, total));

	for (i = 0; i < 2; i++) {
		req = req_piece(i * 100, 0, i * 100);
		req.eom = false;
		bench_init(&b);
		EXPECT_EQ(bench_take(&b, &req, i * 100), UET_SES_DONE);
		EXPECT_TRUE(bench_is_whole(&b, i * 100));
	}
}

TEST(ses_rx_mark_end__only_the_last_byte_ends_a_message)
{
	struct uet_ses_req req = req_piece(8 * MTU, 6 * MTU, MTU);

	uet_ses_rx_mark_end(&req, MTU, MTU);
	EXPECT_FALSE(req.eom);
	req.message_offset = U32_MAX;
	uet_ses_rx_mark_end(&req, MTU, MTU);
	EXPECT_FALSE(req.eom);
	/* An early eom is not corrected. */
	req = req_piece(8 * MTU, 6 * MTU, MTU);
	req.eom = true;
	uet_ses_rx_mark_end(&req, MTU, MTU);
	EXPECT_TRUE(req.eom);
	/* A message without id is one packet, with eom or without. */
	req = req_piece(100, 0, 100);
	req.msg_id = 0;
	req.eom = false;
	uet_ses_rx_mark_end(&req, 100, MTU);
	EXPECT_EQ(uet_ses_rx_supported(&req, UET_DROP_NONE), UET_RC_OK);
}

TEST(ses_rx__largest_message_does_not_overflow)
{
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, U32_MAX, U32_MAX - 1023, 1023), UET_SES_MORE);
	EXPECT_EQ(bench_piece(&b, U32_MAX, 0, MTU), UET_SES_MORE);
	EXPECT_EQ(b.rx.received, 1023u + MTU);
}

TEST(ses_rx__prefix_can_be_read_before_the_end)
{
	struct uet_ses_seg *seg;
	LIST_HEAD(segs);
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 4 * MTU, MTU, MTU);
	uet_ses_rx_take(&b.rx, &segs);
	EXPECT_TRUE(list_empty(&segs));

	bench_piece(&b, 4 * MTU, 0, MTU);
	bench_piece(&b, 4 * MTU, 3 * MTU, MTU);
	uet_ses_rx_take(&b.rx, &segs);
	EXPECT_EQ(b.rx.taken, 2u * MTU);
	seg = list_first_entry(&segs, struct uet_ses_seg, link);
	EXPECT_EQ(seg->offset, 0u);
	EXPECT_EQ(list_last_entry(&segs, struct uet_ses_seg, link)->offset,
		  (u32)MTU);

	EXPECT_EQ(bench_piece(&b, 4 * MTU, 2 * MTU, MTU), UET_SES_DONE);
	EXPECT_TRUE(bench_is_whole(&b, 4 * MTU));
}

TEST(ses_rx__messages_are_distinguished_by_id)
{
	struct uet_ses_req a = req_piece(2 * MTU, 0, MTU);
	struct uet_ses_req c = a;
	struct uet_ses_rx rx[2];
	struct uet_ses_seg seg[2];
	enum uet_drop why;
	struct uet_ses ses;

	uet_ses_init(&ses);
	c.msg_id = 6;
	seg[0].len = MTU;
	seg[1].len = MTU;
	EXPECT_NULL(uet_ses_rx_find(&ses, &a, 0));
	uet_ses_rx_start(&ses, &rx[0], &a);
	uet_ses_rx_seg(&ses, &rx[0], &a, &seg[0], &why);
	EXPECT_NULL(uet_ses_rx_find(&ses, &c, 0));
	uet_ses_rx_start(&ses, &rx[1], &c);
	uet_ses_rx_seg(&ses, &rx[1], &c, &seg[1], &why);

	EXPECT_TRUE(uet_ses_rx_find(&ses, &a, 0) == &rx[0]);
	EXPECT_TRUE(uet_ses_rx_find(&ses, &c, 0) == &rx[1]);
	EXPECT_EQ(ses.nr_rx, 2u);
	uet_ses_rx_drop(&ses, &rx[0]);
	EXPECT_NULL(uet_ses_rx_find(&ses, &a, 0));
	EXPECT_EQ(ses.nr_rx, 1u);
}

TEST(ses_rx__messages_without_id_are_never_found)
{
	struct uet_ses_req req = req_piece(1, 0, 1);
	struct bench b;

	bench_init(&b);
	req.msg_id = 0;
	EXPECT_EQ(bench_take(&b, &req, 1), UET_SES_DONE);
	uet_ses_rx_start(&b.ses, &b.rx, &req);
	EXPECT_NULL(uet_ses_rx_find(&b.ses, &req, 0));
}

/* ------------------------------------------------------------------ contradictions */

/* Two good pieces, then @req: must fail the message for @why. */
static void contradict(struct uet_ses_req req, u32 len, enum uet_drop why)
{
	LIST_HEAD(segs);
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 8 * MTU, 0, MTU);
	bench_piece(&b, 8 * MTU, 2 * MTU, MTU);
	EXPECT_EQ(bench_take(&b, &req, len), UET_SES_ERROR);
	EXPECT_EQ(b.why, why);
	EXPECT_TRUE(b.rx.failed);
	EXPECT_EQ(b.rx.rc, UET_RC_UNCOR);

	uet_ses_rx_take_all(&b.rx, &segs);
	EXPECT_FALSE(list_empty(&segs));
	EXPECT_TRUE(list_empty(&b.rx.segs));
}

TEST(ses_rx__length_may_not_change)
{
	contradict(req_piece(8 * MTU + 1, MTU, MTU), MTU,
		   UET_DROP_SES_LENGTH_CHANGED);
}

TEST(ses_rx__header_may_not_change)
{
	struct uet_ses_req req = req_piece(8 * MTU, MTU, MTU);
	struct uet_ses_req bad;

	bad = req;
	bad.opcode = UET_OP_DEFERRABLE_SEND;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.rel = false;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.job++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.pid++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.ri++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.ri_gen++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.initiator++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.match++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
	bad = req;
	bad.offset++;
	contradict(bad, MTU, UET_DROP_SES_HDR_CHANGED);
}

TEST(ses_rx__wrong_som_fails_the_message)
{
	struct uet_ses_req req = req_piece(8 * MTU, 0, MTU);

	/* Once more, and offset 0 without it. */
	contradict(req, MTU, UET_DROP_SES_SOM_WRONG);
	req.som = false;
	req.form = UET_SES_STD_NOSOM;
	contradict(req, MTU, UET_DROP_SES_SOM_WRONG);
}

TEST(ses_rx__wrong_eom_fails_the_message)
{
	struct uet_ses_req req = req_piece(8 * MTU, MTU, MTU);

	req.eom = true;
	contradict(req, MTU, UET_DROP_SES_EOM_WRONG);
}

TEST(ses_rx__bytes_beyond_the_end_fail_the_message)
{
	struct uet_ses_req req = req_piece(8 * MTU, 7 * MTU, 2 * MTU);

	contradict(req, 2 * MTU, UET_DROP_SES_BEYOND_LENGTH);
	contradict(req_piece(8 * MTU, 9 * MTU, MTU), MTU,
		   UET_DROP_SES_BEYOND_LENGTH);
	contradict(req_piece(8 * MTU, U32_MAX, MTU), MTU,
		   UET_DROP_SES_BEYOND_LENGTH);
}

TEST(ses_rx__overlap_fails_the_message)
{
	contradict(req_piece(8 * MTU, 2 * MTU, MTU), MTU, UET_DROP_SES_OVERLAP);
}

/* Both packets claim to be the last one, where nothing tells the grid yet. */
TEST(ses_rx__second_end_fails_the_message)
{
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 8 * MTU, 8 * MTU - 200, 200), UET_SES_MORE);

	EXPECT_EQ(bench_piece(&b, 8 * MTU, 8 * MTU - 100, 100), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_OVERLAP);
}

/* The search for the place of a piece is bounded by the packets that can overtake it. */
TEST(ses_rx__disorder_beyond_a_window_fails_the_message)
{
	const u32 total = (UET_PDC_WINDOW_MAX + 2) * MTU;
	struct bench b;
	u32 i;

	bench_init(&b);
	for (i = UET_PDC_WINDOW_MAX + 1; i; i--)
		EXPECT_EQ(bench_piece(&b, total, i * MTU, MTU), UET_SES_MORE);
	EXPECT_EQ(bench_piece(&b, total, 0, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_DISORDER);

	bench_init(&b);
	for (i = UET_PDC_WINDOW_MAX; i; i--)
		EXPECT_EQ(bench_piece(&b, total, i * MTU, MTU), UET_SES_MORE);
	EXPECT_EQ(bench_piece(&b, total, 0, MTU), UET_SES_MORE);
}

TEST(ses_rx__overlap_with_delivered_bytes_fails)
{
	LIST_HEAD(segs);
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 8 * MTU, 0, MTU);
	bench_piece(&b, 8 * MTU, MTU, MTU);
	uet_ses_rx_take(&b.rx, &segs);

	EXPECT_EQ(bench_piece(&b, 8 * MTU, MTU, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_OVERLAP);
}

TEST(ses_rx__pieces_are_full_packets)
{
	/* Empty, shorter, longer, off the grid. */
	contradict(req_piece(8 * MTU, MTU, 0), 0, UET_DROP_SES_SHORT_SEGMENT);
	contradict(req_piece(8 * MTU, MTU, MTU - 1), MTU - 1,
		   UET_DROP_SES_SHORT_SEGMENT);
	contradict(req_piece(8 * MTU, 4 * MTU, 2 * MTU), 2 * MTU,
		   UET_DROP_SES_SHORT_SEGMENT);
	contradict(req_piece(8 * MTU, 3 * MTU + 1, MTU), MTU,
		   UET_DROP_SES_SHORT_SEGMENT);
	contradict(req_piece(8 * MTU, 8 * MTU - 1, 1), 1,
		   UET_DROP_SES_SHORT_SEGMENT);
	contradict(req_piece(8 * MTU, 6 * MTU, 2 * MTU), 2 * MTU,
		   UET_DROP_SES_SHORT_SEGMENT);
}

/* SUET over UDP has segments of 1416 bytes. */
TEST(ses_rx__pieces_of_a_peer_may_have_any_size)
{
	static const u16 sizes[] = { 256, 968, 1416, 1992, 4040, 8191 };
	struct bench b;
	u32 i, at, length = 50000;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		bench_init(&b);
		for (at = 0; at + sizes[i] < length; at += sizes[i])
			EXPECT_EQ(bench_piece(&b, length, at, sizes[i]),
				  UET_SES_MORE);
		EXPECT_EQ(bench_piece(&b, length, at, length - at), UET_SES_DONE);
	}
}

TEST(ses_rx__first_piece_is_at_least_the_smallest_segment)
{
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 8 * MTU, 0, 255), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_SHORT_SEGMENT);
	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 8 * 8193, 0, 8193), UET_SES_ERROR);
	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 8193, 0, 8193), UET_SES_ERROR);
	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 8 * 8192, 8192, 8192), UET_SES_MORE);
	EXPECT_EQ(b.rx.mtu, 8192);
}

TEST(ses_rx__last_piece_first_must_fit_the_mtu_learnt_later)
{
	struct bench b;

	/* Its offset is no multiple of the size of a full packet. */
	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 3 * MTU + 5, 3 * MTU, 5), UET_SES_MORE);
	EXPECT_EQ(bench_piece(&b, 3 * MTU + 5, 0, 2 * MTU), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_SHORT_SEGMENT);

	/* It is larger than a full packet. */
	bench_init(&b);
	EXPECT_EQ(bench_piece(&b, 4 * MTU, 2 * MTU, 2 * MTU), UET_SES_MORE);
	EXPECT_EQ(bench_piece(&b, 4 * MTU, 0, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_SHORT_SEGMENT);
}

TEST(ses_rx__early_end_fails_the_message)
{
	struct uet_ses_req req = req_piece(8 * MTU, 0, MTU);
	struct bench b;

	bench_init(&b);
	req.eom = true;
	EXPECT_EQ(bench_take(&b, &req, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_EOM_WRONG);
	/* It was its only packet: there is nothing to remember. */
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
}

/* --------------------------------------------------------------- failed messages */

TEST(ses_rx__failed_message_is_kept_until_its_last_byte)
{
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 4 * MTU, 0, MTU);
	EXPECT_EQ(bench_piece(&b, 4 * MTU, 0, MTU), UET_SES_ERROR);
	EXPECT_TRUE(uet_ses_rx_is_linked(&b.rx));
	EXPECT_EQ(bench_piece(&b, 4 * MTU, MTU, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_MSG_FAILED);
	EXPECT_EQ(b.rx.rc, UET_RC_UNCOR);
	EXPECT_TRUE(uet_ses_rx_is_linked(&b.rx));
	EXPECT_EQ(bench_piece(&b, 4 * MTU, 2 * MTU, MTU), UET_SES_ERROR);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
	EXPECT_EQ(b.ses.nr_rx, 0u);
}

TEST(ses_rx__hostile_byte_counts_do_not_wrap)
{
	struct bench b;

	bench_init(&b);
	bench_piece(&b, U32_MAX, 0, MTU);
	uet_ses_rx_fail(&b.rx, UET_RC_BAD_PID);
	b.rx.received = U32_MAX - 5;
	EXPECT_EQ(bench_piece(&b, U32_MAX, MTU, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.rx.received, U32_MAX);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
}

TEST(ses_rx__caller_may_fail_a_message)
{
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 4 * MTU, 0, MTU);
	uet_ses_rx_fail(&b.rx, UET_RC_BAD_PID);
	uet_ses_rx_fail(&b.rx, UET_RC_CANCELLED);

	EXPECT_EQ(bench_piece(&b, 4 * MTU, MTU, MTU), UET_SES_ERROR);
	EXPECT_EQ(b.rx.rc, UET_RC_BAD_PID);
}

TEST(ses_rx__oldest_failed_message_is_evicted)
{
	static struct uet_ses_rx rx[UET_SES_RX_MAX];
	struct uet_ses_req req = req_piece(4 * MTU, 0, MTU);
	struct uet_ses ses;
	unsigned int i;

	uet_ses_init(&ses);
	for (i = 0; i < UET_SES_RX_MAX; i++) {
		EXPECT_TRUE(uet_ses_rx_has_space(&ses));
		req.msg_id = i + 1;
		uet_ses_rx_start(&ses, &rx[i], &req);
	}
	EXPECT_FALSE(uet_ses_rx_has_space(&ses));
	EXPECT_NULL(uet_ses_rx_evict(&ses));

	uet_ses_rx_fail(&rx[3], UET_RC_UNCOR);
	uet_ses_rx_fail(&rx[9], UET_RC_UNCOR);
	req.msg_id = 4;
	EXPECT_TRUE(uet_ses_rx_find(&ses, &req, 0) == &rx[3]);
	EXPECT_TRUE(uet_ses_rx_evict(&ses) == &rx[9]);
	EXPECT_FALSE(uet_ses_rx_is_linked(&rx[9]));
	EXPECT_TRUE(uet_ses_rx_has_space(&ses));
	EXPECT_TRUE(uet_ses_rx_evict(&ses) == &rx[3]);
	EXPECT_NULL(uet_ses_rx_evict(&ses));
}

/* A message of four packets that failed as too long after its first one. */
static void bench_too_long(struct bench *b)
{
	bench_init(b);
	bench_piece(b, 4 * MTU, 0, MTU);
	uet_ses_rx_fail(&b->rx, UET_RC_TOO_LONG);
}

/* Message ids have 16 bits: they come back while the record is still there. */
TEST(ses_rx__id_of_a_failed_message_is_free_a_window_later)
{
	struct uet_ses_req req = req_piece(4 * MTU, MTU, MTU);
	struct bench b;

	bench_too_long(&b);
	EXPECT_TRUE(uet_ses_rx_find(&b.ses, &req, UET_PDC_WINDOW_MAX) == &b.rx);
	EXPECT_TRUE(uet_ses_rx_find(&b.ses, &req, 2 * UET_PDC_WINDOW_MAX) ==
		    &b.rx);
	EXPECT_NULL(uet_ses_rx_find(&b.ses, &req, 3 * UET_PDC_WINDOW_MAX + 1));
	EXPECT_NULL(uet_ses_rx_find(&b.ses, &req, 65535));
}

/* PSNs begin anywhere, also for a message whose first packet fails it. */
TEST(ses_rx__a_failed_message_is_found_by_psns_near_its_first)
{
	const u32 psn = 5 * UET_PDC_WINDOW_MAX;
	struct uet_ses_req req = req_piece(4 * MTU, 0, MTU);
	struct bench b;

	bench_init(&b);
	EXPECT_NULL(uet_ses_rx_find(&b.ses, &req, psn));
	uet_ses_rx_start(&b.ses, &b.rx, &req);
	uet_ses_rx_fail(&b.rx, UET_RC_TOO_LONG);
	req = req_piece(4 * MTU, MTU, MTU);
	EXPECT_PTR_EQ(uet_ses_rx_find(&b.ses, &req, psn + 1), &b.rx);
}

TEST(ses_rx__second_first_packet_begins_another_message)
{
	struct uet_ses_req req = req_piece(MTU, 0, MTU);
	struct bench b;

	bench_too_long(&b);
	EXPECT_NULL(uet_ses_rx_find(&b.ses, &req, b.psn));
}

/* The message that has the id now is found, and the record is not. */
TEST(ses_rx__message_with_the_id_of_a_failed_one_completes)
{
	struct uet_ses_req req = req_piece(2 * MTU, MTU, MTU);
	struct uet_ses_seg seg = { .len = MTU }, last = { .len = MTU };
	struct uet_ses_rx good;
	enum uet_drop why;
	struct bench b;

	bench_too_long(&b);
	EXPECT_NULL(uet_ses_rx_find(&b.ses, &req, 65536));
	uet_ses_rx_start(&b.ses, &good, &req);
	EXPECT_EQ(uet_ses_rx_seg(&b.ses, &good, &req, &last, &why), UET_SES_MORE);
	req = req_piece(2 * MTU, 0, MTU);
	EXPECT_TRUE(uet_ses_rx_find(&b.ses, &req, 65535) == &good);
	EXPECT_EQ(uet_ses_rx_seg(&b.ses, &good, &req, &seg, &why), UET_SES_DONE);
	EXPECT_TRUE(uet_ses_rx_evict(&b.ses) == &b.rx);
}

TEST(ses_rx__packets_before_the_latest_one_still_find_a_failed_message)
{
	struct uet_ses_req req = req_piece(4 * MTU, MTU, MTU);
	struct bench b;

	bench_too_long(&b);
	EXPECT_TRUE(uet_ses_rx_find(&b.ses, &req, 700) == &b.rx);
	EXPECT_TRUE(uet_ses_rx_find(&b.ses, &req, 3) == &b.rx);
}

/* ---------------------------------------------------------------------- MSG_ERROR */

static struct uet_ses_req req_error(u32 total, u32 valid)
{
	struct uet_ses_req req = req_piece(total, valid, 0);

	req.opcode = UET_OP_MSG_ERROR;
	req.eom = true;
	return req;
}

TEST(ses_rx__sender_gives_up_after_all_it_sent_came)
{
	struct uet_ses_req err = req_error(4 * MTU, MTU);
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 4 * MTU, 0, MTU);
	EXPECT_EQ(bench_take(&b, &err, 0), UET_SES_IGNORE);
	EXPECT_EQ(b.why, UET_DROP_NONE);
	EXPECT_TRUE(b.rx.failed);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
}

TEST(ses_rx__pieces_behind_the_end_are_ignored)
{
	struct uet_ses_req err = req_error(4 * MTU, 2 * MTU);
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 4 * MTU, 0, MTU);
	EXPECT_EQ(bench_take(&b, &err, 0), UET_SES_IGNORE);
	EXPECT_TRUE(uet_ses_rx_is_linked(&b.rx));
	EXPECT_EQ(bench_piece(&b, 4 * MTU, MTU, MTU), UET_SES_IGNORE);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
}

TEST(ses_rx__end_may_come_first)
{
	struct uet_ses_req err = req_error(4 * MTU, MTU);
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_take(&b, &err, 0), UET_SES_IGNORE);
	EXPECT_TRUE(uet_ses_rx_is_linked(&b.rx));
	EXPECT_EQ(bench_piece(&b, 4 * MTU, 0, MTU), UET_SES_IGNORE);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
}

TEST(ses_rx__msg_error_frees_a_failed_message)
{
	struct uet_ses_req err = req_error(4 * MTU, MTU);
	struct bench b;

	bench_init(&b);
	bench_piece(&b, 4 * MTU, 0, MTU);
	uet_ses_rx_fail(&b.rx, UET_RC_BAD_PID);
	EXPECT_EQ(bench_take(&b, &err, 0), UET_SES_ERROR);
	EXPECT_EQ(b.why, UET_DROP_SES_MSG_FAILED);
	EXPECT_FALSE(uet_ses_rx_is_linked(&b.rx));
}

TEST(ses_rx__end_beyond_the_length_is_tamed)
{
	struct uet_ses_req err = req_error(MTU, U32_MAX);
	struct bench b;

	bench_init(&b);
	EXPECT_EQ(bench_take(&b, &err, 0), UET_SES_IGNORE);
	EXPECT_EQ(b.rx.length, (u32)MTU);
}

/* ----------------------------------------------------------------- random pieces */

/* Random pieces, half of them true: whatever happens, no byte comes twice. */
TEST(ses_rx__random_pieces_never_break_the_order)
{
	unsigned int round, i;
	struct bench b;

	for (round = 0; round < 2000; round++) {
		u32 total = utest_rand() % (12 * MTU);
		u32 seen = 0;

		bench_init(&b);
		for (i = 0; i < ARRAY_SIZE(b.seg); i++) {
			u32 offset = utest_rand() % 12 * MTU;
			u32 len = min_t(u32, MTU, total - min(offset, total));
			struct uet_ses_req req = req_piece(total, offset, len);
			struct uet_ses_seg *seg;

			if (!(utest_rand() % 32))
				req.eom = !req.eom;
			if (!(utest_rand() % 32))
				len = utest_rand() % (2 * MTU);
			if (bench_take(&b, &req, len) != UET_SES_MORE)
				break;
			seen = 0;
			list_for_each_entry(seg, &b.rx.segs, link) {
				ASSERT_TRUE(seg->offset >= seen);
				seen = seg->offset + seg->len;
			}
			ASSERT_TRUE(seen <= total);
		}
		if (!b.rx.failed && !uet_ses_rx_is_linked(&b.rx))
			ASSERT_TRUE(bench_is_whole(&b, total));
	}
	EXPECT_TRUE(round == 2000);
}
