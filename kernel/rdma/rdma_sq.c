// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of a QP: posting, handing over to UET, and their completions in the order of posting.
 * A long operation is cut into several messages. UET executes those of an RC QP in order. A
 * datagram completes when UET has taken it: what becomes of it is not reported.
 *
 * A thread that posts in a system call hands over itself, users of the kernel by the work of the
 * QP, because they may hold locks.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/uio.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "core/wire/wire_codes.h"
#include "pdc/pdc.h"
#include "rdma.h"
#include "socket/socket.h"

/* A thread looks again for space after this time, jiffies. */
#define SQ_RETRY	(HZ / 100 + 1)

/**
 * uet_rdma_sq_alloc() - make the queue of operations
 * @sq: result, zeroed before
 * @cap: what the user wants
 */
int uet_rdma_sq_alloc(struct uet_rdma_sq *sq, const struct ib_qp_cap *cap)
{
	if (cap->max_send_wr > UET_RDMA_WR_MAX || cap->max_send_sge > UET_RDMA_SGE_MAX ||
	    cap->max_inline_data > UET_RDMA_INLINE_MAX)
		return -EINVAL;
	sq->max_wr = cap->max_send_wr;
	sq->max_sge = cap->max_send_sge;
	sq->max_inline = cap->max_inline_data;
	sq->size = roundup_pow_of_two(max(sq->max_wr, 1U));
	sq->ring = kvcalloc(sq->size, sizeof(*sq->ring), GFP_KERNEL_ACCOUNT);
	return sq->ring ? 0 : -ENOMEM;
}

static struct uet_rdma_sqe *sq_at(struct uet_rdma_sq *sq, u32 index)
{
	return &sq->ring[index & (sq->size - 1)];
}

/* ------------------------------------------------------------------------ posting */

/* Copy inline data of a work request, without a lock. Return: its length, or an errno. */
static int sq_copy_inline(const struct uet_rdma_qp *qp, const struct ib_send_wr *wr,
			  u8 data[UET_RDMA_INLINE_MAX])
{
	const struct ib_sge *sge;
	u32 at = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++, at += sge->length) {
		sge = &wr->sg_list[i];
		if (sge->length > qp->sq.max_inline - at)
			return -EINVAL;
		if (!qp->ib.uobject)
			memcpy(data + at, (void *)(uintptr_t)sge->addr, sge->length);
		else if (copy_from_user(data + at, u64_to_user_ptr(sge->addr), sge->length))
			return -EFAULT;
	}
	return at;
}

static int sq_fill_memory(struct uet_rdma_sqe *sqe, const struct ib_send_wr *wr)
{
	int i;

	sqe->nr_sge = wr->num_sge;
	for (i = 0; i < wr->num_sge; i++) {
		sqe->sge[i] = wr->sg_list[i];
		if (sqe->sge[i].length > UET_RDMA_MESSAGE_MAX - sqe->length)
			return -EINVAL;
		sqe->length += sqe->sge[i].length;
	}
	return 0;
}

