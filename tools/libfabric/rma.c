// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Reading and writing the memory of peers, over all paths (RUD).  A long write is several
 * operations, because each must fit the send buffer.
 */
#include "endpoint.h"

#define RMA_FLAGS	(FI_COMPLETION | FI_MORE | FI_INJECT | FI_INJECT_COMPLETE | \
			 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA)

/**
 * struct rma - arguments of a read or a write
 * @iov: local buffers
 * @count: of them
 * @addr: peer
 * @remote: offset in the region of the peer
 * @key: of the region
 * @data: completion data
 * @context: of the user
 * @flags: FI_*
 * @is_silent: success is not reported
 */
struct rma {
	const struct iovec *iov;
	size_t count;
	fi_addr_t addr;
	uint64_t remote;
	uint64_t key;
	uint64_t data;
	void *context;
	uint64_t flags;
	bool is_silent;
};

static bool is_reported(const struct lf_ep *ep, const struct rma *r)
{
	return !r->is_silent && lf_is_reported(ep->is_tx_selective, r->flags);
}

static struct lf_req *begin(struct lf_ep *ep, const struct rma *r, uint64_t kind)
{
	struct lf_req *req = lf_req_get(ep, r->context, FI_RMA | kind);

	if (req)
		req->is_reported = is_reported(ep, r);
	return req;
}

static int use_buffer(struct lf_req *req, const struct rma *r, bool is_result)
{
	if (r->count > 1)
		return lf_req_bounce(req, r->iov, r->count, is_result);
	req->buf = r->count ? r->iov->iov_base : NULL;
	req->length = r->count ? r->iov->iov_len : 0;
	return 0;
}

static int submit_read(struct lf_ep *ep, struct lf_req *req, const struct rma *r,
		       uint32_t peer)
{
	struct uet_sq_entry *entry = lf_sq_begin(ep);

	entry->kind = UET_SQ_OP;
	entry->peer = peer;
	entry->send.op.opcode = UET_OP_READ;
	entry->send.op.cookie = req->slot;
	entry->send.op.flags = UET_OP_COMPLETE | UET_OP_LOCAL_ADDR | UET_OP_RUD;
	entry->send.memory.rma = (struct uet_rma){ r->key, r->remote };
	entry->send.memory.local.offset = (uintptr_t)req->buf;
	entry->send.memory.local.length = req->length;
	req->parts = 1;
	return lf_sq_submit(ep);
}

static int read_locked(struct lf_ep *ep, const struct rma *r)
{
	uint32_t peer = lf_ep_memory_peer(ep, r->addr);
	struct lf_req *req;
	int ret;

	if (!peer)
		return -FI_EADDRNOTAVAIL;
	req = begin(ep, r, FI_READ);
	if (!req)
		return lf_req_none(ep);
	ret = use_buffer(req, r, true);
	if (!ret)
		ret = submit_read(ep, req, r, peer);
	if (ret)
		lf_req_put(ep, req);
	return ret;
}

/* One operation of a write. */
static int submit_write(struct lf_ep *ep, struct lf_req *req, size_t length)
{
	struct uet_sq_entry *entry = lf_sq_begin(ep);

	entry->kind = UET_SQ_OP;
	entry->peer = req->rest.peer;
	entry->send.op.opcode = UET_OP_WRITE;
	entry->send.op.cookie = req->slot;
	entry->send.op.flags = UET_OP_COMPLETE | req->rest.delivery;
	entry->send.addr = (uintptr_t)req->rest.at;
	entry->send.length = length;
	entry->send.memory.rma = req->rest.rma;
	if (req->rest.has_data && length == req->rest.length) {
		entry->flags |= UET_SQ_HDATA;
		entry->send.header_data = req->rest.data;
	}
	return lf_sq_submit(ep);
}

/*
 * Go on with a write until it has all been submitted, or one of its operations has failed.
 * Return: 0, or -FI_EAGAIN: there is no space now.
 */
int lf_write_continue(struct lf_ep *ep, struct lf_req *req)
{
	size_t length;
	int ret;

	if (req->event.error) {
		req->rest.length = 0;
		return 0;
	}
	do {
		length = req->rest.length < LF_WRITE_MAX ? req->rest.length : LF_WRITE_MAX;
		ret = submit_write(ep, req, length);
		if (ret == -FI_EAGAIN)
			return ret;
		if (ret) {
			req->event.error = -ret;
			req->rest.length = 0;
			return 0;
		}
		req->parts++;
		req->rest.at += length;
		req->rest.rma.offset += length;
		req->rest.length -= length;
	} while (req->rest.length);
	return 0;
}

