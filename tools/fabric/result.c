// SPDX-License-Identifier: GPL-2.0
/*
 * Results of a run of the fabric simulator: flow completion times, their ideal values,
 * and counters, printed as text, JSON or CSV, one line each.  Level: test.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "report.h"

static int result_compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return: times of all complete flows, ascending, and at least one entry. */
static u64 *result_times(const struct fab *fab, u32 *nr)
{
	u64 *times = calloc(fab->nr_flows + 1, sizeof(*times));
	u32 i;

	if (!times)
		abort();
	*nr = 0;
	for (i = 0; i < fab->nr_flows; i++)
		if (fab->flow[i].done)
			times[(*nr)++] = fab->flow[i].done - fab->flow[i].began;
	qsort(times, *nr, sizeof(*times), result_compare);
	return times;
}

/*
 * The ideal time is the time that the busiest host needs to send or receive all its
 * data, plus one base round trip of the last packet and its ACK.
 */
static double result_ideal_us(const struct fab *fab)
{
	u32 hosts = fab_shape_hosts(&fab->par.shape), i;
	u64 *load = calloc(2 * hosts, sizeof(*load)), most = 0, bytes;
	double byte_ps = 8e6 / fab->par.tier[0].mbps;
	const struct fab_chan *ch;

	if (!load)
		abort();
	for (i = 0; i < fab->nr_flows; i++) {
		ch = &fab->chan[fab->flow[i].chan];
		bytes = fab_wire_bytes(fab, fab->flow[i].bytes);
		load[2 * ch->src] += bytes;
		load[2 * ch->dst + 1] += bytes;
	}
	for (i = 0; i < 2 * hosts; i++)
		most = max(most, load[i]);
	free(load);
	most /= fab->par.rails;
	return (most * byte_ps + fab->base_rtt - fab->par.packet * byte_ps) /
	       FAB_US;
}

/**
 * fab_result() - compute the results of a run, or of the part that was run
 * @fab: run
 * @cpu_s: CPU time of the run, s
 * @res: result
 */
void fab_result(const struct fab *fab, double cpu_s, struct fab_result *res)
{
	u64 *times, sum = 0, ps = fab->clock.now - FAB_EPOCH;
	struct rusage usage;
	u32 done, n, i;

	times = result_times(fab, &done);
	n = max(done, 1U);
	for (i = 0; i < done; i++)
		sum += times[i];
	getrusage(RUSAGE_SELF, &usage);
	*res = (struct fab_result) {
		.done = done,
		.min_us = (double)times[0] / FAB_US,
		.mean_us = (double)sum / n / FAB_US,
		.p99_us = (double)times[(99ULL * n + 99) / 100 - 1] / FAB_US,
		.max_us = (double)times[n - 1] / FAB_US,
		.total_us = (double)ps / FAB_US,
		.gbps = ps ? 8000.0 * fab->acked / ps : 0,
		.count = fab->count,
		.events = fab->clock.events,
		.cpu_s = cpu_s,
		.memory_mb = usage.ru_maxrss / 1024.0,
	};
	free(times);
	if (fab->count.rtts)
		res->delay_us = (double)fab->count.delay_ns /
				fab->count.rtts / 1000;
	if (fab->nr_triggers || done < fab->nr_flows)
		return;
	res->ideal_us = result_ideal_us(fab);
	res->eff = 100 * res->ideal_us / res->max_us;
}

