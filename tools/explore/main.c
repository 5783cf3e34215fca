// SPDX-License-Identifier: GPL-2.0
/*
 * The command uetexplore: visits the states of all worlds and reports in TAP.
 * Level: test.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "explore.h"

/*
 * The planted error of this run, 0: none; and the names of all in planted.txt.  Only a core
 * with planted errors has them.
 */
extern int uet_planted __attribute__((weak));
extern const char *const uet_planted_names[] __attribute__((weak));

static double main_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void main_print(const struct ex_world *world, const struct ex_result *result,
		       double seconds)
{
	printf("# %s: %" PRIu64 " states, ", world->name, result->states);
	if (result->is_complete)
		printf("all there are");
	else if (result->faults < 0)
		printf("not all without faults");
	else
		printf("all with at most %d faults", result->faults);
	printf("; %" PRIu64 " steps, depth %u, %.1f s", result->steps, result->depth,
	       seconds);
	if (result->overflows)
		printf(", %" PRIu64 " not continued", result->overflows);
	printf("\n");
	if (!result->failed)
		return;
	printf("# %s after %u actions%s: %s\n", world->name, result->nr,
	       result->is_shortest ? ", no fewer do" : "", result->why);
	ex_replay(world, result);
}

/* Return: the world has no violation. */
static bool main_world(const struct ex_world *world, u64 states, u64 *sum)
{
	double start = main_seconds();
	struct ex_result result;

	ex_search(world, states, &result);
	main_print(world, &result, main_seconds() - start);
	free(result.trace);
	*sum += result.states;
	return !result.failed;
}

static u32 main_worlds(void)
{
	u32 n = 0;

	while (ex_worlds[n].name)
		n++;
	return n;
}

static const struct ex_world *main_find(const char *name)
{
	const struct ex_world *world;

	for (world = ex_worlds; world->name; world++)
		if (!strcmp(world->name, name))
			return world;
	fprintf(stderr, "uetexplore: no world \"%s\", see --list\n", name);
	exit(2);
}

/* Each world gets the same share of the states that are left. */
static int main_all(u64 states)
{
	u32 n = main_worlds(), i, failed = 0;
	u64 sum = 0;
	bool ok;

	printf("TAP version 13\n1..%u\n", n);
	for (i = 0; i < n; i++) {
		ok = main_world(&ex_worlds[i], (states - min(states, sum)) / (n - i), &sum);
		failed += !ok;
		printf("%sok %u - no state of the world %s violates an invariant: %s\n",
		       ok ? "" : "not ", i + 1, ex_worlds[i].name, ex_worlds[i].doc);
	}
	printf("# %" PRIu64 " states\n", sum);
	return !!failed;
}

static int main_plants(u64 states)
{
	const struct ex_plant *plant;
	struct ex_result result;
	u32 n = 0, missed = 0;

	if (!&uet_planted) {
		fprintf(stderr, "uetexplore: this program has no planted errors\n");
		return 2;
	}
	printf("TAP version 13\n");
	for (plant = ex_plants; plant->name; plant++) {
		if (!uet_planted_names[n] || strcmp(uet_planted_names[n], plant->name)) {
			printf("Bail out! planted.txt and plants.c differ at %s\n",
			       plant->name);
			return 1;
		}
		uet_planted = ++n;
		ex_search(main_find(plant->world), states, &result);
		missed += !result.failed;
		printf("%sok %u - the explorer finds the planted error %s\n",
		       result.failed ? "" : "not ", n, plant->name);
		printf("# %s: %" PRIu64 " states of %s, then %u actions: %s\n",
		       plant->name, result.states, plant->world, result.nr,
		       result.failed ? result.why : "nothing");
		fflush(stdout);
		free(result.trace);
	}
	printf("1..%u\n", n);
	return missed || uet_planted_names[n];
}

static int main_list(void)
{
	const struct ex_world *world;

	for (world = ex_worlds; world->name; world++)
		printf("%-16s%s\n", world->name, world->doc);
	return 0;
}

static void main_usage(FILE *out)
{
	fprintf(out, "usage: uetexplore [--states N] [--plant NUMBER] [--world NAME]\n"
		"       uetexplore --world NAME [--plant NUMBER] --replay TRACE\n"
		"       uetexplore [--states N] --plants | --list\n"
		"  --states N      visit N states at most, over all worlds (100000)\n"
		"  --world NAME    of this world only\n"
		"  --plant NUMBER  with this planted error\n"
		"  --replay TRACE  print what happens in a trace of this world\n"
		"  --plants        find each planted error in its world\n"
		"  --list          list the worlds\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "states", required_argument, NULL, 's' },
		{ "world", required_argument, NULL, 'w' },
		{ "plant", required_argument, NULL, 'p' },
		{ "replay", required_argument, NULL, 'r' },
		{ "plants", no_argument, NULL, 'P' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const struct ex_world *world = NULL;
	const char *replay = NULL;
	u64 states = 100000, sum = 0;
	bool plants = false;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ex_catch();
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			states = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			world = main_find(optarg);
			break;
		case 'p':
			if (&uet_planted)
				uet_planted = atoi(optarg);
			break;
		case 'r':
			replay = optarg;
			break;
		case 'P':
			plants = true;
			break;
		case 'l':
			return main_list();
		case 'h':
			main_usage(stdout);
			return 0;
		default:
			main_usage(stderr);
			return 2;
		}
	}
	if (plants)
		return main_plants(states);
	if (world && replay)
		return !ex_replay_text(world, replay);
	return world ? !main_world(world, states, &sum) : main_all(states);
}
