// SPDX-License-Identifier: GPL-2.0
/*
 * Entropy values: the generator of a PDC without a context, and the policies by which a context
 * chooses the path of each packet.
 *
 * Implements UE 1.0.1 3.6.16, 3.5.21 (one value for ROD).  Level: core L3.
 */
#include "ev.h"

/* Flag in uet_ev_sel.penalty: a packet of this value was answered. */
#define UET_EV_ANSWERED	0x80

/* Any non-zero constant works; an xorshift state of 0 would remain 0. */
#define EV_SEED_FOR_ZERO	0x9e3779b9

/* The values must spread packets over paths; they need not resist prediction. */
static u32 ev_xorshift(u32 x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

/*
 * uet_ev_init() - start a sequence of entropy values; equal seeds give equal sequences
 */
void uet_ev_init(struct uet_ev *ev, u32 seed, bool sprays)
{
	ev->x = seed ?: EV_SEED_FOR_ZERO;
	ev->sprays = sprays;
	uet_ev_reroute(ev);
}

/*
 * uet_ev_reroute() - switch to another value, not 0: UDP source port 0 means "none"
 */
void uet_ev_reroute(struct uet_ev *ev)
{
	do {
		ev->x = ev_xorshift(ev->x);
	} while (!(ev->x >> 16));
	ev->last = ev->x >> 16;
}

/*
 * uet_ev_next() - entropy value for a packet about to be sent; constant unless @ev sprays
 */
u16 uet_ev_next(struct uet_ev *ev)
{
	if (ev->sprays)
		uet_ev_reroute(ev);
	return ev->last;
}

/* Defaults; choices.rst gives the reasons.  Times in ns. */
#define SEL_RING		8
#define SEL_VALUES		128
#define SEL_FREEZE_NS		400000
#define SEL_REROUTE_NS		200000

/*
 * uet_ev_cfg_init() - default configuration: mixed, 128 values, a ring of 16, one port
 */
void uet_ev_cfg_init(struct uet_ev_cfg *cfg)
{
	*cfg = (struct uet_ev_cfg) {
		.policy = UET_EV_MIXED,
		.ports = 1,
		.ring = 2 * SEL_RING,
		.values = SEL_VALUES,
		.bad_max = UET_EV_BAD_MAX(SEL_VALUES),
		.freeze_ns = SEL_FREEZE_NS,
		.reroute_ns = SEL_REROUTE_NS,
	};
}

static bool sel_has_map(const struct uet_ev_cfg *cfg)
{
	return cfg->policy >= UET_EV_REPS;
}

/*
 * uet_ev_sel_space() - bytes of penalty memory of a selector; 0 if the policy needs none
 */
size_t uet_ev_sel_space(const struct uet_ev_cfg *cfg)
{
	return sel_has_map(cfg) ? cfg->values : 0;
}

/* Indices map to ports round-robin. */
static bool sel_is_free(const struct uet_ev_sel *sel, u32 index, u32 free_ports)
{
	return !free_ports || (free_ports & (1U << index % sel->cfg.ports));
}

/*
 * The next index whose port is free, or @index itself.  Twice as many steps as there are ports
 * cover all ports, even if the indices wrap.
 */
static u16 sel_fit(const struct uet_ev_sel *sel, u16 index, u32 free_ports)
{
	u32 mask = sel->cfg.values - 1, i;

	for (i = 0; i < 2U * sel->cfg.ports; i++)
		if (sel_is_free(sel, (index + i) & mask, free_ports))
			return (u16)((index + i) & mask);
	return index;
}

static u16 sel_any(struct uet_ev_sel *sel, u32 free_ports)
{
	sel->x = ev_xorshift(sel->x);
	return sel_fit(sel, (sel->x >> 8) & (sel->cfg.values - 1), free_ports);
}

/*
 * uet_ev_sel_init() - initialise a selector without feedback
 * @penalty: uet_ev_sel_space() bytes that outlive @sel, or NULL if that is 0
 * @seed: any number; equal seeds give equal choices
 *
 * No value is 0, because UDP source port 0 means "none".
 */
void uet_ev_sel_init(struct uet_ev_sel *sel, const struct uet_ev_cfg *cfg,
		     u8 *penalty, u32 seed, u64 now)
{
	memset(sel, 0, sizeof(*sel));
	sel->cfg = *cfg;
	if (!sel->cfg.ring)
		sel->cfg.ring = SEL_RING;
	if (!sel->cfg.burst)
		sel->cfg.burst = 1;
	if (!sel->cfg.bad_max)
		sel->cfg.bad_max = cfg->values;
	sel->x = seed ?: EV_SEED_FOR_ZERO;
	do {
		sel->x = ev_xorshift(sel->x);
		sel->base = sel->x >> 16;
	} while (uet_ev_sel_index(sel, 0) < cfg->values);
	sel->single = sel_any(sel, 0);
	sel->mix = sel_any(sel, 0);
	sel->moved_at = now;
	sel->penalty = penalty;
	if (sel_has_map(cfg))
		memset(penalty, 0, cfg->values);
}

/* Oblivious: every index once per round, in an order that a random number permutes in each. */
static u16 walk_step(struct uet_ev_sel *sel)
{
	u16 index = sel->walk ^ sel->mix;

	sel->walk++;
	if (sel->walk == sel->cfg.values) {
		sel->walk = 0;
		sel->mix = sel_any(sel, 0);
	}
	return index;
}

/* Indices whose port is busy are skipped for the rest of the round. */
static u16 walk_next(struct uet_ev_sel *sel, u32 free_ports)
{
	u32 left = 4U * sel->cfg.ports;
	u16 index;

	if (!free_ports)
		return walk_step(sel);
	do {
		index = walk_step(sel);
	} while (!sel_is_free(sel, index, free_ports) && left--);
	return sel_fit(sel, index, free_ports);
}

static void walk_run(struct uet_ev_sel *sel, u16 *ev, u32 n)
{
	while (n--) {
		sel->last = walk_step(sel);
		*ev++ = uet_ev_sel_value(sel, sel->last);
	}
}

/* Penalties, 0..15; ECN 1, NACK 4, time-out 15, see choices.rst. */
#define MAP_PENALTY_MAX	15

/* Cost of a value that was never answered, after a loss. */
#define MAP_UNANSWERED	8

/* Steps of one search; with more values the search may end on a penalised value. */
#define MAP_STEPS_MAX	256

static const u8 map_penalties[UET_EV_FEEDBACK_NR] = {
	[UET_EV_ECN] = 1,
	[UET_EV_NACK] = 4,
	[UET_EV_TIMEOUT] = MAP_PENALTY_MAX,
};

static u8 map_penalty(const struct uet_ev_sel *sel, u16 index)
{
	return sel->penalty[index] & ~UET_EV_ANSWERED;
}

static void map_set(struct uet_ev_sel *sel, u16 index, u8 penalty)
{
	u8 old = map_penalty(sel, index);

	sel->nr_bad += !old && penalty;
	sel->nr_bad -= old && !penalty;
	sel->penalty[index] += penalty - old;
}

/*
 * How bad is a value?  After a loss a value that was never answered may have a dead path, so it
 * is worse than a marked or trimmed one, and better than a lost one.
 */
static u32 map_cost(const struct uet_ev_sel *sel, u16 index)
{
	u32 cost = map_penalty(sel, index);

	if (sel->reps.is_frozen && !(sel->penalty[index] & UET_EV_ANSWERED))
		cost += MAP_UNANSWERED;
	return cost;
}

/*
 * Map: the next index without penalty, else the best one.  The penalty of the first skipped
 * index is reduced.  If too many have one, the feedback no longer distinguishes paths and all
 * are used.
 */
static u16 map_next(struct uet_ev_sel *sel, u32 free_ports)
{
	/* The order changes between two rounds: two of them meet every value. */
	u32 left = min_t(u32, 2 * sel->cfg.values, MAP_STEPS_MAX);
	u16 index = walk_next(sel, free_ports), best = index;
	bool is_saturated = sel->nr_bad > sel->cfg.bad_max;
	u32 cost = map_cost(sel, index), least = cost;

	if (!cost)
		return index;
	if (map_penalty(sel, index))
		map_set(sel, index, map_penalty(sel, index) - 1);
	if (is_saturated)
		return index;
	while (least && left--) {
		index = walk_next(sel, free_ports);
		cost = map_cost(sel, index);
		if (cost < least) {
			least = cost;
			best = index;
		}
	}
	return best;
}

static void map_feedback(struct uet_ev_sel *sel, u16 index, enum uet_ev_feedback feedback)
{
	u32 penalty = map_penalty(sel, index) + map_penalties[feedback];

	if (feedback != UET_EV_TIMEOUT)
		sel->penalty[index] |= UET_EV_ANSWERED;
	map_set(sel, index, (u8)min_t(u32, penalty, MAP_PENALTY_MAX));
}

/*
 * REPS: take the oldest index with good feedback.  It is re-used once, and returns to the ring
 * if its next packet arrives unmarked too.
 */
static bool reps_take(struct uet_ev_sel *sel, u32 free_ports, u16 *index)
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
			if (!sel_is_free(sel, reps->ev[slot], free_ports))
				continue;
			reps->valid &= ~BIT_ULL(slot);
			*index = reps->ev[slot];
			return true;
		}
	}
	return false;
}

