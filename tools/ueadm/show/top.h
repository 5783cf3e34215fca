/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "ueadm top" inside: top_rows.c makes the rows of each view from two readings of the
 * kernel, top.c shows them on a terminal or line by line.
 */
#ifndef UEADM_TOP_H
#define UEADM_TOP_H

#include "ueadm.h"

/**
 * enum top_view - what a row is
 * @TOP_PDC: a PDC
 * @TOP_PEER: all PDCs between a FEP and a peer
 * @TOP_RAIL: a rail
 * @TOP_VIEWS: number of views
 */
enum top_view {
	TOP_PDC,
	TOP_PEER,
	TOP_RAIL,
	TOP_VIEWS,
};

/**
 * struct top_state - a reading of the kernel
 * @pdcs: JSON array of the PDCs
 * @cccs: JSON array of the congestion control contexts
 * @rails: JSON array of the rails
 * @ns: when, monotonic, ns
 */
struct top_state {
	struct json_object *pdcs;
	struct json_object *cccs;
	struct json_object *rails;
	uint64_t ns;
};

extern const struct uea_object top_objects[TOP_VIEWS];
extern const char *const top_sort_names[];

int top_read(struct uea_ctx *ctx, struct top_state *state);
void top_put(struct top_state *state);
struct json_object *top_rows(enum top_view view, const char *sort,
			     const struct top_state *before,
			     const struct top_state *now);

#endif
