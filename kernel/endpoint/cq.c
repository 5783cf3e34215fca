// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of operations, from the end of an operation, in softirq, to a
 * recvmsg() with MSG_ERRQUEUE.
 *
 * An operation has the memory of its completion from its sendmsg() on, so none
 * is lost for want of memory, and their number is bounded by refusing to begin
 * operations.  Those that succeeded one after the other with consecutive cookies
 * become one while they wait to be read, as those of MSG_ZEROCOPY do.  With a
 * completion ring (cq_ring.c) they wait here only for space in it.
 *
 * An operation completes exactly if its sendmsg() succeeded: what the caller was
 * told by an error, also of a streamed message that ended early, is not told
 * again.  Level: shell.
 */
#include <linux/compat.h>
#include <linux/slab.h>
#include <net/compat.h>
#include <net/sock.h>

#include "ep.h"

/**
 * uet_cq_init() - make a queue without completions
 * @cq: queue
 *
 * Context: Any.
 */
void uet_cq_init(struct uet_cq *cq)
{
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->done);
	cq->ring = NULL;
	cq->is_closed = false;
	atomic_set(&cq->count, 0);
}

/**
 * uet_cq_close() - drop all completions of a socket that is being closed
 * @cq: queue; what completes from now on is dropped at once
 *
 * Context: Process.
 */
void uet_cq_close(struct uet_cq *cq)
{
	struct uet_cqe *cqe, *next;
	struct uet_ring *ring;
	LIST_HEAD(unread);

	spin_lock_bh(&cq->lock);
	cq->is_closed = true;
	ring = cq->ring;
	cq->ring = NULL;
	list_splice_init(&cq->done, &unread);
	spin_unlock_bh(&cq->lock);
	list_for_each_entry_safe(cqe, next, &unread, link)
		kfree(cqe);
	uet_ring_free(ring);
}

static u8 cqe_delivery(const struct uet_sock *us, const struct uet_op *op)
{
	if (op->flags & UET_OP_RUDI)
		return UET_DELIVERY_RUDI;
	return uet_sock_mode(us) == UET_PDC_ROD ? UET_DELIVERY_ROD :
						  UET_DELIVERY_RUD;
}

/**
 * uet_cqe_alloc() - memory for the completion of an operation
 * @us: socket
 * @op: the operation
 *
 * Context: Process, may sleep.
 * Return: the completion, to be freed by uet_cqe_free() unless the operation
 *	ends; NULL without memory.
 */
struct uet_cqe *uet_cqe_alloc(struct uet_sock *us, const struct uet_op *op)
{
	struct uet_cqe *cqe = kzalloc(sizeof(*cqe), us->sk.sk_allocation);

	BUILD_BUG_ON(sizeof(struct uet_completion) != 64);
	if (!cqe)
		return NULL;
	cqe->rec.cookie = op->cookie;
	cqe->rec.delivery = cqe_delivery(us, op);
	return cqe;
}

/**
 * uet_cqe_alloc_recv() - memory for the completion of a receive
 * @us: socket
 * @cookie: of the receive
 *
 * Context: Process, may sleep.
 * Return: as uet_cqe_alloc().
 */
struct uet_cqe *uet_cqe_alloc_recv(struct uet_sock *us, u64 cookie)
{
	struct uet_cqe *cqe = kzalloc(sizeof(*cqe), us->sk.sk_allocation);

	if (!cqe)
		return NULL;
	cqe->rec.cookie = cookie;
	cqe->rec.count = 1;
	cqe->rec.flags = UET_COMPLETION_RECV;
	return cqe;
}

/**
 * uet_cqe_admit() - may the operation of a completion begin?
 * @us: socket
 * @cqe: from uet_cqe_alloc()
 *
 * Context: Any.
 * Return: true, also when asked again; false while UET_CQ_LIMIT is reached.
 */
bool uet_cqe_admit(struct uet_sock *us, struct uet_cqe *cqe)
{
	if (!cqe->is_counted)
		cqe->is_counted = atomic_add_unless(&us->cq.count, 1,
						    UET_CQ_LIMIT);
	return cqe->is_counted;
}

/**
 * uet_cqe_free() - a completion is not needed, or not any more
 * @us: socket, referenced
 * @cqe: completion, in no queue
 *
 * Who waits for space is woken if this makes some.
 *
 * Context: Any.
 */
