// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Sending a message: in the entry, copied by the kernel, deferrable by its receiver, or read
 * by its receiver.
 */
#include <string.h>

#include "message.h"

/* The kernel has a structure beside the bytes of each message. */
#define COST(length)	((length) + 1024)

/* The user may write to the buffer when the call has returned. */
static bool is_injected(const struct lf_message *m)
{
	return m->is_silent || m->flags & FI_INJECT;
}

/*
 * A receiver without space may defer longer messages.  It keeps shorter ones in any case, so
 * none holds up another.
 */
static bool is_deferrable(size_t length)
{
	return length > (size_t)lf_params.deferrable;
}

static bool is_above_share(const struct lf_ep *ep, size_t length)
{
	return COST(length) > ep->deferred_max - ep->deferred;
}

/* Long messages, and those that would leave too little of the send buffer to others. */
static bool is_read_by_receiver(struct lf_ep *ep, const struct lf_message *m, size_t length)
{
	if (length > (size_t)lf_params.rendezvous && !is_injected(m))
		return true;
	/* A user who only sends does not read the ring. */
	if (is_deferrable(length) && is_above_share(ep, length))
		lf_ep_read_ring(ep);
	return is_deferrable(length) && is_above_share(ep, length);
}

/* Its end, or at least its error, is reported, or the memory of it is noted. */
static bool is_tracked(const struct lf_ep *ep, const struct lf_message *m, size_t length)
{
	return !m->is_silent || ep->cntrs[LF_COUNT_SEND] || is_deferrable(length);
}

static int track(struct lf_ep *ep, const struct lf_message *m, struct lf_req **req)
{
	uint64_t kind = m->is_tagged ? FI_TAGGED : FI_MSG;

	*req = lf_req_get(ep, m->context, FI_SEND | kind);
	if (!*req)
		return lf_req_none(ep);
	(*req)->is_silent = m->is_silent;
	(*req)->is_reported = !m->is_silent && lf_is_reported(ep->is_tx_selective, m->flags);
	(*req)->parts = 1;
	return m->count > 1 ? lf_req_bounce(*req, m->iov, m->count, false) : 0;
}

static void fill_rendezvous(struct uet_sq_send *send, const struct lf_message *m,
			    const void *buf, size_t length)
{
	send->op.opcode = m->is_tagged ? UET_OP_RENDEZVOUS_TSEND : UET_OP_RENDEZVOUS_SEND;
	send->op.flags |= UET_OP_LOCAL_ADDR;
	send->memory.local.offset = (uintptr_t)buf;
	send->memory.local.length = length;
}

static void fill_payload(struct uet_sq_entry *entry, const struct lf_message *m,
			 const void *buf, size_t length)
{
	struct uet_sq_send *send = &entry->send;

	if (is_deferrable(length))
		send->op.opcode = m->is_tagged ? UET_OP_DEFERRABLE_TSEND :
						 UET_OP_DEFERRABLE_SEND;
	else
		send->op.opcode = m->is_tagged ? UET_OP_TAGGED_SEND : UET_OP_SEND;
	send->length = length;
	if (length <= UET_SQ_INLINE_MAX) {
		entry->flags |= UET_SQ_INLINE;
		if (length)
			memcpy(send->data, buf, length);
	} else {
		send->addr = (uintptr_t)buf;
	}
}

/* @is_read: the receiver reads the bytes */
static void fill(struct uet_sq_entry *entry, const struct lf_message *m, uint32_t peer,
		 const struct lf_req *req, size_t length, bool is_read)
{
	const void *buf = req && req->bounce ? req->bounce : m->count ? m->iov->iov_base : NULL;

	entry->kind = UET_SQ_OP;
	entry->peer = peer;
	entry->send.op.cookie = req ? req->slot : LF_NO_COOKIE;
	entry->send.op.flags = req ? UET_OP_COMPLETE : 0;
	entry->send.tag = m->is_tagged ? m->tag : 0;
	if (m->flags & FI_REMOTE_CQ_DATA) {
		entry->flags |= UET_SQ_HDATA;
		entry->send.header_data = m->data;
	}
	if (is_read)
		fill_rendezvous(&entry->send, m, buf, length);
	else
		fill_payload(entry, m, buf, length);
}

/*
 * The bytes of a deferred message stay in the send buffer until its receiver asks for them,
 * which may be after messages behind it.  Their sum is limited, so that there is space for
 * those messages.
 */
static int submit(struct lf_ep *ep, const struct lf_message *m, uint32_t peer,
		  struct lf_req *req, size_t length)
{
	bool is_read = is_read_by_receiver(ep, m, length);
	int ret;

	if (is_read && is_injected(m) && !req->bounce) {
		ret = lf_req_bounce(req, m->iov, m->count, false);
		if (ret)
			return ret;
	}
	fill(lf_sq_begin(ep), m, peer, req, length, is_read);
	ret = lf_sq_submit(ep);
	if (!ret && !is_read && is_deferrable(length)) {
		req->deferred = COST(length);
		ep->deferred += req->deferred;
	}
	return ret;
}

static int send_locked(struct lf_ep *ep, const struct lf_message *m, size_t length)
{
	uint32_t peer = lf_ep_peer(ep, m->addr);
	struct lf_req *req = NULL;
	int ret = 0;

	if (!peer)
		return -FI_EADDRNOTAVAIL;
	if (is_tracked(ep, m, length))
		ret = track(ep, m, &req);
	if (!ret)
		ret = submit(ep, m, peer, req, length);
	if (ret && req)
		lf_req_put(ep, req);
	return ret;
}

ssize_t lf_send(struct lf_ep *ep, const struct lf_message *m)
{
	size_t length = lf_iov_length(m->iov, m->count);
	int ret;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	if (length > lf_message_max(ep->caps) ||
	    ((m->is_silent || m->flags & FI_INJECT) && length > LF_INJECT_SIZE))
		return -FI_EMSGSIZE;
	if (m->count > LF_IOV_LIMIT)
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->lock);
	ret = send_locked(ep, m, length);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}
