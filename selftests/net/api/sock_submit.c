// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of submission rings (tools/lib/uet_sq.h): what the entries ask for is done once
 * and in their order, an entry that fails is told and the next one goes on, one that
 * would have to wait stays, and nothing that a process writes there does harm to more
 * than itself.  Started by sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>

#include "uet_sq.h"
#include "uetpost.h"
#include "uetrma.h"

#define KIB	1024
#define TAG	0x77

static struct uet_sq ring_of(int fd, unsigned int entries)
{
	struct uet_sq sq;

	ASSERT_SYS(uet_sq_open(&sq, fd, entries));
	return sq;
}

static struct uet_sq_entry *next_op(struct uet_sq *sq, int opcode, uint64_t cookie)
{
	struct uet_sq_entry *entry = uet_sq_next(sq);

	ASSERT(entry);
	entry->kind = UET_SQ_OP;
	entry->send.op = us_op(opcode, cookie);
	return entry;
}

static void push_inline(struct uet_sq *sq, uint64_t cookie, const void *buf, size_t len)
{
	struct uet_sq_entry *entry = next_op(sq, UET_OP_TAGGED_SEND, cookie);

	entry->flags = UET_SQ_INLINE;
	entry->send.tag = TAG;
	entry->send.length = len;
	memcpy(entry->send.data, buf, len);
	uet_sq_push(sq);
}

/* A message without completion; @entry: of uet_sq_next() */
static void push_number(struct uet_sq *sq, struct uet_sq_entry *entry, uint32_t number)
{
	entry->kind = UET_SQ_OP;
	entry->flags = UET_SQ_INLINE;
	entry->send.op.opcode = UET_OP_SEND;
	entry->send.length = sizeof(number);
	memcpy(entry->send.data, &number, sizeof(number));
	uet_sq_push(sq);
}

static void push_payload(struct uet_sq *sq, int opcode, uint64_t cookie,
			 const void *buf, size_t len)
{
	struct uet_sq_entry *entry = next_op(sq, opcode, cookie);

	entry->send.addr = (uintptr_t)buf;
	entry->send.length = len;
	uet_sq_push(sq);
}

static void push_recv(struct uet_sq *sq, const struct uet_recv_post *post)
{
	struct uet_sq_entry *entry = uet_sq_next(sq);

	ASSERT(entry);
	entry->kind = UET_SQ_RECV;
	entry->recv = *post;
	entry->recv.size = sizeof(*post);
	uet_sq_push(sq);
}

static void expect_error(int fd, uint64_t cookie, int error)
{
	struct uet_completion rec = us_completion(fd);

	EXPECT_EQ(rec.cookie, cookie);
	EXPECT_EQ(rec.error, error);
	EXPECT_EQ(rec.count, 1);
	EXPECT_EQ(rec.length, 0);
	EXPECT(rec.flags & UET_COMPLETION_REFUSED);
}

static int make_ring(int fd, uint32_t entries, uint32_t flags)
{
	struct uet_sq_ring ring = { .entries = entries, .flags = flags };

	return uet_ioctl(fd, UET_IOC_SQ_RING, &ring);
}

/* ------------------------------------------------------------------ making */

TEST(sq__bad_arguments_are_explained)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	EXPECT_FAILS(ioctl(fd, UET_IOC_SUBMIT, 1), ENXIO);
	EXPECT(us_explains(fd, "has no submission ring"));
	EXPECT_FAILS(make_ring(fd, 16, 1), EINVAL);
	EXPECT(us_explains(fd, "flags 0x1"));
	EXPECT_FAILS(make_ring(fd, 0, 0), EINVAL);
	EXPECT(us_explains(fd, "entries 0 is not in 1..16384"));
	EXPECT_FAILS(make_ring(fd, UET_SQ_LIMIT + 1, 0), EINVAL);
	EXPECT_FAILS(ioctl(fd, UET_IOC_SQ_RING, (void *)8), EFAULT);
	EXPECT_EQ(make_ring(fd, 16, 0), 0);
	EXPECT_FAILS(make_ring(fd, 16, 0), EBUSY);
	EXPECT(us_explains(fd, "has a submission ring"));
	fd = us_endpoint_of(SOCK_DGRAM, 0, UET_PID_ANY, 0);
	EXPECT_FAILS(make_ring(fd, 16, 0), EOPNOTSUPP);
	EXPECT(us_explains(fd, "not for SOCK_DGRAM"));
}

