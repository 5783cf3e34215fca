// SPDX-License-Identifier: GPL-2.0
/*
 * Secure domains: rules that are refused, keys that come, take over and go, and
 * what may come to a FEP at all.
 * Spec: UE 1.0.1 3.7.  Level: test of core L2.
 */
#include "core/tss/tss.h"
#include "utest.h"

static struct uet_tss_key sd_key(u8 fill)
{
	struct uet_tss_key key = { 0 };

	memset(key.key, fill, sizeof(key.key));
	return key;
}

static void sd_plain(struct uet_tss_sd *sd)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	uet_tss_sd_init(sd, &cfg);
}

TEST(tss_cfg__defaults_are_right)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	EXPECT_NULL(uet_tss_cfg_wrong(&cfg));
	EXPECT_EQ(cfg.mode, UET_TSS_CLUSTER);
	EXPECT_EQ(cfg.epoch_age, 16);
	EXPECT_EQ(cfg.fail_limit, 1ULL << 36);
	cfg.is_v6 = true;
	EXPECT_NULL(uet_tss_cfg_wrong(&cfg));
}

TEST(tss_cfg__refusal_names_the_setting)
{
	static const struct {
		struct uet_tss_cfg cfg;
		const char *text;
	} wrong[] = {
		{ { .sdi = 1 << 24 }, "sd: sdi must not be above 16777215" },
		{ { .mode = 3 }, "sd: mode must be direct, cluster or server" },
		{ { .is_client = true }, "sd: clients are of mode server" },
		{ { .is_v6 = true },
		  "sd: over IPv6, modes direct and server need an ssi" },
		{ { .is_v6 = true, .mode = UET_TSS_SERVER },
		  "sd: over IPv6, modes direct and server need an ssi" },
		{ { .epoch_age = 32768 },
		  "sd: epoch-age must not be above 32767" },
		{ { .seal_limit = 1ULL << 48 | 1 },
		  "sd: seal-limit must be 1 to 2^48" },
		{ { .rekey_mask = 1 }, "sd: rekey-mask is for mode cluster" },
		{ { .mode = UET_TSS_CLUSTER, .rekey_mask = 1ULL << 48 },
		  "sd: rekey-mask must have no more than 48 bits" },
		{ { .mode = UET_TSS_CLUSTER, .rekey_mask = 1ULL << 47,
		    .rekey_shift = 48 },
		  "sd: rekey-shift must not be above 47" },
		{ { .mode = UET_TSS_CLUSTER, .rekey_mask = 0xff, .rekey_shift = 1 },
		  "sd: rekey-mask has bits below rekey-shift" },
		{ { .mode = UET_TSS_CLUSTER, .rekey_mask = 1ULL << 40 | 128,
		    .rekey_shift = 7 },
		  "sd: rekey-mask, shifted, must have no more than 32 bits" },
	};
	struct uet_tss_cfg cfg;
	const char *text;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		cfg = wrong[i].cfg;
		cfg.fail_limit = 1;
		if (!cfg.seal_limit)
			cfg.seal_limit = 1;
		text = uet_tss_cfg_wrong(&cfg);
		EXPECT_STREQ(text ? text : "nothing", wrong[i].text);
	}
	uet_tss_cfg_init(&cfg);
	cfg.seal_limit = 0;
	EXPECT_STREQ(uet_tss_cfg_wrong(&cfg), "sd: seal-limit must be 1 to 2^48");
	uet_tss_cfg_init(&cfg);
	cfg.fail_limit = 0;
	EXPECT_STREQ(uet_tss_cfg_wrong(&cfg), "sd: fail-limit must not be 0");
}

