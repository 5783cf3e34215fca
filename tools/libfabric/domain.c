// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * A domain: the FEP and the job of its endpoints.
 */
#include <stdlib.h>
#include <string.h>

#include "atomics.h"
#include "endpoint.h"
#include "object.h"
#include "uet_family.h"

static int no_scalable_ep(struct fid_domain *domain, struct fi_info *info,
			  struct fid_ep **sep, void *context)
{
	return -FI_ENOSYS;
}

static int no_stx(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx,
		  void *context)
{
	return -FI_ENOSYS;
}

static int no_srx(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **rx,
		  void *context)
{
	return -FI_ENOSYS;
}

static int query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
			struct fi_atomic_attr *attr, uint64_t flags)
{
	struct lf_domain *d = lf_container(domain, struct lf_domain, fid);
	enum lf_atomic_kind kind = flags & FI_COMPARE_ATOMIC ? LF_ATOMIC_COMPARE :
				   flags & FI_FETCH_ATOMIC ? LF_ATOMIC_FETCH :
							     LF_ATOMIC_CHANGE;

	return lf_atomic_query(type, op, kind, d->place.mtu, attr);
}

static int domain_close(struct fid *fid)
{
	struct lf_domain *domain = lf_container(fid, struct lf_domain, fid.fid);

	if (atomic_load(&domain->refs))
		return -FI_EBUSY;
	lf_eq_bind(&domain->eq, NULL);
	atomic_fetch_sub(&domain->fabric->refs, 1);
	pthread_mutex_destroy(&domain->lock);
	pthread_mutex_destroy(&domain->count_lock);
	free(domain);
	return 0;
}

/* Events of the domain: there are none but those of address vectors. */
static int domain_bind(struct fid *fid, struct fid *eq, uint64_t flags)
{
	if (eq->fclass != FI_CLASS_EQ)
		return -FI_EINVAL;
	lf_eq_bind(&lf_container(fid, struct lf_domain, fid.fid)->eq,
		   lf_container(eq, struct fid_eq, fid));
	return 0;
}

static struct fi_ops domain_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = domain_close,
	.bind = domain_bind,
	.control = lf_no_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_domain domain_ops = {
	.size = sizeof(struct fi_ops_domain),
	.av_open = lf_av_open,
	.cq_open = lf_cq_open,
	.endpoint = lf_ep_open,
	.scalable_ep = no_scalable_ep,
	.cntr_open = lf_cntr_open,
	.poll_open = lf_poll_open,
	.stx_ctx = no_stx,
	.srx_ctx = no_srx,
	.query_atomic = query_atomic,
};

/* The place that fi_getinfo() has named. */
static int find_place(const struct fi_domain_attr *attr, struct lf_place *found)
{
	struct lf_place *places, *place;
	uint32_t job;
	int ret = lf_chosen_job(&job);

	if (ret)
		return ret;
	if (attr->auth_key_size == sizeof(job))
		memcpy(&job, attr->auth_key, sizeof(job));
	ret = lf_places(&places);
	if (ret)
		return ret;
	for (place = places; place; place = place->next)
		if ((!job || job == place->job) &&
		    (!attr->name || !strcmp(attr->name, place->fep)))
			break;
	if (place)
		*found = *place;
	else
		LF_WARN(DOMAIN, "there is no FEP %s with job %u\n",
			attr->name ? attr->name : "", job);
	lf_places_free(places);
	return place ? 0 : -FI_ENODEV;
}

int lf_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		   struct fid_domain **domain, void *context)
{
	struct lf_domain *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -FI_ENOMEM;
	ret = find_place(info->domain_attr, &new->place);
	if (ret) {
		free(new);
		return ret;
	}
	new->fid.fid.fclass = FI_CLASS_DOMAIN;
	new->fid.fid.context = context;
	new->fid.fid.ops = &domain_fid_ops;
	new->fid.ops = &domain_ops;
	new->fid.mr = &lf_mr_ops;
	new->family = uet_family();
	if (!new->family)
		new->family = AF_UET;
	new->mr_mode = info->domain_attr->mr_mode;
	new->format = info->addr_format;
	pthread_mutex_init(&new->lock, NULL);
	pthread_mutex_init(&new->count_lock, NULL);
	LIST_INIT(&new->eps);
	LIST_INIT(&new->mrs);
	LIST_INIT(&new->cntrs);
	LIST_INIT(&new->counted);
	new->fabric = lf_container(fabric, struct lf_fabric, fid);
	atomic_fetch_add(&new->fabric->refs, 1);
	*domain = &new->fid;
	return 0;
}
