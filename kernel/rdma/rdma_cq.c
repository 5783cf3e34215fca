// SPDX-License-Identifier: GPL-2.0
/* Completion queues: a ring in the memory of the kernel, from which system calls copy. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "rdma.h"

static int rcq_create(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		      struct uet_rdma_create_arg *arg)
{
	struct uet_rdma_cq *cq = uet_rdma_cq(ib);

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > UET_RDMA_CQE_MAX)
		return -EINVAL;
	cq->size = roundup_pow_of_two(attr->cqe);
	cq->ring = kvcalloc(cq->size, sizeof(*cq->ring), GFP_KERNEL_ACCOUNT);
	if (!cq->ring)
		return -ENOMEM;
	mutex_init(&cq->change_mutex);
	spin_lock_init(&cq->lock);
	ib->cqe = cq->size;
	return 0;
}

/*
 * Copy the next entries to a new ring, of which earlier ones may have been taken meanwhile.
 * Return: true: there are no more.
 */
static bool rcq_copy(const struct uet_rdma_cq *cq, struct uet_rdma_cqe *ring, u32 size, u32 *at)
{
	u32 budget;

	lockdep_assert_held(&cq->lock);
	if ((s32)(cq->head - *at) > 0)
		*at = cq->head;
	for (budget = UET_RDMA_BUDGET; budget && *at != cq->tail; budget--, ++*at)
		ring[*at & (size - 1)] = cq->ring[*at & (cq->size - 1)];
	return *at == cq->tail;
}

