// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * From the completion ring of a socket to completion queues and counters.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "endpoint.h"

/* SES return codes, UE 1.0.1 Table 3-19. */
#define RC_BAD_MKEY	0x1c
#define RC_BAD_ADDR	0x1d

#define BUSY_ROUNDS	16	/* that may pass without a look at remote memory */

static enum lf_count counter_of(uint64_t flags)
{
	if (flags & FI_RECV)
		return LF_COUNT_RECV;
	if (flags & FI_READ)
		return LF_COUNT_READ;
	return flags & FI_WRITE ? LF_COUNT_WRITE : LF_COUNT_SEND;
}

void lf_ep_report(struct lf_ep *ep, struct lf_event *event, bool is_reported,
		  const struct lf_cq *reader)
{
	enum lf_count count = counter_of(event->flags);
	struct lf_cq *cq = count == LF_COUNT_RECV ? ep->rx_cq : ep->tx_cq;

	if (event->text && event->error != FI_ECANCELED)
		LF_WARN(CQ, "%s\n", event->text);
	if (cq && (is_reported || event->error))
		lf_cq_add(cq, event, reader);
	else
		free(event->text);
	event->text = NULL;
	lf_cntr_count(ep->cntrs[count], event->error);
}

/* Not in a completion queue: users look for the operation at the context of an entry. */
void lf_ep_late(struct lf_ep *ep, int error, const char *text)
{
	char last[LF_ERR_DATA];
	const struct fi_eq_err_entry entry = {
		.fid = &ep->fid.fid, .context = ep->fid.fid.context, .err = error,
		.prov_errno = error,
	};

	if (!text) {
		lf_last_error(ep, error, last);
		text = last;
	}
	LF_WARN(EP_DATA, "an injected operation: %s\n", text);
	if (ep->eq)
		lf_eq_fail(ep->eq, &entry, text);
}

static int error_of(const struct uet_completion *done)
{
	if (done->rc == RC_BAD_MKEY)
		return FI_ENOKEY;
	return done->rc == RC_BAD_ADDR ? FI_EINVAL : (int)done->error;
}

static void set_error(const struct lf_ep *ep, struct lf_event *event,
		      const struct uet_completion *done)
{
	if (event->error)
		return;
	event->error = error_of(done);
	event->detail = done->rc << 8 | done->nack_code;
	event->text = lf_failure_text(ep, done);
}

static void finish(struct lf_ep *ep, struct lf_req *req, const struct lf_cq *reader)
{
	req->event.context = req->context;
	req->event.flags |= req->flags;
	if (req->is_silent && req->event.error) {
		lf_ep_late(ep, req->event.error, req->event.text);
		free(req->event.text);
		req->event.text = NULL;
		lf_cntr_count(ep->cntrs[LF_COUNT_SEND], req->event.error);
	} else {
		lf_ep_report(ep, &req->event, req->is_reported, reader);
	}
	lf_req_put(ep, req);
}

/* An operation that this side has begun, or a part of one. */
static void end_operation(struct lf_ep *ep, struct lf_req *req,
			  const struct uet_completion *done, const struct lf_cq *reader)
{
	if (done->error)
		set_error(ep, &req->event, done);
	if (--req->parts)
		return;
	if (req->rest.length && !req->event.error)
		return;
	if (req->rest.length) {
		STAILQ_REMOVE(&ep->unfinished, req, lf_req, link);
		req->rest.length = 0;
	}
	if (req->iov_count && !req->event.error)
		lf_req_scatter(req, req->length);
	req->event.source = FI_ADDR_NOTAVAIL;
	finish(ep, req, reader);
}

static void fill_receive(const struct lf_ep *ep, struct lf_req *req,
			 const struct uet_completion *done)
{
	struct lf_event *event = &req->event;

	memset(event, 0, sizeof(*event));
	event->length = done->length;
	event->buf = req->buf + done->offset;
	event->tag = done->match;
	event->source = lf_ep_source(ep, done->peer);
	if (done->flags & UET_COMPLETION_HDATA) {
		event->data = done->header_data;
		event->flags |= FI_REMOTE_CQ_DATA;
	}
	if (done->error) {
		set_error(ep, event, done);
	} else if (done->flags & UET_COMPLETION_TRUNC && !req->is_discard) {
		event->error = FI_ETRUNC;
		event->cut = done->msg_length - done->length;
		event->text = lf_failure_text(ep, done);
	}
}

