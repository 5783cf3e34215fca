/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lets the first, the second, the third... allocation that a call reaches fail, until
 * the call gets through without reaching another one.  Allocations (slabs, pages) may
 * fail, and so may, in the same count, the copying of user memory; counters of the
 * kernel show which of them failed.  It acts on what the task itself runs, not on
 * softirqs that interrupt it.  Level: test.
 *
 * Needs fault injection in the kernel, with probability 0 and a large number of
 * times in debugfs: alloc_fail.sh sees to that.  UET_FAIL_DRY: nothing fails.
 * UET_FAIL_ALL: of long sweeps every site.  UET_FAIL_EVERY: the first site and
 * about one of so many, by UET_SEED.
 */
#ifndef UET_SELFTESTS_FAILNTH_H
#define UET_SELFTESTS_FAILNTH_H

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>

#include "harness.h"

enum fail_kind {
	FAIL_SLAB,
	FAIL_PAGE,
	FAIL_COPY,
	FAIL_KINDS,
	FAIL_NONE = FAIL_KINDS,
};

/* Up to here every site of a long sweep is tried, then one of FAIL_STEP. */
#define FAIL_DENSE	40
#define FAIL_STEP	25
/* No call reaches so many. */
#define FAIL_NEVER	100000000
/* Attempts in a row that reach no further site: there is none. */
#define FAIL_QUIET	2

static const char *const fail_names[] = { "slab", "page", "copy", "none" };

/* How many more of a kind may fail: each that does counts one down. */
static const char *const fail_files[FAIL_KINDS] = {
	"/sys/kernel/debug/failslab/times",
	"/sys/kernel/debug/fail_page_alloc/times",
	"/sys/kernel/debug/fail_usercopy/times",
};

/**
 * struct fail_op - an operation, each function working on static variables
 * @name: for people
 * @prepare: make what @call needs, or NULL
 * @call: system calls and nothing else: what user space itself allocates
 *	could fail in its stead.  Return: 0 or more, or a negative errno
 * @check: is all as it should be after @call returned @ret? Or NULL
 * @undo: back to the state before @prepare, whatever @call did, or NULL
 * @tail: that many sites, the last ones, are tried; 0: all
 * @before: a call that gets only so far that what follows matters, or NULL; what
 *	it reaches is not tried
 * @also: another errno that is right when memory fails, or 0
 * @is_long: many sites are the same one: try some of them
 * @may_have_none: it is right if nothing can fail
 */
struct fail_op {
	const char *name;
	void (*prepare)(void);
	int (*call)(void);
	void (*check)(int ret);
	void (*undo)(void);
	int tail;
	int (*before)(void);
	int also;
	bool is_long;
	bool may_have_none;
};

/**
 * struct fail_tally - what a sweep has seen
 * @sites: highest number of a site that failed
 * @kinds: attempts that failed a site of each kind
 * @refused: attempts that returned an errno
 * @borne: attempts that succeeded although something failed
 */
struct fail_tally {
	int sites;
	int kinds[FAIL_KINDS];
	int refused;
	int borne;
};

/**
 * struct fail - the state of this process
 * @is_dry: let nothing fail
 * @nth: where to say which site is to fail
 * @left: fail_times() when that was said
 */
static struct {
	bool is_dry;
	int every;
	int nth;
	long left[FAIL_KINDS];
} fail;

static long fail_times(int kind)
{
	char text[32] = "";
	int fd = open(fail_files[kind], O_RDONLY | O_CLOEXEC);

	ASSERT_SYS(fd);
	ASSERT_SYS(read(fd, text, sizeof(text) - 1));
	close(fd);
	return atol(text);
}

