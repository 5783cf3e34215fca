// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring of a socket: its records and its indices.
 * cq.c decides which completions are written and which wait.
 *
 * The process can write the shared memory. The kernel reads only the number of
 * consumed records from it. A wrong number cannot make the kernel write outside
 * the ring; it harms only the process.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "cq_ring.h"
#include "ep.h"
#include "shared_ring.h"

/**
 * struct uet_ring - kernel side of a completion ring
 * @shared: mapped memory: the indices, followed by @entries records
 * @entries: number of records, a power of two
 * @tail: records written, modulo 2^32; under uet_cq.lock
 */
struct uet_ring {
	struct uet_shared_ring shared;
	u32 entries;
	u32 tail;
};

static struct uet_cq_ring_head *ring_head(const struct uet_ring *ring)
{
	return ring->shared.mem;
}

static struct uet_completion *ring_slot(const struct uet_ring *ring, u32 index)
{
	struct uet_completion *first = (void *)(ring_head(ring) + 1);

	return first + (index & (ring->entries - 1));
}

/* Records written and not consumed, according to the process. */
static u32 ring_used(const struct uet_ring *ring, u32 tail)
{
	/* Pairs with the release of the consumer: the records have been read. */
	return tail - smp_load_acquire(&ring_head(ring)->head);
}

/*
 * Write a record.
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
	smp_store_release(&ring_head(ring)->tail, ring->tail);
	return true;
}

/*
 * Show in the ring whether completions wait for space.
 * Context: Any, uet_cq.lock held.
 */
void uet_ring_set_more(struct uet_ring *ring, bool more)
{
	WRITE_ONCE(ring_head(ring)->flags, more ? UET_CQ_RING_MORE : 0);
}

/*
 * Show in the ring that a watched region has changed.
 * Context: Any, uet_cq.lock held.
 */
void uet_ring_set_generation(struct uet_ring *ring, u32 generation)
{
	WRITE_ONCE(ring_head(ring)->mr_generation, generation);
}

/*
 * Check whether the ring has an unconsumed record.
 * Return: true if so; a wake-up follows every change to true.
 */
bool uet_ring_is_readable(const struct uet_ring *ring)
{
	return ring_used(ring, READ_ONCE(ring->tail));
}

/*
 * Free a ring.
 * Context: Process.
 */
void uet_ring_free(struct uet_ring *ring)
{
	if (!ring)
		return;
	uet_shared_ring_free(&ring->shared);
	kfree(ring);
}

/* Return: a ring with at least @entries records, or an ERR_PTR(). */
static struct uet_ring *ring_alloc(struct uet_sock *us, u32 entries)
{
	struct uet_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	int err;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->entries = roundup_pow_of_two(entries);
	err = uet_shared_ring_alloc(us, "UET_IOC_CQ_RING", entries,
				    sizeof(struct uet_cq_ring_head) +
				    ring->entries * sizeof(struct uet_completion),
				    &ring->shared);
	if (err) {
		kfree(ring);
		return ERR_PTR(err);
	}
	ring_head(ring)->entries = ring->entries;
	return ring;
}

/**
 * uet_sock_ioctl_ring() - UET_IOC_CQ_RING: create the completion ring
 * @us: socket
 * @arg: user's struct uet_cq_ring; gets the size
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT; -EINVAL; -EBUSY: the socket has a ring; -ENOMEM.
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
	if (!info.entries || info.entries > UET_CQ_RING_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_CQ_RING: entries %u is not in 1..%d",
				       info.entries, UET_CQ_RING_LIMIT);
	ring = ring_alloc(us, info.entries);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	info.entries = ring->entries;
	info.size = ring->shared.size;
	if (copy_to_user(arg, &info, sizeof(info)))
		err = -EFAULT;
	else
		err = uet_cq_set_ring(us, ring);
	if (err)
		uet_ring_free(ring);
	return err;
}

/**
 * uet_ring_map() - map the completion ring
 * @us: socket
 * @vma: mapping
 *
 * Context: Process, mmap_lock held.
 * Return: 0; -ENXIO: no ring; or an error of uet_shared_ring_map().
 */
int uet_ring_map(struct uet_sock *us, struct vm_area_struct *vma)
{
	struct uet_ring *ring = uet_cq_ring(&us->cq);

	if (!ring)
		return uet_sock_refuse(us, -ENXIO, "mmap: the socket has no completion ring");
	return uet_shared_ring_map(us, &ring->shared, vma);
}
