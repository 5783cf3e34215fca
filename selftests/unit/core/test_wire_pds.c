// SPDX-License-Identifier: GPL-2.0
/*
 * The fields that uet_wire_pds_decode() reads from bytes, the packets it refuses and
 * why, and that uet_wire_pds_encode() writes nothing the decoder would read
 * differently.  Truncation is tried in buffers of exactly the given size, for the
 * sanitizer.  Spec: UE 1.0.1 3.5.10.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

/* Decode a copy of @n bytes that ends where the heap block ends. */
static enum uet_drop pds_decode_exact(const u8 *p, size_t n,
				      struct uet_pds_hdr *hdr, size_t *used)
{
	u8 *copy = malloc(n ? n : 1);
	enum uet_drop why;

	memcpy(copy, p, n);
	why = uet_wire_pds_decode(n ? copy : copy + 1, n, hdr, used);
	free(copy);
	return why;
}

static enum uet_drop pds_decode_hex(const char *hex, struct uet_pds_hdr *hdr)
{
	u8 buf[64];
	size_t n = utest_unhex(hex, buf, sizeof(buf)), used;

	return pds_decode_exact(buf, n, hdr, &used);
}

TEST(pds_decode__request_fields_are_read)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("119812340102030411223344", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.type, UET_TY_RUD_REQ);
	EXPECT_EQ(h.next_hdr, UET_NH_REQ_STD);
	EXPECT_EQ(h.flags, UET_F_RETX | UET_F_AR);
	EXPECT_EQ(h.u.req.clear_off, 0x1234);
	EXPECT_EQ(h.u.req.psn, 0x01020304);
	EXPECT_EQ(h.u.req.spdcid, 0x1122);
	EXPECT_EQ(h.u.req.dpdcid, 0x3344);
}

TEST(pds_decode__request_syn_overloads_dpdcid)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("119412349876543234568876", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.flags, UET_F_RETX | UET_F_SYN);
	EXPECT_EQ(h.u.req.pdc_info, UET_PDC_INFO_RSV);
	EXPECT_EQ(h.u.req.psn_offset, 0x876);
	EXPECT_EQ(h.u.req.dpdcid, 0);
}

TEST(pds_decode__request_cc_state_is_read)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("719012349876543234569abc77887766", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.type, UET_TY_ROD_CC_REQ);
	EXPECT_EQ(h.u.req.dpdcid, 0x9abc);
	EXPECT_EQ(h.u.req.ccc_id, 0x77);
	EXPECT_EQ(h.u.req.credit_target, 0x887766);
}

