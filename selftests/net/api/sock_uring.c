// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of AF_UET sockets under io_uring: sends and receives that run at once, that
 * have to wait, are cancelled, or outlive their ring, and completions read from the
 * error queue.  Started by sock_api.sh, see uetsock.h for what it needs.
 * Level: test.
 */
#define _GNU_SOURCE
#include <liburing.h>

#include "uetop.h"

#define KIB	1024
#define DEPTH	32

static struct io_uring ring_new(void)
{
	struct io_uring ring;
	int err = io_uring_queue_init(DEPTH, &ring, 0);

	if (err == -ENOSYS || err == -EPERM)
		SKIP("no io_uring here");
	ASSERT_EQ(err, 0);
	return ring;
}

static struct io_uring_sqe *sqe_of(struct io_uring *ring, uint64_t what)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	ASSERT(sqe);
	io_uring_sqe_set_data64(sqe, what);
	return sqe;
}

static void submit(struct io_uring *ring, int count)
{
	ASSERT_EQ(io_uring_submit(ring), count);
}

/* The next outcome. @what: of which; returns its result. */
static int outcome(struct io_uring *ring, uint64_t *what)
{
	struct __kernel_timespec limit = {
		.tv_sec = HARNESS_SECONDS * harness_scale() };
	struct io_uring_cqe *cqe;
	int result;

	ASSERT_EQ(io_uring_wait_cqe_timeout(ring, &cqe, &limit), 0);
	*what = io_uring_cqe_get_data64(cqe);
	result = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return result;
}

static void expect_outcome(struct io_uring *ring, uint64_t what, int result)
{
	uint64_t which;

	EXPECT_EQ(outcome(ring, &which), result);
	EXPECT_EQ(which, what);
}

static void expect_idle(struct io_uring *ring)
{
	EXPECT_EQ(io_uring_cq_ready(ring), 0);
}

/* As many sends and receives at once as there is space for, all of one size. */
static void exchange(int type, size_t size)
{
	enum { COUNT = DEPTH / 2 };
	struct us_pair p = us_pair_of(type);
	struct io_uring ring = ring_new();
	uint8_t *in[COUNT], *out[COUNT];
	bool seen[COUNT] = { false };
	uint64_t what;
	uint32_t seed;
	int i;

	for (i = 0; i < COUNT; i++) {
		in[i] = us_alloc(size);
		out[i] = us_message(i, size);
		memcpy(out[i], &(uint32_t){ i }, 4);
		io_uring_prep_recv(sqe_of(&ring, COUNT + i), p.rx, in[i], size,
				   0);
		io_uring_prep_send(sqe_of(&ring, i), p.tx, out[i], size,
				   MSG_NOSIGNAL);
	}
	submit(&ring, 2 * COUNT);
	for (i = 0; i < 2 * COUNT; i++)
		EXPECT_EQ(outcome(&ring, &what), (int)size);
	for (i = 0; i < COUNT; i++) {
		memcpy(&seed, in[i], 4);
		ASSERT(seed < COUNT && !seen[seed]);
		seen[seed] = true;
		EXPECT_EQ(memcmp(in[i], out[seed], size), 0);
	}
	expect_idle(&ring);
	io_uring_queue_exit(&ring);
}

TEST(uring__carries_messages)
{
	exchange(SOCK_RDM, 100);
	exchange(SOCK_SEQPACKET, 9000);
	exchange(SOCK_DGRAM, 1000);
}

TEST(uring__carries_messages_of_many_packets)
{
	exchange(SOCK_RDM, 100 * KIB);
}

TEST(uring__receive_waits)
{
	struct us_pair p = us_pair();
	struct io_uring ring = ring_new();
	uint8_t buf[10];

	io_uring_prep_recv(sqe_of(&ring, 1), p.rx, buf, sizeof(buf), 0);
	submit(&ring, 1);
	expect_idle(&ring);
	EXPECT_EQ(us_send(p.tx, 5, 10, 0), 10);
	expect_outcome(&ring, 1, 10);
	EXPECT(us_matches(buf, 5, 0, 10));
	io_uring_queue_exit(&ring);
}

TEST(uring__send_waits)
{
	struct us_pair p = us_pair();
	struct io_uring ring = ring_new();
	uint8_t *buf = us_message(0, 64 * KIB);
	int sent = 0, read = 0;
	uint64_t what;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	for (int i = 0; i < DEPTH; i++)
		io_uring_prep_send(sqe_of(&ring, i), p.tx, buf, 32 * KIB,
				   MSG_NOSIGNAL);
	submit(&ring, DEPTH);
	/* Not all of them fit anywhere. */
	for (; read < DEPTH; read++)
		EXPECT_EQ(recv(p.rx, buf, 64 * KIB, 0), 32 * KIB);
	for (; sent < DEPTH; sent++)
		EXPECT_EQ(outcome(&ring, &what), 32 * KIB);
	expect_idle(&ring);
	io_uring_queue_exit(&ring);
}

/*
 * A message that does not fit the buffers is refused at one end, and comes in pieces at
 * the other.
 */
