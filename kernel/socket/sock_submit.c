// SPDX-License-Identifier: GPL-2.0
/*
 * The submission ring. UET_IOC_SUBMIT executes operations and receives from it, many in one
 * call; UET_IOC_SQ_POLL executes them as they are written. An entry that fails leaves a
 * completion, and the next one goes on. An entry that would have to wait stays in the ring.
 * mmap() of both rings is here, too.
 *
 * The process can write the shared memory at any time. The kernel copies an entry before it
 * looks at it, and keeps its own index of the next one. Wrong contents harm only the process.
 * Spec: none, an interface of Linux.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "message/message.h"
#include "socket.h"

/* ----------------------------------------------------------------------- ring */

static struct uet_sq_ring_head *sq_head(const struct uet_ring *ring)
{
	return ring->mem;
}

static int sq_check(struct uet_sock *us, const struct uet_sq_ring *info)
{
	if (us->sk.sk_type == SOCK_DGRAM)
		return uet_sock_refuse(us, -EOPNOTSUPP, "UET_IOC_SQ_RING: not for SOCK_DGRAM");
	if (!info->entries || info->entries > UET_SQ_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SQ_RING: entries %u is not in 1..%d",
				       info->entries, UET_SQ_LIMIT);
	return 0;
}

int uet_sq_ioctl_ring(struct uet_sock *us, void *arg)
{
	struct uet_sq_ring *info = arg;
	struct uet_ring *ring;
	int err;

	BUILD_BUG_ON(sizeof(struct uet_sq_entry) != 128);
	BUILD_BUG_ON(sizeof(struct uet_sq_ring_head) != 128);
	err = sq_check(us, info);
	if (err)
		return err;
	ring = uet_ring_alloc(us, "UET_IOC_SQ_RING", info->entries, sizeof(struct uet_sq_ring_head),
			      sizeof(struct uet_sq_entry));
	if (!ring)
		return -ENOMEM;
	sq_head(ring)->entries = ring->entries;
	sq_head(ring)->entry_size = sizeof(struct uet_sq_entry);
	info->entries = ring->entries;
	info->entry_size = sizeof(struct uet_sq_entry);
	info->length = ring->size;
	info->offset = UET_SQ_RING_OFFSET;
	/* The ring is initialised: pairs with the acquire in sq_ring(). */
	if (!cmpxchg_release(&us->sq.ring, NULL, ring))
		return 0;
	uet_ring_free(ring);
	return uet_sock_refuse(us, -EBUSY, "UET_IOC_SQ_RING: the socket has a submission ring");
}

static struct uet_ring *sq_ring(const struct uet_sq *sq)
{
	/* Pairs with the release in uet_sq_ioctl_ring(). */
	return smp_load_acquire(&sq->ring);
}

/* Lower @count to the number of entries that are ready. Under uet_sq.lock. */
static int sq_ready(struct uet_sock *us, u32 *count)
{
	struct uet_ring *ring = sq_ring(&us->sq);
	u32 ready;

	if (!ring)
		return uet_sock_refuse(us, -ENXIO, "UET_IOC_SUBMIT: the socket has no submission ring");
	/* Pairs with the release of the process: the entries are written. */
	ready = smp_load_acquire(&sq_head(ring)->tail) - ring->index;
	if (ready > ring->entries)
		return uet_sock_refuse(us, -EINVAL, "submission ring: tail is %u entries ahead, the ring has %u",
				       ready, ring->entries);
	*count = min(*count, ready);
	return 0;
}

static void sq_peek(const struct uet_sq *sq, struct uet_sq_entry *entry)
{
	const struct uet_sq_entry *first = (void *)(sq_head(sq->ring) + 1);

	memcpy(entry, first + (sq->ring->index & (sq->ring->entries - 1)), sizeof(*entry));
	/* From here on nothing is read from the shared memory. */
	barrier();
}

/* Make the caller the one thread that polls the ring. */
static int sq_begin_polling(struct uet_sock *us)
{
	struct uet_sq *sq = &us->sq;

	if (!sq_ring(sq))
		return uet_sock_refuse(us, -ENXIO, "UET_IOC_SQ_POLL: the socket has no submission ring");
	if (test_and_set_bit_lock(0, &sq->has_poller))
		return uet_sock_refuse(us, -EBUSY, "UET_IOC_SQ_POLL: another thread polls the ring");
	return 0;
}

/*
 * Must the process submit what it writes? If so, a look at tail after this call finds each
 * entry whose writer has seen the flag.
 */
static void sq_set_polled(struct uet_sq *sq, bool is_polled)
{
	WRITE_ONCE(sq_head(sq->ring)->flags, is_polled ? UET_SQ_RING_POLLED : 0);
	/* Pairs with the fence of the process, uet_sq_is_polled(). */
	smp_mb();
}

/* -------------------------------------------------------------------- entries */

