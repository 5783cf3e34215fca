/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces of the fabric simulator: queues, windows and the use of links, as lines of CSV,
 * one sample of each in a period.  Level: test.
 */
#ifndef UET_FABRIC_TRACE_H
#define UET_FABRIC_TRACE_H

#include <stdio.h>

#include "core/shim.h"

struct fab;
struct fab_port;

/* The objects that a trace has lines of. */
enum fab_trace_kind {
	FAB_TRACE_QUEUES,
	FAB_TRACE_WINDOWS,
	FAB_TRACE_LINKS,
	FAB_TRACE_NR,
};

/* Counted per port. */
enum fab_trace_count {
	FAB_TRACE_MARKS,
	FAB_TRACE_TRIMS,
	FAB_TRACE_DROPS,
	FAB_TRACE_COUNTS,
};

/**
 * struct fab_use - what a port did since the last sample
 * @bytes: bytes sent
 * @count: by enum fab_trace_count
 * @had_queue: its queue was not empty at the last sample
 */
struct fab_use {
	u64 bytes;
	u32 count[FAB_TRACE_COUNTS];
	bool had_queue;
};

/**
 * struct fab_trace - traces of a run
 * @out: file of each kind; NULL: no such trace
 * @period: time between samples, ps
 * @use: by port
 */
struct fab_trace {
	FILE *out[FAB_TRACE_NR];
	u64 period;
	struct fab_use *use;
};

void fab_trace_head(FILE *out, enum fab_trace_kind kind);
void fab_trace_begin(struct fab *fab, struct fab_trace *trace);
void fab_trace_sent(struct fab *fab, const struct fab_port *port, u32 bytes);
void fab_trace_count(struct fab *fab, const struct fab_port *port,
		     enum fab_trace_count what);
void fab_trace_event(struct fab *fab);
void fab_trace_end(struct fab *fab);

#endif
