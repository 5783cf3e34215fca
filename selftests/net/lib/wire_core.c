// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes a capture with the codec of the core, for a comparison with wire_spec.py, which
 * shares no table with the core.  Prints a line "NUMBER FIELD VALUE" for each field of
 * each packet (uetwant.h has the notation), and "NUMBER malformed REASON" for each packet
 * that the core would drop.  Level: test.
 *
 * usage: wire_core [-n] [-p PORT] [-P PROTO] CAPTURE
 *	-n	packets have no CRC trailer
 */
#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#include "uetsample.h"
#include "uetwant.h"

#define ETHERNET	14
#define FRAME_MAX	16384
#define CRC_BYTES	4

static bool has_crc = true;
static unsigned long port = 4793, proto = 253;
static struct sample sample;

static unsigned int get16(const u8 *p)
{
	return (unsigned int)p[0] << 8 | p[1];
}

static void show(struct want *w, const u8 *bytes, size_t len)
{
	struct sample *s = &sample;

	if (has_crc && len >= CRC_BYTES && uet_wire_type(bytes) != UET_TY_TSS)
		len -= CRC_BYTES;
	if (len > sizeof(s->bytes))
		errx(1, "a packet is too long");
	sample_parse(s, bytes, len);
	if (s->is_secure)
		want_tss(w, &s->tss);
	if (s->pds_len)
		want_pds(w, &s->pds, s->bytes[1] & 0x7f, s->pds_len);
	if (s->ses == UET_NK_REQ) {
		want_ses_req(w, &s->req);
		want_operand(w, &s->req, bytes + s->data_at, len - s->data_at);
	} else if (s->ses == UET_NK_RSP) {
		want_ses_rsp(w, &s->rsp);
	}
	if (s->why)
		fprintf(w->file, "%u malformed %s\n", w->nr,
			uet_drop_name(s->why));
}

/* The payload of an IP packet, if it is UET. */
static void show_carried(struct want *w, unsigned int protocol, const u8 *at,
			 size_t len)
{
	if (protocol == 17 && len >= 8 && get16(at + 2) == port)
		show(w, at + 8, len - 8);
	else if (protocol == proto && len >= 4)
		show(w, at + 4, len - 4);
}

static void show_frame(struct want *w, const u8 *frame, size_t len)
{
	const u8 *ip = frame + ETHERNET;

	if (len >= ETHERNET + 20 && get16(frame + 12) == 0x0800)
		show_carried(w, ip[9], ip + 20, get16(ip + 2) - 20u);
	else if (len >= ETHERNET + 40 && get16(frame + 12) == 0x86dd)
		show_carried(w, ip[6], ip + 40, get16(ip + 4));
}

static void read_capture(FILE *file)
{
	static u8 frame[FRAME_MAX];
	struct want want = { .file = stdout };
	u32 head[6], record[4];

	if (fread(head, sizeof(head), 1, file) != 1 || head[5] != 1)
		errx(1, "not a pcap file of Ethernet frames");
	while (fread(record, sizeof(record), 1, file) == 1) {
		want.nr++;
		if (record[2] > sizeof(frame) || record[2] != record[3] ||
		    fread(frame, 1, record[2], file) != record[2])
			errx(1, "a frame is cut short");
		show_frame(&want, frame, record[2]);
	}
}

int main(int argc, char **argv)
{
	FILE *file;
	int opt;

	while ((opt = getopt(argc, argv, "np:P:")) != -1) {
		switch (opt) {
		case 'n': has_crc = false; break;
		case 'p': port = strtoul(optarg, NULL, 0); break;
		case 'P': proto = strtoul(optarg, NULL, 0); break;
		default: optind = argc + 1;
		}
	}
	if (argc - optind != 1) {
		fprintf(stderr, "usage: wire_core [-n] [-p PORT] [-P PROTO] CAPTURE\n");
		return 2;
	}
	file = fopen(argv[optind], "rb");
	if (!file)
		err(1, "%s", argv[optind]);
	read_capture(file);
	return 0;
}
