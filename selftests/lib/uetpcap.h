/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes UET packets into a capture file: in UDP or native IP, over IPv4 or
 * IPv6, with or without CRC trailer, whole, cut by the capture or trimmed by a
 * switch.  The bytes from the PDS or security header on are the caller's; of
 * the IP header only what a dissector needs is filled in.
 *
 * Layouts: UE 1.0.1 3.5.25 (CRC), Table 3-31 (entropy).  Level: test.
 */
#ifndef UET_SELFTESTS_UETPCAP_H
#define UET_SELFTESTS_UETPCAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "crc32c.h"

#define PCAP_LINKTYPE_RAW	101	/* begins with the IP header */
#define PCAP_SNAPLEN		65535
#define PCAP_FRAME_MAX		10000

/**
 * struct pcap - a capture file being written
 * @file: where to
 * @nr: packets so far; so the number of the last one
 */
struct pcap {
	FILE *file;
	unsigned int nr;
};

/**
 * struct pcap_form - how a packet travels
 * @is_ipv6: else IPv4
 * @is_native: entropy header instead of UDP
 * @has_crc: with trailer
 * @ev: entropy value
 * @number: UDP destination port or IP protocol number
 * @udp_checksum: what stands in that field; the CRC takes it as 0
 * @from: IP address, the first 4 bytes for IPv4
 * @to: IP address
 * @captured: bytes of the frame that the capture holds, 0: all
 * @trim: bytes behind the IP header that a switch left, 0: all
 */
struct pcap_form {
	bool is_ipv6;
	bool is_native;
	bool has_crc;
	uint16_t ev;
	uint16_t number;
	uint16_t udp_checksum;
	uint8_t from[16];
	uint8_t to[16];
	size_t captured;
	size_t trim;
};

static inline void pcap_put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static inline bool pcap_open(struct pcap *pcap, const char *path)
{
	const uint32_t head[] = {
		0xa1b2c3d4, 2 | 4 << 16, 0, 0, PCAP_SNAPLEN, PCAP_LINKTYPE_RAW,
	};

	pcap->nr = 0;
	pcap->file = fopen(path, "w");
	return pcap->file &&
	       fwrite(head, sizeof(head), 1, pcap->file) == 1;
}

/* Bytes of the IP header, which is written for @len bytes behind it. */
static inline size_t pcap_ip(const struct pcap_form *form, uint8_t *out,
			     size_t len)
{
	uint8_t proto = form->is_native ? (uint8_t)form->number : 17;

	memset(out, 0, 40);
	if (form->is_ipv6) {
		out[0] = 0x60;
		pcap_put16(out + 4, len);
		out[6] = proto;
		out[7] = 64;
		memcpy(out + 8, form->from, 16);
		memcpy(out + 24, form->to, 16);
		return 40;
	}
	out[0] = 0x45;
	pcap_put16(out + 2, 20 + len);
	out[6] = 0x40;
	out[8] = 64;
	out[9] = proto;
	memcpy(out + 12, form->from, 4);
	memcpy(out + 16, form->to, 4);
	return 20;
}

/* Bytes of the UDP or entropy header; @len is what the UDP length will say. */
static inline size_t pcap_l4(const struct pcap_form *form, uint8_t *out,
			     size_t len)
{
	pcap_put16(out, form->ev);
	if (form->is_native) {
		pcap_put16(out + 2, 0);
		return 4;
	}
	pcap_put16(out + 2, form->number);
	pcap_put16(out + 4, len);
	pcap_put16(out + 6, 0);
	return 8;
}

/* The trailer for @len bytes at @frame, whose addresses begin at @addresses. */
static inline uint32_t pcap_crc(uint8_t *frame, size_t addresses, size_t len)
{
	uint32_t crc = crc32c_update(CRC32C_INIT, frame + addresses,
				     len - addresses);

	crc = crc32c_final(crc);
	pcap_put16(frame + len, crc >> 16);
	pcap_put16(frame + len + 2, crc & 0xffff);
	return crc;
}

/*
 * One more packet of @len bytes from the PDS header on, a second after the one
 * before; its CRC is returned.
 */
static inline uint32_t pcap_add(struct pcap *pcap, const struct pcap_form *form,
				const uint8_t *packet, size_t len)
{
	size_t l4 = form->is_native ? 4 : 8;
	size_t full = l4 + len + (form->has_crc ? 4 : 0);
	size_t left = form->trim ? form->trim : full;
	uint8_t frame[PCAP_FRAME_MAX];
	uint32_t record[4] = { 0 };
	uint32_t crc = 0;
	size_t ip, at;

	ip = pcap_ip(form, frame, left);
	at = ip + pcap_l4(form, frame + ip, full);
	memcpy(frame + at, packet, len);
	if (form->has_crc)
		crc = pcap_crc(frame, form->is_ipv6 ? 8 : 12, at + len);
	if (!form->is_native)
		pcap_put16(frame + ip + 6, form->udp_checksum);

	record[0] = ++pcap->nr;
	record[3] = (uint32_t)(ip + left);
	record[2] = form->captured && form->captured < record[3] ?
		    (uint32_t)form->captured : record[3];
	fwrite(record, sizeof(record), 1, pcap->file);
	fwrite(frame, record[2], 1, pcap->file);
	return crc;
}

static inline bool pcap_close(struct pcap *pcap)
{
	bool is_whole = !ferror(pcap->file);

	return fclose(pcap->file) == 0 && is_whole;
}

#endif /* UET_SELFTESTS_UETPCAP_H */
