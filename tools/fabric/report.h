/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes in and comes out of uetfabric: its command line, figures of a run,
 * and the gates.  Level: test.
 */
#ifndef UET_FABRIC_REPORT_H
#define UET_FABRIC_REPORT_H

#include <stdio.h>

#include "fabric.h"

/**
 * struct fab_result - figures of a run
 * @min_us: shortest flow
 * @mean_us: mean of all
 * @p99_us: 99 of 100 are no longer
 * @max_us: longest
 * @ideal_us: of a network that is always full; 0 if there are triggers
 * @eff: percent of the ideal
 * @delay_us: mean of what a round trip was longer than in an idle network
 * @count: what happened
 * @events: events
 * @cpu_s: time of the processor
 * @memory_mb: most memory there ever was, of the process
 */
struct fab_result {
	double min_us;
	double mean_us;
	double p99_us;
	double max_us;
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

/* How results are printed. */
enum fab_form {
	FAB_TEXT,
	FAB_JSON,
	FAB_CSV,
};

/* Whose flows there are. */
enum fab_pattern {
	FAB_PAT_NONE,
	FAB_PAT_MATRIX,
	FAB_PAT_PERMUTATION,
	FAB_PAT_INCAST,
	FAB_PAT_ALL_TO_ALL,
	FAB_PAT_RING,
};

/**
 * struct fab_options - the command line
 * @par: parameters of the run
 * @nodes: hosts asked for; 0: as many as the matrix has
 * @tiers: 2 or 3
 * @oversub: hosts of a ToR for each of its uplinks
 * @has_shape: the shape was given, these three were not
 * @pattern: flows
 * @matrix: file of the connection matrix
 * @n: hosts that take part
 * @bytes: of a flow
 * @seeds: runs, with successive seeds
 * @form: of the results
 * @flows: file for a line for each flow; NULL
 * @has_gates: run the gates, and nothing else
 * @is_quick: of these, the quick ones only
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
