// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tagged messages: that they are sent and read with their match bits, and
 * that each goes to the receive it is for, posted before or behind it, by tag,
 * source, ignore bits and order; at random against a model, too.  Started by
 * sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)

/* ----------------------------------------------------------------- sending */

TEST(tag__goes_with_a_tagged_send_only)
{
	struct us_pair p = us_pair();
	struct uet_op op = us_op(UET_OP_TAGGED_SEND, 1);
	struct us_control c = { .len = 0 };
	uint64_t tag = 5;

	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0), EINVAL);
	EXPECT(us_explains(p.tx, "opcode 9 (TAGGED_SEND) without UET_CMSG_TAG"));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "opcode 5 (SEND) with UET_CMSG_TAG"));
	c.len = 0;
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, 4);
	EXPECT_FAILS(us_send_control(p.tx, &c, "x", 1), EINVAL);
	EXPECT(us_explains(p.tx, "UET_CMSG_TAG has 4 bytes, not 8"));
	p = us_pair_of(SOCK_DGRAM);
	EXPECT_FAILS(us_send_tag(p.tx, 5, 1, NULL, "x", 1), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "TAGGED_SEND) is no datagram"));
}

TEST(tag__is_read_with_the_message)
{
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 3 * MTU + 7 };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	const uint64_t hdata = 0x1122334455667788;
	uint8_t *buf = us_alloc(4 * MTU), *sent;
	struct us_ctx_msg m;
	struct us_pair p;
	struct uet_ctx ctx;

	for (size_t i = 0; i < 2 * sizeof(lens) / sizeof(lens[0]); i++) {
		size_t len = lens[i / 2];

		p = us_pair_of(types[i % 2]);
		us_want_ctx(p.rx);
		sent = us_message(i, len);
		EXPECT_EQ(us_send_tag(p.tx, 0xfedcba9876543210 + i, i,
				      i & 4 ? &hdata : NULL, sent, len), len);
		EXPECT_EQ(us_recv_ctx(p.rx, &m, buf, 4 * MTU, 0), len);
		EXPECT(us_matches(buf, i, 0, len));
		ctx = us_ctx(&m);
		EXPECT_EQ(ctx.match, 0xfedcba9876543210 + i);
		EXPECT_EQ(ctx.opcode, UET_OP_TAGGED_SEND);
		EXPECT_EQ(ctx.length, len);
		EXPECT_EQ(ctx.flags, i & 4 ? UET_CTX_HDATA : 0);
		EXPECT_EQ(ctx.header_data, i & 4 ? hdata : 0);
		free(sent);
	}
}

TEST(tag__of_a_streamed_message_is_matched)
{
	struct us_pair p = us_pair();
	uint8_t *sent = us_message(3, MIB);
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 65536);
	us_set_buf(p.rx, SO_RCVBUF, 65536);
	child = CHILD(EXPECT_EQ(us_send_tag(p.tx, 1, 3, NULL, sent, MIB), MIB));
	us_expect(p.rx, 3, MIB);
	harness_join(child);
}

/* ---------------------------------------------------------------- matching */

TEST(match__is_by_tag_in_any_order)
{
	struct us_pair p = us_pair();
	struct us_mem mem[8];
	struct uet_recv_post post;
	struct uet_completion rec;

	for (int i = 0; i < 8; i++) {
		mem[i] = us_mem(p.rx, PAGE);
		post = us_want(100 + i, i, &mem[i]);
		ASSERT_SYS(us_recv_post(p.rx, &post));
	}
	us_expect_none(p.rx);
	for (int i = 7; i >= 0; i--) {
		us_tag(p.tx, i, i, 10 + i);
		rec = us_expect_recv(p.rx, 100 + i, mem[i].buf, i, 10 + i);
		EXPECT_EQ(rec.match, i);
		EXPECT_EQ(rec.opcode, UET_OP_TAGGED_SEND);
		EXPECT_EQ(rec.initiator, us_name(p.tx).suet_initiator);
		EXPECT_EQ(rec.msg_length, 10 + i);
		EXPECT_EQ(rec.delivery, UET_DELIVERY_RUD);
		EXPECT_EQ(rec.flags, UET_COMPLETION_RECV);
	}
	us_expect_none(p.rx);
}

