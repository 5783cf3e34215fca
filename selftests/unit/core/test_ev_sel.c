// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/ev.c: what all ways to choose have in common, for
 * each of them, and the policy with one value.  Spec: UE 1.0.1 3.6.16.
 * Level: test of core L3.
 */
#include "../../../tools/fabric/ev_check.h"
#include "evtest.h"

TEST(ev_sel__same_seed_gives_same_values)
{
	struct evtest a, b;
	u32 policy, i;

	for (policy = 0; policy < UET_EV_POLICY_NR; policy++) {
		evtest_init(&a, policy, 64, 4);
		evtest_init(&b, policy, 64, 4);
		for (i = 0; i < 1000; i++) {
			enum uet_ev_feedback feedback =
				utest_rand() % UET_EV_FEEDBACK_NR;
			u16 ev = evtest_next(&a);

			if (ev != evtest_next(&b))
				break;
			evtest_feedback(&a, ev, feedback);
			evtest_feedback(&b, ev, feedback);
		}
		EXPECT_EQ(i, 1000);
	}
}

TEST(ev_sel__values_are_its_own_and_never_zero)
{
	struct evtest t;
	u32 policy, i, seed;

	for (policy = 0; policy < UET_EV_POLICY_NR; policy++) {
		for (seed = 0; seed < 200; seed++) {
			evtest_init(&t, policy, 32768, 1);
			uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, seed, 0);
			for (i = 0; i < 20; i++) {
				u16 ev = evtest_next(&t);

				EXPECT_NE(ev, 0);
				EXPECT_LT(uet_ev_sel_index(&t.sel, ev), 32768);
			}
			EXPECT_GE(uet_ev_sel_index(&t.sel, 0), 32768);
		}
	}
}

/* Least share of 0s or of 1s, in percent, of a bit of the values of a rail of @rails. */
static u32 least_share(const struct uet_ev_sel *sel, u32 rails)
{
	u32 ones[UET_EV_LANES][16] = { 0 }, nr[UET_EV_LANES] = { 0 };
	u32 least = 100, i, bit, rail;

	for (i = 0; i < sel->cfg.values; i++) {
		u16 ev = uet_ev_sel_value(sel, i);

		rail = uet_ev_lane(ev) * rails / UET_EV_LANES;
		nr[rail]++;
		for (bit = 0; bit < 16; bit++)
			ones[rail][bit] += ev >> bit & 1;
	}
	for (rail = 0; rail < rails; rail++) {
		EXPECT_LE(nr[rail], sel->cfg.values / rails + 4);
		EXPECT_GE(nr[rail] + 4, sel->cfg.values / rails);
		for (bit = 0; bit < 16; bit++)
			least = min3(least, 100 * ones[rail][bit] / nr[rail],
				     100 - 100 * ones[rail][bit] / nr[rail]);
	}
	return least;
}

TEST(ev_sel__no_bit_of_the_values_of_a_rail_is_constant)
{
	struct evtest t;
	u32 seed;

	for (seed = 0; seed < 200; seed++) {
		evtest_init(&t, UET_EV_MIXED, 128, 1);
		uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, seed, 0);
		EXPECT_GE(least_share(&t.sel, 1), 40);
		EXPECT_GE(least_share(&t.sel, 2), 33);
		EXPECT_GE(least_share(&t.sel, 4), 25);
		EXPECT_GE(least_share(&t.sel, 8), 10);
	}
}

TEST(ev_sel__port_of_a_value_never_changes)
{
	struct evtest t;
	u8 port[65536];
	u32 i;

	evtest_init(&t, UET_EV_MIXED, 128, 3);
	memset(port, 0xff, sizeof(port));
	for (i = 0; i < 2000; i++) {
		u16 ev = evtest_next(&t);

		EXPECT_LT(uet_ev_sel_port(&t.sel, ev), 3);
		if (port[ev] != 0xff)
			EXPECT_EQ(port[ev], uet_ev_sel_port(&t.sel, ev));
		port[ev] = uet_ev_sel_port(&t.sel, ev);
		evtest_feedback(&t, ev, utest_rand() % UET_EV_FEEDBACK_NR);
	}
}

/* Any ports, any number of values, any knowledge: only free ones are used. */
TEST(ev_sel__only_free_ports_are_used)
{
	struct evtest t;
	u32 policy, ports, i;

	for (policy = UET_EV_OBLIVIOUS; policy < UET_EV_POLICY_NR; policy++) {
		for (ports = 1; ports <= 8; ports++) {
			evtest_init(&t, policy, 1 << (3 + ports % 4),
				    (u8)ports);
			for (i = 0; i < 500; i++) {
				u32 free = (1 + utest_rand()) % (1U << ports);
				u16 ev = uet_ev_sel_next(&t.sel, free);
				u8 port = uet_ev_sel_port(&t.sel, ev);

				EXPECT_TRUE(!free || free >> port & 1);
				evtest_feedback(&t, ev, utest_rand() % 4);
			}
		}
	}
}