TEST(sq__is_mapped_beside_the_completion_ring)
{
	struct uet_sq_ring sq = { .entries = 100 };
	struct uet_cq_ring cq = { .entries = 100 };
	int fd = us_endpoint(0, UET_PID_ANY, 0), both = PROT_READ | PROT_WRITE;
	struct uet_sq_ring_head *head;

	EXPECT(mmap(NULL, us_page(), both, MAP_SHARED, fd, UET_SQ_RING_OFFSET) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, ENXIO);
	ASSERT_SYS(uet_ioctl(fd, UET_IOC_CQ_RING, &cq));
	ASSERT_SYS(uet_ioctl(fd, UET_IOC_SQ_RING, &sq));
	EXPECT_EQ(sq.entries, 128);
	EXPECT_EQ(sq.length, ((128 + 1) * 128 + us_page() - 1) / us_page() * us_page());
	EXPECT(mmap(NULL, sq.length, both, MAP_PRIVATE, fd, sq.offset) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(mmap(NULL, sq.length + us_page(), both, MAP_SHARED, fd, sq.offset) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(mmap(NULL, us_page(), both, MAP_SHARED, fd, sq.offset + us_page()) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT(us_explains(fd, "the rings are at 0 and"));
	head = mmap(NULL, sq.length, both, MAP_SHARED, fd, sq.offset);
	ASSERT(head != MAP_FAILED);
	EXPECT_EQ(head->entries, 128);
	EXPECT_EQ(ioctl(fd, UET_IOC_SUBMIT, 1), 0);
}

TEST(sq__needs_no_locked_memory)
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

/* -------------------------------------------------------------- submitting */

TEST(submit__sends_and_receives)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_sq tx = ring_of(p.tx, 4), rx = ring_of(p.rx, 4);
	uint8_t *big = us_message(2, 100 * KIB), small[64];
	struct us_mem mem = us_mem(p.rx, 100 * KIB);
	struct uet_recv_post post = us_want(1, TAG, &mem);
	struct uet_completion rec;

	memcpy(small, us_message(1, 64), 64);
	push_recv(&rx, &post);
	EXPECT_EQ(uet_sq_submit(&rx), 1);
	push_inline(&tx, 5, small, 64);
	push_payload(&tx, UET_OP_SEND, 9, big, 100 * KIB);
	EXPECT_EQ(uet_sq_waiting(&tx), 2);
	EXPECT_EQ(uet_sq_submit(&tx), 2);
	EXPECT_EQ(uet_sq_waiting(&tx), 0);
	us_expect_recv(p.rx, 1, mem.buf, 1, 64);
	us_expect(p.rx, 2, 100 * KIB);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 5, 1, 64);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 9, 1, 100 * KIB);
	EXPECT_EQ(uet_sq_submit(&tx), 0);
}

TEST(submit__reaches_a_peer_by_number)
{
	struct us_pair p = us_pair();
	int tx = us_endpoint(0, UET_PID_ANY, 0);
	struct uet_peer peer = { .addr = us_name(p.rx) };
	struct uet_sq sq = ring_of(tx, 4);
	struct uet_sq_entry *entry;
	struct us_ctx_msg m;
	char byte;

	ASSERT_SYS(uet_ioctl(tx, UET_IOC_PEER, &peer));
	entry = next_op(&sq, UET_OP_SEND, 1);
	entry->peer = peer.peer;
	entry->flags = UET_SQ_INLINE | UET_SQ_HDATA | UET_SQ_MORE;
	entry->send.op.flags = 0;
	entry->send.header_data = 0x1234;
	entry->send.length = 1;
	uet_sq_push(&sq);
	push_payload(&sq, UET_OP_SEND, 2, "x", 1);
	EXPECT_EQ(uet_sq_submit(&sq), 2);
	us_want_ctx(p.rx);
	ASSERT_EQ(us_recv_ctx(p.rx, &m, &byte, 1, 0), 1);
	EXPECT_EQ(us_ctx(&m).header_data, 0x1234);
	/* The socket is not connected. */
	expect_error(tx, 2, EDESTADDRREQ);
}

