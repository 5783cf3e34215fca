// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of atomic operations on memory regions: what each makes of a value, that
 * none is lost or done twice beside others and beside the owner's own, and what
 * is refused.  The arithmetic of every type is test_amo's.  Started by
 * sock_api.sh, see uetsock.h for what it needs.  Level: test.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "uetrma.h"

#define PAGE	4096

/* A peer's memory, and operations on it; what they return comes to ours. */
struct bench {
	struct us_pair p;
	uint8_t *mem;
	uint8_t *old;
	uint64_t key;
	uint64_t local;
};

static struct bench bench(void)
{
	struct bench b = {
		.p = us_pair(), .mem = us_map(2 * PAGE), .old = us_map(PAGE),
	};

	b.key = us_reg(b.p.rx, b.mem, 2 * PAGE, UET_MR_ATOMIC);
	b.local = us_reg(b.p.tx, b.old, PAGE, 0);
	return b;
}

static ssize_t begin(const struct bench *b, const struct uet_atomic *atomic,
		     uint64_t offset, const void *operands, size_t len)
{
	struct us_rma rma = {
		UET_OP_ATOMIC, 1, { b->key, offset }, NULL, atomic, 0, NULL,
	};

	return us_rma(b->p.tx, &rma, operands, len);
}

static struct uet_completion run(const struct bench *b, uint8_t op, uint8_t type,
				 uint64_t offset, const void *operands,
				 size_t len)
{
	const struct uet_atomic atomic = { .op = op, .datatype = type };

	EXPECT_EQ(begin(b, &atomic, offset, operands, len), len);
	return us_completion(b->p.tx);
}

TEST(atomic__each_operation_has_its_result)
{
	static const struct { uint8_t op; uint32_t want; } rows[] = {
		{ UET_AMO_MIN, 6 }, { UET_AMO_MAX, 12 }, { UET_AMO_SUM, 18 },
		{ UET_AMO_DIFF, 6 }, { UET_AMO_PROD, 72 }, { UET_AMO_LOR, 1 },
		{ UET_AMO_LAND, 1 }, { UET_AMO_LXOR, 0 }, { UET_AMO_BOR, 14 },
		{ UET_AMO_BAND, 4 }, { UET_AMO_BXOR, 10 }, { UET_AMO_WRITE, 6 },
	};
	struct bench b = bench();
	uint32_t *value = (void *)(b.mem + 100);
	struct uet_completion rec;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*value = 12;
		rec = run(&b, rows[i].op, UET_DT_UINT32, 100, &(uint32_t){ 6 }, 4);
		us_expect_done(&rec, 1, 1, 4);
		EXPECT_EQ(rec.opcode, UET_OP_ATOMIC);
		EXPECT_EQ(*value, rows[i].want);
	}
}

TEST(atomic__each_type_has_its_result)
{
	struct bench b = bench();
	struct {
		int8_t i8;
		uint16_t u16;
		int32_t i32;
		uint64_t u64;
		float f;
		double d;
	} *m = (void *)b.mem;

	m->i8 = -100;
	run(&b, UET_AMO_MIN, UET_DT_INT8, (uint8_t *)&m->i8 - b.mem,
	    &(int8_t){ -101 }, 1);
	EXPECT_EQ(m->i8, -101);
	m->u16 = 65535;
	run(&b, UET_AMO_SUM, UET_DT_UINT16, (uint8_t *)&m->u16 - b.mem,
	    &(uint16_t){ 3 }, 2);
	EXPECT_EQ(m->u16, 2);
	m->i32 = -7;
	run(&b, UET_AMO_PROD, UET_DT_INT32, (uint8_t *)&m->i32 - b.mem,
	    &(int32_t){ 6 }, 4);
	EXPECT_EQ(m->i32, -42);
	m->u64 = 1ull << 63;
	run(&b, UET_AMO_MAX, UET_DT_UINT64, (uint8_t *)&m->u64 - b.mem,
	    &(uint64_t){ 1 }, 8);
	EXPECT_EQ(m->u64, 1ull << 63);
	m->f = 0.1f;
	run(&b, UET_AMO_SUM, UET_DT_FLOAT, (uint8_t *)&m->f - b.mem,
	    &(float){ 0.2f }, 4);
	EXPECT(m->f == 0.1f + 0.2f);
	m->d = 1.5;
	run(&b, UET_AMO_PROD, UET_DT_DOUBLE, (uint8_t *)&m->d - b.mem,
	    &(double){ 1e300 }, 8);
	EXPECT(m->d == 1.5e300);
}

