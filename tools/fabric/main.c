// SPDX-License-Identifier: GPL-2.0
/*
 * The command uetfabric: runs flows through a simulated fabric, once per seed, and
 * prints a line of results for each run.  Exit status: 1 if a run did not complete, 2
 * for a wrong command line.  Level: test.
 */
#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "report.h"

static double main_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void main_print(const struct fab_options *opts, const struct fab *fab,
		       double cpu_s)
{
	struct fab_result res;

	fab_result(fab, cpu_s, &res);
	if (opts->form == FAB_JSON)
		fab_print_json(fab, &res);
	else if (opts->form == FAB_CSV)
		fab_print_csv(fab, &res);
	else
		fab_print_text(fab, &res);
	fflush(stdout);
}

/* Execute one run. Return: exit status. @flows may be NULL. */
static int main_one(const struct fab_options *opts, u64 seed, FILE *flows)
{
	struct fab_params par = opts->par;
	double start = main_seconds();
	struct fab fab;
	int status = 2;

	par.seed = seed;
	fab_init(&fab, &par);
	if (fab_options_flows(opts, &fab)) {
		status = !fab_run(&fab);
		if (status)
			fprintf(stderr, "uetfabric: seed %" PRIu64 ": %s; %u of %u flows are not complete after %.0f us\n",
				seed, fab.why, fab.left, fab.nr_flows,
				(double)(fab.clock.now - FAB_EPOCH) / FAB_US);
		else
			main_print(opts, &fab, main_seconds() - start);
		if (flows)
			fab_print_flows(&fab, flows);
	}
	fab_fini(&fab);
	return status;
}

static int main_all(const struct fab_options *opts, FILE *flows)
{
	int status = 0;
	u64 i;

	if (opts->form == FAB_CSV)
		fab_print_csv_head();
	if (flows)
		fab_print_flows_head(flows);
	for (i = 0; i < opts->seeds && !status; i++)
		status = main_one(opts, opts->par.seed + i, flows);
	return status;
}

int main(int argc, char **argv)
{
	struct fab_options opts;
	FILE *flows = NULL;
	int status;

	if (!fab_options_read(&opts, argc, argv))
		return 2;
	if (opts.has_gates)
		return fab_gates(opts.is_quick);
	if (opts.flows) {
		flows = fopen(opts.flows, "w");
		if (!flows) {
			fprintf(stderr, "uetfabric: --flows %s: %s\n",
				opts.flows, strerror(errno));
			return 2;
		}
	}
	status = main_all(&opts, flows);
	if (flows && fclose(flows)) {
		fprintf(stderr, "uetfabric: --flows %s: %s\n", opts.flows,
			strerror(errno));
		status = 1;
	}
	return status;
}
