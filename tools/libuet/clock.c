// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Time limits of blocking functions: a limit in milliseconds becomes a point in time,
 * so that interruptions do not prolong it.
 */
#include <limits.h>
#include <poll.h>
#include <time.h>

#include "handle.h"

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* The end of @timeout ms from now; -1: no limit. */
int64_t libuet_deadline(int timeout)
{
	return timeout < 0 ? -1 : now_ms() + timeout;
}

/* Milliseconds until then, as poll() takes them. */
int libuet_left(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	if (deadline < 0)
		return -1;
	if (left < 0)
		return 0;
	return left > INT_MAX ? INT_MAX : left;
}

/* Wait before the next attempt, no longer than until the deadline. */
void libuet_pause(int64_t deadline)
{
	int left = libuet_left(deadline);

	poll(NULL, 0, left < 0 || left > RETRY_MS ? RETRY_MS : left);
}
