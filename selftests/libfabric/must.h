/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of libfabric that must succeed, or fail, for programs that end at the first other
 * result.
 * Level: test.
 */
#ifndef UET_SELFTESTS_MUST_H
#define UET_SELFTESTS_MUST_H

#include <err.h>
#include <rdma/fi_errno.h>

#define MUST(call) do {							\
	long must = (call);						\
	if (must < 0)							\
		errx(1, "%s: %s", #call, fi_strerror((int)-must));	\
} while (0)

#define FAILS(call, error) do {						\
	long fails = (call);						\
	if (fails != -(error))						\
		errx(1, "%s: %ld, not %s", #call, fails, fi_strerror(error)); \
} while (0)

#endif
