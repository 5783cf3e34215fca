// SPDX-License-Identifier: GPL-2.0
/*
 * Common interface of the entropy policies and the code they share: random numbers,
 * the upper bits of a value, the egress port of an index, and the policy with a
 * single value.
 *
 * Implements UE 1.0.1 3.6.16.  Level: core L3.
 */
#include "ev_policy.h"

/* Any non-zero constant works; an xorshift state of 0 would remain 0. */
#define SEL_SEED_FOR_ZERO	0x9e3779b9

/* Defaults; choices.rst gives the reasons.  Times in ns. */
#define SEL_RING		8
#define SEL_VALUES		128
#define SEL_FREEZE_NS		400000
#define SEL_REROUTE_NS		200000

/**
 * uet_ev_cfg_init() - default configuration
 * @cfg: result: mixed, 128 values, a ring of 16, one port
 */
void uet_ev_cfg_init(struct uet_ev_cfg *cfg)
{
	*cfg = (struct uet_ev_cfg) {
		.policy = UET_EV_MIXED,
		.ports = 1,
		.ring = 2 * SEL_RING,
		.values = SEL_VALUES,
		.bad_max = SEL_VALUES / 2,
		.freeze_ns = SEL_FREEZE_NS,
		.reroute_ns = SEL_REROUTE_NS,
	};
}

/*
 * Validate a configuration.
 * Return: NULL, or a text that names the parameter and the violated limit.
 */
const char *uet_ev_cfg_check(const struct uet_ev_cfg *cfg)
{
	if (cfg->policy >= UET_EV_POLICY_NR)
		return "policy: no such one";
	if (!is_power_of_2(cfg->values) || cfg->values > UET_EV_VALUES_MAX)
		return "values must be a power of two in 1..32768";
	if (!cfg->ports || cfg->ports > UET_EV_PORTS_MAX)
		return "ports must be 1..32";
	if (cfg->ports > cfg->values)
		return "ports must not be more than values";
	if (cfg->ring > UET_EV_RING_MAX)
		return "ring must be at most 64 values";
	if (cfg->burst > UET_EV_BURST_MAX)
		return "burst must be at most 256 packets";
	if (cfg->bad_max > cfg->values)
		return "shunned values must not be more than values";
	return NULL;
}

static bool sel_has_map(const struct uet_ev_cfg *cfg)
{
	return cfg->policy >= UET_EV_REPS;
}

/**
 * uet_ev_sel_space() - size of the penalty memory of a selector
 * @cfg: legal values
 *
 * Return: bytes, 0 if the policy needs none.
 */
size_t uet_ev_sel_space(const struct uet_ev_cfg *cfg)
{
	return sel_has_map(cfg) ? cfg->values : 0;
}

/*
 * The next random number.
 *
 * A 32-bit xorshift: the numbers must spread packets, not resist prediction.
 *
 * Return: not 0.
 */
u32 uet_ev_random(struct uet_ev_sel *sel)
{
	sel->x ^= sel->x << 13;
	sel->x ^= sel->x >> 17;
	sel->x ^= sel->x << 5;
	return sel->x;
}

/* Indices map to ports round-robin. */
static bool sel_is_free(const struct uet_ev_sel *sel, u32 index, u32 free_ports)
{
	return !free_ports || (free_ports & (1U << index % sel->cfg.ports));
}

/*
 * The next index whose port is free.
 *
 * Twice as many steps as there are ports cover all ports, even if the indices wrap.
 *
 * Return: an index; @index itself if none is free.
 */
u16 uet_ev_fit(const struct uet_ev_sel *sel, u16 index, u32 free_ports)
{
	u32 mask = sel->cfg.values - 1, i;

	for (i = 0; i < 2U * sel->cfg.ports; i++)
		if (sel_is_free(sel, (index + i) & mask, free_ports))
			return (u16)((index + i) & mask);
	return index;
}

/*
 * Is the port of an index free?
 * Return: true if it is.
 */
bool uet_ev_fits(const struct uet_ev_sel *sel, u16 index, u32 free_ports)
{
	return sel_is_free(sel, index, free_ports);
}

/*
 * A random index.
 * Return: an index.
 */
u16 uet_ev_any(struct uet_ev_sel *sel, u32 free_ports)
{
	u16 index = (uet_ev_random(sel) >> 8) & (sel->cfg.values - 1);

	return uet_ev_fit(sel, index, free_ports);
}

