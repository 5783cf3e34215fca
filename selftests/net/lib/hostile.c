// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a fabric address what no honest peer would: packets cut at every
 * length, every prologue there is, noise, wrong CRCs, PDCs opened for nothing,
 * answers nobody asked for, contradictory messages.  Plain UDP sockets carry
 * them, or raw ones in the native IP form.  It prints how many it sent; what the
 * receiver made of them is for the caller to find out.  Level: test.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 3.4 (SES), 3.5.25 (CRC), Table 3-31 (entropy).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attack.h"

/* -------------------------------------------------------------- attacks */

/* cut - every type with a SES header behind it, ended at every length */
static void attack_cut(struct attack *a)
{
	struct packet whole, p;
	unsigned int type, next_hdr;
	struct request r = { SES_SEND, SES_REL | SES_SOM | SES_EOM, 1, 0, 0, 8 };

	for (type = 1; type <= ROD_CC_REQ; type++) {
		next_hdr = type >= RUDI_RESP && type <= ACK_CCX ? NH_RESPONSE :
			   type == NACK || type == CP ? NH_NONE : NH_STD;
		whole.len = 0;
		put_prologue(&whole, type, next_hdr, F_SYN);
		put_noise(a, &whole, header_bytes(type) - 2);
		put_request(a, &whole, &r);
		for (p = whole; ; whole.len--) {
			memcpy(p.bytes, whole.bytes, whole.len);
			p.len = whole.len;
			emit(a, &p);
			if (!whole.len)
				break;
		}
	}
}

/*
 * Where noise passes for a SYN it opens a PDC.  These ids have the top bit set, so
 * that the attacks with a purpose find theirs free.
 */
static void keep_ids_apart(struct packet *p)
{
	if (p->len > SPDCID_AT)
		p->bytes[SPDCID_AT] |= 0x80;
}

/* prologue - all 65536 of them, in front of noise */
static void attack_prologue(struct attack *a)
{
	struct packet p;
	uint32_t i, step = a->count < 65536 ? 65536 / a->count : 1;

	for (i = 0; i < 65536; i += step) {
		p.len = 0;
		put(&p, i, 2);
		put_noise(a, &p, 70);
		keep_ids_apart(&p);
		emit(a, &p);
	}
}

/* noise - any bytes of any length */
static void attack_noise(struct attack *a)
{
	struct packet p;
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		p.len = 0;
		put_noise(a, &p, noise(a) % 300);
		keep_ids_apart(&p);
		transmit(a, &p);
	}
}

/* crc - a good packet with each bit of its trailer wrong, or without one */
static void attack_crc(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM | SES_EOM, 1, 0, 0, 8 };
	struct packet p = { .len = 0 };
	int bit;

	put_syn(a, &p, 1, 1, 0x101);
	put_request(a, &p, &r);
	put(&p, 0x5545547565744b41, 8);
	transmit(a, &p);
	put(&p, trailer(a, &p), 4);
	for (bit = 0; bit < 32; bit++) {
		p.bytes[p.len - 1 - bit / 8] ^= 1 << bit % 8;
		transmit(a, &p);
		p.bytes[p.len - 1 - bit / 8] ^= 1 << bit % 8;
	}
}

static void open_carrier(struct attack *a, const char *from);

/* from_next - the next of the addresses of -A, 10.96.0.0 and following */
static void from_next(struct attack *a, uint32_t i)
{
	char from[32];

	if (!a->nr_from)
		return;
	i %= a->nr_from;
	snprintf(from, sizeof(from), "10.%u.%u.%u", 96 + i / 65536,
		 i / 256 % 256, i % 256);
	close(a->fd);
	open_carrier(a, from);
}

/* syn - many PDCs opened with one good message each, and left alone */
static void attack_syn(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM | SES_EOM, 1, 0, 0, 8 };
	struct packet p;
	uint32_t i, psn;

	for (i = 0; i < a->count; i++) {
		from_next(a, i);
		psn = noise(a);
		p.len = 0;
		put_syn(a, &p, psn, psn, 1 + noise(a) % 0xffff);
		put_request(a, &p, &r);
		put(&p, i, 8);
		emit(a, &p);
	}
}

