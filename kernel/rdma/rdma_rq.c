// SPDX-License-Identifier: GPL-2.0
/*
 * Receives: posting, shared receive queues, and messages that arrive. A message of RC without a
 * receive waits in the receive buffer of its endpoint; when that is full, UET refuses further
 * messages for now, and the sender tries again. A datagram without a receive is dropped.
 */
#include <linux/ip.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/uio.h>
#include <net/ip.h>
#include <rdma/ib_verbs.h>

#include "message/message.h"
#include "rdma.h"

/**
 * uet_rdma_rq_alloc() - make a queue of receives
 * @rq: result, zeroed before
 * @max_wr: receives that may wait
 * @max_sge: parts of a receive
 */
int uet_rdma_rq_alloc(struct uet_rdma_rq *rq, u32 max_wr, u32 max_sge)
{
	spin_lock_init(&rq->lock);
	if (max_wr > UET_RDMA_WR_MAX || max_sge > UET_RDMA_SGE_MAX)
		return -EINVAL;
	rq->max_wr = max_wr;
	rq->max_sge = max_sge;
	rq->size = roundup_pow_of_two(max(max_wr, 1U));
	rq->ring = kvcalloc(rq->size, sizeof(*rq->ring), GFP_KERNEL_ACCOUNT);
	return rq->ring ? 0 : -ENOMEM;
}

static int rq_fill(struct uet_rdma_rq *rq, const struct ib_recv_wr *wr)
{
	struct uet_rdma_rqe *rqe = &rq->ring[rq->tail & (rq->size - 1)];
	u64 length = 0;
	int i;

	if (rq->tail - rq->head >= rq->max_wr)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	rqe->wr_id = wr->wr_id;
	rqe->length = min_t(u64, length, U32_MAX);
	rqe->nr_sge = wr->num_sge;
	memcpy(rqe->sge, wr->sg_list, wr->num_sge * sizeof(rqe->sge[0]));
	rq->tail++;
	return 0;
}

static int rq_post(struct uet_rdma_rq *rq, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad)
{
	unsigned long irq;
	int err = 0;

	for (; wr; wr = wr->next) {
		spin_lock_irqsave(&rq->lock, irq);
		err = rq_fill(rq, wr);
		spin_unlock_irqrestore(&rq->lock, irq);
		if (err) {
			*bad = wr;
			break;
		}
	}
	return err;
}

static bool rq_take(struct uet_rdma_rq *rq, struct uet_rdma_rqe *rqe)
{
	unsigned long irq;
	bool has;

	spin_lock_irqsave(&rq->lock, irq);
	has = rq->head != rq->tail;
	if (has)
		*rqe = rq->ring[rq->head++ & (rq->size - 1)];
	spin_unlock_irqrestore(&rq->lock, irq);
	return has;
}

/* ------------------------------------------------------------------------ posting */

static int rq_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad)
{
	struct uet_rdma_qp *qp = uet_rdma_qp(ib);
	int err;

	if (ib->srq || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad = wr;
		return -EINVAL;
	}
	err = rq_post(&qp->rq, wr, bad);
	if (!list_empty_careful(&qp->arrived) || READ_ONCE(qp->state) == IB_QPS_ERR)
		uet_rdma_qp_kick(qp);
	return err;
}

/* A message of the QP waits for a receive. */
static void srq_wait(struct uet_rdma_srq *srq, struct uet_rdma_qp *qp)
{
	unsigned long irq;

	spin_lock_irqsave(&srq->lock, irq);
	if (list_empty(&qp->on_srq))
		list_add_tail(&qp->on_srq, &srq->waiting);
	spin_unlock_irqrestore(&srq->lock, irq);
}

/* Let the QP that waits longest look for a receive; when it is done, it lets the next one look. */
static void srq_kick(struct uet_rdma_srq *srq)
{
	struct uet_rdma_qp *qp;
	unsigned long irq;

	spin_lock_irqsave(&srq->lock, irq);
	qp = list_first_entry_or_null(&srq->waiting, struct uet_rdma_qp, on_srq);
	if (qp && READ_ONCE(srq->rq.head) != READ_ONCE(srq->rq.tail)) {
		list_del_init(&qp->on_srq);
		uet_rdma_qp_kick(qp);
	}
	spin_unlock_irqrestore(&srq->lock, irq);
}

/**
 * uet_rdma_srq_leave() - a QP waits for no receive any more; the next one may have its turn
 * @qp: QP with an SRQ
 */
