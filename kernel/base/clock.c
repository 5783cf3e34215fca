// SPDX-License-Identifier: GPL-2.0
/* The clock that tests shift.  Only builds with assertions have this file. */
#include <linux/moduleparam.h>

#include "base.h"

u64 uet_clock_offset;

static int clock_set(const char *text, const struct kernel_param *param)
{
	u64 now;
	int err = kstrtou64(text, 0, &now);

	if (!err)
		uet_clock_offset = now - ktime_get_ns();
	return err;
}

static const struct kernel_param_ops clock_ops = {
	.set = clock_set,
};

module_param_cb(clock, &clock_ops, NULL, 0);
MODULE_PARM_DESC(clock, "Time of the module's clock at load, ns (tests)");
