/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan is carried out: one change after the other, without those that make no
 * sense because another one failed.  Level: tool.
 */
#ifndef UETD_APPLY_H
#define UETD_APPLY_H

#include "kernel.h"
#include "notify.h"
#include "plan.h"

unsigned int uetd_apply(struct uetd_kernel *kernel,
			const struct uetd_plan *plan,
			struct uetd_problems *problems);

#endif