static int sq_fill_rdma(struct uet_rdma_sqe *sqe, const struct ib_send_wr *wr)
{
	if (wr->opcode == IB_WR_RDMA_READ && wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	sqe->raddr = rdma_wr(wr)->remote_addr;
	sqe->rkey = rdma_wr(wr)->rkey;
	return 0;
}

static int sq_fill_atomic(struct uet_rdma_sqe *sqe, const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr *atomic = atomic_wr(wr);
	bool is_swap = wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP;

	if (wr->num_sge != 1 || sqe->length != sizeof(u64) || wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	sqe->raddr = atomic->remote_addr;
	sqe->rkey = atomic->rkey;
	sqe->compare = is_swap ? atomic->compare_add : 0;
	sqe->operand = is_swap ? atomic->swap : atomic->compare_add;
	return 0;
}

static int sq_fill_datagram(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe,
			    const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);

	if (!ud->ah || sqe->length > ib_mtu_enum_to_int(IB_MTU_4096))
		return -EINVAL;
	sqe->dest.fa = uet_rdma_ah(ud->ah)->fa;
	sqe->dest.qpn = ud->remote_qpn;
	/* The highest bit says: the key of the sending QP. */
	sqe->qkey = ud->remote_qkey & BIT(31) ? READ_ONCE(qp->attr.qkey) : ud->remote_qkey;
	return 0;
}

/* Users in the kernel have regions that operations register. */
static int sq_fill_register(struct uet_rdma_sqe *sqe, const struct ib_send_wr *wr)
{
	sqe->mr = uet_rdma_mr(reg_wr(wr)->mr);
	sqe->rkey = reg_wr(wr)->key;
	sqe->access = reg_wr(wr)->access;
	return 0;
}

static int sq_fill_op(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe,
		      const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		return uet_rdma_is_rc(qp) ? 0 : sq_fill_datagram(qp, sqe, wr);
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		sqe->imm = wr->ex.invalidate_rkey;
		return uet_rdma_is_rc(qp) ? 0 : -EINVAL;
	case IB_WR_REG_MR:
		return qp->ib.uobject ? -EOPNOTSUPP : sq_fill_register(sqe, wr);
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		return uet_rdma_is_rc(qp) ? sq_fill_rdma(sqe, wr) : -EINVAL;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return uet_rdma_is_rc(qp) ? sq_fill_atomic(sqe, wr) : -EINVAL;
	default:
		return -EOPNOTSUPP;
	}
}

/* Copy a work request, and the inline data that it has, to the entry behind the last one. */
static int sq_fill(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, const struct ib_send_wr *wr,
		   const u8 *data, u32 len)
{
	int err = 0;

	memset(sqe, 0, offsetof(struct uet_rdma_sqe, sge));
	sqe->sent = 0;
	sqe->is_sent = false;
	sqe->pending = 0;
	sqe->status = IB_WC_SUCCESS;
	sqe->wr_id = wr->wr_id;
	sqe->opcode = wr->opcode;
	sqe->flags = wr->send_flags;
	sqe->imm = ntohl(wr->ex.imm_data);
	if (wr->send_flags & IB_SEND_INLINE) {
		memcpy(sqe->data, data, len);
		sqe->length = len;
	} else {
		err = sq_fill_memory(sqe, wr);
	}
	return err ? : sq_fill_op(qp, sqe, wr);
}

static bool sq_is_open(u32 state)
{
	return state == IB_QPS_RTS || state == IB_QPS_SQD || state == IB_QPS_SQE ||
	       state == IB_QPS_ERR;
}

/* Several threads may post at the same time. */
static int sq_post(struct uet_rdma_qp *qp, const struct ib_send_wr *wr)
{
	struct uet_rdma_sq *sq = &qp->sq;
	u8 data[UET_RDMA_INLINE_MAX];
	unsigned long irq;
	int err, len = 0;

	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE)
		len = sq_copy_inline(qp, wr, data);
	if (len < 0)
		return len;
	spin_lock_irqsave(&qp->lock, irq);
	if (!sq_is_open(qp->state))
		err = -EINVAL;
	else if (sq->tail - sq->head >= sq->max_wr)
		err = -ENOMEM;
	else
		err = sq_fill(qp, sq_at(sq, sq->tail), wr, data, len);
	if (!err)
		sq->tail++;
	spin_unlock_irqrestore(&qp->lock, irq);
	return err;
}

/**
 * uet_rdma_post_send() - post operations
 * @ib: QP
 * @wr: work requests
 * @bad: gets the first one that was not posted
 */
