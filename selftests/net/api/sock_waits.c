// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what waits without a receive: short messages are kept when the receive buffer is
 * full, and rendezvous messages do not fill the send buffer, so that neither keeps out a
 * message that a receive waits for.  Started by sock_api.sh, see uetsock.h for what it
 * needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define PAGE	4096

static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };

static size_t length_of(uint32_t i)
{
	return i * 7 % (UET_KEPT_MAX + 1);
}

/* Send the short message made from @i, and do not wait for its end. */
static void send_short(int tx, uint32_t i)
{
	uint8_t *buf = us_message(i, length_of(i));

	ASSERT_EQ(us_send_tag(tx, i, i, NULL, buf, length_of(i)),
		  (ssize_t)length_of(i));
	free(buf);
}

static void receive(int rx, const struct us_mem *mem, uint32_t i)
{
	struct uet_recv_post post = us_want(i, i, mem);

	ASSERT_SYS(us_recv_post(rx, &post));
	us_expect_recv(rx, i, mem->buf, i, length_of(i));
}

static void set_envelopes(int fd, uint32_t most)
{
	ASSERT_SYS(setsockopt(fd, SOL_UET, UET_ENVELOPES, &most, sizeof(most)));
}

/* Each is there before the first receive, and the last one is received first. */
TEST(kept__short_messages_hold_up_none)
{
	enum { COUNT = 2000 };
	struct us_pair p;
	struct us_mem mem;
	uint32_t i;

	for (size_t t = 0; t < 2; t++) {
		p = us_full_pair_of(types[t]);
		mem = us_mem(p.rx, PAGE);
		for (i = 0; i < COUNT; i++)
			us_tag(p.tx, i, i, length_of(i));
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
		for (i = COUNT; i--; )
			receive(p.rx, &mem, i);
		us_expect_none(p.rx);
	}
}

/* More wait as a message without space; each receive makes place for one. */
TEST(kept__as_many_as_may_be)
{
	enum { MOST = 8, COUNT = MOST + 3 };
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, PAGE);
	uint32_t i;

	set_envelopes(p.rx, MOST);
	for (i = 0; i < COUNT; i++)
		send_short(p.tx, i);
	us_set_timeout(p.tx, SO_SNDTIMEO, 50);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	for (i = 0; i < COUNT; i++)
		receive(p.rx, &mem, i < MOST ? MOST - 1 - i : i);
	us_set_timeout(p.tx, SO_SNDTIMEO, 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* A reader gets kept messages, too, in their order. */
TEST(kept__is_read_without_a_receive)
{
	enum { COUNT = 50 };
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	uint32_t i;

	for (i = 0; i < COUNT; i++)
		us_tag(p.tx, i, i, length_of(i));
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	for (i = 0; i < COUNT; i++)
		us_expect(p.rx, i, length_of(i));
}

/* Without posted receives the reader decides, and the buffer is the limit. */
TEST(kept__is_nothing_where_no_receive_is_posted)
{
	enum { COUNT = 200, FILL = 16384 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	uint32_t i;

	us_set_buf(p.rx, SO_RCVBUF, FILL);
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_send(p.tx, i, 1000, 0), 1000);
	us_set_timeout(p.tx, SO_SNDTIMEO, 50);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	us_set_timeout(p.tx, SO_SNDTIMEO, 0);
	for (i = 0; i < COUNT; i++)
		us_expect(p.rx, i, 1000);
}

/* Offer the message made from @i, of which the receiver reads all bytes. */
static ssize_t offer(int fd, const struct us_mem *src, uint32_t i)
{
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_TSEND, i + 1);
	struct uet_local local = { src->key, 0, src->len };
	struct us_control c = { .len = 0 };
	uint64_t tag = i;

	us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	return us_send_control(fd, &c, NULL, 0);
}

/* Offers that nobody takes leave the send buffer to others. */
TEST(offered__messages_need_no_send_buffer)
{
	enum { COUNT = 500, SPACE = 16384, LENGTH = 3 * PAGE };
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem src = { .buf = us_map(LENGTH), .len = LENGTH };
	struct us_mem mem = us_mem(p.rx, LENGTH);
	struct uet_recv_post post;
	struct uet_completion rec;
	uint32_t i, done;

	us_set_buf(p.tx, SO_SNDBUF, SPACE);
	us_set_timeout(p.tx, SO_SNDTIMEO, 1000);
	for (i = 0; i < LENGTH; i++)
		src.buf[i] = us_byte(5, i);
	src.key = us_reg(p.tx, src.buf, LENGTH, UET_MR_READ);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(offer(p.tx, &src, i), 0);
	WAIT_FOR(us_events(p.tx) & POLLOUT);
	us_tag(p.tx, COUNT, 9, 100);
	post = us_want(COUNT, COUNT, &mem);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, COUNT, mem.buf, 9, 100);
	for (i = COUNT; i--; ) {
		post = us_want(i, i, &mem);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, i, mem.buf, 5, LENGTH);
	}
	for (done = 0; done < COUNT; done += rec.count) {
		rec = us_completion(p.tx);
		ASSERT_EQ(rec.error, 0);
	}
}

HARNESS_MAIN()
