/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two nodes without names, made and unmade by the hundred: namespaces held by
 * descriptors, and links, addresses, routes and the UET configuration, made by
 * netlink.  The traffic between them is uetflow.h's.  Level: test.
 *
 *	node 0 (FA 10.0.0.1 on lo)          node 1 (FA 10.0.0.2 on lo)
 *	  r0 ----------------- plane 0 ----------------- r0
 *	  r1 ----------------- plane 1 ----------------- r1
 *
 * The rails have no addresses: the other FA is on each of them by one multipath
 * route.
 */
#ifndef UET_SELFTESTS_UETPAIR_H
#define UET_SELFTESTS_UETPAIR_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/pkt_sched.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>

#include <linux/uet_nl.h>

#include "nlreq.h"

#define PAIR_RAILS	2
#define PAIR_IFINDEX	10	/* of r0; r1 has the next */
#define PAIR_LINK_MTU	4500

/* A namespace by its descriptor, and netlink sockets in it. */
struct pair_node {
	int ns, rtnl, genl;
	int number;
};

/**
 * enum pair_end - how do the nodes of a pair end?
 * @PAIR_STAYS: they stay; PDCs outlast any pause, also on a busy machine
 * @PAIR_VANISHES: a node may go without a word; the other notices after some seconds
 */
enum pair_end {
	PAIR_STAYS,
	PAIR_VANISHES,
};

/**
 * struct pair - two nodes
 * @node: the nodes; traffic goes from the first to the second
 * @family: number of the genetlink family
 * @tally: of the traffic
 * @tx: process that sends, or 0
 * @rx: process that receives, or 0
 * @end: how they end
 */
struct pair {
	struct pair_node node[2];
	uint16_t family;
	struct flow_tally *tally;
	pid_t tx, rx;
	enum pair_end end;
};

/* ------------------------------------------------------------ namespaces */

static inline uint32_t pair_fa(int number)
{
	return htonl(0x0a000001 + number);
}

static inline int pair_this_ns(void)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	ASSERT_SYS(fd);
	return fd;
}

/* Give it a number in @home, which goes with it: "ip netns list-id". */
static inline void pair_number_ns(int home_rtnl, int ns)
{
	struct rtgenmsg head = { .rtgen_family = AF_UNSPEC };
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWNSID, 0, &head, sizeof(head));
	nlreq_put_u32(&req, NETNSA_FD, ns);
	nlreq_put_u32(&req, NETNSA_NSID, -1);
	ASSERT_EQ(nlreq_ask(home_rtnl, &req, NULL), 0);
}

static inline void pair_make_node(struct pair_node *node, int number)
{
	int home = pair_this_ns(), rtnl = nlreq_open(NETLINK_ROUTE);

	node->number = number;
	ASSERT_SYS(unshare(CLONE_NEWNET));
	node->ns = pair_this_ns();
	node->rtnl = nlreq_open(NETLINK_ROUTE);
	node->genl = nlreq_open(NETLINK_GENERIC);
	ASSERT_SYS(setns(home, CLONE_NEWNET));
	pair_number_ns(rtnl, node->ns);
	close(rtnl);
	close(home);
}

/* Processes and sockets of the node then hold its last references. */
static inline void pair_drop_node(struct pair_node *node)
{
	close(node->genl);
	close(node->rtnl);
	close(node->ns);
}

/* ----------------------------------------------------------------- links */

static inline void pair_put_link(struct nlreq *req, int rail)
{
	char name[] = { 'r', '0' + rail, '\0' };

	nlreq_put_string(req, IFLA_IFNAME, name);
	nlreq_put_u32(req, IFLA_MTU, PAIR_LINK_MTU);
}

static inline int pair_set_flags(const struct pair_node *node, int ifindex,
				 bool up)
{
	struct ifinfomsg head = {
		.ifi_index = ifindex,
		.ifi_flags = up ? IFF_UP : 0, .ifi_change = IFF_UP };
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWLINK, 0, &head, sizeof(head));
	return nlreq_ask(node->rtnl, &req, NULL);
}

