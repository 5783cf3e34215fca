// SPDX-License-Identifier: GPL-2.0
/*
 * Captures for test_dissector.sh, each with what a dissector must make of it:
 * all packet types with random values in every encapsulation, the headers that
 * other implementations produced, each value of each code, packets cut at every
 * length, and noise.  Beside NAME.pcap stands NAME.want, with lines "NUMBER
 * FIELD VALUE" and, for each packet, "NUMBER label TEXT": of what kind it is.
 *
 * usage: dissector_packets DIR SEED ROUNDS
 *	ROUNDS: packets of each kind in each encapsulation
 */
#include <err.h>
#include <stdlib.h>

#include "uetpcap.h"
#include "uetsample.h"
#include "uetwant.h"

#define PORT		UET_PORT_DEFAULT
#define PROTOCOL	UET_IPPROTO_DEFAULT
#define NOISE		4000

/* A capture and what is expected of it. */
struct out {
	struct pcap pcap;
	struct want want;
};

static struct fuzz_rand rnd;
static struct sample_kind kinds[SAMPLE_KINDS_MAX];
static unsigned int nr_kinds;
static const char *dir;
static struct sample sample;

/* -------------------------------------------------------------- output */

static void out_open(struct out *out, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.pcap", dir, name);
	if (!pcap_open(&out->pcap, path))
		err(1, "%s", path);
	snprintf(path, sizeof(path), "%s/%s.want", dir, name);
	out->want.file = fopen(path, "w");
	if (!out->want.file)
		err(1, "%s", path);
}

static void out_close(struct out *out)
{
	if (!pcap_close(&out->pcap) || ferror(out->want.file) ||
	    fclose(out->want.file))
		err(1, "%s", dir);
}

/* A form with random addresses; the low bits of @index select the rest. */
static struct pcap_form draw_form(unsigned int index)
{
	struct pcap_form form = {
		.is_ipv6 = index & 1,
		.is_native = index & 2,
		.has_crc = index & 4,
		.ev = (u16)fuzz_edge(&rnd),
		.number = index & 2 ? PROTOCOL : PORT,
		.udp_checksum = (u16)fuzz_u32(&rnd),
	};

	fuzz_fill(&rnd, form.from, sizeof(form.from));
	fuzz_fill(&rnd, form.to, sizeof(form.to));
	/* Neither multicast nor loopback nor anything else of that kind. */
	form.from[0] = form.to[0] = form.is_ipv6 ? 0xfd : 10;
	/* As a source, UET's own port is told apart from the destination. */
	if (form.ev == PORT)
		form.ev++;
	return form;
}

/* The form of an answer. */
static struct pcap_form reversed(const struct pcap_form *form)
{
	struct pcap_form back = *form;

	memcpy(back.from, form->to, sizeof(back.from));
	memcpy(back.to, form->from, sizeof(back.to));
	return back;
}

static void want_data(struct want *w, const struct sample *s)
{
	const u8 *at = s->bytes + s->data_at;
	size_t len = s->len - s->data_at, icv = len < 16 ? 0 : 16;

	if (s->is_secure) {
		want_bytes(w, "tss.encrypted", at, len - icv);
		want_bytes(w, "tss.icv", at + len - icv, icv);
	} else if (s->ses == UET_NK_NONE ||
		   (s->ses == UET_NK_RSP &&
		    s->rsp.form == UET_RSP_FORM_PLAIN)) {
		want_bytes(w, "ignored", at, s->why ? 0 : len);
	} else {
		if (s->ses == UET_NK_REQ)
			want_operand(w, &s->req, at, len);
		want_bytes(w, "payload", at, len);
		want_dec(w, "payload_length", len);
	}
}