TEST(submit__carries_rma_and_atomics)
{
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_sq sq = ring_of(p.tx, 8);
	uint8_t *theirs = us_map(4 * KIB), *ours = us_map(4 * KIB);
	uint64_t key = us_reg(p.rx, theirs, 4 * KIB,
			      UET_MR_READ | UET_MR_WRITE | UET_MR_ATOMIC);
	uint64_t own = us_reg(p.tx, ours, 4 * KIB, 0), one = 1, sum = 41;
	const uint8_t *data = us_message(3, KIB);
	struct uet_sq_entry *entry;
	struct uet_completion rec;

	memcpy(theirs + 2 * KIB, &sum, 8);
	entry = next_op(&sq, UET_OP_WRITE, 10);
	entry->send.addr = (uintptr_t)data;
	entry->send.length = KIB;
	entry->send.memory.rma = (struct uet_rma){ key, 0 };
	uet_sq_push(&sq);
	entry = next_op(&sq, UET_OP_FETCHING_ATOMIC, 20);
	entry->send.addr = (uintptr_t)&one;
	entry->send.length = 8;
	entry->send.memory.rma = (struct uet_rma){ key, 2 * KIB };
	entry->send.memory.local = (struct uet_local){ own, KIB, 8 };
	entry->send.memory.atomic = (struct uet_atomic){
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT64,
	};
	uet_sq_push(&sq);
	EXPECT_EQ(uet_sq_submit(&sq), 2);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 10, 1, KIB);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 20, 1, 8);
	entry = next_op(&sq, UET_OP_READ, 30);
	entry->send.memory.rma = (struct uet_rma){ key, 0 };
	entry->send.memory.local = (struct uet_local){ own, 0, KIB };
	uet_sq_push(&sq);
	EXPECT_EQ(uet_sq_submit(&sq), 1);
	rec = us_completion(p.tx);
	us_expect_done(&rec, 30, 1, KIB);
	EXPECT(us_matches(ours, 3, 0, KIB));
	EXPECT_EQ(memcmp(ours + KIB, &sum, 8), 0);
	memcpy(&sum, theirs + 2 * KIB, 8);
	EXPECT_EQ(sum, 42);
}

/* More than the ring and the send buffer hold: in order, each once. */
TEST(many__operations_pass_a_small_ring)
{
	enum { COUNT = 2000 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_sq sq = ring_of(p.tx, 16);
	struct uet_sq_entry *entry;
	uint32_t sent = 0, got = 0, value, refused = 0;
	bool is_full;

	us_set_buf(p.tx, SO_SNDBUF, 4096);
	us_set_buf(p.rx, SO_RCVBUF, 4096);
	while (got < COUNT) {
		while (sent < COUNT && (entry = uet_sq_next(&sq))) {
			push_number(&sq, entry, sent);
			sent++;
		}
		is_full = uet_sq_submit(&sq) < 0;
		if (is_full) {
			EXPECT_EQ(errno, EAGAIN);
			refused++;
		}
		while ((is_full || sent == COUNT) &&
		       recv(p.rx, &value, sizeof(value), MSG_DONTWAIT) > 0) {
			ASSERT_EQ(value, got);
			got++;
		}
	}
	EXPECT_GE(refused, 1);
	EXPECT_EQ(uet_sq_waiting(&sq), 0);
}

struct submitter {
	struct uet_sq sq;
	uint32_t taken;
};

static void *submit_all(void *arg)
{
	struct submitter *s = arg;
	int ret;

	while (uet_sq_waiting(&s->sq)) {
		ret = uet_sq_submit(&s->sq);
		if (ret > 0)
			s->taken += ret;
		else
			sched_yield();
	}
	return NULL;
}

/* Two threads submit what a third has written: each entry is taken once. */
TEST(many__operations_are_submitted_by_two_threads)
{
	enum { COUNT = 1000 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct submitter s[2] = { { ring_of(p.tx, COUNT), 0 } };
	pthread_t threads[2];
	uint32_t i, value;

	for (i = 0; i < COUNT; i++)
		push_payload(&s[0].sq, UET_OP_SEND, 2 * i, &i, 0);
	s[1] = s[0];
	for (i = 0; i < 2; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, submit_all, &s[i]), 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(pthread_join(threads[i], NULL), 0);
	EXPECT_EQ(s[0].taken + s[1].taken, COUNT);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(recv(p.rx, &value, sizeof(value), 0), 0);
	EXPECT_FAILS(recv(p.rx, &value, sizeof(value), MSG_DONTWAIT), EAGAIN);
}

/* ----------------------------------------------------------------- polling */

/* A thread that polls until it is told to stop. */
struct poller {
	struct uet_sq sq;
	unsigned int idle_us;
	bool is_stopped;
	uint32_t taken, waits;
	pthread_t thread;
};

static void *poll_ring(void *arg)
{
	struct poller *p = arg;
	int ret;

	while (!__atomic_load_n(&p->is_stopped, __ATOMIC_ACQUIRE)) {
		ret = uet_sq_poll(&p->sq, p->idle_us);
		EXPECT(ret >= 0 || errno == EAGAIN || errno == EINTR);
		if (ret > 0)
			p->taken += ret;
		if (uet_sq_waiting(&p->sq)) {
			__atomic_fetch_add(&p->waits, 1, __ATOMIC_RELAXED);
			poll(&(struct pollfd){ .fd = p->sq.fd, .events = POLLOUT }, 1, 10);
		}
	}
	return NULL;
}

static void start_poller(struct poller *p)
{
	ASSERT_EQ(pthread_create(&p->thread, NULL, poll_ring, p), 0);
}

static void stop_poller(struct poller *p)
{
	__atomic_store_n(&p->is_stopped, true, __ATOMIC_RELEASE);
	ASSERT_EQ(pthread_join(p->thread, NULL), 0);
}

static void no_action(int signal)
{
	(void)signal;
}

/* End one that would be idle for longer. */
static void interrupt_poller(struct poller *p)
{
	const struct sigaction action = { .sa_handler = no_action };

	ASSERT_SYS(sigaction(SIGUSR1, &action, NULL));
	__atomic_store_n(&p->is_stopped, true, __ATOMIC_RELEASE);
	ASSERT_EQ(pthread_kill(p->thread, SIGUSR1), 0);
	ASSERT_EQ(pthread_join(p->thread, NULL), 0);
}

TEST(poll__bad_arguments_are_explained)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);

	EXPECT_FAILS(ioctl(fd, UET_IOC_SQ_POLL, 0), EINVAL);
	EXPECT(us_explains(fd, "0 us is not in 1..10000000"));
	EXPECT_FAILS(ioctl(fd, UET_IOC_SQ_POLL, UET_SQ_POLL_MAX + 1), EINVAL);
	EXPECT(us_explains(fd, "10000001 us is not in"));
	EXPECT_FAILS(ioctl(fd, UET_IOC_SQ_POLL, 1), ENXIO);
	EXPECT(us_explains(fd, "has no submission ring"));
}

