/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of libfabric that must succeed, for programs that end at the first failure.
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

#endif
