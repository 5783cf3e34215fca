/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a ring that a socket shares with its process: allocated, charged to the memory
 * cgroup, and mapped.  cq_ring.c and sq_ring.c have the contents.
 */
#ifndef UET_SHARED_RING_H
#define UET_SHARED_RING_H

#include <linux/types.h>

struct uet_sock;
struct vm_area_struct;

/**
 * struct uet_shared_ring - the memory of a ring
 * @mem: zeroed at the start; the process can write it at any time
 * @size: its size, bytes, whole pages
 */
struct uet_shared_ring {
	void *mem;
	size_t size;
};

int uet_shared_ring_alloc(struct uet_sock *us, const char *call, u32 entries,
			  size_t bytes, struct uet_shared_ring *ring);
void uet_shared_ring_free(struct uet_shared_ring *ring);
int uet_shared_ring_map(struct uet_sock *us, const struct uet_shared_ring *ring,
			struct vm_area_struct *vma);

#endif