void uet_cqe_free(struct uet_sock *us, struct uet_cqe *cqe)
{
	bool makes_space = cqe->is_counted &&
			  atomic_dec_return(&us->cq.count) == UET_CQ_LIMIT - 1;

	kfree(cqe);
	if (makes_space)
		us->sk.sk_write_space(&us->sk);
}

static void cqe_fill(struct uet_cqe *cqe, const struct uet_ses_tx *tx)
{
	struct uet_completion *rec = &cqe->rec;

	rec->count = 1;
	rec->error = -uet_ses_errno(tx);
	rec->length = uet_ses_executed(tx);
	rec->opcode = tx->opcode;
	rec->rc = uet_ses_reported_rc(tx);
	rec->nack_code = tx->nack_code;
	cqe->is_whole = rec->length == uet_ses_tx_length(tx);
}

/*
 * Is @next all that @rec says, for the cookie behind its last?  A range does not
 * wrap, nor do its sums.
 */
static bool cqe_continues(const struct uet_completion *rec,
			  const struct uet_completion *next)
{
	return next->cookie && next->cookie == rec->cookie + rec->count &&
	       next->opcode == rec->opcode && next->rc == rec->rc &&
	       next->delivery == rec->delivery &&
	       next->length <= U32_MAX - rec->length && rec->count < U32_MAX;
}

/* Make @cqe a part of the last completion, if it is no more than that. */
static bool cqe_coalesce(struct uet_cq *cq, const struct uet_cqe *cqe)
{
	struct uet_cqe *last;

	lockdep_assert_held(&cq->lock);
	if (list_empty(&cq->done))
		return false;
	last = list_last_entry(&cq->done, struct uet_cqe, link);
	if (last->rec.error || cqe->rec.error || !last->is_whole ||
	    !cqe->is_whole || !cqe_continues(&last->rec, &cqe->rec))
		return false;
	last->rec.count++;
	last->rec.length += cqe->rec.length;
	return true;
}

/* Let the ring have what it has space for; its entries are to be freed. */
static void cq_fill_ring(struct uet_cq *cq, struct list_head *told)
{
	struct uet_cqe *cqe, *next;

	lockdep_assert_held(&cq->lock);
	if (!cq->ring)
		return;
	list_for_each_entry_safe(cqe, next, &cq->done, link) {
		if (!uet_ring_push(cq->ring, &cqe->rec))
			break;
		list_move_tail(&cqe->link, told);
	}
	uet_ring_set_more(cq->ring, !list_empty(&cq->done));
}

static void cq_free_reported(struct uet_sock *us, struct list_head *told)
{
	struct uet_cqe *cqe, *next;

	list_for_each_entry_safe(cqe, next, told, link)
		uet_cqe_free(us, cqe);
}

/**
 * uet_cqe_queue() - a completion is to be read
 * @us: socket, referenced
 * @cqe: completion, taken over, with its record
 *
 * Context: Any; in ROD the lock of a PDC may be held.
 */
void uet_cqe_queue(struct uet_sock *us, struct uet_cqe *cqe)
{
	struct uet_cq *cq = &us->cq;
	bool is_queued = false;
	LIST_HEAD(told);

	spin_lock_bh(&cq->lock);
	if (!cq->is_closed && !cqe_coalesce(cq, cqe)) {
		list_add_tail(&cqe->link, &cq->done);
		is_queued = true;
	}
	cq_fill_ring(cq, &told);
	spin_unlock_bh(&cq->lock);
	if (is_queued)
		sk_error_report(&us->sk);
	else
		uet_cqe_free(us, cqe);
	cq_free_reported(us, &told);
}

/**
 * uet_cq_refill() - let the completion ring have what waits for space there
 * @us: socket that has a file
 *
 * Context: Process.
 */
void uet_cq_refill(struct uet_sock *us)
{
	struct uet_cq *cq = &us->cq;
	LIST_HEAD(told);

	if (!uet_cq_ring(cq) || list_empty(&cq->done))
		return;
	spin_lock_bh(&cq->lock);
	cq_fill_ring(cq, &told);
	spin_unlock_bh(&cq->lock);
	cq_free_reported(us, &told);
}

/**
 * uet_cq_set_ring() - from now on completions are told in a ring
 * @us: socket that has a file
 * @ring: the ring; on success it belongs to the queue
 *
 * Context: Process.
 * Return: 0; -EBUSY if there is one.
 */
