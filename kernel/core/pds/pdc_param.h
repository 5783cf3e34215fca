/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of a PDC as a table, indexed by number instead of by field,
 * with the limits of each.  pds.h has their meaning, pdc_param.def the table
 * itself.
 *
 * Implements UE 1.0.1 Table 3-28.  Level: core L4.
 */
#ifndef UET_CORE_PDC_PARAM_H
#define UET_CORE_PDC_PARAM_H

#include "pds.h"

/* UET_PDC_P_*: the parameters by number, in the order of pdc_param.def. */
enum uet_pdc_param {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc) UET_PDC_P_##name,
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
	UET_PDC_P_NR,
};

u64 uet_pdc_param_get(const struct uet_pdc_cfg *cfg, enum uet_pdc_param param);
int uet_pdc_param_set(struct uet_pdc_cfg *cfg, enum uet_pdc_param param, u64 value);
const char *uet_pdc_param_order(const struct uet_pdc_cfg *cfg);

#endif
