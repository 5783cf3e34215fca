/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A unit test harness small enough to read at one sitting.  A file of tests
 * includes it once and becomes a program: TEST() bodies run in source order in
 * one process, results go to stdout as TAP, failed expectations to the same
 * place as TAP comments, and the exit status is 0 only if every test passed.
 * It knows nothing about UET.  Level: test.
 *
 *	TEST(psn__wraps)
 *	{
 *		EXPECT_EQ(psn_next(0xffffffff), 0);
 *	}
 *
 * EXPECT_* records a failure and goes on, ASSERT_* leaves the test.  A test
 * that checks nothing fails.  "prog TEXT" runs only tests whose name contains
 * TEXT.  UTEST_SEED=N repeats a run of utest_rand().
 */
#ifndef UET_SELFTESTS_UTEST_H
#define UET_SELFTESTS_UTEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct utest_case {
	const char *name;
	void (*body)(void);
	struct utest_case *next;
};

static struct {
	struct utest_case *first;
	struct utest_case **tail;
	uint64_t seed;
	uint64_t rand_state;
	unsigned int checks;
	unsigned int failures;
} utest;

static void utest_add(struct utest_case *c)
{
	if (!utest.tail)
		utest.tail = &utest.first;
	*utest.tail = c;
	utest.tail = &c->next;
}

#define TEST(fn)							\
	static void utest_body_##fn(void);				\
	static struct utest_case utest_case_##fn = {			\
		.name = #fn, .body = utest_body_##fn };			\
	__attribute__((constructor)) static void utest_add_##fn(void)	\
	{								\
		utest_add(&utest_case_##fn);				\
	}								\
	static void utest_body_##fn(void)

/* One expectation; the message is printed only when it fails. */
#define UTEST_CHECK(ok, fmt, ...) ({					\
	bool _ok = (ok);						\
	utest.checks++;							\
	if (!_ok) {							\
		utest.failures++;					\
		printf("# %s:%d: " fmt "\n", __FILE__, __LINE__,	\
		       __VA_ARGS__);					\
	}								\
	_ok; })

/* Integers of any type, compared by value whatever their signedness. */
#define UTEST_CMP(a, op, b) ({						\
	__int128 _a = (a), _b = (b);					\
	UTEST_CHECK(_a op _b, "%s %s %s: 0x%" PRIx64 " against 0x%" PRIx64, \
		    #a, #op, #b, (uint64_t)_a, (uint64_t)_b); })

#define UTEST_STREQ(a, b) ({						\
	const char *_sa = (a), *_sb = (b);				\
	UTEST_CHECK(_sa && _sb && !strcmp(_sa, _sb),			\
		    "%s == %s: \"%s\" against \"%s\"", #a, #b,		\
		    _sa ? _sa : "(null)", _sb ? _sb : "(null)"); })

#define UTEST_MEMEQ(a, b, n) \
	UTEST_CHECK(utest_memeq(a, b, n), "%s == %s, %zu bytes", #a, #b, \
		    (size_t)(n))

#define EXPECT_TRUE(x)	((void)UTEST_CHECK((x), "%s is false", #x))
#define EXPECT_FALSE(x)	((void)UTEST_CHECK(!(x), "%s is true", #x))
#define EXPECT_PTR_EQ(a, b) \
	((void)UTEST_CHECK((a) == (b), "%s is not %s", #a, #b))
#define EXPECT_NULL(p)	((void)UTEST_CHECK(!(p), "%s is not NULL", #p))
#define EXPECT_EQ(a, b)	((void)UTEST_CMP(a, ==, b))
#define EXPECT_NE(a, b)	((void)UTEST_CMP(a, !=, b))
#define EXPECT_LT(a, b)	((void)UTEST_CMP(a, <, b))
#define EXPECT_LE(a, b)	((void)UTEST_CMP(a, <=, b))
#define EXPECT_GT(a, b)	((void)UTEST_CMP(a, >, b))
#define EXPECT_GE(a, b)	((void)UTEST_CMP(a, >=, b))
#define EXPECT_STREQ(a, b) ((void)UTEST_STREQ(a, b))
#define EXPECT_MEMEQ(a, b, n) ((void)UTEST_MEMEQ(a, b, n))

#define ASSERT_TRUE(x) \
	do { if (!UTEST_CHECK((x), "%s is false", #x)) return; } while (0)
#define ASSERT_FALSE(x) \
	do { if (!UTEST_CHECK(!(x), "%s is true", #x)) return; } while (0)
#define ASSERT_EQ(a, b)	do { if (!UTEST_CMP(a, ==, b)) return; } while (0)
#define ASSERT_NE(a, b)	do { if (!UTEST_CMP(a, !=, b)) return; } while (0)

static inline void utest_print_hex(const char *what, const void *p, size_t n)
{
	const uint8_t *b = p;

	printf("# %s ", what);
	while (n--)
		printf("%02x", *b++);
	printf("\n");
}

static inline bool utest_memeq(const void *a, const void *b, size_t n)
{
	if (!memcmp(a, b, n))
		return true;
	utest_print_hex("got ", a, n);
	utest_print_hex("want", b, n);
	return false;
}

/* splitmix64: good enough for property tests, and one line to reproduce. */
static inline uint64_t utest_rand(void)
{
	uint64_t z = utest.rand_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline void utest_rand_fill(void *p, size_t n)
{
	uint8_t *b = p;

	while (n--)
		*b++ = (uint8_t)utest_rand();
}

/*
 * Bytes of a hex string, in which blanks are skipped, into @out of @space bytes.
 * A malformed literal is a bug of the test and ends the program.
 */
static inline size_t utest_unhex(const char *hex, uint8_t *out, size_t space)
{
	size_t n = 0;

	for (; *hex; hex++) {
		unsigned int byte;
		char two[3] = { hex[0], hex[1], '\0' };

		if (*hex == ' ')
			continue;
		if (n >= space || sscanf(two, "%2x", &byte) != 1 || !two[1]) {
			printf("Bail out! bad hex literal at \"%s\"\n", hex);
			exit(1);
		}
		out[n++] = (uint8_t)byte;
		hex++;
	}
	return n;
}

static int utest_main(const char *filter)
{
	const char *seed = getenv("UTEST_SEED");
	unsigned int total = 0, failed = 0;
	struct utest_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	utest.seed = seed ? strtoull(seed, NULL, 0) : 1;
	for (c = utest.first; c; c = c->next)
		total += strstr(c->name, filter) != NULL;
	printf("TAP version 13\n1..%u\n", total);
	if (!seed)
		printf("# UTEST_SEED=%" PRIu64 "\n", utest.seed);
	total = 0;
	for (c = utest.first; c; c = c->next) {
		if (!strstr(c->name, filter))
			continue;
		utest.checks = 0;
		utest.failures = 0;
		utest.rand_state = utest.seed;
		c->body();
		if (!utest.checks)
			printf("# %s checked nothing\n", c->name);
		if (!utest.checks || utest.failures)
			failed++;
		printf("%sok %u - %s\n",
		       !utest.checks || utest.failures ? "not " : "", ++total,
		       c->name);
	}
	return failed || !total;
}

int main(int argc, char **argv)
{
	return utest_main(argc > 1 ? argv[1] : "");
}

#endif /* UET_SELFTESTS_UTEST_H */