#define SUBMIT_FLAGS	(UET_SQ_INLINE | UET_SQ_HDATA | UET_SQ_MORE | \
			 UET_SQ_ZEROCOPY)
/* A poll ends while its result, with two more rings full of entries, is an int. */
#define POLL_TAKEN_MAX	(INT_MAX - 2 * UET_SQ_LIMIT)

static int submit_check(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	u8 flags = entry->kind == UET_SQ_OP ? SUBMIT_FLAGS : 0;

	if (entry->kind != UET_SQ_OP && entry->kind != UET_SQ_RECV)
		return uet_sock_refuse(us, -EINVAL, "submission ring: kind %u is unknown",
				       entry->kind);
	if (entry->flags & ~flags)
		return uet_sock_refuse(us, -EINVAL, "submission ring: flags 0x%x are not of 0x%x",
				       entry->flags, flags);
	if (entry->reserved || entry->reserved2)
		return uet_sock_refuse(us, -EINVAL, "submission ring: reserved is not 0");
	return 0;
}

/* Where an iterator finds the payload of an operation. */
union submit_vec {
	struct kvec inlined;
	struct iovec user;
};

/* The payload of an operation. @vec: storage */
static int submit_payload(struct uet_sock *us, const struct uet_sq_entry *entry,
			  struct msghdr *msg, union submit_vec *vec)
{
	const struct uet_sq_send *send = &entry->send;
	void __user *addr = u64_to_user_ptr(send->addr);

	if (entry->flags & UET_SQ_INLINE) {
		if (send->length > UET_SQ_INLINE_MAX)
			return uet_sock_refuse(us, -EINVAL, "submission ring: length %llu is above %d, with UET_SQ_INLINE",
					       send->length, UET_SQ_INLINE_MAX);
		vec->inlined = (struct kvec){ (void *)send->data, send->length };
		iov_iter_kvec(&msg->msg_iter, ITER_SOURCE, &vec->inlined, 1, send->length);
		return 0;
	}
	if (send->length > MAX_RW_COUNT)
		return uet_sock_refuse(us, -EMSGSIZE, "submission ring: length %llu is above %lu",
				       send->length, (unsigned long)MAX_RW_COUNT);
	if (!access_ok(addr, send->length))
		return uet_sock_refuse(us, -EFAULT, "submission ring: the payload cannot be read");
	uet_iov_iter_user(&msg->msg_iter, ITER_SOURCE, addr, send->length, &vec->user);
	return 0;
}

static int submit_send(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct uet_sock_op sop;
	union submit_vec vec;
	int err;

	if (entry->flags & UET_SQ_MORE)
		msg.msg_flags |= MSG_MORE;
	/* An inline payload is not in memory of the process. */
	if ((entry->flags & (UET_SQ_ZEROCOPY | UET_SQ_INLINE)) == UET_SQ_ZEROCOPY)
		msg.msg_flags |= MSG_ZEROCOPY;
	err = uet_sock_entry_op(us, entry, &sop);
	if (!err)
		err = submit_payload(us, entry, &msg, &vec);
	return err ? err : uet_sock_send_op(us, &sop, &msg, entry->send.length);
}

static int submit_recv(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	const struct uet_recv_post *post = &entry->recv;

	if (entry->peer)
		return uet_sock_refuse(us, -EINVAL, "submission ring: peer %u is not 0, with UET_SQ_RECV",
				       entry->peer);
	if (post->size < sizeof(*post) || post->size > sizeof(entry->send))
		return uet_sock_refuse(us, -EINVAL, "submission ring: recv.size %u is not in %zu..%zu",
				       post->size, sizeof(*post), sizeof(entry->send));
	if (memchr_inv(post + 1, 0, sizeof(entry->send) - sizeof(*post)))
		return uet_sock_refuse(us, -EINVAL, "submission ring: bytes behind recv are not 0");
	return uet_posted_recv_post(us, post);
}

static int submit_execute(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	int err = submit_check(us, entry);

	if (err)
		return err;
	return entry->kind == UET_SQ_RECV ? submit_recv(us, entry) : submit_send(us, entry);
}

/* Report the error of an entry by a completion. Return: an errno: the entry stays in the ring. */
static int submit_report(struct uet_sock *us, const struct uet_sq_entry *entry, int error)
{
	const struct uet_op *op = &entry->send.op;
	struct uet_cqe *cqe;
	int err;

	if (entry->kind == UET_SQ_RECV)
		cqe = uet_cqe_alloc_recv(us, entry->recv.cookie);
	else
		cqe = uet_cqe_alloc(us, op);
	if (!cqe)
		return uet_sock_refuse(us, -ENOMEM, "submission ring: no memory for a completion");
	err = uet_cqe_admit(us, cqe);
	if (err) {
		uet_cqe_free(us, cqe);
		return err;
	}
	cqe->rec.count = 1;
	cqe->rec.error = -error;
	if (entry->kind != UET_SQ_RECV) {
		cqe->rec.opcode = op->opcode;
		cqe->rec.peer = entry->peer;
	}
	cqe->rec.flags |= UET_COMPLETION_REFUSED;
	uet_cqe_queue(us, cqe);
	return 0;
}

