// SPDX-License-Identifier: GPL-2.0
/*
 * The resources of a node are taken away under traffic and given back: rails, their
 * links and MTU, fabric addresses, routes, the processes themselves; and what is in
 * use is asked to go and must not.  Traffic goes on over what is left, or ends with an
 * errno; messages come whole and once, and PDCs and endpoints end.  Namespaces and the
 * module are churn_net.c's.  Level: test.
 *
 * Environment: UET_CHURN_LOOPS, which gives each disturbance a fifth of that
 * many loops, the rails that are made again a tenth, all at least four; UET_SEED.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "uetflow.h"

#define MESSAGES	8	/* that arrive before something happens */

/* Every place in turn once, at least. */
static int loops(void)
{
	return flow_loops(5, 4);
}

/* FEPs are made again for each, and all traffic ends before: it takes long. */
static int rail_loops(void)
{
	return flow_loops(10, 4);
}

/* Time for each loop, enough for a wait in vain to be told. */
static void begin_loop(void)
{
	alarm(3 * HARNESS_SECONDS * harness_scale());
}

/* ---------------------------------------------------------- disturbances */

/* Where something happens: a node, and a rail of it. */
struct place {
	int n, rail;
};

static void rail_down(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_set_rail(&p->node[at.n], at.rail, false), 0);
}

static void rail_up(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_set_rail(&p->node[at.n], at.rail, true), 0);
}

static void mtu_low(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_change_rail(p->node[at.n].rtnl, at.rail, IFLA_MTU,
				   1500), 0);
}

static void mtu_high(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_change_rail(p->node[at.n].rtnl, at.rail, IFLA_MTU,
				   PAIR_LINK_MTU), 0);
}

static void fa_away(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_change_fa(&p->node[at.n], RTM_DELADDR), 0);
}

static void fa_back(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_change_fa(&p->node[at.n], RTM_NEWADDR), 0);
}

static void route_away(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_change_route(&p->node[at.n], RTM_DELROUTE), 0);
}

static void route_back(struct pair *p, struct place at)
{
	EXPECT_EQ(pair_change_route(&p->node[at.n], RTM_NEWROUTE), 0);
}

/* Deleting an object in use fails with an error, and the object stays. */
static void in_use(struct pair *p, struct place at)
{
	struct pair_node *node = &p->node[at.n];

	EXPECT_EQ(pair_uet_rail(p, node, UET_CMD_RAIL_DEL, at.rail), EBUSY);
	EXPECT_EQ(pair_uet_fep(p, node, UET_CMD_FEP_DEL), EBUSY);
	EXPECT_EQ(pair_uet_job(p, node, UET_CMD_JOB_DEL), EBUSY);
	EXPECT_EQ(pair_uet_rail(p, node, UET_CMD_RAIL_NEW, at.rail), EEXIST);
	EXPECT_EQ(pair_uet_fep(p, node, UET_CMD_FEP_NEW), EEXIST);
	EXPECT_EQ(pair_uet_job(p, node, UET_CMD_JOB_NEW), EEXIST);
}

static void resizing_on(struct pair *p, struct place at)
{
	FLOW_SET(p->tally, is_resizing, true);
}

static void resizing_off(struct pair *p, struct place at)
{
	FLOW_SET(p->tally, is_resizing, false);
}

static void nothing(struct pair *p, struct place at)
{
}

/* Something that happens to a pair, and how it is undone. */
struct disturbance {
	void (*happen)(struct pair *p, struct place at);
	void (*undo)(struct pair *p, struct place at);
	enum {
		ALL_FLOWS,	/* as before */
		RAIL_RESTS,	/* traffic is on the other rail meanwhile */
		ALL_STOPS,	/* there is none until then */
	} effect;
};

static const struct disturbance link_goes = { rail_down, rail_up, RAIL_RESTS };
static const struct disturbance mtu_sinks = { mtu_low, mtu_high, RAIL_RESTS };
static const struct disturbance fa_goes = { fa_away, fa_back, ALL_STOPS };
/* A look-up bound to a rail takes what has no route for a neighbour on it. */
static const struct disturbance route_goes = {
	route_away, route_back, ALL_FLOWS };
static const struct disturbance use_is_denied = { in_use, nothing, ALL_FLOWS };
static const struct disturbance buffer_changes = {
	resizing_on, resizing_off, ALL_FLOWS };

static const struct disturbance *const all[] = {
	&link_goes, &mtu_sinks, &fa_goes, &route_goes, &use_is_denied,
	&buffer_changes,
};

#define NR_ALL	(sizeof(all) / sizeof(all[0]))