void uet_rdma_srq_leave(struct uet_rdma_qp *qp)
{
	struct uet_rdma_srq *srq = uet_rdma_srq(qp->ib.srq);
	unsigned long irq;

	spin_lock_irqsave(&srq->lock, irq);
	list_del_init(&qp->on_srq);
	spin_unlock_irqrestore(&srq->lock, irq);
	srq_kick(srq);
}

static int rq_post_srq(struct ib_srq *ib, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad)
{
	struct uet_rdma_srq *srq = uet_rdma_srq(ib);
	int err = rq_post(&srq->rq, wr, bad);

	srq_kick(srq);
	return err;
}

static int rq_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct uet_rdma_srq *srq = uet_rdma_srq(ib);

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr)
		return -EINVAL;
	spin_lock_init(&srq->lock);
	INIT_LIST_HEAD(&srq->waiting);
	srq->limit = init->attr.srq_limit;
	return uet_rdma_rq_alloc(&srq->rq, init->attr.max_wr, init->attr.max_sge);
}

static int rq_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
			 struct ib_udata *udata)
{
	struct uet_rdma_srq *srq = uet_rdma_srq(ib);

	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (mask & IB_SRQ_LIMIT) {
		if (attr->srq_limit > srq->rq.max_wr)
			return -EINVAL;
		WRITE_ONCE(srq->limit, attr->srq_limit);
	}
	return 0;
}

static int rq_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct uet_rdma_srq *srq = uet_rdma_srq(ib);

	attr->max_wr = srq->rq.max_wr;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

static int rq_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	kvfree(uet_rdma_srq(ib)->rq.ring);
	return 0;
}

