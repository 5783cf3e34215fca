/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Base layer for every file of the module: the clock, rate limits, kernel version differences,
 * fabric addresses and shares of limits.
 *
 * Times that the module stores or compares are monotonic, in ns, from uet_now_ns().  Those of
 * streams and of readings of counters are jiffies.  A build with assertions (UET_DEBUG) can shift
 * the clock in ns, so that tests see any uptime; no other build can.
 */
#ifndef UET_BASE_H
#define UET_BASE_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/socket.h>
#include <linux/timekeeping.h>
#include <net/ipv6.h>

#include "compat.h"
#include "pages.h"
#include "shares.h"

/* Set a constant error text.  The value is @err. */
#define uet_refuse(extack, err, text) ({	\
	NL_SET_ERR_MSG(extack, text);		\
	(err);					\
})

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

/*
 * struct uet_fa - a fabric address, which identifies a FEP on the fabric (UE 1.0.1 3.4.1)
 * @family: AF_INET or AF_INET6; AF_UNSPEC: none
 * @scope_id: interface index of a link-local IPv6 address, else 0
 *
 * Padding and unused bytes are zero, because the struct is a hash key.
 */
struct uet_fa {
	u32 family;
	u32 scope_id;
	union {
		__be32 v4;
		struct in6_addr v6;
	};
};

static inline bool uet_fa_equal(const struct uet_fa *a, const struct uet_fa *b)
{
	return a->family == b->family && a->scope_id == b->scope_id &&
	       ipv6_addr_equal(&a->v6, &b->v6);
}

static inline struct uet_fa uet_fa_v4(__be32 addr)
{
	struct uet_fa fa = { .family = AF_INET, .v6 = {} };

	fa.v4 = addr;
	return fa;
}

static inline struct uet_fa uet_fa_v6(const struct in6_addr *addr, u32 scope_id)
{
	struct uet_fa fa = { .family = AF_INET6, .v6 = *addr };

	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		fa.scope_id = scope_id;
	return fa;
}

#define UET_FA_TEXT	48	/* bytes of uet_fa_print() */

/* For people, without the interface of a link-local address.  Return: @text. */
static inline const char *uet_fa_print(const struct uet_fa *fa, char *text)
{
	if (fa->family == AF_INET)
		snprintf(text, UET_FA_TEXT, "%pI4", &fa->v4);
	else
		snprintf(text, UET_FA_TEXT, "%pI6c", &fa->v6);
	return text;
}

/* Multicast, broadcast and unspecified addresses do not identify a single FEP. */
static inline bool uet_fa_is_unicast(const struct uet_fa *fa)
{
	if (fa->family == AF_INET)
		return !ipv4_is_zeronet(fa->v4) && !ipv4_is_multicast(fa->v4) &&
		       !ipv4_is_lbcast(fa->v4);
	return !ipv6_addr_any(&fa->v6) && !ipv6_addr_is_multicast(&fa->v6);
}

/*
 * A link-local destination requires a local FEP on the same link: a FEP without a link
 * cannot state the link for the answer.
 */
static inline bool uet_fa_is_on_link(const struct uet_fa *to, const struct uet_fa *own)
{
	if (to->family != AF_INET6 || !(ipv6_addr_type(&to->v6) & IPV6_ADDR_LINKLOCAL))
		return true;
	return to->scope_id && to->scope_id == own->scope_id;
}

#endif
