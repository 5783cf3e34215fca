// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the wanted routes and their difference to the present routes.  A
 * next hop uses a rail whose netdev exists and is up.  The kernel deletes
 * routes of netdevs that go down; the next round restores them.  Pure.  Level:
 * tool.
 */
#include <stdlib.h>
#include <string.h>

#include "model/index.h"
#include "netlink/route.h"

/**
 * uetd_routes_free() - free a list of routes
 * @routes: emptied
 */
void uetd_routes_free(struct uetd_routes *routes)
{
	free(routes->list);
	memset(routes, 0, sizeof(*routes));
}

static void want_peer(struct uetd_routes *wanted, struct uetd_plan *waits,
		      const struct uetd_lookup *target,
		      const struct uetd_index *links,
		      const struct uetd_peer *peer)
{
	struct uetd_route route = { .dst = peer->addr };
	const struct uetd_link *link;
	const struct uetd_rail *rail;
	unsigned int i;

	for (i = 0; i < peer->nr_vias; i++) {
		rail = uetd_index_find(&target->rails, peer->rail[i]);
		link = uetd_index_find(links, &rail->ifindex);
		if (!link || !link->is_up)
			continue;
		route.ifindex[route.nr_hops] = link->ifindex;
		route.via[route.nr_hops++] = peer->via[i];
	}
	if (!route.nr_hops) {
		uetd_plan_wait(waits, "peer", peer->name,
			       "none of its rails is there and up");
		return;
	}
	wanted->list = uetd_grow(wanted->list, wanted->nr, sizeof(route));
	wanted->list[wanted->nr++] = route;
}

/**
 * uetd_route_want() - routes that the peers need on this host
 * @wanted: filled in
 * @waits: peers without a usable next hop are added
 * @conf: configuration; a peer with the address of one of its FEPs is this host,
 *	so that all nodes can have the same list
 * @links: netdevs
 */
void uetd_route_want(struct uetd_routes *wanted, struct uetd_plan *waits,
		     const struct uetd_conf *conf,
		     const struct uetd_links *links)
{
	const struct uetd_model *model = &conf->model;
	struct uetd_index by_ifindex = UETD_INDEX(struct uetd_link, ifindex,
						  uetd_index_number);
	struct uetd_index ours = UETD_INDEX(struct uetd_fep, addr,
					    uetd_index_addr);
	struct uetd_plan told = { .nr_ops = 0 };
	struct uetd_lookup lookup;
	struct uetd_model target;
	size_t i;

	memset(wanted, 0, sizeof(*wanted));
	/* A missing rail was already reported when the FEPs were planned. */
	uetd_target_make(&target, &told, conf, links);
	uetd_lookup_make(&lookup, &target);
	for (i = 0; i < links->nr_links; i++)
		uetd_index_add(&by_ifindex, &links->links[i]);
	for (i = 0; i < model->nr_feps; i++)
		uetd_index_add(&ours, &model->feps[i]);
	for (i = 0; i < model->nr_peers; i++) {
		if (!uetd_index_find(&ours, &model->peers[i].addr))
			want_peer(wanted, waits, &lookup, &by_ifindex,
				  &model->peers[i]);
	}
	uetd_index_free(&ours);
	uetd_index_free(&by_ifindex);
	uetd_lookup_free(&lookup);
	uetd_plan_free(&told);
	uetd_model_free(&target);
}

static void add_routes(struct uetd_index *by_dst,
		       const struct uetd_routes *routes)
{
	size_t i;

	*by_dst = UETD_INDEX(struct uetd_route, dst, uetd_index_addr);
	for (i = 0; i < routes->nr; i++)
		uetd_index_add(by_dst, &routes->list[i]);
}

static bool has_hop(const struct uetd_route *route, int ifindex,
		    const struct uetd_addr *via)
{
	unsigned int i;

	for (i = 0; i < route->nr_hops; i++) {
		if (route->ifindex[i] == ifindex &&
		    uetd_addr_equal(&route->via[i], via))
			return true;
	}
	return false;
}

/* Compared in any order, because the kernel sorts next hops itself. */
static bool is_same(const struct uetd_route *a, const struct uetd_route *b)
{
	unsigned int i;

	if (a->nr_hops != b->nr_hops)
		return false;
	for (i = 0; i < a->nr_hops; i++) {
		if (!has_hop(b, a->ifindex[i], &a->via[i]))
			return false;
	}
	return true;
}

static void add_op(struct uetd_route_plan *plan, enum uetd_route_change change,
		   const struct uetd_route *route)
{
	plan->ops = uetd_grow(plan->ops, plan->nr, sizeof(*plan->ops));
	plan->ops[plan->nr].change = change;
	plan->ops[plan->nr++].route = *route;
}

/**
 * uetd_route_plan_make() - changes that lead to the wanted routes
 * @plan: filled in; the caller frees its array
 * @wanted: wanted routes
 * @there: our present routes
 */
void uetd_route_plan_make(struct uetd_route_plan *plan,
			  const struct uetd_routes *wanted,
			  const struct uetd_routes *there)
{
	struct uetd_index to_have, present;
	const struct uetd_route *route;
	size_t i;

	memset(plan, 0, sizeof(*plan));
	add_routes(&to_have, wanted);
	add_routes(&present, there);
	for (i = 0; i < there->nr; i++) {
		if (!uetd_index_find(&to_have, &there->list[i].dst))
			add_op(plan, UETD_ROUTE_DEL, &there->list[i]);
	}
	for (i = 0; i < wanted->nr; i++) {
		route = uetd_index_find(&present, &wanted->list[i].dst);
		if (!route)
			add_op(plan, UETD_ROUTE_ADD, &wanted->list[i]);
		else if (!is_same(&wanted->list[i], route))
			add_op(plan, UETD_ROUTE_SET, &wanted->list[i]);
	}
	uetd_index_free(&to_have);
	uetd_index_free(&present);
}
