// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters, DSCPs and choices of FEPs as tables.  Limits come from
 * pdc_param.def; defaults and the ordering of parameters come from the core,
 * which is linked.  uetd therefore refuses the same values as the kernel,
 * before a request is sent.  Level: tool.
 */
#include <linux/uet_nl.h>

#include "param.h"
#include "core/pds/pdc_param.h"
#include "uet_names.h"

static_assert((int)UETD_P_NR == (int)UET_PDC_P_NR);

const struct uetd_param_row uetd_params[UETD_P_NR] = {
#define UET_PDC_PARAM(name, field, wrd, knd, low, high, dflt, doc)		\
	[UETD_P_##name] = {						\
		.word = wrd, .kind = UETD_KIND_##knd,			\
		.attr = UET_A_FEP_##name, .min = (low), .max = (high),	\
	},
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

const struct uetd_dscp_row uetd_dscps[UETD_DSCP_NR] = {
	[UETD_DSCP_REQUEST] = {
		.word = "dscp-request", .attr = UET_A_FEP_DSCP_REQUEST,
	},
	[UETD_DSCP_RETX] = {
		.word = "dscp-retx", .attr = UET_A_FEP_DSCP_RETX,
	},
	[UETD_DSCP_CONTROL] = {
		.word = "dscp-control", .attr = UET_A_FEP_DSCP_CONTROL,
	},
	[UETD_DSCP_TRIMMED] = {
		.word = "dscp-trimmed", .attr = UET_A_FEP_DSCP_TRIMMED,
		.may_be_none = true,
	},
	[UETD_DSCP_TRIMMED_LASTHOP] = {
		.word = "dscp-trimmed-lasthop",
		.attr = UET_A_FEP_DSCP_TRIMMED_LASTHOP,
		.may_be_none = true,
	},
};

const struct uetd_choice_row uetd_choices[UETD_CHOICE_NR] = {
	[UETD_HEADERS] = {
		.word = "headers", .attr = UET_A_FEP_HEADERS,
		.usual = UET_HEADERS_STANDARD, .names = uet_headers_names,
	},
	[UETD_CC] = {
		.word = "cc", .attr = UET_A_FEP_CC,
		.usual = UET_CC_ALGO_NSCC, .names = uet_cc_names,
	},
	[UETD_PATHS] = {
		.word = "paths", .attr = UET_A_FEP_PATHS,
		.usual = UET_PATHS_AUTO, .names = uet_paths_names,
	},
};

/**
 * uetd_choice_name() - the word for a choice
 * @choice: of what
 * @value: what the kernel says, maybe a newer one
 *
 * Return: the word; NULL: not known here.
 */
const char *uetd_choice_name(enum uetd_choice choice, uint8_t value)
{
	const char *const *names = uetd_choices[choice].names;
	unsigned int i;

	for (i = 0; names[i] && i < value; i++)
		;
	return names[i];
}

/**
 * uetd_param_default() - the kernel's default of a parameter
 * @param: which one
 *
 * Return: in its unit.
 */
uint64_t uetd_param_default(enum uetd_param param)
{
	return uet_pdc_param_get(&uet_pdc_cfg_default,
				 (enum uet_pdc_param)param);
}

/**
 * uetd_param_order() - check the order of parameters that form pairs
 * @values: UETD_P_NR of them, each within its limits
 *
 * Return: NULL if in order, else a description of the violation.
 */
const char *uetd_param_order(const uint64_t *values)
{
	struct uet_pdc_cfg cfg = uet_pdc_cfg_default;
	unsigned int i;

	for (i = 0; i < UETD_P_NR; i++)
		uet_pdc_param_set(&cfg, i, values[i]);
	return uet_pdc_param_order(&cfg);
}
