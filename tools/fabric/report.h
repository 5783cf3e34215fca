/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input and output of uetfabric: the command line, the results of a run, and the
 * gates.  Level: test.
 */
#ifndef UET_FABRIC_REPORT_H
#define UET_FABRIC_REPORT_H

#include <stdio.h>

#include "fabric.h"

/**
 * struct fab_result - results of a run
 * @min_us: shortest flow, us
 * @mean_us: mean of all flows, us
 * @p99_us: 99th percentile, us
 * @max_us: longest flow, us
 * @total_us: from the start of the run to the end of the last flow, us
 * @ideal_us: duration in a fully used network, us; 0 if there are triggers
 * @eff: efficiency, percent of the ideal
 * @delay_us: mean excess of a round trip over the idle network, us
 * @count: counters
 * @events: number of events
 * @cpu_s: CPU time, s
 * @memory_mb: peak memory of the process, MB
 */
struct fab_result {
	double min_us;
	double mean_us;
	double p99_us;
	double max_us;
	double total_us;
	double ideal_us;
	double eff;
	double delay_us;
	struct fab_count count;
	u64 events;
	double cpu_s;
	double memory_mb;
};

void fab_result(const struct fab *fab, double cpu_s, struct fab_result *res);
void fab_print_text(const struct fab *fab, const struct fab_result *res);
void fab_print_json(const struct fab *fab, const struct fab_result *res);
void fab_print_csv(const struct fab *fab, const struct fab_result *res);
void fab_print_csv_head(void);
void fab_print_flows_head(FILE *out);
void fab_print_flows(const struct fab *fab, FILE *out);

/* Output format of results. */
enum fab_form {
	FAB_TEXT,
	FAB_JSON,
	FAB_CSV,
};

/* Source of the flows. */
enum fab_pattern {
	FAB_PAT_NONE,
	FAB_PAT_MATRIX,
	FAB_PAT_PERMUTATION,
	FAB_PAT_INCAST,
	FAB_PAT_ALL_TO_ALL,
	FAB_PAT_RING,
};

/**
 * struct fab_options - contents of the command line
 * @par: parameters of the run
 * @nodes: number of hosts; 0: as many as the matrix has
 * @tiers: 2 or 3
 * @oversub: hosts of a ToR per uplink
 * @has_shape: the shape was given instead of @nodes, @tiers and @oversub
 * @pattern: source of the flows
 * @matrix: file of the connection matrix
 * @n: number of hosts that take part
 * @bytes: size of a flow, bytes
 * @seeds: number of runs, with successive seeds
 * @form: output format of the results
 * @flows: file that gets a line for each flow; NULL
 * @has_gates: run only the gates
 * @is_quick: run only the quick gates
 */
struct fab_options {
	struct fab_params par;
	u32 nodes;
	u32 tiers;
	u32 oversub;
	bool has_shape;
	enum fab_pattern pattern;
	const char *matrix;
	u32 n;
	u64 bytes;
	u32 seeds;
	enum fab_form form;
	const char *flows;
	bool has_gates;
	bool is_quick;
};

bool fab_options_read(struct fab_options *opts, int argc, char **argv);
void fab_usage(FILE *out);
bool fab_options_flows(const struct fab_options *opts, struct fab *fab);

int fab_gates(bool is_quick);

#endif
