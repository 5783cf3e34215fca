// SPDX-License-Identifier: GPL-2.0
/*
 * A request, and 1 to 64 that continue it, or almost: whatever uet_wire_run_next()
 * accepts, a full decode of each accepts, and finds the same message one packet later.
 * Input: the headers of a request, the number of packets behind it, then pairs of a place
 * and a value that change bytes of the first of them.
 * Spec: UE 1.0.1 3.4, 3.5.10.3.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "fuzz.h"

#define RUN_HEAD_MAX	(UET_REQ_CC_LEN + UET_SES_STD_LEN)

/* A decoded request. */
struct request {
	struct uet_pds_hdr pds;
	struct uet_ses_req ses;
	size_t pds_len;
};

/* Decode headers in front of @len bytes, or of as many as they say. */
static bool request_get(struct request *r, const u8 *head, size_t n, u32 len)
{
	size_t used, got;

	memset(r, 0, sizeof(*r));
	if (uet_wire_pds_decode(head, n, &r->pds, &r->pds_len) ||
	    uet_wire_ty(r->pds.type)->kind != UET_TK_REQ ||
	    uet_wire_ses_req_decode(r->pds.next_hdr, head + r->pds_len,
				    n - r->pds_len, &r->ses, &used))
		return false;
	if (!len)
		len = r->ses.payload_length;
	return !uet_wire_ses_payload(&r->ses, len, &got);
}

/* The packet behind @r, as its sender would send it. */
static void request_advance(const struct request *r, u8 *head)
{
	u8 *offset = head + r->pds_len + 36;

	head[1] &= 0x80;
	put_unaligned_be16((u16)(r->pds.u.req.clear_off - 1), head + 2);
	put_unaligned_be32(r->pds.u.req.psn + 1, head + 4);
	put_unaligned_be32(r->ses.message_offset + r->ses.payload_length, offset);
}

/* Two packets of a run differ in these fields. */
static void request_expect(struct request *r)
{
	r->pds.flags = 0;
	r->pds.u.req.psn++;
	r->pds.u.req.clear_off--;
	r->ses.message_offset += r->ses.payload_length;
}

static u32 request_clear_psn(const struct request *r)
{
	return r->pds.u.req.psn + (u32)r->pds.u.req.clear_off;
}

/* CLEAR_PSN of @b, the first packet of a run behind @a: before @b, not before that of @a. */
static void request_check_clear(struct request *a, const struct request *b)
{
	FUZZ_CHECK(b->pds.u.req.clear_off < 0);
	FUZZ_CHECK((s32)(request_clear_psn(b) - request_clear_psn(a)) >= 0);
	a->pds.u.req.clear_off = b->pds.u.req.clear_off + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 first[RUN_HEAD_MAX], second[RUN_HEAD_MAX];
	struct uet_wire_run run;
	struct request a, b;
	u32 n, i;

	if (size < RUN_HEAD_MAX + 1)
		return 0;
	memcpy(first, data, RUN_HEAD_MAX);
	n = 1 + data[RUN_HEAD_MAX] % 64;
	if (!request_get(&a, first, RUN_HEAD_MAX, 0) ||
	    !uet_wire_run_begin(&run, &a.pds, &a.ses, first))
		return 0;
	memcpy(second, first, RUN_HEAD_MAX);
	request_advance(&a, second);
	data += RUN_HEAD_MAX + 1;
	for (size -= RUN_HEAD_MAX + 1; size >= 2; size -= 2, data += 2)
		second[data[0] % RUN_HEAD_MAX] ^= data[1];
	if (!uet_wire_run_next(&run, second, n))
		return 0;
	for (i = 0; i < n; i++) {
		FUZZ_CHECK(request_get(&b, second, RUN_HEAD_MAX, run.len));
		if (!i)
			request_check_clear(&a, &b);
		request_expect(&a);
		FUZZ_CHECK(!memcmp(&a, &b, sizeof(a)));
		request_advance(&b, second);
	}
	FUZZ_CHECK(b.pds.u.req.psn == run.psn);
	FUZZ_CHECK(request_clear_psn(&b) == run.clear_psn);
	FUZZ_CHECK(b.ses.message_offset == run.offset);
	FUZZ_CHECK((u64)run.offset + run.len < b.ses.request_length);
	return 0;
}
