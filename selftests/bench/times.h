/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times in nanoseconds of CLOCK_MONOTONIC, and the order of many of them, for the programs
 * of this folder.  Level: test.
 */
#ifndef UET_SELFTESTS_TIMES_H
#define UET_SELFTESTS_TIMES_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static inline int times_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static inline void times_sort(uint64_t *ns, size_t count)
{
	qsort(ns, count, sizeof(*ns), times_compare);
}

/* Sorts them. */
static inline uint64_t times_median(uint64_t *ns, size_t count)
{
	times_sort(ns, count);
	return ns[count / 2];
}

#endif
