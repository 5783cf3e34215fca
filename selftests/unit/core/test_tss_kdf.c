// SPDX-License-Identifier: GPL-2.0
/*
 * Keys derived from the key of a domain: golden vectors of another
 * implementation, and what must change a key and what must not.
 * Spec: UE 1.0.1 3.7.  Level: test of core L2.
 */
#include "tsscrypt.h"

#define SDK_LEN		UET_TSS_KEY_LEN

static struct uet_tss_kid kdf_kid(const struct uet_tss_sd *sd, const char *id,
				  u32 rekey)
{
	struct uet_tss_kid kid = {
		.serial = sd->sa[0].serial,
		.epoch = TSST_EPOCH,
		.rekey = rekey,
	};

	kid.id_len = utest_unhex(id, kid.id, sizeof(kid.id));
	return kid;
}

static void kdf_sd(struct uet_tss_sd *sd, u8 mode, bool is_v6)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = TSST_SDI;
	cfg.mode = mode;
	cfg.is_v6 = is_v6;
	cfg.has_ssi = is_v6 && mode == UET_TSS_SERVER;
	if (mode != UET_TSS_CLUSTER)
		cfg.rekey_mask = 0;
	tsst_sd(sd, &cfg);
}

static void expect_key(const struct uet_tss_key *key, const char *sdk,
		       const char *mask)
{
	u8 want[SDK_LEN];

	utest_unhex(sdk, want, sizeof(want));
	EXPECT_MEMEQ(key->key, want, SDK_LEN);
	utest_unhex(mask, want, sizeof(want));
	EXPECT_MEMEQ(key->mask, want, UET_TSS_IV_LEN);
}

static const struct {
	u8 mode;
	bool is_v6;
	u32 rekey;
	const char *id, *sdk, *mask;
} kdf_golden[] = {
	{ UET_TSS_CLUSTER, false, 0x74e5, "c0a82a01",
	  "151b4ddb30112971ddeff3213000ee74d8f18aac2135601f1e5215e505fed449",
	  "a7c6992c26b0bd5dd5c20e0c" },
	{ UET_TSS_CLUSTER, true, 0x74e5, "20010cb0000000000fc0000000000abc",
	  "55d1ee8647bd53fad0e5325795af18e7559b7d42a895edf70f9c170341e8f767",
	  "9c96a5752fb5669ccd5ded3f" },
	{ UET_TSS_SERVER, false, 0, "c0a82a01",
	  "245e67ab286218530edd53c26ea9ec33c96b35192d0a0eb54d08be281c5d304b",
	  "02d5ee33684201990e1629e0" },
	{ UET_TSS_SERVER, true, 0, "20010cb0000000000fc0000000000abc",
	  "b59002ad3e6a9ae5864878730070f8916e43e5011acaa4be3504256185f24d97",
	  "209a3d29581028fb0da2749e" },
};

TEST(tss_derive__golden_keys_are_exact)
{
	struct uet_tss_key key;
	struct uet_tss_kid kid;
	struct uet_tss_sd sd;
	unsigned int i, calls;

	for (i = 0; i < ARRAY_SIZE(kdf_golden); i++) {
		kdf_sd(&sd, kdf_golden[i].mode, kdf_golden[i].is_v6);
		kid = kdf_kid(&sd, kdf_golden[i].id, kdf_golden[i].rekey);
		calls = 0;
		ASSERT_EQ(uet_tss_derive(&sd, &kid, &tsst_ops, &calls, &key), 0);
		EXPECT_EQ(calls, 3);
		expect_key(&key, kdf_golden[i].sdk, kdf_golden[i].mask);
	}
}

TEST(tss_kdf_input__layout_is_exact)
{
	u8 buf[UET_TSS_KDF_MAX], want[UET_TSS_KDF_MAX];
	struct uet_tss_kid kid;
	struct uet_tss_sd sd;
	size_t n;

	kdf_sd(&sd, UET_TSS_CLUSTER, false);
	kid = kdf_kid(&sd, "c0a82a01", 0x74e5);
	n = utest_unhex("03 5531 00 1dc0 000074e5 c0a82a01 0160", want,
			sizeof(want));
	ASSERT_EQ(uet_tss_kdf_input(UET_TSS_CLUSTER, &kid, 3, buf), n);
	EXPECT_MEMEQ(buf, want, n);

	kid = kdf_kid(&sd, "20010cb0000000000fc0000000000abc", 0);
	n = utest_unhex("01 5532 00 00000000 1dc0 00000000"
			"20010cb0000000000fc0000000000abc 0160", want,
			sizeof(want));
	ASSERT_EQ(n, UET_TSS_KDF_MAX);
	ASSERT_EQ(uet_tss_kdf_input(UET_TSS_SERVER, &kid, 1, buf), n);
	EXPECT_MEMEQ(buf, want, n);
}