TEST(pds_decode__ack_nscc_state_is_read)
{
	struct uet_pds_hdr h;
	struct uet_ack *a = &h.u.ack;

	ASSERT_EQ(pds_decode_hex("4020fffe10203040010203040080fff0"
				 "80000000000000011234923456789abc", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.flags, UET_F_M);
	EXPECT_EQ(a->ack_off, -2);
	EXPECT_EQ(a->probe_opaque, 0);
	EXPECT_EQ(a->cack_psn, 0x10203040);
	EXPECT_EQ(a->spdcid, 0x0102);
	EXPECT_EQ(a->dpdcid, 0x0304);
	EXPECT_EQ(a->cc_type, UET_CC_NSCC);
	EXPECT_EQ(a->cc_flags, 0);
	EXPECT_EQ(a->mpr, 0x80);
	EXPECT_EQ(a->sack_off, -16);
	EXPECT_EQ(a->sack_bitmap, 0x8000000000000001ULL);
	EXPECT_EQ(a->state.nscc.service_time, 0x1234);
	EXPECT_TRUE(a->state.nscc.restore_cwnd);
	EXPECT_EQ(a->state.nscc.rcv_cwnd_pend, 0x12);
	EXPECT_EQ(a->state.nscc.rcvd_bytes, 0x345678);
	EXPECT_EQ(a->state.nscc.ooo_count, 0x9abc);
}

TEST(pds_decode__ack_credit_is_read)
{
	struct uet_pds_hdr h;
	struct uet_ack *a = &h.u.ack;

	ASSERT_EQ(pds_decode_hex("423298762468ace03456789a1f879988"
				 "123456789abcdef01234560000008765", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.next_hdr, UET_NH_RSP);
	EXPECT_EQ(h.flags, UET_F_M | UET_F_RETX | UET_F_REQ_CLEAR);
	EXPECT_EQ(a->ack_off, (s16)0x9876);
	EXPECT_EQ(a->cc_type, UET_CC_CREDIT);
	EXPECT_EQ(a->cc_flags, 0xf);
	EXPECT_EQ(a->state.credit.credit, 0x123456);
	EXPECT_EQ(a->state.credit.ooo_count, 0x8765);
}

TEST(pds_decode__ack_unknown_cc_type_keeps_raw_state)
{
	static const u8 state[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0 };
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("4000000010203040010203042000fff0"
				 "00000000000000000102030405060708", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.u.ack.cc_type, 2);
	EXPECT_MEMEQ(h.u.ack.state.raw, state, sizeof(state));
}

TEST(pds_decode__ack_ccx_is_40_bytes)
{
	u8 buf[UET_ACK_CCX_LEN] = { 0x48, 0, 0, 1 };
	struct uet_pds_hdr h;
	size_t used = 0;

	buf[9] = 7;
	buf[12] = 0xe0;
	buf[24] = 0xa5;
	buf[39] = 0x5a;
	ASSERT_EQ(pds_decode_exact(buf, sizeof(buf), &h, &used), UET_DROP_NONE);

	EXPECT_EQ(used, 40);
	EXPECT_EQ(h.u.ack.cc_type, 14);
	EXPECT_EQ(h.u.ack.state.raw[0], 0xa5);
	EXPECT_EQ(h.u.ack.state.raw[15], 0x5a);
}

TEST(pds_decode__ack_probe_overloads_offset)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("3808fffe1020304001020304", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.flags, UET_F_P);
	EXPECT_EQ(h.u.ack.probe_opaque, 0xfffe);
	EXPECT_EQ(h.u.ack.ack_off, 0);
}

TEST(pds_decode__nack_fields_are_read)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("50000d00010203041122334405060708", &h),
		  UET_DROP_NONE);
	EXPECT_EQ(h.type, UET_TY_NACK);
	EXPECT_EQ(h.u.nack.code, UET_NACK_ROD_OOO);
	EXPECT_EQ(h.u.nack.psn, 0x01020304);
	EXPECT_EQ(h.u.nack.spdcid, 0x1122);
	EXPECT_EQ(h.u.nack.dpdcid, 0x3344);
	EXPECT_EQ(h.u.nack.payload, 0x05060708);

	ASSERT_EQ(pds_decode_hex("52381687998877663456789a56789abc", &h),
		  UET_DROP_NONE);
	EXPECT_EQ(h.flags, UET_F_M | UET_F_RETX | UET_F_NT);
	EXPECT_EQ(h.u.nack.code, UET_NACK_PDC_MODE_MISMATCH);
	EXPECT_EQ(h.u.nack.vendor, 0x87);
	EXPECT_EQ(h.u.nack.psn, 0x99887766);
}

TEST(pds_decode__nack_ccx_is_32_bytes)
{
	u8 buf[UET_NACK_CCX_LEN] = { 0x60, 0, UET_NACK_TRIMMED };
	struct uet_pds_hdr h;
	size_t used = 0;

	buf[16] = 0xf1;
	buf[31] = 0x77;
	ASSERT_EQ(pds_decode_exact(buf, sizeof(buf), &h, &used), UET_DROP_NONE);

	EXPECT_EQ(used, 32);
	EXPECT_EQ(h.u.nack.ccx[0], 0xf1);
	EXPECT_EQ(h.u.nack.ccx[15], 0x77);
}

