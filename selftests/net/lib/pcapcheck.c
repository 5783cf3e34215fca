// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a capture of one rail and tells whether what UET sent is what the
 * specification says: IP and UDP fields or the entropy header of the native
 * form, the CRC trailer, PDS header bits, the
 * way a PDC opens, acknowledges, clears and closes, and the segmentation of
 * messages.  It decodes on its own, from the layouts in the specification, so
 * that it does not share a mistake with the code under test.  It expects a
 * lossless rail, RUD, SEND, and a capture that begins before the PDCs do.
 * Prints TAP, a result for each fact.  Level: test.
 *
 * Layouts: UE 1.0.1 3.5.10 (PDS), 3.4 (SES), 3.5.25 (CRC), Table 3-31
 * (entropy); 3.5.11 (clear).
 */
#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc32c.h"

#define PORT		4793
#define FLOWS_MAX	64
#define PSNS_MAX	65536
#define FRAME_MAX	16384

#define FACTS(X)							\
	X(FRAMES, "UET packets were captured")				\
	X(IP, "IP: no fragment, no option, lengths as sent, ECT(0)")	\
	X(UDP, "UDP: checksum 0, length covers the trailer")		\
	X(ENTROPY, "entropy header: not 0, reserved bytes 0")		\
	X(CRC, "CRC-32C trailer over addresses, carrier and packet")	\
	X(PROLOGUE, "PDS: known type, reserved flags 0")		\
	X(SYN, "SYN until the first answer, with the right psn_offset")	\
	X(DPDCID, "after it, the PDCID the answer told")		\
	X(RETX, "RETX on what was sent before, and on nothing else")	\
	X(PSN, "PSNs without a gap")					\
	X(CLEAR, "CLEAR_PSN never back, never beyond CACK_PSN")		\
	X(ACK, "ACK_PSN and CACK_PSN name packets that were sent")	\
	X(CACK, "CACK_PSN never goes back")				\
	X(SACK, "SACK bits name packets that were sent")		\
	X(EV, "an ACK returns the entropy of the packet it answers")	\
	X(SPRAY, "requests vary their entropy")				\
	X(RESPONSE, "SES responses: default or none, RC_OK")		\
	X(CP, "control packets: 16 bytes, AR and payload by type")	\
	X(SES, "SES header: SEND, relative, endpoint and lengths")	\
	X(SEGMENTS, "messages are whole, each byte sent once")		\
	X(CLOSE, "PDCs end with an answered CLOSE_COMMAND")

enum fact {
#define X(name, text) FACT_##name,
	FACTS(X)
#undef X
	FACT_NR,
};

static struct {
	const char *text;
	unsigned int held, broken;
	char first[160];
} facts[FACT_NR] = {
#define X(name, words) [FACT_##name] = { .text = words },
	FACTS(X)
#undef X
};

/* One direction of one PDC, named by who sends requests and its PDCID. */
struct flow {
	uint8_t sender[16];
	uint16_t id, peer_id;
	bool answered, closing, closed;
	uint32_t start, next, cack, clear;
	uint16_t ev[PSNS_MAX], again_ev[PSNS_MAX];
	bool sent[PSNS_MAX];
	uint32_t length[65536], got[65536];
};

/* A packet being looked at. */
struct view {
	const uint8_t *p;
	size_t len;
	uint8_t from[16], to[16];
	uint16_t ev;
	unsigned int type, next_hdr, flags;
};

static struct flow *flows[FLOWS_MAX];
static unsigned int nr_flows;
static unsigned int frame_nr;
static uint16_t first_ev;
static bool has_crc = true;
static unsigned int proto;	/* of the native form; 0: UDP */
static uint32_t job = 1, pid, ri = 1, mtu = 4096;

/* expect - one observation about a fact; the first against it is kept */
static bool expect(enum fact fact, bool holds, const char *fmt, ...)
{
	va_list args;
	int n;

	if (holds) {
		facts[fact].held++;
		return true;
	}
	if (!facts[fact].broken++) {
		n = snprintf(facts[fact].first, sizeof(facts[fact].first),
			     "packet %u: ", frame_nr);
		va_start(args, fmt);
		vsnprintf(facts[fact].first + n, sizeof(facts[fact].first) - n,
			  fmt, args);
		va_end(args);
	}
	return false;
}

