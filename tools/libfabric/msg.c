// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The calls of libfabric for untagged messages (struct fi_ops_msg).
 */
#include "message.h"

#define RECV_FLAGS	(FI_COMPLETION | FI_MORE | FI_MULTI_RECV | FI_PEEK | FI_CLAIM | \
			 FI_DISCARD)
#define SEND_FLAGS	(FI_COMPLETION | FI_MORE | FI_INJECT | FI_INJECT_COMPLETE | \
			 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA)

static ssize_t msg_recvv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			size_t count, fi_addr_t addr, void *context)
{
	struct lf_ep *ep = lf_to_ep(fid);
	const struct lf_message m = {
		.iov = iov, .count = count, .addr = addr, .context = context,
		.flags = ep->rx_flags,
	};

	return lf_recv(ep, &m);
}

static ssize_t msg_recv(struct fid_ep *fid, void *buf, size_t length, void *desc,
		       fi_addr_t addr, void *context)
{
	const struct iovec iov = { buf, length };

	return msg_recvv(fid, &iov, &desc, 1, addr, context);
}

static ssize_t msg_recvmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags)
{
	const struct lf_message m = {
		.iov = msg->msg_iov, .count = msg->iov_count, .addr = msg->addr,
		.context = msg->context, .flags = flags,
	};

	if (flags & ~RECV_FLAGS)
		return -FI_EBADFLAGS;
	return flags & FI_PEEK ? lf_peek(lf_to_ep(fid), &m) : lf_recv(lf_to_ep(fid), &m);
}

static ssize_t msg_sendv(struct fid_ep *fid, const struct iovec *iov, void **desc,
			size_t count, fi_addr_t addr, void *context)
{
	struct lf_ep *ep = lf_to_ep(fid);
	const struct lf_message m = {
		.iov = iov, .count = count, .addr = addr, .context = context,
		.flags = ep->tx_flags,
	};

	return lf_send(ep, &m);
}

static ssize_t msg_send(struct fid_ep *fid, const void *buf, size_t length, void *desc,
		       fi_addr_t addr, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };

	return msg_sendv(fid, &iov, &desc, 1, addr, context);
}

static ssize_t msg_sendmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags)
{
	const struct lf_message m = {
		.iov = msg->msg_iov, .count = msg->iov_count, .addr = msg->addr,
		.context = msg->context, .data = msg->data, .flags = flags,
	};

	return flags & ~SEND_FLAGS ? -FI_EBADFLAGS : lf_send(lf_to_ep(fid), &m);
}

static ssize_t msg_senddata(struct fid_ep *fid, const void *buf, size_t length, void *desc,
			   uint64_t data, fi_addr_t addr, void *context)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };
	struct lf_ep *ep = lf_to_ep(fid);
	const struct lf_message m = {
		.iov = &iov, .count = 1, .addr = addr, .context = context,
		.data = data, .flags = ep->tx_flags | FI_REMOTE_CQ_DATA,
	};

	return lf_send(ep, &m);
}

static ssize_t inject(struct fid_ep *fid, const void *buf, size_t length, uint64_t data,
		      fi_addr_t addr, uint64_t flags)
{
	const struct iovec iov = { (void *)(uintptr_t)buf, length };
	const struct lf_message m = {
		.iov = &iov, .count = 1, .addr = addr, .data = data,
		.flags = flags, .is_silent = true,
	};

	return lf_send(lf_to_ep(fid), &m);
}

static ssize_t msg_inject(struct fid_ep *fid, const void *buf, size_t length,
			 fi_addr_t addr)
{
	return inject(fid, buf, length, 0, addr, 0);
}

static ssize_t msg_injectdata(struct fid_ep *fid, const void *buf, size_t length,
			     uint64_t data, fi_addr_t addr)
{
	return inject(fid, buf, length, data, addr, FI_REMOTE_CQ_DATA);
}

struct fi_ops_msg lf_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = msg_recv,
	.recvv = msg_recvv,
	.recvmsg = msg_recvmsg,
	.send = msg_send,
	.sendv = msg_sendv,
	.sendmsg = msg_sendmsg,
	.inject = msg_inject,
	.senddata = msg_senddata,
	.injectdata = msg_injectdata,
};