TEST(pds_decode__nack_may_have_any_next_hdr)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("57800d00010203041122334405060708", &h),
		  UET_DROP_NONE);
	EXPECT_EQ(h.next_hdr, 15);
}

TEST(pds_decode__cp_negotiation_mask_is_read)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("5cac12340102030411223344"
				 "0102000000000001", &h), UET_DROP_NONE);

	EXPECT_EQ(h.type, UET_TY_CP);
	EXPECT_EQ(h.next_hdr, UET_CP_NEGOTIATION);
	EXPECT_EQ(h.flags, UET_F_ISROD | UET_F_AR | UET_F_SYN);
	EXPECT_EQ(h.u.cp.probe_opaque, 0x1234);
	EXPECT_EQ(h.u.cp.psn, 0x01020304);
	EXPECT_EQ(h.u.cp.spdcid, 0x1122);
	EXPECT_EQ(h.u.cp.pdc_info, 3);
	EXPECT_EQ(h.u.cp.psn_offset, 0x344);
	EXPECT_EQ(h.u.cp.payload, UET_CP_NEG_ON_OFF);
	EXPECT_EQ(h.u.cp.neg_mask, 1);
}

TEST(pds_decode__cp_close_command_is_read)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("5a08000001020304112233440a0b0c0d", &h),
		  UET_DROP_NONE);

	EXPECT_EQ(h.next_hdr, UET_CP_CLOSE_COMMAND);
	EXPECT_EQ(h.flags, UET_F_AR);
	EXPECT_EQ(h.u.cp.dpdcid, 0x3344);
	EXPECT_EQ(h.u.cp.payload, 0x0a0b0c0d);
}

TEST(pds_decode__cp_short_form_must_end_the_packet)
{
	u8 buf[UET_CP_LEN] = { 0x5a, 0x08, 0, 0, 1, 2, 3, 4, 0x11, 0x22 };
	struct uet_pds_hdr h;
	size_t n, used = 0;

	EXPECT_EQ(pds_decode_exact(buf, 12, &h, &used), UET_DROP_NONE);
	EXPECT_EQ(used, 12);
	EXPECT_EQ(h.u.cp.payload, 0);
	for (n = 13; n < 16; n++)
		EXPECT_EQ(pds_decode_exact(buf, n, &h, &used),
			  UET_DROP_TRUNC_CP);
	EXPECT_EQ(pds_decode_exact(buf, 16, &h, &used), UET_DROP_NONE);
	EXPECT_EQ(used, 16);
}

TEST(pds_decode__cp_syn_only_opens_noop_and_negotiation)
{
	u8 buf[UET_CP_LEN] = { 0 };
	struct uet_pds_hdr h;
	enum uet_drop why;
	size_t used;
	u8 ctl;

	buf[9] = 1;
	for (ctl = 0; ctl <= UET_CP_NEGOTIATION; ctl++) {
		put_unaligned_be16(UET_TY_CP << 11 | ctl << 7 | UET_F_SYN, buf);
		why = pds_decode_exact(buf, sizeof(buf), &h, &used);
		if (ctl == UET_CP_NOOP || ctl == UET_CP_NEGOTIATION)
			EXPECT_EQ(why, UET_DROP_NONE);
		else
			EXPECT_EQ(why, UET_DROP_CP_SYN_ILLEGAL);
	}
}

TEST(pds_decode__rudi_and_uud_fields_are_read)
{
	struct uet_pds_hdr h;

	ASSERT_EQ(pds_decode_hex("21a0000099887766", &h), UET_DROP_NONE);
	EXPECT_EQ(h.type, UET_TY_RUDI_REQ);
	EXPECT_EQ(h.next_hdr, UET_NH_REQ_STD);
	EXPECT_EQ(h.flags, 0);
	EXPECT_EQ(h.u.rudi.pkt_id, 0x99887766);

	ASSERT_EQ(pds_decode_hex("2a20000099887766", &h), UET_DROP_NONE);
	EXPECT_EQ(h.type, UET_TY_RUDI_RESP);
	EXPECT_EQ(h.next_hdr, UET_NH_RSP);
	EXPECT_EQ(h.flags, UET_F_M);

	ASSERT_EQ(pds_decode_hex("317fffff", &h), UET_DROP_NONE);
	EXPECT_EQ(h.type, UET_TY_UUD_REQ);
	EXPECT_EQ(h.next_hdr, UET_NH_REQ_MEDIUM);
	EXPECT_EQ(h.flags, 0);
}

