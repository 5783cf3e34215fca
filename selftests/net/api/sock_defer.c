// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of deferrable sends: what waits for a receive, in its order, or for space in
 * the receive buffer, arrives whole and once; what can be sent so; and that each ends
 * once when either end gives up.  Started by sock_api.sh, see uetsock.h for what it
 * needs.  Level: test.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "uetpost.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)

/* Send the message made from @cookie so that it can be deferred. */
static ssize_t defer(int fd, uint64_t tag, uint64_t cookie, size_t len)
{
	struct uet_op op = us_op(UET_OP_DEFERRABLE_TSEND, cookie);
	uint8_t *buf = us_message(cookie, len);
	struct us_control c = { .len = 0 };
	ssize_t ret;

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	ret = us_send_control(fd, &c, buf, len);
	free(buf);
	return ret;
}

static ssize_t defer_plain(int fd, uint64_t cookie, size_t len)
{
	struct uet_op op = us_op(UET_OP_DEFERRABLE_SEND, cookie);
	uint8_t *buf = us_message(cookie, len);
	ssize_t ret = us_send_op(fd, &op, NULL, buf, len, 0);
	int err = errno;

	free(buf);
	errno = err;
	return ret;
}

static void expect_sent(int fd, uint64_t cookie, size_t len)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, len);
	EXPECT(rec.opcode == UET_OP_DEFERRABLE_TSEND ||
	       rec.opcode == UET_OP_DEFERRABLE_SEND);
}

/* ---------------------------------------------------------------- for a receive */

TEST(defer__a_receive_that_waits_takes_it_at_once)
{
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 300000 };
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 300000);
	struct uet_recv_post post = us_want(5, 0x77, &mem);
	struct uet_completion rec;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(defer(p.tx, 0x77, i, lens[i]), lens[i]);
		rec = us_expect_recv(p.rx, 5, mem.buf, i, lens[i]);
		EXPECT_EQ(rec.opcode, UET_OP_DEFERRABLE_TSEND);
		EXPECT_EQ(rec.match, 0x77);
		expect_sent(p.tx, i, lens[i]);
	}
}

/* Nothing of it is to be read until the receive is there, in either mode. */
TEST(defer__waits_for_its_receive)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 1000000 };
	struct us_pair p;
	struct us_mem mem;

	for (size_t t = 0; t < 2; t++) {
		p = us_full_pair_of(types[t]);
		mem = us_mem(p.rx, 1000000);
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			struct uet_recv_post post = us_want(5, 0x77, &mem);

			EXPECT_EQ(defer(p.tx, 0x77, i, lens[i]), lens[i]);
			if (types[t] == SOCK_SEQPACKET)
				us_settle(p.tx);
			EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT),
				     EAGAIN);
			us_expect_none(p.tx);
			ASSERT_SYS(us_recv_post(p.rx, &post));
			us_expect_recv(p.rx, 5, mem.buf, i, lens[i]);
			expect_sent(p.tx, i, lens[i]);
		}
		us_expect_none(p.rx);
	}
}

/*
 * Deferred and unexpected messages are matched in the order they were sent: those that
 * the receive buffer takes, and longer ones.
 */