static int write_tracked(struct lf_ep *ep, struct lf_req *req)
{
	int ret = lf_write_continue(ep, req);

	if (!req->parts)
		return ret ? ret : -req->event.error;
	if (ret)
		STAILQ_INSERT_TAIL(&ep->unfinished, req, link);
	return 0;
}

/* Completion data says that all is there: then the parts have an order. */
static void set_rest(struct lf_req *req, const struct rma *r, uint32_t peer)
{
	req->rest.at = req->buf;
	req->rest.length = req->length;
	req->rest.rma = (struct uet_rma){ r->key, r->remote };
	req->rest.peer = peer;
	req->rest.has_data = r->flags & FI_REMOTE_CQ_DATA;
	req->rest.data = r->data;
	req->rest.delivery = req->rest.has_data && req->length > LF_WRITE_MAX ?
			     UET_OP_ROD : UET_OP_RUD;
}

static int write_untracked(struct lf_ep *ep, const struct rma *r, uint32_t peer)
{
	struct uet_sq_entry *entry = lf_sq_begin(ep);

	entry->kind = UET_SQ_OP;
	entry->peer = peer;
	entry->send.op.opcode = UET_OP_WRITE;
	entry->send.op.cookie = LF_NO_COOKIE;
	entry->send.op.flags = UET_OP_RUD;
	entry->send.memory.rma = (struct uet_rma){ r->key, r->remote };
	if (r->count) {
		entry->send.addr = (uintptr_t)r->iov->iov_base;
		entry->send.length = r->iov->iov_len;
	}
	if (r->flags & FI_REMOTE_CQ_DATA) {
		entry->flags |= UET_SQ_HDATA;
		entry->send.header_data = r->data;
	}
	return lf_sq_submit(ep);
}

static int write_locked(struct lf_ep *ep, const struct rma *r)
{
	uint32_t peer = lf_ep_memory_peer(ep, r->addr);
	struct lf_req *req;
	int ret;

	if (!peer)
		return -FI_EADDRNOTAVAIL;
	if (r->is_silent && !ep->cntrs[LF_COUNT_WRITE])
		return write_untracked(ep, r, peer);
	req = begin(ep, r, FI_WRITE);
	if (!req)
		return lf_req_none(ep);
	ret = use_buffer(req, r, false);
	if (!ret) {
		set_rest(req, r, peer);
		ret = write_tracked(ep, req);
	}
	if (ret)
		lf_req_put(ep, req);
	return ret;
}

static ssize_t do_write(struct lf_ep *ep, const struct rma *r)
{
	size_t length = lf_iov_length(r->iov, r->count);
	int ret;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	if (length > lf_message_max(ep->caps) ||
	    ((r->is_silent || r->flags & FI_INJECT) && length > LF_INJECT_SIZE))
		return -FI_EMSGSIZE;
	if (r->count > LF_IOV_LIMIT)
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->lock);
	ret = write_locked(ep, r);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

static ssize_t do_read(struct lf_ep *ep, const struct rma *r)
{
	int ret;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	if (lf_iov_length(r->iov, r->count) > lf_message_max(ep->caps))
		return -FI_EMSGSIZE;
	if (r->count > LF_IOV_LIMIT)
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->lock);
	ret = read_locked(ep, r);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

/* The arguments of a call that has no flags. */
static struct rma of_call(const struct lf_ep *ep, const struct iovec *iov, size_t count,
			  fi_addr_t addr, uint64_t remote, uint64_t key, void *context)
{
	return (struct rma){
		.iov = iov, .count = count, .addr = addr, .remote = remote, .key = key,
		.context = context, .flags = ep->tx_flags,
	};
}

static ssize_t rma_readv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			 size_t count, fi_addr_t addr, uint64_t remote, uint64_t key,
			 void *context)
{
	struct lf_ep *ep = lf_to_ep(fid);
	const struct rma r = of_call(ep, iov, count, addr, remote, key, context);

	return do_read(ep, &r);
}

