/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of the module: monotonic time in ns, and timers that expire by it.  All times
 * that the module stores or compares come from here.  A build with assertions (UET_DEBUG)
 * can shift the clock, so that tests see any uptime; no other build can.
 */
#ifndef UET_CLOCK_H
#define UET_CLOCK_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#ifdef UET_DEBUG
extern u64 uet_clock_offset;
#else
#define uet_clock_offset	0
#endif

/**
 * uet_now_ns() - the time
 *
 * Return: monotonic time, ns.
 */
static inline u64 uet_now_ns(void)
{
	return ktime_get_ns() + uet_clock_offset;
}

/**
 * uet_timer_start() - start a timer whose function runs in softirq
 * @timer: from hrtimer_init() with HRTIMER_MODE_ABS_SOFT
 * @when: expiry, as uet_now_ns()
 */
static inline void uet_timer_start(struct hrtimer *timer, u64 when)
{
	hrtimer_start(timer, ns_to_ktime(when - uet_clock_offset),
		      HRTIMER_MODE_ABS_SOFT);
}

#endif
