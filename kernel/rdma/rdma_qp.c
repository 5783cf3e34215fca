// SPDX-License-Identifier: GPL-2.0
/* Queue pairs: their life, their states, and what peers may do with them in each state. */
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core/wire/wire_codes.h"
#include "rdma.h"

struct workqueue_struct *uet_rdma_wq;

/* ---------------------------------------------------------------------- endpoints */

/* A message must fit the receive buffer. A longer send is several. */
static bool rqp_is_send(const struct uet_sock *us, const struct uet_ses_req *req)
{
	return req->opcode == UET_OP_TAGGED_SEND &&
	       req->request_length <= min_t(u32, UET_RDMA_PIECE,
					    READ_ONCE(us->sk.sk_rcvbuf));
}

static bool rqp_is_allowed(const struct uet_rdma_qp *qp, const struct uet_ses_req *req)
{
	int access = READ_ONCE(qp->attr.qp_access_flags);

	switch (req->opcode) {
	case UET_OP_WRITE:
		return access & IB_ACCESS_REMOTE_WRITE;
	case UET_OP_READ:
		return access & IB_ACCESS_REMOTE_READ;
	case UET_OP_FETCHING_ATOMIC:
		return access & IB_ACCESS_REMOTE_ATOMIC;
	default:
		return false;
	}
}

static bool rqp_accepts(const struct uet_sock *us, const struct uet_ses_req *req,
			const struct uet_fa *from)
{
	const struct uet_rdma_qp *qp = us->owner;

	/* The destination was set before. */
	switch (smp_load_acquire(&qp->state)) {
	case IB_QPS_RTR:
	case IB_QPS_RTS:
	case IB_QPS_SQD:
	case IB_QPS_SQE:
		break;
	default:
		return false;
	}
	if (!uet_rdma_is_rc(qp))
		return rqp_is_send(us, req);
	return req->initiator == READ_ONCE(qp->dest.qpn) && uet_fa_equal(from, &qp->dest.fa) &&
	       (rqp_is_send(us, req) || rqp_is_allowed(qp, req));
}

static const struct uet_ep_ops rqp_ep_ops = {
	.accepts = rqp_accepts,
	.deliver = uet_rdma_rq_deliver,
	.completed = uet_rdma_sq_completed,
};

/* --------------------------------------------------------------------------- work */

static void rqp_work(struct work_struct *work)
{
	struct uet_rdma_qp *qp = container_of(to_delayed_work(work), struct uet_rdma_qp, work);
	/* Users in the kernel may be storage, which frees memory. */
	unsigned int noio = memalloc_noio_save();

	uet_rdma_rq_run(qp);
	uet_rdma_sq_run(qp);
	memalloc_noio_restore(noio);
}

/**
 * uet_rdma_qp_kick() - let the work of a QP run soon, in any context
 * @qp: the QP
 */
void uet_rdma_qp_kick(struct uet_rdma_qp *qp)
{
	mod_delayed_work(uet_rdma_wq, &qp->work, 0);
}

/**
 * uet_rdma_qp_fail() - let a QP fail; its work ends what was posted
 * @qp: the QP
 */
void uet_rdma_qp_fail(struct uet_rdma_qp *qp)
{
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	if (qp->state != IB_QPS_RESET)
		WRITE_ONCE(qp->state, IB_QPS_ERR);
	spin_unlock_irqrestore(&qp->lock, irq);
	uet_rdma_qp_kick(qp);
}

/* -------------------------------------------------------------------------- making */

