// SPDX-License-Identifier: GPL-2.0
/*
 * The credit pacer of RCCC.  Elapsed time becomes a budget, and the budget becomes quanta of four
 * packets.  Sources with demand have turns, in the order in which their demand arrived.  A
 * turn is a quantum, or more: with long turns the sources finish one after the other, and on
 * average earlier, and a source waits for at most a turn of each other one.  While no source
 * has demand, sources with recent demand get quanta in advance, so that their next burst
 * need not wait.  A quantum is charged after it is granted.  A run at each deadline therefore
 * grants one quantum, and a run of a coarse timer grants as many as the budget covers.
 *
 * Implements UE 1.0.1 3.6.14, as interpreted in choices.rst.  Level: core L3.
 */
#include "cc_pacer.h"

/* Full packets per quantum, as in the public simulator. */
#define PACER_QUANTUM_PKTS		4

/* Charge for a quantum that granted nothing, bytes; bounds the length of a run. */
#define PACER_EMPTY_BYTES	1024U

/* Budget units per byte: Mb/s x ns x permille. */
#define PACER_BYTE		8000000LL

/* Granted share of the rate, permille, unless set; below 1000 so that queues drain. */
#define PACER_PERMILLE		990

/* Elapsed time that a late run makes up for, ns; pacer_set_lag() may raise it. */
#define PACER_LAG_NS		100000

/* Largest plausible demand of a source, units: 64 MiB. */
#define PACER_WANT_MAX		(64 * 1024 * 1024 / UET_CC_UNIT)

/* Most sources that one passes from either end on its way to its place in the queue. */
#define PACER_STEPS_MAX		32

static u32 pacer_quantum_units(const struct uet_pacer *pacer)
{
	return DIV_ROUND_UP(PACER_QUANTUM_PKTS * pacer->mtu, UET_CC_UNIT);
}

/* Two quanta must fit, or a slow link would never be granted its full rate. */
static void pacer_set_lag(struct uet_pacer *pacer)
{
	u64 turn = pacer_quantum_units(pacer) * UET_CC_UNIT * PACER_BYTE;
	u64 rate = (u64)pacer->rate_mbps * pacer->permille;

	pacer->lag_ns = max_t(u64, PACER_LAG_NS, pacer->base_rtt_ns);
	pacer->lag_ns = max(pacer->lag_ns, 2 * div64_u64(turn, rate));
}

/*
 * uet_pacer_init() - initialise a pacer without sources
 * @rate_mbps: rate of the link, 1..12800000
 * @base_rtt_ns: at most 10 ms
 * @mtu: nominal size of a full packet, bytes, 256..16384
 */
void uet_pacer_init(struct uet_pacer *pacer, u32 rate_mbps, u32 base_rtt_ns, u32 mtu, u64 now)
{
	u64 bdp = div_u64((u64)rate_mbps * base_rtt_ns, 8000);

	memset(pacer, 0, sizeof(*pacer));
	INIT_LIST_HEAD(&pacer->active);
	INIT_LIST_HEAD(&pacer->satisfied);
	INIT_LIST_HEAD(&pacer->pending);
	pacer->rate_mbps = rate_mbps;
	pacer->permille = PACER_PERMILLE;
	pacer->mtu = mtu;
	pacer->ahead = (u32)min_t(u64, (bdp + bdp / 2) / UET_CC_UNIT, UET_CREDIT_MAX / 4);
	pacer->base_rtt_ns = base_rtt_ns;
	pacer_set_lag(pacer);
	pacer->at = now;
	uet_pacer_set_run(pacer, 0);
}

/*
 * uet_pacer_set_run() - set the length of the next turns, bytes; at least a quantum is granted
 */
void uet_pacer_set_run(struct uet_pacer *pacer, u32 bytes)
{
	pacer->run = max(bytes / UET_CC_UNIT, pacer_quantum_units(pacer));
}

/*
 * uet_pacer_flow_init() - initialise a source without demand
 */
void uet_pacer_flow_init(struct uet_pacer_flow *flow)
{
	memset(flow, 0, sizeof(*flow));
	INIT_LIST_HEAD(&flow->link);
	INIT_LIST_HEAD(&flow->pending);
}

static bool pacer_is_busy(const struct uet_pacer *pacer)
{
	return !list_empty(&pacer->active) || !list_empty(&pacer->satisfied);
}

