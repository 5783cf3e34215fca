/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queue of a socket: the results of operations that requested a completion, until
 * user space reads them, and the memory of rings that a socket shares with its process.
 */
#ifndef UET_ENDPOINT_CQ_H
#define UET_ENDPOINT_CQ_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uet.h>

struct msghdr;
struct uet_ses_tx;
struct uet_sock;
struct vm_area_struct;

/**
 * struct uet_ring - kernel side of a ring that a socket shares with its process
 * @mem: indices, followed by @entries entries; the process can write it at any time
 * @size: size of @mem, bytes, whole pages
 * @entries: number of entries, a power of two
 * @index: completion ring: records written, under uet_cq.lock; submission ring: entries taken,
 *	under uet_sq.lock; modulo 2^32
 */
struct uet_ring {
	void *mem;
	size_t size;
	u32 entries;
	u32 index;
};

/**
 * struct uet_cqe_group - completions of one receive that takes several messages
 * @refs: one for each completion that is not queued yet.  The last one that is queued has
 *	UET_COMPLETION_LAST, and frees the group.  uet_cq.lock covers the drop of a reference
 *	and the queueing, so that nothing is queued behind the last one.
 */
struct uet_cqe_group {
	refcount_t refs;
};

/**
 * struct uet_cqe - the completion of one operation, allocated when the operation starts;
 *	owned by the operation until it ends, then by the queue, under uet_cq.lock
 * @link: in uet_cq.done once it has ended
 * @rec: record for user space
 * @group: the other completions of its receive; NULL: none
 * @charged: memory charged to the socket, bytes
 * @is_counted: counted in uet_cq.count
 * @is_whole: the whole operation was executed; never set for a receive
 */
struct uet_cqe {
	struct list_head link;
	struct uet_completion rec;
	struct uet_cqe_group *group;
	u32 charged;
	bool is_counted;
	bool is_whole;
};

/**
 * struct uet_cq - completion queue of a socket
 * @lock: protects the fields below except @count; taken with BH disabled, leaf
 * @done: readable struct uet_cqe, in the order in which operations ended
 * @ring: completion ring; NULL: recvmsg() reads from @done; set once, and valid as long as the
 *	socket has a file
 * @is_closed: no reader is left and no completion is queued any more
 * @count: operations in progress, posted receives and entries of @done, at most UET_CQ_LIMIT
 */
struct uet_cq {
	spinlock_t lock;
	struct list_head done;
	struct uet_ring *ring;
	bool is_closed;
	atomic_t count;
};

void uet_cq_close(struct uet_cq *cq);
bool uet_cq_is_readable(const struct uet_cq *cq);
void uet_cq_note_generation(struct uet_cq *cq, u32 generation);

/* May another operation with completion start? */
static inline bool uet_cq_has_space(const struct uet_cq *cq)
{
	return atomic_read(&cq->count) < UET_CQ_LIMIT;
}

/* The completion ring, or NULL; as long as the socket has a file. */
static inline struct uet_ring *uet_cq_ring(const struct uet_cq *cq)
{
	/* Pairs with the release in cq_set_ring(): the ring is initialised. */
	return smp_load_acquire(&cq->ring);
}

/* For the sender or the thread that posts a receive, in process context. */
struct uet_cqe *uet_cqe_alloc(struct uet_sock *us, const struct uet_op *op);
struct uet_cqe *uet_cqe_alloc_recv(struct uet_sock *us, u64 cookie);
int uet_cqe_admit(struct uet_sock *us, struct uet_cqe *cqe);
bool uet_cqe_make_group(struct uet_cqe *cqe);

/* For a message that takes a part of a receive, in any context. */
struct uet_cqe *uet_cqe_alloc_next(struct uet_sock *us, const struct uet_cqe *cqe, u32 extra);

/* For the operation, when it ends or does not start, in any context. */
void uet_cqe_fill(struct uet_cqe *cqe, const struct uet_ses_tx *tx);
void uet_cqe_queue(struct uet_sock *us, struct uet_cqe *cqe);
void uet_cqe_free(struct uet_sock *us, struct uet_cqe *cqe);

/* For the reader, in process context. */
void uet_cq_refill(struct uet_sock *us);
int uet_sock_recv_cq(struct uet_sock *us, struct msghdr *msg, int flags);
int uet_sock_ioctl_ring(struct uet_sock *us, void *arg);

/* Rings, in process context. */
struct uet_ring *uet_ring_alloc(struct uet_sock *us, const char *call, u32 entries, size_t head,
				size_t entry);
void uet_ring_free(struct uet_ring *ring);
int uet_ring_map(struct uet_sock *us, const struct uet_ring *ring, struct vm_area_struct *vma);

#endif
