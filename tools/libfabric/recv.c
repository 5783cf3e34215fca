// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receives; looking for messages that have no receive, and claiming them.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "message.h"

/* From whom, and which messages. */
static int select_messages(const struct lf_ep *ep, const struct lf_message *m,
			   uint32_t *flags, uint32_t *initiator)
{
	if (m->is_tagged)
		*flags |= UET_RECV_TAGGED;
	if (!(ep->caps & FI_DIRECTED_RECV) || m->addr == FI_ADDR_UNSPEC) {
		*flags |= UET_RECV_ANY_SOURCE;
		return 0;
	}
	*flags |= UET_RECV_PEER;
	*initiator = lf_ep_peer(ep, m->addr);
	return *initiator ? 0 : -FI_EADDRNOTAVAIL;
}

/* A claim is a number that FI_PEEK has left in the context. */
static uint64_t *claim_of(const struct lf_message *m)
{
	return (uint64_t *)m->context;
}

static int fill_match(const struct lf_ep *ep, const struct lf_message *m,
		      struct uet_recv_post *post)
{
	post->flags = UET_RECV_TRUNC;
	if (m->flags & FI_CLAIM) {
		post->flags |= UET_RECV_CLAIM;
		post->match = *claim_of(m);
		return 0;
	}
	if (m->is_tagged) {
		post->match = m->tag;
		post->ignore = m->ignore;
	}
	return select_messages(ep, m, &post->flags, &post->initiator);
}

static void fill_memory(const struct lf_ep *ep, const struct lf_message *m,
			const struct lf_req *req, struct uet_recv_post *post)
{
	post->length = req->length;
	if (req->is_short) {
		post->key = lf_req_key(req);
		post->offset = lf_req_place(req);
	} else if (post->length) {
		post->flags |= UET_RECV_ADDR;
		post->offset = (uintptr_t)req->buf;
	}
	if (m->flags & FI_MULTI_RECV) {
		post->flags |= UET_RECV_MULTI;
		post->min_free = (uint32_t)(ep->min_multi < req->length ? ep->min_multi :
								   req->length);
	}
}

static int set_memory(struct lf_ep *ep, struct lf_req *req, const struct lf_message *m)
{
	req->is_discard = m->flags & FI_DISCARD;
	if (req->is_discard || !m->count)
		return 0;
	if (!(m->flags & FI_MULTI_RECV) && lf_req_short(ep, req, m->iov, m->count))
		return 0;
	if (m->count > 1)
		return lf_req_bounce(req, m->iov, m->count, true);
	req->buf = m->iov->iov_base;
	req->length = m->iov->iov_len;
	return 0;
}

static struct lf_req *begin(struct lf_ep *ep, const struct lf_message *m)
{
	uint64_t kind = (m->is_tagged ? FI_TAGGED : FI_MSG) | (m->flags & FI_MULTI_RECV);
	struct lf_req *req = lf_req_get(ep, m->context, FI_RECV | kind);

	if (req)
		req->is_reported = lf_is_reported(ep->is_rx_selective, m->flags);
	return req;
}

static int recv_locked(struct lf_ep *ep, const struct lf_message *m)
{
	struct lf_req *req = begin(ep, m);
	struct uet_sq_entry *entry;
	int ret;

	if (!req)
		return lf_req_none(ep);
	ret = set_memory(ep, req, m);
	if (!ret) {
		entry = lf_sq_begin(ep);
		entry->kind = UET_SQ_RECV;
		entry->recv.size = sizeof(entry->recv);
		entry->recv.cookie = req->slot;
		ret = fill_match(ep, m, &entry->recv);
		if (!ret) {
			fill_memory(ep, m, req, &entry->recv);
			ret = lf_sq_submit(ep);
		}
	}
	if (ret)
		lf_req_put(ep, req);
	return ret;
}

ssize_t lf_recv(struct lf_ep *ep, const struct lf_message *m)
{
	int ret;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	if (m->flags & FI_MULTI_RECV &&
	    (m->count != 1 || !m->iov->iov_len || m->iov->iov_len > UINT32_MAX ||
	     m->flags & FI_CLAIM))
		return -FI_EINVAL;
	if (m->count > LF_IOV_LIMIT)
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->lock);
	ret = recv_locked(ep, m);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}

static void fill_event(const struct lf_ep *ep, const struct lf_message *m,
		       const struct uet_recv_peek *peek, struct lf_event *event)
{
	event->length = peek->ctx.length;
	event->tag = peek->ctx.match;
	event->source = lf_ep_source(ep, peek->ctx.peer);
	if (peek->ctx.flags & UET_CTX_HDATA) {
		event->data = peek->ctx.header_data;
		event->flags |= FI_REMOTE_CQ_DATA;
	}
	if (m->flags & FI_CLAIM)
		*claim_of(m) = peek->claim;
}

static int peek_locked(struct lf_ep *ep, const struct lf_message *m)
{
	struct lf_event event = {
		.context = m->context, .source = FI_ADDR_NOTAVAIL,
		.flags = FI_RECV | (m->is_tagged ? FI_TAGGED : FI_MSG),
	};
	struct uet_recv_peek peek = {
		.match = m->is_tagged ? m->tag : 0, .ignore = m->is_tagged ? m->ignore : 0,
	};
	int ret = select_messages(ep, m, &peek.flags, &peek.initiator);

	if (ret)
		return ret;
	if (m->flags & FI_CLAIM)
		peek.flags |= UET_PEEK_CLAIM;
	else if (m->flags & FI_DISCARD)
		peek.flags |= UET_PEEK_DISCARD;
	if (!uet_ioctl(ep->fd, UET_IOC_RECV_PEEK, &peek)) {
		fill_event(ep, m, &peek, &event);
	} else if (errno == ENOMSG) {
		event.error = FI_ENOMSG;
		event.tag = m->tag;
	} else {
		return -errno;
	}
	if (ep->rx_cq)
		lf_cq_add(ep->rx_cq, &event, NULL);
	return 0;
}

ssize_t lf_peek(struct lf_ep *ep, const struct lf_message *m)
{
	int ret;

	if (ep->fd < 0)
		return -FI_EOPBADSTATE;
	pthread_mutex_lock(&ep->lock);
	ret = peek_locked(ep, m);
	pthread_mutex_unlock(&ep->lock);
	return ret;
}
