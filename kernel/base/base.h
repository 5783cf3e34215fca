/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base layer for every file of the module: the clock, rate limits, kernel version differences,
 * fabric addresses and shares of limits.
 *
 * All times that the module stores or compares are monotonic, in ns, from uet_now_ns().  A build
 * with assertions (UET_DEBUG) can shift the clock, so that tests see any uptime; no other build
 * can.
 */
#ifndef UET_BASE_H
#define UET_BASE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "fa.h"
#include "shares.h"

#ifdef UET_DEBUG
extern u64 uet_clock_offset;
#else
#define uet_clock_offset	0
#endif

static inline u64 uet_now_ns(void)
{
	return ktime_get_ns() + uet_clock_offset;
}

/* Start a timer of HRTIMER_MODE_ABS_SOFT, whose function runs in softirq. */
static inline void uet_timer_start(struct hrtimer *timer, u64 when)
{
	hrtimer_start(timer, ns_to_ktime(when - uet_clock_offset), HRTIMER_MODE_ABS_SOFT);
}

/**
 * struct uet_limit - a rate limit without a lock or a timer: the generic cell rate algorithm
 * @due: theoretical arrival time of the next event, ns; 0: no event yet, so zeroed memory is a
 *	valid limit
 */
struct uet_limit {
	atomic64_t due;
};

/*
 * Count an event if it conforms to one in @every_ns on average, and to @burst back to back after a
 * pause.  Return: false: it does not conform.
 */
static inline bool uet_limit_pass(struct uet_limit *limit, u64 now, u64 every_ns, u32 burst)
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