/* Write @s in @form and everything that is to be seen of it. */
static void out_sample(struct out *out, const char *label,
		       const struct pcap_form *form, const struct sample *s)
{
	struct want *w = &out->want;
	struct pcap_form as_sent = *form;
	u32 crc;

	if (s->is_secure)
		as_sent.has_crc = false;
	crc = pcap_add(&out->pcap, &as_sent, s->bytes, s->len);
	w->nr = out->pcap.nr;
	fprintf(w->file, "%u label %s\n", w->nr, label);
	if (form->is_native)
		want_dec(w, "entropy", form->ev);
	if (as_sent.has_crc) {
		want_hex(w, "crc", 8, crc);
		want_dec(w, "crc.status", 1);
	}
	if (s->is_secure)
		want_tss(w, &s->tss);
	if (s->pds_len)
		want_pds(w, &s->pds, s->bytes[1] & 0x7f, s->pds_len);
	if (s->ses == UET_NK_REQ)
		want_ses_req(w, &s->req);
	else if (s->ses == UET_NK_RSP)
		want_ses_rsp(w, &s->rsp);
	want_data(w, s);
	if (s->why)
		want_text(w, "drop", uet_drop_name(s->why));
}

/* Write a packet of which only this is looked at; "" is not dropped. */
static void out_drop(struct out *out, const char *label,
		     const struct pcap_form *form, const u8 *bytes, size_t len,
		     enum uet_drop why)
{
	pcap_add(&out->pcap, form, bytes, len);
	out->want.nr = out->pcap.nr;
	fprintf(out->want.file, "%u label %s\n", out->want.nr, label);
	if (why)
		want_text(&out->want, "drop", uet_drop_name(why));
}

/* ------------------------------------------------------------ captures */

static void golden(struct out *out, const char *name, const char *kind,
		   const char *hex)
{
	struct pcap_form form = draw_form(4);
	struct uet_pds_hdr pds = { .type = UET_TY_UUD_REQ };
	u8 bytes[200];
	size_t len = 0;

	if (!strcmp(kind, "entropy"))
		return;
	if (*kind >= '0' && *kind <= '9') {
		pds.next_hdr = (u8)atoi(kind);
		if (uet_wire_nh(pds.next_hdr)->kind == UET_NK_RSP) {
			pds.type = UET_TY_ACK;
			pds.u.ack.spdcid = 1;
		}
		len = uet_wire_pds_encode(&pds, bytes, sizeof(bytes));
	}
	for (; *hex; hex += 2) {
		unsigned int byte;

		sscanf(hex, "%2x", &byte);
		bytes[len++] = (u8)byte;
	}
	sample_parse(&sample, bytes, len);
	out_sample(out, name, &form, &sample);
}

/* The packets computed by hand, whose CRCs are known. */
static void whole(struct out *out, const char *name, bool is_native,
		  bool is_ipv6)
{
	static const u8 ipv6[2][16] = {
		{ 0x20, 0x01, 0x0c, 0xb0, [8] = 0x0f, 0xc0, [14] = 0x0a, 0xbc },
		{ 0x20, 0x01, 0x0c, 0xb0, [8] = 0x0f, 0xc0, [14] = 0x0d, 0xef },
	};
	struct pcap_form form = {
		.is_ipv6 = is_ipv6, .is_native = is_native, .has_crc = true,
		.ev = 0x4242, .number = is_native ? PROTOCOL : PORT,
		.from = { 192, 168, 42, 1 }, .to = { 192, 168, 42, 2 },
	};
	struct uet_pds_hdr pds = {
		.type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_STD,
		.flags = UET_F_AR | UET_F_SYN,
		.u.req = { .clear_off = -1, .psn = 0x12000, .spdcid = 0x101 },
	};
	struct uet_ses_req req = {
		.form = UET_SES_STD, .opcode = UET_OP_SEND, .rel = true,
		.eom = true, .som = true, .msg_id = 1, .job = 1, .ri = 15,
		.initiator = 16, .request_length = 8,
	};
	u8 bytes[100];
	size_t len;

	if (is_ipv6) {
		memcpy(form.from, ipv6[0], 16);
		memcpy(form.to, ipv6[1], 16);
	}
	len = uet_wire_pds_encode(&pds, bytes, sizeof(bytes));
	len += uet_wire_ses_req_encode(&req, bytes + len, sizeof(bytes) - len);
	memcpy(bytes + len, "UETuetKA", 8);
	sample_parse(&sample, bytes, len + 8);
	out_sample(out, name, &form, &sample);
}