TEST(pds_decode__reserved_flags_read_as_zero)
{
	u8 buf[UET_PDS_MAX_LEN];
	struct uet_pds_hdr h;
	size_t used;
	u8 type;

	for (type = UET_TY_RUD_REQ; type <= UET_TY_ROD_CC_REQ; type++) {
		const struct uet_ty_prop *ty = uet_wire_ty(type);
		u8 nh = (u8)__ffs64(ty->nh_mask);

		memset(buf, 0x11, sizeof(buf));
		put_unaligned_be16(type << 11 | nh << 7 | 0x7f, buf);
		EXPECT_EQ(pds_decode_exact(buf, sizeof(buf), &h, &used),
			  UET_DROP_NONE);
		EXPECT_EQ(h.flags, ty->flags);
	}
}

TEST(pds_decode__reserved_types_are_refused)
{
	u8 buf[UET_PDS_MAX_LEN] = { 0 };
	struct uet_pds_hdr h;
	size_t used;
	u8 type;

	for (type = 0; type < UET_TY_NR; type++) {
		enum uet_drop why;

		if (type >= UET_TY_RUD_REQ && type <= UET_TY_ROD_CC_REQ)
			continue;
		buf[0] = type << 3;
		why = pds_decode_exact(buf, sizeof(buf), &h, &used);
		EXPECT_EQ(why, type == UET_TY_TSS ? UET_DROP_TSS_INSIDE :
						    UET_DROP_BAD_TYPE);
	}
}

/* Every type with every next_hdr against UE 1.0.1 Table 3-16, spelled out. */
TEST(pds_decode__next_hdr_must_fit_the_type)
{
	static const u16 legal[UET_TY_NR] = {
		[UET_TY_RUD_REQ] = 0x6e, [UET_TY_ROD_REQ] = 0x6e,
		[UET_TY_RUD_CC_REQ] = 0x6e, [UET_TY_ROD_CC_REQ] = 0x6e,
		[UET_TY_RUDI_REQ] = 0x0e, [UET_TY_RUDI_RESP] = 0x70,
		[UET_TY_UUD_REQ] = 0x0e, [UET_TY_ACK] = 0x71,
		[UET_TY_ACK_CC] = 0x71, [UET_TY_ACK_CCX] = 0x71,
		[UET_TY_NACK] = 0xffff, [UET_TY_NACK_CCX] = 0xffff,
		[UET_TY_CP] = 0x03ff,
	};
	u8 buf[UET_PDS_MAX_LEN], type, nh;
	enum uet_drop want;
	struct uet_pds_hdr h;
	size_t used;

	memset(buf, 0x11, sizeof(buf));
	for (type = UET_TY_RUD_REQ; type <= UET_TY_ROD_CC_REQ; type++) {
		for (nh = 0; nh < UET_NH_NR; nh++) {
			put_unaligned_be16(type << 11 | nh << 7, buf);
			want = UET_DROP_ILLEGAL_NEXT_HDR;
			if (legal[type] >> nh & 1)
				want = UET_DROP_NONE;
			else if (type == UET_TY_CP)
				want = UET_DROP_RESERVED_CTL_TYPE;
			else if (nh > UET_NH_RSP_DATA_SMALL)
				want = UET_DROP_RESERVED_NEXT_HDR;
			EXPECT_EQ(pds_decode_exact(buf, sizeof(buf), &h, &used),
				  want);
		}
	}
}

