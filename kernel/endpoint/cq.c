// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of operations, from the end of an operation, in softirq, to a recvmsg() with
 * MSG_ERRQUEUE or to a ring that is mapped into the process.
 *
 * The completion of an operation is allocated in sendmsg(), so none is lost for lack of memory.
 * Their number is limited by refusing new operations. Unread completions of consecutive
 * successful operations with consecutive cookies are merged into one, as for MSG_ZEROCOPY. With
 * a completion ring completions wait here only while the ring is full.
 *
 * An operation completes if its sendmsg() succeeded. A failure that sendmsg() returned, also
 * for a streamed message that ended early, produces no completion, unless packets may refer to
 * the sender's pages: then the completion reports that the pages are free.
 *
 * The process can write the memory of a ring. The kernel reads only the number of consumed
 * records from it, and a wrong number harms only the process. The pages live as long as
 * somebody maps them, the ring as long as the socket has a file. They are memory of the memory
 * cgroup, not pinned pages of a user: they need no RLIMIT_MEMLOCK.
 */
#include <linux/compat.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/compat.h>
#include <net/sock.h>

#include "endpoint.h"

/*
 * Operations that are not charged to the socket, and what each further one is charged: its
 * completion, and its receive or message.
 */
#define CQ_FREE		16384
#define CQ_CHARGE	512

/* ---------------------------------------------------------------------- rings */

/**
 * uet_ring_alloc() - make a ring
 * @us: socket
 * @call: for the text of UET_LAST_ERROR, as @entries
 * @entries: number of entries at least
 * @head: size of the indices, bytes
 * @entry: size of an entry, bytes
 * Return: NULL without memory.
 */