TEST(ev_sel__bits_of_absent_ports_are_ignored)
{
	struct evtest t;
	u16 good;

	evtest_init(&t, UET_EV_REPS, 1024, 2);
	good = evtest_value(&t, 77);
	/* As if no port were told: what is known is used. */
	evtest_feedback(&t, good, UET_EV_GOOD);
	EXPECT_EQ(uet_ev_sel_next(&t.sel, 0xfffffffc), good);
	evtest_feedback(&t, good, UET_EV_GOOD);
	EXPECT_EQ(uet_ev_sel_next(&t.sel, 0xfffffffe), good);
	EXPECT_EQ(uet_ev_sel_port(&t.sel, good), 1);
}

TEST(ev_sel__foreign_values_are_ignored)
{
	struct evtest t;
	u32 policy;

	for (policy = 0; policy < UET_EV_POLICY_NR; policy++) {
		evtest_init(&t, policy, 64, 1);
		evtest_feedback(&t, evtest_value(&t, 64), UET_EV_TIMEOUT);
		EXPECT_EQ(t.sel.feedbacks[UET_EV_TIMEOUT], 0);
		EXPECT_EQ(t.sel.nr_bad, 0);
	}
}

TEST(ev_sel_single__keeps_its_value)
{
	struct evtest t;
	u16 ev;
	u32 i;

	evtest_init(&t, UET_EV_SINGLE, 64, 1);
	ev = evtest_next(&t);
	for (i = 0; i < 100; i++) {
		t.now += 1000000;
		evtest_feedback(&t, ev, i & 1 ? UET_EV_GOOD : UET_EV_ECN);
		EXPECT_EQ(evtest_next(&t), ev);
	}
}

TEST(ev_sel_single__moves_but_not_often)
{
	struct evtest t;
	u16 first, second;

	evtest_init(&t, UET_EV_SINGLE, 64, 1);
	t.sel.cfg.reroute_ns = 5000;
	first = evtest_next(&t);
	t.now += 4999;
	evtest_feedback(&t, first, UET_EV_NACK);
	EXPECT_EQ(evtest_next(&t), first);
	t.now += 1;
	evtest_feedback(&t, first, UET_EV_NACK);
	second = evtest_next(&t);
	EXPECT_NE(second, first);
	/* Feedback for the old value is ignored. */
	t.now += 5000;
	evtest_feedback(&t, first, UET_EV_TIMEOUT);
	EXPECT_EQ(evtest_next(&t), second);
	evtest_feedback(&t, second, UET_EV_TIMEOUT);
	EXPECT_NE(evtest_next(&t), second);
	/* Feedback from before the move. */
	first = evtest_next(&t);
	t.now -= 1;
	evtest_feedback(&t, first, UET_EV_TIMEOUT);
	EXPECT_EQ(evtest_next(&t), first);
}

#define EXPECT_REFUSED(text, ...) do {					\
	struct uet_ev_cfg _c;						\
									\
	uet_ev_cfg_init(&_c);						\
	EXPECT_NULL(fab_ev_cfg_check(&_c));				\
	__VA_ARGS__;							\
	EXPECT_STREQ(fab_ev_cfg_check(&_c), text);			\
} while (0)

TEST(ev_cfg_check__refusal_names_the_setting)
{
	EXPECT_REFUSED("policy: no such one", _c.policy = UET_EV_POLICY_NR);
	EXPECT_REFUSED("values must be a power of two in 1..32768",
		       _c.values = 0);
	EXPECT_REFUSED("values must be a power of two in 1..32768",
		       _c.values = 100);
	EXPECT_REFUSED("values must be a power of two in 1..32768",
		       _c.values = 65536);
	EXPECT_REFUSED("ports must be 1..32", _c.ports = 0);
	EXPECT_REFUSED("ports must be 1..32", _c.ports = 33);
	EXPECT_REFUSED("ports must not be more than values",
		       _c.values = 2; _c.bad_max = 1; _c.ports = 3);
	EXPECT_REFUSED("ring must be at most 64 values", _c.ring = 65);
	EXPECT_REFUSED("shunned values must not be more than values",
		       _c.bad_max = 129);
}

