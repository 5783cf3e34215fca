/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which path each packet of a congestion control context takes, and what is
 * learned from what became of earlier ones: one of five ways (enum uet_ev_policy)
 * behind one interface.  A value is upper bits of the context's own and an index
 * below a power of two; its egress port follows from the index and never changes.
 * The generator of ev.h serves PDCs that have no context.
 *
 * Implements UE 1.0.1 3.6.16 (load balancing).
 * Level: core L3.
 *
 * Locking: the caller serialises per struct uet_ev_sel.
 */
#ifndef UET_CORE_EV_SEL_H
#define UET_CORE_EV_SEL_H

#include "core/shim.h"

/* Ways to choose. */
enum uet_ev_policy {
	UET_EV_SINGLE,		/* one value, moved when its path is bad */
	UET_EV_OBLIVIOUS,	/* each value once, in orders that change */
	UET_EV_REPS,		/* those that went well lately, again */
	UET_EV_MAP,		/* as oblivious, without those that went badly */
	UET_EV_MIXED,		/* as REPS, then as MAP */
	UET_EV_POLICY_NR,
};

/* What became of a packet. */
enum uet_ev_feedback {
	UET_EV_GOOD,		/* arrived unmarked */
	UET_EV_ECN,		/* arrived marked */
	UET_EV_NACK,		/* was trimmed before the last hop */
	UET_EV_TIMEOUT,		/* got lost */
	UET_EV_FEEDBACK_NR,
};

#define UET_EV_VALUES_MAX	32768
#define UET_EV_RING_MAX		64
#define UET_EV_PORTS_MAX	32
#define UET_EV_BURST_MAX	256

/**
 * struct uet_ev_cfg - how values are chosen
 * @policy: UET_EV_*
 * @values: how many there are, a power of two, 1..UET_EV_VALUES_MAX
 * @ports: egress ports they are dealt to, 1..UET_EV_PORTS_MAX
 * @ring: values that REPS remembers, 1..UET_EV_RING_MAX; 0: 8
 * @burst: packets in a row with one value, 1..UET_EV_BURST_MAX; 0: 1
 * @bad_max: of the values, so many may be shunned at a time; 0: all
 * @freeze_ns: for how long REPS draws nothing at random after a loss; 0: not at all
 * @reroute_ns: a single path is kept at least so long
 */
struct uet_ev_cfg {
	u8 policy;
	u8 ports;
	u8 ring;
	u16 burst;
	u32 values;
	u32 bad_max;
	u64 freeze_ns;
	u64 reroute_ns;
};

/**
 * struct uet_ev_reps - values that went well, oldest first
 * @ev: ring of them
 * @valid: bit per slot: not used again yet
 * @head: slot to be written next
 * @count: slots ever written, at most the size of the ring
 * @is_frozen: slots are used over and over rather than values at random
 * @frozen_head: slot to be used once more next
 * @can_exit: when freezing may end
 */
struct uet_ev_reps {
	u16 ev[UET_EV_RING_MAX];
	u64 valid;
	u8 head;
	u8 count;
	bool is_frozen;
	u8 frozen_head;
	u64 can_exit;
};

/**
 * struct uet_ev_sel - the selector of a context
 * @cfg: how
 * @x: state of the generator of random numbers, never 0
 * @base: upper bits of all values
 * @walk: step of the oblivious order
 * @mix: what turns steps into indices in this round
 * @single: value of UET_EV_SINGLE
 * @moved_at: when that was chosen
 * @last: value of the packet before
 * @left: packets that may follow it with the same value
 * @nr_bad: values with a penalty
 * @penalty: per index, 0..15; memory of the owner, @cfg.values bytes; UET_EV_MAP
 *	and UET_EV_MIXED only
 * @reps: UET_EV_REPS and UET_EV_MIXED only
 * @fates: how often each was reported
 */
struct uet_ev_sel {
	struct uet_ev_cfg cfg;
	u32 x;
	u16 base;
	u16 walk;
	u16 mix;
	u16 single;
	u64 moved_at;
	u16 last;
	u16 left;
	u32 nr_bad;
	u8 *penalty;
	struct uet_ev_reps reps;
	u32 fates[UET_EV_FEEDBACK_NR];
};

void uet_ev_cfg_init(struct uet_ev_cfg *cfg);
const char *uet_ev_cfg_check(const struct uet_ev_cfg *cfg);
size_t uet_ev_sel_space(const struct uet_ev_cfg *cfg);
void uet_ev_sel_init(struct uet_ev_sel *sel, const struct uet_ev_cfg *cfg,
		     u8 *penalty, u32 seed, u64 now);
u16 uet_ev_sel_next(struct uet_ev_sel *sel, u32 free_ports, u64 now);
void uet_ev_sel_feedback(struct uet_ev_sel *sel, u16 ev,
			 enum uet_ev_feedback feedback, u64 now);
u8 uet_ev_sel_port(const struct uet_ev_sel *sel, u16 ev);

#endif /* UET_CORE_EV_SEL_H */
