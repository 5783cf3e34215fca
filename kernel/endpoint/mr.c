// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: registers memory of a process, watches its mapping, and deregisters it.
 * Spaces say which sockets find a region: one socket, or those of a domain.
 *
 * UET_MR_WATCH: the pages of a region stay pinned, so after munmap() and mmap() the process has
 * other memory at the address than its peers. A library that keeps regions for the next
 * transfer must know. The kernel reports changes of an address range to a notifier, also from
 * contexts that cannot wait. A change is counted in the completion rings of the sockets of the
 * space, and the region is listed for UET_IOC_MR_CHANGED.
 *
 * A domain is a space behind a descriptor. A file, and each socket until close(), use it; the
 * last user deregisters the regions. Memory of single operations may be found a little longer,
 * so each socket keeps the structure until it is freed.
 * Spec: UE 1.0.1 3.4.1 (authorization).
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uet.h>
#include <linux/xarray.h>
#include <net/sock.h>

#include "endpoint.h"
#include "mr_region.h"

#define MR_ACCESS	(UET_MR_WRITE | UET_MR_READ | UET_MR_ATOMIC)

static_assert(!(MR_ACCESS & UET_MR_LOCAL_WRITE));

static atomic64_t mr_ids = ATOMIC64_INIT(0);

/* ------------------------------------------------------------------- watching */

static void mr_space_bump(struct uet_mr_space *space)
{
	struct uet_sock *us;

	lockdep_assert_held(&space->lock);
	/* Pairs with the READ_ONCE() for a new ring, under uet_cq.lock. */
	WRITE_ONCE(space->generation, space->generation + 1);
	list_for_each_entry(us, &space->socks, mr.on_space)
		uet_cq_note_generation(&us->cq, space->generation);
}

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
	mr_space_bump(watch->space);
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
			       const struct mmu_notifier_range *range, unsigned long seq)
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

/* Watch the mapping of a region whose pages are not pinned yet. */
static int mr_watch_make(struct uet_sock *us, struct uet_mr *mr, unsigned long addr, u64 len)
{
	struct uet_mr_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);
	int err;

	if (!watch)
		return uet_sock_refuse(us, -ENOMEM, "UET_IOC_MR_REG: no memory to watch the region");
	watch->space = us->mr.space;
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
 * Forget changes: pinning changes a mapping of pages that another process shares. Return: true
 * if there was a change: pin the pages again.
 */
static bool mr_watch_restart(struct uet_mr_watch *watch)
{
	bool was_changed;

	spin_lock_bh(&watch->space->lock);
	was_changed = watch->is_changed;
	watch->is_changed = false;
	spin_unlock_bh(&watch->space->lock);
	return was_changed;
}

/*
 * Tell changes from now on, and those since the pages were pinned. The region may be
 * deregistered by now; the caller's reference to its watch is dropped.
 */
static void mr_watch_arm(struct uet_mr_watch *watch, u64 key)
{
	spin_lock_bh(&watch->space->lock);
	/* The region's reference is gone if it was deregistered. */
	if (refcount_read(&watch->refs) > 1) {
		watch->key = key;
		watch->is_armed = true;
		mrwatch_tell(watch);
	}
	spin_unlock_bh(&watch->space->lock);
	if (refcount_dec_and_test(&watch->refs))
		kfree(watch);
}

static void mr_watch_end(struct uet_mr *mr)
{
	struct uet_mr_watch *watch = mr->watch;
	bool is_last;

	if (!watch)
		return;
	mmu_interval_notifier_remove(&watch->notifier);
	spin_lock_bh(&watch->space->lock);
	watch->is_armed = false;
	list_del_init(&watch->link);
	/* Under the lock, for mr_watch_arm(). */
	is_last = refcount_dec_and_test(&watch->refs);
	spin_unlock_bh(&watch->space->lock);
	if (is_last)
		kfree(watch);
}

#else

/* Watch the mapping of a region whose pages are not pinned yet. */
static inline int mr_watch_make(struct uet_sock *us, struct uet_mr *mr, unsigned long addr,
				u64 len)
{
	return uet_sock_refuse(us, -EOPNOTSUPP, "UET_IOC_MR_REG: UET_MR_WATCH needs a kernel with CONFIG_MMU_NOTIFIER");
}