static int rqp_check(const struct ib_qp *ib, const struct ib_qp_init_attr *init)
{
	if (init->create_flags)
		return -EOPNOTSUPP;
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_GSI:
		return ib->uobject ? -EPERM : 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int rqp_alloc_queues(struct uet_rdma_qp *qp, struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &init->cap;
	int err;

	qp->sq.signals_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	err = uet_rdma_sq_alloc(&qp->sq, cap);
	if (err)
		return err;
	if (init->srq) {
		cap->max_recv_wr = 0;
		cap->max_recv_sge = 0;
	}
	return uet_rdma_rq_alloc(&qp->rq, cap->max_recv_wr, cap->max_recv_sge);
}

static void rqp_free_queues(struct uet_rdma_qp *qp)
{
	kvfree(qp->sq.ring);
	kvfree(qp->rq.ring);
}

/*
 * What completions of a QP name.  The core reads its number after it has polled for a process,
 * when another thread may have destroyed the QP.  So a process gets an object that has the number
 * only, and lives as long as the device, for at most all numbers of a PIDonFEP.
 */
static struct ib_qp *rqp_show(struct ib_qp *ib)
{
	struct xarray *all = &uet_rdma_dev(ib->device)->shown;
	struct ib_qp *shown, *other;

	if (!ib->uobject)
		return ib;
	shown = xa_load(all, ib->qp_num);
	if (shown)
		return shown;
	shown = kzalloc(sizeof(*shown), GFP_KERNEL_ACCOUNT);
	if (!shown)
		return NULL;
	shown->qp_num = ib->qp_num;
	other = xa_cmpxchg(all, ib->qp_num, NULL, shown, GFP_KERNEL_ACCOUNT);
	if (!other)
		return shown;
	kfree(shown);
	return xa_is_err(other) ? NULL : other;
}

static int rqp_create(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct uet_rdma_qp *qp = uet_rdma_qp(ib);
	struct socket *sock;
	int err;

	err = rqp_check(ib, init);
	if (err)
		return err;
	spin_lock_init(&qp->lock);
	mutex_init(&qp->send_mutex);
	mutex_init(&qp->recv_mutex);
	INIT_LIST_HEAD(&qp->arrived);
	INIT_LIST_HEAD(&qp->on_srq);
	INIT_DELAYED_WORK(&qp->work, rqp_work);
	qp->state = IB_QPS_RESET;
	err = rqp_alloc_queues(qp, init);
	if (err)
		goto err_queues;
	sock = uet_rdma_ep_make(uet_rdma_dev(ib->device), &rqp_ep_ops, qp,
				uet_rdma_pd(ib->pd)->domain,
				init->qp_type == IB_QPT_GSI ? UET_RINDEX_CM : 0);
	if (IS_ERR(sock)) {
		err = PTR_ERR(sock);
		goto err_queues;
	}
	qp->sock = sock;
	qp->us = uet_sk(sock->sk);
	sock_hold(&qp->us->sk);
	ib->qp_num = uet_rdma_ep_qpn(qp->us);
	qp->shown = rqp_show(ib);
	if (qp->shown)
		return 0;
	err = -ENOMEM;
	sock_release(sock);
	synchronize_rcu();
	sock_put(&qp->us->sk);

err_queues:
	rqp_free_queues(qp);
	return err;
}

/*
 * No thread hands over operations from now on; the results of those in progress are ignored.
 * Under uet_rdma_qp.send_mutex.
 */
static void rqp_stop(struct uet_rdma_qp *qp)
{
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	WRITE_ONCE(qp->state, IB_QPS_RESET);
	qp->sq.round++;
	qp->sq.head = qp->sq.tail;
	qp->sq.next = qp->sq.tail;
	spin_unlock_irqrestore(&qp->lock, irq);
}

/*
 * After close() no operation completes, and after a grace period no message arrives, so nothing
 * queues the work any more.
 */
static int rqp_destroy(struct ib_qp *ib, struct ib_udata *udata)
{
	struct uet_rdma_qp *qp = uet_rdma_qp(ib);

	mutex_lock(&qp->send_mutex);
	rqp_stop(qp);
	mutex_unlock(&qp->send_mutex);
	sock_release(qp->sock);
	synchronize_rcu();
	cancel_delayed_work_sync(&qp->work);
	if (ib->srq)
		uet_rdma_srq_leave(qp);
	/* Who has posted a receive may have queued it before. */
	cancel_delayed_work_sync(&qp->work);
	uet_rdma_rq_reset(qp);
	uet_rdma_cq_forget(ib->send_cq, ib);
	uet_rdma_cq_forget(ib->recv_cq, ib);
	rqp_free_queues(qp);
	sock_put(&qp->us->sk);
	return 0;
}

/* -------------------------------------------------------------------------- states */

/* Attributes that are kept; those that UET has no use for are returned as they were set. */
static void rqp_keep(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		WRITE_ONCE(to->qp_access_flags, from->qp_access_flags);
	if (mask & IB_QP_QKEY)
		WRITE_ONCE(to->qkey, from->qkey);
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = from->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = from->port_num;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = from->path_mtu;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = from->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = from->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = from->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = from->min_rnr_timer;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = from->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = from->sq_psn;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = from->max_dest_rd_atomic;
}

static int rqp_connect(struct uet_rdma_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	const struct uet_fa *own = &uet_rdma_dev(qp->ib.device)->cfg.fa;
	struct uet_fa fa;

	if (mask & IB_QP_AV) {
		if (!(rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH))
			return -EINVAL;
		fa = uet_rdma_gid_fa(&attr->ah_attr.grh.dgid, own);
		if (fa.family != own->family)
			return -EADDRNOTAVAIL;
		qp->dest.fa = fa;
		qp->attr.ah_attr = attr->ah_attr;
		/* The core has the reference. */
		qp->attr.ah_attr.grh.sgid_attr = NULL;
	}
	if (mask & IB_QP_DEST_QPN) {
		qp->attr.dest_qp_num = attr->dest_qp_num;
		WRITE_ONCE(qp->dest.qpn, attr->dest_qp_num);
	}
	return 0;
}

/* A QP may fail at any time: then it stays so until it is reset. */
static int rqp_enter(struct uet_rdma_qp *qp, u32 old, u32 state)
{
	unsigned long irq;
	bool has_failed;

	if (state == IB_QPS_ERR) {
		uet_rdma_qp_fail(qp);
	} else if (state == IB_QPS_RESET) {
		rqp_stop(qp);
		cancel_delayed_work_sync(&qp->work);
		uet_rdma_rq_reset(qp);
	} else {
		spin_lock_irqsave(&qp->lock, irq);
		has_failed = qp->state != old;
		if (!has_failed)
			smp_store_release(&qp->state, state);
		spin_unlock_irqrestore(&qp->lock, irq);
		if (has_failed)
			return -EINVAL;
		uet_rdma_qp_kick(qp);
	}
	return 0;
}

/* Release uet_rdma_qp.send_mutex, which a thread with operations to hand over may have missed. */
static void rqp_unlock(struct uet_rdma_qp *qp)
{
	mutex_unlock(&qp->send_mutex);
	smp_mb();
	if (READ_ONCE(qp->is_asked))
		uet_rdma_qp_kick(qp);
}

/* The work of the QP only tries to take uet_rdma_qp.send_mutex, so it may be waited for here. */
static int rqp_change(struct uet_rdma_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	u32 old = READ_ONCE(qp->state);
	u32 new = mask & IB_QP_STATE ? attr->qp_state : old;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS || mask & (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE))
		return -EOPNOTSUPP;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != old)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(old, new, qp->ib.qp_type, mask))
		return -EINVAL;
	err = rqp_connect(qp, attr, mask);
	if (err)
		return err;
	rqp_keep(&qp->attr, attr, mask);
	return mask & IB_QP_STATE ? rqp_enter(qp, old, new) : 0;
}