/* Every difference between two packets' keys makes other keys. */
TEST(tss_derive__everything_counts)
{
	struct uet_tss_key key, other;
	struct uet_tss_kid kid, changed;
	struct uet_tss_sd sd;
	int i;

	kdf_sd(&sd, UET_TSS_CLUSTER, false);
	kid = kdf_kid(&sd, "c0a82a01", 5);
	ASSERT_EQ(uet_tss_derive(&sd, &kid, &tsst_ops, NULL, &key), 0);
	for (i = 0; i < 4; i++) {
		changed = kid;
		changed.epoch += i == 0;
		changed.rekey += i == 1;
		changed.id[3] += i == 2;
		sd.sa[0].base.key[31] += i == 3;
		ASSERT_EQ(uet_tss_derive(&sd, &changed, &tsst_ops, NULL, &other),
			  0);
		EXPECT_TRUE(memcmp(key.key, other.key, SDK_LEN));
		EXPECT_TRUE(memcmp(key.mask, other.mask, UET_TSS_IV_LEN));
	}
}

TEST(tss_derive__direct_and_clients_use_the_set_key)
{
	struct uet_tss_cfg cfg;
	struct uet_tss_key set, key;
	struct uet_tss_kid kid = { 0 };
	struct uet_tss_sd sd;
	unsigned int calls = 0;

	kdf_sd(&sd, UET_TSS_DIRECT, false);
	kid.serial = sd.sa[0].serial;
	ASSERT_EQ(uet_tss_derive(&sd, &kid, &tsst_ops, &calls, &key), 0);
	expect_key(&key, TSST_KEY, "000000000000000000000000");

	utest_rand_fill(&set, sizeof(set));
	uet_tss_cfg_init(&cfg);
	cfg.mode = UET_TSS_SERVER;
	cfg.is_client = true;
	cfg.rekey_mask = 0;
	ASSERT_TRUE(!uet_tss_cfg_wrong(&cfg));
	uet_tss_sd_init(&sd, &cfg);
	ASSERT_EQ(uet_tss_key_set(&sd, 1, &set, 0, 0), 0);
	kid = (struct uet_tss_kid) { .an = 1, .serial = sd.sa[1].serial };
	ASSERT_EQ(uet_tss_derive(&sd, &kid, &tsst_ops, &calls, &key), 0);
	EXPECT_MEMEQ(&key, &set, sizeof(set));
	EXPECT_EQ(calls, 0);
}

static int broken_cmac(void *ctx, const u8 *key, const u8 *msg, size_t len,
		       u8 *mac)
{
	unsigned int *left = ctx;

	memset(mac, 0x5a, UET_TSS_MAC_LEN);
	return (*left)-- ? 0 : -ENOMEM;
}

/* An error in any round, and nothing of a key is told. */
TEST(tss_derive__errors_reveal_no_key)
{
	static const struct uet_tss_ops broken = { .cmac = broken_cmac };
	static const struct uet_tss_key zero;
	struct uet_tss_key key;
	struct uet_tss_kid kid;
	struct uet_tss_sd sd;
	unsigned int i, left;

	kdf_sd(&sd, UET_TSS_CLUSTER, false);
	kid = kdf_kid(&sd, "c0a82a01", 0);
	for (i = 0; i < 3; i++) {
		left = i;
		memset(&key, 0xff, sizeof(key));
		EXPECT_EQ(uet_tss_derive(&sd, &kid, &broken, &left, &key),
			  -ENOMEM);
		EXPECT_MEMEQ(&key, &zero, sizeof(key));
	}
	left = 3;
	EXPECT_EQ(uet_tss_derive(&sd, &kid, &broken, &left, &key), 0);

	/* The key of the domain was changed, or is gone. */
	kid.serial++;
	EXPECT_EQ(uet_tss_derive(&sd, &kid, &tsst_ops, NULL, &key), -ENOKEY);
	EXPECT_MEMEQ(&key, &zero, sizeof(key));
	kid.serial--;
	EXPECT_EQ(uet_tss_key_del(&sd, 0), 0);
	EXPECT_EQ(uet_tss_derive(&sd, &kid, &tsst_ops, NULL, &key), -ENOKEY);
}