TEST(defer__keeps_its_place_among_the_unexpected)
{
	enum { COUNT = 24, SHORT = 9000, LONG = 120000, SPACE = 110000 };
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);
	struct us_mem mem[COUNT];
	struct uet_completion rec;
	uint32_t i, done;

	us_set_buf(p.rx, SO_RCVBUF, SPACE);
	for (i = 0; i < COUNT; i++) {
		mem[i] = us_mem(p.rx, LONG);
		if (i % 3 == 1) {
			us_tag(p.tx, 0x77, i, SHORT);
		} else {
			EXPECT_EQ(defer(p.tx, 0x77, i, LONG), LONG);
			us_settle(p.tx);
		}
	}
	for (i = 0; i < COUNT; i++) {
		struct uet_recv_post post = us_want(i, 0x77, &mem[i]);

		ASSERT_SYS(us_recv_post(p.rx, &post));
	}
	for (done = 0; done < COUNT; done++) {
		rec = us_completion(p.rx);
		EXPECT_EQ(rec.error, 0);
		i = rec.cookie;
		EXPECT_EQ(rec.length, i % 3 == 1 ? SHORT : LONG);
		EXPECT(us_matches(mem[i].buf, i, 0, rec.length));
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* It is then as any message without a receive: one may be posted, or it is read. */
TEST(defer__is_taken_while_there_is_space)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct us_pair p;
	struct us_mem mem;

	for (size_t t = 0; t < 2; t++) {
		p = us_receiving_pair_of(types[t]);
		mem = us_mem(p.rx, 3 * MTU);
		struct uet_recv_post post = us_want(5, 0x77, &mem);

		EXPECT_EQ(defer(p.tx, 0x77, 1, 3 * MTU), 3 * MTU);
		expect_sent(p.tx, 1, 3 * MTU);
		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, 5, mem.buf, 1, 3 * MTU);
		EXPECT_EQ(defer(p.tx, 0x77, 2, 10), 10);
		expect_sent(p.tx, 2, 10);
		us_expect(p.rx, 2, 10);
	}
}

/* Untagged ones go to untagged receives, those with data to complete tell it. */
TEST(defer__untagged_messages_with_data_arrive)
{
	struct us_pair p = us_full_pair_of(SOCK_RDM);
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want_plain(5, &mem);
	struct uet_op op = us_op(UET_OP_DEFERRABLE_SEND, 9);
	struct us_control c = { .len = 0 };
	struct uet_completion rec;
	uint64_t hdata = 0x123456789a;
	uint8_t *buf = us_message(9, 100);

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_HDATA, &hdata, sizeof(hdata));
	EXPECT_EQ(us_send_control(p.tx, &c, buf, 100), 100);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	rec = us_expect_recv(p.rx, 5, mem.buf, 9, 100);
	EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_HDATA);
	EXPECT_EQ(rec.header_data, hdata);
	EXPECT_EQ(rec.opcode, UET_OP_DEFERRABLE_SEND);
	expect_sent(p.tx, 9, 100);
}

TEST(defer__a_receive_too_short_leaves_it)
{
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 2 * MTU);
	struct uet_recv_post small = us_want(1, 0x77, &mem);
	struct uet_recv_post cut = us_want(2, 0x77, &mem);
	struct uet_completion rec;

	small.length = MTU;
	cut.length = MTU + 10;
	cut.flags |= UET_RECV_TRUNC;
	EXPECT_EQ(defer(p.tx, 0x77, 9, 2 * MTU), 2 * MTU);
	us_settle(p.tx);
	ASSERT_SYS(us_recv_post(p.rx, &small));
	rec = us_completion(p.rx);
	EXPECT_EQ(rec.cookie, 1);
	EXPECT_EQ(rec.error, EMSGSIZE);
	us_expect_none(p.tx);
	ASSERT_SYS(us_recv_post(p.rx, &cut));
	rec = us_completion(p.rx);
	us_expect_done(&rec, 2, 1, MTU + 10);
	EXPECT_EQ(rec.msg_length, 2 * MTU);
	EXPECT(us_matches(mem.buf, 9, 0, MTU + 10));
	expect_sent(p.tx, 9, MTU + 10);
}