TEST(poll__ends_when_nothing_is_written)
{
	struct us_pair p = us_pair();
	struct uet_sq sq = ring_of(p.tx, 4);

	EXPECT_EQ(uet_sq_poll(&sq, 1), 0);
	push_payload(&sq, UET_OP_SEND, 2, "x", 1);
	EXPECT_EQ(uet_sq_poll(&sq, 1), 1);
	EXPECT_EQ(uet_sq_is_polled(&sq), 0);
	EXPECT_EQ(us_completion(p.tx).cookie, 2);
}

/* Nobody submits: the poller takes each entry once, and in order. */
TEST(poll__takes_entries_as_they_are_written)
{
	enum { COUNT = 1000 };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct poller poller = { .sq = ring_of(p.tx, 16), .idle_us = 20000 };
	struct uet_sq *sq = &poller.sq;
	struct uet_sq writer = *sq;
	struct uet_sq_entry *entry;
	uint32_t i, value;

	start_poller(&poller);
	WAIT_FOR(uet_sq_is_polled(sq));
	for (i = 0; i < COUNT; i++) {
		while (!(entry = uet_sq_next(&writer)))
			sched_yield();
		push_number(&writer, entry, i);
		ASSERT_EQ(recv(p.rx, &value, sizeof(value), 0), sizeof(value));
		ASSERT_EQ(value, i);
	}
	stop_poller(&poller);
	EXPECT_EQ(poller.taken, COUNT);
	EXPECT_EQ(uet_sq_is_polled(sq), 0);
}

TEST(poll__is_for_one_thread_and_submit_for_any)
{
	struct us_pair p = us_pair();
	struct poller poller = {
		.sq = ring_of(p.tx, 4), .idle_us = UET_SQ_POLL_MAX,
	};
	struct uet_sq writer = poller.sq;
	char byte;

	start_poller(&poller);
	WAIT_FOR(uet_sq_is_polled(&writer));
	EXPECT_FAILS(uet_sq_poll(&writer, 1), EBUSY);
	EXPECT(us_explains(p.tx, "another thread polls the ring"));
	push_payload(&writer, UET_OP_SEND, 2, "x", 1);
	EXPECT_EQ(uet_sq_submit(&writer), 0);
	ASSERT_SYS(ioctl(p.tx, UET_IOC_SUBMIT, 1));
	EXPECT_EQ(recv(p.rx, &byte, 1, 0), 1);
	interrupt_poller(&poller);
}

