// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of tail loss: completion times of single messages when packets are
 * lost, with and without tail loss probing.  Level: test.
 */
#include "sim.h"

#define TAIL_MSGS	4000

static int tail_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u32 tail_later_than(const u64 *ns, u32 n, u64 limit)
{
	u32 i, late = 0;

	for (i = 0; i < n; i++)
		late += ns[i] >= limit;
	return late;
}

static void tail_print(const struct sim *sim)
{
	const u64 rto = sim->par.pdc.rto_init_ns;
	u32 n = sim->nr_msgs, i;
	u64 *ns, sum = 0;

	ns = calloc(n, sizeof(*ns));
	if (!ns)
		abort();
	for (i = 0; i < n; i++) {
		ns[i] = sim->msg[i].done_ns - sim->msg[i].start_ns;
		sum += ns[i];
	}
	qsort(ns, n, sizeof(*ns), tail_compare);
	printf("%7.2f %% %6s %9.1f %9.1f %9.1f %9.1f %7.2f %%\n",
	       sim->par.loss_ppm / 1e4,
	       sim->par.pdc.tail_loss_ns ? "yes" : "no", ns[n / 2] / 1e3,
	       ns[n * 9 / 10] / 1e3, ns[n * 99 / 100] / 1e3,
	       (double)sum / n / 1e3,
	       100.0 * tail_later_than(ns, n, rto) / n);
	free(ns);
}

static void tail_row(u32 loss_ppm, bool probes)
{
	static const struct sim_trace quiet;
	struct sim_params par;
	struct sim sim;

	sim_params_default(&par);
	par.msgs = TAIL_MSGS;
	par.size_min = 65536;
	par.size_max = 65536;
	par.loss_ppm = loss_ppm;
	if (!probes)
		par.pdc.tail_loss_ns = 0;
	if (sim_run(&sim, &par, &quiet))
		tail_print(&sim);
	else
		printf("failed: %s\n", sim.why);
	sim_fini(&sim);
}

/**
 * sim_tail_figures() - print completion times of messages of 64 kB, one after the other
 *
 * The runs have one rail of 100 Gb/s and 10 us, and default parameters.  The
 * last column is the number of messages that took an RTO or more.
 */
void sim_tail_figures(void)
{
	static const u32 loss[] = { 0, 10000, 100000 };
	u32 i;

	printf("\n     loss probes median us   90 %% us   99 %% us   mean us  late\n");
	for (i = 0; i < ARRAY_SIZE(loss); i++) {
		tail_row(loss[i], false);
		tail_row(loss[i], true);
	}
}