static uint32_t get(const uint8_t *p, unsigned int bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *p++;
	return value;
}

/* after - serial comparison of PSNs */
static bool after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* --------------------------------------------------------------- flows */

static struct flow *find_flow(const uint8_t *sender, uint16_t id)
{
	unsigned int i;

	for (i = nr_flows; i-- > 0; )
		if (flows[i]->id == id && !flows[i]->closed &&
		    !memcmp(flows[i]->sender, sender, 16))
			return flows[i];
	return NULL;
}

static struct flow *add_flow(const struct view *v, uint32_t start)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (!f || nr_flows == FLOWS_MAX)
		errx(1, "too many flows");
	memcpy(f->sender, v->from, 16);
	f->id = get(v->p + 8, 2);
	f->start = f->next = start;
	f->cack = f->clear = start - 1;
	flows[nr_flows++] = f;
	return f;
}

static bool was_sent(const struct flow *f, uint32_t psn)
{
	return psn - f->start < PSNS_MAX && f->sent[psn - f->start];
}

/* ev_of - the entropy of the first or of the latest copy of a packet */
static uint16_t *ev_of(struct flow *f, uint32_t psn, bool again)
{
	return again ? &f->again_ev[psn - f->start] : &f->ev[psn - f->start];
}

/* take_psn - note a request or control packet that occupies a PSN */
static bool take_psn(struct flow *f, const struct view *v, uint32_t psn)
{
	bool again = was_sent(f, psn);

	if (psn - f->start >= PSNS_MAX)
		errx(1, "more PSNs than this program remembers");
	expect(FACT_RETX, again == !!(v->flags & 0x10), "psn %#x, flags %#x",
	       psn, v->flags);
	if (!again) {
		expect(FACT_PSN, psn == f->next, "psn %#x after %#x", psn,
		       f->next - 1);
		f->next = psn + 1;
	}
	f->sent[psn - f->start] = true;
	*ev_of(f, psn, again) = v->ev;
	return !again;
}

static void raise_clear(struct flow *f, uint32_t clear)
{
	expect(FACT_CLEAR, !after(f->clear, clear) && !after(clear, f->cack),
	       "clear %#x, before %#x, cack %#x", clear, f->clear, f->cack);
	f->clear = clear;
}

/* ------------------------------------------------------------- packets */

/* check_ses - the standard header and the place of the segment */
static void check_ses(struct flow *f, const struct view *v, size_t at, bool new)
{
	const uint8_t *h = v->p + at;
	uint32_t bytes = v->len - at - 44, length, offset = 0;
	uint16_t mid;
	bool som;

	if (!expect(FACT_SES, v->next_hdr == 3 && v->len >= at + 44,
		    "next_hdr %u, %zu bytes", v->next_hdr, v->len))
		return;
	som = h[1] & 1;
	mid = get(h + 2, 2);
	length = get(h + 40, 4);
	expect(FACT_SES, h[0] == 5 && (h[1] & 0xf8) == 0x08 && mid,
	       "opcode byte %#x, flag byte %#x, id %u", h[0], h[1], mid);
	expect(FACT_SES, get(h + 5, 3) == job && get(h + 8, 2) == pid &&
	       get(h + 10, 2) == ri, "job %u pid %u ri %u", get(h + 5, 3),
	       get(h + 8, 2), get(h + 10, 2));
	if (!som) {
		offset = get(h + 36, 4);
		expect(FACT_SES, get(h + 32, 4) == bytes,
		       "payload_length %u of %u", get(h + 32, 4), bytes);
	}
	expect(FACT_SES, som == (offset == 0) && offset % mtu == 0 &&
	       !!(h[1] & 2) == (offset + bytes == length) &&
	       (bytes == mtu || offset + bytes == length),
	       "offset %u, %u bytes of %u, flags %#x", offset, bytes, length,
	       h[1]);
	if (!new)
		return;
	if (som && f->got[mid] == f->length[mid])
		f->got[mid] = 0;
	f->length[mid] = length;
	f->got[mid] += bytes;
}

