// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks on sealed packets, in every mode and form: what is not exactly what a
 * member of the domain sealed for this receiver, and sealed for it just now, is
 * refused, and counted once.
 * Spec: UE 1.0.1 3.7.  Level: test of core L2.
 */
#include "tsscrypt.h"

#define ATTACK_PLAIN	48

/* A receiver, its domain and what it knows, and a packet for it. */
struct attack {
	struct uet_tss_sd tx, rx;
	struct uet_tss_src src;
	struct tsst_pkt pkt;
	unsigned int tried;
	unsigned int accepted;
};

static u64 attack_counted(const struct attack *at)
{
	return at->rx.stats.auth_fails + at->rx.stats.replays +
	       at->rx.stats.refused;
}

/* Give it a packet that it must not take. Return: what it says. */
static enum uet_drop attack_try(struct attack *at, struct tsst_pkt pkt)
{
	u64 counted = attack_counted(at);
	struct uet_tss_op op;
	enum uet_drop why;
	size_t len;
	u8 *text;

	at->tried++;
	why = tsst_open(&at->rx, &at->src, &pkt, &op, &text, &len);
	at->accepted += !why;
	if (why && why != UET_DROP_TSS_CLEAR)
		EXPECT_EQ(attack_counted(at), counted + 1);
	return why;
}

static enum uet_drop attack_good(struct attack *at, struct tsst_pkt pkt)
{
	struct uet_tss_op op;
	size_t len;
	u8 *text;

	return tsst_open(&at->rx, &at->src, &pkt, &op, &text, &len);
}

/* A packet from .1 to .2. */
static void attack_packet(struct attack *at, struct tsst_form form)
{
	u8 plain[ATTACK_PLAIN];

	utest_rand_fill(plain, sizeof(plain));
	if (tsst_seal(&at->tx, form, 1, 2, NULL, plain, sizeof(plain), &at->pkt))
		tsst_die("packet");
}

/* Return: is there such a domain? */
static bool attack_begin(struct attack *at, unsigned int nr,
			 struct tsst_form *form)
{
	struct uet_tss_cfg cfg;

	memset(at, 0, sizeof(*at));
	*form = (struct tsst_form) { .is_v6 = nr & 1, .is_udp = nr & 2 };
	uet_tss_cfg_init(&cfg);
	cfg.sdi = TSST_SDI;
	cfg.mode = nr & 8 ? UET_TSS_CLUSTER : UET_TSS_DIRECT;
	cfg.is_v6 = form->is_v6;
	cfg.has_ssi = nr & 4;
	cfg.ssi = 0x51;
	if (cfg.mode != UET_TSS_CLUSTER)
		cfg.rekey_mask = 0;
	if (uet_tss_cfg_wrong(&cfg))
		return false;
	tsst_sd(&at->tx, &cfg);
	cfg.ssi = 0x52;
	tsst_sd(&at->rx, &cfg);
	attack_packet(at, *form);
	return true;
}

#define ATTACK_FORMS	16
#define ATTACK_LEGAL	14

TEST(tss_attack__flipped_bits_are_refused)
{
	struct tsst_form form;
	struct tsst_pkt bad;
	struct attack at;
	unsigned int nr, legal = 0, tried = 0;
	size_t bit;

	for (nr = 0; nr < ATTACK_FORMS; nr++) {
		if (!attack_begin(&at, nr, &form))
			continue;
		legal++;
		for (bit = 8 * at.pkt.addrs; bit < 8 * at.pkt.len; bit++) {
			size_t byte = bit / 8;

			if (form.is_udp && (byte == at.pkt.l4 + 6 ||
					    byte == at.pkt.l4 + 7))
				continue;	/* not covered: its checksum */
			bad = at.pkt;
			bad.bytes[byte] ^= 1 << bit % 8;
			EXPECT_NE(attack_try(&at, bad), UET_DROP_NONE);
		}
		EXPECT_EQ(at.accepted, 0);
		tried += at.tried;
		/* And the packet itself was good all the time. */
		EXPECT_EQ(attack_good(&at, at.pkt), UET_DROP_NONE);
	}
	EXPECT_EQ(legal, ATTACK_LEGAL);
	printf("# %u packets with one bit wrong, 0 accepted\n", tried);
}

TEST(tss_attack__wrong_lengths_are_refused)
{
	struct tsst_form form;
	struct tsst_pkt bad;
	struct attack at;
	unsigned int nr;
	size_t len;

	for (nr = 0; nr < ATTACK_FORMS; nr++) {
		if (!attack_begin(&at, nr, &form))
			continue;
		for (len = at.pkt.tss; len < at.pkt.len + 20; len++) {
			if (len == at.pkt.len)
				continue;
			bad = at.pkt;
			bad.len = len;
			EXPECT_NE(attack_try(&at, bad), UET_DROP_NONE);
		}
		EXPECT_EQ(at.accepted, 0);
		EXPECT_EQ(attack_good(&at, at.pkt), UET_DROP_NONE);
	}
}

