/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entropy values: which path each packet takes.  Oblivious spraying gives every
 * packet a fresh pseudo-random value, an ordered flow keeps one until it has a
 * reason to move.  Where the value sits in the packet and which rail it selects
 * is the shell's business; path feedback is congestion management's.
 *
 * Spec: UE 1.0.1 3.6.16 (load balancing), 3.5.21 (one value for ROD).
 * Level: core L3.
 */
#ifndef UET_CORE_EV_H
#define UET_CORE_EV_H

#include "core/shim.h"

/**
 * struct uet_ev - source of entropy values of one PDC
 * @x: generator state, never 0
 * @last: value given out last, never 0
 * @sprays: a new value for each packet
 */
struct uet_ev {
	u32 x;
	u16 last;
	bool sprays;
};

void uet_ev_init(struct uet_ev *ev, u32 seed, bool sprays);
u16 uet_ev_next(struct uet_ev *ev);
void uet_ev_reroute(struct uet_ev *ev);

#endif /* UET_CORE_EV_H */
