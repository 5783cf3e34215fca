// SPDX-License-Identifier: GPL-2.0
/*
 * Routes by rtnetlink: routes with our protocol number in the main table are
 * read and changed.  Next hops are marked as on the link; the administrator
 * guarantees that their addresses are reachable.  Level: tool.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "route.h"

#define DUMP_TRIES	10

static void read_addr(struct uetd_addr *addr, uint8_t family,
		      struct nlattr *attr)
{
	int size = family == AF_INET ? 4 : 16;

	if (!attr || nla_len(attr) != size)
		return;
	addr->family = family;
	memcpy(addr->bytes, nla_data(attr), size);
}

/*
 * A route with more hops than we use differs from all wanted routes, and is
 * replaced.
 */
static void add_hop(struct uetd_route *route, int ifindex, uint8_t family,
		    struct nlattr *via)
{
	if (route->nr_hops == UETD_VIAS_MAX)
		return;
	route->ifindex[route->nr_hops] = ifindex;
	read_addr(&route->via[route->nr_hops++], family, via);
}

static void read_hops(struct uetd_route *route, uint8_t family,
		      struct nlattr *multipath)
{
	struct rtnexthop *hop = nla_data(multipath);
	int rest = nla_len(multipath);

	for (; RTNH_OK(hop, rest);
	     rest -= RTNH_ALIGN(hop->rtnh_len), hop = RTNH_NEXT(hop))
		add_hop(route, hop->rtnh_ifindex, family,
			nla_find((void *)RTNH_DATA(hop),
				 hop->rtnh_len - sizeof(*hop), RTA_GATEWAY));
}

static int take_route(struct nl_msg *msg, void *data)
{
	struct rtmsg *rtm = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[RTA_MAX + 1];
	struct uetd_routes *routes = data;
	struct uetd_route *route;

	if (nlmsg_hdr(msg)->nlmsg_type != RTM_NEWROUTE ||
	    rtm->rtm_protocol != UETD_RTPROT ||
	    rtm->rtm_table != RT_TABLE_MAIN ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*rtm), tb, RTA_MAX, NULL) ||
	    rtm->rtm_dst_len != (rtm->rtm_family == AF_INET ? 32 : 128))
		return NL_SKIP;
	routes->list = uetd_grow(routes->list, routes->nr, sizeof(*route));
	route = &routes->list[routes->nr++];
	read_addr(&route->dst, rtm->rtm_family, tb[RTA_DST]);
	if (tb[RTA_MULTIPATH])
		read_hops(route, rtm->rtm_family, tb[RTA_MULTIPATH]);
	else if (tb[RTA_OIF])
		add_hop(route, nla_get_u32(tb[RTA_OIF]), rtm->rtm_family,
			tb[RTA_GATEWAY]);
	return NL_OK;
}

/* Filter in the kernel: a router with a million routes sends only ours. */
static void set_filter(struct uetd_watch *watch, int is_on)
{
	setsockopt(nl_socket_get_fd(watch->sock), SOL_NETLINK,
		   NETLINK_GET_STRICT_CHK, &is_on, sizeof(is_on));
}

static bool read_routes(struct uetd_watch *watch, struct uetd_routes *routes)
{
	struct rtmsg rtm = {
		.rtm_family = AF_UNSPEC, .rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = UETD_RTPROT,
	};
	int tries, status = -1;

	memset(routes, 0, sizeof(*routes));
	set_filter(watch, true);
	nl_socket_modify_cb(watch->sock, NL_CB_VALID, NL_CB_CUSTOM, take_route,
			    routes);
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		status = nl_send_simple(watch->sock, RTM_GETROUTE, NLM_F_DUMP,
					&rtm, sizeof(rtm));
		if (status >= 0)
			status = nl_recvmsgs_default(watch->sock);
		if (status >= 0)
			break;
		uetd_routes_free(routes);
		if (status != -NLE_DUMP_INTR)
			break;
	}
	set_filter(watch, false);
	return status >= 0;
}

static int addr_size(const struct uetd_addr *addr)
{
	return addr->family == AF_INET ? 4 : 16;
}

static int put_hop(struct nl_msg *msg, const struct uetd_route *route,
		   unsigned int i)
{
	struct rtnexthop *hop = nlmsg_reserve(msg, sizeof(*hop), NLMSG_ALIGNTO);

	if (!hop)
		return -NLE_NOMEM;
	memset(hop, 0, sizeof(*hop));
	hop->rtnh_flags = RTNH_F_ONLINK;
	hop->rtnh_ifindex = route->ifindex[i];
	if (nla_put(msg, RTA_GATEWAY, addr_size(&route->via[i]),
		    route->via[i].bytes))
		return -NLE_NOMEM;
	hop->rtnh_len = (char *)nlmsg_tail(nlmsg_hdr(msg)) - (char *)hop;
	return 0;
}

