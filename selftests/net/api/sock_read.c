// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of READ: exactly the bytes that were asked for arrive where they belong,
 * in any length, with and without a PDC; what a peer refuses, what is not sent,
 * and what becomes of a read when the memory at either end, or the peer, goes
 * away.  Started by sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "uetlo.h"
#include "uetrma.h"

#define PAGE	4096
#define MTU	4096
#define MIB	(1024 * 1024)

/* A peer's memory, and memory of ours. */
struct bench {
	struct us_pair p;
	uint8_t *theirs;
	uint8_t *ours;
	size_t len;
	uint64_t key;
	uint64_t local;
};

/* Memory of @len bytes at either end; the peer's is made from seed 1. */
static struct bench bench_of(int type, size_t len, uint32_t access)
{
	struct bench b = {
		.p = us_pair_of(type), .len = len,
		.theirs = us_map(len), .ours = us_map(len),
	};
	size_t i;

	for (i = 0; i < len; i++)
		b.theirs[i] = us_byte(1, i);
	memset(b.ours, 0xa5, len);
	b.key = us_reg(b.p.rx, b.theirs, len, access);
	b.local = us_reg(b.p.tx, b.ours, len, 0);
	return b;
}

static struct bench bench(void)
{
	return bench_of(SOCK_RDM, 8 * PAGE, UET_MR_READ);
}

/* Ask for @len bytes at @from, to be put at @to. */
static ssize_t ask(const struct bench *b, uint64_t cookie, uint64_t from,
		   uint64_t to, uint64_t len, uint8_t flags)
{
	const struct uet_local local = { b->local, to, len };
	struct us_rma rma = {
		.opcode = UET_OP_READ, .cookie = cookie,
		.at = { b->key, from }, .flags = flags, .local = &local,
	};

	return us_rma(b->p.tx, &rma, NULL, 0);
}

static struct uet_completion get(const struct bench *b, uint64_t from,
				 uint64_t to, uint64_t len, uint8_t flags)
{
	EXPECT_EQ(ask(b, 7, from, to, len, flags), 0);
	return us_completion(b->p.tx);
}

/* Only these bytes of ours have changed, into those of the peer. */
static void expect_got(const struct bench *b, size_t from, size_t to,
		       size_t len)
{
	EXPECT(us_is_filled(b->ours, 0xa5, to));
	EXPECT(us_matches(b->ours + to, 1, from, len));
	EXPECT(us_is_filled(b->ours + to + len, 0xa5, b->len - to - len));
}

/* ------------------------------------------------------------------ reading */

TEST(read__gets_its_bytes_and_no_others)
{
	static const size_t lens[] = { 0, 1, 15, 16, 17, MTU - 1, MTU, MTU + 1,
				       3 * MTU + 11 };
	static const size_t starts[] = { 0, 1, PAGE - 1, PAGE, 2 * PAGE + 77 };
	const size_t nr = sizeof(starts) / sizeof(starts[0]);
	struct uet_completion rec;
	struct bench b = bench();

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (size_t j = 0; j < nr; j++) {
			size_t from = starts[j], to = starts[nr - 1 - j];

			memset(b.ours, 0xa5, b.len);
			rec = get(&b, from, to, lens[i], 0);
			us_expect_done(&rec, 7, 1, lens[i]);
			EXPECT_EQ(rec.opcode, UET_OP_READ);
			expect_got(&b, from, to, lens[i]);
		}
	}
	EXPECT_FAILS(recv(b.p.rx, b.ours, 1, MSG_DONTWAIT), EAGAIN);
	EXPECT_FAILS(recv(b.p.tx, b.ours, 1, MSG_DONTWAIT), EAGAIN);
}

TEST(read__works_with_megabytes_in_either_mode)
{
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct uet_completion rec;
	struct bench b;

	for (size_t i = 0; i < 2; i++) {
		b = bench_of(types[i], 5 * MIB, UET_MR_READ);
		rec = get(&b, 999, 5, 4 * MIB + 1, 0);
		us_expect_done(&rec, 7, 1, 4 * MIB + 1);
		expect_got(&b, 999, 5, 4 * MIB + 1);
		EXPECT_EQ(rec.delivery, i ? UET_DELIVERY_ROD : UET_DELIVERY_RUD);
	}
}

