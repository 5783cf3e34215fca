/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared parts of the attacks of hostile.c: who attacks whom, packets and headers of
 * its own making, random where an attack wants them to be, and the way to the victim.
 * Level: test.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 3.4 (SES), 3.5.25 (CRC), Table 3-31 (entropy).
 */
#ifndef UET_SELFTESTS_ATTACK_H
#define UET_SELFTESTS_ATTACK_H

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"
#include "rawpkt.h"

#define IDS_MAX		64
#define SPDCID_AT	8	/* of a request */

enum { CTL_NOOP = 0, CTL_CLOSE_COMMAND = 4 };

/* One SES request in the standard form. */
struct request {
	uint8_t opcode, flags;
	uint16_t mid;
	uint32_t payload, offset, length;
};

struct attack {
	int fd;
	struct sockaddr_storage to, from;
	socklen_t to_len;
	bool with_crc, with_extension;
	unsigned int proto;		/* of the native form; 0: UDP */
	uint8_t entropy[4];		/* header of the native form */
	uint32_t count, seed, pause_us, nr_from;
	uint32_t job, pid, ri, mtu, length, dscp;
	uint16_t ids[IDS_MAX];
	unsigned int nr_ids;
	uint16_t pdc_info;		/* of every SYN, in its place */
	struct opened { uint16_t id, spdcid; uint32_t start; } opened[IDS_MAX];
	unsigned int nr_opened;
	struct fuzz_rand rand;
	uint64_t sent, refused;
};

/* ---------------------------------------------------------------- bytes */

static uint32_t noise(struct attack *a)
{
	return fuzz_u32(&a->rand);
}

static void put_noise(struct attack *a, struct packet *p, size_t len)
{
	while (len--)
		put(p, noise(a), 1);
}

/* trailer - the CRC over addresses, header of the carrier and packet */
static uint32_t trailer(const struct attack *a, const struct packet *p)
{
	return raw_crc(&a->from, &a->to, a->proto ? a->entropy : NULL, p);
}

/* is_transient - one that an earlier packet left, or that passes */
static bool is_transient(int error)
{
	return error == ECONNREFUSED || error == ENOBUFS ||
	       error == ENOPROTOOPT || error == EPROTO;
}

/* was_answered - a raw socket tells of an ICMP error in this way only */
static bool was_answered(const struct attack *a)
{
	socklen_t len = sizeof(int);
	int error = 0;

	return a->proto && !getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &error,
				       &len) && error;
}

/* transmit_cut - with this many bytes of the entropy header, if it has one */
static void transmit_cut(struct attack *a, const struct packet *p, size_t head)
{
	struct iovec iov[] = {
		{ .iov_base = a->entropy, .iov_len = a->proto ? head : 0 },
		{ .iov_base = (void *)p->bytes, .iov_len = p->len },
	};

	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	while (sendmsg(a->fd, &msg, 0) != (ssize_t)(iov[0].iov_len + p->len)) {
		if (!is_transient(errno))
			err(1, "sendmsg");
		a->refused++;
	}
	a->sent++;
	a->refused += was_answered(a);
	if (a->pause_us)
		usleep(a->pause_us);
}

/* transmit - as it is; errors left by earlier packets are not our subject */
static void transmit(struct attack *a, const struct packet *p)
{
	transmit_cut(a, p, sizeof(a->entropy));
}

/* emit - with the CRC trailer if the victim wants one */
static void emit(struct attack *a, struct packet *p)
{
	if (a->with_crc)
		put(p, trailer(a, p), 4);
	transmit(a, p);
}

/* -------------------------------------------------------------- headers */

/* put_syn - the request header that opens PDC spdcid with psn - start */
static void put_syn(const struct attack *a, struct packet *p, uint32_t start,
		    uint32_t psn, uint16_t spdcid)
{
	put_prologue(p, RUD_REQ, NH_STD, F_SYN | F_AR);
	put(p, start - 1 - psn, 2);	/* clear_psn: nothing is cleared yet */
	put(p, psn, 4);
	put(p, spdcid, 2);
	put(p, a->pdc_info | ((psn - start) & 0xfff), 2);
}

static void put_request(const struct attack *a, struct packet *p,
			const struct request *r)
{
	put(p, r->opcode, 1);
	put(p, r->flags, 1);
	put(p, r->mid, 2);
	put(p, 0, 1);
	put(p, a->job, 3);
	put(p, a->pid, 2);
	put(p, a->ri, 2);
	put(p, 0, 8);			/* buffer_offset */
	put(p, 0x1001, 4);		/* initiator */
	put(p, 0, 8);			/* match bits */
	if (r->flags & SES_SOM) {
		put(p, 0, 8);		/* header data */
	} else {
		put(p, r->payload, 4);
		put(p, r->offset, 4);
	}
	put(p, r->length, 4);
}

/* header_bytes - of a PDS header, UE 1.0.1 Table 3-32 */
static size_t header_bytes(unsigned int type)
{
	static const uint8_t bytes[32] = {
		[1] = 12, [RUD_REQ] = 12, [ROD_REQ] = 12, [RUDI_REQ] = 8,
		[RUDI_RESP] = 8, [UUD_REQ] = 4, [ACK] = 12, [ACK_CC] = 32,
		[ACK_CCX] = 40, [NACK] = 16, [CP] = 16, [NACK_CCX] = 32,
		[RUD_CC_REQ] = 16, [ROD_CC_REQ] = 16,
	};

	return bytes[type & 31];
}

#endif /* UET_SELFTESTS_ATTACK_H */
