// SPDX-License-Identifier: GPL-2.0
/*
 * Policies map and mixed: a penalty for each entropy value.  Values that were marked,
 * trimmed or lost are skipped, for longer after worse feedback.  The order is that of
 * oblivious spraying.  If too many values have a penalty, the feedback no longer
 * distinguishes paths and all values are used.  Mixed chooses as REPS
 * does, and marks count as well.
 *
 * Implements UE 1.0.1 3.6.16 (path-aware spraying, saturation).
 * Level: core L3.
 */
#include "ev_policy.h"

/* Penalties, 0..15; ECN 1, NACK 4, time-out 15, see choices.rst. */
#define MAP_PENALTY_MAX	15

/* Cost of a value that was never answered, after a loss. */
#define MAP_UNANSWERED	8

/* Steps of one search; with more values the search may end on a penalised value. */
#define MAP_STEPS_MAX	256

static const u8 map_penalties[UET_EV_FEEDBACK_NR] = {
	[UET_EV_ECN] = 1,
	[UET_EV_NACK] = 4,
	[UET_EV_TIMEOUT] = MAP_PENALTY_MAX,
};

static u8 map_penalty(const struct uet_ev_sel *sel, u16 index)
{
	return sel->penalty[index] & ~UET_EV_ANSWERED;
}

static void map_set(struct uet_ev_sel *sel, u16 index, u8 penalty)
{
	u8 old = map_penalty(sel, index);

	sel->nr_bad += !old && penalty;
	sel->nr_bad -= old && !penalty;
	sel->penalty[index] += penalty - old;
}

static void map_forgive(struct uet_ev_sel *sel, u16 index)
{
	if (map_penalty(sel, index))
		map_set(sel, index, map_penalty(sel, index) - 1);
}

/*
 * How bad is a value?  After a loss a value that was never answered may have a dead
 * path, so it is worse than a marked or trimmed one, and better than a lost one.
 */
static u32 map_cost(const struct uet_ev_sel *sel, u16 index)
{
	u32 cost = map_penalty(sel, index);

	if (sel->reps.is_frozen && !(sel->penalty[index] & UET_EV_ANSWERED))
		cost += MAP_UNANSWERED;
	return cost;
}

/*
 * The next index without penalty, else the best one.
 *
 * The penalty of the first skipped index is reduced.
 *
 * Return: an index.
 */
u16 uet_ev_map_next(struct uet_ev_sel *sel, u32 free_ports)
{
	/* The order changes between two rounds: two of them meet every value. */
	u32 left = min_t(u32, 2 * sel->cfg.values, MAP_STEPS_MAX);
	u16 index = uet_ev_walk(sel, free_ports), best = index;
	bool is_saturated = sel->nr_bad > sel->cfg.bad_max;
	u32 cost = map_cost(sel, index), least = cost;

	if (!cost)
		return index;
	map_forgive(sel, index);
	if (is_saturated)
		return index;
	while (least && left--) {
		index = uet_ev_walk(sel, free_ports);
		cost = map_cost(sel, index);
		if (cost < least) {
			least = cost;
			best = index;
		}
	}
	return best;
}

/* Apply feedback to an index. */
void uet_ev_map_feedback(struct uet_ev_sel *sel, u16 index,
			 enum uet_ev_feedback feedback)
{
	u32 penalty = map_penalty(sel, index) + map_penalties[feedback];

	if (feedback != UET_EV_TIMEOUT)
		sel->penalty[index] |= UET_EV_ANSWERED;
	map_set(sel, index, (u8)min_t(u32, penalty, MAP_PENALTY_MAX));
}