/* close - the end of PDCs that took one message, by CLOSE_COMMAND */
static void attack_close(struct attack *a)
{
	struct packet p;
	unsigned int i;

	for (i = 0; i < a->nr_opened; i++) {
		p.len = 0;
		put_prologue(&p, CP, CTL_CLOSE_COMMAND, F_AR);
		put(&p, 0, 2);
		put(&p, a->opened[i].start + 1, 4);
		put(&p, a->opened[i].spdcid, 2);
		put(&p, a->opened[i].id, 2);
		put(&p, 0, 4);
		emit(a, &p);
	}
}

/* stray_answer - an ACK, ACK_CC or NACK with every field but the ids noise */
static void stray_answer(struct attack *a, unsigned int type, uint16_t id)
{
	struct packet p = { .len = 0 };

	put_prologue(&p, type, NH_NONE, noise(a) & 0x3f);
	put_noise(a, &p, 6);
	put(&p, noise(a), 2);
	put(&p, id, 2);
	put_noise(a, &p, header_bytes(type) - p.len);
	emit(a, &p);
}

static void stray_cp(struct attack *a, unsigned int ctl, uint16_t id)
{
	struct packet p = { .len = 0 };

	put_prologue(&p, CP, ctl, noise(a) & 0x38);
	put_noise(a, &p, 6);
	put(&p, noise(a), 2);
	put(&p, id, 2);
	put_noise(a, &p, 4);
	emit(a, &p);
}

/* stray - answers and control packets for PDCs that are none of ours */
static void attack_stray(struct attack *a)
{
	unsigned int i, n;
	uint16_t id;

	for (n = 0; n < a->count; n++) {
		for (i = 0; i < (a->nr_ids ? a->nr_ids : 1); i++) {
			id = a->nr_ids ? a->ids[i] : noise(a);
			stray_answer(a, ACK, id);
			stray_answer(a, ACK_CC, id);
			stray_answer(a, NACK, id);
			stray_cp(a, n & 15, id);
		}
	}
}

/* foreign - a NOOP for each of the PDCs given by -i, COUNT times */
static void attack_foreign(struct attack *a)
{
	unsigned int n;

	for (n = 0; n < a->count && a->nr_ids; n++)
		stray_cp(a, CTL_NOOP, a->ids[n % a->nr_ids]);
}

/* nack - of packets that a PDC may have sent, for any reason */
static void attack_nack(struct attack *a)
{
	unsigned int n;

	for (n = 0; n < a->count; n++)
		stray_answer(a, NACK, a->nr_ids ? a->ids[n % a->nr_ids] : noise(a));
}

/* denied - datagrams that the kernel of the sender refuses */
static void attack_denied(struct attack *a)
{
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		if (send(a->fd, "x", 1, 0) < 0)
			a->refused++;
		else
			a->sent++;
	}
}

/* segment - one packet of a message on a PDC opened by the same packets */
static void segment(struct attack *a, uint16_t spdcid, uint32_t psn, const struct request *r)
{
	struct packet p = { .len = 0 };

	put_syn(a, &p, 1000, psn, spdcid);
	put_request(a, &p, r);
	put_noise(a, &p, r->payload);
	emit(a, &p);
}

/* ses - requests that contradict themselves or their surroundings */
static void attack_ses(struct attack *a)
{
	uint16_t id = 0x2000;
	unsigned int i;
	const uint32_t mtu = a->mtu;
	const struct request bad[] = {
		/* offsets: beyond the end, wrapping, 0 without som */
		{ SES_SEND, SES_REL, 1, mtu, 4 * mtu, 4 * mtu },
		{ SES_SEND, SES_REL, 2, mtu, 0xffffffff, 0xffffffff },
		{ SES_SEND, SES_REL, 3, mtu, 0xfffff000, 0xffffffff },
		{ SES_SEND, SES_REL, 4, mtu, 0, 4 * mtu },
		{ SES_SEND, SES_REL, 5, mtu, 0x80000000, 0x7fffffff },
		/* lengths: eom early, more than asked, short in the middle */
		{ SES_SEND, SES_REL | SES_SOM | SES_EOM, 6, 8, 0, 9 },
		{ SES_SEND, SES_REL | SES_SOM | SES_EOM, 7, 9, 0, 8 },
		{ SES_SEND, SES_REL | SES_SOM, 8, 8, 0, 4 * mtu },
		{ SES_SEND, SES_REL, 9, 1, mtu, 4 * mtu },
		/* identity: message id 0, version 1, every flag */
		{ SES_SEND, SES_REL | SES_SOM | SES_EOM, 0, 8, 0, 8 },
		{ SES_SEND, 0x40 | SES_REL | SES_SOM | SES_EOM, 10, 8, 0, 8 },
		{ SES_SEND, 0x3f, 11, 8, 0, 8 },
	};
	struct request r = { 0, SES_REL | SES_SOM | SES_EOM, 20, 8, 0, 8 };

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		segment(a, id++, 1000, &bad[i]);
	for (i = 0; i < 64; i++) {
		if (i == SES_SEND)
			continue;
		r.opcode = i;
		segment(a, id++, 1000, &r);
	}
}

