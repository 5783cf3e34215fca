// SPDX-License-Identifier: GPL-2.0
/*
 * Namespaces and the module come and go, with traffic on them, in every order
 * in which sender, receiver and the two namespaces can end.  A life is a pair of
 * nodes from its making to its end; it is not asked how long that takes, only
 * that traffic flowed, that nothing came twice or damaged, and that nothing is
 * left.  Rails and processes are churn_rail.c's.  Level: test.
 *
 * Environment: UET_CHURN_LOOPS, how many lives of namespaces and of the module
 * (6); UET_KO, the file of the module, from churn_net.sh.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "uetflow.h"

#define MESSAGES	6	/* that arrive before a life may end */
#define LIVES		6	/* of each kind, unless told otherwise */

/* ------------------------------------------------------------------ ends */

/* Sockets closed, configuration deleted, then the namespaces. */
static void end_in_order(struct pair *p)
{
	flow_finish(p);
	flow_expect_all(p);
	pair_del_feps(p);
	for (int n = 0; n < 2; n++)
		for (int r = 0; r < PAIR_RAILS; r++)
			EXPECT_EQ(pair_uet_rail(p, &p->node[n],
						UET_CMD_RAIL_DEL, r), 0);
}

/* Sockets closed; the configuration goes with its namespace or the module. */
static void end_configured(struct pair *p)
{
	flow_finish(p);
	flow_expect_all(p);
}

static void end_sender_first(struct pair *p)
{
	flow_kill(&p->tx);
	pair_drop_node(&p->node[0]);
	flow_kill(&p->rx);
	pair_drop_node(&p->node[1]);
}

static void end_receiver_first(struct pair *p)
{
	flow_kill(&p->rx);
	pair_drop_node(&p->node[1]);
	flow_kill(&p->tx);
	pair_drop_node(&p->node[0]);
}

/* The sender learns what has become of its reader, and ends by itself. */
static void end_sender_told(struct pair *p)
{
	flow_kill(&p->rx);
	if (WAIT_FOR(FLOW_GET(p, tx_error)))
		harness_join(p->tx);
	p->tx = 0;
	EXPECT(FLOW_GET(p, tx_error) == ECONNREFUSED ||
	       FLOW_GET(p, tx_error) == ECANCELED);
	pair_drop_node(&p->node[1]);
	pair_drop_node(&p->node[0]);
}

/* Nobody but their processes holds the namespaces: traffic goes on. */
static void end_nameless(struct pair *p)
{
	for (int n = 0; n < 2; n++)
		pair_drop_node(&p->node[n]);
	flow_goes_on(p, MESSAGES);
	kill(p->rx, SIGKILL);
	flow_kill(&p->tx);
	flow_kill(&p->rx);
}

/* All in one blow, with packets in every queue. */
static void end_queues_full(struct pair *p)
{
	for (int n = 0; n < 2; n++)
		for (int r = 0; r < PAIR_RAILS; r++)
			pair_delay(&p->node[n], r, 20);
	flow_goes_on(p, 4);
	kill(p->tx, SIGKILL);
	kill(p->rx, SIGKILL);
	for (int n = 0; n < 2; n++)
		pair_drop_node(&p->node[n]);
	flow_kill(&p->tx);
	flow_kill(&p->rx);
}

/* The rails go first, and with them every way out. */
static void end_rails_first(struct pair *p)
{
	for (int r = 0; r < PAIR_RAILS; r++)
		EXPECT_EQ(pair_del_link(&p->node[r], r), 0);
	flow_kill(&p->rx);
	flow_kill(&p->tx);
	for (int n = 0; n < 2; n++)
		pair_drop_node(&p->node[n]);
}

struct end {
	const char *name;
	void (*end)(struct pair *p);
};

/* The nodes are still there afterwards. */
static const struct end polite[] = {
	{ "in order", end_in_order },
	{ "configured", end_configured },
};

static const struct end rude[] = {
	{ "sender first", end_sender_first },
	{ "queues full", end_queues_full },
	{ "receiver first", end_receiver_first },
	{ "nameless", end_nameless },
	{ "sender told", end_sender_told },
};

/*
 * Nobody answers: what was sent ends by its time-outs, ten seconds later.  So
 * it is done now and then only.
 */
static const struct end slow = { "rails first", end_rails_first };

#define NR(table)	(sizeof(table) / sizeof((table)[0]))

static bool is_polite(int life)
{
	return life % 2 == 0;
}

/* Half of the lives end like this, half like that. */
static const struct end *end_of(int life)
{
	int turn = life / 2;

	if (is_polite(life))
		return &polite[turn % NR(polite)];
	return turn % 20 == 5 ? &slow : &rude[turn % NR(rude)];
}

/* ---------------------------------------------------------------- module */

/* Return: gone. Sockets, also closed ones that still send, forbid it. */
static bool module_unload(void)
{
	if (!syscall(SYS_delete_module, "uet", O_NONBLOCK))
		return true;
	ASSERT(errno == EWOULDBLOCK || errno == EBUSY);
	return false;
}

static void module_load(void)
{
	int fd = open(getenv("UET_KO"), O_RDONLY | O_CLOEXEC);

	ASSERT_SYS(fd);
	ASSERT_SYS(syscall(SYS_finit_module, fd, "", 0));
	close(fd);
}

/* ----------------------------------------------------------------- tests */

/* A pair with traffic; there is time enough for a wait in vain to be told. */
static void begin_life(struct pair *p)
{
	alarm(3 * HARNESS_SECONDS * harness_scale());
	pair_make(p, PAIR_VANISHES);
	flow_start(p, MESSAGES);
}

static void end_life(struct pair *p, int life)
{
	end_of(life)->end(p);
	flow_expect_sane(p);
	if (harness.failures) {
		HARNESS_NOTE("life %d, %s", life, end_of(life)->name);
		exit(1);
	}
}

static void drop_life(struct pair *p, int life)
{
	for (int n = 0; n < 2 && is_polite(life); n++)
		pair_drop_node(&p->node[n]);
	pair_unmap(p);
}

TEST(namespaces__come_and_go_beside_traffic)
{
	int lives = flow_loops(1, LIVES);
	struct pair constant, p;
	uint32_t before;

	pair_make(&constant, PAIR_STAYS);
	flow_start(&constant, 1);
	for (int life = 0; life < lives; life++) {
		before = FLOW_GET(&constant, received);
		begin_life(&p);
		end_life(&p, life);
		drop_life(&p, life);
		flow_reaches(&constant, before + 1);
	}
	flow_finish(&constant);
	flow_expect_all(&constant);
	pair_expect_drained(&constant);
	pair_drop(&constant);
}

TEST(module__comes_and_goes_under_traffic)
{
	int lives = flow_loops(1, LIVES);
	struct pair p;

	/* With the default, other ends than those of the first test. */
	for (int life = LIVES; life < LIVES + lives; life++) {
		begin_life(&p);
		EXPECT(!module_unload());
		flow_goes_on(&p, 1);
		end_life(&p, life);
		if (!WAIT_FOR(module_unload())) {
			HARNESS_NOTE("life %d, %s", life, end_of(life)->name);
			exit(1);
		}
		drop_life(&p, life);
		module_load();
	}
}

HARNESS_MAIN()
