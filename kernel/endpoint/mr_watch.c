// SPDX-License-Identifier: GPL-2.0
/*
 * UET_MR_WATCH: a region whose mapping changes says so. The pages of a region stay
 * pinned, so after munmap() and mmap() the process has other memory at the address than
 * its peers. A library that keeps regions for the next transfer must know.
 *
 * The kernel reports changes of an address range to a notifier, also from contexts that
 * cannot wait. A change is counted in the completion rings of the sockets of the region,
 * and the region is listed for UET_IOC_MR_CHANGED.
 */
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ep.h"
#include "mr.h"
#include "mr_region.h"
#include "mr_space.h"

/**
 * struct uet_mr_watch - notices that the mapping of a region changes
 * @notifier: the kernel's; immutable address range
 * @space: space of the region, which exists as long as the region
 * @refs: one of the region, one of the thread that registers it
 * @link: entry in uet_mr_space.changed
 * @key: key of the region, once @is_armed
 * @is_changed: the mapping has changed since the pages were pinned
 * @is_armed: the region is registered, and not deregistered
 *
 * uet_mr_space.lock protects the fields from @link on.
 */
struct uet_mr_watch {
#ifdef CONFIG_MMU_NOTIFIER
	struct mmu_interval_notifier notifier;
#endif
	struct uet_mr_space *space;
	refcount_t refs;
	struct list_head link;
	u64 key;
	bool is_changed;
	bool is_armed;
};

#ifdef CONFIG_MMU_NOTIFIER

static void mrwatch_tell(struct uet_mr_watch *watch)
{
	lockdep_assert_held(&watch->space->lock);
	if (!watch->is_changed || !watch->is_armed || !list_empty(&watch->link))
		return;
	list_add_tail(&watch->link, &watch->space->changed);
	uet_mr_space_bump(watch->space);
}

/* Other permissions leave the pages, which fork() changes, too. */
static bool mrwatch_is_change(const struct mmu_notifier_range *range)
{
	switch (range->event) {
	case MMU_NOTIFY_PROTECTION_VMA:
	case MMU_NOTIFY_PROTECTION_PAGE:
	case MMU_NOTIFY_SOFT_DIRTY:
		return false;
	default:
		return true;
	}
}

static bool mrwatch_invalidate(struct mmu_interval_notifier *notifier,
			       const struct mmu_notifier_range *range,
			       unsigned long seq)
{
	struct uet_mr_watch *watch = container_of(notifier, struct uet_mr_watch,
						  notifier);

	mmu_interval_set_seq(notifier, seq);
	if (!mrwatch_is_change(range))
		return true;
	spin_lock_bh(&watch->space->lock);
	if (!watch->is_changed) {
		watch->is_changed = true;
		mrwatch_tell(watch);
	}
	spin_unlock_bh(&watch->space->lock);
	return true;
}

static const struct mmu_interval_notifier_ops mrwatch_ops = {
	.invalidate = mrwatch_invalidate,
};

/*
 * Watch the mapping of a region.
 * @mr: region whose pages are not pinned yet; gets @mr->watch
 * @addr: start address in the calling process
 *
 * Context: Process, sleeps.
 * Return: 0; -ENOMEM; -EINTR.
 */
int uet_mr_watch_make(struct uet_sock *us, struct uet_mr *mr,
		      unsigned long addr, u64 len)
{
	struct uet_mr_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);
	int err;

	if (!watch)
		return uet_sock_refuse(us, -ENOMEM, "UET_IOC_MR_REG: no memory to watch the region");
	watch->space = us->space;
	refcount_set(&watch->refs, 2);
	INIT_LIST_HEAD(&watch->link);
	err = mmu_interval_notifier_insert(&watch->notifier, current->mm, addr,
					   len, &mrwatch_ops);
	if (err) {
		kfree(watch);
		return uet_sock_refuse(us, err, "UET_IOC_MR_REG: the region cannot be watched");
	}
	mr->watch = watch;
	return 0;
}

