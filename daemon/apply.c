// SPDX-License-Identifier: GPL-2.0
/*
 * Executing a plan.  Each change is logged to the journal.  A refusal by the
 * kernel becomes a problem with the kernel's own message.  Level: tool.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "apply.h"

/* Until when the key in use is valid; the text holds until the next call. */
static const char *until_text(const struct uetd_op *op)
{
	time_t end = ((uint64_t)op->step.number + 1) * op->sd.rotation;
	static char text[64];
	struct tm tm;

	*text = 0;
	if (op->step.kind == UETD_STEP_USE && op->sd.rotation &&
	    gmtime_r(&end, &tm))
		strftime(text, sizeof(text), ", until %Y-%m-%d %H:%M:%S UTC",
			 &tm);
	return text;
}

/* The verb without the key number, so that log searches find it. */
static void log_step(const struct uetd_op *op, const char *object,
		     const char *verb)
{
	char word[UETD_TEXT_MAX];

	snprintf(word, sizeof(word), "%.*s key", (int)strcspn(verb, " "), verb);
	if (op->step.kind == UETD_STEP_KEY)
		uetd_log(LOG_INFO, object, word,
			 "%s, association number %u, epoch %u", verb,
			 op->step.an, op->step.epoch);
	else
		uetd_log(LOG_INFO, object, word, "%s, association number %u%s",
			 verb, op->step.an, until_text(op));
}

static bool apply_op(struct uetd_kernel *kernel, const struct uetd_op *op,
		     struct uetd_problems *problems)
{
	char object[32], verb[UETD_TEXT_MAX];

	uetd_op_object(object, sizeof(object), op);
	uetd_op_verb(verb, sizeof(verb), op);
	if (!uetd_kernel_change(kernel, op)) {
		uetd_problem_add(problems, object, true, "%s: %s", verb,
				 kernel->error);
		return false;
	}
	switch (op->kind) {
	case UETD_OP_RAIL_ADD:
		uetd_log(LOG_INFO, object, verb, "%s, netdev %s, plane %u",
			 verb, op->rail.dev, op->rail.plane);
		break;
	case UETD_OP_SD_KEYS:
		log_step(op, object, verb);
		break;
	default:
		uetd_log(LOG_INFO, object, verb, "%s", verb);
	}
	return true;
}

static void skip_op(const struct uetd_op *op, const struct uetd_op *failed,
		    struct uetd_problems *problems)
{
	char object[32], verb[UETD_TEXT_MAX], other[32];

	uetd_op_object(object, sizeof(object), op);
	uetd_op_verb(verb, sizeof(verb), op);
	uetd_op_object(other, sizeof(other), failed);
	uetd_problem_add(problems, object, false, "%s: after %s", verb, other);
}

/**
 * uetd_apply() - execute a plan
 * @kernel: connection
 * @plan: changes to make
 * @problems: failed changes are added
 *
 * Return: number of changes made.
 */
unsigned int uetd_apply(struct uetd_kernel *kernel,
			const struct uetd_plan *plan,
			struct uetd_problems *problems)
{
	struct uetd_failed failed = { .marks.root = NULL };
	const struct uetd_op *op, *before;
	unsigned int done = 0;
	size_t i;

	for (i = 0; i < plan->nr_ops; i++) {
		op = &plan->ops[i];
		before = uetd_failed_find(&failed, op);
		if (before)
			skip_op(op, before, problems);
		if (!before && apply_op(kernel, op, problems))
			done++;
		else
			uetd_failed_add(&failed, op);
	}
	uetd_failed_free(&failed);
	return done;
}
