// SPDX-License-Identifier: GPL-2.0
/*
 * Pins the pages of a memory region, and charges them to RLIMIT_MEMLOCK of the process. Decides
 * which mappings can become a region, and explains a refusal: pinning alone has one errno for
 * most reasons, and some kernels pin pages of a file system that does not expect changes by DMA
 * or by the kernel.
 */
#include <linux/backing-dev.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "endpoint.h"
#include "mr_region.h"

/* ------------------------------------------------------------------- mappings */

/* Pages to check without a pause: some microseconds. */
#define MRMAP_BATCH	1024

/* A shared mapping of a file that a file system writes back to storage. */
static bool mrmap_is_written_back(const struct vm_area_struct *vma)
{
	return vma->vm_file && vma->vm_flags & VM_SHARED &&
	       (vma_is_dax(vma) ||
		mapping_can_writeback(vma->vm_file->f_mapping));
}

static int mrmap_check(struct uet_sock *us, const char *what, bool is_source,
		       const struct vm_area_struct *vma, unsigned long addr)
{
	if (!vma || vma->vm_start > addr)
		return uet_sock_refuse(us, -EFAULT, "%s: nothing is mapped at 0x%lx",
				       what, addr);
	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return uet_sock_refuse(us, -EOPNOTSUPP, "%s: memory at 0x%lx is of a device",
				       what, addr);
	if (!(vma->vm_flags & (is_source ? VM_READ : VM_WRITE)))
		return uet_sock_refuse(us, -EFAULT, "%s: memory at 0x%lx cannot be %s",
				       what, addr, is_source ? "read" : "written");
	if (!is_source && mrmap_is_written_back(vma))
		return uet_sock_refuse(us, -EOPNOTSUPP, "%s: memory at 0x%lx is of a file on a disk",
				       what, addr);
	return 0;
}

/*
 * Can memory of the process be pinned? @addr + @len does not wrap around. The process may
 * change its mappings between this check and pinning: see mrmap_check_pages().
 */
int uet_mr_check_map(struct uet_sock *us, const char *what, unsigned long addr,
		     u64 len, bool is_source)
{
	const unsigned long end = addr + len;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int err = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	while (!err && addr < end) {
		vma = find_vma(mm, addr);
		err = mrmap_check(us, what, is_source, vma, addr);
		if (!err)
			addr = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return err;
}

static bool mrmap_is_folio_written_back(struct folio *folio)
{
	bool is_written_back;

	/* Anonymous or of tmpfs: nothing changes that while the page is pinned. */
	if (folio_test_anon(folio) || folio_test_swapbacked(folio))
		return false;
	/* A truncated page has no mapping any more; the lock keeps the mapping. */
	folio_lock(folio);
	is_written_back = uet_folio_mapping(folio) &&
			  mapping_can_writeback(uet_folio_mapping(folio));
	folio_unlock(folio);
	return is_written_back;
}

/* Some kernels, such as 6.1, pin a page of a file that is written back to storage. */
static int mrmap_check_pages(struct page **pages, unsigned long nr)
{
	struct folio *folio, *last = NULL;
	unsigned long i;

	for (i = 0; i < nr; i++) {
		folio = page_folio(pages[i]);
		if (folio != last && mrmap_is_folio_written_back(folio))
			return -EOPNOTSUPP;
		last = folio;
		if (i % MRMAP_BATCH == 0)
			cond_resched();
	}
	return 0;
}

/* ---------------------------------------------------------------------- pages */

/* Most pages that are unpinned at once in any context. */
#define MRPIN_TRY_PAGES	16

/*
 * How to pin memory that is only read, and where the mapping ends that this holds for. A
 * private mapping may have a page of a file, or of zeroes, in place of the page that it gets
 * with the first write of the process. Peers must see that write, so the mapping gets its own
 * page before it is pinned.
 */
static unsigned int mrpin_read_flags(unsigned long addr, unsigned long *end)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned int flags = 0;

	/* After a fatal signal nothing will be pinned. */
	if (!UET_FOLL_UNSHARE || mmap_read_lock_killable(mm))
		return 0;
	vma = find_vma(mm, addr);
	if (vma) {
		*end = min(*end, vma->vm_end);
		if (is_cow_mapping(vma->vm_flags))
			flags = UET_FOLL_UNSHARE;
	}
	mmap_read_unlock(mm);
	return flags;
}