TEST(poll__ends_by_a_signal)
{
	struct us_pair p = us_pair();
	struct poller poller = {
		.sq = ring_of(p.tx, 4), .idle_us = UET_SQ_POLL_MAX,
	};

	start_poller(&poller);
	WAIT_FOR(uet_sq_is_polled(&poller.sq));
	interrupt_poller(&poller);
	EXPECT_EQ(uet_sq_is_polled(&poller.sq), 0);
}

/* An entry without space in the send buffer waits, and goes when there is some. */
TEST(poll__waits_for_space)
{
	enum { COUNT = 64, SIZE = 4 * KIB };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct poller poller = { .sq = ring_of(p.tx, COUNT), .idle_us = 1000 };
	struct uet_sq writer = poller.sq;
	const uint8_t *data = us_message(4, SIZE);
	uint32_t i;

	us_set_buf(p.tx, SO_SNDBUF, 16 * KIB);
	us_set_buf(p.rx, SO_RCVBUF, 16 * KIB);
	for (i = 0; i < COUNT; i++)
		push_payload(&writer, UET_OP_SEND, 2 * i, data, SIZE);
	start_poller(&poller);
	WAIT_FOR(__atomic_load_n(&poller.waits, __ATOMIC_RELAXED));
	EXPECT_GE(uet_sq_waiting(&writer), 1);
	for (i = 0; i < COUNT; i++)
		us_expect(p.rx, 4, SIZE);
	stop_poller(&poller);
	EXPECT_EQ(uet_sq_waiting(&writer), 0);
	EXPECT_EQ(poller.taken, COUNT);
}

/* One call takes what fits and ends; the rest is seen in the ring. */
TEST(poll__ends_at_an_entry_that_has_to_wait)
{
	enum { COUNT = 16, SIZE = 4 * KIB };
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);
	struct uet_sq sq = ring_of(p.tx, COUNT);
	const uint8_t *data = us_message(5, SIZE);
	int i, taken;

	us_set_buf(p.tx, SO_SNDBUF, 16 * KIB);
	us_set_buf(p.rx, SO_RCVBUF, 16 * KIB);
	for (i = 0; i < COUNT; i++)
		push_payload(&sq, UET_OP_SEND, 2 * i, data, SIZE);
	taken = uet_sq_poll(&sq, UET_SQ_POLL_MAX);
	EXPECT_GE(taken, 1);
	EXPECT_EQ(uet_sq_waiting(&sq), (unsigned int)(COUNT - taken));
	EXPECT_GE(uet_sq_waiting(&sq), 1);
	EXPECT_EQ(uet_sq_is_polled(&sq), 0);
	EXPECT_FAILS(uet_sq_poll(&sq, UET_SQ_POLL_MAX), EAGAIN);
}

/* The error of an earlier operation is not lost behind the number of entries. */
TEST(poll__returns_a_late_error_once)
{
	struct us_pair p = us_pair();
	struct uet_sq sq = ring_of(p.tx, 4);
	struct uet_sq_entry *entry;

	ASSERT_SYS(close(p.rx));
	entry = next_op(&sq, UET_OP_SEND, 0);
	entry->send.op.flags = 0;
	uet_sq_push(&sq);
	EXPECT_EQ(uet_sq_poll(&sq, 100000), 1);
	WAIT_FOR(us_events(p.tx) & POLLERR);
	push_payload(&sq, UET_OP_NO_OP, 4, NULL, 0);
	push_payload(&sq, UET_OP_NO_OP, 6, NULL, 0);
	EXPECT_FAILS(uet_sq_poll(&sq, 1), ECONNREFUSED);
	EXPECT_EQ(uet_sq_poll(&sq, 1), 2);
}

/* ---------------------------------------------------------------- failures */

