// SPDX-License-Identifier: GPL-2.0
/*
 * The rails below IP: the next hop to a peer, its neighbour entry, who answers ARP for it,
 * and what the queue of the netdev drops.
 */
#include <arpa/inet.h>
#include <linux/gen_stats.h>
#include <net/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/neighbour.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check_probe.h"

#define LINK_WAIT_MS	300
#define LINK_BUF	32768

/* The body of an ARP packet for Ethernet and IPv4. */
struct arp {
	struct arphdr head;
	uint8_t from_mac[UEA_MAC_LEN];
	uint8_t from[4];
	uint8_t to_mac[UEA_MAC_LEN];
	uint8_t to[4];
} __attribute__((packed));

/**
 * struct dump - a request to rtnetlink for all objects of a kind
 * @type: of the request
 * @path: for which
 * @read: function for each answer
 */
struct dump {
	uint16_t type;
	struct uea_path *path;
	void (*read)(const struct nlmsghdr *nlh, struct uea_path *path);
};

static int dump_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct dump *dump = data;

	dump->read(nlh, dump->path);
	return MNL_CB_OK;
}

/* The headers of the kinds are as long as that of neighbours, but for the queues. */
static void run_dump(const struct dump *dump, const void *head, size_t size)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_ROUTE);
	char buf[LINK_BUF];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	int len;

	nlh->nlmsg_type = dump->type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = 1;
	memcpy(mnl_nlmsg_put_extra_header(nlh, size), head, size);
	if (nl && !mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) &&
	    mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) > 0) {
		do
			len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		while (len > 0 && mnl_cb_run(buf, len, 1, mnl_socket_get_portid(nl),
					     dump_cb, (void *)dump) > 0);
	}
	if (nl)
		mnl_socket_close(nl);
}

/* -------------------------------------------------------------- neighbours */

static void read_neighbour(const struct nlmsghdr *nlh, struct uea_path *path)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr, *mac = NULL;
	char dst[INET6_ADDRSTRLEN] = "";

	if (ndm->ndm_ifindex != (int)path->ifindex)
		return;
	mnl_attr_for_each(attr, nlh, sizeof(*ndm)) {
		if (mnl_attr_get_type(attr) == NDA_DST)
			inet_ntop(ndm->ndm_family, mnl_attr_get_payload(attr),
				  dst, sizeof(dst));
		else if (mnl_attr_get_type(attr) == NDA_LLADDR &&
			 mnl_attr_get_payload_len(attr) == UEA_MAC_LEN)
			mac = attr;
	}
	if (strcmp(dst, path->via))
		return;
	path->is_dumb = ndm->ndm_state & (NUD_FAILED | NUD_INCOMPLETE);
	path->has_mac = mac && !path->is_dumb;
	if (path->has_mac)
		memcpy(path->mac, mnl_attr_get_payload(mac), UEA_MAC_LEN);
}

static void look_at_neighbour(struct uea_path *path)
{
	const struct ndmsg ndm = {
		.ndm_family = strchr(path->via, ':') ? AF_INET6 : AF_INET,
	};
	const struct dump dump = {
		.type = RTM_GETNEIGH, .path = path, .read = read_neighbour,
	};

	run_dump(&dump, &ndm, sizeof(ndm));
}

/* --------------------------------------------------------------------- ARP */

