// SPDX-License-Identifier: GPL-2.0
/*
 * UET_IOC_SUBMIT executes operations and receives from the submission ring, many in
 * one call; UET_IOC_SQ_POLL executes them as they are written.  An entry that fails
 * leaves a completion, and the next one goes on.  An entry that would have to wait stays
 * in the ring.  mmap() of both rings is here, too.
 * Spec: none, an interface of Linux.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <net/sock.h>

#include "message/message.h"
#include "socket.h"

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

/* The payload of an operation. @kvec: storage for an inline one */
static int submit_payload(struct uet_sock *us, const struct uet_sq_entry *entry,
			  struct msghdr *msg, struct kvec *kvec)
{
	const struct uet_sq_send *send = &entry->send;
	void __user *addr = u64_to_user_ptr(send->addr);

	if (entry->flags & UET_SQ_INLINE) {
		if (send->length > UET_SQ_INLINE_MAX)
			return uet_sock_refuse(us, -EINVAL, "submission ring: length %llu is above %d, with UET_SQ_INLINE",
					       send->length, UET_SQ_INLINE_MAX);
		*kvec = (struct kvec){ (void *)send->data, send->length };
		iov_iter_kvec(&msg->msg_iter, ITER_SOURCE, kvec, 1, send->length);
		return 0;
	}
	if (send->length > MAX_RW_COUNT)
		return uet_sock_refuse(us, -EMSGSIZE, "submission ring: length %llu is above %lu",
				       send->length, (unsigned long)MAX_RW_COUNT);
	if (!access_ok(addr, send->length))
		return uet_sock_refuse(us, -EFAULT, "submission ring: the payload cannot be read");
	iov_iter_ubuf(&msg->msg_iter, ITER_SOURCE, addr, send->length);
	return 0;
}

static int submit_send(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct uet_sock_op sop;
	struct kvec kvec;
	int err;

	if (entry->flags & UET_SQ_MORE)
		msg.msg_flags |= MSG_MORE;
	/* An inline payload is not in memory of the process. */
	if ((entry->flags & (UET_SQ_ZEROCOPY | UET_SQ_INLINE)) == UET_SQ_ZEROCOPY)
		msg.msg_flags |= MSG_ZEROCOPY;
	err = uet_sock_entry_op(us, entry, &sop);
	if (!err)
		err = submit_payload(us, entry, &msg, &kvec);
	return err ? err : uet_sock_send_op(us, &sop, &msg, entry->send.length);
}

static int submit_recv(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	if (entry->peer)
		return uet_sock_refuse(us, -EINVAL, "submission ring: peer %u is not 0, with UET_SQ_RECV",
				       entry->peer);
	return uet_posted_recv_post(us, &entry->recv);
}

static int submit_execute(struct uet_sock *us, const struct uet_sq_entry *entry)
{
	int err = submit_check(us, entry);

	if (err)
		return err;
	return entry->kind == UET_SQ_RECV ? submit_recv(us, entry) :
					    submit_send(us, entry);
}

/*
 * Report the error of an entry by a completion.
 * Return: 0; an errno: it could not be reported, and the entry stays in the ring.
 */
static int submit_report(struct uet_sock *us, const struct uet_sq_entry *entry,
			 int error)
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

	uet_sq_peek(&us->sq, &entry);
	err = submit_execute(us, &entry);
	if (err && err != -EAGAIN)
		err = submit_report(us, &entry, err);
	if (!err)
		uet_sq_advance(&us->sq);
	return err;
}

/*
 * The error of an earlier operation. It is returned once, by a call that has taken no
 * entry, before its first one.
 */
static int submit_late_error(struct uet_sock *us, u32 taken)
{
	return taken ? -READ_ONCE(us->sk.sk_err) : sock_error(&us->sk);
}

/*
 * Execute up to @count entries that are ready. @taken: number of entries that the call
 * has taken, continued.
 * Return: 0; an errno: an entry stays in the ring.
 */