TEST(atomic__vector_across_pages)
{
	enum { COUNT = PAGE / 8 };
	struct bench b = bench();
	uint64_t *mem = (void *)(b.mem + PAGE / 2), operands[COUNT];
	struct uet_completion rec;
	uint32_t i;

	for (i = 0; i < COUNT; i++) {
		mem[i] = i;
		operands[i] = 1000 * i;
	}
	rec = run(&b, UET_AMO_SUM, UET_DT_UINT64, PAGE / 2, operands, PAGE);
	us_expect_done(&rec, 1, 1, PAGE);
	for (i = 0; i < COUNT; i++)
		EXPECT_EQ(mem[i], 1001 * i);
}

TEST(atomic__swaps_have_the_right_results)
{
	struct bench b = bench();
	struct uet_atomic atomic = {
		.op = UET_AMO_CSWAP, .datatype = UET_DT_UINT32,
		.compare = 5, .swap = 0x1234567890abcdef,
	};
	uint32_t *value = (void *)b.mem;

	*value = 6;
	EXPECT_EQ(begin(&b, &atomic, 0, NULL, 0), 0);
	EXPECT_EQ(us_completion(b.p.tx).error, 0);
	EXPECT_EQ(*value, 6);
	*value = 5;
	EXPECT_EQ(begin(&b, &atomic, 0, NULL, 0), 0);
	EXPECT_EQ(us_completion(b.p.tx).error, 0);
	EXPECT_EQ(*value, 0x90abcdef);
	atomic.op = UET_AMO_MSWAP;
	atomic.compare = 0xffff;
	*value = 0x11111111;
	EXPECT_EQ(begin(&b, &atomic, 0, NULL, 0), 0);
	EXPECT_EQ(us_completion(b.p.tx).error, 0);
	EXPECT_EQ(*value, 0x1111cdef);
}

/* The owner's own additions, until told to stop. Returns how many. */
static void *add_locally(void *arg)
{
	uint64_t *value = arg, *stop = value + 1;
	uintptr_t n = 0;

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
		n++;
	}
	return (void *)n;
}

TEST(atomic__none_is_lost_beside_others)
{
	enum { SENDERS = 4, COUNT = 500 };
	const struct uet_atomic add = {
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT64,
	};
	struct bench b = bench();
	struct sockaddr_uet to = us_name(b.p.rx);
	uint64_t *value = (void *)b.mem;
	struct bench by[SENDERS];
	struct uet_completion rec;
	pthread_t thread;
	int i, s, done;
	void *local;

	ASSERT_EQ(pthread_create(&thread, NULL, add_locally, value), 0);
	for (s = 0; s < SENDERS; s++) {
		by[s] = b;
		by[s].p.tx = us_endpoint(0, UET_PID_ANY, 0);
		ASSERT_SYS(us_connect(by[s].p.tx, &to));
	}
	for (i = 0; i < COUNT; i++)
		for (s = 0; s < SENDERS; s++)
			EXPECT_EQ(begin(&by[s], &add, 0, &(uint64_t){ 1 }, 8), 8);
	for (s = 0; s < SENDERS; s++) {
		for (done = 0; done < COUNT; done += rec.count) {
			rec = us_completion(by[s].p.tx);
			EXPECT_EQ(rec.error, 0);
		}
	}
	__atomic_store_n(value + 1, 1, __ATOMIC_RELAXED);
	ASSERT_EQ(pthread_join(thread, &local), 0);
	EXPECT_EQ(*value, SENDERS * COUNT + (uintptr_t)local);
}

TEST(atomic__at_a_bad_place_is_refused)
{
	struct bench b = bench();
	struct uet_completion rec;
	uint64_t one = 1;

	rec = run(&b, UET_AMO_SUM, UET_DT_UINT64, 4, &one, 8);
	EXPECT_EQ(rec.rc, US_RC_AMO_UNALIGNED);
	EXPECT_EQ(rec.error, EINVAL);
	rec = run(&b, UET_AMO_SUM, UET_DT_UINT64, 2 * PAGE - 4, &one, 8);
	EXPECT_EQ(rec.rc, US_RC_BAD_ADDR);
	b.key = us_reg(b.p.rx, b.mem, PAGE, UET_MR_WRITE);
	rec = run(&b, UET_AMO_SUM, UET_DT_UINT64, 0, &one, 8);
	EXPECT_EQ(rec.rc, US_RC_OP_VIOLATION);
	EXPECT_EQ(*(uint64_t *)b.mem, 0);
}

