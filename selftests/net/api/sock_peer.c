// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of peers: a number stands for the address of an endpoint in sends, receives,
 * completions and contexts, and tells senders apart that have the same initiator id at
 * different fabric addresses.
 * Started by sock_flow.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include "uetpost.h"

#define TAG	0x77
#define ID	0x5eed
#define LEN	5000
#define KINDS	3

static const uint8_t opcodes[KINDS] = {
	UET_OP_TAGGED_SEND, UET_OP_DEFERRABLE_TSEND, UET_OP_RENDEZVOUS_TSEND,
};

/* Two senders with one initiator id, on different FEPs, and their receiver. */
struct twins {
	int tx[2], rx;
};

static int twin(int which, int rx)
{
	struct sockaddr_uet addr = us_addr(which, UET_PID_ANY, 0);
	struct sockaddr_uet to = us_name(rx);
	int fd = us_socket_of(SOCK_SEQPACKET);

	addr.suet_initiator = ID;
	ASSERT_SYS(us_bind(fd, &addr));
	ASSERT_SYS(us_connect(fd, &to));
	return fd;
}

/* The receiver has posted a receive before, which nothing fits. */
static struct twins twins(void)
{
	struct us_pair p = us_receiving_pair_of(SOCK_SEQPACKET);

	close(p.tx);
	return (struct twins){ { twin(0, p.rx), twin(1, p.rx) }, p.rx };
}

static int add(int fd, const struct sockaddr_uet *addr, uint32_t *number)
{
	struct uet_peer peer = { .addr = *addr };
	int ret = uet_ioctl(fd, UET_IOC_PEER, &peer);

	*number = peer.peer;
	return ret;
}

static uint32_t added(int fd, int who)
{
	struct sockaddr_uet addr = us_name(who);
	uint32_t number;

	ASSERT_SYS(add(fd, &addr, &number));
	EXPECT(number);
	return number;
}

static int drop(int fd, uint32_t number)
{
	return ioctl(fd, UET_IOC_PEER_REMOVE, &number);
}

static struct uet_recv_post want_peer(uint64_t cookie, uint32_t peer,
				      const struct us_mem *mem)
{
	struct uet_recv_post post = us_want(cookie, TAG, mem);

	post.flags = UET_RECV_TAGGED | UET_RECV_PEER;
	post.initiator = peer;
	return post;
}

/* Send the message made from @seed, without a completion. */
static void send_kind(int fd, uint8_t opcode, uint32_t seed)
{
	bool is_read = opcode == UET_OP_RENDEZVOUS_TSEND;
	struct uet_op op = { .opcode = opcode };
	struct uet_local local = { .length = LEN };
	struct us_control c = { .len = 0 };
	uint64_t tag = TAG;
	uint8_t *buf = us_map(LEN);

	for (size_t i = 0; i < LEN; i++)
		buf[i] = us_byte(seed, i);
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_TAG, &tag, sizeof(tag));
	if (is_read) {
		local.key = us_reg(fd, buf, LEN, UET_MR_READ);
		us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	}
	EXPECT_EQ(us_send_control(fd, &c, buf, is_read ? 100 : LEN),
		  is_read ? 100 : LEN);
}

static ssize_t send_to(int fd, uint32_t peer, const struct sockaddr_uet *to,
		       const void *buf, size_t len)
{
	struct us_control c = { .len = 0 };
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_name = (void *)to,
		.msg_namelen = to ? sizeof(*to) : 0,
	};

	us_add_cmsg(&c, UET_CMSG_PEER, &peer, sizeof(peer));
	msg.msg_control = &c.space;
	msg.msg_controllen = c.len;
	return sendmsg(fd, &msg, MSG_NOSIGNAL);
}

TEST(peer__bad_requests_are_refused)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0), unbound = us_socket();
	struct sockaddr_uet addr = us_addr(1, 5, 5), bad;
	struct uet_peer peer = { .addr = addr, .reserved = 1 };
	uint32_t number, again;

	EXPECT_FAILS(ioctl(fd, UET_IOC_PEER, NULL), EFAULT);
	EXPECT_FAILS(ioctl(fd, UET_IOC_PEER_REMOVE, NULL), EFAULT);
	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_PEER, &peer), EINVAL);
	EXPECT(us_explains(fd, "reserved"));
	EXPECT_FAILS(add(unbound, &addr, &number), ENOTCONN);
	bad = addr;
	bad.suet_ri = 0;
	EXPECT_FAILS(add(fd, &bad, &number), EINVAL);
	EXPECT(us_explains(fd, "UET_IOC_PEER: suet_ri 0"));
	bad = addr;
	bad.suet_job++;
	EXPECT_FAILS(add(fd, &bad, &number), EACCES);
	EXPECT_FAILS(drop(fd, 1), ENOENT);
	EXPECT(us_explains(fd, "1 is no peer"));
	ASSERT_SYS(add(fd, &addr, &number));
	EXPECT_FAILS(add(fd, &addr, &again), EEXIST);
	EXPECT_EQ(again, number);
	ASSERT_SYS(drop(fd, number));
	EXPECT_FAILS(drop(fd, number), ENOENT);
	ASSERT_SYS(add(fd, &addr, &again));
	EXPECT(again != number);
}

