/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios of the simulator that have names, and the tables they are in.
 * Level: test.
 */
#ifndef UET_SIM_NAMED_H
#define UET_SIM_NAMED_H

#include "sim.h"

/**
 * struct sim_named - a scenario with a name
 * @name: of it
 * @doc: what it shows
 * @setup: changes the default parameters
 * @verify: says what is wrong with the result of a run that passed, or NULL
 */
struct sim_named {
	const char *name;
	const char *doc;
	void (*setup)(struct sim_params *par);
	const char *(*verify)(const struct sim *sim);
};

/* named_link.c: scenarios of links, which end with one without a name */
extern const struct sim_named sim_named_link[];

/* named_life.c: the same of receivers, PDCs and disasters */
extern const struct sim_named sim_named_life[];

/* named_rudi.c: the same of RUDI */
extern const struct sim_named sim_named_rudi[];

/* named_read_rsp.c: the same of the return direction */
extern const struct sim_named sim_named_read_rsp[];

/* named_read.c: the same of reads */
extern const struct sim_named sim_named_read[];

/* named_secure.c: the same of packets that are sealed */
extern const struct sim_named sim_named_secure[];

/* named_cc.c: the same of congestion control */
extern const struct sim_named sim_named_cc[];

/* named.c */
u32 sim_named_count(void);
const char *sim_named_name(u32 i);
const char *sim_named_doc(u32 i);
bool sim_named_run(u32 i, const struct sim_trace *trace);

#endif
