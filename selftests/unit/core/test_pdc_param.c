// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_param.c: every line of the table holds its
 * limits, reaches the field it names and no other, and the defaults are legal.
 * Spec: UE 1.0.1 Table 3-28.  Level: test of core L4.
 */
#include "pdctest.h"
#include "core/pds/pdc_param.h"

/* Read here once more, as text: what the table was made of. */
static const struct {
	enum uet_pdc_param param;
	const char *word;
	bool is_pow2;
	u64 min, max;
} rows[] = {
#define COUNT	false
#define POW2	true
#define BYTES	false
#define TIME	false
#define SWITCH	false
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc) \
	{ UET_PDC_P_##name, word, kind, min, max },
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

static struct uet_pdc_cfg cfg;

/* Set a parameter of the defaults; what it says is what is there. */
static int set(enum uet_pdc_param param, u64 value)
{
	u64 old = uet_pdc_param_get(&uet_pdc_cfg_default, param);
	int err;

	cfg = uet_pdc_cfg_default;
	err = uet_pdc_param_set(&cfg, param, value);
	EXPECT_EQ(uet_pdc_param_get(&cfg, param), err ? old : value);
	return err;
}

TEST(pdc_param__every_parameter_is_in_the_table_once)
{
	u32 i;

	EXPECT_EQ(ARRAY_SIZE(rows), UET_PDC_P_NR);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_EQ(rows[i].param, i);
}

TEST(pdc_param_get__reads_the_field)
{
	const struct uet_pdc_cfg *def = &uet_pdc_cfg_default;

	EXPECT_EQ(uet_pdc_param_get(def, UET_PDC_P_WINDOW), def->window);
	EXPECT_EQ(uet_pdc_param_get(def, UET_PDC_P_DEFAULT_MPR),
		  def->default_mpr);
	EXPECT_EQ(uet_pdc_param_get(def, UET_PDC_P_ACK_GEN_TRIGGER),
		  def->ack_gen_trigger);
	EXPECT_EQ(uet_pdc_param_get(def, UET_PDC_P_RTO_MAX_NS),
		  def->rto_max_ns);
	EXPECT_EQ(uet_pdc_param_get(def, UET_PDC_P_ACK_ON_ECN),
		  def->ack_on_ecn);
	EXPECT_EQ(uet_pdc_param_get(def, UET_PDC_P_NR), 0);
}

TEST(pdc_param_set__limits_are_included)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(set(i, rows[i].min), 0);
		EXPECT_EQ(set(i, rows[i].max), 0);
	}
}

TEST(pdc_param_set__values_beyond_the_limits_are_refused)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].min)
			EXPECT_EQ(set(i, rows[i].min - 1), -ERANGE);
		EXPECT_EQ(set(i, rows[i].max + 1), -ERANGE);
		/* The truncated value would be legal. */
		EXPECT_EQ(set(i, (1ULL << 32) + rows[i].min), rows[i].max >>
			  32 ? 0 : -ERANGE);
		EXPECT_EQ(set(i, U64_MAX), -ERANGE);
	}
	EXPECT_EQ(uet_pdc_param_set(&cfg, UET_PDC_P_NR, 1), -EINVAL);
}

TEST(pdc_param_set__some_values_must_be_powers_of_two)
{
	u32 i;

	EXPECT_EQ(set(UET_PDC_P_WINDOW, 512), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].is_pow2)
			EXPECT_EQ(set(i, rows[i].max - 1), -ERANGE);
}

/* Each one has a field of its own. */
TEST(pdc_param_set__changes_no_other)
{
	u32 i, k;

	for (i = 0; i < UET_PDC_P_NR; i++) {
		u64 def = uet_pdc_param_get(&uet_pdc_cfg_default, i);

		EXPECT_EQ(set(i, def == rows[i].max ? rows[i].min :
						      rows[i].max), 0);
		for (k = 0; k < UET_PDC_P_NR; k++)
			EXPECT_EQ(uet_pdc_param_get(&cfg, k) ==
				  uet_pdc_param_get(&uet_pdc_cfg_default, k),
				  k != i);
	}
}

/* The bounds of arrays and of the wire are those of the table. */
TEST(pdc_param__window_limits_match_pds)
{
	EXPECT_EQ(rows[UET_PDC_P_WINDOW].min, UET_PDC_WINDOW_MIN);
	EXPECT_EQ(rows[UET_PDC_P_WINDOW].max, UET_PDC_WINDOW_MAX);
	EXPECT_EQ(rows[UET_PDC_P_MAX_NACK_RETX].max,
		  UET_PDC_NACK_RETX_FOREVER);
}

TEST(pdc_param_order__pairs_must_be_in_order)
{
	cfg = uet_pdc_cfg_default;
	EXPECT_TRUE(uet_pdc_param_order(&cfg) == NULL);
	cfg.rto_max_ns = cfg.rto_init_ns;
	EXPECT_TRUE(uet_pdc_param_order(&cfg) == NULL);
	cfg.rto_max_ns--;
	EXPECT_STREQ(uet_pdc_param_order(&cfg),
		     "rto-init must not be above rto-max");
	cfg = uet_pdc_cfg_default;
	cfg.nack_retx_ns = cfg.nack_retx_max_ns + 1;
	EXPECT_STREQ(uet_pdc_param_order(&cfg),
		     "nack-retx must not be above nack-retx-max");
}

/* A PDC works with every value there can be, alone. */
TEST(pdc_param__a_pdc_works_at_each_limit)
{
	struct pdctest t;
	u32 i, n;

	for (i = 0; i < UET_PDC_P_NR; i++) {
		for (n = 0; n < 2; n++) {
			EXPECT_EQ(set(i, n ? rows[i].max : rows[i].min), 0);
			if (uet_pdc_cfg_check(&cfg))
				continue;	/* its partner is in the way */
			pt_open_cfg(&t, UET_PDC_INITIATOR, UET_PDC_RUD, &cfg);
			pt_send(&t, 3);
			EXPECT_EQ(t.nr_tx, 3);
			EXPECT_EQ(pt_rx_ack(&t, pt_ack(START + 2, START + 2)),
				  UET_DROP_NONE);
			EXPECT_EQ(t.nr_up, 3);
			pt_close(&t);
			pt_open_cfg(&t, UET_PDC_TARGET, UET_PDC_RUD, &cfg);
			EXPECT_EQ(pt_rx_req(&t, pt_req(START, UET_F_SYN)),
				  UET_DROP_NONE);
			EXPECT_EQ(t.nr_tx, 1);
			pt_close(&t);
		}
	}
}