TEST(uring__carries_a_long_message)
{
	enum { SIZE = 1024 * KIB };
	struct us_pair p = us_pair();
	struct io_uring ring = ring_new();
	uint8_t *buf = us_message(3, SIZE);
	uint64_t what;
	pid_t child;
	int got, n;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	io_uring_prep_send(sqe_of(&ring, 1), p.tx, buf, SIZE, MSG_NOSIGNAL);
	submit(&ring, 1);
	expect_outcome(&ring, 1, -EMSGSIZE);

	child = CHILD({ EXPECT_EQ(us_send(p.tx, 3, SIZE, 0), SIZE); });
	for (got = 0; got < SIZE; got += n) {
		io_uring_prep_recv(sqe_of(&ring, 2), p.rx, buf, SIZE, 0);
		submit(&ring, 1);
		n = outcome(&ring, &what);
		ASSERT(n > 0);
		EXPECT(us_matches(buf, 3, got, n));
	}
	EXPECT_EQ(got, SIZE);
	harness_join(child);
	io_uring_queue_exit(&ring);
}

/* One operation after the other: what is sent is what the other end answers. */
TEST(uring__keeps_the_order_of_links)
{
	struct us_pair p = us_pair();
	struct sockaddr_uet back = us_name(p.tx);
	struct io_uring ring = ring_new();
	struct io_uring_sqe *sqe;
	uint8_t question[8] = "ask", heard[8], answer[8];

	ASSERT_SYS(us_connect(p.rx, &back));
	sqe = sqe_of(&ring, 1);
	io_uring_prep_send(sqe, p.tx, question, 8, MSG_NOSIGNAL);
	sqe->flags |= IOSQE_IO_LINK;
	sqe = sqe_of(&ring, 2);
	io_uring_prep_recv(sqe, p.rx, heard, 8, 0);
	sqe->flags |= IOSQE_IO_LINK;
	sqe = sqe_of(&ring, 3);
	io_uring_prep_send(sqe, p.rx, heard, 8, MSG_NOSIGNAL);
	sqe->flags |= IOSQE_IO_LINK;
	io_uring_prep_recv(sqe_of(&ring, 4), p.tx, answer, 8, 0);
	submit(&ring, 4);
	for (int i = 1; i <= 4; i++)
		expect_outcome(&ring, i, 8);
	EXPECT_EQ(memcmp(answer, question, 8), 0);
	io_uring_queue_exit(&ring);
}

TEST(uring__cancels_a_receive)
{
	struct us_pair p = us_pair();
	struct io_uring ring = ring_new();
	uint64_t what;
	uint8_t byte;
	int i, result;

	io_uring_prep_recv(sqe_of(&ring, 1), p.rx, &byte, 1, 0);
	submit(&ring, 1);
	io_uring_prep_cancel64(sqe_of(&ring, 2), 1, 0);
	submit(&ring, 1);
	for (i = 0; i < 2; i++) {
		result = outcome(&ring, &what);
		EXPECT_EQ(result, what == 1 ? -ECANCELED : 0);
	}
	/* The socket is as good as before. */
	EXPECT_EQ(us_send(p.tx, 1, 1, 0), 1);
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 1);
	io_uring_queue_exit(&ring);
}

/* Operations and their completions, by the calls that carry control messages. */
TEST(uring__carries_completions)
{
	union {
		char bytes[4 * US_CQ_SPACE];
		struct cmsghdr align;
	} control;
	struct us_pair p = us_pair();
	struct io_uring ring = ring_new();
	struct uet_op op = us_op(UET_OP_SEND, 77);
	struct uet_completion rec;
	struct iovec iov = { us_message(7, 50), 50 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(op)),
	};
	uint8_t buf[50];

	control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(op)),
		.cmsg_level = SOL_UET, .cmsg_type = UET_CMSG_OP };
	memcpy(CMSG_DATA(&control.align), &op, sizeof(op));
	io_uring_prep_sendmsg(sqe_of(&ring, 1), p.tx, &msg, MSG_NOSIGNAL);
	submit(&ring, 1);
	expect_outcome(&ring, 1, 50);
	EXPECT_EQ(recv(p.rx, buf, sizeof(buf), 0), 50);
	EXPECT(us_matches(buf, 7, 0, 50));
	WAIT_FOR(us_events(p.tx) & POLLERR);

	msg = (struct msghdr){ .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	io_uring_prep_recvmsg(sqe_of(&ring, 2), p.tx, &msg, MSG_ERRQUEUE);
	submit(&ring, 1);
	expect_outcome(&ring, 2, 0);
	ASSERT_EQ(control.align.cmsg_len, CMSG_LEN(sizeof(rec)));
	memcpy(&rec, CMSG_DATA(&control.align), sizeof(rec));
	us_expect_done(&rec, 77, 1, 50);
	us_expect_none(p.tx);
	io_uring_queue_exit(&ring);
}

/* A ring that goes with receives and sends waiting takes them along. */
TEST(uring__takes_operations_under_way_along)
{
	struct us_pair p = us_pair();
	struct io_uring ring = ring_new();
	uint8_t *buf = us_alloc(64 * KIB), byte;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	us_set_buf(p.tx, SO_SNDBUF, 64 * KIB);
	memset(buf, 0, 64 * KIB);
	for (int i = 0; i < 8; i++)
		io_uring_prep_send(sqe_of(&ring, i), p.tx, buf, 32 * KIB,
				   MSG_NOSIGNAL);
	io_uring_prep_recv(sqe_of(&ring, 8), p.tx, &byte, 1, 0);
	submit(&ring, 9);
	io_uring_queue_exit(&ring);
	close(p.tx);
	close(p.rx);
}

HARNESS_MAIN()