/* Golden packets at fixed places, for what the script knows by heart. */
static void make_golden(void)
{
	struct out out;

	out_open(&out, "golden");
	whole(&out, "whole native ipv4", true, false);
	whole(&out, "whole udp ipv4", false, false);
	whole(&out, "whole udp ipv6", false, true);
#define GOLDEN(name, kind, hex, canonical) golden(&out, #name, #kind, hex);
#include "wire_golden.def"
#undef GOLDEN
	out_close(&out);
}

/* One packet of legal or illegal codes, with zeroes behind them. */
static void add_codes(struct out *out, const char *label, const u8 *bytes,
		      size_t len)
{
	struct pcap_form form = draw_form(out->pcap.nr);
	struct sample codes;

	sample_parse(&codes, bytes, len);
	if (codes.is_secure)
		form.has_crc = false;
	out_drop(out, label, &form, bytes, len, codes.why);
}

static void put_prologue(u8 *bytes, u8 type, u8 next_hdr, u8 flags)
{
	bytes[0] = (u8)(type << 3 | next_hdr >> 1);
	bytes[1] = (u8)(next_hdr << 7 | flags);
}

/* Each packet type with each next_hdr, and with no PDCID. */
static void make_prologues(struct out *out)
{
	for (unsigned int i = 0; i < UET_TY_NR * UET_NH_NR * 2; i++) {
		u8 bytes[120] = { [9] = i & 1 };

		put_prologue(bytes, (u8)(i / 2 / UET_NH_NR),
			     i / 2 % UET_NH_NR, fuzz_u32(&rnd) & 0x7f);
		add_codes(out, "prologues", bytes, sizeof(bytes));
	}
}

/* Each opcode in each form, each atomic opcode, each response. */
static void make_opcodes(struct out *out)
{
	static const u8 flags[] = { 0, 1, 2, 3, 0x43, 0x80 };

	for (unsigned int i = 0; i < UET_OP_NR * 3 * ARRAY_SIZE(flags); i++) {
		u8 bytes[UET_UUD_LEN + UET_SES_REQ_MAX_LEN] = { 0 };

		put_prologue(bytes, UET_TY_UUD_REQ, 1 + i % 3, 0);
		bytes[4] = (u8)(i / 3 % UET_OP_NR);
		bytes[5] = flags[i / 3 / UET_OP_NR];
		add_codes(out, "opcodes", bytes, sizeof(bytes));
	}
	for (unsigned int i = 0; i < 512; i++) {
		u8 bytes[UET_UUD_LEN + UET_SES_REQ_MAX_LEN] = { 0 };

		put_prologue(bytes, UET_TY_UUD_REQ, UET_NH_REQ_STD, 0);
		bytes[4] = UET_OP_ATOMIC;
		bytes[5] = 3;
		bytes[UET_UUD_LEN + UET_SES_STD_LEN] = (u8)(i / 2);
		add_codes(out, "atomics", bytes,
			  sizeof(bytes) - (i & 1 ? 32 : 0));
	}
	for (unsigned int i = 0; i < 256 * 4; i++) {
		u8 bytes[UET_ACK_LEN + UET_SES_RSP_MAX_LEN] = { [9] = 1 };

		put_prologue(bytes, UET_TY_ACK, UET_NH_RSP + i % 3, 0);
		bytes[UET_ACK_LEN] = (u8)(i / 4);
		bytes[UET_ACK_LEN + 1] = i % 4 ? 0 : (u8)(i / 4);
		/* Reserved bits above payload_length. */
		bytes[UET_ACK_LEN + (i % 3 == 1 ? 10 : 2)] = i & 1 ? 0xc0 : 0;
		add_codes(out, "responses", bytes, UET_ACK_LEN +
			  (i % 3 == 1 ? UET_SES_RSP_DATA_LEN :
					UET_SES_RSP_LEN));
	}
}

static void make_codes(void)
{
	struct out out;

	out_open(&out, "codes");
	make_prologues(&out);
	make_opcodes(&out);
	out_close(&out);
}

/* Each code of a NACK, in full. */
static void make_nacks(void)
{
	static const struct sample_kind kind = { .type = UET_TY_NACK };
	struct pcap_form form;
	struct out out;

	out_open(&out, "nacks");
	for (unsigned int code = 0; code < 256; code++) {
		form = draw_form(code);
		sample_draw(&rnd, &kind, &sample);
		sample.bytes[2] = (u8)code;
		sample_parse(&sample, sample.bytes, sample.len);
		out_sample(&out, "all codes", &form, &sample);
	}
	out_close(&out);
}

