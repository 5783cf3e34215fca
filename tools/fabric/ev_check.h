/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The limits of a selector of entropy values, for settings that people type.  The kernel
 * makes its own configurations, within these limits.  Level: tool.
 */
#ifndef UET_FABRIC_EV_CHECK_H
#define UET_FABRIC_EV_CHECK_H

#include "core/cms/ev.h"

/* NULL, or a text that names the parameter and the violated limit. */
static inline const char *fab_ev_cfg_check(const struct uet_ev_cfg *cfg)
{
	if (cfg->policy >= UET_EV_POLICY_NR)
		return "policy: no such one";
	if (!is_power_of_2(cfg->values) || cfg->values > UET_EV_VALUES_MAX)
		return "values must be a power of two in 1..32768";
	if (!cfg->ports || cfg->ports > UET_EV_PORTS_MAX)
		return "ports must be 1..32";
	if (cfg->ports > cfg->values)
		return "ports must not be more than values";
	if (cfg->ring > UET_EV_RING_MAX)
		return "ring must be at most 64 values";
	if (cfg->burst > UET_EV_BURST_MAX)
		return "burst must be at most 256 packets";
	if (cfg->bad_max > cfg->values)
		return "shunned values must not be more than values";
	return NULL;
}

#endif
