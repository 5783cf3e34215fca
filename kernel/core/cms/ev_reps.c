// SPDX-License-Identifier: GPL-2.0
/*
 * REPS: a ring of entropy values whose packets arrived unmarked.  Each value is
 * re-used once, the oldest first, and returns to the ring if its next packet arrives
 * unmarked too.  Values of marked, trimmed or lost packets do not return.  If the ring
 * is empty, the next value of the walk of ev_map.c is used, without replacement.
 * Values of lost packets are omitted there.  For a while after a loss, so are values
 * whose packets were never answered: their path may be dead, too.
 *
 * Implements UE 1.0.1 3.6.16 (recycled entropies).  Level: core L3.
 */
#include "ev_policy.h"

static u32 reps_next_slot(const struct uet_ev_sel *sel, u32 slot)
{
	return slot + 1 < sel->cfg.ring ? slot + 1 : 0;
}

static void reps_add(struct uet_ev_sel *sel, u16 index)
{
	struct uet_ev_reps *reps = &sel->reps;

	reps->ev[reps->head] = index;
	reps->valid |= BIT_ULL(reps->head);
	reps->head = (u8)reps_next_slot(sel, reps->head);
	reps->count = min_t(u8, reps->count + 1, sel->cfg.ring);
}

/*
 * Take the oldest index with good feedback.
 * Return: false if there is none.
 */
bool uet_ev_reps_take(struct uet_ev_sel *sel, u32 free_ports, u16 *index)
{
	struct uet_ev_reps *reps = &sel->reps;
	/* The slot at head is written next and holds the oldest value. */
	u64 newer = BIT_ULL(reps->head) - 1;
	u64 part[2] = { reps->valid & ~newer, reps->valid & newer };
	unsigned long slot;
	int i;

	for (i = 0; i < 2; i++) {
		for (; part[i]; part[i] &= part[i] - 1) {
			slot = __ffs64(part[i]);
			if (!uet_ev_fits(sel, reps->ev[slot], free_ports))
				continue;
			reps->valid &= ~BIT_ULL(slot);
			*index = reps->ev[slot];
			return true;
		}
	}
	return false;
}

/*
 * An index with good feedback, else the next one.
 * Return: an index.
 */
u16 uet_ev_reps_next(struct uet_ev_sel *sel, u32 free_ports)
{
	u16 index;

	if (uet_ev_reps_take(sel, free_ports, &index))
		return index;
	return uet_ev_map_next(sel, free_ports);
}

static void reps_freeze(struct uet_ev_sel *sel, u64 now)
{
	struct uet_ev_reps *reps = &sel->reps;

	reps->is_frozen = sel->cfg.freeze_ns;
	reps->can_exit = now + sel->cfg.freeze_ns;
}

/* Remove the value of a lost packet. */
static void reps_purge(struct uet_ev_sel *sel, u16 index)
{
	struct uet_ev_reps *reps = &sel->reps;
	u32 slot;

	for (slot = 0; slot < reps->count; slot++) {
		if (reps->ev[slot] != index)
			continue;
		reps->ev[slot] = uet_ev_any(sel, 0);
		reps->valid &= ~BIT_ULL(slot);
	}
}

/* Apply feedback to an index. */
void uet_ev_reps_feedback(struct uet_ev_sel *sel, u16 index,
			  enum uet_ev_feedback feedback, u64 now)
{
	struct uet_ev_reps *reps = &sel->reps;

	if (now >= reps->can_exit)
		reps->is_frozen = false;
	if (feedback == UET_EV_TIMEOUT) {
		reps_purge(sel, index);
		reps_freeze(sel, now);
	} else if (feedback == UET_EV_GOOD) {
		reps_add(sel, index);
	}
}