static int submit_ready(struct uet_sock *us, u32 count, u32 *taken)
{
	int err;

	if (mutex_lock_interruptible(&us->sq.lock))
		return -EINTR;
	err = uet_sq_ready(us, &count);
	while (!err && count--) {
		err = submit_late_error(us, *taken);
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
 * UET_IOC_SUBMIT: execute entries of the submission ring.
 *
 * An entry that fails is reported by a completion. Completions that wait move to the
 * completion ring first.
 *
 * Context: Process, sleeps for memory.
 * Return: number of entries taken; 0: the ring is empty; if there is none: -EAGAIN:
 *	the first entry would have to wait; the error of an earlier operation without
 *	completion; -ENXIO, -EINVAL: see uet_sq_ready(); -ENOMEM; -EINTR.
 */
int uet_sock_ioctl_submit(struct uet_sock *us, u32 count)
{
	u32 taken = 0;
	int err;

	uet_cq_refill(us);
	err = submit_ready(us, count, &taken);
	return taken ? taken : err;
}

/*
 * Execute entries as they are written, until none was taken for @idle nanoseconds.
 * Return: 0; an errno: an entry stays in the ring.
 */
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
 * UET_IOC_SQ_POLL: execute entries as they are written.
 * @idle: microseconds without a new entry after which the call ends, at most
 *	UET_SQ_POLL_MAX
 *
 * The calling thread does the work, so that time, memory and rights are those of the
 * process.  While the flag UET_SQ_RING_POLLED is set nobody has to submit.  An entry
 * that would have to wait ends the call, as do the error of an earlier operation and a
 * signal; entries stay in the ring then.
 *
 * Context: Process, sleeps for memory.
 * Return: number of entries taken; 0: none came; if there is none: -EAGAIN: the first
 *	entry would have to wait; the error of an earlier operation without completion;
 *	-EINVAL: @idle, and see uet_sq_ready(); -ENXIO, -EBUSY: see
 *	uet_sq_begin_polling(); -ENOMEM; -EINTR.
 */
int uet_sock_ioctl_sq_poll(struct uet_sock *us, unsigned long idle)
{
	u32 taken = 0, before;
	int err;

	if (!idle || idle > UET_SQ_POLL_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_SQ_POLL: %lu us is not in 1..%d",
				       idle, UET_SQ_POLL_MAX);
	err = uet_sq_begin_polling(us);
	if (err)
		return err;
	do {
		uet_sq_set_polled(&us->sq, true);
		err = submit_poll(us, idle * NSEC_PER_USEC, &taken);
		uet_sq_set_polled(&us->sq, false);
		before = taken;
		/* What came before the flag was cleared. */
		if (!err)
			err = submit_ready(us, U32_MAX, &taken);
	} while (!err && taken != before && taken <= POLL_TAKEN_MAX);
	uet_sq_end_polling(&us->sq);
	return taken ? taken : err;
}

/*
 * Map a ring of a socket.
 * @file: file of the socket; stays open while the ring is mapped
 *
 * Context: Process, mmap_lock held.
 * Return: 0; -ENXIO: no such ring; -EINVAL: offset, length or MAP_PRIVATE; -ENOMEM.
 */
int uet_sock_mmap(struct file *file, struct socket *sock,
		  struct vm_area_struct *vma)
{
	struct uet_sock *us = uet_sk(sock->sk);

	if (vma->vm_pgoff == UET_SQ_RING_OFFSET >> PAGE_SHIFT)
		return uet_sq_mmap(us, vma);
	if (!vma->vm_pgoff)
		return uet_ring_map(us, vma);
	return uet_sock_refuse(us, -EINVAL, "mmap: offset %lu pages, the rings are at 0 and %d",
			       vma->vm_pgoff, UET_SQ_RING_OFFSET >> (int)PAGE_SHIFT);
}
