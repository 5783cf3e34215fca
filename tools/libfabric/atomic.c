// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Atomic operations on values in the memory of peers, with and without their old values.
 */
#include <string.h>

#include "atomics.h"
#include "endpoint.h"

#define ATOMIC_FLAGS	(FI_COMPLETION | FI_MORE | FI_INJECT | FI_INJECT_COMPLETE | \
			 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE)

/**
 * struct atomic - arguments of an atomic operation
 * @kind: what it does
 * @iov: operands; not of FI_ATOMIC_READ
 * @count: buffers
 * @compare: values to compare with, or masks
 * @compare_count: buffers
 * @result: place for old values
 * @result_count: buffers
 * @addr: peer
 * @remote: offset in its region
 * @key: of the region
 * @type: of a value
 * @op: operation
 * @context: of the user
 * @flags: FI_*
 * @is_silent: success is not reported
 */
struct atomic {
	enum lf_atomic_kind kind;
	const struct fi_ioc *iov;
	size_t count;
	const struct fi_ioc *compare;
	size_t compare_count;
	const struct fi_ioc *result;
	size_t result_count;
	fi_addr_t addr;
	uint64_t remote;
	uint64_t key;
	enum fi_datatype type;
	enum fi_op op;
	void *context;
	uint64_t flags;
	bool is_silent;
};

static size_t values(const struct fi_ioc *iov, size_t count)
{
	size_t n = 0;

	while (count--)
		n += iov[count].count;
	return n;
}

/* Number of values that the operation changes. */
static size_t target(const struct atomic *a)
{
	return a->kind == LF_ATOMIC_CHANGE || !a->result_count ?
	       values(a->iov, a->count) : values(a->result, a->result_count);
}

static int check(const struct lf_ep *ep, const struct atomic *a)
{
	struct fi_atomic_attr attr;
	int ret;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	ret = lf_atomic_query(a->type, a->op, a->kind, ep->domain->place.mtu, &attr);
	if (ret)
		return ret;
	if (a->flags & ~ATOMIC_FLAGS)
		return -FI_EBADFLAGS;
	if (!target(a) || target(a) > attr.count || a->count > LF_IOV_LIMIT ||
	    (a->kind == LF_ATOMIC_COMPARE && values(a->compare, a->compare_count) != 1))
		return -FI_EINVAL;
	return 0;
}

static void to_iov(struct iovec *iov, const struct fi_ioc *ioc, size_t count, size_t size)
{
	while (count--) {
		iov[count].iov_base = ioc[count].addr;
		iov[count].iov_len = ioc[count].count * size;
	}
}

/* The one buffer that has a value; others are empty. */
static void *first(const struct fi_ioc *ioc, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (ioc[i].count)
			return ioc[i].addr;
	return NULL;
}

/* Old values go to aligned memory. */
static int set_result(struct lf_req *req, const struct atomic *a, size_t size)
{
	const struct iovec iov = { first(a->result, a->result_count), size };

	if ((uintptr_t)iov.iov_base % size)
		return lf_req_bounce(req, &iov, 1, true);
	req->buf = iov.iov_base;
	req->length = size;
	return 0;
}

static int set_operands(struct lf_req *req, const struct atomic *a, size_t size)
{
	struct iovec iov[LF_IOV_LIMIT];

	to_iov(iov, a->iov, a->count, size);
	if (a->count > 1)
		return lf_req_bounce(req, iov, a->count, false);
	req->buf = iov[0].iov_base;
	req->length = iov[0].iov_len;
	return 0;
}

static void fill_change(struct uet_sq_send *send, const struct lf_req *req)
{
	send->op.opcode = UET_OP_ATOMIC;
	send->addr = (uintptr_t)req->buf;
	send->length = req->length;
}

static void fill_fetch(struct uet_sq_send *send, const struct lf_req *req,
		       const struct atomic *a, size_t size)
{
	send->op.opcode = UET_OP_FETCHING_ATOMIC;
	send->op.flags |= UET_OP_LOCAL_ADDR;
	send->memory.local.offset = (uintptr_t)req->buf;
	send->memory.local.length = size;
	if (a->kind == LF_ATOMIC_COMPARE) {
		memcpy(&send->memory.atomic.compare, first(a->compare, a->compare_count), size);
		memcpy(&send->memory.atomic.swap, first(a->iov, a->count), size);
	} else if (a->op != FI_ATOMIC_READ) {
		send->addr = (uintptr_t)first(a->iov, a->count);
		send->length = size;
	}
}