static void end_receive(struct lf_ep *ep, struct lf_req *req,
			const struct uet_completion *done, const struct lf_cq *reader)
{
	fill_receive(ep, req, done);
	if (req->iov_count)
		lf_req_scatter(req, done->length);
	if (req->bounce)
		req->event.buf = req->iov[0].iov_base;
	/* Without an opcode there is no message: it was cancelled, or never posted. */
	if (!(req->flags & FI_MULTI_RECV) || done->flags & UET_COMPLETION_LAST ||
	    !done->opcode) {
		finish(ep, req, reader);
		return;
	}
	req->event.context = req->context;
	req->event.flags |= req->flags & ~FI_MULTI_RECV;
	lf_ep_report(ep, &req->event, req->is_reported, reader);
}

static void end_one(struct lf_ep *ep, uint64_t cookie, const struct uet_completion *done,
		    const struct lf_cq *reader)
{
	struct lf_req *req = lf_req_find(ep, cookie);

	if (!req)
		lf_ep_late(ep, done->error ? (int)done->error : EPROTO, NULL);
	else if (req->flags & FI_RECV)
		end_receive(ep, req, done, reader);
	else
		end_operation(ep, req, done, reader);
}

/* The kernel has no space for more in the ring until it is asked. */
static void fill_ring(const struct lf_ep *ep)
{
	struct pollfd pfd = { .fd = ep->fd };

	if (__atomic_load_n(&ep->cq.shared->flags, __ATOMIC_ACQUIRE) & UET_CQ_RING_MORE)
		poll(&pfd, 1, 0);
}

static bool read_ring(struct lf_ep *ep, const struct lf_cq *reader)
{
	const struct uet_completion *record;
	struct uet_completion done;
	bool is_any = false;
	uint32_t i;

	while ((record = uet_cq_peek(&ep->cq))) {
		done = *record;
		uet_cq_next(&ep->cq);
		for (i = 0; i < done.count; i++)
			end_one(ep, done.cookie + i, &done, reader);
		is_any = true;
	}
	return is_any;
}

void lf_ep_read_ring(struct lf_ep *ep)
{
	fill_ring(ep);
	read_ring(ep, NULL);
}

static void continue_writes(struct lf_ep *ep, const struct lf_cq *reader)
{
	struct lf_req *req;

	while ((req = STAILQ_FIRST(&ep->unfinished))) {
		if (lf_write_continue(ep, req) == -FI_EAGAIN)
			return;
		STAILQ_REMOVE_HEAD(&ep->unfinished, link);
		if (!req->parts)
			finish(ep, req, reader);
	}
}

/* A write with completion data is a message without bytes. */
static bool read_written(struct lf_ep *ep, const struct lf_cq *reader)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct uet_ctx))];
		struct cmsghdr cmsg;
	} control;
	struct msghdr msg = { .msg_control = &control, .msg_controllen = sizeof(control) };
	struct lf_event event = { .source = FI_ADDR_NOTAVAIL };
	struct uet_ctx ctx;

	if (recvmsg(ep->memory_fd, &msg, MSG_DONTWAIT) < 0 || !CMSG_FIRSTHDR(&msg))
		return false;
	memcpy(&ctx, CMSG_DATA(&control.cmsg), sizeof(ctx));
	if (ctx.opcode != UET_OP_WRITE)
		return true;
	event.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
	event.length = ctx.length;
	event.data = ctx.header_data;
	if (ep->rx_cq)
		lf_cq_add(ep->rx_cq, &event, reader);
	return true;
}

void lf_ep_progress(struct lf_ep *ep, const struct lf_cq *reader)
{
	bool is_any;

	pthread_mutex_lock(&ep->lock);
	fill_ring(ep);
	is_any = read_ring(ep, reader);
	if (!STAILQ_EMPTY(&ep->unfinished))
		continue_writes(ep, reader);
	if (ep->memory_fd >= 0 && (!is_any || ++ep->busy_rounds == BUSY_ROUNDS)) {
		ep->busy_rounds = 0;
		while (read_written(ep, reader))
			;
		lf_ep_count_remote(ep);
	}
	pthread_mutex_unlock(&ep->lock);
}

/* An error that nobody takes would keep the socket ready. */
static bool take_error(struct lf_ep *ep)
{
	socklen_t length = sizeof(int);
	int error = 0;

	if (getsockopt(ep->fd, SOL_SOCKET, SO_ERROR, &error, &length) || !error)
		return false;
	lf_ep_late(ep, error, NULL);
	return true;
}

bool lf_ep_ready(struct lf_ep *ep, bool takes_errors)
{
	const struct lf_req *unfinished;
	bool is_ready;

	pthread_mutex_lock(&ep->lock);
	fill_ring(ep);
	unfinished = STAILQ_FIRST(&ep->unfinished);
	/* A write none of whose parts is under way: no completion will tell of space. */
	is_ready = uet_cq_peek(&ep->cq) || (unfinished && !unfinished->parts);
	if (!is_ready && takes_errors)
		is_ready = take_error(ep);
	pthread_mutex_unlock(&ep->lock);
	return is_ready;
}