static int rqp_modify(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct uet_rdma_qp *qp = uet_rdma_qp(ib);
	int err;

	mutex_lock(&qp->send_mutex);
	err = rqp_change(qp, attr, mask);
	rqp_unlock(qp);
	return err;
}

static int rqp_query(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		     struct ib_qp_init_attr *init)
{
	struct uet_rdma_qp *qp = uet_rdma_qp(ib);

	mutex_lock(&qp->send_mutex);
	*attr = qp->attr;
	rqp_unlock(qp);
	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->cap.max_send_wr = qp->sq.max_wr;
	attr->cap.max_send_sge = qp->sq.max_sge;
	attr->cap.max_inline_data = qp->sq.max_inline;
	attr->cap.max_recv_wr = qp->rq.max_wr;
	attr->cap.max_recv_sge = qp->rq.max_sge;
	init->event_handler = ib->event_handler;
	init->qp_context = ib->qp_context;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->qp_type = ib->qp_type;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sq.signals_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	return 0;
}

const struct ib_device_ops uet_rdma_qp_ops = {
	.create_qp = rqp_create,
	.modify_qp = rqp_modify,
	.query_qp = rqp_query,
	.destroy_qp = rqp_destroy,
	.post_send = uet_rdma_post_send,

	INIT_RDMA_OBJ_SIZE(ib_qp, uet_rdma_qp, ib),
};