/* Traffic goes on, and a rail has some of it, or none. */
static void expect_on_rail(struct pair *p, struct place at, bool is_used)
{
	uint64_t before;

	/* A sender that had chosen the rail before the change has sent by then. */
	flow_goes_on(p, 1);
	before = pair_rail_packets(p, at.n, at.rail);
	flow_goes_on(p, MESSAGES);
	if (is_used)
		WAIT_FOR(pair_rail_packets(p, at.n, at.rail) > before);
	else
		EXPECT_EQ(pair_rail_packets(p, at.n, at.rail), before);
}

/* Once, with traffic before, after, and meanwhile or the lack of it. */
static void disturb(struct pair *p, const struct disturbance *d,
		    struct place at)
{
	begin_loop();
	d->happen(p, at);
	if (d->effect == ALL_STOPS)
		flow_stops(p);
	else
		expect_on_rail(p, at, d->effect == ALL_FLOWS);
	d->undo(p, at);
	expect_on_rail(p, at, true);
}

/* Nothing was killed: all is there, and then nothing but what was before. */
static void end_whole(struct pair *p)
{
	begin_loop();
	flow_finish(p);
	flow_expect_all(p);
	pair_expect_drained(p);
	pair_del_feps(p);
	pair_drop(p);
}

/* Every place in turn. */
static void disturb_often(const struct disturbance *d)
{
	struct pair p;

	pair_make(&p, PAIR_STAYS);
	flow_start(&p, MESSAGES);
	for (int i = 0; i < loops(); i++)
		disturb(&p, d, (struct place){ i % 2, i / 2 % PAIR_RAILS });
	end_whole(&p);
}

TEST(links__go_down_and_up)
{
	disturb_often(&link_goes);
}

TEST(mtu__is_too_low_for_a_while)
{
	disturb_often(&mtu_sinks);
}

TEST(fabric_address__goes_and_comes_back)
{
	disturb_often(&fa_goes);
}

TEST(route__goes_and_comes_back)
{
	disturb_often(&route_goes);
}

TEST(configuration__in_use_stays)
{
	disturb_often(&use_is_denied);
}

TEST(receive_buffer__changes_under_traffic)
{
	disturb_often(&buffer_changes);
}

TEST(anything__happens_at_any_time)
{
	uint32_t seed = fuzz_setting("UET_SEED", time(NULL) & 0xffff);
	struct fuzz_rand r = fuzz_rand(seed);
	const struct disturbance *one, *two;
	struct place at, there;
	struct pair p;

	printf("# seed %u\n", seed);
	fflush(stdout);
	pair_make(&p, PAIR_STAYS);
	flow_start(&p, MESSAGES);
	for (int i = 0; i < 3 * loops(); i++) {
		begin_loop();
		one = all[fuzz_below(&r, NR_ALL)];
		two = all[fuzz_below(&r, NR_ALL)];
		at = (struct place){ fuzz_below(&r, 2), fuzz_below(&r, 2) };
		there = (struct place){ !at.n, fuzz_below(&r, 2) };
		one->happen(&p, at);
		two->happen(&p, there);
		one->undo(&p, at);
		two->undo(&p, there);
		flow_goes_on(&p, fuzz_below(&r, MESSAGES));
	}
	end_whole(&p);
}

/* ----------------------------------------------------------------- rails */

/*
 * A FEP does not take a rail back that was gone: it ends with its job and is
 * made again.
 */
static void make_feps_again(struct pair *p)
{
	flow_finish(p);
	flow_expect_all(p);
	pair_del_feps(p);
	pair_add_feps(p);
	flow_start(p, MESSAGES);
}

static void add_rail_again(struct pair *p, int rail)
{
	for (int n = 0; n < 2; n++) {
		EXPECT_EQ(pair_change_route(&p->node[n], RTM_NEWROUTE), 0);
		EXPECT_EQ(pair_uet_rail(p, &p->node[n], UET_CMD_RAIL_NEW,
					rail), 0);
	}
	for (int n = 0; n < 2; n++)
		expect_on_rail(p, (struct place){ n, rail }, false);
	make_feps_again(p);
	for (int n = 0; n < 2; n++)
		expect_on_rail(p, (struct place){ n, rail }, true);
}

TEST(rail__is_deleted_and_made_again)
{
	struct pair p;

	pair_make(&p, PAIR_STAYS);
	flow_start(&p, MESSAGES);
	for (int i = 0; i < rail_loops(); i++) {
		int rail = i / 2 % PAIR_RAILS;

		begin_loop();
		EXPECT_EQ(pair_del_link(&p.node[i % 2], rail), 0);
		flow_goes_on(&p, MESSAGES);
		for (int n = 0; n < 2; n++)
			EXPECT_EQ(pair_uet_rail(&p, &p.node[n],
						UET_CMD_RAIL_DEL, rail),
				  ENOENT);
		pair_make_link(&p, rail);
		add_rail_again(&p, rail);
	}
	end_whole(&p);
}

