// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of posted receives: what can be posted, that a message goes to their memory
 * and nowhere else, what becomes of one that is too long, and that each receive
 * ends once, whatever happens to its message, its memory, its sender or its socket.
 * Started by sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

#include "uetpost.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)

/* A message that takes a while, in which something can happen to it. */
#define LONG	((harness_scale() > 1 ? 4 : 32) * MIB)

/* ----------------------------------------------------------------- posting */

TEST(post__on_an_unbound_socket_is_refused)
{
	struct uet_recv_post post = { .flags = UET_RECV_ANY_SOURCE };
	int fd = us_socket();

	EXPECT_FAILS(us_recv_post(fd, &post), ENOTCONN);
	EXPECT(us_explains(fd, "not bound"));
	EXPECT_FAILS(us_recv_cancel(fd, 0), ENOENT);
}

TEST(post__of_bad_arguments_is_refused)
{
	const uint32_t any = UET_RECV_ANY_SOURCE;
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct us_mem mem = us_mem(fd, PAGE);
	const struct {
		struct uet_recv_post post;
		int error;
		const char *text;
	} bad[] = {
		{ { .flags = 0x8000 }, EINVAL, "flags 0x8000 are unknown" },
		{ { .match = 5 }, EINVAL, "match 0x5" },
		{ { .ignore = 5 }, EINVAL, "ignore 0x5" },
		{ { .flags = any, .initiator = 7 }, EINVAL, "initiator 0x7" },
		{ { .length = 1, .key = mem.key + 1 }, EFAULT, "names no region" },
		{ { .length = PAGE + 1, .key = mem.key }, EFAULT,
		  "4097 bytes at 0 are beyond" },
		{ { .length = 1, .offset = PAGE, .key = mem.key }, EFAULT,
		  "1 bytes at 4096 are beyond" },
		{ { .length = 2, .offset = -1ull, .key = mem.key }, EFAULT,
		  "beyond the region" },
	};
	struct uet_recv_posts posts = { .count = 1 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_FAILS(us_recv_post(fd, &bad[i].post), bad[i].error);
		EXPECT(us_explains(fd, bad[i].text));
	}
	EXPECT_FAILS(ioctl(fd, UET_IOC_RECV_POST, (void *)8), EFAULT);
	EXPECT_FAILS(ioctl(fd, UET_IOC_RECV_CANCEL, (void *)8), EFAULT);
	EXPECT_FAILS(ioctl(fd, UET_IOC_RECV_POSTS, (void *)8), EFAULT);
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts), EFAULT);
	posts.reserved = 1;
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts), EINVAL);
	EXPECT(us_explains(fd, "reserved must be 0"));
	posts.reserved = 0;
	posts.count = UET_CQ_LIMIT + 1;
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_RECV_POSTS, &posts), EINVAL);
	EXPECT(us_explains(fd, "count 131073"));
	us_expect_none(fd);
}

/* The receives before a bad one are posted. */
TEST(post__takes_several_receives)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post[3] = {
		us_want_plain(1, &mem), us_want_plain(2, &mem),
		{ .flags = 0x80 },
	};

	EXPECT_FAILS(us_recv_posts(p.rx, post + 2, 1), EINVAL);
	EXPECT_EQ(us_recv_posts(p.rx, post, 3), 2);
	EXPECT(us_explains(p.rx, "flags 0x80"));
	for (int i = 1; i <= 2; i++) {
		EXPECT_EQ(us_send(p.tx, i, i, 0), i);
		us_expect_recv(p.rx, i, mem.buf, i, i);
	}
	EXPECT_FAILS(us_recv_cancel(p.rx, 1), ENOENT);
}

TEST(post__needs_no_region_for_no_bytes)
{
	struct us_pair p = us_pair();
	struct uet_recv_post post = { .cookie = 3, .key = 99, .offset = -1ull,
				      .flags = UET_RECV_ANY_SOURCE };

	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_send(p.tx, 1, 0, 0), 0);
	us_expect_recv(p.rx, 3, NULL, 0, 0);
}

/* A region without any access is for its owner only. */
TEST(post__to_a_region_that_peers_cannot_write)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct us_rma rma = { UET_OP_WRITE, 1, { mem.key, 0 }, NULL, NULL, 0,
			      NULL };
	struct uet_recv_post post = us_want_plain(2, &mem);
	struct uet_completion rec;

	EXPECT_EQ(us_rma(p.tx, &rma, "abcd", 4), 4);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.error, EACCES);
	EXPECT_EQ(rec.rc, US_RC_OP_VIOLATION);
	EXPECT_EQ(mem.buf[0], 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_send(p.tx, 5, 50, 0), 50);
	us_expect_recv(p.rx, 2, mem.buf, 5, 50);
}

