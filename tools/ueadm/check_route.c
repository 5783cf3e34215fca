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
				      const char *to, unsigned int ifindex)
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
	rtm->rtm_flags = RTM_F_FIB_MATCH;
	if (inet_pton(family, to, &addr) != 1)
		return NULL;
	mnl_attr_put(nlh, RTA_DST, size, &addr);
	if (inet_pton(family, from, &addr) != 1)
		return NULL;
	mnl_attr_put(nlh, RTA_SRC, size, &addr);
	mnl_attr_put_u32(nlh, RTA_OIF, ifindex);
	return nlh;
}

/* Return: 1: there is a route, 0: there is none, -1: unknown. */
static int has_route(const char *from, const char *to, unsigned int ifindex)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_ROUTE);
	const struct nlmsghdr *answer;
	char buf[8192];
	struct nlmsghdr *nlh;
	int size = -1, ret = -1;

	if (!nl)
		return -1;
	nlh = route_request(buf, from, to, ifindex);
	if (nlh && mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) == 0 &&
	    mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0)
		size = mnl_socket_recvfrom(nl, buf, sizeof(buf));
	answer = (const struct nlmsghdr *)buf;
	if (size > 0 && mnl_nlmsg_ok(answer, size))
		ret = answer->nlmsg_type == RTM_NEWROUTE;
	mnl_socket_close(nl);
	return ret;
}

static void check_route(struct uea_check *check, struct json_object *fep,
			const char *peer, struct json_object *rail, void *arg)
{
	const char *dev = uea_text_of(rail, "dev");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	(void)arg;
	if (has_route(uea_text_of(fep, "addr"), peer, if_nametoindex(dev)))
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
