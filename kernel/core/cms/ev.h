/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entropy values of a PDC without a context.  Oblivious spraying gives every packet a
 * new pseudo-random value.  An ordered flow keeps one value until it is rerouted.  The
 * shell places the value in the packet and selects the rail.  Path feedback belongs
 * to congestion management (ev_sel.h).
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
 * @last: latest value, never 0
 * @sprays: use a new value for each packet
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
