// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of completion rings (tools/lib/uet_cq.h): every operation is told once and
 * in its turn, however small the ring is and whoever reads it, and nothing that a
 * process writes there does harm to more than itself.  Started by sock_api.sh, see
 * uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "uet_cq.h"
#include "uetop.h"

#define KIB	1024

static struct uet_cq ring_of(int fd, unsigned int entries)
{
	struct uet_cq cq;

	ASSERT_SYS(uet_cq_open(&cq, fd, entries));
	return cq;
}

/* The next record, as soon as it is there, is that of one success. */
static void expect_next(struct uet_cq *cq, uint64_t cookie, uint32_t length)
{
	const struct uet_completion *rec;

	ASSERT_EQ(uet_cq_wait(cq, HARNESS_SECONDS * 1000), 1);
	rec = uet_cq_peek(cq);
	us_expect_done(rec, cookie, 1, length);
	uet_cq_next(cq);
}

/* A process that reads whatever comes. */
static pid_t eater(int fd)
{
	return CHILD({
		uint8_t *buf = us_alloc(64 * KIB);

		while (recv(fd, buf, 64 * KIB, 0) >= 0)
			;
	});
}

static int make_ring(int fd, uint32_t entries, uint32_t flags)
{
	struct uet_cq_ring ring = { .entries = entries, .flags = flags };

	return uet_ioctl(fd, UET_IOC_CQ_RING, &ring);
}

/* ------------------------------------------------------------------ making */

TEST(ring__bad_arguments_are_explained)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	EXPECT_FAILS(make_ring(fd, 16, 1), EINVAL);
	EXPECT(us_explains(fd, "flags 0x1"));
	EXPECT_FAILS(make_ring(fd, 0, 0), EINVAL);
	EXPECT(us_explains(fd, "entries 0 is not in 1..16384"));
	EXPECT_FAILS(make_ring(fd, UET_CQ_RING_LIMIT + 1, 0), EINVAL);
	EXPECT_FAILS(ioctl(fd, UET_IOC_CQ_RING, (void *)8), EFAULT);
	/* None of them has made one. */
	EXPECT_EQ(make_ring(fd, 16, 0), 0);
	EXPECT_FAILS(make_ring(fd, 16, 0), EBUSY);
	EXPECT(us_explains(fd, "has a completion ring"));
}

TEST(ring__has_the_requested_size)
{
	struct uet_cq_ring ring = { .entries = 100 };
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	ASSERT_SYS(uet_ioctl(fd, UET_IOC_CQ_RING, &ring));
	EXPECT_EQ(ring.entries, 128);
	EXPECT_GE(ring.length, 128 + 128 * sizeof(struct uet_completion));
}