TEST(atomic__unsupported_operation_is_not_sent)
{
	static const struct {
		struct uet_atomic atomic;
		size_t len;
		int error;
		const char *text;
	} bad[] = {
		{ { .op = 0x14, .datatype = UET_DT_UINT32 }, 4, EOPNOTSUPP,
		  "op 20 is not executed" },
		{ { .op = 0x0b, .datatype = UET_DT_UINT32 }, 4, EOPNOTSUPP,
		  "op 11 is not executed" },
		{ { .op = UET_AMO_BXOR, .datatype = UET_DT_FLOAT }, 4, EOPNOTSUPP,
		  "op 10 is not executed on datatype 10" },
		{ { .op = UET_AMO_SUM, .datatype = 0x08 }, 16, EOPNOTSUPP,
		  "datatype 8 is not known" },
		{ { .op = UET_AMO_SUM, .datatype = UET_DT_UINT32 }, 6, EINVAL,
		  "6 bytes are no operands" },
		{ { .op = UET_AMO_SUM, .datatype = UET_DT_UINT32 }, 0, EINVAL,
		  "0 bytes are no operands" },
		{ { .op = UET_AMO_CSWAP, .datatype = UET_DT_UINT32 }, 4, EINVAL,
		  "4 bytes are no operands" },
		{ { .op = UET_AMO_SUM, .datatype = UET_DT_UINT32 }, 4100,
		  EMSGSIZE, "longer than the Payload MTU" },
		{ { .op = UET_AMO_SUM, .datatype = UET_DT_UINT32,
		    .reserved = { 1 } }, 4, EINVAL, "reserved is not 0" },
	};
	static const uint8_t operands[4100];
	struct bench b = bench();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_FAILS(begin(&b, &bad[i].atomic, 0, operands, bad[i].len),
			     bad[i].error);
		EXPECT(us_explains(b.p.tx, bad[i].text));
	}
	us_expect_none(b.p.tx);
}

/* ----------------------------------------------------------------- fetching */

/* As begin(); what was there goes to @to of ours. */
static ssize_t fetch(const struct bench *b, const struct uet_atomic *atomic,
		     uint64_t cookie, const struct uet_local *to,
		     const void *operand, size_t len)
{
	struct us_rma rma = {
		.opcode = UET_OP_FETCHING_ATOMIC, .cookie = cookie,
		.at = { b->key, 0 }, .atomic = atomic, .local = to,
	};

	return us_rma(b->p.tx, &rma, operand, len);
}

static struct uet_completion run_fetch(const struct bench *b,
				       const struct uet_atomic *atomic,
				       const void *operand, size_t len)
{
	const struct uet_local to = { b->local, 64, 0 };

	EXPECT_EQ(fetch(b, atomic, 1, &to, operand, len), len);
	return us_completion(b->p.tx);
}

TEST(fetch__each_size_returns_the_old_value)
{
	static const struct { uint8_t type; size_t size; } rows[] = {
		{ UET_DT_UINT8, 1 }, { UET_DT_INT16, 2 }, { UET_DT_FLOAT, 4 },
		{ UET_DT_UINT64, 8 },
	};
	const uint64_t was = 0x1122334455667788, is = 0x99aabbccddeeff00;
	struct uet_atomic swap = { .op = UET_AMO_WRITE };
	struct bench b = bench();
	struct uet_completion rec;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		swap.datatype = rows[i].type;
		memcpy(b.mem, &was, 8);
		memset(b.old, 0xa5, PAGE);
		rec = run_fetch(&b, &swap, &is, rows[i].size);
		us_expect_done(&rec, 1, 1, rows[i].size);
		EXPECT_EQ(rec.opcode, UET_OP_FETCHING_ATOMIC);
		EXPECT_EQ(memcmp(b.old + 64, &was, rows[i].size), 0);
		EXPECT(us_is_filled(b.old, 0xa5, 64));
		EXPECT(us_is_filled(b.old + 64 + rows[i].size, 0xa5,
				    PAGE - 64 - rows[i].size));
		EXPECT_EQ(memcmp(b.mem, &is, rows[i].size), 0);
	}
}