/* They share UET_CQ_LIMIT with operations and with what was not read. */
TEST(post__as_many_as_may_be)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_recv_post *post = calloc(UET_CQ_LIMIT, sizeof(*post));
	struct uet_completion rec;

	ASSERT(post);
	for (int i = 0; i < UET_CQ_LIMIT; i++) {
		post[i].cookie = i;
		post[i].match = i;
		post[i].flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE;
	}
	EXPECT_EQ(us_recv_posts(fd, post, UET_CQ_LIMIT), UET_CQ_LIMIT);
	EXPECT_FAILS(us_recv_post(fd, post), EAGAIN);
	EXPECT(us_explains(fd, "131072 receives and operations"));
	EXPECT_EQ(us_events(fd), 0);
	ASSERT_SYS(us_recv_cancel(fd, 5));
	EXPECT_FAILS(us_recv_post(fd, post), EAGAIN);
	rec = us_completion(fd);
	EXPECT_EQ(rec.cookie, 5);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT_EQ(us_events(fd), POLLOUT);
	EXPECT_EQ(us_recv_post(fd, post), 0);
}

TEST(post__with_as_many_values_of_ignore_as_may_be)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_recv_post post = {
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	for (post.ignore = 1; post.ignore <= UET_RECV_IGNORE_LIMIT; post.ignore++)
		for (post.cookie = 0; post.cookie < 100; post.cookie++)
			ASSERT_SYS(us_recv_post(fd, &post));
	EXPECT_FAILS(us_recv_post(fd, &post), ENOSPC);
	EXPECT(us_explains(fd, "receives with 127 other values of ignore"));
	post.ignore = 0;
	EXPECT_EQ(us_recv_post(fd, &post), 0);
}

/* ----------------------------------------------------------------- placing */

/* Memory of @len bytes of the endpoint, and a receive there that waits. */
static struct us_mem post_plain(int fd, uint64_t cookie, size_t len)
{
	struct us_mem mem = us_mem(fd, len);
	struct uet_recv_post post = us_want_plain(cookie, &mem);

	ASSERT_SYS(us_recv_post(fd, &post));
	return mem;
}

TEST(place__gets_its_bytes_and_no_others)
{
	static const size_t lens[] = { 0, 1, 7, MTU - 1, MTU, MTU + 1,
				       5 * MTU + 11 };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	const size_t space = 8 * PAGE;
	struct uet_recv_post post;
	struct us_mem mem;
	struct us_pair p;

	for (size_t i = 0; i < 2 * sizeof(lens) / sizeof(lens[0]); i++) {
		size_t len = lens[i / 2], at = 77 * i;

		p = us_pair_of(types[i % 2]);
		mem = us_mem(p.rx, space);
		memset(mem.buf, 0xa5, space);
		post = us_want_plain(i, &mem);
		post.offset = at;
		post.length = 6 * PAGE;
		ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(us_send(p.tx, i, len, 0), len);
		us_expect_recv(p.rx, i, mem.buf + at, i, len);
		for (size_t k = 0; k < space; k++)
			ASSERT(mem.buf[k] == 0xa5 || (k >= at && k < at + len));
	}
}

/* A datagram is an untagged message, too. */
TEST(datagram__goes_to_a_receive)
{
	struct us_pair p = us_pair_of(SOCK_DGRAM);
	struct us_mem mem = post_plain(p.rx, 1, PAGE);
	struct uet_recv_post post = us_want_plain(1, &mem);
	struct uet_completion rec;

	EXPECT_EQ(us_send(p.tx, 7, MTU, 0), MTU);
	rec = us_expect_recv(p.rx, 1, mem.buf, 7, MTU);
	EXPECT_EQ(rec.opcode, UET_OP_DATAGRAM_SEND);
	EXPECT_EQ(rec.delivery, UET_DELIVERY_UUD);
	EXPECT_EQ(us_send(p.tx, 8, 80, 0), 80);
	us_wait_unread(p.rx, 80);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 1, mem.buf, 8, 80);
}

