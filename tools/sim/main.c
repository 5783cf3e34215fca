// SPDX-License-Identifier: GPL-2.0
/*
 * The command uetsim: runs named and random scenarios, reports in TAP, and
 * prints the command that repeats a failure.  Level: test.
 */
#include <inttypes.h>
#include <signal.h>

#include "named.h"

/* Random scenarios per line of TAP. */
#define MAIN_BATCH	50

/*
 * Largest number of lines that -v prints: a scenario without progress would
 * print for ever.
 */
#define MAIN_LINES	20000u

static const char *main_program;
static u64 main_seed;

void __asan_on_error(void);

/* Print the scenario of a crash; the process may be damaged. */
void __asan_on_error(void)
{
	fprintf(stderr, "# crashed in: %s --seed %" PRIu64 " -v\n",
		main_program, main_seed);
}

static void main_on_abort(int signo)
{
	(void)signo;
	__asan_on_error();
}

static void main_say_how(FILE *out)
{
	fprintf(out, "#  to see it again: %s --seed %" PRIu64 " -v\n",
		main_program, main_seed);
}

static bool main_one(u64 seed, const struct sim_trace *trace)
{
	struct sim_params par;
	struct sim sim;
	bool ok;

	main_seed = seed;
	sim_params_random(&par, seed);
	if (trace->lines)
		sim_params_print(&par, stdout);
	ok = sim_run(&sim, &par, trace);
	if (trace->lines)
		printf("# %u messages, %" PRIu64 " events, %" PRIu64
		       " frames, %" PRIu64 " retransmissions, %.3f s\n",
		       sim.nr_msgs, sim.events, sim.count.sent,
		       sim.count.pdc.tx_retx,
		       (double)(sim.now - SIM_S) / SIM_S);
	if (!ok) {
		printf("# seed %" PRIu64 ": %s\n", seed, sim.why);
		sim_params_print(&par, stdout);
		sim_print(&sim);
		main_say_how(stdout);
	}
	sim_fini(&sim);
	return ok;
}

static bool main_batch(u64 first, u64 count)
{
	static const struct sim_trace quiet;
	u64 failed = 0, i;

	for (i = 0; i < count; i++)
		failed += !main_one(first + i, &quiet);
	return !failed;
}

static int main_all(u64 first, u64 count)
{
	static const struct sim_trace quiet;
	u32 named = sim_named_count(), nr = 0, i;
	u64 batches = DIV_ROUND_UP(count, MAIN_BATCH), done, n;
	bool all = true, ok;

	printf("TAP version 13\n1..%u\n", (u32)(named + batches));
	for (i = 0; i < named; i++) {
		ok = sim_named_run(i, &quiet);
		all = all && ok;
		printf("%sok %u - the scenario %s keeps all guarantees\n", ok ? "" : "not ", ++nr,
		       sim_named_name(i));
	}
	for (done = 0; done < count; done += n) {
		n = min_t(u64, MAIN_BATCH, count - done);
		ok = main_batch(first + done, n);
		all = all && ok;
		printf("%sok %u - the seeds %" PRIu64 "..%" PRIu64
		       " keep all guarantees\n",
		       ok ? "" : "not ", ++nr, first + done,
		       first + done + n - 1);
	}
	return !all;
}

static int main_named(const char *name, const struct sim_trace *trace)
{
	u32 i;

	for (i = 0; i < sim_named_count(); i++)
		if (!strcmp(sim_named_name(i), name))
			return !sim_named_run(i, trace);
	fprintf(stderr, "uetsim: no scenario \"%s\", see --list\n", name);
	return 2;
}

static int main_list(void)
{
	u32 i;

	for (i = 0; i < sim_named_count(); i++)
		printf("%-16s %s\n", sim_named_name(i), sim_named_doc(i));
	return 0;
}

static int main_figures(void)
{
	sim_figures();
	sim_tail_figures();
	return 0;
}

static int main_usage(void)
{
	fprintf(stderr,
		"usage: uetsim [--scenarios N] [--first SEED]   all named scenarios, then N random ones\n"
		"       uetsim --seed SEED                      one random scenario\n"
		"       uetsim --run NAME                       one named scenario\n"
		"       uetsim --list                           names\n"
		"       uetsim --figures                        performance on ideal links\n"
		"  -v         print every packet of the one scenario\n"
		"  --from US  but only from this simulated time on\n"
		"  --lines N  and at most so many (%u)\n", MAIN_LINES);
	return 2;
}

/* Options with a number, in the order of struct main_opts.number. */
enum {
	MAIN_SCENARIOS,
	MAIN_FIRST,
	MAIN_SEED,
	MAIN_FROM,
	MAIN_MAX_LINES,
	MAIN_NUMBERS,
};

static const char *const main_words[MAIN_NUMBERS] = {
	[MAIN_SCENARIOS]	= "--scenarios",
	[MAIN_FIRST]		= "--first",
	[MAIN_SEED]		= "--seed",
	[MAIN_FROM]		= "--from",
	[MAIN_MAX_LINES]	= "--lines",
};

/**
 * struct main_opts - the command line
 * @number: values of the options with a number
 * @has: these options were given
 * @name: argument of --run
 * @mode: function of --list or --figures, or NULL
 * @verbose: -v
 */
struct main_opts {
	u64 number[MAIN_NUMBERS];
	bool has[MAIN_NUMBERS];
	const char *name;
	int (*mode)(void);
	bool verbose;
};

static bool main_number(const char *text, u64 *value)
{
	char *end;

	if (!text)
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text != '-' && end != text && !*end && !errno;
}

/* Parse the option at @arg; returns the number of words, or 0 on an error. */
static int main_option(struct main_opts *opts, char **arg)
{
	u32 i;

	for (i = 0; i < MAIN_NUMBERS; i++) {
		if (strcmp(*arg, main_words[i]))
			continue;
		opts->has[i] = true;
		return main_number(arg[1], &opts->number[i]) ? 2 : 0;
	}
	if (!strcmp(*arg, "--run")) {
		opts->name = arg[1];
		return arg[1] ? 2 : 0;
	}
	if (!strcmp(*arg, "--list"))
		opts->mode = main_list;
	else if (!strcmp(*arg, "--figures"))
		opts->mode = main_figures;
	else if (!strcmp(*arg, "-v"))
		opts->verbose = true;
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	struct main_opts opts = {
		.number = {
			[MAIN_SCENARIOS] = 1000,
			[MAIN_FIRST] = 1,
			[MAIN_MAX_LINES] = MAIN_LINES,
		},
	};
	struct sim_trace trace = { 0 };
	int i, words;

	main_program = argv[0];
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGABRT, main_on_abort);
	for (i = 1; i < argc; i += words) {
		words = main_option(&opts, &argv[i]);
		if (!words)
			return main_usage();
	}
	if (opts.verbose)
		trace.lines = opts.number[MAIN_MAX_LINES];
	trace.from_ns = opts.number[MAIN_FROM] * SIM_US;
	if (opts.mode)
		return opts.mode();
	if (opts.name)
		return main_named(opts.name, &trace);
	if (opts.has[MAIN_SEED])
		return !main_one(opts.number[MAIN_SEED], &trace);
	return main_all(opts.number[MAIN_FIRST], opts.number[MAIN_SCENARIOS]);
}
