// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of a domain in a plan.  Pure, as the rest of it.  Level: tool.
 */
#include "plan.h"

/**
 * uetd_plan_keys() - plan the changes of a domain's keys
 * @plan: changes, waits and the time of the next change are added
 * @wanted: configuration of the domain
 * @has: the domain that the kernel keeps; NULL: @plan creates the domain
 * @now: seconds since 1970
 */
void uetd_plan_keys(struct uetd_plan *plan, const struct uetd_sd *wanted,
		    const struct uetd_sd *has, uint64_t now)
{
	struct uetd_rotation rotation;
	struct uetd_op *op;
	unsigned int i;

	uetd_rotation_make(&rotation, wanted, has, now);
	for (i = 0; i < rotation.nr; i++) {
		op = uetd_plan_op(plan, UETD_OP_SD_KEYS);
		op->sd = *wanted;
		/* A domain that waits for recreation still has its old rules. */
		if (has)
			op->sd.rules = has->rules;
		op->step = rotation.steps[i];
	}
	if (*rotation.wait)
		uetd_plan_wait(plan, "sd", wanted->name, "%s", rotation.wait);
	if (rotation.next && (!plan->next || rotation.next < plan->next))
		plan->next = rotation.next;
}