static void make_random(unsigned int rounds)
{
	const struct sample_kind *kind;
	struct pcap_form form;
	struct out out;

	out_open(&out, "random");
	for (unsigned int i = 0; i < nr_kinds * rounds * 8; i++) {
		form = draw_form(i);
		kind = &kinds[i / 8 % nr_kinds];
		sample_draw(&rnd, kind, &sample);
		out_sample(&out, kind->label, &form, &sample);
	}
	out_close(&out);
}

/* Packets that end early, as their IP and UDP lengths say: malformed ones. */
static void make_short(void)
{
	struct pcap_form form;
	struct sample cut;
	struct out out;

	out_open(&out, "short");
	for (unsigned int i = 0; i < nr_kinds; i++) {
		do {
			sample_draw(&rnd, &kinds[i], &sample);
		} while (sample.len > 200);
		for (size_t len = 1; len <= sample.len; len++) {
			form = draw_form(i & 3);
			sample_parse(&cut, sample.bytes, len);
			out_drop(&out, kinds[i].label, &form, cut.bytes, len,
				 cut.why);
		}
	}
	form = draw_form(2);
	for (form.trim = 1; form.trim < UET_ENTROPY_LEN; form.trim++)
		out_drop(&out, "entropy header", &form, sample.bytes,
			 sample.len, UET_DROP_TRUNC_ENTROPY);
	out_close(&out);
}

/* Whole packets of which the capture has a part, or a switch left one. */
static void make_cut(void)
{
	struct pcap_form form;
	struct out out;

	out_open(&out, "cut");
	for (unsigned int i = 0; i < nr_kinds; i++) {
		do {
			sample_draw(&rnd, &kinds[i], &sample);
		} while (sample.len > 200);
		for (size_t len = 1; len < sample.len + 40; len++) {
			form = draw_form(i);
			form.captured = len;
			out_drop(&out, kinds[i].label, &form, sample.bytes,
				 sample.len, UET_DROP_NONE);
			if (form.is_native || len <= 8 || len > sample.len)
				continue;
			form.captured = 0;
			form.trim = len;
			out_drop(&out, kinds[i].label, &form, sample.bytes,
				 sample.len, UET_DROP_NONE);
		}
	}
	out_close(&out);
}

/* Packets with damage, and bytes that never were one. */
static void make_noise(void)
{
	struct pcap_form form;
	struct out out;

	out_open(&out, "noise");
	for (unsigned int i = 0; i < NOISE; i++) {
		struct sample damaged;

		do {
			sample_draw(&rnd, &kinds[i % nr_kinds], &sample);
		} while (sample.len > 300);
		if (i % 4 == 0)
			fuzz_fill(&rnd, sample.bytes, sample.len);
		else if (i % 4 == 1)
			fuzz_damage(&rnd, sample.bytes, sample.len);
		else
			sample.bytes[fuzz_below(&rnd, sample.data_at)] ^=
				BIT(fuzz_below(&rnd, 8));
		form = draw_form(i);
		sample_parse(&damaged, sample.bytes, sample.len);
		if (damaged.is_secure)
			form.has_crc = false;
		out_drop(&out, i % 4 ? "damaged packets" : "random bytes",
			 &form, damaged.bytes, damaged.len, damaged.why);
	}
	out_close(&out);
}

/* Packets for the preferences; the script knows them by number. */
static void make_preferences(void)
{
	static const struct sample_kind kind = {
		.type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_STD,
		.form = UET_SES_STD, .opcode = UET_OP_SEND,
	};
	static const u16 numbers[2][2] = {
		{ PORT, 5000 }, { PROTOCOL, 254 },
	};
	struct pcap_form form;
	struct out out;

	out_open(&out, "preferences");
	do {
		sample_draw(&rnd, &kind, &sample);
	} while (!sample.req.eom || sample.len > 200);
	for (unsigned int i = 0; i < 4; i++) {
		form = draw_form(i & 2);
		form.ev = 0xfeed;
		form.number = numbers[i / 2][i & 1];
		out_drop(&out, "", &form, sample.bytes, sample.len,
			 UET_DROP_NONE);
	}
	form = draw_form(4);
	form.ev = 0xfeed;
	fprintf(out.want.file, "6 computed 0x%08x\n",
		pcap_add(&out.pcap, &form, sample.bytes, sample.len));
	form.has_crc = false;
	memset(sample.bytes + sample.len, 0, UET_CRC_LEN);
	pcap_add(&out.pcap, &form, sample.bytes, sample.len + UET_CRC_LEN);
	form.ev = 53;
	pcap_add(&out.pcap, &form, sample.bytes, sample.len);
	out_close(&out);
}

