// SPDX-License-Identifier: GPL-2.0
/*
 * Two filters over round trips.  The least round trip is taken over two windows of
 * time, because in software one lucky packet, or a path that no longer exists, must
 * not pin the minimum for ever.  The average weighs a sample by the time since the
 * previous sample, so that the average does not depend on how a destination coalesces
 * ACKs.
 *
 * Implements UE 1.0.1 3.6.13; windows and weights are specific to this project, see
 * Documentation/congestion.rst.  Level: core L3.
 */
#include "cc_filter.h"

/* Round trips are clamped to 2^31 ns, two seconds. */
#define DELAY_MAX_NS	(1U << 31)

/* Weight of one ACK in htsim: 1/80, Q16. */
#define HTSIM_WEIGHT	819

/*
 * Base RTTs that the average covers.  With one base RTT, windows shrink because of
 * the fluctuation of a single queue, see Documentation/congestion.rst.
 */
#define AVG_RTTS	4

/*
 * Round trips of the first window of time of a base RTT above the configured one, and how
 * often the next windows double: a first guess with others' queues in it does not last.
 */
#define BASE_WINDOW_RTTS	32
#define BASE_DOUBLINGS		8

/* Round trips of a drain: one until the queue has shrunk, one to see that. */
#define BASE_DRAIN_RTTS		2

/* Constants of the path: those of the network, unless the path is longer. */
static void base_scale(struct uet_ccc *ccc, u32 base_ns)
{
	if (base_ns <= ccc->network->cfg.base_rtt_ns) {
		ccc->param = ccc->network;
		return;
	}
	uet_cc_scale(&ccc->path, ccc->network, base_ns);
	ccc->param = &ccc->path;
}

static void base_set(struct uet_ccc *ccc, u32 base_ns)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 bdp;

	base_scale(ccc, base_ns);
	bdp = min(uet_cc_bytes(ccc->param->cfg.rate_mbps, base_ns + nscc->jitter_ns),
		  nscc->jitter_ns ? UET_CC_BDP_MAX : ccc->param->bdp);
	nscc->base_ns = base_ns;
	nscc->max_wnd = uet_cc_max_window(ccc->param, bdp);
	nscc->avg_weight = div64_u64(1ULL << 48, AVG_RTTS * (u64)base_ns);
}

/* Start with the configured base RTT. */
void uet_cc_base_init(struct uet_ccc *ccc, u64 now)
{
	ccc->nscc.base_min[0] = U32_MAX;
	ccc->nscc.base_min[1] = U32_MAX;
	ccc->nscc.base_since = now;
	base_set(ccc, ccc->network->cfg.base_rtt_ns);
}

/* Recompute the constants of the path and the largest window for a new rate. */
void uet_cc_base_retune(struct uet_ccc *ccc)
{
	base_set(ccc, ccc->nscc.base_ns);
}

/*
 * Packets in flight fill a path for its least round trip and its jitter, so the largest
 * window does, too.
 */
void uet_cc_base_jitter(struct uet_ccc *ccc, u32 jitter_ns)
{
	struct uet_nscc *nscc = &ccc->nscc;

	if (jitter_ns == nscc->jitter_ns)
		return;
	nscc->jitter_ns = jitter_ns;
	base_set(ccc, nscc->base_ns);
}

/* Is the path longer than configured? */
static bool base_is_far(const struct uet_ccc *ccc)
{
	return ccc->param == &ccc->path;
}

/*
 * A queue that is always there looks like a longer path.  From time to time a context
 * with a longer path sends so little that its part of a queue drains.
 */
static void base_drain(struct uet_ccc *ccc, u32 rtt, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;

	nscc->drain_end = now + BASE_DRAIN_RTTS * (u64)rtt;
	nscc->drained = ccc->cwnd;
}

/* A window of time has ended: drop the minimum of the window before. */
static void base_turn(struct uet_ccc *ccc, u32 rtt, u64 now)
{
	u64 window = ccc->param->cfg.base_window_ns;
	struct uet_nscc *nscc = &ccc->nscc;
	u64 far;

	if (base_is_far(ccc)) {
		far = BASE_WINDOW_RTTS * (u64)nscc->base_ns;
		window = clamp_t(u64, window, far, far << nscc->base_windows);
	}
	if (!window || uet_ns_since(now, nscc->base_since) < window)
		return;
	nscc->base_min[1] = uet_ns_since(now, nscc->base_since) < 2 * window ?
			    nscc->base_min[0] : U32_MAX;
	nscc->base_min[0] = U32_MAX;
	nscc->base_since = now;
	nscc->base_windows = min_t(u32, nscc->base_windows + 1, BASE_DOUBLINGS);
	if (base_is_far(ccc))
		base_drain(ccc, rtt, now);
}

