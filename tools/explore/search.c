// SPDX-License-Identifier: GPL-2.0
/*
 * The search of the explorer: depth first over all that can happen, each state once.  From
 * each state the fair continuation must end: nothing goes wrong any more, all packets
 * arrive, then timers expire.  A violation is shortened by searches that go less deep.
 * Level: test.
 */
#include <stdlib.h>

#include "explore.h"

/* Actions of a fair continuation at most. */
#define SEARCH_FAIR_MAX	3000

/* States that a search for a shorter trace may visit. */
#define SEARCH_SHORTEN	2000000

/* A state on the path from the first one to the present one. */
struct search_level {
	struct ex_copy *copy;
	u32 nr, next;
	struct ex_action a[EX_ACTIONS];
};

/**
 * struct search - a search
 * @world: the world
 * @level: path to the present state
 * @faults: faults that may happen
 * @limit: actions of a path at most
 * @shortens: the depth of a state counts
 * @seen: states visited
 * @good: states whose fair continuation ends, whatever faults are left
 * @result: what was found
 */
struct search {
	const struct ex_world *world;
	struct search_level *level;
	u8 faults;
	u32 limit;
	bool shortens;
	struct ex_table *seen, *good;
	struct ex_result *result;
};

static void search_init(struct search *s, const struct ex_world *world, u8 faults,
			u32 limit, struct ex_result *result)
{
	memset(s, 0, sizeof(*s));
	s->world = world;
	s->faults = faults;
	s->limit = limit;
	s->level = calloc(limit + 1, sizeof(*s->level));
	if (!s->level)
		abort();
	s->seen = ex_table_new();
	s->good = ex_table_new();
	s->result = result;
}

static void search_fini(struct search *s)
{
	u32 i;

	for (i = 0; i <= s->limit; i++)
		free(s->level[i].copy);
	free(s->level);
	ex_table_free(s->seen);
	ex_table_free(s->good);
}

/* The end of a world: nothing is left. */
static void search_check_end(void)
{
	struct ex_pdc *p;
	u32 n;

	ex_app_verdict();
	for (n = 0; n < EX_NODES; n++)
		for (p = ex.pdc[n]; p != ex.pdc[n] + EX_PDCS; p++)
			if (p->is_used && !p->is_dead)
				ex_fail("node %u PDC %x never closes, state %s", n,
					p->id, uet_pdc_state_name(ex_core(p)->state));
}

/* The present state is one that the continuation has been in before. */
static void search_check_loop(const u64 *been, u32 n)
{
	u64 hash = ex_hash();

	while (n--)
		if (been[n] == hash)
			ex_fail("a fair continuation comes back to a state");
}

/* The fair continuation of the present state ends; the state is lost. */
static void search_fair(struct search *s)
{
	u64 been[SEARCH_FAIR_MAX + 1];
	struct ex_action a;
	u32 n = 0;

	while (!ex_run.failed) {
		been[n] = ex_hash();
		if (!ex_table_add(s->good, been[n], 0)) {
			search_check_loop(been, n);
			return;
		}
		if (!ex_action_fair(&a)) {
			search_check_end();
			return;
		}
		if (ex_run.prints) {
			printf("# and then: ");
			ex_action_print(&a, stdout);
			printf("\n");
		}
		ex_do(&a);
		s->result->steps++;
		s->result->overflows += ex_run.overflows;
		if (ex_run.overflows)
			return;
		if (++n > SEARCH_FAIR_MAX)
			ex_fail("a fair continuation does not end");
	}
}

/*
 * Begin with any action: a search that is cut off shall not have seen only what follows the
 * first ones.
 */
static void search_turn(struct search_level *level, u64 hash)
{
	struct ex_action a[EX_ACTIONS];
	u32 i;

	memcpy(a, level->a, level->nr * sizeof(a[0]));
	for (i = 0; i < level->nr; i++)
		level->a[i] = a[(i + hash) % level->nr];
}

/* Enter the present state, unless it is known.  Return: it is a new level. */
static bool search_enter(struct search *s, u32 depth)
{
	struct search_level *level = &s->level[depth];
	u64 hash, full;

	if (ex_run.failed)
		return false;
	if (ex_run.overflows) {
		s->result->overflows++;
		return false;
	}
	hash = ex_hash();
	full = ex_hash_faults(hash);
	if (!ex_table_add(s->seen, full, s->shortens ? depth : 0))
		return false;
	s->result->states++;
	s->result->depth = max(s->result->depth, depth);
	level->copy = ex_copy_take(level->copy);
	level->nr = ex_actions(level->a);
	level->next = 0;
	search_turn(level, full);
	if (!ex_table_has(s->good, hash))
		search_fair(s);
	return !ex_run.failed;
}