/* Later, after rotation while both keys are there, and after it. */
TEST(tss_attack__replays_are_refused)
{
	struct uet_tss_key next = { .key = { 7 } };
	struct tsst_pkt recorded[100];
	struct tsst_form form;
	struct attack at;
	unsigned int nr, i;

	for (nr = 0; nr < ATTACK_FORMS; nr++) {
		if (!attack_begin(&at, nr, &form))
			continue;
		for (i = 0; i < ARRAY_SIZE(recorded); i++) {
			attack_packet(&at, form);
			recorded[i] = at.pkt;
			ASSERT_EQ(attack_good(&at, at.pkt), UET_DROP_NONE);
			EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_REPLAY);
		}
		ASSERT_EQ(uet_tss_key_set(&at.tx, 1, &next, 0, 0), 0);
		ASSERT_EQ(uet_tss_key_set(&at.rx, 1, &next, 0, 0), 0);
		ASSERT_EQ(uet_tss_key_use(&at.tx, 1), 0);
		attack_packet(&at, form);
		ASSERT_EQ(attack_good(&at, at.pkt), UET_DROP_NONE);
		for (i = 0; i < ARRAY_SIZE(recorded); i++)
			EXPECT_EQ(attack_try(&at, recorded[i]),
				  UET_DROP_TSS_REPLAY);
		ASSERT_EQ(uet_tss_key_use(&at.rx, 1), 0);
		ASSERT_EQ(uet_tss_key_del(&at.rx, 0), 0);
		for (i = 0; i < ARRAY_SIZE(recorded); i++)
			EXPECT_EQ(attack_try(&at, recorded[i]),
				  UET_DROP_TSS_NO_KEY);
		EXPECT_EQ(at.accepted, 0);
		EXPECT_EQ(at.rx.sa[1].opened, 1);
	}
}

/*
 * A receiver that forgot everything takes recordings for packets, since the key
 * is right; but they open no PDC: each has to begin where it was just told to.
 * Once the sender has, no recording passes at all.
 */
TEST(tss_attack__replays_after_a_reload_open_no_pdc)
{
	struct tsst_pkt recorded[50];
	struct tsst_form form;
	struct uet_tss_op op;
	struct attack at;
	unsigned int i;
	size_t len;
	u8 *text;
	u32 psn;

	ASSERT_TRUE(attack_begin(&at, 10, &form));
	for (i = 0; i < ARRAY_SIZE(recorded); i++) {
		attack_packet(&at, form);
		recorded[i] = at.pkt;
	}
	memset(&at.src, 0, sizeof(at.src));
	for (i = 0; i < 20; i++) {
		struct tsst_pkt copy = recorded[i];
		u32 random = (u32)utest_rand();

		ASSERT_EQ(tsst_open(&at.rx, &at.src, &copy, &op, &text, &len),
			  UET_DROP_NONE);
		EXPECT_TRUE(uet_tss_src_start(&at.src, &op, random, &psn));
		EXPECT_EQ(psn, random);
	}
	attack_packet(&at, form);
	ASSERT_EQ(tsst_open(&at.rx, &at.src, &at.pkt, &op, &text, &len),
		  UET_DROP_NONE);
	uet_tss_src_live(&at.src, &op, 12345);
	EXPECT_FALSE(uet_tss_src_start(&at.src, &op, 1, &psn));
	EXPECT_EQ(psn, 12346);
	for (i = 0; i < ARRAY_SIZE(recorded); i++)
		EXPECT_EQ(attack_try(&at, recorded[i]), UET_DROP_TSS_REPLAY);
	EXPECT_EQ(at.accepted, 0);
}

/* Another key, and the fields that say which: changed with the packet sealed. */
TEST(tss_attack__wrong_key_or_domain_is_refused)
{
	struct uet_tss_key other = { .key = { 3 } };
	struct tsst_form form;
	struct uet_tss_cfg cfg;
	struct attack at;
	unsigned int nr;

	for (nr = 0; nr < ATTACK_FORMS; nr++) {
		if (!attack_begin(&at, nr, &form))
			continue;
		/* Sealed with the right fields and a wrong key. */
		at.tx.sa[0].base.key[0] ^= 1;
		attack_packet(&at, form);
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_AUTH);
		at.tx.sa[0].base.key[0] ^= 1;
		/* Under the other number, where there is no key or another. */
		at.tx.sa[1] = at.tx.sa[0];
		at.tx.an = 1;
		attack_packet(&at, form);
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_NO_KEY);
		ASSERT_EQ(uet_tss_key_set(&at.rx, 1, &other, TSST_EPOCH, 0), 0);
		attack_packet(&at, form);
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_AUTH);
		at.tx.an = 0;
		/* A packet of an old epoch. */
		at.tx.sa[0].epoch -= 17;
		attack_packet(&at, form);
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_EPOCH);
		at.tx.sa[0].epoch += 17;
		/* A packet of another domain that has the same key, sent to ours. */
		cfg = at.tx.cfg;
		cfg.sdi = TSST_SDI + 1;
		tsst_sd(&at.tx, &cfg);
		attack_packet(&at, form);
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_NO_SD);
		at.pkt.bytes[at.pkt.tss + 3] = TSST_SDI;
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_AUTH);
		EXPECT_EQ(at.accepted, 0);
	}
}

