/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes to the fabric addresses of other nodes, over all rails: the routes
 * that the configured peers need on this host, the changes to reach this set of
 * routes, and rtnetlink.  uetd's routes are marked by their protocol number;
 * other routes are not touched.  Level: tool.
 */
#ifndef UETD_ROUTE_H
#define UETD_ROUTE_H

#include "link.h"
#include "notify.h"
#include "plan/plan.h"

/**
 * struct uetd_route - a route to one address
 * @dst: the address
 * @nr_hops: number of @ifindex and @via
 * @ifindex: of the netdev of each next hop
 * @via: its address
 */
struct uetd_route {
	struct uetd_addr dst;
	unsigned int nr_hops;
	int ifindex[UETD_VIAS_MAX];
	struct uetd_addr via[UETD_VIAS_MAX];
};

/**
 * struct uetd_routes - a list of routes
 * @list: array
 * @nr: its length
 */
struct uetd_routes {
	struct uetd_route *list;
	size_t nr;
};

enum uetd_route_change {
	UETD_ROUTE_DEL,
	UETD_ROUTE_SET,		/* exists, with other next hops */
	UETD_ROUTE_ADD,
};

/**
 * struct uetd_route_op - a change
 * @change: the action
 * @route: route to change
 */
struct uetd_route_op {
	enum uetd_route_change change;
	struct uetd_route route;
};

/**
 * struct uetd_route_plan - route changes to make
 * @ops: array
 * @nr: its length
 */
struct uetd_route_plan {
	struct uetd_route_op *ops;
	size_t nr;
};

void uetd_routes_free(struct uetd_routes *routes);

/* route_plan.c */
void uetd_route_want(struct uetd_routes *wanted, struct uetd_plan *waits,
		     const struct uetd_conf *conf,
		     const struct uetd_links *links);
void uetd_route_plan_make(struct uetd_route_plan *plan,
			  const struct uetd_routes *wanted,
			  const struct uetd_routes *there);

/* route.c */
unsigned int uetd_route_keep(struct uetd_watch *watch,
			     const struct uetd_conf *conf,
			     const struct uetd_links *links,
			     struct uetd_problems *problems);

#endif
