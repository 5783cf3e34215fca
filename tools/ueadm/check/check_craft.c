// SPDX-License-Identifier: GPL-2.0
/*
 * NO_OPs as this FEP does not send them: with the CRC or without it, to another port, in
 * the other encapsulation, or with a chosen entropy value.  The answers go to the FEP, if
 * to anybody; the tap sees them.
 */
#include <linux/uet_nl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check_noop.h"
#include "check_probe.h"
#include "core/wire/wire_codes.h"

#define CRAFT_TRIES	3
#define CRAFT_WAIT_MS	200
#define CRAFT_PORTS	16	/* ports tried on either side of that of the FEP */
#define CRAFT_VALUES	24	/* entropy values, and packets with each */
#define CRAFT_EACH	6
#define CRAFT_FIRST	33000	/* the first of these values */
#define CRAFT_STEP	1237
#define CRAFT_GAP_US	2000
#define CRAFT_HEARD	192	/* answers, at most */

/**
 * struct craft - how a NO_OP leaves
 * @path: peer and rail
 * @proto: of IP; IPPROTO_UDP: behind a UDP header
 * @port: destination, with UDP
 * @ev: entropy value, the source port of UDP; 0: any
 * @has_crc: it ends with the CRC
 */
struct craft {
	const struct uea_path *path;
	uint8_t proto;
	uint16_t port;
	uint16_t ev;
	bool has_crc;
};

/**
 * struct heard - answers of a peer
 * @path: the peer
 * @proto: of IP
 * @port: destination ports, with UDP, which are those that the peer listens to
 * @ev: entropy values
 * @nr: how many
 */
struct heard {
	const struct uea_path *path;
	uint8_t proto;
	uint16_t port[CRAFT_HEARD];
	uint16_t ev[CRAFT_HEARD];
	unsigned int nr;
};

