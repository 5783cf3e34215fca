// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of a domain in a plan.  Pure, as the rest of it.  Level: tool.
 */
#include "plan.h"

/**
 * uetd_plan_keys() - what the keys of a domain take
 * @plan: changes and waits are added, and when there will be more
 * @wanted: configuration of the domain
 * @has: the domain that the kernel has and keeps; NULL: it is made by @plan
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
		/* One that should be made again, and waits, is the old one. */
		if (has)
			op->sd.rules = has->rules;
		op->step = rotation.steps[i];
	}
	if (*rotation.wait)
		uetd_plan_wait(plan, "sd", wanted->name, "%s", rotation.wait);
	if (rotation.next && (!plan->next || rotation.next < plan->next))
		plan->next = rotation.next;
}