/* The expected fields of these two; -1: nothing. */
static void want_partly(struct out *out, int payload_length, int crc_status)
{
	struct want *w = &out->want;

	w->nr = out->pcap.nr;
	fprintf(w->file, "%u label packet %u\n", w->nr, w->nr);
	if (payload_length >= 0)
		want_dec(w, "payload_length", payload_length);
	if (crc_status >= 0)
		want_dec(w, "crc.status", crc_status);
}

/*
 * A long packet of which the capture has the headers, twice: that there is a
 * trailer to think of is known only from the whole packet between them.
 */
static void make_partly(void)
{
	static const struct sample_kind kind = {
		.type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_STD,
		.form = UET_SES_STD, .opcode = UET_OP_SEND,
	};
	static const struct sample_kind later = {
		.type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_STD,
		.form = UET_SES_STD_NOSOM, .opcode = UET_OP_SEND,
	};
	static const struct sample_kind ack = { .type = UET_TY_ACK };
	struct pcap_form form = draw_form(4);
	struct sample whole_ack, stated;
	struct out out;

	do {
		sample_draw(&rnd, &kind, &sample);
	} while (sample.req.eom);
	sample.req.request_length = 10000;
	uet_wire_ses_req_encode(&sample.req, sample.bytes + sample.pds_len,
				UET_SES_STD_LEN);
	sample.len = sample.data_at + UET_MTU_DEFAULT;
	sample_draw(&rnd, &ack, &whole_ack);

	out_open(&out, "partly");
	/* One that states its length is no riddle. */
	do {
		sample_draw(&rnd, &later, &stated);
	} while (stated.len < stated.data_at + 8 ||
		 stated.req.message_offset < 100);
	form.captured = 28 + stated.data_at + 1;
	pcap_add(&out.pcap, &form, stated.bytes, stated.len);
	want_partly(&out, (int)(stated.len - stated.data_at), -1);
	form.captured = 160;
	pcap_add(&out.pcap, &form, sample.bytes, sample.len);
	want_partly(&out, UET_MTU_DEFAULT + UET_CRC_LEN, -1);
	form.captured = 0;
	pcap_add(&out.pcap, &form, whole_ack.bytes, whole_ack.len);
	want_partly(&out, -1, 1);
	form.captured = 160;
	pcap_add(&out.pcap, &form, sample.bytes, sample.len);
	want_partly(&out, UET_MTU_DEFAULT, 2);
	out_close(&out);
}

/* Three to be answered, by ACK and NACK, and an ACK that answers nothing. */
static void make_exchange(void)
{
	struct uet_pds_hdr packets[] = {
		{ .type = UET_TY_RUD_CC_REQ, .next_hdr = UET_NH_REQ_SMALL,
		  .flags = UET_F_SYN, .u.req = { .psn = 5, .spdcid = 3 } },
		{ .type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_SMALL,
		  .u.req = { .psn = 6, .spdcid = 3, .dpdcid = 9 } },
		{ .type = UET_TY_CP, .next_hdr = UET_CP_CLOSE_COMMAND,
		  .u.cp = { .psn = 7, .spdcid = 3, .dpdcid = 9 } },
		{ .type = UET_TY_ACK, .u.ack = { .cack_psn = 4, .ack_off = 1,
		  .spdcid = 9, .dpdcid = 3 } },
		{ .type = UET_TY_NACK, .u.nack = { .code = UET_NACK_TRIMMED,
		  .psn = 6, .spdcid = 9, .dpdcid = 3 } },
		{ .type = UET_TY_ACK, .u.ack = { .cack_psn = 7,
		  .spdcid = 9, .dpdcid = 3 } },
		{ .type = UET_TY_ACK, .u.ack = { .cack_psn = 5,
		  .spdcid = 9, .dpdcid = 4 } },
	};
	struct pcap_form there = draw_form(0), back = reversed(&there);
	struct out out;
	u8 bytes[100];

	out_open(&out, "exchange");
	for (size_t i = 0; i < ARRAY_SIZE(packets); i++)
		out_drop(&out, "", i < 3 ? &there : &back, bytes,
			 uet_wire_pds_encode(&packets[i], bytes,
					     sizeof(bytes)), UET_DROP_NONE);
	out_close(&out);
}