static void check_request(const struct view *v)
{
	uint32_t psn = get(v->p + 4, 4), word = get(v->p + 10, 2);
	struct flow *f = find_flow(v->from, get(v->p + 8, 2));
	bool syn = v->flags & 0x04;

	expect(FACT_PROLOGUE, v->type == 2 && !(v->flags & 0x63),
	       "type %u flags %#x", v->type, v->flags);
	if (!f && !expect(FACT_SYN, syn, "first packet without SYN"))
		return;
	if (!f)
		f = add_flow(v, psn - (word & 0xfff));
	if (syn)
		expect(FACT_SYN, word == ((psn - f->start) & 0xfff),
		       "psn_offset word %#x, psn %#x, start %#x", word, psn,
		       f->start);
	else
		expect(FACT_DPDCID, f->answered && word == f->peer_id,
		       "dpdcid %#x, answer told %#x", word, f->peer_id);
	raise_clear(f, psn + (int16_t)get(v->p + 2, 2));
	if (v->ev != first_ev && first_ev)
		expect(FACT_SPRAY, true, "");
	first_ev = first_ev ? first_ev : v->ev;
	check_ses(f, v, 12, take_psn(f, v, psn));
}

static void check_sack(const struct flow *f, const struct view *v)
{
	uint32_t base = get(v->p + 4, 4) + (int16_t)get(v->p + 14, 2);
	unsigned int i;

	expect(FACT_SACK, v->p[12] == 0 && v->p[13], "cc byte %#x, mpr %u",
	       v->p[12], v->p[13]);
	for (i = 0; i < 64; i++) {
		if (!(v->p[16 + 7 - i / 8] & 1 << i % 8))
			continue;
		/* Below the start nothing was sent, and CACK covers it. */
		expect(FACT_SACK, was_sent(f, base + i) ||
		       !after(base + i, f->start - 1), "bit %u, psn %#x", i,
		       base + i);
	}
}

/* check_response - behind an ACK: nothing, or 12 bytes */
static void check_response(const struct view *v, size_t at)
{
	const uint8_t *h = v->p + at;
	unsigned int rc;

	if (v->next_hdr == 0) {
		expect(FACT_RESPONSE, v->len == at, "%zu bytes", v->len);
		return;
	}
	if (!expect(FACT_RESPONSE, v->next_hdr == 4 && v->len == at + 12,
		    "next_hdr %u, %zu bytes", v->next_hdr, v->len))
		return;
	rc = h[1] & 0x3f;
	expect(FACT_RESPONSE, (h[0] == 0 || h[0] == 3) && !(h[1] & 0xc0) &&
	       (rc == 1 || (h[0] == 3 && rc == 0)), "bytes %02x %02x", h[0],
	       h[1]);
}

static void check_ack(const struct view *v)
{
	uint32_t cack = get(v->p + 4, 4);
	uint32_t psn = cack + (int16_t)get(v->p + 2, 2);
	struct flow *f = find_flow(v->to, get(v->p + 10, 2));
	uint16_t ev;

	expect(FACT_PROLOGUE, !(v->flags & 0x41), "ACK flags %#x", v->flags);
	if (!expect(FACT_ACK, f, "for no known PDC"))
		return;
	f->peer_id = get(v->p + 8, 2);
	f->answered = true;
	expect(FACT_ACK, !after(cack, f->next - 1), "cack %#x, sent to %#x",
	       cack, f->next - 1);
	expect(FACT_CACK, !after(f->cack, cack), "cack %#x after %#x", cack,
	       f->cack);
	if (after(cack, f->cack))
		f->cack = cack;
	if (!(v->flags & 0x08) &&
	    expect(FACT_ACK, was_sent(f, psn), "ack_psn %#x", psn)) {
		ev = *ev_of(f, psn, v->flags & 0x10);
		expect(FACT_EV, v->ev == ev, "entropy %u for %u", v->ev, ev);
	}
	if (v->type == 8)
		check_sack(f, v);
	check_response(v, v->type == 8 ? 32 : 12);
	if (f->closing && f->cack == f->next - 1)
		f->closed = true;
}

