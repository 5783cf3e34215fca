// SPDX-License-Identifier: GPL-2.0
/*
 * A NO_OP with the CRC that this FEP does not use, or without the CRC that it uses: if the
 * peer answers, the two ends do not agree.  The answer goes to the FEP, which drops it and
 * counts that.
 */
#include <linux/uet_nl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check_noop.h"
#include "check_probe.h"

#define CRC_TRIES	5
#define CRC_WAIT_MS	200

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

/* Both addresses, the UDP header without its checksum, and the data. */
static uint32_t crc_of(const union uea_sockaddr *from,
		       const union uea_sockaddr *to, const uint8_t *data,
		       size_t len)
{
	bool is_v4 = to->sa.sa_family == AF_INET;
	uint16_t udp[4] = {
		is_v4 ? from->v4.sin_port : from->v6.sin6_port,
		is_v4 ? to->v4.sin_port : to->v6.sin6_port,
		htons(sizeof(udp) + len + 4), 0,
	};
	uint32_t crc = ~0U;

	crc = is_v4 ? add_crc(crc, &from->v4.sin_addr, 4) :
		      add_crc(crc, &from->v6.sin6_addr, 16);
	crc = is_v4 ? add_crc(crc, &to->v4.sin_addr, 4) :
		      add_crc(crc, &to->v6.sin6_addr, 16);
	crc = add_crc(crc, udp, sizeof(udp));
	return ~add_crc(crc, data, len);
}

static void send_probes(int fd, const union uea_sockaddr *from,
			const union uea_sockaddr *to, bool has_crc)
{
	uint8_t buf[128];
	unsigned int i;
	uint32_t crc;
	size_t len;

	for (i = 0; i < CRC_TRIES; i++) {
		len = uea_noop_encode(buf, sizeof(buf) - 4, i);
		if (has_crc) {
			crc = htonl(crc_of(from, to, buf, len));
			memcpy(buf + len, &crc, 4);
			len += 4;
		}
		if (send(fd, buf, len, 0) < 0)
			return;
	}
}

static uint64_t drops(struct uea_ctx *ctx)
{
	struct json_object *counters = NULL, *one;
	uint64_t sum = 0;
	size_t i;

	if (!uea_dump(ctx, &uea_stats, &counters))
		for (i = 0; (one = uea_nth(counters, i)); i++)
			if (!strcmp(uea_text_of(one, "kind"), "mib") &&
			    !strcmp(uea_text_of(one, "name"), "rx-drops"))
				sum = uea_number_of(one, "value");
	json_object_put(counters);
	return sum;
}

/**
 * uea_probe_crc() - does the peer answer packets that end in another manner?
 * @ctx: run
 * @path: the path; its FEP has encap udp, and no secure domain
 * @has_crc: end the packets with the CRC
 *
 * Return: true if it does.
 */
bool uea_probe_crc(struct uea_ctx *ctx, const struct uea_path *path,
		   bool has_crc)
{
	union uea_sockaddr from, to;
	socklen_t len = uea_probe_addr(&to, path->peer,
				       uea_number_of(path->fep, "port"));
	uint64_t before;
	int fd;

	if (!len || !uea_probe_addr(&from, uea_text_of(path->fep, "addr"), 0))
		return false;
	fd = socket(to.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	before = drops(ctx);
	if (!setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, path->dev,
			strlen(path->dev) + 1) &&
	    !bind(fd, &from.sa, len) && !connect(fd, &to.sa, len) &&
	    !getsockname(fd, &from.sa, &len))
		send_probes(fd, &from, &to, has_crc);
	poll(NULL, 0, CRC_WAIT_MS);
	close(fd);
	return drops(ctx) >= before + CRC_TRIES - 1;
}
