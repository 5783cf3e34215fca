// SPDX-License-Identifier: GPL-2.0
/*
 * One change of a plan: its description, and the changes that it depends on.
 * Level: tool.
 */
#include <stdio.h>
#include <string.h>

#include "plan.h"

static bool fep_add_needs(const struct uetd_fep *fep,
			  const struct uetd_op *earlier)
{
	switch (earlier->kind) {
	case UETD_OP_FEP_DEL:
		return !strcmp(fep->name, earlier->fep.name) ||
		       uetd_addr_equal(&fep->addr, &earlier->fep.addr);
	case UETD_OP_RAIL_ADD:
		return uetd_fep_has_ifindex(fep, earlier->rail.ifindex);
	case UETD_OP_SD_ADD:
		return !strcmp(fep->sd, earlier->sd.name);
	default:
		return false;
	}
}

/* The steps of a rotation are ordered; each depends on the steps before it. */
static bool sd_needs(const struct uetd_sd *sd, const struct uetd_op *earlier)
{
	switch (earlier->kind) {
	case UETD_OP_SD_DEL:
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		return !strcmp(sd->name, earlier->sd.name);
	default:
		return false;
	}
}

static bool job_add_needs(const struct uetd_job *job,
			  const struct uetd_op *earlier)
{
	switch (earlier->kind) {
	case UETD_OP_JOB_DEL:
		return job->id == earlier->job.id;
	case UETD_OP_FEP_ADD:
		return uetd_job_has_fep(job, earlier->fep.name);
	default:
		return false;
	}
}

/**
 * uetd_op_needs() - check whether a change depends on an earlier one
 * @op: the change
 * @earlier: one in front of it in the plan
 *
 * Return: true if so.
 */
bool uetd_op_needs(const struct uetd_op *op, const struct uetd_op *earlier)
{
	switch (op->kind) {
	case UETD_OP_FEP_DEL:
		return earlier->kind == UETD_OP_JOB_DEL &&
		       uetd_job_has_fep(&earlier->job, op->fep.name);
	case UETD_OP_RAIL_DEL:
		return earlier->kind == UETD_OP_FEP_DEL &&
		       uetd_fep_has_ifindex(&earlier->fep, op->rail.ifindex);
	case UETD_OP_SD_DEL:
		return earlier->kind == UETD_OP_FEP_DEL &&
		       !strcmp(earlier->fep.sd, op->sd.name);
	case UETD_OP_RAIL_ADD:
		return earlier->kind == UETD_OP_RAIL_DEL &&
		       earlier->rail.ifindex == op->rail.ifindex;
	case UETD_OP_RAIL_SET:
		return earlier->kind == UETD_OP_RAIL_ADD &&
		       earlier->rail.ifindex == op->rail.ifindex;
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		return sd_needs(&op->sd, earlier);
	case UETD_OP_FEP_ADD:
		return fep_add_needs(&op->fep, earlier);
	case UETD_OP_JOB_ADD:
		return job_add_needs(&op->job, earlier);
	default:
		return false;
	}
}

/**
 * uetd_op_object() - name of the object of a change
 * @buf: filled in: "rail NAME", "sd NAME", "fep NAME" or "job ID"
 * @size: of @buf
 * @op: the change
 */
void uetd_op_object(char *buf, size_t size, const struct uetd_op *op)
{
	switch (op->kind) {
	case UETD_OP_RAIL_DEL:
	case UETD_OP_RAIL_ADD:
	case UETD_OP_RAIL_SET:
		snprintf(buf, size, "rail %s", op->rail.name);
		break;
	case UETD_OP_SD_DEL:
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		snprintf(buf, size, "sd %s", op->sd.name);
		break;
	case UETD_OP_JOB_DEL:
	case UETD_OP_JOB_ADD:
		snprintf(buf, size, "job %u", op->job.id);
		break;
	default:
		snprintf(buf, size, "fep %s", op->fep.name);
	}
}

static void put_word(char *buf, size_t size, const char *word)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, " %s", word);
}

static void step_verb(char *buf, size_t size, const struct uetd_step *step)
{
	static const char *const words[] = {
		[UETD_STEP_FORGET] = "forget",
		[UETD_STEP_KEY] = "set",
		[UETD_STEP_USE] = "use",
	};

	snprintf(buf, size, "%s key %u", words[step->kind], step->number);
}

/**
 * uetd_op_verb() - describe the action of a change
 * @buf: filled in: "add", "delete" or "set" and the words of what is; of keys,
 *	"set", "use" or "forget" and which
 * @size: of @buf
 * @op: the change
 */
void uetd_op_verb(char *buf, size_t size, const struct uetd_op *op)
{
	unsigned int i;

	switch (op->kind) {
	case UETD_OP_JOB_DEL:
	case UETD_OP_FEP_DEL:
	case UETD_OP_RAIL_DEL:
	case UETD_OP_SD_DEL:
		snprintf(buf, size, "delete");
		return;
	case UETD_OP_SD_KEYS:
		step_verb(buf, size, &op->step);
		return;
	case UETD_OP_RAIL_SET:
		snprintf(buf, size, "set ingress");
		return;
	case UETD_OP_FEP_SET:
		snprintf(buf, size, "set");
		break;
	default:
		snprintf(buf, size, "add");
		return;
	}
	for (i = 0; i < UETD_DSCP_NR; i++) {
		if (op->fep.dscp[i] != op->was.dscp[i])
			put_word(buf, size, uetd_dscps[i].word);
	}
	for (i = 0; i < UETD_CHOICE_NR; i++) {
		if (op->fep.choice[i] != op->was.choice[i])
			put_word(buf, size, uetd_choices[i].word);
	}
	for (i = 0; i < UETD_P_NR; i++) {
		if (op->fep.param[i] != op->was.param[i])
			put_word(buf, size, uetd_params[i].word);
	}
}
