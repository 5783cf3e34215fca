// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a whole UET packet, decoded in the order of a receiver and
 * encoded again: the parts fill the packet, and decoding the new packet yields
 * the same parts.  Input: one byte whose lowest bit means native IP form and
 * whose next bit means CRC trailer, then the IP (or UDP) payload.
 * Spec: UE 1.0.1 3.4, 3.5.10, 3.5.25.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

#define PACKET_NATIVE	0x01
#define PACKET_CRC	0x02

/* A decoded packet; parts that a form does not have are zero. */
struct packet {
	u8 form;
	u16 ev;
	u32 crc;
	struct uet_pds_hdr pds;
	struct uet_ses_req req;
	struct uet_ses_rsp rsp;
	const u8 *payload;
	size_t payload_len;
};

/*
 * The kind of SES header according to next_hdr; in NACK and CP the field has
 * another meaning.
 */
static u8 packet_ses_kind(const struct uet_pds_hdr *pds)
{
	u8 kind = uet_wire_ty(pds->type)->kind;

	if (kind == UET_TK_NACK || kind == UET_TK_CP)
		return UET_NK_NONE;
	return uet_wire_nh(pds->next_hdr)->kind;
}

static enum uet_drop packet_parse_ses(struct packet *p, const u8 *at, size_t n)
{
	enum uet_drop why;
	size_t used = 0;

	switch (packet_ses_kind(&p->pds)) {
	case UET_NK_REQ:
		why = uet_wire_ses_req_decode(p->pds.next_hdr, at, n, &p->req,
					      &used);
		if (why)
			return why;
		p->payload = at + used;
		return uet_wire_ses_payload(&p->req, n - used, &p->payload_len);
	case UET_NK_RSP:
		why = uet_wire_ses_rsp_decode(p->pds.next_hdr, at, n, &p->rsp,
					      &used);
		if (why)
			return why;
		p->payload = at + used;
		return uet_wire_ses_rsp_payload(&p->rsp, n - used,
						&p->payload_len);
	}
	return UET_DROP_NONE;
}

static enum uet_drop packet_parse(struct packet *p, u8 form, const u8 *at,
				  size_t n)
{
	enum uet_drop why;
	size_t used = 0;

	memset(p, 0, sizeof(*p));
	p->form = form;
	if (form & PACKET_CRC) {
		if (n < UET_CRC_LEN)
			return UET_DROP_CRC;
		n -= UET_CRC_LEN;
		p->crc = uet_wire_crc_get(at + n);
	}
	if (form & PACKET_NATIVE) {
		why = uet_wire_entropy_decode(at, n, &p->ev, &used);
		if (why)
			return why;
		at += used;
		n -= used;
	}
	why = uet_wire_pds_decode(at, n, &p->pds, &used);
	if (why)
		return why;
	FUZZ_CHECK(used <= n);
	return packet_parse_ses(p, at + used, n - used);
}

static size_t packet_build(const struct packet *p, u8 *out, size_t space)
{
	size_t n = 0;

	if (p->form & PACKET_NATIVE)
		n += uet_wire_entropy_encode(p->ev, out, space);
	n += uet_wire_pds_encode(&p->pds, out + n, space - n);
	switch (packet_ses_kind(&p->pds)) {
	case UET_NK_REQ:
		n += uet_wire_ses_req_encode(&p->req, out + n, space - n);
		break;
	case UET_NK_RSP:
		n += uet_wire_ses_rsp_encode(&p->rsp, out + n, space - n);
		break;
	}
	if (p->payload_len)
		memcpy(out + n, p->payload, p->payload_len);
	n += p->payload_len;
	if (p->form & PACKET_CRC) {
		uet_wire_crc_put(p->crc, out + n);
		n += UET_CRC_LEN;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u8 out[UET_ENTROPY_LEN + UET_PDS_MAX_LEN + UET_SES_REQ_MAX_LEN +
		      UET_MTU_MAX + UET_CRC_LEN];
	struct packet a, b;
	size_t n;

	if (!size || packet_parse(&a, data[0], data + 1, size - 1))
		return 0;
	n = packet_build(&a, out, sizeof(out));
	FUZZ_CHECK(!packet_parse(&b, a.form, out, n));
	FUZZ_CHECK(a.payload_len == b.payload_len);
	FUZZ_CHECK(!a.payload_len ||
		   !memcmp(a.payload, b.payload, a.payload_len));
	a.payload = NULL;
	b.payload = NULL;
	FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));
	return 0;
}