static inline int pair_set_rail(const struct pair_node *node, int rail, bool up)
{
	return pair_set_flags(node, PAIR_IFINDEX + rail, up);
}

/* Both ends of a rail, up; a veth cannot be up before it has a peer. */
static inline void pair_make_link(struct pair *p, int rail)
{
	struct ifinfomsg head = { .ifi_index = PAIR_IFINDEX + rail };
	struct nlattr *info, *data, *peer;
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &head,
		    sizeof(head));
	pair_put_link(&req, rail);
	info = nlreq_nest(&req, IFLA_LINKINFO);
	nlreq_put_string(&req, IFLA_INFO_KIND, "veth");
	data = nlreq_nest(&req, IFLA_INFO_DATA);
	peer = nlreq_nest(&req, VETH_INFO_PEER);
	nlreq_append(&req, &head, sizeof(head));
	pair_put_link(&req, rail);
	nlreq_put_u32(&req, IFLA_NET_NS_FD, p->node[1].ns);
	nlreq_nest_end(&req, peer);
	nlreq_nest_end(&req, data);
	nlreq_nest_end(&req, info);
	ASSERT_EQ(nlreq_ask(p->node[0].rtnl, &req, NULL), 0);
	for (int n = 0; n < 2; n++)
		ASSERT_EQ(pair_set_rail(&p->node[n], rail, true), 0);
}

/* IFLA_MTU, IFLA_NET_NS_FD: attributes of a rail that are one number. */
static inline int pair_change_rail(int rtnl, int rail, uint16_t attr,
				   uint32_t value)
{
	struct ifinfomsg head = { .ifi_index = PAIR_IFINDEX + rail };
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWLINK, 0, &head, sizeof(head));
	nlreq_put_u32(&req, attr, value);
	return nlreq_ask(rtnl, &req, NULL);
}

/* The other end goes with it. */
static inline int pair_del_link(const struct pair_node *node, int rail)
{
	struct ifinfomsg head = { .ifi_index = PAIR_IFINDEX + rail };
	struct nlreq req;

	nlreq_begin(&req, RTM_DELLINK, 0, &head, sizeof(head));
	return nlreq_ask(node->rtnl, &req, NULL);
}

/* RTM_NEWADDR or RTM_DELADDR of the FA. */
static inline int pair_change_fa(const struct pair_node *node, uint16_t type)
{
	struct ifaddrmsg head = {
		.ifa_family = AF_INET, .ifa_prefixlen = 32,
		.ifa_index = 1 /* lo */ };
	struct nlreq req;

	nlreq_begin(&req, type, type == RTM_NEWADDR ? NLM_F_CREATE : 0, &head,
		    sizeof(head));
	nlreq_put_u32(&req, IFA_LOCAL, pair_fa(node->number));
	return nlreq_ask(node->rtnl, &req, NULL);
}

/* RTM_NEWROUTE or RTM_DELROUTE of the way to the other FA. */
static inline int pair_change_route(const struct pair_node *node, uint16_t type)
{
	struct rtmsg head = {
		.rtm_family = AF_INET, .rtm_dst_len = 32,
		.rtm_table = RT_TABLE_MAIN, .rtm_protocol = RTPROT_STATIC,
		.rtm_scope = RT_SCOPE_LINK, .rtm_type = RTN_UNICAST };
	struct rtnexthop hops[PAIR_RAILS];
	struct nlreq req;

	for (int r = 0; r < PAIR_RAILS; r++)
		hops[r] = (struct rtnexthop) {
			.rtnh_len = sizeof(hops[r]),
			.rtnh_ifindex = PAIR_IFINDEX + r };
	nlreq_begin(&req, type, type == RTM_NEWROUTE ?
		    NLM_F_CREATE | NLM_F_REPLACE : 0, &head, sizeof(head));
	nlreq_put_u32(&req, RTA_DST, pair_fa(!node->number));
	if (type == RTM_NEWROUTE)
		nlreq_put(&req, RTA_MULTIPATH, hops, sizeof(hops));
	return nlreq_ask(node->rtnl, &req, NULL);
}