TEST(match__all_bits_count)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(1, 0x8000000000000001, &mem);
	char buf[8];

	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, 1, 1, 1);
	us_tag(p.tx, 0x8000000000000000, 2, 2);
	EXPECT_EQ(recv(p.rx, buf, 8, 0) + recv(p.rx, buf, 8, 0), 3);
	us_expect_none(p.rx);
	us_tag(p.tx, 0x8000000000000001, 3, 3);
	us_expect_recv(p.rx, 1, mem.buf, 3, 3);
}

TEST(match__tagged_and_untagged_are_apart)
{
	struct us_pair p = us_pair();
	struct us_mem a = us_mem(p.rx, PAGE), b = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(1, 0, &a);
	struct uet_completion rec;

	post.ignore = ~0ull;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_send(p.tx, 7, 70, 0), 70);
	us_expect(p.rx, 7, 70);
	us_expect_none(p.rx);
	post = us_want_plain(2, &b);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_send(p.tx, 8, 80, 0), 80);
	rec = us_expect_recv(p.rx, 2, b.buf, 8, 80);
	EXPECT_EQ(rec.opcode, UET_OP_SEND);
	EXPECT_EQ(rec.match, 0);
	us_tag(p.tx, 12345, 9, 90);
	us_expect_recv(p.rx, 1, a.buf, 9, 90);
}

/* Two senders: one receive for each by its initiator id, and one for any. */
TEST(match__is_by_source)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint(1, UET_PID_ANY, 0);
	struct us_mem mem[3];
	struct uet_recv_post post;
	struct uet_completion rec;

	ASSERT_SYS(us_connect(other, &to));
	for (int i = 0; i < 3; i++) {
		mem[i] = us_mem(p.rx, PAGE);
		post = us_want(i, 4, &mem[i]);
		if (i < 2) {
			post.flags &= ~UET_RECV_ANY_SOURCE;
			post.initiator = us_name(i ? other : p.tx).suet_initiator;
		}
		ASSERT_SYS(us_recv_post(p.rx, &post));
	}
	us_tag(other, 4, 50, 50);
	rec = us_expect_recv(p.rx, 1, mem[1].buf, 50, 50);
	EXPECT_EQ(rec.initiator, us_name(other).suet_initiator);
	us_tag(other, 4, 51, 51);
	us_expect_recv(p.rx, 2, mem[2].buf, 51, 51);
	us_tag(other, 4, 52, 52);
	us_wait_unread(p.rx, 52);
	us_tag(p.tx, 4, 53, 53);
	rec = us_expect_recv(p.rx, 0, mem[0].buf, 53, 53);
	EXPECT_EQ(rec.initiator, us_name(p.tx).suet_initiator);
	us_expect(p.rx, 52, 52);
}

/* The first posted of the matching receives wins, whichever way it matches. */
TEST(match__follows_the_order_of_posting)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post[4];

	for (int turn = 0; turn < 4; turn++) {
		for (int i = 0; i < 4; i++) {
			int at = (i + turn) % 4;

			post[at] = us_want(i, 0xab, &mem);
			if (i == 1)
				post[at].ignore = 0xf0;
			if (i == 2)
				post[at].ignore = ~0ull;
			if (i == 3) {
				post[at].flags = UET_RECV_TAGGED;
				post[at].initiator =
					us_name(p.tx).suet_initiator;
			}
		}
		EXPECT_EQ(us_recv_posts(p.rx, post, 4), 4);
		for (int i = 0; i < 4; i++) {
			us_tag(p.tx, 0xab, i, 100);
			us_expect_recv(p.rx, post[i].cookie, mem.buf, i, 100);
		}
	}
	us_expect_none(p.rx);
}

TEST(match__ignore_bits_are_honoured)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(1, 0x1234, &mem);
	struct uet_completion rec;

	post.ignore = 0x00ff;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_tag(p.tx, 0x1334, 5, 5);
	us_wait_unread(p.rx, 5);
	us_tag(p.tx, 0x12cd, 6, 6);
	rec = us_expect_recv(p.rx, 1, mem.buf, 6, 6);
	EXPECT_EQ(rec.match, 0x12cd);
	post.ignore = ~0ull;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	rec = us_expect_recv(p.rx, 1, mem.buf, 5, 5);
	EXPECT_EQ(rec.match, 0x1334);
}

/* -------------------------------------------------------------- unexpected */