TEST(ring__is_mapped_as_it_is_or_not_at_all)
{
	struct uet_cq_ring ring = { .entries = 256 };
	int fd = us_endpoint(0, UET_PID_ANY, 0), both = PROT_READ | PROT_WRITE;

	EXPECT(mmap(NULL, us_page(), both, MAP_SHARED, fd, 0) == MAP_FAILED);
	EXPECT_EQ(errno, ENXIO);
	ASSERT_SYS(uet_ioctl(fd, UET_IOC_CQ_RING, &ring));
	EXPECT(mmap(NULL, ring.length, both, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(mmap(NULL, ring.length, both, MAP_SHARED, fd, us_page()) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(mmap(NULL, ring.length + us_page(), both, MAP_SHARED, fd, 0) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(us_explains(fd, "the ring has"));
	EXPECT(mmap(NULL, ring.length, both, MAP_SHARED, fd, 0) != MAP_FAILED);
}

TEST(ring__needs_no_locked_memory)
{
	struct rlimit none = { 0, 0 };
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	harness_join(CHILD({
		ASSERT_SYS(setrlimit(RLIMIT_MEMLOCK, &none));
		ASSERT_SYS(setuid(65534));
		EXPECT_EQ(make_ring(fd, 16, 0), 0);
	}));
	EXPECT_FAILS(make_ring(fd, 16, 0), EBUSY);
}

/* ----------------------------------------------------------------- reading */

TEST(ring__reports_each_operation)
{
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 16);
	struct uet_completion want;
	char buf[100];

	EXPECT_EQ(uet_cq_wait(&cq, 0), 0);
	EXPECT_EQ(us_post(p.tx, 7, 100, 0), 100);
	EXPECT_EQ(recv(p.rx, buf, sizeof(buf), 0), 100);
	ASSERT_EQ(uet_cq_wait(&cq, HARNESS_SECONDS * 1000), 1);
	want = (struct uet_completion){
		.cookie = 7, .count = 1, .length = 100, .opcode = UET_OP_SEND,
		.rc = US_RC_OK, .delivery = UET_DELIVERY_RUD,
	};
	EXPECT_EQ(memcmp(uet_cq_peek(&cq), &want, sizeof(want)), 0);
	EXPECT(us_events(p.tx) & POLLERR);
	uet_cq_next(&cq);
	EXPECT(!uet_cq_peek(&cq));
	EXPECT_EQ(us_events(p.tx) & POLLERR, 0);
	EXPECT_EQ(us_post_no_op(p.tx, 8, 0), 0);
	expect_next(&cq, 8, 0);
}

TEST(ring__gets_earlier_completions)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_cq cq;
	int i;

	/* Not in a row: each is a record. */
	for (i = 0; i < 5; i++)
		EXPECT_EQ(us_post_no_op(p.tx, 2 * i, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	cq = ring_of(p.tx, 2);
	for (i = 0; i < 5; i++)
		expect_next(&cq, 2 * i, 0);
	EXPECT_EQ(uet_cq_wait(&cq, 0), 0);
}

TEST(ring__recvmsg_sends_to_it)
{
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 2);
	struct uet_completion rec;

	EXPECT_EQ(us_post_no_op(p.tx, 1, 0), 0);
	EXPECT_FAILS(us_read_cq(p.tx, &rec, 1), EOPNOTSUPP);
	EXPECT(us_explains(p.tx, "are in the completion ring"));
	expect_next(&cq, 1, 0);
}

/* A full ring tells that there is more, and loses nothing. */
TEST(ring__that_is_full_loses_nothing)
{
	enum { COUNT = 9 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_cq cq = ring_of(p.tx, 4);
	int i;

	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_post_no_op(p.tx, 3 * i, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_EQ(cq.shared->tail, 4);
	EXPECT_EQ(cq.shared->flags, UET_CQ_RING_MORE);
	for (i = 0; i < 4; i++)
		expect_next(&cq, 3 * i, 0);
	EXPECT(!uet_cq_peek(&cq));
	EXPECT_EQ(cq.shared->flags, UET_CQ_RING_MORE);
	for (; i < COUNT; i++)
		expect_next(&cq, 3 * i, 0);
	EXPECT_EQ(cq.shared->flags, 0);
	EXPECT_EQ(uet_cq_wait(&cq, 0), 0);
}

/* Completions that wait for space are coalesced, as in the error queue. */
TEST(ring__full_coalesces)
{
	enum { COUNT = 50 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_cq cq = ring_of(p.tx, 1);
	uint64_t next = 0;
	int i;

	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(us_post_no_op(p.tx, i, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	for (i = 0; uet_cq_wait(&cq, 0) == 1; i++) {
		EXPECT_EQ(uet_cq_peek(&cq)->cookie, next);
		next += uet_cq_peek(&cq)->count;
		uet_cq_next(&cq);
	}
	EXPECT_EQ(next, COUNT);
	EXPECT_EQ(i, 2);
}

/* Several thousand through a small ring, sent by another process meanwhile. */
static void through(int type, unsigned int entries)
{
	int seen, count = 2000 / harness_scale();
	struct us_pair p = us_pair_of(type);
	struct uet_cq cq = ring_of(p.tx, entries);
	pid_t sender, rest = eater(p.rx);
	uint64_t cookie, sum = 0;

	sender = CHILD({
		for (int i = 0; i < count; i++)
			EXPECT_EQ(us_post(p.tx, 2 * i, 1 + i % 300, 0), 1 + i % 300);
	});
	for (seen = 0; seen < count; seen++) {
		ASSERT_EQ(uet_cq_wait(&cq, HARNESS_SECONDS * 1000), 1);
		cookie = uet_cq_peek(&cq)->cookie;
		EXPECT_EQ(uet_cq_peek(&cq)->error, 0);
		EXPECT_EQ(uet_cq_peek(&cq)->count, 1);
		if (type == SOCK_SEQPACKET)
			EXPECT_EQ(cookie, 2 * seen);
		sum += cookie;
		uet_cq_next(&cq);
	}
	EXPECT_EQ(sum, (uint64_t)count * (count - 1));
	EXPECT_EQ(uet_cq_wait(&cq, 0), 0);
	harness_join(sender);
	kill(rest, SIGKILL);
}

TEST(many__completions_pass_a_small_ring)
{
	through(SOCK_RDM, 8);
}

TEST(many__completions_pass_a_small_ring_in_order)
{
	through(SOCK_SEQPACKET, 64);
}

/* ------------------------------------------------------------------- harm */

/* Indices that make no sense: the kernel writes what it may, and no more. */
TEST(ring__nonsense_is_no_harm)
{
	static const uint32_t heads[] = { 1, 17, 0x7fffffff, 0x80000000,
					  0xffffff00 };
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 16);
	char buf[10];
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		cq.shared->head = cq.shared->tail + heads[i];
		cq.shared->entries = heads[i];
		EXPECT_EQ(us_post(p.tx, i, 10, 0), 10);
		EXPECT_EQ(recv(p.rx, buf, sizeof(buf), 0), 10);
		WAIT_FOR(us_queued(p.tx, SIOCOUTQ) == 0);
		us_events(p.tx);
	}
	memset(cq.shared, 0xff, cq.size);
	EXPECT_EQ(us_post_no_op(p.tx, i, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	close(p.tx);
}

/* A process that repairs the ring gets the completions that have waited. */
TEST(ring__nonsense_can_be_put_right)
{
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 4);

	cq.shared->head = cq.shared->tail + 1;
	EXPECT_EQ(us_post_no_op(p.tx, 5, 0), 0);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	EXPECT_EQ(cq.shared->tail, 0);
	cq.shared->head = 0;
	expect_next(&cq, 5, 0);
}

/* A mapping keeps the socket, and what is under way completes there. */
TEST(ring__outlives_the_descriptor)
{
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 16);
	char buf[10];

	EXPECT_EQ(us_post(p.tx, 1, 10, 0), 10);
	close(p.tx);
	EXPECT_EQ(recv(p.rx, buf, sizeof(buf), 0), 10);
	WAIT_FOR(uet_cq_peek(&cq));
	us_expect_done(uet_cq_peek(&cq), 1, 1, 10);
	uet_cq_close(&cq);
}

TEST(ring__is_not_inherited)
{
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 16);
	unsigned char vec;

	EXPECT_EQ(mincore(cq.shared, 1, &vec), 0);
	harness_join(CHILD(EXPECT_FAILS(mincore(cq.shared, 1, &vec), ENOMEM)));
	uet_cq_close(&cq);
}

TEST(close__ends_a_ring_with_operations_under_way)
{
	struct us_pair p = us_pair();
	struct uet_cq cq = ring_of(p.tx, 4);
	int i;

	us_set_buf(p.rx, SO_RCVBUF, 64 * KIB);
	for (i = 0; i < 40; i++)
		EXPECT_EQ(us_post(p.tx, 2 * i, 4 * KIB, 0), 4 * KIB);
	WAIT_FOR(uet_cq_peek(&cq));
	uet_cq_close(&cq);
	close(p.tx);
	kill(eater(p.rx), SIGKILL);
}

HARNESS_MAIN()
