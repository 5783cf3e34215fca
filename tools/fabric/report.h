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
 * struct fab_result - results of a run; times of flows are those of complete flows
 * @done: number of complete flows
 * @min_us: shortest flow, us
 * @mean_us: mean of all flows, us
 * @p99_us: 99th percentile, us
 * @max_us: longest flow, us
 * @total_us: from the start of the run to its end, us
 * @ideal_us: duration in a fully used network, us; 0 if there are triggers, or flows
 *	that are not complete
 * @eff: efficiency, percent of the ideal
 * @gbps: acknowledged payload over @total_us, all hosts, Gb/s
 * @delay_us: mean excess of a round trip over the idle network, us
 * @count: counters
 * @events: number of events
 * @cpu_s: CPU time, s
 * @memory_mb: peak memory of the process, MB
 */
struct fab_result {
	u32 done;
	double min_us;
	double mean_us;
	double p99_us;
	double max_us;
	double total_us;
	double ideal_us;
	double eff;
	double gbps;
	double delay_us;
	struct fab_count count;
	u64 events;
	double cpu_s;
	double memory_mb;
};

void fab_result(const struct fab *fab, double cpu_s, struct fab_result *res);
void fab_print_text(FILE *out, const struct fab *fab,
		    const struct fab_result *res);
void fab_print_json(FILE *out, const struct fab *fab,
		    const struct fab_result *res);
void fab_print_csv(FILE *out, const struct fab *fab,
		   const struct fab_result *res);
void fab_print_csv_head(FILE *out);
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
	FAB_PAT_RINGS,
	FAB_PAT_TREES,
	FAB_PAT_SLICE,
};

/* Files that a run writes besides its line of results. */
enum fab_file {
	FAB_FILE_QUEUES,	/* in the order of enum fab_trace_kind */
	FAB_FILE_WINDOWS,
	FAB_FILE_LINKS,
	FAB_FILE_FLOWS,
	FAB_FILE_NR,
};

extern const char *const fab_file_options[FAB_FILE_NR];

/**
 * struct fab_options - contents of the command line
 * @par: parameters of the run
 * @nodes: number of hosts; 0: as many as the matrix has
 * @tiers: 2 or 3
 * @oversub: hosts of a ToR per uplink
 * @gpus: hosts of a server
 * @mbps: rate of all links, Mb/s; 0: as usual, or as in @topo
 * @wire_ns: delay of all links, ns; FAB_NONE: as usual, or as in @topo
 * @switch_ns: delay of all switches, ns; FAB_NONE: as usual, or as in @topo
 * @has_shape: the shape was given instead of @nodes, @tiers and @oversub
 * @topo: file of the network; NULL
 * @pattern: source of the flows
 * @matrix: file of the connection matrix
 * @n: number of hosts that take part, of steps of rings, or of destinations of a slice
 * @bytes: size of a flow, bytes
 * @seeds: number of runs, with successive seeds
 * @jobs: number of runs at a time
 * @wall_s: seconds after which runs end; 0: none
 * @has_progress: progress is reported
 * @form: output format of the results
 * @file: names of files that runs write; NULL
 * @trace_us: time between samples, us
 * @has_gates: run only the gates
 * @is_quick: run only the quick gates
 */
struct fab_options {
	struct fab_params par;
	u32 nodes;
	u32 tiers;
	u32 oversub;
	u32 gpus;
	u32 mbps;
	u32 wire_ns;
	u32 switch_ns;
	bool has_shape;
	const char *topo;
	enum fab_pattern pattern;
	const char *matrix;
	u32 n;
	u64 bytes;
	u32 seeds;
	u32 jobs;
	u32 wall_s;
	bool has_progress;
	enum fab_form form;
	const char *file[FAB_FILE_NR];
	u32 trace_us;
	bool has_gates;
	bool is_quick;
};

bool fab_topo_read(struct fab_params *par, const char *name);
bool fab_options_read(struct fab_options *opts, int argc, char **argv);
void fab_usage(FILE *out);
bool fab_options_flows(const struct fab_options *opts, struct fab *fab);

int fab_gates(bool is_quick);

/**
 * struct fab_fact - something that congestion control does, or a part of the simulator
 * @name: what is true
 * @passes: is it true?
 */
struct fab_fact {
	const char *name;
	bool (*passes)(void);
};

extern const struct fab_fact fab_cc_facts[];
extern const u32 fab_nr_cc_facts;

#endif
