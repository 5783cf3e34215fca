// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Event queues: what the user and address vectors write into them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

/**
 * struct eq_event - an event
 * @event: FI_*
 * @is_error: @data is a struct failure
 * @length: bytes of @data
 * @link: in the queue
 * @data: entry
 */
struct eq_event {
	uint32_t event;
	bool is_error;
	size_t length;
	STAILQ_ENTRY(eq_event) link;
	char data[];
};

/**
 * struct lf_eq - event queue
 * @fid: for the user
 * @fabric: where it was opened
 * @wait: for sleeping
 * @binds: domains, endpoints and address vectors that report here
 * @lock: protects @events
 * @events: the oldest first
 * @text: reason of the error that was read last
 */
struct lf_eq {
	struct fid_eq fid;
	struct lf_fabric *fabric;
	struct lf_wait wait;
	atomic_uint binds;
	pthread_mutex_t lock;
	STAILQ_HEAD(, eq_event) events;
	char text[LF_ERR_DATA];
};

/**
 * struct failure - data of an error
 * @entry: for the user
 * @text: its reason
 */
struct failure {
	struct fi_eq_err_entry entry;
	char text[LF_ERR_DATA];
};

static struct lf_eq *to_eq(struct fid_eq *fid)
{
	return lf_container(fid, struct lf_eq, fid);
}

static ssize_t append(struct lf_eq *eq, uint32_t event, bool is_error, const void *buf,
		      size_t len)
{
	struct eq_event *new = malloc(sizeof(*new) + len);

	if (!new)
		return -FI_ENOMEM;
	new->event = event;
	new->is_error = is_error;
	new->length = len;
	memcpy(new->data, buf, len);
	pthread_mutex_lock(&eq->lock);
	STAILQ_INSERT_TAIL(&eq->events, new, link);
	pthread_mutex_unlock(&eq->lock);
	lf_wait_signal(&eq->wait);
	return (ssize_t)len;
}

static ssize_t eq_write(struct fid_eq *fid, uint32_t event, const void *buf, size_t len,
			uint64_t flags)
{
	return append(to_eq(fid), event, false, buf, len);
}

void lf_eq_fail(struct fid_eq *fid, const struct fi_eq_err_entry *entry, const char *text)
{
	struct failure failure = { .entry = *entry };

	snprintf(failure.text, sizeof(failure.text), "%s", text);
	if (append(to_eq(fid), 0, true, &failure, sizeof(failure)) < 0)
		LF_WARN(EQ, "no memory: an error is lost\n");
}

static ssize_t eq_read(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
		       uint64_t flags)
{
	struct lf_eq *eq = to_eq(fid);
	struct eq_event *first;
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&eq->lock);
	first = STAILQ_FIRST(&eq->events);
	if (first && first->is_error) {
		ret = -FI_EAVAIL;
	} else if (first && first->length > len) {
		ret = -FI_ETOOSMALL;
	} else if (first) {
		*event = first->event;
		memcpy(buf, first->data, first->length);
		ret = (ssize_t)first->length;
		if (!(flags & FI_PEEK)) {
			STAILQ_REMOVE_HEAD(&eq->events, link);
			free(first);
		}
	}
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static void put_error(struct lf_eq *eq, const struct failure *failure,
		      struct fi_eq_err_entry *entry)
{
	size_t size = entry->err_data_size;
	void *data = entry->err_data;

	memcpy(eq->text, failure->text, sizeof(eq->text));
	*entry = failure->entry;
	lf_put_err_data(eq->text, eq->fabric->fid.api_version, &data, &size);
	entry->err_data = data;
	entry->err_data_size = size;
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *entry, uint64_t flags)
{
	struct lf_eq *eq = to_eq(fid);
	struct eq_event *first;
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&eq->lock);
	first = STAILQ_FIRST(&eq->events);
	if (first && first->is_error) {
		put_error(eq, (const struct failure *)first->data, entry);
		ret = sizeof(*entry);
		STAILQ_REMOVE_HEAD(&eq->events, link);
		free(first);
	}
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

void lf_eq_bind(struct fid_eq **place, struct fid_eq *eq)
{
	if (*place)
		atomic_fetch_sub(&to_eq(*place)->binds, 1);
	if (eq)
		atomic_fetch_add(&to_eq(eq)->binds, 1);
	*place = eq;
}

int lf_eq_trywait(struct fid_eq *fid)
{
	struct lf_eq *eq = to_eq(fid);
	bool is_empty;

	if (eq->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	lf_wait_clear(&eq->wait);
	pthread_mutex_lock(&eq->lock);
	is_empty = STAILQ_EMPTY(&eq->events);
	pthread_mutex_unlock(&eq->lock);
	return is_empty ? 0 : -FI_EAGAIN;
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
			int timeout, uint64_t flags)
{
	int64_t deadline = lf_deadline(timeout);
	struct lf_eq *eq = to_eq(fid);
	ssize_t ret;
	int rest;

	if (eq->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	for (;;) {
		ret = eq_read(fid, event, buf, len, flags);
		rest = lf_rest(deadline);
		if (ret != -FI_EAGAIN || !rest)
			return ret;
		if (!lf_eq_trywait(fid))
			lf_wait_sleep(&eq->wait, rest);
	}
}

static const char *eq_strerror(struct fid_eq *fid, int detail, const void *data, char *buf,
			       size_t len)
{
	return lf_put_text(data ? data : fi_strerror(detail), buf, len);
}

static int eq_close(struct fid *fid)
{
	struct lf_eq *eq = lf_container(fid, struct lf_eq, fid.fid);
	struct eq_event *event;

	if (atomic_load(&eq->binds))
		return -FI_EBUSY;
	while ((event = STAILQ_FIRST(&eq->events))) {
		STAILQ_REMOVE_HEAD(&eq->events, link);
		free(event);
	}
	atomic_fetch_sub(&eq->fabric->refs, 1);
	lf_wait_close(&eq->wait);
	pthread_mutex_destroy(&eq->lock);
	free(eq);
	return 0;
}

static int eq_control(struct fid *fid, int command, void *arg)
{
	return lf_wait_control(&lf_container(fid, struct lf_eq, fid.fid)->wait, command, arg);
}

static struct fi_ops eq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = eq_close,
	.bind = lf_no_bind,
	.control = eq_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_eq eq_ops = {
	.size = sizeof(struct fi_ops_eq),
	.read = eq_read,
	.readerr = eq_readerr,
	.write = eq_write,
	.sread = eq_sread,
	.strerror = eq_strerror,
};

int lf_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
	       void *context)
{
	struct lf_eq *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -FI_ENOMEM;
	ret = lf_wait_open(&new->wait, attr ? attr->wait_obj : FI_WAIT_NONE);
	if (ret) {
		free(new);
		return ret;
	}
	new->fid.fid.fclass = FI_CLASS_EQ;
	new->fid.fid.context = context;
	new->fid.fid.ops = &eq_fid_ops;
	new->fid.ops = &eq_ops;
	pthread_mutex_init(&new->lock, NULL);
	STAILQ_INIT(&new->events);
	new->fabric = lf_container(fabric, struct lf_fabric, fid);
	atomic_fetch_add(&new->fabric->refs, 1);
	*eq = &new->fid;
	return 0;
}
