// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of UET_IOC_MR_COUNTS: each operation of a peer on memory counts once, for its
 * region and for its socket, a write not before its bytes are there; what was refused does
 * not count; and poll() tells of new counts.  Started by sock_api.sh, see uetsock.h for
 * what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>

#include "uetrma.h"

#define PAGE	4096
#define MTU	4096
#define ACCESS	(UET_MR_WRITE | UET_MR_READ | UET_MR_ATOMIC)

/* A peer's memory, and memory of ours. */
struct bench {
	struct us_pair p;
	uint8_t *mem;
	uint64_t key;
	uint64_t local;
};

static struct bench bench(void)
{
	struct bench b = { .p = us_pair(), .mem = us_map(8 * PAGE) };

	b.key = us_reg(b.p.rx, b.mem, 8 * PAGE, ACCESS);
	b.local = us_reg(b.p.tx, us_map(8 * PAGE), 8 * PAGE, 0);
	return b;
}

static struct uet_mr_counts counts_of(int fd, uint64_t key)
{
	struct uet_mr_counts counts = { .key = key };

	EXPECT_EQ(uet_ioctl(fd, UET_IOC_MR_COUNTS, &counts), 0);
	EXPECT_EQ(counts.key, key);
	return counts;
}

static void expect_counts(int fd, uint64_t key, uint64_t writes, uint64_t fetches,
			  uint64_t reads)
{
	struct uet_mr_counts counts = counts_of(fd, key);

	EXPECT_EQ(counts.writes, writes);
	EXPECT_EQ(counts.fetches, fetches);
	EXPECT_EQ(counts.reads, reads);
}

/* Write @len bytes.  Return: the error of the completion. */
static uint32_t put(int fd, uint64_t key, uint64_t offset, size_t len,
		    const uint64_t *hdata, uint8_t flags)
{
	const struct us_rma rma = {
		UET_OP_WRITE, 1, { key, offset }, hdata, NULL, flags, NULL,
	};
	uint8_t *buf = us_message(3, len);

	EXPECT_EQ(us_rma(fd, &rma, buf, len), len);
	free(buf);
	return us_completion(fd).error;
}

static uint32_t get(const struct bench *b, uint64_t offset, size_t len)
{
	const struct uet_local local = { b->local, 0, len };
	const struct us_rma rma = {
		.opcode = UET_OP_READ, .at = { b->key, offset }, .local = &local,
	};

	EXPECT_EQ(us_rma(b->p.tx, &rma, NULL, 0), 0);
	return us_completion(b->p.tx).error;
}

static uint32_t add(const struct bench *b, bool is_fetch)
{
	const struct uet_atomic atomic = {
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT32,
	};
	const struct uet_local local = { b->local, 0, 4 };
	const struct us_rma rma = {
		.opcode = is_fetch ? UET_OP_FETCHING_ATOMIC : UET_OP_ATOMIC,
		.at = { b->key, 0 }, .atomic = &atomic,
		.local = is_fetch ? &local : NULL,
	};
	const uint32_t one = 1;

	EXPECT_EQ(us_rma(b->p.tx, &rma, &one, sizeof(one)), sizeof(one));
	return us_completion(b->p.tx).error;
}

TEST(count__each_operation_is_counted_once)
{
	static const size_t lens[] = { 0, 1, MTU, MTU + 1, 5 * MTU };
	const uint64_t hdata = 9;
	struct bench b = bench();
	size_t i;

	expect_counts(b.p.rx, b.key, 0, 0, 0);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		EXPECT_EQ(put(b.p.tx, b.key, 3, lens[i], NULL, 0), 0);
		expect_counts(b.p.rx, b.key, 1, 0, 0);
		EXPECT_EQ(put(b.p.tx, b.key, 3, lens[i], &hdata, 0), 0);
		expect_counts(b.p.rx, b.key, 1, 0, 0);
		EXPECT_EQ(put(b.p.tx, b.key, 3, lens[i], NULL, UET_OP_ROD), 0);
		expect_counts(b.p.rx, b.key, 1, 0, 0);
		if (!lens[i])
			continue;
		EXPECT_EQ(get(&b, 3, lens[i]), 0);
		expect_counts(b.p.rx, b.key, 0, 0, 1);
	}
	EXPECT_EQ(add(&b, false), 0);
	expect_counts(b.p.rx, b.key, 1, 0, 0);
	EXPECT_EQ(add(&b, true), 0);
	expect_counts(b.p.rx, b.key, 0, 1, 0);
	/* The socket was not asked before. */
	expect_counts(b.p.rx, UET_MR_ALL, 3 * i + 1, 1, i - 1);
	expect_counts(b.p.rx, UET_MR_ALL, 0, 0, 0);
	expect_counts(b.p.tx, UET_MR_ALL, 0, 0, 0);
}

