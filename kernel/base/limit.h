/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A rate limit without a lock or a timer: the generic cell rate algorithm, one
 * atomic number that says when the next event is due.  Level: shell.
 */
#ifndef UET_LIMIT_H
#define UET_LIMIT_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct uet_limit - how often something may happen
 * @due: time at which the events so far will have been paid for, ns; zeroed
 *	memory is a fresh limit
 */
struct uet_limit {
	atomic64_t due;
};

/**
 * uet_limit_pass() - may it happen once more?
 * @limit: the limit
 * @now: monotonic time, ns
 * @every_ns: mean distance of events, ns
 * @burst: how many may happen at once after a pause
 *
 * Context: Any.
 * Return: true and the event is counted, or false.
 */
static inline bool uet_limit_pass(struct uet_limit *limit, u64 now,
				  u64 every_ns, u32 burst)
{
	s64 old = atomic64_read(&limit->due);
	s64 new;

	do {
		if (old > (s64)(now + every_ns * (burst - 1)))
			return false;
		new = max_t(s64, old, now) + every_ns;
	} while (!atomic64_try_cmpxchg(&limit->due, &old, new));
	return true;
}

#endif
