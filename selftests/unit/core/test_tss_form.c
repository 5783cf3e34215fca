// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed packets byte for byte: IV, additional data, ciphertext and ICV of the
 * golden packets, and every form in every mode there and back.
 * Spec: UE 1.0.1 3.7, 3.7.11.  Level: test of core L2.
 */
#include "tsscrypt.h"

static const struct {
	const char *name;
	u8 mode;
	bool is_udp;
	bool has_ssi;
	const char *tss, *iv, *aad, *text, *icv;
} form_golden[] = {
	{ "direct, native", UET_TSS_DIRECT, false, false,
	  "080000011dc074e500000023", "c0a82a011dc074e500000023",
	  "c0a82a01c0a82a0242420000080000011dc074e500000023",
	  "3bc212542a4a5588d3a992680ee8055c3920be29d58b7ac565b3f24bf994caf9"
	  "7df9b391bf0f88b36ce896ce89c410768f01d4b71aae56e7604e8b2f5f5dddb0",
	  "73097d201266feafb623a0f046ca0023" },
	{ "direct, UDP", UET_TSS_DIRECT, true, false,
	  "080000011dc074e500000023", "c0a82a011dc074e500000023",
	  "c0a82a01c0a82a02424212b900640000080000011dc074e500000023",
	  "3bc212542a4a5588d3a992680ee8055c3920be29d58b7ac565b3f24bf994caf9"
	  "7df9b391bf0f88b36ce896ce89c410768f01d4b71aae56e7604e8b2f5f5dddb0",
	  "3e373b499cd39226368e20f08574d4c9" },
	{ "cluster, UDP", UET_TSS_CLUSTER, true, false,
	  "080000011dc074e500000023", "676eb32d3b70c9b8d5c20e2f",
	  "c0a82a01c0a82a02424212b900640000080000011dc074e500000023",
	  "45a0024c9804241ecfd67b4557392f53320746ac151c99704735342dea71f314"
	  "6d60a4f5f217a0cff0780764904a218172906f120ef6797908ecedaac4cb7b70",
	  "7e0c674db93566610eacef193f9cd7b7" },
	{ "cluster, UDP, SSI", UET_TSS_CLUSTER, true, true,
	  "0c000001000000021dc074e500000023", "afa5da360a2b8360f4b291a4",
	  "c0a82a01c0a82a02424212b900680000"
	  "0c000001000000021dc074e500000023",
	  "e4c506d4dc833a9ca68344de91e9ce960488221fc23b2d1d5a3e76416d61b9c7"
	  "48925d5756a4a3f4112bf709635302c5969be06100e380df65f3e9d879b62d7b",
	  "a005819e1ae37a89f7b8c570efbb0298" },
};

static void form_sd(struct uet_tss_sd *sd, u8 mode, bool has_ssi)
{
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = TSST_SDI;
	cfg.mode = mode;
	cfg.has_ssi = has_ssi;
	cfg.ssi = 2;
	if (mode != UET_TSS_CLUSTER)
		cfg.rekey_mask = 0;
	tsst_sd(sd, &cfg);
}

static void expect_hex(const u8 *got, const char *hex)
{
	u8 want[TSST_SPACE];
	size_t n = utest_unhex(hex, want, sizeof(want));

	EXPECT_MEMEQ(got, want, n);
}

