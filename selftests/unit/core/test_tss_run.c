// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that are sealed or opened in a row: the result is that of the same packets one by
 * one, or nothing has changed.  Spec: UE 1.0.1 3.7.  Level: test of core L2.
 */
#include "core/tss/tss.h"
#include "utest.h"

#define RUN_MAX		64

static u8 run_src[16] = { 10, 0, 0, 1 }, run_dst[16] = { 10, 0, 0, 2 };
static const struct uet_tss_ends run_ends = { run_src, run_dst };

static u64 run_seed = 1;

static u32 run_random(u32 below)
{
	run_seed = run_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(run_seed >> 33) % below;
}

/* A domain whose next counter is @tsc, with some rules of their own. */
static void run_sd(struct uet_tss_sd *sd, u32 rules, u64 tsc)
{
	struct uet_tss_key key = { .key = { 1 } };
	struct uet_tss_cfg cfg;

	uet_tss_cfg_init(&cfg);
	cfg.sdi = 5;
	cfg.has_ssi = rules & 1;
	cfg.ssi = rules & 1 ? 77 : 0;
	if (rules & 2) {
		cfg.rekey_mask = 0xf0;
		cfg.rekey_shift = 4;
	}
	if (rules & 4)
		cfg.seal_limit = 40;
	uet_tss_sd_init(sd, &cfg);
	if (uet_tss_cfg_wrong(&cfg) || uet_tss_key_set(sd, 0, &key, 100, tsc) ||
	    uet_tss_key_use(sd, 0))
		exit(1);
}

static void run_expect_same_op(const struct uet_tss_op *a, const struct uet_tss_op *b)
{
	ASSERT_EQ(a->hdr.tsc, b->hdr.tsc);
	ASSERT_EQ(a->hdr.an, b->hdr.an);
	ASSERT_EQ(a->hdr.epoch, b->hdr.epoch);
	ASSERT_EQ(a->hdr.ssi, b->hdr.ssi);
	ASSERT_EQ(a->iv_id, b->iv_id);
	ASSERT_EQ(memcmp(&a->kid, &b->kid, sizeof(a->kid)), 0);
}

TEST(tss_seal_run__is_as_many_single_packets)
{
	int i, step;

	for (i = 0; i < 2000; i++) {
		u64 tsc = i & 1 ? run_random(1000) : UET_TSS_TSC_END - 1 - run_random(80);
		u32 rules = run_random(8), max = 1 + run_random(RUN_MAX), nr = max, n;
		struct uet_tss_sd one, many;
		struct uet_tss_op op, single;
		enum uet_drop why;

		run_sd(&one, rules, tsc);
		run_sd(&many, rules, tsc);
		for (step = 0; step < 3; step++, nr = max) {
			why = uet_tss_seal_run(&many, &run_ends, NULL, &nr, &op);
			if (why) {
				ASSERT_EQ(uet_tss_seal(&one, &run_ends, NULL, &single),
					  why);
				break;
			}
			ASSERT_TRUE(nr && nr <= max);
			for (n = 0; n < nr; n++, uet_tss_op_step(&op, 1)) {
				ASSERT_EQ(uet_tss_seal(&one, &run_ends, NULL, &single),
					  UET_DROP_NONE);
				run_expect_same_op(&op, &single);
			}
			ASSERT_EQ(one.sa[0].tsc, many.sa[0].tsc);
			ASSERT_EQ(one.sa[0].sealed, many.sa[0].sealed);
		}
	}
}

static void run_expect_same_src(const struct uet_tss_src *a, const struct uet_tss_src *b)
{
	const struct uet_tss_seen *x = &a->seen[0], *y = &b->seen[0];

	ASSERT_EQ(x->serial, y->serial);
	ASSERT_EQ(x->epoch, y->epoch);
	ASSERT_EQ(x->top, y->top);
	ASSERT_EQ(x->floor, y->floor);
	ASSERT_EQ(x->is_live, y->is_live);
	ASSERT_EQ(memcmp(x->bits, y->bits, sizeof(x->bits)), 0);
	ASSERT_EQ(a->has_ssi, b->has_ssi);
	ASSERT_EQ(a->ssi, b->ssi);
	ASSERT_EQ(a->expected_psn, b->expected_psn);
}

