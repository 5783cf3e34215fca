/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the protocol core and its environment.  Besides this file, a core
 * file includes only its own headers and headers of a lower level.  The file provides
 * fixed-width types, byte order, bitmap, list and arithmetic helpers: from kernel
 * headers in uet.ko, and from shim_user.h in the userspace library.  The file contains
 * no protocol and no state.
 * Level: core L0.
 */
#ifndef UET_CORE_SHIM_H
#define UET_CORE_SHIM_H

#ifdef __KERNEL__

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/find.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/byteorder.h>

/**
 * struct uet_lock - protects state that several objects of the core share
 * @lock: innermost of all; taken with BH disabled
 *
 * In userspace the struct is empty, because only one thread calls the core.
 */
struct uet_lock {
	spinlock_t lock;
};

/* A macro, so that each call site defines a lock class of its own. */
#define uet_lock_init(l)	spin_lock_init(&(l)->lock)

static inline void uet_lock_take(struct uet_lock *l)
	__acquires(&l->lock)
{
	spin_lock(&l->lock);
}

static inline void uet_lock_drop(struct uet_lock *l)
	__releases(&l->lock)
{
	spin_unlock(&l->lock);
}

/*
 * UET_ASSERT(cond): an invariant that only a bug of this project can violate, never a
 * packet or a user.  No cost in a production build.
 */
#ifdef UET_DEBUG
#define UET_ASSERT(cond)	WARN_ON_ONCE(!(cond))
#else
#define UET_ASSERT(cond)	((void)sizeof(!!(cond)))
#endif

#else /* !__KERNEL__ */

#include "../tools/lib/shim_user.h"

#endif /* __KERNEL__ */

/*
 * uet_ns_since() - the time from @then to @now, or 0 if @then is later
 *
 * Another CPU may have stored @then after @now was read: no time has passed then.
 */
static inline u64 uet_ns_since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

/*
 * uet_ns_before() - the moment @span before @now, or 0 if the clock is younger
 */
static inline u64 uet_ns_before(u64 now, u64 span)
{
	return now > span ? now - span : 0;
}

/*
 * uet_ns_latest() - the later of @latest and @now, which @latest is set to
 * @latest: latest time of an event under a lock, which is held
 *
 * A CPU that read @now before it had the lock may get the lock after a CPU that read its
 * time later.  The event counts as one of that later time: no time under a lock decreases.
 */
static inline u64 uet_ns_latest(u64 *latest, u64 now)
{
	if (now > *latest)
		*latest = now;
	return *latest;
}

#endif /* UET_CORE_SHIM_H */
