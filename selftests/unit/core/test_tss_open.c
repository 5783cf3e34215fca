// SPDX-License-Identifier: GPL-2.0
/*
 * The verdicts of a receiver on a security header before and after decryption, reason
 * by reason.  Attacks on whole packets are in test_tss_attack.c.  Spec: UE 1.0.1 3.7.
 * Level: test of core L2.
 */
#include "core/tss/tss.h"
#include "utest.h"

static u8 open_src[16] = { 10, 0, 0, 1 }, open_dst[16] = { 10, 0, 0, 2 };
static const struct uet_tss_ends open_ends = { open_src, open_dst };

static const struct uet_tss_hdr open_good = {
	.sdi = 5, .epoch = 100, .tsc = 1000,
};

static struct uet_tss_cfg open_cfg(void)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = 5;
	return cfg;
}

/* A key under AN 0, epoch 100. */
static void open_sd(struct uet_tss_sd *sd, const struct uet_tss_cfg *cfg)
{
	struct uet_tss_key key = { .key = { 1 } };

	uet_tss_sd_init(sd, cfg);
	if (uet_tss_cfg_wrong(cfg) || uet_tss_key_set(sd, 0, &key, 100, 0) ||
	    uet_tss_key_use(sd, 0))
		exit(1);
}

/* @len bytes in all, in memory that ends there. */
static enum uet_drop open_len(struct uet_tss_sd *sd,
			      const struct uet_tss_hdr *hdr,
			      const struct uet_tss_src *src,
			      struct uet_tss_op *op, size_t len)
{
	u8 full[64] = { 0 }, *copy = malloc(len ? len : 1);
	size_t used = 0;
	enum uet_drop why;

	uet_wire_tss_encode(hdr, full, sizeof(full));
	memcpy(copy, full, len);
	why = uet_tss_open_begin(sd, &open_ends, copy, len, src, op, &used);
	if (!why)
		EXPECT_EQ(used, hdr->has_ssi ? 16 : 12);
	free(copy);
	return why;
}

static enum uet_drop open_one(struct uet_tss_sd *sd,
			      const struct uet_tss_hdr *hdr)
{
	struct uet_tss_op op;

	return open_len(sd, hdr, NULL, &op, 60);
}

TEST(tss_open__short_packets_are_refused)
{
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_hdr hdr = open_good;
	struct uet_tss_op op;
	struct uet_tss_sd sd;
	size_t n;

	open_sd(&sd, &cfg);
	for (n = 0; n < 40; n++)
		EXPECT_EQ(open_len(&sd, &hdr, NULL, &op, n),
			  n < 12 ? UET_DROP_TRUNC_TSS :
			  n < 12 + 2 + 16 ? UET_DROP_TSS_NO_ICV : UET_DROP_NONE);
	EXPECT_EQ(sd.stats.refused, 30);
	cfg.has_ssi = true;
	hdr.has_ssi = true;
	open_sd(&sd, &cfg);
	for (n = 12; n < 40; n++)
		EXPECT_EQ(open_len(&sd, &hdr, NULL, &op, n),
			  n < 16 ? UET_DROP_TRUNC_TSS_SSI :
			  n < 16 + 2 + 16 ? UET_DROP_TSS_NO_ICV : UET_DROP_NONE);
}

TEST(tss_open__header_says_enough)
{
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_hdr hdr = open_good;
	struct uet_tss_sd sd;

	open_sd(&sd, &cfg);
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_NONE);
	hdr.sdi = 6;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_NO_SD);
	hdr = open_good;
	hdr.an = 1;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_NO_KEY);
	hdr = open_good;
	hdr.has_ssi = true;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_BAD_SSI);
	EXPECT_EQ(sd.stats.refused, 3);

	cfg.has_ssi = true;
	open_sd(&sd, &cfg);
	EXPECT_EQ(open_one(&sd, &open_good), UET_DROP_TSS_BAD_SSI);
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_NONE);
	sd.is_shut = true;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_SHUT);
	EXPECT_EQ(sd.stats.auth_fails + sd.stats.replays, 0);
}

/* Ours is 100, and 16 may pass; 16-bit serial comparison. */
TEST(tss_open__epochs_within_the_window_are_accepted)
{
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_hdr hdr = open_good;
	struct uet_tss_sd sd;
	int age;

	open_sd(&sd, &cfg);
	for (age = -32667; age <= 32767; age++) {
		hdr.epoch = (u16)(100 - age);
		ASSERT_EQ(open_one(&sd, &hdr),
			  age > 16 ? UET_DROP_TSS_EPOCH : UET_DROP_NONE);
	}
	ASSERT_EQ(uet_tss_set_epoch(&sd, 101), 0);
	hdr.epoch = 84;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_EPOCH);
}

TEST(tss_open__clients_and_servers_accept_each_other_only)
{
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_hdr hdr = open_good;
	struct uet_tss_sd sd;

	cfg.mode = UET_TSS_SERVER;
	cfg.rekey_mask = 0;
	cfg.has_ssi = true;
	cfg.ssi = 7;
	hdr.has_ssi = true;
	hdr.ssi = 8;
	open_sd(&sd, &cfg);
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_NONE);
	hdr.tsc = UET_TSS_TSC_SERVER;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_REFLECTED);

	cfg.is_client = true;
	open_sd(&sd, &cfg);
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_BAD_SSI);
	hdr.ssi = 7;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_NONE);
	hdr.tsc = UET_TSS_TSC_SERVER - 1;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_REFLECTED);
	hdr.tsc = UET_TSS_TSC_SERVER;
	hdr.epoch = 101;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_EPOCH);
	hdr.epoch = 99;
	EXPECT_EQ(open_one(&sd, &hdr), UET_DROP_TSS_EPOCH);
}