static void check_cp(const struct view *v)
{
	static const struct {
		bool legal, ar, takes_psn;
	} ctl[16] = {
		[0] = { true, true, true }, [1] = { true, true, false },
		[2] = { true, false, false }, [3] = { true, false, false },
		[4] = { true, true, true }, [6] = { true, true, false },
	};
	struct flow *f = find_flow(v->from, get(v->p + 8, 2));
	uint32_t psn = get(v->p + 4, 4);

	expect(FACT_CP, v->len == 16 && ctl[v->next_hdr].legal &&
	       !!(v->flags & 0x08) == ctl[v->next_hdr].ar,
	       "type %u, %zu bytes, flags %#x", v->next_hdr, v->len, v->flags);
	if (!f)
		return;
	if (ctl[v->next_hdr].takes_psn)
		take_psn(f, v, psn);
	if (v->next_hdr == 2) {
		expect(FACT_CP, psn == 0, "CLEAR_COMMAND with a PSN");
		raise_clear(f, get(v->p + 12, 4));
	}
	if (v->next_hdr == 4) {
		expect(FACT_CP, !get(v->p + 12, 4), "CLOSE with a payload");
		f->closing = true;
	}
}

/* check_pds - everything behind the UDP header but the trailer */
static void check_pds(struct view *v)
{
	static const uint8_t bytes[32] = {
		[2] = 12, [7] = 12, [8] = 32, [10] = 16, [11] = 16,
	};
	uint32_t word;

	if (!expect(FACT_PROLOGUE, v->len >= 2, "%zu bytes", v->len))
		return;
	word = get(v->p, 2);
	v->type = word >> 11;
	v->next_hdr = word >> 7 & 15;
	v->flags = word & 0x7f;
	if (!expect(FACT_PROLOGUE, bytes[v->type] && v->len >= bytes[v->type],
		    "type %u, %zu bytes", v->type, v->len))
		return;
	if (v->type == 2)
		check_request(v);
	else if (v->type == 11)
		check_cp(v);
	else if (v->type != 10)
		check_ack(v);
}

/* ---------------------------------------------------------- encapsulation */

/* is_ours - is what stands behind an IP header UET in the form we look at? */
static bool is_ours(unsigned int protocol, const uint8_t *l4)
{
	return proto ? protocol == proto :
		       protocol == 17 && get(l4 + 2, 2) == PORT;
}

/* check_head - the UDP or entropy header; returns its length */
static size_t check_head(const struct view *v, const uint8_t *h, size_t len)
{
	if (proto) {
		expect(FACT_ENTROPY, v->ev && get(h + 2, 2) == 0,
		       "entropy %#x, reserved %#x", v->ev, get(h + 2, 2));
		return 4;
	}
	expect(FACT_UDP, get(h + 6, 2) == 0 && get(h + 4, 2) == len && v->ev,
	       "checksum %#x, length %u of %zu", get(h + 6, 2), get(h + 4, 2),
	       len);
	return 8;
}

/* check_carried - @addresses and those in @v belong to the IP payload @u */
static void check_carried(struct view *v, const uint8_t *addresses, size_t alen,
			  const uint8_t *u, size_t len)
{
	uint32_t crc;
	size_t head;

	v->ev = get(u, 2);
	head = check_head(v, u, len);
	v->p = u + head;
	v->len = len - head;
	if (has_crc && expect(FACT_CRC, v->len >= 4, "%zu bytes", v->len)) {
		v->len -= 4;
		crc = crc32c_update(CRC32C_INIT, addresses, alen);
		crc = crc32c_final(crc32c_update(crc, u, len - 4));
		expect(FACT_CRC, crc == get(v->p + v->len, 4),
		       "%#x, computed %#x", get(v->p + v->len, 4), crc);
	}
	expect(FACT_FRAMES, true, "");
	check_pds(v);
}

static void check_ipv4(const uint8_t *ip, size_t len)
{
	struct view v = { 0 };

	if (len < 28 || !is_ours(ip[9], ip + 20))
		return;
	expect(FACT_IP, ip[0] == 0x45 && get(ip + 6, 2) == 0x4000 &&
	       get(ip + 2, 2) <= len && (ip[1] & 3) == 2,
	       "%02x, ToS %02x, length %u, fragment word %#x", ip[0], ip[1],
	       get(ip + 2, 2), get(ip + 6, 2));
	memcpy(v.from, ip + 12, 4);
	memcpy(v.to, ip + 16, 4);
	check_carried(&v, ip + 12, 8, ip + 20, get(ip + 2, 2) - 20);
}