TEST(fetch__operations_need_no_payload)
{
	struct uet_atomic atomic = {
		.op = UET_AMO_READ, .datatype = UET_DT_UINT32,
		.compare = 77, .swap = 5,
	};
	struct bench b = bench();
	uint32_t *value = (void *)b.mem, *old = (void *)(b.old + 64);
	struct uet_completion rec;

	*value = 77;
	rec = run_fetch(&b, &atomic, NULL, 0);
	us_expect_done(&rec, 1, 1, 0);
	EXPECT_EQ(*old, 77);
	EXPECT_EQ(*value, 77);
	atomic.op = UET_AMO_CSWAP;
	*old = 0;
	rec = run_fetch(&b, &atomic, NULL, 0);
	us_expect_done(&rec, 1, 1, 0);
	EXPECT_EQ(*old, 77);
	EXPECT_EQ(*value, 5);
	/* It says what was there also if it does nothing. */
	rec = run_fetch(&b, &atomic, NULL, 0);
	us_expect_done(&rec, 1, 1, 0);
	EXPECT_EQ(*old, 5);
	EXPECT_EQ(*value, 5);
}

/* An operation that was done twice would be missed by somebody. */
TEST(fetch__each_is_reported_once)
{
	enum { COUNT = 400 };
	static const int types[] = { SOCK_RDM, SOCK_SEQPACKET };
	const struct uet_atomic add = {
		.op = UET_AMO_SUM, .datatype = UET_DT_UINT64,
	};
	struct uet_local to = { 0, 0, 8 };
	struct bench b = bench();
	uint64_t *got = (void *)b.old, *value = (void *)b.mem;
	struct sockaddr_uet peer = us_name(b.p.rx);
	struct uet_completion rec;
	bool seen[COUNT];
	uint32_t i, done;

	for (size_t t = 0; t < 2; t++) {
		b.p.tx = us_endpoint_of(types[t], 0, UET_PID_ANY, 0);
		ASSERT_SYS(us_connect(b.p.tx, &peer));
		to.key = us_reg(b.p.tx, b.old, PAGE, 0);
		memset(seen, 0, sizeof(seen));
		*value = 0;
		for (i = 0; i < COUNT; i++) {
			to.offset = i * 8;
			EXPECT_EQ(fetch(&b, &add, i, &to, &(uint64_t){ 1 }, 8), 8);
		}
		for (done = 0; done < COUNT; done += rec.count) {
			rec = us_completion(b.p.tx);
			EXPECT_EQ(rec.error, 0);
		}
		EXPECT_EQ(*value, COUNT);
		for (i = 0; i < COUNT; i++) {
			ASSERT(got[i] < COUNT);
			EXPECT(!seen[got[i]]);
			seen[got[i]] = true;
			if (t)
				EXPECT_EQ(got[i], i);
		}
	}
}

TEST(fetch__that_cannot_be_is_refused)
{
	struct uet_atomic add = { .op = UET_AMO_SUM, .datatype = UET_DT_UINT64 };
	const uint64_t one[2] = { 1, 1 };
	struct bench b = bench();
	struct uet_local to = { b.local, 4, 8 };
	struct uet_completion rec;

	EXPECT_FAILS(fetch(&b, &add, 1, &to, one, 8), EINVAL);
	EXPECT(us_explains(b.p.tx, "offset 4 is not aligned"));
	to.offset = PAGE;
	EXPECT_FAILS(fetch(&b, &add, 1, &to, one, 8), EFAULT);
	to.offset = 0;
	to.length = 4;
	EXPECT_FAILS(fetch(&b, &add, 1, &to, one, 8), EINVAL);
	EXPECT(us_explains(b.p.tx, "length 4 is neither 0 nor"));
	to.length = 0;
	EXPECT_FAILS(fetch(&b, &add, 1, &to, one, 16), EINVAL);
	EXPECT(us_explains(b.p.tx, "16 bytes are no operands"));
	us_expect_none(b.p.tx);
	b.key = us_reg(b.p.rx, b.mem, PAGE, UET_MR_WRITE | UET_MR_READ);
	rec = run_fetch(&b, &add, one, 8);
	EXPECT_EQ(rec.rc, US_RC_OP_VIOLATION);
	b.key = us_reg(b.p.rx, b.mem + 4, PAGE, UET_MR_ATOMIC);
	rec = run_fetch(&b, &add, one, 8);
	EXPECT_EQ(rec.rc, US_RC_AMO_UNALIGNED);
	EXPECT(us_is_filled(b.mem, 0, PAGE));
	EXPECT(us_is_filled(b.old, 0, PAGE));
}

HARNESS_MAIN()