static int submit(struct lf_ep *ep, struct lf_req *req, const struct atomic *a, uint32_t peer)
{
	struct uet_sq_entry *entry = lf_sq_begin(ep);
	size_t size = lf_atomic_size(a->type);

	entry->kind = UET_SQ_OP;
	entry->peer = peer;
	entry->send.op.cookie = req->slot;
	entry->send.op.flags = UET_OP_COMPLETE | UET_OP_RUD;
	entry->send.memory.rma = (struct uet_rma){ a->key, a->remote };
	entry->send.memory.atomic.op = (uint8_t)lf_atomic_op(a->op);
	entry->send.memory.atomic.datatype = (uint8_t)lf_atomic_type(a->type);
	if (a->kind == LF_ATOMIC_CHANGE)
		fill_change(&entry->send, req);
	else
		fill_fetch(&entry->send, req, a, size);
	req->parts = 1;
	return lf_sq_submit(ep);
}

static int begin(struct lf_ep *ep, const struct atomic *a)
{
	uint64_t kind = a->kind == LF_ATOMIC_CHANGE ? FI_WRITE : FI_READ;
	uint32_t peer = lf_ep_memory_peer(ep, a->addr);
	size_t size = lf_atomic_size(a->type);
	struct lf_req *req;
	int ret;

	if (!peer)
		return -FI_EADDRNOTAVAIL;
	req = lf_req_get(ep, a->context, FI_ATOMIC | kind);
	if (!req)
		return lf_req_none(ep);
	req->is_reported = !a->is_silent && lf_is_reported(ep->is_tx_selective, a->flags);
	ret = a->kind == LF_ATOMIC_CHANGE ? set_operands(req, a, size) :
					    set_result(req, a, size);
	if (!ret)
		ret = submit(ep, req, a, peer);
	if (ret)
		lf_req_put(ep, req);
	return ret;
}

static ssize_t run(struct fid_ep *fid, const struct atomic *a)
{
	struct lf_ep *ep = lf_to_ep(fid);
	int ret = check(ep, a);

	if (ret)
		return ret;
	pthread_mutex_lock(&ep->lock);
	ret = begin(ep, a);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

static ssize_t atomic_writev(struct fid_ep *fid, const struct fi_ioc *iov, void **desc,
			     size_t count, fi_addr_t addr, uint64_t remote, uint64_t key,
			     enum fi_datatype type, enum fi_op op, void *context)
{
	const struct atomic a = {
		.kind = LF_ATOMIC_CHANGE, .iov = iov, .count = count, .addr = addr,
		.remote = remote, .key = key, .type = type, .op = op, .context = context,
		.flags = lf_to_ep(fid)->tx_flags,
	};

	return run(fid, &a);
}

static ssize_t atomic_write(struct fid_ep *fid, const void *buf, size_t count, void *desc,
			    fi_addr_t addr, uint64_t remote, uint64_t key,
			    enum fi_datatype type, enum fi_op op, void *context)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };

	return atomic_writev(fid, &iov, &desc, 1, addr, remote, key, type, op, context);
}

static struct atomic of_msg(const struct fi_msg_atomic *msg, uint64_t flags,
			    enum lf_atomic_kind kind)
{
	return (struct atomic){
		.kind = kind, .iov = msg->msg_iov, .count = msg->iov_count,
		.addr = msg->addr, .remote = msg->rma_iov->addr, .key = msg->rma_iov->key,
		.type = msg->datatype, .op = msg->op, .context = msg->context,
		.flags = flags,
	};
}

static ssize_t run_msg(struct fid_ep *fid, const struct fi_msg_atomic *msg,
		       const struct atomic *a)
{
	if (msg->rma_iov_count != 1 || msg->rma_iov->count != target(a))
		return -FI_EINVAL;
	return run(fid, a);
}

static ssize_t atomic_writemsg(struct fid_ep *fid, const struct fi_msg_atomic *msg,
			       uint64_t flags)
{
	const struct atomic a = of_msg(msg, flags, LF_ATOMIC_CHANGE);

	return run_msg(fid, msg, &a);
}

static ssize_t atomic_inject(struct fid_ep *fid, const void *buf, size_t count,
			     fi_addr_t addr, uint64_t remote, uint64_t key,
			     enum fi_datatype type, enum fi_op op)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };
	const struct atomic a = {
		.kind = LF_ATOMIC_CHANGE, .iov = &iov, .count = 1, .addr = addr,
		.remote = remote, .key = key, .type = type, .op = op, .is_silent = true,
	};

	return run(fid, &a);
}

static ssize_t atomic_readwritev(struct fid_ep *fid, const struct fi_ioc *iov, void **desc,
				 size_t count, struct fi_ioc *resultv, void **result_desc,
				 size_t result_count, fi_addr_t addr, uint64_t remote,
				 uint64_t key, enum fi_datatype type, enum fi_op op,
				 void *context)
{
	const struct atomic a = {
		.kind = LF_ATOMIC_FETCH, .iov = iov, .count = count, .result = resultv,
		.result_count = result_count, .addr = addr, .remote = remote, .key = key,
		.type = type, .op = op, .context = context,
		.flags = lf_to_ep(fid)->tx_flags,
	};

	return run(fid, &a);
}