/*
 * Base RTT by the least round trip of two windows of time.
 *
 * Queues of others can make all round trips long for a while.  A base RTT that was
 * configured is therefore exceeded only after both windows.  The default is no knowledge:
 * it is exceeded at once, unless a queue of a BDP, or several where switches trim, would
 * explain the round trip.
 */
static u32 base_of(const struct uet_ccc *ccc)
{
	u32 least = min(ccc->nscc.base_min[0], ccc->nscc.base_min[1]);
	const struct uet_cc_cfg *cfg = &ccc->network->cfg;
	u64 queued = (u64)cfg->base_rtt_ns * (cfg->has_trim ? 4 : 2);
	bool is_guess = cfg->base_rtt_ns == UET_CC_BASE_RTT_GUESS;

	if (cfg->adapts && ((is_guess && least > queued) || ccc->nscc.base_windows > 1))
		return least;
	return min(least, cfg->base_rtt_ns);
}

/*
 * Update the base RTT by a measured round trip.
 *
 * The largest window is recomputed now; the congestion window is limited to it at the
 * next increase.
 *
 * Return: queueing delay of the sample, ns.
 * Spec: UE 1.0.1 3.6.13.
 */
u64 uet_cc_base_sample(struct uet_ccc *ccc, u64 rtt_ns, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u32 rtt = (u32)clamp_t(u64, rtt_ns, 1, DELAY_MAX_NS);
	bool is_far;
	u32 base;

	base_turn(ccc, rtt, now);
	if (rtt <= nscc->base_min[0] && base_is_far(ccc))
		nscc->base_since = now;
	nscc->base_min[0] = min(nscc->base_min[0], rtt);
	base = base_of(ccc);
	is_far = base / 2 > nscc->base_ns && !base_is_far(ccc);
	if (base != nscc->base_ns)
		base_set(ccc, base);
	if (is_far) {
		nscc->is_starting = true;
		ccc->cwnd = max(ccc->cwnd, uet_cc_first_window(ccc));
	}
	return rtt - base;
}

/* After an ACK: keep the window small during a drain, and restore it afterwards. */
void uet_cc_base_apply_drain(struct uet_ccc *ccc, u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u64 small;

	if (!nscc->drain_end)
		return;
	if (now < nscc->drain_end) {
		small = max_t(u64, min_t(u64, ccc->param->bdp, nscc->drained) / 8,
			      ccc->param->cfg.mtu);
		ccc->cwnd = min(ccc->cwnd, small);
		return;
	}
	nscc->drain_end = 0;
	ccc->cwnd = max(ccc->cwnd, min_t(u64, nscc->drained, nscc->max_wnd));
}

/* Unmarked but late: the queue drains already, so the next delay will be shorter. */
static u64 avg_htsim(const struct uet_ccc *ccc, u64 delay, bool is_marked)
{
	if (!is_marked && delay > ccc->param->cfg.target_ns)
		return ccc->nscc.base_ns / 4;
	return delay;
}

/*
 * Update the average by a measured queueing delay.
 * @is_marked: the measured packet was ECN-marked
 *
 * Spec: UE 1.0.1 3.6.13: an average over about one base RTT; AVG_RTTS differs.
 */
void uet_cc_avg_sample(struct uet_ccc *ccc, u64 delay_ns, bool is_marked,
		       u64 now)
{
	struct uet_nscc *nscc = &ccc->nscc;
	u64 delay = min_t(u64, delay_ns, DELAY_MAX_NS);
	s64 weight = HTSIM_WEIGHT;

	if (ccc->param->cfg.htsim & UET_HTSIM_FILTER)
		delay = avg_htsim(ccc, delay, is_marked);
	else if (!nscc->avg_at ||
		 uet_ns_since(now, nscc->avg_at) >= AVG_RTTS * (u64)nscc->base_ns)
		weight = 1 << 16;
	else
		weight = (s64)(uet_ns_since(now, nscc->avg_at) * nscc->avg_weight >> 32);
	nscc->avg_at = max(nscc->avg_at, now);
	nscc->avg_ns += ((s64)(delay << 6) - nscc->avg_ns) * weight >> 16;
}