TEST(count__is_of_a_region)
{
	struct bench b = bench();
	uint64_t other = us_reg(b.p.rx, us_map(PAGE), PAGE, ACCESS);

	EXPECT_EQ(put(b.p.tx, b.key, 0, 8, NULL, 0), 0);
	EXPECT_EQ(put(b.p.tx, other, 0, 8, NULL, 0), 0);
	EXPECT_EQ(put(b.p.tx, other, 0, 8, NULL, 0), 0);
	expect_counts(b.p.rx, b.key, 1, 0, 0);
	expect_counts(b.p.rx, other, 2, 0, 0);
	/* The count of the socket outlives the region. */
	EXPECT_EQ(put(b.p.tx, other, 0, 8, NULL, 0), 0);
	ASSERT_SYS(us_dereg(b.p.rx, other));
	expect_counts(b.p.rx, UET_MR_ALL, 4, 0, 0);
}

TEST(count__not_what_is_refused_or_may_be_repeated)
{
	struct bench b = bench();
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)us_map(PAGE), .length = PAGE,
		.access = UET_MR_WRITE, .flags = UET_MR_IDEMPOTENT_SAFE,
	};

	ASSERT_SYS(uet_ioctl(b.p.rx, UET_IOC_MR_REG, &reg));
	EXPECT_EQ(put(b.p.tx, b.key ^ 0x800, 0, 8, NULL, 0), EFAULT);
	EXPECT_EQ(put(b.p.tx, b.key, 8 * PAGE, 8, NULL, 0), EFAULT);
	EXPECT_EQ(put(b.p.tx, b.key, 7 * PAGE, 2 * PAGE, NULL, 0), EFAULT);
	EXPECT_EQ(put(b.p.tx, reg.key, 0, 8, NULL, UET_OP_RUDI), 0);
	expect_counts(b.p.rx, b.key, 0, 0, 0);
	expect_counts(b.p.rx, reg.key, 0, 0, 0);
	expect_counts(b.p.rx, UET_MR_ALL, 0, 0, 0);
}

static void command(const char *line)
{
	EXPECT_EQ(system(line), 0);
}

/* From now on the answers to node 1's first endpoint are lost. */
static void lose_answers(void)
{
	command("nft add table inet once");
	command("nft 'add chain inet once out { type filter hook output priority 0; }'");
	command("nft add rule inet once out ip saddr 10.0.1.2 ip daddr 10.0.1.1 drop");
}

/* The target forgets the PDC, and may answer again. */
static void forget_pdcs(void)
{
	command("for id in $(ueadm -j pdc show fep fep2 | gojq -r '.. | .pdcid? // empty'); do "
		"ueadm pdc del fep fep2 id $id || exit 1; done");
	command("nft delete table inet once");
}

static bool is_counted(int fd, int timeout)
{
	struct pollfd pfd = { .fd = fd, .events = POLLPRI };

	return poll(&pfd, 1, timeout) == 1 && pfd.revents == POLLPRI;
}