/* Nobody reads, and there is no space to receive it in. */
TEST(place__takes_more_than_the_receive_buffer)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct us_mem mem;
	struct us_pair p;

	for (size_t i = 0; i < 2; i++) {
		p = us_pair_of(types[i]);
		us_set_buf(p.rx, SO_RCVBUF, 1);
		mem = post_plain(p.rx, 1, 3 * MIB);
		EXPECT_EQ(us_send(p.tx, 6, 3 * MIB - 5, 0), 3 * MIB - 5);
		us_expect_recv(p.rx, 1, mem.buf, 6, 3 * MIB - 5);
		EXPECT_EQ(us_queued(p.rx, SIOCINQ), 0);
	}
}

TEST(place__reports_completion_data)
{
	const uint64_t hdata = 0xa1b2c3d4e5f60718;
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 4 * PAGE);
	struct uet_recv_post post = us_want(1, 5, &mem);
	uint8_t *buf = us_message(4, 3 * MTU);
	struct uet_completion rec;

	for (int i = 0; i < 2; i++) {
		/* Expected, then unexpected. */
		if (!i)
			ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(us_send_tag(p.tx, 5, 9, &hdata, buf, 3 * MTU), 3 * MTU);
		if (i) {
			us_wait_unread(p.rx, 3 * MTU);
			ASSERT_SYS(us_recv_post(p.rx, &post));
		}
		rec = us_expect_recv(p.rx, 1, mem.buf, 4, 3 * MTU);
		EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_HDATA);
		EXPECT_EQ(rec.header_data, hdata);
	}
}

/* ---------------------------------------------------------------- too long */

TEST(long__message_is_cut_with_recv_trunc)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 4 * PAGE);
	struct uet_recv_post post = us_want(1, 5, &mem);
	struct uet_completion rec;
	uint8_t *buf = us_message(4, 3 * MTU);

	post.flags |= UET_RECV_TRUNC;
	post.length = MTU + 100;
	for (int i = 0; i < 2; i++) {
		memset(mem.buf, 0xa5, mem.len);
		if (!i)
			ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(us_send_tag(p.tx, 5, 9, NULL, buf, 3 * MTU), 3 * MTU);
		/* The sender is told only of what was cut before it was kept. */
		rec = us_completion(p.tx);
		us_expect_done(&rec, 9, 1, i ? 3 * MTU : MTU + 100);
		if (i) {
			us_wait_unread(p.rx, 3 * MTU);
			ASSERT_SYS(us_recv_post(p.rx, &post));
		}
		rec = us_expect_recv(p.rx, 1, mem.buf, 4, MTU + 100);
		EXPECT_EQ(rec.msg_length, 3 * MTU);
		EXPECT_EQ(rec.flags, UET_COMPLETION_RECV | UET_COMPLETION_TRUNC);
		EXPECT_EQ(mem.buf[MTU + 100], 0xa5);
	}
}

TEST(long__is_refused_else)
{
	static const size_t lens[] = { 101, 3 * MTU };
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 4 * PAGE);
	struct uet_recv_post post = us_want(1, 5, &mem);
	struct uet_completion rec;
	uint8_t *buf = us_message(4, 3 * MTU);

	post.length = 100;
	for (size_t i = 0; i < 2; i++) {
		ASSERT_SYS(us_recv_post(p.rx, &post));
		EXPECT_EQ(us_send_tag(p.tx, 5, 9, NULL, buf, lens[i]), lens[i]);
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.error, EMSGSIZE);
		EXPECT_EQ(rec.rc, US_RC_TOO_LONG);
		rec = us_expect_no_recv(p.rx, 1, EMSGSIZE);
		EXPECT_EQ(rec.msg_length, lens[i]);
		EXPECT_EQ(rec.match, 5);
		EXPECT_EQ(mem.buf[0], 0);
	}
	us_tag(p.tx, 5, 10, 10);
	us_expect(p.rx, 10, 10);
}

/* One that its sender knows to have arrived stays. */
TEST(long__stays_if_it_is_there)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 4 * PAGE);
	struct uet_recv_post post = us_want(1, 5, &mem);
	struct uet_completion rec;

	us_tag(p.tx, 5, 8, 2 * MTU);
	us_wait_unread(p.rx, 2 * MTU);
	post.length = MTU;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	rec = us_expect_no_recv(p.rx, 1, EMSGSIZE);
	EXPECT_EQ(rec.msg_length, 2 * MTU);
	post.length = 2 * MTU;
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_recv(p.rx, 1, mem.buf, 8, 2 * MTU);
	us_expect_none(p.rx);
}

/* -------------------------------------------------------------- cancelling */

