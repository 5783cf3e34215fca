// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/cms/cc_pacer.c: who is granted how much when, at each
 * deadline and by a coarse timer; and sources of cc_rccc.c that live on its grants.
 * Spec: UE 1.0.1 3.6.14.  Level: test of core L3.
 */
#include "cctest.h"
#include "core/cms/cc_pacer.h"

#define FLOWS 4

struct setup {
	struct uet_pacer pacer;
	struct uet_pacer_flow flow[FLOWS];
	u64 now;
};

static void begin(struct setup *s)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	s->now = CC_T0;
	uet_pacer_init(&s->pacer, 100000, 12000, 4096, s->now);
	for (i = 0; i < FLOWS; i++)
		uet_pacer_flow_init(&s->flow[i]);
}

static void want(struct setup *s, u32 flow, u32 target)
{
	uet_pacer_demand(&s->pacer, &s->flow[flow], target, false, s->now);
}

/* Run at the deadline; what was granted goes where it is told. */
static s32 next_grant(struct setup *s)
{
	struct uet_pacer_flow *flow;
	s32 who = -1;
	u32 credit;

	s->now = uet_pacer_deadline(&s->pacer);
	uet_pacer_run(&s->pacer, s->now);
	while ((flow = uet_pacer_poll(&s->pacer, &credit)))
		who = (s32)(flow - s->flow);
	return who;
}

TEST(pacer__pacer_is_idle_without_demand)
{
	struct setup s;
	u32 credit;

	begin(&s);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), U64_MAX);
	uet_pacer_run(&s.pacer, s.now + 1000000);
	EXPECT_NULL(uet_pacer_poll(&s.pacer, &credit));
}

TEST(pacer__first_grant_goes_at_once_and_the_next_at_rate)
{
	struct setup s;

	begin(&s);
	s.now += 5000 * CC_US;
	want(&s, 0, 1000);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), s.now);
	EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(s.flow[0].granted, 64);
	/* 16,384 bytes at 99 % of 12.5 bytes per ns: 1323.96 ns. */
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), s.now + 1324);
	EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(s.flow[0].granted, 128);
}

TEST(pacer__sources_are_granted_round_robin)
{
	struct setup s;
	s32 got[6], i;

	begin(&s);
	want(&s, 0, 1000);
	want(&s, 1, 1000);
	want(&s, 2, 1000);
	for (i = 0; i < 6; i++)
		got[i] = next_grant(&s);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(got[i], i % 3);
}

TEST(pacer__demand_is_granted_then_one_window_ahead)
{
	struct setup s;
	u32 i;

	begin(&s);
	want(&s, 0, 100);
	next_grant(&s);
	next_grant(&s);
	EXPECT_EQ(s.flow[0].granted, 100);
	EXPECT_EQ(s.flow[0].list, UET_PACER_SATED);
	/* 1.5 BDP are 878 units: 14 turns of 64 make them full. */
	for (i = 0; i < 14; i++)
		EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(next_grant(&s), -1);
	EXPECT_EQ(s.flow[0].granted, 100 + 14 * 64);
	EXPECT_EQ(s.flow[0].list, UET_PACER_OFF);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), U64_MAX);
}

TEST(pacer__a_source_exactly_one_window_ahead_gets_no_more)
{
	struct setup s;

	begin(&s);
	want(&s, 0, 64);
	EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(s.flow[0].list, UET_PACER_SATED);
	s.flow[0].granted = 64 + s.pacer.ahead - 1;
	EXPECT_EQ(next_grant(&s), 0);
	s.flow[0].granted = 64 + s.pacer.ahead;
	EXPECT_EQ(next_grant(&s), -1);
	EXPECT_EQ(s.flow[0].list, UET_PACER_OFF);
}

static void grant_all(struct setup *s)
{
	while (uet_pacer_deadline(&s->pacer) != U64_MAX)
		next_grant(s);
}

/* Or each short message would cost a Credit. */
TEST(pacer__a_source_with_much_credit_left_gets_more_later)
{
	u32 ahead, target = 100;
	struct setup s;

	begin(&s);
	want(&s, 0, target);
	grant_all(&s);
	ahead = s.flow[0].granted - target;
	EXPECT_GE(ahead, s.pacer.ahead);
	/* It uses a quarter of what it was granted in advance. */
	target = s.flow[0].granted - (s.pacer.ahead - s.pacer.ahead / 4);
	want(&s, 0, target);
	EXPECT_EQ(s.flow[0].list, UET_PACER_OFF);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), U64_MAX);
	want(&s, 0, ++target);
	EXPECT_EQ(s.flow[0].list, UET_PACER_ACTIVE);
	grant_all(&s);
	EXPECT_GE(s.flow[0].granted, target + s.pacer.ahead);
}