/* The writer cannot know whether it was executed, so it is not sent again. */
TEST(count__write_whose_end_is_unknown_counts_once)
{
	const uint8_t bytes[8] = { 1, 2, 3 };
	struct bench b = bench();
	const struct us_rma rma = { .opcode = UET_OP_WRITE, .cookie = 1, .at = { b.key, 0 } };

	EXPECT_EQ(put(b.p.tx, b.key, 0, 8, NULL, 0), 0);
	expect_counts(b.p.rx, b.key, 1, 0, 0);
	lose_answers();
	EXPECT_EQ(us_rma(b.p.tx, &rma, bytes, sizeof(bytes)), sizeof(bytes));
	EXPECT(is_counted(b.p.rx, -1));
	expect_counts(b.p.rx, b.key, 1, 0, 0);
	forget_pdcs();
	EXPECT_EQ(us_completion(b.p.tx).error, (uint32_t)ECONNRESET);
	EXPECT_EQ(memcmp(b.mem, bytes, sizeof(bytes)), 0);
	EXPECT_EQ(put(b.p.tx, b.key, 0, 8, NULL, 0), 0);
	expect_counts(b.p.rx, b.key, 1, 0, 0);
}

TEST(count__bad_calls_are_explained)
{
	struct bench b = bench();
	struct uet_mr_counts *counts = (void *)us_map(PAGE);
	int fd = us_socket();

	EXPECT_FAILS(uet_ioctl(fd, UET_IOC_MR_COUNTS, counts), ENOTCONN);
	EXPECT(us_explains(fd, "not bound"));
	counts->key = b.key ^ 0x800;
	EXPECT_FAILS(uet_ioctl(b.p.rx, UET_IOC_MR_COUNTS, counts), ENOENT);
	EXPECT(us_explains(b.p.rx, "names no region"));
	EXPECT_FAILS(ioctl(b.p.rx, UET_IOC_MR_COUNTS, (void *)8), EFAULT);

	/* A failed call loses no counts. */
	EXPECT_EQ(put(b.p.tx, b.key, 0, 8, NULL, 0), 0);
	counts->key = b.key;
	counts->size = sizeof(*counts);
	ASSERT_SYS(mprotect(counts, PAGE, PROT_READ));
	EXPECT_FAILS(ioctl(b.p.rx, UET_IOC_MR_COUNTS, counts), EFAULT);
	expect_counts(b.p.rx, b.key, 1, 0, 0);
}

static void *wait_for_count(void *arg)
{
	const struct bench *b = arg;

	EXPECT(is_counted(b->p.rx, -1));
	expect_counts(b->p.rx, b->key, 1, 0, 0);
	return NULL;
}

TEST(count__wakes_poll)
{
	struct bench b = bench();
	pthread_t thread;

	EXPECT(!is_counted(b.p.rx, 0));
	ASSERT(!pthread_create(&thread, NULL, wait_for_count, &b));
	sched_yield();
	EXPECT_EQ(put(b.p.tx, b.key, 0, 8, NULL, 0), 0);
	pthread_join(thread, NULL);
	EXPECT(!is_counted(b.p.rx, 0));
	EXPECT_EQ(put(b.p.tx, b.key, 0, 8, NULL, 0), 0);
	EXPECT(is_counted(b.p.rx, 0));
	EXPECT(is_counted(b.p.rx, 0));
	expect_counts(b.p.rx, UET_MR_ALL, 2, 0, 0);
	EXPECT(!is_counted(b.p.rx, 0));
}

/* Packets of several writes arrive in any order.  A counted write is complete. */
TEST(many__counted_bytes_are_there)
{
	const size_t len = 3 * MTU + 5;
	const unsigned int nr = 64;
	struct us_pair p = us_pair();
	uint8_t *mem = us_map(nr * len), *buf;
	struct us_rma rma = { .opcode = UET_OP_WRITE };
	unsigned int i, counted = 0;

	us_set_timeout(p.tx, SO_SNDTIMEO, 30000);
	rma.at.key = us_reg(p.rx, mem, nr * len, UET_MR_WRITE);
	for (i = 0; i < nr; i++) {
		buf = us_message(i, len);
		rma.at.offset = i * len;
		EXPECT_EQ(us_rma(p.tx, &rma, buf, len), len);
		free(buf);
	}
	while (counted < nr && is_counted(p.rx, 30000))
		counted += counts_of(p.rx, rma.at.key).writes;
	EXPECT_EQ(counted, nr);
	for (i = 0; i < nr; i++)
		EXPECT(us_matches(mem + i * len, i, 0, len));
}

HARNESS_MAIN()
