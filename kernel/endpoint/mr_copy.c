// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of one operation that may not be pinned, because of RLIMIT_MEMLOCK or for
 * another reason: pages of the kernel take its place. The bytes of the process are
 * copied there when the operation begins, and data that has arrived is copied back
 * before its completion is queued, by a work item in the address space of the process.
 *
 * A page fault of the work item must not wait for a process, because other operations
 * wait for the work item. So data is copied back to anonymous memory only, whose pages
 * neither a file system nor a user's handler of faults can hold back.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "base/base.h"
#include "ep.h"
#include "mr.h"
#include "mr_region.h"

/* The page of a byte. Return: bytes from there to the end of the page, at most @len. */
static u32 mrcopy_locate(const struct uet_mr *mr, u64 offset, u64 len, void **at)
{
	u64 pos = mr->start + offset;

	*at = page_address(mr->pages[pos >> PAGE_SHIFT]) + offset_in_page(pos);
	return min_t(u64, len, PAGE_SIZE - offset_in_page(pos));
}

/*
 * Is this memory private, of no file, and without a user's handler of faults?
 * Context: mmap_lock held.
 */
static bool mrcopy_is_anon(struct mm_struct *mm, unsigned long addr,
			   unsigned long end)
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

/*
 * Check whether memory of the caller can be copied.
 * @len: length, bytes, at least 1; @addr + @len does not wrap around
 *
 * Context: Process, sleeps.
 * Return: false: longer than 2^32 - 1 bytes, or data could not be copied back.
 */
bool uet_mr_may_copy(unsigned long addr, u64 len, bool is_source)
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

/*
 * Make a copy of memory of the calling process.
 * @mr: new region, zeroed but for its flags; gets length, start and pages
 * @len: length, bytes; see uet_mr_may_copy()
 *
 * Context: Process, sleeps.
 * Return: 0: uet_mr_copy_free() reverts it; -ENOMEM, also when net.uet.uet_mem has
 *	no place; -EFAULT.
 */
int uet_mr_copy_make(struct uet_sock *us, const char *what, struct uet_mr *mr,
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
	uet_mr_copy_free(us, mr);
	return uet_sock_refuse(us, err, "%s: memory from 0x%lx on cannot be read",
			       what, addr);
}

/*
 * Free a copy.
 * @mr: region of uet_mr_copy_make() that nobody accesses any more
 *
 * Context: Process.
 */
void uet_mr_copy_free(struct uet_sock *us, struct uet_mr *mr)
{
	u32 bytes = mr->nr_pages << PAGE_SHIFT;

	mrcopy_free_pages(mr);
	uet_mem_uncharge_tx(us, bytes);
}

/* Copy a part of one page back. Context: mmap_lock held. */
static int mrcopy_put(struct mm_struct *mm, unsigned long addr, const void *from,
		      u32 bytes)
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
 * Copy data that has arrived to the process.
 * @mm: address space of the process, a reference to its structure is held
 * @len: length of the data, bytes, within the region
 *
 * The caller works for many processes, so it does not wait for the lock of this one.
 *
 * Context: Process, sleeps; not necessarily the process of @mm.
 * Return: 0; -EAGAIN: the address space is locked, only a part may be copied; -EFAULT: the
 *	process has ended, or has no such memory any more.
 */
int uet_mr_copy_back(const struct uet_mr *mr, struct mm_struct *mm,
		     unsigned long addr, u64 offset, u64 len)
{
	int err;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	err = mrcopy_back(mr, mm, addr, offset, len);
	/* The last reference ends the address space, which may wait for the process's I/O. */
	mmput_async(mm);
	return err;
}