TEST(pacer__demand_goes_before_satisfied_sources)
{
	struct setup s;

	begin(&s);
	want(&s, 0, 64);
	EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(next_grant(&s), 0);
	want(&s, 1, 128);
	EXPECT_EQ(next_grant(&s), 1);
	EXPECT_EQ(next_grant(&s), 1);
	EXPECT_EQ(next_grant(&s), 0);
}

TEST(pacer__overtaken_demand_is_ignored)
{
	struct setup s;

	begin(&s);
	want(&s, 0, 64);
	next_grant(&s);
	EXPECT_EQ(s.flow[0].list, UET_PACER_SATED);
	want(&s, 0, 32);
	EXPECT_EQ(s.flow[0].list, UET_PACER_SATED);
	EXPECT_EQ(s.flow[0].target, 64);
	/* But a trimmed packet is news. */
	uet_pacer_demand(&s.pacer, &s.flow[0], 32, true, s.now);
	EXPECT_EQ(s.flow[0].list, UET_PACER_ACTIVE);
}

/* The grant may have been lost, and nothing else would repeat it. */
TEST(pacer__request_is_always_answered)
{
	struct setup s;
	u32 credit;

	begin(&s);
	want(&s, 0, 64);
	while (uet_pacer_deadline(&s.pacer) != U64_MAX)
		next_grant(&s);
	want(&s, 0, 64);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), U64_MAX);

	uet_pacer_request(&s.pacer, &s.flow[0], 64, s.now);

	EXPECT_LE(uet_pacer_deadline(&s.pacer), s.now);
	EXPECT_PTR_EQ(uet_pacer_poll(&s.pacer, &credit), &s.flow[0]);
	EXPECT_EQ(credit, s.flow[0].granted);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), U64_MAX);
}

TEST(pacer__turn_without_demand_costs_little)
{
	struct setup s;

	begin(&s);
	uet_pacer_demand(&s.pacer, &s.flow[0], 0, true, s.now);
	EXPECT_EQ(next_grant(&s), -1);
	/* 1,024 bytes: 82.7 ns. */
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), s.now + 83);
}

TEST(pacer__counters_wrap)
{
	struct setup s;

	begin(&s);
	s.flow[0].granted = 0xffffe0;
	s.flow[0].target = 0xffffe0;
	want(&s, 0, 0x000020);
	EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(s.flow[0].granted, 0x20);
	EXPECT_EQ(s.flow[0].list, UET_PACER_SATED);
}

/* The same rate by whatever timer, within a turn. */
static u32 granted_in(u64 tick_ns, u64 total_ns)
{
	struct setup s;
	u64 end;

	begin(&s);
	want(&s, 0, 0x40000);
	for (end = s.now + total_ns; s.now < end; s.now += tick_ns)
		uet_pacer_run(&s.pacer, s.now);
	return s.flow[0].granted;
}

TEST(pacer__rate_does_not_depend_on_the_timer)
{
	double want_units = 1000000 * 12.375 / 256;
	static const u32 ticks[] = { 500, 1324, 10000, 20000, 50000 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		double got = granted_in(ticks[i], 1000 * CC_US);

		EXPECT_GT(got, want_units - ticks[i] * 12.375 / 256 - 64);
		EXPECT_LT(got, want_units + 65);
	}
}

TEST(pacer__does_not_make_up_for_a_long_sleep)
{
	struct setup s;

	begin(&s);
	want(&s, 0, 0x40000);
	next_grant(&s);
	uet_pacer_run(&s.pacer, s.now + 10000 * CC_US);
	/* 100 us at most: 4,834 units. */
	EXPECT_LT(s.flow[0].granted, 64 + 4834 + 64);
	EXPECT_GT(s.flow[0].granted, 4834 - 64);
}

/* A turn of a slow link takes longer than what a fast one makes up for. */
TEST(pacer__slow_links_are_granted_all_of_their_rate)
{
	static const u32 mbps[] = { 1, 10, 100 };
	struct setup s;
	u64 end, ideal;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mbps); i++) {
		begin(&s);
		uet_pacer_init(&s.pacer, mbps[i], 12000, 4096, s.now);
		want(&s, 0, 0x40000);
		end = s.now + 4000000000ULL;
		while (uet_pacer_deadline(&s.pacer) < end)
			next_grant(&s);
		ideal = mbps[i] * 4 * 125000ULL * 99 / 100 / 256;
		EXPECT_GE(s.flow[0].granted, ideal - 64);
		EXPECT_LE(s.flow[0].granted, ideal + 64);
	}
}

