// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * fi_getinfo(): an answer for each FEP and job of this network namespace.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hints.h"
#include "name.h"
#include "provider.h"

/**
 * struct question - the arguments of fi_getinfo()
 * @version: API of the application
 * @node: host, or NULL
 * @service: number, or NULL
 * @flags: FI_SOURCE: node and service are the own address
 * @hints: what the application asks for, or NULL
 * @job: JobID that variables choose, 0: any
 */
struct question {
	uint32_t version;
	const char *node;
	const char *service;
	uint64_t flags;
	const struct fi_info *hints;
	uint32_t job;
};

static uint32_t format_of(const struct question *q)
{
	return lf_hints_format(q->hints);
}

/* An address among the hints.  Return: 1 if there is one, or a negative FI_* error. */
static int hinted(const struct question *q, const void *addr, size_t length,
		  const struct lf_place *place, struct lf_name *name)
{
	if (!addr)
		return 0;
	if (length != lf_name_size(format_of(q)))
		return -FI_ENODATA;
	return lf_name_unpack(name, format_of(q), addr, place) ? -FI_ENODATA : 1;
}

/* The own address.  Return: 0, or FI_ENODATA: this place does not have it. */
static int source(const struct question *q, const struct lf_place *place,
		  struct lf_name *name)
{
	static const uint8_t any[16];
	int ret = 0;

	lf_name_of_place(name, place);
	if (q->flags & FI_SOURCE)
		ret = lf_name_resolve(name, q->node, q->service, lf_place_pid(place));
	else if (q->hints)
		ret = hinted(q, q->hints->src_addr, q->hints->src_addrlen, place, name);
	if (ret < 0)
		return ret;
	if (!memcmp(name->fa, any, sizeof(any)))
		memcpy(name->fa, place->fa, sizeof(name->fa));
	return memcmp(name->fa, place->fa, sizeof(name->fa)) ||
	       ntohl(name->job) != place->job ? -FI_ENODATA : 0;
}

/* The address of the peer.  Return: 1 if there is one, or a negative FI_* error. */
static int destination(const struct question *q, const struct lf_place *place,
		       struct lf_name *name)
{
	int ret;

	if (q->node && !(q->flags & FI_SOURCE)) {
		lf_name_of_place(name, place);
		ret = lf_name_resolve(name, q->node, q->service ? q->service : "0",
				      lf_place_pid(place));
		return ret ? ret : 1;
	}
	return q->hints ? hinted(q, q->hints->dest_addr, q->hints->dest_addrlen, place,
				 name) : 0;
}

static int set_addr(const struct lf_name *name, uint32_t format, void **addr, size_t *length)
{
	*length = lf_name_size(format);
	*addr = malloc(*length);
	if (!*addr)
		return -FI_ENOMEM;
	lf_name_pack(name, format, *addr);
	return 0;
}

static int set_key(uint32_t job, uint8_t **key, size_t *size)
{
	*key = malloc(sizeof(job));
	if (!*key)
		return -FI_ENOMEM;
	memcpy(*key, &job, sizeof(job));
	*size = sizeof(job);
	return 0;
}

static int set_names(struct fi_info *info, const struct lf_place *place)
{
	info->fabric_attr->name = strdup(lf_provider.name);
	info->domain_attr->name = strdup(place->fep);
	if (!info->fabric_attr->name || !info->domain_attr->name)
		return -FI_ENOMEM;
	return set_key(place->job, &info->domain_attr->auth_key,
		       &info->domain_attr->auth_key_size);
}

static int fill(const struct question *q, const struct lf_place *place, struct fi_info *info)
{
	struct lf_name name;
	int ret = source(q, place, &name);

	if (ret)
		return ret;
	lf_hints_answer(q->version, q->hints, info);
	ret = set_names(info, place);
	if (!ret)
		ret = set_addr(&name, format_of(q), &info->src_addr, &info->src_addrlen);
	if (ret)
		return ret;
	ret = destination(q, place, &name);
	if (ret <= 0)
		return ret;
	return set_addr(&name, format_of(q), &info->dest_addr, &info->dest_addrlen);
}

/* Whether hints and variables allow the place. */
static bool is_wanted(const struct question *q, const struct lf_place *place)
{
	const struct fi_domain_attr *domain = q->hints ? q->hints->domain_attr : NULL;
	uint32_t job = q->job;

	if (domain && domain->auth_key_size)
		memcpy(&job, domain->auth_key, sizeof(job));
	if (job && job != place->job)
		return false;
	if (place->is_ipv6 && format_of(q) == FI_SOCKADDR_IN)
		return false;
	return !domain || !domain->name || !strcmp(domain->name, place->fep);
}

static int answer(const struct question *q, const struct lf_place *place,
		  struct fi_info **info)
{
	int ret;

	for (; place; place = place->next) {
		if (!is_wanted(q, place))
			continue;
		*info = fi_allocinfo();
		if (!*info)
			return -FI_ENOMEM;
		ret = fill(q, place, *info);
		if (!ret) {
			info = &(*info)->next;
			continue;
		}
		fi_freeinfo(*info);
		*info = NULL;
		if (ret != -FI_ENODATA)
			return ret;
	}
	return 0;
}

int lf_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
	       const struct fi_info *hints, struct fi_info **info)
{
	struct question q = { version, node, service, flags, hints, 0 };
	const char *why = lf_hints_refused(version, hints);
	struct lf_place *places;
	int ret;

	*info = NULL;
	if (lf_params.is_wrong || lf_chosen_job(&q.job))
		return -FI_EINVAL;
	if (why) {
		LF_INFO(CORE, "no: %s\n", why);
		return -FI_ENODATA;
	}
	ret = lf_places(&places);
	if (ret) {
		LF_INFO(CORE, "no FEPs: %s\n", ret == -ENOENT ?
			"the module uet is not loaded" : strerror(-ret));
		return -FI_ENODATA;
	}
	ret = answer(&q, places, info);
	if (ret) {
		fi_freeinfo(*info);
		*info = NULL;
	} else if (!*info) {
		LF_INFO(CORE, "no FEP with a job matches the hints\n");
		ret = -FI_ENODATA;
	}
	lf_places_free(places);
	return ret;
}