TEST(entry__that_fails_is_told_and_the_next_goes_on)
{
	struct us_pair p = us_pair();
	struct uet_sq sq = ring_of(p.tx, 16);
	struct uet_sq_entry *entry;
	struct uet_recv_post bad = { .cookie = 7, .flags = 0x80000000 };

	next_op(&sq, UET_OP_SEND, 1)->kind = 3;
	uet_sq_push(&sq);
	next_op(&sq, UET_OP_SEND, 2)->reserved2 = 1;
	uet_sq_push(&sq);
	next_op(&sq, UET_OP_MSG_ERROR, 3);
	uet_sq_push(&sq);
	push_payload(&sq, UET_OP_SEND, 4, (void *)8, 10);
	entry = next_op(&sq, UET_OP_SEND, 5);
	entry->flags = UET_SQ_INLINE;
	entry->send.length = UET_SQ_INLINE_MAX + 1;
	uet_sq_push(&sq);
	entry = next_op(&sq, UET_OP_WRITE, 6);
	entry->flags = UET_SQ_INLINE;
	uet_sq_push(&sq);
	push_recv(&sq, &bad);
	next_op(&sq, UET_OP_SEND, 8)->peer = 99;
	uet_sq_push(&sq);
	push_payload(&sq, UET_OP_SEND, 9, "x", 1ull << 62);
	push_payload(&sq, UET_OP_SEND, 10, "x", 1);
	EXPECT_EQ(uet_sq_submit(&sq), 10);
	expect_error(p.tx, 1, EINVAL);
	expect_error(p.tx, 2, EINVAL);
	expect_error(p.tx, 3, EOPNOTSUPP);
	expect_error(p.tx, 4, EFAULT);
	expect_error(p.tx, 5, EINVAL);
	expect_error(p.tx, 6, EINVAL);
	expect_error(p.tx, 7, EINVAL);
	expect_error(p.tx, 8, ENOENT);
	expect_error(p.tx, 9, EMSGSIZE);
	EXPECT_EQ(us_completion(p.tx).error, 0);
	us_expect_none(p.tx);
}

/* An operation without completion that failed earlier is no entry's failure. */
TEST(submit__returns_a_late_error_once)
{
	struct us_pair p = us_pair();
	struct uet_sq sq = ring_of(p.tx, 4);

	ASSERT_SYS(close(p.rx));
	EXPECT_EQ(send(p.tx, "x", 1, 0), 1);
	WAIT_FOR(us_events(p.tx) & POLLERR);
	push_payload(&sq, UET_OP_NO_OP, 5, NULL, 0);
	EXPECT_FAILS(uet_sq_submit(&sq), ECONNREFUSED);
	EXPECT_EQ(uet_sq_waiting(&sq), 1);
	EXPECT_EQ(uet_sq_submit(&sq), 1);
	EXPECT_EQ(us_completion(p.tx).cookie, 5);
}

TEST(ring__nonsense_is_no_harm_and_can_be_put_right)
{
	struct us_pair p = us_pair();
	struct uet_sq sq = ring_of(p.tx, 4);

	memset(sq.shared, 0xff, sq.size);
	EXPECT_FAILS(ioctl(p.tx, UET_IOC_SUBMIT, 4), EINVAL);
	EXPECT(us_explains(p.tx, "entries ahead, the ring has 4"));
	EXPECT_FAILS(uet_sq_poll(&sq, 1000), EINVAL);
	EXPECT_EQ(uet_sq_is_polled(&sq), 0);
	sq.shared->tail = 4;
	EXPECT_EQ(uet_sq_submit(&sq), 4);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(us_completion(p.tx).error, EINVAL);
	EXPECT_EQ(sq.shared->head, 4);
	sq.shared->entries = 4;
	sq.tail = 4;
	push_payload(&sq, UET_OP_SEND, 1, "x", 1);
	EXPECT_EQ(uet_sq_submit(&sq), 1);
	EXPECT_EQ(us_completion(p.tx).error, 0);
}

/* A process that rewrites entries while they are taken gets errors, at most. */
TEST(ring__rewritten_while_it_is_read_gives_errors_at_most)
{
	struct us_pair p = us_pair();
	struct uet_sq sq = ring_of(p.tx, 64);
	volatile uint8_t *bytes = (void *)(sq.shared + 1);
	struct uet_completion recs[16];
	uint32_t i;
	pid_t writer = CHILD({
		for (uint32_t n = 0;; n++)
			bytes[n * 13 % (64 * 128)] = n >> 3;
	});

	for (i = 1; i <= 2000; i++) {
		__atomic_store_n(&sq.shared->tail, i, __ATOMIC_RELEASE);
		while (uet_sq_submit(&sq) < 0) {
			us_read_cq(p.tx, recs, 16);
			recv(p.rx, recs, sizeof(recs), MSG_DONTWAIT);
		}
	}
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	EXPECT_EQ(sq.shared->head, 2000);
}

HARNESS_MAIN()
