// SPDX-License-Identifier: GPL-2.0
/*
 * A user and his peers pile up thousands of messages at a socket.  Then the tests make
 * calls that handle all of them.  holds.sh measures how long each lock is held meanwhile.
 * See uetsock.h for what the tests need.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "uetpost.h"

#define MANY	4000
#define BUF	(256 << 20)

static void set_force(int fd, int which, int bytes)
{
	ASSERT_SYS(setsockopt(fd, SOL_SOCKET, which, &bytes, sizeof(bytes)));
}

static struct us_pair big_pair(void)
{
	struct us_pair p = us_pair();

	set_force(p.rx, SO_RCVBUFFORCE, BUF);
	set_force(p.tx, SO_SNDBUFFORCE, BUF);
	return p;
}

/* From now on nothing arrives. */
static void lose_all(void)
{
	ASSERT_EQ(system("tc qdisc add dev lo root netem loss 100%"), 0);
}

static void lose_none(void)
{
	ASSERT_EQ(system("tc qdisc del dev lo root"), 0);
}

/* A message of one byte is there, or was received. */
static void put(int fd, uint64_t tag)
{
	struct uet_completion rec;
	uint8_t byte = 0;

	ASSERT_EQ(us_send_tag(fd, tag, tag, NULL, &byte, 1), 1);
	rec = us_completion(fd);
	EXPECT_EQ(rec.error, 0);
}

/* Each message has a tag of its own. */
static struct us_pair filled_pair(void)
{
	struct us_pair p = big_pair();

	for (uint64_t i = 0; i < MANY; i++)
		put(p.tx, i << 8);
	return p;
}

static struct uet_recv_post want(uint64_t match, uint64_t ignore)
{
	return (struct uet_recv_post){
		.match = match, .ignore = ignore,
		.flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE | UET_RECV_TRUNC,
	};
}

/* The receive ends with the message of this tag. */
static void expect_tag(int fd, const struct uet_recv_post *post, uint64_t tag)
{
	struct uet_completion rec;

	ASSERT_SYS(us_recv_post(fd, post));
	rec = us_completion(fd);
	EXPECT_EQ(rec.error, 0);
	EXPECT_EQ(rec.match, tag);
}

TEST(hold__of_the_first_receive_is_short)
{
	struct us_pair p = filled_pair();
	struct uet_recv_post post = want((MANY - 1) << 8, 0);

	expect_tag(p.rx, &post, (MANY - 1) << 8);
	post = want(0, 0);
	expect_tag(p.rx, &post, 0);
}

/* Some sets of ignore bits are hashed, the others compare all messages. */
TEST(hold__with_ignore_bits_is_short)
{
	struct us_pair p = filled_pair();
	struct uet_recv_post post;
	struct uet_recv_peek peek = {
		.match = 1, .flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};
	uint64_t tag, i;

	for (i = 1; i <= 8; i++) {
		tag = (MANY - i) << 8;
		post = want(tag | i, i);
		expect_tag(p.rx, &post, tag);
		/* The next one waits. */
		ASSERT_SYS(us_recv_post(p.rx, &post));
		peek.ignore = 1ull << (40 + i);
		EXPECT_FAILS(uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &peek), ENOMSG);
	}
}

TEST(hold__of_peers_is_short)
{
	struct us_pair p = filled_pair();
	struct uet_peer peer = { .addr = us_name(p.tx) };
	struct uet_recv_post post = want(77 << 8, 0);

	ASSERT_SYS(uet_ioctl(p.rx, UET_IOC_PEER, &peer));
	expect_tag(p.rx, &post, 77 << 8);
	post = want(78 << 8, 0);
	post.flags = UET_RECV_TAGGED | UET_RECV_PEER | UET_RECV_TRUNC;
	post.initiator = peer.peer;
	expect_tag(p.rx, &post, 78 << 8);
	ASSERT_SYS(ioctl(p.rx, UET_IOC_PEER_REMOVE, &peer.peer));
	peer.peer = 0;
	ASSERT_SYS(uet_ioctl(p.rx, UET_IOC_PEER, &peer));
	post.match = 79 << 8;
	post.initiator = peer.peer;
	expect_tag(p.rx, &post, 79 << 8);
}