struct uet_ring *uet_ring_alloc(struct uet_sock *us, const char *call, u32 entries, size_t head,
				size_t entry)
{
	struct uet_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (ring) {
		ring->entries = roundup_pow_of_two(entries);
		ring->size = PAGE_ALIGN(head + ring->entries * entry);
		ring->mem = __vmalloc(ring->size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
		if (ring->mem)
			return ring;
		kfree(ring);
	}
	uet_sock_refuse(us, -ENOMEM, "%s: no memory for %u entries", call, entries);
	return NULL;
}

/**
 * uet_ring_free() - free a ring; its pages live as long as they are mapped
 * @ring: ring, or NULL
 */
void uet_ring_free(struct uet_ring *ring)
{
	if (!ring)
		return;
	vfree(ring->mem);
	kfree(ring);
}

/**
 * uet_ring_map() - map a ring into a process; mmap_lock held
 * @us: socket
 * @ring: ring
 * @vma: mapping of the socket, at the offset of the ring
 */
int uet_ring_map(struct uet_sock *us, const struct uet_ring *ring, struct vm_area_struct *vma)
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

static struct uet_cq_ring_head *ring_head(const struct uet_ring *ring)
{
	return ring->mem;
}

/* Records written and not consumed, according to the process. */
static u32 ring_used(const struct uet_ring *ring, u32 tail)
{
	/* Pairs with the release of the consumer: the records have been read. */
	return tail - smp_load_acquire(&ring_head(ring)->head);
}

/* Return: false if the ring is full. */
static bool ring_push(struct uet_ring *ring, const struct uet_completion *rec)
{
	struct uet_completion *first = (void *)(ring_head(ring) + 1);

	if (ring_used(ring, ring->index) >= ring->entries)
		return false;
	first[ring->index & (ring->entries - 1)] = *rec;
	/* Read without the lock by uet_cq_is_readable(). */
	WRITE_ONCE(ring->index, ring->index + 1);
	/* A reader that sees the new index sees the record. */
	smp_store_release(&ring_head(ring)->tail, ring->index);
	return true;
}

/* ---------------------------------------------------------------- completions */

/* The completion is queued, or will not be. Return: it is the last of its group. */
static bool cqe_leave_group(struct uet_cqe *cqe)
{
	struct uet_cqe_group *group = cqe->group;

	cqe->group = NULL;
	if (!group || !refcount_dec_and_test(&group->refs))
		return false;
	kfree(group);
	return true;
}

static void cqe_release(struct uet_sock *us, struct uet_cqe *cqe)
{
	cqe_leave_group(cqe);
	if (cqe->charged)
		uet_mem_uncharge_rx(us, cqe->charged);
	kfree(cqe);
}

/**
 * uet_cq_close() - drop all completions of a socket in close(); later ones are dropped at once
 * @cq: queue
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
		cqe_release(container_of(cq, struct uet_sock, cq), cqe);
	uet_ring_free(ring);
}

/* Show in the completion ring that a watched region has changed; uet_mr_space.lock may be held. */
void uet_cq_note_generation(struct uet_cq *cq, u32 generation)
{
	spin_lock_bh(&cq->lock);
	if (cq->ring)
		WRITE_ONCE(ring_head(cq->ring)->mr_generation, generation);
	spin_unlock_bh(&cq->lock);
}

static u8 cqe_delivery(const struct uet_sock *us, const struct uet_op *op)
{
	if (op->flags & UET_OP_RUDI)
		return UET_DELIVERY_RUDI;
	return uet_sock_mode(us, op) == UET_PDC_ROD ? UET_DELIVERY_ROD :
						  UET_DELIVERY_RUD;
}

/**
 * uet_cqe_alloc() - allocate the completion of an operation; may sleep
 * @us: socket
 * @op: the operation
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
 * uet_cqe_alloc_recv() - allocate the completion of a receive; may sleep
 * @us: socket
 * @cookie: cookie of the receive
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
 * uet_cqe_make_group() - let a completion be the first of several; may sleep
 * @cqe: from uet_cqe_alloc_recv(); the last completion gets UET_COMPLETION_LAST
 * Return: false without memory.
 */
bool uet_cqe_make_group(struct uet_cqe *cqe)
{
	cqe->group = kmalloc(sizeof(*cqe->group), GFP_KERNEL_ACCOUNT);
	if (!cqe->group)
		return false;
	refcount_set(&cqe->group->refs, 1);
	return true;
}

/**
 * uet_cqe_alloc_next() - allocate another completion of a receive
 * @us: socket
 * @cqe: completion of the same receive, with a group, neither queued nor freed
 * @extra: memory beside the completion to charge as long as it exists, bytes
 * Return: the completion, counted; NULL without memory, or at UET_CQ_LIMIT.
 */
struct uet_cqe *uet_cqe_alloc_next(struct uet_sock *us, const struct uet_cqe *cqe, u32 extra)
{
	u32 bytes = sizeof(*cqe) + extra;
	struct uet_cqe *next;

	if (!uet_mem_charge_rx(us, bytes))
		return NULL;
	next = kzalloc(sizeof(*next), GFP_ATOMIC | __GFP_NOWARN);
	if (!next) {
		uet_mem_uncharge_rx(us, bytes);
		return NULL;
	}
	next->charged = bytes;
	next->rec.cookie = cqe->rec.cookie;
	next->rec.count = 1;
	next->rec.flags = UET_COMPLETION_RECV;
	if (uet_cqe_admit(us, next)) {
		cqe_release(us, next);
		return NULL;
	}
	refcount_inc(&cqe->group->refs);
	next->group = cqe->group;
	return next;
}

/**
 * uet_cqe_admit() - count the operation of a completion against UET_CQ_LIMIT, once
 * @us: socket; without rx_lock, unless @cqe is charged
 * @cqe: from uet_cqe_alloc()
 * Return: 0; -EAGAIN while UET_CQ_LIMIT is reached; -ENOMEM: the socket has many
 *	operations, and net.uet.uet_mem has no place for more.
 */
int uet_cqe_admit(struct uet_sock *us, struct uet_cqe *cqe)
{
	if (cqe->is_counted)
		return 0;
	if (!cqe->charged && atomic_read(&us->cq.count) >= CQ_FREE) {
		if (!uet_mem_charge_rx(us, CQ_CHARGE))
			return uet_sock_refuse(us, -ENOMEM, "net.uet.uet_mem has no place for more than %d operations and receives",
					       CQ_FREE);
		cqe->charged = CQ_CHARGE;
	}
	cqe->is_counted = atomic_add_unless(&us->cq.count, 1, UET_CQ_LIMIT);
	return cqe->is_counted ? 0 : -EAGAIN;
}

/**
 * uet_cqe_free() - free a completion that will not be queued; wakes who waits for space
 * @us: socket, referenced
 * @cqe: completion, in no queue
 */
void uet_cqe_free(struct uet_sock *us, struct uet_cqe *cqe)
{
	bool makes_space = cqe->is_counted &&
			  atomic_dec_return(&us->cq.count) == UET_CQ_LIMIT - 1;

	cqe_release(us, cqe);
	if (makes_space)
		us->sk.sk_write_space(&us->sk);
}

/**
 * uet_cqe_fill() - set the result of an operation in its completion
 * @cqe: completion of the operation
 * @tx: the operation, returned by SES
 */
void uet_cqe_fill(struct uet_cqe *cqe, const struct uet_ses_tx *tx)
{
	struct uet_completion *rec = &cqe->rec;

	rec->count = 1;
	rec->error = -uet_ses_errno(tx);
	rec->length = uet_ses_executed(tx);
	rec->opcode = tx->opcode;
	rec->rc = uet_ses_reported_rc(tx);
	rec->nack_code = tx->nack_code;
	/* Who it is counts in a failure only: successes to many peers are joined. */
	if (!rec->error)
		rec->peer = 0;
	cqe->is_whole = rec->length == uet_ses_tx_length(tx);
}

/* Is @next equal to @rec except for the cookie after the last one of @rec? No sum may wrap. */
static bool cqe_continues(const struct uet_completion *rec, const struct uet_completion *next)
{
	return next->cookie && next->cookie == rec->cookie + rec->count &&
	       next->opcode == rec->opcode && next->rc == rec->rc &&
	       next->delivery == rec->delivery &&
	       next->length <= U32_MAX - rec->length && rec->count < U32_MAX;
}

/* Merge @cqe into the last completion if possible. */
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

/* Move completions to the ring while it has space. The caller frees the moved entries. */
static void cq_fill_ring(struct uet_cq *cq, struct list_head *reported)
{
	struct uet_cqe *cqe, *next;

	lockdep_assert_held(&cq->lock);
	if (!cq->ring)
		return;
	list_for_each_entry_safe(cqe, next, &cq->done, link) {
		if (!ring_push(cq->ring, &cqe->rec))
			break;
		list_move_tail(&cqe->link, reported);
	}
	WRITE_ONCE(ring_head(cq->ring)->flags, list_empty(&cq->done) ? 0 : UET_CQ_RING_MORE);
}

static void cq_free_reported(struct uet_sock *us, struct list_head *reported)
{
	struct uet_cqe *cqe, *next;

	list_for_each_entry_safe(cqe, next, reported, link)
		uet_cqe_free(us, cqe);
}

/**
 * uet_cqe_queue() - queue a completion for reading; the lock of a PDC may be held
 * @us: socket, referenced
 * @cqe: completion with its record, ownership passes
 */
void uet_cqe_queue(struct uet_sock *us, struct uet_cqe *cqe)
{
	struct uet_cq *cq = &us->cq;
	bool is_queued = false;
	LIST_HEAD(reported);

	spin_lock_bh(&cq->lock);
	if (cqe_leave_group(cqe))
		cqe->rec.flags |= UET_COMPLETION_LAST;
	if (us->ops && us->ops->completed && !cq->is_closed) {
		us->ops->completed(us, &cqe->rec);
	} else if (!cq->is_closed && !cqe_coalesce(cq, cqe)) {
		list_add_tail(&cqe->link, &cq->done);
		is_queued = true;
	}
	cq_fill_ring(cq, &reported);
	spin_unlock_bh(&cq->lock);
	if (is_queued)
		sk_error_report(&us->sk);
	else
		uet_cqe_free(us, cqe);
	cq_free_reported(us, &reported);
}

/**
 * uet_cq_refill() - move waiting completions to the completion ring
 * @us: socket with an open file
 */
void uet_cq_refill(struct uet_sock *us)
{
	struct uet_cq *cq = &us->cq;
	LIST_HEAD(reported);

	if (!uet_cq_ring(cq) || list_empty(&cq->done))
		return;
	spin_lock_bh(&cq->lock);
	cq_fill_ring(cq, &reported);
	spin_unlock_bh(&cq->lock);
	cq_free_reported(us, &reported);
}

/* Deliver completions by a ring from now on. On success it belongs to the queue. */
static int cq_set_ring(struct uet_sock *us, struct uet_ring *ring)
{
	struct uet_cq *cq = &us->cq;
	bool is_first;

	spin_lock_bh(&cq->lock);
	is_first = !cq->ring;
	if (is_first) {
		/* A later change finds the ring. */
		WRITE_ONCE(ring_head(ring)->mr_generation,
			   READ_ONCE(us->mr.space->generation));
		/* Pairs with the acquire in uet_cq_ring(). */
		smp_store_release(&cq->ring, ring);
	}
	spin_unlock_bh(&cq->lock);
	if (!is_first)
		return uet_sock_refuse(us, -EBUSY, "UET_IOC_CQ_RING: the socket has a completion ring");
	uet_cq_refill(us);
	return 0;
}

/* Is there space for one more complete record? */
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

/*
 * The socket is open, because a system call is active on it. Another thread may have begun to
 * wait while the completion was not there.
 */
static void cqe_put_back(struct uet_sock *us, struct uet_cqe *cqe)
{
	spin_lock_bh(&us->cq.lock);
	list_add(&cqe->link, &us->cq.done);
	spin_unlock_bh(&us->cq.lock);
	sk_error_report(&us->sk);
}

/* Copy one record. Return: 1; 0 if there is none; -EFAULT. */
static int cqe_copy(struct uet_sock *us, struct msghdr *msg)
{
	struct uet_cqe *cqe = cqe_take(&us->cq);

	if (!cqe)
		return 0;
	if (put_cmsg(msg, SOL_UET, UET_CMSG_COMPLETION, sizeof(cqe->rec),
		     &cqe->rec)) {
		cqe_put_back(us, cqe);
		return uet_sock_refuse(us, -EFAULT, "recvmsg: the control buffer cannot be written");
	}
	uet_cqe_free(us, cqe);
	return 1;
}

/**
 * uet_cq_is_readable() - is a completion readable?  A wake-up follows every change to true
 * @cq: queue of a socket that has a file
 */
bool uet_cq_is_readable(const struct uet_cq *cq)
{
	const struct uet_ring *ring = uet_cq_ring(cq);

	return !list_empty_careful(&cq->done) ||
	       (ring && ring_used(ring, READ_ONCE(ring->index)));
}

/**
 * uet_sock_recv_cq() - recvmsg() with MSG_ERRQUEUE
 * @us: socket
 * @msg: gets completions as control messages, as many as fit
 * @flags: MSG_*
 *
 * Never waits: EPOLLERR reports that a completion is readable. Without space for one record
 * MSG_CTRUNC is set and all completions stay queued.
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

/**
 * uet_sock_ioctl_ring() - UET_IOC_CQ_RING: create the completion ring
 * @us: socket
 * @arg: struct uet_cq_ring; gets the results
 */
int uet_sock_ioctl_ring(struct uet_sock *us, void *arg)
{
	struct uet_cq_ring *info = arg;
	struct uet_ring *ring;
	int err;

	if (!info->entries || info->entries > UET_CQ_RING_LIMIT)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_CQ_RING: entries %u is not in 1..%d",
				       info->entries, UET_CQ_RING_LIMIT);
	ring = uet_ring_alloc(us, "UET_IOC_CQ_RING", info->entries, sizeof(struct uet_cq_ring_head),
			      sizeof(struct uet_completion));
	if (!ring)
		return -ENOMEM;
	ring_head(ring)->entries = ring->entries;
	ring_head(ring)->entry_size = sizeof(struct uet_completion);
	info->entries = ring->entries;
	info->entry_size = sizeof(struct uet_completion);
	info->length = ring->size;
	err = cq_set_ring(us, ring);
	if (err)
		uet_ring_free(ring);
	return err;
}