/* Fields to print: name, format, value. */
#define RESULT_FIELDS(X)						\
	X("seed", PRIu64, fab->par.seed)				\
	X("hosts", PRIu32, fab->nr_hosts)				\
	X("flows", PRIu32, fab->nr_flows)				\
	X("done", PRIu32, res->done)					\
	X("min_us", ".3f", res->min_us)					\
	X("mean_us", ".3f", res->mean_us)				\
	X("p99_us", ".3f", res->p99_us)					\
	X("max_us", ".3f", res->max_us)					\
	X("total_us", ".3f", res->total_us)				\
	X("ideal_us", ".3f", res->ideal_us)				\
	X("eff", ".2f", res->eff)					\
	X("gbps", ".1f", res->gbps)					\
	X("packets", PRIu64, res->count.packets)			\
	X("rtx", PRIu64, res->count.resent)				\
	X("trims", PRIu64, res->count.trims)				\
	X("drops", PRIu64, res->count.drops)				\
	X("host_drops", PRIu64, res->count.host_drops)			\
	X("dead", PRIu64, res->count.dead)				\
	X("syn_trims", PRIu64, res->count.syn_trims)			\
	X("losses", PRIu64, res->count.losses)				\
	X("needless", PRIu64, res->count.needless)			\
	X("acks", PRIu64, res->count.acks)				\
	X("nacks", PRIu64, res->count.nacks)				\
	X("credits", PRIu64, res->count.credits)			\
	X("controls", PRIu64, res->count.controls)			\
	X("marks", PRIu64, res->count.marks)				\
	X("delay_us", ".3f", res->delay_us)				\
	X("queue_max", PRIu32, res->count.queue_max)				\
	X("pauses", PRIu64, res->count.pauses)				\
	X("paused_us", ".3f", (double)res->count.paused_ps / FAB_US)	\
	X("events", PRIu64, res->events)				\
	X("events_per_s", ".0f", res->events / res->cpu_s)		\
	X("cpu_s", ".2f", res->cpu_s)					\
	X("memory_mb", ".0f", res->memory_mb)

/**
 * fab_print_text() - print a line of text
 * @out: output stream
 * @fab: run
 * @res: results of the run
 */
void fab_print_text(FILE *out, const struct fab *fab,
		    const struct fab_result *res)
{
	const char *front = "";

#define X(name, format, value)						\
	fprintf(out, "%s" name " %" format, front, value);		\
	front = "  ";
	RESULT_FIELDS(X)
#undef X
	fprintf(out, "\n");
}

/**
 * fab_print_json() - print a line of JSON
 * @out: output stream
 * @fab: run
 * @res: results of the run
 */
void fab_print_json(FILE *out, const struct fab *fab,
		    const struct fab_result *res)
{
	const char *front = "";

	fprintf(out, "{\"path\": \"%s\", \"cc\": \"%s\", ", fab->par.path->name,
	       fab->par.cc->name);
#define X(name, format, value)						\
	fprintf(out, "%s\"" name "\": %" format, front, value);		\
	front = ", ";
	RESULT_FIELDS(X)
#undef X
	fprintf(out, "}\n");
}

/**
 * fab_print_csv_head() - print the column names of fab_print_csv()
 * @out: output stream
 */
void fab_print_csv_head(FILE *out)
{
	fprintf(out, "path,cc");
#define X(name, format, value) fprintf(out, "," name);
	RESULT_FIELDS(X)
#undef X
	fprintf(out, "\n");
}

/**
 * fab_print_csv() - print a line of CSV
 * @out: output stream
 * @fab: run
 * @res: results of the run
 */
void fab_print_csv(FILE *out, const struct fab *fab,
		   const struct fab_result *res)
{
	fprintf(out, "%s,%s", fab->par.path->name, fab->par.cc->name);
#define X(name, format, value) fprintf(out, ",%" format, value);
	RESULT_FIELDS(X)
#undef X
	fprintf(out, "\n");
}

/**
 * fab_print_flows_head() - print the column names of fab_print_flows()
 * @out: output stream
 */
void fab_print_flows_head(FILE *out)
{
	fprintf(out, "path,cc,seed,src,dst,bytes,begin_us,time_us\n");
}

/**
 * fab_print_flows() - print a line of CSV for each complete flow
 * @fab: run
 * @out: output stream
 */
void fab_print_flows(const struct fab *fab, FILE *out)
{
	const struct fab_flow *flow;
	const struct fab_chan *ch;
	u32 i;

	for (i = 0; i < fab->nr_flows; i++) {
		flow = &fab->flow[i];
		ch = &fab->chan[flow->chan];
		if (!flow->done)
			continue;
		fprintf(out, "%s,%s,%" PRIu64 ",%u,%u,%" PRIu64 ",%.3f,%.3f\n",
			fab->par.path->name, fab->par.cc->name, fab->par.seed,
			fab_shape_host(&fab->par.shape, ch->src),
			fab_shape_host(&fab->par.shape, ch->dst), flow->bytes,
			(double)(flow->began - FAB_EPOCH) / FAB_US,
			(double)(flow->done - flow->began) / FAB_US);
	}
}
