// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Completion queues: entries in the format that the user chose, errors, and sleeping.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

#define FIRST_SPACE	256

static struct lf_cq *to_cq(struct fid_cq *fid)
{
	return lf_container(fid, struct lf_cq, fid);
}

static int grow(struct lf_cq *cq)
{
	uint32_t space = cq->space ? cq->space * 2 : FIRST_SPACE, i;
	struct lf_event *events = malloc(space * sizeof(*events));

	if (!events)
		return -FI_ENOMEM;
	for (i = cq->head; i != cq->tail; i++)
		events[i & (space - 1)] = cq->events[i & (cq->space - 1)];
	free(cq->events);
	cq->events = events;
	cq->space = space;
	return 0;
}

/* Without the lock: an entry that another thread adds meanwhile may be missed. */
static bool is_empty(const struct lf_cq *cq)
{
	return __atomic_load_n(&cq->head, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&cq->tail, __ATOMIC_RELAXED);
}

/* A place of the ring has a new owner.  The lock is held. */
static void advance(uint32_t *place)
{
	__atomic_store_n(place, *place + 1, __ATOMIC_RELAXED);
}

void lf_cq_add(struct lf_cq *cq, const struct lf_event *event, const struct lf_cq *reader)
{
	pthread_mutex_lock(&cq->lock);
	if (cq->tail - cq->head == cq->space && grow(cq)) {
		LF_WARN(CQ, "no memory: a completion is lost\n");
		free(event->text);
	} else {
		cq->events[cq->tail & (cq->space - 1)] = *event;
		advance(&cq->tail);
	}
	pthread_mutex_unlock(&cq->lock);
	if (cq != reader)
		lf_wait_signal(&cq->wait);
}

/* An entry in a format of the user.  Return: its size. */
static size_t put(enum fi_cq_format format, const struct lf_event *event, void *buf)
{
	struct fi_cq_tagged_entry entry = {
		.op_context = event->context, .flags = event->flags,
		.len = event->length, .buf = event->buf, .data = event->data,
		.tag = event->tag,
	};
	size_t size = sizeof(struct fi_cq_entry);

	if (format == FI_CQ_FORMAT_MSG)
		size = sizeof(struct fi_cq_msg_entry);
	else if (format == FI_CQ_FORMAT_DATA)
		size = sizeof(struct fi_cq_data_entry);
	else if (format == FI_CQ_FORMAT_TAGGED)
		size = sizeof(struct fi_cq_tagged_entry);
	/* Each format is the beginning of the next one. */
	memcpy(buf, &entry, size);
	return size;
}

/* Take entries up to the first error.  Return: number, or -FI_EAVAIL, -FI_EAGAIN. */
static ssize_t take(struct lf_cq *cq, char *buf, size_t count, fi_addr_t *source)
{
	const struct lf_event *event;
	ssize_t taken = 0;

	if (is_empty(cq))
		return -FI_EAGAIN;
	pthread_mutex_lock(&cq->lock);
	for (; (size_t)taken < count && cq->head != cq->tail; taken++) {
		event = &cq->events[cq->head & (cq->space - 1)];
		if (event->error)
			break;
		buf += put(cq->format, event, buf);
		if (source)
			source[taken] = event->source;
		advance(&cq->head);
	}
	if (!taken)
		taken = cq->head != cq->tail ? -FI_EAVAIL : -FI_EAGAIN;
	pthread_mutex_unlock(&cq->lock);
	return taken;
}

static ssize_t cq_readfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *source)
{
	struct lf_cq *cq = to_cq(fid);
	ssize_t taken;

	if (count) {
		taken = take(cq, buf, count, source);
		if (taken != -FI_EAGAIN)
			return taken;
	}
	lf_eps_progress(&cq->eps, cq);
	return count ? take(cq, buf, count, source) : 0;
}

static ssize_t cq_read(struct fid_cq *fid, void *buf, size_t count)
{
	return cq_readfrom(fid, buf, count, NULL);
}

static void put_error(struct lf_cq *cq, const struct lf_event *event,
		      struct fi_cq_err_entry *entry)
{
	entry->op_context = event->context;
	entry->flags = event->flags;
	entry->len = event->length;
	entry->buf = event->buf;
	entry->data = event->data;
	entry->tag = event->tag;
	entry->olen = event->cut;
	entry->err = event->error;
	entry->prov_errno = event->detail;
	snprintf(cq->text, sizeof(cq->text), "%s",
		 event->text ? event->text : fi_strerror(event->error));
	free(event->text);
	lf_put_err_data(cq->text, cq->domain->fabric->fid.api_version, &entry->err_data,
			&entry->err_data_size);
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags)
{
	struct lf_cq *cq = to_cq(fid);
	const struct lf_event *event;
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&cq->lock);
	event = &cq->events[cq->head & (cq->space - 1)];
	if (cq->head != cq->tail && event->error) {
		put_error(cq, event, entry);
		advance(&cq->head);
		ret = 1;
	}
	pthread_mutex_unlock(&cq->lock);
	return ret;
}

