// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of MSG_ZEROCOPY: what is sent from the pages of the sender is what a copy
 * would have been, also when it is sent again, and nothing that the sender does to
 * his buffer after the completion is seen by anybody.  Started by sock_api.sh, see
 * uetsock.h for what it needs; the FEPs reach each other over lo, whose queueing
 * discipline it changes.  Level: test.
 *
 * Environment: see uetlo.h.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <sys/wait.h>

#include "fuzz.h"
#include "uetlo.h"
#include "uetlock.h"
#include "uetrma.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)

/* Begin to send a buffer to the connected peer. */
static ssize_t zc_send(int fd, uint64_t cookie, const void *buf, size_t len)
{
	struct uet_op op = us_op(UET_OP_SEND, cookie);

	return us_send_op(fd, &op, NULL, buf, len, MSG_ZEROCOPY);
}

/* Write the message made from @seed to memory. */
static void fill(uint8_t *buf, uint32_t seed, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = us_byte(seed, i);
}

static void expect_done(int fd, uint64_t cookie, size_t len)
{
	struct uet_completion rec = us_completion(fd);

	us_expect_done(&rec, cookie, 1, len);
}

/* ----------------------------------------------------------------- sending */

TEST(send__of_any_length_and_alignment_arrives)
{
	static const size_t lens[] = { UET_ZEROCOPY_MIN, 5 * MTU + 1, 100000,
				       MIB + 1 };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	uint8_t *space = us_map(2 * MIB);
	struct us_pair p;

	for (size_t t = 0; t < 2; t++) {
		p = us_pair_of(types[t]);
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			uint8_t *buf = space + (size_t[]){ 0, 1, PAGE - 1 }[i % 3];

			fill(buf, i, lens[i]);
			EXPECT_EQ(zc_send(p.tx, i, buf, lens[i]), lens[i]);
			us_expect(p.rx, i, lens[i]);
			expect_done(p.tx, i, lens[i]);
		}
	}
}

/* In pieces, each with a part of a page at both ends. */
TEST(send__of_more_than_the_send_buffer_arrives)
{
	const size_t len = 3 * MIB + 5;
	uint8_t *space = us_map(4 * MIB), *buf = space + 77;
	struct us_pair p = us_pair();
	pid_t child;

	us_set_buf(p.tx, SO_SNDBUF, 300000);
	fill(buf, 1, len);
	child = CHILD(us_expect(p.rx, 1, len));
	EXPECT_EQ(zc_send(p.tx, 1, buf, len), len);
	expect_done(p.tx, 1, len);
	harness_join(child);
}

TEST(send__of_huge_pages)
{
	uint8_t *buf = us_map(8 * MIB);
	struct us_pair p = us_pair();

	madvise(buf, 8 * MIB, MADV_HUGEPAGE);
	fill(buf, 2, 3 * MIB);
	EXPECT_EQ(zc_send(p.tx, 1, buf, 3 * MIB), 3 * MIB);
	us_expect(p.rx, 2, 3 * MIB);
	expect_done(p.tx, 1, 3 * MIB);
}

/* It keeps what it is given, also the packets of bursts, but not the pages. */
TEST(send__beside_a_capture_that_does_not_read)
{
	enum { LEN = MIB, SPACE = 64 * MIB };
	uint8_t *buf = us_map(LEN);
	struct us_pair p = us_pair();
	int capture = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	ASSERT_SYS(capture);
	us_set_buf(capture, SO_RCVBUFFORCE, SPACE);
	for (int i = 0; i < 4; i++) {
		fill(buf, i, LEN);
		EXPECT_EQ(zc_send(p.tx, i, buf, LEN), LEN);
		us_expect(p.rx, i, LEN);
		expect_done(p.tx, i, LEN);
	}
	ASSERT_SYS(close(capture));
}

/* The buffer is only read. */
TEST(send__of_read_only_memory_arrives)
{
	uint8_t *buf = us_map(16 * PAGE);
	struct us_pair p = us_pair();

	fill(buf, 3, 16 * PAGE);
	ASSERT_SYS(mprotect(buf, 16 * PAGE, PROT_READ));
	EXPECT_EQ(zc_send(p.tx, 1, buf, 16 * PAGE), 16 * PAGE);
	us_expect(p.rx, 3, 16 * PAGE);
	expect_done(p.tx, 1, 16 * PAGE);
}

TEST(write__works_with_and_without_a_pdc)
{
	enum { LEN = 20 * MTU + 9 };
	uint8_t *mem = us_map(2 * LEN), *buf = us_map(LEN);
	struct us_pair p = us_pair();
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)mem, .length = 2 * LEN,
		.access = UET_MR_WRITE, .flags = UET_MR_IDEMPOTENT_SAFE,
	};
	struct uet_op op = us_op(UET_OP_WRITE, 4);
	struct uet_rma at = { 0 };
	struct us_control c;

	ASSERT_SYS(uet_ioctl(p.rx, UET_IOC_MR_REG, &reg));
	fill(buf, 4, LEN);
	for (int i = 0; i < 2; i++) {
		struct iovec iov = { buf, LEN };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
				      .msg_control = &c.space };

		op.flags = UET_OP_COMPLETE | (i ? UET_OP_RUDI : 0);
		at = (struct uet_rma){ reg.key, i * LEN };
		c.len = 0;
		us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
		us_add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
		msg.msg_controllen = c.len;
		EXPECT_EQ(sendmsg(p.tx, &msg, MSG_ZEROCOPY), LEN);
		expect_done(p.tx, 4, LEN);
		EXPECT(us_matches(mem + i * LEN, 4, 0, LEN));
	}
}