/* Sent back to who sealed it, with or without the addresses turned round. */
TEST(tss_attack__swapped_direction_is_refused)
{
	u8 turned[32], *addrs;
	struct tsst_form form;
	struct attack at;
	unsigned int nr;
	size_t n;

	for (nr = 0; nr < ATTACK_FORMS; nr++) {
		if (!attack_begin(&at, nr, &form))
			continue;
		n = form.is_v6 ? 16 : 4;
		addrs = at.pkt.bytes + at.pkt.addrs;
		memcpy(turned, addrs + n, n);
		memcpy(turned + n, addrs, n);
		memcpy(addrs, turned, 2 * n);
		EXPECT_EQ(attack_try(&at, at.pkt), UET_DROP_TSS_AUTH);
		EXPECT_EQ(at.accepted, 0);
	}
}

/* Client and server share a key: a packet must not pass as one of the other's. */
TEST(tss_attack__reflected_packet_is_refused)
{
	struct uet_tss_sd server, client;
	struct uet_tss_src src = { 0 };
	struct uet_tss_cfg cfg;
	struct uet_tss_kid kid;
	struct uet_tss_key key;
	struct uet_tss_op op;
	struct tsst_pkt pkt;
	u8 plain[20] = { 0 }, *text;
	size_t len;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = TSST_SDI;
	cfg.mode = UET_TSS_SERVER;
	cfg.rekey_mask = 0;
	cfg.has_ssi = true;
	cfg.ssi = 9;
	tsst_sd(&server, &cfg);
	kid = (struct uet_tss_kid) {
		.serial = server.sa[0].serial, .epoch = TSST_EPOCH,
		.id_len = 4, .id = { 0, 0, 0, 9 },
	};
	ASSERT_EQ(uet_tss_derive(&server, &kid, &tsst_ops, NULL, &key), 0);
	cfg.is_client = true;
	uet_tss_sd_init(&client, &cfg);
	ASSERT_EQ(uet_tss_key_set(&client, 0, &key, TSST_EPOCH, 0), 0);
	ASSERT_EQ(uet_tss_key_use(&client, 0), 0);
	/* The packet is sealed by the client with its own key, even for itself. */
	ASSERT_EQ(tsst_seal(&client, (struct tsst_form) { .is_udp = true }, 2, 1,
			    NULL, plain, sizeof(plain), &pkt), UET_DROP_NONE);
	EXPECT_EQ(tsst_open(&client, &src, &pkt, &op, &text, &len),
		  UET_DROP_TSS_REFLECTED);
	EXPECT_EQ(client.stats.refused, 1);
}

TEST(tss_attack__clear_and_trimmed_packets_are_refused)
{
	struct tsst_form form;
	struct attack at;
	u8 type;

	ASSERT_TRUE(attack_begin(&at, 2, &form));
	for (type = 0; type < UET_TY_NR; type++) {
		struct tsst_pkt clear = at.pkt;

		clear.bytes[clear.tss] = type << 3;
		if (type == UET_TY_TSS)
			continue;
		EXPECT_EQ(attack_try(&at, clear), UET_DROP_TSS_CLEAR);
	}
	EXPECT_EQ(uet_tss_policy(true, UET_TY_TSS, true), UET_DROP_TSS_TRIMMED);
	EXPECT_EQ(at.accepted, 0);
}

/* Ten thousand forgeries change nothing for who has the key. */
TEST(tss_attack__floods_of_forgeries_change_nothing)
{
	struct tsst_form form;
	struct tsst_pkt bad;
	struct attack at;
	int i;

	ASSERT_TRUE(attack_begin(&at, 10, &form));
	for (i = 0; i < 10000; i++) {
		bad = at.pkt;
		put_unaligned_be48(utest_rand() >> 16,
				   bad.bytes + bad.tss + 6);
		utest_rand_fill(bad.bytes + bad.len - UET_ICV_LEN, UET_ICV_LEN);
		EXPECT_EQ(attack_try(&at, bad), UET_DROP_TSS_AUTH);
	}
	EXPECT_EQ(at.rx.stats.auth_fails, 10000);
	EXPECT_EQ(attack_good(&at, at.pkt), UET_DROP_NONE);
	EXPECT_EQ(at.accepted, 0);
}