/* overlap - one message whose pieces lie over each other and disagree */
static void attack_overlap(struct attack *a)
{
	const uint32_t mtu = a->mtu, length = 64 * mtu;
	struct request r = { SES_SEND, SES_REL, 1, mtu, 0, length };
	uint32_t i, psn = 1000;

	for (i = 0; i < 128; i++) {
		r.offset = mtu + noise(a) % (length - 2 * mtu);
		r.length = noise(a) % 8 ? length : noise(a);
		r.payload = noise(a) % 4 ? mtu : noise(a) % mtu;
		segment(a, 0x3000, psn++, &r);
	}
	/* The same place again and again: with new PSNs, then with old ones. */
	r = (struct request){ SES_SEND, SES_REL, 1, mtu, mtu, length };
	for (i = 0; i < 64; i++)
		segment(a, 0x3000, psn++, &r);
	for (i = 0; i < 64; i++)
		segment(a, 0x3000, 1000 + i, &r);
}

/* rma - writes and atomics, everything random but the way there */
static void attack_rma(struct attack *a)
{
	struct packet p;
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		p.len = 0;
		put_syn(a, &p, 1000, 1000 + i / 64, 0x6000 + i % 64);
		put(&p, noise(a) % 2 ? SES_WRITE : SES_ATOMIC, 1);
		put(&p, SES_REL | (noise(a) & 0x37), 1);
		put(&p, 1 + noise(a) % 8, 2);
		put(&p, 0, 1);
		put(&p, a->job, 3);
		put(&p, a->pid, 2);
		put(&p, a->ri, 2);
		put_noise(a, &p, 8 + 4);	/* buffer_offset, initiator */
		put(&p, noise(a) % 2 ? noise(a) % 8 : noise(a), 8);	/* key */
		put_noise(a, &p, 8);
		put(&p, noise(a) % 2 ? noise(a) % 128 : noise(a), 4);
		put(&p, noise(a) % 0x16, 1);	/* atomic operation */
		put(&p, noise(a) % 0x13, 1);
		put_noise(a, &p, noise(a) % 128);
		emit(a, &p);
	}
}

/* short - medium and small requests, random but the way there */
static void attack_short(struct attack *a)
{
	struct packet p;
	bool is_small;
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		is_small = noise(a) % 2;
		p.len = 0;
		put_syn(a, &p, 1000, 1000 + i / 64, 0x7000 + i % 64);
		p.len -= 12;
		put_prologue(&p, RUD_REQ, is_small ? NH_SMALL : NH_MEDIUM,
			     F_SYN | F_AR);
		p.len += 10;
		put(&p, noise(a) % 0x12, 1);
		put(&p, noise(a) % 4 ? SES_REL | SES_EOM | SES_SOM |
		    (noise(a) & 0x34) : noise(a), 1);
		put(&p, noise(a) % 2 ? noise(a) % 128 : noise(a), 2);
		put(&p, 0, 1);
		put(&p, a->job, 3);
		put(&p, a->pid | (noise(a) & 0xf000), 2);
		put(&p, noise(a) % 2 ? a->ri : noise(a), 2);
		put(&p, noise(a) % 2 ? noise(a) % 128 : noise(a), 8);
		if (!is_small)
			put_noise(a, &p, 4 + 8);
		put_noise(a, &p, noise(a) % 128);
		emit(a, &p);
	}
}

/* huge - first packets of messages of -l BYTES that never go on */
static void attack_huge(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM, 1, a->mtu, 0, a->length };
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		r.mid = 1 + i % 0xffff;
		segment(a, 0x4000 + i / 64, 1000 + i % 64, &r);
	}
}