/* Also when nearly nothing is left of the rate, and then much again. */
TEST(pacer__a_slow_link_is_granted_its_part)
{
	struct setup s;
	u64 end;

	begin(&s);
	uet_pacer_set_rate(&s.pacer, 1, s.now);
	want(&s, 0, 0x40000);
	end = s.now + 4000000000ULL;
	while (uet_pacer_deadline(&s.pacer) < end)
		next_grant(&s);
	/* 0.99 Mb/s for 4 s. */
	EXPECT_GE(s.flow[0].granted, 500000 / 256 - 64);
	EXPECT_LE(s.flow[0].granted, 500000 / 256 + 64);
	uet_pacer_set_rate(&s.pacer, 100000, s.now);
	EXPECT_EQ(s.pacer.lag_ns, 100000);
}

/* A destination that began anew, and a source far ahead of it, find together. */
TEST(pacer__a_source_far_ahead_resynchronises)
{
	struct setup s;
	u32 credit;

	begin(&s);
	want(&s, 0, 0x500000);
	EXPECT_PTR_EQ(uet_pacer_poll(&s.pacer, &credit), &s.flow[0]);
	EXPECT_EQ(credit, 0x500000);
	EXPECT_EQ(s.flow[0].target, 0x500000);
	/* From here on in turns. */
	want(&s, 0, 0x500000 + 100);
	EXPECT_EQ(next_grant(&s), 0);
	EXPECT_EQ(s.flow[0].granted, 0x500000 + 64);
}

/* The other way round: half a revolution behind looks as if it were ahead. */
TEST(pacer__a_restarted_source_resynchronises)
{
	struct setup s;
	u32 credit;

	begin(&s);
	s.flow[0].granted = 0x900000;
	s.flow[0].target = 0x900000;
	uet_pacer_request(&s.pacer, &s.flow[0], 16, s.now);
	EXPECT_PTR_EQ(uet_pacer_poll(&s.pacer, &credit), &s.flow[0]);
	EXPECT_EQ(credit, 16);
	/* Less is told what was granted, from which the source goes on. */
	s.flow[0].granted = 0x600000;
	s.flow[0].target = 0x600000;
	uet_pacer_request(&s.pacer, &s.flow[0], 16, s.now);
	EXPECT_PTR_EQ(uet_pacer_poll(&s.pacer, &credit), &s.flow[0]);
	EXPECT_EQ(credit, 0x600000);
}

/* A source that asks for too much, again and again, gets its share and no more. */
TEST(pacer__hostile_demand_starves_no_source)
{
	struct setup s;
	u32 target = 0;
	u64 end;

	begin(&s);
	want(&s, 1, 0x40000);
	end = s.now + 1000 * CC_US;
	while (s.now < end) {
		target += 0x7fffff + utest_rand() % 3;
		want(&s, 0, target & UET_CREDIT_MAX);
		uet_pacer_demand(&s.pacer, &s.flow[2], utest_rand() &
				 UET_CREDIT_MAX, true, s.now);
		next_grant(&s);
	}
	/* A third of 99 % of 12.5 bytes per ns. */
	EXPECT_GE(s.flow[1].granted, 1000000 * 12.375 / 256 / 3 - 64);
}

TEST(pacer__long_gaps_between_runs_do_not_overflow)
{
	struct setup s;

	begin(&s);
	want(&s, 0, 100);
	uet_pacer_run(&s.pacer, s.now + (U64_MAX >> 2));
	EXPECT_EQ(s.flow[0].list, UET_PACER_OFF);
	EXPECT_EQ(s.flow[0].granted, 100 + 14 * 64);
}

/* Of many sources the one whose turn it is may have no demand for a moment. */
TEST(pacer__a_turn_outlasts_a_moment_without_demand)
{
	enum { MANY = 1000 };
	static struct uet_pacer_flow flow[MANY];
	struct uet_pacer pacer;
	u64 now = CC_T0;
	u32 i, credit;

	uet_pacer_init(&pacer, 100000, 12000, 4096, now);
	uet_pacer_set_run(&pacer, 1000000);
	for (i = 0; i < MANY; i++) {
		uet_pacer_flow_init(&flow[i]);
		uet_pacer_demand(&pacer, &flow[i], 64, false, now);
	}
	for (i = 2; i < 1000000 / (64 * UET_CC_UNIT); i++) {
		now = uet_pacer_deadline(&pacer);
		uet_pacer_run(&pacer, now);
		EXPECT_PTR_EQ(uet_pacer_poll(&pacer, &credit), &flow[0]);
		EXPECT_NE(flow[0].list, UET_PACER_ACTIVE);
		uet_pacer_demand(&pacer, &flow[0], i * 64, false, now);
	}
	EXPECT_EQ(flow[1].granted, 0);
}