TEST(read__works_many_times_at_once)
{
	enum { COUNT = 300, LEN = 9000 };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct uet_completion rec;
	struct bench b;
	uint32_t i, done;

	for (size_t t = 0; t < 2; t++) {
		b = bench_of(types[t], COUNT * LEN, UET_MR_READ);
		for (i = 0; i < COUNT; i++)
			EXPECT_EQ(ask(&b, i, i * LEN, i * LEN,
				      i % 3 ? LEN : 16, 0), 0);
		for (done = 0; done < COUNT; done += rec.count) {
			rec = us_completion(b.p.tx);
			EXPECT_EQ(rec.error, 0);
		}
		for (i = 0; i < COUNT; i++)
			EXPECT(us_matches(b.ours + i * LEN, 1, i * LEN,
					  i % 3 ? LEN : 16));
		for (i = 0; i < COUNT; i += 3)
			EXPECT(us_is_filled(b.ours + i * LEN + 16, 0xa5,
					    LEN - 16));
	}
}

/* Both are targets of the other, and write, too. */
TEST(read__both_ways_among_writes)
{
	enum { COUNT = 40, LEN = 20000 };
	struct bench b = bench_of(SOCK_RDM, COUNT * LEN, UET_MR_READ);
	struct bench back = { .p = { .tx = b.p.rx, .rx = b.p.tx },
			      .ours = us_map(COUNT * LEN) };
	struct sockaddr_uet to = us_name(b.p.tx);
	uint8_t *sink = us_map(LEN), *data = us_message(5, LEN);
	struct us_rma put = { .opcode = UET_OP_WRITE, .cookie = COUNT };
	struct uet_completion rec;
	uint32_t i, n;

	ASSERT_SYS(us_connect(b.p.rx, &to));
	back.key = us_reg(b.p.tx, b.theirs, COUNT * LEN, UET_MR_READ);
	back.local = us_reg(b.p.rx, back.ours, COUNT * LEN, UET_MR_WRITE);
	put.at.key = us_reg(b.p.rx, sink, LEN, UET_MR_WRITE);
	for (i = 0; i < COUNT; i++) {
		EXPECT_EQ(ask(&b, i, i * LEN, i * LEN, LEN, 0), 0);
		EXPECT_EQ(us_rma(b.p.tx, &put, data, LEN), LEN);
		EXPECT_EQ(ask(&back, i, i * LEN, i * LEN, LEN, 0), 0);
	}
	for (n = 0; n < 2 * COUNT; n += rec.count) {
		rec = us_completion(b.p.tx);
		EXPECT_EQ(rec.error, 0);
	}
	for (n = 0; n < COUNT; n += rec.count) {
		rec = us_completion(b.p.rx);
		EXPECT_EQ(rec.error, 0);
	}
	EXPECT(us_matches(b.ours, 1, 0, COUNT * LEN));
	EXPECT(us_matches(back.ours, 1, 0, COUNT * LEN));
	EXPECT(us_matches(sink, 5, 0, LEN));
}

/* In order, a read sees the write before it and not the one behind it. */
TEST(read__among_writes_in_order)
{
	enum { COUNT = 100 };
	struct bench b = bench_of(SOCK_SEQPACKET, PAGE, UET_MR_READ |
							UET_MR_WRITE);
	struct us_rma put = { .opcode = UET_OP_WRITE, .at = { b.key, 0 } };
	uint64_t *got = (void *)b.ours, i;

	for (i = 0; i < COUNT; i++) {
		EXPECT_EQ(us_rma(b.p.tx, &put, &i, sizeof(i)), sizeof(i));
		EXPECT_EQ(ask(&b, 0, 0, i * sizeof(i), sizeof(i), 0), 0);
	}
	EXPECT_EQ(shutdown(b.p.tx, SHUT_WR), 0);
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(got[i], i);
}

TEST(read__does_not_disturb_messages)
{
	struct bench b = bench();
	uint32_t i;

	for (i = 0; i < 50; i++) {
		EXPECT_EQ(ask(&b, i, 0, 0, 5000, 0), 0);
		EXPECT_EQ(us_send(b.p.tx, 9, 3000, 0), 3000);
	}
	for (i = 0; i < 50; i++)
		us_expect(b.p.rx, 9, 3000);
	EXPECT_EQ(shutdown(b.p.tx, SHUT_WR), 0);
	expect_got(&b, 0, 0, 5000);
}

/* --------------------------------------------------------- what must not be */