/* Packets leave this late: the queues fill. */
static inline void pair_delay(const struct pair_node *node, int rail, int msec)
{
	struct tcmsg head = {
		.tcm_ifindex = PAIR_IFINDEX + rail, .tcm_parent = TC_H_ROOT };
	struct tc_netem_qopt opt = { .limit = 10000 };
	int64_t latency = msec * 1000000LL;
	struct nlattr *options;
	struct nlreq req;

	nlreq_begin(&req, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, &head,
		    sizeof(head));
	nlreq_put_string(&req, TCA_KIND, "netem");
	options = nlreq_nest(&req, TCA_OPTIONS);
	nlreq_append(&req, &opt, sizeof(opt));
	nlreq_put(&req, TCA_NETEM_LATENCY64, &latency, sizeof(latency));
	nlreq_nest_end(&req, options);
	ASSERT_EQ(nlreq_ask(node->rtnl, &req, NULL), 0);
}

/* --------------------------------------------------------- configuration */

/* UET_CMD_RAIL_NEW or UET_CMD_RAIL_DEL */
static inline int pair_uet_rail(const struct pair *p,
				const struct pair_node *node, uint8_t cmd,
				int rail)
{
	struct nlreq req;

	nlreq_begin_genl(&req, p->family, cmd, 0);
	nlreq_put_u32(&req, UET_A_RAIL_IFINDEX, PAIR_IFINDEX + rail);
	if (cmd == UET_CMD_RAIL_NEW)
		nlreq_put_u32(&req, UET_A_RAIL_PLANE, rail);
	return nlreq_ask(node->genl, &req, NULL);
}

/* UET_CMD_FEP_NEW or UET_CMD_FEP_DEL */
static inline int pair_uet_fep(const struct pair *p,
			       const struct pair_node *node, uint8_t cmd)
{
	struct nlreq req;

	nlreq_begin_genl(&req, p->family, cmd, 0);
	nlreq_put_string(&req, UET_A_FEP_NAME, "fep0");
	if (cmd == UET_CMD_FEP_NEW) {
		nlreq_put_u32(&req, UET_A_FEP_ADDR4, pair_fa(node->number));
		if (p->end == PAIR_VANISHES)
			nlreq_put(&req, UET_A_FEP_PEER_TIMEOUT_NS,
				  &(uint64_t){ 0 }, sizeof(uint64_t));
		for (int r = 0; r < PAIR_RAILS; r++)
			nlreq_put_u32(&req, UET_A_FEP_IFINDEX,
				      PAIR_IFINDEX + r);
	}
	return nlreq_ask(node->genl, &req, NULL);
}

/* UET_CMD_JOB_NEW or UET_CMD_JOB_DEL */
static inline int pair_uet_job(const struct pair *p,
			       const struct pair_node *node, uint8_t cmd)
{
	struct nlreq req;

	nlreq_begin_genl(&req, p->family, cmd, 0);
	nlreq_put_u32(&req, UET_A_JOB_ID, 1);
	if (cmd == UET_CMD_JOB_NEW)
		nlreq_put_string(&req, UET_A_JOB_FEP, "fep0");
	return nlreq_ask(node->genl, &req, NULL);
}

/* FEP and job of both nodes; the rails are there. */
static inline void pair_add_feps(struct pair *p)
{
	for (int n = 0; n < 2; n++) {
		ASSERT_EQ(pair_uet_fep(p, &p->node[n], UET_CMD_FEP_NEW), 0);
		ASSERT_EQ(pair_uet_job(p, &p->node[n], UET_CMD_JOB_NEW), 0);
	}
}