TEST(unexpected__is_taken_in_its_order)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 4 * PAGE);
	struct uet_recv_post post = us_want(77, 2, &mem);
	uint64_t tags[] = { 1, 2, 2, 3, 2 };

	for (size_t i = 0; i < 5; i++)
		us_tag(p.tx, tags[i], i, 1000 * i);
	/* 1, then 2 and 4 by tag, 3 by ignore bits; 0 is left. */
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 77, mem.buf, 1, 1000);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 77, mem.buf, 2, 2000);
	post.ignore = 1;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 77, mem.buf, 3, 3000);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 77, mem.buf, 4, 4000);
	us_expect(p.rx, 0, 0);
	us_expect_none(p.rx);
}

/* Also of the time before anybody has posted anything. */
TEST(unexpected__messages_of_two_senders_wait)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(1, 9, &mem);

	ASSERT_SYS(us_connect(other, &to));
	us_tag(p.tx, 9, 10, 10);
	us_wait_unread(p.rx, 10);
	us_tag(other, 9, 20, 20);
	us_tag(other, 9, 21, 21);
	post.flags = UET_RECV_TAGGED;
	post.initiator = us_name(other).suet_initiator;
	/* Whether it is there or comes does not matter. */
	ASSERT_SYS(us_recv_post(p.rx, &post));
	ASSERT_EQ(us_completion(p.rx).error, 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	ASSERT_EQ(us_completion(p.rx).error, 0);
	post.initiator = us_name(p.tx).suet_initiator;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 1, mem.buf, 10, 10);
	EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(unexpected__that_is_streamed_is_taken_over)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, MIB);
	struct uet_recv_post post = us_want(1, 4, &mem);
	uint8_t *sent = us_message(3, MIB);
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 65536);
	us_set_buf(p.rx, SO_RCVBUF, 65536);
	child = CHILD(EXPECT_EQ(us_send_tag(p.tx, 4, 3, NULL, sent, MIB), MIB));
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 1, mem.buf, 3, MIB);
	harness_join(child);
	EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT), EAGAIN);
}

/* A message that a reader has begun belongs to that reader. */
TEST(unexpected__that_was_begun_is_not_taken_over)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, MIB);
	struct uet_recv_post post = us_want(1, 4, &mem);
	uint8_t *buf = us_alloc(MIB), *sent = us_message(3, MIB);
	size_t got = 0;
	ssize_t len;
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 65536);
	us_set_buf(p.rx, SO_RCVBUF, 65536);
	child = CHILD(EXPECT_EQ(us_send_tag(p.tx, 4, 3, NULL, sent, MIB), MIB));
	WAIT_FOR((len = recv(p.rx, buf, 100, MSG_DONTWAIT)) > 0);
	got = len;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	while (got < MIB) {
		len = recv(p.rx, buf + got, MIB - got, 0);
		ASSERT(len > 0);
		got += len;
	}
	harness_join(child);
	EXPECT(us_matches(buf, 3, 0, MIB));
	us_expect_none(p.rx);
	EXPECT_EQ(us_completion(p.tx).error, 0);
	us_tag(p.tx, 4, 8, 8);
	us_expect_recv(p.rx, 1, mem.buf, 8, 8);
}

/* Looking at a message, or failing to read it, leaves it for receives. */
TEST(unexpected__that_a_reader_puts_back_is_taken)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(1, 4, &mem);

	us_tag(p.tx, 4, 9, 900);
	EXPECT_EQ(recv(p.rx, NULL, 0, MSG_PEEK | MSG_TRUNC), 900);
	EXPECT_FAILS(recv(p.rx, (void *)8, 900, 0), EFAULT);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 1, mem.buf, 9, 900);
	EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT), EAGAIN);
}

static void peek_for_ever(int fd, size_t len)
{
	uint8_t *buf = us_alloc(len);

	for (;;)
		recv(fd, buf, len, MSG_PEEK | MSG_DONTWAIT);
}

/* Peeking at messages, which takes a while, hides no message from receives. */
TEST(unexpected__messages_match_while_others_peek)
{
	const size_t len = MIB / 2;
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, len);
	struct uet_recv_post post = us_want(1, 4, &mem);
	pid_t child = CHILD(peek_for_ever(p.rx, len));

	for (int i = 0; i < 40 / harness_scale(); i++) {
		us_tag(p.tx, 4, i, len);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, 1, mem.buf, i, len);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT), EAGAIN);
}

/* ------------------------------------------------------------------- order */