static void check_ipv6(const uint8_t *ip, size_t len)
{
	struct view v = { 0 };

	if (len < 48 || !is_ours(ip[6], ip + 40))
		return;
	expect(FACT_IP, ip[0] >> 4 == 6 && get(ip + 4, 2) + 40u <= len &&
	       (get(ip, 2) >> 4 & 3) == 2, "first word %#x, length %u",
	       get(ip, 4), get(ip + 4, 2));
	memcpy(v.from, ip + 8, 16);
	memcpy(v.to, ip + 24, 16);
	check_carried(&v, ip + 8, 32, ip + 40, get(ip + 4, 2));
}

/* read_capture - the classic pcap format, Ethernet, this machine's order */
static void read_capture(FILE *file)
{
	static uint8_t frame[FRAME_MAX];
	uint32_t head[6], record[4];

	if (fread(head, sizeof(head), 1, file) != 1 ||
	    head[0] != 0xa1b2c3d4 || (head[5] & 0xfffffff) != 1)
		errx(1, "not a pcap file of Ethernet frames");
	while (fread(record, sizeof(record), 1, file) == 1) {
		frame_nr++;
		if (record[2] > sizeof(frame) || record[2] != record[3] ||
		    fread(frame, 1, record[2], file) != record[2])
			errx(1, "a frame is cut short");
		if (record[2] < 14)
			continue;
		if (get(frame + 12, 2) == 0x0800)
			check_ipv4(frame + 14, record[2] - 14);
		else if (get(frame + 12, 2) == 0x86dd)
			check_ipv6(frame + 14, record[2] - 14);
	}
}

/* check_ends - what can be said only when all was seen */
static void check_ends(void)
{
	const struct flow *f;
	unsigned int i, mid;

	for (i = 0; i < nr_flows; i++) {
		f = flows[i];
		for (mid = 0; mid < 65536; mid++)
			expect(FACT_SEGMENTS, f->got[mid] == f->length[mid],
			       "message %u: %u bytes of %u", mid, f->got[mid],
			       f->length[mid]);
		expect(FACT_CLOSE, f->closed, "PDC %#x is open", f->id);
	}
}

static int report(void)
{
	unsigned int i, nr = 0, broken = 0;

	for (i = 0; i < FACT_NR; i++) {
		bool skip = i == FACT_CRC && !has_crc;
		bool ok = skip || (facts[i].held && !facts[i].broken);

		if (i == (proto ? FACT_UDP : FACT_ENTROPY))
			continue;
		printf("%s %u - %s%s\n", ok ? "ok" : "not ok", ++nr,
		       facts[i].text, skip ? " # SKIP none sent" : "");
		if (facts[i].broken)
			printf("# %u times, first in %s\n", facts[i].broken,
			       facts[i].first);
		else if (!ok)
			printf("# nothing to see\n");
		broken += !ok;
	}
	printf("1..%u\n", nr);
	return broken != 0;
}

int main(int argc, char **argv)
{
	FILE *file;
	int opt;

	while ((opt = getopt(argc, argv, "nj:p:r:m:N:")) != -1) {
		switch (opt) {
		case 'n': has_crc = false; break;
		case 'j': job = strtoul(optarg, NULL, 0); break;
		case 'p': pid = strtoul(optarg, NULL, 0); break;
		case 'r': ri = strtoul(optarg, NULL, 0); break;
		case 'm': mtu = strtoul(optarg, NULL, 0); break;
		case 'N': proto = strtoul(optarg, NULL, 0); break;
		default: optind = argc + 1;
		}
	}
	if (argc - optind != 1) {
		fprintf(stderr, "usage: pcapcheck [-n] [-j JOB] [-p PID] [-r RI] [-m MTU] [-N PROTO] FILE\n"
			"  -n        packets have no CRC trailer\n"
			"  -N PROTO  native IP under this protocol number, not UDP\n");
		return 2;
	}
	file = fopen(argv[optind], "rb");
	if (!file)
		err(1, "%s", argv[optind]);
	read_capture(file);
	check_ends();
	return report();
}
