// SPDX-License-Identifier: GPL-2.0
/*
 * The entropy generator: a 32-bit xorshift.  The owner supplies the seed, so that a
 * run can be repeated.  The values must spread packets over paths; resistance to
 * prediction is not required.
 *
 * Spec: UE 1.0.1 3.6.16.2 (single path), 3.6.16 (oblivious spraying).
 * Level: core L3.
 */
#include "ev.h"

/* Any non-zero constant works; an xorshift state of 0 would remain 0. */
#define EV_SEED_FOR_ZERO	0x9e3779b9

/**
 * uet_ev_init() - start a sequence of entropy values
 * @ev: generator
 * @seed: any number; equal seeds give equal sequences
 * @sprays: use a new value for each packet
 */
void uet_ev_init(struct uet_ev *ev, u32 seed, bool sprays)
{
	ev->x = seed ? seed : EV_SEED_FOR_ZERO;
	ev->sprays = sprays;
	uet_ev_reroute(ev);
}

/**
 * uet_ev_reroute() - switch to another value
 * @ev: generator
 *
 * The value is never 0, because UDP source port 0 means "none".
 */
void uet_ev_reroute(struct uet_ev *ev)
{
	do {
		ev->x ^= ev->x << 13;
		ev->x ^= ev->x >> 17;
		ev->x ^= ev->x << 5;
	} while (!(ev->x >> 16));
	ev->last = ev->x >> 16;
}

/**
 * uet_ev_next() - entropy value for a packet about to be sent
 * @ev: generator
 *
 * Return: 1..65535; constant unless @ev sprays.
 */
u16 uet_ev_next(struct uet_ev *ev)
{
	if (ev->sprays)
		uet_ev_reroute(ev);
	return ev->last;
}