TEST(cancel__of_one_that_waits_ends_it)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post[3] = {
		us_want(7, 1, &mem), us_want(7, 2, &mem), us_want(8, 3, &mem),
	};
	struct uet_completion rec;

	EXPECT_EQ(us_recv_posts(p.rx, post, 3), 3);
	ASSERT_SYS(us_recv_cancel(p.rx, 7));
	rec = us_expect_no_recv(p.rx, 7, ECANCELED);
	EXPECT_EQ(rec.opcode, 0);
	EXPECT_EQ(rec.msg_length, 0);
	/* It was the first with that cookie. */
	us_tag(p.tx, 2, 20, 20);
	us_expect_recv(p.rx, 7, mem.buf, 20, 20);
	EXPECT_FAILS(us_recv_cancel(p.rx, 7), ENOENT);
	EXPECT(us_explains(p.rx, "no receive with cookie 0x7"));
	us_tag(p.tx, 1, 10, 10);
	us_expect(p.rx, 10, 10);
	ASSERT_SYS(us_recv_cancel(p.rx, 8));
	us_expect_no_recv(p.rx, 8, ECANCELED);
	us_expect_none(p.rx);
}

/* ------------------------------------------------------------- early ends */

/* Ends in the middle: the rest of what it sends cannot be read. */
static pid_t send_half(int fd, size_t len)
{
	uint8_t *buf = us_map(len);

	memset(buf, 1, len / 2);
	ASSERT_SYS(munmap(buf + len / 2, len / 2));
	return CHILD(EXPECT_FAILS(send(fd, buf, len, MSG_NOSIGNAL), EFAULT));
}

TEST(end__comes_when_the_sender_gives_up)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct us_mem mem;
	struct us_pair p;
	pid_t child;

	for (size_t i = 0; i < 2; i++) {
		p = us_pair_of(types[i]);
		us_set_buf(p.tx, SO_SNDBUF, 65536);
		mem = post_plain(p.rx, 1, 2 * MIB);
		child = send_half(p.tx, 2 * MIB);
		us_expect_no_recv(p.rx, 1, EIO);
		harness_join(child);
		EXPECT_EQ(mem.buf[0], 1);
		us_expect_none(p.rx);
	}
}

/* Wait for the first byte of a message, without losing time. */
static void wait_begun(const uint8_t *buf)
{
	while (!__atomic_load_n(buf, __ATOMIC_ACQUIRE))
		sched_yield();
}

static pid_t send_long(int fd, size_t len)
{
	uint8_t *buf = us_map(len);

	memset(buf, 1, len);
	return CHILD(send(fd, buf, len, MSG_NOSIGNAL); exit(0));
}

/* Once, whether the message has been faster or not. */
TEST(end__comes_when_the_sender_is_killed)
{
	struct us_pair p = us_pair();
	struct us_mem mem = post_plain(p.rx, 1, LONG);
	struct uet_completion rec;
	pid_t child;

	child = send_long(p.tx, mem.len);
	wait_begun(mem.buf);
	kill(child, SIGKILL);
	rec = us_completion(p.rx);
	EXPECT_EQ(rec.cookie, 1);
	EXPECT_EQ(rec.length, rec.error ? 0 : mem.len);
	EXPECT(!rec.error || rec.error == EIO);
	waitpid(child, NULL, 0);
	us_expect_none(p.rx);
}

/* An unexpected message that is too long to come without its receive. */
TEST(end__comes_when_the_sender_was_killed)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, LONG);
	struct uet_recv_post post = us_want_plain(1, &mem);
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 65536);
	us_set_buf(p.rx, SO_RCVBUF, 65536);
	child = send_long(p.tx, mem.len);
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 32768);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	us_expect_no_recv(p.rx, 1, EIO);
	us_expect_none(p.rx);
	EXPECT_FAILS(recv(p.rx, mem.buf, 1, MSG_DONTWAIT), EAGAIN);
}

/* The sender of a message that has lost its place is told so. */
TEST(end__comes_when_the_region_is_gone)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, 4 * PAGE);
	struct uet_recv_post post = us_want(1, 5, &mem);
	uint8_t *buf = us_message(4, 3 * MTU);
	struct uet_completion rec;

	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_dereg(p.rx, mem.key), 0);
	EXPECT_EQ(us_send_tag(p.tx, 5, 9, NULL, buf, 3 * MTU), 3 * MTU);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT_EQ(rec.rc, US_RC_CANCELLED);
	rec = us_expect_no_recv(p.rx, 1, EFAULT);
	EXPECT_EQ(rec.msg_length, 3 * MTU);
	EXPECT_EQ(mem.buf[0], 0);
	us_expect_none(p.rx);
}

