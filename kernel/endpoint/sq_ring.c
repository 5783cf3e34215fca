// SPDX-License-Identifier: GPL-2.0
/*
 * The submission ring of a socket: its memory, its indices, and its mapping.
 * sock_submit.c executes the entries.
 *
 * The process can write the shared memory at any time.  The kernel copies an entry
 * before it looks at it, and keeps its own index of the next one.  Wrong contents harm
 * only the process.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "ep.h"
#include "shared_ring.h"
#include "sq_ring.h"

/**
 * struct uet_sq_mem - kernel side of a submission ring
 * @shared: the memory: the indices, followed by @entries entries
 * @entries: number of entries, a power of two
 * @head: entries taken, modulo 2^32; under uet_sq.lock
 */
struct uet_sq_mem {
	struct uet_shared_ring shared;
	u32 entries;
	u32 head;
};

static struct uet_sq_ring_head *sq_head(const struct uet_sq_mem *ring)
{
	return ring->shared.mem;
}

/**
 * uet_sq_init() - initialise a queue without a ring
 * @sq: queue
 */
void uet_sq_init(struct uet_sq *sq)
{
	mutex_init(&sq->lock);
	sq->ring = NULL;
	sq->has_poller = 0;
}

static void sq_free(struct uet_sq_mem *ring)
{
	uet_shared_ring_free(&ring->shared);
	kfree(ring);
}

/**
 * uet_sq_close() - free the ring of a socket in close()
 * @sq: queue that nobody uses any more
 *
 * Entries that were not submitted are dropped.
 *
 * Context: Process.
 */
void uet_sq_close(struct uet_sq *sq)
{
	if (sq->ring)
		sq_free(sq->ring);
	sq->ring = NULL;
}

/* Return: a ring with at least @entries entries, or an ERR_PTR(). */
static struct uet_sq_mem *sq_alloc(struct uet_sock *us, u32 entries)
{
	struct uet_sq_mem *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	int err;

	BUILD_BUG_ON(sizeof(struct uet_sq_entry) != 128);
	BUILD_BUG_ON(sizeof(struct uet_sq_ring_head) != 128);
	if (!ring)
		return ERR_PTR(uet_sock_refuse(us, -ENOMEM, "UET_IOC_SQ_RING: no memory"));
	ring->entries = roundup_pow_of_two(entries);
	err = uet_shared_ring_alloc(us, "UET_IOC_SQ_RING", entries,
				    sizeof(struct uet_sq_ring_head) +
				    ring->entries * sizeof(struct uet_sq_entry),
				    &ring->shared);
	if (err) {
		kfree(ring);
		return ERR_PTR(err);
	}
	sq_head(ring)->entries = ring->entries;
	return ring;
}

static int sq_check(struct uet_sock *us, const struct uet_sq_ring *info)
{
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "UET_IOC_SQ_RING: not for SOCK_DGRAM");
	if (info->flags)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SQ_RING: flags 0x%x are unknown",
				       info->flags);
	if (!info->entries || info->entries > UET_SQ_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SQ_RING: entries %u is not in 1..%d",
				       info->entries, UET_SQ_LIMIT);
	return 0;
}

/**
 * uet_sq_ioctl_ring() - UET_IOC_SQ_RING: create the submission ring
 * @us: socket
 * @arg: user's struct uet_sq_ring; gets size and offset
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT; -EINVAL; -EOPNOTSUPP: SOCK_DGRAM; -EBUSY: the socket has a
 *	ring; -ENOMEM.
 */
int uet_sq_ioctl_ring(struct uet_sock *us, void __user *arg)
{
	struct uet_sq_ring info;
	struct uet_sq_mem *ring;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	err = sq_check(us, &info);
	if (err)
		return err;
	ring = sq_alloc(us, info.entries);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	info.entries = ring->entries;
	info.size = ring->shared.size;
	info.offset = UET_SQ_RING_OFFSET;
	if (copy_to_user(arg, &info, sizeof(info)))
		err = -EFAULT;
	/* Pairs with the acquire in sq_ring(): the ring is initialised. */
	else if (cmpxchg_release(&us->sq.ring, NULL, ring))
		err = uet_sock_refuse(us, -EBUSY, "UET_IOC_SQ_RING: the socket has a submission ring");
	if (err)
		sq_free(ring);
	return err;
}

