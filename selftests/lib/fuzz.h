/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the fuzzers of the net ring: random numbers that a seed repeats,
 * values that are likely to hurt, damage to bytes, and the count of iterations.  It
 * knows nothing about UET.  Level: test.
 *
 * Environment:
 *	UET_SEED	of all that is random; else from the clock
 *	UET_FUZZ_N	iterations (10000); 0: without end
 */
#ifndef UET_SELFTESTS_FUZZ_H
#define UET_SELFTESTS_FUZZ_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUZZ_ITERATIONS	10000

struct fuzz_rand {
	uint64_t state;
};

/**
 * struct fuzz_run - one run of a fuzzer
 * @name: of the program
 * @seed: that repeats the run
 * @limit: iterations, 0: without end
 * @done: iterations begun
 * @is_unjudged: whatever the calls do is right
 */
struct fuzz_run {
	const char *name;
	uint32_t seed;
	unsigned long limit;
	atomic_ulong done;
	bool is_unjudged;
};

static struct fuzz_run fuzz;

/* ------------------------------------------------------------------ numbers */

static inline struct fuzz_rand fuzz_rand(uint32_t seed)
{
	return (struct fuzz_rand){ 0x9e3779b97f4a7c15u + seed };
}

/* xorshift64* */
static inline uint32_t fuzz_u32(struct fuzz_rand *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1du >> 32;
}

/* 0 .. @limit - 1 */
static inline uint32_t fuzz_below(struct fuzz_rand *r, uint32_t limit)
{
	return (uint64_t)fuzz_u32(r) * limit >> 32;
}

static inline bool fuzz_one_in(struct fuzz_rand *r, uint32_t n)
{
	return !fuzz_below(r, n);
}

/* A number at or beside a boundary, or any. */
static inline uint32_t fuzz_edge(struct fuzz_rand *r)
{
	uint32_t power = 1u << fuzz_below(r, 32);

	switch (fuzz_below(r, 5)) {
	case 0: return fuzz_u32(r);
	case 1: return fuzz_below(r, 4);
	case 2: return -fuzz_below(r, 4);
	case 3: return power - fuzz_below(r, 2);
	default: return power + fuzz_below(r, 2);
	}
}

/* -------------------------------------------------------------------- bytes */

static inline void fuzz_fill(struct fuzz_rand *r, void *bytes, size_t len)
{
	uint8_t *p = bytes;

	while (len--)
		*p++ = fuzz_u32(r);
}

/* Write the low @bytes bytes of @value, the most significant first. */
static inline void fuzz_put_be(uint8_t *p, uint32_t value, unsigned int bytes)
{
	while (bytes--)
		*p++ = value >> 8 * bytes;
}

/* Damage one place of a buffer that is not empty. */
static inline void fuzz_damage(struct fuzz_rand *r, uint8_t *p, size_t len)
{
	size_t at = fuzz_below(r, len);
	size_t run = 1 + fuzz_below(r, len - at < 16 ? len - at : 16);

	switch (fuzz_below(r, 4)) {
	case 0:
		p[at] ^= 1 << fuzz_below(r, 8);
		break;
	case 1:
		fuzz_put_be(p + at, fuzz_edge(r), run < 4 ? run : 4);
		break;
	case 2:
		memset(p + at, fuzz_one_in(r, 2) ? 0 : 0xff, run);
		break;
	default:
		fuzz_fill(r, p + at, run);
	}
}

/* ---------------------------------------------------------------------- run */

static inline unsigned long fuzz_setting(const char *name, unsigned long other)
{
	const char *value = getenv(name);

	return value && *value ? strtoul(value, NULL, 0) : other;
}

/* Begin, and tell the seed. */
static inline void fuzz_begin(const char *name)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	fuzz.name = name;
	fuzz.seed = fuzz_setting("UET_SEED", now.tv_nsec & 0xffff);
	fuzz.limit = fuzz_setting("UET_FUZZ_N", FUZZ_ITERATIONS);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %u\n", fuzz.seed);
}

/* Is there another iteration?  Any thread may ask. */
static inline bool fuzz_go_on(void)
{
	unsigned long done = atomic_fetch_add(&fuzz.done, 1);

	return !fuzz.limit || done < fuzz.limit;
}

/* An impossible event happened: say it and end the program, threads and all. */
#define fuzz_fail(fmt, ...) do {					\
	if (fuzz.is_unjudged)						\
		break;							\
	printf("# %s: iteration %lu of seed %u: " fmt "\n", fuzz.name,	\
	       (unsigned long)fuzz.done, fuzz.seed, ##__VA_ARGS__);	\
	fflush(stdout);							\
	_exit(1);							\
} while (0)

#endif