/* Without a sender address, so that nobody's table changes. */
static void ask_arp(int fd, const struct uea_path *path, const char *addr)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ARP),
		.sll_ifindex = path->ifindex, .sll_halen = UEA_MAC_LEN,
		.sll_addr = { 255, 255, 255, 255, 255, 255 },
	};
	struct arp arp = {
		.head = {
			.ar_hrd = htons(ARPHRD_ETHER), .ar_pro = htons(ETH_P_IP),
			.ar_hln = UEA_MAC_LEN, .ar_pln = 4,
			.ar_op = htons(ARPOP_REQUEST),
		},
	};

	if (inet_pton(AF_INET, addr, arp.to) != 1 ||
	    !uea_mac_of(path->dev, arp.from_mac))
		return;
	/* Lost or refused: there is no answer then. */
	if (sendto(fd, &arp, sizeof(arp), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return;
}

static void add_mac(struct uea_macs *macs, const uint8_t *mac)
{
	unsigned int i;

	for (i = 0; i < macs->nr; i++) {
		if (!memcmp(macs->addr[i], mac, UEA_MAC_LEN))
			return;
	}
	if (macs->nr < UEA_MACS_MAX)
		memcpy(macs->addr[macs->nr++], mac, UEA_MAC_LEN);
}

static void take_arp(struct uea_paths *paths, const struct arp *arp, int ifindex)
{
	char from[INET_ADDRSTRLEN];
	struct uea_path *path;

	inet_ntop(AF_INET, arp->from, from, sizeof(from));
	for (path = paths->list; path < paths->list + paths->nr; path++) {
		if (path->ifindex != (unsigned int)ifindex)
			continue;
		if (!strcmp(from, path->via))
			add_mac(&path->via_macs, arp->from_mac);
		if (!strcmp(from, path->peer))
			add_mac(&path->peer_macs, arp->from_mac);
	}
}

static void look_at_arp(struct uea_paths *paths)
{
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ARP));
	uint64_t end = uea_probe_now() + LINK_WAIT_MS * 1000000ULL, now;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct sockaddr_ll from;
	socklen_t len = sizeof(from);
	struct arp arp;
	size_t i;

	if (fd < 0)
		return;
	for (i = 0; i < paths->nr; i++) {
		ask_arp(fd, &paths->list[i], paths->list[i].via);
		if (strcmp(paths->list[i].via, paths->list[i].peer))
			ask_arp(fd, &paths->list[i], paths->list[i].peer);
	}
	while ((now = uea_probe_now()) < end) {
		if (poll(&poll_fd, 1, (end - now) / 1000000 + 1) <= 0)
			break;
		if (recvfrom(fd, &arp, sizeof(arp), 0, (struct sockaddr *)&from,
			     &len) == sizeof(arp) &&
		    arp.head.ar_op == htons(ARPOP_REPLY) &&
		    from.sll_pkttype != PACKET_OUTGOING)
			take_arp(paths, &arp, from.sll_ifindex);
	}
	close(fd);
}

/**
 * uea_link_look() - find next hops, their neighbour entries and who answers for them
 * @paths: the paths, behind the first probes, which make the entries
 */
void uea_link_look(struct uea_paths *paths)
{
	struct uea_path *path;

	for (path = paths->list; path < paths->list + paths->nr; path++) {
		if (path->via[0])
			look_at_neighbour(path);
	}
	look_at_arp(paths);
}

/* ------------------------------------------------------------------ queues */

static void read_queue(const struct nlmsghdr *nlh, struct uea_path *path)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	const struct gnet_stats_queue *stats;
	const struct nlattr *attr, *sub;

	if (tcm->tcm_ifindex != (int)path->ifindex || tcm->tcm_parent != TC_H_ROOT)
		return;
	mnl_attr_for_each(attr, nlh, sizeof(*tcm)) {
		if (mnl_attr_get_type(attr) == TCA_KIND)
			snprintf(path->queue, sizeof(path->queue), "%s",
				 mnl_attr_get_str(attr));
		if (mnl_attr_get_type(attr) != TCA_STATS2)
			continue;
		mnl_attr_for_each_nested(sub, attr) {
			if (mnl_attr_get_type(sub) != TCA_STATS_QUEUE)
				continue;
			stats = mnl_attr_get_payload(sub);
			path->queue_drops = stats->drops - path->queue_drops;
		}
	}
}

/**
 * uea_link_queues() - what the queues of the rails drop
 * @paths: the paths
 * @is_first: before the probes
 */
void uea_link_queues(struct uea_paths *paths, bool is_first)
{
	const struct tcmsg tcm = { .tcm_family = AF_UNSPEC };
	struct dump dump = { .type = RTM_GETQDISC, .read = read_queue };
	struct uea_path *path;

	for (path = paths->list; path < paths->list + paths->nr; path++) {
		if (is_first)
			path->queue_drops = 0;
		dump.path = path;
		run_dump(&dump, &tcm, sizeof(tcm));
	}
}
