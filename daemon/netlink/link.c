// SPDX-License-Identifier: GPL-2.0
/*
 * Netdevs by rtnetlink.  An event only triggers a read of the whole present
 * state, so a lost event is harmless.  Level: tool.
 */
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>

#include "link.h"

#define DUMP_TRIES	10

static const struct nla_policy link_policy[IFLA_MAX + 1] = {
	[IFLA_IFNAME] = { .type = NLA_STRING, .maxlen = IF_NAMESIZE },
	[IFLA_MTU] = { .type = NLA_U32 },
};

static const struct nla_policy addr_policy[IFA_MAX + 1] = {
	[IFA_FLAGS] = { .type = NLA_U32 },
};

/**
 * uetd_watch_open() - begin to watch
 * @watch: netdevs of this namespace
 *
 * Return: 0 or a negative libnl error.
 */
int uetd_watch_open(struct uetd_watch *watch)
{
	int status;

	watch->sock = nl_socket_alloc();
	watch->events = nl_socket_alloc();
	if (!watch->sock || !watch->events)
		return -NLE_NOMEM;
	nl_socket_disable_seq_check(watch->events);
	status = nl_connect(watch->sock, NETLINK_ROUTE);
	if (status >= 0)
		status = nl_connect(watch->events, NETLINK_ROUTE);
	if (status >= 0)
		status = nl_socket_add_memberships(watch->events, RTNLGRP_LINK,
						   RTNLGRP_IPV4_IFADDR,
						   RTNLGRP_IPV6_IFADDR, 0);
	if (status >= 0)
		status = nl_socket_set_nonblocking(watch->events);
	return status;
}

/**
 * uetd_watch_error() - why watching or reading failed
 * @status: a negative libnl error
 *
 * Return: text, for people.
 */
const char *uetd_watch_error(int status)
{
	return nl_geterror(status);
}

/**
 * uetd_watch_close() - stop watching
 * @watch: netdevs
 */
void uetd_watch_close(struct uetd_watch *watch)
{
	nl_socket_free(watch->sock);
	nl_socket_free(watch->events);
}

/**
 * uetd_watch_fd() - descriptor that is readable after a change
 * @watch: netdevs
 *
 * Return: descriptor, for uetd_watch_drain().
 */
int uetd_watch_fd(const struct uetd_watch *watch)
{
	return nl_socket_get_fd(watch->events);
}

/**
 * uetd_watch_routes() - watch routes, too, or stop that
 * @watch: netdevs
 * @is_on: whether there are routes to keep; the routes of others are not watched in vain
 */
void uetd_watch_routes(struct uetd_watch *watch, bool is_on)
{
	if (is_on)
		nl_socket_add_memberships(watch->events, RTNLGRP_IPV4_ROUTE,
					  RTNLGRP_IPV6_ROUTE, 0);
	else
		nl_socket_drop_memberships(watch->events, RTNLGRP_IPV4_ROUTE,
					   RTNLGRP_IPV6_ROUTE, 0);
}

/*
 * Of routes only ours count, and only changes that others made. A route that replaces ours
 * has the protocol of its program.
 */
static bool is_change(const struct uetd_watch *watch, const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = NLMSG_DATA(msg);

	if (msg->nlmsg_type != RTM_NEWROUTE && msg->nlmsg_type != RTM_DELROUTE)
		return true;
	if (msg->nlmsg_pid == nl_socket_get_local_port(watch->sock))
		return false;
	return rtm->rtm_protocol == UETD_RTPROT ||
	       (msg->nlmsg_type == RTM_NEWROUTE && msg->nlmsg_flags & NLM_F_REPLACE);
}

/**
 * uetd_watch_drain() - consume all pending events
 * @watch: netdevs
 *
 * Return: true if one of them is a reason for a round.
 */
bool uetd_watch_drain(const struct uetd_watch *watch)
{
	union {
		struct nlmsghdr msg;
		char bytes[4096];
	} buf;
	bool is_changed = false;
	ssize_t len;

	/* Each event is a datagram, of which the beginning is enough. */
	for (;;) {
		len = recv(uetd_watch_fd(watch), &buf, sizeof(buf), MSG_DONTWAIT);
		if (len >= (ssize_t)NLMSG_SPACE(sizeof(struct rtmsg)))
			is_changed |= is_change(watch, &buf.msg);
		else if (len < 0 && errno == ENOBUFS)
			is_changed = true;
		else if (len < 0 && errno != EINTR)
			return is_changed;
	}
}

