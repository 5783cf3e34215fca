/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parameters of PDCs and the DSCPs of a FEP by number, as uetd keeps them:
 * the words of configuration files, limits, defaults, netlink attributes.  The
 * parameters are those of kernel/core/pdc_param.def.  Level: tool.
 */
#ifndef UETD_PARAM_H
#define UETD_PARAM_H

#include <stdbool.h>
#include <stdint.h>

/* UETD_P_*: in the order of pdc_param.def. */
enum uetd_param {
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc) UETD_P_##name,
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
	UETD_P_NR,
};

/* How a value is written in a file and carried in an attribute. */
enum uetd_param_kind {
	UETD_KIND_COUNT,	/* u32 */
	UETD_KIND_POW2,		/* u32 */
	UETD_KIND_BYTES,	/* u32 */
	UETD_KIND_TIME,		/* u64, nanoseconds */
	UETD_KIND_SWITCH,	/* u8 */
};

/**
 * struct uetd_param_row - a parameter
 * @word: its key in a file
 * @kind: how it is written
 * @attr: its netlink attribute, UET_A_FEP_*
 * @min: smallest value
 * @max: largest value
 */
struct uetd_param_row {
	const char *word;
	enum uetd_param_kind kind;
	uint16_t attr;
	uint64_t min;
	uint64_t max;
};

enum uetd_dscp {
	UETD_DSCP_REQUEST,
	UETD_DSCP_RETX,
	UETD_DSCP_CONTROL,
	UETD_DSCP_TRIMMED,
	UETD_DSCP_TRIMMED_LASTHOP,
	UETD_DSCP_NR,
};

/**
 * struct uetd_dscp_row - a DSCP of a FEP
 * @word: its key in a file
 * @attr: its netlink attribute
 * @may_be_none: the word "none" is allowed
 */
struct uetd_dscp_row {
	const char *word;
	uint16_t attr;
	bool may_be_none;
};

enum uetd_choice {
	UETD_HEADERS,
	UETD_CC,
	UETD_PATHS,
	UETD_CHOICE_NR,
};

/**
 * struct uetd_choice_row - one of some words, of a FEP
 * @word: its key in a file
 * @attr: its netlink attribute
 * @usual: the kernel's default
 * @names: the words, NULL behind the last
 */
struct uetd_choice_row {
	const char *word;
	uint16_t attr;
	uint8_t usual;
	const char *const *names;
};

extern const struct uetd_choice_row uetd_choices[UETD_CHOICE_NR];
extern const struct uetd_param_row uetd_params[UETD_P_NR];
extern const struct uetd_dscp_row uetd_dscps[UETD_DSCP_NR];

const char *uetd_choice_name(enum uetd_choice choice, uint8_t value);
uint64_t uetd_param_default(enum uetd_param param);
const char *uetd_param_order(const uint64_t *values);

#endif
