// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that leave sealed: counters that never come twice, and the point at
 * which none is left.
 * Spec: UE 1.0.1 3.7.  Level: test of core L2.
 */
#include "core/tss/tss.h"
#include "utest.h"

static u8 seal_src[16] = { 10, 0, 0, 1 }, seal_dst[16] = { 10, 0, 0, 2 };
static const struct uet_tss_ends seal_ends = { seal_src, seal_dst };

static void seal_sd(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg, u64 tsc)
{
	struct uet_tss_key key = { .key = { 1 } };

	uet_tss_sd_init(sd, cfg);
	if (uet_tss_cfg_wrong(cfg) || uet_tss_key_set(sd, 0, &key, 7, tsc) ||
	    uet_tss_key_use(sd, 0))
		exit(1);
}

static struct uet_tss_cfg seal_cfg(void)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = 0x123456;
	return cfg;
}

TEST(tss_seal__header_counts_each_packet)
{
	struct uet_tss_cfg cfg = seal_cfg();
	struct uet_tss_op op;
	struct uet_tss_sd sd;
	int i;

	seal_sd(&sd, &cfg, 100);
	EXPECT_EQ(uet_tss_hdr_len(&cfg), 12);
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
			  UET_DROP_NONE);
		ASSERT_EQ(op.hdr.tsc, 100 + i);
	}
	EXPECT_EQ(op.hdr.sdi, 0x123456);
	EXPECT_EQ(op.hdr.an, 0);
	EXPECT_EQ(op.hdr.epoch, 7);
	EXPECT_FALSE(op.hdr.has_ssi);
	EXPECT_EQ(op.hdr.ssi, 0);
	EXPECT_EQ(sd.sa[0].sealed, 1000);

	cfg.has_ssi = true;
	cfg.ssi = 0x80000001;
	EXPECT_EQ(uet_tss_hdr_len(&cfg), 16);
	seal_sd(&sd, &cfg, 0);
	ASSERT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op), UET_DROP_NONE);
	EXPECT_TRUE(op.hdr.has_ssi);
	EXPECT_EQ(op.hdr.ssi, 0x80000001);
}

TEST(tss_seal__sealing_needs_a_key_in_use)
{
	struct uet_tss_cfg cfg = seal_cfg();
	struct uet_tss_op op;
	struct uet_tss_sd sd;

	uet_tss_sd_init(&sd, &cfg);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
		  UET_DROP_TSS_TX_NO_KEY);
	seal_sd(&sd, &cfg, 0);
	EXPECT_EQ(uet_tss_key_del(&sd, 0), 0);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
		  UET_DROP_TSS_TX_NO_KEY);
}

/* The counter does not wrap: with another key, it goes on. */
TEST(tss_seal__counters_end)
{
	struct uet_tss_key next = { .key = { 2 } };
	struct uet_tss_cfg cfg = seal_cfg();
	struct uet_tss_op op;
	struct uet_tss_sd sd;
	int i;

	seal_sd(&sd, &cfg, UET_TSS_TSC_END - 3);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
			  UET_DROP_NONE);
	EXPECT_EQ(op.hdr.tsc, UET_TSS_TSC_END - 1);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
			  UET_DROP_TSS_TX_SPENT);
	EXPECT_EQ(uet_tss_left(&sd), 0);
	EXPECT_EQ(uet_tss_set_epoch(&sd, 8), 0);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
		  UET_DROP_TSS_TX_SPENT);
	EXPECT_EQ(uet_tss_key_set(&sd, 1, &next, 0, 0), 0);
	EXPECT_EQ(uet_tss_key_use(&sd, 1), 0);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op), UET_DROP_NONE);
	EXPECT_EQ(op.hdr.an, 1);
	EXPECT_EQ(op.hdr.tsc, 0);
}

TEST(tss_seal__key_seals_up_to_its_limit)
{
	struct uet_tss_cfg cfg = seal_cfg();
	struct uet_tss_op op;
	struct uet_tss_sd sd;

	cfg.seal_limit = 2;
	seal_sd(&sd, &cfg, 50);
	EXPECT_EQ(uet_tss_left(&sd), 2);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op), UET_DROP_NONE);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op), UET_DROP_NONE);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
		  UET_DROP_TSS_TX_SPENT);
}

TEST(tss_seal__shut_domain_does_not_seal)
{
	struct uet_tss_cfg cfg = seal_cfg();
	struct uet_tss_op op;
	struct uet_tss_sd sd;

	seal_sd(&sd, &cfg, 0);
	sd.is_shut = true;
	EXPECT_EQ(uet_tss_left(&sd), 0);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op), UET_DROP_TSS_SHUT);
}

/* A server seals with the key and the SSI of the client, once it knows it. */
TEST(tss_seal__server_uses_the_clients_ssi)
{
	struct uet_tss_cfg cfg = seal_cfg();
	struct uet_tss_src client = { 0 };
	struct uet_tss_op op;
	struct uet_tss_sd sd;

	cfg.mode = UET_TSS_SERVER;
	cfg.rekey_mask = 0;
	seal_sd(&sd, &cfg, 0);
	ASSERT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op), UET_DROP_NONE);
	EXPECT_MEMEQ(op.kid.id, seal_dst, 4);

	cfg.has_ssi = true;
	seal_sd(&sd, &cfg, 0);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, NULL, &op),
		  UET_DROP_TSS_TX_NO_SSI);
	EXPECT_EQ(uet_tss_seal(&sd, &seal_ends, &client, &op),
		  UET_DROP_TSS_TX_NO_SSI);
	client.has_ssi = true;
	client.ssi = 0xc1;
	ASSERT_EQ(uet_tss_seal(&sd, &seal_ends, &client, &op), UET_DROP_NONE);
	EXPECT_EQ(op.hdr.ssi, 0xc1);
	EXPECT_EQ(op.kid.id_len, 4);
	EXPECT_EQ(get_unaligned_be32(op.kid.id), 0xc1);
	EXPECT_EQ(op.hdr.tsc, UET_TSS_TSC_SERVER);
}