static struct uet_sq_mem *sq_ring(const struct uet_sq *sq)
{
	return smp_load_acquire(&sq->ring);
}

/**
 * uet_sq_mmap() - map the submission ring
 * @us: socket
 * @vma: mapping
 *
 * Context: Process, mmap_lock held.
 * Return: 0; -ENXIO: no ring; or an error of uet_shared_ring_map().
 */
int uet_sq_mmap(struct uet_sock *us, struct vm_area_struct *vma)
{
	struct uet_sq_mem *ring = sq_ring(&us->sq);

	if (!ring)
		return uet_sock_refuse(us, -ENXIO, "mmap: the socket has no submission ring");
	return uet_shared_ring_map(us, &ring->shared, vma);
}

/**
 * uet_sq_ready() - count the entries that were not taken
 * @us: socket
 * @count: in: number of entries to take at most; result: entries that are ready
 *
 * Context: Process, uet_sq.lock held.
 * Return: 0; -ENXIO: no ring; -EINVAL: the process has written a wrong index.
 */
int uet_sq_ready(struct uet_sock *us, u32 *count)
{
	struct uet_sq_mem *ring = sq_ring(&us->sq);
	u32 ready;

	if (!ring)
		return uet_sock_refuse(us, -ENXIO, "UET_IOC_SUBMIT: the socket has no submission ring");
	/* Pairs with the release of the process: the entries are written. */
	ready = smp_load_acquire(&sq_head(ring)->tail) - ring->head;
	if (ready > ring->entries)
		return uet_sock_refuse(us, -EINVAL, "submission ring: tail is %u entries ahead, the ring has %u",
				       ready, ring->entries);
	*count = min(*count, ready);
	return 0;
}

/**
 * uet_sq_peek() - copy the next entry
 * @sq: queue with an entry that is ready
 * @entry: result, constant from now on
 *
 * Context: Process, uet_sq.lock held.
 */
void uet_sq_peek(const struct uet_sq *sq, struct uet_sq_entry *entry)
{
	const struct uet_sq_entry *first = (void *)(sq_head(sq->ring) + 1);

	memcpy(entry, first + (sq->ring->head & (sq->ring->entries - 1)),
	       sizeof(*entry));
	/* From here on nothing is read from the shared memory. */
	barrier();
}

/**
 * uet_sq_advance() - give the next entry back to the process
 * @sq: queue with an entry that is ready
 *
 * Context: Process, uet_sq.lock held.
 */
void uet_sq_advance(struct uet_sq *sq)
{
	struct uet_sq_mem *ring = sq->ring;

	/* A process that sees the new index may write the entry. */
	smp_store_release(&sq_head(ring)->head, ++ring->head);
}

/**
 * uet_sq_begin_polling() - make the caller the one thread that polls the ring
 * @us: socket
 *
 * Context: Process.
 * Return: 0; -ENXIO: no ring; -EBUSY: another thread polls.
 */
int uet_sq_begin_polling(struct uet_sock *us)
{
	struct uet_sq *sq = &us->sq;

	if (!sq_ring(sq))
		return uet_sock_refuse(us, -ENXIO, "UET_IOC_SQ_POLL: the socket has no submission ring");
	if (test_and_set_bit_lock(0, &sq->has_poller))
		return uet_sock_refuse(us, -EBUSY, "UET_IOC_SQ_POLL: another thread polls the ring");
	return 0;
}

/**
 * uet_sq_set_polled() - say whether the process must submit what it writes
 * @sq: queue that the caller polls
 * @is_polled: false: a look at tail after this call finds each entry whose writer has
 *	seen the flag
 *
 * Context: Process.
 */
void uet_sq_set_polled(struct uet_sq *sq, bool is_polled)
{
	WRITE_ONCE(sq_head(sq->ring)->flags, is_polled ? UET_SQ_RING_POLLED : 0);
	/* Pairs with the fence of the process, uet_sq_is_polled(). */
	smp_mb();
}

/**
 * uet_sq_end_polling() - let another thread poll
 * @sq: queue that the caller polls
 *
 * Context: Process.
 */
void uet_sq_end_polling(struct uet_sq *sq)
{
	clear_bit_unlock(0, &sq->has_poller);
}