/* No page of this process is to be allocated in the middle of a call. */
static inline void fail_touch_stack(void)
{
	volatile char stack[256 * 1024];

	for (size_t i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

/* Return: the number in the environment that is called @name, 1 or more. */
static int fail_setting(const char *name, int usual)
{
	const char *text = getenv(name);
	int number = text ? atoi(text) : usual;

	return number > 0 ? number : usual;
}

/* Once in each process that uses this. */
static inline void fail_open(void)
{
	alarm(15 * HARNESS_SECONDS * harness_scale());
	fail.is_dry = getenv("UET_FAIL_DRY");
	fail.every = fail_setting("UET_FAIL_EVERY", 1);
	srand(fail_setting("UET_SEED", 1));
	if (fail.is_dry)
		return;
	fail.nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail.nth < 0)
		SKIP("the kernel has no fault injection");
	ASSERT_SYS(mlockall(MCL_CURRENT | MCL_FUTURE));
	fail_touch_stack();
}

static void fail_arm(int site)
{
	char text[16];
	int i, len;

	for (i = 0; i < FAIL_KINDS; i++)
		fail.left[i] = fail_times(i);
	len = snprintf(text, sizeof(text), "%d", site);
	ASSERT_EQ(pwrite(fail.nth, text, len, 0), len);
}

/*
 * Return: what has failed since fail_arm().  Reading and writing copy user
 * memory, so when the site was not reached it may be one of these two.
 */
static enum fail_kind fail_disarm(void)
{
	char text[16] = "";
	ssize_t len = pread(fail.nth, text, sizeof(text) - 1, 0);
	int i, saved = 0;

	if (len < 0 || atoi(text)) {
		while (pwrite(fail.nth, "0", 1, 0) != 1)
			ASSERT(saved++ < 2);
		return FAIL_NONE;
	}
	for (i = 0; i < FAIL_KINDS; i++)
		if (fail_times(i) != fail.left[i])
			return i;
	EXPECT(!"something failed that is not counted");
	return FAIL_SLAB;
}

static bool fail_errno_is_right(const struct fail_op *op, int err,
				enum fail_kind kind)
{
	if (kind == FAIL_COPY)
		return err == EFAULT;
	return err == ENOMEM || err == ENOBUFS || (op->also && err == op->also);
}

/* Call with the given site failing. Return: what has failed. */
static enum fail_kind fail_attempt(const struct fail_op *op, int site,
				   struct fail_tally *tally)
{
	enum fail_kind kind = FAIL_NONE;
	int ret;

	if (op->prepare)
		op->prepare();
	if (!fail.is_dry)
		fail_arm(site);
	ret = op->call();
	if (!fail.is_dry)
		kind = fail_disarm();
	if (ret < 0)
		HARNESS_CHECK(kind != FAIL_NONE &&
			      fail_errno_is_right(op, -ret, kind),
			      "%s: site %d (%s): errno %d: %s", op->name, site,
			      fail_names[kind], -ret, strerror(-ret));
	if (op->check)
		op->check(ret);
	if (op->undo)
		op->undo();
	if (kind == FAIL_NONE)
		return kind;
	tally->kinds[kind]++;
	tally->refused += ret < 0;
	tally->borne += ret >= 0;
	if (site > tally->sites)
		tally->sites = site;
	return kind;
}

/* Return: about how many sites a call reaches. */
static int fail_count(const struct fail_op *op, int (*call)(void))
{
	char text[16] = "";

	if (op->prepare)
		op->prepare();
	fail_arm(FAIL_NEVER);
	call();
	ASSERT_SYS(pread(fail.nth, text, sizeof(text) - 1, 0));
	fail_disarm();
	if (op->undo)
		op->undo();
	return FAIL_NEVER - atoi(text);
}

/* Return: the first site that is tried. */
static int fail_first(const struct fail_op *op)
{
	int first = 1;

	if (fail.is_dry)
		return first;
	if (op->before)
		first += fail_count(op, op->before);
	else if (op->tail)
		first += fail_count(op, op->call) - op->tail;
	return first < 1 ? 1 : first;
}

static int fail_next(const struct fail_op *op, int site)
{
	if (op->is_long && site >= FAIL_DENSE && !getenv("UET_FAIL_ALL"))
		return site + FAIL_STEP;
	return site + 1 + rand() % (2 * fail.every - 1);
}

/* Let every site of an operation fail, one at a time; a test of its own. */
static inline void fail_sweep(const struct fail_op *op)
{
	struct fail_tally tally = { .sites = 0 };
	int site = fail_first(op), quiet = 0;

	while (quiet < FAIL_QUIET && harness.failures < 20) {
		if (fail_attempt(op, site, &tally) == FAIL_NONE)
			quiet++;
		else
			quiet = 0;
		site = fail_next(op, site);
	}
	HARNESS_CHECK(tally.sites || op->may_have_none || fail.is_dry,
		      "%s: nothing could fail", op->name);
	dprintf(STDOUT_FILENO,
		"# %s: %d sites; tried %d slab, %d page, %d copy; "
		"%d refused, %d borne\n", op->name, tally.sites, tally.kinds[FAIL_SLAB],
		tally.kinds[FAIL_PAGE], tally.kinds[FAIL_COPY], tally.refused,
		tally.borne);
}

#endif