/* No source waited: budget not granted in that time is not granted later. */
static void pacer_advance(struct uet_pacer *pacer, u64 now)
{
	s64 rate = (s64)pacer->rate_mbps * pacer->permille;
	s64 most = pacer_is_busy(pacer) ? (s64)pacer->lag_ns * rate : 0;

	pacer->budget += (s64)min(uet_ns_since(now, pacer->at), pacer->lag_ns) * rate;
	pacer->budget = min(pacer->budget, most);
	pacer->at = max(pacer->at, now);
}

/*
 * uet_pacer_set_share() - set the part of the rate that is granted, 1..1000 thousandths
 */
void uet_pacer_set_share(struct uet_pacer *pacer, u16 permille, u64 now)
{
	pacer_advance(pacer, now);
	pacer->permille = permille;
	pacer_set_lag(pacer);
}

/*
 * uet_pacer_set_rate() - change the rate of the link, Mb/s, 1..12800000
 */
void uet_pacer_set_rate(struct uet_pacer *pacer, u32 rate_mbps, u64 now)
{
	pacer_advance(pacer, now);
	pacer->rate_mbps = rate_mbps;
	pacer_set_lag(pacer);
}

static void pacer_begin_turn(struct uet_pacer *pacer, struct uet_pacer_flow *flow)
{
	flow->turn = pacer->turn++;
	flow->run = pacer->run;
}

static bool pacer_is_later(const struct list_head *link, const struct uet_pacer_flow *flow)
{
	const struct uet_pacer_flow *other = list_entry(link, struct uet_pacer_flow, link);

	return (s32)(other->turn - flow->turn) > 0;
}

/*
 * Most sources belong at the end.  One that had no demand for a moment belongs near the
 * beginning, where the oldest turns are.  One that is far from both has lost its turn.
 */
static void pacer_enqueue(struct uet_pacer *pacer, struct uet_pacer_flow *flow)
{
	struct list_head *first = pacer->active.next, *last = pacer->active.prev;
	int steps;

	for (steps = 0; steps < PACER_STEPS_MAX; steps++) {
		if (last == &pacer->active || !pacer_is_later(last, flow)) {
			list_add(&flow->link, last);
			return;
		}
		if (pacer_is_later(first, flow)) {
			list_add_tail(&flow->link, first);
			return;
		}
		first = first->next;
		last = last->prev;
	}
	pacer_begin_turn(pacer, flow);
	list_add_tail(&flow->link, &pacer->active);
}

static void pacer_put(struct uet_pacer *pacer, struct uet_pacer_flow *flow,
		      enum uet_pacer_list list)
{
	list_del_init(&flow->link);
	flow->list = (u8)list;
	if (list == UET_PACER_ACTIVE)
		pacer_enqueue(pacer, flow);
	else if (list == UET_PACER_SATED)
		list_add_tail(&flow->link, &pacer->satisfied);
}

static void pacer_pend(struct uet_pacer *pacer, struct uet_pacer_flow *flow)
{
	if (list_empty(&flow->pending))
		list_add_tail(&flow->pending, &pacer->pending);
}

/*
 * One end restarted and the credit counters of the two ends differ: the outstanding demand
 * exceeds any plausible value.  Resynchronise both ends at @target.  The source accepts at most
 * its largest window.
 */
static void pacer_align(struct uet_pacer *pacer, struct uet_pacer_flow *flow, u32 target)
{
	if (uet_cc_diff24(target, flow->granted) <= (s32)PACER_WANT_MAX)
		return;
	flow->target = target & UET_CREDIT_MAX;
	flow->granted = flow->target;
	pacer_pend(pacer, flow);
}

/*
 * uet_pacer_demand() - a packet of a source carried a credit target, 24 bits (UE 1.0.1 3.6.14)
 * @was_trimmed: only the header of the packet arrived: the source must retransmit
 *
 * A packet that was overtaken carries an old target and is ignored.
 */
void uet_pacer_demand(struct uet_pacer *pacer, struct uet_pacer_flow *flow,
		      u32 target, bool was_trimmed, u64 now)
{
	bool is_more;

	pacer_align(pacer, flow, target);
	is_more = uet_cc_diff24(target, flow->target) > 0;
	if (is_more)
		flow->target = target & UET_CREDIT_MAX;
	/* A source that has much of its credit left needs no more now. */
	is_more &= uet_cc_diff24(flow->granted, target) < (s32)(pacer->ahead - pacer->ahead / 4);
	if ((!is_more && !was_trimmed) || flow->list == UET_PACER_ACTIVE)
		return;
	pacer_advance(pacer, now);
	if (flow->list == UET_PACER_OFF || !flow->run)
		pacer_begin_turn(pacer, flow);
	pacer_put(pacer, flow, UET_PACER_ACTIVE);
}

