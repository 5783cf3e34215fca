/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named scenarios of the simulator, and their tables.
 * Level: test.
 */
#ifndef UET_SIM_NAMED_H
#define UET_SIM_NAMED_H

#include "sim.h"

/**
 * struct sim_named - a named scenario
 * @name: name of the scenario
 * @doc: purpose of the scenario
 * @setup: changes the default parameters
 * @verify: returns the error in the result of a run that passed, or NULL
 */
struct sim_named {
	const char *name;
	const char *doc;
	void (*setup)(struct sim_params *par);
	const char *(*verify)(const struct sim *sim);
};

/* named_link.c: links.  Each table ends with an entry without a name. */
extern const struct sim_named sim_named_link[];

/* named_life.c: receivers, PDCs and failures */
extern const struct sim_named sim_named_life[];

/* named_rudi.c: RUDI */
extern const struct sim_named sim_named_rudi[];

/* named_back.c: return direction */
extern const struct sim_named sim_named_read_rsp[];

/* named_read.c: reads */
extern const struct sim_named sim_named_read[];

/* named_secure.c: sealed packets */
extern const struct sim_named sim_named_secure[];

/* named_cc.c: congestion control */
extern const struct sim_named sim_named_cc[];

/* named.c */
u32 sim_named_count(void);
const char *sim_named_name(u32 i);
const char *sim_named_doc(u32 i);
bool sim_named_run(u32 i, const struct sim_trace *trace);

#endif