/* trickle - the first COUNT packets of a message of -l BYTES, one after the other */
static void attack_trickle(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM, 1, a->mtu, 0, a->length };

	for (; r.offset < a->count * a->mtu; r.offset += a->mtu, r.flags = SES_REL)
		segment(a, 0x4100, 1000 + r.offset / a->mtu, &r);
}

/* window - SYNs all over the PSN space of a few PDCs */
static void attack_window(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM | SES_EOM, 1, 8, 0, 8 };
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		r.mid = 1 + i % 0xffff;
		segment(a, 0x5000 + i % 4, noise(a), &r);
	}
}

/* restart - of what nobody has sent or asked for; sends to defer that never go on */
static void attack_restart(struct attack *a)
{
	static const uint8_t opcodes[] = { 0x08, 0x0b, 0x0c };
	struct packet p;
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		bool is_rtr = i % 3 == 2;
		uint8_t flags = SES_REL | SES_SOM;

		p.len = 0;
		put_syn(a, &p, 1000, 1000 + i / 64, 0x8000 + i % 64);
		put(&p, opcodes[i % 3], 1);
		put(&p, flags | (is_rtr || noise(a) % 2 ? SES_EOM : 0), 1);
		put(&p, 1 + i % 0xffff, 2);
		put(&p, 0, 1);
		put(&p, a->job, 3);
		put(&p, a->pid, 2);
		put(&p, a->ri, 2);
		put(&p, is_rtr ? 0 : noise(a), 4);	/* tokens, or offset */
		put(&p, is_rtr || noise(a) % 2 ? 0 : noise(a), 4);
		put(&p, 0x1001, 4);
		put_noise(a, &p, 8);			/* tokens, or match */
		put(&p, 0, 8);
		put(&p, noise(a) % 4 ? 8 : noise(a), 4);
		put_noise(a, &p, is_rtr ? 0 : 8);
		emit(a, &p);
	}
}

/*
 * rendezvous - what is to be read is anywhere, and of any length, and what is pushed
 * is often more than the message
 */
static void attack_rendezvous(struct attack *a)
{
	struct packet p;
	uint32_t i, eager;

	for (i = 0; i < a->count; i++) {
		eager = noise(a) % 16;
		p.len = 0;
		put_syn(a, &p, 1000, 1000 + i / 64, 0x9000 + i % 64);
		put(&p, noise(a) % 2 ? 0x06 : 0x0a, 1);
		put(&p, SES_REL | SES_SOM | (noise(a) % 4 ? SES_EOM : 0), 1);
		put(&p, noise(a) % 8 ? 1 + i % 0xffff : 0, 2);
		put(&p, 0, 1);
		put(&p, a->job, 3);
		put(&p, a->pid, 2);
		put(&p, a->ri, 2);
		put(&p, 0, 8);			/* buffer_offset */
		put(&p, 0x1001, 4);		/* initiator */
		put_noise(a, &p, 8 + 8);	/* match bits, header data */
		put(&p, noise(a) % 2 ? noise(a) % 100000 : noise(a), 4);
		put(&p, noise(a) % 4 ? eager : noise(a), 4);
		put_noise(a, &p, 4);		/* generation, PID, RI */
		put(&p, noise(a) % 2 ? ~0ull : noise(a), 8);	/* offset */
		put_noise(a, &p, 8 + eager);	/* key, and what is pushed */
		emit(a, &p);
	}
}

/*
 * overtaken - not even hostile: a message of -l BYTES that is never finished, one
 * of another PDC, and one that the first overtook
 */
static void attack_overtaken(struct attack *a)
{
	struct request big = { SES_SEND, SES_REL | SES_SOM, 2, a->mtu, 0, a->length };
	struct request r = { SES_SEND, SES_REL | SES_SOM | SES_EOM, 1, 8, 0, 8 };
	uint16_t id = noise(a), other = noise(a);

	segment(a, id, 1001, &big);
	segment(a, other, 1000, &r);
	segment(a, id, 1000, &r);
}

/*
 * overbook - COUNT first packets of messages of -l BYTES that never go on.  Each is at
 * the front of its PDC, behind which a later message has begun.
 */
static void attack_overbook(struct attack *a)
{
	struct request later = { SES_SEND, SES_REL | SES_SOM, 1, a->mtu, 0, a->mtu + 1 };
	struct request r = { SES_SEND, SES_REL | SES_SOM, 2, a->mtu, 0, a->length };
	const uint32_t nr_pdcs = 8;
	uint32_t i, psn;

	for (i = 0; i < nr_pdcs; i++)
		segment(a, 0xa000 + i, 1001, &later);
	for (i = 0; i < a->count; i++) {
		psn = 1000 + i / nr_pdcs;
		r.mid = 2 + i / nr_pdcs;
		segment(a, 0xa000 + i % nr_pdcs, psn > 1000 ? psn + 1 : psn, &r);
	}
}