static uint32_t add_crc(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *byte = data;
	int bit;

	while (size--) {
		crc ^= *byte++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

static uint32_t add_addr(uint32_t crc, const union uea_sockaddr *addr)
{
	return addr->sa.sa_family == AF_INET ?
	       add_crc(crc, &addr->v4.sin_addr, 4) :
	       add_crc(crc, &addr->v6.sin6_addr, 16);
}

/* Both addresses, the header before the packet without its checksum, and the data. */
static uint32_t crc_of(const union uea_sockaddr *from,
		       const union uea_sockaddr *to, bool is_udp,
		       const uint8_t *data, size_t len)
{
	bool is_v4 = to->sa.sa_family == AF_INET;
	uint16_t udp[4] = {
		is_v4 ? from->v4.sin_port : from->v6.sin6_port,
		is_v4 ? to->v4.sin_port : to->v6.sin6_port,
		htons(sizeof(udp) + len + 4), 0,
	};
	uint32_t crc = add_addr(add_addr(~0U, from), to);

	if (is_udp)
		crc = add_crc(crc, udp, sizeof(udp));
	return ~add_crc(crc, data, len);
}

static int open_socket(const struct craft *craft, union uea_sockaddr *from,
		       const union uea_sockaddr *to, socklen_t len)
{
	bool is_udp = craft->proto == IPPROTO_UDP;
	int fd = socket(to->sa.sa_family,
			(is_udp ? SOCK_DGRAM : SOCK_RAW) | SOCK_CLOEXEC,
			is_udp ? 0 : craft->proto);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, craft->path->dev,
		       strlen(craft->path->dev) + 1) ||
	    bind(fd, &from->sa, len) || connect(fd, &to->sa, len) ||
	    getsockname(fd, &from->sa, &len)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void send_noops(const struct craft *craft, unsigned int nr)
{
	bool is_udp = craft->proto == IPPROTO_UDP;
	size_t head = is_udp ? 0 : 4, len;
	union uea_sockaddr from, to;
	uint8_t buf[128] = { 0 };
	unsigned int i;
	uint32_t crc;
	socklen_t size;
	int fd;

	size = uea_probe_addr(&to, craft->path->peer, is_udp ? craft->port : 0);
	if (!size || !uea_probe_addr(&from, uea_text_of(craft->path->fep, "addr"),
				     craft->ev))
		return;
	fd = open_socket(craft, &from, &to, size);
	/* The entropy header is zero: any value. */
	for (i = 0; fd >= 0 && i < nr; i++) {
		len = head + uea_noop_encode(buf + head, sizeof(buf) - head - 4, i);
		if (craft->has_crc) {
			crc = htonl(crc_of(&from, &to, is_udp, buf, len));
			memcpy(buf + len, &crc, 4);
			len += 4;
		}
		/* An ICMP message about the packet before is an error of this one. */
		if (send(fd, buf, len, 0) < 0 && send(fd, buf, len, 0) < 0)
			break;
	}
	if (fd >= 0)
		close(fd);
}

static void hear(const struct uea_frame *frame, void *arg)
{
	struct heard *heard = arg;
	const uint8_t *head = frame->data;

	if (frame->proto != heard->proto || frame->len < 10 ||
	    heard->nr == CRAFT_HEARD ||
	    !uea_tap_is_from(frame, heard->path->peer))
		return;
	heard->ev[heard->nr] = head[0] << 8 | head[1];
	heard->port[heard->nr++] = head[2] << 8 | head[3];
}

/* Hear what comes within a while. */
static void listen_to(struct uea_paths *paths, struct heard *heard)
{
	poll(NULL, 0, CRAFT_WAIT_MS);
	uea_tap_read(paths, hear, heard);
}

/* Answers to earlier packets must not count. */
static bool is_answered(struct uea_paths *paths, const struct craft *craft)
{
	struct heard heard = { .path = craft->path, .proto = craft->proto };

	uea_tap_count(paths);
	send_noops(craft, CRAFT_TRIES);
	listen_to(paths, &heard);
	return heard.nr;
}

/**
 * uea_craft_crc() - does the peer answer packets that end in another manner?
 * @paths: with the tap
 * @path: the path; its FEP has encap udp, and no secure domain
 * @has_crc: end the packets with the CRC
 *
 * Return: true if it does.
 */
bool uea_craft_crc(struct uea_paths *paths, const struct uea_path *path,
		   bool has_crc)
{
	const struct craft craft = {
		.path = path, .proto = IPPROTO_UDP, .has_crc = has_crc,
		.port = uea_number_of(path->fep, "port"),
	};

	return is_answered(paths, &craft);
}

/* The port of an answer is that which the peer listens to. Return: 0: none but the own came. */
static unsigned int find_port(struct uea_paths *paths, const struct uea_path *path,
			      bool has_crc)
{
	const unsigned int port = uea_number_of(path->fep, "port");
	struct heard heard = { .path = path, .proto = IPPROTO_UDP };
	struct craft craft = {
		.path = path, .proto = IPPROTO_UDP, .has_crc = has_crc,
		.port = UET_PORT_DEFAULT,
	};
	int i;

	uea_tap_count(paths);
	if (port != UET_PORT_DEFAULT)
		send_noops(&craft, 1);
	for (i = -CRAFT_PORTS; i <= CRAFT_PORTS; i++) {
		craft.port = port + i;
		if (i)
			send_noops(&craft, 1);
	}
	listen_to(paths, &heard);
	return heard.nr ? heard.port[0] : 0;
}

/**
 * uea_craft_other() - find the port or encapsulation that a peer answers
 * @paths: with the tap
 * @path: the path; its FEP has no secure domain
 * @text: what the peer has, as words of "fep add"
 * @size: space there
 *
 * Return: true if one was found.
 */
bool uea_craft_other(struct uea_paths *paths, const struct uea_path *path,
		     char *text, size_t size)
{
	bool is_udp = !strcmp(uea_text_of(path->fep, "encap"), "udp");
	struct craft craft = {
		.path = path,
		.proto = is_udp ? UET_IPPROTO_DEFAULT : IPPROTO_UDP,
		.port = UET_PORT_DEFAULT,
	};
	unsigned int port = 0, k;

	for (k = 0; k < 2; k++) {
		craft.has_crc = k != !strcmp(uea_text_of(path->fep, "protect"), "crc");
		if (is_answered(paths, &craft)) {
			snprintf(text, size, is_udp ? "encap native" : "encap udp");
			return true;
		}
		if (is_udp && !port)
			port = find_port(paths, path, craft.has_crc);
	}
	snprintf(text, size, "port %u", port);
	return port;
}

/**
 * uea_craft_values() - find entropy values whose packets are all lost
 * @paths: with the tap
 * @path: the path, with answers; its FEP has encap udp, and no secure domain
 */
void uea_craft_values(struct uea_paths *paths, struct uea_path *path)
{
	struct craft craft = {
		.path = path, .proto = IPPROTO_UDP,
		.port = uea_number_of(path->fep, "port"),
		.has_crc = !strcmp(uea_text_of(path->fep, "protect"), "crc"),
	};
	struct heard heard = { .path = path, .proto = IPPROTO_UDP };
	unsigned int got[CRAFT_VALUES] = { 0 }, sum = 0, i, k;

	uea_tap_count(paths);
	for (k = 0; k < CRAFT_EACH * CRAFT_VALUES; k++) {
		craft.ev = CRAFT_FIRST + k % CRAFT_VALUES * CRAFT_STEP;
		send_noops(&craft, 1);
		usleep(CRAFT_GAP_US);
	}
	listen_to(paths, &heard);
	for (i = 0; i < heard.nr; i++) {
		k = (heard.ev[i] - CRAFT_FIRST) / CRAFT_STEP;
		if (heard.ev[i] >= CRAFT_FIRST && k < CRAFT_VALUES &&
		    heard.ev[i] == CRAFT_FIRST + k * CRAFT_STEP)
			got[k]++;
	}
	path->values = CRAFT_VALUES;
	for (k = 0; k < CRAFT_VALUES; k++) {
		path->dead_values += !got[k];
		sum += got[k];
	}
	if (sum)
		path->live_percent = 100 * sum /
			((CRAFT_VALUES - path->dead_values) * CRAFT_EACH);
}
