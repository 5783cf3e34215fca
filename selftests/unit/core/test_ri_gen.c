// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of ses_rx.c: which generation may begin a message when, and what follows
 * when an index is disabled and enabled.  Level: test.
 */
#include "core/ses/ses.h"
#include "utest.h"

TEST(ri_gen__without_generations_all_is_accepted)
{
	struct uet_ri_gen gen;
	bool is_strict = true;

	uet_ri_gen_init(&gen, false);
	EXPECT_EQ(uet_ri_gen_check(&gen, 0, &is_strict), UET_RC_OK);
	EXPECT_EQ(uet_ri_gen_check(&gen, 7, &is_strict), UET_RC_OK);
}

TEST(ri_gen__takes_its_own_and_none)
{
	struct uet_ri_gen gen;
	bool is_strict = false;

	uet_ri_gen_init(&gen, true);
	EXPECT_NE(gen.value, 0);
	EXPECT_EQ(uet_ri_gen_check(&gen, gen.value, &is_strict), UET_RC_OK);
	EXPECT_EQ(uet_ri_gen_check(&gen, 0, &is_strict), UET_RC_OK);
	EXPECT_FALSE(is_strict);
	EXPECT_EQ(uet_ri_gen_check(&gen, gen.value + 1, &is_strict),
		  UET_RC_BAD_GENERATION);
	EXPECT_TRUE(is_strict);
}

/* Refused packets could be missing before a packet that names no generation. */
TEST(ri_gen__after_a_refusal_none_is_wrong)
{
	struct uet_ri_gen gen;
	bool is_strict = false, is_other_strict = false;

	uet_ri_gen_init(&gen, true);
	uet_ri_gen_disable(&gen);
	EXPECT_EQ(uet_ri_gen_check(&gen, 0, &is_strict), UET_RC_DISABLED_GEN);
	uet_ri_gen_enable(&gen);
	EXPECT_EQ(uet_ri_gen_check(&gen, 0, &is_strict), UET_RC_BAD_GENERATION);
	EXPECT_EQ(uet_ri_gen_check(&gen, gen.value, &is_strict), UET_RC_OK);
	/* Another sender has lost nothing. */
	EXPECT_EQ(uet_ri_gen_check(&gen, 0, &is_other_strict), UET_RC_OK);
}

TEST(ri_gen__disabled_it_takes_nothing)
{
	struct uet_ri_gen gen;
	bool is_strict = false;
	u8 value;

	uet_ri_gen_init(&gen, true);
	value = gen.value;
	uet_ri_gen_disable(&gen);
	EXPECT_EQ(uet_ri_gen_check(&gen, value, &is_strict),
		  UET_RC_DISABLED_GEN);
	EXPECT_EQ(uet_ri_gen_check(&gen, value + 1, &is_strict),
		  UET_RC_DISABLED_GEN);
	EXPECT_EQ(gen.value, value);
	uet_ri_gen_enable(&gen);
	EXPECT_EQ(gen.value, value + 1);
	EXPECT_EQ(uet_ri_gen_check(&gen, value, &is_strict),
		  UET_RC_BAD_GENERATION);
}

TEST(ri_gen__enabled_it_keeps_its_generation)
{
	struct uet_ri_gen gen;
	u8 value;

	uet_ri_gen_init(&gen, true);
	value = gen.value;
	uet_ri_gen_enable(&gen);
	EXPECT_EQ(gen.value, value);
}

TEST(ri_gen__skips_0)
{
	struct uet_ri_gen gen;
	unsigned int i;

	uet_ri_gen_init(&gen, true);
	for (i = 0; i < 3 * 255; i++) {
		EXPECT_EQ(gen.value, i % 255 + 1);
		uet_ri_gen_disable(&gen);
		uet_ri_gen_enable(&gen);
	}
}
