// SPDX-License-Identifier: GPL-2.0
/*
 * Access to the parameters of a PDC by number: read, write within the limits, and compare
 * pairs in which one must not exceed the other.  pdc_param.def has limits and defaults.
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

enum param_kind {
	PARAM_COUNT,
	PARAM_POW2,
	PARAM_BYTES,
	PARAM_TIME,
	PARAM_SWITCH,
};

/* One line of pdc_param.def: the place of the value, its type and limits. */
struct param_row {
	u16 offset;
	u8 size, kind;
	u64 min;
	u64 max;
};

static const struct param_row param_rows[UET_PDC_P_NR] = {
#define UET_PDC_PARAM(name, field, word, knd, low, high, dflt, doc)		\
	[UET_PDC_P_##name] = {						\
		.offset = offsetof(struct uet_pdc_cfg, field),		\
		.size = sizeof_field(struct uet_pdc_cfg, field),	\
		.kind = PARAM_##knd,					\
		.min = (low),						\
		.max = (high),						\
	},
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

/*
 * uet_pdc_param_get() - read a parameter in its unit; 0 if there is no such parameter
 */
u64 uet_pdc_param_get(const struct uet_pdc_cfg *cfg, enum uet_pdc_param param)
{
	const void *field;

	if (param >= UET_PDC_P_NR)
		return 0;
	field = (const u8 *)cfg + param_rows[param].offset;
	switch (param_rows[param].size) {
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

/*
 * uet_pdc_param_set() - change a parameter
 *
 * Return: 0; -ERANGE if @value is outside its limits, or is not a power of two and must be;
 * -EINVAL if there is no such parameter.  @cfg is unchanged after an error.
 */
int uet_pdc_param_set(struct uet_pdc_cfg *cfg, enum uet_pdc_param param, u64 value)
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
	switch (row->size) {
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

/*
 * uet_pdc_param_order() - check the pairs in which one limits the other
 *
 * Return: NULL if all pairs are in order, else a text for an error message.
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
