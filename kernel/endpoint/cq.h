/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The completions of one AF_UET socket: how operations that asked for it have
 * ended, until somebody reads it.  Level: shell.
 */
#ifndef UET_SOCK_CQ_H
#define UET_SOCK_CQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/uet.h>

#include "cq_ring.h"

struct msghdr;
struct uet_ses_tx;
struct uet_sock;

/**
 * struct uet_cqe - the completion of one operation, reserved when it begins
 * @link: in uet_cq.done once it has ended
 * @rec: what user space is told
 * @is_counted: it is one of uet_cq.count
 * @is_whole: all that was asked for was executed; never set of a receive
 *
 * Owned by the operation until it ends, then by the queue; under uet_cq.lock
 * there.
 */
struct uet_cqe {
	struct list_head link;
	struct uet_completion rec;
	bool is_counted;
	bool is_whole;
};

/**
 * struct uet_cq - completions of a socket
 * @lock: protects what follows but @count; taken with BH disabled, leaf
 * @done: struct uet_cqe to be read, in the order in which operations ended
 * @ring: where they are to be read, NULL: from @done by recvmsg(); set once, and
 *	lives as long as the socket has a file
 * @is_closed: nobody will read: nothing is queued any more
 * @count: operations under way, receives posted and entries of @done, at most
 *	UET_CQ_LIMIT
 */
struct uet_cq {
	spinlock_t lock;
	struct list_head done;
	struct uet_ring *ring;
	bool is_closed;
	atomic_t count;
};

void uet_cq_init(struct uet_cq *cq);
void uet_cq_close(struct uet_cq *cq);

/**
 * uet_cq_has_space() - may another operation that wants a completion begin?
 * @cq: of the socket
 *
 * Context: Any.
 * Return: false when UET_CQ_LIMIT is reached.
 */
static inline bool uet_cq_has_space(const struct uet_cq *cq)
{
	return atomic_read(&cq->count) < UET_CQ_LIMIT;
}

/**
 * uet_cq_ring() - the completion ring of a socket
 * @cq: of the socket
 *
 * Context: Any, as long as the socket has a file.
 * Return: the ring, or NULL.
 */
static inline struct uet_ring *uet_cq_ring(const struct uet_cq *cq)
{
	/* Pairs with the release in uet_cq_set_ring(): it is complete. */
	return smp_load_acquire(&cq->ring);
}

/**
 * uet_cq_is_readable() - is there a completion to be read?
 * @cq: of the socket
 *
 * Context: Any, as long as the socket has a file.
 * Return: true if so; a wake-up follows when it becomes true.
 */
static inline bool uet_cq_is_readable(const struct uet_cq *cq)
{
	const struct uet_ring *ring = uet_cq_ring(cq);

	return !list_empty_careful(&cq->done) ||
	       (ring && uet_ring_is_readable(ring));
}

/* By the sender, or who posts a receive, in process context. */
struct uet_cqe *uet_cqe_alloc(struct uet_sock *us, const struct uet_op *op);
struct uet_cqe *uet_cqe_alloc_recv(struct uet_sock *us, u64 cookie);
bool uet_cqe_admit(struct uet_sock *us, struct uet_cqe *cqe);

/* By the operation, when it ends or never begins. */
void uet_cqe_complete(struct uet_sock *us, struct uet_cqe *cqe,
		      const struct uet_ses_tx *tx);
void uet_cqe_queue(struct uet_sock *us, struct uet_cqe *cqe);
void uet_cqe_free(struct uet_sock *us, struct uet_cqe *cqe);

/* By the reader. */
int uet_cq_set_ring(struct uet_sock *us, struct uet_ring *ring);
void uet_cq_refill(struct uet_sock *us);
int uet_sock_recv_cq(struct uet_sock *us, struct msghdr *msg, int flags);

#endif