/* hoard - COUNT ROD PDCs, all packets of whose window arrive but the first */
static void attack_hoard(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM, 1, a->mtu, 0, a->length };
	struct packet p;
	uint32_t i, id = 0;

	for (i = 0; i < 254 * a->count; i++) {
		if (i % 254 == 0)
			id = 1 + noise(a) % 0xffff;
		p.len = 0;
		put_syn(a, &p, 1000, 1001 + i % 254, id);
		p.bytes[0] = ROD_REQ << 3 | (p.bytes[0] & 7);
		put_request(a, &p, &r);
		put_noise(a, &p, r.payload);
		emit(a, &p);
	}
}

/* rudi - requests without a PDC, of every opcode, each of them twice */
static void attack_rudi(struct attack *a)
{
	struct request r = { 0, SES_REL | SES_SOM | SES_EOM, 0, 0, 0, 0 };
	struct packet p;
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		r.opcode = i / 2 % 64;
		r.mid = 1 + i / 2 % 0xffff;
		p.len = 0;
		put_prologue(&p, RUDI_REQ, NH_STD, i & 1 ? F_RETX : 0);
		put(&p, 0, 2);
		put(&p, i / 2, 4);	/* pkt_id */
		put_request(a, &p, &r);
		emit(a, &p);
	}
}

/* rudi_stray - answers to RUDI requests that nobody has sent */
static void attack_rudi_stray(struct attack *a)
{
	struct packet p;
	uint32_t i;

	for (i = 0; i < a->count; i++) {
		p.len = 0;
		put_prologue(&p, RUDI_RESP, NH_RESPONSE, noise(a) & 0x30);
		put(&p, 0, 2);
		put_noise(a, &p, 4 + 12);
		emit(a, &p);
		p.len = 0;
		put_prologue(&p, NACK, NH_NONE, F_NT | (noise(a) & 0x30));
		put_noise(a, &p, 14);
		emit(a, &p);
	}
}

/* entropy - native form: no header or a piece of it, and nothing behind */
static void attack_entropy(struct attack *a)
{
	struct packet p = { .len = 0 };
	size_t head;

	for (head = 0; head < sizeof(a->entropy); head++)
		transmit_cut(a, &p, head);
}

/* fragment - good but for their length, which IP cuts up on the way */
static void attack_fragment(struct attack *a)
{
	struct request r = { SES_SEND, SES_REL | SES_SOM | SES_EOM, 1, 2 * a->mtu,
			     0, 2 * a->mtu };
	uint32_t i;

	for (i = 0; i < a->count; i++)
		segment(a, noise(a), 1000, &r);
}

static const struct {
	const char *name;
	void (*attack)(struct attack *a);
	const char *what;
} attacks[] = {
	{ "cut", attack_cut, "every packet type, ended at every length" },
	{ "prologue", attack_prologue, "COUNT of the 65536 prologues" },
	{ "noise", attack_noise, "COUNT packets of random bytes" },
	{ "crc", attack_crc, "each bit of the CRC wrong, and no CRC" },
	{ "syn", attack_syn, "COUNT PDCs opened and left" },
	{ "close", attack_close, "an end to the PDCs given by -e" },
	{ "stray", attack_stray, "COUNT rounds of answers to others' PDCs" },
	{ "foreign", attack_foreign, "COUNT NOOPs to others' PDCs" },
	{ "nack", attack_nack, "COUNT NACKs" },
	{ "denied", attack_denied, "COUNT datagrams that do not leave" },
	{ "ses", attack_ses, "contradictory requests" },
	{ "overlap", attack_overlap, "pieces of a message over each other" },
	{ "rma", attack_rma, "COUNT random operations on memory" },
	{ "short", attack_short, "COUNT random requests with short headers" },
	{ "huge", attack_huge, "COUNT messages begun" },
	{ "trickle", attack_trickle, "COUNT packets of a message that takes its time" },
	{ "restart", attack_restart, "COUNT restarts nobody asked for" },
	{ "rendezvous", attack_rendezvous, "COUNT messages to be read from anywhere" },
	{ "window", attack_window, "COUNT PSNs anywhere" },
	{ "overtaken", attack_overtaken, "a message, after one that follows it" },
	{ "overbook", attack_overbook, "COUNT messages that never go on, before begun ones" },
	{ "hoard", attack_hoard, "COUNT ordered PDCs that never begin" },
	{ "rudi", attack_rudi, "COUNT requests without a PDC" },
	{ "rudi_stray", attack_rudi_stray, "COUNT pairs of answers to none" },
	{ "entropy", attack_entropy, "native form, entropy header cut short" },
	{ "fragment", attack_fragment, "COUNT packets of two Payload MTUs" },
};