TEST(pds_decode__source_pdcid_zero_is_refused)
{
	struct uet_pds_hdr h;

	EXPECT_EQ(pds_decode_hex("119812340102030400003344", &h),
		  UET_DROP_PDCID_ZERO);
	EXPECT_EQ(pds_decode_hex("380000021020304000000304", &h),
		  UET_DROP_PDCID_ZERO);
	EXPECT_EQ(pds_decode_hex("5a08000001020304000033440a0b0c0d", &h),
		  UET_DROP_PDCID_ZERO);
	EXPECT_EQ(pds_decode_hex("50000400010203040000334405060708", &h),
		  UET_DROP_NONE);
}

TEST(pds_decode__every_truncation_is_named)
{
	u8 buf[UET_PDS_MAX_LEN], type;
	struct uet_pds_hdr h;
	size_t n;

	memset(buf, 0x11, sizeof(buf));
	for (type = UET_TY_RUD_REQ; type <= UET_TY_ROD_CC_REQ; type++) {
		const struct uet_ty_prop *ty = uet_wire_ty(type);

		put_unaligned_be16(type << 11 | __ffs64(ty->nh_mask) << 7, buf);
		for (n = 0; n < ty->len; n++) {
			size_t used = 99;
			enum uet_drop why;

			if (type == UET_TY_CP && n == UET_CP_SHORT_LEN)
				continue;
			why = pds_decode_exact(buf, n, &h, &used);
			EXPECT_EQ(why, n < 2 ? UET_DROP_TRUNC_PROLOGUE :
					       ty->truncated);
			EXPECT_EQ(used, 99);
		}
	}
}

TEST(pds_decode__truncated_negotiation_mask_is_refused)
{
	u8 buf[20];
	struct uet_pds_hdr h;
	size_t n, used;

	utest_unhex("5cac123401020304112233440102000000000001", buf, 20);
	for (n = 16; n < 20; n++)
		EXPECT_EQ(pds_decode_exact(buf, n, &h, &used),
			  UET_DROP_TRUNC_CP_NEG);
}

static void pds_rand_ack(struct uet_pds_hdr *h)
{
	struct uet_ack *a = &h->u.ack;

	if (h->flags & UET_F_P)
		a->probe_opaque = (u16)utest_rand();
	else
		a->ack_off = (s16)utest_rand();
	a->cack_psn = (u32)utest_rand();
	a->spdcid = (u16)utest_rand() | 1;
	a->dpdcid = (u16)utest_rand();
	if (h->type == UET_TY_ACK)
		return;
	a->cc_type = utest_rand() & (utest_rand() & 1 ? 1 : 15);
	a->cc_flags = utest_rand() & 15;
	a->mpr = (u8)utest_rand();
	a->sack_off = (s16)utest_rand();
	a->sack_bitmap = utest_rand();
	if (h->type == UET_TY_ACK_CCX) {
		utest_rand_fill(a->state.raw, 16);
	} else if (a->cc_type == UET_CC_NSCC) {
		a->state.nscc.service_time = (u16)utest_rand();
		a->state.nscc.restore_cwnd = utest_rand() & 1;
		a->state.nscc.rcv_cwnd_pend = utest_rand() & 127;
		a->state.nscc.rcvd_bytes = utest_rand() & 0xffffff;
		a->state.nscc.ooo_count = (u16)utest_rand();
	} else if (a->cc_type == UET_CC_CREDIT) {
		a->state.credit.credit = utest_rand() & 0xffffff;
		a->state.credit.ooo_count = (u16)utest_rand();
	} else {
		utest_rand_fill(a->state.raw, 8);
	}
}