int uet_cq_set_ring(struct uet_sock *us, struct uet_ring *ring)
{
	struct uet_cq *cq = &us->cq;
	bool is_first;

	spin_lock_bh(&cq->lock);
	is_first = !cq->ring;
	if (is_first)
		/* Pairs with the acquire in uet_cq_ring(). */
		smp_store_release(&cq->ring, ring);
	spin_unlock_bh(&cq->lock);
	if (!is_first)
		return uet_sock_refuse(us, -EBUSY, "UET_IOC_CQ_RING: the socket has a completion ring");
	uet_cq_refill(us);
	return 0;
}

/**
 * uet_cqe_complete() - an operation has ended
 * @us: socket, referenced
 * @cqe: its completion, taken over
 * @tx: the operation, returned by SES
 *
 * Context: Any, no lock of ours held.
 */
void uet_cqe_complete(struct uet_sock *us, struct uet_cqe *cqe,
		      const struct uet_ses_tx *tx)
{
	cqe_fill(cqe, tx);
	uet_cqe_queue(us, cqe);
}

/* Is there space for one more record, whole? */
static bool cqe_fits(const struct msghdr *msg)
{
	size_t header = CMSG_ALIGN(sizeof(struct cmsghdr));

#ifdef CONFIG_COMPAT
	if (msg->msg_flags & MSG_CMSG_COMPAT)
		header = sizeof(struct compat_cmsghdr);
#endif
	return msg->msg_control &&
	       msg->msg_controllen >= header + sizeof(struct uet_completion);
}

static struct uet_cqe *cqe_take(struct uet_cq *cq)
{
	struct uet_cqe *cqe;

	spin_lock_bh(&cq->lock);
	cqe = list_first_entry_or_null(&cq->done, struct uet_cqe, link);
	if (cqe)
		list_del_init(&cqe->link);
	spin_unlock_bh(&cq->lock);
	return cqe;
}

/* The socket is not closed: a call is at work on it. */
static void cqe_put_back(struct uet_cq *cq, struct uet_cqe *cqe)
{
	spin_lock_bh(&cq->lock);
	list_add(&cqe->link, &cq->done);
	spin_unlock_bh(&cq->lock);
}

/* Copy one record. Return: 1; 0 if there is none; -EFAULT. */
static int cqe_copy(struct uet_sock *us, struct msghdr *msg)
{
	struct uet_cqe *cqe = cqe_take(&us->cq);

	if (!cqe)
		return 0;
	if (put_cmsg(msg, SOL_UET, UET_CMSG_COMPLETION, sizeof(cqe->rec),
		     &cqe->rec)) {
		cqe_put_back(&us->cq, cqe);
		return uet_sock_refuse(us, -EFAULT, "recvmsg: the control buffer cannot be written");
	}
	uet_cqe_free(us, cqe);
	return 1;
}

/**
 * uet_sock_recv_cq() - recvmsg() with MSG_ERRQUEUE
 * @us: socket
 * @msg: gets completions, as many as fit, as control messages
 * @flags: MSG_*
 *
 * Never waits: EPOLLERR tells when there is something to be read.  Without space
 * for one record MSG_CTRUNC is set and everything stays.
 *
 * Context: Process.
 * Return: 0; -EAGAIN when there is none; -EINVAL; -EFAULT; -EOPNOTSUPP: they are
 *	in the completion ring.
 */
int uet_sock_recv_cq(struct uet_sock *us, struct msghdr *msg, int flags)
{
	int ret, copied = 0;

	if (flags & MSG_PEEK)
		return uet_sock_refuse(us, -EINVAL, "recvmsg: completions cannot be peeked at");
	if (uet_cq_ring(&us->cq))
		return uet_sock_refuse(us, -EOPNOTSUPP, "recvmsg: completions are in the completion ring of the socket");
	if (!uet_cq_is_readable(&us->cq))
		return -EAGAIN;
	msg->msg_flags |= MSG_ERRQUEUE;
	if (!cqe_fits(msg)) {
		msg->msg_flags |= MSG_CTRUNC;
		return 0;
	}
	do {
		ret = cqe_copy(us, msg);
		copied += ret > 0;
	} while (ret > 0 && cqe_fits(msg));
	if (copied)
		return 0;
	return ret ? ret : -EAGAIN;
}
