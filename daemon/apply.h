/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executes a plan: one change after the other, skipping changes that depend on
 * a failed one.  Level: tool.
 */
#ifndef UETD_APPLY_H
#define UETD_APPLY_H

#include "netlink/kernel.h"
#include "notify.h"
#include "plan/plan.h"

unsigned int uetd_apply(struct uetd_kernel *kernel,
			const struct uetd_plan *plan,
			struct uetd_problems *problems);

#endif
