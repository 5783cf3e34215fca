// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Counters of operations of peers on memory (FI_RMA_EVENT).  The kernel counts these
 * operations for each region and each socket.  Reading a counter adds the new ones.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "endpoint.h"

/* From now on the counter watches each endpoint of the domain. */
int lf_cntr_begin_remote(struct lf_cntr *cntr)
{
	struct lf_domain *domain = cntr->domain;
	struct lf_ep *ep;
	int ret = 0;

	pthread_mutex_lock(&domain->lock);
	if (!cntr->is_remote) {
		LIST_INSERT_HEAD(&domain->cntrs, cntr, link);
		cntr->is_remote = true;
		atomic_store(&domain->is_counting, true);
	}
	LIST_FOREACH(ep, &domain->eps, link)
		if (!ret)
			ret = lf_ep_watch_remote(ep, cntr);
	pthread_mutex_unlock(&domain->lock);
	return ret;
}

void lf_cntr_end_remote(struct lf_cntr *cntr)
{
	pthread_mutex_lock(&cntr->domain->lock);
	if (cntr->is_remote)
		LIST_REMOVE(cntr, link);
	pthread_mutex_unlock(&cntr->domain->lock);
}

/* The counts of a region, or of all, since the last call. */
static struct uet_mr_counts take(const struct lf_ep *ep, uint64_t key)
{
	struct uet_mr_counts counts = { .key = key };

	if (!uet_ioctl(ep->memory_fd, UET_IOC_MR_COUNTS, &counts))
		return counts;
	LF_WARN(MR, "counts of key 0x%llx: %s\n", (unsigned long long)key, strerror(errno));
	return (struct uet_mr_counts){ .key = key };
}

static void count_region(const struct lf_ep *ep, const struct lf_mr *mr)
{
	const struct uet_mr_counts counts = take(ep, mr->reg.key);

	lf_cntr_add(mr->cntr, counts.writes + counts.fetches);
}

int lf_mr_begin_remote(struct lf_mr *mr, struct lf_cntr *cntr)
{
	struct lf_domain *domain = mr->domain;
	int ret;

	if (mr->cntr || cntr->domain != domain)
		return -FI_EINVAL;
	ret = lf_cntr_begin_remote(cntr);
	if (ret)
		return ret;
	atomic_fetch_add(&cntr->binds, 1);
	mr->cntr = cntr;
	pthread_mutex_lock(&domain->count_lock);
	if (lf_mr_is_remote(mr))
		LIST_INSERT_HEAD(&domain->counted, mr, counted);
	pthread_mutex_unlock(&domain->count_lock);
	return 0;
}

/* The counter keeps the operations that have ended by now. */
void lf_mr_end_remote(struct lf_mr *mr)
{
	struct lf_domain *domain = mr->domain;
	const struct lf_ep *ep;

	if (!mr->cntr)
		return;
	pthread_mutex_lock(&domain->lock);
	pthread_mutex_lock(&domain->count_lock);
	if (lf_mr_is_remote(mr)) {
		LIST_REMOVE(mr, counted);
		LIST_FOREACH(ep, &domain->eps, link)
			count_region(ep, mr);
	}
	pthread_mutex_unlock(&domain->count_lock);
	pthread_mutex_unlock(&domain->lock);
	atomic_fetch_sub(&mr->cntr->binds, 1);
}

void lf_ep_count_remote(struct lf_ep *ep)
{
	struct pollfd pfd = { .fd = ep->memory_fd, .events = POLLPRI };
	struct lf_domain *domain = ep->domain;
	struct uet_mr_counts counts;
	const struct lf_mr *mr;

	if (!atomic_load(&domain->is_counting) || poll(&pfd, 1, 0) != 1 ||
	    !(pfd.revents & POLLPRI))
		return;
	counts = take(ep, UET_MR_ALL);
	lf_cntr_add(ep->cntrs[LF_COUNT_REMOTE_WRITE], counts.writes);
	lf_cntr_add(ep->cntrs[LF_COUNT_REMOTE_READ], counts.reads + counts.fetches);
	pthread_mutex_lock(&domain->count_lock);
	LIST_FOREACH(mr, &domain->counted, counted)
		count_region(ep, mr);
	pthread_mutex_unlock(&domain->count_lock);
}
