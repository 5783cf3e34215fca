// SPDX-License-Identifier: GPL-2.0
/*
 * A configuration applied to this host: the netdev of each rail, and the FEPs
 * that can be created now.  Pure, as the first half of the plan.  Level: tool.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/index.h"
#include "plan.h"

/**
 * uetd_plan_wait() - record that an object has to wait
 * @plan: the wait is added here
 * @kind: "rail", "sd", "fep" or "job"
 * @name: of the object
 * @fmt: reason of the wait
 */
void uetd_plan_wait(struct uetd_plan *plan, const char *kind,
		    const char *name, const char *fmt, ...)
{
	struct uetd_wait *wait;
	va_list args;

	plan->waits = uetd_grow(plan->waits, plan->nr_waits,
				sizeof(*plan->waits));
	wait = &plan->waits[plan->nr_waits++];
	snprintf(wait->object, sizeof(wait->object), "%s %s", kind, name);
	va_start(args, fmt);
	vsnprintf(wait->reason, sizeof(wait->reason), fmt, args);
	va_end(args);
}

/**
 * struct host - look-ups in the netdevs of this host, and its rails
 * @links: netdevs
 * @names: netdevs by name
 * @ifindexes: netdevs by ifindex
 * @addrs: addresses
 * @scoped: addresses by address and netdev
 * @rails: resolved rails by name
 * @taken: resolved rails with a netdev, by ifindex
 */
struct host {
	const struct uetd_links *links;
	struct uetd_index names;
	struct uetd_index ifindexes;
	struct uetd_index addrs;
	struct uetd_index scoped;
	struct uetd_index rails;
	struct uetd_index taken;
};

static int order_scoped(const void *a, const void *b)
{
	const struct uetd_link_addr *x = a, *y = b;
	int order = uetd_index_addr(&x->addr, &y->addr);

	return order ? order : uetd_index_number(&x->ifindex, &y->ifindex);
}

static void host_make(struct host *host, const struct uetd_links *links)
{
	size_t i;

	*host = (struct host){
		.links = links,
		.names = UETD_INDEX(struct uetd_link, name, uetd_index_text),
		.ifindexes = UETD_INDEX(struct uetd_link, ifindex,
					uetd_index_number),
		.addrs = UETD_INDEX(struct uetd_link_addr, addr,
				    uetd_index_addr),
		.scoped = { .order = order_scoped },
		.rails = UETD_INDEX(struct uetd_rail, name, uetd_index_text),
		.taken = UETD_INDEX(struct uetd_rail, ifindex,
				    uetd_index_number),
	};
	for (i = 0; i < links->nr_links; i++) {
		uetd_index_add(&host->names, &links->links[i]);
		uetd_index_add(&host->ifindexes, &links->links[i]);
	}
	for (i = 0; i < links->nr_addrs; i++) {
		uetd_index_add(&host->addrs, &links->addrs[i]);
		uetd_index_add(&host->scoped, &links->addrs[i]);
	}
}

static void host_free(struct host *host)
{
	uetd_index_free(&host->names);
	uetd_index_free(&host->ifindexes);
	uetd_index_free(&host->addrs);
	uetd_index_free(&host->scoped);
	uetd_index_free(&host->rails);
	uetd_index_free(&host->taken);
}

/* Checks whether a netdev, with a scope this netdev, has the address of a FEP. */
static bool host_has_addr(const struct host *host, const struct uetd_fep *fep)
{
	struct uetd_link_addr key = {
		.ifindex = fep->scope_id, .addr = fep->addr,
	};

	return fep->scope_id ? uetd_index_find(&host->scoped, &key) :
			       uetd_index_find(&host->addrs, &fep->addr);
}

static bool has_addr_within(const struct uetd_links *links, int ifindex,
			    const struct uetd_rail *rail)
{
	size_t i;

	for (i = 0; i < links->nr_addrs; i++) {
		if (links->addrs[i].ifindex == ifindex &&
		    uetd_addr_within(&links->addrs[i].addr, &rail->addr,
				     rail->prefix))
			return true;
	}
	return false;
}

static bool is_match(const struct uetd_links *links,
		     const struct uetd_link *link,
		     const struct uetd_rail *rail)
{
	if (rail->match == UETD_MATCH_MAC)
		return link->has_mac &&
		       !memcmp(link->mac, rail->mac, UETD_MAC_LEN);
	return has_addr_within(links, link->ifindex, rail);
}

static void match_text(char *buf, size_t size, const struct uetd_rail *rail)
{
	char addr[64];

	switch (rail->match) {
	case UETD_MATCH_NAME:
		snprintf(buf, size, "named %s", rail->dev);
		return;
	case UETD_MATCH_MAC:
		snprintf(buf, size,
			 "with hardware address %02x:%02x:%02x:%02x:%02x:%02x",
			 rail->mac[0], rail->mac[1], rail->mac[2],
			 rail->mac[3], rail->mac[4], rail->mac[5]);
		return;
	default:
		uetd_addr_text(addr, sizeof(addr), &rail->addr);
		snprintf(buf, size, "with an address in %s/%u", addr,
			 rail->prefix);
	}
}