TEST(tss_form__golden_packets_are_exact)
{
	u8 plain[64], aad[UET_TSS_AAD_MAX], iv[UET_TSS_IV_LEN], *text;
	struct uet_tss_ends ends;
	struct uet_tss_src src;
	struct uet_tss_sd sd;
	struct uet_tss_key key;
	struct uet_tss_op op;
	struct tsst_pkt pkt;
	size_t hdr_len, len;
	unsigned int i;

	ASSERT_EQ(utest_unhex(TSST_PLAIN, plain, sizeof(plain)), sizeof(plain));
	for (i = 0; i < ARRAY_SIZE(form_golden); i++) {
		printf("# %s\n", form_golden[i].name);
		form_sd(&sd, form_golden[i].mode, form_golden[i].has_ssi);
		hdr_len = strlen(form_golden[i].tss) / 2;
		ASSERT_EQ(tsst_seal(&sd, (struct tsst_form) {
				    .is_udp = form_golden[i].is_udp }, 1, 2,
				    NULL, plain, sizeof(plain), &pkt),
			  UET_DROP_NONE);
		expect_hex(pkt.bytes + pkt.tss, form_golden[i].tss);
		expect_hex(pkt.bytes + pkt.tss + hdr_len, form_golden[i].text);
		expect_hex(pkt.bytes + pkt.len - UET_ICV_LEN,
			   form_golden[i].icv);

		memset(&src, 0, sizeof(src));
		ends = tsst_ends(&pkt);
		len = uet_tss_aad(&sd.cfg, &ends, pkt.bytes + pkt.l4,
				  pkt.tss - pkt.l4, pkt.bytes + pkt.tss,
				  hdr_len, aad);
		ASSERT_EQ(len, strlen(form_golden[i].aad) / 2);
		expect_hex(aad, form_golden[i].aad);
		ASSERT_EQ(tsst_open(&sd, &src, &pkt, &op, &text, &len),
			  UET_DROP_NONE);
		ASSERT_EQ(uet_tss_derive(&sd, &op.kid, &tsst_ops, NULL, &key),
			  0);
		uet_tss_iv(&op, &key, iv);
		expect_hex(iv, form_golden[i].iv);
		ASSERT_EQ(len, sizeof(plain));
		EXPECT_MEMEQ(text, plain, sizeof(plain));
	}
}

/* A router may write a checksum, and receivers must not care. */
TEST(tss_aad__udp_checksum_counts_as_0)
{
	u8 plain[64], *text;
	struct uet_tss_src src = { 0 };
	struct uet_tss_sd sd;
	struct uet_tss_op op;
	struct tsst_pkt pkt;
	size_t len;

	utest_unhex(TSST_PLAIN, plain, sizeof(plain));
	form_sd(&sd, UET_TSS_CLUSTER, false);
	ASSERT_EQ(tsst_seal(&sd, (struct tsst_form) { .is_udp = true }, 1, 2,
			    NULL, plain, sizeof(plain), &pkt), UET_DROP_NONE);
	put_unaligned_be16(0xabcd, pkt.bytes + pkt.l4 + 6);
	EXPECT_EQ(tsst_open(&sd, &src, &pkt, &op, &text, &len), UET_DROP_NONE);
}

/* Over IPv6 without SSI it is the SDI that stands in the IV. */
TEST(tss_iv__iv_holds_ssi_or_sdi)
{
	struct uet_tss_cfg cfg;
	struct uet_tss_op op = { .hdr = { .ssi = 7 } };
	u8 src[16], dst[16];
	struct uet_tss_ends ends = { .src = src, .dst = dst };

	uet_tss_cfg_init(&cfg);
	cfg.sdi = 0xabcdef;
	tsst_addr(false, 1, src);
	tsst_addr(false, 2, dst);
	uet_tss_op_init(&cfg, 1, &ends, src, &op);
	EXPECT_EQ(op.iv_id, 0xc0a82a01);
	cfg.is_v6 = true;
	tsst_addr(true, 1, src);
	uet_tss_op_init(&cfg, 1, &ends, src, &op);
	EXPECT_EQ(op.iv_id, 0xabcdef);
	EXPECT_EQ(op.kid.id_len, 16);
	EXPECT_MEMEQ(op.kid.id, src, 16);
	op.hdr.has_ssi = true;
	uet_tss_op_init(&cfg, 1, &ends, src, &op);
	EXPECT_EQ(op.iv_id, 7);
	EXPECT_EQ(op.kid.id_len, 4);
	EXPECT_EQ(get_unaligned_be32(op.kid.id), 7);
}

/* The counter picks the key in mode cluster, and in no other. */
TEST(tss_op__counter_selects_the_key_in_mode_cluster_only)
{
	struct uet_tss_cfg cfg;
	struct uet_tss_op op = { .hdr = { .tsc = 0x74e500000023ULL } };
	u8 addr[4] = { 0 };
	struct uet_tss_ends ends = { .src = addr, .dst = addr };

	uet_tss_cfg_init(&cfg);
	uet_tss_op_init(&cfg, 1, &ends, addr, &op);
	EXPECT_EQ(op.kid.rekey, 0x74e5);
	cfg.rekey_mask = 0xff00;
	cfg.rekey_shift = 8;
	op.hdr.tsc = 0x123456;
	uet_tss_op_init(&cfg, 1, &ends, addr, &op);
	EXPECT_EQ(op.kid.rekey, 0x34);
	cfg.rekey_mask = 0;
	uet_tss_op_init(&cfg, 1, &ends, addr, &op);
	EXPECT_EQ(op.kid.rekey, 0);
	cfg.mode = UET_TSS_SERVER;
	cfg.rekey_mask = 0xff00;
	uet_tss_op_init(&cfg, 1, &ends, addr, &op);
	EXPECT_EQ(op.kid.rekey, 0);
	cfg.mode = UET_TSS_DIRECT;
	op.hdr.epoch = 9;
	uet_tss_op_init(&cfg, 1, &ends, addr, &op);
	EXPECT_EQ(op.kid.epoch, 0);
	EXPECT_EQ(op.kid.id_len, 0);
}

