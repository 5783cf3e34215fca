// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The fabric: there is one, and it only knows how many use it.
 */
#include <stdlib.h>

#include "object.h"

static int trywait_one(struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return lf_cq_trywait(lf_container(fid, struct lf_cq, fid.fid));
	case FI_CLASS_CNTR:
		return lf_cntr_trywait(lf_container(fid, struct lf_cntr, fid.fid));
	case FI_CLASS_EQ:
		return lf_eq_trywait(lf_container(fid, struct fid_eq, fid));
	}
	return -FI_EINVAL;
}

static int fabric_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
	int i, ret = 0;

	for (i = 0; i < count && !ret; i++)
		ret = trywait_one(fids[i]);
	return ret;
}

static int no_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
			 struct fid_pep **pep, void *context)
{
	return -FI_ENOSYS;
}

static int no_wait_open(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			struct fid_wait **waitset)
{
	return -FI_ENOSYS;
}

static int fabric_close(struct fid *fid)
{
	struct lf_fabric *fabric = lf_container(fid, struct lf_fabric, fid.fid);

	if (atomic_load(&fabric->refs))
		return -FI_EBUSY;
	free(fabric);
	return 0;
}

static struct fi_ops fabric_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = fabric_close,
	.bind = lf_no_bind,
	.control = lf_no_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_fabric fabric_ops = {
	.size = sizeof(struct fi_ops_fabric),
	.domain = lf_domain_open,
	.passive_ep = no_passive_ep,
	.eq_open = lf_eq_open,
	.wait_open = no_wait_open,
	.trywait = fabric_trywait,
};

int lf_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
	struct lf_fabric *new = calloc(1, sizeof(*new));

	if (!new)
		return -FI_ENOMEM;
	new->fid.fid.fclass = FI_CLASS_FABRIC;
	new->fid.fid.context = context;
	new->fid.fid.ops = &fabric_fid_ops;
	new->fid.ops = &fabric_ops;
	*fabric = &new->fid;
	return 0;
}
