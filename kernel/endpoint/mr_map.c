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

/* A shared mapping of a file that a file system writes back to storage. */
static bool mrmap_is_written_back(const struct vm_area_struct *vma)
{
	return vma->vm_file && vma->vm_flags & VM_SHARED &&
	       (vma_is_dax(vma) ||
		mapping_can_writeback(vma->vm_file->f_mapping));
}

static int mrmap_check(struct uet_sock *us, const struct vm_area_struct *vma,
		       unsigned long addr)
{
	if (!vma || vma->vm_start > addr)
		return uet_sock_refuse(us, -EFAULT, "UET_IOC_MR_REG: nothing is mapped at 0x%lx",
				       addr);
	if (!(vma->vm_flags & VM_WRITE))
		return uet_sock_refuse(us, -EFAULT, "UET_IOC_MR_REG: memory at 0x%lx cannot be written",
				       addr);
	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return uet_sock_refuse(us, -EOPNOTSUPP, "UET_IOC_MR_REG: memory at 0x%lx is of a device",
				       addr);
	if (mrmap_is_written_back(vma))
		return uet_sock_refuse(us, -EOPNOTSUPP, "UET_IOC_MR_REG: memory at 0x%lx is of a file on a disk",
				       addr);
	return 0;
}

/**
 * uet_mr_check_map() - check whether memory can be registered
 * @us: socket, for UET_LAST_ERROR
 * @addr: start address
 * @len: length, bytes, at least 1; @addr + @len does not wrap around
 *
 * The process may change its mappings between this check and pinning: see
 * uet_mr_check_page().
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT: not mapped, or not writable; -EOPNOTSUPP: memory of a
 *	device or of a file that is written back; -EINTR: fatal signal.
 */
int uet_mr_check_map(struct uet_sock *us, unsigned long addr, u64 len)
{
	const unsigned long end = addr + len;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int err = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	while (!err && addr < end) {
		vma = find_vma(mm, addr);
		err = mrmap_check(us, vma, addr);
		if (!err)
			addr = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return err;
}

/**
 * uet_mr_check_page() - check whether a pinned page can be part of a region
 * @page: page, pinned for writing
 *
 * Some kernels, such as 6.1, pin a page of a file that is written back to storage.
 *
 * Context: Process, sleeps.
 * Return: 0; -EOPNOTSUPP: the page is of a file that is written back.
 */
int uet_mr_check_page(struct page *page)
{
	struct folio *folio = page_folio(page);
	bool is_written_back;

	/* Anonymous or of tmpfs: nothing changes that while the page is pinned. */
	if (folio_test_anon(folio) || folio_test_swapbacked(folio))
		return 0;
	/* A truncated page has no mapping any more; the lock keeps the mapping. */
	folio_lock(folio);
	is_written_back = folio->mapping && mapping_can_writeback(folio->mapping);
	folio_unlock(folio);
	return is_written_back ? -EOPNOTSUPP : 0;
}
