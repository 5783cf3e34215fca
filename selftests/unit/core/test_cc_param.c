// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_param.c: the published table of examples, what
 * zeros stand for, and each limit.  Spec: UE 1.0.1 Tables 3-76, 3-77.
 * Level: test of core L3.
 */
#include "cctest.h"

struct example {
	u32 gbps;
	u32 rtt_us;
	u32 mtu;
	u32 bdp;
	u32 max_wnd;
	double target_trim, target, alpha, fi, eta, fi_scale;
};

static const struct example examples[] = {
	{ 10, 50, 1500, 62500, 93750, 37.5, 50, 208.33, 3125, 93.75, .10417 },
	{ 25, 30, 4096, 93750, 140625, 22.5, 30, 853.33, 12800, 384, .15625 },
	{ 100, 12, 4096, 150000, 225000, 9, 12, 1365.33, 20480, 614.4, .25 },
	{ 100, 20, 4096, 250000, 375000, 15, 20, 2275.56, 34133, 1024, .41667 },
	{ 400, 12, 4096, 600000, 900000, 9, 12, 5461.33, 81920, 2457.6, 1 },
	{ 800, 12, 4096, 1200000, 1800000, 9, 12, 10922.67, 163840, 4915.2, 2 },
};

TEST(cc_derive__worked_examples_are_exact)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];

		uet_cc_cfg_init(&cfg);
		cfg.adapts = false;
		cfg.rate_mbps = e->gbps * 1000;
		cfg.base_rtt_ns = e->rtt_us * 1000;
		cfg.mtu = e->mtu;
		ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
		EXPECT_EQ(param.bdp, e->bdp);
		EXPECT_EQ(param.max_wnd, e->max_wnd);
		EXPECT_NEAR(param.cfg.target_ns / 1000.0, e->target_trim);
		EXPECT_NEAR(param.alpha / 65.536, e->alpha);
		EXPECT_NEAR(param.fi, e->fi);
		EXPECT_NEAR(param.eta / 256.0, e->eta);
		EXPECT_NEAR(param.fi_scale / 65536.0, e->fi_scale);
		EXPECT_EQ(param.qa_threshold_ns, U64_MAX);
		EXPECT_EQ(param.adjust_bytes, 8 * e->mtu);
		EXPECT_EQ(param.adjust_period_ns, cfg.base_rtt_ns);

		cfg.has_trim = false;
		ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
		EXPECT_NEAR(param.cfg.target_ns / 1000.0, e->target);
		EXPECT_EQ(param.qa_threshold_ns, 4 * cfg.base_rtt_ns);
	}
}

TEST(cc_derive__zeros_stand_for_defaults)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_EQ(param.cfg.near_zero_ns, 1000);
	EXPECT_EQ(param.cfg.drop_bdp, 5);
	EXPECT_EQ(param.cfg.ack_gen_trigger, 16384);

	cfg.base_rtt_ns = 64000;
	cfg.target_ns = 5000;
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_EQ(param.cfg.near_zero_ns, 4000);
	EXPECT_EQ(param.cfg.target_ns, 5000);
}

TEST(cc_derive__htsim_gains_are_exact)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.htsim = UET_HTSIM_ALL;
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_EQ(param.fi, 5 * (4096 - 64));
	EXPECT_NEAR(param.alpha / 65.536, 4.0 * (4096 - 64) / 12);
	EXPECT_EQ(param.adjust_bytes, 8 * 4096);
}

TEST(cc_derive__window_holds_a_packet)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.rate_mbps = 10;
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_EQ(param.bdp, 15);
	EXPECT_EQ(param.max_wnd, 4096);
}

/* One value of many is wrong: what is said, and that nothing is written. */
#define EXPECT_REFUSED(text, ...) do {					\
	struct uet_cc_param _p;						\
	struct uet_cc_cfg _c;						\
									\
	memset(&_p, 0x5a, sizeof(_p));					\
	uet_cc_cfg_init(&_c);						\
	__VA_ARGS__;							\
	EXPECT_STREQ(uet_cc_derive(&_p, &_c), text);			\
	EXPECT_EQ(_p.bdp, 0x5a5a5a5a);					\
} while (0)