static size_t run_encode(const struct uet_tss_hdr *hdr, u8 *buf)
{
	memset(buf, 0, 64);
	uet_wire_tss_encode(hdr, buf, 64);
	return 64;
}

/* One packet as a receiver takes it. */
static enum uet_drop run_take_one(struct uet_tss_sd *sd, struct uet_tss_src *src,
				  const struct uet_tss_hdr *hdr)
{
	struct uet_tss_op op;
	enum uet_drop why;
	size_t used;
	u8 buf[64];

	why = uet_tss_open_begin(sd, &run_ends, buf, run_encode(hdr, buf), src, &op,
				 &used);
	return why ? why : uet_tss_open_end(sd, &op, src, true);
}

/* @nr packets from @first on as a run. Return: all were taken. */
static bool run_take(struct uet_tss_sd *sd, struct uet_tss_src *src,
		     const struct uet_tss_hdr *first, u32 nr)
{
	struct uet_tss_hdr hdr = *first;
	struct uet_tss_op op;
	size_t used;
	u8 buf[64];
	u32 i;

	if (uet_tss_open_run_begin(sd, &run_ends, buf, run_encode(&hdr, buf), src, &op,
				   &used))
		return false;
	for (i = 0; i < nr; i++, hdr.tsc++)
		if (!uet_tss_open_run_next(&sd->cfg, &op, i, buf, run_encode(&hdr, buf)))
			return false;
	return uet_tss_open_run_end(sd, &op, nr, src);
}

/* Random runs, some of them repeated or late, in two domains. */
TEST(tss_open_run__is_as_many_single_packets_or_nothing)
{
	u32 taken = 0, refused = 0, i;

	for (i = 0; i < 400; i++) {
		u32 rules = run_random(4), nr, n, good, step;
		struct uet_tss_src one = { 0 }, many = { 0 }, before;
		struct uet_tss_sd a, b;
		u64 tsc = 5000;

		run_sd(&a, rules, 0);
		run_sd(&b, rules, 0);
		for (step = 0; step < 20; step++) {
			struct uet_tss_hdr hdr = {
				.has_ssi = rules & 1, .ssi = rules & 1 ? 77 : 0, .sdi = 5,
				.epoch = 100 + (step > 12), .tsc = tsc,
			};

			if (!run_random(4))
				hdr.tsc -= run_random(2500);
			nr = 1 + run_random(RUN_MAX);
			before = many;
			if (!run_take(&b, &many, &hdr, nr)) {
				run_expect_same_src(&many, &before);
				ASSERT_EQ(b.stats.replays + b.stats.refused +
					  b.stats.auth_fails, 0);
				refused++;
				continue;
			}
			taken++;
			for (n = good = 0; n < nr; n++, hdr.tsc++)
				good += !run_take_one(&a, &one, &hdr);
			ASSERT_EQ(good, nr);
			run_expect_same_src(&many, &one);
			ASSERT_EQ(a.sa[0].opened, b.sa[0].opened);
			tsc += run_random(3000);
		}
	}
	EXPECT_TRUE(taken > 1000);
	EXPECT_TRUE(refused > 1000);
}

TEST(tss_open_run__any_packet_that_was_seen_refuses_all)
{
	struct uet_tss_hdr hdr = { .sdi = 5, .epoch = 100, .tsc = 5000 };
	u32 i;

	for (i = 0; i < 10; i++) {
		struct uet_tss_hdr seen = hdr;
		struct uet_tss_src src = { 0 };
		struct uet_tss_sd sd;

		run_sd(&sd, 0, 0);
		seen.tsc += i;
		ASSERT_EQ(run_take_one(&sd, &src, &seen), UET_DROP_NONE);
		EXPECT_FALSE(run_take(&sd, &src, &hdr, 10));
		EXPECT_EQ(sd.sa[0].opened, 1);
		/* The others are new all the same. */
		for (seen.tsc = hdr.tsc; seen.tsc < hdr.tsc + 10; seen.tsc++)
			EXPECT_EQ(run_take_one(&sd, &src, &seen),
				  seen.tsc == hdr.tsc + i ? UET_DROP_TSS_REPLAY :
							    UET_DROP_NONE);
		EXPECT_EQ(sd.sa[0].opened, 10);
		EXPECT_EQ(sd.stats.replays, 1);
	}
}