/* Remove the value of a lost packet. */
static void reps_purge(struct uet_ev_sel *sel, u16 index)
{
	struct uet_ev_reps *reps = &sel->reps;
	u32 slot;

	for (slot = 0; slot < reps->count; slot++) {
		if (reps->ev[slot] != index)
			continue;
		reps->ev[slot] = sel_any(sel, 0);
		reps->valid &= ~BIT_ULL(slot);
	}
}

static void reps_feedback(struct uet_ev_sel *sel, u16 index,
			  enum uet_ev_feedback feedback, u64 now)
{
	struct uet_ev_reps *reps = &sel->reps;

	if (now >= reps->can_exit)
		reps->is_frozen = false;
	if (feedback == UET_EV_TIMEOUT) {
		reps_purge(sel, index);
		reps->is_frozen = sel->cfg.freeze_ns;
		reps->can_exit = now + sel->cfg.freeze_ns;
	} else if (feedback == UET_EV_GOOD) {
		reps->ev[reps->head] = index;
		reps->valid |= BIT_ULL(reps->head);
		reps->head = reps->head + 1 < sel->cfg.ring ? reps->head + 1 : 0;
		reps->count = min_t(u8, reps->count + 1, sel->cfg.ring);
	}
}

static u16 sel_choose(struct uet_ev_sel *sel, u32 free_ports)
{
	u16 index;

	switch (sel->cfg.policy) {
	case UET_EV_OBLIVIOUS:
		return walk_next(sel, free_ports);
	case UET_EV_REPS:
	case UET_EV_MIXED:
		if (reps_take(sel, free_ports, &index))
			return index;
		fallthrough;
	case UET_EV_MAP:
		return map_next(sel, free_ports);
	default:
		return sel->single;
	}
}