/* ------------------------------------------------------------------- pages */

/* A retransmission carries the present content of the buffer. */
TEST(pages__are_those_of_the_sender)
{
	const size_t len = 50 * PAGE;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();

	fill(buf, 5, len);
	uetlo_loses();
	EXPECT_EQ(zc_send(p.tx, 1, buf, len), len);
	fill(buf, 6, len);
	us_expect_none(p.tx);
	uetlo_works();
	us_expect(p.rx, 6, len);
	expect_done(p.tx, 1, len);
}

/* A buffer that is changed as soon as it may be, and read as late as it can be. */
TEST(pages__are_free_once_completed)
{
	const size_t len = 30 * PAGE + 100;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair_of(SOCK_SEQPACKET);

	for (int i = 0; i < 20; i++) {
		fill(buf, 7 + i, len);
		EXPECT_EQ(zc_send(p.tx, i, buf, len), len);
		expect_done(p.tx, i, len);
	}
	memset(buf, 0xa5, len);
	for (int i = 0; i < 20; i++)
		us_expect(p.rx, 7 + i, len);
}

TEST(pages__that_are_unmapped_are_sent_as_they_were)
{
	const size_t len = 40 * PAGE;
	uint8_t *buf = us_map(len), *next;
	struct us_pair p = us_pair();

	fill(buf, 8, len);
	uetlo_loses();
	EXPECT_EQ(zc_send(p.tx, 1, buf, len), len);
	ASSERT_SYS(munmap(buf, len));
	next = mmap(buf, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT(next == buf);
	memset(next, 0xa5, len);
	uetlo_works();
	us_expect(p.rx, 8, len);
	expect_done(p.tx, 1, len);
}

TEST(pages__that_a_child_has_too)
{
	const size_t len = 40 * PAGE;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();
	pid_t pid;

	fill(buf, 9, len);
	uetlo_loses();
	EXPECT_EQ(zc_send(p.tx, 1, buf, len), len);
	pid = CHILD(memset(buf, 0xa5, len));
	harness_join(pid);
	uetlo_works();
	us_expect(p.rx, 9, len);
	expect_done(p.tx, 1, len);
	EXPECT(us_matches(buf, 9, 0, len));
}

/* Its messages still go, and its pages with them. */
TEST(pages__of_a_process_that_is_killed_are_still_sent)
{
	const size_t len = 40 * PAGE;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();
	int status;
	pid_t pid;

	uetlo_loses();
	pid = CHILD(fill(buf, 10, len); zc_send(p.tx, 1, buf, len);
		    raise(SIGKILL));
	close(p.tx);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status));
	uetlo_works();
	us_expect(p.rx, 10, len);
}

