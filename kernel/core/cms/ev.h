/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entropy values.  A PDC without a context has a generator: oblivious spraying gives every packet
 * a new pseudo-random value, an ordered flow keeps one value until it is rerouted.  A context
 * has a selector: one of five policies that learn from the feedback on earlier packets.  The
 * value of a selector is a multiple, by an index below a power of two, added to a base of the
 * context; its egress port follows from the index.  The shell selects the rail.
 *
 * The caller serialises per struct uet_ev and per struct uet_ev_sel.
 * Spec: UE 1.0.1 3.6.16 (load balancing), 3.5.21 (one value for ROD).  Level: core L3.
 */
#ifndef UET_CORE_EV_H
#define UET_CORE_EV_H

#include "core/shim.h"

/*
 * struct uet_ev - source of entropy values of one PDC
 * @x: generator state, never 0
 * @last: latest value, never 0
 */
struct uet_ev {
	u32 x;
	u16 last;
	bool sprays;
};

/*
 * Entropy values are dealt to lanes, and lanes to rails.  The lane is the top of a multiplicative
 * hash, so no bit of the values of a lane is constant: a switch whose hash takes a few bits of
 * the port still uses all its links.
 */
#define UET_EV_LANES		256
#define UET_EV_LANE_FACTOR	52067U
/* Added to a value: this many such steps visit each of as many equal parts of the lanes. */
#define UET_EV_LANE_STEPS	16
#define UET_EV_LANE_STEP	(65536 / UET_EV_LANE_STEPS)

/*
 * Distance of the values of two successive indices of a selector.  All bits of few values vary;
 * the product with the factor of lanes is 2^16 divided by the golden ratio, so successive
 * indices are spread evenly over the lanes.
 */
#define UET_EV_STEP		23581
#define UET_EV_STEP_INVERSE	17973	/* modulo 2^16 */

static_assert(UET_EV_STEP * UET_EV_LANE_FACTOR % 65536 == 40503);
static_assert(UET_EV_STEP * UET_EV_STEP_INVERSE % 65536 == 1);

static inline u8 uet_ev_lane(u16 ev)
{
	return (u16)(ev * UET_EV_LANE_FACTOR) / (65536 / UET_EV_LANES);
}

void uet_ev_init(struct uet_ev *ev, u32 seed, bool sprays);
u16 uet_ev_next(struct uet_ev *ev);
void uet_ev_reroute(struct uet_ev *ev);

/* Policies of selection. */
enum uet_ev_policy {
	UET_EV_SINGLE,		/* one value, changed when its path is bad */
	UET_EV_OBLIVIOUS,	/* each value once per round, in changing order */
	UET_EV_REPS,		/* re-use values with recent good feedback */
	UET_EV_MAP,		/* as oblivious, without values with bad feedback */
	UET_EV_MIXED,		/* REPS first, then MAP */
	UET_EV_POLICY_NR,
};

/* Feedback on a packet. */
enum uet_ev_feedback {
	UET_EV_GOOD,		/* arrived unmarked */
	UET_EV_ECN,		/* arrived marked */
	UET_EV_NACK,		/* was trimmed before the last hop */
	UET_EV_TIMEOUT,		/* lost */
	UET_EV_FEEDBACK_NR,
};

#define UET_EV_VALUES_MAX	32768
#define UET_EV_RING_MAX		64
#define UET_EV_PORTS_MAX	32
#define UET_EV_BURST_MAX	256

/* The usual uet_ev_cfg.bad_max: one dead rail of two has half of the values, or a few more. */
#define UET_EV_BAD_MAX(values)	((values) * 5 / 8)

/*
 * struct uet_ev_cfg - configuration of a selector
 * @ports: egress ports that share the values, 1..UET_EV_PORTS_MAX
 * @ring: values that REPS stores, 1..UET_EV_RING_MAX; 0: 8
 * @burst: consecutive packets with one value, 1..UET_EV_BURST_MAX; 0: 1
 * @values: number of values, a power of two, 1..UET_EV_VALUES_MAX
 * @bad_max: maximum number of values avoided at a time; 0: all
 * @freeze_ns: time after a loss in which REPS and mixed use no value that was never answered
 * @reroute_ns: minimum time between changes of a single path
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

/*
 * struct uet_ev_reps - ring of values with good feedback, oldest first
 * @valid: bit per slot: not re-used yet
 * @head: slot to be written next
 * @count: slots ever written, at most the size of the ring
 * @is_frozen: after a loss: of values not in the ring, only answered ones are used
 * @can_exit: time when freezing may end, ns
 */
struct uet_ev_reps {
	u16 ev[UET_EV_RING_MAX];
	u64 valid;
	u8 head;
	u8 count;
	bool is_frozen;
	u64 can_exit;
};

/*
 * struct uet_ev_sel - the selector of a context
 * @x: state of the random number generator, never 0
 * @base: value of index 0
 * @walk: step of the oblivious order
 * @mix: permutation of the current round, maps steps to indices
 * @single: index of UET_EV_SINGLE
 * @moved_at: time when @single was chosen, ns
 * @last: index of the previous packet
 * @left: packets that may still use @last
 * @nr_bad: number of indices with a penalty
 * @penalty: per index, 0..15, and UET_EV_ANSWERED; memory of the owner, @cfg.values bytes;
 *	UET_EV_REPS, UET_EV_MAP and UET_EV_MIXED only
 * @reps: UET_EV_REPS and UET_EV_MIXED only
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
	u32 feedbacks[UET_EV_FEEDBACK_NR];
};

static inline u16 uet_ev_sel_value(const struct uet_ev_sel *sel, u16 index)
{
	return sel->base + index * UET_EV_STEP;
}

/* Not below the number of values, if @ev is of another selector. */
static inline u16 uet_ev_sel_index(const struct uet_ev_sel *sel, u16 ev)
{
	return (u16)(ev - sel->base) * UET_EV_STEP_INVERSE;
}

/* The egress port of a value never changes. */
static inline u8 uet_ev_sel_port(const struct uet_ev_sel *sel, u16 ev)
{
	return uet_ev_sel_index(sel, ev) % sel->cfg.ports;
}

void uet_ev_cfg_init(struct uet_ev_cfg *cfg);
size_t uet_ev_sel_space(const struct uet_ev_cfg *cfg);
void uet_ev_sel_init(struct uet_ev_sel *sel, const struct uet_ev_cfg *cfg,
		     u8 *penalty, u32 seed, u64 now);
u16 uet_ev_sel_next(struct uet_ev_sel *sel, u32 free_ports);
void uet_ev_sel_run(struct uet_ev_sel *sel, u16 *ev, u32 n, u32 free_ports);
void uet_ev_sel_feedback(struct uet_ev_sel *sel, u16 ev, enum uet_ev_feedback feedback, u64 now);

#endif /* UET_CORE_EV_H */