#define REQ(_psn, _flags) \
	{ .type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_SMALL, \
	  .flags = (_flags), .u.req = { .psn = (_psn), .spdcid = 3, .dpdcid = 9 } }
#define SYN(_psn, _offset, _spdcid) \
	{ .type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_SMALL, \
	  .flags = UET_F_SYN, .u.req = { .psn = (_psn), .psn_offset = (_offset), \
	  .spdcid = (_spdcid) } }

/*
 * A PDC with losses of each kind, one that has its PDCID afterwards, and one of the peer.
 * The test of tshark knows them by their numbers.
 */
static void make_streams(void)
{
	const struct {
		bool is_back;
		struct uet_pds_hdr hdr;
	} packets[] = {
		{ false, SYN(100, 0, 3) },
		{ false, SYN(101, 1, 3) },
		{ true, { .type = UET_TY_ACK, .u.ack = { .cack_psn = 99,
		  .ack_off = 1, .spdcid = 9, .dpdcid = 3 } } },
		{ false, REQ(102, 0) },
		{ false, REQ(103, 0) },
		{ false, REQ(104, 0) },
		{ true, { .type = UET_TY_ACK_CC, .u.ack = { .cack_psn = 101,
		  .ack_off = 3, .sack_off = 1, .sack_bitmap = 6, .spdcid = 9,
		  .dpdcid = 3 } } },
		{ false, REQ(102, UET_F_RETX) },	/* 8: SACK of 103, 104 */
		{ false, REQ(105, 0) },
		{ true, { .type = UET_TY_NACK, .u.nack = {
		  .code = UET_NACK_TRIMMED, .psn = 105, .spdcid = 9,
		  .dpdcid = 3 } } },
		{ false, REQ(105, UET_F_RETX) },	/* 11: NACK */
		{ false, REQ(106, 0) },
		{ false, REQ(106, UET_F_RETX) },	/* 13: time-out */
		{ true, { .type = UET_TY_ACK, .u.ack = { .cack_psn = 106,
		  .spdcid = 9, .dpdcid = 3 } } },
		{ false, REQ(106, UET_F_RETX) },	/* 15: acknowledged */
		{ false, REQ(107, 0) },
		{ false, REQ(107, 0) },			/* 17: twice on the wire */
		{ true, { .type = UET_TY_RUD_REQ, .next_hdr = UET_NH_REQ_SMALL,
		  .u.req = { .psn = 100, .spdcid = 9, .dpdcid = 3 } } },
		{ false, SYN(5000, 0, 3) },		/* 19: the PDCID again */
		{ true, { .type = UET_TY_ACK, .u.ack = { .cack_psn = 5000,
		  .spdcid = 8, .dpdcid = 3 } } },
		{ true, SYN(7, 0, 77) },		/* 21: one of the peer */
		{ false, { .type = UET_TY_NACK, .u.nack = {
		  .code = UET_NACK_NEW_START_PSN, .psn = 7, .spdcid = 5,
		  .dpdcid = 77, .payload = 900 } } },
		{ true, SYN(900, 0, 77) },		/* 23: moved */
	};
	struct pcap_form there = draw_form(0), back = reversed(&there);
	struct out out;
	u8 bytes[100];

	out_open(&out, "streams");
	for (size_t i = 0; i < ARRAY_SIZE(packets); i++)
		out_drop(&out, "", packets[i].is_back ? &back : &there, bytes,
			 uet_wire_pds_encode(&packets[i].hdr, bytes,
					     sizeof(bytes)), UET_DROP_NONE);
	out_close(&out);
}