/* Only one end moves; the other loses its carrier and keeps its rail. */
TEST(rail__moves_to_another_namespace_and_back)
{
	struct pair_node attic;
	struct pair p;

	pair_make(&p, PAIR_STAYS);
	pair_make_node(&attic, 0);
	flow_start(&p, MESSAGES);
	for (int i = 0; i < rail_loops(); i++) {
		struct pair_node *node = &p.node[i % 2];
		int rail = i / 2 % PAIR_RAILS;

		begin_loop();
		EXPECT_EQ(pair_change_rail(node->rtnl, rail, IFLA_NET_NS_FD,
					   attic.ns), 0);
		flow_goes_on(&p, MESSAGES);
		EXPECT_EQ(pair_change_rail(attic.rtnl, rail, IFLA_NET_NS_FD,
					   node->ns), 0);
		EXPECT_EQ(pair_set_rail(node, rail, true), 0);
		EXPECT_EQ(pair_change_route(node, RTM_NEWROUTE), 0);
		EXPECT_EQ(pair_uet_rail(&p, node, UET_CMD_RAIL_NEW, rail), 0);
		expect_on_rail(&p, (struct place){ i % 2, rail }, false);
		make_feps_again(&p);
		expect_on_rail(&p, (struct place){ i % 2, rail }, true);
	}
	end_whole(&p);
	pair_drop_node(&attic);
}

/* ------------------------------------------------------------- processes */

/* The sender whose reader died has ended, or ends now: in order, or told of it. */
static void expect_end(struct pair *p)
{
	int error;

	harness_join(p->tx);
	p->tx = 0;
	error = FLOW_GET(p, tx_error);
	if (error)
		EXPECT(error == ECONNREFUSED || error == ECANCELED);
	else
		EXPECT(FLOW_GET(p, is_flushed));
}

/* At once: the next sender has the address of the last one. */
static void kill_sender(struct pair *p)
{
	flow_kill(&p->tx);
	flow_start_sender(p);
}

/* The sender has time to learn of it. */
static void kill_receiver(struct pair *p)
{
	flow_kill(&p->rx);
	WAIT_FOR(FLOW_GET(p, tx_error));
	expect_end(p);
	flow_start_receiver(p);
	flow_start_sender(p);
}

/*
 * The sender may or may not notice.  It may be told of a message for the first reader
 * after the next one has read several, so it ends before traffic is expected to flow.
 */
static void change_receiver(struct pair *p)
{
	uint32_t before;

	flow_kill(&p->rx);
	before = FLOW_GET(p, received);
	flow_start_receiver(p);
	WAIT_FOR(FLOW_GET(p, tx_error) || FLOW_GET(p, received) > before);
	FLOW_SET(p->tally, stop, true);
	expect_end(p);
	flow_start_sender(p);
}

static void kill_both(struct pair *p)
{
	kill(p->tx, SIGKILL);
	kill(p->rx, SIGKILL);
	flow_kill(&p->tx);
	flow_kill(&p->rx);
	flow_start_receiver(p);
	flow_start_sender(p);
}

/* Packets in flight of closed sockets end with the FEP. */
static void kill_both_and_fep(struct pair *p)
{
	kill(p->tx, SIGKILL);
	kill(p->rx, SIGKILL);
	flow_kill(&p->rx);
	flow_kill(&p->tx);
	pair_del_feps(p);
	for (int n = 0; n < 2; n++)
		EXPECT_EQ(pair_objects(p, n, UET_CMD_PDC_GET), 0);
	pair_add_feps(p);
	flow_start_receiver(p);
	flow_start_sender(p);
}

static void (*const deaths[])(struct pair *p) = {
	kill_sender, kill_receiver, change_receiver, kill_both,
	kill_both_and_fep,
};

#define NR_DEATHS	(sizeof(deaths) / sizeof(deaths[0]))

TEST(processes__die_and_others_take_their_place)
{
	struct pair p;

	pair_make(&p, PAIR_STAYS);
	flow_start(&p, MESSAGES);
	for (int i = 0; i < flow_loops(5, NR_DEATHS); i++) {
		begin_loop();
		deaths[i % NR_DEATHS](&p);
		flow_goes_on(&p, MESSAGES);
		flow_expect_sane(&p);
		if (harness.failures) {
			HARNESS_NOTE("loop %d, death %d", i,
				     (int)(i % NR_DEATHS));
			exit(1);
		}
	}
	begin_loop();
	flow_finish(&p);
	pair_expect_drained(&p);
	pair_del_feps(&p);
	pair_drop(&p);
}

HARNESS_MAIN()
