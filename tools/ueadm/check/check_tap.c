// SPDX-License-Identifier: GPL-2.0
/*
 * A tap on the netdevs of this host.  Packets that come in pass it before the firewall and
 * the FEP, packets that leave pass it behind them and behind the queue.  So it tells a
 * packet that this host lost from one that was lost outside.
 */
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check_probe.h"

#define TAP_BUFFER	(4 << 20)
#define TAP_LEN_MAX	240	/* probes and their answers are shorter */

/* Types of PDS that begin a packet: UE 1.0.1 Table 3-29. */
#define TAP_TYPE(byte)	((byte) >> 3)
#define TAP_TSS		1
#define TAP_RUDI_REQ	4
#define TAP_RUDI_RESP	5

/**
 * uea_tap_open() - see the short packets of all netdevs from now on
 * @paths: gets the tap
 */
void uea_tap_open(struct uea_paths *paths)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, TAP_LEN_MAX, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, TAP_LEN_MAX),
	};
	struct sock_fprog filter = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code,
	};
	struct sockaddr_ll all = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
	};
	int size = TAP_BUFFER;

	/* Without a protocol it receives nothing before it is bound. */
	paths->tap = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (paths->tap < 0)
		return;
	setsockopt(paths->tap, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (setsockopt(paths->tap, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
		       sizeof(filter)) ||
	    bind(paths->tap, (struct sockaddr *)&all, sizeof(all)))
		uea_tap_close(paths);
}

/**
 * uea_tap_close() - end
 * @paths: whose tap it is
 */
void uea_tap_close(struct uea_paths *paths)
{
	if (paths->tap >= 0)
		close(paths->tap);
	paths->tap = -1;
}

/* Return: false if it is no IP packet without extensions. */
static bool parse(struct uea_frame *frame, const uint8_t *ip, size_t len)
{
	size_t head;

	if (frame->family == AF_INET) {
		head = len ? (ip[0] & 15) * 4 : 0;
		if (len < 20 || len < head)
			return false;
		frame->from = ip + 12;
		frame->to = ip + 16;
		frame->proto = ip[9];
	} else {
		head = 40;
		if (len < head)
			return false;
		frame->from = ip + 8;
		frame->to = ip + 24;
		frame->proto = ip[6];
	}
	frame->data = ip + head;
	frame->len = len - head;
	return true;
}

/**
 * uea_tap_read() - take what the tap has seen
 * @paths: whose tap it is
 * @fn: function for each packet
 * @arg: its last argument
 */
void uea_tap_read(struct uea_paths *paths,
		  void (*fn)(const struct uea_frame *frame, void *arg), void *arg)
{
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);
	struct uea_frame frame;
	struct sockaddr_ll from;
	uint8_t buf[TAP_LEN_MAX];
	socklen_t from_len;
	ssize_t len;

	while (paths->tap >= 0) {
		from_len = sizeof(from);
		len = recvfrom(paths->tap, buf, sizeof(buf), 0,
			       (struct sockaddr *)&from, &from_len);
		if (len < 0)
			break;
		if (from.sll_protocol != htons(ETH_P_IP) &&
		    from.sll_protocol != htons(ETH_P_IPV6))
			continue;
		frame.family = from.sll_protocol == htons(ETH_P_IP) ? AF_INET :
								      AF_INET6;
		frame.ifindex = from.sll_ifindex;
		frame.is_out = from.sll_pkttype == PACKET_OUTGOING;
		if (parse(&frame, buf, len))
			fn(&frame, arg);
	}
	if (paths->tap >= 0 &&
	    !getsockopt(paths->tap, SOL_PACKET, PACKET_STATISTICS, &stats, &size))
		paths->is_blind |= stats.tp_drops;
}

static bool is_address(int family, const uint8_t *bytes, const char *text)
{
	uint8_t addr[sizeof(struct in6_addr)];

	return inet_pton(family, text, addr) == 1 &&
	       !memcmp(addr, bytes, family == AF_INET ? 4 : 16);
}

/**
 * uea_tap_is_from() - whether a packet came from an address
 * @frame: the packet
 * @addr: the address
 *
 * Return: true if so.
 */
bool uea_tap_is_from(const struct uea_frame *frame, const char *addr)
{
	return !frame->is_out && is_address(frame->family, frame->from, addr);
}

/* The type of PDS of a packet of the FEP's encapsulation; 0: another packet. */
static unsigned int type_of(const struct uea_frame *frame,
			    const struct uea_path *path)
{
	bool is_udp = !strcmp(uea_text_of(path->fep, "encap"), "udp");
	unsigned int proto = is_udp ? IPPROTO_UDP :
				      uea_number_of(path->fep, "proto");
	size_t head = is_udp ? 8 : 4;

	if (frame->proto != proto || frame->len < head + 2)
		return 0;
	if (is_udp && (frame->data[2] << 8 | frame->data[3]) !=
		      (int)uea_number_of(path->fep, "port"))
		return 0;
	return TAP_TYPE(frame->data[head]);
}

static void count_icmp(const struct uea_frame *frame, struct uea_path *path)
{
	uint8_t type, code;

	if (frame->len < 2)
		return;
	type = frame->data[0];
	code = frame->data[1];
	if (frame->proto == IPPROTO_ICMP && type == ICMP_DEST_UNREACH) {
		path->refused += code == ICMP_PORT_UNREACH ||
				 code == ICMP_PROT_UNREACH;
		path->rejected += code == ICMP_PKT_FILTERED ||
				  code == ICMP_HOST_ANO || code == ICMP_NET_ANO;
	} else if (frame->proto == IPPROTO_ICMPV6 && type == ICMP6_DST_UNREACH) {
		path->refused += code == ICMP6_DST_UNREACH_NOPORT;
		path->rejected += code == ICMP6_DST_UNREACH_ADMIN;
	}
}

static void count_path(const struct uea_frame *frame, struct uea_path *path)
{
	unsigned int type;

	if (frame->is_out) {
		type = type_of(frame, path);
		if (frame->ifindex == path->ifindex &&
		    is_address(frame->family, frame->to, path->peer))
			path->left += type == TAP_RUDI_REQ || type == TAP_TSS;
		return;
	}
	/* A hop answers for itself. */
	if (path->via[0] && strcmp(path->via, path->peer) &&
	    (frame->proto == IPPROTO_ICMP || frame->proto == IPPROTO_ICMPV6) &&
	    frame->len && (frame->data[0] == ICMP_ECHOREPLY ||
			   frame->data[0] == ICMP6_ECHO_REPLY) &&
	    uea_tap_is_from(frame, path->via))
		path->hop_dev = frame->ifindex;
	if (!uea_tap_is_from(frame, path->peer))
		return;
	count_icmp(frame, path);
	type = type_of(frame, path);
	if (frame->ifindex == path->ifindex)
		path->came += type == TAP_RUDI_RESP || type == TAP_TSS;
}

static void count_frame(const struct uea_frame *frame, void *arg)
{
	struct uea_paths *paths = arg;
	size_t i;

	for (i = 0; i < paths->nr; i++)
		count_path(frame, &paths->list[i]);
}

/**
 * uea_tap_count() - count for each path what has left and come
 * @paths: the paths
 */
void uea_tap_count(struct uea_paths *paths)
{
	uea_tap_read(paths, count_frame, paths);
}
