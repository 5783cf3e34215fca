/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the files of the entropy policies share.  All functions work on
 * indices, not on values.
 *
 * Implements UE 1.0.1 3.6.16.  Level: core L3.
 */
#ifndef UET_CORE_EV_POLICY_H
#define UET_CORE_EV_POLICY_H

#include "ev_sel.h"

/* Flag in uet_ev_sel.penalty: a packet of this value was answered. */
#define UET_EV_ANSWERED	0x80

/* ev_sel.c */
u32 uet_ev_random(struct uet_ev_sel *sel);
u16 uet_ev_any(struct uet_ev_sel *sel, u32 free_ports);
u16 uet_ev_fit(const struct uet_ev_sel *sel, u16 index, u32 free_ports);
bool uet_ev_fits(const struct uet_ev_sel *sel, u16 index, u32 free_ports);

/* ev_oblivious.c */
u16 uet_ev_walk(struct uet_ev_sel *sel, u32 free_ports);
void uet_ev_walk_run(struct uet_ev_sel *sel, u16 *ev, u32 n);

/* ev_reps.c */
bool uet_ev_reps_take(struct uet_ev_sel *sel, u32 free_ports, u16 *index);
u16 uet_ev_reps_next(struct uet_ev_sel *sel, u32 free_ports);
void uet_ev_reps_feedback(struct uet_ev_sel *sel, u16 index,
			  enum uet_ev_feedback feedback, u64 now);

/* ev_map.c */
u16 uet_ev_map_next(struct uet_ev_sel *sel, u32 free_ports);
void uet_ev_map_feedback(struct uet_ev_sel *sel, u16 index,
			 enum uet_ev_feedback feedback);

#endif /* UET_CORE_EV_POLICY_H */
