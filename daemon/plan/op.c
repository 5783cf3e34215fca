// SPDX-License-Identifier: GPL-2.0
/*
 * The description of one change of a plan.  Level: tool.
 */
#include <stdio.h>
#include <string.h>

#include "plan.h"

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