TEST(pacer__each_source_gets_one_message_per_run)
{
	struct setup s;
	u32 credit, n = 0;

	begin(&s);
	want(&s, 0, 10000);
	want(&s, 1, 10000);
	uet_pacer_run(&s.pacer, s.now + 20000);
	while (uet_pacer_poll(&s.pacer, &credit)) {
		EXPECT_GT(credit, 4 * 64);
		n++;
	}
	EXPECT_EQ(n, 2);
}

TEST(pacer__rate_can_change)
{
	struct setup s;

	begin(&s);
	want(&s, 0, 0x40000);
	next_grant(&s);
	uet_pacer_set_rate(&s.pacer, 50000, s.now);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), s.now + 2648);
}

TEST(pacer__source_leaves)
{
	struct setup s;
	u32 credit;

	begin(&s);
	want(&s, 0, 1000);
	want(&s, 1, 1000);
	uet_pacer_run(&s.pacer, s.now);
	uet_pacer_leave(&s.pacer, &s.flow[0]);
	EXPECT_NULL(uet_pacer_poll(&s.pacer, &credit));
	EXPECT_EQ(next_grant(&s), 1);
	uet_pacer_leave(&s.pacer, &s.flow[1]);
	EXPECT_EQ(uet_pacer_deadline(&s.pacer), U64_MAX);
}

/*
 * Four sources and one link of 100 Gb/s, no time on the way: packets arrive when
 * they are sent, and are acknowledged then.
 */
static void feed(struct setup *s, struct cctest *t, u32 who)
{
	while (t->ccc.state == UET_CCC_READY) {
		struct uet_cc_ack ack = { .acked_pkts = 1, .new_bytes = 4096 };

		t->now = s->now;
		cctest_send(t, 1);
		want(s, who, t->send.credit_target);
		uet_ccc_ack(&t->ccc, &ack, s->now);
	}
}

TEST(pacer__sources_share_the_link)
{
	static struct cctest t[FLOWS];
	struct uet_pacer_flow *flow;
	struct setup s;
	u64 sent[FLOWS];
	u32 i, credit;

	begin(&s);
	for (i = 0; i < FLOWS; i++) {
		cctest_init(&t[i], UET_WINDOW_NONE, UET_GRANT_RCCC);
		uet_ccc_new_data(&t[i].ccc, 100000000, s.now);
		feed(&s, &t[i], i);
	}
	while (s.now < CC_T0 + 1000 * CC_US) {
		s.now = uet_pacer_deadline(&s.pacer);
		uet_pacer_run(&s.pacer, s.now);
		while ((flow = uet_pacer_poll(&s.pacer, &credit))) {
			i = (u32)(flow - s.flow);
			uet_ccc_credit(&t[i].ccc, credit, s.now);
			feed(&s, &t[i], i);
		}
	}
	for (i = 0; i < FLOWS; i++) {
		sent[i] = 100000000 - t[i].ccc.backlog;
		/* A quarter of 99 % each. */
		EXPECT_GT(sent[i], 3093750 - 40000);
		EXPECT_LT(sent[i], 3093750 + 40000);
	}
}

/* The search for the place of a source is bounded: more sources than it looks at. */
TEST(pacer__a_source_far_from_both_ends_of_the_list_is_last)
{
	struct uet_pacer_flow many[100], middle;
	struct uet_pacer pacer;
	u32 i;

	uet_pacer_init(&pacer, 100000, 12000, 4096, CC_T0);
	uet_pacer_flow_init(&middle);
	for (i = 0; i < 100; i++) {
		uet_pacer_flow_init(&many[i]);
		uet_pacer_demand(&pacer, &many[i], 1000, false, CC_T0);
		if (i == 49) {
			uet_pacer_demand(&pacer, &middle, 64, false, CC_T0);
			uet_pacer_leave(&pacer, &middle);
			middle.list = UET_PACER_SATED;
		}
	}

	uet_pacer_demand(&pacer, &middle, 1000, false, CC_T0);

	EXPECT_PTR_EQ(pacer.active.prev, &middle.link);
	EXPECT_EQ(middle.turn, many[99].turn + 1);
	EXPECT_PTR_EQ(pacer.active.next, &many[0].link);
}