/**
 * uetd_drain() - consume all pending events
 * @fd: socket of the events
 */
void uetd_drain(int fd)
{
	char buf[4096];

	/* ENOBUFS reports lost events and counts as an event. */
	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) >= 0 ||
	       errno == ENOBUFS || errno == EINTR)
		;
}

static int take_link(struct nl_msg *msg, void *data)
{
	struct ifinfomsg *info = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[IFLA_MAX + 1];
	struct uetd_links *links = data;
	struct uetd_link *link;

	if (nlmsg_hdr(msg)->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*info), tb, IFLA_MAX,
			link_policy) || !tb[IFLA_IFNAME] || !tb[IFLA_MTU])
		return NL_SKIP;
	links->links = uetd_grow(links->links, links->nr_links, sizeof(*link));
	link = &links->links[links->nr_links++];
	link->ifindex = info->ifi_index;
	nla_strlcpy(link->name, tb[IFLA_IFNAME], sizeof(link->name));
	link->mtu = nla_get_u32(tb[IFLA_MTU]);
	link->is_up = info->ifi_flags & IFF_UP;
	link->has_mac = tb[IFLA_ADDRESS] &&
			nla_len(tb[IFLA_ADDRESS]) == UETD_MAC_LEN;
	if (link->has_mac)
		memcpy(link->mac, nla_data(tb[IFLA_ADDRESS]), UETD_MAC_LEN);
	return NL_OK;
}

/*
 * Whether an address is usable: a tentative address is still subject to
 * duplicate detection.
 */
static bool is_usable(const struct ifaddrmsg *info, struct nlattr *flags)
{
	uint32_t bits = flags ? nla_get_u32(flags) : info->ifa_flags;

	if (bits & IFA_F_DADFAILED)
		return false;
	return !(bits & IFA_F_TENTATIVE) || bits & IFA_F_OPTIMISTIC;
}

static int take_addr(struct nl_msg *msg, void *data)
{
	struct ifaddrmsg *info = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[IFA_MAX + 1], *attr;
	struct uetd_links *links = data;
	struct uetd_link_addr *addr;
	int size;

	if (nlmsg_hdr(msg)->nlmsg_type != RTM_NEWADDR ||
	    nlmsg_parse(nlmsg_hdr(msg), sizeof(*info), tb, IFA_MAX,
			addr_policy))
		return NL_SKIP;
	size = info->ifa_family == AF_INET ? 4 : 16;
	/* On a point-to-point link, the other address is the peer's. */
	attr = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!attr || nla_len(attr) != size || !is_usable(info, tb[IFA_FLAGS]))
		return NL_SKIP;
	links->addrs = uetd_grow(links->addrs, links->nr_addrs, sizeof(*addr));
	addr = &links->addrs[links->nr_addrs++];
	addr->ifindex = info->ifa_index;
	addr->addr.family = info->ifa_family;
	memcpy(addr->addr.bytes, nla_data(attr), size);
	return NL_OK;
}

static int dump(struct uetd_watch *watch, int type, void *head, size_t size,
		nl_recvmsg_msg_cb_t take, struct uetd_links *links)
{
	int status;

	nl_socket_modify_cb(watch->sock, NL_CB_VALID, NL_CB_CUSTOM, take,
			    links);
	status = nl_send_simple(watch->sock, type, NLM_F_DUMP, head, size);
	return status < 0 ? status : nl_recvmsgs_default(watch->sock);
}

/**
 * uetd_watch_read() - read all netdevs
 * @watch: netdevs
 * @links: filled in; empty after an error
 *
 * Return: 0 or a negative libnl error, which may be temporary.
 */
int uetd_watch_read(struct uetd_watch *watch, struct uetd_links *links)
{
	struct ifinfomsg link = { .ifi_family = AF_UNSPEC };
	struct ifaddrmsg addr = { .ifa_family = AF_UNSPEC };
	int tries, status = 0;

	memset(links, 0, sizeof(*links));
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		status = dump(watch, RTM_GETLINK, &link, sizeof(link),
			      take_link, links);
		if (status >= 0)
			status = dump(watch, RTM_GETADDR, &addr, sizeof(addr),
				      take_addr, links);
		if (status >= 0)
			return 0;
		uetd_links_free(links);
		if (status != -NLE_DUMP_INTR)
			break;
	}
	return status;
}