/* May a thread sleep? */
static bool is_idle(struct lf_cq *cq, bool takes_errors)
{
	lf_wait_clear(&cq->wait);
	return is_empty(cq) && !atomic_load(&cq->is_signalled) &&
	       !lf_eps_ready(&cq->eps, takes_errors);
}

int lf_cq_trywait(struct lf_cq *cq)
{
	if (cq->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	return is_idle(cq, true) ? 0 : -FI_EAGAIN;
}

static ssize_t cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *source,
			    const void *cond, int timeout)
{
	int64_t deadline = lf_deadline(timeout);
	struct lf_cq *cq = to_cq(fid);
	bool has_slept = false;
	ssize_t ret;
	int rest;

	if (cq->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	for (;;) {
		ret = cq_readfrom(fid, buf, count, source);
		if (ret != -FI_EAGAIN || atomic_exchange(&cq->is_signalled, false))
			return ret;
		rest = lf_rest(deadline);
		if (!rest)
			return -FI_EAGAIN;
		/* An error of a socket ends the first sleep. */
		if (is_idle(cq, has_slept))
			lf_wait_sleep(&cq->wait, rest);
		has_slept = true;
	}
}

static ssize_t cq_sread(struct fid_cq *fid, void *buf, size_t count, const void *cond,
			int timeout)
{
	return cq_sreadfrom(fid, buf, count, NULL, cond, timeout);
}

static int cq_signal(struct fid_cq *fid)
{
	struct lf_cq *cq = to_cq(fid);

	atomic_store(&cq->is_signalled, true);
	lf_wait_signal(&cq->wait);
	return 0;
}

static const char *cq_strerror(struct fid_cq *fid, int detail, const void *data, char *buf,
			       size_t len)
{
	return lf_put_text(data ? data : lf_code_text(detail), buf, len);
}

static void cq_free(struct lf_cq *cq)
{
	lf_wait_close(&cq->wait);
	lf_eps_fini(&cq->eps);
	pthread_mutex_destroy(&cq->lock);
	for (; cq->head != cq->tail; cq->head++)
		free(cq->events[cq->head & (cq->space - 1)].text);
	free(cq->events);
	free(cq);
}

static int cq_close(struct fid *fid)
{
	struct lf_cq *cq = lf_container(fid, struct lf_cq, fid.fid);

	if (atomic_load(&cq->binds))
		return -FI_EBUSY;
	atomic_fetch_sub(&cq->domain->refs, 1);
	cq_free(cq);
	return 0;
}

static int cq_control(struct fid *fid, int command, void *arg)
{
	return lf_wait_control(&lf_container(fid, struct lf_cq, fid.fid)->wait, command, arg);
}

static struct fi_ops cq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = cq_close,
	.bind = lf_no_bind,
	.control = cq_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_cq cq_ops = {
	.size = sizeof(struct fi_ops_cq),
	.read = cq_read,
	.readfrom = cq_readfrom,
	.readerr = cq_readerr,
	.sread = cq_sread,
	.sreadfrom = cq_sreadfrom,
	.signal = cq_signal,
	.strerror = cq_strerror,
};

static int cq_init(struct lf_cq *cq, struct lf_domain *domain, const struct fi_cq_attr *attr)
{
	cq->fid.fid.fclass = FI_CLASS_CQ;
	cq->fid.fid.ops = &cq_fid_ops;
	cq->fid.ops = &cq_ops;
	cq->domain = domain;
	cq->format = attr->format == FI_CQ_FORMAT_UNSPEC ? FI_CQ_FORMAT_CONTEXT :
							   attr->format;
	pthread_mutex_init(&cq->lock, NULL);
	lf_eps_init(&cq->eps);
	return grow(cq);
}

int lf_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
	       void *context)
{
	struct lf_cq *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -FI_ENOMEM;
	ret = lf_wait_open(&new->wait, attr->wait_obj);
	if (ret) {
		free(new);
		return ret;
	}
	ret = cq_init(new, lf_container(domain, struct lf_domain, fid), attr);
	if (ret) {
		cq_free(new);
		return ret;
	}
	new->fid.fid.context = context;
	atomic_fetch_add(&new->domain->refs, 1);
	*cq = &new->fid;
	return 0;
}