/*
 * Forget changes: pinning changes a mapping of pages that another process shares. Return: true
 * if there was a change: pin the pages again.
 */
static inline bool mr_watch_restart(struct uet_mr_watch *watch)
{
	return false;
}

/*
 * Tell changes from now on, and those since the pages were pinned. The region may be
 * deregistered by now; the caller's reference to its watch is dropped.
 */
static inline void mr_watch_arm(struct uet_mr_watch *watch, u64 key)
{
}

static inline void mr_watch_end(struct uet_mr *mr)
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

/* ------------------------------------------------------------- registering */

static int mr_check_args(struct uet_sock *us, const struct uet_mr_reg *arg)
{
	u64 end;

	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_MR_REG: the socket is not bound");
	if (arg->access & ~MR_ACCESS)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: access 0x%x has more than 0x%x",
				       arg->access, MR_ACCESS);
	if (arg->flags & UET_MR_IDEMPOTENT_SAFE && arg->access & UET_MR_ATOMIC)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: access 0x%x of a region with UET_MR_IDEMPOTENT_SAFE, which can only be written and read",
				       arg->access);
	if (arg->flags & UET_MR_READ_ONLY && arg->access != UET_MR_READ)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: access 0x%x of a region with UET_MR_READ_ONLY is not UET_MR_READ",
				       arg->access);
	if (!arg->length || arg->length > UET_MR_LENGTH_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: length %llu is not in 1..%llu",
				       arg->length, UET_MR_LENGTH_MAX);
	if (check_add_overflow(arg->addr, arg->length, &end))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: addr and length wrap around");
	return uet_mr_key_check(us, arg);
}

/* Pinning may itself change a mapping; once pinned, the pages stay. */
static int mr_pin(struct uet_sock *us, struct uet_mr *mr, const struct uet_mr_reg *arg)
{
	int err = uet_mr_pin(us, "UET_IOC_MR_REG", mr, arg->addr, arg->length);

	if (err || !mr->watch || !mr_watch_restart(mr->watch))
		return err;
	uet_mr_unpin(mr);
	return uet_mr_pin(us, "UET_IOC_MR_REG", mr, arg->addr, arg->length);
}

/* Forget a watch that was not armed. */
static void mr_unwatch(struct uet_mr *mr)
{
	if (!mr->watch)
		return;
	mr_watch_end(mr);
	mr_watch_arm(mr->watch, 0);
}

/* A region without pages, or NULL. */
static struct uet_mr *mr_alloc(u32 rights, u64 base)
{
	struct uet_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	mr->id = atomic64_inc_return(&mr_ids);
	mr->base = base;
	mr->rights = rights;
	refcount_set(&mr->users, 1);
	init_completion(&mr->unused);
	return mr;
}

/* Return: the region, still private, or an ERR_PTR(). */
static struct uet_mr *mr_make(struct uet_sock *us, const struct uet_mr_reg *arg, u32 rights,
			      u64 base)
{
	struct uet_mr *mr = mr_alloc(rights, base);
	int err = 0;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	if (arg->flags & UET_MR_WATCH)
		err = mr_watch_make(us, mr, arg->addr, arg->length);
	if (!err)
		err = mr_pin(us, mr, arg);
	if (!err)
		return mr;
	mr_unwatch(mr);
	kfree(mr);
	return ERR_PTR(err);
}

/* Wait for those who access the pages of a region that is no longer found. */
void uet_mr_wait(struct uet_mr *mr)
{
	uet_mr_release(mr);
	wait_for_completion(&mr->unused);
}

/* Free a region that is no longer found. */
static void mr_free(struct uet_mr *mr)
{
	uet_mr_wait(mr);
	mr_watch_end(mr);
	uet_mr_unpin(mr);
	/* A packet may have found it before. */
	kfree_rcu(mr, rcu);
}

