// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the core against the tables of the model (tools/model/spec.h), which are
 * typed from the specification alone: every packet type, control type, NACK code and
 * response opcode, the reserved ones included.  fuzz_pdc_model compares the reactions.
 *
 * Spec: UE 1.0.1 3.4.3.3, 3.5.10, 3.5.16, Tables 3-18, 3-32, 3-58, 3-66.  Level: test.
 */
#include "../../../tools/model/spec.h"
#include "pdctest.h"

TEST(types__have_the_names_lengths_and_flags_of_the_specification)
{
	int i;

	for (i = 0; i < 32; i++) {
		const struct uet_ty_prop *core = uet_wire_ty((u8)i);
		const struct spec_type *spec = &spec_types[i];

		EXPECT_EQ(core->kind != UET_TK_ILLEGAL, spec->name != NULL);
		EXPECT_EQ(core->len, spec->len);
		EXPECT_EQ(core->flags, spec->flags);
		if (spec->name)
			EXPECT_STREQ(core->name, spec->name);
	}
}

TEST(controls__have_the_names_and_rules_of_the_specification)
{
	int i;

	for (i = 0; i < 16; i++) {
		const struct uet_ctl_prop *core = uet_wire_ctl((u8)i);
		const struct spec_ctl *spec = &spec_ctls[i];

		EXPECT_EQ(core->is_legal, spec->name != NULL);
		EXPECT_EQ(core->may_syn, spec->syn);
		EXPECT_EQ(core->takes_psn, spec_takes_psn((u8)i));
		if (spec->name)
			EXPECT_STREQ(core->name, spec->name);
	}
}

TEST(nacks__have_the_names_and_classes_of_the_specification)
{
	static const u8 class[] = {
		[SPEC_RESERVED] = UET_NC_ILLEGAL,
		[SPEC_NORMAL] = UET_NC_NORMAL,
		[SPEC_PDC_ERR] = UET_NC_PDC_ERR,
		[SPEC_PDC_FATAL] = UET_NC_PDC_FATAL,
	};
	int i;

	for (i = 0; i < 256; i++) {
		const struct uet_nack_prop *core = uet_wire_nack((u8)i);
		const struct spec_nack *spec = &spec_nacks[i];

		EXPECT_EQ(core->class, class[spec->class]);
		if (spec->name)
			EXPECT_STREQ(core->name, spec->name);
	}
}

TEST(responses__are_stored_as_the_specification_says)
{
	int i;

	for (i = 0; i < 64; i++)
		EXPECT_EQ(uet_pdc_rsp_is_gtd((u8)i), spec_is_gtd((u8)i));
	for (i = 0; i < 64; i++)
		if (spec_rsps[i].name)
			EXPECT_EQ(spec_is_gtd((u8)i), spec_rsps[i].is_gtd);
}
