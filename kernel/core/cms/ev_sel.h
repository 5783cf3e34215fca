/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selection of the path of each packet of a congestion control context, by one of five
 * policies (enum uet_ev_policy) that learn from the feedback on earlier packets.  A
 * value is a multiple, by an index below a power of two, added to a base of the context.
 * The egress port of a value follows from its index and never changes.  PDCs without a
 * context use the generator of ev.h.
 *
 * Implements UE 1.0.1 3.6.16 (load balancing).
 * Level: core L3.
 *
 * Locking: the caller serialises per struct uet_ev_sel.
 */
#ifndef UET_CORE_EV_SEL_H
#define UET_CORE_EV_SEL_H

#include "core/cms/ev.h"
#include "core/shim.h"

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

/**
 * struct uet_ev_cfg - configuration of a selector
 * @policy: UET_EV_*
 * @values: number of values, a power of two, 1..UET_EV_VALUES_MAX
 * @ports: egress ports that share the values, 1..UET_EV_PORTS_MAX
 * @ring: values that REPS stores, 1..UET_EV_RING_MAX; 0: 8
 * @burst: consecutive packets with one value, 1..UET_EV_BURST_MAX; 0: 1
 * @bad_max: maximum number of values avoided at a time; 0: all
 * @freeze_ns: time after a loss in which REPS and mixed use no value that was never
 *	answered, ns; 0: none
 * @reroute_ns: minimum time between changes of a single path, ns
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
 * struct uet_ev_reps - ring of values with good feedback, oldest first
 * @ev: the values
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

/**
 * struct uet_ev_sel - the selector of a context
 * @cfg: configuration
 * @x: state of the random number generator, never 0
 * @base: value of index 0
 * @walk: step of the oblivious order
 * @mix: permutation of the current round, maps steps to indices
 * @single: value of UET_EV_SINGLE
 * @moved_at: time when @single was chosen, ns
 * @last: value of the previous packet
 * @left: packets that may still use @last
 * @nr_bad: number of values with a penalty
 * @penalty: per index, 0..15, and UET_EV_ANSWERED; memory of the owner, @cfg.values
 *	bytes; UET_EV_REPS, UET_EV_MAP and UET_EV_MIXED only
 * @reps: UET_EV_REPS and UET_EV_MIXED only
 * @feedbacks: number of reports per enum uet_ev_feedback
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

void uet_ev_cfg_init(struct uet_ev_cfg *cfg);
const char *uet_ev_cfg_check(const struct uet_ev_cfg *cfg);
size_t uet_ev_sel_space(const struct uet_ev_cfg *cfg);
void uet_ev_sel_init(struct uet_ev_sel *sel, const struct uet_ev_cfg *cfg,
		     u8 *penalty, u32 seed, u64 now);
u16 uet_ev_sel_next(struct uet_ev_sel *sel, u32 free_ports);
void uet_ev_sel_run(struct uet_ev_sel *sel, u16 *ev, u32 n, u32 free_ports);
void uet_ev_sel_feedback(struct uet_ev_sel *sel, u16 ev,
			 enum uet_ev_feedback feedback, u64 now);
u8 uet_ev_sel_port(const struct uet_ev_sel *sel, u16 ev);

#endif /* UET_CORE_EV_SEL_H */
