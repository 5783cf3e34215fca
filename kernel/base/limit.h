/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A rate limit without a lock or a timer: the generic cell rate algorithm.  Its state is
 * one atomic time, at which the next event conforms.
 */
#ifndef UET_LIMIT_H
#define UET_LIMIT_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct uet_limit - a rate limit
 * @due: theoretical arrival time of the next event, monotonic, ns; 0: no event yet, so
 * 	zeroed memory is a valid limit
 */
struct uet_limit {
	atomic64_t due;
};

/**
 * uet_limit_pass() - check whether an event conforms to the limit
 * @limit: the limit
 * @now: monotonic time, ns
 * @every_ns: mean interval between events, ns
 * @burst: maximum number of back-to-back events after a pause
 *
 * Return: true if the event conforms, and then it is counted; false if not.
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