/* Many, of all lengths, to receives posted in another order. */
TEST(defer__many_messages_arrive)
{
	enum { COUNT = 200, MAX = 20000 };	/* in one send buffer */
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	uint32_t i, done, scale = harness_scale();
	struct uet_completion rec;
	struct us_mem mem;
	struct us_pair p;

	for (size_t t = 0; t < 2; t++) {
		uint32_t count = COUNT / scale;

		p = us_full_pair_of(types[t]);
		mem = us_mem(p.rx, (size_t)count * MAX);
		for (i = 0; i < count; i++) {
			size_t len = i * 7919 % MAX;

			EXPECT_EQ(defer(p.tx, i, i, len), len);
		}
		for (i = count; i--; ) {
			struct uet_recv_post post = us_want(i, i, &mem);

			post.offset = (uint64_t)i * MAX;
			post.length = MAX;
			ASSERT_SYS(us_recv_post(p.rx, &post));
		}
		for (done = 0; done < count; done++) {
			rec = us_completion(p.rx);
			EXPECT_EQ(rec.error, 0);
			i = rec.cookie;
			ASSERT(i < count);
			EXPECT_EQ(rec.length, i * 7919 % MAX);
			EXPECT(us_matches(mem.buf + (size_t)i * MAX, i, 0,
					  rec.length));
		}
		for (done = 0; done < count; done += rec.count) {
			rec = us_completion(p.tx);
			EXPECT_EQ(rec.error, 0);
		}
		us_expect_none(p.tx);
		ASSERT_SYS(close(p.tx));
		ASSERT_SYS(close(p.rx));
	}
}

/* A socket has this limit until UET_ENVELOPES changes it. */
TEST(defer__a_new_socket_lets_4096_messages_wait)
{
	struct us_pair p = us_pair();
	socklen_t len = sizeof(uint32_t);
	uint32_t most = 0;

	ASSERT_SYS(getsockopt(p.rx, SOL_UET, UET_ENVELOPES, &most, &len));
	EXPECT_EQ(most, 4096);
}

/* More than may wait hold up their sender, and none fails. */
TEST(defer__more_than_may_wait)
{
	enum { MOST = 8, COUNT = MOST + 3 };
	static const uint32_t bad[] = { 0, UET_ENVELOPE_LIMIT + 1 };
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, 2 * MTU);
	uint32_t i, most = MOST;

	for (i = 0; i < 2; i++) {
		EXPECT_FAILS(setsockopt(p.rx, SOL_UET, UET_ENVELOPES, &bad[i],
					sizeof(bad[i])), EINVAL);
		EXPECT(us_explains(p.rx, "is not in 1..131072"));
	}
	ASSERT_SYS(setsockopt(p.rx, SOL_UET, UET_ENVELOPES, &most, sizeof(most)));
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(defer(p.tx, i, i, i * 700), i * 700);
	us_expect_none(p.tx);
	for (i = 0; i < COUNT; i++) {
		/* A receive makes place for the next one. */
		uint32_t tag = i < MOST ? MOST - 1 - i : i;
		struct uet_recv_post post = us_want(i, tag, &mem);

		ASSERT_SYS(us_recv_post(p.rx, &post));
		us_expect_recv(p.rx, i, mem.buf, tag, tag * 700);
		expect_sent(p.tx, tag, tag * 700);
	}
	us_expect_none(p.tx);
}

/* --------------------------------------------------------------------- for space */

TEST(space__plain_reader_gets_deferrable_messages)
{
	struct us_pair p = us_pair();
	uint32_t i;

	for (i = 0; i < 5; i++) {
		EXPECT_EQ(defer(p.tx, 1, i, i * 50000), i * 50000);
		us_expect(p.rx, i, i * 50000);
		expect_sent(p.tx, i, i * 50000);
	}
}

/* More than the buffer takes: each is read once it has had space. */
TEST(space__message_without_space_comes_later)
{
	enum { COUNT = 40, LEN = 50000 };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct uet_completion rec;
	uint32_t i, done, seen;
	struct us_pair p;
	uint8_t *buf = us_alloc(LEN + COUNT);

	for (size_t t = 0; t < 2; t++) {
		p = us_pair_of(types[t]);
		us_set_buf(p.rx, SO_RCVBUF, 4 * LEN);
		for (i = 0; i < COUNT; i++)
			EXPECT_EQ(defer_plain(p.tx, i, LEN + i), LEN + i);
		for (seen = 0, done = 0; done < COUNT; done++) {
			ssize_t len = recv(p.rx, buf, LEN + COUNT, 0);

			ASSERT(len >= LEN && len < LEN + COUNT);
			i = len - LEN;
			EXPECT(us_matches(buf, i, 0, len));
			seen += i;
			if (types[t] == SOCK_SEQPACKET)
				EXPECT_EQ(i, done);
		}
		EXPECT_EQ(seen, COUNT * (COUNT - 1) / 2);
		for (done = 0; done < COUNT; done += rec.count) {
			rec = us_completion(p.tx);
			EXPECT_EQ(rec.error, 0);
		}
		ASSERT_SYS(close(p.tx));
		ASSERT_SYS(close(p.rx));
	}
	free(buf);
}

