/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan: the changes that bring the kernel to the requested state, and the
 * objects that have to wait.  A pure function: no I/O, no clock but the time
 * passed in, no memory of earlier plans.  The plan for a kernel in the
 * requested state is empty.  Level: tool.
 *
 * Objects in use are not deleted.  A job with endpoints or open descriptors
 * stays as it is, as do its FEPs and their rails; changes to these objects
 * wait.  An object is also kept if it should be recreated but cannot be,
 * because its address or a rail is missing or the MTU of a rail is too small.
 */
#ifndef UETD_PLAN_H
#define UETD_PLAN_H

#include "conf/conf.h"
#include "model/index.h"
#include "model/model.h"
#include "rotation.h"

/*
 * In the order of execution: the topmost objects are deleted first and created
 * last.
 */
enum uetd_op_kind {
	UETD_OP_JOB_DEL,
	UETD_OP_FEP_DEL,
	UETD_OP_RAIL_DEL,
	UETD_OP_SD_DEL,
	UETD_OP_RAIL_ADD,
	UETD_OP_RAIL_SET,
	UETD_OP_SD_ADD,
	UETD_OP_SD_KEYS,
	UETD_OP_FEP_SET,
	UETD_OP_FEP_ADD,
	UETD_OP_JOB_ADD,
};

/**
 * struct uetd_op - one change
 * @kind: the action, which selects one of the objects below
 * @rail: a rail
 * @sd: a secure domain
 * @step: UETD_OP_SD_KEYS: change of the keys
 * @fep: a FEP, its rails by ifindex
 * @was: UETD_OP_FEP_SET: the FEP before the change
 * @job: a job
 */
struct uetd_op {
	enum uetd_op_kind kind;
	union {
		struct uetd_rail rail;
		struct {
			struct uetd_sd sd;
			struct uetd_step step;
		};
		struct {
			struct uetd_fep fep;
			struct uetd_fep was;
		};
		struct uetd_job job;
	};
};

/**
 * struct uetd_wait - an object that has to wait
 * @object: "rail NAME", "sd NAME", "fep NAME" or "job ID"
 * @reason: reason of the wait, for people
 */
struct uetd_wait {
	char object[32];
	char reason[UETD_TEXT_MAX];
};

/**
 * struct uetd_name - an object of the kernel
 * @text: "rail NETDEV", "sd NAME", "fep NAME" or "job ID"
 */
struct uetd_name {
	char text[32];
};

/**
 * struct uetd_plan - the changes to make
 * @ops: array, in the order of execution
 * @nr_ops: its length
 * @waits: array
 * @nr_waits: its length
 * @names: the objects that the files name and that have their netdev, array
 * @nr_names: its length
 * @next: time of the next change by the clock, seconds since 1970; 0: never
 */
struct uetd_plan {
	struct uetd_op *ops;
	size_t nr_ops;
	struct uetd_wait *waits;
	size_t nr_waits;
	struct uetd_name *names;
	size_t nr_names;
	uint64_t next;
};

/**
 * struct uetd_failed - the changes of a plan that failed; zeroed: none
 * @marks: by what they were to do
 */
struct uetd_failed {
	struct uetd_index marks;
};

void uetd_plan_make(struct uetd_plan *plan, const struct uetd_conf *conf,
		    const struct uetd_links *links,
		    const struct uetd_model *kernel, uint64_t now);
void uetd_plan_free(struct uetd_plan *plan);
void uetd_op_object(char *buf, size_t size, const struct uetd_op *op);
void uetd_op_verb(char *buf, size_t size, const struct uetd_op *op);

/* op_failed.c */
void uetd_failed_add(struct uetd_failed *failed, const struct uetd_op *op);
const struct uetd_op *uetd_failed_find(const struct uetd_failed *failed,
				       const struct uetd_op *op);
void uetd_failed_free(struct uetd_failed *failed);

/* plan.c, for plan_sd.c */
struct uetd_op *uetd_plan_op(struct uetd_plan *plan, enum uetd_op_kind kind);

/* plan_sd.c */
void uetd_plan_keys(struct uetd_plan *plan, const struct uetd_sd *wanted,
		    const struct uetd_sd *has, uint64_t now);

/* target.c */
void uetd_plan_wait(struct uetd_plan *plan, const char *kind,
		    const char *name, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void uetd_target_make(struct uetd_model *target, struct uetd_plan *plan,
		      const struct uetd_conf *conf,
		      const struct uetd_links *links);

#endif