/* In the order of the manual: nothing may be left that is in use. */
static inline void pair_del_feps(struct pair *p)
{
	for (int n = 0; n < 2; n++) {
		EXPECT_EQ(pair_uet_job(p, &p->node[n], UET_CMD_JOB_DEL), 0);
		EXPECT_EQ(pair_uet_fep(p, &p->node[n], UET_CMD_FEP_DEL), 0);
	}
}

static inline void pair_configure(struct pair *p)
{
	p->family = nlreq_family(p->node[0].genl, UET_FAMILY_NAME);
	if (!p->family)
		SKIP("the uet module is not loaded");
	for (int n = 0; n < 2; n++)
		for (int r = 0; r < PAIR_RAILS; r++)
			ASSERT_EQ(pair_uet_rail(p, &p->node[n],
						UET_CMD_RAIL_NEW, r), 0);
	pair_add_feps(p);
}

/* How many objects a node lists: UET_CMD_PDC_GET, UET_CMD_EP_GET */
static inline int pair_objects(const struct pair *p, int n, uint8_t cmd)
{
	struct nlreply reply;
	struct nlreq req;

	nlreq_begin_genl(&req, p->family, cmd, NLM_F_DUMP);
	ASSERT_EQ(nlreq_ask(p->node[n].genl, &req, &reply), 0);
	return reply.messages;
}

/* The number in the answer to a request. */
static inline uint64_t pair_ask_u64(const struct pair_node *node,
				    struct nlreq *req, uint16_t type)
{
	struct nlreply reply;
	const void *attr;
	uint64_t value;

	ASSERT_EQ(nlreq_ask(node->genl, req, &reply), 0);
	attr = nlreq_find(&reply.last.nlh, GENL_HDRLEN, type);
	ASSERT(attr);
	memcpy(&value, attr, sizeof(value));
	return value;
}

/* Packets that a rail of a node has sent. */
static inline uint64_t pair_rail_packets(const struct pair *p, int n, int rail)
{
	struct nlreq req;

	nlreq_begin_genl(&req, p->family, UET_CMD_RAIL_GET, 0);
	nlreq_put_u32(&req, UET_A_RAIL_IFINDEX, PAIR_IFINDEX + rail);
	return pair_ask_u64(&p->node[n], &req, UET_A_RAIL_TX_PACKETS);
}

/* A counter of a node, by its name in mib.def. */
static inline uint64_t pair_counter(const struct pair *p, int n,
				    const char *name)
{
	uint8_t kind = UET_COUNTER_KIND_MIB;
	struct nlreq req;

	nlreq_begin_genl(&req, p->family, UET_CMD_STATS_GET, 0);
	nlreq_put(&req, UET_A_STATS_KIND, &kind, sizeof(kind));
	nlreq_put_string(&req, UET_A_STATS_NAME, name);
	return pair_ask_u64(&p->node[n], &req, UET_A_STATS_VALUE);
}

/* Two nodes that can reach each other. */
static inline void pair_make_nodes(struct pair *p, enum pair_end end)
{
	memset(p, 0, sizeof(*p));
	p->end = end;
	for (int n = 0; n < 2; n++)
		pair_make_node(&p->node[n], n);
	for (int r = 0; r < PAIR_RAILS; r++)
		pair_make_link(p, r);
	for (int n = 0; n < 2; n++) {
		ASSERT_EQ(pair_set_flags(&p->node[n], 1, true), 0);
		ASSERT_EQ(pair_change_fa(&p->node[n], RTM_NEWADDR), 0);
		ASSERT_EQ(pair_change_route(&p->node[n], RTM_NEWROUTE), 0);
	}
	pair_configure(p);
}

/* Without processes, PDCs and endpoints end by themselves. */
static inline void pair_expect_drained(struct pair *p)
{
	for (int n = 0; n < 2; n++) {
		WAIT_FOR(!pair_objects(p, n, UET_CMD_EP_GET));
		WAIT_FOR(!pair_objects(p, n, UET_CMD_PDC_GET));
	}
}

#endif
