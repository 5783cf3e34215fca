// SPDX-License-Identifier: GPL-2.0
/*
 * Oblivious spraying: uses every entropy value of a context once per round, in an
 * order that a new random number permutes in each round.  Feedback is ignored.
 *
 * Implements UE 1.0.1 3.6.16 (oblivious).  Level: core L3.
 */
#include "ev_policy.h"

static u16 walk_step(struct uet_ev_sel *sel)
{
	u16 index = sel->walk ^ sel->mix;

	sel->walk++;
	if (sel->walk == sel->cfg.values) {
		sel->walk = 0;
		sel->mix = uet_ev_any(sel, 0);
	}
	return index;
}

/*
 * The next index of the round.
 *
 * Indices whose port is busy are skipped for the rest of the round.
 *
 * Return: an index.
 */
u16 uet_ev_walk(struct uet_ev_sel *sel, u32 free_ports)
{
	u32 left = 4U * sel->cfg.ports;
	u16 index;

	if (!free_ports)
		return walk_step(sel);
	do {
		index = walk_step(sel);
	} while (!uet_ev_fits(sel, index, free_ports) && left--);
	return uet_ev_fit(sel, index, free_ports);
}

/* The values of @n packets that may leave by any port: the next indices of the round. */
void uet_ev_walk_run(struct uet_ev_sel *sel, u16 *ev, u32 n)
{
	while (n--) {
		sel->last = walk_step(sel);
		*ev++ = uet_ev_sel_value(sel, sel->last);
	}
}
