// SPDX-License-Identifier: GPL-2.0
/*
 * Decides which mappings of a process can become a memory region, and explains
 * a refusal. Pinning alone reports less: it has one errno for most reasons, and
 * some kernels pin pages of a file system that does not expect changes by DMA
 * or by the kernel.
 */
#include <linux/backing-dev.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>

#include "ep.h"
#include "mr.h"

/* Pages to check without a pause: some microseconds. */
#define MRMAP_BATCH	1024

/* A shared mapping of a file that a file system writes back to storage. */
static bool mrmap_is_written_back(const struct vm_area_struct *vma)
{
	return vma->vm_file && vma->vm_flags & VM_SHARED &&
	       (vma_is_dax(vma) ||
		mapping_can_writeback(vma->vm_file->f_mapping));
}

/* Memory that is only read. */
static int mrmap_check_source(struct uet_sock *us, const char *what,
			      const struct vm_area_struct *vma, unsigned long addr)
{
	if (vma->vm_flags & VM_READ)
		return 0;
	return uet_sock_refuse(us, -EFAULT, "%s: memory at 0x%lx cannot be read",
			       what, addr);
}

static int mrmap_check_dest(struct uet_sock *us, const char *what,
			    const struct vm_area_struct *vma, unsigned long addr)
{
	if (!(vma->vm_flags & VM_WRITE))
		return uet_sock_refuse(us, -EFAULT, "%s: memory at 0x%lx cannot be written",
				       what, addr);
	if (mrmap_is_written_back(vma))
		return uet_sock_refuse(us, -EOPNOTSUPP, "%s: memory at 0x%lx is of a file on a disk",
				       what, addr);
	return 0;
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
	return is_source ? mrmap_check_source(us, what, vma, addr) :
			   mrmap_check_dest(us, what, vma, addr);
}

/*
 * Check whether memory can be pinned.
 * @len: length, bytes, at least 1; @addr + @len does not wrap around
 *
 * The process may change its mappings between this check and pinning: see
 * uet_mr_check_pages().
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT: not mapped, or not writable (@is_source: not readable);
 *	-EOPNOTSUPP: memory of a device, or, without @is_source, of a file that is
 *	written back; -EINTR: fatal signal.
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
	is_written_back = folio->mapping && mapping_can_writeback(folio->mapping);
	folio_unlock(folio);
	return is_written_back;
}

/*
 * Check whether pinned pages can be part of a region.
 *
 * Some kernels, such as 6.1, pin a page of a file that is written back to storage.
 *
 * Context: Process, sleeps.
 * Return: 0; -EOPNOTSUPP: a page is of a file that is written back.
 */
int uet_mr_check_pages(struct page **pages, unsigned long nr)
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