TEST(tss_key__is_set_used_deleted)
{
	struct uet_tss_key one = sd_key(1), two = sd_key(2);
	struct uet_tss_sd sd;

	sd_plain(&sd);
	EXPECT_EQ(uet_tss_left(&sd), 0);
	EXPECT_EQ(uet_tss_key_use(&sd, 0), -ENOKEY);
	EXPECT_EQ(uet_tss_key_use(&sd, 2), -EINVAL);
	EXPECT_EQ(uet_tss_key_del(&sd, 1), -ENOKEY);
	EXPECT_EQ(uet_tss_key_del(&sd, 2), -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &one, 3, 10), 0);
	EXPECT_EQ(uet_tss_left(&sd), 0);
	EXPECT_EQ(uet_tss_key_use(&sd, 0), 0);
	EXPECT_EQ(uet_tss_left(&sd), UET_TSS_TSC_END - 10);
	EXPECT_EQ(sd.sa[0].epoch, 3);

	EXPECT_EQ(uet_tss_key_set(&sd, 0, &two, 0, 0), -EBUSY);
	EXPECT_EQ(uet_tss_key_set(&sd, 1, &two, 0, 0), 0);
	EXPECT_NE(sd.sa[0].serial, sd.sa[1].serial);
	EXPECT_EQ(uet_tss_key_use(&sd, 1), 0);
	EXPECT_EQ(uet_tss_key_del(&sd, 0), 0);
	EXPECT_FALSE(sd.sa[0].is_set);
	EXPECT_EQ(uet_tss_key_del(&sd, 1), 0);
	EXPECT_EQ(uet_tss_left(&sd), 0);
	/* A key that is set is not in use by itself. */
	EXPECT_EQ(uet_tss_key_set(&sd, 1, &one, 0, 0), 0);
	EXPECT_EQ(uet_tss_left(&sd), 0);
}

TEST(tss_key_set__refuses_wrong_keys)
{
	struct uet_tss_key key = sd_key(0), masked = sd_key(1);
	struct uet_tss_sd sd;

	sd_plain(&sd);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, 0), -EINVAL);
	masked.mask[11] = 1;
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &masked, 0, 0), -EINVAL);
	key.key[31] = 1;
	EXPECT_EQ(uet_tss_key_set(&sd, 2, &key, 0, 0), -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, UET_TSS_TSC_END), -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, U64_MAX), -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, UET_TSS_TSC_END - 1), 0);
	/* Its counters would begin again. */
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, 0), -EEXIST);
	EXPECT_EQ(uet_tss_key_set(&sd, 1, &key, 0, 0), -EEXIST);
	EXPECT_EQ(sd.sa[0].tsc, UET_TSS_TSC_END - 1);
}

/* Client and server have one key: half of the counters each. */
TEST(tss_key_set__server_and_client_share_counters)
{
	struct uet_tss_key key = sd_key(1), masked = sd_key(2);
	struct uet_tss_cfg cfg;
	struct uet_tss_sd sd;

	uet_tss_cfg_init(&cfg);
	cfg.mode = UET_TSS_SERVER;
	cfg.rekey_mask = 0;
	cfg.has_ssi = true;
	ASSERT_TRUE(!uet_tss_cfg_wrong(&cfg));
	uet_tss_sd_init(&sd, &cfg);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, UET_TSS_TSC_SERVER), -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &key, 0, 1), 0);
	EXPECT_EQ(uet_tss_key_use(&sd, 0), 0);
	EXPECT_EQ(sd.sa[0].tsc, UET_TSS_TSC_SERVER + 1);
	EXPECT_EQ(uet_tss_left(&sd), UET_TSS_TSC_SERVER - 1);

	cfg.is_client = true;
	masked.mask[0] = 9;
	uet_tss_sd_init(&sd, &cfg);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &masked, 0, UET_TSS_TSC_SERVER),
		  -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &masked, 0, UET_TSS_TSC_SERVER - 1),
		  0);
	EXPECT_EQ(uet_tss_key_use(&sd, 0), 0);
	EXPECT_EQ(uet_tss_left(&sd), 1);

	/* Without SSI the addresses keep the ends apart, and each has all counters. */
	cfg.has_ssi = false;
	ASSERT_TRUE(!uet_tss_cfg_wrong(&cfg));
	uet_tss_sd_init(&sd, &cfg);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &masked, 0, UET_TSS_TSC_END), -EINVAL);
	EXPECT_EQ(uet_tss_key_set(&sd, 0, &masked, 0, UET_TSS_TSC_END - 1), 0);
}