/**
 * uet_mr_register() - register memory of the calling process
 * @us: socket
 * @reg: checked arguments, of which @rights replace the access; gets the key
 * @rights: UET_MR_WRITE, UET_MR_READ, UET_MR_ATOMIC, UET_MR_LOCAL_WRITE
 * @base: offset by which requests name the first byte
 */
int uet_mr_register(struct uet_sock *us, struct uet_mr_reg *reg, u32 rights, u64 base)
{
	bool is_source = !(rights & ~UET_MR_READ);
	struct uet_mr_watch *watch;
	struct uet_mr *mr;
	int err;

	err = uet_mr_check_map(us, "UET_IOC_MR_REG", reg->addr, reg->length, is_source);
	if (err)
		return err;
	mr = mr_make(us, reg, rights, base);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	watch = mr->watch;
	err = uet_mr_key_insert(us, reg, mr);
	if (err)
		mr_free(mr);
	if (watch)
		mr_watch_arm(watch, reg->key);
	return err;
}
UET_EXPORT(uet_mr_register);

/**
 * uet_mr_register_pages() - register memory of the kernel
 * @us: socket
 * @reg: length, and key with UET_MR_FIXED_KEY
 * @rights: as of uet_mr_register()
 * @base: offset by which requests name the first byte, which is there in its page, too
 * @pages: the pages, which the caller keeps until the region is deregistered
 */
int uet_mr_register_pages(struct uet_sock *us, struct uet_mr_reg *reg, u32 rights, u64 base,
			  struct page **pages)
{
	struct uet_mr *mr = mr_alloc(rights, base);
	int err;

	if (!mr)
		return -ENOMEM;
	mr->is_kernel = true;
	mr->length = reg->length;
	mr->start = offset_in_page(base);
	mr->pages = pages;
	err = uet_mr_key_insert(us, reg, mr);
	if (err)
		kfree(mr);
	return err;
}
UET_EXPORT(uet_mr_register_pages);

/**
 * uet_mr_ioctl_reg() - UET_IOC_MR_REG: register memory
 * @us: socket
 * @arg: struct uet_mr_reg; gets the key
 */
int uet_mr_ioctl_reg(struct uet_sock *us, void *arg)
{
	struct uet_mr_reg *reg = arg;
	int err = mr_check_args(us, reg);

	if (err)
		return err;
	return uet_mr_register(us, reg, reg->access | (reg->flags & UET_MR_READ_ONLY ?
						       0 : UET_MR_LOCAL_WRITE), 0);
}

/*
 * Take a registered region from its key, of a process or of the kernel. Return: NULL if there is
 * none.
 */
static struct uet_mr *mr_take(struct uet_sock *us, u64 key, bool is_kernel)
{
	struct uet_mr *mr;

	rcu_read_lock();
	mr = uet_mr_find(us, key);
	if (mr && (mr->is_kernel != is_kernel ||
		   xa_cmpxchg(&us->mr.space->mrs, key & UET_MR_KEY_MAX, mr, NULL, 0) != mr))
		mr = NULL;
	rcu_read_unlock();
	if (mr)
		atomic_dec(&us->mr.space->nr_mrs);
	return mr;
}

/**
 * uet_mr_ioctl_dereg() - UET_IOC_MR_DEREG: afterwards no peer changes the memory any more
 * @us: socket
 * @arg: u64, the key
 */
int uet_mr_ioctl_dereg(struct uet_sock *us, void *arg)
{
	u64 key = *(u64 *)arg;
	struct uet_mr *mr;

	/* The space of a bound socket is constant. */
	mr = uet_sock_is_bound(us) ? mr_take(us, key, false) : NULL;
	if (!mr)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_MR_DEREG: key 0x%llx names no region of this socket",
				       key);
	uet_mr_key_release(us, key);
	mr_free(mr);
	return 0;
}
UET_EXPORT(uet_mr_ioctl_dereg);

/**
 * uet_mr_invalidate() - deregister memory of the kernel
 * @us: bound socket
 * @key: the key, which a peer may have named
 * Return: 0; -ENOENT: the key names no memory of the kernel.
 */
int uet_mr_invalidate(struct uet_sock *us, u64 key)
{
	struct uet_mr *mr = mr_take(us, key, true);

	if (!mr)
		return -ENOENT;
	mr_free(mr);
	return 0;
}
UET_EXPORT(uet_mr_invalidate);

