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

/*
 * Entropy values are dealt to lanes, and lanes to rails.  The lane is the top of a
 * multiplicative hash, so no bit of the values of a lane is constant: a switch whose hash
 * takes a few bits of the port still uses all its links.
 */
#define UET_EV_LANES		16
#define UET_EV_LANE_FACTOR	52067U
/* Added to a value: UET_EV_LANES such steps visit all lanes. */
#define UET_EV_LANE_STEP	(65536 / UET_EV_LANES)

/*
 * Distance of the values of two successive indices of a selector.  All bits of few values
 * vary; the product with the factor of lanes is 2^16 divided by the golden ratio, so
 * successive indices are spread evenly over the lanes.
 */
#define UET_EV_STEP		23581
#define UET_EV_STEP_INVERSE	17973	/* modulo 2^16 */

static_assert(UET_EV_STEP * UET_EV_LANE_FACTOR % 65536 == 40503);
static_assert(UET_EV_STEP * UET_EV_STEP_INVERSE % 65536 == 1);

static inline u8 uet_ev_lane(u16 ev)
{
	return (u16)(ev * UET_EV_LANE_FACTOR) / UET_EV_LANE_STEP;
}

void uet_ev_init(struct uet_ev *ev, u32 seed, bool sprays);
u16 uet_ev_next(struct uet_ev *ev);
void uet_ev_reroute(struct uet_ev *ev);

#endif /* UET_CORE_EV_H */