/*
 * Forget changes.
 * @watch: watch of a region that is not registered yet
 *
 * Pinning changes a mapping of pages that another process shares.
 *
 * Context: Process.
 * Return: true if there was a change: pin the pages again.
 */
bool uet_mr_watch_restart(struct uet_mr_watch *watch)
{
	bool was_changed;

	spin_lock_bh(&watch->space->lock);
	was_changed = watch->is_changed;
	watch->is_changed = false;
	spin_unlock_bh(&watch->space->lock);
	return was_changed;
}

static void mrwatch_put(struct uet_mr_watch *watch)
{
	if (refcount_dec_and_test(&watch->refs))
		kfree(watch);
}

/*
 * Tell changes from now on, and those since the pages were pinned.
 * @watch: watch of a region that may be deregistered by now; the caller's reference is
 *	dropped
 *
 * Context: Process.
 */
void uet_mr_watch_arm(struct uet_mr_watch *watch, u64 key)
{
	spin_lock_bh(&watch->space->lock);
	/* The region's reference is gone if it was deregistered. */
	if (refcount_read(&watch->refs) > 1) {
		watch->key = key;
		watch->is_armed = true;
		mrwatch_tell(watch);
	}
	spin_unlock_bh(&watch->space->lock);
	mrwatch_put(watch);
}

/*
 * Watch a region no more.
 * Context: Process, sleeps.
 */
void uet_mr_watch_end(struct uet_mr *mr)
{
	struct uet_mr_watch *watch = mr->watch;
	bool is_last;

	if (!watch)
		return;
	mmu_interval_notifier_remove(&watch->notifier);
	spin_lock_bh(&watch->space->lock);
	watch->is_armed = false;
	list_del_init(&watch->link);
	/* Under the lock, for uet_mr_watch_arm(). */
	is_last = refcount_dec_and_test(&watch->refs);
	spin_unlock_bh(&watch->space->lock);
	if (is_last)
		kfree(watch);
}

#else

int uet_mr_watch_make(struct uet_sock *us, struct uet_mr *mr,
		      unsigned long addr, u64 len)
{
	return uet_sock_refuse(us, -EOPNOTSUPP, "UET_IOC_MR_REG: UET_MR_WATCH needs a kernel with CONFIG_MMU_NOTIFIER");
}

bool uet_mr_watch_restart(struct uet_mr_watch *watch)
{
	return false;
}

void uet_mr_watch_arm(struct uet_mr_watch *watch, u64 key)
{
}

void uet_mr_watch_end(struct uet_mr *mr)
{
}

#endif

/* Return: false if no region has changed. */
static bool mrwatch_take(struct uet_mr_space *space, u64 *key)
{
	struct uet_mr_watch *watch;

	spin_lock_bh(&space->lock);
	watch = list_first_entry_or_null(&space->changed, struct uet_mr_watch,
					 link);
	if (watch) {
		list_del_init(&watch->link);
		/* It is told once. */
		watch->is_armed = false;
		*key = watch->key;
	}
	spin_unlock_bh(&space->lock);
	return watch;
}

/**
 * uet_mr_ioctl_changed() - UET_IOC_MR_CHANGED: a watched region that has changed
 * @us: socket
 * @arg: user's __u64, gets the key
 *
 * Context: Process.
 * Return: 0: each region is returned once; -ENOENT: there is none; -ENOTCONN; -EFAULT.
 */
int uet_mr_ioctl_changed(struct uet_sock *us, void __user *arg)
{
	u64 key;

	/* The space of a socket is constant from then on. */
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_MR_CHANGED: the socket is not bound");
	if (!mrwatch_take(us->space, &key))
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_MR_CHANGED: no region with UET_MR_WATCH has changed that was not returned");
	return copy_to_user(arg, &key, sizeof(key)) ? -EFAULT : 0;
}
