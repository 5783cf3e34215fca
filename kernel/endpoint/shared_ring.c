// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a ring that a socket shares with its process.  The pages live as long as
 * somebody maps them, the ring as long as the socket has a file.  They are memory of the
 * memory cgroup, as any memory that the kernel allocates for a process, and as a pinned page
 * of a user is not: they need no RLIMIT_MEMLOCK.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include <net/sock.h>

#include "ep.h"
#include "shared_ring.h"

/*
 * Allocate the memory of a ring.
 * @entries: number of entries, for UET_LAST_ERROR
 * @bytes: size of the ring, bounded by the caller
 *
 * Context: Process, sleeps.
 * Return: 0: uet_shared_ring_free() reverts it; -ENOMEM.
 */
int uet_shared_ring_alloc(struct uet_sock *us, const char *call, u32 entries,
			  size_t bytes, struct uet_shared_ring *ring)
{
	*ring = (struct uet_shared_ring){ .size = PAGE_ALIGN(bytes) };
	ring->mem = __vmalloc(ring->size, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					  __GFP_NOWARN);
	if (!ring->mem)
		return uet_sock_refuse(us, -ENOMEM, "%s: no memory for %u entries",
				       call, entries);
	return 0;
}

/*
 * Free the memory of a ring.
 * Context: Process.
 */
void uet_shared_ring_free(struct uet_shared_ring *ring)
{
	vfree(ring->mem);
}

/*
 * Map a ring into a process.
 * @vma: mapping of the socket, at the offset of the ring
 *
 * Context: Process, mmap_lock held.
 * Return: 0; -EINVAL: length or MAP_PRIVATE; -ENOMEM.
 */
int uet_shared_ring_map(struct uet_sock *us, const struct uet_shared_ring *ring,
			struct vm_area_struct *vma)
{
	size_t at;
	int err = 0;

	if (!(vma->vm_flags & VM_SHARED))
		return uet_sock_refuse(us, -EINVAL, "mmap: a ring is mapped shared");
	if (vma->vm_end - vma->vm_start != ring->size)
		return uet_sock_refuse(us, -EINVAL, "mmap: %lu bytes, the ring has %zu",
				       vma->vm_end - vma->vm_start, ring->size);
	for (at = 0; at < ring->size && !err; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page(ring->mem + at));
	/* A child would keep the socket open, and has no use for the ring. */
	vm_flags_set(vma, VM_DONTCOPY);
	return err;
}