static void pds_rand_req(struct uet_pds_hdr *h)
{
	struct uet_req *r = &h->u.req;

	r->clear_off = (s16)utest_rand();
	r->psn = (u32)utest_rand();
	r->spdcid = (u16)utest_rand() | 1;
	if (h->flags & UET_F_SYN) {
		r->pdc_info = utest_rand() & 15;
		r->psn_offset = utest_rand() & 0xfff;
	} else {
		r->dpdcid = (u16)utest_rand();
	}
	if (uet_wire_ty(h->type)->has_cc) {
		r->ccc_id = (u8)utest_rand();
		r->credit_target = utest_rand() & 0xffffff;
	}
}

static void pds_rand_cp(struct uet_pds_hdr *h)
{
	struct uet_cp *c = &h->u.cp;

	if (!uet_wire_ctl(h->next_hdr)->may_syn)
		h->flags &= ~UET_F_SYN;
	c->probe_opaque = (u16)utest_rand();
	c->psn = (u32)utest_rand();
	c->spdcid = (u16)utest_rand() | 1;
	if (h->flags & UET_F_SYN) {
		c->pdc_info = utest_rand() & 15;
		c->psn_offset = utest_rand() & 0xfff;
	} else {
		c->dpdcid = (u16)utest_rand();
	}
	c->payload = (u32)utest_rand();
	if (h->next_hdr == UET_CP_NEGOTIATION && utest_rand() & 1) {
		c->payload = UET_CP_NEG_ON_OFF | (c->payload & 0xffff);
		c->neg_mask = (u32)utest_rand();
	}
}

static void pds_rand_nack(struct uet_pds_hdr *h)
{
	struct uet_nack *n = &h->u.nack;

	n->code = (u8)utest_rand();
	n->vendor = (u8)utest_rand();
	n->psn = (u32)utest_rand();
	n->spdcid = (u16)utest_rand();
	n->dpdcid = (u16)utest_rand();
	n->payload = (u32)utest_rand();
	if (h->type == UET_TY_NACK_CCX)
		utest_rand_fill(n->ccx, sizeof(n->ccx));
}

/* A header with random values in exactly the fields its form has. */
static void pds_rand(struct uet_pds_hdr *h)
{
	const struct uet_ty_prop *ty;

	memset(h, 0, sizeof(*h));
	h->type = UET_TY_RUD_REQ + utest_rand() % 13;
	ty = uet_wire_ty(h->type);
	do {
		h->next_hdr = utest_rand() & 15;
	} while (!(ty->nh_mask >> h->next_hdr & 1));
	h->flags = utest_rand() & ty->flags;
	switch (ty->kind) {
	case UET_TK_REQ:
		pds_rand_req(h);
		break;
	case UET_TK_ACK:
		pds_rand_ack(h);
		break;
	case UET_TK_NACK:
		pds_rand_nack(h);
		break;
	case UET_TK_CP:
		pds_rand_cp(h);
		break;
	case UET_TK_RUDI:
		h->u.rudi.pkt_id = (u32)utest_rand();
		break;
	}
}

TEST(pds_encode__decodes_to_the_same_header)
{
	struct uet_pds_hdr h, back;
	u8 buf[UET_PDS_MAX_LEN];
	size_t n, used;
	int i;

	for (i = 0; i < 50000; i++) {
		pds_rand(&h);
		memset(buf, 0xff, sizeof(buf));
		n = uet_wire_pds_encode(&h, buf, sizeof(buf));
		ASSERT_TRUE(n >= uet_wire_ty(h.type)->len);
		ASSERT_EQ(pds_decode_exact(buf, n, &back, &used),
			  UET_DROP_NONE);
		ASSERT_EQ(used, n);
		ASSERT_TRUE(!memcmp(&h, &back, sizeof(h)));
	}
}

TEST(pds_encode__needs_space)
{
	struct uet_pds_hdr h;
	u8 buf[UET_PDS_MAX_LEN];
	size_t n, space;
	u8 *tight;
	int i;

	for (i = 0; i < 300; i++) {
		pds_rand(&h);
		n = uet_wire_pds_encode(&h, buf, sizeof(buf));
		for (space = 0; space <= n; space++) {
			tight = malloc(space ? space : 1);
			ASSERT_EQ(uet_wire_pds_encode(&h, tight, space),
				  space == n ? n : 0);
			free(tight);
		}
	}
}

