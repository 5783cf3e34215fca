// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that an operation names by its address: a region of this operation only. Memory that
 * gets data has no key, so no peer can name it. Memory that a peer is to read has a random key
 * until the operation ends, in a space that only the READ of a peer searches: no process can
 * name it, so nothing is ever stored there. The operation, and each message that stores data
 * for it, hold a reference. The last reference may be dropped in any context. A few pages that
 * are dirty, as nearly all are, are unpinned there. Others are unpinned by a work item. The
 * completion is queued afterwards, so that a process that has read the completion can pin as
 * much again.
 *
 * Memory that may not be pinned, because of RLIMIT_MEMLOCK or for another reason, is copied:
 * pages of the kernel take its place. The bytes of the process are copied there when the
 * operation begins, and data that has arrived is copied back before its completion is queued,
 * by a work item in the address space of the process. A page fault of the work item must not
 * wait for a process, because other operations wait for the work item. So data is copied back
 * to anonymous memory only, whose pages neither a file system nor a user's handler of faults
 * can hold back.
 *
 * Users in the kernel name memory of the kernel, which they keep: it is neither pinned nor copied.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uet.h>
#include <linux/userfaultfd_k.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "base/base.h"
#include "endpoint.h"
#include "mr_region.h"

/* --------------------------------------------------------------------- copies */

/* The page of a byte. Return: bytes from there to the end of the page, at most @len. */
static u32 mrcopy_locate(const struct uet_mr *mr, u64 offset, u64 len, void **at)
{
	u64 pos = mr->start + offset;

	*at = page_address(mr->pages[pos >> PAGE_SHIFT]) + offset_in_page(pos);
	return min_t(u64, len, PAGE_SIZE - offset_in_page(pos));
}

/* Is this memory private, of no file, and without a user's handler of faults? Under mmap_lock. */
static bool mrcopy_is_anon(struct mm_struct *mm, unsigned long addr, unsigned long end)
{
	struct vm_area_struct *vma;

	while (addr < end) {
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_start > addr || !vma_is_anonymous(vma) ||
		    userfaultfd_armed(vma))
			return false;
		addr = vma->vm_end;
	}
	return true;
}

/* Return: false: longer than 2^32 - 1 bytes, or data could not be copied back. */
static bool mrcopy_may(unsigned long addr, u64 len, bool is_source)
{
	struct mm_struct *mm = current->mm;
	bool may_copy;

	if (len > U32_MAX - 2 * PAGE_SIZE)
		return false;
	if (is_source)
		return true;
	if (mmap_read_lock_killable(mm))
		return false;
	may_copy = mrcopy_is_anon(mm, addr, addr + len);
	mmap_read_unlock(mm);
	return may_copy;
}

static void mrcopy_free_pages(struct uet_mr *mr)
{
	while (mr->nr_pages)
		__free_page(mr->pages[--mr->nr_pages]);
	kvfree(mr->pages);
}

/* Allocate the pages, which the memory cgroup of the process pays. */
static int mrcopy_alloc_pages(struct uet_mr *mr, unsigned long nr)
{
	mr->nr_pages = 0;
	mr->pages = kvmalloc_array(nr, sizeof(*mr->pages),
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mr->pages)
		return -ENOMEM;
	while (mr->nr_pages < nr) {
		mr->pages[mr->nr_pages] =
			alloc_page(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_ZERO);
		if (!mr->pages[mr->nr_pages]) {
			mrcopy_free_pages(mr);
			return -ENOMEM;
		}
		mr->nr_pages++;
		cond_resched();
	}
	return 0;
}

