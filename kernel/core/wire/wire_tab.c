// SPDX-License-Identifier: GPL-2.0
/*
 * The tables behind wire_tab.h, with designated initialisers only.  Every reserved code has an
 * explicit row: a missing row would read as zeroes, and zeroes must never mean legal.
 * Decoders, state machines, trace symbols and tools read these rows.
 *
 * Spec: UE 1.0.1 Tables 3-16 to 3-18, 3-32, 3-38, 3-58.  Level: core L1.
 */
#include "wire.h"

#define TAB_RSVD { .name = "reserved" }

/* Bits per enum uet_nh. */
#define TAB_NH_REQ	(BIT(UET_NH_REQ_SMALL) | BIT(UET_NH_REQ_MEDIUM) | \
			 BIT(UET_NH_REQ_STD))
#define TAB_NH_DATA	(BIT(UET_NH_RSP_DATA) | BIT(UET_NH_RSP_DATA_SMALL))
#define TAB_NH_RSP	(BIT(UET_NH_RSP) | TAB_NH_DATA)
#define TAB_NH_FWD	(TAB_NH_REQ | TAB_NH_DATA)
#define TAB_NH_ACK	(BIT(UET_NH_NONE) | TAB_NH_RSP)
#define TAB_NH_ANY	U16_MAX

#define TAB_F_REQ	(UET_F_RETX | UET_F_AR | UET_F_SYN)
#define TAB_F_ACK	(UET_F_M | UET_F_RETX | UET_F_P | UET_F_REQ_MASK)
#define TAB_F_NACK	(UET_F_M | UET_F_RETX | UET_F_NT)
#define TAB_F_CP	(UET_F_ISROD | UET_F_RETX | UET_F_AR | UET_F_SYN)

#define TAB_REQ(nm, ln, rod, cc, why) {					\
	.name = nm, .kind = UET_TK_REQ, .len = ln, .flags = TAB_F_REQ,	\
	.nh_mask = TAB_NH_FWD, .is_rod = rod, .has_cc = cc,		\
	.truncated = UET_DROP_##why }
#define TAB_ACK(nm, ln, cc, why) {					\
	.name = nm, .kind = UET_TK_ACK, .len = ln, .flags = TAB_F_ACK,	\
	.nh_mask = TAB_NH_ACK, .has_cc = cc, .truncated = UET_DROP_##why }
#define TAB_NACK(nm, ln, cc, why) {					\
	.name = nm, .kind = UET_TK_NACK, .len = ln, .flags = TAB_F_NACK, \
	.nh_mask = TAB_NH_ANY, .has_cc = cc, .truncated = UET_DROP_##why }
#define TAB_RUDI(nm, fl, nhs) {						\
	.name = nm, .kind = UET_TK_RUDI, .len = UET_RUDI_LEN,		\
	.flags = fl, .nh_mask = nhs, .truncated = UET_DROP_TRUNC_RUDI }

/* UE 1.0.1 Table 3-32; for CP the mask holds ctl types, not SES headers. */
static const struct uet_ty_prop tab_ty[UET_TY_NR] = {
	[0] = TAB_RSVD,
	[UET_TY_TSS] = { .name = "TSS" },
	[UET_TY_RUD_REQ] =
		TAB_REQ("RUD_REQ", UET_REQ_LEN, false, false, TRUNC_REQ),
	[UET_TY_ROD_REQ] =
		TAB_REQ("ROD_REQ", UET_REQ_LEN, true, false, TRUNC_REQ),
	[UET_TY_RUDI_REQ] = TAB_RUDI("RUDI_REQ", UET_F_RETX, TAB_NH_REQ),
	[UET_TY_RUDI_RESP] =
		TAB_RUDI("RUDI_RESP", UET_F_M | UET_F_RETX, TAB_NH_RSP),
	[UET_TY_UUD_REQ] = {
		.name = "UUD_REQ", .kind = UET_TK_UUD, .len = UET_UUD_LEN,
		.nh_mask = TAB_NH_REQ, .truncated = UET_DROP_TRUNC_UUD },
	[UET_TY_ACK] = TAB_ACK("ACK", UET_ACK_LEN, false, TRUNC_ACK),
	[UET_TY_ACK_CC] =
		TAB_ACK("ACK_CC", UET_ACK_CC_LEN, true, TRUNC_ACK_CC),
	[UET_TY_ACK_CCX] =
		TAB_ACK("ACK_CCX", UET_ACK_CCX_LEN, true, TRUNC_ACK_CCX),
	[UET_TY_NACK] = TAB_NACK("NACK", UET_NACK_LEN, false, TRUNC_NACK),
	[UET_TY_CP] = {
		.name = "CP", .kind = UET_TK_CP, .len = UET_CP_LEN,
		.flags = TAB_F_CP, .nh_mask = BIT(UET_CP_NEGOTIATION + 1) - 1,
		.truncated = UET_DROP_TRUNC_CP },
	[UET_TY_NACK_CCX] =
		TAB_NACK("NACK_CCX", UET_NACK_CCX_LEN, true, TRUNC_NACK_CCX),
	[UET_TY_RUD_CC_REQ] = TAB_REQ("RUD_CC_REQ", UET_REQ_CC_LEN, false, true,
				      TRUNC_REQ_CC),
	[UET_TY_ROD_CC_REQ] = TAB_REQ("ROD_CC_REQ", UET_REQ_CC_LEN, true, true,
				      TRUNC_REQ_CC),
	[UET_TY_ROD_CC_REQ + 1 ... UET_TY_NR - 1] = TAB_RSVD,
};