static ssize_t rma_read(struct fid_ep *fid, void *buf, size_t length, void *desc,
			fi_addr_t addr, uint64_t remote, uint64_t key, void *context)
{
	const struct iovec iov = { buf, length };

	return rma_readv(fid, &iov, &desc, 1, addr, remote, key, context);
}

static struct rma of_msg(const struct fi_msg_rma *msg, uint64_t flags)
{
	return (struct rma){
		.iov = msg->msg_iov, .count = msg->iov_count, .addr = msg->addr,
		.remote = msg->rma_iov->addr, .key = msg->rma_iov->key, .data = msg->data,
		.context = msg->context, .flags = flags,
	};
}

static int check_msg(const struct fi_msg_rma *msg, uint64_t flags)
{
	size_t length = lf_iov_length(msg->msg_iov, msg->iov_count);

	if (flags & ~RMA_FLAGS)
		return -FI_EBADFLAGS;
	if (msg->rma_iov_count != 1)
		return -FI_EINVAL;
	if (msg->rma_iov->len != length) {
		LF_WARN(EP_DATA, "rma_iov has %zu bytes, msg_iov %zu\n", msg->rma_iov->len,
			length);
		return -FI_EINVAL;
	}
	return 0;
}

static ssize_t rma_readmsg(struct fid_ep *fid, const struct fi_msg_rma *msg, uint64_t flags)
{
	int ret = check_msg(msg, flags);
	struct rma r;

	if (ret)
		return ret;
	r = of_msg(msg, flags);
	return do_read(lf_to_ep(fid), &r);
}

static ssize_t rma_writev(struct fid_ep *fid, const struct iovec *iov, void **desc,
			  size_t count, fi_addr_t addr, uint64_t remote, uint64_t key,
			  void *context)
{
	struct lf_ep *ep = lf_to_ep(fid);
	const struct rma r = of_call(ep, iov, count, addr, remote, key, context);

	return do_write(ep, &r);
}

static ssize_t rma_write(struct fid_ep *fid, const void *buf, size_t length, void *desc,
			 fi_addr_t addr, uint64_t remote, uint64_t key, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };

	return rma_writev(fid, &iov, &desc, 1, addr, remote, key, context);
}

static ssize_t rma_writemsg(struct fid_ep *fid, const struct fi_msg_rma *msg, uint64_t flags)
{
	int ret = check_msg(msg, flags);
	struct rma r;

	if (ret)
		return ret;
	r = of_msg(msg, flags);
	return do_write(lf_to_ep(fid), &r);
}

static ssize_t inject(struct fid_ep *fid, const void *buf, size_t length, uint64_t data,
		      fi_addr_t addr, uint64_t remote, uint64_t key, uint64_t flags)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };
	const struct rma r = {
		.iov = &iov, .count = 1, .addr = addr, .remote = remote, .key = key,
		.data = data, .flags = flags, .is_silent = true,
	};

	return do_write(lf_to_ep(fid), &r);
}

static ssize_t rma_inject(struct fid_ep *fid, const void *buf, size_t length, fi_addr_t addr,
			  uint64_t remote, uint64_t key)
{
	return inject(fid, buf, length, 0, addr, remote, key, 0);
}

static ssize_t rma_writedata(struct fid_ep *fid, const void *buf, size_t length, void *desc,
			     uint64_t data, fi_addr_t addr, uint64_t remote, uint64_t key,
			     void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };
	struct lf_ep *ep = lf_to_ep(fid);
	struct rma r = of_call(ep, &iov, 1, addr, remote, key, context);

	r.data = data;
	r.flags |= FI_REMOTE_CQ_DATA;
	return do_write(ep, &r);
}

static ssize_t rma_injectdata(struct fid_ep *fid, const void *buf, size_t length,
			      uint64_t data, fi_addr_t addr, uint64_t remote, uint64_t key)
{
	return inject(fid, buf, length, data, addr, remote, key, FI_REMOTE_CQ_DATA);
}

struct fi_ops_rma lf_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = rma_read,
	.readv = rma_readv,
	.readmsg = rma_readmsg,
	.write = rma_write,
	.writev = rma_writev,
	.writemsg = rma_writemsg,
	.inject = rma_inject,
	.writedata = rma_writedata,
	.injectdata = rma_injectdata,
};