/* Pin all pages, or none. */
static int mrpin_all(struct uet_mr *mr, unsigned long addr)
{
	unsigned long at = addr & PAGE_MASK, end, done = 0;
	unsigned int flags = FOLL_WRITE;
	int n;

	while (done < mr->nr_pages) {
		end = at + (min_t(unsigned long, INT_MAX, mr->nr_pages - done) << PAGE_SHIFT);
		if (!uet_mr_is_storable(mr))
			flags = mrpin_read_flags(at, &end);
		n = pin_user_pages_fast(at, (end - at) >> PAGE_SHIFT, FOLL_LONGTERM | flags,
					mr->pages + done);
		if (n <= 0) {
			unpin_user_pages(mr->pages, done);
			return n ? : -EFAULT;
		}
		done += n;
		at += (unsigned long)n << PAGE_SHIFT;
	}
	return 0;
}

/* Check what was pinned. Return: 0; an errno, and nothing is pinned then. */
static int mrpin_check(const struct uet_mr *mr)
{
	int err = uet_mr_is_storable(mr) ?
		  mrmap_check_pages(mr->pages, mr->nr_pages) : 0;

	if (err)
		unpin_user_pages(mr->pages, mr->nr_pages);
	return err;
}

/* mm_unaccount_pinned_pages() leaves its record as it was, no longer valid. */
static void mrpin_uncharge(struct uet_mr *mr)
{
	mm_unaccount_pinned_pages(&mr->pin);
	mr->pin = (struct mmpin){};
}

/*
 * Memory of an operation that gets data is dirty from now on. If that is so at its end, no work
 * item has to make it dirty.
 */
static void mrpin_set_dirty(const struct uet_mr *mr)
{
	unsigned long i;

	if (!mr->is_own || !uet_mr_is_storable(mr))
		return;
	for (i = 0; i < mr->nr_pages; i++)
		if (!folio_test_dirty(page_folio(mr->pages[i])))
			set_page_dirty_lock(mr->pages[i]);
}

/*
 * Pin memory that uet_mr_check_map() has checked. @mr: new region, zeroed but for its id and
 * rights. On error nothing is pinned.
 */
int uet_mr_pin(struct uet_sock *us, const char *what, struct uet_mr *mr,
	       unsigned long addr, u64 len)
{
	int err;

	mr->length = len;
	mr->start = offset_in_page(addr);
	mr->nr_pages = DIV_ROUND_UP(mr->start + len, PAGE_SIZE);
	err = mm_account_pinned_pages(&mr->pin, mr->nr_pages << PAGE_SHIFT);
	if (err)
		return uet_sock_refuse(us, -ENOMEM, "%s: %lu pages are above RLIMIT_MEMLOCK",
				       what, mr->nr_pages);
	mr->pages = kvmalloc_array(mr->nr_pages, sizeof(*mr->pages),
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mr->pages) {
		err = uet_sock_refuse(us, -ENOMEM, "%s: no memory to pin %lu pages",
				      what, mr->nr_pages);
		goto err_uncharge;
	}
	err = mrpin_all(mr, addr) ? : mrpin_check(mr);
	if (!err) {
		mrpin_set_dirty(mr);
		return 0;
	}
	uet_sock_refuse(us, err, "%s: memory from 0x%lx on cannot be pinned",
			what, addr);
	kvfree(mr->pages);
err_uncharge:
	mrpin_uncharge(mr);
	return err;
}

/* Unpin and uncharge the pages of a region that no packet accesses any more; sleeps. */
void uet_mr_unpin(struct uet_mr *mr)
{
	if (mr->is_kernel)
		return;
	unpin_user_pages_dirty_lock(mr->pages, mr->nr_pages,
				    uet_mr_is_storable(mr));
	mrpin_uncharge(mr);
	kvfree(mr->pages);
}

/* Writeback may have cleaned pages since they were pinned. */
static bool mrpin_is_dirty(const struct uet_mr *mr)
{
	unsigned long i;

	for (i = 0; i < mr->nr_pages; i++)
		if (!folio_test_dirty(page_folio(mr->pages[i])))
			return false;
	return true;
}

/*
 * uet_mr_unpin() in any context, if the pages are few and dirty: making one dirty may sleep.
 * Return: false: nothing has changed.
 */
bool uet_mr_try_unpin(struct uet_mr *mr)
{
	if (mr->nr_pages > MRPIN_TRY_PAGES || !mrpin_is_dirty(mr))
		return false;
	unpin_user_pages(mr->pages, mr->nr_pages);
	mrpin_uncharge(mr);
	kvfree(mr->pages);
	return true;
}