/* UE 1.0.1 Table 3-16. */
static const struct uet_nh_prop tab_nh[UET_NH_NR] = {
	[UET_NH_NONE] = { .name = "NONE", .kind = UET_NK_NONE },
	[UET_NH_REQ_SMALL] = {
		.name = "REQUEST_SMALL", .kind = UET_NK_REQ,
		.form = UET_SES_SMALL, .len = UET_SES_SMALL_LEN,
		.truncated = UET_DROP_TRUNC_SES_SMALL },
	[UET_NH_REQ_MEDIUM] = {
		.name = "REQUEST_MEDIUM", .kind = UET_NK_REQ,
		.form = UET_SES_MEDIUM, .len = UET_SES_MEDIUM_LEN,
		.truncated = UET_DROP_TRUNC_SES_MEDIUM },
	[UET_NH_REQ_STD] = {
		.name = "REQUEST_STD", .kind = UET_NK_REQ,
		.form = UET_SES_STD, .len = UET_SES_STD_LEN,
		.truncated = UET_DROP_TRUNC_SES_STD },
	[UET_NH_RSP] = {
		.name = "RESPONSE", .kind = UET_NK_RSP,
		.form = UET_RSP_FORM_PLAIN, .len = UET_SES_RSP_LEN,
		.truncated = UET_DROP_TRUNC_SES_RSP },
	[UET_NH_RSP_DATA] = {
		.name = "RESPONSE_DATA", .kind = UET_NK_RSP,
		.form = UET_RSP_FORM_DATA, .len = UET_SES_RSP_DATA_LEN,
		.truncated = UET_DROP_TRUNC_SES_RSP_DATA },
	[UET_NH_RSP_DATA_SMALL] = {
		.name = "RESPONSE_DATA_SMALL", .kind = UET_NK_RSP,
		.form = UET_RSP_FORM_SMALL, .len = UET_SES_RSP_SMALL_LEN,
		.truncated = UET_DROP_TRUNC_SES_RSP_SMALL },
	[UET_NH_RSP_DATA_SMALL + 1 ... UET_NH_NR - 1] = TAB_RSVD,
};

#define TAB_CTL(nm, syn, psn, ack) {					\
	.name = nm, .is_legal = true, .may_syn = syn, .takes_psn = psn,	\
	.wants_ack = ack }

/* UE 1.0.1 Tables 3-38 and 3-66. */
static const struct uet_ctl_prop tab_ctl[UET_CP_NR] = {
	[UET_CP_NOOP] = TAB_CTL("NOOP", true, true, true),
	[UET_CP_ACK_REQUEST] = TAB_CTL("ACK_REQUEST", false, false, true),
	[UET_CP_CLEAR_COMMAND] = TAB_CTL("CLEAR_COMMAND", false, false, false),
	[UET_CP_CLEAR_REQUEST] = TAB_CTL("CLEAR_REQUEST", false, false, false),
	[UET_CP_CLOSE_COMMAND] = TAB_CTL("CLOSE_COMMAND", false, true, true),
	[UET_CP_CLOSE_REQUEST] = TAB_CTL("CLOSE_REQUEST", false, true, true),
	[UET_CP_PROBE] = TAB_CTL("PROBE", false, false, true),
	[UET_CP_CREDIT] = TAB_CTL("CREDIT", false, false, false),
	[UET_CP_CREDIT_REQUEST] =
		TAB_CTL("CREDIT_REQUEST", false, false, false),
	[UET_CP_NEGOTIATION] = TAB_CTL("NEGOTIATION", true, true, true),
	[UET_CP_NEGOTIATION + 1 ... UET_CP_NR - 1] = TAB_RSVD,
};