static void expect_refused(const struct uet_completion *rec, uint8_t rc)
{
	EXPECT_EQ(rec->rc, rc);
	EXPECT_EQ(rec->error, rc == US_RC_OP_VIOLATION ? EACCES : EFAULT);
	EXPECT_EQ(rec->length, 0);
}

TEST(read__beyond_the_region_is_refused)
{
	static const struct { uint64_t offset, len; } bad[] = {
		{ 100, 1 }, { 99, 2 }, { 101, 0 }, { 0, 101 }, { 0, 17000 },
		{ UINT64_MAX, 1 }, { UINT64_MAX - 1, 2 }, { 1ull << 32, 1 },
		{ UINT64_MAX - MTU + 1, 2 * MTU },
	};
	struct bench b = bench();
	struct uet_completion rec;

	b.key = us_reg(b.p.rx, b.theirs, 100, UET_MR_READ);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rec = get(&b, bad[i].offset, 0, bad[i].len, 0);
		expect_refused(&rec, US_RC_BAD_ADDR);
	}
	EXPECT(us_is_filled(b.ours, 0xa5, b.len));
	rec = get(&b, 100, 0, 0, 0);
	us_expect_done(&rec, 7, 1, 0);
}

TEST(read__needs_key_and_access)
{
	struct bench b = bench();
	struct uet_completion rec;
	uint64_t key = b.key;

	b.key = key ^ 1;
	rec = get(&b, 0, 0, 10, 0);
	expect_refused(&rec, US_RC_BAD_MKEY);
	b.key = us_reg(b.p.rx, b.theirs, PAGE, UET_MR_WRITE | UET_MR_ATOMIC);
	rec = get(&b, 0, 0, 10, 0);
	expect_refused(&rec, US_RC_OP_VIOLATION);
	b.key = us_reg(b.p.rx, b.theirs, PAGE, 0);
	rec = get(&b, 0, 0, 2 * MTU, 0);
	expect_refused(&rec, US_RC_OP_VIOLATION);
	EXPECT_EQ(us_dereg(b.p.rx, key), 0);
	b.key = key;
	rec = get(&b, 0, 0, 10, 0);
	expect_refused(&rec, US_RC_BAD_MKEY);
	EXPECT(us_is_filled(b.ours, 0xa5, b.len));
}

TEST(read__into_memory_out_of_bounds_is_not_sent)
{
	struct bench b = bench();
	uint64_t local = b.local;

	EXPECT_FAILS(ask(&b, 0, 0, 0, 1ull << 32, 0), EINVAL);
	EXPECT(us_explains(b.p.tx, "length 4294967296 is above"));
	EXPECT_FAILS(ask(&b, 0, 0, b.len - 9, 10, 0), EFAULT);
	EXPECT(us_explains(b.p.tx, "10 bytes at 32759 are beyond"));
	EXPECT_FAILS(ask(&b, 0, 0, UINT64_MAX, 2, 0), EFAULT);
	EXPECT_FAILS(ask(&b, 0, 0, 0, b.len + 1, 0), EFAULT);
	b.local = b.key;
	EXPECT_FAILS(ask(&b, 0, 0, 0, 1, 0), EFAULT);
	EXPECT(us_explains(b.p.tx, "names no region of this socket"));
	EXPECT_EQ(us_dereg(b.p.tx, local), 0);
	b.local = local;
	EXPECT_FAILS(ask(&b, 0, 0, 0, 1, 0), EFAULT);
	us_expect_none(b.p.tx);
}

TEST(read__needs_its_control_messages)
{
	const struct uet_local local = { 1, 0, 1 };
	struct us_rma rma = { .opcode = UET_OP_READ };
	struct us_pair d = us_pair_of(SOCK_DGRAM);
	struct bench b = bench();

	EXPECT_FAILS(us_rma(b.p.tx, &rma, NULL, 0), EINVAL);
	EXPECT(us_explains(b.p.tx, "READ) without UET_CMSG_LOCAL"));
	rma.local = &local;
	EXPECT_FAILS(us_rma(b.p.tx, &rma, "x", 1), EINVAL);
	EXPECT(us_explains(b.p.tx, "a READ has no payload, not 1 bytes"));
	EXPECT_FAILS(us_rma(d.tx, &rma, NULL, 0), EOPNOTSUPP);
	rma.opcode = UET_OP_WRITE;
	EXPECT_FAILS(us_rma(b.p.tx, &rma, "x", 1), EINVAL);
	EXPECT(us_explains(b.p.tx, "WRITE) with UET_CMSG_LOCAL"));
	us_expect_none(b.p.tx);
}

