// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring of a socket: its memory, its indices, and its mapping.
 * cq.c decides which completions are written and which wait.
 *
 * The process can write the shared memory. The kernel reads only the number of
 * consumed records from it. A wrong number cannot make the kernel write outside
 * the ring; it harms only the process.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/sock.h>

#include "cq_ring.h"
#include "ep.h"

/**
 * struct uet_ring - kernel side of a completion ring
 * @shared: mapped memory: the indices, followed by @entries records
 * @size: size of @shared, bytes, whole pages
 * @entries: number of records, a power of two
 * @tail: records written, modulo 2^32; under uet_cq.lock
 * @pin: account charged for RLIMIT_MEMLOCK
 */
struct uet_ring {
	struct uet_cq_ring_head *shared;
	size_t size;
	u32 entries;
	u32 tail;
	struct mmpin pin;
};

static struct uet_completion *ring_slot(const struct uet_ring *ring, u32 index)
{
	struct uet_completion *first = (void *)(ring->shared + 1);

	return first + (index & (ring->entries - 1));
}

/* Records written and not consumed, according to the process. */
static u32 ring_used(const struct uet_ring *ring, u32 tail)
{
	/* Pairs with the release of the consumer: the records have been read. */
	return tail - smp_load_acquire(&ring->shared->head);
}

/**
 * uet_ring_push() - write a record
 * @ring: ring
 * @rec: record
 *
 * Context: Any, uet_cq.lock held.
 * Return: false if the ring is full.
 */
bool uet_ring_push(struct uet_ring *ring, const struct uet_completion *rec)
{
	if (ring_used(ring, ring->tail) >= ring->entries)
		return false;
	*ring_slot(ring, ring->tail) = *rec;
	/* Read without the lock by uet_ring_is_readable(). */
	WRITE_ONCE(ring->tail, ring->tail + 1);
	/* A reader that sees the new index sees the record. */
	smp_store_release(&ring->shared->tail, ring->tail);
	return true;
}

/**
 * uet_ring_set_more() - show in the ring whether completions wait for space
 * @ring: ring
 * @more: true if completions wait
 *
 * Context: Any, uet_cq.lock held.
 */
void uet_ring_set_more(struct uet_ring *ring, bool more)
{
	WRITE_ONCE(ring->shared->flags, more ? UET_CQ_RING_MORE : 0);
}

/**
 * uet_ring_is_readable() - check whether the ring has an unconsumed record
 * @ring: ring
 *
 * Context: Any.
 * Return: true if so; a wake-up follows every change to true.
 */
bool uet_ring_is_readable(const struct uet_ring *ring)
{
	return ring_used(ring, READ_ONCE(ring->tail));
}

/**
 * uet_ring_free() - free a ring
 * @ring: unmapped ring, or NULL
 *
 * Context: Process.
 */
void uet_ring_free(struct uet_ring *ring)
{
	if (!ring)
		return;
	vfree(ring->shared);
	mm_unaccount_pinned_pages(&ring->pin);
	kfree(ring);
}

/* Return: a ring with at least @entries records, or an ERR_PTR(). */
static struct uet_ring *ring_alloc(struct uet_sock *us, u32 entries)
{
	struct uet_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->entries = roundup_pow_of_two(entries);
	ring->size = PAGE_ALIGN(sizeof(*ring->shared) +
				ring->entries * sizeof(struct uet_completion));
	if (mm_account_pinned_pages(&ring->pin, ring->size)) {
		kfree(ring);
		uet_sock_refuse(us, -ENOMEM, "UET_IOC_CQ_RING: %u entries are above RLIMIT_MEMLOCK",
				entries);
		return ERR_PTR(-ENOMEM);
	}
	ring->shared = __vmalloc(ring->size, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					     __GFP_NOWARN);
	if (!ring->shared) {
		uet_ring_free(ring);
		return ERR_PTR(-ENOMEM);
	}
	ring->shared->entries = ring->entries;
	return ring;
}

/**
 * uet_sock_ioctl_ring() - UET_IOC_CQ_RING: create the completion ring
 * @us: socket
 * @arg: user's struct uet_cq_ring; gets the size
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT; -EINVAL; -EBUSY: the socket has a ring; -ENOMEM, also
 *	above RLIMIT_MEMLOCK.
 */
int uet_sock_ioctl_ring(struct uet_sock *us, void __user *arg)
{
	struct uet_cq_ring info;
	struct uet_ring *ring;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (info.flags)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_CQ_RING: flags 0x%x are unknown",
				       info.flags);
	if (!info.entries || info.entries > UET_CQ_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_CQ_RING: entries %u is not in 1..%d",
				       info.entries, UET_CQ_LIMIT);
	ring = ring_alloc(us, info.entries);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	info.entries = ring->entries;
	info.size = ring->size;
	if (copy_to_user(arg, &info, sizeof(info)))
		err = -EFAULT;
	else
		err = uet_cq_set_ring(us, ring);
	if (err)
		uet_ring_free(ring);
	return err;
}

static int ring_map(const struct uet_ring *ring, struct vm_area_struct *vma)
{
	void *shared = ring->shared;
	size_t at;
	int err = 0;

	for (at = 0; at < ring->size && !err; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page(shared + at));
	return err;
}

/**
 * uet_sock_mmap() - map the completion ring
 * @file: file of the socket; stays open while the ring is mapped
 * @sock: AF_UET socket
 * @vma: mapping
 *
 * Context: Process, mmap_lock held.
 * Return: 0; -ENXIO: no ring; -EINVAL: offset, length or MAP_PRIVATE; -ENOMEM.
 */
int uet_sock_mmap(struct file *file, struct socket *sock,
		  struct vm_area_struct *vma)
{
	struct uet_sock *us = uet_sk(sock->sk);
	struct uet_ring *ring = uet_cq_ring(&us->cq);

	if (!ring)
		return uet_sock_refuse(us, -ENXIO, "mmap: the socket has no completion ring");
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_pgoff)
		return uet_sock_refuse(us, -EINVAL, "mmap: the completion ring is at offset 0, and shared");
	if (vma->vm_end - vma->vm_start != ring->size)
		return uet_sock_refuse(us, -EINVAL, "mmap: %lu bytes, the completion ring has %zu",
				       vma->vm_end - vma->vm_start, ring->size);
	return ring_map(ring, vma);
}
