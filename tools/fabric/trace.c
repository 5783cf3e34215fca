// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of the fabric simulator.  A sample has a line for each queue that is not empty,
 * or was not at the sample before; for each context with data to send or in flight; and
 * for each link that sent, marked, trimmed or dropped.  An object without a line
 * has zero in all columns.
 * Level: test.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric.h"

/**
 * fab_trace_head() - print the column names of a trace
 * @out: output stream
 * @kind: what the trace is about
 */
void fab_trace_head(FILE *out, enum fab_trace_kind kind)
{
	static const char *const heads[FAB_TRACE_NR] = {
		[FAB_TRACE_QUEUES] = "port,bytes,urgent,control",
		[FAB_TRACE_WINDOWS] =
			"src,dst,class,window,inflight,credit,backlog",
		[FAB_TRACE_LINKS] = "port,bytes,use,marks,trims,drops",
	};

	fprintf(out, "path,cc,seed,time_us,%s\n", heads[kind]);
}

static void trace_line(const struct fab *fab, FILE *out)
{
	fprintf(out, "%s,%s,%" PRIu64 ",%.3f,", fab->par.path->name,
		fab->par.cc->name, fab->par.seed,
		(double)(fab->clock.now - FAB_EPOCH) / FAB_US);
}

/**
 * fab_trace_begin() - start the traces of a run
 * @fab: run about to start
 * @trace: files and period; valid until fab_trace_end()
 */
void fab_trace_begin(struct fab *fab, struct fab_trace *trace)
{
	fab->trace = trace;
	trace->use = calloc(fab->nr_ports, sizeof(*trace->use));
	if (!trace->use)
		abort();
	fab_at(&fab->clock, fab->clock.now + trace->period, FAB_EV_TRACE, 0);
}

/**
 * fab_trace_sent() - a port has sent a packet
 * @fab: run with traces
 * @port: the port
 * @bytes: size of the packet
 */
void fab_trace_sent(struct fab *fab, const struct fab_port *port, u32 bytes)
{
	fab->trace->use[port - fab->port].bytes += bytes;
}

/**
 * fab_trace_count() - a port has marked, trimmed or dropped a packet
 * @fab: run with traces
 * @port: the port
 * @what: which of these
 */
void fab_trace_count(struct fab *fab, const struct fab_port *port,
		     enum fab_trace_count what)
{
	fab->trace->use[port - fab->port].count[what]++;
}

static void trace_queues(struct fab *fab, FILE *out)
{
	const struct fab_queue *q;
	struct fab_use *use;
	bool has_queue;
	char name[40];
	u32 i;

	for (i = 0; i < fab->nr_ports; i++) {
		q = fab->port[i].queue;
		use = &fab->trace->use[i];
		has_queue = q[FAB_C_CONTROL].bytes || q[FAB_C_URGENT].bytes ||
			    q[FAB_C_DATA].bytes;
		if (has_queue || use->had_queue) {
			fab_port_name(fab, i, name);
			trace_line(fab, out);
			fprintf(out, "%s,%u,%u,%u\n", name,
				q[FAB_C_DATA].bytes, q[FAB_C_URGENT].bytes,
				q[FAB_C_CONTROL].bytes);
		}
		use->had_queue = has_queue;
	}
}

static void trace_windows(const struct fab *fab, FILE *out)
{
	const struct fab_shape *s = &fab->par.shape;
	const struct fab_chan *ch;
	const struct uet_ccc *ccc;
	s64 credit;
	u32 i;

	for (i = 0; i < fab->nr_chans; i++) {
		ch = &fab->chan[i];
		ccc = ch->cms ? &ch->cms->ccc : NULL;
		if (!ccc || (!ccc->backlog && !ccc->inflight))
			continue;
		credit = fab->pacer ? ccc->rccc.credit : 0;
		trace_line(fab, out);
		fprintf(out, "%u,%u,%s,%" PRIu64 ",%" PRId64 ",%" PRId64
			",%" PRIu64 "\n", fab_shape_host(s, ch->src),
			fab_shape_host(s, ch->dst),
			ch->class == FAB_URGENT ? "urgent" : "normal",
			(uint64_t)ccc->cwnd, (int64_t)ccc->inflight,
			(int64_t)credit, (uint64_t)ccc->backlog);
	}
}

static void trace_links(struct fab *fab, FILE *out)
{
	const struct fab_link *link;
	struct fab_use *use;
	char name[40];
	u32 i;

	for (i = 0; i < fab->nr_ports; i++) {
		use = &fab->trace->use[i];
		if (!use->bytes && !use->count[FAB_TRACE_TRIMS] &&
		    !use->count[FAB_TRACE_DROPS])
			continue;
		link = &fab->link[fab->port[i].link];
		fab_port_name(fab, i, name);
		trace_line(fab, out);
		fprintf(out, "%s,%" PRIu64 ",%.4f,%u,%u,%u\n", name, use->bytes,
			(double)use->bytes * link->byte_ps / fab->trace->period,
			use->count[FAB_TRACE_MARKS],
			use->count[FAB_TRACE_TRIMS],
			use->count[FAB_TRACE_DROPS]);
		use->bytes = 0;
		memset(use->count, 0, sizeof(use->count));
	}
}

/**
 * fab_trace_event() - take a sample, and schedule the next one
 * @fab: run with traces
 */
void fab_trace_event(struct fab *fab)
{
	struct fab_trace *trace = fab->trace;

	if (trace->out[FAB_TRACE_QUEUES])
		trace_queues(fab, trace->out[FAB_TRACE_QUEUES]);
	if (trace->out[FAB_TRACE_WINDOWS])
		trace_windows(fab, trace->out[FAB_TRACE_WINDOWS]);
	if (trace->out[FAB_TRACE_LINKS])
		trace_links(fab, trace->out[FAB_TRACE_LINKS]);
	/* Traces alone do not keep a run alive. */
	if (fab->clock.nr || fab_clock_has_lane_event(&fab->clock))
		fab_at(&fab->clock, fab->clock.now + trace->period,
		       FAB_EV_TRACE, 0);
}

/**
 * fab_trace_end() - free the memory of the traces
 * @fab: run
 */
void fab_trace_end(struct fab *fab)
{
	if (!fab->trace)
		return;
	free(fab->trace->use);
	fab->trace = NULL;
}