static ssize_t atomic_readwrite(struct fid_ep *fid, const void *buf, size_t count, void *desc,
				void *result, void *result_desc, fi_addr_t addr,
				uint64_t remote, uint64_t key, enum fi_datatype type,
				enum fi_op op, void *context)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };
	struct fi_ioc resultv = { result, count };

	return atomic_readwritev(fid, &iov, &desc, 1, &resultv, &result_desc, 1, addr, remote,
				 key, type, op, context);
}

static ssize_t atomic_readwritemsg(struct fid_ep *fid, const struct fi_msg_atomic *msg,
				   struct fi_ioc *resultv, void **result_desc,
				   size_t result_count, uint64_t flags)
{
	struct atomic a = of_msg(msg, flags, LF_ATOMIC_FETCH);

	a.result = resultv;
	a.result_count = result_count;
	return run_msg(fid, msg, &a);
}

static ssize_t atomic_compwritev(struct fid_ep *fid, const struct fi_ioc *iov, void **desc,
				 size_t count, const struct fi_ioc *comparev,
				 void **compare_desc, size_t compare_count,
				 struct fi_ioc *resultv, void **result_desc,
				 size_t result_count, fi_addr_t addr, uint64_t remote,
				 uint64_t key, enum fi_datatype type, enum fi_op op,
				 void *context)
{
	const struct atomic a = {
		.kind = LF_ATOMIC_COMPARE, .iov = iov, .count = count,
		.compare = comparev, .compare_count = compare_count, .result = resultv,
		.result_count = result_count, .addr = addr, .remote = remote, .key = key,
		.type = type, .op = op, .context = context,
		.flags = lf_to_ep(fid)->tx_flags,
	};

	return run(fid, &a);
}

static ssize_t atomic_compwrite(struct fid_ep *fid, const void *buf, size_t count, void *desc,
				const void *compare, void *compare_desc, void *result,
				void *result_desc, fi_addr_t addr, uint64_t remote,
				uint64_t key, enum fi_datatype type, enum fi_op op,
				void *context)
{
	const struct fi_ioc iov = { (void *)(uintptr_t)buf, count };
	const struct fi_ioc comparev = { (void *)(uintptr_t)compare, count };
	struct fi_ioc resultv = { result, count };

	return atomic_compwritev(fid, &iov, &desc, 1, &comparev, &compare_desc, 1, &resultv,
				 &result_desc, 1, addr, remote, key, type, op, context);
}

static ssize_t atomic_compwritemsg(struct fid_ep *fid, const struct fi_msg_atomic *msg,
				   const struct fi_ioc *comparev, void **compare_desc,
				   size_t compare_count, struct fi_ioc *resultv,
				   void **result_desc, size_t result_count, uint64_t flags)
{
	struct atomic a = of_msg(msg, flags, LF_ATOMIC_COMPARE);

	a.compare = comparev;
	a.compare_count = compare_count;
	a.result = resultv;
	a.result_count = result_count;
	return run_msg(fid, msg, &a);
}

static int valid(struct fid_ep *fid, enum fi_datatype type, enum fi_op op,
		 enum lf_atomic_kind kind, size_t *count)
{
	struct fi_atomic_attr attr;
	int ret = lf_atomic_query(type, op, kind, lf_to_ep(fid)->domain->place.mtu, &attr);

	if (!ret)
		*count = attr.count;
	return ret;
}

static int atomic_writevalid(struct fid_ep *fid, enum fi_datatype type, enum fi_op op,
			     size_t *count)
{
	return valid(fid, type, op, LF_ATOMIC_CHANGE, count);
}

static int atomic_readwritevalid(struct fid_ep *fid, enum fi_datatype type, enum fi_op op,
				 size_t *count)
{
	return valid(fid, type, op, LF_ATOMIC_FETCH, count);
}

static int atomic_compwritevalid(struct fid_ep *fid, enum fi_datatype type, enum fi_op op,
				 size_t *count)
{
	return valid(fid, type, op, LF_ATOMIC_COMPARE, count);
}

struct fi_ops_atomic lf_atomic_ops = {
	.size = sizeof(struct fi_ops_atomic),
	.write = atomic_write,
	.writev = atomic_writev,
	.writemsg = atomic_writemsg,
	.inject = atomic_inject,
	.readwrite = atomic_readwrite,
	.readwritev = atomic_readwritev,
	.readwritemsg = atomic_readwritemsg,
	.compwrite = atomic_compwrite,
	.compwritev = atomic_compwritev,
	.compwritemsg = atomic_compwritemsg,
	.writevalid = atomic_writevalid,
	.readwritevalid = atomic_readwritevalid,
	.compwritevalid = atomic_compwritevalid,
};