/* A client's domain: its own key, from the server's. */
static void form_client(const struct uet_tss_sd *server,
			struct uet_tss_sd *client, u16 host)
{
	struct uet_tss_cfg cfg = server->cfg;
	struct uet_tss_kid kid = {
		.serial = server->sa[0].serial, .epoch = TSST_EPOCH,
	};
	struct uet_tss_key key;

	cfg.is_client = true;
	cfg.ssi = 77;
	kid.id_len = cfg.is_v6 && !cfg.has_ssi ? 16 : 4;
	tsst_addr(cfg.is_v6 && !cfg.has_ssi, host, kid.id);
	if (cfg.has_ssi)
		put_unaligned_be32(cfg.ssi, kid.id);
	uet_tss_derive(server, &kid, &tsst_ops, NULL, &key);
	uet_tss_sd_init(client, &cfg);
	if (uet_tss_key_set(client, 0, &key, TSST_EPOCH, 0) ||
	    uet_tss_key_use(client, 0))
		tsst_die("client");
}

/* @to takes what @from sends, and the other way round. */
static void form_both_ways(struct uet_tss_sd *from, struct uet_tss_sd *to,
			   struct tsst_form form)
{
	struct uet_tss_src at_to = { 0 }, at_from = { 0 };
	u8 plain[100], *text = NULL;
	struct uet_tss_op op;
	struct tsst_pkt pkt;
	size_t len = 0, n;

	for (n = UET_PROLOGUE_LEN; n <= sizeof(plain); n++) {
		utest_rand_fill(plain, n);
		ASSERT_EQ(tsst_seal(from, form, 1, 2, &at_from, plain, n, &pkt),
			  UET_DROP_NONE);
		ASSERT_EQ(tsst_open(to, &at_to, &pkt, &op, &text, &len),
			  UET_DROP_NONE);
		ASSERT_EQ(len, n);
		EXPECT_MEMEQ(text, plain, n);
		ASSERT_EQ(tsst_seal(to, form, 2, 1, &at_to, plain, n, &pkt),
			  UET_DROP_NONE);
		ASSERT_EQ(tsst_open(from, &at_from, &pkt, &op, &text, &len),
			  UET_DROP_NONE);
		ASSERT_EQ(len, n);
		EXPECT_MEMEQ(text, plain, n);
	}
}

/* Modes, addresses, UDP or native, with and without SSI: what may be, works. */
TEST(tss_form__all_forms_work_both_ways)
{
	struct uet_tss_sd a, b;
	struct uet_tss_cfg cfg;
	unsigned int i, legal = 0;
	struct tsst_form form;

	for (i = 0; i < 8 * UET_TSS_MODE_NR; i++) {
		form = (struct tsst_form) { .is_v6 = i & 1, .is_udp = i & 2 };
		uet_tss_cfg_init(&cfg);
		cfg.sdi = TSST_SDI;
		cfg.mode = i / 8;
		cfg.is_v6 = form.is_v6;
		cfg.has_ssi = i & 4;
		cfg.ssi = 1;
		if (cfg.mode != UET_TSS_CLUSTER)
			cfg.rekey_mask = 0;
		if (uet_tss_cfg_wrong(&cfg))
			continue;
		legal++;
		tsst_sd(&b, &cfg);
		if (cfg.mode == UET_TSS_SERVER) {
			if (cfg.has_ssi)
				b.sa[0].tsc |= UET_TSS_TSC_SERVER;
			form_client(&b, &a, 1);
		} else {
			cfg.ssi = 2;
			tsst_sd(&a, &cfg);
		}
		form_both_ways(&a, &b, form);
	}
	/* Not over IPv6 without SSI: direct and server, UDP and native. */
	EXPECT_EQ(legal, 8 * UET_TSS_MODE_NR - 4);
}
