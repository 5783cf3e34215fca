// SPDX-License-Identifier: GPL-2.0
/*
 * The property tables: every code from 0 to 255 has a row with a name, rows of
 * reserved codes are illegal in every respect, and drop texts are unique.
 * Spec: UE 1.0.1 Tables 3-16, 3-17, 3-32, 3-38, 3-58.  Level: test of core L1.
 */
#include "core/wire/wire.h"
#include "utest.h"

TEST(drop__names_are_unique_kebab_case)
{
	int i, j;

	EXPECT_STREQ(uet_drop_name(UET_DROP_NONE), "not-dropped");
	EXPECT_EQ(UET_DROP_NONE, 0);
	for (i = 0; i < UET_DROP_NR; i++) {
		const char *name = uet_drop_name(i);

		ASSERT_TRUE(name && *name);
		EXPECT_EQ(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
			  strlen(name));
		for (j = 0; j < i; j++)
			EXPECT_NE(strcmp(name, uet_drop_name(j)), 0);
	}
}

TEST(drop__out_of_range_is_unknown)
{
	EXPECT_STREQ(uet_drop_name(UET_DROP_NR), "unknown");
	EXPECT_STREQ(uet_drop_name((enum uet_drop)-1), "unknown");
}

TEST(ty__types_have_their_lengths)
{
	static const u8 len[] = {
		[UET_TY_RUD_REQ] = 12, [UET_TY_ROD_REQ] = 12,
		[UET_TY_RUDI_REQ] = 8, [UET_TY_RUDI_RESP] = 8,
		[UET_TY_UUD_REQ] = 4, [UET_TY_ACK] = 12,
		[UET_TY_ACK_CC] = 32, [UET_TY_ACK_CCX] = 40,
		[UET_TY_NACK] = 16, [UET_TY_CP] = 16,
		[UET_TY_NACK_CCX] = 32, [UET_TY_RUD_CC_REQ] = 16,
		[UET_TY_ROD_CC_REQ] = 16,
	};
	int i;

	for (i = 0; i < 256; i++) {
		const struct uet_ty_prop *ty = uet_wire_ty((u8)i);
		u8 want = (size_t)i < sizeof(len) ? len[i] : 0;

		EXPECT_TRUE(ty->name && *ty->name);
		EXPECT_EQ(ty->len, want);
		EXPECT_EQ(ty->kind == UET_TK_ILLEGAL, !want);
		EXPECT_EQ(ty->nh_mask != 0, want != 0);
		EXPECT_EQ(ty->truncated != UET_DROP_NONE, want != 0);
	}
	EXPECT_TRUE(uet_wire_ty(UET_TY_ROD_CC_REQ)->is_rod);
	EXPECT_FALSE(uet_wire_ty(UET_TY_RUD_CC_REQ)->is_rod);
}

TEST(nh__next_hdrs_have_their_lengths)
{
	static const u8 len[] = { 0, 20, 32, 44, 12, 20, 12 };
	int i;

	for (i = 0; i < 256; i++) {
		const struct uet_nh_prop *nh = uet_wire_nh((u8)i);

		EXPECT_TRUE(nh->name && *nh->name);
		EXPECT_EQ(nh->len, (size_t)i < sizeof(len) ? len[i] : 0);
		EXPECT_EQ(nh->kind == UET_NK_ILLEGAL,
			  i > UET_NH_RSP_DATA_SMALL);
	}
	EXPECT_EQ(uet_wire_nh(UET_NH_NONE)->kind, UET_NK_NONE);
}

TEST(ctl__only_ten_are_legal)
{
	int i;

	for (i = 0; i < 256; i++) {
		const struct uet_ctl_prop *ctl = uet_wire_ctl((u8)i);

		EXPECT_TRUE(ctl->name && *ctl->name);
		EXPECT_EQ(ctl->is_legal, i <= UET_CP_NEGOTIATION);
		EXPECT_TRUE(ctl->is_legal || !(ctl->may_syn || ctl->takes_psn ||
					       ctl->wants_ack));
	}
	EXPECT_TRUE(uet_wire_ctl(UET_CP_CLOSE_COMMAND)->takes_psn);
	EXPECT_FALSE(uet_wire_ctl(UET_CP_PROBE)->takes_psn);
	EXPECT_FALSE(uet_wire_ctl(UET_CP_CREDIT)->wants_ack);
}

