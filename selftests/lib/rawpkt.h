/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets as the tests that attack build them: from the tables of the
 * specification, byte by byte, and not by the code under test.  Level: test.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 3.5.25 (CRC), Table 3-31 (entropy).
 */
#ifndef UET_SELFTESTS_RAWPKT_H
#define UET_SELFTESTS_RAWPKT_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "crc32c.h"

#define PORT		4793
#define PACKET_MAX	9000
#define CRC_BYTES	4

enum pds_type {
	RUD_REQ = 2, ROD_REQ = 3, RUDI_REQ = 4, RUDI_RESP = 5, UUD_REQ = 6,
	ACK = 7, ACK_CC = 8, ACK_CCX = 9, NACK = 10, CP = 11, NACK_CCX = 12,
	RUD_CC_REQ = 13, ROD_CC_REQ = 14,
};

enum pds_flag { F_RETX = 0x10, F_AR = 0x08, F_NT = 0x08, F_SYN = 0x04 };

enum { SES_WRITE = 1, SES_ATOMIC = 3, SES_SEND = 5 };
enum { SES_REL = 0x08, SES_EOM = 0x02, SES_SOM = 0x01 };

enum { NH_NONE = 0, NH_SMALL = 1, NH_MEDIUM = 2, NH_STD = 3, NH_RESPONSE = 4 };

struct packet {
	uint8_t bytes[PACKET_MAX];
	size_t len;
};

static inline void put(struct packet *p, uint64_t value, unsigned int bytes)
{
	while (bytes--)
		p->bytes[p->len++] = value >> 8 * bytes;
}

static inline void put_prologue(struct packet *p, unsigned int type,
				unsigned int next_hdr, unsigned int flags)
{
	put(p, type << 11 | next_hdr << 7 | flags, 2);
}

static inline uint64_t get_be(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* raw_crc - of a packet; entropy: that header, or NULL with UDP (checksum 0) */
static inline uint32_t raw_crc(const struct sockaddr_storage *from,
			       const struct sockaddr_storage *to,
			       const uint8_t *entropy, const struct packet *p)
{
	const struct sockaddr_in6 *to6 = (const void *)to;
	const struct sockaddr_in6 *from6 = (const void *)from;
	const struct sockaddr_in *to4 = (const void *)to;
	const struct sockaddr_in *from4 = (const void *)from;
	uint16_t udp[4] = { from4->sin_port, to4->sin_port,
			    htons(p->len + 8 + CRC_BYTES), 0 };
	uint32_t crc = CRC32C_INIT;

	if (to->ss_family == AF_INET6) {
		crc = crc32c_update(crc, &from6->sin6_addr, 16);
		crc = crc32c_update(crc, &to6->sin6_addr, 16);
	} else {
		crc = crc32c_update(crc, &from4->sin_addr, 4);
		crc = crc32c_update(crc, &to4->sin_addr, 4);
	}
	if (entropy)
		crc = crc32c_update(crc, entropy, 4);
	else
		crc = crc32c_update(crc, udp, sizeof(udp));
	return crc32c_final(crc32c_update(crc, p->bytes, p->len));
}

#endif /* UET_SELFTESTS_RAWPKT_H */