static int address(int fd, struct uet_peer *peer)
{
	if (peer)
		peer->size = sizeof(*peer);
	return ioctl(fd, UET_IOC_PEER_ADDR, peer);
}

TEST(peer__has_an_address)
{
	struct sockaddr_uet addr = us_addr(1, 5, 6);
	struct uet_peer peer = { .peer = 1 };
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	EXPECT_FAILS(address(fd, NULL), EFAULT);
	EXPECT_FAILS(address(fd, &peer), ENOENT);
	EXPECT(us_explains(fd, "UET_IOC_PEER_ADDR: 1 is no peer"));
	ASSERT_SYS(add(fd, &addr, &peer.peer));
	ASSERT_SYS(address(fd, &peer));
	EXPECT(!memcmp(&peer.addr, &addr, sizeof(addr)));
	peer.reserved = 1;
	EXPECT_FAILS(address(fd, &peer), EINVAL);
	EXPECT(us_explains(fd, "reserved"));
	peer = (struct uet_peer){ .peer = peer.peer };
	ASSERT_SYS(drop(fd, peer.peer));
	EXPECT_FAILS(address(fd, &peer), ENOENT);
}

/* Successes do not name it, so that those of all peers can be joined. */
TEST(peer__is_named_in_the_completion_of_a_failure)
{
	struct us_pair p = us_receiving_pair_of(SOCK_RDM);
	struct uet_op op = us_op(UET_OP_SEND, 7);
	struct sockaddr_uet nobody = us_addr(1, 4000, 4000);
	uint32_t there = added(p.tx, p.rx), none;
	struct us_control c = { .len = 0 };
	struct uet_completion rec;

	ASSERT_SYS(add(p.tx, &nobody, &none));
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_PEER, &none, sizeof(none));
	EXPECT_EQ(us_send_control(p.tx, &c, "x", 1), 1);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.error, ECONNREFUSED);
	EXPECT_EQ(rec.peer, none);
	c.len = 0;
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_PEER, &there, sizeof(there));
	EXPECT_EQ(us_send_control(p.tx, &c, "x", 1), 1);
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.error, 0);
	EXPECT_EQ(rec.peer, 0);
}

TEST(peer__bad_receives_are_refused)
{
	struct twins t = twins();
	struct us_mem mem = us_mem(t.rx, LEN);
	struct uet_recv_post post = want_peer(1, 1, &mem);
	struct uet_recv_peek peek = {
		.flags = UET_RECV_PEER, .initiator = 9,
	};

	EXPECT_FAILS(us_recv_post(t.rx, &post), ENOENT);
	EXPECT(us_explains(t.rx, "initiator 1 is no peer"));
	post.initiator = added(t.rx, t.tx[0]);
	post.flags |= UET_RECV_ANY_SOURCE;
	EXPECT_FAILS(us_recv_post(t.rx, &post), EINVAL);
	EXPECT(us_explains(t.rx, "UET_RECV_PEER"));
	EXPECT_FAILS(uet_ioctl(t.rx, UET_IOC_RECV_PEEK, &peek), ENOENT);
	us_expect_none(t.rx);
}

/* Of any type, datagrams too; the number replaces the address. */
TEST(peer__is_the_destination_of_a_message)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET, SOCK_DGRAM };
	int rx = us_endpoint(1, UET_PID_ANY, 0), fd;
	struct sockaddr_uet to = us_name(rx);
	uint8_t *buf = us_message(3, 100);
	uint32_t number;
	size_t i;

	for (i = 0; i < 3; i++) {
		fd = us_endpoint_of(types[i], 0, UET_PID_ANY, 0);
		EXPECT_FAILS(send_to(fd, 1, NULL, buf, 100), ENOENT);
		EXPECT(us_explains(fd, "UET_CMSG_PEER: 1 is no peer"));
		number = added(fd, rx);
		EXPECT_FAILS(send_to(fd, number, &to, buf, 100), EINVAL);
		EXPECT_EQ(send_to(fd, number, NULL, buf, 100), 100);
		us_expect(rx, 3, 100);
		ASSERT_SYS(drop(fd, number));
		EXPECT_FAILS(send_to(fd, number, NULL, buf, 100), ENOENT);
		close(fd);
	}
	free(buf);
}