TEST(op__only_sixteen_are_legal)
{
	int i;

	for (i = 0; i < 256; i++) {
		const struct uet_op_prop *op = uet_wire_op((u8)i);

		EXPECT_TRUE(op->name && *op->name);
		EXPECT_EQ(op->forms != 0, i <= UET_OP_MSG_ERROR);
		EXPECT_TRUE(op->forms || !(op->flags || op->ext));
	}
	EXPECT_STREQ(uet_wire_op(0x2f)->name, "reserved");
	EXPECT_STREQ(uet_wire_op(0x30)->name, "vendor");
	EXPECT_STREQ(uet_wire_op(0x3e)->name, "vendor");
	EXPECT_STREQ(uet_wire_op(0x3f)->name, "extended");
}

TEST(nack__codes_have_class_and_reaction)
{
	static const struct {
		u8 code, class, syn_sent, open, rudi;
	} tab[] = {
#define ROW(code, class, syn_sent, open, rudi)				\
	{ UET_NACK_##code, UET_NC_##class, UET_NA_##syn_sent,		\
	  UET_NA_##open, UET_NA_##rudi }
		ROW(TRIMMED, NORMAL, RESEND, RESEND, RESEND),
		ROW(TRIMMED_ACK, NORMAL, IGNORE, IGNORE, IGNORE),
		ROW(NO_PDC_AVAIL, NORMAL, REOPEN, IGNORE, PAUSE),
		ROW(NO_BITMAP, NORMAL, REOPEN, IGNORE, PAUSE),
		ROW(NO_RESOURCE, NORMAL, PAUSE, PAUSE, PAUSE),
		ROW(PSN_OOR_WINDOW, NORMAL, PAUSE, PAUSE, PAUSE),
		ROW(ROD_OOO, NORMAL, RESEND, RESEND, RESEND),
		ROW(INV_DPDCID, PDC_FATAL, FATAL, RETRY, FATAL),
		ROW(PDC_HDR_MISMATCH, PDC_FATAL, FATAL, RETRY, FATAL),
		ROW(CLOSING, PDC_FATAL, FATAL, RETRY, FATAL),
		ROW(CLOSING_IN_ERR, PDC_FATAL, FATAL, FATAL, FATAL),
		ROW(INVALID_SYN, PDC_ERR, REOPEN, IGNORE, RESEND),
		ROW(PDC_MODE_MISMATCH, PDC_FATAL, FATAL, FATAL, FATAL),
		ROW(NEW_START_PSN, NORMAL, RESTART, UNKNOWN, UNKNOWN),
		ROW(RCVD_SES_PROCG, NORMAL, ALIVE, ALIVE, IGNORE),
		ROW(UNEXP_EVENT, PDC_FATAL, FATAL, FATAL, FATAL),
		ROW(EXP_NACK_NORMAL, NORMAL, RESEND, RESEND, RESEND),
		ROW(EXP_NACK_ERR, PDC_ERR, RESEND, RESEND, RESEND),
		ROW(EXP_NACK_FATAL, PDC_FATAL, FATAL, FATAL, FATAL),
#undef ROW
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tab); i++) {
		const struct uet_nack_prop *p = uet_wire_nack(tab[i].code);

		EXPECT_EQ(p->class, tab[i].class);
		EXPECT_EQ(p->syn_sent, tab[i].syn_sent);
		EXPECT_EQ(p->open, tab[i].open);
		EXPECT_EQ(p->rod, tab[i].code == UET_NACK_ROD_OOO ?
				  UET_NA_GO_BACK : UET_NA_AS_RUD);
		EXPECT_EQ(p->rudi, tab[i].rudi);
	}
}

TEST(nack__reserved_codes_are_ignored)
{
	int i;

	for (i = 0; i < 256; i++) {
		const struct uet_nack_prop *p = uet_wire_nack((u8)i);
		bool reserved = !i || i == 0x0c ||
				(i > UET_NACK_RCVR_INFER_LOSS &&
				 i < UET_NACK_EXP_NACK_NORMAL);

		EXPECT_TRUE(p->name && *p->name);
		EXPECT_EQ(p->class == UET_NC_ILLEGAL, reserved);
		EXPECT_TRUE(!reserved || !(p->syn_sent | p->open | p->rod |
					   p->rudi));
	}
}