#define BURST_ALONE	3	/* the first packets */
#define BURST_RUN	3	/* packets of each run */
#define BURST_RUNS	3
#define BURST_NR	(BURST_ALONE + BURST_RUNS * BURST_RUN)
#define BURST_UNIT	300

/* Entry @i of the list of a burst. */
static void put_entry(u8 *list, u32 i, size_t len)
{
	put_unaligned_be16((u16)len, list + 8 + 4 * i);
	put_unaligned_be16((u16)(11 + i), list + 10 + 4 * i);
}

/* The SES header of a packet of run @kind: of a WRITE, of a READ, of the data that it reads. */
static size_t put_run_ses(u32 kind, u8 *at, size_t space)
{
	const struct uet_ses_req req = {
		.form = UET_SES_STD_NOSOM, .rel = true,
		.opcode = kind ? UET_OP_READ : UET_OP_WRITE,
		.msg_id = 5, .payload_length = BURST_UNIT,
		.message_offset = 3 * BURST_UNIT,
		.request_length = 100 * BURST_UNIT,
	};
	const struct uet_ses_rsp rsp = {
		.form = UET_RSP_FORM_DATA, .opcode = UET_RSP_W_DATA,
		.rc = UET_RC_OK, .msg_id = 5, .read_msg_id = 5,
		.payload_length = BURST_UNIT, .message_offset = 3 * BURST_UNIT,
	};

	return kind < 2 ? uet_wire_ses_req_encode(&req, at, space) :
			  uet_wire_ses_rsp_encode(&rsp, at, space);
}

/* The first packet of a run; the other ones follow from it. Return: bytes of its headers. */
static size_t put_run(u32 kind, u8 *at, size_t space)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_RUD_REQ,
		.next_hdr = kind < 2 ? UET_NH_REQ_STD : UET_NH_RSP_DATA,
		.u.req = { .psn = 0xfffffffe, .clear_off = -3, .spdcid = 3,
			   .dpdcid = 9 },
	};
	size_t len = uet_wire_pds_encode(&hdr, at, space);

	return len + put_run_ses(kind, at + len, space - len);
}

/* Put a run into a burst behind @at bytes. Return: bytes of the burst. */
static size_t put_whole_run(u8 *burst, size_t at, size_t space, u32 kind)
{
	u32 first = BURST_ALONE + kind * BURST_RUN, i;
	u16 unit = kind == 1 ? 0 : BURST_UNIT;
	size_t headers = put_run(kind, burst + at, space - at);

	put_entry(burst, first, headers + unit);
	for (i = 1; i < BURST_RUN; i++)
		put_entry(burst, first + i, 0x8000 | unit);
	at += headers;
	for (i = 0; i < BURST_RUN; i++, at += unit)
		memset(burst + at, (int)(first + i), unit);
	return at;
}

/* Packets that a host has captured as one, with their list; @index is for draw_form(). */
static void make_burst(const char *name, unsigned int index)
{
	struct uet_pds_hdr hdr = {
		.type = UET_TY_CP, .next_hdr = UET_CP_CLOSE_COMMAND,
		.u.cp = { .spdcid = 3, .dpdcid = 9 },
	};
	struct pcap_form form = draw_form(index);
	u8 bytes[3000] = { 31 << 3, BURST_NR, 8 };
	size_t at = 8 + 4 * BURST_NR, len;
	struct out out;
	u32 i;

	for (i = 0; i < BURST_ALONE; i++) {
		hdr.u.cp.psn = 5 + i;
		len = uet_wire_pds_encode(&hdr, bytes + at, sizeof(bytes) - at);
		put_entry(bytes, i, len);
		at += len;
	}
	for (i = 0; i < BURST_RUNS; i++)
		at = put_whole_run(bytes, at, sizeof(bytes), i);
	out_open(&out, name);
	out_drop(&out, "", &form, bytes, at, UET_DROP_NONE);
	out_close(&out);
}

/*
 * Packets of a secure domain that a host has captured as one: one alone, and a run; @index
 * is for draw_form().
 */
