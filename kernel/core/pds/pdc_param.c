// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a PDC one by one: read, written within their limits, and
 * compared where one must not be above another.  Limits and defaults are those of
 * pdc_param.def.
 *
 * Implements UE 1.0.1 Table 3-28.  Level: core L4.
 */
#include "pdc_param.h"

/* Units of defaults, ns. */
#define PARAM_US	1000ULL
#define PARAM_MS	(1000 * PARAM_US)
#define PARAM_S		(1000 * PARAM_MS)

const struct uet_pdc_cfg uet_pdc_cfg_default = {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc)	\
	.field = (dflt),
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

/* What a value must be besides within limits. */
enum param_kind {
	PARAM_COUNT,
	PARAM_POW2,
	PARAM_BYTES,
	PARAM_TIME,
	PARAM_SWITCH,
};

/* One line of pdc_param.def: where the value is kept, and what it may be. */
struct param_row {
	u16 offset;
	u8 kind;
	u64 min;
	u64 max;
};

static const struct param_row param_rows[UET_PDC_P_NR] = {
#define UET_PDC_PARAM(name, field, word, knd, low, high, dflt, doc)		\
	[UET_PDC_P_##name] = {						\
		.offset = offsetof(struct uet_pdc_cfg, field),		\
		.kind = PARAM_##knd,					\
		.min = (low),						\
		.max = (high),						\
	},
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

/* And how many bytes the value has there. */
static const u8 param_sizes[UET_PDC_P_NR] = {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc)		\
	[UET_PDC_P_##name] = sizeof(((struct uet_pdc_cfg *)0)->field),
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

static const struct {
	u8 low;
	u8 high;
	const char *text;
} param_orders[] = {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc)
#define UET_PDC_PARAM_ORDER(lo, hi, text)				\
	{ UET_PDC_P_##lo, UET_PDC_P_##hi, text },
#include "core/pdc_param.def"
#undef UET_PDC_PARAM_ORDER
#undef UET_PDC_PARAM
};

/**
 * uet_pdc_param_get() - the value of a parameter
 * @cfg: parameters
 * @param: which one
 *
 * Context: Any.
 * Return: packets, bytes, ns or whatever its unit is; 0 or 1 for a switch; 0
 *	for a number that is no parameter.
 */
u64 uet_pdc_param_get(const struct uet_pdc_cfg *cfg, enum uet_pdc_param param)
{
	const void *field;

	if (param >= UET_PDC_P_NR)
		return 0;
	field = (const u8 *)cfg + param_rows[param].offset;
	switch (param_sizes[param]) {
	case sizeof(u8):
		return *(const u8 *)field;
	case sizeof(u16):
		return *(const u16 *)field;
	case sizeof(u32):
		return *(const u32 *)field;
	default:
		return *(const u64 *)field;
	}
}

/**
 * uet_pdc_param_set() - change a parameter
 * @cfg: parameters; unchanged after an error
 * @param: which one
 * @value: in its unit
 *
 * What it must be in relation to others is for uet_pdc_cfg_check().
 *
 * Context: Any.
 * Return: 0; -ERANGE if @value is out of its limits or must be a power of two
 *	and is not; -EINVAL if @param is no parameter.
 * Spec: UE 1.0.1 Table 3-28.
 */
int uet_pdc_param_set(struct uet_pdc_cfg *cfg, enum uet_pdc_param param,
		      u64 value)
{
	const struct param_row *row;
	void *field;

	if (param >= UET_PDC_P_NR)
		return -EINVAL;
	row = &param_rows[param];
	if (value < row->min || value > row->max ||
	    (row->kind == PARAM_POW2 && !is_power_of_2(value)))
		return -ERANGE;
	field = (u8 *)cfg + row->offset;
	switch (param_sizes[param]) {
	case sizeof(u8):
		*(u8 *)field = value;
		break;
	case sizeof(u16):
		*(u16 *)field = value;
		break;
	case sizeof(u32):
		*(u32 *)field = value;
		break;
	default:
		*(u64 *)field = value;
	}
	return 0;
}

/**
 * uet_pdc_param_order() - are the parameters that go in pairs in order?
 * @cfg: parameters
 *
 * Context: Any.
 * Return: NULL if so, else what must not be, for people.
 */
const char *uet_pdc_param_order(const struct uet_pdc_cfg *cfg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(param_orders); i++) {
		if (uet_pdc_param_get(cfg, param_orders[i].low) >
		    uet_pdc_param_get(cfg, param_orders[i].high))
			return param_orders[i].text;
	}
	return NULL;
}