#define TAB_STD		(BIT(UET_SES_STD) | BIT(UET_SES_STD_NOSOM))
#define TAB_STD_MED	(TAB_STD | BIT(UET_SES_MEDIUM))
#define TAB_ALL		(TAB_STD_MED | BIT(UET_SES_SMALL))
#define TAB_DEFER	BIT(UET_SES_DEFER)
#define TAB_RTR		BIT(UET_SES_RTR)

/* UE 1.0.1 Table 3-17. */
static const struct uet_op_prop tab_op[UET_OP_NR] = {
#define UET_OPCODE(nm, code, fm, ex, fl)				\
	[code] = {							\
		.name = #nm, .forms = TAB_##fm, .ext = UET_EXT_##ex,	\
		.flags = (fl),						\
	},
#include "core/opcode.def"
#undef UET_OPCODE
	[UET_OP_MSG_ERROR + 1 ... UET_OP_VENDOR_FIRST - 1] = TAB_RSVD,
	[UET_OP_VENDOR_FIRST ... UET_OP_EXTENDED - 1] = { .name = "vendor" },
	[UET_OP_EXTENDED] = { .name = "extended" },
};

/* Index of a code: the experimental codes at the top of the range come first. */
#define TAB_NACK_AT(code)	(((code) + 3) & 0xff)

/* UE 1.0.1 Tables 3-58 and 3-59. */
static const struct uet_nack_prop tab_nack[] = {
#define UET_NACK(nm, code, cl, on_syn_sent, on_open, on_rod, on_rudi)	\
	[TAB_NACK_AT(code)] = {						\
		.name = #nm, .class = UET_NC_##cl,			\
		.syn_sent = UET_NA_##on_syn_sent,			\
		.open = UET_NA_##on_open, .rod = UET_NA_##on_rod,	\
		.rudi = UET_NA_##on_rudi,				\
	},
#include "core/nack.def"
#undef UET_NACK
};

static const struct uet_nack_prop tab_nack_rsvd = TAB_RSVD;

static const char * const tab_drop[UET_DROP_NR] = {
#define UET_DROP(name, text, doc) [UET_DROP_##name] = text,
#include "core/drop.def"
#undef UET_DROP
};

/*
 * uet_drop_name() - short text of a drop reason, such as "bad-type"; "unknown" for any other
 */
const char *uet_drop_name(enum uet_drop why)
{
	return (unsigned int)why < UET_DROP_NR ? tab_drop[why] : "unknown";
}

/*
 * uet_wire_ty() - facts about a packet type; UET_TK_ILLEGAL: no PDS packet (UE 1.0.1 Table 3-32)
 */
const struct uet_ty_prop *uet_wire_ty(u8 type)
{
	return &tab_ty[type < UET_TY_NR ? type : 0];
}

/*
 * uet_wire_nh() - facts about a next_hdr; UET_NK_ILLEGAL: reserved (UE 1.0.1 Table 3-16)
 */
const struct uet_nh_prop *uet_wire_nh(u8 next_hdr)
{
	return &tab_nh[next_hdr < UET_NH_NR ? next_hdr : UET_NH_NR - 1];
}

/*
 * uet_wire_ctl() - facts about a control packet type (UE 1.0.1 Table 3-38); not is_legal: reserved
 */
const struct uet_ctl_prop *uet_wire_ctl(u8 ctl_type)
{
	return &tab_ctl[ctl_type < UET_CP_NR ? ctl_type : UET_CP_NR - 1];
}

/*
 * uet_wire_op() - facts about a SES opcode (UE 1.0.1 Table 3-17); no forms: not to be received
 */
const struct uet_op_prop *uet_wire_op(u8 opcode)
{
	return &tab_op[opcode < UET_OP_NR ? opcode : UET_OP_EXTENDED];
}

/*
 * uet_wire_nack() - facts about any NACK code; UET_NC_ILLEGAL: reserved (UE 1.0.1 Table 3-58)
 */
const struct uet_nack_prop *uet_wire_nack(u8 code)
{
	u8 at = TAB_NACK_AT(code);

	if (at >= ARRAY_SIZE(tab_nack) || !tab_nack[at].name)
		return &tab_nack_rsvd;
	return &tab_nack[at];
}