static int put_hops(struct nl_msg *msg, const struct uetd_route *route)
{
	struct nlattr *nest = nla_nest_start(msg, RTA_MULTIPATH);
	unsigned int i;

	if (!nest)
		return -NLE_NOMEM;
	for (i = 0; i < route->nr_hops; i++) {
		if (put_hop(msg, route, i))
			return -NLE_NOMEM;
	}
	nest->nla_type = RTA_MULTIPATH;
	nla_nest_end(msg, nest);
	return 0;
}

/* Return: 0 or a negative libnl error. */
static int change(struct uetd_watch *watch, const struct uetd_route_op *op)
{
	static const int flags[] = {
		[UETD_ROUTE_DEL] = 0,
		[UETD_ROUTE_SET] = NLM_F_REPLACE,
		[UETD_ROUTE_ADD] = NLM_F_CREATE | NLM_F_EXCL,
	};
	const struct uetd_route *route = &op->route;
	struct rtmsg rtm = {
		.rtm_family = route->dst.family,
		.rtm_dst_len = 8 * addr_size(&route->dst),
		.rtm_table = RT_TABLE_MAIN, .rtm_protocol = UETD_RTPROT,
		.rtm_scope = RT_SCOPE_UNIVERSE, .rtm_type = RTN_UNICAST,
	};
	bool is_del = op->change == UETD_ROUTE_DEL;
	struct nl_msg *msg = nlmsg_alloc_simple(is_del ? RTM_DELROUTE :
						RTM_NEWROUTE,
						flags[op->change]);
	int status = -NLE_NOMEM;

	if (msg && !nlmsg_append(msg, &rtm, sizeof(rtm), NLMSG_ALIGNTO) &&
	    !nla_put(msg, RTA_DST, addr_size(&route->dst), route->dst.bytes) &&
	    (is_del || !put_hops(msg, route)))
		status = nl_send_auto(watch->sock, msg);
	nlmsg_free(msg);
	return status < 0 ? status : nl_wait_for_ack(watch->sock);
}

static bool apply(struct uetd_watch *watch, const struct uetd_route_op *op,
		  struct uetd_problems *problems)
{
	static const char *const verbs[] = {
		[UETD_ROUTE_DEL] = "delete",
		[UETD_ROUTE_SET] = "set",
		[UETD_ROUTE_ADD] = "add",
	};
	char addr[64], object[UETD_TEXT_MAX];
	int status = change(watch, op);

	uetd_addr_text(addr, sizeof(addr), &op->route.dst);
	snprintf(object, sizeof(object), "route %s", addr);
	if (status >= 0) {
		uetd_log(LOG_INFO, object, verbs[op->change], "%s, next hops %u",
			 verbs[op->change], op->route.nr_hops);
		return true;
	}
	if (status == -NLE_EXIST)
		uetd_problem_add(problems, object, true,
				 "there is one that is not ours");
	else
		uetd_problem_add(problems, object, true, "%s: %s",
				 verbs[op->change], nl_geterror(status));
	return false;
}

/**
 * uetd_route_keep() - set the wanted routes and delete our other routes
 * @watch: netdevs, with the socket for requests
 * @conf: requested state
 * @links: the netdevs there are
 * @problems: failed changes are added
 *
 * Return: number of changes made.
 */
unsigned int uetd_route_keep(struct uetd_watch *watch,
			     const struct uetd_conf *conf,
			     const struct uetd_links *links,
			     struct uetd_problems *problems)
{
	struct uetd_routes wanted, there;
	struct uetd_plan waits = { .nr_ops = 0 };
	struct uetd_route_plan plan;
	unsigned int done = 0;
	size_t i;

	uetd_watch_routes(watch, conf->model.nr_peers);
	if (!read_routes(watch, &there)) {
		uetd_problem_add(problems, "routes", true,
				 "cannot be read for the time being");
		return 0;
	}
	uetd_route_want(&wanted, &waits, conf, links);
	for (i = 0; i < waits.nr_waits; i++)
		uetd_problem_add(problems, waits.waits[i].object, false, "%s",
				 waits.waits[i].reason);
	uetd_route_plan_make(&plan, &wanted, &there);
	for (i = 0; i < plan.nr; i++)
		done += apply(watch, &plan.ops[i], problems);
	free(plan.ops);
	uetd_plan_free(&waits);
	uetd_routes_free(&wanted);
	uetd_routes_free(&there);
	return done;
}
