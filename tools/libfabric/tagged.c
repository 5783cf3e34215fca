// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The calls of libfabric for tagged messages (struct fi_ops_tagged).
 */
#include "message.h"

#define RECV_FLAGS	(FI_COMPLETION | FI_MORE | FI_PEEK | FI_CLAIM | FI_DISCARD)
#define SEND_FLAGS	(FI_COMPLETION | FI_MORE | FI_INJECT | FI_INJECT_COMPLETE | \
			 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA)

static ssize_t tagged_recvv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			size_t count, fi_addr_t addr, uint64_t tag, uint64_t ignore, void *context)
{
	struct lf_ep *ep = lf_to_ep(fid);
	const struct lf_message m = {
		.iov = iov, .count = count, .addr = addr, .tag = tag, .ignore = ignore, .context = context,
		.flags = ep->rx_flags & ~FI_MULTI_RECV,
		.is_tagged = true,
	};

	return lf_recv(ep, &m);
}

static ssize_t tagged_recv(struct fid_ep *fid, void *buf, size_t length, void *desc,
		       fi_addr_t addr, uint64_t tag, uint64_t ignore, void *context)
{
	const struct iovec iov = { buf, length };

	return tagged_recvv(fid, &iov, &desc, 1, addr, tag, ignore, context);
}

static ssize_t tagged_recvmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg, uint64_t flags)
{
	const struct lf_message m = {
		.iov = msg->msg_iov, .count = msg->iov_count, .addr = msg->addr,
		.context = msg->context, .flags = flags,
		.tag = msg->tag, .ignore = msg->ignore, .is_tagged = true,
	};

	if (flags & ~RECV_FLAGS)
		return -FI_EBADFLAGS;
	return flags & FI_PEEK ? lf_peek(lf_to_ep(fid), &m) : lf_recv(lf_to_ep(fid), &m);
}

static ssize_t tagged_sendv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			size_t count, fi_addr_t addr, uint64_t tag, void *context)
{
	struct lf_ep *ep = lf_to_ep(fid);
	const struct lf_message m = {
		.iov = iov, .count = count, .addr = addr, .tag = tag, .context = context,
		.flags = ep->tx_flags,
		.is_tagged = true,
	};

	return lf_send(ep, &m);
}

static ssize_t tagged_send(struct fid_ep *fid, const void *buf, size_t length, void *desc,
		       fi_addr_t addr, uint64_t tag, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };

	return tagged_sendv(fid, &iov, &desc, 1, addr, tag, context);
}

static ssize_t tagged_sendmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg, uint64_t flags)
{
	const struct lf_message m = {
		.iov = msg->msg_iov, .count = msg->iov_count, .addr = msg->addr,
		.context = msg->context, .data = msg->data, .flags = flags,
		.tag = msg->tag, .is_tagged = true,
	};

	return flags & ~SEND_FLAGS ? -FI_EBADFLAGS : lf_send(lf_to_ep(fid), &m);
}

static ssize_t tagged_senddata(struct fid_ep *fid, const void *buf, size_t length, void *desc,
			   uint64_t data, fi_addr_t addr, uint64_t tag, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };
	struct lf_ep *ep = lf_to_ep(fid);
	const struct lf_message m = {
		.iov = &iov, .count = 1, .addr = addr, .tag = tag, .context = context,
		.data = data, .flags = ep->tx_flags | FI_REMOTE_CQ_DATA,
		.is_tagged = true,
	};

	return lf_send(ep, &m);
}

static ssize_t inject(struct fid_ep *fid, const void *buf, size_t length, uint64_t data,
		      fi_addr_t addr, uint64_t tag, uint64_t flags)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };
	const struct lf_message m = {
		.iov = &iov, .count = 1, .addr = addr, .tag = tag, .data = data,
		.flags = flags, .is_silent = true,
		.is_tagged = true,
	};

	return lf_send(lf_to_ep(fid), &m);
}

static ssize_t tagged_inject(struct fid_ep *fid, const void *buf, size_t length,
			 fi_addr_t addr, uint64_t tag)
{
	return inject(fid, buf, length, 0, addr, tag, 0);
}

static ssize_t tagged_injectdata(struct fid_ep *fid, const void *buf, size_t length,
			     uint64_t data, fi_addr_t addr, uint64_t tag)
{
	return inject(fid, buf, length, data, addr, tag, FI_REMOTE_CQ_DATA);
}

struct fi_ops_tagged lf_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = tagged_recv,
	.recvv = tagged_recvv,
	.recvmsg = tagged_recvmsg,
	.send = tagged_send,
	.sendv = tagged_sendv,
	.sendmsg = tagged_sendmsg,
	.inject = tagged_inject,
	.senddata = tagged_senddata,
	.injectdata = tagged_injectdata,
};