/*
 * uet_pacer_request() - a Credit Request arrived (UE 1.0.1 3.6.14)
 * The source may demand credit that was granted already but got lost.  The pacer therefore
 * always advertises the credit of the source again.
 */
void uet_pacer_request(struct uet_pacer *pacer, struct uet_pacer_flow *flow, u32 target, u64 now)
{
	uet_pacer_demand(pacer, flow, target, false, now);
	pacer_pend(pacer, flow);
}

/*
 * uet_pacer_leave() - remove a source; its memory may be freed afterwards
 */
void uet_pacer_leave(struct uet_pacer *pacer, struct uet_pacer_flow *flow)
{
	pacer_put(pacer, flow, UET_PACER_OFF);
	list_del_init(&flow->pending);
}

static void pacer_give(struct uet_pacer *pacer, struct uet_pacer_flow *flow, u32 units)
{
	u32 bytes = units ? units * UET_CC_UNIT : PACER_EMPTY_BYTES;

	pacer->budget -= bytes * PACER_BYTE;
	if (!units)
		return;
	flow->granted = (flow->granted + units) & UET_CREDIT_MAX;
	pacer->grants++;
	pacer_pend(pacer, flow);
}

static void pacer_quantum_active(struct uet_pacer *pacer)
{
	struct uet_pacer_flow *flow =
		list_first_entry(&pacer->active, struct uet_pacer_flow, link);
	s32 left = uet_cc_diff24(flow->target, flow->granted);
	s32 units = clamp_t(s32, left, 0, (s32)pacer_quantum_units(pacer));

	pacer_give(pacer, flow, (u32)units);
	flow->run -= min(flow->run, max((u32)units, PACER_EMPTY_BYTES / UET_CC_UNIT));
	if (!flow->run)
		pacer_begin_turn(pacer, flow);
	pacer_put(pacer, flow, left > units ? UET_PACER_ACTIVE : UET_PACER_SATED);
}

static void pacer_quantum_sated(struct uet_pacer *pacer)
{
	struct uet_pacer_flow *flow = list_first_entry(
		&pacer->satisfied, struct uet_pacer_flow, link);
	s32 ahead = uet_cc_diff24(flow->granted, flow->target);

	if (ahead >= (s32)pacer->ahead) {
		pacer_put(pacer, flow, UET_PACER_OFF);
		return;
	}
	pacer_give(pacer, flow, pacer_quantum_units(pacer));
	pacer_put(pacer, flow, UET_PACER_SATED);
}

/*
 * uet_pacer_run() - grant credit for the elapsed time (UE 1.0.1 3.6.14)
 * The run is bounded by the lag that is made up for and by the number of sources.
 */
void uet_pacer_run(struct uet_pacer *pacer, u64 now)
{
	pacer_advance(pacer, now);
	while (pacer->budget >= 0 && pacer_is_busy(pacer)) {
		if (!list_empty(&pacer->active))
			pacer_quantum_active(pacer);
		else
			pacer_quantum_sated(pacer);
	}
	if (!pacer_is_busy(pacer))
		pacer->budget = min_t(s64, pacer->budget, 0);
}

/*
 * uet_pacer_poll() - take the next source whose credit, 24 bits, must be advertised, or NULL
 */
struct uet_pacer_flow *uet_pacer_poll(struct uet_pacer *pacer, u32 *credit)
{
	struct uet_pacer_flow *flow =
		list_first_entry_or_null(&pacer->pending, struct uet_pacer_flow, pending);

	if (!flow)
		return NULL;
	list_del_init(&flow->pending);
	*credit = flow->granted;
	return flow;
}

/*
 * uet_pacer_deadline() - time of the next run and poll, ns, or past; U64_MAX: there is no demand
 */
u64 uet_pacer_deadline(const struct uet_pacer *pacer)
{
	u64 rate = (u64)pacer->rate_mbps * pacer->permille;

	if (!pacer_is_busy(pacer) && list_empty(&pacer->pending))
		return U64_MAX;
	if (pacer->budget >= 0 || !list_empty(&pacer->pending))
		return pacer->at;
	return pacer->at + div64_u64((u64)-pacer->budget + rate - 1, rate);
}
