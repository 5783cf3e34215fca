// SPDX-License-Identifier: GPL-2.0
/*
 * Probes by ICMP: echo requests over one rail, small and as long as the longest packet of
 * a FEP, never fragmented.  They tell a path that loses long packets, or all packets, from
 * a peer that only does not answer UET.
 */
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check_probe.h"

#define ICMP_TRIES	3	/* packets of each length */
#define ICMP_WAIT_MS	600
#define ICMP_SMALL	64
#define ICMP_ID		0x7565
#define ICMP_MAX	16384

/* The same layout in both families, but for the numbers of the types. */
struct echo {
	uint8_t type;
	uint8_t code;
	uint16_t sum;
	uint16_t id;
	uint16_t seq;
};

static uint16_t sum_of(const uint8_t *data, size_t size)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < size; i += 2)
		sum += data[i] << 8 | data[i + 1];
	if (i < size)
		sum += data[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum & 0xffff);
}

static void set_whole(int fd, int family)
{
	int on = IP_PMTUDISC_PROBE;

	if (family == AF_INET)
		setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &on, sizeof(on));
	else
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &on, sizeof(on));
}

static int open_socket(const union uea_sockaddr *from, const char *dev)
{
	bool is_v4 = from->sa.sa_family == AF_INET;
	int fd = socket(from->sa.sa_family, SOCK_RAW | SOCK_CLOEXEC,
			is_v4 ? IPPROTO_ICMP : (int)IPPROTO_ICMPV6);

	if (fd < 0)
		return -1;
	set_whole(fd, from->sa.sa_family);
	if (!bind(fd, &from->sa, is_v4 ? sizeof(from->v4) : sizeof(from->v6)) &&
	    (!dev || !setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, dev,
				 strlen(dev) + 1)))
		return fd;
	close(fd);
	return -1;
}

static void send_echo(int fd, const union uea_sockaddr *to, socklen_t len,
		      uint16_t seq, size_t size)
{
	static uint8_t packet[ICMP_MAX];
	bool is_v4 = to->sa.sa_family == AF_INET;
	struct echo echo = {
		.type = is_v4 ? ICMP_ECHO : ICMP6_ECHO_REQUEST,
		.id = htons(ICMP_ID), .seq = htons(seq),
	};

	memcpy(packet, &echo, sizeof(echo));
	if (is_v4) {
		echo.sum = sum_of(packet, size);
		memcpy(packet, &echo, sizeof(echo));
	}
	/* Without an answer it is lost, whatever the reason. */
	if (sendto(fd, packet, size, 0, &to->sa, len) < 0)
		return;
}

/* An answer to one of ours: its sequence number; -1: something else. */
static int answer_of(int fd, int family)
{
	static uint8_t packet[ICMP_MAX];
	ssize_t size = recv(fd, packet, sizeof(packet), 0);
	size_t head = family == AF_INET && size > 0 ? (packet[0] & 15) * 4 : 0;
	struct echo echo;

	if (size < (ssize_t)(head + sizeof(echo)))
		return -1;
	memcpy(&echo, packet + head, sizeof(echo));
	if (echo.type != (family == AF_INET ? ICMP_ECHOREPLY :
					      ICMP6_ECHO_REPLY) ||
	    echo.id != htons(ICMP_ID))
		return -1;
	return ntohs(echo.seq);
}

static void take_answers(struct uea_path *path, int fd, int family)
{
	uint64_t end = uea_probe_now() + ICMP_WAIT_MS * 1000000ULL, now;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	unsigned int seen = 0;
	int seq;

	while ((now = uea_probe_now()) < end &&
	       path->icmp_small + path->icmp_full < 2 * ICMP_TRIES) {
		if (poll(&poll_fd, 1, (end - now) / 1000000 + 1) <= 0)
			return;
		seq = answer_of(fd, family);
		if (seq < 0 || seq >= 2 * ICMP_TRIES || seen & 1 << seq)
			continue;
		seen |= 1 << seq;
		if (seq < ICMP_TRIES)
			path->icmp_small++;
		else
			path->icmp_full++;
	}
}

/**
 * uea_probe_icmp() - send ICMP echo requests over a path
 * @path: the path; its numbers are set
 */
void uea_probe_icmp(struct uea_path *path)
{
	size_t full = uea_number_of(path->fep, "need-mtu"), head, i;
	union uea_sockaddr from, to;
	socklen_t len = uea_probe_addr(&to, path->peer, 0);
	int out, in;

	if (!len || !uea_probe_addr(&from, uea_text_of(path->fep, "addr"), 0))
		return;
	head = to.sa.sa_family == AF_INET ? 20 : 40;
	out = open_socket(&from, path->dev);
	/* An answer may come by another rail. */
	in = open_socket(&from, NULL);
	if (out >= 0 && in >= 0 && full - head < ICMP_MAX) {
		for (i = 0; i < 2 * ICMP_TRIES; i++)
			send_echo(out, &to, len, i, i < ICMP_TRIES ?
				  ICMP_SMALL : full - head);
		path->icmp_sent = ICMP_TRIES;
		take_answers(path, in, to.sa.sa_family);
	}
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
}

/**
 * uea_probe_hop() - send ICMP echo requests to the next hop of a path
 * @path: the path; the tap sees where the answers come in
 */
void uea_probe_hop(const struct uea_path *path)
{
	union uea_sockaddr to, any = { .sa.sa_family = AF_UNSPEC };
	socklen_t len = uea_probe_addr(&to, path->via, 0);
	int fd, i;

	if (!len || !strcmp(path->via, path->peer))
		return;
	any.sa.sa_family = to.sa.sa_family;
	fd = open_socket(&any, path->dev);
	for (i = 0; fd >= 0 && i < ICMP_TRIES; i++)
		send_echo(fd, &to, len, i, ICMP_SMALL);
	if (fd >= 0)
		close(fd);
}