/* The limit is reported once. */
static void rq_check_limit(struct uet_rdma_srq *srq)
{
	struct ib_event event = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};
	u32 limit = READ_ONCE(srq->limit);

	if (!limit || READ_ONCE(srq->rq.tail) - READ_ONCE(srq->rq.head) >= limit)
		return;
	if (cmpxchg(&srq->limit, limit, 0) == limit && srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

/* ----------------------------------------------------------------------- messages */

/**
 * uet_rdma_rq_deliver() - a message has arrived; the lock of a PDC may be held
 * @us: endpoint of a QP
 * @rm: the message, with one reference
 */
void uet_rdma_rq_deliver(struct uet_sock *us, struct uet_rx_message *rm)
{
	struct uet_rdma_qp *qp = us->owner;
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	list_add_tail(&rm->link, &qp->arrived);
	spin_unlock_irqrestore(&qp->lock, irq);
	uet_rdma_qp_kick(qp);
}

static struct uet_rx_message *rq_first(struct uet_rdma_qp *qp)
{
	struct uet_rx_message *rm;
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	rm = list_first_entry_or_null(&qp->arrived, struct uet_rx_message, link);
	spin_unlock_irqrestore(&qp->lock, irq);
	return rm;
}

static void rq_drop(struct uet_rdma_qp *qp, struct uet_rx_message *rm)
{
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	list_del_init(&rm->link);
	spin_unlock_irqrestore(&qp->lock, irq);
	uet_rx_message_put(rm);
}

/* What precedes a datagram, so that its receiver can answer: an IPv6 header, or an IPv4 one. */
static u32 rq_make_grh(const struct uet_rdma_qp *qp, const struct uet_rx_message *rm,
		       struct ib_grh *grh)
{
	const struct uet_fa *own = &uet_rdma_dev(qp->ib.device)->cfg.fa;
	struct iphdr *ip = (void *)grh + sizeof(*grh) - sizeof(*ip);

	memset(grh, 0, sizeof(*grh));
	if (own->family == AF_INET) {
		ip->version = 4;
		ip->ihl = sizeof(*ip) / 4;
		ip->ttl = 64;
		ip->protocol = IPPROTO_UDP;
		ip->tot_len = htons(min_t(u32, sizeof(*ip) + rm->length, U16_MAX));
		ip->saddr = rm->from.v4;
		ip->daddr = own->v4;
		ip_send_check(ip);
		return RDMA_NETWORK_IPV4;
	}
	grh->version_tclass_flow = htonl(6 << 28);
	grh->paylen = htons(min_t(u32, rm->length, U16_MAX));
	grh->next_hdr = IPPROTO_UDP;
	grh->hop_limit = 64;
	memcpy(grh->sgid.raw, &rm->from.v6, sizeof(grh->sgid));
	memcpy(grh->dgid.raw, &own->v6, sizeof(grh->dgid));
	return RDMA_NETWORK_IPV6;
}

/* Copy a message to the memory of its receive, behind the earlier ones of the same send. */
static int rq_copy(struct uet_rdma_qp *qp, struct uet_rx_message *rm, const struct ib_grh *grh,
		   u32 length)
{
	const struct uet_rdma_rqe *rqe = &qp->rqe;
	struct uet_rdma_span span;
	struct iov_iter to;
	struct sk_buff *skb;
	int err;

	if (!length)
		return 0;
	err = uet_rdma_map(qp, rqe->sge, rqe->nr_sge, UET_MR_LOCAL_WRITE, qp->received, length,
			   &span);
	if (err)
		return err;
	iov_iter_bvec(&to, ITER_DEST, span.bv, span.nr, length);
	if (grh && copy_to_iter(grh, sizeof(*grh), &to) != sizeof(*grh))
		err = -EFAULT;
	skb_queue_walk(&rm->skbs, skb) {
		if (!err)
			err = skb_copy_datagram_iter(skb, 0, &to, skb->len);
		cond_resched();
	}
	uet_rdma_unmap(&span);
	return err;
}

static void rq_complete(struct uet_rdma_qp *qp, const struct ib_wc *wc, bool solicited)
{
	if (uet_rdma_cq_add(qp->ib.recv_cq, wc, solicited))
		uet_rdma_cq_notify(qp->ib.recv_cq);
	if (qp->ib.srq)
		rq_check_limit(uet_rdma_srq(qp->ib.srq));
}

/*
 * Complete @wc with the immediate data of a message, or with the key that it invalidates, which
 * only the peer of a connection may name.
 */
static void rq_read_header(struct uet_rdma_qp *qp, u64 header_data, struct ib_wc *wc)
{
	if (header_data & UET_RDMA_HAS_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = htonl((u32)header_data);
	} else if (header_data & UET_RDMA_INVALIDATES && uet_rdma_is_rc(qp) && !wc->status) {
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = header_data;
		if (uet_rdma_fast_invalidate(qp->ib.pd, header_data))
			wc->status = IB_WC_LOC_PROT_ERR;
	}
}

static enum ib_wc_status rq_status(int err)
{
	switch (err) {
	case 0:
		return IB_WC_SUCCESS;
	case -EMSGSIZE:
		return IB_WC_LOC_LEN_ERR;
	case -ENOMEM:
		return IB_WC_GENERAL_ERR;
	default:
		return IB_WC_LOC_PROT_ERR;
	}
}

/* Give a message to the receive that was found for its send; the last one completes that. */
static void rq_receive(struct uet_rdma_qp *qp, struct uet_rx_message *rm)
{
	const struct uet_ses_req *req = &rm->ses.req;
	bool is_write = req->opcode == UET_OP_WRITE;
	bool is_rc = uet_rdma_is_rc(qp);
	u32 length = rm->length + (is_rc ? 0 : sizeof(struct ib_grh));
	struct ib_wc wc = {
		.wr_id = qp->rqe.wr_id,
		.qp = &qp->ib,
		.port_num = 1,
		.src_qp = req->initiator,
		.opcode = is_write ? IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
		.byte_len = qp->received + length,
	};
	struct ib_grh grh;
	int err;

	if (is_write)
		wc.byte_len = (u32)(req->header_data >> UET_RDMA_EARLIER) * UET_RDMA_PIECE +
			      req->request_length;
	if (!is_rc) {
		wc.wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc.network_hdr_type = rq_make_grh(qp, rm, &grh);
		/* The endpoint of connection managers, at the same PIDonFEP, has the number 1. */
		if (req->initiator == UET_INITIATOR_ID(qp->us->addr.pid, UET_RINDEX_CM))
			wc.src_qp = 1;
	}
	err = length > qp->rqe.length - qp->received ? -EMSGSIZE :
	      rq_copy(qp, rm, is_rc ? NULL : &grh, length);
	/* Anybody may send a datagram: what does not fit leaves the receive to the next one. */
	if (!is_rc && (err == -EMSGSIZE || err == -ENOMEM))
		return;
	wc.status = rq_status(err);
	if (!wc.status && is_rc && req->header_data & UET_RDMA_MORE) {
		qp->received += length;
		return;
	}
	qp->has_rqe = false;
	rq_read_header(qp, req->header_data, &wc);
	rq_complete(qp, &wc, req->header_data & UET_RDMA_SOLICITED);
	if (wc.status && is_rc)
		uet_rdma_qp_fail(qp);
}

/*
 * Is a message from the connected QP, or a datagram with the right key? A message may have begun
 * when the QP was connected to another one.
 */
static bool rq_is_wanted(const struct uet_rdma_qp *qp, const struct uet_rx_message *rm)
{
	if (uet_rdma_is_rc(qp))
		return rm->ses.req.initiator == qp->dest.qpn &&
		       uet_fa_equal(&rm->from, &qp->dest.fa);
	return (u32)rm->ses.req.match == READ_ONCE(qp->attr.qkey);
}

/* Take a receive, or none: then the QP waits for one. */
static bool rq_find(struct uet_rdma_qp *qp)
{
	struct uet_rdma_srq *srq;

	if (!qp->ib.srq)
		return rq_take(&qp->rq, &qp->rqe);
	srq = uet_rdma_srq(qp->ib.srq);
	if (rq_take(&srq->rq, &qp->rqe))
		return true;
	if (!uet_rdma_is_rc(qp))
		return false;
	srq_wait(srq, qp);
	/* Who has posted one before did not see the QP wait. */
	return rq_take(&srq->rq, &qp->rqe);
}

/* Is there a receive for a message, the one of its send or another one? */
static bool rq_begin(struct uet_rdma_qp *qp)
{
	if (!qp->has_rqe) {
		qp->has_rqe = rq_find(qp);
		qp->received = 0;
	}
	return qp->has_rqe;
}

static bool rq_receives(u32 state)
{
	return state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE;
}

/* Give messages to receives. Return: a message waits for a receive. */
static bool rq_match(struct uet_rdma_qp *qp)
{
	struct uet_rx_message *rm;

	while ((rm = rq_first(qp))) {
		if (!rq_receives(READ_ONCE(qp->state)) || !rq_is_wanted(qp, rm))
			;
		else if (rq_begin(qp))
			rq_receive(qp, rm);
		else if (uet_rdma_is_rc(qp))
			return true;
		rq_drop(qp, rm);
		cond_resched();
	}
	return false;
}

/* End the receives of a QP that has failed; those of an SRQ that have no message yet stay. */
static void rq_flush(struct uet_rdma_qp *qp)
{
	struct ib_wc wc;

	while (qp->has_rqe || (!qp->ib.srq && rq_take(&qp->rq, &qp->rqe))) {
		qp->has_rqe = false;
		wc = (struct ib_wc){
			.wr_id = qp->rqe.wr_id,
			.qp = &qp->ib,
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
		};
		rq_complete(qp, &wc, false);
		cond_resched();
	}
}

/**
 * uet_rdma_rq_run() - give messages to receives, in the work of the QP
 * @qp: the QP
 */
void uet_rdma_rq_run(struct uet_rdma_qp *qp)
{
	mutex_lock(&qp->recv_mutex);
	if (!rq_match(qp) && qp->ib.srq)
		uet_rdma_srq_leave(qp);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		rq_flush(qp);
	mutex_unlock(&qp->recv_mutex);
}

/**
 * uet_rdma_rq_reset() - drop messages and receives of a QP that is reset or destroyed, in process
 *	context
 * @qp: the QP
 */
void uet_rdma_rq_reset(struct uet_rdma_qp *qp)
{
	struct uet_rx_message *rm;
	unsigned long irq;

	mutex_lock(&qp->recv_mutex);
	while ((rm = rq_first(qp))) {
		rq_drop(qp, rm);
		cond_resched();
	}
	qp->has_rqe = false;
	spin_lock_irqsave(&qp->rq.lock, irq);
	qp->rq.head = qp->rq.tail;
	spin_unlock_irqrestore(&qp->rq.lock, irq);
	mutex_unlock(&qp->recv_mutex);
}

const struct ib_device_ops uet_rdma_rq_ops = {
	.post_recv = rq_post_recv,
	.post_srq_recv = rq_post_srq,
	.create_srq = rq_create_srq,
	.modify_srq = rq_modify_srq,
	.query_srq = rq_query_srq,
	.destroy_srq = rq_destroy_srq,

	INIT_RDMA_OBJ_SIZE(ib_srq, uet_rdma_srq, ib),
};