TEST(cc_derive__refusal_names_the_setting)
{
	EXPECT_REFUSED("window: no such algorithm", _c.window = 3);
	EXPECT_REFUSED("grant: no such algorithm", _c.grant = 3);
	EXPECT_REFUSED("rate must be 1..12800000 Mb/s", _c.rate_mbps = 0);
	EXPECT_REFUSED("rate must be 1..12800000 Mb/s",
		       _c.rate_mbps = 12800001);
	EXPECT_REFUSED("base RTT must be 128..1000000000 ns",
		       _c.base_rtt_ns = 127);
	EXPECT_REFUSED("base RTT must be 128..1000000000 ns",
		       _c.base_rtt_ns = 1000000001);
	EXPECT_REFUSED("MTU must be 256..16384 bytes", _c.mtu = 255);
	EXPECT_REFUSED("MTU must be 256..16384 bytes", _c.mtu = 16385);
	EXPECT_REFUSED("target delay must be at most 1000000000 ns",
		       _c.target_ns = 1000000001);
	EXPECT_REFUSED("delay that counts as none must be at most 1000000000 ns",
		       _c.near_zero_ns = 1000000001);
	EXPECT_REFUSED("drop threshold must be at most 100 BDP",
		       _c.drop_bdp = 101);
	EXPECT_REFUSED("ACK trigger must be at most 1048576 bytes",
		       _c.ack_gen_trigger = 1048577);
	EXPECT_REFUSED("constant window must be at most 57600000 bytes",
		       _c.cwnd = 57600001);
	EXPECT_REFUSED("constant window must be at least one MTU",
		       _c.cwnd = 4095);
	EXPECT_REFUSED("rate x base RTT must be at most 38400000 bytes",
		       _c.rate_mbps = 800000; _c.base_rtt_ns = 384001);
}

/* At the limits every constant still fits its type. */
TEST(cc_derive__constants_fit_at_the_limits)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.rate_mbps = 800000;
	cfg.base_rtt_ns = 384000;
	cfg.mtu = 16384;
	cfg.adapts = false;
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_NEAR(param.alpha / 65536.0, 4.0 * 256 * 16384 / 12000);
	EXPECT_NEAR(param.fi, 5.0 * 16384 * 256);
	EXPECT_NEAR(param.eta / 256.0, .15 * 16384 * 256);
	EXPECT_NEAR(param.fi_scale / 65536.0, 64.0);
}

/* The increase of a round trip without delay is half a BDP at most. */
TEST(cc_derive__a_context_that_adapts_limits_the_gain)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.rate_mbps = 100;
	cfg.base_rtt_ns = 10000000;
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_NEAR(param.alpha / 65536.0 * param.cfg.target_ns, 62500.0);
	/* The reference network is far from that limit. */
	uet_cc_cfg_init(&cfg);
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_NEAR(param.alpha / 65536.0, 4.0 * 4096 / 12000);
}

TEST(cc_derive__gains_of_a_second_fit_64_bits)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.adapts = false;
	cfg.rate_mbps = 307;
	cfg.base_rtt_ns = 1000000000;
	cfg.mtu = 16384;
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_LE((u64)param.alpha * param.cfg.target_ns >> 8, U64_MAX >> 22);
}

/* Derived constants change with the path; configured ones stay. */
TEST(cc_scale__constants_follow_the_path)
{
	struct uet_cc_param near, far;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.near_zero_ns = 2000;
	ASSERT_TRUE(!uet_cc_derive(&near, &cfg));
	uet_cc_scale(&far, &near, 120000);
	EXPECT_EQ(far.bdp, 10 * near.bdp);
	EXPECT_EQ(far.max_wnd, 10 * near.max_wnd);
	EXPECT_EQ(far.cfg.target_ns, 90000);
	EXPECT_EQ(far.cfg.near_zero_ns, 2000);
	EXPECT_EQ(far.adjust_period_ns, 120000);
	uet_cc_scale(&far, &near, 1000000000);
	EXPECT_EQ(far.bdp, UET_CC_BDP_MAX);
}

TEST(cc_set_rate__only_the_rate_differs)
{
	struct uet_cc_param param, want;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	ASSERT_TRUE(!uet_cc_derive(&param, &cfg));
	EXPECT_NULL(uet_cc_set_rate(&param, 25000));
	cfg.rate_mbps = 25000;
	ASSERT_TRUE(!uet_cc_derive(&want, &cfg));
	EXPECT_EQ(memcmp(&param, &want, sizeof(param)), 0);
	EXPECT_STREQ(uet_cc_set_rate(&param, 0), "rate must be 1..12800000 Mb/s");
	EXPECT_EQ(memcmp(&param, &want, sizeof(param)), 0);
}

TEST(cc_bytes__saturates_at_32_bits)
{
	EXPECT_EQ(uet_cc_bytes(100000, 12000), 150000);
	EXPECT_EQ(uet_cc_bytes(U32_MAX, U32_MAX), U32_MAX);
}

TEST(cc_param__constant_window_of_one_packet_is_legal)
{
	struct uet_cc_param param;
	struct uet_cc_cfg cfg;

	uet_cc_cfg_init(&cfg);
	cfg.cwnd = cfg.mtu;
	EXPECT_NULL(uet_cc_derive(&param, &cfg));
}