/* Deregister all memory of a space of a closed socket, or of a domain without users. */
static void mr_space_purge(struct uet_mr_space *space)
{
	unsigned long key;
	struct uet_mr *mr;

	/* Peers no longer find the sockets.  Sources end with their operations. */
	xa_for_each(&space->mrs, key, mr) {
		xa_erase(&space->mrs, key);
		mr_free(mr);
	}
}

/**
 * uet_mr_ioctl_changed() - UET_IOC_MR_CHANGED: a watched region that has changed, each once
 * @us: socket
 * @arg: u64, gets the key
 */
int uet_mr_ioctl_changed(struct uet_sock *us, void *arg)
{
	/* The space of a socket is constant from then on. */
	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_MR_CHANGED: the socket is not bound");
	if (!mrwatch_take(us->mr.space, arg))
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_MR_CHANGED: no region with UET_MR_WATCH has changed that was not returned");
	return 0;
}

/* --------------------------------------------------------- spaces and domains */

/**
 * uet_mr_space_init() - initialise a space without regions
 * @space: memory of the caller
 */
void uet_mr_space_init(struct uet_mr_space *space)
{
	xa_init_flags(&space->mrs, XA_FLAGS_ACCOUNT);
	atomic_set(&space->nr_mrs, 0);
	xa_init_flags(&space->sources, XA_FLAGS_ACCOUNT);
	spin_lock_init(&space->lock);
	INIT_LIST_HEAD(&space->socks);
	INIT_LIST_HEAD(&space->changed);
	space->generation = 0;
}

/**
 * uet_mr_space_join() - let a socket find the regions of a space; under lock_sock() once it has
 * a file
 * @space: the space, as long as the socket exists
 * @us: socket that is not bound, in no space or in another one
 */
void uet_mr_space_join(struct uet_mr_space *space, struct uet_sock *us)
{
	/* Who makes the completion ring meanwhile reads the generation of either. */
	spin_lock_bh(&us->cq.lock);
	us->mr.space = space;
	spin_unlock_bh(&us->cq.lock);
	spin_lock_bh(&space->lock);
	list_add_tail(&us->mr.on_space, &space->socks);
	spin_unlock_bh(&space->lock);
	uet_cq_note_generation(&us->cq, READ_ONCE(space->generation));
}

/**
 * uet_mr_space_leave() - tell a socket, which still has its completion ring, of no more changes
 * @us: closed, or under lock_sock(); it finds the regions until it joins another space
 */
void uet_mr_space_leave(struct uet_sock *us)
{
	spin_lock_bh(&us->mr.space->lock);
	list_del_init(&us->mr.on_space);
	spin_unlock_bh(&us->mr.space->lock);
}

/**
 * struct uet_domain - a domain
 * @space: its regions
 * @users: files, and sockets that are not closed
 * @refs: one of the users, one of each socket until it is freed
 */
struct uet_domain {
	struct uet_mr_space space;
	refcount_t users;
	refcount_t refs;
};

/**
 * uet_domain_put() - drop a reference
 * @domain: domain, or NULL
 */
void uet_domain_put(struct uet_domain *domain)
{
	if (domain && refcount_dec_and_test(&domain->refs))
		kfree(domain);
}

/**
 * uet_domain_unuse() - end a use; the last one deregisters the regions
 * @domain: the domain
 * Context: process, sleeps.
 */
void uet_domain_unuse(struct uet_domain *domain)
{
	if (!refcount_dec_and_test(&domain->users))
		return;
	mr_space_purge(&domain->space);
	uet_domain_put(domain);
}
UET_EXPORT(uet_domain_unuse);

static int domain_release(struct inode *inode, struct file *file)
{
	uet_domain_unuse(file->private_data);
	return 0;
}

static const struct file_operations domain_fops = {
	.owner = THIS_MODULE,
	.release = domain_release,
	.llseek = noop_llseek,
};

/**
 * uet_domain_alloc() - make a domain with one use; NULL without memory
 */