/* The copy starts with the bytes of the process: atomics and short messages change a part. */
static int mrcopy_fill(const struct uet_mr *mr, unsigned long addr)
{
	u64 done;
	u32 bytes;
	void *to;

	for (done = 0; done < mr->length; done += bytes) {
		bytes = mrcopy_locate(mr, done, mr->length - done, &to);
		if (copy_from_user(to, (void __user *)(addr + done), bytes))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

static void mrcopy_free(struct uet_sock *us, struct uet_mr *mr)
{
	u32 bytes = mr->nr_pages << PAGE_SHIFT;

	mrcopy_free_pages(mr);
	uet_mem_uncharge_tx(us, bytes);
}

/* Make a copy of memory of the calling process in a new region. */
static int mrcopy_make(struct uet_sock *us, const char *what, struct uet_mr *mr,
		       unsigned long addr, u64 len)
{
	unsigned long nr = DIV_ROUND_UP(offset_in_page(addr) + len, PAGE_SIZE);
	int err;

	mr->length = len;
	mr->start = offset_in_page(addr);
	if (!uet_mem_charge_tx(us, nr << PAGE_SHIFT))
		return uet_sock_refuse(us, -ENOMEM, "%s: %lu pages cannot be pinned, and net.uet.uet_mem has no place for a copy",
				       what, nr);
	err = mrcopy_alloc_pages(mr, nr);
	if (err) {
		uet_mem_uncharge_tx(us, nr << PAGE_SHIFT);
		return uet_sock_refuse(us, err, "%s: %lu pages cannot be pinned, and there is no memory for a copy",
				       what, nr);
	}
	err = mrcopy_fill(mr, addr);
	if (!err)
		return 0;
	mrcopy_free(us, mr);
	return uet_sock_refuse(us, err, "%s: memory from 0x%lx on cannot be read",
			       what, addr);
}

/* Copy a part of one page back. Context: mmap_lock held. */
static int mrcopy_put(struct mm_struct *mm, unsigned long addr, const void *from, u32 bytes)
{
	struct page *page;
	void *to;

	if (!mrcopy_is_anon(mm, addr, addr + bytes) ||
	    uet_get_remote_page(mm, addr, FOLL_WRITE, &page) != 1)
		return -EFAULT;
	to = kmap_local_page(page);
	memcpy(to + offset_in_page(addr), from, bytes);
	flush_dcache_page(page);
	kunmap_local(to);
	set_page_dirty_lock(page);
	put_page(page);
	return 0;
}

static int mrcopy_back(const struct uet_mr *mr, struct mm_struct *mm,
		       unsigned long addr, u64 offset, u64 len)
{
	u64 done;
	u32 bytes;
	void *from;
	int err;

	for (done = 0; done < len; done += bytes) {
		bytes = mrcopy_locate(mr, offset + done, len - done, &from);
		/* Nobody but this function uses it any more. */
		if (atomic_read(&mm->mm_users) == 1)
			return -EFAULT;
		if (!mmap_read_trylock(mm))
			return -EAGAIN;
		err = mrcopy_put(mm, addr + offset + done, from, bytes);
		mmap_read_unlock(mm);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/*
 * Copy data that has arrived to the process of @mm. The caller works for many processes, so it
 * does not wait for the lock of this one. Return: 0; -EAGAIN: the address space is locked, only
 * a part may be copied; -EFAULT: the process has ended, or has no such memory any more.
 */
static int mrcopy_give_back(const struct uet_mr *mr, struct mm_struct *mm, unsigned long addr,
			    u64 offset, u64 len)
{
	int err;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	err = mrcopy_back(mr, mm, addr, offset, len);
	/* The last reference ends the address space, which may wait for the process's I/O. */
	mmput_async(mm);
	return err;
}

/* ----------------------------------------------------------------- operations */

/**
 * struct mrown - the region of one operation
 * @mr: the pages
 * @refs: one of each operation, one of each message that stores data for it
 * @nr_reports: operations that have not ended: several with UET_RECV_MULTI
 * @us: socket, referenced
 * @cqe: completion to be queued after the memory is unpinned, or NULL
 * @work: unpins the memory, or frees the copy
 * @mm: the pages are a copy: address space of the process, whose structure is
 *	referenced; NULL: they are pinned
 * @addr: with @mm, address of the memory in @mm
 * @lock: protects @reports and that @copy is queued for them; taken with BH disabled
 * @reports: with @mm, struct uet_cqe of operations whose data must be copied back, each
 *	with the reference of its operation
 * @copy: copies the data of @reports back; holds a reference while queued
 * @retry: with @copy: time until the next attempt, jiffies
 */
struct mrown {
	struct uet_mr mr;
	refcount_t refs;
	refcount_t nr_reports;
	struct uet_sock *us;
	struct uet_cqe *cqe;
	struct work_struct work;
	struct mm_struct *mm;
	unsigned long addr;
	spinlock_t lock;
	struct list_head reports;
	struct delayed_work copy;
	unsigned long retry;
};

/* Longest time between two attempts to copy into a locked address space, jiffies. */
#define MROWN_RETRY_MAX	(HZ / 10)

/* Copying may wait for memory to be swapped in, unpinning does not wait behind that. */
static struct workqueue_struct *mrown_wq, *mrown_copy_wq;

/**
 * uet_mr_own_init() - create the work queues that unpin memory and copy data
 */
int uet_mr_own_init(void)
{
	mrown_wq = alloc_workqueue("uet_mr", WQ_UNBOUND, 0);
	if (!mrown_wq)
		return -ENOMEM;
	mrown_copy_wq = alloc_workqueue("uet_mr_copy", WQ_UNBOUND, 0);
	if (mrown_copy_wq)
		return 0;
	destroy_workqueue(mrown_wq);
	return -ENOMEM;
}

/**
 * uet_mr_own_fini() - destroy the work queues; no socket is left
 */
void uet_mr_own_fini(void)
{
	destroy_workqueue(mrown_copy_wq);
	destroy_workqueue(mrown_wq);
}

/* The memory is unpinned. */
static void mrown_finish(struct mrown *own)
{
	struct uet_sock *us = own->us;

	if (own->cqe)
		uet_cqe_queue(us, own->cqe);
	/* A packet may have found a region with a key before. */
	if (own->mr.rights & UET_MR_READ)
		kfree_rcu(own, mr.rcu);
	else
		kfree(own);
	sock_put(&us->sk);
}

static void mrown_end(struct work_struct *work)
{
	struct mrown *own = container_of(work, struct mrown, work);
	struct uet_sock *us = own->us;

	if (own->mr.rights & UET_MR_READ) {
		xa_erase(&us->mr.space->sources, own->mr.key);
		uet_mr_wait(&own->mr);
	}
	if (own->mm) {
		mrcopy_free(us, &own->mr);
		mmdrop(own->mm);
	} else {
		uet_mr_unpin(&own->mr);
	}
	mrown_finish(own);
}

/* Nobody uses the memory any more. */
static void mrown_release(struct mrown *own)
{
	if (own->mr.is_kernel) {
		kfree(own->mr.pages);
		mrown_finish(own);
	} else if (uet_mr_is_storable(&own->mr) && !own->mm && uet_mr_try_unpin(&own->mr)) {
		mrown_finish(own);
	} else {
		queue_work(mrown_wq, &own->work);
	}
}

/*
 * Copy the data that a completion reports; its error says if that failed. Return: false: the
 * address space is locked, nothing is decided.
 */
static bool mrown_copy_back(struct mrown *own, struct uet_completion *rec)
{
	u64 offset = 0, len = own->mr.length;
	int err;

	if (rec->error)
		return true;
	if (rec->flags & UET_COMPLETION_RECV) {
		offset = rec->offset;
		len = rec->length;
	}
	err = mrcopy_give_back(&own->mr, own->mm, own->addr, offset, len);
	if (err == -EAGAIN)
		return false;
	if (err) {
		rec->error = EFAULT;
		rec->length = 0;
	}
	return true;
}

/* Drop references of reports, or of the work. */
static void mrown_put_many(struct mrown *own, int refs)
{
	if (refcount_sub_and_test(refs, &own->refs))
		queue_work(mrown_wq, &own->work);
}

/* The work takes @reports up again later; its reference goes on. */
static void mrown_copy_later(struct mrown *own, struct list_head *reports)
{
	own->retry = clamp(2 * own->retry, 1UL, (unsigned long)MROWN_RETRY_MAX);
	spin_lock_bh(&own->lock);
	list_splice(reports, &own->reports);
	/* If a new report has queued the work, it has a reference of that report. */
	if (!queue_delayed_work(mrown_copy_wq, &own->copy, own->retry))
		refcount_dec(&own->refs);
	spin_unlock_bh(&own->lock);
}

static void mrown_copy(struct work_struct *work)
{
	struct mrown *own = container_of(work, struct mrown, copy.work);
	struct uet_cqe *cqe, *next;
	LIST_HEAD(reports);
	int refs = 1;

	spin_lock_bh(&own->lock);
	list_splice_init(&own->reports, &reports);
	spin_unlock_bh(&own->lock);
	list_for_each_entry_safe(cqe, next, &reports, link) {
		if (!mrown_copy_back(own, &cqe->rec)) {
			/* Not the last ones: those of the work and of @cqe are left. */
			mrown_put_many(own, refs - 1);
			mrown_copy_later(own, &reports);
			return;
		}
		own->retry = 0;
		list_del(&cqe->link);
		uet_cqe_queue(own->us, cqe);
		refs++;
	}
	mrown_put_many(own, refs);
}

/* Let the work copy the data of a completion; it takes the caller's reference. */
static void mrown_report(struct mrown *own, struct uet_cqe *cqe)
{
	spin_lock_bh(&own->lock);
	list_add_tail(&cqe->link, &own->reports);
	refcount_inc(&own->refs);
	/* The work needs the lock, so the report still has its reference. */
	if (!queue_delayed_work(mrown_copy_wq, &own->copy, 0))
		refcount_dec(&own->refs);
	spin_unlock_bh(&own->lock);
}

static int mrown_check(struct uet_sock *us, const char *what, u64 addr, u64 len, bool is_source)
{
	u64 end;

	if (!len || len > UET_MR_LENGTH_MAX)
		return uet_sock_refuse(us, -EINVAL, "%s: length %llu is not in 1..%llu",
				       what, len, UET_MR_LENGTH_MAX);
	if (check_add_overflow(addr, len, &end))
		return uet_sock_refuse(us, -EINVAL, "%s: address 0x%llx and length %llu wrap around",
				       what, addr, len);
	return uet_mr_check_map(us, what, addr, len, is_source);
}

/* Pin the memory, or copy it if that is forbidden. */
static int mrown_take(struct mrown *own, struct uet_sock *us, const char *what,
		      u64 addr, u64 len)
{
	int err = uet_mr_pin(us, what, &own->mr, addr, len);

	if (!err || !mrcopy_may(addr, len, !uet_mr_is_storable(&own->mr)))
		return err;
	err = mrcopy_make(us, what, &own->mr, addr, len);
	if (err)
		return err;
	own->mm = current->mm;
	mmgrab(own->mm);
	own->addr = addr;
	return 0;
}

static struct mrown *mrown_alloc(u32 right)
{
	struct mrown *own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);

	if (!own)
		return NULL;
	own->mr.is_own = true;
	own->mr.rights = right;
	return own;
}

/* The memory has its pages; the caller gets one reference. */
static void mrown_start(struct mrown *own, struct uet_sock *us)
{
	refcount_set(&own->refs, 1);
	refcount_set(&own->nr_reports, 1);
	sock_hold(&us->sk);
	own->us = us;
	INIT_WORK(&own->work, mrown_end);
	spin_lock_init(&own->lock);
	INIT_LIST_HEAD(&own->reports);
	INIT_DELAYED_WORK(&own->copy, mrown_copy);
}

/* Return: the memory, with one reference, or an ERR_PTR(). */
static struct mrown *mrown_make(struct uet_sock *us, const char *what, u64 addr,
				u64 len, u32 right)
{
	int err = mrown_check(us, what, addr, len, right == UET_MR_READ);
	struct mrown *own;

	if (err)
		return ERR_PTR(err);
	own = mrown_alloc(right);
	if (!own)
		return ERR_PTR(uet_sock_refuse(us, -ENOMEM, "%s: no memory", what));
	err = mrown_take(own, us, what, addr, len);
	if (err) {
		kfree(own);
		return ERR_PTR(err);
	}
	mrown_start(own, us);
	return own;
}

/**
 * uet_mr_own() - pin memory that gets the data of one operation, or copy it
 * @us: socket
 * @what: name of the call, for UET_LAST_ERROR
 * @addr: address in the calling process
 * @len: length, bytes
 * @ref: result: the place, with the reference of the operation, for uet_mr_own_put()
 */
int uet_mr_own(struct uet_sock *us, const char *what, u64 addr, u64 len, struct uet_mr_ref *ref)
{
	struct mrown *own = mrown_make(us, what, addr, len, UET_MR_LOCAL_WRITE);

	*ref = (struct uet_mr_ref){};
	if (IS_ERR(own))
		return PTR_ERR(own);
	ref->own = &own->mr;
	return 0;
}

/**
 * uet_mr_kernel_page() - the page of memory of the kernel
 * @at: address, linear or of vmalloc()
 */
struct page *uet_mr_kernel_page(const void *at)
{
	return is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
}
UET_EXPORT(uet_mr_kernel_page);

/**
 * uet_mr_own_kernel() - let memory of the kernel get the data of one operation
 * @us: socket
 * @what: name of the call, for UET_LAST_ERROR
 * @addr: address, which the caller keeps until the completion
 * @len: length, bytes
 * @ref: result: as of uet_mr_own()
 */
int uet_mr_own_kernel(struct uet_sock *us, const char *what, u64 addr, u64 len,
		      struct uet_mr_ref *ref)
{
	struct mrown *own = mrown_alloc(UET_MR_LOCAL_WRITE);
	unsigned long i, nr = DIV_ROUND_UP(offset_in_page(addr) + len, PAGE_SIZE);
	struct page **pages = kmalloc_array(nr, sizeof(*pages), GFP_KERNEL_ACCOUNT);

	*ref = (struct uet_mr_ref){};
	if (!own || !pages) {
		kfree(own);
		kfree(pages);
		return uet_sock_refuse(us, -ENOMEM, "%s: no memory", what);
	}
	for (i = 0; i < nr; i++)
		pages[i] = uet_mr_kernel_page((void *)((addr & PAGE_MASK) + i * PAGE_SIZE));
	own->mr.is_kernel = true;
	own->mr.length = len;
	own->mr.start = offset_in_page(addr);
	own->mr.nr_pages = nr;
	own->mr.pages = pages;
	mrown_start(own, us);
	ref->own = &own->mr;
	return 0;
}

/**
 * uet_mr_own_source() - pin memory that a peer reads for one operation; it may be read-only
 * @us: socket, bound
 * @what: name of the call, for UET_LAST_ERROR
 * @addr: address in the calling process
 * @len: length, bytes
 * @ref: result: as of uet_mr_own(), with a random key by which the peer reads
 */
int uet_mr_own_source(struct uet_sock *us, const char *what, u64 addr, u64 len,
		      struct uet_mr_ref *ref)
{
	struct mrown *own = mrown_make(us, what, addr, len, UET_MR_READ);
	int err;

	*ref = (struct uet_mr_ref){};
	if (IS_ERR(own))
		return PTR_ERR(own);
	ref->own = &own->mr;
	refcount_set(&own->mr.users, 1);
	init_completion(&own->mr.unused);
	err = uet_mr_key_insert_source(us, &own->mr);
	if (err) {
		own->mr.rights = 0;
		uet_mr_own_put(us, ref, NULL);
		ref->own = NULL;
		return uet_sock_refuse(us, err, "%s: no memory for a key", what);
	}
	ref->key = own->mr.key;
	return 0;
}

static struct mrown *mrown_of(const struct uet_mr_ref *ref)
{
	return container_of(ref->own, struct mrown, mr);
}

/**
 * uet_mr_own_get() - take a reference to the memory of an operation
 * @ref: place of an operation, of any kind
 */
void uet_mr_own_get(const struct uet_mr_ref *ref)
{
	if (ref->own)
		refcount_inc(&mrown_of(ref)->refs);
}

/**
 * uet_mr_own_share() - take a reference for another operation on the same memory
 * @ref: place of an operation that has not ended, of any kind; copied
 */
void uet_mr_own_share(const struct uet_mr_ref *ref)
{
	if (!ref->own)
		return;
	refcount_inc(&mrown_of(ref)->refs);
	refcount_inc(&mrown_of(ref)->nr_reports);
}

/**
 * uet_mr_own_put() - drop a reference to the memory of an operation
 * @us: socket of the operation, referenced
 * @ref: place of an operation, of any kind
 * @cqe: completion of the operation, ownership passes; NULL: the operation does not end
 *	with this reference, or reports nothing
 *
 * The completion is queued when the memory is unpinned, or the data is copied back. It is
 * queued at once for a place in a registered region, and while another operation has the same
 * pinned memory.
 */
void uet_mr_own_put(struct uet_sock *us, const struct uet_mr_ref *ref, struct uet_cqe *cqe)
{
	struct mrown *own = ref->own ? mrown_of(ref) : NULL;

	if (cqe && own && own->mm && uet_mr_is_storable(&own->mr)) {
		mrown_report(own, cqe);
		return;
	}
	if (cqe && (!own || !refcount_dec_and_test(&own->nr_reports)))
		uet_cqe_queue(us, cqe);
	else if (cqe)
		own->cqe = cqe;
	/* The last reference orders the write above before the work. */
	if (own && refcount_dec_and_test(&own->refs))
		mrown_release(own);
}