/* A violation: the path to it is the trace. */
static void search_found(struct search *s, u32 depth)
{
	struct ex_result *result = s->result;
	u32 i;

	result->failed = true;
	result->round = s->faults;
	strcpy(result->why, ex_run.why);
	result->nr = depth;
	free(result->trace);
	result->trace = calloc(depth + 1, sizeof(*result->trace));
	if (!result->trace)
		abort();
	for (i = 0; i < depth; i++)
		result->trace[i] = s->level[i].a[s->level[i].next - 1];
}

/* Return: false if the search was cut off by @states. */
static bool search_run(struct search *s, u64 states)
{
	u64 end = s->result->states + states;
	struct search_level *level;
	bool is_cut = false;
	u32 depth = 0;

	ex_begin(s->world, s->faults);
	if (!search_enter(s, 0)) {
		search_found(s, 0);
		return true;
	}
	if (!s->limit)
		return true;
	for (;;) {
		level = &s->level[depth];
		if (level->next == level->nr) {
			if (!depth--)
				return !is_cut;
			continue;
		}
		if (s->result->states >= end)
			return false;
		ex_copy_back(level->copy);
		ex_do(&level->a[level->next++]);
		s->result->steps++;
		if (depth == s->limit - 1 && !s->shortens && !ex_run.failed) {
			is_cut = true;
			continue;
		}
		if (depth + 1 <= s->limit && search_enter(s, depth + 1)) {
			depth++;
			/* A state at the limit has no further actions. */
			if (depth == s->limit)
				s->level[depth].nr = 0;
		} else if (ex_run.failed) {
			search_found(s, depth + 1);
			return true;
		}
	}
}

/* Look for a shorter trace until there is none. */
static void search_shorten(const struct ex_world *world, struct ex_result *result)
{
	struct ex_result shorter;
	struct search s;
	bool is_done;

	while (!result->is_shortest && result->nr) {
		memset(&shorter, 0, sizeof(shorter));
		search_init(&s, world, result->round, result->nr - 1, &shorter);
		s.shortens = true;
		is_done = search_run(&s, SEARCH_SHORTEN);
		search_fini(&s);
		if (!shorter.failed) {
			result->is_shortest = is_done;
			return;
		}
		free(result->trace);
		result->trace = shorter.trace;
		result->nr = shorter.nr;
		strcpy(result->why, shorter.why);
	}
}

/* All faults of a world. */
static u8 search_faults(const struct ex_world *world)
{
	u32 i;
	u8 n = 0;

	for (i = 0; i < EX_FAULTS; i++)
		n += world->most[i];
	return n;
}

/**
 * ex_search() - visit the states of a world: first those without a fault, then with one, ...
 * @world: the world
 * @states: states at most
 * @result: result; the caller frees the trace
 */
void ex_search(const struct ex_world *world, u64 states, struct ex_result *result)
{
	u8 most = search_faults(world), faults;
	bool all = true;
	struct search s;

	memset(result, 0, sizeof(*result));
	result->faults = -1;
	search_init(&s, world, 0, EX_DEPTH_MAX, result);
	for (faults = 0; faults <= most && !result->failed; faults++) {
		s.faults = faults;
		all = search_run(&s, (states - result->states) / (most - faults + 1)) &&
		      all;
		all = all && !result->failed;
		result->faults += all;
		ex_table_clear(s.seen);
	}
	result->is_complete = all;
	search_fini(&s);
	if (result->failed)
		search_shorten(world, result);
}

/* Do an action, and print it. */
static void search_show(u32 nr, const struct ex_action *a)
{
	printf("# %3u ", nr);
	ex_action_print(a, stdout);
	printf("\n");
	ex_do(a);
}

/* Print how the present state goes on if nothing goes wrong. */
static void search_show_fair(const struct ex_world *world)
{
	struct ex_result unused = {};
	struct search s;

	search_init(&s, world, 0, 0, &unused);
	if (!ex_run.failed)
		search_fair(&s);
	search_fini(&s);
	ex_run.prints = false;
}

/**
 * ex_replay() - print the trace of a violation, and the text that repeats it
 * @world: the world
 * @result: from ex_search()
 */
void ex_replay(const struct ex_world *world, const struct ex_result *result)
{
	u32 i;

	ex_begin(world, result->round);
	ex_run.prints = true;
	for (i = 0; i < result->nr; i++)
		search_show(i + 1, &result->trace[i]);
	search_show_fair(world);
	printf("# to see it again: --world %s --replay \"", world->name);
	for (i = 0; i < result->nr; i++)
		ex_action_write(&result->trace[i], stdout);
	printf("\"\n");
}

/**
 * ex_replay_text() - repeat a trace that was printed
 * @world: the world
 * @text: the trace
 *
 * Return: no invariant is violated.
 */
bool ex_replay_text(const struct ex_world *world, const char *text)
{
	struct ex_action a;
	u32 nr = 0;

	ex_begin(world, search_faults(world));
	ex_run.prints = true;
	while (!ex_run.failed && ex_action_read(&a, &text))
		search_show(++nr, &a);
	search_show_fair(world);
	printf("# %s\n", ex_run.failed ? ex_run.why : "no violation");
	return !ex_run.failed;
}