/* Is @next taken behind @first? */
static bool run_follows(const struct uet_tss_sd *sd, const struct uet_tss_hdr *first,
			const struct uet_tss_hdr *next, size_t len)
{
	struct uet_tss_op op;
	size_t used;
	u8 buf[64];

	run_encode(first, buf);
	if (uet_tss_open_run_begin(sd, &run_ends, buf, 64, NULL, &op, &used))
		return false;
	run_encode(next, buf);
	return uet_tss_open_run_next(&sd->cfg, &op, 1, buf, len);
}

TEST(tss_open_run__each_field_has_to_continue)
{
	struct uet_tss_hdr hdr = { .sdi = 5, .epoch = 100, .tsc = 5000 }, next;
	struct uet_tss_sd sd;
	size_t n;

	run_sd(&sd, 0, 0);
	next = hdr;
	next.tsc++;
	for (n = 0; n < 64; n++)
		EXPECT_EQ(run_follows(&sd, &hdr, &next, n), n >= 12 + 2 + 16);
	next.tsc++;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));
	EXPECT_FALSE(run_follows(&sd, &hdr, &hdr, 64));
	next.tsc = hdr.tsc + 1;
	next.epoch++;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));
	next.epoch = hdr.epoch;
	next.sdi++;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));
	next.sdi = hdr.sdi;
	next.an = 1;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));
	next.an = 0;
	next.has_ssi = true;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));

	/* The halves of the counters, and those of two derived keys. */
	hdr.tsc = UET_TSS_TSC_SERVER - 1;
	next = hdr;
	next.tsc++;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));
	run_sd(&sd, 2, 0);
	hdr.tsc = 0x4f;
	next.tsc = 0x50;
	EXPECT_FALSE(run_follows(&sd, &hdr, &next, 64));
	hdr.tsc = 0x4e;
	next.tsc = 0x4f;
	EXPECT_TRUE(run_follows(&sd, &hdr, &next, 64));
}

TEST(tss_open_run__keys_and_domains_end_under_way)
{
	struct uet_tss_hdr hdr = { .sdi = 5, .epoch = 100, .tsc = 5000 };
	struct uet_tss_key other = { .key = { 2 } };
	struct uet_tss_src src = { 0 };
	struct uet_tss_op op;
	struct uet_tss_sd sd;
	size_t used;
	u8 buf[64];

	run_sd(&sd, 0, 0);
	ASSERT_EQ(uet_tss_open_run_begin(&sd, &run_ends, buf, run_encode(&hdr, buf), &src,
					 &op, &used), UET_DROP_NONE);
	sd.is_shut = true;
	EXPECT_FALSE(uet_tss_open_run_end(&sd, &op, 3, &src));
	sd.is_shut = false;
	ASSERT_EQ(uet_tss_key_del(&sd, 0), 0);
	EXPECT_FALSE(uet_tss_open_run_end(&sd, &op, 3, &src));
	ASSERT_EQ(uet_tss_key_set(&sd, 0, &other, 100, 0), 0);
	EXPECT_FALSE(uet_tss_open_run_end(&sd, &op, 3, &src));
	EXPECT_EQ(src.seen[0].serial, 0);
	EXPECT_EQ(sd.sa[0].opened, 0);
	EXPECT_EQ(sd.stats.refused, 0);
}

/* To a server the address of a client belongs to the SSI that used it first. */
TEST(tss_open_run__an_address_stays_with_its_ssi)
{
	struct uet_tss_hdr hdr = { .has_ssi = true, .ssi = 77, .sdi = 5, .epoch = 100,
				   .tsc = 5000 };
	struct uet_tss_src src = { .has_ssi = true, .ssi = 78 };
	struct uet_tss_op op;
	struct uet_tss_sd sd;
	size_t used;
	u8 buf[64];

	run_sd(&sd, 1, 0);
	ASSERT_EQ(uet_tss_open_run_begin(&sd, &run_ends, buf, run_encode(&hdr, buf), NULL,
					 &op, &used), UET_DROP_NONE);
	sd.cfg.mode = UET_TSS_SERVER;
	EXPECT_FALSE(uet_tss_open_run_end(&sd, &op, 3, &src));
	EXPECT_EQ(src.seen[0].serial, 0);
	src.ssi = 77;
	EXPECT_TRUE(uet_tss_open_run_end(&sd, &op, 3, &src));
}
