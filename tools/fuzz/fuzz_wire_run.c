// SPDX-License-Identifier: GPL-2.0
/*
 * A request, or data that a READ has requested, and 1 to 64 packets that continue it, or
 * almost: whatever uet_wire_run_next() accepts, a full decode of each accepts, and finds the
 * same message one packet later.
 * Input: the headers of a packet, the number of packets behind it, then pairs of a place
 * and a value that change bytes of the first of them.
 * Spec: UE 1.0.1 3.4, Tables 3-12 and 3-13, 3.5.10.3.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

#define RUN_HEAD_MAX	(UET_REQ_CC_LEN + UET_SES_STD_LEN)

/* Bytes that a read of which data arrives has requested. */
#define RUN_TOTAL	(1 << 20)

/* Payload of the first packet of a message, which does not state it. */
#define RUN_PAYLOAD	20

/* A decoded packet; @rsp of data, else @ses. */
struct packet {
	struct uet_pds_hdr pds;
	struct uet_ses_req ses;
	struct uet_ses_rsp rsp;
	size_t pds_len;
	bool is_data;
};

/* The message_offset of a packet, and the bytes of the message in it. */
static u32 *packet_offset(struct packet *p)
{
	return p->is_data ? &p->rsp.message_offset : &p->ses.message_offset;
}

static u32 packet_len(const struct packet *p)
{
	if (p->is_data)
		return p->rsp.payload_length;
	return p->ses.som ? RUN_PAYLOAD : p->ses.payload_length;
}

static bool packet_get_ses(struct packet *p, const u8 *ses, size_t n)
{
	size_t used, got;

	p->is_data = p->pds.next_hdr == UET_NH_RSP_DATA;
	if (p->is_data)
		return !uet_wire_ses_rsp_decode(p->pds.next_hdr, ses, n, &p->rsp,
						&used) &&
		       !uet_wire_ses_rsp_payload(&p->rsp, packet_len(p), &got);
	return !uet_wire_ses_req_decode(p->pds.next_hdr, ses, n, &p->ses, &used) &&
	       !uet_wire_ses_payload(&p->ses, p->ses.opcode == UET_OP_READ ? 0 :
				     packet_len(p), &got);
}

/* Decode headers in front of as many bytes as they say. */
static bool packet_get(struct packet *p, const u8 *head, size_t n)
{
	memset(p, 0, sizeof(*p));
	return !uet_wire_pds_decode(head, n, &p->pds, &p->pds_len) &&
	       uet_wire_ty(p->pds.type)->kind == UET_TK_REQ &&
	       packet_get_ses(p, head + p->pds_len, n - p->pds_len);
}

static bool packet_begins(const struct packet *p, const u8 *head,
			  struct uet_wire_run *run)
{
	return p->is_data ? uet_wire_run_begin_data(run, &p->pds, &p->rsp,
						    RUN_TOTAL, head) :
			    uet_wire_run_begin(run, &p->pds, &p->ses,
					       packet_len(p), head);
}

/* The packet behind @p, as its sender would send it. */
static void packet_advance(struct packet *p, u8 *head)
{
	u8 *ses = head + p->pds_len, *offset = ses + (p->is_data ? 16 : 36);

	if (!p->is_data && p->ses.som) {
		ses[1] &= 0xf8;
		put_unaligned_be32(RUN_PAYLOAD, ses + 32);
	}
	head[1] &= 0x80;
	put_unaligned_be16((u16)(p->pds.u.req.clear_off - 1), head + 2);
	put_unaligned_be32(p->pds.u.req.psn + 1, head + 4);
	put_unaligned_be32(*packet_offset(p) + packet_len(p), offset);
}

/* Two packets of a run differ in these fields. */
static void packet_expect(struct packet *p)
{
	*packet_offset(p) += packet_len(p);
	p->pds.flags = 0;
	p->pds.u.req.psn++;
	p->pds.u.req.clear_off--;
	if (p->is_data || !p->ses.som)
		return;
	p->ses.som = false;
	p->ses.hd = false;
	p->ses.header_data = 0;
	p->ses.form = UET_SES_STD_NOSOM;
	p->ses.payload_length = RUN_PAYLOAD;
}

static u32 packet_clear_psn(const struct packet *p)
{
	return p->pds.u.req.psn + (u32)p->pds.u.req.clear_off;
}

/* CLEAR_PSN of @b, the first packet of a run behind @a: before @b, not before that of @a. */
static void packet_check_clear(struct packet *a, const struct packet *b)
{
	FUZZ_CHECK(b->pds.u.req.clear_off < 0);
	FUZZ_CHECK((s32)(packet_clear_psn(b) - packet_clear_psn(a)) >= 0);
	a->pds.u.req.clear_off = b->pds.u.req.clear_off + 1;
}

/* The end of a run of which @b is the last packet. */
static void packet_check_end(struct packet *b, const struct uet_wire_run *run)
{
	FUZZ_CHECK(b->pds.u.req.psn == run->psn);
	FUZZ_CHECK(packet_clear_psn(b) == run->clear_psn);
	FUZZ_CHECK(*packet_offset(b) == run->offset);
	FUZZ_CHECK((u64)run->offset + run->len <
		   (b->is_data ? RUN_TOTAL : b->ses.request_length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 first[RUN_HEAD_MAX], second[RUN_HEAD_MAX];
	struct uet_wire_run run;
	struct packet a, b;
	u32 n, i;

	if (size < RUN_HEAD_MAX + 1)
		return 0;
	memcpy(first, data, RUN_HEAD_MAX);
	n = 1 + data[RUN_HEAD_MAX] % 64;
	if (!packet_get(&a, first, RUN_HEAD_MAX) ||
	    !packet_begins(&a, first, &run))
		return 0;
	memcpy(second, first, RUN_HEAD_MAX);
	packet_advance(&a, second);
	data += RUN_HEAD_MAX + 1;
	for (size -= RUN_HEAD_MAX + 1; size >= 2; size -= 2, data += 2)
		second[data[0] % RUN_HEAD_MAX] ^= data[1];
	if (!uet_wire_run_next(&run, second, n))
		return 0;
	for (i = 0; i < n; i++) {
		FUZZ_CHECK(packet_get(&b, second, RUN_HEAD_MAX));
		if (!i)
			packet_check_clear(&a, &b);
		packet_expect(&a);
		FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));
		packet_advance(&b, second);
	}
	packet_check_end(&b, &run);
	return 0;
}