TEST(tss_epoch__epoch_only_grows)
{
	struct uet_tss_key key = sd_key(1);
	struct uet_tss_sd sd;

	sd_plain(&sd);
	EXPECT_EQ(uet_tss_set_epoch(&sd, 1), -ENOKEY);
	ASSERT_EQ(uet_tss_key_set(&sd, 1, &key, 0xfffe, 5), 0);
	ASSERT_EQ(uet_tss_key_use(&sd, 1), 0);
	EXPECT_EQ(uet_tss_set_epoch(&sd, 0xfffe), -EINVAL);
	EXPECT_EQ(uet_tss_set_epoch(&sd, 0xfffd), -EINVAL);
	EXPECT_EQ(uet_tss_set_epoch(&sd, 1), 0);
	EXPECT_EQ(sd.sa[1].epoch, 1);
	EXPECT_EQ(sd.sa[1].tsc, 5);
	sd.cfg.is_client = true;
	EXPECT_EQ(uet_tss_set_epoch(&sd, 2), -EINVAL);
}

/* Nothing of a key is left in the memory of what is over. */
TEST(tss_key__is_wiped)
{
	struct uet_tss_key key = sd_key(0xa5);
	static const struct uet_tss_sd zero;
	struct uet_tss_sd sd;

	sd_plain(&sd);
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &key, 0, 0), 0);
	ASSERT_EQ(uet_tss_key_del(&sd, 0), 0);
	EXPECT_MEMEQ(&sd.sa, &zero.sa, sizeof(sd.sa));
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &key, 0, 0), 0);
	uet_tss_sd_fini(&sd);
	EXPECT_MEMEQ(&sd, &zero, sizeof(sd));
}

TEST(tss_revoke__forgets_all_and_refuses_their_like)
{
	struct uet_tss_key one = sd_key(1), two = sd_key(2);
	struct uet_tss_sd sd;

	sd_plain(&sd);
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &one, 0, 0), 0);
	ASSERT_EQ(uet_tss_key_set(&sd, 1, &two, 0, 0), 0);
	ASSERT_EQ(uet_tss_key_use(&sd, 1), 0);
	uet_tss_key_tag(&sd, 0, 8, 0xaa);
	uet_tss_key_tag(&sd, 1, 9, 0xbb);
	EXPECT_EQ(sd.sa[1].number, 9);
	EXPECT_FALSE(uet_tss_is_revoked(&sd, 0xbb));

	uet_tss_revoke(&sd);

	EXPECT_FALSE(sd.sa[0].is_set || sd.sa[1].is_set);
	EXPECT_EQ(sd.an, UET_TSS_AN_NR);
	EXPECT_EQ(uet_tss_left(&sd), 0);
	EXPECT_TRUE(uet_tss_is_revoked(&sd, 0xaa));
	EXPECT_TRUE(uet_tss_is_revoked(&sd, 0xbb));
	EXPECT_FALSE(uet_tss_is_revoked(&sd, 0xcc));
	EXPECT_FALSE(uet_tss_is_revoked(&sd, 0));
}

/* A key that nobody told the origin of stands for itself alone. */
TEST(tss_revoke__key_without_a_check_stands_for_itself)
{
	struct uet_tss_key one = sd_key(1);
	struct uet_tss_sd sd;

	sd_plain(&sd);
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &one, 0, 0), 0);
	uet_tss_revoke(&sd);
	EXPECT_FALSE(sd.sa[0].is_set);
	EXPECT_FALSE(uet_tss_is_revoked(&sd, 0));

	/* Revoked keys stay revoked, and names are deleted with their keys. */
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &one, 0, 0), 0);
	uet_tss_key_tag(&sd, 0, 3, 0xaa);
	uet_tss_revoke(&sd);
	uet_tss_revoke(&sd);
	EXPECT_TRUE(uet_tss_is_revoked(&sd, 0xaa));
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &one, 0, 0), 0);
	EXPECT_EQ(sd.sa[0].check, 0);
	EXPECT_EQ(sd.sa[0].number, 0);
}

TEST(tss_policy__domain_accepts_tss_packets_only)
{
	u8 type;

	for (type = 0; type < UET_TY_NR; type++) {
		bool is_tss = type == UET_TY_TSS;

		EXPECT_EQ(uet_tss_policy(false, type, false),
			  is_tss ? UET_DROP_TSS_UNSUPPORTED : UET_DROP_NONE);
		EXPECT_EQ(uet_tss_policy(true, type, false),
			  is_tss ? UET_DROP_NONE : UET_DROP_TSS_CLEAR);
		EXPECT_EQ(uet_tss_policy(true, type, true),
			  is_tss ? UET_DROP_TSS_TRIMMED : UET_DROP_TSS_CLEAR);
	}
}
