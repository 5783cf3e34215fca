// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The endpoints behind a completion queue, a counter or an address vector.
 */
#include <stdlib.h>

#include "endpoint.h"
#include "object.h"

void lf_eps_init(struct lf_eps *eps)
{
	pthread_mutex_init(&eps->lock, NULL);
}

void lf_eps_fini(struct lf_eps *eps)
{
	pthread_mutex_destroy(&eps->lock);
	free(eps->list);
}

static int has(const struct lf_eps *eps, const struct lf_ep *ep)
{
	unsigned int i;

	for (i = 0; i < eps->count; i++)
		if (eps->list[i] == ep)
			return (int)i;
	return -1;
}

int lf_eps_add(struct lf_eps *eps, struct lf_ep *ep)
{
	struct lf_ep **list = eps->list;
	int ret = 0;

	pthread_mutex_lock(&eps->lock);
	if (has(eps, ep) >= 0)
		goto out;
	if (eps->count == eps->space) {
		list = realloc(list, (eps->space + 8) * sizeof(struct lf_ep *));
		if (!list) {
			ret = -FI_ENOMEM;
			goto out;
		}
		eps->list = list;
		eps->space += 8;
	}
	eps->list[eps->count++] = ep;
out:
	pthread_mutex_unlock(&eps->lock);
	return ret;
}

void lf_eps_del(struct lf_eps *eps, const struct lf_ep *ep)
{
	int i;

	pthread_mutex_lock(&eps->lock);
	i = has(eps, ep);
	if (i >= 0)
		eps->list[i] = eps->list[--eps->count];
	pthread_mutex_unlock(&eps->lock);
}

void lf_eps_progress(struct lf_eps *eps, const struct lf_cq *reader)
{
	unsigned int i;

	pthread_mutex_lock(&eps->lock);
	for (i = 0; i < eps->count; i++)
		lf_ep_progress(eps->list[i], reader);
	pthread_mutex_unlock(&eps->lock);
}

bool lf_eps_ready(struct lf_eps *eps, bool takes_errors)
{
	bool is_ready = false;
	unsigned int i;

	pthread_mutex_lock(&eps->lock);
	for (i = 0; i < eps->count && !is_ready; i++)
		is_ready = lf_ep_ready(eps->list[i], takes_errors);
	pthread_mutex_unlock(&eps->lock);
	return is_ready;
}