/* A client has a key, and sends in the name of another client. */
TEST(tss_open__address_of_another_client_is_refused)
{
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_hdr hdr = open_good;
	struct uet_tss_src victim = { 0 };
	struct uet_tss_op op, late;
	struct uet_tss_sd sd;

	cfg.mode = UET_TSS_SERVER;
	cfg.rekey_mask = 0;
	cfg.has_ssi = true;
	hdr.has_ssi = true;
	hdr.ssi = 8;
	open_sd(&sd, &cfg);
	ASSERT_EQ(open_len(&sd, &hdr, &victim, &op, 60), UET_DROP_NONE);
	/* Both were begun before anything had come from this address. */
	hdr.ssi = 9;
	hdr.tsc++;
	ASSERT_EQ(open_len(&sd, &hdr, &victim, &late, 60), UET_DROP_NONE);
	EXPECT_EQ(uet_tss_open_end(&sd, &op, &victim, true), UET_DROP_NONE);
	EXPECT_EQ(uet_tss_open_end(&sd, &late, &victim, true),
		  UET_DROP_TSS_BAD_SSI);
	EXPECT_EQ(open_len(&sd, &hdr, &victim, &op, 60), UET_DROP_TSS_BAD_SSI);
	EXPECT_EQ(victim.ssi, 8);
	EXPECT_EQ(victim.seen[0].top, 1000);
	EXPECT_EQ(sd.sa[0].opened, 1);
	/* Nor under another key, before the victim has used it. */
	ASSERT_EQ(uet_tss_key_set(&sd, 1, &(struct uet_tss_key) { .key = { 2 } },
				  100, 0), 0);
	hdr.an = 1;
	EXPECT_EQ(open_len(&sd, &hdr, &victim, &op, 60), UET_DROP_TSS_BAD_SSI);
	hdr.ssi = 8;
	EXPECT_EQ(open_len(&sd, &hdr, &victim, &op, 60), UET_DROP_NONE);
}

/* A wrong ICV teaches nothing about the sender. */
TEST(tss_open_end__forged_packets_leave_no_trace)
{
	static const struct uet_tss_src zero;
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_src src = { 0 };
	struct uet_tss_op op;
	struct uet_tss_sd sd;

	open_sd(&sd, &cfg);
	ASSERT_EQ(open_len(&sd, &open_good, &src, &op, 60), UET_DROP_NONE);
	EXPECT_EQ(uet_tss_open_end(&sd, &op, &src, false), UET_DROP_TSS_AUTH);
	EXPECT_MEMEQ(&src, &zero, sizeof(src));
	EXPECT_EQ(sd.stats.auth_fails, 1);
	EXPECT_EQ(sd.sa[0].opened, 0);
	EXPECT_EQ(uet_tss_open_end(&sd, &op, &src, true), UET_DROP_NONE);
	EXPECT_EQ(sd.sa[0].opened, 1);
	/* The copy of it is refused before it is opened, and on the race after. */
	EXPECT_EQ(open_len(&sd, &open_good, &src, &op, 60), UET_DROP_TSS_REPLAY);
	EXPECT_EQ(uet_tss_open_end(&sd, &op, &src, true), UET_DROP_TSS_REPLAY);
	EXPECT_EQ(sd.stats.replays, 2);
	EXPECT_EQ(sd.sa[0].opened, 1);
}

/* Between begin and end, the key was deleted or another one was set. */
TEST(tss_open_end__fails_if_the_key_changed_meanwhile)
{
	struct uet_tss_key other = { .key = { 9 } };
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_src src = { 0 };
	struct uet_tss_op op;
	struct uet_tss_sd sd;

	open_sd(&sd, &cfg);
	ASSERT_EQ(open_len(&sd, &open_good, &src, &op, 60), UET_DROP_NONE);
	ASSERT_EQ(uet_tss_key_del(&sd, 0), 0);
	EXPECT_EQ(uet_tss_open_end(&sd, &op, &src, true), UET_DROP_TSS_NO_KEY);
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &other, 100, 0), 0);
	EXPECT_EQ(uet_tss_open_end(&sd, &op, &src, true), UET_DROP_TSS_NO_KEY);
	EXPECT_EQ(src.seen[0].serial, 0);
}

TEST(tss_open_end__too_many_failures_shut_the_domain)
{
	struct uet_tss_cfg cfg = open_cfg();
	struct uet_tss_src src = { 0 };
	struct uet_tss_op op, good;
	struct uet_tss_sd sd;
	int i;

	cfg.fail_limit = 1000;
	open_sd(&sd, &cfg);
	ASSERT_EQ(open_len(&sd, &open_good, &src, &good, 60), UET_DROP_NONE);
	for (i = 0; i < 1000; i++) {
		ASSERT_FALSE(sd.is_shut);
		ASSERT_EQ(open_len(&sd, &open_good, &src, &op, 60),
			  UET_DROP_NONE);
		ASSERT_EQ(uet_tss_open_end(&sd, &op, &src, false),
			  UET_DROP_TSS_AUTH);
	}
	EXPECT_TRUE(sd.is_shut);
	EXPECT_EQ(open_len(&sd, &open_good, &src, &op, 60), UET_DROP_TSS_SHUT);
	EXPECT_EQ(uet_tss_open_end(&sd, &good, &src, true), UET_DROP_TSS_SHUT);
}