/* Receives that are alike are filled in the order of sending, in ROD. */
TEST(order__of_sending_is_the_order_of_receives)
{
	const uint32_t nr = 400 / harness_scale();
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, nr * PAGE);
	struct uet_recv_post post;
	struct uet_completion rec;
	uint8_t *buf;

	for (uint32_t i = 0; i < nr; i++) {
		post = us_want(i, 6, &mem);
		post.offset = i * PAGE;
		post.length = PAGE;
		post.ignore = i % 3 ? 0 : 0x10;
		ASSERT_SYS(us_recv_post(p.rx, &post));
	}
	for (uint32_t i = 0; i < nr; i++) {
		buf = us_message(i, i % PAGE);
		EXPECT_EQ(us_send_tag(p.tx, 6, i, NULL, buf, i % PAGE),
			  i % PAGE);
		free(buf);
	}
	for (uint32_t i = 0; i < nr; i++) {
		rec = us_expect_recv(p.rx, i, mem.buf + i * PAGE, i, i % PAGE);
		EXPECT_EQ(rec.delivery, UET_DELIVERY_ROD);
	}
}

#define RANDOM_MAX	64

/* Receives that wait and messages that do, in order; cookie 0: it is gone. */
struct model {
	struct uet_recv_post recv[RANDOM_MAX];
	uint64_t tag[RANDOM_MAX], msg[RANDOM_MAX];
	int nr_recv, nr_msg;
};

static bool fits(const struct uet_recv_post *post, uint64_t tag,
		 uint32_t initiator)
{
	return (post->match | post->ignore) == (tag | post->ignore) &&
	       (post->flags & UET_RECV_ANY_SOURCE ||
		post->initiator == initiator);
}

static uint64_t model_send(struct model *m, uint64_t tag, uint64_t seed,
			   uint32_t initiator)
{
	uint64_t cookie;

	for (int i = 0; i < m->nr_recv; i++) {
		cookie = m->recv[i].cookie;
		if (cookie && fits(&m->recv[i], tag, initiator)) {
			m->recv[i].cookie = 0;
			return cookie;
		}
	}
	m->tag[m->nr_msg] = tag;
	m->msg[m->nr_msg++] = seed;
	return 0;
}

static uint64_t model_post(struct model *m, const struct uet_recv_post *post,
			   uint32_t initiator)
{
	uint64_t seed;

	for (int i = 0; i < m->nr_msg; i++) {
		seed = m->msg[i];
		if (seed && fits(post, m->tag[i], initiator)) {
			m->msg[i] = 0;
			return seed;
		}
	}
	m->recv[m->nr_recv++] = *post;
	return 0;
}

/* A few tags, so that much fits; in order, so that the model knows it all. */
static void random_run(struct us_pair p, const struct us_mem *mem)
{
	uint32_t initiator = us_name(p.tx).suet_initiator;
	struct model m = { .nr_recv = 0 };
	uint64_t tag, hit;

	for (int i = 1; i <= RANDOM_MAX; i++) {
		struct uet_recv_post post = us_want(i, random() % 5, mem);

		if (random() % 2) {
			tag = random() % 5;
			hit = model_send(&m, tag, i, initiator);
			us_tag(p.tx, tag, i, 50 + i);
			if (hit)
				us_expect_recv(p.rx, hit, mem->buf, i, 50 + i);
		} else {
			post.ignore = random() % 3 ? 0 : random() % 4;
			if (random() % 2) {
				post.flags &= ~UET_RECV_ANY_SOURCE;
				post.initiator = initiator + random() % 2;
			}
			hit = model_post(&m, &post, initiator);
			ASSERT_SYS(us_recv_post(p.rx, &post));
			if (hit)
				us_expect_recv(p.rx, i, mem->buf, hit, 50 + hit);
		}
		us_expect_none(p.rx);
	}
	for (int i = 0; i < m.nr_msg; i++)
		if (m.msg[i])
			us_expect(p.rx, m.msg[i], 50 + m.msg[i]);
	EXPECT_FAILS(recv(p.rx, mem->buf, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(match__random_operations_agree_with_the_model)
{
	const char *env = getenv("UET_SEED");
	uint32_t seed = env ? strtoul(env, NULL, 0) : (uint32_t)time(NULL);
	int rounds = 20 / harness_scale();
	struct us_mem mem;
	struct us_pair p;

	HARNESS_NOTE("UET_SEED=%u", seed);
	srandom(seed);
	for (int i = 0; i < rounds; i++) {
		p = us_pair_of(SOCK_SEQPACKET);
		mem = us_mem(p.rx, PAGE);
		random_run(p, &mem);
		close(p.tx);
		close(p.rx);
	}
}

HARNESS_MAIN()