/* Execute the next entry. Return: 0: it was taken from the ring; an errno: it stays. */
static int submit_next(struct uet_sock *us)
{
	struct uet_sq_entry entry;
	int err;

	sq_peek(&us->sq, &entry);
	err = submit_execute(us, &entry);
	if (err && err != -EAGAIN)
		err = submit_report(us, &entry, err);
	if (!err)
		/* A process that sees the new index may write the entry. */
		smp_store_release(&sq_head(us->sq.ring)->head, ++us->sq.ring->index);
	return err;
}

/*
 * Execute up to @count entries that are ready; @taken counts those of the call. Return: 0; an
 * errno: an entry stays in the ring.
 */
static int submit_ready(struct uet_sock *us, u32 count, u32 *taken)
{
	int err;

	if (mutex_lock_interruptible(&us->sq.lock))
		return -EINTR;
	err = sq_ready(us, &count);
	while (!err && count--) {
		/* The error of an earlier operation is returned by a call that took no entry. */
		err = *taken ? -READ_ONCE(us->sk.sk_err) : sock_error(&us->sk);
		if (!err)
			err = submit_next(us);
		if (err)
			break;
		++*taken;
		cond_resched();
		if (signal_pending(current))
			err = -EINTR;
	}
	mutex_unlock(&us->sq.lock);
	return err;
}

/*
 * Return: number of entries taken; if there is none, the error that keeps the first one:
 * -EAGAIN if it would have to wait.
 */
int uet_sock_ioctl_submit(struct uet_sock *us, unsigned long count)
{
	u32 taken = 0;
	int err;

	uet_cq_refill(us);
	err = submit_ready(us, count, &taken);
	return taken ? taken : err;
}

/* Execute entries as they are written, until none was taken for @idle nanoseconds. */
static int submit_poll(struct uet_sock *us, u64 idle, u32 *taken)
{
	u64 since = uet_now_ns(), now;
	u32 before;
	int err;

	do {
		before = *taken;
		err = submit_ready(us, U32_MAX, taken);
		if (err)
			return err;
		if (signal_pending(current))
			return -EINTR;
		cpu_relax();
		cond_resched();
		now = uet_now_ns();
		if (*taken != before)
			since = now;
	} while (uet_ns_since(now, since) < idle && *taken <= POLL_TAKEN_MAX);
	return 0;
}

/*
 * UET_IOC_SQ_POLL: the calling thread does the work, so that time, memory and rights are those
 * of the process. While the flag UET_SQ_RING_POLLED is set nobody has to submit. An entry that
 * would have to wait ends the call, as do the error of an earlier operation and a signal.
 * @idle: microseconds without a new entry after which the call ends.
 */
int uet_sock_ioctl_sq_poll(struct uet_sock *us, unsigned long idle)
{
	u32 taken = 0, before;
	int err;

	if (!idle || idle > UET_SQ_POLL_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SQ_POLL: %lu us is not in 1..%d",
				       idle, UET_SQ_POLL_MAX);
	err = sq_begin_polling(us);
	if (err)
		return err;
	do {
		sq_set_polled(&us->sq, true);
		err = submit_poll(us, idle * NSEC_PER_USEC, &taken);
		sq_set_polled(&us->sq, false);
		before = taken;
		/* What came before the flag was cleared. */
		if (!err)
			err = submit_ready(us, U32_MAX, &taken);
	} while (!err && taken != before && taken <= POLL_TAKEN_MAX);
	clear_bit_unlock(0, &us->sq.has_poller);
	return taken ? taken : err;
}

int uet_sock_mmap(struct file *file, struct socket *sock, struct vm_area_struct *vma)
{
	bool is_sq = vma->vm_pgoff == UET_SQ_RING_OFFSET >> PAGE_SHIFT;
	struct uet_sock *us = uet_sk(sock->sk);
	struct uet_ring *ring;

	if (vma->vm_pgoff && !is_sq)
		return uet_sock_refuse(us, -EINVAL, "mmap: offset %lu pages, the rings are at 0 and %d",
				       vma->vm_pgoff, UET_SQ_RING_OFFSET >> (int)PAGE_SHIFT);
	ring = is_sq ? sq_ring(&us->sq) : uet_cq_ring(&us->cq);
	if (!ring)
		return uet_sock_refuse(us, -ENXIO, "mmap: the socket has no %s ring",
				       is_sq ? "submission" : "completion");
	return uet_ring_map(us, ring, vma);
}