TEST(ev_sel_init__zeros_stand_for_defaults)
{
	struct evtest t;

	evtest_init(&t, UET_EV_MAP, 64, 1);
	t.cfg.ring = 0;
	uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, 0, 0);
	EXPECT_EQ(t.sel.cfg.ring, 8);
	EXPECT_EQ(t.sel.cfg.bad_max, 64);
	EXPECT_NE(evtest_next(&t), evtest_next(&t));
}

TEST(ev_sel_space__only_policies_with_penalties_need_space)
{
	struct uet_ev_cfg cfg;

	uet_ev_cfg_init(&cfg);
	EXPECT_EQ(uet_ev_sel_space(&cfg), 128);
	cfg.policy = UET_EV_REPS;
	EXPECT_EQ(uet_ev_sel_space(&cfg), 128);
	cfg.policy = UET_EV_OBLIVIOUS;
	EXPECT_EQ(uet_ev_sel_space(&cfg), 0);
}

/* Return: packets with the same value, from the next one on. */
static u32 burst_length(struct evtest *t)
{
	u16 ev = evtest_next(t);
	u32 n = 1;

	while (evtest_next(t) == ev)
		n++;
	return n;
}

TEST(ev_sel__burst_keeps_one_value_unless_feedback_is_bad)
{
	struct evtest t;
	u16 ev;

	evtest_init(&t, UET_EV_OBLIVIOUS, 64, 1);
	t.cfg.burst = 4;
	uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, 1, 0);
	EXPECT_EQ(burst_length(&t), 4);
	/* One of the next burst was sent to see that. */
	EXPECT_EQ(burst_length(&t), 3);

	/* Good feedback continues the burst, bad feedback ends it. */
	ev = evtest_next(&t);
	evtest_feedback(&t, ev, UET_EV_GOOD);
	EXPECT_EQ(evtest_next(&t), ev);
	evtest_feedback(&t, ev, UET_EV_ECN);
	EXPECT_NE(evtest_next(&t), ev);
}

TEST(ev_sel__burst_ends_when_its_port_is_not_free)
{
	struct evtest t;
	u16 ev;
	u8 port;

	evtest_init(&t, UET_EV_OBLIVIOUS, 64, 2);
	t.cfg.burst = UET_EV_BURST_MAX;
	uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, 1, 0);
	ev = uet_ev_sel_next(&t.sel, 3);
	EXPECT_EQ(uet_ev_sel_next(&t.sel, 3), ev);
	port = uet_ev_sel_port(&t.sel, ev);
	ev = uet_ev_sel_next(&t.sel, 1U << !port);
	EXPECT_EQ(uet_ev_sel_port(&t.sel, ev), !port);
}

TEST(ev_sel__burst_has_a_limit)
{
	struct uet_ev_cfg cfg;

	uet_ev_cfg_init(&cfg);
	cfg.burst = UET_EV_BURST_MAX;
	EXPECT_NULL(fab_ev_cfg_check(&cfg));
	cfg.burst++;
	EXPECT_TRUE(fab_ev_cfg_check(&cfg));
}

TEST(ev_cfg_check__largest_settings_are_legal)
{
	struct uet_ev_cfg cfg;

	uet_ev_cfg_init(&cfg);
	cfg.values = UET_EV_VALUES_MAX;
	cfg.bad_max = cfg.values;
	cfg.ports = UET_EV_PORTS_MAX;
	cfg.ring = UET_EV_RING_MAX;
	EXPECT_NULL(fab_ev_cfg_check(&cfg));
	cfg.values = UET_EV_PORTS_MAX;
	cfg.bad_max = cfg.values;
	EXPECT_NULL(fab_ev_cfg_check(&cfg));
}

TEST(ev_sel_init__takes_memory_that_is_not_zero)
{
	struct evtest a, b;
	u32 i;

	evtest_init(&a, UET_EV_MAP, 64, 1);
	memset(&b, 0xff, sizeof(b));
	evtest_init(&b, UET_EV_MAP, 64, 1);
	for (i = 0; i < 64; i++)
		EXPECT_EQ(evtest_next(&a), evtest_next(&b));
}

TEST(ev_sel_single__value_depends_on_the_seed)
{
	struct evtest t;
	u32 seed, same = 0;
	u16 first;

	evtest_init(&t, UET_EV_SINGLE, 1024, 1);
	first = evtest_next(&t);
	for (seed = 1; seed <= 50; seed++) {
		uet_ev_sel_init(&t.sel, &t.cfg, t.penalty, seed, t.now);
		same += (evtest_next(&t) & 1023) == (first & 1023);
	}
	EXPECT_LT(same, 5);
}