TEST(hold__receives_wait)
{
	struct us_pair p = big_pair();
	struct uet_recv_post post;

	for (uint64_t i = 0; i < 8000; i++) {
		post = want(i % 3 ? i : 7, 0);
		ASSERT_SYS(us_recv_post(p.rx, &post));
	}
	put(p.tx, 7999);
}

/*
 * Messages of one tag arrive while the first receives are posted, in any way: they are
 * received in their order.
 */
TEST(hold__order_while_messages_arrive_is_kept)
{
	enum { BEFORE = 1000, AFTER = 1000 };
	struct us_pair p = big_pair();
	struct uet_recv_post post;
	uint64_t next = 0;
	pid_t child;

	for (uint64_t i = 0; i < BEFORE; i++)
		put(p.tx, i);
	child = fork();
	ASSERT_SYS(child);
	if (!child) {
		for (uint64_t i = BEFORE; i < BEFORE + AFTER; i++)
			put(p.tx, i);
		_exit(0);
	}
	for (; next < BEFORE + AFTER; next++) {
		/* 8 sets of ignore bits; each takes any message. */
		post = want(0, 0xffffffff | 1ull << (40 + next % 8));
		expect_tag(p.rx, &post, next);
	}
	waitpid(child, NULL, 0);
}

/* holds.sh has set a short peer-timeout. */
TEST(hold__of_a_dead_peer_is_short)
{
	struct us_pair p = big_pair();
	uint8_t byte = 0;

	put(p.tx, 0);
	/* The messages stay with their sender. */
	lose_all();
	for (uint64_t i = 1; i <= MANY; i++)
		ASSERT_EQ(us_send_tag(p.tx, i, i, NULL, &byte, 1), 1);
	for (uint64_t i = 1; i <= MANY; i++)
		EXPECT_EQ(us_completion(p.tx).error, ETIMEDOUT);
	lose_none();
}

/* All but those on their way: at most a window. */
TEST(hold__of_a_cancelled_queue_is_short)
{
	struct uet_send_cancel ask = { .flags = UET_CANCEL_COOKIE, .cookie = 7 };
	struct us_pair p = big_pair();
	int n, cancelled = 0;
	uint8_t byte = 0;

	put(p.tx, 0);
	lose_all();
	for (uint64_t i = 1; i <= MANY; i++)
		ASSERT_EQ(us_send_tag(p.tx, i, 7, NULL, &byte, 1), 1);
	n = uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask);
	EXPECT(n >= MANY - 256 && n <= MANY);
	lose_none();
	for (uint64_t i = 1; i <= MANY; i++)
		cancelled += us_completion(p.tx).error == ECANCELED;
	EXPECT_EQ(cancelled, n);
	EXPECT_FAILS(uet_ioctl(p.tx, UET_IOC_SEND_CANCEL, &ask), ENOENT);
}

/* Begin a rendezvous of all of @mem, of which nothing is sent with it. */
static void offer(int fd, const struct us_mem *mem, uint64_t tag)
{
	const struct uet_local local = { mem->key, 0, mem->len };
	struct uet_op op = us_op(UET_OP_RENDEZVOUS_TSEND, tag);
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	ASSERT_EQ(us_send_control(fd, &c, mem->buf, 0), 0);
}

/* The receiver has all envelopes, and its sender closes. */
TEST(hold__of_a_closed_offerer_is_short)
{
	struct us_pair p = big_pair();
	struct us_mem mem = { us_map(16384), 16384, 0 };
	struct uet_recv_peek peek = {
		.match = MANY, .flags = UET_RECV_TAGGED | UET_RECV_ANY_SOURCE,
	};

	mem.key = us_reg(p.tx, mem.buf, mem.len, UET_MR_READ);
	for (uint64_t i = 1; i <= MANY; i++)
		offer(p.tx, &mem, i);
	WAIT_FOR(!uet_ioctl(p.rx, UET_IOC_RECV_PEEK, &peek));
	ASSERT_SYS(close(p.tx));
}

HARNESS_MAIN()