struct uet_domain *uet_domain_alloc(void)
{
	struct uet_domain *domain = kzalloc(sizeof(*domain), GFP_KERNEL_ACCOUNT);

	if (!domain)
		return NULL;
	uet_mr_space_init(&domain->space);
	refcount_set(&domain->users, 1);
	refcount_set(&domain->refs, 1);
	return domain;
}
UET_EXPORT(uet_domain_alloc);

/**
 * uet_domain_fd_make() - make a domain, and open a descriptor of it
 * @is_cloexec: execve() closes the descriptor
 */
int uet_domain_fd_make(bool is_cloexec)
{
	struct uet_domain *domain = uet_domain_alloc();
	int fd;

	if (!domain)
		return -ENOMEM;
	fd = anon_inode_getfd("[uet-domain]", &domain_fops, domain,
			      O_RDWR | (is_cloexec ? O_CLOEXEC : 0));
	if (fd < 0)
		kfree(domain);
	return fd;
}

static void domain_get(struct uet_domain *domain)
{
	refcount_inc(&domain->users);
	refcount_inc(&domain->refs);
}

/*
 * Return: the domain of a descriptor, used and referenced, or an ERR_PTR(). Threads that join
 * at the same time may exceed the limit by their number.
 */
static struct uet_domain *domain_get_fd(int fd)
{
	struct uet_domain *domain = ERR_PTR(-EINVAL);
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op == &domain_fops)
		domain = file->private_data;
	/* The file is a user, too. */
	if (!IS_ERR(domain) && refcount_read(&domain->users) > UET_DOMAIN_LIMIT)
		domain = ERR_PTR(-EUSERS);
	if (!IS_ERR(domain))
		domain_get(domain);
	fput(file);
	return domain;
}

/* Let a socket use @domain, whose use and reference pass, or a space of its own (NULL). */
static int domain_enter(struct uet_domain *domain, struct uet_sock *us)
{
	int err = 0;

	lock_sock(&us->sk);
	if (uet_sock_is_bound(us)) {
		err = -EINVAL;
	} else {
		uet_mr_space_leave(us);
		uet_mr_space_join(domain ? &domain->space : &us->mr.own, us);
		swap(us->mr.domain, domain);
	}
	release_sock(&us->sk);
	/* Either the unused new domain or the replaced one. */
	if (domain) {
		uet_domain_unuse(domain);
		uet_domain_put(domain);
	}
	return err;
}

/**
 * uet_domain_use() - let a socket of the kernel share the regions of a domain
 * @domain: in use
 * @us: socket that is not bound
 */
int uet_domain_use(struct uet_domain *domain, struct uet_sock *us)
{
	domain_get(domain);
	return domain_enter(domain, us);
}
UET_EXPORT(uet_domain_use);

/**
 * uet_domain_leave() - end the regions of a socket, or its use of those of a domain
 * @us: closed socket that no peer finds any more, after uet_mr_space_leave()
 */
void uet_domain_leave(struct uet_sock *us)
{
	if (us->mr.domain)
		uet_domain_unuse(us->mr.domain);
	else
		mr_space_purge(&us->mr.own);
}

/**
 * uet_domain_join() - UET_DOMAIN_FD: share the regions of a domain
 * @us: socket
 * @fd: descriptor of a domain; -1: the socket gets a domain of its own
 */
int uet_domain_join(struct uet_sock *us, int fd)
{
	struct uet_domain *domain = NULL;
	int err;

	if (fd != -1)
		domain = domain_get_fd(fd);
	if (domain == ERR_PTR(-EUSERS))
		return uet_sock_refuse(us, -EUSERS, "setsockopt: UET_DOMAIN_FD: the domain has %d sockets",
				       UET_DOMAIN_LIMIT);
	if (IS_ERR(domain))
		return uet_sock_refuse(us, PTR_ERR(domain), "setsockopt: UET_DOMAIN_FD: %d is no descriptor of a domain",
				       fd);
	err = domain_enter(domain, us);
	if (err)
		uet_sock_refuse(us, err, "setsockopt: UET_DOMAIN_FD cannot change once the socket is bound");
	return err;
}