static void make_sealed_burst(const char *name, unsigned int index)
{
	struct uet_tss_hdr tss = { .sdi = 7, .epoch = 3, .tsc = 100 };
	struct pcap_form form = draw_form(index);
	u8 bytes[1500] = { 31 << 3, 3, 0, UET_TSS_LEN };
	size_t at = 8 + 4 * 3, len = 50;
	struct out out;
	u32 i;

	put_entry(bytes, 0, len);
	put_entry(bytes, 1, BURST_UNIT + 56);
	put_entry(bytes, 2, 0x8000 | BURST_UNIT);
	for (i = 0; i < 3; i++, tss.tsc++) {
		len = i ? BURST_UNIT + 56 : 50;
		uet_wire_tss_encode(&tss, bytes + at + 4, UET_TSS_LEN);
		at += (4 + UET_TSS_LEN + len + UET_ICV_LEN + 15) / 16 * 16;
	}
	out_open(&out, name);
	out_drop(&out, "", &form, bytes, at, UET_DROP_NONE);
	out_close(&out);
}

/* Messages of a stream (Documentation/spec/stream.rst), in medium and standard headers. */
static void make_messages(void)
{
	static const struct {
		u64 match;
		u64 data;
	} messages[] = {
		{ 0x1100000001234567, 40000ULL << 48 | 80ULL << 32 | 1000 },
		{ 0x121234567fedcba9, 2000 },
		{ 0x131234567fedcba9, 3000ULL << 32 | 4000 },
		{ 0x1612345670000000, 2ULL << 32 },
	};
	struct uet_pds_hdr pds = { .type = UET_TY_RUD_REQ, .u.req = { .spdcid = 3 } };
	struct uet_ses_req req = { .opcode = UET_OP_TAGGED_SEND, .rel = true, .hd = true,
				   .som = true, .eom = true, .job = 1, .ri = 0xffe };
	struct pcap_form form = draw_form(0);
	struct out out;
	u8 bytes[100];
	size_t len;

	out_open(&out, "messages");
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		pds.next_hdr = i % 2 ? UET_NH_REQ_MEDIUM : UET_NH_REQ_STD;
		req.form = i % 2 ? UET_SES_MEDIUM : UET_SES_STD;
		req.match = messages[i].match;
		req.header_data = messages[i].data;
		len = uet_wire_pds_encode(&pds, bytes, sizeof(bytes));
		len += uet_wire_ses_req_encode(&req, bytes + len, sizeof(bytes) - len);
		out_drop(&out, "", &form, bytes, len, UET_DROP_NONE);
	}
	out_close(&out);
}

/* Names of codes by field, as the core has them. */
static void make_names(void)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/names", dir);
	file = fopen(path, "w");
	if (!file)
		err(1, "%s", path);
	for (unsigned int i = 0; i < UET_TY_NR; i++)
		fprintf(file, "uet.pds.type 0x%x %s\n", i,
			uet_wire_ty((u8)i)->name);
	for (unsigned int i = 0; i < UET_NH_NR; i++)
		fprintf(file, "uet.pds.next_hdr 0x%x %s\n", i,
			uet_wire_nh((u8)i)->name);
	for (unsigned int i = 0; i < UET_CP_NR; i++)
		fprintf(file, "uet.pds.ctl_type 0x%x %s\n", i,
			uet_wire_ctl((u8)i)->name);
	for (unsigned int i = 0; i < UET_OP_NR; i++)
		fprintf(file, "uet.ses.opcode 0x%x %s\n", i,
			uet_wire_op((u8)i)->name);
	for (unsigned int i = 0; i < 256; i++)
		fprintf(file, "uet.pds.nack_code 0x%x %s\n", i,
			uet_wire_nack((u8)i)->name);
	if (fclose(file))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: dissector_packets DIR SEED ROUNDS");
	dir = argv[1];
	rnd = fuzz_rand((uint32_t)strtoul(argv[2], NULL, 0));
	nr_kinds = sample_all_kinds(kinds);
	make_names();
	make_golden();
	make_random((unsigned int)strtoul(argv[3], NULL, 0));
	make_codes();
	make_nacks();
	make_short();
	make_cut();
	make_noise();
	make_preferences();
	make_partly();
	make_exchange();
	make_streams();
	make_burst("burst", 0);
	make_burst("burst_native", 2);
	make_sealed_burst("sealed_burst", 0);
	make_sealed_burst("sealed_burst_native", 2);
	make_messages();
	return 0;
}