/* One that waits for space is taken by the first receive that is posted. */
TEST(space__is_made_by_a_receive)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 60000);
	struct uet_recv_post post = us_want(5, 2, &mem);

	us_set_buf(p.rx, SO_RCVBUF, 60000);
	EXPECT_EQ(defer(p.tx, 1, 1, 50000), 50000);
	expect_sent(p.tx, 1, 50000);
	EXPECT_EQ(defer(p.tx, 2, 2, 50000), 50000);
	us_wait_unread(p.rx, 50000);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 5, mem.buf, 2, 50000);
	expect_sent(p.tx, 2, 50000);
	us_expect(p.rx, 1, 50000);
}

/* ----------------------------------------------------------------- what can be sent */

TEST(send__invalid_requests_are_refused)
{
	struct us_pair d = us_pair_of(SOCK_DGRAM), p = us_pair();
	struct uet_op op = us_op(UET_OP_DEFERRABLE_TSEND, 1);

	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0), EINVAL);
	EXPECT(us_explains(p.tx, "DEFERRABLE_TSEND) without UET_CMSG_TAG"));
	EXPECT_FAILS(defer_plain(d.tx, 1, 1), EOPNOTSUPP);
	EXPECT(us_explains(d.tx, "(DEFERRABLE_SEND) is no datagram"));
	us_set_buf(p.tx, SO_SNDBUF, 20000);
	EXPECT_FAILS(defer_plain(p.tx, 1, 20001), EMSGSIZE);
	EXPECT(us_explains(p.tx, "20001 bytes is longer than SO_SNDBUF 20000"));
	op.flags |= UET_OP_RUDI;
	op.opcode = UET_OP_DEFERRABLE_SEND;
	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, "x", 1, 0), EINVAL);
	op.opcode = 0x0c;
	op.flags = 0;
	EXPECT_FAILS(us_send_op(p.tx, &op, NULL, NULL, 0, 0), EOPNOTSUPP);
	us_expect_none(p.tx);
}

/* Its bytes stay charged, so that a sender cannot go on for ever. */
TEST(send__fills_the_send_buffer)
{
	struct us_pair p = us_full_pair_of(SOCK_RDM);
	struct us_mem mem = us_mem(p.rx, 20000);
	struct uet_recv_post post = us_want(1, 7, &mem);

	us_set_buf(p.tx, SO_SNDBUF, 20000);
	EXPECT_EQ(defer(p.tx, 7, 3, 20000), 20000);
	EXPECT_EQ(us_events(p.tx) & POLLOUT, 0);
	EXPECT_GE(us_queued(p.tx, SIOCOUTQ), 20000);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 1, mem.buf, 3, 20000);
	WAIT_FOR(us_events(p.tx) & POLLOUT);
	expect_sent(p.tx, 3, 20000);
	WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
}

/* ------------------------------------------------------------------ giving it up */

TEST(end__the_receiver_closes)
{
	static const size_t lens[] = { 10, 100000 };
	struct uet_completion rec;
	struct us_pair p;

	for (size_t i = 0; i < 4; i++) {
		p = us_full_pair_of(i / 2 ? SOCK_SEQPACKET : SOCK_RDM);
		EXPECT_EQ(defer(p.tx, 1, 2, lens[i % 2]), lens[i % 2]);
		if (i / 2)
			us_settle(p.tx);
		ASSERT_SYS(close(p.rx));
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.cookie, 2);
		EXPECT_EQ(rec.error, ECONNREFUSED);
		EXPECT_EQ(rec.length, 0);
		EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	}
}