int uet_rdma_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad)
{
	struct uet_rdma_qp *qp = uet_rdma_qp(ib);
	int err = 0;

	for (; wr; wr = wr->next) {
		err = sq_post(qp, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	if (ib->uobject && READ_ONCE(qp->state) == IB_QPS_RTS)
		uet_rdma_sq_run(qp);
	else
		uet_rdma_qp_kick(qp);
	return err;
}

/* ------------------------------------------------------------------- completions */

static enum ib_wc_opcode sq_wc_opcode(enum ib_wr_opcode opcode)
{
	switch (opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		return IB_WC_COMP_SWAP;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return IB_WC_FETCH_ADD;
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	default:
		return IB_WC_SEND;
	}
}

/* Return: true: the handler of the completion queue is to be called. */
static bool sq_complete(struct uet_rdma_qp *qp, const struct uet_rdma_sqe *sqe)
{
	const struct ib_wc wc = {
		.wr_id = sqe->wr_id,
		.qp = &qp->ib,
		.status = sqe->status,
		.opcode = sq_wc_opcode(sqe->opcode),
		.byte_len = sqe->length,
		.port_num = 1,
	};

	if (!sqe->status && !qp->sq.signals_all && !(sqe->flags & IB_SEND_SIGNALED))
		return false;
	return uet_rdma_cq_add(qp->ib.send_cq, &wc, false);
}

/*
 * End the first operations, as far as they are done; with QPs that have failed, also those that
 * are not in progress. Under uet_rdma_qp.lock. Return: true: call the handler.
 */
static bool sq_reap(struct uet_rdma_qp *qp)
{
	struct uet_rdma_sq *sq = &qp->sq;
	struct uet_rdma_sqe *sqe;
	bool notifies = false, fails = false;
	u32 budget;

	for (budget = UET_RDMA_BUDGET; budget && sq->head != sq->tail; budget--) {
		sqe = sq_at(sq, sq->head);
		if (sqe->pending || (!sqe->is_sent && qp->state != IB_QPS_ERR))
			break;
		if (qp->state == IB_QPS_ERR && !sqe->is_sent && !sqe->status)
			sqe->status = IB_WC_WR_FLUSH_ERR;
		if (sqe->status && uet_rdma_is_rc(qp) && qp->state != IB_QPS_ERR) {
			WRITE_ONCE(qp->state, IB_QPS_ERR);
			fails = true;
		}
		if (sq->head == sq->next)
			sq->next++;
		sq->head++;
		notifies |= sq_complete(qp, sqe);
	}
	if (!budget || fails)
		uet_rdma_qp_kick(qp);
	return notifies;
}

static enum ib_wc_status sq_status(const struct uet_completion *rec)
{
	if (!rec->error)
		return IB_WC_SUCCESS;
	switch (rec->rc) {
	case UET_RC_BAD_MKEY:
	case UET_RC_BAD_ADDR:
	case UET_RC_OP_VIOLATION:
	case UET_RC_PERM_VIOLATION:
		return IB_WC_REM_ACCESS_ERR;
	case UET_RC_UNSUPPORTED_OP:
	case UET_RC_UNSUPPORTED_SIZE:
	case UET_RC_AMO_UNALIGNED:
	case UET_RC_TOO_LONG:
		return IB_WC_REM_INV_REQ_ERR;
	case UET_RC_NULL:
	case UET_RC_BAD_INDEX:
	case UET_RC_BAD_PID:
	case UET_RC_BAD_JOB_ID:
	case UET_RC_CANCELLED:
		return IB_WC_RETRY_EXC_ERR;
	default:
		return IB_WC_REM_OP_ERR;
	}
}

/* Let the thread that hands over operations look again, or the work of the QP if there is none. */
static void sq_ask(struct uet_rdma_qp *qp)
{
	smp_store_mb(qp->is_asked, true);
	if (!mutex_is_locked(&qp->send_mutex))
		uet_rdma_qp_kick(qp);
}

/**
 * uet_rdma_sq_completed() - a message of an operation has ended
 * @us: endpoint of the QP
 * @rec: its result; the cookie is the round and the place in the ring
 */
void uet_rdma_sq_completed(struct uet_sock *us, const struct uet_completion *rec)
{
	struct uet_rdma_qp *qp = us->owner;
	bool notifies = false, waits = false;
	struct uet_rdma_sqe *sqe;
	unsigned long irq;

	spin_lock_irqsave(&qp->lock, irq);
	if (rec->cookie >> 32 == qp->sq.round) {
		sqe = sq_at(&qp->sq, (u32)rec->cookie);
		sqe->pending--;
		if (!sqe->status)
			sqe->status = sq_status(rec);
		notifies = sq_reap(qp);
		/* For space, or behind a fence. */
		waits = qp->sq.next != qp->sq.tail;
	}
	spin_unlock_irqrestore(&qp->lock, irq);
	if (notifies)
		uet_rdma_cq_notify(qp->ib.send_cq);
	if (waits)
		sq_ask(qp);
}

/* ------------------------------------------------------------------ handing over */

/**
 * struct sq_call - a message to be sent
 * @sop: the operation
 * @msg: destination and payload
 * @to: destination
 * @span: local memory of the payload
 * @kvec: payload in the memory of the kernel
 * @len: bytes of the payload
 * @piece: bytes of the work request that the message is for
 */
struct sq_call {
	struct uet_sock_op sop;
	struct msghdr msg;
	struct sockaddr_uet to;
	struct uet_rdma_span span;
	struct kvec kvec;
	u32 len;
	u32 piece;
};

static void sq_take_kvec(struct sq_call *call, void *data, u32 len)
{
	call->kvec.iov_base = data;
	call->kvec.iov_len = len;
	call->len = len;
	iov_iter_kvec(&call->msg.msg_iter, ITER_SOURCE, &call->kvec, 1, len);
}

static int sq_take_payload(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, struct sq_call *call)
{
	int err;

	if (sqe->flags & IB_SEND_INLINE) {
		sq_take_kvec(call, sqe->data + sqe->sent, call->piece);
		return 0;
	}
	if (!call->piece)
		return 0;
	err = uet_rdma_map(qp, sqe->sge, sqe->nr_sge, 0, sqe->sent, call->piece, &call->span);
	if (err)
		return err;
	call->len = call->piece;
	iov_iter_bvec(&call->msg.msg_iter, ITER_SOURCE, call->span.bv, call->span.nr, call->len);
	return 0;
}

static u32 sq_piece(const struct uet_rdma_sqe *sqe)
{
	return min_t(u32, sqe->length - sqe->sent, UET_RDMA_PIECE);
}

/* Header data of a message with @piece bytes: the receiver learns all with the last one. */
static u64 sq_header_data(const struct uet_rdma_sqe *sqe, u32 piece)
{
	bool has_imm = sqe->opcode == IB_WR_SEND_WITH_IMM ||
		       sqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM;

	if (sqe->sent + piece != sqe->length)
		return UET_RDMA_MORE;
	return (u64)(sqe->sent / UET_RDMA_PIECE) << UET_RDMA_EARLIER |
	       (has_imm ? UET_RDMA_HAS_IMM | sqe->imm : 0) |
	       (sqe->opcode == IB_WR_SEND_WITH_INV ? UET_RDMA_INVALIDATES | sqe->imm : 0) |
	       (sqe->flags & IB_SEND_SOLICITED ? UET_RDMA_SOLICITED : 0);
}

static int sq_make_send(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, struct sq_call *call)
{
	call->piece = sq_piece(sqe);
	call->sop.op.opcode = UET_OP_TAGGED_SEND;
	call->sop.seen |= BIT(UET_CMSG_TAG) | BIT(UET_CMSG_HDATA);
	call->sop.tag = sqe->qkey;
	call->sop.header_data = sq_header_data(sqe, call->piece);
	return sq_take_payload(qp, sqe, call);
}

static int sq_make_write(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, struct sq_call *call)
{
	call->piece = sq_piece(sqe);
	call->sop.op.opcode = UET_OP_WRITE;
	if (sqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM &&
	    sqe->sent + call->piece == sqe->length) {
		call->sop.seen |= BIT(UET_CMSG_HDATA);
		call->sop.header_data = sq_header_data(sqe, call->piece);
	}
	return sq_take_payload(qp, sqe, call);
}

/* The part of the local memory that begins after the bytes that were handed over. */
static const struct ib_sge *sq_local(const struct uet_rdma_sqe *sqe, u32 *skip)
{
	u32 i;

	*skip = sqe->sent;
	for (i = 0; i < sqe->nr_sge && *skip >= sqe->sge[i].length; i++)
		*skip -= sqe->sge[i].length;
	return &sqe->sge[i];
}

/* The memory for the data that an operation returns. */
static void sq_take_local(struct uet_rdma_qp *qp, struct sq_call *call, const struct ib_sge *sge,
			  u32 skip)
{
	call->sop.seen |= BIT(UET_CMSG_LOCAL);
	call->sop.local.key = sge->lkey;
	call->sop.local.offset = sge->addr + skip;
	call->sop.local.length = call->piece;
	if (uet_rdma_is_dma(qp, sge)) {
		call->sop.op.flags |= UET_OP_LOCAL_ADDR;
		call->sop.is_kernel = true;
	}
}

static int sq_make_read(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, struct sq_call *call)
{
	const struct ib_sge *sge;
	u32 skip;

	sge = sq_local(sqe, &skip);
	call->piece = min_t(u32, sge->length - skip, UET_RDMA_PIECE);
	call->sop.op.opcode = UET_OP_READ;
	sq_take_local(qp, call, sge, skip);
	return 0;
}

static int sq_make_atomic(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, struct sq_call *call)
{
	bool is_swap = sqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP;

	call->piece = sqe->length;
	call->sop.op.opcode = UET_OP_FETCHING_ATOMIC;
	call->sop.seen |= BIT(UET_CMSG_ATOMIC);
	sq_take_local(qp, call, &sqe->sge[0], 0);
	call->sop.atomic.op = is_swap ? UET_AMO_CSWAP : UET_AMO_SUM;
	call->sop.atomic.datatype = UET_DT_UINT64;
	if (is_swap) {
		call->sop.atomic.compare = sqe->compare;
		call->sop.atomic.swap = sqe->operand;
	} else {
		sq_take_kvec(call, &sqe->operand, sizeof(sqe->operand));
	}
	return 0;
}

static int sq_make(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, struct sq_call *call)
{
	switch (sqe->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return sq_make_send(qp, sqe, call);
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		call->sop.seen |= BIT(UET_CMSG_RMA);
		call->sop.rma.key = sqe->rkey;
		call->sop.rma.offset = sqe->raddr + sqe->sent;
		return sqe->opcode == IB_WR_RDMA_READ ? sq_make_read(qp, sqe, call) :
							sq_make_write(qp, sqe, call);
	default:
		call->sop.seen |= BIT(UET_CMSG_RMA);
		call->sop.rma.key = sqe->rkey;
		call->sop.rma.offset = sqe->raddr;
		return sq_make_atomic(qp, sqe, call);
	}
}

/*
 * Hand over the next message of an operation.
 * Return: number of messages whose end will be reported, 0 or 1; -EAGAIN: later; or an errno that
 * ends the operation.
 */
static int sq_send(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, u64 cookie)
{
	bool is_rc = uet_rdma_is_rc(qp);
	struct sq_call call;
	int err;

	memset(&call, 0, sizeof(call));
	call.msg.msg_name = &call.to;
	call.msg.msg_namelen = sizeof(call.to);
	call.msg.msg_flags = MSG_DONTWAIT;
	call.sop.seen = BIT(UET_CMSG_OP);
	call.sop.op.cookie = cookie;
	call.sop.op.flags = is_rc ? UET_OP_ROD | UET_OP_COMPLETE : UET_OP_RUD;
	uet_rdma_ep_dest(qp->us, is_rc ? &qp->dest : &sqe->dest, &call.to);
	/* A read of no bytes has nothing to ask for. */
	if (sqe->opcode == IB_WR_RDMA_READ && !sqe->length) {
		sqe->is_sent = true;
		return 0;
	}
	err = sq_make(qp, sqe, &call);
	if (err)
		return err;
	err = uet_sock_send_op(qp->us, &call.sop, &call.msg, call.len);
	if (call.span.bv)
		uet_rdma_unmap(&call.span);
	if (err == -ENOBUFS || err == -ENOMEM || err == -ENOSPC)
		return -EAGAIN;
	/* A datagram that cannot be sent is lost. */
	if (err && (is_rc || err == -EAGAIN))
		return err;
	sqe->sent += call.piece;
	sqe->is_sent = sqe->sent == sqe->length;
	return is_rc;
}

/* Execute an operation that sends nothing, else hand over its next message. Return: as sq_send() */
static int sq_execute(struct uet_rdma_qp *qp, struct uet_rdma_sqe *sqe, u64 cookie)
{
	switch (sqe->opcode) {
	case IB_WR_REG_MR:
		sqe->is_sent = true;
		return uet_rdma_fast_register(sqe->mr, sqe->rkey, sqe->access);
	case IB_WR_LOCAL_INV:
		sqe->is_sent = true;
		return uet_rdma_fast_invalidate(qp->ib.pd, sqe->imm);
	default:
		return sq_send(qp, sqe, cookie);
	}
}

/* May the next operation start? Under uet_rdma_qp.lock. */
static bool sq_may_send(struct uet_rdma_qp *qp)
{
	struct uet_rdma_sq *sq = &qp->sq;

	if (qp->state != IB_QPS_RTS || sq->next == sq->tail)
		return false;
	return sq->head == sq->next || !(sq_at(sq, sq->next)->flags & IB_SEND_FENCE);
}

/* Return: false: nothing is to be done now. */
static bool sq_step(struct uet_rdma_qp *qp)
{
	struct uet_rdma_sq *sq = &qp->sq;
	struct uet_rdma_sqe *sqe;
	unsigned long irq;
	bool notifies;
	u64 cookie;
	int ret;

	spin_lock_irqsave(&qp->lock, irq);
	if (!sq_may_send(qp)) {
		notifies = sq_reap(qp);
		spin_unlock_irqrestore(&qp->lock, irq);
		if (notifies)
			uet_rdma_cq_notify(qp->ib.send_cq);
		return false;
	}
	sqe = sq_at(sq, sq->next);
	cookie = (u64)sq->round << 32 | sq->next;
	/* One for this thread, one for the message. */
	sqe->pending += 2;
	spin_unlock_irqrestore(&qp->lock, irq);

	ret = sq_execute(qp, sqe, cookie);

	spin_lock_irqsave(&qp->lock, irq);
	sqe->pending -= ret > 0 ? 1 : 2;
	if (ret < 0 && ret != -EAGAIN && !sqe->status)
		sqe->status = ret == -EFAULT || ret == -EACCES ? IB_WC_LOC_PROT_ERR :
								 IB_WC_LOC_QP_OP_ERR;
	if (sqe->status)
		sqe->is_sent = true;
	if (sqe->is_sent)
		sq->next++;
	notifies = sq_reap(qp);
	spin_unlock_irqrestore(&qp->lock, irq);
	if (notifies)
		uet_rdma_cq_notify(qp->ib.send_cq);
	if (ret == -EAGAIN)
		queue_delayed_work(uet_rdma_wq, &qp->work, SQ_RETRY);
	return ret != -EAGAIN;
}

/**
 * uet_rdma_sq_run() - hand over operations, in process context
 * @qp: the QP
 *
 * If another thread has uet_rdma_qp.send_mutex, that thread looks again after it.
 */
void uet_rdma_sq_run(struct uet_rdma_qp *qp)
{
	smp_store_mb(qp->is_asked, true);
	while (READ_ONCE(qp->is_asked) && mutex_trylock(&qp->send_mutex)) {
		/* Before the queue is read. */
		smp_store_mb(qp->is_asked, false);
		while (sq_step(qp))
			cond_resched();
		mutex_unlock(&qp->send_mutex);
		uet_pdc_entry_uncork(qp->us);
		/* Who asked before the mutex was free did not take it. */
		smp_mb();
	}
}
