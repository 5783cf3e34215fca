/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RLIMIT_MEMLOCK for tests that run as root, to whom it does not apply: what a
 * process has pinned is known from what its user may pin besides.  Level: test.
 */
#ifndef UET_SELFTESTS_UETLOCK_H
#define UET_SELFTESTS_UETLOCK_H

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "harness.h"

/* From now on RLIMIT_MEMLOCK counts, for root too, and is @bytes. */
static inline void us_limit_memlock(size_t bytes)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct rlimit limit = { bytes, bytes };
	struct __user_cap_data_struct data[2];

	ASSERT_SYS(syscall(SYS_capget, &head, data));
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	ASSERT_SYS(syscall(SYS_capset, &head, data));
	ASSERT_SYS(setrlimit(RLIMIT_MEMLOCK, &limit));
}

#endif