/* The receive waits, and the message of the other sender comes first. */
TEST(peer__receives_take_messages_of_their_peer)
{
	struct twins t = twins();
	struct us_mem mem[2] = { us_mem(t.rx, LEN), us_mem(t.rx, LEN) };
	struct uet_completion rec;
	uint32_t number[2], i, kind;
	struct uet_recv_post post;

	for (i = 0; i < 2; i++)
		number[i] = added(t.rx, t.tx[i]);
	EXPECT(number[0] != number[1]);
	for (kind = 0; kind < KINDS; kind++) {
		for (i = 0; i < 2; i++) {
			post = want_peer(i, number[i], &mem[i]);
			ASSERT_SYS(us_recv_post(t.rx, &post));
		}
		for (i = 2; i-- > 0; ) {
			send_kind(t.tx[i], opcodes[kind], i);
			rec = us_expect_recv(t.rx, i, mem[i].buf, i, LEN);
			EXPECT_EQ(rec.peer, number[i]);
			EXPECT_EQ(rec.initiator, ID);
			EXPECT_EQ(rec.opcode, opcodes[kind]);
		}
	}
	us_expect_none(t.rx);
}

/* Peers that are added while messages wait, and removed again. */
TEST(peer__unexpected_messages_are_told_apart)
{
	struct twins t = twins();
	struct us_mem mem = us_mem(t.rx, LEN);
	const struct uet_recv_peek want = {
		.match = TAG, .flags = UET_RECV_TAGGED | UET_RECV_PEER,
	};
	struct uet_recv_peek peek = want;
	struct uet_recv_post post;
	struct uet_completion rec;
	uint32_t number, i, kind;

	for (i = 2; i-- > 0; ) {
		for (kind = 0; kind < KINDS; kind++)
			send_kind(t.tx[i], opcodes[kind], 10 * i + kind);
		us_settle(t.tx[i]);
	}
	number = added(t.rx, t.tx[0]);
	peek.initiator = added(t.rx, t.tx[1]);
	ASSERT_SYS(drop(t.rx, peek.initiator));
	EXPECT_FAILS(uet_ioctl(t.rx, UET_IOC_RECV_PEEK, &peek), ENOENT);
	for (kind = 0; kind < KINDS; kind++) {
		peek = want;
		peek.initiator = number;
		ASSERT_SYS(uet_ioctl(t.rx, UET_IOC_RECV_PEEK, &peek));
		EXPECT_EQ(peek.ctx.peer, number);
		EXPECT_EQ(peek.ctx.opcode, opcodes[kind]);
		post = want_peer(kind, number, &mem);
		ASSERT_SYS(us_recv_post(t.rx, &post));
		rec = us_expect_recv(t.rx, kind, mem.buf, kind, LEN);
		EXPECT_EQ(rec.peer, number);
	}
	peek = want;
	peek.initiator = number;
	EXPECT_FAILS(uet_ioctl(t.rx, UET_IOC_RECV_PEEK, &peek), ENOMSG);
	post = us_want(9, TAG, &mem);
	for (kind = 0; kind < KINDS; kind++) {
		ASSERT_SYS(us_recv_post(t.rx, &post));
		rec = us_expect_recv(t.rx, 9, mem.buf, 10 + kind, LEN);
		EXPECT_EQ(rec.peer, 0);
	}
}

/* The order of posting decides among receives of all kinds. */
TEST(peer__the_first_posted_receive_takes_the_message)
{
	struct twins t = twins();
	struct us_mem mem = us_mem(t.rx, LEN);
	uint32_t number = added(t.rx, t.tx[0]), order, i;

	for (order = 0; order < 3; order++) {
		struct uet_recv_post posts[3] = {
			want_peer(0, number, &mem), us_want(1, TAG, &mem),
			us_want(2, TAG, &mem),
		};

		posts[2].flags = UET_RECV_TAGGED;
		posts[2].initiator = ID;
		for (i = 0; i < 3; i++)
			ASSERT_SYS(us_recv_post(t.rx, &posts[(i + order) % 3]));
		for (i = 0; i < 3; i++) {
			send_kind(t.tx[0], UET_OP_TAGGED_SEND, i);
			us_expect_recv(t.rx, (i + order) % 3, mem.buf, i, LEN);
		}
	}
}

TEST(peer__is_named_in_the_context_of_a_message)
{
	struct twins t = twins();
	uint32_t number = added(t.rx, t.tx[1]);
	struct us_ctx_msg m;
	uint8_t buf[16];
	int i;

	us_want_ctx(t.rx);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(us_send(t.tx[i], 1, 10, 0), 10);
		EXPECT_EQ(us_recv_ctx(t.rx, &m, buf, sizeof(buf), 0), 10);
		EXPECT_EQ(us_ctx(&m).peer, i ? number : 0);
	}
}

TEST(peer__as_many_as_may_be)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	uint32_t number = 0, first = 0, i;
	struct sockaddr_uet addr;

	for (i = 0; i < UET_PEER_LIMIT; i++) {
		addr = us_addr(1, i % 4096, 1 + i / 4096);
		ASSERT_SYS(add(fd, &addr, &number));
		if (!i)
			first = number;
	}
	addr = us_addr(1, 0, 100);
	EXPECT_FAILS(add(fd, &addr, &number), ENOSPC);
	EXPECT(us_explains(fd, "65536 peers"));
	ASSERT_SYS(drop(fd, first));
	ASSERT_SYS(add(fd, &addr, &number));
}

HARNESS_MAIN()
