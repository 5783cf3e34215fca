// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Counters of operations that have ended, and sleeping until they reach a value.
 */
#include <stdlib.h>

#include "endpoint.h"
#include "object.h"

static struct lf_cntr *to_cntr(struct fid_cntr *fid)
{
	return lf_container(fid, struct lf_cntr, fid);
}

void lf_cntr_count(struct lf_cntr *cntr, bool is_error)
{
	if (!cntr)
		return;
	atomic_fetch_add(is_error ? &cntr->errors : &cntr->value, 1);
	lf_wait_signal(&cntr->wait);
}

void lf_cntr_add(struct lf_cntr *cntr, uint64_t value)
{
	if (!cntr || !value)
		return;
	atomic_fetch_add(&cntr->value, value);
	lf_wait_signal(&cntr->wait);
}

static uint64_t cntr_read(struct fid_cntr *fid)
{
	struct lf_cntr *cntr = to_cntr(fid);

	lf_eps_progress(&cntr->eps, NULL);
	return atomic_load(&cntr->value);
}

static uint64_t cntr_readerr(struct fid_cntr *fid)
{
	struct lf_cntr *cntr = to_cntr(fid);

	lf_eps_progress(&cntr->eps, NULL);
	return atomic_load(&cntr->errors);
}

static int cntr_add(struct fid_cntr *fid, uint64_t value)
{
	lf_cntr_add(to_cntr(fid), value);
	return 0;
}

static int cntr_set(struct fid_cntr *fid, uint64_t value)
{
	atomic_store(&to_cntr(fid)->value, value);
	lf_wait_signal(&to_cntr(fid)->wait);
	return 0;
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	atomic_fetch_add(&to_cntr(fid)->errors, value);
	lf_wait_signal(&to_cntr(fid)->wait);
	return 0;
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	atomic_store(&to_cntr(fid)->errors, value);
	lf_wait_signal(&to_cntr(fid)->wait);
	return 0;
}

int lf_cntr_trywait(struct lf_cntr *cntr)
{
	if (cntr->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	lf_wait_clear(&cntr->wait);
	return lf_eps_ready(&cntr->eps, true) ? -FI_EAGAIN : 0;
}

static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct lf_cntr *cntr = to_cntr(fid);
	uint64_t errors = atomic_load(&cntr->errors);
	int64_t deadline = lf_deadline(timeout);
	bool has_slept = false;
	int rest;

	for (;;) {
		lf_wait_clear(&cntr->wait);
		if (cntr_read(fid) >= threshold)
			return 0;
		if (atomic_load(&cntr->errors) != errors)
			return -FI_EAVAIL;
		rest = lf_rest(deadline);
		if (!rest)
			return -FI_ETIMEDOUT;
		if (!lf_eps_ready(&cntr->eps, has_slept))
			lf_wait_sleep(&cntr->wait, rest);
		has_slept = true;
	}
}

static int cntr_close(struct fid *fid)
{
	struct lf_cntr *cntr = lf_container(fid, struct lf_cntr, fid.fid);

	if (atomic_load(&cntr->binds))
		return -FI_EBUSY;
	lf_cntr_end_remote(cntr);
	atomic_fetch_sub(&cntr->domain->refs, 1);
	lf_wait_close(&cntr->wait);
	lf_eps_fini(&cntr->eps);
	free(cntr);
	return 0;
}

static int cntr_control(struct fid *fid, int command, void *arg)
{
	return lf_wait_control(&lf_container(fid, struct lf_cntr, fid.fid)->wait, command,
			       arg);
}

static struct fi_ops cntr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = cntr_close,
	.bind = lf_no_bind,
	.control = cntr_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_cntr cntr_ops = {
	.size = sizeof(struct fi_ops_cntr),
	.read = cntr_read,
	.readerr = cntr_readerr,
	.add = cntr_add,
	.set = cntr_set,
	.wait = cntr_wait,
	.adderr = cntr_adderr,
	.seterr = cntr_seterr,
};

int lf_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		 struct fid_cntr **cntr, void *context)
{
	struct lf_cntr *new;
	int ret;

	if (attr && (attr->events != FI_CNTR_EVENTS_COMP || attr->flags))
		return -FI_EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -FI_ENOMEM;
	ret = lf_wait_open(&new->wait, attr ? attr->wait_obj : FI_WAIT_UNSPEC);
	if (ret) {
		free(new);
		return ret;
	}
	new->fid.fid.fclass = FI_CLASS_CNTR;
	new->fid.fid.context = context;
	new->fid.fid.ops = &cntr_fid_ops;
	new->fid.ops = &cntr_ops;
	new->domain = lf_container(domain, struct lf_domain, fid);
	lf_eps_init(&new->eps);
	atomic_fetch_add(&new->domain->refs, 1);
	*cntr = &new->fid;
	return 0;
}