/* The only matching netdev; NULL after reporting the reason. */
static const struct uetd_link *find_link(struct uetd_plan *plan,
					 const struct host *host,
					 const struct uetd_rail *rail)
{
	const struct uetd_links *links = host->links;
	const struct uetd_link *found = NULL;
	char text[128];
	size_t i = 0;

	match_text(text, sizeof(text), rail);
	/* A name is that of one netdev. */
	if (rail->match == UETD_MATCH_NAME) {
		found = uetd_index_find(&host->names, rail->dev);
		i = links->nr_links;
	}
	for (; i < links->nr_links; i++) {
		if (!is_match(links, &links->links[i], rail))
			continue;
		if (found) {
			uetd_plan_wait(plan, "rail", rail->name,
				       "there are several netdevs %s: %s and %s",
				       text, found->name,
				       links->links[i].name);
			return NULL;
		}
		found = &links->links[i];
	}
	if (!found)
		uetd_plan_wait(plan, "rail", rail->name,
			       "there is no netdev %s", text);
	return found;
}

/* A rail without a netdev stays in the target, with ifindex 0. */
static void resolve_rail(struct host *host, struct uetd_plan *plan,
			 struct uetd_rail *rail)
{
	const struct uetd_link *link = find_link(plan, host, rail);
	const struct uetd_rail *other;

	other = link ? uetd_index_find(&host->taken, &link->ifindex) : NULL;
	if (other) {
		uetd_plan_wait(plan, "rail", rail->name,
			       "netdev %s is rail %s already", link->name,
			       other->name);
	} else if (link) {
		rail->ifindex = link->ifindex;
		snprintf(rail->dev, sizeof(rail->dev), "%s", link->name);
		uetd_index_add(&host->taken, rail);
	}
	uetd_index_add(&host->rails, rail);
}

static void resolve_rails(struct uetd_model *target, struct host *host,
			  struct uetd_plan *plan,
			  const struct uetd_model *wanted)
{
	size_t i;

	/* All at once: the look-ups point to them. */
	target->rails = uetd_grow(NULL, wanted->nr_rails,
				  sizeof(*target->rails));
	target->nr_rails = wanted->nr_rails;
	for (i = 0; i < wanted->nr_rails; i++) {
		target->rails[i] = wanted->rails[i];
		resolve_rail(host, plan, &target->rails[i]);
	}
}

/* Existing rails by ifindex.  Return: true if they suffice. */
static bool resolve_fep_rails(const struct host *host,
			      struct uetd_plan *plan,
			      const struct uetd_fep *wanted,
			      struct uetd_fep *fep)
{
	uint32_t need = uetd_fep_need_mtu(fep);
	unsigned int last = UET_FEP_RAILS_MAX, i;
	const struct uetd_link *link;
	const struct uetd_rail *rail;

	fep->nr_rails = 0;
	for (i = 0; i < wanted->nr_rails; i++) {
		rail = uetd_index_find(&host->rails, wanted->rail[i]);
		link = uetd_index_find(&host->ifindexes, &rail->ifindex);
		if (!link) {
			uetd_plan_wait(plan, "fep", fep->name,
				       "rail %s is not there", rail->name);
		} else if (link->mtu < need) {
			uetd_plan_wait(plan, "fep", fep->name,
				       "rail %s, netdev %s, has an MTU of %u, it takes %u",
				       rail->name, link->name, link->mtu,
				       need);
			fep->ifindex[--last] = rail->ifindex;
		} else {
			fep->ifindex[fep->nr_rails++] = rail->ifindex;
		}
	}
	return fep->nr_rails == wanted->nr_rails ||
	       (fep->nr_rails && !fep->needs_all);
}

static void resolve_fep(struct uetd_model *target, struct uetd_plan *plan,
			const struct host *host,
			const struct uetd_fep *wanted)
{
	struct uetd_fep fep = *wanted;
	char addr[64];

	memset(fep.ifindex, 0, sizeof(fep.ifindex));
	fep.is_ready = resolve_fep_rails(host, plan, wanted, &fep);
	if (uetd_addr_is_link_local(&fep.addr))
		fep.scope_id = fep.ifindex[0];
	if (fep.is_ready && !host_has_addr(host, &fep)) {
		uetd_addr_text(addr, sizeof(addr), &fep.addr);
		uetd_plan_wait(plan, "fep", fep.name,
			       "no netdev has the address %s", addr);
		fep.is_ready = false;
	}
	target->feps = uetd_grow(target->feps, target->nr_feps,
				 sizeof(*target->feps));
	target->feps[target->nr_feps++] = fep;
}

/**
 * uetd_target_make() - apply a configuration to this host
 * @target: filled in: rails with ifindex, 0 without a netdev; FEPs with
 *	the ifindexes of rails whose MTU is large enough
 * @plan: objects that have to wait are added
 * @conf: configuration
 * @links: netdevs
 */
void uetd_target_make(struct uetd_model *target, struct uetd_plan *plan,
		      const struct uetd_conf *conf,
		      const struct uetd_links *links)
{
	const struct uetd_model *wanted = &conf->model;
	struct host host;
	size_t i;

	memset(target, 0, sizeof(*target));
	host_make(&host, links);
	resolve_rails(target, &host, plan, wanted);
	for (i = 0; i < wanted->nr_sds; i++) {
		target->sds = uetd_grow(target->sds, target->nr_sds,
					sizeof(*target->sds));
		target->sds[target->nr_sds++] = wanted->sds[i];
	}
	for (i = 0; i < wanted->nr_feps; i++)
		resolve_fep(target, plan, &host, &wanted->feps[i]);
	for (i = 0; i < wanted->nr_jobs; i++) {
		target->jobs = uetd_grow(target->jobs, target->nr_jobs,
					 sizeof(*target->jobs));
		target->jobs[target->nr_jobs++] = wanted->jobs[i];
	}
	host_free(&host);
}