TEST(end__the_receiver_is_shut_down)
{
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct uet_completion rec;

	EXPECT_EQ(defer(p.tx, 1, 2, 50000), 50000);
	us_settle(p.tx);
	ASSERT_SYS(shutdown(p.rx, SHUT_RD));
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.cookie, 2);
	EXPECT_EQ(rec.error, ECONNREFUSED);
	us_expect_no_recv(p.rx, ~0ull, ECANCELED);
}

/* The receive that it was to go to takes the next one. */
TEST(end__the_sender_closes)
{
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(5, 0x77, &mem);
	struct sockaddr_uet to = us_name(p.rx);
	int other = us_endpoint(0, UET_PID_ANY, 0);

	EXPECT_EQ(defer(p.tx, 0x77, 1, 1000), 1000);
	us_settle(p.tx);
	ASSERT_SYS(close(p.tx));
	ASSERT_SYS(us_recv_post(p.rx, &post));
	ASSERT_SYS(us_connect(other, &to));
	EXPECT_EQ(defer(other, 0x77, 2, 900), 900);
	us_expect_recv(p.rx, 5, mem.buf, 2, 900);
	expect_sent(other, 2, 900);
}

TEST(end__shutdown_waits_for_deferred_messages)
{
	struct us_pair p = us_full_pair_of(SOCK_RDM);
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want(5, 0x77, &mem);

	EXPECT_EQ(defer(p.tx, 0x77, 1, 1000), 1000);
	us_set_timeout(p.tx, SO_SNDTIMEO, 200);
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), EAGAIN);
	us_set_timeout(p.tx, SO_SNDTIMEO, 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	us_expect_recv(p.rx, 5, mem.buf, 1, 1000);
}

/*
 * A receive that then asks for the message learns that it is gone, and waits for
 * another one.
 */
TEST(end__deferred_message_can_be_taken_back)
{
	struct us_pair p = us_full_pair_of(SOCK_SEQPACKET);
	struct uet_send_cancel ask = {
		.cookie = 1, .flags = UET_CANCEL_COOKIE,
	};
	struct us_mem mem = us_mem(p.rx, 1000);
	struct uet_recv_post post = us_want(5, 0x77, &mem);
	struct uet_completion rec;

	EXPECT_EQ(defer(p.tx, 0x77, 1, 1000), 1000);
	us_settle(p.tx);
	EXPECT_EQ(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), 1);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.cookie, 1);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), ENOENT);

	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(defer(p.tx, 0x77, 2, 900), 900);
	us_expect_recv(p.rx, 5, mem.buf, 2, 900);
	expect_sent(p.tx, 2, 900);
}

/* A message without completion fails late. */
TEST(end__without_completion_fails_late)
{
	struct us_pair p = us_full_pair_of(SOCK_RDM);
	struct uet_op op = { .opcode = UET_OP_DEFERRABLE_SEND };

	EXPECT_EQ(us_send_op(p.tx, &op, NULL, "hello", 5, 0), 5);
	ASSERT_SYS(close(p.rx));
	EXPECT_FAILS(shutdown(p.tx, SHUT_WR), ECONNREFUSED);
}

/* Killed at any time, neither end leaves anything. */
TEST(end__either_end_is_killed)
{
	struct us_pair p;
	struct us_mem mem;
	int status, round, i;
	pid_t pid;

	for (round = 0; round < 6; round++) {
		pid = fork();
		ASSERT_SYS(pid);
		if (!pid) {
			p = us_full_pair_of(round % 2 ? SOCK_SEQPACKET :
							  SOCK_RDM);
			mem = us_mem(p.rx, MIB);
			for (i = 0; i < 20; i++)
				defer(p.tx, i, i, 100000);
			for (i = 0; i < 20; i += 2) {
				struct uet_recv_post post = us_want(i, i, &mem);

				us_recv_post(p.rx, &post);
			}
			raise(SIGKILL);
		}
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
}

HARNESS_MAIN()