TEST(pds_encode__refuses_values_that_do_not_fit)
{
	const struct uet_pds_hdr req = {
		.type = UET_TY_RUD_CC_REQ, .next_hdr = UET_NH_REQ_STD,
		.flags = UET_F_SYN, .u.req.spdcid = 1,
	};
	const struct uet_pds_hdr ack = {
		.type = UET_TY_ACK_CC, .u.ack.spdcid = 1,
	};
	const struct uet_pds_hdr cp = {
		.type = UET_TY_CP, .flags = UET_F_SYN, .u.cp.spdcid = 1,
	};
	u8 buf[UET_PDS_MAX_LEN];
	struct uet_pds_hdr h;

#define REFUSED(base, field, value) \
	(h = (base), h.field = (value), \
	 EXPECT_EQ(uet_wire_pds_encode(&h, buf, sizeof(buf)), 0))
	EXPECT_EQ(uet_wire_pds_encode(&req, buf, sizeof(buf)), UET_REQ_CC_LEN);
	REFUSED(req, type, 0);
	REFUSED(req, type, UET_TY_TSS);
	REFUSED(req, type, 15);
	REFUSED(req, type, 255);
	REFUSED(req, next_hdr, UET_NH_NONE);
	REFUSED(req, next_hdr, UET_NH_RSP);
	REFUSED(req, next_hdr, 16);
	REFUSED(req, flags, UET_F_M);
	REFUSED(req, flags, 0x80);
	REFUSED(req, u.req.spdcid, 0);
	REFUSED(req, u.req.pdc_info, 0x10);
	REFUSED(req, u.req.psn_offset, 0x1000);
	REFUSED(req, u.req.credit_target, 0x1000000);

	EXPECT_EQ(uet_wire_pds_encode(&ack, buf, sizeof(buf)), UET_ACK_CC_LEN);
	REFUSED(ack, u.ack.spdcid, 0);
	REFUSED(ack, u.ack.cc_type, 16);
	REFUSED(ack, u.ack.cc_flags, 16);
	REFUSED(ack, u.ack.state.nscc.rcv_cwnd_pend, 128);
	REFUSED(ack, u.ack.state.nscc.rcvd_bytes, 0x1000000);
	h = ack;
	h.u.ack.cc_type = UET_CC_CREDIT;
	REFUSED(h, u.ack.state.credit.credit, 0x1000000);

	EXPECT_EQ(uet_wire_pds_encode(&cp, buf, sizeof(buf)), UET_CP_LEN);
	REFUSED(cp, u.cp.spdcid, 0);
	REFUSED(cp, u.cp.pdc_info, 0x10);
	REFUSED(cp, u.cp.psn_offset, 0x1000);
	REFUSED(cp, next_hdr, UET_CP_PROBE);
	REFUSED(cp, next_hdr, UET_CP_NEGOTIATION + 1);
#undef REFUSED
}

TEST(pds_decode__random_bytes_turn_stable)
{
	struct uet_pds_hdr a, b;
	u8 in[48], out[UET_PDS_MAX_LEN];
	unsigned int taken = 0;
	size_t n, used;
	int i;

	for (i = 0; i < 50000; i++) {
		n = utest_rand() % sizeof(in);
		utest_rand_fill(in, sizeof(in));
		if (pds_decode_exact(in, n, &a, &used))
			continue;
		taken++;
		ASSERT_TRUE(used <= n);
		n = uet_wire_pds_encode(&a, out, sizeof(out));
		ASSERT_TRUE(n > 0);
		ASSERT_EQ(pds_decode_exact(out, n, &b, &used), UET_DROP_NONE);
		ASSERT_TRUE(!memcmp(&a, &b, sizeof(a)));
	}
	EXPECT_GT(taken, 1000);
}