/* Give a completion queue another ring. Return: the one that is to be freed. */
static struct uet_rdma_cqe *rcq_exchange(struct uet_rdma_cq *cq, struct uet_rdma_cqe *ring,
					 u32 size)
{
	struct uet_rdma_cqe *old = ring;
	unsigned long irq;
	u32 at;

	spin_lock_irqsave(&cq->lock, irq);
	at = cq->head;
	while (!rcq_copy(cq, ring, size, &at)) {
		spin_unlock_irqrestore(&cq->lock, irq);
		cond_resched();
		spin_lock_irqsave(&cq->lock, irq);
	}
	if (cq->tail - cq->head <= size) {
		old = cq->ring;
		cq->ring = ring;
		cq->size = size;
		cq->ib.cqe = size;
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	return old;
}

static int rcq_resize(struct ib_cq *ib, uet_rdma_cqe_count cqe, struct ib_udata *udata)
{
	struct uet_rdma_cq *cq = uet_rdma_cq(ib);
	struct uet_rdma_cqe *ring, *old;
	u32 size;

	if (cqe < 1 || cqe > UET_RDMA_CQE_MAX)
		return -EINVAL;
	size = roundup_pow_of_two(cqe);
	ring = kvcalloc(size, sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return -ENOMEM;
	mutex_lock(&cq->change_mutex);
	old = rcq_exchange(cq, ring, size);
	mutex_unlock(&cq->change_mutex);
	kvfree(old);
	/* More completions than that are waiting. */
	return old == ring ? -EINVAL : 0;
}

/* Those that create and destroy queues have left no QP that adds to it. */
static int rcq_destroy(struct ib_cq *ib, struct ib_udata *udata)
{
	kvfree(uet_rdma_cq(ib)->ring);
	return 0;
}

static int rcq_poll(struct ib_cq *ib, int max, struct ib_wc *wc)
{
	struct uet_rdma_cq *cq = uet_rdma_cq(ib);
	const struct uet_rdma_cqe *cqe;
	u32 budget = UET_RDMA_BUDGET;
	unsigned long irq;
	int nr = 0;

	spin_lock_irqsave(&cq->lock, irq);
	while (nr < max && cq->head != cq->tail) {
		cqe = &cq->ring[cq->head++ & (cq->size - 1)];
		if (cqe->qp)
			wc[nr++] = cqe->wc;
		if (--budget)
			continue;
		/* Those of destroyed QPs may be many. */
		spin_unlock_irqrestore(&cq->lock, irq);
		budget = UET_RDMA_BUDGET;
		spin_lock_irqsave(&cq->lock, irq);
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	return nr;
}

static int rcq_req_notify(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct uet_rdma_cq *cq = uet_rdma_cq(ib);
	unsigned long irq;
	int ret;

	spin_lock_irqsave(&cq->lock, irq);
	/* A request for any completion includes solicited ones. */
	if (cq->notify != IB_CQ_NEXT_COMP)
		cq->notify = flags & IB_CQ_SOLICITED_MASK;
	ret = flags & IB_CQ_REPORT_MISSED_EVENTS && cq->head != cq->tail;
	spin_unlock_irqrestore(&cq->lock, irq);
	return ret;
}

/* The core keeps an event until the process reads it, so there is one in the life of the queue. */
static void rcq_overrun(struct uet_rdma_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

/**
 * uet_rdma_cq_add() - add a completion; one that finds no space is lost, the first of which is an
 *	event
 * @ib: completion queue
 * @wc: the completion
 * @solicited: the sender of a message asked for an event
 * Return: true: call uet_rdma_cq_notify() once no lock is held.
 */
bool uet_rdma_cq_add(struct ib_cq *ib, const struct ib_wc *wc, bool solicited)
{
	struct uet_rdma_cq *cq = uet_rdma_cq(ib);
	struct uet_rdma_cqe *cqe;
	unsigned long irq;
	bool notifies, is_first;

	spin_lock_irqsave(&cq->lock, irq);
	if (cq->tail - cq->head == cq->size) {
		is_first = !cq->has_overrun;
		cq->has_overrun = true;
		spin_unlock_irqrestore(&cq->lock, irq);
		if (is_first)
			rcq_overrun(cq);
		return false;
	}
	cqe = &cq->ring[cq->tail++ & (cq->size - 1)];
	cqe->wc = *wc;
	cqe->qp = wc->qp;
	cqe->wc.qp = uet_rdma_qp(wc->qp)->shown;
	cqe->solicited = solicited || wc->status != IB_WC_SUCCESS;
	notifies = cq->notify == IB_CQ_NEXT_COMP || (cq->notify && cqe->solicited);
	if (notifies)
		cq->notify = 0;
	spin_unlock_irqrestore(&cq->lock, irq);
	return notifies;
}

/**
 * uet_rdma_cq_notify() - call the handler
 * @ib: completion queue; the caller's QP keeps it
 */
void uet_rdma_cq_notify(struct ib_cq *ib)
{
	if (ib->comp_handler)
		ib->comp_handler(ib, ib->cq_context);
}

/**
 * uet_rdma_cq_forget() - drop the completions of a QP that is destroyed
 * @ib: completion queue
 * @qp: the QP, which adds nothing any more
 *
 * Entries that others add meanwhile are none of this QP.
 */
void uet_rdma_cq_forget(struct ib_cq *ib, const struct ib_qp *qp)
{
	struct uet_rdma_cq *cq = uet_rdma_cq(ib);
	struct uet_rdma_cqe *cqe;
	u32 at, end, budget;
	unsigned long irq;

	mutex_lock(&cq->change_mutex);
	spin_lock_irqsave(&cq->lock, irq);
	at = cq->head;
	end = cq->tail;
	while ((s32)(end - at) > 0) {
		for (budget = UET_RDMA_BUDGET; budget && at != end; budget--, at++) {
			cqe = &cq->ring[at & (cq->size - 1)];
			if (cqe->qp == qp)
				cqe->qp = NULL;
		}
		spin_unlock_irqrestore(&cq->lock, irq);
		cond_resched();
		spin_lock_irqsave(&cq->lock, irq);
		if ((s32)(cq->head - at) > 0)
			at = cq->head;
	}
	spin_unlock_irqrestore(&cq->lock, irq);
	mutex_unlock(&cq->change_mutex);
}

const struct ib_device_ops uet_rdma_cq_ops = {
	.create_cq = rcq_create,
	UET_RDMA_USER_CQ(rcq_create)
	UET_RDMA_RESIZE_CQ(rcq_resize)
	.destroy_cq = rcq_destroy,
	.poll_cq = rcq_poll,
	.req_notify_cq = rcq_req_notify,

	INIT_RDMA_OBJ_SIZE(ib_cq, uet_rdma_cq, ib),
};
