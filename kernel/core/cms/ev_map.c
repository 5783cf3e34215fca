// SPDX-License-Identifier: GPL-2.0
/*
 * Policies map and mixed: a penalty for each entropy value.  Values that were marked,
 * trimmed or lost are skipped, for longer after worse feedback.  The order is that of
 * oblivious spraying.  If too many values have a penalty, the feedback no longer
 * distinguishes paths and all values are used.  Mixed prefers values that REPS has
 * stored as good.
 *
 * Implements UE 1.0.1 3.6.16 (path-aware spraying, saturation).
 * Level: core L3.
 */
#include "ev_policy.h"

/* Penalties, 0..15; ECN 1, NACK 4, time-out 15, see choices.rst. */
#define MAP_PENALTY_MAX	15

/* Steps of one search; with more values the search may end on a penalised value. */
#define MAP_STEPS_MAX	256

static const u8 map_penalties[UET_EV_FEEDBACK_NR] = {
	[UET_EV_ECN] = 1,
	[UET_EV_NACK] = 4,
	[UET_EV_TIMEOUT] = MAP_PENALTY_MAX,
};

static void map_set(struct uet_ev_sel *sel, u16 index, u8 penalty)
{
	sel->nr_bad += !sel->penalty[index] && penalty;
	sel->nr_bad -= sel->penalty[index] && !penalty;
	sel->penalty[index] = penalty;
}

static void map_forgive(struct uet_ev_sel *sel, u16 index)
{
	if (sel->penalty[index])
		map_set(sel, index, sel->penalty[index] - 1);
}

/**
 * uet_ev_map_next() - the next index without penalty
 * @sel: selector
 * @free_ports: ports it may belong to, a bit each; 0: any
 *
 * The penalty of the first skipped index is reduced.
 *
 * Context: Any; the caller serialises per @sel.
 * Return: an index.
 */
u16 uet_ev_map_next(struct uet_ev_sel *sel, u32 free_ports)
{
	u32 left = min_t(u32, sel->cfg.values, MAP_STEPS_MAX);
	u16 index = uet_ev_walk(sel, free_ports);
	bool is_saturated = sel->nr_bad > sel->cfg.bad_max;

	if (!sel->penalty[index])
		return index;
	map_forgive(sel, index);
	if (is_saturated)
		return index;
	do {
		index = uet_ev_walk(sel, free_ports);
	} while (--left && sel->penalty[index]);
	return index;
}

/**
 * uet_ev_mixed_next() - an index with good feedback, else one without penalty
 * @sel: selector
 * @free_ports: ports it may belong to, a bit each; 0: any
 *
 * Context: Any; the caller serialises per @sel.
 * Return: an index.
 */
u16 uet_ev_mixed_next(struct uet_ev_sel *sel, u32 free_ports)
{
	u16 index;

	if (uet_ev_reps_take(sel, free_ports, &index))
		return index;
	return uet_ev_map_next(sel, free_ports);
}

/**
 * uet_ev_map_feedback() - apply feedback to an index
 * @sel: selector
 * @index: the index
 * @feedback: enum uet_ev_feedback
 *
 * Context: Any; the caller serialises per @sel.
 */
void uet_ev_map_feedback(struct uet_ev_sel *sel, u16 index,
			 enum uet_ev_feedback feedback)
{
	u32 penalty = sel->penalty[index] + map_penalties[feedback];

	map_set(sel, index, (u8)min_t(u32, penalty, MAP_PENALTY_MAX));
}