TEST(read__without_completion_fails_late)
{
	struct bench b = bench();
	struct uet_op op = { .opcode = UET_OP_READ };
	const struct uet_local local = { b.local, 0, 10 };
	const struct uet_rma at = { b.key ^ 1, 0 };
	struct us_control c = { .len = 0 };

	us_add_cmsg(&c, UET_CMSG_OP, &op, sizeof(op));
	us_add_cmsg(&c, UET_CMSG_RMA, &at, sizeof(at));
	us_add_cmsg(&c, UET_CMSG_LOCAL, &local, sizeof(local));
	EXPECT_EQ(us_send_control(b.p.tx, &c, NULL, 0), 0);
	EXPECT_FAILS(shutdown(b.p.tx, SHUT_WR), EFAULT);
	EXPECT(us_explains(b.p.tx, "bad-mkey"));
}

/* --------------------------------------------------------------------- RUDI */

static uint64_t reg_idempotent(int fd, void *addr, size_t len, uint32_t access)
{
	struct uet_mr_reg reg = {
		.addr = (uintptr_t)addr, .length = len, .access = access,
		.flags = UET_MR_IDEMPOTENT_SAFE,
	};

	ASSERT_SYS(uet_ioctl(fd, UET_IOC_MR_REG, &reg));
	return reg.key;
}

TEST(rudi__gets_bytes_without_a_pdc)
{
	static const size_t lens[] = { 0, 1, 17, MTU, MTU + 1, 5 * MTU + 3,
				       MIB };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	struct uet_completion rec;
	struct bench b;

	for (size_t t = 0; t < 2; t++) {
		b = bench_of(types[t], 2 * MIB, UET_MR_READ);
		b.key = reg_idempotent(b.p.rx, b.theirs, 2 * MIB, UET_MR_READ);
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			memset(b.ours, 0xa5, b.len);
			rec = get(&b, 77, 33, lens[i], UET_OP_RUDI);
			us_expect_done(&rec, 7, 1, lens[i]);
			EXPECT_EQ(rec.delivery, UET_DELIVERY_RUDI);
			expect_got(&b, 77, 33, lens[i]);
		}
	}
}

TEST(rudi__forbidden_operations_are_refused)
{
	struct bench b = bench();
	struct uet_completion rec;
	uint64_t plain = b.key;

	EXPECT_FAILS(ask(&b, 0, 0, 0, 1, UET_OP_RUDI), EINVAL);
	EXPECT(us_explains(b.p.tx, "without UET_MR_KEY_IDEMPOTENT_SAFE"));
	b.key = plain | UET_MR_KEY_IDEMPOTENT_SAFE;
	rec = get(&b, 0, 0, 10, UET_OP_RUDI);
	expect_refused(&rec, US_RC_BAD_MKEY);
	b.key = reg_idempotent(b.p.rx, b.theirs, 100, UET_MR_WRITE);
	rec = get(&b, 0, 0, 10, UET_OP_RUDI);
	expect_refused(&rec, US_RC_OP_VIOLATION);
	b.key = reg_idempotent(b.p.rx, b.theirs, 100, UET_MR_READ);
	rec = get(&b, 99, 0, 2, UET_OP_RUDI);
	expect_refused(&rec, US_RC_BAD_ADDR);
	rec = get(&b, 0, 0, 5 * MTU, UET_OP_RUDI);
	expect_refused(&rec, US_RC_BAD_ADDR);
	EXPECT(us_is_filled(b.ours, 0xa5, b.len));
}

/* ------------------------------------------------- what goes away under them */

/* Read four times, and give the memory up. Return: how many have failed for that. */
static uint32_t read_into_gone(struct bench *b, void (*then)(void))
{
	struct uet_completion rec;
	uint32_t failed = 0;
	int i;

	for (i = 0; i < 4; i++)
		EXPECT_EQ(ask(b, i, 0, 0, MIB, 0), 0);
	ASSERT_SYS(us_dereg(b->p.tx, b->local));
	memset(b->ours, 0xa5, b->len);
	if (then)
		then();
	for (i = 0; i < 4; i += rec.count) {
		rec = us_completion(b->p.tx);
		EXPECT(!rec.error || rec.error == EFAULT);
		failed += rec.error ? rec.count : 0;
		if (rec.error)
			EXPECT_EQ(rec.rc, 0);
	}
	EXPECT(us_is_filled(b->ours, 0xa5, b->len));
	b->local = us_reg(b->p.tx, b->ours, b->len, 0);
	return failed;
}