/*
 * The same as sel_choose() for packets that may leave by any port, while all values are equally
 * good but for those that REPS prefers.  Return: how many of the values were chosen.
 */
static u32 sel_spray(struct uet_ev_sel *sel, u16 *ev, u32 n)
{
	bool recycles = sel->cfg.policy == UET_EV_REPS || sel->cfg.policy == UET_EV_MIXED;
	u32 i = 0;

	if (sel->cfg.policy == UET_EV_SINGLE)
		return 0;
	while (recycles && i < n && reps_take(sel, 0, &sel->last))
		ev[i++] = uet_ev_sel_value(sel, sel->last);
	if (sel->nr_bad || sel->reps.is_frozen)
		return i;
	walk_run(sel, ev + i, n - i);
	return n;
}

/*
 * Entropy value of a packet about to be sent.  A single path does not change with the state of
 * its port.  A burst continues while its port is free and its value has no bad feedback.
 */
u16 uet_ev_sel_next(struct uet_ev_sel *sel, u32 free_ports)
{
	u16 ev;

	uet_ev_sel_run(sel, &ev, 1, free_ports);
	return ev;
}

/*
 * uet_ev_sel_run() - entropy values of @n packets that are sent together
 * @free_ports: ports that accept the packets, a bit each; 0: all
 */
void uet_ev_sel_run(struct uet_ev_sel *sel, u16 *ev, u32 n, u32 free_ports)
{
	u32 i = 0;

	/* Ignore bits of ports that do not exist; no bit left means all ports. */
	free_ports &= U32_MAX >> (32 - sel->cfg.ports);
	if (sel->cfg.burst == 1 && !free_ports)
		i = sel_spray(sel, ev, n);
	for (; i < n; i++) {
		if (sel->left && sel_is_free(sel, sel->last, free_ports)) {
			sel->left--;
		} else {
			sel->last = sel_choose(sel, free_ports);
			sel->left = sel->cfg.burst - 1;
		}
		ev[i] = uet_ev_sel_value(sel, sel->last);
	}
}

/* UE 1.0.1 3.6.16.2: marks do not reroute, and reroutes are rare. */
static void sel_single_feedback(struct uet_ev_sel *sel, enum uet_ev_feedback feedback, u64 now)
{
	u16 old = sel->single;

	if ((feedback != UET_EV_NACK && feedback != UET_EV_TIMEOUT) ||
	    uet_ns_since(now, sel->moved_at) < sel->cfg.reroute_ns)
		return;
	sel->single = sel_any(sel, 0);
	if (sel->single == old)
		sel->single = (old + 1) & (sel->cfg.values - 1);
	sel->moved_at = now;
}

/* Values of other selectors are ignored. */
void uet_ev_sel_feedback(struct uet_ev_sel *sel, u16 ev, enum uet_ev_feedback feedback, u64 now)
{
	u16 index = uet_ev_sel_index(sel, ev);

	if (index >= sel->cfg.values)
		return;
	sel->feedbacks[feedback]++;
	if (feedback != UET_EV_GOOD && index == sel->last)
		sel->left = 0;
	switch (sel->cfg.policy) {
	case UET_EV_SINGLE:
		if (index == sel->single)
			sel_single_feedback(sel, feedback, now);
		break;
	case UET_EV_REPS:
		reps_feedback(sel, index, feedback, now);
		map_feedback(sel, index, feedback == UET_EV_TIMEOUT ?
			     UET_EV_TIMEOUT : UET_EV_GOOD);
		break;
	case UET_EV_MAP:
		map_feedback(sel, index, feedback);
		break;
	case UET_EV_MIXED:
		reps_feedback(sel, index, feedback, now);
		map_feedback(sel, index, feedback);
		break;
	default:
		break;
	}
}
