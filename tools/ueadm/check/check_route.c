// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that every rail of a FEP has a route to every peer.  The route itself
 * is queried, because without a route the kernel's IPv4 output assumes that the
 * peer is on the link.
 */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include "check.h"

/* Missing in the headers of some systems. */
#ifndef RTM_F_FIB_MATCH
#define RTM_F_FIB_MATCH	0x2000
#endif

static struct nlmsghdr *route_request(char *buf, const char *from,
				      const char *to, unsigned int ifindex,
				      unsigned int flags)
{
	int family = strchr(to, ':') ? AF_INET6 : AF_INET;
	size_t size = family == AF_INET ? 4 : 16;
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct in6_addr addr;
	struct rtmsg *rtm;

	nlh->nlmsg_type = RTM_GETROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	nlh->nlmsg_seq = 1;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = family;
	rtm->rtm_dst_len = size * 8;
	rtm->rtm_src_len = size * 8;
	rtm->rtm_flags = flags;
	if (inet_pton(family, to, &addr) != 1)
		return NULL;
	mnl_attr_put(nlh, RTA_DST, size, &addr);
	if (inet_pton(family, from, &addr) != 1)
		return NULL;
	mnl_attr_put(nlh, RTA_SRC, size, &addr);
	mnl_attr_put_u32(nlh, RTA_OIF, ifindex);
	return nlh;
}

/* Ask for a route. Return: the answer in @buf; NULL: unknown. */
static const struct nlmsghdr *ask_route(char *buf, size_t space, const char *from,
					const char *to, unsigned int ifindex,
					unsigned int flags)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_ROUTE);
	struct nlmsghdr *nlh;
	int size = -1;

	if (!nl)
		return NULL;
	nlh = route_request(buf, from, to, ifindex, flags);
	if (nlh && mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) == 0 &&
	    mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0)
		size = mnl_socket_recvfrom(nl, buf, space);
	mnl_socket_close(nl);
	nlh = (struct nlmsghdr *)buf;
	return size > 0 && mnl_nlmsg_ok(nlh, size) ? nlh : NULL;
}

/**
 * uea_route_via() - the next hop to a peer on a rail
 * @via: filled in: the peer itself if it is on the link; "": there is no route
 * @size: space there
 * @from: address of the FEP
 * @to: address of the peer
 * @ifindex: of the rail
 */
void uea_route_via(char *via, size_t size, const char *from, const char *to,
		   unsigned int ifindex)
{
	char buf[8192];
	const struct nlmsghdr *answer = ask_route(buf, sizeof(buf), from, to,
						  ifindex, RTM_F_FIB_MATCH);
	const struct nlattr *attr;

	*via = 0;
	if (!answer || answer->nlmsg_type != RTM_NEWROUTE)
		return;
	answer = ask_route(buf, sizeof(buf), from, to, ifindex, 0);
	if (!answer || answer->nlmsg_type != RTM_NEWROUTE)
		return;
	snprintf(via, size, "%s", to);
	mnl_attr_for_each(attr, answer, sizeof(struct rtmsg)) {
		if (mnl_attr_get_type(attr) == RTA_GATEWAY)
			inet_ntop(strchr(to, ':') ? AF_INET6 : AF_INET,
				  mnl_attr_get_payload(attr), via, size);
	}
}

static void check_route(struct uea_check *check, struct json_object *fep,
			const char *peer, struct json_object *rail, void *arg)
{
	const char *dev = uea_text_of(rail, "dev");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	const struct nlmsghdr *answer;
	char buf[8192];

	(void)arg;
	answer = ask_route(buf, sizeof(buf), uea_text_of(fep, "addr"), peer,
			   if_nametoindex(dev), RTM_F_FIB_MATCH);
	if (!answer || answer->nlmsg_type == RTM_NEWROUTE)
		return;
	snprintf(object, sizeof(object), "rail %s", dev);
	snprintf(fix, sizeof(fix),
		 "ip route append %s dev %s  (with via, if it is behind a router)",
		 peer, dev);
	uea_found(check, UEA_ERROR, object, fix,
		  "there is no route to %s over it, a peer of fep %s",
		  peer, uea_text_of(fep, "name"));
}

/**
 * uea_check_routes() - check that every rail has a route to every peer
 * @check: run
 */
void uea_check_routes(struct uea_check *check)
{
	uea_check_each_path(check, check_route, NULL);
}