/* When the region is gone nothing changes its memory, and the receive ends. */
TEST(end__comes_when_the_region_goes_in_the_middle)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct us_mem mem;
	struct us_pair p;
	pid_t child;

	for (size_t i = 0; i < 2; i++) {
		p = us_pair_of(types[i]);
		mem = post_plain(p.rx, 1, LONG);
		child = send_long(p.tx, mem.len);
		wait_begun(mem.buf);
		EXPECT_EQ(us_dereg(p.rx, mem.key), 0);
		memset(mem.buf, 0, mem.len);
		us_expect_no_recv(p.rx, 1, EFAULT);
		waitpid(child, NULL, 0);
		EXPECT(!mem.buf[0] && !memcmp(mem.buf, mem.buf + 1, mem.len - 1));
		us_expect_none(p.rx);
	}
}

/* The same of one that was unexpected, and is streamed. */
TEST(end__comes_when_the_region_goes_under_a_streamed_message)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, LONG);
	struct uet_recv_post post = us_want_plain(1, &mem);
	pid_t child;

	us_set_buf(p.rx, SO_RCVBUF, 65536);
	child = send_long(p.tx, mem.len);
	WAIT_FOR(us_queued(p.rx, SIOCINQ) > 0);
	ASSERT_SYS(us_recv_post(p.rx, &post));
	EXPECT_EQ(us_dereg(p.rx, mem.key), 0);
	us_expect_no_recv(p.rx, 1, EFAULT);
	/* The rest of the message does not block others. */
	harness_join(child);
	EXPECT_EQ(us_send(p.tx, 5, 50, 0), 50);
	us_expect(p.rx, 5, 50);
}

TEST(end__by_close_gives_receives_back)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, LONG);
	struct uet_recv_post post = us_want_plain(1, &mem);
	uint8_t *buf = us_map(mem.len);
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 65536);
	for (int i = 0; i < 1000; i++)
		ASSERT_SYS(us_recv_post(p.rx, &post));
	memset(buf, 1, mem.len);
	child = CHILD(close(p.rx); EXPECT_FAILS(send(p.tx, buf, mem.len, 0),
						ECANCELED));
	wait_begun(mem.buf);
	ASSERT_SYS(close(p.rx));
	harness_join(child);
}

/* Waiting receives are completed with an error; begun ones come to their end. */
TEST(end__by_shutdown_gives_receives_back)
{
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, LONG);
	struct uet_recv_post post[3] = {
		us_want_plain(1, &mem), us_want(2, 5, &mem), us_want(3, 5, &mem),
	};
	struct uet_completion rec;
	uint32_t seen = 0;
	pid_t child;

	post[2].ignore = 1;
	EXPECT_EQ(us_recv_posts(p.rx, post, 3), 3);
	child = send_long(p.tx, mem.len);
	wait_begun(mem.buf);
	ASSERT_SYS(shutdown(p.rx, SHUT_RD));
	for (int i = 0; i < 3; i++) {
		rec = us_completion(p.rx);
		ASSERT(rec.cookie >= 1 && rec.cookie <= 3);
		EXPECT(!(seen & 1 << rec.cookie));
		seen |= 1 << rec.cookie;
		EXPECT_EQ(rec.error, rec.cookie == 1 ? 0 : ECANCELED);
		EXPECT_EQ(rec.length, rec.cookie == 1 ? mem.len : 0);
	}
	EXPECT(mem.buf[0] == 1 && !memcmp(mem.buf, mem.buf + 1, mem.len - 1));
	us_expect_none(p.rx);
	harness_join(child);
	EXPECT_FAILS(us_recv_post(p.rx, post), ESHUTDOWN);
	EXPECT(us_explains(p.rx, "shut down for reading"));
}

/* --------------------------------------------------------------------- many */

static uint32_t nr_ops(void)
{
	const char *env = getenv("UET_OPS");

	return env ? atoi(env) : 10000 / harness_scale();
}