/* ----------------------------------------------------------- the program */

static void usage(void)
{
	size_t i;

	fprintf(stderr,
		"usage: hostile [OPTIONS] ATTACK FA\n"
		"  -a FA       own address, need not be one (spoofed)\n"
		"  -A COUNT    syn: from the next of so many addresses each\n"
		"  -c          end packets with the right CRC\n"
		"  -n COUNT    how many (1000)\n"
		"  -S SEED     of all that is random (1)\n"
		"  -j JOB -p PID -r RI  endpoint to aim at (1, 0, 1)\n"
		"  -m BYTES    its Payload MTU (4096)\n"
		"  -l BYTES    huge, overbook, overtaken: length of the long messages (1048576)\n"
		"  -d DSCP     of all packets (0)\n"
		"  -e PDCID:SPDCID:START  close: a PDC opened by syn, may be repeated\n"
		"  -i PDCID    stray, foreign: a PDC to disturb, may be repeated\n"
		"  -N PROTO    native IP under this protocol number, not UDP\n"
		"  -R BIT      SYNs ask for the reserved pool by this bit of pdc_info, 0 to 3\n"
		"  -w US       wait so long after each packet (0)\n"
		"  -x          with an IPv4 option or an IPv6 extension header\n"
		"attacks:\n");
	for (i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		fprintf(stderr, "  %-10s %s\n", attacks[i].name, attacks[i].what);
	exit(2);
}

static socklen_t parse_address(struct sockaddr_storage *ss, const char *text,
			       uint16_t port)
{
	struct sockaddr_in6 *sa6 = (void *)ss;
	struct sockaddr_in *sa4 = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, text, &sa4->sin_addr) == 1) {
		sa4->sin_family = AF_INET;
		sa4->sin_port = htons(port);
		return sizeof(*sa4);
	}
	if (inet_pton(AF_INET6, text, &sa6->sin6_addr) != 1)
		errx(1, "'%s' is no address", text);
	sa6->sin6_family = AF_INET6;
	sa6->sin6_port = htons(port);
	return sizeof(*sa6);
}

static void set_bytes(int fd, int level, int name, const void *value,
		      socklen_t len)
{
	if (setsockopt(fd, level, name, value, len))
		err(1, "setsockopt");
}

static void set_option(int fd, int level, int name, int value)
{
	set_bytes(fd, level, name, &value, sizeof(value));
}

/* add_extension - four NOPs; destination options that are padding */
static void add_extension(int fd, bool is_v6)
{
	static const uint8_t nops[4] = { 1, 1, 1, 1 };
	static const uint8_t padding[8] = { 0, 0, 1, 4, 0, 0, 0, 0 };

	if (is_v6)
		set_bytes(fd, IPPROTO_IPV6, IPV6_DSTOPTS, padding,
			  sizeof(padding));
	else
		set_bytes(fd, IPPROTO_IP, IP_OPTIONS, nops, sizeof(nops));
}

/* allow_fragments - IP may cut up what does not fit the link */
static void allow_fragments(int fd, bool is_v6)
{
	if (is_v6)
		set_option(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER,
			   IPV6_PMTUDISC_DONT);
	else
		set_option(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT);
}