/* However much has arrived before, the memory is no longer written. */
TEST(gone__memory_of_the_reader_is_not_written)
{
	struct bench b = bench_of(SOCK_RDM, MIB, UET_MR_READ);
	int round;

	for (round = 0; round < 5; round++)
		read_into_gone(&b, NULL);
}

/* All data are late, and dropped. */
TEST(gone__memory_of_the_reader_before_data_arrive)
{
	struct bench b = bench_of(SOCK_RDM, MIB, UET_MR_READ);

	uetlo_loses();
	EXPECT_EQ(read_into_gone(&b, uetlo_works), 4);
}

/* The key of a region that is gone is not that of the next one. */
TEST(gone__memory_whose_key_is_used_again_gets_nothing)
{
	struct uet_mr_reg reg = {
		.length = MIB, .key = 5, .flags = UET_MR_FIXED_KEY,
	};
	struct bench b = bench_of(SOCK_RDM, MIB, UET_MR_READ);
	struct uet_completion rec;
	int round, i;

	reg.addr = (uintptr_t)b.ours;
	ASSERT_SYS(uet_ioctl(b.p.tx, UET_IOC_MR_REG, &reg));
	b.local = reg.key;
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 4; i++)
			EXPECT_EQ(ask(&b, i, 0, 0, MIB, 0), 0);
		ASSERT_SYS(us_dereg(b.p.tx, reg.key));
		memset(b.ours, 0xa5, b.len);
		ASSERT_SYS(uet_ioctl(b.p.tx, UET_IOC_MR_REG, &reg));
		for (i = 0; i < 4; i += rec.count)
			rec = us_completion(b.p.tx);
		EXPECT(us_is_filled(b.ours, 0xa5, b.len));
	}
}

/* The data is more than softirqs handle before they let the process go on. */
TEST(gone__memory_of_the_peer_fails_the_read)
{
	struct bench b = bench_of(SOCK_RDM, 8 * MIB, UET_MR_READ);
	struct uet_completion rec;
	uint32_t failed = 0;
	int round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 4; i++)
			EXPECT_EQ(ask(&b, i, 0, 0, b.len, 0), 0);
		ASSERT_SYS(us_dereg(b.p.rx, b.key));
		for (i = 0; i < 4; i += rec.count) {
			rec = us_completion(b.p.tx);
			if (!rec.error)
				continue;
			expect_refused(&rec, US_RC_BAD_MKEY);
			failed++;
		}
		b.key = us_reg(b.p.rx, b.theirs, b.len, UET_MR_READ);
	}
	EXPECT_GT(failed, 0);
}

/* Each operation ends once, however much the reader has read by then. */
TEST(gone__the_peer_ends_each_read_once)
{
	struct uet_completion rec;
	struct bench b;
	int round, i;

	for (round = 0; round < 5; round++) {
		b = bench_of(SOCK_RDM, MIB, UET_MR_READ);
		for (i = 0; i < 4; i++)
			EXPECT_EQ(ask(&b, i, 0, 0, MIB, 0), 0);
		ASSERT_SYS(close(b.p.rx));
		for (i = 0; i < 4; i += rec.count) {
			rec = us_completion(b.p.tx);
			EXPECT(!rec.error || rec.error == ECONNREFUSED ||
			       rec.error == EFAULT);
		}
		us_expect_none(b.p.tx);
		ASSERT_SYS(close(b.p.tx));
	}
}

/* Its operations have no one to tell, and the memory is nobody's. */
TEST(gone__the_reader_is_told_nothing)
{
	struct bench b;
	int status, round;
	pid_t pid;

	for (round = 0; round < 6; round++) {
		pid = fork();
		ASSERT_SYS(pid);
		if (!pid) {
			b = bench_of(round % 2 ? SOCK_SEQPACKET : SOCK_RDM,
				     2 * MIB, UET_MR_READ);
			ask(&b, 0, 0, 0, 2 * MIB, 0);
			ask(&b, 1, 0, 0, 2 * MIB, 0);
			raise(SIGKILL);
		}
		ASSERT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
}

HARNESS_MAIN()