TEST(pages__count_as_locked)
{
	const size_t len = 16 * PAGE;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();

	fill(buf, 11, len);
	us_limit_memlock((16 + 2) * PAGE);
	for (int i = 0; i < 3; i++) {
		uetlo_loses();
		EXPECT_EQ(zc_send(p.tx, i, buf, len), len);
		EXPECT_FAILS(zc_send(p.tx, 9, buf, len), ENOMEM);
		EXPECT(us_explains(p.tx, "MSG_ZEROCOPY are above RLIMIT"));
		EXPECT_EQ(us_send(p.tx, 12, 100, MSG_ZEROCOPY), 100);
		uetlo_works();
		expect_done(p.tx, i, len);
		EXPECT_EQ(recv(p.rx, buf, len, 0) +
			  recv(p.rx, buf, len, 0), len + 100);
		fill(buf, 11, len);
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	us_expect_none(p.tx);
	EXPECT_FAILS(recv(p.rx, buf, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(pages__that_are_not_there_are_refused)
{
	const size_t len = 16 * PAGE;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();

	fill(buf, 13, len);
	us_limit_memlock((16 + 2) * PAGE);
	ASSERT_SYS(munmap(buf + 15 * PAGE, PAGE));
	for (int i = 0; i < 3; i++) {
		EXPECT_FAILS(zc_send(p.tx, 9, buf, len), EFAULT);
		EXPECT(us_explains(p.tx, "cannot be read"));
	}
	us_expect_none(p.tx);
	EXPECT_EQ(us_queued(p.tx, SIOCOUTQ), 0);
	EXPECT_EQ(zc_send(p.tx, 1, buf, 15 * PAGE), 15 * PAGE);
	us_expect(p.rx, 13, 15 * PAGE);
	expect_done(p.tx, 1, 15 * PAGE);
}

/*
 * A message is given up after a part of it was sent, from pages that packets still
 * refer to: its completion says when they do so no more.
 */
TEST(pages__of_a_call_that_fails_halfway_are_reported_free)
{
	const size_t len = 3 * MIB;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();
	struct uet_completion rec;

	us_set_buf(p.tx, SO_SNDBUF, 300000);
	us_set_timeout(p.tx, SO_SNDTIMEO, 200);
	fill(buf, 15, len);
	uetlo_loses();
	EXPECT_FAILS(zc_send(p.tx, 5, buf, len), EAGAIN);
	EXPECT(us_explains(p.tx, "given up after"));
	us_expect_none(p.tx);
	uetlo_works();
	rec = us_completion(p.tx);
	EXPECT_EQ(rec.cookie, 5);
	EXPECT_EQ(rec.error, ECANCELED);
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
	us_expect_none(p.tx);
}

/* ------------------------------------------------------------------- hints */

/*
 * Messages that are not worth it, or have no completion, are copied: sock_api.sh
 * counts.
 */
TEST(hint__is_ignored_when_copying_is_better)
{
	const size_t len = 8 * PAGE;
	uint8_t *buf = us_map(len);
	struct us_pair p = us_pair();
	struct uet_op op = us_op(UET_OP_SEND, 2);
	struct us_control c = { .len = 0 };
	struct iovec iov[2] = { { buf, len / 2 }, { buf + len / 2, len / 2 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2,
			      .msg_control = &c.space };

	uetlo_loses();
	fill(buf, 14, len);
	EXPECT_EQ(send(p.tx, buf, len, MSG_ZEROCOPY), len);
	EXPECT_EQ(zc_send(p.tx, 1, buf, UET_ZEROCOPY_MIN - 1),
		  UET_ZEROCOPY_MIN - 1);
	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	msg.msg_controllen = c.len;
	EXPECT_EQ(sendmsg(p.tx, &msg, MSG_ZEROCOPY), len);
	memset(buf, 0xa5, len);
	uetlo_works();
	for (int i = 0; i < 3; i++) {
		ssize_t got = recv(p.rx, buf, len, 0);

		EXPECT(got == (ssize_t)len || got == UET_ZEROCOPY_MIN - 1);
		EXPECT(us_matches(buf, 14, 0, got));
	}
	EXPECT_EQ(shutdown(p.tx, SHUT_WR), 0);
}

/* -------------------------------------------------------------------- many */

enum { MANY_BUFFERS = 8, MANY_LEN = 40 * PAGE };

/* Each message is there once, whole, whatever has become of its buffer. */
static void many_receive(int fd, uint32_t count)
{
	uint8_t *got = us_alloc(MANY_LEN), *seen = calloc(1, count);
	uint32_t seed;
	ssize_t len;

	ASSERT(seen);
	for (uint32_t i = 0; i < count; i++) {
		len = recv(fd, got, MANY_LEN, 0);
		ASSERT(len >= UET_ZEROCOPY_MIN);
		memcpy(&seed, got, sizeof(seed));
		ASSERT(seed < count && !seen[seed]);
		seen[seed] = 1;
		EXPECT(us_matches(got + 4, seed, 4, len - 4));
	}
}

/* Use buffers again as soon as they are free, for other bytes. */
TEST(many__messages_pass_from_buffers_that_are_used_again)
{
	const uint32_t count = harness_scale() > 1 ? 30 : 120;
	uint8_t *space = us_map(MANY_BUFFERS * (MANY_LEN + PAGE));
	bool is_busy[MANY_BUFFERS] = { false };
	struct us_pair p = us_pair();
	struct uet_completion rec;
	struct fuzz_rand rnd;
	uint32_t sent, done;
	pid_t child;

	fuzz_begin("sock_zc");
	rnd = fuzz_rand(fuzz.seed);
	child = CHILD(many_receive(p.rx, count));
	for (sent = 0, done = 0; done < count;) {
		uint32_t i = sent % MANY_BUFFERS;
		uint8_t *buf = space + i * (MANY_LEN + PAGE);
		size_t len;

		if (sent < count && !is_busy[i]) {
			buf += fuzz_below(&rnd, PAGE);
			len = UET_ZEROCOPY_MIN +
			      fuzz_below(&rnd, MANY_LEN - UET_ZEROCOPY_MIN);
			fill(buf, sent, len);
			memcpy(buf, &sent, sizeof(sent));
			ASSERT_EQ(zc_send(p.tx, 1 + 2 * i, buf, len), len);
			is_busy[i] = true;
			sent++;
			continue;
		}
		rec = us_completion(p.tx);
		EXPECT_EQ(rec.error, 0);
		ASSERT(rec.count == 1 && rec.cookie / 2 < MANY_BUFFERS);
		is_busy[rec.cookie / 2] = false;
		memset(space + rec.cookie / 2 * (MANY_LEN + PAGE), 0xa5,
		       MANY_LEN + PAGE);
		done++;
	}
	harness_join(child);
}

HARNESS_MAIN()