/**
 * uet_ev_sel_init() - initialise a selector without feedback
 * @sel: memory of the caller
 * @cfg: legal values
 * @penalty: uet_ev_sel_space() bytes that outlive @sel, or NULL if that is 0
 * @seed: any number; equal seeds give equal choices
 * @now: monotonic time, ns
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
	sel->x = seed ? seed : SEL_SEED_FOR_ZERO;
	do {
		sel->base = uet_ev_random(sel) >> 16;
	} while (uet_ev_sel_index(sel, 0) < cfg->values);
	sel->single = uet_ev_any(sel, 0);
	sel->mix = uet_ev_any(sel, 0);
	sel->moved_at = now;
	sel->penalty = penalty;
	if (sel_has_map(cfg))
		memset(penalty, 0, cfg->values);
}

static u16 sel_choose(struct uet_ev_sel *sel, u32 free_ports)
{
	switch (sel->cfg.policy) {
	case UET_EV_OBLIVIOUS:
		return uet_ev_walk(sel, free_ports);
	case UET_EV_REPS:
	case UET_EV_MIXED:
		return uet_ev_reps_next(sel, free_ports);
	case UET_EV_MAP:
		return uet_ev_map_next(sel, free_ports);
	default:
		return sel->single;
	}
}

/*
 * The same as sel_choose() for packets that may leave by any port, while all values are
 * equally good but for those that REPS prefers.
 * Return: how many of the values were chosen.
 */
static u32 sel_spray(struct uet_ev_sel *sel, u16 *ev, u32 n)
{
	bool recycles = sel->cfg.policy == UET_EV_REPS || sel->cfg.policy == UET_EV_MIXED;
	u32 i = 0;

	if (sel->cfg.policy == UET_EV_SINGLE)
		return 0;
	while (recycles && i < n && uet_ev_reps_take(sel, 0, &sel->last))
		ev[i++] = uet_ev_sel_value(sel, sel->last);
	if (sel->nr_bad || sel->reps.is_frozen)
		return i;
	uet_ev_walk_run(sel, ev + i, n - i);
	return n;
}

/*
 * Entropy value of a packet about to be sent.
 * @free_ports: ports that accept the packet, a bit each; 0: all
 *
 * A single path does not change with the state of its port.  A burst continues while
 * its port is free and its value has no bad feedback.
 *
 * Return: 1..65535.
 * Spec: UE 1.0.1 3.6.16.
 */
u16 uet_ev_sel_next(struct uet_ev_sel *sel, u32 free_ports)
{
	u16 ev;

	uet_ev_sel_run(sel, &ev, 1, free_ports);
	return ev;
}

/**
 * uet_ev_sel_run() - entropy values of packets that are sent together
 * @sel: selector
 * @ev: result
 * @n: number of packets
 * @free_ports: as for uet_ev_sel_next()
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
static void sel_single_feedback(struct uet_ev_sel *sel,
				enum uet_ev_feedback feedback, u64 now)
{
	u16 old = sel->single;

	if ((feedback != UET_EV_NACK && feedback != UET_EV_TIMEOUT) ||
	    uet_ns_since(now, sel->moved_at) < sel->cfg.reroute_ns)
		return;
	sel->single = uet_ev_any(sel, 0);
	if (sel->single == old)
		sel->single = (old + 1) & (sel->cfg.values - 1);
	sel->moved_at = now;
}

/*
 * Apply feedback on a packet.
 * @ev: entropy value of the packet; values of other selectors are ignored
 *
 * Spec: UE 1.0.1 3.6.16.
 */
void uet_ev_sel_feedback(struct uet_ev_sel *sel, u16 ev,
			 enum uet_ev_feedback feedback, u64 now)
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
		uet_ev_reps_feedback(sel, index, feedback, now);
		uet_ev_map_feedback(sel, index, feedback == UET_EV_TIMEOUT ?
				    UET_EV_TIMEOUT : UET_EV_GOOD);
		break;
	case UET_EV_MAP:
		uet_ev_map_feedback(sel, index, feedback);
		break;
	case UET_EV_MIXED:
		uet_ev_reps_feedback(sel, index, feedback, now);
		uet_ev_map_feedback(sel, index, feedback);
		break;
	default:
		break;
	}
}

/*
 * Egress port of a value.
 * Return: 0 .. @sel->cfg.ports - 1, constant for a value.
 * Spec: UE 1.0.1 3.6.16: a value keeps its port.
 */
u8 uet_ev_sel_port(const struct uet_ev_sel *sel, u16 ev)
{
	return uet_ev_sel_index(sel, ev) % sel->cfg.ports;
}
