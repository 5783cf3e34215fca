/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam under the protocol core: the only include a core file may have
 * besides headers of its own or a lower level.  It names the fixed-width types,
 * byte order, bitmap, list and arithmetic helpers the core uses, from the
 * kernel's own headers when built into uet.ko and from shim_user.h when built
 * into the userspace library.  It holds no protocol and no state.
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
#include <asm/byteorder.h>

/* The accessors moved to linux/ in 6.12.  Sparse knows no __has_include. */
#ifdef __has_include
#if __has_include(<linux/unaligned.h>)
#define UET_SHIM_NEW_UNALIGNED
#endif
#endif
#ifdef UET_SHIM_NEW_UNALIGNED
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/**
 * struct uet_lock - serialises what several objects of the core share
 * @lock: innermost of all; taken with BH disabled
 *
 * In userspace, where one thread calls, it is empty.
 */
struct uet_lock {
	spinlock_t lock;
};

/* A macro: each place that makes locks makes a class of them. */
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
 * UET_ASSERT(cond): a fact only our own code can break, never the wire or a
 * user.  Costs nothing in a production build.
 */
#ifdef UET_DEBUG
#define UET_ASSERT(cond)	WARN_ON_ONCE(!(cond))
#else
#define UET_ASSERT(cond)	((void)sizeof(!!(cond)))
#endif

#else /* !__KERNEL__ */

#include "../tools/lib/shim_user.h"

#endif /* __KERNEL__ */

#endif /* UET_CORE_SHIM_H */