/* open_carrier - a socket that sends checksum 0, if any, from any address */
static void open_carrier(struct attack *a, const char *from)
{
	bool is_v6 = a->to.ss_family == AF_INET6;
	socklen_t len = sizeof(a->from);

	a->fd = socket(a->to.ss_family, a->proto ? SOCK_RAW : SOCK_DGRAM,
		       a->proto);
	if (a->fd < 0)
		err(1, "socket");
	if (is_v6) {
		if (from)
			set_option(a->fd, IPPROTO_IPV6, IPV6_TRANSPARENT, 1);
		set_option(a->fd, IPPROTO_IPV6, IPV6_TCLASS, a->dscp << 2);
		if (!a->proto)
			set_option(a->fd, IPPROTO_UDP, UDP_NO_CHECK6_TX, 1);
	} else {
		if (from)
			set_option(a->fd, IPPROTO_IP, IP_TRANSPARENT, 1);
		set_option(a->fd, IPPROTO_IP, IP_TOS, a->dscp << 2);
		set_option(a->fd, SOL_SOCKET, SO_NO_CHECK, 1);
	}
	allow_fragments(a->fd, is_v6);
	if (a->with_extension)
		add_extension(a->fd, is_v6);
	if (from) {
		len = parse_address(&a->from, from, 0);
		if (bind(a->fd, (struct sockaddr *)&a->from, len))
			err(1, "bind %s", from);
	}
	/* Connected, it knows the source address that the CRC covers. */
	if (connect(a->fd, (struct sockaddr *)&a->to, a->to_len))
		err(1, "connect");
	len = sizeof(a->from);
	if (getsockname(a->fd, (struct sockaddr *)&a->from, &len))
		err(1, "getsockname");
}

/* put_entropy - any value but 0, reserved bytes 0 */
static void put_entropy(struct attack *a)
{
	a->entropy[0] = noise(a);
	a->entropy[1] = noise(a) | 1;
}

static void parse_opened(struct attack *a, const char *text)
{
	struct opened *o = &a->opened[a->nr_opened++];

	if (a->nr_opened > IDS_MAX ||
	    sscanf(text, "%hu:%hu:%u", &o->id, &o->spdcid, &o->start) != 3)
		errx(1, "'%s' is no PDC, or one too many", text);
}

static void parse_options(struct attack *a, const char **from, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "a:A:ce:n:S:j:p:r:m:l:d:i:N:R:xw:")) != -1) {
		switch (opt) {
		case 'a': *from = optarg; break;
		case 'A': a->nr_from = strtoul(optarg, NULL, 0); break;
		case 'c': a->with_crc = true; break;
		case 'n': a->count = strtoul(optarg, NULL, 0); break;
		case 'S': a->seed = strtoul(optarg, NULL, 0); break;
		case 'j': a->job = strtoul(optarg, NULL, 0); break;
		case 'p': a->pid = strtoul(optarg, NULL, 0); break;
		case 'r': a->ri = strtoul(optarg, NULL, 0); break;
		case 'm': a->mtu = strtoul(optarg, NULL, 0); break;
		case 'l': a->length = strtoul(optarg, NULL, 0); break;
		case 'N': a->proto = strtoul(optarg, NULL, 0); break;
		case 'w': a->pause_us = strtoul(optarg, NULL, 0); break;
		case 'e': parse_opened(a, optarg); break;
		case 'R': a->pdc_info = 0x1000 << (strtoul(optarg, NULL, 0) & 3); break;
		case 'x': a->with_extension = true; break;
		case 'd': a->dscp = strtoul(optarg, NULL, 0); break;
		case 'i':
			if (a->nr_ids == IDS_MAX)
				errx(1, "more than %d PDCIDs", IDS_MAX);
			a->ids[a->nr_ids++] = strtoul(optarg, NULL, 0);
			break;
		default: usage();
		}
	}
	if (!a->count || a->mtu > PACKET_MAX - 100 || a->dscp > 63)
		usage();
	a->rand = fuzz_rand(a->seed);
	put_entropy(a);
}

int main(int argc, char **argv)
{
	struct attack a = {
		.count = 1000, .seed = 1, .job = 1, .ri = 1, .mtu = 4096,
		.length = 1 << 20,
	};
	const char *from = NULL;
	size_t i;

	parse_options(&a, &from, argc, argv);
	if (argc - optind != 2)
		usage();
	/* Raw sockets would take the port for a protocol. */
	a.to_len = parse_address(&a.to, argv[optind + 1], a.proto ? 0 : PORT);
	for (i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		if (strcmp(attacks[i].name, argv[optind]))
			continue;
		open_carrier(&a, from);
		attacks[i].attack(&a);
		printf("sent=%llu refused=%llu seed=%u\n",
		       (unsigned long long)a.sent, (unsigned long long)a.refused,
		       a.seed);
		return 0;
	}
	usage();
}
