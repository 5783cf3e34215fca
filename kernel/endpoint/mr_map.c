// SPDX-License-Identifier: GPL-2.0
/*
 * Which mappings of a process can become a memory region, and why another cannot.
 * Pinning alone would tell less: it has one errno for most reasons, and some
 * kernels pin pages of a file system that does not expect them to change behind
 * its back.  Level: shell.
 */
#include <linux/backing-dev.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "ep.h"
#include "mr.h"

/* A shared mapping of what a file system keeps elsewhere than in memory. */
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
 * uet_mr_check_map() - can this memory be registered?
 * @us: socket, for UET_LAST_ERROR
 * @addr: where it begins
 * @len: bytes, at least 1; @addr + @len does not wrap around
 *
 * Who changes his mappings before they are pinned gets what pinning makes of that.
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT: not mapped, or not to be written; -EOPNOTSUPP: of a device or
 *	of a file that is written back; -EINTR: a fatal signal came.
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