/* Each message to a receive of its own, from the last to the first. */
TEST(many__posted_receives_get_their_messages)
{
	const uint32_t posts = 10000 / harness_scale(), nr = nr_ops() / 20;
	struct uet_recv_post *post = calloc(posts, sizeof(*post));
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, posts * 64);
	struct uet_completion rec;
	uint8_t buf[64];

	ASSERT(post && nr <= posts);
	for (uint32_t i = 0; i < posts; i++) {
		post[i] = us_want(i, i, &mem);
		post[i].offset = 64 * i;
		post[i].length = 64;
	}
	EXPECT_EQ(us_recv_posts(p.rx, post, posts), posts);
	for (uint32_t i = posts - nr; i < posts; i++) {
		for (size_t k = 0; k < 64; k++)
			buf[k] = us_byte(i, k);
		EXPECT_EQ(us_send_tag(p.tx, i, i, NULL, buf, 64), 64);
	}
	for (uint32_t i = 0; i < nr; i++) {
		rec = us_completion(p.rx);
		ASSERT(rec.cookie >= posts - nr && rec.cookie < posts);
		EXPECT_EQ(rec.match, rec.cookie);
		EXPECT_EQ(rec.length, 64);
		EXPECT(us_matches(mem.buf + 64 * rec.cookie, rec.cookie, 0, 64));
	}
	ASSERT_SYS(shutdown(p.rx, SHUT_RD));
	for (uint32_t i = 0; i < posts - nr; i++)
		us_expect_no_recv(p.rx, i, ECANCELED);
	us_expect_none(p.rx);
}

/* Long messages, posted before and after they come: every byte of each. */
TEST(many__long_messages_arrive)
{
	const uint32_t nr = nr_ops() / 100;
	const size_t len = 10 * MTU + 5;
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, (nr + 1) * len);
	struct uet_recv_post post;
	struct uet_completion rec;
	uint8_t *buf;

	for (uint32_t i = 0; i < 2 * nr; i++) {
		/* Half a round ahead, half a round behind. */
		if (i % 2 == 0) {
			post = us_want(i / 2, i / 2, &mem);
			post.offset = i / 2 * len;
			post.length = len;
			ASSERT_SYS(us_recv_post(p.rx, &post));
		} else {
			uint32_t k = (i / 2 + nr / 2) % nr;

			buf = us_message(k, len);
			EXPECT_EQ(us_send_tag(p.tx, k, k, NULL, buf, len), len);
			free(buf);
		}
	}
	for (uint32_t i = 0; i < nr; i++) {
		rec = us_completion(p.rx);
		EXPECT_EQ(rec.error, 0);
		EXPECT_EQ(rec.length, len);
		ASSERT(rec.match == rec.cookie && rec.cookie < nr);
		EXPECT(us_matches(mem.buf + rec.cookie * len, rec.cookie, 0,
				  len));
	}
	us_expect_none(p.rx);
}

static void *cancel_all_the_time(void *arg)
{
	int fd = *(int *)arg;

	for (uint32_t i = 0; i < nr_ops() / 4; i++)
		us_recv_cancel(fd, random() % 8);
	return NULL;
}

/* Posting, cancelling and arriving at once: each ends once. */
TEST(many__that_are_cancelled_meanwhile_end_once)
{
	const uint32_t nr = nr_ops() / 10;
	struct us_pair p = us_pair();
	struct us_mem mem = us_mem(p.rx, PAGE);
	struct uet_recv_post post = us_want_plain(0, &mem);
	uint32_t told[8] = { 0 }, want[8] = { 0 }, done = 0;
	struct uet_completion rec;
	pthread_t thread;
	pid_t child;

	us_set_buf(p.rx, SO_RCVBUF, 65536);
	child = CHILD(for (uint32_t i = 0; i < nr; i++)
		EXPECT_EQ(us_send(p.tx, 1, 100, 0), 100));
	ASSERT_EQ(pthread_create(&thread, NULL, cancel_all_the_time, &p.rx), 0);
	/* Until each message has found a receive that was not cancelled. */
	while (done < nr) {
		post.cookie = random() % 8;
		if (us_recv_post(p.rx, &post))
			EXPECT_EQ(errno, EAGAIN);
		else
			want[post.cookie]++;
		while (us_read_cq(p.rx, &rec, 1) == 1) {
			ASSERT(rec.cookie < 8);
			told[rec.cookie]++;
			done += !rec.error;
			EXPECT(!rec.error || rec.error == ECANCELED);
		}
	}
	harness_join(child);
	pthread_join(thread, NULL);
	ASSERT_SYS(shutdown(p.rx, SHUT_RD));
	while (us_read_cq(p.rx, &rec, 1) == 1)
		told[rec.cookie]++;
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(told[i], want[i]);
	EXPECT_EQ(done, nr);
}

HARNESS_MAIN()
