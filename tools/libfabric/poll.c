// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Poll sets: which of several completion queues and counters have something to read.
 */
#include <stdlib.h>

#include "object.h"

/**
 * struct poll_entry - an object of a poll set
 * @fid: the object
 * @seen: value of a counter that was reported
 * @link: in the set
 */
struct poll_entry {
	struct fid *fid;
	uint64_t seen;
	LIST_ENTRY(poll_entry) link;
};

/**
 * struct lf_poll - poll set
 * @fid: for the user
 * @domain: of the set
 * @lock: protects @entries
 * @entries: objects
 */
struct lf_poll {
	struct fid_poll fid;
	struct lf_domain *domain;
	pthread_mutex_t lock;
	LIST_HEAD(, poll_entry) entries;
};

static bool has_changed(struct poll_entry *entry)
{
	struct lf_cntr *cntr;
	struct lf_cq *cq;
	uint64_t value;

	if (entry->fid->fclass == FI_CLASS_CQ) {
		cq = lf_container(entry->fid, struct lf_cq, fid.fid);
		lf_eps_progress(&cq->eps, cq);
		pthread_mutex_lock(&cq->lock);
		value = cq->tail - cq->head;
		pthread_mutex_unlock(&cq->lock);
		return value;
	}
	cntr = lf_container(entry->fid, struct lf_cntr, fid.fid);
	value = fi_cntr_read(&cntr->fid);
	if (value == entry->seen)
		return false;
	entry->seen = value;
	return true;
}

static int poll_poll(struct fid_poll *fid, void **context, int count)
{
	struct lf_poll *set = lf_container(fid, struct lf_poll, fid);
	struct poll_entry *entry;
	int found = 0;

	pthread_mutex_lock(&set->lock);
	LIST_FOREACH(entry, &set->entries, link) {
		if (found == count)
			break;
		if (has_changed(entry))
			context[found++] = entry->fid->context;
	}
	pthread_mutex_unlock(&set->lock);
	return found;
}

static atomic_uint *binds_of(struct fid *object)
{
	return object->fclass == FI_CLASS_CQ ? &lf_container(object, struct lf_cq, fid.fid)->binds :
					       &lf_container(object, struct lf_cntr, fid.fid)->binds;
}

static int poll_add(struct fid_poll *fid, struct fid *object, uint64_t flags)
{
	struct lf_poll *set = lf_container(fid, struct lf_poll, fid);
	struct poll_entry *entry;

	if (object->fclass != FI_CLASS_CQ && object->fclass != FI_CLASS_CNTR)
		return -FI_EINVAL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -FI_ENOMEM;
	entry->fid = object;
	atomic_fetch_add(binds_of(object), 1);
	pthread_mutex_lock(&set->lock);
	LIST_INSERT_HEAD(&set->entries, entry, link);
	pthread_mutex_unlock(&set->lock);
	return 0;
}

static int poll_del(struct fid_poll *fid, struct fid *object, uint64_t flags)
{
	struct lf_poll *set = lf_container(fid, struct lf_poll, fid);
	struct poll_entry *entry;

	pthread_mutex_lock(&set->lock);
	LIST_FOREACH(entry, &set->entries, link)
		if (entry->fid == object)
			break;
	if (entry) {
		LIST_REMOVE(entry, link);
		atomic_fetch_sub(binds_of(object), 1);
	}
	pthread_mutex_unlock(&set->lock);
	free(entry);
	return entry ? 0 : -FI_EINVAL;
}

static int poll_close(struct fid *fid)
{
	struct lf_poll *set = lf_container(fid, struct lf_poll, fid.fid);

	if (!LIST_EMPTY(&set->entries))
		return -FI_EBUSY;
	atomic_fetch_sub(&set->domain->refs, 1);
	pthread_mutex_destroy(&set->lock);
	free(set);
	return 0;
}

static struct fi_ops poll_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = poll_close,
	.bind = lf_no_bind,
	.control = lf_no_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_poll poll_ops = {
	.size = sizeof(struct fi_ops_poll),
	.poll = poll_poll,
	.poll_add = poll_add,
	.poll_del = poll_del,
};

int lf_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		 struct fid_poll **pollset)
{
	struct lf_poll *set;

	if (attr && attr->flags)
		return -FI_EINVAL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -FI_ENOMEM;
	set->fid.fid.fclass = FI_CLASS_POLL;
	set->fid.fid.ops = &poll_fid_ops;
	set->fid.ops = &poll_ops;
	set->domain = lf_container(domain, struct lf_domain, fid);
	pthread_mutex_init(&set->lock, NULL);
	atomic_fetch_add(&set->domain->refs, 1);
	*pollset = &set->fid;
	return 0;
}
